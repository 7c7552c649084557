"""The most similar rows, found in tiles and blocks, are those that comparing pair by pair finds."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.recall import nearest as module
from remanence.recall.nearest import whole_tiles
from remanence.recall.quantized import Halves, QuantizedVectors


def _units(rows: int, dimensions: int, distinct: int) -> Halves:
    """Make repeatable unit vectors, of which many are the same."""
    random = np.random.default_rng(rows)
    found = random.standard_normal((distinct, dimensions))[random.integers(0, distinct, rows)]
    units: Halves = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)
    return units


def nearest(
    vectors: Halves, asked: npt.NDArray[np.intp], among: npt.NDArray[np.bool_], *, least: float, most: int
) -> list[module.Nearest]:
    """Find the nearest among vectors as an index holds them."""
    return module.nearest(QuantizedVectors.quantize(vectors), asked, among, least=least, most=most)


def _pair_by_pair(
    vectors: Halves, row: int, among: npt.NDArray[np.bool_], least: float, most: int
) -> list[int]:
    cosines = (vectors.astype(np.float32) @ vectors[row].astype(np.float32)).round(5)
    others = [int(k) for k in np.flatnonzero(among & (cosines >= least)) if k != row]
    return sorted(others, key=lambda k: (-cosines[k], k))[:most]


@given(
    rows=st.integers(1, 1_300),
    dimensions=st.sampled_from([3, 32, 300]),
    distinct=st.integers(1, 40),
    most=st.integers(1, 5),
    data=st.data(),
)
def test_tiles_find_what_comparing_pair_by_pair_finds(
    rows: int, dimensions: int, distinct: int, most: int, data: st.DataObject
) -> None:
    """Whatever the number of rows and dimensions: the best above the bound that stand, of equals the older."""
    vectors = _units(rows, dimensions, distinct)
    among = np.arange(rows) % data.draw(st.integers(1, 4)) == 0
    asked = np.array(data.draw(st.lists(st.integers(0, rows - 1), max_size=60, unique=True)), np.intp)
    found = nearest(vectors, asked, among, least=0.5, most=most)

    expected = [_pair_by_pair(vectors, row, among, 0.5, most) for row in asked]

    # Of vectors that are the same, products in different places of a tile may differ in the last bit.
    assert [sorted(vectors[rows].tolist()) for rows in expected] == [
        sorted(vectors[pair.rows].tolist()) for pair in found
    ]
    for row, pair in zip(asked, found, strict=True):
        exact = vectors[pair.rows].astype(np.float64) @ vectors[row].astype(np.float64)
        np.testing.assert_allclose(exact, pair.cosines, atol=1e-5)
        assert among[pair.rows].all()
        assert row not in pair.rows


@given(
    rows=st.integers(1, 700),
    distinct=st.integers(1, 40),
    most=st.integers(1, 9),
    step=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_a_block_in_which_nearly_all_are_alike_gives_the_same(
    rows: int, distinct: int, most: int, step: int, seed: int
) -> None:
    """Floors that are raised before pairs are sorted leave none out: neither of equals nor of those looked among."""
    vectors = _units(rows, 32, distinct)
    among = np.arange(rows) % step == 0
    asked = np.random.default_rng(seed).permutation(rows)[:60]
    with pytest.MonkeyPatch.context() as patch:
        plain = nearest(vectors, asked, among, least=-2, most=most)
        patch.setattr(module, "PAIRS_MAX", 0)
        raised = nearest(vectors, asked, among, least=-2, most=most)

    for expected, found in zip(plain, raised, strict=True):
        assert expected.rows.tolist() == found.rows.tolist()
        assert expected.cosines.tolist() == found.cosines.tolist()


@given(rows=st.integers(1, 700), asked=st.integers(0, 130), most=st.integers(1, 4), seed=st.integers(0, 9))
def test_parts_find_what_all_together_find(rows: int, asked: int, most: int, seed: int) -> None:
    """To the last bit, in whatever thread each part is."""
    vectors, among = _units(rows, 32, 40), np.ones(rows, np.bool_)
    wanted = np.random.default_rng(seed).permutation(rows)[:asked]
    parts = whole_tiles(wanted.tolist(), most)
    apart = [pair for part in parts for pair in nearest(vectors, np.array(part), among, least=0.2, most=8)]
    together = nearest(vectors, wanted, among, least=0.2, most=8)

    assert len(parts) <= most
    assert [(pair.rows.tolist(), pair.cosines.tolist()) for pair in together] == [
        (pair.rows.tolist(), pair.cosines.tolist()) for pair in apart
    ]


@pytest.mark.parametrize("waiting", [0, 1 << 16])
def test_of_equals_the_older_is_nearer(waiting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often pairs are sorted on the way; a cosine of exactly the bound is enough."""
    monkeypatch.setattr(module, "PAIRS_MAX", waiting)
    vectors = np.zeros((2_000, 8), np.float16)
    vectors[:, 0] = 1
    vectors[::2] = 0
    vectors[::2, :4] = 0.5  # half of the rows at a cosine of one half to the others
    asked = np.array([1, 1_999, 2], np.intp)
    found = nearest(vectors, asked, np.ones(2_000, np.bool_), least=0.5, most=3)

    assert [[3, 5, 7], [1, 3, 5], [0, 4, 6]] == [pair.rows.tolist() for pair in found]
    assert [[1.0] * 3] * 3 == [pair.cosines.tolist() for pair in found]
    assert [999, 1_999] == [
        len(nearest(vectors, asked[:1], np.ones(2_000, np.bool_), least=least, most=2_000)[0].rows)
        for least in (0.5001, 0.5)
    ]
