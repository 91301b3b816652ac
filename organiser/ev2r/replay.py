"""Reference part (b), and its like for the proxy part: recorded answers only, nothing is asked.

The raw answers of the reference part are read anew, so a replay also checks how they were read.
"""

from collections.abc import Mapping

from baselines.chat import ParseError
from organiser.editions import OrganiserError
from organiser.ev2r.chat import UNUSABLE_AT_MOST, usable_counts
from organiser.ev2r.judge import Judged
from organiser.ev2r.recipe import DONE, FAILED, OPEN, Key, Outcome, Recipe, Wanted
from organiser.ev2r.store import Recorded, Store

CHAT = "chat"


class Replay:
    """Outcomes from recorded answers.

    Args:
        store: holds them; it is not changed.
        part: ``reference`` or ``proxy``.
        recipe: the beginning of the recipe's id; empty if the store holds a single one.

    Raises:
        OrganiserError: there is no such recipe, or more than one.
    """

    retry_failed = False

    def __init__(self, store: Store, part: str, recipe: str = "") -> None:
        self._store = store
        self.recipe = _chosen(store, part, recipe)

    def known(self) -> Mapping[Key, Outcome]:
        """Return what was recorded."""
        if self.recipe.backend != CHAT:
            return self._store.outcomes(self.recipe.id)
        return {item.key: _outcome(item) for item in self._store.recorded(self.recipe.id)}

    def judged(self, wanted: Wanted) -> Judged:
        """Return what was recorded of pairs; the others stay open."""
        known = self.known()
        return Judged({key: known[key] for key in wanted if key in known}, None)

    def tokens(self, a: str, b: str) -> None:
        """Return None: nothing is asked."""


def _outcome(item: Recorded) -> Outcome:
    """Return what recorded answers come to: the first that can be used counts."""
    error = ""
    for answer in item.answers:
        try:
            return Outcome(DONE, tuple(map(float, usable_counts(*answer))), "", item.row)
        except ParseError as problem:
            error = str(problem)
    state = FAILED if len(item.answers) >= UNUSABLE_AT_MOST else OPEN
    return Outcome(state, None, error, item.row)


def _chosen(store: Store, part: str, begins: str) -> Recipe:
    recipes = store.recipes(part)
    found = [recipe for recipe in recipes if recipe.id.startswith(begins)]
    listed = "; ".join(f"{recipe.id} ({recipe.title})" for recipe in recipes) or "none"
    if not found:
        raise OrganiserError(f"The store has no such recorded answers; {part} part: {listed}.")
    if len(found) > 1:
        raise OrganiserError(
            f"The store has {len(found)} kinds of answers of the {part} part; name one: {listed}."
        )
    return found[0]
