"""What becomes of an export's memories where some are here already: new, kept, merged or refused.

Reads and decides, and writes nothing; what is here is never written over.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.arrival import KnownMemory, WriteContext
from remanence.core.change import Change
from remanence.core.effects import STAMPS, VERBS
from remanence.core.model import (
    INT_MAX,
    STANDING,
    SYMMETRIC,
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
from remanence.edit.one_memory import OWN, hold_columns, merge_changes, says_who, update, with_holds
from remanence.flows.base.context import Core
from remanence.flows.exchange import connections, erased_elsewhere
from remanence.flows.exchange.exported import (
    BoxLine,
    ExportData,
    ExportRow,
    ForbiddenRow,
    LinkRow,
    TraceLine,
)
from remanence.flows.write.echoes import came_back, list_own_fingerprints, mark_echoes
from remanence.flows.write.gating import is_held_back, refresh_personal_rules, texts_in
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

PAGE = 1_000
NAMES = ("speaker", "agent", "thread", "session", "key")
# A memory keeps the ids of those that were merged into it as sources: a second import finds them there.
MERGED = "memory/"


@dataclass
class ImportedMemory:
    """A memory that comes in; its `number` is below zero, until it is written and has one of the store."""

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

    def changes(self, key: int) -> list[Change]:
        """Create it under a placeholder."""
        return [
            Change("memories", key, None, self.columns),
            *(Change("tags", (key, tag), None, self._times(tag)) for tag in sorted(self.tags)),
            *(Change("sources", (key, source), None, {"span": None}) for source in sorted(self.sources)),
        ]

    def _times(self, tag: str) -> dict[str, int]:
        return {"at": self.tagged_at[tag]} if tag in self.tagged_at else {}

    def add_repeat(self, row: ExportRow, now: int, trust: Trust) -> None:
        """Let another line of the file that says the same be a repeat of this one; less trusted, it adds nothing."""
        self.sources.add(MERGED + row.id)
        if trust < self.columns["trust"]:
            return
        self.columns["confirmations"] = min(INT_MAX, self.columns.get("confirmations", 0) + _sightings(row))
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
        if not came_back(memory, row.columns["learned_at"]):
            self.sightings += _sightings(row)
        self.tags |= {*row.tags} - {*memory.tags}
        self.sources |= {*row.sources} - {*memory.sources}
        stands = {name: getattr(memory, name) for name in ("pinned", "holds", "confidence", "importance")}
        self.columns |= _merge_repeat({**stands, **self.columns}, row, now)

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
class ImportPlan:
    """What becomes of an export here; `remarks` say of each line that is refused why.

    `where` has the number of what each id of the file is here, below zero for what is new.
    """

    new: list[ImportedMemory] = field(default_factory=list)
    existing: dict[int, Existing] = field(default_factory=dict)  # by sequence number
    links: list[LinkRow] = field(default_factory=list)
    forbidden: list[ForbiddenRow] = field(default_factory=list)
    boxes: list[BoxLine] = field(default_factory=list)
    traces: Sequence[TraceLine] = ()
    where: dict[str, int] = field(default_factory=dict)
    kept: set[str] = field(
        default_factory=set
    )  # ids that are here already, by themselves or merged into others
    refused: int = 0
    unguarded: int = 0  # lines that came without what only a person sets
    replaced: Counter[str] = field(default_factory=Counter)  # what markers took the place of, by kind
    remarks: list[str] = field(default_factory=list)

    def count_connections(self) -> int:
        """Count what hangs between memories and comes in: each is one change."""
        used = {box.trace for box in self.boxes} & {trace.trace for trace in self.traces}
        return len(self.links) + len(self.forbidden) + len(self.boxes) + len(used)

    def make_connections(self, assigned: Mapping[int, int]) -> list[Change]:
        """Return what hangs between memories as changes, once new ones are written: `assigned` has their numbers."""
        seqs = {id_: assigned.get(number, number) for id_, number in self.where.items()}
        return [
            *connections.make_link_changes(self.links, seqs),
            *(
                connections.make_forbidden_change(one.fold, one.at, seqs.get(one.memory or ""))
                for one in self.forbidden
            ),
            *connections.make_box_changes(self.boxes, self.traces, seqs),
        ]


async def decide(core: Core, exported: ExportData, door: Trust) -> ImportPlan:
    """Decide what becomes of each line; the same export into the same memory decides the same.

    Nothing in it is believed more than `door` says.
    """
    overlap = _Overlap(
        core,
        {row.id for row in exported.rows},
        core.clock.now(),
        exported.embedder != core.embedder.name,
        door,
    )
    for start in range(0, len(exported.rows), PAGE):
        await overlap.page(exported.rows[start : start + PAGE])
    if unguarded_count := overlap.decided.unguarded:
        overlap.decided.remarks.append(
            f"memories that come without their pin, their confirmation by the user, tags under {OWN} or a category of"
            f" the system, which only `trust='user'` lets a file bring: {unguarded_count:,}"
        )
    await overlap.link(exported.links)
    await overlap.forbid(exported.forbidden)
    await overlap.group(exported)
    return overlap.decided


@dataclass
class _Overlap:
    """The lines of an export, held against what is here."""

    core: Core
    ids: set[str]
    now: int
    embeds: bool  # the vectors of the export are another embedder's
    door: Trust
    decided: ImportPlan = field(default_factory=ImportPlan)
    here: dict[int, Status] = field(default_factory=dict)  # memories that are here and in the file, too
    keys: dict[str, ImportedMemory] = field(default_factory=dict)
    said: dict[bytes, ImportedMemory] = field(default_factory=dict)
    echoes: dict[str, int] = field(
        default_factory=dict
    )  # ids of lines → the memory that was returned and comes back

    async def page(self, rows: Sequence[ExportRow]) -> None:
        """Look up some rows at once, then decide each."""
        await refresh_personal_rules(self.core)
        rows = await asyncio.to_thread(lambda: [self._screen_row(row) for row in rows])
        store, scope = self.core.store, self.core.scope
        matches = await store.get(scope, [row.id for row in rows])
        # A name is an id or a key: a memory that has the id as its key is another one.
        here = {memory.id: memory for memory in matches if memory is not None}
        fresh = [row for row in rows if row.id not in here]
        for row in rows:
            if row.id in here:
                self._meet(row.id, here[row.id])
                self.decided.kept.add(row.id)
        if self.door < Trust.USER:
            fresh = [self._drop_what_a_person_sets(row) for row in fresh]
        prints = [row.columns["fingerprint"] for row in fresh if row.stands]
        keys = [row.columns["key"] for row in fresh if row.columns.get("key") is not None]
        drafts = await asyncio.to_thread(_draft_unkeyed, fresh)
        terms, own = await asyncio.to_thread(_list_lookups, drafts.values())
        context = await store.arriving(scope, Arriving([*prints, *own], keys, terms=terms))
        marked = zip(drafts, await mark_echoes(self.core, [*drafts.values()], context), strict=True)
        self.echoes |= {id_: one.echo_of[0] for id_, one in marked if one.echo_of is not None}
        seqs = {twin.seq for twin in (*context.twins.values(), *context.keys.values())}
        seqs |= {self.echoes[row.id] for row in fresh if row.id in self.echoes}
        memories = await store.get(scope, sorted(seqs))
        twins = {memory.seq: memory for memory in memories if memory is not None}
        elsewhere = await erased_elsewhere.find(self.core, [row.id for row in fresh])
        refusals = dict.fromkeys(elsewhere, "it was erased where it comes from, as an import said since")
        if context.forbids:
            here_ids = await self._find_refused_ids(fresh)
            refusals |= dict.fromkeys(here_ids, "its text is forbidden here, or was erased")
        await asyncio.to_thread(self._take_all, fresh, refusals, context, twins)

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
                self.decided.refused += 1
                self.decided.remarks.append(f"line {row.line} is left out: {why}")
            else:
                self._take(row, known, twins)

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
        self.decided.unguarded += 1
        columns["decay"] = decay(tags, columns.get("category"))
        return replace(row, columns=columns, tags=tags)

    def _explain_refusal(self, row: ExportRow) -> str:
        """Say why a line is left out that could come back past the gate: what it holds back and nobody let in here."""
        is_out = not row.stands and row.columns["status"] is not Status.QUARANTINED
        return (
            "it holds markup for a machine, and is out of sight" if is_out and self._is_held_back(row) else ""
        )

    def _is_held_back(self, row: ExportRow) -> bool:
        return is_held_back(row.columns["text"], self._trust(row), _iterate_side_texts(row))

    def _trust(self, row: ExportRow) -> Trust:
        trust: Trust = min(self.door, row.columns.get("trust", Trust.USER))
        return trust

    def _screen_row(self, row: ExportRow) -> ExportRow:
        """Return a line as it may be kept."""
        salt, kept = self.core.salt, self.core.personal.kept[self._trust(row)]
        text = screen(row.columns["text"], salt, kept)
        attributes, counts = screen_values(row.columns.get("attributes"), salt, kept)
        if text.replaced:
            counts.update(text.replaced)
        names: dict[str, Any] = {
            what: self._name(name, counts) for what in NAMES if (name := row.columns.get(what)) is not None
        }
        if holds := row.columns.get("holds"):
            names["holds"] = {self._name(reason, counts): until for reason, until in holds.items()}
        tags, sources = (tuple(self._name(name, counts) for name in some) for some in (row.tags, row.sources))
        if row.columns.get("summary"):
            counts += screen_values(row.columns["summary"], salt, kept)[1]
        if not counts:
            return row
        self.decided.replaced += counts
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

    def _name(self, name: str, counts: Counter[str]) -> str:
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

    def _take(self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]) -> None:
        owner, same = self._find_by_key(row, known, twins), self._find_same_text(row, known, twins)
        if owner is not None and not (row.stands and _says(owner, row)):
            key, name = row.columns["key"], short_id(owner.seq) if isinstance(owner, Memory) else owner.id
            self.decided.refused += 1
            self.decided.remarks.append(
                f"line {row.line} is left out: its key {key!r} is {name} here, which says something else or is gone"
            )
            return
        match = owner or same
        if match is None:
            self._add_row(row, known.twins.get(row.columns["fingerprint"]))
        elif isinstance(match, Memory):
            self._merge(row, match)
        else:
            match.add_repeat(row, self.now, self._trust(row))
            self.decided.where[row.id] = match.number
            self.decided.kept.add(row.id)

    def _meet(self, id_: str, memory: Memory) -> None:
        """Note which memory here an id of the file is."""
        self.decided.where[id_] = memory.seq
        self.here[memory.seq] = memory.status

    def _find_by_key(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what has the key already."""
        key = row.columns.get("key")
        if key is None:
            return None
        twin = known.keys.get(key)
        return self.keys.get(key) if twin is None else twins.get(twin.seq)

    def _find_same_text(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what stands and says the same; what has a key is a memory of its own."""
        if not row.stands or row.columns.get("key") is not None:
            return None
        twin = known.twins.get(row.columns["fingerprint"])
        if twin is None or twin.status not in STANDING:
            return self.said.get(row.columns["fingerprint"]) or twins.get(self.echoes.get(row.id, 0))
        return twins.get(twin.seq)

    def _merge(self, row: ExportRow, memory: Memory) -> None:
        """Let a line be a repeat of what is here, once."""
        self._meet(row.id, memory)
        if MERGED + row.id in memory.sources:
            self.decided.kept.add(row.id)
        else:
            existing = self.decided.existing.setdefault(memory.seq, Existing(memory))
            if memory.fingerprint == row.columns["fingerprint"]:
                existing.add_repeat(row, self.now, self._trust(row))
            else:
                existing.add_echo(row)

    def _add_row(self, row: ExportRow, twin: KnownMemory | None) -> None:
        """Take a line in; a text that is known from one that no longer stands is learned anew, as `learn` does."""
        number = -1 - len(self.decided.new)
        new = ImportedMemory(number, dict(row.columns), {*row.tags}, {*row.sources}, row.tagged_at)
        has_vector = "vector" in row.columns
        missing = not has_vector and row.columns.get("category") != ENTITY
        if self.core.embedder.dimensions and (row.is_edited or missing or (self.embeds and has_vector)):
            new.columns["vector"] = vector_of(self.core, new.columns["text"])
        new.columns["trust"] = self._trust(row)
        if row.stands and self._is_held_back(row):
            new.columns |= {"status": Status.QUARANTINED, "reason": Reason.INSTRUCTIONS}
        self.decided.new.append(new)
        self.decided.where[row.id] = number
        if new.columns.get("key") is not None:
            self.keys[new.columns["key"]] = new
        if row.stands:
            self.said[new.columns["fingerprint"]] = new
        if row.stands and twin is not None and twin.status not in STANDING and twin.id not in self.ids:
            self.decided.where[twin.id] = twin.seq
            learned_from = LinkRow(row.line, row.id, twin.id, Relation.LEARNED_FROM, link_values(self.now))
            self.decided.links.append(learned_from)

    async def link(self, rows: Sequence[LinkRow]) -> None:
        """Choose the links between what came in; a link that is here already stays as it is."""
        links = await self.core.store.neighbours(self.core.scope, sorted(self.here)) if self.here else []
        await asyncio.to_thread(self._link_all, rows, {link.key for link in links})

    def _link_all(self, rows: Sequence[LinkRow], seen: set[tuple[int, int, int]]) -> None:
        where, lost_count = self.decided.where, 0
        seen |= {self._key(one) for one in self.decided.links}
        for row in rows:
            if row.source not in where or row.target not in where or self._is_misleading(row):
                lost_count += 1
                continue
            key = self._key(row)
            if key[0] != key[1] and key not in seen:
                seen.add(key)
                self.decided.links.append(row)
        if lost_count:
            self.decided.remarks.append(
                f"links that are left out because of what stands at their ends here: {lost_count:,}"
            )

    def _key(self, row: LinkRow) -> tuple[int, int, int]:
        """Return what tells two links apart before their ends are written."""
        ends = self.decided.where[row.source], self.decided.where[row.target]
        source, target = sorted(ends) if row.relation in SYMMETRIC else ends
        return source, target, int(row.relation)

    def _is_misleading(self, row: LinkRow) -> bool:
        """Tell whether a link would say that something took the place of a memory that stands here as it was."""
        target = self.here.get(self.decided.where[row.target], Status.SUPERSEDED)
        return row.relation in REPLACING and target is not Status.SUPERSEDED

    async def forbid(self, rows: Sequence[ForbiddenRow]) -> None:
        """Forbid what the export forbids, where a user brings it; what is forbidden here already stays as it is."""
        folds = [row.fold for row in rows]
        bans = {one.fold for one in await self.core.store.forbidden(self.core.scope, folds)}
        new = [row for row in rows if row.fold not in bans]
        if self.door >= Trust.USER:
            self.decided.forbidden = new
        elif new:
            self.decided.remarks.append(
                f"texts that the file forbids, which only `trust='user'` lets it: {len({*folds} - bans):,}"
            )

    async def group(self, exported: ExportData) -> None:
        """Take in the boxes of turns that are in no box here, under the names of sessions that may be kept."""
        counts: Counter[str] = Counter()
        boxes = [
            replace(one, values={**one.values, "session": self._name(one.values["session"], counts)})
            for one in exported.boxes
        ]
        self.decided.replaced += counts
        self.decided.boxes = await connections.choose_boxes(self.core, boxes, self.decided.where)
        self.decided.traces = exported.traces


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


def _says(found: ImportedMemory | Memory, row: ExportRow) -> bool:
    """Tell whether something that has the key of a line stands and says the same."""
    if isinstance(found, Memory):
        return found.status in STANDING and found.fingerprint == row.columns["fingerprint"]
    stands = found.columns.get("status", Status.INBOX) in STANDING
    return stands and bool(found.columns["fingerprint"] == row.columns["fingerprint"])


def _sightings(row: ExportRow) -> int:
    """Count how often a line's text was said: when it was learned, and each time it was confirmed."""
    return 1 + max(0, int(row.columns.get("confirmations", 0)))


def _merge_repeat(stands: Mapping[str, Any], row: ExportRow, now: int) -> dict[str, Any]:
    """Return what a repeat adds to a memory: more confidence or importance, its pin, and holds that last longer."""
    gains: dict[str, Any] = {}
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
