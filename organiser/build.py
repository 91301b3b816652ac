"""Makes the pieces of a bundle: the zips that CodaBench takes.

``python -m organiser.build PIECE...`` writes them to ``dist/``; ``BLIND=1`` in the environment
leaves the gold out.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from baselines.plain import MissingLibraryError
from climatecheck import edition as settings
from climatecheck.gold import GoldError
from climatecheck.running import write_atomically
from organiser import missing, samples
from organiser.competition import VARIANTS, Variant, board_json, chosen
from organiser.editions import ROOT, Edition, OrganiserError, edition, gold_files
from organiser.pages import filled
from organiser.zips import files_of, zipped

DIST = ROOT / "dist"
BOARD_FILE = "board.json"
KIT_README = "README.md"

_INPUT_FILES = (settings.CLAIMS_FILE, settings.EDITION_FILE)


def ingestion_program(_: Edition, variant: Variant) -> dict[str, bytes]:
    """Return the ingestion program, self-contained."""
    return _program("ingestion_program", variant)


def scoring_program(_: Edition, variant: Variant) -> dict[str, bytes]:
    """Return the scoring program, self-contained."""
    return _program("scoring_program", variant)


def input_data(data: Edition, _: Variant) -> dict[str, bytes]:
    """Return what participants may see of the test data: the claims."""
    return _picked(data.input_data, _INPUT_FILES, optional=(settings.EDITION_FILE,))


def reference_data(data: Edition, variant: Variant) -> dict[str, bytes]:
    """Return the gold, with the claims beside it, so that both programs know the same ones.

    Of a blind bundle: the claims alone; the folder of the gold is not even looked into.
    """
    gold = {} if variant.blind else gold_files(data.reference_data, variant.tasks)
    return gold | input_data(data, variant)


def starting_kit(data: Edition, variant: Variant) -> dict[str, bytes]:
    """Return what participants download; never the gold of the test claims."""
    return {
        **_kit_sources(),
        KIT_README: filled(f"starting_kit/{KIT_README}", data, variant).encode(),
        BOARD_FILE: board_json(variant),
        **files_of(data.kit_data, "data/"),
        **files_of(ROOT / "climatecheck", "climatecheck/"),
        **files_of(ROOT / "baselines", "baselines/"),
        **input_data(data, variant),
        **samples.all_samples(data, variant.tasks),
    }


PIECES: dict[str, Callable[[Edition, Variant], dict[str, bytes]]] = {
    "ingestion_program": ingestion_program,
    "scoring_program": scoring_program,
    "reference_data": reference_data,
    "input_data": input_data,
    "starting_kit": starting_kit,
}


def piece(name: str, data: Edition | None = None, variant: Variant = VARIANTS[""]) -> bytes:
    """Return the zip of a piece, by its name without ``.zip``."""
    return zipped(PIECES[name](data or edition(), variant))


def _program(folder: str, variant: Variant) -> dict[str, bytes]:
    return {
        **files_of(ROOT / folder),
        **files_of(ROOT / "climatecheck", "climatecheck/"),
        BOARD_FILE: board_json(variant),
    }


def _kit_sources() -> dict[str, bytes]:
    """Return the kit's own files, without the data of the sample edition."""
    files = files_of(ROOT / "starting_kit")
    return {name: data for name, data in files.items() if not name.startswith("data/")}


def _picked(
    folder: Path, names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, bytes]:
    missing = [n for n in names if n not in optional and not (folder / n).is_file()]
    if missing:
        raise OrganiserError(f"The file {folder / missing[0]} is missing.")
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def main() -> int:
    """Write the pieces that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m organiser.build", description=__doc__)
    parser.add_argument("pieces", nargs="+", choices=list(PIECES), metavar="PIECE")
    for name in parser.parse_args().pieces:
        write(DIST / f"{name}.zip", piece(name, variant=chosen("")))
    return 0


def write(path: Path, content: bytes) -> None:
    """Write a built file and say so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)
    print(f"{path.relative_to(ROOT)}  {len(content):,} bytes")


def reported(main: Callable[[], int]) -> int:
    """Run an organiser's command; what an organiser can mend is said in words.

    Returns:
        What the command returns; 1 for what is wrong, 2 where a library is not installed.
    """
    try:
        return main()
    except (OrganiserError, GoldError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.strerror or 'This failed'}: {error.filename or error}", file=sys.stderr)
        return 1
    except (MissingLibraryError, ModuleNotFoundError) as error:
        words = missing.in_words(error)
        if not words:
            raise
        print(words, file=sys.stderr)
        return missing.NOT_INSTALLED


if __name__ == "__main__":
    sys.exit(reported(main))
