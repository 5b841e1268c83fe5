"""Systems: the noise of n steps, any strategy matrix; and the exact learning curve."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._call import Array, Unchanging, array, as_real, by_name, call, choice, dimensions, keywords
from ._call import keywords_of, made, number, numbers, owned, reader, real, result, room, shown
from ._call import stoppable, stoppable_unless, string, text_of, whole
from ._library import ffi, has, lib
from .errors import DomainError, ParseError, UsageError, error_of
from .noise import Noise, noise_for
from .optimizer import pointer
from .problem import Problem
from .results import Result, WithOptimizer, axes, late
from .spectrum import Spectrum

__all__ = ["System", "Participation", "curve", "CurveResult", "curve_bound"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Participation(Result):
    """Squared sensitivity to several participations of one user."""

    participations: int
    separation: int
    #: to steps exactly so far apart; and what is attained there
    sens2_fixed_order: float
    fixed_order_exact: bool
    #: to steps at least so far apart: exact, or an upper bound; and what is attained
    sens2_min_sep: float
    sens2_min_sep_lower: float
    min_sep_exact: bool
    method: str


_KIND = ffi.typeof("finf_system *")


@keywords_of
class System(Unchanging):
    """The noise of n steps: a strategy matrix C and its decoder. With X = C'C and K the covariance
    of the noise at sigma = 1, sens2 = max_i X_ii, and prefix_error = tr(A K A') is the error of
    the n prefix sums, A the lower triangle of ones; loss = sens2 prefix_error.

    >>> me = System.me(64)
    >>> me.name, round(me.loss, 6), me.loss < System.toeplitz("cc", 64).loss
    ('me', 282.201421, True)
    """

    def __init__(self, c: Any) -> None:
        if not isinstance(c, ffi.CData) or ffi.typeof(c) is not _KIND:
            raise UsageError(f"a System of {shown(c)}: it is made by System.toeplitz, .me, "
                             ".from_matrix, ..")
        self._c = c
        self._facts = lib.finf_system_describe(c)
        self._recipe: Any = None

    def _by(self, method: str, *args: Any) -> "System":
        """How it is made again, for pickle."""
        self._recipe = (method, *args)
        return self

    @property
    def _toeplitz(self) -> Noise | None:
        """The noise that it is of."""
        return self._recipe[1] if self._recipe and self._recipe[0] == "toeplitz" else None

    def __reduce__(self) -> Any:
        if self._recipe is None:
            raise TypeError("a designed system is not pickled: keep the arguments of design, or "
                            "its matrix, noising()")
        return _again, self._recipe

    @classmethod
    def _make(cls, function: Any, *args: Any, search: bool = False) -> "System":
        """With `search` it may take long, and takes a finf_system_options."""
        if not search:
            return cls(made("finf_system", lib.finf_system_free, function, *args))
        o = ffi.new("finf_system_options *", lib.finf_system_options_default())
        return cls(stoppable(o.cancel, lambda: made("finf_system", lib.finf_system_free, function,
                                                    *args, o)))

    @classmethod
    def toeplitz(cls, noise: "Noise | str", n: int) -> "System":
        """Any Toeplitz noise, cut to n steps.

        >>> System.toeplitz("sgd", 8).prefix_error
        36.0
        """
        made_of = noise_for(noise)
        c = cls._make(lib.finf_system_toeplitz, made_of._c, whole(n, "n"))
        return c._by("toeplitz", made_of, n)

    @classmethod
    def tree(cls, n: int) -> "System":
        """Binary tree; prefix t is the sum of the nodes of t's binary digits.

        >>> System.tree(8).sens2
        4.0
        """
        return cls._make(lib.finf_system_tree, whole(n, "n"))._by("tree", n)

    @classmethod
    def honaker(cls, n: int) -> "System":
        """The tree, each node averaged with what its finished subtree says (online).

        >>> System.honaker(8).loss < System.tree(8).loss
        True
        """
        return cls._make(lib.finf_system_honaker, whole(n, "n"))._by("honaker", n)

    @classmethod
    def full_honaker(cls, n: int) -> "System":
        """The tree, by least squares over all of it.

        >>> System.full_honaker(8).loss < System.honaker(8).loss
        True
        """
        return cls._make(lib.finf_system_full_honaker, whole(n, "n"))._by("full_honaker", n)

    @classmethod
    def fft(cls, n: int) -> "System":
        """A embedded in the circulant of size 2n.

        >>> round(System.fft(8).loss, 6)
        21.608949
        """
        return cls._make(lib.finf_system_fft, whole(n, "n"))._by("fft", n)

    @classmethod
    def me(cls, n: int) -> "System":
        """The least loss of all C, one participation.

        >>> me = System.me(8)
        >>> me.least <= me.loss < 1.000001 * me.least
        True
        """
        return cls._make(lib.finf_system_me, whole(n, "n"), search=True)._by("me", n)

    @classmethod
    def epochs(cls, n: int, b: int) -> "System":
        """The least loss of all C where a user takes part every b steps, always in one order.

        >>> round(System.epochs(8, 4).sensitivity(epochs=2)[0], 6)
        1.0
        """
        c = cls._make(lib.finf_system_epochs, whole(n, "n"), whole(b, "b"), search=True)
        return c._by("epochs", n, b)

    @classmethod
    def banded(cls, n: int, bands: int) -> "System":
        """Toeplitz C of `bands` coefficients, the least loss found.

        >>> System.me(8).loss < System.banded(8, 3).loss < System.banded_sqrt(8, 3).loss
        True
        """
        c = cls._make(lib.finf_system_banded, whole(n, "n"), whole(bands, "bands"), search=True)
        return c._by("banded", n, bands)

    @classmethod
    def banded_sqrt(cls, n: int, bands: int) -> "System":
        """Optimal CC's c cut to `bands` coefficients.

        >>> System.banded_sqrt(8, 2).sens2
        1.25
        """
        c = cls._make(lib.finf_system_banded_sqrt, whole(n, "n"), whole(bands, "bands"))
        return c._by("banded_sqrt", n, bands)

    @classmethod
    def from_matrix(cls, C: ArrayLike) -> "System":
        """Any lower triangular strategy matrix C, decoded by its inverse.

        >>> System.from_matrix([[1, 0], [0.5, 1]]).sens2
        1.25
        """
        if not has("finf_system_matrix"):
            raise UsageError("this libfinf has no finf_system_matrix")
        a, p = numbers(C, "C", 2)
        if a.shape[0] != a.shape[1]:
            raise DomainError(f"C has shape {a.shape}: a square matrix is expected")
        return cls._make(lib.finf_system_matrix, p, len(a))._by("from_matrix", a.copy())

    @staticmethod
    def best_nu(n: int, *, power: float = 0.5, max_participations: int = 1,
                min_sep: int = 1) -> float:
        """The nu of least loss of n steps among (1-(1-nu)z)^power.

        >>> round(System.best_nu(64), 4)
        0.0126
        """
        o = ffi.new("finf_system_options *", lib.finf_system_options_default())
        nu = ffi.new("double *")
        stoppable(o.cancel, lambda: call(
            lib.finf_system_tune, number(power, "power"), whole(n, "n"),
            whole(max_participations, "max_participations"), whole(min_sep, "min_sep"), o, nu))
        return nu[0]

    # ---- what it is -------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The noise's family, or "tree", "me", .."""
        return string(self._facts.name)

    @property
    def n(self) -> int:
        """Steps."""
        return self._facts.n

    @property
    def sens2(self) -> float:
        """Squared sensitivity to one participation."""
        return self._facts.sens2.value

    @property
    def prefix_error(self) -> float:
        """Sum over t of the variance of prefix sum t, sigma = 1."""
        return self._facts.error.value

    @property
    def loss(self) -> float:
        """sens2 times prefix_error."""
        return self._facts.loss.value

    @property
    def least(self) -> float:
        """me: no C has a smaller loss; NaN for the others."""
        return self._facts.lower

    def facts(self) -> dict[str, Any]:
        """What is known of it, in the command line's words."""
        f = self._facts
        d: dict[str, Any] = {"system": self.name, "matrix": string(f.matrix), "steps": f.n,
                             **real("gamma2_T", f.sens2), **real("sens2", f.sens2),
                             **real("prefix_error", f.error),
                             **real("loss", f.loss), "anytime": bool(f.anytime),
                             "generation": string(f.generation), "step": string(f.step),
                             "paper_generation": string(f.paper_generation),
                             "paper_step": string(f.paper_step)}
        if f.iterations:
            d["iterations"] = f.iterations
        if f.lower == f.lower:
            d["least"] = f.lower
            d["least_error"] = f.lower_error
            d["duality_gap"] = max(f.error.value / f.lower - 1, 0.0)
        return d

    def __repr__(self) -> str:
        return f"<System {self.name} of {self.n} steps, loss = {self.loss:.6g}>"

    def __len__(self) -> int:
        return self.n

    # ---- matrices ---------------------------------------------------------------------------

    def gram(self) -> Array:
        """X = C'C, n x n.

        >>> System.toeplitz("sgd", 2).gram()
        array([[1., 0.],
               [0., 1.]])
        """
        a, p = room(self.n, self.n)
        call(lib.finf_system_gram, self._c, p)
        return a

    def covariance(self) -> Array:
        """K, the covariance of the noise at sigma = 1, n x n.

        >>> System.toeplitz("antipgd:0.5", 2).covariance()
        array([[ 1.  , -0.5 ],
               [-0.5 ,  1.25]])
        """
        a, p = room(self.n, self.n)
        call(lib.finf_system_covariance, self._c, p)
        return a

    def noising(self) -> Array:
        """The lower triangular B with BB' = K.

        >>> System.toeplitz("antipgd:0.5", 3).noising()
        array([[ 1. ,  0. ,  0. ],
               [-0.5,  1. ,  0. ],
               [-0. , -0.5,  1. ]])
        """
        a, p = room(self.n, self.n)
        o = ffi.new("finf_system_options *", lib.finf_system_options_default())
        stoppable(o.cancel, lambda: call(lib.finf_system_noising, self._c, o, p))
        return a

    def draw(self, w: ArrayLike) -> Array:
        """One coordinate of the noise of all n steps, from 2n independent normals w.

        >>> System.toeplitz("antipgd:0.5", 2).draw([1.0, 1.0, 0.0, 0.0])
        array([1. , 0.5])
        """
        a, p = numbers(w, "w")
        if len(a) != 2 * self.n:
            raise DomainError(f"{len(a)} normals: 2 n = {2 * self.n} are needed")
        if not np.isfinite(a).all():
            raise DomainError("w: normals must be finite")
        z, q = room(self.n)
        o = ffi.new("finf_system_options *", lib.finf_system_options_default())
        stoppable(o.cancel, lambda: call(lib.finf_system_draw, self._c, o, p, q))
        return z

    def participation(self, max_participations: int, min_sep: int) -> Participation:
        """Squared sensitivity to at most so many participations of one user.

        >>> p = System.toeplitz("nu:0.01", 100).participation(3, 30)
        >>> round(p.sens2_min_sep, 6), p.min_sep_exact
        (8.256182, True)
        """
        k, b = whole(max_participations, "max_participations"), whole(min_sep, "min_sep")
        o = ffi.new("finf_system_options *", lib.finf_system_options_default())
        r = ffi.new("finf_participation *")
        short = self._toeplitz is not None and self._toeplitz._is_short(self.n, k)
        stoppable_unless(short, o.cancel, call, lib.finf_system_participation, self._c, k, b, o, r)
        d = _read_participation(r)
        d["fixed_order_exact"] = not r.fixed_lower < r.fixed_order * (1 - 1e-9)
        d["min_sep_exact"], d["method"] = bool(d["min_sep_exact"]), string(r.method)
        return Participation._of(d)

    def sensitivity(self, max_participations: int | None = None, min_sep: int | None = None,
                    epochs: int | None = None) -> tuple[float, bool]:
        """The squared sensitivity to these participations (none: to one), and whether it is
        exact and not an upper bound.

        >>> System.toeplitz("sgd", 12).sensitivity(epochs=3)
        (3.0, True)
        """
        k, b, exactly = participations(self.n, max_participations, min_sep, epochs)
        if k is None or b is None:
            return self.sens2, True
        p = self.participation(k, b)
        return (p.sens2_fixed_order, p.fixed_order_exact) if exactly else (
            p.sens2_min_sep, p.min_sep_exact)


_read_participation = reader(
    "finf_participation", participations="k", separation="b", sens2_fixed_order="fixed_order",
    sens2_min_sep="min_sep", sens2_min_sep_lower="min_sep_lower", min_sep_exact="exact")


def _again(method: str, *args: Any) -> System:
    return by_name(System, method)(*args)


def system_of(what: "System | Noise | str", n: int | None, problem: Problem | None) -> System:
    """A system, also by the command line's name for it."""
    if isinstance(what, System):
        if n is not None and what.n != n:
            raise UsageError(f"steps = {n}, but the system has {what.n}")
        return what
    steps = whole(n, "steps")
    if isinstance(what, str):
        plain = {"tree": System.tree, "honaker": System.honaker, "fft": System.fft,
                 "full-honaker": System.full_honaker, "me": System.me}
        counted = {"me": System.epochs, "banded": System.banded,
                   "banded-sqrt": System.banded_sqrt}
        name, _, count = what.partition(":")
        if what in plain:
            return plain[what](steps)
        if name in counted:
            return counted[name](steps, _counted(what, count))
    return System.toeplitz(noise_for(what, problem), steps)


# ---- the learning curve ---------------------------------------------------------------------


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CurveResult(WithOptimizer):
    """What `curve` answers."""

    system: System
    spectrum: Spectrum
    steps: int
    d: int
    d_eff: float
    d_eff_error: float
    trace: float
    trace_error: float
    #: E[F(theta_t) - F*], t = 0..steps
    F: Array
    #: of every entry (made when it is asked for), and relative, where only what the curve itself
    #: loses is in it
    F_error: Array
    F_relerr: float
    #: after the last step
    F_last: float
    F_last_error: float
    #: squared sensitivity the noise was scaled by
    sens2: float

    def plot(self, ax: Any = None) -> Any:
        """The curve, over steps."""
        ax = axes(ax)
        ax.loglog(np.arange(1, len(self.F)), self.F[1:], label=self.system.name)
        ax.set_xlabel("t")
        ax.set_ylabel("E[F - F*]")
        return ax


def _counted(what: str, count: str) -> int:
    """b of banded:b."""
    try:
        return whole(float(count or "nan"), what)
    except ValueError:
        raise ParseError(
            f"noise {shown(what)}: a whole number is expected after the colon") from None


_CURVE = lib.finf_curve_options_default()


@keywords(Problem)
def curve(noise: "System | Noise | str", eta: float, spectrum: "Spectrum | ArrayLike", *,
          steps: int | None = None, kurtosis: float = 0.0, start: "float | ArrayLike" = 1.0,
          gamma: str | None = None, max_participations: int | None = None,
          min_sep: int | None = None, epochs: int | None = None, **problem: Any) -> CurveResult:
    """The exact learning curve of linear regression:

        F_t = E[F(theta_t) - F*] = (1/2) sum_j lambda_j s_j(t),   t = 0..steps

    `noise`: a Noise or System, or its name on the command line ("nu:0.1", "me", "banded:4").
    `start`: |theta_0 - theta*|^2, spread equally over the eigenvectors, or its part along each.
    `gamma`: scaled by the sensitivity to one participation in these steps ("T") or in all time
    ("inf"), also where more are given. None: with `max_participations` and `min_sep` by that to
    several participations of a user at least so far apart, with `epochs` by that of every
    steps/epochs steps, exactly; with none of these "me:b" by that of every b steps, exactly, which
    it is optimal for, and all others as "T". Other keywords are those of `Problem`.

    >>> import finf
    >>> r = finf.curve("nu:0.1", eta=0.05, spectrum=finf.Spectrum.power(1, 4), steps=16)
    >>> r.F.shape, round(r.F[0], 6), round(r.F_last, 6)
    ((17,), 0.260417, 0.108317)
    """
    p = Problem(eta, spectrum=spectrum, kurtosis=kurtosis, **problem)
    system = system_of(noise, steps, p)
    o = ffi.new("finf_curve_options *", _CURVE)
    p.privacy.into(o.privacy)
    o.kurtosis, o.optimizer = p.kurtosis, pointer(p.optimizer)
    held = _start(o, start, p.H.sizes()["d"])
    o.sens2 = _sens2(system, gamma, (max_participations, min_sep, epochs), o)
    r = result("finf_curve_result", lib.finf_curve_result_free)
    status = stoppable_unless(_short(system, p), o.cancel, lib.finf_curve, system._c, p.eta, p.H._c,
                              o, r)
    del held
    if status:
        raise error_of(status, text_of(r.reason))
    return _curve_result(p, system, o, r)


def _curve_result(p: Problem, system: System, o: Any, r: Any) -> CurveResult:
    """A finf_curve_result in words; o: the options that it was asked with."""
    used = _sens2_used(system, o, r.sens2)
    relerr = r.relerr + (used.error / used.value if o.sens2 > 0 else 0.0)
    last = r.last.value
    d = {"F_last": last, "F_last_error": last * relerr, "system": system, "spectrum": p.H,
         "steps": r.n, "F": owned(r.F, r.n + 1, r), "F_relerr": r.relerr, "_share": relerr,
         "sens2": r.sens2, "reason": text_of(r.reason), **p.H.sizes(), **p.put_off(used)}
    if p.privacy.rho_error:
        p.privacy.widen(d, "F_last")
        d["_share"] += p.privacy.share()
    return CurveResult._of(d)


def _short(system: System, p: Problem) -> bool:
    """Toeplitz noise and plain SGD cost a nanosecond for each step and direction: what ends within
    a few milliseconds need not be stopped, and a second thread would cost more than short ones."""
    return (system._toeplitz is not None and p.optimizer is None
            and system.n * (p.H.sizes()["d"] + 64) <= 2_000_000)


def _errors(r: CurveResult) -> Array:
    """Of every entry: its relative error, and what the error of rho adds to that, which is the same
    share of each; 0 where the curve is infinite."""
    F, share = r.F, r.__dict__["_share"]
    if np.isfinite(F[-1]):  # infinite once, infinite to the end
        return F * share
    return np.multiply(F, share, where=np.isfinite(F), out=np.zeros_like(F))


CurveResult.F_error = late("F_error", _errors)  # type: ignore[assignment]


def _start(o: Any, start: Any, d: int) -> Any:
    """Into options; what is returned must live until the call has ended."""
    if not dimensions(start):
        o.start = number(start, "start")
        return None
    a, p = numbers(start, "start")
    if len(a) != d:
        raise DomainError(f"start has {len(a)} values: one for each of {d} directions is needed")
    o.start_at = p
    return a, p


def participations(steps: int | None, k: int | None, b: int | None,
                   epochs: int | None) -> tuple[int | None, int | None, bool]:
    """How often a user takes part, how many steps apart, and whether exactly so many."""
    if (k is None) != (b is None):
        raise UsageError("max_participations and min_sep go together")
    if epochs is not None and k is not None:
        raise UsageError("epochs, or max_participations with min_sep: one of them")
    if steps is None and (epochs is not None or k is not None):
        raise UsageError("participations need steps")
    if epochs is None or steps is None:
        return k, b, False
    if whole(steps, "steps") % whole(epochs, "epochs"):
        raise DomainError(f"epochs = {epochs}: must divide the {steps} steps")
    return int(epochs), int(steps) // int(epochs), True


def _sens2(system: System, gamma: str | None, who: tuple[Any, Any, Any], o: Any) -> float:
    """Of several participations; 0: that of `gamma`."""
    if gamma is not None:
        o.gamma = choice(gamma, "gamma", lib.finf_curve_gamma_name, 4)  # else "T"
        participations(system.n, *who)  # which are checked all the same
        return 0.0
    if who != (None, None, None):
        return system.sensitivity(*who)[0]
    if system._recipe is not None and system._recipe[0] == "epochs":
        n, b = system._recipe[1:]
        return system.participation(-(-n // b), b).sens2_fixed_order if b < n else 0.0
    return 0.0


def _sens2_used(system: System, o: Any, sens2: float) -> Any:
    """The squared sensitivity that a curve was scaled by, a finf_real. Entries of X have the relative error
    of the largest on its diagonal; adding them up costs a rounding for each of the steps more."""
    f = system._facts
    if o.sens2 > 0:
        return as_real(sens2, sens2 * (f.sens2.error / f.sens2.value + f.n * 2.0**-52))
    return f.gamma_inf2 if o.gamma == lib.FINF_CURVE_GAMMA_INF else f.sens2


@keywords(Problem)
def curve_bound(noise: "Noise | str", eta: float, spectrum: "Spectrum | ArrayLike", F0: float,
                t: ArrayLike, *, kurtosis: float = 0.0, **problem: Any) -> Array:
    """(sqrt((L/mu) e^{-eta mu t} F0) + sqrt(F_inf))^2, which bounds every curve of plain SGD with
    the sensitivity of all time from F(theta_0) - F* = F0.

    >>> import finf
    >>> s = finf.Spectrum.power(1, 4)
    >>> finf.curve_bound("nu:0.1", 0.05, s, 1.0, [0, 1e6]).round(6)
    array([4.313558, 0.005915])
    """
    p = Problem(eta, spectrum=spectrum, kurtosis=kurtosis, **problem)
    at, q = numbers(np.atleast_1d(array(t, "t")), "t")
    out, bound = room(len(at))
    call(lib.finf_curve_bound, noise_for(noise, p)._c, p.eta, p.H._c, p.linreg_options(),
         number(F0, "F0"), q, len(at), bound)
    return out
