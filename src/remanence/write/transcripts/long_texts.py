"""Texts that are longer than a memory may be, cut where they pause: into parts that are memories of their own.

Knows characters and turns; must not know formats.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from remanence.core.model import NAME_CHARS_MAX, TEXT_CHARS_MAX, Turn
from remanence.core.text_cuts import find_sentence_ends, find_word_end
from remanence.write.imported import ImportedTurn, SkipCounts

PART_CHARS_MAX = 90_000  # markers for secrets may make a part longer
CUT = f"text of more than {TEXT_CHARS_MAX:,} characters that comes in as parts"
PART = "part"  # the attribute that says which part of how many one is
_PARTS_DIGITS = 3  # of how many parts: more than a source may hold
_LINE_PAUSES = ("\n\n", "\n")


def cut_turn(turn: Turn, skipped: SkipCounts) -> Iterator[Turn]:
    """Yield a turn, or its parts in order, each with the number of the part in its key; such turns are counted."""
    parts = cut_text(turn.text)
    if len(parts) < 2:
        yield turn
        return
    skipped.note(CUT, turn.key or parts[0])
    for number, text in enumerate(parts, start=1):
        more: dict[str, Any] = {
            "attributes": {**(turn.attributes or {}), PART: describe_part(number, len(parts))}
        }
        if number > 1 and turn.key is not None:
            more["key"] = make_part_key(turn.key, number)
        if number > 1 and isinstance(turn, ImportedTurn):
            more["links"] = ()
        yield replace(turn, text=text, **more)


def make_part_key(key: str, number: int) -> str:
    """Return the key of a part of a text, the first of which has the `key` itself."""
    end = f"#{number}"
    return key[: NAME_CHARS_MAX - len(end)] + end


def describe_part(number: int, parts: int) -> str:
    """Return which part of how many one is, as its attribute says it."""
    return f"{number}/{parts}"


def count_parts(attributes: Mapping[str, Any] | None) -> int:
    """Return of how many parts the first is what has these attributes; 1 for what is no such part."""
    first, _, parts = str((attributes or {}).get(PART, "")).partition("/")
    is_count = parts.isascii() and parts.isdecimal() and len(parts) <= _PARTS_DIGITS
    return int(parts) if first == "1" and is_count else 1


def cut_text(text: str) -> list[str]:
    """Return a text as it is, or the parts of one that is too long, none of them blank."""
    if len(text) <= TEXT_CHARS_MAX:
        return [text]
    parts: list[str] = []
    begin = 0
    while begin < len(text):
        end = _find_pause(text, begin)
        parts.append(text[begin:end].strip())
        begin = end
    return [part for part in parts if part]


def _find_pause(text: str, begin: int) -> int:
    """Return where a part ends that begins at a place: at the last pause in the second half of what fits."""
    end = begin + PART_CHARS_MAX
    if end >= len(text):
        return len(text)
    half = begin + PART_CHARS_MAX // 2
    for pause in _LINE_PAUSES:
        at = text.rfind(pause, half, end)
        if at >= 0:
            return at + len(pause)
    sentence = max(find_sentence_ends(text, half, end), default=0)
    return sentence or begin + find_word_end(text[begin : end + 1], PART_CHARS_MAX)
