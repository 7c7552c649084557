"""What is written from the source is what the source says today."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import KIT
from tests.pages import PAGES, ROOT, architecture

_PLACES = (
    architecture.SOURCE,
    ROOT,
    KIT,
    *(architecture.SOURCE / name for name in ("flows/indexes", "curate/planner", "flows/curate")),
)


@pytest.mark.parametrize(("path", "text"), PAGES.items(), ids=lambda value: getattr(value, "name", ""))
def test_a_generated_file_is_current(path: Path, text: Callable[[], str]) -> None:
    """Each generated file is what its source gives; where it is not, `make pages` writes it anew."""
    assert path.exists(), "run `make pages`"
    assert text() == path.read_text(encoding="utf-8"), "run `make pages`"


def test_the_map_names_what_there_is() -> None:
    """Every file and folder that the map of the code names is there, and every folder of modules is listed."""
    text = architecture.FILE.read_text(encoding="utf-8").partition(architecture.BEGIN)[0]
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    folders = {
        str(path.parent.relative_to(source))
        for source in (architecture.SOURCE, KIT)
        for path in source.rglob("__init__.py")
    }
    deep = ("languages/", "write/transcripts", "remanence_store_kit/contract")

    assert named
    assert [] == [name for name in named if not any((top / name).exists() for top in _PLACES)]
    assert set() == {one for one in folders if not one.startswith(deep)} - {
        ".",
        "flows",
        *architecture.FOLDERS,
        *architecture.KIT_FOLDERS,
    }
