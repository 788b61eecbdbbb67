"""Fails if a doc comment begins with a word that means nothing without its neighbours.

Lists of an editor, rustdoc and a reader who jumps to a definition show a comment alone: it starts
with the noun ("Spacing of the regular starts"), not with what only its neighbours explain ("Those
with one"). Older comments do not all: a crate may have no more than it has, and whoever mends some
lowers its number.

python3 tools/words.py            fails if a crate has another number than MOST says
python3 tools/words.py core sim   lists those of some crates
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# How many there are, a crate.
MOST = {
    "cli": 18,
    "core": 7,
    "fuzz": 13,
    "papers": 168,
    "py": 23,
    "quic": 19,
    "scenario": 6,
    "script": 47,
}
CRATES = Path(__file__).resolve().parents[1] / "crates"
# Nothing comes after it that would say what is meant.
ALONE = r"(?= (?:of|as|for|in|with|that)\b|[.,;:]|$)"
OPENINGS = (
    "What|It|Its|They|Their|Them|Those|These|This|That|There|With|Of|Which|Who|Whose|Such"
    r"|(?:The|A) (?:same|other|one|first|second|former|latter)"
    + ALONE
    + r"|(?:One|Another|Others|Both|None|Each|All|Same|Neither)"
    + ALONE
)
DOC = re.compile(r"\s*//[/!] ?(.*)")
WRONG = re.compile(rf"(?:{OPENINGS})(?![\w'’`-])")


def openings(text: str) -> Iterator[tuple[int, str]]:
    """The first lines of doc comments, with their numbers."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        found = DOC.match(line)
        if found and not inside:
            yield number, found[1]
        inside = bool(found)


def is_test(file: Path) -> bool:
    return any(part.startswith("test") or part.endswith("_tests.rs") for part in file.parts)


def wrong(name: str) -> list[str]:
    """The doc comments of a crate that begin so, with their places."""
    return [
        f"{file.relative_to(CRATES.parent)}:{number}: {line}"
        for file in sorted((CRATES / f"skywave-{name}" / "src").rglob("*.rs"))
        if not is_test(file.relative_to(CRATES))
        for number, line in openings(file.read_text(encoding="utf-8"))
        if WRONG.match(line)
    ]


def main() -> None:
    crates = sorted(crate.name.removeprefix("skywave-") for crate in CRATES.glob("skywave-*"))
    if names := sys.argv[1:]:
        if unknown := set(names) - set(crates):
            sys.exit(f"no such crate: {', '.join(sorted(unknown))}; there are {', '.join(crates)}")
        print("\n".join(line for name in names for line in wrong(name)))
        return
    found = {name: len(wrong(name)) for name in crates}
    if others := [name for name in crates if found[name] != MOST.get(name, 0)]:
        told = [f"{name}: {found[name]} instead of {MOST.get(name, 0)}" for name in others]
        sys.exit(
            "doc comments that do not begin with their noun:\n  "
            + "\n  ".join(told)
            + f"\nMore: `python3 tools/words.py {others[0]}` lists them. Fewer: lower MOST here."
        )


if __name__ == "__main__":
    main()
