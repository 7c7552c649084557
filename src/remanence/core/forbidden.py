"""Which texts may not come in again."""

from dataclasses import dataclass

from remanence.core.model import short_id
from remanence.core.results import Result, Time, date_of


@dataclass(frozen=True, slots=True, repr=False)
class Forbidden(Result):
    """A forbidden text, by the hash of its folded form: since when it is forbidden, and which memory said it.

    Where `is_erased` is True, the text was erased permanently with its memory, and the ban cannot be lifted.
    """

    fold: str
    at: int
    seq: int | None = None
    is_erased: bool = False

    since = Time("at")

    def __str__(self) -> str:
        if self.is_erased:
            return f"it was erased on {date_of(self.at)}"
        origin = "" if self.seq is None else f", said by {short_id(self.seq)}"
        return f"{self.fold} since {date_of(self.at)}{origin}"
