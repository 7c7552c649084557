"""Builds what is released from the last commit, into build/release: python -m tools.release.

Wheels and source distributions of every package, each built twice in folders of their own and equal to the byte, their
SHA-256 sums, and a bill of materials (CycloneDX) of an environment with the product alone. Nothing uncommitted
gets in.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "release"
PROJECTS = (".", *sorted(f"packages/{one.name}" for one in (ROOT / "packages").iterdir()))


def main() -> None:
    """Build twice, compare, write the sums and the bill of materials."""
    if changed := run("git", "status", "--porcelain", "--untracked-files=no"):
        sys.exit(f"commit first what is changed:\n{changed}")
    shutil.rmtree(TARGET, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="remanence-release-") as name:
        first, second = (build(Path(name) / turn) for turn in ("first", "second"))
        built = sorted(one.name for one in first.iterdir())
        differ = [one for one in built if (first / one).read_bytes() != (second / one).read_bytes()]
        if differ or built != sorted(one.name for one in second.iterdir()):
            sys.exit(f"two builds of one commit differ: {', '.join(differ) or 'other files'}")
        shutil.copytree(first, TARGET)
    (wheel,) = TARGET.glob("remanence-*.whl")
    write_materials(wheel, TARGET / f"{wheel.stem}.cdx.json")
    files = sorted(one for one in TARGET.iterdir())
    sums = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in files]
    (TARGET / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print("".join(sums), end="")


def build(folder: Path) -> Path:
    """Build every package from the last commit, and return where the distributions lie."""
    source = folder / "source"
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        tree.extractall(source, filter="data")
    made_at = run("git", "log", "-1", "--format=%ct").strip()
    for project in PROJECTS:
        subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", source / project],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": made_at},
        )
    return folder / "dist"


def write_materials(wheel: Path, target: Path) -> None:
    """Write what an installation of the product consists of."""
    with tempfile.TemporaryDirectory(prefix="remanence-materials-") as name:
        venv.create(name)
        python = Path(name) / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
        limits = ["--constraint", str(ROOT / "constraints.txt")]
        subprocess.run([*pip, "install", "--quiet", "--no-compile", *limits, wheel], check=True)
        lists = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
        subprocess.run([*lists, "--output-file", target, python], check=True)


def run(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
