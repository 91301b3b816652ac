"""What a Python file imports, and whether a zip holds it."""

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from organiser.check.trees import Tree


@dataclass(frozen=True)
class Import:
    """A module that must be there when a file runs, and the names taken from it."""

    module: str
    names: tuple[str, ...]
    line: int

    @property
    def top(self) -> str:
        """The first step of the module's name."""
        return self.module.partition(".")[0]


def imports_of(source: ast.Module, name: str) -> Iterator[Import]:
    r"""Yield each import of a file; relative ones with their full names.

    Left out is what the file itself allows to fail (``except ImportError``) and what is for type
    checkers alone.

    Args:
        source: the parsed file.
        name: of the file, in the zip.

    >>> [each.module for each in imports_of(ast.parse("import a.b\nfrom .c import d"), "p/m.py")]
    ['a.b', 'p.c']
    """
    spared = set(_spared(source))
    for node in ast.walk(source):
        if node in spared:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, (), node.lineno)
        elif isinstance(node, ast.ImportFrom) and (module := _absolute(node, name)):
            yield Import(module, tuple(alias.name for alias in node.names), node.lineno)


def _absolute(node: ast.ImportFrom, name: str) -> str:
    if not node.level:
        return node.module or ""
    package = posixpath.dirname(name).split("/")
    return ".".join(filter(None, [*package[: len(package) - node.level + 1], node.module]))


def _spared(source: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(source):
        may_fail = isinstance(node, ast.Try) and any(map(_catches_import, node.handlers))
        for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if isinstance(node, (ast.Try, ast.If)) and (may_fail or for_types):
            for statement in node.body:
                yield from ast.walk(statement)


def _catches_import(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or any(
        isinstance(node, ast.Name) and node.id in ("ImportError", "ModuleNotFoundError")
        for node in ast.walk(handler.type)
    )


def is_local(tree: Tree, imported: Import) -> bool:
    """Return whether the zip holds the package of an import."""
    return _has(tree, imported.top)


def lacking(tree: Tree, imported: Import) -> str:
    """Return the module of an import that the zip does not hold; empty if it holds all."""
    path = imported.module.replace(".", "/")
    if not _has(tree, path):
        return imported.module
    source = (tree.read(f"{path}.py") or tree.read(f"{path}/__init__.py") or b"").decode(
        "utf-8", "replace"
    )
    for name in imported.names:
        if name != "*" and not _has(tree, f"{path}/{name}") and name not in source:
            return f"{imported.module}.{name}"
    return ""


def _has(tree: Tree, path: str) -> bool:
    return f"{path}.py" in tree.files or f"{path}/" in tree.folders
