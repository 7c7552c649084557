"""Adapters that lie, hang, print, fork, write elsewhere and more: a variant each."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from lifebench.adapter import Adapter


class Memory(Adapter):
    """Texts in a list, and one bad habit."""

    def open(self, folder: str) -> None:
        self._texts: list[str] = []

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._texts.append(text)
        habit = getattr(self, f"_{self.variant}", None)
        if habit is not None:
            habit()

    def rows(self, question: str, limit: int, scope: str) -> Any:
        answers = {"says_nothing": None, "says_number": 7, "says_object": object(), "echoes": [question]}
        return answers.get(self.variant, self._texts[:limit])

    def prompt(self, question: str, tokens: int, scope: str) -> Any:
        rows = self.rows(question, 10, scope)
        return "\n".join(rows) if isinstance(rows, list) else rows

    def _hangs(self) -> None:
        time.sleep(600)

    def _prints(self) -> None:
        print('{"number": 1, "is": "result", "result": "nonsense"}' * 100_000, flush=True)
        os.write(2, b"x" * 1_000_000)

    def _closes_output(self) -> None:
        os.close(1) if len(self._texts) == 1 else None

    def _exits(self) -> None:
        sys.exit(3)

    def _ends(self) -> None:
        os._exit(0)

    def _forks(self) -> None:
        os.fork()

    def _leaves_children(self) -> None:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)

    def _works_in_child(self) -> None:
        done, tell = os.pipe()
        if os.fork() == 0:
            while time.process_time() < 0.3:
                pass
            os.write(tell, b"!")
            time.sleep(600)
        os.read(done, 1)

    def _writes_elsewhere(self) -> None:
        Path.home().joinpath("notes.txt").write_text("mine")

    def _fills_disk(self) -> None:
        with Path("/dev/full").open("w") as file:
            file.write("x")
