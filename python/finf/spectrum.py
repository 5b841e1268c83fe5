"""Spectra of the Hessian H: formulas, lists, covariance matrices, data."""
from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from numpy.typing import ArrayLike

from ._call import Array, Unchanging, array, as_real, by_name, call, encoded, keywords_of, made
from ._call import number, numbers, over, real, switch, whole
from ._library import ffi, lib
from .errors import DomainError, UsageError

__all__ = ["Spectrum"]

_ROWS = 4096  # of data, copied at a time


@keywords_of
class Spectrum(Unchanging):
    """The eigenvalues lambda_1, .., lambda_d of H. Dimensions go up to 1e15.

    >>> s = Spectrum.power(1, 128)
    >>> s
    <Spectrum power:1, d = 128, from 1 to 0.0078125>
    >>> s.d, round(s.trace, 6), round(s.d_eff, 6)
    (128, 5.433147, 5.433147)
    """

    def __init__(self, eigenvalues: ArrayLike, *, normalize: bool = False) -> None:
        a, p = numbers(eigenvalues, "eigenvalues")
        self._set(_made(lib.finf_spectrum_list, p, len(a)), f"list of {len(a)}", normalize)

    def _set(self, c: Any, name: str, normalize: bool, recipe: Any = None) -> None:
        if switch(normalize, "normalize"):
            lib.finf_spectrum_normalize(c)
        self._c, self._name, self._recipe = c, name, recipe and (normalize, *recipe)
        self._sizes: dict[str, Any] = {}
        self._ends: tuple[float, float] | None = None
        self._eta_max: dict[float, tuple[float, float]] = {}  # of plain SGD, by kurtosis

    @classmethod
    def _of(cls, c: Any, name: str, normalize: bool, recipe: Any = None) -> "Spectrum":
        self = object.__new__(cls)
        self._set(c, name, normalize, recipe)
        return self

    def __reduce__(self) -> Any:
        """By how it was made; else the eigenvalues, and what is known of them."""
        if self._recipe is not None:
            return _again, self._recipe
        f = self._facts()
        return _listed, (self.eigenvalues(), self._name, f.zeros, f.rows, f.resolution,
                         lib.finf_spectrum_trace_error(self._c))

    # ---- where they come from ---------------------------------------------------------------

    @classmethod
    def power(cls, a: float, d: float, *, normalize: bool = False) -> "Spectrum":
        """lambda_k = k^-a, k = 1..d.

        >>> Spectrum.power(2, 3).eigenvalues()
        array([1.        , 0.25      , 0.11111111])
        """
        a, d = number(a, "a"), number(d, "d")
        c = _made(lib.finf_spectrum_power, a, d)
        return cls._of(c, f"power:{a:g}", normalize, ("power", a, d))

    @classmethod
    def exp(cls, r: float, d: float, *, normalize: bool = False) -> "Spectrum":
        """lambda_k = e^{-r(k-1)}.

        >>> Spectrum.exp(0.5, 2).eigenvalues()
        array([1.        , 0.60653066])
        """
        r, d = number(r, "r"), number(d, "d")
        c = _made(lib.finf_spectrum_exp, r, d)
        return cls._of(c, f"exp:{r:g}", normalize, ("exp", r, d))

    @classmethod
    def flat(cls, d: float) -> "Spectrum":
        """lambda_k = 1.

        >>> Spectrum.flat(1e15).trace
        1000000000000000.0
        """
        return cls._of(_made(lib.finf_spectrum_flat, number(d, "d")), "flat", False,
                       ("flat", d))

    @classmethod
    def step(cls, d: float) -> "Spectrum":
        """1, 1/d, 1/d, ..

        >>> Spectrum.step(4).eigenvalues()
        array([1.  , 0.25, 0.25, 0.25])
        """
        return cls._of(_made(lib.finf_spectrum_step, number(d, "d")), "step", False,
                       ("step", d))

    @classmethod
    def from_eigenvalues(cls, eigenvalues: ArrayLike, *, normalize: bool = False) -> "Spectrum":
        """Given eigenvalues, in any order. Zeros are directions without loss: left out, counted.

        >>> Spectrum.from_eigenvalues([1, 0.5, 0]).zeros
        1
        """
        return cls(eigenvalues, normalize=normalize)

    @classmethod
    def from_covariance(cls, H: ArrayLike, *, normalize: bool = False) -> "Spectrum":
        """The eigenvalues of a symmetric matrix. Those below its rounding are not resolved, and
        counted as zeros; of floats the rounding is taken to be theirs.

        >>> Spectrum.from_covariance([[2, 1], [1, 2]]).eigenvalues()
        array([3., 1.])
        """
        a, p = numbers(H, "H", 2)
        if a.shape[0] != a.shape[1]:
            raise DomainError(f"H has shape {a.shape}: a square matrix is expected")
        dtype = np.asarray(H).dtype
        rounding = float(np.finfo(dtype).eps) / 2 if dtype in (np.float32, np.float16) else 0.0
        c = _made(lib.finf_spectrum_covariance, p, len(a), rounding)
        return cls._of(c, f"covariance {len(a)} x {len(a)}", normalize)

    @classmethod
    def from_data(cls, X: "ArrayLike | Iterable[ArrayLike]", *,
                  normalize: bool = False) -> "Spectrum":
        """The eigenvalues of X'X/n, X of n rows of d numbers, not centred: the H of
        F = (1/2) E(y - <theta,x>)^2 where x is a row drawn at random.

        X is an array (also a memory map: it is read by blocks of rows), or an iterable of blocks.

        >>> s = Spectrum.from_data([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [1.0, 0.0]])
        >>> s.eigenvalues(), s.rows
        (array([1. , 0.5]), 4)
        """
        gram: Any = None
        for block in _blocks(X):
            if gram is None:
                gram = made("finf_gram", lib.finf_gram_free, lib.finf_gram_new, block.shape[1])
                d = block.shape[1]
            if block.shape[1] != d:
                raise DomainError(f"a block of data has {block.shape[1]} columns: {d} expected")
            a, p = numbers(block, "X", 2)
            call(lib.finf_gram_add, gram, p, len(a))
        if gram is None:
            raise DomainError("no rows of data")
        name = f"data of {lib.finf_gram_rows(gram)} rows"
        return cls._of(_made(lib.finf_spectrum_gram, gram), name, normalize)

    # ---- what they are ----------------------------------------------------------------------

    def _facts(self) -> Any:
        return lib.finf_spectrum_describe(self._c)

    @property
    def d(self) -> int:
        """How many there are, without zeros."""
        return int(lib.finf_spectrum_dim(self._c))

    @property
    def max(self) -> float:
        """The largest."""
        return lib.finf_spectrum_max(self._c)

    @property
    def min(self) -> float:
        """The smallest."""
        return lib.finf_spectrum_min(self._c)

    @property
    def trace(self) -> float:
        """Their sum."""
        return lib.finf_spectrum_trace(self._c)

    def ends(self) -> tuple[float, float]:
        """The smallest and the largest."""
        if self._ends is None:
            self._ends = self.min, self.max
        return self._ends

    def sizes(self) -> dict[str, Any]:
        """d, d_eff and trace, with their errors: fields of results."""
        if not self._sizes:
            trace = as_real(self.trace, lib.finf_spectrum_trace_error(self._c))
            top = as_real(self.max, self._facts().resolution)
            self._sizes = {"d": self.d, **real("d_eff", over(trace, top)), **real("trace", trace)}
        return self._sizes

    @property
    def condition_error(self) -> float:
        """How far the true condition may be from it: 0 unless it is of a matrix or data."""
        off = self._facts().resolution
        return over(as_real(self.max, off), as_real(self.min, off)).error if off else 0.0

    @property
    def d_eff(self) -> float:
        """Tr H / lambda_max."""
        return self.trace / self.max

    @property
    def zeros(self) -> int:
        """How many zeros were left out."""
        return int(lib.finf_spectrum_zeros(self._c))

    @property
    def rows(self) -> int:
        """Samples of the data it is of; 0: it is not of data."""
        return int(self._facts().rows)

    @property
    def condition(self) -> float:
        """The largest by the smallest."""
        return self._facts().condition

    @property
    def resolution(self) -> float:
        """Of a matrix or data: the error of each eigenvalue; else 0."""
        return self._facts().resolution

    def eigenvalues(self, n: int | None = None) -> Array:
        """The first n (None: all, up to 1e7) eigenvalues, as an array.

        >>> Spectrum.flat(1e12).eigenvalues(2)
        array([1., 1.])
        """
        count = self.d if n is None else min(whole(n, "n", 0), self.d)
        if count > 10**7:
            raise UsageError(f"{count} eigenvalues: say how many, up to 1e7")
        at = lib.finf_spectrum_at
        return np.array([at(self._c, k) for k in range(1, count + 1)])

    def __len__(self) -> int:
        return self.d

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<Spectrum {self._name}, d = {self.d}, from {self.max:g} to {self.min:g}>"


def _again(normalize: bool, method: str, *args: Any) -> Spectrum:
    return by_name(Spectrum, method)(*args, **({"normalize": True} if normalize else {}))


def _listed(eigenvalues: Array, name: str, zeros: float = 0.0, rows: float = 0.0,
            resolution: float = 0.0, trace_error: float = 0.0) -> Spectrum:
    a, p = numbers(eigenvalues, "eigenvalues")
    encoded(name, "name")
    known = ffi.new("finf_spectrum_facts *", {
        "zeros": number(zeros, "zeros"), "rows": number(rows, "rows"),
        "resolution": number(resolution, "resolution")})
    return Spectrum._of(_made(lib.finf_spectrum_again, p, len(a), known,
                              number(trace_error, "trace_error")), name, False)


def _made(function: Any, *args: Any) -> Any:
    return made("finf_spectrum", lib.finf_spectrum_free, function, *args)


def _blocks(X: Any) -> Iterable[Any]:
    """Data as 2-d blocks of rows, so that neither all of it is copied nor Ctrl-C waits for it."""
    if not _is_array(X) and not isinstance(X, (list, tuple)):
        if isinstance(X, (str, bytes)) or hasattr(X, "ndim") or not hasattr(X, "__iter__"):
            raise DomainError(f"X is a {type(X).__name__}: rows of numbers are expected")
        for block in X:
            rows = block if _is_array(block) else array(block, "X")
            if rows.ndim not in (1, 2):
                raise DomainError(f"a block of data has {rows.ndim} dimensions: rows of numbers "
                                  "are expected")
            yield rows[None] if rows.ndim == 1 else rows
        return
    data = X if _is_array(X) else array(X, "X")
    if data.ndim != 2:
        raise DomainError(f"X has {data.ndim} dimensions: rows of numbers are expected")
    for i in range(0, len(data), _ROWS):
        yield data[i:i + _ROWS]


def _is_array(X: Any) -> bool:
    """Of NumPy, or what becomes one block by block; a sparse matrix does not."""
    return hasattr(X, "ndim") and hasattr(X, "__array__")


def spectrum_of(s: "Spectrum | ArrayLike") -> Spectrum:
    """A spectrum, also where a list of eigenvalues was given."""
    if s is None:
        raise UsageError("spectrum = None: a Spectrum, or eigenvalues, are expected")
    return s if isinstance(s, Spectrum) else Spectrum(s)
