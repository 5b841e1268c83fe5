"""The examples of all docstrings, and of docs/python.md, are run."""
from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import re

import pytest

import finf
from finf._library import has

FLAGS = doctest.NORMALIZE_WHITESPACE
MODULES = ["finf"] + [f"finf.{m.name}" for m in pkgutil.iter_modules(finf.__path__)
                      if m.name not in ("_abi", "libfinf")]

# Examples that need a part of the library which an older one has not.
NEEDS = {"NoiseStream": "finf_stream_new", "correlated_noise": "finf_stream_new",
         "finf.design(": "finf_design_make", "fit_blt": "finf_blt_fit_mean",
         "from_matrix": "finf_system_matrix"}


def can_run(text: str) -> bool:
    """Whether this library has what the text calls."""
    return all(has(function) for word, function in NEEDS.items() if word in text)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name == "finf.torch":
        pytest.importorskip("torch")
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        if can_run("".join(e.source for e in test.examples)):
            runner.run(test)
    assert runner.summarize().failed == 0


def test_page():
    page = os.path.join(os.path.dirname(finf.__file__), os.pardir, "README.md")
    with open(page, encoding="utf-8") as f:
        sections = re.split(r"(?m)^(?=## )", f.read())
    text = "".join(s for s in sections if can_run("".join(re.findall(r"(?m)^>>>.*\n", s))))
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", page, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    result = runner.summarize()
    assert result.failed == 0 and result.attempted > 20


def test_readme():
    """The lines of Python in README.md run, and say what they say they say."""
    page = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "README.md")
    with open(page, encoding="utf-8") as f:
        code, = re.findall(r"(?s)```python\n(.*?)```", f.read())
    seen: dict = {}
    exec(code, seen)  # noqa: S102
    r, said = seen["r"], re.search(r"# (nu:\S+) (\S+) (\S+)", code)
    assert said and said.groups() == (str(r.noise), f"{r.F_inf:.4g}", f"{r.F_best:.4g}")
    assert seen["noise"].shape == (1000,)


def test_every_way_to_make_one_has_an_example():
    """And everything that a stream does."""
    for cls in (finf.Noise, finf.Spectrum, finf.Optimizer, finf.System, finf.NoiseStream):
        for name, x in vars(cls).items():
            x = getattr(x, "__func__", x)
            if inspect.isfunction(x) and not name.startswith("_") and inspect.signature(x).parameters:
                if name in ("sizes", "ends", "facts"):
                    continue  # of results
                assert ">>>" in (inspect.getdoc(x) or ""), (cls, name)


@pytest.mark.parametrize("name", [n for n in finf.__all__ if callable(getattr(finf, n))])
def test_everything_is_described(name):
    """Every public name has a docstring, and every function an example."""
    thing = getattr(finf, name)
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing):
        assert ">>>" in inspect.getdoc(thing)
        assert inspect.signature(thing).return_annotation is not inspect.Signature.empty
