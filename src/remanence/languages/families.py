"""The lists of all languages by section: each is made when it is first asked for. Knows no file.

`SIGNALS["de"]` is one language's; lists that are asked of all languages at once are joined by a function.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Generic, TypeVar

from remanence.languages.language_files import COMMON, Language, build, load_languages
from remanence.languages.shapes import (
    AddressWords,
    Assertions,
    Contrasts,
    Lexicon,
    NameWords,
    Ordering,
    QuestionWords,
    SameNames,
    Signals,
    SmallTalk,
    SpeakerWords,
    StatementWords,
    Stating,
    Telling,
    ThirdPerson,
    Topics,
    Units,
    UnspacedNames,
    UnspacedStating,
    UnspacedTelling,
    WhenWords,
)

T = TypeVar("T")


class Family(Mapping[str, T], Generic[T]):
    """Code → what is made of a language's lists: of languages written with blanks, of the others, or of both."""

    def __init__(self, make: Callable[[Language], T], *, spaced: bool | None = None) -> None:
        self._make, self._spaced = make, spaced

    def __getitem__(self, code: str) -> T:
        return self._lists[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)

    @cached_property
    def _lists(self) -> dict[str, T]:
        return {
            one.code: self._make(one)
            for one in load_languages()
            if one.code != COMMON and self._spaced in (None, one.spaced)
        }


LEXICONS: Family[Lexicon] = Family(partial(build, Lexicon, "words"), spaced=True)
CONTRASTS: Family[Contrasts] = Family(partial(build, Contrasts, "words"), spaced=False)
SIGNALS: Family[Signals] = Family(partial(build, Signals, "signals"))
ASSERTIONS: Family[Assertions] = Family(partial(build, Assertions, "assertions"))
STATEMENTS: Family[StatementWords] = Family(partial(build, StatementWords, "statements"))
TELLING: Family[Telling] = Family(partial(build, Telling, "claims"), spaced=True)
UNSPACED_TELLING: Family[UnspacedTelling] = Family(partial(build, UnspacedTelling, "claims"), spaced=False)
THIRD_PERSON: Family[ThirdPerson] = Family(partial(build, ThirdPerson, "third_person"))
UNSPACED_NAMES: Family[UnspacedNames] = Family(partial(build, UnspacedNames, "names"), spaced=False)
SMALL_TALK: Family[SmallTalk] = Family(partial(build, SmallTalk, "small_talk"), spaced=True)
TOPICS: Family[Topics] = Family(partial(build, Topics, "topics"))
ORDERS: Family[Ordering] = Family(partial(build, Ordering, "orders"), spaced=True)
STATING: Family[Stating] = Family(partial(build, Stating, "stating"), spaced=True)
UNSPACED_STATING: Family[UnspacedStating] = Family(partial(build, UnspacedStating, "stating"), spaced=False)
QUESTIONS: Family[QuestionWords] = Family(partial(build, QuestionWords, "questions"))
WHEN: Family[WhenWords] = Family(partial(build, WhenWords, "when"))
UNSPACED_ORDERS: Family[Ordering] = Family(partial(build, Ordering, "orders"), spaced=False)


@cache
def load_statement_words() -> StatementWords:
    """Return the words of all languages that hold statements together."""
    return build(StatementWords, "statements", *load_languages())


@cache
def load_name_words() -> NameWords:
    """Return what tells names in all languages written with blanks."""
    return build(NameWords, "names", *(one for one in load_languages() if one.spaced or one.code == COMMON))


@cache
def load_same_names() -> SameNames:
    """Return which words between two names say that both are one, in all languages."""
    return build(SameNames, "same_names", *load_languages())


@cache
def load_small_talk() -> SmallTalk:
    """Return the words of small talk of all languages at once."""
    return build(SmallTalk, "small_talk", *load_languages())


@cache
def load_address_words() -> AddressWords:
    """Return the small words of all languages that tell how others stand in an order."""
    return build(AddressWords, "address", *load_languages())


@cache
def load_speaker_words() -> SpeakerWords:
    """Return the names that programs are spoken of by."""
    return build(SpeakerWords, "speakers", *load_languages())


@cache
def load_units() -> Units:
    """Return units of all languages: a short text does not say which one it is in."""
    return build(Units, "units", *load_languages())
