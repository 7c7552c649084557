"""What names a run: its id, or whatever a verb returned of it."""

from typing import Annotated, TypeAlias

from remanence.flows import inspect
from remanence.flows.curate import runs
from remanence.model import Rated
from remanence.receipt import Consolidated, Receipt

Run: TypeAlias = Annotated[
    str | Receipt | Rated | Consolidated | inspect.Event | runs.RunReport,
    "a run: its id, or what a verb returned of it",
]
