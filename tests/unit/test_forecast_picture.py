"""The picture of a forecast: what stands where."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remanence.curate.forecast.forecast_report import LEAVES
from tests.unit.forecasts import make_forecast


@given(days=st.integers(1, 1_500), most=st.integers(0, 9_999))
def test_no_date_stands_on_another_and_the_axis_fits(days: int, most: int) -> None:
    """Dates are a date's width apart and within the picture; the highest bar takes half of the axis or more."""
    text = make_forecast({LEAVES[0]: most}, *[{}] * (days - 1)).svg()
    places = [float(x) for x in re.findall(r'x="([0-9.]+)"[^>]*>\d{4}-\d\d-\d\d</text>', text)]
    axis = [int(label.replace(",", "")) for label in re.findall(r'"end">([\d,]+)</text>', text)]

    assert places
    assert all(78 <= later - one for one, later in pairwise(places))
    assert all(35 <= x <= 765 for x in places)
    assert len(axis) < 5 or most <= max(axis) <= max(4, 2 * most)
    assert len({later - one for one, later in pairwise(axis)}) <= 1
