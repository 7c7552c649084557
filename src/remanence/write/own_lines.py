"""Which texts are lines of an answer: the marks they begin with, and whether a memory says what stands behind those.

Knows how an answer writes a memory, which `recall` decides; knows no store.
"""

import re
from dataclasses import dataclass

from remanence.core.model import Form, Memory
from remanence.core.results import DOUBTS
from remanence.text.analysis import visible
from remanence.text.condense import shown_text

LINES_MAX = 1_000  # as many as an answer has at most
PASSAGE_WORDS_MIN = 3  # of a line that was cut: no passage is shorter
# "[#12 2026-01-31 Ann, from a file; tool] ": what stands before the text of a memory, which no text of one can be.
_MARK = re.compile(r"\[#([0-9]{1,18}) [0-9]{4}-[0-9]{2}-[0-9]{2}([^\[\]\n]*+)\] ")
_CUT = "; cut"
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A line with marks of memories, the outermost first, and what stands behind them; of a part where it was cut."""

    seqs: tuple[int, ...]
    text: str
    speaker: str = ""
    is_cut: bool = False

    def is_of(self, memory: Memory) -> bool:
        """Tell whether a memory says what stands behind the marks, or where that was cut, all of its parts."""
        whole = without_marks(memory.text)
        if not self.is_cut:
            short = memory.form is not Form.FULL and _on_one_line(shown_text(memory)) == self.text
            return whole == self.text or short
        parts = [part.strip() for part in self.text.split(_LEFT_OUT)]
        return len(self.text.split()) >= PASSAGE_WORDS_MIN and all(part in whole for part in parts)


def read_own_lines(text: str) -> tuple[OwnLine, ...]:
    """Return the lines of a text that is an answer of a memory, or some lines of one; () where anything else stands."""
    if "[#" not in text:
        return ()
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line not in DOUBTS]
    if len(lines) > LINES_MAX:
        return ()
    own = [_read_line(line) for line in lines]
    return tuple(one for one in own if one is not None) if all(own) else ()


def _read_line(line: str) -> OwnLine | None:
    marks, text = _strip_marks(_on_one_line(line))
    if not marks or not text:
        return None
    speaker = marks[-1][2].partition(",")[0].partition(";")[0].strip()
    is_cut = any(_CUT in mark[2] for mark in marks)
    return OwnLine(tuple(int(mark[1]) for mark in marks), text, speaker, is_cut)


def without_marks(text: str) -> str:
    """Return a text on one line as an answer shows it, without marks that it begins with."""
    return _strip_marks(_on_one_line(text))[1]


def _strip_marks(line: str) -> tuple[list[re.Match[str]], str]:
    """Return the marks that a line begins with, and the rest: an answer that was kept has those of two answers."""
    marks: list[re.Match[str]] = []
    end = 0
    while mark := _MARK.match(line, end):
        marks.append(mark)
        end = mark.end()
    return marks, line[end:]


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split()))
