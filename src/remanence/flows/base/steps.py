"""What a step of a consolidation is given and gives back; must not know any single step."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.change import Cause, Change
from remanence.flows.base.context import Core
from remanence.write.engine_actions import Actions


@dataclass
class Settling:
    """One step as it goes: what it commits is of one run, in parts, under its lease; no row is in two of them."""

    core: Core
    cause: Cause  # of the part that comes next
    stopped: Callable[[], bool]
    failed: list[str] = field(default_factory=list)  # what could not be done, and why

    async def commit(
        self, changes: Sequence[Change], actions: Actions, values: Mapping[str, Any] | None = None
    ) -> None:
        """Write one part with the actions that it carries out."""
        detail = {**self.cause.detail, **actions.detail()}
        part_cause = replace(self.cause, at=self.core.clock.now(), detail=detail, values=values or {})
        await self.core.commit(changes, part_cause)
        self.cause = replace(self.cause, part=self.cause.part + 1)


Step = Callable[[Settling], Awaitable[Mapping[str, int]]]
