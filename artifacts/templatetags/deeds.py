"""`{{ action|with_log_link:object }}`: a line of Django's change history, with a way to the event that it names."""

import re
from typing import Any
from urllib.parse import urlencode

from django import template
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils.html import format_html

register = template.Library()

NAMED = re.compile(r"\(event (\d+) of the log\)\Z")


@register.filter
def with_log_link(action: LogEntry, row: Any) -> str:
    """What was done; the number of the event leads to it, in the log of the row's workspace."""
    said = action.get_change_message()
    found = NAMED.search(said)
    workspace = workspace_of(row)
    if found is None or workspace is None:
        return said
    only = urlencode({"workspace": workspace, "seq": found[1]})
    address = f"{reverse('admin:artifacts_event_changelist')}?{only}"
    return format_html('{}(<a href="{}">event {} of the log</a>)', said[: found.start()], address, found[1])


def workspace_of(row: Any) -> str | None:
    """The id of the workspace that a row is in, or is."""
    if row._meta.label == "artifacts.Workspace":
        return str(row.pk)
    where = row if hasattr(row, "workspace_id") else getattr(row, "thread", None)
    return str(where.workspace_id) if where is not None else None
