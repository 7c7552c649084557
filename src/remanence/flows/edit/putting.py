"""Texts are put under names of the caller's: stored once, and from then on brought up to date in their place.

Knows what becomes of a text whose memory is not active any more.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from remanence.core.change import Cause, Change
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.keywords import Progress
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
from remanence.edit.one_memory import merge_changes, on_revision, update
from remanence.flows.base.context import Core, make_id_detail, refuse_moved, retry_conflicts
from remanence.flows.edit.editing import decide_forget, make_edit_changes, successor
from remanence.flows.write import gating
from remanence.flows.write.edited_turn_facts import outdate_facts
from remanence.flows.write.equal_texts import link_equal_texts
from remanence.flows.write.learning import (
    CHUNK,
    answers,
    count_accepted,
    decide_batch,
    decide_texts,
    prepare_all,
    prepare_draft,
    resolve_roles,
    take,
)
from remanence.flows.write.pending_turns import encode_rehearing
from remanence.read.entity import is_entity
from remanence.text.analysis import fingerprint
from remanence.write.admission import DraftBatch, MemoryDraft
from remanence.write.imported import ImportedTurn
from remanence.write.turns import waits

# What a text put again may bring; who said it first, and where, stays.
_BROUGHT = ("text", "category", "kind", "state", "severity", "attributes", "confidence", "importance")
# What left by age or by number or never came in, not because something better took its place.
_GONE = frozenset({Status.ARCHIVED, Status.PRUNED, Status.QUARANTINED})
_EVIDENCE = frozenset({"said_at", "said_offset", "confidence_at", "revision"})


Look = Callable[[Mapping[str, Memory]], Collection[str]]


@dataclass(frozen=True, slots=True)
class _PutWish:
    """What is to be put and to be forgotten in one run; `is_whole` refuses all where one cannot be kept."""

    drafts: Mapping[str, MemoryDraft]
    names: Collection[str] = ()
    look: Look | None = None
    if_revision: int | None = None
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class _Decision:
    """What becomes of a wish: the texts that are stored, those of which the memory is brought to them, and why."""

    changes: Sequence[Change]
    cause: Cause
    stored: Mapping[str, MemoryDraft]
    batch: DraftBatch
    known: Mapping[str, LearnResult]
    freed: Mapping[str, Memory]

    def answer(self, keys: Sequence[str], assigned: Sequence[int] = ()) -> list[LearnResult]:
        """Say what became of each text, with the numbers that the store gave."""
        found = answers(self.batch, list(self.stored.values()), assigned, self.cause.run)
        by_key = {**self.known, **dict(zip(self.stored, found, strict=True))}
        for key, old in self.freed.items():
            if by_key[key].status == "stored":
                why = f"anew: {short_id(old.seq)}, which had the name, is {old.status.label}"
                by_key[key] = replace(by_key[key], reason=why)
        return [by_key[key] for key in keys]


async def put(core: Core, turn: Turn, if_revision: int | None = None) -> LearnResult:
    """Store a text under its key, or bring the memory that has the key to it; with `if_revision` 0 only store it."""
    drafts = await _by_key(core, [await prepare_draft(core, turn)])
    return (await _put_texts(core, _PutWish(drafts, if_revision=if_revision)))[0]


async def learn_all(core: Core, turns: Sequence[Turn], progress: Progress | None) -> list[LearnResult]:
    """Check all texts, then store them by chunks, in order; one with a key replaces the text of the key's memory."""
    drafts = await prepare_all(core, turns)
    if progress is not None:
        progress(0, len(drafts))
    learned: list[LearnResult] = []
    while len(learned) < len(drafts):
        chunk = _cut_chunk(drafts[len(learned) : len(learned) + CHUNK])
        if chunk[0].turn.key is None:
            learned += await take(core, chunk, decide_texts)
        else:
            by_key = {str(one.turn.key): replace(one, stands_beside=True) for one in chunk}
            learned += await _put_texts(core, _PutWish(by_key))
        if progress is not None:
            progress(len(learned), len(drafts))
    return learned


def _cut_chunk(drafts: Sequence[MemoryDraft]) -> Sequence[MemoryDraft]:
    """Return the first drafts that one commit may take: all with a key, no key twice, or all without one."""
    keys: set[str] = set()
    for at, draft in enumerate(drafts):
        key = draft.turn.key
        if (key is None) != (drafts[0].turn.key is None) or key in keys:
            return drafts[:at]
        keys |= set() if key is None else {key}
    return drafts


def refuse_single(key: str | None, if_revision: int | None) -> None:
    """Refuse what names one memory where a list of texts is learned."""
    if key is not None or if_revision is not None:
        raise InvalidInput(
            "a list of texts beside one key or revision",
            recovery="give each its key: [Turn(text, key=…), …]; learn one by itself for if_revision",
        )


def refuse_revision(if_revision: int | None) -> None:
    """Refuse a revision where no key names the memory that should have it."""
    if if_revision is not None:
        raise InvalidInput(
            "if_revision without a key", recovery="pass the key whose memory has that revision"
        )


async def put_all(core: Core, turns: Sequence[Turn], names: Collection[str], look: Look) -> list[LearnResult]:
    """Put texts, each under a key of its own, and forget memories by theirs: in one run, all or none.

    `look` is shown by key what has a key of the texts or one of `names`; it raises what stands in the way, and returns
    which of the `names` are forgotten. What does not stand gives its name away. Where a text is forbidden, or would go
    into quarantine, all are refused. As an `ImportedTurn` says how long a text holds, so it is from then on.
    """
    drafts = [await prepare_draft(core, turn) for turn in turns]
    return await _put_texts(core, _PutWish(await _by_key(core, drafts), names, look, is_whole=True))


async def _by_key(core: Core, drafts: Sequence[MemoryDraft]) -> dict[str, MemoryDraft]:
    resolved = await resolve_roles(core, [replace(draft, stands_beside=True) for draft in drafts])
    return {draft.turn.key or "": draft for draft in resolved}


@retry_conflicts
async def _put_texts(core: Core, wish: _PutWish) -> list[LearnResult]:
    """Read, decide and commit, again from the start after a lost race."""
    decision = await _decide_texts(core, wish)
    if not decision.changes:
        await gating.count(core, decision.cause.counts)
        return decision.answer(list(wish.drafts))
    commit = await core.commit(decision.changes, decision.cause)
    return decision.answer(list(wish.drafts), commit.assigned)


async def _decide_texts(core: Core, wish: _PutWish) -> _Decision:
    """Decide what becomes of each text, in the light of what has its key, and of what is to be forgotten."""
    here = await _read_named(core, wish)
    gone = () if wish.look is None else wish.look(here)
    stored = {
        key: draft
        for key, draft in wish.drafts.items()
        if key not in here or await _is_gone(core, here[key], draft, is_whole=wish.is_whole)
    }
    freed = {key: here[key] for key in stored if key in here}
    batch, changes = await decide_batch(core, list(stored.values()), freed=freed.keys())
    if any(outcome.status == "known" for outcome in batch.outcomes):  # somebody was faster
        raise Conflict([("keys", key) for key in stored])
    for key, outcome in zip(stored, batch.outcomes, strict=True):
        if key in freed and outcome.key < 0:
            changes += _free_name(core, freed[key], outcome.key, changes)
    drafts = list(stored.values())
    counts = Counter(gating.counts(drafts, batch.outcomes)) + Counter(waits(drafts, batch.outcomes))
    run, touched, known = core.new_id(), list(freed.values()), {}
    heard_again: dict[str, str] = {}
    for key, draft in wish.drafts.items():
        if key not in stored:
            own, reason = await _decide_known(core, here[key], draft, wish.if_revision)
            known[key] = _tell_known(here[key], draft, reason, run if own else None)
            changes += own
            touched += [here[key]] if own else []
            if own and draft.turn.text != here[key].text:
                heard_again |= await encode_rehearing(core, here[key])
            counts.update(gating.counted_markers(draft.replaced))
    heard = count_accepted(batch) + len(touched) - len(freed)
    verb = "put" if stored else "update" if touched else "forget"
    for memory in [here[key] for key in gone]:
        changes += decide_forget(core, memory)
        touched.append(memory)
    detail = make_id_detail(touched) if touched else {}
    cause = core.cause(verb, run=run, detail=detail, turns=heard, counts=counts, values=heard_again)
    decision = _Decision(merge_changes(changes), cause, stored, batch, known, freed)
    if wish.is_whole:
        _refuse_kept_out(decision, wish)
    return decision


async def _read_named(core: Core, wish: _PutWish) -> dict[str, Memory]:
    """Return what has the keys by now; refuse a revision that the caller does not expect there."""
    keys = [*wish.drafts, *wish.names]
    found = await core.store.get(core.scope, keys)
    here = {key: memory for key, memory in zip(keys, found, strict=True) if memory is not None}
    for key in wish.drafts:
        one = here.get(key)
        if one is None:
            refuse_moved(f"the key {key!r}", 0, wish.if_revision)
        else:
            name = f"memory {short_id(one.seq)}"
            refuse_moved(name, one.revision, wish.if_revision, ("memories", one.seq))
    return here


def _refuse_kept_out(decision: _Decision, wish: _PutWish) -> None:
    """Refuse a wish of which a text is forbidden, or would be out of sight until a person accepts it."""
    reasons = {key: answer.reason for key, answer in decision.known.items() if wish.drafts[key].kept_out}
    for key, outcome in zip(decision.stored, decision.batch.outcomes, strict=True):
        if outcome.status == "gated" or wish.drafts[key].kept_out:
            reasons[key] = outcome.reason
    for key, reason in reasons.items():
        raise InvalidInput(f"the memory does not take {key}: {reason}", recovery="put another text")


def _free_name(core: Core, gone: Memory, key: int, changes: Sequence[Change]) -> list[Change]:
    """Take the name from a memory that is gone, and link what is stored under it to it."""
    ends = (key, gone.seq, int(Relation.LEARNED_FROM))
    is_linked = any(change.key == ends for change in changes)  # where it said the same words
    if is_linked or gone.status is Status.QUARANTINED:
        return update(gone, {"key": None})
    return [*update(gone, {"key": None}), Change("links", ends, None, link_values(core.clock.now()))]


async def _decide_known(
    core: Core, memory: Memory, draft: MemoryDraft, if_revision: int | None
) -> tuple[Sequence[Change], str]:
    """Bring a memory to a text: its place stays, its date moves to the new evidence; out of sight it stays as it is."""
    if draft.kept_out:
        return [], "it holds markup for a machine, and no user or agent said it: nothing was changed"
    if memory.status not in STANDING:
        took = await successor(core, memory)
        by = "" if took is None else f" by {short_id(took.seq)}"
        return [], f"{memory.status.label}{by}: nothing was changed; to bring it back: restore {memory.seq}"
    changes = await _decide_update(core, memory, draft)
    if changes:
        changes += await outdate_facts(core, memory, memory.seq, draft.turn.text)
    reason = "updated" if any(map(_says_more, changes)) else "unchanged"
    return changes if if_revision is None else on_revision(memory, changes), reason


def _tell_known(memory: Memory, draft: MemoryDraft, reason: str, run: str | None) -> LearnResult:
    return LearnResult(
        memory.id,
        memory.seq,
        "known",
        reason,
        run=run,
        replaced=draft.replaced,
        replacements=draft.replacements,
    )


async def _is_gone(core: Core, memory: Memory, draft: MemoryDraft, *, is_whole: bool) -> bool:
    """Tell whether what is put under a memory's key is another one: it left, was merged, or is out of date.

    Out of date is what a writer's verdict or a policy took for that: who put it never said that something else has its
    place. What was merged and said the same is in its place.
    """
    if is_whole:
        return memory.status not in STANDING
    if memory.status is not Status.SUPERSEDED:
        return memory.status in _GONE
    if memory.reason is Reason.MERGED and not is_entity(memory):
        return memory.fingerprint != draft.fingerprint
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.SUPERSEDES, Relation.NEWER)
    above = [link for link in links if link.target == memory.seq]
    successors = {link.source for link in above if link.relation is Relation.SUPERSEDES}
    # A verdict links what it lets take a place as newer, too; nothing has the place of what a policy took for outdated.
    return not successors or any(
        link.source in successors for link in above if link.relation is Relation.NEWER
    )


def _says_more(change: Change) -> bool:
    """Tell whether a change is one of what is said, not of when or where it was said."""
    return change.table == "tags" or (
        change.table == "memories" and bool((change.after or {}).keys() - _EVIDENCE)
    )


async def _decide_update(core: Core, memory: Memory, draft: MemoryDraft) -> list[Change]:
    """Decide what a text put again changes: what it says, since when, and the tags and the source it adds."""
    turn = draft.turn
    values = {name: value for name in _BROUGHT if (value := getattr(turn, name)) is not None}
    if isinstance(turn, ImportedTurn):
        values |= dict(zip(("valid_from", "valid_to"), draft.validity, strict=True))
    sources = {turn.source} - {None, *memory.sources}
    changes = await make_edit_changes(
        core,
        memory,
        VERBS["put"],
        {**values, "said_at": draft.said_at, "said_offset": draft.said_offset, "trust": draft.trust},
        {*memory.tags, *turn.tags},
    )
    if any("text" in (change.after or {}) for change in changes if change.table == "memories"):
        mark = fingerprint(draft.turn.text, memory.speaker or "")
        changes += await link_equal_texts(core, changes, [replace(memory, fingerprint=mark)])
    return [
        *changes,
        *(Change("sources", (memory.seq, source), None, {"span": None}) for source in sources if source),
    ]
