"""Which memory a caller means: by number, id or key as they are kept, by a short id, or by what a verb returned of it.

Knows how a name is read and what an error says of one that means nothing or too much; must not know what for.
"""

import re
from collections.abc import Sequence

from remanence.core.arguments import check_memory
from remanence.core.errors import Erased, InvalidInput, NotFound, format_value
from remanence.core.model import (
    SHORT_ID_CHARS,
    AffectedMemory,
    Memories,
    Memory,
    OneMemory,
    RecallResult,
    short_id,
)
from remanence.core.results import date_of
from remanence.store.base import Find, Store
from remanence.store.capabilities import ErasableStore
from remanence.store.erasure import of_id, of_seq

SEVERAL_MAX = 1_000  # of one call: all of it is one transaction
CANDIDATES_SHOWN = 5
_NUMBER = re.compile(r"#[0-9]{1,18}")
_DIGITS = re.compile(rf"[0-9]{{1,{SHORT_ID_CHARS - 1}}}")  # more may be of an id
_ENDING = re.compile(rf"[0-9a-fA-F]{{{SHORT_ID_CHARS}}}")
_PART = re.compile(rf"[0-9a-fA-F]{{{SHORT_ID_CHARS},31}}…?")  # as much of an id as tells it from others


def plain_name(name: OneMemory) -> int | str:
    """Return the number, id or key that stands for a memory; of what a verb returned its id."""
    if isinstance(name, int | str):
        check_memory(name)
        return name
    if isinstance(name, AffectedMemory):
        return name.seq if name.id is None else name.id
    return name.id


def list_memory_names(names: Memories) -> list[int | str]:
    """Return each name of one memory or of several once; none at all are refused, and too many."""
    if isinstance(names, RecallResult):
        names = names.memories
    one = isinstance(names, int | str) or not isinstance(names, Sequence)
    name_list: Sequence[OneMemory] = [names] if one else names  # type: ignore[list-item,assignment] # as just looked
    plain = list(dict.fromkeys(map(plain_name, name_list)))
    if not 1 <= len(plain) <= SEVERAL_MAX:
        raise InvalidInput(f"{len(plain):,} memories at once", recovery=f"name 1 to {SEVERAL_MAX:,} of them")
    return plain


async def find_memories(store: Store, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
    """Return memories by name, in the order asked, None where there is none; a key comes before what looks like it."""
    memories = await store.get(scope, names)
    for at, name in enumerate(names):
        if memories[at] is None and isinstance(name, str):
            memories[at] = await _by_short_id(store, scope, name)
    return memories


async def _by_short_id(store: Store, scope: str, name: str) -> Memory | None:
    number = parse_number(name)
    if number is not None:
        return (await store.get(scope, [number]))[0]
    if not _PART.fullmatch(name):
        return None
    part, limit = name.lower().removesuffix("…"), CANDIDATES_SHOWN + 1
    finds = Find(ending=part, limit=limit), Find(beginning=part, limit=limit)
    by_seq = {one.seq: one for find in finds for one in await store.find(scope, find)}
    memories = [*by_seq.values()]
    if len(memories) > 1:
        raise ambiguous(name, [f"{short_id(one.seq)} {one.id}" for one in memories])
    return memories[0] if memories else None


def parse_short_id(name: str) -> int | None:
    """Return the sequence number that a short id such as #332 says; None where it is none."""
    return int(name[1:]) if _NUMBER.fullmatch(name) else None


def parse_number(name: str) -> int | None:
    """Return the sequence number that a name says, with the sign before it or without; None where it says none."""
    return int(name) if _DIGITS.fullmatch(name) else parse_short_id(name)


def is_ending(name: str, id_: str) -> bool:
    """Tell whether a name is the short id that an id ends in."""
    return _ENDING.fullmatch(name) is not None and id_.endswith(name.lower())


def ambiguous(name: str, candidates: Sequence[str]) -> InvalidInput:
    """Say that a short id means several memories, and which."""
    more = "; and more" if len(candidates) > CANDIDATES_SHOWN else ""
    return InvalidInput(
        f"{name!r} is part of several ids: {'; '.join(candidates[:CANDIDATES_SHOWN])}{more}",
        recovery="name the one you mean by its number or its whole id",
    )


async def find_cursor(store: Store, scope: str, after: OneMemory | None) -> int | None:
    """Return the number of the memory behind which a list goes on; a number needs no memory that is still there."""
    if after is None:
        return None
    if isinstance(after, Memory | AffectedMemory):
        return after.seq
    name = plain_name(after)
    number = name if isinstance(name, int) else parse_number(name)
    if number is not None:
        return number
    memory = (await find_memories(store, scope, [name]))[0]
    if memory is None:
        raise unknown(scope, [name])
    return memory.seq


def unknown(scope: str, names: Sequence[int | str]) -> NotFound:
    """Say that names mean no memory of a scope."""
    which = ", ".join(map(format_value, names[:CANDIDATES_SHOWN])) + (
        ", …" if len(names) > CANDIDATES_SHOWN else ""
    )
    return NotFound(f"no memory {which} in scope {scope!r}", recovery="list ids with `list` or `recall`")


def build_forgotten_error(key: str, memory: Memory) -> NotFound:
    """Say that the memory with a key was forgotten, when, and how to bring it back."""
    return NotFound(
        f"the memory with the key {format_value(key)} was forgotten on {date_of(memory.status_at)}",
        recovery=f"bring it back: restore {memory.seq}; as it was: get {memory.seq}",
    )


async def refuse_erased(store: ErasableStore, scope: str, names: Sequence[int | str]) -> None:
    """Raise Erased where a number, id or short id is that of a memory that was erased."""
    by_name = {name: of_seq(number) if (number := _number_of(name)) else of_id(str(name)) for name in names}
    dates = await store.find_erased_names(scope, sorted(by_name.values()))
    for name, of in by_name.items():
        if of in dates:
            raise Erased(f"memory {format_value(name)} was erased on {date_of(dates[of])}")


def _number_of(name: int | str) -> int | None:
    return name if isinstance(name, int) else parse_short_id(name)
