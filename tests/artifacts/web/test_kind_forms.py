"""A form made from a kind's fields shows its data, reads it back, and names what is wrong."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest
from django import forms
from django.http import QueryDict
from pydantic import BaseModel, Field

from artifacts.core.kinds import Document, Kind, Plan
from artifacts.core.kinds import base as register
from artifacts.core.rejections import Invalid, Rejection
from artifacts.web.kindforms import KindForm


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Step(BaseModel):
    minutes: int


@pytest.fixture
def recipe() -> Iterator[type[Kind]]:
    """A kind with a field of each sort, registered for one test."""

    class Recipe(Kind):
        dish: str = Field(max_length=80, title="Name of the dish")
        method: str = ""
        serves: int = 2
        price: Decimal | None = None
        weight: float = 1.5
        vegan: bool = False
        course: Literal["starter", "main_course"] = "main_course"
        spice: Literal[0, 1, 2] | None = None
        colour: Colour = Colour.RED
        cooked_on: date | None = None
        ingredients: list[str] = []
        steps: list[Step] = Field(default=[], description="One for each stage.")
        base: str = "flour"

        def title(self) -> str:
            return self.dish

    yield Recipe
    del register._registered["recipe"]


FULL: dict[str, Any] = {
    "dish": "Soup",
    "method": "Boil.\nServe.",
    "serves": 4,
    "price": "3.50",
    "weight": 0.5,
    "vegan": True,
    "course": "starter",
    "spice": 2,
    "colour": "blue",
    "cooked_on": "2026-11-30",
    "ingredients": ["water", "salt"],
    "steps": [{"minutes": 5}],
    "base": "stock",
}


def posted_back(form: KindForm) -> QueryDict:
    """What a browser sends of an untouched form."""
    sent = QueryDict(mutable=True)
    for field in form:
        value = field.value()
        if isinstance(field.field, forms.BooleanField):
            if value:
                sent[field.html_name] = "on"
        else:
            sent[field.html_name] = "" if value is None else str(field.field.prepare_value(value))
    return sent


def test_an_untouched_form_gives_back_what_it_showed(recipe: type[Kind]) -> None:
    assert KindForm(recipe, FULL, posted_back(KindForm(recipe, FULL))).payload() == FULL


def test_defaults_come_back_as_they_are(recipe: type[Kind]) -> None:
    data = recipe.model_validate({"dish": "Soup"}).model_dump(mode="json")
    assert KindForm(recipe, data, posted_back(KindForm(recipe, data))).payload() == data


def test_each_sort_of_field_has_its_control(recipe: type[Kind]) -> None:
    html = str(KindForm(recipe, FULL))
    for control in ('type="number"', 'type="checkbox"', 'type="date"', "<select", "<textarea"):
        assert control in html
    assert "Name of the dish" in html
    assert '<option value="main_course">main course</option>' in html
    assert 'name="data-base"' in html
    assert "One for each stage." in html


def test_what_was_not_posted_stays(recipe: type[Kind]) -> None:
    form = KindForm(recipe, FULL, QueryDict("serves=6&vegan=on"))
    assert form.payload() == {**FULL, "serves": 6}


def test_lines_become_a_list_without_the_empty_ones(recipe: type[Kind]) -> None:
    form = KindForm(recipe, FULL, {"ingredients": "milk\r\n\r\n  honey \r\n", "vegan": "on"})
    assert form.payload()["ingredients"] == ["milk", "honey"]


@pytest.mark.parametrize(
    ("posted", "field", "problem"),
    [
        ({"serves": "many"}, "serves", "valid integer"),
        ({"serves": "[" * 200_000}, "serves", "valid integer"),
        ({"steps": "[{"}, "steps", "Is not JSON"),
        ({"steps": '[{"minutes": "long"}]'}, "steps", "0.minutes: Input should be a valid integer"),
        ({"course": "dessert"}, "course", "not one of the available choices"),
        ({"cooked_on": "yesterday"}, "cooked_on", "valid date"),
        ({"dish": ""}, "dish", "required"),
        ({"dish": "x" * 81}, "dish", "at most 80"),
        ({"method": "a\x00b"}, "method", "NUL"),
        ({"price": "cheap"}, "price", "decimal"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    recipe: type[Kind], posted: dict[str, str], field: str, problem: str
) -> None:
    form = KindForm(recipe, FULL, posted)
    with pytest.raises(Invalid):
        form.payload()
    assert problem in str(form.errors[field])


def test_what_concerns_the_whole_stands_above() -> None:
    twice = '[{"id": "a", "name": "x"}, {"id": "a", "name": "y"}]'
    form = KindForm(Plan, {"goal": "Picnic", "tasks": []}, {"tasks": twice})
    with pytest.raises(Invalid):
        form.payload()
    assert "same id" in str(form.non_field_errors())


def test_a_document_keeps_its_lines_and_spaces() -> None:
    data = {"title": "Tea", "text": "  a\n\nb  \n"}
    form = KindForm(Document, data, {"title": "Tea", "text": "  a\r\n\r\nb  \r\n"})
    assert form.payload() == data
    assert 'rows="14"' in str(KindForm(Document, data)["text"])


def test_a_form_within_another_has_names_of_its_own() -> None:
    form = KindForm(
        Document, {"title": "Tea", "text": "a"}, {"text": "mine", "merged-text": "both"}, lead="merged-"
    )
    assert form.payload()["text"] == "both"
    assert form["text"].id_for_label == "edit-merged-text"


def test_fields_that_the_kind_no_longer_has_are_left_out() -> None:
    stored = {"title": "Tea", "text": "a", "mood": "calm"}
    form = KindForm(Document, stored, {"text": "b"})
    assert form.payload() == {"title": "Tea", "text": "b"}
    assert form.left_out == ["mood"]


def test_a_title_that_is_too_long_is_refused_in_words() -> None:
    with pytest.raises(Rejection, match="200"):
        KindForm(Document, {"title": "", "text": ""}, {"title": "x" * 201}).payload()
