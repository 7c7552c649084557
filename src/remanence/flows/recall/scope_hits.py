"""What one scope answers, in order, and the answers of several scopes as one list.

Knows hits and how strong a scope answers; must not know how they are found or written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from remanence.core.model import Hit, Link
from remanence.flows.recall.frame_inputs import says_it
from remanence.recall.fit import NOTHING, FactTurnPairs
from remanence.recall.fuse import RankResult

SCOPE = "scope"  # the part of a score by which answers of several scopes are compared


@dataclass(frozen=True, slots=True)
class ScopeHits:
    """The hits of a scope in order, and what hangs between them by their places: the first is 0.

    `below` maps what holds no more to what holds instead, `above` what is contradicted to what is stronger, `same` are
    facts and turns that say the same.
    """

    hits: Sequence[Hit]
    ranked: RankResult
    links: Sequence[Link] = ()
    below: Mapping[int, set[int]] = field(default_factory=dict)
    above: Mapping[int, set[int]] = field(default_factory=dict)
    same: FactTurnPairs = NOTHING
    left_out: Mapping[str, int] = field(default_factory=dict)
    without_model: str = ""


@dataclass(frozen=True, slots=True)
class JoinedHits:
    """The hits of all scopes as one list; `scores` are those of all that was ranked."""

    hits: Sequence[Hit]
    below: Mapping[int, set[int]]
    above: Mapping[int, set[int]]
    same: FactTurnPairs
    scores: Sequence[float]


def map_to_places(numbers: Mapping[int, set[int]], places: Mapping[int, int]) -> dict[int, set[int]]:
    """Return by places what is known by other numbers, without what has no place."""
    return {
        places[one]: {places[other] for other in others if other in places}
        for one, others in numbers.items()
        if one in places and not places.keys().isdisjoint(others)
    }


def pair_by_places(hits: Sequence[Hit], told_with: FactTurnPairs) -> FactTurnPairs:
    """Return which hits are facts that were extracted from which, by place."""
    places = {hit.seq: place for place, hit in enumerate(hits)}
    pairs = [
        (fact, turn)
        for fact, hit in enumerate(hits)
        for turn in (places[seq] for seq in told_with.turns.get(hit.seq, ()) if seq in places)
        if says_it(hit.memory, hits[turn].memory)
    ]
    return _collect_pairs(pairs)


def join_hits(found: Sequence[ScopeHits]) -> JoinedHits:
    """Put the hits of scopes into one list by comparable scores; within a scope their order stays.

    Scores are scaled by the best of their scope, so that each scope has a best answer however little it answers. How
    strong a scope answers, from 0 to 1, is absolute: by it each score is multiplied, over the strongest of all.
    """
    strongest = max(one.ranked.strength for one in found)
    shares = [one.ranked.strength / strongest if strongest else 1.0 for one in found]
    keyed: list[tuple[float, int, int]] = []
    for number, (one, share) in enumerate(zip(found, shares, strict=True)):
        # A hit that stands above a better one ranks as that one does.
        keys = [*accumulate((hit.score * share for hit in reversed(one.hits)), max)][::-1]
        keyed += [(-key, number, place) for place, key in enumerate(keys)]
    keyed.sort()
    places = [dict[int, int]() for _ in found]
    for joint, (_, number, place) in enumerate(keyed):
        places[number][place] = joint
    hits = [_scale_hit(found[number].hits[place], shares[number]) for _, number, place in keyed]
    pairs = [pair for one, new in zip(found, places, strict=True) for pair in _list_pairs(one.same, new)]
    scores = [
        float(score) * share for one, share in zip(found, shares, strict=True) for score in one.ranked.scores
    ]
    return JoinedHits(
        hits,
        {
            k: v
            for one, new in zip(found, places, strict=True)
            for k, v in map_to_places(one.below, new).items()
        },
        {
            k: v
            for one, new in zip(found, places, strict=True)
            for k, v in map_to_places(one.above, new).items()
        },
        _collect_pairs([*pairs, *_pair_same_texts(hits)]),
        scores if len(found) == 1 else sorted(scores, reverse=True),
    )


def _scale_hit(hit: Hit, share: float) -> Hit:
    return hit if share == 1 else replace(hit, score=hit.score * share, parts={**hit.parts, SCOPE: share})


def _list_pairs(same: FactTurnPairs, places: Mapping[int, int]) -> list[tuple[int, int]]:
    return [(places[fact], places[turn]) for fact, turns in same.turns.items() for turn in turns]


def _pair_same_texts(hits: Sequence[Hit]) -> list[tuple[int, int]]:
    """Return the pairs of hits of two scopes that say the same in the same words: a copy, and what it is of."""
    first: dict[bytes, int] = {}
    pairs = []
    for place, hit in enumerate(hits):
        best = first.setdefault(hit.memory.fingerprint, place)
        if hits[best].other_scope != hit.other_scope:
            pairs.append((place, best))
    return pairs


def _collect_pairs(pairs: Iterable[tuple[int, int]]) -> FactTurnPairs:
    turns: dict[int, list[int]] = {}
    facts: dict[int, list[int]] = {}
    for fact, turn in pairs:
        turns.setdefault(fact, []).append(turn)
        facts.setdefault(turn, []).append(fact)
    return FactTurnPairs(turns, facts)
