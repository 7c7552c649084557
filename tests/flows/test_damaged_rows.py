"""A row that is not what was written is one clear error wherever it is read, and nothing else is lost by it."""

import sqlite3
import zlib
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import RemanenceError, StoreDamaged
from remanence.core.model import COLUMNS

# What may lie where something else was written, by the kinds of SQLite.
WRONG: dict[str, list[Any]] = {
    "INTEGER": [-(2**63), -1, 7, 99, 2**40, 2**62],
    "TEXT": ["", "{", "[1]", "\x00", "null", '{"a": NaN}', "\U0010ffff"],
    "BLOB": [b"", b"x", b"\xff" * 16],
}
READS: dict[str, Callable[[remanence.Engine], Awaitable[Any]]] = {
    "get": lambda memory: memory.get(2),
    "list": lambda memory: memory.list(),
    "recall": lambda memory: memory.recall("tar barrel", count_use=False),
    "frame": lambda memory: memory.frame("task", "tar", count_use=False),
    "links": lambda memory: memory.links(1),
    "contradictions": lambda memory: memory.review.list("contradiction", settled=True),
    "history": lambda memory: memory.history(),
    "history of one": lambda memory: memory.history(2),
    "status": lambda memory: memory.status(),
    "plan": lambda memory: memory.plan("default"),
    "explain": lambda memory: memory.explain(2, "default"),
    "settings": lambda memory: memory.settings.get(),
    "frames": lambda memory: memory.frames.get(),
    "doctor": lambda memory: memory.doctor(),
    "learn": lambda memory: memory.learn("Barrel 2 holds tar."),
    "learn again": lambda memory: memory.learn("Barrel 3 holds tar.", tags=["u"]),
    "put": lambda memory: memory.learn("Barrel 2 holds oil.", key="k2", agent="a", source="s9"),
    "update": lambda memory: memory.update(2, confidence=0.25),
    "tag": lambda memory: memory.tag(2, "v"),
    "untag": lambda memory: memory.tag(2, "t", off=True),
    "pin": lambda memory: memory.pin(2),
    "hold": lambda memory: memory.hold(2, "more"),
    "confirm": lambda memory: memory.rate(2, "right"),
    "rate": lambda memory: memory.rate([2, 3], 1.0),
    "link": lambda memory: memory.link(2, 3, "supports"),
    "unlink": lambda memory: memory.link(1, 2, "contradicts", off=True),
    "correct": lambda memory: memory.correct(2, "Barrel 2 holds pitch."),
    "consolidate": lambda memory: memory.consolidate(),
    "apply": lambda memory: _applied(memory),
    "forget": lambda memory: memory.forget(3),
    "restore": lambda memory: memory.restore(3),
    "undo": lambda memory: _undone(memory),
    "export": lambda memory: _exported(memory),
}


async def _applied(memory: remanence.Engine) -> None:
    await memory.policy.use(PRUNING)
    await memory.apply(await memory.plan(), allow_destroyed=9)


async def _undone(memory: remanence.Engine) -> None:
    """Take the latest runs back, one by one."""
    for event in (await memory.history())[:3]:
        await memory.undo(event.run)


async def _exported(memory: remanence.Engine) -> list[bytes]:
    return [line async for line in memory.export()]


PRUNING = """
version = 1
name = "pruning"
[[rule]]
name = "all"
every = "rapid"
phase = "value"
do = "prune"
where = "True"
"""


TRYING = """
version = 1
name = "trying"
[[rule]]
name = "all"
every = "rapid"
phase = "lifecycle"
do = "transition"
to = "validated"
where = "True"
"""


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A small file with something in every table."""
    path = tmp_path / "whole.db"
    async with remanence.open(path, embedder="hashed", agent="mate") as memory:
        for number in range(4):
            await memory.learn(
                f"Barrel {number} holds tar.",
                key=f"k{number}",
                tags=["t"],
                source=f"s{number}",
                category="fact",
                speaker="Mara",
                confidence=0.5,
                attributes={"n": number},
            )
        await memory.consolidate()
        await memory.recall("which barrel holds tar?")
        await memory.link(1, 2, "contradicts")
        await memory.hold(2, "audit")
        await memory.recall("barrel")
        assert 4 == (await memory.curate(TRYING)).changes
        await memory.policy.use("default")
        await memory.begin_session()
    return path


def columns(path: Path) -> list[tuple[str, str, str]]:
    """List (table, column, kind) of all that is stored."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%STRICT%'")
        ]
        return [
            (table, name, kind)
            for table in tables
            for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")
        ]


def damaged(whole: Path, damage: str, value: Any) -> Path:
    """Return a copy in which a statement went through that no store of ours would let through."""
    path = whole.with_name("damaged.db")
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in ("ignore_check_constraints = ON", "foreign_keys = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(damage, (value,))
    return path


async def came_out(path: Path) -> list[str]:
    """Read all that can be read; say what came out that is no error of ours."""
    odd = []
    try:
        async with remanence.open(path, embedder="hashed") as memory:
            for name, read in READS.items():
                try:
                    await read(memory)
                except RemanenceError as error:
                    odd += [] if error.recovery else [f"{name}: no way out"]
                except Exception as error:  # noqa: BLE001 - whatever comes out is what is told
                    odd.append(f"{name}: {error!r}")
    except RemanenceError as error:
        odd += [] if error.recovery else ["open: no way out"]
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is told
        odd.append(f"open: {error!r}")
    return odd


@pytest.mark.deep
async def test_whatever_lies_in_a_column_is_an_error_of_ours(path: Path) -> None:
    """Columns of every table, with values that their kind allows and no store of ours lets through."""
    odd = []
    cases = [(table, column, value) for table, column, kind in columns(path) for value in WRONG[kind]]
    for table, column, value in cases:
        try:
            copy = damaged(path, f"UPDATE OR IGNORE {table} SET {column} = ?", value)
        except sqlite3.Error:
            continue
        odd += [f"{table}.{column} = {value!r}: {one}" for one in await came_out(copy)]

    assert [] == odd


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("runs", "position", 2**62),
        ("runs", "run", b""),
        ("postings", "seqs", b"x"),
        ("postings", "count", 2**40),
        ("waiting", "terms", b"x"),
        ("states", "decay", 7),
        ("states", "seq", -(2**63)),
        ("scopes", "memories", -1),
        ("settings", "value", "null"),
        ("heard", "turns", 2**40),
        ("vectors", "vector", b"x" * 16),
        ("blocks", "rows", 2**40),
        ("blocks", "rows", 0),
        ("blocks", "kind", 7),
        ("blocks", "shape", 2**40),
        ("blocks", "keys", b"x"),
        ("blocks", "image", zlib.compress(bytes(2**20))),
    ],
)
async def test_what_once_came_out_raw_does_not(path: Path, table: str, column: str, value: Any) -> None:
    """None of the damages that once made a verb raise something else, or never end, does so again."""
    assert [] == await came_out(damaged(path, f"UPDATE OR IGNORE {table} SET {column} = ?", value))


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("memories", "attributes", "{"),
        ("memories", "holds", "[1]"),
        ("states", "severity", 99),
        ("states", "speaker", 9_999),
        ("accessors", "uses", 0),
        ("accessors", "last_at", 2**62),
        ("tags", "at", 2**62),
    ],
)
async def test_a_damaged_memory_is_damage(path: Path, table: str, column: str, value: object) -> None:
    """What cannot be read says so, points at doctor, and leaves the others readable."""
    copy = damaged(path, f"UPDATE {table} SET {column} = ? WHERE seq = 2", value)
    async with remanence.open(copy, embedder="hashed") as memory:
        with pytest.raises(StoreDamaged) as caught:
            await memory.get(2)
        other = await memory.get(3)

    assert "doctor" in caught.value.recovery
    assert "Barrel 2 holds tar." == other.text


async def test_a_damaged_memory_is_shown_by_its_number(path: Path) -> None:
    """A plan rests on columns: it shows a memory whose text cannot be read without it, and the others whole."""
    async with remanence.open(path, embedder="hashed") as memory:
        await memory.hold(2, "audit", off=True)
    copy = damaged(path, "UPDATE memories SET attributes = ? WHERE seq = 2", "{")
    async with remanence.open(copy, embedder="hashed") as memory:
        plan = await memory.plan(PRUNING)
    shown = {one.seq: one.text for act in plan.describe().acts for one in act.memories}

    assert (None, "Barrel 2 holds tar.") == (shown[2], shown[3])


PURGING = PRUNING.replace('"value"', '"purge"').replace('"prune"', '"purge"')


@pytest.mark.parametrize(
    ("damage", "value"),
    [
        ("UPDATE memories SET attributes = ? WHERE seq = 2", "{"),
        ("UPDATE states SET speaker = ? WHERE seq = 2", 9_999),
    ],
)
async def test_what_breaks_in_the_middle_of_a_write_is_damage(path: Path, damage: str, value: object) -> None:
    """A row that only the writer reads whole, as it goes: nothing of the commit is written, what is sound is read."""
    async with remanence.open(path, embedder="hashed") as memory:
        await memory.hold(2, "audit", off=True)
        await memory.forget(2)
        await memory.policy.use(PURGING)
    copy = damaged(path, damage, value)
    async with remanence.open(copy, embedder="hashed") as memory:
        plan = await memory.plan()
        with pytest.raises(StoreDamaged) as caught:
            await memory.apply(plan, allow_destroyed=9)
        others = [(await memory.get(seq)).text for seq in (1, 3, 4)]
        learned = await memory.learn("Barrel 5 holds tar.")

    assert "doctor" in caught.value.recovery
    assert [f"Barrel {number} holds tar." for number in (0, 2, 3)] == others
    assert "stored" == learned.status


@pytest.mark.parametrize(
    ("damage", "value"),
    [
        ("UPDATE changes SET kind = ?", -1),
        ("UPDATE settings SET value = ? WHERE name = 'embedder'", "[1]"),
        ("UPDATE states SET decay = ?", -1),
    ],
)
async def test_what_no_verb_can_read_is_said_in_our_words(path: Path, damage: str, value: object) -> None:
    """Whatever door meets it first."""
    assert [] == await came_out(damaged(path, damage, value))


def test_every_kind_of_column_is_damaged() -> None:
    """No kind of the model is left out above."""
    assert {"int", "time", "fraction", "flag", "enum", "name", "text", "json", "blob", "accessors"} == {
        one.kind for one in COLUMNS
    }
