"""What the engine did by itself, as the audit tells it: which action, judged by what, and what became of it."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from remanence.core.arguments import check_count
from remanence.core.change import AuditPart
from remanence.core.errors import NameUnknown
from remanence.core.keywords import ActionName, OutcomeName
from remanence.core.results import Result, Time, minute_of, visible
from remanence.flows.base.audit_log import find_run_span, newest_first
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.write.engine_actions import ACTIONS, OUTCOMES, Eligibility, eligibility_of

PARTS_MAX = 10_000  # parts of runs that are looked through; what is older is in the audit alone


@dataclass(frozen=True, slots=True, repr=False)
class EngineAction(Result):
    """An action that the engine decided by itself in a run, so many times alike: judged by what, and what became of it.

    `run` is what `undo` takes, together with all else that the run did. `position` and `place` are where the audit has
    it.
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
    place: int = 0

    time = Time("at")

    def __str__(self) -> str:
        times = f" ×{self.count:,}" if self.count > 1 else ""
        why = f"{self.reason} ({self.eligibility})"
        return visible(
            f"{minute_of(self.at)} {self.action} {self.outcome}{times}: {why} in {self.verb} {self.run}"
        )


async def actions(
    core: Core,
    limit: int,
    action: str | None = None,
    outcome: str | None = None,
    after: str | EngineAction | None = None,
) -> list[EngineAction]:
    """List what the engine did by itself, the newest first; only one action or outcome where it is named.

    The list goes on behind the action `after`, or behind all of a run.
    """
    check_count("limit", limit, 1, LISTED_MAX)
    for what, name, choices in (("action", action, ACTIONS), ("outcome", outcome, OUTCOMES)):
        if name is not None and name not in choices:
            raise NameUnknown(what, name, choices)
    entries: list[EngineAction] = []
    before, behind = await _find_cursor(core, after)
    async for one in iterate_engine_actions(core, before=before):
        if (one.position, -one.place) >= behind:
            continue
        if action in (None, one.action) and outcome in (None, one.outcome):
            entries.append(one)
        if len(entries) == limit:
            break
    return entries


async def _find_cursor(core: Core, after: str | EngineAction | None) -> tuple[int | None, tuple[float, int]]:
    """Return above which position nothing is looked at, and what only what comes behind is listed of."""
    if after is None:
        return None, (inf, 0)
    if isinstance(after, EngineAction):
        return after.position + 1, (after.position, -after.place)
    return (await find_run_span(core, after))[0], (inf, 0)


async def iterate_engine_actions(
    core: Core, down_to: int = 0, before: int | None = None
) -> AsyncIterator[EngineAction]:
    """Yield what runs above a position recorded, the newest first; what is no such record is passed over."""
    parts = 0
    async for part in newest_first(core, down_to, before):
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
    for place, row in enumerate(rows):
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
                place,
            )
