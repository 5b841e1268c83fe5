"""CSV as readers have it: NumPy's genfromtxt and pandas take what every command prints as it is, and
its header is the keys of the JSON."""
from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess

import numpy as np
import pytest

from conftest import FINF

LINES = [
    "gamma --noise nu:0.05 --noise sgd --noise antipgd:0",
    "gamma --noise blt:0.9,0.5;0.2,0.1 --steps 100 --participations 3 --separation 20",
    "mean --noise nu:best --noise best --eta 0.1,0.5,2.5 --epsilon 2 --delta 1e-6",
    "linreg --noise sgd --noise nu:best --noise best --eta 0.001:0.1:log:5 --spectrum power:1 "
    "--dim 10 --epsilon 2 --delta 1e-6",
    "linreg --noise power:0.3,0.1 --eta 0.1:3:log:4 --spectrum list:1,0.5,0.25",
    "linreg --noise nu:0.1 --eta 0.1 --spectrum list:1,0.5 --optimizer heavy-ball:0.5",
    "linreg --noise nu:0.1 --eta 0.1 --spectrum power:1 --dim 10 --directions",
    "iqc --noise nu:0.05 --noise sgd --eta 0.1 --kappa 5,20 --solver newton",
    "iqc --noise sgd --eta 3 --kappa 5",
    "optimize --eta 0.1,0.2 --spectrum power:1 --dim 4",
    "optimize --eta 0.1 --kappa 5 --solver newton",
    "tune --eta 0.1,0.2 --spectrum power:1 --dim 4",
    "tune --spectrum power:1 --dim 4 --contraction 0.99",
    "coef --noise nu:0.05 --length 6",
    "coef --noise nu:0.05 --length 6 --density",
    "privacy --epsilon 1,2 --delta 1e-6 --noise nu:0.05 --clip 2 --batch 10",
    "rates --dim 10,100",
    "rates --dim 10,100 --slopes",
    "rates --table prior --dim 10",
    "rates --table finite --dim 10 --steps 100",
    "curve --steps 16",
    "curve --steps 16 --eta 0.1 --spectrum power:1 --dim 4 --system nu:0.1,tree",
    "curve --steps 16 --eta 0.1 --spectrum power:1 --dim 4 --system nu:0.1,tree --show systems",
    "simulate --problem linreg --spectrum power:1 --dim 4 --noise nu:0.1 --eta 0.1 --max-steps 1e5",
    "design --steps 16 --eta 0.1 --spectrum power:1 --dim 4",
    "design --eta 0.1 --spectrum power:1 --dim 4 --family best,blt:2,nu,sgd",
    "audit --noise beta:1,-0.5,0.1",
    "audit --noise beta:1,-2",
    "noise --noise nu:0.1 --steps 4 --dim 3 --sigma 1 --seed 1",
    "errata",
]


def printed(line: str, form: str) -> str:
    done = subprocess.run([FINF, *shlex.split(line.replace(";", "\\;")), "--format", form],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    return done.stdout


def columns(line: str) -> tuple[str, list[str], int]:
    """The CSV, its header and its number of rows."""
    text = printed(line, "csv")
    first, *rest = csv.reader(io.StringIO(text))
    assert all(len(row) == len(first) for row in rest)
    return text, first, len(rest)


@pytest.mark.parametrize("line", LINES)
def test_header(line):
    """The header is the keys: of the objects, or of what is a table or a list in one of them, which
    has its index t beside it. `reason` has its column also where no object needs one."""
    objects = [json.loads(text) for text in printed(line, "json").splitlines()]
    _, header, n = columns(line)
    keys = set().union(*objects)
    lists = {key: v for key, v in objects[0].items() if isinstance(v, list)}
    tables = [v for v in lists.values() if v and isinstance(v[0], dict) and list(v[0]) == header]
    if tables:
        assert n == len(tables[0])
    elif "t" in header:
        assert set(header) <= keys | {"t"}
        assert n == sum(len(o[next(k for k in header if k in lists)]) for o in objects)
    else:
        assert set(header) - {"reason"} == keys - {"reason"} and n == len(objects)


@pytest.mark.parametrize("line", LINES)
def test_numpy(line):
    text, header, n = columns(line)
    table = np.genfromtxt(io.StringIO(text), names=True, delimiter=",", dtype=None, encoding=None)
    assert list(table.dtype.names) == header and table.size == n


@pytest.mark.parametrize("line", LINES)
def test_pandas(line):
    pandas = pytest.importorskip("pandas")
    text, header, n = columns(line)
    table = pandas.read_csv(io.StringIO(text))
    assert list(table.columns) == header and len(table) == n
    for key in header:
        if f"{key}_error" in header:  # a number, or nothing where it failed
            assert table[key].dtype.kind in "fi", key
