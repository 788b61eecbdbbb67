"""Tables of what ns-2 measures over several seeds: a line a point, three columns a quantity."""

from __future__ import annotations

import math
import random
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from chain import T

# Most seeds of a line: there is a quantile of Student's t for each number of them.
MOST = len(T) + 1


def seeds(number: int) -> list[int]:
    """The same seeds each time. Large ones: small seeds of ns-2 give correlated streams."""
    return random.Random("ns-2").sample(range(10**8, 2 * 10**9), number)


def measured(lines: list[str], names: list[str]) -> dict[str, float]:
    """What a script printed, "name value" a line, of the quantities of these names."""
    pairs = (line.split() for line in lines)
    return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] in names}


def moments(values: list[float]) -> list[str]:
    """Mean, standard deviation and half-width of the 95 % interval; empty cells without values."""
    if not values:
        return ["", "", ""]
    sd = statistics.stdev(values)
    half = T[len(values) - 2] * sd / math.sqrt(len(values))
    return [f"{x:.6g}" for x in (statistics.fmean(values), sd, half)]


def write(out: Path, settings: list[str], names: list[str], rows: list[list[str]]) -> None:
    """Writes the table: columns of settings, number of runs, moments of the quantities."""
    head = [*settings, "n", *(f"{name}_{m}" for name in names for m in ("mean", "sd", "ci95"))]
    out.write_text("".join(",".join(line) + "\n" for line in [head, *rows]))
