"""What is deleted, redacted or erased is gone from every resident index, here and in a process that has its own."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack

import pytest

from remanence.core.clock import ManualClock
from remanence.engine import Engine
from tests.flows.conftest import Opener

WORD = "Quirkleton"  # stands in nothing else
GONE = f"{WORD} keeps the lighthouse keys in Zanzibrook."
KEPT = (
    "The lighthouse opens at nine.",
    "Die Leuchtturmw\u00e4rter kochen am Sonntag.",
    "The keys of the boat are blue.",
)
ASKED = (f"Where does {WORD} keep the lighthouse keys?", "Zanzibrook", "Who keeps lighthouse keys?")


async def read_all(memory: Engine, at: int) -> dict[str, str]:
    """Return what each way of asking that keeps something in memory answers, as text."""
    told: dict[str, str] = {}
    for number, question in enumerate(ASKED):
        told[f"recall {number}"] = (await memory.recall(question, limit=1_000, budget=4_000)).text
        told[f"frame {number}"] = (await memory.frame("attention", question)).text
        told[f"then {number}"] = (await memory.recall(question, as_of=at)).text
    filters: Mapping[str, Mapping[str, object]] = {
        "tag": {"tags": "place/zan"},
        "attribute": {"attributes.project": "keys"},
        "speaker": {"speaker": WORD},
        "status": {"status": "any"},
    }
    for name, one in filters.items():
        told[name] = (await memory.recall(ASKED[2], filters=one)).text
    told["boot"] = (await memory.frame("boot")).text
    told["self"] = (await memory.frame("self")).text
    told["profile"] = str(await memory.frame("profile"))
    told["topics"] = str(await memory.count("topic", limit=1_000))
    told["list"] = str(await memory.list(limit=100))
    return told


async def forget(memory: Engine, seq: int) -> None:
    """Delete it, as a person does."""
    await memory.forget(seq)


async def erase(memory: Engine, seq: int) -> None:
    """Erase it for good."""
    await memory.erase.apply(await memory.erase.show(seq))


async def redact(memory: Engine, _: int) -> None:
    """Take a name out of what others said, and away what the person said."""
    await memory.erase.apply(await memory.erase.show(subject=WORD, mentions=True))


async def replace_text(memory: Engine, seq: int) -> None:
    """Put another text in its place."""
    await memory.update(seq, text="Somebody keeps the keys elsewhere.")


@pytest.fixture
async def engines(opener: Opener) -> AsyncIterator[tuple[Engine, Engine]]:
    """Yield two engines on the same data, each with indexes of its own."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(opener()), await stack.enter_async_context(opener())


# As of an earlier instant a memory that was deleted or changed since is still what it was; one that was erased is not.
WAYS = {
    "forget": (forget, True),
    "update": (replace_text, True),
    "erase": (erase, False),
    "redact": (redact, False),
}


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_gone_is_in_no_index(
    way: str, engines: tuple[Engine, Engine], clock: ManualClock
) -> None:
    """No answer of a warm engine has a word of it, nor one of a second engine that was warm as well."""
    take_away, is_known_as_of = WAYS[way]
    memory, _ = engines
    for text in KEPT:
        await memory.learn(text)
    gone = await memory.learn(
        GONE,
        speaker=WORD,
        tags=["place/zan", "self/value"],
        attributes={"project": "keys"},
        category="preference",
    )
    await memory.learn(f"{WORD} was seen at the harbour.", speaker="Mara")
    await memory.consolidate()
    at = clock.now()
    clock.advance(hours=1)
    warm = [await read_all(one, at) for one in engines]
    await take_away(memory, gone.seq)
    told = [await read_all(one, at) for one in engines]

    assert all(
        "lighthouse keys in Zanzibrook" in one[name] for one in warm for name in ("recall 1", "then 1", "tag")
    )
    for answers in told:
        left = {
            name for name, text in answers.items() if "Zanzibrook" in text or "lighthouse keys in" in text
        }
        assert left <= ({"then 0", "then 1", "then 2"} if is_known_as_of else set())
        assert not (WORD in answers["frame 1"] or WORD in answers["boot"]) or way != "redact"
