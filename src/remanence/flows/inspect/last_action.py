"""What a policy's last run that changed a memory did to it, as the audit tells."""

from collections.abc import Iterator

from remanence.core.acts import acts_of
from remanence.core.change import AuditPart, Increment
from remanence.core.effects import PLANNED
from remanence.core.results import minute_of
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import Core

UNDO = "undo"


async def last_action(core: Core, seq: int) -> str | None:
    """Return it as a line: what, when, by which rules and in which run; None where none did, or all were undone.

    Of a run that had several rules for one action the audit does not say which of them chose this memory; then it is
    one of those that are named.
    """
    done: dict[str, str] = {}
    undone: dict[str, tuple[str, str]] = {}
    async for part in iterate_audit_log(core, None, seq):
        run, undoes = part.cause.run, part.cause.detail.get("undoes", "")
        if part.cause.verb == UNDO and undoes in done:
            undone[run] = (undoes, done.pop(undoes))
        elif part.cause.verb == UNDO and undoes in undone:
            again, line = undone.pop(undoes)
            done[again] = line
        elif part.cause.verb in PLANNED and (acts := tuple(dict.fromkeys(_acts(part)))):
            done[run] = f"{', '.join(_by(part, act) for act in acts)} {minute_of(part.cause.at)} (run {run})"
    return next(reversed(done.values()), None)


def _acts(part: AuditPart) -> Iterator[str]:
    """Yield the actions of a part, without what only watched or counted a row."""
    for change in part.changes:
        values = (change.after or {"": None}).values()
        if change.before is None or not all(isinstance(value, Increment) for value in values):
            yield from acts_of(change)


def _by(part: AuditPart, act: str) -> str:
    """Name an action with the rules of the run that do it."""
    rules = [rule for action, rule, _ in part.cause.detail.get("rules", ()) if action == act]
    return f"{act} by {' or '.join(rules)}" if rules else act
