"""A store of twelve verbs keeps the core of the contract, and the report says which capabilities of a store hold."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanence.store.base import Store
from remanence.store.capabilities import CAPABILITIES
from remanence_store_kit.contract import CONTRACTS, CoreContract, StoreContract
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from tests import IMPORT_PATH

STORES = """
from remanence.store.capabilities import BOXES, VECTORS
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.limited_store import limit_store

def twelve():
    return limit_store(MemoryStore())

class Forgetful(MemoryStore):
    embed = None

    async def boxes(self, scope, find):
        return []

class Headless(MemoryStore):
    survey = None
"""


class TestCoreOfMemoryStore(CoreContract):
    """Only the verbs of the core are there; rows of other tables are refused."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        """Yield an empty store of twelve verbs."""
        store = limit_store(MemoryStore())
        await store.open()
        yield store
        await store.close()


def list_rules(contract: type) -> set[str]:
    """Return the names of the rules of a contract."""
    return {name for name in dir(contract) if name.startswith("test_")}


def test_each_rule_is_of_one_group() -> None:
    """The core and the capabilities share no rule, and together they are the whole contract."""
    groups = [list_rules(contract) for contract in CONTRACTS.values()]

    assert ["core", *(one.name for one in CAPABILITIES)] == [*CONTRACTS]
    assert list_rules(StoreContract) == set().union(*groups)
    assert len(list_rules(StoreContract)) == sum(map(len, groups))
    assert all(groups)


# What dependencies of others bring for pytest; a plain installation has none of it.
UNUSED = "-p no:langsmith_plugin -p no:schemathesis"


def report(tmp_path: Path, *words: str) -> tuple[int, list[str]]:
    """Return how the report ends in a process of its own, and its lines."""
    Path(tmp_path, "stores.py").write_text(STORES, encoding="utf-8")
    command = [sys.executable, "-m", "remanence_store_kit.contract", *words]
    environment = {**os.environ, "PYTHONPATH": IMPORT_PATH, "PYTEST_ADDOPTS": UNUSED}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout or done.stderr).splitlines()


def test_the_report_of_twelve_verbs_says_what_is_lacking(tmp_path: Path) -> None:
    """The core holds, each capability is named with its verbs and what goes on without it, and nothing fails."""
    code, lines = report(tmp_path, "stores:twelve")

    assert 0 == code
    assert lines[0].startswith("core: holds (2")
    assert [
        f"{one.name}: lacks {', '.join(one.verbs)}; without it {one.without}" for one in CAPABILITIES
    ] == lines[1:]


def test_the_report_names_the_rules_that_fail(tmp_path: Path) -> None:
    """Of the capability that they belong to; half a capability is lacking, and the rest holds."""
    code, lines = report(tmp_path, "stores:Forgetful")
    told = dict(line.split(": ", 1) for line in lines)

    assert 1 == code
    assert told["vectors"].startswith("lacks embed;")
    assert told["boxes"].startswith("fails ")
    assert "test_boxes_are_listed_those_of_the_latest_turns_first" in told["boxes"]
    holding = {
        "core",
        "vocabulary",
        "answers",
        "erasing",
        "image expiry",
        "checks",
        "sizes",
        "file",
    }
    assert holding == {name for name, what in told.items() if what.startswith("holds")}


def test_the_report_of_what_is_no_store_runs_nothing(tmp_path: Path) -> None:
    """A verb of the core that is missing is named, and so is a store that is not found."""
    assert (1, ["core: lacks survey"]) == report(tmp_path, "stores:Headless")
    code, lines = report(tmp_path, "stores:Nobody")
    assert 2 == code
    assert "no store is found" in lines[-1]
