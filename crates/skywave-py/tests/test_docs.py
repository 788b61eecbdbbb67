"""What the documents show, runs."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/python.md",
        "docs/tutorial/your-own-law.md",
        "docs/your-own.md",
    ],
)
def test_the_examples_of_a_document_run_in_order(
    root: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (root / name).read_text(encoding="utf-8")
    examples = EXAMPLE.findall(text)
    assert examples
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples:
        exec(compile(example, name, "exec"), names)


def test_the_notebook_runs_and_is_kept_without_outputs(root: Path, tmp_path: Path) -> None:
    path = root / "examples" / "first-steps.ipynb"
    notebook = nbformat.reads(path.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()

    def shown(cell: int, kind: str) -> str:
        return "".join(output.get("data", {}).get(kind, "") for output in cells[cell].outputs)

    assert "Means over 5 seeds" in shown(1, "text/html")
    assert shown(2, "text/html").count("<svg") == 1
    assert "cerl" in shown(3, "text/html")
    assert "<svg" in shown(5, "text/html")
    assert "did you mean `delay`?" in cells[6].outputs[0].text
