"""A field of a form that can be refused: a page whose form was refused begins at the first field that is wrong."""

from typing import Any

from django.forms import BoundField


class Refusable(BoundField):
    """A field as a page shows it."""

    def build_widget_attrs(self, attrs: Any, widget: Any = None) -> Any:
        """What Django gives it, and the focus if it is the first that is wrong."""
        first = next((name for name in self.form.fields if name in self.form.errors), None)
        return {
            **super().build_widget_attrs(attrs, widget),
            **({"autofocus": True} if self.name == first else {}),
        }
