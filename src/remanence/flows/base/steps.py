"""What a step of a consolidation is given, gives back and counts, and whether the engine may write by itself."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.change import Cause, Change
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.write.engine_actions import Actions, Eligibility, decide

EXTRACTIONS = "consolidate/extractions"  # a counter: those that found something since the last consolidation
HEARD = "consolidate/heard"  # a value: when something was last found
ENABLED = "engine_actions"


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


def count_extraction(
    found: int, now: int, counts: Mapping[str, int], values: Mapping[str, object]
) -> dict[str, Mapping[str, Any]]:
    """Return what an extraction counts and puts, with what tells a consolidation that it found something."""
    if not found:
        return {"counts": counts, "values": values}
    return {"counts": {**counts, EXTRACTIONS: 1}, "values": {**values, HEARD: now}}


async def explain_write_refusal(core: Core) -> str:
    """Say why the engine may write nothing by itself; "" where it may."""
    is_enabled = bool(await settings.number(core, ENABLED))
    decision = decide("store_note", Eligibility(), enabled=is_enabled)
    return "" if decision.verdict == "allow" else f"{decision.reason} ({ENABLED}); nothing is lost, it waits"
