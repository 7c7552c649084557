"""What a text claims of a subject, found by rules, and when a newer claim gives another value to the same.

A sentence claims something where it tells in the present, of a subject that it names, with a verb of the word lists;
in doubt it claims nothing. Knows texts and claims, no memories and no store.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from remanence.core.patterns import Pattern
from remanence.languages import LEXICONS, OPPOSITES
from remanence.languages.change_words import CHANGING
from remanence.languages.families import ASSERTIONS, TELLING, UNSPACED_TELLING
from remanence.languages.shapes import Telling
from remanence.read.cues import language_code, lower_text
from remanence.read.statements import spans
from remanence.text.twins import find_label

TEXT_CHARS_MAX = 2_000  # longer texts are documents, which tell of many things
SENTENCE_CHARS_MAX = 160
SENTENCE_WORDS_MAX = 24
SUBJECT_WORDS_MAX = 8
VALUE_WORDS_MAX = 12
SLOT_WORDS_MAX = 5  # of what differs between an older and a newer value
LIVE = "live"
CHANGE = "change"  # the group of verbs that only say that a value is another one
BE = "be"

_QUOTED_LINE = re.compile(r"^>.*", re.MULTILINE)
_MARKED = re.compile(r"[\"“”„«»「」『』?？¿]|:(?!\s|\d)|:\s.*:\s")  # quoted, listed or asked
_DATED = re.compile(r"\b(?:in|en|em|im jahr) (?:1[89]|20)\d\d\b", re.IGNORECASE)  # that is history
_TOKEN = re.compile(r"[^\W_][^\s,;!()\[\]{}<>|*]*")
_CLOSING = ".'-–"
_ENDS = " ，、,.!;…。！；了"
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_NUMBER = re.compile(r"\W?\d")
_CLAUSES = re.compile(r",\s")
_UNSPACED_NUMBER = frozenset("一二三四五六七八九十百千万半両两0123456789０１２３４５６７８９")

# Signs of change that say that it is so from now on, and those with which nothing is told.
_UPDATES, _DOUBTS = frozenset({"onward", "now", "lately"}), frozenset({"doubts", "today", "denies"})


@dataclass(frozen=True, slots=True)
class ClaimFound:
    """What one sentence claims: the folded subject and attribute, the value as said.

    `changed` tells that it is said to be so from now on.
    """

    subject: str
    attribute: str
    value: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """Whether a newer claim gives another value to what an older one claims, and why that is so."""

    is_other: bool
    why: str


NOT = ClaimVerdict(False, "nothing says that the older one holds no longer")
SAME_KIND = ClaimVerdict(True, "another value of the same kind")
ONE_AT_A_TIME = ClaimVerdict(True, "there is one at a time")
SAID_SO = ClaimVerdict(True, "it is said to be so from now on")


# Sentences that say where the speaker moved to; each language has one group, the place.
_MOVING = (
    (
        r"^(?:i|i've|i have|we|we've|we have)(?: just| finally| recently)? moved (?:back |over |out )?to "
        r"([A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3})"
        r"(?: (?:last|this) (?:week|month|weekend)| yesterday| today)?$"
    ),
    r"(?:^|\s)(?:ich )?bin\s.{0,80}\bnach ([A-ZÄÖÜ]\S{1,40}) (?:um)?gezogen$",
    r"(?:^|\s)(?:ya )?me (?:he mudado|mudé) (?:a|para) ([A-ZÁÉÍÓÚÑ]\S{1,40})$",
    r"(?:^|\s)(?:j'ai|je viens d')\s?(?:emménagé|déménagé|emménager|déménager) à ([A-ZÀÉÈ]\S{1,40})$",
    r"(?:^|\s)(?:eu )?(?:me )?mudei(?:-me)? para ([A-ZÁÉÍÓÚÃÕ]\S{1,40})$",
)
_MOVED = Pattern("|".join(f"(?:{moving})" for moving in _MOVING), re.IGNORECASE)
_MOVED_UNSPACED = {
    "zh": Pattern(r"(?:搬到|搬去|人在)了?(?P<place>[^，。了]{2,8})"),
    "ja": Pattern(r"(?P<place>[^、はがを]{1,8}?)[にへ](?:引っ越しました|引っ越した|移り住みました)"),
}
_LIVING_UNSPACED = {"zh": "住在", "ja": "は"}  # the verb of living there
# How a sentence without blanks tells what holds.
_CLAIM_UNSPACED = {
    "zh": Pattern(r"^(?P<subject>.{1,20}?)(?P<verb>用的是|住在|叫做|叫|在|是)(?P<value>.{1,20})$"),
    "ja": Pattern(
        r"^(?P<subject>.{1,20}?)(?P<verb>は)(?P<value>.{1,24}?)"
        r"(?:でやることになりました|になりました|に変わりました|でやります|でやる|に出ます|です|だ|にあります|に住んでいます|と言います)$"
    ),
}
_MOVES = re.compile(r"\bmoved\b|gezogen|\bmud|ménag", re.IGNORECASE)
_VALUE_LISTS: tuple[tuple[str, Mapping[str, object], str], ...] = (
    ("number", LEXICONS, "number_words"), ("colour", TELLING, "colours"), ("number", TELLING, "numbers"),
    ("weekday", TELLING, "weekdays"), ("weekdays", TELLING, "every_weekday"), ("month", LEXICONS, "months"),
)  # fmt: skip
_TYPED = frozenset({"number", "weekday", "colour", "size"})
_SINGLE = frozenset({"call", "lead", "report", "用的是", "叫", "叫做"})  # one at a time, whatever it is
_LIVING = frozenset({LIVE, "住在"})  # who lives somewhere now has moved there
_MANY = frozenset({"have", "need", "take", "use", "drink"})  # another may come beside the first


@cache
def _join_words(name: str) -> frozenset[str]:
    """Return the words of all languages under a name: two claims do not say which they are in."""
    return frozenset().union(*(getattr(one, name) for one in TELLING.values()))


@cache
def load_value_kinds(codes: tuple[str, ...]) -> Mapping[str, str]:
    """Return of what kind the words of values are in some languages."""
    words = {
        word: kind
        for kind, family, name in _VALUE_LISTS
        for code in codes
        for word in getattr(family[code], name)
    }
    return words | dict.fromkeys(("xs", "s", "m", "l", "xl", "xxl"), "size")


@cache
def _load_verbs(code: str) -> Mapping[str, str]:
    """Return the verbs of a language with their groups; a verb of `others` is a group of its own."""
    telling = TELLING[code]
    return {
        **dict.fromkeys(telling.changes, CHANGE),
        **{verb: verb for verb in telling.others},
        **telling.attributes,
    }


def claims_of(text: str, speaker: str | None = None) -> tuple[ClaimFound, ...]:
    """Return what a text claims; who says "I" or "my" is the speaker."""
    if len(text) > TEXT_CHARS_MAX:
        return ()
    code, text = language_code(text), _QUOTED_LINE.sub("", text).replace("’", "'")
    claims = (_read_claim(text[begin:end], code, speaker) for begin, end in spans(text))
    return tuple(claim for claim in claims if claim is not None)


def _read_claim(said: str, code: str, speaker: str | None) -> ClaimFound | None:
    """Read a sentence that nothing puts in doubt, without the words that say that it is so from now on."""
    if len(said) > SENTENCE_CHARS_MAX or _MARKED.search(said) or _DATED.search(said):
        return None
    words = _TOKEN.findall(said.lower())
    if code in TELLING and not _MOVES.search(said) and _load_verbs(code).keys().isdisjoint(words):
        return None
    signs = CHANGING[code].find_signs(lower_text(said))
    updates = [sign for sign in signs if sign.kind in _UPDATES]
    # "As of today" holds on.
    within = {at for sign in updates for at in range(sign.begin, sign.end)}
    if any(sign.kind in _DOUBTS and sign.begin not in within for sign in signs):
        return None
    changed = bool(updates) or said.rstrip("。！ ").endswith("了")
    if updates:
        said = "".join(" " if at in within else sign for at, sign in enumerate(said))
    parse = _parse_spaced_claim if code in TELLING else _parse_unspaced_claim
    return parse(said.strip(_ENDS), code, speaker, changed=changed)


def _parse_spaced_claim(said: str, code: str, speaker: str | None, *, changed: bool) -> ClaimFound | None:
    """Read a sentence of a language written with blanks: its first clause that has a verb, behind a label."""
    if _MOVES.search(said) and (move := _MOVED.search(said)) and move.lastindex:
        return ClaimFound(_name_speaker(speaker), LIVE, f"in {move[move.lastindex]}", changed=True)
    before, colon, behind = said.partition(": ")
    if (colon and not changed and not find_label(said)) or len(said.split()) > SENTENCE_WORDS_MAX:
        return None  # who says it, or that it is an example
    clauses = map(_TOKEN.findall, _CLAUSES.split(behind or before))
    tokens = next(
        (one for one in clauses if not _load_verbs(code).keys().isdisjoint(map(str.lower, one))), []
    )
    return _read_clause(tokens, TELLING[code], speaker, changed=changed)


def _read_clause(
    tokens: list[str], telling: Telling, speaker: str | None, *, changed: bool
) -> ClaimFound | None:
    """Read a clause in the present: what stands before its verb is the subject, what follows the value."""
    tokens = [token.rstrip(_CLOSING) for token in tokens]
    words, groups = [token.lower() for token in tokens], _load_verbs(telling.code)
    places = [at for at, word in enumerate(words) if word in groups]
    if not places or not (LEXICONS[telling.code].past - telling.attributes.keys()).isdisjoint(words):
        return None
    # Before another verb stands a noun: "the water works changed".
    verb = next((at for at in places if at + 1 not in places or groups[words[at]] in {BE, "have"}), None)
    if verb is None:
        return None
    group, before, value = groups[words[verb]], tokens[:verb], tokens[verb + 1 :]
    if group == CHANGE or (group == BE and words[verb + 1 : verb + 2] and words[verb + 1] in telling.changes):
        changes = _parse_change(before, value[group == BE :], telling, speaker)
        if changes is not None or group == CHANGE:
            return changes
    is_own = words[verb] in telling.own and not before
    subject = _name_speaker(speaker) if is_own else _subject(before, telling, speaker)
    if subject is None or not 0 < len(value) <= VALUE_WORDS_MAX:
        return None
    if group == BE:
        return _being(subject, before, value, telling, changed=changed)
    limit = _limit(before, telling)
    if limit is not None:
        subject = " ".join(word for word in subject.split() if word != before[limit].lower())
        value = [before[limit], *value]
    return ClaimFound(subject, group, " ".join(value), changed)


def _limit(before: list[str], telling: Telling) -> int | None:
    """Return the place of a number in a subject that is no name but a bound ("invoices above 500")."""
    bounds = telling.bounds
    places = (
        at for at in range(1, len(before)) if before[at - 1].lower() in bounds and _NUMBER.match(before[at])
    )
    return next(places, None)


def _parse_change(
    before: list[str], value: list[str], telling: Telling, speaker: str | None
) -> ClaimFound | None:
    """Read that something changed into a value, or that somebody changed it so."""
    into = next((at for at, word in enumerate(value) if word.lower() in telling.into), None)
    if into is None:
        return None
    mover = {word.lower() for word in before} <= LEXICONS[telling.code].first_person | {"they"}
    subject = _subject(value[:into] if mover else before, telling, speaker)
    if subject is None or not value[into + 1 :] or (into and not mover):
        return None
    return ClaimFound(subject, CHANGE, " ".join(value[into + 1 : into + 1 + VALUE_WORDS_MAX]), changed=True)


def _being(
    subject: str, before: list[str], value: list[str], telling: Telling, *, changed: bool
) -> ClaimFound | None:
    """Read what something is; of the speaker only a number is kept, and who holds an office is its value."""
    words = [word.lower() for word in value]
    first_person = {word.lower() for word in before} <= LEXICONS[telling.code].first_person
    if words[0] in telling.definite and not _join_words("offices").isdisjoint(words[1:4]):
        office = _subject(value, telling, None)
        if office is not None and before and all(word[0].isupper() for word in before) and not first_person:
            return ClaimFound(office, BE, " ".join(before), changed)
        return None
    if first_person and _kind(value) not in _TYPED:
        return None
    return ClaimFound(subject, BE, " ".join(value), changed)


def _name_speaker(speaker: str | None) -> str:
    return "i" if speaker is None else speaker.lower()


def _subject(tokens: list[str], telling: Telling, speaker: str | None) -> str | None:
    """Fold a subject: without articles, and by the speaker's name where it is the speaker's own; None names nothing."""
    forms = [token.lower() for token in tokens]
    if not 0 < len(forms) <= SUBJECT_WORDS_MAX or not telling.nobody.isdisjoint(forms):
        return None
    if len(forms) == 1 and forms[0] in LEXICONS[telling.code].first_person:
        return _name_speaker(speaker)
    words = [
        _name_speaker(speaker) if word in ASSERTIONS[telling.code].possessives else word
        for word in forms
        if word not in telling.articles
    ]
    return " ".join(words) or None


def _parse_unspaced_claim(said: str, code: str, speaker: str | None, *, changed: bool) -> ClaimFound | None:
    """Read a sentence of Chinese or Japanese."""
    said = "".join(said.split())
    if move := _MOVED_UNSPACED[code].search(said):
        return ClaimFound(_name_speaker(speaker), _LIVING_UNSPACED[code], move["place"], changed=True)
    match, telling = _CLAIM_UNSPACED[code].match(said), UNSPACED_TELLING[code]
    if match is None or match["subject"] in telling.nobody:
        return None
    subject = _name_speaker(speaker) if match["subject"] in telling.i else match["subject"]
    return ClaimFound(subject, match["verb"], match["value"], changed or "なりました" in said)


def compare_claims(old: ClaimFound, new: ClaimFound) -> ClaimVerdict:
    """Say whether a newer claim gives the same subject and attribute a value that leaves no room for the older."""
    if old.subject != new.subject or (
        old.attribute != new.attribute and CHANGE not in (old.attribute, new.attribute)
    ):
        return NOT
    was, now = _words(old.value), _words(new.value)
    forms = [[word.lower() for word in words] for words in (was, now)]
    start, end = _count_shared_ends(*forms)
    gone, come = was[start : len(was) - end], now[start : len(now) - end]
    if not _differ(gone, come):
        return NOT
    shared = was[:start] + (was[len(was) - end :] if end else [])
    kinds = {_kind(gone), _kind(come)}
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind in _TYPED and "" not in (old.value, new.value):
        return SAME_KIND
    if CHANGE in (old.attribute, new.attribute):
        return SAID_SO if kind == "name" else NOT
    if _one_at_a_time(old, kind):
        return ONE_AT_A_TIME
    return SAID_SO if new.changed and _from_now_on(old.attribute, gone, come, shared, kind) else NOT


def asked_of(claim: ClaimFound) -> list[tuple[str, str]]:
    """Return the pairs of subject and attribute under which an older claim stands that this one may outdate."""
    attributes = (
        sorted({CHANGE}.union(*(one.attributes.values() for one in TELLING.values())))
        if claim.attribute == CHANGE
        else [claim.attribute, CHANGE]
    )
    return [(claim.subject, attribute) for attribute in attributes]


def _words(value: str) -> list[str]:
    return list(value) if _NO_BLANKS.search(value) else value.split()


def _count_shared_ends(one: list[str], other: list[str]) -> tuple[int, int]:
    """Return how many words two values begin with alike, and how many they end with alike."""
    least = min(len(one), len(other))
    start = next((at for at in range(least) if one[at] != other[at]), least)
    end = next((at for at in range(least - start) if one[-at - 1] != other[-at - 1]), least - start)
    return start, end


def _differ(gone: list[str], come: list[str]) -> bool:
    """Tell whether one value stands for the other, and neither only says more."""
    if not gone or not come or max(len(gone), len(come)) > SLOT_WORDS_MAX:
        return False
    if _opposite(gone, come):
        return True
    one, other = (
        {word.lower() for word in words} - _join_words("articles") - _join_words("prepositions")
        for words in (gone, come)
    )
    return bool(one and other) and not (one <= other or other <= one)


def _opposite(gone: list[str], come: list[str]) -> bool:
    return len(gone) == len(come) == 1 and come[0].lower() in OPPOSITES.get(gone[0].lower(), ())


def _kind(words: Sequence[str]) -> str:
    """Say of what kind all words of a value are but articles and prepositions, "mixed" where they differ."""
    value_words = [
        word
        for word in words
        if word.lower() not in _join_words("articles") and word.lower() not in _join_words("prepositions")
    ] or words
    kinds = {_kind_of(word) for word in value_words}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind_of(word: str) -> str:
    kind = load_value_kinds(tuple(LEXICONS)).get(word.lower(), "")
    if kind == "month" or _NUMBER.match(word) or word in _UNSPACED_NUMBER:
        return "number"
    if kind and not (kind == "size" and word.islower()):
        return kind
    return "name" if word[0].isupper() else "word"


def _one_at_a_time(claim: ClaimFound, kind: str) -> bool:
    """Tell whether a subject has one value of this sort at a time: a name, an office, a favourite."""
    if claim.attribute in _SINGLE:
        return kind == "name" or bool(_NO_BLANKS.search(claim.value))
    subject = set(claim.subject.split())
    if claim.attribute != BE:
        return False
    is_favourite = not _join_words("favourites").isdisjoint(subject)
    is_office = not _join_words("offices").isdisjoint(subject)
    return (is_favourite and kind in {"name", "word"}) or (is_office and kind == "name")


def _from_now_on(attribute: str, gone: list[str], come: list[str], shared: list[str], kind: str) -> bool:
    """Tell whether what is said to be so from now on leaves no room for what was."""
    if attribute in _MANY or attribute in _join_words("others"):
        return False
    if attribute in _LIVING:
        return True
    if _opposite(gone, come):
        return True
    same = {word.lower() for word in shared}
    if attribute == BE:
        return bool(same - _join_words("prepositions")) or (
            bool(same) and kind == "name"
        )  # it is in Riga now, not in Tartu
    return bool(same) or kind in {"name", "word"}
