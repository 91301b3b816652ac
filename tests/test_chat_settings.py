"""The settings of a chat endpoint, and that its key is never shown."""

import re
import sys
from pathlib import Path

import pytest

from baselines.chat import ChatSettings, SettingsError

KEY = "sk-very-secret-123"


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_settings_from_environment_and_file(tmp_path: Path) -> None:
    path = file(tmp_path, "chat.yaml", "model: big\nbase_url: http://h/v1\nconcurrency: 4\nseed: 3")
    environment = {
        "CLIMATECHECK_CHAT_CONCURRENCY": "16",
        "CLIMATECHECK_CHAT_TEMPERATURE": "null",
        "CLIMATECHECK_CHAT_STRUCTURED": "False",
        "CLIMATECHECK_CHAT_EXTRA": '{"top_p": 0.5}',
        "CLIMATECHECK_CHAT_KEY": f" {KEY}\n",
    }
    made = ChatSettings.read(path, environment, seed=9)
    assert (made.model, made.base_url, made.key) == ("big", "http://h/v1", KEY)
    assert (made.concurrency, made.seed, made.temperature) == (16, 9, None)
    assert (made.structured, made.extra) == (False, {"top_p": 0.5})
    assert made.parameters == {
        "model": "big",
        "temperature": None,
        "seed": 9,
        "max_tokens": 2048,
        "structured": False,
        "extra": {"top_p": 0.5},
    }


def test_a_number_may_be_a_models_name() -> None:
    environment = {"CLIMATECHECK_CHAT_MODEL": "4", "CLIMATECHECK_CHAT_BASE_URL": "http://h"}
    assert ChatSettings.read(None, environment).model == "4"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the standard library reads TOML from 3.11")
def test_settings_from_toml_and_a_key_of_another_name(tmp_path: Path) -> None:
    text = 'model = "m"\nbase_url = "https://h/v1"\nkey_variable = "MY_KEY"\n[extra]\ntop_k = 1\n'
    made = ChatSettings.read(file(tmp_path, "chat.toml", text), {"MY_KEY": KEY})
    assert (made.key, made.extra) == (KEY, {"top_k": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"api_key: {KEY}", "take the key out of the file"),
        ("concurency: 4", "there is no setting concurency; there are model, base_url"),
        ("concurrency: four", "concurrency should be a whole number, found 'four'"),
        ("concurrency: true", "concurrency should be a whole number, found True"),
        ("concurrency: 0", "concurrency should be above 0, found 0"),
        ("budget_calls: -1", "budget_calls should be 0 or more, found -1"),
        ("timeout_seconds: null", "timeout_seconds should be a number, found None"),
        ("temperature: .nan", "temperature should be 0 or more, found nan"),
        ("extra: [1]", "extra should be an object"),
        ("base_url: localhost:8000", "base_url should be an address such as"),
        ("model: ''", "no model is named"),
        ("- 1", "should hold settings by name"),
        (f"a: [\nkey: {KEY}\n}}", "it is not YAML (line 3)"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    base = {"CLIMATECHECK_CHAT_MODEL": "m", "CLIMATECHECK_CHAT_BASE_URL": "http://h"}
    environment = {} if text.startswith(("base", "model")) else base
    if text.startswith("base"):
        environment = {"CLIMATECHECK_CHAT_MODEL": "m"}
    with pytest.raises(SettingsError, match=re.escape(message)) as raised:
        ChatSettings.read(file(tmp_path, "chat.yml", text), environment)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("name", ["absent.yaml", "chat.ini"])
def test_settings_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        ChatSettings.read(tmp_path / name, {})


def test_a_password_in_the_address_is_not_shown() -> None:
    made = ChatSettings("m", f"http://me:{KEY}@h:80/v1?key={KEY}")
    assert made.receipt["base_url"] == "http://h:80/v1" and KEY not in repr(made)
    with pytest.raises(SettingsError) as raised:
        ChatSettings("m", f"ftp://me:{KEY}@h/v1")
    assert KEY not in str(raised.value)


def test_a_key_that_no_header_can_hold() -> None:
    with pytest.raises(SettingsError, match="the key holds characters"):
        ChatSettings("m", "http://h", key="sk-\n1")


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": KEY},
        {"nested": [{"X-Api-Key": KEY}]},
        {"headers": {"Authorization": KEY}},
        {"access_token": KEY},
        {"PASSWORD": KEY},
        {"clientSecret": KEY},
    ],
)
def test_a_secret_among_the_extra_fields_is_refused(extra: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="looks like a secret") as raised:
        ChatSettings("m", "http://h", extra=extra)
    assert KEY not in str(raised.value)


def test_fields_that_only_sound_like_secrets_are_taken() -> None:
    extra = {"max_completion_tokens": 9, "stop_token_ids": [1], "prompt_cache_key": "a"}
    assert ChatSettings("m", "http://h", extra=extra).extra == extra


@pytest.mark.parametrize(
    "text", [f"key_variable: {KEY}", f"key_variable: {KEY.replace('-', '_')}\napi_key: x"]
)
def test_a_key_in_place_of_its_variables_name_is_not_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        ChatSettings.read(file(tmp_path, "chat.yaml", text), {})
    assert "secret" not in str(raised.value)


def test_extra_that_is_no_object_is_not_shown() -> None:
    base = {"CLIMATECHECK_CHAT_MODEL": "m", "CLIMATECHECK_CHAT_BASE_URL": "http://h"}
    with pytest.raises(SettingsError, match="extra should be an object") as raised:
        ChatSettings.read(None, {**base, "CLIMATECHECK_CHAT_EXTRA": f"{{api_key: {KEY}"})
    assert KEY not in str(raised.value)
