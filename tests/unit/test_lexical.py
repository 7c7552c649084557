"""BM25 over windows of neighbours."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import to_micros
from remanence.recall import lexical
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, spread, windows_of
from remanence.recall.lexical import (
    K1,
    LONG_FROM_STEMS,
    NAME_IDF_MAX,
    UNHELD_MAX,
    WINDOWS_PRIOR,
    B,
    Lexical,
    damping_of,
    lexical_scores,
    name_index,
    term_of,
    word_weights,
    worth_asking,
)
from remanence.text.analysis import stems
from tests.unit.arrays import Said, corpus_of, terms_of

WORDS = ("boat", "rope", "sail", "tide", "gull")


def score(said: list[Said], query: str, names: tuple[str, ...] = (), *, capped: bool = True) -> Lexical:
    """Score a corpus against a query."""
    windows = windows_of(corpus_of(said))
    return lexical_scores(
        windows,
        damping_of(windows),
        stems(query),
        terms_of(said, stems(query), names),
        names=name_index(names),
        names_capped=capped,
    )


def spelled_out(said: list[Said], query: str) -> list[float]:
    """Work the formula out row by row, without names and dates."""
    corpus = corpus_of(said)
    count = len(said)
    near = [[_lent(said, corpus.words, row, other) for other in range(count)] for row in range(count)]
    held = [set(stems(one.text)) for one in said]
    length = [
        corpus.words[row] + sum(near[row][o] * corpus.words[o] for o in range(count)) for row in range(count)
    ]
    mean = max(1.0, sum(length) / count)
    total = [0.0] * count
    for stem in dict.fromkeys(stems(query)):
        tf = [
            (stem in held[row]) + sum(near[row][o] for o in range(count) if stem in held[o])
            for row in range(count)
        ]
        df = sum(found > 0 for found in tf)
        idf = math.log(1 + (count + WINDOWS_PRIOR - df + 0.5) / (df + 0.5))
        for row, found in enumerate(tf):
            total[row] += idf * (K1 + 1) * found / (found + K1 * (1 - B + B * length[row] / mean))
    return total


def _lent(said: list[Said], sizes: np.ndarray, row: int, other: int) -> float:
    session = said[row].session
    if row == other or session < 0 or said[other].session != session:
        return 0.0
    members = [k for k, one in enumerate(said) if one.session == session]
    apart = abs(members.index(row) - members.index(other))
    if apart > len(NEIGHBOUR_WEIGHTS) or not sizes[other]:
        return 0.0
    return NEIGHBOUR_WEIGHTS[apart - 1] * min(1.0, 50 / float(sizes[other]))


@given(
    st.lists(
        st.builds(
            Said,
            text=st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
            | st.just("boat " + "and the gull " * 30),
            session=st.integers(-1, 2),
            speaker=st.just(-1),
        ),
        min_size=1,
        max_size=14,
    ),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
)
def test_the_vector_sums_are_the_formula(said: list[Said], query: str) -> None:
    """Scores equal the formula worked out row by row, sessions in one piece or interleaved."""
    assert spelled_out(said, query) == pytest.approx(score(said, query).scores.tolist(), abs=1e-4)


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=40), st.data())
def test_a_rare_word_lends_what_a_common_one_does(sessions: list[int], data: st.DataObject) -> None:
    """Going from the few that hold it to their neighbours gives the very sums that passing over all rows gives."""
    windows = windows_of(
        corpus_of([Said("boat " * (1 + row * 9), session=s) for row, s in enumerate(sessions)])
    )
    own = np.array(sorted(data.draw(st.sets(st.integers(0, len(sessions) - 1)))), np.intp)
    lent = np.zeros(len(sessions), np.float32)
    lent[own] = windows.lends[own]

    np.testing.assert_array_equal(spread(lent, windows.share), lexical._spread_from(windows, own))


def test_the_constants_are_those_of_the_recipe() -> None:
    """Changing one changes every ranking, so it is changed here too, with its reason."""
    assert ((0.3, 0.2, 0.1, 0.1), 1.2, 0.75, 0.7) == (NEIGHBOUR_WEIGHTS, K1, B, NAME_IDF_MAX)


def test_a_memory_is_found_by_the_words_of_its_neighbour() -> None:
    """An answer without the word of the question is found beside it, and only in its own session."""
    said = [Said("Which knot holds?"), Said("A bowline"), *[Said("Tea", session=1) for _ in range(6)]]
    found = score(said, "knot").scores

    assert found[0] > found[1] > 0
    assert not found[2:].any()


def test_a_tombstone_lends_no_words() -> None:
    """A row of 0 words gives its neighbours nothing."""
    said = [Said("knot"), Said("A bowline")]
    corpus = corpus_of(said)
    corpus.words[0] = 0
    windows = windows_of(corpus)
    damping = damping_of(windows)
    terms = {"knot": term_of(windows, damping, "knot", np.array([0]))}
    found = lexical_scores(windows, damping, ["knot"], terms, names={})

    assert found.scores[1] == 0


def test_the_speakers_name_is_a_word_of_what_they_said() -> None:
    """A name finds what its owner said; capped inside the conversation, in full outside."""
    said = [Said("We row", speaker=0), *[Said("We sail", session=k, speaker=1) for k in range(1, 9)]]
    inside = score(said, "Ingrid", ("Ingrid", "Olav"))
    outside = score(said, "Ingrid", ("Ingrid", "Olav"), capped=False)

    assert [0] == np.flatnonzero(inside.scores).tolist()
    assert inside.weights["ingrid"] == NAME_IDF_MAX < outside.weights["ingrid"]


@pytest.mark.parametrize("query", ["8 May 2023", "in May", "2023", "on the 8th"])
def test_date_words_find_what_was_said_then(query: str) -> None:
    """Day, month and year of the time it was said are words of a memory."""
    then, later = (to_micros(datetime(*day, 15, tzinfo=UTC)) for day in ((2023, 5, 8), (2024, 11, 30)))
    found = score([Said("We row", said_at=then), Said("We sail", session=1, said_at=later)], query).scores

    assert found[0] > 0 == found[1]


def test_the_best_possible_score_is_never_reached() -> None:
    """Every score stays below what infinitely many mentions of every word would give."""
    found = score([Said("boat boat rope"), Said("sail")], "boat rope sail")

    assert 0 < found.scores.max() < found.best_possible


def test_a_word_that_most_memories_hold_is_not_asked_for() -> None:
    """Where a scope is large, such a word orders nothing; alone, it is asked all the same, and so in a small one."""
    held = {"boat": 15_000, "rope": 3}

    assert ["rope", "unheard"] == worth_asking(["boat", "rope", "boat", "unheard"], held, 30_000)
    assert ["boat"] == worth_asking(["boat"], held, 30_000)
    assert ["boat", "rope"] == worth_asking(["boat", "rope"], held, 19_999)


def test_of_a_very_long_question_a_few_hundred_words_that_nobody_holds_are_enough() -> None:
    """What some memory holds is asked wherever it stands; up to a thousand words are asked for, whoever holds them."""
    many = [f"unheard{k}" for k in range(LONG_FROM_STEMS)]
    held = {"boat": 1, "rope": 2}

    assert ["boat", *many[:UNHELD_MAX], "rope"] == worth_asking(["boat", *many, "rope"], held, 5)
    assert many == worth_asking(many, held, 5)


def test_a_word_tells_apart_what_is_in_the_running() -> None:
    """It weighs the more, the fewer windows of those hold it; how many of all others do is no matter."""
    said = [
        Said("boat", session=0),
        Said("boat", session=1),
        Said("rope", session=2),
        Said("tide", session=3),
    ]
    windows, terms = windows_of(corpus_of(said)), terms_of(said, ("boat", "rope", "gull"), ())
    among = [word_weights(windows, terms, np.array(mask, np.bool_)) for mask in ([1, 1, 1, 0], [0, 0, 1, 1])]

    def idf(held: int, n: int) -> float:
        return math.log1p((n + WINDOWS_PRIOR - held + 0.5) / (held + 0.5))

    assert {"boat": idf(2, 3), "rope": idf(1, 3), "gull": idf(0, 3)} == among[0]
    assert {"boat": idf(0, 2), "rope": idf(1, 2), "gull": idf(0, 2)} == among[1]


def test_an_empty_scope_and_an_empty_query_have_no_scores() -> None:
    """Nothing in, nothing out."""
    assert score([], "boat").scores.size == 0
    assert not score([Said("boat")], "the of and").scores.any()
