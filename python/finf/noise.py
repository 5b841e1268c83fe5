"""Noise: the families of beta, what they cost in sensitivity, and their coefficients."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._call import Array, Unchanging, array, call, check, encoded, keywords_of, left_alone, made
from ._call import number, numbers, room, shown, string, text_of, whole
from ._files import column, pairs, table
from ._library import ffi, lib
from .errors import DomainError, ParseError, UsageError

if TYPE_CHECKING:
    from .problem import Problem

__all__ = ["Noise"]

_NEED_PROBLEM = ("best", "nu:best", "nu:paper")
_FALLING = ("sgd", "nu", "power", "antipgd", "cc")
_FILES = ("beta", "strategy", "spectrum", "design")


@keywords_of
class Noise(Unchanging):
    """Correlated noise z_t = sum_s beta_s w_{t-s}, w_t independent of variance sigma^2.

    It is made by one of the class methods, or from the spelling that the command line has::

        Noise.nu(0.01)    Noise("nu:0.01")    Noise("beta@FILE")    Noise.best(problem)

    B(z) = sum_t beta_t z^t are its noising coefficients, c = 1/beta as power series its strategy
    coefficients, and gamma^2 = sum_t c_t^2 the squared sensitivity that privacy pays for.

    >>> import finf
    >>> noise = finf.Noise.nu(0.01)
    >>> noise
    Noise('nu:0.01')
    >>> round(noise.gamma2, 12), noise.gamma2_error < 1e-13
    (2.136878261111, True)
    """

    def __init__(self, text: str) -> None:
        if isinstance(text, str) and text in _NEED_PROBLEM:
            raise UsageError(f"{text} depends on the problem: Noise.best(problem), "
                             "Noise.nu_best(problem), Noise.nu_paper(problem)")
        if text == "nu:auto":
            raise ParseError("noise 'nu:auto': there is no auto; nu:paper is eta*mu, nu:best the "
                             "nu that is best for the problem")
        if isinstance(text, str) and text.partition("@")[0] in _FILES and "@" in text:
            self._set(_of_file(*text.split("@", 1))._c)
            return
        self._set(_made(lib.finf_noise_parse, encoded(text, "noise")))

    def _set(self, c: Any) -> None:
        self._c = c
        self._sensitivity: Any = None
        self._family: str | None = None

    @classmethod
    def _of(cls, c: Any) -> "Noise":
        self = object.__new__(cls)
        self._set(c)
        return self

    # ---- families ---------------------------------------------------------------------------

    @classmethod
    def sgd(cls) -> "Noise":
        """B = 1: independent noise, DP-SGD.

        >>> Noise.sgd().gamma2
        1.0
        """
        return cls("sgd")

    @classmethod
    def nu(cls, nu: float) -> "Noise":
        """B = (1 - (1-nu) z)^(1/2), nu-DP-FTRL; 1e-50 <= nu <= 1.

        >>> Noise.nu(0.1).coef(3)
        array([ 1.     , -0.45   , -0.10125])
        """
        return cls._of(_made(lib.finf_noise_nu, number(nu, "nu")))

    @classmethod
    def power(cls, p: float, nu: float) -> "Noise":
        """B = (1 - (1-nu) z)^p; 0 <= p <= 1.

        >>> Noise.power(0.5, 0.1).gamma2 == Noise.nu(0.1).gamma2
        True
        """
        return cls._of(_made(lib.finf_noise_power, number(p, "p"), number(nu, "nu")))

    @classmethod
    def antipgd(cls, nu: float = 0.0) -> "Noise":
        """B = 1 - (1-nu) z, damped anti-PGD; nu = 0 is anti-PGD itself, of infinite gamma.

        >>> Noise.antipgd().gamma2
        inf
        """
        return cls._of(_made(lib.finf_noise_antipgd, number(nu, "nu")))

    @classmethod
    def cc(cls) -> "Noise":
        """B = (1 - z)^(1/2), optimal for counting; gamma_T^2 grows like log(T)/pi.

        >>> round(Noise.cc().gamma2_T(1000)[0], 6)
        3.265003
        """
        return cls("cc")

    @classmethod
    def bisr(cls, bands: int) -> "Noise":
        """The first `bands` terms of (1 - z)^(1/2): banded inverse square root.

        >>> Noise.bisr(3).coef(4)
        array([ 1.   , -0.5  , -0.125,  0.   ])
        """
        return cls(f"bisr:{whole(bands, 'bands')}")

    @classmethod
    def blt(cls, buf_decay: ArrayLike, output_scale: ArrayLike) -> "Noise":
        """B = 1/C, C = 1 + sum_i output_scale_i z / (1 - buf_decay_i z).

        Buffered linear Toeplitz noise: as many vectors of memory as there are decays.

        >>> Noise.blt([0.9, 0.5], [0.2, 0.1]).strategy(3)
        array([1.  , 0.3 , 0.23])
        """
        decay, d = numbers(buf_decay, "buf_decay")
        scale, s = numbers(output_scale, "output_scale")
        if len(decay) != len(scale):
            raise UsageError(f"{len(decay)} of buf_decay and {len(scale)} of output_scale")
        return cls._of(_made(lib.finf_noise_blt, d, s, len(decay)))

    @classmethod
    def product(cls, nu: ArrayLike, r: ArrayLike) -> "Noise":
        """B = prod_i (1 - (1-nu_i) z)^r_i, what `optimize` returns.

        >>> Noise.product([0.1], [0.5]).gamma2 - Noise.nu(0.1).gamma2 < 1e-13
        True
        """
        a, p = numbers(nu, "nu")
        b, q = numbers(r, "r")
        if len(a) != len(b):
            raise UsageError(f"{len(a)} of nu and {len(b)} of r")
        return cls._of(_made(lib.finf_noise_product, p, q, len(a)))

    @classmethod
    def from_noising_coef(cls, beta: ArrayLike) -> "Noise":
        """B = beta_0 + .. + beta_{n-1} z^{n-1}.

        >>> Noise.from_noising_coef([1, -0.5]).strategy(4)
        array([1.   , 0.5  , 0.25 , 0.125])
        """
        a, p = numbers(beta, "noising_coef")
        return cls._of(_made(lib.finf_noise_fir, p, len(a)))

    @classmethod
    def from_strategy_coef(cls, c: ArrayLike) -> "Noise":
        """B = 1/C, C = c_0 + .. + c_{n-1} z^{n-1}: a banded Toeplitz strategy.

        >>> Noise.from_strategy_coef([1, 0.5]).gamma2
        1.25
        """
        a, p = numbers(c, "strategy_coef")
        return cls._of(_made(lib.finf_noise_strategy, p, len(a)))

    @classmethod
    def from_density(cls, density: ArrayLike, w: ArrayLike | None = None) -> "Noise":
        """The minimum-phase noise of |B(w)|^2, at frequencies w in [0, pi] (None: uniform).

        >>> w = np.linspace(0, np.pi, 400)
        >>> one = Noise.from_density(Noise.nu(0.5).density(w), w)
        >>> abs(one.gamma2 - Noise.nu(0.5).gamma2) < 1e-9
        True
        """
        s, p = numbers(density, "density")
        q: Any = ffi.NULL
        if w is not None:
            at, q = numbers(w, "w")
            if len(at) != len(s):
                raise UsageError(f"{len(at)} frequencies and {len(s)} densities")
        return cls._of(_made(lib.finf_noise_spectrum, q, p, len(s)))

    # ---- for a problem ----------------------------------------------------------------------

    @classmethod
    def best(cls, problem: "Problem") -> "Noise":
        """The optimum over all noise for mean estimation and linear regression; for strongly
        convex, smooth F the noise with the least bound that is found.

        >>> import finf
        >>> problem = finf.Problem(eta=0.1)
        >>> Noise.best(problem)
        Noise('nu:0.1')
        """
        return _of_problem(problem).best_noise()

    @classmethod
    def nu_best(cls, problem: "Problem") -> "Noise":
        """The nu with the least F_inf, or bound, to six digits, where F is flat: a noise that is
        easily pasted. `tune` has all digits.

        >>> import finf
        >>> s = finf.Spectrum.power(1, 8)
        >>> Noise.nu_best(finf.Problem(eta=0.02, spectrum=s))
        Noise('nu:0.00624846')
        """
        return cls.nu(float(f"{_of_problem(problem).best_nu():.6g}"))

    @classmethod
    def nu_paper(cls, problem: "Problem") -> "Noise":
        """nu = eta mu, the paper's choice.

        >>> import finf
        >>> Noise.nu_paper(finf.Problem(eta=0.125, kappa=16))
        Noise('nu:0.0078125')
        """
        return cls.nu(lib.finf_nu_of_paper(_of_problem(problem).eta, problem.mu))

    # ---- what it is -------------------------------------------------------------------------

    @property
    def family(self) -> str:
        """The name of its family: "nu"."""
        if self._family is None:
            self._family = string(lib.finf_noise_family(self._c))
        return self._family

    def _is_short(self, steps: int, participations: int = 1) -> bool:
        """Whether the sensitivity of so many steps is a matter of milliseconds, which need not be
        stopped: its strategy coefficients never increase, so that nothing is searched for."""
        return (self.family in _FALLING and steps <= 100_000
                and steps * participations <= 10_000_000)

    @property
    def spelling(self) -> str | None:
        """The noise as the command line spells it, with every digit; None where it has none.

        >>> Noise.blt([0.9], [0.2]).spelling
        'blt:0.9;0.2'
        """
        size = 1024
        while size <= 2**26:
            text = ffi.new("char[]", size)
            if lib.finf_noise_spell(self._c, text, size) == lib.FINF_OK:
                return string(text)
            if self.family == "spectrum":
                return None
            size *= 8
        return None

    def __repr__(self) -> str:
        text = self.spelling
        return f"Noise({text!r})" if text else f"<Noise given by |B|^2, gamma2 = {self.gamma2:.6g}>"

    def __str__(self) -> str:
        return self.spelling or "best"

    def __eq__(self, other: object) -> bool:
        """Of the same spelling, to the last digit.

        >>> Noise("nu:0.01") == Noise.nu(0.01), Noise.nu(0.01) == Noise.nu(0.02)
        (True, False)
        """
        if not isinstance(other, Noise):
            return NotImplemented
        return self is other or (self.spelling is not None and self.spelling == other.spelling)

    def __hash__(self) -> int:
        return hash(self.spelling)

    def __reduce__(self) -> Any:
        text = self.spelling
        if text is None:
            raise TypeError("a noise given by |B|^2 has no spelling, and cannot be pickled")
        return (Noise, (text,))

    # ---- sensitivity ------------------------------------------------------------------------

    def _gamma(self) -> Any:
        if self._sensitivity is None:
            out = ffi.new("finf_sensitivity *")
            check(lib.finf_noise_sensitivity(self._c, out), out.reason)
            self._sensitivity = out
        return self._sensitivity

    @property
    def gamma2(self) -> float:
        """gamma_inf^2 = sum_t c_t^2, the squared sensitivity; inf where it diverges."""
        return self._gamma().gamma2.value

    @property
    def gamma2_error(self) -> float:
        """How far the true gamma2 may be from it."""
        return self._gamma().gamma2.error

    @property
    def gamma2_reason(self) -> str:
        """Why gamma2 is infinite; else "".

        >>> Noise.cc().gamma2_reason
        'sum c_t^2 diverges: gamma_T^2 grows like log(T)/pi (zero of B at z = 1)'
        """
        return text_of(self._gamma().reason)

    @property
    def minimum_phase(self) -> bool:
        """Whether 1/B is analytic in |z| <= 1."""
        return bool(self._gamma().minimum_phase)

    def gamma2_T(self, steps: int) -> tuple[float, float]:
        """gamma_T^2 = sum_{t<T} c_t^2, and its error.

        >>> Noise.antipgd().gamma2_T(50)[0]
        50.0
        """
        out, n = ffi.new("finf_real *"), whole(steps, "steps")
        left_alone(n, lambda: call(lib.finf_noise_sensitivity_at, self._c, n, out))
        return out.value, out.error

    # ---- coefficients and response ----------------------------------------------------------

    def coef(self, n: int) -> Array:
        """The first n noising coefficients beta_t.

        >>> Noise.nu(0.5).coef(3)
        array([ 1.     , -0.25   , -0.03125])
        """
        a, p = room(whole(n, "n"))
        left_alone(len(a), lambda: call(lib.finf_noise_beta, self._c, len(a), p))
        return a

    def strategy(self, n: int) -> Array:
        """The first n strategy coefficients c_t, c = 1/beta.

        >>> Noise.antipgd(0.5).strategy(3)
        array([1.  , 0.5 , 0.25])
        """
        a, p = room(whole(n, "n"))
        left_alone(len(a), lambda: call(lib.finf_noise_coef, self._c, len(a), p))
        return a

    @property
    def buf_decay(self) -> Array:
        """The decays of a BLT's buffers; of other noise a UsageError.

        >>> Noise("blt:0.9,0.5;0.2,0.1").buf_decay
        array([0.9, 0.5])
        """
        return self._buffers(0)

    @property
    def output_scale(self) -> Array:
        """What each of a BLT's buffers is multiplied by.

        >>> Noise("blt:0.9,0.5;0.2,0.1").output_scale
        array([0.2, 0.1])
        """
        return self._buffers(1)

    def _buffers(self, which: int) -> Array:
        if self.family != "blt":
            raise UsageError(f"{self!r} is no BLT: only blt has buffers")
        lists = (self.spelling or "").partition(":")[2].split(";")
        return np.array([float(x) for x in lists[which].split(",")])

    noising_coef = coef
    strategy_coef = strategy

    def density(self, w: ArrayLike) -> Array:
        """|B(w)|^2 at frequencies -pi <= w <= pi.

        >>> Noise.nu(0.1).density([0.0, np.pi]).round(12)
        array([0.1, 1.9])
        """
        at = _frequencies(w)
        f = lib.finf_noise_density
        return np.array([f(self._c, x) for x in at.ravel()]).reshape(at.shape)

    def response(self, w: ArrayLike) -> Any:
        """B(w) itself, complex.

        >>> abs(Noise.antipgd(0).response(np.pi))
        2.0
        """
        at = _frequencies(w)
        out, pair = np.empty(at.size, dtype=np.complex128), ffi.new("double[2]")
        for i, x in enumerate(at.ravel()):
            lib.finf_noise_response(self._c, x, pair)
            out[i] = complex(pair[0], pair[1])
        return out.reshape(at.shape)[()]

    def energy(self, b: ArrayLike) -> tuple[Array, float]:
        """T(b) = sum_{t,s} beta_t beta_s (1-b)^|t-s| for 0 < b < 2, and the largest relative
        error: the noise energy that reaches a direction with eta lambda = b.

        >>> T, relerr = Noise.sgd().energy([0.1, 0.5])
        >>> T, relerr < 1e-14
        (array([1., 1.]), True)
        """
        at, p = numbers(np.atleast_1d(array(b, "b")), "b")
        out, q = room(len(at))
        relerr = ffi.new("double *")
        call(lib.finf_noise_energy, self._c, p, len(at), q, relerr)
        return out, relerr[0]


def _frequencies(w: ArrayLike) -> Array:
    """An array of any shape; refused where it is not of real numbers."""
    at = array(w, "w")
    if not np.isfinite(at).all():
        raise DomainError("w: frequencies must be finite")
    return at


def _of_file(family: str, path: str) -> Noise:
    """beta@FILE, strategy@FILE, spectrum@FILE, and design@FILE that `finf design --save` wrote."""
    if family == "spectrum":
        w, density = pairs(path, "spectrum", "w, |B|^2")
        if density is None:
            raise ParseError(f"'{path}' has no part [spectrum]")
        return Noise.from_density(density, w)
    saved = family == "design"
    blt = table(path, "blt", True) if saved else None
    if blt is not None and blt.shape[1] == 2:
        return Noise.blt(blt[:, 0], blt[:, 1])
    beta = column(path, "beta", saved) if family != "strategy" else None
    if beta is not None:
        return Noise.from_noising_coef(beta)
    c = column(path, "strategy") if family != "beta" else None
    if c is not None:
        return Noise.from_strategy_coef(c)
    raise ParseError(f"'{path}' has no part [{'strategy' if saved else family}]")


def _of_problem(problem: Any) -> Any:
    if not hasattr(problem, "best_noise"):
        raise UsageError(f"problem = {shown(problem)}: a Problem is expected")
    return problem


def _made(function: Any, *args: Any) -> Any:
    return made("finf_noise", lib.finf_noise_free, function, *args)


def noise_for(noise: "Noise | str", problem: "Problem | None" = None) -> Noise:
    """A noise that was given as itself, as its spelling, or as what is best for the problem."""
    if isinstance(noise, Noise):
        return noise
    if not isinstance(noise, str):
        raise ParseError(f"noise = {shown(noise)}: a Noise, or its spelling, is expected")
    if problem is not None and noise in _NEED_PROBLEM:
        return {"best": Noise.best, "nu:best": Noise.nu_best,
                "nu:paper": Noise.nu_paper}[noise](problem)
    return Noise(noise)
