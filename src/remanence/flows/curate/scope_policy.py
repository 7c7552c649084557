"""The policy of a scope, as `memory.policy`: which is in force, and which every process follows.

Knows what a caller may ask of it; what a policy does is decided elsewhere.
"""

from remanence.curate.policy.compiled import Policy
from remanence.flows.base.context import Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.curate import curating


@verb_class("policy")
class ScopePolicy:
    """The policy of this scope: `memory.policy`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def current(self) -> Policy:
        """The policy it was opened with or has adopted; without either, one that has no rules."""
        return self._core.policy

    async def adopt(self, policy: str) -> Policy:
        """Store a policy in this scope, for every process that opens it.

        A preset's name or a TOML text.
        """
        return await curating.adopt(self._core, curating.choose(self._core, policy, None))

    async def drop(self) -> str | None:
        """Drop the adopted policy: the scope then has none, and nothing runs by itself.

        Returns the name of the one that was adopted, None where none was.
        """
        return await curating.unadopt(self._core)
