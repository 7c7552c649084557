"""A writer's `replaces` is carried out in a run of its own, within what a day allows; the rest waits for a person."""

from collections.abc import Mapping, Sequence

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status, Trust
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import Opener
from tests.flows.test_newest_truth import drawn, links


class Replaces:
    """A writer that takes every later text for the news of those older ones that it is shown and that begin alike."""

    name = "replaces"

    def __init__(self, sure: float = 1.0, more: Mapping[str, float] | None = None) -> None:
        self.sure, self.more = sure, more or {}

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Name those that share the first two words."""
        del identity
        alike = {name for name, other in others.items() if other.split()[:2] == text.split()[:2]}
        return Judgement(0.5, replaces={**dict.fromkeys(alike, self.sure), **self.more})


OLD, NEW = "Boat seven is kept by Ewan.", "Boat seven is kept by nobody but the harbour."


async def told(memory: remanence.Engine, clock: ManualClock, *texts: str) -> list[remanence.LearnResult]:
    """Learn some texts of Ana's, a minute apart."""
    learned = []
    for text in texts:
        learned.append(await memory.learn(text, speaker="Ana"))
        clock.advance(minutes=1)
    return learned


def berths(number: int) -> tuple[str, str]:
    """Return what a boat's berth was and is."""
    return f"Boat{number} berth: north.", f"Boat{number} berth: gone."


async def test_a_verdict_runs_apart_and_undo_takes_it_back_alone(opener: Opener, clock: ManualClock) -> None:
    """The audit names the writer; the place and the end of validity go in one commit."""
    async with opener(writer=Replaces()) as memory:
        old, new = await told(memory, clock, OLD, NEW)
        before = await memory.get(old.id)
        done = await memory.consolidate()
        was = await memory.get(old.id)
        drawn = await links(memory, Relation.SUPERSEDES)
        (event,) = [one for one in await memory.history(limit=50) if one.verb == "replace"]
        waits = (await memory.review.list()).counts
        assert done.verdicts is not None
        await memory.undo(done.verdicts)
        back = await memory.get(old.id)

    assert (1, (), done.verdicts) == (done.replaced, done.refused, event.run)
    assert "replaces" == event.detail["writer"]
    assert [("update_note", "applied")] == [
        (one["action"], one["outcome"]) for one in event.detail["actions"]
    ]
    assert (Status.SUPERSEDED, Status.ACTIVE) == (was.status, back.status)
    assert [(new.seq, old.seq)] == drawn
    assert (None, was.status_at, None) == (before.valid_to, was.valid_to, back.valid_to)
    assert {} == waits


async def test_a_day_allows_so_many_and_the_rest_waits_for_a_person(
    opener: Opener, clock: ManualClock
) -> None:
    """Across consolidations; what waits stands, and is listed with the command that carries it out."""
    async with opener(writer=Replaces()) as memory:
        pairs = [await told(memory, clock, *berths(number)) for number in range(7)]
        first = await memory.consolidate()
        pairs += [await told(memory, clock, *berths(number)) for number in range(7, 13)]
        second = await memory.consolidate()
        found = [(await memory.get(old.id)).status for old, _ in pairs]
        waits = (await memory.review.list()).counts
        items = [one for one in (await memory.review.list()).items if one.sort == "proposal"]
        clock.advance(days=1)
        third = await memory.consolidate()

    assert (7, 3, 0) == (first.replaced, second.replaced, third.replaced)
    assert 10 == found.count(Status.SUPERSEDED)
    assert {"proposal": 3} == waits
    assert all("review settle" in " ".join(one.commands.values()) for one in items)


async def test_a_day_allows_as_many_sure_links(opener: Opener, clock: ManualClock) -> None:
    """A writer that errs cannot put more out of sight by links than by verdicts; the next day it may again."""
    pairs = [berths(number) for number in range(30)]
    async with opener(writer=Replaces()) as memory:
        await told(memory, clock, *(old for old, _ in pairs))
        await memory.consolidate()
        await told(memory, clock, *(new for _, new in pairs))
        await memory.consolidate()
        linked = await drawn(memory, Relation.NEWER)
        boot = (await memory.frame("boot", budget=4_000)).text
        clock.advance(days=1)
        await told(memory, clock, *(new.replace("gone", "sold") for _, new in pairs))
        await memory.consolidate()
        second = sum(one.is_certain for one in await drawn(memory, Relation.NEWER))

    assert (30, 10) == (len(linked), sum(one.is_certain for one in linked))
    assert 20 <= sum("north" in line.partition("(before:")[0] for line in boot.splitlines())
    assert 20 == second


@pytest.mark.parametrize("guard", ["pin", "hold", "self", "other"])
async def test_what_is_protected_or_of_others_stands(opener: Opener, clock: ManualClock, guard: str) -> None:
    """A pin, a hold, identity wait in review, another speaker's is linked as a contradiction; all are named."""
    async with opener(writer=Replaces()) as memory:
        old = await memory.learn(
            OLD, speaker="Ben" if guard == "other" else "Ana", tags=["self/value"] if guard == "self" else []
        )
        if guard == "pin":
            await memory.pin(old.id)
        if guard == "hold":
            await memory.hold(old.id, "audit")
        clock.advance(hours=1)
        new = await memory.learn(NEW, speaker="Ana")
        done = await memory.consolidate()
        stands = (await memory.get(old.id)).status
        drawn = await links(memory, Relation.CONTRADICTS)
        waits = (await memory.review.list()).counts

    assert (Status.ACTIVE, 0, None) == (stands, done.replaced, done.verdicts)
    assert [f"#{new.seq}: #{old.seq} stands"] == [one.rsplit(": ", 1)[0] for one in done.refused]
    assert ([(old.seq, new.seq)] if guard == "other" else []) == drawn
    assert {"contradiction" if guard == "other" else "proposal": 1} == waits


class Retells(Replaces):
    """A writer that tells what somebody drives in words of its own, and takes what was sold for news of it."""

    name = "retells"

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Say more than a turn that names a Skoda does, and of any other what it says."""
        told = [
            (turn, "Owen owns an ancient Czech saloon." if "Skoda" in turn.text else turn.text)
            for turn in turns
        ]
        return ExtractResult(
            tuple(
                Fact(wanted.categories[0], text, turn.id, (0, len(turn.text)), 0.9, "Owen")
                for turn, text in told
            )
        )

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Name the saloon."""
        del identity
        sold = {name: 1.0 for name, other in others.items() if "saloon" in other and "student" in text}
        return Judgement(0.5, replaces=sold)


@pytest.mark.parametrize("speaker", ["Owen", "Bridget"])
async def test_a_fact_in_a_writers_words_is_replaced_by_another_that_was_heard(
    opener: Opener, clock: ManualClock, speaker: str
) -> None:
    """Whoever said it, as both are believed as much; it is said by who said its turn."""
    async with opener(writer=Retells()) as memory:
        for text, who in (
            ("The Skoda got me home by seven again.", "Owen"),
            ("The saloon is sold to a student.", speaker),
        ):
            await memory.note(remanence.Turn(text, speaker=who, trust="outside"))
            clock.advance(hours=1)
            await memory.consolidate(listen=True)
        (retold,) = [one for one in await memory.list(status="any") if "Czech" in one.text]

    assert ("Owen", Trust.OUTSIDE, Status.SUPERSEDED) == (retold.speaker, retold.trust, retold.status)


async def test_unsure_verdicts_and_ids_never_shown_change_nothing(opener: Opener, clock: ManualClock) -> None:
    """The one is passed over, the other named as an answer that makes no sense."""
    async with opener(writer=Replaces(sure=0.5)) as memory:
        await told(memory, clock, OLD, NEW)
        unsure = await memory.consolidate()
    async with opener(writer=Replaces(more={"f" * 32: 1.0}), scope="other") as memory:
        await told(memory, clock, OLD, NEW)
        unknown = await memory.consolidate()

    assert (2, 0, 0) == (unsure.judged, unsure.replaced, unsure.contradictions)
    assert (0, 0) == (unknown.replaced, unknown.contradictions)
    assert all("it was not shown them" in why for why in unknown.unjudged) and unknown.unjudged


async def test_what_another_speaker_makes_newer_stands_right_above_and_is_named(
    opener: Opener, clock: ManualClock
) -> None:
    """A question that shares its words with the older one is answered by the newer one; a policy replaces neither."""

    class Knows:
        """A writer that takes what Owen says for the news of what Bridget said."""

        name = "knows"

        async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
            """Name what was said of the knee."""
            del identity
            return Judgement(
                0.5, replaces={k: 1.0 for k, v in others.items() if "twenty-sixth" in text and "knee" in v}
            )

    async with opener(writer=Knows()) as memory:
        for number in range(12):
            await memory.learn(f"The tide at quay {number} was low that morning.", speaker="Ana")
        old = await memory.learn("He has his knee done on the twelfth of March.", speaker="Bridget")
        clock.advance(days=1)
        new = await memory.learn("They moved it, he is the twenty-sixth.", speaker="Owen")
        for number in range(12):
            await memory.learn(f"The knee of bridge {number} is done in oak.", speaker="Ana")
        await memory.consolidate()
        drawn = [*await links(memory, Relation.NEWER), *await links(memory, Relation.CONTRADICTS)]
        answer = await memory.recall("When does he have his knee done?", limit=20, count_use=False)
        rows = [hit.id for hit in answer.memories]
        plan = await memory.plan(policy="elfmem")
        await memory.apply(plan)
        stands = (await memory.get(old.id)).status

    assert [(new.seq, old.seq), (old.seq, new.seq)] == drawn
    assert rows.index(old.id) == rows.index(new.id) + 1
    raised = next(hit for hit in answer.memories if hit.id == new.id)
    assert f"#{old.seq}: " in raised.stands_above
    assert f"newer: #{new.seq}" in next(
        line for line in answer.text.splitlines() if line.startswith(f"[#{old.seq} ")
    )
    assert Status.ACTIVE == stands
