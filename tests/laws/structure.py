"""The numbers of the house style as functions: each takes the folder of a package and returns its complaints.

It reads source text with ast and imports nothing of what it reads, so it also works on a planted tree.
"""

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tests.laws.sources import list_nodes, parse_source

PACKAGE = "remanence"
KIT = "remanence_store_kit"  # a distribution of its own, which imports the package

FUNCTION_LINES_P95 = 35
FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 700
PARAMETERS_MAX = 8
NESTING_MAX = 3
BROAD_EXCEPTS_MAX = 5

# From the bottom up. A module imports from lower rows and, except where SIBLINGS says no, from its own.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("_version",),
    ("core",),
    ("languages",),
    ("text",),
    ("read",),
    ("curate", "edit", "gate", "llm", "recall", "store", "write"),
    ("flows", "flows/indexes"),
    ("flows/base",),
    ("flows/write",),
    ("flows/undo",),
    ("flows/edit", "flows/exchange", "flows/recall"),
    ("flows/curate", "flows/entities"),
    ("flows/consolidate",),
    ("flows/mirror",),
    ("flows/erase",),
    ("flows/inspect", "flows/schedule", "flows/scopes"),
    ("engine", "editing_verbs", "shelves"),
    ("audit_source", "opening", "portal"),
    ("store_copy",),
    ("", "faces", "integrations", "sync", "types"),
)
# Parts of one row that never import one another.
SIBLINGS = frozenset(part for layer in LAYERS[:-4] for part in layer if len(layer) > 1)
# The root package, "", and `types` are the public face; they alone of their row are imported by the others of it.
IMPORTS_IN_A_CHAIN_MAX = 38

PURE = frozenset({"core", "curate", "edit", "gate", "languages", "read", "recall", "text", "write"})
# Modules of pure parts that are not, each with its reason.
IMPURE_MODULES = {
    "remanence.core.beside": "opens files beside a database with care",
    "remanence.core.clock": "the one reader of time",
    "remanence.core.process": "notices a fork",
    "remanence.core.signatures": "wraps plain and async functions alike",
    "remanence.languages.language_files": "reads the language files of the package and of the user once",
    "remanence.text.tokens": "reads its packaged table once",
}
IMPURE_IMPORTS = frozenset(
    {
        "anyio",
        "asyncio",
        "concurrent",
        "glob",
        "http",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "queue",
        "worth",
    }
    | {"random", "secrets", "select", "shutil", "signal", "socket", "sqlalchemy", "sqlite3", "structlog"}
    | {"subprocess", "sys", "tempfile", "threading", "time", "trio", "urllib", "uuid"},
)
# Parts where an import may wait inside a function until an optional or heavy package is really needed.
LAZY_PARTS = frozenset({"faces", "llm"})
# Modules of other parts that may do so too, each with its reason.
LAZY_MODULES = {
    "remanence.flows.base.extensions": "importlib.metadata takes 40 ms and is needed where a name is not built in",
    "remanence.opening": "psycopg is an extra, and only a memory on a server needs it",
    "remanence.store.sqlite.driver": "sqlcipher3 is an extra, and its library is 20 MB",
}
BROAD_EXCEPT_PARTS = frozenset({"faces"})
# Modules of other parts that may catch everything too, each with its reason.
BROAD_EXCEPT_MODULES = {
    "remanence.flows.base.extensions": "code of another package may raise anything; it is said under its name",
    "remanence.flows.curate.scheduling": "nobody asked for automatic work: its failure is kept and logged, not raised",
    "remanence.store.sqlite.threads": "what a job raises goes to whoever asked for it, and the thread lives on",
}
# A tuple that names so many of these catches everything without saying so.
ROOT_ERRORS = frozenset(
    {
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "BufferError",
        "EOFError",
        "ImportError",
        "LookupError",
    }
    | {
        "MemoryError",
        "NameError",
        "OSError",
        "ReferenceError",
        "RuntimeError",
        "StopIteration",
        "SyntaxError",
    }
    | {"SystemError", "TypeError", "ValueError"}
)
ROOT_ERRORS_MAX = 4
# Parts that start something themselves, or are there for others.
UNIMPORTED_PARTS = frozenset({"", "_version", "faces", "integrations", "sync", "types"})

CLOCK_READS = frozenset(
    {"datetime.datetime." + name for name in ("now", "today", "utcnow")}
    | {"datetime.date.today"}
    | {
        "time." + name + suffix
        for name in ("clock_gettime", "monotonic", "perf_counter", "process_time", "thread_time", "time")
        for suffix in ("", "_ns")
    },
)
SQL_CLOCK = re.compile(r"\bCURRENT_(TIMESTAMP|TIME|DATE)\b|\(('[^']*',\s*)?'now'")
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
BANNER = re.compile(r"^#\s*[-=*#~]{4,}")
BANNER_ANYWHERE = re.compile(BANNER.pattern.removeprefix("^"))

# Names that are a bare participle, each for what it names: a verb of `Engine` or of a shelf,
# a count by which a receipt tells what was done, a field of a protocol, a property of a policy's language.
PARTICIPLES = frozenset(
    {
        "archived",
        "condensed",
        "filled",
        "heard",
        "improved",
        "pruned",
        "reembed",
    }
    | {"reinforced", "remembered", "summarised", "told", "Accepted", "Erased", "Interrupted", "Protected"}
)
IRREGULAR_PARTICIPLES = frozenset(
    "begun born broken built chosen done drawn found given gone grown heard held hidden kept known led left lost made"
    " meant said seen sent shown spoken taken thrown told worn written".split()
)
NO_PARTICIPLES = frozenset({"embed", "exceed", "feed", "freed", "need", "proceed", "seed", "speed"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its part of the layout ("" for the root), its text and tree."""

    name: str
    part: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree."""
        return list_nodes(self.text)

    def at(self, node: ast.stmt | ast.expr | ast.ExceptHandler, complaint: str) -> str:
        """Say where, then what."""
        return f"{self.name}:{node.lineno} {complaint}"


@lru_cache(maxsize=64)
def modules(root: Path) -> tuple[Module, ...]:
    """Parse every file of the package at `root`."""
    return tuple(_module(root, path) for path in sorted(root.rglob("*.py")))


def long_functions(root: Path) -> list[str]:
    """No function is longer than 60 lines without its docstring."""
    return [
        module.at(function, f"{function.name} is {_lines(function)} lines, at most {FUNCTION_LINES_MAX}")
        for module, function in _functions(root)
        if _lines(function) > FUNCTION_LINES_MAX
    ]


def function_lengths(root: Path) -> list[str]:
    """The 95th percentile of functions has at most 35 lines."""
    lengths = sorted(_lines(function) for _, function in _functions(root)) or [0]
    p95 = lengths[int(0.95 * (len(lengths) - 1))]
    if p95 <= FUNCTION_LINES_P95:
        return []
    return [f"the 95th percentile of functions is {p95} lines, at most {FUNCTION_LINES_P95}"]


def long_files(root: Path) -> list[str]:
    """No file is longer than 700 lines."""
    return [
        f"{module.name} has {count} lines, at most {FILE_LINES_MAX}"
        for module in modules(root)
        if (count := module.text.count("\n") + 1) > FILE_LINES_MAX
    ]


def many_parameters(root: Path) -> list[str]:
    """No function takes more than 8 parameters, self and cls apart; beyond that it takes a frozen dataclass."""
    return [
        module.at(function, f"{function.name} takes {count} parameters, at most {PARAMETERS_MAX}")
        for module, function in _functions(root)
        if (count := _parameters(function)) > PARAMETERS_MAX
    ]


def deep_nesting(root: Path) -> list[str]:
    """No statement stands deeper than three blocks inside its function."""
    return [
        module.at(function, f"{function.name} nests {depth} deep, at most {NESTING_MAX}")
        for module, function in _functions(root)
        if (depth := _depth(function.body)) > NESTING_MAX
    ]


def import_cycles(root: Path) -> list[str]:
    """No module imports itself over others, not even from inside a function."""
    graph = {module.name: sorted(_imported(root, module)) for module in modules(root)}
    done: set[str] = set()
    # One cycle is found from each of its modules and from all that lead to it.
    cycles = {frozenset(cycle): cycle for start in graph if (cycle := _cycle(graph, start, (), done))}
    return ["import cycle: " + " -> ".join(cycle) for cycle in cycles.values()]


def unknown_parts(root: Path) -> list[str]:
    """Every module belongs to a row of the layout."""
    known = {part for layer in LAYERS for part in layer}
    return [
        f"{module.name}: {module.part} is in no row of LAYERS"
        for module in modules(root)
        if module.part not in known
    ]


def mutual_imports(root: Path) -> list[str]:
    """No two folders import each other."""
    arrows: dict[tuple[str, str], str] = {}
    for module in modules(root):
        for target in _imported(root, module):
            ends = _folder(root, module.name), _folder(root, target)
            if all(ends) and ends[0] != ends[1]:
                arrows.setdefault(ends, f"{module.name} imports {target}")
    return sorted(
        f"{a} and {b} import each other: {why}, {arrows[b, a]}"
        for (a, b), why in arrows.items()
        if a < b and (b, a) in arrows
    )


def long_chains(root: Path) -> list[str]:
    """No chain of imports is longer than it may be, what the table of later imports names included."""
    graph = {module.name: sorted(_imported(root, module)) for module in modules(root)}
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = 0  # a cycle is another law's
            depths[name] = 1 + max((depth(target) for target in graph.get(name, ())), default=0)
        return depths[name]

    longest = max(map(depth, graph), default=0)
    return [f"a chain of imports has {longest} modules"] if longest > IMPORTS_IN_A_CHAIN_MAX else []


def upward_imports(root: Path) -> list[str]:
    """Imports point downwards; write, recall, curate, store and llm never import one another."""
    rows = {part: row for row, layer in enumerate(LAYERS) for part in layer}
    complaints = []
    for module in modules(root):
        for target in _imported(root, module):
            part = _part(target)
            if module.part in rows and part in rows and not _allowed(module.part, part, rows):
                complaints.append(f"{module.name} imports {target}, against the arrows of the layout")
    return sorted(complaints)


def kit_imports(root: Path) -> list[str]:
    """The package runs without what proves its stores, so nothing of it names the kit, in an import or in a text."""
    return [f"{module.name} names {KIT}" for module in modules(root) if KIT in module.text]


def clock_reads(root: Path) -> list[str]:
    """Only clock.py asks what time it is, in Python or in SQL."""
    complaints = []
    for module in modules(root):
        if module.name == "remanence.core.clock":
            continue
        names = _bindings(module)
        for node in module.nodes:
            read = _clock_read(node, names)
            if read:
                complaints.append(module.at(node, f"reads the clock: {read}"))  # type: ignore[arg-type]
    return complaints


def multiplied_texts(root: Path) -> list[str]:
    """No text is multiplied by a condition, which makes it where it is not shown: write `text if condition else ""`."""
    return [
        module.at(node, "multiplies a text by a condition")
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and (isinstance(node.left, ast.JoinedStr) or isinstance(getattr(node.left, "value", None), str))
        and (isinstance(node.right, ast.Compare | ast.BoolOp | ast.UnaryOp) or _is_truth(node.right))
    ]


def _is_truth(node: ast.expr) -> bool:
    """Tell whether an expression is `bool(…)`, or named as what is true or false."""
    called = node.func if isinstance(node, ast.Call) else node
    name = getattr(called, "attr", getattr(called, "id", ""))
    return name.startswith(("bool", "is_", "has_"))


def broad_excepts(root: Path) -> list[str]:
    """A broad except stands only in faces and BROAD_EXCEPT_MODULES, is called one, and stands at most five times."""
    found = [
        (module, node)
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.ExceptHandler | ast.Call) and _is_broad(node)
    ]
    complaints = [
        module.at(node, "catches everything")
        for module, node in found
        if module.part not in BROAD_EXCEPT_PARTS and module.name not in BROAD_EXCEPT_MODULES
    ]
    complaints += [
        module.at(node, "catches everything without saying so: write `except Exception`")
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.ExceptHandler | ast.Call) and _is_hidden(node, _constants(module.tree))
    ]
    if len(found) > BROAD_EXCEPTS_MAX:
        complaints.append(f"{len(found)} broad excepts, at most {BROAD_EXCEPTS_MAX}")
    return complaints


def impure_modules(root: Path) -> list[str]:
    """A pure module has no async, clock, os, random, logging or file access."""
    complaints = []
    for module in modules(root):
        if module.part not in PURE or module.name in IMPURE_MODULES:
            continue
        for node in module.nodes:
            complaint = _impurity(node)
            if complaint:
                complaints.append(module.at(node, complaint))  # type: ignore[arg-type]
    return complaints


def resource_readers(root: Path) -> list[str]:
    """One module at most of the pure ones reads packaged files, by importlib.resources: the curate presets."""
    readers = [
        module.name
        for module in modules(root)
        if module.part in PURE
        and any(name.startswith("importlib.resources") for name in _bindings(module).values())
    ]
    return (
        [] if len(readers) <= 1 else ["packaged files are read in more than one place: " + ", ".join(readers)]
    )


def hidden_imports(root: Path) -> list[str]:
    """An import waits inside a function only in faces, llm and the modules of LAZY_MODULES."""
    return [
        module.at(node, f"{function.name} hides an import")
        for module, function in _functions(root)
        if module.part not in LAZY_PARTS and module.name not in LAZY_MODULES
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def marks(root: Path) -> list[str]:
    """No comment says that work is left, and none draws a line."""
    return [
        f"{path.relative_to(root)}:{line} {comment}"
        for path in sorted(root.rglob("*.py"))
        if _may_hold_marks(path)
        for line, comment in _comments(path)
        if MARKS.search(comment) or BANNER.search(comment)
    ]


def shadowed_annotations(root: Path) -> list[str]:
    """No annotation in a class names what the class defines: from Python 3.14 on it would mean that."""
    found: list[str] = []
    for module in modules(root):
        for kind in (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)):
            own = {item.name for item in kind.body if isinstance(item, Function | ast.ClassDef)}
            annotations = [
                node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else node.returns
                for item in kind.body
                for node in (item, *ast.walk(getattr(item, "args", item)))
                if isinstance(node, ast.arg | ast.AnnAssign | Function)
            ]
            found += [
                module.at(kind, f"an annotation of {kind.name} names its own {name.id}")
                for annotation in annotations
                if annotation is not None
                for name in ast.walk(annotation)
                if isinstance(name, ast.Name) and name.id in own
            ]
    return found


def unimported_modules(root: Path) -> list[str]:
    """Every module is imported by another, except those that start something or serve others."""
    used = {target for module in modules(root) for target in _imported(root, module) if target != module.name}
    packages = {name[:at] for name in used for at, sign in enumerate(name) if sign == "."}
    return [
        f"{module.name} is imported by nobody"
        for module in modules(root)
        if module.part not in UNIMPORTED_PARTS and module.name not in used and module.name not in packages
    ]


def participles(root: Path) -> list[str]:
    """No function and no class is named by a participle alone: it says what was done, not what it does or is."""
    return [
        module.at(node, f"{node.name} is a participle: name a verb and its object, or a noun")
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name.strip("_") not in PARTICIPLES
        and _is_participle(node.name.strip("_"))
    ]


def defined_names(root: Path) -> set[str]:
    """Return what the functions and classes of a tree are called, without leading lines."""
    return {
        node.name.strip("_")
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def repeated_classes(root: Path) -> list[str]:
    """No name stands for two classes; `sync.Engine` is the same face as `engine.Engine`, without async."""
    places: dict[str, list[str]] = {}
    for module in modules(root):
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and (module.name, node.name) != ("remanence.sync", "Engine"):
                places.setdefault(node.name.strip("_"), []).append(module.name)
    return [f"{name} is a class of {', '.join(found)}" for name, found in places.items() if len(found) > 1]


def ambiguous_names(root: Path) -> list[str]:
    """A module's last name stands for one module, whatever folder it is in; `base` is each folder's protocol."""
    places: dict[str, list[str]] = {}
    for module in modules(root):
        if module.path.name != "__init__.py":
            places.setdefault(module.path.stem, []).append(module.name)
    return [
        f"{name} is the name of {', '.join(found)}"
        for name, found in places.items()
        if len(found) > 1 and name != "base"
    ]


def undocumented_modules(root: Path) -> list[str]:
    """Every module says what it knows."""
    return [
        f"{module.name} has no docstring" for module in modules(root) if not ast.get_docstring(module.tree)
    ]


def _module(root: Path, path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join((root.name, *(part for part in parts if part != "__init__")))
    return Module(name, _part(name), path, text, parse_source(text))


def _may_hold_marks(path: Path) -> bool:
    """True if a file has a mark or a line somewhere, be it in a comment or not: telling comments apart takes long."""
    text = path.read_text(encoding="utf-8")
    return MARKS.search(text) is not None or BANNER_ANYWHERE.search(text) is not None


def _comments(path: Path) -> list[tuple[int, str]]:
    with tokenize.open(path) as source:
        tokens = tokenize.generate_tokens(source.readline)
        return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def _part(name: str) -> str:
    """Return the first folder below the package, of the flows the second too; "" for the package itself."""
    names = name.split(".")[1:]
    return "/".join(names[:2] if names[:1] == ["flows"] else names[:1])


def _is_participle(word: str) -> bool:
    if "_" in word or not word[1:].islower():  # of more than one word
        return False
    low = word.lower()
    ends = low.endswith("ed") and len(low) > len("need") and low not in NO_PARTICIPLES
    return ends or low in IRREGULAR_PARTICIPLES


def _folder(root: Path, name: str) -> str:
    """Return the folder of a module, "" at the root."""
    names = name.split(".")[1:]
    return "/".join(names if (root / Path(*names)).is_dir() else names[:-1])


def _functions(root: Path) -> Iterator[tuple[Module, Function]]:
    for module in modules(root):
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def _lines(function: Function) -> int:
    """Count from `def` to the last line, the docstring apart."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    is_docstring = ast.get_docstring(function, clean=False) is not None
    return total - ((first.end_lineno or first.lineno) - first.lineno + 1 if is_docstring else 0)


def _parameters(function: Function) -> int:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    own = 1 if positional and positional[0].arg in {"self", "cls"} else 0
    return len(positional) + len(arguments.kwonlyargs) - own


def _depth(body: list[ast.stmt]) -> int:
    return max((_depth_of(statement) for statement in body), default=0)


def _depth_of(statement: ast.stmt) -> int:
    match statement:
        case ast.If(body=body, orelse=[ast.If() as elif_]):
            # An elif stands beside its if, not inside it.
            return max(1 + _depth(body), _depth_of(elif_))
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            return 1 + max(_depth(statement.body), _depth(statement.orelse))
        case ast.With() | ast.AsyncWith():
            return 1 + _depth(statement.body)
        case ast.Try() | ast.TryStar():
            handlers = [handler.body for handler in statement.handlers]
            bodies = [statement.body, statement.orelse, statement.finalbody, *handlers]
            return 1 + max(_depth(body) for body in bodies)
        case ast.Match():
            return 1 + max(_depth(case.body) for case in statement.cases)
    return 0


def _imported(root: Path, module: Module) -> frozenset[str]:
    """Return the modules of the package that one names in an import, wherever it stands, or in a table of them."""
    return _all_imported(root)[module.name]


@lru_cache(maxsize=64)
def _all_imported(root: Path) -> dict[str, frozenset[str]]:
    """Return, for each module of the package, those that it names."""
    names = {module.name for module in modules(root)}
    return {module.name: frozenset(_named_of(module, names)) for module in modules(root)}


def _named_of(module: Module, names: set[str]) -> Iterator[str]:
    """Yield which of these modules a module names, each as often as it does."""
    is_package = module.path.name == "__init__.py"
    for node in module.nodes:
        for target in _targets(node, module.name, is_package=is_package):
            # `from package import thing`: the thing may be a module or a name inside one.
            known = target if target in names else target.rpartition(".")[0]
            if known in names:
                yield known


def _targets(node: ast.AST, importer: str, *, is_package: bool) -> list[str]:
    if isinstance(node, ast.Dict):
        return [
            target for path, some in _table(node) for target in (path, *(f"{path}.{name}" for name in some))
        ]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = _base(node, importer, is_package=is_package)
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


def _table(node: ast.Dict) -> Iterator[tuple[str, list[str]]]:
    """Yield what a table of later imports names: a module, and in it classes or modules that are parted by spaces."""
    for path, some in zip(node.keys, node.values, strict=True):
        if isinstance(path, ast.Constant) and isinstance(some, ast.Constant) and isinstance(some.value, str):
            named = (str(path.value), some.value) if str(path.value).startswith(PACKAGE) else (some.value, "")
            if named[0].startswith(f"{PACKAGE}."):
                yield named[0], named[1].split()


def later_imports(root: Path) -> list[str]:
    """What a module imports later under a small name is a module, since a function would be taken for one."""
    names = {module.name for module in modules(root)}
    return [
        module.at(node, f"imports {node.module}.{alias.name} later, which is no module")
        for module in modules(root)
        if "import_later(globals())" in module.text
        for block in module.tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.islower() and f"{node.module}.{alias.name}" not in names
    ]


def _base(node: ast.ImportFrom, importer: str, *, is_package: bool) -> str:
    """Resolve the dots of a relative import."""
    if not node.level:
        return node.module or ""
    parts = importer.split(".")
    kept = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _cycle(graph: dict[str, list[str]], name: str, path: tuple[str, ...], done: set[str]) -> tuple[str, ...]:
    if name in path:
        return (*path[path.index(name) :], name)
    if name in done:
        return ()
    for target in graph[name]:
        found = _cycle(graph, target, (*path, name), done)
        if found:
            return found
    done.add(name)
    return ()


def _allowed(importer: str, target: str, rows: dict[str, int]) -> bool:
    if importer == target:
        return True
    if rows[importer] == rows[target]:
        return importer not in SIBLINGS
    return rows[target] < rows[importer]


def _bindings(module: Module) -> dict[str, str]:
    """Map each name bound by an import to what it stands for: {"dt": "datetime.datetime"}."""
    found: dict[str, str] = {}
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _clock_read(node: ast.AST, names: dict[str, str]) -> str:
    """Return what is read, or the empty string."""
    if isinstance(node, ast.ImportFrom):
        return next(
            (name for alias in node.names if (name := f"{node.module}.{alias.name}") in CLOCK_READS), ""
        )
    if isinstance(node, ast.Attribute):
        dotted = _dotted(node, names)
        return dotted if dotted in CLOCK_READS else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = SQL_CLOCK.search(node.value)
        return found.group() if found else ""
    return ""


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def _is_broad(node: ast.ExceptHandler | ast.Call) -> bool:
    if isinstance(node, ast.ExceptHandler):
        return node.type is None or _names_everything(node.type)
    called = _dotted(node.func, {}).rpartition(".")[2]
    return called == "suppress" and any(_names_everything(argument) for argument in node.args)


def _names_everything(node: ast.expr) -> bool:
    elements = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(
        isinstance(element, ast.Name) and element.id in {"Exception", "BaseException"} for element in elements
    )


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Map the names that a module assigns at its top to what they stand for."""
    return {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _is_hidden(node: ast.ExceptHandler | ast.Call, constants: dict[str, ast.expr]) -> bool:
    """Tell whether everything is caught by a long tuple, or by `gather` that returns what is raised."""
    if isinstance(node, ast.Call):
        return any(
            keyword.arg == "return_exceptions"
            and isinstance(keyword.value, ast.Constant)
            and keyword.value.value
            for keyword in node.keywords
        )
    return node.type is not None and len(_caught(node.type, constants) & ROOT_ERRORS) > ROOT_ERRORS_MAX


def _caught(node: ast.expr, constants: dict[str, ast.expr]) -> set[str]:
    """Return the names of the errors that a handler catches, those of a constant tuple too."""
    if isinstance(node, ast.Starred):
        return _caught(node.value, constants)
    if isinstance(node, ast.Tuple):
        return {name for element in node.elts for name in _caught(element, constants)}
    if isinstance(node, ast.Name) and node.id in constants:
        return _caught(constants[node.id], {})
    return {node.id} if isinstance(node, ast.Name) else set()


def _impurity(node: ast.AST) -> str:
    """Return what makes this node impure, or the empty string."""
    if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
        return "is async"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"open", "print", "input"}
    ):
        return f"calls {node.func.id}"
    if isinstance(node, ast.Import):
        roots = {alias.name.split(".")[0] for alias in node.names} & IMPURE_IMPORTS
        return f"imports {', '.join(sorted(roots))}" if roots else ""
    if isinstance(node, ast.ImportFrom):
        return _impure_from(node)
    return ""


def _impure_from(node: ast.ImportFrom) -> str:
    base = node.module or ""
    if base.split(".")[0] in IMPURE_IMPORTS:
        return f"imports {base}"
    clocks = [
        name.name for name in node.names if base == f"{PACKAGE}.core.clock" and name.name.endswith("Clock")
    ]
    return f"imports {clocks[0]}: time is an argument" if clocks else ""
