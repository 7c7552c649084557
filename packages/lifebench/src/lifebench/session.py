"""Asks one adapter on behalf of a suite: cuts prompts at their budget, judges, and goes on after a fault.

It knows no world and no case; a suite gives it functions that judge.
"""

from collections.abc import Callable
from typing import Any

from lifebench.adapter import Unsupported, count_tokens, cut
from lifebench.cases import Case
from lifebench.runner import AdapterFault, Sandbox

PROMPT_TOKENS = 160
OVER = 1.1  # a prompt that is longer than this share of its budget is over it: counters differ
FAULTS_MAX = 5
MAIN = "main"


class GaveUp(Exception):
    """The adapter had so many faults that asking on says nothing."""


class Session:
    """One memory that is asked, once it is opened; `now` is the time that it was told."""

    def __init__(self, sandbox: Sandbox, now: float) -> None:
        self.sandbox, self.now = sandbox, now
        self.faults: list[str] = []
        self.over_budget: list[str] = []

    def open(self) -> None:
        """Open the memory, in a new process if the last one ended."""
        self.tell_time(self.now)
        self.sandbox.call("open", folder=str(self.sandbox.root / "memory"))

    def restart(self) -> None:
        """Close the memory, end its process and open it again."""
        self.sandbox.stop()
        self.open()

    def tell_time(self, now: float) -> None:
        """Set the clock of a system that has one."""
        self.now = now
        self.try_call("clock", now=now)

    def try_call(self, name: str, **given: Any) -> bool:
        """Call what a system may lack; return whether it has it."""
        try:
            self.sandbox.call(name, **given)
        except Unsupported:
            return False
        return True

    def write(self, text: str, by: str = "user", source: str = "", scope: str = MAIN) -> None:
        """Store a text."""
        self.sandbox.call("write", text=text, scope=scope, by=by, source=source)

    def prompt(self, question: str, tokens: int = PROMPT_TOKENS, scope: str = MAIN) -> str:
        """Return the prompt for a question, cut at its budget."""
        text = self.sandbox.call("prompt", question=question, tokens=tokens, scope=scope)
        if not isinstance(text, str):
            raise AdapterFault(f"answered `prompt` with {type(text).__name__}")
        if count_tokens(text) <= tokens * OVER:
            return text
        self.over_budget.append(f"{count_tokens(text)} tokens of {tokens}: {question}")
        return cut(text, tokens)

    def rows(self, question: str, limit: int, scope: str = MAIN) -> list[str]:
        """Return the rows for a question."""
        rows = self.sandbox.call("rows", question=question, limit=limit, scope=scope)
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise AdapterFault("answered `rows` with something else than a list of texts")
        return rows

    def judge(self, column: str, kind: str, name: str, check: Callable[[], str]) -> Case:
        """Run a check, which returns why it fails, or nothing; a fault of the adapter fails it."""
        try:
            why = check()
        except Unsupported as missing:
            return Case(column, kind, name, "unsupported", str(missing))
        except AdapterFault as fault:
            self.recover(fault)
            why = str(fault)
        return Case(column, kind, name, "failed" if why else "passed", why)

    def recover(self, fault: AdapterFault) -> None:
        """Count a fault and start the adapter again if it ended."""
        self.faults.append(str(fault))
        if len(self.faults) > FAULTS_MAX:
            raise GaveUp(f"gave up after {len(self.faults)} faults; the first: {self.faults[0]}")
        try:
            self.restart()
        except AdapterFault as again:
            raise GaveUp(f"does not open again: {again}") from again


def holds(text: str, value: str) -> bool:
    """Return True if a value is in a text, in any case."""
    return value.casefold() in text.casefold()
