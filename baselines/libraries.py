"""Heavy libraries, imported only where they are used, so that the rest works without them."""

import importlib
from typing import Any

from baselines.plain import MissingLibraryError

__all__ = ["MissingLibraryError", "load"]

_PACKAGES = {"Stemmer": "PyStemmer", "sklearn": "scikit-learn"}
"""Libraries whose name on the package index is not that of their module."""


def load(module: str, *, extra: str) -> Any:
    """Import a module by its name, such as ``sklearn.linear_model``.

    Args:
        module: the module.
        extra: the optional part of this project that declares its library, for the message.

    Raises:
        MissingLibraryError: if it is not installed; says what to install.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        library = module.split(".")[0]
        if (error.name or "").split(".")[0] != library:
            raise
        package = _PACKAGES.get(library, library)
        raise MissingLibraryError(
            f"{package} is not installed. Install it with: python -m pip install {package} "
            f"(the project's extra [{extra}] holds it too)"
        ) from error
