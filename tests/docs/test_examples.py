"""What the documentation shows is what happens."""

import os
import re
import sys
from pathlib import Path

import pytest

import remanence
from tests.docs import examples

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
START = ROOT / "docs" / "start.md"
NOT_RUN_MAX = 5
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
PAGE = re.compile(r": (\S+\.md)$", re.MULTILINE)


def named(path: Path) -> str:
    """Name a document as a reader would."""
    return path.relative_to(ROOT).as_posix()


def follow(path: Path, folder: Path) -> list[str]:
    """Run the blocks of a document in an empty folder; return where it promises something else."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        # Where the command is installed for a reader, too.
        patched.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        return examples.complaints(path)


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path != START], ids=named)
def test_examples_print_what_they_promise(path: Path, tmp_path: Path) -> None:
    """Every Python block of a document runs, in an empty folder and without a network, and prints what follows it."""
    assert [] == follow(path, tmp_path)


def test_whoever_goes_on_from_the_start_page_meets_no_doubt(tmp_path: Path) -> None:
    """It runs like the others, and its commands on the memory that it made are as it says under the machine's clock."""
    assert [] == follow(START, tmp_path)
    with remanence.sync.open(tmp_path / "agent.db") as memory:
        plan, clock = (
            memory.plan("default"),
            next(check for check in memory.doctor() if check.name == "clock"),
        )

    assert ((), "") == (plan.notes, clock.advice)


def leads_nowhere(path: Path, link: str, anchor: str) -> bool:
    """Tell whether a relative link of a document names no file of the project, or no heading of that file."""
    if "://" in link:
        return False
    target = path.parent / link if link else path
    return not target.exists() or bool(anchor and anchor not in anchors(target))


def anchors(path: Path) -> set[str]:
    """Return what the headings of a document are called in links."""
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    """Every relative link of a document names a file of the project, and a heading where it names one."""
    links = [(path, *link) for path in DOCUMENTS for link in LINK.findall(path.read_text(encoding="utf-8"))]

    assert links
    assert [] == [link for link in links if leads_nowhere(*link)]


@pytest.mark.parametrize("link", [("gone.md", ""), ("start.md", "no-such-heading"), ("", "no-such-heading")])
def test_a_broken_link_is_seen(link: tuple[str, str]) -> None:
    """A file or a heading that is not there is found out."""
    assert leads_nowhere(ROOT / "docs" / "index.md", *link)


def test_the_navigation_names_every_page_once() -> None:
    """No page of the documentation can be reached by a search alone."""
    pages = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))

    assert pages == sorted(PAGE.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```console\n$ remanence --version  # look\nremanence ...\n$ pip install nothing\n```\n", 0),
        ("```console\n$ remanence --version\nanother\n```\n", 1),
        ("```console\n$ remanence get 1 --db none.db\n```\n", 1),
    ],
)
def test_a_wrong_command_is_seen(
    text: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of a page that is followed from the top fails where it fails, or prints what is not shown."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "README.md"
    path.write_text(text, encoding="utf-8")

    assert expected == len(examples.complaints(path))


def test_a_failing_example_is_seen(tmp_path: Path) -> None:
    """An exception in a block is not swallowed."""
    path = tmp_path / "a.md"
    path.write_text("```python\n1 / 0\n```\n", encoding="utf-8")

    with pytest.raises(ZeroDivisionError):
        examples.complaints(path)
