"""What the tools answer: text for a model, in which all that comes from the store stands between marks.

Knows the shape of results; must not know how they come about.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from remanence.core.clock import to_datetime
from remanence.core.model import LearnResult, Link, Memory, RecallResult, Status, short_id
from remanence.core.receipt import Receipt
from remanence.core.results import PLACES_ADVISED, UNSURE, WEAK, advise_longer, kept_out, number
from remanence.core.score import Fall
from remanence.curate.explain import Explanation
from remanence.curate.planner.plan_report import PlanReport, render
from remanence.flows.inspect.inspect import Event
from remanence.flows.recall.memory_lines import render as memory_line
from remanence.flows.write.noting import NoteResult
from remanence.llm.questions import mark_as_data
from remanence.text.tokens import token_counts

MEMORIES = "a memory a line as [id date who, from where] text"
WITHHELD = "is in quarantine: a person may read it and release it"
STRONG_MIN = 0.5  # half of the words that matter, or a vector half way to the same
TEXT_CHARS = 100  # of the memory at a link's other end


def render_recall_result(answer: RecallResult, budget: int | None = None) -> str:
    """Write what was recalled, how strong it is, and what was left out; a longer list is advised within a budget."""
    if not answer.memories:
        return (
            f"{answer.text or 'Nothing was found'}."
            + _left_out(answer)
            + _describe_fallback(answer)
            + _explain_ranking(answer)
        )
    doubt = f"{WEAK}\n" if answer.is_weak else f"{UNSURE}\n" if answer.is_unsure else ""
    is_fair = answer.is_unsure or answer.strength < STRONG_MIN
    word = "weak" if answer.is_weak else "fair" if is_fair else "strong"
    strength = f"\nStrength: {word}." if answer.query else ""
    shown = len(answer.memories)
    advice = advise_longer(answer.next_score, shown)
    has_room = budget is not None and answer.tokens * PLACES_ADVISED <= budget * shown
    return (
        doubt
        + mark_as_data(answer.text.removeprefix(doubt), MEMORIES)
        + strength
        + (f"\nAsked about {'; '.join(answer.times)}." if answer.times else "")
        + _left_out(answer)
        + (f"\n{advice[:1].upper()}{advice[1:]}." if advice and has_room else "")
        + _describe_fallback(answer)
        + _explain_ranking(answer)
    )


def render_newest(memories: Sequence[Memory], budget: int | None, *, is_whole: bool) -> str:
    """Write memories as a list, the newest first, as far as a budget of tokens goes, and how it goes on."""
    if not memories:
        return "Nothing was found."
    lines = [memory_line(memory) for memory in memories]
    sums = list(accumulate(token_counts(lines)))
    shown = len(lines) if budget is None else bisect_right(sums, budget)
    missing = len(lines) - shown
    return (
        (mark_as_data("\n".join(lines[:shown]), MEMORIES) if shown else "Nothing fits.")
        + (f"\nLeft out: {kept_out({'budget': missing})}." if missing else "")
        + ("" if is_whole else "\nThere are more: ask for a higher limit, or for other days.")
    )


def _explain_ranking(answer: RecallResult) -> str:
    """Write why it was answered so, where that was asked; names and tags in it come from the store."""
    if answer.explanation is None:
        return ""
    return "\n" + mark_as_data("\n".join(answer.explanation.brief()), "why")


def _left_out(answer: RecallResult) -> str:
    """Write what was left out, and further remarks."""
    left_out = f"\nLeft out: {kept_out(answer.left_out)}." if answer.left_out else ""
    return left_out + "".join(f"\nNote: {note}." for note in answer.notes)


def _describe_fallback(answer: RecallResult) -> str:
    """Say why the model that embeds had no part in it: another answer may be better."""
    return f"\nWithout the model: {answer.without_model}." if answer.without_model else ""


def render_learn_result(done: LearnResult, notes: Iterable[str] = ()) -> str:
    """Write what became of a text."""
    remark = "; ".join(filter(None, [*notes, done.note]))
    name = f" {short_id(done.seq)}" if done.seq else ""  # what is gated has no id
    return f"{done.status}{name}" + (f" ({remark})" if remark else "")


def render_note_result(done: NoteResult, notes: Iterable[str] = ()) -> str:
    """Write what became of a turn."""
    signal = f"signal {done.signal}"
    return render_learn_result(
        replace(done.learn_result, reason="; ".join(filter(None, [done.reason, signal]))), notes
    )


def render_memory(
    memory: Memory,
    ends: Mapping[int, Memory],
    links: Sequence[Link],
    events: Sequence[Event],
    explanation: Explanation,
) -> str:
    """Write all that is known of one memory: itself, its links, what happened to it and why it stays or goes."""
    if memory.status is Status.QUARANTINED:
        return f"{short_id(memory.seq)} {WITHHELD}"
    lines = [*_render_facts(memory), *(f"> {line}" for line in memory.text.splitlines())]
    lines += ["links:", *(f"  {_link(memory, link, ends)}" for link in links)] if links else []
    lines += ["history:", *(f"  {line}" for line in _render_history(events))]
    lines += _render_explanation(explanation)
    return mark_as_data("\n".join(lines), "a memory, its text after >")


def render_memory_as_of(memory: Memory, *, is_withheld: bool) -> str:
    """Write one memory as it was; what is withheld now, or was then, is not shown."""
    if is_withheld or memory.status is Status.QUARANTINED:
        return f"{short_id(memory.seq)} {WITHHELD}"
    lines = [*_render_facts(memory), *memory.ended, *(f"> {line}" for line in memory.text.splitlines())]
    return mark_as_data("\n".join(lines), "a memory as it was, its text after >")


def _render_facts(memory: Memory) -> Iterator[str]:
    labels = (memory.status, memory.tier, memory.kind, memory.lifecycle)
    yield f"{short_id(memory.seq)} {', '.join(one.label for one in labels if one is not None)}, id {memory.id}"
    when = {"said": memory.said_local, "said again": memory.said_again_at}
    when |= {"learned": memory.learned_at, "used": memory.used_at}
    when |= {"valid from": memory.valid_from, "valid to": memory.valid_to}
    yield ", ".join(f"{what} {_time(at)}" for what, at in when.items() if at is not None)
    about = {
        "speaker": memory.speaker,
        "category": memory.category,
        "state": memory.state,
        "tags": ", ".join(memory.tags),
        "from": ", ".join(memory.sources),
        "key": memory.key,
        "pinned": "yes" if memory.pinned else None,
        "held": ", ".join(memory.holds or ()),
        "importance": memory.importance,
        "trust": memory.trust.label,
        "verification": memory.verification.label if memory.verification else None,
        "used by": ", ".join(f"{name} {one['uses']}×" for name, one in (memory.accessors or {}).items()),
    }
    yield from (f"{name}: {value}" for name, value in about.items() if value)
    counts = ("uses", "confirmations", "disputes")
    yield ", ".join(f"{name} {getattr(memory, name)}" for name in counts)


def _link(memory: Memory, link: Link, ends: Mapping[int, Memory]) -> str:
    out = link.source == memory.seq
    other = link.target if out else link.source
    there = ends.get(other)
    text = ""
    if there is not None:  # what is in quarantine a person reads before any agent
        text = f": {WITHHELD if there.status is Status.QUARANTINED else there.text[:TEXT_CHARS]}"
    way = (
        f"{link.relation.label} {short_id(other)}" if out else f"{short_id(other)} {link.relation.label} this"
    )
    return " ".join(f"{way}{text}".split())


def _render_history(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        by = f" by {event.actor}" if event.actor else ""
        yield " ".join(f"{_time(event.at)} {event.verb}{by}: {'; '.join(event.changes)}".split())


def _render_explanation(explanation: Explanation) -> Iterator[str]:
    """Yield why a memory is worth what it is, what took it away, and what acts on it; `explain` tells the rest."""
    yield from _render_fall(explanation.fall) if explanation.fall is not None else ()
    yield from explanation.worth.lines() if explanation.worth is not None else ()
    yield f"under {explanation.policy}: {explanation.outcome}"
    for verdict in explanation.verdicts:
        because = f" because {verdict.because}" if verdict.because else ""
        if verdict.acts:
            yield f"  {verdict.what} {verdict.name}: {verdict.action}{because}"
        elif verdict.fires_at is not None:
            yield f"  {verdict.what} {verdict.name} from {_time(verdict.fires_at)}: {verdict.action}{because}"


def _render_fall(fall: Fall) -> Iterator[str]:
    """Yield what took a memory out of sight and the ways back, without the run: an agent is told of its own alone."""
    yield str(fall).removesuffix(f" (run {fall.run})")
    yield from (f"    back: {way}" for way in fall.back if fall.run not in way)


def _time(micros: int) -> str:
    return f"{to_datetime(micros):%Y-%m-%d %H:%M}"


def render_waiting_plan(plan_id: str, report: PlanReport) -> str:
    """Write a plan of curation that waits under its id."""
    lines = "\n".join(render(report))
    return (
        f"{_describe_pending_plan(plan_id)}\n{mark_as_data(lines, 'a plan, with the memories that it names')}"
    )


def render_forget_plan(plan_id: str, going: Sequence[Memory], spared: Mapping[str, str]) -> str:
    """Write which memories would be forgotten, and which not."""
    rest = "".join(f"\nNot forgotten: {name} ({reason})" for name, reason in spared.items())
    if not going:
        return f"Nothing would be forgotten.{rest}"
    lines = "\n".join(map(memory_line, going))
    return f"{_describe_pending_plan(plan_id)} Would be forgotten:\n{mark_as_data(lines, MEMORIES)}{rest}"


def _describe_pending_plan(plan_id: str) -> str:
    return f"{plan_id}: nothing of this has happened yet; apply it by this id."


def render_receipts(receipts: Sequence[Receipt], skipped: Sequence[str] = ()) -> str:
    """Add receipts up: what was done, what was left out, and the runs that `undo` takes back."""
    counts: dict[str, int] = {}
    for receipt in receipts:
        for name, count in receipt.counts.items():
            counts[name] = counts.get(name, 0) + count
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"
    reasons = [*skipped, *(reason for receipt in receipts for reason in receipt.skipped)]
    runs = [receipt.run for receipt in receipts if receipt.changes]
    notes = dict.fromkeys(note for receipt in receipts for note in receipt.notes)
    return (
        f"Done: {summary}."
        + "".join(f"\nNote: {note}" for note in notes)
        + "".join(f"\nSkipped: {reason}" for reason in reasons)
        + "".join(f"\nTake it back with undo, run {run}" for run in runs)
    )


def render_undo_result(receipt: Receipt) -> str:
    """Write which run was taken back."""
    changes = number(receipt.changes, "change", "changes")
    return f"Took back run {receipt.undoes}: {changes}." + "".join(
        f"\nSkipped: {reason}" for reason in receipt.skipped
    )
