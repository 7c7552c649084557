"""What a commit refuses as wrong in itself: a programmer's error raises InvalidInput, and nothing is written."""

from collections.abc import Sequence

from remanence.core.change import Change, Increment
from remanence.core.errors import InvalidInput, NameUnknown, RemanenceError
from remanence.core.model import PolicyClass, Reason, Relation, Status, Tier
from remanence.store.base import Find, Store
from remanence_store_kit.builders import (
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
    update_change,
)
from remanence_store_kit.dump import dump


async def check_change_refusal(
    store: Store, changes: Sequence[Change], verb: str = "update"
) -> RemanenceError:
    """Return the InvalidInput that a commit raises, after seeing that it wrote nothing."""
    before = await dump(store, SCOPE), await store.history(SCOPE)
    error = await expect_error(InvalidInput, keep(store, *changes, verb=verb))

    assert before == (await dump(store, SCOPE), await store.history(SCOPE))
    assert error.recovery
    return error


class RefusalContract:
    """A commit that would break a rule is refused whole, with one clear error."""

    async def test_one_row_is_changed_once(self, store: Store) -> None:
        """Two changes of one row in one commit are refused."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await check_change_refusal(
            store,
            [update_change(await one(store, seq), state="a"), Change("memories", seq, {}, {"category": "b"})],
        )
        await check_change_refusal(store, [tag_change(seq, "x"), tag_change(seq, "x")])

    async def test_unknown_tables_and_columns_are_refused(self, store: Store) -> None:
        """A table or column that is not declared raises NameUnknown, with the nearest name."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        error = await check_change_refusal(store, [Change("memories", seq, {}, {"stat": "done"})])
        await check_change_refusal(store, [Change("memorise", seq, {}, {"state": "done"})])  # type: ignore[arg-type]
        await check_change_refusal(store, [Change("links", (seq, seq, 7), None, {"wait": 0.5})])

        assert isinstance(error, NameUnknown)
        assert "did you mean 'state'?" == error.recovery

    async def test_values_of_another_kind_are_refused(self, store: Store) -> None:
        """A column takes values of its kind only: no NaN, no unknown code, no text for a number."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        for wrong in (
            {"confidence": float("nan")},
            {"confidence": 1.5},
            {"value": float("inf")},
            {"severity": 9},
            {"status": None},
            {"pinned": 2},
            {"state_at": "yesterday"},
            {"category": 7},
            {"fingerprint": "text"},
            {"attributes": "text"},
            {"accessors": {"ann": {"uses": 1, "last_at": 1}}},
        ):
            await check_change_refusal(store, [Change("memories", seq, {}, wrong)])

    async def test_nothing_becomes_ephemeral(self, store: Store) -> None:
        """A memory leaves the policy class ephemeral for another, and no verb but undo brings one into it."""
        columns = {"policy_class": PolicyClass.EPHEMERAL}
        brief, lasting = (
            await keep(store, create_change(1, "a b", **columns), create_change(2, "c d"))
        ).assigned
        again = [update_change(await one(store, lasting), policy_class=PolicyClass.EPHEMERAL)]
        error = await check_change_refusal(store, again)
        await keep(
            store, update_change(await one(store, brief), policy_class=PolicyClass.PROTECTED), verb="update"
        )
        back = update_change(await one(store, brief), policy_class=PolicyClass.EPHEMERAL)
        for verb in ("update", "restore", "confirm", "import", "curate"):
            await check_change_refusal(store, [back], verb)
        await keep(store, back, verb="undo")
        await keep(
            store, update_change(await one(store, brief), policy_class=PolicyClass.EPHEMERAL), verb="update"
        )

        assert f"memory {lasting}: its policy class durable cannot become ephemeral by 'update'" == str(error)
        assert PolicyClass.EPHEMERAL == (await one(store, brief)).policy_class

    async def test_accessors_are_whole(self, store: Store) -> None:
        """Each is a name with how often and when last, and nothing else."""
        for wrong in (
            {},
            {7: {"uses": 1, "last_at": 1}},
            {"ann": 1},
            {"ann": {"uses": 1}},
            {"ann": {"uses": 0, "last_at": 1}},
            {"ann": {"uses": 1, "last_at": 1.5}},
            {"ann": {"uses": 1, "last_at": 2**53}},
            {"ann": {"uses": 2**31, "last_at": 1}},
        ):
            await check_change_refusal(store, [create_change(1, "task", accessors=wrong)])

    async def test_numbers_out_of_range_are_refused(self, store: Store) -> None:
        """A number or time that a row has no room for is refused, when it is set."""
        a, b = (await keep(store, create_change(1, "a b"), create_change(2, "c d"))).assigned
        await keep(store, link_change(a, b, Relation.CAUSES))
        for wrong in (
            {"tokens": 2**31},
            {"tokens": -(2**31)},
            {"said_at": -(2**53)},
            {"hold_until": 2**53},
            {"hold_until": 2**70},
            {"use_days": -1},
            {"use_days": 2**56},
            {"touched": 2**31},
        ):
            await check_change_refusal(store, [Change("memories", a, {}, wrong)])
            await check_change_refusal(store, [create_change(1, "e f", **wrong)], "learn")
        for wrong in ({"count": -1}, {"count": 2**24}, {"last_at": 2**53}, {"resolved_at": -(2**53)}):
            await check_change_refusal(store, [Change("links", (a, b, int(Relation.CAUSES)), {}, wrong)])

        assert (0, 1) == ((await one(store, a)).uses, (await store.neighbours(SCOPE, [a]))[0].count)

    async def test_required_columns_are_required(self, store: Store) -> None:
        """A new memory without id, text, fingerprint or a required time is refused."""
        for name in ("id", "text", "fingerprint", "said_at", "learned_at", "status_at", "tier_at"):
            values = {
                column: value
                for column, value in (create_change(1, "x").after or {}).items()
                if column != name
            }
            await check_change_refusal(store, [Change("memories", -1, None, values)], "learn")

    async def test_only_counters_are_incremented(self, store: Store) -> None:
        """An increment of a column that is no counter is refused."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await check_change_refusal(
            store, [Change("memories", seq, {"tokens": Increment(-1)}, {"tokens": Increment(1)})]
        )

    async def test_placeholders_have_no_gaps(self, store: Store) -> None:
        """Placeholders are -1, -2, …, and none is named that is not created in the commit."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await check_change_refusal(store, [create_change(2, "gap")], "learn")
        await check_change_refusal(store, [tag_change(-1, "x")], "tag")
        await check_change_refusal(store, [link_change(seq, -1)], "link")

    async def test_what_names_a_memory_needs_it(self, store: Store) -> None:
        """A tag, a source or a link of a memory that does not exist is refused."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        for change in (
            tag_change(seq + 9, "x"),
            source_change(seq + 9, "x"),
            link_change(seq, seq + 9),
            link_change(seq + 9, seq),
        ):
            await check_change_refusal(store, [change])

    async def test_a_memory_of_another_scope_is_not_named(self, store: Store) -> None:
        """A link never leads from one scope into another."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        # Numbers are given by scope: the last of more than this one has is none of its own.
        theirs = [create_change(k, f"theirs {k}") for k in (1, 2, 3)]
        (*_, other) = (await keep(store, *theirs, scope="another")).assigned
        await check_change_refusal(store, [link_change(seq, other)])
        await check_change_refusal(store, [tag_change(other, "x")])

    async def test_a_memory_is_not_destroyed_from_under_its_rows(self, store: Store) -> None:
        """Destroying a memory takes its tags, sources and links listed in the same commit: nothing cascades."""
        changes = [
            create_change(1, "a b"),
            create_change(2, "c d"),
            create_change(3, "e f"),
            create_change(4, "g h"),
        ]
        commit = await keep(store, *changes, tag_change(-1, "x"), source_change(-2, "s"), link_change(-3, -4))
        for seq in commit.assigned:
            await check_change_refusal(store, [Change("memories", seq, {"revision": 1}, None)], "purge")

    async def test_a_link_goes_with_both_ends_listed(self, store: Store) -> None:
        """Both ends of a link may be destroyed together with it, in any order of the list."""
        a, b = (
            await keep(store, create_change(1, "a b"), create_change(2, "c d"), link_change(-1, -2))
        ).assigned
        cut = Change("links", (a, b, int(Relation.REFERS)), {}, None)
        await keep(
            store,
            *destroy_changes(await one(store, a)),
            cut,
            *destroy_changes(await one(store, b)),
            verb="purge",
        )

        assert {} == (await dump(store, SCOPE)).memories

    async def test_links_are_canonical(self, store: Store) -> None:
        """A symmetric link names the lower number first; no memory is linked to itself; the relation is known."""
        a, b = (await keep(store, create_change(1, "a b"), create_change(2, "c d"))).assigned
        await check_change_refusal(store, [link_change(b, a, Relation.SIMILAR)])
        await check_change_refusal(store, [link_change(a, a)])
        await check_change_refusal(store, [Change("links", (a, b, 99), None, {})])
        await check_change_refusal(store, [create_change(1, "e f"), link_change(-1, a, Relation.CO_OCCURS)])
        await keep(store, link_change(b, a, Relation.CAUSES), verb="link")

        assert [(b, a)] == [(link.source, link.target) for link in await store.neighbours(SCOPE, [a])]

    async def test_the_archive_is_one(self, store: Store) -> None:
        """Status archived and tier archive go together, on creation and on change."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        memory = await one(store, seq)
        await check_change_refusal(store, [update_change(memory, tier=Tier.ARCHIVE)])
        await check_change_refusal(
            store, [update_change(memory, status=Status.ARCHIVED, reason=Reason.DECAYED)]
        )
        await check_change_refusal(
            store, [create_change(1, "born so", status=Status.ARCHIVED, reason=Reason.DECAYED)]
        )
        await keep(store, archive_change(memory), verb="curate")
        await check_change_refusal(store, [update_change(await one(store, seq), tier=Tier.COLD)])
        memory = await one(store, seq)

        assert (Status.ARCHIVED, Tier.ARCHIVE) == (memory.status, memory.tier)

    async def test_leaving_sight_needs_a_reason(self, store: Store) -> None:
        """A memory that is superseded, archived or pruned says why."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        memory = await one(store, seq)
        await check_change_refusal(store, [update_change(memory, status=Status.PRUNED)])
        await check_change_refusal(store, [update_change(memory, status=Status.SUPERSEDED)])
        await check_change_refusal(store, [update_change(memory, status=Status.ARCHIVED, tier=Tier.ARCHIVE)])

    async def test_one_reason_does_not_stand_for_all(self, store: Store) -> None:
        """Of memories that a commit creates out of sight each says why, however alike they are."""
        fallen = {"status": Status.PRUNED, "tier": Tier.COLD}
        creation = create_change(1, "a b", **fallen, reason=Reason.FORGOTTEN)
        for is_first in (True, False):
            pair = [creation, create_change(2, "c d", **fallen)]
            error = await check_change_refusal(store, pair if is_first else pair[::-1], "import")
            assert "no reason" in str(error)
        await keep(store, creation, create_change(2, "c d", **fallen, reason=Reason.DECAYED), verb="import")

    async def test_each_move_is_judged_by_where_it_begins(self, store: Store) -> None:
        """Updates that lead to the same are judged one by one: what one memory may become another may not."""
        changes = [create_change(1, "a b"), create_change(2, "c d")]
        old_seq, tombstone = (await keep(store, *changes)).assigned
        away = {"status": Status.SUPERSEDED, "reason": Reason.FORGOTTEN}
        await keep(store, update_change(await one(store, old_seq), **away), verb="supersede")
        await keep(store, prune_change(await one(store, tombstone)), verb="forget")
        moves = [archive_change(await one(store, seq)) for seq in (old_seq, tombstone)]
        await check_change_refusal(store, moves, "curate")
        await check_change_refusal(store, moves[::-1], "curate")

        assert Status.SUPERSEDED == (await one(store, old_seq)).status

    async def test_states_move_forward_only(self, store: Store) -> None:
        """What a memory may become is a table: no verb but the returning ones leads back."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await keep(store, update_change(await one(store, seq), status=Status.ACTIVE), verb="consolidate")
        await check_change_refusal(
            store, [update_change(await one(store, seq), status=Status.INBOX)], "update"
        )
        await keep(store, archive_change(await one(store, seq)), verb="curate")
        back = {"status": Status.ACTIVE, "tier": Tier.HOT, "reason": None}
        await check_change_refusal(store, [update_change(await one(store, seq), **back)], "curate")
        await keep(store, prune_change(await one(store, seq)), verb="curate")
        for status in (Status.INBOX, Status.ACTIVE, Status.SUPERSEDED):
            await check_change_refusal(store, [update_change(await one(store, seq), status=status)], "curate")

    async def test_returning_verbs_lead_back(self, store: Store) -> None:
        """Undo, restore, confirm and import may bring a memory back from any state."""
        for verb in ("undo", "restore", "confirm", "import"):
            (seq,) = (await keep(store, create_change(1, f"task to {verb}"))).assigned
            await keep(store, prune_change(await one(store, seq)), verb="forget")
            await keep(
                store, update_change(await one(store, seq), status=Status.ACTIVE, reason=None), verb=verb
            )

            assert Status.ACTIVE == (await one(store, seq)).status

    async def test_unknown_columns_are_not_asked_for(self, store: Store) -> None:
        """A listing by a column that is not declared raises NameUnknown."""
        await expect_error(NameUnknown, store.find(SCOPE, Find(equal={"categry": "x"})))
