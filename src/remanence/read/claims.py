"""What a text claims of a subject, found by rules, and when a newer claim gives another value to the same.

A sentence claims something where it tells in the present, of a subject that it names, with a verb of the word lists;
in doubt it claims nothing. Knows texts and claims, no memories and no store.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from remanence.core.patterns import Pattern, any_of
from remanence.languages import LEXICONS, OPPOSITES
from remanence.languages.families import TELLING, UNSPACED_TELLING
from remanence.languages.shapes import Telling, UnspacedTelling

TEXT_CHARS_MAX = 2_000  # longer texts are documents, which tell of many things
SENTENCE_CHARS_MAX = 160
SENTENCE_WORDS_MAX = 24
SUBJECT_WORDS_MAX = 8
VALUE_WORDS_MAX = 12
SLOT_WORDS_MAX = 5  # of what differs between an older and a newer value
LIVE = "live"
CHANGE = "change"  # the group of verbs that only say that a value is another one
BE = "be"

_SENTENCES = re.compile(r"(?<![.!?…;])[.!?…;]+(?=\s|$)|[。！；？\n]")
_SHORTENED = ("Mr", "Ms", "Mrs", "Dr", "St", "Sr", "Sra", "Mme", "Prof", "Nr", "No")
_MARKED = re.compile(r"[\"“”„«»「」『』?？¿]|:(?!\s|\d)|:\s.*:\s|^>")  # quoted, listed or asked
_DATED = re.compile(r"\b(?:in|en|em|im jahr) (?:1[89]|20)\d\d\b", re.IGNORECASE)  # that is history
_TOKEN = re.compile(r"[^\W_][^\s,;!()\[\]{}<>|*]*")
_CLOSING = ".'-–"
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_NUMBER = re.compile(r"\W?\d")
_BREAKS = re.compile(r"[ -]")
_CLAUSES = re.compile(r",\s")
_UNSPACED_NUMBER = frozenset("一二三四五六七八九十百千万半両两0123456789０１２３４５６７８９")


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


class _PhraseSet:
    """Phrases of one language; most sentences have the first word of none, which is looked up first."""

    def __init__(self, phrases: Collection[str]) -> None:
        self._phrases = frozenset(phrases)
        self._first = frozenset(_BREAKS.split(phrase)[0] for phrase in phrases)

    def may_stand(self, folded: Collection[str]) -> bool:
        """Tell whether the words of a sentence are such that one of the phrases may stand in it."""
        return not self._first.isdisjoint(folded)

    def remove_phrase(self, found: re.Match[str]) -> str:
        """Return what is left of a phrase that was found: of another language's, all."""
        return " " if found.group().lower() in self._phrases else found.group()


@dataclass(frozen=True, slots=True, eq=False)
class _ClaimRules:
    """The words of one language, made ready to read with."""

    told: Telling
    groups: Mapping[str, str]  # by verb
    function_words: frozenset[str]
    updates: _PhraseSet
    doubts: frozenset[str]
    doubtful: _PhraseSet
    openers: _PhraseSet
    reactions: frozenset[str]


def _rules(told: Telling) -> _ClaimRules:
    lexicon = LEXICONS[told.code]
    return _ClaimRules(
        told,
        {**{verb: verb for verb in told.others}, **told.attributes},
        lexicon.stop | told.articles | told.prepositions | told.my | told.i,
        _PhraseSet(told.updates),
        frozenset(phrase for phrase in told.doubts if " " not in phrase),
        _PhraseSet([phrase for phrase in told.doubts if " " in phrase]),
        _PhraseSet(told.openers),
        lexicon.reactions,
    )


@cache
def _all_rules() -> tuple[_ClaimRules, ...]:
    """Return the rules of all languages, which are made ready when the first text is read."""
    return tuple(map(_rules, TELLING.values()))


_MOVES = re.compile(r"\bmoved\b|gezogen|\bmud|ménag", re.IGNORECASE)


class _AllWords:
    """The words of all languages, each list made ready when it is first asked for."""

    @cached_property
    def updates(self) -> Pattern:
        return _compile_phrases("updates")

    @cached_property
    def doubts(self) -> Pattern:
        return _compile_phrases("doubts")

    @cached_property
    def openers(self) -> Pattern:
        return _compile_phrases("openers")

    @cached_property
    def verbs(self) -> frozenset[str]:
        attributes = frozenset().union(*(told.attributes for told in TELLING.values()))
        return attributes | _join_words("changes") | self.others

    @cached_property
    def groups(self) -> frozenset[str]:
        return frozenset({CHANGE}).union(*(told.attributes.values() for told in TELLING.values()))

    @cached_property
    def before_nouns(self) -> frozenset[str]:
        # French has "a" as a verb.
        return (_join_words("definite") | _join_words("my") | self.prepositions) - {"a"}

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What a word of a value is, where something has one of the kind at a time."""
        return {
            **{word: "name" for lexicon in LEXICONS.values() for word in lexicon.kin},
            **dict.fromkeys(_join_words("colours"), "colour"),
            **{word: "number" for lexicon in LEXICONS.values() for word in lexicon.number_words},
            **dict.fromkeys(_join_words("numbers"), "number"),
            **dict.fromkeys(_join_words("weekdays"), "weekday"),
            **dict.fromkeys(_join_words("every_weekday"), "weekdays"),
            **dict.fromkeys(("xs", "s", "m", "l", "xl", "xxl"), "size"),
        }

    @cached_property
    def others(self) -> frozenset[str]:
        return _join_words("others")

    @cached_property
    def offices(self) -> frozenset[str]:
        return _join_words("offices")

    @cached_property
    def any_value(self) -> frozenset[str]:
        return _join_words("any_value")

    @cached_property
    def favourites(self) -> frozenset[str]:
        return _join_words("favourites")

    @cached_property
    def favourite_things(self) -> frozenset[str]:
        return _join_words("liked")

    @cached_property
    def articles(self) -> frozenset[str]:
        return _join_words("articles")

    @cached_property
    def prepositions(self) -> frozenset[str]:
        return _join_words("prepositions")


def _compile_phrases(name: str) -> Pattern:
    """Return a pattern for the phrases of all languages under a name."""
    phrases = any_of(phrase for telling in TELLING.values() for phrase in getattr(telling, name))
    return Pattern(rf"(?<![\w'])(?:{phrases})(?![\w'])", re.IGNORECASE)


def _join_words(name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(one, name) for one in TELLING.values()))


_ALL = _AllWords()
_TYPED = frozenset({"number", "weekday", "colour", "size"})
_SINGLE = frozenset({"call", "lead", "report", "用的是", "叫", "叫做"})  # one at a time, whatever it is
_LIVING = frozenset({LIVE, "住在"})  # who lives somewhere now has moved there
_MANY = frozenset({"have", "need", "take", "use", "drink"})  # another may come beside the first


def claims_of(text: str, speaker: str | None = None) -> tuple[ClaimFound, ...]:
    """Return what a text claims; who says "I" or "my" is the speaker."""
    if len(text) > TEXT_CHARS_MAX:
        return ()
    claims: list[ClaimFound] = []
    for sentence in _sentences(text):
        if len(sentence) <= SENTENCE_CHARS_MAX and not _MARKED.search(sentence):
            parse = _parse_unspaced_claim if _NO_BLANKS.search(sentence) else _parse_spaced_claim
            claim = parse(sentence, speaker)
            claims += [] if claim is None else [claim]
    return tuple(claims)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with a question mark where they ask."""
    at = 0
    for end in _SENTENCES.finditer(text):
        if text.endswith(_SHORTENED, at, end.start()) and end.group() == ".":
            continue
        asks = "?" in end.group() or "？" in end.group()
        if sentence := text[at : end.start()].strip():
            yield sentence + "?" * asks
        at = end.end()
    if sentence := text[at:].strip():
        yield sentence


def _parse_spaced_claim(sentence: str, speaker: str | None) -> ClaimFound | None:
    """Read a sentence of a language written with blanks."""
    plain = sentence.replace("’", "'")
    words = _split_folded_words(plain)
    moves = _MOVES.search(plain)
    if len(words) > SENTENCE_WORDS_MAX or not (moves or not _ALL.verbs.isdisjoint(words)):
        return None
    rules = _language(words)
    bare = _ALL.updates.sub(rules.updates.remove_phrase, plain) if rules.updates.may_stand(words) else plain
    is_update = bare != plain
    if moves and (move := _MOVED.search(bare.strip(" ,.!"))) and move.lastindex:
        return ClaimFound(_name_speaker(speaker), LIVE, f"in {move[move.lastindex]}", changed=True)
    if rules.openers.may_stand(words):
        bare = _ALL.openers.sub(rules.openers.remove_phrase, bare)
    bare_words = words if bare == plain else _split_folded_words(bare)
    if not rules.doubts.isdisjoint(bare_words) or _DATED.search(plain):
        return None
    if rules.doubtful.may_stand(bare_words) and _ALL.doubts.sub(rules.doubtful.remove_phrase, bare) != bare:
        return None
    before, colon, behind = bare.partition(": ")
    label = before.split()[-1:] if colon else []
    if (
        label and not is_update and label[0].lower() not in rules.told.labels
    ):  # who says it, or that it is an example
        return None
    parts = [part for part in _CLAUSES.split((behind or before).strip(" ,") + " ") if part.strip()] or [""]
    return _clause(_TOKEN.findall(parts[0]), rules, speaker, changed=is_update)


def _split_folded_words(sentence: str) -> list[str]:
    return sentence.lower().replace(",", " ").replace(": ", " ").split()


def _language(folded: Sequence[str]) -> _ClaimRules:
    """Return the rules of the language with most function words in a sentence; English wins ties."""
    return max(_all_rules(), key=lambda rules: len(rules.function_words.intersection(folded)))


def _clause(
    tokens: list[str], rules: _ClaimRules, speaker: str | None, *, changed: bool
) -> ClaimFound | None:
    """Read a clause: what stands before its verb is the subject, what follows the value."""
    tokens = [token.rstrip(_CLOSING) if token[-1] in _CLOSING else token for token in tokens]
    words = [token.lower() for token in tokens]
    while words and words[0] in rules.reactions:
        tokens, words = tokens[1:], words[1:]
    groups = rules.groups
    verb = _verb(words, rules)
    if verb is None:
        return None
    group = groups.get(words[verb], CHANGE)
    own = words[verb] in rules.told.own
    following = words[verb + 1] if verb + 1 < len(words) else ""
    before, value = tokens[:verb], tokens[verb + 1 :]
    if group == BE and groups.get(following) in {"keep", "call", "lead"}:
        group, value = groups[following], value[1:]
    if group == CHANGE or (group == BE and following in rules.told.changes):
        changes = _parse_change(before, value[group == BE :], rules, speaker)
        if changes is not None or group == CHANGE:
            return changes
    subject = _name_speaker(speaker) if own and not before else _subject(before, rules, speaker)
    if subject is None or not 0 < len(value) <= VALUE_WORDS_MAX:
        return None
    if group == BE:
        return _being(subject, before, value, rules, changed=changed)
    limit = _limit(before, rules)
    if limit is not None:
        subject = " ".join(word for word in subject.split() if word != before[limit].lower())
        value = [before[limit], *value]
    return ClaimFound(subject, group, " ".join(value), changed)


def _limit(before: list[str], rules: _ClaimRules) -> int | None:
    """Return the place of a number in a subject that is no name but a bound ("invoices above 500")."""
    bounds = rules.told.bounds
    places = (
        at for at in range(1, len(before)) if before[at - 1].lower() in bounds and _NUMBER.match(before[at])
    )
    return next(places, None)


def _verb(folded: list[str], rules: _ClaimRules) -> int | None:
    """Return the place of the verb; before another verb ("the water works changed") or after "the" is a noun."""
    groups, changes = rules.groups, rules.told.changes
    verbs = [
        at
        for at, word in enumerate(folded)
        if (word in groups or word in changes) and not (at and folded[at - 1] in _ALL.before_nouns)
    ]
    candidates = (at for at in verbs if at + 1 not in verbs or groups.get(folded[at]) in {BE, "have"})
    return next(candidates, None)


def _parse_change(
    before: list[str], value: list[str], rules: _ClaimRules, speaker: str | None
) -> ClaimFound | None:
    """Read that something changed into a value, or that somebody changed it so."""
    into = next((at for at, word in enumerate(value) if word.lower() in rules.told.into), None)
    if into is None:
        return None
    mover = {word.lower() for word in before} <= {*rules.told.i, "we", "they"}
    subject = _subject(value[:into] if mover else before, rules, speaker)
    if subject is None or not value[into + 1 :] or (into and not mover):
        return None
    return ClaimFound(subject, CHANGE, " ".join(value[into + 1 : into + 1 + VALUE_WORDS_MAX]), changed=True)


def _being(
    subject: str, before: list[str], value: list[str], rules: _ClaimRules, *, changed: bool
) -> ClaimFound | None:
    """Read what something is; of the speaker only a number is kept, and who holds an office is its value."""
    words = [word.lower() for word in value]
    first_person = {word.lower() for word in before} <= rules.told.i
    if words[0] in rules.told.definite and not _ALL.offices.isdisjoint(words[1:4]):
        office = _subject(value, rules, None)
        if office is not None and before and all(word[0].isupper() for word in before) and not first_person:
            return ClaimFound(office, BE, " ".join(before), changed)
        return None
    if first_person and _kind(value) not in _TYPED:
        return None
    return ClaimFound(subject, BE, " ".join(value), changed)


def _name_speaker(speaker: str | None) -> str:
    return "i" if speaker is None else speaker.lower()


def _subject(tokens: list[str], rules: _ClaimRules, speaker: str | None) -> str | None:
    """Fold a subject: without articles, and by the speaker's name where it is the speaker's own; None names nothing."""
    telling = rules.told
    forms = [token.lower() for token in tokens]
    if not 0 < len(forms) <= SUBJECT_WORDS_MAX or not telling.nobody.isdisjoint(forms):
        return None
    if len(forms) == 1 and forms[0] in telling.i:
        return _name_speaker(speaker)
    words = [
        _name_speaker(speaker) if word in telling.my else word
        for word in forms
        if word not in telling.articles
    ]
    return " ".join(words) or None


def _parse_unspaced_claim(sentence: str, speaker: str | None) -> ClaimFound | None:
    """Read a sentence of Chinese or Japanese."""
    for telling in UNSPACED_TELLING.values():
        if any(doubt in sentence for doubt in telling.doubts):
            continue
        if move := _MOVED_UNSPACED[telling.code].search(sentence):
            living = _LIVING_UNSPACED[telling.code]
            return ClaimFound(_name_speaker(speaker), living, move["place"], changed=True)
        if (claim := _unspaced_claim(sentence, telling, speaker)) is not None:
            return claim
    return None


def _unspaced_claim(sentence: str, told: UnspacedTelling, speaker: str | None) -> ClaimFound | None:
    plain, is_update = sentence, False
    for update in told.updates:
        is_update |= update in plain
        plain = plain.replace(update, "")
    plain = plain.strip("，、 ")
    match = _CLAIM_UNSPACED[told.code].match(plain)
    if match is None or match["subject"] in told.nobody:
        return None
    subject = _name_speaker(speaker) if match["subject"] in told.i else match["subject"]
    return ClaimFound(subject, match["verb"], match["value"], is_update or "なりました" in sentence)


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
    attributes = sorted(_ALL.groups) if claim.attribute == CHANGE else [claim.attribute, CHANGE]
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
        {word.lower() for word in words} - _ALL.articles - _ALL.prepositions for words in (gone, come)
    )
    return bool(one and other) and not (one <= other or other <= one)


def _opposite(gone: list[str], come: list[str]) -> bool:
    return len(gone) == len(come) == 1 and come[0].lower() in OPPOSITES.get(gone[0].lower(), ())


def _kind(words: Sequence[str]) -> str:
    """Say of what kind all words of a value are but articles and prepositions, "mixed" where they differ."""
    value_words = [
        word for word in words if word.lower() not in _ALL.articles and word.lower() not in _ALL.prepositions
    ] or words
    kinds = {_kind_of(word) for word in value_words}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind_of(word: str) -> str:
    low = word.lower()
    if low in _ALL.kinds and not (_ALL.kinds[low] == "size" and word.islower()):
        return _ALL.kinds[low]
    if _NUMBER.match(word) or word in _UNSPACED_NUMBER:
        return "number"
    return "name" if word[0].isupper() else "word"


def _one_at_a_time(claim: ClaimFound, kind: str) -> bool:
    """Tell whether a subject has one value of this sort at a time: a name, an office, a favourite."""
    if claim.attribute in _SINGLE:
        return kind == "name" or bool(_NO_BLANKS.search(claim.value))
    subject = set(claim.subject.split())
    if claim.attribute != BE:
        return False
    any_value = not _ALL.any_value.isdisjoint(subject) or not (
        _ALL.favourites.isdisjoint(subject) or _ALL.favourite_things.isdisjoint(subject)
    )
    return (any_value and kind in {"name", "word"}) or (
        kind == "name" and not _ALL.offices.isdisjoint(subject)
    )


def _from_now_on(attribute: str, gone: list[str], come: list[str], shared: list[str], kind: str) -> bool:
    """Tell whether what is said to be so from now on leaves no room for what was."""
    if attribute in _MANY or attribute in _ALL.others:
        return False
    if attribute in _LIVING:
        return True
    if _opposite(gone, come):
        return True
    same = {word.lower() for word in shared}
    if attribute == BE:
        return bool(same - _ALL.prepositions) or (
            bool(same) and kind == "name"
        )  # it is in Riga now, not in Tartu
    return bool(same) or kind in {"name", "word"}
