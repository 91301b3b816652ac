"""The sections that the analyses of section 8 return: whole, honest about gaps, and legible."""

import io
from itertools import combinations

import matplotlib.style
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from organiser.analysis import published, section8
from organiser.reporting import drawing
from organiser.reporting.parts import Picture, Table
from tests.section8_example import (
    LONG_NAMES,
    evaluation,
    paper_size_gold,
    sample_gold,
    system,
    with_systems,
)


@pytest.fixture(scope="module")
def sample():
    return with_systems(sample_gold(), 4)


@pytest.fixture(scope="module")
def real_size():
    return with_systems(paper_size_gold(), 8)


@pytest.fixture(params=["sample", "real_size"])
def shown(request):
    return request.getfixturevalue(request.param)


def parts_of(made, kind):
    return [part for section in made for part in section.parts if isinstance(part, kind)]


def notes_of(made):
    return [note for part in parts_of(made, (Table, Picture)) for note in part.notes]


def test_tables_are_whole_and_files_have_names_of_their_own(shown):
    made = section8.sections(shown)
    for table in parts_of(made, Table):
        assert {len(row) for row in table.rows} <= {len(table.columns)}, table.name
        names = [column.name or column.title for column in table.columns]
        assert len(set(names)) == len(names), table.name
    every = [part.name for part in parts_of(made, (Table, Picture))]
    assert {part.name for part in parts_of(made, Picture)} >= {
        "figure2", "figure4", "figure5", "confusion"
    }  # fmt: skip
    of_kind = [(type(part), part.name) for part in parts_of(made, (Table, Picture))]
    assert len(set(of_kind)) == len(every)


def test_no_cell_is_nan(shown):
    for table in parts_of(section8.sections(shown), Table):
        for row in table.rows:
            assert not any(isinstance(cell, float) and np.isnan(cell) for cell in row), table.name


def test_a_dash_has_a_reason(shown):
    for table in parts_of(section8.sections(shown), Table):
        if any(None in row for row in table.rows if "Published" not in str(row[0])):
            assert any(note.startswith("A dash: ") for note in table.notes), table.name


def test_published_figures_stand_beside_data_of_their_size_alone(sample, real_size):
    def told(made):
        return [note for note in notes_of(made) if note.startswith("Published in 2026")]

    assert not told(section8.sections(sample))
    found = told(section8.sections(real_size))
    assert "Published in 2026: 1 zero, 137 below half, 25 half or more." in found
    assert "Published in 2026, exact: majority vote 0.843, best system 0.855." in found
    assert "Published in 2026: rho 1.0, n = 4." in found
    assert "Published in 2026: 7 claims missed by all systems." in found


def test_published_shares_of_predictions_are_a_row_beside_ours(real_size):
    (table,) = [t for t in parts_of(section8.sections(real_size), Table) if t.name == "outcomes"]
    assert table.rows[-1] == ("Published in 2026, pooled", None, 0.809, 0.035, 0.156, 0.81,
                              0.048, 0.006)  # fmt: skip
    assert any("0.156 / (0.035 + 0.156) = 0.817" in note for note in table.notes)


def test_the_sign_of_the_real_size_is_figure_2():
    assert published.has_real_size(paper_size_gold())
    assert not published.has_real_size(sample_gold())


def test_without_any_system_each_section_says_so():
    made = section8.sections(evaluation(sample_gold()))
    assert not parts_of(made, (Table, Picture))
    assert all(section.prose for section in made)


def test_teams_that_entered_some_tasks_are_in_the_tables_of_these_alone():
    gold = sample_gold()
    retrieval = system(gold, "retrieval team", 0.6, 1, tasks=("1.1",))
    narratives = system(gold, "narrative team", 0.6, 2, tasks=("2",))
    made = section8.sections(evaluation(gold, retrieval, narratives))
    tables = {table.name: table for table in parts_of(made, Table)}
    assert "confusion" not in tables
    assert "figure5" not in tables
    for name, team in (("table6_recall", "retrieval team"), ("outcomes", "narrative team")):
        heads = [row[0] for row in tables[name].rows]
        assert team in heads
        assert not {"retrieval team", "narrative team"} - {team} & set(heads)


def test_one_label_has_no_rank_correlation(sample):
    """In the sample edition only 0_0 has more than three claims."""
    made = section8.sections(sample)
    (table,) = [t for t in parts_of(made, Table) if t.name == "figure4_correlation"]
    assert [row[1:] for row in table.rows] == [(1, None, None)] * 5
    assert "A dash: rho needs two labels and values that are not all the same." in table.notes


@pytest.fixture
def texts_of(monkeypatch):
    """Draw a picture; return the page, and each text that is drawn with its box."""
    drawn = []
    draw = Text.draw

    def recorded(text, renderer):
        drawn.append(text)
        draw(text, renderer)

    def texts(picture):
        drawn.clear()
        with matplotlib.style.context(drawing.STYLE):
            figure = Figure(figsize=picture.inches)
            picture.draw(figure)
            FigureCanvasAgg(figure).draw()
        said = {id(text): text for text in drawn if text.get_text().strip()}.values()
        return figure.bbox, [(text.get_text(), text.get_window_extent()) for text in said]

    monkeypatch.setattr(Text, "draw", recorded)
    return texts


@pytest.mark.parametrize("systems", [1, 8, 10])
def test_no_text_of_a_figure_covers_another_or_leaves_the_page(systems, texts_of):
    made = section8.sections(with_systems(paper_size_gold(), systems))
    for picture in parts_of(made, Picture):
        page, boxes = texts_of(picture)
        assert len(boxes) > 3
        for said, box in boxes:
            assert box.x0 > page.x0 - 1 and box.x1 < page.x1 + 1, (picture.name, said)
            assert box.y0 > page.y0 - 1 and box.y1 < page.y1 + 1, (picture.name, said)
        for (one, box), (other, beside) in combinations(boxes, 2):
            wide = min(box.x1, beside.x1) - max(box.x0, beside.x0)
            high = min(box.y1, beside.y1) - max(box.y0, beside.y0)
            assert wide < 1.5 or high < 1.5, (picture.name, one, other)


def test_a_figure_has_the_same_bytes_each_time(sample):
    def drawn(picture):
        file = io.BytesIO()
        with matplotlib.style.context(drawing.STYLE):
            figure = Figure(figsize=picture.inches)
            picture.draw(figure)
            figure.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()

    for picture in parts_of(section8.sections(sample), Picture):
        assert drawn(picture) == drawn(picture)
        assert picture.described


def test_names_in_a_figure_are_distinct_short_and_no_formulas():
    names = drawing.shown([*LONG_NAMES, "x" * 200, "x" * 300, "$\\frac{"])
    assert len(set(names)) == len(names)
    assert max(len(name.replace("\\$", "$").strip()) for name in names) <= drawing.NAME_WIDTH
    assert all("$" not in name.replace("\\$", "") for name in names)
    assert not any(name.startswith("_") for name in names)


def test_colours_of_the_style_stay_apart_for_colour_blind_readers():
    """The cycle is Okabe and Ito's (2008), without its yellow."""
    with matplotlib.style.context(drawing.STYLE):
        cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    okabe_ito = {"0072B2", "D55E00", "009E73", "CC79A7", "E69F00", "56B4E9", "000000"}
    assert {tone.lstrip("#") for tone in cycle} == okabe_ito
    assert drawing.colour(len(cycle)) == "C0"
