"""Tells whether a turn says nothing to keep: small talk, laughter, mashed keys, marks, pictures or a progress bar."""

import itertools
import re
import unicodedata

from remanence.languages.families import SMALL_TALK, load_small_talk

CHARS_MAX = 200  # a longer text with words in it is never small talk alone
WORDS_MAX = 8  # of small talk; more say something, whatever they are
RUN_MIN = 4  # keys beside one another, or one letter again and again
MASHED_MIN = 6  # letters of a word most of whose keys are beside one another
MASHED_SHARE = 0.75

_TALK = load_small_talk()
_CORE = {code: one.core for code, one in SMALL_TALK.items()}
_EITHER = {code: one.core | one.beside for code, one in SMALL_TALK.items()}
_LONGEST = max(map(len, _TALK.whole))
_SAYS = re.compile(r"[^\W_]")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_SMILE = re.compile(r"[:;=]['’]?-?[)(dpo/|3*]+(?!\w)|<3|\^\^")
_PERCENT = re.compile(r"\d ?%")
_BAR = re.compile(r"[█▉▓▒░▏#=>.|-]{3,}")
_PART = re.compile(r"[^\W\d_]+")
_ROWS = tuple(row[::step] for row in _TALK.rows for step in (1, -1))


def junk(text: str) -> bool:
    """Tell whether a text says nothing that is worth keeping; a short truth such as "I'm vegan" does."""
    if _SAYS.search(text) is None:
        return True
    low = _SMILE.sub(" ", unicodedata.normalize("NFKC", text).lower().replace("’", "'"))
    if _PERCENT.search(low):
        # A bar of progress: more than one percentage, a drawn bar or a word for it, and nothing else.
        parts = set(_PART.findall(low))
        bar = (
            len(_PERCENT.findall(low)) > 1
            or _BAR.search(low) is not None
            or not _TALK.progress.isdisjoint(parts)
        )
        return bar and parts <= _TALK.progress
    if len(low) > CHARS_MAX:
        return False
    words = _WORD.findall(low)
    if not words:
        return True
    if len(words) > WORDS_MAX or all(word.isdecimal() for word in words):
        return False
    bare = "".join(words)
    if not bare.isascii() and len(bare) <= CHARS_MAX // 4 and _made_of(bare, _TALK.whole, 1):
        return True  # small talk in a script without spaces
    return _small_talk(words) or _is_keyboard_mash(words)


def _small_talk(words: list[str]) -> bool:
    plain_words = [word for word in words if not _is_laughter(word)]
    if not plain_words:
        return True
    if any(char.isdecimal() for word in plain_words for char in word):
        return False
    return any(
        all(word in either or either.issuperset(_PART.findall(word)) for word in plain_words)
        and (
            len(plain_words) < len(words)
            or not _CORE[language].isdisjoint(_PART.findall(" ".join(plain_words)) + plain_words)
        )
        for language, either in _EITHER.items()
    )


def _is_laughter(word: str) -> bool:
    """Tell whether a word is made of syllables of laughter, at least two."""
    return len(word) >= RUN_MIN - 1 and len(set(word)) <= 3 and _made_of(word, _TALK.laughs, RUN_MIN // 2)


def _made_of(word: str, pieces: frozenset[str], least: int) -> bool:
    """Tell whether pieces make up a word, without a rest."""
    by_end = {0: 0}
    for end in range(1, len(word) + 1):
        counts = [
            by_end[start] + 1
            for start in range(max(0, end - _LONGEST), end)
            if start in by_end and word[start:end] in pieces
        ]
        if counts:
            by_end[end] = max(counts)
    return by_end.get(len(word), 0) >= least


def _is_keyboard_mash(words: list[str]) -> bool:
    """Tell whether all words are runs of keys, again and again, or one letter."""
    runs = sum(_run(word) for word in words)
    return runs == len(words) and (runs > 1 or len(words[0]) >= RUN_MIN)


def _run(word: str) -> bool:
    if word.isdecimal():
        return False
    if len(set(word)) == 1:
        return len(word) >= RUN_MIN
    if len(word) >= RUN_MIN - 1 and any(word in row for row in _ROWS):
        return True
    half = len(word) // 2
    if len(word) >= 2 * RUN_MIN - 2 and len(word) % 2 == 0 and word[:half] == word[half:]:
        return _run(word[:half])
    pairs = list(itertools.pairwise(word))
    beside = sum(any(a + b in row for row in _ROWS) for a, b in pairs)
    return len(word) >= MASHED_MIN and beside >= len(pairs) * MASHED_SHARE
