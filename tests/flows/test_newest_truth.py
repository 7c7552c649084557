"""What holds now is for a writer, a person or an importer to say: without one no link of change is drawn."""

import asyncio
import json
from itertools import permutations, product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.keywords import TrustName
from remanence.core.model import Hit, Link, Memory, Relation, Status, Tier, Turn, Verification
from remanence.core.results import date_of
from remanence.flows.recall.ordering import order_hits
from tests.flows.conftest import Opener

OLD, NEW = "The open day starts at two.", "The open day starts at four."
CHANGED = "The open day starts at four now."


async def drawn(memory: remanence.Engine, relation: Relation) -> list[Link]:
    """Return all links of a relation."""
    return await memory._core.store.neighbours("default", None, relation)


async def links(memory: remanence.Engine, relation: Relation) -> list[tuple[int, int]]:
    """Return the ends of all links of a relation."""
    return [(link.source, link.target) for link in await drawn(memory, relation)]


async def test_a_correction_of_a_correction_can_be_taken_back(opener: Opener) -> None:
    """By the caller's word each takes the place of the one before; undone, that stands again."""
    async with opener() as memory:
        first = await memory.learn(OLD, speaker="Mara")
        second = await memory.correct(first.id, NEW)
        third = await memory.correct(second.id, "The open day starts at five.")
        assert third.run is not None
        await memory.undo(third.run)
        stands = [one.id for one in await memory.list()]
        newer = await links(memory, Relation.NEWER)

    assert [second.id] == stands
    assert [] == newer


async def test_a_repeat_of_what_expired_holds_again(memory: remanence.Engine, clock: ManualClock) -> None:
    """Expired it is marked in an answer; said again, it has no end any more."""
    one = await memory.learn("The ferry leaves at six.", speaker="Mara")
    await memory.update(one.id, valid_to=clock.now() + 1)
    clock.advance(hours=1)
    expired = await memory.recall("ferry", count_use=False)
    again = await memory.learn("The ferry leaves at six.", speaker="Mara")
    kept = await memory.get(one.id)

    assert "; expired 20" in expired.text
    assert ("confirmed", None, ()) == (again.status, kept.valid_to, kept.ended)


async def test_a_correction_is_replaced_once(memory: remanence.Engine) -> None:
    """What a person corrects is left to the correction."""
    old = await memory.learn(OLD, speaker="Mara")
    new = await memory.correct(old.id, NEW)

    assert Status.SUPERSEDED is (await memory.get(old.id)).status
    assert [(new.seq, old.seq)] == await links(memory, Relation.SUPERSEDES)


SAID = st.tuples(
    st.sampled_from(["Mara", "Jonas", None]),
    st.sampled_from(
        [
            "The pump weighs {} kilos.",
            "The gate opens at {}.",
            "My boss is {}.",
            "I like {}. The gate opens at {}.",
        ]
    ),
    st.sampled_from(["two", "three", "Carmen", "Anders"]),
    st.sampled_from([(), ("self/goal",)]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=8))
def test_a_batch_comes_to_the_same_as_its_texts_one_by_one(
    said: list[tuple[str | None, str, str, tuple[str, ...]]],
) -> None:
    """What stands and what is linked; undo takes back all."""
    turns = [
        Turn(form.format(value, value), speaker=speaker, tags=tags) for speaker, form, value, tags in said
    ]

    async def told(together: bool) -> tuple[object, object, bool]:
        async with remanence.open(":memory:", embedder="none", clock=ManualClock()) as memory:
            if together:
                learned = await memory.learn(turns)
            else:
                learned = [
                    await memory.learn(**{name: getattr(turn, name) for name in ("text", "speaker", "tags")})
                    for turn in turns
                ]
            rows = await memory.list(status="any", limit=100)
            state = [(one.seq, one.text, one.status, one.valid_from, one.valid_to) for one in rows]
            found = await memory._core.store.neighbours("default", None)
            ends = sorted((link.key, link.weight) for link in found)
            for run in dict.fromkeys(one.run for one in reversed(learned)):
                await memory.undo(run)  # type: ignore[arg-type]
            left = await memory.list(status="any", limit=100)
            return state, ends, not [one for one in left if one.status is not Status.PRUNED]

    one_by_one, batch = asyncio.run(told(together=False)), asyncio.run(told(together=True))

    assert one_by_one == batch
    assert batch[2]


FORMS = st.sampled_from(
    [
        "The gate opens at {} now.",
        "The gate opens at {}.",
        "From now on the gate opens at {}.",
        "My boss is {} now.",
        "We moved the rehearsal to {}.",
        "The rehearsal is on {}.",
        "I no longer meet {}.",
        "Correction: the gate opens at {}.",
        "I've moved to {}.",
        "I live in {}.",
    ]
)
VALUES = st.sampled_from(["two", "six", "Carmen", "Anders", "Monday", "Friday"])
TOLD = st.lists(st.tuples(st.sampled_from(["Mara", "Jonas", None]), FORMS, VALUES), min_size=2, max_size=10)


@settings(max_examples=30, deadline=None)
@given(TOLD, st.sampled_from(["learn", "learn", "note", "ingest"]))
def test_without_a_writer_nothing_is_newer_or_contradicts(
    said: list[tuple[str | None, str, str]], how: str
) -> None:
    """Whichever verb brings statements in, and after consolidating: what was there stands, with no end and no link."""
    texts = [(speaker, form.format(value)) for speaker, form, value in said]

    async def bring(memory: remanence.Engine, speaker: str | None, text: str, folder: Path) -> None:
        if how == "learn":
            await memory.learn(text, speaker=speaker)
        elif how == "learn":
            await memory.learn([Turn(text, speaker=speaker)])
        elif how == "note":
            await memory.note(text, speaker=speaker)
        else:
            file = folder / "one.jsonl"
            file.write_text(json.dumps({"role": "user", "speaker": speaker or "Ana", "text": text}), "utf-8")
            await memory.ingest(file, format="jsonl", trust="user", extract=True)

    async def lived() -> None:
        with TemporaryDirectory() as folder:
            clock = ManualClock()
            async with remanence.open(":memory:", embedder="hashed", clock=clock) as memory:
                for speaker, text in texts:
                    before = {one.seq: one for one in await memory.list(status="any", limit=1_000)}
                    await bring(memory, speaker, text, Path(folder))
                    await memory.consolidate()
                    clock.advance(hours=1)
                    after = {one.seq: one for one in await memory.list(status="any", limit=1_000)}
                    for seq, one in before.items():
                        assert after[seq].status in {Status.ACTIVE, one.status}
                        assert one.valid_to == after[seq].valid_to
                        assert () == after[seq].ended
                    assert [] == await links(memory, Relation.NEWER) + await links(
                        memory, Relation.CONTRADICTS
                    )

    asyncio.run(lived())


async def test_explain_says_what_is_newer_and_what_contradicts(memory: remanence.Engine) -> None:
    """With how sure that is; the newer one says nothing of what it is newer than."""
    old = await memory.learn(OLD, speaker="Mara")
    new = await memory.learn(CHANGED, speaker="Mara")
    other = await memory.learn("The open day starts at six.", speaker="Jonas")
    await memory.link(new.id, old.id, "newer")
    await memory.link(new.id, other.id, "contradicts", confidence=0.6)
    told = (await memory.explain(old.id, "default")).beside
    latest = (await memory.explain(new.id, "default")).beside

    assert (f"out of date: #{new.seq} is newer",) == told
    assert (f"may contradict #{other.seq}",) == latest


async def test_a_contradiction_nobody_confirmed_waits_in_review_and_moves_nothing(
    opener: Opener,
) -> None:
    """Until a person confirms it: then the surer stands above, and the line of the other says so."""
    question = "When does the open day start?"
    async with opener(embedder="none") as memory:
        one = await memory.learn(OLD, speaker="Mara")
        other = await memory.learn(NEW, speaker="Jonas")
        await memory.link(one.id, other.id, "contradicts", confidence=0.6)
        before = await memory.recall(question, count_use=False)
        (item,) = (await memory.review.list()).items
        verification = (await memory.get(one.id)).verification
        await memory.link(one.id, other.id, "contradicts", confidence=1.0, if_exists="update")
        after = await memory.recall(question, count_use=False)
        disputed = (await memory.get(one.id)).verification

    assert "contradicted" not in before.text
    assert "may contradict" in item.what
    assert "they are at odds" in item.commands
    assert 1 == after.text.count("contradicted by")
    assert (Verification.UNVERIFIED, Verification.DISPUTED) == (verification, disputed)


async def test_one_pair_is_one_entry_of_review(opener: Opener) -> None:
    """Said in turns and kept as facts; resolving it settles all of it."""
    async with opener() as memory:
        pairs_of: list[tuple[int, int]] = []
        for speaker, text in (("Mara", OLD), ("Jonas", NEW)):
            turn = await memory.note(f"Well, well. {text}", speaker=speaker, session=speaker, later=True)
            fact = await memory.learn(text, speaker=speaker)
            await memory.link(fact.id, turn.id, "learned_from")
            pairs_of.append((turn.seq, fact.seq))
        for one, other in product(*pairs_of):
            await memory.link(one, other, "contradicts", confidence=0.6)
        found = await links(memory, Relation.CONTRADICTS)
        items = (await memory.review.list()).items
        pairs = (await memory.review.list("contradiction")).items
        (pair,) = pairs
        await memory.review.settle((pair.memories[0].id, pair.memories[1].id), "both")
        left = (await memory.review.list()).items

    assert len(found) > 1
    assert 1 == len(items)
    assert () == left


async def test_what_is_surely_newer_is_raised_unless_the_order_is_as_ranked(
    opener: Opener, clock: ManualClock
) -> None:
    """What is raised says above what; without the order the older line still names the newer one."""
    async with opener(embedder="none") as memory:
        old = await memory.learn(OLD, speaker="Mara")
        clock.advance(days=3)
        new = await memory.learn(CHANGED, speaker="Mara")
        await memory.link(new.id, old.id, "newer")
        by_order = await memory.recall("Did the open day start at two?", count_use=False)
        as_ranked = await memory.recall("Did the open day start at two?", count_use=False, newer_first=False)

    assert [new.id, old.id] == [hit.id for hit in by_order.memories]
    assert [f"#{old.seq}: said later, and linked as newer", ""] == [
        hit.stands_above for hit in by_order.memories
    ]
    assert [old.id, new.id] == [hit.id for hit in as_ranked.memories]
    assert [True, True] == [f"newer: #{new.seq}" in one.text for one in (by_order, as_ranked)]


@pytest.mark.parametrize(
    ("later", "speaker", "rises"),
    [
        ("The ferry to Kiel leaves from pier six, says the harbour office.", "Mara", True),
        # It shares less than half of its words with the first, and scores nearly as high.
        (
            "Kiel ferry leaves pier six; Hamburg bus platform nine; Bremen train track four. Oslo tram gone.",
            "Mara",
            True,
        ),
        (
            "The ferry to Kiel is late.",
            "Mara",
            False,
        ),  # it has not all words of the question that the first has
        (
            "The ferry to Kiel leaves from pier six, says the harbour office.",
            "Ines",
            False,
        ),  # another speaker's word is no later one
    ],
)
async def test_a_later_word_of_the_same_speaker_stands_above(
    opener: Opener, clock: ManualClock, later: str, speaker: str, rises: bool
) -> None:
    """Where it holds the question's words as the best answer does; nothing is hidden, and the order can stay."""
    question = "From which pier does the ferry to Kiel leave?"
    async with opener(embedder="none") as memory:
        old = await memory.learn("The ferry to Kiel leaves from pier two.", speaker="Mara")
        await memory.learn("The mill grinds on Mondays.", speaker="Mara")
        clock.advance(days=3)
        new = await memory.learn(later, speaker=speaker)
        found = await memory.recall(question, count_use=False)
        as_ranked = await memory.recall(question, count_use=False, newer_first=False)

    first = {hit.id: hit for hit in found.memories}[new.id]
    assert {old.id, new.id} <= {hit.id for hit in found.memories}
    assert ("the same speaker said it later" in first.stands_above) is rises
    assert not rises or new.id == found.memories[0].id
    assert not any(hit.stands_above for hit in as_ranked.memories)


@pytest.mark.parametrize(
    ("later", "trust", "rises"),
    [
        ("The choir of Ada in Bath is Blue Heron.", "user", True),
        ("The choir of Ada in Bath is Blue Heron.", "outside", False),
        (
            "The choir of Ada in Bath wants more tenors, and the baker said it rains on Fridays.",
            "user",
            False,
        ),
    ],
)
async def test_the_newer_of_two_wordings_stands_above_at_each_place(
    opener: Opener, clock: ManualClock, later: str, trust: TrustName, rises: bool
) -> None:
    """Without speakers both share half of the longer one's words, or are not about the same; the first hit stays."""
    async with opener(embedder="none") as memory:
        best = await memory.learn("Ida sews costumes for the choir of Ada in Bath.")
        old = await memory.learn("Ada sings with the choir Tall Oak in Bath.")
        clock.advance(days=3)
        new = await memory.learn(later, trust=trust)
        found = await memory.recall("Which choir is that of Ada in Bath, where Ida sews?", count_use=False)
        disputed = await memory.update(new.id, verification="disputed") if rises else None
        after = await memory.recall("Which choir is that of Ada in Bath, where Ida sews?", count_use=False)

    order = [hit.id for hit in found.memories]
    assert best.id == order[0]
    assert {old.id, new.id} < set(order)
    assert (order.index(new.id) < order.index(old.id)) is rises
    assert bool(found.memories[order.index(new.id)].stands_above) is rises
    assert disputed is None or not any(hit.stands_above for hit in after.memories)


async def test_of_several_later_words_the_newest_stands_first(opener: Opener, clock: ManualClock) -> None:
    """Each above the older ones; texts of one moment keep their order, and a question stays below."""
    async with opener(embedder="none") as memory:
        for hour in ("two", "three", "four"):
            await memory.learn(f"The open day of the mill starts at {hour}.")
            clock.advance(hours=1)
        await memory.learn("Does the open day of the mill start at two?")
        clock.advance(hours=1)
        steps = [f"Step {number}: turn the {number} key of the boiler." for number in ("one", "two", "three")]
        await memory.learn(steps)
        days = await memory.recall("When does the open day of the mill start?", count_use=False)
        best = await memory.recall("When does the open day of the mill start?", count_use=False, limit=1)
        keys = await memory.recall("How do I turn the key of the boiler?", count_use=False)
        as_ranked = await memory.recall(
            "How do I turn the key of the boiler?", count_use=False, newer_first=False
        )

    assert ["four.", "three.", "two."] == [hit.text.split()[-1] for hit in days.memories[:3]]
    assert ["four."] == [hit.text.split()[-1] for hit in best.memories]
    assert [hit.id for hit in as_ranked.memories] == [hit.id for hit in keys.memories]


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_of_a_chain_of_links_the_newest_stands_first(order: tuple[int, ...]) -> None:
    """In whatever order they rank; links in a circle end, too."""
    hits = [
        Hit(
            Memory(seq, f"{seq:032x}", "default", f"Word {seq}.", Status.ACTIVE, Tier.HOT, 0, 0, 0, 0, b""),
            1.0,
            {},
        )
        for seq in order
    ]
    links = [Link(2, 1, Relation.NEWER, 1.0), Link(3, 2, Relation.NEWER, 1.0)]
    circle = [*links, Link(1, 3, Relation.NEWER, 1.0)]
    ordered = order_hits("word", hits, links, newer_first=True, by_assistants=False)
    turned = order_hits("word", hits, circle, newer_first=True, by_assistants=False)

    assert [3, 2, 1] == [hit.seq for hit in ordered]
    assert {1, 2, 3} == {hit.seq for hit in turned}


def test_what_does_not_stand_keeps_its_place() -> None:
    """An archived hit between two answers stays there when the later one moves up."""
    old, archived, new = (
        Hit(Memory(seq, f"{seq:032x}", "default", text, status, Tier.HOT, seq, seq, 0, 0, b""), 1.0, {})
        for seq, (text, status) in enumerate(
            [
                ("Ada sings with the choir Tall Oak in Bath.", Status.ACTIVE),
                ("The choir of Bath, where Ada sings.", Status.ARCHIVED),
                ("Ada sings with the choir Blue Heron in Bath.", Status.ACTIVE),
            ],
            start=1,
        )
    )
    query = "Which choir does Ada sing with in Bath?"
    ordered = order_hits(query, [old, archived, new], [], newer_first=True, by_assistants=False)

    assert [3, 2, 1] == [hit.seq for hit in ordered]


@pytest.mark.parametrize("linked", [False, True])
async def test_what_is_said_again_after_something_else_is_the_newest_word(
    opener: Opener, clock: ManualClock, linked: bool
) -> None:
    """The first word keeps its day, the line names the day of the last, and a span finds it by either."""
    question = "Which crew does Rune row with?"
    async with opener(embedder="none") as memory:
        began = clock.now()
        first = await memory.learn("Rune rows with the red crew.", speaker="Mara")
        clock.advance(days=60)
        second = await memory.learn("Rune rows with the blue crew.", speaker="Mara")
        if linked:
            await memory.link(second.id, first.id, "newer")
        assert second.id == (await memory.recall(question, count_use=False)).memories[0].id
        clock.advance(days=60)
        again = await memory.learn("Rune rows with the red crew.", speaker="Mara")
        answer = await memory.recall(question, count_use=False)
        kept = await memory.get(first.id)
        after = await memory.recall(question, between=(began + 100 * DAY, began + 130 * DAY), count_use=False)
        listed = await memory.list(between=(began + 100 * DAY, began + 130 * DAY))

    assert (first.id, "confirmed") == (again.id, again.status)
    assert (began, began + 120 * DAY) == (kept.said_at, kept.said_again_at)
    assert [first.id, second.id] == [hit.id for hit in answer.memories]
    assert f"; said again {date_of(began + 120 * DAY)}]" in answer.text.splitlines()[0]
    assert "newer:" not in answer.text
    assert [first.id] == [hit.id for hit in after.memories] == [one.id for one in listed]


async def test_an_older_repeat_changes_no_day(opener: Opener, clock: ManualClock) -> None:
    """What comes in late but was said before is no newer word; within one batch the same holds."""
    now = clock.now()
    async with opener(embedder="none") as memory:
        one = await memory.learn("The mill grinds on Mondays.", said_at=now)
        await memory.learn("The mill grinds on Mondays.", said_at=now - 5 * DAY)
        batch = [{"text": "The ford is dry.", "said_at": now - day * DAY} for day in (3, 1, 2)]
        (two, *_) = await memory.learn(batch)
        first, second = await memory.get(one.id), await memory.get(two.id)

    assert (now, None) == (first.said_at, first.said_again_at)
    assert (now - 3 * DAY, now - DAY) == (second.said_at, second.said_again_at)


@pytest.mark.parametrize(
    ("said", "rises"),
    [
        ("That is wrong, since Friday the gate by the old mill can open by card again.", True),
        ("The gate was painted.", False),  # it holds one word of the question
    ],
)
async def test_a_users_later_word_stands_above_the_assistants(
    opener: Opener, clock: ManualClock, said: str, rises: bool
) -> None:
    """Where both hold the question's words; an earlier one stays below, and nothing is hidden."""
    question = "Does the gate open by card?"
    async with opener(embedder="none") as memory:
        claim = await memory.learn("The gate does not open by card.", role="assistant")
        clock.advance(days=1)
        denial = await memory.learn(said, speaker="Ida", role="user")
        found = await memory.recall(question, count_use=False)
        clock.advance(days=1)
        later = await memory.learn("The gate does open by card, I looked it up.", role="assistant")
        last = await memory.recall(question, count_use=False)

    assert {claim.id, denial.id} == {hit.id for hit in found.memories}
    assert ("a user said it later" in found.memories[0].stands_above) is rises
    assert (denial.id if rises else claim.id) == found.memories[0].id
    assert later.id in {hit.id for hit in last.memories}
