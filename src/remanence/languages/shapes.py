"""The shapes of what a language file holds, a class a section: each field is a key, and says how its list is written.

All words are lower-case, apostrophes straight. What a file does not have is empty.
"""

from collections.abc import Mapping

from remanence.languages.notation import (
    CHARACTERS,
    NUMBERED,
    PAIRS,
    TEXTS,
    YES_NO,
    Lists,
    choice_table,
    choices,
    entries,
    phrase_table,
    phrases,
    words,
)

PhraseTable = Mapping[str, tuple[str, ...]]
WordSet = frozenset[str]
BEGINS, GAP = "^*", "~"


class Lexicon(Lists):
    """Word lists of one language.

    `stop` are function words: left out of the index, and what tells a language; those that are `weighty` a condensed
    text keeps, since without them it could say something else. `past_endings` mark a past tense on
    words of five letters and more that are not in `not_past`. `months` maps a name to 1–12. `offers` are phrases.
    `case_bearing` are words whose capital changes their meaning even at the start of a sentence, `abbreviations` those
    that mean something else where they are written in capitals alone.
    `opposites` maps a word to those that say the contrary; `negative_prefixes` make a word its own contrary.
    `contractions` maps a word to what else it is written as. `names_by_capital` is false where ordinary nouns are
    written with a capital. `labels` before a colon say what sort of line it is.
    """

    stop: WordSet = words()
    negations: WordSet = words()
    weighty: WordSet = words()
    number_words: WordSet = words()
    months: Mapping[str, int] = entries(NUMBERED)
    time_words: WordSet = words()
    first_person: WordSet = words()
    second_person: WordSet = words()
    past: WordSet = words()
    past_endings: tuple[str, ...] = phrases()
    not_past: WordSet = words()
    kin: WordSet = words()
    reactions: WordSet = words()
    offers: tuple[str, ...] = phrases()
    case_bearing: WordSet = words()
    abbreviations: WordSet = words()
    opposites: Mapping[str, WordSet] = entries(PAIRS)
    negative_prefixes: tuple[str, ...] = phrases()
    contractions: Mapping[str, str] = entries(TEXTS)
    names_by_capital: bool = entries(YES_NO)
    labels: WordSet = words()


class QuestionWords(Lists):
    """What questions of one language only ask with.

    `asking` are words that a question has and what answers it lacks: recall leaves them out.
    """

    asking: WordSet = words()


def _numbers(last: int, first: int = 1) -> tuple[str, ...]:
    return tuple(map(str, range(first, last + 1)))


class WhenWords(Lists):
    """Words of one language by which a question says which time it asks about; `read/when.py` has their grammar.

    `days_back` are days by how many they lie back (0 is today), `weekdays` 1 (Monday) to 7, `months` 1 to 12 (where
    words are written with blanks beside those of `words`), `numbers` those in letters. `last` and `this` stand beside a
    unit, a weekday or a month, `at` before one, `ago_before` and `ago_after` around a number and its unit; with `since`
    before it or `since_after` after it a time goes on to the present. `apart` before an expression and `apart_after`
    behind it make it another one: what comes before or after it, or next. `of` and `between` may stand within one; a
    number after `of` counts from what stands before that. `before_event` and `after_event` stand between a stretch of
    time and the event that it is counted from (`read/event_times.py`).
    """

    days_back: PhraseTable = phrase_table("", *_numbers(3, 0))
    weekdays: PhraseTable = phrase_table("", *_numbers(7))
    months: PhraseTable = phrase_table("", *_numbers(12))
    numbers: PhraseTable = phrase_table("", *_numbers(31))
    units: PhraseTable = phrase_table("", "day", "week", "month", "year", "weekend")
    last: tuple[str, ...] = phrases()
    this: tuple[str, ...] = phrases()
    ago_before: tuple[str, ...] = phrases()
    ago_after: tuple[str, ...] = phrases()
    at: tuple[str, ...] = phrases()
    since: tuple[str, ...] = phrases()
    since_after: tuple[str, ...] = phrases()
    apart: tuple[str, ...] = phrases()
    apart_after: tuple[str, ...] = phrases()
    of: tuple[str, ...] = phrases()
    between: tuple[str, ...] = phrases()
    before_event: tuple[str, ...] = phrases()
    after_event: tuple[str, ...] = phrases()


class Contrasts(Lists):
    """What tells two texts apart in a script written without blanks: characters that say the contrary, negations.

    `small` are signs that hold words together and name nobody.
    """

    small: str = entries(CHARACTERS)
    opposites: Mapping[str, WordSet] = entries(PAIRS)
    negations: tuple[str, ...] = phrases()


class Signals(Lists):
    """The phrases by which people of one language say what is to be kept.

    `word*` is a word that begins so, `~` up to six words, `^` the beginning of a sentence, of which a mark at the end
    is no word. In a language that is not `spaced` they are characters, and `~` is up to twelve of them.

    `high` tells a lasting truth or a standing order, by class; `orders` are those that hold also within a question
    ("could you always …"). `medium` and `low` tell habits, views and hints. What overlaps one of `empty` is no more
    than a hint; a sentence with one of `vetoes` tells nothing, and no sentence does where one of `jokes` is. A
    sentence that has one of `passing` gives no order that lasts.
    """

    high: PhraseTable = choice_table(
        BEGINS + GAP, "standing order", "correction", "identity", "decision", "preference", "remember"
    )
    orders: tuple[str, ...] = choices(BEGINS + GAP)
    medium: PhraseTable = choice_table(BEGINS + GAP, "habit", "preference", "opinion", "team", "stack")
    low: PhraseTable = choice_table(BEGINS + GAP, "view", "shared", "hedge", "general")
    passing: tuple[str, ...] = choices(BEGINS + GAP)
    vetoes: tuple[str, ...] = choices(BEGINS + GAP)
    empty: tuple[str, ...] = choices(BEGINS + GAP)
    jokes: tuple[str, ...] = choices(BEGINS + GAP)


class SmallTalk(Lists):
    """Words of small talk: greetings, thanks, assent, parting, hesitation.

    A text is empty where one of `core` is in it and all else is of `core` or `beside` of one language; words of
    `beside` alone may say something. `whole` may make up a whole text of a script without blanks, `laughs` are
    syllables of laughter, `progress` words of a bar, and `rows` those of a keyboard.
    """

    core: WordSet = words()
    beside: WordSet = words()
    whole: WordSet = words()
    laughs: WordSet = words()
    progress: WordSet = words()
    rows: tuple[str, ...] = phrases()


class Topics(Lists):
    """Phrases that open another matter, and that say how one ended.

    Of spaced languages apostrophes are out, and each counts as whole words; of others wherever they stand.
    """

    opens: tuple[str, ...] = phrases()
    succeeded: tuple[str, ...] = phrases()
    failed: tuple[str, ...] = phrases()
    partly: tuple[str, ...] = phrases()


class UnlistedWords(Lists):
    """Frequent words of languages without word lists, by which a text shows that it is in one of them."""

    words: WordSet = words()


class Units(Lists):
    """Symbols of units that are another unit in other letters."""

    symbols: WordSet = words()


class SpeakerWords(Lists):
    """Names that programs are spoken of by.

    Nobody is called one of `assistants` but a program that answers; `doubtful` are names of programs and of people or
    pets: what they say decides. `beside` stands beside such a name and names nobody by itself.
    """

    assistants: WordSet = words()
    systems: WordSet = words()
    doubtful: WordSet = words()
    beside: WordSet = words()


SECTIONS: Mapping[str, type[Lists]] = {
    "words": Lexicon,
    "signals": Signals,
    "small_talk": SmallTalk,
    "topics": Topics,
    "questions": QuestionWords,
    "when": WhenWords,
    "speakers": SpeakerWords,
    "units": Units,
    "unlisted": UnlistedWords,
}
# Of languages written without blanks some sections have another shape.
SECTIONS_UNSPACED: Mapping[str, type[Lists]] = {
    **SECTIONS,
    "words": Contrasts,
}
