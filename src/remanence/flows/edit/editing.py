"""One memory at a time: read it, decide its changes, commit; a lost race starts again from the read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remanence.core.arguments import check_attributes, check_fraction, check_name, check_tags, check_validity
from remanence.core.change import Change
from remanence.core.clock import to_micros
from remanence.core.effects import NO_SHORTER, NO_SUMMARY, VERBS, Effect
from remanence.core.errors import InvalidInput, NotFound, Protected
from remanence.core.model import (
    STANDING,
    SYMMETRIC,
    Form,
    Kind,
    Label,
    LearnResult,
    Lifecycle,
    Link,
    Memories,
    Memory,
    OneMemory,
    PolicyClass,
    Relation,
    Role,
    Severity,
    Status,
    Trust,
    Turn,
    Verification,
    link_values,
    short_id,
)
from remanence.core.receipt import Receipt
from remanence.edit.decide import (
    build_corrected_turn,
    combine_protection,
    decide_acceptance,
    decide_hold,
    decide_release,
    decide_replacement,
    refuse_out_of_sight,
    refuse_quarantined,
    taken_over,
)
from remanence.edit.links import Linking, decide_link
from remanence.edit.one_memory import act, build_unchanged_check, merge_changes, update
from remanence.flows.base.context import Core, label, receipt, refuse_moved, retry_conflicts, run_off_loop
from remanence.flows.undo.restoring import read_fall
from remanence.flows.write import gating
from remanence.flows.write.edited_turn_facts import outdate_facts
from remanence.flows.write.equal_texts import link_equal_texts
from remanence.flows.write.learning import (
    answers,
    check_state,
    class_of,
    count_accepted,
    decide_batch,
    initial_state,
    prepare_draft,
    vector_of,
)
from remanence.flows.write.pending_turns import encode_rehearing
from remanence.gate.screening import refuse_secret
from remanence.read.entity import folded_name, names_of
from remanence.read.name_places import has_name
from remanence.store.base import Arriving
from remanence.store.lineage import REPLACING, find_successors
from remanence.text.analysis import check_text
from remanence.text.text_columns import text_columns
from remanence.write.admission import GREATER, DraftBatch
from remanence.write.roles import compute_trust, limit_trust
from remanence.write.supposed import holds_on
from remanence.write.turns import listened_again, waits

CHAIN_MAX = 1_000
SAID_AGAIN = "the same text can be stored again; to refuse it, use `forbid`"
_LABELS: Mapping[str, type[Label]] = {
    "kind": Kind,
    "severity": Severity,
    "lifecycle": Lifecycle,
    "verification": Verification,
    "policy_class": PolicyClass,
}


async def edit(
    core: Core,
    name: OneMemory,
    values: Mapping[str, Any],
    if_revision: int | None = None,
    *,
    tags: Sequence[str] | None = None,
) -> Receipt:
    """Change what a memory says, what it is, how far it has come, how sure and important it is, or when it holds.

    With `tags` it has these from then on and no others.
    """
    await gating.refresh_settings(core)
    clean_values, replaced = await run_off_loop(
        len(str(values.get("text", ""))), _screen_values, core, values
    )
    if tags is not None:
        check_tags(tags)
        tags, tag_counts = gating.screened_tags(core, tags)
        replaced = gating.Replacements(
            tag_counts + Counter(replaced.counts),
            (*replaced.notes, *gating.describe_names(tag_counts)),
        )

    twins: list[str] = []
    heard_again: dict[str, str] = {}

    async def decide(memory: Memory) -> Sequence[Change]:
        changes = await make_edit_changes(core, memory, VERBS["update"], clean_values, tags)
        twins[:] = await _find_twin(core, memory, changes)
        if twins:
            changes += await link_equal_texts(core, changes, _with_new_text(memory, changes))
        heard_again.clear()
        if clean_values.get("text", memory.text) != memory.text:
            changes += await outdate_facts(core, memory, memory.seq, clean_values["text"])
            heard_again.update(await encode_rehearing(core, memory))
        return changes

    outcome = await core.change(name, "update", decide, if_revision=if_revision, beside=lambda _: heard_again)
    done = await _note_markers(core, outcome, replaced)
    return replace(done, notes=(*done.notes, *twins))


def _with_new_text(memory: Memory, changes: Sequence[Change]) -> list[Memory]:
    """Return a memory with the fingerprint that changes give it; none where its text stays or it does not stand."""
    own = next((one.after or {} for one in changes if one.table == "memories"), {})
    stands = own.get("status", memory.status) in STANDING
    return [replace(memory, fingerprint=own["fingerprint"])] if stands and "fingerprint" in own else []


async def _find_twin(core: Core, memory: Memory, changes: Sequence[Change]) -> list[str]:
    """Say which other memory says what this one comes to say, as `learn` answers of it; none where nothing does."""
    marks = [one.fingerprint for one in _with_new_text(memory, changes)]
    if not marks:
        return []
    twin = (await core.store.arriving(core.scope, Arriving(fingerprints=marks))).twins.get(marks[0])
    if twin is None or twin.status not in STANDING or twin.seq == memory.seq:
        return []
    return [f"{short_id(twin.seq)} says the same; to make them one: merge {twin.seq} {memory.seq}"]


async def _note_markers(core: Core, done: Receipt, replaced: gating.Replacements) -> Receipt:
    """Count what markers took the place of, and say so."""
    await gating.count(core, gating.counted_markers(replaced.counts))
    return replace(done, notes=(*done.notes, *replaced.notes))


def _screen_values(core: Core, values: Mapping[str, Any]) -> tuple[Mapping[str, Any], gating.Replacements]:
    """Return what a caller wants of a memory as it may be kept, and what was replaced in it."""
    text, attributes = values.get("text"), values.get("attributes")
    if not isinstance(text, str) and attributes is None:
        return values, gating.Replacements()
    if isinstance(text, str):
        check_text(text)
    check_attributes(attributes)
    turn = Turn(text if isinstance(text, str) else "", attributes=attributes)
    turn, replaced = gating.screen_turn(core, turn, core.trust)
    if not replaced.counts:
        return values, replaced
    clean_values = {"text": turn.text, "attributes": turn.attributes}
    return {name: clean_values.get(name, value) for name, value in values.items()}, replaced


async def make_edit_changes(
    core: Core,
    memory: Memory,
    effect: Effect,
    values: Mapping[str, Any],
    tags: Iterable[str] | None = None,
) -> list[Change]:
    """Turn what a caller wants of a memory into changes, the vector among them where the text is another."""
    new_values = await run_off_loop(len(str(values.get("text", ""))), _check_values, core, memory, values)
    if new_values.get("text", memory.text) != memory.text:
        await gating.refuse_text(core, new_values["text"])
        stale_tags = {NO_SHORTER, NO_SUMMARY}.intersection(memory.tags)  # of what it said before
        tags = {*(memory.tags if tags is None else tags)} - stale_tags if stale_tags else tags
    changes = update(memory, effect.after(memory, core.clock.now(), new_values), tags=tags)
    if not changes or "text" not in (changes[0].after or {}):
        return changes
    if core.embedder.dimensions:
        return [await _embedded_anew(core, memory, changes[0]), *changes[1:]]
    return changes


async def _embedded_anew(core: Core, memory: Memory, change: Change) -> Change:
    """Give a changed text its vector in the same change, with the old one, so that undo restores both."""
    assert change.before is not None and change.after is not None
    _, old = await core.store.vectors(core.scope, only=[memory.seq])
    before = old[0].astype("<f2").tobytes() if len(old) else None
    after = await run_off_loop(len(change.after["text"]), vector_of, core, change.after["text"])
    return Change(
        "memories", memory.seq, {**change.before, "vector": before}, {**change.after, "vector": after}
    )


def _check_values(core: Core, memory: Memory, values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what a caller gave into column values, each checked."""
    after = dict(values)
    if "text" in after:
        check_text(after["text"])
        after |= text_columns(after["text"], memory.speaker)
        if after["text"] != memory.text:
            _refuse_held(core, memory)
            after.setdefault("verification", Verification.UNVERIFIED)  # what was judged is another text
            after["trust"] = limit_trust(after.get("trust", core.trust), memory.trust)
            after |= {"form": Form.FULL, "summary": None}
        else:
            after.pop("trust", None)
    for column, labels in _LABELS.items():
        if isinstance(after.get(column), str):
            after[column] = label(labels, after[column], column)
    _refuse_archiving(memory, after.get("lifecycle", memory.lifecycle))
    if "category" in after or "state" in after:
        after["state"] = _choose_state(core, memory, after)
    if after.get("category", memory.category) != memory.category:
        into = class_of(core, after["category"])
        after.setdefault("policy_class", memory.policy_class if into is PolicyClass.EPHEMERAL else into)
    for column in GREATER:
        if after.get(column) is not None:
            check_fraction(column, after[column])
            after[column] = round(after[column], 6)
    if "attributes" in after:
        check_attributes(after["attributes"])
        after["attributes"] = dict(after["attributes"]) if after["attributes"] else None
    for column in ("valid_from", "valid_to"):
        if after.get(column) is not None:
            after[column] = to_micros(after[column])
    if "valid_from" in after or "valid_to" in after:
        validity = {"valid_from": memory.valid_from, "valid_to": memory.valid_to, **after}
        check_validity(validity["valid_from"], validity["valid_to"])
    return after


def _refuse_archiving(memory: Memory, lifecycle: Lifecycle) -> None:
    """Refuse to archive a memory by its lifecycle, or to bring an archived one back by it: that is its status."""
    if lifecycle is memory.lifecycle:
        return
    if lifecycle is Lifecycle.ARCHIVED:
        raise InvalidInput(
            "the lifecycle 'archived' cannot be set by hand: it comes with the status",
            recovery="archive it by a policy (`curate`), or `forget` it",
        )
    if memory.status is Status.ARCHIVED:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is archived, and so is its lifecycle",
            recovery=f"bring it back first: restore {memory.seq}",
        )


def _refuse_held(core: Core, memory: Memory) -> None:
    """Refuse to rewrite what somebody holds: a hold keeps what was said, not only its row."""
    if "release" not in core.denials and "held" in core.find_protections(
        memory
    ):  # an agent is refused by the commit
        raise Protected(
            f"the text of memory {short_id(memory.seq)} is held: {', '.join(memory.holds or ())}",
            recovery="`correct` it, which keeps this text as history, or release its holds first",
            guards=("held",),
        )


def _choose_state(core: Core, memory: Memory, after: Mapping[str, Any]) -> str | None:
    """Return the state that a memory comes to, checked: a new category begins anew where it lacks the state."""
    category = after.get("category", memory.category)
    state: str | None = after.get("state", memory.state)
    check_state(core, category, None)
    definition = core.policy.categories.get(category or "")
    if "state" not in after and category != memory.category:
        fits = definition is not None and state in definition.states
        state = state if fits else initial_state(core, category)
    check_state(core, category, state)
    _refuse_reopened(core, memory, category, state)
    return state


def _refuse_reopened(core: Core, memory: Memory, category: str | None, state: str | None) -> None:
    """Refuse to take a memory out of a last state, also by way of a category where it would be none."""
    was, comes_to = (core.policy.categories.get(name or "") for name in (memory.category, category))
    if was is None or memory.state not in was.terminal:
        return
    if state == memory.state and comes_to is not None and state in comes_to.terminal:
        return
    into = state if was is comes_to else f"{state} of category {category}"
    raise InvalidInput(
        f"memory {short_id(memory.seq)} is {memory.state}, a last state of {memory.category!r}: it does not become"
        f" {into}",
        recovery="if it came there by mistake, undo that run (see `history`); else learn what is new",
    )


async def tag(core: Core, names: Memories, tags: Sequence[str], if_revision: int | None = None) -> Receipt:
    """Add tags; those it has already stay."""
    check_tags(tags)
    new_tags, counts = gating.screened_tags(core, tags)

    async def decide(memory: Memory) -> Sequence[Change]:
        all_tags = {*memory.tags, *new_tags}
        check_tags(all_tags)
        return update(memory, {}, tags=all_tags)

    outcome = await core.change(names, "tag", decide, if_revision=if_revision)
    return await _note_markers(core, outcome, gating.Replacements(counts, gating.describe_names(counts)))


async def untag(core: Core, names: Memories, tags: Sequence[str], if_revision: int | None = None) -> Receipt:
    """Take tags away; those it lacks are no matter."""

    async def decide(memory: Memory) -> Sequence[Change]:
        return update(memory, {}, tags=set(memory.tags) - set(tags))

    return await core.change(names, "untag", decide, if_revision=if_revision)


async def set_pin(core: Core, names: Memories, *, pinned: bool, if_revision: int | None = None) -> Receipt:
    """Pin or unpin; curation never demotes, archives or destroys a pinned memory."""

    async def decide(memory: Memory) -> Sequence[Change]:
        return act(memory, VERBS[verb], core.clock.now())

    verb = "pin" if pinned else "unpin"
    return await core.change(names, verb, decide, if_revision=if_revision)


async def hold(
    core: Core, names: Memories, reason: str, until: int | None, if_revision: int | None = None
) -> Receipt:
    """Forbid destruction under a named hold, until a time or for good."""
    check_name("a hold", reason)
    refuse_secret(core.salt, "reason of a hold", reason)

    async def decide(memory: Memory) -> Sequence[Change]:
        return decide_hold(memory, reason, until, core.clock.now())

    return await core.change(names, "hold", decide, if_revision=if_revision)


async def release(core: Core, names: Memories, reason: str, if_revision: int | None = None) -> Receipt:
    """Remove a named hold."""

    async def decide(memory: Memory) -> Sequence[Change]:
        return decide_release(memory, reason, core.clock.now())

    return await core.change(names, "release", decide, if_revision=if_revision)


async def confirm(core: Core, names: Memories, if_revision: int | None = None) -> Receipt:
    """Count that a memory was seen again or was the answer; one that no longer stands comes back to active.

    Through a user's opening it is user_confirmed from then on.
    """
    now = core.clock.now()
    by_user = {"verification": Verification.USER_CONFIRMED} if core.trust is Trust.USER else {}

    async def decide(memory: Memory) -> Sequence[Change]:
        # Who says that it is right says it again; one that is believed less cannot make it a newer word.
        again = {"said_again_at": now} if core.trust >= memory.trust and now > memory.last_said_at else {}
        if memory.status in STANDING:
            ends = {"valid_to": None} if holds_on(memory, now) else {}
            return act(memory, VERBS["confirm"], now, **by_user, **again, **ends)
        refuse_quarantined(memory)
        if memory.status in (Status.PRUNED, Status.SUPERSEDED):
            raise InvalidInput(
                f"memory {short_id(memory.seq)} is {memory.status.label}",
                recovery=f"bring it back first: restore {memory.seq}",
            )
        extra = (await read_fall(core, memory.seq, memory.valid_to)).values(now)
        return act(memory, VERBS["confirm archived"], now, **by_user, **again, **extra)

    return await core.change(names, "confirm", decide, if_revision=if_revision)


async def accept(core: Core, names: Memories, if_revision: int | None = None) -> Receipt:
    """Let memories out of the quarantine, into the inbox; a turn among them is listened to then."""

    async def decide(memory: Memory) -> Sequence[Change]:
        changes = decide_acceptance(memory, core.clock.now())
        return [*changes, *await link_equal_texts(core, changes, [memory])]

    return await core.change(names, "accept", decide, if_revision=if_revision, beside=listened_again)


async def dispute(core: Core, names: Memories, if_revision: int | None = None) -> Receipt:
    """Count that somebody denied a memory."""

    async def decide(memory: Memory) -> Sequence[Change]:
        return act(memory, VERBS["dispute"], core.clock.now())

    return await core.change(names, "dispute", decide, if_revision=if_revision)


def refuse_beside_off(**more: object) -> None:
    """Refuse arguments that say how something is set where it is taken away."""
    given = [name for name, value in more.items() if value is not None]
    if given:
        raise InvalidInput(f"{given[0]} cannot be given with off", recovery=f"leave {given[0]} out")


async def forget(
    core: Core, names: Memories, if_revision: int | None = None, *, forbid: bool = False
) -> Receipt:
    """Make a memory a tombstone, which `restore` brings back; one that a built-in guard protects is refused.

    With `forbid` its text is refused from then on, in any spelling that looks alike.
    """
    memories: dict[int, Memory] = {}

    async def decide(memory: Memory) -> Sequence[Change]:
        memories[memory.seq] = memory
        changes = decide_forget(core, memory)
        return [*changes, *await gating.forbid_text(core, memory)] if forbid else changes

    outcome = await core.change(names, "forget", decide, if_revision=if_revision)
    notes = await _note_forgotten(core, list(memories.values()))
    notes += [SAID_AGAIN] * (outcome.changes > 0 and not forbid)
    return replace(outcome, notes=(*outcome.notes, *notes))


async def _note_forgotten(core: Core, memories: Sequence[Memory]) -> list[str]:
    """Say which memories were deleted before, and what stays replaced by one that is now deleted."""
    notes = [f"{short_id(one.seq)} was deleted before" for one in memories if one.status is Status.PRUNED]
    fresh = {one.seq for one in memories if one.status is not Status.PRUNED}
    links = await core.store.neighbours(core.scope, sorted(fresh), *REPLACING) if fresh else []
    replaced = sorted({link.target for link in links if link.source in fresh} - fresh)
    olds = await core.store.get(core.scope, replaced) if replaced else []
    stay = [one for one in olds if one is not None and one.status is Status.SUPERSEDED]
    return notes + [
        f"{short_id(one.seq)}, which it replaced, stays out of recall; if that is true: remanence restore {one.seq}"
        for one in stay
    ]


def decide_forget(core: Core, memory: Memory) -> list[Change]:
    """Decide that a memory becomes a tombstone; refuse one that is protected."""
    if memory.status is Status.PRUNED:
        return []
    core.refuse_action(memory)
    return act(memory, VERBS["forget"], core.clock.now())


async def supersede(core: Core, old: OneMemory, by: OneMemory, if_revision: int | None = None) -> Receipt:
    """Let one memory take the place of another, which stays as history; refuses itself, circles and a missing one."""

    async def decide(memory: Memory) -> Sequence[Change]:
        newer = await core.one(by)
        changes = await decide_supersession(core, memory, newer)
        return changes + await outdate_facts(core, memory, newer.seq, newer.text) if changes else []

    return await core.change(old, "supersede", decide, if_revision=if_revision)


async def decide_supersession(core: Core, old: Memory, newer: Memory) -> list[Change]:
    """Decide how one memory takes another's place; of two that did, the later one holds."""
    line = await _line(core, old, newer)
    refuse_out_of_sight(newer)
    key = old.key if line[-1].key is None else None  # a memory has one name: its own stays
    changes = await _replace_memory(core, old, newer.seq, key)
    return changes + taken_over(old, line, key, core.clock.now()) if changes else []


async def _replace_memory(core: Core, old: Memory, by: int, key: str | None) -> list[Change]:
    links = await core.store.neighbours(core.scope, [old.seq])
    return decide_replacement(old, links, by, key, core.clock.now())


async def _line(core: Core, old: Memory, newer: Memory) -> list[Memory]:
    """Return a memory and those that took its place in turn; to meet the old one there would close a circle."""
    line: list[Memory] = []
    at: Memory | None = newer
    while at is not None and len(line) < CHAIN_MAX:
        if at.seq == old.seq:
            raise InvalidInput(
                f"{short_id(newer.seq)} cannot supersede {short_id(old.seq)}: it is superseded by it, or the same",
                recovery="name the older memory first, then the newer one",
            )
        line.append(at)
        at = await successor(core, at)
    if at is not None:
        raise InvalidInput(
            f"more than {CHAIN_MAX} memories superseded each other", recovery="look at `history`"
        )
    return line


async def successor(core: Core, memory: Memory) -> Memory | None:
    """Return the memory that took another's place, if any did."""
    if memory.status is not Status.SUPERSEDED:
        return None
    links = await core.store.neighbours(core.scope, [memory.seq])
    successors = find_successors(links, memory.seq)
    return (await core.store.get(core.scope, successors[-1:]))[0] if successors else None


@retry_conflicts
async def correct(
    core: Core,
    name: OneMemory,
    text: str,
    if_revision: int | None = None,
    *,
    agent: str | None = None,
) -> LearnResult:
    """Learn a corrected text and let it supersede the old memory, in one commit; again after a lost race.

    With `agent` it is that agent's word, whoever said the old one.
    """
    said: dict[str, Any] = {} if agent is None else {"agent": agent, "role": "assistant", "speaker": None}
    trust = core.trust if agent is None else compute_trust(core.trust, Role.ASSISTANT)
    old = await core.one(name)
    refuse_moved(f"memory {short_id(old.seq)}", old.revision, if_revision, ("memories", old.seq))
    if agent is not None or "release" in core.denials:
        core.refuse_action(old, trust=trust)
    turn = replace(build_corrected_turn(old, text), **said)
    draft = await prepare_draft(core, turn)
    if core.trust >= Trust.AGENT:
        # It is the word of who corrects it, whoever spoke.
        draft = replace(draft, has_machine_markup=False)
    batch, changes = await decide_batch(core, [draft])
    gate = gating.counts([draft], batch.outcomes) | waits([draft], batch.outcomes)
    if batch.outcomes[0].status == "gated":
        await gating.count(core, gate)
        return answers(batch, [draft])[0]
    if not draft.kept_out:  # what is out of sight takes no place
        changes = merge_changes([*changes, *await _decide_correction(core, old, batch, trust)])
    detail = {"id": old.id}
    cause = core.cause("correct", detail=detail, turns=count_accepted(batch), counts=gate)
    commit = await core.commit(changes, cause)
    (answer,) = answers(batch, [draft], commit.assigned, cause.run)
    return answer


async def _decide_correction(core: Core, old: Memory, batch: DraftBatch, trust: Trust) -> list[Change]:
    """Decide how what was just decided to be learned takes a memory's place; its own text takes no place."""
    (outcome,) = batch.outcomes
    if outcome.key < 0:
        now = core.clock.now()
        trust = limit_trust(trust, old.trust)  # the corrected text is who corrects it's, whoever spoke
        batch.rows[0].update(combine_protection(old, 0, None, now), key=old.key, trust=trust)
        changes = await _replace_memory(core, old, outcome.key, old.key)
        changes += await _keep_mentions(core, old, outcome.key, batch.rows[0]["text"])
        changes += await outdate_facts(core, old, outcome.key, batch.rows[0]["text"])
    elif outcome.key == old.seq:
        return [build_unchanged_check(old)]
    else:
        known = await core.one(outcome.key)
        changes = await decide_supersession(core, old, known)
        changes += await outdate_facts(core, old, known.seq, known.text)
    return [*changes, *act(old, VERBS["correct"], core.clock.now())]


async def _keep_mentions(core: Core, old: Memory, key: int, text: str) -> list[Change]:
    """Let a corrected text mention the entities of the old one, but for those that it alone named."""
    links = await core.store.neighbours(core.scope, [old.seq], Relation.MENTIONS)
    targets = [link.target for link in links if link.source == old.seq]
    if not targets:
        return []
    await core.entities.refresh()
    changes = []
    for target in targets:
        entity = core.entities.memories.get(target)
        if entity is None or entity.status not in STANDING:
            continue
        names = frozenset(map(folded_name, names_of(entity)))
        if has_name(text, names) or not has_name(old.text, names):
            mention = (key, target, int(Relation.MENTIONS))
            changes.append(Change("links", mention, None, link_values(core.clock.now())))
    return changes


@retry_conflicts
async def link(core: Core, wish: Linking) -> Link:
    """Draw a typed link between two memories, or strengthen the one that is there; none of what is in quarantine."""
    relation = label(Relation, wish.relation, "relation")
    for what, value in (("weight", wish.weight), ("confidence", wish.confidence)):
        if value is not None:
            check_fraction(what, value)
    source, target = await _read_ends(core, wish.source, wish.target, relation)
    for memory in await core.store.get(core.scope, [source, target]):
        if memory is not None:
            refuse_quarantined(memory)
    old_link = await _find_link(core, source, target, relation)
    _refuse_stale_link(old_link, wish.if_revision)
    change = decide_link(old_link, (source, target, int(relation)), wish, core.clock.now())
    if change is None:
        assert old_link is not None
        return old_link
    await core.commit([change], core.cause("link"))
    assert change.after is not None
    stands = {**({} if old_link is None else old_link.values), **change.after}
    return Link(source, target, relation, **stands)


def _refuse_stale_link(held: Link | None, if_revision: int | None) -> None:
    keys = [] if held is None else [("links", held.key)]
    refuse_moved("the link", 0 if held is None else held.revision, if_revision, *keys)


@retry_conflicts
async def unlink(
    core: Core, source: OneMemory, target: OneMemory, relation: str | Relation, if_revision: int | None = None
) -> Receipt:
    """Cut one link; again after a lost race."""
    kind = label(Relation, relation, "relation")
    low, high = await _read_ends(core, source, target, kind)
    old_link = await _find_link(core, low, high, kind)
    _refuse_stale_link(old_link, if_revision)
    if old_link is None:
        raise NotFound(
            f"no {kind.label} link between {short_id(low)} and {short_id(high)}",
            recovery="list them with `links`",
        )
    cause = core.cause("unlink")
    await core.commit([Change("links", old_link.key, old_link.values, None)], cause)
    return receipt(core.scope, cause, 1, {"unlink": 1})


async def _read_ends(core: Core, source: OneMemory, target: OneMemory, relation: Relation) -> tuple[int, int]:
    first, second = (await core.one(source)).seq, (await core.one(target)).seq
    if first == second:
        raise InvalidInput("a memory cannot be linked to itself", recovery="name two different memories")
    return (min(first, second), max(first, second)) if relation in SYMMETRIC else (first, second)


async def _find_link(core: Core, source: int, target: int, relation: Relation) -> Link | None:
    links = await core.store.neighbours(core.scope, [source])
    return next((link for link in links if link.key == (source, target, int(relation))), None)
