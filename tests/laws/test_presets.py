"""The laws of curation hold for every policy that ships, guards that read what rules change included."""

from dataclasses import replace

import pytest

from remanence.curate.policy.compiled import load
from remanence.curate.policy.document import presets
from remanence.testing.policies import Rules
from remanence.testing.worlds import World
from tests.laws.lab import Lab, lab, search

# Of system categories nothing ever changes.
STATES = {
    name: (None, *item.states) for name, item in load("janitor").categories.items() if not item.system
}  # fmt: skip
NAMES = sorted(STATES)


def recast(world: World, pick: int) -> World:
    """Give a world's memories the categories of the presets instead of their own, each with one of its states."""
    rows = []
    for number, row in enumerate(world.memories):
        states = STATES[name := NAMES[(7 * number + pick) % len(NAMES)]]
        rows.append({**row, "category": name, "state": states[(number + pick) % len(states)]})
    return replace(world, memories=tuple(rows))


async def curated(it: Lab, preset: str) -> int:
    """Curate with a preset, the brake lifted; return how much has changed."""
    plan = await it.engine.plan(preset)
    return (await it.engine.apply(plan, allow_destroyed=len(NAMES) ** 3)).changes


def settles(preset: str, examples: int) -> None:
    """Try in so many worlds whether a second run at the same instant, and each after it, plans nothing."""

    async def law(world: World, rules: Rules, pick: int) -> None:
        async with lab(recast(world, pick)) as it:
            await curated(it, preset)
            log = await it.engine.history()
            again = await it.engine.plan(preset)

            assert [] == list(again.changes())
            assert 0 == (await it.engine.apply(again)).changes
            assert log == await it.engine.history()

    search(law, under=Rules((), ()), max_examples=examples)


@pytest.mark.parametrize("preset", presets())
def test_a_second_run_of_a_preset_does_nothing(preset: str) -> None:
    """Law 6, with all of its guards: what a busy guard keeps in the first run is left alone by the second."""
    settles(preset, 20)


@pytest.mark.deep
@pytest.mark.parametrize("preset", presets())
def test_a_second_run_of_a_preset_does_nothing_in_2_000_worlds(preset: str) -> None:
    """The same deep."""
    settles(preset, 2_000)
