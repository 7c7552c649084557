"""Where names stand in a text: equal to it after folding, between blanks, or anywhere in a script without blanks.

Knows letters and marks; must not know what entities there are.
"""

import re
from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from remanence.core.patterns import Pattern
from remanence.read.entity import folded_name

NAME_WORDS_MAX = 6
UNSPACED_CHARS = range(12, 1, -1)
CACHED_CHARS_MAX, CACHED_MAX = 40, 16_384  # longer stretches without a blank are data, met once
_CHUNK = re.compile(r"\S+")
_OUTER = " \t.,;:!?…。、，；：！？\"'“”„«»「」『』()（）[]{}<>*_~‘’"
_UNSPACED = Pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")
_KATAKANA = Pattern("[\u30a0-\u30ff\uff66-\uff9f]")
_OWNER = re.compile(r"['’](?:s|S)?$")


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name in a text: from where to where, and folded."""

    begin: int
    end: int
    name: str


def can_be_name(name: str) -> bool:
    """Tell by its form whether a name can be one: it has a letter."""
    return any(map(str.isalpha, folded_name(name)))


def has_name(text: str, names: AbstractSet[str]) -> bool:
    """Tell whether any of some folded names stands in a text."""
    return next(find_names(text, names), None) is not None


def find_names(text: str, names: Container[str], firsts: Container[str] = ()) -> Iterator[NameSpan]:
    """Yield where any of some folded names stands in a text, the longest where several begin, and none within another.

    `firsts` are the words that they begin with, where the names are not to be gone through.
    """
    if isinstance(names, AbstractSet):
        firsts = {name.split(" ")[0] for name in names}
    chunks = list(_CHUNK.finditer(text))
    is_unspaced = not text.isascii() and _UNSPACED.search(text) is not None
    at = 0
    while at < len(chunks):
        chunk, span, step = chunks[at].group(), None, 1
        if any(map(firsts.__contains__, _list_beginnings(chunk))):
            span, step = _find_spaced_name(text, chunks, at, names)
        if span is not None:
            yield span
        elif is_unspaced and _UNSPACED.search(chunk):
            yield from _find_unspaced_names(text, chunks[at].span(), names)
        at += step


def _list_beginnings(chunk: str) -> Sequence[str]:
    """Return the forms that the first word of a name may have that begins in a chunk."""
    return (
        _keep_forms(chunk) if len(chunk) <= CACHED_CHARS_MAX else [form for form, _ in _iterate_forms(chunk)]
    )


@lru_cache(maxsize=CACHED_MAX)
def _keep_forms(chunk: str) -> tuple[str, ...]:
    return tuple(form for form, _ in _iterate_forms(chunk))


def _iterate_forms(piece: str) -> Iterator[tuple[str, int]]:
    """Yield a piece of text folded, as it is and without the -s of an owner, with how much that is."""
    yield folded_name(piece), 0
    bare = piece.rstrip(_OUTER)
    outer = len(piece) - len(bare)
    if owner := _OWNER.search(piece):
        yield folded_name(piece[: owner.start()]), len(owner.group())
    elif (owner := _OWNER.search(bare)) and outer:
        yield folded_name(bare[: owner.start()]), outer + len(owner.group())


def _find_spaced_name(
    text: str, chunks: Sequence[re.Match[str]], at: int, names: Container[str]
) -> tuple[NameSpan | None, int]:
    """Return the longest name that begins in a chunk, and how many chunks it takes; one where there is none."""
    begin = chunks[at].start()
    for count in range(min(NAME_WORDS_MAX, len(chunks) - at), 0, -1):
        end = chunks[at + count - 1].end()
        for form, tail in _iterate_forms(text[begin:end]):
            if form in names:
                return _trim_name(text, begin, end - tail, form), count
    return None, 1


def _trim_name(text: str, begin: int, end: int, form: str) -> NameSpan:
    piece = text[begin:end]
    begin += len(piece) - len(piece.lstrip(_OUTER))
    return NameSpan(begin, begin + len(piece.strip(_OUTER)), form)


def _find_unspaced_names(text: str, where: tuple[int, int], names: Container[str]) -> Iterator[NameSpan]:
    """Yield the names within a stretch without blanks; a run of katakana is one word."""
    at, end = where
    while at < end:
        span = next(
            (
                NameSpan(at, at + size, form)
                for size in UNSPACED_CHARS
                if at + size <= end
                and (form := folded_name(text[at : at + size])) in names
                and len(form) > 1
                and not _is_within_katakana(text, at)
                and not (at + size < end and _is_within_katakana(text, at + size))
            ),
            None,
        )
        if span is not None:
            yield span
        at = at + 1 if span is None else span.end


def _is_within_katakana(text: str, at: int) -> bool:
    """Tell whether a run of katakana goes on at a place."""
    return at > 0 and _KATAKANA.match(text[at]) is not None and _KATAKANA.match(text[at - 1]) is not None
