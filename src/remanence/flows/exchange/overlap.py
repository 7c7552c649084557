"""What becomes of an export's memories where some are here already: new, kept, merged or refused.

Reads and decides, and writes nothing. A memory that is here in another version becomes what both are merged to, where
the file is believed as far as the memory; otherwise what is here is never written over.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.arrival import KnownMemory, WriteContext
from remanence.core.change import Change, Key
from remanence.core.errors import format_value
from remanence.core.model import (
    COLUMNS,
    STANDING,
    Link,
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
from remanence.core.stamps import BACK
from remanence.edit.one_memory import says_who, with_holds
from remanence.edit.versions import as_repeat, list_edits, merge_versions, name_other
from remanence.flows.base.context import Core
from remanence.flows.base.paging import read_memories
from remanence.flows.exchange import connections, erased_elsewhere, repeats
from remanence.flows.exchange.exported import (
    ExportData,
    ExportRow,
    ForbiddenRow,
    LinkRow,
)
from remanence.flows.exchange.import_page import MERGED, Existing, ImportedMemory, ImportPage, MemoryVersion
from remanence.flows.write.echoes import list_own_fingerprints, mark_echoes
from remanence.flows.write.gating import is_held_back, refresh_settings, texts_in
from remanence.flows.write.learning import vector_of
from remanence.gate.screening import screen, screen_name, screen_values
from remanence.read.entity import CATEGORY as ENTITY
from remanence.store.base import Arriving
from remanence.store.capabilities import IMAGE_EXPIRY, can
from remanence.store.erasure import of_id
from remanence.store.lineage import REPLACING
from remanence.text.analysis import terms_of
from remanence.text.forbidden_keys import fold_keys
from remanence.text.text_columns import text_columns
from remanence.write.admission import PROGRAMS, MemoryDraft

NAMES = ("speaker", "agent", "thread", "session", "key")
# What the memory that keeps a lost text has of its own version, and of what the versions were merged to.
_OF_TEXT = (
    "text",
    "fingerprint",
    "tokens",
    "words",
    "short_tokens",
    "short_words",
    "said_at",
    "said_offset",
    "speaker",
    "trust",
)
_OF_BOTH = (
    "status",
    "tier",
    "category",
    "kind",
    "severity",
    "role",
    "agent",
    "thread",
    "session",
    "policy_class",
)
_OF_STATUS = ("status", "reason", "tier", "status_at", "tier_at", "lifecycle")


@dataclass
class ImportConnections:
    """What hangs between the memories of an export and comes in."""

    changes: list[Change]
    replaced: Counter[str]
    remarks: list[str]


@dataclass
class Overlap:
    """The lines of an export, held against what is here; nothing in them is believed more than `door` says.

    With `renames` what is new gets an id of its own, since the original stays where it is, and names that as a source.
    """

    core: Core
    ids: AbstractSet[str]
    now: int
    embeds: bool  # the vectors of the export are another embedder's
    door: Trust
    renames: bool = False
    page: ImportPage = field(default_factory=ImportPage)  # the lines that are looked at now
    where: dict[str, int] = field(default_factory=dict)  # id in the file → number here
    here: dict[int, Status] = field(default_factory=dict)  # what was here before, and is in the file, too
    new: set[int] = field(default_factory=set)  # what came in
    drawn: set[Key] = field(default_factory=set)  # links that came in
    pairs: list[LinkRow] = field(default_factory=list)  # links that only this import makes

    async def decide(self, rows: Sequence[ExportRow]) -> ImportPage:
        """Look up some rows at once, then decide each; after a lost race the same rows are decided anew."""
        page = self.page = ImportPage()
        await refresh_settings(self.core)
        rows = await asyncio.to_thread(lambda: [self._screen_row(row) for row in rows])
        store, scope = self.core.store, self.core.scope
        matches = await store.get(scope, [row.id for row in rows])
        # A name is an id or a key: a memory that has the id as its key is another one.
        here = {memory.id: memory for memory in matches if memory is not None}
        if self.door < Trust.USER:
            rows = [row if row.id in here else self._drop_what_a_person_sets(row) for row in rows]
        else:
            here |= await self._find_repeated([row for row in rows if row.id not in here])
        fresh = [row for row in rows if row.id not in here]
        fresh = await self._keep_purged(fresh) if self.door is Trust.USER else fresh
        versions = await asyncio.to_thread(self._merge_versions, rows, here)
        fresh += await self._list_other_texts(versions)
        keys = [row.columns["key"] for row in fresh if row.columns.get("key") is not None]
        keys += [key for one in versions if (key := one.gained_key) is not None]
        prints = [row.columns["fingerprint"] for row in fresh if row.stands]
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
            coming = [*fresh, *(one.row for one in versions if one.has_new_text)]
            refusals |= dict.fromkeys(
                await self._find_refused_ids(coming), "its text is forbidden here, or was erased"
            )
        for one in versions:
            if why := refusals.get(one.row.id):
                self._refuse_version(one.row, why)
            else:
                await self._take_version(one, context)
        await asyncio.to_thread(self._take_all, fresh, refusals, context, twins)
        return page

    def _merge_versions(self, rows: Sequence[ExportRow], here: Mapping[str, Memory]) -> list[MemoryVersion]:
        """Merge the lines of memories that are here with them, where the file is believed as far as these."""
        versions: list[MemoryVersion] = []
        present: dict[int, Mapping[str, Any]] = {}  # of a memory that several lines are versions of
        for row in rows:
            memory = here.get(row.id)
            if memory is None:
                continue
            self._note_met_memory(row.id, memory)
            self.page.counts["kept"] += 1
            one = self._merge_version(row, memory, present.get(memory.seq) or columns_of(memory))
            if not one.changes_anything:
                continue
            if self.door < Trust.USER:
                self.page.unmerged += 1
            elif one.has_new_text and one.merged.columns["status"] in STANDING and self._is_held_back(row):
                self._refuse_version(row, "it holds markup for a machine, and nobody let it in here")
            else:
                versions.append(one)
                present[memory.seq] = one.merged.columns
        return versions

    def _merge_version(self, row: ExportRow, memory: Memory, mine: Mapping[str, Any]) -> MemoryVersion:
        theirs: Mapping[str, Any] = {**row.columns, "trust": self._limit_trust(row)}
        if row.id != memory.id:
            last = with_holds(
                None, row.columns.get("holds"), self.now
            )  # an ended hold of another id is not brought
            theirs = as_repeat(mine, {**theirs, "holds": last})
        return MemoryVersion(row, memory, merge_versions(mine, theirs))

    async def _find_repeated(self, rows: Sequence[ExportRow]) -> dict[str, Memory]:
        """Return by line the memory that the line was merged into before, here or where it comes from.

        Either said the same once: what becomes of one becomes of the other from then on.
        """
        repeated = await repeats.find(self.core, [row.id for row in rows])
        for row in rows:
            for source in row.sources:
                id_ = source.removeprefix(MERGED)
                if id_ != source and id_ not in self.ids:
                    repeated.setdefault(row.id, id_)
        found = await self.core.store.get(self.core.scope, sorted({*repeated.values()})) if repeated else []
        memories = {one.id: one for one in found if one is not None}
        return {
            row.id: memory
            for row in rows
            if (memory := memories.get(repeated.get(row.id, ""))) is not None
            and (MERGED + row.id in memory.sources or MERGED + memory.id in row.sources)
            and self._limit_trust(row) >= memory.trust
        }

    async def _keep_purged(self, rows: Sequence[ExportRow]) -> list[ExportRow]:
        """Let what was deleted here, and whose row is gone since, come in as deleted: `restore` brings it back.

        Who took an import back may take it in again: what an undo removed was not deleted.
        """
        store, scope = self.core.store, self.core.scope
        if not rows or not can(store, IMAGE_EXPIRY):
            return list(rows)
        found = await store.find_purged_memories(scope, [row.id for row in rows])
        runs = {
            run: await store.history(scope, run=run, limit=1, rows=False)
            for run in {one.run for one in found}
        }
        undone = {run for run, parts in runs.items() if parts and parts[0].cause.verb == "undo"}
        purged = {one.id: one.at for one in found if one.run not in undone}
        return [self._delete_purged(row, purged[row.id]) if row.id in purged else row for row in rows]

    def _delete_purged(self, row: ExportRow, at: int) -> ExportRow:
        if not row.stands or max(list_edits(row.columns, BACK), default=at) > at:
            return row
        self.page.purged += 1
        falls = {"status": Status.PRUNED, "reason": Reason.FORGOTTEN, "status_at": at}
        return replace(row, columns={**row.columns, **falls})

    async def _list_other_texts(self, versions: Sequence[MemoryVersion]) -> list[ExportRow]:
        """Return, as lines, the texts that lose to a newer edit they had not seen, and pair each with the newer one.

        Of what is gone nothing else comes back by that.
        """
        others: dict[str, ExportRow] = {}
        for one in versions:
            other, columns = one.merged.other, one.merged.columns
            if other is None or columns["status"] not in STANDING:
                continue
            id_, edited_at = name_other(one.row.id, other), list_edits(other, "text")[-1]
            its = {name: other.get(name) for name in _OF_TEXT} | {name: columns[name] for name in _OF_BOTH}
            its |= {"id": id_, "learned_at": edited_at, "status_at": edited_at, "tier_at": edited_at}
            its = {name: it for name, it in its.items() if it is not None}
            its["decay"] = decay((), its.get("category"))
            others[id_] = ExportRow(one.row.line, its, (), ())
            newest = max(list_edits(columns, "text"))
            link = link_values(newest)
            self.page.pairs.append(LinkRow(one.row.line, one.row.id, id_, Relation.CONTRADICTS, link))
            self.page.counts["conflict"] += 1
        found = await self.core.store.get(self.core.scope, [*others]) if others else []
        for memory in found:
            if memory is not None and others.pop(memory.id, None) is not None:
                self._note_met_memory(memory.id, memory)
        return [*others.values()]

    def _refuse_version(self, row: ExportRow, why: str) -> None:
        self.page.counts["kept"] -= 1
        self._refuse(row, why)

    def _refuse(self, row: ExportRow, why: str) -> None:
        self.page.counts["refused"] += 1
        self.page.remarks.append(f"{row.place} is left out: {why}")

    async def _take_version(self, one: MemoryVersion, known: WriteContext) -> None:
        """Let a memory become what it and a line are merged to; what is held back stays so until it is accepted."""
        memory, merged = one.memory, one.merged
        is_accepted = memory.status is Status.QUARANTINED and merged.columns["status"] in STANDING
        if is_accepted and self._is_held_back(one.row):
            merged.columns.update({name: getattr(memory, name) for name in _OF_STATUS})
        existing = self.page.existing.setdefault(memory.seq, Existing(memory))
        if one.gained_key is not None and self._find_key_owner(one.gained_key, known) is not None:
            merged.columns["key"] = memory.key
        if not existing.take_version(one.row, merged):
            return
        self.page.here[memory.seq] = merged.columns["status"]
        self.page.counts.update({"kept": -1, "merged": 1})
        for name in merged.conflicts:
            self.page.remarks.append(
                f"{one.row.place}: {name} of {short_id(memory.seq)} was changed on both sides; the newer one,"
                f" {format_value(merged.columns[name])}, is kept"
            )
        if one.has_new_text and self.core.embedder.dimensions:
            text = merged.columns["text"]
            is_given = not self.embeds and not one.row.is_edited and one.row.columns["text"] == text
            given: bytes | None = one.row.columns.get("vector") if is_given else None
            _, rows = await self.core.store.vectors(self.core.scope, only=[memory.seq])
            before: bytes | None = rows[0].astype("<f2").tobytes() if len(rows) else None
            existing.vectors = before, given or await asyncio.to_thread(vector_of, self.core, text)

    def _find_key_owner(self, key: str, known: WriteContext) -> int | None:
        """Return what has a key here and does not give it away in this commit."""
        twin = known.keys.get(key)
        if twin is None:
            return None
        gives = self.page.existing.get(twin.seq)
        return None if gives is not None and gives.columns.get("key", key) != key else twin.seq

    def note_written(self, page: ImportPage, assigned: Sequence[int]) -> None:
        """Take over what a page became, once it is written: its new memories have the numbers `assigned`."""
        seqs = {one.number: seq for one, seq in zip(page.new, assigned, strict=True)}
        self.where |= {id_: seqs.get(number, number) for id_, number in page.where.items()}
        self.here |= {seq: status for seq, status in page.here.items() if seq not in self.new}
        self.new.update(assigned)
        self.pairs += page.pairs

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
                self._refuse(row, why)
            else:
                self._take_row(row, known, twins)
        for pair in self.page.pairs:
            ends = self.page.where[pair.source], self.page.where.get(pair.target, 0)
            if ends[1] < 0:
                self.page.links.append(Change("links", (*ends, int(pair.relation)), None, pair.values))

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
            if isinstance(owner, Memory) and self.door is Trust.USER:
                self._settle_key(row, owner)
                return
            key, name = row.columns["key"], short_id(owner.seq) if isinstance(owner, Memory) else owner.id
            self._refuse(row, f"its key {key!r} is {name} here, which says something else or is gone")
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

    def _settle_key(self, row: ExportRow, owner: Memory) -> None:
        """Take in a line whose key is another memory's here: what stands has it, of two the newer text.

        The other one gives it up, and where it stood it is superseded by the newer one.
        """
        mine = columns_of(owner)
        is_newer = _rank_for_key(row.columns) > _rank_for_key(mine)
        both_stand = row.stands and owner.status in STANDING
        since = _said_last(row.columns if is_newer else mine)
        falls = {"status": Status.SUPERSEDED, "reason": Reason.SUPERSEDED, "status_at": since}
        loses = {"key": None} | (falls if both_stand else {})
        if is_newer:
            self.page.existing.setdefault(owner.seq, Existing(owner)).columns |= loses
            self._add_row(row, None)
        else:
            self._add_row(replace(row, columns={**row.columns, **loses}), None)
        if both_stand:
            new = self.page.new[-1].number
            ends = (new, owner.seq) if is_newer else (owner.seq, new)
            supersedes = Change("links", (*ends, int(Relation.SUPERSEDES)), None, link_values(since))
            self.page.links.append(supersedes)
            self.page.remarks.append(
                f"{row.place}: its key {row.columns['key']!r} was given to another text here; the newer one has it,"
                " and the other is superseded by it"
            )

    def _note_met_memory(self, id_: str, memory: Memory) -> None:
        """Note which memory here an id of the file is."""
        self.page.where[id_] = memory.seq
        self.page.here[memory.seq] = memory.status

    def _leaves_its_text(self, twin: KnownMemory) -> bool:
        """Tell whether a memory that stands and says a text does no longer so once this page is written."""
        changes = self.page.existing.get(twin.seq)
        if changes is None or twin.status not in STANDING:
            return False
        return "text" in changes.columns or changes.columns.get("status", twin.status) not in STANDING

    def _find_by_key(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what has the key already."""
        key = row.columns.get("key")
        if key is None:
            return None
        owner = self._find_key_owner(key, known)
        return self.page.keys.get(key) if owner is None else twins.get(owner)

    def _find_same_text(
        self, row: ExportRow, known: WriteContext, twins: Mapping[int, Memory]
    ) -> ImportedMemory | Memory | None:
        """Find what stands and says the same; what has a key is a memory of its own."""
        if not row.stands or row.columns.get("key") is not None:
            return None
        twin = known.twins.get(row.columns["fingerprint"])
        if twin is None or twin.status not in STANDING or self._leaves_its_text(twin):
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
        if memory.fingerprint != row.columns["fingerprint"]:
            existing.add_echo(row)
            return
        existing.add_repeat(row, self.now, self._limit_trust(row))
        if self.door is Trust.USER and self._limit_trust(row) >= memory.trust and not existing.is_echo(row):
            one = self._merge_version(row, memory, {**columns_of(memory), **existing.columns})
            del one.merged.columns["confirmations"]  # which the repeat adds to
            existing.take_version(row, one.merged)
            self.page.repeats[row.id] = memory.id

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
        if self.renames:
            new.columns["id"] = self.core.new_id()
            new.sources.add(MERGED + row.id)
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
        here: dict[Key, Link] = {link.key: link for link in held}
        links = await asyncio.to_thread(self._choose_links, [*exported.links, *self.pairs], here, remarks)
        bans = await self._choose_bans(exported.forbidden, remarks)
        boxes = [
            replace(one, values={**one.values, "session": self._count_as(one.values["session"], replaced)})
            for one in exported.boxes
        ]
        chosen = await connections.choose_boxes(core, boxes, self.where)
        grouped = connections.make_box_changes(chosen, exported.traces, self.where)
        return ImportConnections([*links, *bans, *grouped], replaced, remarks)

    def _choose_links(
        self, rows: Sequence[LinkRow], here: Mapping[Key, Link], remarks: list[str]
    ) -> list[Change]:
        """Return the links between what came in that are not here already, and what others gain by the file."""
        kept = [row for row in rows if not self._is_misleading(row)]
        if lost_count := len(rows) - len(kept):
            remarks.append(
                f"links that are left out because of what stands at their ends here: {lost_count:,}"
            )
        changes: dict[Key, Change] = {}  # the first of each counts
        for change in connections.make_link_changes(kept, self.where):
            if change.key in self.drawn or change.key in changes:
                continue
            if change.key not in here:
                changes[change.key] = change
            elif self.door is Trust.USER:
                united = connections.unite_link(here[change.key], change)
                changes |= {change.key: united} if united is not None else {}
        return list(changes.values())

    def _is_misleading(self, row: LinkRow) -> bool:
        """Tell whether an end did not come in, or a link says that what stands here as it was gave up its place."""
        if row.source not in self.where or row.target not in self.where:
            return True
        if self.door is Trust.USER:  # the status of both ends is merged
            return False
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


def columns_of(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory as it was read, without its vector."""
    return {column.name: getattr(memory, column.name) for column in COLUMNS if column.name != "vector"}


def _said_last(columns: Mapping[str, Any]) -> int:
    """Return when a text was last put, as far as its columns say."""
    times: list[int] = [columns["learned_at"], columns["said_at"], *list_edits(columns, "text")]
    return max(times)


def _rank_for_key(columns: Mapping[str, Any]) -> tuple[bool, int, str, str]:
    """Return by what one of two memories has a key: what stands, then the newer text."""
    stands = columns.get("status", Status.INBOX) in STANDING
    return stands, _said_last(columns), columns["text"], columns["id"]
