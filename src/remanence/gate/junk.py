"""Tells whether a turn says nothing: filler alone, mashed keys, marks, pictures or a progress bar."""

import itertools
import re

from remanence.gate.filler_words import KEYBOARD_ROWS, UNSPACED, WORDS

WORDS_MAX = 8  # more words than that say something, whatever they are
MASHED_MIN = 4  # letters of one keyboard row in a word of a text that is mashed

_FILLER = {language: frozenset(words.split()) for language, words in WORDS.items()}
_UNSPACED = re.compile("(?:" + "|".join(sorted(map(re.escape, UNSPACED), key=len, reverse=True)) + "){1,8}")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SMILE = re.compile(r"[:;=8x]['’]?-?[)(dpo/|3*]+(?!\w)|<3|\^\^|:-?\w\b")
_PROGRESS = re.compile(r"\d{1,3} ?%")
_LAUGH = re.compile(
    r"(?:ha|he|hi|ho|ja|je|ji|ah|eh|rs|lo|xa|kk|k|w|j|哈|呵|笑)(?:ha|he|hi|ho|ja|je|ji|h|a|rs|l|o|k|w|哈|呵|笑)*+"
)
_PROGRESS_WORDS = frozenset(
    {
        "downloading",
        "download",
        "loading",
        "uploading",
        "progress",
        "installing",
        "building",
        "processing",
        "done",
        "eta",
    }
)


def junk(text: str) -> bool:
    """Tell whether a text says nothing that is worth keeping; short truths such as "I'm vegan" never are junk."""
    low = _SMILE.sub(" ", text.lower())
    words = _WORD.findall(low)
    if not any(char.isalnum() for char in low):
        return True
    if _PROGRESS.search(low):
        return all(word.isdigit() or word in _PROGRESS_WORDS for word in words)
    if not words or len(words) > WORDS_MAX:
        return False
    if all(word.isdigit() for word in words):
        return False
    bare = "".join(words)
    if not bare.isascii() and _UNSPACED.fullmatch(bare):
        return True
    return _filler(words) or all(map(_laughs, words)) or all(map(_mashed, words))


def _filler(words: list[str]) -> bool:
    plain = [word.replace("’", "'") for word in words]
    return any(all(word in known or _laughs(word) for word in plain) for known in _FILLER.values())


def _laughs(word: str) -> bool:
    return len(word) >= 3 and len(set(word)) <= 3 and _LAUGH.fullmatch(word) is not None


def _mashed(word: str) -> bool:
    """Tell whether a word is keys of one row next to one another, or one letter again and again."""
    if len(word) >= MASHED_MIN and len(set(word)) == 1:
        return not word.isdigit()
    pairs = list(itertools.pairwise(word))
    beside = sum(
        any(abs(row.find(a) - row.find(b)) <= 1 for row in KEYBOARD_ROWS if a in row and b in row)
        for a, b in pairs
    )
    return len(word) >= MASHED_MIN and not word.isdigit() and beside >= len(pairs) * 0.75
