"""Every planted bug turns the check red that is named for it, so that each check is known to be able to fail."""

from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import pytest

from remanence.core.errors import RemanenceError
from remanence.curate.policy import compiled
from remanence.store.base import Store
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.contract import StoreContract
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.contract.test_memory_store import tampered
from tests.laws.bugs import BUGS, Bug
from tests.laws.lab import RUNNER, hunt
from tests.laws.machine import hunt as tell_stories
from tests.laws.machine_bugs import BUGS as STORY_BUGS
from tests.laws.machine_bugs import StoryBug


@pytest.fixture(autouse=True)
def _presets_anew() -> Iterator[None]:
    """Compile presets with the bug, and without it afterwards: a process keeps those that it has compiled."""
    compiled._preset.cache_clear()
    yield
    compiled._preset.cache_clear()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_a_planted_bug_is_noticed(bug: Bug, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the bug planted, the law finds a world that breaks it, or the test of the contract fails."""
    bug.plant(monkeypatch)
    with pytest.raises((AssertionError, RemanenceError)):
        if isinstance(bug.noticed_by, str):
            RUNNER.run(
                kept(bug.noticed_by, SqliteStore(str(tmp_path / "bug.db")) if bug.sql else MemoryStore())
            )
        else:
            hunt(bug.noticed_by, bug.under)


@pytest.mark.deep
@pytest.mark.parametrize("bug", STORY_BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_a_planted_bug_breaks_a_story(bug: StoryBug, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the bug planted, the machine of many verbs comes to a story that breaks an invariant or cannot go on."""
    bug.plant(monkeypatch)
    with pytest.raises((AssertionError, RemanenceError)):
        tell_stories(bug.under, stories=200, verbs=16, seeds=3)


def test_a_digest_that_covers_no_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the chain made of causes alone, a log that was changed would pass for sound."""
    monkeypatch.setattr("remanence_store_kit.memory.log_rules.entries_digest", lambda _: b"")

    assert [] == RUNNER.run(tampered())


async def kept(name: str, store: Store) -> None:
    """Run one test of the contract on a store, which is its own second where the test asks for two."""
    test = getattr(StoreContract(), name)
    await store.open()
    try:
        await test(*(store for _ in signature(test).parameters))
    finally:
        await store.close()
