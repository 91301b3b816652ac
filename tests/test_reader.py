"""The reader: what is accepted, what is refused, and that no input at all ends in a traceback."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from climatecheck import edition, problem_table, taxonomy, values
from climatecheck.problems import Problem
from climatecheck.submission import read_submission
from climatecheck.summary import understood
from climatecheck.tables import Claims, Submission

CLAIMS = Claims(("1", "2", "3", "12"), ("a", "b", "c", "d"), frozenset({"3"}))


def read(
    folder: Path, text: str | bytes, name: str = "predictions.csv", **options: object
) -> Submission:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_submission(path, CLAIMS, **options)  # type: ignore[arg-type]


def codes(problems: tuple[Problem, ...]) -> set[str]:
    return {problem.code for problem in problems}


def test_tables_of_a_file_with_both_tasks(tmp_path: Path) -> None:
    submission = read(
        tmp_path,
        "claim_id,abstract_id,rank,label,narrative\n"
        "2,7,2,NEI,\n"
        "2,9,1,Supports,1_1;2_1\n"
        "1,5,0,refutes,0_0\n",
    )
    run, narratives = submission.task1, submission.task2
    assert run is not None and narratives is not None
    assert run.claim.tolist() == [0, 1, 1]
    assert run.abstract.tolist() == [5, 9, 7]
    assert run.position.tolist() == [1, 1, 2]
    assert run.label.tolist() == [1, 0, 2]
    assert run.line.tolist() == [4, 3, 2]
    assert run.has_labels and submission.tasks == ("1.1", "1.2", "2")
    named = [[taxonomy.CODES[i] for i in np.flatnonzero(row)] for row in narratives.codes]
    assert dict(zip(narratives.claim.tolist(), named, strict=True)) == {
        0: ["0_0"],
        1: ["1_1", "2_1"],
    }


def test_rows_of_task_2_stand_beside_rows_of_task_1(tmp_path: Path) -> None:
    submission = read(
        tmp_path, "claim_id,abstract_id,rank,label,narrative\n1,5,1,,\n1,,,,1_1\n2,,,,0_0\n"
    )
    assert submission.task1 is not None and submission.task2 is not None
    assert submission.task1.claim.tolist() == [0] and not submission.task1.has_labels
    assert submission.task2.claim.tolist() == [0, 1]
    assert "W-NARRATIVE-PARTIAL" not in codes(submission.problems)


def test_two_lists_are_interleaved_for_an_id_with_two_texts(tmp_path: Path) -> None:
    submission = read(
        tmp_path,
        "claim_id,abstract_id,rank,label,narrative\n"
        "3,10,1,Supports,1_1\n3,11,2,Refutes,1_1\n"
        "3,20,1,NEI,2_1\n3,10,2,Refutes,2_1\n",
    )
    run = submission.task1
    assert run is not None and submission.task2 is not None
    # by rank, then by abstract: 10 and 20 at rank 1, (again) 10 and 11 at rank 2; the repeat goes
    assert run.abstract.tolist() == [10, 20, 11]
    assert run.position.tolist() == [1, 2, 3]
    assert run.label.tolist() == [0, 2, 1]
    assert submission.task2.codes.sum() == 2
    assert {"W-TWO-LISTS", "W-NARRATIVES-UNITED"} <= codes(submission.problems)


def test_a_third_list_is_refused_for_an_id_with_two_texts(tmp_path: Path) -> None:
    submission = read(tmp_path, "claim_id,abstract_id,rank\n3,10,1\n3,11,1\n3,12,1\n")
    assert "E-DUPLICATE-RANK" in codes(submission.problems)


@pytest.mark.parametrize(("none", "bare"), [("0_0", "0"), ("5_3", "5")])
def test_the_bare_group_stands_for_no_narrative_and_no_other_text_does(
    none: str, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taxonomy, "NO_NARRATIVE", none)
    for text in ("0", "1", "5"):
        position = taxonomy.CODES.index(none)
        assert values.codes_of(text).value == ((position,) if text == bare else None)


def test_what_was_understood_is_told_of_one_and_of_many(tmp_path: Path) -> None:
    header = "claim_id,abstract_id,rank,narrative\n"
    one = read(tmp_path, header + "1,5,1,1_1\n")
    assert understood(one)[:2] == [
        "Task 1: 1 row without labels, for 1 of 4 claims.",
        "Task 2: 1 narrative code, for 1 of 4 claims.",
    ]
    many = read(tmp_path, header + "1,5,1,1_1;2_1\n2,5,1,\n")
    assert understood(many)[:2] == [
        "Task 1: 2 rows without labels, for 2 of 4 claims.",
        "Task 2: 2 narrative codes, for 2 of 4 claims.",
    ]


def test_a_duplicate_pair_names_both_lines(tmp_path: Path) -> None:
    submission = read(tmp_path, "claim_id,abstract_id,rank\n12,4711,1\n12,8,2\n12,4711,3\n")
    assert submission.problems[0].message == (
        "E-DUPLICATE-PAIR  predictions.csv line 4: abstract 4711 is listed twice for claim 12"
        " (first on line 2). List each abstract once per claim."
    )
    assert submission.task1 is None


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    submission = read(
        tmp_path,
        "claim_id,abstract_id,rank,label,narrative\n"
        "99,5,1,Supports,1_1\n1,5,x,Supports,1_1\n1,-4,2,Supports,1_1\n2,6,1,perhaps,9_9\n",
    )
    assert codes(submission.problems) >= {
        "E-UNKNOWN-CLAIM",
        "E-RANK",
        "E-ABSTRACT-ID",
        "E-LABEL",
        "E-NARRATIVE",
    }


@pytest.mark.parametrize(
    "form",
    [
        "claim_id,abstract_id,rank\n1,5,1\n1,6,2\n",
        "claim_id\tabstract_id\trank\r\n1\t5\t1\r\n1\t6\t2\r\n",
        "Rank;ABSTRACT ID;claim-id\n1;5.0;1.0\n2;6;1\n",
        "﻿claim_id,abstract_id,rank\n1,6,4\n1,5,0\n",
        '"claim_id","abstract_id","rank"\n"1","5","1"\n"1"," 6 ","2"\n\n,,\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_same_run_in_many_forms(tmp_path: Path, form: str, encoding: str) -> None:
    submission = read(tmp_path, form.encode(encoding))
    run = submission.task1
    assert run is not None, [problem.message for problem in submission.problems]
    assert run.claim.tolist() == [0, 0]
    assert run.abstract.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [(("1",), ("1.1", "1.2")), (("2",), ("2",)), (("1", "2"), ("1.1", "1.2", "2"))],
)
def test_a_board_of_one_task_ignores_the_other(
    tmp_path: Path, tasks: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    text = "claim_id,abstract_id,rank,label,narrative\n1,5,1,Supports,1_1\n"
    submission = read(tmp_path, text, tasks=tasks)
    assert submission.tasks == expected
    assert ("W-OTHER-TASK" in codes(submission.problems)) == (len(tasks) == 1)


def test_a_file_for_the_other_task_alone_is_refused(tmp_path: Path) -> None:
    narratives = read(tmp_path, "claim_id,narrative\n1,0_0\n", tasks=("1",))
    assert codes(narratives.problems) == {"E-OTHER-TASK"}
    run = read(tmp_path, "claim_id,abstract_id,rank\n1,5,1\n", tasks=("2",))
    assert codes(run.problems) == {"E-OTHER-TASK"}


def test_faults_of_the_task_that_is_not_scored_do_not_matter(tmp_path: Path) -> None:
    text = "claim_id,abstract_id,rank,label,narrative\n1,5,1,perhaps,1_1\n"
    assert read(tmp_path, text, tasks=("2",)).valid
    assert not read(tmp_path, text, tasks=("1",)).valid


def test_every_kind_of_problem_is_in_the_table_once() -> None:
    kinds = [kind for kind in vars(problem_table).values() if hasattr(kind, "mend")]
    assert len(kinds) == len(problem_table.KINDS) > 50
    for kind in kinds:
        assert kind.code[:2] in {"E-", "W-"} and kind.mend.endswith(".")
        assert not kind.one.endswith(".") and not kind.many.endswith(".")


_CELL = st.one_of(
    st.sampled_from(["1", "2", "12", "0", "1.0", "", " ", "-1", "1e5", "Supports", "NEI", "0_0"]),
    st.sampled_from(["1_1;2_1", "['1_1']", "[", "nan", '"', "\r", "\n", "\x00", "\ud7ff", "٣"]),
    st.text(max_size=8),
)
_HEADER = st.sampled_from(["claim_id", "abstract_id", "rank", "label", "narrative", "", "Rank "])
_TABLES = st.builds(
    lambda separator, header, rows: "\n".join(
        separator.join(row) for row in [header, *rows]
    ).encode("utf-8", "surrogatepass"),
    st.sampled_from([",", ";", "\t"]),
    st.lists(_HEADER, max_size=6),
    st.lists(st.lists(_CELL, max_size=6), max_size=8),
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.one_of(st.binary(max_size=300), _TABLES), zipped=st.booleans())
def test_any_bytes_get_a_verdict(tmp_path: Path, data: bytes, zipped: bool) -> None:
    path = tmp_path / ("upload.zip" if zipped else "predictions.csv")
    if zipped:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("predictions.csv", data)
        path.write_bytes(buffer.getvalue())
    else:
        path.write_bytes(data)
    submission = read_submission(path, CLAIMS)
    assert submission.valid == (submission.task1 is not None or submission.task2 is not None)
    for problem in submission.problems:
        assert problem.message.isprintable() and len(problem.message) < 2000


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=400))
def test_any_bytes_called_a_zip_get_a_verdict(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "upload.zip"
    path.write_bytes(data)
    assert not read_submission(path, CLAIMS).valid


def test_a_cell_of_the_greatest_length_is_read_and_a_longer_one_refused(tmp_path: Path) -> None:
    head = "claim_id,abstract_id,rank,note\n1,5,1,"
    fits = read(tmp_path, head + "x" * edition.MAX_CELL_CHARACTERS + "\n")
    assert fits.valid
    longer = read(tmp_path, head + "x" * (edition.MAX_CELL_CHARACTERS + 1) + "\n")
    assert codes(longer.problems) == {"E-CELL-TOO-LONG"}


def test_the_quick_way_through_a_large_table_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        f"{c},{a},{a},{label},0_0" for c in (12, 2, 1) for a, label in enumerate(["NEI", "NEI"])
    ]
    texts = [
        "claim_id,abstract_id,rank,label,narrative\n" + "\n".join(rows) + "\n",
        "narrative\tclaim_id\tnote\n1_1,2_1\t1\té\n0\t9\tx\n",
        "claim_id,abstract_id,rank\n1,7.0,1\n1, 8,x\n1,8,\n",
        "claim_id,abstract_id,rank\n1,7,1\n,,\n , , \n",
        "claim_id,abstract_id,rank\r\n1,7,1\r\n1,8,2\r\n",
        "claim_id,abstract_id,rank\n1,7,1\n\u00a0,\u00a0,\n1,8,2\n",
        "claim_id,abstract_id,rank\n1,7,1\nclaim_id,abstract_id,rank\n1,8,2\n",
        "\nclaim_id,abstract_id,rank\n1,7,1\n",
        "thema,rang,punkte\n" + "1,7,1\n" * 2000,
    ]
    for text in texts:
        careful = read(tmp_path, text)
        monkeypatch.setattr("climatecheck.bulk.WORTHWHILE_BYTES", 0)
        quick = read(tmp_path, text)
        monkeypatch.undo()
        assert quick.problems == careful.problems
        for table in ("task1", "task2"):
            one, other = getattr(quick, table), getattr(careful, table)
            assert (one is None) == (other is None)
            if one is not None:
                for name, value in vars(one).items():
                    assert np.array_equal(value, getattr(other, name)), name
