"""The sum over the parts that still hold images is the same whatever was added and taken away before."""

from remanence.store.undo_data_pruning import ImageEndMark


def test_what_was_added_and_taken_away_leaves_nothing() -> None:
    """Also where the sum went past its greatest value in between."""
    digests = [bytes([number]) * 32 for number in range(20)]
    whole = ImageEndMark().replace_parts((), digests)

    assert whole.left
    assert ImageEndMark() == whole.replace_parts(digests, ())
    assert ImageEndMark().replace_parts((), digests[5:]) == whole.replace_parts(digests[:5], ())
