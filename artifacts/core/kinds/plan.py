"""A goal and the tasks that lead to it."""

from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from artifacts.core.kinds.base import Kind

Status = Literal["todo", "doing", "done"]
MARKS: dict[Status, str] = {"todo": "[ ]", "doing": "[~]", "done": "[x]"}


class Task(BaseModel):
    """One task, known by an `id` that stays while its name and place change."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1, max_length=40)
    name: str = Field(min_length=1, max_length=500)
    status: Status = "todo"
    note: str = ""


class Plan(Kind):
    """A goal and its tasks in order."""

    title_field: ClassVar[str] = "goal"

    goal: str = Field(min_length=1)
    tasks: list[Task] = []

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [task.id for task in self.tasks]
        if len(set(ids)) != len(ids):
            raise ValueError("Two tasks have the same id. Give each its own")
        return self

    def title(self) -> str:
        return self.goal

    def render_for_agent(self) -> str:
        return "\n".join([self.goal, *(self._line(task) for task in self.tasks)])

    @staticmethod
    def _line(task: Task) -> str:
        note = f" ({task.note})" if task.note else ""
        return f"{MARKS[task.status]} {task.name}{note} <{task.id}>"

    def describe_change(self, before: Self) -> str | None:
        old, new = ({task.id: task for task in plan.tasks} for plan in (before, self))
        said = [f"added the task “{task.name}”" for id, task in new.items() if id not in old]
        said += [f"dropped the task “{task.name}”" for id, task in old.items() if id not in new]
        for id in (id for id in new if id in old):
            said += _task_change(old[id], new[id])
        kept = [id for id in old if id in new]
        if kept != [id for id in new if id in old]:
            said.append("reordered the tasks")
        if before.goal != self.goal:
            said.append(f"renamed the goal to “{self.goal}”")
        return "; ".join(said) or None


def _task_change(old: Task, new: Task) -> list[str]:
    said = []
    if old.name != new.name:
        said.append(f"renamed the task “{old.name}” to “{new.name}”")
    if old.status != new.status:
        said.append(f"set the task “{new.name}” to {new.status}")
    if old.note != new.note:
        said.append(f"changed the note of the task “{new.name}” to “{new.note}”")
    return said
