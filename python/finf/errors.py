"""What goes wrong, as exceptions: one for each status of the library, with its reason."""
from __future__ import annotations

import builtins
from typing import Any

from ._library import ffi, lib

__all__ = [
    "FinfError", "UsageError", "KeywordError", "DomainError", "ParseError", "ToleranceError",
    "InputOutputError", "OutOfMemoryError",
]


class FinfError(Exception):
    """Every error of the library.

    ``reason`` is the library's line: the value, and what is allowed. ``status`` is its name in C,
    and ``result`` what was reached in spite of it, or None.

    >>> import finf
    >>> try:
    ...     finf.Noise.nu(2)
    ... except finf.FinfError as e:
    ...     print(e.status, "|", e.reason)
    FINF_EDOM | nu = 2: must be in (0, 1]
    """

    status = "FINF_OK"

    def __init__(self, reason: str, result: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.result = result

    def __str__(self) -> str:
        return self.reason


class UsageError(FinfError, ValueError):
    """Things that do not go together, or a word that is no choice."""

    status = "FINF_EUSAGE"


class KeywordError(UsageError, TypeError):
    """A keyword that a function does not take; also a TypeError, as Python has it."""


class DomainError(FinfError, ValueError):
    """A value outside the domain."""

    status = "FINF_EDOM"


class ParseError(FinfError, ValueError):
    """A text that is no noise, optimizer or number."""

    status = "FINF_EPARSE"


class ToleranceError(FinfError, ArithmeticError):
    """An accuracy or a proof was not reached; ``result`` is the best there is, or None."""

    status = "FINF_ETOL"


class InputOutputError(FinfError, OSError):
    """A file, as of beta@FILE, cannot be read; also an OSError."""

    status = "FINF_EIO"


class OutOfMemoryError(FinfError, builtins.MemoryError):
    """Memory ran out; also a MemoryError, as which ``finf.MemoryError`` names it too."""

    status = "FINF_ENOMEM"


_BY_NAME = {e.status: e for e in (UsageError, DomainError, ParseError, ToleranceError,
                                  InputOutputError, OutOfMemoryError)}


def error_of(status: int, reason: str, result: Any = None) -> FinfError:
    """The exception of a status that is not FINF_OK."""
    name = ffi.string(lib.finf_status_name(status)).decode()
    text = reason or ffi.string(lib.finf_status_text(status)).decode()
    return _BY_NAME.get(name, FinfError)(text, result)
