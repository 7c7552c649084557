"""The policy of a scope, as `memory.policy`: which is in force, what it says, and which every process follows.

Knows what a caller may ask of it; what a policy does is decided elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanence.core.errors import InvalidInput
from remanence.core.later import import_later
from remanence.core.model import STANDING
from remanence.core.results import Result, format_counts, number, visible
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.document import FORMER, PRESETS, preset
from remanence.flows.base.context import Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.base.policy_reading import read_adopted_policy, read_policy
from remanence.flows.curate import curating

if TYPE_CHECKING:
    from remanence.flows.schedule import forecasting

import_later(globals())

FORETOLD_DAYS = 7
SEVERE_SHARE = (
    0.2  # of what is active: a policy that archives or deletes more in a week hardly fits the memory
)


@dataclass(frozen=True, slots=True, repr=False)
class PolicyUseResult(Result):
    """A policy that was adopted, or would be, and what it does to this memory within `days` if nothing but time passes.

    `name` is None where none is adopted from now on, `before` is the one that was, None where none was. `counts` are
    its actions, `active` how many memories are active now, `leaving` how many of them it archives or deletes.
    """

    name: str | None
    hash: str | None = None
    before: str | None = None
    active: int = 0
    leaving: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    days: int = FORETOLD_DAYS
    dry_run: bool = False

    @property
    def is_severe(self) -> bool:
        """Return True if more than a fifth of the active memories leave within the days."""
        return self.leaving > SEVERE_SHARE * self.active

    def __str__(self) -> str:
        if self.name is None:
            did = "would drop" if self.dry_run else "dropped"
            dropped = f"{did} {self.before}; no policy is adopted now, nothing is curated automatically"
            return visible("no policy was adopted" if self.before is None else dropped)
        head = f"{'would adopt' if self.dry_run else 'adopted'} {self.name}"
        week = f"within {self.days} days it does here: {format_counts(self.counts)}"
        leaving = f"{self.leaving:,} of {number(self.active, 'active memory', 'active memories')}"
        warning = (
            f"\nwarning: {leaving} would be archived or deleted; see which: remanence plan"
            if self.is_severe
            else ""
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

    async def use(self, policy: str | None, *, dry_run: bool = False) -> PolicyUseResult:
        """Adopt a policy in this scope, for every process, and show what it will do within a week; or drop it.

        A preset's name, a TOML file or a TOML text; None drops the adopted policy, and nothing is curated automatically
        then. With `dry_run` nothing is stored.
        """
        before = await read_adopted_policy(self._core)
        name = None if before is None else str(before["name"])
        if policy is None:
            if not dry_run:
                await curating.unadopt(self._core)
            return PolicyUseResult(None, before=name, dry_run=dry_run)
        chosen = curating.choose(self._core, policy, None)
        foretold = await forecasting.forecast(self._core, forecasting.Wish(FORETOLD_DAYS, policy, limit=0))
        stood, stands = (
            sum(of.get(one.label, 0) for one in STANDING) for of in (foretold.stood, foretold.stands)
        )
        if not dry_run:
            await curating.adopt(self._core, chosen)
        leaving = max(0, stood - stands)
        return PolicyUseResult(
            chosen.name, chosen.hash, name, stood, leaving, foretold.counts, dry_run=dry_run
        )

    async def show(self, policy: str | None = None, *, words: bool = False) -> str:
        """Show a policy as TOML, or what it does in words; without a name the one in force here."""
        if policy is None and not self._core.policy_given:
            raise no_policy_here()
        chosen = self.current if policy is None else read_policy(policy)
        return render_policy(chosen, words=words)


def render_policy(policy: Policy, *, words: bool) -> str:
    """Return what a policy says: its text, or what it does in words."""
    if words:
        return policy.describe()
    is_preset = policy.source in (*PRESETS, *FORMER)
    return (preset(policy.source, stored=True) if is_preset else policy.source).rstrip("\n")


def no_policy_here() -> InvalidInput:
    """Return what is said where a policy is asked for and none is in force."""
    return InvalidInput(
        "no policy is adopted here", recovery=f"name one: a TOML file, or {', '.join(PRESETS)}"
    )
