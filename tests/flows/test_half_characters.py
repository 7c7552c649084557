"""Half a character that comes in by any door is kept as U+FFFD, and the answer says how many were."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence import Turn
from remanence.curate.policy.compiled import load

HALF, WHOLE, SAID = "\udc9f", "\ufffd", "half a character"


async def test_every_field_of_a_text_is_mended_and_told(memory: remanence.Engine) -> None:
    """Text, names, tags, key and attributes; the memory is found by its key as it was passed."""
    told = await memory.learn(
        f"The lamp {HALF} is green \ud83d\ude00",
        key=f"k{HALF}",
        tags=[f"t{HALF}"],
        speaker=f"Ada{HALF}",
        thread=f"th{HALF}",
        session=f"s{HALF}",
        source=f"f{HALF}",
        attributes={f"a{HALF}": [{"b": HALF}]},
    )
    kept = await memory.get(f"k{HALF}")

    assert {SAID: 9} == told.replaced
    assert f"{SAID} ×9" in told.note
    assert f"The lamp {WHOLE} is green 😀" == kept.text
    assert ((f"t{WHOLE}",), f"Ada{WHOLE}", f"k{WHOLE}") == (kept.tags, kept.speaker, kept.key)
    assert {f"a{WHOLE}": [{"b": WHOLE}]} == kept.attributes


@pytest.mark.parametrize("make", [list, iter], ids=["list", "iterator"])
async def test_several_texts_are_told_of_as_one(
    memory: remanence.Engine, make: Callable[[list[Any]], Any]
) -> None:
    """Turns, mappings and plain texts; the first answer says how many of all, and nothing is left for the next."""
    given = [Turn(f"one {HALF}"), {"text": f"two {HALF}", "tags": [HALF]}, "three"]
    told = await memory.learn(make(given))

    assert [{SAID: 3}, {}, {}] == [one.replaced for one in told]
    assert {} == (await memory.learn("four")).replaced


async def test_every_change_says_what_was_replaced(memory: remanence.Engine) -> None:
    """Notes, corrections, edits, tags and questions."""
    first = await memory.learn("The boat is red.")
    noted = await memory.note(f"I moved to Rome {HALF} yesterday.")
    corrected = await memory.correct(first.id, f"The boat is blue {HALF}.")
    receipts: list[Any] = [
        await memory.update(corrected.id, attributes={"of": HALF}),
        await memory.update(corrected.id, text=f"The boat is green {HALF}."),
        await memory.tag(corrected.id, f"x{HALF}"),
    ]
    answer = await memory.recall(f"boat {HALF}", count_use=False)

    assert ({SAID: 1}, {SAID: 1}) == (noted.replaced, corrected.replaced)
    assert all(any(SAID in note for note in one.notes) for one in [*receipts, answer])
    assert f"The boat is green {WHOLE}." == answer.memories[0].memory.text


async def test_an_error_leaves_nothing_to_tell(memory: remanence.Engine) -> None:
    """What was replaced in a call that failed is no part of the next answer."""
    with pytest.raises(remanence.InvalidInput, match="NUL"):
        await memory.learn(f"{HALF}\0")

    assert {} == (await memory.learn("whole")).replaced


ESCAPED = r"\ud83d"
_NODE: dict[str, Any] = {"id": "n", "parent": None, "children": []}
SOURCES: dict[str, tuple[str, bytes, int]] = {
    "jsonl": (
        "a.jsonl",
        rf'{{"text": "A lamp {ESCAPED} burns.", "tags": ["t{ESCAPED}"], "speaker": "B{ESCAPED}",'
        rf' "attributes": {{"a": "{ESCAPED}"}}}}'.encode(),
        4,
    ),
    "openai": (
        "a.json",
        rf'[{{"role": "user", "content": "A lamp {ESCAPED} burns."}}]'.encode(),
        1,
    ),
    "mem0": (
        "a.json",
        rf'{{"results": [{{"id": "i{ESCAPED}", "memory": "A lamp {ESCAPED} burns.", "user_id": "u"}}]}}'.encode(),
        2,
    ),
    "notes": ("a.md", b"# Lamps\n\nA lamp \xed\xa0\xbd burns.\n", 1),
    "chatgpt": (
        "a.json",
        json.dumps(
            [
                {
                    "title": "T",
                    "create_time": 1780000000.0,
                    "conversation_id": "c",
                    "current_node": "n",
                    "mapping": {
                        "n": {
                            **_NODE,
                            "message": {
                                "id": "n",
                                "author": {"role": "user"},
                                "content": {"content_type": "text", "parts": ["A lamp \ud83d burns."]},
                                "create_time": 1780000000.0,
                            },
                        }
                    },
                }
            ]
        ).encode(),
        1,
    ),
}


@pytest.mark.parametrize("format_", SOURCES)
async def test_no_file_and_no_message_is_left_out_for_it(
    memory: remanence.Engine, tmp_path: Path, format_: str
) -> None:
    """An import keeps the text, says how many were replaced, as its dry run did, and knows it the second time."""
    name, data, count = SOURCES[format_]
    (tmp_path / name).write_bytes(data)
    dry = await memory.ingest(tmp_path / name, format=format_, dry_run=True)
    done = await memory.ingest(tmp_path / name, format=format_)
    again = await memory.ingest(tmp_path / name, format=format_)
    (kept,) = [one for one in await memory.list() if "lamp" in one.text]

    assert f"A lamp {WHOLE} burns." in kept.text
    assert [count] * 3 == [one.replaced.get(SAID) for one in (dry, done, again)]
    assert (1, 0, 1) == (done.stored, again.stored, again.known)
    assert SAID in str(done)


async def test_an_edited_export_comes_in(memory: remanence.Engine, tmp_path: Path) -> None:
    """A line that somebody edited so is mended, and the receipt says so."""
    await memory.learn("The lamp is green.")
    lines = [line.replace(b"green", b"green " + ESCAPED.encode()) async for line in memory.export()]
    async with remanence.open(tmp_path / "other.db", embedder="hashed") as other:
        done = await other.import_(lines, edited=True)
        texts = [one.text for one in await other.list()]

    assert any(SAID in one for one in done.skipped)
    assert [f"The lamp is green {WHOLE}."] == texts


def test_what_is_mended_outside_a_verb_is_told_by_none(tmp_path: Path) -> None:
    """A policy that is loaded by itself has no answer, and the next verb's answer is about its own texts."""
    load('version = 1\nname = "half \ud83d"\n')
    with remanence.sync.open(tmp_path / "memory.db", embedder="none") as memory:
        learned = memory.learn("The ferry is blue.")

    assert ({}, ()) == (learned.replaced, learned.replacements)
