"""A memory is opened by `async with` or by `await`, and an error's traceback says what to do about it."""

import traceback
from pathlib import Path
from typing import Any

import pytest

import remanence


async def test_an_awaited_memory_is_open_until_it_is_closed(tmp_path: Path) -> None:
    """What was learned is kept, and a verb after `close` is refused."""
    memory = await remanence.open(tmp_path / "memory.db", embedder="hashed")
    await memory.learn("The tide turns at six.")
    await memory.close()
    with pytest.raises(remanence.StoreUnavailable):
        await memory.learn("The open day starts at four.")
    async with await remanence.open(tmp_path / "memory.db", embedder="hashed") as again:
        kept = [one.text for one in await again.list()]

    assert ["The tide turns at six."] == kept


@pytest.mark.parametrize("wrong", [{"name": "nope"}, {"name": [1]}])
async def test_a_traceback_says_what_to_do(memory: remanence.Engine, wrong: dict[str, Any]) -> None:
    """Below what happened; the message itself stays what it is."""
    with pytest.raises(remanence.RemanenceError) as caught:
        await memory.get(**wrong)
    shown = "".join(traceback.format_exception(caught.value))

    assert shown.endswith(f"{caught.value}\n→ {caught.value.recovery}\n")
    assert caught.value.recovery not in str(caught.value)
