"""The sample systems: valid, different, and the same each time."""

import pytest

from climatecheck import read_claims, read_gold, read_submission, score
from climatecheck.scoring import Scores
from organiser.analysis.sample_systems import SYSTEMS, sample_submissions
from organiser.editions import Edition, OrganiserError, edition


@pytest.fixture(scope="module")
def samples() -> dict[str, bytes]:
    return sample_submissions(edition())


@pytest.fixture(scope="module")
def scored(samples, tmp_path_factory) -> dict[str, Scores]:
    folder, data = tmp_path_factory.mktemp("samples"), edition()
    claims = read_claims(data.input_data / "claims.csv")
    made = {}
    for name, content in samples.items():
        path = folder / f"{name}.zip"
        path.write_bytes(content)
        submission = read_submission(path, claims)
        assert submission.problems == (), name
        made[name] = score(submission, read_gold(data.reference_data, claims))
    return made


def test_they_enter_each_task_and_some_enter_one_alone(scored):
    tasks = [scores.tasks for scores in scored.values()]
    assert len(tasks) >= 5
    assert ("1.1",) in tasks and ("2",) in tasks
    for task in ("1.1", "1.2", "2"):
        assert sum(task in entered for entered in tasks) >= 4


def test_no_two_score_the_same(scored):
    boards = {tuple(scores.board.values()) for scores in scored.values()}
    assert len(boards) == len(scored)


def test_they_are_the_same_each_time(samples):
    assert sample_submissions(edition()) == samples


def test_their_names_say_what_they_are():
    assert all(name.startswith("Sample ") for name in SYSTEMS)


def test_an_edition_without_abstracts_is_said_in_words(tmp_path):
    data = edition()
    with pytest.raises(OrganiserError, match="The sample systems need"):
        sample_submissions(Edition(data.input_data, data.reference_data, tmp_path))
