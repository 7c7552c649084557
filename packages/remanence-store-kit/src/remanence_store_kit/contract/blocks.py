"""Changes of many rows at once: a block does, refuses and tells what the changes of its rows would."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from remanence.core.change import Block, Change, Entry, Increment, inverses
from remanence.core.errors import Conflict, InvalidInput, NameUnknown
from remanence.core.model import Lifecycle, Memory, PolicyClass, Relation, Status, Tier
from remanence.store.base import Store
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    block,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    link_change,
    make_cause,
    one,
    prune_change,
    tag_change,
    unlink_change,
    update_change,
)
from remanence_store_kit.dump import dump
from remanence_store_kit.invariants import find_broken_invariants, find_unaccounted_rows

MEMORIES = 12


async def fill_store(store: Store) -> list[Memory]:
    """Keep a few memories in a row of links, some of them of other values than the rest; return them."""
    creations = [
        create_change(k, f"zebra number{k}", said_at=NOW - k, valid_to=NOW + k if k % 3 else None)
        for k in range(1, MEMORIES + 1)
    ]
    links = [
        link_change(-k, -k - 1, weight=k / 100, confidence=k / 12 if k % 2 else None, last_at=NOW + k)
        for k in range(1, MEMORIES)
    ]
    await keep(store, *creations, *links)
    return [await one(store, seq) for seq in range(1, MEMORIES + 1)]


def fading(memories: Sequence[Memory]) -> list[Change]:
    """Archive memories, with columns that are the same for all and one that is not."""
    return [
        update_change(
            memory,
            status=Status.ARCHIVED,
            tier=Tier.ARCHIVE,
            lifecycle=Lifecycle.ARCHIVED,
            reason=0,
            status_at=NOW + 5,
            valid_to=None if memory.seq % 2 else NOW - memory.seq,
        )
        for memory in memories
    ]


async def cut_links(store: Store) -> list[Change]:
    """Cut the links of even memories to the next."""
    return [
        unlink_change(link) for link in await store.neighbours(SCOPE, [2, 4, 6, 8]) if link.source % 2 == 0
    ]


async def check_block_refusal(
    store: Store, *entries: Block | Change, kind: type[Exception] = InvalidInput
) -> None:
    """Commit what must be refused, and see that nothing was written."""
    before = await dump(store, SCOPE), await store.history(SCOPE)
    await expect_error(kind, keep(store, *entries, verb="curate"))

    assert before == (await dump(store, SCOPE), await store.history(SCOPE))


class BlockContract:
    """A block is the same for many rows."""

    async def test_a_block_is_the_changes_of_its_rows(self, store: Store) -> None:
        """What a block leaves, memories and links, is what the changes of its rows leave, and so is what is logged."""
        memories = await fill_store(store)
        changes, cut = fading(memories[:8]), await cut_links(store)
        await keep(store, *changes, *cut, verb="curate", run="rows")
        rows, content = (await store.history(SCOPE))[-1], await dump(store, SCOPE)
        await keep(store, *inverses(rows.entries), verb="undo")
        again = [*fading([await one(store, memory.seq) for memory in memories[:8]])]
        commit = await keep(store, block(again), block(cut), verb="curate", run="block")
        block_part = (await store.history(SCOPE))[-1]

        assert content.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()
        assert (12, 12) == (commit.changes, block_part.count)
        assert [change.key for change in sorted(rows.changes, key=_name)] == [
            change.key for change in sorted(block_part.changes, key=_name)
        ]
        for change, other in zip(
            sorted(rows.changes, key=_name), sorted(block_part.changes, key=_name), strict=True
        ):
            assert _values(change.before) == _values(other.before)
            assert _values(change.after) == _values(other.after)

    async def test_a_block_that_is_undone_leaves_what_was_there(self, store: Store) -> None:
        """Undo gives back every row, and the undoing can be undone."""
        memories = await fill_store(store)
        before = await dump(store, SCOPE)
        await keep(
            store,
            block(fading(memories)),
            block(await cut_links(store)),
            verb="curate",
            run="r",
            planned=True,
        )
        after = await dump(store, SCOPE)
        for content in (before, after):
            await keep(store, *inverses((await store.history(SCOPE))[-1].entries), verb="undo", planned=True)

            assert content.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()
        content = await dump(store, SCOPE)

        assert [] == find_broken_invariants(content)
        assert [] == find_unaccounted_rows(content, await store.history(SCOPE))
        assert [] == await find_damage(store)

    async def test_a_revision_rises_by_one_for_each_row(self, store: Store) -> None:
        """A block revises each of its memories once, forth and back."""
        memories = await fill_store(store)
        await keep(store, block(fading(memories[:3])), verb="curate")
        (part,) = await store.history(SCOPE, after=1)
        await keep(store, *inverses(part.entries), verb="undo")

        assert [3, 3, 3, 1] == [memory.revision for memory in [await one(store, seq) for seq in (1, 2, 3, 4)]]

    async def test_a_block_is_refused_with_all_rows_that_changed(self, store: Store) -> None:
        """Another value, another revision and a row that is gone: Conflict names each, and nothing is written."""
        memories = await fill_store(store)
        plan, cut = fading(memories[:8]), await cut_links(store)
        await keep(store, update_change(memories[1], valid_to=NOW), verb="update")
        (second,) = (link for link in await store.neighbours(SCOPE, [2]) if link.source == 2)
        await keep(store, Change("links", second.key, {}, {"weight": 0.9}), verb="link")
        fresh = await one(store, 8)
        links = [unlink_change(link) for link in await store.neighbours(SCOPE, [8])]
        await keep(store, *links, *destroy_changes(fresh), verb="purge")
        before = await dump(store, SCOPE)
        conflict = await expect_error(Conflict, keep(store, block(plan), block(cut), verb="curate"))

        assert {("memories", 2), ("memories", 8), ("links", (2, 3, 7)), ("links", (8, 9, 7))} == set(
            conflict.keys
        )
        assert before == await dump(store, SCOPE)

    async def test_a_block_compares_what_was_touched(self, store: Store) -> None:
        """A memory that was used since a destructive block was planned is in conflict, the others are not."""
        memories = await fill_store(store)
        plan = [prune_change(memory) for memory in memories[:4]]
        await keep(store, update_change(memories[2], uses=Increment(1)), verb="use")
        conflict = await expect_error(Conflict, keep(store, block(plan), verb="curate"))

        assert (("memories", 3),) == conflict.keys
        await keep(store, block([*plan[:2], plan[3]]), verb="curate")
        assert [4, 4, 0, 4] == [(await one(store, seq)).status for seq in (1, 2, 3, 4)]

    async def test_a_link_that_stands_is_not_made_again(self, store: Store) -> None:
        """A block that makes a link which is there is a Conflict that names it."""
        await fill_store(store)
        new_links = [
            Change("links", (a, a + 1, 7), None, {"weight": 0.5, "created_at": NOW, "last_at": NOW})
            for a in (1, 2)
        ]
        new_links[1] = replace(new_links[1], key=(2, 9, 7))
        conflict = await expect_error(Conflict, keep(store, block(new_links), verb="link"))

        assert (("links", (1, 2, 7)),) == conflict.keys

    async def test_links_that_a_block_makes_have_the_defaults(self, store: Store) -> None:
        """Of a link only what is said differs from what a single change would leave."""
        await fill_store(store)
        await keep(store, link_change(1, 5, weight=0.25), verb="link")
        await keep(store, block([link_change(1, 6, weight=0.25), link_change(2, 6, weight=0.5)]), verb="link")
        links = {link.key: link for link in await store.neighbours(SCOPE, [5, 6])}

        assert links[1, 5, 7].values == links[1, 6, 7].values
        assert 0.5 == links[2, 6, 7].weight

    async def test_links_of_no_memory_are_refused(self, store: Store) -> None:
        """Also where the memory goes in the same commit."""
        memories = await fill_store(store)
        await check_block_refusal(store, block([link_change(1, 5), link_change(1, 99)]))
        unlinks = [unlink_change(link) for link in await store.neighbours(SCOPE, [5])]
        await check_block_refusal(store, *unlinks, *destroy_changes(memories[4]), block([link_change(1, 5)]))

    async def test_history_of_a_memory_holds_its_rows_of_a_block(self, store: Store) -> None:
        """And nobody else's, however far apart the ends of the block are."""
        memories = await fill_store(store)
        plan = fading([memories[0], memories[5], memories[11]])
        commit = await keep(store, block(plan), block(await cut_links(store)), verb="curate")
        histories = {seq: await store.history(SCOPE, memory=seq, after=1) for seq in (1, 3, 4, 6, 7, 12)}

        assert {1: [1], 3: [1], 4: [1], 6: [2], 7: [1], 12: [1]} == {
            seq: [part.count for part in parts] for seq, parts in histories.items()
        }
        assert {commit.position} == {part.position for parts in histories.values() for part in parts}
        assert ["memories", "links"] == [change.table for change in histories[6][0].changes]
        assert {6} == {change.key for change in histories[6][0].changes if change.table == "memories"}
        assert [] == await store.history(SCOPE, memory=10, after=1)

    async def test_blocks_and_changes_share_a_part_in_order(self, store: Store) -> None:
        """A part tells its rows in the order in which they were given, and reads the same from its digest on."""
        memories = await fill_store(store)
        entries: list[Entry] = [
            tag_change(12, "x"),
            block(fading(memories[:3])),
            tag_change(11, "x"),
            block(fading(memories[4:6])),
        ]
        await keep(store, *entries, verb="curate")
        part, again = (await store.history(SCOPE))[-1], (await store.history(SCOPE))[-1]

        assert part == again
        assert [(12, "x"), 1, 2, 3, (11, "x"), 5, 6] == [change.key for change in part.changes]
        assert [] == await find_damage(store)

    async def test_neighbours_of_a_block_are_touched(self, store: Store) -> None:
        """As by the changes of its rows, unless the snapshot knew them all."""
        memories = await fill_store(store)
        before = [memory.touched for memory in memories]
        await keep(store, block(fading([memories[5]])), block(await cut_links(store)), verb="update")
        now = [(await one(store, seq)).touched for seq in range(1, MEMORIES + 1)]

        assert [0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0] == [b - a for a, b in zip(before, now, strict=True)]
        again = [await one(store, seq) for seq in (1, 2)]
        await keep(store, block(fading(again)), verb="curate", planned=True)
        assert now == [(await one(store, seq)).touched for seq in range(1, MEMORIES + 1)]

    async def test_a_tag_beside_a_block_revises_its_memory_once(self, store: Store) -> None:
        """A memory whose columns change in the same commit is revised by that alone."""
        memories = await fill_store(store)
        await keep(store, block(fading(memories[:2])), tag_change(1, "x"), tag_change(3, "x"), verb="curate")

        assert [2, 2, 2] == [(await one(store, seq)).revision for seq in (1, 2, 3)]

    async def test_a_block_obeys_what_a_memory_may_become(self, store: Store) -> None:
        """One row that may not become so is reason enough to refuse all."""
        memories = await fill_store(store)
        await keep(store, prune_change(memories[2]), verb="forget")
        fresh = [await one(store, seq) for seq in (1, 2, 3)]
        rising = [update_change(memory, status=Status.ACTIVE, reason=None) for memory in fresh]
        await check_block_refusal(store, block(rising))
        await check_block_refusal(
            store, block([update_change(memory, tier=Tier.ARCHIVE) for memory in fresh])
        )
        await check_block_refusal(
            store, block([update_change(memory, status=Status.SUPERSEDED) for memory in fresh[:2]])
        )
        await check_block_refusal(
            store, block([update_change(memory, policy_class=PolicyClass.EPHEMERAL) for memory in fresh[:2]])
        )
        await keep(store, block(rising), verb="undo")

        assert [1, 1, 1] == [(await one(store, seq)).status for seq in (1, 2, 3)]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"keys": np.array([3, 2, 1])},
            {"keys": np.array([1, 1, 2])},
            {"keys": np.array([0, 1, 2])},
            {"keys": np.array([1, 2])},
            {
                "keys": np.empty(0, np.int64),
                "before": np.empty((0, 1), np.int64),
                "after": np.empty((0, 1), np.int64),
                "revision": np.empty(0, np.int64),
            },
            {"keys": np.array([1.0, 2.0, 3.0])},
            {"before": None},
            {"after": None},
            {"revision": None},
            {"revision": np.array([1, 1])},
            {"touched": np.array([0])},
            {"after": np.zeros((3, 2), np.int64)},
            {"after": np.array([[5], [0], [0]])},
            {"after": np.array([[-1], [0], [0]])},
            {"after": np.array([[np.iinfo(np.int64).min], [0], [0]])},
            {"columns": ()},
        ],
    )
    async def test_what_is_no_block_is_refused(self, store: Store, wrong: dict[str, object]) -> None:
        """Arrays that do not fit, keys out of order, values out of range."""
        memories = await fill_store(store)
        right = block([update_change(memory, tier=Tier.COLD) for memory in memories[:3]])
        await check_block_refusal(store, replace(right, **wrong))  # type: ignore[arg-type]
        await keep(store, right, verb="curate")

    async def test_texts_names_and_counters_are_in_no_block(self, store: Store) -> None:
        """Erasing must reach every text, and a counter has no value to compare."""
        memories = await fill_store(store)
        right = block([update_change(memory, tier=Tier.COLD) for memory in memories[:3]])
        for name in ("text", "state", "uses", "revision", "vector", "nothing"):
            await check_block_refusal(store, replace(right, columns=(name,)), kind=NameUnknown)
        await check_block_refusal(store, replace(right, table="tags"), kind=NameUnknown)  # type: ignore[arg-type]

    async def test_a_row_is_named_once(self, store: Store) -> None:
        """By one block or by one change."""
        memories = await fill_store(store)
        right = block([update_change(memory, tier=Tier.COLD) for memory in memories[:3]])
        await check_block_refusal(store, right, right.where(np.array([1])))
        await check_block_refusal(store, right, update_change(memories[2], severity=1))

    @pytest.mark.parametrize("key", [(1, 1, 7), (5, 1, int(Relation.SIMILAR)), (1, 5, 77)])
    async def test_links_that_cannot_be_are_in_no_block(
        self, store: Store, key: tuple[int, int, int]
    ) -> None:
        """To itself, a symmetric one the wrong way round, of no relation."""
        await fill_store(store)
        await check_block_refusal(store, block([Change("links", key, None, {"weight": 0.5})]))

    async def test_uses_tell_whose_they_are(self, store: Store) -> None:
        """A part that only counted uses names the memories, and is no part of their history."""
        memories = await fill_store(store)
        use_changes = [update_change(memory, uses=Increment(1)) for memory in (memories[6], memories[2])]
        commit = await store.commit(SCOPE, [*use_changes, link_change(3, 9)], make_cause("use"))
        (part,) = await store.history(SCOPE, after=1)
        (bare,) = await store.history(SCOPE, after=1, rows=False)

        assert ((3, 7, 9), (), 3) == (part.used, part.entries, part.count)
        assert ((), 3, commit.position) == (bare.used, bare.count, bare.position)
        assert [] == await store.history(SCOPE, memory=7, after=1)
        assert [] == await find_damage(store)


def _name(change: Change) -> tuple[str, str]:
    return change.table, str(change.key)


def _values(side: object) -> object:
    if not isinstance(side, dict):
        return side
    return {name: value for name, value in side.items() if name != "revision"}
