"""The policy of a scope, as `memory.policy`: which is in force, and which every process follows.

Knows what a caller may ask of it; what a policy does is decided elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanence.core.later import import_later
from remanence.core.model import STANDING
from remanence.core.results import Result, format_counts, number, visible
from remanence.curate.policy.compiled import Policy
from remanence.flows.base.context import Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.curate import curating

if TYPE_CHECKING:
    from remanence.flows.schedule import forecasting
else:
    import_later(globals(), {"remanence.flows.schedule": "forecasting"})

FORETOLD_DAYS = 7
SEVERE_SHARE = (
    0.2  # of what is active: a policy that archives or deletes more in a week hardly fits the memory
)


@dataclass(frozen=True, slots=True, repr=False)
class AdoptResult(Result):
    """A policy that was adopted, or would be, and what it does to this memory within `days` if nothing but time passes.

    `counts` are its actions, `active` how many memories are active now, `leaving` how many of them it archives or
    deletes.
    """

    name: str
    hash: str
    active: int
    leaving: int
    counts: Mapping[str, int] = field(default_factory=dict)
    days: int = FORETOLD_DAYS
    dry_run: bool = False

    @property
    def is_severe(self) -> bool:
        """Whether more than a fifth of what is active leaves within the days."""
        return self.leaving > SEVERE_SHARE * self.active

    def __str__(self) -> str:
        head = f"{'would adopt' if self.dry_run else 'adopted'} {self.name}"
        week = f"within {self.days} days it does here: {format_counts(self.counts)}"
        leaving = f"{self.leaving:,} of {number(self.active, 'active memory', 'active memories')}"
        warning = (
            f"\nwarning: {leaving} would be archived or deleted; see which: remanence plan" * self.is_severe
        )
        return visible(f"{head}; {week}") + warning


@verb_class("policy")
class ScopePolicy:
    """The policy of this scope: `memory.policy`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def current(self) -> Policy:
        """The policy it was opened with or has adopted; without either, one that has no rules."""
        return self._core.policy

    async def adopt(self, policy: str, *, dry_run: bool = False) -> AdoptResult:
        """Adopt a policy in this scope, for every process, and show what it will do within a week.

        A preset's name or a TOML text. With `dry_run` nothing is stored.
        """
        chosen = curating.choose(self._core, policy, None)
        foretold = await forecasting.forecast(self._core, forecasting.Wish(FORETOLD_DAYS, policy, limit=0))
        stood, stands = (
            sum(of.get(one.label, 0) for one in STANDING) for of in (foretold.stood, foretold.stands)
        )
        if not dry_run:
            await curating.adopt(self._core, chosen)
        return AdoptResult(
            chosen.name, chosen.hash, stood, max(0, stood - stands), foretold.counts, dry_run=dry_run
        )

    async def drop(self) -> str | None:
        """Drop the adopted policy; then nothing runs automatically.

        Returns the name of the one that was adopted, None where none was.
        """
        return await curating.unadopt(self._core)
