"""Checks of ``competition.yaml``: keys, types, limits, indexes, and settings left to default."""

import re
from collections import Counter
from collections.abc import Iterator

from climatecheck.values import best_guess
from organiser.check.bundle import YAML, Bundle
from organiser.check.registry import FIELD, RUNNING, SITE, UNPACKING, Finding, Missing, check
from organiser.check.schema import LEVELS, READ_BY_NOTHING, Node, fits, in_words, nodes
from organiser.check.source import Path, SourceError, read_source

IMAGE = "codalab/codalab-legacy:py312"
_PLACE = re.compile(r"\{\{.*?\}\}")
_SHOWN = 60
_BY_KEY = {"name", "scoring_program"}
"""Not needed in a task that names the key of one on the server."""


@check("yaml-readable", "competition.yaml is YAML", "error", UNPACKING)
def readable(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench cannot read it and refuses the bundle."""
    content = bundle.tree.read(YAML)
    if content is None:
        raise Missing(f"there is no {YAML} to read")
    try:
        read_source(content.decode("utf-8-sig"))
    except SourceError as error:
        yield Finding(YAML, str(error), "Mend the syntax; quote texts that hold a colon.")
    except UnicodeDecodeError:
        yield Finding(YAML, "is not UTF-8", "Save it as UTF-8.")


@check("yaml-version", "version is 2", "error", UNPACKING)
def version(bundle: Bundle) -> Iterator[Finding]:
    """Without it CodaBench reads the file as one of the old platform and refuses it."""
    found = bundle.competition.get("version")
    if str(found) != "2":
        what = "version is missing" if found is None else f"version is {found}"
        yield Finding(bundle.place("version"), what, "Write version: 2 at the top.")


@check("yaml-required", "Every key that CodaBench needs is there", "error", UNPACKING)
def required(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses the bundle at the first key that it misses."""
    for node in nodes(bundle):
        for key, field in node.fields.items():
            given = node.data.get(key)
            empty = given is None or given in ("", [], {})
            by_key = key in _BY_KEY and bool(node.data.get("key"))
            if field.required and empty and not by_key and not _elsewhere(node.path, key):
                yield Finding(bundle.place(*node.path), f"{key} is missing or empty", f"Add {key}.")
    for i, solution in bundle.listed("solutions"):
        if not solution.get("path") and not solution.get("key"):
            yield Finding(bundle.place("solutions", i), "path is missing", "Add path.")


def _elsewhere(path: Path, key: str) -> bool:
    """Return whether a check of its own looks at this key: phases' tasks."""
    return path[:1] == ("phases",) and key == "tasks"


@check("yaml-known", "Every key is one that CodaBench reads", "warning", UNPACKING)
def known(bundle: Bundle) -> Iterator[Finding]:
    """An unknown key passes without a word, and what it should have set keeps its default."""
    for node in nodes(bundle):
        for key in map(str, node.data):
            if key in READ_BY_NOTHING:
                place = bundle.place(*node.path, key)
                yield Finding(place, f"{key} is read by nothing", "Drop it.")
            elif key not in node.fields:
                guess = best_guess(key, [name for name in node.fields if name not in node.data])
                mend = f"Did you mean {guess}?" if guess else "Drop it or mend its name."
                yield Finding(bundle.place(*node.path, key), f"{key} is no known key", mend)


@check("yaml-keys-once", "No key stands twice", "warning", UNPACKING)
def keys_once(bundle: Bundle) -> Iterator[Finding]:
    """The later value silently replaces the earlier one."""
    for path, line in bundle.source.repeated:
        where = f"{YAML} line {line}"
        yield Finding(where, f"{path[-1]} stands twice in one place", "Keep one of them.")


@check("yaml-types", "Every value has the type that CodaBench expects", "error", UNPACKING)
def types(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses the bundle, or fails on it with a message that names no key."""
    for node in nodes(bundle):
        for key, field, value in node.values():
            if not fits(value, field.types):
                what = f"{key} is {in_words((type(value),))} but must be {in_words(field.types)}"
                yield Finding(bundle.place(*node.path, key), what, f"Mend the value of {key}.")
        yield from _items(bundle, node)


def _items(bundle: Bundle, node: Node) -> Iterator[Finding]:
    for key in LEVELS.get(node.path[:1], ()):
        listed = node.data.get(key)
        for i, item in enumerate(listed if isinstance(listed, list) else []):
            if not isinstance(item, dict):
                what = f"entry {i} of {key} is no mapping of keys to values"
                yield Finding(bundle.place(*node.path, key, i), what, "Write key: value lines.")


@check("yaml-lengths", "No text is longer than CodaBench can store", "error", UNPACKING)
def lengths(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses the bundle, or fails on it when it stores the text."""
    for node in nodes(bundle):
        for key, field, value in node.values():
            if field.longest and len(str(value)) > field.longest and fits(value, field.types):
                what = f"{key} has {len(str(value))} characters; {field.longest} are allowed"
                yield Finding(bundle.place(*node.path, key), what, "Shorten it.")


@check("yaml-choices", "Every choice is one that CodaBench offers", "error", UNPACKING)
def choices(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses the bundle."""
    for node in nodes(bundle):
        for key, field, value in node.values():
            if field.choices and fits(value, field.types) and value not in field.choices:
                guess = best_guess(value, field.choices)
                mend = f"Did you mean {guess}?" if guess else "Write one of them."
                what = f"{key} is {value}; possible are {', '.join(field.choices)}"
                yield Finding(bundle.place(*node.path, key), what, mend)


@check("yaml-indexes", "Indexes are there once each", "error", UNPACKING)
def indexes(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses two tasks or solutions of one index; phases of one index change places."""
    for level in ("tasks", "phases", "solutions"):
        indexes = [node.get("index") for _, node in bundle.listed(level)]
        counts = Counter(index for index in indexes if isinstance(index, int))
        for i, index in enumerate(indexes):
            if isinstance(index, int) and counts[index] > 1:
                what = f"index {index} is used {counts[index]} times in {level}"
                yield Finding(bundle.place(level, i, "index"), what, "Number them 0, 1, 2, …")


@check("one-task", "Each phase has one task", "warning", RUNNING)
def one_task(bundle: Bundle) -> Iterator[Finding]:
    """With two tasks every column appears twice, and the empty cells of one task rank on top."""
    for i, phase in bundle.listed("phases"):
        tasks = phase.get("tasks")
        if isinstance(tasks, list) and len(tasks) > 1:
            mend = "Score everything in one task, or build one bundle for each task."
            yield Finding(bundle.place("phases", i, "tasks"), f"has {len(tasks)} tasks", mend)


@check("tasks-used", "Every task belongs to a phase", "warning", RUNNING)
def tasks_used(bundle: Bundle) -> Iterator[Finding]:
    """A task in no phase is uploaded and never scored."""
    phases = [phase.get("tasks") for _, phase in bundle.listed("phases")]
    if not all(isinstance(tasks, list) and tasks for tasks in phases):
        raise Missing("a phase has no tasks, see phase-tasks")
    wanted = [index for tasks in phases for index in tasks or []]
    for i, task in bundle.listed("tasks"):
        if task.get("index") not in wanted:
            yield Finding(bundle.place("tasks", i), "no phase has this task", "Add it to a phase.")


@check("docker-image", "The image is named", "error", RUNNING)
def image(bundle: Bundle) -> Iterator[Finding]:
    """The default image has Python 3.7, on which neither program starts; every submission fails."""
    if not bundle.competition.get("docker_image"):
        mend = f"Write docker_image: {IMAGE}."
        yield Finding(YAML, "docker_image is left to default", mend)


@check("detailed-results", "Detailed results are switched on", "warning", SITE)
def detailed_results(bundle: Bundle) -> Iterator[Finding]:
    """The page that tells participants what is wrong with a file is made and never shown."""
    for key in ("enable_detailed_results", "show_detailed_results_in_submission_panel"):
        default = key != "enable_detailed_results"
        if bundle.competition.get(key, default) is False:
            yield Finding(bundle.place(key), f"{key} is off", f"Write {key}: true.")


@check("places-filled", "No {{place}} is left unfilled", "error", FIELD)
def places(bundle: Bundle) -> Iterator[Finding]:
    """Participants read the template in place of the text."""
    for node in nodes(bundle):
        for key, _, value in node.values():
            if isinstance(value, str) and (match := _PLACE.search(value)):
                place = bundle.place(*node.path, key)
                yield Finding(place, f"{match[0][:_SHOWN]} is not filled", "Fill it.")
    for path, text in _public_texts(bundle):
        for number, line in enumerate(text.splitlines(), 1):
            if match := _PLACE.search(line):
                what = f"{match[0][:_SHOWN]} is not filled"
                yield Finding(f"{path} line {number}", what, "Build the page with make bundle.")


def _public_texts(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield the Markdown of the pages and of the kit."""
    trees = [("", bundle.tree)]
    trees += [(f"{p.path}: ", p.tree) for p in bundle.parts if p.role == "starting_kit"]
    for where, tree in trees:
        for name in tree.names:
            if name.endswith(".md") and (content := tree.read(name)) is not None:
                yield f"{where}{name}", content.decode("utf-8", "replace")
