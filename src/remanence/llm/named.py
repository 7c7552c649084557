"""The writers that come with this package, by name: a vendor and one of its models, such as openai:MODEL."""

from typing import TYPE_CHECKING, Any

from remanence.errors import InvalidInput

if TYPE_CHECKING:
    from remanence.llm.asking import ModelWriter

VENDORS = ("anthropic", "openai")
NAMES = tuple(f"{vendor}:MODEL" for vendor in VENDORS)


def vendor_writer(name: str) -> "ModelWriter[Any] | None":
    """Return the writer of a vendor's model; None for a name that is of another kind."""
    vendor, parted, model = name.partition(":")
    if not parted or vendor not in VENDORS:
        return None
    if not model:
        raise InvalidInput(f"{name!r} names no model", recovery=f"write it as {vendor}:MODEL")
    if vendor == "openai":
        from remanence.llm.openai_writer import OpenAIWriter

        return OpenAIWriter(model)
    from remanence.llm.anthropic_writer import AnthropicWriter

    return AnthropicWriter(model)
