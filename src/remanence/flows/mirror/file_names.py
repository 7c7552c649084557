"""What each file of a mirror is called: by the day on which something was said and how it begins, as a person would.

Names are such as Windows, macOS and a shell can take; whatever a text, a category or an id holds, nothing of it leads
out of its folder. Two files that would have one name are told apart by their ids. Knows memories; must not know what is
in the folder.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b

from remanence.core.clock import DAY
from remanence.core.local_time import to_local
from remanence.core.model import Memory, Status
from remanence.core.text_cuts import find_word_end
from remanence.flows.consolidate.boxes import ConversationSegment
from remanence.read.entity import name_of, type_of

FACTS, CORRECTIONS, ARTIFACTS, ARCHIVE = "facts", "corrections", "artifacts", "archive"
ENTITIES, BOXES = "entities", "conversations"
TITLE_CHARS, TITLE_BYTES = 60, 180  # with day and id a name stays below the 255 bytes that file systems take
NO_GOAL = "conversation"
NO_CATEGORY = "memory"
NO_SLUG = "other"  # where nothing of a name can stand in a file's
SLUG_CHARS = 40
HASH_CHARS = 8  # of an id
ENDING = ".md"
_READ_CHARS = (
    200  # of a text, in which its first sentence is looked for: three times what a title has room for
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ID = re.compile(r"[0-9a-f]{32}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"\A(?:[-•*>]|\d{1,3}[.)])\s+")
# After an initial and an abbreviation of two letters a full stop ends none.
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<![.!?…])[.!?…]++(?=\s|$)|[。！？]|\n|;(?=\s)")
# What Windows takes for a device, whatever follows behind a dot.
_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))}
)
# Windows takes none of < > : " / \ | ? *, a shell reads $ ` ! \ in quotes too, and links of notes none of # ^ [ ] |.
# An apostrophe, which would end a quoted name, has a sign of print that ends none.
_SIGNS = str.maketrans({"'": "\u2019", **dict.fromkeys('<>"?*$`!#^[]', "")})
_TIME_OF_DAY = re.compile(r"(?<=\d):(?=\d)")
_PAUSE = re.compile(r"(?<![\s:/\\|])(?:\s++[:/\\|]++\s*+|[:/\\|]++(?:\s++|$))")
_BETWEEN = re.compile(r"[:/\\|]+")
# Drawn as nothing, though they count as letters, marks or signs.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LEADING = " .,;-\u2013\u2014_~=+)\u2019\u201d"
_TRAILING = " .,;-\u2013\u2014_~=+(\u2018\u201c\u2026\u3002\uff01\uff1f"
_MARKED = re.compile(r" \([0-9a-f]{8}(?:[0-9a-f]{24})?\)\.md$")


def path_of(memory: Memory, folder: str | None = None) -> str:
    """Return the path of a memory's file, under the month there in which it was said, where nobody else has it."""
    folder = _choose_folder(memory) if folder is None else folder
    day = _write_day(memory.said_local // DAY)
    return f"{folder}/{day[:-3]}/{day} {title_of(memory)}{ENDING}"


def title_of(memory: Memory) -> str:
    """Return the first sentence of a memory's text, up to 60 characters; its category where that says nothing."""
    beginning = memory.text[:_READ_CHARS]
    plain = _BULLET.sub("", _FENCED.sub("", beginning).lstrip())
    first = _SENTENCE_END.split(plain, maxsplit=1)[0]
    return as_title(first) or as_title(beginning) or as_title(memory.category or NO_CATEGORY) or NO_CATEGORY


def as_title(text: str) -> str:
    """Return the beginning of a text as a name can have it: in NFC, visible signs alone, cut at a word; "" for none."""
    plain = unicodedata.normalize("NFC", " ".join(text.split()))
    if not plain.isascii() or not plain.isprintable():
        plain = _UNSEEN.sub("", "".join(filter(str.isprintable, plain)))
    if _BETWEEN.search(plain):
        plain = _BETWEEN.sub("-", _PAUSE.sub(" - ", _TIME_OF_DAY.sub(".", plain)))
    # What stood apart may stand together now.
    plain = unicodedata.normalize("NFC", " ".join(plain.translate(_SIGNS).split()))
    # Signs at the beginning would hide a file, make an option, or mark the sign before.
    at = 0
    while at < len(plain) and (plain[at] in _LEADING or unicodedata.combining(plain[at])):
        at += 1
    return _cut_at_word(plain[at:]).rstrip(_TRAILING)


def paths_with_id(path: str, id_: str) -> Iterator[str]:
    """Yield a path with eight digits of an id, for where somebody else has it without, and with the whole id."""
    for chars in (HASH_CHARS, len(_shorten_id(id_))):
        yield f"{path.removesuffix(ENDING)} ({_shorten_id(id_)[-chars:]}){ENDING}"


def path_without_id(path: str) -> str | None:
    """Return the path that a file would have if nobody else had it; None where it has that one."""
    plain = _MARKED.sub(ENDING, path)
    return plain if plain != path else None


def path_key(path: str) -> str:
    """Return what two paths share that a file system may take for one: their letters, in whatever case."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path.casefold())


def entity_path(memory: Memory) -> str:
    """Return the path of an entity's page, which is called as the entity, where nobody else has it."""
    title = as_title(name_of(memory)) or NO_SLUG
    if title.partition(".")[0].strip().upper() in _DEVICES:
        title = f"{title} {type_of(memory)}"
    return f"{ENTITIES}/{title}{ENDING}"


def box_path(box: ConversationSegment) -> str:
    """Return the path of a box's page, under the month of its first turn, called by its goal."""
    day = _write_day(to_local(box.opened_at, box.said_offset) // DAY)
    return f"{BOXES}/{day[:-3]}/{day} {as_title(box.goal or '') or NO_GOAL}{ENDING}"


def link_to(path: str, words: str = "") -> str:
    """Write a link to a file of the mirror, as note-taking programs read it: by its name, or shown as some words."""
    name = path.rpartition("/")[2].removesuffix(ENDING)
    return f"[[{name}|{words}]]" if words else f"[[{name}]]"


@lru_cache(maxsize=1_024)
def slug_of(name: str) -> str:
    """Return a name in small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_SLUG.sub("-", plain).strip("-")[:SLUG_CHARS].rstrip("-") or NO_SLUG


def _choose_folder(memory: Memory) -> str:
    if memory.status is Status.ARCHIVED:
        return ARCHIVE
    return CORRECTIONS if memory.category == "correction" else FACTS


def _cut_at_word(text: str) -> str:
    """Return as many words as there is room for; a longer one, or a script without blanks, is cut at a character."""
    room = text[:TITLE_CHARS].encode()[:TITLE_BYTES].decode(errors="ignore")
    return room if room == text else text[: find_word_end(text, len(room))].rstrip()


def _shorten_id(id_: str) -> str:
    """Return an id, or its digest where it is not one that was made here."""
    return id_ if _ID.fullmatch(id_) else blake2b(id_.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1_024)
def _write_day(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).date().isoformat()
