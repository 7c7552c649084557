"""What the turns of a source say of each other is made true once they are stored: each thing once, and undoable.

What somebody changed since stays: it is told by the audit, so that a second ingest, and one after a crash, does what
is missing and nothing again. Knows what came in and under which key; must not know sources.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from remanence.core.change import AuditPart, Change
from remanence.core.effects import PLANNED, VERBS
from remanence.core.errors import Conflict
from remanence.core.guards import find_protecting_guards
from remanence.core.model import STANDING, LearnResult, Link, Memory, Relation, Status, Trust, Turn
from remanence.core.owner import BY_ENGINE, BY_POLICY, owner_of
from remanence.edit.decide import decide_replacement
from remanence.edit.links import Linking, decide_link
from remanence.edit.one_memory import act, build_unchanged_check, merge_changes, update
from remanence.flows.base.context import RACES_MAX, Core, wait_before_retry
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.write.turn_facts import outdate_facts
from remanence.text.analysis import fingerprint
from remanence.write.import_relations import (
    Dating,
    ImportRelations,
    LinkKey,
    Renewal,
    Supersession,
    TurnPlace,
    decide_relations,
    decide_renewals,
    is_settled,
    says_more,
)
from remanence.write.imported import ImportedTurn, SkipCounts
from remanence.write.transcripts.item_fields import make_interim_key, make_version_key

T = TypeVar("T")
MARK = "ingest"  # in the detail of a run: it makes true what a source says
_DECISIONS = frozenset({"status", "text", "valid_from", "valid_to"})


@dataclass
class RelationsResult:
    """What was made true: how many of each, and the runs that did it, the first first."""

    superseded: int = 0
    forgotten: int = 0
    dated: int = 0
    linked: int = 0
    runs: list[str] = field(default_factory=list)


async def plan_relations(
    core: Core,
    turns: Sequence[Turn],
    keyed_turns: Sequence[Turn],
    renewals: Mapping[int, Sequence[Renewal]],
    answers: Sequence[LearnResult],
    door: Trust,
    differing: SkipCounts,
) -> ImportRelations:
    """Decide what is yet to be made true of what turns say of each other, by their own keys; nothing is written.

    `keyed_turns` are the same turns with the keys that they are kept under, `renewals` those whose text takes the place
    of others, counted as `differing`. `answers` say where each is kept; what would be new may have any number below 0
    that is its own.
    """
    if not renewals and not any(map(says_more, turns)):
        return ImportRelations()
    new = {one.seq: one.status for one in answers if one.status in ("stored", "quarantined")}
    wanted = _find_involved(turns, answers) | {answers[place].seq for place in renewals}
    memories = await _read_memories(core, sorted(wanted - new.keys()))
    places = [
        _find_place(turn, answer, new, memories, door)
        for turn, answer in zip(keyed_turns, answers, strict=True)
    ]
    links = await core.store.neighbours(core.scope, sorted(memories)) if memories else []
    decision = decide_relations(turns, places, {link.key for link in links})
    decision = await _leave_changed(core, decision, new.keys())
    renewed = decide_renewals(turns, places, renewals, differing)
    return replace(decision, superseded=(*renewed, *decision.superseded))


async def free_interim_keys(
    core: Core, interrupted: Sequence[Supersession], blocking: Mapping[int, str], source: str
) -> RelationsResult:
    """Free the keys under which new texts are to come in: complete what was cut off, and move what else has one.

    `blocking` are such memories, by number, each with the key of which it has the interim one.
    """
    done = RelationsResult()
    write = _RunWriter(core, source, done.runs)
    done.superseded = await write.all("supersede", interrupted, _supersede)
    await write.all("update", [*blocking.items()], _give_up_keys)
    return done


async def make_relations(core: Core, decision: ImportRelations, source: str) -> RelationsResult:
    """Write what was decided, 1,000 memories a transaction; what somebody changes meanwhile stays as it is."""
    done = RelationsResult()
    write = _RunWriter(core, source, done.runs)
    done.superseded = await write.all("supersede", decision.superseded, _supersede)
    done.forgotten = await write.all("forget", decision.forgotten, _forget)
    done.dated = await write.all("update", decision.dated, _date)
    done.linked = await write.all("link", decision.linked, _link)
    return done


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


async def _read_memories(core: Core, seqs: Sequence[int]) -> dict[int, Memory]:
    memories: dict[int, Memory] = {}
    for begin in range(0, len(seqs), SEVERAL_MAX):
        some = await core.store.get(core.scope, seqs[begin : begin + SEVERAL_MAX])
        memories |= {one.seq: one for one in some if one is not None}
    return memories


def _find_place(
    turn: Turn,
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
        is_own=memory.key == turn.key
        and (
            turn.source in memory.sources or memory.fingerprint == fingerprint(turn.text, turn.speaker or "")
        ),
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
        part.cause.verb == verb or MARK not in part.cause.detail for part in parts[1:] if _decides(part, seq)
    )


def _decides(part: AuditPart, seq: int) -> bool:
    """Tell whether a part is somebody's decision of whether a memory stands, when it holds or what it says.

    What a plan does it does by rules, whoever applied it. Of one whose images have ended nobody knows any more, and it
    counts as one.
    """
    if part.cause.verb in PLANNED or owner_of(part.cause) in (BY_ENGINE, BY_POLICY):
        return False
    return part.ended_at is not None or any(
        change.table == "memories" and change.key == seq and not _DECISIONS.isdisjoint(change.after or ())
        for change in part.changes
    )


async def _was_drawn(core: Core, key: LinkKey) -> bool:
    """Tell whether a link was there once: whoever cut it meant it."""
    parts = await core.store.history(core.scope, memory=key[0])
    return any(change.table == "links" and change.key == key for part in parts for change in part.changes)


@dataclass
class _RunWriter:
    """Writes the parts of runs, one run a verb."""

    core: Core
    source: str
    runs: list[str]

    async def all(
        self,
        verb: str,
        items: Sequence[T],
        decide: Callable[[Core, Sequence[T]], Awaitable[tuple[list[Change], int]]],
    ) -> int:
        """Write all of one kind; return how many were."""
        run, total = self.core.new_id(), 0
        pages = [items[begin : begin + SEVERAL_MAX] for begin in range(0, len(items), SEVERAL_MAX)]
        for part, page in enumerate(pages):
            total += await self._write(page, decide, verb, run, part, is_last=part == len(pages) - 1)
        if total:
            self.runs.append(run)
        return total

    async def _write(
        self,
        page: Sequence[T],
        decide: Callable[[Core, Sequence[T]], Awaitable[tuple[list[Change], int]]],
        verb: str,
        run: str,
        part: int,
        *,
        is_last: bool,
    ) -> int:
        for attempt in range(RACES_MAX):
            changes, count = await decide(self.core, page)
            cause = self.core.cause(verb, run=run, part=part, final=is_last, detail={MARK: self.source})
            try:
                await self.core.commit(changes, cause)
            except Conflict as conflict:
                await wait_before_retry(attempt, conflict)
                continue
            return count
        raise AssertionError("unreachable")


async def _supersede(core: Core, page: Sequence[Supersession]) -> tuple[list[Change], int]:
    memories = await _read_memories(core, sorted({seq for one in page for seq in (one.old, one.by)}))
    relations = Relation.SUPERSEDES, Relation.LEARNED_FROM
    links = await core.store.neighbours(core.scope, [one.old for one in page], *relations)
    have_facts = {link.target for link in links if link.relation is Relation.LEARNED_FROM}
    of_old: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        of_old[link.target].append(link)
    given_up = {one.old: one.key for one in page if one.key is not None}
    former_keys = await _find_free_keys(core, given_up, memories)
    now, count = core.clock.now(), 0
    changes: list[Change] = []
    for one in page:
        old, newer = memories.get(one.old), memories.get(one.by)
        if old is None or newer is None or newer.status is Status.PRUNED:
            continue
        falls = old.status in STANDING and not one.is_kept
        if falls:
            changes += decide_replacement(old, of_old[old.seq], newer.seq, None, now, ends=one.ends)
            changes.append(build_unchanged_check(newer))
            if old.seq in have_facts:
                changes += await outdate_facts(core, old, newer.seq, newer.text)
            count += 1
        if one.key is not None and old.key == one.key and newer.key == make_interim_key(one.key):
            changes += [*update(old, {"key": former_keys.get(old.seq)}), *update(newer, {"key": one.key})]
    return merge_changes(changes), count


async def _find_free_keys(
    core: Core, given_up: Mapping[int, str], memories: Mapping[int, Memory]
) -> dict[int, str]:
    """Return under which keys memories are kept that give up their own; one that another has is left out."""
    keys = {
        make_version_key(key, memories[seq].text): seq for seq, key in given_up.items() if seq in memories
    }
    names = [*keys]
    found = await core.store.get(core.scope, names) if names else []
    return {keys[name]: name for name, memory in zip(names, found, strict=True) if memory is None}


async def _give_up_keys(core: Core, page: Sequence[tuple[int, str]]) -> tuple[list[Change], int]:
    given_up = dict(page)
    memories = await _read_memories(core, sorted(given_up))
    free = await _find_free_keys(core, given_up, memories)
    changes = [
        change
        for seq, memory in memories.items()
        if memory.key == make_interim_key(given_up[seq])
        for change in update(memory, {"key": free.get(seq)})
    ]
    return changes, len(changes)


async def _forget(core: Core, page: Sequence[int]) -> tuple[list[Change], int]:
    now = core.clock.now()
    changes: list[Change] = []
    for memory in (await _read_memories(core, page)).values():
        system = core.policy.is_system(memory.category)
        guards = find_protecting_guards(memory, system=system, now=now, action=VERBS["forget"].guarded)
        if memory.status in STANDING and not guards:
            changes += act(memory, VERBS["forget"], now)
    return changes, len(changes)


async def _date(core: Core, page: Sequence[Dating]) -> tuple[list[Change], int]:
    memories = await _read_memories(core, [one.seq for one in page])
    changes = [
        change
        for one in page
        if one.seq in memories
        for change in update(memories[one.seq], {"valid_from": one.valid_from, "valid_to": one.valid_to})
    ]
    return changes, len(changes)


async def _link(core: Core, page: Sequence[LinkKey]) -> tuple[list[Change], int]:
    seqs = sorted({seq for key in page for seq in key[:2]})
    memories = await _read_memories(core, seqs)
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
