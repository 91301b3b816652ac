"""The narrative taxonomy of task 2: the codes, their names and their groups.

A code is ``group_member``. ``0_0`` says that no disinformation narrative was detected; ``X_0`` is
the general code of group X; ``X_k`` is a sub-narrative (CARDS, Coan et al. 2021, as extended for
the shared task).
"""

NO_NARRATIVE = "0_0"
"""The code of a claim in which no disinformation narrative was detected."""

GROUPS = {
    "0": "No disinformation narrative detected",
    "1": "Global warming is not happening",
    "2": "Human greenhouse gases are not causing climate change",
    "3": "Climate impacts/global warming is beneficial/not bad",
    "4": "Climate solutions won't work",
    "5": "Climate movement/science is unreliable",
}

NARRATIVES = {
    "0_0": "No disinformation narrative detected",
    "1_0": "Global warming is not happening (general)",
    "1_1": "Ice/permafrost/snow cover isn't melting",
    "1_2": "We're heading into an ice age/global cooling",
    "1_3": "Weather is cold/snowing",
    "1_4": "Climate hasn't warmed over the last decade(s)",
    "1_5": "Oceans are cooling/not warming",
    "1_6": "Sea level rise is exaggerated/not accelerating",
    "1_7": "Extreme weather isn't increasing/not linked to CC",
    "1_8": "Changed name from 'global warming' to 'climate change'",
    "2_0": "Human GHGs are not causing CC (general)",
    "2_1": "It's natural cycles/variation",
    "2_2": "Non-GHG human forcings (aerosols, land use)",
    "2_3": "No evidence for GHG effect driving climate change",
    "2_4": "CO2 is not rising/ocean pH is not falling",
    "2_5": "Human CO2 emissions are miniscule",
    "3_0": "Climate impacts are beneficial/not bad (general)",
    "3_1": "Climate sensitivity is low/negative feedbacks",
    "3_2": "Species/ecosystems aren't impacted/are benefiting",
    "3_3": "CO2 is beneficial/plant food",
    "3_4": "It's only a few degrees (or less)",
    "3_5": "CC doesn't contribute to conflict/threaten security",
    "3_6": "CC doesn't negatively impact health",
    "4_0": "Climate solutions won't work (general)",
    "4_1": "Climate policies are harmful",
    "4_2": "Climate policies are ineffective/flawed",
    "4_3": "Too hard to solve (politically/economically/technically)",
    "4_4": "Clean energy/biofuels won't work",
    "4_5": "People need energy from fossil fuels/nuclear",
    "5_0": "Climate movement/science is unreliable (general)",
    "5_1": "Science is uncertain/unsound (data, methods, models)",
    "5_2": "Climate movement is alarmist/political/biased",
    "5_3": "Climate change is a conspiracy",
}

CODES = tuple(NARRATIVES)
"""All codes, in the order of every indicator matrix."""


def group_of(code: str) -> str:
    """Return the group of a code.

    >>> group_of("2_1")
    '2'
    """
    return code.split("_")[0]


def is_general(code: str) -> bool:
    """Return whether a code is the general one of its group (``X_0``, but not ``0_0``).

    >>> is_general("2_0"), is_general("2_1"), is_general("0_0")
    (True, False, False)
    """
    return code.endswith("_0") and code != NO_NARRATIVE


def nodes_of(code: str) -> tuple[str, ...]:
    """Return the nodes of the hierarchy that a code stands for: itself and its ancestors.

    The root is left out; ``X_0`` is the node of group X itself, and ``0_0`` is one node.

    >>> nodes_of("2_1"), nodes_of("2_0"), nodes_of("0_0")
    (('2', '2_1'), ('2',), ('0',))
    """
    group = group_of(code)
    return (group,) if code == NO_NARRATIVE or is_general(code) else (group, code)
