"""What a form sent: its fields as texts, numbers, names and lists.

Knows encoded forms; must not know which forms there are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from remanence.core.errors import InvalidInput

FIELDS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class FormFields:
    """The fields of one form, by name."""

    fields: Mapping[str, Sequence[str]]

    def take(self, name: str) -> str:
        """Return a field as it was sent, an empty one where there is none."""
        return self.fields.get(name, [""])[0]

    def has(self, name: str) -> bool:
        """Tell whether a field was sent, be it empty."""
        return name in self.fields

    def take_all(self, name: str) -> list[str]:
        """Return all that was sent under one name."""
        return [value for value in self.fields.get(name, ()) if value.strip()]

    def read_text(self, name: str) -> str | None:
        """Return a field without spaces around it, None where nothing is in it."""
        return self.take(name).strip() or None

    def require(self, name: str) -> str:
        """Return a field that must be filled in."""
        text = self.read_text(name)
        if text is None:
            raise InvalidInput(f"{name} is empty", recovery="fill it in")
        return text

    def read_words(self, name: str) -> list[str]:
        """Return what stands between commas."""
        return [word.strip() for word in self.take(name).split(",") if word.strip()]

    def read_whole(self, name: str) -> int | None:
        """Return a whole number, None where nothing is in it."""
        text = self.read_text(name)
        if text is None:
            return None
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) <= 18):
            raise InvalidInput(f"{name} is {text[:40]!r}", recovery="write a whole number")
        return int(text)

    def read_float(self, name: str) -> float | None:
        """Return a number, None where nothing is in it."""
        text = self.read_text(name)
        if text is None:
            return None
        try:
            return float(text)
        except ValueError:
            raise InvalidInput(f"{name} is {text[:40]!r}", recovery="write a number") from None

    def take_path(self, name: str) -> str:
        """Return an address on this server, the first page's where it is none."""
        path = self.take(name).partition("#")[0]
        # A browser reads two slashes, or one turned round, as the beginning of another server's name.
        return path if path.startswith("/") and path[1:2] not in {"/", "\\"} and path.isprintable() else "/"


def read_name(text: str) -> int | str:
    """Return a memory's number where a text is one, else the text: another name of it."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else text


def read_form(body: bytes) -> FormFields:
    """Read a form as browsers send it."""
    try:
        text = body.decode()
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict")
    except ValueError:  # also of what is no UTF-8
        raise InvalidInput("this is no form", recovery="send it from its page") from None
    return FormFields(fields)
