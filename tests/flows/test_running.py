"""Long calls over HTTP: how far they are is told as it happens, and they end where somebody cancels them."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence.core.errors import Conflict, InvalidInput, StoreUnavailable
from remanence.core.keywords import Progress
from remanence.core.permissions import TokenRole
from tests.flows.test_rest import Server, problem, start, stop

ALL_AWAY = """
version = 1
name = "all-away"
[[rule]]
name = "all"
every = "deep"
phase = "value"
where = "status == 'active'"
do = "archive"
because = "test"
"""
TEXTS = [f"Buoy {number} of the row {number % 7} is painted red." for number in range(2_500)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose file has tokens of several owners for one scope."""
    file = tmp_path_factory.mktemp("running") / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        roles: dict[str, TokenRole] = {
            "own": "write",
            "other": "write",
            "curator": "curate",
            "reader": "read",
        }
        secrets = {
            name: memory.token.add(name, scopes=["*"], role=role).secret for name, role in roles.items()
        }
    served = start(file)
    for name, role in roles.items():
        served.tokens[name, role] = secrets[name]
    yield served
    stop(served)


def secret(server: Server, name: str) -> str:
    """Return the token of an owner."""
    return next(one for (owner, _), one in server.tokens.items() if owner == name)


def reach(server: Server, name: str, scope: str, **more: Any) -> remanence.Engine:
    """Reach a scope by the token of an owner."""
    return remanence.connect(f"http://127.0.0.1:{server.port}", secret(server, name), scope=scope, **more)


def running(server: Server, name: str) -> list[dict[str, Any]]:
    """Return what a token sees of what runs."""
    listed: list[dict[str, Any]] = server.send(
        "/v1/running", token=secret(server, name), method="GET"
    ).document
    return listed


async def test_progress_is_heard_as_in_a_process(server: Server) -> None:
    """To the last, in the same steps, by calls that tell of any; where what hears it raises, the call ends."""
    there: list[tuple[int, int]] = []
    here: list[tuple[int, int]] = []
    async with reach(server, "own", "progress") as memory, remanence.open(embedder="none") as local:
        await memory.learn(TEXTS, progress=lambda *one: there.append(one))
        await local.learn(TEXTS, progress=lambda *one: here.append(one))
        assert here == there
        await memory.note("I moved to Tartu.", session="s")
        await memory.consolidate(lambda *one: there.append(one))
        assert len(there) > len(here)

        def give_up(done: int, _total: int) -> None:
            if done:
                raise OSError("nobody looks any more")

        with pytest.raises(OSError, match="nobody looks"):
            await memory.learn([f"{one} So it stays." for one in TEXTS], progress=give_up)
        with pytest.raises(InvalidInput, match="text"):
            await memory.learn([""], progress=lambda *one: there.append(one))
        assert len(await memory.list(limit=10_000)) < 2 * len(TEXTS)
    assert [] == running(server, "own")


async def test_every_long_verb_tells_how_far_it_is(server: Server) -> None:
    """A plan that is applied, its undoing, an export and an import: from nothing to all, also over HTTP."""
    told: dict[str, list[tuple[int, int]]] = {}

    def hear(verb: str) -> Progress:
        return lambda *one: told.setdefault(verb, []).append(one)

    async with reach(server, "curator", "long") as memory, reach(server, "curator", "long too") as other:
        await memory.learn(TEXTS[:500])
        await memory.consolidate()
        lines = [line async for line in memory.export(progress=hear("export"))]
        await memory.learn("The first of another scope.")
        await other.learn("The first of another scope.")
        await other.import_(lines, progress=hear("import"))
        done = await memory.curate(ALL_AWAY, progress=hear("curate"))
        await memory.undo(done, progress=hear("undo"))

    assert {"export", "import", "curate", "undo"} == told.keys()
    assert all(some[0][0] == 0 < some[-1][0] == some[-1][1] for some in told.values())


async def test_an_import_is_cancelled_over_there_and_the_same_one_takes_the_rest(server: Server) -> None:
    """What was taken in is a run that came to its end; nothing is half done."""
    async with remanence.open(embedder="none") as source:
        await source.learn(TEXTS[:1_500])
        lines = [line async for line in source.export()]
    async with reach(server, "curator", "taken") as memory:
        await memory.learn("The first of another scope.")

        def hear(done: int, _total: int) -> None:
            if done:
                task.cancel()

        task = asyncio.ensure_future(memory.import_(lines, progress=hear))
        with pytest.raises(asyncio.CancelledError):
            await task
        state = await memory.status()
        assert () == state.interrupted and state.memories in {1_001, 1_501}
        await memory.import_(lines)
        assert 1_501 == (await memory.status()).memories


def test_progress_moves_no_position(server: Server) -> None:
    """It has no id, no text of anybody's, and says how it ended."""
    token = secret(server, "own")
    heard: list[str] = []
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as listening:
        listening.sendall(
            b"GET /v1/events?scope=position HTTP/1.1\r\nhost: localhost\r\n"
            b"authorization: Bearer %s\r\n\r\n" % token.encode()
        )
        file = listening.makefile("r", encoding="utf-8")
        while not file.readline().startswith(": from"):
            pass
        server.send(
            "/v1/learn?scope=position", {"text": TEXTS}, token=token, heads={"idempotency-key": "mine"}
        )
        while not (heard and "answered" in heard[-1]):
            heard.append(file.readline())
    events = [one.split("\n") for one in "".join(heard).replace("\r", "").split("\n\n")]
    told = [one for one in events if any("event: progress" in line for line in one)]

    assert len(told) >= 4 and all("mine" in "".join(one) and "Buoy" not in "".join(one) for one in told)
    assert not any(line.startswith("id:") for one in told for line in one)


async def _begin(memory: remanence.Engine, server: Server, name: str) -> "asyncio.Task[Any]":
    """Begin a long call, and return once something of it is committed."""
    reached = asyncio.Event()

    def hear(done: int, _total: int) -> None:
        if done:
            reached.set()

    task = asyncio.create_task(memory.learn(TEXTS, progress=hear))
    await asyncio.wait_for(reached.wait(), 60)
    assert running(server, name) or task.done()
    return task


async def test_who_is_cancelled_has_it_end_over_there(server: Server) -> None:
    """Between two parts: what was committed stays, is one run, and is undone as one."""
    async with reach(server, "own", "cancelled") as memory:
        task = await _begin(memory, server, "own")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [] == running(server, "own")
        kept = await memory.list(limit=10_000)
        assert len(kept) in {1_000, 2_000}
        async with reach(server, "curator", "cancelled") as curator:
            for run in {event.run for event in await curator.history() if event.verb == "learn"}:
                await curator.undo(run)
        assert [] == await memory.list()
        await memory.learn(TEXTS)
        assert len(TEXTS) == len(await memory.list(limit=10_000))


async def test_only_its_own_token_and_a_curators_end_a_call(server: Server) -> None:
    """Others do not even see it; who waited for it is told what became of it."""
    async with reach(server, "own", "others") as memory:
        task = await _begin(memory, server, "own")
        (one,) = running(server, "own")
        assert [one["key"]] == [seen["key"] for seen in running(server, "curator")]
        assert ("learn", "others", "own") == (one["verb"], one["scope"], one["token"])
        for name in ("other", "reader"):
            assert [] == running(server, name)
            refused = server.send("/v1/cancel", {"key": one["key"]}, token=secret(server, name))
            assert "no call of this key" in problem(refused, 404)
        ended = server.send("/v1/cancel", {"key": one["key"]}, token=secret(server, "curator"))
        assert {"cancelled": 1} == ended.document
        with pytest.raises(Conflict, match="cancelled") as told:
            await task
    assert "undo" in told.value.recovery
    again = server.send(
        "/v1/learn?scope=others",
        {"text": TEXTS},
        token=secret(server, "own"),
        heads={"idempotency-key": one["key"]},
    )
    assert 409 == again.status


async def test_one_call_has_its_whole_time_as_long_as_it_goes_on(tmp_path: Path) -> None:
    """A minute, or what the server was told, counts from the last sign of progress; who does not go on is ended."""
    file = tmp_path / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        token = memory.token.add("one", scopes=["default"], role="write").secret
    server = start(file, "--seconds", "0.001")
    reply = server.send("/v1/learn", {"text": TEXTS}, token=token)
    stop(server)

    assert "took more than" in problem(reply, 504)


async def test_who_goes_away_ends_nothing(server: Server) -> None:
    """A connection that is lost says nothing of what was wanted: the answer is there for who asks again."""
    token = secret(server, "own")
    body = b'{"text": ["The gate is green.", "The fence is brown."]}'
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as leaving:
        leaving.sendall(
            b"POST /v1/learn?scope=leaving HTTP/1.1\r\nhost: localhost\r\nidempotency-key: away\r\n"
            b"content-type: application/json\r\nauthorization: Bearer %s\r\ncontent-length: %d\r\n\r\n%s"
            % (token.encode(), len(body), body)
        )
    answered = server.send("/v1/learn?scope=leaving", body, token=token, heads={"idempotency-key": "away"})

    assert ["stored", "stored"] == [one["status"] for one in answered.document]


async def test_a_server_that_says_nothing_is_left() -> None:
    """After the time that was given, with a clear error; also by who is cancelled meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        async with remanence.connect(url, "token", timeout=0.2) as memory:
            with pytest.raises(StoreUnavailable, match=r"nothing came for 0.2 s"):
                await memory.status()
            task = asyncio.create_task(memory.status())
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


def test_the_folder_of_the_mirror_is_not_set_from_outside(server: Server) -> None:
    """Nor taken away; other settings are set, and all are listed."""
    token = secret(server, "curator")

    def do(verb: str, **arguments: Any) -> Any:
        reply = server.send(f"/v1/settings/{verb}?scope=mirrored", arguments, token=token)
        return reply.document if reply.status == 200 else problem(reply, 400)

    do("set", name="note_turns", value=7)
    assert "builtin" == do("get", name="mirror_folder")["source"]
    with remanence.sync.open(server.file, embedder="none", scope="mirrored") as memory:
        memory.settings.set("mirror_folder", "/srv/mirror")
    for value in ("", None, "/srv/elsewhere"):
        assert "is a folder of the server" in do("set", name="mirror_folder", value=value)
    values = {one["name"]: one["value"] for one in do("get")}
    assert ("/srv/mirror", 7) == (values["mirror_folder"], values["note_turns"])
