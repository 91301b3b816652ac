"""``make bench``: prints each ratio beside its target; exit code 1 if one is missed."""

import sys

from benchmarks import programs
from organiser.build import reported
from organiser.environments import image_python


def main() -> int:
    """Measure everything under the image's exact pins."""
    python = image_python()
    missed = False
    for measured in (programs.paper_size, programs.large):
        for result in measured(python):
            print(result, flush=True)
            missed |= not result.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(reported(main))
