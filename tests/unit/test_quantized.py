"""Vectors as whole numbers of 16 bits: what they are read as, and how they are compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from remanence.recall.quantized import Halves, QuantizedVectors

HALVES = arrays(
    np.float16, st.tuples(st.integers(0, 5), st.integers(1, 9)), elements=st.floats(-60_000, 60_000, width=16)
)


@given(HALVES)
def test_numbers_down_to_an_eighth_of_the_largest_are_what_was_stored(vectors: Halves) -> None:
    """Smaller ones differ by half a step at most, which is 2 ** -15 of the power of two above the largest."""
    found, stored = QuantizedVectors.quantize(vectors)[:], vectors.astype(np.float32)
    most = np.abs(stored).max(axis=1, initial=0)[:, None]
    exact = np.abs(stored) >= most / 8

    assert found[exact].tolist() == stored[exact].tolist()
    assert (np.abs(found - stored) <= most / 2**15).all()


@pytest.mark.parametrize("rows", [0, 1, 31, 32, 33, 600])
@pytest.mark.parametrize("dimensions", [1, 3, 256, 9_000])
def test_every_row_is_multiplied_whatever_their_number(rows: int, dimensions: int) -> None:
    """Vectors are converted in parts; none is left out at the end, and some alone give what they give among all."""
    random = np.random.default_rng(rows)
    vectors = random.standard_normal((rows, dimensions)).astype(np.float16)
    query = random.standard_normal(dimensions).astype(np.float32)
    quantized, some = QuantizedVectors.quantize(vectors), np.arange(rows)[::-3]
    found = quantized.multiply(query)

    np.testing.assert_allclose(found, vectors.astype(np.float64) @ query, rtol=1e-3, atol=1e-2)
    assert found[some].tolist() == quantized.multiply(query, some).tolist()


def test_vectors_are_taken_over_in_place_as_they_are_beside_them() -> None:
    """Where they lie or into fresh memory: the same whole numbers."""
    vectors = np.random.default_rng(4).standard_normal((700, 300)).astype(np.float16)
    beside = QuantizedVectors.quantize(vectors)
    in_place = QuantizedVectors.quantize(vectors, in_place=True)

    assert beside[:].tolist() == in_place[:].tolist()
    assert np.shares_memory(in_place.numbers, vectors)
    assert not np.shares_memory(beside.numbers, vectors)


def test_a_damaged_vector_is_none() -> None:
    """What is no number, or endless, makes a row of zeros, without a warning; its neighbours stay."""
    vectors = np.array([[1, 2], [np.nan, 1], [1, -np.inf]], np.float16)

    assert [[1, 2], [0, 0], [0, 0]] == QuantizedVectors.quantize(vectors)[:].tolist()


def test_rows_come_and_go() -> None:
    """Put, cleared, given more room, and chosen: each row keeps its own vector."""
    vectors = QuantizedVectors.make_empty(2, 2)
    vectors.put(np.array([1]), np.array([[0.5, -0.25]], np.float16))
    wider = vectors.resize(3)
    wider.put(np.array([2, 0]), np.array([[4, 0], [0, 2]], np.float16))
    chosen = wider.select(np.array([2, 1]))
    wider.clear(slice(1, 2))

    assert [[0, 0], [0.5, -0.25]] == vectors[:].tolist()
    assert [[0, 2], [0, 0], [4, 0]] == wider[:].tolist()
    assert [[4, 0], [0.5, -0.25]] == chosen[:].tolist()
    assert (3, (3, 2)) == (len(wider), wider.shape)
