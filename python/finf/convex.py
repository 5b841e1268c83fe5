"""Every mu-strongly convex, L-smooth F: a bound on F_inf, proved if asked, and what is below it."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ._call import Array, as_real, check, copied, dimensions, keywords, number, over, reader, real
from ._call import result, seldom, shown, stoppable, string, taken, text_of, whole
from ._library import ffi, lib
from .errors import ToleranceError, UsageError, error_of
from .noise import Noise, noise_for
from .problem import Problem
from .results import Results, WithNoise, axes, several

__all__ = ["iqc", "IqcResult", "ConvexOptimum"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class IqcResult(WithNoise):
    """What `iqc` answers."""

    kappa: float
    #: smoothness L; mu = L/kappa
    smooth: float
    #: dimension of theta
    d: float
    #: which bound, and of which F
    bound_kind: str
    class_: str
    #: F_inf is at most this
    bound: float
    bound_error: float
    #: with an average: that the bound is of the points, and holds for their average
    bound_of: str | None
    #: per unit-variance w, d = 1, without gamma^2; and per unit of E|what|^2
    unit_bound: float
    unit_bound_error: float
    unit_sgd: float
    unit_sgd_error: float
    #: the worst quadratic: no bound can be below it
    lower: float
    lower_error: float
    unit_lower: float
    unit_lower_error: float
    #: no noise has a worst case below
    minimax: float
    minimax_error: float
    #: bound / minimax
    gap: float
    gap_error: float
    #: proved in ball arithmetic, and the bound that is proved
    certified: bool
    certified_upper: float
    #: who answered, and how
    solver: str
    solver_status: str
    solver_code: int
    iterations: int
    grid_points: int
    basis_size: int
    #: the solver's own objective, which is no bound, and its gap
    solver_bound: float
    solver_gap: float
    repair: float
    a_min: float
    seconds: float
    #: of the proof
    certify_seconds: float
    #: with lower="simulate": E[F - F*] of two F that are not quadratic, with standard errors
    huber_lower: float | None = None
    huber_lower_error: float | None = None
    asymmetric_lower: float | None = None
    asymmetric_lower_error: float | None = None


@overload
def iqc(noise: "Noise | str", eta: float, kappa: float, *, lower: str = "quadratic",
        seed: int = 1, **problem: Any) -> IqcResult: ...
@overload
def iqc(noise: "Noise | str", eta: ArrayLike, kappa: float, *, lower: str = "quadratic",
        seed: int = 1, **problem: Any) -> Results[IqcResult]: ...


@keywords(Problem)
def iqc(noise: "Noise | str", eta: Any, kappa: float, *, lower: str = "quadratic",
        seed: int = 1, **problem: Any) -> Any:
    """A bound on F_inf for every mu-strongly convex, L-smooth F with L/mu = kappa:

        F_inf <= d sigma^2 mean(|B|^2 psi) + sigma_sgd^2 unit_sgd

    the least over integral quadratic constraints, recomputed from its multipliers on all
    frequencies; with certify=True it is proved in ball arithmetic. Beside it `lower`, the worst
    quadratic, and `minimax`, below which no noise has its worst case. lower="simulate" adds
    E[F - F*] of two F that are not quadratic. Other keywords are those of `Problem`. With an
    optimizer that averages, the bound is of the points themselves, which holds for their average
    as F is convex; `lower` and `minimax` are the average's. For an array of eta a list of
    results.

    >>> import finf
    >>> r = finf.iqc("nu:0.05", eta=0.1, kappa=20, certify=True)
    >>> round(r.bound, 8), r.certified, r.lower < r.bound <= r.certified_upper
    (0.00562971, True, True)
    """
    if dimensions(eta):
        return several(lambda x: iqc(noise, x, kappa, lower=lower, seed=seed, **problem), eta,
                       "noise eta lower minimax bound")
    if lower not in ("quadratic", "simulate"):
        raise UsageError(f"lower = {shown(lower)}: must be one of quadratic, simulate")
    whole(seed, "seed", 0, 2**64 - 1)
    p = Problem(eta, kappa=kappa, **problem)
    n = noise_for(noise, p)
    o, r = p.iqc_options(), ffi.new("finf_iqc_result *")
    if _short(p, n):
        status = lib.finf_iqc(n._c, p.eta, p.kappa, o, r)
    else:
        quick = p.solver == "newton" and not p.certify
        status = (seldom if quick else stoppable)(
            o.cancel, lambda: lib.finf_iqc(n._c, p.eta, p.kappa, o, r))
    if status and status != lib.FINF_ETOL:
        check(status, r.reason)
    below = _simulated(p, n, r, seed) if lower == "simulate" else {}
    out = IqcResult._of(_iqc_fields(p, r), p.put_off(r.gamma2), {"noise": n}, below)
    check(status, r.reason, out)
    return out


_FORMULAS = {"sgd", "nu", "power", "antipgd", "blt"}


def _short(p: Problem, n: Noise) -> bool:
    """The faster solver on its own grid, plain SGD and a noise with a formula: that ends within 20
    milliseconds, up to kappa = 1e8, and need not be stopped."""
    return (p.solver == "newton" and not p.certify and p.optimizer is None and not p.fir
            and not p.grid_uniform and p.kappa is not None and p.kappa <= 1e8
            and n.family in _FORMULAS)


def bound_of(p: Problem) -> str | None:
    """What the bound is of where an average of the points is reported."""
    averaged = p.optimizer is not None and p.optimizer.average is not None
    return "the points without averaging" if averaged else None


_read = reader(
    "finf_iqc_result", gamma2="gamma2", bound="bound", unit_bound="unit_bound",
    unit_sgd="unit_sgd", lower="quadratic_lower", unit_lower="unit_quadratic_lower",
    minimax="minimax_lower", certified="certified", certified_upper="certified_upper",
    solver_code="solver_code", iterations="iterations", grid_points="grid_points",
    basis_size="basis_size", solver_bound="grid_value", solver_gap="solver_gap", repair="repair",
    a_min="a_min", seconds="seconds", certify_seconds="certify_seconds")


def iqc_fields(p: Problem, r: Any) -> dict[str, Any]:
    """A finf_iqc_result in words."""
    return _iqc_fields(p, r) | p.fields(r.gamma2)


def _iqc_fields(p: Problem, r: Any) -> dict[str, Any]:
    """But what it has of the problem."""
    d = p.privacy.widen(_read(r), "bound", "lower", "minimax")
    d["certified"], d["bound_of"] = bool(d["certified"]), bound_of(p)
    d["kappa"], d["smooth"], d["d"] = p.kappa, p.smooth, p.dim
    d["bound_kind"], d["class_"] = p.bound, p.class_
    gap = over(r.bound, r.minimax_lower)
    d["gap"], d["gap_error"] = gap.value, gap.error
    d["solver"], d["solver_status"] = string(r.solver), string(r.solver_status)
    d["reason"] = text_of(r.reason)
    return d


_WORST = {"huber_lower": 0, "asymmetric_lower": 1}


def _simulated(p: Problem, n: Noise, r: Any, seed: int) -> dict[str, Any]:
    """Two F that are not quadratic, at unit variance of w; F - F* scales with it."""
    scale = p.privacy.variance(r.gamma2.value, p.dim)
    out: dict[str, Any] = {}
    for name, kind in _WORST.items():
        x, cancel = ffi.new("finf_worst_result *"), ffi.new("finf_cancel *")
        x.mean, x.error = math.nan, math.inf
        status = 0
        if scale > 0 and math.isfinite(r.bound.value):
            ratio = p.privacy.sigma_sgd / math.sqrt(scale)
            o = p.iqc_options()
            status = stoppable(cancel, lambda: lib.finf_iqc_simulate(
                n._c, p.eta, p.kappa, p.smooth, o.optimizer, ratio, kind, seed, 0.005, cancel, x))
        if status:
            raise error_of(status, text_of(x.reason))
        out[name], out[f"{name}_error"] = scale * x.mean, scale * x.error
    return out


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ConvexOptimum(IqcResult):
    """What `optimize` answers for strongly convex, smooth F: the noise, its bound, and others'."""

    noise: "Noise | None"  # type: ignore[assignment]
    #: of independent noise, and of the best nu
    bound_sgd: float
    bound_sgd_error: float
    bound_nu: float
    bound_nu_error: float
    nu: float
    nu_error: float
    #: the bound if w is Gaussian, and that over the minimax
    gaussian_bound: float
    gaussian_bound_error: float
    gaussian_gap: float
    gaussian_gap_error: float
    #: bound after each round of the best start
    history: Array
    rounds: int
    starts: int
    #: (worst - best)/best of the bounds the starts ended with
    spread: float
    #: frequencies, |B|^2, and the density psi of the bound: |B|^2 psi has the mean unit_bound
    w: Array
    density: Array
    psi: Array
    #: multipliers of the bound there
    multiplier: Any
    causal: Any

    def plot(self, ax: Any = None) -> Any:
        """|B|^2 over frequencies."""
        ax = axes(ax)
        ax.loglog(self.w[1:], self.density[1:])
        ax.set_xlabel("w")
        ax.set_ylabel("|B(w)|^2")
        return ax


def optimize_convex(p: Problem, tol: float | None, max_rounds: int | None,
                    factors: int | None) -> ConvexOptimum:
    """See `optimize`."""
    o = ffi.new("finf_optimize_options *", lib.finf_optimize_options_default())
    o.iqc = p.iqc_options()[0]
    if tol is not None:
        o.tol = number(tol, "tol")
    if max_rounds is not None:
        o.max_rounds = whole(max_rounds, "max_rounds", 1, 2**31 - 1)
    if factors is not None:
        o.factors = whole(factors, "factors", 1, 200)
    r = result("finf_optimize_result", lib.finf_optimize_result_free)
    status = stoppable(o.iqc.cancel, lambda: lib.finf_optimize(p.eta, p.kappa, o, r))
    if status and status != lib.FINF_ETOL:
        check(status, r.iqc.reason)
    out = _optimum(p, r)
    check(status, r.iqc.reason, out)
    return out


def _optimum(p: Problem, r: Any) -> ConvexOptimum:
    """A finf_optimize_result in words; everything is copied."""
    found = p.privacy.real
    more = {"history": copied(r.history, r.rounds + 1 if r.history else 0), "rounds": r.rounds,
            "starts": r.starts, "spread": r.spread, **found("bound_sgd", r.bound_sgd),
            **found("bound_nu", r.bound_nu), **real("nu", r.nu), "w": copied(r.w, r.n),
            "density": copied(r.density, r.n), "psi": copied(r.psi, r.n),
            "multiplier": copied(r.lambda_re, r.n) + 1j * copied(r.lambda_im, r.n),
            "causal": copied(r.causal_re, r.n) + 1j * copied(r.causal_im, r.n)}
    fields = {**iqc_fields(p, ffi.addressof(r, "iqc")), **found("minimax", r.minimax_lower),
              **real("gap", r.gap)}
    noise = Noise._of(taken(r, "noise", lib.finf_noise_free)) if r.noise else None
    gaussian = _gaussian(p, noise, r.iqc.bound)
    return ConvexOptimum(noise=noise, **fields, **more, **found("gaussian_bound", gaussian),
                         **real("gaussian_gap", over(gaussian, r.minimax_lower)))


def _gaussian(p: Problem, noise: Noise | None, bound: Any) -> Any:
    """The bound of this noise if w is Gaussian, a finf_real: never above the sharp one."""
    if p.bound == "gaussian" or (p.bound == "sharp" and not math.isfinite(bound.value)):
        return bound
    if p.bound != "sharp" or noise is None:
        return as_real(math.nan, math.inf)
    o, r = p.iqc_options(), ffi.new("finf_iqc_result *")
    # a number beside the bound: by the faster solver, and not proved
    o.bound, o.solver, o.certify = lib.FINF_IQC_GAUSSIAN, lib.FINF_IQC_NEWTON, 0
    c = noise._c
    status = stoppable(o.cancel, lambda: lib.finf_iqc(c, p.eta, p.kappa, o, r))
    if status:
        return as_real(math.nan, math.inf)
    return as_real(r.bound.value, r.bound.error) if r.bound.value < bound.value else bound


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ConvexTuneResult(IqcResult):
    """What `tune` answers for strongly convex, smooth F."""

    #: the best nu
    nu: float
    nu_error: float


def tune_convex(p: Problem) -> ConvexTuneResult:
    """The nu with the least bound, and that bound."""
    o, r, nu = p.iqc_options(), ffi.new("finf_iqc_result *"), ffi.new("finf_real *")
    status = stoppable(o.cancel, lambda: lib.finf_tune_iqc(p.eta, p.kappa, o, nu, r))
    if status and (status != lib.FINF_ETOL or math.isnan(nu.value)):
        check(status, r.reason)
    out = ConvexTuneResult(noise=Noise.nu(nu.value), **real("nu", nu), **iqc_fields(p, r))
    if status:
        raise ToleranceError(text_of(r.reason), out)
    return out
