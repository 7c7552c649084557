"""What the server takes beside the engine: `python -m benchmarks.rest [--memories …] [--recalls …]`. Linux only.

Drawn texts are learned into a file; the engine, and then a server of its own process, are asked the same questions
about them. `rest.extra_ms` is the CPU time a recall takes the server less the engine. `rest.cpu_ms` and
`rest.cpu_p99_ms` are the server's CPU time for a recall: of one client for each request by itself, of eight for what
they ask at once, divided by eight. `rest.wait_p99_ms` is how long those eight wait for an answer, each asking one after
the other; `rest.errors` counts what sixty-four were refused. `rest.event_ms` is how long after its answer the last of
some listeners has heard of a write; `rest.flood_rss_mb` what the server holds after ten seconds of bodies of a megabyte
without a token, and `rest.after_flood_s` when it then answers another. `--options="--metrics --log json"` is given to
the server; `rest.scrape_ms` is then the CPU time of an answer of `/metrics`, and `rest.options_ms` how much more of it
a request takes than one of a server without options, asked in turn.
"""

import argparse
import asyncio
import http.client
import json
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np

import remanence
from benchmarks.report import figure, settings

WORDS = 2_000
FLOOD_S = 10.0
LISTENERS = 200
ROUNDS, REQUESTS = 9, 400


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=400)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--options", default="", help="options of the server")
    parser.add_argument("--scopes", type=int, default=1)
    given = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        print("skipped: there is no /proc here, which tells the CPU time of another process")
        return
    settings(
        memories=given.memories,
        recalls=given.recalls,
        embedder=given.embedder,
        options=given.options,
        scopes=given.scopes,
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        asked = _draw_questions(given.recalls)
        engine_ms, token = asyncio.run(_measure_engine(file, given.memories, asked, given.embedder))
        watch = asyncio.run(_add_scopes(file, given.scopes))
        options = [*shlex.split(given.options), "--embedder", given.embedder]
        with _serve(file, options) as (pid, port):
            if given.options:
                with _serve(file, ["--embedder", given.embedder]) as plain:
                    _measure_options((pid, port), plain, token)
            if "--metrics" in options:
                _measure_scrapes(pid, port, watch)
            _measure_server(pid, port, asked, engine_ms, token)


def _draw_text(random: Random, words: int) -> str:
    return " ".join(f"word{int(WORDS * random.random() ** 2)}" for _ in range(words))


def _draw_questions(count: int) -> list[str]:
    random = Random(15)
    return [_draw_text(random, 3) for _ in range(count)]


async def _measure_engine(file: Path, memories: int, asked: list[str], embedder: str) -> tuple[float, str]:
    random = Random(14)
    async with remanence.open(file, embedder=embedder) as memory:
        await memory.learn([_draw_text(random, 15) for _ in range(memories)])
        await memory.consolidate()
        token = (await memory.token.add("bench", scopes=["default"], role="write")).secret
        for question in asked[:20]:
            await memory.recall(question, count_use=False)
        began = time.process_time()
        for question in asked:
            await memory.recall(question, count_use=False)
        return 1_000 * (time.process_time() - began) / len(asked), token


class _Client:
    """One connection that is kept."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._heads = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def ask(self, verb: str, **arguments: object) -> tuple[int, float, bytes]:
        """Return the status, the seconds and the body of an answer."""
        began = time.perf_counter()
        self._connection.request("POST", f"/v1/{verb}", json.dumps(arguments), self._heads)
        answer = self._connection.getresponse()
        body = answer.read()
        return answer.status, time.perf_counter() - began, body


async def _add_scopes(file: Path, scopes: int) -> str:
    """Write to further scopes, and return a token that reads the numbers of all."""
    for number in range(scopes - 1):
        async with remanence.open(file, scope=f"scope{number}", embedder="none") as memory:
            await memory.learn("The harbour is closed.")
    async with remanence.open(file, embedder="none", scope="watch") as memory:
        return (await memory.token.add("watch", scopes=["*"], role="watch")).secret


@contextmanager
def _serve(file: Path, options: list[str]) -> Iterator[tuple[int, int]]:
    """Serve a file, and yield the process and its port."""
    command = [sys.executable, "-c", "from remanence.faces.cli import main; main()", "serve", str(file)]
    process = subprocess.Popen(
        [*command, "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.pid, int(process.stdout.readline().rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(60)


def _measure_options(watched: tuple[int, int], plain: tuple[int, int], token: str) -> None:
    """Ask both servers in turn for what costs little."""
    clients, more = [(pid, _Client(port, token)) for pid, port in (watched, plain)], []
    for _ in range(ROUNDS):
        spent = []
        for pid, client in clients:
            began = read_cpu_seconds(pid)
            for _ in range(REQUESTS):
                assert client.ask("get", name=1)[0] == 200
            spent.append(read_cpu_seconds(pid) - began)
        more.append(1_000 * (spent[0] - spent[1]) / REQUESTS)
    figure("rest.options_ms", float(np.median(more)), "ms", rounds=[round(one, 3) for one in more])


def _measure_scrapes(pid: int, port: int, token: str) -> None:
    """Ask for the numbers as often as they are read anew."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    began, times = read_cpu_seconds(pid), 20
    for _ in range(times):
        connection.request("GET", "/metrics", headers={"authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
        time.sleep(1.1)
    figure("rest.scrape_ms", 1_000 * (read_cpu_seconds(pid) - began) / times, "ms")


def _measure_server(pid: int, port: int, asked: list[str], engine_ms: float, token: str) -> None:
    client = _Client(port, token)
    for question in asked[:20]:
        client.ask("recall", query=question, count_use=False)
    began = read_cpu_seconds(pid)
    for question in asked:
        client.ask("recall", query=question, count_use=False)
    server_ms = 1_000 * (read_cpu_seconds(pid) - began) / len(asked)
    figure("rest.engine_ms", engine_ms, "ms")
    figure("rest.server_ms", server_ms, "ms")
    figure("rest.extra_ms", server_ms - engine_ms, "ms")
    for clients in (1, 8):
        spent_ms = _measure_cpu((pid, port), token, asked, clients)
        figure("rest.cpu_ms", float(np.mean(spent_ms)), "ms", clients=clients)
        figure("rest.cpu_p99_ms", float(np.percentile(spent_ms, 99)), "ms", clients=clients)
    waited, _ = _ask_at_once(port, token, asked, 8)
    figure("rest.wait_p99_ms", 1_000 * float(np.percentile(waited, 99)), "ms", clients=8)
    _, refused = _ask_at_once(port, token, asked, 64)
    figure("rest.errors", refused, "")
    for listeners in (1, LISTENERS):
        waited_s = _measure_events(port, token, listeners)
        figure("rest.event_ms", 1_000 * waited_s, "ms", listeners=listeners)
    _flood(port)
    figure("rest.flood_rss_mb", _resident_mb(pid), "MB")
    figure("rest.after_flood_s", _Client(port, token).ask("recall", query=asked[0])[1], "s")


def _measure_cpu(server: tuple[int, int], token: str, asked: list[str], clients: int) -> list[float]:
    """Return the milliseconds of CPU that a request took, for each round in which all clients ask one at once."""
    pid, port = server
    asking, spent_ms = [_Client(port, token) for _ in range(clients)], []
    with ThreadPoolExecutor(clients) as pool:
        for number in range(len(asked)):
            began = read_cpu_seconds(pid)
            calls = [
                pool.submit(client.ask, "recall", query=asked[(number + at) % len(asked)], count_use=False)
                for at, client in enumerate(asking)
            ]
            assert all(call.result()[0] == 200 for call in calls)
            spent_ms.append(1_000 * (read_cpu_seconds(pid) - began) / clients)
    return spent_ms


def _ask_at_once(port: int, token: str, asked: list[str], clients: int) -> tuple[list[float], int]:
    """Let several clients ask, each its part, and return how long each answer took and how many were refused."""

    def ask(number: int) -> list[tuple[int, float]]:
        client = _Client(port, token)
        return [client.ask("recall", query=one, count_use=False)[:2] for one in asked[number::clients]]

    with ThreadPoolExecutor(clients) as pool:
        answers = [answer for some in pool.map(ask, range(clients)) for answer in some]
    return [seconds for _, seconds in answers], sum(status != 200 for status, _ in answers)


class _Listener:
    """Hears events in a thread of its own, and notes when."""

    def __init__(self, port: int, token: str) -> None:
        self.heard: list[float] = []
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._connection.request("GET", "/v1/events", headers={"authorization": f"Bearer {token}"})
        self._answer = self._connection.getresponse()
        self._answer.readline()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while line := self._answer.readline():
            if line.startswith(b"id:"):
                self.heard.append(time.perf_counter())


def _measure_events(port: int, token: str, listeners: int) -> float:
    """Return the median seconds from an answer until the last of some listeners has heard of it."""
    hearing = [_Listener(port, token) for _ in range(listeners)]
    client, waits = _Client(port, token), []
    for number in range(20):
        client.ask("learn", text=f"The buoy {number} of {listeners} was painted.")
        answered = time.perf_counter()
        while any(len(one.heard) <= number for one in hearing):
            time.sleep(0.001)
        waits.append(max(one.heard[number] for one in hearing) - answered)
    return float(np.median(waits))


def _flood(port: int) -> None:
    """Send bodies without a token from sixteen clients, for ten seconds."""
    until = time.monotonic() + FLOOD_S
    body = b"x" * 1_000_000

    def send() -> None:
        while time.monotonic() < until:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            try:
                connection.request("POST", "/v1/learn", body, {"content-type": "application/json"})
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                pass  # refused before all of it had gone
            finally:
                connection.close()

    threads = [threading.Thread(target=send) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read_cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has taken so far, all its threads together, to the nanosecond."""
    return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as clock_getcpuclockid(3) makes it


def _resident_mb(pid: int) -> float:
    (line,) = [one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS")]
    return int(line.split()[1]) / 1_024


if __name__ == "__main__":
    main()
