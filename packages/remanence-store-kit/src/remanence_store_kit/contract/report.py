"""Which capabilities of a store hold: the rules of each are run, and told in a line.

Knows how the contract is run by pytest; knows no rule.
"""

import io
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from remanence.store.base import Store
from remanence.store.capabilities import CAPABILITIES, CORE, Capability, find_missing_verbs
from remanence_store_kit.contract import CONTRACTS

MakeStore = Callable[[], Store]
MakeOther = Callable[[Store], Store]
SUITE = Path(__file__).with_name("suite.py")
SETTINGS = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


@dataclass(frozen=True, slots=True)
class CapabilityReport:
    """Whether a capability of a store holds: which rules of it fail, of how many, or which verbs are missing."""

    name: str
    rules: int = 0
    failing: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    without: str = ""
    skipped: int = 0

    def __str__(self) -> str:
        if self.missing:
            end = f"; without it {self.without}" if self.without else ""
            return f"{self.name}: lacks {', '.join(self.missing)}{end}"
        if self.failing:
            return f"{self.name}: fails {len(self.failing)} of {self.rules}: {', '.join(self.failing)}"
        tail = f", {self.skipped} not asked" if self.skipped else ""
        return f"{self.name}: holds ({self.rules} rules{tail})"


@dataclass(frozen=True, slots=True)
class ContractReport:
    """What holds of a store, the core first; `output` is what pytest says of it."""

    capabilities: tuple[CapabilityReport, ...]
    output: str = ""

    @property
    def is_kept(self) -> bool:
        """True if no rule fails, and nothing of the core is missing."""
        core = self.capabilities[0]
        return not core.missing and not any(one.failing for one in self.capabilities)

    def __str__(self) -> str:
        return "\n".join(map(str, self.capabilities))


@dataclass
class ContractPlugin:
    """What pytest is given: the stores, and a note of how each rule ends."""

    make_store: MakeStore
    make_other: MakeOther | None
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)  # group → rule → how it ended

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        """Yield a new store, opened."""
        store = self.make_store()
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def second_store(self, store: Store) -> AsyncIterator[Store]:
        """Yield a second store on the same data, opened; the same one where nobody says how one is made."""
        if self.make_other is None:
            yield store
            return
        other = self.make_other(store)
        await other.open()
        yield other
        await other.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a rule ended: failed where any of its cases or its store did."""
        name = report.nodeid.rpartition("::")[2].partition("[")[0]
        group = next(group for group, contract in CONTRACTS.items() if hasattr(contract, name))
        ends = self.outcomes.setdefault(group, {})
        if report.failed or (report.outcome == "skipped" and ends.get(name) != "failed"):
            ends[name] = report.outcome
        ends.setdefault(name, report.outcome)


def report_contract(make_store: MakeStore, make_other: MakeOther | None = None) -> ContractReport:
    """Run the contract on stores that `make_store` makes, each new and empty, and tell what holds.

    `make_other` makes a second store on the data of the first, as another process would open it.
    """
    sample = make_store()
    missing = [verb for verb in CORE if not callable(getattr(sample, verb, None))]
    if missing:
        return ContractReport((CapabilityReport("core", missing=tuple(missing)),))
    plugin = ContractPlugin(make_store, make_other)
    output = _run_pytest(plugin)
    if not plugin.outcomes:
        raise RuntimeError(f"pytest ran no rule:\n{output}")
    lines = [_report_group("core", plugin)]
    lines += [_report_capability(sample, one, plugin) for one in CAPABILITIES]
    return ContractReport(tuple(lines), output)


def _run_pytest(plugin: ContractPlugin) -> str:
    """Run all rules away from the caller's own settings; return what pytest prints."""
    printed = io.StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(printed), redirect_stderr(printed):
        settings = Path(folder, "pytest.ini")
        settings.write_text(SETTINGS, encoding="utf-8")
        words = ["-c", os.fspath(settings), "--rootdir", folder, "-s", "-q", "-p", "no:cacheprovider"]
        pytest.main([*words, os.fspath(SUITE)], plugins=[plugin])
    return printed.getvalue()


def _report_capability(sample: Store, capability: Capability, plugin: ContractPlugin) -> CapabilityReport:
    if missing := find_missing_verbs(sample, capability):
        return CapabilityReport(capability.name, missing=tuple(missing), without=capability.without)
    return _report_group(capability.name, plugin)


def _report_group(name: str, plugin: ContractPlugin) -> CapabilityReport:
    ends = plugin.outcomes.get(name, {})
    by: dict[str, Sequence[str]] = {
        outcome: [rule for rule, end in ends.items() if end == outcome] for outcome in ("failed", "skipped")
    }
    skipped = len(by["skipped"])
    return CapabilityReport(name, len(ends) - skipped, tuple(by["failed"]), skipped=skipped)
