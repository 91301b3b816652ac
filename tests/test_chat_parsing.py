"""What a language model wrote is read strictly."""

import pytest

from baselines.chat import ParseError, count_of, json_object, text_of, without_reasoning


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": 3}',
        '  {"facts": 3}\n',
        '```json\n{"facts": 3}\n```',
        '```\n{"facts": 3}\n```',
        '<think>{"facts": 4}</think>\n\n{"facts": 3}',
    ],
)
def test_json_as_models_write_it(text: str) -> None:
    assert count_of(json_object(text), "facts") == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("<think>Hm.</think>", "empty"),
        ("<think>Hm. {}", "the reasoning does not end"),
        ('Here: {"facts": 3}', "not JSON"),
        ('{"facts": 3} I hope this helps', "not JSON"),
        ('```json\n{"facts": 3}', "not JSON"),
        ('{"facts": 3', "not JSON"),
        ("3", "not a JSON object but a int"),
        ('{"facts": NaN}', "NaN is no number"),
        ('{"facts": 3, "facts": 4}', "facts is given twice"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_json_object(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        json_object(text)


@pytest.mark.parametrize("value", ["3", 3.0, True, None, -1, [3]])
def test_what_is_no_count(value: object) -> None:
    with pytest.raises(ParseError, match="facts should be a whole number"):
        count_of({"facts": value}, "facts")


def test_texts() -> None:
    assert text_of({"label": " Supports "}, "label") == "Supports"
    with pytest.raises(ParseError, match="label should be a text, found 3"):
        text_of({"label": 3}, "label")
    with pytest.raises(ParseError, match="label is missing"):
        text_of({}, "label")
    assert without_reasoning("2 < 3, <think> is a tag") == "2 < 3, <think> is a tag"
