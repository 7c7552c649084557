"""What a model says beyond a turn is the model's: asked over HTTP, it invents, denies nothing, and redirects."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import EmbedderError, WriterError
from remanence.core.model import STANDING, Memory, Relation, Status, Trust
from remanence.llm.openai_api import OpenAIEmbedder
from remanence.read.extraction import ExtractRequest, ExtractTurn
from remanence.testing.model_server import INVENTED, ORDER, ModelServer
from tests.command_line import typed
from tests.flows.conftest import Opener, hear
from tests.flows.test_mcp import beside
from tests.models import KEY, VARIABLES, asking

VENDORS = ("openai", "anthropic")
DENIED = "I am not allergic to walnuts."
AFFIRMED = "I am allergic to walnuts."
HOLIDAY = f"We like the sea, so we fly to Crete in June. {DENIED}"


@contextmanager
def serving() -> Iterator[ModelServer]:
    """Answer in a thread, so that a test may ask the server what came."""
    with ModelServer() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model server on this machine."""
    with serving() as found:
        yield found


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put keys into the environment, the only place they are read from."""
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)


async def facts_of(memory: remanence.Engine) -> dict[str, Memory]:
    """Return the facts that stand, by their texts."""
    listed = await memory.list(limit=100)
    return {one.text: one for one in listed if "turn" not in one.tags and one.category != "entity"}


@pytest.mark.parametrize("vendor", VENDORS)
async def test_an_order_that_a_model_invents_is_nobodys(
    opener: Opener, server: ModelServer, vendor: str
) -> None:
    """It is kept in quarantine, as an agent's, and stands in no profile, no frame and no boot."""
    async with asking(vendor, "inventing", server.address) as writer, opener(writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        await hear(memory)
        (apart,) = await memory.review.quarantined()
        shown = [
            str(await memory.profile()),
            (await memory.boot()).text,
            (await memory.frame("self")).text,
            (await memory.recall("Where does the API key go?")).text,
        ]

    assert (INVENTED, Status.QUARANTINED, Trust.AGENT) == (apart.text, apart.status, apart.trust)
    assert f"{vendor}:inventing" == apart.speaker
    assert [False] * 4 == ["API key" in text for text in shown]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_what_a_turn_covers_is_its_speakers_and_what_it_does_not_is_the_writers(
    opener: Opener, server: ModelServer, vendor: str
) -> None:
    """A denial that is left out is no word of the speaker's; how many are the writer's own is said and audited."""
    async with asking(vendor, "inventing", server.address) as writer, opener(writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        done = await hear(memory)
        found = await facts_of(memory)
        (event,) = [one for one in await memory.history(limit=100) if one.verb == "extract"]

    assert ("Ana", Trust.USER) == (found[DENIED].speaker, found[DENIED].trust)
    assert (f"{vendor}:inventing", Trust.AGENT) == (found[AFFIRMED].speaker, found[AFFIRMED].trust)
    assert (1, 1) == (done.of_writer, event.detail["of_writer"])
    assert "of these the writer's own 1" in str(done)


async def test_what_is_a_writers_own_is_told_apart_in_every_face(
    tmp_path: Path, server: ModelServer, clock: ManualClock
) -> None:
    """In recall, a profile, boot, the frame of the self, a line, on the command line and over MCP."""
    path = tmp_path / "m.db"
    turn = "I like tea. I prefer not to talk before nine."
    async with remanence.open(
        path, clock=clock, writer=Adding("preference", "Ana loves loud music.")
    ) as memory:
        await memory.note(turn, speaker="Ana", session="s", later=True)
        await hear(memory)
        own = (await facts_of(memory))["Ana loves loud music."]
        (line,) = [one for one in (await memory.profile()).lines if one.seq == own.seq]
        texts = [
            (await memory.recall("loud music")).text,
            (await memory.boot()).text,
            (await memory.frame("self")).text,
            str(await memory.profile()),
            str(own),
        ]
    async with beside(path, clock=clock) as agent:
        by_mcp = [await agent.call("recall", query="loud music"), await agent.call("get", id=f"#{own.seq}")]
    listed = (await asyncio.to_thread(typed, "list", "--db", str(path))).stdout

    assert "agent" == line.trust
    rows = [next(row for row in text.splitlines() if "loud music" in row) for text in (*texts, listed)]
    assert [True] * 6 == ["agent" in row for row in rows]
    assert [True] * 2 == ["agent" in answer for answer in by_mcp]


class Adding:
    """A writer that finds one fact in the first turn that it is shown, whatever that says."""

    name = "adding"

    def __init__(self, category: str, content: str, *tags: str) -> None:
        self.category, self.content, self.tags = category, content, tags
        self.entities: tuple[remanence.Entity, ...] = ()

    async def judge(self, text: str, identity: str, others: object) -> remanence.Judgement:
        """Judge nothing."""
        return remanence.Judgement(0.5)

    async def extract(self, turns: list[ExtractTurn], wanted: ExtractRequest) -> remanence.ExtractResult:
        """Give the fact."""
        fact = remanence.Fact(self.category, self.content, turns[0].id, (0, 1), 0.99, tags=self.tags)
        return remanence.ExtractResult((fact,), self.entities)


@pytest.mark.parametrize("consolidated", [False, True])
async def test_a_writers_own_fact_supersedes_nothing_of_a_user(opener: Opener, consolidated: bool) -> None:
    """It stands beside what the user said, linked as contradicting it; neither arrival nor consolidation replaces."""
    async with opener(writer=Adding("fact", "Ana's boss is Carmen now.")) as memory:
        said = await memory.learn("My boss is Anders.", speaker="Ana")
        named = await memory.learn("Ana's boss is Anders.", speaker="Ana")
        await memory.note("It rained all day.", speaker="Ana", session="s", later=True)
        await hear(memory)
        if consolidated:
            await memory.consolidate()
        standing = [(await memory.get(one.id)).status for one in (said, named)]

    assert {Status.ACTIVE if consolidated else Status.INBOX} == set(standing)


async def test_a_fact_that_stands_in_its_turn_is_newer_than_what_it_corrects(opener: Opener) -> None:
    """It is the speaker's word, in the words of the writer: linked as newer, and nothing gives up its place."""
    async with opener(writer=Adding("fact", "My boss is Carmen now.")) as memory:
        said = await memory.learn("My boss is Anders.", speaker="Ana")
        await memory.note("Guess what: my boss is Carmen now!", speaker="Ana", session="s", later=True)
        await hear(memory)

        links = await memory.links(said.seq)

        assert (await memory.get(said.id)).status in STANDING
        assert [said.seq] == [one.target for one in links if one.relation is Relation.NEWER]


@pytest.mark.parametrize("content", ["Ana likes tea.", "I like tea."])
async def test_tags_that_mean_something_are_proposed(opener: Opener, content: str) -> None:
    """Who the agent is and what is load-bearing a person says; the review lists what a writer would have it be."""
    async with opener(
        writer=Adding("preference", content, "self/value", "rejected-path", "drinks")
    ) as memory:
        await memory.note("I like tea.", speaker="Ana", session="s", later=True)
        await hear(memory)
        proposed = [one for one in (await memory.review.list()).items if one.sort == "proposal"]
        kept = await memory.get(proposed[0].memories[0].id)

    assert [True, True] == [tag in str(proposed) for tag in ("self/value", "rejected-path")]
    assert {"drinks"} == {*kept.tags} - {"turn"}


async def test_a_name_that_only_a_model_says_is_no_entity(opener: Opener) -> None:
    """A turn has to name it, whatever the writer lists and its facts say."""
    writer = Adding("fact", "Ana works with Bartholomew Quill.")
    writer.entities = (remanence.Entity("Bartholomew Quill", "person"),)
    async with opener(writer=writer) as memory:
        await memory.note("It rained all day.", speaker="Ana", session="s", later=True)
        await hear(memory)

        assert [] == await memory.entities.list()


async def test_what_a_model_added_goes_with_the_person_whose_turn_it_read(opener: Opener) -> None:
    """Erased by the person's name, though it is not the person's word and need not name the person."""
    async with opener(writer=Adding("fact", "The flat is full of walnuts.")) as memory:
        await memory.note("It rained all day.", speaker="Ana", session="s", later=True)
        await hear(memory)
        await memory.erase.apply(await memory.erase.show(subject="Ana"))

        assert {} == await facts_of(memory)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    ("model", "counted"),
    [("talkative", {"facts": 3}), ("one-wrong", {"facts that make no sense": 1})],
)
async def test_what_is_cut_of_an_answer_is_counted(
    opener: Opener, server: ModelServer, vendor: str, model: str, counted: dict[str, int]
) -> None:
    """Beyond twelve facts and one that makes no sense: the others are kept, the count is said and audited."""
    async with asking(vendor, model, server.address) as writer, opener(writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        done = await hear(memory)
        (event,) = [one for one in await memory.history(limit=100) if one.verb == "extract"]

    assert (counted, counted) == (done.cut, event.detail["cut"])
    assert (12 if model == "talkative" else 2) == done.stored + sum(done.left_out.values())


class Ruled(remanence.OfflineExtractor):
    """The shipped extractor as a writer that judges nothing."""

    async def judge(self, text: str, identity: str, others: object) -> remanence.Judgement:
        """Judge nothing."""
        return remanence.Judgement(0.5)


@pytest.mark.parametrize("writer", [None, Ruled()])
async def test_what_rules_find_beyond_twelve_is_counted(opener: Opener, writer: Ruled | None) -> None:
    """Without a writer, and with the shipped extractor for one, the same is cut and the same is said."""
    async with opener(writer=writer) as memory:
        said = [f"I live in house number {at}." for at in range(15)]
        await memory.note(" ".join(said), speaker="Ana", session="s", later=True)
        done = await hear(memory)
        (event,) = [one for one in await memory.history(limit=100) if one.verb == "extract"]

    assert (3, 3, 0) == (done.cut["facts"], event.detail["cut"]["facts"], done.of_writer)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_writers_server_that_leads_elsewhere_is_not_followed(
    server: ModelServer, vendor: str
) -> None:
    """No text goes to an address that nobody gave; the error says so."""
    with serving() as other:
        server.elsewhere = other.address
        async with asking(vendor, "307", server.address) as writer:
            with pytest.raises(WriterError) as caught:
                await writer.extract([ExtractTurn("t1", HOLIDAY)], ExtractRequest())

    assert (1, 0) == (server.requests, other.requests)
    assert "answered with status 307, which leads elsewhere" in str(caught.value)


async def test_an_embedders_server_that_leads_elsewhere_is_not_followed(server: ModelServer) -> None:
    """No text goes to an address that nobody gave; the error says so."""
    with serving() as other:
        server.elsewhere = other.address
        async with OpenAIEmbedder("307", base_url=f"{server.address}/v1") as embedder:
            with pytest.raises(EmbedderError) as caught:
                await embedder.embed([HOLIDAY])

    assert (1, 0) == (server.requests, other.requests)
    assert "answered with status 307" in str(caught.value)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("model", ["500", "307", "refusing", "schema-invalid", "orders-to-delete"])
async def test_what_a_server_says_of_an_error_is_kept_nowhere(
    tmp_path: Path,
    server: ModelServer,
    vendor: str,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in a result, the audit, the status, the log or the file: its status and words of ours are."""
    monkeypatch.setattr("remanence.llm.asking.PAUSE_S", 0.01)
    caplog.set_level("DEBUG", logger="remanence")
    asked = asking(vendor, model, server.address)
    async with asked as writer, remanence.open(tmp_path / "m.db", writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        heard = await hear(memory)
        done = await memory.consolidate()
        audit = json.dumps([event.to_dict() for event in await memory.history(limit=1_000)])
        status = str(await memory.status()) + repr((await memory.status()).to_dict())
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    said = f"{heard!r}{heard}{done!r}{done}{audit}{status}{caplog.text}"
    words = [ORDER] if model != "refusing" else ["I cannot help"]
    words += ["very well"] if model == "schema-invalid" else []
    quarantined = model == "orders-to-delete"  # an answer, not an error: set apart as a text
    assert [] == [one for one in words if one in said or (one.encode() in files and not quarantined)]
