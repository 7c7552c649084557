"""The tools: each calls one verb of the engine or a few, and answers in text.

Knows which tools there are, what they take, and which plans were shown and wait for a yes; must not know the protocol
they are called by.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, TypedDict, Unpack, get_args

import orjson
from pydantic import Field

from remanence.core.arguments import check_count
from remanence.core.clock import read_monotonic_micros
from remanence.core.errors import (
    Conflict,
    Erased,
    InvalidInput,
    NameUnknown,
    NotFound,
    PlanHeld,
    Protected,
    format_value,
    nearest,
)
from remanence.core.keywords import VerdictName
from remanence.core.model import (
    LINEAGE,
    Kind,
    LearnResult,
    Memory,
    RecallResult,
    Relation,
    Role,
    Status,
    short_id,
)
from remanence.core.receipt import Receipt
from remanence.core.verbs import advice
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.document import PRESETS
from remanence.edit.one_memory import says_who
from remanence.engine import Engine
from remanence.faces.mcp import answers
from remanence.faces.mcp.inputs import Choices, Texts
from remanence.faces.server_state import KEPT_S, ProcessState, ServerState, StatePlace, find_place
from remanence.faces.show import lines
from remanence.faces.style import in_local_zone, interval, moment, written_time
from remanence.flows.base.naming import parse_number
from remanence.flows.base.settings import read_local_now, read_zone
from remanence.flows.curate.curating import describe
from remanence.flows.recall.profiling import Profile
from remanence.flows.write.noting import NoteResult
from remanence.flows.write.proposals import propose
from remanence.llm.questions import mark_as_data
from remanence.recall.frames import BUDGET_MAX, LIMIT_MAX

IDS_MAX = 100  # of one call
TEXTS_MAX = 100  # of one call, too: what a model writes in one go is far less
LIMIT = 10  # of a recall that names none; hosts send null for what is absent
BUDGET = 1_500
AROUND = 84  # tokens of the marks, and of what stands around them, at most
EVENTS = 10  # of a memory's history, the newest
LINKS = 20  # of a memory, the strongest
_UNDRAWN = LINEAGE | {Relation.NEWER}  # an agent that knows what holds now says so by `correct`
ALL = "all"  # asks why of all that is returned
KEPT_OUT = frozenset({"gated", "quarantined"})
PROFILE_WORDS = "who you are, and how people want things done"
TURN = "turn"  # the kind of what is noted
_NOTHING = "a run that had nothing to do"
Id = Annotated[str, Field(description="As recall shows it.")]
Ids = Annotated[Texts, Field(description="As recall shows them.")]
Query = Annotated[str | None, Field(description="In its own words; none: the newest.")]
Budget = Annotated[int | None, Field(description="Maximum tokens.")]
Policy = Annotated[str | None, Field(description="A preset; else the adopted one.")]
UNDER_WAY_MAX = 2  # answers to one agent at once that read a whole scope
WAITING_MAX = 16  # a plan of a large scope is megabytes; who has shown so many has forgotten the first


class Times(TypedDict, total=False):
    """When what is recalled was said and confirmed, about when the question is, and as of when it is answered."""

    since: Annotated[str | None, Field(description="As last week.")]
    until: str | None
    around: Annotated[str | None, Field(description="FROM/TO, or a day.")]
    as_of: str | None
    max_age: Annotated[int | None, Field(description="Days.")]
    verified: bool | None


class Origin(TypedDict, total=False):
    """Who said a text, in which role, where it stands and when it was said."""

    speaker: str | None
    role: Annotated[str | None, Field(description="Else by the speaker.")]
    source: str | None
    said_at: Annotated[str | None, Field(description="Else now.")]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Memories that somebody asked to forget: their ids, each with the revision that was looked at."""

    revisions: dict[str, int]


class Plans:
    """The newest plans of an agent in a scope, by id; each can be taken once."""

    def __init__(self, state: ServerState | None = None, scope: str = "", owner: str = "") -> None:
        self._state = state or ProcessState(read_monotonic_micros)
        self._scope, self._owner = scope, owner
        self._under_way = 0

    @contextmanager
    def work_out(self) -> Iterator[None]:
        """Work something out of a whole scope; refused where this agent waits for as many such answers as it may."""
        if self._under_way >= UNDER_WAY_MAX:
            raise InvalidInput(
                f"{UNDER_WAY_MAX} long answers are under way for you", recovery="call it again in a second"
            )
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def add(self, plan: Plan | Forgetting) -> str:
        """Keep a plan and return its id; the oldest goes where too many wait."""
        plan_id = f"plan-{secrets.token_hex(4)}"
        value = plan.to_json() if isinstance(plan, Plan) else orjson.dumps(plan.revisions).decode()
        kind = "plan" if isinstance(plan, Plan) else "forget"
        await self._put(StatePlace(self._scope, "plan", self._name(plan_id)), f"{kind} {value}")
        return plan_id

    async def record_runs(self, plan_id: str, runs: list[str]) -> None:
        """Note which runs did what a plan said."""
        await self._put(find_place("applied", self._name(plan_id)), ", ".join(runs) or _NOTHING)

    async def take(self, plan_id: str) -> Plan | Forgetting:
        """Return a plan, which is then gone."""
        kept = await self._state.take(StatePlace(self._scope, "plan", self._name(plan_id)))
        if kept:
            kind, _, value = kept.partition(b" ")
            return Plan.from_json(value) if kind == b"plan" else Forgetting(orjson.loads(value))
        runs = await self._state.find(find_place("applied", self._name(plan_id)))
        if runs:
            raise InvalidInput(
                f"{plan_id} was applied already by {runs.decode()}",
                recovery="plan again (or forget again) for what is to be done now, or undo that run",
            )
        raise NotFound(
            f"no plan {plan_id[:40]!r} waits here: it is too old, was refused, or was never made",
            recovery="plan again (or forget again) and apply the id that it answers",
        )

    async def _put(self, place: StatePlace, value: str) -> None:
        await self._state.put(place, value.encode(), seconds=KEPT_S, owner=self._owner, most=WAITING_MAX)

    def _name(self, plan_id: str) -> str:
        return f"{self._owner}/{self._scope}/{plan_id}"


@dataclass
class Tools:
    """The tools over one open memory; public methods are tools.

    Without `counts_use` nothing that is shown counts as used.
    """

    memory: Engine
    allow_curation: bool = False
    plans: Plans = field(default_factory=Plans)
    counts_use: bool = True
    also_read: Sequence[str] = ()  # other scopes that a question is asked in, too

    async def recall(
        self,
        query: Query = None,
        limit: Annotated[int | None, Field(description=f"Else {LIMIT}.")] = None,
        budget: Budget = BUDGET,
        tags: Annotated[Texts | None, Field(description="With all of these.")] = None,
        category: str | None = None,
        why: Annotated[str | None, Field(description="all, or what you miss: id or text.")] = None,
        **when: Unpack[Times],
    ) -> str:
        """Find what answers a question, and say why where that is asked: of all of it, or of what is missing.

        Without a question the newest are listed, which counts no use.
        """
        room, most = _shrink_budget(budget), LIMIT if limit is None else limit
        filters: dict[str, Any] = {"tags": tags} if tags else {}
        filters |= {} if category is None else {"category": category}
        now = await read_local_now(self.memory._core)  # noqa: SLF001 # "last week" is meant from now on
        since = when.get("since")
        until = when.get("until")
        if since is None and until is None:
            between = None
        else:
            between = interval(f"{since or '1971-01-01'}/{until or '2254-12-31'}", now)
        around, as_of = when.get("around"), _parse_moment(when.get("as_of"))
        max_age, verified = when.get("max_age"), bool(when.get("verified"))
        if query is None:
            if any(one is not None for one in (why, around, as_of, max_age)) or verified:
                raise InvalidInput(
                    "why, around, as_of, max_age and verified are of a question",
                    recovery="pass query, or show the frame attention as of a time",
                )
            # One more is asked for, to tell whether there is more.
            check_count("limit", most, 1, LIMIT_MAX)
            if room is not None:
                check_count("budget", room, 1, BUDGET_MAX)
            found = await self.memory.list(limit=most + 1, filters=filters, between=between)
            return answers.render_newest(found[:most], room, is_whole=len(found) <= most)
        # Why is told of the own scope alone.
        scopes = [self.memory.scope, *self.also_read] if self.also_read and why is None else None
        answer = await self.memory.recall(
            query,
            scopes=scopes,
            limit=most,
            budget=room,
            filters=filters,
            between=between,
            around=None if around is None else interval(around, now),
            as_of=as_of,
            max_age=max_age,
            verified=verified,
            explain=why is not None,
            why_not=None if why is None or why == ALL else why,
            count_use=self.counts_use,
        )
        alone = f"\nExplained of scope {self.memory.scope} alone." * bool(self.also_read and why is not None)
        return answers.render_recall_result(answer, room) + alone

    async def get(
        self,
        id: Id,  # noqa: A002 - what it is called on the wire
        policy: Policy = None,
        as_of: str | None = None,
    ) -> str:
        """Show one memory whole, with its links and its history, and why a policy keeps or removes it.

        As of an instant it is shown alone, as it was.
        """
        if as_of is not None:
            then = await self.memory.get(id, as_of=moment(as_of))
            is_withheld = bool(await self.memory.list(status="quarantined", filters={"id": then.id}))
            return answers.render_memory_as_of(then, is_withheld=is_withheld)
        memory = await self.memory.get(id)
        links = sorted(await self.memory.links(memory.seq), key=lambda link: -link.weight)[:LINKS]
        others = {link.source + link.target - memory.seq for link in links}
        ends = [await self.memory.get(seq) for seq in sorted(others)]
        events = await self.memory.history(memory.seq)
        with self.plans.work_out():
            explanation = await self.memory.explain(memory.seq, _preset(policy))
        return answers.render_memory(
            memory, {one.seq: one for one in ends}, links, events[-EVENTS:], explanation
        )

    async def learn(
        self,
        text: Annotated[
            Texts, Field(description="Each one subject, in full sentences, with names and dates.")
        ],
        category: str | None = None,
        kind: str | None = None,
        tags: Annotated[Texts | None, Field(description="Names.")] = None,
        replaces: str | None = None,
        **origin: Unpack[Origin],
    ) -> str:
        """Remember a text or several, of which all else holds alike; a category that is none becomes a tag."""
        notes, all_tags = [], list(tags or ())
        old = None if replaces is None else await self.memory.get(replaces)
        if old is not None and len(text) != 1:
            raise InvalidInput("several texts replace nothing together", recovery="learn each by itself")
        if category is not None and category not in self.memory.policy.current.categories:
            near = nearest(category, self.choices["learn"]["category"])
            hint = f"; did you mean {near!r}?" if near else ""
            notes.append(f"{format_value(category)} is no category and became a tag{hint}")
            all_tags.append(category)
            category = None
        # What an agent was told does not say who the agent is: a person says that.
        own = [tag for tag in all_tags if says_who([tag], system=False)]
        about: dict[str, Any] = {
            "category": category,
            "tags": [tag for tag in all_tags if tag not in own],
            "speaker": origin.get("speaker"),
            "source": origin.get("source"),
            "said_at": await self._read_said_at(origin.get("said_at")),
            "kind": None if kind == TURN else kind,
            "role": origin.get("role"),
        }  # the engine knows which there are
        stored = await self._store(text, about, is_turn=kind == TURN)
        if old is not None:
            notes.append(await self._replace(old, stored[0]))
        told = [await self._tell_stored(answer, notes, own) for answer in stored]
        return "\n".join(told)

    async def _read_said_at(self, text: str | None) -> datetime | None:
        """Read when something was said: without a zone by the clocks of the scope, else of this machine."""
        zone = None if text is None else await read_zone(self.memory._core)  # noqa: SLF001 # as every write reads it
        return None if text is None else in_local_zone(written_time(text), zone)

    async def _store(
        self, texts: Sequence[str], about: dict[str, Any], *, is_turn: bool
    ) -> Sequence[LearnResult | NoteResult]:
        """Store texts; where one cannot be kept, none is."""
        if len(texts) == 1:
            store = self.memory.note if is_turn else self.memory.learn
            return [await store(texts[0], **about)]
        if is_turn and texts:
            raise InvalidInput("turns come one at a time", recovery="learn each by itself")
        if not 1 <= len(texts) <= TEXTS_MAX:
            raise InvalidInput(f"{len(texts)} texts", recovery=f"learn 1 to {TEXTS_MAX} at once")
        return await self.memory.learn([{"text": text, **about} for text in texts])

    async def _replace(self, old: Memory, new: LearnResult | NoteResult) -> str:
        """Let what was stored take the place of a memory; say so, or why both stand."""
        name = short_id(old.seq)
        if new.status in KEPT_OUT or new.seq == old.seq:
            return f"{name} stays as it is"
        try:
            await self.memory.correct(old.seq, by=new.seq)
        except (Conflict, Erased, InvalidInput, Protected) as error:
            return f"{name} stands beside it: {error}"
        return f"instead of {name}, which stays as history"

    async def _tell_stored(
        self, answer: LearnResult | NoteResult, notes: Sequence[str], own: Sequence[str]
    ) -> str:
        """Say what became of a text; what it says of who the agent is waits for the user."""
        waits: tuple[str, ...] = ()
        if own and answer.seq:
            waits = await propose(self.memory._core, answer.seq, own)  # noqa: SLF001 # a part of storing, and no verb
        told = [
            *notes,
            *([f"{', '.join(waits)} waits for the user, who alone says who you are"] if waits else []),
        ]
        return (
            answers.render_note_result(answer, told)
            if isinstance(answer, NoteResult)
            else answers.render_learn_result(answer, told)
        )

    async def correct(
        self,
        id: Id,  # noqa: A002
        text: str,
    ) -> str:
        """Let a corrected text take the place of a memory."""
        old = await self.memory.get(id)
        answer = await self.memory.correct(old.seq, text)
        notes = [f"instead of {short_id(old.seq)}, which stays as history"]
        reply = answers.render_learn_result(answer, [] if answer.status == "gated" else notes)
        return reply + (
            f"\nTake it back with undo, run {answer.run}"
            if answer.run is not None and self.allow_curation
            else ""
        )

    async def link(
        self,
        source: Id,
        target: str,
        relation: str,
    ) -> str:
        """Link two memories by a relation."""
        if relation in {one.label for one in _UNDRAWN}:
            raise InvalidInput(
                f"{relation} says what took whose place, and is not drawn by hand",
                recovery=f"use correct, or one of: {', '.join(self.choices['link']['relation'])}",
            )
        wish: dict[str, Any] = {"relation": relation}
        link = await self.memory.link(source, target, **wish)
        return f"{short_id(link.source)} {link.relation.label} {short_id(link.target)}, seen {link.count}×"

    async def rate(
        self,
        ids: Ids,
        verdict: str,
    ) -> str:
        """Say whether memories were right, and whether they helped."""
        choice: Any = verdict
        answer = await self.memory.rate(ids, choice)
        skips = [f"{short_id(one.seq) if one.seq else one.id} ({one.reason})" for one in answer.skipped]
        if not answer.rated:
            raise InvalidInput(
                f"nothing was rated: {', '.join(skips)}", recovery="pass ids as recall shows them"
            )
        rated_ids = ", ".join([short_id((await self.memory.get(name)).seq) for name in answer.rated])
        return f"Rated {rated_ids} {verdict}." + (f" Skipped {', '.join(skips)}." if skips else "")

    async def frame(
        self,
        name: Annotated[str, Field(description="boot, profile, self, attention, task, simulate or yours.")],
        query: Annotated[str | None, Field(description="The matter; else everything.")] = None,
        budget: Budget = None,
        as_of: str | None = None,
    ) -> str:
        """Show the memory through a frame; `boot` is the start context."""
        room, then = _shrink_budget(budget), _parse_moment(as_of)
        answer: RecallResult | Profile = await self.memory.frame(
            name, query, budget=room, count_use=self.counts_use, as_of=then
        )
        if isinstance(answer, Profile):
            return mark_as_data(str(answer), PROFILE_WORDS)
        return answers.render_recall_result(answer)

    async def status(self) -> str:
        """Count memories, links and sessions, and show due jobs."""
        # Of runs an agent is told of its own alone, in the answers that made them.
        state = replace(await self.memory.status(), interrupted=())
        text = "\n".join(line.plain for line in lines(state))
        return mark_as_data(text, "the memory in numbers")

    async def plan(
        self,
        policy: Policy = None,
        limit: Annotated[int | None, Field(description="Of each rule; else 5.")] = None,
    ) -> str:
        """Show what a policy would do now."""
        with self.plans.work_out():
            draft = await self.memory.plan(_preset(policy))
        core = self.memory._core  # noqa: SLF001 # a part of showing a plan, and no verb
        report = draft.describe() if limit is None else await describe(core, draft, limit)
        return answers.render_waiting_plan(await self.plans.add(draft), report)

    async def forget(self, ids: Ids) -> str:
        """Prepare to forget memories."""
        if not 1 <= len(ids) <= IDS_MAX:
            raise InvalidInput(f"{len(ids)} ids", recovery=f"name 1 to {IDS_MAX} memories")
        by_id = {one.id: one for one in [await self.memory.get(name) for name in dict.fromkeys(ids)]}
        find_protections = self.memory._core.find_protections  # noqa: SLF001 # as `forget` asks
        why = {one.id: _explain_refusal(one, find_protections(one)) for one in by_id.values()}
        going = [memory for memory in by_id.values() if not why[memory.id]]
        plan_id = await self.plans.add(
            Forgetting({short_id(memory.seq): memory.revision for memory in going})
        )
        spared = {short_id(by_id[name].seq): reason for name, reason in why.items() if reason}
        return answers.render_forget_plan(plan_id, going, spared)

    async def apply(self, plan_id: Annotated[str, Field(description="As plan or forget answered.")]) -> str:
        """Do what a plan showed, once."""
        plan = await self.plans.take(plan_id)
        receipts, skips = await (
            self._forget_planned(plan) if isinstance(plan, Forgetting) else self._apply(plan)
        )
        await self.plans.record_runs(plan_id, [receipt.run for receipt in receipts if receipt.changes])
        return answers.render_receipts(receipts, skips)

    async def undo(
        self,
        run: Annotated[str, Field(description="Its id, last, or the id of one memory.")],
    ) -> str:
        """Take a run of yours back, or bring one memory back, whoever archived or forgot it."""
        if parse_number(run) is not None:
            return answers.render_receipts([await self.memory.restore(run)])
        return answers.render_undo_result(await self.memory.undo(run))

    @property
    def choices(self) -> Mapping[str, Choices]:
        """What arguments of which tool may be of which there are only so many."""
        policy = self.memory.policy.current
        # Those of the system are a person's; who curates may write them, and is not tempted to.
        categories = [name for name in policy.categories if not policy.is_system(name)]
        return {
            "learn": {
                "category": categories,
                "kind": [*(one.label for one in Kind), TURN],
                "role": [one.label for one in Role],
            },
            "link": {"relation": [one.label for one in Relation if one not in _UNDRAWN]},
            "rate": {"verdict": [*get_args(VerdictName)]},
        }

    async def _apply(self, plan: Plan) -> tuple[list[Receipt], list[str]]:
        try:
            return [await self.memory.apply(plan)], []
        except PlanHeld as held:
            if held.clock:
                raise
            raise PlanHeld(
                str(held),
                recovery="too much for an agent to destroy: a person may look and run `remanence curate`",
                destroyed=held.destroyed,
            ) from held

    async def _forget_planned(self, plan: Forgetting) -> tuple[list[Receipt], list[str]]:
        receipts, skips = [], []
        for name, revision in plan.revisions.items():
            try:
                receipts.append(await self.memory.forget(name, if_revision=revision))
            except Conflict:
                skips.append(f"{name}: changed since the plan was made")
            except (Erased, NotFound, Protected) as error:
                skips.append(str(error))
        return receipts, skips


def _explain_refusal(memory: Memory, guards: Sequence[str]) -> str:
    """Say why a memory would not be forgotten; "" where it would."""
    if memory.status is Status.PRUNED:
        return "forgotten already"
    return f"protected: {', '.join(guards)}" if guards else ""


def _shrink_budget(budget: int | None) -> int | None:
    """Return what of a budget is left for memories."""
    return budget if budget is None or budget < 1 else max(1, budget - AROUND)


def _preset(policy: str | None) -> str | None:
    """Return the name of a preset; an agent names no file."""
    if policy is not None and policy not in PRESETS:
        raise NameUnknown("policy", policy, PRESETS)
    return policy


def _parse_moment(text: str | None) -> datetime | None:
    return None if text is None else moment(text)


# What is offered only with --allow-curation.
CURATING = ("plan", "forget", "apply", "undo")
# What changes no memory: counting uses and keeping a plan in mind is bookkeeping.
READING = frozenset({"recall", "get", "frame", "status", "plan", "forget"})
# Where a tool does something else than the verb of its name.
_SAYS = {
    "recall": "Find what answers a question best, or list the newest.",
    "get": "Show one memory whole: its links and history, and why it is kept or removed.",
    "learn": "Store texts, each as a memory. A category that is none becomes a tag.",
    "rate": "Rate how far memories helped.",
    "frame": "Show the memory through a frame. Begin with boot.",
    "forget": "Prepare to delete memories: shows what would go; apply does it.",
    "undo": "Take a run of yours back whole, or bring a memory back.",
}


def says(name: str) -> str:
    """Say what a tool does."""
    return _SAYS.get(name) or advice(name).summary


def names(*, allow_curation: bool, allow_writing: bool = True) -> tuple[str, ...]:
    """Return the names of the tools that a server offers."""
    every = (name for name, one in vars(Tools).items() if callable(one) and not name.startswith("_"))
    some = (name for name in every if allow_writing or name in READING)
    return tuple(name for name in some if allow_curation or name not in CURATING)
