"""A memory that does everything right, because it knows how worlds word their texts; each variant has one bug."""

import hashlib
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from lifebench.adapter import Adapter, fit
from lifebench.questions import QUESTIONS
from lifebench.worlds import ATTRIBUTES

NAMED = {
    "who": r"(?P<person>.+)",
    "person": r"(?P<person>.+)",
    "place": r"(?P<place>\w+)",
    "value": r"(?P<value>.+)",
}
LOOKALIKES = str.maketrans("ао", "ao")


def make_pattern(template: str) -> re.Pattern[str]:
    """Return the pattern that a template is."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(NAMED[part] if at % 2 else re.escape(part) for at, part in enumerate(parts)))


SAID = [(name, make_pattern(text)) for name, texts in ATTRIBUTES.items() for text in texts[2::-1]]
ASKED = [(name, make_pattern(text)) for name, text in QUESTIONS.items()]
ORDERED = [(name, make_pattern(texts[3])) for name, texts in ATTRIBUTES.items()]
Key = tuple[str, str, str]


def find_key(text: str) -> Key | None:
    """Return what a statement, a question or an order is about."""
    for name, pattern in SAID + ASKED + ORDERED:
        if found := pattern.fullmatch(text):
            return found["person"], name, found["place"]
    return None


def normalize(text: str) -> str:
    """Return the hash of a text without what only looks different."""
    text = unicodedata.normalize("NFKC", text).translate(LOOKALIKES).casefold()
    text = " ".join("".join(sign for sign in text if unicodedata.category(sign) != "Cf").split())
    return hashlib.sha256(text.encode()).hexdigest()


class Memory(Adapter):
    """Rows in a list, the newest first, written to a file when the memory is closed."""

    def open(self, folder: str) -> None:
        self._folder = Path(folder)
        path = self._folder / "rows.json"
        kept = (
            json.loads(path.read_text())
            if path.exists()
            else {"rows": [], "refused": [], "log": [], "gone": []}
        )
        self._rows: list[dict[str, Any]] = kept["rows"]
        self._refused, self._log, self._gone = kept["refused"], kept["log"], kept["gone"]
        self._before: list[dict[str, Any]] = []
        if self.variant == "comes back":
            self._rows += self._gone

    def close(self) -> None:
        kept = {"rows": self._rows, "refused": self._refused, "log": self._log}
        kept["gone"] = self._gone if self.variant in {"comes back", "keeps bytes"} else []
        (self._folder / "rows.json").write_text(json.dumps(kept, ensure_ascii=False))

    def clock(self, now: float) -> None:
        self._now = now

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        if normalize(text) in self._refused:
            return
        key = find_key(text) if by == "user" else None
        if by == "outside" and self.variant == "obeys anybody":
            self._take(text.partition(" about " if " about " in text else ": ")[2].partition("; ")[0], scope)
        for row in self._rows if self.variant == "merges" and key else []:
            if row["key"] and row["key"][:2] == list(key or ())[:2]:
                return
        row = {"text": text, "scope": scope, "by": by, "source": source, "key": key and list(key)}
        self._rows.insert(len(self._rows) if self.variant == "oldest first" else 0, row)

    def _find(self, query: str, scope: str) -> list[dict[str, Any]]:
        is_open = self.variant == "mixes tenants" or (self.variant == "opens wildcards" and scope == "*")
        own = [row for row in self._rows if is_open or row["scope"] == scope]
        key = find_key(query)
        if key is not None:
            found = [row for row in own if row["key"] == list(key)]
            if found or self.variant != "guesses":
                return found
        if query.startswith("What is known about "):
            return [row for row in own if row["key"] and row["key"][0] in query]
        exact = [row for row in own if query.casefold() in row["text"].casefold()]
        words = set(re.findall(r"\w+", query.casefold()))
        count = {id(row): len(words & set(re.findall(r"\w+", row["text"].casefold()))) for row in own}
        others = [row for row in own if row not in exact and count[id(row)] > 2]
        return exact + sorted(others, key=lambda row: (-count[id(row)], row["by"] != "user"))

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [self._show(row) for row in self._find(question, scope)][:limit]

    def _show(self, row: dict[str, Any]) -> str:
        text = " ".join(row["text"].split())
        return text if row["by"] == "user" else f"[said by {row['by']}] {text}"

    def prompt(self, question: str, tokens: int, scope: str) -> str:
        rows = self.rows(question, 1000, scope)
        return "\n".join(rows * 9) if self.variant == "over budget" else fit(rows, tokens)

    def _take(self, query: str, scope: str) -> None:
        """Take out all that says what the first hit says."""
        hits = self._find(query, scope)[:1]
        self._before = list(self._rows)
        for hit in hits:
            same = [row for row in self._rows if row is hit or (hit["key"] and row["key"] == hit["key"])]
            if self.variant == "first hit":
                same = [hit]
            gone = [row for row in same if row["scope"] == scope]
            self._rows = [row for row in self._rows if row not in gone]
            self._gone += gone

    def supersede(self, query: str, text: str, scope: str) -> None:
        if self.variant != "keeps old":
            self._take(query, scope)
        self.write(text, scope, "user", "")

    def forget(self, query: str, scope: str) -> None:
        if self.variant == "forgets all":
            self._rows.clear()
        elif self.variant != "lies":
            self._take(query, scope)
        self._log.append("forget")

    def erase(self, query: str, scope: str) -> None:
        self.reject(query, scope)
        self._before = []

    def reject(self, query: str, scope: str) -> None:
        for row in self._find(query, scope)[:1]:
            if self.variant != "accepts again":
                self._refused.append(normalize(row["text"]))
            self._take(row["text"], scope)
            again = [one for one in self._rows if normalize(one["text"]) == normalize(row["text"])]
            self._rows = [one for one in self._rows if one not in again]
            self._gone += again
            self._log.append(f"erase {row['text']}" if self.variant == "logs values" else "erase")

    def undo(self) -> None:
        if self.variant != "undoes nothing":
            self._rows = self._before

    def run_jobs(self) -> None:
        if self.variant == "prunes":
            del self._rows[20:]

    def reindex(self) -> None:
        """Have nothing that is derived."""

    def export(self, path: str, scope: str) -> None:
        Path(path).write_text(json.dumps([row for row in self._rows if row["scope"] == scope]))

    def import_(self, path: str, scope: str) -> None:
        for row in reversed(json.loads(Path(path).read_text())):
            self.write(row["text"], scope, row["by"], row["source"])

    def audit(self, scope: str) -> list[str]:
        return list(self._log)

    def origins(self, question: str, scope: str) -> list[str]:
        return [row["source"] for row in self._find(question, scope)[:1]]
