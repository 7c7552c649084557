"""What an operator is told of a server: whether it lives, its numbers, its log, its spans; and nothing of a memory."""

import json
import logging
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import remanence
import remanence.sync
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.permissions import TokenRole
from remanence.curate.schedule import Record
from remanence.engine import Engine
from remanence.faces.rest import operating, request_log, watch_options
from remanence.flows.base.spending import Spending
from remanence.flows.curate.scheduling import ROW
from remanence.flows.inspect.oversight import Overseer
from remanence.flows.write.reembedding import UNDER_WAY
from remanence.store.base import Bookkeeping
from tests.flows.conftest import Opener
from tests.flows.test_rest import COMMAND, ROOT, WAIT, Server, problem

SCOPE, TOKEN, TAG, GUARD = "scope-of-nora", "token-of-nora", "tag-of-nora", "guard-of-nora"
TEXT = "Nora keeps the spare key of the chapel under the third stone."
MADE: Mapping[TokenRole, Sequence[str]] = {"watch": ["*"], "curate": [SCOPE], "read": ["*"]}
POLICY = f"""
version = 1
name = "policy-of-nora"

[[guard]]
name = "{GUARD}"
where = "tagged('{TAG}')"
blocks = ["prune"]

[[rule]]
name = "all"
every = "rapid"
phase = "value"
where = "tokens > 0"
do = "prune"
"""
LABELS = {
    "verb": r"[a-z_.]+",
    "outcome": "ok|refused|failed",
    "status": r"\d{3}",
    "guard": r"policy|pinned|held|system-category|unknown-status|restored|trust|owner|identity",
    "by": "share|clock",
    "work": r"[a-z]+",
    "model": "writer|embedder",
    "le": r"[\d.e+]+|\+Inf",
}


def make_file(folder: Path) -> tuple[Path, Mapping[TokenRole, str]]:
    """Make a file with a scope of somebody's, and tokens."""
    file = folder / "agent.db"
    with remanence.sync.open(file, embedder="none", scope=SCOPE) as memory:
        tokens = {
            role: memory.token.add(f"{TOKEN}-{role}", scopes=scopes, role=role).secret
            for role, scopes in MADE.items()
        }
        memory.policy.use(POLICY)
        for number in range(30):
            memory.learn(f"{TEXT} And number {number} is a buoy.", tags=[TAG] if number < 10 else [])
        memory.pin(memory.learn("The harbour is closed."))
    return file, tokens


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[Server, Mapping[TokenRole, str]]]:
    """Serve such a file; what the server writes goes to files beside it."""
    file, tokens = make_file(folder)
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [*COMMAND, str(file), "--embedder", "none", *options],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={"PYTHONPATH": str(ROOT / "src")},
        )
    assert process.stdout is not None
    server = Server(int(process.stdout.readline().rpartition(":")[2]), process, file)
    try:
        yield server, tokens
    finally:
        process.terminate()
        (folder / "stdout").write_text(process.communicate(timeout=WAIT)[0])


def read_metrics(server: Server, token: str) -> dict[tuple[str, str], float]:
    """Return the numbers by name and the values of their labels, as Prometheus' own parser reads them."""
    reply = server.send("/metrics", token=token, method="GET")
    assert 200 == reply.status and reply.heads["content-type"].startswith("text/plain; version="), reply
    families = list(text_string_to_metric_families(reply.body.decode()))
    for family in families:
        for sample in family.samples:
            assert [] == [one for one in sample.labels.items() if not re.fullmatch(LABELS[one[0]], one[1])]
    return {
        (sample.name, ",".join(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def wait_for_metrics(server: Server, token: str, name: str, value: float) -> dict[tuple[str, str], float]:
    """Ask until a number is as it should be: those of the file are kept for a second at least."""
    until = time.monotonic() + WAIT
    while (numbers := read_metrics(server, token)).get((name, "")) != value:
        assert time.monotonic() < until, numbers
        time.sleep(0.1)
    return numbers


def test_the_numbers_say_what_was_done_and_what_waits(tmp_path: Path) -> None:
    """Verbs, refusals, guards, turns, runs of other processes: under names of the engine's, and none of a user's."""
    with serving(tmp_path, "--metrics") as (server, tokens):

        def do(verb: str, **arguments: Any) -> Any:
            return server.send(f"/v1/{verb}", arguments, token=tokens["curate"])

        before = read_metrics(server, tokens["watch"])
        pinned = do("list", pinned=True).document[0]
        assert 403 == do("forget", names=pinned["id"]).status
        assert 404 == do("get", name="nobody").status
        assert 200 == do("run-jobs", cadence="rapid").status
        held = wait_for_metrics(server, tokens["watch"], "remanence_scopes_adopting", 1)
        while not held["remanence_plans_held", "share"]:
            time.sleep(0.1)
            held = read_metrics(server, tokens["watch"])
        assert 401 == server.send("/v1/status", {}).status
        with remanence.sync.open(server.file, embedder="none", scope=SCOPE) as memory:
            memory.apply(memory.plan(), allow_destroyed=30)  # by another process
        assert 200 == do("note", turn=TEXT).status
        after = wait_for_metrics(server, tokens["watch"], "remanence_turns_waiting", 1)

    assert 1 == before["remanence_scopes", ""] == before["remanence_scopes_counted", ""]
    assert 0 == before["remanence_last_tick_timestamp_seconds", ""] == before["remanence_plans_held", "share"]
    assert (
        1 == after["remanence_verbs_total", "refused,forget"] == after["remanence_verbs_total", "refused,get"]
    )
    assert 1 == after["remanence_verbs_total", "ok,run_jobs"]
    assert 1 == after["remanence_verb_seconds_count", "forget"]
    assert 1 == after["remanence_protected_total", "pinned"] == after["remanence_http_requests_total", "401"]
    assert (1, 0) == (held["remanence_plans_held", "share"], after["remanence_plans_held", "share"])
    assert (10, 1) == tuple(after["remanence_guard_refusals_total", one] for one in ("policy", "pinned"))
    assert 0 == after["remanence_model_tokens_today", "writer"]
    assert 0 < held["remanence_last_tick_timestamp_seconds", ""]
    assert 0 < after["remanence_last_curation_timestamp_seconds", ""]
    assert 0 < after["process_resident_memory_bytes", ""]


def test_the_numbers_are_for_a_token_that_opens_every_scope(tmp_path: Path) -> None:
    """And one of the role watch opens nothing else; where nobody asked for them there are none."""
    with serving(tmp_path, "--metrics") as (server, tokens):
        problem(server.send("/metrics", method="GET"), 401)
        assert "does not open every scope" in problem(
            server.send("/metrics", token=tokens["curate"], method="GET"), 403
        )
        assert read_metrics(server, tokens["read"])
        for path in ("/v1/status", "/v1/doctor", "/v1/scopes/list"):
            told = problem(server.send(f"{path}?scope={SCOPE}", {}, token=tokens["watch"]), 403)
            assert "may watch, not read" in told
        problem(server.send("/v1/events", token=tokens["watch"], method="GET"), 403)
    (tmp_path / "off").mkdir()
    with serving(tmp_path / "off") as (server, tokens):
        problem(server.send("/metrics", token=tokens["watch"], method="GET"), 404)


async def test_health_says_that_the_store_answers(tmp_path: Path) -> None:
    """To whoever asks, without a token and under any name, and nothing else; where it does not, it is 503."""
    with serving(tmp_path) as (server, _):
        reply = server.send("/health", method="GET", heads={"host": "10.0.0.7:8377"})
    assert (200, {"status": "ok"}) == (reply.status, reply.document)

    async def ask(memory: Engine) -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        door = operating.OperatorsDoor(find_nothing, memory, find_nothing)
        await door({"type": "http", "path": "/health", "method": "GET", "headers": []}, find_nothing, send)
        return sent

    memory = await remanence.open(tmp_path / "other.db", embedder="none")
    assert 200 == (await ask(memory))[0]["status"]
    await memory.close()
    told = await ask(memory)
    assert 503 == told[0]["status"] and b"the store cannot be read" in told[1]["body"]


async def find_nothing(*_: Any) -> Any:
    """Stand for what is not asked here."""
    raise AssertionError


def test_the_log_has_a_line_for_each_request(tmp_path: Path) -> None:
    """Its route, its answer and its token: no address, no head and no body."""
    for form in ("json", "text"):
        folder = tmp_path / form
        folder.mkdir()
        with serving(folder, "--log", form, "--metrics") as (server, tokens):
            token = tokens["curate"]
            server.send(f"/v1/learn?scope={SCOPE}", {"text": TEXT, "tags": [TAG]}, token=token)
            server.send("/v1/get", {"name": TEXT}, token=token)
            server.send("/login/a-secret%0Aforged", token=token, method="GET")
            server.send("/v1/status", {}, token="rmn_a-secret")
            server.send("/metrics", token=tokens["watch"], method="GET")
            server.send("/health", method="GET")
            server.send("/v1/learn", b"{", token=token, heads={"x-secret": "a-secret"}, method="A-SECRET")
        text = (folder / "stderr").read_text()
        lines = text.splitlines()
        assert [] == [
            one for one in ("chapel", TAG, SCOPE, "secret", "forged", *tokens.values()) if one in text
        ]
        if form == "json":
            found = [json.loads(line) for line in lines]
            assert [
                ("POST", "/v1/learn", 200, f"{TOKEN}-curate"),
                ("POST", "/v1/get", 404, f"{TOKEN}-curate"),
                ("GET", None, 404, None),
                ("POST", None, 401, None),
                ("GET", "/metrics", 200, f"{TOKEN}-watch"),
                ("other", "/v1/learn", 405, f"{TOKEN}-curate"),
            ] == [(one["method"], one["route"], one["status"], one["token"]) for one in found]
            assert {"at", "level", "method", "route", "status", "ms", "bytes", "token"} == found[0].keys()
        else:
            assert 6 == len(lines)
            line = rf"\d{{4}}-\S+ info POST /v1/learn 200 [\d.]+ ms \d+ B {TOKEN}-curate"
            assert re.fullmatch(line, lines[0])


@pytest.mark.parametrize("form", ["json", "text"])
def test_what_goes_wrong_is_logged_without_its_words(form: Any) -> None:
    """Where it was raised and of which class it is; on one line, whatever it says."""
    formatter = request_log._JsonLogFormat() if form == "json" else request_log._TextLogFormat()
    with pytest.raises(ValueError, match="invalid literal") as raised:
        int(TEXT)
    error = raised.type, raised.value, raised.tb
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it %s\n\x1bfailed", ("really",), error)
    line = formatter.format(record)

    assert 1 == len(line.splitlines()) and "chapel" not in line and "\x1b" not in line
    assert "ValueError" in line and "test_operating.py" in line and "really" in line


def test_a_verb_is_a_span_with_its_steps(tmp_path: Path) -> None:
    """Gather, decide, commit, around a curation; without a text, an id or a name, also where a verb is refused."""
    with serving(tmp_path, "--spans", "console") as (server, tokens):
        plan = server.send("/v1/plan", {}, token=tokens["curate"]).document
        server.send("/v1/apply", {"plan": plan, "allow_destroyed": 30}, token=tokens["curate"])
        server.send("/v1/get", {"name": TEXT}, token=tokens["curate"])
    text = (tmp_path / "stdout").read_text()
    spans = [json.loads(f"{{{one}}}") for one in re.findall(r"^\{$(.*?)^\}$", text, re.MULTILINE | re.DOTALL)]
    names = {one["context"]["span_id"]: one["name"] for one in spans}
    steps = {one["name"] for one in spans if names.get(one["parent_id"]) == "remanence.apply"}
    (refused,) = [one for one in spans if one["name"] == "remanence.get"]

    assert {"remanence.gather", "remanence.decide", "remanence.commit"} == steps
    assert ("ERROR", {"error.type": "NotFound"}) == (refused["status"]["status_code"], refused["attributes"])
    assert [] == refused["events"]
    assert [] == [one for one in ("chapel", TAG, SCOPE, GUARD, TOKEN, "policy-of-nora") if one in text]


def test_what_nobody_asked_for_is_not_imported(tmp_path: Path) -> None:
    """Neither with the package nor with the server."""
    asked = (
        "prometheus_client",
        "opentelemetry.sdk",
        "remanence.faces.rest.metrics",
        "remanence.faces.rest.verb_spans",
    )
    code = f"import sys, remanence; print([one for one in {asked} if one in sys.modules])"
    serve = "from remanence.faces.rest import app, serving, watch_options"
    for more in ("", f"{serve}; "):
        done = subprocess.run(
            [sys.executable, "-c", more + code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": str(ROOT / "src")},
        )
        assert "[]\n" == done.stdout


def test_what_is_missing_is_said() -> None:
    """The extra that brings it, or the exporters that there are."""
    for package in ("no_such_package", "no_such_package.sdk"):
        with pytest.raises(NotFound, match="extra `metrics`"):
            watch_options._require(package)
    with (
        pytest.raises(InvalidInput, match="unknown exporter of spans 'nowhere'") as raised,
        watch_options.begin_watch(metrics=False, spans="nowhere", log=None),
    ):
        pass
    assert "console" in raised.value.recovery


class Steps:
    """A tracer of one's own: it keeps the names of spans and whether an error is told to them."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @contextmanager
    def start_as_current_span(
        self, name: str, *, record_exception: bool = True, set_status_on_exception: bool = True
    ) -> Iterator[None]:
        """Keep a name."""
        assert not record_exception and not set_status_on_exception
        self.names.append(name.removeprefix("remanence."))
        yield


async def test_a_tracer_of_yours_hears_the_steps(opener: Opener) -> None:
    """Of a curation, of a tick, and of what another scope's tick commits; without one nothing is traced."""
    steps = Steps()
    async with opener(tracer=steps) as memory:
        await memory.policy.use(POLICY)
        await memory.learn([f"{TEXT} {number}" for number in range(3)])
        assert ["commit"] == steps.names
        steps.names.clear()
        plan = await memory.plan()
        assert ["gather", "decide"] == steps.names
        await memory.apply(plan, allow_destroyed=3)
        assert ["gather", "decide", "commit"] == steps.names
        with pytest.raises(InvalidInput, match="tracer must be"):
            opener(tracer="console")


async def test_a_look_counts_what_is_kept_of_every_scope(opener: Opener, clock: ManualClock) -> None:
    """Turns, embeddings, tokens, failures and missed runs, and guards of runs since the first look."""
    async with opener(scope="two") as memory:
        await memory.learn([f"{TEXT} {number}" for number in range(5)])
        await memory.note(TEXT, role="user")
        core, now = memory._core, clock.now()
        overseer = Overseer(core)
        assert (1, 1, 0, 1) == await look(overseer, "scopes", "counted", "adopting", "turns_waiting")
        await Spending(core).book(2, 70)
        row = {"name": "x", "dimensions": 8, "after": 2}
        await core.store.bookkeep("two", Bookkeeping(now, put={UNDER_WAY: row}))
        record = Record(at=now, promised=True).record_failure("extract", now, TEXT, now + DAY)
        await memory.policy.use(POLICY)
        await core.store.bookkeep("two", Bookkeeping(now, put={ROW: record.values()}))
        seen = await overseer.look()
        assert (4, 70, {"extract": 1}) == (seen.embeddings_waiting, seen.tokens["writer"], dict(seen.failing))
        clock.advance(days=1)
        assert (1, now) == await look(overseer, "late", "last_tick_at")
        assert {} == overseer.refusals
        other = Engine(replace(core, scope="three"))
        await other.pin(await other.learn("The harbour is closed."))
        await other.learn([f"{TEXT} {number}" for number in range(5)])
        await other.apply(await other.plan(POLICY), allow_destroyed=9)
        assert (2, 1) == await look(overseer, "scopes", "adopting")
        assert {"pinned": 1} == dict(overseer.refusals)
        await overseer.look()
        assert {"pinned": 1} == dict(overseer.refusals)


async def look(overseer: Overseer, *names: str) -> tuple[Any, ...]:
    """Look, and return some of the numbers."""
    seen = await overseer.look()
    return tuple(getattr(seen, name) for name in names)
