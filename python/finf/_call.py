"""Calls of the library: status into exceptions, arrays in and out, Ctrl-C."""
from __future__ import annotations

import difflib
import functools
import inspect
import math
import os
import queue
import re
import struct
import threading
from typing import Any, Callable, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._library import ffi, lib
from .errors import DomainError, KeywordError, OutOfMemoryError, ParseError, UsageError, error_of

Array = NDArray[np.float64]

# ---- status ---------------------------------------------------------------------------------


def text_of(reason: Any) -> str:
    """The text of a finf_reason."""
    return ffi.string(reason.text).decode(errors="replace")


def string(c: Any) -> str:
    """A static string of the library; "" for NULL."""
    return ffi.string(c).decode() if c else ""


def call(function: Any, *args: Any) -> None:
    """function(*args, &why), an exception unless it is FINF_OK."""
    why = ffi.new("finf_reason *")
    status = function(*args, why)
    if status:
        raise error_of(status, text_of(why))


def check(status: int, reason: Any, result: Any = None) -> None:
    """The same for a result that carries its reason; `result` is what a ToleranceError keeps."""
    if status:
        raise error_of(status, text_of(reason), result if status == lib.FINF_ETOL else None)


def made(kind: str, free: Any, function: Any, *args: Any) -> Any:
    """The object that function(*args, &object, &why) makes, freed with its last reference."""
    out = ffi.new(f"{kind} **")
    call(function, *args, out)
    return ffi.gc(out[0], free)


def result(kind: str, free: Any) -> Any:
    """A new result of the library, freed with its last reference: never while a call that was left
    alone still writes into it, and never twice."""
    return ffi.gc(ffi.new(f"{kind} *"), free)


def taken(owner: Any, name: str, free: Any) -> Any:
    """What a result has, which is then no longer the result's. An interrupt between these lines
    leaks it; were it still the result's in one of them, it could be freed twice."""
    c = getattr(owner, name)
    setattr(owner, name, ffi.NULL)
    return ffi.gc(c, free)


_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)


def keywords(*takers: Any, but: tuple[str, ...] = ()) -> Callable[[_F], _F]:
    """For a function whose further keywords go to these, `but` for some: one that is none is an
    error of ours, which says what there is, and not a TypeError about a function that nobody
    called."""
    def wrap(function: _F) -> _F:
        @functools.wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            try:
                return function(*args, **given)
            except TypeError as e:
                wrong = [x for x in given if (_is_named(e, x) or x in but)
                         and not _takes(function, x)]
                if not wrong:
                    raise  # of something else: a function that was given, say
                raise KeywordError(_no_keyword(function, takers, wrong[0], but)) from None
        return called  # type: ignore[return-value]
    return wrap


def keywords_of(cls: _C) -> _C:
    """The same for a class: its constructor, and all of its public methods."""
    for name, x in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(x, (classmethod, staticmethod)):
            setattr(cls, name, type(x)(keywords()(x.__func__)))
        elif inspect.isfunction(x) and not hasattr(x, "__wrapped__"):  # which says more itself
            setattr(cls, name, keywords()(x))
    return cls


def _is_named(e: TypeError, name: str) -> bool:
    """Whether it is an error about this keyword: Python's, or ours."""
    python = "unexpected keyword argument "
    return (f"{python}'{name}'" in str(e) or f"{python}{name!r}" in str(e)
            or isinstance(e, KeywordError) and re.search(
                f" has no keyword {re.escape(_spelled(name))}( \\(|: )", str(e)) is not None)


def _spelled(name: str) -> str:
    """A keyword in a message: as it is where it could be one, else quoted."""
    return name if name.isidentifier() else repr(name)


def _takes(function: Any, name: str) -> bool:
    x = inspect.signature(function).parameters.get(name)
    return x is not None and x.kind not in (x.POSITIONAL_ONLY, x.VAR_POSITIONAL, x.VAR_KEYWORD)


def _no_keyword(function: Any, takers: Any, wrong: str, but: tuple[str, ...]) -> str:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    there = dict.fromkeys(name for f in (function, *takers)
                          for name, x in inspect.signature(f).parameters.items()
                          if x.kind in kinds and name not in ("self", "cls", wrong)
                          and (f is function or name not in but))
    near = difflib.get_close_matches(wrong, there, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    name = function.__qualname__.removesuffix(".__init__")
    return f"{name} has no keyword {_spelled(wrong)}{meant}: it takes {', '.join(there) or 'none'}"


def by_name(cls: type, method: Any) -> Any:
    """The way to make one that a pickle names; nothing else that a class has."""
    ways = [name for name, x in vars(cls).items()
            if isinstance(x, classmethod) and not name.startswith("_")]
    if method not in ways:
        raise ParseError(f"{cls.__name__} by {method!r}: must be one of {', '.join(ways)}")
    return getattr(cls, method)


class Unchanging:
    """What never changes is its own copy, also where it cannot be pickled."""

    def __copy__(self: _T) -> _T:
        return self

    def __deepcopy__(self: _T, _memo: Any) -> _T:
        return self


# ---- numbers and arrays ---------------------------------------------------------------------


_REAL = "iufO"  # kinds of NumPy's types that are real numbers, or objects, which may be
_NO_NUMBERS = (str, bytes, bool, np.bool_)  # which float() would take


def shown(x: Any) -> str:
    """A value in a message: in one line, and not all of what is long."""
    try:
        text = " ".join(repr(x).split())
    except ValueError:  # Python writes no int of more than 4300 digits
        return "a number of very many digits"
    return text if len(text) <= 200 else f"{text[:200]}.."


def whole(x: Any, name: str, least: int = 1, most: int = 2**63 - 1) -> int:
    """x as a whole number; a DomainError says what is allowed."""
    if type(x) is int and least <= x <= most:
        return x
    try:
        exact = (not isinstance(x, _NO_NUMBERS) and math.isfinite(x) and x == int(x)
                 and (isinstance(x, int) or np.asarray(x).dtype.kind != "b"))
    except (TypeError, ValueError, OverflowError, RuntimeError):
        exact = False
    if not exact or not least <= int(x) <= most:
        most_said = f" to {most}" if most < 2**63 - 1 else ""
        raise DomainError(f"{name} = {shown(x)}: must be a whole number from {least}{most_said}")
    return int(x)


def number(x: Any, name: str) -> float:
    """x as a double; a DomainError where it is none."""
    if type(x) is float:
        return x
    try:
        if type(x) is not int and np.asarray(x).dtype.kind not in _REAL:
            raise TypeError
        return float(x)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last: of torch
        raise DomainError(f"{name} = {shown(x)}: must be a number") from None


def switch(x: Any, name: str) -> bool:
    """x as True or False; a word, which would be true whatever it says, is refused."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if not isinstance(x, (bool, np.bool_)) and (not isinstance(x, (int, np.integer))
                                                or x not in (0, 1)):
        raise DomainError(f"{name} = {shown(x)}: must be True or False")
    return bool(x)


def encoded(text: Any, name: str) -> bytes:
    """A text for the library; refused where it would be cut at a zero byte."""
    if not isinstance(text, str) or "\0" in text:
        raise ParseError(f"{name} = {shown(text)}: must be a text")
    return text.encode(errors="replace")


def dimensions(x: Any) -> int:
    """0 of a number; of lists of different lengths, which `array` refuses, 1."""
    try:
        return 0 if isinstance(x, (float, int)) else np.ndim(x)
    except (ValueError, RuntimeError):
        return 1


def _masked(x: Any) -> bool:
    """Whether anything in an array, or in a list of some, is masked."""
    if isinstance(x, (list, tuple)):
        return any(map(_masked, x))
    return isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x)


def array(x: Any, name: str) -> Array:
    """x as an array of doubles, of any shape; a DomainError where it is none. Booleans and texts
    are no numbers."""
    try:
        if _masked(x):
            raise TypeError("some are masked: all must be there")
        given = np.asarray(x)
        if given.dtype.kind not in _REAL:
            raise TypeError(f"of type {given.dtype}: real numbers are expected")
        if given.dtype.kind == "O" and any(isinstance(v, _NO_NUMBERS) for v in given.flat):
            raise TypeError("some are texts or booleans: real numbers are expected")
        return np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError, RuntimeError) as e:  # the last: of torch
        raise DomainError(f"{name}: {' '.join(str(e).split())}") from None


def numbers(x: ArrayLike, name: str, ndim: int = 1) -> tuple[Array, Any]:
    """The same of so many dimensions, and a pointer to it. The array must live as long as that."""
    a = array(x, name)
    if a.ndim == 0 and ndim == 1:  # one number is a list of it
        a = a.reshape(1)
    if a.ndim != ndim:
        raise DomainError(f"{name} has {a.ndim} dimensions: {ndim} expected")
    return a, ffi.from_buffer("double[]", a)


def room(*shape: int) -> tuple[Array, Any]:
    """A new array for the library to write into, and a pointer to it."""
    try:
        a = np.empty(shape, dtype=np.float64)
    except (MemoryError, ValueError):  # more than there is, or than an array can have
        raise OutOfMemoryError(f"no memory for {' x '.join(map(str, shape))} numbers") from None
    return a, ffi.from_buffer("double[]", a, require_writable=True)


def copied(pointer: Any, n: int) -> Array:
    """n doubles of the library's memory, copied."""
    if not pointer or not n:
        return np.empty(0)
    return np.frombuffer(ffi.buffer(pointer, 8 * n), dtype=np.float64).copy()


def real(name: str, x: Any) -> dict[str, Any]:
    """A finf_real as two fields: the value, and its error."""
    return {name: x.value, f"{name}_error": x.error}


def owned(pointer: Any, n: int, owner: Any) -> Array:
    """n doubles of the library's memory as they are: the array keeps their owner."""
    kept = ffi.gc(pointer, lambda _, owner=owner: None)
    return np.frombuffer(ffi.buffer(kept, 8 * n), dtype=np.float64)


_READ = {"double": "d", "int": "i", "size_t": "N"}  # a member of C in the letters of `struct`


def reader(kind: str, **names: str) -> Callable[[Any], dict[str, Any]]:
    """A function that reads these members of a struct of C, all at once: a result has some thirty,
    and one by one they would cost more than everything else in a call. `names`: what a member is
    called here; a finf_real gives also its error."""
    members = dict(ffi.typeof(kind).fields)
    layout, keys, at = "@", [], 0
    for name, member in sorted(names.items(), key=lambda x: members[x[1]].offset):
        offset, of = members[member].offset, members[member].type.cname
        layout += f"{offset - at}x" + ("dd" if of == "finf_real" else _READ[of])
        keys += [name, f"{name}_error"] if of == "finf_real" else [name]
        at = struct.calcsize(layout)
    unpack = struct.Struct(layout).unpack_from
    return lambda pointer: dict(zip(keys, unpack(ffi.buffer(pointer))))


def over(x: Any, y: Any) -> Any:
    """x/y of two finf_real."""
    return lib.finf_real_over(x, y)


def as_real(value: float, error: float = 0.0) -> Any:
    """A finf_real of a number, with its error."""
    x = lib.finf_real_exact(float(value))
    x.error = float(error)
    return x


@functools.lru_cache(maxsize=None)
def _words(spelled: Any, count: int) -> dict[str, int]:
    """The words that finf_.._name gives, and their numbers: asked for once."""
    spellings = ((spelled(i), i) for i in range(count))
    return {string(w): i for w, i in spellings if w}


def choice(word: str, name: str, spelled: Any, count: int) -> int:
    """The number of a word, of those that finf_.._name gives."""
    words = _words(spelled, count)
    if not isinstance(word, str) or word not in words:
        raise UsageError(f"{name} = {shown(word)}: must be one of {', '.join(words)}")
    return words[word]


# ---- Ctrl-C ---------------------------------------------------------------------------------

# A finf_cancel polls int (*)(void *). C's atoi is such a function: of a buffer that holds "0" it
# gives 0, and of "1" it gives 1. So C looks at a flag in memory, from whatever thread, and neither
# takes Python's lock nor waits for it.
_POLL = ffi.cast("int (*)(void *)", ffi.addressof(ffi.dlopen(None), "atoi"))


class Stop:
    """A flag that ends a call of the library."""

    def __init__(self) -> None:
        self._flag = ffi.new("char[2]", b"0")

    def into(self, cancel: Any) -> "Stop":
        """Lets this finf_cancel look at the flag."""
        cancel.poll = _POLL
        cancel.data = self._flag
        return self

    def set(self) -> None:
        """The call ends when it looks next."""
        self._flag[0] = b"1"


class _Worker:
    """A thread that makes calls, one after the other; kept for the next, since starting one costs
    more than a short call does."""

    idle: "list[_Worker]" = []

    def __init__(self) -> None:
        self._jobs: "queue.SimpleQueue[Callable[[], None]]" = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="finf", daemon=True).start()

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            job()
            del job  # and what it holds

    @classmethod
    def call(cls, function: Callable[[], Any], ended: Any, box: list[Any],
             claim: Any = None) -> None:
        """Has function() called: `ended`, a lock that is held, is released after it, when `box` has
        the value and the error. With `claim` only if that lock is free when it is its turn."""
        try:
            worker = cls.idle.pop()
        except IndexError:
            worker = cls()

        def job() -> None:
            try:
                if claim is None or claim.acquire(blocking=False):
                    box.append((function(), None))
            except BaseException as e:  # handed to the thread that waits
                box.append((None, e))
            finally:
                cls.idle.append(worker)
                ended.release()

        worker._jobs.put(job)


os.register_at_fork(after_in_child=_Worker.idle.clear)  # a child has none of these threads


def _held() -> Any:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _until(ended: Any) -> None:
    while not ended.acquire(timeout=0.2):  # a signal may have come to another thread
        pass


def _outcome(box: list[Any]) -> Any:
    value, error = box[0]
    if error is not None:
        raise error
    return value


def _wait(ended: Any, box: list[Any]) -> None:
    """Waits, whatever interrupts: the call's memory must not go before it has ended."""
    while not box:
        try:
            while not box:
                ended.acquire(timeout=0.2)
        except BaseException:  # of any handler of a signal
            pass


def stoppable(cancel: Any, function: Callable[[], Any], stop: Stop | None = None) -> Any:
    """function(), which looks at `cancel`; Ctrl-C ends it, and is then raised as ever.

    Python runs signal handlers in its main thread only, and between two of its instructions. So
    from the main thread the call is made in a second one, while the first waits. Other threads
    call directly: no signal is theirs.
    """
    if stop is not None:
        return _stopped_by(stop.into(cancel), function)
    try:
        return _stopped_by(Stop().into(cancel), function)
    finally:  # the flag goes with this call: another with the same options must not look at it
        cancel.poll = cancel.data = ffi.NULL


def _stopped_by(stop: Stop, function: Callable[[], Any]) -> Any:
    if threading.current_thread() is not threading.main_thread():
        return function()
    begun = threading.Lock()  # whoever takes it first: the call, or an interrupt before it
    ended, box = _held(), []  # type: ignore[var-annotated]
    try:
        _Worker.call(function, ended, box, begun)
        _until(ended)
    except BaseException:
        stop.set()
        if not begun.acquire(blocking=False):
            _wait(ended, box)
        raise
    return _outcome(box)


def stoppable_unless(short: bool, cancel: Any, function: Callable[..., Any], *args: Any) -> Any:
    """function(*args): as it is where it is short, as the second thread would cost more; else
    `stoppable`."""
    return function(*args) if short else stoppable(cancel, lambda: function(*args))


_MANY = 1_000_000  # numbers: from there on they may take seconds


def left_alone(n: int, function: Callable[[], Any]) -> Any:
    """function(), which makes n numbers and cannot be stopped: Ctrl-C does not wait for it. What it
    still computes then goes into memory that only it has, and ends with it."""
    if n < _MANY or threading.current_thread() is not threading.main_thread():
        return function()
    ended, box = _held(), []  # type: ignore[var-annotated]
    _Worker.call(function, ended, box)
    _until(ended)
    return _outcome(box)


_raised: list[BaseException] = []  # what a signal handler raised during the call below


def _look(_data: Any) -> int:
    """Python runs the handlers of signals that have come when it enters this function."""
    return 1 if _raised else 0


def _keep(_kind: Any, value: BaseException, _trace: Any) -> None:
    _raised.append(value)


_LOOK = ffi.callback("int (void *)", _look, error=1, onerror=_keep)


def seldom(cancel: Any, function: Callable[[], Any]) -> Any:
    """The same as `stoppable`, for calls that look at `cancel` from their own thread and only a few
    times: C then asks Python, which costs a microsecond each time, but needs no second thread,
    which would cost twenty. Where other threads compute, each look waits for Python's lock."""
    if threading.get_ident() != threading.main_thread().ident:
        return stoppable(cancel, function)
    cancel.poll = _LOOK
    _raised.clear()
    value = function()
    if _raised:
        raise _raised.pop()
    return value


class Progress:
    """A Python function that the library tells how far it is; what it raises ends the call."""

    def __init__(self, kind: str, function: Callable[..., Any] | None, stop: Stop) -> None:
        if function is not None and not callable(function):
            raise UsageError(f"progress = {shown(function)}: a function is expected")
        self.error: BaseException | None = None
        self.c = ffi.NULL if function is None else ffi.callback(
            kind, lambda _, *numbers: (function(*numbers), None)[1], onerror=self._failed)
        self._stop = stop

    def _failed(self, _kind: Any, value: BaseException, _trace: Any) -> None:
        self.error = value
        self._stop.set()

    def raise_if_failed(self) -> None:
        """After the call: what the function raised."""
        if self.error is not None:
            raise self.error
