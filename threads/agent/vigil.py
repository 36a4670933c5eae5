"""Claims are looked after: one's own are renewed, and those of the dead are given up.

A holder is dead when its lock says so, or when its claim has lapsed and stays so although the database answers: then
it had the time to renew it. So neither a database that was away nor a clock that jumped takes anybody's run.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from contextvars import Context
from typing import Any

from artifacts.database import in_database, persistently
from threads.agent.life import Life
from threads.turns import holding
from threads.turns.lease import CLAIM_SECONDS

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
RENEW_SECONDS = CLAIM_SECONDS / 5
AGAIN_SECONDS = 0.5
LAPSED_LOOKS = 5
"""In a row, a second apart: longer than a holder needs to renew."""


class Vigil:
    """Looks after the claims of one owner, and for those of others.

    `tokens` says which claims are the owner's now; `lost` is called with each that does not stand any more, and `found`
    with the threads that are free again.
    """

    def __init__(
        self,
        owner: str,
        *,
        tokens: Callable[[], Collection[str]],
        lost: Callable[[str], None],
        found: Callable[[list[str]], None],
    ) -> None:
        self._life = Life(owner)
        self._tokens, self._lost, self._found = tokens, lost, found
        self._lapsed: Counter[str] = Counter()
        self._routines: list[asyncio.Task[None]] = []
        self._failing = False

    async def start(self) -> None:
        """Show that we live, and begin to look."""
        await persistently(self._life.keep)
        loop = asyncio.get_running_loop()
        work: tuple[Coroutine[Any, Any, None], ...] = (self._look_after_others(), self._renew())
        self._routines = [loop.create_task(routine, context=Context()) for routine in work]

    async def close(self) -> None:
        """Look no more, and hold nothing that shows that we live."""
        for routine in self._routines:
            routine.cancel()
        if self._routines:
            await asyncio.wait(self._routines)  # else the lock could be taken again after its release
        await in_database(self._life.release)

    async def _look_after_others(self) -> None:
        while True:
            await self.look_once()
            await asyncio.sleep(LOOK_SECONDS)

    async def look_once(self) -> None:
        """Look after the claims of others, and tell of what was found."""
        if found := await self._tried(self.look, list[str]()):
            self._found(found)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(AGAIN_SECONDS if self._failing else RENEW_SECONDS)
            if tokens := set(self._tokens()):
                standing = await self._tried(lambda: holding.renew(tokens), tokens)
                for token in tokens - standing:
                    self._lost(token)

    async def _tried[T](self, unit: Callable[[], T], otherwise: T) -> T:
        """What a unit of work finds; `otherwise` while the database is away, which is said once."""
        try:
            found = await in_database(unit)
        except Exception as error:
            if not self._failing:
                logger.exception(
                    "claims cannot be looked after (%s); it is tried again", type(error).__name__
                )
            self._failing = True
            self._lapsed.clear()
            return otherwise
        self._failing = False
        return found

    def look(self) -> list[str]:
        """The threads that are free again because their holders are dead. Looks in a row are a second apart."""
        self._life.keep()
        self._lapsed = Counter({token: self._lapsed[token] + 1 for token in holding.lapsed()})
        silent = {token for token, looks in self._lapsed.items() if looks >= LAPSED_LOOKS}
        dead = self._life.dead_of(holding.owners())
        if not dead and not silent:
            return []
        found = holding.give_up(dead, silent)
        if found:
            logger.warning("%d threads were held by processes that are dead; others go on", len(found))
        return found
