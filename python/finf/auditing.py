"""What given coefficients, BLTs or matrices really have."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._call import whole
from .accounting import gamma, privacy
from .errors import ToleranceError, UsageError
from .noise import Noise, noise_for
from .problem import Problem
from .quadratic import linreg, mean
from .results import Result
from .systems import System

__all__ = ["audit", "AuditResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class AuditResult(Result):
    """What `audit` answers."""

    #: the noise's family, or "matrix" and other systems
    kind: str
    noise: Noise | None = None
    #: squared sensitivity to the participations given
    sens2: float
    #: of all time; None for a matrix
    gamma2: float | None = None
    gamma2_error: float | None = None
    minimum_phase: bool | None = None
    steps: int | None = None
    #: sum over t of the variance of prefix sum t, sigma = 1
    prefix_error: float | None = None
    prefix_error_error: float | None = None
    #: of the problem given
    F_inf: float | None = None
    F_inf_error: float | None = None
    #: of sigma and delta, exact
    epsilon: float | None = None
    epsilon_error: float | None = None
    #: what one should know before it is used: (level, text)
    findings: list[tuple[str, str]]


def audit(noise: "Noise | System | str | ArrayLike", *, coef: str = "noising",
          steps: int | None = None, max_participations: int | None = None,
          min_sep: int | None = None, epochs: int | None = None, sigma: float | None = None,
          delta: float | None = None, clip: float = 1.0,
          problem: Problem | None = None) -> AuditResult:
    """What a noise really has, computed anew: sensitivity, minimum phase, prefix error, F_inf of
    a problem, epsilon of a sigma at delta; and findings.

    `noise`: a Noise, its spelling, a list of noising (or with coef="strategy" strategy)
    coefficients, a System, or a lower triangular strategy matrix C.

    >>> import finf
    >>> r = finf.audit([1, -0.5], steps=100, sigma=2.0, delta=1e-5)
    >>> round(r.sens2, 9), round(r.epsilon, 6), r.findings
    (1.333333333, 2.341427, [])
    >>> finf.audit([1, -2]).findings[0][0]
    'error'
    """
    what = _read(noise, coef)
    out = _system(what, max_participations, min_sep, epochs) if isinstance(what, System) else \
        _toeplitz(what, steps, max_participations, min_sep, epochs)
    if sigma is not None and delta is not None:
        if not math.isfinite(out["sens2"]):
            out["findings"].append(("error", "no epsilon: the sensitivity is infinite"))
        else:
            z = float(sigma) / (clip * math.sqrt(out["sens2"]))
            x = privacy(noise_multiplier=z, delta=delta)
            out |= {"epsilon": x.epsilon, "epsilon_error": x.epsilon_error}
    elif sigma is not None or delta is not None:
        raise UsageError("sigma and delta go together")
    if problem is not None:
        out |= _loss(what, problem)
    return AuditResult(**out)


def _read(noise: Any, coef: str) -> "Noise | System":
    if coef not in ("noising", "strategy"):
        raise UsageError(f"coef = {coef!r}: must be one of noising, strategy")
    if isinstance(noise, (Noise, System)):
        return noise
    if isinstance(noise, str):
        return noise_for(noise)
    if np.ndim(noise) == 2:
        return System.from_matrix(noise)
    return Noise.from_noising_coef(noise) if coef == "noising" else Noise.from_strategy_coef(noise)


def _toeplitz(n: Noise, steps: int | None, k: int | None, b: int | None,
              epochs: int | None) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": n.family, "noise": n, "findings": []}
    try:
        g = gamma(n, steps, max_participations=k, min_sep=b, epochs=epochs)
    except ToleranceError as e:  # a zero of B too close to the circle to tell on which side
        out["findings"].append(("error", e.reason))
        return out | {"sens2": math.nan, "reason": e.reason}
    out |= {"sens2": g.meant, "gamma2": g.gamma2, "gamma2_error": g.gamma2_error,
            "minimum_phase": g.minimum_phase, "steps": g.steps, "reason": g.reason}
    if math.isinf(g.gamma2):
        level = "warning" if math.isfinite(g.meant) else "error"
        out["findings"].append((level, f"the sensitivity of all time is infinite: {g.reason}"))
    if g.sens2_exact is False:
        out["findings"].append(("note", "sens2 is an upper bound"))
    if steps is not None:
        f = System.toeplitz(n, whole(steps, "steps")).facts()
        out |= {"prefix_error": f["prefix_error"], "prefix_error_error": f["prefix_error_error"]}
    return out


def _system(s: System, k: int | None, b: int | None, epochs: int | None) -> dict[str, Any]:
    f = s.facts()
    sens2, exact = s.sensitivity(k, b, epochs)
    out: dict[str, Any] = {"kind": s.name, "steps": s.n, "sens2": sens2, "findings": [],
                           "prefix_error": f["prefix_error"],
                           "prefix_error_error": f["prefix_error_error"]}
    if not exact:
        out["findings"].append(("note", "sens2 is an upper bound"))
    return out


def _loss(what: Any, problem: Problem) -> dict[str, Any]:
    """F_inf of a Toeplitz noise for mean estimation or linear regression."""
    if isinstance(what, System) or problem.kind == "convex":
        raise UsageError("F_inf is of Toeplitz noise, mean estimation and linear regression")
    p = problem.privacy
    given = {"rho": p.rho, "clip": p.clip, "sigma_sgd": p.sigma_sgd,
             "optimizer": problem.optimizer}
    r: Any = mean(what, problem.eta, **given) if problem.kind == "mean" else linreg(
        what, problem.eta, problem.H, kurtosis=problem.kurtosis, **given)
    return {"F_inf": r.F_inf, "F_inf_error": r.F_inf_error}
