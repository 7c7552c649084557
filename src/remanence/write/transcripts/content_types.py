"""What the content of a message is made of: parts of a type, of which some hold words and others are left out.

Knows parts; must not know which types a format has: each importer has one table of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remanence.write.imported import SkipCounts

LEFT_OUT: tuple[str, ...] = ()
DEPTH_MAX = 16  # of parts within parts
TYPES_MAX = 50  # that are named in the counts of one source; a damaged file could have any number
_TYPE_NAME = re.compile(r"[\w.:/+-]{1,64}")
_JSON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    list: "list",
    dict: "object",
}


@dataclass(frozen=True, slots=True)
class ContentTypes:
    """The table of a format: a type of part → the fields in which its words are, or further parts; `LEFT_OUT` for none.

    `type_field` names the type of a part. A part without one has its words in `untyped`, one of a type that is not in
    the table in `unknown`. Whatever has no words in these fields is counted by its type, and so never taken for empty.
    """

    fields: Mapping[str, tuple[str, ...]]
    type_field: str = "type"
    untyped: tuple[str, ...] = ("text",)
    unknown: tuple[str, ...] = LEFT_OUT

    def read_text(self, content: Any, skipped: SkipCounts) -> str | None:
        """Return the words of a content; "" where it is empty, None where it has only parts that are left out."""
        texts: list[str] = []
        is_whole = True
        pending = [(content, DEPTH_MAX)]
        while pending:
            part, depth = pending.pop()
            if isinstance(part, str):
                texts.append(part)
                continue
            inside = part if isinstance(part, list) else self._list_inside(part)
            if depth and (inside or isinstance(part, list)):
                pending += [(one, depth - 1) for one in reversed(inside)]
            elif part is not None:
                is_whole = False
                self.note_left_out(part, skipped)
        text = "\n".join(one for one in texts if one.strip()).strip()
        return text or ("" if is_whole else None)

    def note_left_out(self, part: Any, skipped: SkipCounts) -> None:
        """Count a part by its type."""
        given = part.get(self.type_field) if isinstance(part, dict) else None
        note_type(given if isinstance(given, str) else _JSON_TYPES.get(type(part), "object"), part, skipped)

    def _list_inside(self, part: Any) -> list[Any]:
        """Return what the fields of a part hold, by the table; nothing where it has no such fields."""
        if not isinstance(part, dict):
            return []
        kind = part.get(self.type_field)
        names = self.untyped if kind is None else self.unknown
        names = self.fields.get(kind, names) if isinstance(kind, str) else names
        return [part[name] for name in names if isinstance(part.get(name), str | list | dict)]


def note_type(kind: object, part: Any, skipped: SkipCounts, what: str = "part") -> None:
    """Count something of a type that is left out, with its name where it has one; `what` says what it is."""
    reason = f"{what} of type {kind}"
    if not isinstance(kind, str) or not _TYPE_NAME.fullmatch(kind):
        reason = f"{what} of a type without a name"
    elif reason not in skipped and sum(one.startswith(f"{what} of type ") for one in skipped) >= TYPES_MAX:
        reason = f"{what} of a type beyond the first {TYPES_MAX}"
    name = part.get("name") if isinstance(part, dict) else None
    if isinstance(name, str) and name:
        skipped.note(reason, name)
    else:
        skipped[reason] += 1
