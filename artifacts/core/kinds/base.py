"""The base of all kinds, and the register of those there are."""

import json
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from artifacts.core.limits import USUAL, Limits
from artifacts.core.rejections import Invalid, TooLarge
from artifacts.core.text import checked

PROBLEMS_LIMIT = 20
NAME_LIMIT = 100
DEPTH_LIMIT = 100

_registered: dict[str, type["Kind"]] = {}


class Kind(BaseModel):
    """A kind of artifact: its fields are its data.

    `class Plan(Kind)` registers the kind `plan`. A kind that has one text says in `text_field` which of its fields
    it is; exact passages are then replaced in that text, and pages edit it as a whole. `title_field` is the field that
    the title comes from, which a title that is too long is a problem of. Under the `write_policy` `propose`, what an
    agent changes in an artifact of this kind becomes a proposal, which a person decides on.
    """

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str] = ""
    text_field: ClassVar[str | None] = None
    title_field: ClassVar[str] = "title"
    write_policy: ClassVar[Literal["direct", "propose"]] = "direct"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__.lower()
        _registered[cls.name] = cls

    def title(self) -> str:
        """What people call this artifact, in some words."""
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


def problem_with(name: str, data: Any) -> str | None:
    """Why stored data is no longer valid, because its kind has changed or is gone; None for data that is."""
    try:
        kind_named(name).model_validate(data)
    except Invalid as gone:
        return gone.message
    except ValidationError as error:
        return Invalid(problems(error)).message
    return None


def rendered_for_agent(name: str, data: Any) -> str:
    """Stored data as an agent reads it: as its kind has it, or where it is no longer valid as JSON, and why."""
    if why := problem_with(name, data):
        return (
            f"{json.dumps(data, ensure_ascii=False, indent=2)}\n(This is data that is no longer valid: {why})"
        )
    return kind_named(name).model_validate(data).render_for_agent()


def validated(kind: type[Kind], data: Any, limits: Limits = USUAL) -> Kind:
    """`data` as an instance of `kind`. Raises `Invalid`, field by field, and `TooLarge`."""
    refuse_forbidden(data)
    try:
        instance = kind.model_validate(data)
    except ValidationError as error:
        raise Invalid(problems(error)) from None
    checked(kind.title_field, instance.title(), limit=limits.title_characters)
    try:
        written = json.dumps(instance.model_dump(mode="json"), ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise Invalid({"data": "Holds a number that no database stores, such as infinity."}) from None
    size = len(written.encode())
    if size > limits.artifact_bytes:
        message = (
            f"data: {size:,} bytes; the limit is {limits.artifact_bytes:,}. Shorten it, or make two of it."
        )
        raise TooLarge(message, limit=limits.artifact_bytes)
    return instance


def problems(error: ValidationError) -> dict[str, str]:
    """A validation error as one sentence a field, for the first `PROBLEMS_LIMIT` fields."""
    return {
        ".".join(str(step)[:NAME_LIMIT] for step in problem["loc"]) or "data": problem["msg"] + "."
        for problem in error.errors(include_url=False, include_context=False, include_input=False)[
            :PROBLEMS_LIMIT
        ]
    }


def refuse_forbidden(data: Any, name: str = "data") -> None:
    """Raises `Invalid` for the first text in `data`, or key, that no text may be, and for what is nested too deeply."""
    waiting: list[tuple[str, Any, int]] = [("", data, 0)]
    while waiting:
        where, value, depth = waiting.pop()
        if depth > DEPTH_LIMIT:
            raise Invalid({name: f"Is nested more than {DEPTH_LIMIT} levels deep. Make it flatter."})
        if isinstance(value, str):
            checked(where or name, value, limit=len(value), required=False)
        elif isinstance(value, dict):
            for key in value:
                checked(f"{where or name} key", str(key), limit=len(str(key)), required=False)
            waiting += [(_within(where, key), item, depth + 1) for key, item in reversed(value.items())]
        elif isinstance(value, list | tuple):
            waiting += [
                (_within(where, number), item, depth + 1) for number, item in reversed([*enumerate(value)])
            ]


def _within(where: str, step: Any) -> str:
    return f"{where}.{step}".removeprefix(".")[-NAME_LIMIT:]
