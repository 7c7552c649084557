"""What a format of conversation must answer: whether a text has it, and which turns the text holds. Knows no format."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from remanence.core.model import Turn


class Importer(Protocol):
    """Reads one format. Built-in ones are in `IMPORTERS`, those of other packages come in by an entry point."""

    @property
    def summary(self) -> str:
        """Which files it reads, in a few words for a list."""
        ...

    def recognises(self, text: str) -> bool:
        """Tell by its beginning whether a text has this format; used where nobody names one."""
        ...

    def turns(self, text: str, source: str, skipped: Counter[str]) -> Iterable[Turn]:
        """Return what was said, in order; what is left out is counted in `skipped` by its reason.

        `source` names the file. Give each turn a key that stays the same when the file grows, so that a second ingest
        takes in only what is new. Raise `IngestError` with the line of what is malformed.
        """
        ...
