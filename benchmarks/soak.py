"""A server that is used for days: `python -m benchmarks.soak [--days 10] [--requests 200000]`.

A process of `serve` and one of `run`, whose clocks are so fast that the days pass while the requests are sent, work on
one file with a policy. Clients learn, recall and list; each day a token begins and another ends, a backup is made and a
memory is erased, and on some days both processes are killed, or stopped and started as a version that changes a table.
Printed by day: memory and CPU of the server, bytes of the file and of its log, the audit's share; at the end what
`doctor` finds, and how many acknowledged texts are missing or there twice.
"""

import argparse
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import remanence.sync
from benchmarks.report import figure, settings
from remanence.core import clock
from remanence.store.sql import schema_versions
from remanence.store.sqlite import database_file
from remanence.types import TokenRole

ROOT = Path(__file__).parents[1]
CLIENTS = 4
DAY_S = 86_400
AUDIT_DAYS = 3  # after which what an undo needs goes
SUBJECTS = (
    "ferry",
    "pier",
    "harbour",
    "boat",
    "sail",
    "mast",
    "crane",
    "slipway",
    "shed",
    "buoy",
    "winch",
    "anchor",
)
AUDIT = ("runs", "changes", "blocks", "emptied", "purged", "mentions")
POLICY = """
version = 1
name = "soak"

[[rule]]
name = "old"
every = "hourly"
phase = "value"
where = "category == 'message' and age(learned_at) > days(2)"
do = "prune"
"""


class FastTime:
    """The module `time` for a clock that runs `factor` times as fast since a moment."""

    def __init__(self, since: float, factor: float) -> None:
        self._since, self._factor = since, factor
        self._boot = time.clock_gettime(time.CLOCK_BOOTTIME) - (time.time() - since)

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def time_ns(self) -> int:
        """Return the fast time of the wall."""
        return int((self._since + (time.time() - self._since) * self._factor) * 1e9)

    def clock_gettime_ns(self, which: int) -> int:
        """Return the fast time since the machine was started."""
        now = time.clock_gettime(which)
        return int((self._boot + (now - self._boot) * self._factor) * 1e9)


def hasten(since: float, factor: float, version: int) -> None:
    """Have this process live fast, and know some versions more than there are."""
    clock.__dict__["time"] = FastTime(since, factor)
    base = schema_versions.BASELINE_VERSION
    steps = {
        to: {"sqlite": (f"ALTER TABLE sources ADD COLUMN note{to} TEXT",)}
        for to in range(base + 1, version + 1)
    }
    schema_versions.STEPS = steps
    database_file.SCHEMA_VERSION = version


@dataclass
class Soak:
    """What is used, and what was acknowledged."""

    file: Path
    since: float
    factor: float
    days: int
    requests: int
    secret: str
    version: int = schema_versions.SCHEMA_VERSION
    port: int = 0
    sent: int = 0
    acknowledged: set[str] = field(default_factory=set)
    answers: Counter[int] = field(default_factory=Counter)
    processes: dict[str, "subprocess.Popen[str]"] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, command: str, *more: str) -> None:
        """Start a process of the command line that lives fast."""
        script = (
            f"from benchmarks import soak; soak.hasten({self.since}, {self.factor}, {self.version});"
            " from remanence.faces.cli import main; main()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", script, command, "--db", str(self.file), "--embedder", "none", *more],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.processes[command] = process
        if command == "serve":
            assert process.stdout is not None
            self.port = int(process.stdout.readline().rpartition(":")[2])

    def end(self, how: signal.Signals) -> None:
        """End both processes."""
        for process in self.processes.values():
            process.send_signal(how)
        for process in self.processes.values():
            process.wait(60)

    def begin(self) -> None:
        """Start both processes, and be in their time."""
        hasten(self.since, self.factor, self.version)
        self.start("serve", "--port", "0")
        self.start("run", "--intervals", "rapid=1s")  # which it rests in wall time

    def ask(self, connection: http.client.HTTPConnection, verb: str, **given: Any) -> Any:
        """Call a verb, again where the server was away; return its answer where it is one."""
        while True:
            try:
                connection.request(
                    "POST",
                    f"/v1/{verb}",
                    json.dumps(given),
                    {"authorization": f"Bearer {self.secret}", "content-type": "application/json"},
                )
                answer = connection.getresponse()
                body = answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                time.sleep(0.1)
                connection.port = self.port
                continue
            with self.lock:
                self.answers[answer.status] += 1
            return json.loads(body) if answer.status == 200 else None

    def live(self, client: int) -> None:
        """Be one client until all requests were sent."""
        draws = random.Random(client)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        while True:
            with self.lock:
                if self.sent >= self.requests:
                    return
                self.sent += 1
                number = self.sent
            ahead = number / self.requests * self.days * DAY_S / self.factor - (time.time() - self.since)
            time.sleep(max(0.0, ahead))
            subject, place = draws.choice(SUBJECTS), draws.choice(SUBJECTS)
            chance = draws.random()
            if chance < 0.15:
                text = f"Entry {number}: the {subject} lies beside the {place}."
                category = "fact" if draws.random() < 0.1 else "message"
                if self.ask(connection, "learn", text=text, category=category, key=str(number)):
                    with self.lock:
                        self.acknowledged.add(str(number))
            elif chance < 0.9:
                self.ask(connection, "recall", query=f"what lies beside the {subject}?", limit=5)
            elif chance < 0.97:
                self.ask(connection, "list", limit=20)
            else:
                self.ask(connection, "history", limit=10)

    def spend_day(self, day: int) -> None:
        """Do once a day what operators do, and print what the server takes."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            self.ask(
                connection,
                "learn",
                text=f"Guest {day} of the {SUBJECTS[day % 12]} has gone.",
                key=f"guest {day}",
            )
            shown = self.ask(connection, "erase/show", names=f"guest {day}")
            self.ask(connection, "erase/apply", shown=shown["shown"])
        with remanence.sync.open(self.file, embedder="none") as memory:
            memory.token.add(f"day {day}", scopes=["*"], role="read")
            if day:
                memory.token.end(f"day {day - 1}")
            memory.backup(self.file.with_name(f"day{day}.db"))
        self.file.with_name(f"day{day - 2}.db").unlink(missing_ok=True)
        self.tell(day)
        if day % 4 == 2:
            self.end(signal.SIGKILL)
            self.begin()
        elif day in {self.days // 3, 2 * self.days // 3}:
            self.end(signal.SIGTERM)
            self.version += 1
            self.begin()

    def tell(self, day: int) -> None:
        """Print the figures of a day."""
        pid = self.processes["serve"].pid
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        stat = Path(f"/proc/{pid}/stat").read_text().split()
        log = Path(f"{self.file}-wal")
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as connection:
            (audit,) = connection.execute(
                f"SELECT sum(pgsize) FROM dbstat WHERE name IN {AUDIT} OR name LIKE 'runs\\_%' ESCAPE '\\'"
            ).fetchone()
            (whole,) = connection.execute("SELECT sum(pgsize) FROM dbstat").fetchone()
            (held,) = connection.execute("SELECT count(*) FROM memories").fetchone()
        figure(
            "soak.day",
            day,
            "",
            requests=self.sent,
            rss_mb=round(int(status["VmRSS"].split()[0]) / 1024, 1),
            cpu_s=round((int(stat[13]) + int(stat[14])) / os.sysconf("SC_CLK_TCK"), 1),
            file_mb=round(self.file.stat().st_size / 1e6, 2),
            log_mb=round(log.stat().st_size / 1e6 if log.exists() else 0, 2),
            audit_share=round(audit / whole, 3),
            memories=held,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Use a server for days."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--minutes", type=float, default=20.0, help="of the wall, in which the days pass")
    given = parser.parse_args(arguments)
    settings(days=given.days, requests=given.requests, minutes=given.minutes)
    with tempfile.TemporaryDirectory() as folder:
        soak(Path(folder) / "agent.db", given.days, given.requests, given.minutes * 60)


def soak(file: Path, days: int, requests: int, seconds: float) -> None:
    """Let the days pass, then look at what is left."""
    role: TokenRole = "erase"
    with remanence.sync.open(file, embedder="none") as memory:
        secret = memory.token.add("all", scopes=["default"], role=role).secret
        memory.policy.use(POLICY)
        memory.settings.set("audit_days", AUDIT_DAYS)
    use = Soak(file, time.time(), days * DAY_S / seconds, days, requests, secret)
    use.begin()
    clients = [threading.Thread(target=use.live, args=(number,)) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for day in range(days):
        while use.sent < requests * (day + 1) // days and any(client.is_alive() for client in clients):
            time.sleep(0.05)
        use.spend_day(day)
    for client in clients:
        client.join()
    use.end(signal.SIGTERM)
    with remanence.sync.open(file, embedder="none") as memory:
        unsound = [one.detail for one in memory.doctor() if not one.ok]
    with closing(sqlite3.connect(file)) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM memories WHERE key IS NOT NULL")]
        (purged,) = connection.execute("SELECT count(*) FROM purged").fetchone()
    figure(
        "soak.answers",
        sum(use.answers.values()),
        "",
        **{str(code): count for code, count in use.answers.items()},
    )
    figure("soak.unsound", len(unsound), "", found=unsound)
    missing = len(use.acknowledged - set(keys)) - purged
    figure(
        "soak.acknowledged",
        len(use.acknowledged),
        "",
        missing=max(0, missing),
        purged=purged,
        twice=len(keys) - len(set(keys)),
    )


if __name__ == "__main__":
    main()
