"""Why a memory is not in an answer: the first thing that kept it out, and what would have let it in.

Also of a text that never came in: what the gate would say to it. Nothing of it is stored.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remanence.core.model import (
    STANDING,
    Memory,
    OneMemory,
    Reason,
    RecallResult,
    Status,
    Trust,
    Turn,
    short_id,
)
from remanence.core.recall_explanation import Absence, ScoreExplanation, Stage, ordinal
from remanence.core.results import SAID_ALREADY, date_of, encode_json_value, one_line
from remanence.core.snapshot import means
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.naming import plain_name, refuse_erased, unknown
from remanence.flows.recall.filters import ArchiveFilter
from remanence.flows.recall.time_filters import LAST_SAID
from remanence.flows.write import gating
from remanence.read.entity import is_entity
from remanence.recall.fit import SAID
from remanence.recall.frames import LIMIT_MAX
from remanence.store.base import Find
from remanence.store.lineage import SUCCEEDING, find_successors
from remanence.text.analysis import check_text
from remanence.text.forbidden_keys import fold_keys

NAME_CHARS = 60  # of a text that is asked for
_NAMES_ONE = re.compile(r"#?[0-9]+|[0-9a-fA-F]{8,32}…?")  # what is no key and no text, but a number or an id


@dataclass(frozen=True, slots=True)
class SoughtMemory:
    """A memory that somebody misses, how it was named, and what took its place, by number."""

    memory: Memory
    name: str
    successors: tuple[int, ...] = ()

    def absence(
        self,
        stage: Stage,
        what: str,
        way_in: str = "",
        score: ScoreExplanation | None = None,
        beaten_by: Sequence[int] = (),
    ) -> Absence:
        """Say what kept it out."""
        memory = self.memory
        return Absence(self.name, stage, what, way_in, memory.seq, memory.id, score, tuple(beaten_by))


async def find_sought(core: Core, name: OneMemory) -> SoughtMemory | Absence:
    """Find the memory that is named, or that says a text; of a text that nobody says tell what the gate says to it.

    Raises NotFound for a number or an id that is of no memory here, and Erased for one of what was erased.
    """
    plain = plain_name(name)
    if isinstance(plain, str):
        check_text(plain)
    (memory,) = await core.find_memories([plain])
    if memory is not None:
        return await _read_sought(core, memory)
    await refuse_erased(core.store, core.scope, [plain])
    if not isinstance(plain, str) or _NAMES_ONE.fullmatch(plain):
        raise unknown(core.scope, [plain])
    return await _find_by_text(core, plain)


async def _read_sought(core: Core, memory: Memory) -> SoughtMemory:
    if memory.status is not Status.SUPERSEDED:
        return SoughtMemory(memory, short_id(memory.seq))
    links = await core.store.neighbours(core.scope, [memory.seq], *SUCCEEDING)
    return SoughtMemory(memory, short_id(memory.seq), tuple(sorted(find_successors(links, memory.seq))))


async def _find_by_text(core: Core, text: str) -> SoughtMemory | Absence:
    """Look whether a memory says a text, as it came or with its secrets replaced; else ask the gate."""
    await gating.refresh_settings(core)
    turn, replaced = await run_off_loop(len(text), gating.screen_turn, core, Turn(text), core.trust)
    find = Find(equal={"text": tuple(dict.fromkeys([text, text.strip(), turn.text]))})
    memories = await core.store.find(core.scope, find)
    if memories:
        best = max(memories, key=lambda one: (one.status in STANDING, one.status is Status.ARCHIVED, one.seq))
        return await _read_sought(core, best)
    return await _ask_gate(core, text, replaced)


async def _ask_gate(core: Core, text: str, replaced: gating.Replacements) -> Absence:
    """Say what the gate would answer to a text that no memory says."""
    name = repr(one_line(text, NAME_CHARS))
    nothing = "no memory says it, and none has it as its key"
    bans = await core.store.forbidden(core.scope, await run_off_loop(len(text), fold_keys, text))
    for ban in bans:
        what = (
            f"no memory says it: {'the text is refused' if ban.is_erased else 'the text is forbidden'}: {ban}"
        )
        return Absence(
            name, "gate", what, "" if ban.is_erased else f"allow it again: remanence forbid {ban.fold} --off"
        )
    said = "; ".join(replaced.notes)
    beside = f" ({said})" if said else ""
    if await run_off_loop(len(text), gating.is_held_back, text, Trust.OUTSIDE):
        return Absence(
            name,
            "gate",
            f"{nothing}; from a tool or from outside it would be held back: it holds markup for a machine{beside}",
            "say it yourself: learn",
        )
    if gating.says_nothing(text):
        return Absence(
            name,
            "gate",
            f"{nothing}; `note` takes in no such turn: it says nothing to keep",
            "store it: learn",
        )
    return Absence(name, "gate", f"{nothing}; the gate would let it in{beside}", "store it: learn")


def find_in_answer(sought: SoughtMemory, answer: RecallResult) -> Absence | None:
    """Say where in the answer a memory is; None where it is not."""
    seqs = [hit.seq for hit in answer.memories]
    if sought.memory.seq not in seqs:
        return None
    return sought.absence("nothing", f"it is in the answer, {ordinal(seqs.index(sought.memory.seq) + 1)}")


def find_in_drops(sought: SoughtMemory, answer: RecallResult, score: ScoreExplanation) -> Absence | None:
    """Say why what came up got no place; None where nobody says so."""
    seq, id_ = sought.memory.seq, sought.memory.id
    reason = next((one.reason for one in answer.dropped if one.seq == seq), "")
    if reason in (SAID, SAID_ALREADY):
        by = [hit.seq for hit in answer.memories if id_ in hit.also]
        who = " and ".join(map(short_id, by)) or "another memory"
        return sought.absence("duplicate", f"{who} says the same and stands for it", "", score, by)
    if not reason or reason == "limit":
        return None
    what = "it got no room beside the others" if reason == "budget" else reason
    return sought.absence("budget", what, "ask with a larger budget", score)


def explain_alike(sought: SoughtMemory, score: ScoreExplanation, frame: str) -> Absence:
    """Say that others took the place of a memory whose words they say already."""
    what = f"it ranks {ordinal(score.rank)}, but says less than others that is not said before it"
    return sought.absence(
        "duplicate", what, f"ask with a larger limit, or change the diversity of the frame {frame}", score
    )


def explain_unranked(sought: SoughtMemory, wanted: ArchiveFilter | None = None) -> Absence:
    """Say why what no filter of the index took was not ranked: `wanted` is what may be found of a large archive."""
    if sought.memory.status is Status.ARCHIVED:
        if wanted is None:
            return _explain_status(sought, "")
        if name := _find_failed_filter(sought.memory, wanted):
            return explain_filter(sought, name)
        return sought.absence(
            "archive",
            "of an archive as large as this one only the best are ranked, and others match better by their own words",
            f"ask in its own words, or bring it back: remanence rate right {sought.memory.seq}",
        )
    return sought.absence("moved", "it came in or changed while this was asked", "ask again")


def _find_failed_filter(memory: Memory, wanted: ArchiveFilter) -> str:
    """Return which filter an archived memory does not pass, "" where it passes all."""
    filters = wanted.filters
    if wanted.thread is not None and memory.thread != wanted.thread:
        return "thread"
    if wanted.between is not None and not memory.is_said_within(wanted.between):
        return "between"
    for name, values in filters.columns.items():
        if getattr(memory, name) not in values:
            return name
    for pattern in filters.tags:
        if not any(means(pattern, tag) for tag in memory.tags):
            return f"tag {pattern}"
    return filters.find_unmet(memory)


def explain_question(
    sought: SoughtMemory, score: ScoreExplanation, ranked: tuple[int, int], limit: int
) -> Absence:
    """Say that a frame did not weigh a memory, since others answer the question better."""
    candidates, pool = ranked
    if score.score <= 0:
        return _no_match(sought, score)
    what = f"it answers the question {ordinal(score.rank)} best of {candidates:,}, and the best {pool:,} are weighed"
    most = -(-score.rank * limit // pool)
    way = (
        f"ask with limit={most}, to have it weighed" if limit < most <= LIMIT_MAX else "ask in its own words"
    )
    return sought.absence("pool", what, way, score)


def explain_room(sought: SoughtMemory, score: ScoreExplanation) -> Absence:
    """Say that a memory was not read, since what ranks before it fills the budget."""
    what = f"it ranks {ordinal(score.rank)}, and those before it fill the budget"
    return sought.absence("budget", what, "ask with a larger budget", score)


def explain_rank(
    sought: SoughtMemory,
    score: ScoreExplanation,
    answer: RecallResult,
    shown: Sequence[ScoreExplanation],
    ranked: tuple[int, int],
) -> Absence:
    """Say that others rank before a memory, who of those that are `shown`, and by what."""
    candidates, pool = ranked
    if score.score <= 0:
        return _no_match(sought, score)
    by = [one for one in shown if one.rank and one.rank < score.rank]
    what = f"it ranks {ordinal(score.rank)} of {candidates:,} and scores {score.score:.3f}"
    if by:
        last = max(by, key=lambda one: one.rank)
        what += (
            f"; the last with a place, {short_id(last.seq)}, scores {last.score:.3f}{_by_most(score, last)}"
        )
    way = "ask in its own words" if score.rank > LIMIT_MAX else f"ask with limit={score.rank}"
    way += " and a larger budget" if "budget" in answer.left_out and score.rank <= LIMIT_MAX else ""
    return sought.absence("rank" if score.rank <= pool else "pool", what, way, score, [one.seq for one in by])


def _by_most(score: ScoreExplanation, better: ScoreExplanation) -> str:
    """Say by which part a better one is ahead most, "" where by none."""
    own = {part.name: part.value for part in score.parts if not part.is_factor}
    ahead = {
        part.name: (part.value - own.get(part.name, 0.0), part.value)
        for part in better.parts
        if not part.is_factor
    }
    name = max(ahead, key=lambda one: ahead[one][0], default="")
    if not name or ahead[name][0] <= 0:
        return ""
    return f", ahead most by {name} ({ahead[name][1]:.2f} to {own.get(name, 0.0):.2f})"


def _no_match(sought: SoughtMemory, score: ScoreExplanation) -> Absence:
    by_vector = any("cosine" in part.measures for part in score.parts)
    return sought.absence(
        "no match",
        "no word of the question is in it or beside it" + ", and nothing is less like it" * by_vector,
        f"ask in its own words, or by its number: get {sought.memory.seq}",
        score,
    )


def explain_filter(sought: SoughtMemory, name: str, *, frame: str = "") -> Absence:
    """Say which filter took a memory, what it is instead, and how to ask for it."""
    memory = sought.memory
    if name == "entity" or (name == "standing" and is_entity(memory)):
        way = f"ask for the category {memory.category}" if not frame else f"look at it: get {memory.seq}"
        return sought.absence("entity", "it is an entity: it says nothing itself, others mention it", way)
    if name in ("", "status", "standing"):
        return _explain_status(sought, frame)
    if name == "between":
        return sought.absence(
            "filter", f"it was said on {memory.said_day}", "ask for a span that holds this day"
        )
    if name == LAST_SAID:
        what = f"it was said or confirmed last on {memory.last_said_day}"
        return sought.absence("filter", what, "ask with a larger max_age")
    kind, _, pattern = name.partition(" ")
    if kind == "tag" and pattern:
        has = ", ".join(memory.tags) or "none"
        return sought.absence("filter", f"tag {pattern}: its tags are: {has}", f"tag {memory.seq} {pattern}")
    if name == "tags":
        has = ", ".join(memory.tags) or "none"
        return sought.absence(
            "filter", f"tags of the frame: its tags are: {has}", f"change the frame {frame}"
        )
    if name == "trust":
        what = f"it is believed as {memory.trust.label}: a frame with a profile shows what a user or an agent said"
        return sought.absence("filter", what, "say it yourself: learn")
    if name == "window":
        what = "it was not learned, used or reinforced within the frame's window of time"
        return sought.absence("filter", what, f"change the frame {frame}")
    if name == "lifecycle":
        stale = memory.lifecycle.label
        way = "take stale out of the setting recall_leaves_out" if frame else f"ask for the lifecycle {stale}"
        return sought.absence("filter", f"lifecycle: it is {stale}", way)
    column = "category" if name == "categories" else name
    value = encode_json_value(getattr(memory, column))
    has = "nothing" if value in (None, {}) else one_line(str(value))
    way = f"change the frame {frame}" if frame else f"ask without the filter {name}"
    return sought.absence("filter", f"{name}: it has {has} there", way)


def _explain_status(sought: SoughtMemory, frame: str) -> Absence:
    """Say what became of a memory that does not stand, or has not the status that was asked for."""
    memory = sought.memory
    seq, since = memory.seq, date_of(memory.status_at)
    why = "" if memory.reason is None else f", {memory.reason.label}"
    if memory.status is Status.QUARANTINED:
        return sought.absence(
            "gate", "it is in quarantine: it holds markup for a machine", f"review settle {seq} accept"
        )
    if memory.status is Status.PRUNED:
        stage: Stage = "expired" if memory.reason is Reason.EXPIRED else "status"
        return sought.absence(stage, f"it was deleted on {since}{why}", f"bring it back: restore {seq}")
    if memory.status is Status.SUPERSEDED:
        by = "".join(f" by {short_id(one)}" for one in sought.successors[:1])
        way = f"bring it back: restore {seq}" if frame else "ask for the status superseded"
        return sought.absence("status", f"it was superseded on {since}{by}", way, beaten_by=sought.successors)
    if memory.status is Status.ARCHIVED:
        stage = "expired" if memory.reason is Reason.EXPIRED else "status"
        where = "frames leave the archive out" if frame else "the archive is closed to this question"
        way = f"bring it back: remanence rate right {seq}" + (
            "" if frame else ", or ask with the archive open"
        )
        return sought.absence(stage, f"it was archived on {since}{why}; {where}", way)
    if frame:
        return explain_unranked(sought)
    return sought.absence(
        "status",
        f"it is {memory.status.label}, and another status was asked for",
        f"ask for {memory.status.label}",
    )
