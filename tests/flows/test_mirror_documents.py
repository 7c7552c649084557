"""The profile, the topics and what the engine did stand in a mirror too, and an edited line corrects its fact."""

import json
from pathlib import Path

import pytest

import remanence
from tests.flows.conftest import decisions_of, hear
from tests.flows.test_mirror import files, text_of
from tests.flows.test_mirror_edits import edit

TEA, LINEN = "I prefer green tea in the morning.", "I prefer linen sails to cotton ones."


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


@pytest.fixture
async def mirror(memory: remanence.Engine, tmp_path: Path) -> Path:
    """Return a mirror whose profile has two lines."""
    for text in (TEA, LINEN):
        await memory.learn(text, category="preference", speaker="Ana", kind="semantic")
    await memory.mirror.sync(tmp_path)
    return tmp_path


async def test_a_correction_reaches_every_file_at_once(memory: remanence.Engine, mirror: Path) -> None:
    """Recall, profile and files say the new text, and the old file that it is superseded."""
    before = text_of(mirror / "profile.md")
    await memory.correct(1, "I prefer black tea in the morning.")
    await memory.mirror.sync(mirror)
    after = text_of(mirror / "profile.md")
    recalled = await memory.recall("which tea do I prefer?", asker="Ana")
    said = {text_of(path): path.read_text() for path in files(mirror)}

    assert "green tea" in before
    assert ("green tea" in after, "black tea" in after) == (False, True)
    assert "I prefer black tea in the morning." == recalled.memories[0].text
    assert 'status: "superseded"' in said[TEA]


async def test_topics_and_actions(memory: remanence.Engine, mirror: Path) -> None:
    """Topics are words; each line of the actions is one, as `actions` lists them; guidelines are what they teach."""
    await memory.note("I always drink coffee after lunch.", speaker="Ana", later=True)
    await hear(memory)
    await memory.consolidate()
    await memory.mirror.sync(mirror)
    rows = [json.loads(row) for row in (mirror / "memory-actions.jsonl").read_text().splitlines()]
    draft = (await memory.guidelines()).draft
    assert draft is not None
    learned = [str(one) for one in draft.guidelines]

    assert learned
    assert ["## Active", "## Draft", *(f"- {one}" for one in learned)] == text_of(
        mirror / "compression-guidelines.md"
    ).strip().splitlines()
    assert "- sails" in text_of(mirror / "topics.md")
    assert [one.to_dict() for one in reversed(await decisions_of(memory))] == rows


async def test_an_edited_line_corrects_its_fact(memory: remanence.Engine, mirror: Path) -> None:
    """And a new one is a new fact of its heading; all of it is shown first."""
    profile = mirror / "profile.md"
    edit(profile, "green tea", "mint tea")
    profile.write_text(profile.read_text() + "- I prefer rye bread.\n")
    shown = (await memory.mirror.sync(mirror)).edits
    assert TEA == (await memory.get(1)).text
    done = await memory.mirror.sync(mirror, apply=shown)
    held = {one.text: one.category for one in await memory.list()}

    assert ["correct", "learn"] == [one.verb for one in shown]
    assert 2 == len(done.runs)
    assert "superseded" == (await memory.get(1)).status.label
    assert {LINEN, "I prefer mint tea in the morning.", "I prefer rye bread."} == held.keys()
    assert {"preference"} == {*held.values()}
    assert () == (await memory.mirror.sync(mirror)).edits
    assert "rye bread" in text_of(profile)


async def test_a_line_of_an_older_revision_is_a_conflict(memory: remanence.Engine, mirror: Path) -> None:
    """Then nothing of the file is applied; a line that is taken away is no forget."""
    profile = mirror / "profile.md"
    edit(profile, "green tea", "mint tea")
    edit(profile, "linen sails", "hemp sails")
    await memory.update(1, importance=0.9)
    done = await memory.mirror.sync(mirror, apply=True)

    assert {"Conflict", "InvalidInput"} == {one.error for one in done.refused}
    assert (TEA, LINEN) == ((await memory.get(1)).text, (await memory.get(2)).text)
    await memory.mirror.sync(mirror, discard="profile.md")
    profile.write_text(
        "".join(row for row in profile.read_text().splitlines(keepends=True) if "[#1]" not in row)
    )
    assert () == (await memory.mirror.sync(mirror, apply=True)).applied
    assert 2 == len(await memory.list())


@pytest.mark.parametrize("text", ["some words", "- [#77] who is this?", "- [#1]x\n"])
async def test_what_is_no_line(text: str, memory: remanence.Engine, mirror: Path) -> None:
    """It is refused with what to do; topics are not edited at all."""
    profile = mirror / "profile.md"
    profile.write_text(profile.read_text() + text)
    (mirror / "topics.md").write_text("- mine\n")
    done = await memory.mirror.sync(mirror, apply=True)

    assert "topics.md" in [one.path for one in done.refused]
    assert all(one.recovery for one in done.refused)
    assert () == done.applied or text.startswith("- [#1]x")


async def test_documents_come_back(memory: remanence.Engine, mirror: Path) -> None:
    """Where they are empty, or somebody wrote into the record of actions; a deleted one once it says more."""
    before = {
        name: (mirror / name).read_bytes() for name in ("profile.md", "topics.md", "memory-actions.jsonl")
    }
    (mirror / "profile.md").write_text("")
    (mirror / "topics.md").write_text("")
    (mirror / "memory-actions.jsonl").write_text("mine")
    await memory.mirror.sync(mirror)

    assert before == {name: (mirror / name).read_bytes() for name in before}
    (mirror / "profile.md").unlink()
    await memory.mirror.sync(mirror)
    assert not (mirror / "profile.md").exists()
    await memory.learn("I like rowing best.", category="preference", speaker="Ines")
    await memory.consolidate()
    await memory.mirror.sync(mirror)
    assert "rowing best" in (mirror / "profile.md").read_text()
