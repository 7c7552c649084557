"""What a store answers: memories by name, listings, postings, vectors, neighbours, and what a write must know."""

import numpy as np

from remanence.core.arrival import Segment, Tail
from remanence.core.clock import DAY, SECOND
from remanence.core.local_time import SaidSpan
from remanence.core.model import Kind, Reason, Relation, Severity, Status
from remanence.core.segment import GAP_MAX
from remanence.store.base import Arriving, Bookkeeping, Find, Store
from remanence.text.analysis import fingerprint, term_hash
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    create_change,
    destroy_changes,
    keep,
    link_change,
    one,
    prune_change,
    tag_change,
    update_change,
)
from remanence_store_kit.dump import dump


class ReadContract:
    """Reads answer in order, leave nothing out, and change nothing."""

    async def test_memories_are_found_by_number_id_and_key(self, store: Store) -> None:
        """Answers come in the order asked, None where there is none."""
        a, b = (
            await keep(
                store, create_change(1, "apples", id="a" * 32), create_change(2, "pears", key="fruit/2")
            )
        ).assigned
        memories = await store.get(SCOPE, ["fruit/2", 10**9, a, "a" * 32, "nobody", b, b])

        assert [b, None, a, a, None, b, b] == [memory and memory.seq for memory in memories]
        assert [] == await store.get(SCOPE, [])

    async def test_many_memories_are_found_at_once(self, store: Store) -> None:
        """A request for thousands of memories is answered whole."""
        commit = await keep(store, *(create_change(k, f"memory number{k}") for k in range(1, 2_001)))
        memories = await store.get(SCOPE, commit.assigned)

        assert list(commit.assigned) == [memory.seq for memory in memories if memory is not None]

    async def test_listings_come_newest_first(self, store: Store) -> None:
        """Newest first unless asked the other way; `after` and `limit` page through."""
        a, b, c = (
            await keep(store, create_change(1, "a a"), create_change(2, "b b"), create_change(3, "c c"))
        ).assigned

        assert [c, b, a] == [memory.seq for memory in await store.find(SCOPE, Find())]
        assert [a, b] == [memory.seq for memory in await store.find(SCOPE, Find(oldest_first=True, limit=2))]
        assert [b, c] == [memory.seq for memory in await store.find(SCOPE, Find(oldest_first=True, after=a))]
        assert [c] == [memory.seq for memory in await store.find(SCOPE, Find(limit=1))]

    async def test_listings_of_the_last_arrivals(self, store: Store) -> None:
        """`among` counts arrivals of any kind in the scope, from the last; the rest is asked of these alone."""
        a, b, c = (
            await keep(
                store, create_change(1, "a a", key="a"), create_change(2, "b b"), create_change(3, "c c")
            )
        ).assigned
        await keep(store, create_change(1, "elsewhere"), scope="another")

        assert [c, b] == [memory.seq for memory in await store.find(SCOPE, Find(among=2))]
        assert [] == await store.find(SCOPE, Find(equal={"key": "a"}, among=2))
        assert [a] == [memory.seq for memory in await store.find(SCOPE, Find(equal={"key": "a"}, among=3))]
        assert [b, c] == [
            memory.seq for memory in await store.find(SCOPE, Find(after=a, oldest_first=True, among=9))
        ]

    async def test_listings_by_the_end_of_an_id(self, store: Store) -> None:
        """Letter by letter, of any status, in this scope alone."""
        ids = ["1" * 28 + end for end in ("abcd", "bbcd", "ABCD", "%bcd")]
        creations = [create_change(n, f"text {n}", id=id_) for n, id_ in enumerate(ids, start=1)]
        a, b, _, d = (await keep(store, *creations)).assigned
        await keep(store, create_change(1, "elsewhere", id="2" * 28 + "abcd"), scope="another")
        await keep(store, prune_change(await one(store, a)), verb="forget")
        by_ending = {
            end: await store.find(SCOPE, Find(ending=end)) for end in ("abcd", "bcd", "%bcd", "", "x")
        }

        assert {"abcd": [a], "%bcd": [d], "x": []} == {
            end: [memory.seq for memory in by_ending[end]] for end in ("abcd", "%bcd", "x")
        }
        assert (3, 4) == (len(by_ending["bcd"]), len(by_ending[""]))
        assert {a, b, d} == {memory.seq for memory in by_ending["bcd"]}

    async def test_listings_by_the_beginning_of_an_id(self, store: Store) -> None:
        """Letter by letter, of any status, in this scope alone."""
        ids = [begins + "1" * 28 for begins in ("abcd", "abce", "ABCD", "abc%")]
        creations = [create_change(n, f"text {n}", id=id_) for n, id_ in enumerate(ids, start=1)]
        a, b, _, d = (await keep(store, *creations)).assigned
        await keep(store, create_change(1, "elsewhere", id="abcd" + "2" * 28), scope="another")
        await keep(store, prune_change(await one(store, a)), verb="forget")
        by_beginning = {
            part: [memory.seq for memory in await store.find(SCOPE, Find(beginning=part))]
            for part in ("abcd", "abc", "abc%", "abcd2", "x")
        }

        assert {"abcd": [a], "abc": [d, b, a], "abc%": [d], "abcd2": [], "x": []} == by_beginning
        assert [] == await store.find(SCOPE, Find(beginning="abcd", ending="2"))

    async def test_listings_between_two_numbers(self, store: Store) -> None:
        """Above one number and below another, neither included, in either order, the limit counted from there."""
        a, b, c, d = (await keep(store, *(create_change(n, f"text {n}") for n in range(1, 5)))).assigned

        assert [b, a] == [memory.seq for memory in await store.find(SCOPE, Find(before=c))]
        assert [b] == [memory.seq for memory in await store.find(SCOPE, Find(before=c, limit=1))]
        assert [b, c] == [
            memory.seq for memory in await store.find(SCOPE, Find(after=a, before=d, oldest_first=True))
        ]
        assert [] == await store.find(SCOPE, Find(before=a))

    async def test_listings_by_status(self, store: Store) -> None:
        """None means any status; a tuple means one of these."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        await keep(store, prune_change(await one(store, a)), verb="forget")

        assert [b] == [memory.seq for memory in await store.find(SCOPE, Find((Status.INBOX, Status.ACTIVE)))]
        assert [a] == [memory.seq for memory in await store.find(SCOPE, Find((Status.PRUNED,)))]
        assert [b, a] == [memory.seq for memory in await store.find(SCOPE, Find(None))]

    async def test_listings_by_tags_need_all_of_them(self, store: Store) -> None:
        """A memory is listed that has every tag asked for, compared whole and in its case."""
        tags = [
            tag_change(-1, "a"),
            tag_change(-1, "b"),
            tag_change(-2, "a"),
            tag_change(-2, "B"),
            tag_change(-2, "bb"),
        ]
        both, _ = (await keep(store, create_change(1, "a a"), create_change(2, "b b"), *tags)).assigned

        assert [both] == [memory.seq for memory in await store.find(SCOPE, Find(tags=("a", "b")))]
        assert ("B", "a", "bb") == (await store.find(SCOPE, Find(tags=("B",))))[0].tags

    async def test_listings_by_columns(self, store: Store) -> None:
        """Names, enums, fractions, flags, texts and missing values are compared as they are said."""
        columns = {"category": "task", "severity": Severity.HIGH, "confidence": 0.25, "pinned": 1, "key": "k"}
        a, b = (
            await keep(store, create_change(1, "a a", **columns), create_change(2, "b b", category="fact"))
        ).assigned
        for name, value in columns.items():
            assert [a] == [memory.seq for memory in await store.find(SCOPE, Find(equal={name: value}))], name
        assert [b] == [memory.seq for memory in await store.find(SCOPE, Find(equal={"severity": None}))]
        assert [a] == [memory.seq for memory in await store.find(SCOPE, Find(equal=columns))]
        assert [] == await store.find(SCOPE, Find(equal={"category": "never said"}))
        assert [b, a] == [memory.seq for memory in await store.find(SCOPE, Find(equal={"kind": None}))]
        assert [] == await store.find(SCOPE, Find(equal={"kind": Kind.SEMANTIC}))

    async def test_listings_by_one_of_several_values(self, store: Store) -> None:
        """A tuple means any of them, a missing value too; names that nobody used are no matter."""
        values: list[tuple[str, Kind | None]] = [
            ("task", Kind.EPISODIC),
            ("fact", None),
            ("note", Kind.SEMANTIC),
        ]
        creations = [
            create_change(n, f"text {n}", category=category, kind=kind, confidence=n / 4)
            for n, (category, kind) in enumerate(values, start=1)
        ]
        a, b, c = (await keep(store, *creations)).assigned
        cases: list[tuple[dict[str, tuple[object, ...]], list[int]]] = [
            ({"category": ("task", "note", "never said")}, [c, a]),
            ({"category": ("never said", "nor this")}, []),
            ({"category": ("never said", None)}, []),
            ({"kind": (None, Kind.SEMANTIC)}, [c, b]),
            ({"kind": (Kind.EPISODIC,), "category": ("task", "fact")}, [a]),
            ({"confidence": (0.25, 0.75)}, [c, a]),
            ({"text": ("text 2", "text 3")}, [c, b]),
        ]
        for equal, expected in cases:
            assert expected == [memory.seq for memory in await store.find(SCOPE, Find(equal=equal))], equal

    async def test_listings_among_some_sequence_numbers(self, store: Store) -> None:
        """Only these are looked at; those of another scope and of nobody are left out."""
        a, _, c = (await keep(store, *[create_change(n, f"text {n}") for n in (1, 2, 3)])).assigned
        theirs = [create_change(n, f"elsewhere {n}") for n in range(1, 5)]
        (*_, other) = (await keep(store, *theirs, scope="another")).assigned
        only = [a, c, other, 10**9]

        assert [c, a] == [memory.seq for memory in await store.find(SCOPE, Find(only=only))]
        assert [a] == [
            memory.seq for memory in await store.find(SCOPE, Find(only=only, oldest_first=True, limit=1))
        ]
        assert [] == await store.find(SCOPE, Find(only=[]))

    async def test_listings_by_when_it_was_said(self, store: Store) -> None:
        """Instants are compared as they are, local times with the offset of each; both ends are included."""
        west, plain, east = (
            await keep(
                store,
                create_change(1, "west", said_at=NOW, said_offset=-14_400),
                create_change(2, "plain", said_at=NOW),
                create_change(3, "east", said_at=NOW - 1, said_offset=20_700),
            )
        ).assigned
        asked = [
            (SaidSpan(first=NOW), [plain, west]),
            (SaidSpan(first=NOW - 1, last=NOW - 1), [east]),
            (SaidSpan(local_first=NOW), [east, plain]),
            (SaidSpan(local_last=NOW - 14_400 * SECOND), [west]),
            (SaidSpan(last=NOW - 1, local_first=NOW), [east]),
        ]

        for span, seqs in asked:
            assert seqs == [memory.seq for memory in await store.find(SCOPE, Find(said=span))]

    async def test_twins_are_told_by_fingerprint(self, store: Store) -> None:
        """Each fingerprint that some memory has leads to that memory as it stands; others are left out."""
        (a,) = (await keep(store, create_change(1, "apples"))).assigned
        prints = (fingerprint("apples"), fingerprint("pears"))
        arrival = await store.arriving(SCOPE, Arriving(fingerprints=prints))
        memory = await one(store, a)

        assert {prints[0]} == arrival.twins.keys()
        twin = arrival.twins[prints[0]]
        assert (a, memory.id, Status.INBOX, 1, prints[0]) == (
            twin.seq, twin.id, twin.status, twin.revision, twin.fingerprint,
        )  # fmt: skip

    async def test_the_twin_in_sight_comes_first(self, store: Store) -> None:
        """An inbox or active memory is preferred to older ones out of sight; among these the oldest is told."""
        seqs = []
        for number in range(3):
            (seq,) = (await keep(store, create_change(1, "apples", id=str(number) * 32))).assigned
            seqs.append(seq)
            arriving = Arriving(fingerprints=(fingerprint("apples"),))
            assert seq == (await store.arriving(SCOPE, arriving)).twins[fingerprint("apples")].seq
            await keep(store, prune_change(await one(store, seq)), verb="forget")
        arrival = await store.arriving(SCOPE, Arriving(fingerprints=(fingerprint("apples"),)))
        twin = arrival.twins[fingerprint("apples")]

        assert (seqs[0], Status.PRUNED) == (twin.seq, twin.status)

    async def test_a_text_in_quarantine_is_met_before_what_fell(self, store: Store) -> None:
        """And after what stands: whoever learns it again hears that it is kept out."""
        kept_out = {"status": Status.QUARANTINED, "reason": Reason.INSTRUCTIONS}
        arriving, met = Arriving(fingerprints=(fingerprint("apples"),)), []
        (seq,) = (await keep(store, create_change(1, "apples", id="0" * 32))).assigned
        await keep(store, prune_change(await one(store, seq)), verb="forget")
        for number, columns in ((1, kept_out), (2, kept_out), (3, {})):
            await keep(store, create_change(1, "apples", id=str(number) * 32, **columns))
            met.append((await store.arriving(SCOPE, arriving)).twins[fingerprint("apples")].id[:1])

        assert ["1", "1", "3"] == met

    async def test_known_keys_are_told(self, store: Store) -> None:
        """Each key that is taken leads to its memory."""
        (a,) = (await keep(store, create_change(1, "apples", key="k1"))).assigned
        arrival = await store.arriving(SCOPE, Arriving(keys=("k1", "k2")))

        assert {"k1": a} == {key: twin.seq for key, twin in arrival.keys.items()}

    async def test_tails_of_sessions_and_threads_are_told(self, store: Store) -> None:
        """A tail counts to three and ends with what arrived last; what has a session is not in its thread's."""
        await keep(
            store,
            *[create_change(k, f"s {k}", session="s", thread="t", said_at=NOW - k) for k in range(1, 6)],
            create_change(6, "one", thread="t", said_at=NOW + DAY),
            create_change(7, "two", thread="t", said_at=NOW),
            create_change(8, "three", session="t", said_at=NOW),
        )
        segments = [Segment("session", "s"), Segment("thread", "t"), Segment("session", "t")]
        none = [Segment("session", "unknown"), Segment("thread", "s"), Segment("run", None)]
        arrival = await store.arriving(SCOPE, Arriving(segments=(*segments, *none)))

        assert dict(
            zip(segments, [Tail(3, NOW - 5, "s 5"), Tail(2, NOW, "two"), Tail(1, NOW, "three")], strict=True)
        ) == dict(arrival.tails)

    async def test_the_tail_of_a_run_ends_at_a_gap(self, store: Store) -> None:
        """A run is one agent's, without session and thread, never more than 30 minutes from one to the next."""
        at = [NOW, NOW + GAP_MAX, NOW + 2 * GAP_MAX + 1, NOW + GAP_MAX + 1]
        await keep(store, *[create_change(k + 1, f"text {k}", agent="a", said_at=at[k]) for k in range(4)])
        await keep(
            store,
            create_change(1, "in a thread", agent="a", thread="t", said_at=NOW + DAY),
            create_change(2, "of nobody", said_at=NOW + DAY),
            create_change(3, "of another", agent="b", said_at=NOW + DAY),
        )
        run, nobodys = Segment("run", "a"), Segment("run", None)
        arrival = await store.arriving(SCOPE, Arriving(segments=(run, nobodys, Segment("run", "c"))))

        assert {run: Tail(2, at[3], "text 3"), nobodys: Tail(1, NOW + DAY, "of nobody")} == dict(
            arrival.tails
        )

    async def test_term_statistics_count_memories_not_words(self, store: Store) -> None:
        """`df` counts a stem once per memory that holds it; memories without words count nowhere."""
        await keep(
            store, create_change(1, "zebra zebra lion"), create_change(2, "zebra"), create_change(3, "!!!")
        )
        terms = [term_hash(word) for word in ("zebra", "lion", "tiger")]
        arrival = await store.arriving(SCOPE, Arriving(terms=terms))

        assert [2, 1, 0] == [arrival.df.get(term, 0) for term in terms]
        assert 2 == arrival.memories

    async def test_a_question_is_told_settings_and_the_position_with_the_statistics(
        self, store: Store
    ) -> None:
        """Values by name and counters by how theirs begin, as `bookkeep` answers them; of another scope none."""
        values = {"a": {"value": 0.1}, "b": [1, "\N{ZEBRA FACE}"], "ab": True}
        books = Bookkeeping(NOW, put=values, count={"n/1": 2, "m": 3}, get=("a", "b", "z"), counters=("n/",))
        await keep(store, create_change(1, "zebra"))
        kept = await store.bookkeep(SCOPE, books)
        arriving = Arriving(terms=[term_hash("zebra")], get=("a", "b", "z"), counters=("n/",))
        told = await store.arriving(SCOPE, arriving)
        nothing = await store.arriving("nowhere", arriving)

        assert {name: values[name] for name in ("a", "b")} == told.values == kept.values
        assert {"n/1": 2} == told.counters
        assert kept.position == told.position > 0
        assert ({}, {}, 0, {}) == (nothing.values, nothing.counters, nothing.position, nothing.df)

    async def test_postings_ascend_and_unknown_stems_are_empty(self, store: Store) -> None:
        """A stem's rows are ascending sequence numbers of 64 bits; an unknown stem has none."""
        a, b, c = (
            await keep(
                store, create_change(1, "zebra"), create_change(2, "lion"), create_change(3, "lion zebra")
            )
        ).assigned
        postings = await store.search(SCOPE, ["zebra", "lion", "tiger"])

        assert {"zebra": [a, c], "lion": [b, c], "tiger": []} == {
            stem: rows.tolist() for stem, rows in postings.rows.items()
        }
        assert {np.dtype(np.int64)} == {rows.dtype for rows in postings.rows.values()}

    async def test_stems_are_never_syntax(self, store: Store) -> None:
        """Whatever the search text means to a query language, it is only a word here."""
        (a,) = (await keep(store, create_change(1, "zebra"))).assigned
        strange = ['"', "zebra OR lion", "zeb*", "NOT", "zebra'", "-zebra", "(", "^zebra", "a:zebra", "", "%"]
        postings = await store.search(SCOPE, [*strange, "zebra"])

        assert [[]] * len(strange) + [[a]] == [postings.rows[stem].tolist() for stem in [*strange, "zebra"]]

    async def test_neighbours_are_the_links_of_either_end(self, store: Store) -> None:
        """Every link with one of the memories at an end comes exactly once."""
        changes = [create_change(k, f"number{k}") for k in (1, 2, 3, 4)]
        links = [
            link_change(-1, -2),
            link_change(-2, -1),
            link_change(-2, -3, Relation.SIMILAR),
            link_change(-3, -4),
        ]
        a, b, c, d = (await keep(store, *changes, *links)).assigned
        neighbours = await store.neighbours(SCOPE, [a, b])

        assert sorted([(a, b), (b, a), (b, c)]) == sorted((link.source, link.target) for link in neighbours)
        assert [] == await store.neighbours(SCOPE, [])
        assert [(c, d)] == [(link.source, link.target) for link in await store.neighbours(SCOPE, [d])]
        similar = await store.neighbours(SCOPE, [a, b, c], Relation.SIMILAR)
        of_two = await store.neighbours(SCOPE, [a, c], Relation.SIMILAR, Relation.CONTRADICTS)
        assert [(b, c)] == [(link.source, link.target) for link in similar]
        assert [(b, c)] == [(link.source, link.target) for link in of_two]

    async def test_the_links_of_a_scope_are_listed_without_naming_a_memory(self, store: Store) -> None:
        """In order of their keys, all or of some relations, and of this scope alone."""
        changes = [create_change(k, f"number{k}") for k in (1, 2, 3)]
        links = [
            link_change(-2, -3, Relation.SIMILAR),
            link_change(-1, -2),
            link_change(-1, -3, Relation.CONTRADICTS),
        ]
        a, b, c = (await keep(store, *changes, *links)).assigned
        await keep(store, *changes, *links[:1], scope="another")
        contradicts, similar = Relation.CONTRADICTS, Relation.SIMILAR
        relation_sets = ((), (contradicts,), (contradicts, similar))
        listings = [await store.neighbours(SCOPE, None, *relations) for relations in relation_sets]

        assert [[(a, b), (a, c), (b, c)], [(a, c)], [(a, c), (b, c)]] == [
            [(link.source, link.target) for link in some] for some in listings
        ]
        assert [] == await store.neighbours("nowhere", None)

    async def test_reads_change_nothing(self, store: Store) -> None:
        """Reading a scope, also one that does not exist, leaves no trace."""
        await keep(store, create_change(1, "zebra"), create_change(2, "lion"), link_change(-1, -2))
        before = await dump(store, SCOPE)
        await dump(store, "nowhere")
        await store.history("nowhere")

        assert before == await dump(store, SCOPE)
        assert [SCOPE] == [*await store.survey(())]

    async def test_archived_memories_are_still_found(self, store: Store) -> None:
        """Full text holds rows of every status; the caller filters."""
        (a,) = (await keep(store, create_change(1, "zebra"))).assigned
        await keep(store, archive_change(await one(store, a)), verb="curate")

        assert [a] == (await store.search(SCOPE, ["zebra"])).rows["zebra"].tolist()

    async def test_a_change_of_text_follows_into_what_writes_ask(self, store: Store) -> None:
        """A fingerprint that changed with its text is known by the new one only."""
        (a,) = (await keep(store, create_change(1, "zebra"))).assigned
        memory = await one(store, a)
        await keep(store, update_change(memory, text="lion", fingerprint=fingerprint("lion")), verb="update")
        prints = (fingerprint("zebra"), fingerprint("lion"))

        assert {prints[1]} == (await store.arriving(SCOPE, Arriving(fingerprints=prints))).twins.keys()

    async def test_a_destroyed_memory_is_unknown(self, store: Store) -> None:
        """After its row is gone a memory has no id, key or fingerprint any more."""
        (a,) = (await keep(store, create_change(1, "zebra", key="k", id="a" * 32))).assigned
        await keep(store, *destroy_changes(await one(store, a)), verb="purge")
        arrival = await store.arriving(SCOPE, Arriving(fingerprints=(fingerprint("zebra"),), keys=("k",)))

        assert [None, None, None] == await store.get(SCOPE, [a, "k", "a" * 32])
        assert ({}, {}, 0) == (dict(arrival.twins), dict(arrival.keys), arrival.memories)
