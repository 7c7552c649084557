"""Whether a shorter text may stand for a long one: by its length, numbers, names, quotations and negations.

Knows texts and the words that count, date and deny; must not know why a memory is made shorter, nor who wrote the
shorter text. What words mean it does not read: it compares how they are written and what stands beside them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from remanence.languages import ENGLISH, Lexicon
from remanence.text.analysis import lexicon_of, readings, sentences, stems, vital_tokens
from remanence.text.condense import QUOTED, prose_language
from remanence.text.tokens import token_counts

SHARE_MAX = 0.6  # of the tokens of its text: at least 40 % shorter
# A text without anything vital could be "summed up" by a word, or by something else entirely.
_WORDS_MIN = 0.1  # of the words of the text that are left
_OWN_WORDS_MAX = 0.3  # of the words of the summary that its text has not
_SHOWN_CHARS_MAX = 60


@dataclass(frozen=True, slots=True)
class _VitalItems:
    """What of a text must stand in another: `negations` are the words that are denied."""

    numbers: frozenset[str]
    names: frozenset[str]
    quotations: frozenset[str]
    negations: frozenset[str]

    @classmethod
    def read(cls, text: str, lexicon: Lexicon, *, adds: bool = False) -> "_VitalItems":
        """Read a text; what it `adds` are number words, too."""
        vital, words = vital_tokens(text), _list_words(text)
        counting = lexicon.number_words.union(lexicon.months) if adds else lexicon.months.keys()
        return cls(
            frozenset({*(one for one in vital.numbers if any(map(str.isdigit, one))), *(words & counting)}),
            frozenset({*_iterate_names(text, lexicon), *vital.code}),
            frozenset(" ".join(one.group().strip("`\"'“”„«»‘’").split()) for one in QUOTED.finditer(text)),
            frozenset(denied for _, denied in _find_followers(text, lexicon.negations, lexicon)),
        )


def complaint(text: str, shorter: str) -> str:
    """Say why a shorter text may not stand for a text; "" where it may.

    It is at least 40 % shorter, loses no figure, month, name, identifier, quotation and negation, and adds none. A
    number word goes only with the word that it counts.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return "its language is not known, or it is a list, a table or code"
    whole, short = token_counts([text, shorter])
    if short > whole * SHARE_MAX:
        return f"{short:,} of {whole:,} tokens are left, and at most {SHARE_MAX:.0%} may be"
    if lost := _find_missing(_VitalItems.read(text, lexicon), shorter, lexicon):
        return f"it lost {lost}"
    words = _list_words(shorter)
    for number, counted in _find_followers(text, lexicon.number_words, lexicon):
        if counted in words and number not in words:
            return f"it lost the number {number!r}"
    return find_added(text, shorter, lexicon) or _find_other_words(text, shorter)


def find_added(text: str, shorter: str, lexicon: Lexicon | None = None) -> str:
    """Say which number, name, identifier, quotation or negation a shorter text has that its text has not."""
    lexicon = lexicon or lexicon_of(readings(text))
    added = _find_missing(_VitalItems.read(shorter, lexicon, adds=True), text, lexicon)
    return f"it added {added}" if added else ""


def _find_missing(items: _VitalItems, text: str, lexicon: Lexicon) -> str:
    """Say what of what one text holds does not stand in another; a name may stand there in small letters."""
    there, words = _VitalItems.read(text, lexicon, adds=True), _list_words(text)
    for kind in (one.name for one in fields(_VitalItems)):
        missing = getattr(items, kind) - getattr(there, kind) - (words if kind == "names" else frozenset())
        if missing:
            value = min(missing)[:_SHOWN_CHARS_MAX]
            return f"a negation (of {value!r})" if kind == "negations" else f"the {kind[:-1]} {value!r}"
    return ""


def _list_words(text: str) -> frozenset[str]:
    return frozenset(word for reading in readings(text) for word in reading.folded)


def _iterate_names(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield words with a capital, or with a digit among letters, and words of a script without capitals.

    A small word of its language is none, nor is a word that begins a sentence and stands in small letters, too.
    """
    low_words = {word for reading in readings(text) for word in reading.surface if word.islower()}
    for sentence in sentences(text):
        pairs = [pair for one in readings(sentence) for pair in zip(one.surface, one.folded, strict=True)]
        for place, (word, low) in enumerate(pairs):
            is_odd = any(map(str.isalpha, word)) and (
                word.lower() == word.upper() or any(map(str.isdigit, word))
            )
            has_capital = any(map(str.isupper, word)) and not (place == 0 and low in low_words)
            if is_odd or (has_capital and low not in lexicon.stop | ENGLISH.stop):
                yield low


def _find_followers(text: str, words: frozenset[str], lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """Yield some words with the next one behind each that is no small word, "" where its sentence ends before."""
    small = lexicon.stop | lexicon.negations
    for sentence in sentences(text):
        behind = ""
        for word in reversed([word for reading in readings(sentence) for word in reading.folded]):
            if word in words:
                yield word, behind
            behind = behind if word in small else word


def _find_other_words(text: str, shorter: str) -> str:
    """Say whether a shorter text has too few of the words of a text, or mostly others."""
    own, theirs = frozenset(stems(text)), frozenset(stems(shorter))
    if len(own & theirs) <= len(own) * _WORDS_MIN:
        return "it says next to nothing of it"
    return "it says something else" if len(theirs - own) > len(theirs) * _OWN_WORDS_MAX else ""
