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
from remanence.flows.recall.frame_inputs import says_it
from remanence.flows.recall.memory_lines import NO_ROOM, extract_passage, render, tokens_of
from remanence.flows.recall.question import RecallRequest
from remanence.recall.fit import SAID, FactTurnPairs, fit
from remanence.recall.fuse import RankResult
from remanence.text.analysis import stems


@dataclass(frozen=True, slots=True)
class AnswerInputs:
    """What an answer is made of beside the hits.

    `below` maps what holds no more to what holds instead, `above` what is contradicted to what is stronger; `doubt`
    says how well the best answers, `told_with` which facts and turns say the same.
    """

    ranked: RankResult
    below: Mapping[int, set[int]]
    above: Mapping[int, set[int]]
    doubt: str
    told_with: FactTurnPairs


def write_answer(
    core: Core,
    asked: RecallRequest,
    hits: Sequence[Hit],
    known: AnswerInputs,
) -> RecallResult:
    """Cut what was ranked to limit and budget, the stronger of a contradiction first, and say what was left out."""
    ranking, above, doubt = known.ranked, known.above, known.doubt
    memories = {hit.memory.seq: hit.memory for hit in hits}
    # What an answer says of itself counts, too; `is_weak` says it where there is no room.
    said = doubt if asked.budget is None or tokens_of(core, doubt) <= asked.budget else ""
    room = None if asked.budget is None else asked.budget - tokens_of(core, said)
    # What is dropped contradicts nobody: a line may turn out shorter than its room, never longer.
    overs = [_select_stronger(hit, above, memories) for hit in hits]
    same = _find_fact_turn_pairs(hits, known.told_with)
    selection = _select_hits(core, asked, hits, overs, room, same)
    repeats = {place for place, reason in selection.dropped if reason == SAID}
    by_seq = {
        hits[k].memory.seq: _mark_hit(
            hits[k],
            is_cut=k == 0 and selection.passage is not None,
            also=tuple(hits[place].id for place in same.with_(k) if place in repeats),
        )
        for k in selection.kept
    }
    among = {seq: memories[seq] for seq in by_seq}
    over = {seq: _select_stronger(hit, above, among) for seq, hit in by_seq.items()}
    order, by_seq = ordering.raise_stronger(by_seq, merge_stronger(above, known.below))
    measured = {seq: line for seq, line, by in zip(memories, selection.lines, overs, strict=False) if not by}
    part = selection.passage
    lines = [
        measured[seq]
        if seq in measured and not by_seq[seq].cut
        else render(memories[seq], over[seq], part if by_seq[seq].cut else None)
        for seq in order
    ]
    if hits and not lines and room is not None and core.counts([NO_ROOM])[0] <= room:
        lines = [NO_ROOM]
    text = "\n".join([said, *lines] if said else lines)
    drops = tuple(
        DroppedMemory(hits[k].memory.id, reason, hits[k].memory.tokens, hits[k].memory.seq)
        for k, reason in selection.dropped
    )
    left_out = {"budget": len(drops) - len(repeats) + len(ranking.unread), SAID_ALREADY: len(repeats)}
    return RecallResult(
        query=asked.said or asked.query,
        memories=tuple(
            replace(by_seq[seq], contradicted_by=tuple(one.id for one in over[seq]))
            if over[seq]
            else by_seq[seq]
            for seq in order
        ),
        strength=ranking.strength,
        tokens=tokens_of(core, text),
        dropped=drops,
        is_weak=doubt == WEAK,
        is_unsure=doubt == UNSURE,
        text=text,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


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
    lines = [render(hit.memory, over) for hit, over in zip(hits, overs, strict=True)]
    sizes = core.counts(lines)
    if sizes[0] <= room:
        return _HitSelection(*fit(sizes, asked.limit, room, same), lines=lines)
    best, over, query_stems = hits[0].memory, overs[0], frozenset(stems(asked.query))
    rooms = [room // 2, room] if asked.limit > 1 else [room]
    part = extract_passage(core, best, rooms, query_stems, over, is_alone=True)
    if part is None:
        return _HitSelection(
            [], [(0, f"its {sizes[0]} tokens are more than the whole budget of {asked.budget}")]
        )
    sizes[0] = core.counts([render(best, over, part)])[0]
    places, drops = fit(sizes, asked.limit, room, same)
    rest = room - sum(sizes[place] for place in places[1:])
    shown = extract_passage(core, best, [rest], query_stems, over) or part
    return _HitSelection(places, drops, shown, lines)


def _find_fact_turn_pairs(hits: Sequence[Hit], told_with: FactTurnPairs) -> FactTurnPairs:
    """Return which hits are facts that were extracted from which, by place."""
    places = {hit.seq: place for place, hit in enumerate(hits)}
    turns: dict[int, list[int]] = {}
    facts: dict[int, list[int]] = {}
    for fact, hit in enumerate(hits):
        for turn in (places[seq] for seq in told_with.turns.get(hit.seq, ()) if seq in places):
            if says_it(hit.memory, hits[turn].memory):
                turns.setdefault(fact, []).append(turn)
                facts.setdefault(turn, []).append(fact)
    return FactTurnPairs(turns, facts)


def _select_stronger(hit: Hit, above: Mapping[int, set[int]], among: Mapping[int, Memory]) -> list[Memory]:
    """Return those of some memories that contradict a hit and are stronger."""
    return [among[seq] for seq in above.get(hit.memory.seq, ()) if seq in among]
