"""Anthropic's memory tool over this memory: each file under /memories is one memory, by its path as key.

A file that is deleted or renamed leaves a tombstone, so `undo`, `restore` and `history` know it; only `erase` erases.
Written for anthropic 2.12 (`memory_20250818`).
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.model import LearnResult, Memory, Status
from remanence.engine import Engine
from remanence.flows.base.context import RACES_MAX
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.integrations import memory_files
from remanence.integrations.engine_calls import AnyEngine, EngineCalls
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.memory_files import FileOutcome, FileRefusal, Files
from remanence.integrations.own_items import is_believed, refuse_protected

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
_PAGE = 1_000
Decide = Callable[[Files], FileOutcome]


class _MemoryFolder:
    """The files of one memory: reads them, lets a command decide, commits what it changes."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._folders: set[str] = set()

    def work(self, decide: Decide) -> Callable[[Engine], Coroutine[Any, Any, str]]:
        """Return a command as work on an engine; what the model can mend is raised as ToolError."""
        return partial(self._run, decide)

    async def _run(self, decide: Decide, engine: Engine) -> str:
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

    async def _commit(self, engine: Engine, outcome: FileOutcome, memories: Mapping[str, Memory]) -> str:
        notes = [
            await self._put(engine, path, text, memories.get(path)) for path, text in outcome.written.items()
        ]
        if outcome.moved:
            await self._move(engine, outcome.moved, memories)
        if outcome.gone:
            await _forget(engine, [memories[path].id for path in outcome.gone])
        return "\n".join([outcome.answer, *filter(None, notes)])

    async def _move(self, engine: Engine, moved: Mapping[str, str], memories: Mapping[str, Memory]) -> None:
        """Put the texts under their new paths, then let the old ones go; where those may not go, neither may stay."""
        made: list[str] = []
        is_done = False
        try:
            for old, new in moved.items():
                await self._put(engine, new, _text(memories[old]), None)
                made.append(new)
            await _forget(engine, [memories[old].id for old in moved])
            is_done = True
        finally:
            if made and not is_done:
                await _forget(engine, made)

    async def _put(self, engine: Engine, path: str, text: str, memory: Memory | None) -> str:
        """Store a file's text; return what has to be said of how it is kept, "" where it is kept as it is."""
        if memory is not None:
            refuse_protected(engine, memory)
        is_said = bool(text.strip()) and "\0" not in text
        kept = dict(memory.attributes or {}) if memory is not None else {}
        has_content = kept.pop(_CONTENT, None) is not None
        more: dict[str, Any] = {} if is_said and not has_content else {"attributes": kept}
        if not is_said:
            more["attributes"] = {**kept, _CONTENT: text}
        answer = await engine.put(
            path,
            text if is_said else f"an empty file: {path}",
            if_revision=await _revision(engine, path) if memory is None else memory.revision,
            agent=self._agent,
            role="assistant",
            source="memory tool",
            tags=[TAG],
            **more,
        )
        _refuse_kept_out(answer)
        return f"Markers take the place of: {', '.join(answer.replaced)}" if answer.replaced else ""


def _refuse_kept_out(answer: LearnResult) -> None:
    """Raise FileRefusal where a text was not stored, or is out of sight until a person accepts it."""
    is_unchanged = answer.status == "known" and answer.run is None and answer.reason != "unchanged"
    if answer.status in ("gated", "quarantined") or is_unchanged:
        raise FileRefusal(f"The memory does not take this text: {answer.reason}")


async def _forget(engine: Engine, names: Sequence[str]) -> None:
    """Forget all, as many a run as one takes."""
    for start in range(0, len(names), SEVERAL_MAX):
        await engine.forget(names[start : start + SEVERAL_MAX])


async def _list_files(engine: Engine) -> dict[str, Memory]:
    """Return all files by path; what a policy archived is still a file, what imitates one from outside is none."""
    found: dict[str, Memory] = {}
    after: Memory | None = None
    while True:
        page = await engine.list(tags=[TAG], status=_THERE, limit=_PAGE, after=after)
        found |= {one.key: one for one in page if one.key is not None and is_believed(engine, one)}
        if len(page) < _PAGE:
            return found
        after = page[-1]


async def _revision(engine: Engine, path: str) -> int:
    """Return the revision of the tombstone that has a path, 0 where nothing had it when the files were listed.

    Raise FileRefusal where a memory has it that is no file.
    """
    named = await engine.list(key=path, status="any", limit=1)
    foreign = [one for one in named if one.status in _THERE]
    if any(TAG not in one.tags or not is_believed(engine, one) for one in foreign):
        raise FileRefusal(f"The memory {path} is no file of this tool: use another path")
    return next((one.revision for one in named if one.status not in _THERE), 0)


def _text(memory: Memory) -> str:
    return str((memory.attributes or {}).get(_CONTENT, memory.text))


def _view(command: BetaMemoryTool20250818ViewCommand) -> Decide:
    return partial(memory_files.view, path=command.path, view_range=command.view_range)


def _create(command: BetaMemoryTool20250818CreateCommand) -> Decide:
    return partial(memory_files.create, path=command.path, text=command.file_text)


def _str_replace(command: BetaMemoryTool20250818StrReplaceCommand) -> Decide:
    return partial(memory_files.str_replace, path=command.path, old=command.old_str, new=command.new_str)


def _insert(command: BetaMemoryTool20250818InsertCommand) -> Decide:
    return partial(memory_files.insert, path=command.path, line=command.insert_line, text=command.insert_text)


def _delete(command: BetaMemoryTool20250818DeleteCommand) -> Decide:
    return partial(memory_files.delete, path=command.path)


def _rename(command: BetaMemoryTool20250818RenameCommand) -> Decide:
    return partial(memory_files.rename, old_path=command.old_path, new_path=command.new_path)


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for plain code: `memory` is what `remanence.sync.open` returns, `agent` who writes the files."""

    def __init__(
        self,
        memory: AnyEngine,
        *,
        agent: str = "claude",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._calls = EngineCalls(memory)
        self._folder = _MemoryFolder(agent)

    def _run(self, decide: Decide) -> str:
        return self._calls.run_sync(self._folder.work(decide))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return self._run(_view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._run(_create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text in a file."""
        return self._run(_str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put lines into a file."""
        return self._run(_insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file or a folder; `undo` brings it back."""
        return self._run(_delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return self._run(_rename(command))

    def clear_all_memory(self) -> str:
        """Forget all files; `undo` brings them back."""
        return self._run(memory_files.clear)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for async code: `memory` is what `remanence.open` or `remanence.sync.open` returns."""

    def __init__(
        self,
        memory: AnyEngine,
        *,
        agent: str = "claude",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._calls = EngineCalls(memory)
        self._folder = _MemoryFolder(agent)

    async def _run(self, decide: Decide) -> str:
        return await self._calls.run(self._folder.work(decide))

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return await self._run(_view(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._run(_create(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text in a file."""
        return await self._run(_str_replace(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put lines into a file."""
        return await self._run(_insert(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file or a folder; `undo` brings it back."""
        return await self._run(_delete(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return await self._run(_rename(command))

    async def clear_all_memory(self) -> str:
        """Forget all files; `undo` brings them back."""
        return await self._run(memory_files.clear)
