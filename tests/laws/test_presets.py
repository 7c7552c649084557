"""The laws of curation hold for every policy that ships, guards that read what rules change included."""

import pytest

from remanence.curate.policy.document import PRESETS
from remanence_store_kit.policies import PolicyTables
from remanence_store_kit.worlds import World
from tests.laws.lab import Lab, lab, search
from tests.laws.recast import NAMES, recast


async def curated(it: Lab, preset: str) -> int:
    """Curate with a preset, the brake lifted; return how much has changed."""
    plan = await it.engine.plan(preset)
    return (await it.engine.apply(plan, allow_destroyed=len(NAMES) ** 3)).changes


def settles(preset: str, examples: int) -> None:
    """Try in so many worlds whether a second run at the same instant, and each after it, plans nothing."""

    async def law(world: World, rules: PolicyTables, pick: int) -> None:
        async with lab(recast(world, pick)) as it:
            await curated(it, preset)
            log = await it.engine.history()
            again = await it.engine.plan(preset)

            assert [] == list(again.changes())
            assert 0 == (await it.engine.apply(again)).changes
            assert log == await it.engine.history()

    search(law, under=PolicyTables((), ()), max_examples=examples)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_second_run_of_a_preset_does_nothing(preset: str) -> None:
    """Law 6, with all of its guards: what a busy guard keeps in the first run is left alone by the second."""
    settles(preset, 20)


@pytest.mark.deep
@pytest.mark.parametrize("preset", PRESETS)
def test_a_second_run_of_a_preset_does_nothing_in_2_000_worlds(preset: str) -> None:
    """The same deep."""
    settles(preset, 2_000)
