"""Markdown as people write notes: headings, and the paragraphs and items of lists between them.

Knows lines; must not know what they are about, nor where they come from.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"#{1,6}(?=\s|$)")
_BULLET = re.compile(r"[-*+]\s+")
_NUMBERED = re.compile(
    r"\d{1,3}[.)]\s+"
)  # also a day such as "12. Mai", so it stays, and alone begins a list
_RULE = re.compile(r"([-*_])(?:\s*\1){2,}")
_UNSPACED = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_FENCE = re.compile(r"```|~~~")
_BOLD = re.compile(r"\*\*([^*]++)\*\*:?")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A heading, or the lines of a paragraph or an item of a list; code between fences is part of a paragraph.

    `number` is the line on which it begins, or for what is no heading the one on which it ended; `level` counts the
    signs of a heading.
    """

    number: int
    heading: str | None = None
    lines: tuple[str, ...] = ()
    level: int = 0


def read_blocks(lines: Sequence[str], begin: int = 0) -> Iterator[MarkdownBlock]:
    """Yield what stands in lines from a place on; a blank line, a rule, a heading and an item end a paragraph."""
    pending: list[str] = []
    in_code, number = False, begin
    for number, line in enumerate(lines[begin:], start=begin + 1):
        in_code ^= is_fence(line)
        plain = "" if _RULE.fullmatch(line.strip()) else line.rstrip()
        head = read_heading(plain)
        if not in_code and pending and (head is not None or not plain or _begins_item(plain, pending)):
            yield MarkdownBlock(number, lines=tuple(pending))
            pending = []
        if in_code or head is None:
            pending += [plain] if plain or in_code else []
        else:
            yield MarkdownBlock(number, head, level=_count_signs(plain))
    if pending:
        yield MarkdownBlock(number, lines=tuple(pending))


def read_heading(line: str) -> str | None:
    """Return what a heading says, None where a line is none."""
    mark = _HEADING.match(line.strip())
    return None if mark is None else line.strip()[mark.end() :].strip().rstrip("#").rstrip()


def _count_signs(heading: str) -> int:
    return len(heading.strip()) - len(heading.strip().lstrip("#"))


def read_bold(words: str) -> str | None:
    """Return what a paragraph says that is bold as a whole, as some write headings; None where it is not."""
    match = _BOLD.fullmatch(words)
    return None if match is None else match[1].strip().rstrip(":")


def is_fence(line: str) -> bool:
    """Tell whether code begins or ends on a line."""
    return _FENCE.match(line.strip()) is not None


def join_lines(lines: Sequence[str]) -> str:
    """Return a paragraph without its bullet, its lines joined as they were wrapped; code stays as it is."""
    if any(map(is_fence, lines)):
        return "\n".join(lines).strip()
    parts: list[str] = []
    for line in lines:
        if parts:
            parts += ["" if _UNSPACED.search(parts[-1][-1:]) else " ", line.strip()]
        elif first := _BULLET.sub("", line, count=1):
            parts.append(first)
    return "".join(parts).strip()


def _begins_item(line: str, before: Sequence[str]) -> bool:
    """Tell whether a line begins an item of a list: a numbered one only after another, or a blank line."""
    if _NUMBERED.match(line):
        return not before or _NUMBERED.match(before[0]) is not None
    return _BULLET.match(line) is not None
