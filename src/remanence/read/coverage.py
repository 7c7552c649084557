"""Whether a text covers what somebody made of it: its numbers, names, dates and negations, and most other words.

Knows texts and word lists; must not know who made it, nor what follows from it.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import pairwise

from remanence.core.patterns import Pattern
from remanence.languages import CONTRASTS, LEXICONS, UNLISTED, Lexicon
from remanence.languages.families import ASSERTIONS, STATEMENTS, TELLING, load_statement_words
from remanence.read.cues import language_code, lower_text, read_sentence
from remanence.read.statements import spans
from remanence.text.analysis import asks, lexicon_of, normalize_nfkc, readings
from remanence.text.summary import contrary

# Measured by `benchmarks.model_facts`: so much of what says something in a fact stands in its text.
WORDS_SHARE_MIN = 0.75
# Where what was said before lends words, so much of what says something in a fact stands in its text all the same: of
# 363 right facts of conversations 198 are covered then (170 without), and 10 of 2,858 that another turn states.
OWN_SHARE_MIN = 1 / 3
SPOKEN_OF_MIN = 0.5  # of a statement about what was spoken of, so much was said
PAIRS_SHARE_MIN = 0.4  # of pairs of signs, where words are written without blanks
_AFFIRMED_MAX = 1 / 3  # of what a fact denies, so much may be what the text affirms
_DENIED_MAX = 0.4  # of what a fact affirms, so much may be what the text denies
# Letters with which two forms of a word begin, their share of the shorter one, and letters that may follow.
_BEGIN_MIN, _BEGIN_SHARE, _ENDING_MAX = 3, 0.55, 4

_RUN = r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PIECE = Pattern(
    rf"(?P<number>\d+(?:[.,:/]\d+)*)|(?P<run>[{_RUN}]+)|(?P<word>[^\W\d_{_RUN}]+(?:['-][^\W\d_{_RUN}]+)*)"
    r"|(?P<end>[.!?…;:,，。、；：！？()\n–—])"
)
_SIGN = Pattern(rf"[{_RUN}]")
_THOUSANDS = Pattern(r"\d{1,3}(?:[.,]\d{3})+")
_KANA = Pattern(r"[\u3040-\u309f]")
_OTHER_SCRIPT = Pattern(rf"[^\W\d_\u0000-\u024f\u1e00-\u1eff{_RUN}]")
_UNLISTED_SHARE_MAX = 0.25  # of the small words, so many may be frequent in a language without lists
_MARKS = " .!…。！"
_OPENING = Pattern(r"\W*([^\W\d_]+(?:'[^\W\d_]+)*)(?![,:;!])")
_SUPPOSED = ("supposes", "plays")
_CLAUSE = Pattern(r"[^.!?…;,，。、；！？\n]*[.!?…;,，。、；！？\n]+|[^.!?…;,，。、；！？\n]+")
_DAY_SIGNS = ("年", "月", "日")
_ENDINGS = ("s", "n", "e", "en", "er", "es", "em")
_SMALL = {code: frozenset(STATEMENTS[code].small) for code in ("zh", "ja")}
_UNSPACED_NEGATIONS = tuple(sign for script in CONTRASTS for sign in script.negations)
# Words in which a sign denies nothing.
_DENYING_NOTHING = tuple(word for code in _SMALL for word in STATEMENTS[code].denies_nothing)
_ELIDED_NEGATIONS = tuple(load_statement_words().elided_negation)
_DENYING = frozenset(sign for sign in _UNSPACED_NEGATIONS if len(sign) == 1)
_NO_MARKS = str.maketrans("", "", ".,")
_QUESTION_MARKS = frozenset("?？")
_STRAIGHT = str.maketrans("’‘ʼ", "'''")
_ELIDED_CHARS = 2  # letters that stand before or after an apostrophe and are no word: l', d', 's, 'm, 've


@dataclass(slots=True)
class _StatementPart:
    """A statement of a text: whether it denies something, and the words and signs that say something in it."""

    denies: bool = False
    said: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _StatementReading:
    """What a text says, statement by statement."""

    parts: list[_StatementPart] = field(default_factory=lambda: [_StatementPart()])
    words: list[str] = field(default_factory=list)  # all of them
    said: list[str] = field(default_factory=list)  # those that say something
    named: list[str] = field(default_factory=list)  # those of them with a capital
    numbers: list[str] = field(default_factory=list)
    begins: str = ""  # the first word that is no small one
    signs: list[str] = field(default_factory=list)  # of scripts without blanks
    pairs: list[str] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)  # those within a word
    counted: list[tuple[str, str]] = field(default_factory=list)  # a number and what there is so much of
    counting: str = ""  # the number that stands right before

    def end(self) -> None:
        """End a statement."""
        if self.parts[-1].said or self.parts[-1].denies:
            self.parts.append(_StatementPart())

    def counts(self, word: str) -> None:
        """Note what stands right behind a number."""
        if self.counting:
            self.counted.append((self.counting, word))
        self.counting = ""

    def says(self, word: str) -> None:
        """Add what says something."""
        self.said.append(word)
        self.parts[-1].said.append(word)


@dataclass(frozen=True, slots=True)
class Context:
    """What a text is understood by: what was said `before` it, the latest last, and the question that it answers."""

    before: tuple[str, ...] = ()
    asked: str = ""


NO_CONTEXT = Context()


def find_uncovered(
    text: str,
    fact: str,
    speaker: str = "",
    said_on: date | None = None,
    context: Context = NO_CONTEXT,
) -> str:
    """Say what of a fact its text does not cover, "" where it covers it.

    The `speaker` may be named for "I", and the day for "yesterday", as of the day that the text was `said_on`. What its
    `context` affirms lends names and other words, but no number, day or denial, and nothing in scripts without blanks.
    """
    source, statement = _normalize(text), _normalize(fact)
    lexicon = lexicon_of(readings(f"{text} {fact}"))
    if statement.strip(_MARKS) in {source[begin:end].strip(_MARKS) for begin, end in spans(source)} - {""}:
        return ""
    if not _is_read(source, lexicon):  # what denies something there nobody here can tell
        return "anything: its language has no word lists here"
    apart = STATEMENTS[lexicon.code].turns_away
    there = _read(_select_statements(source, statement), lexicon, apart, frozenset())
    here = _read(statement, lexicon, apart | STATEMENTS[lexicon.code].joins, _own_names(speaker))
    if said_on is not None:
        _name_days(there, source, said_on, lexicon)
    lent = _LentWords.read(context, statement, lexicon)
    return (
        lent.find_misuse(there, here)
        or _find_added_word(there, here, lent.words, lexicon)
        or _find_reversed_denial(there, here)
        or _describe_excess(replace(there, words=[*there.words, *lent.words]), here)
    )


@dataclass(frozen=True, slots=True)
class _LentWords:
    """The words that a context lends: those that it affirms, and of these the ones of the question alone."""

    words: Sequence[str] = ()
    asked: Sequence[str] = ()
    named: Sequence[Sequence[str]] = ()  # names as they follow one another, by text

    @classmethod
    def read(cls, context: Context, fact: str, lexicon: Lexicon) -> "_LentWords":
        """Read a context, as far as it states something that a fact may state; of a question all."""
        if context == NO_CONTEXT:
            return cls()
        apart = STATEMENTS[lexicon.code].turns_away
        stated = (_select_statements(_normalize(one), fact) for one in context.before)
        read = [_read(one, lexicon, apart, frozenset()) for one in (*stated, _normalize(context.asked))]
        affirmed = [[word for part in one.parts if not part.denies for word in part.said] for one in read]
        before = [word for words in affirmed[:-1] for word in words]
        asked = [word for word in affirmed[-1] if not _has_word_form(word, before)]
        return cls([*before, *affirmed[-1]], asked, [one.named for one in read])

    def find_misuse(self, there: "_StatementReading", here: "_StatementReading") -> str:
        """Say what a fact that takes words from elsewhere leaves out of its own text, or turns round."""
        new = [word for word in here.said if not _has_word_form(word, there.words)]
        if not self.words or not any(_has_word_form(word, self.words) for word in new):
            return ""
        if _count_shared(there, here) < OWN_SHARE_MIN * (len(here.said) + len(here.signs)):
            return "most of it: that was said before, if at all"
        if any(_has_word_form(word, self.asked) for word in new):
            answer = next((part.said for part in there.parts if part.said), [])
            if left_out := [word for word in answer if not _has_word_form(word, [*here.words, *here.said])]:
                return f"the answer, {' '.join(left_out)!r}"
        return next((clash for names in self.named for clash in _find_swapped_names(names, here.named)), "")


def find_lenders(text: str, fact: str, speaker: str, before: Sequence[str]) -> list[int]:
    """Return which texts, of those said before, lend a fact the words that its own text lacks: of each the latest."""
    lexicon = lexicon_of(readings(f"{text} {fact}"))
    there, *earlier = (_read(_normalize(one), lexicon, frozenset(), frozenset()) for one in (text, *before))
    here = _read(_normalize(fact), lexicon, frozenset(), _own_names(speaker))
    lenders = {
        next((at for at in reversed(range(len(earlier))) if _holds(earlier[at], piece)), None)
        for piece in (*here.said, *here.signs)
        if not _holds(there, piece)
    }
    return sorted(at for at in lenders if at is not None)


def speaks_of(text: str, fact: str, speaker: str = "", context: Context = NO_CONTEXT) -> bool:
    """Tell whether a fact states something of what was spoken of: it begins as statements do, and half of it was said.

    Orders begin with what is to be done, or with whom they call upon and a pause; a statement with its speaker's name,
    or with an article.
    """
    lexicon = lexicon_of(readings(f"{text} {fact}"))
    opening = _OPENING.match(_normalize(fact))
    first = "" if opening is None else opening.group(1).casefold()
    articles = TELLING[lexicon.code].articles if lexicon.code in TELLING else frozenset[str]()
    names = _own_names(speaker) - load_statement_words().speakers
    head, apostrophe, _ = first.partition("'")
    if (articles | names).isdisjoint({first, first.removesuffix("s"), head, head + apostrophe}):
        return False
    texts = (text, *context.before, context.asked)
    said = _read(_normalize("\n".join(texts)), lexicon, frozenset(), frozenset())
    here = _read(_normalize(fact), lexicon, frozenset(), frozenset())
    return _count_shared(said, here) >= SPOKEN_OF_MIN * max(1, len(here.said) + len(here.signs))


def _normalize(text: str) -> str:
    return normalize_nfkc(text).translate(_STRAIGHT)


def _own_names(speaker: str) -> AbstractSet[str]:
    """Return the words of a speaker's name, and those by which speakers are named anywhere."""
    pieces = _PIECE.finditer(_normalize(speaker))
    names = {word.casefold() for piece in pieces for word in _words(piece.group())}
    return names | load_statement_words().speakers


def _holds(there: "_StatementReading", piece: str) -> bool:
    """Tell whether a text holds a word in some form, or a sign of a script without blanks."""
    return piece in there.signs or _has_word_form(piece, there.words)


def _count_shared(there: "_StatementReading", here: "_StatementReading") -> int:
    """Count what says something in a fact and stands in a text."""
    return sum(_holds(there, piece) for piece in (*here.said, *here.signs))


def _is_read(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a text is in a language with word lists: by its letters, and by its frequent words."""
    if _OTHER_SCRIPT.search(text):
        return False
    words = [word for read in readings(text) for word in read.folded]
    small = sum(word in lexicon.stop for word in words)
    return sum(word in UNLISTED for word in words) <= max(1, small * _UNLISTED_SHARE_MAX)


def _select_statements(text: str, fact: str) -> str:
    """Return of a text what it states; what it only asks or supposes a fact has to ask or suppose, too."""
    code = language_code(text)
    supposing = [phrase.lstrip("^") for name in _SUPPOSED for phrase in ASSERTIONS[code].vetoes[name]]
    low = lower_text(fact)
    if asks(fact) or any(_says(low, one, code) for one in supposing if one):
        return text
    sentences = (text[begin:end] for begin, end in spans(text))
    statements = (
        _without_questions(one) for one in sentences if not read_sentence(one, code).has(*_SUPPOSED)
    )
    return "\n".join(statements)


def _without_questions(sentence: str) -> str:
    """Return the parts of a sentence, between its marks, behind which no question mark stands."""
    return "".join(one for one in _CLAUSE.findall(sentence) if _QUESTION_MARKS.isdisjoint(one))


def _says(low: str, phrase: str, code: str) -> bool:
    """Tell whether a folded text says a phrase: of whole words where blanks stand between them, `*` for any ending."""
    words = phrase.removesuffix("*")
    if not ASSERTIONS[code].spaced:
        return phrase in low
    at = low.find(words)
    while at >= 0:
        end = at + len(words)
        if not low[at - 1 : at].isalnum() and (phrase != words or not low[end : end + 1].isalnum()):
            return True
        at = low.find(words, at + 1)
    return False


def _name_days(there: _StatementReading, text: str, said_on: date, lexicon: Lexicon) -> None:
    """Let a text that says "yesterday" name the day, as if it had its date beside it."""
    low = text.casefold()
    for word, days in load_statement_words().days.items():
        if _says(low, word, "ja" if _SIGN.match(word) else "en"):
            day = said_on + timedelta(days)
            there.numbers += [
                form for one in (day.day, day.month, day.year) for form in (f"{one}", f"{one:02}")
            ]
            there.words += [name for name, number in lexicon.months.items() if number == day.month]
            there.signs += _DAY_SIGNS


def _read(text: str, lexicon: Lexicon, apart: AbstractSet[str], name: AbstractSet[str]) -> _StatementReading:
    """Read a text, statements parted at marks and at some words; of a name nothing is asked."""
    statements = _StatementReading()
    for piece in _PIECE.finditer(text):
        kind, value = piece.lastgroup, piece.group()
        if kind == "end" or value.casefold() in apart:
            statements.end()
            statements.counting = ""
        elif kind == "number":
            statements.counting = _THOUSANDS.sub(lambda one: one.group().translate(_NO_MARKS), value)
            statements.numbers.append(statements.counting)
        elif kind == "run":
            _take_run(statements, value, _SMALL["ja" if _KANA.search(text) else "zh"], name)
        else:
            _take_word(statements, value, lexicon, name)
    return statements


def _take_word(found: _StatementReading, token: str, lexicon: Lexicon, name: AbstractSet[str]) -> None:
    """Read a word, or several that a hyphen or an apostrophe joins."""
    low, negations = token.casefold(), _negations(lexicon.code)
    found.parts[-1].denies |= low in negations or low.endswith("n't") or low.startswith(_ELIDED_NEGATIONS)
    for word in _words(token):
        low = word.casefold()
        found.words.append(low)
        found.counts(low)
        if low in lexicon.stop or low in negations or len(low) == 1:
            continue
        found.begins = found.begins or low
        if low in name or low.removesuffix("s") in name:
            continue
        found.says(low)
        if low in lexicon.number_words:
            found.numbers.append(low)
            found.counting = low
        if word[0].isupper():
            found.named.append(low)


def _words(token: str) -> Iterator[str]:
    """Yield the words that a hyphen or an apostrophe joins, without what stands for a word: l', 's, n't."""
    if token.casefold().endswith("n't"):
        return
    for part in token.split("-"):
        pieces = part.split("'")
        yield from (one for one in pieces if one and (len(pieces) == 1 or len(one) > _ELIDED_CHARS))


@cache
def _negations(lexicon_code: str) -> frozenset[str]:
    """Return what denies in a language, and in any other where it is no small word of this one."""
    lexicon = LEXICONS[lexicon_code]
    others = (
        load_statement_words().unlisted_negations.union(*(one.negations for one in LEXICONS.values()))
        - lexicon.stop
    )
    ended, nothing = load_statement_words().ended, load_statement_words().denies_nothing
    return (lexicon.negations | others | ended) - nothing


def _take_run(found: _StatementReading, run: str, small: AbstractSet[str], name: AbstractSet[str]) -> None:
    """Read what is written without blanks, sign by sign and in pairs."""
    for one in sorted(name, key=len, reverse=True):
        run = run.replace(one, " ")
    denying = run
    for harmless in _DENYING_NOTHING:
        denying = denying.replace(harmless, "")
    found.parts[-1].denies |= any(sign in denying for sign in _UNSPACED_NEGATIONS)
    for sign in run:
        found.counts(sign)
        if sign != " " and sign not in small | _DENYING and not _KANA.match(sign):
            found.signs.append(sign)
            found.parts[-1].said.append(sign)
    pairs = [one + other for one, other in pairwise(run) if " " not in (one, other)]
    found.pairs += pairs
    if small is _SMALL["ja"]:  # kana stand between its words: two other signs make one
        found.joined += [pair for pair in pairs if not _KANA.search(pair) and small.isdisjoint(pair)]


def _find_added_word(
    there: _StatementReading, here: _StatementReading, lent: Sequence[str], lexicon: Lexicon
) -> str:
    """Say which number, day, name or all-embracing word stands in a fact alone, or begins it, as orders begin."""
    known = [*there.words, *lent]
    days = [word for word in here.said if word in lexicon.time_words or word in lexicon.months]
    for what, theirs, own in (
        ("number", here.numbers, there.numbers),
        ("date", days, there.words),
        ("name", here.named, known),
    ):
        if new := next((one for one in theirs if not any(_is_same(one, word) for word in own)), ""):
            return f"the {what} {new!r}"
    for number, what in here.counted:
        if _is_counted_otherwise(number, what, there):
            return f"{number} {what}"
    if clash := next(_find_swapped_names(there.named, here.named), "") if lexicon.names_by_capital else "":
        return f"the order of {clash}"
    universal = load_statement_words().universal
    if not universal.isdisjoint(here.words) and universal.isdisjoint(there.words):
        return f"the word {min(universal.intersection(here.words))!r}"
    if here.begins in here.said and not _has_word_form(here.begins, known):
        return f"its beginning, {here.begins!r}"
    new_words = [word for word in here.said if word not in there.words]
    clash = contrary(new_words, frozenset(there.words))
    return f"{clash!r}, the contrary" if clash else ""


def _is_counted_otherwise(number: str, what: str, there: _StatementReading) -> bool:
    """Tell whether a text counts with a number something else alone, or of something another number alone."""
    same = [of for many, of in there.counted if many == number]
    of_it = [many for many, of in there.counted if _has_word_form(what, [of])]
    return number not in of_it and (bool(of_it) or (bool(same) and what not in there.words))


def _find_swapped_names(there: Sequence[str], here: Sequence[str]) -> Iterator[str]:
    """Yield two names of a fact that its text has the other way round alone: who lends whom."""
    pairs = set(pairwise(there))
    for one, other in pairwise(here):
        if one != other and (other, one) in pairs and (one, other) not in pairs:
            yield f"{one!r} before {other!r}"


def _find_reversed_denial(there: _StatementReading, here: _StatementReading) -> str:
    """Say what a fact affirms that its text denies, or the other way round."""
    denied_words, affirmed_words = (
        [word for part in there.parts if part.denies is sense for word in part.said]
        for sense in (True, False)
    )
    for part in here.parts:
        met = [
            (_has_word_form(word, denied_words), _has_word_form(word, affirmed_words)) for word in part.said
        ]
        only_denied, only_affirmed = met.count((True, False)), met.count((False, True))
        total = only_denied + only_affirmed
        if part.denies and met and (not any(one for one, _ in met) or only_affirmed > total * _AFFIRMED_MAX):
            return f"the denial of {' '.join(part.said)!r}"
        if not part.denies and only_denied > total * _DENIED_MAX:
            return f"{' '.join(part.said)!r} without its denial"
    return ""


def _describe_excess(there: _StatementReading, here: _StatementReading) -> str:
    """Say which words are too many that only a fact has."""
    if not here.said and not here.signs:
        return "anything: it says nothing"
    new = [word for word in here.said if not _has_word_form(word, there.words)]
    if len(new) > len(here.said) * (1 - WORDS_SHARE_MIN):
        return f"the words {', '.join(new)}"
    if strange := [sign for sign in here.signs if sign not in there.signs]:
        return f"the signs {''.join(strange)}"
    if strange := [pair for pair in here.joined if pair not in there.pairs]:
        return f"the signs {strange[0]}"
    pairs = [one for one in here.pairs if one in there.pairs]
    return "most of its words" if len(pairs) < len(here.pairs) * PAIRS_SHARE_MIN else ""


def _has_word_form(word: str, words: Sequence[str]) -> bool:
    """Tell whether some form of a word is among others: such begin alike."""
    return any(word == other or _begin_alike(word, other) for other in words)


def _begin_alike(one: str, other: str) -> bool:
    shorter, longer = sorted((_remove_accents(one), _remove_accents(other)), key=len)
    same = next((at for at, sign in enumerate(shorter) if sign != longer[at]), len(shorter))
    return same >= max(_BEGIN_MIN, _BEGIN_SHARE * len(shorter)) and len(longer) - same <= _ENDING_MAX


def _is_same(one: str, other: str) -> bool:
    """Tell whether two words are one but for an ending: names, days and numbers of two beginnings alike are two."""
    if one[0].isdigit():
        return one == other
    return bool(({one} | _without_ending(one)) & ({other} | _without_ending(other)))


def _without_ending(word: str) -> set[str]:
    return {
        word.removesuffix(end)
        for end in _ENDINGS
        if word.endswith(end) and len(word) - len(end) >= _BEGIN_MIN
    }


@lru_cache(maxsize=16_384)
def _remove_accents(word: str) -> str:
    """Take the accents off: "fährt" is a form of "fahre"."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
