"""Finds what is evidence of orders to a machine: words of a sentence, and markup that is meant for a machine alone.

Markup are roles, text that no eye sees, addresses and links that carry data. Knows no quotations and no weights.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache

from remanence.core.patterns import Pattern
from remanence.gate.order_evidence import OrderEvidence
from remanence.gate.order_patterns import (
    ADDRESS,
    BECOMES,
    CARRIES,
    CODE,
    END,
    HEAD,
    KEY,
    KEY_WORDS,
    KEYS,
    MARKED,
    ROLE_KEY,
    SPECIAL,
    TAG,
    TOOL_CALL,
    UNSEEN,
)
from remanence.languages.families import ORDERS, UNSPACED_ORDERS, load_address_words

E = OrderEvidence
_ADDRESSED = load_address_words()
_MARKED = re.compile(MARKED)
_SPECIAL = Pattern(SPECIAL)
_TAG = Pattern(TAG)
_TOOL_CALL = Pattern(TOOL_CALL)
_HEAD = Pattern(HEAD)
_END = Pattern(END)
_ROLE_KEY = Pattern(ROLE_KEY)
_KEY = Pattern(KEY)
_KEYS = Pattern(KEYS)
_KEY_WORDS = Pattern(KEY_WORDS)
_UNSEEN = Pattern(UNSEEN)
_ADDRESS = Pattern(ADDRESS)
_CARRIES = Pattern(CARRIES)
_BECOMES = Pattern(BECOMES)
_CODE = Pattern(CODE)
# Signs of which one is in every sentence that a pattern can fit: looking for these is fast.
_ADDRESS_SIGNS = (".", "@", "://")
_TAG_SIGNS = ("<", "[", "【", "(", "===", "***", "###", "---")
_UNSEEN_SIGNS = ("<", "\\", "[")
_END_SIGNS = ("end", "fin", "fim", "结束", "終了", "終わり", "ここまで")
_KEYS_SIGNS = ("~/.", "id_", "/etc/", "wallet.dat")
_CODE_SIGNS = ("|", "(", "os.system", "subprocess", "rm -rf")
_BECOMES_SIGNS = ("now", "jetzt", "nun", "ahora", "maintenant", "désormais", "agora")
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+|[^\w\s'’´`-]")
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_Longer = dict[str, list[tuple[list[str], int]]]


def _bits_of(what: str) -> int:
    kind = OrderEvidence[what.upper()]
    return (kind | E.DATA if kind is E.PRIVATE else kind).value


@cache
def _by_first_word() -> dict[str, tuple[int, _Longer]]:
    """Return word → its evidence, and by the second word what follows that in longer phrases, with theirs."""
    by_words: dict[tuple[str, ...], int] = {}
    for language in ORDERS.values():
        for what, phrases in language.evidence.items():
            bits = _bits_of(what)
            for phrase in phrases:
                words = tuple(_WORD.findall(phrase))
                by_words[words] = by_words.get(words, 0) | bits
    longer: dict[str, _Longer] = {first: {} for first, *_ in by_words}
    for (first, *rest), bits in by_words.items():
        if rest:
            longer[first].setdefault(rest[0], []).append((rest[1:], bits))
    return {first: (by_words.get((first,), 0), by_second) for first, by_second in longer.items()}


@cache
def _by_phrase() -> dict[str, int]:
    """Return phrase → evidence of it and of all phrases within it, for scripts without blanks."""
    by_phrase: dict[str, int] = {}
    for language in UNSPACED_ORDERS.values():
        for what, phrases in language.evidence.items():
            bits = _bits_of(what)
            for phrase in phrases:
                by_phrase[phrase] = by_phrase.get(phrase, 0) | bits
    return {phrase: _merge_bits(by_phrase.get(part, 0) for part in _parts(phrase)) for phrase in by_phrase}


def _parts(phrase: str) -> Iterator[str]:
    """Yield a phrase and all phrases that could be within it."""
    for begin in range(len(phrase)):
        yield from (phrase[begin:end] for end in range(begin + 1, len(phrase) + 1))


def _merge_bits(every: Iterable[int]) -> int:
    bits = 0
    for one in every:
        bits |= one
    return bits


@cache
def _by_first_char() -> dict[str, list[str]]:
    """Return character → the phrases that begin with it, the longest first, for scripts without blanks."""
    by: dict[str, list[str]] = {}
    for phrase in sorted(_by_phrase(), key=len, reverse=True):
        by.setdefault(phrase[0], []).append(phrase)
    return by


@cache
def _every_words() -> frozenset[str]:
    """Return the single words that say that everything is meant."""
    return frozenset(word for word, (bits, _) in _by_first_word().items() if bits & E.ALL)


def _collect_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text))


_YOUR = _collect_words(phrase for language in ORDERS.values() for phrase in language.your)
_LEADS = _collect_words(phrase for language in ORDERS.values() for phrase in language.leads)
_USER_NOUNS = _collect_words(phrase for language in ORDERS.values() for phrase in language.user_nouns)
# Bits as plain numbers: an operation on a flag takes twenty times as long.
_CALLED, _HELPER_CALLED, _ORDERED, _OVERRIDDEN = (
    one.value for one in (E.CALLED, E.HELPER_CALLED, E.ORDERED, E.OVERRIDDEN)
)
_OWN, _OWNED, _OUTPUT, _OUTPUT_OWNED = (one.value for one in (E.OWN, E.OWNED, E.OUTPUT, E.OUTPUT_OWNED))
_OVERRIDE, _INSTRUCTION, _USER, _SAY, _HIDE, _SEND = (
    one.value for one in (E.OVERRIDE, E.INSTRUCTION, E.USER, E.SAY, E.HIDE, E.SEND)
)
_MACHINE, _MUST, _DROPPED = E.MACHINE.value, E.MUST.value, E.DROPPED.value
_PRIOR, _TOLD = E.PRIOR.value, E.TOLD.value
_READER = (E.MACHINE | E.HELPER).value
_BEGUN = (E.ORDERED | E.YOU | E.MUST | E.POLITE | E.MARKUP).value
_COMMANDS = (E.SAY | E.ACT | E.SEND | E.STORE | E.OVERRIDE | E.OBEY | E.HIDE | E.ROLE | E.LATER).value
_COMMANDS_UNSPACED = (E.SAY | E.ACT | E.SEND | E.STORE | E.HIDE | E.OVERRIDE | E.ROLE | E.OBEY).value
_OVERRIDE_REACH = 9  # words between dropping and what is dropped
_YOUR_REACH = 4
_DENIAL_REACH = 2  # words between denying and what is not to be sent
_CALL_REACH = 5  # words before the one who is called
_CLAUSE_ENDS = frozenset(",.:;!?")
_CLAUSE_ENDS_UNSPACED = frozenset(",，、:：;；。!?！？ ")
_OPENING = frozenset('"“„«「『')  # before a verb they say that it is quoted


def found_in(sentence: str) -> int:
    """Return the evidence in one sentence of small letters, as bits."""
    bits = marks_of(sentence)
    tokens = _TOKEN.findall(sentence)
    if not _by_first_word().keys().isdisjoint(tokens):
        bits |= _collect_spaced_evidence(tokens, bits)
    if not sentence.isascii() and _NO_BLANKS.search(sentence):
        bits |= _collect_unspaced_evidence(sentence)
    return bits


def _collect_spaced_evidence(tokens: list[str], bits: int) -> int:
    """Read words one after another, and how they stand to what was before them."""
    phrases = _by_first_word()
    your = override_at = -99
    hide_end = 0  # words of "do not mention" are no mention
    dropping = _Dropping()
    for at, word in enumerate(tokens):
        if word in _YOUR or word == "s":
            your = at if word != "s" else -99  # another's: the rules of your doctor's
        if word not in phrases or at < hide_end:
            continue
        phrase_bits, end = _phrases_at(tokens, at)
        if phrase_bits & _HIDE:
            hide_end = end
        if phrase_bits & _USER and tokens[at + 1 : at + 2] and tokens[at + 1] in _USER_NOUNS:
            phrase_bits &= ~_USER
        if phrase_bits & _SEND and not _ADDRESSED.denials.isdisjoint(tokens[max(0, at - _DENIAL_REACH) : at]):
            phrase_bits &= ~_SEND
        if phrase_bits & _COMMANDS and _is_command(tokens, at, phrase_bits, bits):
            phrase_bits |= _ORDERED
        if at - your <= _YOUR_REACH:
            phrase_bits |= (phrase_bits & _OWN and _OWNED) | (phrase_bits & _OUTPUT and _OUTPUT_OWNED)
        if phrase_bits & _OVERRIDE:
            override_at = at
        if phrase_bits & _INSTRUCTION and 0 < at - override_at <= _OVERRIDE_REACH:
            phrase_bits |= _OVERRIDDEN
        if phrase_bits & _READER:
            phrase_bits |= _detect_reader_call(tokens, at, end, phrase_bits)
        bits |= phrase_bits | dropping.read(tokens, at, end, phrase_bits)
    return bits


def _ends_clause(tokens: list[str]) -> bool:
    """Tell whether a clause ends before the last of some words; before "all" and "what" a comma does not end it."""
    return any(
        one in _CLAUSE_ENDS and (one != "," or after not in _every_words())
        for one, after in itertools.pairwise(tokens)
    )


def _is_quoted(before: list[str]) -> bool:
    """Tell whether quotation marks open behind some words; not so around a value that has a name."""
    if not before or before[-1] not in _OPENING:
        return False
    return before[-2:-1] != ["="] and before[-3:-1] != ['"', ":"]


class _Dropping:
    """Reads along whether a sentence tells the reader to drop what it was told before: its rules, or all above."""

    def __init__(self) -> None:
        self._start = -99
        self._seen = 0

    def read(self, tokens: list[str], at: int, end: int, found: int) -> int:
        """Return the evidence of it that one word completes."""
        if found & _OVERRIDE and found & _ORDERED and not _is_quoted(tokens[max(0, at - 3) : at]):
            self._start, self._seen = at, 0
        if at - self._start > _OVERRIDE_REACH or _ends_clause(tokens[self._start : at + 1]):
            return 0
        self._seen |= found
        ends = end == len(tokens) or not tokens[end].isalnum() or tokens[end] in _ADDRESSED.joins
        is_named = self._seen & _INSTRUCTION and self._seen & (_PRIOR | _OWNED)
        return _DROPPED if is_named or found & _TOLD or (found & _PRIOR and ends) else 0


def _phrases_at(tokens: list[str], at: int) -> tuple[int, int]:
    """Return the evidence of all phrases that begin at a word, and where the longest ends.

    Only of a reader, of hiding and of what was before it is known.
    """
    bits, longer = _by_first_word()[tokens[at]]
    second, end = at + 1, at + 1
    for rest, what in longer.get(tokens[second], ()) if longer and second < len(tokens) else ():
        if not rest or tokens[second + 1 : second + 1 + len(rest)] == rest:
            bits |= what
            if what & (_READER | _HIDE | _PRIOR):
                end = max(end, second + 1 + len(rest))
    return bits, end


def _is_command(tokens: list[str], at: int, found: int, bits: int) -> bool:
    """Tell whether a verb begins its clause, but for words such as "and", "please" or "always" before it."""
    if found & _SAY and at and tokens[at - 1] in _ADDRESSED.persons:
        return True
    while at:
        at -= 1
        token = tokens[at]
        if not token.isalnum() or (token in _ADDRESSED.joins and bits & _BEGUN):
            return True
        if token in _ADDRESSED.modals and at and tokens[at - 1] in _ADDRESSED.persons:
            return True
        if token not in _LEADS:
            return False
    return True


def _detect_reader_call(tokens: list[str], at: int, end: int, found: int) -> int:
    """Return the evidence that a reader's name is there to speak to it."""
    start = at
    while start and at - start <= _CALL_REACH and tokens[start - 1].isalnum():
        start -= 1
    has_greeting = tokens[start] in _ADDRESSED.greetings
    alone = at == start or has_greeting or tokens[at - 1] in _ADDRESSED.anybody
    is_noted = not _ADDRESSED.notes.isdisjoint(tokens[start:at])
    calls = (
        (has_greeting and end == len(tokens))
        or (alone and tokens[end : end + 1] == [","])
        or (tokens[end : end + 1] == [":"] and at - start <= _CALL_REACH)
        or ((alone or is_noted) and ":" in tokens[end : end + 5])
    )
    if not calls:
        return 0
    return _CALLED if found & _MACHINE or is_noted else _HELPER_CALLED


def _collect_unspaced_evidence(sentence: str) -> int:
    bits = call_bits = at = clause_bits = 0
    begins_with_override = False
    while at < len(sentence):
        phrase = _phrase_from(sentence, at)
        end = at + len(phrase)
        what = _by_phrase().get(phrase, 0)
        if what & _OVERRIDE and (not at or sentence[at - 1] in " ,，:：、"):
            begins_with_override = True
        if what & _READER and not call_bits and _calls_unspaced(sentence, at, end):
            call_bits = _CALLED if what & _MACHINE else _HELPER_CALLED
        if not what and sentence[at] in _CLAUSE_ENDS_UNSPACED:
            clause_bits = 0
        clause_bits |= what
        if clause_bits & _MUST and clause_bits & _COMMANDS_UNSPACED:
            bits |= _ORDERED
        bits |= what
        at = max(end, at + 1)
    bits |= (bits & _OWN and _OWNED) | (bits & _OUTPUT and _OUTPUT_OWNED)
    if bits & _OVERRIDE and bits & _INSTRUCTION:
        bits |= _OVERRIDDEN
        if bits & (_PRIOR | _OWN) and (bits & _MUST or begins_with_override):
            bits |= _DROPPED
    return bits | call_bits


def _phrase_from(sentence: str, at: int) -> str:
    """Return the longest phrase that begins at a character, "" where none does; Latin letters only as a whole word."""
    for phrase in _by_first_char().get(sentence[at], ()):
        if sentence.startswith(phrase, at):
            whole = not phrase.isascii() or not (
                sentence[at - 1 : at].isascii() and sentence[at - 1 : at].isalpha()
            )
            after = sentence[at + len(phrase) : at + len(phrase) + 1]
            if whole and not (phrase.isascii() and after.isascii() and after.isalpha()):
                return phrase
    return ""


def _calls_unspaced(sentence: str, start: int, end: int) -> bool:
    before, after = sentence[max(0, start - 6) : start], sentence[end : end + 10]
    return (
        any(mark in after for mark in (":", "：", "へ", "さん", "様"))
        or (after[:1] in {",", "，", "、"} and (not start or sentence[start - 1] in _CLAUSE_ENDS_UNSPACED))
        or any(mark in before for mark in ("亲爱的", "尊敬的", "你好", "致", "親愛なる", "拝啓"))
    )


def marks_of(sentence: str) -> int:
    """Return the evidence in the markup of one sentence of small letters, as bits."""
    bits = E(0)
    if _MARKED.search(sentence):
        if _any(_ADDRESS_SIGNS, sentence) and _ADDRESS.search(sentence):
            bits |= E.ADDRESS
            if ("=" in sentence or "{" in sentence) and _CARRIES.search(sentence):
                bits |= E.CARRIES
        if _roles(sentence):
            bits |= E.MARKUP
        if _any(_UNSEEN_SIGNS, sentence) and _UNSEEN.search(sentence):
            bits |= E.UNSEEN
        if "<!--" in sentence:
            bits |= E.COMMENT
        if "(" in sentence and _TOOL_CALL.search(sentence):
            bits |= E.CALLS
        if _any(_KEYS_SIGNS, sentence) and _KEYS.search(sentence):
            bits |= E.KEYS
        if _any(_CODE_SIGNS, sentence) and _CODE.search(sentence):
            bits |= E.TOOL | E.RUNS
    if _any(_END_SIGNS, sentence) and _END.search(sentence):
        bits |= E.MARKUP
    if _any(_BECOMES_SIGNS, sentence) and _BECOMES.search(sentence):
        bits |= E.ROLE
    return bits.value


def _any(signs: tuple[str, ...], sentence: str) -> bool:
    return any(sign in sentence for sign in signs)


def _roles(sentence: str) -> bool:
    """Tell whether markup says that a system, a developer or an assistant speaks, or what a machine is to do next."""
    if _any(_TAG_SIGNS, sentence) and (_SPECIAL.search(sentence) or _TAG.search(sentence)):
        return True
    keyed = ":" in sentence and ('"' in sentence or "'" in sentence)
    if keyed and (
        _ROLE_KEY.search(sentence) or any(_KEY_WORDS.search(key) for key in _KEY.findall(sentence))
    ):
        return True
    return _HEAD.match(sentence) is not None
