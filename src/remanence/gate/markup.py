"""Finds what is meant for a machine: markup of roles, text that no eye sees, addresses, links that carry data."""

import re

from remanence.gate.order_patterns import (
    ADDRESS,
    BECOMES,
    CARRIES,
    CODE,
    END,
    HEAD,
    KEY,
    KEY_WORDS,
    MARKED,
    ROLE_KEY,
    SPECIAL,
    TAG,
    UNSEEN,
)
from remanence.languages.ordering.kinds_of_evidence import OrderEvidence
from remanence.languages.patterns import Pattern

E = OrderEvidence

_MARKED = re.compile(MARKED)
_SPECIAL = Pattern(SPECIAL)
_TAG = Pattern(TAG)
_HEAD = Pattern(HEAD)
_END = Pattern(END)
_ROLE_KEY = Pattern(ROLE_KEY)
_KEY = Pattern(KEY)
_KEY_WORDS = Pattern(KEY_WORDS)
_UNSEEN = Pattern(UNSEEN)
_ADDRESS = Pattern(ADDRESS)
_CARRIES = Pattern(CARRIES)
_BECOMES = Pattern(BECOMES)
_CODE = Pattern(CODE)

# Signs of which one is in every sentence that a pattern can fit: looking for these is fast.
_ADDRESS_SIGNS = (".", "@", "://")
_TAG_SIGNS = ("<", "[", "【", "(")
_UNSEEN_SIGNS = ("<", "\\", "[")
_END_SIGNS = ("end", "fin", "fim", "结束", "終了", "終わり", "ここまで")
_CODE_SIGNS = ("|", "(", "os.system", "subprocess", "rm -rf")
_BECOMES_SIGNS = ("now", "jetzt", "nun", "ahora", "maintenant", "désormais", "agora")


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
