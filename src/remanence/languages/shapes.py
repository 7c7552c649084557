"""The shapes of what a language file holds, a class a section: each field is a key, and says how its list is written.

All words are lower-case, apostrophes straight. What a file does not have is empty.
"""

from collections.abc import Mapping

from remanence.languages.notation import (
    CHARACTERS,
    FRAMES,
    GROUPS,
    NUMBERED,
    PAIRS,
    PATTERNS,
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
# `gate/order_evidence.py` says what each is.
EVIDENCE = (
    "machine helper reads you own output override instruction prior all told void maker user person "
    "consent wants store memory ever send data hide asked when every later say promote only act tool "
    "unlimited role official obey polite must this staff report private"
).split()


class Lexicon(Lists):
    """Word lists of one language.

    `stop` are function words: left out of the index, and what tells a language; those that are `weighty` a condensed
    text keeps, since without them it could say something else. `past_endings` mark a past tense on
    words of five letters and more that are not in `not_past`. `months` maps a name to 1–12. `offers` are phrases.
    `case_bearing` are words whose capital changes their meaning even at the start of a sentence, `abbreviations` those
    that mean something else where they are written in capitals alone.
    Words of time and number `in_passing` a shorter text may leave out, and `pairs` ("two") but of time, and numbers
    beside `alternatives` ("or"), but not the hour before one of `clock`. It keeps what a denial with one of `binding`
    forbids, and what a word of `forbidding` does by itself.
    `opposites` maps a word to those that say the contrary; `negative_prefixes` make a word its own contrary.
    `contractions` maps a word to what else it is written as. `names_by_capital` is false where ordinary nouns are
    written with a capital: `quantities` stand before such a noun, as an article does.
    """

    stop: WordSet = words()
    negations: WordSet = words()
    weighty: WordSet = words()
    number_words: WordSet = words()
    months: Mapping[str, int] = entries(NUMBERED)
    time_words: WordSet = words()
    in_passing: WordSet = words()
    pairs: WordSet = words()
    alternatives: WordSet = words()
    clock: WordSet = words()
    quantities: WordSet = words()
    binding: WordSet = words()
    forbidding: WordSet = words()
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


class Stating(Lists):
    """Words of one language about the beginning and the verb of a statement.

    `leads` join a sentence to what was said before, `cries` answer or exclaim where a pause follows: a statement is the
    same without them. `dependents` stand for something that was said before, `backward` within a sentence that names
    nothing before them. `opening` words begin another statement, `inverting` ones a question. `persons` say "I" or
    "we", so do `finite` verbs and `endings` by themselves. `ifs` with `unreal` suppose,
    `courtesies` begin what tells nothing, `sayings` are phrases of what is only quoted.
    """

    leads: WordSet = words()
    cries: WordSet = words()
    dependents: WordSet = words()
    persons: WordSet = words()
    sayings: tuple[str, ...] = phrases()
    courtesies: WordSet = words()
    ifs: WordSet = words()
    unreal: WordSet = words()
    backward: WordSet = words()
    opening: WordSet = words()
    inverting: WordSet = words()
    finite: WordSet = words()
    endings: tuple[str, ...] = phrases()


class UnspacedStating(Lists):
    """Signs that a sentence begins with where it speaks of what was said before, and those of what is only quoted."""

    dependents: tuple[str, ...] = phrases()
    sayings: tuple[str, ...] = phrases()


class Contrasts(Lists):
    """What tells two texts apart in a script written without blanks: characters that say the contrary, negations."""

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


class Assertions(Lists):
    """Phrases of one language by what they do in a sentence: it asks, asks for, supposes, states.

    A phrase that begins with `^` counts only where a sentence begins with it, one that ends in `*` as the
    beginning of a word. `mute` are words that say nothing lasting: a sentence of them alone is talk. `possessives` are
    "my", `copulas` are what stands between a subject and what is said of it. Languages that are not `spaced` are
    searched by character.
    """

    vetoes: PhraseTable = phrase_table(BEGINS, "requests", "supposes", "wishes", "plays", "passing", "errors")
    categories: PhraseTable = phrase_table(
        BEGINS, "decision", "commitment", "principle", "preference", "moment", "relationship", "skill",
        "entity",
    )  # fmt: skip
    weights: PhraseTable = phrase_table(BEGINS, "state", "opinions", "confirms")
    importance: PhraseTable = phrase_table(BEGINS, "critical", "high")
    kinds: PhraseTable = phrase_table(BEGINS, "episode")
    mute: WordSet = words()
    possessives: WordSet = words()
    copulas: WordSet = words()


class ChangeLists(Lists):
    """Phrases by which one language tells that something is otherwise than before; one with `*` is how a word begins.

    `onward` say that something holds from now on, `now` that it holds these days, `lately` may say so and mostly say
    something else: for how long, why, at last. `shifts` say that it became another one, `corrects` that it was said or
    understood wrongly, `refutes` no to what was said before, `reaches` what a value went to, `ends` that it is over,
    given up or gone, `anymore` that too with a denial, `turns` that a state is the contrary of before. `doubts` say
    that nothing changed: what is supposed, wished, planned, heard, past, told in passing or comes beside what was.
    `today` say that something is so for a time alone; `denies` deny.
    """

    onward: tuple[str, ...] = phrases("*")
    now: tuple[str, ...] = phrases("*")
    lately: tuple[str, ...] = phrases("*")
    shifts: tuple[str, ...] = phrases("*")
    corrects: tuple[str, ...] = phrases("*")
    refutes: tuple[str, ...] = phrases("*")
    reaches: tuple[str, ...] = phrases("*")
    ends: tuple[str, ...] = phrases("*")
    anymore: tuple[str, ...] = phrases("*")
    turns: tuple[str, ...] = phrases("*")
    doubts: tuple[str, ...] = phrases("*")
    today: tuple[str, ...] = phrases("*")
    denies: tuple[str, ...] = phrases("*")


class Telling(Lists):
    """The words by which one language tells what holds of something, and that it is another now.

    `attributes` maps a verb as it is said of what holds to its group; `others` are verbs of one thing each, of
    which only a value of the same kind is another one; `changes` are verbs and participles that say a value is
    another one, `into` what stands before the new value. `labels` before a colon say nothing. `offices` are nouns that
    have one value at a time, a name; so has what one of `favourites` stands before, whatever it is. `bounds` stand
    before a number that is a bound, `definite` before what there is one of. `nobody` are subjects that name none by
    themselves, `own` verbs that speak of the speaker alone. `numbers` are words of numbers and hours beside those of
    `words`.
    """

    attributes: Mapping[str, str] = entries(GROUPS)
    others: WordSet = words()
    changes: WordSet = words()
    into: WordSet = words()
    labels: WordSet = words()
    offices: WordSet = words()
    favourites: WordSet = words()
    definite: WordSet = words()
    bounds: WordSet = words()
    articles: WordSet = words()
    prepositions: WordSet = words()
    nobody: WordSet = words()
    own: WordSet = words()
    weekdays: WordSet = words()
    every_weekday: WordSet = words()
    numbers: WordSet = words()
    colours: WordSet = words()


class UnspacedTelling(Lists):
    """Subjects that name nobody, in a language without blanks, and the one who speaks."""

    nobody: tuple[str, ...] = phrases()
    i: tuple[str, ...] = phrases()


class Ordering(Lists):
    """Words and phrases of one language by what they are evidence of: that a text orders a machine about.

    `your` stands before a thing, `leads` before a command, a word of `speech` beside a quotation, and `user_nouns`
    after a user who is not meant. `evidence` has the kinds that a word can be of, in small letters.
    """

    your: tuple[str, ...] = phrases()
    leads: tuple[str, ...] = phrases()
    user_nouns: tuple[str, ...] = phrases()
    speech: tuple[str, ...] = phrases()
    evidence: PhraseTable = phrase_table("", *EVIDENCE)


class AddressWords(Lists):
    """Small words that tell how others stand in an order, of all languages at once.

    `joins` are words after which a command may follow, where one came before; `notes` are words for a message, and to
    or for whom it is, `anybody` those for whom; `modals` follow `persons`; `denials` forbid what follows.
    """

    joins: WordSet = words()
    notes: WordSet = words()
    anybody: WordSet = words()
    greetings: WordSet = words()
    modals: WordSet = words()
    persons: WordSet = words()
    denials: WordSet = words()


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


class StatementWords(Lists):
    """What parts a sentence into statements, says that something is so of all, or only holds words together.

    What denies something before one of `turns_away` denies nothing after it; before one of `joins` it may deny what
    follows, too: who tells of it in two statements says so in both. `denies_nothing` are counted as negations elsewhere
    ("nur noch"), or words of a script without blanks in which a sign denies nothing. What somebody does no more is
    denied, too, and what somebody doubts, refuses, only pretends or failed to do: `ended`. `small` are signs that hold
    words together and name nobody. `speakers` is what a fact may call the speaker of a turn that names none, `days` how
    many days after the day of a turn the one lies that it names so.
    `unlisted` are frequent words of languages without word lists, by which a text shows that it is in one of them.
    """

    turns_away: WordSet = words()
    joins: WordSet = words()
    universal: WordSet = words()
    denies_nothing: WordSet = words()
    ended: WordSet = words()
    unlisted: WordSet = words()
    unlisted_negations: WordSet = words()
    elided_negation: WordSet = words()
    small: str = entries(CHARACTERS)
    speakers: WordSet = words()
    days: Mapping[str, int] = entries(NUMBERED)


class ThirdPerson(Lists):
    """How a statement in the first person is said of someone else, where that can be done by words alone.

    `modals` and `adverbs` stay as they are, `forms` and `contractions` become another word, `verbs` take an s.
    `unclear` are their own past, so that nobody can tell which they are; `turning` turn the sentence around before "I".
    `others` speak of more than the speaker. `persons` and `particles` are of scripts without blanks.
    """

    modals: WordSet = words()
    adverbs: WordSet = words()
    forms: Mapping[str, str] = entries(TEXTS)
    contractions: Mapping[str, str] = entries(TEXTS)
    verbs: WordSet = words()
    unclear: WordSet = words()
    turning: WordSet = words()
    others: WordSet = words()
    persons: tuple[str, ...] = phrases()
    particles: tuple[str, ...] = phrases()


class Units(Lists):
    """Symbols of units that are another unit in other letters, and what is counted or measured in."""

    symbols: WordSet = words()
    measures: WordSet = words()


class SpeakerWords(Lists):
    """Names that programs are spoken of by.

    Nobody is called one of `assistants` but a program that answers; `doubtful` are names of programs and of people or
    pets: what they say decides. `beside` stands beside such a name and names nobody by itself.
    """

    assistants: WordSet = words()
    systems: WordSet = words()
    doubtful: WordSet = words()
    beside: WordSet = words()


class NameWords(Lists):
    """What tells a name from a word where a capital does not.

    `given` are common given names that are no ordinary word of the languages with word lists. `roles` is what a person
    is to somebody or does: "my landlord is Marcus Hale"; after one of `called` a name follows. `peoples` (and
    languages, feasts and directions) name nothing alone, and may begin a name; `no_names` have a capital and are no
    part of a name; `counted` are nouns that a number follows where nothing is named: "Room 3"; `opening` words stand
    before a name at the beginning of a sentence without being a part of it. The other lists are of languages without
    a file.
    """

    given: WordSet = words()
    roles: WordSet = words()
    called: WordSet = words()
    peoples: WordSet = words()
    no_names: WordSet = words()
    counted: WordSet = words()
    opening: WordSet = words()
    russian_leads: WordSet = words()
    russian_oblique: WordSet = words()
    russian_both: WordSet = words()
    russian_cases: Mapping[str, str] = entries(TEXTS)
    greek_articles: WordSet = words()
    greek_oblique: WordSet = words()
    organised: WordSet = words()
    korean_families: str = entries(CHARACTERS)
    korean_words: tuple[str, ...] = phrases()
    korean_honored: tuple[str, ...] = phrases()


class UnspacedNames(Lists):
    """What tells a name in a script without blanks.

    `family_signs` are family names of one sign, `double_families` of two, `family_names` of any. A name follows one of
    `before` and one of `beside`, and one of `after` follows a name that begins a clause. `ordinary` words begin like a
    family name and are none. No name ends in one of `no_end`; `lets` may stand right before a name with a title; what
    begins with one of `not_led` is no company's name, which ends in one of `companies`. Whom a word of `nobody` before
    an honorific stands for is nobody by name, and what ends in one of `places` is a place.
    """

    family_signs: str = entries(CHARACTERS)
    double_families: tuple[str, ...] = phrases()
    titles: tuple[str, ...] = phrases()
    before: tuple[str, ...] = phrases()
    beside: tuple[str, ...] = phrases()
    after: tuple[str, ...] = phrases()
    ordinary: tuple[str, ...] = phrases()
    no_end: tuple[str, ...] = phrases()
    lets: str = entries(CHARACTERS)
    not_led: tuple[str, ...] = phrases()
    companies: tuple[str, ...] = phrases()
    family_names: WordSet = words()
    nobody: WordSet = words()
    honorifics: tuple[str, ...] = phrases()
    places: str = entries(CHARACTERS)


class SameNames(Lists):
    """Which words between two names say that both are one, or that they are two.

    A pattern is what stands between the first name and the second, blanks and commas off. `stated` says so of
    whatever the two are names of; `stated_apart` only after a comma or a bracket: without one its words say that
    somebody does something; `restated` not of places, where the second is as often what the first is part of; `renamed`
    of what can be renamed and is in no place; `byname` of a full name and a short one. `framed` says also what must
    stand right before the first name and after the second. `different` says that the first and the second are two.

    Right before a name one of `another` says that there are two who bear it. One of `doubt` makes a statement none: a
    question is told by its mark. `generations` tell those of one name and family apart, and never stand in both names
    of one. What is joined may follow a name at once, or stand joined before it: words of grammar, not of names.
    """

    stated: tuple[str, ...] = entries(PATTERNS)
    stated_apart: tuple[str, ...] = entries(PATTERNS)
    restated: tuple[str, ...] = entries(PATTERNS)
    renamed: tuple[str, ...] = entries(PATTERNS)
    byname: tuple[str, ...] = entries(PATTERNS)
    different: tuple[str, ...] = entries(PATTERNS)
    framed: tuple[tuple[str, str, str], ...] = entries(FRAMES)
    another: WordSet = words()
    doubt: WordSet = words()
    doubt_unspaced: tuple[str, ...] = phrases()
    generations: WordSet = words()
    titles: WordSet = words()
    joined_chinese: str = entries(CHARACTERS)
    joined_korean: tuple[str, ...] = phrases()
    joined_hebrew: str = entries(CHARACTERS)
    joined_arabic: tuple[str, ...] = phrases()


SECTIONS: Mapping[str, type[Lists]] = {
    "words": Lexicon,
    "signals": Signals,
    "assertions": Assertions,
    "statements": StatementWords,
    "changes": ChangeLists,
    "claims": Telling,
    "third_person": ThirdPerson,
    "names": NameWords,
    "same_names": SameNames,
    "small_talk": SmallTalk,
    "topics": Topics,
    "orders": Ordering,
    "address": AddressWords,
    "questions": QuestionWords,
    "when": WhenWords,
    "stating": Stating,
    "speakers": SpeakerWords,
    "units": Units,
}
# Of languages written without blanks some sections have another shape.
SECTIONS_UNSPACED: Mapping[str, type[Lists]] = {
    **SECTIONS,
    "words": Contrasts,
    "claims": UnspacedTelling,
    "names": UnspacedNames,
    "stating": UnspacedStating,
}
