"""The base of all kinds, and the register of those there are."""

import json
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from artifacts.core.rejections import Invalid
from artifacts.core.text import checked

TITLE_LIMIT = 200
SIZE_LIMIT = 1024 * 1024
PROBLEMS_LIMIT = 20
NAME_LIMIT = 100

_registered: dict[str, type["Kind"]] = {}


class Kind(BaseModel):
    """A kind of artifact: its fields are its data.

    `class Plan(Kind)` registers the kind `plan`. A kind that has one text says in `text_field` which of its fields
    it is; exact passages are then replaced in that text, and pages edit it as a whole.
    """

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str] = ""
    text_field: ClassVar[str | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__.lower()
        _registered[cls.name] = cls

    def title(self) -> str:
        """What people call this artifact, at most `TITLE_LIMIT` characters."""
        raise NotImplementedError

    def render_for_agent(self) -> str:
        """The artifact as an agent reads it."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2)

    def describe_change(self, before: Self) -> str | None:
        """What changed since `before`, as a clause after "changed it: ", or None for a plain diff."""
        return None


def kinds() -> dict[str, type[Kind]]:
    """Every registered kind by its name."""
    return dict(_registered)


def kind_named(name: str) -> type[Kind]:
    """The kind called `name`. Raises `Invalid` for an unknown one."""
    if name not in _registered:
        known = ", ".join(sorted(_registered))
        raise Invalid({"kind": f"There is no kind {name[:40]!r}. Known kinds: {known}."})
    return _registered[name]


def validated(kind: type[Kind], data: Any) -> Kind:
    """`data` as an instance of `kind`. Raises `Invalid`, field by field, and `TooLarge`."""
    refuse_forbidden(data)
    try:
        instance = kind.model_validate(data)
    except ValidationError as error:
        raise Invalid(problems(error)) from None
    checked("title", instance.title(), limit=TITLE_LIMIT)
    checked("data", json.dumps(instance.model_dump(mode="json"), ensure_ascii=False), limit=SIZE_LIMIT)
    return instance


def problems(error: ValidationError) -> dict[str, str]:
    """A validation error as one sentence a field, for the first `PROBLEMS_LIMIT` fields."""
    return {
        ".".join(str(step)[:NAME_LIMIT] for step in problem["loc"]) or "data": problem["msg"] + "."
        for problem in error.errors(include_url=False, include_context=False, include_input=False)[
            :PROBLEMS_LIMIT
        ]
    }


def refuse_forbidden(data: Any) -> None:
    """Raises `Invalid` for the first text in `data`, or key, that no text may be."""
    waiting: list[tuple[str, Any]] = [("", data)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            checked(where or "data", value, limit=len(value), required=False)
        elif isinstance(value, dict):
            for key in value:
                checked(f"{where or 'data'} key", str(key), limit=len(str(key)), required=False)
            waiting += [(_within(where, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list | tuple):
            waiting += [(_within(where, number), item) for number, item in reversed([*enumerate(value)])]


def _within(where: str, step: Any) -> str:
    return f"{where}.{step}".removeprefix(".")[-NAME_LIMIT:]
