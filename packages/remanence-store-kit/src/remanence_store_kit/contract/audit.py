"""What a store remembers of its commits: parts in order, changes that can be turned round, a chain that holds.

Uses that follow each other are parts of one run, each with its own time.
"""

from collections.abc import Sequence
from dataclasses import replace

from remanence.core.change import Change, CommitResult, Increment, inverses
from remanence.core.clock import MINUTE
from remanence.core.errors import Conflict
from remanence.core.model import Reason, Relation, Status, Tier
from remanence.core.owner import BY_ENGINE, BY_POLICY, PERSON, Owner, owner_of, said_of
from remanence.store.audit_parts import USE_PARTS_MAX
from remanence.store.base import Find, Store
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
from remanence_store_kit.invariants import (
    find_broken_invariants,
    find_misordered_parts,
    find_unaccounted_rows,
)

WORDS = ("zebra", "lion", "tiger", "apple", "pear", "violin", "harbour")


class UseRunsContract:
    """Uses of a minute share a run; what each part says is what it would say alone."""

    async def test_uses_go_on_with_the_run_that_is_the_last(self, store: Store) -> None:
        """Each is a part with its own time, position, count and memories, and is read alone or with the others."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        first = await use(store, [a], NOW)
        second = await use(store, [a, b], NOW + 5, after=first)
        third = await use(store, [b], NOW + 9, after=second)
        parts = (await store.history(SCOPE))[1:]

        assert [(first.run, number, number + 2) for number in range(3)] == [
            (done.run, done.part, done.position) for done in (first, second, third)
        ]
        assert [(0, NOW, (a,), 1), (1, NOW + 5, (a, b), 2), (2, NOW + 9, (b,), 1)] == [
            (part.cause.part, part.cause.at, part.used, part.count) for part in parts
        ]
        assert parts == await store.history(SCOPE, run=first.run)
        for number, part in enumerate(parts):
            assert parts[number:] == await store.history(SCOPE, after=part.position - 1)
            assert [part] == await store.history(SCOPE, after=part.position - 1, limit=1)
            assert [part] == await store.history(SCOPE, run=first.run, after=part.position - 1, limit=1)
        bare = await store.history(SCOPE, after=parts[0].position - 1, rows=False)
        assert [replace(part, used=()) for part in parts] == bare
        assert [] == await store.history(SCOPE, after=third.position)
        assert (1, 2) == ((await one(store, a)).uses - 1, (await one(store, b)).uses)
        assert [] == await find_damage(store)

    async def test_what_a_part_of_uses_says_stays_when_others_follow(self, store: Store) -> None:
        """Cause, digest, count and memories are what they were before the next part, and once more was done."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        done = await use(store, [a], NOW)
        before = await store.history(SCOPE)
        done = await use(store, [a], NOW + 1, after=done)
        between = await store.history(SCOPE)
        await keep(store, tag_change(a, "x"), verb="tag")

        assert before == between[:2]
        assert between == (await store.history(SCOPE))[:3]

    async def test_uses_begin_a_run_where_they_cannot_go_on(self, store: Store) -> None:
        """After anything else, of another agent, a minute later, of before, in another scope, or of no run at all."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        (b,) = (await keep(store, create_change(1, "a a"), scope="other")).assigned
        first = await use(store, [a], NOW)
        elsewhere = await use(store, [b], NOW, after=first, scope="other")
        other = await use(store, [a], NOW, after=first, actor="bob")
        late = await use(store, [a], NOW + MINUTE, after=other, actor="bob")
        early = await use(store, [a], NOW - 1, after=late, actor="bob")
        skipped = await use(store, [a], NOW - 1, after=replace(early, part=1), actor="bob")
        await keep(store, tag_change(a, "x"), verb="tag")
        behind = await use(store, [a], NOW - 1, after=skipped, actor="bob")
        runs = [first, elsewhere, other, late, early, skipped, behind]

        assert 7 == len({done.run for done in runs})
        assert {0} == {done.part for done in runs}
        assert [] == await find_damage(store)

    async def test_scopes_in_turns_go_on_each_with_its_own_uses(self, store: Store) -> None:
        """A part between two of another scope parts nothing there; every scope is proven."""
        for scope in (SCOPE, "other"):
            await keep(store, create_change(1, "a a"), scope=scope)
        ends = {scope: (await store.find(scope, Find()))[0].seq for scope in (SCOPE, "other")}
        last: dict[str, CommitResult | None] = dict.fromkeys(ends)
        for number in range(6):
            for scope, seq in ends.items():
                last[scope] = await use(store, [seq], NOW + number, after=last[scope], scope=scope)

        for scope, seq in ends.items():
            uses = (await store.history(scope))[1:]
            assert [(number, NOW + number, (seq,)) for number in range(6)] == [
                (part.cause.part, part.cause.at, part.used) for part in uses
            ]
            assert 1 == len({part.cause.run for part in uses})
        assert [] == await find_damage(store)

    async def test_a_run_of_uses_has_an_end(self, store: Store) -> None:
        """Of parts, and of memories that they name: what comes then begins another."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        done: CommitResult | None = None
        for _ in range(USE_PARTS_MAX + 1):
            done = await use(store, [a], NOW, after=done)
        uses = (await store.history(SCOPE))[1:]

        assert [*range(USE_PARTS_MAX), 0] == [part.cause.part for part in uses]
        assert 2 == len({part.cause.run for part in uses})
        assert USE_PARTS_MAX + 1 == (await one(store, a)).uses

    async def test_a_part_of_uses_is_written_once(self, store: Store) -> None:
        """Asked for again, by whoever never learned that it was written, it is answered and nothing is counted."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        first = await use(store, [a], NOW)
        again = make_cause("use", NOW + 1, extends=(first.run, 1))
        change = [Change("memories", a, {"uses": Increment(-1)}, {"uses": Increment(1)})]
        answers = [await store.commit(SCOPE, change, again) for _ in range(3)]

        assert {answers[0]} == {*answers}
        assert (first.run, 1, 3) == (answers[0].run, answers[0].part, answers[0].position)
        assert 2 == (await one(store, a)).uses


async def undo_run(store: Store, run: str) -> None:
    """Undo a run: its parts in reverse, each inverted."""
    for part in reversed(await store.history(SCOPE, run=run)):
        await store.commit(SCOPE, inverses(part.changes), make_cause("undo"))


class AuditContract:
    """Every part is logged with what turns it round, and undo gives back what was there."""

    async def test_a_part_is_logged_with_its_cause(self, store: Store) -> None:
        """History tells who did what, when, under which policy, as which part of which run."""
        cause = make_cause(
            "curate", NOW + 1, run="a" * 32, part=2, final=False, actor="ann", policy="p1",
            detail={"plan": "x", "n": 3}, destroyed=1, fired=("best",), planned=True,
        )  # fmt: skip
        commit = await store.commit(SCOPE, [create_change(1, "a a"), tag_change(-1, "x")], cause)
        (part,) = await store.history(SCOPE)

        assert (cause, commit.position, 2) == (part.cause, part.position, part.count)

    async def test_a_run_tells_whose_it_is(self, store: Store) -> None:
        """A person's says nothing, an agent's and a policy's say so, the engine's are told by their verbs."""
        owners = [PERSON, Owner("agent", "ann of the desk"), BY_POLICY, BY_ENGINE]
        for number, (owner, verb) in enumerate(
            zip(owners, ("learn", "learn", "curate", "extract"), strict=True)
        ):
            cause = make_cause(verb, NOW + number, detail=said_of(owner, verb))
            await store.commit(SCOPE, [create_change(1, f"text {number}")], cause)

        assert owners == [owner_of(part.cause) for part in await store.history(SCOPE)]
        assert [] == await find_damage(store)

    async def test_a_creation_is_logged_by_its_key(self, store: Store) -> None:
        """A new memory is logged under its assigned number, with its revision and without its text."""
        a, b = (
            await keep(
                store,
                create_change(1, "a a"),
                create_change(2, "b b"),
                tag_change(-2, "x"),
                link_change(-1, -2),
            )
        ).assigned
        (part,) = await store.history(SCOPE)
        by_key = {(change.table, change.key): change for change in part.changes}

        assert Change("memories", a, None, {"revision": 1}) == by_key["memories", a]
        assert Change("tags", (b, "x"), None, {}) == by_key["tags", (b, "x")]
        assert ("links", (a, b, 7)) in by_key

    async def test_an_update_is_logged_by_the_columns_that_change(self, store: Store) -> None:
        """The log holds old and new values of what changed, and the revision before and after."""
        (a,) = (await keep(store, create_change(1, "a a", category="task", confidence=0.25))).assigned
        await keep(store, archive_change(await one(store, a), Reason.BUDGET), verb="curate")
        (change,) = (await store.history(SCOPE))[-1].changes

        assert {"status": 0, "tier": 0, "reason": None, "revision": 1} == change.before
        assert {"status": 3, "tier": 3, "reason": Reason.BUDGET, "revision": 2} == change.after

    async def test_old_values_are_logged_even_if_unsaid(self, store: Store) -> None:
        """A change that does not name what was there is logged with what was there."""
        (a,) = (await keep(store, create_change(1, "a a", state="open", attributes={"n": 1}))).assigned
        await keep(store, Change("memories", a, {}, {"state": "done", "attributes": None}), verb="update")
        (change,) = (await store.history(SCOPE))[-1].changes

        assert {"state": "open", "attributes": {"n": 1}, "revision": 1} == change.before

    async def test_a_destruction_is_logged_whole(self, store: Store) -> None:
        """The log of a destroyed memory holds every column that had a value, its text and vector too."""
        columns = {
            "category": "task",
            "confidence": 0.3,
            "attributes": {"n": [1]},
            **vector_column(store, b"\x00\x3c\x00\x40"),
        }
        (a,) = (await keep(store, create_change(1, "zebra lion", **columns))).assigned
        memory = await one(store, a)
        await keep(store, *destroy_changes(memory), verb="purge")
        (change,) = (await store.history(SCOPE))[-1].changes

        assert change.after is None
        assert columns | {
            "text": "zebra lion",
            "id": memory.id,
            "fingerprint": memory.fingerprint,
            "revision": 1,
        } == {
            name: (change.before or {}).get(name)
            for name in [*columns, "text", "id", "fingerprint", "revision"]
        }

    async def test_uses_are_logged_without_rows(self, store: Store) -> None:
        """A commit of the verb "use" leaves a part with a count and no changes: uses are never undone."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        await keep(store, update_change(await one(store, a), uses=Increment(1)), verb="use")
        part = (await store.history(SCOPE))[-1]

        assert ("use", (), 1) == (part.cause.verb, part.changes, part.count)

    async def test_increments_are_logged_as_increments(self, store: Store) -> None:
        """Other counters are logged by their amount, whose inverse is the negative amount."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        await keep(store, update_change(await one(store, a), confirmations=Increment(2)), verb="confirm")
        await keep(store, update_change(await one(store, a), confirmations=Increment(3)), verb="confirm")
        change = (await store.history(SCOPE))[1].changes
        await store.commit(SCOPE, inverses(change), make_cause("undo"))

        assert (
            Change("memories", a, {"confirmations": Increment(-2)}, {"confirmations": Increment(2)}),
        ) == change
        assert 3 == (await one(store, a)).confirmations

    async def test_history_of_one_run(self, store: Store) -> None:
        """The parts of a run come oldest first, others' between them are left out."""
        for part, run in enumerate(("a" * 32, "b" * 32, "a" * 32)):
            await keep(store, create_change(1, f"number{part}"), run=run, part=part)
        parts = await store.history(SCOPE, run="a" * 32)

        assert [("a" * 32, 0), ("a" * 32, 2)] == [(part.cause.run, part.cause.part) for part in parts]
        assert [] == await store.history(SCOPE, run="c" * 32)

    async def test_history_of_one_memory(self, store: Store) -> None:
        """A memory's history holds its own changes, its tags, sources and links, and nobody else's."""
        a, b = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), tag_change(-2, "x"))
        ).assigned
        await keep(store, update_change(await one(store, b), state="x"), verb="update")
        await keep(store, link_change(a, b), source_change(b, "s"), verb="link")
        parts = await store.history(SCOPE, memory=a)

        assert [[("memories", a)], [("links", (a, b, 7))]] == [
            [(change.table, change.key) for change in part.changes] for part in parts
        ]

    async def test_history_is_paged(self, store: Store) -> None:
        """`after` and `limit` walk through the parts, each once."""
        positions = [(await keep(store, create_change(1, f"number{k}"))).position for k in range(5)]
        page = await store.history(SCOPE, limit=2)
        rest = await store.history(SCOPE, after=page[-1].position)

        assert positions == [part.position for part in page + rest]

    async def test_history_without_rows_still_counts(self, store: Store) -> None:
        """With rows=False the parts come without their changes, whose number is told."""
        await keep(store, create_change(1, "a a"), create_change(2, "b b"), tag_change(-1, "x"))
        (bare,) = await store.history(SCOPE, rows=False)
        (whole,) = await store.history(SCOPE)

        assert ((), 3) == (bare.changes, bare.count)
        assert (whole.digest, whole.cause, whole.position) == (bare.digest, bare.cause, bare.position)

    async def test_digests_differ_by_what_was_done(self, store: Store) -> None:
        """The same change in a later part has another digest: each follows from the one before."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        for part in (0, 2):
            await keep(store, tag_change(a, "x"), verb="tag", run="a" * 32, part=part)
            await keep(store, Change("tags", (a, "x"), {}, None), verb="tag", run="a" * 32, part=part + 1)
        digests = [part.digest for part in await store.history(SCOPE)]

        assert 5 == len(set(digests))

    async def test_undo_gives_back_an_update(self, store: Store) -> None:
        """An undone update leaves the row as it was, with a revision that has risen."""
        (a,) = (await keep(store, create_change(1, "a a", state="open", attributes={"n": 1}))).assigned
        before = await one(store, a)
        await keep(
            store, update_change(before, state=None, attributes={"n": 2}, severity=2), verb="update", run="r"
        )
        await undo_run(store, "r")
        after = await one(store, a)

        assert (before.state, before.attributes, None) == (after.state, after.attributes, after.severity)
        assert 3 == after.revision

    async def test_undo_gives_back_a_destruction_byte_for_byte(self, store: Store) -> None:
        """A destroyed memory comes back with its number, vector, tags, sources, links and full text."""
        columns = {
            "attributes": {"é": [1, None]},
            "holds": {"x": None},
            "confidence": 1 / 3,
            **vector_column(store, b"\x01\x3c\xff\x7b"),
            "alignment": 0.1,
            "helped": 2_000,
            "failed": 1,
        }
        changes = [create_change(1, "zebra lion", key="k", **columns), create_change(2, "tiger lion")]
        links = [link_change(-1, -2), link_change(-1, -2, Relation.CONTRADICTS, resolved_at=NOW + 1)]
        a, _ = (
            await keep(store, *changes, tag_change(-1, "t"), source_change(-1, "s", "1:2"), *links)
        ).assigned
        before = await dump(store, SCOPE)
        neighbours = await store.neighbours(SCOPE, [a])
        await keep(
            store,
            *destroy_changes(await one(store, a)),
            *map(unlink_change, neighbours),
            verb="purge",
            run="r",
        )
        assert before.drop_unrestorable() != (await dump(store, SCOPE)).drop_unrestorable()
        await undo_run(store, "r")
        after = await dump(store, SCOPE)

        assert before.drop_unrestorable() == after.drop_unrestorable()
        assert before.memories[a]["revision"] < after.memories[a]["revision"]

    async def test_undo_takes_back_a_creation(self, store: Store) -> None:
        """An undone creation leaves nothing behind, full text and statistics neither."""
        await keep(store, create_change(1, "zebra lion"))
        before = await dump(store, SCOPE)
        await keep(
            store,
            create_change(1, "zebra tiger"),
            create_change(2, "tiger"),
            tag_change(-1, "x"),
            link_change(-1, -2),
            run="r",
        )
        await undo_run(store, "r")

        assert before == await dump(store, SCOPE)

    async def test_undo_of_a_changed_row_is_refused(self, store: Store) -> None:
        """A row that changed after the run makes its undo a Conflict, and nothing is undone."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        await keep(
            store,
            archive_change(await one(store, a)),
            prune_change(await one(store, b)),
            verb="curate",
            run="r",
        )
        restoration = update_change(await one(store, b), status=Status.ACTIVE, reason=None)
        await keep(store, restoration, verb="restore")
        before = await dump(store, SCOPE)
        conflict = await expect_error(Conflict, undo_run(store, "r"))

        assert (("memories", b),) == conflict.keys
        assert before == await dump(store, SCOPE)

    async def test_undo_of_an_undo_does_it_again(self, store: Store) -> None:
        """An undoing is a run like another: it can be undone."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        await keep(store, archive_change(await one(store, a)), verb="curate", run="r")
        content = await dump(store, SCOPE)
        await undo_run(store, "r")
        await undo_run(store, (await store.history(SCOPE))[-1].cause.run)

        assert content.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()

    async def test_everything_is_sound_after_much(self, store: Store) -> None:
        """After creation, change, destruction and undo, every check and invariant holds."""
        changes = [
            create_change(k, f"zebra number{k}", **vector_column(store, b"\x00\x3c")) for k in (1, 2, 3)
        ]
        a, b, c = (
            await keep(store, *changes, link_change(-1, -2), tag_change(-3, "x"), source_change(-3, "s"))
        ).assigned
        await keep(store, update_change(await one(store, a), text="tiger", tier=Tier.COLD), verb="update")
        await keep(
            store,
            archive_change(await one(store, b)),
            *destroy_changes(await one(store, c)),
            verb="curate",
            run="r",
        )
        await undo_run(store, "r")
        content = await dump(store, SCOPE)

        assert [] == await find_damage(store)
        assert [] == find_broken_invariants(content)
        log = await store.history(SCOPE)
        assert [[], []] == [find_unaccounted_rows(content, log), find_misordered_parts(log)]

    async def test_indexes_stay_true_for_many_texts(self, store: Store) -> None:
        """Full text and statistics hold where hundreds of texts are learned, changed, destroyed and brought back."""
        many = [create_change(k, f"{WORDS[k % 7]} {WORDS[k % 5]} number{k}") for k in range(1, 301)]
        seqs = (await keep(store, *many)).assigned
        for k, seq in enumerate(seqs[:20]):
            few = [
                create_change(1, f"{WORDS[k % 3]} later{k}"),
                update_change(await one(store, seq), text=f"{WORDS[k % 4]} anew"),
            ]
            await keep(store, *few, verb="update")
        latest = (await keep(store, create_change(1, "zebra last"), create_change(2, "lion last"))).assigned
        doomed_seqs = [*seqs[10:160], latest[0]]
        rows = [row for row in await store.get(SCOPE, doomed_seqs) if row is not None]
        before = await dump(store, SCOPE)
        await keep(store, *(change for row in rows for change in destroy_changes(row)), verb="purge", run="r")
        between = await dump(store, SCOPE)
        await undo_run(store, "r")
        after = await dump(store, SCOPE)

        assert [[], [], []] == [
            find_broken_invariants(before),
            find_broken_invariants(between),
            find_broken_invariants(after),
        ]
        assert before.drop_unrestorable() == after.drop_unrestorable()
        assert [] == await find_damage(store)


async def use(
    store: Store,
    seqs: Sequence[int],
    at: int,
    *,
    after: CommitResult | None = None,
    scope: str = SCOPE,
    actor: str | None = None,
) -> CommitResult:
    """Count a use of some memories, as what follows `after` where the store can go on with it."""
    changes = [Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)}) for seq in seqs]
    extends = None if after is None else (after.run, after.part + 1)
    return await store.commit(scope, changes, make_cause("use", at, actor=actor, extends=extends))
