"""What was ranked and read, cut to the limit and the budget and written as an answer: the last stage of a recall.

Knows hits, lines and sizes; must not know how the hits were found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remanence.core.model import DroppedMemory, Hit, Memory, RecallResult
from remanence.core.results import SAID_ALREADY, UNSURE, WEAK
from remanence.flows.base.context import Core
from remanence.flows.recall import ordering
from remanence.flows.recall.current_only import merge_stronger
from remanence.flows.recall.memory_lines import NO_ROOM, extract_passage, render, tokens_of
from remanence.flows.recall.question import RecallRequest
from remanence.recall.fit import SAID, FactTurnPairs, fit
from remanence.text.analysis import stems


@dataclass(frozen=True, slots=True)
class AnswerInputs:
    """What an answer is made of beside the hits, which it names by their places.

    `below` maps what holds no more to what holds instead, `above` what is contradicted to what is stronger; `doubt`
    says how well the best answers, `same` which hits say the same. `unread` counts what was ranked and not read.
    """

    below: Mapping[int, set[int]]
    above: Mapping[int, set[int]]
    same: FactTurnPairs
    doubt: str
    strength: float
    unread: int


def write_answer(
    core: Core,
    asked: RecallRequest,
    hits: Sequence[Hit],
    known: AnswerInputs,
) -> RecallResult:
    """Cut what was ranked to limit and budget, the stronger of a contradiction first, and say what was left out."""
    above, doubt, same = known.above, known.doubt, known.same
    # What an answer says of itself counts, too; `is_weak` says it where there is no room.
    said = doubt if asked.budget is None or tokens_of(core, doubt) <= asked.budget else ""
    room = None if asked.budget is None else asked.budget - tokens_of(core, said)
    # What is dropped contradicts nobody: a line may turn out shorter than its room, never longer.
    overs = [_select_stronger(above, place, hits) for place in range(len(hits))]
    selection = _select_hits(core, asked, hits, overs, room, same)
    repeats = {place for place, reason in selection.dropped if reason == SAID}
    kept = {
        k: _mark_hit(
            hits[k],
            is_cut=k == 0 and selection.passage is not None,
            also=tuple(hits[place].id for place in same.with_(k) if place in repeats),
        )
        for k in selection.kept
    }
    over = {k: _select_stronger(above, k, kept) for k in kept}
    order, kept = ordering.raise_stronger(kept, merge_stronger(above, known.below))
    measured = {k: line for k, line in enumerate(selection.lines) if not overs[k]}
    part = selection.passage
    lines = [
        measured[k] if k in measured and not kept[k].cut else _render(kept[k], over[k], part) for k in order
    ]
    if hits and not lines and room is not None and core.counts([NO_ROOM])[0] <= room:
        lines = [NO_ROOM]
    text = "\n".join([said, *lines] if said else lines)
    drops = tuple(
        DroppedMemory(one.id, reason, one.memory.tokens, one.seq, one.other_scope)
        for k, reason in selection.dropped
        for one in [hits[k]]
    )
    left_out = {"budget": len(drops) - len(repeats) + known.unread, SAID_ALREADY: len(repeats)}
    return RecallResult(
        query=asked.said or asked.query,
        memories=tuple(
            replace(kept[k], contradicted_by=tuple(one.id for one in over[k])) if over[k] else kept[k]
            for k in order
        ),
        strength=known.strength,
        tokens=tokens_of(core, text),
        dropped=drops,
        is_weak=doubt == WEAK,
        is_unsure=doubt == UNSURE,
        text=text,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


def _render(hit: Hit, over: Sequence[Memory], part: str | None = None) -> str:
    """Write the line of a hit; a part of its text stands for it only where it is cut."""
    return render(hit.memory, over, part if hit.cut else None, other_scope=hit.other_scope)


def _mark_hit(hit: Hit, *, is_cut: bool, also: tuple[str, ...]) -> Hit:
    """Return a hit with what is said of it in an answer; most need nothing."""
    return replace(hit, cut=is_cut, also=also) if is_cut or also else hit


@dataclass(frozen=True, slots=True)
class _HitSelection:
    """The places of what is kept and of what is dropped with the reason; what is shown of the best where it is cut.

    `lines` are those of all places, where they were written to be measured.
    """

    kept: list[int]
    dropped: list[tuple[int, str]]
    passage: str | None = None
    lines: Sequence[str] = ()


def _select_hits(
    core: Core,
    asked: RecallRequest,
    hits: Sequence[Hit],
    overs: Sequence[Sequence[Memory]],
    room: int | None,
    same: FactTurnPairs,
) -> _HitSelection:
    """Choose what fits. The best is never passed over: cut to half the room, then to what the others leave."""
    if room is None or not hits:
        return _HitSelection(*fit([0] * len(hits), asked.limit, None, same))
    lines = [_render(hit, over) for hit, over in zip(hits, overs, strict=True)]
    sizes = core.counts(lines)
    if sizes[0] <= room:
        return _HitSelection(*fit(sizes, asked.limit, room, same), lines=lines)
    best, query_stems = replace(hits[0], cut=True), frozenset(stems(asked.query))
    rooms = [room // 2, room] if asked.limit > 1 else [room]

    def extract(rooms: Sequence[int], *, is_alone: bool = False) -> str | None:
        scope = best.other_scope
        return extract_passage(
            core, best.memory, rooms, query_stems, overs[0], is_alone=is_alone, other_scope=scope
        )

    part = extract(rooms, is_alone=True)
    if part is None:
        return _HitSelection(
            [], [(0, f"its {sizes[0]} tokens are more than the whole budget of {asked.budget}")]
        )
    sizes[0] = core.counts([_render(best, overs[0], part)])[0]
    places, drops = fit(sizes, asked.limit, room, same)
    rest = room - sum(sizes[place] for place in places[1:])
    shown = extract([rest]) or part
    return _HitSelection(places, drops, shown, lines)


def _select_stronger(
    above: Mapping[int, set[int]], place: int, among: Sequence[Hit] | Mapping[int, Hit]
) -> list[Memory]:
    """Return those of some hits that contradict the one in a place and are stronger."""
    stronger = above.get(place, ())
    return [among[one].memory for one in stronger if isinstance(among, Sequence) or one in among]
