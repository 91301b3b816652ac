"""Energy and emissions of what runs, measured by CodeCarbon in offline mode if it is installed.

The numbers are written for the competition's fact sheet, under its keys ``energy_kwh`` and
``co2e_kg``.
"""

import importlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KEYS = ("energy_kwh", "co2e_kg")
HOW_TO_INSTALL = "Emissions are not measured: python -m pip install codecarbon"
_SECONDS_BETWEEN_LOOKS = 5


@contextmanager
def measured(out: Path | None, country: str) -> Iterator[None]:
    """Measure the body of a ``with`` statement and write a JSON file.

    Says what was measured, or that nothing could be; a fault of the measuring stops nothing.

    Args:
        out: where to write; None measures nothing.
        country: three letters (ISO 3166-1), for the carbon intensity of its grid.
    """
    tracker = _tracker(country) if out is not None else None
    try:
        yield
    finally:
        if out is not None and tracker is not None:
            facts = _facts(tracker, country)
            out.write_text(json.dumps(facts, indent=2) + "\n", "utf-8")
            print(f"{out}: {facts['energy_kwh']:.3g} kWh, {facts['co2e_kg']:.3g} kg CO2e.")


def _tracker(country: str) -> Any:
    try:
        codecarbon = importlib.import_module("codecarbon")
    except ImportError:
        print(HOW_TO_INSTALL)
        return None
    logging.getLogger("codecarbon").setLevel(logging.CRITICAL)
    tracker = codecarbon.OfflineEmissionsTracker(
        country_iso_code=country.upper(),
        measure_power_secs=_SECONDS_BETWEEN_LOOKS,
        save_to_file=False,
        log_level="critical",
        allow_multiple_runs=True,
    )
    tracker.start()
    return tracker


def _facts(tracker: Any, country: str) -> dict[str, Any]:
    emissions = tracker.stop()
    data = tracker.final_emissions_data
    return {
        "co2e_kg": float(emissions or 0.0),
        "energy_kwh": float(data.energy_consumed),
        "seconds": float(data.duration),
        "country": country.upper(),
        "measured_with": f"codecarbon {data.codecarbon_version}, offline mode",
    }
