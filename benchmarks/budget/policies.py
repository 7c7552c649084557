"""How a memory is cut to a budget: orders written down here, presets, and files of policies, their budgets set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from remanence.core.model import Memory
from remanence.curate.policy.compiled import Policy
from remanence.flows.base.policy_reading import read_policy

USED = "(1 + 0.3 * ln(1 + uses) + 3 * ln(1 + confirmations))"
# By what the best comes first, of memories and, where words are counted, for each word.
ORDERS = {
    "keep-value": (f"value * {USED} desc", f"value * {USED} / (shown_words + 5) desc"),
    "newest": ("seq desc", "seq desc"),
    "elfmem-score": ("score('self') desc", "score('self') desc"),
}
RANDOM = "random"
CONDENSED = "condensed"
LEFT = "left"
DRAWN = "drawn"
TAKES_AWAY = frozenset({"archive", "prune"})

_ORDERED = """version = 1
name = "{name}"
[[rule]]
name = "budget"
every = "deep"
phase = "budgets"
where = "status == 'active'"
order = "{order}"
keep = {{ {unit} = {amount} }}
do = "archive"
"""
_CONDENSED = """[[rule]]
name = "condense"
every = "deep"
phase = "tiers"
where = "status == 'active' and form == 'full'"
do = "shrink"
"""
_DRAWN = """version = 1
name = "random"
[[rule]]
name = "not-drawn"
every = "deep"
phase = "value"
where = "status == 'active' and not tagged('{tag}')"
do = "archive"
"""


@dataclass(frozen=True)
class Budget:
    """How much may be left: a share of the memories, of the words, or of the words where all is condensed first.

    Where all others leave the index of recall, memories are counted, too.
    """

    share: float
    per: str

    @property
    def unit(self) -> str:
        """What a rule counts."""
        return "rows" if self.per in {"memories", LEFT} else "words"

    def amount(self, memories: Sequence[Memory]) -> int:
        """Return how many of them may be left of some memories."""
        return round(
            self.share * (len(memories) if self.unit == "rows" else sum(one.words for one in memories))
        )


@dataclass(frozen=True)
class Cut:
    """A policy with its budgets set."""

    policy: str
    overrides: dict[str, dict[str, Any]]


def cut_of(name: str, budget: Budget, amount: int) -> Cut:
    """Return a policy by the name of an order or preset, or by its file, with the budget in it."""
    unit = budget.unit
    if name == RANDOM:
        return Cut(_DRAWN.format(tag=DRAWN), {})
    if name in ORDERS:
        order = ORDERS[name][unit == "words"]
        ordered = _ORDERED.format(name=name, order=order, unit=unit, amount=amount)
        return Cut(ordered + _CONDENSED * (budget.per == CONDENSED), {})
    return Cut(name, _overrides(read_policy(name), {unit: amount}, condensing=budget.per == CONDENSED))


def _overrides(policy: Policy, keep: dict[str, int], *, condensing: bool) -> dict[str, dict[str, Any]]:
    """Set the windows of all rules that take memories out of sight; other rules do what they do.

    A ladder begins with condensing only where that is what is measured.
    """
    found: dict[str, dict[str, Any]] = {}
    for rule in policy.rules:
        if rule.keep is None or rule.do not in TAKES_AWAY:
            continue
        ladder = rule.written.get("ladder")
        name = rule.name.removesuffix(f"/{rule.do}") if ladder else rule.name
        found[name] = {"keep": keep}
        if ladder and not condensing:
            found[name]["ladder"] = [rule.do]
        if (
            ladder and "rows" in keep
        ):  # where memories are counted, a long one takes no more room than a short one
            found[name]["order"] = ORDERS["keep-value"][0]
    return found
