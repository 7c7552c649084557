"""The words by which one language tells what holds of something, and that it is another now. Knows no text."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Telling:
    """Words of telling in one language, all lower-case, apostrophes straight; phrases are words with blanks between.

    `attributes` maps a verb as it is said of what holds to its group; `others` are verbs of one thing each, of
    which only a value of the same kind is another one; `changes` are verbs and participles that say a value is
    another one, `into` what stands before the new value. `updates` say that something holds from now on;
    `doubts` that nothing is told: what is asked, supposed, wished, planned, quoted, denied, past, passing or
    added; `openers` open a sentence and say nothing, nor do `labels` before a colon. `offices` are nouns that have one
    value at a time;
    `any_value` those of them whose value need not be a name, beside `favourites` and `liked`, of which it is
    one where both stand in a subject. `bounds` stand before a number that is a bound. `definite` stand before
    what there is one of. `nobody` are subjects that name none by themselves, `own` verbs that speak of the
    speaker alone; `moving` finds the place that the speaker moved to, its one group.
    """

    code: str
    attributes: Mapping[str, str]
    others: frozenset[str]
    changes: frozenset[str]
    into: frozenset[str]
    updates: tuple[str, ...]
    doubts: tuple[str, ...]
    openers: tuple[str, ...]
    labels: frozenset[str]
    offices: frozenset[str]
    any_value: frozenset[str]
    favourites: frozenset[str]
    liked: frozenset[str]
    definite: frozenset[str]
    bounds: frozenset[str]
    articles: frozenset[str]
    prepositions: frozenset[str]
    i: frozenset[str]
    my: frozenset[str]
    nobody: frozenset[str]
    own: frozenset[str]
    moving: str
    weekdays: frozenset[str]
    every_weekday: frozenset[str]
    numbers: frozenset[str]
    colours: frozenset[str]


def groups(text: str) -> dict[str, str]:
    """Return verb → group from lines of a group, `:` and its verbs."""
    lines = (line.split(":") for line in text.splitlines() if line.strip())
    return {verb: group.strip() for group, verbs in lines for verb in verbs.split()}


def phrases(text: str) -> tuple[str, ...]:
    """Return phrases written with `/` between them, the longest first."""
    return tuple(
        sorted((" ".join(one.split()) for one in text.split("/") if one.strip()), key=len, reverse=True)
    )
