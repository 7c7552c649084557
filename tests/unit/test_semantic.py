"""Vectors blended with their neighbours', and the embedders that need no model server."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.llm.base import Embedder
from remanence.llm.local import StaticEmbedder
from remanence.llm.offline import HashedEmbedder, NoEmbedder
from remanence.recall.corpus import NEIGHBOUR_WEIGHTS, Bools, Floats, Windows, windows_of
from remanence.recall.quantized import Halves, QuantizedVectors
from remanence.recall.semantic import (
    ArrivalWeights,
    MeasuredWindows,
    compare_windows,
    measure_windows,
    touched_rows,
    word_weight,
)
from remanence.text.analysis import stems, term_hash
from tests.unit.arrays import Said, corpus_of

SESSIONS = st.lists(st.integers(-1, 2), min_size=1, max_size=16)
EMBEDDERS = [HashedEmbedder(), StaticEmbedder()]


DIMENSIONS = 8
QUESTION = np.arange(1, 1 + DIMENSIONS).astype(np.float32)


def vectors_of(rows: int) -> Halves:
    """Make repeatable unit vectors."""
    found = np.random.default_rng(rows).standard_normal((rows, DIMENSIONS))
    units: Halves = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)
    return units


def compare(windows: Windows, vectors: Halves, among: Bools | None = None) -> Floats:
    """Compare windows with the question."""
    bare = QuantizedVectors.quantize(vectors)
    return compare_windows(windows, bare, measure_windows(windows, bare), QUESTION, among)


def said_in(sessions: list[int]) -> list[Said]:
    """Make one short memory per session code."""
    return [Said("a small boat", session=session) for session in sessions]


@given(SESSIONS)
def test_a_window_is_compared_by_the_weighted_sum_of_its_session(sessions: list[int]) -> None:
    """Own + .3 / .2 / .1 / .1 × the neighbours on each side in the same session, at length 1."""
    vectors = vectors_of(len(sessions)).astype(np.float64)
    sums = vectors.copy()
    for row, session in enumerate(sessions):
        members = [k for k, other in enumerate(sessions) if other == session]
        for other in members:
            apart = abs(members.index(row) - members.index(other))
            if session >= 0 and 0 < apart <= len(NEIGHBOUR_WEIGHTS):
                sums[row] += NEIGHBOUR_WEIGHTS[apart - 1] * vectors[other]
    lengths = np.linalg.norm(sums, axis=1)
    windows = windows_of(corpus_of(said_in(sessions)))
    found = compare(windows, vectors.astype(np.float16))
    measured = measure_windows(windows, QuantizedVectors.quantize(vectors.astype(np.float16)))

    np.testing.assert_allclose(sums @ QUESTION / np.linalg.norm(QUESTION) / lengths, found, atol=1e-4)
    np.testing.assert_allclose(lengths, measured, rtol=1e-4)


@given(SESSIONS, st.data())
def test_changed_rows_reach_exactly_their_windows(sessions: list[int], data: st.DataObject) -> None:
    """After a vector changes, measuring the touched rows alone equals measuring all."""
    row = data.draw(st.integers(0, len(sessions) - 1))
    windows = windows_of(corpus_of(said_in(sessions)))
    bare = QuantizedVectors.quantize(vectors_of(len(sessions)))
    before = measure_windows(windows, bare)
    bare.put(np.array([row]), vectors_of(99)[:1])
    after = measure_windows(windows, bare)
    touched = touched_rows(windows, np.array([row], np.intp))
    before[touched] = measure_windows(windows, bare, touched)

    np.testing.assert_allclose(after, before, rtol=1e-6)
    assert {row} <= {*touched.tolist()}


@given(
    st.lists(st.sampled_from([1, 2, 3, 5, 90, 255, 256, 300]), min_size=1, max_size=6), st.integers(1, 120)
)
def test_many_windows_are_measured_as_single_ones_are(lengths: list[int], words: int) -> None:
    """Wherever a segment begins or ends, measuring all rows at once gives what measuring each gives."""
    segments = [number for number, length in enumerate(lengths) for _ in range(length)]
    windows = windows_of(corpus_of([Said("boat " * words, session=segment) for segment in segments]))
    vectors = vectors_of(len(segments))
    vectors[::7] = 0
    bare, rows = QuantizedVectors.quantize(vectors), np.arange(len(segments), dtype=np.intp)

    assert np.allclose(measure_windows(windows, bare, rows), measure_windows(windows, bare), atol=1e-5)


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=40), st.integers(1, 9))
def test_some_windows_have_the_cosines_that_they_have_among_all(sessions: list[int], step: int) -> None:
    """To the last bit, whichever are asked for: what their windows hold is read, whatever else is left out."""
    windows, vectors = windows_of(corpus_of(said_in(sessions))), vectors_of(len(sessions))
    among = np.arange(len(sessions)) % step == 0

    assert compare(windows, vectors)[among].tolist() == compare(windows, vectors, among)[among].tolist()


def test_a_memory_without_vector_borrows_or_is_like_nothing() -> None:
    """No vector and no neighbour is a cosine of 0, never a NaN; a neighbour's vector counts whole."""
    vectors = vectors_of(3)
    vectors[1:] = 0
    found = compare(windows_of(corpus_of(said_in([0, 0, -1]))), vectors)

    assert found[0] == pytest.approx(found[1])
    assert found[0] != 0
    assert found[2] == 0


def test_a_question_needs_no_length_and_nothing_is_like_nothing() -> None:
    """The cosine is that of the angle; a question of zeros gives zeros."""
    alone = corpus_of(said_in([-1] * 3))
    three = MeasuredWindows.measure(alone, QuantizedVectors.quantize(np.eye(3, dtype=np.float16)))

    assert three.compare(np.array([3, 0, 4], np.float32)).tolist() == pytest.approx([0.6, 0.0, 0.8])
    assert not three.compare(np.zeros(3, np.float32)).any()


def test_a_rare_word_weighs_more() -> None:
    """A word's weight is ln(1 + (N + 500 − df + ½) / (df + ½)): even one of all memories weighs something in a few."""
    weight = word_weight(100, {term_hash("boat"): 100, term_hash("rope"): 1})

    assert math.log1p(500.5 / 100.5) == pytest.approx(weight("boat"))
    assert weight("boat") < weight("rope") < weight("gull")


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda embedder: embedder.name)
class TestEmbedders:
    """What every embedder that comes with the package keeps to."""

    def test_rows_are_units_and_repeatable(self, embedder: Embedder) -> None:
        """Every text with anything in it has a vector of length 1, alone or in a batch."""
        texts = ["We row at noon", "Who are you?", "渡轮中午出发", "👍", "x" * 5_000, "It was -5 °C"]
        batch = embedder.embed(texts)

        assert (len(texts), embedder.dimensions) == batch.shape
        assert np.linalg.norm(batch, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
        assert np.allclose(batch[0], embedder.embed(texts[:1])[0], atol=1e-6)

    def test_like_texts_are_closer_than_unlike_ones(self, embedder: Embedder) -> None:
        """A shared subject brings texts together."""
        one, like, unlike = embedder.embed(
            ["my dog barked", "the dogs bark at night", "invoice for printer ink"]
        )

        assert one @ like > one @ unlike

    def test_a_heavier_word_pulls_the_vector(self, embedder: Embedder) -> None:
        """What a weight says of a stem decides how much its word counts."""
        dog = embedder.embed(["dog"])[0]
        light = embedder.embed(["dog boat"], {"dog": 0.2, "boat": 1.0}.__getitem__)[0]
        heavy = embedder.embed(["dog boat"], {"dog": 5.0, "boat": 1.0}.__getitem__)[0]

        assert dog @ light < dog @ heavy

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """An empty batch has the right shape."""
        assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_static_vectors_know_related_words() -> None:
    """Words without a letter in common are close where they mean alike."""
    one, like, unlike = StaticEmbedder().embed(["puppy", "dog", "invoice"])

    assert one @ like > 0.4 > one @ unlike


def test_no_embedder_makes_no_vectors() -> None:
    """It says 0 dimensions and gives rows of none."""
    assert NoEmbedder().embed(["a", "b"]).shape == (2, NoEmbedder.dimensions)


@given(
    st.lists(
        st.lists(st.sampled_from(["boat", "rope", "sail", "tide", "gull"]), max_size=4),
        min_size=1,
        max_size=9,
    )
)
def test_words_that_arrive_together_weigh_what_they_do_one_by_one(texts: list[list[str]]) -> None:
    """Each text counts those before it and itself, in one pass for all or for each."""
    df = {term_hash("boat"): 3, term_hash("rope"): 1}
    terms = [frozenset(map(term_hash, text)) for text in texts]
    counted = []
    expected = []
    for number, text in enumerate(texts):
        for term in terms[number]:
            df[term] = df.get(term, 0) + 1
        counted.append({term: df[term] for term in terms[number]})
        expected += [word_weight(3 + number, df)(stem) for stem in text]
    places = np.array([number for number, text in enumerate(texts) for _ in text], np.int64)
    stems = [stem for text in texts for stem in text]
    together = ArrivalWeights(3, counted)

    np.testing.assert_allclose(together(stems, places), np.array(expected), rtol=1e-6)
    assert expected == [
        together.build_stem_weight(number)(stem) for stem, number in zip(stems, places, strict=True)
    ]
    assert math.log1p(503.5 / 0.5) == pytest.approx(float(together(["unheard"], np.array([0]))[0]))


def test_few_words_and_many_weigh_the_same_to_the_last_bit() -> None:
    """A text that comes alone is weighed word by word, many by arrays."""
    words = [f"word{n}" for n in range(500)]
    weights = ArrivalWeights(300, [{term_hash(word): n for n, word in enumerate(words)}])
    places = np.zeros(len(words), np.int64)
    by_ones = np.concatenate([weights([word], places[:1]) for word in words])

    np.testing.assert_array_equal(by_ones, weights(words, places))


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_texts_embedded_together_have_the_vectors_they_have_alone(count: int) -> None:
    """To the last bit: words, marks alone, stop words alone, however many there are."""
    made = (
        "the boat number{n} and a rope",
        "?!",
        "who are you?",
        "sail " * 200,
        "船と海{n}",
        "Don't stop-{n}!",
    )
    texts = [made[n % len(made)].format(n=n) for n in range(count)]
    weights = ArrivalWeights(5, [{term_hash(stem): 1 + len(stem) for stem in stems(text)} for text in texts])
    embedder = StaticEmbedder()
    together = embedder.embed_together(texts, weights)
    alone = [
        embedder.embed([text], weights.build_stem_weight(number))[0] for number, text in enumerate(texts)
    ]

    np.testing.assert_array_equal(np.array(alone), together)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, rtol=1e-5)
