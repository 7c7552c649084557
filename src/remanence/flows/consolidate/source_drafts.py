"""The turns of a source between checking and storing: which ids are hashed, and which memories say other words now.

Knows drafts, the turns that they were made of and what is here under their keys; must not know files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remanence.core.arrival import KnownMemory
from remanence.core.model import STANDING, Memory, Trust, Turn
from remanence.core.results import one_line
from remanence.flows.base.context import Core
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.consolidate.importing_relations import is_decided
from remanence.flows.edit.editing import CHAIN_MAX, successor
from remanence.flows.write import gating
from remanence.store.base import Arriving, Find
from remanence.text.analysis import fingerprint
from remanence.write.admission import MemoryDraft
from remanence.write.import_relations import CHANGED, GONE, TWICE, Renewal, explain_kept, is_history
from remanence.write.imported import ImportedTurn, SkipCounts
from remanence.write.transcripts.item_fields import make_interim_key

_IDS = ("key", "thread", "session")
_EXAMPLE_CHARS = 50  # of each of two texts


@dataclass
class SourceDrafts:
    """What becomes of the turns of a source before they are stored, and what was found of them.

    `keyed_turns` are the turns with the keys that they are stored under. `renewals` are, by place, those whose text is
    to take the place of another that is here under their key; `differing` counts the others that say other words than
    what is here, by why nothing changes.
    """

    core: Core
    turns: Sequence[Turn]
    door: Trust
    hashed: set[str] = field(default_factory=set)  # ids that look like secrets
    keyed_turns: list[Turn] = field(default_factory=list)
    renewals: dict[int, Renewal] = field(default_factory=dict)
    differing: SkipCounts = field(default_factory=SkipCounts)

    async def revise(self, drafts: list[MemoryDraft]) -> list[MemoryDraft]:
        """Return the drafts as they are to be stored: what takes another's place has a key of its own until it does."""
        for turn, draft in zip(self.turns, drafts, strict=True):
            self._note_hashed(turn, draft.turn)
        known = await self._find_known(drafts)
        await self._note_gone(drafts, known)
        for place, memory in (await self._find_other_words(drafts, known)).items():
            example = self._describe(memory, drafts[place])
            turn, key = self.turns[place], str(drafts[place].turn.key)
            why = explain_kept(memory, turn, drafts[place].said_at, self.door)
            why = why or (CHANGED if await is_decided(self.core, memory.seq) else "")
            if why:
                self.differing.note(why, example)
                continue
            self.renewals[place] = Renewal(memory.seq, memory.status, key, example)
            interim = replace(drafts[place].turn, key=make_interim_key(key))
            drafts[place] = replace(drafts[place], turn=interim)
        self.keyed_turns = [
            turn if turn.key == draft.turn.key else replace(turn, key=draft.turn.key)
            for turn, draft in zip(self.turns, drafts, strict=True)
        ]
        return drafts

    def _note_hashed(self, turn: Turn, kept: Turn) -> None:
        self.hashed.update(
            given
            for name in _IDS
            if (given := getattr(turn, name)) is not None and given != getattr(kept, name)
        )

    async def _find_known(self, drafts: Sequence[MemoryDraft]) -> Mapping[int, KnownMemory]:
        """Return, by place, what is here under the key of a draft; the first of a key counts."""
        places: dict[str, int] = {}
        for place, draft in enumerate(drafts):
            key = draft.turn.key
            if key is not None and places.setdefault(key, place) != place:
                first = drafts[places[key]]
                if first.fingerprint != draft.fingerprint:
                    self.differing.note(TWICE, f"{key}: {self._show(draft.turn.text)}")
        keys, known = [*places], dict[int, KnownMemory]()
        for begin in range(0, len(keys), SEVERAL_MAX):
            request = Arriving(keys=keys[begin : begin + SEVERAL_MAX])
            found = (await self.core.store.arriving(self.core.scope, request)).keys
            known |= {places[key]: twin for key, twin in found.items()}
        return known

    async def _note_gone(self, drafts: Sequence[MemoryDraft], known: Mapping[int, KnownMemory]) -> None:
        """Count what came in as parts of documents that are known, and is in them no more; nothing becomes of it."""
        threads = {
            str(drafts[place].turn.thread)
            for place in known
            if isinstance(turn := self.turns[place], ImportedTurn) and turn.is_part
        }
        keys = {draft.turn.key for draft in drafts} if threads else set()
        find = Find(tuple(STANDING), equal={"thread": tuple(threads)}, limit=SEVERAL_MAX, oldest_first=True)
        while threads:
            page = await self.core.store.find(self.core.scope, find)
            for one in page:
                if one.key is not None and one.key not in keys and one.thread in one.sources:
                    self.differing.note(GONE, f"{one.thread}: {self._show(one.text)}")
            if len(page) < SEVERAL_MAX:
                return
            find = replace(find, after=page[-1].seq)

    async def _find_other_words(
        self, drafts: Sequence[MemoryDraft], known: Mapping[int, KnownMemory]
    ) -> Mapping[int, Memory]:
        """Return, by place, what is here under the key of a draft and says other words."""
        memories = await self._read_heads(
            {
                place: twin.seq
                for place, twin in known.items()
                if twin.fingerprint != drafts[place].fingerprint
            }
        )
        return {
            place: memory
            for place, (memory, head) in memories.items()
            if not self._says_same(memory if is_history(self.turns[place]) else head, place, drafts[place])
        }

    async def _read_heads(self, found: Mapping[int, int]) -> Mapping[int, tuple[Memory, Memory]]:
        """Return memories by place, each with the one that has its place by now."""
        seqs, pairs = [*found.items()], dict[int, tuple[Memory, Memory]]()
        for begin in range(0, len(seqs), SEVERAL_MAX):
            page = seqs[begin : begin + SEVERAL_MAX]
            memories = await self.core.store.get(self.core.scope, [seq for _, seq in page])
            for (place, _), memory in zip(page, memories, strict=True):
                if memory is not None:
                    pairs[place] = memory, await self._find_head(memory)
        return pairs

    async def _find_head(self, memory: Memory) -> Memory:
        for _ in range(CHAIN_MAX):
            newer = await successor(self.core, memory)
            if newer is None:
                break
            memory = newer
        return memory

    def _says_same(self, memory: Memory, place: int, draft: MemoryDraft) -> bool:
        """Tell whether a memory says what a draft says, whoever said it, or would if it were believed no further."""
        less = gating.screen_turn(self.core, self.turns[place], memory.trust)[0].text
        return fingerprint(memory.text) in {fingerprint(draft.turn.text), fingerprint(less)}

    def _describe(self, memory: Memory, draft: MemoryDraft) -> str:
        return f"{draft.turn.key}: {self._show(memory.text)} → {self._show(draft.turn.text)}"

    def _show(self, text: str) -> str:
        return one_line(gating.screen_shown(self.core, text, personal=True).text, _EXAMPLE_CHARS)
