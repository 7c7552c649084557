"""An import is written whole or not at all, and adds what the file knows more; on both stores."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson
import pytest

import remanence
from remanence.core.change import Cause, CommitResult, Entry
from remanence.core.clock import ManualClock
from remanence.core.errors import IngestError
from remanence.core.model import Decay, Relation
from remanence.flows.exchange import transfer
from remanence.llm.offline import HashedEmbedder
from remanence_store_kit.builders import update_change
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Opener

HEADER = orjson.dumps({
    "format": "remanence-export", "version": 2, "embedder": HashedEmbedder().name, "fingerprints": 1,
})  # fmt: skip
MOST = 2**31 - 1
REINFORCE = """
version = 1
name = "reinforce"
[[rule]]
name = "all"
every = "rapid"
phase = "reinforce"
do = "reinforce"
where = "True"
"""


def _row(number: int, **more: Any) -> dict[str, Any]:
    times = dict.fromkeys(("said_at", "learned_at", "status_at", "tier_at"), 1)
    return {"id": f"{number:032x}", "text": f"The boat number {number} is blue", **times, **more}


def _link(source: int, target: int, **more: Any) -> dict[str, Any]:
    values = {"weight": 0.5, "confidence": None, "count": 1, "created_at": 1, "last_at": 1, **more}
    return {"source": f"{source:032x}", "target": f"{target:032x}", "relation": "refers", **values}


def _lines(*values: dict[str, Any]) -> list[bytes]:
    return [HEADER, *map(orjson.dumps, values)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"uses": 3_000_000_000}, {"uses": -3_000_000_000}, {"confirmations": 2**31}, {"helped": 2**31},
        {"use_days": 2**56}, {"use_days": -1}, {"use_day": 2**31},
    ],
    ids=str,
)  # fmt: skip
async def test_a_number_that_no_store_keeps_leaves_nothing(opener: Opener, wrong: dict[str, int]) -> None:
    """A line of the second part is told before the first part is written."""
    rows = [_row(number) for number in range(1, 1_101)]
    rows[1_050] |= wrong
    async with opener() as memory:
        with pytest.raises(IngestError) as caught:
            await memory.import_(_lines(*rows), edited=True)
        state = await memory.status()

    assert (1_052, 0, ()) == (caught.value.line, state.memories, state.interrupted)


@pytest.mark.parametrize("wrong", [{"count": 2**30}, {"count": 2**24}, {"count": -1}], ids=str)
async def test_a_link_that_no_store_keeps_leaves_nothing(opener: Opener, wrong: dict[str, int]) -> None:
    """Links are written after the memories, and looked at before."""
    async with opener() as memory:
        with pytest.raises(IngestError) as caught:
            await memory.import_(_lines(_row(1), _row(2), _link(1, 2, **wrong)), edited=True)
        state = await memory.status()

    assert (4, 0, ()) == (caught.value.line, state.memories, state.interrupted)


async def test_the_largest_numbers_come_in_and_out(opener: Opener) -> None:
    """What a store keeps is taken, to the last one."""
    large = {"uses": MOST, "use_days": 2**56 - 1, "confirmations": MOST}
    async with opener() as memory:
        await memory.import_(_lines(_row(1, **large), _row(2), _link(1, 2, count=2**24 - 1)), edited=True)
        kept = await memory.get(1)
        (link,) = await memory.links(1)

    assert large == {name: getattr(kept, name) for name in large}
    assert 2**24 - 1 == link.count


@pytest.mark.parametrize("apart", [True, False])
async def test_a_counter_of_confirmations_stops_at_its_most(opener: Opener, apart: bool) -> None:
    """What says the same is counted as far as the counter goes, in one file and in two, and the import is whole."""
    rows = [_row(number, text="The boat is blue", confirmations=MOST - 1) for number in (1, 2, 3)]
    async with opener() as memory:
        for one in [[row] for row in rows] if apart else [rows]:
            await memory.import_(_lines(*one), edited=True)
        state = await memory.status()

        assert (1, ()) == (state.memories, state.interrupted)
        assert MOST == (await memory.get(f"{1:032x}")).confirmations


DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [
        (1, 9, 9), (9, 1, 9), (1, None, None), (None, 9, None), (-1, 9, 9), (9, -1, 9), (-1, -2, -1), (-2, -1, -2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("apart", [True, False])
async def test_of_two_holds_of_one_name_the_longer_one_is_kept(
    opener: Opener, clock: ManualClock, mine: int | None, theirs: int | None, kept: int | None, apart: bool
) -> None:
    """A hold that is here does not end what the file holds longer, and one that has ended adds nothing."""

    def until(days: int | None) -> int | None:
        return None if days is None else clock.now() + days * DAY

    rows = [
        _row(number, text="The boat is blue", holds={"legal": until(days)})
        for number, days in enumerate([mine, theirs], start=1)
    ]
    async with opener() as memory:
        for one in [[row] for row in rows] if apart else [rows]:
            await memory.import_(_lines(*one), edited=True)
        found = await memory.get(f"{1:032x}")

    last = until(kept)

    assert {"legal": last} == found.holds
    assert last is None or last == found.hold_until


async def test_a_hold_that_has_ended_is_not_brought(opener: Opener, clock: ManualClock) -> None:
    """What is here and free stays free, and a hold that lasts is added beside those that are here."""
    ended = {"legal": clock.now() - 1, "audit": None}
    async with opener() as memory:
        mine = await memory.learn("The boat is blue")
        await memory.hold(mine.id, "sale")
        await memory.import_(_lines(_row(1, text="The boat is blue", holds=ended)), edited=True, trust="user")

        assert {"sale": None, "audit": None} == (await memory.get(mine.id)).holds


@pytest.mark.parametrize(
    ("line", "decay"),
    [
        ({"decay": "permanent"}, "standard"), ({"tags": ["self/value"]}, "durable"),
        ({"category": "observation"}, "ephemeral"),
        ({"tags": ["self/constitutional"], "decay": "ephemeral"}, "permanent"),
    ],
)  # fmt: skip
async def test_the_decay_class_of_a_line_follows_from_its_tags(
    opener: Opener, line: dict[str, Any], decay: str
) -> None:
    """A line cannot make a memory permanent that no tag makes so, nor ephemeral one that is."""
    async with opener() as memory:
        await memory.import_(_lines(_row(1, **line)), edited=True, trust="user")

        assert decay == (await memory.get(1)).decay.label


@pytest.mark.parametrize("how", ["tag", "untag", "update", "repeat", "put", "import"])
async def test_a_class_that_does_not_follow_is_mended(opener: Opener, how: str) -> None:
    """A memory of an older file gets its class when its tags or category are said again; undo brings no other back."""
    text = "The boat is blue"
    more: dict[str, Any] = {"tags": ["self/value"], "source": "log", "speaker": "Ann"}
    async with opener() as memory:
        mine = await memory.learn(text, key="boat", category="fact", **more)
        old = update_change(await memory.get(mine.id), decay=Decay.STANDARD)
        await memory._core.commit([old], memory._core.cause("update"))
        match how:
            case "tag":
                await memory.tag(mine.id, "self/value")
            case "untag":
                await memory.tag(mine.id, "none of its", off=True)
            case "update":
                await memory.update(mine.id, category="fact")
            case "repeat":
                await memory.learn(text, **more)
            case "put":
                await memory.learn(text, key="boat", **more)
            case _:
                row = _row(1, text=text, tags=["self/value"], speaker="Ann")
                await memory.import_(_lines(row), edited=True)

        assert Decay.DURABLE is (await memory.get(mine.id)).decay

        *_, newest = await memory.history()
        await memory.undo(newest.run)

        assert Decay.DURABLE is (await memory.get(mine.id)).decay


class _Overtaken(MemoryStore):
    """A store in which another import of the same file is faster with the second part."""

    other: Callable[[], Awaitable[object]] | None = None

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Let the other one through first, once."""
        if cause.part == 1 and self.other is not None:
            other, self.other = self.other, None
            await other()
        return await super().commit(scope, changes, cause)


async def test_an_import_that_is_overtaken_at_its_end_is_whole(clock: ManualClock) -> None:
    """Where nothing is left to write after a lost race, the run is closed all the same, and can be undone."""
    lines = _lines(*map(_row, range(1, 1_101)))
    store = _Overtaken()
    async with (
        remanence.open(store=store, embedder="hashed", clock=clock) as memory,
        remanence.open(store=store, embedder="hashed", clock=clock) as other,
    ):
        store.other = lambda: other.import_(lines, edited=True)
        done = await memory.import_(lines, edited=True)
        state = await memory.status()

        assert (1_000, 1_000, 100) == (done.changes, done.counts["taken"], done.counts["kept"])
        assert (1_100, ()) == (state.memories, state.interrupted)

        await memory.undo(done)

        assert 100 == (await memory.status()).memories


@pytest.mark.parametrize("page", [1, 2, 3])
async def test_what_comes_in_does_not_hang_on_pages(
    page: int, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that say the same become one memory, whether one commit or several bring them, with what each line adds."""
    same = {"text": "The boat number 1 is blue", "tags": ["x"], "sources": ["s"]}
    rows = [_row(1), _row(2, **same, confidence=0.5, confirmations=2), _row(3), _row(4, **same, pinned=1)]
    links = [_link(1, 2), _link(3, 2), _link(3, 4), {**_link(3, 4), "relation": "supersedes"}]
    found = []
    for size in (1_000, page):
        monkeypatch.setattr(transfer, "PAGE", size)
        async with opener(scope=f"of {size}") as memory:
            done = await memory.import_(_lines(*rows, *links), edited=True, trust="user")
            again = await memory.import_(_lines(*rows, *links), edited=True, trust="user")
            alone = [line async for line in memory.export()]
            found.append((dict(done.counts), again.changes, alone[1:-1], (await memory.status()).interrupted))

    assert found[0] == found[1]
    assert {"taken": 2, "kept": 2, "merged": 0, "refused": 0, "link": 2} == found[0][0]


COUNTED = ("uses", "confirmations", "disputes", "reinforced", "helped", "failed")


async def test_a_counter_that_is_full_stays_so_and_holds_up_nothing(opener: Opener) -> None:
    """Confirmed, disputed, rated, repeated, used, linked and curated it stays where it is; the rest is written."""
    async with opener() as memory:
        full = _row(1, **dict.fromkeys(COUNTED, MOST))
        await memory.import_(_lines(full, _row(2), _link(1, 2, count=2**24 - 1)), edited=True)
        await memory.consolidate()
        await memory.rate(1, "right")
        await memory.rate(1, "wrong")
        await memory.rate([1, 2], 1.0)
        await memory.rate([1, 2], 0.0)
        await memory.learn(str(full["text"]))
        await memory.learn([str(full["text"]), "The boat number 2 is blue"])
        await memory.link(1, 2, "refers")
        await memory.curate(REINFORCE)
        await memory.frame("task", "boat")
        await memory.recall("boat")
    async with opener() as memory:
        kept, other = await memory.get(1), await memory.get(2)
        (link,) = [one for one in await memory.links(1) if one.relation is Relation.REFERS]

    assert dict.fromkeys(COUNTED, MOST) == {name: getattr(kept, name) for name in COUNTED}
    assert kept.used_at is not None
    assert (1, 1_000, 1) == (other.confirmations, other.helped, other.reinforced)
    assert 2**24 - 1 == link.count
    assert 0.5 < link.weight


async def test_undo_takes_back_no_more_than_was_counted(opener: Opener) -> None:
    """Of two confirmations the counter had room for one; undone in any order it is what it was."""
    async with opener() as memory:
        await memory.import_(_lines(_row(1, confirmations=MOST - 1)), edited=True)
        before = [line async for line in memory.export()]
        one, two = await memory.rate(1, "right"), await memory.rate(1, "right")
        most = (await memory.get(1)).confirmations
        await memory.undo(two)
        await memory.undo(one)

        assert MOST == most
        assert before == [line async for line in memory.export()]
