"""TOML that somebody wrote is refused before it is parsed where that would take minutes, wherever TOML is read."""

import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from remanence.core.errors import RemanenceError
from remanence.core.toml import KEY_PARTS_MAX, TOML_BYTES_MAX, parse_toml
from remanence.curate.policy.document import parse
from remanence.languages.language_files import read_file

SOURCE = Path(__file__).parents[2] / "src" / "remanence"
LONG = ".".join(["k"] * (KEY_PARTS_MAX + 1))
LONGEST = ".".join(["k"] * KEY_PARTS_MAX)
REFUSED_S = 1


DOORS: dict[str, Callable[[str], object]] = {
    "policy": lambda text: parse(text, "mine.toml"),
    "language": lambda text: read_file(text, "it.toml"),
}


@pytest.mark.parametrize(
    "text",
    [
        f"x = 1\n{LONG} = 1",
        f"[{LONG}]",
        f"[[ {LONG} ]]",
        f"x = {{ {LONG} = 1 }}",
        LONG.replace("k", '"k.\\"x"') + " = 1",
        LONG.replace("k", "'k'").replace(".", " . ") + " = 1",
        ".".join(["k"] * 20_000) + " = 1",
    ],
)
def test_a_key_of_too_many_parts_is_no_toml(text: str) -> None:
    """However it is written; the line is said."""
    with pytest.raises(tomllib.TOMLDecodeError, match=rf"more than {KEY_PARTS_MAX} parts \(at line [12],"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONGEST} = 1",
        f'x = "{LONG}"',
        f"x = '{LONG}'",
        f'x = """\nhe said "{LONG}"\n{LONG}"""',
        f"x = '''\nit's {LONG}\n{LONG}'''",
        f"x = 1 # {LONG}\n# '''\ny = 2",
        f"x = [{'1.5, ' * 100}]",
    ],
)
def test_what_is_no_key_may_have_as_many_dots_as_it_likes(text: str) -> None:
    """Strings, comments and numbers are what they are to any reader of TOML."""
    assert tomllib.loads(text) == parse_toml(text)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "text",
    [
        ".".join(["k"] * 30_000) + " = 1",
        "x = '''" + "a" * TOML_BYTES_MAX + "'''",
        "x = " + "[" * 5_000,
        "x = " + "9" * 5_000,
        "k" * 90_000,
    ],
    ids=["parts", "long", "deep", "number", "run"],
)
def test_every_door_refuses_it_at_once(door: str, text: str) -> None:
    """By an error of ours that says what to do, before a parser could take minutes."""
    began = time.process_time()
    with pytest.raises(RemanenceError) as refused:
        DOORS[door](text)

    assert refused.value.recovery
    assert time.process_time() - began < REFUSED_S


def test_one_function_reads_what_somebody_wrote() -> None:
    """The package's own word lists are read by it, too."""
    found = {
        file.relative_to(SOURCE).as_posix(): len(re.findall(r"tomllib\.loads?\(", file.read_text("utf-8")))
        for file in SOURCE.rglob("*.py")
    }

    assert {"core/toml.py": 1} == {name: count for name, count in found.items() if count}
