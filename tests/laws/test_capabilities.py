"""On a store that lacks capabilities every verb works as elsewhere, or an error names what is missing.

What is refused has written nothing.
"""

import inspect
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import CapabilityMissing
from remanence.engine import Engine
from remanence.flows.erase.erase_results import ErasePreview
from remanence.flows.scopes.dropping import DropPreview
from remanence.store.base import Bookkeeping, Store
from remanence.store.capabilities import (
    ANSWERS,
    BOXES,
    CAPABILITIES,
    CHECKED,
    ERASABLE,
    FILE,
    IMAGE_EXPIRY,
    SIZES,
    TRANSFER,
    VECTORS,
    VOCABULARY,
    Capability,
)
from remanence_store_kit.builders import NOW
from remanence_store_kit.dump import dump
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.laws.test_wrong_values import RIGHT, Verb, verbs

SHELVES = (
    *("frames", "settings", "conversations", "erase"),
    *("policy", "entities", "mirror", "review", "scopes"),
)
VERBS = [verb for verb in verbs(SHELVES) if verb.name != "mirror.watch"]  # which goes on until it is stopped
# What a verb must have, and of what it may have that which needs a capability.
GIVEN: Mapping[str, Any] = {
    "number": 1,
    "because": "it is asked for",
    "verdict": "right",
    "shown": ErasePreview("default", NOW, 0, ()),
    "folder": "a-mirror",
    "entity": "a",
    "off": "b",
    "item": ("a", "b"),
    "choice": "both",
    "tell": print,
    "to": "elsewhere",
}
MORE: Mapping[str, Mapping[str, Any]] = {
    "reembed": {"embedder": "auto"},
    "run_jobs": {"expire": True},
    "erase.show": {"names": ["a"]},
    "erase.apply": {"shown": ErasePreview("default", NOW, 0, ())},
    "erase.settle": {"copies": ["a.db"]},
    "conversations.get": {"number": 1},
    "scopes.drop": {"shown": DropPreview("default", NOW, 1_000, {"inbox": 2})},
}
# What a store that lacks a capability refuses; all else goes on without it.
REFUSED: Mapping[str, frozenset[str]] = {
    VECTORS.name: frozenset({"reembed"}),
    VOCABULARY.name: frozenset(),
    ANSWERS.name: frozenset(),
    BOXES.name: frozenset({"conversations.get", "conversations.list"}),
    ERASABLE.name: frozenset({"erase.show", "erase.apply", "forbidden", "forbid"}),
    IMAGE_EXPIRY.name: frozenset({"run_jobs"}),
    CHECKED.name: frozenset(),
    SIZES.name: frozenset(),
    TRANSFER.name: frozenset(),
    FILE.name: frozenset({"backup"}),
}


def lack(*capabilities: Capability) -> Store:
    """Return a store that lacks these."""
    return limit_store(MemoryStore(), *(one for one in CAPABILITIES if one not in capabilities))


async def list_kept(store: Store) -> tuple[object, ...]:
    """Return all that a scope keeps: its memories with what hangs on them, its audit, and its bookkeeping."""
    books = await store.bookkeep("default", Bookkeeping(NOW, under=("",), counters=("",)))
    return (
        await dump(store, "default"),
        await store.history("default"),
        dict(books.values),
        dict(books.counters),
    )


async def call(store: Store, verb: Verb, folder: Path) -> tuple[str, bool]:
    """Call a verb on a memory of two, in a new folder; return what error ends it, "" for none, and if it wrote."""
    folder.mkdir()
    with chdir(folder):
        return await _call_here(store, verb)


async def _call_here(store: Store, verb: Verb) -> tuple[str, bool]:
    async with remanence.open(store=store, embedder="none", clock=remanence.ManualClock(NOW)) as memory:
        await memory.learn("Pia is allergic to latex.", key="a")
        await memory.learn("The open day starts at four.", key="b")
        before = await list_kept(store)
        error = await _find_error(memory, verb)
        return error, before != await list_kept(store)


async def _find_error(memory: Engine, verb: Verb) -> str:
    right = {**RIGHT, **GIVEN}
    given = {**{name: right[name] for name in verb.needs}, **MORE.get(verb.name, {})}
    try:
        done = verb.of(memory)(**given)
        if inspect.isawaitable(done):
            await done
        elif inspect.isasyncgen(done):
            _ = [line async for line in done]
    except CapabilityMissing as error:
        return error.capability
    except Exception as error:  # noqa: BLE001 - whatever comes out is compared
        return type(error).__name__
    return ""


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
async def test_a_verb_works_on_a_store_of_twelve_verbs_or_names_what_it_lacks(
    verb: Verb, tmp_path: Path
) -> None:
    """It ends as on a store that has everything, or is refused by a capability that it needs and writes nothing."""
    error, wrote = await call(limit_store(MemoryStore()), verb, tmp_path / "less")
    needed = next((name for name, refused in REFUSED.items() if verb.name in refused), None)

    if needed is None:
        assert await call(MemoryStore(), verb, tmp_path / "all") == (error, wrote)
    else:
        assert (needed, False) == (error, wrote)


@pytest.mark.parametrize("lacking", CAPABILITIES, ids=lambda one: one.name)
async def test_a_store_that_lacks_one_capability_refuses_its_verbs_alone(
    lacking: Capability, tmp_path: Path
) -> None:
    """Each verb that the table names for it, and no other."""
    outcomes = {verb.name: await call(lack(lacking), verb, tmp_path / verb.name) for verb in VERBS}

    refused = {name for name, (error, _) in outcomes.items() if error == lacking.name}
    assert REFUSED[lacking.name] == refused
    assert [] == [name for name in refused if outcomes[name][1]]
