"""Anthropic's memory tool over this memory: each file under /memories is one memory, by its path as key.

A file that is deleted or renamed leaves a tombstone, so `undo`, `restore` and `history` know it; only `erase` erases.
Each command is a pure function of the files. Written for anthropic 2.12 (`memory_20250818`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from posixpath import normpath
from typing import Any, Generic, TypeVar

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.lib.tools._beta_functions import ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.model import Memory, Status, Turn
from remanence.engine import Engine
from remanence.flows.base.context import RACES_MAX
from remanence.integrations.engine_calls import AnyEngine, EngineCalls, Work
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.own_items import is_own, list_own, put_own, refuse_protected

ROOT = "/memories"
LINES_MAX = 999_999
DEPTH = 2  # how far below a folder its listing goes
FOLDER_SIZE = "4K"  # what most file systems say of a folder
_WIDTH = len(str(LINES_MAX))
_UNIT = 1_024
_NOT_FOUND = "The path {} does not exist. Please provide a valid path."


class FileRefusal(Exception):
    """A command that cannot be done; its text is for the model."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What a command answers, and what it changes: texts by path, paths that go, folders that are there from now on."""

    answer: str
    written: Mapping[str, str] = field(default_factory=dict)
    gone: Sequence[str] = ()
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Files:
    """All files by path, and the folders that are there: those of files, and those that were left empty."""

    texts: Mapping[str, str]
    folders: set[str]

    def __post_init__(self) -> None:
        self.folders |= {ROOT, *(folder for path in self.texts for folder in parents(path))}

    def is_folder(self, path: str) -> bool:
        """Tell whether a folder has that path."""
        return path in self.folders

    def exists(self, path: str) -> bool:
        """Tell whether a file or a folder has that path."""
        return path in self.texts or path in self.folders

    def below(self, folder: str) -> list[str]:
        """List the files in a folder and in its folders."""
        return [path for path in self.texts if path.startswith(f"{folder}/")]


def resolve(path: str) -> str:
    """Return the path that is meant, without dots and doubled strokes; raise FileRefusal for one outside /memories."""
    if not path.startswith(ROOT):
        raise FileRefusal(f"Path must start with {ROOT}, got: {path}")
    relative = path[len(ROOT) :].lstrip("/")
    plain = normpath(f"{ROOT}/{relative}")
    if plain != ROOT and not plain.startswith(f"{ROOT}/"):
        raise FileRefusal(f"Path {path} would escape {ROOT} directory")
    return plain


def parents(path: str) -> list[str]:
    """List the folders that a path lies in, the root first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]


def view(files: Files, path: str, view_range: Sequence[int] | None) -> FileOutcome:
    """Show a file with line numbers, or what lies in a folder."""
    plain = resolve(path)
    if files.is_folder(plain):
        return FileOutcome(_list_items(files, plain, path))
    if plain not in files.texts:
        raise FileRefusal(_NOT_FOUND.format(path))
    lines = files.texts[plain].split("\n")
    if len(lines) > LINES_MAX:
        raise FileRefusal(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    first = 0
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0]) - 1
        lines = lines[first : len(lines) if view_range[1] == -1 else view_range[1]]
    return FileOutcome(f"Here's the content of {path} with line numbers:\n" + _number_lines(lines, first + 1))


def create(files: Files, path: str, text: str) -> FileOutcome:
    """Write a new file, and the folders that it lies in."""
    plain = resolve(path)
    _refuse_folders_in_files(files, plain, path)
    if files.exists(plain):
        raise FileRefusal(f"File {path} already exists")
    files.folders |= {*parents(plain)}
    return FileOutcome(f"File created successfully at: {path}", {plain: text})


def str_replace(files: Files, path: str, old: str, new: str) -> FileOutcome:
    """Replace the one place where a text stands, and show the lines around it."""
    plain = resolve(path)
    text = _text_of(files, plain, path)
    count = text.count(old)
    if count == 0:
        raise FileRefusal(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if count > 1:
        places = ", ".join(map(str, _lines_of(text, old)))
        raise FileRefusal(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {places}. "
            "Please ensure it is unique"
        )
    changed = text[: text.find(old)].count("\n")
    after = text.replace(old, new)
    lines = after.split("\n")
    first = max(0, changed - 2)
    snippet = _number_lines(lines[first : changed + 3], first + 1)
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return FileOutcome(head + snippet, {plain: after})


def insert(files: Files, path: str, line: int, text: str) -> FileOutcome:
    """Put a text behind a line."""
    plain = resolve(path)
    lines = _text_of(files, plain, path).split("\n")
    if lines[-1] == "":
        lines.pop()
    if line < 0 or line > len(lines):
        raise FileRefusal(
            f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, text.rstrip("\n"))
    after = "\n".join(lines)
    return FileOutcome(
        f"The file {path} has been edited.", {plain: after if after.endswith("\n") else f"{after}\n"}
    )


def delete(files: Files, path: str) -> FileOutcome:
    """Take away a file, or a folder with all that is in it."""
    plain = resolve(path)
    if plain == ROOT:
        raise FileRefusal(f"Cannot delete the {ROOT} directory itself")
    if not files.exists(plain):
        raise FileRefusal(f"The path {path} does not exist")
    gone = [plain] if plain in files.texts else files.below(plain)
    files.folders -= {folder for folder in files.folders if _lies_in(folder, plain)}
    return FileOutcome(f"Successfully deleted {path}", gone=gone)


def rename(files: Files, old_path: str, new_path: str) -> FileOutcome:
    """Give a file or a folder another path."""
    old, new = resolve(old_path), resolve(new_path)
    if old == ROOT:
        raise FileRefusal(f"Cannot rename the {ROOT} directory itself")
    if files.exists(new):
        raise FileRefusal(f"The destination {new_path} already exists")
    if not any(folder in files.texts for folder in parents(new)):
        files.folders |= {*parents(new)}
    if new != old and _lies_in(new, old):
        raise FileRefusal(f"Cannot rename {old_path} to {new_path}, which lies in it")
    if not files.exists(old):
        raise FileRefusal(f"The path {old_path} does not exist")
    _refuse_folders_in_files(files, new, new_path)
    moved = {path: new + path[len(old) :] for path in files.texts if _lies_in(path, old)}
    folders = {folder for folder in files.folders if _lies_in(folder, old)}
    files.folders -= folders
    files.folders |= {new + folder[len(old) :] for folder in folders}
    return FileOutcome(f"Successfully renamed {old_path} to {new_path}", moved=moved)


def clear(files: Files) -> FileOutcome:
    """Take away everything."""
    gone = list(files.texts)
    files.folders.clear()
    return FileOutcome("All memory cleared", gone=gone)


def _text_of(files: Files, plain: str, path: str) -> str:
    if not files.exists(plain):
        raise FileRefusal(_NOT_FOUND.format(path))
    if files.is_folder(plain):
        raise FileRefusal(f"The path {path} is not a file.")
    return files.texts[plain]


def _refuse_folders_in_files(files: Files, plain: str, path: str) -> None:
    blocked = next((folder for folder in parents(plain) if folder in files.texts), None)
    if blocked is not None:
        raise FileRefusal(f"The path {path} lies in {blocked}, which is a file and not a directory")


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _number_lines(lines: Iterable[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))


def _lines_of(text: str, part: str) -> list[int]:
    """Return the line of each place where a part begins, places that overlap included."""
    found: list[int] = []
    line, counted, place = 1, 0, text.find(part)
    while place != -1:
        line += text.count("\n", counted, place)
        counted = place
        found.append(line)
        place = text.find(part, place + 1)
    return found


def _list_items(files: Files, folder: str, shown: str) -> str:
    head = f"Here're the files and directories up to {DEPTH} levels deep in {shown}, excluding hidden items:"
    items = _items_in(files, folder, 1)
    return "\n".join(
        [
            head,
            f"{FOLDER_SIZE}\t{shown}",
            *(f"{size}\t{shown}/{path[len(folder) + 1 :]}" for size, path in items),
        ]
    )


def _items_in(files: Files, folder: str, depth: int) -> list[tuple[str, str]]:
    start = len(folder) + 1
    names = {path[start:].partition("/")[0] for path in files.below(folder)}
    names |= {path[start:].partition("/")[0] for path in files.folders if path.startswith(f"{folder}/")}
    found: list[tuple[str, str]] = []
    for name in sorted(names):
        if name.startswith("."):
            continue
        path = f"{folder}/{name}"
        if path in files.texts:
            found.append((_format_size(len(files.texts[path].encode("utf-8", "surrogatepass"))), path))
            continue
        found.append((FOLDER_SIZE, f"{path}/"))
        if depth < DEPTH:
            found += _items_in(files, path, depth + 1)
    return found


def _format_size(count: int) -> str:
    """Write a number of bytes as the file tool does, at most in G."""
    if count == 0:
        return "0B"
    power = min((count.bit_length() - 1) // 10, 3)
    size = count / _UNIT**power
    unit = "BKMG"[power]
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.1f}{unit}"


require_framework("anthropic", "2.12", "anthropic")


TAG = "memory-file"
_CONTENT = "content"  # the attribute with what a memory's text cannot be: blanks alone
_THERE = (Status.INBOX, Status.ACTIVE, Status.ARCHIVED)
Decide = Callable[[Files], FileOutcome]
Answer = TypeVar("Answer")


class _MemoryFolder:
    """The files of one memory: reads them, lets a command decide, commits what it changes."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._folders: set[str] = set()

    async def run(self, decide: Decide, engine: Engine) -> str:
        """Carry out a command; what the model can mend is raised as ToolError."""
        for attempt in range(1, RACES_MAX + 1):
            memories = await _list_files(engine)
            try:
                outcome = decide(Files({path: _text(one) for path, one in memories.items()}, self._folders))
                return await self._commit(engine, outcome, memories)
            except Conflict as conflict:  # another process wrote meanwhile: look again
                if attempt == RACES_MAX:
                    raise ToolError(str(conflict)) from conflict
            except (FileRefusal, InvalidInput, Protected) as refusal:
                raise ToolError(str(refusal)) from refusal
        raise AssertionError("unreachable")

    async def _commit(self, engine: Engine, outcome: FileOutcome, files: Mapping[str, Memory]) -> str:
        """Write and forget files in one run, if they are still as they were read; say what is not kept as it is."""
        moved = {new: _text(files[old]) for old, new in outcome.moved.items()}
        turns = [
            self._say(path, text, files.get(path)) for path, text in {**outcome.written, **moved}.items()
        ]
        gone = [*outcome.moved, *outcome.gone]
        if not turns and not gone:
            return outcome.answer

        def look(here: Mapping[str, Memory]) -> list[str]:
            for path in [str(turn.key) for turn in turns] + gone:
                memory = here.get(path)
                read = files.get(path)
                memory = None if memory is None or memory.status not in _THERE else memory
                if memory is not None and not is_own(engine, TAG, memory):
                    raise FileRefusal(f"The memory {path} is no file of this tool: use another path")
                now, then = (0 if one is None else one.revision for one in (memory, read))
                if now != then or (memory and memory.id) != (read and read.id):
                    raise Conflict((), f"the file {path} was changed meanwhile", expected=then, current=now)
            for path in {*outcome.written, *gone} & files.keys():
                refuse_protected(engine, files[path])
            return gone

        answers = await put_own(engine, turns, gone, look)
        marked = [f"Markers take the place of: {', '.join(one.replaced)}" for one in answers if one.replaced]
        return "\n".join([outcome.answer, *marked])

    def _say(self, path: str, text: str, memory: Memory | None) -> Turn:
        """Return a file as a text to put; what cannot be one lies beside it."""
        is_said = bool(text.strip()) and "\0" not in text
        kept = {} if memory is None else dict(memory.attributes or {})
        if kept.pop(_CONTENT, None) is None and is_said:
            attributes = None
        else:
            attributes = kept if is_said else {**kept, _CONTENT: text}
        return Turn(
            text if is_said else f"an empty file: {path}",
            key=path,
            agent=self._agent,
            role="assistant",
            source="memory tool",
            tags=[TAG],
            attributes=attributes,
        )


async def _list_files(engine: Engine) -> dict[str, Memory]:
    """Return all files by path; what a policy archived is still a file, what imitates one from outside is none."""

    def read(memory: Memory) -> Memory | None:
        return memory if memory.key is not None and is_own(engine, TAG, memory) else None

    return {str(one.key): one for one in await list_own(engine, TAG, _THERE, read)}


def _text(memory: Memory) -> str:
    return str((memory.attributes or {}).get(_CONTENT, memory.text))


class _Commands(ABC, Generic[Answer]):
    """The commands, each as a decision on files, which `_run` carries out: at once, or to be awaited."""

    def __init__(
        self,
        memory: AnyEngine,
        *,
        agent: str = "claude",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        more: dict[str, Any] = {"cache_control": cache_control}
        super().__init__(**more)
        self._calls = EngineCalls(memory)
        self._folder = _MemoryFolder(agent)

    @abstractmethod
    def _do(self, work: Work[str]) -> Answer:
        """Carry out work on the memory."""

    def _run(self, command: Callable[..., FileOutcome], **given: Any) -> Answer:
        return self._do(partial(self._folder.run, partial(command, **given)))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> Answer:
        """Show a file or a folder."""
        return self._run(view, path=command.path, view_range=command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Answer:
        """Write a new file."""
        return self._run(create, path=command.path, text=command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Answer:
        """Replace a text in a file."""
        return self._run(str_replace, path=command.path, old=command.old_str, new=command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Answer:
        """Put lines into a file."""
        return self._run(insert, path=command.path, line=command.insert_line, text=command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Answer:
        """Forget a file or a folder; `undo` brings it back."""
        return self._run(delete, path=command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Answer:
        """Move a file or a folder."""
        return self._run(rename, old_path=command.old_path, new_path=command.new_path)

    def clear_all_memory(self) -> Answer:
        """Forget all files; `undo` brings them back."""
        return self._run(clear)


class MemoryTool(_Commands[str], BetaAbstractMemoryTool):
    """The memory tool for plain code: `memory` is what `remanence.sync.open` returns, `agent` who writes the files."""

    def _do(self, work: Work[str]) -> str:
        return self._calls.run_sync(work)


class AsyncMemoryTool(_Commands[Coroutine[Any, Any, str]], BetaAsyncAbstractMemoryTool):
    """The memory tool for async code: `memory` is what `remanence.open` or `remanence.sync.open` returns."""

    async def _do(self, work: Work[str]) -> str:
        return await self._calls.run(work)
