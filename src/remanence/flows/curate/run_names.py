"""What names a run: its id, or whatever a verb returned of it."""

from typing import Annotated, TypeAlias

from remanence.flows import inspect
from remanence.flows.curate import runs
from remanence.model import RateResult
from remanence.receipt import ConsolidateResult, Receipt

Run: TypeAlias = Annotated[
    str | Receipt | RateResult | ConsolidateResult | inspect.Event | runs.RunReport,
    "a run: its id, or what a verb returned of it",
]
