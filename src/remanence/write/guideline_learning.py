"""What recorded actions teach: by how much each is to be done more readily or more sparingly (engram A11).

Knows what was done how often and with which outcome; must not know where that is kept.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from remanence.core.keywords import ActionName, OutcomeName
from remanence.core.results import Result
from remanence.write.engine_actions import ACTIONS

EVENTS_MAX, EVENTS_MIN = (
    500,
    5,
)  # the newest that are looked at; with fewer of an action nothing is said of it
OF_OUTCOMES, OF_QUALITY, DELTA_MAX = 0.12, 0.06, 0.15
HIGH_MIN, MEDIUM_MIN = 0.09, 0.04
DECIMALS = 3
Quality = Literal["good", "poor", "unknown"]
# Engram's words, as reasons have them.
_GOOD = re.compile(r"\b(?:recall good|quality (?:high|good)|improved|resolved)\b")
_POOR = re.compile(r"\b(?:recall poor|quality (?:low|poor)|degraded|missed|irrelevant)\b")
_ADVICE = {"increase": "a little more readily", "decrease": "more sparingly", "hold": "as before"}


class ActionEvent(NamedTuple):
    """What became of an action so many times, and how good that was."""

    action: ActionName
    outcome: OutcomeName
    quality: Quality
    times: int


@dataclass(frozen=True, slots=True, repr=False)
class Guideline(Result):
    """What the record says of one action: how often it was taken, with which outcome, and what to do next.

    `delta` is between -0.15 and 0.15, and `sure` how far it is to be relied on. What was denied or deferred counts as
    skipped.
    """

    action: str
    total: int
    applied: int
    skipped: int
    failed: int
    good: int
    poor: int
    delta: float
    direction: Literal["increase", "decrease", "hold"]
    sure: Literal["high", "medium", "low"]

    def __str__(self) -> str:
        counts = f"{self.applied:,} of {self.total:,} carried out, {self.failed:,} failed"
        return f"{self.action}: {_ADVICE[self.direction]} ({self.delta:+.3f}, {self.sure}); {counts}"


def quality_of(reason: str) -> Quality:
    """Read how good an outcome was from what is said of it."""
    low_reason = reason.casefold()
    return "poor" if _POOR.search(low_reason) else "good" if _GOOD.search(low_reason) else "unknown"


def guidelines(events: Iterable[ActionEvent]) -> list[Guideline]:
    """Say of each action that was taken what its outcomes teach."""
    counts: dict[str, Counter[str]] = {}
    for event in events:
        of = counts.setdefault(event.action, Counter())
        outcome = event.outcome if event.outcome in {"applied", "failed"} else "skipped"
        of.update({"total": event.times, outcome: event.times, event.quality: event.times})
    return [_guideline(action, counts[action]) for action in ACTIONS if action in counts]


def latest(events: Sequence[ActionEvent]) -> list[ActionEvent]:
    """Return the newest of events in the order of their times, so many in all; alike neighbours become one."""
    newest: list[ActionEvent] = []
    room = EVENTS_MAX
    for event in reversed(events):
        times = min(event.times, room)
        if times < 1:
            break
        room -= times
        if newest and newest[-1][:3] == event[:3]:
            newest[-1] = newest[-1]._replace(times=newest[-1].times + times)
        else:
            newest.append(event._replace(times=times))
    return newest[::-1]


def _guideline(action: str, of: Counter[str]) -> Guideline:
    total = of["good"] + of["poor"]
    delta = OF_OUTCOMES * (of["applied"] - of["failed"]) / of["total"]
    delta += OF_QUALITY * (of["good"] - of["poor"]) / total if total else 0.0
    delta = round(max(-DELTA_MAX, min(DELTA_MAX, delta)), DECIMALS) if of["total"] >= EVENTS_MIN else 0.0
    size = abs(delta)
    return Guideline(
        action=action,
        total=of["total"],
        applied=of["applied"],
        skipped=of["skipped"],
        failed=of["failed"],
        good=of["good"],
        poor=of["poor"],
        delta=delta,
        direction="increase" if delta > 0 else "decrease" if delta < 0 else "hold",
        sure="high" if size >= HIGH_MIN else "medium" if size >= MEDIUM_MIN else "low",
    )
