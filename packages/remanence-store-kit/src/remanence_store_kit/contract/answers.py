"""What a store reads of an answer at once: the same as by one request for each part."""

from remanence.core.model import Relation
from remanence.store.base import AnswerRequest
from remanence.store.capabilities import ANSWERS, AnswerStore
from remanence_store_kit.builders import (
    SCOPE,
    create_change,
    keep,
    link_change,
    source_change,
    tag_change,
)
from remanence_store_kit.contract.needs import needs

LEARNED, NEWER = Relation.LEARNED_FROM, Relation.NEWER


@needs(ANSWERS)
class AnswerContract:
    """Memories and links are read together."""

    async def test_an_answer_is_read_as_its_parts_are(self, store: AnswerStore) -> None:
        """Memories with tags and sources, links of the relations alone; what is not there is left out."""
        a, b, c = (await keep(store, *(create_change(k, f"text {k}") for k in (1, 2, 3)))).assigned
        await keep(store, tag_change(a, "zeal"), tag_change(a, "acorn"), source_change(a, "note 1"))
        await keep(store, link_change(c, a, NEWER), link_change(a, b), link_change(b, c, NEWER))
        await keep(store, create_change(1, "elsewhere"), scope="other")
        read = await store.read_answer(SCOPE, AnswerRequest([b, a, 10**9], (), (NEWER, LEARNED)))

        assert {a, b} == read.memories.keys()
        assert [read.memories[seq] for seq in (a, b)] == await store.get(SCOPE, [a, b])
        assert await store.neighbours(SCOPE, [a, b], NEWER, LEARNED) == read.links
        nowhere = await store.read_answer("nowhere", AnswerRequest([a], [b], (NEWER,), NEWER))
        assert ({}, []) == (nowhere.memories, nowhere.links)

    async def test_links_of_the_rest_are_read_and_its_memories_only_beside_facts(
        self, store: AnswerStore
    ) -> None:
        """A link of `joining` brings in the rest, and the sources of all such links that lead to any of them."""
        a, b, fact, alone = (
            await keep(store, *(create_change(k, f"text {k}") for k in range(1, 5)))
        ).assigned
        await keep(store, link_change(fact, b, LEARNED), link_change(alone, a, NEWER))
        request = AnswerRequest([a], [b], (LEARNED, NEWER), LEARNED)
        joined = await store.read_answer(SCOPE, request)
        plain = await store.read_answer(SCOPE, AnswerRequest([a], [b], (LEARNED, NEWER)))
        apart = await store.read_answer(SCOPE, AnswerRequest([a], [alone], (LEARNED, NEWER), LEARNED))

        assert {a, b, fact} == joined.memories.keys()
        assert {a} == plain.memories.keys() == apart.memories.keys()
        assert await store.neighbours(SCOPE, [a, b]) == joined.links == plain.links
