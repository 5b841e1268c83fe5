"""The examples of all docstrings, and of docs/python.md, are run."""
from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil

import pytest

import finf

FLAGS = doctest.NORMALIZE_WHITESPACE
MODULES = ["finf"] + [f"finf.{m.name}" for m in pkgutil.iter_modules(finf.__path__)
                      if m.name not in ("_abi", "torch")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert result.failed == 0


def test_page():
    page = os.path.join(os.path.dirname(finf.__file__), os.pardir, "README.md")
    result = doctest.testfile(page, module_relative=False, optionflags=FLAGS)
    assert result.failed == 0 and result.attempted > 20


@pytest.mark.parametrize("name", [n for n in finf.__all__ if callable(getattr(finf, n))])
def test_everything_is_described(name):
    """Every public name has a docstring, and every function an example."""
    thing = getattr(finf, name)
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing):
        assert ">>>" in inspect.getdoc(thing)
        assert inspect.signature(thing).return_annotation is not inspect.Signature.empty
