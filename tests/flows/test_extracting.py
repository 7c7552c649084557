"""Facts of a file are shown and nothing is stored; the extractor without a model has the shape of a writer's."""

import json
from pathlib import Path

import pytest

import remanence
from remanence.errors import InvalidInput
from tests.command_line import typed

SAID = [
    {"text": "Where is Vera now?", "speaker": "Bo", "thread": "home", "key": "home:1"},
    {"text": "My sister Vera moved to Ghent. Thanks!", "speaker": "Runa", "thread": "home", "key": "home:2"},
    {"text": "I'm allergic to bee stings.", "speaker": "Runa", "thread": "home"},
]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A file of conversation."""
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in SAID), encoding="utf-8")
    return path


async def test_facts_of_a_file_are_shown_and_not_stored(memory: remanence.Engine, talk: Path) -> None:
    """Each fact names its turn and span, and what it would be kept as; the memory stays empty."""
    found = await memory.extract(talk)

    assert (3, 2, 0) == (found.turns, found.bearing, len(await memory.list_memories(status="any")))
    assert [
        ("Runa's sister Vera moved to Ghent.", "relationship", "semantic", "explicit", "Vera", (0, 30)),
        ("Runa is allergic to bee stings.", "fact", "semantic", "implied", "Runa", (0, 27)),
    ] == [(one.content, one.category, one.kind.label, one.tier, one.subject, one.span) for one in found.facts]
    assert ["normal", "critical"] == [one.level for one in found.facts]


async def test_the_extractor_without_a_model_is_an_extractor() -> None:
    """It takes turns and what is wanted as a writer does, and refuses an instruction that rules cannot follow."""
    own = remanence.OfflineExtractor()
    turns = [remanence.Heard("1", "We decided to sell the van.", "Runa")]

    assert isinstance(own, remanence.Extractor)
    assert ["decision"] == [fact.category for fact in (await own.extract(turns, remanence.Wanted())).facts]
    with pytest.raises(InvalidInput, match="rules follow no instruction"):
        await own.extract(turns, remanence.Wanted(instruction="only about vans"))
    with pytest.raises(InvalidInput, match="0 turns"):
        await own.extract([], remanence.Wanted())


def test_the_command_needs_no_database(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`remanence extract` shows the facts of a file where there is no database, and makes none."""
    monkeypatch.chdir(talk.parent)
    told = typed("extract", str(talk))

    assert 0 == told.exit_code
    assert "relationship, explicit, normal: Runa's sister Vera moved to Ghent. [talk.jsonl:2]" in told.stdout
    assert ["talk.jsonl"] == [path.name for path in talk.parent.iterdir()]
