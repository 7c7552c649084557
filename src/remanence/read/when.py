"""Which days a question asks about: today, last Tuesday, in May, two weeks ago. Knows words and a calendar, no clock.

The words of each language become signs, one for each kind of word, and one grammar of signs holds for all languages.
The calendar is that of the clocks where one asks; a week begins on Monday.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from remanence.core.clock import DAY
from remanence.languages.families import LEXICONS, WHEN
from remanence.text.analysis import normalize_nfkc

QUESTION_CHARS_MAX = 2_000  # what is longer is a text that was pasted, and asks about no day of its own
SPANS_MAX = 4  # of one question; who names more days asks about none of them
_EPOCH = date(1970, 1, 1).toordinal()

_WORDS = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d++|[^\W\d_]++")
_CHARACTERS = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d++|\w")
_DIGITS = re.compile(r"\d++")

# What a word is, as a sign: d a day (today), w a weekday, m a month, n a number in digits, k one in letters, y a year,
# T a whole date, `.` any other word; D, W, M, Y and E count days, weeks, months, years and weekends.
_UNITS = {"day": "D", "week": "W", "month": "M", "year": "Y", "weekend": "E"}
Roles: TypeAlias = tuple[tuple[str, str], ...]  # the signs of lists, by their names
_ROLES: Roles = (
    ("last", "l"),
    ("this", "t"),
    ("ago_before", "a"),
    ("ago_after", "g"),
    ("at", "i"),
    ("since", "s"),
    ("since_after", "z"),
    ("apart", "x"),
    ("apart_after", "X"),
    ("of", "f"),
    ("between", "o"),
)
_FILL = "[ofi]{0,3}"
_RULES = (
    r"(?P<whole>T)"
    rf"|(?P<day_of_week>w{_FILL}(?:lW|Wl|tW)|(?:lW|Wl){_FILL}w)"
    r"|(?P<ago>(?<!f)[nk]o?[DWMY]o?g|ao?[nk]o?[DWMY])"
    r"|(?P<some>[lt]o?[nk]o?[DWMY](?!g)|[nk]l[DWMY]|[nk][DWMY]l)"
    rf"|(?P<date>n{_FILL}m(?:{_FILL}y)?|(?:[is]o?)?(?:yY?)?m(?:{_FILL}n(?!o?[DWMYE]o?g)D?(?:{_FILL}y)?|kD))"
    r"|(?P<last>lo?[WMYE](?![ofi]{0,2}m)|[WMYE]l)|(?P<this>to?[WMYE]|io?E)"
    rf"|(?P<month_of>(?:[is]o?)?(?:m{_FILL}y|yY?{_FILL}m))"
    r"|(?P<last_weekday>lo?w|wl)|(?P<weekday>w)"
    r"|(?P<month>lo?m|ml|%s)"
    r"|(?P<year>yY?(?!l))|(?P<day>d)"
)
# "May" and "march" are other words as well; where words are written without blanks, a month is a month.
_GRAMMAR, _GRAMMAR_UNSPACED = (re.compile(_RULES % month) for month in ("[ist]o?m(?!g)", "m(?!g)"))
# A sign before or after an expression that makes it another one: "before Tuesday", "next May", "6月まで".
_APART_BEFORE, _APART_AFTER = re.compile(r"[xaX][ofi]{0,2}\Z"), re.compile(r"[of]?[Xg]")
_SINCE_BEFORE, _SINCE_AFTER = re.compile(r"s[ofi]{0,2}\Z"), re.compile(r"[of]?z")
_CARRYING = "dwmDWMYE"  # one of these is in every expression without a year
_CACHED = 256  # questions of a day
_BEFORE = 3  # signs that are looked at before an expression


class TimeSpan(NamedTuple):
    """A stretch of time that a question asks about, in microseconds, both ends included, and its words for it.

    One that `is_local` is of the clocks where something was said, any other of UTC.
    """

    begins: int
    ends: int
    words: str = ""
    is_local: bool = True


class WordSign(NamedTuple):
    """A word of a text, or several, as a sign with its value, and where it stands."""

    sign: str
    value: int
    begins: int
    ends: int


class _Days(NamedTuple):
    """The first and the last day that are meant."""

    first: date
    last: date


class _Expression(NamedTuple):
    """What the words of an expression say: the value of each sign, the first number, and the unit."""

    values: Mapping[str, int]
    number: int
    unit: str


def find_time_spans(question: str, now: int) -> tuple[TimeSpan, ...]:
    """Return the times that a question asks about when clocks show `now`: none where all are to come.

    It is read in the language that reads most of it. A weekday, or a month without its year, is the latest before
    today; "last Tuesday" is that day and the one of the last week, where these differ.
    """
    if len(question) > QUESTION_CHARS_MAX:
        return ()
    day = now // DAY
    return tuple(span for span in _find_question_spans(question, day) if span.begins <= now)


def find_all_spans(text: str, day: int) -> tuple[TimeSpan, ...]:
    """Return the times that a text names for who reads it on a day since 1970, also those to come."""
    text = normalize_nfkc(text).casefold()
    words, characters = find_tokens(text, spaced=True), find_tokens(text, spaced=False)
    codes = find_languages(words, characters)
    if any(_sign_number(match.group())[0] in "yT" for match in words):
        codes.add(next(iter(WHEN)))  # a year or a date is one in every language
    today = date.fromordinal(_EPOCH + day)
    best: list[TimeSpan] = []
    for code in WHEN:
        if code in codes:
            signs = list(sign_words(words if WHEN[code].spaced else characters, code))
            best = max(
                best, list(_read_spans(text, signs, today, spaced=WHEN[code].spaced)), key=_count_characters
            )
    return tuple(best) if len(best) <= SPANS_MAX else ()


# Questions alone are kept: a memory's text is nowhere once it is erased.
_find_question_spans = lru_cache(maxsize=_CACHED)(find_all_spans)


def _count_characters(spans: Sequence[TimeSpan]) -> int:
    return sum(len(span.words) for span in spans)


def _read_spans(text: str, words: Sequence[WordSign], today: date, *, spaced: bool) -> Iterator[TimeSpan]:
    """Yield what a text asks about if its words are what the signs say."""
    signs = "".join([word.sign for word in words])
    for match in _GRAMMAR.finditer(signs) if spaced else _GRAMMAR_UNSPACED.finditer(signs):
        before = signs[max(0, match.start() - _BEFORE) : match.start()]
        if _APART_BEFORE.search(before) or _APART_AFTER.match(signs, match.end()):
            continue
        goes_on = (
            "s" in match.group() or _SINCE_BEFORE.search(before) or _SINCE_AFTER.match(signs, match.end())
        )
        said = words[match.start() : match.end()]
        for days in _find_days(str(match.lastgroup), said, today):
            last = today if goes_on else days.last
            phrase = text[said[0].begins : said[-1].ends]
            yield TimeSpan(_begin_day(days.first), _begin_day(last) + DAY - 1, phrase)


def _begin_day(day: date) -> int:
    return (day.toordinal() - _EPOCH) * DAY


def _find_days(kind: str, said: Sequence[WordSign], today: date) -> Sequence[_Days]:
    """Return the days that an expression means, none where there are no such days."""
    values = {word.sign: word.value for word in said}
    number = next((word.value for word in said if word.sign in "nk"), 0)
    unit = next((word.sign for word in said if word.sign in "DWMYE"), "D")
    try:
        return _MEANINGS[kind](_Expression(values, number, unit), today)
    except (ValueError, OverflowError):  # the 31st of April, or before the year 1
        return ()


def _months_back(day: date, months: int) -> date:
    """Return the first of the month that lies so many months back."""
    number = 12 * day.year + day.month - 1 - months
    return date(number // 12, number % 12 + 1, 1)


def _span_month(first: date) -> _Days:
    return _Days(first, _months_back(first, -1) - timedelta(1))


def _span_year(year: int) -> _Days:
    return _Days(date(year, 1, 1), date(year, 12, 31))


def _span_day(day: date) -> _Days:
    return _Days(day, day)


def _days_back(today: date, days: int) -> date:
    return today - timedelta(days)


def _find_monday(today: date, weeks: int = 0) -> date:
    return _days_back(today, today.weekday() + 7 * weeks)


def _unit_back(unit: str, back: int, today: date) -> _Days:
    """Return the week, month, year or weekend that is so many back, 0 the present one."""
    if unit == "M":
        return _span_month(_months_back(today, back))
    if unit == "Y":
        return _span_year(today.year - back)
    monday = _find_monday(today, back)
    return _Days(monday + timedelta(5 if unit == "E" else 0), monday + timedelta(6))


def _read_ago(said: _Expression, today: date) -> Sequence[_Days]:
    if said.unit == "W":  # nobody counts weeks to the day
        middle = _days_back(today, 7 * said.number)
        return [_Days(middle - timedelta(3), middle + timedelta(3))]
    if said.unit == "D":
        return [_span_day(_days_back(today, said.number))]
    return [_unit_back(said.unit, said.number, today)]


def _read_some(said: _Expression, today: date) -> Sequence[_Days]:
    days = {"D": 1, "W": 7, "M": 30, "Y": 365}[said.unit]
    return [_Days(_days_back(today, days * said.number), today)]


def _read_date(said: _Expression, today: date) -> Sequence[_Days]:
    month, year = said.values["m"], said.values.get("y", today.year)
    day = date(year, month, said.number)
    if "y" not in said.values and day > today:
        day = date(year - 1, month, said.number)
    return [_span_day(day)]


def _read_weekday(said: _Expression, today: date) -> Sequence[_Days]:
    return [_span_day(_days_back(today, (today.weekday() - said.values["w"]) % 7 or 7))]


def _last_weekday(said: _Expression, today: date) -> Sequence[_Days]:
    latest, last_week = _read_weekday(said, today)[0], _day_of_week(said, today, 1)
    return [latest] if latest == last_week else [latest, last_week]


def _day_of_week(said: _Expression, today: date, weeks: int) -> _Days:
    return _span_day(_find_monday(today, weeks) + timedelta(said.values["w"]))


def _month_named(said: _Expression, today: date) -> Sequence[_Days]:
    month = said.values["m"]
    is_over = "l" in said.values  # asked in May, last May is another one
    back = (today.month - month) % 12 or (12 if is_over else 0)
    return [_span_month(_months_back(today, back))]


def _read_weekend(said: _Expression, today: date) -> Sequence[_Days]:
    is_now = said.unit != "E" or today.weekday() >= 5
    return [_unit_back(said.unit, 0 if is_now else 1, today)]


_MEANINGS: Mapping[str, Callable[[_Expression, date], Sequence[_Days]]] = {
    "whole": lambda said, _: [_span_day(date.fromordinal(said.values["T"]))],
    "day_of_week": lambda said, today: [_day_of_week(said, today, int("l" in said.values))],
    "ago": _read_ago,
    "some": _read_some,
    "date": _read_date,
    "last": lambda said, today: [_unit_back(said.unit, 1, today)],
    "this": _read_weekend,
    "month_of": lambda said, _: [_span_month(date(said.values["y"], said.values["m"], 1))],
    "last_weekday": _last_weekday,
    "weekday": _read_weekday,
    "month": _month_named,
    "year": lambda said, _: [_span_year(said.values["y"])],
    "day": lambda said, today: [_span_day(_days_back(today, said.values["d"]))],
}


def find_languages(words: Sequence[re.Match[str]], characters: Sequence[re.Match[str]]) -> set[str]:
    """Return the languages in which a word of a text is of a day, a weekday, a month or a unit."""
    carriers = _load_carriers()
    return {code for match in (*words, *characters) for code in carriers.get(match.group(), ())}


def find_tokens(text: str, *, spaced: bool) -> list[re.Match[str]]:
    """Return the words of a folded text, or its characters where words are written without blanks."""
    return list(_WORDS.finditer(text) if spaced else _CHARACTERS.finditer(text))


def sign_words(matches: Sequence[re.Match[str]], code: str, roles: Roles = _ROLES) -> Iterator[WordSign]:
    """Yield the words of a text with what each is, the longest phrase that begins somewhere as one word."""
    tokens = [match.group() for match in matches]
    phrases = _load_phrases(code, roles)
    at = 0
    while at < len(tokens):
        sign, value, length = ".", 0, 1
        for phrase, phrase_sign, phrase_value in phrases.get(tokens[at], ()):
            if phrase == tuple(tokens[at : at + len(phrase)]):
                sign, value, length = phrase_sign, phrase_value, len(phrase)
                break
        else:
            sign, value = _sign_number(tokens[at])
        yield WordSign(sign, value, matches[at].start(), matches[at + length - 1].end())
        at += length


def _sign_number(token: str) -> tuple[str, int]:
    """Return what a token of digits is: a number, a year or a whole date."""
    if not token[0].isdecimal():
        return ".", 0
    parts = [int(part) for part in _DIGITS.findall(token)]
    if len(parts) == 1:
        number = parts[0] if len(token) <= 4 else 0
        return ("y" if len(token) == 4 and 1900 <= number < 2200 else "n" if number else "."), number
    year, month, day = parts if parts[0] > 31 else parts[::-1]
    try:
        return "T", date(year, month, day).toordinal()
    except ValueError:
        return ".", 0


@cache
def _load_carriers() -> Mapping[str, Sequence[str]]:
    """Return token → the languages in which it is of a day, a weekday, a month or a unit: most questions have none."""
    carriers: dict[str, list[str]] = {}
    for code in WHEN:
        entries = chain.from_iterable(_load_phrases(code, _ROLES).values())
        for token in {token for tokens, sign, _ in entries if sign in _CARRYING for token in tokens}:
            carriers.setdefault(token, []).append(code)
    return carriers


@cache
def _load_phrases(code: str, roles: Roles) -> Mapping[str, Sequence[tuple[tuple[str, ...], str, int]]]:
    """Return first token → the phrases of a language that begin so, the longest first, with sign and value."""
    lists = WHEN[code]
    pattern = _WORDS if lists.spaced else _CHARACTERS
    by_first: dict[str, list[tuple[tuple[str, ...], str, int]]] = {}
    for phrase, sign, value in _list_phrases(code, roles):
        tokens = tuple(pattern.findall(phrase))
        by_first.setdefault(tokens[0], []).append((tokens, sign, value))
    return {first: sorted(some, key=lambda one: -len(one[0])) for first, some in by_first.items()}


def _list_phrases(code: str, roles: Roles) -> Iterator[tuple[str, str, int]]:
    lists = WHEN[code]
    for name, sign in roles:
        yield from ((phrase, sign, 0) for phrase in getattr(lists, name))
    for name, phrases in lists.units.items():
        yield from ((phrase, _UNITS[name], 0) for phrase in phrases)
    for sign, table in (
        ("d", lists.days_back),
        ("w", lists.weekdays),
        ("m", lists.months),
        ("k", lists.numbers),
    ):
        yield from ((phrase, sign, number - (sign == "w")) for phrase, number in table.items())
    if lists.spaced:
        yield from ((name, "m", number) for name, number in LEXICONS[code].months.items())
