"""What the pages of the dashboard cost: `python -m benchmarks.dashboard [--memories …] [--rounds …]`. Linux only.

Drawn texts are learned into a file under the policy `janitor`, some linked to one before, and a server is asked for
each page. `dashboard.cpu_ms` is the CPU time that an answer takes the server, the median of some rounds after the
first; `dashboard.first_ms` how long the first one took on the clock, `dashboard.background_s` how long until what is
worked out in the background was there. Where there is a Chromium: `dashboard.paint_ms` is when the first page was first
painted, `dashboard.event_ms` how long after the answer to a write the open page shows it, `dashboard.graph_ms`
until the graph was drawn.
"""

import argparse
import http.client
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import remanence.sync
from benchmarks.report import figure, settings
from benchmarks.rest import read_cpu_seconds

WORDS = 2_000
BATCH = 5_000
ASKED = 5  # times in a round: the clock of a process ticks a hundred times a second
PAGES = (
    "/overview", "/memories", "/memories/5", "/ask?q=word7+word19", "/entities", "/conversations", "/graph", "/plan",
    "/forecast", "/review", "/runs", "/erase", "/settings", "/tokens",
)  # fmt: skip
BACKGROUND = {"/overview", "/graph", "/plan", "/forecast"}
PAINTS = "performance.getEntriesByName('first-contentful-paint').map((one) => one.startTime)"
WAITING = "Working it out"


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        print("skipped: there is no /proc here, which tells the CPU time of another process")
        return
    settings(memories=given.memories, rounds=given.rounds)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        _fill(file, given.memories)
        with _serve(file) as (pid, port, link):
            cookie = _log_in(port, link)
            for path in PAGES:
                _measure_page(pid, port, cookie, path, given.rounds)
            if (chromium := shutil.which("chromium")) is None:
                print("skipped: there is no Chromium here")
            else:
                _measure_browser(chromium, port, cookie, file)


def _fill(file: Path, count: int) -> None:
    """Learn texts of drawn words, and link each to one before it."""
    random = Random(15)
    with remanence.sync.open(file, embedder="none") as memory:
        memory.policy.use("janitor")
        for first in range(0, count, BATCH):
            texts = [
                " ".join(f"word{int(WORDS * random.random() ** 2)}" for _ in range(20)) + f" number {place}."
                for place in range(first, min(count, first + BATCH))
            ]
            memory.learn([{"text": text, "category": "task"} for text in texts])
        seqs = [one.seq for one in memory.list(limit=min(count, 10_000))]
        for place in range(1, min(len(seqs), 2_000)):
            memory.link(seqs[place], seqs[random.randrange(place)], "elaborates")


@contextmanager
def _serve(file: Path) -> Iterator[tuple[int, int, str]]:
    """Serve a file; yield the process, the port and the path of the link that logs in."""
    command = [
        sys.executable,
        "-c",
        "from remanence.faces.cli import main; main()",
        "serve",
        str(file),
        "--port",
        "0",
        "--embedder",
        "none",
    ]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert serving.stdout is not None
    port = int(serving.stdout.readline().rpartition(":")[2])
    link = re.search(r"/login\S+", serving.stdout.readline())
    assert link is not None
    try:
        yield serving.pid, port, link.group(0)
    finally:
        serving.terminate()
        serving.wait()


def _ask(port: int, path: str, cookie: str = "") -> tuple[str, str]:
    """Return an answer and the cookie that came with it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path, headers={"cookie": cookie, "accept": "text/html"})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    assert answer.status in {200, 303}, (path, answer.status, body)
    return body, (answer.headers.get("set-cookie") or "").partition(";")[0]


def _log_in(port: int, link: str) -> str:
    return _ask(port, link)[1]


def _measure_page(pid: int, port: int, cookie: str, path: str, rounds: int) -> None:
    began = time.perf_counter()
    body, _ = _ask(port, path, cookie)
    figure("dashboard.first_ms", (time.perf_counter() - began) * 1_000, "ms", path=path)
    while WAITING in body:
        time.sleep(0.05)
        body, _ = _ask(port, path, cookie)
    if path in BACKGROUND:
        figure("dashboard.background_s", time.perf_counter() - began, "s", path=path)
    took = []
    for _ in range(rounds):
        before = read_cpu_seconds(pid)
        for _ in range(ASKED):
            _ask(port, path, cookie)
        took.append((read_cpu_seconds(pid) - before) * 1_000 / ASKED)
    figure("dashboard.cpu_ms", statistics.median(took), "ms", path=path, bytes=len(body))


def _measure_browser(chromium: str, port: int, cookie: str, file: Path) -> None:
    from playwright.sync_api import sync_playwright

    base, (name, _, value) = f"http://127.0.0.1:{port}", cookie.partition("=")
    flags = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        context = playwright.chromium.launch(executable_path=chromium, args=flags).new_context()
        context.add_cookies([{"name": name, "value": value, "url": base}])
        page = context.new_page()
        page.goto(f"{base}/overview", wait_until="load")
        while not (paints := page.evaluate(PAINTS)):
            page.wait_for_timeout(20)
        figure("dashboard.paint_ms", paints[0], "ms")
        began = time.perf_counter()
        page.goto(f"{base}/graph")
        page.wait_for_selector("#graph[data-drawn]", timeout=60_000)
        figure("dashboard.graph_ms", (time.perf_counter() - began) * 1_000, "ms")
        page.goto(f"{base}/memories")
        page.wait_for_timeout(1_000)
        took = []
        with remanence.sync.open(file, embedder="none") as memory:
            for place in range(10):
                memory.learn(f"The page hears of the bell number {place}.")
                began = time.perf_counter()
                page.get_by_text(f"bell number {place}.").wait_for()
                took.append((time.perf_counter() - began) * 1_000)
        figure("dashboard.event_ms", statistics.median(took), "ms", most=round(max(took), 1))


if __name__ == "__main__":
    main()
