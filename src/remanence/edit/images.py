"""What old images bring back, with all that follows from text, tags and category as today's rules have it.

Knows changes, and memories as they were read; knows no store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from remanence.core.change import Change, Entry, rows_of
from remanence.core.model import TEXT_COLUMNS, Memory
from remanence.core.score import FADING_TAGS, decay
from remanence.edit.one_memory import update
from remanence.text.text_columns import summary_shown, text_columns

_SAID = frozenset({"text", "speaker", "form", "summary"})
_MATTERS = _SAID | {"category", "decay", *TEXT_COLUMNS}
Tags = Mapping[int, set[str]]


def find_rewritten(entries: Sequence[Entry]) -> list[int]:
    """Return the memories that have a row of which some column may follow from what these changes bring back."""
    changes = _select_changes(entries)
    return sorted(
        {_memory(change) for change in changes if _matters(change)} - _find_created_memories(changes)
    )


def as_today(entries: Sequence[Entry], memories: Mapping[int, Memory]) -> list[Entry]:
    """Let each change say what follows from what it brings back, and start from what now stands there.

    An image says what other rules made of a text, of tags or of a category. `memories` are those of `rewritten`.
    """
    changes = _select_changes(entries)
    tags = _tags(changes, memories)
    rows = {("memories", seq) for seq in tags}
    today: list[Entry] = []
    edited: set[int] = set()
    for entry in entries:
        mine, others = entry.split(rows)
        today += [*(_add_derived_columns(change, memories, tags) for change in mine), *others]
        edited |= {_memory(change) for change in mine}
    for seq, memory in memories.items():
        if seq not in edited:
            today += update(memory, {"decay": decay(tags[seq], memory.category)})
    return today


def _select_changes(entries: Sequence[Entry]) -> list[Change]:
    """Return the changes of tags, of memories that come and of columns from which others follow."""
    tags = [entry for entry in entries if entry.table == "tags"]
    memories = [entry for entry in entries if entry.table == "memories"]
    telling = (one for one in memories if one.before is None or not _MATTERS.isdisjoint(one.columns))
    return list(rows_of([*tags, *telling]))


def _memory(change: Change) -> int:
    return cast("int", change.key[0] if isinstance(change.key, tuple) else change.key)


def _matters(change: Change) -> bool:
    if change.table == "tags":
        return not FADING_TAGS.isdisjoint(change.key)  # type: ignore[arg-type]
    return change.table == "memories" and not _MATTERS.isdisjoint(change.after or ())


def _find_created_memories(changes: Sequence[Change]) -> set[int]:
    return {_memory(change) for change in changes if change.table == "memories" and change.before is None}


def _tags(changes: Sequence[Change], memories: Mapping[int, Memory]) -> Tags:
    """Return the tags that each memory has once the changes are made."""
    tags = {seq: set(memory.tags) for seq, memory in memories.items()}
    tags |= {seq: set() for seq in _find_created_memories(changes)}
    for change in changes:
        if change.table == "tags":
            seq, tag = cast("tuple[int, str]", change.key)
            own = tags.get(seq, set())
            (own.discard if change.after is None else own.add)(tag)
    return tags


def _add_derived_columns(change: Change, memories: Mapping[int, Memory], tags: Tags) -> Change:
    seq, after = _memory(change), change.after
    if after is None:
        return change
    if change.before is None:
        follows = text_columns(after["text"], after.get("speaker"), summary_shown(after))
        return replace(change, after={**after, **follows, "decay": decay(tags[seq], after.get("category"))})
    memory = memories.get(seq)
    return change if memory is None else _from_here(change, after, memory, tags[seq])


def _from_here(change: Change, after: Mapping[str, Any], memory: Memory, tags: set[str]) -> Change:
    """Let a change of a memory that has a row carry what follows, from what the row says of it now."""
    follows: dict[str, Any] = {"decay": decay(tags, after.get("category", memory.category))}
    if not _SAID.isdisjoint(after):
        row = {name: after.get(name, getattr(memory, name)) for name in _SAID}
        follows |= text_columns(row["text"], row["speaker"], summary_shown(row))
    follows = {name: it for name, it in follows.items() if name in after or it != getattr(memory, name)}
    if not follows:
        return change
    now = {name: getattr(memory, name) for name in follows}
    return replace(
        change,
        before={"revision": memory.revision, **(change.before or {}), **now},
        after={"revision": memory.revision + 1, **after, **follows},
    )
