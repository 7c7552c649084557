"""Regular expressions that are made ready when they are first used: of many, most texts need few."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class Pattern:
    """A regular expression that is compiled at its first use."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source, self.flags = source, flags

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The expression, ready to look with."""
        return re.compile(self.source, self.flags)

    def search(self, text: str, *within: int) -> re.Match[str] | None:
        """Look for it anywhere in a text, or in a part of it."""
        return self.regex.search(text, *within)

    def match(self, text: str, *within: int) -> re.Match[str] | None:
        """Look for it where a text begins, or a part of it."""
        return self.regex.match(text, *within)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Look whether a whole text is of it."""
        return self.regex.fullmatch(text)

    def finditer(self, text: str, *within: int) -> Iterator[re.Match[str]]:
        """Look for it wherever it stands in a text, or in a part of it."""
        return self.regex.finditer(text, *within)

    def findall(self, text: str) -> list[str]:
        """Return what is found of it; of one with a group, what the group holds."""
        return self.regex.findall(text)

    def split(self, text: str) -> list[str]:
        """Return what stands before, between and after it."""
        return self.regex.split(text)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return a text with something else in its place, wherever it stands."""
        return self.regex.sub(by, text)
