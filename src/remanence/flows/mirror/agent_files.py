"""A frame of the memory written into a block of CLAUDE.md or AGENTS.md, and edits of that block by hand.

Knows one file and what a person wrote around the block, which stays byte for byte; must not know the files of a mirror.
"""

import asyncio
import os
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from remanence.core.arguments import check_count
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected, StoreUnavailable
from remanence.core.keywords import AgentFormat
from remanence.core.model import STANDING, Memory, RecallResult, short_id
from remanence.flows.base import settings
from remanence.flows.base.context import REMARKS_SHOWN, Core
from remanence.flows.base.paging import read_memories
from remanence.flows.mirror.folder import FILE_BYTES_MAX, Folder, Stamp
from remanence.flows.mirror.hand_edits import apply_edit, digest_of, propose_edit, refuse_as_whole
from remanence.flows.mirror.mirror_result import FileEdit, MirrorResult
from remanence.flows.mirror.mirroring import MIRRORS
from remanence.flows.recall import framing
from remanence.flows.recall.memory_lines import extract_passage, render
from remanence.flows.recall.profiling import Profile
from remanence.recall.frames import BOOT, BUDGET_MAX, PROFILE
from remanence.store.base import Bookkeeping
from remanence.write import memory_block
from remanence.write.imported import SkipCounts
from remanence.write.memory_block import HEADING, MemoryBlock
from remanence.write.transcripts import markdown
from remanence.write.transcripts.agent_notes import leave_out_lines

NAMES: Mapping[AgentFormat, str] = {"claude": "CLAUDE.md", "agents": "AGENTS.md"}
SAID_ABOVE = "in the file already"
ITEM_TOKENS = 3  # that an item takes beside the line of its memory
_DIGEST_BYTES = 6
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """What is asked for: which file in which folder, and which frame within how many tokens."""

    root: Path
    name: str
    frame: str
    budget: int

    @property
    def path(self) -> str:
        """Where the file lies."""
        return str(self.root / self.name)

    @property
    def entry_name(self) -> str:
        """Return the name under which the bookkeeping has what was written there."""
        return f"{MIRRORS}file-{blake2b(os.fsencode(self.path), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class _AgentFile:
    """A file as it is: its bytes, its text and the block in that; without `stamp` and `mode` there is no file."""

    data: bytes = b""
    text: str = ""
    block: MemoryBlock | None = None
    stamp: Stamp | None = None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class _BlockItem:
    """A memory as it stands in the block, and whether its line says all of it."""

    memory: Memory
    line: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _ShownMemory:
    """A memory that a frame shows, which stronger ones there contradict it, and whether it had no room there whole."""

    memory: Memory
    over: Sequence[Memory] = ()
    is_cut: bool = False

    def render(self, part: str | None = None) -> _BlockItem:
        """Return it as an item, a `part` of its text in the place of the whole."""
        line = memory_block.render_item(render(self.memory, self.over, part, scarce=True))
        return _BlockItem(self.memory, line, line.endswith(f"] {self.memory.text}"))


@dataclass(frozen=True, slots=True)
class _NamedLine:
    """What the line of a block names: a memory, and as of which revision its line says all of it.

    One that `is_odd` was not in the block, or stands twice.
    """

    seq: int
    memory: Memory | None
    revision: int | None
    is_odd: bool


async def make_request(
    core: Core, folder: Path, as_: AgentFormat, frame: str | None, budget: int | None
) -> BlockRequest:
    """Return what a caller asks for, with what is usual where they say nothing."""
    if budget is not None:
        check_count("budget", budget, 1, BUDGET_MAX)
    usual = await settings.number(core, "boot_tokens") if budget is None else budget
    return BlockRequest(folder, NAMES[as_], BOOT if frame is None else frame, usual)


async def sync_block(
    core: Core,
    request: BlockRequest,
    wanted: Sequence[FileEdit] | None = (),
    discard: Sequence[str] = (),
) -> MirrorResult:
    """Bring the block of a file to what the frame shows; one that was edited by hand stays, and its edits are shown.

    `wanted` are the edits to apply, as they were shown, None for all.
    """
    others = [one for one in discard if one != request.name]
    if others:
        raise NotFound(f"no edited file {others[0]}", recovery=f"the one file is {request.name}")
    file = await asyncio.to_thread(_read_agent_file, request)
    entry = await _read_entry(core, request)
    done = _AppliedEdits()
    if file.block is not None and not discard:
        if entry is None:
            raise InvalidInput(
                f"the block in {request.path} was written by another memory, or in another place",
                recovery=f"to put what this memory shows in its place: --discard {request.name}",
            )
        edits = await _propose_edits(core, request.name, file, entry)
        if edits and (wanted is None or wanted):
            done = await _apply_edits(core, edits, wanted)
            edits = list(done.refused)
        if edits:
            memories = sum(map(memory_block.is_named_item, file.block.lines))
            return replace(
                _make_result(request, memories, done),
                edits=tuple(edits[:REMARKS_SHOWN]),
                waiting=len(edits),
            )
    items, left_out = await _draw_items(core, request, memory_block.cut_block(file.text, file.block))
    lines = _lay_out(items)
    is_current = file.block is not None and file.block.lines == tuple(lines) and not file.block.is_edited
    await _keep_entry(core, request, entry, lines, items)
    if not is_current:
        await asyncio.to_thread(_write_agent_file, request, file, lines)
    return replace(_make_result(request, len(items), done), written=int(not is_current), left_out=left_out)


def _make_result(request: BlockRequest, memories: int, done: "_AppliedEdits") -> MirrorResult:
    return MirrorResult(
        request.path, 1, applied=done.applied, refused=done.refused, runs=done.runs, memories=memories
    )


async def _read_entry(core: Core, request: BlockRequest) -> dict[str, Any] | None:
    """Return what the bookkeeping has of a file: the frame, the budget and the lines that were written last."""
    name = request.entry_name
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(name,)))
    found: dict[str, Any] | None = books.values.get(name)
    return found


def is_agent_file(path: Path) -> bool:
    """Tell whether a path of the bookkeeping is that of one file, not that of the folder of a mirror."""
    return path.name in NAMES.values() and not path.is_dir()


def format_sync_command(path: str) -> str:
    """Write how somebody brings a mirror, or one file, up to date."""
    folder, name = Path(path).parent, Path(path).name
    formats = [one for one, own in NAMES.items() if own == name and is_agent_file(Path(path))]
    return f"remanence mirror sync {folder} --as {formats[0]}" if formats else f"remanence mirror sync {path}"


async def bring_block(core: Core, path: Path) -> bool:
    """Bring a file to what the memory holds now, as it was asked for last; False where that cannot be."""
    request = BlockRequest(path.parent, path.name, BOOT, 1)
    if not await asyncio.to_thread(path.parent.is_dir):
        return False
    entry = await _read_entry(core, request)
    if entry is None or not await asyncio.to_thread(os.path.lexists, path):
        return True
    request = BlockRequest(path.parent, path.name, entry["frame"], entry["budget"])
    try:
        file = await asyncio.to_thread(_read_agent_file, request)
        if file.block is None:
            return True
        return not (await sync_block(core, request)).waiting
    except (Conflict, InvalidInput, NotFound, StoreUnavailable):
        return False


def _read_agent_file(request: BlockRequest) -> _AgentFile:
    """Read a file; raise InvalidInput for what nobody can write a block into."""
    if not request.root.is_dir():
        raise NotFound(
            f"no folder {request.root}",
            recovery="name the folder of a project, not a file, and make it first",
        )
    path = Path(request.path)
    try:
        status = path.lstat()
    except FileNotFoundError:
        return _AgentFile()
    except OSError as error:
        raise InvalidInput(
            f"cannot read {path}: {error.strerror}", recovery="name a folder that you may read"
        ) from error
    _refuse_odd_file(path, status)
    with Folder(request.root) as folder:
        data, stamp = folder.read(request.name)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is no UTF-8", recovery="save it as UTF-8; nothing was written") from error
    try:
        block = memory_block.find_block(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}", recovery=error.recovery) from None
    return _AgentFile(data, text, block, stamp, stat.S_IMODE(status.st_mode))


def _refuse_odd_file(path: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise InvalidInput(
            f"{path} is a link, and no link is followed",
            recovery="sync the file that it leads to, or put a file in its place",
        )
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"{path} is no plain file", recovery="name another folder")
    if status.st_size > FILE_BYTES_MAX:
        raise InvalidInput(f"{path} is larger than {FILE_BYTES_MAX:,} bytes", recovery="shorten it")
    if not status.st_mode & _WRITABLE:
        raise InvalidInput(f"{path} is read-only", recovery="make it writable; nothing was written")


def _write_agent_file(request: BlockRequest, file: _AgentFile, lines: Sequence[str]) -> None:
    """Put a file with other lines in its block in its place, unless somebody wrote it meanwhile."""
    data = memory_block.put_block(file.text, file.block, lines).encode()
    with Folder(request.root) as folder:
        if folder.stamp(request.name) != file.stamp:
            raise Conflict(
                [("file", request.name)],
                f"{request.path} was changed while it was worked on",
                "sync again; nothing was written",
            )
        folder.write(request.name, data, file.mode)


async def _draw_items(
    core: Core, request: BlockRequest, around: str
) -> tuple[list[_BlockItem], Mapping[str, int]]:
    """Return what the frame shows within the budget, but for what a person wrote in the file in the same words."""
    (fixed,) = core.counts([memory_block.render_block(_lay_out([]))])
    if fixed > request.budget:
        raise InvalidInput(
            f"a block without memories takes {fixed} tokens already",
            recovery=f"give it a budget of more than {fixed}",
        )
    own = leave_out_lines(around.splitlines(), request.name, SkipCounts())
    said = {markdown.join_lines(one.lines) for one in markdown.read_blocks(own)}
    # What the file says already takes room in the frame, and none in the block.
    room = min(BUDGET_MAX, max(1, request.budget - fixed) + core.counts([around])[0])
    found, left_out = await _read_frame(core, request.frame, room)
    items: list[_BlockItem] = []
    used = fixed
    for shown in found:
        memory, item = shown.memory, shown.render()
        size = core.counts([f"{item.line}\n"])[0]
        if used + size > request.budget and (shown.is_cut or not items):
            rooms = [request.budget - used - ITEM_TOKENS]
            part = extract_passage(core, memory, rooms, over=shown.over, is_alone=len(found) == 1)
            item = shown.render(part) if part else item
            size = core.counts([f"{item.line}\n"])[0]
        if memory.text in said or " ".join(memory.text.split()) in said:
            left_out[SAID_ABOVE] += 1
        elif used + size > request.budget:
            left_out["budget"] += 1
        else:
            items.append(item)
            used += size
    while items and core.counts([memory_block.render_block(_lay_out(items))])[0] > request.budget:
        items.pop()
        left_out["budget"] += 1
    return items, {reason: count for reason, count in left_out.items() if count}


async def _read_frame(core: Core, frame: str, room: int) -> tuple[list[_ShownMemory], Counter[str]]:
    """Return the active memories that a frame shows in so many tokens, and how many had no room in it."""
    if frame == PROFILE:
        profile = await framing.show_frame(core, framing.Look(PROFILE, count_use=False))
        assert isinstance(profile, Profile)
        by_seq = await read_memories(core, [one.seq for one in profile.lines])
        shown = [_ShownMemory(by_seq[one.seq]) for one in profile.lines if one.seq in by_seq]
        left_out = Counter({"budget": profile.left_out})
    else:
        answer = await framing.show_frame(core, framing.Look(frame, budget=room, count_use=False))
        assert isinstance(answer, RecallResult)
        by_id = {one.id: one.memory for one in answer.memories}
        shown = [
            _ShownMemory(one.memory, [by_id[by] for by in one.contradicted_by if by in by_id], one.cut)
            for one in answer.memories
        ]
        left_out = Counter({why: answer.left_out.get(why, 0) for why in ("limit", "budget")})
    return [one for one in shown if one.memory.status in STANDING], left_out


def _lay_out(items: Sequence[_BlockItem]) -> list[str]:
    return [HEADING, "", *(one.line for one in items)]


async def _keep_entry(
    core: Core,
    request: BlockRequest,
    before: Mapping[str, Any] | None,
    lines: Sequence[str],
    items: Sequence[_BlockItem],
) -> None:
    """Note what is written before it is: which line is of which memory as of which revision, without its words."""
    written = {
        str(one.memory.seq): [one.memory.revision if one.is_whole else None, _digest_line(core, one.line)]
        for one in items
    }
    entry = {
        "path": request.path,
        "frame": request.frame,
        "budget": request.budget,
        "digest": _digest_line(core, memory_block.digest_lines(lines)),
        "lines": written,
    }
    if entry != before:
        put = {request.entry_name: entry}
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put=put))


def _digest_line(core: Core, line: str) -> str:
    return blake2b(line.encode(), digest_size=_DIGEST_BYTES, key=core.salt[:64]).hexdigest()


async def _propose_edits(core: Core, name: str, file: _AgentFile, entry: Mapping[str, Any]) -> list[FileEdit]:
    """Return what an edited block would change; all of it can be applied, or nothing."""
    block = file.block
    if block is None or not block.is_edited:
        return []
    edit = FileEdit(name, digest_of(file.data))
    if _digest_line(core, block.digest) != entry["digest"]:
        older = InvalidInput(
            "the block was edited, and it is not the one that this memory wrote last",
            recovery=f"move what you want to keep out of the block, then --discard {name}",
        )
        return [edit.mark_refused(older)]
    written: dict[int, tuple[int | None, str]] = {int(seq): tuple(one) for seq, one in entry["lines"].items()}
    memories = await read_memories(core, list(written))
    edits: list[FileEdit] = []
    shown: set[int] = set()
    for number, line in enumerate(block.lines, start=block.number):
        seq, text = memory_block.read_item(line.rstrip()) or (None, None)
        is_odd = seq is not None and (seq not in written or seq in shown)
        if seq is not None and not is_odd and _digest_line(core, line) == written[seq][1]:
            shown.add(seq)
        elif line not in ("", HEADING):
            one = replace(edit, line=number)
            named = None
            if seq is not None:
                named = _NamedLine(seq, memories.get(seq), written.get(seq, (None, ""))[0], is_odd)
                shown.add(seq)
            edits += await propose_edit(core, one, partial(_read_line, one, text, named))
    edits += [
        replace(edit, seq=seq).mark_refused(
            InvalidInput(
                f"the line of {short_id(seq)} was taken out, which deletes no memory",
                recovery=f"to delete it: forget {seq}; else put the line back",
            )
        )
        for seq in sorted(written.keys() - shown)
        if seq in memories and memories[seq].status in STANDING
    ]
    if edits:
        return refuse_as_whole(edits)
    if shown < written.keys():  # what was taken out is no active memory any more
        return []
    idle = InvalidInput(
        "the block was edited, but no text of a memory in it", recovery=f"to write it anew: --discard {name}"
    )
    return [edit.mark_refused(idle)]


def _read_line(edit: FileEdit, text: str | None, named: _NamedLine | None) -> FileEdit:
    """Return what one line of a block would change; raise the error that says why it cannot."""
    if text is None:
        raise InvalidInput(
            f"line {edit.line} is no item of the block",
            recovery="begin it with `- ` to make it a memory, or move it out of the block",
        )
    if named is None:
        return replace(edit, verb="learn", after={"text": text})
    number, memory = short_id(named.seq), named.memory
    if named.is_odd:
        raise InvalidInput(
            f"line {edit.line} names {number} a second time, or it was not in the block",
            recovery=f"take `[{number} …]` away to make it a new memory, or take the line away",
        )
    if memory is None or memory.status not in STANDING:
        raise NotFound(f"no active memory {number}", recovery="take the line away, or the name in it")
    if named.revision is None:
        raise InvalidInput(
            f"{number} says more than the line shows, or with other signs",
            recovery=f"correct it by `correct {named.seq} TEXT`, and take the edit back",
        )
    if text == memory.text and named.revision == memory.revision:
        raise InvalidInput(f"the brackets of {number} are not editable", recovery="take the edit back")
    return edit.correct_text(memory, text, named.revision)


@dataclass(frozen=True, slots=True)
class _AppliedEdits:
    """Edits that were applied by some runs, and those that were refused, so that the block stays as it is."""

    applied: tuple[FileEdit, ...] = ()
    refused: tuple[FileEdit, ...] = ()
    runs: tuple[str, ...] = ()


async def _apply_edits(
    core: Core, edits: Sequence[FileEdit], wanted: Sequence[FileEdit] | None
) -> _AppliedEdits:
    """Apply all edits of a block, if those that somebody saw (`wanted`) are these; what fails ends it."""
    if wanted is not None and {(one.digest, one.line) for one in wanted} != {
        (one.digest, one.line) for one in edits
    }:
        changed = Conflict(
            [("file", edits[0].path)],
            "these are not all edits of the block, or the file changed since they were shown",
            "look at the edits again; a block is applied as a whole, and nothing was written",
        )
        return _AppliedEdits(refused=tuple(one.mark_refused(changed) for one in edits))
    if any(one.error for one in edits):
        return _AppliedEdits(refused=tuple(edits))
    applied: list[FileEdit] = []
    runs: list[str] = []
    for place, one in enumerate(edits):
        try:
            outcome, run = await apply_edit(core, one)
        except (Conflict, InvalidInput, NotFound, Protected) as error:
            refused = (one.mark_refused(error), *edits[place + 1 :])
            return _AppliedEdits(tuple(applied), refused, tuple(runs))
        applied.append(outcome)
        runs += [run] if run is not None else []
    return _AppliedEdits(tuple(applied), (), tuple(runs))
