"""What a turn used is put on the run, on its workspace's day, and in a row a model request."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from django.conf import settings
from django.db.models import DateField

from artifacts.log import Entry
from artifacts.models import Workspace
from artifacts.prepared import Given, Prepared, given_id
from artifacts.statements import Statement, inserting
from threads.core.limits import SECONDS, Used, added
from threads.models import Day, ModelRequest, Run

TOKENS_OF_A_DAY = Prepared(
    lambda: (
        Day.objects.filter(workspace=given_id("workspace"), date=Given("date", DateField()))
        .order_by()
        .values_list("tokens", flat=True)
    )
)


def charging(entry: Entry, run: Run, used: Sequence[Used], seconds: float) -> list[Statement]:
    """Add to the run's usage, which the caller saves; what stores each request, and adds to the day."""
    worked = round(run.usage.get(SECONDS, 0) + seconds, 3)
    run.usage = {**added(run.usage, *(request.usage() for request in used)), SECONDS: worked}
    tokens = sum(request.tokens for request in used)
    requests = [inserting(_row(entry, run, request)) for request in used]
    return [*requests, _adding_to_day(entry, tokens)] if tokens else requests


def tokens_a_day(workspace: Workspace) -> int | None:
    """What a workspace's agents may use in a day: its own limit, else the installation's. None: anything."""
    if workspace.tokens_a_day is not None:
        return workspace.tokens_a_day
    allowed: int | None = settings.ARTIFACTR_WORKSPACE_TOKENS_A_DAY
    return allowed


def tokens_today(workspace_id: str, at: datetime) -> int:
    """What a workspace's agents have used in the day (UTC) of `at`."""
    return TOKENS_OF_A_DAY.first(workspace=workspace_id, date=day_of(at)) or 0


def day_of(at: datetime) -> date:
    """The day (UTC) that something counts towards."""
    return at.astimezone(UTC).date()


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


def _adding_to_day(entry: Entry, tokens: int) -> Statement:
    """Add to the row of the day, or make it."""
    made = inserting(Day(workspace=entry.workspace, date=day_of(entry.at), tokens=tokens))
    table = Day._meta.db_table
    grown = f"ON CONFLICT (workspace_id, date) DO UPDATE SET tokens = {table}.tokens + EXCLUDED.tokens"
    return Statement(f"{made.sql} {grown}", made.values)
