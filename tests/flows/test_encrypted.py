"""A database encrypted at rest: one key opens it, nothing of it is plain on the disk, a wrong key changes nothing."""

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from shutil import copy, copytree

import orjson
import pytest

import remanence.sync
from remanence.core.errors import InvalidInput, NotFound, RemanenceError, StoreIncompatible, StoreUnavailable
from remanence.store.sqlite.driver import FileKey, open_file
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.store.sqlite.upgrade import read_older_version
from tests import IMPORT_PATH
from tests.command_line import typed
from tests.flows import upgrades

pytest.importorskip("sqlcipher3", reason="the extra `encrypted` is not installed")

KEY = "schlüssel der Werft"
OTHER = "x'" + "0f" * 32 + "'"  # 32 bytes as SQLCipher writes them: nothing is stretched, so it is fast
TEXT = "The quartermaster keeps the okapi map behind the sextant."


def _bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}


def _texts(path: Path, key: object) -> list[str]:
    with remanence.sync.open(path, key=key, embedder="none") as memory:
        assert [] == [check for check in memory.doctor() if not check.ok]
        return [one.text for one in memory.list(status="any")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An encrypted file with one memory."""
    path = tmp_path / "m.db"
    with remanence.sync.open(path, key=OTHER, embedder="none") as memory:
        memory.learn(TEXT)
    return path


@pytest.fixture
def left_log(path: Path) -> Path:
    """The same, with a log beside it that a kill left."""
    killed = path.parent / "killed" / path.name
    killed.parent.mkdir()
    with remanence.sync.open(path, key=OTHER, embedder="none") as memory:
        memory.learn("The second mate has the key of the chart room.")
        for suffix in ("", "-wal"):
            copy(f"{path}{suffix}", f"{killed}{suffix}")
    return killed


@pytest.mark.parametrize(
    "same",
    [
        KEY,
        f"{KEY}\n",
        f"{KEY}\r\n".encode(),
        f"\ufeff{KEY}".encode(),
        KEY.replace("ü", "u\u0308").encode(),
        lambda: f"{KEY}\n".encode(),
    ],
)
def test_a_key_is_the_same_text_whoever_wrote_it(tmp_path: Path, same: object) -> None:
    """Line ends, a byte order mark and how an umlaut is written are no part of a key."""
    with remanence.sync.open(tmp_path / "m.db", key=KEY, embedder="none") as memory:
        memory.learn(TEXT)

    assert [TEXT] == _texts(tmp_path / "m.db", same)


def test_nothing_of_an_encrypted_file_is_in_plain(path: Path) -> None:
    """Neither the file, its log, a backup nor what an erasure leaves has a word of a text, or says whose it is."""
    with remanence.sync.open(path, key=OTHER, embedder="none") as memory:
        memory.backup(path.with_name("backup.db"))
        memory.learn("The okapi sextant is missing.")
        during = _bytes_of(path.parent)
    files = {**during, **_bytes_of(path.parent)}

    assert f"{path}-wal" in files
    for word in (b"okapi", b"sextant", b"SQLite format", b"CREATE TABLE"):
        assert [] == [name for name, data in files.items() if word in data]
    assert [TEXT] == _texts(path.with_name("backup.db"), OTHER)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [(OTHER, None), (OTHER, "another"), (OTHER, OTHER.replace("0f", "0e")), (None, KEY)],
    ids=["none", "wrong", "wrong-raw", "plain"],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_key_that_does_not_fit_changes_no_byte(
    left_log: Path, tmp_path: Path, key: str | None, wrong: str | None, read_only: bool
) -> None:
    """One clear error; the file and the log that a kill left stay as they are, and open with the right key."""
    if key is None:
        plain = tmp_path / "plain"
        plain.mkdir()
        left_log = plain / "m.db"
        with remanence.sync.open(left_log, embedder="none") as memory:
            memory.learn(TEXT)
            copytree(plain, tmp_path / "before")
        copytree(tmp_path / "before", plain, dirs_exist_ok=True)
    files = [left_log, Path(f"{left_log}-wal")]
    before = [file.read_bytes() for file in files]

    with pytest.raises(StoreIncompatible) as refused:
        remanence.sync.open(left_log, key=wrong, read_only=read_only)

    assert before == [file.read_bytes() for file in files]
    assert "not touched" in refused.value.recovery
    assert not wrong or wrong not in f"{refused.value}{refused.value.recovery}{refused.value.__cause__!r}"
    assert TEXT in _texts(left_log, key)


@pytest.mark.parametrize("key", ["", "\n", b"", lambda: "", 7, bytearray(b"secret"), "\ud800"])
def test_what_is_no_key_is_refused_and_not_printed(tmp_path: Path, key: object) -> None:
    """An empty key makes no file that is not encrypted; the value of one of another type is in no error."""
    with pytest.raises(InvalidInput) as refused:
        remanence.sync.open(tmp_path / "m.db", key=key)

    assert "secret" not in f"{refused.value}"
    assert [] == list(tmp_path.iterdir())


def test_a_key_has_no_repr() -> None:
    """What prints a key, or the store that has it, shows nothing of it."""
    key = FileKey("open sesame")

    assert "sesame" not in f"{key}{key!r}{vars(SqliteStore('m.db', key=key))}"


async def test_a_file_is_encrypted_gets_another_key_and_is_decrypted(tmp_path: Path) -> None:
    """Every memory, its history and undo come over each time; a file that is open is left alone."""
    path, keys = tmp_path / "m.db", [None, KEY, OTHER, None]
    async with remanence.open(path, embedder="none") as memory:
        for number in range(40):
            await memory.learn(f"Boat {number * 7919} lies at pier {number}.")
        run = (await memory.forget(3)).run
        found = await memory.list(status="any")
        with pytest.raises(StoreUnavailable, match="open in this process"):
            await remanence.change_key(path, new_key=KEY)
    path.chmod(0o660)

    for key, new_key in pairwise(keys):
        assert len(found) == await remanence.change_key(path, key=key, new_key=new_key)
        async with remanence.open(path, key=new_key, embedder="none") as memory:
            assert [] == [check for check in await memory.doctor() if not check.ok]
            assert found == await memory.list(status="any")
    async with remanence.open(path, embedder="none") as memory:
        await memory.undo(run)

        assert 0o660 == path.stat().st_mode & 0o777
        assert 3 in [one.seq for one in await memory.list()]
        assert [path.name] == [
            one.name for one in tmp_path.iterdir() if not one.name.endswith(("-wal", "-shm"))
        ]


_KILLED = """
import asyncio, os, signal, sys
import remanence
from remanence.store.sqlite import key_change
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(key_change, sys.argv[3], kill)
asyncio.run(remanence.change_key(sys.argv[1], key=sys.argv[2], new_key="another"))
"""
_HOLDING = """
import sys
import remanence.sync
with remanence.sync.open(sys.argv[1], key=sys.argv[2], embedder="none") as memory:
    memory.learn("The other process was here.")
    print("open", flush=True)
    sys.stdin.read()
"""


def _start(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
@pytest.mark.parametrize("step", ["_is_whole", "put_in_place"])
async def test_a_change_of_the_key_that_is_killed_leaves_the_old_file(left_log: Path, step: str) -> None:
    """The old key opens it, with what was in its log; the next change takes away what the kill left, and succeeds."""
    with _start(_KILLED, left_log, OTHER, step) as child:
        child.wait()

    assert -signal.SIGKILL == child.returncode
    assert [one for one in left_log.parent.iterdir() if ".partial" in one.name]
    assert 2 == len(_texts(left_log, OTHER))
    assert 2 == await remanence.change_key(left_log, key=OTHER, new_key="another")
    assert [left_log] == list(left_log.parent.iterdir())


async def test_processes_share_an_encrypted_file(path: Path) -> None:
    """Two write and read it at once; the key stays while another process has it open."""
    with _start(_HOLDING, path, OTHER) as other:
        assert other.stdout is not None
        assert "open\n" == other.stdout.readline()
        async with remanence.open(path, key=OTHER, embedder="none") as memory:
            await memory.learn("So was this one.")
            assert 3 == len(await memory.list())
        before = path.read_bytes()
        with pytest.raises(StoreUnavailable, match="another process"):
            await remanence.change_key(path, key=OTHER, new_key=None)
        assert before == path.read_bytes()
        other.communicate("")

    assert 3 == len(_texts(path, OTHER))


def test_processes_that_make_one_encrypted_file_at_once_agree(tmp_path: Path) -> None:
    """Whoever was slower takes the salt of the other."""
    path = tmp_path / "m.db"
    others = [_start(_HOLDING, path, KEY) for _ in range(3)]
    for other in others:
        other.communicate("")

    assert [0, 0, 0] == [other.returncode for other in others]
    assert 1 == len(set(_texts(path, KEY)))


async def test_an_erasure_proves_by_the_key_that_nothing_is_left(path: Path) -> None:
    """Copies are opened with the key, or named where it does not open them; what is left in the file is found."""
    async with remanence.open(path, key=OTHER, embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.")
        await memory.backup(path.with_name("backup.db"))
        await memory.backup(path.with_name("m.db.of-others"))
    await remanence.change_key(path.with_name("m.db.of-others"), key=OTHER, new_key="another")
    async with remanence.open(path, key=OTHER, embedder="none") as memory:
        report = await memory.erase.apply(await memory.erase.show([1]))

        copies = {str(path.with_name(name)) for name in ("backup.db", "m.db.of-others")}
        assert (False, (), copies) == (report.pending, report.found, set(report.copies))
    assert ["The ferry leaves at nine."] == _texts(path, OTHER)


def test_an_erasure_finds_what_is_left_in_a_table_of_an_encrypted_file(path: Path) -> None:
    """The proof reads every table, those of others too."""
    with remanence.sync.open(path, key=OTHER, embedder="none") as memory:
        memory.learn("The ferry leaves at nine.")
    connection = open_file(str(path), "mode=rw", FileKey(OTHER))
    connection.execute("CREATE TABLE notes (text)")
    connection.execute("INSERT INTO notes VALUES (?)", (TEXT,))
    connection.close()
    with remanence.sync.open(path, key=OTHER, embedder="none") as memory:
        report = memory.erase.apply(memory.erase.show([1]))

        assert (str(path),) == report.found


async def test_an_older_encrypted_file_is_brought_up_behind_an_encrypted_copy(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy opens with the key, and of the copies of several upgrades the newest two stay."""
    for number in range(3):
        copy(path, f"{path}.before-v{number}")
        os.utime(f"{path}.before-v{number}", (number, number))
    upgrades.know_next(monkeypatch.setattr)

    assert [TEXT] == _texts(path, OTHER)
    copies = {path.with_name(f"m.db.before-v{number}") for number in (2, upgrades.NEXT)}
    assert copies == set(path.parent.glob("*.before-*"))
    for one in copies:
        assert b"SQLite" not in one.read_bytes()
        assert upgrades.NEXT - 1 == read_older_version(str(one), FileKey(OTHER))


def test_without_the_extra_a_key_is_refused_and_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to install."""
    for name in ("sqlcipher3", "sqlcipher3.dbapi2"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(NotFound) as refused:
        remanence.sync.open(tmp_path / "m.db", key=KEY)

    assert "remanence[encrypted]" in refused.value.recovery
    assert [] == list(tmp_path.iterdir())


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with keys in files."""
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "key").write_text(f"{OTHER}\n")
    (folder / "empty").write_text("\n")
    (folder / "wrong").write_text("wrong-but-secret\n")
    return folder


def test_a_command_takes_the_key_from_a_file_a_command_or_the_environment(path: Path, keys: Path) -> None:
    """Each opens the file, in every command; whoever names two, none or an empty one is told."""
    file, base = str(keys / "key"), ("--db", str(path), "--embedder", "none")
    ways: list[tuple[tuple[str, ...], dict[str, str]]] = [
        (("--key-file", file), {}),
        (("--key-command", f"cat {file}"), {}),
        ((), {"REMANENCE_KEY": OTHER}),
        (("--key-file", file), {"REMANENCE_KEY": "of another file"}),
    ]
    for words, env in ways:
        found = typed(*base, *words, "list", "--json", env=env)
        assert (0, [TEXT]) == (found.exit_code, [one["text"] for one in orjson.loads(found.stdout)])
    event = orjson.dumps({"hook_event_name": "SessionStart"}).decode()
    assert "okapi" in typed(*base, "hook", event, env={"REMANENCE_KEY": OTHER}).stdout
    refused: list[tuple[tuple[str, ...], dict[str, str], str]] = [
        ((), {}, "encrypted, or is no SQLite"),
        ((), {"REMANENCE_KEY": ""}, "the key is empty"),
        (("--key-file", str(keys / "empty")), {}, "the key is empty"),
        (("--key-file", str(keys / "absent")), {}, "no key file"),
        (("--key-file", str(keys)), {}, "cannot be read"),
        (("--key-file", str(keys / "wrong")), {}, "the key does not open"),
        (("--key-command", "false"), {}, "exit code 1"),
        (("--key-command", "no-such-program"), {}, "cannot be run"),
        (("--key-command", "'"), {}, "cannot be run"),
        (("--key-command", "true", "--key-file", file), {}, "both name a key"),
    ]
    for words, env, said in refused:
        answer = typed(*base, *words, "list", env=env)
        assert (1, True) == (answer.exit_code, said in answer.stderr)
        assert "→" in answer.stderr
        assert "but-secret" not in answer.output


def test_the_command_line_encrypts_and_decrypts_a_file(tmp_path: Path, keys: Path) -> None:
    """A new file is made with the key, another gets one, and loses it again."""
    plain, file = tmp_path / "plain.db", str(keys / "key")
    typed("--db", str(plain), "learn", TEXT)
    assert 1 == typed("--db", str(plain), "change-key").exit_code
    assert 1 == typed("--db", str(plain), "change-key", "--new-key-file", file, "--decrypt").exit_code

    told = typed("--db", str(plain), "change-key", "--new-key-file", file, "--json")
    assert {"database": str(plain), "encrypted": True, "memories": 1} == orjson.loads(told.stdout)
    assert 0 == typed("--db", plain.name, "--key-file", file, "backup", "copy.db", cwd=tmp_path).exit_code
    assert "are encrypted" in typed("--db", "copy.db", "--key-file", file, "doctor", cwd=tmp_path).stdout
    assert "are encrypted" in typed("--db", str(plain), "--key-file", file, "doctor").stdout
    assert b"okapi" not in plain.read_bytes()
    assert 0 == typed("--db", str(plain), "--key-file", file, "change-key", "--decrypt").exit_code
    assert "is not encrypted" in typed("--db", str(plain), "doctor").stdout
    assert b"okapi" in plain.read_bytes()


def test_a_key_needs_a_file() -> None:
    """In memory nothing is at rest, and a store of one's own has its own key."""
    with pytest.raises(RemanenceError, match="a key encrypts a database file"):
        remanence.sync.open(":memory:", key=KEY)
