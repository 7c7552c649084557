"""Scopes of one file: which there are, what each holds, and what becomes of one that nobody wrote to."""

from pathlib import Path

import pytest

import remanence


async def test_a_new_scope_is_refused_where_that_is_asked_for(tmp_path: Path) -> None:
    """The error names the nearest scope that is there, and the refused opening leaves nothing behind."""
    path = tmp_path / "m.db"
    async with remanence.open(path, scope="harbour", embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.")
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(remanence.NotFound, match="no scope 'harbor' here") as refused:
            async with remanence.open(path, scope="harbor", embedder="none", new_scope="refuse"):
                pass

        assert "did you mean 'harbour'?" in refused.value.recovery
    assert before == path.read_bytes()


async def test_a_new_scope_is_made_where_nothing_is_asked(tmp_path: Path) -> None:
    """A program that opens a scope for each user asks an empty one first; from then on it is there."""
    path = tmp_path / "m.db"
    async with remanence.open(path, scope="ines", embedder="none") as memory:
        assert [] == list(await memory.recall("the ferry"))
    async with remanence.open(path, scope="ines", embedder="none", new_scope="refuse") as memory:
        assert [] == await memory.list()
