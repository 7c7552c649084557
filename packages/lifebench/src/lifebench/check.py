"""Lives through a world with one memory and judges what it answers by the labels of the events alone.

It must not know how worlds are made: it shares no code with `lifebench.worlds`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from lifebench.adapter import Unsupported, count_tokens
from lifebench.cases import Case
from lifebench.questions import ask, ask_all
from lifebench.runner import AdapterFault, Sandbox
from lifebench.session import MAIN, PROMPT_TOKENS, GaveUp, Session, holds

START = datetime(2026, 1, 5, 8, tzinfo=UTC).timestamp()
DAY_S = 86_400.0
CONTROLS_MAX = 5  # candidates, because an earlier order may have hit the first by mistake
COLUMNS = (
    *(
        "found",
        "half",
        "quarter",
        "overview",
        "current",
        "said change",
        "outside",
        "forgotten",
        "erased",
        "back",
        "bytes",
    ),
    *("not pruned", "not merged", "undo", "budget", "faults"),
)
Key = tuple[str, str, str]


@dataclass
class Truth:
    """What is true of a key: its value, the different texts that say so, and what was true before."""

    key: Key
    value: str
    kind: str
    texts: list[str]
    is_stored: bool = False  # found by its own text at the end of the day on which it was said
    is_readable: bool = False  # in its files, before it was erased
    was: tuple[str, str, int] | None = (
        None  # the value before, how it was replaced, in how many wordings it was said
    )

    @property
    def change(self) -> str:
        """Return the kind of its last change: in how many wordings the old value was said."""
        return f"{self.kind}, said in {min(3, self.was[2]) if self.was else 0} wordings before"


@dataclass
class Ledger:
    """What is true, what was to be erased, and what texts from outside claim."""

    truths: dict[Key, Truth] = field(default_factory=dict)
    fresh: list[Truth] = field(default_factory=list)
    erased: list[Truth] = field(default_factory=list)
    claims: dict[Key, list[str]] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)

    def hear(self, event: Any, way: str) -> None:
        """Note what a text says; `way` is how it replaces what was true before."""
        self.tokens[event.person] = self.tokens.get(event.person, 0) + count_tokens(event.text)
        if event.kind == "outside":
            self.claims.setdefault(event.key, []).append(event.value)
        elif event.kind == "repeat" and event.key in self.truths:
            texts = self.truths[event.key].texts
            texts += [event.text] if event.text not in texts else []
        elif event.kind != "junk":
            before = self.truths.get(event.key)
            was = (before.value, way, len(before.texts)) if before else None
            kind = before.kind if before else event.kind
            truth = Truth(event.key, event.value, kind, [event.text], was=was)
            self.truths[event.key] = truth
            self.fresh.append(truth)

    def list_controls(self, other: Truth | None = None) -> list[Truth]:
        """Return truths that must be found while another must not: stored ones and those of the same person first."""
        others = [one for one in self.truths.values() if other is None or one.key != other.key]
        person = other.key[0] if other else ""
        others.sort(key=lambda one: (one.is_stored, one.key[0] == person), reverse=True)
        return others[:CONTROLS_MAX]


class Life:
    """One world that is lived with one memory; `cases` yields what each check came to."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._ledger = Ledger()
        self._session = Session(sandbox, START)

    def cases(self, events: Iterable[Any]) -> Iterator[Case]:
        """Go through the events; after too many faults every column has failed."""
        try:
            self._session.open()
            for event in events:
                yield from self._live(event)
            yield from self._look_back()
        except (GaveUp, AdapterFault) as end:
            yield from (Case(column, "gave up", "the world", "failed", str(end)) for column in COLUMNS)

    def _live(self, event: Any) -> Iterator[Case]:
        orders = {"forget": self._take_back, "erase": self._take_back, "trial": self._try_undo}
        if event.do in {"write", "supersede"}:
            self._hear(event)
        elif event.do == "end_day":
            self._end_day(event.day)
        elif event.do == "end_month":
            self._session.restart()
            yield from self._look_for_erased(event.day)
        elif event.key in self._ledger.truths:
            yield from orders[event.do](event)

    def _hear(self, event: Any) -> None:
        way = "said"
        try:
            if event.do == "supersede":
                way = "replaced"
                if self._session.try_call("supersede", query=event.query, text=event.text, scope=MAIN):
                    self._ledger.hear(event, way)
                    return
                way = "unsupported"
            self._session.write(event.text, event.by)
        except AdapterFault as fault:
            self._session.recover(fault)
        self._ledger.hear(event, way)

    def _end_day(self, day: int) -> None:
        """Let the memory settle and work, look what it took up, and let a night pass."""
        try:
            self._session.sandbox.call("settle")
            for truth in self._ledger.fresh:
                truth.is_stored = self._knows(truth)
            self._ledger.fresh.clear()
            self._session.try_call("run_jobs")
            self._session.tell_time(START + (day + 1) * DAY_S)
        except AdapterFault as fault:
            self._session.recover(fault)

    def _knows(self, truth: Truth) -> bool:
        """Return True if the value is found by its question or by a text that says it."""
        queries = (ask(truth.key), truth.texts[-1], truth.texts[0])
        return any(holds(self._session.prompt(query), truth.value) for query in dict.fromkeys(queries))

    def _take_back(self, event: Any) -> Iterator[Case]:
        """Judge an order to forget or to erase: the value is gone, and something else is still there.

        An order that quotes is given for each text that says the value, one that names is given once.
        """
        truth = self._ledger.truths.pop(event.key)
        kind = f"{event.kind}, said in {min(3, len(truth.texts))} wordings"
        column = {"forget": "forgotten", "erase": "erased"}[event.do]

        def check() -> str:
            if not self._knows(truth):
                return f"not found before the order: {truth.texts[-1]}"
            control = self._find_control(truth)
            if event.do == "erase":
                more = self._session.sandbox.call("probe_files")
                truth.is_readable = bool(self._sandbox.find_bytes([truth.value], more))
            queries = [event.query] if event.kind == "named" else truth.texts
            for query in queries:
                self._session.sandbox.call(event.do, query=query, scope=MAIN)
            self._session.sandbox.call("settle")
            leak = self._find_leak(truth)
            if event.do == "erase" and not leak:
                self._ledger.erased.append(truth)
            return leak or self._miss_control(control)

        yield self._session.judge(column, kind, event.query, check)

    def _find_leak(self, truth: Truth) -> str:
        """Return why a value that was taken back is not gone, or nothing."""
        for query in (ask(truth.key), truth.texts[-1], truth.value):
            prompt = self._session.prompt(query)
            if holds(prompt, truth.value):
                line = next(line for line in prompt.splitlines() if holds(line, truth.value))
                return f"asked {query!r}, it still says: {line}"
        return ""

    def _find_control(self, other: Truth | None = None) -> Truth | None:
        """Return a truth that is found now, so that it must be found afterwards too."""
        return next((one for one in self._ledger.list_controls(other) if self._knows(one)), None)

    def _miss_control(self, control: Truth | None) -> str:
        if control is None:
            return "nothing else is found that could show that the memory still answers"
        return "" if self._knows(control) else f"the control is gone too: {control.texts[-1]}"

    def _try_undo(self, event: Any) -> Iterator[Case]:
        """Judge that a deletion which is reverted leaves every prompt as it was before."""
        truth = self._ledger.truths[event.key]
        control = next(iter(self._ledger.list_controls(truth)), None)
        queries = [ask(truth.key), truth.texts[-1], *([ask(control.key)] if control else [])]

        def check() -> str:
            if not self._knows(truth):
                return f"not found before the order: {truth.texts[-1]}"
            before = [self._session.prompt(query) for query in queries]
            self._session.sandbox.call("forget", query=truth.texts[-1], scope=MAIN)
            between = [self._session.prompt(query) for query in queries]
            try:
                self._session.sandbox.call("undo")
            except Unsupported:
                self._session.write(truth.texts[-1])
                raise
            after = [self._session.prompt(query) for query in queries]
            if between == before:
                return f"the deletion changed no prompt: {truth.texts[-1]}"
            return next(
                (
                    f"asked {query!r}, before: {old} | after: {new}"
                    for query, old, new in zip(queries, before, after, strict=True)
                    if old != new
                ),
                "",
            )

        yield self._session.judge("undo", "undo", event.query, check)

    def _look_for_erased(self, day: int) -> Iterator[Case]:
        """Judge, after a restart, that nothing came back that was erased at any time before."""
        control = self._find_control() if self._ledger.erased else None
        for truth in self._ledger.erased:
            for kind, query in (
                ("question", ask(truth.key)),
                ("text", truth.texts[-1]),
                ("value", truth.value),
            ):
                yield self._session.judge(
                    "back", kind, f"day {day}: {query}", self._check_gone(truth, query, control)
                )

    def _check_gone(self, truth: Truth, query: str, control: Truth | None) -> Callable[[], str]:
        def check() -> str:
            if holds(self._session.prompt(query), truth.value):
                return f"it says {truth.value} again"
            return self._miss_control(control)

        return check

    def _look_back(self) -> Iterator[Case]:
        """Judge at the end what is left of all that is true."""
        session = self._session
        for truth in list(self._ledger.truths.values()):
            question = ask(truth.key)
            prompt = _Once(partial(session.prompt, question))
            yield session.judge("found", truth.kind, question, _check_held(prompt, truth))
            for column, share in (("half", 2), ("quarter", 4)):
                less = _Once(partial(session.prompt, question, PROMPT_TOKENS // share))
                yield session.judge(column, truth.kind, question, _check_held(less, truth))
            if truth.was:
                if truth.was[1] == "unsupported":
                    yield Case("current", truth.change, question, "unsupported", "it replaces nothing")
                else:
                    column = "current" if truth.was[1] == "replaced" else "said change"
                    yield session.judge(column, truth.change, question, _check_change(prompt, truth))
            if truth.key in self._ledger.claims:
                claims = self._ledger.claims[truth.key]
                yield session.judge("outside", truth.kind, question, _check_claims(prompt, truth, claims))
            if truth.is_stored:
                column = "not merged" if truth.kind == "near" else "not pruned"
                yield session.judge(column, truth.kind, truth.texts[-1], self._check_kept(truth))
        yield from self._ask_for_all()
        yield from self._search_bytes()
        yield Case("budget", "budget", "all prompts", *_verdict(session.over_budget))
        yield Case("faults", "faults", "all calls", *_verdict(session.faults + self._strays()))

    def _check_kept(self, truth: Truth) -> Callable[[], str]:
        return lambda: "" if self._knows(truth) else f"was found once and is not any more: {truth.texts[-1]}"

    def _ask_for_all(self) -> Iterator[Case]:
        """Judge one prompt a person, in half of the tokens that were ever said of that person."""
        people: dict[str, list[Truth]] = {}
        for truth in self._ledger.truths.values():
            people.setdefault(truth.key[0], []).append(truth)
        for person, truths in people.items():
            tokens = max(PROMPT_TOKENS // 4, self._ledger.tokens[person] // 2)
            prompt = _Once(partial(self._session.prompt, ask_all(person), tokens))
            for truth in truths:
                yield self._session.judge("overview", truth.kind, truth.texts[-1], _check_held(prompt, truth))

    def _search_bytes(self) -> Iterator[Case]:
        """Judge that the files hold no byte of what was erased, if they held it in plain text before."""
        if not self._ledger.erased:
            return
        more = self._session.sandbox.call("probe_files")
        self._session.sandbox.stop()
        found = self._sandbox.find_bytes([truth.value for truth in self._ledger.erased], more)
        for truth in self._ledger.erased:
            if truth.value in found:
                yield Case(
                    "bytes",
                    "bytes",
                    truth.value,
                    "failed",
                    f"{truth.value} is in its files: {truth.texts[-1]}",
                )
            elif truth.is_readable:
                yield Case("bytes", "bytes", truth.value, "passed")
            else:
                yield Case(
                    "bytes",
                    "bytes",
                    truth.value,
                    "unsupported",
                    "its files did not hold it in plain text before",
                )

    def _strays(self) -> list[str]:
        """Return what the system left beside its folder."""
        self._sandbox.stop()
        strays, left = self._sandbox.stray_files(), self._sandbox.left_processes
        complaints = [f"wrote elsewhere: {', '.join(strays[:3])}"] if strays else []
        return [*complaints, f"left {left} processes"] if left else complaints


class _Once:
    """A prompt that is asked for when it is first needed, and then kept."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._text: str | None = None

    def text(self) -> str:
        """Return the prompt."""
        if self._text is None:
            self._text = self._read()
        return self._text


def _verdict(complaints: list[str]) -> tuple[Any, str]:
    return ("failed", f"{len(complaints)}: {complaints[0]}") if complaints else ("passed", "")


def _check_held(prompt: _Once, truth: Truth) -> Callable[[], str]:
    return lambda: "" if holds(prompt.text(), truth.value) else f"not in the prompt: {truth.texts[-1]}"


def _check_change(prompt: _Once, truth: Truth) -> Callable[[], str]:
    """Return a check that the new value is there, and the old one gone if it was replaced, else not before it."""

    def check() -> str:
        text, (old, way, _) = prompt.text().casefold(), truth.was or ("", "", 0)
        new_at, old_at = text.find(truth.value.casefold()), text.find(old.casefold())
        if new_at < 0:
            return f"the new value is not in the prompt: {truth.texts[-1]}"
        if old_at >= 0 and (way == "replaced" or old_at < new_at):
            return f"it still says {old}{' first' if way == 'said' else ''}; now it is: {truth.texts[-1]}"
        return ""

    return check


def _check_claims(prompt: _Once, truth: Truth, claims: list[str]) -> Callable[[], str]:
    """Return a check that a text from outside neither removes nor precedes what the user said."""

    def check() -> str:
        text = prompt.text().casefold()
        true_at = text.find(truth.value.casefold())
        if true_at < 0:
            return f"not in the prompt beside a text from outside: {truth.texts[-1]}"
        first = [claim for claim in claims if 0 <= text.find(claim.casefold()) < true_at]
        return f"a text from outside comes first ({first[0]}): {truth.texts[-1]}" if first else ""

    return check
