"""The marks that a scope keeps of the clocks: looked at on each heartbeat and before a process writes.

Knows how marks are read and written; what they mean is decided in `timekeeping`.
"""

from collections.abc import Sequence

from remanence.core.change import AuditPart
from remanence.core.clock import HOUR, Clock, ClockReading, read, to_datetime
from remanence.core.errors import StoreError
from remanence.core.snapshot import SnapshotRequest
from remanence.core.timekeeping import JUMP_MAX, Marks, Present, doubt, measure_clock_gain, update_clock_marks
from remanence.store.base import Bookkeeping, Check, Store

CLOCK = "clock"  # the marks' name in the bookkeeping
LOOK_EVERY = HOUR  # between two looks at what is kept, while the clocks of this process agree
RUNS_NAMED = 5
_PAGE = 1_000


class ClockWatch:
    """What one engine knows of the clocks of its scope."""

    def __init__(self, store: Store, scope: str, clock: Clock) -> None:
        self._store, self._scope, self._clock = store, scope, clock
        self._latest: ClockReading | None = None

    async def look(self) -> None:
        """Keep what the clocks say, if that is in no doubt; costs nothing where it was looked at within the hour."""
        reading = read(self._clock)
        if self._latest is not None and _follows_last_reading(self._latest, reading):
            return
        present = await self.read_present()
        newest_at = 0 if present.marks.believed is not None else await self._last_record()
        before, after = present.marks, update_clock_marks(present, newest_at)
        if _says_more(before, after):
            old = None if before == Marks() else before.values()
            swap = {
                CLOCK: (old, after.values())
            }  # whoever accepts the clock at this moment has the last word
            await self._store.bookkeep(self._scope, Bookkeeping(reading.wall, swap=swap))
        self._latest = present.reading

    async def read_present(self) -> Present:
        """Return what the clocks say now, with what is kept of them."""
        request = Bookkeeping(self._clock.now(), get=(CLOCK,))
        marks = (await self._store.bookkeep(self._scope, request)).values.get(CLOCK)
        return Present(read(self._clock), Marks.read(marks))

    async def accept(self) -> str | None:
        """Believe the clocks as they stand, and every record that claims to be of later; say what was in doubt."""
        newest_at = await self._newest_at()
        present = await self.read_present()
        finding, reading = doubt(present, newest_at), present.reading
        accepted = max(newest_at, present.marks.accepted)
        after = Marks(believed=reading, accepted=accepted if accepted > reading.wall else 0)
        await self._store.bookkeep(self._scope, Bookkeeping(reading.wall, put={CLOCK: after.values()}))
        self._latest = reading
        return None if finding is None else finding.why

    async def check(self) -> Check:
        """Say whether the clock is in doubt, and name the runs that claim to be of later than now."""
        try:
            present = await self.read_present()
            finding = doubt(present, await self._newest_at())
            late = (
                await self._find_later_runs(present)
                if finding is not None and finding.cause == "back"
                else []
            )
        except StoreError as error:
            return Check("clock", ok=False, detail=str(error), advice=error.recovery)
        if finding is None:
            return Check("clock", ok=True, detail="it goes on from the last record")
        return Check(
            "clock",
            ok=True,
            detail=finding.why + _describe_runs(late),
            advice="set the clock right; if it is right: remanence review settle clock accept",
        )

    async def _newest_at(self) -> int:
        return (
            await self._store.snapshot(self._scope, SnapshotRequest(frozenset()), self._clock.now())
        ).newest_at

    async def _last_record(self) -> int:
        """Return when the last run says that it was, 0 where there was none."""
        position = (await self._store.search(self._scope, ())).position
        parts = await self._store.history(self._scope, after=max(0, position - 1), limit=1, rows=False)
        return parts[-1].cause.at if parts else 0

    async def _find_later_runs(self, present: Present) -> list[AuditPart]:
        """Find the runs that claim to be of later than now; those that were accepted are left out."""
        runs: list[AuditPart] = []
        after, until = 0, max(present.reading.wall, present.marks.accepted)
        while parts := await self._store.history(self._scope, after=after, limit=_PAGE, rows=False):
            runs += [part for part in parts if part.cause.at > until and part.cause.part == 0]
            after = parts[-1].position
        return runs


def _follows_last_reading(latest: ClockReading, reading: ClockReading) -> bool:
    """Tell whether a reading follows from the last one within the hour."""
    if latest.boot != reading.boot or not 0 <= reading.wall - latest.wall < LOOK_EVERY:
        return False
    return latest.boot is None or abs(measure_clock_gain(latest, reading)) <= JUMP_MAX


def _says_more(before: Marks, after: Marks) -> bool:
    """Tell whether marks are worth a write: their reading is of another hour or boot, or a doubt came or went."""
    if before.believed is None or after.believed is None or before.cause != after.cause:
        return before != after
    return before.doubted != after.doubted or not _follows_last_reading(before.believed, after.believed)


def _describe_runs(runs: Sequence[AuditPart]) -> str:
    """Name runs with their verb and the time they claim."""
    if not runs:
        return ""
    listing = ", ".join(
        f"run {part.cause.run} ({part.cause.verb}) says {to_datetime(part.cause.at):%Y-%m-%d %H:%M}"
        for part in runs[:RUNS_NAMED]
    )
    more = f" and {len(runs) - RUNS_NAMED} more" if len(runs) > RUNS_NAMED else ""
    return f": {listing}{more}"
