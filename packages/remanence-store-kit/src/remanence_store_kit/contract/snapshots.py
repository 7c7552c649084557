"""A scope frozen as columns: kinds, codes, missing values, tags, links and what was fired."""

import numpy as np

from remanence.core.attributes import parse_attribute_filter
from remanence.core.change import Change, Increment
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.model import COLUMNS, Kind, Relation, Status
from remanence.core.snapshot import LINK_COLUMNS, Holds, Snapshot, SnapshotRequest
from remanence.store.base import Store
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    create_change,
    destroy_changes,
    expect_error,
    keep,
    link_change,
    one,
    prune_change,
    tag_change,
    update_change,
)

NUMERIC = frozenset(
    column.name for column in COLUMNS if column.kind not in {"text", "json", "blob", "accessors"}
)


async def take_snapshot(store: Store, *columns: str, **more: object) -> Snapshot:
    """Freeze the scope with these columns."""
    return await store.snapshot(SCOPE, SnapshotRequest(frozenset(columns), **more), NOW)  # type: ignore[arg-type]


class SnapshotContract:
    """A snapshot holds every row once, aligned, with missing values marked as missing."""

    async def test_a_snapshot_holds_every_row(self, store: Store) -> None:
        """Memories of every status are in it, in order of arrival, destroyed ones are not."""
        a, b, c = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), create_change(3, "c c"))
        ).assigned
        await keep(
            store, prune_change(await one(store, a)), *destroy_changes(await one(store, b)), verb="curate"
        )
        snapshot = await take_snapshot(store, "status")

        assert [a, c] == snapshot.seq.tolist()
        assert [Status.PRUNED, Status.INBOX] == snapshot.columns["status"].tolist()

    async def test_a_snapshot_tells_whose_text_asks(self, store: Store) -> None:
        """A question mark of any script, wherever it stands; a snapshot that is not asked does not say."""
        texts = ("Who rows?", "Nobody rows", "Why? Because", "誰？", "%_", "من؟")
        await keep(store, *(create_change(k, text) for k, text in enumerate(texts, 1)))
        asks = (await take_snapshot(store, asks=True)).asks
        assert asks is not None

        assert [True, False, True, True, False, True] == asks.tolist()
        assert None is (await take_snapshot(store)).asks

    async def test_a_snapshot_of_some_holds_these_alone(self, store: Store) -> None:
        """Those that hold a label or name of each column of any choice; it still says how many there are in all."""
        pairs = ("notice", 2), ("task", 2), ("notice", 0), (None, 2), ("fact", 2)
        creations = (
            create_change(k, f"text {k}", category=category, policy_class=level)
            for k, (category, level) in enumerate(pairs, 1)
        )
        a, b, _, _, e = (await keep(store, *creations)).assigned
        await keep(store, tag_change(b, "flag/x"), tag_change(e, "flag/x"), actor="ann", verb="curate")
        uses = [Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)}) for seq in (b, e)]
        await keep(store, *uses, verb="use", actor="ann")
        notices: Holds = {"category": frozenset({"notice", "never seen"}), "policy_class": frozenset({2})}
        among = (notices, {"category": frozenset({"fact"})})
        some = await take_snapshot(
            store,
            "category",
            among=among,
            agents=True,
            tags=frozenset({"flag/x"}),
            tagged_at=frozenset({"flag/x"}),
        )
        assert some.agents is not None

        assert ([a, e], 5) == (some.seq.tolist(), some.memories)
        assert (("fact", "notice"), [1, 0]) == (some.names["category"], some.columns["category"].tolist())
        assert ([0, 1], [False, True]) == (some.agents.tolist(), some.tags["flag/x"].tolist())
        assert [True, False] == np.isnan(some.tagged_at["flag/x"]).tolist()
        assert ([], 5) == (
            (nobody := await take_snapshot(store, "category", among=(), agents=True)).seq.tolist(),
            nobody.memories,
        )

    async def test_a_snapshot_of_some_has_their_links_and_the_other_ends(self, store: Store) -> None:
        """Whichever end they are at, with all that is asked of them; links between others are not there."""
        categories = ("notice", "task", "fact", "task", "fact")
        creations = [
            create_change(k, f"text {k}", category=category) for k, category in enumerate(categories, 1)
        ]
        links = [link_change(-1, -3), link_change(-2, -3), link_change(-2, -4), link_change(-4, -5)]
        a, b, c, d, _ = (await keep(store, *creations, *links)).assigned
        await keep(
            store, Change("links", (b, d, int(Relation.REFERS)), {"resolved_at": None}, {"resolved_at": NOW})
        )
        await keep(
            store,
            Change("links", (a, c, int(Relation.REFERS)), {"resolved_at": None}, {"resolved_at": NOW + 1}),
        )
        columns = frozenset({"count", "last_at", "resolved_at", "confidence"})
        some = await take_snapshot(
            store, "category", among=({"category": frozenset({"notice"})},), links=columns
        )
        few = await take_snapshot(
            store, "category", among=({"category": frozenset({"fact"})},), links=columns
        )
        nobody = await take_snapshot(store, "category", among=(), links=frozenset())
        assert some.links is not None
        assert few.links is not None
        assert nobody.links is not None

        assert ([a, c], 5) == (some.seq.tolist(), some.memories)
        assert (("fact", "notice"), [1, 0]) == (some.names["category"], some.columns["category"].tolist())
        assert ([0], [1]) == (some.links.source.tolist(), some.links.target.tolist())
        assert some.links.resolved_at is not None
        assert [NOW + 1] == some.links.resolved_at.tolist()
        assert [a, b, c, d, d + 1] == few.seq.tolist()
        assert ([0, 1, 3], [2, 2, 4]) == (few.links.source.tolist(), few.links.target.tolist())
        assert ([], 0) == (nobody.seq.tolist(), len(nobody.links))

    async def test_a_snapshot_of_some_of_many_has_the_same(self, store: Store) -> None:
        """Also where the few are looked up, and by a tag that they bear."""
        creations = [create_change(k, f"text {k}") for k in range(1, 21)]
        (first, *_, last) = (
            await keep(store, *creations, link_change(-3, -19), link_change(-19, -20), link_change(-1, -2))
        ).assigned
        await keep(store, tag_change(last - 1, "flag/x"), actor="ann", verb="curate")
        some = await take_snapshot(
            store, among=({"tag": frozenset({"flag/x", "flag/none"})},), links=frozenset()
        )
        assert some.links is not None

        assert [first + 2, last - 1, last] == some.seq.tolist()
        assert ([0, 1], [1, 2]) == (some.links.source.tolist(), some.links.target.tolist())

    async def test_a_snapshot_of_some_by_number_has_their_links_and_the_other_ends(
        self, store: Store
    ) -> None:
        """Of the links of these ends none; one that is not there has nothing."""
        creations = [create_change(k, f"text {k}") for k in range(1, 6)]
        links = link_change(-2, -3), link_change(-3, -4), link_change(-1, -5), link_change(-4, -2)
        first, *_ = (await keep(store, *creations, *links)).assigned
        some = await take_snapshot(store, only=(first + 1, first + 77), links=frozenset({"resolved_at"}))
        assert some.links is not None

        assert [first + 1, first + 2, first + 3] == some.seq.tolist()
        assert ([0, 2], [1, 0]) == (some.links.source.tolist(), some.links.target.tolist())
        assert 5 == some.memories

    async def test_a_snapshot_of_some_names_what_they_hold(self, store: Store) -> None:
        """Only labels, names and tags tell who is meant, or numbers; links are of one or of the other."""
        both = {"only": (1,), "among": ({"status": frozenset({0})},)}
        await expect_error(InvalidInput, take_snapshot(store, links=frozenset(), **both))
        await expect_error(InvalidInput, take_snapshot(store, among=(), attributes=frozenset({"x"})))
        await expect_error(NameUnknown, take_snapshot(store, among=({"tokens": frozenset({1})},)))

    async def test_a_snapshot_counts_the_links_where_it_is_asked(self, store: Store) -> None:
        """Those of the scope, without reading them."""
        changes = [create_change(1, "a a"), create_change(2, "b b"), link_change(-1, -2), link_change(-2, -1)]
        await keep(store, *changes)
        await keep(store, *changes, scope="another")
        snapshot = await take_snapshot(store, link_count=True)

        assert (2, None) == (snapshot.link_count, snapshot.links)
        assert None is (await take_snapshot(store)).link_count
        assert (
            0
            == (
                await store.snapshot("nowhere", SnapshotRequest(frozenset(), link_count=True), NOW)
            ).link_count
        )

    async def test_a_snapshot_counts_agents(self, store: Store) -> None:
        """How many used each memory, and how many of them others; one that is not asked does not say."""
        creations = (create_change(1, "a a"), create_change(2, "b b"), create_change(3, "c c", agent="bob"))
        a, _, c = (await keep(store, *creations)).assigned
        for actor, seqs in (("ann", (a, c)), ("bob", (c,)), ("ann", (c,))):
            uses = [Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)}) for seq in seqs]
            await keep(store, *uses, verb="use", actor=actor)
        snapshot = await take_snapshot(store, agents=True)
        assert snapshot.agents is not None
        assert snapshot.other_agents is not None

        assert ([1, 0, 2], [1, 0, 1]) == (snapshot.agents.tolist(), snapshot.other_agents.tolist())
        assert (None, {}) == ((await take_snapshot(store)).agents, (await take_snapshot(store)).tagged_at)

    async def test_a_snapshot_counts_agents_whose_memories_rest_on_one(self, store: Store) -> None:
        """Once with those that used it; neither its own, nor by a likeness or a memory that is gone."""
        creations = [create_change(1, "one", agent="ann")]
        creations += [
            create_change(k, f"text {k}", agent=agent)
            for k, agent in enumerate(["bob", "bob", "cid", "ann", None, "dan", "eve"], start=2)
        ]
        a, *others = (await keep(store, *creations)).assigned
        by = [Relation.REFERS, Relation.SUPPORTS, Relation.MENTIONS, Relation.REFERS, Relation.REFERS]
        await keep(
            store,
            *(link_change(one, a, relation) for one, relation in zip(others, by, strict=False)),
            link_change(a, others[5], Relation.SIMILAR),
            link_change(others[6], a, Relation.REFERS),
        )
        use = Change("memories", a, {"uses": Increment(-1)}, {"uses": Increment(1)})
        for actor in ("bob", "fay"):
            await keep(store, use, verb="use", actor=actor)
        await keep(store, prune_change(await one(store, others[6])), verb="forget")
        snapshot = await take_snapshot(store, agents=True)
        part = await take_snapshot(store, agents=True, only=(a,))
        assert snapshot.sharing_agents is not None
        assert part.sharing_agents is not None

        assert [3, *[0] * 7] == snapshot.sharing_agents.tolist()
        assert [3] == part.sharing_agents.tolist()

    async def test_a_snapshot_tells_when_tags_were_set(self, store: Store) -> None:
        """Of a tag that is asked for, by its whole name; NaN where a memory lacks it."""
        a, b = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), tag_change(-1, "flag/x"))
        ).assigned
        await keep(store, tag_change(b, "flag/x"), tag_change(a, "flag/y"), at=NOW + 5, verb="curate")
        wanted_ = frozenset({"flag/x", "flag/y", "flag/*"})
        times = (await take_snapshot(store, tagged_at=wanted_)).tagged_at

        assert [NOW, NOW + 5] == times["flag/x"].tolist()
        assert (NOW + 5, True) == (times["flag/y"][0], np.isnan(times["flag/y"][1]))
        assert np.isnan(times["flag/*"]).all()

    async def test_a_snapshot_of_many_rows_is_whole(self, store: Store) -> None:
        """Thousands of rows come whole and aligned, whatever ranges they are read in."""
        count = 2_500
        commit = await keep(store, *(create_change(k, f"number{k}", tokens=k) for k in range(1, count + 1)))
        snapshot = await take_snapshot(store, "tokens")

        assert list(commit.assigned) == snapshot.seq.tolist()
        assert list(range(1, count + 1)) == snapshot.columns["tokens"].tolist()

    async def test_enums_are_codes_of_eight_bits(self, store: Store) -> None:
        """An enum is its number, −1 where absent."""
        await keep(store, create_change(1, "a a", kind=Kind.PROCEDURAL), create_change(2, "b b"))
        kind = (await take_snapshot(store, "kind")).columns["kind"]

        assert ([2, -1], np.dtype(np.int8)) == (kind.tolist(), kind.dtype)

    async def test_names_are_codes_into_their_names(self, store: Store) -> None:
        """A name is a code into `names[column]`, −1 where absent."""
        categories = ["task", None, "fact", "task"]
        await keep(
            store,
            *(
                create_change(k + 1, f"number{k}", category=name, agent=name)
                for k, name in enumerate(categories)
            ),
        )
        snapshot = await take_snapshot(store, "category", "agent")
        codes = snapshot.columns["category"]

        assert categories == [
            None if code < 0 else snapshot.names["category"][code] for code in codes.tolist()
        ]
        assert (np.dtype(np.int32), -1) == (codes.dtype, codes[1])

    async def test_attributes_are_codes_by_what_they_answer_to(self, store: Store) -> None:
        """A row's code is −1 where the attribute is absent or null, also of a name that JSON must escape."""
        odd = 'say "ё"\\'
        attributes: list[dict[str, object] | None] = [
            {"a": "x", odd: 1}, None, {"a": ["x", 2]}, {"b": "x"}, {"a": None, "b": True}, {"a": {"x": "x"}},
        ]  # fmt: skip
        await keep(
            store, *(create_change(k + 1, f"number{k}", attributes=one) for k, one in enumerate(attributes))
        )
        await keep(store, create_change(1, "elsewhere", attributes={"a": "x"}), scope="another")
        snapshot = await take_snapshot(store, attributes=frozenset({"a", "b", odd}))

        def met(name: str, value: object) -> list[bool]:
            column, codes = snapshot.attributes[name]
            matches: list[bool] = column.match_codes(codes, parse_attribute_filter(name, value)).tolist()
            return matches

        assert [True, False, True, False, False, False] == met("a", "x")
        assert [False, True, False, True, True, False] == met("a", None)
        assert [False, False, False, True, True, False] == met("b", ["x", True])
        assert [True, False, False, False, False, False] == met(odd, 1)
        assert {} == dict((await take_snapshot(store)).attributes)

    async def test_times_and_fractions_are_floats(self, store: Store) -> None:
        """Times are exact microseconds, fractions exact to six digits, both NaN where absent."""
        await keep(
            store, create_change(1, "a a", used_at=NOW + 1, confidence=0.123456), create_change(2, "b b")
        )
        columns = (await take_snapshot(store, "used_at", "confidence")).columns

        assert (NOW + 1, 0.123456) == (columns["used_at"][0], columns["confidence"][0])
        assert np.isnan([columns["used_at"][1], columns["confidence"][1]]).all()
        assert {np.dtype(np.float64)} == {columns["used_at"].dtype, columns["confidence"].dtype}

    async def test_ints_and_flags_have_64_bits(self, store: Store) -> None:
        """Counts and flags are int64, and use days are counted in them."""
        (a,) = (await keep(store, create_change(1, "a a", pinned=1, tokens=70_000))).assigned
        await keep(store, update_change(await one(store, a), uses=Increment(3)), verb="use", at=NOW)
        columns = (await take_snapshot(store, "pinned", "tokens", "uses", "use_days", "use_day")).columns

        assert [1, 70_000, 3, 3, NOW // DAY] == [
            columns[name][0] for name in ("pinned", "tokens", "uses", "use_days", "use_day")
        ]
        assert {np.dtype(np.int64)} == {array.dtype for array in columns.values()}

    async def test_revision_and_touched_are_always_there(self, store: Store) -> None:
        """The two guards come unasked, as the row has them."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        await keep(store, update_change(await one(store, a), state="x"), verb="update")
        await keep(store, update_change(await one(store, a), uses=Increment(1)), verb="use")
        memory, snapshot = await one(store, a), await take_snapshot(store)

        assert (memory.revision, memory.touched) == (
            snapshot.columns["revision"][0],
            snapshot.columns["touched"][0],
        )

    async def test_every_number_can_be_asked_for(self, store: Store) -> None:
        """Every column that is no text, JSON or blob comes aligned; those are refused."""
        await keep(store, create_change(1, "a a"), create_change(2, "b b"))
        snapshot = await take_snapshot(store, *NUMERIC)

        assert NUMERIC == snapshot.columns.keys()
        assert {2} == {len(array) for array in snapshot.columns.values()}
        for name in ("text", "attributes", "vector"):
            await expect_error(InvalidInput, take_snapshot(store, name))
        await expect_error(InvalidInput, take_snapshot(store, "nonsense"))

    async def test_tags_come_as_asked(self, store: Store) -> None:
        """A pattern ending in a star matches by its beginning, any other by the whole tag; case counts."""
        tags = [
            tag_change(-1, "self/name"),
            tag_change(-2, "selfish"),
            tag_change(-3, "Self/name"),
            tag_change(-3, "100%"),
        ]
        await keep(store, *(create_change(k, f"number{k}") for k in (1, 2, 3)), *tags)
        patterns = frozenset({"self/*", "selfish", "self", "100%", "1*", "*", "s?lf*", "absent"})
        masks = (await take_snapshot(store, tags=patterns)).tags

        assert {
            "self/*": [True, False, False],
            "selfish": [False, True, False],
            "self": [False] * 3,
            "100%": [False, False, True],
            "1*": [False, False, True],
            "*": [True] * 3,
            "s?lf*": [False] * 3,
            "absent": [False] * 3,
        } == {pattern: array.tolist() for pattern, array in masks.items()}

    async def test_links_come_as_columns(self, store: Store) -> None:
        """Link ends are row numbers of the snapshot, also after a row between them has gone; all relations come."""
        a, purged_seq, c = (await keep(store, *(create_change(k, f"number{k}") for k in (1, 2, 3)))).assigned
        await keep(store, *destroy_changes(await one(store, purged_seq)), verb="purge")
        await keep(
            store,
            link_change(c, a, Relation.SUPERSEDES, weight=0.25, last_at=NOW + 3),
            link_change(a, c, Relation.SIMILAR, confidence=0.5, resolved_at=NOW - 1),
        )
        links = (await take_snapshot(store, links=LINK_COLUMNS)).links
        assert links is not None
        rows = sorted(zip(links.source.tolist(), links.target.tolist(), links.relation.tolist(), strict=True))
        old = links.relation.tolist().index(Relation.SUPERSEDES)

        assert [(0, 1, Relation.SIMILAR), (1, 0, Relation.SUPERSEDES)] == rows
        both = np.array([old, 1 - old])
        assert ([0.25, 0.5], [1, 1]) == (
            links.read_column("weight", both).tolist(),
            links.read_column("count", both).tolist(),
        )
        assert [NOW + 3, NOW] == links.read_column("last_at", both).tolist()
        assert ["nan", "0.5"] == [str(value) for value in links.read_column("confidence", both)]
        assert ["nan", str(float(NOW - 1))] == [
            str(value) for value in links.read_column("resolved_at", both)
        ]
        assert (await take_snapshot(store)).links is None

    async def test_links_come_with_the_columns_asked_for(self, store: Store) -> None:
        """Ends, relation and weight always come, no other unasked; a column that links have not is refused."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        await keep(store, link_change(a, b, weight=0.123457, confidence=0.75, count=3, resolved_at=NOW))
        for name in (*LINK_COLUMNS, ""):
            links = (await take_snapshot(store, links=frozenset({name} - {""}))).links
            assert links is not None
            here = {other for other in LINK_COLUMNS if getattr(links, other) is not None}

            assert {name} - {""} == here
            assert ([123457], [0], [1]) == tuple(
                array.tolist() for array in (links.weight, links.source, links.target)
            )
        await expect_error(NameUnknown, take_snapshot(store, links=frozenset({"created"})))

    async def test_an_empty_scope_has_an_empty_snapshot(self, store: Store) -> None:
        """A scope without rows gives arrays of length 0 and position 0."""
        snapshot = await take_snapshot(store, *NUMERIC, tags=frozenset({"x"}), links=LINK_COLUMNS)

        assert (0, 0, 0) == (len(snapshot), snapshot.position, len(snapshot.links or ()))
        assert {0} == {len(array) for array in (*snapshot.columns.values(), *snapshot.tags.values())}

    async def test_a_snapshot_tells_its_position(self, store: Store) -> None:
        """Its position is that of the last commit, so that a change after it can be seen."""
        commit = await keep(store, create_change(1, "a a"))

        assert commit.position == (await take_snapshot(store)).position

    async def test_fired_rules_are_remembered(self, store: Store) -> None:
        """A commit that names periodic rules as fired tells the next snapshot when they were, per scope."""
        await keep(store, create_change(1, "a a"), at=NOW, fired=("best", "other"))
        await keep(store, create_change(1, "b b"), at=NOW + 5, fired=("best",))

        assert {"best": NOW + 5, "other": NOW} == dict((await take_snapshot(store)).fired)
        assert {} == dict((await store.snapshot("another", SnapshotRequest(frozenset()), NOW)).fired)

    async def test_the_newest_time_is_told(self, store: Store) -> None:
        """`newest_at` is at least the latest time of a commit, so that a clock gone back is noticed."""
        await keep(store, create_change(1, "a a"), at=NOW + 7)
        await keep(store, create_change(1, "b b"), at=NOW)

        assert NOW + 7 == (await take_snapshot(store)).newest_at

    async def test_destructions_of_a_day_are_added_up(self, store: Store) -> None:
        """`destroyed_today` counts what commits of the 24 hours before `now` declared as destroyed."""
        for hours, count in ((-25, 100), (-23, 3), (-1, 4)):
            await keep(store, create_change(1, f"number{count}"), at=NOW + hours * DAY // 24, destroyed=count)

        assert 7 == (await take_snapshot(store)).destroyed_today
