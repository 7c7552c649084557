"""Why a memory is worth what it is, what took it out of sight, and what a policy last did to it.

Nothing is stored for this: signs, speaker and place are read again, how rare its words were when it came is what the
stored value leaves and is told word by word where the scope still shows it, and the audit tells the rest.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

import numpy as np

from remanence.core.acts import acts_of
from remanence.core.change import AuditPart, Change, Increment
from remanence.core.effects import CURATE, ways_back
from remanence.core.model import STANDING, SYMMETRIC, Memory, Relation, Role, Status, short_id
from remanence.core.results import minute_of
from remanence.core.score import Fall, Worth, WorthReason
from remanence.curate.policy.compiled import Policy
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import Core
from remanence.flows.indexes.index_columns import ASKS, RANKED
from remanence.flows.indexes.scope_index import ScopeIndex
from remanence.store.lineage import find_successors
from remanence.text.analysis import stems, term_hash, words
from remanence.write.value import RAREST_MAX, Value, keep_value, word_information

ALIKE = 1e-5  # stored values are rounded to six digits
UNDO = "undo"


async def reasons(core: Core, memory: Memory, policy: Policy) -> tuple[Worth | None, Fall | None]:
    """Return why a memory is worth what it is, None where it has no value, and what took it away, if anything did."""
    parts = [part async for part in iterate_audit_log(core, None, memory.seq)]
    return await _explain_worth(core, memory, parts), await _explain_fall(core, memory, parts, policy)


async def _explain_worth(core: Core, memory: Memory, parts: Sequence[AuditPart]) -> Worth | None:
    if memory.value is None:
        return None
    text = _first_text(memory, parts)
    hashes = {stem: term_hash(stem) for stem in stems(text)}
    rows = (await core.store.search(core.scope, list(hashes))).rows
    df = {hashes[stem]: int(np.searchsorted(rows[stem], memory.seq)) for stem in hashes}
    place, after_question, before = await _find_place(core, memory)
    keep_factors = keep_value(
        text,
        terms=list(hashes.values()),
        memories=before,
        df=df,
        place=place,
        after_question=after_question,
        assistant=memory.role is Role.ASSISTANT,
    )
    same = abs(keep_factors.total - memory.value) <= ALIKE * max(1.0, memory.value)
    rarest = word_information(before, {stem: df[term] for stem, term in hashes.items()}) if same else {}
    by_stem = {stem: word for word in words(text) for stem in stems(word)}
    by_word = {by_stem.get(stem, stem): weight for stem, weight in rarest.items()}
    return Worth(memory.value, _list_factors(memory.value, keep_factors, by_word))


def _list_factors(value: float, found: Value, rarest: dict[str, float]) -> tuple[WorthReason, ...]:
    """Return the factors; the first is what the others leave of the value, so that they multiply to it."""
    words = ", ".join(f"{stem} {weight:.2f}" for stem, weight in rarest.items())
    fallback = f"the {RAREST_MAX} rarest of its words, by how rare they were when it came"
    signs = "; ".join(map(str, found.reasons)) or "no sign for or against it"
    speaker = "an assistant said it" if found.speaker < 1 else "no assistant said it"
    return (
        WorthReason("information", value / (found.points * found.speaker), words or fallback),
        WorthReason("points", found.points, signs),
        WorthReason("speaker", found.speaker, speaker),
    )


def _first_text(memory: Memory, parts: Sequence[AuditPart]) -> str:
    """Return the text that a memory came with, by which it was valued."""
    for part in parts:
        for change in part.changes:
            before = change.before or {}
            if change.table == "memories" and change.key == memory.seq and change.after and "text" in before:
                return str(before["text"])
    return memory.text


async def _find_place(core: Core, memory: Memory) -> tuple[int, bool, int]:
    """Return how many of its segment came before it, whether the last of them asks, and how many of the scope did."""
    async with _hold_whole_index(core) as index:
        row = int(index.rows_of([memory.seq])[0])
        segment = index.ground.segment
        own = np.flatnonzero(segment[:row] == segment[row])
        is_question = bool(len(own)) and bool(index.column(ASKS)[own[-1]])
        return len(own), is_question, int(np.count_nonzero(index.lends[:row]))


@asynccontextmanager
async def _hold_whole_index(core: Core) -> AsyncIterator[ScopeIndex]:
    """Hold an index of the whole scope still, one for this question alone where recall's leaves the archive out."""
    now = core.clock.now()
    async with core.index.hold_rows(now, RANKED):
        if not core.index.leaves_archive:
            yield core.index
            return
    index = ScopeIndex(core.store, core.scope, 0, with_archive=True)
    async with index.hold_rows(now, RANKED):
        yield index


async def _explain_fall(
    core: Core, memory: Memory, parts: Sequence[AuditPart], policy: Policy
) -> Fall | None:
    if memory.status in STANDING or memory.status is Status.QUARANTINED:
        return None
    fell = [
        (part, change) for part in parts for change in part.changes if _sets_current_status(change, memory)
    ]
    if not fell:
        return None
    part, change = fell[-1]
    cause = part.cause
    acts = tuple(acts_of(change)) if cause.verb == CURATE else (cause.verb,)
    rules = _find_rules(part, acts, memory, policy)
    ways = [f"remanence {way} {short_id(memory.seq)}" for way in ways_back(cause.verb, acts) or ("restore",)]
    return Fall(
        status=memory.status.label,
        at=cause.at,
        verb=cause.verb,
        run=cause.run,
        reason=None if memory.reason is None else memory.reason.label,
        actor=cause.actor,
        policy=cause.detail.get("policy"),
        rules=tuple(rules),
        because=next(iter(rules.values())) if len(rules) == 1 else "",
        into=await _find_successors(core, memory),
        back=(*ways, f"remanence undo {cause.run} (all of the run)"),
    )


def _sets_current_status(change: Change, memory: Memory) -> bool:
    """Tell whether a change gave a memory the status that it has."""
    mine = change.table == "memories" and change.key == memory.seq and change.after is not None
    return mine and (change.before is None or (change.after or {}).get("status") == memory.status)


def _find_rules(part: AuditPart, acts: Sequence[str], memory: Memory, policy: Policy) -> dict[str, str]:
    """Return the rules of a run that did what was done, and why; of several those that give the memory's reason.

    The audit keeps the rules of a run by action; which reason a rule gives, the policy knows.
    """
    entries = part.cause.detail.get("rules", ())
    by_rule = {rule: because for action, rule, because in entries if action in acts[:1]}
    gives = {rule.name: rule.reason for rule in policy.rules}
    fit = {rule: because for rule, because in by_rule.items() if gives.get(rule) is memory.reason}
    return fit if fit and len(by_rule) > 1 else by_rule


async def _find_successors(core: Core, memory: Memory) -> tuple[int, ...]:
    """Return what took the place of a memory, or took it in."""
    if memory.status is not Status.SUPERSEDED:
        return ()
    links = await core.store.neighbours(core.scope, [memory.seq])
    return tuple(sorted({*find_successors(links, memory.seq)}))


async def describe_odds(core: Core, memory: Memory) -> tuple[str, ...]:
    """Say what is newer than a memory and what it contradicts, each with how sure that is."""
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.NEWER, Relation.CONTRADICTS)
    links = [link for link in links if link.relation in SYMMETRIC or link.target == memory.seq]
    ends = {link.key: link.source if link.target == memory.seq else link.target for link in links}
    found = await core.store.get(core.scope, sorted({*ends.values()}))
    others = {one.seq: one for one in found if one is not None and one.status in STANDING}
    lines: list[str] = []
    for link in links:
        if (other := others.get(ends[link.key])) is None or link.resolved_at is not None:
            continue
        if link.relation is Relation.NEWER:
            what = f"{'' if link.is_certain else 'may be '}out of date: {short_id(other.seq)} is newer"
        else:
            what = f"{'contradicts' if link.is_certain else 'may contradict'} {short_id(other.seq)}"
        lines.append(what)
    return tuple(lines)


async def last_action(core: Core, seq: int) -> str | None:
    """Return it as a line: what, when, by which rules and in which run; None where none did, or all were undone.

    Of a run that had several rules for one action the audit does not say which of them chose this memory; then it is
    one of those that are named.
    """
    done: dict[str, str] = {}
    undone: dict[str, tuple[str, str]] = {}
    async for part in iterate_audit_log(core, None, seq):
        run, undoes = part.cause.run, part.cause.detail.get("undoes", "")
        if part.cause.verb == UNDO and undoes in done:
            undone[run] = (undoes, done.pop(undoes))
        elif part.cause.verb == UNDO and undoes in undone:
            again, line = undone.pop(undoes)
            done[again] = line
        elif part.cause.verb == CURATE and (acts := tuple(dict.fromkeys(_iterate_actions(part)))):
            done[run] = (
                f"{', '.join(_name_rules(part, act) for act in acts)} {minute_of(part.cause.at)} (run {run})"
            )
    return next(reversed(done.values()), None)


def _iterate_actions(part: AuditPart) -> Iterator[str]:
    """Yield the actions of a part, without what only watched or counted a row."""
    for change in part.changes:
        values = (change.after or {"": None}).values()
        if change.before is None or not all(isinstance(value, Increment) for value in values):
            yield from acts_of(change)


def _name_rules(part: AuditPart, act: str) -> str:
    """Name an action with the rules of the run that do it."""
    rules = [rule for action, rule, _ in part.cause.detail.get("rules", ()) if action == act]
    return f"{act} by {' or '.join(rules)}" if rules else act
