"""What a store keeps of archived memories for recall: hashes of their words, as every commit leaves them."""

import asyncio
from collections.abc import Mapping, Sequence

from remanence.core.change import Change, inverses
from remanence.core.clock import MINUTE
from remanence.core.model import Status, Tier
from remanence.store.capabilities import ARCHIVE_WORDS, ERASABLE, ArchiveWordStore
from remanence.store.erasure import ERASE
from remanence.text.analysis import stems
from remanence.text.word_hashes import NAMED, PART_ROWS, WordHashPart, hashes_of, rows_of, worth_code
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    archive_change,
    block,
    create_change,
    destroy_changes,
    find_damage,
    keep,
    make_cause,
    one,
    update_change,
)
from remanence_store_kit.contract.needs import needs, needs_also

Told = dict[int, tuple[Sequence[int], dict[str, object]]]

_REST = ("role", "minute", "words", "worth", "asks")
PLACE = {"session": "Monday", "thread": "Monday", "speaker": "Ada"}


async def index_archive_hashes(store: ArchiveWordStore, scope: str = SCOPE) -> Told:
    """Return the hashes of every archived memory and what tells where it belongs, by its number, and index them.

    What is told is the same before, when only a part of it is indexed, and after.
    """
    readings = [await _read_all(store, scope)]
    while await store.index_archive(scope):
        readings.append(await _read_all(store, scope))
    words = await store.archive_words(scope, None)

    assert [readings[0]] * len(readings) == readings
    assert readings[0] == await _read_all(store, scope)
    assert (len(readings[0]), 0) == (words.held, words.waiting)
    return readings[0]


async def _read_all(store: ArchiveWordStore, scope: str) -> Told:
    words = await store.archive_words(scope, -1)
    return _read(words.parts, words.names)


def _read(parts: Mapping[int, WordHashPart], names: Mapping[int, str]) -> Told:
    by_seq: Told = {}
    for part in parts.values():
        name_numbers = {name: part.columns[name].tolist() for name in NAMED}
        for place, row in enumerate(rows_of(part)):
            columns = {
                name: names[numbers[place]] for name, numbers in name_numbers.items() if numbers[place]
            }
            by_seq[row.seq] = row.hashes, columns | dict(zip(_REST, row.columns[len(NAMED) :], strict=True))
    return by_seq


@needs(ARCHIVE_WORDS)
class ArchiveWordContract:
    """The words of what is archived are told, of nothing else, and as they are now."""

    async def test_archived_words_are_those_of_the_texts(self, store: ArchiveWordStore) -> None:
        """Each word once, as a hash; with the names, the time and the value by which it is found and ranked."""
        text = "Where is the key? The key of the boathouse!"
        a, b = (
            await keep(store, create_change(1, text, value=3.0, **PLACE), create_change(2, "apples"))
        ).assigned
        before = await index_archive_hashes(store)
        await keep(store, archive_change(memory := await one(store, a)), verb="curate")

        rest = (int(memory.role), NOW // MINUTE, memory.words, worth_code(3.0), 1)
        expected = hashes_of(stems(text)), PLACE | dict(zip(_REST, rest, strict=True))
        assert {} == before
        assert {a: expected} == await index_archive_hashes(store)
        assert {} == await index_archive_hashes(store, "another")
        assert b not in await index_archive_hashes(store)

    @needs_also(ERASABLE)
    async def test_archived_words_follow_each_change(self, store: ArchiveWordStore) -> None:
        """Of text and place, of what leaves the archive, is destroyed or erased, alone or in a block."""
        texts = {k: f"memory number{k} of zebras" for k in range(1, 7)}
        await keep(store, *(create_change(k, text) for k, text in texts.items()))
        archive_block = block([archive_change(await one(store, k)) for k in texts])
        await store.commit(SCOPE, [archive_block], make_cause("curate"))
        whole = await index_archive_hashes(store)
        await keep(store, update_change(await one(store, 1), text="quite another"), verb="update")
        await keep(store, update_change(await one(store, 2), session="Tuesday"), verb="update")
        back = update_change(await one(store, 3), status=Status.ACTIVE, tier=Tier.HOT, reason=None)
        await keep(store, back, verb="confirm")
        await keep(store, *destroy_changes(await one(store, 4)), verb="purge")
        erasure = Change("memories", 5, {"revision": (await one(store, 5)).revision}, None)
        await store.commit(SCOPE, [erasure], make_cause(ERASE))
        words_left = await index_archive_hashes(store)

        assert {seq: hashes_of(stems(text)) for seq, text in texts.items()} == {
            seq: hashes for seq, (hashes, _) in whole.items()
        }
        assert {1: hashes_of(stems("quite another")), 2: whole[2][0], 6: whole[6][0]} == {
            seq: hashes for seq, (hashes, _) in words_left.items()
        }
        assert ("Tuesday", None) == (words_left[2][1]["session"], words_left[6][1].get("session"))
        assert [] == await find_damage(store)

    async def test_archived_words_of_a_run_go_with_its_undo(self, store: ArchiveWordStore) -> None:
        """And come again with what is undone of that."""
        await keep(store, *(create_change(k, f"memory number{k}") for k in range(1, 4)))
        run = [block([archive_change(await one(store, k)) for k in (1, 3)])]
        await store.commit(SCOPE, run, make_cause("curate"))
        whole = await index_archive_hashes(store)
        parts = await store.history(SCOPE, after=1)
        await store.commit(
            SCOPE, inverses([entry for part in parts for entry in part.entries]), make_cause("undo")
        )

        assert [1, 3] == [*whole]
        assert {} == await index_archive_hashes(store)

    async def test_archived_words_are_told_since_a_position(self, store: ArchiveWordStore) -> None:
        """What changed above it, put over what was told at it, is what is told now; what is empty is told, too."""
        await keep(store, *(create_change(k, f"memory number{k}") for k in range(1, PART_ROWS + 3)))
        some = (1, 2, PART_ROWS + 1)
        await keep(store, *[archive_change(await one(store, k)) for k in some], verb="curate")
        first = await store.archive_words(SCOPE, -1)
        for k in (1, 2):
            back = update_change(await one(store, k), status=Status.ACTIVE, tier=Tier.HOT, reason=None)
            await keep(store, back, verb="confirm")
        since = await store.archive_words(SCOPE, first.position)
        now = _read({**first.parts, **since.parts}, {**first.names, **since.names})
        await index_archive_hashes(store)
        words = await store.archive_words(SCOPE, since.position)

        assert {*some} == {*_read(first.parts, first.names)}
        assert {PART_ROWS + 1} == {*now}
        assert (1, 0, {}) == (words.held, words.waiting, words.parts)

    async def test_what_changes_while_words_are_indexed_waits_on(self, store: ArchiveWordStore) -> None:
        """Nothing that another commit changed since the texts were read is lost."""
        texts = [f"memory number{k} of zebras" for k in range(1, 4)]
        await keep(store, *(create_change(k, text) for k, text in enumerate(texts, 1)))
        await keep(store, *[archive_change(await one(store, k)) for k in (1, 2, 3)], verb="curate")
        await asyncio.gather(
            store.index_archive(SCOPE),
            keep(store, update_change(await one(store, 1), text="quite another"), verb="update"),
            store.index_archive(SCOPE),
            keep(store, *destroy_changes(await one(store, 2)), verb="purge"),
            store.index_archive(SCOPE),
        )

        assert {1: hashes_of(stems("quite another")), 3: hashes_of(stems(texts[2]))} == {
            seq: hashes for seq, (hashes, _) in (await index_archive_hashes(store)).items()
        }
        assert [] == await find_damage(store)

    @needs_also(ERASABLE)
    async def test_an_erased_memory_leaves_no_words_that_wait(self, store: ArchiveWordStore) -> None:
        """Whether they were indexed before or not; nobody has to index anything for it."""
        await keep(store, *(create_change(k, f"memory number{k}") for k in range(1, 4)))
        await keep(store, archive_change(await one(store, 1)), verb="curate")
        await index_archive_hashes(store)
        await keep(store, archive_change(await one(store, 2)), verb="curate")
        for k in (1, 2):
            erasure = Change("memories", k, {"revision": (await one(store, k)).revision}, None)
            await store.commit(SCOPE, [erasure], make_cause(ERASE))
        words = await store.archive_words(SCOPE, None)

        assert (0, {}) == (words.held, await index_archive_hashes(store))
        assert [] == await find_damage(store)
