"""What a commit compares before it writes: revision, touched, old values, twins. All conflicts, or nothing written."""

import pytest

from remanence.core.change import Change, Increment
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import KEYING, Relation, Status
from remanence.store.base import Find, Store
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    create_change,
    destroy_changes,
    expect_error,
    keep,
    link_change,
    one,
    prune_change,
    source_change,
    tag_change,
    unlink_change,
    update_change,
)
from remanence_store_kit.dump import dump


class GuardContract:
    """A change that was decided on an older reading is refused, with the whole commit."""

    async def test_a_row_changed_since_is_a_conflict(self, store: Store) -> None:
        """An update whose `revision` is no longer the row's raises Conflict."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        old = await one(store, seq)
        await keep(store, update_change(old, state="done"), verb="update")
        conflict = await expect_error(
            Conflict, keep(store, update_change(old, category="fact"), verb="update")
        )

        assert (("memories", seq),) == conflict.keys

    async def test_a_conflict_writes_nothing(self, store: Store) -> None:
        """One stale row refuses every change of its commit, creations, tags and links with it."""
        a, b = (await keep(store, create_change(1, "apples"), create_change(2, "pears"))).assigned
        stale = update_change(await one(store, b), state="stale")
        await keep(store, update_change(await one(store, b), state="new"), verb="update")
        before, log = await dump(store, SCOPE), await store.history(SCOPE)
        changes = [
            create_change(1, "plums"),
            tag_change(a, "x"),
            link_change(a, -1),
            update_change(await one(store, a), state="x"),
            stale,
        ]
        await expect_error(Conflict, keep(store, *changes, verb="update"))

        assert before == await dump(store, SCOPE)
        assert log == await store.history(SCOPE)

    async def test_all_conflicts_are_told_at_once(self, store: Store) -> None:
        """Conflict names every row that is not as it was, not only the first."""
        a, b, c = (
            await keep(
                store, create_change(1, "apples"), create_change(2, "pears"), create_change(3, "plums")
            )
        ).assigned
        stale = [update_change(await one(store, seq), category="fact") for seq in (a, b, c)]
        for seq in (a, c):
            await keep(store, update_change(await one(store, seq), state="new"), verb="update")
        missing = Change("tags", (b, "absent"), {}, None)
        conflict = await expect_error(Conflict, keep(store, *stale, missing, verb="update"))

        assert {("memories", a), ("memories", c), ("tags", (b, "absent"))} == set(conflict.keys)

    async def test_without_a_revision_the_old_values_are_compared(self, store: Store) -> None:
        """A `before` that names only columns is current as long as these are."""
        (seq,) = (await keep(store, create_change(1, "task", state="open", confidence=0.5))).assigned
        await keep(store, update_change(await one(store, seq), category="task"), verb="update")
        await keep(
            store,
            Change("memories", seq, {"state": "open", "confidence": 0.5}, {"state": "done"}),
            verb="update",
        )
        stale = Change("memories", seq, {"state": "open"}, {"state": "closed"})
        await expect_error(Conflict, keep(store, stale, verb="update"))

        assert "done" == (await one(store, seq)).state

    async def test_a_missing_old_value_is_a_value(self, store: Store) -> None:
        """A `before` of None is no longer current once there is a value."""
        (seq,) = (await keep(store, create_change(1, "task", state="open"))).assigned
        await expect_error(
            Conflict, keep(store, Change("memories", seq, {"state": None}, {"state": "done"}), verb="update")
        )

        assert "open" == (await one(store, seq)).state

    async def test_a_memory_used_since_is_not_destroyed(self, store: Store) -> None:
        """A use raises `touched`, so that a pruning decided before it is a Conflict; a plain update is not."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        old = await one(store, seq)
        await keep(store, update_change(old, uses=Increment(1)), verb="use")
        conflict = await expect_error(Conflict, keep(store, prune_change(old), verb="curate"))
        await keep(store, update_change(old, state="open"), verb="update")

        assert (("memories", seq),) == conflict.keys
        assert Status.INBOX == (await one(store, seq)).status

    async def test_a_memory_linked_since_is_not_destroyed(self, store: Store) -> None:
        """Writing, changing or cutting a link raises `touched` of both its ends."""
        a, b = (await keep(store, create_change(1, "apples"), create_change(2, "pears"))).assigned
        key = (a, b, int(Relation.REFERS))
        for change in (
            link_change(a, b, weight=0.5),
            Change("links", key, {"weight": 0.5}, {"weight": 0.6}),
            Change("links", key, {"weight": 0.6}, None),
        ):
            readings = [await one(store, a), await one(store, b)]
            await keep(store, change, verb="link")
            for old in readings:
                await expect_error(Conflict, keep(store, prune_change(old), verb="curate"))

        assert 2 == len((await dump(store, SCOPE)).memories)

    async def test_a_memory_tagged_or_sourced_since_is_not_destroyed(self, store: Store) -> None:
        """A tag may protect and a source confirms, so both raise `touched` of their memory."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        for change in (
            tag_change(seq, "self/x"),
            source_change(seq, "t1"),
            Change("tags", (seq, "self/x"), {}, None),
        ):
            old = await one(store, seq)
            await keep(store, change, verb="tag")
            await expect_error(Conflict, keep(store, prune_change(old), verb="curate"))

        assert Status.INBOX == (await one(store, seq)).status

    async def test_a_neighbour_changed_since_protects(self, store: Store) -> None:
        """A state change raises `touched` of the memories at the other ends of its links, not their revision."""
        a, b, c = (
            await keep(
                store,
                create_change(1, "apples"),
                create_change(2, "pears"),
                create_change(3, "plums"),
                link_change(-1, -2),
            )
        ).assigned
        readings = {seq: await one(store, seq) for seq in (a, b, c)}
        await keep(store, archive_change(readings[a]), verb="curate")
        after = {seq: await one(store, seq) for seq in (a, b, c)}

        assert readings[b].touched < after[b].touched
        assert readings[b].revision == after[b].revision
        assert readings[c] == after[c]

    async def test_a_planned_run_touches_no_neighbour(self, store: Store) -> None:
        """Parts of one planned run do not make one another stale, by state changes or by cut links."""
        a, b, c = (
            await keep(
                store,
                create_change(1, "apples"),
                create_change(2, "pears"),
                create_change(3, "plums"),
                link_change(-1, -2),
                link_change(-2, -3),
            )
        ).assigned
        readings = {seq: await one(store, seq) for seq in (a, b, c)}
        cut = next(link for link in await store.neighbours(SCOPE, [c]))
        await keep(
            store,
            archive_change(readings[a]),
            unlink_change(cut),
            verb="curate",
            run="r",
            planned=True,
            final=False,
        )
        await keep(
            store,
            prune_change(readings[b]),
            prune_change(readings[c]),
            verb="curate",
            run="r",
            part=1,
            planned=True,
        )

        assert {Status.PRUNED} == {(await one(store, b)).status, (await one(store, c)).status}

    async def test_a_twin_in_sight_is_a_conflict(self, store: Store) -> None:
        """A new memory is refused where an inbox or active one of the scope has its fingerprint."""
        await keep(store, create_change(1, "apples"))
        twin = create_change(1, "apples", id="e" * 32)
        conflict = await expect_error(Conflict, keep(store, create_change(2, "pears"), twin))

        assert (("memories", -1),) == conflict.keys
        assert 1 == len((await dump(store, SCOPE)).memories)

    async def test_two_twins_in_one_commit_are_a_conflict(self, store: Store) -> None:
        """Of two new memories with one fingerprint neither is written."""
        await expect_error(
            Conflict, keep(store, create_change(1, "apples"), create_change(2, "apples", id="e" * 32))
        )

        assert {} == (await dump(store, SCOPE)).memories

    async def test_a_twin_out_of_sight_is_none(self, store: Store) -> None:
        """What was archived or pruned may be learned anew."""
        a, b = (await keep(store, create_change(1, "apples"), create_change(2, "pears"))).assigned
        await keep(
            store, archive_change(await one(store, a)), prune_change(await one(store, b)), verb="curate"
        )
        again = [create_change(1, "apples", id="e" * 32), create_change(2, "pears", id="f" * 32)]

        assert 2 == len((await keep(store, *again)).assigned)

    async def test_a_key_is_given_once(self, store: Store) -> None:
        """A new memory whose key any memory of the scope has is a Conflict, whatever that one's state."""
        (seq,) = (await keep(store, create_change(1, "apples", key="fruit"))).assigned
        await keep(store, prune_change(await one(store, seq)), verb="forget")
        await expect_error(Conflict, keep(store, create_change(1, "pears", key="fruit")))

        assert ["apples"] == [memory["text"] for memory in (await dump(store, SCOPE)).memories.values()]

    async def test_creating_what_exists_is_a_conflict(self, store: Store) -> None:
        """A tag, a link, a source or a memory that is there already is not created again."""
        first = [
            create_change(1, "apples"),
            create_change(2, "pears"),
            tag_change(-1, "x"),
            source_change(-1, "s"),
            link_change(-1, -2),
        ]
        a, b = (await keep(store, *first)).assigned
        again = [
            tag_change(a, "x"),
            source_change(a, "s"),
            link_change(a, b),
            Change("memories", a, None, create_change(1, "plums").after),
        ]
        for change in again:
            conflict = await expect_error(Conflict, keep(store, change))
            assert ((change.table, change.key),) == conflict.keys

    async def test_changing_what_is_missing_is_a_conflict(self, store: Store) -> None:
        """A tag, a link, a source or a memory that is not there can be neither changed nor destroyed."""
        a, b = (await keep(store, create_change(1, "apples"), create_change(2, "pears"))).assigned
        memory = await one(store, b)
        await keep(store, *destroy_changes(memory), verb="purge")
        for change in (
            Change("tags", (a, "x"), {}, None),
            Change("sources", (a, "x"), {}, None),
            Change("links", (a, b, int(Relation.REFERS)), {"weight": 0.5}, None),
            Change("links", (a, b, int(Relation.REFERS)), {"weight": 0.5}, {"weight": 0.6}),
            update_change(memory, state="x"),
            *destroy_changes(memory),
        ):
            conflict = await expect_error(Conflict, keep(store, change, verb="curate"))
            assert ((change.table, change.key),) == conflict.keys

    async def test_a_link_changed_since_is_a_conflict(self, store: Store) -> None:
        """The old values of a link are compared, for an update and for a cut."""
        a, b = (
            await keep(
                store, create_change(1, "apples"), create_change(2, "pears"), link_change(-1, -2, weight=0.5)
            )
        ).assigned
        key = (a, b, int(Relation.REFERS))
        (link,) = await store.neighbours(SCOPE, [a])
        await keep(store, Change("links", key, {"weight": 0.5}, {"weight": 0.6}), verb="link")
        await expect_error(Conflict, keep(store, unlink_change(link), verb="curate"))
        await expect_error(
            Conflict, keep(store, Change("links", key, {"weight": 0.5}, {"weight": 0.9}), verb="link")
        )

        assert [0.6] == [link.weight for link in await store.neighbours(SCOPE, [a])]

    async def test_a_destroyed_row_comes_back_under_its_number(self, store: Store) -> None:
        """A creation with a positive number is allowed where that number has no row, and only there."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        await keep(store, *destroy_changes(await one(store, seq)), verb="purge", at=NOW)
        back = Change("memories", seq, None, {**(create_change(1, "apples").after or {}), "revision": 5})
        commit = await keep(store, back, verb="undo")
        await expect_error(Conflict, keep(store, back, verb="undo"))
        memory = await one(store, seq)

        assert ((), "apples", 5) == (commit.assigned, memory.text, memory.revision)

    async def test_a_conflict_comes_before_a_refusal(self, store: Store) -> None:
        """A stale change that would also be refused is told as stale: the caller reads again and decides anew."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        old = await one(store, seq)
        await keep(store, prune_change(old), verb="forget")
        stale = update_change(old, status=Status.ACTIVE)
        await expect_error(Conflict, keep(store, stale, verb="consolidate"))
        fresh = update_change(await one(store, seq), status=Status.ACTIVE)
        await expect_error(InvalidInput, keep(store, fresh, verb="consolidate"))

        assert Status.PRUNED == (await one(store, seq)).status

    @pytest.mark.parametrize("verb", sorted(KEYING))
    async def test_a_key_stands_beside_what_says_the_same(self, store: Store, verb: str) -> None:
        """Put or imported, also together; without a key, or learned with one, a text in sight is refused."""
        await keep(store, create_change(1, "the gate is open"))
        equal = [create_change(n, "the gate is open", key=f"k{n}", id=f"{n:032x}") for n in (1, 2)]
        await keep(store, *equal, verb=verb)
        before = await dump(store, SCOPE)
        await expect_error(
            Conflict, keep(store, create_change(1, "the gate is open", id="a" * 32), verb=verb)
        )
        await expect_error(Conflict, keep(store, create_change(1, "the gate is open", id="a" * 32, key="k3")))

        assert before == await dump(store, SCOPE)
        assert 3 == len(await store.find(SCOPE, Find(limit=9)))
