"""What the documentation shows is what happens."""

import re
from pathlib import Path

import pytest

from tests.docs import examples

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NOT_RUN_MAX = 5
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def named(path: Path) -> str:
    """Name a document as a reader would."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_examples_print_what_they_promise(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every Python block of a document runs, in an empty folder and without a network, and prints what follows it."""
    monkeypatch.chdir(tmp_path)

    assert [] == examples.complaints(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link of a document names a file of the project."""
    links = LINK.findall(path.read_text(encoding="utf-8"))

    assert [] == [link for link in links if "://" not in link and not (path.parent / link).exists()]


def test_few_examples_are_not_run() -> None:
    """An example that is not run may be wrong, so there are few."""
    count = sum(path.read_text(encoding="utf-8").count(examples.NOT_RUN) for path in DOCUMENTS)

    assert count <= NOT_RUN_MAX


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```python\nprint(1)\n```\n\nprints\n\n```text\n1\n```\n", 0),
        ("```python\nprint(1)\n```\n```text\n2\n```\n", 1),
        ("```python\nx = 1\n```\n```python\nprint(x)\n```\n```text\n1\n```\n", 0),
        ("```python\nprint('id 12 of 3')\n```\n```text\nid ... of 3\n```\n", 0),
        ("<!-- not run -->\n\n```python\nraise SystemExit\n```\n", 0),
        ("````text\n```python\nraise SystemExit\n```\n````\n", 0),
    ],
)
def test_a_wrong_output_is_seen(text: str, expected: int, tmp_path: Path) -> None:
    """A block is compared with the text block that follows it, and with nothing else."""
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")

    assert expected == len(examples.complaints(path))


def test_a_failing_example_is_seen(tmp_path: Path) -> None:
    """An exception in a block is not swallowed."""
    path = tmp_path / "a.md"
    path.write_text("```python\n1 / 0\n```\n", encoding="utf-8")

    with pytest.raises(ZeroDivisionError):
        examples.complaints(path)
