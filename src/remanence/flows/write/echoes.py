"""Finds among texts that arrive what the memory itself returned a moment ago, and what is a line of its own answers.

Reads what may have been returned; must not change what becomes of a text that is not surely an echo.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from remanence.core.arrival import WriteContext
from remanence.core.clock import DAY
from remanence.core.errors import NotFound, Protected, StoreIncompatible
from remanence.core.model import STANDING, Form, Memory, Status
from remanence.core.results import DOUBTS
from remanence.flows.base.context import Core, reach_scope, run_off_loop
from remanence.text.analysis import fingerprint, stems, term_hash, visible
from remanence.text.condense import shown_text
from remanence.write.admission import PROGRAMS, MemoryDraft

LINES_MAX = 1_000  # as many as an answer has at most
PASSAGE_WORDS_MIN = 3  # of a line that was cut: no passage is shorter
# "[#12 2026-01-31 Ann, from a file; tool] ": what stands before the text of a memory, which no text of one can be.
# Of a memory of another scope it is "[team/#12 …] ".
_MARK = re.compile(
    r"\[(?:(?P<scope>[^\[\]\n]{1,200}?)/)?#(?P<seq>[0-9]{1,18}) [0-9]{4}-[0-9]{2}-[0-9]{2}(?P<more>[^\[\]\n]*+)\] "
)
SCOPES_READ_MAX = 8  # that the lines of one text name
_Named = tuple[str, int]  # a memory by its scope, "" for the own, and its number
_CUT = "; cut"
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A line with marks of memories, the outermost first, and what stands behind them; of a part where it was cut."""

    named: tuple[_Named, ...]
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
    if "#" not in text or "[" not in text:
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
    speaker = marks[-1]["more"].partition(",")[0].partition(";")[0].strip()
    is_cut = any(_CUT in mark["more"] for mark in marks)
    return OwnLine(tuple((mark["scope"] or "", int(mark["seq"])) for mark in marks), text, speaker, is_cut)


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


WINDOW = DAY  # after a memory was returned: as long as a session and its restarts take, and what is extracted from them
HELD_MAX = 1_000  # memories that hold the rarest word of a text, among which the same text is looked for
RAREST = 3  # words of a text by which it is looked for
READ_MAX = 100  # memories that hold all of these
TURNS_MAX = 100  # of which one fact was learned, the last of them
MEMORY_ID = re.compile("[0-9a-f]{32}")
# What an answer may have shown, and is no reason to keep its line.
_SHOWN = (*STANDING, Status.ARCHIVED, Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A text that may be an echo: of a memory with the same text, or line by line of an answer."""

    seqs: Sequence[int]
    lines: Sequence[OwnLine] = field(default_factory=tuple)

    def list_named(self) -> list[_Named]:
        """List the memories that its lines name."""
        return [named for line in self.lines for named in line.named]


async def mark_echoes(
    core: Core, drafts: Sequence[MemoryDraft], known: WriteContext
) -> Sequence[MemoryDraft]:
    """Say of drafts whose echo they are; uses that wait are written only where one may be an echo."""
    chars = sum(len(draft.turn.text) for draft in drafts)
    suspects, rare = await run_off_loop(chars, _find_suspects, drafts, known)
    suspects |= await _find_same_words(core, rare)
    if not suspects:
        return drafts
    await core.uses.settle()
    seqs = sorted({seq for one in suspects.values() for seq in one.seqs})
    memories = {one.seq: one for one in await core.store.get(core.scope, seqs) if one is not None}
    elsewhere = await _read_elsewhere(core, suspects.values())
    turns = await _read_turns(core, list(memories.values()))
    marked = list(drafts)
    for place, suspect in suspects.items():
        of = [memories[seq] for seq in suspect.seqs if seq in memories]
        if suspect.lines:
            named = {("", one.seq): one for one in of}
            named |= {name: elsewhere[name] for name in suspect.list_named() if name in elsewhere}
            original = _find_shown(suspect.lines, named)
        else:
            original = _find_returned(drafts[place], of, turns)
        if original is not None:
            seq = original.seq if original.scope == core.scope else 0  # what is elsewhere has no number here
            marked[place] = replace(drafts[place], echo_of=(seq, original.id))
    return marked


def list_own_fingerprints(draft: MemoryDraft) -> list[bytes]:
    """Return the fingerprints of what the lines of an answer say, as whoever the lines name would say it."""
    return [fingerprint(line.text, line.speaker) for line in read_own_lines(draft.turn.text)]


def came_back(memory: Memory, said_at: int) -> bool:
    """Tell whether a text that says the same was said after this memory came in, and soon after it was returned.

    Times in microseconds. What was said before it came in cannot have been read from it.
    """
    return memory.used_at is not None and memory.learned_at <= said_at <= memory.used_at + WINDOW


def _find_suspects(
    drafts: Sequence[MemoryDraft], known: WriteContext
) -> tuple[dict[int, _Suspect], dict[int, list[str]]]:
    """Return by place what may be an echo, and the rarest words of what nobody named says that may have been shown."""
    suspects: dict[int, _Suspect] = {}
    rare: dict[int, list[str]] = {}
    for place, draft in enumerate(drafts):
        twin = known.twins.get(draft.fingerprint)
        if lines := read_own_lines(draft.turn.text):
            twins = [known.twins.get(one) for one in list_own_fingerprints(draft)]
            seqs = {seq for line in lines for scope, seq in line.named if not scope}
            seqs |= {one.seq for one in twins if one is not None}
            suspects[place] = _Suspect(sorted(seqs), lines)
        elif draft.is_vouched_for:
            continue
        elif twin is not None and twin.status in STANDING:
            suspects[place] = _Suspect([twin.seq])
        elif draft.turn.speaker is None or draft.role in PROGRAMS:
            counts = {stem: known.df.get(term_hash(stem), 0) for stem in stems(draft.turn.text)}
            words = sorted(counts, key=lambda stem: (counts[stem], stem))[:RAREST]
            if words and 0 < counts[words[0]] <= HELD_MAX:
                rare[place] = words
    return suspects, rare


async def _find_same_words(core: Core, rare: Mapping[int, Sequence[str]]) -> dict[int, _Suspect]:
    """Return by place the memories that hold the rarest words of a text, which may say the same by another name."""
    if not rare:
        return {}
    rows = (
        await core.store.search(core.scope, sorted({stem for words in rare.values() for stem in words}))
    ).rows
    suspects: dict[int, _Suspect] = {}
    for place, words in rare.items():
        found = rows[words[0]]
        for stem in words[1:]:
            found = found[np.isin(found, rows[stem])]
        if 0 < len(found) <= READ_MAX:
            suspects[place] = _Suspect(found.tolist())
    return suspects


async def _read_elsewhere(core: Core, suspects: Iterable[_Suspect]) -> dict[_Named, Memory]:
    """Read the memories of other scopes that lines name; of a scope that this opening may not read there are none."""
    named: dict[str, set[int]] = {}
    for scope, seq in (name for one in suspects for name in one.list_named()):
        if scope:
            named.setdefault(scope, set()).add(seq)
    found: dict[_Named, Memory] = {}
    for scope, seqs in list(named.items())[:SCOPES_READ_MAX]:
        with suppress(NotFound, Protected, StoreIncompatible):
            async with reach_scope(core, scope) as other:
                rows = await other.store.get(scope, sorted(seqs))
            found |= {(scope, one.seq): one for one in rows if one is not None}
    return found


async def _read_turns(core: Core, memories: Sequence[Memory]) -> dict[str, Memory]:
    """Return by id the turns from which some facts were learned: where a fact stands, an answer may show its turn."""
    names = {name for one in memories for name in one.sources[-TURNS_MAX:] if MEMORY_ID.fullmatch(name)}
    turns = await core.store.get(core.scope, sorted(names)) if names else []
    return {one.id: one for one in turns if one is not None}


def _find_returned(
    draft: MemoryDraft, memories: Sequence[Memory], turns: Mapping[str, Memory]
) -> Memory | None:
    """Return a memory that says the same, whoever said it, and was returned soon before, or its turn was."""
    for memory in memories:
        same = fingerprint(draft.turn.text, memory.speaker or "") == memory.fingerprint
        shown = [memory, *(turns[name] for name in memory.sources if name in turns)]
        if same and memory.status in STANDING and any(came_back(one, draft.said_at) for one in shown):
            return memory
    return None


def _find_shown(lines: Sequence[OwnLine], memories: Mapping[_Named, Memory]) -> Memory | None:
    """Return the first memory of an answer of which a memory says each line."""
    shown = {name: one for name, one in memories.items() if one.status in _SHOWN}
    by_text = {without_marks(one.text): one for one in shown.values()}
    of = [by_text.get(line.text) or _find_part(line, shown) for line in lines]
    return of[0] if all(one is not None for one in of) else None


def _find_part(line: OwnLine, shown: Mapping[_Named, Memory]) -> Memory | None:
    """Return the memory of which a line shows a part, or its short form: one that its marks name."""
    named = [shown[name] for name in line.named if name in shown]
    return next((one for one in named if line.is_of(one)), None)
