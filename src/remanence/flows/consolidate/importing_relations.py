"""What the turns of a source say of each other is made true once they are stored: each thing once, and undoable.

What somebody changed since stays: it is told by the audit, so that a second ingest, and one after a crash, does what
is missing and nothing again. Knows what came in and under which key; must not know sources.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from remanence.core.change import AuditPart, Change
from remanence.core.effects import CURATE, VERBS
from remanence.core.model import STANDING, LearnResult, Link, Memory, Relation, Status, Trust, Turn
from remanence.core.owner import BY_ENGINE, BY_POLICY, owner_of
from remanence.edit.decide import decide_replacement
from remanence.edit.links import Linking, decide_link
from remanence.edit.one_memory import act, build_unchanged_check, merge_changes, update
from remanence.flows.base.context import Core, retry_conflicts
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.base.paging import read_memories
from remanence.flows.write.edited_turn_facts import outdate_facts
from remanence.write.admission import MemoryDraft
from remanence.write.import_relations import (
    Dating,
    ImportRelations,
    LinkKey,
    Supersession,
    TurnPlace,
    decide_relations,
    says_more,
)
from remanence.write.imported import ImportedTurn
from remanence.write.renewals import is_settled

T = TypeVar("T")
PageDecision: TypeAlias = Callable[[Core, Sequence[T]], Awaitable[tuple[list[Change], int]]]
MARK = "ingest"  # in the detail of a run: it makes true what a source says
_DECISIONS = frozenset({"status", "text", "valid_from", "valid_to"})


@dataclass
class RelationsResult:
    """What was made true: how many of each, and the runs that did it, the first first."""

    superseded: int
    forgotten: int
    dated: int
    linked: int
    runs: Sequence[str]


async def plan_relations(
    core: Core,
    turns: Sequence[Turn],
    drafts: Sequence[MemoryDraft],
    answers: Sequence[LearnResult],
    door: Trust,
) -> ImportRelations:
    """Decide what is yet to be made true of what turns say of each other, by their own keys; nothing is written.

    `drafts` say what each is kept as, and `answers` where.
    """
    if not any(map(says_more, turns)):
        return ImportRelations()
    new = {one.seq: one.status for one in answers if one.status in ("stored", "quarantined")}
    memories = await read_memories(core, sorted(_find_involved(turns, answers) - new.keys()))
    places = [
        _find_place(draft, answer, new, memories, door) for draft, answer in zip(drafts, answers, strict=True)
    ]
    links = await core.store.neighbours(core.scope, sorted(memories)) if memories else []
    decision = decide_relations(turns, places, {link.key for link in links})
    return await _leave_changed(core, decision, new.keys())


async def make_relations(core: Core, decision: ImportRelations, source: str) -> RelationsResult:
    """Write what was decided, 1,000 memories a transaction; what somebody changes meanwhile stays as it is."""
    runs: list[str] = []

    async def write(verb: str, items: Sequence[T], decide: PageDecision[T]) -> int:
        """Write all of one kind as one run; return how many were."""
        run, total = core.new_id(), 0
        pages = [items[begin : begin + SEVERAL_MAX] for begin in range(0, len(items), SEVERAL_MAX)]
        for part, page in enumerate(pages):
            is_last = part == len(pages) - 1
            more = {"run": run, "part": part, "final": is_last, "detail": {MARK: source}}
            total += await _write_page(core, page, decide, verb, more)
        runs.extend([run] if total else [])
        return total

    superseded = await write("supersede", decision.superseded, _decide_supersessions)
    forgotten = await write("forget", decision.forgotten, _decide_deletions)
    dated = await write("update", decision.dated, _decide_dates)
    linked = await write("link", decision.linked, _decide_links)
    return RelationsResult(superseded, forgotten, dated, linked, runs)


def _find_involved(turns: Sequence[Turn], answers: Sequence[LearnResult]) -> set[int]:
    """Return the memories that turns say more of, and those that they name."""
    names = {
        name
        for turn in turns
        if isinstance(turn, ImportedTurn)
        for name in (turn.replaced_by, *(key for key, _ in turn.links))
    }
    return {
        answer.seq
        for turn, answer in zip(turns, answers, strict=True)
        if answer.status != "gated" and (says_more(turn) or turn.key in names)
    }


def _find_place(
    draft: MemoryDraft,
    answer: LearnResult,
    new: Mapping[int, str],
    memories: Mapping[int, Memory],
    door: Trust,
) -> TurnPlace | None:
    """Return where a turn is kept; None where it is not."""
    if answer.status == "gated":
        return None
    if answer.seq in new:
        status = Status.QUARANTINED if new[answer.seq] == "quarantined" else Status.INBOX
        return TurnPlace(answer.seq, status, is_own=answer.status in ("stored", "quarantined"))
    memory = memories.get(answer.seq)
    if memory is None:  # nobody says anything of it, or it went meanwhile
        return TurnPlace(answer.seq, Status.PRUNED, is_new=False, is_own=False, may_change=False)
    return TurnPlace(
        memory.seq,
        memory.status,
        is_new=False,
        # Two sources may use one key for two things: nothing is said of what has other words and another source.
        is_own=memory.key == draft.turn.key
        and (draft.turn.source in memory.sources or memory.fingerprint == draft.fingerprint),
        may_change=memory.trust <= door and not is_settled(memory),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )


async def _leave_changed(core: Core, decision: ImportRelations, new: Collection[int]) -> ImportRelations:
    """Leave out what a source says of what somebody decided since it came in, or what was made true once before."""

    async def is_open(seq: int, verb: str) -> bool:
        return seq in new or not await is_decided(core, seq, verb)

    return replace(
        decision,
        superseded=tuple([one for one in decision.superseded if await is_open(one.old, "supersede")]),
        forgotten=tuple([seq for seq in decision.forgotten if await is_open(seq, "forget")]),
        dated=tuple([one for one in decision.dated if await is_open(one.seq, "update")]),
        linked=tuple(
            [
                key
                for key in decision.linked
                if key[0] in new or key[1] in new or not await _was_drawn(core, key)
            ]
        ),
    )


async def is_decided(core: Core, seq: int, verb: str = "") -> bool:
    """Tell whether somebody decided of a memory since it came in, or an ingest did so before by this verb."""
    parts = await core.store.history(core.scope, memory=seq)
    return any(
        part.cause.verb == verb or MARK not in part.cause.detail
        for part in parts[1:]
        if _is_decision(part, seq)
    )


def _is_decision(part: AuditPart, seq: int) -> bool:
    """Tell whether a part is somebody's decision of whether a memory stands, when it holds or what it says.

    What a plan does it does by rules, whoever applied it. Of one whose images have ended nobody knows any more, and it
    counts as one.
    """
    if part.cause.verb == CURATE or owner_of(part.cause) in (BY_ENGINE, BY_POLICY):
        return False
    return part.ended_at is not None or any(
        change.table == "memories" and change.key == seq and not _DECISIONS.isdisjoint(change.after or ())
        for change in part.changes
    )


async def _was_drawn(core: Core, key: LinkKey) -> bool:
    """Tell whether a link was there once: whoever cut it meant it."""
    parts = await core.store.history(core.scope, memory=key[0])
    return any(change.table == "links" and change.key == key for part in parts for change in part.changes)


@retry_conflicts
async def _write_page(
    core: Core, page: Sequence[T], decide: PageDecision[T], verb: str, more: Mapping[str, Any]
) -> int:
    changes, count = await decide(core, page)
    await core.commit(changes, core.cause(verb, **more))
    return count


async def _decide_supersessions(core: Core, page: Sequence[Supersession]) -> tuple[list[Change], int]:
    memories = await read_memories(core, sorted({seq for one in page for seq in (one.old, one.by)}))
    found = [
        one
        for one in page
        if one.old in memories
        and one.by in memories
        and memories[one.old].status in STANDING
        and memories[one.by].status is not Status.PRUNED
    ]
    return merge_changes(await give_places(core, found, memories)), len(found)


async def give_places(
    core: Core,
    found: Sequence[Supersession],
    memories: Mapping[int, Memory],
    rows: Sequence[Mapping[str, Any]] = (),
) -> list[Change]:
    """Decide how memories take the places of others, with all of them by number; new ones are `rows`, from -1 down."""
    relations = Relation.SUPERSEDES, Relation.LEARNED_FROM
    links = await core.store.neighbours(core.scope, [one.old for one in found], *relations) if found else []
    of_old: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        of_old[link.target].append(link)
    changes: list[Change] = []
    for one in found:
        old, own, now = memories[one.old], of_old[one.old], core.clock.now()
        changes += decide_replacement(old, own, one.by, None, now, ends=one.ends)
        changes += [build_unchanged_check(memories[one.by])] if one.by > 0 else []
        if any(link.relation is Relation.LEARNED_FROM for link in own):
            text = memories[one.by].text if one.by > 0 else rows[-one.by - 1]["text"]
            changes += await outdate_facts(core, old, one.by, text)
    return changes


async def _decide_deletions(core: Core, page: Sequence[int]) -> tuple[list[Change], int]:
    now = core.clock.now()
    changes: list[Change] = []
    for memory in (await read_memories(core, page)).values():
        if memory.status in STANDING and not core.find_protections(memory):
            changes += act(memory, VERBS["forget"], now)
    return changes, len(changes)


async def _decide_dates(core: Core, page: Sequence[Dating]) -> tuple[list[Change], int]:
    memories = await read_memories(core, [one.seq for one in page])
    changes = [
        change
        for one in page
        if one.seq in memories
        for change in update(memories[one.seq], {"valid_from": one.valid_from, "valid_to": one.valid_to})
    ]
    return changes, len(changes)


async def _decide_links(core: Core, page: Sequence[LinkKey]) -> tuple[list[Change], int]:
    seqs = sorted({seq for key in page for seq in key[:2]})
    memories = await read_memories(core, seqs)
    held = {link.key for link in await core.store.neighbours(core.scope, seqs)}
    out_of_sight = {Status.PRUNED, Status.QUARANTINED}
    changes = [
        change
        for key in page
        if key not in held
        and all(seq in memories and memories[seq].status not in out_of_sight for seq in key[:2])
        and (change := decide_link(None, key, Linking(key[0], key[1], Relation(key[2])), core.clock.now()))
    ]
    return changes, len(changes)
