"""Marks by which a program shows where a sentence is from: no words of a memory, so they are taken off and counted.

Knows how programs write such marks; must not know formats.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from remanence.core.model import Turn
from remanence.write.imported import SkipCounts

TAKEN_OFF = "mark of a citation, taken off the text"
MARK_CHARS_MAX = 2_000
_TURN = r"turn\d{1,4}[a-z_]{1,20}\d{1,4}"
# ChatGPT: between signs of the private use area, or what is left where a copy lost these; older exports have brackets.
# Gemini: [cite_start], [cite: 1, 2]. Grok: an element of its own. Claude: an element around the words.
_MARK = (
    rf"\ue200(?P<inside>[^\ue200\ue201\n]{{0,{MARK_CHARS_MAX}}})\ue201"
    rf"|\ue200[a-z_]{{0,20}}(?:\ue202{_TURN})*|[\ue200-\ue206]"
    rf"|\b(?:file|nav)?cite(?:{_TURN})+"
    r"|【(?:[^【】\n]{0,99}†[^【】\n]{0,199}|turn\d[^【】\n]{0,99}|oaicite:\d{1,4})】"
    r"|:contentReference\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    r"|\[cite_start\]|\[cite:\s?[\d,\s-]{1,99}\]"
    r"|<grok:render\b[^<>]{0,999}>(?:<argument\b[^<>]{0,99}>[^<>]{0,99}</argument>|\s){0,9}</grok:render>"
)
_ELEMENT = re.compile(
    rf'<((?:antml:)?cite)\s+index="[\d,:\s-]{{0,99}}">(.{{0,{MARK_CHARS_MAX}}}?)</\1>', re.DOTALL
)
_RUN = re.compile(rf"(?<![ \t])(?P<before>[ \t]*+)(?:{_MARK})(?P<after>[ \t]*+)")
# Signs of which each mark has one: most texts have none, and are not looked through.
_SIGNS = ("cite", "†", "【turn", "<grok:", *map(chr, range(0xE200, 0xE207)))
_MARK_ENDS = ("\ue201", "\ue204", "\ue206")  # counted where they began
_CLOSING = ".,;:!?)]}»”’。，、；：！？）"


def take_marks_off(turn: Turn, skipped: SkipCounts) -> Iterator[Turn]:
    """Yield a turn without marks of citations, which are counted; nothing where it consists of such alone."""
    if not any(sign in turn.text for sign in _SIGNS):
        yield turn
        return
    text = _ELEMENT.sub(lambda match: _open_element(match, skipped), turn.text)
    text = _RUN.sub(lambda match: _replace_mark(match, skipped), text)
    if text == turn.text:
        yield turn
    elif text := text.strip():
        yield replace(turn, text=text)
    else:
        skipped.note("text of nothing but marks of citations", turn.key)


def _open_element(match: re.Match[str], skipped: SkipCounts) -> str:
    skipped.note(TAKEN_OFF, match[0])
    return match[2]


def _replace_mark(match: re.Match[str], skipped: SkipCounts) -> str:
    """Return the words that a mark shows, most show none, and one blank where there were some around it."""
    mark = match[0].strip()
    if mark not in _MARK_ENDS:
        skipped.note(TAKEN_OFF, mark)
    before, after = match["before"], match["after"]
    shown = _find_shown(match["inside"] or "")
    if shown:
        return f"{before}{shown}{after}"
    following = match.string[match.end() : match.end() + 1]
    is_end = not following or following in "\n\r" or following in _CLOSING
    return "" if is_end or not (before or after) else before[:1] or after[:1]


def _find_shown(inside: str) -> str:
    """Return what a mark shows in the text: the title of a link, the name of an entity."""
    kind, _, rest = inside.partition("\ue202")
    if kind == "url":
        return rest.partition("\ue202")[0].strip()
    if kind == "entity":
        return _read_second(rest)
    return ""


def _read_second(written: str) -> str:
    """Return the second text of a list that is written as JSON, "" where there is none."""
    try:
        parts = json.loads(written)
    except (ValueError, RecursionError):
        return ""
    texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    return texts[1] if len(texts) > 1 else ""
