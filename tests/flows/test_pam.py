"""A scope leaves as Portable AI Memory 1.0: each fact where that format has a place for it, the rest by count."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import NameUnknown
from remanence.flows.exchange.pam import hash_content
from tests.command_line import typed

T0 = 1_767_225_600_000_000
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
MEMORY = {
    "id",
    "type",
    "custom_type",
    "status",
    "content",
    "content_hash",
    "summary",
    "tags",
    "confidence",
    "temporal",
}
MEMORY |= {"provenance", "metadata"}
RELATIONS = {"supports", "contradicts", "extends", "supersedes", "related_to", "derived_from"}


async def exported(memory: remanence.Engine) -> dict[str, Any]:
    """Return the document."""
    document: dict[str, Any] = json.loads(b"".join([part async for part in memory.export(format="pam")]))
    return document


async def fill(memory: remanence.Engine) -> None:
    """Learn what has a place in the format, and what has none."""
    await memory.learn("Tom lives in Oslo.", category="preference", said_at=T0, tags=["home"], confidence=1.0)
    await memory.learn("The WEIR  is open.", said_at=T0 + 1, confidence=0.25, attributes={"project": "weir"})
    await memory.learn(
        "Paint the buoy.", category="task", tags=["Red Buoy"], thread="harbour", source="talk:1", key="buoy"
    )
    await memory.correct(1, "Tom lives in Ghent.")
    await memory.link(2, 3, "supports")
    await memory.forget((await memory.learn("It rained.")).id)


async def test_a_document_holds_what_the_format_asks_for(memory: remanence.Engine) -> None:
    """Its fields and no others, its words, times in UTC, hashes as it defines them; relations between what is there."""
    await fill(memory)
    document = await exported(memory)
    rows, integrity = document["memories"], document["integrity"]
    canonical = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    times = [at for row in rows for name, at in row["temporal"].items() if name != "superseded_by"]

    assert ("portable-ai-memory", "1.0", {"id": "default"}) == tuple(
        document[name] for name in ("schema", "schema_version", "owner")
    )
    assert re.fullmatch(r"remanence/\d+\.\d+\.\d+", document["exported_by"])
    assert [] == [row for row in rows if not row.keys() <= MEMORY]
    assert sorted(row["id"] for row in rows) == [row["id"] for row in rows]
    assert all(map(TIME.fullmatch, times))
    assert (4, f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}") == (
        integrity["total_memories"],
        integrity["checksum"],
    )
    assert {"supports", "supersedes"} <= {one["type"] for one in document["relations"]} <= RELATIONS


async def test_what_is_known_keeps_its_meaning(memory: remanence.Engine) -> None:
    """Type, tags, confidence, when it was said, who took its place, where it comes from."""
    await fill(memory)
    by_text = {row["content"]: row for row in (await exported(memory))["memories"]}
    old, new, task = by_text["Tom lives in Oslo."], by_text["Tom lives in Ghent."], by_text["Paint the buoy."]

    assert ("preference", ["home"], 1) == (old["type"], old["tags"], old["confidence"]["current"])
    assert ("superseded", new["id"]) == (old["status"], old["temporal"]["superseded_by"])
    assert ("2026-01-01T00:00:00Z", "buoy") == (old["temporal"]["created_at"], task["metadata"]["key"])
    assert ("custom", "task", []) == (task["type"], task["custom_type"], task["tags"])
    assert ("harbour", "talk:1") == (
        task["provenance"]["conversation_ref"],
        task["provenance"]["message_ref"],
    )
    assert hash_content("the weir is open.") == by_text["The WEIR  is open."]["content_hash"]


async def test_what_has_no_place_is_counted(memory: remanence.Engine) -> None:
    """What is forgotten, tags of another form, attributes."""
    await fill(memory)
    left_out: dict[str, int] = {}
    async for _ in memory.export(format="pam", left_out=left_out.update):
        pass

    assert 1 == left_out["memories that are forgotten or held back"]
    assert 1 == left_out["tags with other signs than a-z, 0-9, _ and -"]
    assert 1 == left_out["attributes"]


async def test_another_format_is_refused(memory: remanence.Engine) -> None:
    """With the names of those that there are."""
    with pytest.raises(NameUnknown, match="pem"):
        await anext(memory.export(format="pem"))


def test_the_command_says_what_was_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And writes the document into a new file."""
    monkeypatch.chdir(tmp_path)
    typed("learn", "Paint the buoy.", "--tag", "Red Buoy")
    done = typed("export", "memory-store.json", "--format", "pam")

    assert 0 == done.exit_code
    assert "1 tags with other signs" in done.stdout
    assert 1 == len(json.loads((tmp_path / "memory-store.json").read_text())["memories"])
