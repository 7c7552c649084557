"""A memory as a folder of text files, as `memory.mirror`: synced when asked for or watched, edits applied.

Knows when to look and whom to tell; what a file proposes is in `hand_edits`, how files are read and written in
`mirroring`. While it watches, changes are followed at once and edits found within seconds; a command of somebody's runs
after what was written, one at a time.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from remanence.core.arguments import check_path
from remanence.core.clock import SECOND, read_monotonic_micros
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected, StoreUnavailable
from remanence.core.keywords import AgentFormat, Some
from remanence.core.signatures import checked_class
from remanence.flows.base.context import REMARKS_SHOWN, Core, first_remarks
from remanence.flows.mirror import agent_files
from remanence.flows.mirror.documents import DOCUMENTS
from remanence.flows.mirror.hand_edits import apply_edit, is_drawn, proposals
from remanence.flows.mirror.mirror_result import FileEdit, MirrorResult
from remanence.flows.mirror.mirroring import NOBODY, Mirroring


async def propose_edits(mirroring: Mirroring) -> list[FileEdit]:
    """Return what edited files would change; one that says what its memory says is the mirror's again."""
    files = mirroring.journal.files
    owners = {path: files[path].owner for path in mirroring.edited.keys() & files.keys()}
    edits = await proposals(mirroring.core, mirroring.edited.values(), mirroring.journal)
    for edit in edits:
        if edit.verb == "none" and not edit.error and edit.seq is not None:
            mirroring.settle(edit.path, edit.seq)
    for path in {path for path in mirroring.edited if is_drawn(path)} - {edit.path for edit in edits}:
        mirroring.settle(path, NOBODY if path in DOCUMENTS else owners[path])
    return [edit for edit in edits if edit.path in mirroring.edited]


async def apply_edits(mirroring: Mirroring, edits: Sequence[FileEdit] | None) -> MirrorResult:
    """Apply edits that were shown, or all that can be; what was refused, or not asked for, still waits."""
    await mirroring.look()
    now = {(edit.path, edit.line): edit for edit in await propose_edits(mirroring)}
    picks = list(now.values()) if edits is None else [_as_shown(edit, now) for edit in edits]
    applied, refused, runs = [], [], []
    for edit in picks:
        if edit.error:
            refused.append(edit)
            continue
        try:
            outcome, run = await apply_edit(mirroring.core, edit)
        except (Conflict, InvalidInput, NotFound, Protected) as error:
            refused.append(edit.mark_refused(error))
            continue
        applied.append(outcome)
        runs += [run] if run is not None else []
    others = [edit for place, edit in now.items() if place not in {(one.path, one.line) for one in picks}]
    open_paths = {edit.path for edit in (*refused, *others)}
    for path, owner in {edit.path: edit.seq for edit in applied}.items():
        if path not in open_paths:
            assert owner is not None
            if not is_drawn(path):
                mirroring.settle(path, owner)
            elif path in DOCUMENTS:  # it is worked out of many memories
                mirroring.settle(path, NOBODY)
            else:
                mirroring.settle(path, mirroring.journal.files[path].owner)
    await mirroring.write()
    done = make_mirror_result(mirroring, sorted([*refused, *others], key=lambda one: one.path))
    return replace(done, applied=tuple(applied), refused=tuple(refused), runs=tuple(runs))


async def discard_edits(mirroring: Mirroring, paths: Sequence[str]) -> None:
    """Write files anew from their memories, whatever was edited in them, and those that somebody deleted."""
    await mirroring.look()
    edits = {edit.path: edit for edit in await propose_edits(mirroring)}
    for path in paths:
        file, edit = mirroring.journal.files.get(path), edits.get(path)
        owner = file.owner if file is not None else edit.seq if edit is not None else None
        owner = NOBODY if path in DOCUMENTS else owner
        if path in mirroring.edited and owner is None:
            raise InvalidInput(
                f"{path} is no file of the mirror's own", recovery="take it away by hand, if it is not wanted"
            )
        if path not in mirroring.edited and file is None:
            raise NotFound(f"no edited file {path}", recovery="name it as the sync shows it")
        if path in mirroring.edited and owner is not None:
            mirroring.settle(path, owner)
        elif file is not None:
            mirroring.bring_back(path)
    await mirroring.write()


def _as_shown(edit: FileEdit, now: Mapping[tuple[str, int | None], FileEdit]) -> FileEdit:
    """Return a proposal as it stands now, if the file is still the one that was shown."""
    current = now.get((edit.path, edit.line))
    if current is not None and current.digest == edit.digest:
        return current
    return edit.mark_refused(
        Conflict(
            [("file", edit.path)],
            "the file changed since its proposal was shown",
            "look at the proposals again; nothing was written",
        )
    )


Mirrorings: TypeAlias = dict[Path, Mirroring]
FOLLOW_S = 0.1  # between two looks at the feed
LOOK = SECOND  # between two looks at all files, while they are short
LOOK_SHARE = 4  # a look is followed by so many times its length without one
LOOK_LEAST = SECOND // 4  # and in any case by so much
SEEN = 2_700_000  # after which an edit is seen: three seconds, without what telling of it takes
COMMAND_S = 600.0  # a command that takes longer is ended
ERROR_BYTES = 2_000  # of what it says


class Command:
    """A command that runs after what was written, one at a time; asked for while it runs, it runs once more."""

    def __init__(self, words: Sequence[str]) -> None:
        if not words or not all(words):
            raise InvalidInput("the command has no words", recovery="pass the program and its arguments")
        self._words = words
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self.said = ""

    def schedule_run(self) -> None:
        """Let it run now, or once more after it has."""
        if self._task is not None and not self._task.done():
            self._again = True
            return
        self._task = asyncio.create_task(self._run_when_due())

    async def wait_until_done(self) -> None:
        """Wait until it has run."""
        if self._task is not None:
            await self._task

    async def stop(self) -> None:
        """End it where it runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run_when_due(self) -> None:
        self._again = True
        while self._again:
            self._again = False
            self.said = await _run_command(self._words)


class Watch:
    """Keeps a folder up to date until it is cancelled; `tell` hears of all that was done and found."""

    def __init__(
        self, mirroring: Mirroring, tell: Callable[[MirrorResult], object], command: Command | None
    ) -> None:
        self._mirroring = mirroring
        self._tell = tell
        self._command = command
        self._look_at = 0  # when all files are looked at again
        self._edits: tuple[FileEdit, ...] = ()
        self._deleted = 0
        self._failed = self._said = ""
        self._has_told = False

    async def run(self) -> None:
        """Go on until somebody cancels."""
        try:
            while True:
                await self._turn()
                await asyncio.sleep(FOLLOW_S)
        finally:
            if self._command is not None:
                await self._command.stop()

    async def _turn(self) -> None:
        try:
            done = await self._sync_changes()
        except StoreUnavailable as error:  # full, or not there for a while: it is tried again
            done = MirrorResult(str(self._mirroring.root), 0, failed=f"{error}; {error.recovery}")
        if self._command is not None:
            if done is not None and (done.written or done.removed):
                self._command.schedule_run()
            done = self._with_command(done)
        if done is not None and self._is_news(done):
            self._tell(done)

    async def _sync_changes(self) -> MirrorResult | None:
        """Follow the changes where there are any, and look at all files where that is due."""
        mirroring, begun = self._mirroring, read_monotonic_micros()
        if begun >= self._look_at:
            async with mirroring.hold_folder():
                done = await sync_folder(mirroring, by_the_minute=True)
            taken = read_monotonic_micros() - begun
            self._look_at = read_monotonic_micros() + pause(taken)
            return done
        if not await mirroring.is_behind():
            return None
        async with mirroring.hold_folder():
            await mirroring.follow()
            return replace(make_mirror_result(mirroring), edits=self._edits, waiting=len(self._edits))

    def _with_command(self, done: MirrorResult | None) -> MirrorResult | None:
        assert self._command is not None
        said = self._command.said
        if done is None and said == self._said:
            return None
        base = replace(make_mirror_result(self._mirroring), written=0, removed=0) if done is None else done
        return replace(base, command=said)

    def _is_news(self, done: MirrorResult) -> bool:
        """Tell whether anything is otherwise than it was told last."""
        before = self._edits, self._deleted, self._failed, self._said
        self._failed, self._said = done.failed, done.command
        if not done.failed:
            self._edits, self._deleted = done.edits, done.deleted
        is_news = not self._has_told or before != (self._edits, self._deleted, self._failed, self._said)
        self._has_told = True
        return bool(done.written or done.removed) or is_news


@checked_class
class Mirror:
    """A folder of text files, one for each fact, kept as the memory is: `memory.mirror`."""

    def __init__(self, core: Core, known: Mirrorings) -> None:
        self._core = core
        self._known = known

    async def sync(
        self,
        folder: str | Path,
        *,
        apply: bool | Sequence[FileEdit] = False,
        discard: Some[str] = (),
        as_: AgentFormat | None = None,
        frame: str | None = None,
        budget: int | None = None,
    ) -> MirrorResult:
        """Update a folder of text files from the memory; show manual edits, and `apply` or `discard` them.

        The folder is made if it is missing. A file that somebody edited stays as it is. A file that somebody deleted
        stays deleted until its memory changes; this deletes no memory. `apply` takes edits that a sync showed, or True
        for all that can be applied: each is a run of its own, which `undo` undoes; a refused edit stays in its file,
        with the reason. `discard` names files that are written again from the memory.

        With `as_` no mirror is made: "claude" writes what a `frame` shows (the start context, if none is named) within
        a `budget` into a block of CLAUDE.md in the folder, "agents" into AGENTS.md. All text outside of the
        block is kept. Edits of the block are shown, applied as a whole, or discarded in the same way.
        """
        paths = [discard] if isinstance(discard, str) else list(discard)
        if as_ is not None:
            check_path(folder)
            root = Path(folder).absolute()  # noqa: ASYNC240 - it reads the name of the working folder alone
            request = await agent_files.make_request(self._core, root, as_, frame, budget)
            wanted = None if apply is True else () if apply is False else apply
            return await agent_files.sync_block(self._core, request, wanted, paths)
        if frame is not None or budget is not None:
            raise InvalidInput(
                "a mirror of all memories has no frame and no budget",
                recovery="name the file that a frame is written to: as_='claude' or as_='agents' (--as)",
            )
        mirroring = self._open_mirroring(folder)
        async with mirroring.hold_folder():
            if paths:
                await discard_edits(mirroring, paths)
            if apply is False:
                return await sync_folder(mirroring)
            return await apply_edits(mirroring, None if apply is True else apply)

    async def watch(
        self,
        folder: str | Path,
        tell: Callable[[MirrorResult], object] | None = None,
        *,
        command: Sequence[str] = (),
    ) -> None:
        """Keep a folder up to date until cancelled; `tell` gets what was written and edited.

        Changes are written at once, edits by hand are seen within three seconds. The `command`, a program with its
        arguments, runs after each write, one at a time.
        """
        runs = Command(command) if command else None
        await Watch(self._open_mirroring(folder), tell or (lambda _: None), runs).run()

    def _open_mirroring(self, folder: str | Path) -> Mirroring:
        check_path(folder)
        path = Path(folder).absolute()
        return self._known.setdefault(path, Mirroring(self._core, path))


async def sync_folder(mirroring: Mirroring, *, by_the_minute: bool = False) -> MirrorResult:
    """Bring a folder to what the memory holds, and say what edits in it would change."""
    await mirroring.look()
    edits = await propose_edits(mirroring)
    await mirroring.write(by_the_minute=by_the_minute)
    return make_mirror_result(mirroring, edits)


def make_mirror_result(mirroring: Mirroring, edits: Sequence[FileEdit] = ()) -> MirrorResult:
    """Say what was done to a folder."""
    files = mirroring.journal.files
    return MirrorResult(
        str(mirroring.root),
        sum(not file.is_deleted for path, file in files.items() if path not in DOCUMENTS),
        mirroring.done.written,
        mirroring.done.removed,
        tuple(edits[:REMARKS_SHOWN]),
        len(edits),
        first_remarks(mirroring.done.damaged),
        deleted=sum(file.is_deleted for file in files.values()),
    )


def pause(taken: int) -> int:
    """Return how long no look follows one that took so long.

    An edit right behind one look is seen at the end of the next, at worst: after both of them and the pause.
    """
    return max(LOOK_LEAST, min(max(LOOK, LOOK_SHARE * taken), SEEN - 2 * taken))


async def _run_command(words: Sequence[str]) -> str:
    """Run a command to its end, and say how it went; "" where all is well."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        return f"the command {words[0]!r} cannot be run: {error.strerror}"
    try:
        async with asyncio.timeout(COMMAND_S):
            said = await _read_last(process.stderr)
            code = await process.wait()
    except TimeoutError:
        return f"the command {words[0]!r} was ended after {COMMAND_S:g} s"
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return f"the command {words[0]!r} failed with {code}: {said}" if code else ""


async def _read_last(stream: Any) -> str:
    """Read a stream to its end, and return the last of it."""
    last = b""
    while some := await stream.read(ERROR_BYTES):
        last = (last + some)[-ERROR_BYTES:]
    return last.decode(errors="replace").strip()
