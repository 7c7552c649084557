"""Vectors of models beside the memories' own: kept for a text, and gone with it."""

import numpy as np

from remanence.core.errors import LeaseLost
from remanence.store.base import Bookkeeping, EmbeddingRow, Store
from remanence.testing.builders import (
    NOW,
    SCOPE,
    create_change,
    destroy_changes,
    expect_error,
    keep,
    one,
    update_change,
)
from remanence.text.analysis import fingerprint

MODEL, OTHER = "a model", "another model"


def make_embedding_row(seq: int, text: str, *numbers: float) -> EmbeddingRow:
    """Return the vector that a model made of a text."""
    return EmbeddingRow(seq, fingerprint(text), np.array(numbers, "<f2").tobytes())


async def read_vectors(store: Store, model: str | None = MODEL, **asked: object) -> dict[int, list[float]]:
    """Return the vectors of a model by memory."""
    seqs, vectors = await store.vectors(SCOPE, model=model, **asked)  # type: ignore[arg-type]
    return dict(zip(seqs.tolist(), vectors.tolist(), strict=True))


class EmbeddingContract:
    """What a model made of a text is kept beside it, is no memory's content, and goes with the text."""

    async def test_vectors_of_a_model_stand_beside_the_memories_own(self, store: Store) -> None:
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
        assert all(check.ok for check in await store.check())

    async def test_a_vector_of_another_text_is_not_kept(self, store: Store) -> None:
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
        assert all(check.ok for check in await store.check())

    async def test_vectors_go_with_their_text(self, store: Store) -> None:
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
        assert all(check.ok for check in await store.check())

    async def test_all_vectors_of_a_model_are_taken_away(self, store: Store) -> None:
        """Of one scope and one model; nothing of it is in the audit."""
        a, b = (await keep(store, create_change(1, "one"), create_change(2, "two"))).assigned
        await keep(store, create_change(1, "one"), scope="other")
        await store.embed(SCOPE, MODEL, [make_embedding_row(a, "one", 1), make_embedding_row(b, "two", 2)])
        await store.embed(SCOPE, OTHER, [make_embedding_row(a, "one", 4)])
        counts = [await store.embed(SCOPE, MODEL, None) for _ in range(2)]

        assert [2, 0] == counts
        assert ({}, {a: [4]}) == (await read_vectors(store), await read_vectors(store, OTHER))
        assert 1 == len(await store.history(SCOPE))
        assert all(check.ok for check in await store.check())

    async def test_who_lost_the_lease_embeds_nothing(self, store: Store) -> None:
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
        assert all(check.ok for check in await store.check())
