"""A change to the package brings a changelog fragment, or its message says that no user can notice it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIVED = "changelog: none"


def git(root: Path, *words: str) -> str:
    """Return what git answers, "" where there is no repository."""
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def unexplained(root: Path) -> list[str]:
    """Return the commits that upstream does not have, at least the last one, which touch source and say nothing."""
    upstream = git(root, "rev-parse", "--verify", "--quiet", "@{upstream}").strip()
    ahead = git(root, "rev-list", f"{upstream}..HEAD").split() if upstream else []
    last = git(root, "rev-list", "--no-merges", "--max-count=1", "HEAD").split()
    return [commit for commit in ahead or last if is_unexplained(root, commit)]


def is_unexplained(root: Path, commit: str) -> bool:
    """Tell whether a commit touches source with neither a fragment nor a line that waives it."""
    touched = git(root, "show", "--name-only", "--format=", commit).split()
    message = git(root, "show", "--no-patch", "--format=%B", commit).lower().splitlines()
    is_of_source = any(path.startswith(("src/", "packages/")) for path in touched)
    return (
        is_of_source
        and not any(path.startswith("changelog.d/") for path in touched)
        and WAIVED not in message
    )


@pytest.mark.skipif(not git(ROOT, "rev-parse", "HEAD"), reason="this is no git checkout")
def test_a_change_brings_its_fragment() -> None:
    """Each new commit that touches src/ or packages/ touches changelog.d/, or has the line `Changelog: none`."""
    assert [] == unexplained(ROOT)


def committed(root: Path, message: str, *paths: str) -> None:
    """Commit files with a message."""
    for path in paths:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(message, encoding="utf-8")
    git(root, "add", ".")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    git(root, *who, "commit", "--message", message)


@pytest.mark.parametrize(
    ("message", "paths", "expected"),
    [
        ("Faster", ("src/a.py",), 1),
        ("Faster", ("src/a.py", "changelog.d/a.changed.md"), 0),
        ("Tidier\n\nChangelog: none", ("src/a.py",), 0),
        ("A rule of the kit", ("packages/a.py",), 1),
        ("A test", ("tests/a.py",), 0),
    ],
)
def test_the_check_can_fail(tmp_path: Path, message: str, paths: tuple[str, ...], expected: int) -> None:
    """A commit of source alone is named; a fragment, a waiver, or no source is right."""
    git(tmp_path, "init", "--quiet")
    committed(tmp_path, message, *paths)

    assert expected == len(unexplained(tmp_path))
