"""The definition of a frame, its five parts, and the cut to a budget, as pure functions."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.score import PARTS, PRESETS, Metadata
from remanence.recall.frames import (
    BUILTIN,
    MEMORIES,
    Candidates,
    Filling,
    FrameEvidence,
    Strength,
    build_frame,
    laid_out,
    parts_of,
    room_beside,
    sort_for_room,
    stronger_first,
    stronger_than,
)
from remanence.text.tokens import token_counts


def candidates(n: int, **columns: list[float]) -> Candidates:
    """Make n candidates of which nothing is known but the columns given."""
    usual = {
        "similarity": np.zeros(n),
        "guaranteed": np.zeros(n, np.bool_),
        "exact": np.zeros(n, np.bool_),
        "said": np.full(n, np.nan),
        "decay": np.full(n, 2, np.int8),
        "lifecycle": np.zeros(n, np.int8),
        "importance": np.full(n, np.nan),
        "disputed": np.zeros(n, np.bool_),
    }
    usual |= {
        name: np.zeros(n) for name in ("helped", "failed", "hours", "uses", "confirmations", "degree", "lent")
    }
    usual |= {name: np.array(values, usual[name].dtype) for name, values in columns.items()}
    known = Metadata(**{one.name: usual.pop(one.name) for one in fields(Metadata)})
    evidence = FrameEvidence(known=known, **{name: usual.pop(name) for name in ("said", "decay", "hours")})
    return Candidates(seq=np.arange(1, n + 1), evidence=evidence, **usual)


def test_the_parts_of_the_unknown_are_neutral() -> None:
    """Nobody said, used or linked anything: confidence a half, fresh, no centrality and no reinforcement."""
    parts = parts_of(candidates(2))

    assert {
        "similarity": [0, 0],
        "confidence": [0.5, 0.5],
        "recency": [1, 1],
        "centrality": [0, 0],
        "reinforcement": [0, 0],
    } == {name: values.tolist() for name, values in parts.items()}
    assert {name: [] for name in PARTS} == {
        name: values.tolist() for name, values in parts_of(candidates(0)).items()
    }


def test_the_parts_come_from_their_columns() -> None:
    """Each part follows the formula of its own columns; the greatest degree and count are 1."""
    parts = parts_of(
        candidates(
            2,
            similarity=[0.8, 0.2],
            said=[0.9, np.nan],
            failed=[5_000, 0],
            decay=[1, 2],
            hours=[300, 10],
            uses=[9, 1],
            degree=[1.15, 3.25],
        )
    )

    assert [0.8, 1.8 / 7, 0.741, 0.354, 1.0] == pytest.approx([parts[name][0] for name in PARTS], abs=1e-3)
    assert [0.2, 0.5, 0.905, 1.0, 0.301] == pytest.approx([parts[name][1] for name in PARTS], abs=1e-3)


def test_room_goes_to_the_guaranteed_then_the_exact_then_the_best() -> None:
    """Among each the better score, and of equals the newer, comes first."""
    found = candidates(6, guaranteed=[0, 1, 0, 0, 1, 0], exact=[0, 0, 1, 0, 0, 0])

    assert [4, 1, 2, 3, 5, 0] == sort_for_room(found, np.array([0.1, 0.2, 0.0, 0.9, 0.3, 0.1])).tolist()


def test_filling_passes_over_what_does_not_fit() -> None:
    """The limit binds all but the sure, the budget everyone; what is passed over is counted by reason."""
    room = Filling(tokens=100, limit=2)
    given_room = [(60, False), (60, False), (10, False), (10, False), (31, True), (30, True), (1, False)]
    reasons = []
    for tokens, sure in given_room:
        reasons.append(room.reason(tokens, sure=sure))
        if not reasons[-1]:
            room.keep(tokens)
        else:
            room.pass_over(reasons[-1])

    assert ["", "budget", "", "limit", "budget", "", "limit"] == reasons
    assert {"budget": 2, "limit": 2} == room.counts
    assert (0, 3) == (room.tokens, room.kept)


@given(
    template=st.tuples(st.text(max_size=20), st.text(max_size=20)).map(MEMORIES.join),
    lines=st.lists(st.text(min_size=1, max_size=30), max_size=20),
    budget=st.integers(1, 60),
)
def test_what_gets_room_is_within_the_budget(template: str, lines: list[str], budget: int) -> None:
    """Template and lines together cost no more than the budget."""
    (beside,) = token_counts([template.replace(MEMORIES, "")])
    try:
        room = Filling(room_beside(beside, budget), limit=100)
    except InvalidInput:
        assert beside >= budget
        return
    kept = []
    for line, tokens in zip(lines, token_counts(lines), strict=True):
        if not room.reason(tokens):
            room.keep(tokens)
            kept.append(line)

    assert token_counts([laid_out(template, kept)])[0] <= budget


def test_lines_stand_where_the_template_says_and_are_not_read() -> None:
    """A stored text that looks like the place for memories stays text; nothing to say is said with nothing."""
    assert f"<{MEMORIES}\nb>" == laid_out(f"<{MEMORIES}>", [MEMORIES, "b"])
    assert "" == laid_out(f"<{MEMORIES}>", [])


@given(
    order=st.permutations(range(6)),
    strengths=st.permutations(range(6)),
    pairs=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8),
)
def test_a_weaker_never_stands_above_its_stronger(
    order: list[int], strengths: list[int], pairs: set[tuple[int, int]]
) -> None:
    """Whatever contradicts what, all stay, the weaker below; without contradictions the order is kept."""
    above: dict[int, set[int]] = {}
    for one, other in pairs:
        if one != other:
            weak, strong = sorted((one, other), key=lambda member: strengths[member])
            above.setdefault(weak, set()).add(strong)
    done = stronger_first(order, above)

    assert sorted(order) == sorted(done)
    assert all(done.index(strong) < done.index(weak) for weak, over in above.items() for strong in over)
    assert order == stronger_first(order, {})
    assert done == stronger_first(done, above)


def test_what_goes_round_in_a_circle_stands_all_the_same() -> None:
    """Nothing is lost where each has a stronger one."""
    assert [1, 2, 3] == sorted(stronger_first([1, 2, 3], {1: {2}, 2: {3}, 3: {1}}))


def test_what_is_stronger_is_raised_and_holds_nobody_back() -> None:
    """It stands right above the weaker one, however far below that it was, the one above it first."""
    assert [1, 5, 4, 2, 3] == stronger_first([1, 2, 3, 4, 5], {2: {4}, 4: {5}})


def test_of_two_that_contradict_each_other_trust_tells_first() -> None:
    """Then, of one speaker, what was said later; then the surer, the less faded, the newer."""
    weak = Strength(seq=2, trust=0, speaker="Ben", said_at=9, confidence=0.9, recency=1.0)
    strong = Strength(seq=1, trust=3, speaker="Ana", said_at=1, confidence=0.1, recency=0.1)
    later = Strength(seq=3, trust=3, speaker="Ana", said_at=2, confidence=0.0, recency=0.0)
    sure = Strength(seq=4, trust=3, speaker="Eva", said_at=0, confidence=0.5, recency=0.0)
    known = {one.seq: one for one in (weak, strong, later, sure)}

    assert {2: {1}} == stronger_than([(1, 2, True)], known)
    assert {1: {3}} == stronger_than([(1, 3, True)], known)
    assert {1: {4}} == stronger_than([(1, 4, True)], known)
    assert {} == stronger_than([(1, 7, True)], known)


def test_of_an_uncertain_contradiction_only_trust_tells() -> None:
    """Else neither stands above the other: a guess moves nothing."""
    tool = Strength(seq=2, trust=0, speaker="Ben", said_at=9, confidence=0.9, recency=1.0)
    ana = Strength(seq=1, trust=3, speaker="Ana", said_at=1, confidence=0.1, recency=0.1)
    eva = Strength(seq=4, trust=3, speaker="Eva", said_at=0, confidence=0.5, recency=0.0)
    known = {one.seq: one for one in (tool, ana, eva)}

    assert {2: {1}} == stronger_than([(1, 2, False)], known)
    assert {} == stronger_than([(1, 4, False)], known)


def test_the_built_in_frames_are_elfmems() -> None:
    """Weights, filters, guarantees and budgets as in the seed; nothing is filtered by age."""
    assert dict(PRESETS) == {name: frame.weights for name, frame in BUILTIN.items()}
    assert {
        "self": (("self/*",), ("self/constitutional",), 600),
        "attention": ((), (), 2_000),
        "task": ((), ("self/goal",), 800),
        "simulate": ((), ("self/constitutional", "mind/*"), 2_000),
    } == {name: (frame.tags, frame.guarantees, frame.budget) for name, frame in BUILTIN.items()}
    assert {None} == {frame.window_hours for frame in BUILTIN.values()}


def test_a_definition_survives_its_row() -> None:
    """What is kept as JSON gives the same frame; what is not given is as in the base, or in attention."""
    for frame in BUILTIN.values():
        assert frame == build_frame(frame.name, frame.row)
    mine = build_frame("mine", {"budget": 7, "tags": "self/goal"}, BUILTIN["self"])
    assert (7, ("self/goal",), BUILTIN["self"].weights, "mine") == (
        mine.budget,
        mine.tags,
        mine.weights,
        mine.name,
    )
    assert (PRESETS["attention"], MEMORIES) == ((fresh := build_frame("new", {})).weights, fresh.template)
    with pytest.raises(NameUnknown):
        build_frame("mine", {"budgte": 7})
