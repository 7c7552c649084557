"""The shapes of what a language file holds, a class a section: each field is a key, and says how its list is written.

All words are lower-case, apostrophes straight. What a file does not have is empty.
"""

from collections.abc import Mapping

from remanence.languages.notation import (
    PHRASES,
    SHORT_FORMS,
    WORDS,
    YES_NO,
    Lists,
    choices,
    number_list,
    table,
)

PhraseTable = Mapping[str, tuple[str, ...]]
WordSet = frozenset[str]
MARKS = "(|)^*~"


class Lexicon(Lists):
    """Word lists of one language.

    `stop` are function words: left out of the index, and what tells a language; those that are `weighty` a condensed
    text keeps, since without them it could say something else. `months` maps a name to 1–12. With `offers` an assistant
    offers what it could do.
    `case_bearing` are words whose capital changes their meaning even at the start of a sentence, `abbreviations` those
    that mean something else where they are written in capitals alone.
    `contractions` maps a word to what else it is written as. `names_by_capital` is false where ordinary nouns are
    written with a capital.
    """

    stop: WordSet = WORDS
    negations: WordSet = WORDS
    weighty: WordSet = WORDS
    number_words: WordSet = WORDS
    months: Mapping[str, int] = number_list()
    time_words: WordSet = WORDS
    first_person: WordSet = WORDS
    second_person: WordSet = WORDS
    offers: tuple[str, ...] = PHRASES
    case_bearing: WordSet = WORDS
    abbreviations: WordSet = WORDS
    contractions: Mapping[str, str] = SHORT_FORMS
    names_by_capital: bool = YES_NO


class QuestionWords(Lists):
    """What questions of one language only ask with.

    `asking` are words that a question has and what answers it lacks: recall leaves them out.
    """

    asking: WordSet = WORDS


class WhenWords(Lists):
    """Words of one language by which a question says which time it asks about; `read/when.py` has their grammar.

    `days_back` are days by how many they lie back (0 is today), `weekdays` 1 (Monday) to 7, `months` 1 to 12 (where
    words are written with blanks beside those of `words`), `numbers` those in letters. `last` and `this` stand beside a
    unit, a weekday or a month, `at` before one, `ago_before` and `ago_after` around a number and its unit; with `since`
    before it or `since_after` after it a time goes on to the present. `apart` before an expression and `apart_after`
    behind it make it another one: what comes before or after it, or next. `of` and `between` may stand within one; a
    number after `of` counts from what stands before that. `before_event` and `after_event` stand between a stretch of
    time and the event that it is counted from (`read/event_relative_times.py`).
    """

    days_back: Mapping[str, int] = number_list(0)
    weekdays: Mapping[str, int] = number_list()
    months: Mapping[str, int] = number_list()
    numbers: Mapping[str, int] = number_list()
    units: PhraseTable = table("", "day", "week", "month", "year", "weekend")
    last: tuple[str, ...] = PHRASES
    this: tuple[str, ...] = PHRASES
    ago_before: tuple[str, ...] = PHRASES
    ago_after: tuple[str, ...] = PHRASES
    at: tuple[str, ...] = PHRASES
    since: tuple[str, ...] = PHRASES
    since_after: tuple[str, ...] = PHRASES
    apart: tuple[str, ...] = PHRASES
    apart_after: tuple[str, ...] = PHRASES
    of: tuple[str, ...] = PHRASES
    between: tuple[str, ...] = PHRASES
    before_event: tuple[str, ...] = PHRASES
    after_event: tuple[str, ...] = PHRASES


class Contrasts(Lists):
    """What a script written without blanks denies with, and its small signs.

    `small` are signs that hold words together and name nobody, written as one word.
    """

    small: WordSet = WORDS
    negations: tuple[str, ...] = PHRASES


class Signals(Lists):
    """The phrases by which people of one language say what is to be kept.

    `word*` is a word that begins so, `~` up to six words, `^` the beginning of a sentence, of which a mark at the end
    is no word. In a language that is not `spaced` they are characters, and `~` is up to twelve of them.

    `high` tells a lasting truth or a standing order, by class; `orders` are those that hold also within a question
    ("could you always …"). `medium` and `low` tell habits, views and hints. What overlaps one of `empty` is no more
    than a hint; a sentence with one of `vetoes` tells nothing, and no sentence does where one of `jokes` is. A
    sentence that has one of `passing` gives no order that lasts.
    """

    high: PhraseTable = table(
        MARKS, "standing order", "correction", "identity", "decision", "preference", "remember"
    )
    orders: tuple[str, ...] = choices(MARKS)
    medium: PhraseTable = table(MARKS, "habit", "preference", "opinion", "team", "stack")
    low: PhraseTable = table(MARKS, "view", "shared", "hedge", "general")
    passing: tuple[str, ...] = choices(MARKS)
    vetoes: tuple[str, ...] = choices(MARKS)
    empty: tuple[str, ...] = choices(MARKS)
    jokes: tuple[str, ...] = choices(MARKS)


class SmallTalk(Lists):
    """Words of small talk: greetings, thanks, assent, parting, hesitation.

    A text is empty where one of `core` is in it and all else is of `core` or `beside` of one language; words of
    `beside` alone may say something. `whole` may make up a whole text of a script without blanks, `laughs` are
    syllables of laughter, `progress` words of a bar, and `rows` those of a keyboard.
    """

    core: WordSet = WORDS
    beside: WordSet = WORDS
    whole: WordSet = WORDS
    laughs: WordSet = WORDS
    progress: WordSet = WORDS
    rows: tuple[str, ...] = PHRASES


class Topics(Lists):
    """Phrases that open another matter, and that say how one ended.

    Of spaced languages apostrophes are out, and each counts as whole words; of others wherever they stand.
    """

    opens: tuple[str, ...] = PHRASES
    succeeded: tuple[str, ...] = PHRASES
    failed: tuple[str, ...] = PHRASES
    partly: tuple[str, ...] = PHRASES


class CommonWords(Lists):
    """Words that are asked of all languages at once, since a short text does not say which one it is in.

    Nobody is called one of `assistants` but a program that answers; `doubtful` are names of programs and of people or
    pets: what they say decides. `beside_names` stand beside such a name and name nobody by themselves. `units` are
    symbols that are another unit in other letters. By `unlisted`, frequent words of languages without word lists, a
    text shows that it is in one of them.
    """

    assistants: WordSet = WORDS
    systems: WordSet = WORDS
    doubtful: WordSet = WORDS
    beside_names: WordSet = WORDS
    units: WordSet = WORDS
    unlisted: WordSet = WORDS


SECTIONS: Mapping[str, type[Lists]] = {
    "words": Lexicon,
    "signals": Signals,
    "small_talk": SmallTalk,
    "topics": Topics,
    "questions": QuestionWords,
    "when": WhenWords,
    "common": CommonWords,
}
# Languages written without blanks have other words.
SECTIONS_UNSPACED: Mapping[str, type[Lists]] = {**SECTIONS, "words": Contrasts}
