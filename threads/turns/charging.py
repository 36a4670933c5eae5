"""What a turn used is put on the run, on its workspace's day, and in a row a model request."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.db.models import F

from artifacts.log import Entry
from artifacts.models import Workspace
from threads.core.limits import SECONDS, Used, added
from threads.models import Day, ModelRequest, Run


def charge(entry: Entry, run: Run, used: Sequence[Used], seconds: float) -> None:
    """Add to the run's usage, which the caller saves, and to the day's."""
    worked = round(run.usage.get(SECONDS, 0) + seconds, 3)
    run.usage = {**added(run.usage, *(request.usage() for request in used)), SECONDS: worked}
    if used:
        ModelRequest.objects.bulk_create([_row(entry, run, request) for request in used])
        _charge_day(entry, sum(request.tokens for request in used))


def tokens_a_day(workspace: Workspace) -> int | None:
    """What a workspace's agents may use in a day: its own limit, else the installation's. None: anything."""
    if workspace.tokens_a_day is not None:
        return workspace.tokens_a_day
    allowed: int | None = settings.ARTIFACTR_WORKSPACE_TOKENS_A_DAY
    return allowed


def tokens_today(workspace_id: str, at: datetime) -> int:
    """What a workspace's agents have used in the day (UTC) of `at`."""
    rows = Day.objects.filter(workspace_id=workspace_id, date=at.astimezone(UTC).date())
    return rows.values_list("tokens", flat=True).first() or 0


def _row(entry: Entry, run: Run, used: Used) -> ModelRequest:
    return ModelRequest(
        thread_id=run.thread_id,
        run=run,
        model=used.model[:200],
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cached_tokens,
        tool_calls=used.tool_calls,
        at=entry.at,
    )


def _charge_day(entry: Entry, tokens: int) -> None:
    """Under the workspace's lock, so nobody else makes the row meanwhile."""
    today = Day.objects.filter(workspace=entry.workspace, date=entry.at.astimezone(UTC).date())
    if tokens and not today.update(tokens=F("tokens") + tokens):
        Day.objects.create(workspace=entry.workspace, date=entry.at.astimezone(UTC).date(), tokens=tokens)
