"""What a writer says of memories: each is judged in the light of who the agent is and of older ones that it may change.

A judgement is checked like any proposal; one that makes no sense is none. What it says holds no longer gives up its
place in a run of its own: so many a day, looked at anew when it is carried out; the rest is for a person.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from math import isfinite

import numpy as np

from remanence.core.arguments import TAGS_MAX, check_tags
from remanence.core.change import Cause, Change
from remanence.core.errors import InvalidInput, WriterError
from remanence.core.model import (
    CERTAIN_MIN,
    REJECTED_PATH,
    STANDING,
    Kind,
    Memory,
    Relation,
    Role,
    Trust,
    short_id,
)
from remanence.core.receipt import ConsolidateResult
from remanence.core.results import date_of
from remanence.core.segment import TURN
from remanence.core.snapshot import SnapshotRequest
from remanence.curate.planner.brake import DESTROYED_MIN, DESTROYED_SHARE
from remanence.edit.one_memory import merge_changes, says_who
from remanence.flows.base.context import Core, retry_conflicts
from remanence.flows.consolidate import guidelines
from remanence.flows.edit.editing import decide_supersession
from remanence.flows.recall.framing import Look, frame
from remanence.flows.write import proposals
from remanence.llm.base import Judgement, Writer
from remanence.read.extraction import EXTRACTED_BY
from remanence.store.base import Bookkeeping
from remanence.text.tokens import token_counts
from remanence.write.engine_actions import SURE_MIN, Actions, of_memory

TIMEOUT_S = 30.0
TOKENS_MOST = 1 << 40  # of one answer
# What the names of the counters begin with; the day follows, UTC. What gives up its place is counted apart from what is
# surely linked as older: that comes first, and is more.
REPLACED, OUTDATED = "replaced/", "outdated/"
UNSURE = (
    CERTAIN_MIN / 2
)  # how sure a writer's verdict is beyond what a day allows: it orders, and settles nothing
WHY = "a writer replaces no episode, and nothing that is said later, is believed more or was said by others"
ASKED = "a person wrote or protects it, and is asked in review"
Pairs = Sequence[tuple[Memory, Memory]]  # (newer, older)


@dataclass
class Verdicts:
    """The one run of a consolidation in which a writer's verdicts are carried out, part by part."""

    core: Core
    cause: Cause = field(init=False)
    part: int = 0
    done: int = 0
    refused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Name the run, which is none until something is carried out."""
        writer = self.core.writer
        self.cause = self.core.cause("replace", detail={} if writer is None else {"writer": writer.name})

    @property
    def run(self) -> str | None:
        """The run that `undo` takes back, where there was one."""
        return self.cause.run if self.part else None

    @retry_conflicts
    async def carry_out(self, seqs: Collection[int], of: Cause) -> None:
        """Let what a writer says holds no longer give up its place to some memories, as far as today allows.

        `of` is the part of the consolidation, whose lease this relies on.
        """
        if not seqs:
            return
        pairs = await self._read_pending_pairs(seqs)
        extracted = await _find_extracted(self.core, [one for pair in pairs for one in pair])
        why = {(new.seq, old.seq): _explain_stay(self.core, new, old, extracted) for new, old in pairs}
        allowed = [(new, old) for new, old in pairs if not why[new.seq, old.seq]]
        taken = allowed[: await _count_allowed_today(self.core, REPLACED)] if allowed else []
        refused = [(new, old) for new, old in pairs if why[new.seq, old.seq] == WHY]
        now = self.core.clock.now()
        values = await proposals.settle_proposals(self.core, [*taken, *refused])
        if taken:
            counts = {f"{REPLACED}{date_of(now)}": len(taken)}
            detail = {**self.cause.detail, **_record_verdicts(taken, refused).detail()}
            named = replace(self.cause, at=now, part=self.part, fence=of.fence, detail=detail)
            changes: list[Change] = []
            for new, old in taken:
                changes += await decide_supersession(self.core, old, new)
            await self.core.commit(merge_changes(changes), replace(named, counts=counts, values=values))
            self.part += 1
        elif refused:
            await self.core.store.bookkeep(self.core.scope, Bookkeeping(now, put=values))
        self.done += len(taken)
        self.refused += tuple(
            f"{short_id(new.seq)}: {short_id(old.seq)} stands: {reason}"
            for new, old in pairs
            if (reason := why[new.seq, old.seq])
        )

    def added_to(self, total: ConsolidateResult) -> ConsolidateResult:
        """Return what a consolidation did, with what came of verdicts."""
        return replace(total, replaced=self.done, verdicts=self.run, refused=self.refused)

    async def _read_pending_pairs(self, seqs: Collection[int]) -> Pairs:
        """Return the pairs that wait for some memories, each older one once."""
        pairs: dict[int, tuple[Memory, Memory]] = {}
        for one in await proposals.list_proposals(self.core):
            if one.memory.seq in seqs:
                pairs |= {old.seq: (one.memory, old) for old in one.replaces if old.seq not in pairs}
        return sorted(pairs.values(), key=lambda pair: (pair[0].seq, pair[1].seq))


@dataclass(frozen=True, slots=True)
class CheckedJudgement:
    """A checked judgement; `alignment` is None and `reason` says why where there is none."""

    alignment: float | None = None
    contradicts: tuple[tuple[int, float], ...] = ()  # (seq, how sure)
    newer: tuple[tuple[int, float], ...] = ()  # of those that it replaces
    replaces: tuple[int, ...] = ()
    repeats: tuple[int, ...] = ()  # for a person to make one with it
    reason: str = ""
    tokens_used: int = 0
    tags: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()  # tags that mean something to the engine: for a person to set


async def _count_allowed_today(core: Core, under: str) -> int:
    """Say how many a writer's verdicts may still put out of sight today: ten, or a share of the scope."""
    now = core.clock.now()
    request = SnapshotRequest(frozenset({"status"}))
    status = (await core.store.snapshot(core.scope, request, now)).columns["status"]
    standing = int(np.isin(status, [int(one) for one in STANDING]).sum())
    name = f"{under}{date_of(now)}"
    done = (await core.store.bookkeep(core.scope, Bookkeeping(now, counters=(name,)))).counters.get(name, 0)
    return max(0, max(DESTROYED_MIN, int(standing * DESTROYED_SHARE)) - done)


async def limit_newer(
    core: Core, judged: Sequence[CheckedJudgement]
) -> tuple[list[CheckedJudgement], dict[str, int]]:
    """Let what is beyond a day's verdicts be linked as unsurely newer, and return the counts of those within it.

    What is surely newer takes the line of what is older where a view has one line a matter.
    """
    if not any(one.newer for one in judged):
        return list(judged), {}
    room = await _count_allowed_today(core, OUTDATED)
    limited, taken = [], 0
    for one in judged:
        sure = one.newer[: max(0, room - taken)]
        taken += len(sure)
        limited.append(replace(one, newer=(*sure, *((seq, UNSURE) for seq, _ in one.newer[len(sure) :]))))
    return limited, {f"{OUTDATED}{date_of(core.clock.now())}": taken} if taken else {}


async def judge(
    core: Core, writer: Writer, memories: Sequence[Memory], similar: Sequence[Sequence[Memory]]
) -> list[CheckedJudgement]:
    """Ask the writer about some memories at once, each in the light of who the agent is and of its like."""
    who = (await frame(core, Look("self", count_use=False))).text
    who = "\n".join([who, *(f"guideline: {line}" for line in await guidelines.lines(core))])
    extracted = await _find_extracted(core, [*memories, *(one for others in similar for one in others)])
    questions = [
        _judge_memory(core, writer, memory, who, (others, extracted))
        for memory, others in zip(memories, similar, strict=True)
    ]
    return list(await asyncio.gather(*questions))


async def _judge_memory(
    core: Core, writer: Writer, memory: Memory, who: str, shown: tuple[Sequence[Memory], AbstractSet[int]]
) -> CheckedJudgement:
    others, extracted = shown
    texts = {other.id: _render_memory(other) for other in others}
    try:
        async with asyncio.timeout(TIMEOUT_S):
            answer = await writer.judge(_render_memory(memory), who, texts)
    except TimeoutError:
        # Who was not waited for may have answered all the same, for the price of the question at least.
        tokens = sum(token_counts([memory.text, who, *texts.values()]))
        return CheckedJudgement(
            reason=f"{short_id(memory.seq)}: no judgement within {TIMEOUT_S:g} s", tokens_used=tokens
        )
    except WriterError as error:
        return CheckedJudgement(
            reason=f"{short_id(memory.seq)}: {error}", tokens_used=_read_cost(error.tokens_used)
        )
    judgement = _check_judgement(core, memory, answer, {other.id: other for other in others}, extracted)
    own = {
        other.seq for other in others if other.speaker == memory.speaker
    }  # what two people say stays with either
    judgement = replace(judgement, repeats=tuple(seq for seq in judgement.repeats if seq in own))
    return replace(judgement, tokens_used=_read_cost(answer.tokens_used))


async def _find_extracted(core: Core, memories: Sequence[Memory]) -> set[int]:
    """Return which memories are as a writer extracted them, and turns that say nothing but one fact.

    What somebody worded otherwise since is his. A link alone does not tell: it is drawn to what is learned anew, too.
    """
    as_said = [one for one in memories if one.text_at is None]
    facts = {one.seq for one in as_said if EXTRACTED_BY in (one.attributes or {})}
    links = await core.store.neighbours(core.scope, sorted(facts), Relation.LEARNED_FROM) if facts else []
    turns = {one.seq for one in as_said if TURN in one.tags}
    return turns | (facts & {link.source for link in links})


def _explain_stay(core: Core, new: Memory, old: Memory, extracted: AbstractSet[int]) -> str:
    """Say why a memory may not take another's place by itself; "" where it may.

    An extracted fact takes the place of what was extracted from texts that are believed no more, whoever said those.
    What a person wrote or protects is for a person, but that its speaker writes something new himself.
    """
    unsure = new.confidence is not None and new.confidence < SURE_MIN
    if new.said_at < old.said_at or old.kind is Kind.EPISODIC or unsure or new.trust < old.trust:
        return WHY
    if core.find_protections(old, trust=Trust.AGENT):
        return ASKED
    if new.seq in extracted:
        is_written = old.seq not in extracted and old.role is Role.USER
        return ASKED if is_written else ""
    return "" if new.trust > old.trust or new.speaker == old.speaker else WHY


def _render_memory(memory: Memory) -> str:
    """Return a text, with how far it is to be trusted where that is less than a user's own word."""
    return memory.text if memory.trust is Trust.USER else f"[{memory.trust.label}] {memory.text}"


def _check_judgement(
    core: Core, memory: Memory, found: Judgement, others: Mapping[str, Memory], extracted: AbstractSet[int]
) -> CheckedJudgement:
    """Take a judgement only where it makes sense: fractions, and of memories that the writer was shown.

    What is believed less, or was said earlier, is not newer than what it should replace. Where it may not take that
    one's place, they are at odds; what a person wrote or protects waits in review, and an episode stands anyway.
    """
    if not _read_fraction(found.alignment):
        return CheckedJudgement(reason=f"{short_id(memory.seq)}: its alignment is no fraction")
    named = [*found.contradicts.items(), *found.replaces.items(), *found.repeats.items()]
    wrong = [name for name, sure in named if name not in others or not _read_fraction(sure)]
    if wrong:
        return CheckedJudgement(
            reason=f"{short_id(memory.seq)}: contradictions of {len(wrong)} make no sense: it was not shown them"
        )
    try:
        check_tags(found.tags)
    except InvalidInput:
        return CheckedJudgement(
            reason=f"{short_id(memory.seq)}: its tags make no sense: one is empty or too long, or they are too many"
        )
    replaces, odds, same = (
        {others[name].seq: round(sure, 6) for name, sure in part.items() if sure >= CERTAIN_MIN}
        for part in (found.replaces, found.contradicts, found.repeats)
    )
    shown = {one.seq: one for one in others.values()}
    newer = {
        seq: sure
        for seq, sure in replaces.items()
        if memory.trust >= shown[seq].trust and memory.said_at >= shown[seq].said_at
    }
    refused = {
        seq: sure
        for seq, sure in replaces.items()
        if _explain_stay(core, memory, shown[seq], extracted) == WHY
        and not (seq in newer and shown[seq].kind is Kind.EPISODIC)
    }
    against = odds | refused
    repeats = tuple(seq for seq in same if seq not in odds | replaces)
    new = sorted({*found.tags} - {*memory.tags})
    proposed = tuple(tag for tag in new if tag == REJECTED_PATH or says_who([tag], system=False))
    room = len(memory.tags) + len(new) <= TAGS_MAX
    tags = tuple(tag for tag in new if room and tag not in proposed)
    return CheckedJudgement(
        round(found.alignment, 6),
        tuple(against.items()),
        tuple(newer.items()),
        tuple(replaces),
        repeats,
        tags=tags,
        proposed=proposed,
    )


def _read_cost(tokens_used: object) -> int:
    """Return what an answer cost; what is no such number costs nothing that could be counted."""
    return tokens_used if type(tokens_used) is int and 0 <= tokens_used < TOKENS_MOST else 0


def _read_fraction(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and 0 <= value <= 1
    )


def _record_verdicts(taken: Pairs, refused: Pairs) -> Actions:
    """Record what became of the verdicts, each judged by the newer memory."""
    actions = Actions()
    for new, _ in taken:
        actions.record(
            "update_note", of_memory(new, "consolidation"), reason="takes the place of an older one"
        )
    for new, _ in refused:
        actions.record("update_note", of_memory(new, "consolidation"), "denied", WHY)
    return actions
