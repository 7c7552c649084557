"""A path that cannot be used is refused by an error of ours wherever one is given, and nothing is made of it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import RemanenceError
from tests.command_line import typed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no devices and pipes as files there")
UNUSABLE = {
    "a folder": "folder",
    "a folder named so": "folder/",
    "in a folder that is missing": "nowhere/x",
    "empty": "",
    "blank": "  ",
    "with a NUL": "a\0b",
    "no Unicode": "\udcff\udc00",
    "too long a name": "x" * 300,
    "too long a name in bytes": "ä" * 200,
    "too long a path": "y/" * 3_000 + "z",
    "a device": "/dev/zero",
    "beneath a file": "a.db/x",
    "beneath a link to itself": "loop/x",
}
WRITTEN = {
    "backup": ("backup",),
    "export": ("export",),
    "plan": ("plan", "--policy", "default", "-o"),
    "picture": ("forecast", "--policy", "default", "--svg"),
    "copies": ("run", "--once", "--all-scopes", "--backup"),
}
READ = {
    "ingest": ("ingest",),
    "import": ("import",),
    "apply": ("apply",),
}
FOLDER_OF_FILES = "a folder named so"  # which is a database
# A folder may be missing or there.
FOLDERS = frozenset({"a folder", "a folder named so", "in a folder that is missing"})


@pytest.fixture
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a database of one memory whose policy is adopted."""
    monkeypatch.chdir(tmp_path)
    async with remanence.open("a.db", embedder="hashed") as memory:
        await memory.learn("The ferry leaves at nine.")
        await memory.policy.use("default")
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize("words", [*WRITTEN.values(), *READ.values()], ids=[*WRITTEN, *READ])
def test_a_command_refuses_a_path_that_it_cannot_use(words: tuple[str, ...], folder: Path) -> None:
    """In two lines, what and what to do; no file comes of it."""
    for name in UNUSABLE.keys() - (FOLDERS if words == WRITTEN["copies"] else ()):
        done = typed("--db", "a.db", "--embedder", "hashed", *words, UNUSABLE[name])

        assert 1 == done.exit_code, (name, done.output)
        assert ["error: ", "  → "] == [done.stderr[:7], done.stderr.splitlines()[-1][:4]]
        assert ["a.db", "folder", "loop"] == sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize("verb", ["status", "learn"])
def test_a_database_is_not_opened_at_a_path_that_cannot_be_used(verb: str, folder: Path) -> None:
    """Whether the command would make one there or not."""
    words = (verb, "The ferry leaves at ten.") if verb == "learn" else (verb,)
    for name, path in UNUSABLE.items() - {(FOLDER_OF_FILES, UNUSABLE[FOLDER_OF_FILES])}:
        done = typed("--db", path, "--embedder", "hashed", *words)

        assert 1 == done.exit_code, (name, done.output)
        assert ["error: ", "  → "] == [done.stderr[:7], done.stderr.splitlines()[-1][:4]]
        assert ["a.db", "folder", "loop"] == sorted(file.name for file in folder.iterdir())


async def _open(_: Any, path: str) -> None:
    async with remanence.open(path, embedder="hashed") as memory:
        await memory.status()


CALLS: dict[str, Callable[[Any, str], Awaitable[Any]]] = {
    "open": _open,
    "backup": lambda memory, path: memory.backup(path),
    "ingest": lambda memory, path: memory.ingest(path),
    "policy": lambda memory, path: memory.policy.use(path + ".toml"),
    "mirror": lambda memory, path: memory.mirror.sync(path),
    "copies": lambda memory, path: memory.run_jobs(stop=asyncio.Event(), backup=path, once=True),
}


@pytest.mark.parametrize("call", CALLS)
async def test_a_verb_refuses_a_path_that_it_cannot_use(call: str, folder: Path) -> None:
    """By an error that says what to do."""
    usable = FOLDERS if call in {"mirror", "copies"} else frozenset[str]()
    usable |= {FOLDER_OF_FILES} if call == "open" else set()
    # The name of a copy only begins so, and none is made before something is to be deleted.
    usable |= {"a device", "too long a name", "too long a name in bytes"} if call == "copies" else set()
    async with remanence.open("a.db", embedder="hashed") as memory:
        for name in UNUSABLE.keys() - usable:
            with pytest.raises(RemanenceError) as refused:
                await CALLS[call](memory, UNUSABLE[name])

            assert refused.value.recovery
