"""What a commit writes: rows, placeholders, revisions, counters. Asks a store only through its protocol."""

from typing import Any

from remanence.core.change import Change, Increment, inverses
from remanence.core.clock import DAY
from remanence.core.errors import Conflict
from remanence.core.model import (
    Decay,
    Form,
    Kind,
    Lifecycle,
    Link,
    PolicyClass,
    Relation,
    Role,
    Severity,
    Status,
    Tier,
    Verification,
)
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Store
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    link_change,
    make_cause,
    one,
    prune_change,
    source_change,
    tag_change,
    unlink_change,
    update_change,
    vector_column,
)
from remanence_store_kit.dump import dump


class CommitContract:
    """What is written is what was said, and nothing else."""

    async def test_new_memories_are_numbered_in_order_of_arrival(self, store: Store) -> None:
        """The memory with the placeholder -k has the sequence number assigned[k - 1], and numbers ascend."""
        first = await keep(store, create_change(1, "apples"), create_change(2, "pears"))
        second = await keep(store, create_change(1, "plums"))
        texts = [(await one(store, seq)).text for seq in first.assigned + second.assigned]

        assert ["apples", "pears", "plums"] == texts
        assert sorted({*first.assigned, *second.assigned}) == [*first.assigned, *second.assigned]
        assert first.assigned[0] > 0

    async def test_a_commit_says_what_it_follows(self, store: Store) -> None:
        """The scope's own position before, 0 in a new one, whatever other scopes wrote between."""
        first = await keep(store, create_change(1, "apples"))
        other = await store.commit("other", [create_change(1, "plums")], make_cause("learn", run="other"))
        second = await keep(store, update_change(await one(store, first.assigned[0]), pinned=1))
        nothing = await store.commit(SCOPE, [], make_cause("learn", run="nothing"))

        assert (0, 0, first.position) == (first.follows, other.follows, second.follows)
        assert second.position == nothing.follows == nothing.position

    async def test_a_part_that_was_written_already_is_said_to_be(self, store: Store) -> None:
        """The answer is the one of then, and what the scope stood at before is not known any more."""
        cause = make_cause("learn", run="learning")
        first, again = [await store.commit(SCOPE, [create_change(1, "apples")], cause) for _ in range(2)]

        assert (first, False, True, -1) == (again, first.is_repeated, again.is_repeated, again.follows)

    async def test_placeholders_count_by_their_own_number(self, store: Store) -> None:
        """The order of creations in a commit does not decide which placeholder gets which number."""
        commit = await keep(store, create_change(2, "second"), create_change(1, "first"))

        assert ["first", "second"] == [(await one(store, seq)).text for seq in commit.assigned]

    async def test_placeholders_are_resolved_in_tags_sources_and_links(self, store: Store) -> None:
        """Whatever names a new memory in its own commit is kept under the assigned number."""
        (old,) = (await keep(store, create_change(1, "old"))).assigned
        commit = await keep(
            store,
            tag_change(-1, "self/name"),
            source_change(-2, "turn-7", "0:12"),
            link_change(old, -2),
            link_change(-1, -2, Relation.SIMILAR, weight=0.9),
            create_change(1, "apples"),
            create_change(2, "pears"),
        )
        apples, pears = commit.assigned
        links = await store.neighbours(SCOPE, [pears])

        assert ("self/name",) == (await one(store, apples)).tags
        assert ("turn-7",) == (await one(store, pears)).sources
        assert {(old, pears, Relation.REFERS), (apples, pears, Relation.SIMILAR)} == {
            (link.source, link.target, link.relation) for link in links
        }

    async def test_every_column_comes_back_as_it_was_said(self, store: Store) -> None:
        """A memory that names all its columns is read with exactly these."""
        columns = {
            "key": "k-1",
            "attributes": {"nested": {"list": [1, 2.5, None, "é"]}},
            "holds": {"legal": None, "audit": NOW + DAY},
            "category": "task",
            "kind": Kind.PROCEDURAL,
            "state": "pending",
            "severity": Severity.HIGH,
            "decay": Decay.DURABLE,
            "lifecycle": Lifecycle.VALIDATED,
            "verification": Verification.DISPUTED,
            "policy_class": PolicyClass.EPHEMERAL,
            "role": Role.TOOL,
            "agent": "ann",
            "speaker": "bob",
            "thread": "t",
            "session": "s",
            "said_offset": -14_400,
            "valid_from": NOW - 5,
            "valid_to": NOW + 5,
            "used_at": NOW - 1,
            "state_at": NOW - 2,
            "reinforced_at": NOW - 3,
            "text_at": NOW - 4,
            "confidence_at": NOW - 6,
            "hold_until": NOW + DAY,
            "pinned": 1,
            "confidence": 0.123457,
            "importance": 0.7,
            "alignment": 0.654321,
            "value": 0.0,
            "tokens": 12,
            "words": 9,
            "form": Form.SUMMARY,
            "short_tokens": 4,
            "short_words": 3,
            "summary": "Said – once.",
            "uses": 4,
            "confirmations": 3,
            "disputes": 2,
            "reinforced": 1,
            "helped": 1_700,
            "failed": 300,
            "status": Status.ARCHIVED,
            "tier": Tier.ARCHIVE,
            "reason": 0,
        }
        (seq,) = (await keep(store, create_change(1, "Everything, “said” – once.", **columns))).assigned
        memory = await one(store, seq)

        assert columns == {name: getattr(memory, name) for name in columns}
        assert isinstance(memory.severity, Severity)
        assert "Everything, “said” – once." == memory.text

    async def test_a_column_that_nobody_names_has_its_default(self, store: Store) -> None:
        """A memory of its required columns is in the inbox, hot, unpinned, unused, and of no category."""
        (seq,) = (await keep(store, create_change(1, "plain"))).assigned
        memory = await one(store, seq)

        assert (Status.INBOX, Tier.HOT, Decay.STANDARD) == (memory.status, memory.tier, memory.decay)
        assert (0, 0, None, None, 1, 0) == (
            memory.pinned, memory.uses, memory.category, memory.confidence, memory.revision, memory.touched,
        )  # fmt: skip

    async def test_fractions_are_kept_in_millionths(self, store: Store) -> None:
        """A fraction is read back rounded to six digits, so that two reads never differ in the last."""
        (seq,) = (await keep(store, create_change(1, "third", confidence=1 / 3))).assigned

        assert 0.333333 == (await one(store, seq)).confidence

    async def test_an_update_changes_the_named_columns_only(self, store: Store) -> None:
        """What an update does not name stays as it was."""
        (seq,) = (
            await keep(store, create_change(1, "task", category="task", state="pending", pinned=1))
        ).assigned
        await keep(store, update_change(await one(store, seq), state="done", state_at=NOW + 1), verb="update")
        memory = await one(store, seq)

        assert ("task", "done", NOW + 1, 1) == (memory.category, memory.state, memory.state_at, memory.pinned)

    async def test_a_form_is_changed_and_taken_back_like_any_column(self, store: Store) -> None:
        """It raises the revision, stands in snapshots and in the log, and its inverse gives the old one; texts stay."""
        (seq,) = (await keep(store, create_change(1, "the text", short_tokens=1, short_words=1))).assigned
        before = await one(store, seq)
        change = update_change(before, form=Form.CONDENSED)
        await keep(store, change, verb="curate")
        columns = frozenset({"form", "short_words"})
        snapshot = await store.snapshot(SCOPE, SnapshotRequest(columns), NOW)
        short_memory = await one(store, seq)
        (part,) = [part for part in await store.history(SCOPE) if part.cause.verb == "curate"]
        await keep(store, update_change(short_memory, form=Form.FULL), verb="restore")
        after = await one(store, seq)

        assert ([1], [1]) == tuple(snapshot.columns[name].tolist() for name in ("form", "short_words"))
        assert [({"form": 0}, {"form": 1})] == [
            ({"form": (change.before or {})["form"]}, {"form": (change.after or {})["form"]})
            for change in part.changes
        ]
        assert (Form.CONDENSED, Form.FULL) == (short_memory.form, after.form)
        assert ("the text", before.revision + 2) == (after.text, after.revision)

    async def test_an_update_can_empty_a_column(self, store: Store) -> None:
        """None is a value: it takes the old one away."""
        (seq,) = (await keep(store, create_change(1, "task", state="pending"))).assigned
        await keep(store, update_change(await one(store, seq), state=None), verb="update")

        assert (await one(store, seq)).state is None

    async def test_an_update_raises_the_revision_by_one(self, store: Store) -> None:
        """Content and state changes raise `revision` by one, also where the change does not say so."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await keep(store, update_change(await one(store, seq), state="done"), verb="update")
        await keep(store, Change("memories", seq, {"state": "done"}, {"state": "open"}), verb="update")

        assert 3 == (await one(store, seq)).revision

    async def test_a_tag_that_comes_or_goes_raises_the_revision_by_one(self, store: Store) -> None:
        """Also two tags, or a tag and a column; a source or a link does not."""
        a, b = (await keep(store, create_change(1, "task"), create_change(2, "other"))).assigned
        revisions = []
        for changes in (
            [tag_change(a, "x"), tag_change(a, "y")],
            [Change("tags", (a, "x"), {}, None), Change("memories", a, {"state": None}, {"state": "open"})],
            [source_change(a, "s"), link_change(a, b)],
        ):
            await keep(store, *changes, verb="update")
            revisions.append((await one(store, a)).revision)

        assert [2, 3, 3] == revisions

    async def test_a_counter_changes_by_its_increment(self, store: Store) -> None:
        """Two increments that were decided on the same reading both count."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        memory = await one(store, seq)
        for _ in range(2):
            await keep(store, update_change(memory, confirmations=Increment(2)), verb="confirm")

        assert 4 == (await one(store, seq)).confirmations

    async def test_a_key_moves_in_one_commit(self, store: Store) -> None:
        """From one memory to another in whatever order they are named; one that somebody has is given to nobody."""
        a, b = (await keep(store, create_change(1, "a b", key="k"), create_change(2, "c d"))).assigned
        for order in (1, -1):
            old, new = await one(store, a), await one(store, b)
            await keep(
                store, *[update_change(old, key=None), update_change(new, key="k")][::order], verb="supersede"
            )
            assert (None, "k") == ((await one(store, a)).key, (await one(store, b)).key)
            a, b = b, a
        free = update_change(await one(store, b), key="k")
        await expect_error(Conflict, store.commit(SCOPE, [free], make_cause("put")))

        assert ("k", None) == ((await one(store, a)).key, (await one(store, b)).key)

    async def test_keys_change_hands_in_a_row_in_one_commit(self, store: Store) -> None:
        """One that gets another key gives up its own first, whatever else of it changes, in whatever order."""
        a, b = (
            await keep(store, create_change(1, "a b", key="k"), create_change(2, "c d", key="l"))
        ).assigned
        for order in (1, -1):
            first = update_change(await one(store, a), key=f"former{order}")
            second = update_change(await one(store, b), key="k", confidence=0.5 + order / 10)
            await keep(store, *[second, first][::order], verb="supersede")
            assert (f"former{order}", "k") == ((await one(store, a)).key, (await one(store, b)).key)
            a, b = b, a

    async def test_a_counter_stops_at_its_bounds(self, store: Store) -> None:
        """An increment beyond is done as far as there is room, and the audit tells how far that was."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        for by in (2**31 - 2, 5, 2**70, -(2**70), -1):
            change = Change("memories", seq, {"disputes": Increment(-by)}, {"disputes": Increment(by)})
            await keep(store, change, verb="dispute")
        changes = [part.changes[0].after or {} for part in await store.history(SCOPE, memory=seq, after=1)]

        assert [2**31 - 2, 1, 0, -(2**32 - 2), 0] == [after["disputes"].by for after in changes]
        assert -(2**31 - 1) == (await one(store, seq)).disputes

    async def test_counters_never_raise_the_revision_but_touch(self, store: Store) -> None:
        """An increment raises `touched` and leaves `revision`."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        old = await one(store, seq)
        await keep(store, update_change(old, disputes=Increment(1)), verb="dispute")
        new = await one(store, seq)

        assert old.revision == new.revision
        assert old.touched < new.touched

    async def test_a_use_is_dated_and_counted_by_day(self, store: Store) -> None:
        """A positive increment of `uses` sets `used_at`; its seven day counts sit in bytes, the newest day lowest."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        for day, uses in ((0, 1), (1, 2), (4, 3)):
            change = Change("memories", seq, {"uses": Increment(-uses)}, {"uses": Increment(uses)})
            await keep(store, change, verb="use", at=NOW + day * DAY)
        memory = await one(store, seq)

        assert (6, NOW + 4 * DAY, (NOW + 4 * DAY) // DAY) == (memory.uses, memory.used_at, memory.use_day)
        assert [3, 0, 0, 2, 1, 0, 0] == [memory.use_days >> 8 * day & 255 for day in range(7)]

    async def test_a_use_counts_for_its_agent(self, store: Store) -> None:
        """The actor of a use is an accessor of the memory: how often and when last; without one nobody is."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        for actor, uses, at in (("bob", 1, NOW), ("ann", 2, NOW + 5), ("bob", 3, NOW - 5), (None, 4, NOW)):
            change = Change("memories", seq, {"uses": Increment(-uses)}, {"uses": Increment(uses)})
            await keep(store, change, verb="use", actor=actor, at=at)
        memory = await one(store, seq)

        assert 10 == memory.uses
        assert {
            "ann": {"uses": 2, "last_at": NOW + 5},
            "bob": {"uses": 4, "last_at": NOW},
        } == memory.accessors
        assert ["ann", "bob"] == list(memory.accessors)

    async def test_only_a_use_makes_an_accessor(self, store: Store) -> None:
        """Neither a merge that adds counters up nor its undo is anybody's use."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        for by in (2, -1):
            change = Change("memories", seq, {"uses": Increment(-by)}, {"uses": Increment(by)})
            await keep(store, change, verb="curate", actor="ann")

        assert (1, None) == ((await one(store, seq)).uses, (await one(store, seq)).accessors)

    async def test_accessors_go_and_come_back_with_their_memory(self, store: Store) -> None:
        """The image of a memory that is destroyed holds them, and a creation that names them writes them."""
        (seq,) = (await keep(store, create_change(1, "apples"))).assigned
        use = Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)})
        await keep(store, use, verb="use", actor="ann")
        before = await one(store, seq)
        purge = await keep(store, *destroy_changes(before), verb="purge")
        (part,) = await store.history(SCOPE, run=purge.run)
        await keep(store, *inverses(part.changes), verb="restore")
        after = await one(store, seq)

        assert {"ann": {"uses": 1, "last_at": NOW}} == before.accessors == after.accessors
        await keep(store, *destroy_changes(after), verb="purge")

    async def test_a_tag_knows_when_it_was_set(self, store: Store) -> None:
        """At its commit, or when the change says; a tag that was taken off comes back with its time."""
        (seq,) = (await keep(store, create_change(1, "apples"), tag_change(-1, "a"))).assigned
        await keep(store, tag_change(seq, "b"), at=NOW + 5, verb="tag")
        await keep(store, Change("tags", (seq, "c"), None, {"at": 7}), verb="import")
        before = (await one(store, seq)).tagged_at
        run = (await keep(store, *(Change("tags", (seq, tag), {}, None) for tag in "abc"), verb="untag")).run
        (part,) = await store.history(SCOPE, run=run)
        await keep(store, *inverses(part.changes), verb="undo", at=NOW + 9)

        assert {"a": NOW, "b": NOW + 5, "c": 7} == before == (await one(store, seq)).tagged_at

    async def test_a_use_of_the_eighth_day_drops_the_first(self, store: Store) -> None:
        """Day counts older than seven days are gone, and a day's count stops at 255."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        for day, uses in ((0, 1), (7, 300)):
            change = Change("memories", seq, {"uses": Increment(-uses)}, {"uses": Increment(uses)})
            await keep(store, change, verb="use", at=NOW + day * DAY)
        memory = await one(store, seq)

        assert (301, 255) == (memory.uses, memory.use_days)

    async def test_a_use_that_arrives_late_counts_on_its_own_day(self, store: Store) -> None:
        """A use from before the newest day counts in its day's byte, or nowhere once that has gone."""
        (seq,) = (await keep(store, create_change(1, "task"), verb="learn")).assigned
        use = Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)})
        for days in (0, -2, -2, -6, -7, -400):
            await keep(store, use, verb="use", at=NOW + days * DAY)
        memory = await one(store, seq)

        assert (6, NOW, NOW // DAY) == (memory.uses, memory.used_at, memory.use_day)
        assert 1 + (2 << 16) + (1 << 48) == memory.use_days

    async def test_a_key_that_one_memory_loses_another_takes(self, store: Store) -> None:
        """Both in one commit, and undone in one; a second new memory with that key is a conflict."""
        (old,) = (await keep(store, create_change(1, "old", key="k"))).assigned
        before = await one(store, old)
        freed = update_change(before, key=None)
        await expect_error(
            Conflict, keep(store, freed, create_change(1, "new", key="k"), create_change(2, "newer", key="k"))
        )
        commit = await keep(store, freed, create_change(1, "new", key="k"))
        (holder,) = await store.get(SCOPE, ["k"])
        (part,) = await store.history(SCOPE, run=commit.run)
        await keep(store, *inverses(part.changes), verb="undo")

        assert commit.assigned == (holder and holder.seq,)
        assert [before.seq, None] == [
            memory and memory.seq for memory in await store.get(SCOPE, ["k", commit.assigned[0]])
        ]

    async def test_a_destroyed_memory_leaves_nothing(self, store: Store) -> None:
        """A destroyed row is in no listing, posting, statistic or array any more."""
        keeper = create_change(1, "red apples")
        (keeper_seq,) = (await keep(store, keeper)).assigned
        before = await dump(store, SCOPE)
        creation = create_change(1, "green pears", **vector_column(store, b"\x00\x3c\x00\x00"))
        (seq,) = (
            await keep(
                store, creation, tag_change(-1, "fruit"), source_change(-1, "t1"), link_change(keeper_seq, -1)
            )
        ).assigned
        links = await store.neighbours(SCOPE, [seq])
        await keep(store, *map(unlink_change, links), *destroy_changes(await one(store, seq)), verb="purge")

        assert before.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()

    async def test_sequence_numbers_are_never_used_again(self, store: Store) -> None:
        """After the newest memory was destroyed, the next one has a higher number."""
        (seq,) = (await keep(store, create_change(1, "newest"))).assigned
        await keep(store, *destroy_changes(await one(store, seq)), verb="purge")

        assert seq < (await keep(store, create_change(1, "next"))).assigned[0]

    async def test_a_changed_text_is_found_by_its_new_words_only(self, store: Store) -> None:
        """Full text and term statistics follow the text."""
        (seq,) = (await keep(store, create_change(1, "zebra crossing"))).assigned
        await keep(store, update_change(await one(store, seq), text="lion crossing"), verb="update")
        after = await dump(store, SCOPE)
        postings = await store.search(SCOPE, ["zebra", "lion"])

        assert ([], [seq]) == (postings.rows["zebra"].tolist(), postings.rows["lion"].tolist())
        assert {1} == set(after.df.values())

    async def test_pruned_and_archived_memories_keep_everything(self, store: Store) -> None:
        """Archiving and pruning are states: text, tags, sources, links and full text stay."""
        commit = await keep(
            store,
            create_change(1, "zebra"),
            create_change(2, "lion"),
            tag_change(-1, "a"),
            source_change(-2, "s"),
            link_change(-1, -2),
        )
        zebra, lion = commit.assigned
        before = await dump(store, SCOPE)
        await keep(
            store,
            archive_change(await one(store, zebra)),
            prune_change(await one(store, lion)),
            verb="curate",
            planned=True,
        )
        after = await dump(store, SCOPE)

        assert (before.links, before.postings, before.df) == (after.links, after.postings, after.df)
        assert ("a",) == after.memories[zebra]["tags"]
        assert ("s",) == after.memories[lion]["sources"]

    async def test_a_link_is_kept_with_its_values(self, store: Store) -> None:
        """Weight, confidence, count and times of a link come back; a missing confidence or resolution stays missing."""
        values: dict[str, Any] = {
            "weight": 0.25,
            "confidence": 0.75,
            "count": 3,
            "created_at": NOW,
            "last_at": NOW + 1,
            "resolved_at": NOW + 2,
        }
        link = link_change(-1, -2, Relation.SUPPORTS, **values)
        a, b = (
            await keep(store, create_change(1, "a b"), create_change(2, "c d"), link, link_change(-2, -1))
        ).assigned
        links = await store.neighbours(SCOPE, [a])

        assert Link(a, b, Relation.SUPPORTS, **values) in links
        assert [(None, None)] == [(link.confidence, link.resolved_at) for link in links if link.source == b]

    async def test_a_link_of_which_nothing_is_said_has_its_defaults(self, store: Store) -> None:
        """Half a weight, seen once, nobody sure of it, at no time."""
        a, b = (await keep(store, create_change(1, "a b"), create_change(2, "c d"))).assigned
        await keep(store, Change("links", (a, b, int(Relation.REFERS)), None, {}), verb="link")
        (link,) = await store.neighbours(SCOPE, [a])

        assert (0.5, 1, None, 0, 0, None) == (
            link.weight,
            link.count,
            link.confidence,
            link.created_at,
            link.last_at,
            link.resolved_at,
        )

    async def test_a_link_changes_by_the_values_named(self, store: Store) -> None:
        """An update of a link keeps the values that it does not name."""
        a, b = (
            await keep(
                store,
                create_change(1, "a b"),
                create_change(2, "c d"),
                link_change(-1, -2, weight=0.5, count=2),
            )
        ).assigned
        key = (a, b, int(Relation.REFERS))
        await keep(store, Change("links", key, {"weight": 0.5}, {"weight": 0.6}), verb="link")
        (link,) = await store.neighbours(SCOPE, [b])

        assert (0.6, 2, NOW) == (link.weight, link.count, link.created_at)

    async def test_a_contradiction_is_resolved_once(self, store: Store) -> None:
        """Two who read a contradiction as open cannot both resolve it, and undoing the resolution opens it again."""
        between = link_change(-1, -2, Relation.CONTRADICTS)
        a, b = (await keep(store, create_change(1, "a b"), create_change(2, "c d"), between)).assigned
        key = (a, b, int(Relation.CONTRADICTS))
        resolution = Change("links", key, {"resolved_at": None}, {"resolved_at": NOW + 9})
        await keep(store, resolution, verb="resolve")
        late = await expect_error(Conflict, keep(store, resolution, verb="resolve"))
        (link,) = await store.neighbours(SCOPE, [a])
        await keep(store, *inverses((await store.history(SCOPE))[-1].changes), verb="undo")
        (open_link,) = await store.neighbours(SCOPE, [a])

        assert (("links", key),) == late.keys
        assert (NOW + 9, None) == (link.resolved_at, open_link.resolved_at)
        assert [] == await find_damage(store)

    async def test_ratings_are_counters(self, store: Store) -> None:
        """Two ratings that were decided on the same reading both count, and leave the revision."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        memory = await one(store, seq)
        for _ in range(2):
            await keep(
                store, update_change(memory, helped=Increment(700), failed=Increment(300)), verb="rate"
            )
        rated_memory = await one(store, seq)

        assert (1_400, 600, memory.revision) == (
            rated_memory.helped,
            rated_memory.failed,
            rated_memory.revision,
        )

    async def test_an_empty_commit_writes_nothing(self, store: Store) -> None:
        """No changes make no part in the audit, and the position stays."""
        first = await keep(store, create_change(1, "one"))
        empty = await keep(store)

        assert (first.position, 0, ()) == (empty.position, empty.changes, empty.assigned)
        assert 1 == len(await store.history(SCOPE))

    async def test_the_last_part_of_several_is_logged_though_it_is_empty(self, store: Store) -> None:
        """So that a run whose last changes all dropped out is told from one that was killed; no other empty part is."""
        await keep(store, create_change(1, "task"), run="r", final=False)
        for part, final in ((1, False), (2, True)):
            await keep(store, run="r", part=part, final=final)
        parts = await store.history(SCOPE, run="r")

        assert [(0, False, 1), (2, True, 0)] == [
            (one.cause.part, one.cause.final, one.count) for one in parts
        ]
        assert [] == await find_damage(store)

    async def test_positions_rise_with_each_commit(self, store: Store) -> None:
        """Each commit has a higher position than the one before, and the snapshot and postings tell it."""
        first = await keep(store, create_change(1, "one"))
        second = await keep(store, create_change(1, "two"))

        assert first.position < second.position
        assert second.position == (await store.search(SCOPE, [])).position

    async def test_scopes_do_not_see_each_other(self, store: Store) -> None:
        """The same text may be learned in two scopes, and neither reads, finds or counts the other's."""
        (mine,) = (await keep(store, create_change(1, "zebra", key="k"))).assigned
        other = create_change(1, "zebra", key="k", id="f" * 32)
        (theirs,) = (await keep(store, other, scope="another")).assigned
        content = await dump(store, SCOPE)

        assert ({mine}, {"zebra": (mine,)}, {1}) == (
            set(content.memories),
            dict(content.postings),
            set(content.df.values()),
        )
        assert ["f" * 32] == [(await one(store, theirs, "another")).id]
        assert [None] == await store.get(SCOPE, ["f" * 32])
        assert {SCOPE, "another"} == set(await store.survey(()))

    async def test_a_conflict_names_what_hangs_on_a_memory_that_is_there(self, store: Store) -> None:
        """A memory that is made again and stands already, with a tag that it bears: both rows are named."""
        (seq,) = (await keep(store, create_change(1, "task"))).assigned
        await keep(store, tag_change(seq, "x"), verb="tag")
        before = await dump(store, SCOPE)
        again = [create_change(-seq, "another task"), tag_change(seq, "x")]
        conflict = await expect_error(Conflict, keep(store, *again, verb="restore"))

        assert {("memories", seq), ("tags", (seq, "x"))} == set(conflict.keys)
        assert before == await dump(store, SCOPE)
