"""The tools: each calls one verb of the engine, and answers in a typed result.

Knows which tools there are and what they take; must not know the protocol they are called by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from remanence.clock import SystemClock
from remanence.curate.plan import Plan
from remanence.curate.policy.document import presets
from remanence.engine import Engine
from remanence.errors import Conflict, InvalidInput, NameUnknown, NotFound, PlanHeld, Protected
from remanence.faces.cli.show import lines
from remanence.faces.mcp.answers import Answer, Done, Prepared, Rating, Stored, Told
from remanence.faces.mcp.fence import fenced
from remanence.faces.mcp.plans import Forgetting, Plans
from remanence.faces.moments import moment
from remanence.flows.recall.recalling import render
from remanence.guards import protecting
from remanence.guide import guide
from remanence.model import Memory, Status
from remanence.text import visible

IDS_MAX = 100  # of one call
LIMIT = 10  # of a recall that names none; hosts send null for what is absent

Text = Annotated[str, Field(description="One subject, in full sentences, with names and dates.")]
Id = Annotated[str, Field(description="The id of a memory, as recall shows it.")]
Ids = Annotated[list[str], Field(description="Ids of memories, as recall shows them.")]
Query = Annotated[str, Field(description="The question in its own words.")]
Budget = Annotated[int | None, Field(description="At most so many tokens of stored text.")]
Policy = Annotated[str | None, Field(description="A preset's name; the adopted policy if absent.")]
PlanId = Annotated[str, Field(description="As plan or forget answered it.")]


@dataclass
class Tools:
    """The tools over one open memory; public methods are tools."""

    memory: Engine
    allow_curation: bool = False
    plans: Plans = field(default_factory=Plans)

    async def boot(self, budget: Budget = None) -> Answer:
        """Begin here: what later work rests on, then what happened last."""
        return Answer.of(await self.memory.boot(budget=budget))

    async def frame(
        self,
        name: Annotated[
            str, Field(description="self, attention, task, simulate, or one that a person made.")
        ],
        query: Annotated[str | None, Field(description="What it is about; everything if absent.")] = None,
        budget: Budget = None,
    ) -> Answer:
        """Show a view for a purpose: what it guarantees, then the best that fits."""
        return Answer.of(await self.memory.frame(name, query, budget=budget))

    async def recall(
        self,
        query: Query,
        limit: Annotated[
            int | None, Field(description=f"At most so many memories; {LIMIT} if absent.")
        ] = None,
        budget: Budget = 1_500,
        tags: Annotated[list[str] | None, Field(description="Only with all of these tags.")] = None,
        since: Annotated[str | None, Field(description="Only said at or after, ISO 8601.")] = None,
        until: Annotated[str | None, Field(description="Only said at or before, ISO 8601.")] = None,
    ) -> Answer:
        """Find what was remembered. Ask before answering or deciding."""
        filters = {"tags": tags} if tags else {}
        return Answer.of(
            await self.memory.recall(
                query,
                limit=LIMIT if limit is None else limit,
                budget=budget,
                filters=filters,
                between=_between(since, until),
            )
        )

    async def learn(
        self,
        text: Text,
        category: Annotated[str | None, Field(description="Such as fact, decision or task.")] = None,
        kind: Annotated[str | None, Field(description="semantic, episodic or procedural.")] = None,
        tags: Annotated[list[str] | None, Field(description="Names to find it by.")] = None,
        speaker: Annotated[str | None, Field(description="Who said it.")] = None,
        role: Annotated[
            str | None, Field(description="user, assistant, system or tool; told by the speaker if absent.")
        ] = None,
        source: Annotated[str | None, Field(description="Where it can be looked up.")] = None,
        said_at: Annotated[str | None, Field(description="When, ISO 8601; now if absent.")] = None,
    ) -> Stored:
        """Remember one text. It is on the disk when this answers."""
        when = None if said_at is None else moment(said_at)
        about: dict[str, Any] = {
            "category": category,
            "kind": kind,
            "speaker": speaker,
            "role": role,
            "source": source,
        }
        # What an agent was told does not say who the agent is, where nobody looks after it.
        done = await self.memory.learn(
            text, tags=tuple(tags or ()), said_at=when, spares_identity=not self.allow_curation, **about
        )
        return Stored(done.id, done.status, done.note)

    async def rate(
        self,
        ids: Ids,
        signal: Annotated[float, Field(description="From 0 (misled) over 0.5 (neither) to 1 (helped).")],
        confirm: Annotated[bool, Field(description="This was the answer, not only a help.")] = False,
    ) -> Rating:
        """Say whether recalled memories helped or misled you."""
        done = await self.memory.rate(ids, signal, spares_identity=not self.allow_curation)
        for name in done.rated if confirm else ():
            await self.memory.confirm(name)
        return Rating.of(done)

    async def plan(self, policy: Policy = None) -> Prepared:
        """Show what a curation policy would do now. Nothing is written."""
        if policy is not None and policy not in presets():
            raise NameUnknown("policy", policy, presets())
        made = await self.memory.plan(policy)
        return Prepared.of(self.plans.add(made), made)

    async def explain(self, id: Id, policy: Policy = None) -> Told:  # noqa: A002 - what it is called on the wire
        """Say why a memory stays or goes: every rule and guard with the values it saw."""
        if policy is not None and policy not in presets():
            raise NameUnknown("policy", policy, presets())
        return Told(visible(str(await self.memory.explain(id, policy))))

    async def status(self) -> Told:
        """Show the memory in numbers."""
        return Told(visible("\n".join(line.plain for line in lines(await self.memory.status()))))

    async def guide(
        self, verb: Annotated[str | None, Field(description="A tool's name; all if absent.")] = None
    ) -> Told:
        """Say when to use a tool, what it costs and returns, and what comes next."""
        tools = names(allow_curation=True)
        if verb is not None and verb not in tools:
            raise NameUnknown("tool", verb, tools)
        told = [advice for advice in guide(verb).entries if advice.verb in tools]
        return Told("\n\n".join(map(str, told)))

    async def forget(self, ids: Ids) -> Prepared:
        """Prepare to forget memories: shows what would go and what is protected. Then apply the plan's id."""
        if not 1 <= len(ids) <= IDS_MAX:
            raise InvalidInput(f"{len(ids)} ids", recovery=f"name 1 to {IDS_MAX} memories")
        found = [await self.memory.get(name) for name in dict.fromkeys(ids)]
        now = SystemClock().now()
        system = self.memory.policy.is_system
        why = {
            memory.id: _spared(memory, protecting(memory, system=system(memory.category), now=now))
            for memory in found
        }
        going = [memory for memory in found if not why[memory.id]]
        plan_id = self.plans.add(Forgetting({memory.id: memory.revision for memory in going}))
        shown = fenced("\n".join(map(render, going)))
        spared = {name: reason for name, reason in why.items() if reason}
        return Prepared(plan_id, f"Would be forgotten: {shown}", {"forget": len(going)}, spared)

    async def apply(self, plan_id: PlanId) -> Done:
        """Do what a plan showed, once. What was edited since, or used if a policy chose it, is skipped and listed."""
        plan = self.plans.take(plan_id)
        done = await (self._forget(plan) if isinstance(plan, Forgetting) else self._apply(plan))
        self.plans.applied(plan_id, done.runs)
        return done

    async def undo(self, run: Annotated[str, Field(description="A run that apply answered.")]) -> Done:
        """Take a run back, whole or not at all."""
        return Done.of(await self.memory.undo(run))

    async def _apply(self, plan: Plan) -> Done:
        try:
            return Done.of(await self.memory.apply(plan))
        except PlanHeld as held:
            if held.clock:
                raise
            raise PlanHeld(
                str(held),
                recovery="too much for an agent to destroy: a person may look and run `remanence curate`",
                destroyed=held.destroyed,
            ) from held

    async def _forget(self, plan: Forgetting) -> Done:
        receipts, skipped = [], []
        for name, revision in plan.revisions.items():
            try:
                receipts.append(await self.memory.forget(name, if_revision=revision))
            except Conflict:
                skipped.append(f"{name}: changed since the plan was made")
            except (NotFound, Protected) as error:
                skipped.append(visible(str(error)))
        return Done.of(*receipts, skipped=skipped)


def _spared(memory: Memory, guards: Sequence[str]) -> str:
    """Say why a memory would not be forgotten; "" where it would."""
    if memory.status is Status.PRUNED:
        return "forgotten already"
    return f"protected: {', '.join(guards)}" if guards else ""


def _between(since: str | None, until: str | None) -> tuple[datetime, datetime] | None:
    if since is None and until is None:
        return None
    return moment(since or "1971-01-01"), moment(until or "2254-12-31")


# What is offered only with --allow-curation.
CURATING = ("forget", "apply", "undo")
# What changes no memory: counting uses and keeping a plan in mind is bookkeeping.
READING = frozenset({"boot", "frame", "recall", "plan", "explain", "status", "guide", "forget"})


def names(*, allow_curation: bool) -> tuple[str, ...]:
    """Return the names of the tools that a server offers."""
    every = tuple(name for name, one in vars(Tools).items() if callable(one) and not name.startswith("_"))
    return tuple(name for name in every if allow_curation or name not in CURATING)
