"""A folder is brought to what a memory holds: what changed since the last time is written, what left is taken away.

It follows the change feed from where it was, so that it catches up after any crash and keeps no writer waiting. A file
that somebody edited, or put there, is left as it is and handed on; one that somebody deleted is written again once it
would say something else.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from remanence.core.box import FindBoxes
from remanence.core.change import Entry
from remanence.core.clock import MINUTE, read_monotonic_micros
from remanence.core.errors import InvalidInput, StoreDamaged, StoreUnavailable
from remanence.core.model import STANDING, Memory, Relation, short_id
from remanence.core.segment import TURN
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import Core
from remanence.flows.base.paging import iterate_boxes
from remanence.flows.mirror.documents import (
    ACTIONS,
    DOCUMENTS,
    MirrorDocument,
    box_pages,
    documents,
    entity_pages,
)
from remanence.flows.mirror.file_names import (
    ARCHIVE,
    ARTIFACTS,
    BOXES,
    CORRECTIONS,
    ENTITIES,
    FACTS,
    entity_path,
    path_of,
    paths_with_id,
)
from remanence.flows.mirror.folder import Folder, Stamp
from remanence.flows.mirror.front_matter import checksum_of, read
from remanence.flows.mirror.journal import NONE, UNWRITTEN, Journal, MirroredFile
from remanence.flows.mirror.mirrored import LINKED, File, FileContext, files_of, read_file_context
from remanence.read.entity import is_entity
from remanence.store.base import Bookkeeping
from remanence.store.erasure import ERASE
from remanence.store.lineage import REPLACING

FOLDERS = (FACTS, CORRECTIONS, ARTIFACTS, ARCHIVE, ENTITIES, BOXES)
MIRRORS = "mirror/"  # what the bookkeeping's names of mirrors begin with
MEMORIES = 500  # read at once
PARTS = 200  # of the feed, read at once
ID_BYTES = 8
TOPICS_EVERY = MINUTE
NUMBER_CHARS = 18  # of a box
WAIT_S, WAITS = 0.05, 600  # for another process in the folder: half a minute in all
NOWHERE = -1  # of a mirror that has not looked at all memories yet
NOBODY = 0  # whose the files are that are worked out of many memories
TELLING = REPLACING | {
    Relation.LEARNED_FROM,
    *LINKED,
}  # links whose ends say something of them in their files


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that is not as the mirror left it: what is in it, or why it could not be read."""

    path: str
    stamp: Stamp
    data: bytes = b""
    problem: str = ""
    recovery: str = ""


@dataclass
class MirrorPassResult:
    """What a pass did; `damaged` names memories that could not be read."""

    written: int = 0
    removed: int = 0
    damaged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _FileInputs:
    """Some memories, None for those that are gone, what their files need of others, and pages by whose they are."""

    memories: Sequence[tuple[int, Memory | None]]
    others: FileContext
    pages: Mapping[int, File]


class Mirroring:
    """One folder, and what is known of it between two passes."""

    def __init__(self, core: Core, root: Path) -> None:
        self.core = core
        self.root = root
        self.edited: dict[str, ChangedFile] = {}
        self.done = MirrorPassResult()
        self._journal: Journal | None = None
        self._folder: Folder | None = None
        self._turn = asyncio.Lock()
        # What was there and not the mirror's, when all files were looked at just now.
        self._unknown: Mapping[str, Stamp] | None = None
        self._drawn_at = NOWHERE  # as of where all but the topics was drawn up here
        self._topics_due = 0
        self._anew: set[int] = set()  # memories whose files are to be looked at, whatever the feed says
        self._displaced: set[int] = set()  # memories whose files have another name now
        self._claimed: dict[
            str, tuple[str, MirroredFile]
        ] = {}  # files of ours that were not known, by the id in them

    @property
    def journal(self) -> Journal:
        """What is known of the folder."""
        assert self._journal is not None
        return self._journal

    @property
    def folder(self) -> Folder:
        """The folder, while it is open."""
        assert self._folder is not None
        return self._folder

    @asynccontextmanager
    async def hold_folder(self) -> AsyncIterator[None]:
        """Open the folder for a block, with nobody else in it; what was noted of it is saved at the end."""
        async with self._turn, _open_alone(self.root) as folder:
            self._journal = journal = await self._read_journal(folder)
            self._folder, self.done = folder, MirrorPassResult()
            try:
                yield
            finally:
                self._folder = None
                await asyncio.to_thread(journal.save, folder)

    async def _read_journal(self, folder: Folder) -> Journal:
        """Return what is known of the folder, or begin anew; a folder of another memory is refused."""
        core, now, journal = self.core, self.core.clock.now(), self._journal
        if journal is None or not await asyncio.to_thread(journal.is_current, folder):
            self.edited.clear()
            journal = await asyncio.to_thread(Journal.load, folder)
        if journal is None:
            journal = Journal(core.random(ID_BYTES).hex(), core.scope)
            entry = {MIRRORS + journal.mirror: {"path": str(self.root)}}
            await core.store.bookkeep(core.scope, Bookkeeping(now, put=entry))
            return journal
        name = MIRRORS + journal.mirror
        values = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(name,)))).values
        if name not in values or journal.scope != core.scope:
            raise InvalidInput(
                f"{self.root} holds the mirror of another memory (scope {journal.scope!r})",
                recovery="name another folder; to begin anew in this one, delete its folder .remanence",
            )
        return journal

    async def look(self) -> None:
        """Look at all files: which are missing, which the mirror wrote and does not know, and which were edited."""
        if not await self._matches_history():
            self.journal.set_position(NOWHERE, "")
        await asyncio.to_thread(self._look_at_files)
        await self._adopt_files()

    async def write(self, *, by_the_minute: bool = False) -> None:
        """Bring the folder to what the memory holds now; an edited file stays.

        Topics, which cost the most, may be as of a minute ago where somebody comes `by_the_minute`.
        """
        if self.journal.position == NOWHERE:
            await self._write_whole_scope()
        self._unknown = None
        await self.follow()
        await self._write_all(sorted(self._anew - {NOBODY}))
        await self._draw_documents(whole=not by_the_minute or NOBODY in self._anew)
        self._anew.clear()

    async def _draw_documents(self, *, whole: bool) -> None:
        """Work out what is worked out of many memories, where anything changed since or is to be `whole` again."""
        journal, now = self.journal, read_monotonic_micros()
        whole = (whole or now >= self._topics_due) and (
            journal.drawn_at != journal.position or NOBODY in self._anew
        )
        if whole or self._drawn_at != journal.position != journal.drawn_at:
            await asyncio.to_thread(
                self._put_documents, await documents(self.core, self.journal.name_file, topics=whole)
            )
            self._drawn_at = journal.position
        if whole:
            self._topics_due = now + TOPICS_EVERY
            journal.note_drawn()

    def settle(self, path: str, owner: int) -> None:
        """Take an edited file for the mirror's own again: it is written anew from its memory."""
        file = self.edited.pop(path)
        self._own_again(path, owner, file.stamp)
        self._bring_back_all(owner, path)

    def bring_back(self, path: str) -> None:
        """Let a file that somebody deleted be written again."""
        entry = self.journal.files[path]
        if entry.is_deleted:
            self._own_again(path, entry.owner, NONE)

    async def is_behind(self) -> bool:
        """Tell whether anything changed since the last time."""
        core, at = self.core, self.journal.position
        return bool(await core.store.history(core.scope, after=at, limit=1, rows=False))

    async def follow(self) -> bool:
        """Write what changed since the last time; tell whether anything did."""
        core, has_moved = self.core, False
        while True:
            page = await core.store.history(core.scope, after=self.journal.position, limit=PARTS)
            if not page:
                return has_moved
            has_moved = True
            owners = _find_affected_owners(entry for part in page for entry in part.entries)
            is_erased = any(part.cause.verb == ERASE for part in page)
            if is_erased or any(
                part.ended_at is not None for part in page
            ):  # what these changed is told no more
                snapshot = await core.store.snapshot(
                    core.scope, SnapshotRequest(frozenset()), core.clock.now()
                )
                owners |= set(snapshot.seq.tolist()) | self._list_owners()
            if is_erased:
                self.journal.begin_anew()
            await self._write_all(sorted(owners | await self._drawn_from(owners)))
            self.journal.set_position(page[-1].position, page[-1].digest)

    async def _drawn_from(self, touched: Collection[int]) -> set[int]:
        """Return the entities and boxes whose pages may say something else where some memories changed."""
        core, owners = self.core, set[int]()
        seqs = sorted(one for one in touched if one > 0)
        renamed = await self._find_renamed(seqs)
        for begin in range(0, len(seqs), MEMORIES):
            some = seqs[begin : begin + MEMORIES]
            for relation in LINKED:
                links = await core.store.neighbours(core.scope, some, relation)
                owners |= {link.target for link in links if link.source in touched}
                # Who mentions an entity names its page, which is seldom called otherwise.
                if relation is not Relation.MENTIONS:
                    owners |= {link.source for link in links if link.target in touched}
                else:
                    owners |= {link.source for link in links if link.target in renamed}
            links = await core.store.neighbours(core.scope, some, Relation.LEARNED_FROM)
            turns = {*some, *(link.target for link in links if link.source in touched)}
            holding = FindBoxes(holding=tuple(sorted(turns)), limit=len(turns))
            owners |= {-row.box for row in await core.store.boxes(core.scope, holding)}
        return owners

    async def _find_renamed(self, seqs: Sequence[int]) -> set[int]:
        """Return the entities among some memories whose pages are called otherwise now, or stand no more."""
        await self.core.entities.refresh()
        entities = self.core.entities.memories
        return {
            seq
            for seq in seqs
            if seq in entities
            and (
                entities[seq].status not in STANDING
                or self.journal.name_file(entity_path(entities[seq]), seq) not in self.journal.files
            )
        }

    async def _matches_history(self) -> bool:
        """Tell whether what was followed is still what happened: no older copy of the database came back."""
        core, journal = self.core, self.journal
        if journal.position <= 0:
            return journal.position == 0
        parts = await core.store.history(core.scope, after=journal.position - 1, limit=1, rows=False)
        return bool(parts) and (parts[0].position, parts[0].digest) == (journal.position, journal.digest)

    async def _write_whole_scope(self) -> None:
        """Write all there is, and go on from there."""
        core, journal = self.core, self.journal
        snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset()), core.clock.now())
        at = snapshot.position
        parts = await core.store.history(core.scope, after=max(0, at - 1), limit=1, rows=False)
        boxes = [-row.box async for row in iterate_boxes(core)]
        await self._write_all(sorted({*snapshot.seq.tolist(), *self._list_owners(), *boxes}))
        journal.begin_anew()
        journal.set_position(at, parts[0].digest if parts else "")

    def _list_owners(self) -> set[int]:
        """Return whose files there are: memories, and boxes below zero."""
        return {file.owner for file in self.journal.files.values()} - {NOBODY}

    async def _write_all(self, seqs: Sequence[int]) -> None:
        """Write the files of some memories, and of those to which this gave another name.

        That ends: of all that would have one name the first keeps it, whoever comes.
        """
        await self.core.entities.refresh()
        while seqs:
            pages = [seq for seq in seqs if seq < 0 or seq in self.core.entities.memories]
            for some in (sorted({*seqs} - {*pages}), pages):  # pages name the files of facts
                await self._write_some(some)
            seqs, self._displaced = sorted(self._displaced), set()

    async def _write_some(self, seqs: Sequence[int]) -> None:
        """Write the files of some memories; the next ones are read meanwhile."""
        writing: asyncio.Task[None] | None = None
        try:
            for begin in range(0, len(seqs), MEMORIES):
                read_ = await self._read(seqs[begin : begin + MEMORIES])
                if writing is not None:
                    await writing
                writing = asyncio.create_task(asyncio.to_thread(self._write_files, read_))
            if writing is not None:
                await writing
        finally:
            if writing is not None:  # nobody leaves the folder while a thread is in it
                await asyncio.wait({writing})

    async def _read(self, seqs: Sequence[int]) -> _FileInputs:
        """Read memories, and the facts of the turns among them, whose words may stand in another file."""
        numbers = [-owner for owner in seqs if owner < 0]
        memories = await self._read_memories([owner for owner in seqs if owner > 0])
        turns = [seq for seq, one in memories.items() if one is not None and TURN in one.tags]
        if turns:
            links = await self.core.store.neighbours(self.core.scope, turns, Relation.LEARNED_FROM)
            facts = {link.source for link in links} - memories.keys()
            memories |= await self._read_memories(sorted(facts))
        there = [one for one in memories.values() if one is not None]
        known = [one for one in there if is_entity(one)]
        called = self.journal.name_file
        pages = await entity_pages(self.core, known, self._read_memories, called)
        boxes = await box_pages(self.core, numbers, self._read_memories, called)
        pages |= {-number: page for number, page in boxes.items()}
        owners = [*memories.items(), *((-number, None) for number in numbers)]
        return _FileInputs(owners, await read_file_context(self.core, there, called), pages)

    async def _read_memories(self, seqs: Sequence[int]) -> dict[int, Memory | None]:
        if not seqs:
            return {}
        store, scope = self.core.store, self.core.scope
        try:
            return dict(zip(seqs, await store.get(scope, seqs), strict=True))
        except StoreDamaged as damage:
            if len(seqs) == 1:  # its file stays as it is
                self.done.damaged.append(f"{short_id(seqs[0])}: {damage}; {damage.recovery}")
                return {}
        parts = [await self._read_memories([seq]) for seq in seqs]
        return {seq: one for some in parts for seq, one in some.items()}

    # In a thread, where files are read and written

    def _write_files(self, read_: _FileInputs) -> None:
        for owner, memory in read_.memories:
            files = list(files_of(memory, read_.others)) if memory is not None else []
            files += [read_.pages[owner]] if owner in read_.pages else []
            paths = {self._put_file(owner, file) for file in files}
            before = self.journal.find_paths(owner)
            for path in before - paths - self.edited.keys() if before != paths else ():
                self._remove_file(path)

    def _put_documents(self, drawn: Sequence[MirrorDocument]) -> None:
        for one in drawn:
            self._put_file(NOBODY, File(one.path, one.data, one.checksum))

    def _remove_file(self, path: str) -> bool:
        """Take a file away that nobody edited; who else would have its name is given it."""
        if not self._is_left(path):
            return False
        self.folder.remove(path)
        self.journal.drop(path)
        self._displaced |= self.journal.find_rivals(path)
        self.done.removed += 1
        return True

    def _put_file(self, owner: int, file: File) -> str:
        """Write a file where it is not so yet and nobody edited it; return its path."""
        path = file.path
        try:
            # Of all that would have one name, what came first has it, the others with their ids. So a path
            # hangs on what stands and not on the order in which it came to the folder.
            if owner == NOBODY or self._is_free(file.path, owner):
                path = file.path
            else:
                with_id, with_whole_id = paths_with_id(file.path, file.id)
                path = with_id if self._is_free(with_id, owner) else with_whole_id
            self._put_at(path, owner, file)
        except (
            InvalidInput
        ) as error:  # a folder or a link is in its place; it is tried again with the next look
            self.journal.keep(path, MirroredFile(owner, NONE, UNWRITTEN))
            self.edited[path] = ChangedFile(path, NONE, problem=str(error), recovery=error.recovery)
        return path

    def _is_free(self, path: str, owner: int) -> bool:
        """Tell whether a memory may have a path: none that came before it has, and no file of a person's is there."""
        same = self.journal.find_same(path)
        if same is None:
            return self._is_left(path)
        holder = self.journal.files[same].owner
        if holder == owner and same == path:
            return True
        if holder < owner or not self._is_left(same):
            return False
        if holder != owner:
            self._displaced.add(holder)
        # Some file systems take it for the same in other letters, too: the old one goes first.
        return same == path or self._remove_file(same)

    def _put_at(self, path: str, owner: int, file: File) -> None:
        if not self._is_left(path):
            return
        claim = self._claimed.pop(path, None)
        if claim is not None:
            self.journal.keep(path, replace(claim[1], owner=owner))
        entry = self.journal.files.get(path)
        if entry is None and self._is_deleted(owner, file):  # under the name that it had
            self.journal.keep(path, MirroredFile(owner, NONE, file.checksum))
        elif entry is None or entry.checksum != file.checksum:
            self.journal.keep(path, MirroredFile(owner, self.folder.write(path, file.data), file.checksum))
            self.done.written += owner != NOBODY

    def _is_deleted(self, owner: int, file: File) -> bool:
        """Tell whether somebody deleted a file that said the same."""
        entries = [self.journal.files[path] for path in self.journal.find_paths(owner)]
        return any(one.is_deleted and one.checksum == file.checksum for one in entries)

    def _is_left(self, path: str) -> bool:
        """Tell whether a file may be written or taken away: it is as it was left, or not there."""
        if path in self.edited:
            return False
        entry = self.journal.files.get(path)
        if entry is None and self._unknown is not None and path not in self._unknown:
            return True  # as just looked
        stamp = self.folder.stamp(path)
        if stamp is None:
            if entry is not None:
                self._note_missing(path, entry)
            return True
        if entry is not None and entry.stamp == stamp:
            return True
        self._look_at(path, stamp)
        return path not in self.edited

    def _look_at_files(self) -> None:
        """Look at all files by size and time."""
        self.folder.clear()
        entries, paths = self.journal.files, set[str]()
        others: dict[str, Stamp] = {}  # that are not as they were left
        unknown: dict[str, Stamp] = {}
        for before, files in chain(
            self.folder.iterate_files(*FOLDERS), [("", self.folder.list_existing(DOCUMENTS))]
        ):
            for name, size, at in files:
                path = before + name
                entry = entries.get(path)
                if entry is None:
                    unknown[path] = Stamp(size, at)
                    continue
                paths.add(path)
                if entry.stamp != (size, at):
                    others[path] = Stamp(size, at)
                elif not entry.checksum:  # whoever wanted to write it did not come to it
                    self._anew.add(entry.owner)
        self._unknown = unknown
        strange = others | unknown
        self.edited = {path: one for path, one in self.edited.items() if strange.get(path) == one.stamp}
        for path in entries.keys() - paths:
            self._note_missing(path, entries[path])
        for path, stamp in sorted(strange.items()):
            if path not in self.edited:
                self._look_at(path, stamp)

    def _note_missing(self, path: str, kept: MirroredFile) -> None:
        """Note that a file is not there: somebody deleted it, or whoever wanted to write it did not come to it."""
        if kept.checksum == UNWRITTEN:
            self._anew.add(kept.owner)
        elif not kept.is_deleted:
            self.journal.keep(path, replace(kept, stamp=NONE))

    def _bring_back_all(self, owner: int, path: str) -> None:
        """Let the files be written again that `path` was moved from: it is theirs, and was not deleted."""
        folder = path.partition("/")[0]
        for other in self.journal.find_paths(owner) - {path}:
            if other.partition("/")[0] == folder:
                self.bring_back(other)

    def _look_at(self, path: str, stamp: Stamp) -> None:
        """Read a file that is not as it was left: one that the mirror wrote, an empty one, or one that was edited."""
        entry = self.journal.files.get(path)
        if path == ACTIONS:  # a record, in which nothing can be edited: it is written over
            self._own_again(path, NOBODY, stamp)
            return
        if entry is None and not path.endswith(".md"):
            return
        try:
            data, stamp = self.folder.read(path)
        except FileNotFoundError:
            return
        except InvalidInput as error:
            self.edited[path] = ChangedFile(path, stamp, problem=str(error), recovery=error.recovery)
            return
        checksum = checksum_of(data)
        if checksum is not None and entry is None:
            fields = read(data).fields
            name = str(fields.get("id") or fields.get("of") or fields.get("conversation") or "")
            self._claimed[path] = (name, MirroredFile(0, stamp, checksum))
        elif checksum is not None and entry is not None:
            self._own_again(path, entry.owner, stamp)
        elif data.strip():
            self.edited[path] = ChangedFile(path, stamp, data)
        elif entry is not None:  # what a crash of the machine, or somebody, left empty is as good as missing
            self._own_again(path, entry.owner, stamp)

    def _own_again(self, path: str, owner: int, stamp: Stamp) -> None:
        self.journal.keep(path, MirroredFile(owner, stamp, UNWRITTEN))
        self._anew.add(owner)

    async def _adopt_files(self) -> None:
        """Find whose the files are that the mirror wrote and does not know; those of nobody here are left alone."""
        claims, self._claimed = self._claimed, {}
        names = (name for path, (name, _) in claims.items() if not path.startswith(f"{BOXES}/"))
        memories = await get_named(self.core, names)
        is_all = self.journal.position == NOWHERE  # then each is compared with what it is to be
        for path, (name, entry) in claims.items():
            memory = memories.get(name)
            owner = memory.seq if memory is not None else None
            if path.startswith(f"{BOXES}/"):
                owner = -int(name) if name.isdecimal() and len(name) <= NUMBER_CHARS else None
            if path in DOCUMENTS:
                self._own_again(path, NOBODY, entry.stamp)
            elif owner is not None and is_all:
                self.journal.keep(path, replace(entry, owner=owner))
            elif owner is not None:
                self._own_again(path, owner, entry.stamp)
            if owner is not None:
                self._bring_back_all(owner, path)
        await self._adopt_edited()

    async def _adopt_edited(self) -> None:
        """Find whose the edited files are that the mirror does not know: the one of a memory that has no other file.

        Of several that name it, it is the one under its name.
        """
        paths: dict[str, list[str]] = {}
        for path, file in self.edited.items():
            if path not in self.journal.files and path not in DOCUMENTS:
                paths.setdefault(_name_in(file), []).append(path)
        for name, memory in (await get_named(self.core, paths)).items():
            if memory is None:
                continue
            if any(not self.journal.files[path].is_deleted for path in self.journal.find_paths(memory.seq)):
                continue
            own = {path_of(memory), *paths_with_id(path_of(memory), memory.id)}
            named = [path for path in paths[name] if path in own] or paths[name]
            if len(named) == 1:
                self.journal.keep(named[0], MirroredFile(memory.seq, NONE, UNWRITTEN))


async def get_named(core: Core, names: Iterable[str]) -> dict[str, Memory | None]:
    """Return the memories with some ids; "" names none."""
    asked = sorted({*names} - {""})
    return dict(zip(asked, await core.store.get(core.scope, asked), strict=True)) if asked else {}


def _name_in(file: ChangedFile) -> str:
    """Return the id that an edited file names; "" for none, or where it cannot be read."""
    try:
        name = read(file.data).fields.get("id")
    except InvalidInput:
        return ""
    return name if isinstance(name, str) else ""


def _find_affected_owners(entries: Iterable[Entry]) -> set[int]:
    """Return the memories of whose files some changes may say something else, and boxes as negative numbers."""
    owners: set[int] = set()
    for entry in entries:
        keys = entry.row_keys()
        match entry.table:
            case "memories":
                owners.update(keys)
            case "tags" | "sources":
                owners.update(seq for seq, _ in keys)
            case "links":
                owners.update(end for *ends, relation in keys if relation in TELLING for end in ends)
            case "boxes":
                owners.update(-box for box in keys)
            case _:
                pass
    return owners


@asynccontextmanager
async def _open_alone(root: Path) -> AsyncIterator[Folder]:
    """Open a folder for a block, once no other process is in it."""
    folder = await asyncio.to_thread(Folder(root).__enter__)
    try:
        async with _hold_lock(folder):
            yield folder
    finally:
        folder.__exit__(None, None, None)


@asynccontextmanager
async def _hold_lock(folder: Folder) -> AsyncIterator[None]:
    """Wait until no other process is in the folder, and keep them out for a block."""
    for _ in range(WAITS):
        with folder.hold_lock() as is_held:
            if is_held:
                yield
                return
        await asyncio.sleep(WAIT_S)
    raise StoreUnavailable(
        f"another process has been writing into {folder.root} for {WAIT_S * WAITS:g} s",
        recovery="wait until it is done, or name another folder",
    )
