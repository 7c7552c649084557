"""Whether two texts are one memory: exact, near or distinct, with reasons. Knows texts only, no store and no model."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeVar

from remanence import languages
from remanence.core.text_caches import text_cache
from remanence.languages import LEXICONS, Lexicon
from remanence.text.analysis import (
    ChunkReading,
    Vital,
    asks,
    fingerprint,
    folded_text,
    lexicon_of,
    readings,
    stems,
    vital_tokens,
    word_stems,
)

Drawn = TypeVar("Drawn")

# Share of content words two texts must have in common to be near where there is no vector to ask.
WORDS_SHARED_MIN = 0.6
# How sure a pair of near duplicates is: by their words they are one (Jochi design, A.8: merged from here on), or an
# embedder that nobody measured says so, which is never enough.
SURE = 0.97
SAME_WORDS = 0.99
UNSURE_MAX = 0.96
_SHOWN_MAX = 3
_PREFIXED_CHARS_MIN = 3  # a shorter rest makes no word of its own: "in" + "to"
_REACH = 8  # words that are looked at for what a negation denies
# A text is compared with up to eight of its like; what is drawn from one takes some 3 KB.
_SAID_CACHED, _SAID_CHARS_MAX = 4_096, 2_000
_WORDS_CACHED, _WORD_CHARS_MAX = 32_768, 40  # a longer word is data, met once
# Marks between which a text says the same without: those of sentences and lists, quotes, brackets. No mark is taken off
# that may mean something where it stands: 5!, a smiley, a sign of its own.
_OPENING = re.compile(r'^["(\[¡¿]{1,2}(?=\w)')
_LABEL = re.compile(r"\W*+([^\W\d_]++): ")
_CLOSING = re.compile(r'(?:[.,…。、]|(?<!\d)!)[")\]]?$|[")\]](?:[.,:;…。、!])?$|[:;]$')


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """Cosines of bare vectors from which two texts are similar, and from which they may be near duplicates.

    `calibrated` says that the false-merge rate of `near` was measured; without it, near duplicates are only linked, but
    for those with the same words in the same order.
    An answer of a strength below `weak_below` is called weak; without it, none is.
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
    """What a text says, word by word, where two texts may differ in what no count of words shows.

    `capitals`, `numbers` and `counted` (what follows a number) stand in the order of the text. `keys` are its words and
    their stems, `contraries` what would contradict one of them.
    """

    vital: Vital
    words: tuple[str, ...]
    bag: tuple[str, ...]
    keys: tuple[str, ...]
    contraries: frozenset[str]
    capitals: tuple[str, ...]
    numbers: tuple[str, ...]
    counted: frozenset[str]
    identifiers: frozenset[str]
    denied: tuple[str, ...]
    places: Mapping[tuple[str, ...], Sequence[str]]
    asks: bool
    label: str  # "note" of "Note: the pier is closed", which names nobody


def verdict(old: str, new: str, similarity: float | None, thresholds: SimilarityThresholds) -> TextVerdict:
    """Compare two texts of one speaker; `similarity` is the cosine of their bare vectors, None where there is none.

    However alike they look, what only one of them has makes them distinct, since a merge would lose it: a number, a
    negation, a name, a date, an identifier or piece of code, a question mark; and so does a contrary: a word and its
    opposite, the same names, numbers or words in other places.
    """
    if _fingerprint(old) == _fingerprint(new):
        return TextVerdict("exact", ("the same words",))
    alike, reason = _check_similarity(old, new, similarity, thresholds)
    if not alike:
        return TextVerdict("distinct", (reason,))
    vetoes = tuple(_find_vetoes(_read_text(old), _read_text(new)))
    return TextVerdict("distinct", vetoes) if vetoes else TextVerdict("near", (reason,))


def same_words(old: str, new: str) -> bool:
    """Tell whether two texts say the same by their words alone: the same ones in the same order.

    Only marks between words, at most one of them, and English short forms may differ; what else looks small (an
    article, an accent, a clause in another place) was found to change now and then what is said.
    """
    if _fingerprint(old) == _fingerprint(new):
        return True
    one, other = _split_words(old), _split_words(new)
    if one.words != other.words or not one.words:
        return False
    first, second = _read_text(old), _read_text(new)
    if one.pauses != other.pauses and (
        max(len(one.pauses), len(other.pauses)) > 1 or first.vital.negations or second.vital.negations
    ):
        return False
    return not any(True for _ in _find_vetoes(first, second))


def sureness(old: str, new: str, likeness: float, thresholds: SimilarityThresholds) -> float:
    """Say how sure it is that two near duplicates are one memory; `likeness` is what a vector or their words say."""
    if same_words(old, new):
        return 1.0 if _fingerprint(old) == _fingerprint(new) else SAME_WORDS
    return likeness if thresholds.calibrated else min(likeness, UNSURE_MAX)


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


def _check_similarity(
    old: str, new: str, similarity: float | None, thresholds: SimilarityThresholds
) -> tuple[bool, str]:
    if similarity is not None:
        sign = "≥" if similarity >= thresholds.near else "<"
        return similarity >= thresholds.near, f"similarity {similarity:.2f} {sign} {thresholds.near:.2f}"
    first, second = set(stems(old)), set(stems(new))
    shared = len(first & second) / max(1, len(first | second))
    sign = "≥" if shared >= WORDS_SHARED_MIN else "<"
    return shared >= WORDS_SHARED_MIN, f"words in common {shared:.2f} {sign} {WORDS_SHARED_MIN:.2f}"


@_kept_of_short
def _read_text(text: str) -> _TextFeatures:
    read = readings(text)
    lexicon = lexicon_of(read)
    words = tuple([word for reading in read for word in reading.folded])
    distinct = set(words)
    numbers = tuple([word for word in words if _is_number(word, lexicon)])
    facts = [_word_facts(word) for word in distinct]
    return _TextFeatures(
        vital=vital_tokens(text),
        words=words,
        bag=tuple(sorted(words)),
        keys=tuple(distinct.union(*[one.keys for one in facts])),
        contraries=frozenset().union(*[one.contraries for one in facts if one.contraries]),
        capitals=() if text.islower() else tuple(_capitals(read, lexicon)),
        numbers=numbers,
        counted=frozenset(_find_counted_words(words, lexicon)) if numbers else frozenset(),
        identifiers=frozenset(filter(_is_identifier, distinct)),
        denied=tuple(sorted(_find_denied_words(text, words, lexicon))),
        places=_places(words, lexicon),
        asks=asks(text),
        label=_find_label(text),
    )


def _find_label(text: str) -> str:
    """Return the word before a colon that a text opens with and that says what sort of line it is; "" for none."""
    match = _LABEL.match(text)
    label = match[1].lower() if match else ""
    return label if any(label in lexicon.labels for lexicon in LEXICONS.values()) else ""


def _capitals(read: Sequence[ChunkReading], lexicon: Lexicon) -> Iterator[str]:
    """Yield the words with a capital: names, and where all nouns have one, these too."""
    for reading in read:
        for surface, word in zip(reading.surface, reading.folded, strict=True):
            if surface[:1].isupper() and word not in lexicon.stop:
                yield word


def _is_number(word: str, lexicon: Lexicon) -> bool:
    return word[:1].isdigit() or word in lexicon.number_words


def _find_counted_words(words: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield what there is so much of: 5 mg are not 5 g."""
    for number, word in pairwise(words):
        if _is_number(number, lexicon) and word not in lexicon.stop:
            yield word


def _is_identifier(word: str) -> bool:
    """Tell a name with digits or marks inside, such as gpt-4o, b12 or config.yaml, from a word and from a number."""
    return not word.isalpha() and any(map(str.isalpha, word)) and any(c.isdigit() or c in "._" for c in word)


def _find_denied_words(text: str, words: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield what each negation denies, the next word that says something, or the last; and negating characters."""
    for place, word in enumerate(words) if not lexicon.negations.isdisjoint(words) else ():
        if word in lexicon.negations:
            after, before = words[place + 1 : place + 1 + _REACH], words[max(0, place - _REACH) : place]
            yield next(filter(_content(lexicon), (*after, *before[::-1])), "")
    for script in languages.CONTRASTS if not text.isascii() else ():
        for sign in script.negations:
            yield from [sign] * text.count(sign)


def _content(lexicon: Lexicon) -> Callable[[str], bool]:
    return lambda word: word not in lexicon.stop and word not in lexicon.negations


def _find_vetoes(old: _TextFeatures, new: _TextFeatures) -> Iterator[str]:
    """Yield what a merge would lose or make untrue, one line for each kind."""
    if old.vital != new.vital:
        for what in ("numbers", "dates", "code"):
            yield from _differ(what, getattr(old.vital, what), getattr(new.vital, what))
    yield from _differ("identifiers", old.identifiers, new.identifiers)
    if old.vital.negations != new.vital.negations:
        yield f"negations differ: {old.vital.negations} / {new.vital.negations}"
    elif old.denied != new.denied:
        yield f"negations differ in what they deny: {_format_tokens(old.denied)} / {_format_tokens(new.denied)}"
    # A name in another spelling of case is no other name.
    if old.vital.names or new.vital.names:
        lost_names, gained_names = (
            old.vital.names.difference(new.words, (old.label,)),
            new.vital.names.difference(old.words, (new.label,)),
        )
        if lost_names or gained_names:
            yield f"names differ: {_format_tokens(lost_names)} / {_format_tokens(gained_names)}"
    if old.asks != new.asks:
        yield "one asks, the other states"
    yield from _contrary(old, new)


def _differ(what: str, old: frozenset[str], new: frozenset[str]) -> Iterator[str]:
    if old != new:
        yield f"{what} differ: {_format_tokens(old - new)} / {_format_tokens(new - old)}"


def _contrary(old: _TextFeatures, new: _TextFeatures) -> Iterator[str]:
    """Yield where the words are much the same and what they say is not."""
    if old.counted - new.counted and new.counted - old.counted:
        went, came = _format_tokens(old.counted - new.counted), _format_tokens(new.counted - old.counted)
        yield f"what is counted differs: {went} / {came}"
    for what in ("capitals", "numbers"):
        old_order, other = getattr(old, what), getattr(new, what)
        if old_order == other:
            continue
        before, after = _in_both(old_order, other)
        if before != after and _select_places(old.places, before) != _select_places(new.places, before):
            yield f"{_ORDERED[what]} change places: {', '.join(before[:_SHOWN_MAX])}"
    if old.bag == new.bag:
        if old.places != new.places:
            yield "the same words in other places"
    elif not (old.contraries.isdisjoint(new.keys) and new.contraries.isdisjoint(old.keys)):
        bags = Counter(old.words), Counter(new.words)
        for one, other in _find_contraries(set(bags[0] - bags[1]), set(bags[1] - bags[0])):
            yield f"opposites: {one} / {other}"


_ORDERED = {"capitals": "names", "numbers": "numbers"}


def _in_both(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what both have, each in its own order, once."""
    shared = set(old) & set(new)
    before, after = (list(dict.fromkeys(word for word in words if word in shared)) for words in (old, new))
    return before, after


def _select_places(
    places: Mapping[tuple[str, ...], Sequence[str]], words: Sequence[str]
) -> dict[tuple[str, ...], list[str]]:
    """Return the places that some words have."""
    by_marker = {
        marker: [word for word in marker_words if word in words] for marker, marker_words in places.items()
    }
    return {marker: marker_words for marker, marker_words in by_marker.items() if marker_words}


def _places(words: Sequence[str], lexicon: Lexicon) -> dict[tuple[str, ...], list[str]]:
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


def _find_contraries(old: set[str], new: set[str]) -> Iterator[tuple[str, str]]:
    """Yield a word of either text that the other has the contrary of; the first pair says enough."""
    theirs = {key: word for word in sorted(new) for key in _keys(word)}
    for word in sorted(old):
        contrary = {
            prefix + own for own in _keys(word) for prefix in languages.NEGATIVE_PREFIXES if _is_long(own)
        }
        if met := sorted((contrary | _word_facts(word).contraries) & theirs.keys()):
            yield word, theirs[met[0]]
            return


def _is_long(word: str) -> bool:
    return len(word) >= _PREFIXED_CHARS_MIN


def _keys(word: str) -> set[str]:
    """Return a word and its stem."""
    return {word, *word_stems(word)}


class _WordFacts(NamedTuple):
    """A word's stems, and what would be its contrary: its opposites, and itself without a negative prefix.

    What has a negative prefix more than the word has the word for its own contrary.
    """

    keys: tuple[str, ...]
    contraries: frozenset[str]


def _describe_word(word: str) -> _WordFacts:
    keys = _keys(word)
    contrary = {key for own in keys for key in _opposites().get(own, ())}
    for own in keys:
        if own.startswith(languages.NEGATIVE_PREFIXES):
            bare = [
                own.removeprefix(prefix) for prefix in languages.NEGATIVE_PREFIXES if own.startswith(prefix)
            ]
            contrary.update(filter(_is_long, bare))
    return _WordFacts(tuple(keys - {word}), frozenset(contrary) if contrary else _NONE)


_NONE: frozenset[str] = frozenset()  # shared by most words


_cached_word = text_cache(_WORDS_CACHED)(_describe_word)


def _word_facts(word: str) -> _WordFacts:
    return _cached_word(word) if len(word) <= _WORD_CHARS_MAX else _describe_word(word)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    """Return word or stem → opposite words and their stems, of all languages."""
    opposites: dict[str, set[str]] = {}
    for word, against in languages.OPPOSITES.items():
        contrary = {key for other in against for key in _keys(other)}
        for key in _keys(word):
            opposites.setdefault(key, set()).update(contrary)
    return {key: frozenset(contrary - {key}) for key, contrary in opposites.items()}


def _format_tokens(tokens: Iterable[str]) -> str:
    sorted_tokens = sorted(tokens)
    return (
        ", ".join(sorted_tokens[:_SHOWN_MAX]) + (" …" if len(sorted_tokens) > _SHOWN_MAX else "")
        if sorted_tokens
        else "–"
    )
