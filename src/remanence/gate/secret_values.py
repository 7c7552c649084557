"""What the value of a secret looks like, and what only stands where one could: code, terms, words, placeholders.

Knows characters alone; must not know what stands around a value.
"""

import math
import re
from collections import Counter

from remanence.gate.secret_patterns import PLACEHOLDER_PARTS, PLACEHOLDERS, TERMS

ENTROPY_MIN = 3.2  # bits a character; words of a language have about 3 and no digits
KEY_ENTROPY_MIN = 2.5  # of what a word announces as a key: a short one repeats itself
TURNS_MIN = 0.34  # of the places between characters; drawn ones change their kind at .62 of them, names of code at .25
WORDS_MAX = 0.6  # of the letters and digits of a key; what has more of them in words is a name or a sentence
NUMBERS_MAX = 2  # in a name; what is drawn of letters and digits has one for every five characters

# A path of names, a call or a place of an array.
_CODE = re.compile(
    r"\A[A-Za-z_$][\w$]*(?:(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+[;,]?|(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*[\[(].*)",
    re.DOTALL,
)
# A named argument, an escape of a string in code, a sum with a name.
_IN_CODE = re.compile(
    r"[A-Za-z_]\w*=[^=].*|.*\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}).*|[a-z_]+[+*]\d+", re.DOTALL
)
_SNAKE = re.compile(r"_*[a-z]+[0-9]{0,3}(?:_[a-z0-9]+)+")
_TERM = re.compile(rf"(?:{TERMS})[\d.]{{0,4}}[a-z]{{0,3}}(?:[-_/.+:][a-z]*\d{{0,5}})*", re.IGNORECASE)
# A word is no longer than that, else a long run of letters would be looked through from each of them.
_WORD = re.compile(r"[A-Z]?(?![a-z]{0,40}[b-df-hj-np-tv-xz]{4})[a-z]{0,40}[aeiouy][a-z]+|[A-Z]{4,}")
_NUMBER = re.compile(r"\d+")
_CASE_TURN = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_KIND_TURN = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_MEASURED = re.compile(
    r"[\d.,:/x-]+(?:[a-zA-Z%]{1,2}|min|sec|chars?|days?|bits?|bytes?|kb|mb)?", re.IGNORECASE
)


def is_password_like(value: str, *, tight: bool) -> bool:
    """True if a value looks like a password; `tight` if a sign or a verb stands between it and its word."""
    if (
        len(value) < 4
        or value[0] in "[/~$<{("
        or "://" in value
        or is_code(value)
        or _MEASURED.fullmatch(value)
    ):
        return value.isdigit() and len(value) >= 6 and tight
    if _TERM.fullmatch(value):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    inner = (
        value if tight else value.strip("#*@=&+_~^%")
    )  # beside its word alone, a mark around a word is markup
    marks = any(not char.isalnum() and char not in "-_.'’/:() " for char in inner)
    return (letters and (digits or marks) and len(value) >= 6) or (tight and count_turns(value) >= 4)


def is_key_like(value: str) -> bool:
    """True if a value looks like a key or a token that was drawn."""
    if len(value) < 12 or value[0] in "[~$<{(." or " " in value or "://" in value or is_code(value):
        return False
    if value.startswith("//") or (value.count("/") >= 2 and len(value) < 30) or _TERM.fullmatch(value):
        return False  # a path, a term
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and entropy(value) >= KEY_ENTROPY_MIN and not is_worded(value)


def is_random_looking(value: str) -> bool:
    """True if characters look drawn at random: small and capital letters and digits, evenly spread."""
    bare = value.replace("_", "").replace("-", "")
    kinds = (sum(map(str.isupper, bare)), sum(map(str.islower, bare)), sum(map(str.isdigit, bare)))
    if min(kinds) < 2 or len(bare) < 16 or entropy(bare) < ENTROPY_MIN:
        return False
    return len(_KIND_TURN.findall(bare)) >= TURNS_MIN * (len(bare) - 1) and not is_worded(value)


def is_worded(value: str) -> bool:
    """True if most of a value is what could be words."""
    in_words = sum(len(word) for word in _WORD.findall(value) if len(word) >= 4)
    return in_words > WORDS_MAX * sum(map(str.isalnum, value)) and len(_NUMBER.findall(value)) <= NUMBERS_MAX


def is_code(value: str) -> bool:
    """True if a value is no literal: an attribute, a call, a place of an array, a named argument."""
    return _CODE.fullmatch(value) is not None or _IN_CODE.fullmatch(value) is not None


def is_variable(value: str) -> bool:
    """True if a value could name a variable: small words with underscores between them."""
    return _SNAKE.fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """True if a value says: put yours here."""
    low = value.lower()
    return low in PLACEHOLDERS or any(part in low for part in PLACEHOLDER_PARTS) or len(set(low)) <= 3


def count_turns(value: str) -> int:
    """Return how often capitals and small letters follow each other."""
    return len(_CASE_TURN.findall(value))


def entropy(value: str) -> float:
    """Return the bits a character of a text has by its own counts."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
