"""Sessions of coding hosts: what was said comes in with its time and project, and all else is counted by its reason."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from remanence.core.clock import to_micros
from remanence.core.model import Turn
from remanence.flows.write.extracting import parse_transcript
from remanence.write.transcripts.formats import Transcript

FOLDER, SESSION = "/home/ida/weir", "5f0e8a1c-0000-4000-8000-000000000001"
AT = "2026-05-01T10:00:00.250Z"
AT_TIME = datetime.fromisoformat(AT)
ASKED, ANSWERED = "The gate of the weir opens at 40 cm.", "I noted it in the table."
Line = Mapping[str, Any]


def claude_line(kind: str, content: Any, number: int, **more: Any) -> Line:
    """Return a line of a session of Claude Code."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": FOLDER,
        "sessionId": SESSION,
        "version": "2.0.61",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"5f0e8a1c-0000-4000-8000-1{number:011d}",
        "timestamp": AT,
        **more,
    }


def codex_line(kind: str, **payload: Any) -> Line:
    """Return a line of a session of Codex."""
    return {"timestamp": AT, "type": kind, "payload": payload}


def codex_message(role: str, text: str) -> Line:
    """Return a message of a session of Codex."""
    part = "output_text" if role == "assistant" else "input_text"
    return codex_line("response_item", type="message", role=role, content=[{"type": part, "text": text}])


CLAUDE: Sequence[Line] = (
    {"type": "summary", "summary": "The weir", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    claude_line("user", "<local-command-caveat>not asked</local-command-caveat>", 1, isMeta=True),
    claude_line("user", "<command-name>/clear</command-name>\n<command-args></command-args>", 2),
    claude_line("user", f"{ASKED}\n<system-reminder>\nuse the list\n</system-reminder>", 3),
    claude_line("assistant", [{"type": "thinking", "thinking": "hm", "signature": "s"}], 4),
    claude_line("assistant", [{"type": "text", "text": ANSWERED}], 5),
    claude_line(
        "assistant",
        [
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "Edit",
                "input": {"file_path": "weir.csv", "old_string": "a"},
            }
        ],
        6,
    ),
    claude_line(
        "assistant",
        [{"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": "make\n  flood"}}],
        7,
    ),
    claude_line(
        "assistant", [{"type": "tool_use", "id": "toolu_3", "name": "Read", "input": {"file_path": "a"}}], 8
    ),
    claude_line("user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}], 9),
    claude_line("user", "What the helper was told.", 10, isSidechain=True),
    claude_line("user", "This session goes on from before.", 11, isCompactSummary=True),
    claude_line("user", [{"type": "text", "text": "[Request interrupted by user]"}], 12),
    claude_line("assistant", [{"type": "text", "text": "API Error: 500"}], 13, isApiErrorMessage=True),
)
CODEX: Sequence[Line] = (
    codex_line("session_meta", id=SESSION, cwd=FOLDER, cli_version="0.65.0", git={"branch": "main"}),
    codex_message("developer", "Be brief."),
    codex_message("user", "# AGENTS.md instructions for /home/ida/weir\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"),
    codex_message("user", "<environment_context>\n<cwd>/home/ida/weir</cwd>\n</environment_context>"),
    codex_message("user", ASKED),
    codex_line("event_msg", type="user_message", message=ASKED),
    codex_line("response_item", type="reasoning", summary=[], encrypted_content="gA"),
    codex_line(
        "response_item", type="custom_tool_call", name="apply_patch", call_id="c1",
        input="*** Begin Patch\n*** Update File: weir.csv\n@@\n-a\n+b\n*** End Patch",
    ),
    codex_line(
        "response_item", type="function_call", name="shell", call_id="c2",
        arguments=json.dumps({"command": ["make", "flood"]}),
    ),
    codex_line("response_item", type="function_call_output", call_id="c2", output="ok"),
    codex_message("assistant", ANSWERED),
    codex_line("turn_context", cwd=FOLDER, model="m"),
)  # fmt: skip


def write_lines(lines: Sequence[Line]) -> Callable[[Path], Path]:
    """Return what writes lines into a file in a folder of a project."""

    def write(folder: Path) -> Path:
        path = folder / "-home-ida-weir" / "session.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return path

    return write


def write_opencode(folder: Path) -> Path:
    """Write a session as OpenCode keeps it, with one of a helper."""
    root = folder / "storage"
    milliseconds = to_micros(AT_TIME) // 1_000

    def write(path: str, value: Any) -> None:
        file = root / f"{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")

    write("session/p/ses_1", {"id": "ses_1", "directory": FOLDER, "title": "The weir"})
    write("session/p/ses_2", {"id": "ses_2", "directory": FOLDER, "parentID": "ses_1"})
    told: list[tuple[str, str, Line]] = [
        ("ses_1", "user", {"type": "text", "text": ASKED}),
        ("ses_1", "user", {"type": "text", "text": "the file it read", "synthetic": True}),
        (
            "ses_1",
            "assistant",
            {"type": "tool", "tool": "edit", "state": {"input": {"filePath": "weir.csv"}}},
        ),
        (
            "ses_1",
            "assistant",
            {"type": "tool", "tool": "bash", "state": {"input": {"command": "make flood"}}},
        ),
        ("ses_1", "assistant", {"type": "text", "text": ANSWERED}),
        ("ses_2", "user", {"type": "text", "text": "What the helper was told."}),
    ]
    for number, (session, role, part) in enumerate(told):
        time = {"created": milliseconds + number}
        write(
            f"message/{session}/msg_{number}",
            {"id": f"msg_{number}", "sessionID": session, "role": role, "time": time},
        )
        write(
            f"part/msg_{number}/prt_{number}", {"id": f"prt_{number}", "messageID": f"msg_{number}", **part}
        )
    return root


def write_cursor(folder: Path) -> Path:
    """Write a conversation as Cursor keeps it."""
    path = folder / "state.vscdb"
    bubbles: list[Line] = [
        {"type": 1, "text": ASKED},
        {
            "type": 2,
            "text": "",
            "toolFormerData": {"name": "edit_file", "rawArgs": '{"target_file": "weir.csv"}'},
        },
        {"type": 2, "toolFormerData": {"name": "run_terminal_cmd", "rawArgs": '{"command": "make flood"}'}},
        {"type": 2, "text": ANSWERED},
    ]
    headers = [{"bubbleId": f"b{place}", "type": one["type"]} for place, one in enumerate(bubbles)]
    rows: list[tuple[str, Line]] = [
        ("composerData:c1", {"fullConversationHeadersOnly": [*headers, {"bubbleId": "gone"}]}),
        *(
            (f"bubbleId:c1:b{at}", {"bubbleId": f"b{at}", "createdAt": AT, **one})
            for at, one in enumerate(bubbles)
        ),
    ]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        values = [(key, json.dumps(one)) for key, one in rows]
        connection.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", values)
    connection.close()
    return path


HOSTS: Mapping[str, Callable[[Path], Path]] = {
    "claude-code": write_lines(CLAUDE),
    "codex": write_lines(CODEX),
    "opencode": write_opencode,
    "cursor": write_cursor,
}


def said(turns: Sequence[Turn]) -> list[tuple[str | None, str]]:
    """Return who said what."""
    return [(str(turn.role), turn.text) for turn in turns]


def read(path: Path, *, actions: bool = False) -> Transcript:
    """Read a source whose format nobody names."""
    return parse_transcript(path, "auto", actions=actions)


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_said_comes_in_with_its_time_and_project(tmp_path: Path, host: str) -> None:
    """Of one file as of the folder above it; what a host, a tool or a helper put in is no word of the user."""
    path = HOSTS[host](tmp_path)
    whole = read(path)
    if host != "opencode":
        assert said(whole.turns) == said(read(tmp_path).turns)

    assert host == whole.format
    assert [("user", ASKED), ("assistant", ANSWERED)] == said(whole.turns)
    assert all(turn.thread == (None if host == "cursor" else FOLDER) for turn in whole.turns)
    assert 1 == len({turn.session for turn in whole.turns})
    assert all(
        abs(turn.said_at - to_micros(AT_TIME)) < 10_000
        for turn in whole.turns
        if isinstance(turn.said_at, int)
    )
    assert not any(turn.said_at is None for turn in whole.turns)


@pytest.mark.parametrize("host", HOSTS)
def test_edits_and_commands_are_a_line_each_where_asked(tmp_path: Path, host: str) -> None:
    """They are a tool's, in their place among the words."""
    turns = read(HOSTS[host](tmp_path), actions=True).turns

    assert [text for role, text in said(turns) if role == "tool"] == ["edited weir.csv", "ran make flood"]
    assert len({turn.key for turn in turns}) == len(turns)


@pytest.mark.parametrize(
    ("host", "reasons"),
    [
        (
            "claude-code",
            {
                "line of type summary": 1,
                "line of type file-history-snapshot": 1,
                "what the host put in": 4,
                "part of type thinking": 1,
                "part of type tool_use": 3,
                "part of type tool_result": 1,
                "of a side chain": 1,
                "summary by the host": 1,
                "error of the host": 1,
            },
        ),
        (
            "codex",
            {
                "of the system or a tool": 1,
                "what the host put in": 2,
                "line of type event_msg": 1,
                "line of type reasoning": 1,
                "line of type custom_tool_call": 1,
                "line of type function_call": 1,
                "line of type function_call_output": 1,
            },
        ),
        ("opencode", {"what the host put in": 1, "part of type tool": 2, "of a side chain": 1}),
        ("cursor", {"message that is not there any more": 1, "message of type tool": 2}),
    ],
)
def test_all_that_is_left_out_is_counted(tmp_path: Path, host: str, reasons: Mapping[str, int]) -> None:
    """By its reason: nothing is passed over without a word."""
    assert reasons == dict(read(HOSTS[host](tmp_path)).skipped)


def test_a_session_that_goes_on_elsewhere_comes_in_once(tmp_path: Path) -> None:
    """A host copies the lines of a session that is resumed into a new file."""
    write_lines(CLAUDE)(tmp_path)
    more = claude_line("user", "It opens by itself.", 20)
    write_lines([*CLAUDE, more])(tmp_path / "again")
    whole = read(tmp_path)

    assert [ASKED, ANSWERED, "It opens by itself."] == [turn.text for turn in whole.turns]
    assert 2 == whole.skipped["message that is there twice"]


def test_a_session_that_is_being_written_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    """A cut line, and bytes that are no text, are counted with their line; the rest comes in."""
    path = write_lines(CLAUDE)(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:400] + b"\n\xff\xfe\x00binary\n" + whole + whole[:200])
    transcript = read(path)

    assert [ASKED, ANSWERED] == [turn.text for turn in transcript.turns]
    assert 3 == sum(count for why, count in transcript.skipped.items() if "JSON" in why or "UTF-8" in why)


def test_records_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """Codex once wrote its items without an envelope, and OpenCode exports a session as one file."""
    items = [{**line["payload"], "id": None} for line in CODEX if line["type"] == "response_item"]
    old = write_lines(
        [{"id": SESSION, "timestamp": AT, "instructions": None}, {"record_type": "state"}, *items]
    )
    exported = tmp_path / "export.json"
    parts = [{"type": "text", "text": ASKED}]
    messages = [{"info": {"id": "msg_1", "role": "user", "time": {"created": 1}}, "parts": parts}]
    exported.write_text(json.dumps({"info": {"id": "ses_1", "directory": FOLDER}, "messages": messages}))

    assert [("user", ASKED), ("assistant", ANSWERED)] == said(read(old(tmp_path)).turns)
    assert [("user", ASKED)] == said(read(exported).turns)
