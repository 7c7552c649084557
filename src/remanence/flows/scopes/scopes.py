"""The scopes of a store, as `memory.scopes`: which there are, this one copied into another, this one dropped.

Lists across scopes, which nothing else does but what keeps a file in order; must not show anything that is in one.
"""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import overload

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput
from remanence.core.receipt import Receipt
from remanence.core.results import MaybeTime, Result, minute_of, number, visible
from remanence.core.signatures import checked_class
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.scopes import copying, dropping
from remanence.flows.scopes.dropping import DROPPED, DropPreview
from remanence.store.base import ScopeSurvey

LOOK_BACK = 50  # parts of the audit in which a write is looked for that is no use


@dataclass(frozen=True, slots=True, repr=False)
class ScopeOverview(Result):
    """A scope: how many memories of any status it has, the bytes of their texts and vectors, and its last write.

    `bytes` is None where the store does not tell. Use of a memory is no write, unless nothing else was done for long.
    `dropped_at` is when it was dropped last, None where any memory in it is not deleted.
    """

    scope: str
    memories: int
    bytes: int | None
    written_at: int | None
    dropped_at: int | None = None

    written_time = MaybeTime("written_at")
    dropped_time = MaybeTime("dropped_at")

    def __str__(self) -> str:
        size = "" if self.bytes is None else f", {self.bytes:,} bytes"
        count = number(self.memories, "memory", "memories")
        drop = (
            "" if self.dropped_at is None else f", dropped {minute_of(self.dropped_at)}: all are tombstones"
        )
        return visible(
            f"scope {self.scope!r}: {count}{size}, last written {minute_of(self.written_at)}{drop}"
        )


@checked_class
class Scopes:
    """The scopes of the store: `memory.scopes`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def copy(self, to: str) -> Receipt:
        """Copy this scope, with settings and policy, into an empty scope of the store.

        It copies all or nothing. The run belongs to the new scope: undo it there. The history is not copied; `notes` of
        the receipt say what else is not.
        """
        return await copying.copy_scope(self._core, to)

    @overload
    async def drop(self) -> DropPreview: ...

    @overload
    async def drop(self, shown: DropPreview, *, allow_protected: int = 0) -> Receipt: ...

    async def drop(
        self, shown: DropPreview | None = None, *, allow_protected: int = 0
    ) -> Receipt | DropPreview:
        """Show what dropping this scope would delete; with what was shown, delete it in one run that undo reverts.

        Only memories that were `shown` are deleted. The whole drop is refused if the scope has changed since, if any
        memory is held, or if more memories are pinned or of the system than `allow_protected` says.
        """
        if shown is not None:
            return await dropping.drop(self._core, shown, allow_protected)
        if allow_protected:
            raise InvalidInput(
                "nothing is dropped that was not shown", recovery="pass what `drop()` showed beside it"
            )
        return await dropping.show_drop(self._core)

    async def list(
        self, limit: int = 1_000, after: str | ScopeOverview | None = None
    ) -> builtins.list[ScopeOverview]:
        """List the scopes of the store: memories, bytes, last write."""
        return await list_scopes(self._core, limit, after)


async def list_scopes(core: Core, limit: int, after: str | ScopeOverview | None) -> list[ScopeOverview]:
    """List the scopes that were written to, by name, behind one of them where that is named."""
    check_count("limit", limit, 1, LISTED_MAX)
    await core.uses.settle_to_read()
    last = after.scope if isinstance(after, ScopeOverview) else after
    surveys = await core.store.survey((DROPPED,))
    names = [name for name in sorted(surveys) if last is None or name > last][:limit]
    return await _survey_scopes(core, {name: surveys[name] for name in names})


async def _survey_scopes(core: Core, surveys: Mapping[str, ScopeSurvey]) -> list[ScopeOverview]:
    sizes = await core.store.measure_scopes([*surveys])
    overviews: list[ScopeOverview] = []
    for scope, survey in surveys.items():
        size = sizes.get(scope)
        count = (
            len(await core.store.snapshot(scope, SnapshotRequest(frozenset({"status"})), core.clock.now()))
            if size is None
            else size.memories
        )
        # When something was last written, else when something was last used.
        parts = await core.store.history(
            scope, after=max(0, survey.position - LOOK_BACK), limit=LOOK_BACK, rows=False
        )
        writes = [part for part in parts if part.cause.verb != "use"] or parts
        row = survey.values.get(DROPPED)
        overviews.append(
            ScopeOverview(
                scope,
                count,
                None if size is None else size.bytes,
                writes[-1].cause.at if writes else None,
                # It counts as dropped as long as nothing stands there.
                None if row is None or await dropping.count_standing(core, scope) else int(row["at"]),
            )
        )
    return overviews
