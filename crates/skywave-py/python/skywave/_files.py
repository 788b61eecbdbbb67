"""Files that are written whole or not at all."""

import secrets
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Writes beside the file, then renames. Missing directories are created.

    Each call has a draft of its own, so that threads and processes may write one file at a time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
