"""What recorded actions teach: by how much each is to be done more readily or more sparingly (engram A11).

Knows what was done how often, with which outcome, and what became of what it made; must not know where that is kept.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from remanence.core.keywords import ActionName, OutcomeName
from remanence.core.model import Kind, Memory, Reason, Status
from remanence.core.results import Result
from remanence.write.engine_actions import ACTIONS

EVENTS_MAX, EVENTS_MIN = (
    500,
    5,
)  # the newest that are looked at; with fewer of an action nothing is said of it
OF_OUTCOMES, OF_QUALITY, DELTA_MAX = 0.12, 0.06, 0.15
HIGH_MIN, MEDIUM_MIN = 0.09, 0.04
DECIMALS = 3
MAKING: frozenset[ActionName] = frozenset({"store_episode", "store_note", "summarize_node"})  # of memories
Quality = Literal["good", "poor", "unknown"]
MILLE = 1_000  # ratings are counted in thousandths
_ADVICE = {"increase": "a little more readily", "decrease": "more sparingly", "hold": "as before"}


class ActionEvent(NamedTuple):
    """What became of an action so many times."""

    action: ActionName
    outcome: OutcomeName
    times: int


@dataclass(frozen=True, slots=True, repr=False)
class Guideline(Result):
    """Lesson of the record for one action: how often it was taken, with which outcome, and what to do next.

    `delta` is between -0.15 and 0.15, and `sure` says how reliable it is. Denied and deferred actions count as skipped.
    `good` and `poor` count the memories that the action made and that turned out well or badly, and `quality` is (good
    - poor) / (good + poor + 5), as if five more had shown neither.
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
    quality: float = 0.0

    def __str__(self) -> str:
        counts = f"{self.applied:,} of {self.total:,} carried out, {self.failed:,} failed"
        made = f"; of what it made {self.good:,} did well, {self.poor:,} badly (quality {self.quality:+.2f})"
        advice = f"{self.action}: {_ADVICE[self.direction]} ({self.delta:+.3f}, {self.sure})"
        return f"{advice}; {counts}{made * bool(self.good or self.poor)}"


def made_by(memory: Memory | None, taken: Collection[ActionName]) -> ActionName:
    """Return which of the actions that a part of a run carried out made a memory; None is one that is gone by now."""
    if "summarize_node" in taken:
        return "summarize_node"
    episode = "store_note" not in taken if memory is None else memory.kind is Kind.EPISODIC
    return "store_episode" if episode else "store_note"


def judge_made(memory: Memory | None) -> Quality:
    """Tell how well a memory did that an action made; None is one that was taken back, erased or purged.

    Poor is what was denied or failed more than it was confirmed and helped, what a person forgot, and what went without
    having been used; good is what was used, confirmed or helped.
    """
    if memory is None:
        return "poor"
    thanks = memory.confirmations + memory.helped / MILLE
    blame = memory.disputes + memory.failed / MILLE
    if blame > thanks or memory.reason is Reason.FORGOTTEN:
        return "poor"
    if memory.uses or thanks:
        return "good"
    return "poor" if memory.status is Status.PRUNED else "unknown"


def guidelines(
    events: Iterable[ActionEvent], qualities: Mapping[str, Counter[Quality]] = MappingProxyType({})
) -> list[Guideline]:
    """Say of each action that was taken what its outcomes teach, and what became of what it made: the best first."""
    counts: dict[str, Counter[str]] = {}
    for event in events:
        of = counts.setdefault(event.action, Counter())
        outcome = event.outcome if event.outcome in {"applied", "failed"} else "skipped"
        of.update({"total": event.times, outcome: event.times})
    for action, of in counts.items():
        of.update(qualities.get(action, {}))
    listed = [_make_guideline(action, counts[action]) for action in ACTIONS if action in counts]
    return sorted(listed, key=lambda one: -one.quality)


def latest(events: Sequence[ActionEvent]) -> list[ActionEvent]:
    """Return the newest of events in the order of their times, so many in all; alike neighbours become one."""
    newest: list[ActionEvent] = []
    room = EVENTS_MAX
    for event in reversed(events):
        times = min(event.times, room)
        if times < 1:
            break
        room -= times
        if newest and newest[-1][:2] == event[:2]:
            newest[-1] = newest[-1]._replace(times=newest[-1].times + times)
        else:
            newest.append(event._replace(times=times))
    return newest[::-1]


def _make_guideline(action: str, of: Counter[str]) -> Guideline:
    judged = of["good"] + of["poor"]
    delta = OF_OUTCOMES * (of["applied"] - of["failed"]) / of["total"]
    delta += OF_QUALITY * (of["good"] - of["poor"]) / judged if judged else 0.0
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
        quality=round((of["good"] - of["poor"]) / (judged + EVENTS_MIN), DECIMALS),
    )
