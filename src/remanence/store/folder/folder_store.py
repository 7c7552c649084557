"""The store on a folder: each scope in a file of its own, so that a tenant's backup, erasure and move is a file's.

Knows which file is asked; what is in it is the SQLite store's own.
"""

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from remanence.core.change import Cause
from remanence.core.clock import SystemClock
from remanence.core.errors import ReadOnly, RemanenceError, StoreUnavailable
from remanence.store.base import (
    Arriving,
    Check,
    CleanResult,
    LedgerFindings,
    ScopeSize,
    ScopeSurvey,
    WriteContext,
)
from remanence.store.folder.file_pool import FilePool
from remanence.store.folder.scope_files import list_files, name_file
from remanence.store.folder.survey_cache import SurveyCache
from remanence.store.scope_transfer import ScopeContent
from remanence.store.sql.sql_store import Answer, ScopeWork, SqlStore
from remanence.store.sqlite.database_file import can_write, meaning
from remanence.store.sqlite.driver import IN_MEMORY, FileKey
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.store.sqlite.thread_pool import ThreadPool

LOG = logging.getLogger("remanence")
_FOLDER_MODE = 0o700
THREADS = 16  # for all files: one that another process keeps locked holds up one of them


class FolderStore(SqlStore):
    """Memories in a folder, a file of SQLite for each scope, encrypted where there is a key."""

    def __init__(self, folder: str, *, key: FileKey | None = None) -> None:
        self._folder = Path(folder)
        self._key = key
        self._files: FilePool | None = None
        self._surveys = SurveyCache(self._folder, key)
        self._threads = ThreadPool(THREADS, from_start=1)
        self._nothing = SqliteStore(IN_MEMORY)  # answers for a scope that has no file
        self.closed_cleanly = True
        self.reads_only = False

    async def open(self, *, read_only: bool = False) -> None:
        """Make the folder where there is none; its files are opened as they are asked for."""
        if self._files is not None:
            return
        _prepare_folder(self._folder, makes=not read_only)
        self.reads_only = read_only or not can_write(str(self._folder))
        self._threads = ThreadPool(THREADS, from_start=1)
        try:
            self._threads.start()
        except RuntimeError as error:
            raise meaning(error, str(self._folder)) from error
        threads = self._threads
        self._nothing = SqliteStore(IN_MEMORY, pool=threads)
        await self._nothing.open()
        self._files = FilePool(lambda path: SqliteStore(str(path), key=self._key, pool=threads))

    async def close(self) -> None:
        """Finish what is under way and close every file; closing twice is allowed."""
        files, self._files = self._files, None
        if files is not None:
            await files.close()
            await self._nothing.close()
            await asyncio.to_thread(self._threads.stop)

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments and term statistics."""
        async with self._use_scope(scope) as store:
            return await store.arriving(scope, asked)

    async def survey(self, names: Sequence[str]) -> dict[str, ScopeSurvey]:
        """Return of every scope how far it has come, and the values kept by these names; damaged files are named."""
        self._check_open()
        keeps = not self.reads_only and self._key is None  # what lies beside the files is not encrypted
        surveys, faults = await asyncio.to_thread(
            self._surveys.survey, names, SystemClock().now(), keeps=keeps
        )
        for fault in faults:
            LOG.warning("left out: %s", fault)
        return surveys

    async def measure_scopes(self, scopes: Sequence[str]) -> dict[str, ScopeSize]:
        """Return how much each of these scopes holds."""
        sizes: dict[str, ScopeSize] = {}
        for scope in scopes:
            async with self._use_scope(scope) as store:
                sizes |= await store.measure_scopes([scope])
        return sizes

    async def clean(self, scope: str) -> CleanResult:
        """Rewrite the file of a scope without what was erased."""
        async with self._use_scope(scope) as store:
            return await store.clean(scope)

    async def check(self) -> list[Check]:
        """Look through every file: what is sound in all is told once, and each fault with the file that has it."""
        sound: dict[str, list[Check]] = defaultdict(list)
        found: list[Check] = []
        for path in await asyncio.to_thread(list_files, self._folder):
            try:
                async with self._use_file(path) as store:
                    checks = await store.check()
            except RemanenceError as error:
                found.append(Check("files", ok=False, detail=str(error), advice=error.recovery))
                continue
            for one in checks:
                if one.ok and not one.advice:
                    sound[one.name].append(one)
                else:
                    found.append(replace(one, detail=f"{path.name}: {one.detail}"))
        return [*(_tell_once(checks) for checks in sound.values()), *found]

    async def backup(self, path: str) -> int:
        """Write a verified copy of each file into the new folder `path`, and return how many memories are in them."""
        await asyncio.to_thread(_make_backup_folder, Path(path))
        count = 0
        for file in await asyncio.to_thread(list_files, self._folder):
            async with self._use_file(file) as store:
                count += await store.backup(str(Path(path) / file.name))
        return count

    async def find_index_file(self, scope: str, *, writes: bool = False) -> Path | None:
        """Return where the index of a scope lies, beside its file."""
        async with self._use_scope(scope) as store:
            return await store.find_index_file(scope, writes=writes)

    async def put_index_file(self, scope: str, file: Path, position: int) -> bool:
        """Put an index in its place if its scope still stands at a position."""
        async with self._use_scope(scope) as store:
            return await store.put_index_file(scope, file, position)

    async def remove_scope(self, scope: str, was: ScopeContent, moved_to: str) -> None:
        """Take a scope away that is somewhere else now, and its index."""
        async with self._use_scope(scope, makes=True) as store:
            await store.remove_scope(scope, was, moved_to)

    async def compare_ledgers(self) -> LedgerFindings:
        """Return that nothing is found: each file is compared with its ledgers as it is opened, and refused alone."""
        return LedgerFindings()

    async def take_ledgers(self, scope: str, *, accept_damage: bool = False) -> bool:
        """Let the file of a scope learn what its ledgers know."""
        async with self._use_scope(scope) as store:
            return await store.take_ledgers(scope, accept_damage=accept_damage)

    async def keep_standing(self, scope: str, cause: Cause) -> int:
        """Keep the memories of a scope that ledgers name, and log why."""
        async with self._use_scope(scope, makes=True) as store:
            return await store.keep_standing(scope, cause)

    async def read_scope(self, scope: str, work: ScopeWork[Answer]) -> Answer:
        """Let a scope be read in its file, as it is at one moment."""
        async with self._use_scope(scope) as store:
            return await store.read_scope(scope, work)

    async def write_scope(
        self, scope: str, work: ScopeWork[Answer], *, repeats: bool = True, comes_back: bool = False
    ) -> Answer:
        """Let a scope be written in its file, which is made where there is none."""
        self._refuse_write()
        async with self._use_scope(scope, makes=True) as store:
            return await store.write_scope(scope, work, repeats=repeats, comes_back=comes_back)

    @asynccontextmanager
    async def _use_scope(self, scope: str, *, makes: bool = False) -> AsyncIterator[SqliteStore]:
        path = self._folder / name_file(scope)
        if not makes and not os.path.exists(path):  # noqa: ASYNC240, PTH110 - as quick as a look at the clock
            self._check_open()
            yield self._nothing
            return
        async with self._use_file(path) as store:
            yield store

    def _use_file(self, path: Path) -> AbstractAsyncContextManager[SqliteStore]:
        return self._check_open().use(path, read_only=self.reads_only)

    def _refuse_write(self) -> None:
        if self.reads_only:
            raise ReadOnly(
                f"{self._folder} is opened to be read alone; nothing was written",
                recovery="open it without --read-only (read_only=True); where the folder is not writable, make it so",
            )

    def _check_open(self) -> FilePool:
        if self._files is None:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        return self._files


def _prepare_folder(folder: Path, *, makes: bool) -> None:
    """Make a folder that only its owner reads; raise StoreUnavailable where there is none and none can be made."""
    try:
        if makes:
            folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        is_there = folder.is_dir()
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {folder} cannot be made: {error.strerror}",
            recovery="check the path, or name another folder",
        ) from error
    if not is_there:
        raise StoreUnavailable(
            f"there is no folder {folder}", recovery="check the path, or open it to write once"
        )


def _make_backup_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=_FOLDER_MODE)
    except OSError as error:
        raise StoreUnavailable(
            f"{folder} cannot be made: {error.strerror}", recovery="name a folder that is not there yet"
        ) from error


def _tell_once(checks: Sequence[Check]) -> Check:
    first = checks[0]
    return first if len(checks) == 1 else replace(first, detail=f"in {len(checks):,} files: {first.detail}")
