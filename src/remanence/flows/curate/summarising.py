"""What a plan's summaries say: each text is made just before it is committed, by a writer or by condensing.

Knows changes of a plan, the writer and the gate; must not know which rule chose a memory. Whoever changes the memory
meanwhile is not written over: the change compares its revision.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from remanence.core.change import Cause, Change
from remanence.core.effects import FLAG, NO_SHORTER, NO_SUMMARY, action
from remanence.core.errors import RemanenceError, StoreDamaged, WriterError
from remanence.core.model import Form, Memory, Trust, short_id
from remanence.core.results import one_line
from remanence.curate.planner.changes import CommitPart, summed_up
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.spending import Spending
from remanence.flows.write.gating import refresh_settings, refuse_forbidden
from remanence.gate.machine_markup import find_machine_markup
from remanence.gate.screening import screen
from remanence.llm.base import Shortener
from remanence.read.extraction import checked_shortening
from remanence.text.condense import condense_text
from remanence.text.summary import SHARE_MAX, complaint
from remanence.text.text_columns import lengths_of

RUN_MAX = 10  # summaries in one run of a policy; engram's maxEntriesPerCycle
TOKENS_MAX = 10_000  # of a summary that a writer is asked for
TIMEOUT_S = 30.0
WHY_CHARS_MAX = 200
BY_RULES = "condense"


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A summary and who made it; without a text why there is none, and the tag that says so for ever."""

    text: str = ""
    by: str = ""
    why: str = ""
    tag: str = ""


class Summarising:
    """Makes the summaries of one run, so many at most and for so many tokens."""

    def __init__(self, core: Core, stopped: Callable[[], bool], tell: Callable[[str], None]) -> None:
        self._core = core
        self._stopped = stopped
        self._tell = tell
        self._spending = Spending(core)
        self._shortens = isinstance(core.writer, Shortener)
        self._asked = 0

    async def complete_part(self, part: CommitPart, cause: Cause) -> tuple[CommitPart, Cause]:
        """Return a part with the text of its summary, or without the summary; and what the audit is told of it."""
        change = next(filter(None, map(summed_up, part.groups)), None)
        if change is None:
            return part, cause
        memory = await self._read_memory(change)
        if memory is None:
            return self._drop_summary(part, change), cause
        if memory.revision != (change.before or {}).get("revision"):
            return part, cause  # the commit finds that, too, and says so
        draft = await self._draft_summary(memory)
        if not self._asked:  # the turn of its rule is still to come
            cause = replace(
                cause, fired=tuple(rule for rule in cause.fired if rule not in _list_summary_rules(cause))
            )
        if draft.why:
            self._tell(f"{short_id(memory.seq)}: {draft.why}")
        if not draft.text and not draft.tag:
            return self._drop_summary(part, change), cause
        if not draft.text:
            flag = Change("tags", (memory.seq, draft.tag), None, {})
            there = await self._read_memory(change)
            same = there is not None and there.revision == memory.revision
            flags = [flag] if same and draft.tag not in memory.tags else []
            return self._drop_summary(part, change, flags), _record_summary_author(cause, draft)
        return _replace_change(
            part, change, _add_summary(change, memory, draft.text)
        ), _record_summary_author(cause, draft)

    async def _read_memory(self, change: Change) -> Memory | None:
        """Return the memory of a change as it is; None where it is gone, or cannot be read."""
        try:
            (memory,) = await self._core.store.get(self._core.scope, [change.key])  # type: ignore[list-item]
        except StoreDamaged:
            self._tell(f"#{change.key}: it is damaged, and stays as it is")
            return None
        return memory

    async def _draft_summary(self, memory: Memory) -> SummaryDraft:
        if self._asked >= RUN_MAX:
            return SummaryDraft(why=f"{RUN_MAX} summaries are as many as one run makes; the next goes on")
        if self._stopped():
            return SummaryDraft(why="there was no time left to sum it up; the next run goes on")
        self._asked += 1
        answer, is_refused = await self._ask_writer(memory)
        if answer.text:
            return answer
        text = await run_off_loop(len(memory.text), condense_text, memory.text)
        why = _no_gain(text, memory) or await self._explain_text_refusal(text, memory)
        if not why:
            return SummaryDraft(text, BY_RULES, answer.why)
        reason = "; ".join(filter(None, [answer.why, why]))
        # Where a writer only could not be asked, it is asked another time.
        tag = NO_SUMMARY if is_refused else "" if self._shortens else NO_SHORTER
        return SummaryDraft(why=one_line(reason, 2 * WHY_CHARS_MAX), tag=tag)

    async def _ask_writer(self, memory: Memory) -> tuple[SummaryDraft, bool]:
        """Return what a writer makes of a text, and whether its answer came and was refused."""
        writer = self._core.writer
        if not isinstance(writer, Shortener):
            return SummaryDraft(), False
        if waits := await self._spending.waits():
            return SummaryDraft(why=waits), False
        most = min(int(memory.tokens * SHARE_MAX), TOKENS_MAX)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = checked_shortening(await writer.shorten(memory.text, most), memory.text, most)
        except WriterError as error:
            await self._spending.book(1, error.tokens_used)
            return SummaryDraft(why=_of_writer(str(error))), error.tokens_used > 0
        except RemanenceError as error:  # it was not asked: the text is too long for it
            return SummaryDraft(why=_of_writer(str(error))), True
        except TimeoutError:
            await self._spending.book(1, memory.tokens)
            return SummaryDraft(why=_of_writer(f"no answer within {TIMEOUT_S:g} s")), False
        await self._spending.book(1, answer.tokens_used)
        why = await run_off_loop(len(memory.text), complaint, memory.text, answer.text)
        why = (
            why
            or await self._explain_text_refusal(answer.text, memory, written=True)
            or _no_gain(answer.text, memory)
        )
        return (
            (SummaryDraft(why=_of_writer(why)), True)
            if why
            else (SummaryDraft(answer.text, writer.name), False)
        )

    async def _explain_text_refusal(self, text: str, memory: Memory, *, written: bool = False) -> str:
        """Say why a text may not be shown of a memory: whose words it is, it passes the gate as a text at the door.

        What was condensed of what somebody let in as it is may say what that says.
        """
        if written:
            await refresh_settings(self._core)
            kept = self._core.personal.kept[min(memory.trust, Trust.AGENT)]
            if (await run_off_loop(len(text), screen, text, self._core.salt, kept)).replaced:
                return "it holds what may not be kept"
        if await run_off_loop(len(text), find_machine_markup, text) and (
            written or not await run_off_loop(len(memory.text), find_machine_markup, memory.text)
        ):
            return "it holds markup that is meant for a machine"
        try:
            await refuse_forbidden(self._core, text)
        except RemanenceError as error:
            return str(error)
        return ""

    def _drop_summary(self, part: CommitPart, change: Change, instead: Sequence[Change] = ()) -> CommitPart:
        """Return a part without a summary; what else is done to its memory is done."""
        hollow = {"form", "revision", "touched"}.issuperset(change.after or {})
        remainder = [] if hollow else [_drop_form(change)]
        return _replace_change(part, change, *remainder, *instead)


def _drop_form(change: Change) -> Change:
    """Take the form out of a change."""
    before, after = (
        {name: value for name, value in (side or {}).items() if name != "form"}
        for side in (change.before, change.after)
    )
    return replace(change, before=before, after=after)


def _replace_change(part: CommitPart, change: Change, *instead: Change) -> CommitPart:
    """Return a part with other changes in place of one, without groups of which nothing is left."""
    groups = [
        [new for one in group for new in (instead if one is change else (one,))] for group in part.groups
    ]
    return CommitPart([group for group in groups if group], part.blocks)


def _add_summary(change: Change, memory: Memory, text: str) -> Change:
    """Add a summary and its lengths to the change that makes a memory's form one."""
    (lengths,) = lengths_of([memory.text], [text])
    after = {"summary": text, **{name: lengths[name] for name in ("short_tokens", "short_words")}}
    before = {name: getattr(memory, name) for name in after}
    return replace(
        change, before={**(change.before or {}), **before}, after={**(change.after or {}), **after}
    )


def _no_gain(text: str, memory: Memory) -> str:
    """Say that a text is no shorter than what is shown now."""
    (lengths,) = lengths_of([memory.text], [text])
    full = memory.form is Form.FULL
    if lengths["short_tokens"] < (memory.tokens if full else memory.short_tokens):
        return ""
    return f"condensing makes it no shorter than {'its text' if full else 'its condensed form'}"


def _of_writer(why: str) -> str:
    return one_line(f"a writer's summary was not taken: {why}", WHY_CHARS_MAX)


def _record_summary_author(cause: Cause, drafted: SummaryDraft) -> Cause:
    """Let the audit keep who made a summary, or why there is none and that it was marked."""
    detail = {**cause.detail, "summary": {"by": drafted.by} if drafted.text else {"refused": drafted.why}}
    if not drafted.text:
        flags = [[FLAG.name, rule, because] for rule, because in _list_summary_rules(cause).items()]
        detail["rules"] = [*detail.get("rules", ()), *flags]
    elif drafted.why:
        detail["summary"]["refused"] = drafted.why
    return replace(cause, detail=detail)


def _list_summary_rules(cause: Cause) -> dict[str, str]:
    """Return the rules of a run that make summaries, with what they say for themselves."""
    return {rule: why for act, rule, why in cause.detail.get("rules", ()) if action(act).needs_text}
