"""What names a run: its id, or whatever a verb returned of it."""

from typing import Annotated, TypeAlias

from remanence.core.model import RateResult
from remanence.core.receipt import ConsolidateResult, Receipt
from remanence.flows.inspect import inspect
from remanence.flows.undo import runs

Run: TypeAlias = Annotated[
    str | Receipt | RateResult | ConsolidateResult | inspect.Event | runs.RunReport,
    "a run: its id, or what a verb returned of it",
]
