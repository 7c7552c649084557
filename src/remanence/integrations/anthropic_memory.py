"""Anthropic's memory tool over this memory: each file under /memories is one memory, by its path as key.

A file that is deleted or renamed leaves a tombstone, so `undo`, `restore` and `history` know it; only `erase` erases.
Written for anthropic 2.12 (`memory_20250818`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.model import Memory, Status, Turn
from remanence.engine import Engine
from remanence.flows.base.context import RACES_MAX
from remanence.integrations import memory_files
from remanence.integrations.engine_calls import AnyEngine, EngineCalls, Work
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.memory_files import FileOutcome, FileRefusal, Files
from remanence.integrations.own_items import is_own, list_own, put_own, refuse_protected

require_framework("anthropic", "2.12", "anthropic")

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
                _refuse_other(engine, path, here.get(path), files.get(path))
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


def _refuse_other(engine: Engine, path: str, memory: Memory | None, read: Memory | None) -> None:
    """Raise FileRefusal where a path is that of no file, and Conflict where the file is not as it was read."""
    memory = None if memory is None or memory.status not in _THERE else memory
    if memory is not None and not is_own(engine, TAG, memory):
        raise FileRefusal(f"The memory {path} is no file of this tool: use another path")
    now, then = (0 if one is None else one.revision for one in (memory, read))
    if now != then or (memory and memory.id) != (read and read.id):
        raise Conflict((), f"the file {path} was changed meanwhile", expected=then, current=now)


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
        return self._run(memory_files.view, path=command.path, view_range=command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Answer:
        """Write a new file."""
        return self._run(memory_files.create, path=command.path, text=command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Answer:
        """Replace a text in a file."""
        return self._run(
            memory_files.str_replace, path=command.path, old=command.old_str, new=command.new_str
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Answer:
        """Put lines into a file."""
        return self._run(
            memory_files.insert, path=command.path, line=command.insert_line, text=command.insert_text
        )

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Answer:
        """Forget a file or a folder; `undo` brings it back."""
        return self._run(memory_files.delete, path=command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Answer:
        """Move a file or a folder."""
        return self._run(memory_files.rename, old_path=command.old_path, new_path=command.new_path)

    def clear_all_memory(self) -> Answer:
        """Forget all files; `undo` brings them back."""
        return self._run(memory_files.clear)


class MemoryTool(_Commands[str], BetaAbstractMemoryTool):
    """The memory tool for plain code: `memory` is what `remanence.sync.open` returns, `agent` who writes the files."""

    def _do(self, work: Work[str]) -> str:
        return self._calls.run_sync(work)


class AsyncMemoryTool(_Commands[Coroutine[Any, Any, str]], BetaAsyncAbstractMemoryTool):
    """The memory tool for async code: `memory` is what `remanence.open` or `remanence.sync.open` returns."""

    async def _do(self, work: Work[str]) -> str:
        return await self._calls.run(work)
