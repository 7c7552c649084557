"""Tells whether a text gives orders to the machine that reads it: what it says itself counts, what it quotes not."""

import base64
import binascii
import codecs
import re
import unicodedata

from remanence.gate.order_patterns import FAMILIES, RESULT_KEYS

QUOTED_SHARE = 0.8  # a text that is quoted as a whole is what it says itself

# Tag characters that are no flag's: nobody sees them, so they are there for a machine.
_TAGS = re.compile(r"(?<!\U0001f3f4)[\U000e0020-\U000e007e]{8,}")
_UNSEEN = re.compile(
    r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}+\"|“[^”\n]{1,300}+[”“]|„[^“”\n]{1,300}+[“”]|«[^»\n]{1,300}+»|「[^」\n]{1,300}+」|『[^』\n]{1,300}+』"
)
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,2000}={0,2}")
_LEET_WORD = re.compile(r"[a-z]{0,12}[013457][a-z013457]{2,20}")
_LEET = str.maketrans("013457", "oieast")
_OVERRIDE = re.compile("|".join(FAMILIES["override"].patterns))
_ROLE_PLAY = re.compile("|".join(FAMILIES["role-play"].patterns))
_HEADER = re.compile("|".join(FAMILIES["role header"].patterns))
_HIDDEN = re.compile("|".join(FAMILIES["hidden"].patterns))
_HIJACK = re.compile("|".join(FAMILIES["answer hijack"].patterns))
_EXFILTRATION = re.compile("|".join(FAMILIES["exfiltration"].patterns))
_FALSE_MEMORY = re.compile("|".join(FAMILIES["false memory"].patterns))
_DELAYED = re.compile("|".join(FAMILIES["delayed"].patterns))
_TOOL = re.compile("|".join(FAMILIES["tool order"].patterns))
_MACHINE = re.compile("|".join(FAMILIES["speaking to the machine"].patterns))
_USER = re.compile("|".join(FAMILIES["speaking of the user"].patterns))
_DISCLOSURE = re.compile("|".join(FAMILIES["disclosure"].patterns))
_PICTURE = re.compile("|".join(FAMILIES["picture that tells"].patterns))
_ENCODED = re.compile("|".join(FAMILIES["encoded"].patterns))
_POLITE = re.compile("|".join(FAMILIES["polite"].patterns))
_RESULT = re.compile(RESULT_KEYS)
_LOOKS = {
    "override": lambda text: _OVERRIDE.search(text),
    "role-play": lambda text: _ROLE_PLAY.search(text),
    "role header": lambda text: _HEADER.search(text),
    "hidden": lambda text: _HIDDEN.search(text),
    "answer hijack": lambda text: _HIJACK.search(text),
    "exfiltration": lambda text: _EXFILTRATION.search(text),
    "false memory": lambda text: _FALSE_MEMORY.search(text),
    "delayed": lambda text: _DELAYED.search(text),
    "tool order": lambda text: _TOOL.search(text),
    "speaking to the machine": lambda text: _MACHINE.search(text),
    "speaking of the user": lambda text: _USER.search(text),
    "disclosure": lambda text: _DISCLOSURE.search(text),
    "picture that tells": lambda text: _PICTURE.search(text),
    "encoded": lambda text: _ENCODED.search(text),
    "polite": lambda text: _POLITE.search(text),
}  # fmt: skip


def instructs(text: str) -> str:
    """Return the way in which a text gives orders to a machine that reads it, "" where it does not."""
    if _TAGS.search(text):
        return "unseen characters"
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).lower()
    unquoted = _QUOTED.sub(" … ", plain)
    said = unquoted if len(unquoted) >= (1 - QUOTED_SHARE) * len(plain) else plain
    return _way(said) or _marked_up(plain) or _disguised(plain, text)


def _way(said: str) -> str:
    for way, family in FAMILIES.items():
        if any(sign in said for sign in family.signs) and _LOOKS[way](said):
            return way
    return ""


def _marked_up(plain: str) -> str:
    """Look where quotation marks belong to the markup and quote nothing."""
    if ("<" in plain and _HIDDEN.search(plain)) or ('"' in plain and _RESULT.search(plain)):
        return "hidden"
    return ""


def _disguised(plain: str, text: str) -> str:
    """Read what is written in digits for letters, in base64 or in ROT13."""
    if _LEET_WORD.search(plain):
        read = _LEET_WORD.sub(lambda word: word.group().translate(_LEET), plain)
        if _OVERRIDE.search(read) or _DISCLOSURE.search(read):
            return "encoded"
    if "rot13" in plain and _way(codecs.decode(plain, "rot13")):
        return "encoded"
    return "encoded" if any(_way(_decoded(found.group())) for found in _BASE64.finditer(text)) else ""


def _decoded(written: str) -> str:
    """Return the text that base64 holds, "" where it holds none."""
    try:
        text = base64.b64decode(written + "=" * (-len(written) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text.lower() if text.isprintable() else ""
