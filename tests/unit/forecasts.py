"""Forecasts made up for pictures."""

from collections.abc import Mapping

from remanence.core.clock import DAY
from remanence.curate.forecast.forecast_report import Forecast


def make_forecast(*by_day: Mapping[str, int]) -> Forecast:
    """Say what leaves on each of some days, and nothing else."""
    return Forecast("s", "p", 0, len(by_day) * DAY, {}, (), {}, by_day, (), (), {}, {})
