"""Two changes of one artifact brought together, for a person to look at before anything is saved.

Where both sides' changes stand apart, the merge holds both. Where they overlap, a text holds both sides' words, ours
and then theirs, and the person settles it by hand.
"""

from dataclasses import dataclass
from typing import Any

from artifacts.core.kinds import Kind
from artifacts.core.merging import merged, merged_data
from artifacts.web.differences import Difference, differences
from artifacts.web.kindforms import KindForm, fields_of, label_of

LEAD = "merged-"
"""The names of the fields that hold a merge begin with this."""

type Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Overlap:
    """A place that both sides changed, as text."""

    label: str
    base: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merging:
    """`since` is what `by` and others changed up to version `head`; `adds` is what the merge changes in that.

    `ours` is the merge in which our side prevails where the two overlap.
    """

    head: int
    by: str
    since: list[Difference]
    adds: list[Difference]
    overlaps: list[Overlap]
    form: KindForm
    ours: Data


def merging(kind: type[Kind], base: Data, ours: Data, theirs: Data, *, head: int, by: str) -> Merging:
    """What `base` becomes by our change and by theirs, which is version `head` and was made by `by`."""
    both, mine, overlaps = dict(theirs), dict(theirs), list[Overlap]()
    infos = fields_of(kind)
    for key in {**ours, **theirs}:
        sides = [{key: side[key]} if key in side else {} for side in (base, ours, theirs)]
        found = merged_data(kind, *sides).data
        if found is not None:
            settled = prevailing = found
        else:
            settled, prevailing, places = _overlapping(label_of(key, infos.get(key)), key, *sides)
            overlaps += places
        for result, field in ((both, settled), (mine, prevailing)):
            result.pop(key, None)
            result.update(field)
    return Merging(
        head=head,
        by=by,
        since=differences(kind.name, base, theirs),
        adds=differences(kind.name, theirs, both),
        overlaps=overlaps,
        form=KindForm(kind, both, lead=LEAD),
        ours=mine,
    )


def _overlapping(
    label: str, key: str, base: Data, ours: Data, theirs: Data
) -> tuple[Data, Data, list[Overlap]]:
    """A field that both changed: with both sides' words, with ours prevailing, and where they overlap."""
    sides = base.get(key), ours.get(key), theirs.get(key)
    if not all(isinstance(side, str) for side in sides):
        return ours, ours, [Overlap(label, *map(str, sides))]
    merge = merged(*map(str, sides))
    prevailing = merge.text
    for conflict in reversed(merge.conflicts):
        after = conflict.at + len(conflict.both)
        prevailing = prevailing[: conflict.at] + conflict.ours + prevailing[after:]
    places = [Overlap(label, conflict.base, conflict.ours, conflict.theirs) for conflict in merge.conflicts]
    return {key: merge.text}, {key: prevailing}, places
