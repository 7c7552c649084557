"""Four systems that are no memories: each must fail by far in at least two columns, or the suite is wrong.

Variants: `everything` keeps all and deletes nothing, `newest` keeps the newest thirty texts, `amnesia` keeps nothing
after an order, `silence` answers nothing.
"""

import json
from pathlib import Path

from lifebench.adapter import Adapter

NEWEST = 30


class Memory(Adapter):
    """Texts in a list, written to a file when the memory is closed."""

    def open(self, folder: str) -> None:
        self._path = Path(folder) / "texts.json"
        self._texts: list[tuple[str, str]] = json.loads(self._path.read_text()) if self._path.exists() else []

    def close(self) -> None:
        self._path.write_text(json.dumps(self._texts, ensure_ascii=False))

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._texts.append((scope, text))
        if self.variant == "newest":
            del self._texts[:-NEWEST]

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        own = [] if self.variant == "silence" else [text for place, text in self._texts if place == scope]
        return own[::-1][:limit] if self.variant == "newest" else own[:limit]

    def forget(self, query: str, scope: str) -> None:
        if self.variant == "amnesia":
            self._texts.clear()

    erase = reject = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        self.forget(query, scope)
        self.write(text, scope, "user", "")

    def undo(self) -> None:
        """Say that all is as before."""

    def run_jobs(self) -> None:
        """Have nothing to do."""
