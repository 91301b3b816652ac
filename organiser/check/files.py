"""Checks of the files: the bundle itself, and the zips inside it."""

import posixpath
from collections.abc import Iterator

from organiser.check.bundle import DATA, PROGRAMS, YAML, Bundle, Part
from organiser.check.registry import (
    FIELD,
    RUNNING,
    UNPACKING,
    Finding,
    Missing,
    check,
)
from organiser.check.schema import nodes
from organiser.check.trees import READ_LIMIT, Tree, is_junk, size

_LARGE = 2 * 1000**3
_BOMB_RATIO, _BOMB_BYTES = 200, 100 * 1000**2
_FILE_KEYS = {
    *(("tasks", role) for role in (*PROGRAMS, *DATA)),
    *(("phases", role) for role in ("starting_kit", "public_data")),
    ("solutions", "path"),
    ("pages", "file"),
}


@check("bundle-opens", "The bundle can be opened", "error", UNPACKING)
def opens(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench cannot unpack the upload, and says no more than that."""
    if bundle.tree.fault:
        yield Finding(bundle.name, bundle.tree.fault, "Build it again with make bundle.")
    for name, why in bundle.tree.broken():
        yield Finding(name, f"{why}, so the bundle cannot be unpacked", "Build the bundle again.")


@check("bundle-root", "competition.yaml stands at the root", "error", UNPACKING)
def root(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench looks at the root alone and refuses the bundle; the folder around it was zipped."""
    if bundle.tree.fault:
        raise Missing("the bundle cannot be opened")
    if bundle.top:
        mend = "Zip the content of the folder, not the folder."
        yield Finding(bundle.name, f"everything stands in the folder {bundle.top}", mend)
    elif YAML not in bundle.tree.names:
        yield Finding(bundle.name, f"there is no {YAML} at the root", f"Add {YAML}.")


@check("files-there", "Every file that competition.yaml names is there", "error", UNPACKING)
def there(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses the bundle at the first file that it cannot find."""
    on_server = {part.path for part in bundle.parts if part.on_server}
    for place, path in _named(bundle):
        inside = posixpath.normpath(path)
        is_folder = any(name.startswith(f"{inside}/") for name in bundle.tree.names)
        if inside not in bundle.tree.names and not is_folder and path not in on_server:
            yield Finding(place, f"{path} is not in the bundle", "Add the file or mend its name.")


@check("files-used", "Every file of the bundle is used", "advice", UNPACKING)
def used(bundle: Bundle) -> Iterator[Finding]:
    """A file that nothing names is uploaded for nothing; often the yaml has its old name."""
    named = {posixpath.normpath(path) for _, path in _named(bundle)}
    for name in bundle.tree.names:
        ours = name in named or any(name.startswith(f"{path}/") for path in named)
        if name != YAML and not ours and not is_junk(name):
            yield Finding(
                name, "nothing in competition.yaml names this file", "Name it or drop it."
            )


@check("parts-named", "Programs and data are zips, or folders with a slash", "warning", UNPACKING)
def named(bundle: Bundle) -> Iterator[Finding]:
    """A bare folder is zipped into a file that all uploads share, so two uploads can mix."""
    for part in bundle.parts:
        if posixpath.normpath(part.path) in bundle.tree.names or not part.there:
            continue
        if not part.path.endswith("/") and "/" not in part.path:
            mend = f"Write {part.path}/ or, better, name a zip."
            yield Finding(part.place, f"{part.path} is a folder without a slash", mend)


@check("zip-opens", "Every zip in the bundle can be opened", "error", RUNNING)
def zip_opens(bundle: Bundle) -> Iterator[Finding]:
    """The upload succeeds, and then every submission fails, because the worker cannot unpack it."""
    for part in _parts(bundle):
        if part.tree.fault:
            yield Finding(part.path, part.tree.fault, "Build this zip again.")
        for name, why in part.tree.broken():
            yield Finding(f"{part.path}: {name}", f"the file {why}", "Build this zip again.")


@check("zip-top-folder", "No program or data set has one folder on top", "error", FIELD)
def top_folder(bundle: Bundle) -> Iterator[Finding]:
    """The programs look one folder too high and find nothing; every submission fails."""
    for part in _parts(bundle):
        if part.top:
            what = f"everything stands in the folder {part.top}"
            yield Finding(part.path, what, "Zip the content of the folder, not the folder.")


@check("no-links", "There are plain files alone, no links or devices", "error", RUNNING)
def links(bundle: Bundle) -> Iterator[Finding]:
    """A link arrives as a text file that holds the name of its target; the program breaks on it."""
    for where, tree in _trees(bundle):
        for entry in tree.entries:
            if entry.kind != "file":
                what = f"is a {'link' if entry.kind == 'link' else 'special file'}"
                yield Finding(f"{where}{entry.name}", what, "Put the file itself there.")


@check("safe-names", "File names stay inside their folder", "error", UNPACKING)
def safe_names(bundle: Bundle) -> Iterator[Finding]:
    """A name with .., a backslash or a leading slash is written elsewhere, or not at all."""
    for where, tree in _trees(bundle):
        for entry in tree.entries:
            steps = entry.name.split("/")
            if ".." in steps or entry.name.startswith("/") or "\\" in entry.name:
                what = "the name leads out of the folder or is written for another system"
                yield Finding(
                    f"{where}{entry.name}", what, "Write plain names, with / for folders."
                )


@check("names-once", "No zip holds a name twice", "warning", UNPACKING)
def names_once(bundle: Bundle) -> Iterator[Finding]:
    """The later file silently replaces the earlier one."""
    for where, tree in _trees(bundle):
        for name in tree.repeated:
            yield Finding(f"{where}{name}", "stands in the zip more than once", "Keep one.")


@check("no-junk", "No leftovers of an operating system or tool", "advice", FIELD)
def junk(bundle: Bundle) -> Iterator[Finding]:
    """Participants download them, and a stray file can be taken for the real one."""
    for where, tree in _trees(bundle):
        for name in filter(is_junk, tree.names):
            yield Finding(f"{where}{name}", "is a leftover", "Leave it out of the zip.")


@check("sizes", "Nothing is too large to upload or to look into", "warning", UNPACKING)
def sizes(bundle: Bundle) -> Iterator[Finding]:
    """An upload that takes hours breaks off, and every submission unpacks these files again."""
    for where, tree in _trees(bundle):
        total = sum(entry.size for entry in tree.entries)
        packed = sum(entry.packed for entry in tree.entries)
        place = where.rstrip(": ") or bundle.name
        if total > _LARGE:
            yield Finding(place, f"is {size(total)} unpacked", "Publish large data elsewhere.")
        elif total > _BOMB_BYTES and total > _BOMB_RATIO * max(packed, 1):
            what = f"unpacks from {size(packed)} to {size(total)}"
            yield Finding(place, what, "Look at what fills it.")
        for entry in tree.entries:
            if entry.size > READ_LIMIT:
                what = f"is {size(entry.size)} and was not looked into"
                yield Finding(f"{where}{entry.name}", what, "Look at it by hand.")


def _named(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield each file name in ``competition.yaml`` with its place."""
    for key in ("image", "terms"):
        if isinstance(path := bundle.competition.get(key), str) and path:
            yield bundle.place(key), path
    for node in nodes(bundle):
        for key, _, value in node.values():
            is_file = len(node.path) == 2 and (node.path[0], key) in _FILE_KEYS
            if is_file and isinstance(value, str) and value:
                yield bundle.place(*node.path, key), value


def _parts(bundle: Bundle) -> list[Part]:
    """Return the parts that are there, each path once."""
    return list({part.path: part for part in bundle.parts if part.there}.values())


def _trees(bundle: Bundle) -> Iterator[tuple[str, Tree]]:
    """Yield the bundle's own files and those of each part, with what goes before their names."""
    if bundle.tree.fault:
        raise Missing("the bundle cannot be opened")
    yield "", bundle.tree
    for part in _parts(bundle):
        is_zip = posixpath.normpath(part.path) in bundle.tree.names
        if is_zip:
            yield f"{part.path}: {part.top}", part.tree
