"""Takes the pictures of the dashboard that the documentation shows: python -m tools.dashboard_pictures.

Makes the sample memory in a temporary folder, serves it, and looks at each page with the Chromium of this machine.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import remanence.sync
from remanence.faces.dashboard.page_table import PAGES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "dashboard"
COMMAND = [sys.executable, "-c", "from remanence.faces.cli import main; main()"]
WIDE, NARROW, HIGH = 1_280, 360, 800
WAIT_MS = 1_500  # in which the graph is drawn
ADDRESSES = {
    "conversations": "/conversations?scope=boathouse",
    "entities": "/entities?scope=boathouse",
    "memory": "/memories/115",
    "ask": "/ask?q=who+can+drive+the+safety+boat%3F&why_not=%2312",
}
FIRST_DAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
TALKS = (
    (
        ("Ines", "The pier has rotten planks near the ladder, somebody will fall through."),
        ("Oskar", "The planks of the pier need oak, and the ladder needs new bolts."),
        ("Ines", "Oak planks for the pier cost forty crowns each at Lindqvist Timber."),
        ("Oskar", "Lindqvist Timber delivers the oak planks for the pier on Thursday."),
        ("Ines", "Different matter: the sail of the Heron is torn at the foot."),
        ("Oskar", "Marta Berg mends sails, the sail of the Heron goes to her."),
    ),
    (
        ("Oskar", "Marta Berg has the sail of the Heron and wants two weeks for it."),
        ("Ines", "Then the Heron sails in the last race with a borrowed sail."),
        ("Oskar", "The oak planks for the pier came, twelve of them."),
        ("Ines", "I will lay the planks of the pier on Saturday with Oskar."),
    ),
    (
        ("Ines", "The pier is done: all oak planks lie, and the ladder has its bolts."),
        ("Oskar", "The sail of the Heron is back from Marta Berg, it looks new."),
        ("Ines", "Marta Berg asks for sixty crowns for the sail of the Heron."),
    ),
)
DARK, SMALL = ("overview", "plan", "graph"), ("overview", "plan", "ask")


def main() -> None:
    """Make a memory, serve it, and take every picture anew."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([*COMMAND, "demo", name], check=True, stdout=subprocess.DEVNULL)
        note_talks(Path(name) / "agent.db")
        serving = subprocess.Popen(
            [*COMMAND, "serve", f"{name}/agent.db", "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        assert serving.stdout is not None
        base = serving.stdout.readline().split()[-1]
        link = re.search(r"http\S+", serving.stdout.readline())
        assert link is not None
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"),
                args=[
                    "--no-sandbox",
                    "--use-gl=angle",
                    "--use-angle=swiftshader",
                    "--enable-unsafe-swiftshader",
                ],
            )
            take_pictures(browser, base, link.group(0))
            browser.close()
        serving.terminate()
        serving.wait()


def note_talks(file: Path) -> None:
    """Note what two people said on three days, in a scope of its own: for the pages about conversations."""
    with remanence.sync.open(file, scope="boathouse") as memory:
        for day, talk in enumerate(TALKS):
            for minute, (speaker, text) in enumerate(talk):
                said_at = FIRST_DAY + timedelta(days=3 * day, hours=minute // 4, minutes=minute)
                turn = {"speaker": speaker, "session": f"day {day + 1}", "said_at": said_at}
                memory.note(text, later=True, **turn)
            memory.consolidate(listen=True)


def take_pictures(browser: Browser, base: str, link: str) -> None:
    """Take a picture of every page, and of some in the dark and on a telephone."""
    context = browser.new_context()
    context.new_page().goto(link)
    state: Any = context.storage_state()
    names = [page.name for page in PAGES if "{" not in page.path or page.name in ADDRESSES]
    for scheme, width, some in (("light", WIDE, names), ("dark", WIDE, DARK), ("light", NARROW, SMALL)):
        looks: Any = {"color_scheme": scheme, "viewport": {"width": width, "height": HIGH}}
        page = browser.new_context(storage_state=state, **looks).new_page()
        for name in some:
            page.goto(base + ADDRESSES.get(name, f"/{name}"))
            page.wait_for_timeout(WAIT_MS)
            kind = "narrow" if width == NARROW else scheme
            page.screenshot(path=FOLDER / f"{name}-{kind}.png")


if __name__ == "__main__":
    main()
