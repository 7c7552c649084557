"""What a question asks of a store on a file, once it is warm: few requests, few statements, whatever it finds."""

from collections.abc import Sequence
from pathlib import Path

import remanence
from benchmarks.requests import measure_questions
from remanence.core.model import Turn
from tests.sentences import Sentences

REQUESTS_MAX, STATEMENTS_MAX = 4, 6
# What an outdated line tells of stands in a memory that is no part of the answer: one more read of rows.
CHAIN_STATEMENTS = 4
TOPICS = (
    "boathouse ferry harbour lighthouse orchard piano quarry rowing sawmill toll vineyard windmill".split()
)


async def fill(path: Path, outdated: Sequence[str] = ()) -> list[str]:
    """Keep turns, the facts that were learned from them, and newer turns about some; return questions about all."""
    async with remanence.open(path, embedder="hashed", writer=Sentences()) as memory:
        for number, topic in enumerate(TOPICS):
            turn = Turn(
                f"My {topic} opens at {number + 5} in May.", speaker="Mara", session=f"s{number // 4}"
            )
            await memory.note(turn)
        await memory.consolidate()
        older = await memory.list(limit=100)
        for topic in outdated:
            said = await memory.note(Turn(f"My {topic} opens at noon now.", speaker="Mara", session="later"))
            for one in older:
                if topic in one.text:
                    await memory.link(said.seq, one.seq, "newer")
        await memory.consolidate()
        assert len(await memory.list(category="fact")) == len(TOPICS) + len(outdated)
    return [f"When does the {topic} of Mara open?" for topic in TOPICS]


async def test_a_warm_question_asks_the_store_few_times(tmp_path: Path) -> None:
    """At most four requests and six statements, with facts and the turns that they are from among the answers."""
    path = tmp_path / "memory.db"
    costs = await measure_questions(path, await fill(path), "hashed")

    assert max(requests for requests, _ in costs.warm) <= REQUESTS_MAX
    assert max(statements for _, statements in costs.warm) <= STATEMENTS_MAX


async def test_what_is_newer_is_read_once(tmp_path: Path) -> None:
    """At most four requests where lines are outdated by what is no part of the answer, however many are."""
    path = tmp_path / "memory.db"
    costs = await measure_questions(path, await fill(path, TOPICS[:5]), "hashed")

    assert max(requests for requests, _ in costs.warm) <= REQUESTS_MAX
    assert (
        STATEMENTS_MAX < max(statements for _, statements in costs.warm) <= STATEMENTS_MAX + CHAIN_STATEMENTS
    )
