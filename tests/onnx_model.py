"""A tiny sentence-transformers folder with an ONNX graph, made here: words that mean the same have one vector."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

SAME = (
    ("boat", "vessel", "ship"),
    ("key", "opener"),
    ("tea", "brew"),
    ("dog", "hound"),
    ("query", "passage"),
)
WORDS = ("the", "is", "at", "a", "in", "where", "who", "mara", "noon", "harbour", "red", "blue", "old", "new")
DIMENSIONS = 24


def folder(path: Path, *, seed: int = 0, dimensions: int = DIMENSIONS, **told: object) -> Path:
    """Write a model; `told` are more files, by the first part of their name, as JSON."""
    groups = [*SAME, *((word,) for word in WORDS)]
    vocabulary = {"[PAD]": 0, "[UNK]": 1}
    rows = [np.zeros(dimensions), np.zeros(dimensions)]
    numbers = np.random.default_rng(seed)
    for group in groups:
        vector = numbers.standard_normal(dimensions)
        for word in group:
            vocabulary[word] = len(rows)
            rows.append(vector)
    path.mkdir(parents=True, exist_ok=True)
    _graph(path / "model.onnx", np.array(rows, np.float32))
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    tokenizer.save(str(path / "tokenizer.json"))
    (path / "1_Pooling").mkdir(exist_ok=True)
    pooling = {"word_embedding_dimension": dimensions, "pooling_mode_mean_tokens": True}
    (path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    for name, what in told.items():
        (path / f"{name}.json").write_text(json.dumps(what))
    return path


def _graph(path: Path, table: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]") -> None:
    """Write a graph that looks each token up."""
    tokens: Sequence[str] = ("batch", "tokens")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, tokens)],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, (*tokens, table.shape[1]))],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
