"""What an entity is kept as, a memory that says nothing itself, and when two names are only written otherwise.

Knows names and one memory's columns; must not know what a text says of names.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from remanence.core.model import Memory
from remanence.text.analysis import normalize_nfkc

CATEGORY = "entity"
# The thread of all entities: they stand in no conversation, so that no turn is their neighbour.
THREAD = "@entities"
HOLD = "entity"  # what no policy archives or destroys
KEY = "entity/"  # what the keys of entities begin with
TYPES = ("person", "project", "tool", "company", "place", "other")
OTHER = "other"  # the type of what nobody said a type of
NAMES_MAX = 32  # aliases of one entity
NAME_CHARS_MAX = 120
SCOPE_MAX = 50_000  # entities of a scope; further names are counted as left out

_DASHES = re.compile("[\u2010-\u2015\u2212\u30fb\u00b7\u2022\ufe63\uff0d]")
_QUOTES = re.compile("[\u2018\u2019\u02bc\u02b9\uff07`\u00b4]")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\ufe00-\ufe0f\u0640]")
_MARKS = " \t\r\n.,;:!?…。、，；：！？\"'“”„«»「」『』()（）[]{}<>*_~"


def is_entity(memory: Memory) -> bool:
    """Tell whether a memory is an entity and no statement about one."""
    return memory.category == CATEGORY and memory.thread == THREAD


def folded_name(name: str) -> str:
    """Return what two spellings of one name share: case, widths, dashes, quotes, blanks and marks at its ends.

    Letters, accents, digits and signs such as + and # stay: other ones make another name.
    """
    plain = _UNSEEN.sub("", normalize_nfkc(name))
    plain = _QUOTES.sub("'", _DASHES.sub("-", plain)).casefold()
    return " ".join(plain.strip(_MARKS).split())


def text_of(name: str, type_: str, number: int) -> str:
    """Return the text of an entity, the same for the same name, type and number among its namesakes."""
    which = f", {number}" if number > 1 else ""
    return f"[entity] {name} ({type_}{which})"


def key_of(name: str, number: int) -> str:
    """Return the key of an entity, which stays whatever other names it gets."""
    return f"{KEY}{folded_name(name)}" + (f"~{number}" if number > 1 else "")


def name_of(memory: Memory) -> str:
    """Return the name of an entity."""
    return str(_read_attributes(memory).get("name", ""))


def type_of(memory: Memory) -> str:
    """Return what sort of thing an entity is."""
    return str(_read_attributes(memory).get("type", OTHER))


def types_fit(one: str, other: str) -> bool:
    """Tell whether two types can be of one thing; a type that nobody said fits."""
    return OTHER in (one, other) or one == other


def aliases_of(memory: Memory) -> tuple[str, ...]:
    """Return the other names of an entity."""
    values = _read_attributes(memory).get("aliases", ())
    return tuple(map(str, values)) if isinstance(values, Sequence) and not isinstance(values, str) else ()


def names_of(memory: Memory) -> tuple[str, ...]:
    """Return the name of an entity and its aliases."""
    return (name_of(memory), *aliases_of(memory))


def _read_attributes(memory: Memory) -> Mapping[str, Any]:
    return memory.attributes or {}
