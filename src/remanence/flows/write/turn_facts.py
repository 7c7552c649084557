"""What becomes of the facts that were extracted from a turn, where somebody says the turn otherwise.

They stay, since only the turn was corrected. What the turn says no longer is linked as older than what it says now;
once that is heard, as older than the fact that it became. Knows links and words, not how a turn is corrected.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from remanence.core.change import Change
from remanence.core.model import STANDING, Link, Memory, Relation, Status, link_values
from remanence.flows.base.context import Core, run_off_loop
from remanence.read.coverage import find_uncovered
from remanence.text.analysis import stems_once
from remanence.write.admission import TURN

# A turn that is archived still says what it said.
_SPEAKING = STANDING | {Status.ARCHIVED}


async def outdate_facts(
    core: Core, turn: Memory, by: int, text: str, drawn: Collection[Change] = ()
) -> list[Change]:
    """Link the facts of a turn as older than the memory `by`, whose `text` no longer says them.

    Left alone is what another turn says too, what was edited since, what the text says nothing about, and what is
    `drawn` already.
    """
    if TURN not in turn.tags or text == turn.text:
        return []
    relations = Relation.LEARNED_FROM, Relation.NEWER
    learned = await core.store.neighbours(core.scope, [turn.seq], Relation.LEARNED_FROM)
    seqs = sorted({link.source for link in learned if link.target == turn.seq} - {by})
    links = await core.store.neighbours(core.scope, seqs, *relations) if seqs else []
    have = _keys(links, drawn)
    said_elsewhere = await _find_said_elsewhere(core, links, turn.seq)
    alone = [seq for seq in seqs if (by, seq, int(Relation.NEWER)) not in have and seq not in said_elsewhere]
    facts = [
        one
        for one in (await core.store.get(core.scope, alone) if alone else [])
        if one is not None and one.status in STANDING and one.text_at is None
    ]
    chars = (len(turn.text) + len(text)) * len(facts)
    outdated = await run_off_loop(
        chars, lambda: [one.seq for one in facts if _is_said_no_longer(one, turn, text)]
    )
    now = core.clock.now()
    return [Change("links", (by, seq, int(Relation.NEWER)), None, link_values(now)) for seq in outdated]


async def _find_said_elsewhere(core: Core, links: Sequence[Link], turn: int) -> set[int]:
    """Return the facts that were learned from another turn, too, which still says them."""
    learned = [link for link in links if link.relation is Relation.LEARNED_FROM and link.target != turn]
    seqs = sorted({link.target for link in learned})
    turns = await core.store.get(core.scope, seqs) if seqs else []
    speaking = {one.seq for one in turns if one is not None and one.status in _SPEAKING}
    return {link.source for link in learned if link.target in speaking}


async def pass_on_newer(
    core: Core, facts: Mapping[int, Mapping[int, str]], drawn: Collection[Change]
) -> list[Change]:
    """Link what some turns are newer than as older than the likest of the facts that were heard in them.

    `facts` have by the number of a turn the texts of its facts by number. What a turn says again is not older than it.
    What is `drawn` already is not drawn again.
    """
    links = await core.store.neighbours(core.scope, sorted(facts), Relation.NEWER) if facts else []
    links = [link for link in links if link.source in facts]
    if not links:
        return []
    older = [link.target for link in links]
    have = _keys(await core.store.neighbours(core.scope, older, Relation.NEWER), drawn)
    changes: list[Change] = []
    for link, old in zip(links, await core.store.get(core.scope, older), strict=True):
        heard = facts[link.source]
        if link.target in heard:
            changes.append(Change("links", link.key, link.values, None))
            continue
        newer = None if old is None else _find_likest(old, heard)
        if newer is not None and (key := (newer, link.target, int(Relation.NEWER))) not in have:
            values = link_values(core.clock.now(), link.weight, link.confidence)
            changes.append(Change("links", key, None, values))
    return changes


def _keys(links: Iterable[Link], drawn: Iterable[Change]) -> set[object]:
    return {link.key for link in links}.union(change.key for change in drawn if change.table == "links")


def _find_likest(old: Memory, facts: Mapping[int, str]) -> int | None:
    """Return the fact that has most words of a memory beside its speaker's name, None where none has any."""
    own = {*stems_once(old.text)} - {*stems_once(old.speaker or "")}
    shared = {seq: len(own & {*stems_once(text)}) for seq, text in facts.items()}
    likest = max(shared, key=lambda seq: shared[seq], default=None)
    return likest if likest is not None and shared[likest] else None


def _is_said_no_longer(fact: Memory, turn: Memory, text: str) -> bool:
    """Tell whether a text speaks of what a fact is about, and lacks a word of it that the turn had, or denies it."""
    name = turn.speaker or ""
    own, now = {*stems_once(fact.text)} - {*stems_once(name)}, {*stems_once(text)}
    if own.isdisjoint(now):
        return False
    if own & {*stems_once(turn.text)} - now:
        return True
    return not find_uncovered(turn.text, fact.text, name) and bool(find_uncovered(text, fact.text, name))
