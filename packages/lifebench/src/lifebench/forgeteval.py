"""ForgetEval-Adv as its authors wrote it: fetched, read without being run, scored by both of their scorers.

It knows the form of their files and their two rules; their cases are in no file of this package.
"""

import ast
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lifebench.adapter import Unsupported
from lifebench.cases import Case
from lifebench.check import START
from lifebench.runner import AdapterFault, Sandbox
from lifebench.session import MAIN, GaveUp, Session

URL = "https://github.com/WaylandYang/forgeteval-anon-supp"
# Git names a commit by the hash of all that is in it, so this is the checksum of every case.
COMMIT = "ce4c65fa617c035478d802470299cd069fa9cef7"
CASE_FILES = ("bench/forgeteval/adversarial.py", "bench/forgeteval/adversarial_generated.py")
PATCH_FILES = ("data/canonicalization_repair_patch.json", "data/cross_lingual_repair_patch.json")
COUNT = 385
TOP = 5
# Their protocol of adapters says that a release and a purge take any memory that matches the query.
VERBS = {"supersede": "supersede", "release": "forget_all", "purge": "erase_all"}
COLUMNS = ("final query", "probed")


class CasesUnknown(Exception):
    """The cases are not there, or are not those that are known."""


@dataclass(frozen=True)
class GeneratedCase:
    """A case in the authors' form: facts, mutations, a query, and what must and must not be in its answer."""

    id: str
    family: str
    setup_facts: Sequence[str]
    mutations: Sequence[Sequence[str]]
    final_query: str
    must_contain: Sequence[str] = ()
    must_not_contain: Sequence[str] = ()
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def category(self) -> str:
        """Return the kind of attack, which its id begins with."""
        return self.id.removeprefix("adv_").rpartition("_")[0]


def fetch_cases(url: str, commit: str, to: Path) -> None:
    """Fetch one commit of the authors' repository; git checks that it is the one."""
    to.mkdir(parents=True, exist_ok=True)
    for words in (
        ["init", "--quiet"],
        ["fetch", "--quiet", "--depth", "1", url, commit],
        ["checkout", "--quiet", commit],
    ):
        done = subprocess.run(["git", "-C", str(to), *words], check=False, capture_output=True, text=True)
        if done.returncode:
            raise CasesUnknown(f"{url} could not be fetched: {done.stderr.strip()}")
    print(f"{len(load_cases(to))} cases in {to}")


def load_cases(folder: Path, count: int = COUNT) -> list[GeneratedCase]:
    """Return the cases of a fetched repository, with the authors' repair that adds a survivor to 76 of them."""
    cases: list[GeneratedCase] = []
    for name in CASE_FILES:
        path = folder / name
        if not path.exists():
            raise CasesUnknown(f"{path} is missing: `lifebench fetch forgeteval --to {folder}` fetches it")
        cases += parse_cases(path.read_text(encoding="utf-8"))
    by_category: dict[str, list[GeneratedCase]] = {}
    for case in cases:
        by_category.setdefault(case.category, []).append(case)
    ordered = [case for group in by_category.values() for case in group]
    if count and len(ordered) != count:
        raise CasesUnknown(f"{folder} has {len(ordered)} cases, not {count}")
    patches: dict[str, Any] = {}
    for name in PATCH_FILES:
        patches |= json.loads((folder / name).read_text(encoding="utf-8"))
    return [repair_case(case, patches.get(case.id)) for case in ordered]


def parse_cases(source: str) -> Iterator[GeneratedCase]:
    """Yield what a Python file calls `GeneratedCase` with; nothing of it is run."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "GeneratedCase":
            given = {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg}
            known = {
                name: given.pop(name) for name in list(given) if name in GeneratedCase.__dataclass_fields__
            }
            yield GeneratedCase(**known, more=given)


def repair_case(case: GeneratedCase, patch: dict[str, Any] | None) -> GeneratedCase:
    """Return a case with the facts, the query and the survivors of its patch."""
    if patch is None:
        return case
    return GeneratedCase(
        case.id,
        case.family,
        [*case.setup_facts, *patch["add_facts"]],
        case.mutations,
        patch["final_query"],
        patch["must_contain"],
        case.must_not_contain,
    )


def run_case(start: Callable[[], Sandbox], case: GeneratedCase) -> Iterator[Case]:
    """Yield what a case came to by the scorer that was shipped first, and by the one that probes."""
    with start() as sandbox:
        session = Session(sandbox, START)
        try:
            why = _replay(session, case)
        except (GaveUp, AdapterFault) as fault:
            why = (str(fault), str(fault))
        except Unsupported as missing:
            yield from (
                Case(column, case.category, case.id, "unsupported", str(missing)) for column in COLUMNS
            )
            return
        for column, complaint in zip(COLUMNS, why, strict=True):
            yield Case(column, case.category, case.id, "failed" if complaint else "passed", complaint)


def _replay(session: Session, case: GeneratedCase) -> tuple[str, str]:
    """Return why a case fails by each scorer, or nothing."""
    session.open()
    for fact in case.setup_facts:
        session.write(fact)
    session.sandbox.call("settle")
    for verb, query, *text in case.mutations:
        given = {"text": text[0]} if text else {}
        session.sandbox.call(VERBS[verb], query=query, scope=MAIN, **given)
        session.sandbox.call("settle")
    answer = " ".join(session.rows(case.final_query, TOP)).casefold()
    missing = [one for one in case.must_contain if one.casefold() not in answer]
    if missing:
        return (f"missing {missing} after {case.mutations}: {answer[:300]}",) * 2
    probes = [query.strip() for query in case.must_not_contain]
    reachable = " ".join(
        [answer, *(" ".join(session.rows(query, TOP)) for query in dict.fromkeys(probes) if query)]
    )
    return _find_forbidden(case, answer), _find_forbidden(case, reachable.casefold())


def _find_forbidden(case: GeneratedCase, answer: str) -> str:
    found = [one for one in case.must_not_contain if one.casefold() in answer]
    return f"still there {found} after {case.mutations}" if found else ""
