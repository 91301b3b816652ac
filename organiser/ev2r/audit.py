"""``python -m organiser.ev2r.audit PAIR``: all that the store holds of one pair.

PAIR is the number in the column ``pair`` of ``ev2r_pairs.csv``, or ``g_star_pair`` of
``ev2r_abstracts.csv``.
"""

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from organiser.editions import ROOT, OrganiserError
from organiser.ev2r.options import STORE
from organiser.ev2r.store import Store

FAULT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the pair and every answer; return 0, or 2 if there is no such pair."""
    parser = argparse.ArgumentParser(prog="python -m organiser.ev2r.audit", description=__doc__)
    parser.add_argument("pair", type=int)
    parser.add_argument("--store", default="")
    given = parser.parse_args(arguments)
    path = ROOT / (given.store or STORE)
    try:
        found = answers(path, given.pair)
    except (OrganiserError, sqlite3.Error) as error:
        print(f"Nothing to show: {error}", file=sys.stderr)
        return FAULT
    if not found:
        print(f"The store holds no pair {given.pair}.", file=sys.stderr)
        return FAULT
    for answer in found:
        print("\n".join(f"{name}: {value}" for name, value in answer.items()), end="\n\n")
    return 0


def answers(store: Path, pair: int) -> list[dict[str, object]]:
    """Return what the store holds of a pair, one entry an answer, oldest first.

    Raises:
        OrganiserError: there is no store, or it is something else.
    """
    if not store.is_file():
        raise OrganiserError(f"there is no store {store}.")
    with Store(store, read_only=True) as opened:
        return opened.answers(pair)


if __name__ == "__main__":
    sys.exit(main())
