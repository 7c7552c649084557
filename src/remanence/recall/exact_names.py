"""Which answer names exactly what a question names, where the first names only something longer that begins like it.

Knows a question and texts; no index, no scores. An order for one answer: nothing is hidden. A name goes on where a
letter, a digit, or a joint and one of these follow or come before: "engineering" in "engineering-platform",
"TKT-100" in "TKT-1000", "1.2" in "1.2.1", "Smith" in "Smithson".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

WORDS_MAX = 24  # of a question; a longer one is a text
NAME_WORDS_MAX = 3  # so few words alone are a name
QUESTION_CHARS_MAX = 1_000
TEXT_CHARS_MAX = 6_000

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PART = rf"[^\W_{_UNSPACED}]"
_JOINT = r"[-._/:@+#\\]"
_NAME = re.compile(rf"/?{_PART}+(?:(?:{_JOINT}|_){_PART}+)*")
_CODE = re.compile(rf"\d|_|{_JOINT}")
_JOINED = re.compile(rf"{_JOINT}+{_PART}")
_JOINED_BEFORE = re.compile(rf"{_PART}{_JOINT}")
_GOES_ON = re.compile(rf"_*{_PART}|{_JOINT}+{_PART}")
_BEFORE = re.compile(rf"(?s:.)?(?:_|{_PART})|{_PART}{_JOINT}")


def find_exact(question: str, texts: Sequence[str]) -> tuple[int, str] | None:
    """Return the place of the answer to stand first, with the name that it holds exactly; None where the order stays.

    `texts` are the best answers in order.
    """
    if len(texts) < 2 or len(question) > QUESTION_CHARS_MAX:
        return None
    words = _list_words(question)
    low = [text[:TEXT_CHARS_MAX].casefold() for text in texts]
    known = [word for word in words if _holds_exactly(low[0], word)]
    missed = [word for word, sort in words.items() if word not in known and _is_missed(low[0], word, sort)]
    if not missed:
        return None
    for place, text in enumerate(low[1:], start=1):
        exact = next((word for word in missed if _holds_exactly(text, word)), None)
        if exact is not None and all(_holds_exactly(text, word) for word in known):
            return place, exact
    return None


def _list_words(question: str) -> dict[str, str]:
    """Return the words of a question in small letters, and of what sort each is.

    A `code` has a joint or a digit; a `name` is written as one, or stands alone; anything else is a `word`. A number in
    groups is left to the index, which joins them.
    """
    matches = [*_NAME.finditer(question)]
    grouped = {
        begin
        for one, other in pairwise(matches)
        if other.start() - one.end() == 1 and one.group()[-1].isdigit() and other.group()[0].isdigit()
        for begin in (one.start(), other.start())
    }
    found = [(one.start(), one.group()) for one in matches if one.start() not in grouped]
    few = len(found) <= NAME_WORDS_MAX
    sorts = {
        word.casefold(): "code"
        if _CODE.search(word)
        else "name"
        if len(found) == 1 or (word[0].isupper() and (begin > 0 or few))
        else "word"
        for begin, word in found
    }
    return dict(list(sorts.items())[:WORDS_MAX])


def _is_missed(text: str, word: str, sort: str) -> bool:
    """True where a text that does not hold a word exactly holds something longer, or lacks what is a code.

    A plain word goes on where a joint does: of "camping" for "camp" the stem is the same.
    """
    if sort == "code":
        return True
    if sort == "name":
        return word in text
    return any(
        _JOINED.match(text, begin + len(word)) or _JOINED_BEFORE.fullmatch(text[max(0, begin - 2) : begin])
        for begin in _find_each(text, word)
    )


def _holds_exactly(text: str, name: str) -> bool:
    """True where a name stands in a text and goes on neither before nor behind."""
    return any(
        not _GOES_ON.match(text, begin + len(name)) and not _BEFORE.fullmatch(text[max(0, begin - 2) : begin])
        for begin in _find_each(text, name)
    )


def _find_each(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands in a text, also within words."""
    begin = text.find(name)
    while begin >= 0:
        yield begin
        begin = text.find(name, begin + 1)
