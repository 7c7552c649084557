"""What is written from the source is what the source says today."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pages import PAGES


@pytest.mark.parametrize(("path", "text"), PAGES.items(), ids=lambda value: getattr(value, "name", ""))
def test_a_generated_file_is_current(path: Path, text: Callable[[], str]) -> None:
    """Each generated file is what its source gives; where it is not, `make pages` writes it anew."""
    assert path.exists(), "run `make pages`"
    assert text() == path.read_text(encoding="utf-8"), "run `make pages`"
