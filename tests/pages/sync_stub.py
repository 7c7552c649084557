"""Writes the types of the plain twins from the engine's source: see `make pages`."""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

from remanence import editing_verbs, engine, opening, shelves
from remanence.portal import is_namespace

STUB = Path(engine.__file__).with_name("sync.pyi")
HEAD = (
    "# Written from the engine by `make pages`; a test compares.\n"
    '# mypy: disable-error-code="overload-overlap"\n'  # to types a text is a list of texts
)
PLAIN = {"AsyncIterator": "Iterator", "asynccontextmanager": "contextmanager"}
# The doors are the twin's own.
OWN = """
def __enter__(self) -> Self: ...
def __exit__(self, *_: object) -> None: ...
def close(self) -> None: ...
"""


def stub() -> str:
    """Return the text of the stub, as the formatter leaves it."""
    spaces = list(namespaces().values())
    classes = [_class(kind) for kind in (*spaces, engine.Engine)]
    opened = _function(_tree(opening.open))
    opened.returns = ast.Name("Engine")
    body: list[ast.stmt] = [*classes, opened]
    imports = _imports(
        body, [opening, engine, editing_verbs, shelves, *(sys.modules[kind.__module__] for kind in spaces)]
    )
    text = HEAD + "\n".join([*imports, "", *(ast.unparse(one) for one in body)]) + "\n"
    return _formatted(_formatted(text, "check", "--select", "F401,I", "--fix-only"), "format")


def namespaces() -> dict[str, type]:
    """Return the classes of the engine's namespaces by the names they have there."""
    members = {
        name: one
        for name, one in vars(shelves.Shelves).items()
        if isinstance(one, property) and not name.startswith("_")
    }
    kinds = {name: get_type_hints(member.fget).get("return") for name, member in members.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and is_namespace(kind)}


def _class(kind: type) -> ast.ClassDef:
    trees = [_tree(one) for one in reversed(kind.__mro__[:-1])] if kind is engine.Engine else [_tree(kind)]
    public = [
        _function(item)
        for tree in trees
        if isinstance(tree, ast.ClassDef)
        for item in tree.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and not item.name.startswith("_")
    ]
    overloaded = {item.name for item in public if item.decorator_list and _is_overload(item)}
    public = [item for item in public if item.name not in overloaded or _is_overload(item)]
    if kind is engine.Engine:
        public = [item for item in public if item.name != "close"]
        public = [*(_function(item) for item in ast.parse(OWN).body), *public]
    return ast.ClassDef(kind.__name__, [], [], list(public), [])


def _is_overload(function: ast.FunctionDef) -> bool:
    return "overload" in map(ast.unparse, function.decorator_list)


def _function(tree: ast.stmt) -> ast.FunctionDef:
    """Make a function plain and empty."""
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
    _Plain().visit(tree)
    kept = [one for one in tree.decorator_list if ast.unparse(one) != "checked"]
    plain = ast.FunctionDef(tree.name, tree.args, [ast.Expr(ast.Constant(...))], kept, tree.returns)
    return ast.fix_missing_locations(plain)


class _Plain(ast.NodeTransformer):
    """Says what is plain where the engine says what is awaited."""

    def __init__(self) -> None:
        self._twins = {kind.__name__ for kind in namespaces().values()}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(PLAIN.get(node.id, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr) if node.attr in self._twins else node


def _tree(thing: object) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]  # type: ignore[arg-type]


def _imports(body: list[ast.stmt], modules: list[ModuleType]) -> list[str]:
    """Return an import for each name used: from where the modules import it, or from the module that has it."""
    used = {node.id for tree in body for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found = {"Iterator": "collections.abc", "contextmanager": "contextlib", "Self": "typing"}
    for module in modules:
        tree = ast.parse(inspect.getsource(module))
        typed = [node.body for node in tree.body if isinstance(node, ast.If)]
        for node in [*tree.body, *(one for block in typed for one in block)]:
            if isinstance(node, ast.ImportFrom):
                found = {alias.asname or alias.name: str(node.module) for alias in node.names} | found
        found |= {name: module.__name__ for name in vars(module) if name not in found and name in used}
    own = {tree.name for tree in body if isinstance(tree, ast.ClassDef)}
    found.pop("builtins", None)  # the one module that annotations name
    return [
        "import builtins",
        *(f"from {found[name]} import {name}" for name in sorted(used - own) if name in found),
    ]


def _formatted(text: str, *command: str) -> str:
    ruff = [str(Path(sys.executable).with_name("ruff")), *command, "--stdin-filename", str(STUB), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
