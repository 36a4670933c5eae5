"""Steps in which people change a plan. Each changes one thing, so that two people can change two things at once.

`touches` is what a step replaces: where that is no longer what the person saw, the step is not taken.
"""

import uuid
from dataclasses import dataclass
from typing import Any, Protocol

from artifacts.core.kinds.plan import Plan, Task
from artifacts.core.rejections import Invalid

type Data = dict[str, Any]


class Step(Protocol):
    """One change of a plan."""

    def touches(self, plan: Plan) -> object:
        """What the step replaces. Raises `Invalid` where it is not there."""

    def taken(self, plan: Plan) -> Data:
        """The plan's data after the step. Raises `Invalid` where there is nothing to change."""


@dataclass(frozen=True, slots=True)
class RenameGoal:
    """Say otherwise what the plan is for."""

    goal: str

    def touches(self, plan: Plan) -> object:
        return plan.goal

    def taken(self, plan: Plan) -> Data:
        return {**plan.model_dump(), "goal": self.goal.strip()}


@dataclass(frozen=True, slots=True)
class AddTask:
    """A new task at the end."""

    name: str

    def touches(self, plan: Plan) -> object:
        return None

    def taken(self, plan: Plan) -> Data:
        task = {"id": uuid.uuid4().hex[:12], "name": self.name.strip()}
        return {**plan.model_dump(), "tasks": [*_dumped(plan), task]}


@dataclass(frozen=True, slots=True)
class DescribeTask:
    """A task's name and note."""

    task: str
    name: str
    note: str

    def touches(self, plan: Plan) -> object:
        task = task_of(plan, self.task)
        return task.name, task.note

    def taken(self, plan: Plan) -> Data:
        return _changed(plan, self.task, name=self.name.strip(), note=self.note.strip())


@dataclass(frozen=True, slots=True)
class SetStatus:
    """How far a task is."""

    task: str
    status: str

    def touches(self, plan: Plan) -> object:
        return task_of(plan, self.task).status

    def taken(self, plan: Plan) -> Data:
        return _changed(plan, self.task, status=self.status)


@dataclass(frozen=True, slots=True)
class MoveTask:
    """`by` places down, or up where it is negative."""

    task: str
    by: int

    def touches(self, plan: Plan) -> object:
        return None

    def taken(self, plan: Plan) -> Data:
        tasks = _dumped(plan)
        place = plan.tasks.index(task_of(plan, self.task))
        tasks.insert(max(0, place + self.by), tasks.pop(place))
        return {**plan.model_dump(), "tasks": tasks}


@dataclass(frozen=True, slots=True)
class DropTask:
    """Take a task out."""

    task: str

    def touches(self, plan: Plan) -> object:
        return task_of(plan, self.task)

    def taken(self, plan: Plan) -> Data:
        task_of(plan, self.task)
        return {**plan.model_dump(), "tasks": [task for task in _dumped(plan) if task["id"] != self.task]}


def task_of(plan: Plan, id: str) -> Task:
    """A plan's task. Raises `Invalid`."""
    for task in plan.tasks:
        if task.id == id:
            return task
    raise Invalid({"task": "It is no longer in the plan: somebody dropped it. Add it again if it is needed."})


def _changed(plan: Plan, id: str, **values: str) -> Data:
    task_of(plan, id)
    tasks = [{**task, **values} if task["id"] == id else task for task in _dumped(plan)]
    return {**plan.model_dump(), "tasks": tasks}


def _dumped(plan: Plan) -> list[Data]:
    return [task.model_dump() for task in plan.tasks]
