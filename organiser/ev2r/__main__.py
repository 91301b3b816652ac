"""``python -m organiser.ev2r``: Ev2R of all submissions; without arguments, of sample systems."""

import sys
from collections.abc import Sequence

from organiser.analysis.uploads.given import progress
from organiser.ev2r.options import FAULTS, STORE, parser, session
from organiser.ev2r.output import report
from organiser.ev2r.run import judged
from organiser.ev2r.section import section
from organiser.ev2r.status import in_words_of
from organiser.reporting.output import place_of, write_folder
from organiser.reporting.plain_text import plain_text
from organiser.reporting.render import PAGE, rendered

OUT = "build/ev2r"
FAULT, UNFINISHED, INTERRUPTED = 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge, write and print.

    Returns:
        0; 2 where an organiser has something to mend; 3 where the run ended early, so that pairs
        are open (what is known is written); 130 where it was interrupted.
    """
    given = parser("organiser.ev2r", __doc__).parse_args(arguments)
    say = progress()
    try:
        out = place_of(given.out, OUT)
        with session(given, say, look_only=bool(given.dry_run)) as made:
            if given.dry_run:
                print(in_words_of(made))
                return 0
            run = judged(
                made.plan, made.evaluation.gold, made.texts, made.reference, made.proxy, say=say
            )
            files = rendered(report(made.evaluation, run), say=say)
            write_folder(out, files)
    except FAULTS as error:
        print(f"Not done: {error}", file=sys.stderr)
        return FAULT
    except KeyboardInterrupt:
        print(
            f"Interrupted: {given.store or STORE} keeps every answer that arrived; the same command"
            " goes on from there.",
            file=sys.stderr,
        )
        return INTERRUPTED
    shown = section(run)
    print("\n\n".join([*shown.prose, *map(plain_text, shown.parts)]))
    say(f"Written: {len(files)} files in {out}; open {PAGE}")
    return UNFINISHED if run.open else 0


if __name__ == "__main__":
    sys.exit(main())
