"""The lists of all languages by section: each is made when it is first asked for. Knows no file.

`SIGNALS["de"]` is one language's; lists that are asked of all languages at once are joined by a function.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Generic, TypeVar

from remanence.languages import shapes
from remanence.languages.language_files import COMMON, build, load_languages
from remanence.languages.notation import Lists

T = TypeVar("T", bound=Lists)


class Family(Mapping[str, T], Generic[T]):
    """Code → what is made of a language's lists: of languages written with blanks, of the others, or of both."""

    def __init__(self, shape: type[T], section: str, *, spaced: bool | None = None) -> None:
        self._shape, self._section, self._spaced = shape, section, spaced

    def __getitem__(self, code: str) -> T:
        return self._lists[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)

    @cached_property
    def _lists(self) -> dict[str, T]:
        return {
            one.code: build(self._shape, self._section, one)
            for one in load_languages()
            if one.code != COMMON and self._spaced in (None, one.spaced)
        }


def _join(shape: type[T], section: str) -> T:
    return build(shape, section, *load_languages())


LEXICONS = Family(shapes.Lexicon, "words", spaced=True)
CONTRASTS = Family(shapes.Contrasts, "words", spaced=False)
SIGNALS = Family(shapes.Signals, "signals")
SMALL_TALK = Family(shapes.SmallTalk, "small_talk", spaced=True)
TOPICS = Family(shapes.Topics, "topics")
QUESTIONS = Family(shapes.QuestionWords, "questions")
WHEN = Family(shapes.WhenWords, "when")

# What is asked of all languages at once: a short text does not say which it is in.
load_small_talk: Callable[[], shapes.SmallTalk] = cache(partial(_join, shapes.SmallTalk, "small_talk"))
load_common_words: Callable[[], shapes.CommonWords] = cache(partial(_join, shapes.CommonWords, "common"))
