"""A text in Markdown."""

from typing import ClassVar

from pydantic import Field

from artifacts.core.kinds.base import Kind


class Document(Kind):
    """A titled text in Markdown."""

    text_field: ClassVar[str | None] = "text"

    heading: str = Field(alias="title", serialization_alias="title")
    text: str = ""

    model_config = {**Kind.model_config, "serialize_by_alias": True}

    def title(self) -> str:
        return self.heading

    def render_for_agent(self) -> str:
        return self.text
