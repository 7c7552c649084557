"""What a command answers where no run takes it back: its result, and the command that does."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Undoable:
    """A result, and what to type to take it back."""

    result: Any
    back: str
