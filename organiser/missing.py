"""What an organiser's command says where a library is not installed: words, and no traceback."""

import sys
from types import TracebackType

NOT_INSTALLED = 2
"""The exit code of a command that lacks a library."""

_PACKAGES = {
    "PIL": "Pillow",
    "sklearn": "scikit-learn",
    "Stemmer": "PyStemmer",
    "yaml": "PyYAML",
}
"""Libraries whose name on the package index is not that of their module."""

_OURS = {"baselines", "climatecheck", "organiser"}


def in_words(error: BaseException) -> str:
    """Return what is missing and how to install it; empty for any other fault.

    >>> in_words(ModuleNotFoundError("No module named 'yaml'", name="yaml"))  # doctest: +ELLIPSIS
    'PyYAML is not installed. Install it with: python -m pip install PyYAML (or make setup, ...'
    >>> in_words(ModuleNotFoundError("No module named 'organiser.zip'", name="organiser.zip"))
    ''
    """
    if type(error).__name__ == "MissingLibraryError":  # not imported: it may be what needs one
        return str(error)
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not module or module in _OURS:
        return ""
    package = _PACKAGES.get(module, module)
    return (
        f"{package} is not installed. Install it with: python -m pip install {package}"
        " (or make setup, which installs all that the project uses)"
    )


def speak_in_commands() -> None:
    """Make every ``python -m organiser.…`` say what is missing, and end with code 2.

    A library can be missing before a command has begun, while its modules are imported. So this is
    called by the package itself; where it is imported by anything else, nothing changes.
    """
    if sys.argv[:1] == ["-m"]:  # as long as Python looks for the module that -m names
        sys.excepthook = _said


def _said(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    words = in_words(error)
    if not words:
        sys.__excepthook__(kind, error, traceback)
        return
    print(words, file=sys.stderr)
    raise SystemExit(NOT_INSTALLED)
