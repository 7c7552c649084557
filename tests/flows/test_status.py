"""The scope in numbers is the sum of its memories."""

import remanence
from remanence.core.clock import ManualClock

POLICY = """
version = 1
name = "tiers"
[[rule]]
name = "down"
every = "deep"
phase = "tiers"
where = "tagged('old')"
do = "move"
to = "cold"
[[rule]]
name = "away"
every = "deep"
phase = "expire"
where = "tagged('gone')"
do = "archive"
"""


async def test_tokens_are_those_of_what_stands(memory: remanence.Engine, clock: ManualClock) -> None:
    """Per tier, in the inbox and active; what was archived or forgotten takes no room; an empty tier is not named."""
    for number in range(12):
        tags = ["old"] if number < 4 else ["gone"] if number == 4 else []
        await memory.learn(
            f"Barrel {number} holds tar{' and more of it' * number}.", tags=tags, key=str(number)
        )
    await memory.consolidate()
    clock.advance(days=1)
    await memory.curate(POLICY)
    await memory.forget("5")
    await memory.learn("What came last is in the inbox.", key="new")
    names = [*(str(number) for number in range(12) if number != 5), "new"]
    tokens = {name: (await memory.get(name)).tokens for name in names}
    cold, hot = [str(number) for number in range(4)], [*map(str, range(6, 12)), "new"]
    state = await memory.status()

    assert min(tokens.values()) > 0
    assert {"hot": sum(tokens[key] for key in hot), "cold": sum(tokens[key] for key in cold)} == state.tokens
