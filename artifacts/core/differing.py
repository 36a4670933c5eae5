"""Where two texts differ, at a cost that is bounded whatever the texts are.

A `Span` (a, b, c, d) says that `old[a:b]` became `new[c:d]`. White space is "junk": it goes along with what is equal
beside it, and is no reason to call two places equal.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

COMPARISONS = 10_000_000
"""How many pairs of lines, and again of words, are compared at worst: some tenths of a second."""

WORDS = re.compile(r"\s+|\w+|[^\w\s]")

type Span = tuple[int, int, int, int]


def lines(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    return text.splitlines(keepends=True)


def words(text: str) -> list[str]:
    """The words of a text, its white space, and each other character."""
    return WORDS.findall(text)


def differences(before: str, after: str) -> list[Span]:
    """The places in which two texts differ, as phrases: by words within the lines that differ, where that is cheap."""
    old, new = lines(before), lines(after)
    regions = phrases(old, spans(old, new, COMPARISONS))
    return [
        span
        for region in placed(old, new, regions)
        for span in _differing_words(before, after, region, COMPARISONS // len(regions))
    ]


def _differing_words(before: str, after: str, region: Span, bound: int) -> Iterator[Span]:
    a, b, c, d = region
    old, new = words(before[a:b]), words(after[c:d])
    for one, two, three, four in placed(old, new, phrases(old, spans(old, new, bound))):
        yield a + one, a + two, c + three, c + four


def spans(old: Sequence[str], new: Sequence[str], bound: int) -> list[Span]:
    """The runs in which two sequences differ.

    Where comparing them could take more than `bound` steps, what occurs once in both holds them together, and what
    is still too much between two such places is one run.
    """
    a, b, c, d = _trimmed(old, new, (0, len(old), 0, len(new)))
    one, other = old[a:b], new[c:d]
    gaps = [(0, b - a, 0, d - c)]
    if _cost(one, other) > bound:
        gaps = _between(_anchors(one, other), b - a, d - c)
    found: list[Span] = []
    for gap in gaps:
        cost, runs = _compared(one, other, gap, bound)
        bound -= cost
        found += [(a + start, a + end, c + begin, c + stop) for start, end, begin, stop in runs]
    return found


def _compared(old: Sequence[str], new: Sequence[str], within: Span, bound: int) -> tuple[int, list[Span]]:
    """The runs in which two sequences differ, or one run if that could take more than `bound` steps; and the steps."""
    a, b, c, d = _trimmed(old, new, within)
    if a == b or c == d:
        return 0, [(a, b, c, d)] if a < b or c < d else []
    one, other = old[a:b], new[c:d]
    cost = _cost(one, other)
    if cost > bound:
        return 0, [(a, b, c, d)]
    found = SequenceMatcher(str.isspace, one, other, autojunk=False).get_opcodes()
    runs = [
        (a + start, a + end, c + begin, c + stop) for tag, start, end, begin, stop in found if tag != "equal"
    ]
    return cost, runs


def _trimmed(old: Sequence[str], new: Sequence[str], within: Span) -> Span:
    """The span without the items that it has in common at its ends."""
    a, b, c, d = within
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _between(anchors: list[tuple[int, int]], old: int, new: int) -> list[Span]:
    """The stretches between anchors, and before the first and after the last."""
    starts = [(0, 0), *((one + 1, other + 1) for one, other in anchors)]
    return [
        (a, b, c, d) for (a, c), (b, d) in zip(starts, [*anchors, (old, new)], strict=True) if a < b or c < d
    ]


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest series of places, in order, of items that occur once in both sequences."""
    places = {item: place for place, item in enumerate(new)}
    once = Counter(old) | Counter(new)
    pairs = [(place, places[item]) for place, item in enumerate(old) if once[item] == 1 and item in places]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1], last[length : length + 1] = [place], [number]
        before.append(last[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def phrases(old: Sequence[str], found: list[Span]) -> list[Span]:
    """Spans with nothing but white space between them joined, so that a phrase stays whole."""
    joined: list[Span] = []
    for a, b, c, d in found:
        if joined and not "".join(old[joined[-1][1] : a]).strip():
            joined[-1] = joined[-1][0], b, joined[-1][2], d
        else:
            joined.append((a, b, c, d))
    return joined


def placed(old: Sequence[str], new: Sequence[str], found: list[Span]) -> list[Span]:
    """Spans of pieces as spans of characters."""
    one = [0, *accumulate(map(len, old))]
    other = [0, *accumulate(map(len, new))]
    return [(one[a], one[b], other[c], other[d]) for a, b, c, d in found]


def _cost(old: Sequence[str], new: Sequence[str]) -> int:
    """The most that `SequenceMatcher` can take: for each block that it finds, every pair of equal items."""
    counts = Counter(item for item in new if not item.isspace())
    pairs = sum(counts[item] for item in old)
    return (pairs + len(old)) * min(len(old), len(new))
