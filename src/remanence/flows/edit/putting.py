"""A text is put under a name of the caller's: stored once, and from then on brought up to date in its place.

Knows who answers for a text, and what becomes of one whose memory is out of sight.
"""

from collections.abc import Sequence
from dataclasses import replace

from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import (
    STANDING,
    LearnResult,
    Memory,
    Reason,
    Relation,
    Status,
    Turn,
    link_values,
    short_id,
)
from remanence.edit.one_memory import refuse_identity, update
from remanence.flows.base.context import RACES_MAX, Core, refuse_moved, wait_before_retry
from remanence.flows.base.naming import unknown
from remanence.flows.edit.editing import make_edit_changes, successor
from remanence.flows.undo.undoing import beside_equals
from remanence.flows.write import gating
from remanence.flows.write.learning import (
    answers,
    count_accepted,
    decide_batch,
    make_action_detail,
    prepare_draft,
    resolve_roles,
    take,
)
from remanence.read.entity import is_entity
from remanence.text.analysis import fingerprint
from remanence.write.admission import MemoryDraft

# What a text put again may bring; who said it first, and where, stays.
_BROUGHT = ("text", "category", "kind", "state", "severity", "attributes", "confidence", "importance")
# What left by age or by number or never came in, not because something better took its place.
_GONE = frozenset({Status.ARCHIVED, Status.PRUNED, Status.QUARANTINED})
_DOOR = (
    "door/"  # the source of what is put with nothing said of its origin: who is at the door answers for it
)
_EVIDENCE = frozenset({"said_at", "confidence_at", "revision"})


async def put(core: Core, turn: Turn, if_revision: int | None = None) -> LearnResult:
    """Store a text under its key, or bring the memory that has the key to it; with `if_revision` 0 only store it."""
    if turn.key is None:
        raise InvalidInput("put needs a key", recovery="pass a stable name of yours, e.g. 'user/name'")
    turn, origin_note = _add_origin(core, turn)
    draft = await prepare_draft(core, turn)
    if not origin_note:
        _refuse_unfounded(core, draft.turn)
    (draft,) = await resolve_roles(core, [replace(draft, stands_beside=True)])
    answer = await _put(core, turn.key or "", draft, if_revision)
    reason = "; ".join(filter(None, [answer.reason, origin_note]))
    return answer if answer.status == "gated" else replace(answer, reason=reason)


async def _put(core: Core, key: str, draft: MemoryDraft, if_revision: int | None) -> LearnResult:
    for attempt in range(RACES_MAX):
        (memory,) = await core.store.get(core.scope, [key])
        if memory is not None and not await _is_gone(core, memory, draft):
            return await _update_by_key(core, key, draft, if_revision)
        if memory is None:
            refuse_moved(f"the key {key!r}", 0, if_revision)
            return await _store_by_key(core, key, draft, if_revision)
        refuse_moved(f"memory {short_id(memory.seq)}", memory.revision, if_revision, ("memories", memory.seq))
        try:
            return await _named_after(core, memory, key, draft)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
    raise AssertionError("unreachable")


async def _is_gone(core: Core, memory: Memory, draft: MemoryDraft) -> bool:
    """Tell whether what is put under a memory's key is another one: it left, was merged, or is out of date.

    Out of date is what a writer's verdict or a policy took for that: who put it never said that something else has its
    place. What was merged and said the same is in its place.
    """
    if memory.status is not Status.SUPERSEDED:
        return memory.status in _GONE
    if memory.reason is Reason.MERGED and not is_entity(memory):
        return memory.fingerprint != draft.fingerprint
    claims = await core.store.claims(core.scope, [memory.seq])
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.SUPERSEDES)
    by_policy = all(link.target != memory.seq for link in links)
    return by_policy or any(claim.replaced_by is not None for claim in claims)


async def _store_by_key(core: Core, key: str, draft: MemoryDraft, if_revision: int | None) -> LearnResult:
    """Store a text under a name that nothing has; who was faster has its memory brought to the text."""
    (answer,) = await take(core, [draft], verb="put")
    return await _update_by_key(core, key, draft, if_revision) if answer.status == "known" else answer


async def _named_after(core: Core, gone: Memory, key: str, draft: MemoryDraft) -> LearnResult:
    """Store a text under the name of a memory that is gone, which loses it in the same commit, and link the two."""
    batch, changes = await decide_batch(core, [draft], freed=[key])
    (outcome,) = batch.outcomes
    if outcome.key < 0:
        changes += update(gone, {"key": None})
        ends = (outcome.key, gone.seq, int(Relation.LEARNED_FROM))
        is_linked = any(change.key == ends for change in changes)  # where it said the same words
        if not is_linked and gone.status is not Status.QUARANTINED:
            changes.append(Change("links", ends, None, link_values(core.clock.now())))
    gate = gating.counts([draft], [outcome])
    detail = {"id": gone.id, **make_action_detail([draft], batch)}
    cause = core.cause("put", detail=detail, turns=count_accepted(batch), counts=gate)
    numbers = (await core.commit(changes, cause)).assigned if changes else ()
    (answer,) = answers(batch, [draft], numbers, cause.run)
    if answer.status != "stored":
        return answer
    return replace(answer, reason=f"anew: {short_id(gone.seq)}, which had the name, is {gone.status.label}")


def _add_origin(core: Core, turn: Turn) -> tuple[Turn, str]:
    """Fill in the origin of a text of which nothing is said: the door that it came through; and say so."""
    origin = (turn.agent, turn.speaker, turn.source, turn.thread, turn.session)
    if any(one is not None for one in origin) or (core.agent and core.session):
        return turn, ""
    source = f"{_DOOR}{core.trust.label}"
    return replace(turn, source=source), f"nothing was said of its origin: the source is {source!r}"


def _refuse_unfounded(core: Core, turn: Turn) -> None:
    """Refuse a text that nobody answers for, or that comes from nowhere."""
    if turn.agent is None and turn.speaker is None and core.agent is None:
        raise InvalidInput(
            "it is not said who the text comes from",
            recovery="name its agent or speaker, or open the memory with an agent",
        )
    if turn.source is None and turn.thread is None and turn.session is None:
        raise InvalidInput(
            "it is not said where the text comes from",
            recovery="name its source or thread, or begin a session first",
        )


async def _update_by_key(core: Core, key: str, draft: MemoryDraft, if_revision: int | None) -> LearnResult:
    """Bring a memory to a text: its place stays, its date moves to the new evidence; out of sight it stays as it is."""
    reason = ""

    async def decide(memory: Memory) -> Sequence[Change]:
        nonlocal reason
        if key not in (memory.key, memory.id):  # it has lost the name since, which may mean another one now
            raise unknown(core.scope, [key])
        if draft.kept_out:
            reason = "it reads like instructions, and no user or agent said it: nothing was changed"
            return []
        if memory.status not in STANDING:
            reason = await _describe_fallen(core, memory)
            return []
        changes = await _decide_update(core, memory, draft)
        reason = "updated" if any(map(_says_more, changes)) else "unchanged"
        return changes

    receipt = await core.change(key, "update", decide, if_revision=if_revision, turns=1)
    memory = await core.one(key)
    await gating.count(core, gating.counted_markers(draft.replaced))
    run = receipt.run if receipt.changes else None
    return LearnResult(
        memory.id,
        memory.seq,
        "known",
        reason,
        run=run,
        replaced=draft.replaced,
        replacements=draft.replacements,
    )


def _says_more(change: Change) -> bool:
    """Tell whether a change is one of what is said, not of when or where it was said."""
    return change.table == "tags" or (
        change.table == "memories" and bool((change.after or {}).keys() - _EVIDENCE)
    )


async def _decide_update(core: Core, memory: Memory, draft: MemoryDraft) -> list[Change]:
    """Decide what a text put again changes: what it says, since when, and the tags and the source it adds."""
    turn = draft.turn
    if turn.spares_identity:
        refuse_identity(memory.tags, system=core.policy.is_system(memory.category))
    values = {name: value for name in _BROUGHT if (value := getattr(turn, name)) is not None}
    sources = {turn.source} - {None, *memory.sources}
    changes = await make_edit_changes(
        core,
        memory,
        VERBS["put"],
        {**values, "said_at": draft.said_at, "trust": draft.trust},
        {*memory.tags, *turn.tags},
    )
    if any("text" in (change.after or {}) for change in changes if change.table == "memories"):
        mark = fingerprint(draft.turn.text, memory.speaker or "")
        changes = [*await beside_equals(core, changes, [replace(memory, fingerprint=mark)])]
    return [
        *changes,
        *(Change("sources", (memory.seq, source), None, {"span": None}) for source in sources if source),
    ]


async def _describe_fallen(core: Core, memory: Memory) -> str:
    """Say what became of a memory that is out of sight, and who took its place."""
    took = await successor(core, memory)
    by = "" if took is None else f" by {short_id(took.seq)}"
    return f"{memory.status.label}{by}: nothing was changed; to bring it back: restore {memory.seq}"
