"""Fails if folders of a crate import each other in a circle, or if a file is too long.

A folder can then be understood, tested and taken out without those that use it.

python3 tools/rooms.py
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

CRATES = Path(__file__).resolve().parents[1] / "crates"
# Lines of a file.
MOST = 600
# Paths that begin at the crate's root or at the module around.
PATH = re.compile(r"\b(crate|super(?:::super)*)((?:::[a-z_0-9]+)+|(?=::\{))")
TREE = re.compile(r"\buse\s+(crate|super(?:::super)*)((?:::[a-z_0-9]+)*)::\{([^;]*)\};", re.DOTALL)
FIRST = re.compile(r"(?:^|,)\s*([a-z_0-9]+)(?=\s*(?:::|,|$))")
COMMENT = re.compile(r"//[^\n]*")


def module(source: Path, file: Path) -> tuple[str, ...]:
    """The module that a file is."""
    path = file.relative_to(source).with_suffix("").parts
    return path[:-1] if path[-1] in ("mod", "lib", "main") else path


def imports(text: str, at: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The modules that the text names by their paths, in whole."""

    def start(word: str) -> tuple[str, ...]:
        return () if word == "crate" else at[: len(at) - word.count("super")]

    found = set()
    text = COMMENT.sub("", text)
    for word, rest in PATH.findall(text):
        found.add(start(word) + tuple(part for part in rest.split("::") if part))
    for word, rest, inside in TREE.findall(text):
        before = start(word) + tuple(part for part in rest.split("::") if part)
        # Braces within braces belong to the name before them.
        flat = re.sub(r"\{[^{}]*\}", "", inside)
        found |= {(*before, name) for name in FIRST.findall(flat)}
    return found


def circle(source: Path, folder: Path) -> list[str] | None:
    """A circle among the folders in this one, if there is one."""
    rooms = {child.name for child in folder.iterdir() if child.is_dir()}
    rooms = {room for room in rooms if any((folder / room).rglob("*.rs"))}
    base = folder.relative_to(source).parts
    graph: dict[str, set[str]] = {room: set() for room in rooms}
    for room in sorted(rooms):
        # A folder's own module file belongs to it, whether it lies inside or beside it.
        files = [*(folder / room).rglob("*.rs"), folder / f"{room}.rs"]
        for file in (file for file in files if file.is_file() and not is_test(file)):
            text = file.read_text().split("#[cfg(test)]\nmod tests {")[0]
            for path in imports(text, module(source, file)):
                if path[: len(base)] == base and len(path) > len(base):
                    graph[room] |= {path[len(base)]} & rooms - {room}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return None


def is_test(file: Path) -> bool:
    return any(part.startswith("test") or part.endswith("_tests.rs") for part in file.parts)


def main() -> None:
    wrong = []
    for source in sorted(CRATES.glob("*/src")):
        folders = [source, *sorted(path for path in source.rglob("*") if path.is_dir())]
        for folder in folders:
            if found := circle(source, folder):
                place = folder.relative_to(CRATES)
                wrong.append(f"{place}: folders import each other: {' → '.join(found)}")
    for file in sorted(CRATES.rglob("*.rs")):
        lines = len(file.read_text().splitlines())
        if lines > MOST:
            wrong.append(f"{file.relative_to(CRATES)}: {lines} lines, of at most {MOST}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
