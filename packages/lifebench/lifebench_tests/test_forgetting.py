"""The deletion sequence and the acceptance tests: what passes them, and what each bug fails."""

import sys

import pytest

from lifebench.forgetting import ACCEPTANCE, COLUMNS, STEPS, Canary, list_steps, run_steps, run_test
from lifebench.runner import Sandbox

from .conftest import HERE, Run

ORACLE = str(HERE / "oracle.py")


def test_the_sequence_has_thirteen_steps_and_there_are_twenty_tests() -> None:
    """They are those that the atlas lists."""
    assert (13, 20, 33) == (len(STEPS), len(ACCEPTANCE), len(COLUMNS))


def test_a_right_memory_passes(run: Run) -> None:
    """All can be passed but the one that needs a model."""
    (cases,) = run(ORACLE, "forgetting").values()
    others = {case.column: case.verdict for case in cases if case.verdict != "passed"}

    assert list(COLUMNS[:10]) == [case.column for case in cases][:10]
    assert {"prompt.model_ignores_embedded_instructions": "unsupported"} == others


@pytest.mark.parametrize(
    ("bug", "column"),
    [
        ("accepts again", STEPS[5]),
        ("accepts again", "tombstone.laundering_sequence"),
        ("comes back", STEPS[7]),
        ("keeps bytes", STEPS[8]),
        ("logs values", STEPS[9]),
        ("keeps old", "correction.survives_reindex"),
        ("lies", "correction.retraction_without_replacement"),
        ("forgets all", "correction.retraction_without_replacement"),
        ("over budget", "retrieval.k_is_an_upper_bound"),
        ("mixes tenants", "scope.cross_tenant_absent"),
        ("mixes tenants", "scope.background_respects_boundary"),
        ("opens wildcards", "scope.caller_cannot_widen"),
    ],
)
def test_each_bug_fails_its_test(bug: str, column: str) -> None:
    """A memory with one bug fails the step or test that is there for it."""
    canary = Canary.draw(1)
    with Sandbox(HERE / "oracle.py", bug, sys.executable, 20.0) as sandbox:
        if column in ACCEPTANCE:
            cases = [run_test(sandbox, canary, column, ACCEPTANCE[column])]
        else:
            cases = list(run_steps(sandbox, canary, list_steps))

    assert column in {case.column for case in cases if case.verdict == "failed"}


def test_silence_passes_no_absence(run: Run) -> None:
    """What answers nothing passes nothing but its first step."""
    (cases,) = run("degenerate:silence", "forgetting").values()

    assert {STEPS[0]} == {case.column for case in cases if case.verdict == "passed"}
