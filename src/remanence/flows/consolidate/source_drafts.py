"""The turns of a source between checking and storing: which of its ids are kept as hashes.

Knows drafts and the turns that they were made of; must not know files.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from remanence.core.model import Turn
from remanence.write.admission import MemoryDraft

_IDS = ("key", "thread", "session")


@dataclass
class SourceDrafts:
    """What becomes of the turns of a source before they are stored."""

    turns: Sequence[Turn]
    hashed: set[str] = field(default_factory=set)  # ids that look like secrets
    keyed_turns: list[Turn] = field(
        default_factory=list
    )  # the turns, each with the key that it is kept under

    async def revise(self, drafts: list[MemoryDraft]) -> list[MemoryDraft]:
        """Note which ids were hashed; the drafts are as they were."""
        for turn, draft in zip(self.turns, drafts, strict=True):
            self._note_hashed(turn, draft.turn)
        return drafts

    def _note_hashed(self, turn: Turn, kept: Turn) -> None:
        self.hashed.update(
            given
            for name in _IDS
            if (given := getattr(turn, name)) is not None and given != getattr(kept, name)
        )
        self.keyed_turns.append(turn if turn.key == kept.key else replace(turn, key=kept.key))
