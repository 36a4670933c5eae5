"""Who did something."""

from dataclasses import dataclass
from typing import Literal

ActorKind = Literal["user", "agent", "external", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A user, a thread's agent, an external agent, or the system.

    `id` is the user's primary key or the agent's thread id, as text; `name` is what people read.
    """

    kind: ActorKind
    id: str
    name: str

    def is_same(self, other: "Actor") -> bool:
        """Whether both are one, whatever they are called."""
        return (self.kind, self.id) == (other.kind, other.id)


SYSTEM = Actor("system", "", "artifactr")


def user_actor(pk: int, name: str) -> Actor:
    """The actor for a person with an account."""
    return Actor("user", str(pk), name)


def agent_actor(thread: str) -> Actor:
    """The actor for the agent of one thread; other threads' agents are others to it."""
    return Actor("agent", thread, "Agent")
