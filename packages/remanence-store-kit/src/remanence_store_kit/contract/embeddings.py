"""Vectors of memories, and those of models beside them: kept for a text, and gone with it."""

import asyncio

import numpy as np

from remanence.core.change import Change
from remanence.core.errors import Conflict, LeaseLost
from remanence.store.base import Bookkeeping, EmbeddingRow
from remanence.store.capabilities import VECTORS, VectorStore
from remanence.text.analysis import fingerprint
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    one,
    update_change,
)
from remanence_store_kit.contract.needs import needs
from remanence_store_kit.contract.writers import ROUNDS, VECTOR, SecondWriter, at_once

MODEL, OTHER = "a model", "another model"


def make_embedding_row(seq: int, text: str, *numbers: float) -> EmbeddingRow:
    """Return the vector that a model made of a text."""
    return EmbeddingRow(seq, fingerprint(text), np.array(numbers, "<f2").tobytes())


async def read_vectors(
    store: VectorStore, model: str | None = MODEL, **asked: object
) -> dict[int, list[float]]:
    """Return the vectors of a model by memory."""
    seqs, vectors = await store.vectors(SCOPE, model=model, **asked)  # type: ignore[arg-type]
    return dict(zip(seqs.tolist(), vectors.tolist(), strict=True))


@needs(VECTORS)
class VectorContract(SecondWriter):
    """A memory has a vector or none; what a model made of its text is kept beside it, and goes with the text."""

    async def test_vectors_of_a_model_stand_beside_the_memories_own(self, store: VectorStore) -> None:
        """Read by model, above a number or of some memories only; of another model or scope they are others."""
        own = np.array([9, 9], "<f2").tobytes()
        a, b, c = (
            await keep(
                store, create_change(1, "one", vector=own), create_change(2, "two"), create_change(3, "three")
            )
        ).assigned
        (elsewhere,) = (await keep(store, create_change(1, "one"), scope="other")).assigned
        count = await store.embed(
            SCOPE, MODEL, [make_embedding_row(a, "one", 1, 2, 3), make_embedding_row(c, "three", 7, 8, 9)]
        )
        await store.embed(SCOPE, OTHER, [make_embedding_row(b, "two", 4)])
        await store.embed("other", MODEL, [make_embedding_row(elsewhere, "one", 5, 5, 5)])

        assert 2 == count
        assert {a: [1, 2, 3], c: [7, 8, 9]} == await read_vectors(store)
        assert {c: [7, 8, 9]} == await read_vectors(store, after=a)
        assert {a: [1, 2, 3]} == await read_vectors(store, only=[a, b])
        assert ({b: [4]}, {a: [9, 9]}) == (await read_vectors(store, OTHER), await read_vectors(store, None))
        assert {} == await read_vectors(store, "nobody's")
        assert [] == await find_damage(store)

    async def test_a_vector_of_another_text_is_not_kept(self, store: VectorStore) -> None:
        """Nor one of a memory that is not there or in another scope; one that is made again takes its place."""
        a, b = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
        rows = [
            make_embedding_row(a, "one", 1),
            make_embedding_row(b, "another two", 2),
            make_embedding_row(10**9, "one", 3),
        ]
        first = await store.embed(SCOPE, MODEL, rows)
        again = await store.embed(SCOPE, MODEL, [make_embedding_row(a, "one", 5)])
        strange = await store.embed("other", MODEL, [make_embedding_row(a, "one", 6)])

        assert (1, 1, 0) == (first, again, strange)
        assert {a: [5]} == await read_vectors(store)
        assert [] == await find_damage(store)

    async def test_vectors_go_with_their_text(self, store: VectorStore) -> None:
        """When it changes, and when its memory's row goes; anything else leaves them."""
        a, b, c = (
            await keep(store, create_change(1, "one"), create_change(2, "two"), create_change(3, "three"))
        ).assigned
        await store.embed(
            SCOPE,
            MODEL,
            [
                make_embedding_row(a, "one", 1),
                make_embedding_row(b, "two", 2),
                make_embedding_row(c, "three", 3),
            ],
        )
        await store.embed(SCOPE, OTHER, [make_embedding_row(a, "one", 4)])
        columns = {"text": "one more", "fingerprint": fingerprint("one more")}
        await keep(
            store,
            update_change(await one(store, a), **columns),
            update_change(await one(store, c), importance=0.5),
        )
        await keep(store, *destroy_changes(await one(store, b)))

        assert ({c: [3]}, {}) == (await read_vectors(store), await read_vectors(store, OTHER))
        assert [] == await find_damage(store)

    async def test_all_vectors_of_a_model_are_taken_away(self, store: VectorStore) -> None:
        """Of one scope and one model; nothing of it is in the audit."""
        a, b = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
        await keep(store, create_change(1, "one"), scope="other")
        await store.embed(SCOPE, MODEL, [make_embedding_row(a, "one", 1), make_embedding_row(b, "two", 2)])
        await store.embed(SCOPE, OTHER, [make_embedding_row(a, "one", 4)])
        counts = [await store.embed(SCOPE, MODEL, None) for _ in range(2)]

        assert [2, 0] == counts
        assert ({}, {a: [4]}) == (await read_vectors(store), await read_vectors(store, OTHER))
        assert 1 == len(await store.history(SCOPE))
        assert [] == await find_damage(store)

    async def test_who_lost_the_lease_embeds_nothing(self, store: VectorStore) -> None:
        """The fence is looked at where the vectors are written, and what is counted with them is with them."""
        (a,) = (await keep(store, create_change(1, "one"))).assigned
        lease = Bookkeeping(NOW, lease=("embed", "me", NOW + 5))
        fence = (await store.bookkeep(SCOPE, lease)).fence
        assert fence is not None
        count = await store.embed(
            SCOPE, MODEL, [make_embedding_row(a, "one", 1)], fence=("embed", fence), count={"made": 1}
        )
        old_fence = ("embed", fence - 1)
        await expect_error(LeaseLost, store.embed(SCOPE, MODEL, None, fence=old_fence, count={"made": 5}))
        books = await store.bookkeep(SCOPE, Bookkeeping(NOW, counters=("made",)))

        assert (1, {a: [1]}, {"made": 1}) == (count, await read_vectors(store), books.counters)
        assert [] == await find_damage(store)

    async def test_vectors_come_in_order_of_arrival(self, store: VectorStore) -> None:
        """Vectors are float16 rows, of all, of those above a number, or of those asked for; others are left out."""
        rows = np.arange(12, dtype=np.float16).reshape(3, 4) / 16
        changes = [
            create_change(k, f"number{k}", vector=rows[k - 1].astype("<f2").tobytes()) for k in (1, 2, 3)
        ]
        a, b, c, d = (await keep(store, *changes, create_change(4, "no vector"))).assigned
        seqs, vectors = await store.vectors(SCOPE)
        above, _ = await store.vectors(SCOPE, after=a)
        only, only_rows = await store.vectors(SCOPE, only=[d, c, a])

        assert ([a, b, c], "float16", "int64") == (seqs.tolist(), str(vectors.dtype), str(seqs.dtype))
        assert rows.tolist() == vectors.tolist()
        assert ([b, c], [a, c]) == (above.tolist(), only.tolist())
        assert rows[[0, 2]].tolist() == only_rows.tolist()

    async def test_vectors_are_those_of_one_scope(self, store: VectorStore) -> None:
        """What another scope took in between is left out, also where the scope is whole up to there."""
        vector = np.ones(4, "<f2").tobytes()
        (a,) = (await keep(store, create_change(1, "mine", vector=vector))).assigned
        before = (await store.vectors(SCOPE))[0].tolist()
        (b,) = (await keep(store, create_change(1, "theirs", vector=vector), scope="elsewhere")).assigned
        (c,) = (await keep(store, create_change(1, "mine too", vector=vector))).assigned

        assert ([a], [a, c]) == (before, (await store.vectors(SCOPE))[0].tolist())
        assert [b] == (await store.vectors("elsewhere"))[0].tolist()
        assert [] == (await store.vectors("nowhere"))[0].tolist()

    async def test_a_vector_may_come_change_and_go(self, store: VectorStore) -> None:
        """A vector is a column like another: None takes it away."""
        (a,) = (await keep(store, create_change(1, "apples"))).assigned
        for numbers in ([1.0, 2.0], [3.0, 4.0], None):
            blob = None if numbers is None else np.array(numbers, "<f2").tobytes()
            revision = (await one(store, a)).revision
            await keep(
                store, Change("memories", a, {"revision": revision}, {"vector": blob}), verb="consolidate"
            )
            _, vectors = await store.vectors(SCOPE)
            assert ([numbers] if numbers else []) == vectors.tolist()

    async def test_a_scope_without_vectors_has_an_empty_array(self, store: VectorStore) -> None:
        """No vectors are an array of no rows, not an error."""
        seqs, vectors = await store.vectors(SCOPE)

        assert (0, 0) == (len(seqs), len(vectors))

    async def test_vectors_made_again_are_no_revision(self, store: VectorStore) -> None:
        """A commit of the verb "embed" leaves a count and no changes, and the memory as it was but for its vector."""
        (a,) = (await keep(store, create_change(1, "a a", vector=bytes(4)))).assigned
        old = await one(store, a)
        change = Change("memories", a, {"revision": old.revision}, {"vector": b"\0<\0<"})
        await keep(store, change, verb="embed", planned=True)
        stale = Change("memories", a, {"revision": old.revision + 1}, {"vector": bytes(4)})
        await expect_error(Conflict, keep(store, stale, verb="embed", planned=True))
        part = (await store.history(SCOPE))[-1]
        _, vectors = await store.vectors(SCOPE)

        assert ("embed", (), 1) == (part.cause.verb, part.changes, part.count)
        assert old == await one(store, a)
        assert [[1.0, 1.0]] == vectors.tolist()

    async def test_numbers_become_visible_in_their_order(
        self, store: VectorStore, other: VectorStore
    ) -> None:
        """Who asks again and again for the vectors above the last he has misses none, whoever writes meanwhile."""
        seen: list[int] = []
        done = asyncio.Event()

        async def write(to: VectorStore, scope: str, name: str) -> None:
            for k in range(ROUNDS):
                texts = [create_change(n, f"{name} {k} {n}", vector=VECTOR) for n in (1, 2)]
                await keep(to, *texts, scope=scope)
                await asyncio.sleep(0)

        async def writers() -> None:
            await at_once(
                lambda: write(store, SCOPE, "a"),
                lambda: write(other, SCOPE, "b"),
                lambda: write(other, "another", "c"),
            )
            done.set()

        async def follow() -> None:
            while not done.is_set():
                seqs, rows = await store.vectors(SCOPE, after=seen[-1] if seen else 0)
                assert len(rows) == len(seqs)
                seen.extend(seqs.tolist())
                await asyncio.sleep(0)

        await at_once(writers, follow)
        seen.extend((await store.vectors(SCOPE, after=seen[-1]))[0].tolist())

        assert (await store.vectors(SCOPE))[0].tolist() == seen
        assert 4 * ROUNDS == len(seen)

    async def test_vectors_of_archived_memories_are_still_found(self, store: VectorStore) -> None:
        """They are told of rows of every status; the caller filters."""
        (a,) = (await keep(store, create_change(1, "zebra", vector=b"\x00\x3c"))).assigned
        await keep(store, archive_change(await one(store, a)), verb="curate")

        assert [a] == (await store.vectors(SCOPE))[0].tolist()
