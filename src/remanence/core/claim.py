"""What is kept beside memories and the links between them: what a memory claims, and which texts are forbidden."""

from dataclasses import dataclass
from typing import Any

from remanence.core.model import short_id
from remanence.core.results import MaybeTime, Result, Time, date_of, visible

CLAIM_COLUMNS = ("subject", "attribute", "value", "valid_from", "valid_to", "replaced_by")


@dataclass(frozen=True, slots=True, repr=False)
class Claim(Result):
    """What a memory says of one attribute of a subject, the value as it was said, and from when to when it holds.

    `number` tells the claims of one memory apart. `replaced_by` is the memory by whose claim it holds no longer; its
    row may have gone since.
    """

    seq: int
    number: int
    subject: str
    attribute: str
    value: str
    valid_from: int | None = None
    valid_to: int | None = None
    replaced_by: int | None = None

    @property
    def key(self) -> tuple[int, int]:
        """How a change names it."""
        return (self.seq, self.number)

    @property
    def values(self) -> dict[str, Any]:
        """Its columns beside the key."""
        return {name: getattr(self, name) for name in CLAIM_COLUMNS}

    valid_from_time = MaybeTime("valid_from")
    valid_to_time = MaybeTime("valid_to")

    def __str__(self) -> str:
        ends = "" if self.valid_to is None else f", until {date_of(self.valid_to)}"
        return visible(f"{short_id(self.seq)} {self.subject}: {self.attribute} = {self.value}{ends}")


@dataclass(frozen=True, slots=True, repr=False)
class Forbidden(Result):
    """A text that may not come in again, by the hash of its folded form: since when, and which memory said it.

    One that `is_erased` went with its memory for good: that is not lifted.
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
