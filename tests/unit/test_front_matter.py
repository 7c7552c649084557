"""A file of the mirror is read back as it was written, and whatever else comes is read as text or refused."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.errors import InvalidInput
from remanence.flows.mirror.file_names import slug_of
from remanence.flows.mirror.front_matter import FRONT_BYTES_MAX, checksum_of, line, read, render_file

PLAIN = st.text(st.characters(codec="utf-8"))
NAMES = st.from_regex(r"[a-z][a-z_]{0,10}", fullmatch=True).filter(lambda name: name != "checksum")
JSON = st.dictionaries(PLAIN, st.recursive(st.integers(0, 9) | PLAIN | st.none(), st.lists, max_leaves=4))
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


def front(*lines: str) -> Any:
    """Read some lines of fields."""
    return read("\n".join(["---", *lines, "---", "", "text", ""]).encode()).fields


@given(st.dictionaries(NAMES, PLAIN | st.lists(PLAIN, min_size=1) | JSON), PLAIN)
def test_a_file_is_read_as_it_was_written(fields: dict[str, Any], text: str) -> None:
    """Its fields, its text sign for sign, and that nobody edited it."""
    data, checksum = render_file([line(name, value) for name, value in fields.items()], text)
    page = read(data)

    assert ({**fields, "checksum": checksum}, text, True) == (page.fields, page.text, page.is_whole)
    assert checksum == checksum_of(data)


@given(st.binary(max_size=200) | PLAIN.map(lambda text: f"---\n{text}\n---\n".encode()))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """With InvalidInput, and nothing else; nobody but the mirror makes a whole file."""
    try:
        page = read(data)
    except InvalidInput:
        return

    assert not page.is_whole


@pytest.mark.parametrize(
    "word", ["NO", "1.10", "12:30:45", "00123", ".nan", "2026-02-30", "null", "~", "true"]
)
def test_a_word_is_text(word: str) -> None:
    """Whatever YAML would take it for, in quotes or not, alone or in a list."""
    assert {"a": word, "b": word, "c": [word], "d": [word], "e": [word], "f": word} == front(
        f"a: {word}", f'b: "{word}"', f"c: [{word}]", f'd: ["{word}"]', "e:", f"  - {word}", f"f: '{word}'"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("a: &x [lol]", "b: [*x, *x]"),
        ("a: *x",),
        ("a: !!python/object:os.system",),
        ("a: |", "  text"),
        ("a: [[one]]",),
        ("a: " + "[" * 5_000,),
        ("a: " + '{"a":' * 5_000,),
        ('a: {"b": 1, "b": 2}',),
        ('a: {"b": NaN}',),
        ("a: one", "a: two"),
        ("no field",),
        ("a.b: one",),
        ('a: "open',),
        ("a: 'open",),
        ('a: ["x", 1]',),
        ("  - item of nothing",),
    ],
)
def test_what_is_not_plain_is_refused(lines: tuple[str, ...]) -> None:
    """Anchors, tags, blocks, lists in lists, and what stands there twice; the error names what to write."""
    with pytest.raises(InvalidInput) as caught:
        front(*lines)

    assert caught.value.recovery


def test_fields_are_bounded() -> None:
    """A file whose fields are longer, or never end, is refused; the text below may be long."""
    for many in ("a: x\n" * 20_000, f"a: {'x' * FRONT_BYTES_MAX}\n---\n"):
        with pytest.raises(InvalidInput, match="do not end"):
            read(f"---\n{many}".encode())

    assert "x" * 100_000 == read(f"---\na: b\n---\n\n{'x' * 100_000}".encode()).text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_editors_do_is_no_edit(end: str, mark: str) -> None:
    """Line ends of Windows, a mark at the beginning, and a last line that does not end."""
    text = mark + end.join(["---", "a: b", "---", "", "one", "two"])

    assert ({"a": "b"}, "one\ntwo") == (read(text.encode()).fields, read(text.encode()).text)
    assert "one\ntwo" == read((text + end).encode()).text


def test_an_edit_breaks_the_check_sum() -> None:
    """Of the text, of a field, or of the sum itself."""
    data, checksum = render_file([line("id", "1")], "text")

    assert checksum_of(data) is not None
    for old, new in ((b"text", b"texts"), (b'"1"', b'"2"'), (checksum[:4].encode(), b"beef")):
        assert checksum_of(data.replace(old, new)) is None


@given(PLAIN)
def test_a_name_can_be_kept_anywhere(name: str) -> None:
    """Small letters, digits and hyphens, at most forty."""
    assert NAME.fullmatch(slug_of(name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("../../etc/x", "etc-x"), ("Café  Ünder", "cafe-under"), ("決定", "other"), ("NUL", "nul")],
)
def test_a_name_leads_nowhere(name: str, expected: str) -> None:
    """What a file's name cannot hold is left out."""
    assert expected == slug_of(name)
