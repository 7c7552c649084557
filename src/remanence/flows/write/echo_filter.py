"""What an agent was shown lately, so that its own repetition of it counts for nothing.

Shown is what recall and frames returned and counted as used, and what users said in the same turns.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from remanence.core.clock import DAY
from remanence.core.model import Memory, Role
from remanence.flows.base.context import Core
from remanence.text.analysis import stems
from remanence.write.admission import PROGRAMS

COMMITS = 1_000  # the newest of the scope, among which uses are looked for
USES = 100  # so many of them, the newest
SHOWN_MAX = 500
REPEATED_MIN = 0.7  # of the words of what is said, so many are in what was shown


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """The words of each text that was shown, and when."""

    words: Sequence[tuple[int, frozenset[str]]]

    def echoes(self, turn: Memory, text: str) -> bool:
        """Tell whether an assistant or a tool says again what it was shown before."""
        if turn.role not in PROGRAMS:
            return False
        said = frozenset(stems(text))
        return any(at <= turn.learned_at and _repeats(said, held) for at, held in self.words)


def _repeats(said: AbstractSet[str], held: AbstractSet[str]) -> bool:
    return bool(said) and len(said & held) >= REPEATED_MIN * len(said)


async def shown_in(core: Core, turns: Sequence[Memory]) -> ShownTexts:
    """Return what was shown before some turns, within a day; nothing where no program speaks in them."""
    if not any(turn.role in PROGRAMS for turn in turns):
        return ShownTexts(())
    await core.uses.settle()
    position = (await core.store.search(core.scope, ())).position
    since = min(turn.learned_at for turn in turns) - DAY
    recent = await core.store.history(core.scope, after=max(0, position - COMMITS), limit=COMMITS, rows=False)
    wanted = [part for part in recent if part.cause.verb == "use" and part.cause.at >= since][-USES:]
    positions = {part.position for part in wanted}
    used: dict[int, int] = {}
    for run in dict.fromkeys(part.cause.run for part in wanted):
        for part in await core.store.history(core.scope, run=run):
            if part.position in positions:
                used |= dict.fromkeys(part.used, part.cause.at)
    seqs = sorted(used, key=lambda seq: used[seq])[-SHOWN_MAX:]
    memories = [memory for memory in await core.store.get(core.scope, seqs) if memory is not None]
    by_use = [(used[memory.seq], frozenset(stems(memory.text))) for memory in memories]
    said = [(turn.learned_at, frozenset(stems(turn.text))) for turn in turns if turn.role is Role.USER]
    return ShownTexts([*by_use, *said])
