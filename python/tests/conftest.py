"""The command line beside the package: its JSON is what every function is compared with."""
from __future__ import annotations

import functools
import json
import math
import os
import signal
import subprocess

# As the program finf does unless it is set: the same sums in the same order. Before NumPy is there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

# started in the background, with SIGINT ignored, Python would not hear Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

FINF = os.environ.get("FINF", "finf")

# Of the run, or said in other words here.
SKIPPED = {"seconds", "certify_seconds", "noise_given", "spectrum", "system", "timed", "drawn",
           "nu", "rule"}
TOLERANCE = 1e-12


@functools.lru_cache(maxsize=None)
def _run(arguments: tuple[str, ...]) -> tuple[str, int]:
    done = subprocess.run([FINF, *arguments, "--json"], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr), done.returncode


def records(line: str) -> list[dict]:
    """What `finf LINE --json` prints, an object a line."""
    out, code = _run(tuple(line.split()))
    assert code == 0, out
    return [json.loads(text) for text in out.splitlines()]


def failure(line: str) -> tuple[str, int]:
    """What `finf LINE` says, and its exit status."""
    return _run(tuple(line.split()))


def _same_number(ours, theirs, what: str) -> None:
    if theirs is None:
        assert ours is None or math.isnan(ours), what
    elif theirs == "inf":
        assert ours is None or math.isinf(ours), what
    elif isinstance(theirs, bool):
        assert ours is theirs, what
    else:
        assert abs(ours - theirs) <= TOLERANCE * abs(theirs) + 1e-300, (what, ours, theirs)


def same(result, record: dict, skip: set[str] = frozenset()) -> None:
    """Every key of a record is a field of the result, with its value."""
    for key, value in record.items():
        if {key, key.removesuffix("_error")} & (SKIPPED | skip):
            continue
        name = "class_" if key == "class" else key
        ours = result[name] if isinstance(result, dict) else getattr(result, name)
        if key == "reason":
            assert ours in value or value.startswith(("not certified", "epsilon needs")), key
        elif isinstance(value, str) and value != "inf":
            if not (key == "noise" and value == "best"):
                assert str(ours) == value, key
        elif isinstance(value, list):
            if value and isinstance(value[0], dict):
                for column in value[0]:
                    np.testing.assert_allclose(ours[column], [row[column] for row in value],
                                               rtol=TOLERANCE, err_msg=key)
            else:
                np.testing.assert_allclose(ours, value, rtol=TOLERANCE, err_msg=key)
        elif key.endswith("_error") and value not in (None, "inf"):
            # an error is an estimate of rounding: its size is compared
            assert math.isclose(ours, value, rel_tol=1e-6, abs_tol=1e-300), (key, ours, value)
        else:
            _same_number(ours, value, key)


@pytest.fixture(name="same")
def _same():
    return same


@pytest.fixture(name="records")
def _records():
    return records


@pytest.fixture(name="failure")
def _failure():
    return failure
