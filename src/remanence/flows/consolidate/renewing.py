"""The turns of a source come in: what is held under each key is read, the table is asked, and both are written at once.

Knows turns, drafts and what is here; must not know files, nor by which rule something is renewed or stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remanence.core.change import Change
from remanence.core.keywords import Progress
from remanence.core.model import STANDING, LearnResult, Memory, Status, Trust, Turn
from remanence.core.results import one_line
from remanence.edit.one_memory import merge_changes, update
from remanence.flows.base.context import Core
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.base.paging import iterate_pages, read_memories
from remanence.flows.consolidate.importing_relations import MARK, give_places, is_decided
from remanence.flows.edit.editing import CHAIN_MAX, successor
from remanence.flows.write import gating
from remanence.flows.write.learning import DecidedTexts, decide_batch, prepare_all, take_all
from remanence.store.base import Arriving, Find
from remanence.text.analysis import fingerprint
from remanence.write.admission import DraftBatch, MemoryDraft
from remanence.write.import_relations import Supersession, is_history
from remanence.write.imported import ImportedTurn, SkipCounts
from remanence.write.renewals import (
    CHANGED,
    GONE,
    TWICE,
    Arrival,
    TurnAct,
    TurnCase,
    TurnOutcome,
    decide_turn,
    find_arrival,
)
from remanence.write.roles import compute_trust
from remanence.write.transcripts.item_fields import make_version_key
from remanence.write.transcripts.long_texts import PART, count_parts, describe_part, make_part_key

_IDS = ("key", "thread", "session")
_FALLEN = frozenset({*Status} - STANDING - {Status.QUARANTINED})
_EXAMPLE_CHARS = 50  # of each of two texts


@dataclass
class SourceTurns:
    """The turns of a source, what they are kept as, and what became of what was held under their keys.

    `differing` counts those that say other words than what is here, by what became of that, and what is here of
    documents that hold it no more. `raised` are memories that may be believed further, each with its turn.
    """

    core: Core
    turns: Sequence[Turn]
    drafts: Sequence[MemoryDraft]
    door: Trust
    source: str
    known_keys: frozenset[str]  # that were here before
    has_fallen: bool  # whether any memory was forgotten or replaced
    answers: Sequence[LearnResult] = ()
    superseded: int = 0
    runs: list[str] = field(default_factory=list)  # in which something was renewed
    raised: dict[int, Turn] = field(default_factory=dict)
    differing: SkipCounts = field(default_factory=SkipCounts)
    firsts: dict[str, int] = field(default_factory=dict)  # the place of the first turn of a key: it counts
    keys: dict[int, str] = field(default_factory=dict)  # the same, by place
    # By fingerprint, the places that say it by now.
    said: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        """Find who says what."""
        for place, draft in enumerate(self.drafts):
            if draft.turn.key is not None:
                self.firsts.setdefault(draft.turn.key, place)
            if not is_history(self.turns[place]):
                self.said[draft.fingerprint].append(place)
        self.keys = {place: key for key, place in self.firsts.items()}

    def find_hashed_ids(self) -> set[str]:
        """Return the ids that look like secrets."""
        pairs = [
            (getattr(turn, name), getattr(draft.turn, name))
            for turn, draft in zip(self.turns, self.drafts, strict=True)
            for name in _IDS
        ]
        return {given for given, kept in pairs if given is not None and given != kept}

    async def note_gone(self) -> None:
        """Count what came in as parts of documents that are known, and is in them no more; nothing becomes of it."""
        threads = {
            str(draft.turn.thread)
            for turn, draft in zip(self.turns, self.drafts, strict=True)
            if draft.turn.key in self.known_keys and isinstance(turn, ImportedTurn) and turn.is_part
        }
        wanted = Find(tuple(STANDING), equal={"thread": tuple(threads)})
        standing = [one async for page in iterate_pages(self.core, wanted) for one in page] if threads else []
        for one in standing:
            if one.key is not None and one.key not in self.firsts and one.thread in one.sources:
                self.differing.note(GONE, f"{one.thread}: {self.show(one.text)}")

    def show(self, text: str) -> str:
        """Return the beginning of a text, without its secrets and personal data."""
        return one_line(gating.screen_shown(self.core, text, personal=True).text, _EXAMPLE_CHARS)


async def take_source(
    core: Core, turns: Sequence[Turn], door: Trust, source: str, progress: Progress | None
) -> SourceTurns:
    """Take the turns of a source in, each chunk with what it renews; ids that look like secrets are hashed."""
    drafts = await prepare_all(core, turns, door, hashes_ids=True)
    known_keys = await find_known_keys(core, (draft.turn.key for draft in drafts))
    has_fallen = bool(await core.store.find(core.scope, Find(tuple(_FALLEN), limit=1)))
    taken = SourceTurns(core, turns, drafts, door, source, known_keys, has_fallen)
    await taken.note_gone()
    chunks: dict[int, _SourceChunk] = {}

    async def decide(_: Core, places: Sequence[int]) -> DecidedTexts:
        chunks[places[0]] = _SourceChunk(
            taken, {place: drafts[place] for place in places}
        )  # anew after a lost race
        return await chunks[places[0]].decide()

    taken.answers = await take_all(core, range(len(drafts)), progress, decide)
    for chunk in chunks.values():
        taken.superseded += len(chunk.given)
        taken.runs += [chunk.run] if chunk.run else []
        taken.raised |= chunk.raised
        taken.differing.update(chunk.differing)
        taken.differing.examples = {**chunk.differing.examples, **taken.differing.examples}
    return taken


async def find_known_keys(core: Core, given: Iterable[str | None]) -> frozenset[str]:
    """Return which keys are here."""
    keys = [key for key in given if key is not None]
    known_keys: set[str] = set()
    for begin in range(0, len(keys), SEVERAL_MAX):
        request = Arriving(keys=keys[begin : begin + SEVERAL_MAX])
        known_keys |= (await core.store.arriving(core.scope, request)).keys.keys()
    return frozenset(known_keys)


# What gives up its place to the text of a turn, and what gives up its key; None where that is its own.
_Taking = tuple[TurnCase, Memory | None]


@dataclass
class _SourceChunk:
    """The turns of a source that are written at once, by place, and what becomes of what is held under their keys."""

    source: SourceTurns
    drafts: dict[int, MemoryDraft]
    run: str | None = None
    given: list[Supersession] = field(default_factory=list)
    raised: dict[int, Turn] = field(default_factory=dict)
    differing: SkipCounts = field(default_factory=SkipCounts)
    takings: dict[int, list[_Taking]] = field(default_factory=lambda: defaultdict(list))

    async def decide(self) -> DecidedTexts:
        """Decide what becomes of the turns, and of what is held under their keys."""
        core = self.source.core
        await self._judge_turns()
        freed: list[str | None] = []
        for place in [place for place, (first, *_) in self.takings.items() if first[1] is not None]:
            draft = self.drafts[place]
            if draft.kept_out:  # it waits under a key of its own
                key = make_version_key(draft.turn.key, draft.turn.text)
                self.drafts[place] = replace(draft, turn=replace(draft.turn, key=key))
            else:
                freed.append(draft.turn.key)
        drafts = [*self.drafts.values()]
        batch, changes = await decide_batch(core, drafts, freed, hears_echoes=True)
        renewals = await self._decide_renewals(batch)
        self.run = core.new_id() if renewals else None
        detail = {MARK: self.source.source} if renewals else {}
        return DecidedTexts(drafts, batch, merge_changes([*changes, *renewals]), detail, self.run)

    async def _judge_turns(self) -> None:
        """Ask of each turn what becomes of it; `takings` are those whose text is to take a place or a key."""
        source, held = self.source, await self._read_held()
        unwanted = await self._find_unwanted(held)
        for place, draft in self.drafts.items():
            first = source.firsts.get(draft.turn.key or "", place)
            if place in held:
                await self._judge_held(place, held[place], is_unwanted=place in unwanted)
            elif place in unwanted:
                fallen = unwanted[place]
                self._note_reason(place, CHANGED, fallen.text)
                self.drafts[place] = replace(draft, settled=(fallen.seq, fallen.id, CHANGED))
            elif source.drafts[first].fingerprint != draft.fingerprint:
                self._note_reason(place, TWICE, draft.turn.text)

    async def _judge_held(self, place: int, memory: Memory, *, is_unwanted: bool) -> None:
        """Ask what becomes of a memory that has the key of a turn, and of the parts that its text had beyond that."""
        head, case = await self._find_head(memory), self._make_case(place, memory)
        case = replace(case, says_same=self._says_same(case, head), is_unwanted=is_unwanted)
        outcome = await self._judge_case(place, case, memory)
        if outcome.act is TurnAct.MOVE and head is not memory:  # what has its place falls in its stead
            of_head = self._make_case(place, head)
            if decide_turn(of_head).act is TurnAct.RENEW and not await is_decided(self.source.core, head.seq):
                self.takings[place] = [(of_head, memory)]
        if outcome.takes_key or case.says_same:
            for part in await self._read_lost_parts(place, memory):
                await self._judge_case(place, self._make_case(place, part), None)

    async def _judge_case(self, place: int, case: TurnCase, holder: Memory | None) -> TurnOutcome:
        """Ask what becomes of a memory, and note it; the audit is asked only about what would give up something."""
        outcome = decide_turn(case)
        if outcome.takes_key and await is_decided(self.source.core, case.memory.seq):
            outcome = decide_turn(replace(case, is_decided=True))
        if outcome.takes_key:
            self.takings[place].append((case, holder))
        elif outcome.act is TurnAct.RAISE:
            self.raised[case.memory.seq] = case.turn
        else:
            self._note_reason(place, outcome.why, case.memory.text, case.draft.turn.text)
        return outcome

    def _make_case(self, place: int, memory: Memory) -> TurnCase:
        source, is_said = self.source, memory.fingerprint in self.source.said
        turn, draft = source.turns[place], source.drafts[place]
        trust = compute_trust(source.door, memory.role)
        is_masked = (
            memory.trust <= trust
            and memory.fingerprint != draft.fingerprint
            and gating.is_masked_form(source.core, memory.text, turn, trust)
        )
        return TurnCase(memory, turn, draft, source.door, is_said=is_said, is_masked=is_masked)

    def _says_same(self, case: TurnCase, head: Memory) -> bool:
        """Tell whether what is held, or has its place, says what a turn says, or would if believed no further."""
        if head is case.memory and head.fingerprint == case.draft.fingerprint:
            return True
        now = case.memory if is_history(case.turn) else head
        less = gating.screen_turn(self.source.core, case.turn, now.trust)[0].text
        return fingerprint(now.text) in {fingerprint(case.draft.turn.text), fingerprint(less)}

    async def _find_head(self, memory: Memory) -> Memory:
        for _ in range(CHAIN_MAX):
            newer = await successor(self.source.core, memory)
            if newer is None:
                break
            memory = newer
        return memory

    async def _read_held(self) -> Mapping[int, Memory]:
        """Return, by place, what was here under the key of a turn; the first of a key counts."""
        core, source = self.source.core, self.source
        places = {
            key: place
            for place in self.drafts
            if (key := source.keys.get(place)) is not None and key in source.known_keys
        }
        found = await core.store.get(core.scope, [*places]) if places else []
        return {places[one.key]: one for one in found if one is not None and one.key in places}

    async def _find_unwanted(self, held: Mapping[int, Memory]) -> Mapping[int, Memory]:
        """Return, by place, what came in from the source with these words, and somebody forgot or replaced since."""
        core, turns, known_keys = self.source.core, self.source.turns, self.source.known_keys
        marks = {
            place: draft.fingerprint
            for place, draft in self.drafts.items()
            if self.source.has_fallen and isinstance(turns[place], ImportedTurn)
            if place in held or draft.turn.key not in known_keys
            if place not in held or _may_come_in(held[place], turns[place], draft)
        }
        request = Arriving(fingerprints=[*dict.fromkeys(marks.values())])
        twins = (await core.store.arriving(core.scope, request)).twins if marks else {}
        fallen = [mark for mark, twin in twins.items() if twin.status in _FALLEN]
        wanted = Find(tuple(_FALLEN), equal={"fingerprint": tuple(fallen)})
        found = [one async for page in iterate_pages(core, wanted) for one in page] if fallen else []
        decided: dict[bytes, list[Memory]] = defaultdict(list)
        for one in found:
            decided[one.fingerprint] += [one] if await is_decided(core, one.seq) else []
        return {
            place: one
            for place, mark in marks.items()
            for one in decided.get(mark, ())
            if turns[place].source in one.sources
        }

    async def _read_lost_parts(self, place: int, first: Memory) -> list[Memory]:
        """Return the parts of a text, known by its first one, that stand and are beyond those that it has now."""
        core, turn, before = self.source.core, self.source.turns[place], count_parts(first.attributes)
        parts = range(count_parts(turn.attributes) + 1, before + 1)
        turns = [replace(turn, key=make_part_key(str(turn.key), part)) for part in parts]
        names = [str(gating.screened_names(core, one, hashes_ids=True)[0].key) for one in turns]
        found = await core.store.get(core.scope, names) if names else []
        return [
            one
            for part, name, one in zip(parts, names, found, strict=True)
            if one is not None
            and (one.key, one.status in STANDING) == (name, True)
            and (one.attributes or {}).get(PART) == describe_part(part, before)
        ]

    async def _decide_renewals(self, batch: DraftBatch) -> list[Change]:
        """Decide of which memories the texts of a batch take the place, and which keys they take."""
        core, outcomes = self.source.core, dict(zip(self.drafts, batch.outcomes, strict=True))
        here = await read_memories(core, sorted({outcomes[place].key for place in self.takings} - {0}))
        olds: dict[int, Memory] = {}
        holders: list[Memory] = []
        changes: list[Change] = []
        for place, several in self.takings.items():
            draft, by = self.drafts[place], outcomes[place].key
            ends = None if draft.turn.said_at is None else draft.said_at
            arrival = find_arrival(draft, outcomes[place], here.get(by))
            for case, holder in several:
                old, outcome = case.memory, decide_turn(replace(case, arrival=arrival))
                if old.seq == by:
                    continue
                self._note_reason(place, outcome.why, old.text, draft.turn.text)
                if outcome.act is TurnAct.RENEW and old.seq not in olds:
                    olds[old.seq] = old
                    self.given.append(Supersession(old.seq, by, ends))
                if outcome.takes_key and holder is not None and arrival is Arrival.OWN:
                    holders.append(holder)
                    changes += update(here[by], {"key": holder.key}) if by in here else []
        places = await give_places(core, self.given, {**here, **olds}, batch.rows)
        return [*places, *await self._give_up_keys(holders, batch), *changes]

    async def _give_up_keys(self, holders: Sequence[Memory], batch: DraftBatch) -> list[Change]:
        """Let memories give up their keys, each for that of a turn that still says it, else of a text of before."""
        core, source = self.source.core, self.source
        wanted: dict[str, Memory] = {}
        for memory in holders:
            sayers = source.said.get(memory.fingerprint, ()) if memory.status in STANDING else ()
            keys = [key for key in map(source.keys.get, sayers) if key is not None]
            wanted |= dict.fromkeys([*keys, make_version_key(memory.key, memory.text)], memory)
        found = await core.store.get(core.scope, [*wanted]) if wanted else []
        taken = {name for name, one in zip(wanted, found, strict=True) if one is not None}
        taken |= {row["key"] for row in batch.rows if "key" in row}
        free = {memory.seq: name for name, memory in reversed(wanted.items()) if name not in taken}
        return [change for one in holders for change in update(one, {"key": free.get(one.seq)})]

    def _note_reason(self, place: int, why: str, *texts: str) -> None:
        if why:
            key = self.source.drafts[place].turn.key
            shown = [self.source.show(text) for text in texts]
            masked = " (they differ in what is replaced here)" if len(shown) > 1 == len({*shown}) else ""
            self.differing.note(why, f"{key}: {' → '.join(shown)}{masked}")


def _may_come_in(held: Memory, turn: Turn, draft: MemoryDraft) -> bool:
    """Tell whether a text may come in beside what is held: that says other words, or gave its place to what may."""
    gave_its_place = held.status is Status.SUPERSEDED and not is_history(turn)
    return held.fingerprint != draft.fingerprint or gave_its_place
