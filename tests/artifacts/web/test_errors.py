"""Every refusal has a status, in one place."""

from collections.abc import Iterator

from artifacts.core.rejections import Rejection
from artifacts.web.errors import STATUSES
from threads.core.rejections import NothingToStop


def test_every_rejection_has_a_status_and_every_status_a_rejection() -> None:
    codes = {kind.code for kind in descendants(Rejection)}
    assert NothingToStop.code in codes  # those of threads are here too
    assert codes == set(STATUSES)


def descendants(kind: type[Rejection]) -> Iterator[type[Rejection]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith(("artifacts.", "threads.")):
            yield child
        yield from descendants(child)
