"""How far a text is believed follows its door and who spoke; callers may lower it, and no machine raises it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

import remanence
from remanence import Engine, InvalidInput, Trust
from remanence.core.change import Change
from remanence.core.clock import ManualClock
from remanence.core.forbidden import Forbidden
from remanence_store_kit.builders import expect_error
from tests.flows.conftest import hear
from tests.sentences import Sentences

START = 1_767_225_600_000_000
OPENS = ("market hall", "opens")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Engine]:
    """A memory on a file, written to by a person."""
    async with opened(tmp_path / "memory.db") as memory:
        yield memory


def opened(path: Path, scope: str = "home", trust: Trust = Trust.USER, **more: Any) -> Engine:
    """Open a scope of a file."""
    return remanence.open(path, scope=scope, clock=ManualClock(START), embedder="hashed", trust=trust, **more)


@pytest.mark.parametrize(
    ("role", "trust"),
    [("user", Trust.USER), ("system", Trust.USER), ("assistant", Trust.AGENT), ("tool", Trust.TOOL)],
)
async def test_what_is_learned_is_believed_by_who_spoke(memory: Engine, role: str, trust: Trust) -> None:
    """A user's turn as the user, an assistant's as an agent, a tool's as a tool; `learn_many` and `put` alike."""
    one = await memory.learn("The hall opens at six", role=role)  # type: ignore[call-overload]
    two = (await memory.learn([{"text": "The hall closes at nine", "role": role}]))[0]
    three = await memory.learn("The hall has two doors", key="hall", role=role, speaker="Ann", source="log")  # type: ignore[call-overload]

    assert [trust] * 3 == [(await memory.get(done)).trust for done in (one, two, three)]


async def test_a_name_that_tells_an_assistant_lowers_it(memory: Engine) -> None:
    """Where nobody says the role, the name does."""
    done = await memory.learn("I could look that up for you", speaker="Assistant")

    assert Trust.AGENT is (await memory.get(done)).trust


async def test_a_caller_lowers_it_and_never_raises_it(memory: Engine) -> None:
    """What was read somewhere may be said to be so; a tool's text is no agent's, whoever says so."""
    done = await memory.learn("The hall was sold", trust="outside")
    refused = await expect_error(
        InvalidInput, memory.learn("The hall was bought", role="tool", trust="agent")
    )

    assert Trust.OUTSIDE is (await memory.get(done)).trust
    assert "pass one of: outside, tool" in refused.recovery
    assert 1 == len(await memory.list())


async def test_what_comes_through_an_agents_opening_is_an_agents(tmp_path: Path) -> None:
    """However it is called: as a user's turn, as a system's, by `put`; more than that is refused."""
    async with opened(tmp_path / "memory.db", trust=Trust.AGENT) as memory:
        one = await memory.learn("The hall opens at six", role="user")
        two = await memory.learn(
            "The hall has two doors", key="hall", role="system", speaker="Ann", source="log"
        )
        three = await memory.learn("12 degrees", role="tool")
        await expect_error(InvalidInput, memory.learn("The hall was sold", trust="user"))
        held = [(await memory.get(done)).trust for done in (one, two, three)]

    assert [Trust.AGENT, Trust.AGENT, Trust.TOOL] == held


async def test_a_file_is_outside_unless_said(memory: Engine, tmp_path: Path) -> None:
    """What is ingested is believed as far as the caller says of the file, and what an assistant says in it less."""
    for name in ("one", "two"):
        turns = [{"text": f"Hall {name}", "role": "user"}, {"text": f"Noted {name}", "role": "assistant"}]
        (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, turns)))
    await memory.ingest(tmp_path / "one.jsonl")
    await memory.ingest(tmp_path / "two.jsonl", trust="user")
    held = {one.text: one.trust for one in await memory.list()}

    assert {
        "Hall one": Trust.OUTSIDE,
        "Noted one": Trust.OUTSIDE,
        "Hall two": Trust.USER,
        "Noted two": Trust.AGENT,
    } == held


async def test_another_text_is_believed_as_far_as_who_wrote_it(tmp_path: Path) -> None:
    """A person's correction or edit as the person; an agent's no further than what it replaces; undo gives back."""
    path = tmp_path / "memory.db"
    async with opened(path) as person, opened(path, trust=Trust.AGENT) as agent:
        heard = [await person.learn(f"The hall opens at {n}", trust="outside") for n in range(4)]
        mine = await person.learn("The hall closes at nine")
        edited = await person.update(heard[0], text="The hall opens at ten")
        await agent.update(heard[1], text="The hall opens at eleven")
        fixed = [
            await person.correct(heard[2], "The hall opens at noon"),
            await agent.correct(heard[3], "It opens at one"),
        ]
        fixed.append(await agent.correct(mine, "The hall closes at ten"))
        held = [(await person.get(one)).trust for one in (heard[0], heard[1], *fixed)]
        await person.undo(edited)
        back = (await person.get(heard[0])).trust

    assert [Trust.USER, Trust.OUTSIDE, Trust.USER, Trust.OUTSIDE, Trust.AGENT] == held
    assert Trust.OUTSIDE is back


async def test_no_repeat_confirmation_or_use_raises_it(memory: Engine) -> None:
    """A text from outside that is repeated, confirmed, used and rated stays from outside."""
    done = await memory.learn("The hall was sold", trust="outside")
    await memory.learn("The hall was sold")
    await memory.rate(done, "right")
    await memory.recall("hall")
    await memory.rate(done, 1.0)
    await memory.update(done, importance=1.0)

    assert Trust.OUTSIDE is (await memory.get(done)).trust


async def test_a_repeat_that_is_believed_less_adds_nothing(memory: Engine) -> None:
    """Its tags, how sure and important it is, and that it holds still are the word of who is believed less."""
    mine = await memory.learn("The hall was sold", tags=["hall"], importance=0.2)
    await memory.update(mine, valid_to=START - 1)
    again: dict[str, Any] = {"tags": ["self/goal"], "importance": 1.0, "confidence": 1.0}
    repeat = await memory.learn("The hall was sold", trust="outside", **again)
    held = await memory.get(mine)
    await memory.learn("The hall was sold", **again)
    then = await memory.get(mine)

    assert "confirmed" == repeat.status
    assert (("hall",), 0.2, None, START - 1) == (held.tags, held.importance, held.confidence, held.valid_to)
    assert (("hall", "self/goal"), 1.0, 1.0, None) == (
        then.tags,
        then.importance,
        then.confidence,
        then.valid_to,
    )


async def test_what_an_agent_confirms_is_not_confirmed_by_a_user(tmp_path: Path) -> None:
    """It is counted; only through a user's opening it is user_confirmed."""
    path = tmp_path / "memory.db"
    held = []
    async with opened(path) as person, opened(path, trust=Trust.AGENT) as agent:
        done = await person.learn("The hall was sold", trust="outside")
        for opening in (agent, person):
            await opening.rate(done, "right")
            held.append(await person.get(done))

    assert [(1, "unverified"), (2, "user_confirmed")] == [
        (one.confirmations, one.verification.label) for one in held
    ]


async def test_an_agents_opening_hears_what_a_user_said(tmp_path: Path) -> None:
    """A fact is believed as far as its turn, whoever opened the memory that listens."""
    path = tmp_path / "memory.db"
    said = "Hello! My sister Mia lives in Tartu."
    async with opened(path) as person:
        await person.note(said, speaker="Ana", later=True)
        await person.note(said.replace("Mia", "Lea"), speaker="Ana", trust="outside", later=True)
    async with opened(path, trust=Trust.AGENT, writer=Sentences()) as agent:
        heard = await hear(agent)
        facts = await agent.list(kind="semantic", oldest_first=True)

    assert (2, ()) == (heard.stored, heard.failed)
    assert [Trust.USER, Trust.OUTSIDE] == [fact.trust for fact in facts]


async def test_an_answer_says_what_is_believed_less_than_the_user(memory: Engine) -> None:
    """Of each such memory, in recall and in frames; of the user's own it says nothing."""
    await memory.learn("The hall was sold", trust="outside")
    await memory.learn("The hall has two doors")
    answer = await memory.recall("hall", limit=2)
    frame = await memory.frame("task", "hall")

    assert {"; outside] The hall was sold", "] The hall has two doors"} == {
        line[line.index("; outside") if "outside" in line else line.index("]") :]
        for line in answer.text.splitlines()
    }
    assert "; outside] The hall was sold" in frame.text


async def test_a_writer_is_told(tmp_path: Path) -> None:
    """A text from outside that is judged, or stands beside one that is, says so."""
    asked: list[tuple[str, str]] = []

    class Noting:
        """A writer that notes what it is shown."""

        name = "noting"

        async def judge(
            self, text: str, identity: str, others: Mapping[str, str]
        ) -> remanence.types.Judgement:
            asked.append((text, " ".join(others.values())))
            return remanence.types.Judgement(0.5)

    async with remanence.open(
        tmp_path / "memory.db", clock=ManualClock(START), embedder="hashed", writer=Noting()
    ) as memory:
        await memory.learn("The market hall was sold in May", trust="outside")
        await memory.consolidate()
        await memory.learn("The market hall was sold in June")
        await memory.consolidate()

    heard = "[outside] The market hall was sold in May"
    assert [(heard, ""), ("The market hall was sold in June", heard)] == asked


async def test_policies_read_it(memory: Engine) -> None:
    """As a label with an order, from outside to user."""
    await memory.learn("The hall was sold", trust="outside")
    await memory.learn("The hall has two doors")
    policy = """version = 1
name = "doubt"
[[rule]]
name = "doubtful"
every = "deep"
phase = "lifecycle"
where = "trust < 'agent'"
do = "flag"
to = "doubtful"
"""
    await memory.curate(policy)

    assert ["The hall was sold"] == [one.text for one in await memory.list(tags=["flag/doubtful"])]
    assert ["The hall was sold"] == [one.text for one in await memory.list(trust="outside")]


async def exported(memory: Engine) -> Sequence[bytes]:
    """Return a scope's export."""
    return [line async for line in memory.export()]


async def test_an_import_is_believed_as_far_as_both_say(memory: Engine, tmp_path: Path) -> None:
    """The file by its lines, or by who spoke where it is older; the caller of the file; the least of both counts."""
    await memory.learn("The hall opens at six")
    await memory.learn("Noted", role="assistant")
    lines = await exported(memory)
    older = [orjson.dumps({**orjson.loads(lines[0]), "version": 2})]
    for line in lines[1:-1]:
        row = orjson.loads(line)
        row.pop("trust", None)
        older.append(orjson.dumps(row))
    cases: list[tuple[str, Sequence[bytes], Mapping[str, str]]] = [
        ("a", lines, {}),
        ("b", lines, {"trust": "user"}),
        ("c", lines, {"trust": "tool"}),
        ("d", older, {"trust": "user"}),
    ]
    held = {}
    for scope, given, how in cases:
        async with opened(tmp_path / "other.db", scope) as other:
            await other.import_(given, edited=True, **how)  # type: ignore[arg-type]
            held[scope] = [one.trust.label for one in await other.list(oldest_first=True)]

    assert {
        "a": ["outside", "outside"],
        "b": ["user", "agent"],
        "c": ["tool", "tool"],
        "d": ["user", "agent"],
    } == held


async def test_what_is_forbidden_leaves_and_comes_back(memory: Engine, tmp_path: Path) -> None:
    """With its time and the memory that said it; a second import changes nothing."""
    said = await memory.learn("A hall and six oars")
    core = memory._core
    await core.commit(
        [
            Change("forbidden", "ab" * 16, None, {"seq": said.seq}),
            Change("forbidden", "cd" * 16, None, {"at": START - 5}),
        ],
        core.cause("learn"),
    )
    lines = await exported(memory)
    async with opened(tmp_path / "other.db") as other:
        await other.learn("Something else first")
        done = await other.import_(lines, trust="user")
        again = await other.import_(lines, trust="user")
        seq = (await other.get(said.id)).seq
        forbidden = await other._core.store.forbidden("home")
        checks = await other.doctor()
        await other.undo(done)
        undone = await other._core.store.forbidden("home")

    assert [Forbidden("ab" * 16, START, seq), Forbidden("cd" * 16, START - 5)] == forbidden
    assert (0, 2) == (again.changes, done.counts["forbidden"])
    assert ([], []) == (undone, [check for check in checks if not check.ok])
