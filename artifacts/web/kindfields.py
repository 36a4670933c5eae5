"""The form field for a field of a kind. It shows a JSON value and reads one; whether it is valid, the kind says."""

import json
from datetime import date, time
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import MaxLen
from django import forms
from django.core.exceptions import ValidationError
from pydantic.fields import FieldInfo

SHORT = 200
"""Characters up to which a text is written in one line."""

NUMBERS: dict[Any, str] = {int: "1", float: "any", Decimal: "any"}
"""The steps of those that there are."""
MOMENTS: dict[Any, str] = {date: "date", time: "time"}
NOTHING = "—"


class Text(forms.CharField):
    """A text as it is, with the line breaks of Unix instead of those of forms."""

    def clean(self, value: Any) -> Any:
        text = str(value or "").replace("\r\n", "\n")
        self.validate(text)
        return text


class Number(Text):
    """A number as JSON has it; what is none is left to the kind to refuse."""

    widget = forms.NumberInput

    def clean(self, value: Any) -> Any:
        text = super().clean(value).strip()
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


class Lines(forms.CharField):
    """A list of texts, one a line; empty lines are none."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]


class Data(forms.CharField):
    """What has no field of its own, as JSON."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)

    def clean(self, value: Any) -> Any:
        try:
            return json.loads(value or "null")
        except (ValueError, RecursionError) as error:
            raise ValidationError(f"Is not JSON: {error}.") from None


def field_for(info: FieldInfo) -> forms.Field:
    """The form field that shows and reads a field of a kind."""
    annotation, may_be_none = _without_none(info.annotation)
    field = _field(annotation, info, may_be_none=may_be_none)
    field.required = info.is_required() and not may_be_none and not isinstance(field, forms.BooleanField)
    field.help_text = info.description or field.help_text
    if not isinstance(field, forms.BooleanField):
        field.widget.attrs["class"] = "input"
    return field


def is_optional(info: FieldInfo) -> bool:
    """Whether the field may hold nothing at all."""
    return _without_none(info.annotation)[1]


def _field(annotation: Any, info: FieldInfo, *, may_be_none: bool) -> forms.Field:
    if (values := _values_of(annotation)) is not None:
        return _choice(values, may_be_none=may_be_none)
    if annotation is bool:
        return forms.BooleanField()
    if annotation is str:
        return Text(widget=_text_widget(info))
    if annotation in NUMBERS:
        widget = forms.NumberInput({"step": NUMBERS[annotation]})
        return Text(widget=widget) if annotation is Decimal else Number(widget=widget)
    if annotation in MOMENTS:
        return Text(widget=forms.TextInput({"type": MOMENTS[annotation]}))
    if annotation == list[str]:
        return Lines(widget=forms.Textarea({"rows": 4}), help_text="One a line.")
    return Data(widget=forms.Textarea({"rows": 6, "spellcheck": "false"}), help_text="As JSON.")


def _text_widget(info: FieldInfo) -> forms.Widget:
    limit = next((bound.max_length for bound in info.metadata if isinstance(bound, MaxLen)), None)
    return forms.TextInput() if limit is not None and limit <= SHORT else forms.Textarea({"rows": 4})


def _choice(values: dict[str, Any], *, may_be_none: bool) -> forms.Field:
    choices = [(name, name.replace("_", " ")) for name in values]
    if may_be_none:
        choices.insert(0, ("", NOTHING))
    return forms.TypedChoiceField(choices=choices, coerce=values.__getitem__, empty_value=None)


def _values_of(annotation: Any) -> dict[str, Any] | None:
    """The values to choose from, by how they are written; None where there is no such list."""
    if get_origin(annotation) is Literal:
        return {str(value): value for value in get_args(annotation)}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {str(member.value): member.value for member in annotation}
    return None


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """`X | None` as `X`, and whether there was a None to leave out."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    rest = [part for part in get_args(annotation) if part is not NoneType]
    has_none = len(rest) < len(get_args(annotation))
    return (rest[0] if len(rest) == 1 else annotation), has_none
