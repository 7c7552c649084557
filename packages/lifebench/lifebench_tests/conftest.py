"""What the tests of lifebench share: adapters of their own, and the command in this process."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lifebench.cases import Case, read
from lifebench.cli import main
from lifebench.runner import Sandbox

HERE = Path(__file__).parent
Run = Callable[..., dict[str, list[Case]]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a suite and returns its cases by unit."""

    def run_suite(adapter: str, suite: str, *more: str) -> dict[str, list[Case]]:
        results = tmp_path / f"results-{len(list(tmp_path.iterdir()))}"
        words = [
            "run",
            "--adapter",
            adapter,
            "--suite",
            suite,
            "--results",
            str(results),
            "--limit-s",
            "20",
            *more,
        ]
        assert 0 == main(words)
        (path,) = results.glob("*.jsonl")
        return read(path)[1]

    return run_suite


@pytest.fixture
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., Sandbox]]:
    """Return a function that starts a hostile adapter; its process is ended with the test."""
    sandboxes: list[Sandbox] = []

    def start_hostile(variant: str, limit_s: float = 20.0) -> Sandbox:
        import sys

        sandboxes.append(Sandbox(HERE / "hostile.py", variant, sys.executable, limit_s))
        return sandboxes[-1]

    yield start_hostile
    for sandbox in sandboxes:
        sandbox.__exit__(None, None, None)
