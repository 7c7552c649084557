"""Which languages a scope speaks, by some of its texts, and what that says of a question. Knows texts, no store.

A text of a few words says too little of its language; a scope that was heard says which ones a question may be in.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from remanence import languages
from remanence.languages import LEXICONS
from remanence.languages.families import QUESTIONS
from remanence.text.analysis import lexicon_of, readings

SPOKEN_SHARE_MIN = 0.01  # of the texts, for a language that questions may be in
FUNCTION_SHARE_MIN = 0.02  # of the texts of a language, for a word that says nothing in it
_ENGLISH = "en"


class HeardText(NamedTuple):
    """The language of a text, "" where nothing tells it, and the words in it that are function words anywhere else."""

    language: str
    words: frozenset[str]


def hear_text(text: str) -> HeardText:
    """Return the language that a text is in, and which words of it other languages have as function words."""
    read = readings(text)
    folded = [word for reading in read if reading.foreign for word in reading.folded]
    code = lexicon_of(read).code
    if code == _ENGLISH and not any(
        languages.speaks_english(word) for reading in read for word in reading.folded
    ):
        code = ""
    return HeardText(code, frozenset(filter(languages.speaks_foreign, folded)))


class SpokenLanguages:
    """What was heard of a scope: how many texts are in each language, and in which ones each function word stands."""

    def __init__(self, heard: Collection[HeardText]) -> None:
        self._texts = Counter(one.language for one in heard if one.language)
        self._holding: dict[str, Counter[str]] = defaultdict(Counter)
        for one in heard:
            for word in one.words:
                self._holding[word][one.language] += 1
        least = SPOKEN_SHARE_MIN * len(heard)
        self.foreign = tuple(
            code for code, count in self._texts.items() if code != _ENGLISH and count >= least
        )

    def guess_languages(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the languages that a question may be in: those that most of its words speak for, else all."""
        if not self.foreign:
            return (_ENGLISH,)
        codes = (_ENGLISH, *self.foreign)
        votes = {code: sum(word in LEXICONS[code].stop for word in words) for code in codes}
        most = max(votes.values())
        return tuple(code for code in codes if votes[code] == most) if most else self.foreign

    def is_function_word(self, word: str, among: Sequence[str], *, is_held: bool = True) -> bool:
        """Tell whether a word of a question says nothing: in one of these languages, as it is spoken here.

        French *car* (for) is none where those who say *car* speak English. Of a word that the index has of no memory
        (not `is_held`) nobody can say otherwise.
        """
        if any(word in QUESTIONS[code].asking for code in among):
            return True
        codes = [code for code in among if code != _ENGLISH and word in LEXICONS[code].stop]
        holding = self._holding.get(word)
        if holding is None or not is_held:
            return bool(codes) and not is_held
        return any(
            holding[code] >= max(FUNCTION_SHARE_MIN * self._texts[code], holding[_ENGLISH]) for code in codes
        )
