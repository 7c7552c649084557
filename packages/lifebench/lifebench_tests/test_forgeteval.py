"""ForgetEval-Adv: a tiny repository of our own in the form of its authors is fetched, read and scored."""

import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

from lifebench import forgeteval
from lifebench.adapter import count_named
from lifebench.cli import main
from lifebench.runner import Sandbox

from .conftest import Run

CASES = '''
"""The form of the authors; the texts are ours."""
raise RuntimeError("this file is read, never run")
from bench.forgeteval.generate import GeneratedCase
ADV = [
    GeneratedCase(
        id="adv_swap_01",
        family="supersession",
        setup_facts=["The lamp of Uma is green.", "The gate of Uma is wide."],
        mutations=[("supersede", "lamp of Uma", "The lamp of Uma is amber now.")],
        final_query="lamp of Uma",
        must_contain=["amber"],
        must_not_contain=["is green"],
    ),
    GeneratedCase(
        id="adv_swap_02",
        family="purge",
        setup_facts=["Badge tern-4.", "Tag TERN4 is on the door.", "The gate of Uma is wide."],
        mutations=[("purge", "Badge tern-4")],
        final_query="gate of Uma",
        must_contain=[],
        must_not_contain=["TERN4"],
    ),
    GeneratedCase(
        id="adv_both_01",
        family="purge",
        setup_facts=["Badge tern-4.", "The owner of badge tern-4 is Ines.", "The gate badge of Uma is wide."],
        mutations=[("purge", "badge tern-4")],
        final_query="gate of Uma",
        must_contain=["wide"],
        must_not_contain=["tern-4"],
    ),
]
'''
PATCH = {
    "adv_swap_02": {"add_facts": ["Badge owl-9."], "final_query": "gate of Uma", "must_contain": ["gate"]},
}


def git(folder: Path, *words: str) -> str:
    """Run git in a folder."""
    config = (
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "uploadpack.allowAnySHA1InWant=true",
    )
    return subprocess.run(
        ["git", "-C", str(folder), *config, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def origin(tmp_path: Path) -> tuple[str, str]:
    """Return the address and the commit of a repository with three cases."""
    folder = tmp_path / "origin"
    for name, text in {
        forgeteval.CASE_FILES[0]: CASES,
        forgeteval.CASE_FILES[1]: "ADV = []\n",
        forgeteval.PATCH_FILES[0]: json.dumps(PATCH),
        forgeteval.PATCH_FILES[1]: "{}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "cases")
    return f"file://{folder}", git(folder, "rev-parse", "HEAD")


def test_cases_are_fetched_by_their_hash_and_scored_twice(
    tmp_path: Path, origin: tuple[str, str], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """What is fetched is the named commit; a case that only hides its row passes the first scorer alone.

    A purge takes both texts that it names, and leaves a third that shares one of its words.
    """
    monkeypatch.setattr(forgeteval, "COUNT", 3)
    monkeypatch.setattr(forgeteval.load_cases, "__defaults__", (3,))
    url, commit = origin
    to = tmp_path / "cases"
    assert 0 == main(["fetch", "forgeteval", "--url", url, "--commit", commit, "--to", str(to)])

    units = run("fts5", "forgeteval", "--cases", str(to))

    assert {
        "adv_swap_01": [("final query", "swap", "passed"), ("probed", "swap", "passed")],
        "adv_swap_02": [("final query", "swap", "passed"), ("probed", "swap", "failed")],
        "adv_both_01": [("final query", "both", "passed"), ("probed", "both", "passed")],
    } == {name: [(one.column, one.kind, one.verdict) for one in cases] for name, cases in units.items()}


def test_another_commit_or_number_of_cases_is_refused(
    tmp_path: Path, origin: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A commit that is not there, and cases that are not as many as published, end with one line."""
    url, commit = origin
    to = str(tmp_path / "cases")

    assert 2 == main(["fetch", "forgeteval", "--url", url, "--commit", "0" * 40, "--to", to])
    assert 2 == main(["fetch", "forgeteval", "--url", url, "--commit", commit, "--to", to])
    assert "has 3 cases, not 385" in capsys.readouterr().err
    assert 2 == main(["run", "--adapter", "fts5", "--suite", "forgeteval", "--cases", str(tmp_path / "none")])


def test_what_a_system_lacks_is_unsupported(tmp_path: Path) -> None:
    """A mutation that the system has no call for makes the case neither passed nor failed."""
    case = next(forgeteval.parse_cases(CASES))
    adapter = tmp_path / "bare.py"
    adapter.write_text(
        "from lifebench.adapter import Adapter\n\n\nclass Memory(Adapter):\n"
        "    def open(self, folder):\n        self.texts = []\n"
        "    def write(self, text, scope, by, source):\n        self.texts.append(text)\n"
        "    def rows(self, question, limit, scope):\n        return self.texts[:limit]\n"
    )
    import sys

    cases = list(forgeteval.run_case(partial(Sandbox, adapter, "", sys.executable, 20.0), case))

    assert ["unsupported"] * 2 == [one.verdict for one in cases]


@pytest.mark.parametrize(
    ("scores", "count"),
    [
        ([], 0),
        ([2.0], 1),
        ([2.0, 1.9], 1),
        ([3.0, 2.8, 1.0, 0.9], 2),
        ([2.0, 2.0, 2.0], 1),
        ([2.9, 3.0, 0.5], 2),
    ],
)
def test_a_query_names_the_hits_before_the_largest_gap(scores: list[float], count: int) -> None:
    """Of hits without a gap it names the first; a hit that stands above a better one is no gap."""
    assert count == count_named(scores)
