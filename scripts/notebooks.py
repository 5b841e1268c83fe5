"""Runs notebooks: python3 scripts/notebooks.py run|check NOTEBOOK.. (in the notebooks' folder).

run: with outputs, in place; check: that every cell runs, nothing is written. nbconvert and ipykernel
are needed (Debian: jupyter-nbconvert, python3-ipykernel; make notebook-deps).
"""
import os
import re
import sys

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # the kernel's debugger warns, and is not used
MACHINE = re.compile(r"(?<![\w.])/(tmp|home|root|usr|work|Users)/")


def executed(path: str):
    """The notebook with its outputs, and nothing of the machine in its metadata."""
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
    notebook = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook, {})
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python",
                                        "name": "python3"}}
    for i, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"cell-{i:02d}"
        for output in cell.get("outputs", []):
            output.pop("metadata", None)
            if output.output_type in ("display_data", "execute_result"):
                output.metadata = {}
    return notebook


def texts(notebook) -> list[str]:
    """What its cells put out, pictures left aside."""
    out = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            out.append(output.get("text", ""))
            out += [v for k, v in output.get("data", {}).items() if k.startswith("text/")]
    return out


def main(what: str, paths: list[str]) -> int:
    """0 where every cell of every notebook runs."""
    import nbformat
    for path in paths:
        notebook = executed(path)  # a cell's error ends it, with the cell
        told = next((text for text in texts(notebook) if MACHINE.search(text)), None)
        if told:
            print(f"{path}: a path of this machine is in an output: {told[:200]}")
            return 1
        if what == "run":
            nbformat.write(notebook, path)
        print(f"{path}: {sum(c.cell_type == 'code' for c in notebook.cells)} cells run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
