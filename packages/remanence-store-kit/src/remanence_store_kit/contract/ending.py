"""What the end of images and an erasure take away and leave, and that the chain is proven all the same.

An erased memory is refused from then on.
"""

from dataclasses import replace
from typing import Any

from remanence.core.change import Cause, Change, CommitResult, Increment, inverses
from remanence.core.clock import DAY, TIME_MAX
from remanence.core.redaction import Names
from remanence.store.base import EndImagesResult, PurgedMemory
from remanence.store.capabilities import ERASABLE, IMAGE_EXPIRY, ImageExpiryStore
from remanence.store.erasure import ERASE
from remanence.store.undo_data_pruning import EXPIRE, PARTS_MAX
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    block,
    create_change,
    destroy_changes,
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
from remanence_store_kit.contract.needs import needs, needs_also
from remanence_store_kit.dump import dump
from remanence_store_kit.invariants import find_broken_invariants

LATER = NOW + 60 * DAY
TEXT, FORMER = "the pier is painted blue", "the pier is painted green"


def ending(at: int = LATER, **more: object) -> Cause:
    """Give the cause of an end of images at some time."""
    return make_cause(EXPIRE, at, **more)


async def end_images(store: ImageExpiryStore, before: int = NOW + DAY, at: int = LATER) -> EndImagesResult:
    """End the images of what is older."""
    return await store.end_images(SCOPE, before, ending(at))


async def sound(store: ImageExpiryStore) -> bool:
    """Tell whether every check is sound."""
    return not await find_damage(store)


@needs(IMAGE_EXPIRY)
class ImageExpiryContract:
    """Images end, causes stay; what keeps its images keeps them; all of it is proven."""

    async def test_images_end_and_causes_stay(self, store: ImageExpiryStore) -> None:
        """A part whose images ended has its cause, digest and count, and says when they ended."""
        a, b = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), tag_change(-1, "x"))
        ).assigned
        await keep(store, update_change(await one(store, a), text="c c"), link_change(a, b), verb="update")
        before, content = await store.history(SCOPE), await dump(store, SCOPE)
        answer = await end_images(store)
        after = await store.history(SCOPE)
        bare = await store.history(SCOPE, rows=False)

        assert EndImagesResult(3, 2, 2, 5) == answer
        assert [(part.cause, part.digest, part.count) for part in before] == [
            (part.cause, part.digest, part.count) for part in after[:2]
        ]
        assert [(), (), ()] == [part.entries for part in after]
        assert [LATER, LATER, None] == [part.ended_at for part in after] == [part.ended_at for part in bare]
        assert [] == await store.history(SCOPE, memory=a)
        assert content.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()
        assert [] == find_broken_invariants(await dump(store, SCOPE))
        assert await sound(store)

    async def test_nothing_is_logged_where_nothing_is_due(self, store: ImageExpiryStore) -> None:
        """Asked again, or before its time, it does nothing; by the same run and part it answers what was done."""
        assert EndImagesResult(0, 0) == await end_images(store)
        await keep(store, create_change(1, "a a"))
        assert EndImagesResult(0, 0) == await end_images(store, NOW)
        cause = ending(run="r")
        answer = await store.end_images(SCOPE, NOW + 1, cause)

        assert EndImagesResult(2, 1, 1, 1) == answer
        assert answer == await store.end_images(SCOPE, NOW + 1, cause)
        assert EndImagesResult(0, 1) == await end_images(store, NOW + 1)
        assert 2 == len(await store.history(SCOPE))
        assert [] == await store.history("other")

    async def test_it_ends_at_the_first_part_that_is_not_older(self, store: ImageExpiryStore) -> None:
        """A part that claims to be of later keeps all after it: a clock that was wrong once ends nothing too early."""
        for at in (NOW, NOW + 9 * DAY, NOW + 1):
            await store.commit(SCOPE, [create_change(1, f"of {at}")], make_cause("learn", at))
        answer = await end_images(store)

        assert (1, 1) == (answer.through, answer.parts)
        assert [True, False, False] == [
            part.ended_at is not None for part in (await store.history(SCOPE))[:3]
        ]

    async def test_what_is_held_or_a_tombstone_keeps_its_images(self, store: ImageExpiryStore) -> None:
        """Also in a part with others, and links at either end; once nothing keeps them, they end too."""
        a, b, c, d = (await keep(store, *(create_change(k, f"text {k}") for k in (1, 2, 3, 4)))).assigned
        columns = {"attributes": {"a long value": "that two say"}}
        both = [update_change(await one(store, seq), **columns) for seq in (d, a, b)]
        await keep(store, *both, link_change(c, d), link_change(a, d), verb="update")
        hold = update_change(await one(store, a), holds={"case": LATER + DAY}, hold_until=LATER + DAY)
        await keep(store, hold, prune_change(await one(store, b)), verb="update")
        whole = [await read_history(store, seq) for seq in (a, b)]
        answer = await end_images(store)
        parts = await store.history(SCOPE)

        assert EndImagesResult(4, 3, 3, 4, 3) == answer
        assert whole == [await read_history(store, seq) for seq in (a, b)]
        assert {a, b} == await find_audited_memories(store)
        assert [LATER, LATER, None] == [part.ended_at for part in parts[:3]]
        assert await sound(store)

        again = await end_images(store, NOW + DAY, LATER + 2 * DAY)
        assert (3, 3, 3) == (again.through, again.parts, again.kept)
        assert ([], {b}) == (await read_history(store, a), await find_audited_memories(store))
        assert await sound(store)

    async def test_a_purged_memory_keeps_its_images_as_long_as_it_can_be_restored(
        self, store: ImageExpiryStore
    ) -> None:
        """It is found by number, id, key or an id's end; its oldest images stay until that of its row ends."""
        a, b = (
            await keep(store, create_change(1, "a a", key="k"), create_change(2, "b b"), link_change(-1, -2))
        ).assigned
        memory = await one(store, a)
        (link,) = await store.neighbours(SCOPE, [a])
        removals = [*destroy_changes(await one(store, a)), unlink_change(link)]
        purge = await store.commit(SCOPE, removals, make_cause("purge", NOW + 2 * DAY))
        await keep(store, tag_change(b, "x"), verb="tag")
        purged_memory = PurgedMemory(a, memory.id, "k", purge.run, NOW + 2 * DAY)

        assert [purged_memory] * 4 == [
            *(await store.find_purged_memories(SCOPE, [a, memory.id])),
            *(await store.find_purged_memories(SCOPE, ["k"])),
        ] * 2
        assert [[purged_memory], [], []] == [
            await store.find_purged_memories(SCOPE, [memory.id[-6:]]),
            await store.find_purged_memories(SCOPE, [b, "z"]),
            await store.find_purged_memories("other", [a]),
        ]
        answer = await end_images(store)
        assert (1, 1, 1) == (answer.through, answer.parts, answer.kept)
        assert [purged_memory] == await store.find_purged_memories(SCOPE, [a])

        answer = await end_images(store, NOW + 3 * DAY, LATER + DAY)
        assert (3, 3, 0) == (answer.through, answer.parts, answer.kept)
        assert [replace(purged_memory, ended_at=LATER + DAY)] == await store.find_purged_memories(SCOPE, [a])
        assert await sound(store)

    @needs_also(ERASABLE)
    async def test_what_came_back_is_no_more_known_as_purged(self, store: ImageExpiryStore) -> None:
        """Neither is what was erased."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        await keep(store, *destroy_changes(await one(store, a)), verb="purge", run="r")
        (part,) = await store.history(SCOPE, run="r")
        await keep(store, *inverses(part.changes), verb="undo")
        await keep(store, Change("memories", b, {"revision": 1}, None), verb=ERASE)

        assert [] == await store.find_purged_memories(SCOPE, [a, b])
        assert await sound(store)

    async def test_rows_of_a_block_end_one_by_one(self, store: ImageExpiryStore) -> None:
        """Of memories and of links; what is kept turns the same rows round as before."""
        seqs = (await keep(store, *(create_change(k, f"text {k}") for k in range(1, 7)))).assigned
        await keep(store, block([link_change(seq, seq + 1, weight=0.5) for seq in seqs[:-1]]), verb="link")
        changes = [archive_change(await one(store, seq)) for seq in seqs]
        links = [unlink_change(link) for link in await store.neighbours(SCOPE, seqs[:1])]
        await keep(store, block(changes), block(links), verb="curate")
        await keep(
            store,
            update_change(await one(store, seqs[1]), holds={"x": None}, hold_until=TIME_MAX),
            verb="hold",
        )
        whole = await read_history(store, seqs[1])
        used = await store.commit(
            SCOPE, [update_change(await one(store, seqs[1]), uses=Increment(1))], make_cause("use")
        )
        answer = await end_images(store)

        assert used.position == answer.through
        assert whole == await read_history(store, seqs[1])
        assert {seqs[1]} == await find_audited_memories(store)
        assert ((), LATER) == ((await store.history(SCOPE))[4].used, (await store.history(SCOPE))[4].ended_at)
        assert await sound(store)

    async def test_rows_of_a_block_end_once_nothing_keeps_them(self, store: ImageExpiryStore) -> None:
        """Of a block of which two rows were kept one goes with its hold, and the other is as before."""
        seqs = (await keep(store, *(create_change(k, f"text {k}") for k in range(1, 7)))).assigned
        await keep(store, block([archive_change(await one(store, seq)) for seq in seqs]), verb="curate")
        for seq, until in ((seqs[1], TIME_MAX), (seqs[4], LATER + DAY)):
            await keep(
                store, update_change(await one(store, seq), holds={"x": None}, hold_until=until), verb="hold"
            )
        whole = await read_history(store, seqs[1])
        await end_images(store)
        both = await find_audited_memories(store)
        again = await end_images(store, NOW + DAY, LATER + 2 * DAY)

        assert ({seqs[1], seqs[4]}, {seqs[1]}) == (both, await find_audited_memories(store))
        assert (3, 3) == (again.parts, again.changes)  # what created, archived and held it
        assert whole == await read_history(store, seqs[1])
        assert await sound(store)

    async def test_links_in_a_row_end_one_by_one(self, store: ImageExpiryStore) -> None:
        """Of many links that came with their memories, those at what is kept are told of it as before, and no other."""
        creations = [create_change(k, f"text {k}") for k in range(1, 13)]
        links = [link_change(-k, -k - 1, weight=0.5) for k in range(1, 12)]
        commit = await keep(store, *creations, *links, tag_change(-1, "x"))
        held_seq = commit.assigned[4]
        await keep(
            store,
            update_change(await one(store, held_seq), holds={"x": None}, hold_until=TIME_MAX),
            verb="hold",
        )
        whole = await read_history(store, held_seq)
        await end_images(store)
        (first,) = await store.history(SCOPE, run=commit.run)

        assert 4 == len(whole)
        assert whole == await read_history(store, held_seq)
        assert ["memories", "links", "links"] == [change.table for change in first.changes]
        assert await sound(store)

    async def test_parts_end_some_at_once(self, store: ImageExpiryStore) -> None:
        """As many as one part may end; the next goes on where it stopped."""
        for k in range(PARTS_MAX + 5):
            await store.commit(
                SCOPE, [tag_change(1, f"t{k}")] if k else [create_change(1, "a a")], make_cause("tag")
            )
        first, second = await end_images(store), await end_images(store)

        assert (PARTS_MAX, PARTS_MAX, True) == (first.through, first.parts, first.left)
        assert (PARTS_MAX + 5, 5, False) == (second.through, second.parts, second.left)
        assert await sound(store)

    async def test_uses_go_with_their_images(self, store: ImageExpiryStore) -> None:
        """Their runs are told no more, but for that of the last part of which images ended; no row changes."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        first = await self._use(store, a, "fox")
        await self._use(store, b, "fox", extends=(first.run, 1))
        await keep(store, tag_change(a, "x"), verb="tag")
        last = await self._use(store, a, None)
        await self._use(store, b, None, extends=(last.run, 1))
        content = await dump(store, SCOPE)
        await end_images(store)

        assert ["learn", "tag", "use", "expire"] == await list_verbs(store)
        assert content.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()
        assert await sound(store)
        with_tag = await keep(store, tag_change(b, "y"), verb="tag", at=LATER)
        later = await self._use(store, b, "fox", LATER + 1)
        assert later.position == with_tag.position + 1
        await end_images(store, LATER + DAY, LATER + 60 * DAY)

        assert ["learn", "tag", "expire", "tag", "use", "expire"] == await list_verbs(store)
        assert {"fox": {"uses": 2, "last_at": LATER + 1}} == (await one(store, b)).accessors
        assert await sound(store)

    @needs_also(ERASABLE)
    async def test_uses_for_which_an_erasure_vouches_stay(self, store: ImageExpiryStore) -> None:
        """Those of a person whose name was taken out of them; the others go."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "owl"))).assigned
        for name in ("fox", "owl", "fox"):
            await self._use(store, a, name)
        await keep(store, tag_change(a, "x"), verb="tag")
        erasure = make_cause(ERASE, NOW + 1, unnamed=Names(("owl",)))
        await store.commit(SCOPE, [Change("memories", b, {"revision": 1}, None)], erasure)
        await end_images(store)

        assert ["learn", "use", "tag", "erase", "expire"] == await list_verbs(store)
        assert await sound(store)
        await end_images(store, LATER + 1, LATER + 60 * DAY)
        assert await sound(store)

    @staticmethod
    async def _use(
        store: ImageExpiryStore, seq: int, agent: str | None, at: int = NOW, **more: Any
    ) -> CommitResult:
        """Count a use of a memory by an agent."""
        change = update_change(await one(store, seq), uses=Increment(1))
        return await store.commit(SCOPE, [change], make_cause("use", at, actor=agent, **more))

    @needs_also(ERASABLE)
    async def test_what_was_kept_can_be_erased(self, store: ImageExpiryStore) -> None:
        """The chain is proven before and after, and after the next end of images."""
        a, b = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), tag_change(-1, "x"))
        ).assigned
        changes = [
            update_change(await one(store, seq), text=f"words {seq}", holds={"x": None}, hold_until=TIME_MAX)
            for seq in (a, b)
        ]
        await keep(store, *changes, verb="update")
        await end_images(store)
        erasure = [Change("memories", a, {"revision": 2}, None), Change("tags", (a, "x"), {}, None)]
        await store.commit(SCOPE, erasure, make_cause(ERASE, LATER + 1))

        assert {a, b} == await find_audited_memories(store)
        assert [Change("memories", a, {}, None)] == await read_history(store, a)
        assert await sound(store)
        await end_images(store, LATER + 2, LATER + 60 * DAY)
        assert {b} == await find_audited_memories(store)
        assert await sound(store)

    async def test_scopes_end_each_for_itself(self, store: ImageExpiryStore) -> None:
        """The images of another scope stay."""
        await keep(store, create_change(1, "a a"))
        await keep(store, create_change(1, "a a"), scope="other")
        await end_images(store)

        assert [None] == [part.ended_at for part in await store.history("other")]
        assert [1] == [len(part.entries) for part in await store.history("other")]
        assert await sound(store)


async def list_verbs(store: ImageExpiryStore) -> list[str]:
    """Return why each run that is told was done; a store may keep uses of one run in one line or in several."""
    runs = {part.cause.run: part.cause.verb for part in await store.history(SCOPE)}
    return [*runs.values()]


async def read_history(store: ImageExpiryStore, seq: int) -> list[Change]:
    """Return all that the audit tells of a memory."""
    return [change for part in await store.history(SCOPE, memory=seq) for change in part.changes]


async def find_audited_memories(store: ImageExpiryStore) -> set[object]:
    """Return the memories of which the audit tells anything."""
    parts = await store.history(SCOPE)
    return {change.key for part in parts for change in part.changes if change.table == "memories"}
