"""The lists of all languages by section: each is made when it is first asked for. Knows no file.

`SIGNALS["de"]` is one language's; lists that are asked of all languages at once are joined by a function.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Generic, TypeVar

from remanence.languages.language_files import COMMON, Language, build, load_languages
from remanence.languages.shapes import (
    Contrasts,
    Lexicon,
    QuestionWords,
    Signals,
    SmallTalk,
    SpeakerWords,
    Topics,
    Units,
    UnlistedWords,
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
SMALL_TALK: Family[SmallTalk] = Family(partial(build, SmallTalk, "small_talk"), spaced=True)
TOPICS: Family[Topics] = Family(partial(build, Topics, "topics"))
QUESTIONS: Family[QuestionWords] = Family(partial(build, QuestionWords, "questions"))
WHEN: Family[WhenWords] = Family(partial(build, WhenWords, "when"))


@cache
def load_small_talk() -> SmallTalk:
    """Return the words of small talk of all languages at once."""
    return build(SmallTalk, "small_talk", *load_languages())


@cache
def load_speaker_words() -> SpeakerWords:
    """Return the names that programs are spoken of by."""
    return build(SpeakerWords, "speakers", *load_languages())


@cache
def load_units() -> Units:
    """Return units of all languages: a short text does not say which one it is in."""
    return build(Units, "units", *load_languages())


@cache
def load_unlisted_words() -> UnlistedWords:
    """Return frequent words of languages that have no lists."""
    return build(UnlistedWords, "unlisted", *load_languages())
