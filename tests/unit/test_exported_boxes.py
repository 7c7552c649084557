"""Boxes and traces of an export as they are read back: each field by its kind, before any of it is believed."""

from typing import Any

import orjson
import pytest

from remanence.core.box import BoxOutcome, SealReason
from remanence.core.errors import IngestError
from remanence.flows.exchange.exported import FORMAT, VERSION, BoxLine, Digest, ExportData, TraceLine, read

AT = 1_700_000_000_000_000
TURN = "ab" * 16
BOX = {"box": 7, "session": "s1", "topics": {"a1": 5}, "members": [TURN], "opened_at": AT, "last_at": AT}
TRACE = {"trace": 7, "topics": {"a1": 5}, "began_at": AT, "last_at": AT}


def exported(*lines: dict[str, Any]) -> ExportData:
    """Read an export of these lines."""
    digest, whole = Digest(), []
    for value in ({"format": FORMAT, "version": VERSION}, *lines):
        whole.append(orjson.dumps(value))
        digest.add(whole[-1])
    return read([*whole, orjson.dumps(digest.trailer)], "a file", edited=False)


def test_a_box_and_a_trace_are_read() -> None:
    """What a box has none of may be left out."""
    more = {"goal": TURN, "outcome": "success", "reason": "topic_shift", "sealed_at": AT, "trace": 3}
    found = exported(BOX, {**BOX, **more, "session": ""}, TRACE)
    values = {name: BOX[name] for name in ("session", "topics", "opened_at", "last_at")}
    told = {"session": "", "sealed_at": AT, "outcome": BoxOutcome.SUCCESS, "reason": SealReason.TOPIC_SHIFT}

    assert [
        BoxLine(7, values, (TURN,), None, None),
        BoxLine(7, {**values, **told}, (TURN,), TURN, 3),
    ] == found.boxes
    assert [TraceLine(7, {name: TRACE[name] for name in ("topics", "began_at", "last_at")})] == found.traces


@pytest.mark.parametrize(
    "line",
    [
        {name: value for name, value in BOX.items() if name != "session"},
        {**BOX, "box": 0},
        {**BOX, "box": "7"},
        {**BOX, "size": 7},
        {**BOX, "members": TURN},
        {**BOX, "members": ["x"]},
        {**BOX, "goal": "x"},
        {**BOX, "trace": -1},
        {**BOX, "session": "a\x00b"},
        {**BOX, "topics": ["a1"]},
        {**BOX, "topics": {"tea": 5}},
        {**BOX, "topics": {"a1": 0}},
        {**BOX, "topics": {"a1": 2**31}},
        {**BOX, "outcome": "fine"},
        {**BOX, "reason": 1},
        {**BOX, "last_at": "now"},
        {**TRACE, "trace": 0},
        {**TRACE, "more": 1},
        {name: value for name, value in TRACE.items() if name != "topics"},
        {**TRACE, "topics": {"a1": 1.5}},
    ],
)
def test_a_malformed_box_or_trace_is_refused(line: dict[str, Any]) -> None:
    """With its line, and nothing is taken in."""
    with pytest.raises(IngestError) as refused:
        exported(line)

    assert 2 == refused.value.line
