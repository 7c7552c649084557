"""The items of an adapter: which memories are some, how they are read, put, kept longer and let go.

Knows how far memories are believed, and what protects them; must not know any framework.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.model import LearnResult, Memory, Role, Status, Trust, Turn
from remanence.core.results import visible
from remanence.edit.one_memory import act
from remanence.engine import Engine
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.edit import editing, putting
from remanence.write.roles import compute_trust

LOG = logging.getLogger("remanence")
PAGE = 1_000
T = TypeVar("T")


def find_trust(engine: Engine, role: Role = Role.ASSISTANT) -> Trust:
    """Return how far what an adapter stores for a role is believed through this opening: at most as an agent's."""
    return compute_trust(min(Trust.AGENT, engine._core.trust), role)  # noqa: SLF001 # how it was opened is no verb's


def is_own(engine: Engine, tag: str, memory: Memory, role: Role = Role.ASSISTANT) -> bool:
    """Tell whether a memory is an adapter's item: it has the tag, and is believed as far as what the adapter stores.

    Less has what came from outside, which may imitate an item: with its tag and all its attributes.
    """
    return tag in memory.tags and memory.trust >= find_trust(engine, role)


async def list_own(
    engine: Engine,
    tag: str,
    statuses: Sequence[Status],
    read: Callable[[Memory], T | None],
    *,
    enough: int | None = None,
    **asked: Any,
) -> list[T]:
    """List what `read` makes of the memories with an adapter's tag, the newest first, as `list` is `asked`.

    What it makes nothing of is left out; no more are listed than are `enough`.
    """
    items: list[T] = []
    after: Memory | None = None
    size = PAGE if enough is None else max(1, min(PAGE, enough))
    while enough is None or len(items) < enough:
        page = await engine.list(tags=[tag], status=statuses, limit=size, after=after, **asked)
        items += [item for memory in page if (item := read(memory)) is not None]
        if len(page) < size:
            break
        after, size = page[-1], PAGE
    return items[:enough]


async def read_named(engine: Engine, names: Collection[str]) -> dict[str, Memory]:
    """Return what has some keys, by key."""
    keys = list(dict.fromkeys(names))
    found = await engine._core.store.get(engine.scope, keys) if keys else []  # noqa: SLF001 # many by one request
    return {key: memory for key, memory in zip(keys, found, strict=True) if memory is not None}


async def put_own(
    engine: Engine, turns: Sequence[Turn], names: Collection[str], look: putting.Look
) -> list[LearnResult]:
    """Put items and forget others in one run, all or none, as `putting.put_all` does; say where markers stand now."""
    answers = await putting.put_all(engine._core, turns, names, look)  # noqa: SLF001 # several in one run
    for turn, answer in zip(turns, answers, strict=True):
        tell_markers(turn.key or answer.id, answer.replacements)
    return answers


def tell_markers(name: str, replacements: Sequence[str]) -> None:
    """Warn in the log `remanence` that what is kept is not what was passed: markers take the place of secrets in it."""
    if replacements:
        LOG.warning("%s is not kept as it was passed: %s", visible(name), "; ".join(replacements))


async def correct_own(engine: Engine, name: str, text: str, agent: str) -> LearnResult:
    """Let a text of an agent's take the place of a memory that nothing protects, in one run."""
    core = engine._core  # noqa: SLF001 # whose word it is is no argument of the verb
    return await editing.correct(core, name, text, agent=agent)


async def prolong_own(engine: Engine, ends: Mapping[str, int]) -> None:
    """Let items hold until a time each, by id and in microseconds, all in one run."""
    core = engine._core  # noqa: SLF001 # each to its own end

    async def decide(memory: Memory) -> Sequence[Change]:
        return act(memory, VERBS["update"], core.clock.now(), valid_to=ends[memory.id])

    for some in _cut(list(ends)):
        await core.change(some, "update", decide)


async def forget_own(engine: Engine, memories: Iterable[Memory]) -> int:
    """Forget items, as many a run as one takes; return how many."""
    ids = []
    for memory in memories:
        refuse_protected(engine, memory)
        ids.append(memory.id)
    for some in _cut(ids):
        await engine.forget(some)
    return len(ids)


def refuse_protected(engine: Engine, memory: Memory) -> None:
    """Raise Protected for what a person set, as a pin does, and what says who an agent is."""
    engine._core.refuse_action(memory, trust=Trust.AGENT)  # noqa: SLF001 # an adapter acts for an agent


def is_protected(engine: Engine, memory: Memory) -> bool:
    """Tell whether `refuse_protected` raises."""
    return bool(engine._core.find_protections(memory, trust=Trust.AGENT))  # noqa: SLF001 # as above


def _cut(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + SEVERAL_MAX] for start in range(0, len(ids), SEVERAL_MAX)]
