"""libfinf.so, and its declarations. Everything else here calls it through `lib`."""
from __future__ import annotations

import os
from typing import Any

try:
    from ._abi import ffi
except ImportError as e:  # pragma: no cover - a source tree that was not built
    raise ImportError("finf is not built: run 'make python', or take build/python") from e

_NEEDS = "libfinf needs GSL, FFTW and GMP (Debian: libgsl27 libgslcblas0 libfftw3-double3 libgmp10)"


def _load() -> Any:
    """The library that FINF_LIBRARY names, or the one beside this file, or the system's."""
    beside = os.path.join(os.path.dirname(__file__), "libfinf.so")
    path = os.environ.get("FINF_LIBRARY") or (beside if os.path.exists(beside) else "libfinf.so.0")
    try:
        return ffi.dlopen(path)
    except OSError as e:
        raise ImportError(f"{e}. {_NEEDS}") from e


lib: Any = _load()


def has(name: str) -> bool:
    """Whether the header that this package was built with declares a function."""
    return hasattr(lib, name)
