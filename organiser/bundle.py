"""Makes a whole bundle: one zip for an organiser to upload.

``python -m organiser.bundle [task1 | task2]`` writes ``dist/bundle….zip``; without an argument, the
bundle of both tasks. ``BLIND=1`` in the environment leaves the gold out.
"""

import argparse
import sys

from organiser.build import DIST, PIECES, piece, reported, write
from organiser.competition import VARIANTS, Variant, as_yaml, chosen, competition
from organiser.editions import ROOT, Edition, OrganiserError, edition
from organiser.pages import page
from organiser.zips import zipped


def entries(variant: Variant, data: Edition) -> dict[str, bytes]:
    """Return exactly what the platform reads: the yaml, logo and pages, and the zips it names.

    Raises:
        OrganiserError: a file that ``competition.yaml`` names is missing.
    """
    made = competition(variant)
    logo = ROOT / made["image"]
    if not logo.is_file():
        raise OrganiserError(f"The logo {logo} is missing; it is drawn by organiser/draw_logo.py.")
    pages = [made["terms"], *(entry["file"] for entry in made["pages"])]
    return {
        "competition.yaml": as_yaml(made),
        made["image"]: logo.read_bytes(),
        **{path: page(path, data, variant) for path in pages},
        **{f"{name}.zip": piece(name, data, variant) for name in PIECES},
    }


def bundle(variant: Variant, data: Edition | None = None) -> bytes:
    """Return the zip to upload."""
    return zipped(entries(variant, data or edition()))


def main() -> int:
    """Write the bundle that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m organiser.bundle", description=__doc__)
    choices = [name for name in VARIANTS if name]
    parser.add_argument("variant", nargs="?", default="", choices=["", *choices])
    variant = chosen(parser.parse_args().variant)
    write(DIST / variant.file, bundle(variant))
    return 0


if __name__ == "__main__":
    sys.exit(reported(main))
