"""Finds secrets: by the formats of vendors, by the words that announce a value, and by how random a value looks."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from remanence.core.patterns import Pattern
from remanence.core.text_caches import text_cache
from remanence.gate.secret_patterns import (
    BADGES,
    CODES_BY,
    CODES_WORDS,
    COOKIE_WORDS,
    DATA_HEADS,
    KEY_BY,
    KEY_WORDS,
    OF_ANOTHER,
    OTP_BY,
    OTP_WORDS,
    PASSWORD_BY,
    PASSWORD_WORDS,
    PIN_BY,
    PIN_WORDS,
    PRIVATE_WORDS,
    PUBLIC_BEFORE,
    QUERY_WORDS,
    SAYS,
    SEED_BY,
    SEED_WORDS,
    TOKEN_WORDS,
    TOKENS,
    UNKNOWN_TOKEN,
)
from remanence.gate.secret_values import (
    KEY_ENTROPY_MIN,
    count_turns,
    entropy,
    is_code,
    is_key_like,
    is_password_like,
    is_placeholder,
    is_random_looking,
    is_variable,
    is_worded,
)
from remanence.gate.spans import SensitiveSpan

FRUITLESS_MAX = (
    500  # words that announce a value with none behind them, one after another; after more none is looked for
)
AROUND = 40  # characters; longer than any of the words
LONG_TEXT = 5_000  # characters, from which on it is worth knowing which there are
LONG = 200  # characters of a value that no person types
JUDGED = 1_000  # characters of a value by which it is judged
REACH = 400  # characters after the words that announce a list
ISSUED_MIN = 12  # characters; no token or address with a password is shorter
RANDOM_MIN, PRIVATE_MIN = 20, 43  # characters; nothing drawn beside a word, no private key is shorter
UNKNOWN_MIN = 21  # characters; no token of an unknown vendor is shorter
BEFORE = 120  # characters of a value ahead of the word that says what it is


class PatternPrefilter:
    """Signs of which one is in every text that a pattern can fit; and those of them that can stand in ASCII."""

    def __init__(self, signs: Iterable[str]) -> None:
        self.every = tuple(dict.fromkeys(signs))
        self.in_ascii = tuple(filter(str.isascii, self.every))


class SearchedText:
    """A text in which signs are looked for; of a long one only those whose characters it has."""

    def __init__(self, text: str, chars: frozenset[str] = frozenset()) -> None:
        self.text = text
        self._is_ascii = text.isascii()
        self._chars = (chars or _collect_chars(text)) if len(text) >= LONG_TEXT else None

    def with_capitals(self, text: str) -> "SearchedText":
        """Return the text of which this one holds the small letters; its characters are these, or capitals of these."""
        chars = self._chars or frozenset[str]()
        return SearchedText(text, chars.union(map(str.upper, chars)))

    def iterate_possible(self, signs: PatternPrefilter) -> Iterable[str]:
        """Return those of some signs that may be in the text."""
        every = signs.in_ascii if self._is_ascii else signs.every
        return every if self._chars is None else filter(self._chars.issuperset, every)

    def has_one(self, signs: PatternPrefilter) -> bool:
        """Tell whether one of some signs is in the text."""
        return any(map(self.text.__contains__, self.iterate_possible(signs)))


def _collect_chars(text: str) -> frozenset[str]:
    """Return the different characters of a text; those beyond the 65,536th, which no sign has, as two others."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    return frozenset(map(chr, np.flatnonzero(np.bincount(units)).tolist()))


_BEGINS = PatternPrefilter(begin for begins, _ in TOKENS.values() for begin in begins)
_QUERY_SIGNS, _COOKIE_SIGNS, _TOKEN_SIGNS, _PRIVATE_SIGNS = map(
    PatternPrefilter, (QUERY_WORDS, COOKIE_WORDS, TOKEN_WORDS, PRIVATE_WORDS)
)
_VALUE_SIGNS = {
    "pin": PatternPrefilter(PIN_BY), "key": PatternPrefilter(KEY_BY), "password": PatternPrefilter(PASSWORD_BY),
}  # fmt: skip
_SEED_SIGNS, _CODE_SIGNS, _OTP_SIGNS = map(PatternPrefilter, (SEED_BY, CODES_BY, OTP_BY))
_KINDS = tuple(TOKENS)
_TOKEN = Pattern(
    "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<k{at}>{TOKENS[kind][1]})" for at, kind in enumerate(_KINDS)) + ")"
)
_UNKNOWN = Pattern(rf"(?<![A-Za-z0-9/+=_-]){UNKNOWN_TOKEN}(?![A-Za-z0-9/+=@])")
_PIN_WORD = rf"(?P<pin>(?<![a-z])(?:{PIN_WORDS}))"
_KEY_WORD = rf"(?P<key>(?<![a-z])(?:{KEY_WORDS}))"
_PASSWORD_WORD = rf"(?P<password>(?<![a-df-z])(?:{PASSWORD_WORDS}))"
_PIN = Pattern(_PIN_WORD)
_KEY = Pattern(_KEY_WORD)
_PASSWORD = Pattern(_PASSWORD_WORD)
_PIN_OR_KEY = Pattern(f"{_PIN_WORD}|{_KEY_WORD}")
_PIN_OR_PASSWORD = Pattern(f"{_PIN_WORD}|{_PASSWORD_WORD}")
_KEY_OR_PASSWORD = Pattern(f"{_KEY_WORD}|{_PASSWORD_WORD}")
_WORD = Pattern(f"{_PIN_WORD}|{_KEY_WORD}|{_PASSWORD_WORD}")
# Kinds of words of which a text has signs → how the first of them is looked for.
_FIND_WORD: dict[tuple[str, ...], Callable[[str, int, int], re.Match[str] | None]] = {
    ("pin",): lambda low, at, end: _PIN.search(low, at, end),
    ("key",): lambda low, at, end: _KEY.search(low, at, end),
    ("password",): lambda low, at, end: _PASSWORD.search(low, at, end),
    ("pin", "key"): lambda low, at, end: _PIN_OR_KEY.search(low, at, end),
    ("pin", "password"): lambda low, at, end: _PIN_OR_PASSWORD.search(low, at, end),
    ("key", "password"): lambda low, at, end: _KEY_OR_PASSWORD.search(low, at, end),
    ("pin", "key", "password"): lambda low, at, end: _WORD.search(low, at, end),
}
_OF_ANOTHER = Pattern(rf"[ _-]?{OF_ANOTHER}")
_VALUE = r"(?:(?P<quote>[\"'`“„«])(?P<quoted>[^\"'`”“»\n]{4,200})[\"'`”“»]|(?P<bare>[^\s\"'`“”„«»\u2e80-\uffef]{4,}+))"
_EQUALS = Pattern(rf"[\w.\]\"'-]{{0,30}}[ \t]{{0,4}}(?:=>|:=|[=:：＝])[ \t]{{0,4}}\n?[ \t]{{0,8}}{_VALUE}")
_IS = Pattern(
    rf"(?![\w-])[^\n:=.;!?。@%+|\\\[\]{{}}<>]{{0,40}}?(?:[:：=]|{SAYS})[ \t]{{0,4}}{_VALUE}",
    re.IGNORECASE,
)
_NEXT = Pattern(rf"s?[ \t]{{1,4}}{_VALUE}")
_CJK_VALUE = Pattern(r"[^\n:：!-~]{0,12}?(?:[:：]|は|是|为|為)?[ \t]{0,4}(?P<bare>[!-~]{4,200})")
_URL_USER = Pattern(r"://[^\s/@:\"']{0,100}:(?P<value>[^\s/\"'\[\]]{2,200})@")
_QUERY = Pattern(
    r"[?&;](?:[\w.-]{0,30}?)(?:sig|signature|token|secret|passw\w{0,6}|key|auth|credential|jwt|session|code)(?:[\w.-]{0,10})=(?P<value>[^\s&#\"'<>)\]]{10,1000})"
)
_HOOK = Pattern(
    r"https?://[\w.-]{1,100}/(?:[\w.-]{1,40}/){0,6}?(?:services|webhooks?|hooks?|incoming|catch)/(?P<value>[\w/@.-]{16,300})"
    r"|https?://(?:hooks?|webhooks?)\.[\w.-]{1,100}/(?P<path>[\w/@.-]{16,300})"
)
_HEADER = Pattern(r"(?<!\w)(?:basic|bearer|digest|token)[ \t]{1,4}(?P<value>[\w+/=.~-]{10,2000})")
_COOKIE = Pattern(
    r"(?<![\w])[\w.-]{0,30}(?:sess(?!m)|sid(?![a-z])|csrf|xsrf|jwt|auth(?!or))[\w.-]{0,20}=(?P<value>[^\s;\"',]{12,1000})"
)
_SEED = Pattern(SEED_WORDS)
_PHRASE = Pattern(r"(?<![a-z])(?:[a-z]{3,8}[\s,]{1,3}(?:\d{1,2}[.)]\s?)?){11,23}[a-z]{3,8}(?![a-z])")
_CODES = Pattern(CODES_WORDS)
_CODE = Pattern(r"(?<![\w])(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){0,4}(?![\w])")
_OTP = Pattern(OTP_WORDS)
_BASE32 = Pattern(
    r"(?<![\w])(?:[A-Za-z2-7]{4}[ -]){3,15}[A-Za-z2-7]{2,4}(?![\w])|(?<![\w])[A-Z2-7]{16,64}(?![\w])"
)
_PAIRS = re.compile(r"\d{1,2}(?:-\d{1,2}){2,3}")
_OTHER_ARGUMENT = re.compile(r"[(,][ \t]*\w+[ \t]*=[ \t]*[\"'`]?\Z")
_CHUNK = re.compile(r"[^\s]{16,}+")
_KEY_LINE = Pattern(r"[A-Za-z0-9+/=]{24}")
_HEX64 = Pattern(r"(?<![\w])(?:0x)?[0-9a-fA-F]{64}(?![\w])")
_BASE64_KEY = Pattern(r"(?<![\w+/=-])[A-Za-z0-9+/]{42,43}={1,2}(?![\w+/=])")
_RANDOM = Pattern(r"(?<![A-Za-z0-9_+/=.-])[A-Za-z0-9_-]{20,200}(?![A-Za-z0-9_+/=])")
_DRAWN = Pattern(
    r"(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12}"
)  # a name that begins as a token does is made of words


def credentials(text: str, low: str) -> Iterator[SensitiveSpan]:
    """Yield the secrets of a text; `low` is the text in small letters, as long as the text."""
    searched = SearchedText(low)
    yield from _private_blocks(text)
    yield from _iterate_announced_secrets(text, searched)
    yield from _find_listed_secrets(text, searched)
    if "=" in text or "://" in text:
        yield from _in_addresses(text, searched)
    if "authorization" in low or "bearer" in low:
        yield from _filter_random_values(_HEADER.finditer(low), text, "password")
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    if chunks:
        yield from _by_format(text, chunks, has_prefix=searched.with_capitals(text).has_one(_BEGINS))
        yield from _near_words(text, searched, max(end - start for start, end in chunks))


@text_cache(4_096)
def find_secrets_in_name(name: str) -> tuple[SensitiveSpan, ...]:
    """Return the secrets that a name, a tag or an address holds; not what only looks drawn at random, as ids do."""
    if len(name) < ISSUED_MIN:
        return ()
    low = SearchedText(name.lower())
    address_secrets = _in_addresses(name, low) if "://" in name or "=" in name else ()
    chunks = (
        (match.span() for match in _CHUNK.finditer(name)) if low.with_capitals(name).has_one(_BEGINS) else ()
    )
    tokens = (
        SensitiveSpan(*match.span(), _KINDS[int((match.lastgroup or "k0")[1:])])
        for start, end in chunks
        for match in _TOKEN.finditer(name, start, end)
        if _DRAWN.search(match.group()) and not is_placeholder(match.group())
    )
    return (*address_secrets, *tokens)


def _private_blocks(text: str) -> Iterator[SensitiveSpan]:
    start = text.find("-----BEGIN ")
    while start >= 0:
        following = text.find("-----BEGIN ", start + 1)
        if "PRIVATE KEY" in text[start : start + 50]:
            limit = len(text) if following < 0 else following
            closing = text.find("-----END ", start, limit)
            dashes = -1 if closing < 0 else text.find("-----", closing + 9, limit)
            end = (
                limit if dashes < 0 else dashes + 5
            )  # a block that is cut off is one to the next, or the end
            if _KEY_LINE.search(text, start + 27, end):
                yield SensitiveSpan(start, end, "private key")
        start = following


def _by_format(text: str, chunks: Iterable[tuple[int, int]], *, has_prefix: bool) -> Iterator[SensitiveSpan]:
    """Yield what stands in long words in the format of a vendor; `has_prefix` if one may begin so.

    A word that stands there again is read again only where it held something.
    """
    barren = set[str]()
    for start, end in chunks:
        word = text[start:end]
        if word in barren:
            continue
        spans = list(_tokens_in(text, start, end, has_prefix=has_prefix))
        if not spans:
            barren.add(word)
        yield from spans


def _tokens_in(text: str, start: int, end: int, *, has_prefix: bool) -> Iterator[SensitiveSpan]:
    """Yield the tokens in one word of a text."""
    if has_prefix:
        for match in _TOKEN.finditer(text, start, end):
            is_name = is_variable(match.group()) and not any(map(str.isdigit, match.group()))
            if not is_name and not is_placeholder(match.group()):
                yield SensitiveSpan(*match.span(), _KINDS[int((match.lastgroup or "k0")[1:])])
    if end - start >= UNKNOWN_MIN:
        for match in _UNKNOWN.finditer(text, start, end):
            if not match.group().startswith(PUBLIC_BEFORE) and is_random_looking(match.group("random")):
                yield SensitiveSpan(*match.span(), "token")


def _iterate_announced_secrets(text: str, low: SearchedText) -> Iterator[SensitiveSpan]:
    """Yield what stands after a word such as password, key or PIN and looks like one."""
    read_end = fruitless = 0  # a long value is read once, whatever words are in it
    kinds = {kind: signs for kind, signs in _VALUE_SIGNS.items() if low.has_one(signs)}
    find_word = _FIND_WORD.get(tuple(kinds))
    if find_word is None:
        return
    for start, window_end in _find_sign_windows(low, kinds.values()):
        at = start
        while (word := find_word(low.text, max(at, read_end), window_end)) is not None:
            at = word.end()
            if _OF_ANOTHER.match(low.text, at):
                continue
            what = word.lastgroup or "key"
            end, span = _find_value_span(text, word, what)
            read_end = max(read_end, end)
            fruitless = 0 if span else fruitless + 1
            if fruitless > FRUITLESS_MAX:
                return
            if span:
                yield SensitiveSpan(*span, "api key" if what == "key" else what)


def _find_sign_windows(
    searched: SearchedText, kinds: Iterable[PatternPrefilter], before: int = AROUND, after: int = AROUND
) -> list[tuple[int, int]]:
    """Return the stretches of a text in which one of some signs stands, with what is before and after it."""
    low = searched.text
    if len(low) <= 4 * AROUND:
        return [(0, len(low))] if any(map(searched.has_one, kinds)) else []
    places: list[int] = []
    for sign in {sign: None for signs in kinds for sign in searched.iterate_possible(signs)}:
        at = low.find(sign)
        while at >= 0:
            places.append(at)
            at = low.find(sign, at + after // 2)
    return _merge_places(sorted(places), before, after) if places else []


def _merge_places(places: Iterable[int], before: int, after: int) -> list[tuple[int, int]]:
    """Return the stretches around some places in their order, one where two meet."""
    windows: list[tuple[int, int]] = []
    for at in places:
        if windows and at - before <= windows[-1][1]:
            windows[-1] = (windows[-1][0], at + after)
        else:
            windows.append((max(0, at - before), at + after))
    return windows


def _find_value_span(text: str, word: re.Match[str], what: str) -> tuple[int, tuple[int, int] | None]:
    """Return where it is worth going on, and where the value stands that a word announces."""
    cjk = not word.group().isascii()
    read_end = 0
    # Beside "pass" a value stands behind a sign alone: as a verb it takes any object.
    patterns = _SAID_CJK if cjk else _SAID[:1] if word.group() in _VERBS else _SAID
    for find_value in patterns:
        match = find_value(text, word.end())
        if match is None:
            continue
        if match.end() - match.start() > LONG:
            read_end = match.end()
        span = _check_value_span(match, what)
        if span is not None:
            return span[1], span
    return read_end, None


# How a value may stand behind the word that announces it; and behind a word of a script without blanks.
_SAID: tuple[Callable[[str, int], re.Match[str] | None], ...] = (
    lambda text, at: _EQUALS.match(text, at),
    lambda text, at: _IS.match(text, at),
    lambda text, at: _NEXT.match(text, at),
)
_SAID_CJK = (_SAID[0], lambda text, at: _CJK_VALUE.match(text, at), _SAID[1])
_VERBS = frozenset({"pass", "passes"})


def _check_value_span(found: re.Match[str], what: str) -> tuple[int, int] | None:
    """Return where the value stands if it looks like one of its kind."""
    is_quoted = "quoted" in found.re.groupindex and found.group("quoted") is not None
    group = "quoted" if is_quoted else "bare"
    value, start = found.group(group), found.start(group)
    before = found.string[found.start() : start]
    if is_quoted and (value != value.strip() or (" " in value and _OTHER_ARGUMENT.search(before))):
        return None
    if not is_quoted and ";" in value:
        value = value[: value.index(";")]
    if not is_quoted and (is_code(value[:JUDGED]) or ("=" in before and is_variable(value[:JUDGED]))):
        return None
    value = value.rstrip(".,;:!?)]}>") or value
    judged = value[:JUDGED]
    tight = found.re is not _NEXT.regex
    if what == "key":
        fits = is_key_like(judged) and not is_placeholder(judged)
    else:
        fits = _is_code(value, tight=tight, of_pin=what == "pin")
    return (start, start + len(value)) if fits else None


def _is_code(value: str, *, tight: bool, of_pin: bool) -> bool:
    """True if a value could be a code that opens something: digits, or characters such as passwords have.

    Beside the word for a PIN alone, with no sign or verb between, only digits are one: there other things may stand.
    """
    # Four digits beside its word alone are often a year; up to four pairs of digits are a PIN too.
    digits = value.strip("#*")
    is_year = len(digits) == 4 and digits.startswith(("19", "20"))
    bare = digits.replace("-", "") if _PAIRS.fullmatch(digits) else digits
    if bare.isdigit() and 4 <= len(bare) <= 8 and (tight or not is_year):
        return True
    judged = value[:JUDGED]
    return (tight or not of_pin) and is_password_like(judged, tight=tight) and not is_placeholder(judged)


def _in_addresses(text: str, searched: SearchedText) -> Iterator[SensitiveSpan]:
    low = searched.text
    if "://" in text:
        for match in _URL_USER.finditer(text):
            if not is_placeholder(match.group("value")):
                yield SensitiveSpan(*match.span("value"), "password")
        for match in _HOOK.finditer(text):
            group = "value" if match.group("value") is not None else "path"
            if any(map(str.isdigit, match.group(group))):
                yield SensitiveSpan(*match.span(group), "webhook")
        if searched.has_one(_QUERY_SIGNS):
            signed = (match for match in _QUERY.finditer(low) if not _is_badge(low, match.start()))
            yield from _filter_random_values(signed, text, "signature")
    if searched.has_one(_COOKIE_SIGNS):
        yield from _filter_random_values(_COOKIE.finditer(low), text, "session cookie")


def _is_badge(low: str, end: int) -> bool:
    """True if the address whose query begins at `end` is that of a picture that shows how a project stands."""
    start = low.rfind("://", max(0, end - LONG), end)
    return start >= 0 and any(sign in low[start:end] for sign in BADGES)


def _filter_random_values(matches: Iterable[re.Match[str]], text: str, kind: str) -> Iterator[SensitiveSpan]:
    """Yield the values that a pattern finds in the small letters of a text and that look drawn at random."""
    for match in matches:
        value = text[slice(*match.span("value"))]
        looks = any(map(str.isdigit, value)) or count_turns(value) >= 3
        is_name = is_code(value) or (is_worded(value) and "passw" not in match.group())
        if looks and not is_placeholder(value) and not is_name:
            yield SensitiveSpan(*match.span("value"), kind)


def _near_words(text: str, low: SearchedText, longest: int) -> Iterator[SensitiveSpan]:
    """Yield what looks drawn at random beside words for tokens or, in a text of no public ones, for private keys.

    `longest` is how many characters the longest word of the text has.
    """
    if longest < RANDOM_MIN:
        return
    for match in _find_within(_RANDOM.finditer, text, _find_sign_windows(low, [_TOKEN_SIGNS], BEFORE, REACH)):
        if is_random_looking(match.group()) and not match.group().startswith((*PUBLIC_BEFORE, *DATA_HEADS)):
            yield SensitiveSpan(*match.span(), "token")
    is_looked_for = longest >= PRIVATE_MIN and "public" not in low.text
    windows = _find_sign_windows(low, [_PRIVATE_SIGNS], BEFORE, REACH) if is_looked_for else []
    for finditer in (_HEX64.finditer, _BASE64_KEY.finditer) if windows else ():
        yield from (
            SensitiveSpan(*match.span(), "private key") for match in _find_within(finditer, text, windows)
        )


def _find_within(
    finditer: Callable[[str, int, int], Iterator[re.Match[str]]],
    text: str,
    windows: Iterable[tuple[int, int]],
) -> Iterator[re.Match[str]]:
    """Yield what begins in some stretches of a text, whole where it ends behind one."""
    for start, end in windows:
        yield from (match for match in finditer(text, start, end + LONG) if match.start() < end)


def _find_listed_secrets(text: str, low: SearchedText) -> Iterator[SensitiveSpan]:
    """Yield what follows the words that announce a wallet's words, recovery codes or a second factor's secret."""
    if low.has_one(_SEED_SIGNS):
        for start in _find_list_starts(_SEED.search, low.text):
            phrase = _PHRASE.search(text, start, start + REACH)
            if phrase is not None:
                yield SensitiveSpan(*phrase.span(), "recovery phrase")
    if low.has_one(_CODE_SIGNS):
        yield from _find_codes(text, list(_find_list_starts(_CODES.search, low.text)))
    if low.has_one(_OTP_SIGNS):
        windows = _merge_places([match.end() for match in _OTP.finditer(low.text)], BEFORE, REACH)
        for match in _find_within(_BASE32.finditer, text, windows):
            value = match.group()
            is_drawn = any(map(str.isalpha, value)) and entropy(value) >= KEY_ENTROPY_MIN
            if is_drawn and (any(map(str.isdigit, value)) or value.isupper()) and not is_placeholder(value):
                yield SensitiveSpan(*match.span(), "one-time secret")


def _find_codes(text: str, starts: Sequence[int]) -> Iterator[SensitiveSpan]:
    """Yield the recovery codes that follow where lists of them are announced."""
    windows = _merge_places(starts, 0, REACH)
    codes = [match.span() for match in _find_within(_CODE.finditer, text, windows)]
    for start in starts:
        first, behind = bisect_left(codes, (start,)), bisect_left(codes, (start + REACH,))
        if behind - first >= 2:
            yield SensitiveSpan(codes[first][0], codes[behind - 1][1], "recovery codes")


def _find_list_starts(find_next: Callable[[str, int], re.Match[str] | None], low: str) -> Iterator[int]:
    """Yield where the words end that announce a list; of those that stand close together, the first."""
    at = 0
    while (match := find_next(low, at)) is not None:
        yield match.end()
        at = match.end() + REACH // 4
