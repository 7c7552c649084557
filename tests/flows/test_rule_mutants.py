"""Presets with one rule dropped, renamed or given another life time: the rule's own case notices each."""

import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.curate.policy.compiled import load
from tests.flows import test_autonomous, test_engram, test_janitor, test_mvs
from tests.flows.conftest import Measured
from tests.flows.stories import Case, Story, ends, happens

CASES = {
    "janitor": test_janitor.CASES,
    "mvs": [
        *test_mvs.CASES,
        *(case for case in test_janitor.CASES if case.rule in test_mvs.OVERRIDDEN),
    ],
    "autonomous": test_autonomous.CASES,
    "engram": test_engram.CASES,
}
MORE = [test_mvs.LATER, *test_engram.MORE]
ENDS = [*test_mvs.ENDS, *test_autonomous.ENDS, *test_engram.ENDS, *test_engram.SLOW_ENDS]
DURATION = re.compile(r"(?<![\w.])(days|hours)\((\d+)\)")
# What a value is held against; of the janitor's and mvs's rules, whose values are tried apart, none is changed.
THRESHOLD = re.compile(r"(?<=[<>] |>=|<=)\s?0\.\d+")
# The only numbers of a condition with which a case of a rule has nothing to do: up to when a veto holds, which is
# tried with a memory that is worth much.
VETO = re.compile(r" and not \(valued.*", re.DOTALL)


def mutants(preset: str, case: Case) -> Iterator[str]:
    """Yield what changes one rule: it is off, and each of its durations is a hundredth longer or shorter."""
    name = case.rule.partition("/")[0]
    (rule,) = [rule for rule in load(preset).rules if rule.name == name]
    yield "off = true"
    if case.rule != name:
        yield 'oversize = "keep"'
        return
    own, veto = rule.where, ""
    if found := VETO.search(rule.where):
        own, veto = rule.where[: found.start()], found[0]
    for found in DURATION.finditer(own):
        for times in (0.99, 1.01):
            other = f"{found[1]}({int(found[2]) * times:g})"
            where = f"{own[: found.start()]}{other}{own[found.end() :]}{veto}"
            yield f"where = '''{where}'''"
    for found in THRESHOLD.finditer(own) if preset == "engram" else ():
        for times in (0.99, 1.01):
            yield f"where = '''{own[: found.start()]} {float(found[0]) * times:g}{own[found.end() :]}'''"


async def noticed(folder: Path, policy: str, case: Case) -> bool:
    """Tell whether a case of a rule fails under a policy, or one that says how long it acts."""
    tried = [(happens, case)] + [(happens, one) for one in MORE if one.rule == case.rule]
    tried += [(ends, one) for one in ENDS if one.rule == case.rule]
    return any([await _fails(folder / str(number), policy, *one) for number, one in enumerate(tried)])


async def _fails(
    folder: Path, policy: str, seen: Callable[[Story, Case], Awaitable[bool]], case: Case
) -> bool:
    """Tell whether a case fails; a step that cannot be taken any more is a failure, too."""
    clock = ManualClock()
    folder.mkdir()
    async with remanence.open(folder / "memory.db", clock=clock, embedder=Measured()) as memory:
        try:
            return not await seen(Story(memory, clock, policy), case)
        except AssertionError:
            return True


@pytest.mark.deep
@pytest.mark.parametrize(
    ("preset", "case"),
    [(preset, case) for preset, cases in CASES.items() for case in cases],
    ids=[f"{preset}-{case.rule}" for preset, cases in CASES.items() for case in cases],
)
async def test_the_case_of_a_rule_notices_what_is_wrong_with_it(
    tmp_path: Path, preset: str, case: Case
) -> None:
    """Each mutant makes it red."""
    unnoticed = []
    for number, mutant in enumerate(mutants(preset, case)):
        (folder := tmp_path / str(number)).mkdir()
        name = case.rule.partition("/")[0]
        policy = f'version = 1\nextend = "{preset}"\n[[override]]\nname = "{name}"\n{mutant}\n'
        if not await noticed(folder, policy, case):
            unnoticed.append(mutant)

    assert [] == unnoticed
