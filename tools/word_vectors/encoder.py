"""all-MiniLM-L6-v2 as a graph made from its weights: numbers of pieces in, one vector a text out."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# What sentence-transformers/all-MiniLM-L6-v2 has at revision 1110a243.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, WIDTH = 6, 12, 384
BATCH_PIECES = 4_096
PIECES_MAX = 160

Floats = npt.NDArray[np.float32]


class Encoder:
    """The encoder on one thread; the mean of its outputs stands for a text."""

    def __init__(self, folder: Path) -> None:
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        self._ends = (self.vocabulary.index("[CLS]"), self.vocabulary.index("[SEP]"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        graph = _graph(_weights(folder / "model.safetensors"))
        self._session = onnxruntime.InferenceSession(
            graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def encode(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return the mean of the outputs for each text, given as numbers of pieces; batches are of one length."""
        first, last = self._ends
        by_length: dict[int, list[int]] = defaultdict(list)
        for place, pieces in enumerate(texts):
            by_length[min(len(pieces), PIECES_MAX - 2)].append(place)
        found = np.zeros((len(texts), WIDTH), np.float32)
        for length, places in sorted(by_length.items()):
            for some in _batches(places, max(1, BATCH_PIECES // (length + 2))):
                rows = np.array([[first, *texts[place][:length], last] for place in some], np.int64)
                found[some] = self._session.run(None, {"pieces": rows})[0]
        return found


def _batches(places: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    edges = [*range(0, len(places), size), len(places)]
    return (places[start:end] for start, end in pairwise(edges))


def _weights(file: Path) -> dict[str, Floats]:
    data = file.read_bytes()
    if sha256(data).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{file} is not the model that is meant: its SHA-256 is another")
    size = int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + size + at for at in entry["data_offsets"])
            found[name] = np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])
    return found


class _Graph:
    """Collects the nodes and constants of a graph."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: npt.ArrayLike) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def __call__(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def _graph(weights: dict[str, Floats]) -> onnx.ModelProto:
    """Write the encoder's layers down, as BERT has them, and the mean of the last one's outputs."""
    g = _Graph()

    def weight(name: str) -> str:
        return g.constant(weights[name])

    def linear(x: str, name: str) -> str:
        product = g("MatMul", x, g.constant(weights[f"{name}.weight"].T))
        return g("Add", product, weight(f"{name}.bias"))

    def norm(x: str, name: str) -> str:
        name += ".LayerNorm"
        return g(
            "LayerNormalization", x, weight(f"{name}.weight"), weight(f"{name}.bias"), axis=-1, epsilon=1e-12
        )

    def heads(x: str, order: tuple[int, ...]) -> str:
        split = g("Reshape", x, g.constant(np.array([0, 0, HEADS, WIDTH // HEADS], np.int64)))
        return g("Transpose", split, perm=order)

    length = g("Gather", g("Shape", "pieces"), g.constant(np.array([1], np.int64)))
    start = g.constant(np.array([0], np.int64))
    places = g("Slice", weight("embeddings.position_embeddings.weight"), start, length)
    kind = g.constant(weights["embeddings.token_type_embeddings.weight"][0])
    x = g("Gather", weight("embeddings.word_embeddings.weight"), "pieces")
    x = norm(g("Add", g("Add", x, places), kind), "embeddings")
    scale = g.constant(np.float32((WIDTH // HEADS) ** -0.5))
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query = heads(linear(x, f"{at}.attention.self.query"), (0, 2, 1, 3))
        key = heads(linear(x, f"{at}.attention.self.key"), (0, 2, 3, 1))
        value = heads(linear(x, f"{at}.attention.self.value"), (0, 2, 1, 3))
        attention = g("Softmax", g("Mul", g("MatMul", query, key), scale), axis=-1)
        mixed = g("Transpose", g("MatMul", attention, value), perm=(0, 2, 1, 3))
        mixed = g("Reshape", mixed, g.constant(np.array([0, 0, WIDTH], np.int64)))
        x = norm(g("Add", x, linear(mixed, f"{at}.attention.output.dense")), f"{at}.attention.output")
        inner = g("Gelu", linear(x, f"{at}.intermediate.dense"))
        x = norm(g("Add", x, linear(inner, f"{at}.output.dense")), f"{at}.output")
    mean = g("ReduceMean", x, g.constant(np.array([1], np.int64)), keepdims=0)
    wanted = helper.make_tensor_value_info("pieces", TensorProto.INT64, ["texts", "pieces_each"])
    answer = helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["texts", WIDTH])
    graph = helper.make_graph(g.nodes, "encoder", [wanted], [answer], g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
