"""The server is flooded, kept waiting, left unread and killed; others are answered, and nothing is half done."""

import http.client
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

import remanence
import remanence.sync
from remanence.faces.rest.request_limits import BODY_SECONDS_MAX
from remanence.faces.rest.serving import CONNECTIONS_MAX, HEAD_SECONDS_MAX
from tests.flows.test_rest import Listener, Server, start, stop

FLOOD_S = 10
WAIT = 60


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    """A server of its own, with one token for everything."""
    file = tmp_path / "agent.db"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("one", scopes=["default"], role="erase").secret
        memory.learn("The ferry leaves at nine.", key="ferry")
    server = start(file)
    server.tokens["default", "erase"] = secret
    yield server
    if server.process.poll() is None:
        stop(server)


def ask(server: Server, verb: str, **arguments: Any) -> Any:
    """Call a verb that succeeds, and return its document."""
    reply = server.send(f"/v1/{verb}", arguments, token=server.tokens["default", "erase"])
    assert 200 == reply.status, reply.body
    return reply.document


def resident_bytes(server: Server) -> int:
    """Return how much memory the server holds."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def head(server: Server, path: str, *more: str) -> bytes:
    """Return the head of a request, without its end."""
    lines = [f"POST {path} HTTP/1.1", "host: localhost", *more]
    lines.append(f"authorization: Bearer {server.tokens['default', 'erase']}")
    return ("\r\n".join(lines) + "\r\n").encode()


def cpu_seconds(server: Server) -> float:
    """Return how long the server has worked."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="how much memory a process holds is read from /proc")
def test_a_flood_ends_and_others_are_answered(served: Server) -> None:
    """Ten seconds of all that comes: memory stays bounded, what is refused is said, and then all is as before."""
    ask(served, "recall", query="when does the ferry leave")
    before, until = resident_bytes(served), time.monotonic() + FLOOD_S
    sizes: list[int] = []
    seen = [0]
    long = json.dumps({"query": "ferry " * 150_000}).encode()

    def flood(number: int) -> None:
        token = served.tokens["default", "erase"]
        while time.monotonic() < until:
            with suppress(OSError, http.client.HTTPException):
                match number % 4:
                    case 0:
                        served.send("/v1/recall", {"query": "when does the ferry leave"}, token=token)
                    case 1:
                        served.send("/v1/list", long, token=token)
                    case 2:
                        served.send("/v1/recall", b"{" * 1_000, token="nobody's")
                    case _:  # it does not wait for the answer
                        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as going:
                            body = b'{"query": "the ferry"}'
                            going.sendall(
                                head(served, "/v1/recall", "content-type: application/json")
                                + b"content-length: %d\r\n\r\n%s" % (len(body), body)
                            )
                seen[0] += 1
            sizes.append(resident_bytes(served))

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(flood, range(64)))
    began = cpu_seconds(served)
    found = ask(served, "recall", query="when does the ferry leave")

    assert cpu_seconds(served) - began < 1  # of a machine that does nothing else it is the time to the answer
    assert "ferry" == found["memories"][0]["memory"]["key"]
    assert seen[0] > 200
    assert max(sizes) - before < 300 << 20
    print(f"{seen[0]:,} requests, {(max(sizes) - before) >> 20} MB more")


@pytest.mark.deep
def test_who_sends_slowly_is_let_go(served: Server) -> None:
    """A head, a body and chunks that never end; meanwhile others are answered."""
    slow = {
        "head": b"POST /v1/recall HTTP/1.1\r\nhost: loc",
        "nothing": b"",
        "body": head(served, "/v1/recall", "content-length: 1000") + b"\r\n{",
        "chunks": head(served, "/v1/recall", "transfer-encoding: chunked") + b"\r\n1\r\n{\r\n",
    }
    ended: dict[str, bytes] = {}

    def drip(name: str) -> None:
        with socket.create_connection(("127.0.0.1", served.port), timeout=WAIT) as dripping:
            dripping.sendall(slow[name])
            more = {"head": b"a", "chunks": b"1\r\n \r\n", "body": b" ", "nothing": b""}[name]
            dripping.settimeout(0.5)
            answer = b""
            until = time.monotonic() + 3 * max(BODY_SECONDS_MAX, HEAD_SECONDS_MAX)
            while time.monotonic() < until:
                try:
                    dripping.sendall(more)
                    part = dripping.recv(1_000)
                except TimeoutError:
                    continue
                except OSError:
                    break
                answer += part
                if not part:
                    break
            else:
                return
            ended[name] = answer

    threads = [threading.Thread(target=drip, args=(name,)) for name in slow]
    for one in threads:
        one.start()
    ask(served, "recall", query="when does the ferry leave")
    for one in threads:
        one.join(WAIT)

    assert slow.keys() == ended.keys()
    assert b" 408 " in ended["body"] and b" 408 " in ended["chunks"]


@pytest.mark.deep
def test_connections_that_say_nothing_make_room(served: Server) -> None:
    """As many as there may be are refused nobody for longer than a head may take."""
    with ExitStack() as kept:
        for _ in range(CONNECTIONS_MAX):
            kept.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=WAIT))
        until = time.monotonic() + 3 * HEAD_SECONDS_MAX
        while True:
            reply = served.send("/v1/status", {}, token=served.tokens["default", "erase"])
            if reply.status == 200:
                break
            assert 503 == reply.status and time.monotonic() < until
            time.sleep(0.5)


@pytest.mark.deep
def test_a_listener_that_sleeps_holds_up_nobody(served: Server) -> None:
    """It reads nothing while much happens; others hear all of it, and what waits for it is bounded."""
    token = served.tokens["default", "erase"]
    asleep = socket.socket()
    asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    asleep.connect(("127.0.0.1", served.port))
    asleep.sendall(head(served, "/v1/events").replace(b"POST", b"GET") + b"\r\n")
    awake = Listener(served, token)
    before = resident_bytes(served) if sys.platform == "linux" else 0
    for number in range(3_000):
        ask(served, "tag", names="ferry", tags=[f"t{number % 40}"]) if number % 2 else ask(
            served, "tag", names="ferry", tags=[f"t{(number + 1) % 40}"], off=True
        )
    heard = awake.wait(1_000)
    awake.close()
    after = resident_bytes(served) if sys.platform == "linux" else 0
    asleep.close()

    assert {"tag", "untag"} == {event["verb"] for event in heard}
    assert after - before < 100 << 20


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_a_server_killed_while_it_applies_a_plan_has_done_whole_parts(served: Server, seconds: float) -> None:
    """All of a part or nothing of it; what was committed is undone, and what was not is done by the same plan."""
    count = 3_000
    rule = 'name = "old"\nevery = "deep"\nphase = "value"\ndo = "archive"\nwhere = "tokens > 0"\n'
    policy = f"version = 1\n[[rule]]\n{rule}"
    with remanence.sync.open(served.file, embedder="none") as memory:
        memory.learn([f"Buoy {number} is red." for number in range(count - 1)])
        memory.consolidate()
    plan = ask(served, "plan", policy=policy)

    def apply() -> None:
        with suppress(OSError, http.client.HTTPException):
            ask(served, "apply", plan=plan, policy=policy)

    applying = threading.Thread(target=apply)
    applying.start()
    time.sleep(seconds)
    stop(served, signal.SIGKILL)
    applying.join(WAIT)
    with remanence.sync.open(served.file, embedder="none") as memory:
        assert all(check.ok for check in memory.doctor())
        standing = memory.count().total
        assert standing in {0, count}
        if standing:
            memory.apply(remanence.Plan.from_json(json.dumps(plan)), policy=policy)
        assert count == memory.count(filters={"status": "archived"}).total
        memory.undo(next(event.run for event in memory.history()[::-1] if event.verb in {"apply", "curate"}))
        assert count == memory.count().total
