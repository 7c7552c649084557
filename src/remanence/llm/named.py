"""The writers and the waiting embedders that come with this package, by name, such as openai:MODEL or local:FOLDER."""

from typing import TYPE_CHECKING, Any

from remanence.core.errors import InvalidInput

if TYPE_CHECKING:
    from remanence.llm.asking import ModelWriter
    from remanence.llm.base import WaitingEmbedder

VENDORS = ("anthropic", "openai")
NAMES = tuple(f"{vendor}:MODEL" for vendor in VENDORS)
EMBEDDERS = ("local:FOLDER", "multilingual", "openai", "openai:MODEL")


def vendor_writer(name: str) -> "ModelWriter[Any] | None":
    """Return the writer of a vendor's model; None for a name that is of another kind."""
    vendor, colon, model = name.partition(":")
    if not colon or vendor not in VENDORS:
        return None
    if not model:
        raise InvalidInput(f"{name!r} names no model", recovery=f"write it as {vendor}:MODEL")
    if vendor == "openai":
        from remanence.llm.openai_api import OpenAIWriter

        return OpenAIWriter(model)
    from remanence.llm.anthropic_writer import AnthropicWriter

    return AnthropicWriter(model)


def waiting_embedder(name: str) -> "WaitingEmbedder | None":
    """Return the embedder of a folder, of many languages or of a vendor; None for a name that is of another kind."""
    sort, colon, rest = name.partition(":")
    if name == "multilingual":
        from remanence.llm.multilingual import MultilingualEmbedder

        return MultilingualEmbedder()
    if name == "local:":
        raise InvalidInput(f"{name!r} names no folder", recovery="write it as local:FOLDER")
    if sort == "local" and colon:
        from remanence.llm.onnx_folder import FolderEmbedder

        return FolderEmbedder(rest)
    if name == "openai" or (sort == "openai" and rest):
        from remanence.llm.openai_api import DEFAULT, OpenAIEmbedder

        return OpenAIEmbedder(rest or DEFAULT)
    if sort == "openai" and colon:
        raise InvalidInput(f"{name!r} names no model", recovery="write it as openai:MODEL, or openai alone")
    return None
