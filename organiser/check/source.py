"""``competition.yaml``: its content, and on which line each of it stands."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

Path: TypeAlias = tuple[str | int, ...]
"""A way through the content, such as ``("phases", 1, "start")``."""

_NODES = 100_000
"""How many nodes get a line; a file of aliases can unfold to billions."""


class SourceError(Exception):
    """The text is no YAML mapping; the message says where."""


@dataclass
class Source:
    """The content of a ``competition.yaml``.

    Attributes:
        data: as YAML says.
        lines: the line of each path.
        unquoted: the paths that YAML reads as a point in time because no quotes stand around it.
        repeated: keys that stand twice in one mapping, with the line of the second.
    """

    data: dict[str, Any]
    lines: dict[Path, int] = field(default_factory=dict)
    unquoted: set[Path] = field(default_factory=set)
    repeated: list[tuple[Path, int]] = field(default_factory=list)

    def place(self, *path: str | int) -> str:
        """Return where a path stands, for people.

        >>> Source({}, {("phases", 1, "start"): 7}).place("phases", 1, "start")
        'competition.yaml line 7 (phases[1].start)'
        """
        line = next(
            (self.lines[path[:n]] for n in range(len(path), 0, -1) if self._known(path, n)), 0
        )
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        named = f" ({steps.lstrip('.')})" if path else ""
        return f"competition.yaml{f' line {line}' if line else ''}{named}"

    def _known(self, path: Path, length: int) -> bool:
        return path[:length] in self.lines


def read_source(text: str) -> Source:
    """Read the text of a ``competition.yaml``.

    Raises:
        SourceError: it is no YAML, or no mapping.
    """
    try:
        data = yaml.safe_load(text)
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SourceError(f"{line}{error.problem or 'this is no YAML'}") from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise SourceError("this is no YAML") from error
    if not isinstance(data, dict):
        raise SourceError("this is no mapping of keys to values")
    source = Source(data)
    _walk(source, root)
    return source


def _walk(source: Source, root: yaml.Node | None) -> None:
    stack: list[tuple[Path, yaml.Node]] = [((), root)] if root else []
    for _ in range(_NODES):
        if not stack:
            return
        path, node = stack.pop()
        source.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                inner = (*path, str(key.value))
                if inner[-1] in seen:
                    source.repeated.append((inner, key.start_mark.line + 1))
                seen.add(str(inner[-1]))
                source.lines[inner] = key.start_mark.line + 1
                stack.append((inner, value))
        elif isinstance(node, yaml.SequenceNode):
            stack += [((*path, i), value) for i, value in enumerate(node.value)]
        elif node.tag.endswith(":timestamp"):
            source.unquoted.add(path)
