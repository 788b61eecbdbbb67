"""Fails if a link of the documentation leads nowhere, or if a page is not in its summary.

python3 tools/links.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SUMMARY = DOCS / "SUMMARY.md"
# Examples are not links.
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The names that headings of a page have in links, as GitHub and mdBook make them."""
    found: set[str] = set()
    for heading in HEADING.findall(re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = sum(1 for other in found if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
        found.add(f"{name}-{number}" if number else name)
    return found


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    faults = []
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            faults.append(f"{page.relative_to(ROOT)}: there is no {target}")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            faults.append(f"{page.relative_to(ROOT)}: {path or 'it'} has no heading #{anchor}")
    return faults


def main() -> None:
    pages = sorted(DOCS.rglob("*.md"))
    faults = [fault for page in [ROOT / "README.md", *pages] for fault in broken(page)]
    listed = {(DOCS / link).resolve() for link in LINK.findall(SUMMARY.read_text())}
    missing = [page for page in pages if page != SUMMARY and page not in listed]
    faults += [f"docs/SUMMARY.md: {page.relative_to(DOCS)} is missing" for page in missing]
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
