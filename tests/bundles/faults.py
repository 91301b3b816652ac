"""The faults: each with the id of the check that names it, and what makes it."""

import copy
from collections.abc import Callable
from typing import Any

from organiser.zips import zipped
from tests.bundles.draft import Draft, Files, gold_file, raw_zip, set_boards, unzipped

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def png_header(width: int, height: int, colour: int) -> bytes:
    return _PNG + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, colour, 0, 0, 0])


def _link(draft: Draft) -> None:
    files = unzipped(draft.files["input_data.zip"])
    draft.files["input_data.zip"] = raw_zip(files, "more.csv")


def _damaged(draft: Draft) -> None:
    content = bytearray(draft.files["scoring_program.zip"])
    content[60:64] = b"\xff\xff\xff\xff"
    draft.files["scoring_program.zip"] = bytes(content)


def _on_top(name: str) -> Callable[[Draft], None]:
    def spoil(draft: Draft) -> None:
        files = unzipped(draft.files[f"{name}.zip"])
        draft.files[f"{name}.zip"] = zipped({f"{name}/{n}": data for n, data in files.items()})

    return spoil


def _column(position: int, /, **values: Any) -> Callable[[Draft], Any]:
    return lambda draft: draft.board["columns"][position].update(values)


def _phase(position: int, /, **values: Any) -> Callable[[Draft], Any]:
    return lambda draft: draft.yaml["phases"][position].update(values)


def _command(line: str) -> Callable[[Draft], Any]:
    return lambda draft: draft.put("scoring_program", metadata_dot_yaml=f"command: {line}")


def _question(**values: Any) -> Callable[[Draft], Any]:
    return lambda draft: draft.yaml["fact_sheet"]["system_name"].update(values)


def more_page(text: str | bytes) -> Callable[[Draft], Any]:
    def spoil(draft: Draft) -> None:
        data = text.encode() if isinstance(text, str) else text
        draft.files["pages/faq.md"] = draft.files["pages/faq.md"] + b"\n" + data + b"\n"

    return spoil


def _cutoffs(draft: Draft) -> None:
    for program in ("ingestion_program", "scoring_program"):
        files = unzipped(draft.files[f"{program}.zip"])
        text = files["climatecheck/edition.py"].decode()
        changed = text.replace("RECALL_CUTOFFS = (2, 5)", "RECALL_CUTOFFS = (3, 5)")
        assert changed != text
        draft.put(program, climatecheck__edition_dot_py=changed)


def _sample(draft: Draft, old: bytes, new: bytes) -> None:
    def spoil(files: Files) -> None:
        name = "samples/upload/task1.zip"
        inside = unzipped(files[name])
        changed = inside["predictions.csv"].replace(old, new)
        assert changed != inside["predictions.csv"]
        files[name] = zipped({"predictions.csv": changed})

    draft.part("starting_kit", spoil)


ERRORS: list[tuple[str, Callable[[Draft], Any]]] = [
    ("yaml-version", lambda d: d.yaml.pop("version")),
    ("yaml-required", lambda d: d.yaml.pop("terms")),
    ("yaml-required", lambda d: d.yaml.update(title="")),
    ("yaml-required", lambda d: d.yaml["pages"][0].pop("title")),
    ("yaml-types", _phase(0, max_submissions="fifty")),
    ("yaml-types", _column(3, precision="3")),
    ("yaml-types", lambda d: d.yaml["pages"].append("pages/faq.md")),
    ("yaml-lengths", _column(3, title="B" * 37)),
    ("yaml-lengths", lambda d: d.yaml.update(title="T" * 257)),
    ("yaml-choices", lambda d: d.board.update(submission_rule="Force_Latest")),
    ("yaml-choices", _column(3, sorting="down")),
    ("yaml-indexes", lambda d: d.yaml["tasks"].append(copy.deepcopy(d.yaml["tasks"][0]))),
    ("yaml-readable", lambda d: d.text("title: ClimateCheck", "title: Climate: Check")),
    ("docker-image", lambda d: d.yaml.pop("docker_image")),
    ("places-filled", more_page("See {{table_of_problems}}.")),
    ("places-filled", lambda d: d.yaml.update(description="Edition {{ name }}")),
    ("files-there", lambda d: d.files.pop("pages/data.md")),
    ("files-there", lambda d: d.files.pop("starting_kit.zip")),
    ("phase-dates-quoted", lambda d: d.text("'2026-01-15 00:00:00'", "2026-01-15 00:00:00")),
    ("phase-dates-form", _phase(0, start="15 January 2026")),
    ("phase-ends-after-start", _phase(0, start="2026-02-18 23:59:59", end="2026-01-15 00:00:00")),
    ("phase-order", _phase(1, start="2026-02-18 23:59:59")),
    ("phase-open", lambda d: d.yaml["phases"][0].pop("end")),
    ("phase-tasks", _phase(1, tasks=[])),
    ("phase-tasks", _phase(1, tasks=[1])),
    ("phase-migration", _phase(0, auto_migrate_to_this_phase=True)),
    ("column-primary", _column(0, index=99)),
    ("column-once", _column(3, index=4)),
    ("column-unwritten", _column(3, key="bpref_at_10")),
    ("column-unwritten", _cutoffs),
    ("scores-unshown", lambda d: d.board["columns"].pop()),
    ("scores-unshown", lambda d: set_boards(d, lambda b: b["columns"].append("bpref_at_10"))),
    ("program-board", lambda d: _one_task_in(d, "ingestion_program")),
    ("program-board", lambda d: _one_task_in(d, "starting_kit")),
    ("fact-sheet-mapping", lambda d: d.yaml.update(fact_sheet=[*d.yaml["fact_sheet"].values()])),
    ("fact-sheet-mapping", _question(key="name_of_the_system")),
    ("fact-sheet-keys", lambda d: d.yaml["fact_sheet"]["system_name"].pop("selection")),
    ("fact-sheet-keys", _question(help="which?")),
    ("fact-sheet-types", _question(type="number")),
    ("fact-sheet-types", _question(selection=None)),
    ("fact-sheet-flags", _question(is_required=True)),
    ("tasks-whole", lambda d: d.yaml["tasks"][0].pop("ingestion_program")),
    ("program-metadata", lambda d: d.part("scoring_program", lambda f: f.pop("metadata.yaml"))),
    (
        "program-command",
        lambda d: d.put("scoring_program", metadata_dot_yaml="command: python a.py"),
    ),
    (
        "program-command",
        lambda d: d.put("scoring_program", metadata_dot_yaml="command: python3 a.py"),
    ),
    (
        "program-command",
        lambda d: d.put("scoring_program", metadata_dot_yaml="command: python3 scoring.py > log"),
    ),
    ("program-compiles", lambda d: d.put("ingestion_program", more_dot_py="def f(:\n")),
    ("program-imports", lambda d: d.put("ingestion_program", more_dot_py="import tqdm\n")),
    ("program-imports", lambda d: d.put("ingestion_program", more_dot_py="import distutils\n")),
    (
        "program-whole",
        lambda d: d.part("scoring_program", lambda f: f.pop("climatecheck/metrics/bpref.py")),
    ),
    ("program-whole", lambda d: d.put("scoring_program", more_dot_py="import organiser.zips\n")),
    ("zip-opens", lambda d: d.files.update({"scoring_program.zip": b"not a zip"})),
    ("zip-opens", _damaged),
    ("zip-top-folder", _on_top("scoring_program")),
    ("zip-top-folder", _on_top("input_data")),
    ("no-links", _link),
    ("safe-names", lambda d: d.put("input_data", **{"..__more_dot_csv": "a"})),
    ("data-claims", lambda d: d.part("input_data", lambda f: f.pop("claims.csv"))),
    ("data-same-claims", lambda d: d.put("input_data", claims_dot_csv=_fewer_claims(d))),
    ("data-gold", lambda d: d.part("reference_data", lambda f: f.pop("task2_gold.csv"))),
    (
        "data-gold",
        lambda d: d.put("reference_data", task1_gold_dot_csv=gold_file(d, "task1_gold.csv") * 2),
    ),
    ("page-text", lambda d: d.files.update({"pages/terms.md": b"\n"})),
    ("page-encoding", more_page("Größe".encode("latin-1"))),
    ("logo-png", lambda d: d.files.update({"logo.png": b"<svg></svg>"})),
    ("logo-colours", lambda d: d.files.update({"logo.png": png_header(600, 600, 3)})),
    ("logo-shape", lambda d: d.files.update({"logo.png": png_header(10_100, 100, 2)})),
    ("gold-copied", lambda d: d.put("starting_kit", x=gold_file(d, "task1_gold.csv"))),
    ("gold-copied", lambda d: d.yaml.update(solutions=[_solution()])),
    ("gold-told", lambda d: d.put("starting_kit", qrels=_qrels(d))),
    ("sample-valid", lambda d: _sample(d, b",abstract_id,", b",abstract,")),
    ("sample-valid", lambda d: _sample(d, b",1,", b",one,")),
]


def _fewer_claims(draft: Draft) -> bytes:
    lines = unzipped(draft.files["reference_data.zip"])["claims.csv"].splitlines(keepends=True)
    return b"".join([*lines, b"99999,One claim more.\n"])


def _twice(draft: Draft) -> bytes:
    content = gold_file(draft, "task1_gold.csv")
    return content + content.partition(b"\n")[2]


def _one_task_in(draft: Draft, part: str) -> None:
    set_boards(draft, lambda board: board.update(tasks=["1"]), part)


def _solution() -> dict[str, Any]:
    return {"index": 0, "path": "reference_data.zip", "tasks": [0]}


def _qrels(draft: Draft) -> str:
    """The gold as TREC writes it: claim, 0, abstract, 1 where evidentiary."""
    rows = [
        line.split(",") for line in gold_file(draft, "task1_gold.csv").decode().splitlines()[1:]
    ]
    return "".join(f"{c} 0 {a} {int(not label.startswith('Not'))}\n" for c, a, label in rows)


WARNINGS: list[tuple[str, Callable[[Draft], Any]]] = [
    ("yaml-known", _phase(0, max_submission=3)),
    ("yaml-known", _phase(0, accepts_only_result_submissions=True)),
    ("yaml-keys-once", lambda d: d.text("docker_image:", "docker_image: x\ndocker_image:")),
    ("one-task", lambda d: _two_tasks(d)),
    ("tasks-used", lambda d: d.yaml["tasks"].append({**d.yaml["tasks"][0], "index": 1})),
    ("detailed-results", lambda d: d.yaml.update(enable_detailed_results=False)),
    ("phase-dates-utc", _phase(0, start="2026-01-15 00:00:00+02:00")),
    ("phase-gaps", _phase(1, start="2026-03-01 00:00:00")),
    ("phase-over", lambda d: _past(d)),
    ("phase-time", _phase(0, execution_time_limit=300)),
    ("phase-time", _phase(0, execution_time_limit=3600)),
    ("board-one", lambda d: d.yaml["leaderboards"].append(copy.deepcopy(d.board))),
    ("board-rule", lambda d: d.board.pop("submission_rule")),
    ("column-titles", _column(3, title="Score1.1")),
    ("column-official", lambda d: _swapped(d)),
    ("column-sorting", lambda d: d.board["columns"][3].pop("sorting")),
    ("column-sorting", _column(3, sorting="asc")),
    ("column-precision", lambda d: d.board["columns"][3].pop("precision")),
    ("program-rules", lambda d: d.put("scoring_program", climatecheck__values_dot_py=_old(d))),
    ("files-used", lambda d: d.files.update({"notes.md": b"To do."})),
    ("no-junk", lambda d: d.put("starting_kit", data__Thumbs_dot_db="-")),
    ("page-mark", lambda d: d.files.update({"pages/faq.md": b"\xef\xbb\xbf# FAQ\n"})),
    ("page-line-ends", more_page(b"one\r\ntwo")),
    ("page-dollar", more_page("It costs $5 or $6.")),
    ("page-images", more_page("![plot](images/plot.png)")),
    ("page-images", more_page('<img alt="x" src="plot.png">')),
    ("page-links", more_page("[data](data.md)")),
    ("page-fences", more_page("```{python}\n1\n```")),
    ("page-fences", more_page("```text\n1\n")),
    ("logo-size", lambda d: d.files.update({"logo.png": png_header(32, 32, 6)})),
    ("kit-there", lambda d: d.yaml["phases"][1].pop("starting_kit")),
    ("gold-looked-into", lambda d: d.put("starting_kit", model_dot_bin=b"\0\1\2")),
]


def _old(draft: Draft) -> bytes:
    return unzipped(draft.files["scoring_program.zip"])["climatecheck/values.py"] + b"# older\n"


def _past(draft: Draft) -> None:
    evaluation, afterwards = draft.yaml["phases"]
    evaluation.update(start="2025-01-15 00:00:00", end="2025-02-18 23:59:59")
    afterwards.update(start="2025-02-19 00:00:00")


def _swapped(draft: Draft) -> None:
    columns = draft.board["columns"]
    columns[0]["index"], columns[3]["index"] = 3, 0


def _two_tasks(draft: Draft) -> None:
    draft.yaml["tasks"].append({**draft.yaml["tasks"][0], "index": 1})
    draft.yaml["phases"][0]["tasks"] = [0, 1]
