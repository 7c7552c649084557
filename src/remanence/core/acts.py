"""Which actions of a plan the changes that carry it out are: asked where a run is counted, shown and taken back.

Knows changes and the table of effects; knows nothing of plans, rules or stores.
"""

from collections.abc import Iterable, Iterator

from remanence.core.change import Change, Entry
from remanence.core.effects import (
    ACTIONS,
    FORMS,
    IMPROVE,
    PURGE,
    SHRINK,
    SUMMARISE,
    TAKE_IN,
    TRANSITION_LIFECYCLE,
    UNLINK,
    Effect,
    is_flag,
)
from remanence.core.model import Form, Reason, Status
from remanence.core.score import CONFIDENCE

_BY_STATUS = {effect.sets["status"]: effect for effect in ACTIONS if "status" in effect.sets}
# What is superseded is so for one reason or another.
_BY_REASON = {effect.sets["reason"]: effect for effect in ACTIONS if effect.leads_to is Status.SUPERSEDED}
_BY_ROW = {effect.row: effect for effect in ACTIONS if effect.table == "tags"}
_BY_COLUMN = {
    effect.known_by: effect
    for effect in ACTIONS
    if effect.sets and "status" not in effect.sets and effect not in FORMS
}
# What is done wherever its column changes.
_PLAIN = tuple(
    effect
    for effect in ACTIONS
    if effect.phases and effect.known_by in _BY_COLUMN and not effect.targets and effect is not IMPROVE
)


def action_of(change: Change) -> Effect:
    """Tell which action of a plan a change carries out."""
    if change.table == "tags":
        tag = str(change.key[1]) if isinstance(change.key, tuple) else ""
        return _BY_ROW["goes" if change.after is None else "appears"] if is_flag(tag) else TAKE_IN
    if change.table in {"sources", "boxes", "traces"}:
        return TAKE_IN
    if change.table == "links":
        return UNLINK if change.after is None else TAKE_IN
    if change.after is None:
        return PURGE
    if "status" in change.after:
        status, reason = Status(change.after["status"]), change.after.get("reason")
        by_status = _BY_STATUS[status]
        # What deletes or archives may bear any reason: a rule says which.
        if status is not Status.SUPERSEDED or reason is None:
            return by_status
        return _BY_REASON.get(Reason(reason), by_status)
    if "form" in change.after and "tier" not in change.after:
        return form_act(change.after["form"])
    known = (effect for name, effect in _BY_COLUMN.items() if name in change.after and effect is not IMPROVE)
    return next(known, IMPROVE if _improves(change) else TAKE_IN)


def _improves(change: Change) -> bool:
    """Tell whether a change of a memory says how sure it is where nobody had; a survivor takes over what was said."""
    if change.after is None or "confidence" not in change.after:
        return False
    # A block says only that the column changes, and what merges stands in none.
    known = (change.before or {}).get("confidence"), change.after["confidence"]
    return known[0] is None and known[1] in {None, CONFIDENCE}


def form_act(form: int | None) -> Effect:
    """Return the action that leads to a form."""
    return SUMMARISE if form == Form.SUMMARY else SHRINK


def kinds_of(entry: Entry) -> Iterable[tuple[Change, int]]:
    """Yield a change for each action or actions that rows of an entry carry out, and how many rows do so."""
    return entry.kinds(("status", "reason", "lifecycle"))


def acts_of(change: Change) -> Iterator[str]:
    """Yield the names of all actions of a plan that a change carries out: a memory can be moved and reinforced."""
    main = action_of(change)
    if change.table != "memories" or change.after is None:
        yield main.name
        return
    if main.group == "status":
        yield main.name
    if change.after.get("lifecycle") in TRANSITION_LIFECYCLE.targets:
        yield TRANSITION_LIFECYCLE.name
    if "form" in change.after:
        yield form_act(change.after["form"]).name
    yield from (effect.name for effect in _PLAIN if effect.known_by in change.after)
    if _improves(change):
        yield IMPROVE.name
