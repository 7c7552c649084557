"""What each attribute of an instance stands for, as the type checker infers it."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from mypy import build
from mypy.main import process_options
from mypy.nodes import MemberExpr, Node, SuperExpr, TypeInfo
from mypy.types import (
    CallableType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeType,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from tools.restructure.symbols import ROOTS, Use, module_of


def classes_of(kind: Type | None) -> list[TypeInfo]:
    """Return the classes that a value of a type may have."""
    kind = get_proper_type(kind)
    if isinstance(kind, Instance):
        return [kind.type]
    if isinstance(kind, UnionType):
        return [info for item in kind.items for info in classes_of(item)]
    if isinstance(kind, TypeVarType):
        return classes_of(kind.upper_bound)
    if isinstance(kind, TypeType):
        return classes_of(kind.item)
    if isinstance(kind, CallableType) and kind.is_type_obj():
        return classes_of(kind.ret_type)
    if isinstance(kind, (TupleType,)):
        return [kind.partial_fallback.type]
    if isinstance(kind, LiteralType):
        return classes_of(kind.fallback)
    return []


def definer(info: TypeInfo, name: str) -> str | None:
    """Return the class of the family that defines an attribute."""
    for base in info.mro:
        if name in base.names:
            return f"{base.fullname}.{name}"
    return None


def nodes_of(tree: Node) -> Iterator[Node]:
    """Yield every node of a tree; what a node refers to elsewhere is left out."""
    waiting: list[object] = [tree]
    seen: set[int] = set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif isinstance(item, Node) and id(item) not in seen:
            seen.add(id(item))
            yield item
            for name in _parts(type(item)):
                with suppress(AttributeError, AssertionError, NotImplementedError):
                    waiting.append(getattr(item, name))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    elsewhere = {
        "node",
        "info",
        "type",
        "names",
        "imports",
        "alias_deps",
        "def_frame",
        "original_def",
        "unanalyzed_items",
    }
    found = {
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if type(value).__name__ == "getset_descriptor"
    }
    return tuple(sorted(found - elsewhere))


def uses_in(tree: Node, types: dict[object, Type]) -> list[Use]:
    """Return each place in a file where an attribute of an instance is named."""
    found: list[Use] = []
    for node in nodes_of(tree):
        if not isinstance(node, (MemberExpr, SuperExpr)) or node.end_column is None or node.end_line is None:
            continue
        if isinstance(node, SuperExpr):
            bases = [] if node.info is None else node.info.mro[1:]
            symbols = [f"{base.fullname}.{node.name}" for base in bases if node.name in base.names][:1]
        else:
            symbols = list(
                filter(None, (definer(info, node.name) for info in classes_of(types.get(node.expr))))
            )
        column = node.end_column - len(node.name.encode())
        ours = filter(None, symbols)
        found += [
            Use(node.end_line, column, node.name, symbol) for symbol in ours if symbol.startswith(ROOTNAMES)
        ]
    return found


ROOTNAMES = ("remanence.", "tests.", "benchmarks.", "tools.", "examples.")


def member_uses(root: Path, tops: tuple[str, ...] = ROOTS[:-1]) -> dict[str, list[Use]]:
    """Return by module each place where an attribute of an instance of ours is named."""
    arguments = ["--strict", "--config-file", str(root / "pyproject.toml")]
    sources, options = process_options([*arguments, *(str(root / top) for top in tops)])
    options.export_types = True
    options.preserve_asts = True
    options.incremental = False
    options.cache_dir = "/dev/null"
    result = build.build(sources, options)
    found: dict[str, list[Use]] = {}
    for name, tree in result.files.items():
        if name.partition(".")[0] not in ("remanence", *ROOTS) or not tree.path.endswith(".py"):
            continue
        path = Path(tree.path).resolve()
        if not path.is_relative_to(root):
            continue
        found[module_of(root, path)] = uses_in(tree, result.types)
    return found
