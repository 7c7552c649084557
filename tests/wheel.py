"""Builds the wheels and tries them in empty environments, the product first and alone: python -m tests.wheel.

A dependency that is used but not declared, or a file that is read but not packaged, shows only there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from tests import KIT, LIFEBENCH, ROOT


def main() -> None:
    """Build, compare, install, run; the first failure ends it with a message."""
    with tempfile.TemporaryDirectory(prefix="remanence-wheel-") as name:
        folder = Path(name)
        wheel = build(ROOT, folder / "dist")
        compare(wheel, ROOT / "src" / "remanence")
        python = install(wheel, folder / "empty")
        run(python, "-c", "import remanence", cwd=folder)
        run(python.with_name("remanence"), "--version", cwd=folder)
        run(python.with_name("remanence"), "demo", cwd=folder)
        size_mb = sum(path.lstat().st_size for path in (folder / "empty").rglob("*")) / 1e6
        kit = build(KIT.parent, folder / "kit")
        compare(kit, KIT / "remanence_store_kit")
        install_into(python, kit)
        run(python, "-m", "remanence_store_kit.contract", "--help", cwd=folder)
        run(python, "-c", "import remanence_store_kit.policies, remanence_store_kit.worlds", cwd=folder)
        bench = build(LIFEBENCH.parent, folder / "bench")
        compare(bench, LIFEBENCH / "lifebench")
        measured = "run --adapter fts5 --suite months --days 30 --seed 1".split()
        run(install(bench, folder / "alone").with_name("lifebench"), *measured, cwd=folder)
    print(
        f"wheel: {wheel.name} installs and starts in an empty environment of {size_mb:.0f} MB, "
        f"{kit.name} beside it, {bench.name} alone"
    )


def build(project: Path, folder: Path) -> Path:
    """Build without isolation: the backend is in the environment already, so this needs no network."""
    run(
        Path(sys.executable),
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(project),
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def compare(wheel: Path, source: Path) -> None:
    """Fail unless the wheel holds exactly the files of the package."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    written = {
        path.relative_to(source.parent).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if packed != written:
        sys.exit(f"wheel and source differ: {sorted(packed ^ written)}")


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel and what it declares into a new environment; return its interpreter."""
    venv.create(folder, symlinks=os.name != "nt")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install_into(python, wheel)
    return python


def install_into(python: Path, wheel: Path) -> None:
    """Install a wheel and what it declares beside what is there."""
    uv = shutil.which("uv")
    if uv:
        run(Path(uv), "pip", "install", "--quiet", "--python", str(python), str(wheel))
    else:
        pip = ("-m", "pip", "--python", str(python), "--disable-pip-version-check")
        run(Path(sys.executable), *pip, "install", "--quiet", "--no-compile", str(wheel))


def run(program: Path, *arguments: str, cwd: Path = ROOT) -> None:
    """Run one command, quietly unless it fails."""
    outside = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        [program, *arguments], cwd=cwd, env=outside, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{program.name} {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
