"""What an artifact can be. A kind is a Pydantic model; subclassing `Kind` registers it."""

from artifacts.core.kinds.base import Kind, kind_named, kinds
from artifacts.core.kinds.document import Document
from artifacts.core.kinds.plan import Plan, Task

__all__ = ["Document", "Kind", "Plan", "Task", "kind_named", "kinds"]
