"""A rule with `top` and a `period` acts once in a while, on the first few, through the verbs that people call."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import PolicyError
from remanence.core.model import Status
from remanence.curate.planner.plan import Plan
from tests.flows.conftest import Opener

_RULES = {
    "archive": 'phase = "value"\ndo = "archive"\nwhere = "tagged(\'old\')"',
    "prune": 'phase = "value"\ndo = "prune"\nwhere = "tagged(\'old\')"',
    "demote": 'phase = "tiers"\ndo = "move"\nto = "cold"\nwhere = "tier != \'cold\'"',
    "stale": 'phase = "lifecycle"\ndo = "transition"\nto = "stale"\nwhere = "lifecycle == \'candidate\'"',
    "flag": 'phase = "shrink"\ndo = "flag"\nto = "seen"\nwhere = "not tagged(\'flag/seen\')"',
}
_COUNTED = {"archive": "archive", "prune": "prune", "demote": "move", "stale": "transition", "flag": "flag"}


def _policy(*names: str, period: str | None = "1 days", top: int = 1) -> str:
    last = f'period = "{period}"\n' if period else ""
    return 'version = 1\nname = "few"\n' + "".join(
        f'[[rule]]\nname = "{name}"\nevery = "deep"\n{_RULES[name]}\ntop = {top}\norder = "seq asc"\n{last}'
        for name in names
    )


async def _filled(memory: remanence.Engine, clock: ManualClock) -> None:
    await memory.learn([{"text": f"note number {k} of the harbour", "tags": ["old"]} for k in range(12)])
    await memory.consolidate()
    clock.advance(hours=2)


@pytest.mark.parametrize("name", sorted(_RULES))
async def test_the_first_is_taken_once_a_period(
    memory: remanence.Engine, clock: ManualClock, name: str
) -> None:
    """One the first time, none until the period is over, then one more, and each time the next."""
    await _filled(memory, clock)
    taken = []
    for hours in (0, 1, 22, 1, 24):
        clock.advance(hours=hours)
        receipt = await memory.curate(_policy(name))
        taken.append(receipt.counts.get(_COUNTED[name], 0))

    assert [1, 0, 0, 1, 1] == taken


async def _own(memory: remanence.Engine, plan: Plan) -> Plan:
    return plan


async def _from_a_file(memory: remanence.Engine, plan: Plan) -> Plan:
    return Plan.from_json(plan.to_json())


async def _after_a_change(memory: remanence.Engine, plan: Plan) -> Plan:
    await memory.learn("something new of the harbour")
    return plan


@pytest.mark.parametrize("how", [_own, _from_a_file, _after_a_change])
@pytest.mark.parametrize("name", sorted(_RULES))
async def test_a_rule_has_its_turn_however_its_plan_is_done(
    memory: remanence.Engine,
    clock: ManualClock,
    name: str,
    how: Callable[[remanence.Engine, Plan], Awaitable[Plan]],
) -> None:
    """As it was made, read from a file, or after something else has happened: one memory in a period."""
    await _filled(memory, clock)
    taken = []
    for _ in range(3):
        plan = await how(memory, await memory.plan(_policy(name, period="10 days")))
        taken.append((await memory.apply(plan)).counts.get(_COUNTED[name], 0))
        clock.advance(hours=1)

    assert [1, 0, 0] == taken


async def test_a_rule_whose_flags_are_all_left_out_has_its_turn_again(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """What is done of the plan beside it is no turn of this rule."""
    await _filled(memory, clock)
    policy = _policy("flag", "demote", period="10 days").replace(
        "tier != 'cold'", "tier != 'cold' and seq > 3"
    )
    plan = await memory.plan(policy)
    await memory.apply(replace(plan, tags={}, by_rule=tuple(it for it in plan.by_rule if it[0] != "flag")))
    receipt = await memory.apply(await memory.plan(policy))

    assert {"flag": 1} == receipt.counts


@pytest.mark.parametrize("name", sorted(_RULES))
async def test_without_a_period_it_is_refused(memory: remanence.Engine, name: str) -> None:
    """Round after round it would take one after the other, so that the policy does not load."""
    with pytest.raises(PolicyError, match="others each time"):
        await memory.plan(_policy(name, period=None))


async def test_a_rule_that_rests_says_so(memory: remanence.Engine, clock: ManualClock) -> None:
    """What is next in line is told that the rule rests, and until when."""
    await _filled(memory, clock)
    await memory.curate(_policy("archive"))

    told = str(await memory.explain(2, policy=_policy("archive")))

    assert "the rule rests until" in told
    assert "stays as it is" in told


async def test_a_rule_with_a_period_comes_last(memory: remanence.Engine, clock: ManualClock) -> None:
    """It fires when all others have come to rest: what they take away it does not take as well."""
    await _filled(memory, clock)
    for seq in (1, 2, 3):
        await memory.tag(seq, "soon")
    soon = '[[rule]]\nname = "soon"\nevery = "deep"\nphase = "budgets"\ndo = "archive"\nwhere = "tagged(\'soon\')"\n'

    await memory.curate(_policy("archive") + soon)

    statuses = [(await memory.get(seq)).status for seq in range(1, 6)]
    assert [Status.ARCHIVED] * 4 + [Status.ACTIVE] == statuses


async def test_undone_it_may_not_fire_again_at_once(memory: remanence.Engine, clock: ManualClock) -> None:
    """Undoing its run gives the memory back; its period goes on, so that it is not taken again at once."""
    await _filled(memory, clock)
    receipt = await memory.curate(_policy("archive"))
    await memory.undo(receipt)

    again = await memory.curate(_policy("archive"))

    assert (0, Status.ACTIVE) == (again.changes, (await memory.get(1)).status)


async def test_what_waits_for_the_brake_has_not_had_its_turn(opener: Opener, clock: ManualClock) -> None:
    """A rule all of whose memories the brake defers has not fired, and does so the next day."""
    soon = '[[rule]]\nname = "soon"\nevery = "deep"\nphase = "expire"\ndo = "prune"\nwhere = "tagged(\'soon\')"\n'
    policy = _policy("prune", period="90 days").replace("version = 1", 'version = 1\ninterval = "1 hours"')
    async with opener(policy=policy + soon) as memory:
        await _filled(memory, clock)
        for seq in range(1, 11):
            await memory.tag(seq, "soon")
        await memory.learn([{"text": f"what I am, part {k}", "category": "identity"} for k in range(60)])
        await memory.consolidate()
        pruned = []
        for _ in range(3):
            async with memory.session():
                pass
            pruned.append((await memory.status()).statuses.get("pruned", 0))
            clock.advance(hours=25)

    assert [10, 11, 11] == pruned


async def test_what_is_cut_and_purged_in_one_run_is_purged(memory: remanence.Engine) -> None:
    """A link goes with its memory: a run that cuts it and purges an end only purges, and can be taken back."""
    await memory.learn([{"text": "the copper lamp", "tags": ["old"]}, {"text": "the harbour at night"}])
    await memory.consolidate()
    await memory.link(1, 2, "supports")
    rules = {
        "lonely": 'phase = "lifecycle"\ndo = "prune"\nwhere = "degree == 0 and tagged(\'old\')"',
        "gone": 'phase = "purge"\ndo = "purge"\nwhere = "True"',
        "cut": 'phase = "links"\ndo = "unlink"\nover = "links"\nwhere = "True"',
    }
    policy = 'version = 1\nname = "few"\n' + "".join(
        f'[[rule]]\nname = "{name}"\nevery = "deep"\n{rule}\n' for name, rule in rules.items()
    )

    before = await memory.links(1)
    receipt = await memory.apply(await memory.plan(policy), allow_destroyed=1)

    assert ({"purge": 1}, ()) == (receipt.counts, receipt.skipped)
    await memory.undo(receipt)
    assert before == await memory.links(1)
