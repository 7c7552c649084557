"""What becomes of a turn under a known id: the table gives one outcome for every case, and keeps its laws."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY
from remanence.core.model import STANDING, Memory, Role, Status, Tier, Trust, Turn, Verification
from remanence.text.analysis import fingerprint
from remanence.write.admission import DraftOutcome, MemoryDraft
from remanence.write.imported import ImportedTurn
from remanence.write.renewals import (
    BELIEVED,
    CHANGED,
    ELSEWHERE,
    HELD_BACK,
    HERE,
    HISTORY,
    LATER,
    REFUSED,
    RENEWED,
    SAID,
    TABLE,
    Arrival,
    TurnAct,
    TurnCase,
    TurnOutcome,
    decide_turn,
    find_arrival,
)

OLD, NEW = "Ines moors at pier two", "Ines moors at pier nine"
AT = 40 * DAY


def make_memory(status: Status = Status.ACTIVE, **more: Any) -> Memory:
    """Return what came in from a source."""
    return Memory(
        seq=1,
        id="1" * 32,
        scope="s",
        text=OLD,
        fingerprint=fingerprint(OLD),
        key="m1",
        status=status,
        tier=Tier.HOT,
        said_at=AT,
        learned_at=AT,
        status_at=AT,
        tier_at=AT,
        trust=Trust.OUTSIDE,
        sources=("mem0",),
        **more,
    )


def make_draft(turn: Turn, said_at: int = AT + DAY) -> MemoryDraft:
    """Return what a turn is kept as."""
    return MemoryDraft(turn, Role.USER, None, None, fingerprint(turn.text), said_at, door=Trust.OUTSIDE)


TURN = ImportedTurn(NEW, key="m1", source="mem0", said_at=AT + DAY)
PLAIN = TurnCase(make_memory(), TURN, make_draft(TURN), Trust.OUTSIDE)

memories = st.builds(
    make_memory,
    status=st.sampled_from(Status),
    pinned=st.sampled_from([0, 1]),
    text_at=st.sampled_from([None, AT]),
    holds=st.sampled_from([None, {"legal": None}]),
    verification=st.sampled_from([Verification.UNVERIFIED, Verification.USER_CONFIRMED]),
).flatmap(
    lambda memory: st.builds(
        replace,
        st.just(memory),
        trust=st.sampled_from(Trust),
        sources=st.sampled_from([("mem0",), ("a letter",)]),
        said_at=st.sampled_from([AT, AT + 2 * DAY]),
    )
)
turns = st.sampled_from(
    [
        TURN,
        replace(TURN, text=OLD),
        replace(TURN, replaced_by="m2"),
        replace(TURN, is_deleted=True),
        Turn(NEW, key="m1", source="mem0", said_at=AT + DAY),
    ]
)
facts = st.booleans()
cases = st.builds(
    lambda turn, memory, **more: TurnCase(memory, turn, make_draft(turn), **more),
    turns,
    memories,
    door=st.sampled_from(Trust),
    says_same=facts,
    is_said=facts,
    is_masked=facts,
    is_decided=facts,
    is_unwanted=facts,
    arrival=st.sampled_from(Arrival),
)


@given(cases)
def test_every_case_has_an_outcome_that_keeps_the_laws(case: TurnCase) -> None:
    """What somebody decided, believes more or has from elsewhere stays, nothing falls untold, or that is still said."""
    outcome, memory = decide_turn(case), case.memory
    is_mine = case.is_decided or memory.pinned or memory.holds or memory.text_at is not None
    is_mine = is_mine or memory.verification is Verification.USER_CONFIRMED
    is_other = memory.trust > case.door or case.turn.source not in memory.sources

    if is_mine or is_other or case.is_unwanted or not isinstance(case.turn, ImportedTurn):
        assert not outcome.takes_key
    if outcome.takes_key:
        assert (RENEWED, False) == (outcome.why, case.says_same)
        assert case.arrival in {Arrival.OWN, Arrival.HERE}
    if outcome.act is TurnAct.RENEW:
        assert memory.status in STANDING
        assert not case.is_said
    if outcome.act is TurnAct.RAISE:
        assert case.is_masked or (case.says_same and memory.trust < case.door)
        assert memory.text_at is None
    if not outcome.why:  # nothing is told only where the source says what is held, or what was
        assert case.says_same or case.is_masked or memory.fingerprint == case.draft.fingerprint


CASES = [
    (PLAIN, TurnOutcome(TurnAct.RENEW, RENEWED)),
    (replace(PLAIN, says_same=True), TurnOutcome(TurnAct.STAY)),
    (replace(PLAIN, says_same=True, door=Trust.USER), TurnOutcome(TurnAct.RAISE)),
    (replace(PLAIN, is_masked=True), TurnOutcome(TurnAct.RAISE)),
    (replace(PLAIN, turn=Turn(NEW, key="m1", source="mem0")), TurnOutcome(TurnAct.STAY, SAID)),
    (replace(PLAIN, turn=replace(TURN, replaced_by="m2")), TurnOutcome(TurnAct.STAY, HISTORY)),
    (replace(PLAIN, turn=replace(TURN, source="graph")), TurnOutcome(TurnAct.STAY, ELSEWHERE)),
    (replace(PLAIN, memory=replace(PLAIN.memory, trust=Trust.USER)), TurnOutcome(TurnAct.STAY, BELIEVED)),
    (replace(PLAIN, memory=make_memory(pinned=1)), TurnOutcome(TurnAct.STAY, CHANGED)),
    (replace(PLAIN, is_decided=True), TurnOutcome(TurnAct.STAY, CHANGED)),
    (replace(PLAIN, draft=make_draft(TURN, AT - 1)), TurnOutcome(TurnAct.STAY, LATER)),
    (replace(PLAIN, is_unwanted=True), TurnOutcome(TurnAct.STAY, CHANGED)),
    (replace(PLAIN, is_decided=True, draft=make_draft(replace(TURN, text=OLD))), TurnOutcome(TurnAct.STAY)),
    (replace(PLAIN, arrival=Arrival.REFUSED), TurnOutcome(TurnAct.STAY, REFUSED)),
    (replace(PLAIN, arrival=Arrival.HELD_BACK), TurnOutcome(TurnAct.STAY, HELD_BACK)),
    (replace(PLAIN, arrival=Arrival.FALLEN), TurnOutcome(TurnAct.STAY, CHANGED)),
    (replace(PLAIN, arrival=Arrival.HERE), TurnOutcome(TurnAct.RENEW, RENEWED)),
    (replace(PLAIN, is_said=True), TurnOutcome(TurnAct.MOVE, RENEWED)),
    (replace(PLAIN, memory=make_memory(status=Status.ARCHIVED)), TurnOutcome(TurnAct.MOVE, RENEWED)),
    (replace(PLAIN, is_said=True, arrival=Arrival.HERE), TurnOutcome(TurnAct.STAY, HERE)),
]


@pytest.mark.parametrize(("case", "outcome"), CASES)
def test_each_row_decides_its_case(case: TurnCase, outcome: TurnOutcome) -> None:
    """In the order of the table."""
    assert outcome == decide_turn(case)


def test_every_row_decides_something() -> None:
    """There is none that an earlier one leaves nothing to."""
    deciding = {next(place for place, (applies, _) in enumerate(TABLE) if applies(case)) for case, _ in CASES}

    assert {*range(len(TABLE))} == deciding


@pytest.mark.parametrize(
    ("outcome", "here", "arrival"),
    [
        (DraftOutcome(0, "", "gated"), None, Arrival.REFUSED),
        (DraftOutcome(-1, "", "stored"), None, Arrival.OWN),
        (DraftOutcome(-1, "", "confirmed"), None, Arrival.HERE),
        (DraftOutcome(1, "", "known"), make_memory(), Arrival.OWN),
        (DraftOutcome(1, "", "known"), replace(make_memory(), key="m2"), Arrival.HERE),
        (DraftOutcome(1, "", "known"), make_memory(status=Status.QUARANTINED), Arrival.HELD_BACK),
        (DraftOutcome(1, "", "known"), make_memory(status=Status.PRUNED), Arrival.FALLEN),
        (DraftOutcome(1, "", "known"), None, Arrival.FALLEN),
    ],
)
def test_where_a_text_came_to_is_told(outcome: DraftOutcome, here: Memory | None, arrival: Arrival) -> None:
    """By what became of it among the others of its batch."""
    assert arrival is find_arrival(PLAIN.draft, outcome, here)


def test_what_is_held_back_takes_no_place() -> None:
    """It is a new row, and out of sight."""
    draft = replace(PLAIN.draft, has_machine_markup=True)

    assert Arrival.HELD_BACK is find_arrival(draft, DraftOutcome(-1, "", "stored"), None)
