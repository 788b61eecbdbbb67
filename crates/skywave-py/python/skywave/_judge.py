"""Laws judged by cases."""

import json
import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from skywave import _custom, _files, _skywave
from skywave._asked import Keep
from skywave._law import Law, written
from skywave._measure import Progress, shown
from skywave._table import Column, Table


class Card:
    """How a law stands: which cases it passes, which it fails, and from when on it was wrong.

    `cases` has a dict each, with what `skywave judge --json` prints. `passed`, `failed` and
    `unsure` are their names, as `SET/CASE`.

    >>> card = skywave.judge("cubic", set="rfc9743")  # doctest: +SKIP
    >>> assert not card.failed  # doctest: +SKIP
    """

    def __init__(self, inner: _skywave.Card) -> None:
        self._inner = inner
        self.law = inner.law
        self.cases: list[dict[str, Any]] = [json.loads(line) for line in inner.lines().splitlines()]

    def _names(self, standing: str) -> list[str]:
        of = [case for case in self.cases if case["standing"] == standing]
        return [f"{case['set']}/{case['case']}" for case in of]

    @property
    def passed(self) -> list[str]:
        """Cases whose numbers lie within what is asked, with their whole intervals."""
        return self._names("pass")

    @property
    def failed(self) -> list[str]:
        """Cases of which a number lies outside, with its whole interval."""
        return self._names("fail")

    @property
    def unsure(self) -> list[str]:
        """Cases whose interval reaches over a limit: more seeds would decide them."""
        return self._names("unsure")

    @cached_property
    def table(self) -> Table:
        """One row a number of a case: the `measured` one with its interval beside the `asked` one,
        and `wrong_from`, the second from which on it was wrong. A case that was not judged has one
        row, and `why`."""
        rows: list[dict[str, Any]] = []
        for case in self.cases:
            wrong = case["wrong"] or {}
            for number in case["numbers"] or [{}]:
                low, high = number.get("ci95") or (None, None)
                name = number.get("name")
                is_wrong = wrong.get("number") == name
                rows.append(
                    {
                        "set": case["set"],
                        "case": case["case"],
                        "standing": number.get("standing", case["standing"]),
                        "number": name,
                        "measured": number.get("measured"),
                        "ci95_low": low,
                        "ci95_high": high,
                        "unit": number.get("unit"),
                        "asked": number.get("asked"),
                        "place": number.get("place"),
                        "wrong_from": wrong.get("moment_s") if is_wrong else None,
                        "why": case["why"],
                    }
                )
        names = list(rows[0]) if rows else []
        numbers = {"measured", "ci95_low", "ci95_high", "wrong_from"}
        columns: dict[str, Column] = {
            name: ("number" if name in numbers else "text", [row[name] for row in rows])
            for name in names
        }
        return Table.of(columns, units={"wrong_from": "s"})

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the card as one HTML file that works offline, with plots of each failed case."""
        _files.write(Path(path), self._inner.page().encode())

    def text(self, *, cases: bool = False) -> str:
        """The card as the command prints it; with `cases` all of them, and what each asks."""
        return self._inner.text(shutil.get_terminal_size((100, 24)).columns, cases).rstrip("\n")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return (
            f"<skywave.Card of {self.law}: {len(self.passed)} passed, {len(self.failed)} failed, "
            f"{len(self.unsure)} unsure>"
        )

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def judge(
    law: Law,
    *,
    set: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    threads: int | None = None,
    progress: bool | Progress | None = None,
) -> Card:
    """Runs a law through cases, and says which it passes and which it fails, as the command of that
    name does.

    Args:
        law: a preset ("cubic") or QUIC sender, a composition (a dict or `Transport`), or a class of
            your own: `CongestionControl`, or `LossDetector`, in Reno; `functools.partial` of one.
        set: a built-in set of cases, the folder of one of your own, or several; all built-in ones
            unless given. With a class of your own these take long.
        out: folder of results, as `--out` of the command: `OUT/judge/LAW` then keeps finished runs
            (not those of your classes), card.html and card.json.
        fresh, threads, progress: as for `run`.

    >>> import skywave
    >>> card = skywave.judge("cubic", set="./my-cases")  # doctest: +SKIP
    >>> card.table.to_pandas()  # doctest: +SKIP
    """
    [text], custom = written([law])
    if set is None:
        sets = _skywave.sets()
    else:
        several = [set] if isinstance(set, str | os.PathLike) else set
        sets = [os.fspath(one) for one in several]
    with shown(progress, f"judge {text}") as tell:
        keep = Keep(out, fresh, threads)
        card = Card(_skywave.judge(text, _custom.members(custom), sets, keep, tell))
    if out is not None:
        directory = Path(out) / card._inner.folder
        card.html(directory / "card.html")
        _files.write(directory / "card.json", card._inner.json().encode())
    return card
