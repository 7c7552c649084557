"""An order in which each text says something that those before it do not. Knows words and scores, no store.

    value = (1 − diversity) × score − diversity × said          elfmem's rule of marginal relevance

`said` is the share of a text's words that those chosen before it hold; elfmem takes the greatest cosine with one.
"""

from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush


def diversify(scores: Sequence[float], words: Sequence[AbstractSet[str]], diversity: float) -> list[int]:
    """Return the places of some texts in the order in which they are chosen, of equals the earlier first.

    Takes O(n log n) for n words in all: each word of each text is taken off once, when it is first said.
    """
    holding: dict[str, list[int]] = defaultdict(list)
    for place, some in enumerate(words):
        for word in some:
            holding[word].append(place)
    left = [len(some) for some in words]  # words that nobody has said yet

    def value(place: int) -> float:
        said = 1 - left[place] / len(words[place]) if words[place] else 0.0
        return (1 - diversity) * scores[place] - diversity * said

    # What was lowered since stays in the heap with its old value, and is passed over: it stands there a second time.
    heap = [(-value(place), place) for place in range(len(scores))]
    heapify(heap)
    chosen: dict[int, None] = {}
    while heap:
        lowest, place = heappop(heap)
        if place in chosen or -lowest != value(place):
            continue
        chosen[place] = None
        lowered: set[int] = set()
        for word in words[place]:
            for other in holding.pop(word, ()):
                left[other] -= 1
                lowered.add(other)
        for other in lowered:
            if other not in chosen:
                heappush(heap, (-value(other), other))
    return list(chosen)
