"""What names a memory: its number, id, short id or key, and whatever a verb returned of it; one or several at once."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.model import Memories, OneMemory, Status, short_id
from remanence.core.receipt import RateResult, Receipt
from remanence.flows.base import naming
from tests.flows.conftest import Opener

TEXTS = ("The ropes are in the shed.", "The tide turns at six.", "Bring soup.")

Change = Callable[[remanence.Engine, Memories], Awaitable[Receipt | RateResult]]
SEVERAL: dict[str, Change] = {
    "tag": lambda memory, names: memory.tag(names, "a", "b"),
    "untag": lambda memory, names: memory.tag(names, "old", off=True),
    "pin": lambda memory, names: memory.pin(names),
    "unpin": lambda memory, names: memory.pin(names, off=True),
    "hold": lambda memory, names: memory.hold(names, "audit"),
    "release": lambda memory, names: memory.hold(names, "old", off=True),
    "confirm": lambda memory, names: memory.rate(names, "right"),
    "dispute": lambda memory, names: memory.rate(names, "wrong"),
    "forget": lambda memory, names: memory.forget(names),
}


@pytest.fixture
async def learned(memory: remanence.Engine) -> list[remanence.LearnResult]:
    """Three memories; what each verb changes is there to be changed."""
    return await memory.learn(TEXTS)


async def prepared(memory: remanence.Engine, verb: str, names: Sequence[OneMemory]) -> None:
    """Give memories what a verb takes away."""
    if verb == "untag":
        await memory.tag(names, "old")
    elif verb == "unpin":
        await memory.pin(names)
    elif verb == "release":
        await memory.hold(names, "old")


async def test_what_a_verb_returns_names_its_memory(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """A memory, a hit, what was learned, dropped or changed: all are taken where an id is."""
    one = learned[0]
    answer = await memory.recall("where are the ropes?", limit=1)
    dropped = (await memory.recall("ropes, tide and soup", budget=20)).dropped
    done = await memory.history(run=await memory.pin(one))
    names: list[OneMemory] = [
        one, one.id, one.seq, short_id(one.seq), one.id[-8:], one.id[-8:].upper(), answer.memories[0],
        await memory.get(one), done.acts[0].memories[0],
    ]  # fmt: skip

    assert [one.id] * len(names) == [(await memory.get(name)).id for name in names]
    assert dropped[0].id == (await memory.get(dropped[0])).id
    assert (one.id, one.seq, TEXTS[0]) == (answer.memories[0].id, answer.memories[0].seq, names[-2].text)  # type: ignore[union-attr]


async def test_an_answer_can_be_rated_and_tagged_whole(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """A recall names all that it returned, once each."""
    answer = await memory.recall("ropes, tide and soup")
    rated = await memory.rate(answer, 1.0)
    tagged = await memory.tag([*answer.memories, *learned], "seen")

    assert {one.id for one in learned} == set(rated.rated)
    assert {"tag": 3} == tagged.counts


@pytest.mark.parametrize("verb", SEVERAL)
async def test_several_are_changed_in_one_run(
    memory: remanence.Engine, learned: list[remanence.LearnResult], verb: str
) -> None:
    """One commit and one receipt, which undo takes back for all."""
    await prepared(memory, verb, learned)
    before = [await memory.get(one) for one in learned]
    done = await SEVERAL[verb](memory, learned)
    runs = len(await memory.history())
    changed = [await memory.get(one) for one in learned]

    if isinstance(done, Receipt):
        assert ({verb: 3}, verb) == (done.counts, done.verb)
    assert all(was != now for was, now in zip(before, changed, strict=True))
    await memory.undo(done)
    assert runs + 1 == len(await memory.history())
    assert [one.status for one in before] == [(await memory.get(one)).status for one in learned]


@pytest.mark.parametrize("verb", SEVERAL)
async def test_several_are_changed_whole_or_not_at_all(
    memory: remanence.Engine, learned: list[remanence.LearnResult], verb: str
) -> None:
    """One that is not there holds up all, and the error names it."""
    await prepared(memory, verb, learned)
    before = await memory.history()

    with pytest.raises(NotFound, match="no memory 'nobody' in scope"):
        await SEVERAL[verb](memory, [*learned, "nobody"])
    assert before == await memory.history()


async def test_a_guard_of_one_protects_all(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """What is pinned is not forgotten, nor what was named with it."""
    await memory.pin(learned[1])

    with pytest.raises(Protected, match=f"memory {short_id(learned[1].seq)} is protected"):
        await memory.forget(learned)
    assert 3 == len(await memory.list())


async def test_a_revision_is_of_one_memory(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """With several it is refused; a list of one is one."""
    with pytest.raises(InvalidInput, match="if_revision is of one memory, not of 3"):
        await memory.pin(learned, if_revision=1)
    with pytest.raises(InvalidInput, match="if_revision is of one memory, not of 3"):
        await memory.restore(learned, if_revision=1)
    with pytest.raises(Conflict):
        await memory.pin(learned[:1], if_revision=7)

    assert 1 == (await memory.pin(learned[:1], if_revision=1)).counts["pin"]


async def test_no_memories_are_refused_and_too_many(memory: remanence.Engine) -> None:
    """From one to a thousand, since all is one transaction."""
    for names in ([], list(range(1, naming.SEVERAL_MAX + 2))):
        with pytest.raises(InvalidInput, match="memories at once") as refused:
            await memory.forget(names)
        assert refused.value.recovery == "name 1 to 1,000 of them"


async def test_a_memory_named_twice_is_changed_once(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """By whatever names."""
    done = await memory.rate(
        [learned[0], learned[0].seq, short_id(learned[0].seq), learned[0].id[-8:]], "right"
    )

    assert ((learned[0].id,), 1) == (done.rated, (await memory.get(learned[0])).confirmations)


async def test_what_is_so_already_is_not_counted(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """The receipt counts what was changed."""
    await memory.forget(learned[0])
    done = await memory.forget(learned)

    assert {"forget": 2} == done.counts


PURGE = """
version = 1

[[rule]]
name = "tombs"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
"""


async def test_fallen_and_purged_come_back_together(
    memory: remanence.Engine, learned: list[remanence.LearnResult], clock: ManualClock
) -> None:
    """Also the link between two that were purged at once, by whatever they are named."""
    await memory.link(learned[0], learned[1], "supports")
    await memory.forget(learned[:2])
    clock.advance(days=40)
    gone = await memory.apply(await memory.plan(PURGE), allow_destroyed=9)
    await memory.forget(learned[2])
    listed = (await memory.history(run=gone)).acts[0].memories
    events = [[event.verb for event in await memory.history(name)] for name in (listed[0], short_id(1))]
    done = await memory.restore([listed[0], short_id(learned[1].seq), learned[2].id[-8:]])

    assert {"restore": 3} == done.counts
    assert [Status.ACTIVE] * 3 == [(await memory.get(one)).status for one in learned]
    assert [(1, 2)] == [(link.source, link.target) for link in await memory.links(learned[0])]
    assert events[0] == events[1] and "curate" in events[0]


async def test_a_purged_memory_comes_back_by_its_short_id(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """The last digits of its id are in the audit."""
    await memory.forget(learned)
    await memory.apply(await memory.plan(PURGE), allow_destroyed=9)
    done = await memory.restore(learned[0].id[-8:])

    assert ({"restore": 1}, TEXTS[0]) == (done.counts, (await memory.get(learned[0])).text)


async def test_a_short_id_of_several_is_refused(opener: Opener) -> None:
    """The error lists whom it may mean."""
    engine = opener()
    made = iter(range(1_000))
    engine._kept.random = lambda size: bytes([next(made) % 250]) + bytes(size - 1)
    async with engine as memory:
        learned = await memory.learn([f"The bell rings {number} times." for number in range(7)])
        ending = learned[0].id[-8:]
        with pytest.raises(InvalidInput, match=f"'{ending}' is part of several ids: #") as refused:
            await memory.get(ending)
        await memory.forget(learned)
        await memory.apply(await memory.plan(PURGE), allow_destroyed=9)
        with pytest.raises(InvalidInput, match="is part of several ids: #1") as purged:
            await memory.restore(ending)

    assert all(one.id in str(refused.value) for one in learned[-5:])
    assert "bell" not in str(refused.value)
    assert "; and more" in str(refused.value) and "; and more" in str(purged.value)
    assert "name the one you mean by its number or its whole id" == refused.value.recovery


async def test_a_memory_is_named_by_as_much_of_its_id_as_is_its_own(opener: Opener) -> None:
    """By eight or more of its first or last digits, in any case, with the dots of a copied one; fewer are no name."""
    engine = opener()
    made = iter(range(1_000))
    engine._kept.random = lambda size: bytes([next(made) % 250]) * size
    async with engine as memory:
        one, other = await memory.learn(["The bell rings.", "The mill stands."])
        alike = next(n for n in range(32) if one.id[n] != other.id[n])
        whole = one.id[: max(8, alike + 1)]
        names = (whole, whole.upper(), whole + "…", one.id[:-1], one.id[1:], one.id[-8:])

        assert [one.id] * len(names) == [(await memory.get(name)).id for name in names]
        for name in (one.id[:7], one.id[:8] + "x", one.id[2:12]):
            with pytest.raises(remanence.NotFound):
                await memory.get(name)
        assert alike > 8
        with pytest.raises(InvalidInput, match=f"'{one.id[:8]}' is part of several ids: ") as refused:
            await memory.get(one.id[:8])
    assert all(short_id(each.seq) in str(refused.value) for each in (one, other))


async def test_a_key_comes_before_what_looks_like_it(memory: remanence.Engine) -> None:
    """A key that looks like a short id names its own memory where it exists as it is written."""
    first = await memory.learn(TEXTS[0])
    number, ending = short_id(first.seq), first.id[-8:]

    assert [first.id] * 2 == [(await memory.get(name)).id for name in (number, ending)]
    for name in (number, ending):
        keyed = await memory.learn(f"{name} is my own name.", key=name)
        assert keyed.id == (await memory.get(name)).id


async def test_put_means_a_key_alone(memory: remanence.Engine) -> None:
    """It never writes to the memory that a key happens to be the short id of."""
    first = await memory.learn(TEXTS[0])
    done = await memory.learn(TEXTS[1], key=short_id(first.seq), source="s", speaker="Ann")

    assert "stored" == done.status
    assert TEXTS[0] == (await memory.get(first.seq)).text


@pytest.mark.parametrize("name", ["#", "#0", "#99", "#1x", "1x", "ffffffff", "fffffff", "xyzxyzxy", "", " "])
async def test_what_is_no_name_is_not_found(memory: remanence.Engine, name: str) -> None:
    """A number with something behind it is none, nor is a piece of an id that is too short."""
    await memory.learn(TEXTS[0])

    with pytest.raises(NotFound):
        await memory.get(name)


async def test_of_another_scope_nothing_is_found(opener: Opener) -> None:
    """Neither by what a verb returned there nor by a short id."""
    async with opener() as memory, opener(scope="another") as other:
        one = await memory.learn(TEXTS[0])
        for name in (one, one.seq, short_id(one.seq), one.id[-8:]):
            with pytest.raises(NotFound):
                await other.forget(name)


async def test_a_run_is_named_by_what_tells_of_it(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """A receipt, a rating, a consolidation, an event, a report; what wrote nothing names none."""
    rated = await memory.rate(learned, 1.0)
    await memory.undo(rated)
    pinned = await memory.pin(learned)
    (event,) = [event for event in await memory.history() if event.verb == "pin"]
    told = await memory.history(run=event)
    undone = await memory.undo(told)
    await memory.undo(await memory.consolidate())

    assert (pinned.run, pinned.run, pinned.run) == (event.run, told.run, undone.undoes)
    assert [0, 0] == [(await memory.get(1)).helped, (await memory.get(1)).pinned]
    for nothing in (await memory.rate("nobody", 1.0), await memory.tag(learned, "none", off=True)):
        with pytest.raises(InvalidInput, match="nothing was written"):
            await memory.undo(nothing)


async def test_what_a_memory_is_can_be_said_of_another(memory: remanence.Engine) -> None:
    """A kind, role, relation … that a verb returned is taken where its name is."""
    one = await memory.get(await memory.learn(TEXTS[0], kind="episodic", role="tool", severity="high"))
    other = await memory.learn(TEXTS[1], kind=one.kind, role=one.role, severity=one.severity)
    link = await memory.link(one, other, "refers")
    await memory.update(other, kind=one.kind, severity=one.severity, lifecycle=one.lifecycle)
    like = await memory.list(
        kind=one.kind, status=one.status, role=[one.role], filters={"severity": one.severity}
    )
    answer = await memory.recall("the tide at the shed", filters={"kind": one.kind, "status": [one.status]})

    assert [other.id, one.id] == [each.id for each in like]
    assert {other.id, one.id} == {hit.id for hit in answer}
    assert link == await memory.link(link.source, link.target, link.relation, if_exists="skip")
    await memory.link(link.source, link.target, link.relation, off=True)
    assert [] == await memory.links(one)
    with pytest.raises(InvalidInput, match="kind must be"):
        await memory.learn(TEXTS[2], kind=one.role)  # type: ignore[call-overload]


async def test_digits_as_text_are_a_number_unless_a_key_is_so(
    memory: remanence.Engine, learned: list[remanence.LearnResult]
) -> None:
    """As a person types them; a key comes first, and what is as long as a part of an id is one."""
    assert [learned[1].id] * 2 == [(await memory.get(name)).id for name in ("2", "#2")]
    keyed = await memory.learn("The gate squeaks.", key="2")

    assert [keyed.id, learned[1].id] == [(await memory.get(name)).id for name in ("2", "#2")]
    for name in ("99", "00000002"):
        with pytest.raises(NotFound):
            await memory.get(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("search", "recall"),
        ("learn_many", "learn"),
        ("unpin", "pin"),
        ("confirm", "rate"),
        ("recal", "recall"),
        ("boot", "frame"),
        ("adopt", "policy.use"),
    ],
)
async def test_a_name_that_is_no_verb_suggests_one(memory: remanence.Engine, name: str, meant: str) -> None:
    """What others call it, and slips; what a class may not have is still asked for in vain."""
    with pytest.raises(AttributeError, match=f"did you mean .*{meant}"):
        getattr(memory, name)
    assert not hasattr(memory, name)
    assert not hasattr(memory, "_nothing")
