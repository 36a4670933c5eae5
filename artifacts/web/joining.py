"""The forms by which people come into a workspace: added by name, invited by e-mail, or with a new account."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid
from artifacts.core.rules import EDITOR
from artifacts.members import NAME_LIMIT
from artifacts.models import Membership
from artifacts.web.refusing import Refusable

if TYPE_CHECKING:
    Account = UserCreationForm[User]
else:
    Account = UserCreationForm  # takes no type parameters while it runs


def in_our_look(form: forms.BaseForm) -> None:
    """Our classes on every field, and no punctuation after its label."""
    form.label_suffix = ""
    form.bound_field_class = Refusable
    for field in form.fields.values():
        field.widget.attrs["class"] = "input"


def asks_twice(form: forms.BaseForm, once: str, again: str) -> None:
    """A new password, in our words: what it has to be, and that it is asked for twice."""
    form.fields[once].help_text = "Eight characters at least, and not only digits."
    form.fields[again].label, form.fields[again].help_text = f"{form.fields[once].label} again", ""


@contextmanager
def blamed(form: forms.BaseForm) -> Iterator[None]:
    """What the domain refuses in this block is put beside the fields that it names."""
    try:
        yield
    except Invalid as refused:
        for name, problem in refused.details["fields"].items():
            form.add_error(name if name in form.fields else None, problem)


class Naming(forms.Form):
    """What a workspace is called."""

    name = forms.CharField(max_length=NAME_LIMIT, widget=forms.TextInput({"autocomplete": "off"}))

    def __init__(self, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial, auto_id="workspace-%s")
        in_our_look(self)


class WayIn(forms.Form):
    """Whom, and as what; the subclass says whom."""

    use_required_attribute = True
    role = forms.ChoiceField(choices=Membership.Role.choices, initial=EDITOR)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id=f"{type(self).__name__.lower()}-%s")
        in_our_look(self)
        self.order_fields([*(name for name in self.fields if name != "role"), "role"])


class ByName(WayIn):
    """Somebody who has an account here."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text="For somebody who has an account here.",
    )


class ByEmail(WayIn):
    """Anybody else."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "off"}),
        help_text="For anybody else: a link that works once, for seven days.",
    )


class Newcomer(Account):
    """A user name, and a password twice."""

    class Meta(UserCreationForm.Meta):
        help_texts = {"username": "Letters, digits and @ . + - _"}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        in_our_look(self)
        self.fields["username"].label = "User name"
        asks_twice(self, "password1", "password2")
