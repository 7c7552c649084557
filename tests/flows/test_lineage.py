"""What became of superseded memories, as doctor tells it, on both stores."""

import re
from pathlib import Path

import orjson

import remanence
from remanence.store.base import Check
from tests.flows.test_cli import Desk


async def lineage(memory: remanence.Engine) -> Check:
    """Return what doctor says of superseded memories."""
    (found,) = [check for check in await memory.doctor() if check.name == "lineage"]
    return found


async def test_a_forgotten_correction_is_told_and_mended_by_restore(memory: remanence.Engine) -> None:
    """Once what superseded it is forgotten, a memory is told of with advice; restored, it needs none."""
    old = await memory.learn("The office is in Lisbon")
    new = await memory.correct(old.id, "The office is in Porto")
    before = await lineage(memory)
    await memory.forget(new.id)
    told = await lineage(memory)
    await memory.restore(old.id)

    assert ("", True) == (before.advice, before.ok)
    assert (f"{old.seq}: the memories that replaced these are deleted", True) == (told.detail, told.ok)
    assert "restore" in told.advice
    assert before == await lineage(memory)


async def test_advice_is_a_warning_and_no_damage(tmp_path: Path) -> None:
    """On the command line a check with advice is a warning with what to do, and doctor still ends well."""
    path = tmp_path / "memory.db"
    async with remanence.open(path) as memory:
        old = await memory.learn("The office is in Lisbon")
        new = await memory.correct(old.id, "The office is in Porto")
        await memory.forget(new.id)
    desk = Desk(tmp_path)
    shown, read = (desk.type("doctor", "--db", str(path), *more) for more in ((), ("--json",)))
    (check,) = [check for check in orjson.loads(read.stdout) if check["name"] == "lineage"]

    assert [0, 0] == [shown.exit_code, read.exit_code]
    assert re.search(
        r"^warning lineage: 1: the memories that replaced these are deleted; restore ",
        shown.stdout,
        re.MULTILINE,
    )
    assert "DAMAGED" not in shown.stdout
    assert (True, True) == (check["ok"], check["advice"].startswith("restore"))
