"""An embedder from a folder of a sentence-transformers model with an ONNX graph: nothing is downloaded.

Knows the files of such a folder; the packages `onnxruntime` and `tokenizers` run it (the extra `local`).
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.errors import EmbedderError, ExtensionError, InvalidInput, format_value
from remanence.llm.base import Vectors, unit_rows

GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
TOKENIZER = "tokenizer.json"
TOKENS_MAX = 512  # where the folder names no number of its own
TOKENS_MOST = 8_192
BATCH_MAX = 32  # of texts of one length: more is no faster, and a question waits for a batch to end
_POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "first",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_PASSED_OVER = frozenset({"Transformer", "Pooling", "Normalize"})
_UNBOUNDED = 1 << 31  # what folders write where a tokenizer has no bound

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class FolderEmbedder:
    """Embeds with the model in a folder: each text is read up to the model's own number of tokens.

    Its name holds a digest of the graph and of all that it is used with: another file is another model.
    """

    waits = True
    batch_max = BATCH_MAX

    def __init__(self, path: str | Path) -> None:
        self._folder = Path(path)
        if not self._folder.is_dir():
            raise InvalidInput(
                f"there is no folder {format_value(str(path))} with a model",
                recovery="name a folder with model.onnx and tokenizer.json, as sentence-transformers exports it",
            )
        self._graph = _find_first_file(self._folder, GRAPHS)
        _find_first_file(self._folder, (TOKENIZER,))
        self._pooling = _read_pooling(self._folder)
        self._limit = _tokens_max(self._folder)
        self._asks, self._answers = _read_prompts(self._folder)
        _require_packages()
        self.name = f"local:{self._folder.resolve().name}:{self._digest()}"
        self.dimensions: int | None = _read_dimensions(self._folder)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text."""
        return self._embed_texts([self._answers + text for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per question, put as the folder says that questions are."""
        return self._embed_texts([self._asks + text for text in texts])

    def _embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Run the graph on texts of like length together."""
        cut = self._tokenizer.encode_batch([*texts])
        order = np.argsort([len(one.ids) for one in cut], kind="stable")
        rows: list[Floats] = [np.zeros(0, np.float32)] * len(texts)
        for start in range(0, len(order), BATCH_MAX):
            some = order[start : start + BATCH_MAX]
            for at, row in zip(some, self._run([cut[at] for at in some]), strict=True):
                rows[at] = row
        return unit_rows(np.stack(rows))

    def _run(self, cut: Sequence[Any]) -> Floats:
        width = max(1, *(len(one.ids) for one in cut))
        ids, mask, kinds = (np.zeros((len(cut), width), np.int64) for _ in range(3))
        for at, one in enumerate(cut):
            ids[at, : len(one.ids)], mask[at, : len(one.ids)] = one.ids, 1
            kinds[at, : len(one.ids)] = one.type_ids
        ids[mask == 0] = self._padding
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        inputs["position_ids"] = np.broadcast_to(np.arange(width), ids.shape)
        session, failures = self._session
        try:
            output = session.run([self._output], {name: inputs[name] for name in self._inputs})[0]
        except failures as error:
            raise EmbedderError(
                f"the model in {self._folder} failed: {error}",
                recovery="see whether the folder is whole, or name another",
            ) from None
        rows = np.asarray(output, np.float32)
        return rows if rows.ndim == 2 else _pool_tokens(rows, mask, self._pooling)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._limit)
        return tokenizer

    @cached_property
    def _padding(self) -> int:
        pad_token = _read_json(self._folder / "tokenizer_config.json").get("pad_token")
        name = pad_token.get("content") if isinstance(pad_token, dict) else pad_token
        return (self._tokenizer.token_to_id(name) if isinstance(name, str) else None) or 0

    @cached_property
    def _session(self) -> tuple[Any, tuple[type[Exception], ...]]:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        failures: tuple[type[Exception], ...] = (
            state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf,
            state.NoSuchFile, state.NotImplemented, state.RuntimeException,
        )  # fmt: skip
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Threads that wait spin else, and take what the rest of the process has to do.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = onnxruntime.InferenceSession(
                str(self._graph), options, providers=["CPUExecutionProvider"]
            )
        except failures as error:
            raise EmbedderError(
                f"{self._graph} is no graph that can be run: {error}",
                recovery="export the model to ONNX again",
            ) from None
        return session, failures

    @cached_property
    def _inputs(self) -> list[str]:
        names = [one.name for one in self._session[0].get_inputs()]
        strange = set(names) - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        if strange or "input_ids" not in names:
            raise InvalidInput(
                f"{self._graph} asks for {', '.join(sorted(strange)) or 'no input_ids'}",
                recovery="name a folder with an encoder of texts",
            )
        return names

    @cached_property
    def _output(self) -> str:
        names: list[str] = [one.name for one in self._session[0].get_outputs()]
        return "sentence_embedding" if "sentence_embedding" in names else names[0]

    def _digest(self) -> str:
        """Return a digest of all that vectors follow from."""
        digest = hashlib.sha256(repr((self._pooling, self._limit, self._asks, self._answers)).encode())
        beside = sorted(self._graph.parent.glob(f"{self._graph.name}_data*"))
        for file in (self._graph, *beside, self._folder / TOKENIZER):
            with file.open("rb") as read:
                digest.update(hashlib.file_digest(read, "sha256").digest())
        return digest.hexdigest()[:12]


def _require_packages() -> None:
    """Say what installs the packages where they are missing."""
    from importlib.util import find_spec

    for name in ("onnxruntime", "tokenizers"):
        if find_spec(name) is None:
            raise ExtensionError(
                f"a model in a folder needs the package {name}, which is not installed",
                recovery="install it: pip install 'remanence[local]'",
                extension="local",
            )


def _find_first_file(folder: Path, names: Sequence[str]) -> Path:
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise InvalidInput(
            f"{folder} has no {names[0]}",
            recovery="export the model to ONNX, with its tokenizer.json beside it",
        )
    return path


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file; nothing where there is no file."""
    if not path.is_file():
        return {}
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{path} is no JSON: {error}", recovery="export the model again") from None
    return content if isinstance(content, dict) else {"items": content}


def _read_pooling(folder: Path) -> str:
    """Return how the rows of tokens become one: by their mean where the folder says nothing."""
    modules = _read_json(folder / "modules.json").get("items")
    for module in modules if isinstance(modules, list) else ():
        kind = str(module.get("type") if isinstance(module, dict) else module).rpartition(".")[2]
        if kind not in _PASSED_OVER:
            raise InvalidInput(
                f"the model in {folder} has a part {kind} behind the graph, which is not supported",
                recovery="export it to ONNX as a whole, or name a model without it",
            )
    config = _read_json(folder / "1_Pooling" / "config.json")
    ways = [how for name, how in _POOLINGS.items() if config.get(name)]
    if len(ways) > 1:
        raise InvalidInput(
            f"the model in {folder} joins {' and '.join(ways)}, which is not supported",
            recovery="name a model with one way of pooling",
        )
    return ways[0] if ways else "mean"


def _tokens_max(folder: Path) -> int:
    limits = (
        _read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read_json(folder / "tokenizer_config.json").get("model_max_length"),
    )
    limit = next((one for one in limits if isinstance(one, int) and 0 < one < _UNBOUNDED), TOKENS_MAX)
    return min(limit, TOKENS_MOST)


def _read_prompts(folder: Path) -> tuple[str, str]:
    """Return what stands before a question and before what may answer it."""
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts")
    by_name: Mapping[str, Any] = prompts if isinstance(prompts, dict) else {}
    before = next((by_name[name] for name in ("passage", "document") if by_name.get(name)), "")
    return str(by_name.get("query") or ""), str(before)


def _read_dimensions(folder: Path) -> int | None:
    sizes = (
        _read_json(folder / "1_Pooling" / "config.json").get("word_embedding_dimension"),
        _read_json(folder / "config.json").get("hidden_size"),
    )
    return next((one for one in sizes if isinstance(one, int) and one > 0), None)


def _pool_tokens(rows: Floats, mask: Ints, how: str) -> Floats:
    """Make one row of those of a text's tokens."""
    if how in {"first", "last"}:
        at = np.zeros(len(rows), np.int64) if how == "first" else mask.sum(axis=1) - 1
        token_rows: Floats = rows[np.arange(len(rows)), at]
        return token_rows
    float_mask = mask[:, :, None].astype(np.float32)
    if how == "max":
        most: Floats = np.where(float_mask > 0, rows, np.float32(-np.inf)).max(axis=1)
        return most
    total: Floats = (rows * float_mask).sum(axis=1) / np.maximum(float_mask.sum(axis=1), 1)
    return total
