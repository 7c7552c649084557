"""Random memories of short, common and strange texts: what is erased is proven gone, and nothing else is touched."""

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

import remanence
from remanence import Engine, NotFound, RemanenceError
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, Erased, InvalidInput
from remanence.core.model import Memory
from remanence.flows.erase.erase_results import ErasePreview
from tests.flows.test_erasing import unsound
from tests.flows.test_erasing_subject import TOMBS

WORDS = (
    "yes", "ok", "no", "Ana", "Lopes", "Will", "May", "the boat", "boats", "harbour", "tea", "purge", "archive",
    "reflection", "notification", "default", "consolidate", "2024-03-01", "12", "http://x.y/z", "São Paulo", "東京",
    "東京に行く", "🙂", "ﬁn", "Straße", "STRASSE", "e\u0301te\u0301", '{"a": 1}', "\\n", "'; drop", "erased",
    "[erased]", "memory", "remanence", "learned", "speaker", "text", "zanzibarine", "marmalade bridge",
)  # fmt: skip
NAMES = ("Ana", "Ana Lopes", "Will", "May", "Tom", "default", "erase", "日本", "memory", "Jo", "Straße")
SCOPES = ("default", "other", "Ana")
COMPARED = ("text", "tags", "speaker", "attributes", "sources", "key", "category", "session", "agent")
REFUSED = (NotFound, InvalidInput, Erased, Conflict)  # who was not there to be erased, or changed meanwhile


def _text(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.choice((1, 1, 1, 2, 3, 5, 9, 20))))


async def _live(memory: Engine, chance: random.Random, clock: ManualClock) -> None:
    """Let memories come in, many the same or parts of others, and be changed in many ways."""
    said: list[str] = []
    for number in range(chance.randint(3, 14)):
        text = _text(chance)
        if said and chance.random() < 0.4:
            other = chance.choice(said)
            text = chance.choice(
                [other, other[: len(other) // 2].strip() or other, other.upper(), f"{other}!"]
            )
        said.append(text)
        given = {
            "speaker": chance.choice(NAMES),
            "tags": [chance.choice(WORDS[:20])],
            "attributes": {chance.choice(("k", "yes", "Ana")): {"x": [_text(chance)]}},
            "source": chance.choice(("letter", "yes", _text(chance))),
            "session": chance.choice(("s1", "yes", "Ana")),
            "key": f"{chance.choice(WORDS)} {number}",
        }
        await _tried(memory.learn(text, **{name: given[name] for name in given if chance.random() < 0.3}))  # type: ignore[call-overload]
    await memory.consolidate()
    seqs = [one.seq for one in await memory.list(status="any")]
    for _ in range(10):
        await _tried(_changed(memory, chance, *chance.choices(seqs, k=2)))
    if chance.random() < 0.4:
        clock.advance(days=60)
        await _tried(memory.apply(await memory.plan(TOMBS), allow_destroyed=99))


def _changed(memory: Engine, chance: random.Random, one: int, other: int) -> Awaitable[object]:
    """Do one thing to one of two memories."""
    verbs: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: memory.update(one, text=_text(chance)),
        lambda: (memory.forbid if chance.random() < 0.5 else memory.forget)(one),
        lambda: memory.tag(one, chance.choice(WORDS[:12])),
        lambda: memory.link(one, other, "supports"),
        lambda: memory.correct(one, _text(chance)),
        lambda: memory.merge(one, other),
    )
    return chance.choice(verbs)()


async def _tried(verb: Awaitable[object]) -> None:
    with suppress(RemanenceError):
        await verb


async def _shown(memory: Engine, chance: random.Random, seqs: list[int]) -> ErasePreview | None:
    how = chance.choice(("ids", "ids", "subject", "mentions"))
    try:
        if how == "ids":
            return await memory.erase.show(chance.sample(seqs, min(len(seqs), chance.randint(1, 4))))
        return await memory.erase.show(subject=chance.choice(NAMES), mentions=how == "mentions")
    except REFUSED:
        return None


async def _all(memory: Engine) -> dict[int, Memory]:
    return {one.seq: one for one in await memory.list(status="any", limit=1_000)}


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100))
async def test_what_is_erased_is_proven_gone_and_nothing_else_is_touched(seed: int, tmp_path: Path) -> None:
    """Texts that are words of the engine, parts of others or the same in other scopes raise no false alarm."""
    chance, clock = random.Random(seed), ManualClock()
    memories = [
        remanence.open(tmp_path / "memory.db", embedder="hashed", clock=clock, scope=scope)
        for scope in SCOPES
    ]
    async with memories[0], memories[1], memories[2]:
        for memory in memories:
            await _live(memory, chance, clock)
        for _ in range(4):
            memory = chance.choice(memories)
            before = [await _all(one) for one in memories]
            shown = await _shown(memory, chance, [*before[memories.index(memory)], chance.randint(1, 40)])
            if shown is None:
                continue
            try:
                done = await memory.erase.apply(shown)
            except REFUSED:
                continue
            after = [await _all(one) for one in memories]
            taken = {*shown.revisions, *shown.redacts}

            assert ((), (), (), False) == (done.found, done.copies, done.named_in, done.pending)
            assert [] == await unsound(memory)
            assert _compared(before, taken) == _compared(after, taken)
            assert shown.revisions.keys().isdisjoint(seq for found in after for seq in found)


def _compared(found: list[dict[int, Memory]], but: set[int]) -> list[dict[int, list[object]]]:
    return [
        {seq: [getattr(one, name) for name in COMPARED] for seq, one in some.items() if seq not in but}
        for some in found
    ]
