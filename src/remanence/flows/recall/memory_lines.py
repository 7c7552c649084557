"""Memories written as lines of data, and how an answer says how well it answers.

Knows memories and tokens; must not know what was asked or why a memory is shown.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from remanence.core.model import STANDING, Form, Memory, Trust, Verification, short_id
from remanence.core.results import UNSURE, WEAK
from remanence.flows.base.context import Core
from remanence.llm.offline import NoEmbedder
from remanence.recall.fuse import UNSURE_FACTOR, weak_floor
from remanence.recall.passages import passage
from remanence.text.analysis import visible
from remanence.text.condense import shown_text

NO_ROOM = "the best answer does not fit into this budget"
CUT_MARK = "; cut"
LINE_LEAST = "[#1 2026-01-01] a"  # no line takes less room
_MEMORY = re.compile("[0-9a-f]{32}")  # the id of one, such as a turn
_BRACKETS = str.maketrans("[];", "(),")


def tokens_of(core: Core, text: str) -> int:
    """Count the tokens of a whole answer."""
    return core.counts([text])[0] if text else 0


def doubt_of(core: Core, strength: float, candidates: int) -> str:
    """Return how an answer of some strength out of so many memories begins: WEAK, UNSURE, or "" for neither.

    The floor is the embedder's, if it has one, that of words alone without vectors.
    """
    below = _find_threshold(core)
    if below is None or strength >= below * UNSURE_FACTOR:
        return ""
    return WEAK if strength < weak_floor(below, candidates) else UNSURE


def find_floor(core: Core, candidates: int) -> float | None:
    """Return the strength below which an answer out of so many memories is weak; None where nobody knows."""
    below = _find_threshold(core)
    return None if below is None else weak_floor(below, candidates)


def _find_threshold(core: Core) -> float | None:
    alone = core.embedder.dimensions and not core.index.dimensions
    return (NoEmbedder if alone else core.embedder).thresholds.weak_below


def render(
    memory: Memory, contradicting: Sequence[Memory] = (), part: str | None = None, *, scarce: bool = False
) -> str:
    """Write a memory as one line of data, which no stored text can leave or pass for: id, when, who, from where; text.

    What no longer stands, or in part holds no longer, is marked so, and what is believed less than the user as what it
    is. Nobody's words can begin a line, and what steers a terminal or hides from a reader is shown as what it is. A
    `part` of the text stands for the whole, which is marked as cut; where room is scarce, so does the form that a
    policy gave it.
    """
    who = f" {_mask_brackets(memory.speaker)}" if memory.speaker else ""
    origin = next((source for source in memory.sources if not _MEMORY.fullmatch(source)), None)
    source = "" if origin is None else f", from {_mask_brackets(origin)}"
    marks = f"; {memory.said_again}" if memory.said_again else ""
    marks += "" if memory.trust is Trust.USER else f"; {memory.trust.label}"
    marks += "" if memory.status in STANDING else f"; {memory.status.label}"
    is_disputed = memory.verification is Verification.DISPUTED and memory.status in STANDING
    marks += f"; {Verification.DISPUTED.label}" if is_disputed else ""
    marks += "".join(f"; {_mask_brackets(end)}" for end in memory.ended)
    marks += "".join(map(render_contradiction, contradicting)) + CUT_MARK * (part is not None)
    short = scarce and part is None and memory.form is not Form.FULL
    marks += f"; {memory.form.label}" * short
    text = _normalize_visible(shown_text(memory) if short else memory.text) if part is None else part
    return f"[{short_id(memory.seq)} {memory.said_day}{who}{source}{marks}] {text}"


def render_contradiction(by: Memory) -> str:
    """Write into a line that another memory contradicts it."""
    return f"; contradicted by {short_id(by.seq)}"


def extract_passage(
    core: Core,
    memory: Memory,
    rooms: Sequence[int],
    asked: AbstractSet[str] = frozenset(),
    over: Sequence[Memory] = (),
    *,
    is_alone: bool = False,
) -> str | None:
    """Return the passage of a memory that answers best in a line of so many tokens; None where none fits.

    The first of some rooms that a passage fits into is taken. Where none says enough and the memory `is_alone` in its
    answer, the last room takes what fits at all.
    """
    text = _normalize_visible(memory.text)

    def cut_to(room: int, *, however_short: bool = False) -> str | None:
        return passage(
            text,
            asked,
            lambda part: core.counts([render(memory, over, part)])[0] <= room,
            however_short=however_short,
        )

    part = next((part for room in rooms if (part := cut_to(room)) is not None), None)
    return cut_to(rooms[-1], however_short=True) if part is None and is_alone else part


def _normalize_visible(text: str) -> str:
    return visible(" ".join(text.split()))


def _mask_brackets(name: str) -> str:
    """Return a name that cannot close the brackets it stands in."""
    return _normalize_visible(name).translate(_BRACKETS)
