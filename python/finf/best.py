"""The best noise, the best nu, and the best step and momentum at a given speed."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from numpy.typing import ArrayLike

from ._call import as_real, check, choice, keywords, number, real, result, shown, stoppable
from ._call import taken, text_of
from ._library import ffi, lib
from .convex import ConvexOptimum, bound_of, optimize_convex, tune_convex
from .errors import DomainError, UsageError
from .noise import Noise
from .optimizer import Optimizer
from .problem import Problem
from .quadratic import linreg, linreg_result, mean, mean_result
from .results import Results, Setting, WithNoise
from .spectrum import Spectrum

__all__ = ["optimize", "tune", "tune_speed", "Optimum", "TuneResult", "SpeedResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Optimum(WithNoise):
    """What `optimize` answers for mean estimation and linear regression."""

    spectrum: Spectrum | None = None
    d: int | None = None
    d_eff: float | None = None
    d_eff_error: float | None = None
    trace: float | None = None
    trace_error: float | None = None
    #: of this noise, exact
    F_inf: float
    F_inf_error: float
    #: least over all noise, by another formula
    F_best: float
    F_best_error: float
    #: of independent noise
    F_sgd: float
    F_sgd_error: float


@keywords(Problem)
def optimize(eta: float, *, kappa: float | None = None,
             spectrum: "Spectrum | ArrayLike | None" = None, tol: float | None = None,
             max_rounds: int | None = None, factors: int | None = None,
             **problem: Any) -> "Optimum | ConvexOptimum":
    """The best noise.

    With `spectrum`, or neither: the optimum over all noise, |B|^2 proportional to Hx^{-1/2}, for
    linear regression or mean estimation. With `kappa`: the noise with the least bound that was
    found (a stationary point, from several starts); `gap` = bound/minimax says how far from the
    best it can be. Other keywords are those of `Problem`.

    >>> import finf
    >>> r = finf.optimize(eta=0.1, kappa=10)
    >>> round(r.bound, 6), r.bound < r.bound_nu < r.bound_sgd, round(r.gap, 3)
    (0.005527, True, 1.049)
    >>> finf.optimize(eta=0.02).noise
    Noise('nu:0.02')
    """
    p = Problem(eta, kappa=kappa, spectrum=spectrum, **problem)
    if p.kind == "convex":
        return optimize_convex(p, tol, max_rounds, factors)
    noise = p.best_noise()
    if p.kind == "mean":
        m = mean(noise, eta, **problem)
        return Optimum(noise=noise, **p.fields(_gamma2(m)), **_some(m, "gamma2", "F_inf", "F_best",
                                                                  "F_sgd"))
    r = linreg(noise, eta, p.H, **problem)
    return Optimum(noise=noise, spectrum=p.H, **p.H.sizes(), **p.fields(_gamma2(r)),
                   **_some(r, "gamma2", "F_inf", "F_best", "F_sgd"))


def _gamma2(result: Any) -> Any:
    """Its gamma2 as a finf_real."""
    return as_real(result.gamma2, result.gamma2_error)


def _some(result: Any, *names: str) -> dict[str, Any]:
    """These fields of another result, with their errors."""
    return {x: getattr(result, x) for n in names for x in (n, f"{n}_error")}


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class TuneResult(WithNoise):
    """What `tune` answers for mean estimation and linear regression."""

    #: the best nu, and how far the true one may be from it
    nu: float
    nu_error: float
    spectrum: Spectrum | None = None
    d: int | None = None
    d_eff: float | None = None
    d_eff_error: float | None = None
    trace: float | None = None
    trace_error: float | None = None
    F_inf: float
    F_inf_error: float
    #: of nu = eta mu
    F_paper: float | None = None
    F_paper_error: float | None = None
    #: of independent noise
    F_sgd: float | None = None
    F_sgd_error: float | None = None
    #: least over all noise
    F_best: float
    F_best_error: float
    stable: bool


@keywords(Problem)
def tune(eta: float | None = None, *, kappa: float | None = None,
         spectrum: "Spectrum | ArrayLike | None" = None, contraction: float | None = None,
         half_life: float | None = None, **problem: Any) -> Any:
    """The nu in (0, 1] with the least bound (`kappa`) or F_inf (`spectrum`, or neither).

    Its answer has the fields of `iqc`, or of `mean` and `linreg`, and `nu` is in its noise and
    field. With `contraction` or `half_life` in place of eta: see `tune_speed`.

    >>> import finf
    >>> s = finf.Spectrum.power(1, 8)
    >>> r = finf.tune(eta=0.02, spectrum=s)
    >>> round(r.nu, 6), r.F_best < r.F_inf < r.F_paper
    (0.006248, True)
    >>> finf.tune(eta=0.1).nu
    0.1
    """
    if contraction is not None or half_life is not None:
        if eta is not None:
            raise UsageError("eta, or a speed (contraction, half_life): one of them")
        return tune_speed(contraction, half_life=half_life, kappa=kappa, spectrum=spectrum,
                          **problem)
    if eta is None:
        raise UsageError("tune needs eta, or a speed: contraction or half_life")
    p = Problem(eta, kappa=kappa, spectrum=spectrum, **problem)
    if p.kind == "convex":
        return tune_convex(p)
    return _tune_mean(p) if p.kind == "mean" else _tune_linreg(p, problem)


def _tune_mean(p: Problem) -> TuneResult:
    r, nu = ffi.new("finf_mean_result *"), ffi.new("finf_real *")
    o = p.mean_options()
    check(stoppable(o.cancel, lambda: lib.finf_tune_mean(p.eta, o, nu, r)), r.reason)
    m = mean_result(p, Noise.nu(nu.value), r)
    return TuneResult(**real("nu", nu), noise=m.noise, stable=m.stable, reason=m.reason,
                      **p.fields(_gamma2(m)), **_some(m, "gamma2", "F_inf", "F_best", "F_sgd"))


def _tune_linreg(p: Problem, problem: dict[str, Any]) -> TuneResult:
    r, nu = ffi.new("finf_linreg_result *"), ffi.new("finf_real *")
    o = p.linreg_options()
    check(stoppable(o.cancel, lambda: lib.finf_tune_linreg(p.eta, p.H._c, o, nu, r)), r.reason)
    x = linreg_result(p, Noise.nu(nu.value), o, r)
    paper = linreg("nu:paper", p.eta, p.H, **problem)
    return TuneResult(**real("nu", nu), noise=x.noise, spectrum=x.spectrum, **p.H.sizes(),
                      stable=x.stable, F_paper=paper.F_inf,
                      F_paper_error=paper.F_inf_error, reason=x.reason, **p.fields(_gamma2(x)),
                      **_some(x, "gamma2", "F_inf", "F_best", "F_sgd"))


# ---- at a given speed -----------------------------------------------------------------------


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SpeedResult(Setting):
    """One answer of `tune_speed`."""

    #: of the slowest direction, a step; and in how many steps its error is halved
    contraction: float
    contraction_error: float
    half_life: float
    half_life_error: float
    kappa: float | None = None
    #: the update rule: "sgd", "heavy-ball", "nesterov"
    rule: str
    #: with its best momentum; None where no step has that speed
    optimizer: Optimizer | None
    #: "sgd", "nu:V" or "best", as the functions here take it
    noise: str
    noise_given: str
    eta: float
    eta_error: float
    momentum: float
    momentum_error: float
    eta_eff: float
    eta_eff_error: float
    #: of the noise nu
    nu: float | None = None
    nu_error: float | None = None
    #: the least F_inf, or bound; inf, with the reason, where no step has that speed
    F_inf: float | None = None
    F_inf_error: float | None = None
    bound: float | None = None
    bound_error: float | None = None
    #: with an average: that the bound is of the points, and holds for their average
    bound_of: str | None = None
    #: with certify=True: the bound is proved, and which
    certified: bool | None = None
    certified_upper: float | None = None


_SPEED_NOISES = ("sgd", "nu:best", "best")


@keywords(Problem)
def tune_speed(contraction: float | None = None, *, half_life: float | None = None,
               rules: Sequence[str] = ("sgd", "heavy-ball", "nesterov"),
               noises: Sequence[str] = ("sgd", "best"), **problem: Any) -> Results[SpeedResult]:
    """Which step, momentum and noise? Of those whose slowest direction contracts by this factor
    a step (or is halved in `half_life` steps: contraction = 2^(-1/half_life)) the ones with the
    least F_inf, or bound with `kappa`: an answer for each rule and noise ("sgd", "nu:best",
    "best"). Other keywords are those of `Problem`.

    >>> import finf
    >>> sgd, nesterov = finf.tune_speed(0.99, spectrum=finf.Spectrum.power(1, 4),
    ...                                 rules=("sgd", "nesterov"), noises=("best",))
    >>> round(sgd.eta, 9), nesterov.F_inf < sgd.F_inf
    (0.04, True)
    """
    if (contraction is None) == (half_life is None):
        raise UsageError("contraction or half_life: one of them")
    half_life = None if half_life is None else number(half_life, "half_life")
    if half_life is not None and not 0 < half_life <= 1e12:
        raise DomainError(f"half_life = {half_life:g}: must be positive, at most 1e12")
    R = as_real(number(contraction, "contraction")) if half_life is None else \
        lib.finf_real_rounded(math.exp2(-1 / half_life), 2)
    p = Problem(math.nan, **problem)
    for name, some in (("rules", rules), ("noises", noises)):
        if not isinstance(some, (list, tuple)) or not some:
            raise UsageError(f"{name} = {shown(some)}: a list of some is expected")
    for n in noises:
        if n not in _SPEED_NOISES:
            raise UsageError(f"noise = {shown(n)}: at a given speed one of "
                             f"{', '.join(_SPEED_NOISES)}")
    return Results([_at_speed(p, rule, n, R, half_life) for rule in rules for n in noises],
                   "rule noise_given eta momentum eta_eff bound F_inf")


def _at_speed(p: Problem, rule: str, noise: str, R: Any, half_life: Any) -> SpeedResult:
    family = choice(rule, "rule", lib.finf_speed_family_name, 8)
    r = result("finf_speed_result", lib.finf_speed_result_free)
    which = _SPEED_NOISES.index(noise)
    if p.kind == "convex":
        o = p.iqc_options()
        status = stoppable(o.cancel, lambda: lib.finf_tune_speed_iqc(
            family, which, R.value, p.kappa, o, r))
    elif p.kind == "linreg":
        o = p.linreg_options()
        status = stoppable(o.cancel, lambda: lib.finf_tune_speed_linreg(
            family, which, R.value, p.H._c, o, r))
    else:
        o = p.mean_options()
        status = stoppable(o.cancel, lambda: lib.finf_tune_speed_mean(
            family, which, R.value, o, r))
    check(status, r.reason)
    return _speed(p, rule, noise, R, half_life, r)


def _speed(p: Problem, rule: str, noise: str, R: Any, half_life: Any,
           r: Any) -> SpeedResult:
    optimizer = None
    if r.optimizer and math.isfinite(r.F.value):
        optimizer = Optimizer._of(taken(r, "optimizer", lib.finf_optimizer_free))
    steps = lib.finf_real_rounded(-1 / math.log2(R.value), 3) if half_life is None \
        else as_real(half_life)
    nu = None if math.isnan(r.nu.value) else r.nu.value
    spelled = str(Noise.nu(nu)) if noise == "nu:best" and nu is not None else noise
    value: dict[str, Any] = p.privacy.real("bound" if p.kind == "convex" else "F_inf", r.F)
    if p.kind == "convex":
        value["bound_of"] = bound_of(p)
        if p.certify:
            value.update(certified=bool(r.certified), certified_upper=r.certified_upper)
    return SpeedResult(**p.privacy.fields(), kappa=p.kappa, **real("contraction", R),
                       **real("half_life", steps), rule=rule,
                       optimizer=optimizer, noise=spelled, noise_given=noise, **real("eta", r.eta),
                       **real("momentum", r.momentum), **real("eta_eff", r.eta_eff), nu=nu,
                       nu_error=None if nu is None else r.nu.error, **value,
                       reason=text_of(r.reason))
