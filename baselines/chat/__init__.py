"""Questions to any OpenAI-compatible chat endpoint, many at once.

The endpoint may be a provider's, or a server of one's own (vLLM, Ollama, llama.cpp, …)::

    from baselines.chat import ChatSettings, Request, ask

    settings = ChatSettings.read("chat.yaml")   # the key comes from the environment
    requests = [Request("claim 1", ({"role": "user", "content": "…"},))]
    summary = ask(requests, settings, on_answer=lambda answer: print(answer.text))
"""

from baselines.chat.asking import ask, ask_all
from baselines.chat.messages import (
    Answer,
    Attempt,
    Message,
    Request,
    Summary,
    Verdict,
    approximate_tokens,
)
from baselines.chat.parsing import ParseError, count_of, json_object, text_of, without_reasoning
from baselines.chat.settings import ChatSettings, SettingsError

__all__ = [
    "Answer",
    "Attempt",
    "ChatSettings",
    "Message",
    "ParseError",
    "Request",
    "SettingsError",
    "Summary",
    "Verdict",
    "approximate_tokens",
    "ask",
    "ask_all",
    "count_of",
    "json_object",
    "text_of",
    "without_reasoning",
]
