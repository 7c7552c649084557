"""What a result looks like: as lines for a person, or as one JSON document.

Knows the shape of every result; must not know how it came about.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from shlex import quote
from shutil import get_terminal_size
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from remanence.core import receipt, results
from remanence.core.clock import format_duration
from remanence.core.effects import CURATE, ways_back
from remanence.core.guide import Guide
from remanence.core.later import import_later
from remanence.core.model import (
    SHORT_ID_CHARS,
    Hit,
    Memory,
    RecallResult,
    Status,
    Trust,
    Verification,
    short_id,
)
from remanence.core.owner import PERSON
from remanence.core.receipt import Receipt
from remanence.core.results import (
    UNSURE,
    WEAK,
    Result,
    advise_longer,
    encode_json_value,
    is_time,
    kept_out,
    number,
)
from remanence.faces.style import Text, Undoable, local, said_time, write_lines
from remanence.text.analysis import visible

if TYPE_CHECKING:
    from remanence.core.model import LearnResult
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast.forecast_report import Forecast
    from remanence.curate.planner import plan_report
    from remanence.curate.planner.plan import Plan
    from remanence.curate.planner.plan_report import PlanDiff, PlanReport
    from remanence.flows.base.settings import Setting
    from remanence.flows.base.undo_data_expiry import ExpireResult
    from remanence.flows.consolidate.ingesting import IngestResult
    from remanence.flows.erase.erase_results import ErasedSinceReport, ErasePreview, Erasure
    from remanence.flows.inspect.inspect import Event, State
    from remanence.flows.inspect.related import RelatedResult
    from remanence.flows.inspect.review import Review
    from remanence.flows.inspect.run_report import RunReport
    from remanence.flows.scopes.dropping import DropPreview
    from remanence.flows.scopes.scopes import ScopeOverview
    from remanence.flows.write.noting import NoteResult
    from remanence.recall.frames import Frame
    from remanence.store.base import Check

import_later(globals())

Show = TypeVar("Show", bound=Callable[[Any], Iterator[Text]])

DEFAULT_SCOPE = "default"  # the one that a command means where none is named
SESSIONS_SHOWN = 20
DROPPED_SHOWN = 10  # of what was left out by name; --json has more
SKIPS_SHOWN = 5  # of what was left out for one reason; the rest is counted
TEXT_CHARS = 160  # of a memory in a list on a terminal; the whole text is one `get` away


def document(result: Any) -> str:
    """Return a result as JSON: enumerations by name, times in ISO 8601."""
    if isinstance(result, Undoable):
        result = {**encode_json_value(result.result), "back": result.back}
    return json.dumps(encode_json_value(result), ensure_ascii=False, indent=2)


def write(result: Any) -> None:
    """Print a result line by line; None prints nothing."""
    write_lines(() if result is None else lines(result))


def _find_undo_command(done: Any) -> str:
    """Return the command that takes back what was done; "" where nothing was."""
    runs = getattr(done, "runs", ()) or ([done.run] if getattr(done, "run", None) else [])
    if len(runs) > 1:
        return f"remanence undo RUN, for each of its {len(runs)} runs, the newest first; history lists them"
    scope = getattr(done, "scope", DEFAULT_SCOPE)
    where = "" if scope == DEFAULT_SCOPE else f" --scope {quote(scope)}"
    return f"remanence undo {runs[0]}{where}" if runs else ""


def _render_undo_hint(command: str, one: str = "") -> Iterator[Text]:
    """Say what to type to take something back, and by which verb a single memory of it."""
    if command:
        rest = f"; a single memory: {one}" if one else ""
        yield Text.assemble(("  take it back with: ", "dim"), (command, "command"), (rest, "dim"))


def is_well(result: Any) -> bool:
    """Tell whether a result is good news: checks are sound, nothing is missed, fails or waits, something was rated."""
    if _is_a(result, "State"):
        return not result.erased_since and (result.schedule is None or bool(result.schedule.is_well))
    if _is_a(result, "RateResult"):
        return bool(result.rated or not result.skipped)
    if _is_a(result, "JobsResult", "DaemonResult", "Erasure"):
        return bool(result.is_well)
    return all(check.ok for check in result if _is_a(check, "Check")) if isinstance(result, list) else True


def _is_a(result: Any, *kinds: str) -> bool:
    """Tell whether a result is of a class, which is not imported to tell."""
    return any(kind.__name__ in kinds for kind in type(result).__mro__)


def escape_line(text: str) -> str:
    """Return a text that can't steer a terminal, as one line."""
    return visible(" ".join(text.split()))


def shorten_line(text: str) -> str:
    """Return a text as one line, on a terminal cut to what fits a list; a pipe gets it whole."""
    flat = escape_line(text)
    whole = len(flat) <= TEXT_CHARS or not sys.stdout.isatty()
    return flat if whole else flat[: TEXT_CHARS - 1] + "…"


def _measure_width() -> int:
    return get_terminal_size().columns


def format_time(micros: int | None) -> str:
    """Write a time as people do, in the local zone with its offset."""
    return "never" if micros is None else local(micros)


def format_counts(counts: Mapping[str, int]) -> str:
    """Write counts in a line."""
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items()) or "nothing"


# How a result is shown, by the name of its class: who has a result has imported its class, and nobody else needs to.
_SHOWN: dict[str, Callable[[Any], Iterator[Text]]] = {}


def lines(result: Any) -> Iterator[Text]:
    """Yield a result line by line; what has no form of its own is shown as JSON."""
    for kind in type(result).__mro__:
        if kind.__name__ in _SHOWN:
            return _SHOWN[kind.__name__](result)
    return _render_mapping(result) if isinstance(result, Mapping) else _render_document(result)


def _render_document(result: Any) -> Iterator[Text]:
    yield Text(result if isinstance(result, str) else document(result))


def _register_show(*kinds: str) -> Callable[[Show], Show]:
    def register(show: Show) -> Show:
        for kind in kinds:
            _SHOWN[kind] = show
        return show

    return register


@_register_show("Result")
def _result(done: Result) -> Iterator[Text]:
    yield Text(str(done))
    yield from _render_undo_hint(_find_undo_command(done))


@_register_show("LearnResult", "NoteResult")
def _learn_result(done: LearnResult | NoteResult) -> Iterator[Text]:
    yield Text(str(done))
    yield from _render_undo_hint(_find_undo_command(done))


@_register_show("IngestResult")
def _ingest_result(done: IngestResult) -> Iterator[Text]:
    yield from (
        Text(line, "yellow" if line.startswith("  left out ") else "") for line in str(done).splitlines()
    )
    if done.dry_run:
        yield Text("  to import, repeat the command without --dry-run", "dim")
    elif done.stored:
        yield Text("  recall finds them already; to make them active: remanence consolidate", "dim")
    yield from _render_undo_hint(_find_undo_command(done))


@_register_show("Erasure", "ExpireResult")
def _final(done: Erasure | ExpireResult) -> Iterator[Text]:
    """Show what is not taken back."""
    yield from (Text(line) for line in str(done).splitlines())


@_register_show("ErasePreview", "ErasedSinceReport")
def _final_preview(shown: ErasePreview | ErasedSinceReport) -> Iterator[Text]:
    """Show what would not be taken back."""
    yield from (Text(line) for line in str(shown).splitlines())
    yield Text("  to erase, repeat the command with --yes", "dim")


@_register_show("DropPreview")
def _drop_preview(shown: DropPreview) -> Iterator[Text]:
    yield from (Text(line) for line in str(shown).splitlines())
    if len(shown) and not shown.held_count:
        allow = f" --allow-protected {shown.protected_count}" if shown.protected_count else ""
        yield Text(f"  to drop it, repeat the command with --yes{allow}", "dim")


@_register_show("Undoable")
def _undoable(done: Undoable) -> Iterator[Text]:
    yield from lines(done.result)
    yield from _render_undo_hint(done.back)


def _render_mapping(result: Mapping[Any, Any]) -> Iterator[Text]:
    for name, value in result.items():
        yield Text.assemble((f"{name:<8}", "dim"), f" {escape_line(str(value))}")


@_register_show("Fields")
def _show_fields(row: Mapping[str, Any]) -> Iterator[Text]:
    words = (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in row.values()
    )
    yield Text("\t".join(map(escape_line, words)))


@_register_show("list", "tuple")
def _render_sequence(results: Sequence[Any]) -> Iterator[Text]:
    if not results:
        yield Text("none", "dim")
    for result in results:
        yield from [_row(result)] if isinstance(result, Memory) else lines(result)


@_register_show("Receipt")
def _receipt(done: Receipt) -> Iterator[Text]:
    counts = {name: count for name, count in done.counts.items() if count}
    if done.verb == CURATE:
        what = (
            ", ".join(plan_report.describe_action(action, count) for action, count in counts.items())
            or "nothing to do"
        )
    else:
        several = counts.get(done.verb, 0)
        what = f"{several:,} memories" if several > 1 else "done"
        what = what if counts.keys() == {done.verb} else format_counts(counts)
    if done.undoes is not None:
        what = f"took back {escape_line(done.undoes)}"
    yield Text.assemble((done.verb, "bold"), f": {what} ({number(done.changes, 'change', 'changes')})")
    what = "note" if done.verb == "import" else "left out"
    yield from (Text(f"  {what}{line}", "yellow") for line in _count_skips(done.skipped))
    for note in done.notes:
        yield Text(f"  note: {escape_line(note)}", "yellow")
    if done.changes:
        one = " or ".join(ways_back(done.verb, counts))
        yield from _render_undo_hint(_find_undo_command(done), one)


def _count_skips(remarks: Sequence[str]) -> Iterator[str]:
    """Yield a line for each reason that something was left out by: how many, and the first; a single one as it is."""
    by_reason: dict[str, list[str]] = {}
    for remark in remarks:
        name, _, reason = remark.partition(": ")
        is_named = name.startswith("#") and reason
        by_reason.setdefault(reason if is_named else remark, []).extend([name] * bool(is_named))
    for reason, names in by_reason.items():
        shown = ", ".join(names[:SKIPS_SHOWN]) + (", …" if len(names) > SKIPS_SHOWN else "")
        count = f" {len(names):,}" if len(names) > 1 else ""
        yield f"{count}: {escape_line(f'{shown}: {reason}' if shown else reason)}"


@_register_show("RecallResult")
def _render_recall_result(answer: RecallResult) -> Iterator[Text]:
    if not answer.memories:
        yield Text((answer.left_out and answer.text) or "nothing matches", "dim")
    elif doubt := WEAK if answer.is_weak else UNSURE if answer.is_unsure else "":
        yield Text(doubt, "yellow")
    by_id = {hit.id: hit.name for hit in answer.memories}
    by_id |= {one.id: short_id(one.seq, one.other_scope) for one in answer.dropped}
    why = answer.explanation
    tells_all = why is not None and (not answer.memories or any(hit.parts for hit in answer.memories))
    scores = {one.seq: why.score_lines(one) for one in why.scores} if why and tells_all else {}
    yield from (Text(line, "dim") for line in (() if why is None else why.head_lines()))
    for hit in answer.memories:
        yield from _show_hit(hit, by_id)
        yield from (Text(f"  {line}", "dim") for line in scores.get(hit.seq, ()))
    if not tells_all:  # the reasons tell it, too
        strength = f"strength {answer.strength:.2f}, " if answer.query else ""
        yield Text(f"{strength}{number(answer.tokens, 'token', 'tokens')}", "dim")
    if answer.times:
        yield Text(f"  asked about {escape_line('; '.join(answer.times))}", "dim")
    if "budget" not in answer.left_out and (more := advise_longer(answer.next_score, len(answer.memories))):
        yield Text(f"  {more} (--limit)", "dim")
    if answer.left_out:
        yield Text(f"  left out: {kept_out(answer.left_out)}", "dim")
    if why is not None and tells_all:
        yield from (Text(line, "dim") for line in why.rest_lines())
    elif not answer.memories:
        yield from (
            Text(f"  left out {escape_line(str(one))}", "dim") for one in answer.dropped[:DROPPED_SHOWN]
        )
    yield from (Text(f"  note: {escape_line(note)}", "yellow") for note in answer.notes)
    if answer.without_model:
        yield Text(f"  without the model: {escape_line(answer.without_model)}", "dim")


@_register_show("Hit")
def _show_hit(hit: Hit, by_id: Mapping[str, str] = MappingProxyType({})) -> Iterator[Text]:
    """Show a hit; `by_id` are short ids of what may contradict it."""
    yield Text.assemble(
        (f"{hit.score:6.3f} " if hit.score else "", "cyan"), _row(hit.memory, hit.other_scope)
    )
    for end in hit.memory.ended:
        yield Text(f"        {visible(end)}", "yellow")
    if hit.memory.verification is Verification.DISPUTED:
        yield Text("        disputed", "yellow")
    for other in hit.contradicted_by:
        yield Text(f"        contradicted by {by_id.get(other, other[-SHORT_ID_CHARS:])}", "yellow")
    if hit.cut:
        yield Text("        the answer's text has a passage of it only", "dim")


def _row(memory: Memory, other_scope: str = "") -> Text:
    who = f"{escape_line(memory.speaker)}: " if memory.speaker else ""
    marks = [memory.status.label] * (memory.status is not Status.ACTIVE)
    marks += [memory.trust.label] * (memory.trust is not Trust.USER)
    mark = f" [{'; '.join(marks)}]" if marks else ""
    return Text.assemble(
        (f"{escape_line(short_id(memory.seq, other_scope)) if other_scope else memory.seq:>6} ", "bold"),
        (f"{said_time(memory)}{mark} ", "dim"),
        who,
        shorten_line(memory.text),
    )


@_register_show("Memory")
def _memory(memory: Memory) -> Iterator[Text]:
    yield Text.assemble((f"{memory.seq}  {memory.id}", "bold"))
    yield Text("\n".join(escape_line(line) for line in memory.text.splitlines()))
    for one in fields(memory):
        value = getattr(memory, one.name)
        if one.name in Memory.HIDDEN | {"seq", "id", "text"} or value is None or value in ((), {}):
            continue
        text = said_time(memory) if one.name == "said_at" else _format_field(one.name, value)
        yield Text.assemble((f"  {one.name:<14}", "dim"), escape_line(text))


def _format_field(name: str, value: Any) -> str:
    if name == "tagged_at":
        return ", ".join(f"{tag} {format_time(at)}" for tag, at in value.items())
    if name == "accessors":
        return ", ".join(
            f"{agent} {access['uses']:,} × until {format_time(access['last_at'])}"
            for agent, access in value.items()
        )
    if is_time(name):
        return format_time(value)
    if name == "holds":
        return ", ".join(
            hold if until is None else f"{hold} until {format_time(until)}" for hold, until in value.items()
        )
    plain_value = encode_json_value(value)
    return (
        ", ".join(plain_value)
        if isinstance(plain_value, list)
        else plain_value
        if isinstance(plain_value, str)
        else json.dumps(plain_value)
    )


@_register_show("RelatedResult")
def _related_result(found: RelatedResult) -> Iterator[Text]:
    for one in found.memories:
        yield _row(one.memory)
        yield from (Text(f"       {hop}", "dim") for hop in one.path)
    yield Text(str(found), "dim")


@_register_show("Frame")
def _frame(frame: Frame) -> Iterator[Text]:
    limit = "" if frame.limit is None else f"at most {number(frame.limit, 'memory', 'memories')}"
    kinds = ("tags", "categories", "guarantees")
    lists = [f"{what} {', '.join(getattr(frame, what))}" for what in kinds if getattr(frame, what)]
    about = "; ".join(filter(None, [f"{frame.budget:,} tokens", limit, *lists]))
    yield Text.assemble((f"{escape_line(frame.name):<12}", "bold"), escape_line(about))


@_register_show("Guide")
def _guide(guide: Guide) -> Iterator[Text]:
    if len(guide.entries) == 1:
        yield Text(str(guide))
        return
    for advice in guide.entries:
        yield Text.assemble((f"{advice.command or advice.verb:<24} ", "bold"), advice.use_when)
    yield Text("more about one: remanence guide COMMAND", "dim")


@_register_show("Explanation")
def _explanation(explanation: Explanation) -> Iterator[Text]:
    for line in str(explanation).splitlines():
        yield Text(visible(line))


@_register_show("Plan")
def _plan(plan: Plan) -> Iterator[Text]:
    yield from lines(plan.describe())


@_register_show("PlanReport")
def _plan_report(report: PlanReport) -> Iterator[Text]:
    for line in plan_report.render(report, _measure_width()):
        yield Text(visible(line))
    if any(act.count > len(act.memories) + len(act.links) for act in report.acts):
        yield Text("all of them: --list", "dim")


@_register_show("PlanDiff")
def _plan_diff(diff: PlanDiff) -> Iterator[Text]:
    for line in diff.lines(_measure_width()):
        yield Text(visible(line))
    if diff.listed_count < diff.count:
        yield Text("all of them: --list", "dim")


@_register_show("Forecast")
def _forecast(forecast: Forecast) -> Iterator[Text]:
    for line in forecast.lines(_measure_width()):
        yield Text(line)


@_register_show("Review")
def _review(review: Review) -> Iterator[Text]:
    if not review.items:
        yield Text("nothing waits behind it" if review.counts else "nothing waits for a person", "dim")
    for item in review.items:
        yield Text.assemble((item.sort, "bold"), f": {escape_line(item.what)}")
        yield from map(_row, item.memories)
        if item.link is not None and item.link.resolved_at is not None:
            yield Text(f"       settled {format_time(item.link.resolved_at)}", "dim")
        for way, command in item.commands.items():
            yield Text.assemble((f"       {way}: ", "dim"), (escape_line(command), "command"))
    last = {item.sort: item.cursor for item in review.items}
    for sort, cursor in last.items():
        if count := review.behind.get(sort):
            yield Text(escape_line(f"{count:,} more of {sort}: --after {quote(cursor)}"), "dim")


@_register_show("State")
def _state(state: State) -> Iterator[Text]:
    yield Text.assemble((f"scope {escape_line(state.scope)}", "bold"), f": {_describe_size(state)}")
    for name in ("statuses", "tiers", "kinds", "categories", "tokens"):
        yield Text.assemble((f"  {name:<11}", "dim"), format_counts(getattr(state, name)))
    policy = (
        "none" if state.policy is None else state.policy if state.adopted else f"{state.policy}, not adopted"
    )
    due = "" if state.due_at is None else f", due {_format_due(state.due_at - state.at)}"
    yield Text.assemble(
        ("  policy     ", "dim"),
        f"{escape_line(policy)}, last curated {format_time(state.last_curate_at)}{due}",
    )
    yield Text.assemble(("  pinned     ", "dim"), f"{state.pinned:,}")
    for name, what in state.contextual.items():
        yield Text.assemble((f"  {name.replace('_', ' '):<11}", "dim"), escape_line(f"{what}"))
    if any(state.spent.values()):
        yield Text.assemble(("  models     ", "dim"), f"{format_counts(state.spent)} today, UTC")
    if state.gate:
        yield Text.assemble(("  gate       ", "dim"), f"{format_counts(state.gate)} in all")
    for one in state.waiting:
        yield Text.assemble(("  waiting    ", "dim"), escape_line(str(one)))
    if state.waiting_more:
        yield Text.assemble(
            ("  waiting    ", "dim"), f"{number(state.waiting_more, 'session', 'sessions')} more"
        )
    if state.consolidation is not None and (state.consolidation.last_at or state.consolidation.due_at):
        yield Text.assemble(("  inbox      ", "dim"), escape_line(str(state.consolidation)))
    if state.schedule is not None:
        style = "" if state.schedule.is_well else "yellow"
        yield Text.assemble(("  schedule   ", "dim"), (escape_line(str(state.schedule)), style))
    if state.review:
        yield Text(
            f"  for review {results.format_counts(state.review)}; list it with: remanence review list",
            "yellow",
        )
    yield from _in_time(state)
    for run in state.interrupted:
        yield Text(f"  run {run} was interrupted; take it back with: remanence undo {run}", "yellow")


@_register_show("ScopeOverview")
def _scope(one: ScopeOverview) -> Iterator[Text]:
    size = "" if one.bytes is None else f"{one.bytes:>14,} bytes  "
    count = f"{one.memories:>9,} {'memory  ' if one.memories == 1 else 'memories'}"
    drop = "" if one.dropped_at is None else f"  dropped {format_time(one.dropped_at)}: all are tombstones"
    written_at = (format_time(one.written_at), "dim")
    yield Text.assemble((f"{escape_line(one.scope):<20}", "bold"), f" {count}  {size}", written_at, drop)


def _describe_size(state: State) -> str:
    since = f", {state.erased_since:,} of them were erased since it was copied" if state.erased_since else ""
    return f"{number(state.memories, 'memory', 'memories')}, {number(state.links, 'link', 'links')}{since}"


def _in_time(state: State) -> Iterator[Text]:
    """Say how the clocks stand, what time will bring, what was done of its own accord, and who is at work."""
    active, turns = state.clocks["active"], state.clocks["turns"]
    yield Text.assemble(
        ("  clocks     ", "dim"),
        f"{active.reading:,.1f} active hours ({active.per_day:.1f} a day), "
        f"{number(round(turns.reading), 'turn', 'turns')} ({turns.per_day:.1f} a day)",
    )
    for decay, at in state.first_archives.items():
        soon = (
            "none archived within 200 years"
            if at is None
            else f"first archived {_format_leaving(at - state.at)}"
        )
        yield Text.assemble((f"  {decay:<11}", "dim"), soon)
    for work, ran in state.automatic.items():
        what = escape_line(ran.reason) or results.format_counts(ran.counts)
        style = "yellow" if ran.outcome == "failed" else ""
        yield Text.assemble(
            (f"  {work:<10} ", "dim"), (f"by itself {format_time(ran.at)}, {ran.outcome}: {what}", style)
        )
    for session in state.sessions[:SESSIONS_SHOWN]:
        beat = (
            f", last beat {format_duration(state.at - session.counted_until)} ago"
            if session.every is not None
            else ""
        )
        detail = f"{escape_line(session.task_type)}, begun {format_duration(state.at - session.started_at)} ago{beat}"
        yield Text.assemble(("  session    ", "dim"), f"{session.id} {detail}")
    if len(state.sessions) > SESSIONS_SHOWN:
        yield Text(f"  and {len(state.sessions) - SESSIONS_SHOWN:,} older sessions are open", "dim")


def _format_due(micros: int) -> str:
    return f"in {format_duration(micros)}" if micros > 0 else "when the next session begins"


def _format_leaving(micros: int) -> str:
    """Say when the first memory of a class goes; what has faded waits for a run."""
    return f"in {format_duration(micros)}" if micros > 0 else "with the next run"


@_register_show("Setting")
def _setting(setting: Setting) -> Iterator[Text]:
    is_number = isinstance(setting.value, int)
    text = f"{setting.value:>8}" if is_number else f"{'words' if setting.value else '-':>8}"
    yield Text.assemble((f"{setting.name:<24}", "bold"), f"{text}  {setting.meaning}")
    if not is_number and setting.value:
        yield Text(f"{'':24}   {escape_line(str(setting.value))}")
    if setting.source == "user":
        bounds = (
            f"from {setting.least:,} to {setting.most:,}"
            if is_number
            else f"up to {setting.most:,} characters"
        )
        yield Text(f"{'':24}   set by a user; {bounds}", "dim")
    elif setting.source == "policy":
        yield Text(f"{'':24}   set by the policy", "dim")


def _format_owner(owner: str) -> str:
    """Say whose a run is where it is no person's."""
    return "" if owner == str(PERSON) else f" ({escape_line(owner)})"


@_register_show("Event")
def _event(event: Event) -> Iterator[Text]:
    by = (f" by {escape_line(event.actor)}" if event.actor else "") + _format_owner(event.owner)
    yield Text.assemble((f"{format_time(event.at)} ", "dim"), (event.verb, "bold"), f"{by}  {event.run}")
    for line in (*event.changes, *map(str, event.decisions)):
        yield Text(f"    {shorten_line(line)}")


@_register_show("RunReport")
def _run_report(done: RunReport) -> Iterator[Text]:
    actors = (("by", done.actor), ("under", done.policy))
    by = "".join(f" {word} {escape_line(who)}" for word, who in actors if who) + _format_owner(done.owner)
    yield Text.assemble(
        (f"{format_time(done.at)} ", "dim"),
        (done.verb, "bold"),
        f"{by}: {number(done.changes, 'change', 'changes')}  {done.run}",
    )
    if done.because:
        yield Text(f"  because of {', '.join(done.because)}")
    if done.cycle:
        yield Text(f"  {receipt.describe_cycle(done.cycle, done.left_out)}")
        yield Text(f"  policy hash {done.policy_hash}", "dim")
    for act in done.acts:
        what = (
            plan_report.describe_action(act.name, act.count)
            if done.verb == CURATE
            else f"{act.name} {act.count:,}"
        )
        why = (
            f"[{escape_line(rule)}]{f' because {escape_line(text)}' if text else ''}"
            for rule, text in act.rules.items()
        )
        yield Text("  ".join([f"  {what}", *why]))
        for memory in act.memories:
            if memory.id is not None:
                yield Text(plan_report.memory_line(memory, done.now, _measure_width()))
        if gone_count := sum(memory.id is None and memory.seq > 0 for memory in act.memories):
            yield Text(f"    {number(gone_count, 'memory', 'memories')} of which nothing is left")
        if act.count > len(act.memories):
            yield Text(f"    and {act.count - len(act.memories):,} more: --limit {act.count}", "dim")
    if done.undo is not None:
        one = " or ".join(ways_back(done.verb, [act.name for act in done.acts]))
        yield from _render_undo_hint(f"remanence undo {done.undo}", one)
    if done.undone_by is not None:
        yield Text(f"  taken back by {done.undone_by}", "dim")


@_register_show("Check")
def _check(check: Check) -> Iterator[Text]:
    mark = ("sound  ", "green") if check.ok else ("DAMAGED", "bold red")
    mark = ("warning", "yellow") if check.ok and check.advice else mark
    advice = f"; {check.advice}" if check.advice else ""
    yield Text.assemble(mark, f" {check.name}: {escape_line(check.detail + advice)}")
