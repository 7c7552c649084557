"""What a memory returned and hears again strengthens nothing and makes no copy, by whatever door, on both stores."""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import to_datetime
from remanence.core.model import Verification
from remanence.faces.cli.hook import parse_prompt
from tests.flows.conftest import Opener, hear

FACTS = (
    "My sister Mia lives in Tartu.",
    "I am allergic to peanuts.",
    "The boathouse door shuts at six.",
)
QUESTION = "Where is Mia, what of peanuts, when does the boathouse shut?"
ROUNDS = 6
Door = Callable[[remanence.Engine, list[str], Path], Awaitable[object]]


async def _note(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    for text in texts:
        await memory.note(text, later=True)


async def _note_assistant(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    for text in texts:
        await memory.note(text, role="assistant", later=True)


async def _learn(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    for text in texts:
        await memory.learn(text, confidence=1.0)


async def _learn_tool(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    for text in texts:
        await memory.learn(text, role="tool")


async def _learn_agent(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    for text in texts:
        await memory.learn(text, agent="bot", trust="agent")


async def _learn_many(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    await memory.learn(texts)


async def _ingest(memory: remanence.Engine, texts: list[str], folder: Path) -> None:
    path = folder / "turns.jsonl"
    path.write_text("".join(json.dumps({"text": text, "role": "user"}) + "\n" for text in texts))
    await memory.ingest(path)


async def _import(memory: remanence.Engine, texts: list[str], _folder: Path) -> None:
    async with remanence.open(embedder="hashed", clock=memory._core.clock) as other:
        await other.learn(texts)
        lines = [line async for line in other.export()]
    await memory.import_(lines, trust="user")


DOORS: dict[str, Door] = {
    "note": _note,
    "note of an assistant": _note_assistant,
    "learn": _learn,
    "learn of a tool": _learn_tool,
    "learn of an agent": _learn_agent,
    "learn_many": _learn_many,
    "ingest": _ingest,
    "import": _import,
}


async def _stand(memory: remanence.Engine) -> list[tuple[str, int, Verification, float | None, float | None]]:
    listed = await memory.list(status="any", oldest_first=True)
    return [(one.text, one.confirmations, one.verification, one.confidence, one.value) for one in listed]


@pytest.mark.parametrize("speaker", [None, "Ann"])
@pytest.mark.parametrize("form", ["texts", "lines", "answer"])
@pytest.mark.parametrize("door", DOORS)
async def test_what_was_returned_and_comes_back_changes_nothing(
    opener: Opener, clock: remanence.ManualClock, tmp_path: Path, door: str, form: str, speaker: str | None
) -> None:
    """By each door: the texts alone, the lines of the answer, the whole answer; also after an opening."""
    async with opener() as memory:
        for text in FACTS:
            await memory.learn(text, speaker=speaker)
        before = await _stand(memory)
    for _ in range(2):
        async with opener() as memory:
            for _ in range(ROUNDS // 2):
                clock.advance(hours=1)
                answer = await memory.recall(QUESTION)
                texts = [hit.memory.text for hit in answer.memories]
                await DOORS[door](
                    memory,
                    {"texts": texts, "lines": answer.text.splitlines(), "answer": [answer.text]}[form],
                    tmp_path,
                )
            after = await _stand(memory)

            assert before == after


@pytest.mark.deep
async def test_a_thousand_rounds_leave_no_copy(
    memory: remanence.Engine, clock: remanence.ManualClock
) -> None:
    """An agent that notes each answer it gets keeps a store of three memories for ever."""
    for text in FACTS:
        await memory.learn(text)
    for _ in range(1_000):
        clock.advance(minutes=5)
        answer = await memory.recall(QUESTION)
        await memory.learn(answer.text)

    assert [(text, 0) for text in FACTS] == [(text, times) for text, times, *_ in await _stand(memory)]


async def test_who_says_it_again_later_confirms_it(
    memory: remanence.Engine, clock: remanence.ManualClock
) -> None:
    """Within a day of being returned a repeat counts where its caller says that the user spoke, later by itself."""
    await memory.learn(FACTS[1])
    await memory.recall("peanuts")
    echo = await memory.learn(FACTS[1])
    vouched = await memory.learn(FACTS[1], role="user")
    clock.advance(hours=24)
    within = await memory.learn(FACTS[1])
    clock.advance(seconds=1)
    later = await memory.learn(FACTS[1])
    (kept,) = await memory.list()

    assert ["known", "confirmed", "known", "confirmed"] == [
        one.status for one in (echo, vouched, within, later)
    ]
    assert "rate it right" in echo.reason
    assert (2, Verification.USER_CONFIRMED) == (kept.confirmations, kept.verification)


async def test_tags_that_an_echo_brings_are_kept(memory: remanence.Engine) -> None:
    """Whether it is one is a guess, so what was said with it is not lost; it confirms nothing all the same."""
    first = await memory.learn(FACTS[0], tags=["family"])
    await memory.recall(QUESTION)
    again = await memory.learn(FACTS[0], tags=["tartu"])
    kept = await memory.get(first)

    assert ("known", first.id) == (again.status, again.id)
    assert {"family", "tartu"} == set(kept.tags)
    assert (0, Verification.UNVERIFIED) == (kept.confirmations, kept.verification)


async def test_what_was_never_returned_is_confirmed_at_once(memory: remanence.Engine) -> None:
    """A repeat of what no answer returned, or only an answer that counted no use, is a repeat."""
    await memory.learn(FACTS[1])
    first = await memory.learn(FACTS[1])
    await memory.recall("peanuts", count_use=False)
    second = await memory.learn(FACTS[1])

    assert ["confirmed", "confirmed"] == [first.status, second.status]


async def test_what_was_said_before_the_memory_came_in_is_no_echo(
    memory: remanence.Engine, clock: remanence.ManualClock
) -> None:
    """A turn of an older conversation cannot have been read from the memory."""
    said_at = to_datetime(clock.now()) - timedelta(days=3)
    await memory.learn(FACTS[1])
    await memory.recall("peanuts")
    older = await memory.learn(FACTS[1], said_at=said_at)

    assert "confirmed" == older.status


async def test_confirm_and_a_rating_still_strengthen(memory: remanence.Engine) -> None:
    """What was returned is confirmed by the verb, and rated, as ever."""
    await memory.learn(FACTS[1])
    answer = await memory.recall("peanuts")
    await memory.rate(answer.memories[0].id, "right")
    await memory.rate([hit.id for hit in answer.memories], 1.0)
    (kept,) = await memory.list()

    assert (1, 1_000) == (kept.confirmations, kept.helped)


async def test_a_rating_reaches_all_that_was_returned_but_identity(memory: remanence.Engine) -> None:
    """Each memory of an answer is rated by the ids of the answer; what says who the agent is is immune and named."""
    facts = [(await memory.learn(text)).id for text in FACTS]
    who = await memory.learn("I keep the boathouse door.", category="identity")
    answer = await memory.recall(QUESTION)
    rated = await memory.rate([hit.id for hit in answer.memories], 1.0)
    kept = {one.id: one.helped for one in await memory.list()}

    assert sorted(facts) == sorted(rated.rated)
    assert [(who.id, "identity")] == [(one.id, one.reason) for one in rated.skipped]
    assert dict.fromkeys(facts, 1_000) | {who.id: 0} == kept


async def test_another_person_may_say_the_same_of_herself(memory: remanence.Engine) -> None:
    """Who is named says it herself, also right after the words of another were returned."""
    await memory.learn(FACTS[1], speaker="Ann")
    await memory.recall("peanuts")
    of_another = await memory.learn(FACTS[1], speaker="Bea")

    assert "stored" == of_another.status


@pytest.mark.parametrize("door", ["note", "learn", "learn of a tool"])
async def test_new_words_around_what_was_returned_are_kept_and_strengthen_nothing(
    memory: remanence.Engine, tmp_path: Path, door: str
) -> None:
    """What is not surely an echo is stored: a quotation, other words, a line with something else behind its mark."""
    for text in FACTS:
        await memory.learn(text, speaker="Ann")
    answer = await memory.recall(QUESTION)
    line = answer.text.splitlines()[0]
    texts = [
        f"You told me: {FACTS[1]}",
        "Peanuts make me ill.",
        f"{line} And in winter in Riga.",
        f"{answer.text}\nI noted that.",
        line.replace("[#", "[#9"),
    ]
    await DOORS[door](memory, texts[:4], tmp_path)
    stand = await _stand(memory)

    assert {*FACTS, *texts[:4]} == {text for text, *_ in stand}
    assert [0] * len(FACTS) == [times for text, times, *_ in stand if text in FACTS]


async def test_a_fact_within_a_quotation_is_not_confirmed(memory: remanence.Engine) -> None:
    """A fact that is extracted from a new turn, and was returned a moment ago, counts for nothing."""
    await memory.note(f"{FACTS[0]} The weather was fine today in the harbour.", speaker="Ann")
    await hear(memory)
    before = {text: times for text, times, *_ in await _stand(memory)}
    await memory.recall("Where does Mia live?")
    await memory.note(f"As you told me once. {FACTS[0]}", speaker="Ann")
    await hear(memory)
    after = {text: times for text, times, *_ in await _stand(memory)}

    assert 0 == sum(before.values()) == sum(after.values())
    assert 1 == len(after.keys() - before.keys())


async def test_lines_of_another_memory_are_known_where_their_text_is_here(
    memory: remanence.Engine, opener: Opener, clock: remanence.ManualClock
) -> None:
    """Two stores that learn each other's answers end with one copy at most of each text."""
    async with remanence.open(clock=clock, embedder="hashed") as peer:
        for text in FACTS:
            await memory.learn(text, speaker="Ann")
        for _ in range(20):
            clock.advance(hours=3)
            for one, other in ((memory, peer), (peer, memory)):
                for line in (await one.recall(QUESTION)).text.splitlines():
                    await other.learn(line)

        assert (len(FACTS), len(FACTS)) == (len(await memory.list()), len(await peer.list()))


async def test_a_line_that_was_cut_is_known(memory: remanence.Engine) -> None:
    """An answer in a small budget shows a passage; that passage is the memory's, too."""
    long_text = " ".join(f"The tide of day {day} turned at {day % 12} by the pier." for day in range(60))
    await memory.learn(long_text)
    answer = await memory.recall("tide of day 31", budget=60)
    known = await memory.learn(answer.text)

    assert "; cut" in answer.text
    assert "known" == known.status


async def test_a_line_of_what_was_forgotten_is_stored(memory: remanence.Engine) -> None:
    """What stands nowhere any more may come in again: nothing vanishes."""
    learned = await memory.learn(FACTS[1])
    line = (await memory.recall("peanuts")).text
    await memory.forget(learned.id)
    again = await memory.learn(line)

    assert "stored" == again.status


def test_a_prompt_of_a_host_is_the_users_word() -> None:
    """What a host's hook passes on was typed by a person, whatever was recalled for it."""
    of_hook = parse_prompt('{"prompt": "I am allergic to peanuts.", "session_id": "s"}')

    assert (FACTS[1], {"role": "user", "session": "s"}) == of_hook
    assert (FACTS[1], {}) == parse_prompt(FACTS[1])
