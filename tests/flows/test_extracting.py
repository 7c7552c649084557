"""Facts of a file: what extracting them would cost, what comes in, and what waits without a writer."""

import json
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import InvalidInput
from remanence.core.model import Kind, Trust
from remanence.llm.openai_api import OpenAIWriter
from remanence.write.transcripts.formats import parse
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.models import ANY_MODEL, KEY, asking, model_server
from tests.sentences import Sentences

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


async def test_a_file_is_ingested_with_its_facts(opener: Opener, talk: Path) -> None:
    """Its turns are episodes, its facts name them and are believed no more; a second time there is nothing new."""
    async with opener(writer=Sentences()) as memory:
        done = await memory.ingest(talk, extract=True)
        again = await memory.ingest(talk, extract=True)
        found = {one.text: one for one in await memory.list(status="any")}
    fact = found["Runa's sister Vera moved to Ghent."]
    turn = found[SAID[1]["text"]]

    assert (3, 3, 3, 2) == (done.turns, done.stored, done.extracted.turns, done.extracted.stored)
    assert (3, 0, 0) == (again.known, again.extracted.turns, again.extracted.stored)
    assert ((turn.id,), Trust.OUTSIDE, "home") == (fact.sources, fact.trust, fact.thread)
    assert (Kind.EPISODIC, ("turn",)) == (turn.kind, turn.tags)
    assert done.extracted.runs == done.runs[-1:]


async def test_what_a_killed_ingest_left_is_extracted_by_the_next(opener: Opener, talk: Path) -> None:
    """Turns that were stored wait; the same file again listens to them."""
    turns = parse(talk.read_bytes(), "jsonl", talk.name).turns
    async with opener(writer=Sentences()) as memory:
        await memory.learn(
            remanence.Turn(one.text, kind="episodic", tags=("turn",), speaker=one.speaker, key=one.key)
            for one in turns
        )
        done = await memory.ingest(talk, extract=True)

    assert (3, 3, 2) == (done.known, done.extracted.turns, done.extracted.stored)


async def test_without_a_writer_turns_come_in_and_wait_for_one(opener: Opener, talk: Path) -> None:
    """There is nothing to pay for, and the answer says so; asked for facts alone, it is refused with what to do."""
    async with opener() as memory:
        told = (await memory.ingest(talk, extract=True, dry_run=True)).estimate
        done = await memory.ingest(talk, extract=True)
        with pytest.raises(InvalidInput, match="extracted by a writer, and none is given") as refused:
            await memory.consolidate(listen=True)
    async with opener(writer=Sentences()) as memory:
        heard = (await memory.consolidate(listen=True)).heard

    assert told is not None
    assert (3, 3, None, 0, 0) == (told.turns, told.new, told.writer, told.calls, told.tokens)
    assert (3, 0) == (done.stored, done.extracted.stored)
    assert "no facts extracted, as no model was given" in str(done) and "writer" in refused.value.recovery
    assert (3, 2) == (heard.turns, heard.stored)


async def test_an_estimate_says_what_a_writer_is_then_asked(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many calls, about as many tokens; what is known already counts for nothing, and nothing is stored."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    talk = tmp_path / "talk.jsonl"
    said = [
        {"text": f"We moved the {n}th boat to pier {n}.", "speaker": "Bo", "session": str(n % 2)}
        for n in range(23)
    ]
    talk.write_text("".join(json.dumps(row) + "\n" for row in said), encoding="utf-8")
    with model_server() as address:
        writer = asking("openai", ANY_MODEL, address)
        assert isinstance(writer, OpenAIWriter)
        async with writer, opener(writer=writer) as memory:
            before = (await memory.ingest(talk, extract=True, dry_run=True)).estimate
            empty = await memory.list(status="any")
            await memory.settings.set("writer_cents", 10_000)  # a cent for 100 tokens
            priced = (await memory.ingest(talk, extract=True, dry_run=True)).estimate
            await memory.ingest(talk, extract=True)
            spent = (await memory.status()).spent
            after = (await memory.ingest(talk, extract=True, dry_run=True)).estimate

    assert before is not None and after is not None
    assert ([], 23, 4) == (empty, before.new, before.calls)
    assert (spent["calls"], 0, 0, 0) == (before.calls, after.new, after.calls, after.tokens)
    assert spent["tokens"] < before.tokens < 3 * spent["tokens"]  # which counts no schema
    assert "4 calls of openai:rules, about" in str(before)
    assert before.cents == 0 < -(-spent["tokens"] // 100) == spent["cents"]
    assert priced is not None and f", {-(-priced.tokens // 100)} cents;" in str(priced)


def test_the_command_says_first_what_it_would_ask(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ingest --extract --dry-run` makes no database where there is none."""
    monkeypatch.chdir(talk.parent)
    dry = typed("ingest", str(talk), "--extract", "--dry-run")
    left = [path.name for path in talk.parent.iterdir()]
    done = typed("ingest", str(talk), "--extract")

    assert (0, ["talk.jsonl"], 0) == (dry.exit_code, left, done.exit_code)
    assert "3 turns of talk.jsonl (jsonl), 3 new: no writer is given, no facts are extracted" in dry.stdout
    assert "no facts extracted, as no model was given" in done.stdout
