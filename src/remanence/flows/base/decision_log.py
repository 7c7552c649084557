"""What the engine did by itself, as the audit tells it: which action, judged by what, and what became of it."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remanence.core.change import AuditPart
from remanence.core.errors import NameUnknown
from remanence.core.keywords import ActionName, OutcomeName
from remanence.core.results import Result, Time, visible
from remanence.flows.base.audit_log import newest_first
from remanence.flows.base.context import Core
from remanence.write.engine_actions import ACTIONS, OUTCOMES, Eligibility, eligibility_of

ANY = "any"  # decision, whichever it is
PARTS_MAX = 10_000  # parts of runs that are looked through; what is older is in the audit alone


@dataclass(frozen=True, slots=True, repr=False)
class EngineAction(Result):
    """An action that the engine decided by itself in a run: by which values, how often alike, and with which outcome.

    `run` is the id to give to `undo`, which undoes the whole run; `position` is its position in the audit.
    """

    at: int
    run: str
    verb: str
    action: ActionName
    outcome: OutcomeName
    reason: str
    count: int
    eligibility: Eligibility
    position: int = 0

    time = Time("at")

    def __str__(self) -> str:
        times = f" ×{self.count:,}" if self.count > 1 else ""
        return visible(f"{self.action} {self.outcome}{times}: {self.reason} ({self.eligibility})")


def select_decisions(part: AuditPart, decision: str | None, outcome: str | None) -> tuple[EngineAction, ...]:
    """Return what the engine decided in a part of a run: any decision or those of a name, of an outcome if named."""
    return tuple(
        one
        for one in _parse_engine_actions(part)
        if decision in (None, ANY, one.action) and outcome in (None, one.outcome)
    )


def check_names(decision: str | None, outcome: str | None) -> None:
    """Refuse a name that no decision and no outcome has."""
    for what, name, choices in (("decision", decision, (*ACTIONS, ANY)), ("outcome", outcome, OUTCOMES)):
        if name is not None and name not in choices:
            raise NameUnknown(what, name, choices)


async def list_newest(core: Core, limit: int) -> list[EngineAction]:
    """List what the engine decided by itself, the newest first."""
    entries: list[EngineAction] = []
    async for one in iterate_engine_actions(core):
        entries.append(one)
        if len(entries) == limit:
            break
    return entries


async def iterate_engine_actions(core: Core, down_to: int = 0) -> AsyncIterator[EngineAction]:
    """Yield what runs above a position recorded, the newest first; what is no such record is passed over."""
    parts = 0
    async for part in newest_first(core, down_to):
        for one in _parse_engine_actions(part):
            yield one
        parts += 1
        if parts == PARTS_MAX:
            return


def _parse_engine_actions(part: AuditPart) -> Iterator[EngineAction]:
    """Yield what a part of a run recorded."""
    rows: Any = part.cause.detail.get("actions")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return
    for row in rows:
        if isinstance(row, Mapping) and row.get("action") in ACTIONS and row.get("outcome") in OUTCOMES:
            count = row.get("count")
            yield EngineAction(
                part.cause.at,
                part.cause.run,
                part.cause.verb,
                row["action"],
                row["outcome"],
                str(row.get("reason", "")),
                count if type(count) is int and count > 0 else 1,
                eligibility_of(row.get("eligibility")),
                part.position,
            )
