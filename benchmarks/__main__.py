"""``make bench``: prints each ratio beside its target; exit code 1 if one is missed.

The programs are measured under the image's exact pins, all else with the Python that runs this.
"""

import sys

from benchmarks import edition, ev2r, programs, report, retrieval
from organiser.build import reported
from organiser.environments import image_python

_MEASURED = (
    programs.paper_size,
    programs.large,
    report.paper_size,
    retrieval.full_size,
    edition.million_pairs,
    ev2r.concurrency,
    ev2r.summing_up,
)


def main() -> int:
    """Measure everything, one after the other."""
    python = image_python()
    missed = False
    for measured in _MEASURED:
        for result in measured(python):
            print(result, flush=True)
            missed |= not result.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(reported(main))
