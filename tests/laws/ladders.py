"""The law of ladders: a budget does the milder thing first, and the graver only where that is not enough."""

from collections.abc import Sequence
from math import log

from remanence.core.model import Form, Memory, Status
from remanence_store_kit.policies import PolicyTables
from remanence_store_kit.worlds import World
from tests.laws.lab import lab
from tests.laws.laws import memories, protected


async def a_ladder_does_the_milder_thing_first(world: World, rules: PolicyTables, pick: int) -> None:
    """It condenses what is worth least until its budget holds, archives only where that is not enough, and says why."""
    words = (0, 4, 12, 40, 90)[pick % 5]
    rule = {
        "name": "b",
        "every": "rapid",
        "phase": "budgets",
        "where": "True",
        "order": "used_value / (shown_words + 5) desc",
        "keep": {"words": words},
        "ladder": ["shrink", "archive"],
    }
    async with lab(world) as it:
        before = await memories(it)
        plan = await it.plan(PolicyTables((), (rule,)))
        await it.apply(plan)
        after = await memories(it)
        there = [memory for memory in before.values() if memory.status <= Status.ACTIVE]
        whole = [memory for memory in there if protected(memory)]
        left = sum(
            shown_words(after[memory.seq]) for memory in there if after[memory.seq].status <= Status.ACTIVE
        )
        least = sum(shown_words(memory) if memory in whole else shortest(memory) for memory in there)
        archived = [memory for memory in there if after[memory.seq].status is Status.ARCHIVED]
        condensed = [memory for memory in there if after[memory.seq].form is not memory.form]

        if sum(map(shown_words, there)) <= words:
            assert (0, 0) == (len(archived), len(condensed))
        elif least <= words:
            assert [] == archived
            assert left <= words
            assert _last_of([memory for memory in there if memory not in whole], condensed)
        assert left <= words or any("protected alone exceeds" in note for note in plan.notes)
        assert [] == [memory for memory in archived if protected(memory)]
        assert [] == [memory for memory in condensed if memory in whole]
        assert {memory.text for memory in before.values()} == {memory.text for memory in after.values()}


def shown_words(memory: Memory) -> int:
    """How long what is shown of a memory is."""
    return memory.words if memory.form is Form.FULL else memory.short_words


def shortest(memory: Memory) -> int:
    """How long it would be, condensed."""
    return min(shown_words(memory), memory.short_words)


def _last_of(there: Sequence[Memory], condensed: Sequence[Memory]) -> bool:
    """Tell whether all that could be condensed and comes behind the first that was, was condensed too."""

    def place(memory: Memory) -> tuple[float, int]:
        used = 0.3 * log(1 + memory.uses) + 3 * log(1 + memory.confirmations)
        return ((memory.value or 0.0) * (1 + used) / (shown_words(memory) + 5), memory.seq)

    could = [memory for memory in there if shortest(memory) < shown_words(memory)]
    best = max(map(place, condensed), default=(-1.0, 0))
    return all(memory in condensed for memory in could if place(memory) <= best)
