"""Several processes that serve one PostgreSQL database: what one of them is asked, the others know."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import remanence.sync
from remanence.core.permissions import TokenRole
from tests import postgres
from tests.flows.test_dashboard import POLICY, Browser
from tests.flows.test_rest import COMMAND, ROOT, WAIT, Listener, Reply, Server, problem, stop
from tests.flows.test_server_forgets import SEARCH

ROLES: tuple[TokenRole, ...] = ("read", "write", "curate", "erase")
WORD = "Quuxzanzibar"
SAID = f"{WORD} is the name of the therapist."
# Nothing is heard by looking: what is told is all there is.
TOLD_ONLY = (
    "import remanence.faces.rest.events as e; e.LOOK_S = 3600.0; e.JUST_BEGUN_S = 0.0; e.LISTEN_S = 0.5;"
)
SHORT_LEASE = "import remanence.faces.rest.answers_by_key as a; a.LEASE_S = 1.0;"


def begin(address: str, *more: str, before: str = "") -> "subprocess.Popen[str]":
    """Begin to serve a database; `before` is Python that runs first."""
    python, option, script, *rest = COMMAND
    return subprocess.Popen(
        [python, option, before + script, *rest, address, "--embedder", "none", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )


@contextmanager
def serving(
    address: str, tokens: dict[tuple[str, TokenRole], str], *more: str, before: str = ""
) -> Iterator[Server]:
    """Serve a database for a block; its first line says where, the second has the link of whoever started it."""
    process = begin(address, *more, before=before)
    assert process.stdout is not None and process.stderr is not None
    server = Server(
        int(process.stdout.readline().rpartition(":")[2]), process, Path(process.stdout.readline()), tokens
    )
    try:
        yield server
    finally:
        process.stderr.close()
        if process.poll() is None:
            stop(server)
        else:
            process.stdout.close()


def make_tokens(address: str, *scopes: str) -> dict[tuple[str, TokenRole], str]:
    """Make a token of each role for each scope."""
    with remanence.sync.open(address, embedder="none") as memory:
        return {
            (scope, role): memory.token.add(f"{scope}-{role}", scopes=[scope], role=role).secret
            for scope in scopes
            for role in ROLES
        }


SCOPES = (
    "keys", "refused", "killed", "shown", "changed", "once", "drops", "pages", "plans", "agents", "told", "lost",
    "asked", "ended", "erased", "settings", "log out",
)  # fmt: skip


@pytest.fixture(scope="module")
def address(postgres_server: postgres.Server) -> str:
    """A database that is empty before the first of these tests; each has a scope of its own."""
    postgres_server.empty()
    return postgres_server.address


@pytest.fixture(scope="module")
def tokens(address: str) -> dict[tuple[str, TokenRole], str]:
    """Tokens of each role for each scope."""
    return make_tokens(address, *SCOPES)


@pytest.fixture(scope="module")
def pair(address: str, tokens: dict[tuple[str, TokenRole], str]) -> Iterator[tuple[Server, Server]]:
    """Two servers of one database."""
    with serving(address, tokens) as first, serving(address, tokens) as second:
        yield first, second


def send(
    server: Server, verb: str, role: TokenRole, scope: str, key: str | None = None, **body: Any
) -> Reply:
    """Call a verb by the token of a role and a scope, also with a key."""
    heads = {} if key is None else {"idempotency-key": key}
    return server.send(f"/v1/{verb}", body, token=server.tokens[scope, role], heads=heads)


def wait_for(what: Callable[[], Any]) -> Any:
    """Wait until something is so, and return it."""
    until = time.monotonic() + WAIT
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def ask(address: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Ask the database itself."""
    with psycopg.connect(address) as connection:
        return connection.execute(statement, values).fetchall()


def find_kept(address: str, scope: str, kind: str) -> list[bytes | None]:
    """Return what the database keeps for servers of a scope in a kind."""
    rows = ask(
        address,
        "SELECT value FROM server_state s JOIN scope_names n ON n.scope = s.scope WHERE n.name = %s AND kind = %s",
        scope,
        kind,
    )
    return [value for (value,) in rows]


def listened(address: str, scope: str) -> bool:
    """Tell whether a server says that it listens to a scope."""
    return bool(find_kept(address, scope, "listening"))


# Answers by key


def test_a_key_is_answered_once_by_both(pair: tuple[Server, Server]) -> None:
    """With the same answer, also at the same moment; another body is refused by either."""
    with ThreadPoolExecutor(8) as pool:
        replies = list(
            pool.map(
                lambda n: send(pair[n % 2], "learn", "write", "keys", "one", text="The pump was oiled."),
                range(16),
            )
        )
    (memory,) = pair[0].do("list", "read", "keys")

    assert {200: 16} == {replies[0].status: len(replies)}
    assert [replies[0].body] * 16 == [reply.body for reply in replies]
    assert ("The pump was oiled.", 0) == (memory["text"], memory["confirmations"])
    for server in pair:
        other = send(server, "learn", "write", "keys", "one", text="Another.")
        assert "sent with something else" in problem(other, 409)


def test_a_refused_call_leaves_its_key_to_the_next(pair: tuple[Server, Server], address: str) -> None:
    """At the other process, with what was mended."""
    name = send(pair[0], "learn", "write", "refused", text="The crane stands.").document["id"]
    before = len(find_kept(address, "refused", "answer"))
    refused = send(pair[0], "update", "write", "refused", "two", name="nobody", text="The crane was tested.")
    after = len(find_kept(address, "refused", "answer"))
    done = send(pair[1], "update", "write", "refused", "two", name=name, text="The crane was tested.")

    assert (404, before, 200) == (refused.status, after, done.status)


def test_a_key_whose_process_was_killed_is_worked_on_by_another(
    pair: tuple[Server, Server], address: str, tokens: dict[tuple[str, TokenRole], str]
) -> None:
    """Nothing was committed before: then one commit is made, by the process that is asked again."""
    send(pair[0], "learn", "write", "killed", text="The mast was painted.")
    with serving(address, tokens, before=SHORT_LEASE) as third, ThreadPoolExecutor(2) as pool:
        with psycopg.connect(address) as holder:
            holder.execute(
                "SELECT 1 FROM scopes WHERE scope = (SELECT scope FROM scope_names WHERE name = 'killed')"
                " FOR UPDATE"
            )
            lost = pool.submit(send, third, "learn", "write", "killed", "one", text="The bell is cracked.")
            wait_for(lambda: [None] == find_kept(address, "killed", "answer"))
            again = pool.submit(send, pair[1], "learn", "write", "killed", "one", text="The bell is cracked.")
            third.process.kill()
            with pytest.raises((OSError, http.client.HTTPException)):
                lost.result()
        told = again.result()
        same = send(pair[0], "learn", "write", "killed", "one", text="The bell is cracked.")

    assert 200 == told.status and told.body == same.body
    listed = pair[0].do("list", "read", "killed")
    assert [("The bell is cracked.", 0)] == [
        (one["text"], one["confirmations"]) for one in listed if "bell" in one["text"]
    ]


# What was shown


def test_what_one_showed_another_erases(pair: tuple[Server, Server], address: str) -> None:
    """Nothing of it is left at either, nor in what servers keep; a key tells that its answer was emptied."""
    first, second = pair
    learned = send(first, "learn", "write", "shown", "one", text=SAID)
    found = send(second, "recall", "read", "shown", query=WORD)
    preview = send(first, "erase/show", "erase", "shown", names=learned.document["id"])
    shown = preview.document["shown"]
    stranger = send(second, "erase/apply", "erase", "asked", shown=shown)
    done = send(second, "erase/apply", "erase", "shown", "two", shown=shown)
    again = [send(one, "erase/apply", "erase", "shown", "two", shown=shown) for one in pair]

    assert WORD in found.body.decode() and WORD in preview.body.decode()
    assert (404, 200, 1) == (stranger.status, done.status, done.document["erased"])
    assert [done.body] * 2 == [one.body for one in again]
    for server in pair:
        assert "was done once" in problem(send(server, "learn", "write", "shown", "one", text=SAID), 410)
        assert [] == send(server, "recall", "read", "shown", query=WORD).document["memories"]
        assert "not shown, or was done" in problem(
            send(server, "erase/apply", "erase", "shown", shown=shown), 404
        )
    assert [False, True] == sorted(map(bool, find_kept(address, "shown", "answer")))  # the proof stays
    assert not any(find_kept(address, "shown", "shown by erase.show"))
    rows = ask(address, "SELECT asked, value, name FROM server_state")
    assert WORD.encode() not in b"".join(bytes(one) for row in rows for one in row[:2] if one is not None)


def test_what_changed_since_it_was_shown_is_shown_again(pair: tuple[Server, Server]) -> None:
    """Another process works out what it would do, and refuses where that is something else."""
    first, second = pair
    name = send(first, "learn", "write", "changed", text="The stove is lit.").document["id"]
    shown = send(first, "erase/show", "erase", "changed", names=name).document["shown"]
    send(second, "update", "write", "changed", name=name, text="The stove is cold.")
    refused = send(second, "erase/apply", "erase", "changed", shown=shown)
    shown = send(second, "erase/show", "erase", "changed", names=name).document["shown"]

    assert "has changed since" in problem(refused, 409)
    assert "ask erase.show again" in refused.document["recovery"]
    assert 200 == send(first, "erase/apply", "erase", "changed", shown=shown).status


def test_what_was_shown_is_done_once_though_both_are_asked_at_once(pair: tuple[Server, Server]) -> None:
    """One of two does it, the other is told that it was done."""
    with ThreadPoolExecutor(2) as pool:
        for number in range(5):
            name = send(pair[0], "learn", "write", "once", text=f"Buoy {number} is red.").document["id"]
            shown = send(pair[0], "erase/show", "erase", "once", names=name).document["shown"]
            replies = list(
                pool.map(lambda one: send(one, "erase/apply", "erase", "once", shown=shown), pair)  # noqa: B023
            )
            assert [200, 404] == sorted(one.status for one in replies)


def test_a_scope_is_dropped_as_another_process_showed_it(pair: tuple[Server, Server]) -> None:
    """And is not, where it was written to since."""
    first, second = pair
    send(first, "learn", "write", "drops", text="The kiln is hot.")
    outdated = send(first, "scopes/drop", "curate", "drops").document["shown"]
    send(second, "learn", "write", "drops", text="The kiln is cold.")
    refused = send(second, "scopes/drop", "curate", "drops", shown=outdated)
    shown = send(first, "scopes/drop", "curate", "drops").document["shown"]
    done = send(second, "scopes/drop", "curate", "drops", shown=shown)

    assert (409, 200, 2) == (refused.status, done.status, done.document["changes"])


def test_an_agent_applies_at_one_what_another_planned(pair: tuple[Server, Server]) -> None:
    """Once; the other process says by which run it was done."""
    first, second = pair
    name = send(first, "learn", "write", "agents", text="The heron stands in the reeds.").document["seq"]

    def call(server: Server, tool: str, **given: Any) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body = message | {"params": {"name": tool, "arguments": given}}
        heads = {"accept": "application/json, text/event-stream"}
        reply = server.send("/mcp", body, token=server.tokens["agents", "curate"], heads=heads)
        return str(reply.document["result"]["content"][0]["text"])

    planned = re.search(r"plan-[0-9a-f]+", call(first, "forget", ids=[f"#{name}"]))
    assert planned is not None
    done = call(second, "apply", plan_id=planned[0])
    again = call(first, "apply", plan_id=planned[0])

    assert "Done: " in done
    assert "was applied already by" in again
    assert [] == first.do("list", "read", "agents")


# Browsers


def move(browser: Browser, server: Server) -> None:
    """Have a browser go on at another process, as behind a proxy: there both would have one port, and one cookie."""
    browser.server = server
    browser.cookie = f"remanence_{server.port}={browser.cookie.partition('=')[2]}"


def log_in(server: Server, scope: str) -> Browser:
    """Log a browser in by the token that may erase."""
    browser = Browser(server)
    browser.open("/login", {"token": server.tokens[scope, "erase"]})
    return browser


def test_a_browser_that_logged_in_at_one_is_known_to_the_other(pair: tuple[Server, Server]) -> None:
    """With the marks of its forms, and what they did; who logs out is logged out at both."""
    first, second = pair
    browser = log_in(first, "pages")
    page = browser.open("/memories")
    assert 200 == browser.status
    move(browser, second)
    form = next(one for one in page.forms if one["action"].partition("?")[0] == "/do/learn")
    fields = {name: value for name, value in form.items() if name != "action"}
    status, heads, _ = browser.send("POST", form["action"], {**fields, "text": "The gate is green."})
    move(browser, first)
    told = browser.open(heads["location"])
    once = browser.open(heads["location"])
    move(browser, second)
    leave = next(one for one in once.forms if one["action"] == "/logout")
    browser.send("POST", "/logout", {"mark": leave["mark"]})
    ended = []
    for server in pair:
        browser.cookie = f"remanence_{server.port}={form['mark']}"
        browser.server = server
        ended.append(browser.send("GET", "/overview")[0])

    assert (303, True) == (status, " as #" in told.text)
    assert " as #" not in once.text
    assert [303, 303] == ended


def test_who_is_logged_out_by_one_is_logged_out_at_both(pair: tuple[Server, Server], address: str) -> None:
    """By the button, and by the end of the token."""
    first, second = pair
    browser, other = log_in(first, "log out"), log_in(second, "log out")
    page = browser.open("/overview")
    cookie = browser.cookie
    move(browser, second)
    browser.send(
        "POST", "/logout", {"mark": next(one for one in page.forms if one["action"] == "/logout")["mark"]}
    )
    browser.server, browser.cookie = first, cookie
    left = browser.send("GET", "/overview")[0]
    before = other.send("GET", "/overview")[0]
    with remanence.sync.open(address, embedder="none") as memory:
        memory.token.end("log out-erase")
    move(other, first)

    assert (303, 200, 303) == (left, before, other.send("GET", "/overview")[0])


def test_a_link_logs_in_once_and_shows_a_token_once(pair: tuple[Server, Server], address: str) -> None:
    """Printed by one process, used at the other; what is kept of it reads nobody in the database."""
    first, second = pair
    link = str(first.file).partition(f":{first.port}")[2].strip()
    browser = Browser(second)
    status = browser.send("GET", link)[0]
    used = [Browser(server).send("GET", link)[0] for server in pair]
    page = browser.open("/tokens")
    form = next(one for one in page.forms if one["action"].partition("?")[0] == "/do/add-token")
    fields = {name: value for name, value in form.items() if name != "action"}
    sent = {**fields, "name": "made here", "role": "read", "scopes": "pages"}
    _, heads, _ = browser.send("POST", form["action"], sent)
    move(browser, first)
    made = browser.open(heads["location"]).text
    secret = re.search(r"rmn_[0-9a-f]{12}_[\w-]{43}", made)
    again = browser.open(heads["location"]).text
    rows = ask(address, "SELECT name, owner, value FROM server_state")
    kept = b"".join(
        bytes(one) if isinstance(one, bytes) else str(one).encode() for row in rows for one in row
    )

    assert (200, [401, 401]) == (status, used)
    assert secret is not None and secret[0] not in again and "made here" in again
    assert secret[0].encode() not in kept and browser.cookie.partition("=")[2].encode() not in kept
    assert 401 != second.send("/v1/status", {}, token=secret[0]).status


def test_a_plan_that_a_page_shows_is_applied_at_the_other(pair: tuple[Server, Server], address: str) -> None:
    """As it was shown."""
    first, second = pair
    with remanence.sync.open(address, scope="plans", embedder="none") as memory:
        memory.learn("The tiles lie at the north pier.", category="notification")
        memory.consolidate()
        memory.policy.use(POLICY)
    browser = log_in(first, "plans")
    page = wait_for(
        lambda: next(
            (one for one in browser.open("/plan").forms if one["action"].partition("?")[0] == "/do/apply"),
            None,
        )
    )
    move(browser, second)
    told = browser.open(page["action"], {name: value for name, value in page.items() if name != "action"})

    assert 200 == browser.status and "Applied the plan" in told.text


# What is told


@pytest.fixture
def ear(address: str, tokens: dict[tuple[str, TokenRole], str]) -> Iterator[Server]:
    """A server that hears of nothing but by being told."""
    with serving(address, tokens, before=TOLD_ONLY) as server:
        yield server


def test_an_event_is_told_at_once_to_who_listens_elsewhere(
    pair: tuple[Server, Server], ear: Server, address: str
) -> None:
    """Written by another process that serves, and by a program with the memory open."""
    send(pair[0], "learn", "write", "told", text="The rope is new.")
    listener = Listener(ear, ear.tokens["told", "read"])
    wait_for(lambda: listened(address, "told"))
    send(pair[0], "learn", "write", "told", text="The sail is old.")
    heard = [one["verb"] for one in listener.wait(1)]
    with remanence.sync.open(address, scope="told", embedder="none") as memory:
        memory.pin(memory.list()[0].id)
    heard = [one["verb"] for one in listener.wait(2)]
    listener.close()

    assert ["learn", "pin"] == heard


def test_an_event_is_told_after_the_connection_was_lost(
    pair: tuple[Server, Server], ear: Server, address: str
) -> None:
    """It is made anew, and what came meanwhile is looked for."""
    send(pair[0], "learn", "write", "lost", text="The rope is new.")
    listener = Listener(ear, ear.tokens["lost", "read"])
    wait_for(lambda: listened(address, "lost"))
    wait_for(lambda: ask(address, "SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN remanence'"))
    ask(
        address,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN remanence'",
    )
    send(pair[0], "learn", "write", "lost", text="The sail is old.")
    listener.wait(1)
    send(pair[1], "learn", "write", "lost", text="The oar is broken.")
    heard = [one["verb"] for one in listener.wait(2)]
    listener.close()

    assert ["learn", "learn"] == heard


def test_commits_of_a_scope_that_nobody_listens_to_are_told_to_nobody(
    pair: tuple[Server, Server], address: str
) -> None:
    """So that they do not wait for each other; an erasure is told always, by the number of its scope alone."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("LISTEN remanence")
        name = send(pair[0], "learn", "write", "asked", text="The tide is low.").document["id"]
        shown = send(pair[0], "erase/show", "erase", "asked", names=name).document["shown"]
        send(pair[0], "erase/apply", "erase", "asked", shown=shown)
        ((number,),) = ask(address, "SELECT scope FROM scope_names WHERE name = 'asked'")
        told: list[str] = []
        for one in connection.notifies(timeout=WAIT):
            told.append(one.payload)
            if one.payload == str(-number):
                break

    assert str(-number) == told[-1] and str(number) not in told


def test_a_process_that_is_not_asked_forgets_what_was_erased(
    address: str, tokens: dict[tuple[str, TokenRole], str], tmp_path: Path
) -> None:
    """As soon as it is told."""
    found = tmp_path / "found"
    with serving(address, tokens, before=SEARCH.replace("{path!r}", repr(str(found)))) as server:
        server.send("/v1/learn", {"text": SAID, "key": "it"}, token=server.tokens["erased", "write"])
        assert WORD in send(server, "recall", "read", "erased", query=WORD).body.decode()

        def search() -> list[str]:
            found.unlink(missing_ok=True)
            server.process.send_signal(signal.SIGUSR1)
            wait_for(found.exists)
            return found.read_text().split()

        assert search()
        with remanence.sync.open(address, scope="erased", embedder="none") as memory:
            memory.erase.apply(memory.erase.show("it"))
        wait_for(lambda: not search())


# Calls under way


def test_a_call_is_listed_heard_and_ended_from_the_other(pair: tuple[Server, Server]) -> None:
    """By who may; whoever sent it is told that it was cancelled."""
    first, second = pair
    texts = [{"text": f"Buoy {n} of row {n % 7} is painted red."} for n in range(4_000)]
    send(first, "learn", "write", "ended", text="The quay is long.")
    listener = Listener(second, second.tokens["ended", "read"])
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(send, first, "learn", "write", "ended", "long", text=texts)
        heads = {"authorization": f"Bearer {second.tokens['ended', 'write']}"}
        seen = wait_for(lambda: second.send("/v1/running", method="GET", heads=heads).document)
        stranger = second.send("/v1/cancel", {"key": "long"}, token=second.tokens["asked", "write"])
        wait_for(lambda: [one for _, one in listener.heard if one.get("key") == "long"])
        ended = second.send("/v1/cancel", {"key": "long"}, token=second.tokens["ended", "write"])
        reply = long.result()
    listener.close()

    assert [("long", "learn", "ended")] == [(one["key"], one["verb"], one["scope"]) for one in seen]
    assert (404, 200, {"cancelled": 1}) == (stranger.status, ended.status, ended.document)
    assert "it was cancelled" in problem(reply, 409)


def test_what_is_set_at_one_holds_at_the_other(pair: tuple[Server, Server]) -> None:
    """Settings and the policy, as of the next use."""
    first, second = pair
    for server in pair:
        send(server, "learn", "curate", "settings", text="The dock is wide.")
        send(server, "plan", "curate", "settings", policy="janitor")
    send(first, "policy/use", "curate", "settings", policy="janitor")
    send(second, "settings/set", "curate", "settings", name="audit_days", value=77)

    assert "janitor" in json.dumps(send(second, "status", "read", "settings").document)
    assert 200 == send(second, "plan", "curate", "settings").status
    assert 77 == send(first, "settings/get", "curate", "settings", name="audit_days").document["value"]


# One command with several processes


def list_children(parent: int) -> list[int]:
    """Return the processes that serve, of one command."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(parent)],
        capture_output=True,
        check=False,
        text=True,
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]


def is_running(process: int) -> bool:
    """Tell whether a process runs, and is no zombie."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False)
    return listed.stdout.strip()[:1] not in {b"", b"Z"}


def wait_for_more(kept: list[str]) -> None:
    """Wait until ten more were kept."""
    before = len(kept)
    wait_for(lambda: len(kept) > before + 10)


def wait_for_another(parent: int, before: list[int]) -> None:
    """Wait until two processes serve and the first of those before is none of them."""

    def is_replaced() -> bool:
        now = list_children(parent)
        return 2 == len(now) and before[0] not in now

    wait_for(is_replaced)


def test_a_process_that_is_killed_is_replaced_and_nothing_acknowledged_is_lost(
    postgres_server: postgres.Server,
) -> None:
    """Behind one port; the first line is said once, and a signal ends all of them."""
    address = postgres_server.address
    tokens = make_tokens(address, "group")
    kept: list[str] = []
    done = threading.Event()
    with serving(address, tokens, "--processes", "2") as server:
        wait_for(lambda: 2 == len(list_children(server.process.pid)))

        def write() -> None:
            number = 0
            while not done.is_set():
                number += 1
                try:
                    reply = server.send(
                        "/v1/learn", {"text": f"Buoy {number} is red."}, token=tokens["group", "write"]
                    )
                except (OSError, http.client.HTTPException):
                    continue
                if reply.status == 200:  # what a process refuses as it ends was not acknowledged
                    kept.append(reply.document["id"])

        writing = threading.Thread(target=write, daemon=True)
        writing.start()
        for _ in range(2):
            wait_for_more(kept)
            before = list_children(server.process.pid)
            os.kill(before[0], signal.SIGKILL)
            wait_for_another(server.process.pid, before)
        wait_for_more(kept)
        done.set()
        writing.join(WAIT)
        children = list_children(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        said, complained = server.process.communicate(timeout=WAIT)
        code = server.process.returncode

    with remanence.sync.open(address, scope="group", embedder="none") as memory:
        assert set(kept) <= {one.id for one in memory.list(limit=10_000)}
        assert all(check.ok for check in memory.doctor())
    assert (0, False) == (code, any(map(is_running, children)))
    assert "listens on" not in said and "in a browser" not in said
    assert 2 == complained.count("is started again")


def test_processes_end_with_the_one_that_started_them(
    postgres_server: postgres.Server,
) -> None:
    """Killed, it leaves nobody at its port."""
    with serving(postgres_server.address, {}, "--processes", "2") as server:
        wait_for(lambda: 2 == len(list_children(server.process.pid)))
        children = list_children(server.process.pid)
        server.process.kill()
        server.process.wait(WAIT)
        wait_for(lambda: not any(map(is_running, children)))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--processes", "2"), "is a file"),
        (("--processes", "0"), "processes"),
        (("--processes", "2", "--db", "postgresql://nobody@127.0.0.1:1/none"), "the server"),
        (("--processes", "2", "--metrics", "--db", "postgresql://nobody@127.0.0.1:1/none"), "one process"),
    ],
)
def test_what_cannot_be_served_by_several_is_refused(
    options: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    """With what to do, and nothing goes on running."""
    file = [] if "--db" in options else [str(tmp_path / "agent.db")]
    process = subprocess.run(
        [*COMMAND, *file, "--embedder", "none", *options],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src")},
        timeout=WAIT,
        check=False,
    )

    assert process.returncode not in {0, -signal.SIGTERM}
    assert told in process.stderr and "Traceback" not in process.stderr, process.stderr
    assert "→" in process.stderr
