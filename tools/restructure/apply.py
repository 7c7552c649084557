"""Move modules and rename what they define, by tables, in code, tests, benchmarks and docs at once.

python -m tools.restructure.apply TABLE …: a line is `old new`. An old dotted name that is a module moves to the new
dotted name; any other becomes the new name where it is defined. `module.function!name` renames a local variable.
`--check` says only what stands in the way, `--force` goes on all the same.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tools.restructure.members import member_uses
from tools.restructure.symbols import ROOTS, File, Project, Use, Uses

ROOT = Path(__file__).resolve().parents[2]
NEW = "\0"  # the dots of a module that is named as it will be
TEXTS = ("*.md", "*.toml", "*.yml", "Makefile", "*.cfg", "*.txt")


class Tables:
    """What moves, and what is renamed."""

    def __init__(self, project: Project, paths: list[str]) -> None:
        self.moves: dict[str, str] = {}
        self.names: dict[str, str] = {}
        for path in paths:
            for line in Path(path).read_text(encoding="utf-8").splitlines():
                words = line.split("#")[0].split()
                if not words:
                    continue
                old, new = words
                (self.moves if old in project.files else self.names)[old] = new
        self.texts = dict(self.moves)
        for old, new in self.moves.items():
            if old.startswith("remanence."):
                was, now = (name.removeprefix("remanence.").replace(".", "/") + ".py" for name in (old, new))
                self.texts |= {was: now} if "/" in was else {f"remanence/{was}": f"remanence/{now}"}
        longest = sorted(self.texts, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest))})(?!\w)")

    def module(self, name: str) -> str:
        """Return where a module is now, or the package around it."""
        if name in self.moves:
            return self.moves[name]
        return name


def path_of(root: Path, module: str) -> Path:
    """Return the file of a module that has none yet."""
    parts = module.split(".")
    return (root / "src" / Path(*parts) if parts[0] == "remanence" else root / Path(*parts)).with_suffix(
        ".py"
    )


class Edits:
    """What changes in one file, by place; applied from its end."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.spans: dict[tuple[int, int], tuple[int, str]] = {}
        self.problems: list[str] = []

    def replace(self, use: Use, new: str) -> None:
        """Put a new name in place of a use of the old one."""
        line = self.file.source.split("\n")[use.line - 1].encode()
        if line[use.column : use.column + len(use.text.encode())] != use.text.encode():
            self.problems.append(f"{self.file.path}:{use.line}: {use.text} does not stand where it should")
            return
        self.spans[use.line, use.column] = (len(use.text.encode()), new)

    def text(self, statements: dict[tuple[int, int], str]) -> str:
        """Return the new text; `statements` replace whole lines, first to last."""
        lines = [line.encode() for line in self.file.source.split("\n")]
        for (line, column), (length, new) in sorted(self.spans.items(), reverse=True):
            lines[line - 1] = lines[line - 1][:column] + new.encode() + lines[line - 1][column + length :]
        out: list[str | None] = [line.decode() for line in lines]
        for (first, last), new in statements.items():
            out[first - 1 : last] = [new, *[None] * (last - first)]
        return "\n".join(line for line in out if line is not None)


def rebuilt(project: Project, tables: Tables, file: File, node: ast.ImportFrom) -> str | None:
    """Return an import statement with the new modules and names, or None where nothing of it changes."""
    base = project.base(file, node)
    groups: dict[str, list[str]] = defaultdict(list)
    changed = False
    for alias in node.names:
        full = f"{base}.{alias.name}"
        if project.resolve(full) == full and full in project.files:
            parent, _, name = tables.module(full).rpartition(".")
        else:
            parent, name = tables.module(base), tables.names.get(project.resolve(full), alias.name)
        changed |= (parent, name) != (base, alias.name)
        asname = name if alias.asname == alias.name else alias.asname
        groups[parent].append(name if asname is None else f"{name} as {asname}")
    if not changed:
        return None
    indent = " " * node.col_offset
    return "\n".join(
        f"{indent}from {parent.replace('.', NEW)} import {', '.join(names)}"
        for parent, names in groups.items()
    )


def rewrite(
    project: Project, tables: Tables, members: dict[str, list[Use]]
) -> tuple[dict[Path, str], list[str]]:
    """Return the new text of each file that changes, and what a person must look at."""
    texts: dict[Path, str] = {}
    problems: list[str] = []
    for file in project.files.values():
        edits = Edits(file)
        renamed: set[str] = set()
        for use in [*Uses(project, file).collect(), *members.get(file.module, [])]:
            new = tables.names.get(use.symbol)
            if new is None and use.symbol in tables.moves:
                new = tables.moves[use.symbol].rpartition(".")[2]
            old = use.symbol.replace("!", ".").rpartition(".")[2]
            if new is None or use.text != old or new == old:
                continue
            edits.replace(use, new)
            renamed.add(new)
            if any(new in names for names in use.scopes):
                edits.problems.append(f"{file.path}:{use.line}: {old} → {new} meets a local of that name")
            elif new in file.bound and tables.names.get(project.resolve(file.bound[new])) in (None, new):
                edits.problems.append(f"{file.path}:{use.line}: {old} → {new} meets a name of the module")
        statements: dict[tuple[int, int], str] = {}
        listed = {id(part) for node in file.tree.body if _lists_names(node) for part in ast.walk(node)}
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ImportFrom):
                new_statement = rebuilt(project, tables, file, node)
                if new_statement is None:
                    continue
                last = node.end_lineno or node.lineno
                was = "\n".join(file.source.split("\n")[node.lineno - 1 : last])
                if "#" in was:
                    problems.append(
                        f"{file.path}:{node.lineno}: a comment of an import may be lost: {was.strip()[:150]}"
                    )
                statements[node.lineno, last] = new_statement
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) in listed:
                symbol = project.resolve(f"{file.module}.{node.value}") if node.value.isidentifier() else ""
                if (
                    symbol in tables.names
                    and file.bound.get(node.value)
                    and node.value == symbol.rpartition(".")[2]
                ):
                    edits.replace(
                        Use(node.lineno, node.col_offset + 1, node.value, symbol), tables.names[symbol]
                    )
        problems += edits.problems
        text = dotted(tables, edits.text(statements))
        if text != file.source:
            texts[file.path] = text
    return texts, problems


def _lists_names(node: ast.stmt) -> bool:
    """True if a statement lists names of its module: `__all__`, or the table of what is imported later."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return any(isinstance(target, ast.Name) and target.id in ("__all__", "_LATER") for target in targets)


def dotted(tables: Tables, text: str) -> str:
    """Replace dotted names and paths of modules that move, in any text; what `rebuilt` wrote is new already."""
    if tables.moves:
        text = tables.pattern.sub(lambda found: tables.texts[found[0]], text)
    return text.replace(NEW, ".")


def documents(root: Path, tables: Tables) -> dict[Path, str]:
    """Return the new text of each document that names what moves or is renamed."""
    listed = subprocess.run(
        ["git", "ls-files", *TEXTS], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    texts: dict[Path, str] = {}
    for name in listed.splitlines():
        path = root / name
        if name.startswith(("changelog.d/", "tools/")):
            continue
        was = path.read_text(encoding="utf-8")
        now = dotted(tables, was)
        for old, new in tables.names.items():
            parts = old.split(".")
            if "!" not in old and len(parts) > 2:
                now = re.sub(rf"`{parts[-2]}\.{parts[-1]}\b", f"`{parts[-2]}.{new}", now)
        if now != was:
            texts[path] = now
    return texts


def main() -> int:
    """Apply tables, unless something must be looked at first."""
    force, check = "--force" in sys.argv, "--check" in sys.argv
    paths = [name for name in sys.argv[1:] if not name.startswith("--")]
    project = Project(ROOT)
    tables = Tables(project, paths)
    defined = {use.symbol for file in project.files.values() for use in Uses(project, file).collect()}
    problems = [f"nothing is called {old}" for old in tables.names if old not in defined]
    owners = {old.rpartition(".")[0] for old in tables.names if "!" not in old}
    needs_types = bool(owners - project.files.keys())
    texts, more = rewrite(project, tables, member_uses(ROOT) if needs_types and not check else {})
    problems += more
    print("\n".join(problems))
    if check or (problems and not force):
        return 1
    for path, text in {**documents(ROOT, tables), **texts}.items():
        path.write_text(text, encoding="utf-8")
    for old, new in tables.moves.items():
        target = path_of(ROOT, new)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.parent / "__init__.py").exists():
            (target.parent / "__init__.py").write_text("", encoding="utf-8")
        subprocess.run(["git", "mv", str(project.files[old].path), str(target)], cwd=ROOT, check=True)
    tops = [top for top in ROOTS if (ROOT / top).is_dir()]
    subprocess.run(
        [ROOT / ".venv/bin/ruff", "check", "--quiet", "--fix", "--select", "I,F401", *tops],
        cwd=ROOT,
        check=False,
    )
    subprocess.run([ROOT / ".venv/bin/ruff", "format", "--quiet", *tops], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
