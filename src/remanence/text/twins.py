"""Whether two texts are one memory: exact, near or distinct, with reasons. Knows texts only, no store and no model."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from remanence import languages
from remanence.core.text_caches import text_cache
from remanence.languages import Lexicon
from remanence.text.analysis import (
    Vital,
    asks,
    fingerprint,
    folded_text,
    lexicon_of,
    readings,
    stems,
    vital_tokens,
)

Drawn = TypeVar("Drawn")

# Share of content words two texts must have in common to be near where there is no vector to ask.
WORDS_SHARED_MIN = 0.6
# How sure a pair of near duplicates is: by their words they are one (Jochi design, A.8: merged from here on), or their
# words differ, which no likeness makes up for.
SURE = 0.97
SAME_WORDS = 0.99
UNSURE_MAX = 0.96
_SHOWN_MAX = 3
_REACH = 8  # words that are looked at for what a negation denies
# A text is compared with up to eight of its like; what is drawn from one takes some 3 KB.
_SAID_CACHED, _SAID_CHARS_MAX = 4_096, 2_000
_WORDS_CACHED, _WORD_CHARS_MAX = 32_768, 40  # a longer word is data, met once
# Marks between which a text says the same without: those of sentences and lists, quotes, brackets. No mark is taken off
# that may mean something where it stands: 5!, a smiley, a sign of its own.
_OPENING = re.compile(r'^["(\[¡¿]{1,2}(?=\w)')
_CLOSING = re.compile(r'(?:[.,…。、]|(?<!\d)!)[")\]]?$|[")\]](?:[.,:;…。、!])?$|[:;]$')


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """Cosines of bare vectors from which two texts are similar, and from which they may be near duplicates.

    `calibrated` says that the false-merge rate of `near` was measured. Then near duplicates with the same words may be
    merged even if a clause has another position; otherwise only those with the same words in the same order may be. An
    answer with a strength below `weak_below` is called weak; where `weak_below` is None, no answer is.
    """

    similar: float
    near: float
    calibrated: bool = False
    weak_below: float | None = None


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """A verdict on two texts and what spoke for it, readable."""

    kind: Literal["exact", "near", "distinct"]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _TextFeatures:
    """What a text says, word by word, where two texts may differ in what no count of words shows."""

    vital: Vital
    words: tuple[str, ...]
    identifiers: frozenset[str]
    denied: tuple[str, ...]
    places: Mapping[tuple[str, ...], Sequence[str]]
    asks: bool


def verdict(old: str, new: str, similarity: float | None, thresholds: SimilarityThresholds) -> TextVerdict:
    """Compare two texts of one speaker; `similarity` is the cosine of their bare vectors, None where there is none.

    However alike they look, what only one of them has makes them distinct: a number, a negation, a name, a date, an
    identifier or piece of code, a question mark; and so do the same words in other places. Near duplicates may still
    say the contrary of one another, by one word that differs: whether they may be one, `same_words` says.
    """
    if _fingerprint(old) == _fingerprint(new):
        return TextVerdict("exact", ("the same words",))
    what, measured, least = "similarity", similarity, thresholds.near
    if measured is None:
        first, second = set(stems(old)), set(stems(new))
        what, least = "words in common", WORDS_SHARED_MIN
        measured = len(first & second) / max(1, len(first | second))
    alike = measured >= least
    reason = f"{what} {measured:.2f} {'≥' if alike else '<'} {least:.2f}"
    if not alike:
        return TextVerdict("distinct", (reason,))
    vetoes = tuple(_find_vetoes(_read_text(old), _read_text(new)))
    return TextVerdict("distinct", vetoes) if vetoes else TextVerdict("near", (reason,))


def same_words(old: str, new: str, *, moved: bool = False) -> bool:
    """Tell whether two texts say the same by their words alone: the same ones in the same order.

    Only marks between words, at most one of them, and English short forms may differ; what else looks small (an
    article, an accent, a clause in another place) was found to change now and then what is said. With `moved` what
    one begins with may close the other, for texts that a measured embedder calls alike.
    """
    if _fingerprint(old) == _fingerprint(new):
        return True
    one, other = _split_words(old), _split_words(new)
    # Turned: one sequence is the other, begun elsewhere and gone on with at its beginning.
    turned = (
        moved
        and len(one.words) == len(other.words)
        and any(
            one.words[at:] + one.words[:at] == other.words
            for at, word in enumerate(one.words)
            if word == other.words[0]
        )
    )
    if not one.words or not (turned or one.words == other.words):
        return False
    first, second = _read_text(old), _read_text(new)
    if one.pauses != other.pauses and (
        max(len(one.pauses), len(other.pauses)) > 1 or first.vital.negations or second.vital.negations
    ):
        return False
    return not any(True for _ in _find_vetoes(first, second))


def sureness(old: str, new: str, likeness: float, thresholds: SimilarityThresholds) -> float:
    """Say how sure it is that two near duplicates are one memory; `likeness` is what a vector or their words say.

    Where words differ it is never sure enough: one word makes the contrary of a text.
    """
    if same_words(old, new):
        return 1.0 if _fingerprint(old) == _fingerprint(new) else SAME_WORDS
    if thresholds.calibrated and same_words(old, new, moved=True):
        return max(SURE, likeness)
    return min(likeness, UNSURE_MAX)


def is_sure(confidence: float | None) -> bool:
    """Tell by its confidence whether a link says that both texts say the same; a person's link may have none."""
    return confidence is None or confidence >= SURE


def _kept_of_short(work: Callable[[str], Drawn]) -> Callable[[str], Drawn]:
    """Keep what is drawn from a text that is compared with several; a long one would take the room of hundreds."""
    cached_work = text_cache(_SAID_CACHED)(work)
    return lambda text: cached_work(text) if len(text) <= _SAID_CHARS_MAX else work(text)


_fingerprint = _kept_of_short(fingerprint)


@dataclass(frozen=True, slots=True)
class _WordSequence:
    """The words of a text, short forms written out, and after how many of them there is a pause."""

    words: tuple[str, ...]
    pauses: tuple[int, ...]


@_kept_of_short
def _split_words(text: str) -> _WordSequence:
    words: list[str] = []
    pauses: list[int] = []
    for token in folded_text(text).split():
        token_words, pause = _cached_token(token) if len(token) <= _WORD_CHARS_MAX else _write_out(token)
        words += token_words
        if pause and words:
            pauses.append(len(words))
    return _WordSequence(tuple(words), tuple(dict.fromkeys(at for at in pauses if at < len(words))))


def _write_out(token: str) -> tuple[tuple[str, ...], bool]:
    """Return the words of what stands between two blanks, and whether marks were taken off."""
    bare = _CLOSING.sub("", _OPENING.sub("", token))
    if not any(map(str.isalnum, bare)):
        bare = token  # a sign that stands alone says something
    return tuple(languages.CONTRACTIONS.get(bare, bare).split()), bare != token


_cached_token = text_cache(_WORDS_CACHED)(_write_out)


@_kept_of_short
def _read_text(text: str) -> _TextFeatures:
    read = readings(text)
    lexicon = lexicon_of(read)
    words = tuple([word for reading in read for word in reading.folded])
    return _TextFeatures(
        vital=vital_tokens(text),
        words=words,
        identifiers=frozenset(filter(_is_identifier, words)),
        denied=tuple(sorted(_find_denied_words(text, words, lexicon))),
        places=_sort_places(words, lexicon),
        asks=asks(text),
    )


def _is_identifier(word: str) -> bool:
    """Tell a name with digits or marks inside, such as gpt-4o, b12 or config.yaml, from a word and from a number."""
    return not word.isalpha() and any(map(str.isalpha, word)) and any(c.isdigit() or c in "._" for c in word)


def _find_denied_words(text: str, words: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield what each negation denies, the next word that says something, or the last; and negating characters."""
    for place, word in enumerate(words) if not lexicon.negations.isdisjoint(words) else ():
        if word in lexicon.negations:
            after, before = words[place + 1 : place + 1 + _REACH], words[max(0, place - _REACH) : place]
            yield next(
                filter(
                    lambda word: word not in lexicon.stop and word not in lexicon.negations,
                    (*after, *before[::-1]),
                ),
                "",
            )
    for script in languages.CONTRASTS if not text.isascii() else ():
        for sign in script.negations:
            yield from [sign] * text.count(sign)


def _find_vetoes(old: _TextFeatures, new: _TextFeatures) -> Iterator[str]:
    """Yield what a merge would lose or make untrue, one line for each kind."""
    if old.vital != new.vital:
        for what in ("numbers", "dates", "code"):
            yield from _describe_difference(what, getattr(old.vital, what), getattr(new.vital, what))
    yield from _describe_difference("identifiers", old.identifiers, new.identifiers)
    if old.vital.negations != new.vital.negations:
        yield f"negations differ: {old.vital.negations} / {new.vital.negations}"
    elif old.denied != new.denied:
        yield f"negations differ in what they deny: {_format_tokens(old.denied)} / {_format_tokens(new.denied)}"
    # A name in another spelling of case is no other name.
    if old.vital.names or new.vital.names:
        lost_names = old.vital.names.difference(new.words)
        gained_names = new.vital.names.difference(old.words)
        if lost_names or gained_names:
            yield f"names differ: {_format_tokens(lost_names)} / {_format_tokens(gained_names)}"
    if old.asks != new.asks:
        yield "one asks, the other states"
    if old.places != new.places and sorted(old.words) == sorted(new.words):
        yield "the same words in other places"


def _describe_difference(what: str, old: frozenset[str], new: frozenset[str]) -> Iterator[str]:
    if old != new:
        yield f"{what} differ: {_format_tokens(old - new)} / {_format_tokens(new - old)}"


def _sort_places(words: Sequence[str], lexicon: Lexicon) -> dict[tuple[str, ...], list[str]]:
    """Sort the words that say something by the function words before them: what moves with these keeps its part."""
    places: dict[tuple[str, ...], list[str]] = {}
    marker: list[str] = []
    for word in words:
        if word in lexicon.stop:
            marker.append(word)
        else:
            places.setdefault(tuple(marker), []).append(word)
            marker = []
    return places


def _format_tokens(tokens: Iterable[str]) -> str:
    sorted_tokens = sorted(tokens)
    return (
        ", ".join(sorted_tokens[:_SHOWN_MAX]) + (" …" if len(sorted_tokens) > _SHOWN_MAX else "")
        if sorted_tokens
        else "–"
    )
