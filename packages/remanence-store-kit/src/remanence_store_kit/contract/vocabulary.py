"""What a store tells of the words that its texts hold."""

from remanence.store.capabilities import ERASABLE, VOCABULARY, VocabularyStore
from remanence.store.erasure import ERASE
from remanence.text.analysis import fingerprint
from remanence_store_kit.builders import SCOPE, create_change, destroy_changes, keep, one, update_change
from remanence_store_kit.contract.needs import needs, needs_also

MANY = 200  # texts: more than a store may put off indexing


@needs(VOCABULARY)
class VocabularyContract:
    """The words of a scope are found by how they begin, as its texts are now."""

    async def test_words_are_told_by_how_they_begin(self, store: VocabularyStore) -> None:
        """In order, each once, of this scope alone, whatever other signs it has; nothing is syntax."""
        await keep(store, create_change(1, "zebra zeal lion"), create_change(2, "zebra, zèbre zoo 42"))
        await keep(store, create_change(1, "zenith"), scope="another")

        assert ["zeal", "zebr", "zebra"] == await store.vocabulary(SCOPE, ["ze"])
        assert ["42", "lion", "zoo"] == await store.vocabulary(SCOPE, ["zoo", "li", "lion", "4"])
        assert [] == await store.vocabulary(SCOPE, ["zex", "%", "*", '"', "'", "z*", "ion"])
        assert [] == await store.vocabulary(SCOPE, []) == await store.vocabulary("nobody's", ["ze"])

    async def test_words_of_many_texts_are_told(self, store: VocabularyStore) -> None:
        """Those that came at once and the one that came after them."""
        await keep(store, *(create_change(k, f"buoy{k}x") for k in range(1, MANY + 1)))
        await keep(store, create_change(1, "buoyancy", id="f" * 32))
        words = await store.vocabulary(SCOPE, ["buoy"])

        assert sorted(["buoyanc", *(f"buoy{k}x" for k in range(1, MANY + 1))]) == words

    async def test_words_go_with_the_last_text_that_holds_them(self, store: VocabularyStore) -> None:
        """A text that another takes the place of, and one of two that hold the same."""
        texts = ["zebra lion", "zebra tiger", *(f"buoy{k}x" for k in range(MANY))]
        creations = [create_change(k, text) for k, text in enumerate(texts, start=1)]
        a, b, *_ = (await keep(store, *creations)).assigned
        for seq, text in ((a, "oar"), (b, "zebra oar")):
            change = update_change(await one(store, seq), text=text, fingerprint=fingerprint(text))
            await keep(store, change, verb="update")

        assert ["oar", "zebra"] == await store.vocabulary(SCOPE, ["zeb", "lio", "tig", "oar"])

    @needs_also(ERASABLE)
    async def test_words_go_with_what_is_erased(self, store: VocabularyStore) -> None:
        """None of them is told any more."""
        (a,) = (await keep(store, create_change(1, "zebra"))).assigned
        await keep(store, *destroy_changes(await one(store, a)), verb=ERASE)

        assert [] == await store.vocabulary(SCOPE, ["z"])
