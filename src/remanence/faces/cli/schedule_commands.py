"""The commands that keep a memory in order by themselves: one tick, and a process that ticks in all scopes.

Knows arguments, signals and exit codes; must not know what is due.
"""

import asyncio
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, get_args

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, suggest
from remanence.core.keywords import CadenceName
from remanence.faces.cli.options import Given, Memory
from remanence.faces.cli.running import database
from remanence.faces.style import Text, waiting, write_lines

_SPAN = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600}
STOPPED_BY = ("SIGTERM", "SIGINT", "SIGHUP")


async def schedule_tick(
    *,
    memory: Memory,
    cadence: Annotated[
        CadenceName | None, Parameter(help="Judge the rules of this cadence and of quicker ones, due or not.")
    ] = None,
    expire: Annotated[
        bool, Parameter(negative=(), help="End images of the audit that are past their time, too.")
    ] = False,
) -> Any:
    with waiting("doing what is due"):
        return await memory.schedule.tick(cadence, expire=expire)


async def schedule_run(
    *,
    memory: Memory,
    common: Given,
    cadence: Annotated[
        str | None,
        Parameter(
            metavar="NAME=TIME,…",
            help="How often rules are judged, such as rapid=1m,deep=12h; with s, m or h.",
        ),
    ] = None,
    backup: Annotated[
        str | None,
        Parameter(metavar="FOLDER", help="Write a verified copy there before the first deletion of a day."),
    ] = None,
    once: Annotated[bool, Parameter(negative=(), help="Look at every scope once and end.")] = False,
) -> Any:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in STOPPED_BY:
        with suppress(NotImplementedError, AttributeError):  # Windows has not all of them
            loop.add_signal_handler(getattr(signal, name), stop.set)
    copies = None if backup is None else Path(backup, database(common).stem)
    return await memory.schedule.run(
        cadences(cadence),
        stop=stop,
        tell=lambda done: write_lines([Text(str(done))], sys.stderr),
        backup=copies,
        scope=common.scope,
        once=once,
    )


async def schedule_accept_clock(*, memory: Memory) -> Any:
    return {"was in doubt": await memory.schedule.accept_clock() or "nothing"}


def cadences(given: str | None) -> dict[CadenceName, float]:
    """Read how many seconds lie between two judgements of rules, from NAME=TIME words with commas between."""
    intervals: dict[CadenceName, float] = {}
    for word in (given or "").split(",") if given else ():
        name, _, span = word.strip().partition("=")
        cadence = next((one for one in get_args(CadenceName) if one == name), None)
        if cadence is None:
            raise InvalidInput(f"unknown cadence {name!r}", recovery=suggest(name, get_args(CadenceName)))
        read = _SPAN.fullmatch(span)
        if read is None:
            raise InvalidInput(
                f"{word!r} says no time", recovery=f"write it like {name}=30s, {name}=5m or {name}=6h"
            )
        intervals[cadence] = float(read[1]) * _SECONDS[read[2]]
    return intervals
