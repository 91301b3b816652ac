"""Agreement against independent libraries on random tables, and against published examples."""

import warnings

import krippendorff
import numpy as np
import pytest
from nltk.metrics import masi_distance
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from climatecheck.taxonomy import CODES
from organiser.agreement import alpha as own
from organiser.agreement import annotator_pairs, beside, label_measures, overall, pairs
from organiser.agreement.annotations import NOT_MADE, Annotations
from organiser.agreement.confusions import co_occurrence, confusion
from organiser.agreement.jackknife import estimate, jackknife

SEED = 7


def annotations(marks, made=None, task="2", labels=None):
    marks = np.asarray(marks, dtype=bool)
    made = np.ones(marks.shape[:2], dtype=bool) if made is None else np.asarray(made, dtype=bool)
    items = tuple((str(i),) for i in range(marks.shape[1]))
    names = tuple("ABCDEFGH"[: len(marks)])
    labels = labels or CODES[: marks.shape[2]]
    return Annotations(task, names, items, labels, made, marks & made[..., None])


def random_tables(number, values=2, *, annotators=(2, 5), items=(2, 12), missing=0.25):
    """(annotators, items) values, ``NOT_MADE`` where missing; each item has at least one."""
    random = np.random.default_rng(SEED)
    for _ in range(number):
        shape = random.integers(*annotators, endpoint=True), random.integers(*items, endpoint=True)
        weights = random.dirichlet(np.ones(values))
        table = random.choice(values, size=shape, p=weights)
        table[random.random(shape) < random.choice([0, missing])] = NOT_MADE
        yield table


def theirs(table):
    """Krippendorff's alpha by the library; NaN where it finds none."""
    floats = np.where(table == NOT_MADE, np.nan, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return krippendorff.alpha(reliability_data=floats, level_of_measurement="nominal")
        except ValueError:  # one value in the whole domain, or no pair
            return np.nan


def of_column(table):
    return own.counts((table == 1)[..., None], table != NOT_MADE)


def same(one, other):
    return np.allclose(one, other, atol=1e-9, equal_nan=True)


# --- alpha --------------------------------------------------------------------------------------


def test_alpha_of_decisions_is_that_of_the_library():
    defined = 0
    for table in random_tables(3000):
        value = own.alpha(of_column(table).sum(axis=0))[0]
        assert same(value, theirs(table)), table
        defined += not np.isnan(value)
    assert defined > 2000


def test_alpha_of_several_values_is_that_of_the_library():
    for table in random_tables(1500, values=4):
        value, _ = own.alpha_by_distance(table, own.nominal(4))
        assert same(value, theirs(table)), table


def test_alpha_on_complete_data_follows_from_fleiss_kappa():
    # Both differ in the correction for small samples alone: 1 - alpha = (1 - kappa) (nm - 1) / nm.
    for table in random_tables(500, missing=0):
        counts = np.stack([(table == value).sum(axis=0) for value in (0, 1)], axis=-1)
        with np.errstate(invalid="ignore"):
            kappa = fleiss_kappa(counts)
        expected = 1 - (1 - kappa) * (table.size - 1) / table.size
        value = own.alpha(of_column(table).sum(axis=0))[0]
        if len(np.unique(table)) > 1:
            assert same(value, expected), table
        else:
            assert np.isnan(value)


def nltk_alpha(sets, table):
    rows = [
        (who, item, frozenset(np.flatnonzero(sets[table[who, item]]).tolist()))
        for who, item in np.argwhere(table != NOT_MADE).tolist()
        if (table[:, item] != NOT_MADE).sum() > 1
    ]
    return AnnotationTask(data=rows, distance=masi_distance).alpha()


def test_masi_is_that_of_the_library():
    sets = np.array([[i >> bit & 1 for bit in range(4)] for i in range(1, 16)], dtype=bool)
    members = [frozenset(np.flatnonzero(one).tolist()) for one in sets]
    expected = [[masi_distance(one, other) for other in members] for one in members]
    assert np.allclose(own.masi(sets), expected)


def test_masi_alpha_is_that_of_the_library():
    random = np.random.default_rng(SEED)
    compared = 0
    for table in random_tables(600, values=5):
        sets = random.random((5, 4)) < 0.4
        sets[:, 0] |= ~sets.any(axis=1)
        made = table != NOT_MADE
        table_of = annotations(sets[table], made, labels=("a", "b", "c", "d"))
        value = overall.set_alpha(table_of).value[0]
        pairable = made & (made.sum(axis=0) > 1)
        if len(np.unique(sets[table[pairable]], axis=0)) < 2:
            assert np.isnan(value)
            continue
        assert same(value, nltk_alpha(sets, table)), (sets, table)
        compared += 1
    assert compared > 450


KRIPPENDORFF_2011 = {
    # "Computing Krippendorff's alpha-reliability", its sections A, B and C.
    "two observers, binary": ("0100000010 1110010000", 0.095),
    "two observers, nominal": ("aabbdcccedda babbbccceddd", 0.692),
    "four observers, missing data": (
        "123321412... 1233224125.3 .3332342251. 12332441251.",
        0.743,
    ),
}


@pytest.mark.parametrize("name", KRIPPENDORFF_2011)
def test_worked_examples_of_krippendorff(name):
    text, expected = KRIPPENDORFF_2011[name]
    rows = text.split()
    values = sorted(set("".join(rows)) - {"."})
    table = np.array([[NOT_MADE if c == "." else values.index(c) for c in row] for row in rows])
    value, _ = own.alpha_by_distance(table, own.nominal(len(values)))
    assert round(float(value), 3) == expected
    if len(values) == 2:
        assert round(float(own.alpha(of_column(table).sum(axis=0))[0]), 3) == expected


def test_the_published_table_gives_the_published_overall_values():
    rows = beside.published_table5().values()
    prevalence = np.array([row["prevalence"] for row in rows])
    alphas = np.array([row["alpha"] for row in rows])
    told = beside.overall()
    # Each label has n decisions: D of it is (1 - alpha) n1 n0 / (n - 1), summed over the labels.
    spread = ((1 - alphas) * prevalence * (1 - prevalence)).mean()
    over_all = 1 - spread / (prevalence.mean() * (1 - prevalence.mean()))
    assert over_all == pytest.approx(told["alpha_all_decisions"], abs=0.001)
    weighted = (alphas * prevalence).sum() / prevalence.sum()
    assert weighted == pytest.approx(told["alpha_prevalence_weighted"], abs=0.001)
    assert beside.weighted_without("0_0") == pytest.approx(0.49, abs=0.005)
    assert prevalence[0] / prevalence.sum() == pytest.approx(0.69, abs=0.005)


def test_alpha_over_all_decisions_is_alpha_of_the_flat_table():
    random = np.random.default_rng(SEED)
    for _ in range(200):
        marks = random.random((4, 8, 3)) < 0.3
        made = random.random((4, 8)) < 0.8
        flat = np.where(made[..., None], marks, NOT_MADE).reshape(4, -1)
        value = overall.over_all(annotations(marks, made)).value[0]
        assert same(value, theirs(flat))


def test_weighted_mean_takes_each_label_by_its_prevalence():
    # Label 1: marks 2 of 8, alpha 1. Label 2: 1 - 7 * 1 / (3 * 5) = .5333, marks 3 of 8. Label 3:
    # never marked, no alpha, weight 0. Mean: (2 * 1 + 3 * .5333) / 5 = .72.
    one = [[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]]
    other = [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert overall.weighted(annotations([one, other])).value[0] == pytest.approx(0.72)


# --- pairs of annotators ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_kappa_and_positive_agreement_are_those_of_the_libraries():
    for table in random_tables(600, annotators=(2, 2), items=(2, 15)):
        made = table != NOT_MADE
        both = made.all(axis=0)
        if not both.any():
            continue
        one, other = table[:, both]
        of_pair = annotations((table == 1)[..., None], made)
        summed = pairs.counts(of_pair, (0, 1)).sum(axis=0)
        kappa, positive = pairs.kappa(summed)[0], pairs.positive_agreement(summed)[0]
        if len(set(one) | set(other)) == 1:
            assert np.isnan(kappa)
        else:
            assert same(kappa, cohen_kappa_score(one, other))
            square = np.array([[((one == i) & (other == j)).sum() for j in (0, 1)] for i in (0, 1)])
            assert same(kappa, cohens_kappa(square).kappa)
        if one.any() or other.any():
            assert same(positive, f1_score(one, other))
        else:
            assert np.isnan(positive)


def test_kappa_of_labels_is_that_of_the_library():
    for table in random_tables(500, values=3, annotators=(2, 2), items=(3, 15)):
        one, other = table[:, (table != NOT_MADE).all(axis=0)]
        value = pairs.nominal_kappa(table, (0, 1), 3).value[0]
        if len(set(one) | set(other)) < 2:
            assert np.isnan(value)
        else:
            assert same(value, cohen_kappa_score(one, other))


def test_flat_kappa_is_over_the_items_that_both_annotated():
    random = np.random.default_rng(SEED)
    marks, made = random.random((2, 30, 4)) < 0.3, random.random((2, 30)) < 0.8
    both = made.all(axis=0)
    expected = cohen_kappa_score(marks[0, both].ravel(), marks[1, both].ravel())
    assert same(pairs.flat_kappa(annotations(marks, made), (0, 1)).value[0], expected)


def three_annotators():
    """Label 1 is given by A and B to item 0, by A to item 1; label 2 by nobody but C, to item 2."""
    marks = np.zeros((3, 4, 2), dtype=bool)
    marks[0, [0, 1], 0] = marks[1, 0, 0] = marks[2, 2, 1] = True
    return annotations(marks)


def test_a_mean_over_pairs_says_which_pairs_have_no_value():
    table = three_annotators()
    kappa = pairs.mean_over_pairs(table, pairs.kappa, strict=True)
    # Label 1: A and B: a 1, b 1, d 2: 2 * 2 / (2 * 2 + 1 * 3 + 1) = 2 * 2 / (2 * 3 + 1 * 2) = .5;
    # with C, who never gives it: 0 and 0. Label 2: A and B both never give it.
    assert kappa.estimate.value[0] == pytest.approx(0.5 / 3)
    assert np.isnan(kappa.estimate.value[1])
    assert kappa.undefined.tolist() == [0, 1]
    assert kappa.of_defined[1] == pytest.approx(0.0)
    positive = pairs.mean_over_pairs(table, pairs.positive_agreement, strict=False)
    # Label 1: A and B 2/3, A and C 0, B and C 0. Label 2: A and B no value, else 0.
    assert positive.estimate.value.tolist() == pytest.approx([2 / 9, 0])
    # Pooled: 2 * 1 / (2 * 1 + 1 + 2 + 1).
    assert pairs.pooled_positive_agreement(table).tolist() == pytest.approx([1 / 3, 0])


def test_pairs_without_a_common_item_do_not_count():
    made = [[1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]]
    assert list(pairs.pairs_of(np.array(made, dtype=bool))) == [(0, 1), (1, 2)]


# --- intervals ----------------------------------------------------------------------------------


def brute(measure, marks, made):
    """The jackknife by leaving out each item in turn and computing everything anew."""
    items = marks.shape[1]
    kept = [np.arange(items) != left for left in range(items)]
    values = np.array([measure(annotations(marks[:, k], made[:, k])) for k in kept])
    error = np.sqrt((items - 1) / items * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return error, values


MEASURES = {
    "alpha": lambda table: own.alpha(own.counts(table.marks, table.made).sum(axis=0)),
    "over all": lambda table: overall.over_all(table).value,
    "weighted": lambda table: overall.weighted(table).value,
    "masi": lambda table: overall.set_alpha(table).value,
    "kappa": lambda table: pairs.mean_over_pairs(table, pairs.kappa, strict=True).estimate.value,
    "flat kappa": lambda table: pairs.flat_kappa(table, (0, 1)).value,
    "same answer": lambda table: pairs.same_answer(table, (0, 2)).value,
    "excess": lambda table: annotator_pairs.excess(table, 1).value,
}
INTERVALS = {
    "alpha": lambda table: label_measures.measures(table).alpha,
    "over all": overall.over_all,
    "weighted": overall.weighted,
    "masi": overall.set_alpha,
    "kappa": lambda table: pairs.mean_over_pairs(table, pairs.kappa, strict=True).estimate,
    "flat kappa": lambda table: pairs.flat_kappa(table, (0, 1)),
    "same answer": lambda table: pairs.same_answer(table, (0, 2)),
    "excess": lambda table: annotator_pairs.excess(table, 1),
}


@pytest.mark.parametrize("name", MEASURES)
def test_an_interval_is_that_of_the_jackknife_done_anew(name):
    random = np.random.default_rng(SEED)
    marks, made = random.random((3, 40, 3)) < [0.2, 0.4, 0.5], random.random((3, 40)) < 0.9
    table = annotations(marks, made)
    found = INTERVALS[name](table)
    error, _ = brute(MEASURES[name], table.marks, table.made)
    reach = 2.0226909 * error  # t of 39 degrees of freedom at .975, from a printed table 2.023
    assert np.allclose(found.value, MEASURES[name](table))
    assert np.allclose(found.high, np.minimum(found.value + reach, 1), atol=1e-6)
    assert np.allclose(found.low, np.maximum(found.value - reach, -1), atol=1e-6)


def test_a_jackknifed_mean_has_the_usual_standard_error():
    values = np.array([1.0, 4, 2, 7, 6])
    counts = np.stack([values, np.ones(5)], axis=-1)
    found = jackknife(counts, lambda summed: summed[..., 0] / summed[..., 1], (-99, 99))
    error = values.std(ddof=1) / np.sqrt(5)
    assert found.high[0] - found.value[0] == pytest.approx(2.7764451 * error)  # t of 4 degrees


def test_an_interval_is_refused_where_leaving_out_an_item_loses_the_value():
    marks = np.zeros((4, 20, 2), dtype=bool)
    marks[0, 3, 0] = True  # one annotator, one item: alpha 0, as published for 5_0
    marks[:, 5:7, 1] = True  # perfect agreement on two items
    found = label_measures.measures(annotations(marks))
    assert found.alpha.at(0) == (pytest.approx(0.0), None)
    assert found.alpha.lost.tolist() == [1, 0]
    assert found.alpha.at(1) == (pytest.approx(1.0), None)
    assert found.alpha.still.tolist() == [False, True]
    why = {(label, measure): reason for label, measure, _, reason in label_measures.reasons(found)}
    assert why["0_0", "Alpha"] == "the value itself is lost if one item is left out"
    assert "changes nothing" in why["1_0", "Alpha"]
    assert why["0_0", "Kappa"].startswith("in 3 of 6 pairs both annotators give it to none")


def test_resamples_that_lose_a_rare_label():
    marks = np.zeros((4, 1000, 2), dtype=bool)
    marks[0, 0, 0] = True
    marks[0, :30, 1] = True
    lost = label_measures.measures(annotations(marks)).lost
    assert lost[0] == pytest.approx(np.exp(-1), abs=0.001)
    assert lost[1] < 1e-12


def test_one_item_has_no_interval():
    found = estimate(np.array(0.5), np.array([np.nan]))
    assert np.isnan(found.low[0]) and np.isnan(found.high[0])


# --- counts of Table 5 --------------------------------------------------------------------------


def test_number_and_prevalence_are_over_the_decisions_made():
    # A gives label 1 to items 0 and 1, B to item 0 and has not annotated item 2: 3 of 5 decisions.
    marks = [[[1], [1], [0]], [[1], [0], [0]]]
    made = [[1, 1, 1], [1, 1, 0]]
    found = label_measures.measures(annotations(marks, made))
    assert found.number.value[0] == 2
    assert found.prevalence.value[0] == pytest.approx(3 / 5)


def test_a_label_that_nobody_gives_is_undefined_and_says_so():
    found = label_measures.measures(annotations(np.zeros((2, 5, 1))))
    values = (found.alpha, found.kappa.estimate, found.positive.estimate)
    assert all(np.isnan(made.value[0]) for made in values)
    assert found.prevalence.value[0] == 0.0
    reasons = [reason for *_, reason in label_measures.reasons(found)]
    assert "it is given to no item that has two annotations" in reasons


def test_without_a_second_annotation_nothing_is_agreement():
    table = annotations(np.eye(2)[:, :, None], np.eye(2))
    found = label_measures.measures(table)
    reasons = {measure: reason for _, measure, _, reason in label_measures.reasons(found)}
    assert reasons["Alpha"] == "no item has two annotations"
    assert reasons["Kappa"] == "no two annotators have an item in common"
    assert np.isnan(overall.over_all(table).value[0])


def test_groups_are_marked_if_one_of_their_codes_is():
    marks = np.zeros((2, 1, len(CODES)), dtype=bool)
    marks[0, 0, CODES.index("2_1")] = marks[1, 0, CODES.index("2_0")] = True
    grouped = annotations(marks).grouped()
    assert grouped.labels == ("0", "1", "2", "3", "4", "5")
    assert grouped.marks[:, 0].tolist() == [[False, False, True, False, False, False]] * 2


# --- confusions, bias ---------------------------------------------------------------------------


def test_confusion_sets_labels_of_annotators_who_differ_against_each_other():
    # Item 0: A gives 1, B gives 2. Item 1: both give 1. Item 2: A gives 1 and 2, B gives 1.
    marks = [[[1, 0], [1, 0], [1, 1]], [[0, 1], [1, 0], [1, 0]]]
    assert confusion(annotations(marks)).tolist() == [[4, 1, 0], [1, 0, 1]]


def test_confusion_leaves_out_items_that_one_has_not_annotated():
    marks = [[[1, 0], [1, 0]], [[0, 1], [0, 0]]]
    assert confusion(annotations(marks, [[1, 1], [1, 0]])).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_co_occurrence_counts_annotations():
    marks = [[[1, 1], [1, 0]], [[1, 0], [0, 0]]]
    assert co_occurrence(annotations(marks)).tolist() == [[3, 1], [1, 1]]


def test_excess_is_against_the_others_on_the_same_items():
    # Item 0: A gives 2 labels, B 1, C none. Item 1: A 1, B 1. Item 2: A alone.
    marks = [[[1, 1], [1, 0], [1, 1]], [[1, 0], [1, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]]]
    made = [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    every = np.ones(2, dtype=bool)
    found = annotator_pairs.excess(annotations(marks, made), 0, every)
    assert found.value[0] == pytest.approx(((2 - 0.5) + (1 - 1)) / 2)
    by_label = annotator_pairs.excess(annotations(marks, made), 0)
    assert by_label.value.tolist() == pytest.approx([(0.5 + 0) / 2, (1 + 0) / 2])
