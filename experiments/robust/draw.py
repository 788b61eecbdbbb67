"""Draw paths from the space of space.toml; write each as a scenario, and a study of all of them.

    python3 draw.py --seed 7 --paths 200 --into /tmp/seven
    skywave rank /tmp/seven/study.toml

Without options it writes the paths of this folder anew; --check compares them instead. The same
seed gives the same files on any machine, and its first paths are the same however many are drawn.
Needs Python 3.11 and nothing else.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from paths import draw
from texts import HERE, files


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Draw paths; write a scenario for each, and a study of all of them."
    )
    add = parser.add_argument
    add("--seed", type=int, help="what is drawn hangs on this; that of the space unless given")
    add(
        "--paths", type=int, help="how many, besides recorded links; as the space says unless given"
    )
    add(
        "--into", type=Path, default=HERE, metavar="FOLDER", help="where they go; here unless given"
    )
    add("--space", type=Path, default=HERE / "space.toml", metavar="FILE", help="the space")
    add("--check", action="store_true", help="write nothing; fail if the files there differ")
    return parser


def texts_of(args: argparse.Namespace) -> dict[Path, str]:
    """The files that are asked for, by their places."""
    space = tomllib.loads(args.space.read_text(encoding="utf-8"))
    seed = space["seed"] if args.seed is None else args.seed
    number = space["paths"] if args.paths is None else args.paths
    recordings = enumerate(space["recordings"]["rates"])
    drawn = [draw(space, seed, f"{index:03}") for index in range(number)]
    recorded = [draw(space, seed, f"r{index}", file) for index, file in recordings]
    return files(space, seed, drawn, recorded, args.into.resolve())


def check(texts: dict[Path, str], into: Path) -> bool:
    """Whether these files are there, and no other paths; says which are wrong."""
    strangers = sorted(set((into / "paths").glob("*.toml")) - texts.keys())
    wrong = [
        path
        for path, text in texts.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in [*wrong, *strangers]:
        print(f"{path} is not what draw.py makes", file=sys.stderr)
    return not (wrong or strangers)


def main() -> None:
    parser = arguments()
    args = parser.parse_args()
    if args.paths is not None and args.paths < 0:
        parser.error(f"argument --paths: {args.paths} is less than none")
    into = args.into.resolve()
    try:
        texts = texts_of(args)
    except (OSError, tomllib.TOMLDecodeError) as error:
        parser.error(f"{args.space} cannot be read: {error}")
    except KeyError as error:
        parser.error(f"{args.space} lacks the key {error}")
    if args.check:
        sys.exit(not check(texts, into))
    (into / "paths").mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(texts) - 1} paths: {into / 'study.toml'}")


if __name__ == "__main__":
    main()
