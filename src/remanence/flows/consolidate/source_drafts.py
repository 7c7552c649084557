"""The turns of a source between checking and storing: which ids are hashed, and which memories say other words now.

Knows drafts, the turns that they were made of and what is here under their keys; must not know files.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remanence.core.arrival import KnownMemory
from remanence.core.model import STANDING, Memory, Status, Trust, Turn
from remanence.core.results import one_line
from remanence.flows.base.context import Core
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.consolidate.importing_relations import (
    RelationsResult,
    free_interim_keys,
    is_decided,
)
from remanence.flows.edit.editing import CHAIN_MAX, successor
from remanence.flows.write import gating
from remanence.store.base import Arriving, Find
from remanence.text.analysis import fingerprint
from remanence.write.admission import MemoryDraft
from remanence.write.import_relations import (
    CHANGED,
    GONE,
    TWICE,
    Renewal,
    Supersession,
    explain_kept,
    is_history,
)
from remanence.write.imported import ImportedTurn, SkipCounts
from remanence.write.transcripts.item_fields import make_interim_key
from remanence.write.transcripts.long_texts import PART, count_parts, describe_part, make_part_key

_IDS = ("key", "thread", "session")
_EXAMPLE_CHARS = 50  # of each of two texts


@dataclass
class SourceDrafts:
    """What becomes of the turns of a source before they are stored, and what was found of them.

    `keyed_turns` are the turns with the keys that they are stored under. `renewals` are, by place, those whose text is
    to take the place of another that is here under their key; `differing` counts the others that say other words than
    what is here, by why nothing changes. `freed` is what had to be made true first of a source that was cut off.
    """

    core: Core
    turns: Sequence[Turn]
    door: Trust
    source: str
    hashed: set[str] = field(default_factory=set)  # ids that look like secrets
    keyed_turns: list[Turn] = field(default_factory=list)
    renewals: dict[int, list[Renewal]] = field(default_factory=dict)
    differing: SkipCounts = field(default_factory=SkipCounts)
    freed: RelationsResult = field(default_factory=RelationsResult)

    async def revise(self, drafts: list[MemoryDraft]) -> list[MemoryDraft]:
        """Return the drafts as they are to be stored: what takes another's place has a key of its own until it does."""
        for turn, draft in zip(self.turns, drafts, strict=True):
            self._note_hashed(turn, draft.turn)
        known = await self._find_known(drafts)
        await self._note_gone(drafts, known)
        settled = await self._find_settled(drafts, known)
        others = await self._find_other_words(drafts, known)
        said = self._list_said(drafts, others)
        for place, memory in others.items():
            why = await self._explain_kept(memory, place, drafts[place])
            if memory.fingerprint == drafts[place].fingerprint and why:
                continue
            if why or place in settled:
                self.differing.note(why or CHANGED, self._describe(memory, drafts[place]))
            else:
                self.renewals[place] = [self._make_renewal(memory, drafts[place], said)]
        for place, memory in settled.items():
            if place not in others:
                self.differing.note(CHANGED, f"{drafts[place].turn.key}: {self._show(memory.text)}")
                drafts[place] = replace(drafts[place], settled=(memory.seq, memory.id, CHANGED))
        renewed = [*self.renewals]
        await self._add_lost_parts(drafts, known, others, said)
        await self._free_interim_keys(drafts, renewed, said)
        for place in renewed:
            interim = replace(drafts[place].turn, key=make_interim_key(str(drafts[place].turn.key)))
            drafts[place] = replace(drafts[place], turn=interim)
        self.keyed_turns = [
            turn if turn.key == draft.turn.key else replace(turn, key=draft.turn.key)
            for turn, draft in zip(self.turns, drafts, strict=True)
        ]
        return drafts

    async def _explain_kept(self, memory: Memory, place: int, draft: MemoryDraft) -> str:
        """Say why a memory stays as it is, "" for no reason."""
        why = explain_kept(memory, self.turns[place], draft.said_at, self.door)
        return why or (CHANGED if await is_decided(self.core, memory.seq) else "")

    def _make_renewal(self, memory: Memory, draft: MemoryDraft, said: Collection[bytes]) -> Renewal:
        is_said = memory.fingerprint in said
        return Renewal(
            memory.seq, memory.status, draft.turn.key, self._describe(memory, draft), is_said=is_said
        )

    def _list_said(self, drafts: Sequence[MemoryDraft], others: Collection[int]) -> set[bytes]:
        """Return what the source says by turns whose text is no new one."""
        return {
            draft.fingerprint
            for place, draft in enumerate(drafts)
            if place not in others and not is_history(self.turns[place])
        }

    async def _find_settled(
        self, drafts: Sequence[MemoryDraft], known: Mapping[int, KnownMemory]
    ) -> Mapping[int, Memory]:
        """Return, by place, what came in from the source with these words, and somebody forgot or replaced since.

        A source of which no key is known did not come in before.
        """
        here = {drafts[place].turn.key for place in known}
        places = [
            place
            for place, draft in enumerate(drafts)
            if known
            and isinstance(self.turns[place], ImportedTurn)
            and (
                draft.turn.key not in here
                or (place in known and known[place].fingerprint != draft.fingerprint)
            )
        ]
        settled: dict[int, Memory] = {}
        for begin in range(0, len(places), SEVERAL_MAX):
            page = places[begin : begin + SEVERAL_MAX]
            request = Arriving(fingerprints=[drafts[place].fingerprint for place in page])
            twins = (await self.core.store.arriving(self.core.scope, request)).twins
            fallen = {
                place: twin.seq
                for place in page
                if (twin := twins.get(drafts[place].fingerprint)) is not None
                and twin.status not in {*STANDING, Status.QUARANTINED}
            }
            memories = await self.core.store.get(self.core.scope, [*fallen.values()]) if fallen else []
            settled |= {
                place: memory
                for place, memory in zip(fallen, memories, strict=True)
                if memory is not None
                and self.turns[place].source in memory.sources
                and await is_decided(self.core, memory.seq)
            }
        return settled

    async def _add_lost_parts(
        self,
        drafts: Sequence[MemoryDraft],
        known: Mapping[int, KnownMemory],
        others: Mapping[int, Memory],
        said: Collection[bytes],
    ) -> None:
        """Let a text take the place of the parts that it had before and has no more, unless somebody changed them."""
        firsts = {place: others[place] for place in self.renewals}
        shorter = [
            place for place in known if place not in others and count_parts(self.turns[place].attributes) > 1
        ]
        found = (
            await self.core.store.get(self.core.scope, [known[one].seq for one in shorter]) if shorter else []
        )
        firsts |= {place: one for place, one in zip(shorter, found, strict=True) if one is not None}
        for place, first in firsts.items():
            for memory in await self._read_lost_parts(place, first):
                why = await self._explain_kept(memory, place, drafts[place])
                if why:
                    self.differing.note(why, self._describe(memory, drafts[place]))
                else:
                    part = replace(self._make_renewal(memory, drafts[place], said), key=None)
                    self.renewals.setdefault(place, []).append(part)

    async def _read_lost_parts(self, place: int, first: Memory) -> list[Memory]:
        """Return the parts of a text, known by its first one, that stand and are beyond those that it has now."""
        turn, before = self.turns[place], count_parts(first.attributes)
        names = {
            part: str(self._keep_key(replace(turn, key=make_part_key(str(turn.key), part))))
            for part in range(count_parts(turn.attributes) + 1, before + 1)
        }
        memories = await self.core.store.get(self.core.scope, [*names.values()]) if names else []
        return [
            one
            for part, one in zip(names, memories, strict=True)
            if one is not None
            and (one.key, one.status in STANDING) == (names[part], True)
            and (one.attributes or {}).get(PART) == describe_part(part, before)
        ]

    def _keep_key(self, turn: Turn) -> str | None:
        """Return the key of a turn as it is kept."""
        return gating.screened_names(self.core, turn, hashes_ids=True)[0].key

    async def _free_interim_keys(
        self, drafts: Sequence[MemoryDraft], places: Sequence[int], said: Collection[bytes]
    ) -> None:
        """Let go what has the interim key of another text: a new text of before, cut off or held back."""
        interrupted: list[Supersession] = []
        blocking: dict[int, str] = {}
        for place, memory in (await self._find_blocking(drafts, places)).items():
            (one, *parts), key = self.renewals[place], str(drafts[place].turn.key)
            if memory.status not in STANDING or await self._explain_kept(memory, place, drafts[place]):
                blocking[memory.seq] = key
                continue
            stays = one.is_said or one.status not in STANDING
            interrupted.append(Supersession(one.seq, memory.seq, memory.said_at, key, stays))
            self.renewals[place] = [self._make_renewal(memory, drafts[place], said), *parts]
        self.freed = await free_interim_keys(self.core, interrupted, blocking, self.source)

    async def _find_blocking(
        self, drafts: Sequence[MemoryDraft], places: Sequence[int]
    ) -> Mapping[int, Memory]:
        """Return, by place, what has the interim key of a draft and says other words."""
        found: dict[int, int] = {}
        for begin in range(0, len(places), SEVERAL_MAX):
            keys = {
                make_interim_key(str(drafts[one].turn.key)): one
                for one in places[begin : begin + SEVERAL_MAX]
            }
            twins = (await self.core.store.arriving(self.core.scope, Arriving(keys=[*keys]))).keys
            found |= {
                keys[key]: twin.seq
                for key, twin in twins.items()
                if twin.fingerprint != drafts[keys[key]].fingerprint
            }
        memories = await self.core.store.get(self.core.scope, [*found.values()]) if found else []
        return {place: one for place, one in zip(found, memories, strict=True) if one is not None}

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
        """Return, by place, what is here under the key of a draft and says other words, or gave its place to such."""
        memories = await self._read_heads(
            {
                place: twin.seq
                for place, twin in known.items()
                if twin.fingerprint != drafts[place].fingerprint
                or (twin.status is Status.SUPERSEDED and not is_history(self.turns[place]))
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
