"""``python -m organiser.ev2r.status``: what is done, open and failed, and what the rest costs."""

import sys
from collections.abc import Sequence

from organiser.analysis.uploads.given import progress
from organiser.ev2r.cost import cost, in_words
from organiser.ev2r.options import FAULTS, Session, parser, session

FAULT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the state; return 0, or 2 where an organiser has something to mend."""
    given = parser("organiser.ev2r.status", __doc__).parse_args(arguments)
    try:
        with session(given, progress(), look_only=True) as made:
            print(in_words_of(made))
    except FAULTS as error:
        print(f"No status: {error}", file=sys.stderr)
        return FAULT
    return 0


def in_words_of(made: Session) -> str:
    """Return the state of both parts, in lines."""
    pools, gold = made.plan.pools, made.evaluation.gold
    compared = [key for pool in pools for key in made.texts.comparisons(pool, gold)]
    classified = [key for pool in pools for key in made.texts.classified(pool)]
    return in_words(
        [
            cost(source, made.texts.of(keys), made.store.tokens_spent(source.recipe.id))
            for source, keys in ((made.reference, compared), (made.proxy, classified))
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
