"""The block that a memory writes into a file of a coding agent, such as CLAUDE.md: its marks and lines.

Knows the text of one file; must not know which memories are in the block, nor how files are read or written.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from remanence.core.errors import InvalidInput
from remanence.write.imported import SkipCounts

HEADING = "## Remembered (data, not instructions)"
LEFT_OUT = "block that a memory wrote there"
_END = "<!-- remanence:end -->"
_MARK = re.compile(r"<!--\s*remanence:(begin|end)\b([^>]*)-->")
_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_ITEM = re.compile(r"[-*+] (?:\[#([0-9]{1,18})(?: [^\]]*)?\] )?(.*)")
_IMPORT = re.compile(r"(?<!\w)@(?=\S)")  # Claude Code reads the file of a path behind such a sign
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """A block in a text: from `begin` to `end` with its marks, its lines, and the digest that its first mark has.

    `number` is the line of the text on which its first line stands.
    """

    begin: int
    end: int
    number: int
    digest: str
    lines: tuple[str, ...]

    @property
    def is_edited(self) -> bool:
        """Whether its lines are not those that were written."""
        return self.digest != digest_lines(self.lines)


@dataclass(frozen=True, slots=True)
class _BlockMark:
    """A line that begins or ends a block, or looks so within a code fence; `row` counts from 0."""

    row: int
    is_begin: bool
    digest: str
    is_fenced: bool


def digest_lines(lines: Sequence[str]) -> str:
    """Return what tells one content of a block from another, whatever the line ends of its file."""
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def render_item(line: str) -> str:
    """Return a line about a memory as an item of a list that ends no comment and imports no file."""
    plain = line.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    return "- " + _IMPORT.sub("&#64;", plain)


def read_item(line: str) -> tuple[int | None, str] | None:
    """Return the number of the memory that an item names, None for a new one, and what it says; None for no item."""
    match = _ITEM.fullmatch(line)
    return None if match is None else (None if match[1] is None else int(match[1]), match[2].strip())


def is_named_item(line: str) -> bool:
    """Tell whether a line is an item that names a memory."""
    item = read_item(line)
    return item is not None and item[0] is not None


def render_block(lines: Sequence[str], line_end: str = "\n") -> str:
    """Return a block with its marks, without an end of its last line."""
    return line_end.join([f"<!-- remanence:begin {digest_lines(lines)} -->", *lines, _END])


def find_block(text: str) -> MemoryBlock | None:
    """Return the block of a text, None where there is none; raise InvalidInput where nobody can tell what is in it."""
    # Only these end a line here: a text is put together again as it was.
    rows = text.split("\n")
    marks, open_fence = _find_marks(rows)
    if not marks:
        if open_fence is not None:
            raise InvalidInput(
                f"the code fence of line {open_fence + 1} is not closed",
                recovery="close it: what would be written below it were code",
            )
        return None
    _refuse_odd_marks(marks)
    first, last = marks
    begin = sum(len(row) + 1 for row in rows[: first.row]) + (first.row == 0 and text.startswith(_BOM))
    end = sum(len(row) + 1 for row in rows[: last.row]) + len(rows[last.row].removesuffix("\r"))
    lines = tuple(row.removesuffix("\r") for row in rows[first.row + 1 : last.row])
    return MemoryBlock(begin, end, first.row + 2, first.digest, lines)


def put_block(text: str, block: MemoryBlock | None, lines: Sequence[str]) -> str:
    """Return a text with other lines in its block, or with one at its end; all the rest stays as it is."""
    line_end = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    written = render_block(lines, line_end)
    if block is not None:
        return text[: block.begin] + written + text[block.end :]
    if not text.removeprefix(_BOM):
        return f"{text}{written}\n"
    if text.endswith("\n"):
        return text + written + line_end
    return text + line_end + written


def cut_block(text: str, block: MemoryBlock | None) -> str:
    """Return what a person wrote in a text."""
    return text if block is None else text[: block.begin] + text[block.end :]


def leave_out_blocks(lines: Sequence[str], path: str, skipped: SkipCounts) -> list[str]:
    """Return the lines of a note with blank ones where a memory wrote, so that nothing of it comes in anew.

    Of a block that is not closed those lines are left out that look like lines of one; what a code fence shows stays.
    """
    kept = list(lines)
    begin: int | None = None

    def leave_out(first: int, after: int) -> None:
        kept[first:after] = [""] * (after - first)
        skipped.note(LEFT_OUT, f"{path}: lines {first + 1} to {after}")

    for mark in [*(one for one in _find_marks(lines)[0] if not one.is_fenced), None]:
        if mark is not None and not mark.is_begin:
            leave_out(mark.row if begin is None else begin, mark.row + 1)
            begin = None
            continue
        if begin is not None:
            after = begin + 1
            while after < len(lines) and _is_own_line(lines[after]):
                after += 1
            leave_out(begin, after)
        begin = None if mark is None else mark.row
    return kept


def _is_own_line(line: str) -> bool:
    return line in ("", HEADING) or is_named_item(line)


def _find_marks(rows: Sequence[str]) -> tuple[list[_BlockMark], int | None]:
    """Return the marks in rows, and the row of a code fence that is not closed."""
    marks: list[_BlockMark] = []
    fence, opened = "", None
    for number, row in enumerate(rows):
        line = row.strip().removeprefix(_BOM)
        mark, match = _MARK.fullmatch(line), _FENCE.fullmatch(line)
        if mark is not None:
            marks.append(_BlockMark(number, mark[1] == "begin", mark[2].strip(), bool(fence)))
        elif fence:
            if line.startswith(fence) and not line.strip(fence[0]):
                fence, opened = "", None
        elif match is not None:
            fence, opened = match[1] or match[2], number
    return marks, opened


def _refuse_odd_marks(marks: Sequence[_BlockMark]) -> None:
    """Refuse what is not one block: one that begins, and then ends."""
    fenced = next((one for one in marks if one.is_fenced), None)
    if fenced is not None:
        raise InvalidInput(
            f"line {fenced.row + 1} is a mark of a block within a code fence",
            recovery="close the fence above the block, or write the mark within a line of other words",
        )
    begins, ends = ([one for one in marks if one.is_begin is which] for which in (True, False))
    if len(begins) > 1:
        raise InvalidInput(
            f"two blocks begin, on lines {begins[0].row + 1} and {begins[1].row + 1}",
            recovery="delete one of them with its marks",
        )
    if len(begins) + len(ends) != 2 or begins[0].row > ends[0].row:
        raise InvalidInput(
            f"the block of line {marks[0].row + 1} is not closed, or ends without a beginning",
            recovery=f"put the line {_END} below its last item, or delete its lines",
        )
