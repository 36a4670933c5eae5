"""A text while it is being written, as HTML that grows.

Every top-level block of the Markdown but the last is finished: it is rendered once, and sent once to each watcher. The
last block is open: it is rendered again as it grows, and, once it is long, only when it has grown by an eighth; in
between, what is new is appended to it as plain text. So the whole costs a small multiple of the text, however it is
made up.
"""

import re
from dataclasses import dataclass, field
from html import escape

from artifacts.web.prose import LIMIT, WIDEST, References, blocks, sketch, starts

CHEAP = 1024
"""Characters up to which an open block is rendered at each change."""

EIGHTH = 8
FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
CODE = re.compile(r"^ {0,3}(```|~~~)|^ {4}")


@dataclass(frozen=True, slots=True)
class Position:
    """What a watcher has of a text: finished blocks, which rendering of the open one, and pieces appended to it.

    `begun` counts the texts that the part had, because a draft may begin anew.
    """

    blocks: int = 0
    version: int = -1
    pieces: int = 0
    begun: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """What brings a watcher up to date. `open` replaces the open block and what was appended to it, unless it is None.

    Where the text began anew, `finished` replaces the finished blocks instead of adding to them.
    """

    finished: str
    open: str | None
    appended: str
    position: Position
    anew: bool = False


@dataclass(slots=True)
class Stream:
    """One text's blocks so far. It shows no more than a finished message does."""

    finished: list[str] = field(default_factory=list)
    open: str = ""
    version: int = 0
    pieces: list[str] = field(default_factory=list)
    begun: int = 0
    _text: str = ""
    _start: int = 0
    _rendered: int = 0
    _width: int = 0
    _references: References = field(default_factory=References)

    @property
    def position(self) -> Position:
        """Where a watcher is that has everything."""
        return Position(len(self.finished), self.version, len(self.pieces), self.begun)

    @property
    def in_code(self) -> bool:
        """Whether what is appended belongs to a block of code."""
        return CODE.match(self._text[self._start :]) is not None

    def grow(self, text: str) -> None:
        """Take the whole text so far. One that does not begin with what it was before begins anew."""
        text = text[:LIMIT].replace("\r\n", "\n").replace("\r", "\n")
        if not text.startswith(self._text):
            self._begin_anew()
        if text == self._text or self._width > WIDEST:
            return
        new, self._text = text[len(self._text) :], text
        if self._may_wait(new):
            self.pieces.append(escape(new))
        else:
            self._finish_blocks()
            self._render_open()

    def since(self, position: Position | None) -> Growth | None:
        """What a watcher lacks, or None if it lacks nothing."""
        had = position or Position()
        if had == self.position:
            return None
        anew = had.begun != self.begun
        same = had.version == self.version
        return Growth(
            finished="".join(self.finished[0 if anew else had.blocks :]),
            open=None if same else self.open,
            appended="".join(self.pieces[had.pieces if same else 0 :]),
            position=self.position,
            anew=anew,
        )

    def end(self) -> str:
        """The whole text as it is when nothing more comes."""
        rest = "".join(html for html, _ in blocks(self._text[self._start :], self._references))
        return "".join(self.finished) + rest

    def _begin_anew(self) -> None:
        self.finished, self.open, self.pieces = [], "", []
        self._text, self._start, self._rendered, self._width = "", 0, 0, 0
        self._references = References()
        self.version += 1
        self.begun += 1

    def _may_wait(self, new: str) -> bool:
        """Whether the open block is long, and has not grown enough to be worth rendering."""
        length = len(self._text) - self._start
        grown = length - self._rendered
        return length > CHEAP and 0 < grown < self._rendered // EIGHTH and not FENCE.search(new)

    def _finish_blocks(self) -> None:
        """Render for good all blocks but the last. Only complete lines say where blocks begin."""
        complete = self._text[self._start : self._text.rfind("\n") + 1]
        beginnings = starts(complete, self._references)
        if len(beginnings) < 2:
            return
        length = _offset(complete, beginnings[-1])
        finished = [html for html, _ in blocks(complete[:length], self._references)]
        self.finished += finished
        self._width += sum(map(len, finished))
        self._start += length

    def _render_open(self) -> None:
        self.open = sketch(self._text[self._start :], self._references)
        self._rendered = len(self._text) - self._start
        self.version += 1
        self.pieces = []


def _offset(text: str, line: int) -> int:
    """Where in `text` the line begins, counted from 0."""
    position = 0
    for _ in range(line):
        position = text.index("\n", position) + 1
    return position
