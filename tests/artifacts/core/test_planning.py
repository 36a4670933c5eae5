"""Steps in a plan: each changes one thing, and says what it would replace."""

from typing import Any

import pytest

from artifacts.core.kinds import Plan
from artifacts.core.kinds.planning import (
    AddTask,
    DescribeTask,
    DropTask,
    MoveTask,
    RenameGoal,
    SetStatus,
    Step,
)
from artifacts.core.rejections import Invalid

DATA: dict[str, Any] = {
    "goal": "Picnic",
    "tasks": [
        {"id": "a", "name": "Bread"},
        {"id": "b", "name": "Tea", "note": "green"},
        {"id": "c", "name": "Rug"},
    ],
}
PLAN = Plan.model_validate(DATA)


def names(step: Step, plan: Plan = PLAN) -> str:
    return " ".join(task.name for task in Plan.model_validate(step.taken(plan)).tasks)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (MoveTask("b", -1), "Tea Bread Rug"),
        (MoveTask("b", 1), "Bread Rug Tea"),
        (MoveTask("a", -1), "Bread Tea Rug"),
        (MoveTask("c", 1), "Bread Tea Rug"),
        (DropTask("b"), "Bread Rug"),
        (AddTask(" Cups "), "Bread Tea Rug Cups"),
        (DescribeTask("b", "Coffee", "black"), "Bread Coffee Rug"),
        (SetStatus("b", "done"), "Bread Tea Rug"),
        (RenameGoal("Feast"), "Bread Tea Rug"),
    ],
)
def test_a_step_changes_one_thing(step: Step, expected: str) -> None:
    before = PLAN.model_copy(deep=True)
    assert names(step) == expected
    assert before == PLAN


def test_a_new_task_has_an_id_of_its_own() -> None:
    taken = AddTask("Bread").taken(PLAN)["tasks"]
    assert len({task["id"] for task in taken}) == 4


@pytest.mark.parametrize(
    "step", [MoveTask("x", 1), DropTask("x"), DescribeTask("x", "n", ""), SetStatus("x", "done")]
)
def test_a_task_that_was_dropped_is_refused_in_words(step: Step) -> None:
    with pytest.raises(Invalid, match="no longer in the plan"):
        step.taken(PLAN)


def test_what_a_step_replaces_is_what_it_touches() -> None:
    done = Plan.model_validate(SetStatus("b", "done").taken(PLAN))
    assert SetStatus("b", "doing").touches(done) != SetStatus("b", "doing").touches(PLAN)
    assert DescribeTask("b", "x", "").touches(done) == DescribeTask("b", "x", "").touches(PLAN)
    assert SetStatus("a", "done").touches(done) == SetStatus("a", "done").touches(PLAN)
    assert DropTask("b").touches(done) != DropTask("b").touches(PLAN)
    assert MoveTask("b", 1).touches(done) == AddTask("x").touches(PLAN)
