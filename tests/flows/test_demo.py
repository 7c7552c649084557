"""The demonstration tells the truth: what it claims is in the memory that it leaves, and what it names to try works."""

import asyncio
import io
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import remanence
from remanence.faces.cli import demo
from tests.command_line import typed

ROOT = Path(__file__).parents[2]
LONG_AGO = 100_000


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, demo.DemoResult, str]:
    """Run it once: the folder, what it claims, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "school"
    page = io.StringIO()
    shown = asyncio.run(demo.demonstrate(folder, page))
    return folder, shown, page.getvalue()


async def test_every_turn_is_stored_or_confirms_one(told: tuple[Path, demo.DemoResult, str]) -> None:
    """All lines of the file are accounted for, a second ingest knew each of them, and the talk beside it has boxes."""
    folder, shown, _ = told
    lines = len(demo.TALK.read_text(encoding="utf-8").splitlines())
    async with remanence.open(folder / demo.DATABASE) as memory:
        found = await memory.list(status="any", limit=LONG_AGO)
        boxes, traces = (
            await memory.conversations.list(),
            await memory.conversations.list(threads=True, segments_min=2),
        )
        found = [one for one in found if one.speaker not in {"Ines", "Oskar"}]

    assert (shown.noted, shown.segments) == (13, len(boxes))
    assert len(boxes) > 2 and traces
    assert lines == shown.stored + shown.repeats == shown.known_again
    assert (shown.stored, shown.repeats) == (len(found), sum(one.confirmations for one in found))
    assert shown.repeats >= 10


async def test_the_run_was_applied_and_taken_back(told: tuple[Path, demo.DemoResult, str]) -> None:
    """The plan moved much, deleted something, and the undo gave all of it back."""
    folder, shown, _ = told
    async with remanence.open(folder / demo.DATABASE) as memory:
        verbs = {event.run: event.verb for event in await memory.history(limit=LONG_AGO)}
        found = await memory.list(status="any", limit=LONG_AGO)
        checks = await memory.doctor()

    assert shown.after["archived"] > 50
    assert 0 < shown.after["pruned"] < 20
    assert shown.before == shown.restored
    assert ("curate", "undo") == (verbs[shown.run], list(verbs.values())[-1])
    assert {demo.WRONG} == {one.key for one in found if one.status.label != "active"}
    assert all(check.ok for check in checks)


async def test_the_first_plan_afterwards_has_something_in_it(told: tuple[Path, demo.DemoResult, str]) -> None:
    """Whoever plans on the same day, by the machine's own clock, sees what would go and no doubt about the clock."""
    folder, _, _ = told
    async with remanence.open(folder / demo.DATABASE) as memory:
        plan = await memory.plan()

    assert ("saltmarsh", None, ()) == (plan.policy, plan.held, plan.notes)
    assert plan.counts["archive"] > 50


def test_the_page_shows_each_step(told: tuple[Path, demo.DemoResult, str]) -> None:
    """The right answers, the plan and the reasons are on the page, in order of the steps."""
    _, _, page = told
    steps = "LEARN", "LISTEN", "RECALL", "CORRECT", "PLAN", "EXPLAIN", "APPLY", "UNDO", "A YEAR"
    found = [page.index(f"\n{step}  ") for step in steps]
    text = " ".join(page.split())

    assert sorted(found) == found
    assert "starts at four o'clock, not at two" in text
    assert "allergic to latex" in text
    assert "[read-notices] because the notice was read" in text
    assert "guard unfinished" in text
    assert demo.WIDTH >= max(len(line) for line in page.partition("\nThis memory is in ")[0].splitlines())


def test_a_year_is_shown_month_by_month(told: tuple[Path, demo.DemoResult, str]) -> None:
    """No memory is lost but by a purge, what is drawn is what was counted, and the memory itself is as before."""
    _, shown, page = told

    assert demo.MONTHS == len(shown.year)
    assert all(month["archived"] > 50 for month in shown.year)
    assert all(demo.bar("Jun 2026", month).partition("  ")[2] in page for month in shown.year)
    assert shown.before == shown.restored


def test_what_it_names_to_try_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command on its last lines can be typed as it stands, in the folder that it made."""
    monkeypatch.chdir(tmp_path)
    made = typed("demo")
    monkeypatch.chdir(tmp_path / "remanence-demo")
    done = [typed(*shlex.split(command)[1:]) for command, _ in demo.NEXT]

    assert [0, *(0 for _ in demo.NEXT)] == [one.exit_code for one in (made, *done)]
    assert "cd remanence-demo" in made.stdout
    assert "safety boat" in done[0].stdout
    assert 5 == len(done[3].stdout.splitlines())
    assert ["agent.db", "policy.toml", "saltmarsh.jsonl"] == sorted(path.name for path in Path().iterdir())


def test_as_a_document_it_says_what_it_did(tmp_path: Path) -> None:
    """With --json only the counts are printed."""
    done = typed("demo", str(tmp_path / "school"), "--json")

    assert '"repeats": 12' in done.stdout
    assert done.stdout.startswith("{")


@pytest.mark.parametrize("name", ["agent.db", "policy.toml", "saltmarsh.jsonl"])
def test_nothing_is_replaced(tmp_path: Path, name: str) -> None:
    """A folder with one of its files in it is refused, and left as it is."""
    (tmp_path / name).write_text("mine", encoding="utf-8")
    done = typed("demo", str(tmp_path))

    assert 1 == done.exit_code
    assert f"{name} is there already" in done.stderr
    assert "mine" == (tmp_path / name).read_text(encoding="utf-8")
    assert [name] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("option", ["--db", "--scope", "--agent"])
def test_it_takes_no_other_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    """An option that would name another memory is refused and not passed over."""
    monkeypatch.chdir(tmp_path)
    done = typed("demo", option, "default")

    assert 1 == done.exit_code
    assert "demo makes a memory of its own" in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A file in the way is an error with a way out."""
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    done = typed("demo", str(tmp_path / "file" / "school"))

    assert 1 == done.exit_code
    assert "cannot be made" in done.stderr


def test_make_demo_installs_the_product_alone(tmp_path: Path) -> None:
    """In a fresh checkout none of the developers' tools are installed for it; `make .venv` installs them afterwards."""
    packages = [f"packages/{name}/pyproject.toml" for name in ("remanence-store-kit", "lifebench")]
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "src/remanence/_version.py", *packages):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    said = {
        target: subprocess.run(
            ["make", "--dry-run", target], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for target in ("demo", ".venv")
    }

    assert {"demo": False, ".venv": True} == {target: "--group dev" in told for target, told in said.items()}
    assert {True} == {
        "--constraint constraints.txt" in told and "--editable ." in told for told in said.values()
    }
