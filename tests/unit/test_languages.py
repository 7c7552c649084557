"""The language files: what is made of them, how they are checked, and how one more language comes in."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from remanence.core.errors import LanguageError
from remanence.languages import LEXICONS
from remanence.languages import language_files as files
from tests.unit.language_objects import GOLDEN, digest_objects

ITALIAN = Path(__file__).with_name("italian.toml")
CODES = (*files.SPACED, *files.UNSPACED, files.COMMON)


def test_what_is_made_of_the_files_is_what_it_was() -> None:
    """Every list of every language has its digest: a change of a file changes what it is meant to, and nothing else."""
    then, now = json.loads(GOLDEN.read_text(encoding="utf-8")), digest_objects()

    assert [] == [name for name in sorted({*then, *now}) if then.get(name) != now.get(name)]


@pytest.mark.parametrize("code", CODES)
def test_a_file_of_the_package_keeps_the_rules_of_files(code: str) -> None:
    """What is refused from others is in no file of ours."""
    files.check_file(files.read_packaged(code), CODES)


@pytest.mark.parametrize(
    ("text", "key", "line", "says"),
    [
        ("code = 'it'\n[words\n", "", 1, "no TOML"),
        ("name = 'Italian'\n", "code", 1, "either `code`"),
        ("code = 'it'\nextends = 'de'\n", "code", 1, "either `code`"),
        ("code = 'it'\nwords = 'il la'\n", "words", 2, "either `code`"),
        ("code = 'Italian'\n", "code", 1, "no code of a language"),
        ("extends = 'xx'\n", "extends", 1, "no language 'xx'"),
        ("code = 'it'\n\n[word]\nstop = 'il'\n", "word.", 3, "unknown section 'word'"),
        ("code = 'it'\n[words]\nstops = 'il'\n", "words.stops", 3, "unknown list 'stops'"),
        ("code = 'it'\n[words]\nstop = 3\n", "words.stop", 3, "3 is no text"),
        ("code = 'it'\n[words]\nstop = '''\nil la\n(a|b)+\n'''\n", "words.stop", 5, "'('"),
        ("code = 'it'\n[words]\nstop = 'il L’'\n", "words.stop", 3, "'’'"),
        ("code = 'it'\n[words]\nstop = 'il La'\n", "words.stop", 3, "capitals"),
        ("code = 'it'\n[words]\nmonths = 'gennaio'\n", "words.months", 3, "no list"),
        ("code = 'it'\n[words]\nmonths = ['gennaio', 2]\n", "words.months", 3, "2 is no text"),
        ("code = 'it'\n[when]\nunits = 'ora'\n", "when.units", 3, "no table"),
        ("code = 'it'\n[words]\nnames_by_capital = 'no'\n", "words.names_by_capital", 3, "no true or false"),
        ("code = 'it'\n[signals.high]\nrule = 'sempre'\n", "signals.high.rule", 3, "unknown key 'rule'"),
        ("code = 'it'\n[signals]\norders = 'a, sempre.*'\n", "signals.orders", 3, "wrong place"),
        ("code = 'it'\n[signals]\norders = 'a ^sempre'\n", "signals.orders", 3, "wrong place"),
        ("code = 'it'\n[signals]\norders = 'a ~ ~ ~ b'\n", "signals.orders", 3, "more than 2 gaps"),
        ("code = 'it'\n[signals]\norders = 'a (b|(c|d))'\n", "signals.orders", 3, "bracket"),
        ("code = 'it'\n[signals]\norders = 'a (b'\n", "signals.orders", 3, "bracket"),
        ("code = 'it'\n[signals]\norders = 'a b|c'\n", "signals.orders", 3, "bracket"),
        ("code = 'it'\n[signals]\norders = 'a [bc]'\n", "signals.orders", 3, "'['"),
        (f"code = 'it'\n[signals]\norders = '{'(a|b) ' * 9}'\n", "signals.orders", 3, "more than 500"),
        (f"code = 'it'\n[words]\nstop = '{'a' * 1001}'\n", "words.stop", 3, "longer than 1000"),
        ("code = 'it'\n[topics]\nopens = '^ora'\n", "topics.opens", 3, "'^'"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(text: str, key: str, line: int, says: str) -> None:
    """The error names the file, the list and the line, says what is wrong and what to do; nothing is skipped."""
    with pytest.raises(LanguageError) as caught:
        files.check_file(files.read_file(text, "it.toml"), CODES)

    assert ("it.toml", key, line) == (caught.value.source, caught.value.key, caught.value.line)
    assert says in str(caught.value)
    assert caught.value.recovery


def test_a_file_that_is_too_long_or_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a megabyte, no UTF-8 or no file: the error names the path."""
    paths = {name: tmp_path / name for name in ("long.toml", "bytes.toml", "none.toml")}
    paths["long.toml"].write_text("#" * (files.FILE_BYTES_MAX + 1))
    paths["bytes.toml"].write_bytes(b"code = '\xff'")
    complaints = ("more than 1,000,000 bytes", "cannot be read", "cannot be read")
    for path, says in zip(paths.values(), complaints, strict=True):
        monkeypatch.setenv(files.VARIABLE, str(path))
        with pytest.raises(LanguageError, match=says) as caught:
            list(files._read_further_files())
        assert str(path) == caught.value.source


def test_two_files_are_not_one_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of two files of one code would hold is nobody's to guess; two that add to it may be."""
    one, other = tmp_path / "one.toml", tmp_path / "other.toml"
    monkeypatch.setenv(files.VARIABLE, f"{one}{os.pathsep}{other}")
    for path in (one, other):
        path.write_text("extends = 'de'\n[words]\nfirst_person = 'base'\n")
    added = list(files._read_further_files())
    for path in (one, other):
        path.write_text("code = 'it'\n")
    with pytest.raises(LanguageError, match=r"one\.toml is the language 'it' already") as caught:
        list(files._read_further_files())

    assert ["de", "de"] == [file.code for file in added]
    assert str(other) == caught.value.source


def test_one_file_brings_a_language() -> None:
    """Italian is told, and its standing orders are read."""
    read = json.loads(_python("-m", "tests.unit.italian", paths=[ITALIAN]))

    assert {
        "language": "it",
        "foreign": True,
        "unlisted": False,
        "standing order": "high",
        "identity": "high",
        "joke": "none",
        "small talk": True,
        "month": 10,
    } == read


def test_a_file_adds_to_a_language_or_takes_its_place(tmp_path: Path) -> None:
    """`extends` adds words to what is there; the code of a language that is there stands for it wholly."""
    more, other = tmp_path / "more.toml", tmp_path / "other.toml"
    more.write_text("extends = 'de'\n[words]\nfirst_person = 'meinereiner'\nmonths = ['', 'feber']\n")
    other.write_text("code = 'de'\n[words]\nfirst_person = 'meinereiner'\n")
    code = """if True:
        from remanence.languages import LEXICONS
        german = LEXICONS["de"]
        print("ich" in german.first_person, "meinereiner" in german.first_person, german.months.get("feber"))
    """

    assert "True True 2" == _python("-c", code, paths=[more])
    assert "False True None" == _python("-c", code, paths=[other])


def test_a_broken_file_of_the_user_is_said_when_a_store_is_opened(tmp_path: Path) -> None:
    """The first use of a list reads all files, and says what is wrong with one of them."""
    broken = tmp_path / "it.toml"
    broken.write_text("code = 'it'\n[words]\nstop = 'Il'\n")
    code = """
import asyncio, remanence
async def main():
    async with remanence.open(":memory:") as memory:
        await memory.learn("Il gatto dorme.")
try:
    asyncio.run(main())
except remanence.LanguageError as error:
    print(error)
"""

    assert f"{broken}:3: words.stop: 'Il' has capitals" in _python("-c", code, paths=[broken])


def test_words_of_a_list_have_no_commas(tmp_path: Path) -> None:
    """Words stand with blanks between them: "next week, tomorrow" would be three words, one with a comma."""
    broken = tmp_path / "it.toml"
    broken.write_text("code = 'it'\n[words]\ntime_words = 'prossima settimana, domani'\n")
    code = """if True:
        from remanence.core.errors import LanguageError
        from remanence.languages import LEXICONS
        try:
            LEXICONS["it"].time_words
        except LanguageError as error:
            print(error)
    """

    assert f"{broken}:3: words.time_words: 'settimana,' has a comma" in _python("-c", code, paths=[broken])


def test_words_that_only_ask_and_build_the_past_are_function_words() -> None:
    """As are the other forms of theirs."""
    german, portuguese = LEXICONS["de"].stop, LEXICONS["pt"].stop

    assert {"welches", "welchem", "welchen", "wurde", "wurden"} <= german
    assert {"qual", "quais"} <= portuguese


def _python(*arguments: str, paths: Sequence[Path] = ()) -> str:
    """Run a program with language files of the user, in a process of its own: lists are read once in a process."""
    environment = {**os.environ, files.VARIABLE: os.pathsep.join(map(str, paths))}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return done.stdout.strip()
