"""The fusion of the arms, its boosts, and the cut to a budget."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.recall import fuse
from remanence.recall.corpus import Bools, Floats
from remanence.recall.fit import fit
from remanence.recall.fuse import (
    LEAD_SHARE,
    NAMED_FACTOR,
    CandidateRows,
    Contextual,
    Query,
    RankResult,
    rank,
    rank_by_steps,
)
from remanence.recall.ground import SESSION_SHARE, WORTH_SHARE, WORTH_SHARE_ASSISTANTS, _percentile, ground_of
from remanence.recall.semantic import Cosines
from remanence.text.analysis import stems
from tests.unit.arrays import Said, corpus_of, terms_of

NAMES = ("Ingrid", "Olav")


def ask(
    said: Sequence[Said],
    query: str,
    *,
    asker: int | None = None,
    allowed: Bools | None = None,
    vectors: Sequence[Sequence[float]] | None = None,
    toward: Sequence[float] = (),
    limit: int = 10,
    contextual: Contextual | None = None,
) -> RankResult:
    """Rank memories against a question, `toward` being its vector."""
    ground = ground_of(corpus_of(said), NAMES)
    return rank(
        ground,
        terms_of(said, stems(query), NAMES),
        None if vectors is None else compare(vectors, toward),
        Query(query, tuple(dict.fromkeys(stems(query))), asker=asker),
        CandidateRows(ground.corpus.live if allowed is None else allowed),
        limit,
        contextual,
    )


def compare(vectors: Sequence[Sequence[float]], toward: Sequence[float]) -> Floats:
    """Return cosines with a question's vector of vectors of length 1."""
    cosines: Floats = (np.array(vectors) @ np.array(toward) / np.linalg.norm(toward)).astype(np.float32)
    return cosines


def apart(*texts: str) -> list[Said]:
    """Put each text into a session of its own."""
    return [Said(text, session=-1) for text in texts]


def test_the_best_match_comes_first() -> None:
    """More of the question's rare words rank higher; what matches nothing is not returned."""
    assert ask(apart("boat", "boat rope", "tide"), "boat and rope").rows.tolist() == [1, 0]


def test_only_live_and_allowed_memories_are_returned() -> None:
    """What a filter leaves out is not in the running, nor, without one, what no longer stands."""
    said = [Said("boat", session=-1, live=False), *apart("boat", "boat")]
    inside = ask(said, "boat", allowed=np.array([True, False, True]))
    living = ask(said, "boat")

    assert ([0, 2], 2) == (sorted(inside.rows.tolist()), inside.candidates)
    assert ([1, 2], 2) == (sorted(living.rows.tolist()), living.candidates)


def test_arms_are_scaled_inside_the_filter_and_summed() -> None:
    """The best of both arms has 2 before what is added; an arm counts from its worst candidate to its best."""
    said = apart("boat", "rope", "boat")
    vectors = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)]
    found = ask(said, "boat", vectors=vectors, toward=(1.0, 0.0))

    assert [0, 2] == found.rows.tolist()
    assert [part["lexical"] + part["semantic"] for part in found.parts] == pytest.approx([2.0, 1.6], abs=1e-3)
    assert found.parts[1]["semantic"] == pytest.approx(0.6, abs=1e-3)


def meant(*vectors: Sequence[float], held: Sequence[bool], floor: float | None = None) -> Contextual:
    """Give rows vectors of a model, by which the question's is (1, 0)."""
    return Contextual(compare(vectors, (1, 0)), np.array(held, np.bool_), floor)


def test_a_model_and_the_static_vectors_count_the_same() -> None:
    """0.7 each at their best; what the model has no vector of has its static arm twice."""
    said = apart("boat", "rope", "sail")
    static = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)]
    model = meant((0.0, 1.0), (1.0, 0.0), (0.0, 0.0), held=(True, True, False))
    found = ask(said, "boat", vectors=static, toward=(1.0, 0.0), contextual=model)

    for part, by_row in (
        ("lexical", {0: 1.0}),
        ("semantic", {0: 0.7, 1: 0.0, 2: 0.42}),
        ("contextual", {0: 0.0, 1: 0.7, 2: 0.42}),
    ):
        assert by_row == pytest.approx(
            {row: value for row, value in parts_by_row(found, part).items() if row in by_row}, abs=1e-3
        )

    assert found.by_model
    assert not ask(said, "boat", vectors=static, toward=(1.0, 0.0)).by_model


def test_what_words_and_static_vectors_hardly_know_counts_less_beside_a_model() -> None:
    """By how far their own strength is below the floor; above it, or where nobody knows one, in full."""
    said = apart("boat", "rope")
    static, toward = [(0.2, 0.98), (0.1, 0.995)], (1.0, 0.0)
    weights = []
    for query, floor in (("zither", 0.4), ("zither", None), ("boat", 0.4)):
        model = meant((0.0, 1.0), (1.0, 0.0), held=(True, True), floor=floor)
        found = ask(said, query, vectors=static, toward=toward, contextual=model)
        weights.append(parts_by_row(found, "semantic").get(0, 0.0))

    assert [0.7 * 0.1 / 0.4, 0.7, 0.7] == pytest.approx(weights, abs=1e-2)


def test_the_score_is_its_parts() -> None:
    """(lexical + semantic + lead + session) × named × worth gives the score of every hit."""
    said = [Said(f"Ingrid keeps a boat{'?' * k}", session=k // 2, speaker=k % 2, value=k) for k in range(4)]
    vectors = np.eye(4, 2) + 0.1
    found = ask(said, "Ingrid's boat", vectors=vectors.tolist(), toward=(1.0, 0.0))
    sums = [sum(part[name] for name in ("lexical", "semantic", "lead", "session")) for part in found.parts]
    products = [total * part["named"] * part["worth"] for total, part in zip(sums, found.parts, strict=True)]

    assert found.scores.tolist() == pytest.approx(products, rel=1e-5)


def parts_by_row(found: RankResult, name: str) -> dict[int, float]:
    """Return one part of each hit by its row."""
    return {int(row): round(part[name], 4) for row, part in zip(found.rows, found.parts, strict=True)}


def test_an_answer_gets_of_its_question_what_this_matches_better() -> None:
    """The lead is a share of the difference, never less than nothing, and only after a question mark."""
    asking = [Said("Which boat leaks?"), Said("the green one"), *apart("tea", "gulls", "fog")]
    telling = [Said("Which boat leaks."), Said("the green one"), *apart("tea", "gulls", "fog")]
    found = ask(asking, "which boat leaks")
    lead, evidence = parts_by_row(found, "lead"), parts_by_row(found, "lexical")

    assert {0: 0.0, 1: pytest.approx(LEAD_SHARE * (evidence[0] - evidence[1]), abs=1e-3)} == lead
    assert {0: 0.0, 1: 0.0} == parts_by_row(ask(telling, "which boat leaks"), "lead")
    assert 0.0 == max(parts_by_row(ask(asking, "green one"), "lead").values())


def test_an_answer_stands_in_the_segment_of_its_question() -> None:
    """What comes next in the same session is an answer, though another one interleaves; its turns are none."""
    said = [
        Said("Which boat leaks?", session=0),
        Said("the green one", session=1),
        Said("the red one", session=0),
    ]
    lead = parts_by_row(ask([*said, *apart("tea", "fog")], "which boat leaks"), "lead")

    assert (True, False) == (lead[2] > 0, 1 in lead)


def test_a_chat_lifts_what_stands_beside_the_best() -> None:
    """What matches at all gets a share of the best evidence in its segment, where assistants do not say most words."""
    said = [
        Said("boat and rope", session=0),
        *[Said("tea", session=0)] * 9,
        Said("boat", session=0),
        Said("boat", session=1),
    ]
    machines = [Said(one.text, session=one.session, assistant=True) for one in said]
    evidence = parts_by_row(ask(said, "boat and rope", limit=20), "lexical")
    session = parts_by_row(ask(said, "boat and rope", limit=20), "session")

    assert session[10] == pytest.approx(SESSION_SHARE * evidence[0], abs=1e-3)
    assert session[11] == pytest.approx(SESSION_SHARE * evidence[11], abs=1e-3)
    assert 5 not in session
    assert {0.0} == set(parts_by_row(ask(machines, "boat and rope", limit=20), "session").values())


def test_what_is_outside_the_filter_lifts_nothing() -> None:
    """Neither the question nor the best of the segment counts where they may not be returned."""
    said = [Said("Which boat leaks?"), Said("a boat"), *apart("tea", "fog")]
    found = ask(said, "which boat leaks", allowed=np.array([False, True, True, True]))

    assert [1] == found.rows.tolist()
    assert 0.0 == found.parts[0]["lead"]
    assert found.parts[0]["session"] == pytest.approx(SESSION_SHARE * found.parts[0]["lexical"])


def test_what_the_named_person_said_is_boosted_not_filtered() -> None:
    """A question that names one person prefers their words and still returns others'."""
    said = [Said("a boat", session=-1, speaker=0), Said("a boat", session=-1, speaker=1)]
    found = ask(said, "What does Olav say of boats?")

    assert found.rows.tolist() == [1, 0]
    assert [NAMED_FACTOR, 1.0] == [part["named"] for part in found.parts]


def test_naming_two_people_boosts_nobody() -> None:
    """Where both are named, neither is preferred."""
    said = [Said("a boat", session=-1, speaker=k) for k in (0, 1)]
    found = ask(said, "Do Ingrid and Olav have a boat?")

    assert 1.0 == found.parts[0]["named"]


def test_i_and_my_mean_the_asker() -> None:
    """A question in the first person that names nobody prefers what the asker said."""
    said = [Said("a boat", session=-1, speaker=k) for k in (0, 1)]

    assert ask(said, "Where is my boat?", asker=0).rows.tolist() == [0, 1]
    assert ask(said, "Where is my boat?", asker=1).rows.tolist() == [1, 0]


def test_without_an_asker_i_means_whoever_is_no_assistant() -> None:
    """In a log with an assistant, "my" is about the person."""
    said = [Said("a boat", session=-1), Said("a boat", session=-1, assistant=True)]

    assert ask(said, "Where is my boat?").rows.tolist() == [0, 1]


def test_worth_raises_a_score_and_less_so_among_assistants() -> None:
    """Of equal matches the worthier comes first; mostly assistants' words, worth counts a quarter of that."""
    people = [Said("a boat", session=-1, value=value) for value in (0.0, 9.0)]
    machines = [Said("a boat", session=-1, value=value, assistant=True) for value in (0.0, 9.0)]
    raised = [ask(said, "boat").parts[0]["worth"] for said in (people, machines)]

    assert [1 + WORTH_SHARE, 1 + WORTH_SHARE_ASSISTANTS] == pytest.approx(raised)


def test_strength_tells_a_match_from_a_miss() -> None:
    """A question that is answered has a higher strength than one that shares a single word; none has 0."""
    said = apart("the ferry to Skagen leaves at noon", "tea is fine", "gulls shout")
    strong, weak, none = (
        ask(said, text).strength
        for text in ("When leaves the ferry to Skagen", "tea with gulls and bread and jam", "xyzzy")
    )

    assert 1 > strong > weak > none == 0


def test_strength_is_the_mean_of_words_held_and_cosine() -> None:
    """The share of the question's words that are held, by how rare they are, and the cosine where there are vectors."""
    said = apart("boat", "rope")
    words = ask(said, "boat")
    both = ask(said, "boat", vectors=[[0.6, 0.8], [0.0, 1.0]], toward=[1.0, 0.0])
    half = ask(said, "boat and tide", vectors=[[0.6, 0.8], [0.0, 1.0]], toward=[1.0, 0.0])

    assert (1.0, 1.0) == pytest.approx((words.parts[0]["held"], words.strength))
    assert (0.6, 0.8) == pytest.approx((both.parts[0]["cosine"], both.strength))
    assert 0.3 < half.parts[0]["held"] < 0.7


def test_a_long_memory_holds_what_a_short_one_holds() -> None:
    """How long a memory is lowers its score and says nothing of how well it answers."""
    said = apart("a boat leaks", "a boat leaks " + "while gulls shout at the pier all day " * 9, *["fog"] * 9)
    found = ask(said, "Which boat leaks?")

    assert [0, 1] == found.rows.tolist()
    assert [1.0, 1.0] == pytest.approx([part["held"] for part in found.parts])


def test_strength_is_that_of_the_best_however_few_are_returned() -> None:
    """The limit cuts what is returned, not what is known of how well the question is answered."""
    said = [
        Said("a boat", session=-1, speaker=1, value=9.0),
        Said("the boat leaks at the red pier", session=-1, speaker=0),
    ]
    one, both = (ask(said, "Does Olav's boat at the red pier leak?", limit=limit) for limit in (1, 10))

    assert ([0], [0, 1]) == (one.rows.tolist(), both.rows.tolist())
    assert both.parts[0]["held"] < both.parts[1]["held"] == one.strength == both.strength


def test_of_equal_scores_the_newer_comes_first() -> None:
    """Ties are broken by order of arrival, so that a ranking is repeatable."""
    assert ask(apart("boat", "boat", "boat"), "boat", limit=2).rows.tolist() == [2, 1]


@given(st.lists(st.sampled_from(("boat", "rope", "boat rope", "tide")), max_size=12), st.integers(1, 5))
def test_a_smaller_limit_is_the_head_of_a_larger_one(texts: list[str], limit: int) -> None:
    """The limit cuts the ranking and changes nothing in it."""
    said = apart(*texts)

    assert ask(said, "boat rope", limit=limit).rows.tolist() == ask(said, "boat rope").rows.tolist()[:limit]


def test_what_does_not_fit_is_skipped_with_a_reason() -> None:
    """An oversized memory does not block those behind it, and says why it is missing."""
    kept, dropped = fit([50, 200, 40, 30], limit=10, budget=100)

    assert [0, 2] == kept
    assert [1, 3] == [place for place, _ in dropped]
    assert "whole budget" in dropped[0][1]
    assert "10 left" in dropped[1][1]


@given(st.lists(st.integers(0, 50)), st.integers(1, 10), st.none() | st.integers(1, 100))
def test_a_fit_keeps_limit_and_budget_and_loses_nobody(
    sizes: list[int], limit: int, budget: int | None
) -> None:
    """Never more than the limit or the budget; what ranks above the last kept one is kept or has a reason."""
    kept, dropped = fit(sizes, limit, budget)

    assert len(kept) <= limit
    assert budget is None or sum(sizes[place] for place in kept) <= budget
    assert sorted([*kept, *(place for place, _ in dropped)]) == list(range(len(kept) + len(dropped)))


@given(st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=40), st.floats(0, 100))
def test_a_percentile_is_what_numpy_says(values: list[float], percent: float) -> None:
    """Between two values it lies where their share says, to the last digits."""
    given_ = np.array(values, np.float32)

    assert _percentile(given_, percent) == pytest.approx(float(np.percentile(given_, percent)), rel=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_who_is_passed_over_would_not_have_been_returned(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What segments lend is worked out for few; the answer is the one that follows from working it out for all."""
    choice = random.Random(seed)
    said = [
        Said(
            " ".join(
                choice.choices(("boat", "rope", "sail", "tide", "gull", "is it?"), k=choice.randint(1, 5))
            ),
            session=choice.randrange(-1, 200) if seed % 2 else row // choice.randint(1, 9),
            speaker=choice.randrange(2),
            value=choice.random() ** 4,
            live=choice.random() < 0.9,
        )
        for row in range(700)
    ]
    numbers = np.random.default_rng(seed)
    vectors = numbers.standard_normal((700, 4)).tolist() if seed % 3 else None
    toward = numbers.standard_normal(4).tolist() if seed % 3 else ()
    asked = choice.choice(("boat", "rope and tide", "Did Olav sail?", "I saw a gull", "nothing"))
    few = ask(said, asked, vectors=vectors, toward=toward, limit=5)
    monkeypatch.setattr(fuse, "_contenders", lambda _ground, evidence, *_: np.flatnonzero(evidence > 0))
    every = ask(said, asked, vectors=vectors, toward=toward, limit=5)

    assert (every.rows.tolist(), every.scores.tolist()) == (few.rows.tolist(), few.scores.tolist())
    assert (list(every.parts), every.strength) == (list(few.parts), few.strength)


@given(st.integers(0, 2**32), st.floats(0.0001, 0.1), st.sampled_from((1, 3, 10)))
def test_rough_cosines_rank_as_true_ones(seed: int, slack: float, limit: int) -> None:
    """Whatever they are within their slack, each score and each part of the best is what true ones make it."""
    generator = np.random.default_rng(seed)
    words = "boat rope sail tea keel A-4711 lisbon".split()
    said = [
        Said(
            " ".join(generator.choice(words, generator.integers(1, 6))) + generator.choice(["?", "."]),
            session=int(generator.integers(-1, 40)),
            speaker=int(generator.integers(2)),
            value=float(generator.random()),
            live=bool(generator.random() < 0.9),
        )
        for _ in range(200)
    ]
    ground = ground_of(corpus_of(said), NAMES)
    asked = " ".join(generator.choice(words, 2)) + generator.choice(["", " Ingrid", "?"])
    query = Query(asked, tuple(dict.fromkeys(stems(asked))), vector=np.ones(1, np.float32))
    terms, among = terms_of(said, query.stems, NAMES), CandidateRows(ground.corpus.live)
    true = (generator.random(len(said)) * generator.choice([0.1, 1.0])).astype(np.float32)
    rough = true + generator.uniform(-0.99 * slack, 0.99 * slack, len(said)).astype(np.float32)
    expected = rank(ground, terms, true, query, among, limit)
    steps = rank_by_steps(ground, terms, Cosines(rough, slack), query, among, limit)
    step = next(steps)
    with pytest.raises(StopIteration) as end:
        while True:
            step = steps.send(true[step.rows])
    found = end.value.value

    assert expected.rows.tolist() == found.rows.tolist()
    assert expected.scores.tolist() == found.scores.tolist()
    assert [dict(one) for one in expected.parts] == [dict(one) for one in found.parts]
    assert expected.strength == found.strength
