"""The settings of a chat endpoint, from the environment and a settings file.

The environment wins over the file: ``CLIMATECHECK_CHAT_MODEL`` over ``model``, and so on for every
setting. The key stands in the environment alone, so that no file holds it.
"""

import importlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit, urlunsplit

from climatecheck.tables import Json

PREFIX = "CLIMATECHECK_CHAT_"
KEY_VARIABLE = f"{PREFIX}KEY"
_KEY_NAMES = ("key", "api_key")
_SECRET = re.compile(
    r"api.?key|secret|passw|authori[sz]|credential|bearer|(key|token)$", re.IGNORECASE
)
_NO_SECRETS = frozenset({"prompt_cache_key"})
_DECISIVE = ("model", "temperature", "seed", "max_tokens", "structured", "extra")


class SettingsError(ValueError):
    """Settings cannot be used; the message names the setting and where it was read."""


@dataclass(frozen=True)
class ChatSettings:
    """How and how much to ask.

    Attributes:
        model: the model's name at the server.
        base_url: the server's address, such as ``http://localhost:8000/v1``.
        key: the API key; never shown, stored or sent anywhere but to the server.
        temperature: of sampling; None leaves it to the server.
        seed: of sampling; None leaves it to the server.
        max_tokens: most tokens of an answer; None leaves it to the server.
        structured: whether to send a request's schema (dropped if the server refuses it).
        extra: more fields of the request's body, such as ``{"top_p": 0.9}``; they are stored and
            shown, so none may be named like a secret.
        concurrency: most calls in flight.
        requests_per_minute: most calls begun a minute, evenly spaced; None sets no limit.
        timeout_seconds: most seconds a call may take as a whole.
        connect_seconds: most seconds until the connection stands.
        max_attempts: most calls for a request; being told to wait (429) does not count.
        backoff_seconds, backoff_most_seconds: the pause before a second attempt, doubled for each
            further one, and its maximum; a random part of up to a half is taken off.
        patience_seconds: most seconds from the first time that a request is told to wait.
        give_up_after: after how many failed requests in a row, refused ones too, the run stops.
        budget_calls: most calls of a run; None sets no limit.
        budget_tokens: tokens of a run after which no call begins; calls in flight still end.
            Estimated where the server counts none.
    """

    model: str
    base_url: str
    key: str = field(default="", compare=False)
    temperature: float | None = 0.0
    seed: int | None = 0
    max_tokens: int | None = 2_048
    structured: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 8
    requests_per_minute: float | None = None
    timeout_seconds: float = 180.0
    connect_seconds: float = 10.0
    max_attempts: int = 6
    backoff_seconds: float = 1.0
    backoff_most_seconds: float = 60.0
    patience_seconds: float = 1_800.0
    give_up_after: int = 20
    budget_calls: int | None = None
    budget_tokens: int | None = None

    def __post_init__(self) -> None:
        if not self.model:
            raise SettingsError(f"no model is named; {PREFIX}MODEL or the settings file names it")
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(
                f"base_url should be an address such as http://localhost:8000/v1, "
                f"found “{_bare(self.base_url)}” ({PREFIX}BASE_URL or the settings file gives it)"
            )
        if not self.key.isascii() or not self.key.isprintable():
            raise SettingsError("the key holds characters that no key can have")
        secret = _secret_name(self.extra)
        if secret is not None:
            raise SettingsError(
                f"extra holds “{secret}”, which looks like a secret; extra is stored and shown, so "
                f"give the key in the environment ({KEY_VARIABLE})"
            )
        positive = ("concurrency", "requests_per_minute", "timeout_seconds", "connect_seconds")
        for name in (*positive, "max_attempts", "give_up_after", "max_tokens"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SettingsError(f"{name} should be above 0, found {value}")
        for name in ("temperature", "backoff_seconds", "budget_calls", "budget_tokens"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise SettingsError(f"{name} should be 0 or more, found {value}")

    @classmethod
    def read(
        cls,
        path: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        **given: Any,
    ) -> "ChatSettings":
        """Read settings: ``given`` first, then the environment, then the file, then the defaults.

        The key comes from ``CLIMATECHECK_CHAT_KEY``, or from the variable that the file names as
        ``key_variable``. A server that needs none gets a placeholder.

        Args:
            path: a ``.yaml``, ``.yml``, ``.toml`` or ``.json`` file of settings by name.
            environment: the environment; the process's own unless given.
            given: settings by name.

        Raises:
            SettingsError: if the file cannot be read, a name is unknown, a value has the wrong
                type or is out of range, or the file holds a key.
        """
        environment = os.environ if environment is None else environment
        in_file = _file(Path(path)) if path else {}
        variable = str(in_file.pop("key_variable", KEY_VARIABLE))
        if not variable.isidentifier():  # not shown: it may be the key itself
            raise SettingsError(f"{path}: key_variable should name a variable of the environment")
        if not in_file.keys().isdisjoint(_KEY_NAMES):
            raise SettingsError(
                f"{path}: take the key out of the file; it is read from the environment "
                f"({KEY_VARIABLE}), and key_variable may name another variable"
            )
        values = {name: _typed(name, value, str(path)) for name, value in in_file.items()}
        for name in _KINDS:
            text = environment.get(f"{PREFIX}{name.upper()}")
            if text:
                values[name] = _typed(name, _from_text(name, text), f"{PREFIX}{name.upper()}")
        values = {
            "model": "",
            "base_url": "",
            "key": environment.get(variable, "").strip(),
            **values,
        }
        return cls(**{**values, **given})

    def __repr__(self) -> str:
        return f"ChatSettings({self.receipt})"

    @property
    def parameters(self) -> Json:
        """All that decides an answer, beside the messages and the schema: for keys of stored ones.

        The address is left out, as one model may be served from one place today and from another
        tomorrow; two models of one name need two names.
        """
        return {name: value for name, value in asdict(self).items() if name in _DECISIVE}

    @property
    def receipt(self) -> Json:
        """All settings but the key, the address without a password or query."""
        shown = asdict(replace(self, base_url=_bare(self.base_url)))
        del shown["key"]
        return shown


def _secret_name(value: Any) -> str | None:
    """Return the first name in nested objects and lists that looks like a secret's.

    >>> _secret_name({"max_tokens": 9, "headers": [{"X-Api-Key": "…"}]})
    'X-Api-Key'
    """
    if isinstance(value, Mapping):
        for name in map(str, value):
            if name not in _NO_SECRETS and _SECRET.search(name):
                return name
        value = list(value.values())
    if isinstance(value, list | tuple):
        return next(filter(None, map(_secret_name, value)), None)
    return None


def _bare(address: str) -> str:
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _kind(hint: Any) -> type:
    """Return the plain type of a setting: str, int, float, bool or dict."""
    plain: Any = next(iter(get_args(hint)), hint) if isinstance(hint, UnionType) else hint
    return dict if get_origin(plain) else plain


_HINTS = {name: hint for name, hint in get_type_hints(ChatSettings).items() if name != "key"}
_KINDS = {name: _kind(hint) for name, hint in _HINTS.items()}
_OPTIONAL = {name for name, hint in _HINTS.items() if type(None) in get_args(hint)}
_IN_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
}


def _file(path: Path) -> dict[str, Any]:
    parsers: dict[str, Callable[[str], Any]] = {
        ".yaml": _yaml,
        ".yml": _yaml,
        ".toml": _toml,
        ".json": json.loads,
    }
    parse = parsers.get(path.suffix.lower())
    if parse is None:
        raise SettingsError(f"{path}: a settings file ends in {', '.join(parsers)}")
    try:
        made = parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    if not isinstance(made, dict):
        raise SettingsError(f"{path} should hold settings by name")
    return {str(name): value for name, value in made.items()}


def _yaml(text: str) -> Any:
    yaml = importlib.import_module("yaml")
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        # Not the error's own text: it quotes the file, and so a key that stands there by mistake.
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        raise ValueError(f"it is not YAML{place}") from None


def _toml(text: str) -> Any:
    try:
        toml = importlib.import_module("tomllib")
    except ModuleNotFoundError as error:
        raise ValueError("TOML needs Python 3.11 or newer; use YAML") from error
    return toml.loads(text)


def _from_text(name: str, text: str) -> Any:
    """Return the value of an environment variable: JSON, unless the setting is a text."""
    if _KINDS[name] is str:
        return text
    try:
        return json.loads(text.lower() if _KINDS[name] is bool else text)
    except ValueError:
        return text


def _typed(name: str, value: Any, source: str) -> Any:
    if name not in _KINDS:
        raise SettingsError(f"{source}: there is no setting {name}; there are {', '.join(_KINDS)}")
    kind = _KINDS[name]
    if value is None and name in _OPTIONAL:
        return value
    if isinstance(value, bool) and kind is not bool:
        fits = False
    else:
        fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits:
        # Not what is found in place of an object: it may be text with a secret in it.
        found = "" if kind is dict else f", found {value!r:.40}"
        raise SettingsError(f"{source}: {name} should be {_IN_WORDS[kind]}{found}")
    return value
