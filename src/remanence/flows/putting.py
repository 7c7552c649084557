"""A text is put under a name of the caller's: stored once, and from then on brought up to date in its place.

Knows who answers for a text, and what becomes of one whose memory is out of sight.
"""

from collections.abc import Sequence
from dataclasses import replace

from remanence.change import Change
from remanence.errors import InvalidInput
from remanence.flows.core import Core, refuse_moved, update
from remanence.flows.editing import edited, heir
from remanence.flows.speaking import settled
from remanence.flows.writing import prepared, take
from remanence.model import STANDING, Learned, Memory, Relation, Status, Turn
from remanence.write.arrive import Draft

# What a text put again may bring; who said it first, and where, stays.
_BROUGHT = ("text", "category", "kind", "state", "severity", "attributes", "confidence")
# What left by age or by number, not because something better took its place.
_GONE = frozenset({Status.ARCHIVED, Status.PRUNED})
_EVIDENCE = frozenset({"said_at", "revision"})


async def put(core: Core, turn: Turn, if_revision: int | None = None) -> Learned:
    """Store a text under its key, or bring the memory that has the key to it; with `if_revision` 0 only store it."""
    if turn.key is None:
        raise InvalidInput("put needs a key", recovery="pass a stable name of yours, e.g. 'user/name'")
    draft = await prepared(core, turn)
    _refuse_unfounded(core, draft.turn)
    (memory,) = await core.store.get(core.scope, [turn.key])
    if memory is None:
        refuse_moved(f"the key {turn.key!r}", 0, if_revision)
    elif memory.status not in _GONE:
        return await _renewed(core, turn.key, draft, if_revision)
    else:
        await core.change_one(memory.seq, "put", _unnamed, if_revision=if_revision)
        if_revision = None if if_revision is None else 0
    (learned,) = await take(core, await settled(core, [draft]))
    if learned.status == "stored":
        return learned if memory is None else await _after(core, memory, learned)
    if (await core.store.get(core.scope, [turn.key])) == [None]:
        reason = f"an exact repeat of {learned.id}, which keeps its name: {turn.key!r} names nothing"
        return replace(learned, reason=reason)
    return await _renewed(core, turn.key, draft, if_revision)


async def _unnamed(memory: Memory) -> Sequence[Change]:
    """Free the name of a memory that is gone: what is said of it from now on is another memory's."""
    return update(memory, {"key": None}) if memory.status in _GONE else []


async def _after(core: Core, gone: Memory, learned: Learned) -> Learned:
    """Link a memory to the one that had its name before."""
    now = core.clock.now()
    values = {"weight": 1.0, "confidence": None, "count": 1, "created_at": now, "last_at": now}
    link = (learned.seq, gone.seq, int(Relation.LEARNED_FROM))
    if learned.reason == "":  # the same words have drawn their link already
        await core.commit([Change("links", link, None, values)], core.cause("put"))
    return replace(learned, reason=f"anew: {gone.id}, which had the name, is {gone.status.label}")


def _refuse_unfounded(core: Core, turn: Turn) -> None:
    """Refuse a text that nobody answers for, or that comes from nowhere."""
    if turn.agent is None and turn.speaker is None and core.agent is None:
        raise InvalidInput(
            "nobody answers for this text",
            recovery="name its agent or speaker, or open the memory with an agent",
        )
    if turn.source is None and turn.thread is None and turn.session is None:
        raise InvalidInput(
            "this text comes from nowhere", recovery="name its source or thread, or begin a session first"
        )


async def _renewed(core: Core, key: str, draft: Draft, if_revision: int | None) -> Learned:
    """Bring a memory to a text: its place stays, its date moves to the new evidence; out of sight it stays as it is."""
    reason = ""

    async def decide(memory: Memory) -> Sequence[Change]:
        nonlocal reason
        if memory.status not in STANDING:
            reason = await _fallen(core, memory)
            return []
        changes = await _brought(core, memory, draft)
        reason = "updated" if any(map(_says_more, changes)) else "unchanged"
        return changes

    await core.change_one(key, "update", decide, if_revision=if_revision, turns=1)
    memory = await core.one(key)
    return Learned(memory.id, memory.seq, "known", reason)


def _says_more(change: Change) -> bool:
    """Tell whether a change is one of what is said, not of when or where it was said."""
    return change.table == "tags" or (
        change.table == "memories" and bool((change.after or {}).keys() - _EVIDENCE)
    )


async def _brought(core: Core, memory: Memory, draft: Draft) -> list[Change]:
    """Decide what a text put again changes: what it says, since when, and the tags and the source it adds."""
    turn = draft.turn
    given = {name: value for name in _BROUGHT if (value := getattr(turn, name)) is not None}
    sources = {turn.source} - {None, *memory.sources}
    return [
        *await edited(core, memory, {**given, "said_at": draft.said_at}, tags={*memory.tags, *turn.tags}),
        *(Change("sources", (memory.seq, source), None, {"span": None}) for source in sources if source),
    ]


async def _fallen(core: Core, memory: Memory) -> str:
    """Say what became of a memory that is out of sight, and who took its place."""
    took = await heir(core, memory)
    by = "" if took is None else f" by {took.id}"
    return f"{memory.status.label}{by}: nothing was changed; to bring it back: restore {memory.id}"
