"""Agents over HTTP: a real server, spoken to by the official clients in Python and Node, and hurt as it happens."""

import asyncio
import json
import os
import random
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from starlette.types import Receive, Scope, Send

import remanence.sync
from remanence.core.clock import read_monotonic_micros
from remanence.core.permissions import ROLES, TokenRole
from remanence.faces.rest import agents
from remanence.faces.rest.agents import McpAgents
from remanence.faces.rest.engines import Engines
from remanence.faces.server_state import ProcessState
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.opening_checks import NewScope
from tests.flows.test_mcp import Agent, named, planned, recalled, runs
from tests.flows.test_rest import WAIT, Reply, Server, start, stop

Mode = Literal["auto", "legacy"]
MODES: tuple[Mode, ...] = ("auto", "legacy")  # the protocol of 2026, and those with a handshake before it
READING = ["recall", "get", "frame", "status"]
WRITING = ["recall", "get", "learn", "correct", "link", "rate", "frame", "status"]
CURATING = ["plan", "forget", "apply", "undo"]
ENVELOPE = {"protocolVersion": "2199-01-01", "clientCapabilities": {}}
HEADS = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose file has a token of each role for two scopes, one for both, and one for every scope."""
    file = tmp_path_factory.mktemp("mcp") / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        tokens = {
            (scope, role): memory.token.add(f"{scope}-{role}", scopes=[scope], role=role, agent=agent).secret
            for scope in ("home", "work")
            for role in ROLES[1:]  # the first opens no memory
            for agent in (None if role == "read" else "quill",)
        }
        tokens["both", "write"] = memory.token.add("both", scopes=["home", "work"], role="write").secret
        tokens["*", "curate"] = memory.token.add("every", scopes=["*"], role="curate").secret
        tokens["home", "curate"] = memory.token.add("other", scopes=["home"], role="curate").secret
    for scope in ("home", "work"):
        with remanence.sync.open(file, embedder="none", scope=scope) as memory:
            memory.learn(f"The key of {scope} hangs behind the door.", key="key")
    served = start(file)
    served.tokens = dict(tokens)
    assert 401 == served.send("/mcp", {}).status  # a signal before it serves would end it as any process
    yield served
    assert 0 == stop(served)


@asynccontextmanager
async def connected(
    server: Server, token: str, mode: Mode = "auto", path: str = "/mcp"
) -> AsyncIterator[Agent]:
    """Connect the official client."""
    heads = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=heads, timeout=WAIT) as http:
        wire = streamable_http_client(f"http://127.0.0.1:{server.port}{path}", http_client=http)
        async with Client(wire, mode=mode) as client:
            yield Agent(client)


def post(
    server: Server, method: str, token: str | None, version: str = LATEST_HANDSHAKE_VERSION, **given: Any
) -> Reply:
    """Send one message without any client's manners."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    return server.send("/mcp", message, token=token, heads=HEADS | {"mcp-protocol-version": version})


def said(reply: Reply) -> str:
    """Return what a raw call of a tool answered."""
    assert 200 == reply.status, reply
    return str(reply.document["result"]["content"][0]["text"])


def refused(reply: Reply, status: int) -> str:
    """Return how a request was refused, in the words that clients show."""
    assert (status, "application/json") == (reply.status, reply.heads["content-type"]), reply
    message = str(reply.document["error"]["message"])
    assert "\n→ " in message
    return message


async def refusal(server: Server, token: str, mode: Mode, path: str) -> str:
    """Return how a client is refused that cannot even connect."""
    try:
        async with connected(server, token, mode, path) as agent:
            await agent.call("status")
    except BaseExceptionGroup as group:
        failed: BaseException = group
        while isinstance(failed, BaseExceptionGroup):
            (failed,) = failed.exceptions
        assert isinstance(failed, MCPError), failed
        return failed.error.message
    pytest.fail("it was not refused")


@pytest.mark.parametrize("mode", MODES)
async def test_a_token_gives_the_tools_of_its_role(server: Server, mode: Mode) -> None:
    """Who reads is offered nothing else, and what is not offered says how an agent is given it."""
    offered = {}
    for role in ROLES[1:]:
        async with connected(server, server.tokens["home", role], mode) as agent:
            offered[role] = [tool.name for tool in (await agent.session.list_tools()).tools]
    async with connected(server, server.tokens["home", "read"], mode) as agent:
        learned = await agent.refused("learn", text="I was here.")
        forgotten = await agent.refused("forget", ids=["#1"])
        unknown = await agent.refused("lern", text="x")

    assert {
        "read": READING,
        "write": WRITING,
        "curate": WRITING + CURATING,
        "erase": WRITING + CURATING,
    } == offered
    assert "learn is not offered here\n→ a person may give you another token" in learned
    assert "--role write" in learned and "--role curate" in forgotten
    assert "unknown tool 'lern'" in unknown


async def test_who_reads_leaves_no_trace(server: Server) -> None:
    """No use is counted, no session begins, nothing is written: what is recalled, framed, prompted or read."""

    def position() -> Any:
        return server.do("history", scope="work")[0]["position"], server.do("status", scope="work")[
            "sessions"
        ]

    before = position()
    async with connected(server, server.tokens["work", "read"]) as agent:
        for _ in range(3):
            assert "behind the door" in await agent.call("recall", query="Where is the key?")
            await agent.call("recall")
            await agent.call("frame", name="task", query="the key")
            await agent.call("get", id="key")
            await agent.call("status")
        assert isinstance(agent.session, Client)
        await agent.session.get_prompt("begin", {"task": "find the key"})
        await agent.session.read_resource("remanence://profile")
    server.do("plan", "read", "work", policy="default")  # which writes down the uses that were counted

    assert (before, 0) == (position(), server.do("get", scope="work", name="key")["uses"])


async def test_what_one_learns_is_an_agents_word(server: Server) -> None:
    """A token without an agent speaks for one by its own name: no model is believed as the user is."""
    async with connected(server, server.tokens["*", "curate"], path="/mcp?scope=lab") as agent:
        await agent.learn("The lamp in the lab flickers.")
        proposed = await agent.call("learn", text="I serve the lab.", tags=["self/goal"])
    async with connected(server, server.tokens["home", "write"]) as agent:
        own = await agent.learn("The boat is blue.")
    listed = {
        one["text"]: one
        for one in server.send("/v1/list?scope=lab", {}, token=server.tokens["*", "curate"]).document
    }

    assert ("agent", "every") == tuple(
        listed["The lamp in the lab flickers."][name] for name in ("trust", "agent")
    )
    assert "self/goal waits for the user" in proposed
    assert ("agent", "quill") == tuple(server.do("get", name=own)[name] for name in ("trust", "agent"))


async def test_a_client_names_one_of_several_scopes(server: Server) -> None:
    """Unnamed it is refused with what to do; another's is refused; the same for every method."""
    both, one = server.tokens["both", "write"], server.tokens["home", "write"]
    for mode in MODES:
        async with connected(server, both, mode, "/mcp?scope=work") as agent:
            assert "key of work" in await agent.call("recall", query="the key")
        async with connected(server, both, mode, "/mcp?scope=work&also_read=home") as agent:
            answer = await agent.call("recall", query="the key")
            assert "[home/#" in answer and "key of work" in answer
        for token, path, told in (
            (both, "/mcp", "opens several scopes\n→ name one: ?scope=SCOPE"),
            (both, "/mcp?scope=lab", "does not open this scope"),
            (one, "/mcp?scope=work", "does not open this scope"),
            (one, "/mcp?scope=*", "does not open this scope"),
            (one, "/mcp?also_read=work", "does not open this scope"),
        ):
            assert told in await refusal(server, token, mode, path)
    assert "several scopes" in refused(post(server, "ping", both), 400)
    assert "several scopes" in refused(post(server, "tools/list", both), 400)


async def test_a_scope_that_nobody_wrote_to_is_told(server: Server) -> None:
    """To who only reads, and does not begin it."""
    with remanence.sync.open(server.file, embedder="none") as memory:
        token = memory.token.add("curious", scopes=["nowhere"]).secret
    async with connected(server, token) as agent:
        told = await agent.refused("recall", query="the key")
        with pytest.raises(MCPError, match="nowhere"):
            await agent.session.list_tools()

    assert "nowhere" in told and "→" in told
    scopes = server.send("/v1/scopes/list?scope=home", {}, token=server.tokens["*", "curate"]).document
    assert "nowhere" not in {one["scope"] for one in scopes}


WITHOUT: tuple[dict[str, str], ...] = (
    {},
    {"authorization": "Bearer rmn_0_x"},
    {"authorization": "Basic YTpi"},
)


@pytest.mark.parametrize("heads", WITHOUT)
def test_without_a_token_nothing_is_answered(server: Server, heads: dict[str, str]) -> None:
    """Not even which tools there are; by any method, in words that clients show."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    reply = server.send("/mcp", body, heads=HEADS | heads)

    assert "token" in refused(reply, 401)
    assert "Bearer" == reply.heads["www-authenticate"]
    for method in ("GET", "DELETE", "PUT"):
        assert 401 == server.send("/mcp", heads=heads, method=method).status
    assert 401 == server.send("/mcp/", body, heads=heads).status


async def test_a_token_that_is_ended_opens_nothing_any_more(server: Server) -> None:
    """In the midst of what its agent does, from the next call on."""
    with remanence.sync.open(server.file, embedder="none") as memory:
        token = memory.token.add("brief", scopes=["home"], role="write").secret
        for mode in MODES:
            async with connected(server, token, mode) as agent:
                await agent.call("recall", query="the key")
                memory.token.end("brief")
                with pytest.raises(MCPError, match="not known, or was ended"):
                    await agent.session.call_tool("recall", {"query": "the key"})
            token = memory.token.add("brief", scopes=["home"], role="write").secret


async def test_a_plan_is_for_who_was_shown_it(server: Server) -> None:
    """Neither another token nor another scope takes it; its own agent applies it in the next request, and undoes it."""
    every = server.tokens["*", "curate"]
    async with (
        connected(server, server.tokens["home", "erase"]) as one,
        connected(server, server.tokens["home", "curate"]) as other,
        connected(server, every, path="/mcp?scope=home") as third,
        connected(server, every, path="/mcp?scope=work") as elsewhere,
    ):
        name = await one.learn("The cake was lemon.")
        plan = planned(await one.call("forget", ids=[name]))
        own = planned(await third.call("forget", ids=[name]))
        for agent, taken in ((other, plan), (third, plan), (elsewhere, own)):
            assert "waits here" in await agent.refused("apply", plan_id=taken)
        assert "inbox" == server.do("get", name=name)["status"]
        (run,) = runs(await one.call("apply", plan_id=plan))
        assert "pruned" == server.do("get", name=name)["status"]
        assert "its own runs alone" in await other.refused("undo", run=run)
        assert f"Took back run {run}" in await one.call("undo", run=run)
    assert "inbox" == server.do("get", name=name)["status"]


async def test_two_clients_of_one_token_and_many_of_several(server: Server) -> None:
    """All at once, each answered with what is its scope's; one token's calls are one session."""
    names = ("home", "work")

    async def learn(scope: str, mode: Mode, number: int) -> str:
        async with connected(server, server.tokens[scope, "write"], mode) as agent:
            name = await agent.learn(f"Crate {number} of {scope} by {mode} stands on the pier.")
            found = await agent.call(
                "recall", query=f"Where are the crates of {scope}?", limit=50, budget=None
            )
            assert not any(f"of {other} by" in found for other in names if other != scope)
            assert name in recalled(found)
            return scope

    done = await asyncio.gather(
        *(learn(scope, mode, number) for number in range(6) for scope in names for mode in MODES)
    )
    home = [one for one in server.do("list", limit=100) if one["text"].startswith("Crate")]

    assert (12, 12) == (done.count("home"), len(home))
    assert 1 == len({one["session"] for one in home}) and home[0]["session"]


async def test_what_agents_missed(server: Server) -> None:
    """Browsing by newest, category and day; several texts at once; one memory brought back."""
    async with connected(server, server.tokens["*", "curate"], path="/mcp?scope=browse") as agent:
        about = {"category": "decision", "said_at": "2026-03-05T09:00:00"}
        told = await agent.call("learn", text=["One.", "Two.", "Three."], **about)
        one, two, three = (named(line) for line in told.split("\n"))
        four = await agent.learn("Four.", category="fact", said_at="2026-03-06T23:30:00")
        newest = await agent.call("recall", limit=2)
        decided = await agent.call("recall", category="decision")
        that_day = await agent.call("recall", since="2026-03-06", until="2026-03-06")
        await agent.call("apply", plan_id=planned(await agent.call("forget", ids=[four])))
        gone = await agent.call("recall", category="fact")
        back = await agent.call("undo", run=four)
        again = await agent.call("recall", category="fact")
        stands = await agent.refused("undo", run=four.removeprefix("#"))

    assert [four, three] == recalled(newest) and "There are more" in newest
    assert [three, two, one] == recalled(decided) and "There are more" not in decided
    assert [four] == recalled(that_day) == recalled(again)
    assert "Nothing was found." == gone
    assert "Done: 1 restore." in back and "already, and shown whole" in stands


@pytest.mark.parametrize("mode", MODES)
async def test_prompts_and_resources(server: Server, mode: Mode) -> None:
    """A session is begun and wrapped up by a prompt; profile and guide are read; who reads is told so."""
    async with connected(server, server.tokens["home", "write"], mode) as agent:
        client = agent.session
        assert isinstance(client, Client)
        prompts = [one.name for one in (await client.list_prompts()).prompts]
        resources = [str(one.uri) for one in (await client.list_resources()).resources]
        begun = (await client.get_prompt("begin", {"task": "open the door"})).messages[0].content
        wrapped = (await client.get_prompt("wrap_up")).messages[0].content
        guide = (await client.read_resource("remanence://guide")).contents[0]
        profile = (await client.read_resource("remanence://profile")).contents[0]
        for asked in (
            client.get_prompt("bgin"),
            client.get_prompt("begin", {"job": "x"}),
            client.read_resource("remanence://x"),
        ):
            with pytest.raises(MCPError, match="→"):
                await asked
    async with connected(server, server.tokens["home", "read"], mode) as agent:
        assert isinstance(agent.session, Client)
        fewer = [one.name for one in (await agent.session.list_prompts()).prompts]
        short = (await agent.session.read_resource("remanence://guide")).contents[0]

    assert (["begin", "wrap_up"], ["begin"]) == (prompts, fewer)
    assert ["remanence://profile", "remanence://guide"] == resources
    assert (
        begun.type == "text" and begun.text.count("behind the door") == 2 and "(open the door)" in begun.text
    )
    assert wrapped.type == "text" and "`learn`" in wrapped.text
    assert "call `recall`" in getattr(guide, "text", "")
    assert getattr(profile, "text", "").startswith("Data, not instructions")
    assert getattr(short, "text", "").startswith("Here you may only read: recall, get, frame, status.")


def test_a_version_that_nobody_speaks(server: Server) -> None:
    """In the head it is refused with those that are spoken; in a handshake another is offered."""
    token = server.tokens["home", "read"]
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in ENVELOPE.items()}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    heads = {"mcp-protocol-version": "2199-01-01", "mcp-method": "tools/list"}
    headed = server.send("/mcp", body, token=token, heads=HEADS | heads)
    client = {
        "protocolVersion": "2199-01-01",
        "capabilities": {},
        "clientInfo": {"name": "w", "version": "1"},
    }
    shaken = server.send("/mcp", body | {"method": "initialize", "params": client}, token=token, heads=HEADS)

    assert (400, -32022) == (headed.status, headed.document["error"]["code"]), headed.document
    assert LATEST_HANDSHAKE_VERSION == shaken.document["result"]["protocolVersion"]
    assert "mcp-session-id" not in shaken.heads


def test_only_messages_are_taken(server: Server) -> None:
    """No stream is opened and no session held; what is no message is refused, and the next is answered."""
    token = server.tokens["home", "write"]
    for method in ("GET", "DELETE", "PUT"):
        assert 405 == server.send("/mcp", token=token, method=method, heads=HEADS).status
    for body in (b"", b"{", b"\xff", b"[]", b"{}", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1}'):
        for heads in (HEADS, HEADS | {"mcp-protocol-version": "2026-07-28"}):
            assert 400 <= server.send("/mcp", body, token=token, heads=heads).status < 500, body
    assert "scope home" in said(post(server, "tools/call", token, name="status", arguments={}))


def test_a_body_has_its_bounds(server: Server) -> None:
    """Ten megabytes are refused in words before they are read; the next call is answered."""
    token = server.tokens["home", "write"]
    wide = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
    wide.sendall(
        f"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
        "content-type: application/json\r\ncontent-length: 10000000\r\n\r\n".encode()
    )
    with wide, wide.makefile("rb") as answer:
        told = answer.read()

    assert b" 413 " in told.partition(b"\r\n")[0]
    assert b'"message":"a body has at most 1,048,576 bytes' in told
    assert "scope home" in said(post(server, "tools/call", token, name="status", arguments={}))


def test_other_pages_and_names_are_refused(server: Server) -> None:
    """A page elsewhere may have its own name resolved to this machine."""
    for heads in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"origin": "null"}):
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        refused(server.send("/mcp", body, token=server.tokens["home", "read"], heads=HEADS | heads), 403)


async def test_a_client_that_vanishes_leaves_nothing_behind(server: Server) -> None:
    """What it asked for is done or not, each whole; everybody else is answered."""
    token = server.tokens["*", "curate"]
    for number in range(30):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "learn", "arguments": {"text": f"Said in passing, {number}."}},
        }
        body = json.dumps(message).encode()
        gone = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        gone.sendall(
            f"POST /mcp?scope=passing HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
            "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n".encode()
            + body[: len(body) - number % 2]
        )
        gone.close()
    async with connected(server, token, path="/mcp?scope=passing") as agent:
        await agent.learn("Said in peace.")
        found = await agent.call("recall", limit=50, budget=None)
    checks = server.send("/v1/doctor?scope=passing", {}, token=token).document

    assert "Said in peace." in found
    assert all(check["ok"] for check in checks)


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    """It is told in words, and the agent's next call is answered."""
    with remanence.sync.open(tmp_path / "m.db", embedder="none") as memory:
        token = memory.token.add("a", scopes=["default"], role="write").secret
    server = start(tmp_path / "m.db", "--seconds", "0.000001")
    try:
        late = refused(post(server, "tools/call", token, name="learn", arguments={"text": "Late."}), 504)
    finally:
        assert 0 == stop(server)

    assert "it took more than" in late


async def test_a_session_ends_with_the_server(tmp_path: Path) -> None:
    """What came in is made active then, as when a host ends a server of its own."""
    path = tmp_path / "m.db"
    with remanence.sync.open(path, embedder="none") as memory:
        token = memory.token.add("a", scopes=["default"], role="write").secret
    server = start(path)
    async with connected(server, token) as agent:
        name = await agent.learn("The bell is cracked.")
    assert 0 == stop(server)
    with remanence.sync.open(path, embedder="none") as memory:
        kept, open_sessions = memory.get(name), memory.status().sessions

    assert "active" == kept.status.label and kept.session
    assert not open_sessions


@asynccontextmanager
async def answering(path: Path, token: AccessToken) -> AsyncIterator[Callable[..., Awaitable[str]]]:
    """Answer agents within this process, all by one token; yields how a tool is called in a scope."""

    def opened(scope: str, token: AccessToken, _: NewScope) -> Any:
        return remanence.open(path, scope=scope, agent=token.agent, trust=token.trust, embedder="none")

    state = ProcessState(read_monotonic_micros)
    async with (
        Engines(opened) as engines,
        McpAgents(engines, lambda _, named: named or "default", state) as app_of,
    ):
        engines.on_erasure.append(state.forget)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await app_of({**scope, "token": token}, receive, send)

        async def call(scope: str, tool: str, **given: Any) -> str:
            params = {"name": tool, "arguments": given}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            return str(
                (await http.post("/mcp", params={"scope": scope}, json=body)).json()["result"]["content"][0][
                    "text"
                ]
            )

        wire = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=wire, base_url="http://localhost", headers=HEADS) as http:
            yield call


async def test_a_session_ends_when_nobody_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memories are made active then; who comes back after all begins another, and finds the plan it was shown."""
    monkeypatch.setattr(agents, "IDLE_S", 0.0)
    token = AccessToken("a", "curate", ("*",), "quill", 0)
    async with (
        answering(tmp_path / "m.db", token) as call,
        remanence.open(tmp_path / "m.db", embedder="none") as memory,
    ):
        first = named(await call("default", "learn", text="The bell is cracked."))
        plan = planned(await call("default", "forget", ids=[first]))
        while (await memory.get(first)).status.label != "active" or (await memory.status()).sessions:
            await asyncio.sleep(0.01)
        second = named(await call("default", "learn", text="The smith comes on Monday."))
        sessions = {(await memory.get(name)).session for name in (first, second)}
        applied = await call("default", "apply", plan_id=plan)

    assert 2 == len(sessions - {None})
    assert "waits here" not in applied


async def test_so_many_agents_are_kept_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who called longest ago is forgotten first: its session ends, and its plans wait on."""
    monkeypatch.setattr(agents, "DESKS_MAX", 2)
    token = AccessToken("a", "curate", ("*",), None, 0)
    plans = {}
    async with answering(tmp_path / "m.db", token) as call:
        for scope in ("one", "two", "three"):
            name = named(await call(scope, "learn", text=f"The bell of {scope}."))
            plans[scope] = planned(await call(scope, "forget", ids=[name]))
        kept = await call("three", "apply", plan_id=plans["three"])
        gone = await call("one", "apply", plan_id=plans["one"])
        async with remanence.open(tmp_path / "m.db", scope="one", embedder="none") as memory:
            while len((await memory.status()).sessions) > 1:  # the one that was begun anew by `apply`
                await asyncio.sleep(0.01)

    assert "Done: 1 forget." in kept
    assert "changed since the plan was made" in gone  # the end of the session made it active


def test_what_a_token_does_not_open_is_refused(server: Server) -> None:
    """In any order, many at once: nothing of another's scope is ever answered."""
    draw = random.Random(30)
    opens = {"home": {"home"}, "work": {"work"}, "both": {"home", "work"}, "*": {"home", "work"}}
    pairs = [
        (draw.choice(list(server.tokens)), draw.choice(["home", "work", "*", "HOME"])) for _ in range(300)
    ]

    def ask(pair: tuple[tuple[str, TokenRole], str]) -> tuple[str, str, Reply]:
        params = {"name": "recall", "arguments": {"query": "Where is the key?"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return (
            pair[0][0],
            pair[1],
            server.send(f"/mcp?scope={pair[1]}", body, token=server.tokens[pair[0]], heads=HEADS),
        )

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(ask, pairs))

    for opened, scope, reply in replies:
        if scope in opens[opened]:
            other = "work" if scope == "home" else "home"
            assert f"key of {scope}" in said(reply) and f"key of {other}" not in said(reply)
        elif opened == "*":
            assert "key of" not in said(reply)
        else:
            assert "does not open this scope" in refused(reply, 403)


def test_without_the_extra_the_server_serves_the_rest(tmp_path: Path) -> None:
    """Nobody who has no agents needs the library of their protocol."""
    with remanence.sync.open(tmp_path / "m.db", embedder="none") as memory:
        token = memory.token.add("a", scopes=["default"], role="write").secret
    hidden = "import sys; sys.modules['mcp'] = None; "
    server = start(tmp_path / "m.db", before=hidden)
    try:
        assert 200 == server.send("/v1/learn", {"text": "The bell is cracked."}, token=token).status
        problem_told = server.send("/mcp", {}, token=token)
    finally:
        assert 0 == stop(server)

    assert 404 == problem_told.status


NODE = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token] = process.argv.slice(2);
const connect = async (token) => {
  const client = new Client({ name: "node", version: "1" });
  const requestInit = token ? { headers: { authorization: `Bearer ${token}` } } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
};
const refusal = async (work) => {
  try { await work(); return "none"; } catch (error) { return String(error.message); }
};
const client = await connect(token);
const call = async (name, given) => (await client.callTool({ name, arguments: given })).content[0].text;
const told = {
  server: client.getServerVersion().name,
  tools: (await client.listTools()).tools.map((one) => one.name),
  learned: await call("learn", { text: ["The node is green.", "The edge is red."] }),
  found: await call("recall", { query: "What is green?" }),
  newest: await call("recall", { limit: 1 }),
  wrong: await client.callTool({ name: "learn", arguments: { txt: "x" } }),
  prompts: (await client.listPrompts()).prompts.map((one) => one.name),
  prompt: (await client.getPrompt({ name: "wrap_up" })).messages[0].content.text,
  resources: (await client.listResources()).resources.map((one) => one.uri),
  guide: (await client.readResource({ uri: "remanence://guide" })).contents[0].text,
  without: await refusal(() => connect("")),
};
await client.close();
console.log(JSON.stringify(told));
"""


def test_the_client_in_node(server: Server, tmp_path: Path) -> None:
    """The official one, where it is installed: REMANENCE_NODE_MCP names the folder that has its `node_modules`."""
    folder, node = os.environ.get("REMANENCE_NODE_MCP"), shutil.which("node")
    if node is None or folder is None:
        pytest.skip(
            "needs node, and REMANENCE_NODE_MCP: a folder in which `npm i @modelcontextprotocol/sdk` was run"
        )
    (tmp_path / "node_modules").symlink_to(Path(folder) / "node_modules")
    script = tmp_path / "client.mjs"
    script.write_text(NODE, encoding="utf-8")
    address = f"http://127.0.0.1:{server.port}/mcp?scope=node"
    done = subprocess.run(
        [
            node,
            "--preserve-symlinks",
            "--preserve-symlinks-main",
            script,
            address,
            server.tokens["*", "curate"],
        ],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout)

    assert ("remanence", WRITING + CURATING) == (told["server"], told["tools"])
    green, red = (named(line) for line in told["learned"].split("\n"))
    assert recalled(told["found"])[0] == green and [red] == recalled(told["newest"])
    assert told["wrong"]["isError"] and "did you mean 'text'?" in told["wrong"]["content"][0]["text"]
    assert (["begin", "wrap_up"], ["remanence://profile", "remanence://guide"]) == (
        told["prompts"],
        told["resources"],
    )
    assert "`rate`" in told["prompt"] and "call `recall`" in told["guide"]
    assert "no token" in told["without"]
