"""The sum over the parts that still hold images is the same whatever was added and taken away before."""

from remanence.store.ending import Mark


def test_what_was_added_and_taken_away_leaves_nothing() -> None:
    """Also where the sum went past its greatest value in between."""
    digests = [bytes([number]) * 32 for number in range(20)]
    whole = Mark().moved((), digests)

    assert whole.left
    assert Mark() == whole.moved(digests, ())
    assert Mark().moved((), digests[5:]) == whole.moved(digests[:5], ())
