"""Models of packages: a folder with an ONNX graph, and the packaged one for many languages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import remanence
from remanence.core.errors import EmbedderError, ExtensionError, InvalidInput, StoreIncompatible
from remanence.llm.multilingual import MultilingualEmbedder
from remanence.llm.onnx_folder import FolderEmbedder
from tests.flows.conftest import Opener
from tests.meaning import QUESTION, TEXTS, learned
from tests.onnx_model import folder

GOLDEN = Path(__file__).parent / "data" / "multilingual.json"


async def test_a_folder_is_a_model(opener: Opener, tmp_path: Path) -> None:
    """Its words that mean the same find each other; it is known by what is in it, wherever it lies."""
    model = folder(tmp_path / "tiny")
    async with opener(embedder=f"local:{model}") as memory:
        await learned(memory)
        await memory.consolidate()
        found = await memory.recall(QUESTION, limit=1)
        stated = await memory.status()
    model.rename(tmp_path / "moved")
    (tmp_path / "moved").rename(tmp_path / "tiny")
    async with opener(embedder=f"local:{tmp_path / 'tiny'}") as memory:
        again = await memory.recall(QUESTION, limit=1)
    folder(tmp_path / "other" / "tiny", seed=1)
    with pytest.raises(StoreIncompatible):
        await opener(embedder=f"local:{tmp_path / 'other' / 'tiny'}")

    assert [TEXTS[0]] == [hit.memory.text for hit in found] == [hit.memory.text for hit in again]
    assert str(stated.contextual["model"]).startswith("local:tiny:")


def test_texts_of_any_length_have_their_own_vectors(tmp_path: Path) -> None:
    """Together or alone, long or empty; what a batch is filled up with counts for nothing."""
    model = FolderEmbedder(folder(tmp_path / "tiny", sentence_bert_config={"max_seq_length": 16}))
    texts = ["boat", "the key is red " * 40, "", "dog at noon", "nothing known"] * 9
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts[:5]])

    assert np.allclose(together, np.tile(alone, (9, 1)), atol=1e-6)
    assert [1, 1, 0, 1, 0] == np.linalg.norm(alone, axis=1).round(4).tolist()
    assert np.allclose(alone[1], model.embed(["the key is red " * 4])[0], atol=1e-6)


def test_a_question_is_put_as_the_folder_says(tmp_path: Path) -> None:
    """Some models are taught to tell what asks from what answers."""
    told = {"prompts": {"query": "where is the ", "passage": "old "}}
    model = FolderEmbedder(folder(tmp_path / "tiny", config_sentence_transformers=told))
    plain = FolderEmbedder(folder(tmp_path / "plain"))

    assert np.allclose(model.embed_questions(["boat"]), plain.embed(["where is the boat"]))
    assert np.allclose(model.embed(["boat"]), plain.embed(["old boat"]))
    assert model.name.rpartition(":")[2] != plain.name.rpartition(":")[2]


@pytest.mark.parametrize(
    ("how", "value"), [("cls_token", "boat"), ("lasttoken", "dog"), ("max_tokens", None)]
)
def test_the_folder_says_how_tokens_become_one(tmp_path: Path, how: str, value: str | None) -> None:
    """By their mean, the first, the last, or the most of each number."""
    path = folder(tmp_path / "tiny")
    single = FolderEmbedder(path)
    expected = single.embed([value]) if value else None
    pooling = {"word_embedding_dimension": 24, f"pooling_mode_{how}": True}
    (path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    found = FolderEmbedder(path).embed(["boat key dog", "boat"])

    assert expected is None or np.allclose(found[:1], expected, atol=1e-6)
    assert np.allclose(found[1:], single.embed(["boat"]), atol=1e-6)


def test_what_a_folder_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is opened, with what to do."""
    path = folder(tmp_path / "tiny")
    dense = [{"type": "sentence_transformers.models.Pooling"}, {"type": "sentence_transformers.models.Dense"}]
    for file, content, says in (
        ("modules.json", dense, "a part Dense"),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_max_tokens": True}, "joins"),
        ("config.json", None, "is no JSON"),
    ):
        kept = (path / file).read_bytes() if (path / file).exists() else b"{}"
        (path / file).write_text("{" if content is None else json.dumps(content))
        with pytest.raises(InvalidInput, match=says):
            FolderEmbedder(path)
        (path / file).write_bytes(kept)
    (path / "tokenizer.json").rename(path / "away")
    with pytest.raises(InvalidInput, match=r"has no tokenizer\.json"):
        FolderEmbedder(path)
    for name, says in (("local:", "names no folder"), (f"local:{tmp_path / 'none'}", "there is no folder")):
        with pytest.raises(InvalidInput, match=says):
            remanence.open(embedder=name)
    (path / "away").rename(path / "tokenizer.json")
    (path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(EmbedderError, match="no graph that can be run"):
        FolderEmbedder(path).embed(["boat"])
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(ExtensionError) as caught:
        FolderEmbedder(path)

    assert "install it: pip install 'remanence[local]'" == caught.value.recovery


def test_many_languages_have_the_vectors_that_they_had() -> None:
    """Golden numbers of ours: the package is young, and its vectors are kept with memories."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = MultilingualEmbedder().embed([*golden])
    kept = np.array([*golden.values()], np.float32)

    assert np.allclose(found[:, ::16], kept, atol=2e-3)
    assert np.allclose(1, np.linalg.norm(found, axis=1), atol=1e-4)


async def test_a_question_finds_what_answers_it_in_another_language(opener: Opener) -> None:
    """Chinese and Japanese as whole runs."""
    texts = [
        "El barco con suministros llega los viernes al mediodía.",
        "我姐姐在山上养蜜蜂。",
        "夜になると犬はテーブルの下で眠ります。",
        "Die Lampe im Leuchtturm braucht im Winter mehr Öl.",
    ]
    questions = {
        "When does the boat with supplies arrive?": 0,
        "Who keeps bees on the mountain?": 1,
        "Where does the dog sleep at night?": 2,
        "What does the lighthouse lamp need in winter?": 3,
    }
    async with opener(embedder="multilingual") as memory:
        await learned(memory, texts)
        await memory.consolidate()
        found = [(await memory.recall(question, limit=1)).memories for question in questions]

    assert [texts[at] for at in questions.values()] == [hits[0].memory.text for hits in found]


@pytest.mark.parametrize("version", [None, "0.3.0"])
def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    """Or none; what installs the right one is said."""
    import importlib.metadata

    def known(name: str) -> Any:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(importlib.metadata, "version", known)
    with pytest.raises(ExtensionError, match=version or "not installed") as caught:
        remanence.open(embedder="multilingual")

    assert "install it: pip install 'remanence[multilingual]'" == caught.value.recovery
