"""Mean estimation and linear regression: F_inf, exactly."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, overload

import numpy as np
from numpy.typing import ArrayLike

from ._call import call, check, dimensions, keywords, numbers, reader, stoppable, text_of
from ._library import ffi, lib
from .errors import DomainError, UsageError
from .noise import Noise, noise_for
from .optimizer import pointer
from .problem import Problem
from .results import Results, WithNoise, several
from .spectrum import Spectrum, spectrum_of

__all__ = ["mean", "linreg", "eta_max", "MeanResult", "LinregResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class MeanResult(WithNoise):
    """What `mean` answers."""

    #: lim E[F(theta_t) - F*], exact
    F_inf: float
    F_inf_error: float
    #: the least over all noise
    F_best: float
    F_best_error: float
    #: of independent noise
    F_sgd: float
    F_sgd_error: float
    #: whether theta converges
    stable: bool


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class LinregResult(WithNoise):
    """What `linreg` answers."""

    spectrum: Spectrum
    #: dimension, and Tr H / lambda_max
    d: int
    d_eff: float
    d_eff_error: float
    trace: float
    trace_error: float
    #: the largest stable step size
    eta_max: float
    eta_max_error: float
    #: excess kurtosis of the inputs
    kurtosis: float
    #: lim E[F(theta_t) - F*], exact for independent inputs of that kurtosis
    F_inf: float
    F_inf_error: float
    #: a lower bound for any inputs of this covariance
    F_lower: float
    F_lower_error: float
    #: an upper bound for any inputs with E|x|^2 xx' <= R2 H and the kurtosis constant C_kurt
    F_upper: float
    F_upper_error: float
    #: the least F_inf, and the least F_lower, over all noise
    F_best: float
    F_best_error: float
    F_lower_best: float
    F_lower_best_error: float
    #: of independent noise
    F_sgd: float
    F_sgd_error: float
    #: the paper's lower bound for every noise
    F_floor: float
    F_floor_error: float
    #: of F_upper
    R2: float
    C_kurt: float
    #: whether second moments are finite in the limit
    stable: bool
    #: the paper's rates with unit constants, for plain SGD
    rate_sgd: float | None = None
    rate_sgd_error: float | None = None
    rate_nu: float | None = None
    rate_nu_error: float | None = None
    rate_floor: float | None = None
    rate_floor_error: float | None = None
    #: asked for: an array with fields k, lambda, T, F_inf, F_lower
    directions: Any = None


@overload
def mean(noise: "Noise | str", eta: float, **problem: Any) -> MeanResult: ...
@overload
def mean(noise: "Noise | str", eta: ArrayLike, **problem: Any) -> Results[MeanResult]: ...


@keywords(Problem)
def mean(noise: "Noise | str", eta: Any, **problem: Any) -> Any:
    """F_inf for mean estimation, F = (1/2) E(theta - y)^2:

        F_inf = (1/2) eta/(2 - eta) (sigma^2 T(eta) + sigma_sgd^2),  sigma^2 = G^2 gamma^2/(2 rho)

    Keywords are those of `Problem`: optimizer, rho or epsilon and delta, clip, sigma_sgd. For an
    array of eta a list of results.

    >>> import finf
    >>> r = finf.mean("nu:paper", eta=0.1)
    >>> round(r.F_inf, 12), round(r.F_sgd, 12), r.noise
    (0.005269617871, 0.013157894737, Noise('nu:0.1'))
    >>> [round(r.F_inf, 6) for r in finf.mean("nu:0.1", eta=[0.01, 0.1])]
    [0.000218, 0.00527]
    """
    if dimensions(eta):
        return several(lambda x: mean(noise, x, **problem), eta, "noise eta F_sgd F_best F_inf")
    p = Problem(eta, **problem)
    if p.kind != "mean":
        raise UsageError("mean estimation has neither kappa nor spectrum: see iqc, linreg")
    n = noise_for(noise, p)
    o, r = p.mean_options(), ffi.new("finf_mean_result *")
    if p.optimizer is None:
        status = lib.finf_mean(n._c, p.eta, o, r)
    else:
        status = stoppable(o.cancel, lambda: lib.finf_mean(n._c, p.eta, o, r))
    if status and status != lib.FINF_ETOL:
        check(status, r.reason)
    out = mean_result(p, n, r)
    check(status, r.reason, out)
    return out


_read_mean = reader("finf_mean_result", gamma2="gamma2", F_inf="F", F_best="F_optimal",
                    F_sgd="F_sgd", stable="stable")


def mean_result(p: Problem, n: Noise, r: Any) -> MeanResult:
    """A finf_mean_result in words."""
    d = p.privacy.widen(_read_mean(r), "F_inf", "F_best", "F_sgd")
    return MeanResult._of(p.fields(r.gamma2), d, {"noise": n, "stable": bool(d["stable"]),
                                                  "reason": text_of(r.reason)})


@overload
def linreg(noise: "Noise | str", eta: float, spectrum: "Spectrum | ArrayLike", *,
           kurtosis: float = 0.0, directions: "bool | ArrayLike" = False,
           **problem: Any) -> LinregResult: ...
@overload
def linreg(noise: "Noise | str", eta: ArrayLike, spectrum: "Spectrum | ArrayLike", *,
           kurtosis: float = 0.0, directions: "bool | ArrayLike" = False,
           **problem: Any) -> Results[LinregResult]: ...


@keywords(Problem)
def linreg(noise: "Noise | str", eta: Any, spectrum: "Spectrum | ArrayLike", *,
           kurtosis: float = 0.0, directions: "bool | ArrayLike" = False, **problem: Any) -> Any:
    """F_inf for linear regression, F = (1/2) E(y - <theta,x>)^2, one example a step:

        F_inf = (1/2) sum_j lambda_j s_j,  s_j the stationary variance along eigenvector j

    exact for inputs of independent coordinates along the eigenvectors with the given excess
    kurtosis (0: Gaussian). `directions`: also what each direction contributes; True, or which of
    them, counted from 1. Other keywords are those of `Problem`. For an array of eta a list of
    results.

    >>> import finf
    >>> s = finf.Spectrum.power(1, 128)
    >>> r = finf.linreg(finf.Noise.nu(0.01), eta=0.02, spectrum=s, rho=0.5)
    >>> round(r.F_inf, 9), r.F_best < r.F_inf < r.F_upper, r.F_inf_error < 1e-15
    (0.018683832, True, True)
    """
    H = spectrum_of(spectrum)
    if dimensions(eta):
        return several(lambda x: linreg(noise, x, H, kurtosis=kurtosis, directions=directions,
                                        **problem), eta, "noise eta F_lower F_best F_inf")
    p = Problem(eta, spectrum=H, kurtosis=kurtosis, **problem)
    n = noise_for(noise, p)
    o, r = p.linreg_options(), ffi.new("finf_linreg_result *")
    status = _stoppable(p, o, lib.finf_linreg, n._c, p.eta, H._c, o, r)
    if status and status != lib.FINF_ETOL:
        check(status, r.reason)
    out = linreg_result(p, n, o, r, _directions(p, n, o, directions))
    check(status, r.reason, out)
    return out


_LONG = 500  # eigenvalues: from there on it takes long enough to be interrupted


def _stoppable(p: Problem, o: Any, function: Callable[..., Any], *args: Any) -> Any:
    """function(*args), of the finf_linreg_options * o; Ctrl-C ends it where it may be long."""
    if p.optimizer is None and p.H.sizes()["d"] < _LONG:
        return function(*args)
    return stoppable(o.cancel, lambda: function(*args))


_read_linreg = reader(
    "finf_linreg_result", gamma2="gamma2", F_inf="exact", F_lower="lti", F_upper="upper",
    F_best="optimum", F_lower_best="optimum_lti", F_sgd="sgd", F_floor="floor", R2="R2",
    C_kurt="C_kurt", stable="stable")


def linreg_result(p: Problem, n: Noise, o: Any, r: Any, directions: Any = None) -> LinregResult:
    """A finf_linreg_result in words; o: the options that it was asked with."""
    d = p.privacy.widen(_read_linreg(r), "F_inf", "F_lower", "F_upper", "F_best", "F_lower_best",
                        "F_sgd", "F_floor")
    d["noise"], d["spectrum"], d["kurtosis"] = n, p.H, p.kurtosis
    d["eta_max"], d["eta_max_error"] = _eta_max(p, o)
    d["stable"], d["directions"] = bool(d["stable"]), directions
    d["reason"] = text_of(r.reason) or text_of(r.upper_reason)
    return LinregResult._of(d, p.put_off(r.gamma2), p.H.sizes(), _rates(p))


def _eta_max(p: Problem, o: Any) -> tuple[float, float]:
    """With its error. It depends on no step size and no noise, and takes as long as everything
    else: of plain SGD it is found once for a spectrum."""
    known = p.H._eta_max if p.optimizer is None else {}
    if p.kurtosis not in known:
        out = ffi.new("finf_real *")
        _stoppable(p, o, call, lib.finf_linreg_eta_max_with, p.H._c, o, out)
        known[p.kurtosis] = out.value, out.error
    return known[p.kurtosis]


@keywords()
def eta_max(spectrum: "Spectrum | ArrayLike", *, kurtosis: float = 0.0,
            optimizer: Any = None) -> float:
    """The largest eta for which F_inf of linear regression is finite.

    >>> import finf
    >>> round(finf.eta_max(finf.Spectrum.power(1, 4)), 9)
    0.552156255
    """
    p = Problem(1.0, spectrum=spectrum, kurtosis=kurtosis, optimizer=optimizer)
    return _eta_max(p, p.linreg_options())[0]


_read_rates = reader("finf_rates", rate_sgd="sgd", rate_nu="nu", rate_floor="floor")


def _rates(p: Problem) -> dict[str, Any]:
    """The paper's Table 1, which is about plain SGD."""
    out = ffi.new("finf_rates *")
    if p.optimizer is not None or lib.finf_rates_spectrum(p.H._c, p.eta, p.privacy.setting(), out):
        return {}
    return p.privacy.widen(_read_rates(out), "rate_sgd", "rate_nu", "rate_floor")


_DIRECTION = np.dtype([(k, np.float64) for k in ("lambda", "T", "F_inf", "F_lower")])


def _which(which: Any, d: int) -> Any:
    """Directions, counted from 1: True is all of them."""
    if isinstance(which, (bool, np.bool_)):
        return np.arange(1, d + 1)
    if getattr(which, "dtype", None) == bool:
        raise DomainError("directions: numbers from 1, and not a mask, are expected")
    return which if dimensions(which) else [which]


def _directions(p: Problem, n: Noise, o: Any, which: Any) -> Any:
    """k, and the fields of finf_direction, which are four doubles."""
    if which is None or isinstance(which, (bool, np.bool_)) and not which:
        return None
    if not lib.finf_optimizer_stable(pointer(p.optimizer), p.eta, p.H.max):
        return None  # a direction that diverges by itself has no stationary share
    k, at = numbers(_which(which, p.H.d), "directions")
    rows = ffi.new("finf_direction[]", len(k))
    _stoppable(p, o, call, lib.finf_linreg_directions, n._c, p.eta, p.H._c, o, at, len(k), rows)
    four = np.frombuffer(ffi.buffer(rows), dtype=_DIRECTION)
    out = np.empty(len(k), dtype=[("k", np.float64), *_DIRECTION.descr])
    out["k"] = k
    for name in _DIRECTION.names or ():
        out[name] = four[name]
    return out
