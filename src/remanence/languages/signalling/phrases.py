"""The phrases by which people of one language say what is to be kept. Knows no text."""

from collections.abc import Mapping
from dataclasses import dataclass

Phrases = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Signals:
    """Phrases of one language by what they tell: words in small letters with blanks between, apostrophes straight.

    `a/b` is one of several words, `word*` a word that begins so, `~` up to six words, `^` the beginning of a sentence,
    of which a mark at the end is no word. In a language that is not `spaced` they are characters, and `~` is up to
    twelve of them.

    `high` tells a lasting truth or a standing order, by class; `orders` are those that hold also within a question
    ("could you always …"). `medium` and `low` tell habits, views and hints. What overlaps one of `empty` is no more
    than a hint; a sentence with one of `vetoes` tells nothing, and no sentence does where one of `jokes` is. A
    sentence that has one of `passing` gives no order that lasts.
    """

    code: str
    high: Phrases
    orders: tuple[str, ...]
    medium: Phrases
    low: Phrases
    passing: tuple[str, ...]
    vetoes: tuple[str, ...]
    empty: tuple[str, ...] = ()
    jokes: tuple[str, ...] = ()
    spaced: bool = True


def phrases(text: str) -> tuple[str, ...]:
    """Return phrases written with commas between them."""
    return tuple(" ".join(one.split()) for one in text.split(",") if one.strip())


def classes(**listed: str) -> dict[str, tuple[str, ...]]:
    """Return class → phrases."""
    return {name.replace("_", " "): phrases(text) for name, text in listed.items()}
