"""One memory, opened: a method per verb, each a gather, a decision and a commit that the flows carry out."""

import builtins
from collections.abc import AsyncIterator, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from remanence.core.errors import InvalidInput
from remanence.core.guide import Guide, guide
from remanence.core.half_characters import mend_counted
from remanence.core.keywords import (
    AboutNamed,
    ActionName,
    Asking,
    CadenceName,
    Foretelling,
    FrameAsking,
    KindName,
    ListOptions,
    Moment,
    OutcomeName,
    Overrides,
    Progress,
    Some,
    StatusName,
    TrustName,
)
from remanence.core.later import import_later
from remanence.core.local_time import to_said_span
from remanence.core.model import (
    Kind,
    LearnResult,
    Link,
    Memory,
    OneMemory,
    RecallResult,
    Status,
    Trust,
    Turn,
)
from remanence.core.receipt import ConsolidateResult, Receipt
from remanence.editing_verbs import EditingVerbs
from remanence.flows.base.context import iterate_cooperatively
from remanence.flows.base.permission_checks import verb_class
from remanence.shelves import Shelves

if TYPE_CHECKING:
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast.forecast_report import Forecast
    from remanence.curate.planner import plan_report
    from remanence.curate.planner.plan import Plan
    from remanence.curate.planner.plan_report import PlanDiff
    from remanence.flows.base import copies
    from remanence.flows.consolidate import (
        consolidation,
        extract_pending,
        guidelines,
        ingesting,
        sessions,
    )
    from remanence.flows.consolidate.guidelines import Guidelines
    from remanence.flows.consolidate.ingesting import IngestResult
    from remanence.flows.curate import comparing, curating
    from remanence.flows.edit import putting
    from remanence.flows.exchange import transfer
    from remanence.flows.inspect import checks, inspect, related, run_report
    from remanence.flows.inspect.inspect import Event, Run, State
    from remanence.flows.inspect.related import RelatedResult
    from remanence.flows.inspect.run_report import RunReport
    from remanence.flows.recall import (
        counting,
        framing,
        listing,
        question,
        recalling,
    )
    from remanence.flows.recall.counting import CountResult
    from remanence.flows.recall.profiling import Profile
    from remanence.flows.schedule import forecasting, lifetime, schedules
    from remanence.flows.schedule.schedules import DaemonResult, StopSignal, UntilStopped
    from remanence.flows.schedule.ticking import JobsResult
    from remanence.flows.undo import runs
    from remanence.flows.write import learning, noting, reembedding
    from remanence.flows.write.learning import GroupCommit
    from remanence.flows.write.noting import NoteResult
    from remanence.flows.write.reembedding import ReembedResult
    from remanence.llm.base import Embedder, WaitingEmbedder
    from remanence.store.base import Check
    from remanence.write.transcripts.importer_source import AnyImporter

import_later(globals())


def _refuse_beside(when: str, given: Mapping[str, object]) -> None:
    """Refuse arguments of `run_jobs` that are of the other way to run them."""
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InvalidInput(f"{', '.join(wrong)} is for jobs that run {when}", recovery="leave it out")


@verb_class()
class Engine(Shelves, EditingVerbs):
    """A memory in one scope. Made by `remanence.open`; open it with `async with`, or `await` it and `close` it."""

    @cached_property
    def _group_commit(self) -> GroupCommit:
        return learning.GroupCommit(self._kept)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of scope {self._kept.scope!r}>"

    def __await__(self) -> Generator[Any, None, Self]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        await lifetime.start(self._kept)
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the open session, write pending data and close the store."""
        if self._kept.process.is_this:
            await lifetime.close(self._kept)

    @property
    def scope(self) -> str:
        """Name of the scope of this memory."""
        return self._core.scope

    @property
    def embedder(self) -> Embedder:
        """Model that turns texts into vectors here."""
        return self._core.embedder

    # Writing

    @overload
    async def learn(
        self, text: str | Turn, *, if_revision: int | None = None, **more: Unpack[AboutNamed]
    ) -> LearnResult: ...

    @overload
    async def learn(
        self,
        text: Iterable[Turn | str | Mapping[str, Any]],
        *,
        progress: Progress | None = None,
        **more: Unpack[AboutNamed],
    ) -> builtins.list[LearnResult]: ...

    async def learn(
        self,
        text: str | Turn | Iterable[Turn | str | Mapping[str, Any]],
        *,
        if_revision: int | None = None,
        progress: Progress | None = None,
        **more: Unpack[AboutNamed],
    ) -> LearnResult | builtins.list[LearnResult]:
        """Store a text as a memory, or a list of texts; a later text with the same `key` replaces it.

        `more` are the other fields of `Turn` (category, tags, speaker, said_at …), for each text of a list. A list may
        also hold turns, or mappings of their fields; all are checked first, then written in transactions of 1,000. With
        `if_revision` a key is written only if its memory has that revision; 0: only if the key is new. If nobody gives
        the role and the speaker's name leaves it in doubt, the texts decide it.
        """
        if not isinstance(text, str | Turn):
            putting.refuse_single(more.get("key"), if_revision)
            turns = [learning.turn_of(mend_counted(item), more) async for item in iterate_cooperatively(text)]
            return await putting.learn_all(self._core, turns, progress)
        turn = learning.turn_of(text, more)
        if turn.key is not None:
            return await putting.put(self._core, turn, if_revision)
        putting.refuse_revision(if_revision)
        return await self._group_commit.learn(turn)

    async def note(self, turn: Turn | str, *, later: bool = False, **more: Unpack[AboutNamed]) -> NoteResult:
        """Store a turn of a conversation; a model, if there is one, extracts facts from it soon.

        `key` names the turn: a turn that is noted twice is stored once. With `later` no facts are extracted here:
        another engine, `consolidate` or `end_session` extracts them.
        """
        full_turn = replace(turn, **more) if isinstance(turn, Turn) else Turn(turn, **more)
        return await noting.note(self._core, self._group_commit, full_turn, later=later)

    async def ingest(
        self,
        path: str | Path,
        *,
        format: str | AnyImporter = "auto",  # noqa: A002
        trust: TrustName | Trust = "outside",
        extract: bool = False,
        actions: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> IngestResult:
        """Import a conversation, notes or another memory; a second import adds only what is new.

        `trust` says how far the file is to be believed; texts of an assistant or a tool in it are believed less. A
        higher `trust` also raises texts that were imported before. With `extract` new texts are noted, and a model
        extracts facts. A `dry_run` reports all this, and the cost of the model, and writes nothing. `format` is auto,
        the name of a built-in or registered importer, or an importer of yours. With `actions` the edits and commands
        of a coding session come in as well, one line each.
        """
        take = ingesting.preview if dry_run else ingesting.ingest
        return await take(self._core, path, format, progress, trust=trust, extract=extract, actions=actions)

    async def consolidate(
        self, progress: Progress | None = None, *, listen: bool = False, duplicates: bool = False
    ) -> ConsolidateResult:
        """Make inbox memories active and link similar ones.

        A model first extracts facts from the turns that wait; `heard` has the result. With `listen` it also extracts,
        once, from texts without facts: texts that were learned, ingested, or noted before there was a model. At the end
        reflections that have grown too many are merged. A transaction has 200 memories. With `duplicates` texts of the
        whole memory that share most of their words are then linked as near duplicates; only a policy merges them.
        """
        hearing = await extract_pending.listen(self._core)
        if listen:
            hearing += await extract_pending.listen_to_learned(self._core, progress)
        done = replace(await consolidation.consolidate(self._core, progress), heard=hearing)
        return await consolidation.link_all_duplicates(self._core, done) if duplicates else done

    async def reembed(
        self, embedder: str | WaitingEmbedder | None = None, progress: Progress | None = None
    ) -> ReembedResult:
        """Compute all vectors with another model, then switch to it in one step.

        Recall works meanwhile. If the call is stopped, even killed, the next call continues where it was; without an
        `embedder` it continues with the same model. "auto" means that no model is used in addition to the static
        vectors that memories come with.
        """
        return await reembedding.reembed(self._core, embedder, progress)

    # Finding

    async def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        budget: int | None = None,
        filters: Mapping[str, Any] | None = None,
        between: tuple[Moment, Moment] | None = None,
        **asking: Unpack[Asking],
    ) -> RecallResult:
        """Find the memories that best answer a question, within a budget of tokens.

        `filters` maps `status`, `tags`, columns (category, kind, state, lifecycle, speaker, session …) and attributes
        (`attributes.project`) to the value they must have, or to a list of values of which any will do (of tags all).
        Without a `status` recall searches inbox and active memories, and `archived` ones where that is "open".
        `between` limits when memories were said. Returned memories that are in the inbox or active count as used, by
        `agent` or the engine's own agent, unless `count_use` is False. With `explain` or `why_not` the answer has its
        `explanation`.
        """
        criteria, span = question.read_recallable(filters or {}), to_said_span(between)
        request = question.RecallRequest(query, limit, budget, filters=criteria, between=span, **asking)
        return await recalling.recall(self._core, request)

    @overload
    async def frame(self, name: Literal["profile"]) -> Profile: ...

    @overload
    async def frame(self, name: Literal["boot"], *, budget: int | None = None) -> RecallResult: ...

    @overload
    async def frame(
        self,
        name: str,
        query: str | None = None,
        *,
        budget: int | None = None,
        limit: int | None = None,
        **asking: Unpack[FrameAsking],
    ) -> RecallResult: ...

    async def frame(
        self,
        name: str,
        query: str | None = None,
        *,
        budget: int | None = None,
        limit: int | None = None,
        **asking: Unpack[FrameAsking],
    ) -> RecallResult | Profile:
        """Show the memory through a frame: the start context, the profile, or a view with guarantees and scores.

        "boot" is the start context, for which only a `budget` may be given: knowledge first, then the newest episodes;
        no use is counted. "profile" says who the agent is, how people want it to behave and what is true now, one line
        a memory. Every other frame returns guaranteed memories first, then the best by score, within a budget.

        Without `query` all memories that pass the frame's filters are scored. `dropped` names memories that were left
        out, and `left_out` counts them by reason: limit, budget, question, filter. Returned memories count as used, by
        `agent` or the engine's own agent, unless `count_use` is False. `explain` and `why_not` are those of `recall`.
        """
        return await framing.show_frame(self._core, framing.Look(name, query, budget, limit, **asking))

    async def count(
        self,
        by: str | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
        between: tuple[Moment, Moment] | None = None,
        limit: int = 100,
    ) -> CountResult:
        """Count memories by a column, an attribute or topic.

        By "topic" the most frequent topic words come first, by TF-IDF over the newest 5,000 active memories, without
        filters. `filters` are those of `recall`: columns of names (category, kind, tier, speaker …), tags, status,
        attributes.
        """
        return await counting.count_memories(self._core, by, filters or {}, to_said_span(between), limit)

    async def get(self, name: OneMemory, *, as_of: Moment | None = None) -> Memory:
        """Show one memory with all columns, now or as it was at a time.

        By number, id, short id or key; raises NotFound where there is none.
        """
        return await inspect.read_memory(self._core, name, as_of)

    @overload
    async def links(self, name: OneMemory) -> builtins.list[Link]: ...

    @overload
    async def links(self, name: OneMemory, *, depth: int, limit: int = 10) -> RelatedResult: ...

    @overload
    async def links(self, *, query: str, depth: int = 3, limit: int = 10) -> RelatedResult: ...

    async def links(
        self,
        name: OneMemory | None = None,
        *,
        depth: int | None = None,
        query: str | None = None,
        limit: int | None = None,
    ) -> builtins.list[Link] | RelatedResult:
        """List the links of a memory, or with `depth` the memories that they lead to, each with its path.

        With `depth`, 1 to 3, it lists active memories that are reached over at most `depth` links; if no memory is
        named, the search starts from the three best answers to `query`. Links fade: after 90 days without an event each
        loses a tenth of its confidence for each 90 days that begin, and below 0.2 a link is not followed. Links of a
        cause are followed only to its effect, all others in both directions. Nothing counts as used.
        """
        if name is not None and query is None and depth is None:
            related.refuse_limit(limit)
            return await inspect.links(self._core, name)
        return await related.find_related(self._core, name, query, depth, limit)

    # Curating

    @overload
    async def plan(self, policy: str | None = None, *, overrides: Overrides | None = None) -> Plan: ...

    @overload
    async def plan(self, policy: str | None = None, *, compare: Plan, limit: int = 100) -> PlanDiff: ...

    async def plan(
        self,
        policy: str | None = None,
        *,
        overrides: Overrides | None = None,
        compare: Plan | None = None,
        limit: int | None = None,
    ) -> Plan | PlanDiff:
        """Show what a policy would do now; nothing is written.

        With `compare` it compares another plan with now: which of its changes would still be made, which would not and
        why, and which others are due, with at most `limit` (100) memories of each action. Overrides are then those of
        that plan.
        """
        if compare is not None:
            return await comparing.diff(self._core, compare, limit, policy, overrides)
        comparing.refuse_limit(limit)
        choice = curating.choose(self._core, policy, overrides)
        return await curating.plan(self._core, choice, listed=plan_report.LISTED)

    async def apply(
        self,
        plan: Plan,
        *,
        policy: str | None = None,
        overrides: Overrides | None = None,
        allow_destroyed: int | None = None,
        progress: Progress | None = None,
    ) -> Receipt:
        """Apply a plan; memories that were used, linked or edited since are skipped and reported.

        A plan is a proposal: of a plan that comes from elsewhere only those changes are made that its policy would make
        now. Name that policy if it is neither adopted nor the one that this memory was opened with. If the call is
        cancelled, the changes made until then are a run of their own, and the same plan may be applied again for the
        rest.
        """
        choice = curating.choose(self._core, policy, overrides) if policy is not None or overrides else None
        return await curating.apply(self._core, plan, allow_destroyed, choice, progress=progress)

    async def curate(
        self,
        policy: str | None = None,
        *,
        overrides: Overrides | None = None,
        allow_destroyed: int | None = None,
        progress: Progress | None = None,
    ) -> Receipt:
        """Plan and apply in one call.

        A plan above the deletion limit is refused, unless it deletes at most `allow_destroyed` memories.
        """
        made = await curating.plan(self._core, curating.choose(self._core, policy, overrides))
        return await self.apply(made, allow_destroyed=allow_destroyed, progress=progress)

    async def forecast(
        self, days: int = 30, policy: str | None = None, **more: Unpack[Foretelling]
    ) -> Forecast:
        """Show what a policy will do in the coming days if only time passes; nothing is written.

        Each round is judged as `plan` would judge it then. `unknown` lists what cannot be known.
        """
        return await forecasting.forecast(self._core, forecasting.Wish(days, policy, **more))

    @overload
    async def run_jobs(
        self, cadence: CadenceName | None = None, *, policy: str | None = None, expire: bool = False
    ) -> JobsResult: ...

    @overload
    async def run_jobs(self, *, stop: StopSignal, **options: Unpack[UntilStopped]) -> DaemonResult: ...

    async def run_jobs(
        self,
        cadence: CadenceName | None = None,
        *,
        policy: str | None = None,
        expire: bool = False,
        stop: StopSignal | None = None,
        **options: Unpack[UntilStopped],
    ) -> JobsResult | DaemonResult:
        """Run the due jobs once: curation, extraction, consolidation, vectors, the mirror; or until `stop` is set.

        Rules are judged by their `every`: those that are due, or those of the `cadence` that is named, and all quicker
        ones. A round takes at most 2 seconds for rapid rules, 5, 10 and 30 for standard, hourly and deep ones; the next
        round does the rest. The policy is the one in force here, or where none is adopted the one that is named.
        Without any policy the round only finishes pending work of an erasure. With `expire` it deletes undo data that
        are older than the setting `audit_days`; their runs stay, one line each, and can no longer be undone; runs that
        only counted uses go. It keeps the undo data of memories under a hold, of deleted memories that are not purged
        yet, and of memories purged so recently that they can be restored. A deep round under a policy deletes expired
        undo data by itself.

        With `stop` it runs until `stop` is set, in all scopes of the store that have adopted a policy; it ends after
        the current part of a plan.
        """
        if stop is None:
            _refuse_beside("until `stop` is set", options)
            return await schedules.run_once(self._core, cadence, policy=policy, expire=expire)
        _refuse_beside("once", {"cadence": cadence, "policy": policy, "expire": expire or None})
        return await schedules.run_until_stopped(self._core, stop, options)

    async def undo(self, run: Run, *, progress: Progress | None = None) -> Receipt:
        """Undo a run as a whole; refused if its changes were changed again.

        "last" names the newest run of yours that changed something; the receipt says which it was. If the call is
        cancelled, the next `undo` of the same run continues where it stopped.
        """
        return await runs.undo_named(self._core, runs.run_id(run), progress)

    # Looking back

    async def explain(
        self, name: OneMemory, policy: str | None = None, *, overrides: Overrides | None = None
    ) -> Explanation:
        """Explain why a memory is active, archived or deleted: its worth, rules and guards, and when they apply."""
        return await inspect.explain(self._core, name, policy, overrides)

    @overload
    async def history(
        self,
        name: OneMemory | None = None,
        *,
        limit: int = 100,
        verb: str | None = None,
        after: Run | None = None,
        decision: ActionName | Literal["any"] | None = None,
        outcome: OutcomeName | None = None,
    ) -> builtins.list[Event]: ...

    @overload
    async def history(self, *, run: Run, limit: int = 100) -> RunReport: ...

    async def history(
        self,
        name: OneMemory | None = None,
        *,
        limit: int = 100,
        verb: str | None = None,
        after: Run | None = None,
        decision: ActionName | Literal["any"] | None = None,
        outcome: OutcomeName | None = None,
        run: Run | None = None,
    ) -> builtins.list[Event] | RunReport:
        """Show the changes of a memory, the newest runs (the audit log), or all that one run did.

        With `verb`, such as "curate", it lists only those runs; runs that only count uses are listed with "use" alone.
        It continues after `after`: later runs of a memory, else older ones. With a `decision`, "any" or one by name, or
        an `outcome`, it lists only runs in which the engine made such a decision by itself, each with these
        `decisions`. Of a `run` it shows per action the rules, the first memories, at most `limit` of each, and how to
        undo it.
        """
        if run is not None:
            inspect.refuse_beside_run(name, verb, after, decision, outcome)
            return await run_report.read_run_report(self._core, runs.run_id(run), limit)
        return await inspect.history(self._core, name, limit, verb, after, decision=decision, outcome=outcome)

    async def guidelines(self, *lines: int | str, off: bool = False) -> Guidelines:
        """Show the guidelines that the model gets, and the draft; with lines set them, with `off` set none.

        The draft is what the newest 500 recorded decisions suggest, as of the last consolidation; nothing of it is in
        force. At most five lines can be set: numbers of lines of the draft, or words of your own.
        """
        if lines or off:
            return await guidelines.set_guidelines(self._core, lines, off=off)
        return await guidelines.read_guidelines(self._core)

    async def status(self) -> State:
        """Count memories, links and sessions, and show due jobs."""
        return await inspect.status(self._kept.looked_at)

    async def doctor(self) -> builtins.list[Check]:
        """Check the file and its health: structure, hashes, audit, full text, clock, roles and languages."""
        return await checks.run_checks(self._kept.looked_at)

    def guide(self, verb: str | None = None) -> Guide:
        """Explain when to use a verb, what it costs and returns, and what comes next."""
        return guide(verb)

    # Sessions

    async def begin_session(self, task_type: str = "general", *, heartbeats: bool = True) -> str:
        """Begin a session; texts stored until it ends belong to it.

        If a session is open already, it is returned. Due curation runs first. With `heartbeats` the time of the session
        is counted while it lasts, and closing the memory ends the session. Without, the session outlives the process,
        and its whole time is counted when it ends.
        """
        return await sessions.begin(self._core, task_type, heartbeats=heartbeats)

    async def end_session(self, session: str | None = None) -> float:
        """End a session and make its inbox memories active.

        It ends the open session, or one by id. It returns the session's length in hours; 0.0 where none was open.
        """
        return await sessions.end(self._core, session)

    @asynccontextmanager
    async def session(self, task_type: str = "general") -> AsyncIterator[str]:
        """Open a session for a block of code."""
        async with sessions.hold_session(self._core, task_type) as session_id:
            yield session_id

    # Backup, export and import

    async def backup(self, path: str | Path, *, to: str | Path = "") -> None:
        """Write a verified copy of the whole database; an existing file is never overwritten."""
        await copies.backup(self._core, path, to)

    def export(
        self, *, to: str | Path | None = "-", progress: Progress | None = None
    ) -> AsyncIterator[bytes]:
        """Write all memories and links as JSON lines, without clocks, settings and policy.

        `to` says where you put them: an erasure then names that place. Pass None where nothing of it stays, such as
        where another memory imports it at once.
        """
        return transfer.export(self._core, to, progress)

    async def import_(
        self,
        lines: Iterable[bytes | str],
        name: str = "import",
        *,
        edited: bool = False,
        trust: TrustName | Trust = "outside",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Import an export; existing texts are confirmed, other versions of existing memories are merged.

        No text in it is believed more than `trust` says: pass "user" for an export of your own, or nothing that is here
        is changed by another version. The receipt counts memories that were imported, kept, merged and refused, and
        conflicts: texts that two files edited, which `review.list` shows. A `dry_run` counts the same and writes
        nothing. A file that was cut or edited since it was exported is refused, unless `edited` is True. If the call is
        cancelled, the part that was imported is a run of its own, and the same import adds the rest.
        """
        return await transfer.import_(
            self._core, lines, name, edited=edited, trust=trust, dry_run=dry_run, progress=progress
        )

    # Listing; last, since below it `list` is no type any more in this class

    async def list(
        self,
        *,
        status: Some[StatusName | Status] | Literal["any"] | None = None,
        kind: Some[KindName | Kind] | None = None,
        tags: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        limit: int = 1_000,
        oldest_first: bool = False,
        **equal: Unpack[ListOptions],
    ) -> builtins.list[Memory]:
        """List memories, newest first, filtered by kind, tags, status or any column.

        Without a `status` it lists inbox and active memories; with one, memories that have it, or one of several, or
        "any". `as_of` lists memories that matched at an instant, `between` limits when they were said. The list
        continues after the memory `after`, the last one of the list before: memories that are stored or deleted
        meanwhile cause no gap and no repetition.
        """
        named = {"status": status, "kind": kind, "tags": tuple(tags) or None}
        asked = listing.read_listing(named, equal, filters or {}, limit, oldest_first=oldest_first)
        return await listing.list_memories(self._core, asked)
