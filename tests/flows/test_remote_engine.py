"""A memory behind a server has the engine's own verbs, and answers as the engine does."""

import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence.core.errors import (
    CapabilityMissing,
    Conflict,
    IngestError,
    InvalidInput,
    NameUnknown,
    NotFound,
    Protected,
    RemanenceError,
    StoreUnavailable,
)
from remanence.core.model import Relation, Status, Turn
from remanence.core.verbs import TABLE
from remanence.faces.rest.client import RemoteEngine
from remanence.faces.rest.offers import NOT_OFFERED, list_offers
from tests.flows.test_rest import Server, start, stop

SAID = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose file has a token for everything."""
    file = tmp_path_factory.mktemp("remote") / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("every", scopes=["*"], role="erase").secret
    server = start(file)
    server.tokens["*", "erase"] = secret
    yield server
    stop(server)


@pytest.fixture
async def remote(served: Server) -> AsyncIterator[RemoteEngine]:
    """A memory of its own for each test."""
    scope = f"scope {os.urandom(8).hex()}"
    url = f"http://127.0.0.1:{served.port}"
    async with remanence.connect(url, served.tokens["*", "erase"], scope=scope) as memory:
        yield memory


async def fill(memory: remanence.Engine) -> None:
    """Keep some of each kind: facts, turns, links, a contradiction, a hold, entities, a rejected text."""
    await memory.learn(
        "The ferry leaves at nine.", key="ferry", tags=["boats"], said_at=SAID, attributes={"n": [1, "x"]}
    )
    red, blue, _ = await memory.learn(
        [
            Turn("The mast is red.", key="red"),
            Turn("The mast is blue.", speaker="Ines"),
            {"text": "Ines sails."},
        ]
    )
    await memory.note(Turn("I am allergic to nuts.", speaker="Ines", session="monday"))
    for text in ("The sail is at the maker's.", "The maker needs two weeks."):
        await memory.learn(text, speaker="Ines", session="monday")
    await memory.learn("The network is heron-42.", key="wifi", source="manual", speaker="desk")
    await memory.consolidate()
    await memory.link(red, blue, "contradicts")
    await memory.hold("ferry", "audit", datetime(2030, 1, 1, tzinfo=UTC))
    await memory.pin(red)
    await memory.recall("when does the ferry leave")
    await memory.rate(["ferry"], 1.0)


ASKED: list[Callable[[remanence.Engine], Any]] = [
    lambda memory: memory.get("ferry"),
    lambda memory: memory.list(status="any", oldest_first=True),
    lambda memory: memory.list(filters={"attributes.n": 1}, between=(SAID, SAID)),
    lambda memory: memory.count("category"),
    lambda memory: memory.links("red"),
    lambda memory: memory.entities.list(),
    lambda memory: memory.review.list("contradiction", settled=True),
    lambda memory: memory.links("red", depth=2),
    lambda memory: memory.conversations.list(),
    lambda memory: memory.conversations.list(threads=True),
    lambda memory: memory.count("topic", limit=3),
    lambda memory: memory.frame("profile"),
    lambda memory: memory.history("ferry"),
    lambda memory: memory.history(),
    lambda memory: memory.history(decision="any"),
    lambda memory: memory.frames.get(),
    lambda memory: memory.frames.get("task"),
    lambda memory: memory.settings.get(),
    lambda memory: memory.settings.get("note_turns"),
    lambda memory: memory.review.list(),
    lambda memory: memory.forbidden(),
    lambda memory: memory.erase.show(copies=True),
    lambda memory: memory.status(),
    lambda memory: memory.guidelines(),
    lambda memory: memory.history(run="LAST"),
    lambda memory: memory.recall("who sails", count_use=False, explain=True),
    lambda memory: memory.frame("task", "who sails", count_use=False),
    lambda memory: memory.frame("boot"),
]
_TIMED = {"explanation", "at", "now", "tokens_used"}  # of the moment at which it was asked


def _steady(value: Any) -> Any:
    """Return what an answer says, without what the moment of asking makes of it."""
    if isinstance(value, list | tuple):
        return [_steady(one) for one in value]
    if isinstance(value, remanence.Result):
        return type(value).__name__, _steady(value.to_dict())
    if isinstance(value, dict):
        return {name: _steady(one) for name, one in value.items() if name not in _TIMED}
    return round(value, 4) if isinstance(value, float) else value


async def test_both_answer_alike(remote: RemoteEngine, served: Server) -> None:
    """Each verb that reads, with the same classes and the same fields."""
    await fill(remote)
    scope = remote._scope
    assert scope is not None
    async with remanence.open(served.file, embedder="none", scope=scope) as local:
        run = (await local.history())[-1].run
        for ask in ASKED:
            told = inspect.getsource(ask).strip()
            if "LAST" in told:
                there, here = await remote.history(run=run), await local.history(run=run)
            else:
                there, here = await ask(remote), await ask(local)
            assert _steady(here) == _steady(there), told
            assert repr(type(here)) == repr(type(there)), told
        memory, same = await remote.get("ferry"), await local.get("ferry")
    assert (same.said_at, same.holds, same.status, same.attributes) == (
        memory.said_at,
        memory.holds,
        memory.status,
        memory.attributes,
    )
    assert Status.ACTIVE is memory.status and same.learned_time == memory.learned_time
    assert Relation.CONTRADICTS in {link.relation for link in await remote.links("red")}


async def test_a_plan_and_a_drop_are_shown_and_done(remote: RemoteEngine) -> None:
    """With what the verbs answered, as in a process."""
    await fill(remote)
    plan = await remote.plan("default")
    assert isinstance(plan, remanence.Plan)
    diff = await remote.plan("default", compare=plan)
    assert diff.is_same and plan.digest == diff.digest
    await remote.apply(plan, policy="default")
    learned = await remote.learn("Nora keeps the chapel's key.")
    erased = await remote.erase.apply(await remote.erase.show(learned))
    await remote.hold("ferry", "audit", off=True)
    shown = await remote.scopes.drop()
    dropped = await remote.scopes.drop(shown, allow_protected=9)
    gone = await remote.list()
    await remote.undo(dropped)

    assert 1 == erased.erased and [] == gone
    assert len(await remote.list()) > 4
    with pytest.raises(InvalidInput, match="was not shown here"):
        await remote.scopes.drop(shown)
    lines = [line async for line in remote.export()]
    assert len(lines) > 5 and all(line.endswith(b"\n") for line in lines)


REFUSED: list[tuple[Callable[[remanence.Engine], Any], type[RemanenceError]]] = [
    (lambda memory: memory.get("nobody"), NotFound),
    (lambda memory: memory.learn(""), InvalidInput),
    (lambda memory: memory.list(filters={"speakr": "x"}), NameUnknown),
    (lambda memory: memory.update("ferry", category="fact", if_revision=99), Conflict),
    (lambda memory: memory.forget("ferry"), Protected),
    (lambda memory: memory.backup("copy.db"), CapabilityMissing),
    (lambda memory: memory.mirror.sync("folder"), CapabilityMissing),
    (lambda memory: memory.learn("x", colour="red"), InvalidInput),  # type: ignore[call-overload] # wrong on purpose
    (lambda memory: memory.get(), InvalidInput),  # type: ignore[call-arg] # wrong on purpose
    (lambda memory: memory.learn("x", importance=float("nan")), InvalidInput),
    (lambda memory: memory.learn("x", attributes={"n": 10**30}), InvalidInput),
    (lambda memory: memory.learn("x", attributes={"n": object()}), InvalidInput),
    (lambda memory: memory.import_([b"\xff"]), InvalidInput),
    (lambda memory: memory.import_([b"{}"]), IngestError),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
async def test_what_is_refused_there_is_raised_here(remote: RemoteEngine, number: int) -> None:
    """By the same class, with a way out."""
    await remote.learn("The ferry leaves at nine.", key="ferry")
    await remote.hold("ferry", "audit")
    ask, kind = REFUSED[number]

    with pytest.raises(kind) as refused:
        await ask(remote)
    assert refused.value.recovery
    if kind is Protected:
        assert ("held",) == refused.value.guards  # type: ignore[attr-defined]
    if kind is IngestError:
        assert 1 == refused.value.line  # type: ignore[attr-defined]
    if kind is Conflict:
        assert (99, 2) == (refused.value.expected, refused.value.current)  # type: ignore[attr-defined]


async def test_what_has_no_end_is_read_as_such(remote: RemoteEngine) -> None:
    """A hold without a day to end is the latest of all times, which nobody may give."""
    learned = await remote.learn("The ferry leaves at nine.")
    await remote.hold(learned, "audit")
    held = await remote.get(learned)

    assert held.hold_until is not None and held.hold_until > SAID.timestamp() * 1_000_000
    assert remote._scope == remote.scope


async def test_a_server_that_is_not_there_is_said() -> None:
    """Neither is an address that is none."""
    async with remanence.connect("http://127.0.0.1:9", "token") as memory:
        with pytest.raises(StoreUnavailable, match="did not answer"):
            await memory.status()
    for url in ("ftp://x", "agent.db", "http://"):
        with pytest.raises(InvalidInput, match="is no address"):
            remanence.connect(url, "token")


def test_every_verb_is_there() -> None:
    """Each that is offered calls the server, each other says why not; none opens a file here."""
    names = {row.verb for row in TABLE if row.verb}

    assert names == {offer.row.verb for offer in list_offers()} | NOT_OFFERED.keys()
    for name in names - {"close", "session", "guide"}:
        first = name.partition(".")[0]
        assert first in vars(RemoteEngine), name
