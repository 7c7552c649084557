"""Finds secrets: by the formats of vendors, by the words that announce a value, and by how random a value looks."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from remanence.core.patterns import Pattern
from remanence.gate.secret_patterns import (
    ANNOUNCED_BY,
    CODES_BY,
    CODES_WORDS,
    COOKIE_WORDS,
    DATA_HEADS,
    KEY_WORDS,
    OTP_BY,
    OTP_WORDS,
    PASSWORD_WORDS,
    PIN_WORDS,
    PLACEHOLDER_PARTS,
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
from remanence.gate.spans import SensitiveSpan

FRUITLESS_MAX = (
    500  # words that announce a value with none behind them, one after another; after more none is looked for
)
AROUND = 40  # characters; longer than any of the words
LONG_TEXT = 5_000  # characters, from which on it is worth knowing which there are
LONG = 200  # characters of a value that no person types
REACH = 400  # characters after the words that announce a list
ISSUED_MIN = 12  # characters; no token or address with a password is shorter
ENTROPY_MIN = 3.2  # bits a character; words of a language have about 3 and no digits


class PatternPrefilter:
    """Signs of which one is in every text that a pattern can fit; and those of them that can stand in ASCII."""

    def __init__(self, signs: Iterable[str]) -> None:
        self.every = tuple(dict.fromkeys(signs))
        self.in_ascii = tuple(filter(str.isascii, self.every))


_BEGINS = PatternPrefilter(begin for begins, _ in TOKENS.values() for begin in begins)
_VALUE_SIGNS, _QUERY_SIGNS, _COOKIE_SIGNS, _TOKEN_SIGNS, _PRIVATE_SIGNS = map(
    PatternPrefilter, (ANNOUNCED_BY, QUERY_WORDS, COOKIE_WORDS, TOKEN_WORDS, PRIVATE_WORDS)
)
_SEED_SIGNS, _CODE_SIGNS, _OTP_SIGNS = map(PatternPrefilter, (SEED_BY, CODES_BY, OTP_BY))
_KINDS = tuple(TOKENS)
_TOKEN = Pattern(
    "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<k{at}>{TOKENS[kind][1]})" for at, kind in enumerate(_KINDS)) + ")"
)
_UNKNOWN = Pattern(rf"(?<![A-Za-z0-9/+=_-]){UNKNOWN_TOKEN}(?![A-Za-z0-9/+=])")
_WORD = Pattern(
    rf"(?P<pin>(?<![a-z])(?:{PIN_WORDS}))|(?P<key>(?<![a-z])(?:{KEY_WORDS}))|(?P<password>(?<![a-df-z])(?:{PASSWORD_WORDS}))",
)
_VALUE = r"(?:(?P<quote>[\"'`“„«])(?P<quoted>[^\"'`”“»\n]{4,200})[\"'`”“»]|(?P<bare>[^\s\"'`“”„«»\u2e80-\uffef]{4,}+))"
_EQUALS = Pattern(rf"[\w.\]\"'-]{{0,30}}[ \t]{{0,4}}(?:=>|:=|[=:：＝])[ \t]{{0,4}}\n?[ \t]{{0,8}}{_VALUE}")
_IS = Pattern(
    rf"(?![\w-])[^\n:=.;!?。]{{0,40}}?(?:[:：=]|{SAYS})[ \t]{{0,4}}{_VALUE}",
    re.IGNORECASE,
)
_NEXT = Pattern(rf"s?[ \t]{{1,4}}{_VALUE}")
_CJK_VALUE = Pattern(r"[^\n:：!-~]{0,12}?(?:[:：]|は|是|为|為)?[ \t]{0,4}(?P<bare>[!-~]{4,200})")
_URL_USER = Pattern(r"://[^\s/@:\"']{0,100}:(?P<value>[^\s/\"']{2,200})@")
_QUERY = Pattern(
    r"[?&;](?:[\w.-]{0,30}?)(?:sig|signature|token|secret|passw\w{0,6}|key|auth|credential|jwt|session|code)(?:[\w.-]{0,10})=(?P<value>[^\s&#\"'<>]{10,1000})"
)
_HOOK = Pattern(
    r"https?://[\w.-]{1,100}/(?:[\w.-]{1,40}/){0,6}?(?:services|webhooks?|hooks?|incoming|catch)/(?P<value>[\w/@.-]{16,300})"
    r"|https?://(?:hooks?|webhooks?)\.[\w.-]{1,100}/(?P<path>[\w/@.-]{16,300})"
)
_HEADER = Pattern(r"(?<!\w)(?:basic|bearer|digest|token)[ \t]{1,4}(?P<value>[\w+/=.~-]{10,2000})")
_COOKIE = Pattern(
    r"(?<![\w])[\w.-]{0,30}(?:sess|sid|csrf|xsrf|jwt|auth)[\w.-]{0,20}=(?P<value>[^\s;\"',]{12,1000})"
)
_SEED = Pattern(SEED_WORDS)
_PHRASE = Pattern(r"(?<![a-z])(?:[a-z]{3,8}[\s,]{1,3}(?:\d{1,2}[.)]\s?)?){11,23}[a-z]{3,8}(?![a-z])")
_CODES = Pattern(CODES_WORDS)
_CODE = Pattern(r"(?<![\w])(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){0,4}(?![\w])")
_OTP = Pattern(OTP_WORDS)
_BASE32 = Pattern(
    r"(?<![\w])(?:[A-Za-z2-7]{4}[ -]){3,15}[A-Za-z2-7]{2,4}(?![\w])|(?<![\w])[A-Z2-7]{16,64}(?![\w])"
)
_CHUNK = re.compile(r"[^\s]{16,}+")
_KEY_LINE = Pattern(r"[A-Za-z0-9+/=]{24}")
_HEX64 = Pattern(r"(?<![\w])(?:0x)?[0-9a-fA-F]{64}(?![\w])")
_BASE64_KEY = Pattern(r"(?<![\w+/=-])[A-Za-z0-9+/]{42,43}={1,2}(?![\w+/=])")
_RANDOM = Pattern(r"(?<![A-Za-z0-9_+/=.-])[A-Za-z0-9_-]{20,200}(?![A-Za-z0-9_+/=])")
_DRAWN = Pattern(
    r"(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{12}"
)  # a name that begins as a token does is made of words
_NAMES = re.compile(
    r"\A(?:[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+[;,]?|[A-Za-z_]\w*[\[(].*)", re.DOTALL
)
_TURNS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_MEASURED = re.compile(
    r"[\d.,:/x-]+(?:[a-zA-Z%]{1,2}|min|sec|chars?|days?|bits?|bytes?|kb|mb)?", re.IGNORECASE
)


def credentials(text: str, low: str) -> Iterator[SensitiveSpan]:
    """Yield the secrets of a text; `low` is the text in small letters, as long as the text."""
    yield from _private_blocks(text)
    yield from _iterate_announced_secrets(text, low)
    yield from _lists(text, low)
    if "=" in text or "://" in text:
        yield from _in_addresses(text, low)
    if "authorization" in low or "bearer" in low:
        yield from _filter_random_values(_HEADER.finditer(low), text, "password")
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    if chunks:
        yield from _by_format(text, chunks)
        yield from _near_words(text, low, chunks)


def has_one(text: str, signs: "PatternPrefilter") -> bool:
    """Tell whether one of some signs is in a text; in a long one only those are looked for whose characters it has."""
    if len(text) < LONG_TEXT:
        return any(map(text.__contains__, signs.in_ascii if text.isascii() else signs.every))
    chars = frozenset(text)
    return any(sign in text for sign in signs.every if chars.issuperset(sign))


@lru_cache(maxsize=4_096)
def find_secrets_in_name(name: str) -> tuple[SensitiveSpan, ...]:
    """Return the secrets that a name, a tag or an address holds; not what only looks drawn at random, as ids do."""
    if len(name) < ISSUED_MIN:
        return ()
    address_secrets = _in_addresses(name, name.lower()) if "://" in name or "=" in name else ()
    chunks = (match.span() for match in _CHUNK.finditer(name)) if has_one(name, _BEGINS) else ()
    tokens = (
        SensitiveSpan(*match.span(), _KINDS[int((match.lastgroup or "k0")[1:])])
        for start, end in chunks
        for match in _TOKEN.finditer(name, start, end)
        if _DRAWN.search(match.group()) and not _placeholder(match.group())
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


def _by_format(text: str, chunks: Sequence[tuple[int, int]]) -> Iterator[SensitiveSpan]:
    has_prefix = has_one(text, _BEGINS)
    for start, end in chunks:
        for match in _TOKEN.finditer(text, start, end) if has_prefix else ():
            if not _placeholder(match.group()):
                yield SensitiveSpan(*match.span(), _KINDS[int((match.lastgroup or "k0")[1:])])
        for match in _UNKNOWN.finditer(text, start, end):
            if not match.group().startswith(PUBLIC_BEFORE) and random_looking(match.group("random")):
                yield SensitiveSpan(*match.span(), "token")


def _iterate_announced_secrets(text: str, low: str) -> Iterator[SensitiveSpan]:
    """Yield what stands after a word such as password, key or PIN and looks like one."""
    read_end = fruitless = 0  # a long value is read once, whatever words are in it
    for word in _words(low):
        if word.start() < read_end:
            continue
        what = word.lastgroup or "key"
        end, span = _find_value_span(text, word, what)
        read_end = max(read_end, end)
        fruitless = 0 if span else fruitless + 1
        if fruitless > FRUITLESS_MAX:
            return
        if span:
            yield SensitiveSpan(*span, "api key" if what == "key" else what)


def _words(low: str) -> Iterator[re.Match[str]]:
    for start, end in _windows(low, _VALUE_SIGNS):
        yield from _WORD.finditer(low, start, end)


def _windows(low: str, signs: "PatternPrefilter") -> list[tuple[int, int]]:
    """Return the stretches of a text in which one of some signs stands, with what is around it."""
    if len(low) <= 4 * AROUND:
        return [(0, len(low))] if has_one(low, signs) else []
    places: list[int] = []
    # In a long text only those are looked for whose characters it has.
    chars = frozenset(low) if len(low) >= LONG_TEXT else None
    for sign in signs.in_ascii if low.isascii() else signs.every:
        if chars is not None and not chars.issuperset(sign):
            continue
        at = low.find(sign)
        while at >= 0:
            places.append(at)
            at = low.find(sign, at + AROUND // 2)
    windows: list[tuple[int, int]] = []
    for at in sorted(places) if places else ():
        if windows and at - AROUND <= windows[-1][1]:
            windows[-1] = (windows[-1][0], at + AROUND)
        else:
            windows.append((max(0, at - AROUND), at + AROUND))
    return windows


def _find_value_span(text: str, word: re.Match[str], what: str) -> tuple[int, tuple[int, int] | None]:
    """Return where it is worth going on, and where the value stands that a word announces."""
    cjk = not word.group().isascii()
    read_end = 0
    for find_value in _SAID_CJK if cjk else _SAID:
        match = find_value(text, word.end())
        if match is None:
            continue
        if match.end() - match.start() > LONG:
            read_end = match.end()
        span = _check_value_span(match, what) or (
            _check_value_span(match, "password") if cjk and what == "pin" else None
        )
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


def _check_value_span(found: re.Match[str], what: str) -> tuple[int, int] | None:
    """Return where the value stands if it looks like one of its kind."""
    group = "quoted" if "quoted" in found.re.groupindex and found.group("quoted") is not None else "bare"
    value = found.group(group)
    start = found.start(group)
    if group == "bare" and ";" in value:
        value = value[: value.index(";")]
    value = value.rstrip(".,;:!?)]}>") or value
    tight = found.re is not _NEXT.regex
    if what == "pin":
        digits = value.rstrip("#*")
        fits = digits.isdigit() and 4 <= len(digits) <= 8
        return (
            (start, start + len(value))
            if fits and (tight or len(digits) != 4 or not digits.startswith(("19", "20")))
            else None
        )
    fits = _password_like(value, tight=tight) if what == "password" else _key_like(value)
    return (start, start + len(value)) if fits and not _placeholder(value) else None


def _password_like(value: str, *, tight: bool) -> bool:
    if (
        len(value) < 4
        or value[0] in "[/~$<{("
        or "://" in value
        or _NAMES.fullmatch(value)
        or _MEASURED.fullmatch(value)
    ):
        return value.isdigit() and len(value) >= 6 and tight
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    marks = any(not char.isalnum() and char not in "-_.'’/:()" for char in value)
    return (letters and (digits or marks) and len(value) >= 6) or (tight and len(_TURNS.findall(value)) >= 4)


def _key_like(value: str) -> bool:
    if len(value) < 12 or value[0] in "[~$<{(." or "://" in value or _NAMES.fullmatch(value):
        return False
    if value.count("/") >= 2 and len(value) < 30:
        return False  # a path
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and entropy(value) >= 2.5


def _in_addresses(text: str, low: str) -> Iterator[SensitiveSpan]:
    if "://" in text:
        for match in _URL_USER.finditer(text):
            if not _placeholder(match.group("value")):
                yield SensitiveSpan(*match.span("value"), "password")
        for match in _HOOK.finditer(text):
            group = "value" if match.group("value") is not None else "path"
            if any(map(str.isdigit, match.group(group))):
                yield SensitiveSpan(*match.span(group), "webhook")
        if has_one(low, _QUERY_SIGNS):
            yield from _filter_random_values(_QUERY.finditer(low), text, "signature")
    if has_one(low, _COOKIE_SIGNS):
        yield from _filter_random_values(_COOKIE.finditer(low), text, "session cookie")


def _filter_random_values(matches: Iterable[re.Match[str]], text: str, kind: str) -> Iterator[SensitiveSpan]:
    """Yield the values that a pattern finds in the small letters of a text and that look drawn at random."""
    for match in matches:
        value = text[slice(*match.span("value"))]
        looks = any(map(str.isdigit, value)) or len(_TURNS.findall(value)) >= 3
        if looks and not _placeholder(value) and not _NAMES.fullmatch(value):
            yield SensitiveSpan(*match.span("value"), kind)


def _near_words(text: str, low: str, chunks: Sequence[tuple[int, int]]) -> Iterator[SensitiveSpan]:
    """Yield what looks drawn at random, in a text that speaks of tokens or of private keys."""
    tokens = has_one(low, _TOKEN_SIGNS)
    keys = "public" not in low and has_one(low, _PRIVATE_SIGNS)
    for start, end in chunks if tokens or keys else ():
        for match in _RANDOM.finditer(text, start, end) if tokens else ():
            if random_looking(match.group()) and not match.group().startswith((*PUBLIC_BEFORE, *DATA_HEADS)):
                yield SensitiveSpan(*match.span(), "token")
        if keys:
            yield from (
                SensitiveSpan(*match.span(), "private key") for match in _HEX64.finditer(text, start, end)
            )
            yield from (
                SensitiveSpan(*match.span(), "private key")
                for match in _BASE64_KEY.finditer(text, start, end)
            )


def _lists(text: str, low: str) -> Iterator[SensitiveSpan]:
    """Yield what follows the words that announce a wallet's words, recovery codes or a second factor's secret."""
    if has_one(low, _SEED_SIGNS):
        for start in _find_list_starts(_SEED.finditer(low)):
            phrase = _PHRASE.search(text, start, start + REACH)
            if phrase is not None:
                yield SensitiveSpan(*phrase.span(), "recovery phrase")
    if has_one(low, _CODE_SIGNS):
        for start in _find_list_starts(_CODES.finditer(low)):
            codes = list(_CODE.finditer(text, start, start + REACH))
            if len(codes) >= 2:
                yield SensitiveSpan(codes[0].start(), codes[-1].end(), "recovery codes")
    if has_one(low, _OTP_SIGNS) and _OTP.search(low):
        for match in _BASE32.finditer(text):
            if any(map(str.isdigit, match.group())) or match.group().isupper():
                yield SensitiveSpan(*match.span(), "one-time secret")


def _find_list_starts(words: Iterable[re.Match[str]]) -> Iterator[int]:
    """Yield where the words end that announce a list; of those that stand close together, the first."""
    read_end = 0
    for match in words:
        if match.start() >= read_end:
            yield match.end()
            read_end = match.end() + REACH // 4


def random_looking(value: str) -> bool:
    """Tell whether characters look drawn at random: small and capital letters and digits, evenly spread."""
    bare = value.replace("_", "").replace("-", "")
    kinds = (sum(map(str.isupper, bare)), sum(map(str.islower, bare)), sum(map(str.isdigit, bare)))
    return min(kinds) >= 2 and len(bare) >= 16 and entropy(bare) >= ENTROPY_MIN


def entropy(value: str) -> float:
    """Return the bits a character of a text has by its own counts."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _placeholder(value: str) -> bool:
    low = value.lower()
    return any(part in low for part in PLACEHOLDER_PARTS) or len(set(low)) <= 3
