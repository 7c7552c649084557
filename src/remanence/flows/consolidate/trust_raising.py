"""What came in from a file is believed further once its owner ingests it again with a higher trust, or is masked less.

Knows what came in and under which key; must not know files.
"""

from collections.abc import Mapping, Sequence

from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.model import Memory, Status, Trust, Turn
from remanence.core.receipt import Receipt
from remanence.edit.one_memory import merge_changes, update
from remanence.flows.base.context import Core
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.edit.editing import accept, make_edit_changes
from remanence.flows.write import gating
from remanence.write.renewals import is_as_it_came
from remanence.write.roles import compute_trust


async def raise_trust(core: Core, raised: Mapping[int, Turn], door: Trust) -> list[Receipt]:
    """Believe memories as far as the door lets them, and let them out of quarantine where that is enough.

    What somebody changed since stays as it is; the rest gets back what was replaced for want of trust or of a setting,
    as its turn says it.
    """
    receipts: list[Receipt] = []
    for begin in range(0, len(raised), SEVERAL_MAX):
        memories = await core.store.get(core.scope, [*raised][begin : begin + SEVERAL_MAX])
        lower = [one for one in memories if one is not None and is_as_it_came(one)]
        receipts += await _raise_some(core, lower, raised, door) if lower else []
    return receipts


async def _raise_some(
    core: Core, lower: Sequence[Memory], turns: Mapping[int, Turn], door: Trust
) -> list[Receipt]:
    async def decide(memory: Memory) -> Sequence[Change]:
        if not is_as_it_came(memory):
            return ()
        trust = max(memory.trust, compute_trust(door, memory.role))
        changes = update(memory, {"trust": trust}) if trust > memory.trust else []
        text = gating.screen_turn(core, turns[memory.seq], trust)[0].text
        if text == memory.text or memory.holds:
            return changes
        edits = await make_edit_changes(core, memory, VERBS["update"], {"text": text})
        return merge_changes([*map(_keep_age, edits), *changes])

    receipts = [await core.change([one.seq for one in lower], "update", decide)]
    free = [
        one.seq
        for one in lower
        if "release" not in core.denials
        and one.status is Status.QUARANTINED
        and compute_trust(door, one.role) >= Trust.AGENT
    ]
    return [*receipts, await accept(core, free)] if free else receipts


def _keep_age(change: Change) -> Change:
    """Let a text be as old as it was: it is what was said then, not what somebody says now."""
    sides = [
        side if side is None else {name: value for name, value in side.items() if name != "text_at"}
        for side in (change.before, change.after)
    ]
    return Change(change.table, change.key, *sides)
