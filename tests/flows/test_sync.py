"""The plain face: the verbs of the engine for code that is not async, from any thread, with the same answers."""

import asyncio
import inspect
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence import engine, sync
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, RemanenceError, StoreUnavailable
from remanence.llm.offline import HashedEmbedder
from tests.pages import sync_stub

ROOT = Path(__file__).parents[2]
TEXTS = (
    "Pia is allergic to latex.",
    "The open day starts at four.",
    "Bring soup.",
    "",
    "The tide turns at six.",
)
DOORS = {"close"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[sync.Engine]:
    """An open, empty memory in a file."""
    with sync.open(tmp_path / "memory.db", embedder="hashed") as opened:
        yield opened


def public(kind: type) -> set[str]:
    """Return the public names of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_verb_has_its_twin() -> None:
    """The plain face has the verbs of the engine, each with the same arguments, and nothing else."""
    verbs = {name: member for name, member in vars(engine.Engine).items() if inspect.isfunction(member)}

    assert public(engine.Engine) == public(sync.Engine)
    for name in verbs.keys() & (public(engine.Engine) - DOORS):
        assert inspect.signature(verbs[name]) == inspect.signature(getattr(sync.Engine, name)), name
    assert inspect.signature(remanence.open).parameters == inspect.signature(sync.open).parameters


def test_every_namespace_has_its_twin(memory: sync.Engine) -> None:
    """The namespaces have their verbs too, and they answer without being awaited."""
    spaces = sync_stub.namespaces()
    for name, kind in spaces.items():
        verbs = {
            verb: member
            for verb, member in vars(kind).items()
            if inspect.isfunction(member) and verb[0] != "_"
        }
        face = type(getattr(memory, name))

        assert verbs.keys() <= public(face)
        for verb, member in verbs.items():
            assert inspect.signature(member) == inspect.signature(getattr(face, verb)), verb
    spaced = {
        "conversations",
        "entities",
        "erase",
        "frames",
        "mirror",
        "policy",
        "review",
        "scopes",
        "settings",
        "token",
    }

    assert spaced == spaces.keys()
    assert memory.settings.set("frame_limit", 7) == memory.settings.get("frame_limit")
    assert "attention" in [frame.name for frame in memory.frames.get()]


GOOD = """
import remanence.sync
with remanence.sync.open("agent.db", agent="quill") as memory:
    found: remanence.RecallResult = memory.recall("soup", budget=80)
    with memory.session("work") as session:
        print(session.upper(), memory.learn("text", tags=["a"]).id.upper())
    due: bool = memory.status().is_due
    names: list[str] = [frame.name for frame in memory.frames.get()]
    print(due, names, memory.settings.get("frame_limit").value)
    print(b"".join(memory.export()), memory.policy.current.name.upper(), found.strength)
"""
WRONG = 'import remanence.sync\nprint(remanence.sync.open("agent.db").recall(1).text)\n'


@pytest.mark.parametrize(("text", "expected"), [(GOOD, 0), (WRONG, 1)])
def test_a_user_s_code_is_typed(text: str, expected: int, tmp_path: Path) -> None:
    """`mypy --strict` accepts what works and sees a wrong argument."""
    sample = tmp_path / "sample.py"
    sample.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(sample)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)

    assert expected == done.returncode, done.stdout


# A slip, and the call as it should be; a type checker refuses the one and takes the other.
SLIPS = {
    'm.learn("x", speeker="Ann")': 'm.learn("x", speaker="Ann")',
    'm.learn("x", category=3)': 'm.learn("x", category="fact")',
    'm.learn("x", kind="episodc")': 'm.learn("x", kind="episodic")',
    'm.learn(["x"], sauce="y")': 'm.learn(["x"], source="y")',
    'm.rate("k", "rigt")': 'm.rate("k", "right")',
    'm.update("k", txt="z")': 'm.update("k", text="z")',
    'm.update("k", severity="bad")': 'm.update("k", severity="high")',
    'm.list(knd="semantic")': 'm.list(kind="semantic")',
    'm.list(status="gone")': 'm.list(status=["archived", "pruned"])',
    'm.list(tier="arctic")': 'm.list(tier="cold", status="any")',
    'm.recall("q", limit="3")': 'm.recall("q", limit=3)',
    'm.link("a", "b", "relatd")': 'm.link("a", "b", "refers")',
    'm.link("a", "b", "refers", if_exists="ignore")': 'm.link("a", "b", "refers", if_exists="skip")',
    'm.frames.set("f", limt=3)': 'm.frames.set("f", limit=3)',
}
FACES = {
    "async": ("import remanence\nasync def use(m: remanence.Engine) -> None:\n", "    await "),
    "plain": ("import remanence.sync\ndef use(m: remanence.sync.Engine) -> None:\n", "    "),
}


@pytest.mark.parametrize("face", FACES)
def test_a_type_checker_finds_every_slip(face: str, tmp_path: Path) -> None:
    """Each line that has one is refused by `mypy --strict`, and none that is right, on both faces."""
    head, before = FACES[face]
    sample = tmp_path / "slips.py"
    lines = [f"{before}{call}" for pair in SLIPS.items() for call in pair]
    sample.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", str(sample)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    found = {int(number) for number in re.findall(r"\.py:(\d+): error", done.stdout)}

    assert set(range(3, 3 + len(lines), 2)) == found, done.stdout


name = st.integers(1, 6)
step = st.one_of(
    st.tuples(st.just("learn"), st.tuples(st.sampled_from(TEXTS))),
    st.tuples(
        st.sampled_from(["get", "forget", "restore", "pin", "forbid", "links", "explain"]), st.tuples(name)
    ),
    st.tuples(st.just("tag"), st.tuples(name, st.sampled_from(["a", "b"]))),
    st.tuples(st.just("asked"), st.tuples(st.sampled_from(TEXTS))),
    st.tuples(st.just("rate"), st.tuples(st.lists(name, max_size=3), st.sampled_from([0.0, 0.5, 1.0, 2.0]))),
    st.tuples(st.just("link"), st.tuples(name, name, st.just("supports"))),
    st.tuples(
        st.sampled_from(["status", "consolidate", "history", "plan", "curate", "begin_session"]),
        st.just(()),
    ),
    st.tuples(st.just("frame"), st.tuples(st.sampled_from(["boot", "profile"]))),
)


@settings(max_examples=30)
@given(st.lists(step, max_size=12))
def test_both_faces_answer_the_same(steps: list[tuple[str, tuple[Any, ...]]]) -> None:
    """The same calls on two new files, one awaited and one not, answer or refuse the same and leave the same lines."""
    with tempfile.TemporaryDirectory() as folder:
        awaited = asyncio.run(_awaited(f"{folder}/awaited.db", steps))
        plain = _plain(f"{folder}/plain.db", steps)

    assert awaited == plain


async def _awaited(path: str, steps: list[tuple[str, tuple[Any, ...]]]) -> list[Any]:
    answers: list[Any] = []
    async with remanence.open(path, clock=ManualClock(), embedder="hashed", policy="default") as memory:
        memory._core.random = counted()
        for verb, arguments in steps:
            try:
                answers.append(compared(await called(memory, verb, arguments)))
            except RemanenceError as error:
                answers.append((type(error), str(error), error.recovery))
        return [*answers, [line async for line in memory.export()]]


def _plain(path: str, steps: list[tuple[str, tuple[Any, ...]]]) -> list[Any]:
    answers: list[Any] = []
    with sync.open(path, clock=ManualClock(), embedder="hashed", policy="default") as memory:
        memory._thing._core.random = counted()  # type: ignore[attr-defined]
        for verb, arguments in steps:
            try:
                answers.append(compared(called(memory, verb, arguments)))
            except RemanenceError as error:
                answers.append((type(error), str(error), error.recovery))
        return [*answers, list(memory.export())]


def called(memory: Any, verb: str, arguments: tuple[Any, ...]) -> Any:
    """Call a verb; uses are written when there is time, which no two runs have alike, so none is counted."""
    if verb == "asked":
        return memory.recall(*arguments, count_use=False)
    return getattr(memory, verb)(*arguments)


def compared(answer: Any) -> Any:
    """Return an answer as what can be compared: a plan holds arrays, which cannot."""
    return answer.to_json() if isinstance(answer, remanence.Plan) else answer


def counted() -> Callable[[int], bytes]:
    """Return a source of bytes that are never the same and always the same again."""
    numbers = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def test_many_threads_may_call_at_once(memory: sync.Engine) -> None:
    """Eight threads learn and recall at the same time; every text is there."""

    def work(number: int) -> None:
        for turn in range(20):
            memory.learn(f"thread {number} says {turn}")
            memory.recall(f"thread {number}", limit=3)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 160 == memory.status().memories


async def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    """In a notebook a loop runs already; the plain face has its own and does not mind."""
    with sync.open(tmp_path / "memory.db", embedder="hashed") as memory:
        memory.learn("The tide turns at six.")

        assert 1 == len(memory.recall("tide").memories)


def test_a_session_is_a_plain_context_manager(memory: sync.Engine) -> None:
    """What is learned inside belongs to the session, which ends on the way out whatever happens inside."""
    with pytest.raises(ZeroDivisionError), memory.session("work") as session:
        inside = memory.learn("inside")
        raise ZeroDivisionError
    outside = memory.learn("outside")

    assert (session, None) == (memory.get(inside.id).session, memory.get(outside.id).session)


def test_an_export_is_a_plain_iterator(memory: sync.Engine) -> None:
    """It yields every line, also beyond what is fetched at once; one left half read ends with the memory."""
    memory.learn([f"text {number}" for number in range(600)])
    lines = list(memory.export())
    half = memory.export()
    next(half)
    memory.close()

    assert 602 == len(lines)
    with pytest.raises(StoreUnavailable):
        list(half)


class Stuck(HashedEmbedder):
    """An embedder that, when told to, interrupts the main thread and then takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.sticks = self.ended = False
        self.released = threading.Event()

    def embed(self, *given: Any, **more: Any) -> Any:
        """Embed, at once or late."""
        if self.sticks:
            self.sticks = False
            os.kill(os.getpid(), signal.SIGINT)
            self.released.wait(300)
            self.ended = True
        return super().embed(*given, **more)


def test_an_interrupt_ends_the_call_and_not_the_memory(tmp_path: Path) -> None:
    """Ctrl-C while a call waits raises there, cancels the call, and the memory goes on."""
    stuck = Stuck()
    with sync.open(tmp_path / "memory.db", embedder=stuck) as memory:
        memory.learn("The tide turns at six.")
        stuck.sticks = True
        with pytest.raises(KeyboardInterrupt):
            memory.recall("tide")
        memory.learn("The open day starts at four.")
        found = memory.recall("open day", limit=1).memories
        waited = stuck.ended
        stuck.released.set()

    assert (1, False) == (len(found), waited)


def test_closing_waits_for_the_calls_under_way(tmp_path: Path) -> None:
    """A call that another thread has begun is answered, though the memory is closed meanwhile."""
    memory = sync.open(tmp_path / "memory.db", embedder="hashed")
    texts = [f"text {number}" for number in range(3_000)]
    begun = threading.Event()
    learned: list[int] = []
    thread = threading.Thread(
        target=lambda: learned.append(len(memory.learn(texts, progress=lambda _, __: begun.set()))),
        daemon=True,
    )
    thread.start()
    begun.wait(300)
    memory.close()
    thread.join(300)

    assert [3_000] == learned


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    """Closing twice is allowed; any verb after it is one clear error, in a second block too."""
    memory = sync.open(tmp_path / "memory.db", embedder="hashed")
    memory.close()
    memory.close()

    for call in (
        memory.status,
        memory.export().__next__,
        lambda: memory.learn("x"),
        lambda: memory.session().__enter__(),
    ):
        with pytest.raises(StoreUnavailable, match="closed"):
            call()


def test_a_memory_that_does_not_open_leaves_no_thread(tmp_path: Path) -> None:
    """What is wrong with the file is raised by `open`, and nothing runs on."""
    (tmp_path / "memory.db").write_text("no database" * 500)
    before = threading.active_count()
    with pytest.raises(RemanenceError):
        sync.open(tmp_path / "memory.db", embedder="hashed")

    assert before == threading.active_count()


def test_a_callback_may_not_call_back(memory: sync.Engine) -> None:
    """A verb called from another one's progress would wait for itself for ever, so it is refused; so is closing."""
    with pytest.raises(InvalidInput, match="callback"):
        memory.learn(["a", "b"], progress=lambda _, __: print(memory.status()))
    with pytest.raises(InvalidInput, match="callback"):
        memory.learn(["c", "d"], progress=lambda _, __: memory.close())

    assert 0 == memory.status().memories


LEAVING = """
import os, sys, threading, remanence.sync
from remanence.flows.exchange import transfer
class Own(BaseException): pass
transfer.PAGE = 3
threading.Timer(120, os._exit, [9]).start()
with remanence.sync.open(embedder="hashed") as source:
    source.learn([f"Buoy {number} is red." for number in range(10)])
    lines = list(source.export())
memory = remanence.sync.open(sys.argv[1], embedder="hashed")
for kind in (SystemExit, KeyboardInterrupt, Own, GeneratorExit):
    def hear(done, total):
        if done:
            raise kind(3)
    try:
        memory.import_(lines, trust="user", progress=hear)
    except BaseException as error:
        assert type(error) is kind and error.args == (3,), error
    assert memory.status().interrupted == () and len(memory.list()) == 3
    try:
        list(memory.export(progress=hear))
    except BaseException as error:
        assert type(error) is kind, error
    assert memory.undo("last").changes
memory.close()
print("learned", flush=True)
os._exit(0)
"""


def test_a_callback_that_leaves_ends_its_call_alone(tmp_path: Path) -> None:
    """`sys.exit` and the like reach the caller; what was written is a run that is undone, and the memory goes on."""
    path = str(tmp_path / "memory.db")
    done = subprocess.run(
        [sys.executable, "-c", LEAVING, path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (0, "learned\n", "") == (done.returncode, done.stdout, done.stderr)


FORGOTTEN = """
import sys, remanence.sync
memory = remanence.sync.open(sys.argv[1], embedder="hashed")
memory.begin_session()
memory.learn("The tide turns at six.")
memory.recall("tide")
print("learned", flush=True)
"""
FORKED = """
import os, sys, remanence.sync
memory = remanence.sync.open(sys.argv[1], embedder="hashed")
memory.learn("The tide turns at six.")
if os.fork() == 0:
    try:
        memory.status()
    except remanence.StoreUnavailable as error:
        print("learned" if "forked" in str(error) else error, flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("script", [FORGOTTEN, FORKED])
def test_a_process_ends_with_its_memory_open(script: str, tmp_path: Path) -> None:
    """A forgotten close neither hangs the exit nor loses what was acknowledged; a forked child is told, not hung."""
    path = str(tmp_path / "memory.db")
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    with sync.open(path, embedder="hashed") as memory:
        found = memory.recall("tide").memories

    assert (0, "learned\n", "") == (done.returncode, done.stdout, done.stderr)
    assert ["The tide turns at six."] == [hit.memory.text for hit in found]
