"""The server over HTTP: a real process, spoken to over sockets, and hurt in the ways that happen."""

import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import remanence.sync
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.permissions import ROLE_OF, ROLES, TokenRole
from remanence.core.verbs import TABLE
from remanence.faces.rest import events
from remanence.faces.rest.offers import BODY_BYTES_MAX, FILE_WIDE, NOT_OFFERED, list_offers

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from remanence.faces.cli import main; main()", "serve", "--port", "0"]
SCOPES = ("home", "work", "lab")
WAIT = 60
HOSTILE = "</script><img src=x hx-get=/v1/status> {{7*7}} \u202e \x1b[31m"


@dataclass(frozen=True)
class Reply:
    """An answer: its status, heads and document."""

    status: int
    heads: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """What the body says in JSON."""
        return json.loads(self.body)


@dataclass
class Server:
    """A server and the tokens of its file."""

    port: int
    process: "subprocess.Popen[str]"
    file: Path
    tokens: dict[tuple[str, TokenRole], str] = field(default_factory=dict)

    def send(
        self,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        heads: Mapping[str, str] | None = None,
        method: str = "POST",
    ) -> Reply:
        """Send a request and return its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        given = {} if token is None else {"authorization": f"Bearer {token}"}
        given |= {"content-type": "application/json"} | dict(heads or {})
        data = body if isinstance(body, bytes | None) else json.dumps(body)
        try:
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            return Reply(
                answer.status, {name.lower(): one for name, one in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()

    def do(self, verb: str, role: TokenRole = "curate", scope: str = "home", **arguments: Any) -> Any:
        """Call a verb that succeeds and return its document."""
        reply = self.ask(verb, role, scope, **arguments)
        assert 200 == reply.status, reply.body
        return reply.document

    def ask(self, verb: str, role: TokenRole = "curate", scope: str = "home", **arguments: Any) -> Reply:
        """Call a verb by a token that opens this scope alone."""
        return self.send(f"/v1/{verb}", arguments, token=self.tokens[scope, role])

    def refused(self, status: int, verb: str, **given: Any) -> str:
        """Call a verb that is refused, and return the problem."""
        return problem(self.ask(verb, **given), status)


def problem(reply: Reply, status: int) -> str:
    """Return what a problem document says; it has a way out, and nothing of the inside."""
    assert (status, "application/problem+json") == (reply.status, reply.heads["content-type"]), reply
    document = reply.document
    assert status == document["status"] and document["title"] and document["recovery"]
    assert "Traceback" not in document["detail"]
    return str(document["detail"])


def start(file: Path, *more: str, before: str = "") -> Server:
    """Start a server on a file and wait until it listens; `before` is Python that runs first."""
    python, option, script, *rest = COMMAND
    process = subprocess.Popen(
        [python, option, before + script, *rest, str(file), "--embedder", "none", *more],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert process.stdout is not None
    return Server(int(process.stdout.readline().rpartition(":")[2]), process, file)


def stop(server: Server, number: signal.Signals = signal.SIGTERM) -> int:
    """End a server by a signal, and return its exit code."""
    server.process.send_signal(number)
    code = server.process.wait(WAIT)
    assert server.process.stdout is not None
    server.process.stdout.close()
    return code


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose file has a token of each role for each of three scopes."""
    file = tmp_path_factory.mktemp("rest") / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        tokens: dict[tuple[str, TokenRole], str] = {
            (scope, role): memory.token.add(f"{scope}-{role}", scopes=[scope], role=role).secret
            for scope in SCOPES
            for role in ROLES[1:]  # what watches opens no memory
        }
        tokens["*", "erase"] = memory.token.add("every", scopes=["*"], role="erase").secret
        tokens["home", "write"] = memory.token.add(
            "agent", scopes=["home"], role="write", agent="desk"
        ).secret
    for scope in SCOPES:
        with remanence.sync.open(file, embedder="none", scope=scope) as memory:
            memory.learn(f"The key of {scope} hangs behind the door.", key="key")
    served = start(file)
    served.tokens = tokens
    yield served
    stop(served)


def test_every_verb_is_offered_or_says_why_not() -> None:
    """And each that is offered has a role."""
    verbs = {row.verb for row in TABLE if row.verb}

    assert verbs == ROLE_OF.keys()
    assert NOT_OFFERED.keys() == {verb for verb, role in ROLE_OF.items() if role is None}
    assert FILE_WIDE < ROLE_OF.keys() - NOT_OFFERED.keys()
    assert len(list_offers()) == len({offer.path for offer in list_offers()})


def test_a_token_reads_promotes_and_erases_only_in_scopes_that_it_opens(server: Server) -> None:
    """A question names them, a copy goes from the own one; a scope that is not there is not made."""
    scope, other = "home", "work"
    both = {"query": "where is the key", "scopes": [scope, other]}
    every = server.tokens["*", "erase"]
    found = server.send(f"/v1/recall?scope={scope}", both, token=every).document["memories"]
    lacking = server.send(f"/v1/recall?scope={scope}", {**both, "scopes": ["hall"]}, token=every)
    learned = server.do("learn", "curate", text="The gate of the lock opens at six.")
    body = {"names": learned["id"], "to": other}
    done = server.send(f"/v1/promote?scope={scope}", body, token=every)
    probe = {"names": learned["id"], "scopes": [other]}
    shown = server.send(f"/v1/erase/show?scope={scope}", probe, token=every).document
    undone = server.send(f"/v1/undo?scope={other}", {"run": done.document["run"]}, token=every)
    scopes = [one["scope"] for one in server.send("/v1/scopes/list?scope=home", {}, token=every).document]

    assert {("", scope), (other, other)} == {(one["other_scope"], one["memory"]["scope"]) for one in found}
    assert "does not open scope 'work'" in server.refused(403, "recall", role="read", **both)
    assert "does not open scope 'work'" in server.refused(403, "promote", role="write", **body)
    assert [other] == [one["scope"] for one in shown["elsewhere"]]
    assert "does not open scope 'work'" in server.refused(403, "erase/show", role="erase", **probe)
    assert "may read, not write" in server.refused(403, "promote", role="read", **body)
    assert "hall" in problem(lacking, 404) and "hall" not in scopes
    assert (other, 1) == (done.document["scope"], done.document["counts"]["taken"]) and 200 == undone.status


def test_a_memory_is_kept_found_changed_and_undone(server: Server) -> None:
    """By the same verbs as in Python, and with the owner that the token gives."""
    learned = server.do("learn", "write", text=f"The ferry leaves at nine. {HOSTILE}", tags=["boats"])
    found = server.do("recall", query="when does the ferry leave", limit=1)["memories"][0]["memory"]
    got = server.ask("get", name=learned["id"])
    stale = {"if-match": '"7"'}
    fresh = {"if-match": got.heads["etag"]}
    token = server.tokens["home", "curate"]
    change = {"name": learned["id"], "category": "fact"}

    assert (learned["id"], "desk", "agent") == (found["id"], found["agent"], found["trust"])
    assert HOSTILE.replace("\x1b", "") in found["text"].replace("\x1b", "")
    assert "revision" in problem(server.send("/v1/update", change, token=token, heads=stale), 412)
    receipt = server.send("/v1/update", change, token=token, heads=fresh)
    assert "update" == receipt.document["verb"]
    assert "fact" == server.do("get", name=learned["id"])["category"]
    server.do("undo", run=receipt.document["run"])
    assert server.do("get", name=learned["id"])["category"] is None
    assert ["desk"] == [
        one["actor"] for one in server.do("history", name=learned["id"]) if one["verb"] == "learn"
    ]


def test_a_plan_is_shown_applied_and_undone(server: Server) -> None:
    """As data that the client keeps in between; one that was changed on the way is none."""
    policy = "version = 1\n[[rule]]\n" + "\n".join(
        f"{name} = {value!r}"
        for name, value in {
            "name": "old",
            "every": "deep",
            "phase": "value",
            "do": "archive",
            "where": "tokens > 0",
        }.items()
    )
    server.do("learn", scope="lab", text="The lamp in the lab flickers.")
    plan = server.do("plan", "read", "lab", policy=policy)
    changed = {**plan, "digest": "0" * 64}

    assert "archive" in json.dumps(plan)
    assert "plan" in server.refused(400, "apply", scope="lab", plan=changed, policy=policy)
    receipt = server.do("apply", scope="lab", plan=plan, policy=policy)
    assert [] == server.do("list", scope="lab")
    server.do("undo", scope="lab", run=receipt["run"])
    assert server.do("list", scope="lab")
    assert "a policy is no path here" in server.refused(400, "plan", policy="/etc/passwd.toml")


def test_who_only_reads_changes_nothing(server: Server) -> None:
    """No verb that writes, and no use is counted."""

    def position() -> int:
        return max(int(one["position"]) for one in server.do("history", scope="work"))

    def count_uses() -> int:
        server.do("plan", "read", "work", policy="default")  # which writes down the uses that were counted
        return int(server.do("get", scope="work", name="key")["uses"])

    used, before = count_uses(), position()
    for offer in list_offers():
        if offer.role != "read":
            reply = server.send(offer.path, {"name": "key"}, token=server.tokens["work", "read"])
            assert reply.status in {400, 403}, offer.path
    for _ in range(3):
        assert server.do("recall", "read", "work", query="where is the key")["memories"]
        server.do("frame", "read", "work", name="task", query="the key")

    assert (used, before) == (count_uses(), position())
    assert "may read, not write" in server.refused(403, "learn", role="read", text="x")


def test_what_a_token_does_not_open_is_refused(server: Server) -> None:
    """A thousand pairs of token and scope, in any order: nothing of another's is ever answered."""
    draw = random.Random(30)
    names = [*SCOPES, "nowhere", "*", "HOME", "home "]
    pairs = [(draw.choice(list(server.tokens)), draw.choice(names)) for _ in range(1_000)]

    def ask(pair: tuple[tuple[str, TokenRole], str]) -> tuple[str, str, Reply]:
        (opened, role), scope = pair
        path = f"/v1/list?scope={scope.replace(' ', '%20')}"
        return opened, scope, server.send(path, {}, token=server.tokens[opened, role])

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(ask, pairs))

    assert 1_000 == len(replies)
    for opened, scope, reply in replies:
        if opened == "*":
            assert {scope} >= {one["scope"] for one in reply.document} and 200 == reply.status
        elif opened == scope:
            assert {scope} == {one["scope"] for one in reply.document}
        else:
            assert "does not open this scope" in problem(reply, 403)


def test_what_concerns_every_scope_needs_a_token_for_all(server: Server) -> None:
    """Who opens one scope does not even learn which others there are."""
    every = server.send("/v1/scopes/list?scope=home", {}, token=server.tokens["*", "erase"]).document

    assert {"home", "work", "lab"} <= {one["scope"] for one in every}
    assert "does not open every scope" in server.refused(403, "scopes/list", role="erase")
    assert "name one" in server.send("/v1/status", {}, token=server.tokens["*", "erase"]).document["recovery"]


def test_an_erasure_is_shown_before_it_is_done(server: Server) -> None:
    """Applied once, by the same token, and the text is gone."""
    learned = server.do("learn", text="Nora has the spare key of the chapel.")
    shown = server.do("erase/show", "erase", names=learned["id"])

    assert "was not shown" in server.refused(
        404, "erase/apply", role="erase", scope="work", shown=shown["shown"]
    )
    shown = server.do("erase/show", "erase", names=learned["id"])
    assert 1 == server.do("erase/apply", "erase", shown=shown["shown"])["erased"]
    server.refused(404, "erase/apply", role="erase", shown=shown["shown"])
    assert "erased" in server.refused(410, "get", name=learned["id"])


def test_a_scope_is_shown_before_it_is_dropped(server: Server) -> None:
    """By a token that opens it; it comes back by undo."""
    every = server.tokens["*", "erase"]

    def do(verb: str, **arguments: Any) -> Any:
        reply = server.send(f"/v1/{verb}?scope=shed", arguments, token=every)
        assert 200 == reply.status, reply.body
        return reply.document

    do("learn", text="The ladder leans on the shed.")
    shown = do("scopes/drop")
    receipt = do("scopes/drop", shown=shown["shown"])
    assert [] == do("list")
    do("undo", run=receipt["run"])

    assert 1 == len(do("list"))
    assert "was not shown" in problem(
        server.send("/v1/scopes/drop?scope=shed", {"shown": "x"}, token=every), 404
    )


WITHOUT: list[tuple[Mapping[str, str], str]] = [
    ({}, "no token"),
    ({"authorization": "Bearer"}, "no token"),
    ({"authorization": "Bearer rmn_0_x"}, "not known"),
    ({"authorization": "Basic YTpi"}, "not known"),
    ({"authorization": "Bearer " + "x" * 9_000}, "not known"),
]


@pytest.mark.parametrize(("heads", "told"), WITHOUT)
def test_without_a_token_nothing_is_answered(server: Server, heads: Mapping[str, str], told: str) -> None:
    """Not even whether the arguments would do."""
    for path in ("/v1/status", "/v1/recall", "/v1/nowhere"):
        assert told in problem(server.send(path, {"x": 1}, heads=heads), 401)
    assert told in problem(server.send("/v1/events", heads=heads, method="GET"), 401)


def test_a_token_that_was_ended_opens_nothing(server: Server) -> None:
    """From the next request on; its name may be given again, to another."""
    with remanence.sync.open(server.file, embedder="none") as memory:
        secret = memory.token.add("short", scopes=["home"]).secret
        with pytest.raises(Conflict, match="a token 'short' already"):
            memory.token.add("short", scopes=["home"])
        assert 200 == server.send("/v1/status", {}, token=secret).status
        memory.token.end("short")
        assert "was ended" in problem(server.send("/v1/status", {}, token=secret), 401)
        with pytest.raises(NotFound, match="no token 'short'"):
            memory.token.end("short")
        with pytest.raises(InvalidInput, match="1 to 1,000 scopes"):
            memory.token.add("short", scopes=[])
    assert secret.encode() not in server.file.read_bytes()
    with remanence.sync.open(server.file, embedder="none", agent="desk", trust="agent") as memory:
        for verb in (lambda: memory.token.add("own", scopes=["*"]), lambda: memory.token.end("every")):
            with pytest.raises(Protected, match="only a person"):
                verb()


def test_half_a_character_is_replaced_before_it_is_parsed(server: Server) -> None:
    """In texts, names and attributes; a pair of escapes is its character, and the answer says what was replaced."""
    body = rb'{"text": "A \ud83d\ude00 lamp \ud83d", "tags": ["\ude00"], "attributes": {"\ud83d": "\\ud83d"}}'
    told = server.send("/v1/learn", body, token=server.tokens["home", "curate"]).document
    kept = server.do("get", name=told["id"])
    asked = server.send(
        "/v1/recall", rb'{"query": "lamp \ud83d"}', token=server.tokens["home", "curate"]
    ).document

    assert {"half a character": 3} == told["replaced"]
    assert ("A 😀 lamp \ufffd", ["\ufffd"], {"\ufffd": "\\ud83d"}) == (
        kept["text"],
        kept["tags"],
        kept["attributes"],
    )
    assert any("half a character" in note for note in asked["notes"])


WRONG: list[tuple[str, Any, int, str]] = [
    ("learn", {"text": "x", "trust": "user"}, 400, "learn has no field 'trust'"),
    ("learn", {"text": "x", "agent": "somebody"}, 400, "no field 'agent'"),
    ("recall", {"query": "x", "agent": "somebody"}, 400, "no field 'agent'"),
    ("recall", {"query": "x", "top_k": 3}, 400, "recall has no field 'top_k'"),
    ("learn", {"text": ["x", {"text": "y", "agent": "somebody"}]}, 400, "agent in an item"),
    ("learn", {"text": [{"text": "y", "trust": "user"}]}, 400, "trust in an item"),
    ("learn", {}, 400, "learn needs text"),
    ("learn", {"text": ""}, 400, "text"),
    ("learn", {"text": "a\x00b"}, 400, "NUL"),
    ("learn", {"text": [7]}, 400, "text"),
    ("recall", {"query": "x", "limit": 10**30}, 400, "limit"),
    ("recall", {"query": "x", "limit": True}, 400, "limit"),
    ("recall", {"query": "x", "filters": {"nothing": 1}}, 400, "unknown filter"),
    ("get", {"name": "nobody"}, 404, "no memory"),
    ("get", b"{", 400, "json"),
    ("get", b"\xff", 400, "body"),
    ("get", b"[" * 100_000, 400, "body"),
    ("get", b'{"name": 1e999}', 400, "name"),
    ("rate", {"names": "key", "verdict": True}, 400, "verdict"),
    ("recall", {"query": "x", "explain": "yes"}, 400, "explain"),
    ("rate", {"names": [], "verdict": 0.5}, 400, "0 memories"),
    ("apply", {"plan": {"x": 10**30}}, 400, "no plan"),
    ("plan", {"compare": {"x": [-(10**30)]}}, 400, "no plan"),
    ("nowhere", {}, 404, "there is no verb"),
    ("frames/get", {"name": "nowhere"}, 400, "nowhere"),
    ("settings/set", {"name": "mirror_folder", "value": "/tmp/elsewhere"}, 400, "is a folder of the server"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_said(server: Server, number: int) -> None:
    """In one problem document, with what to do."""
    verb, body, status, told = WRONG[number]
    reply = server.send(f"/v1/{verb}", body, token=server.tokens["home", "curate"])

    assert told.lower() in problem(reply, status).lower()


@pytest.mark.parametrize(
    ("verb", "body", "advice"),
    [
        ("recall", {"query": "x", "top_k": 3}, "did you mean 'limit'?"),
        ("recall", {"query": "x", "agent": "me"}, "the token says who writes"),
        ("search", {}, "did you mean 'recall'?"),
        ("get", {}, "/openapi.json, under /v1/get"),
    ],
)
def test_the_likely_field_and_verb_are_named(server: Server, verb: str, body: Any, advice: str) -> None:
    """As the command line names them; and where all are described."""
    reply = server.send(f"/v1/{verb}", body, token=server.tokens["home", "curate"])

    assert advice in json.loads(reply.body)["recovery"]


def test_a_body_has_its_bounds(server: Server) -> None:
    """Told or not told how long it is."""
    token = server.tokens["home", "write"]
    long = json.dumps({"text": "x" * BODY_BYTES_MAX}).encode()
    chunked = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
    chunked.sendall(
        f"POST /v1/learn HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
        "transfer-encoding: chunked\r\n\r\n".encode()
    )
    try:
        for _ in range(64):
            chunked.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
    except OSError:
        pass  # it was refused before all of it had gone
    head = chunked.recv(1_000)
    chunked.close()

    assert "at most" in problem(server.send("/v1/learn", long, token=token), 413)
    assert b" 413 " in head


def test_other_pages_and_names_are_refused(server: Server) -> None:
    """A page elsewhere may have its own name resolved to this machine."""
    token = server.tokens["home", "read"]
    for heads in (
        {"host": "evil.example"},
        {"host": f"evil.example:{server.port}"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
    ):
        problem(server.send("/v1/status", {}, token=token, heads=heads), 403)
    own = {"host": f"localhost:{server.port}", "origin": f"http://localhost:{server.port}"}
    assert 200 == server.send("/v1/status", {}, token=token, heads=own).status


def test_a_request_that_is_sent_again_is_done_once(server: Server) -> None:
    """With the same key and body, also at the same moment; another body is refused."""
    token = server.tokens["work", "write"]
    heads = {"idempotency-key": "one"}
    body = {"text": "The pump was oiled.", "tags": ["pump"]}
    with ThreadPoolExecutor(8) as pool:
        replies = list(
            pool.map(lambda _: server.send("/v1/learn", body, token=token, heads=heads), range(16))
        )

    assert [replies[0].body] * 16 == [reply.body for reply in replies]
    assert "stored" == replies[0].document["status"]
    assert 0 == server.do("list", scope="work", tags=["pump"])[0]["confirmations"]
    other = server.send("/v1/learn", {"text": "Another."}, token=token, heads=heads)
    assert "sent with something else" in problem(other, 409)


class Listener:
    """Hears the events of a scope in a thread of its own."""

    def __init__(self, server: Server, token: str, last: str | None = None) -> None:
        self.heard: list[tuple[int, Mapping[str, Any]]] = []
        heads = {"authorization": f"Bearer {token}"} | ({} if last is None else {"last-event-id": last})
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        self._connection.request("GET", "/v1/events", headers=heads)
        self.answer = self._connection.getresponse()
        assert self.answer.readline().startswith(b": from ")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        number = -1
        while line := self.answer.readline():
            name, _, value = line.decode().strip().partition(": ")
            if name == "id":
                number = int(value)
            elif name == "data":
                self.heard.append((number, json.loads(value)))

    def join(self) -> None:
        """Wait until the stream ends."""
        self._thread.join(WAIT)
        assert not self._thread.is_alive()
        self._connection.close()

    def close(self) -> None:
        """Go away."""
        assert self._connection.sock is not None
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self.join()

    def wait(self, count: int) -> list[Mapping[str, Any]]:
        """Wait until so many events were heard."""
        until = time.monotonic() + WAIT
        while len(self.heard) < count:
            assert time.monotonic() < until, self.heard
            time.sleep(0.02)
        return [event for _, event in self.heard]


def test_what_happens_is_told_as_it_happens(server: Server) -> None:
    """By this server and by another process; who was away hears what it missed, once."""
    token = server.tokens["work", "read"]
    first = Listener(server, token)
    learned = server.do("learn", "write", "work", text="The crane was tested.")
    with remanence.sync.open(server.file, embedder="none", scope="work") as memory:
        memory.pin(learned["id"])
    told = first.wait(2)
    position = first.heard[0][0]
    again = Listener(server, token, str(position))
    ahead = Listener(server, token, "9" * 18)
    server.do("pin", scope="work", names=learned["id"], off=True)

    assert ["learn", "pin"] == [event["verb"] for event in told]
    assert "The crane" not in json.dumps(told)
    assert ["pin", "unpin"] == [event["verb"] for event in again.wait(2)]
    assert ["unpin"] == [event["verb"] for event in ahead.wait(1)]
    assert "is no position" in problem(
        server.send("/v1/events", token=token, heads={"last-event-id": "x"}, method="GET"), 400
    )
    for listener in (first, again, ahead):
        listener.close()


def test_a_server_that_is_told_to_end_lets_listeners_go(tmp_path: Path) -> None:
    """At once, and what it holds is closed."""
    file = tmp_path / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("one", scopes=["default"], role="write").secret
    server = start(file)
    listeners = [Listener(server, secret) for _ in range(3)]
    server.send("/v1/learn", {"text": "The mast was painted."}, token=secret)
    for listener in listeners:
        assert "learn" == listener.wait(1)[0]["verb"]
    code = stop(server)
    for listener in listeners:
        listener.join()

    assert 0 == code
    assert not file.with_name("agent.db-wal").exists()


def test_many_ask_at_once(server: Server) -> None:
    """Sixty-four clients, and none is answered with an error or with another's."""

    def ask(number: int) -> Reply:
        scope = SCOPES[number % 3]
        return server.ask("recall", "read", scope, query=f"where is the key of {scope}")

    with ThreadPoolExecutor(64) as pool:
        replies = list(pool.map(ask, range(256)))

    for number, reply in enumerate(replies):
        assert {SCOPES[number % 3]} == {hit["memory"]["scope"] for hit in reply.document["memories"]}


def test_the_document_of_the_routes_is_whole(server: Server) -> None:
    """Each route with its arguments, and no page that fetches anything from elsewhere."""
    document = server.send("/openapi.json", method="GET").document

    assert "3.1" == document["openapi"][:3]
    assert {offer.path for offer in list_offers()} < document["paths"].keys()
    learn = document["components"]["schemas"]["learn_arguments"]
    assert ["text"] == learn["required"] and not {"agent", "trust"} & learn["properties"].keys()
    schemes = document["components"]["securitySchemes"]
    for path in document["paths"].values():
        for route in path.values():
            assert [[*one] for one in route["security"]] == [[*schemes]]
    for path in ("/docs", "/redoc"):
        problem(server.send(path, method="GET"), 404)


def test_what_was_answered_outlives_a_kill(tmp_path: Path) -> None:
    """A server killed while it writes has lost nothing that it acknowledged, and the file is sound."""
    file = tmp_path / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("one", scopes=["default"], role="write").secret
    server = start(file)
    kept: list[str] = []

    def write() -> None:
        for number in range(10_000):
            try:
                reply = server.send("/v1/learn", {"text": f"Buoy {number} is red."}, token=secret)
            except (OSError, http.client.HTTPException):
                return
            kept.append(reply.document["id"])

    writing = threading.Thread(target=write)
    writing.start()
    while len(kept) < 20:
        time.sleep(0.01)
    stop(server, signal.SIGKILL)
    writing.join(WAIT)

    with remanence.sync.open(file, embedder="none") as memory:
        assert set(kept) <= {one.id for one in memory.list()}
        assert all(check.ok for check in memory.doctor())


@pytest.mark.parametrize(("told", "position"), [(None, None), ("0", 0), ("12", 12)])
def test_a_listener_says_where_it_was(told: str | None, position: int | None) -> None:
    """By the id of the last event that it heard."""
    assert position == events.read_position(told)
    for odd in ("-1", "x", "1" * 19, "٣", ""):
        with pytest.raises(InvalidInput, match="is no position"):
            events.read_position(odd)
