"""A server that forgets what was erased: in answers, previews, forms, plans, events and caches. Long calls at once."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import remanence.sync
from remanence.faces.rest.calls import LONG_MAX
from remanence.faces.rest.engines import Engines
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.opening_checks import NewScope
from remanence.store.sqlite.sqlite_store import SqliteStore
from tests.flows import test_dashboard as pages
from tests.flows.remote import open_behind_server, serve
from tests.flows.test_rest import ROOT, WAIT, Listener, Reply, Server, problem, stop
from tests.flows.test_rest import start as start_server

WORD = "Quuxzanzibar"
SAID = f"{WORD} is the name of the therapist."
KEY = {"idempotency-key": "one"}
# Runs first in the server: at a signal it writes what in its memory holds the word, by the types that hold it.
SEARCH = """
import gc, os, signal
def search(*_):
    gc.collect()
    word, found = "quux" + "zanzibar", []
    for one in gc.get_objects():
        held = gc.get_referents(one)
        while held:
            part = held.pop()
            if isinstance(part, (str, bytes, bytearray)):
                text = part if isinstance(part, str) else bytes(part).decode("latin-1")
                if word in text.lower():
                    found.append(type(one).__name__)
            elif not isinstance(part, (int, float)) and not gc.is_tracked(part):
                held.extend(gc.get_referents(part))
    with open({path!r} + ".part", "w") as file:
        file.write("\\n".join(found))
    os.replace({path!r} + ".part", {path!r})
signal.signal(signal.SIGUSR1, search)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with tokens of each role, and of two scopes."""
    path = tmp_path / "agent.db"
    with remanence.sync.open(path, embedder="hashed") as memory:
        memory.learn(SAID, key="it", speaker=f"Lena {WORD}")
        memory.learn("The tiles come on Friday.", category="notification")
        memory.consolidate()
    return path


@pytest.fixture
def server(file: Path) -> Iterator[Server]:
    """A server of that file, which tells by a signal what its memory holds."""
    tokens: dict[tuple[str, Any], str] = {}
    with remanence.sync.open(file, embedder="hashed") as memory:
        for role in ("read", "write", "curate", "erase"):
            tokens["default", role] = memory.token.add(role, scopes=["default", "other"], role=role).secret
        tokens["default", "watch"] = memory.token.add("ear", scopes=["default"], role="read").secret
    before = SEARCH.replace("{path!r}", repr(str(file) + ".found"))
    served = start_server(file, "--embedder", "hashed", before=before)
    served.tokens = tokens
    yield served
    stop(served)


def send(
    server: Server, verb: str, role: Any, key: bool = False, scope: str = "default", **body: Any
) -> Reply:
    """Call a verb by the token of a role, also with a key."""
    token, heads = server.tokens["default", role], KEY if key else {}
    return server.send(f"/v1/{verb}?scope={scope}", body, token=token, heads=heads)


def erase(server: Server, name: str = "it") -> None:
    """Erase a memory through the server."""
    shown = send(server, "erase/show", "erase", names=name).document["shown"]
    assert 200 == send(server, "erase/apply", "erase", shown=shown).status


def search(server: Server) -> list[str]:
    """Return the types of what in the memory of the server holds the word."""
    found = Path(f"{server.file}.found")
    found.unlink(missing_ok=True)
    server.process.send_signal(signal.SIGUSR1)
    until = time.monotonic() + WAIT
    while not found.exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    return found.read_text().split()


def log_in(server: Server) -> pages.Browser:
    """Log a browser in by the token that may erase."""
    browser = pages.Browser(server)
    browser.open("/login", {"token": server.tokens["default", "erase"]})
    return browser


def test_no_key_brings_back_what_was_erased(server: Server) -> None:
    """What only shows is done again; what was done once is not, and its answer is emptied; the proof is kept."""
    asked: list[tuple[str, Any, dict[str, Any]]] = [
        ("export", "curate", {}),
        ("erase/show", "erase", {"names": "it"}),
        ("update", "write", {"name": "it", "text": f"{SAID[:-1]} since May."}),
        ("guidelines", "curate", {"lines": [f"Ask {WORD} first."]}),
    ]
    before = [send(server, verb, role, key=True, **body) for verb, role, body in asked]
    shown = before[1].document["shown"]
    shown = send(server, "erase/show", "erase", names="it").document["shown"]
    done = send(server, "erase/apply", "erase", key=True, shown=shown)
    after = [send(server, verb, role, key=True, **body) for verb, role, body in asked]

    assert [200] * 4 == [one.status for one in before]
    assert [True, True, False, True] == [WORD.lower().encode() in one.body.lower() for one in before]
    assert [200, 404, 410, 410] == [one.status for one in after]
    assert not [one for one in after if WORD.lower().encode() in one.body.lower()]
    assert "was done once" in problem(after[2], 410)
    assert done.body == send(server, "erase/apply", "erase", key=True, shown=shown).body


def test_no_preview_form_or_plan_outlives_an_erasure(server: Server) -> None:
    """Of another visitor, too; those of another scope stay, and so does the proof."""
    browser, other = log_in(server), log_in(server)
    seen = [other.open(path).text for path in ("/plan?policy=janitor", "/forecast?policy=janitor")]
    refused = other.fill(other.open("/memories/1"), "/do/update", text=f"{WORD} typed", importance="much")
    note = other.status, other.address
    again = other.fill(other.open("/memories/1"), "/do/update", text=f"{WORD} typed", importance="much")
    kept = other.fill(other.open("/erase"), "/do/show-erasure", names="#1")
    elsewhere = send(server, "learn", "write", scope="other", text="The heron stands in the reeds.").document
    shown = send(server, "erase/show", "erase", scope="other", names=elsewhere["id"]).document["shown"]
    preview = browser.fill(browser.open("/erase"), "/do/show-erasure", names="#1")
    proof = browser.fill(preview, "/do/erase")

    assert all(seen) and 200 == note[0]
    assert all(f"{WORD} typed" in page.text for page in (refused, again)) and WORD in kept.text
    assert "Erased and verified" in proof.text and "Erased and verified" in browser.open(browser.address).text
    assert "not shown, or was done already" in other.fill(kept, "/do/erase").text
    assert WORD not in other.open(other.address).text
    assert 200 == send(server, "erase/apply", "erase", scope="other", shown=shown).status


def test_a_form_that_was_refused_before_an_erasure_stands_nowhere_after_it(server: Server) -> None:
    """Its address still leads to the page, without what was typed."""
    browser = log_in(server)
    page = browser.open("/memories/1")
    form = next(one for one in page.forms if one["action"].partition("?")[0] == "/do/update")
    fields = {name: value for name, value in form.items() if name != "action"}
    status, heads, _ = browser.send(
        "POST", form["action"], {**fields, "text": f"{WORD} typed", "importance": "much"}
    )
    erase(server)
    page = browser.open(heads["location"])

    assert (303, True) == (status, "note=" in heads["location"])
    assert WORD not in page.text and not [one for one in page.forms if WORD in json.dumps(one)]


@pytest.mark.parametrize("by", ["the server", "another process"])
def test_nothing_in_the_memory_of_the_server_says_what_was_erased(
    server: Server, file: Path, by: str
) -> None:
    """No cache, index, plan, answer, event or request holds it, once the server has looked at the scope again."""
    browser = log_in(server)
    listener = Listener(server, server.tokens["default", "watch"])
    for role in ("read", "curate", "erase"):
        asked: tuple[tuple[str, dict[str, Any]], ...] = (
            ("recall", {"query": f"the therapist {WORD}"}),
            ("list", {"status": "any"}),
            ("explain", {"name": "it"}),
            ("frame", {"name": "self"}),
            ("frame", {"name": "boot"}),
        )
        for verb, body in asked:
            assert 200 == send(server, verb, role, **body).status, verb
    send(server, "learn", "write", scope="other", text="The heron stands in the reeds.")
    send(server, "export", "curate", key=True)
    send(server, "learn", "write", key=True, text=f"{WORD} rests.", category=5)
    send(server, "tag", "write", key=True, names="it", tags=[WORD.lower()])
    both: dict[str, Any] = {
        "query": f"the therapist {WORD}",
        "filters": {"tags": [WORD.lower()]},
        "scopes": ["other", "default"],
    }
    assert WORD.encode() in send(server, "recall", "write", scope="other", **both).body
    assert 200 == send(server, "plan", "curate", policy="janitor").status
    for path in (
        "/memories",
        f"/ask?query={WORD}",
        f"/memories?find={WORD}",
        "/plan?policy=janitor",
        "/entities",
    ):
        browser.open(path)
    browser.fill(browser.open("/memories/1"), "/do/update", text=f"{WORD} typed", importance="much")
    called = {"name": "recall", "arguments": {"query": f"the therapist {WORD}"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
    token = server.tokens["default", "curate"]
    heads = {"accept": "application/json, text/event-stream"}
    assert WORD.encode() in server.send("/mcp?scope=default", message, token=token, heads=heads).body
    assert [] != search(server)
    if by == "the server":
        erase(server)
    else:
        with remanence.sync.open(file, embedder="hashed") as memory:
            memory.erase.apply(memory.erase.show("it"))
        assert 200 == send(server, "status", "read").status
    listener.close()

    assert [] == search(server)


async def test_no_request_is_answered_while_another_looks_for_erasures(tmp_path: Path) -> None:
    """Each of two that come after an erasure begins once what was kept of it is emptied."""

    def opened(scope: str, token: AccessToken, _: NewScope) -> Any:
        return remanence.open(tmp_path / "agent.db", scope=scope, agent=token.agent, embedder="none")

    emptied: list[str] = []
    tokens = [AccessToken(name, "read", ("*",), name, 0) for name in ("reeve", "miller")]
    async with Engines(opened) as engines, opened("default", tokens[0], "make") as memory:
        engines.on_erasure.append(emptied.append)

        async def use(token: AccessToken) -> list[str]:
            async with engines.use("default", token):
                return emptied[:]

        name = await memory.learn(SAID)
        for token in tokens:
            await use(token)
        await memory.erase.apply(await memory.erase.show(name))
        seen = await asyncio.gather(*map(use, tokens))

    assert [["default"], ["default"]] == seen


def test_events_are_told_again_without_what_was_erased(server: Server) -> None:
    """From the first on, also where a listener was there all the time."""
    token = server.tokens["default", "watch"]
    listener = Listener(server, token)
    send(server, "hold", "curate", names="it", reason=f"asked by {WORD} himself")
    send(server, "hold", "curate", names="it", reason=f"asked by {WORD} himself", off=True)
    listener.wait(2)
    erase(server)
    told = listener.wait(3)
    again = Listener(server, token, "0")
    heard = again.wait(len(told))

    assert ["hold", "release", "erase"] == [one["verb"] for one in told[:3]]
    until = time.monotonic() + WAIT
    while "erase" not in [one["verb"] for _, one in again.heard]:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert heard and WORD.lower() not in json.dumps(again.heard).lower()
    for one in (listener, again):
        one.close()


def test_what_a_session_wrote_is_erased_beside_the_daemon(server: Server, file: Path) -> None:
    """By a browser, while another process runs what is due; where that changes one of them first, it is shown anew."""
    script = "from remanence.faces.cli import main; main()"
    command = [sys.executable, "-c", script, "run", "--db", str(file), "--embedder", "hashed"]
    daemon = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL)
    begun = send(server, "begin-session", "write").document
    note = f"{WORD} moved to Tartu in May."
    assert 200 == send(server, "note", "write", turn=note, session=begun).status
    learned = send(server, "learn", "write", text=f"{WORD} likes plums.").document
    browser = log_in(server)
    page = browser.open("/erase")
    for _ in range(10):
        listed = send(server, "list", "read", status="any", limit=100).document
        names = ", ".join(f"#{one['seq']}" for one in listed if WORD in one["text"])
        page = browser.fill(browser.open("/erase"), "/do/show-erasure", names=names)
        page = browser.fill(page, "/do/erase")
        if "Erased" in page.text:
            break
    daemon.terminate()
    daemon.wait(WAIT)

    assert "Erased" in page.text
    assert 410 == send(server, "get", "read", name=learned["id"]).status
    assert WORD not in send(server, "export", "curate").body.decode()
    assert [] == search(server)


def test_one_token_has_two_long_calls_at_once(server: Server, file: Path) -> None:
    """What it asks for beyond that is refused with the time to wait; others are answered."""
    with remanence.sync.open(file, embedder="hashed", scope="other") as memory:
        memory.learn(
            [{"text": f"Buoy {n} is painted red.", "category": "notification"} for n in range(1_500)]
        )
    with ThreadPoolExecutor(9) as pool:
        asked = [
            pool.submit(send, server, "forecast", "read", scope="other", days=3_000, policy="janitor")
            for _ in range(8)
        ]
        other = pool.submit(send, server, "forecast", "write", days=2, policy="janitor")
        replies = [one.result() for one in asked]
    refused = [one for one in replies if one.status == 429]

    assert 200 == other.result().status
    assert len(replies) == len(refused) + [one.status for one in replies].count(200)
    assert LONG_MAX <= len(replies) - len(refused) < len(replies)
    assert all("long calls under way" in problem(one, 429) for one in refused)
    assert all(one.heads["retry-after"].isdigit() for one in refused)


async def test_refused_calls_leave_nothing_in_the_server(tmp_path: Path) -> None:
    """Neither their bodies nor their answers, whatever keys they come with; of one that is done the body is a hash."""
    server = serve()
    async with open_behind_server(
        {"store": SqliteStore(str(tmp_path / "agent.db")), "embedder": "none"}
    ) as memory:
        rows = server.service.state._rows  # type: ignore[attr-defined] # of a process that serves alone
        before = len(rows)
        for number in range(5):
            with pytest.raises(remanence.RemanenceError):
                await memory.learn("x" * 200_000, category=f"{number}")
        assert before == len(rows)
        await memory.learn("The boathouse is green.")

    kept = [*rows.values()][before:]
    assert [32] == [len(one.asked) for one in kept]
