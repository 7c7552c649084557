"""Numbers and codes that are written in groups, as the one word that they are when no group is apart.

The one place that says which groups belong together: "0171 23 45-678" and "01712345678" share the word "01712345678",
"TKT-100" and "tkt100" share "tkt100". Knows characters, no memories.
"""

import re
from collections.abc import Iterator

DIGITS_MIN, DIGITS_MAX = 6, 24  # of a number in groups; what is shorter is an amount, what is longer a table
CODE_DIGITS_MIN, CODE_CHARS_MAX = 3, 24
PREFIX_CHARS_MAX = 3  # capitals before a number: "KH 7055 811 924"
STRAY_CHARS_MAX = 2  # of a number beside another one: "2 0171 2345678"
_ACCOUNT_CHARS_MIN, _ACCOUNT_CHARS_MAX = 15, 34  # ISO 13616
# One of these is in whatever is found.
_MAY_HOLD = re.compile(r"\d[^\w\n]{1,3}\d|[A-Z] \d|[^\W\d_]-\d|\d-[^\W\d_]|[A-Za-z]{2}\d\d[ -][A-Z\d]")
_GROUP = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[ .()/-]{1,3}")
_PREFIX = re.compile(rf"(?<![^\W_])([A-Z]{{1,{PREFIX_CHARS_MAX}}})[ -]$")
_CODE = re.compile(r"(?<![\w.-])[A-Za-z0-9]++(?:-[A-Za-z0-9]++)++(?![\w-])")
_DATE = re.compile(r"(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})")
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?:(?:[ -]\d++)++|(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,4})?)(?![A-Za-z0-9])"
)


def find_identifiers(text: str) -> list[str]:
    """Return the numbers and codes of a text that are written in groups, each as one word in small letters.

    The text has blanks and ASCII marks alone between its words, and takes time as it is long.
    """
    if _MAY_HOLD.search(text) is None:
        return []
    words = dict.fromkeys((*_find_numbers(text), *_find_codes(text)))
    return list(words)


def is_identifier(stem: str) -> bool:
    """Tell whether a stem is a number or a code that names one thing, as those that `find_identifiers` returns."""
    digits = sum(map(str.isdigit, stem)) if stem.isalnum() and not stem.isalpha() else 0
    return digits >= (DIGITS_MIN if digits == len(stem) else CODE_DIGITS_MIN)


def _find_numbers(text: str) -> Iterator[str]:
    """Yield numbers in groups, and without a short group at an end, which may be another number."""
    for start, end in _iterate_runs(text):
        groups = [match.group() for match in _GROUP.finditer(text, start, end)]
        if prefix := _PREFIX.search(text, max(0, start - PREFIX_CHARS_MAX - 2), start):
            whole = "".join(groups)
            if DIGITS_MIN <= len(whole) <= DIGITS_MAX:
                yield prefix.group(1).lower() + whole
        if len(groups) < 2 or _DATE.fullmatch(text, start, end):
            continue
        parts = [groups]
        if len(groups) > 2:
            first, last = len(groups[0]) <= STRAY_CHARS_MAX, len(groups[-1]) <= STRAY_CHARS_MAX
            parts += [groups[1:]] * first + [groups[:-1]] * last + [groups[1:-1]] * (first and last)
        yield from (word for word in map("".join, parts) if DIGITS_MIN <= len(word) <= DIGITS_MAX)


def _iterate_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where groups of digits stand that only blanks, dots, dashes, slashes and brackets divide."""
    start = end = -1
    for match in _GROUP.finditer(text):
        if not match.group().isdecimal():
            if start >= 0:
                yield start, end
            start = end = -1
            continue
        if start >= 0 and _BETWEEN.fullmatch(text, end, match.start()) is None:
            yield start, end
            start = -1
        start, end = match.start() if start < 0 else start, match.end()
    if start >= 0:
        yield start, end


def _find_codes(text: str) -> Iterator[str]:
    """Yield words of letters and digits that hyphens divide, and accounts in groups."""
    for match in _CODE.finditer(text):
        word = match.group().replace("-", "").lower()
        digits = sum(map(str.isdigit, word))
        if CODE_DIGITS_MIN <= digits < len(word) <= CODE_CHARS_MAX:
            yield word
    for match in _ACCOUNT.finditer(text):
        word = match.group().replace(" ", "").replace("-", "").lower()
        if _ACCOUNT_CHARS_MIN <= len(word) <= _ACCOUNT_CHARS_MAX:
            yield word
