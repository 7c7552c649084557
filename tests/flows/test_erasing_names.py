"""How a person's name may be written, and what is told of texts that say only a part of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from remanence.core.redaction import MARK
from tests.flows.conftest import Opener, hear
from tests.flows.test_erasing import opened, unsound
from tests.flows.test_erasing_subject import names_in
from tests.sentences import Sentences

WHOLE = {
    "Wilhelmina Brück's boat is blue.": f"{MARK}'s boat is blue.",
    "WILHELMINA BRÜCKS Boot ist blau.": f"{MARK} Boot ist blau.",
    "Brück, Wilhelmina: two seats.": f"{MARK}: two seats.",
    "A seat for Brück Wilhelmina, please.": f"A seat for {MARK}, please.",
    "Wilhelmina\u2019s key is Wilhelmina Bru\u0308ck\u2019s.": f"Wilhelmina\u2019s key is {MARK}\u2019s.",
}
PARTLY = ("Ask Wilhelmina.", "Wilhelminas Boot ist blau.", "Frau Bruck called.", "Mrs Brück's key is lost.")
NOBODY = ("A bridge (Brücke) is near.", "Wilhelmina Fischer sails.", "The boathouse opens at four.")


async def test_a_name_is_found_however_it_is_written(opener: Opener) -> None:
    """With the -s of a genitive, an apostrophe, in the order of lists, in any case and either form of an accent."""
    async with opener() as memory:
        said = {text: (await memory.learn(text, speaker="Tom")).seq for text in (*WHOLE, *PARTLY, *NOBODY)}
        await memory.learn("I sail.", speaker="Wilhelmina Brück")
        await memory.learn("I sail, too.", speaker="Wilhelmina Fischer")
        shown = await memory.erase.show(subject="Wilhelmina Brück", mentions=True)
        await memory.erase.apply(shown)
        texts = {text: (await memory.get(seq)).text for text, seq in said.items()}

    assert {said[text] for text in WHOLE} == set(shown.redacts)
    assert WHOLE == {text: texts[text] for text in WHOLE}
    assert [*PARTLY, *NOBODY] == [texts[text] for text in (*PARTLY, *NOBODY)]


async def test_parts_of_a_name_are_told_and_left(opener: Opener) -> None:
    """How many further memories say each, and of whose name it is a part, too; passed as well, they go."""
    async with opener() as memory:
        for text in (*PARTLY, *NOBODY):
            await memory.learn(text, speaker="Tom")
        await memory.learn("I sail.", speaker="Wilhelmina Brück")
        await memory.learn("I sail, too.", speaker="Wilhelmina Fischer")
        shown = await memory.erase.show(subject="Wilhelmina Brück", mentions=True)
        told = str(shown)
        names = ["Wilhelmina Brück", "Brück", "Bruck", "Wilhelminas", "Wilhelmina"]
        await memory.erase.apply(await memory.erase.show(subject=names, mentions=True))
        left = [await names_in(memory, name) for name in ("Brück's", "Bruck", "Wilhelminas")]
        stand = [one.text for one in await memory.list()]

    assert {"Brück": (2, ()), "Wilhelmina": (2, ("Wilhelmina Fischer",))} == shown.maybe
    assert {*PARTLY} == {one.text for one in shown.perhaps}
    assert "'Wilhelmina' alone, or in another form, is in 2 further memories" in told
    assert "and is in names of others: Wilhelmina Fischer; they stay as they are" in told
    assert [[], [], []] == left
    assert {"A bridge (Brücke) is near.", "Wilhelmina Fischer sails."} < {*stand}


async def test_facts_of_a_redacted_turn_forget_where_in_it_they_were_read(tmp_path: Path) -> None:
    """Other characters are there now; that the fact was learned from the turn is still said."""

    def spans() -> list[tuple[str | None]]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(
                "SELECT span FROM sources WHERE source = ? ORDER BY span", (turn.id,)
            ).fetchall()

    path = tmp_path / "memory.db"
    async with opened(path, writer=Sentences()) as memory:
        said = "Ana Lopes was here all day. My sister Ruth lives in Bergen."
        await memory.note(said, speaker="Tom", session="a")
        await hear(memory)
        (turn,) = [one for one in await memory.list() if one.text == said]
        before = spans()
        await memory.erase.apply(await memory.erase.show(subject="Ana Lopes", mentions=True))
        wrong = await unsound(memory)

    assert [("0-27",), ("28-59",)] == before
    assert [(None,)] * 2 == spans()
    assert [] == wrong
