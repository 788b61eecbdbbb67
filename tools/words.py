"""Fails if a doc comment begins with a word that means nothing without its neighbours.

Lists of an editor, rustdoc and a reader who jumps to a definition show a comment alone: it starts
with the noun ("Spacing of the regular starts"), not with what only its neighbours explain ("Those
with one").

python3 tools/words.py            lists those that do not, and fails if there are any
python3 tools/words.py core sim   looks at some crates alone
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

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
    names = sys.argv[1:] or crates
    if unknown := set(names) - set(crates):
        sys.exit(f"no such crate: {', '.join(sorted(unknown))}; there are {', '.join(crates)}")
    if found := [line for name in names for line in wrong(name)]:
        sys.exit("doc comments that do not begin with their noun:\n  " + "\n  ".join(found))


if __name__ == "__main__":
    main()
