"""The cut of a ranking to a limit and a token budget."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

LINE_TOKENS = 12  # the least that a line takes beside its text
# Of places that are too long for the room that is left so many more than one are read: it may turn out larger.
TOO_LONG_MAX = 8
SAID = "what stands here already says it"


@dataclass(frozen=True, slots=True)
class FactTurnPairs:
    """Which of some memories are facts that were learned from which of them: `turns` by fact, and `facts` by turn."""

    turns: Mapping[int, Collection[int]] = field(default_factory=dict)
    facts: Mapping[int, Collection[int]] = field(default_factory=dict)

    def with_(self, one: int) -> list[int]:
        """Return the turns of a fact and the facts of a turn: of it and them one alone takes a place."""
        return [*self.turns.get(one, ()), *self.facts.get(one, ())]

    def without(self, edited: Collection[int]) -> "FactTurnPairs":
        """Return the same without facts that may no longer say what their turns say: either was edited."""
        if not edited:
            return self
        turns = {fact: set(turns) - set(edited) for fact, turns in self.turns.items() if fact not in edited}
        facts = {turn: set(facts) - set(edited) for turn, facts in self.facts.items() if turn not in edited}
        return FactTurnPairs(turns, facts)

    def none_of(self, some: Collection[int]) -> bool:
        """Tell whether none of some memories is a fact or a turn of one."""
        return self.turns.keys().isdisjoint(some) and self.facts.keys().isdisjoint(some)


NOTHING = FactTurnPairs()


@dataclass(slots=True)
class _Cut:
    """What has a place so far, in order, and what was dropped with the reason."""

    tokens: Sequence[int]
    budget: int | None
    told: FactTurnPairs
    kept: list[int] = field(default_factory=list)
    dropped: list[tuple[int, str]] = field(default_factory=list)
    used: int = 0

    def offer(self, place: int) -> None:
        """Give a place where there is room and nothing says it yet."""
        size = self.tokens[place]
        if any(other in self.kept for other in self.told.with_(place)) or self._replace_by_turn(place):
            self.dropped.append((place, SAID))
        elif self.budget is not None and self.used + size > self.budget:
            self.dropped.append((place, _explain_drop(size, self.budget, self.used)))
        else:
            self.kept.append(place)
            self.used += size

    def _replace_by_turn(self, fact: int) -> bool:
        """Put the turn of two facts, where it was found too and fits, in the place of the better one."""
        for turn in self.told.turns.get(fact, ()):
            for other in self.told.facts.get(turn, ()):
                if other in self.kept and self._fits_instead(turn, other):
                    self.kept[self.kept.index(other)] = turn
                    self.used += self.tokens[turn] - self.tokens[other]
                    self.dropped = [one for one in self.dropped if one[0] != turn] + [(other, SAID)]
                    return True
        return False

    def _fits_instead(self, turn: int, instead: int) -> bool:
        after = self.used + self.tokens[turn] - self.tokens[instead]
        return self.budget is None or after <= self.budget


def fit(
    tokens: Sequence[int], limit: int, budget: int | None, told: FactTurnPairs = NOTHING
) -> tuple[list[int], list[tuple[int, str]]]:
    """Return (places kept in order, places dropped with the reason).

    `tokens` are sizes by rank. Greedy: what does not fit is skipped, so that one oversized memory does not block those
    behind it. Of a fact and a turn that it was learned from the better one is kept, of two facts of a turn the turn.
    Nothing is said of what ranks below the last place that the limit allows.
    """
    cut = _Cut(tokens, budget, told)
    for place in range(len(tokens)):
        if len(cut.kept) == limit:
            break
        if place not in cut.kept:
            cut.offer(place)
    return cut.kept, cut.dropped


def select_places_to_read(tokens: Sequence[int], budget: int, ahead: float = 1.0) -> list[int]:
    """Return the places of a ranking that may fit into a budget, by the stored tokens of each; to read more is in vain.

    A line takes more tokens than are stored of its text, so that no more fit than are read. With `ahead` above 1 so
    many times the budget is read, for who orders them otherwise. Of those that are too long for the room that is left
    a few are read all the same, the first always; what is longer than the budget takes none, as it would be cut.
    """
    room, too_long, places = ahead * budget, 0, []
    for place, size in enumerate(tokens):
        line = size + LINE_TOKENS
        if line <= min(room, budget):
            room -= line
        elif too_long > TOO_LONG_MAX:
            continue
        else:
            too_long += 1
        places.append(place)
    return places


def _explain_drop(size: int, budget: int, used: int) -> str:
    if size > budget:
        return f"its {size} tokens are more than the whole budget of {budget}"
    return f"its {size} tokens do not fit into the {budget - used} left of {budget}"
