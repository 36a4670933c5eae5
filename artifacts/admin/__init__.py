"""The admin of workspaces, their log and artifacts: all of it to read, as only `log.write` changes these rows."""

from artifacts.admin import artifacts, events, workspaces

__all__ = ["artifacts", "events", "workspaces"]
