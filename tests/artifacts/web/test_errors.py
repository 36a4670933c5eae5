"""Every refusal has a status, in one place."""

from collections.abc import Iterator

from artifacts.core import rejections
from artifacts.core.rejections import Rejection
from artifacts.web.errors import STATUSES
from threads.core import rejections as of_threads


def test_every_rejection_has_a_status_and_every_status_a_rejection() -> None:
    assert rejections
    assert of_threads
    assert {kind.code for kind in descendants(Rejection)} == set(STATUSES)


def descendants(kind: type[Rejection]) -> Iterator[type[Rejection]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith(("artifacts.", "threads.")):
            yield child
        yield from descendants(child)
