"""A Django form made from a kind's Pydantic fields: it shows the data, reads it back, and says what is wrong where.

Django's fields only show and read. Whether the whole is valid is the kind's to say: what it refuses is put beside the
field that it names.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from pydantic.fields import FieldInfo

from artifacts.core.kinds.base import Kind, validated
from artifacts.core.rejections import Invalid
from artifacts.web.kindfields import field_for, is_optional
from artifacts.web.refusing import Refusable

OURS = ("base", "head", "summary", "intent", "command_id", "csrfmiddlewaretoken")
"""Names that our forms use beside the fields of a kind; a kind's field of that name is written `data-<name>`."""


class KindForm(forms.Form):
    """The data of one artifact in fields. `posted` may leave fields out: these keep what `data` says.

    `lead` begins the names of a form that stands within another. `left_out` names what is stored and no longer a field
    of the kind, which would refuse it.
    """

    use_required_attribute = False
    bound_field_class = Refusable

    def __init__(
        self,
        kind: type[Kind],
        data: Mapping[str, Any],
        posted: Mapping[str, Any] | None = None,
        lead: str = "",
    ) -> None:
        self.kind, self.lead, infos = kind, lead, fields_of(kind)
        self.left_out = [
            key for key in data if key not in infos and kind.model_config.get("extra") != "allow"
        ]
        self.before = {key: value for key, value in data.items() if key not in self.left_out}
        self.infos = {name_of(key): info for key, info in infos.items()}
        shown = {name_of(key): value for key, value in data.items()}
        super().__init__(posted, initial=shown, auto_id="edit-%s", label_suffix="")
        for name, info in self.infos.items():
            self.fields[name] = self._field(name, info)

    def add_prefix(self, field_name: str) -> str:
        """The name under which a field is posted."""
        return f"{self.lead}{field_name}"

    def payload(self) -> dict[str, Any]:
        """What was posted, as the kind's data. Raises `Invalid` or `TooLarge`; the fields then say why."""
        if not self.is_valid():
            raise Invalid({name: " ".join(map(str, said)) for name, said in self.errors.items()})
        read = {key_of(name): self._plain(name, value) for name, value in self.cleaned_data.items()}
        try:
            return validated(self.kind, {**self.before, **read}).model_dump(mode="json")
        except Invalid as invalid:
            self.blame(invalid)
            raise

    def blame(self, invalid: Invalid) -> None:
        """Put each problem beside the field that it is about."""
        for where, problem in invalid.details["fields"].items():
            key, _, within = where.partition(".")
            name = name_of(key) if name_of(key) in self.fields else None
            self.add_error(
                name, problem if name and not within else f"{within if name else where}: {problem}"
            )

    def _field(self, name: str, info: FieldInfo) -> forms.Field:
        field = field_for(info)
        field.required = field.required and (not self.is_bound or self.add_prefix(name) in self.data)
        field.label = label_of(key_of(name), info)
        if self.kind.title_field == key_of(name) and isinstance(field.widget, forms.Textarea):
            field.widget = forms.TextInput({"class": "input"})
        elif self.kind.text_field == key_of(name):
            field.label += ", in Markdown"
            field.widget.attrs |= {"rows": 14, "spellcheck": "true", "class": "input text"}
        if name not in self.initial and not info.is_required():
            self.initial[name] = info.get_default(call_default_factory=True, validated_data={})
        return field

    def _plain(self, name: str, value: Any) -> Any:
        """What a field was read as; what was not posted stays as it was."""
        if self.add_prefix(name) not in self.data and not isinstance(self.fields[name], forms.BooleanField):
            return self.before.get(key_of(name), self.initial.get(name))
        return None if value == "" and is_optional(self.infos[name]) else value


def fields_of(kind: type[Kind]) -> dict[str, FieldInfo]:
    """A kind's fields, by what they are called in stored data."""
    return {info.serialization_alias or info.alias or name: info for name, info in kind.model_fields.items()}


def label_of(key: str, info: FieldInfo | None = None) -> str:
    """What people call a field."""
    return (info and info.title) or key.replace("_", " ").capitalize()


def name_of(key: str) -> str:
    """The name of the form's field for a kind's."""
    return f"data-{key}" if key in OURS else key


def key_of(name: str) -> str:
    """The kind's field for a form's."""
    key = name.removeprefix("data-")
    return key if key in OURS else name
