"""Streams: correlated noise to run, step by step, the same bits for every worker."""
from __future__ import annotations

import math
import os
import threading
import weakref
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._call import as_real, call, keywords_of, made, number, numbers, shown, stoppable, string
from ._call import whole
from ._library import ffi, has, lib
from .accounting import gamma
from .designing import DesignResult, noise_of
from .errors import DomainError, UsageError
from .noise import Noise, noise_for
from .problem import Privacy
from .results import Results
from .systems import System

__all__ = ["NoiseStream"]

_DTYPES = {np.dtype(np.float64): "FINF_STREAM_F64", np.dtype(np.float32): "FINF_STREAM_F32"}


_process = [b""]  # this one's own: a child that was forked has another
_streams: "weakref.WeakSet[NoiseStream]" = weakref.WeakSet()


def _forked() -> None:
    """In the child, before anything else runs there: a lock that a thread of the parent held would
    be held for ever."""
    _process[0] = os.urandom(16)
    for s in list(_streams):
        if s._lock.locked():
            s._torn, s._lock = True, threading.Lock()


os.register_at_fork(after_in_child=_forked)


def refuse_twice(process: bytes, instead: str) -> None:
    """A child that was forked since has the key and the state of its parent: both would add the
    same noise, which whoever sees both can subtract."""
    if process != _process[0]:
        raise UsageError("this stream was made before a fork: parent and child would draw the "
                         f"same noise; {instead}")


@keywords_of
class NoiseStream:
    """z_t = sum_s beta_s w_{t-s}, w_{t,j} ~ N(0, sigma^2), of the given shape, step by step.

    ``noise``: a Noise or its spelling, or a System, whose n steps it then has, or what `design`
    answered for a family. ``sigma``: the standard deviation of w; or a privacy target in its place,
    rho or epsilon with delta, for the clip norm and participations given, by the sensitivity of
    ``steps`` (None: of all time). A design has its own sigma, steps and participations: with none
    given they are its.
    ``steps`` is needed where the noise has neither a recursion nor a finite beta (power, best): so
    many vectors are then kept. ``coordinates`` (a, b): those of the flattened shape only.

    w is a function of (key, t, j) alone: ChaCha20, then Box and Muller's method, so that any
    worker draws its coordinates with the same bits. The key comes from the system unless it is
    given; a ``seed`` is for experiments only, and gives no privacy. key and state() are secrets:
    whoever has them can subtract the noise. A child that was forked has both: there next() is
    refused, as it would be the parent's noise a second time.

    >>> stream = NoiseStream("blt:0.9,0.5;0.2,0.1", (2, 3), sigma=0.5, seed=1)
    >>> z = stream.next()
    >>> z.shape, stream.memory, stream.step
    ((2, 3), 2, 1)
    >>> saved = stream.state()
    >>> z1 = stream.next()
    >>> stream.restore(saved)
    >>> bool((stream.next() == z1).all())
    True
    """

    def __init__(self, noise: "Noise | System | DesignResult | Results[Any] | str",
                 shape: "int | Sequence[int]",
                 sigma: float | None = None, dtype: DTypeLike = np.float64, *,
                 steps: int | None = None, rho: float | None = None,
                 epsilon: float | None = None, delta: float | None = None,
                 clip: float | None = None, max_participations: int | None = None,
                 min_sep: int | None = None, epochs: int | None = None, seed: int | None = None,
                 key: bytes | None = None, coordinates: tuple[int, int] | None = None) -> None:
        if not has("finf_stream_new"):
            raise UsageError("this libfinf has no streams")
        run = _design(noise)
        self.noise: Noise | System = _noise(noise if run is None else run)
        self.shape = _shape(shape)
        self.dtype = _dtype(dtype)
        dim = math.prod(self.shape)
        if dim >= 2**63:
            raise DomainError(f"shape = {shown(shape)}: more numbers than there can be")
        target = (rho, epsilon, delta, clip, None)
        who = (max_participations, min_sep, epochs)
        o = ffi.new("finf_stream_options *", lib.finf_stream_options_default())
        if run is not None:
            steps = _steps(run, steps)
            sigma, target, who = _sigma_of(run, sigma, target, who), (None,) * 5, (None,) * 3
        o.sigma = _sigma(self.noise, sigma, target, steps, who)
        o.dtype = getattr(lib, _DTYPES[self.dtype])
        o.steps = 0 if steps is None else whole(steps, "steps")
        if coordinates is not None:
            if not isinstance(coordinates, (tuple, list)) or len(coordinates) != 2:
                raise DomainError(f"coordinates = {shown(coordinates)}: two numbers, first and "
                                  "end, are expected")
            first, end = (whole(x, "coordinates", 0, dim) for x in coordinates)
            if first >= end:
                raise DomainError(f"coordinates {first}:{end}: there must be some")
            o.first, o.count = first, end - first
            self.shape = (end - first,)
        recursion = None if run is None else run.recursion
        self._c = _opened(self.noise, recursion, dim, o, seed, key)
        self._whole_run = self._to_fill = self.method == "transforms of the whole run"
        self._lock = threading.Lock()
        self._torn = False
        self._process = _process[0]
        _streams.add(self)

    def next(self, out: "NDArray[Any] | None" = None) -> "NDArray[Any]":
        """z of the next step: a new array, or `out`, of the stream's dtype and size.

        >>> z = np.empty(3)
        >>> NoiseStream("sgd", 3, 1.0).next(z) is z
        True
        """
        if out is None:
            out = np.empty(self.shape, dtype=self.dtype)
        elif not isinstance(out, np.ndarray):
            raise DomainError(f"out is a {type(out).__name__}: an array is expected")
        elif out.dtype != self.dtype or out.size != math.prod(self.shape):
            raise DomainError(f"out is {out.dtype} of {out.size}: {self.dtype} of "
                              f"{math.prod(self.shape)} expected")
        elif not (out.flags.c_contiguous and out.flags.writeable):
            raise DomainError("out must be C-contiguous and writeable")
        if not self.seeded:  # a seed gives no privacy anyway
            refuse_twice(self._process, "make one after it, or, where the parent draws no more, "
                         "stream.restore(stream.state())")
        with self._untorn():
            if self._to_fill:  # the first step makes all of them: that can be stopped
                self._skip(0)
                self._to_fill = False
            call(lib.finf_stream_next, self._c, ffi.from_buffer(out, require_writable=True))
        return out

    def _untorn(self) -> Any:
        """The lock; refused where the state was half way between two steps when it was forked."""
        if self._torn:
            raise UsageError("another thread was drawing from this stream at the fork: its state "
                             "here is half a step; restore one that was kept, or make a new one")
        return self._lock

    def _skip(self, steps: int) -> None:
        cancel = ffi.new("finf_cancel *")
        stoppable(cancel, lambda: call(lib.finf_stream_skip, self._c, steps, cancel))

    def skip(self, steps: int) -> None:
        """On by so many steps. Interrupted it is not to be used until it is restored.

        >>> stream = NoiseStream("sgd", 3, 1.0)
        >>> stream.skip(1000)
        >>> stream.step
        1000
        """
        n = whole(steps, "steps", 0)
        with self._untorn():
            self._skip(n)

    def state(self) -> bytes:
        """Key, step and state: what it takes to go on with the same bits. A secret.

        >>> type(NoiseStream("sgd", 3, 1.0).state())
        <class 'bytes'>
        """
        with self._untorn():
            room = bytearray(lib.finf_stream_state_size(self._c))
            call(lib.finf_stream_state, self._c, ffi.from_buffer(room), len(room))
        return bytes(room)

    def restore(self, state: bytes) -> None:
        """To that state, of a stream of the same noise, sigma, shape and coordinates.

        >>> one, other = NoiseStream("sgd", 3, 1.0), NoiseStream("sgd", 3, 1.0)
        >>> other.restore(one.state())
        >>> bool((one.next() == other.next()).all())
        True
        """
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise DomainError(f"state is a {type(state).__name__}: bytes are expected")
        if isinstance(state, memoryview):  # which may have gaps
            state = state.tobytes()
        with self._lock:
            call(lib.finf_stream_restore, self._c, ffi.from_buffer(state), len(state))
            self._to_fill = self._whole_run
            self._torn, self._process = False, _process[0]

    def __reduce__(self) -> Any:
        raise TypeError("a stream holds its key, and is not pickled: keep its state(), and restore "
                        "that into a stream made the same way")

    def __iter__(self) -> "Iterator[NDArray[Any]]":
        while not self.steps or self.step < self.steps:
            yield self.next()

    # ---- what it is -------------------------------------------------------------------------

    def _facts(self) -> Any:
        return lib.finf_stream_describe(self._c)

    @property
    def sigma(self) -> float:
        """Standard deviation of w."""
        return self._facts().sigma

    @property
    def step(self) -> int:
        """The next one."""
        return self._facts().step

    @property
    def steps(self) -> int:
        """That there are; 0: any number."""
        return self._facts().steps

    @property
    def memory(self) -> int:
        """Vectors of state."""
        return self._facts().memory

    @property
    def method(self) -> str:
        """How z comes from w: "buffers", "past inputs", .."""
        return string(self._facts().method)

    @property
    def generator(self) -> str:
        """Of w."""
        return string(self._facts().generator)

    @property
    def seeded(self) -> bool:
        """From a seed: for experiments, no privacy."""
        return bool(self._facts().seeded)

    @property
    def key(self) -> bytes:
        """For workers that have other coordinates of the same noise. A secret."""
        room = ffi.new("unsigned char[]", lib.FINF_STREAM_KEY)
        lib.finf_stream_key(self._c, room)
        return bytes(ffi.buffer(room))

    def __repr__(self) -> str:
        note = ", seeded: no privacy" if self.seeded else ""
        return f"<NoiseStream {self.noise}, shape {self.shape}, sigma = {self.sigma:g}{note}>"


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(whole(n, "shape", 0) for n in (shape if isinstance(shape, (tuple, list))
                                                else np.atleast_1d(shape).tolist()))


def _dtype(dtype: Any) -> "np.dtype[Any]":
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in _DTYPES:
        raise UsageError(f"dtype = {dtype if found == object else found}: must be float64 or "
                         "float32")
    return found


def _sigma(noise: "Noise | System", sigma: float | None, target: tuple[Any, ...],
           steps: int | None, who: tuple[Any, ...]) -> float:
    """As given, or what the privacy target needs."""
    given = any(x is not None for x in target[:3])
    if (sigma is not None) == given:
        raise UsageError("sigma, or a privacy target (rho, or epsilon with delta): one of them")
    if sigma is not None:
        if any(x is not None for x in (target[3], *who)):
            raise UsageError("clip and participations are of a privacy target: sigma is as given")
        return number(sigma, "sigma")
    k, b, epochs = who
    if isinstance(noise, System):
        sens2 = noise.sensitivity(k, b, epochs)[0]
    else:
        sens2 = gamma(noise, steps, max_participations=k, min_sep=b, epochs=epochs).meant
    if math.isinf(sens2):
        raise DomainError("the sensitivity of all time is infinite: say how many steps")
    m = Privacy(*target).multipliers(as_real(sens2))  # which owns its parts
    return m.sigma.value


def _design(noise: Any) -> DesignResult | None:
    """What `design` answered, where that was given: for one family."""
    if isinstance(noise, Results):
        if len(noise) != 1:
            named = ", ".join(str(getattr(r, "family", "?")) for r in noise)
            raise UsageError(f"a design of {len(noise)} families ({named}): give one of them, as "
                             "design[0]")
        noise = noise[0]
    return noise if isinstance(noise, DesignResult) else None


def _noise(given: Any) -> "Noise | System":
    if isinstance(given, System):
        return given
    if not isinstance(given, DesignResult):
        return noise_for(given)
    return noise_of(given)


def _steps(run: DesignResult, steps: int | None) -> int | None:
    """Of the stream: a design is private for no more steps than it was made for."""
    if run.steps is None or steps is None:
        return steps if run.steps is None else run.steps
    return whole(steps, "steps", 1, run.steps)


def _sigma_of(run: DesignResult, sigma: float | None, target: tuple[Any, ...],
              who: tuple[Any, ...]) -> float:
    """As given; of a privacy target, by the design's own sensitivity; or the design's."""
    if any(x is not None for x in who):
        raise UsageError("participations are the design's own")
    if all(x is None for x in target):
        return number(run.sigma if sigma is None else sigma, "sigma")
    if sigma is not None:
        raise UsageError("sigma, or a privacy target (rho, or epsilon with delta): one of them")
    rho, epsilon, delta, clip, _ = target
    if rho is None and epsilon is None and delta is None:
        raise UsageError("clip is of a privacy target: rho, or epsilon with delta")
    m = Privacy(rho, epsilon, delta, run.clip if clip is None else clip).multipliers(
        as_real(run.sens2))
    return m.sigma.value


def _opened(noise: "Noise | System", recursion: "NDArray[Any] | None", dim: int, o: Any,
            seed: int | None, key: bytes | None) -> Any:
    """A finf_stream at step 0."""
    if seed is not None:
        o.seeded, o.seed = 1, whole(seed, "seed", 0, 2**64 - 1)
    held = None
    if key is not None:
        if not isinstance(key, (bytes, bytearray)):
            raise DomainError(f"key is a {type(key).__name__}: bytes are expected")
        if len(key) != lib.FINF_STREAM_KEY:
            raise DomainError(f"a key of {len(key)} bytes: {lib.FINF_STREAM_KEY} expected")
        held = ffi.new("unsigned char[]", bytes(key))
        o.key = held
    kind, free = "finf_stream", lib.finf_stream_free
    if recursion is not None:
        rows, p = numbers(recursion, "recursion", 2)
        return made(kind, free, lib.finf_stream_new_recursion, p, len(rows),
                    (rows.shape[1] - 1) // 3, dim, o)
    if isinstance(noise, System):
        B, p = numbers(noise.noising(), "B", 2)
        return made(kind, free, lib.finf_stream_new_matrix, p, len(B), dim, o)
    return made(kind, free, lib.finf_stream_new, noise._c, dim, o)
