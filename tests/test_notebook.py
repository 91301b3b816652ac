"""The notebook of the kit: committed without outputs, and run as a participant would."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from climatecheck import read_claims, read_submission
from organiser.build import piece
from organiser.editions import ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NAME = "climatecheck.ipynb"
PICTURES = 3


def test_it_is_committed_without_outputs() -> None:
    notebook = nbformat.read(ROOT / "starting_kit" / NAME, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) == 8
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    raw = json.loads((ROOT / "starting_kit" / NAME).read_text("utf-8"))
    assert set(raw["metadata"]) == {"kernelspec", "language_info"}  # nothing of a machine


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_runs_in_the_kit_and_makes_a_file_that_is_accepted(tmp_path: Path) -> None:
    kit = tmp_path / "starting kit"
    with zipfile.ZipFile(BytesIO(piece("starting_kit"))) as archive:
        archive.extractall(kit)
    notebook = nbformat.read(kit / NAME, as_version=4)
    resources = {"metadata": {"path": str(kit)}}
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=resources
    )
    client.execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    pictures = [out for out in outputs if "image/png" in out.get("data", {})]
    assert len(pictures) == PICTURES
    text = "".join(out.text for out in outputs if out.output_type == "stream")
    assert text.count("accepted ('1.1', '1.2', '2')") == 2
    assert "synthetic" in text.lower()
    claims = read_claims(kit / "claims.csv")
    made = read_submission(kit / "predictions.zip", claims)
    assert made.valid
    assert made.tasks == ("1.1", "1.2", "2")
