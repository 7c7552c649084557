"""Uses wait for a commit and share it, alone and together, and none is lost when a commit is."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

import remanence
from remanence.core.change import Change, CommitResult, Increment
from remanence.core.clock import ManualClock, to_datetime
from remanence.core.errors import Conflict, StoreUnavailable
from remanence.core.model import Link, Relation
from remanence.edit.links import strengthen_links
from remanence.flows.indexes import uses
from remanence.flows.indexes.uses import Uses
from tests.flows.conftest import Opener

LINK = Link(1, 2, Relation.SIMILAR, weight=0.5, count=3, last_at=10)


class Desk:
    """What uses are written to: keeps every commit, and refuses as often as it is told to."""

    def __init__(self, *refusals: Exception) -> None:
        self.refusals = list(refusals)
        self.links = [LINK]
        self.tried: list[list[Change]] = []
        self.agents: list[str | None] = []
        self.times: list[int] = []
        self.extended: list[tuple[str, int] | None] = []
        self.uses = Uses(self.write, self.read, lambda: 99)

    async def write(
        self, changes: Sequence[Change], agent: str | None, at: int, extends: tuple[str, int] | None
    ) -> CommitResult:
        """Keep a commit, or refuse it; what goes on with a run is a part of it."""
        self.tried.append(list(changes))
        self.agents.append(agent)
        self.times.append(at)
        self.extended.append(extends)
        if self.refusals:
            raise self.refusals.pop(0)
        run, part = extends or (f"run {len(self.tried)}", 0)
        return CommitResult(run, part, len(self.tried), (), len(changes))

    async def read(self, seqs: Sequence[int]) -> Sequence[Link]:
        """Return the links of some memories."""
        return [link for link in self.links if {link.source, link.target} & set(seqs)]


Reading = Callable[[remanence.Engine, remanence.types.OneMemory], Awaitable[object]]


async def _exported(memory: remanence.Engine, _: object) -> object:
    return [line async for line in memory.export() if b'"uses"' in line]


async def _framed(memory: remanence.Engine, _: object) -> object:
    answer = await memory.frame("attention", count_use=False)
    return [hit.parts["reinforcement"] for hit in answer.memories]


async def _listed(memory: remanence.Engine, _: object) -> object:
    return [one.uses for one in await memory.list()]


READING: dict[str, Reading] = {
    "get": lambda memory, one: memory.get(one),
    "list": _listed,
    "links": lambda memory, one: memory.links(one),
    "explain": lambda memory, one: memory.explain(one, "default"),
    "export": _exported,
    "frame": _framed,
}


def used(seq: int, n: int) -> Change:
    """A change that counts uses."""
    return Change("memories", seq, {"uses": Increment(-n)}, {"uses": Increment(n)})


def grown(weight: float, count: int) -> Change:
    """The change of the link."""
    before = {"weight": 0.5, "count": 3, "last_at": 10}
    return Change("links", LINK.key, before, {"weight": weight, "count": count, "last_at": 99})


async def test_uses_that_wait_share_a_commit() -> None:
    """Three groups counted at once are one commit, in which the link grows once for each group it is inside of."""
    desk = Desk()
    for group in ([1, 2, 3], [1, 2], [2, 3]):
        desk.uses.count(group, None, together=True)
    desk.uses.count([1, 2], None)
    await desk.uses.settle()

    assert [[used(1, 3), used(2, 4), used(3, 2), grown(0.7, 5)]] == desk.tried


async def test_uses_that_come_soon_after_each_other_share_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, as an agent recalls; whoever needs them written does not wait for more."""
    monkeypatch.setattr(uses, "GATHER_S", 3_600)
    desk = Desk()
    for _ in range(3):
        desk.uses.count([1], None)
        await asyncio.sleep(0.001)
    await desk.uses.settle()
    desk.uses.count([2], None)
    await desk.uses.settle()

    assert [[used(1, 3)], [used(2, 1)]] == desk.tried


async def test_uses_are_written_though_nobody_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a short while, by themselves."""
    monkeypatch.setattr(uses, "GATHER_S", 0)
    desk = Desk()
    desk.uses.count([1], None)
    while not desk.tried:
        await asyncio.sleep(0.001)

    assert [[used(1, 1)]] == desk.tried


async def test_a_use_bears_the_time_of_the_recall(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much later it is written."""
    monkeypatch.setattr(uses, "GATHER_S", 3_600)
    async with opener() as memory:
        bell = await memory.learn("The bell rings at nine.")
        recalled_at = 0
        for _ in range(3):
            clock.advance(days=1)
            recalled_at = clock.now()
            await memory.recall("bell", agent="ann")
        clock.advance(days=30)
        found = await memory.get(bell)

    assert found.accessors is not None
    assert (3, recalled_at, recalled_at) == (found.uses, found.used_at, found.accessors["ann"]["last_at"])
    assert 3 == found.use_days.bit_count()


@pytest.mark.parametrize("reads", sorted(READING))
async def test_who_reads_uses_sees_those_that_wait(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, reads: str
) -> None:
    """Right after a recall or a frame, whatever is asked."""
    monkeypatch.setattr(uses, "GATHER_S", 3_600)
    async with opener() as memory:
        one = await memory.learn("The bell rings at nine.")
        two = await memory.learn("The bell rings at ten.")
        await memory.link(one, two, "similar", weight=0.2)
        before = await READING[reads](memory, one)
        await memory.recall("When does the bell ring?")
        await memory.frame("attention", "When does the bell ring?")

        assert before != await READING[reads](memory, one)


async def test_each_agent_has_a_commit() -> None:
    """What several used while they waited is written agent by agent, each once, though one of them fails at first."""
    desk = Desk(StoreUnavailable("locked", recovery="wait"))
    for seqs, agent in (([1], "ann"), ([1, 2], "bob"), ([1], None), ([2], "ann")):
        desk.uses.count(seqs, agent)
    with pytest.raises(StoreUnavailable):
        await desk.uses.settle()
    await desk.uses.settle()

    assert ["ann", "bob", None, "ann"] == desk.agents
    assert [[used(1, 1), used(2, 1)], [used(1, 1), used(2, 1)], [used(1, 1)], [used(1, 1), used(2, 1)]] == (
        desk.tried
    )


async def test_what_a_lost_commit_held_is_written_by_the_next() -> None:
    """A store that is away for a while loses neither uses nor what was used together."""
    desk = Desk(StoreUnavailable("locked", recovery="wait"))
    desk.uses.count([1, 2], None, together=True)
    with pytest.raises(StoreUnavailable):
        await desk.uses.settle()
    await desk.uses.settle()

    assert 2 == len(desk.tried)
    assert [used(1, 1), used(2, 1), grown(0.6, 4)] == desk.tried[0] == desk.tried[1]


async def test_uses_go_on_with_the_run_of_the_last() -> None:
    """The next commit of the same agent asks to be a part of it; another agent's does not, nor one after a failure."""
    desk = Desk()
    for agent in ("ann", "ann", "bob", "ann"):
        desk.uses.count([1], agent)
        await desk.uses.settle()
    desk.refusals.append(StoreUnavailable("locked", recovery="wait"))
    desk.uses.count([1], "ann")
    with pytest.raises(StoreUnavailable):
        await desk.uses.settle()
    await desk.uses.settle()

    assert [None, ("run 1", 1), None, None, ("run 4", 1), None] == desk.extended


async def test_uses_of_a_minute_are_one_line_each_with_its_time(opener: Opener) -> None:
    """What recalls counted within a minute is one run with a part each; what comes between ends it, as time does."""
    clock = ManualClock()
    async with opener(clock=clock) as memory:
        one = await memory.learn("The ferry leaves at nine.")
        began = clock.now()
        for seconds in (0, 1, 30, 59, 61):
            clock.set(to_datetime(began + seconds * 1_000_000))
            await memory.recall("ferry", limit=1)
            await memory._core.uses.settle()
        await memory.rate(one.id, 0.5)
        await memory.recall("ferry", limit=1)
        await memory._core.uses.settle()
        parts = await memory._core.store.history("default")
        uses = [part for part in parts if part.cause.verb == "use"]
        runs = list(dict.fromkeys(part.cause.run for part in uses))
        told = await memory.history(run=runs[0])
        sound = all(check.ok for check in await memory.doctor())
        counted = (await memory.get(one.id)).uses

    assert [(runs[0], 0), (runs[0], 1), (runs[0], 2), (runs[0], 3), (runs[1], 0), (runs[2], 0)] == [
        (part.cause.run, part.cause.part) for part in uses
    ]
    assert [0, 1_000_000, 30_000_000, 59_000_000] == [part.cause.at - began for part in uses[:4]]
    assert [part.position for part in parts] == list(range(1, len(parts) + 1))
    assert {(one.seq,)} == {part.used for part in uses}
    assert "use" == told.verb
    assert 6 == counted
    assert sound


async def test_a_settling_that_is_cancelled_counts_once() -> None:
    """Who stops waiting while the store is at work stops nothing: what it writes is not written again."""
    begun, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(Desk):
        async def write(
            self, changes: Sequence[Change], agent: str | None, at: int, extends: tuple[str, int] | None
        ) -> CommitResult:
            begun.set()
            await goes_on.wait()
            return await super().write(changes, agent, at, extends)

    desk = Slow()
    desk.uses.count([1], None)
    waits = asyncio.create_task(desk.uses.settle())
    await begun.wait()
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waits
    goes_on.set()
    await desk.uses.settle()

    assert [[used(1, 1)]] == desk.tried


async def test_a_settling_cancelled_at_the_store_counts_once(tmp_path: Path) -> None:
    """The same on a real store, cancelled a hundred times wherever it happens to be."""
    async with remanence.open(tmp_path / "a.db", embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.", key="a")
        await memory.learn("The kiosk sells stamps.", key="b")
        for turns in range(100):
            await memory.recall("ferry", limit=1)
            planning = asyncio.create_task(memory.rate("b", 0.5))  # which waits for the uses first
            for _ in range(turns % 10):
                await asyncio.sleep(0)
            planning.cancel()
            await asyncio.wait([planning])
        await memory.plan("default")
        used_up = (await memory.get("a")).uses

    assert 100 == used_up


async def test_links_that_were_just_read_are_not_read_again() -> None:
    """Not of one group, nor of two that meet; where they changed meanwhile, or those of one are not known, they are."""
    desk = Desk()
    desk.links = []  # what reading them would find
    desk.uses.count([1, 2], None, together=True, links=[LINK])
    desk.uses.count([1, 2, 3], None, together=True, links=[LINK])
    await desk.uses.settle()
    desk.uses.count([1, 2], None, together=True, links=[LINK])
    desk.uses.count([1, 3], None, together=True)
    await desk.uses.settle()
    desk.refusals = [Conflict([("links", LINK.key)])]
    desk.uses.count([1, 2], None, together=True, links=[LINK])
    await desk.uses.settle()

    ones = [[change for change in tried if change.table == "links"] for tried in desk.tried]
    assert [[grown(0.7, 5)], [], [grown(0.6, 4)], []] == ones


async def test_a_link_that_changed_meanwhile_is_read_again() -> None:
    """A lost race for a link is tried again; a purged memory drops out with its links."""
    desk = Desk(Conflict([("links", LINK.key)]), Conflict([("memories", 2)]))
    desk.uses.count([1, 2], None, together=True)
    await desk.uses.settle()

    assert [used(1, 1)] == [change for change in desk.tried[2] if change.table == "memories"]


async def test_a_race_that_is_lost_for_ever_is_told() -> None:
    """After twenty lost races the conflict is raised instead of tried again."""
    desk = Desk(*(Conflict([("links", LINK.key)]) for _ in range(50)))
    desk.uses.count([1, 2], None, together=True)
    with pytest.raises(Conflict):
        await desk.uses.settle()

    assert 20 == len(desk.tried)


def test_only_visible_links_inside_a_group_grow() -> None:
    """Lineage and contradictions stay, and so does a link with one end outside."""
    links = [
        LINK,
        Link(1, 2, Relation.CONTRADICTS),
        Link(1, 2, Relation.SUPERSEDES),
        Link(2, 3, Relation.SIMILAR),
    ]

    assert [grown(1.0, 10)] == strengthen_links(links, {frozenset({1, 2}): 7}, 99)
