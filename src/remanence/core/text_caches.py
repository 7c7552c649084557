"""Caches of what functions computed from texts: bounded, and emptied together once texts were erased.

Knows no text function; must not be used for tables that no caller's text is in.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

Value = TypeVar("Value")
_clears: list[Callable[[], None]] = []


def text_cache(maxsize: int) -> "Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]":
    """Return what caches a function of texts, as `lru_cache` does."""

    def decorate(work: Callable[..., Value]) -> "_lru_cache_wrapper[Value]":
        cached = lru_cache(maxsize)(work)
        clear_with_texts(cached.cache_clear)
        return cached

    return decorate


def clear_with_texts(clear: Callable[[], None]) -> None:
    """Have another cache of texts emptied with these."""
    _clears.append(clear)


def clear_text_caches() -> None:
    """Empty all of them."""
    for clear in _clears:
        clear()
