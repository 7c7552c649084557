"""What a person at a terminal sees while a verb works: on stderr, gone when it is done, nothing where nobody looks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from remanence.core.keywords import Progress


@contextmanager
def counting(what: str) -> Iterator[Progress | None]:
    """Show how far a count has come; yield who is to be told, or None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda count, of: shown.update(task, completed=count, total=of)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on whose length nobody knows."""
    with counting(what):
        yield
