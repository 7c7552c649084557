"""Takes the pictures of the dashboard that the documentation shows: python -m tools.dashboard_pictures.

Makes the sample memory in a temporary folder, serves it, and looks at each page with the Chromium of this machine.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from remanence.faces.dashboard.page_table import PAGES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "dashboard"
COMMAND = [sys.executable, "-c", "from remanence.faces.cli import main; main()"]
WIDE, NARROW, HIGH = 1_280, 360, 800
WAIT_MS = 1_500  # in which plans and forecasts are worked out
AT_ODDS = ("12", "83")  # a contradiction for the review page: the car park is closed, and open
ADDRESSES = {
    "memory": "/memories/115",
    "graph": "/graph?from=226",
    "ask": "/ask?q=who+can+drive+the+safety+boat%3F&why_not=%2312",
}
DARK, SMALL = ("overview", "plan", "graph"), ("overview", "plan", "ask")


def main() -> None:
    """Make a memory, serve it, and take every picture anew."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([*COMMAND, "demo", name], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            [*COMMAND, "link", *AT_ODDS, "contradicts", "--confidence", "1", "--db", f"{name}/agent.db"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
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
