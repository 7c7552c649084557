"""What becomes of the facts that were extracted from a text, where somebody says the text otherwise.

They stay, since only the text was corrected. One that has words which it lacks now is linked as older than what it
says now; once that is heard, as older than the fact that it became. Knows links and words, not how a text is corrected.
"""

from collections.abc import Mapping, Sequence

from remanence.core.change import Change
from remanence.core.model import STANDING, Link, Memory, Relation, Status, link_values
from remanence.flows.base.context import Core, run_off_loop
from remanence.text.analysis import stems_once

# What is archived still says what it said.
_SPEAKING = STANDING | {Status.ARCHIVED}


async def outdate_facts(core: Core, said: Memory, by: int, text: str) -> list[Change]:
    """Link the facts of a text as older than the memory `by`, whose `text` no longer says them.

    What the text was newer than is older than `by`, too, unless that has all its words. Left alone is what another text
    says, what was edited since, and what the new text says nothing about. Changes of links that are drawn for another
    reason in the same commit have to be merged with these.
    """
    if text == said.text:
        return []
    relations = Relation.LEARNED_FROM, Relation.NEWER
    own = await core.store.neighbours(core.scope, [said.seq], *relations)
    older = {link.target: link for link in own if link.relation is Relation.NEWER and link.source == said.seq}
    facts = {
        link.source for link in own if link.relation is Relation.LEARNED_FROM and link.target == said.seq
    }
    seqs = sorted((facts | older.keys()) - {by})
    if not seqs:
        return []
    links = await core.store.neighbours(core.scope, seqs, *relations)
    drawn = {link.key: link for link in links}
    said_elsewhere = await _find_said_elsewhere(core, links, said.seq) - older.keys()
    free = [seq for seq in seqs if seq not in said_elsewhere]
    read = [one for one in await core.store.get(core.scope, free) if one is not None] if free else []
    outdated = await run_off_loop(
        (len(said.text) + len(text)) * len(read),
        lambda: {one.seq for one in read if _is_outdated(one, said, text, was_older=one.seq in older)},
    )
    changes = []
    for seq in free:
        key = (by, seq, int(Relation.NEWER))
        if seq in outdated:
            changes += _draw_link(drawn.get(key), key, older.get(seq), core.clock.now())
        elif key in drawn and seq in facts:  # it says again what it was newer than
            changes.append(Change("links", key, drawn[key].values, None))
    return changes


def _draw_link(drawn: Link | None, key: tuple[int, int, int], like: Link | None, now: int) -> list[Change]:
    """Draw a link that is as sure as another one, or as a person's word; one that is there gets no less sure."""
    values = link_values(now) if like is None else link_values(now, like.weight, like.confidence)
    if drawn is None:
        return [Change("links", key, None, values)]
    if drawn.is_certain:
        return []
    names = "weight", "confidence"
    return [Change("links", key, {n: drawn.values[n] for n in names}, {n: values[n] for n in names})]


def _is_outdated(one: Memory, said: Memory, text: str, *, was_older: bool) -> bool:
    """Tell whether a text outdates a memory that was older than what it says otherwise, or a fact of that.

    It does of a fact where it has some of its words and lacks one that this had from the text; of what was older where
    it lacks any.
    """
    if one.status not in STANDING:
        return False
    own, now = {*stems_once(one.text)} - {*stems_once(said.speaker or "")}, {*stems_once(text)}
    if was_older:
        return bool(own - now)
    return one.text_at is None and not own.isdisjoint(now) and bool(own & {*stems_once(said.text)} - now)


async def _find_said_elsewhere(core: Core, links: Sequence[Link], turn: int) -> set[int]:
    """Return the facts that were learned from another text, too, which still says them."""
    learned = [link for link in links if link.relation is Relation.LEARNED_FROM and link.target != turn]
    seqs = sorted({link.target for link in learned})
    turns = await core.store.get(core.scope, seqs) if seqs else []
    speaking = {one.seq for one in turns if one is not None and one.status in _SPEAKING}
    return {link.source for link in learned if link.target in speaking}


async def pass_on_newer(core: Core, facts: Mapping[int, Mapping[int, str]]) -> list[Change]:
    """Link what some turns are newer than as older than the likest of the facts that were heard in them.

    `facts` have by the number of a turn the texts of its facts by number. What a turn says again is not older than it.
    Changes of links that are drawn for another reason in the same commit have to be merged with these.
    """
    links = await core.store.neighbours(core.scope, sorted(facts), Relation.NEWER) if facts else []
    links = [link for link in links if link.source in facts]
    if not links:
        return []
    older = [link.target for link in links]
    drawn = {link.key: link for link in await core.store.neighbours(core.scope, older, Relation.NEWER)}
    changes: list[Change] = []
    for link, old in zip(links, await core.store.get(core.scope, older), strict=True):
        heard = facts[link.source]
        if link.target in heard:
            changes.append(Change("links", link.key, link.values, None))
            continue
        newer = None if old is None else _find_likest(old, heard)
        if newer is None:
            continue
        key = (newer, link.target, int(Relation.NEWER))
        changes += _draw_link(drawn.get(key), key, link, core.clock.now())
        # What is said again is newer than what was said of it in between.
        if (back := drawn.get((link.target, newer, int(Relation.NEWER)))) is not None:
            changes.append(Change("links", back.key, back.values, None))
    return changes


def _find_likest(old: Memory, facts: Mapping[int, str]) -> int | None:
    """Return the fact that has most words of a memory beside its speaker's name, None where none has any."""
    own = {*stems_once(old.text)} - {*stems_once(old.speaker or "")}
    shared = {seq: len(own & {*stems_once(text)}) for seq, text in facts.items()}
    likest = max(shared, key=lambda seq: shared[seq], default=None)
    return likest if likest is not None and shared[likest] else None
