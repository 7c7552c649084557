"""Which of seven actions a write is that the engine makes by itself, and whether it is carried out (engram A12).

Knows the rules and how decisions are counted for the audit; must not know who carries anything out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, get_args

from remanence.core.keywords import ActionName, OutcomeName, SourceName
from remanence.core.model import Lifecycle, Memory
from remanence.core.results import Result

ACTIONS: tuple[ActionName, ...] = get_args(ActionName)
SOURCES: tuple[SourceName, ...] = get_args(SourceName)
OUTCOMES: tuple[OutcomeName, ...] = get_args(OutcomeName)

# Engram A12.
SURE_MIN = 0.35
DISCARDED_IMPORTANCE_MAX = 0.8  # from here on nothing is discarded
SUMMARY_TOKENS = 1_500
_FIXED = frozenset({Lifecycle.ARCHIVED, Lifecycle.STALE})
_WRITES_ON = frozenset({"update_note", "create_artifact", "link_graph"})
UNSAID = 0.5  # how sure and how important something counts as of which nobody said so (engram A13)
RECORDED_MAX = 20  # kinds of decisions that a part of a run records one by one; others are counted by outcome


@dataclass(frozen=True, slots=True, repr=False)
class Eligibility(Result):
    """Values by which an action is judged: confidence and importance from 0 to 1, lifecycle state, and source."""

    confidence: float = 0.0
    lifecycle: Lifecycle = Lifecycle.CANDIDATE
    importance: float = 0.0
    source: SourceName = "unknown"

    def __str__(self) -> str:
        return (
            f"{self.source}, {self.lifecycle.label}, sure {self.confidence:.2f}, weighs {self.importance:.2f}"
        )


@dataclass(frozen=True, slots=True)
class ActionDecision:
    """What becomes of an action that is asked for, and why; `action` is None for a name that is none."""

    action: ActionName | None
    eligibility: Eligibility
    verdict: Literal["allow", "deny", "defer", "nothing"]
    reason: str


def eligibility_of(given: object) -> Eligibility:
    """Read an eligibility, whole or not at all: what is missing, unknown or out of bounds makes it the least one."""
    if isinstance(given, Eligibility):
        sound = given.source in SOURCES and _is_fraction(given.confidence) and _is_fraction(given.importance)
        return given if sound else Eligibility()
    names = {"confidence", "lifecycle", "importance", "source"}
    if not isinstance(given, Mapping) or given.keys() != names or given["source"] not in SOURCES:
        return Eligibility()
    lifecycle = given["lifecycle"]
    state = Lifecycle.__members__.get(lifecycle.upper()) if isinstance(lifecycle, str) else None
    if state is None or not _is_fraction(given["confidence"]) or not _is_fraction(given["importance"]):
        return Eligibility()
    return Eligibility(given["confidence"], state, given["importance"], given["source"])


def of_memory(memory: Memory, source: SourceName) -> Eligibility:
    """Return what an action on a memory is judged by."""
    sure = UNSAID if memory.confidence is None else memory.confidence
    weighs = UNSAID if memory.importance is None else memory.importance
    return Eligibility(sure, memory.lifecycle, weighs, source)


def decide(
    action: object, given: object, *, enabled: bool = True, summary_tokens: int = SUMMARY_TOKENS
) -> ActionDecision:
    """Decide one action by the first rule that fits; a name that is none does nothing, and nothing is discarded for it.

    `summary_tokens` is how many tokens a summary may take.
    """
    eligibility = eligibility_of(given)
    name = next((one for one in ACTIONS if one == action), None)
    if name is None:
        return ActionDecision(None, eligibility, "nothing", "no such action")
    if not enabled:
        return ActionDecision(name, eligibility, "deny", "actions are switched off")
    if name == "summarize_node" and summary_tokens <= 0:
        return ActionDecision(name, eligibility, "defer", "summaries may take no tokens")
    if name == "discard" and eligibility.importance >= DISCARDED_IMPORTANCE_MAX:
        return ActionDecision(name, eligibility, "deny", "too important to discard")
    if eligibility.lifecycle in _FIXED and name in _WRITES_ON:
        return ActionDecision(name, eligibility, "deny", f"it is {eligibility.lifecycle.label}")
    if eligibility.source != "unknown" and eligibility.confidence < SURE_MIN and name != "discard":
        return ActionDecision(name, eligibility, "defer", f"less sure than {SURE_MIN}")
    return ActionDecision(name, eligibility, "allow", "eligible")


@dataclass(eq=False)
class Actions:
    """What the engine does by itself in one part of a run: each decided, and counted with those that are alike."""

    summary_tokens: int = SUMMARY_TOKENS
    counted: Counter[tuple[ActionName, Eligibility, OutcomeName, str]] = field(default_factory=Counter)

    def allows(self, action: ActionName, given: Eligibility) -> bool:
        """Decide an action; where it is not to be carried out, record that."""
        decision = decide(action, given, summary_tokens=self.summary_tokens)
        if decision.verdict != "allow":
            self.record(
                action, given, "deferred" if decision.verdict == "defer" else "denied", decision.reason
            )
        return decision.verdict == "allow"

    def record(
        self,
        action: ActionName,
        given: Eligibility,
        outcome: OutcomeName = "applied",
        reason: str = "eligible",
        times: int = 1,
    ) -> None:
        """Count what became of an action so many times."""
        eligibility = Eligibility(
            round(given.confidence, 2), given.lifecycle, round(given.importance, 2), given.source
        )
        if times:
            self.counted[action, eligibility, outcome, reason] += times

    def detail(self) -> dict[str, Any]:
        """Return what the audit keeps: kinds of decisions with how often each was taken, as far as there are any."""
        return {"actions": list(self._list_rows())} if self.counted else {}

    def _list_rows(self) -> Iterator[dict[str, Any]]:
        rows = list(self.counted.items())
        for (action, eligibility, outcome, reason), times in rows[:RECORDED_MAX]:
            row = {"action": action, "outcome": outcome, "reason": reason, "count": times}
            yield {**row, "eligibility": eligibility.to_dict()}
        others: Counter[tuple[str, str]] = Counter()
        for (action, _, outcome, _), times in rows[RECORDED_MAX:]:
            others[action, outcome] += times
        for (name, became), times in others.items():
            yield {"action": name, "outcome": became, "reason": "and others", "count": times}


def _is_fraction(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and 0 <= value <= 1
    )
