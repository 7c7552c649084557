"""What a model says beyond a turn is the model's: asked over HTTP, it invents, denies nothing, and redirects."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import EmbedderError, WriterError
from remanence.core.model import Memory, Relation, Status, Trust, Turn
from remanence.llm.openai_api import OpenAIEmbedder
from remanence.read.extraction import ExtractRequest, ExtractTurn
from remanence_store_kit.model_server import INVENTED, ORDER, ModelServer
from tests.flows.conftest import Opener, hear, list_quarantined
from tests.models import KEY, VARIABLES, asking
from tests.sentences import Sentences

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
    """It is kept in quarantine, with the writer's name, and stands in no profile, no frame and no boot."""
    async with asking(vendor, "inventing", server.address) as writer, opener(writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        await hear(memory)
        (apart,) = await list_quarantined(memory)
        shown = [
            str(await memory.frame("profile")),
            (await memory.frame("boot")).text,
            (await memory.frame("self")).text,
            (await memory.recall("Where does the API key go?")).text,
        ]

    assert (INVENTED, Status.QUARANTINED) == (apart.text, apart.status)
    assert f"{vendor}:inventing" == (apart.attributes or {})["extracted_by"]
    assert [False] * 4 == ["API key" in text for text in shown]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_fact_is_said_by_who_said_its_turn(opener: Opener, server: ModelServer, vendor: str) -> None:
    """Believed as the turn is, however it is worded; the writer is named beside it, and the turn is one step away."""
    async with asking(vendor, "inventing", server.address) as writer, opener(writer=writer) as memory:
        turn = await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        await hear(memory)
        found = await facts_of(memory)
        links = await memory.links(found[DENIED].seq)

    assert turn.seq in [one.target for one in links if one.relation is Relation.LEARNED_FROM]
    for text in (DENIED, AFFIRMED):
        assert ("Ana", Trust.USER) == (found[text].speaker, found[text].trust)
        assert f"{vendor}:inventing" == (found[text].attributes or {})["extracted_by"]


async def test_texts_of_different_trust_never_share_a_request(opener: Opener) -> None:
    """What stands before them neither; each fact is believed as its turn."""
    said: list[tuple[str, str, str]] = [
        ("Ana", "user", "We decided to stay."),
        ("page", "user", "The pool opens at six."),
        ("bot", "assistant", "The boat leaves at nine."),
    ]
    async with opener(writer=(writer := Sentences())) as memory:
        for n in range(9):
            speaker, role, text = said[n % 3]
            trust = "outside" if speaker == "page" else None
            turn = Turn(f"{text} Note {n} of it.", speaker=speaker, role=role, trust=trust, session="s")
            await memory.note(turn, later=True)
            if n == 4:
                await hear(memory)
        await hear(memory)
        facts = await facts_of(memory)

    assert 1 < len(writer.asked)
    assert [1] * len(writer.asked) == [len({one.trust for one in shown}) for shown in writer.asked]
    assert {"Ana": Trust.USER, "page": Trust.OUTSIDE, "bot": Trust.AGENT} == {
        one.speaker: one.trust for one in facts.values()
    }


class Adding:
    """A writer that finds one fact in the first turn that it is shown, whatever that says."""

    name = "adding"

    def __init__(self, category: str, content: str, *tags: str) -> None:
        self.category, self.content, self.tags = category, content, tags
        self.entities: tuple[remanence.types.Entity, ...] = ()

    async def judge(self, text: str, identity: str, others: object) -> remanence.types.Judgement:
        """Judge nothing."""
        return remanence.types.Judgement(0.5)

    async def extract(
        self, turns: list[ExtractTurn], wanted: ExtractRequest
    ) -> remanence.types.ExtractResult:
        """Give the fact."""
        fact = remanence.types.Fact(self.category, self.content, turns[0].id, (0, 1), 0.99, tags=self.tags)
        return remanence.types.ExtractResult((fact,), self.entities)


class Replacing(Adding):
    """Says of each fact that it takes the place of all that it is shown."""

    async def judge(
        self,
        text: str,
        identity: str,
        others: Mapping[str, str],  # type: ignore[override]
    ) -> remanence.types.Judgement:
        """Say so of what it added."""
        return remanence.types.Judgement(
            0.5, replaces=dict.fromkeys(others, 1.0) if self.content in text else {}
        )


@pytest.mark.parametrize("way", ["learned", "pinned", "confirmed", "updated", "corrected"])
async def test_a_fact_replaces_nothing_that_a_person_wrote(
    opener: Opener, clock: ManualClock, way: str
) -> None:
    """It waits in review, where a person carries it out; an older fact that he pinned or confirmed is his, too."""
    async with opener(writer=(writer := Replacing("fact", "Ana's boss is Anders."))) as memory:
        if way == "learned":
            old = (await memory.learn("Ana's boss is Anders.", speaker="Ana")).seq
        else:
            await memory.note("It rained.", speaker="Ana", session="s", later=True)
            await hear(memory)
            old = (await facts_of(memory))["Ana's boss is Anders."].seq
            worded = "Ana's boss is Andrea."
            if way == "corrected":
                old = (await memory.correct(old, worded)).seq
            elif way == "updated":
                await memory.update(old, text=worded)
            else:
                await (memory.pin(old) if way == "pinned" else memory.rate(old, "right"))
        clock.advance(minutes=1)
        writer.content = "Ana's boss is Carmen now."
        await memory.note("It snowed.", speaker="Ana", session="s", later=True)
        done = await memory.consolidate()
        stands = (await memory.get(old)).status
        (waits,) = [one for one in (await memory.review.list()).items if one.sort == "proposal"]

    assert (0, Status.ACTIVE) == (done.replaced, stands)
    assert f"takes the place of #{old} " in str(waits) and done.refused


async def test_what_a_person_wrote_stays_his_where_it_was_learned_anew(
    opener: Opener, clock: ManualClock
) -> None:
    """A link to where it was learned from makes it no fact of a writer's."""
    async with opener(writer=Replacing("fact", "Ana's boss is Carmen now.")) as memory:
        await memory.forget(await memory.learn("Ana's boss is Anders.", speaker="Ana"))
        old = await memory.learn("Ana's boss is Anders.", speaker="Ana")
        clock.advance(minutes=1)
        await memory.note("It snowed.", speaker="Ana", session="s", later=True)
        done = await memory.consolidate()
        links = [one for one in await memory.links(old.seq) if one.relation is Relation.LEARNED_FROM]
        kept = await memory.get(old.seq)

    assert (1, 0, Status.ACTIVE) == (len(links), done.replaced, kept.status)
    assert done.refused


async def test_a_fact_replaces_what_was_extracted_whoever_said_it(opener: Opener, clock: ManualClock) -> None:
    """As far as that is believed no more; one undo takes it back."""
    async with opener(writer=(writer := Replacing("fact", ""))) as memory:
        runs: list[str | None] = []
        for speaker, content in (("Ana", "Ana's boss is Anders."), ("Tom", "Ana's boss is Carmen now.")):
            writer.content = content
            await memory.note(f"{speaker} came by.", speaker=speaker, session="s", later=True)
            runs.append((await memory.consolidate()).verdicts)
            clock.advance(minutes=1)
        facts = await facts_of(memory)
        await memory.undo(runs[-1] or "")
        back = await facts_of(memory)

    assert {"Ana's boss is Carmen now."} == {*facts}
    assert {"Ana's boss is Carmen now.", "Ana's boss is Anders."} == {*back}


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
    writer.entities = (remanence.types.Entity("Bartholomew Quill", "person"),)
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


async def test_what_a_writer_finds_beyond_twelve_is_counted(opener: Opener) -> None:
    """It is cut, said and audited."""
    async with opener(writer=Sentences()) as memory:
        said = [f"I live in house number {at}." for at in range(15)]
        await memory.note(" ".join(said), speaker="Ana", session="s", later=True)
        done = await hear(memory)
        (event,) = [one for one in await memory.history(limit=100) if one.verb == "extract"]

    assert (3, 3) == (done.cut["facts"], event.detail["cut"]["facts"])


@pytest.mark.parametrize(
    ("vendor", "model", "asked"),
    [
        ("openai", "malformed", 2),
        *((vendor, "schema-invalid", 2) for vendor in VENDORS),
        *((vendor, "refusing", 1) for vendor in VENDORS),
    ],
)
async def test_an_answer_that_cannot_be_read_is_asked_for_once_more(
    opener: Opener, server: ModelServer, vendor: str, model: str, asked: int
) -> None:
    """Both are paid for; then the turn waits with the reason. A refusal is final."""
    async with asking(vendor, model, server.address) as writer, opener(writer=writer) as memory:
        await memory.note(HOLIDAY, speaker="Ana", session="s", later=True)
        done = await hear(memory)
        state = await memory.status()

    assert (asked, 0) == (server.requests, done.stored)
    assert 1 == len(done.failed) and 1 == state.waiting[0].failures
    assert state.spent["tokens"] > 0


async def test_a_request_has_a_budget_of_tokens(opener: Opener) -> None:
    """Long turns are shown in several, each at least one; none is left out."""
    long = "The tide at the northern pier was measured again and written down. " * 60
    async with opener(writer=(writer := Sentences())) as memory:
        for number in range(10):
            await memory.note(f"{long} Entry {number}.", speaker="Ana", session="s", later=True)
        done = await hear(memory)

    shown = [len([one for one in turns if "Entry" in one.text]) for turns in writer.asked]
    assert 10 == done.turns
    assert 3 < len(shown) and max(shown) < 10


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
