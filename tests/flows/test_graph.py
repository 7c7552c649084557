"""Links grow by use together, and contradictions are listed and resolved, on both stores."""

import asyncio
from dataclasses import replace

import pytest

import remanence
from remanence.core.change import Change
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.keywords import RelationName
from remanence.core.model import Link, Relation, Status
from remanence.core.snapshot import SnapshotRequest
from remanence_store_kit.dump import dump

from .conftest import Opener, list_contradictions


async def linked(memory: remanence.Engine, one: str, other: str) -> Link:
    """Return the one link between two memories."""
    seqs = {(await memory.get(name)).seq for name in (one, other)}
    (link,) = [link for link in await memory.links(one) if {link.source, link.target} == seqs]
    return link


# Use together


async def test_what_a_frame_returns_together_grows_together(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """TC-G-004: of two returned the link grows from .65 to .75, is counted and fresh."""
    one = await memory.learn("the tide turns at noon")
    other = await memory.learn("the tide table hangs in the hall")
    await memory.link(one.id, other.id, "similar")
    clock.advance(hours=2)
    answer = await memory.frame("attention", "tide")
    await memory._core.uses.settle()
    link = await linked(memory, one.id, other.id)

    assert 2 == len(answer.memories)
    assert (0.75, 2, clock.now(), None) == (link.weight, link.count, link.last_at, link.confidence)
    assert [1, 1] == [(await memory.get(name)).uses for name in (one.id, other.id)]
    assert all(check.ok for check in await memory.doctor())


async def test_each_frame_that_returns_both_ends_strengthens_a_link_once(memory: remanence.Engine) -> None:
    """Probe 3: of twelve similar memories and four frames, each link grew by .10 for each frame it was inside of."""
    names = [(await memory.learn(f"the tide gauge at pier {k} reads {k} feet")).id for k in range(12)]
    await memory.consolidate()
    before = {link.key: link for name in names for link in await memory.links(name)}
    seen = [
        {hit.memory.seq for hit in (await memory.frame("attention", f"tide gauge at pier {k}")).memories}
        for k in (0, 3, 7, 3)
    ]
    await memory._core.uses.settle()
    after = {link.key: link for name in names for link in await memory.links(name)}
    times = {key: sum(set(key[:2]) <= group for group in seen) for key in before}

    assert [5] * 4 == [len(group) for group in seen]
    assert 0 < sum(times.values())
    assert {key: link.count + times[key] for key, link in before.items()} == {
        key: link.count for key, link in after.items()
    }
    assert {key: min(1.0, link.weight + 0.1 * times[key]) for key, link in before.items()} == pytest.approx(
        {key: link.weight for key, link in after.items()}, abs=1e-6
    )


async def test_what_a_frame_returns_alone_keeps_its_links(memory: remanence.Engine) -> None:
    """TC-G-005: of one returned the link stays at .65; so it does for both without counting, and in a recall."""
    one = await memory.learn("the tide turns at noon")
    other = await memory.learn("the tide table hangs in the hall")
    await memory.link(one.id, other.id, "similar")
    alone = await memory.frame("attention", "noon", limit=1)
    await memory.frame("attention", "tide", count_use=False)
    await memory.recall("tide")
    await memory._core.uses.settle()

    assert [one.id] == [hit.memory.id for hit in alone.memories]
    assert (0.65, 1) == (
        (await linked(memory, one.id, other.id)).weight,
        (await linked(memory, one.id, other.id)).count,
    )


async def test_growth_ends_at_one_and_passes_over_history(memory: remanence.Engine) -> None:
    """A link weighs at most 1; contradictions and lineage do not grow by use."""
    one = await memory.learn("the tide turns at noon")
    other = await memory.learn("the tide turns at one")
    await memory.link(one.id, other.id, "supports", weight=0.95)
    await memory.link(one.id, other.id, "contradicts", weight=0.92)
    await memory.link(one.id, other.id, "learned_from", weight=0.5)
    for _ in range(3):
        await memory.frame("attention", "tide")
    await memory._core.uses.settle()
    weights = {link.relation.label: link.weight for link in await memory.links(one.id)}

    assert {"supports": 1.0, "contradicts": 0.92, "learned_from": 0.5} == weights


async def test_frames_at_once_lose_no_use(opener: Opener) -> None:
    """Two engines on one store, ten frames each: every use and every growth is counted."""
    async with opener(embedder="none") as memory, opener(embedder="none") as second:
        one = await memory.learn("the tide turns at noon")
        other = await memory.learn("the tide table hangs in the hall")
        await memory.link(one.id, other.id, "supports", weight=0.0)
        for _ in range(4):
            await asyncio.gather(memory.frame("attention", "tide"), second.frame("attention", "tide"))
        await asyncio.gather(memory._core.uses.settle(), second._core.uses.settle())
        link = await linked(memory, one.id, other.id)

        assert [8, 8] == [(await memory.get(name)).uses for name in (one.id, other.id)]
        assert (0.8, 9) == (link.weight, link.count)


async def test_a_run_whose_links_grew_since_is_undone_whole_or_not_at_all(memory: remanence.Engine) -> None:
    """Of two parts the later is not undone where the earlier could not be, because a link grew by use."""
    one = await memory.learn("the tide turns at noon")
    other = await memory.learn("the tide table hangs in the hall")
    link = await memory.link(one.id, other.id, "similar")
    core = memory._core
    cause = core.cause("curate", final=False)
    weaker = Change("links", link.key, {"weight": 0.65}, {"weight": 0.5})
    await core.commit([weaker], cause)
    kept = await memory.get(one.id)
    later = Change(
        "memories",
        kept.seq,
        {"pinned": 0, "revision": kept.revision},
        {"pinned": 1, "revision": kept.revision + 1},
    )
    await core.commit([later], replace(cause, part=1, final=True))
    await memory.frame("attention", "tide")
    await core.uses.settle()
    with pytest.raises(Conflict):
        await memory.undo(cause.run)

    assert 1 == (await memory.get(one.id)).pinned
    assert 0.6 == (await linked(memory, one.id, other.id)).weight


@pytest.mark.parametrize(
    ("relation", "weight"),
    [
        ("similar", 0.65),
        ("co_occurs", 0.55),
        ("elaborates", 0.70),
        ("supports", 0.75),
        ("contradicts", 0.60),
        ("causes", 0.65),
    ],
)
async def test_a_link_weighs_what_its_relation_does(
    memory: remanence.Engine, relation: RelationName, weight: float
) -> None:
    """Where nobody says a weight, the relation does; seen again it gains .10."""
    one, other = await memory.learn("ash"), await memory.learn("birch")

    assert weight == (await memory.link(one.id, other.id, relation)).weight
    assert weight + 0.1 == pytest.approx((await memory.link(one.id, other.id, relation)).weight)


# Contradictions


async def quarrel(memory: remanence.Engine) -> tuple[str, str]:
    """Learn two memories that contradict each other, surely, and a third that one of them supports."""
    one = await memory.learn("the gate shuts at six")
    other = await memory.learn("the gate shuts at eight")
    third = await memory.learn("supper is after the gate shuts")
    await memory.link(one.id, third.id, "supports", weight=0.5)
    await memory.link(one.id, other.id, "contradicts", weight=0.92)
    return one.id, other.id


async def test_a_contradiction_is_a_link_and_no_degree(memory: remanence.Engine) -> None:
    """TC-G-008: one of .92 is listed as a contradiction with both memories, and adds to no degree."""
    one, other = await quarrel(memory)
    (found,) = (await memory.review.list("contradiction")).items
    assert found.link is not None
    answer = await memory.frame("attention", limit=3, count_use=False)
    central = {hit.memory.id: hit.parts["centrality"] for hit in answer.memories}

    assert (0.92, Relation.CONTRADICTS, {one, other}) == (
        found.link.weight,
        found.link.relation,
        {one.id for one in found.memories},
    )
    assert (1.0, 0.0) == (central[one], central[other])


async def test_the_surest_contradiction_comes_first_and_fallen_ones_are_closed(
    memory: remanence.Engine,
) -> None:
    """Open are those of which both stand; all are listed when asked for."""
    one, other = await quarrel(memory)
    third = await memory.learn("the gate shuts at nine")
    await memory.link(third.id, other, "contradicts", weight=0.97)
    open_now = [link.weight for link in await list_contradictions(memory)]
    await memory.forget(one)

    assert [0.97, 0.92] == open_now
    assert [0.97] == [link.weight for link in await list_contradictions(memory)]
    every = (await memory.review.list("contradiction", settled=True)).items
    assert [True, False] == [found.is_open for found in every]
    assert [0.97, 0.92] == [link.weight for link in await list_contradictions(memory, settled=True)]


async def test_resolving_marks_the_link_once_and_undo_reopens(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Both memories stay; a second time changes nothing; undo restores every row."""
    one, other = await quarrel(memory)
    core = memory._core
    before = await dump(core.store, core.scope)
    receipt = await memory.review.settle((other, one), "both")
    resolved = await list_contradictions(memory, settled=True)

    assert () == (await memory.review.list("contradiction")).items
    assert [clock.now()] == [link.resolved_at for link in resolved]
    assert [Status.INBOX] * 2 == [(await memory.get(name)).status for name in (one, other)]
    assert (0, {}) == ((again := await memory.review.settle((one, other), "both")).changes, again.counts)
    await memory.undo(receipt)
    assert before.drop_unrestorable() == (await dump(core.store, core.scope)).drop_unrestorable()
    assert 1 == len((await memory.review.list("contradiction")).items)


async def test_the_one_to_keep_supersedes_the_other(memory: remanence.Engine) -> None:
    """Resolved in favour of one, the other is superseded by it in the same run, and undo takes both back."""
    one, other = await quarrel(memory)
    core = memory._core
    before = await dump(core.store, core.scope)
    receipt = await memory.review.settle((one, other), other)
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset()), 0)

    assert [Status.SUPERSEDED, Status.INBOX] == [(await memory.get(name)).status for name in (one, other)]
    assert [receipt.run] == [
        part.cause.run for part in await core.store.history(core.scope, after=snapshot.position - 1)
    ]
    assert 0 == (await memory.review.settle((one, other), other)).changes
    await memory.undo(receipt)
    assert before.drop_unrestorable() == (await dump(core.store, core.scope)).drop_unrestorable()


async def test_of_a_contradiction_neither_may_hold(memory: remanence.Engine) -> None:
    """Then both are deleted in the run that resolves it, and undo takes all of it back; a protected one refuses."""
    one, other = await quarrel(memory)
    core = memory._core
    before = await dump(core.store, core.scope)
    receipt = await memory.review.settle((one, other), "neither")

    assert [Status.PRUNED] * 2 == [(await memory.get(name)).status for name in (one, other)]
    assert () == (await memory.review.list("contradiction")).items
    assert 0 == (await memory.review.settle((one, other), "neither")).changes
    await memory.undo(receipt)
    assert before.drop_unrestorable() == (await dump(core.store, core.scope)).drop_unrestorable()
    await memory.pin(one)
    with pytest.raises(Protected):
        await memory.review.settle((one, other), "neither")
    assert 1 == len((await memory.review.list("contradiction")).items)
    assert Status.INBOX == (await memory.get(other)).status


async def test_what_does_not_contradict_cannot_be_resolved(memory: remanence.Engine) -> None:
    """An unknown pair or memory is not found; what to keep must be one of the two; nothing changes."""
    one, other = await quarrel(memory)
    third = await memory.learn("the lamp is lit")
    for pair in ((one, third.id), (one, "nowhere"), (one, one)):
        with pytest.raises(NotFound):
            await memory.review.settle(pair, "both")
    with pytest.raises(InvalidInput):
        await memory.review.settle((one, other), third.id)

    assert 1 == len((await memory.review.list("contradiction")).items)
