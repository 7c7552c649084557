"""What each name in a Python file stands for: a module, or a name that a module defines, through imports and scopes."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOTS = ("src", "tests", "benchmarks", "examples", "tools")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a name stands: its line, its column in bytes, the text there and the symbol it means."""

    line: int
    column: int
    text: str
    symbol: str
    scopes: tuple[frozenset[str], ...] = field(default=(), compare=False)


@dataclass(slots=True)
class File:
    """One parsed file and the names that its module binds."""

    path: Path
    module: str
    source: str
    tree: ast.Module
    bound: dict[str, str] = field(default_factory=dict)


def module_of(root: Path, path: Path) -> str:
    """Return the dotted name of the module in a file."""
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Project:
    """All Python files of a repository, and what their names stand for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, File] = {}
        for top in ROOTS:
            for path in sorted((root / top).rglob("*.py")):
                source = path.read_text(encoding="utf-8")
                module = module_of(root, path)
                self.files[module] = File(path, module, source, ast.parse(source))
        for file in self.files.values():
            file.bound = dict(self._bound(file, ast.walk(file.tree), imports=True))  # those in functions too
            file.bound |= dict(self._bound(file, _statements(file.tree)))

    def _bound(
        self, file: File, nodes: Iterable[ast.AST], *, imports: bool = False
    ) -> Iterator[tuple[str, str]]:
        for node in nodes:
            if imports and not isinstance(node, (ast.ImportFrom, ast.Import)):
                continue
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node.name, f"{file.module}.{node.name}"
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    yield alias.asname or alias.name, f"{self.base(file, node)}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    yield (
                        alias.asname or alias.name.split(".")[0],
                        alias.name if alias.asname else alias.name.split(".")[0],
                    )
            else:
                for name in _targets(node):
                    yield name, f"{file.module}.{name}"

    def base(self, file: File, node: ast.ImportFrom) -> str:
        """Return the absolute module that a statement imports from."""
        if not node.level:
            return node.module or ""
        parts = file.module.split(".")
        if file.path.name != "__init__.py":
            parts = parts[:-1]
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def resolve(self, name: str, tries: int = 12) -> str:
        """Follow a dotted name through imports to the module, or to the name in the module that defines it."""
        if name in self.files or not tries:
            return name
        parent, _, last = name.rpartition(".")
        if not parent:
            return name
        parent = self.resolve(parent, tries - 1)
        file = self.files.get(parent)
        if f"{parent}.{last}" in self.files and (
            file is None or file.bound.get(last, "") in ("", f"{parent}.{last}")
        ):
            return f"{parent}.{last}"
        if file is None:
            return f"{parent}.{last}"
        meant = file.bound.get(last)
        if meant is None or meant == f"{parent}.{last}":
            return f"{parent}.{last}"
        return self.resolve(meant, tries - 1)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that run in the scope of a module, those in branches included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                yield from _statements(child)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from _statements(child)


def _targets(node: ast.AST) -> Iterator[str]:
    """Yield the names that one statement binds by assignment."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, (ast.expr, ast.withitem)):
            yield from _targets(child)


def locals_of(node: ast.AST) -> frozenset[str]:
    """Return the names that are local to a function, a lambda, a comprehension or the body of a class."""
    names: set[str] = set()
    outer: set[str] = set()

    def look(child: ast.AST) -> None:
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            names.add(child.name)
            for inner in _outside(child):
                look(inner)
            return
        if isinstance(child, (ast.Lambda, *COMPREHENSIONS)):
            for inner in ast.walk(child):  # a walrus in a comprehension binds in the function around it
                if isinstance(inner, ast.NamedExpr):
                    names.add(inner.target.id)
            return
        if isinstance(child, (ast.Global, ast.Nonlocal)):
            outer.update(child.names)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, (ast.Store, ast.Del)):
            names.add(child.id)
        elif isinstance(child, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and child.name:
            names.add(child.name)
        for inner in ast.iter_child_nodes(child):
            look(inner)

    if isinstance(node, COMPREHENSIONS):
        for generator in node.generators:
            names.update(n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name))
        return frozenset(names)
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        args = node.args
        for arg in (
            *args.posonlyargs,
            *args.args,
            *args.kwonlyargs,
            *filter(None, (args.vararg, args.kwarg)),
        ):
            names.add(arg.arg)
    body = [node.body] if isinstance(node, ast.Lambda) else node.body  # type: ignore[attr-defined]
    for child in body:
        look(child)
    return frozenset(names - outer)


def _outside(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a definition that are evaluated in the scope around it."""
    if isinstance(node, FUNCTIONS):
        args = node.args
        notes = [
            a.annotation
            for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
            if a
        ]
        parts: list[ast.AST | None] = [
            *node.decorator_list,
            *args.defaults,
            *args.kw_defaults,
            *notes,
            node.returns,
        ]
        return [part for part in parts if part is not None]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.Lambda):
        return [part for part in (*node.args.defaults, *node.args.kw_defaults) if part is not None]
    return []


class Uses:
    """Walks one file and collects each place where a name of the project stands."""

    def __init__(self, project: Project, file: File) -> None:
        self.project = project
        self.file = file
        self.found: list[Use] = []
        self.lines = file.source.split("\n")

    def collect(self) -> list[Use]:
        """Return all uses in the file, definitions and imports left out."""
        for child in ast.iter_child_nodes(self.file.tree):
            self._walk(child, (), "")
        return self.found

    def _walk(self, node: ast.AST, scopes: tuple[tuple[str, frozenset[str], bool], ...], path: str) -> None:
        if isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            for part in _outside(node):
                self._walk(part, scopes, path)
            name = f"{path}.{node.name}" if not isinstance(node, ast.Lambda) else path
            if not isinstance(node, ast.Lambda):
                self._define(node, scopes, name.lstrip("."))
            inner = (*scopes, (name.lstrip("."), locals_of(node), isinstance(node, ast.ClassDef)))
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            for child in body:
                self._walk(child, inner, name)
            return
        if isinstance(node, COMPREHENSIONS):
            inner = (*scopes, (path.lstrip("."), locals_of(node), False))
            for child in ast.iter_child_nodes(node):
                self._walk(child, inner, path)
            return
        if isinstance(node, ast.Name):
            self._name(node, scopes)
        elif isinstance(node, ast.Attribute):
            self._attribute(node, scopes)
        elif isinstance(node, ast.Call):
            self._patched(node, scopes)
        for child in ast.iter_child_nodes(node):
            self._walk(child, scopes, path)

    def _define(self, node: ast.AST, scopes: tuple[tuple[str, frozenset[str], bool], ...], path: str) -> None:
        line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        for number in range(node.lineno, node.body[0].lineno + 1):
            text = self.lines[number - 1]
            for word in ("def ", "class "):
                at = text.find(f"{word}{node.name}")
                if at >= 0:
                    column = len(text[: at + len(word)].encode())
                    self._add(number, column, node.name, f"{self.file.module}.{path}", scopes)
                    return
        raise AssertionError((self.file.path, line, node.name))

    def _symbol(self, name: str, scopes: tuple[tuple[str, frozenset[str], bool], ...]) -> str | None:
        for depth, (path, names, is_class) in enumerate(reversed(scopes)):
            if is_class and depth:
                continue
            if name in names:
                return (
                    f"{self.file.module}.{path}.{name}" if is_class else f"{self.file.module}.{path}!{name}"
                )
        meant = self.file.bound.get(name)
        return None if meant is None else self.project.resolve(meant)

    def _name(self, node: ast.Name, scopes: tuple[tuple[str, frozenset[str], bool], ...]) -> None:
        symbol = self._symbol(node.id, scopes)
        if symbol is not None:
            self._add(node.lineno, node.col_offset, node.id, symbol, scopes)

    def meaning(self, node: ast.expr, scopes: tuple[tuple[str, frozenset[str], bool], ...]) -> str | None:
        """Return the module, class or function that an expression of dotted names means."""
        if isinstance(node, ast.Name):
            return self._symbol(node.id, scopes)
        if isinstance(node, ast.Attribute):
            value = self.meaning(node.value, scopes)
            if value is not None and "!" not in value:
                return self.project.resolve(f"{value}.{node.attr}")
        return None

    def _attribute(self, node: ast.Attribute, scopes: tuple[tuple[str, frozenset[str], bool], ...]) -> None:
        symbol = self.meaning(node, scopes)
        if symbol is not None:
            column = node.end_col_offset - len(node.attr.encode())
            self._add(node.end_lineno, column, node.attr, symbol, scopes)

    def _patched(self, node: ast.Call, scopes: tuple[tuple[str, frozenset[str], bool], ...]) -> None:
        """See `setattr(module, "name", …)` of whoever replaces a name by another."""
        if not (isinstance(node.func, ast.Attribute | ast.Name) and len(node.args) >= 2):
            return
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        where, name = node.args[:2]
        if called not in ("setattr", "getattr", "delattr", "object", "partial_patch") or not isinstance(
            name, ast.Constant
        ):
            return
        value = self.meaning(where, scopes)
        if value is not None and isinstance(name.value, str):
            self._add(
                name.lineno,
                name.col_offset + 1,
                name.value,
                self.project.resolve(f"{value}.{name.value}"),
                scopes,
            )

    def _add(
        self,
        line: int,
        column: int,
        text: str,
        symbol: str,
        scopes: tuple[tuple[str, frozenset[str], bool], ...],
    ) -> None:
        self.found.append(Use(line, column, text, symbol, tuple(names for _, names, _ in scopes)))
