"""What is believed of an export, line by line."""

import base64
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from remanence.core.clock import TIME_MAX
from remanence.core.errors import IngestError, InvalidInput
from remanence.core.model import Decay, Relation, Status, Tier
from remanence.flows.exchange.exported import Digest, ExportData, read, refuse_vectors
from remanence.text.analysis import FINGERPRINT_VERSION, fingerprint
from remanence.text.tokens import token_counts

Line = dict[str, Any]
HEADER: Line = {
    "format": "remanence-export",
    "version": 2,
    "fingerprints": FINGERPRINT_VERSION,
    "embedder": "hashed",
}
TIMES = ("said_at", "learned_at", "status_at", "tier_at")


def _id(k: int) -> str:
    return f"{k:032x}"


def _memory(k: int = 1, **more: Any) -> Line:
    text = more.get("text", f"text number {k}")
    mark = base64.b64encode(fingerprint(text)).decode() if isinstance(text, str) else None
    return {"id": _id(k), "text": text, "fingerprint": mark, **dict.fromkeys(TIMES, k), **more}


def _link(source: int = 1, target: int = 2, **more: Any) -> Line:
    return {
        "source": _id(source),
        "target": _id(target),
        "relation": "supports",
        "weight": 0.5,
        "confidence": None,
        "count": 1,
        "created_at": 1,
        "last_at": 1,
        **more,
    }


def _file(*lines: Line, header: Line | None = None) -> list[bytes]:
    """Write lines with a header before them and the trailer that belongs to them."""
    digest, written = Digest(), [orjson.dumps(line) for line in (header or HEADER, *lines)]
    for line in written:
        digest.add(line)
    return [*written, orjson.dumps(digest.trailer)]


def _read(*lines: Line, **more: Any) -> ExportData:
    return read(_file(*lines, **more), "there", edited=False)


def _refused(lines: list[Any], *, edited: bool = False) -> IngestError:
    with pytest.raises(IngestError) as refused:
        read(lines, "there", edited=edited)

    assert "nothing was taken in" in refused.value.recovery
    return refused.value


def test_a_line_is_read_as_it_was_written() -> None:
    """Each column by its kind, tags and sources once and in order; what can be derived is derived."""
    more: Line = {
        "status": "archived",
        "tier": "archive",
        "reason": "decayed",
        "confidence": 1,
        "pinned": 1,
        "speaker": "Ann",
        "category": "fact",
        "attributes": {"a": [1]},
        "holds": {"legal": None, "tax": 9},
        "tags": ["b", "self/value", "b"],
        "sources": ["t", "s"],
        "tokens": 99,
        "decay": "permanent",
        "fingerprint": None,
        "vector": base64.b64encode(b"\x00\x3c").decode(),
    }
    del more["fingerprint"]
    line = _memory(7, **more)
    del line["fingerprint"]
    (row,) = _read(line).rows

    assert (2, _id(7), False, False) == (row.line, row.id, row.stands, row.is_edited)
    assert (("b", "self/value"), ("s", "t")) == (row.tags, row.sources)
    assert (Status.ARCHIVED, Tier.ARCHIVE, 1.0, 1, "Ann", {"a": [1]}, b"\x00\x3c") == tuple(
        row.columns[name]
        for name in ("status", "tier", "confidence", "pinned", "speaker", "attributes", "vector")
    )
    assert fingerprint("text number 7", "Ann") == row.columns["fingerprint"]
    assert (*token_counts(["text number 7"]), 3) == (row.columns["tokens"], row.columns["words"])
    assert Decay.DURABLE == row.columns["decay"]
    assert {"legal": None, "tax": 9} == row.columns["holds"]
    assert row.columns["hold_until"] >= TIME_MAX - 1


def test_a_plain_line_stands_with_its_defaults() -> None:
    """An inbox memory of no tags, no holds and nobody."""
    export = _read(_memory(1), _memory(2, status="active"), _memory(3, status="pruned", reason="forgotten"))

    assert [True, True, False] == [row.stands for row in export.rows]
    assert [2, 3, 4] == [row.line for row in export.rows]
    assert (None, ()) == (export.rows[0].columns["hold_until"], export.rows[0].tags)
    assert ("hashed", ()) == (export.embedder, export.remarks)


def test_a_link_is_read_as_it_was_written() -> None:
    """One that is open says nothing of when it was settled."""
    export = _read(_memory(1), _memory(2), _link(), _link(2, 1, resolved_at=5, confidence=1, weight=0))
    first, second = export.links

    assert (4, _id(1), _id(2), Relation.SUPPORTS) == (first.line, first.source, first.target, first.relation)
    assert {
        "weight": 0.5,
        "confidence": None,
        "count": 1,
        "created_at": 1,
        "last_at": 1,
        "resolved_at": None,
    } == first.values
    assert (0.0, 1.0, 5) == tuple(second.values[name] for name in ("weight", "confidence", "resolved_at"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"id": None}, "lacks id"),
        ({"text": None, "tier_at": None}, "lacks text, tier_at"),
        ({"id": "A" * 32}, "an id is 32 digits"),
        ({"id": "a" * 31}, "an id is 32 digits"),
        ({"id": "a" * 32 + "\n"}, "an id is 32 digits"),
        ({"id": 5}, "an id is 32 digits"),
        ({"text": " "}, "text"),
        ({"text": 5}, "text"),
        ({"said_at": 1.0}, "said_at"),
        ({"said_at": True}, "said_at"),
        ({"said_at": "1"}, "said_at"),
        ({"said_at": TIME_MAX + 1}, "said_at"),
        ({"said_at": -TIME_MAX - 1}, "said_at"),
        ({"uses": 1.0}, "uses cannot be"),
        ({"uses": True}, "uses cannot be"),
        ({"uses": 2**31}, "uses cannot be"),
        ({"pinned": 2}, "pinned cannot be"),
        ({"pinned": True}, "pinned cannot be"),
        ({"confidence": 1.001}, "confidence .* is not between 0 and 1"),
        ({"confidence": -0.001}, "confidence .* is not between 0 and 1"),
        ({"confidence": True}, "confidence .* is not between 0 and 1"),
        ({"confidence": "0.5"}, "confidence .* is not between 0 and 1"),
        ({"status": "gone"}, "status cannot be"),
        ({"status": 1}, "status cannot be"),
        ({"status": "pruned"}, "no reason"),
        ({"status": "archived", "reason": "decayed"}, "archived"),
        ({"tier": "archive"}, "archive"),
        ({"revision": 1}, "unknown field 'revision'"),
        ({"touched": 1}, "unknown field 'touched'"),
        ({"colour": 1}, "unknown field 'colour'"),
        ({"category": "a\nb"}, "category"),
        ({"key": ""}, "a key"),
        ({"attributes": []}, "attributes must be"),
        ({"holds": []}, "holds must be"),
        ({"holds": {"legal": "x"}}, "hold_until"),
        ({"holds": {"": None}}, "a hold"),
        ({"tags": "a"}, "tags must be a list"),
        ({"tags": ["a", ""]}, "each of tags"),
        ({"sources": {"a": 1}}, "sources must be a list"),
        ({"sources": [5]}, "each of sources"),
        ({"vector": "?"}, "vector is not base64"),
        ({"vector": 5}, "vector is not base64"),
        ({"fingerprint": "?"}, "fingerprint is not base64"),
        ({"valid_from": 2, "valid_to": 1}, "valid_from"),
    ],
)
def test_a_memory_that_cannot_be_is_refused(wrong: Line, message: str) -> None:
    """By its line, in words that say what is wrong."""
    with pytest.raises(IngestError, match=message) as refused:
        _read(_memory(1), {**_memory(2), **wrong})

    assert 3 == refused.value.line
    assert "there" == refused.value.source


@pytest.mark.parametrize(
    "right",
    [
        {"said_at": TIME_MAX - 1},
        {"said_at": -TIME_MAX + 1},
        {"uses": 2**31 - 1},
        {"confidence": 0},
        {"confidence": 1.0},
        {"holds": {"legal": TIME_MAX}},
        {"valid_from": 1, "valid_to": 1},
        {"tags": []},
    ],
)
def test_a_bound_is_taken_in(right: Line) -> None:
    """What a store can just keep is read."""
    assert 1 == len(_read(_memory(1, **right)).rows)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"relation": "likes"}, "no relation 'likes'"),
        ({"relation": 5}, "no relation 5"),
        ({"weight": None}, "weight"),
        ({"weight": 1.5}, "weight"),
        ({"count": -1}, "count cannot be"),
        ({"count": 2**24}, "count cannot be"),
        ({"count": 1.0}, "count cannot be"),
        ({"last_at": None}, "last_at"),
        ({"source": "x"}, "an id is 32 digits"),
        ({"target": _id(1)}, "from a memory to itself"),
        ({"colour": 1}, "colour missing or unknown"),
        ({"target": _id(9)}, "names a memory that is not in the file"),
    ],
)
def test_a_link_that_cannot_be_is_refused(wrong: Line, message: str) -> None:
    """By its line too, also where the memory that it names never comes."""
    with pytest.raises(IngestError, match=message) as refused:
        _read(_memory(1), {**_link(), **wrong}, _memory(2))

    assert 3 == refused.value.line


def test_a_link_without_a_column_is_none() -> None:
    """All but the one that says when it was settled."""
    line = _link()
    del line["count"]
    with pytest.raises(IngestError, match="count missing or unknown"):
        _read(_memory(1), _memory(2), line)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"format": "other", "version": 2}, "not a remanence-export file"),
        ({"version": 2}, "not a remanence-export file"),
        ({**HEADER, "version": 8}, "version 8"),
        ({**HEADER, "version": True}, "version True"),
        ({"format": "remanence-export"}, "version None"),
    ],
)
def test_a_file_begins_with_what_it_is(header: Line, message: str) -> None:
    """A format and a version that this program knows."""
    with pytest.raises(IngestError, match=message) as refused:
        _read(_memory(1), header=header)

    assert 1 == refused.value.line


def test_an_id_stands_in_one_line() -> None:
    """The second is refused and names the first."""
    assert "line 2 has the same id" in str(_refused(_file(_memory(1), _memory(2), _memory(1, text="other"))))


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        ([], 1, "the file is empty"),
        ([orjson.dumps(HEADER), b"{"], 2, "not JSON"),
        ([orjson.dumps(HEADER), b"[]"], 2, "a line must be a JSON object"),
        ([orjson.dumps(HEADER), 5], 2, "a line cannot be 5"),
        ([orjson.dumps(HEADER), b"\xff"], 2, "not valid UTF-8"),
        ([*_file(_memory(1)), orjson.dumps(_memory(2))], 4, "the export ended before this line"),
    ],
)
def test_what_is_no_line_is_refused(lines: list[Any], number: int, message: str) -> None:
    """Whatever it is."""
    found = _refused(lines)

    assert message in str(found)
    assert number == found.line


@pytest.mark.parametrize(
    ("spoil", "number", "message"),
    [
        (lambda lines: lines[:-1], 3, "the end of the export is missing"),
        (lambda lines: [*lines[:2], lines[-1]], 3, "the export had 3 lines before its end, here are 2"),
        (lambda lines: [lines[0], lines[2], lines[1], lines[-1]], 4, "was edited after it was exported"),
        (lambda lines: [*lines[:-1], b'{"end": 3}'], 4, "the export had None lines"),
    ],
)
def test_a_file_that_is_not_whole_is_taken_in_only_as_it_is(
    spoil: Callable[[list[bytes]], list[bytes]], number: int, message: str
) -> None:
    """Refused with what can be told, or taken in with a remark that says the same."""
    lines = spoil(_file(_memory(1), _memory(2)))
    found = _refused(lines)
    taken = read(lines, "there", edited=True)

    assert message in str(found)
    assert "edited=True" in found.recovery
    assert 1 == len(taken.remarks)
    assert taken.remarks[0].startswith(f"line {number}: ")
    assert message in taken.remarks[0]


def test_an_edited_text_is_told_by_its_fingerprint() -> None:
    """Of this version's fingerprints; those of another are of other rules, and tell nothing."""
    lines = _file(_memory(1), {**_memory(2), "text": "another text"})
    taken = read(lines, "there", edited=True)

    assert 3 == _refused(lines).line
    assert [False, True] == [row.is_edited for row in taken.rows]
    assert ["line 3: "] == [remark[:8] for remark in taken.remarks]

    other = {**HEADER, "fingerprints": FINGERPRINT_VERSION + 1}
    (row,) = _read({**_memory(2), "text": "another text"}, header=other).rows

    assert not row.is_edited


def test_an_export_of_version_1_has_no_end() -> None:
    """Whether it is whole cannot be told, and is said so."""
    old = {**HEADER, "version": 1}
    export = read(_file(_memory(1), header=old)[:-1], "there", edited=False)

    assert 1 == len(export.rows)
    assert 1 == len(export.remarks)
    assert "cannot be told" in export.remarks[0]


def test_how_lines_are_ended_does_not_matter() -> None:
    """Nor whether they are text or bytes."""
    lines = _file(_memory(1), _memory(2))
    written = [line.decode() + "\r\n" for line in lines]

    assert read(lines, "a", edited=False).rows == read(written, "a", edited=False).rows


def test_vectors_are_of_this_embedder_and_finite() -> None:
    """As long as it says; a file without any is read by every embedder."""
    one, wrong = (
        base64.b64encode(sixteen).decode() for sixteen in (b"\x00\x3c\x00\x3c", b"\x00\x3c\x00\x7c")
    )
    good = _read(_memory(1, vector=one), _memory(2))
    bad = _read(_memory(1), _memory(2, vector=wrong))

    refuse_vectors(good, "hashed", 2, "there")
    refuse_vectors(_read(_memory(1)), "other", 7, "there")
    with pytest.raises(InvalidInput, match="was embedded by 'hashed'"):
        refuse_vectors(good, "other", 2, "there")
    for export, dimensions, line in ((good, 1, 2), (good, 3, 2), (bad, 2, 3)):
        with pytest.raises(IngestError, match=f"not {dimensions} finite numbers") as refused:
            refuse_vectors(export, "hashed", dimensions, "there")
        assert line == refused.value.line
