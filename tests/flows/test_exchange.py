"""A scope leaves as lines of JSON and comes back, on both stores."""

import orjson
import pytest

import remanence
from remanence.change import Change, Increment
from remanence.errors import IngestError
from remanence.model import Relation
from remanence.testing.builders import updated
from tests.flows.conftest import Opener


async def _fill(memory: remanence.Engine) -> None:
    """A little of everything."""
    ids = [
        (await memory.learn(text, speaker="Ann", tags=["x", "y"], source=f"s{k}", key=f"k{k}", thread="t")).id
        for k, text in enumerate(
            ["The boat is blue", "The boat was red", "Paint the boat on Monday", "The boat sank"]
        )
    ]
    await memory.consolidate()
    await memory.link(ids[0], ids[1], "contradicts", confidence=0.4)
    await memory.link(ids[2], ids[0], "refers", weight=0.123456)
    await memory.supersede(ids[1], ids[0])
    await memory.pin(ids[2])
    await memory.hold(ids[2], "legal")
    await memory.forget(ids[3])
    await memory.update(ids[0], attributes={"a": [1, 2.5, None, "ü"]}, confidence=0.3)
    await _rate_and_resolve(memory, ids[0], ids[2])


async def _rate_and_resolve(memory: remanence.Engine, rated: str, other: str) -> None:
    """Rate a memory, tell its alignment, and resolve its contradiction with another."""
    await memory.link(rated, other, "contradicts")
    link = next(link for link in await memory.links(other) if link.relation is Relation.CONTRADICTS)
    one, core = await memory.get(rated), memory._core
    changes = [
        updated(one, alignment=0.7),
        Change("links", link.key, {"resolved_at": None}, {"resolved_at": one.learned_at}),
    ]
    await core.commit(changes, core.cause("resolve"))
    await core.commit([updated(one, helped=Increment(1_500), failed=Increment(500))], core.cause("rate"))


_STRAY = orjson.dumps({
    "source": "nobody", "target": "noone", "relation": "similar", "weight": 1.0, "confidence": 1.0, "count": 1,
    "created_at": 1, "last_at": 1,
})  # fmt: skip


async def _lines(memory: remanence.Engine) -> list[bytes]:
    return [line async for line in memory.export()]


async def test_an_import_of_an_export_is_lossless_and_idempotent(opener: Opener) -> None:
    """Every column, vector, tag, source and link comes back; a second import changes nothing."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        await memory.import_(lines)
        once = await _lines(memory)
        await memory.import_(lines)
        twice = await _lines(memory)

    assert {(0.7, 1_500, 500)} == {
        (row["alignment"], row["helped"], row["failed"])
        for row in map(orjson.loads, once)
        if "alignment" in row
    }
    assert 1 == sum("resolved_at" in orjson.loads(line) for line in once)
    header = {**orjson.loads(lines[0]), "scope": "to"}
    assert [header, *map(orjson.loads, lines[1:])] == [*map(orjson.loads, once)]
    assert once == twice


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        (1, b"not json\n"),
        (1, b'{"format": "other"}\n'),
        (1, b'{"format": "remanence-export", "version": 99}\n'),
        (2, b'{"id": "x"}\n'),
        (2, b"[]\n"),
        (3, b'{"id": "x", "text": 5}\n'),
        (6, _STRAY),
    ],
)  # fmt: skip
async def test_a_malformed_export_names_its_line_and_leaves_nothing(
    opener: Opener, line: int, broken: bytes
) -> None:
    """All is read and checked before the first row is written."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    lines[line - 1] = broken
    async with opener(scope="to") as memory:
        with pytest.raises(IngestError) as caught:
            await memory.import_(lines)
        state = await memory.status()

    assert (line, 0) == (caught.value.line, state.memories)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (2, {"confidence": 7}), (3, {"said_at": 2**62}), (3, {"tier": "archive"}), (2, {"status": "pruned"}),
        (3, {"pinned": 5}), (3, {"status": 5}), (-1, {"weight": "high"}), (-1, {"weight": 9}),
        (-1, {"resolved_at": "x"}), (-1, {"resolved_at": 2**62}), (-1, {"last_at": None}),
    ],
)  # fmt: skip
async def test_a_value_that_cannot_be_kept_leaves_nothing(
    opener: Opener, line: int, wrong: dict[str, object]
) -> None:
    """A value out of range is told by its line, before the memories above it are written."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    place = line % (len(lines) + 1)
    lines[place - 1] = orjson.dumps({**orjson.loads(lines[place - 1]), **wrong})
    async with opener(scope="to") as memory:
        with pytest.raises(IngestError) as caught:
            await memory.import_(lines)
        state = await memory.status()

    assert (place, 0) == (caught.value.line, state.memories)
