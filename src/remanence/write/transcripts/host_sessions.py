"""What sessions of coding hosts share: what a host adds to the words of a user, and an edit or command on a line.

Knows messages and actions; must not know in which files a host keeps them.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from remanence.core.keywords import Moment
from remanence.core.model import NAME_CHARS_MAX, Kind, Role, Turn
from remanence.write.transcripts import base, export_files, item_fields, turn_fields
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.importer_source import LINES, SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import FlawError

ADDED = "what the host put in"
SIDE_CHAIN = "of a side chain"
_NO_TIME = "time that is not one"
ACTION_CHARS = 300  # of the line of a command; the rest of a long one is left out, with a sign that it was
# Elements that hosts write into the messages of users: reminders, output of hooks and commands, files that are open.
_ELEMENTS = (
    "system-reminder", "system_reminder", "user-prompt-submit-hook", "session-start-hook", "command-name",
    "command-message", "command-args", "local-command-stdout", "local-command-stderr", "local-command-caveat",
    "bash-input", "bash-stdout", "bash-stderr", "task-notification", "ide_opened_file", "ide_selection",
    "ide_diagnostics", "environment_context", "environment_details", "user_instructions", "user_action", "INSTRUCTIONS",
    "permissions instructions", "turn_aborted", "collaboration_mode", "skills_instructions", "additional_data",
    "attached_files", "open_and_recently_viewed_files", "user_info", "project_layout", "git_status",
)  # fmt: skip
_ELEMENT = re.compile(rf"<({'|'.join(map(re.escape, _ELEMENTS))})(?:\s[^<>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)
# Lines that hosts write in a user's name.
_LINE = re.compile(
    r"^(?:\[Request interrupted by user(?: for tool use)?\]|# AGENTS\.md instructions for .*)$", re.MULTILINE
)
# What a tool of a host is called → how its one line begins, and the arguments that say on what it worked.
_ACTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("edit", "multiedit", "write", "notebookedit", "edit_file", "search_replace", "write_file", "patch"),
        ("edited", ("file_path", "notebook_path", "filePath", "target_file", "path")),
    ),
    **dict.fromkeys(
        ("bash", "shell", "shell_command", "exec_command", "local_shell", "run_terminal_cmd", "run_terminal_command"),
        ("ran", ("command", "cmd")),
    ),
}  # fmt: skip
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


@dataclass
class HostSession:
    """Makes turns of the messages of one session: whose, in which project, and under which keys.

    `host` names the program, `project` the folder that it worked in. `keys` are shared by all sessions of a source.
    """

    host: str
    keys: MessageKeys
    skipped: SkipCounts
    session: str | None = None
    project: str | None = None
    branch: str | None = None
    _equal: Counter[str] = field(default_factory=Counter)

    def make_turns(
        self, role: Role, text: str | None, given_at: Any, id_: object = None, *, is_spoken: bool = True
    ) -> list[Turn]:
        """Return the turn of a message, none where nothing of it can be kept, which is counted.

        `given_at` is its time as the host writes it, `id_` what the host calls it. What is not spoken is an action.
        """
        words = text
        if text is not None and role is Role.USER and is_spoken:
            words = _LINE.sub("", _ELEMENT.sub("", text)).strip()
            if words != text.strip():
                self.skipped[ADDED] += 1
            if text.strip() and not words:
                return []
        if words is None or not item_fields.can_keep_text(words, id_, self.skipped):
            return []
        thread = self._name("project", self.project)
        session = self._name("session", self.session)
        within = session or self.host
        name = (
            str(id_)
            if item_fields.is_name(id_)
            else turn_fields.content_key(self.host, within, words, self._equal)
        )
        key = self.keys.take(name, within, words)
        if key is None:
            self.skipped.note("message that is there twice", name)
            return []
        turn = Turn(
            text=words,
            kind=Kind.EPISODIC.label,
            role=role.label,
            thread=thread,
            session=session,
            said_at=self._read_time(given_at),
            source=f"{self.host}:{session or 'session'}"[-NAME_CHARS_MAX:],
            key=key,
            attributes=item_fields.keep_attributes({"host": self.host, "branch": self.branch}),
        )
        return [turn]

    def make_action(self, tool: object, arguments: Any, given_at: Any, id_: object) -> list[Turn]:
        """Return the turn of an edit or a command on a line; none for any other tool, which is counted."""
        line = describe_action(tool, arguments)
        if line is None:
            self.skipped.note("use of a tool that is neither an edit nor a command", str(tool))
            return []
        return self.make_turns(Role.TOOL, line, given_at, id_, is_spoken=False)

    def _name(self, what: str, given: str | None) -> str | None:
        return item_fields.keep_name(what, given, self.skipped)

    def _read_time(self, given: Any) -> Moment | None:
        """Return a time that a host writes: ISO 8601, or milliseconds since 1970; one that is none is counted."""
        if isinstance(given, int | float) and not isinstance(given, bool):
            return turn_fields.read_seconds(given / 1000)
        try:
            return item_fields.read_moment("timestamp", given, is_utc=True)
        except FlawError:
            self.skipped.note(_NO_TIME, str(given))
            return None


class LineReader(Protocol):
    """Reads the lines of one session in their order."""

    def read(self, line: LineValue) -> list[Turn]:
        """Return the turns of a line; raise FlawError for one that is no line of a session."""
        ...


def read_session_lines(
    source: Source, skipped: SkipCounts, open_session: Callable[[MessageKeys], LineReader]
) -> Iterator[Turn]:
    """Yield the turns of all sessions of a source, each a file of lines; other files are counted."""
    keys = MessageKeys()
    names = source.list_files(*LINES) if source.is_folder else list(source.files)
    for name in names:
        read = open_session(keys).read
        for turns in base.read_lines(source.text(name), name, "line of a session", read, skipped):
            yield from turns
    export_files.note_other_files(source, names, skipped)


def describe_action(tool: object, arguments: Any) -> str | None:
    """Say on one line what a tool did, by its name and arguments; None for what is neither edit nor command."""
    given = _read_arguments(arguments)
    name = str(tool).lower()
    patch = given.get("input", given.get("patch")) if name == "apply_patch" else None
    if isinstance(patch, str):
        files = ", ".join(dict.fromkeys(_PATCHED.findall(patch)))
        return _cut_line(f"edited {files}") if files else None
    verb, names = _ACTIONS.get(name, ("", ()))
    value = next((given[one] for one in names if given.get(one)), None)
    words = " ".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(words, str) or not words.strip():
        return None
    return _cut_line(f"{verb} {words}")


def _read_arguments(arguments: Any) -> Mapping[str, Any]:
    """Return arguments by name: an object, a text of one, or another text, which is the `input`."""
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments)
        except (ValueError, RecursionError):
            read = None
        return read if isinstance(read, dict) else {"input": arguments}
    return arguments if isinstance(arguments, dict) else {}


def _cut_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= ACTION_CHARS else f"{line[:ACTION_CHARS]} …"
