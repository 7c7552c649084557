"""Regular expressions that are made ready when they are first used: of many, most texts need few."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class Pattern:
    """A regular expression that is compiled at its first use."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source, self.flags = source, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, ready to look with."""
        return re.compile(self.source, self.flags)

    def search(self, text: str, *within: int) -> re.Match[str] | None:
        """Look for it anywhere in a text, or in a part of it."""
        return self.compiled.search(text, *within)

    def match(self, text: str, *within: int) -> re.Match[str] | None:
        """Look for it where a text begins, or a part of it."""
        return self.compiled.match(text, *within)

    def finditer(self, text: str, *within: int) -> Iterator[re.Match[str]]:
        """Look for it wherever it stands in a text, or in a part of it."""
        return self.compiled.finditer(text, *within)

    def sub(self, by: Callable[[re.Match[str]], str], text: str) -> str:
        """Return a text with something else in its place, wherever it stands."""
        return self.compiled.sub(by, text)
