"""A recall as it was asked for, as a value. Knows its options; must not know how it is answered."""

from dataclasses import dataclass, field

from remanence.core.keywords import ArchiveName, Moment
from remanence.core.model import Memory, OneMemory
from remanence.flows.base.as_of import read_instant
from remanence.flows.base.context import Core
from remanence.flows.recall.filters import Filters
from remanence.flows.recall.trace import UNHEARD, RecallTrace
from remanence.read.when import TimeSpan


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A recall as it was asked for; `trace` hears how it goes, where somebody asked why.

    `times` are those that it asks about, once they were read; `query` may then lack words of them, which `said` has.
    So many times what the budget holds is read of the ranking as `read_ahead` says.
    """

    query: str
    limit: int = 10
    budget: int | None = None
    read_ahead: float = 1.0
    asker: str | None = None
    thread: str | None = None
    filters: Filters = field(default_factory=Filters)
    between: tuple[int, int] | None = None
    count_use: bool = True
    agent: str | None = None
    archived: ArchiveName | None = None
    newer_first: bool = True
    around: tuple[Moment, Moment] | None = None
    explain: bool = False
    why_not: OneMemory | None = None
    as_of: Moment | None = None
    times: tuple[TimeSpan, ...] | None = None
    said: str | None = None
    trace: RecallTrace = UNHEARD

    def at(self, core: Core) -> int:
        """Return the instant that is asked about, which is now unless somebody says another."""
        return core.clock.now() if self.as_of is None else read_instant(core, self.as_of)

    def admits(self, memory: Memory) -> bool:
        """Tell whether a memory that was not found may answer: where no more than a conversation is asked for."""
        is_narrow = self.filters != Filters() or self.between is not None
        return not is_narrow and self.thread in (None, memory.thread)
