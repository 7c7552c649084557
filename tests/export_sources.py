"""Small exports of conversations and small vaults, laid out as the programs do it; every text is made up."""

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

NOTE = """---
title: Mooring Plan
type: note
permalink: harbour/mooring-plan
tags: [harbour, "spring work"]
created: 2026-02-01
---
# Mooring Plan
Ask [[Ines Berg|Ines]] about the berth. #urgent

## Observations
- [decision] Moor at pier nine #berth (until autumn)
- [colour] The hull stays green

## Relations
- depends_on [[Sail Repair#Costs]] (soon)
"""
SAILS = """---
title: Sail Repair
type: note
permalink: harbour/sail-repair
---
The sails are old.

## Costs
Two hundred a sail. See [[Mooring Plan]] and [[Nobody]].
"""
INES = """---
title: Ines Berg
type: person
permalink: people/ines-berg
---
Ines runs the harbour office.
"""
VAULT = {"plans/mooring plan.md": NOTE, "plans/Sail Repair.md": SAILS, "Ines Berg.md": INES}


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def pack(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def said(id_: str, sender: str, text: str, minute: int | None, **more: Any) -> dict[str, Any]:
    """Return a message of a Claude export."""
    at = None if minute is None else f"2026-03-01T09:{minute:02}:00.250000Z"
    content = [{"type": "text", "text": text}]
    return {"uuid": id_, "sender": sender, "text": text, "content": content, "created_at": at, **more}


def chat(id_: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a conversation of a Claude export."""
    return {
        "uuid": id_,
        "name": f"Chat {id_}",
        "created_at": "2026-03-01T09:00:00Z",
        "chat_messages": [*messages],
        **more,
    }


CHATS = [
    chat("k1", said("u1", "human", "When is high tide?", 1), said("u2", "assistant", "At nine.", 2)),
    chat("k2", said("u3", "human", "Book the crane.", None), said("u4", "assistant", "It is booked.", None)),
]
MEMORIES = [
    {
        "conversations_memory": "**Work**\n\nInes runs a harbour.\n\n- She likes short answers.",
        "project_memories": {"p1": "Plan the winter."},
        "account_uuid": "a1",
    }
]


def node(id_: str, parent: str | None, role: str, text: str, time: float | None = None) -> dict[str, Any]:
    """Return a node of a ChatGPT export."""
    content = {"content_type": "text", "parts": [text]}
    message = {"id": id_, "author": {"role": role}, "content": content, "create_time": time}
    return {"id": id_, "parent": parent, "children": [], "message": message}


def tree(id_: str, *nodes: dict[str, Any], current: Any = "last") -> dict[str, Any]:
    """Return a conversation of a ChatGPT export; its current node is the last."""
    mapping = {one["id"]: one for one in nodes}
    at = nodes[-1]["id"] if current == "last" else current
    return {"conversation_id": id_, "create_time": 1772539200.0, "mapping": mapping, "current_node": at}


TREES = [
    [
        tree(
            "t1",
            node("n1", None, "user", "Where is the key?", 1772539201.0),
            node("n2", "n1", "assistant", "In the shed."),
        )
    ],
    [tree("t2", node("n3", None, "user", "Who has the boat?"), node("n4", "n3", "assistant", "Tom has it."))],
]


def write_claude(folder: Path) -> Path:
    """Write the folder of a Claude export."""
    files = {"conversations.json": CHATS, "memories.json": MEMORIES, "projects.json": [], "users.json": []}
    return write_files(folder / "export", {name: json.dumps(held, indent=1) for name, held in files.items()})


def write_chatgpt(folder: Path) -> Path:
    """Write the archive of a ChatGPT export in two parts."""
    parts = {f"conversations-{number:03}.json": json.dumps(part) for number, part in enumerate(TREES)}
    return pack(folder / "export.zip", {**parts, "user.json": "{}", "chat.html": "<html></html>"})


def write_vault(folder: Path) -> Path:
    """Write a vault with notes of basic-memory."""
    return write_files(folder / "vault", VAULT)


EXPORT_WRITERS: Mapping[str, Callable[[Path], Path]] = {
    "claude": write_claude,
    "chatgpt": write_chatgpt,
    "vault": write_vault,
}
