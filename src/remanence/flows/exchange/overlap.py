"""What becomes of an export's memories where some are here already: new, kept, merged or refused.

Reads and decides, and writes nothing; what is here is never written over.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.arrival import KnownMemory, WriteContext
from remanence.core.change import Change, Key
from remanence.core.effects import STAMPS, VERBS
from remanence.core.model import (
    INT_MAX,
    STANDING,
    Memory,
    Reason,
    Relation,
    Role,
    Status,
    Trust,
    Turn,
    Verification,
    link_values,
    short_id,
)
from remanence.core.score import decay
from remanence.edit.one_memory import hold_columns, merge_changes, says_who, update, with_holds
from remanence.flows.base.context import Core
from remanence.flows.base.paging import read_memories
from remanence.flows.exchange import connections, erased_elsewhere
from remanence.flows.exchange.exported import (
    ExportData,
    ExportRow,
    ForbiddenRow,
    LinkRow,
)
from remanence.flows.write.echoes import came_back, list_own_fingerprints, mark_echoes
from remanence.flows.write.gating import is_held_back, refresh_settings, texts_in
from remanence.flows.write.learning import vector_of
from remanence.gate.screening import screen, screen_name, screen_values
from remanence.read.entity import CATEGORY as ENTITY
from remanence.store.base import Arriving
from remanence.store.erasure import of_id
from remanence.store.lineage import REPLACING
from remanence.text.analysis import terms_of
from remanence.text.forbidden_keys import fold_keys
from remanence.text.text_columns import text_columns
from remanence.write.admission import PROGRAMS, MemoryDraft

NAMES = ("speaker", "agent", "thread", "session", "key")
# A memory keeps the ids of those that were merged into it as sources: a second import finds them there.
MERGED = "memory/"
_GAINING = (
    "said_at",
    "said_again_at",
    "pinned",
    "holds",
    "confidence",
    "importance",
)  # what a repeat adds to


@dataclass
class ImportedMemory:
    """A memory that comes in; its `number` is below zero, and its own within the commit that writes it."""

    number: int
    columns: dict[str, Any]
    tags: set[str]
    sources: set[str]
    tagged_at: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id, which it keeps."""
        id_: str = self.columns["id"]
        return id_

    def changes(self) -> list[Change]:
        """Create it under its number."""
        key = self.number
        return [
            Change("memories", key, None, self.columns),
            *(
                Change("tags", (key, tag), None, {"at": self.tagged_at[tag]} if tag in self.tagged_at else {})
                for tag in sorted(self.tags)
            ),
            *(Change("sources", (key, source), None, {"span": None}) for source in sorted(self.sources)),
        ]

    def add_repeat(self, row: ExportRow, now: int, trust: Trust) -> None:
        """Let another line of the file that says the same be a repeat of this one; less trusted, it adds nothing."""
        self.sources.add(MERGED + row.id)
        if trust < self.columns["trust"]:
            return
        self.columns["confirmations"] = min(
            INT_MAX, self.columns.get("confirmations", 0) + _count_sightings(row)
        )
        self.columns |= _merge_repeat(self.columns, row, now)
        if not self.tags.issuperset(row.tags):
            self.tags |= {*row.tags}
            self.columns["decay"] = decay(self.tags, self.columns.get("category"))
        self.sources |= {*row.sources}


@dataclass
class Existing:
    """A memory that is here and says the same as some that come in."""

    memory: Memory
    ids: list[str] = field(default_factory=list)
    sightings: int = 0
    tags: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    columns: dict[str, Any] = field(default_factory=dict)

    def add_echo(self, row: ExportRow) -> None:
        """Keep of a line that it came in, and nothing of what it says."""
        self.ids.append(row.id)
        self.sources |= {MERGED + row.id} - {*self.memory.sources}

    def add_repeat(self, row: ExportRow, now: int, trust: Trust) -> None:
        """Let a line of the file be a repeat of this memory; a pin and holds protect it from now on.

        One that is believed less than the memory adds nothing to it: only that it came in is kept. One that may have
        been read from this memory was not said again.
        """
        memory = self.memory
        self.add_echo(row)
        if trust < memory.trust:
            return
        is_echo = came_back(memory, row.columns["learned_at"])
        self.sightings += 0 if is_echo else _count_sightings(row)
        self.tags |= {*row.tags} - {*memory.tags}
        self.sources |= {*row.sources} - {*memory.sources}
        stands = {name: getattr(memory, name) for name in _GAINING}
        gains = _merge_repeat({**stands, **self.columns}, row, now)
        self.columns |= {
            name: value for name, value in gains.items() if name != "said_again_at" or not is_echo
        }

    def changes(self) -> list[Change]:
        """Confirm it as often as it was said again and the counter has room for, and give it what it lacks."""
        seq, memory = self.memory.seq, self.memory
        times = min(self.sightings, INT_MAX - memory.confirmations)
        count_changes = (
            [VERBS["repeat"].build_count_change(seq, confirmations=times)] if self.sightings else []
        )
        updates = update(memory, self.columns, tags={*memory.tags, *self.tags})
        sources = [Change("sources", (seq, source), None, {"span": None}) for source in sorted(self.sources)]
        return merge_changes([*count_changes, *updates, *sources])


@dataclass
class ImportPage:
    """What becomes of some lines of an export, in one commit; `remarks` say of each line that is refused why.

    `where` has the number of what each id is here, below zero for what is new.
    """

    new: list[ImportedMemory] = field(default_factory=list)
    existing: dict[int, Existing] = field(default_factory=dict)  # by sequence number
    links: list[Change] = field(default_factory=list)  # from texts that are learned anew
    where: dict[str, int] = field(default_factory=dict)
    here: dict[int, Status] = field(default_factory=dict)  # memories that are here and in the file, too
    counts: Counter[str] = field(default_factory=Counter)
    unguarded: int = 0  # lines that came without what only a person sets
    replaced: Counter[str] = field(default_factory=Counter)  # what markers took the place of, by kind
    remarks: list[str] = field(default_factory=list)
    keys: dict[str, ImportedMemory] = field(default_factory=dict)
    said: dict[bytes, ImportedMemory] = field(default_factory=dict)
    # Ids of lines → the memory that was returned and comes back.
    echoes: Mapping[str, int] = field(default_factory=dict)

    def changes(self) -> list[Change]:
        """Return all that is to be written."""
        created = (change for one in self.new for change in one.changes())
        return [
            *created,
            *(change for one in self.existing.values() for change in one.changes()),
            *self.links,
        ]


@dataclass
class ImportConnections:
    """What hangs between the memories of an export and comes in."""

    changes: list[Change]
    replaced: Counter[str]
    remarks: list[str]


@dataclass
class Overlap:
    """The lines of an export, held against what is here; nothing in them is believed more than `door` says."""

    core: Core
    ids: AbstractSet[str]
    now: int
    embeds: bool  # the vectors of the export are another embedder's
    door: Trust
    page: ImportPage = field(default_factory=ImportPage)  # the lines that are looked at now
    where: dict[str, int] = field(default_factory=dict)  # id in the file → number here
    here: dict[int, Status] = field(default_factory=dict)  # what was here before, and is in the file, too
    new: set[int] = field(default_factory=set)  # what came in
    drawn: set[Key] = field(default_factory=set)  # links that came in

    async def decide(self, rows: Sequence[ExportRow]) -> ImportPage:
        """Look up some rows at once, then decide each; after a lost race the same rows are decided anew."""
        page = self.page = ImportPage()
        await refresh_settings(self.core)
        rows = await asyncio.to_thread(lambda: [self._screen_row(row) for row in rows])
        store, scope = self.core.store, self.core.scope
        matches = await store.get(scope, [row.id for row in rows])
        # A name is an id or a key: a memory that has the id as its key is another one.
        here = {memory.id: memory for memory in matches if memory is not None}
        fresh = [row for row in rows if row.id not in here]
        for row in rows:
            if row.id in here:
                self._note_met_memory(row.id, here[row.id])
                page.counts["kept"] += 1
        if self.door < Trust.USER:
            fresh = [self._drop_what_a_person_sets(row) for row in fresh]
        prints = [row.columns["fingerprint"] for row in fresh if row.stands]
        keys = [row.columns["key"] for row in fresh if row.columns.get("key") is not None]
        drafts = await asyncio.to_thread(_draft_unkeyed, fresh)
        terms, own = await asyncio.to_thread(_list_lookups, drafts.values())
        context = await store.arriving(scope, Arriving([*prints, *own], keys, terms=terms))
        marked = zip(drafts, await mark_echoes(self.core, [*drafts.values()], context), strict=True)
        page.echoes = {id_: one.echo_of[0] for id_, one in marked if one.echo_of is not None}
        known = (*context.twins.values(), *context.keys.values())
        twins = await read_memories(self.core, sorted({*(one.seq for one in known), *page.echoes.values()}))
        elsewhere = await erased_elsewhere.find(self.core, [row.id for row in fresh])
        refusals = dict.fromkeys(elsewhere, "it was erased where it comes from, as an import said since")
        if context.forbids:
            here_ids = await self._find_refused_ids(fresh)
            refusals |= dict.fromkeys(here_ids, "its text is forbidden here, or was erased")
        await asyncio.to_thread(self._take_all, fresh, refusals, context, twins)
        return page

    def note_written(self, page: ImportPage, assigned: Sequence[int]) -> None:
        """Take over what a page became, once it is written: its new memories have the numbers `assigned`."""
        seqs = {one.number: seq for one, seq in zip(page.new, assigned, strict=True)}
        self.where |= {id_: seqs.get(number, number) for id_, number in page.where.items()}
        self.here |= {seq: status for seq, status in page.here.items() if seq not in self.new}
        self.new.update(assigned)

    def _take_all(
        self,
        rows: Sequence[ExportRow],
        refusals: Mapping[str, str],
        known: WriteContext,
        twins: Mapping[int, Memory],
    ) -> None:
        """Decide some lines in their order; nobody else looks at what is decided meanwhile."""
        for row in rows:
            if why := refusals.get(row.id) or self._explain_refusal(row):
                self.page.counts["refused"] += 1
                self.page.remarks.append(f"line {row.line} is left out: {why}")
            else:
                self._take_row(row, known, twins)

    def _drop_what_a_person_sets(self, row: ExportRow) -> ExportRow:
        """Return a line without its pin, its confirmation and who an agent is, which only a user's file brings."""
        tags = tuple(tag for tag in row.tags if not says_who([tag], system=False))
        columns = dict(row.columns)
        if self.core.policy.is_system(columns.get("category")):
            columns["category"] = None
        if columns.get("verification") == Verification.USER_CONFIRMED:
            columns["verification"] = Verification.UNVERIFIED
        if columns.pop("pinned", 0):
            columns["pinned"] = 0
        if columns == row.columns and len(tags) == len(row.tags):
            return row
        self.page.unguarded += 1
        columns["decay"] = decay(tags, columns.get("category"))
        return replace(row, columns=columns, tags=tags)

    def _explain_refusal(self, row: ExportRow) -> str:
        """Say why a line is left out that could come back past the gate: what it holds back and nobody let in here."""
        is_out = not row.stands and row.columns["status"] is not Status.QUARANTINED
        return (
            "it holds markup for a machine, and is out of sight" if is_out and self._is_held_back(row) else ""
        )

    def _is_held_back(self, row: ExportRow) -> bool:
        return is_held_back(row.columns["text"], self._limit_trust(row), _iterate_side_texts(row))

    def _limit_trust(self, row: ExportRow) -> Trust:
        trust: Trust = min(self.door, row.columns.get("trust", Trust.USER))
        return trust

    def _screen_row(self, row: ExportRow) -> ExportRow:
        """Return a line as it may be kept."""
        salt, kept = self.core.salt, self.core.personal.kept[self._limit_trust(row)]
        text = screen(row.columns["text"], salt, kept)
        attributes, counts = screen_values(row.columns.get("attributes"), salt, kept)
        if text.replaced:
            counts.update(text.replaced)
        names: dict[str, Any] = {
            what: self._count_as(name, counts)
            for what in NAMES
            if (name := row.columns.get(what)) is not None
        }
        if holds := row.columns.get("holds"):
            names["holds"] = {self._count_as(reason, counts): until for reason, until in holds.items()}
        tags, sources = (
            tuple(self._count_as(name, counts) for name in some) for some in (row.tags, row.sources)
        )
        if row.columns.get("summary"):
            counts += screen_values(row.columns["summary"], salt, kept)[1]
        if not counts:
            return row
        self.page.replaced += counts
        # What is shown instead of such a text is made anew, or is the text.
        columns = {
            **{name: value for name, value in row.columns.items() if name not in {"form", "summary"}},
            **names,
            "text": text.text,
            **text_columns(text.text, names.get("speaker")),
        }
        if attributes is not None:
            columns["attributes"] = attributes
        return replace(row, columns=columns, tags=tags, sources=sources, is_edited=True)

    def _count_as(self, name: str, counts: Counter[str]) -> str:
        screening = screen_name(name, self.core.salt)
        if screening.replaced:
            counts.update(screening.replaced)
        return screening.text

    async def _find_refused_ids(self, rows: Sequence[ExportRow]) -> set[str]:
        """Return the ids of lines whose text is forbidden here, or that were erased."""
        keys = await asyncio.to_thread(lambda: {row.id: fold_keys(row.columns["text"]) for row in rows})
        folds = [key for some in keys.values() for key in some]
        bans = {one.fold for one in await self.core.store.forbidden(self.core.scope, folds)}
        names = {of_id(row.id): row.id for row in rows}
        erased_ids = {
            names[name] for name in await self.core.store.find_erased_names(self.core.scope, sorted(names))
        }
        return erased_ids | {id_ for id_, some in keys.items() if bans.intersection(some)}

    def _take_row(self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]) -> None:
        owner, same = self._find_by_key(row, known, twins), self._find_same_text(row, known, twins)
        if owner is not None and not (row.stands and _says_same(owner, row)):
            key, name = row.columns["key"], short_id(owner.seq) if isinstance(owner, Memory) else owner.id
            self.page.counts["refused"] += 1
            self.page.remarks.append(
                f"line {row.line} is left out: its key {key!r} is {name} here, which says something else or is gone"
            )
            return
        match = owner or same
        if match is None:
            self._add_row(row, known.twins.get(row.columns["fingerprint"]))
        elif isinstance(match, Memory):
            self._merge_row(row, match)
        else:
            match.add_repeat(row, self.now, self._limit_trust(row))
            self.page.where[row.id] = match.number
            self.page.counts["kept"] += 1

    def _note_met_memory(self, id_: str, memory: Memory) -> None:
        """Note which memory here an id of the file is."""
        self.page.where[id_] = memory.seq
        self.page.here[memory.seq] = memory.status

    def _find_by_key(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what has the key already."""
        key = row.columns.get("key")
        if key is None:
            return None
        twin = known.keys.get(key)
        return self.page.keys.get(key) if twin is None else twins.get(twin.seq)

    def _find_same_text(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what stands and says the same; what has a key is a memory of its own."""
        if not row.stands or row.columns.get("key") is not None:
            return None
        twin = known.twins.get(row.columns["fingerprint"])
        if twin is None or twin.status not in STANDING:
            return self.page.said.get(row.columns["fingerprint"]) or twins.get(
                self.page.echoes.get(row.id, 0)
            )
        return twins.get(twin.seq)

    def _merge_row(self, row: ExportRow, memory: Memory) -> None:
        """Let a line be a repeat of what is here, once."""
        self._note_met_memory(row.id, memory)
        is_known = MERGED + row.id in memory.sources
        self.page.counts["kept" if is_known or memory.seq in self.new else "merged"] += 1
        if is_known:
            return
        existing = self.page.existing.setdefault(memory.seq, Existing(memory))
        if memory.fingerprint == row.columns["fingerprint"]:
            existing.add_repeat(row, self.now, self._limit_trust(row))
        else:
            existing.add_echo(row)

    def _add_row(self, row: ExportRow, twin: KnownMemory | None) -> None:
        """Take a line in; a text that is known from one that no longer stands is learned anew, as `learn` does."""
        number = -1 - len(self.page.new)
        self.page.counts["taken"] += 1
        new = ImportedMemory(number, dict(row.columns), {*row.tags}, {*row.sources}, row.tagged_at)
        has_vector = "vector" in row.columns
        missing = not has_vector and row.columns.get("category") != ENTITY
        if self.core.embedder.dimensions and (row.is_edited or missing or (self.embeds and has_vector)):
            new.columns["vector"] = vector_of(self.core, new.columns["text"])
        new.columns["trust"] = self._limit_trust(row)
        if row.stands and self._is_held_back(row):
            new.columns |= {"status": Status.QUARANTINED, "reason": Reason.INSTRUCTIONS}
        self.page.new.append(new)
        self.page.where[row.id] = number
        if new.columns.get("key") is not None:
            self.page.keys[new.columns["key"]] = new
        if row.stands:
            self.page.said[new.columns["fingerprint"]] = new
        if row.stands and twin is not None and twin.status not in STANDING and twin.id not in self.ids:
            learned_from = (number, twin.seq, int(Relation.LEARNED_FROM))
            self.page.links.append(Change("links", learned_from, None, link_values(self.now)))

    async def connect(self, exported: ExportData) -> ImportConnections:
        """Decide what comes in of what hangs between memories, once these are written; what is here stays as it is."""
        core, remarks, replaced = self.core, list[str](), Counter[str]()
        held = await core.store.neighbours(core.scope, sorted(self.here)) if self.here else []
        seen = self.drawn | {link.key for link in held}
        links = await asyncio.to_thread(self._choose_links, exported.links, seen, remarks)
        bans = await self._choose_bans(exported.forbidden, remarks)
        boxes = [
            replace(one, values={**one.values, "session": self._count_as(one.values["session"], replaced)})
            for one in exported.boxes
        ]
        chosen = await connections.choose_boxes(core, boxes, self.where)
        grouped = connections.make_box_changes(chosen, exported.traces, self.where)
        return ImportConnections([*links, *bans, *grouped], replaced, remarks)

    def _choose_links(
        self, rows: Sequence[LinkRow], seen: AbstractSet[Key], remarks: list[str]
    ) -> list[Change]:
        """Return the links between what came in that are not here already."""
        kept = [row for row in rows if not self._is_misleading(row)]
        if lost_count := len(rows) - len(kept):
            remarks.append(
                f"links that are left out because of what stands at their ends here: {lost_count:,}"
            )
        changes: dict[Key, Change] = {}  # the first of each counts
        for change in connections.make_link_changes(kept, self.where):
            if change.key not in seen:
                changes.setdefault(change.key, change)
        return list(changes.values())

    def _is_misleading(self, row: LinkRow) -> bool:
        """Tell whether an end did not come in, or a link says that what stands here as it was gave up its place."""
        if row.source not in self.where or row.target not in self.where:
            return True
        target = self.here.get(self.where[row.target], Status.SUPERSEDED)
        return row.relation in REPLACING and target is not Status.SUPERSEDED

    async def _choose_bans(self, rows: Sequence[ForbiddenRow], remarks: list[str]) -> list[Change]:
        """Forbid what the export forbids, where a user brings it."""
        folds = [row.fold for row in rows]
        bans = {one.fold for one in await self.core.store.forbidden(self.core.scope, folds)}
        new = [row for row in rows if row.fold not in bans]
        if self.door >= Trust.USER:
            return [
                connections.make_forbidden_change(row.fold, row.at, self.where.get(row.memory or ""))
                for row in new
            ]
        if new:
            remarks.append(
                f"texts that the file forbids, which only `trust='user'` lets it: {len({*folds} - bans):,}"
            )
        return []


def _iterate_side_texts(row: ExportRow) -> Iterator[str]:
    """Yield what a line brings beside its text, and what is shown with it."""
    yield from filter(None, map(row.columns.get, NAMES))
    yield from (*row.tags, *row.sources)
    yield from filter(None, [row.columns.get("summary")])
    yield from texts_in(row.columns.get("attributes"))


def _draft_unkeyed(rows: Sequence[ExportRow]) -> dict[str, MemoryDraft]:
    """Return by id, as texts that arrive, the lines that stand and have no key: others are never echoes."""
    return {
        row.id: MemoryDraft(
            turn=Turn(row.columns["text"], speaker=row.columns.get("speaker")),
            role=row.columns.get("role", Role.USER),
            kind=None,
            severity=None,
            fingerprint=row.columns["fingerprint"],
            said_at=row.columns["learned_at"],
        )
        for row in rows
        if row.stands and row.columns.get("key") is None
    }


def _list_lookups(drafts: Iterable[MemoryDraft]) -> tuple[list[int], list[bytes]]:
    """Return of which terms and of which lines of answers must be known what memories hold them."""
    terms = [terms_of(one.turn.text) for one in drafts if one.turn.speaker is None or one.role in PROGRAMS]
    return list(frozenset().union(*terms)), [name for one in drafts for name in list_own_fingerprints(one)]


def _says_same(found: ImportedMemory | Memory, row: ExportRow) -> bool:
    """Tell whether something that has the key of a line stands and says the same."""
    if isinstance(found, Memory):
        return found.status in STANDING and found.fingerprint == row.columns["fingerprint"]
    stands = found.columns.get("status", Status.INBOX) in STANDING
    return stands and bool(found.columns["fingerprint"] == row.columns["fingerprint"])


def _count_sightings(row: ExportRow) -> int:
    """Count how often a line's text was said: when it was learned, and each time it was confirmed."""
    return 1 + max(0, int(row.columns.get("confirmations", 0)))


def _merge_repeat(stands: Mapping[str, Any], row: ExportRow, now: int) -> dict[str, Any]:
    """Return what a repeat adds to a memory: a later day, more confidence or importance, its pin, and longer holds."""
    gains: dict[str, Any] = {}
    last = row.columns.get("said_again_at") or row.columns["said_at"]
    if last > (stands.get("said_again_at") or stands["said_at"]):
        gains["said_again_at"] = last
    confidence = row.columns.get("confidence")
    if confidence is not None and confidence > (stands.get("confidence") or 0.0):
        said_at = row.columns.get("confidence_at", row.columns["learned_at"])
        gains |= {"confidence": confidence, STAMPS["confidence"]: said_at}
    importance = row.columns.get("importance")
    if importance is not None and importance > (stands.get("importance") or 0.0):
        gains["importance"] = importance
    if row.columns.get("pinned") and not stands.get("pinned"):
        gains["pinned"] = 1
    holds = with_holds(stands.get("holds"), row.columns.get("holds"), now)
    if holds != (stands.get("holds") or {}):
        gains |= hold_columns(holds)
    return gains
