"""NAME@FILE: the files of numbers that the command line takes for a noise, as it reads them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._call import Array, array
from .errors import InputOutputError, ParseError


def table(path: str, part: str, named: bool = False) -> Array | None:
    """A .npy array, or the lines of text or CSV: # starts a comment, the first line may be a header,
    and of a file that lines [name] part only this part is read; None: it has no such part. With
    `named` a file without parts is not the part that is meant."""
    return _read(path, part, named)[0]


def _read(path: str, part: str, named: bool) -> tuple[Array | None, bool]:
    """`table`, and whether it has a header."""
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as e:
        raise InputOutputError(f"'{path}': {e.strerror or e}") from None
    except ValueError as e:  # a name with a zero byte
        raise InputOutputError(f"{path!r}: {e}") from None
    if raw.startswith(b"\x93NUMPY"):
        return None if named else _checked(_npy(path), path), False
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in raw.decode(errors="replace").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            parts[name] = []
        elif line:
            parts[name].append(line)
    lines = parts.get(part) if named or len(parts) > 1 else parts[""]
    if lines is None:
        return None, False
    rows, header = _rows(lines, path)
    return _checked(rows, path), header


def pairs(path: str, part: str, what: str) -> tuple[Array | None, Array | None]:
    """x and y: two columns, or the first two of several that have names; without x, which is None:
    one column or one row. y None: the file has no such part."""
    t, header = _read(path, part, False)
    if t is None:
        return None, None
    if t.shape[1] == 2 or (t.shape[1] > 2 and header):
        return t[:, 0], t[:, 1]
    if 1 not in t.shape:
        raise ParseError(f"'{path}' has {t.shape[1]} columns: {what} or one alone is expected")
    return None, t.ravel()


def column(path: str, part: str, named: bool = False) -> Array | None:
    """A list: one column, one row, or a column beside an index from 0 or 1."""
    t = table(path, part, named)
    if t is None or 1 in t.shape:
        return None if t is None else t.ravel()
    first = t[:, 0]
    if t.shape[1] == 2 and first[0] in (0, 1) and (np.diff(first) == 1).all():
        return t[:, 1]
    raise ParseError(f"'{path}' has {t.shape[1]} columns: a list of numbers is expected")


def _npy(path: str) -> Any:
    try:
        a = array(np.load(path, allow_pickle=False), "its array")
        return a.reshape(len(a), -1)
    except Exception as e:  # a broken header raises whatever it is read with
        raise ParseError(f"'{path}': {' '.join(str(e).split())}") from None


def _rows(lines: list[str], path: str) -> tuple[Any, bool]:
    """The numbers, and whether there was a header."""
    rows, header = [line.replace(",", " ").split() for line in lines], False
    try:
        list(map(float, rows[0] if rows else ()))
    except ValueError:
        rows, header = rows[1:], True
    try:
        return np.array([[float(x) for x in row] for row in rows], dtype=np.float64), header
    except ValueError as e:
        raise ParseError(f"'{path}': as many numbers in every line are expected: {e}") from None


def _checked(a: Any, path: str) -> Array:
    if a.ndim != 2 or not a.size or not np.isfinite(a).all():
        raise ParseError(f"'{path}' has no table of finite numbers")
    return a
