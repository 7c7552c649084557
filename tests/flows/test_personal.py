"""Personal data are a setting of a scope: kept from a user and an agent, replaced from tools and outside."""

from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest

import remanence
from remanence import Engine, InvalidInput
from remanence.core.clock import ManualClock
from tests.command_line import typed
from tests.unit.everyday_notes import NOTES

START = 1_767_225_600_000_000
PHONE = "0171 2345678"
SAID = f"Mara's phone number is {PHONE}."
DOOR = "The alarm code is 4886."


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Engine]:
    """A memory on a file."""
    async with opened(tmp_path / "memory.db") as memory:
        yield memory


def opened(path: Path, **more: str) -> Engine:
    """Open a file."""
    return remanence.open(path, clock=ManualClock(START), embedder="hashed", agent="desk", **more)  # type: ignore[arg-type]


async def test_everyday_notes_lose_nothing(memory: Engine) -> None:
    """Of a user and an agent, learn and note lose no telephone, address, account, booking or membership number."""
    learned = [(await memory.learn(text)).id for text, _ in NOTES]
    noted = [(await memory.note(f"Note: {text}", later=True)).id for text, _ in NOTES]
    told = [(await memory.learn(f"Told: {text}", role="assistant")).id for text, _ in NOTES]
    texts = {one.id: one.text for one in await memory.list(limit=1_000, status="any")}
    values = [value for _, value in NOTES]

    for ids in (learned, noted, told):
        assert [] == [value for one, value in zip(ids, values, strict=True) if value not in texts[one]]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("", {"user", "agent"}),
        ("keep", {"user", "agent", "tool", "outside"}),
        ("replace", set()),
        ("agent=replace", {"user"}),
        ("outside=keep", {"user", "agent", "outside"}),
        ("phone number=replace", set()),
        ("replace, phone number=keep", {"user", "agent", "tool", "outside"}),
        ("replace, phone number/tool=keep", {"tool"}),
        ("keep, phone number/outside=replace", {"user", "agent", "tool"}),
        ("card number=replace", {"user", "agent"}),
    ],
)
async def test_a_scope_says_what_is_kept(memory: Engine, words: str, kept: set[str]) -> None:
    """By kind, by trust or by both: what is named most closely counts."""
    await memory.settings.set("personal", words)
    learned = {
        trust: await memory.learn(f"{trust}: {SAID}", trust=trust)
        for trust in ("user", "agent", "tool", "outside")
    }
    stand = {trust for trust, one in learned.items() if PHONE in (await memory.get(one)).text}

    assert kept == stand
    assert stand == {trust for trust, one in learned.items() if not one.replaced}


@pytest.mark.parametrize(
    ("words", "stands"),
    [("", False), ("keep", False), ("user=keep", False), ("code=keep", True), ("code/user=keep", True)],
)
async def test_a_code_is_kept_only_where_it_is_named(memory: Engine, words: str, stands: bool) -> None:
    """A PIN, a password and the code of a door, a bike lock or a wifi are one kind: kept where the scope names it."""
    await memory.settings.set("personal", words)
    texts = [
        DOOR, "My PIN is 4886.", "Bike lock 4886", "The wifi code is 48864886.", "My password: Regen#tonne88",
    ]  # fmt: skip
    learned = [await memory.get(await memory.learn(text)) for text in texts]

    assert (
        texts == [one.text for one in learned] if stands else {*texts}.isdisjoint(one.text for one in learned)
    )


async def test_a_token_is_never_kept(memory: Engine) -> None:
    """No words of the setting let a token in, or name one."""
    token = "ghp_16C7e42F292c6912" + "E7710c838347Ae178B4a"
    await memory.settings.set("personal", "keep, code=keep")
    learned = await memory.learn(f"By {token}")

    assert token not in (await memory.get(learned)).text
    assert ("replaced secret: github token on line 1",) == learned.replacements


async def test_what_is_replaced_names_its_line_and_how_it_is_kept(memory: Engine) -> None:
    """The answer's words are a command; with it the same text is kept."""
    await memory.settings.set("personal", "mail address=keep")
    first = await memory.learn(f"Call list\nAnn\n{SAID}\n\n{SAID}", trust="outside")
    (advice,) = first.replacements
    words = advice.partition("settings personal '")[2].removesuffix("')")
    await memory.settings.set("personal", words)
    second = await memory.learn(f"Another list\n{SAID}", trust="outside")

    assert (
        "replaced personal: phone number ×2 on lines 3, 5 (to keep such: remanence settings personal "
        "'mail address=keep, phone number/outside=keep')"
    ) == advice
    assert advice in str(first)
    assert ({}, ()) == (second.replaced, second.replacements)


async def test_an_ingested_file_says_what_was_replaced(memory: Engine, tmp_path: Path) -> None:
    """The first three texts by their numbers and lines, the others counted."""
    path = tmp_path / "turns.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"text": f"{n}: {SAID}"}) + b"\n" for n in range(5)))
    taken = await memory.ingest(path)
    again = await memory.ingest(path, trust="user")

    assert 4 == len(taken.replacements)
    assert "#1: replaced personal: phone number on line 1 (to keep such: " in str(taken)
    assert str(taken).endswith(
        "\nand in 2 more texts\nis this your own log? Ingest it again with `--trust user`"
    )
    assert ({}, ()) == (again.replaced, again.replacements)


@pytest.mark.parametrize(
    "words", ["maybe", "phone=keep", "phone number=perhaps", "phone number/cat=keep", "=keep", "keep keep"]
)
async def test_what_the_setting_cannot_mean_is_refused(memory: Engine, words: str) -> None:
    """The error shows how it is written, and nothing is changed."""
    with pytest.raises(InvalidInput, match="personal says") as refused:
        await memory.settings.set("personal", words)

    assert "phone number/outside" in str(refused.value.recovery)
    assert "" == (await memory.settings.get("personal")).value


async def test_the_setting_lasts_and_another_process_hears_it(memory: Engine, tmp_path: Path) -> None:
    """It is of the scope: of who has it open, who opens it later, and not of another scope."""
    async with opened(tmp_path / "memory.db") as beside:
        before = await beside.learn(SAID)
        await memory.settings.set("personal", "replace")
        after = await beside.learn(f"Again: {SAID}")
        updated = await beside.update(before, text=f"Now: {SAID}")
    async with opened(tmp_path / "memory.db", scope="other") as other:
        elsewhere = await other.learn(SAID)

    assert ({}, {"personal: phone number": 1}, {}) == (before.replaced, after.replaced, elsewhere.replaced)
    assert ["phone number/user=keep" in note for note in updated.notes] == [True]


def test_the_command_line_says_the_line_and_takes_the_advice(tmp_path: Path) -> None:
    """What learn prints is the command that keeps such data; what is unclear is refused."""
    db = ("--db", str(tmp_path / "memory.db"))
    said = typed("learn", SAID, "--trust", "outside", *db).stdout
    changed = typed("settings", "personal", "phone number/outside=keep", *db)
    kept = typed("learn", f"Again: {SAID}", "--trust", "outside", *db).stdout
    unclear = typed("settings", "personal", "perhaps", *db)

    assert "on line 1 (to keep such: remanence settings personal 'phone number/outside=keep')" in said
    assert "   phone number/outside=keep\n" in changed.stdout
    assert "replaced" not in kept
    assert (1, True) == (unclear.exit_code, "phone number/outside" in unclear.stderr)


async def test_every_door_keeps_what_a_user_says(memory: Engine) -> None:
    """put, update, correct, attributes and facts of a turn keep it; so does an export that comes back."""
    one = await memory.learn(SAID, key="mara", attributes={"seen": [SAID]})
    two = await memory.learn("Mara has a phone.")
    await memory.update(two, text=f"Mara has a phone: {PHONE}.")
    three = await memory.correct(two, f"Mara has a new phone: {PHONE}.")
    export = b"".join([line async for line in memory.export()])
    kept = [await memory.get(name) for name in (one, two, three)]
    async with remanence.open(embedder="hashed") as other, remanence.open(embedder="hashed") as outside:
        await other.import_(export.splitlines(), trust="user")
        receipt = await outside.import_(export.splitlines())
        back, masked = await other.list(status="any"), await outside.list(status="any")

    assert [True] * 3 == [PHONE in memory.text for memory in kept]
    assert {"seen": [SAID]} == kept[0].attributes
    assert [True] * 3 == [PHONE in memory.text for memory in back]
    assert [] == [memory.text for memory in masked if PHONE in memory.text]
    assert "trust='user'" in str(receipt.notes)


@pytest.mark.parametrize("asked", ["01712345678", "0171-23 45 678", "whose number is 0171/234-5678?", PHONE])
@pytest.mark.parametrize("embedder", ["auto", "hashed", "none"])
async def test_a_kept_number_is_found_in_any_spacing(asked: str, embedder: str) -> None:
    """It stands first among numbers that share its groups."""
    async with remanence.open(embedder=embedder) as memory:
        wanted = await memory.learn(SAID)
        for number in ("0171 2345679", "0171 2340000", "0172 2345678", "0171 23 99 678", "0171 45 678"):
            await memory.learn(f"Another phone number is {number}.")
        found = await memory.recall(asked)

    assert wanted.id == found.memories[0].id


async def test_a_kept_number_is_erased_in_every_spacing(memory: Engine, tmp_path: Path) -> None:
    """No byte of it is left as it was written, nor as the one word of the index; it is found no more."""
    learned = await memory.learn(SAID)
    await memory.learn("The lamp is in the attic.")
    (hit, *_) = (await memory.recall("01712345678")).memories
    done = await memory.erase.apply(await memory.erase.show(hit.id))
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    found = [one.id for one in (await memory.recall("01712345678")).memories]

    assert (1, False) == (done.erased, done.pending)
    assert [False, False] == [one in files for one in (PHONE.encode(), b"01712345678")]
    assert learned.id not in found
