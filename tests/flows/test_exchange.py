"""A scope leaves as lines of JSON and comes back, on both stores."""

import asyncio
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.change import Change, Increment
from remanence.core.clock import ManualClock
from remanence.core.errors import IngestError, InvalidInput
from remanence.core.model import Relation
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight
from remanence_store_kit.builders import update_change
from remanence_store_kit.dump import dump
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
    await memory.correct(ids[1], by=ids[0])
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
        update_change(one, alignment=0.7),
        Change("links", link.key, {"resolved_at": None}, {"resolved_at": one.learned_at}),
    ]
    await core.commit(changes, core.cause("resolve"))
    await core.commit(
        [update_change(one, helped=Increment(1_500), failed=Increment(500))], core.cause("rate")
    )


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
        await memory.import_(lines, trust="user")
        once = await _lines(memory)
        await memory.import_(lines, trust="user")
        twice = await _lines(memory)

    assert {(0.7, 1_500, 500)} == {
        (row["alignment"], row["helped"], row["failed"])
        for row in map(orjson.loads, once)
        if "alignment" in row
    }
    assert 1 == sum("resolved_at" in orjson.loads(line) for line in once)
    assert lines[1:-1] == once[1:-1]
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
        (3, {"pinned": 5}), (3, {"status": 5}), (-2, {"weight": "high"}), (-2, {"weight": 9}),
        (-2, {"resolved_at": "x"}), (-2, {"resolved_at": 2**62}), (-2, {"last_at": None}),
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


async def test_an_export_of_an_older_program_comes_in_without_its_claims(opener: Opener) -> None:
    """Whoever cannot open an old file any more exports it with the program that wrote it."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    claims = [{"subject": "ferry", "attribute": "leaves", "value": "at nine"}]
    lines[1] = orjson.dumps({**orjson.loads(lines[1]), "claims": claims})
    async with opener(scope="to") as memory:
        done = await memory.import_(lines, trust="user", edited=True)

    assert 4 == done.counts["taken"]


async def test_an_export_of_an_import_is_the_export(opener: Opener) -> None:
    """Taken into an empty memory of the same name, an export comes out byte for byte."""
    async with opener(scope="same") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    async with remanence.open(scope="same", embedder="hashed") as other:
        done = await other.import_(lines, trust="user")
        again = await _lines(other)

        assert lines == again
        assert {"taken": 4, "kept": 0, "merged": 0, "refused": 0, "link": 7} == done.counts


async def test_an_import_of_the_memory_itself_changes_nothing(opener: Opener) -> None:
    """Every id is here already: no row, no position, no clock moves, and the answer says that all was kept."""
    async with opener() as memory:
        await _fill(memory)
        lines, before = await _lines(memory), await dump(memory._core.store, "default")
        position = (await memory._core.store.search("default", ())).position
        done = await memory.import_(lines)

        assert before == await dump(memory._core.store, "default")
        assert position == (await memory._core.store.search("default", ())).position
        assert (0, 4, 0) == (done.changes, done.counts["kept"], done.counts["taken"])


async def test_an_import_without_links_is_whole(opener: Opener) -> None:
    """The last part of an import closes its run, also where no link is drawn."""
    async with opener(scope="from") as memory:
        await memory.learn("The boat is blue")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        await memory.import_(lines)

        assert () == (await memory.status()).interrupted


async def test_what_is_said_here_already_is_confirmed_once(opener: Opener) -> None:
    """The same text is merged as a repeat: confirmed, with its tags and sources; a second import does it no more.

    So it is where a user brings the file: what comes from outside adds nothing, see `test_from_outside`.
    """
    async with opener(scope="from") as memory:
        more: dict[str, Any] = {"tags": ["self/constitutional"], "confidence": 0.9}
        given = await memory.learn("The boat is blue", source="letter", **more)
        other = await memory.learn("It lies in the harbour")
        await memory.link(given.id, other.id, "refers")
        await memory.pin(given.id)
        await memory.hold(given.id, "legal")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        mine = await memory.learn("The boat is blue.", tags=["y"], confidence=0.5)
        done = await memory.import_(lines, trust="user")
        once = await _lines(memory)
        again = await memory.import_(lines, trust="user")
        kept = await memory.get(mine.id)
        links = await memory.links(mine.id)

        assert {"taken": 1, "kept": 0, "merged": 1, "refused": 0, "link": 1} == done.counts
        assert (("self/constitutional", "y"), ("letter", f"memory/{given.id}")) == (kept.tags, kept.sources)
        assert ("The boat is blue.", 1, 1, {"legal": None}) == (
            kept.text,
            kept.confirmations,
            kept.pinned,
            kept.holds,
        )
        assert (0.9, "permanent") == (kept.confidence, kept.decay.label)
        assert [(mine.seq, (await memory.get(other.id)).seq)] == [
            (link.source, link.target) for link in links
        ]
        assert (0, 2) == (again.changes, again.counts["kept"])
        assert once == await _lines(memory)

        await memory.undo(done)

        assert (("y",), (), 0) == ((back := await memory.get(mine.id)).tags, back.sources, back.pinned)


async def test_a_key_that_names_something_else_here_is_refused_by_its_line(opener: Opener) -> None:
    """What is here under the key stays; the line that has the key too is told, and the rest comes in."""
    async with opener(scope="from") as memory:
        one = await memory.learn("Ann lives in Bergen", key="home")
        two = await memory.learn("Ann has a dog")
        await memory.link(one.id, two.id, "refers")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        await memory.learn("Ann lives in Oslo", key="home")
        done = await memory.import_(lines)

        assert (1, 1, 0) == (done.counts["taken"], done.counts["refused"], done.counts["link"])
        assert "Ann lives in Oslo" == (await memory.get("home")).text
        line, links = done.skipped

        assert line.startswith("line 2 is left out: its key 'home' is ")
        assert links.startswith("links that are left out")
        assert links.endswith(": 1")


async def test_what_is_gone_here_comes_back_as_learned_anew(opener: Opener) -> None:
    """A text whose memory was forgotten here is taken in with a link to that one, as `learn` would draw it."""
    async with opener(scope="from") as memory:
        await memory.learn("The boat is blue")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        mine = await memory.learn("The boat is blue")
        await memory.forget(mine.id)
        await memory.import_(lines)
        (link,) = await memory.links(mine.id)

        assert Relation.LEARNED_FROM is link.relation
        assert "pruned" == (await memory.get(mine.id)).status.label
        assert 0 == (await memory.import_(lines)).changes


async def test_two_lines_that_say_the_same_become_one(opener: Opener) -> None:
    """Where two of a file's memories stand with one text, as after a restore, the first takes the second in."""
    async with opener(scope="from") as memory:
        first = await memory.learn("The boat is blue", tags=["x"])
        await memory.forget(first.id)
        second = await memory.learn("The boat is blue", tags=["y"])
        await memory.restore(first.id)
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        await memory.import_(lines)
        kept = await memory.get(first.id)

        assert (1, ("x", "y"), 1) == ((await memory.status()).memories, kept.tags, kept.confirmations)
        assert (f"memory/{second.id}",) == kept.sources
        assert 0 == (await memory.import_(lines)).changes


async def test_a_name_that_looks_like_an_id_is_none(opener: Opener) -> None:
    """A memory whose key is the id of another is not taken for it."""
    async with opener(scope="from") as memory:
        given = await memory.learn("The boat is blue")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        await memory.learn("The boat was red", key=given.id)

        assert 1 == (await memory.import_(lines)).counts["taken"]


@pytest.mark.parametrize("cut", [1, 2, 5])
async def test_a_cut_export_is_refused(opener: Opener, cut: int) -> None:
    """An export that lacks its last lines is told, and nothing of it is taken in unless it is wanted as it is."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = (await _lines(memory))[:-cut]
    async with opener(scope="to") as memory:
        with pytest.raises(IngestError, match="cut") as caught:
            await memory.import_(lines)

        assert (len(lines), 0) == (caught.value.line, (await memory.status()).memories)

        done = await memory.import_(lines, edited=True, trust="user")

        assert [f"line {len(lines)}: the end of the export is missing: it was cut"] == [*done.skipped]


@pytest.mark.parametrize(("cut", "told"), [(2, "the export had 12 lines"), (3, "no text")])
async def test_a_line_that_is_missing_or_another_is_told(opener: Opener, cut: int, told: str) -> None:
    """The trailer counts the lines and has their digest."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    lines = (
        [*lines[:-2], lines[-1]]
        if cut == 2
        else [lines[0], lines[1].replace(b'"Ann"', b'"Ann" '), *lines[2:]]
    )
    async with opener(scope="to") as memory:
        with pytest.raises(IngestError, match=told):
            await memory.import_(lines)

        assert 0 == (await memory.status()).memories


async def test_an_edited_text_is_told_by_its_line(opener: Opener) -> None:
    """A text that has the fingerprint of another is refused, or taken in with its own fingerprint and vector."""
    async with opener(scope="from") as memory:
        await memory.learn("The door key is 1111")
        await memory.learn("The window is shut")
        lines = await _lines(memory)
    lines[1] = lines[1].replace(b"1111", b"2222")
    async with opener(scope="to") as memory:
        with pytest.raises(IngestError, match="edited") as caught:
            await memory.import_(lines)

        assert (2, 0) == (caught.value.line, (await memory.status()).memories)

        done = await memory.import_(lines, edited=True)
        mine = await memory.learn("The door key is 2222")
        hit = (await memory.recall("door key 2222")).memories[0]

        assert ("confirmed", 1) == (mine.status, len(done.skipped))
        assert done.skipped[0].startswith("line 2: the text was edited")
        assert mine.id == hit.memory.id
        assert "stored" == (await memory.learn("The door key is 1111")).status


async def test_a_forged_fingerprint_makes_no_text_unlearnable(opener: Opener) -> None:
    """What follows from the text is derived from it, whatever a line says."""
    async with opener(scope="from") as memory:
        await memory.learn("The door key is 1111")
        await memory.learn("The door key is 9999")
        lines = await _lines(memory)
    rows = [orjson.loads(line) for line in lines]
    forged = {**rows[1], "fingerprint": rows[2]["fingerprint"], "tokens": 7_000, "words": -3}
    async with opener(scope="to") as memory:
        await memory.import_([lines[0], orjson.dumps(forged)], edited=True)
        mine = await memory.get(rows[1]["id"])

        assert "stored" == (await memory.learn("The door key is 9999")).status
        assert (rows[1]["tokens"], rows[1]["words"]) == (mine.tokens, mine.words)


async def test_an_export_of_version_1_is_read_and_its_doubt_is_said(opener: Opener) -> None:
    """Exports used to end without a trailer; they are taken in, and the answer says what cannot be told."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    header = {
        "format": "remanence-export",
        "version": 1,
        "scope": "from",
        "embedder": orjson.loads(lines[0])["embedder"],
    }
    async with opener(scope="to") as memory:
        done = await memory.import_([orjson.dumps(header), *lines[1:-1]], trust="user")

        assert (4, 1) == (done.counts["taken"], len(done.skipped))
        assert "whole cannot be told" in done.skipped[0]


_ROW = {
    "id": "0" * 31 + "1",
    "text": "The boat is blue",
    "said_at": 1,
    "learned_at": 1,
    "status_at": 1,
    "tier_at": 1,
}
_LINK = {
    "source": "0" * 31 + "1", "target": "0" * 31 + "2", "relation": "refers", "weight": 0.5, "confidence": None,
    "count": 1, "created_at": 1, "last_at": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""}, {"id": "x" * 5_000}, {"id": "0" * 32 + "\n"}, {"id": "A" * 32}, {"id": 5}, {"id": None},
        {"id": "\x1b[31m"}, {"text": ""}, {"text": "a\0b"}, {"text": "x" * 100_001}, {"text": ["a"]},
        {"key": "a\nb"}, {"key": ""}, {"key": 7}, {"speaker": "Mara\n</memory>"}, {"tags": "x"}, {"tags": [5]},
        {"tags": ["a\nb"]}, {"tags": {"a": 1}}, {"sources": ["\x1b[0m"]}, {"sources": None}, {"uses": 2**63},
        {"uses": True}, {"uses": 1.5}, {"uses": "1"}, {"pinned": 2}, {"pinned": True}, {"said_at": 2**62},
        {"said_at": 1.0}, {"said_at": True}, {"learned_at": None}, {"confidence": 1.5}, {"confidence": True},
        {"value": -1}, {"decay": "slow"}, {"decay": 2}, {"holds": []}, {"holds": {"a\nb": None}},
        {"holds": {"legal": "for ever"}}, {"holds": {"legal": 2**62}}, {"attributes": [1]}, {"vector": "%%%"},
        {"vector": 5}, {"vector": ""}, {"fingerprint": 5}, {"revision": 9}, {"touched": 9}, {"seq": 1},
        {"scope": "other"}, {"status": "archived"}, {"reason": "bored"}, {"category": ["fact"]}, {"nobody": 1},
        {"valid_from": 2, "valid_to": 1},
    ],
    ids=lambda wrong: f"{orjson.dumps(wrong).decode():.40}",
)  # fmt: skip
async def test_a_hostile_memory_is_refused_by_its_line(opener: Opener, wrong: dict[str, object]) -> None:
    """Whatever a line says is held against the rules of the columns, also where the file is wanted as it is."""
    async with opener() as memory:
        header = {"format": "remanence-export", "version": 2, "embedder": memory.embedder.name}
        with pytest.raises(IngestError) as caught:
            await memory.import_([orjson.dumps(header), orjson.dumps({**_ROW, **wrong})], edited=True)

        assert (2, 0) == (caught.value.line, (await memory.status()).memories)


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "x"}, {"target": None}, {"target": _LINK["source"]}, {"relation": "hates"}, {"relation": 5},
        {"weight": None}, {"weight": -1}, {"weight": True}, {"count": "1"}, {"count": 2**63}, {"more": 1},
        {"target": "0" * 31 + "3"},
    ],
    ids=lambda wrong: f"{orjson.dumps(wrong).decode():.40}",
)  # fmt: skip
async def test_a_hostile_link_is_refused_by_its_line(opener: Opener, wrong: dict[str, object]) -> None:
    """A link has two ends in the file and a known relation, and nothing that is no column of it."""
    async with opener() as memory:
        header = {"format": "remanence-export", "version": 2}
        rows = [_ROW, {**_ROW, "id": "0" * 31 + "2", "text": "The boat was red"}]
        values = [header, *rows, {**_LINK, **wrong}]
        with pytest.raises(IngestError) as caught:
            await memory.import_([orjson.dumps(value) for value in values], edited=True)

        assert (4, 0) == (caught.value.line, (await memory.status()).memories)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\xff\xfe", b'{"id": "\xff"}', b"[" * 100_000, b'{"a":' * 100_000, b"5", b"null", b'"\\ud800"',
        b'{"text": NaN}', b"x" * 5_000_000, "\ud800",
        orjson.dumps({**_ROW, "attributes": {}})[:-2] + b'"a":' + b"[" * 500 + b"]" * 500 + b"}}",
        orjson.dumps({**_ROW, "attributes": {}})[:-2] + b'"a":' + b"9" * 400 + b"}}",
    ],
    ids=lambda line: f"{line!r:.30}",
)  # fmt: skip
async def test_hostile_bytes_are_refused_by_their_line(opener: Opener, line: bytes) -> None:
    """What is no line of an export is one clear error."""
    async with opener() as memory:
        header = b'{"format": "remanence-export", "version": 2}'
        with pytest.raises(IngestError) as caught:
            await memory.import_([header, line], edited=True)

        assert (2, 0) == (caught.value.line, (await memory.status()).memories)


@pytest.mark.parametrize(
    "lines",
    [
        [orjson.dumps(_ROW), orjson.dumps(_ROW)],
        [orjson.dumps(_ROW), b'{"end": {}}', orjson.dumps({**_ROW, "id": "f" * 32})],
    ],
)
async def test_a_line_that_has_no_place_is_refused(opener: Opener, lines: list[bytes]) -> None:
    """One id stands in one line, and nothing stands after the end."""
    async with opener() as memory:
        header = b'{"format": "remanence-export", "version": 2}'
        with pytest.raises(IngestError) as caught:
            await memory.import_([header, *lines], edited=True)

        assert (len(lines) + 1, 0) == (caught.value.line, (await memory.status()).memories)


@pytest.mark.parametrize("whole", ["a text", b"bytes"])
async def test_a_text_is_no_export(opener: Opener, whole: Any) -> None:
    """A file that was not split into lines is told apart."""
    async with opener() as memory:
        with pytest.raises(InvalidInput, match="lines"):
            await memory.import_(whole)


@given(st.data())
@settings(deadline=None)
async def test_an_edited_byte_is_refused_or_changes_nothing(data: st.DataObject) -> None:
    """Whatever byte of an export is changed, taken away or put in: it is refused, or reads as it was."""
    lines = await _exported()
    whole = bytearray(b"".join(lines))
    at = data.draw(st.integers(0, len(whole) - 1))
    how, byte = data.draw(st.sampled_from("cdi")), data.draw(st.integers(0, 255))
    whole[at : at + (how != "i")] = bytes([] if how == "d" else [byte])
    async with remanence.open(scope="same", embedder="hashed") as memory:
        try:
            await memory.import_(bytes(whole).splitlines(), trust="user")
        except IngestError:
            assert 0 == (await memory.status()).memories
        else:
            assert lines == await _lines(memory)


@cache
def _kept() -> list[bytes]:
    return []


async def _exported() -> list[bytes]:
    """Make one small export, once."""
    if not _kept():
        async with remanence.open(scope="same", embedder="hashed", clock=ManualClock()) as memory:
            await _fill(memory)
            _kept().extend(await _lines(memory))
    return _kept()


async def test_two_imports_at_once_are_as_one(opener: Opener) -> None:
    """Whoever loses a race decides again about what is left: nothing fails, and nothing is there twice."""
    async with opener(scope="from") as memory:
        await _fill(memory)
        lines = await _lines(memory)
    async with opener(scope="to") as memory, opener(scope="to") as other:
        done = await asyncio.gather(memory.import_(lines, trust="user"), other.import_(lines, trust="user"))
        alone = await _lines(memory)

        assert lines[1:-1] == alone[1:-1]
        assert 4 == sum(receipt.counts["taken"] for receipt in done)


async def test_a_large_import_is_written_in_parts(opener: Opener) -> None:
    """A thousand memories are a part, links are parts of their own, and the last of all closes the run."""
    async with opener(scope="from") as memory:
        await memory.learn([f"text {number}" for number in range(1_200)])
        await memory.link(1, 1_200, "refers")
        lines = await _lines(memory)
    async with opener(scope="to") as memory:
        done = await memory.import_(lines, trust="user")

        assert (1_200, 1, 3) == (done.counts["taken"], done.counts["link"], done.parts)
        assert () == (await memory.status()).interrupted
        assert lines[1:-1] == (await _lines(memory))[1:-1]


async def test_a_link_of_the_file_is_drawn_as_it_was(opener: Opener, clock: ManualClock) -> None:
    """Where the file says itself that a text was learned anew, and when, that is what comes in."""
    async with opener(scope="from") as memory:
        first = await memory.learn("The boat is blue")
        await memory.forget(first.id)
        await memory.learn("The boat is blue")
        lines = await _lines(memory)
    clock.advance(days=1)
    async with opener(scope="to") as memory:
        await memory.import_(lines[:2], edited=True)
        await memory.import_(lines)
        (link,) = await memory.links(first.id)

        assert orjson.loads(lines[3])["created_at"] == link.created_at


async def test_an_import_says_what_was_erased_at_its_origin_since(opener: Opener) -> None:
    """An export carries the ids of what was erased before it, and no text; what stands here is named and deleted.

    `undo` takes that back, and what only an outsider says to be erased stays.
    """
    async with opener() as origin, opener(scope="other") as other:
        gone = [
            await origin.learn(text)
            for text in ("Ana keeps bees.", "Ana sells honey.", "Ana moved to Porto.")
        ]
        await origin.learn("The boathouse is green.")
        await other.import_([line async for line in origin.export()], trust="user")
        await other.erase.apply(await other.erase.show(gone[2].id))
        await origin.erase.apply(await origin.erase.show([one.id for one in gone]))
        lines = [line async for line in origin.export()]
        outside = await other.import_(lines)
        assert 3 == len(await other.list())
        taken = await other.import_(lines, trust="user")
        first, second = [await other.get(one.id) for one in gone[:2]]
        assert 1 == len(await other.list())
        await other.undo(taken)
        assert 3 == len(await other.list())
        await other.erase.apply(await other.erase.show([first.id, second.id]))
        again = await other.import_(lines, trust="user")

    assert f"2 of these were erased at their origin since: erase #{first.seq} #{second.seq}" in taken.notes
    assert outside.notes == taken.notes
    assert (0, 2) == (outside.counts.get("forget", 0), taken.counts["forget"])
    assert [] == [one for one in again.notes if "erased at their origin" in one]
    (said,) = [line for line in map(orjson.loads, lines) if "erased" in line]
    assert {one.id for one in gone} == set(said["erased"])
    assert not any(word in line for line in lines for word in (b"sells honey", b"to Porto", b"keeps bees"))


async def test_no_older_export_brings_back_what_an_import_said_was_erased(opener: Opener) -> None:
    """Its line is left out by its id, with the reason, also behind a store between; no undo changes that."""
    async with opener() as origin, opener(scope="between") as between, opener(scope="last") as last:
        gone = await origin.learn("Ana keeps bees.")
        await origin.learn("The boathouse is green.")
        old = [line async for line in origin.export()]
        await origin.erase.apply(await origin.erase.show(gone.id))
        told = await between.import_([line async for line in origin.export()])
        await last.import_([line async for line in between.export()])
        refused = [await one.import_(old) for one in (origin, between, last)]
        await between.undo(told)
        again = await between.import_(old)
        texts = [[one.text for one in await memory.list(status="any")] for memory in (between, last)]
        standing = await origin.learn("Ana moved to Porto.")
        await last.import_([line async for line in origin.export()])
        await origin.erase.apply(await origin.erase.show(standing.id))
        await last.import_([line async for line in origin.export()])
        stays = await last.import_([line async for line in last.export()])

    assert [1, 1, 1] == [one.counts["refused"] for one in refused]
    assert all("line 2 is left out" in one.skipped[0] and "erased" in one.skipped[0] for one in refused)
    assert (1, 1) == (again.counts["taken"], again.counts["refused"])
    assert [["The boathouse is green."]] * 2 == [sorted(set(one)) for one in texts]
    assert (2, 0) == (stays.counts["kept"], stays.counts["refused"])


class _Placed:
    """An embedder that notes in which threads it was asked."""

    name = "placed"
    dimensions = 4
    thresholds = SimilarityThresholds(similar=0.6, near=0.9)

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return the same unit row for each text."""
        self.threads.add(threading.get_ident())
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))


async def test_an_import_embeds_beside_the_event_loop(tmp_path: Path) -> None:
    """Lines without vectors keep nobody else waiting, however many there are."""
    async with remanence.open(tmp_path / "from.db", embedder="none") as memory:
        await memory.learn([f"The boat number {k} is blue" for k in range(20)])
        lines = [line async for line in memory.export()]
    placed = _Placed()
    async with remanence.open(tmp_path / "to.db", embedder=placed) as memory:
        await memory.import_(lines)

    assert placed.threads
    assert threading.get_ident() not in placed.threads
