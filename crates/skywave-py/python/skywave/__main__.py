"""`python -m skywave` is the `skywave` command."""

import sys

from skywave._cli import main

if __name__ == "__main__":
    sys.exit(main())
