"""What given coefficients, BLTs or matrices really have."""
from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Mapping, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._call import as_real, call, check, choice, dimensions, encoded, keywords, number, numbers
from ._call import over, reader, real, shown, stoppable_unless, string, text_of, whole
from ._library import ffi, lib
from .designing import DesignResult, noise_of
from .errors import DomainError, UsageError
from .noise import Noise, noise_for
from .problem import Privacy, Problem
from .quadratic import linreg, mean
from .results import Result
from .systems import System, participations

__all__ = ["audit", "AuditResult", "Finding"]


class Finding(NamedTuple):
    """What one should know of a noise before it is used."""

    #: "note", "warning" or "error"
    level: str
    text: str


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class AuditResult(Result):
    """What `audit` answers."""

    #: the noise's family, "matrix", or what a system is called
    kind: str
    noise: Noise | None = None
    #: of a matrix: what it is, "noising" (B) or "strategy" (C)
    coef: str | None = None
    #: None: all time
    steps: int | None = None
    participations: int | None = None
    separation: int | None = None
    #: squared sensitivity to what was asked
    sens2: float
    sens2_error: float
    #: False: a proved upper bound; and what is attained
    sens2_exact: bool
    sens2_lower: float
    sens2_lower_error: float
    #: of all time; None for a matrix, or where it is not decided
    gamma2: float | None = None
    gamma2_error: float | None = None
    #: of the steps, one participation
    gamma2_T: float | None = None
    gamma2_T_error: float | None = None
    minimum_phase: bool | None = None
    #: variances of the prefix sums at sigma = 1: added up, their mean, the largest
    prefix_error: float | None = None
    prefix_error_error: float | None = None
    prefix_error_mean: float | None = None
    prefix_error_mean_error: float | None = None
    prefix_error_max: float | None = None
    prefix_error_max_error: float | None = None
    #: sens2 times the last two
    mean_loss: float | None = None
    mean_loss_error: float | None = None
    max_loss: float | None = None
    max_loss_error: float | None = None
    #: added to the sum of clipped gradients: given, or what the privacy that is given asks for
    sigma: float | None = None
    sigma_error: float | None = None
    clip: float | None = None
    #: sigma/batch, added to their mean
    batch: int | None = None
    sigma_mean: float | None = None
    sigma_mean_error: float | None = None
    rho: float | None = None
    rho_error: float | None = None
    #: of sigma and delta, exact
    delta: float | None = None
    epsilon: float | None = None
    epsilon_error: float | None = None
    #: of the problem given
    sigma_sgd: float | None = None
    F_inf: float | None = None
    F_inf_error: float | None = None
    findings: list[Finding]


@keywords()
def audit(noise: "Noise | System | DesignResult | str | ArrayLike", *, coef: str | None = None,
          steps: int | None = None, max_participations: int | None = None,
          min_sep: int | None = None, epochs: int | None = None, sigma: float | None = None,
          delta: float | None = None, clip: float = 1.0, batch: int | None = None,
          rho: float | None = None, epsilon: float | None = None,
          claims: "str | Mapping[str, float] | None" = None,
          problem: Problem | None = None) -> AuditResult:
    """What a noise really has, computed anew: sensitivity, minimum phase, prefix error, F_inf of
    a problem, epsilon of a sigma at delta, or the sigma of a rho or of an epsilon at delta; and
    findings.

    `noise`: a Noise, its spelling, a System, a list of coefficients, a lower triangular matrix, or
    what `design` answered for a family, with the steps and participations that it is for.
    `coef`: what a list or matrix is, "noising" or "strategy"; by default a list is noising, a
    matrix strategy. `claims`: what is said of it, to be checked, as {"sens2": 6.3445} or
    "sens2=6.3445,max_loss=15.35": a number holds for what rounds to its digits.

    >>> import finf
    >>> r = finf.audit([1, -0.5], steps=100, sigma=2.0, delta=1e-5)
    >>> round(r.sens2, 9), round(r.epsilon, 6), r.findings
    (1.333333333, 2.341427, [])
    >>> finf.audit([1, -2]).findings[0].level
    'error'
    >>> finf.audit("sgd", claims={"sens2": 4}).findings[0].text[:32]
    'claimed sens2 = 4, but it is 1; '
    """
    if isinstance(noise, DesignResult):
        if steps is max_participations is min_sep is epochs is None and noise.steps is not None:
            steps = noise.steps
            if noise.count == "fixed-order":
                epochs = noise.participations
            else:
                max_participations, min_sep = noise.participations, noise.separation
        noise = noise_of(noise)
    what, kind = _read(noise, coef)
    n = what.n if isinstance(what, System) else len(what) if isinstance(what, np.ndarray) else steps
    o = ffi.new("finf_audit_options *", lib.finf_audit_options_default())
    o.steps = 0 if steps is None else whole(steps, "steps")
    k, b, exactly = participations(n, max_participations, min_sep, epochs)
    if k is not None and b is not None:
        o.participations, o.separation = whole(k, "participations"), whole(b, "separation")
        o.count = lib.FINF_DESIGN_FIXED_ORDER if exactly else lib.FINF_DESIGN_MIN_SEP
    target = _target(sigma, rho, epsilon, delta, clip, problem)
    o.clip = number(clip, "clip") if target is None else target.clip
    if batch is not None and sigma is None and target is None:
        raise UsageError("batch is of sigma: that, rho, or epsilon with delta is needed")
    if sigma is not None:
        o.sigma = number(sigma, "sigma")
        if math.isnan(o.sigma):
            raise DomainError("sigma = nan: must be positive")
        if delta is not None:
            o.delta = number(delta, "delta")
        if batch is not None:
            o.batch = whole(batch, "batch")
    held = _claims(o, claims)
    r = ffi.new("finf_audit_result *")
    short = not claims and isinstance(what, Noise) and what._is_short(o.steps, o.participations)
    status = stoppable_unless(short, o.cancel, _run, what, kind, o, r)
    del held
    check(status, r.reason)
    out = _fields(r, o)
    out["participations"], out["separation"] = k, b
    if problem is not None:
        out |= _loss(what, problem, out)
    if target is not None:
        out |= target.fields(r.sens2)
        if batch is not None:
            m = target.multipliers(r.sens2)
            mean_of = over(target.widened(m.sigma), as_real(whole(batch, "batch")))
            out |= {"batch": int(batch), **real("sigma_mean", mean_of)}
    if isinstance(what, Noise):
        out["noise"] = what
    elif isinstance(what, np.ndarray):
        out["coef"] = string(lib.finf_audit_coef_name(kind))
    return AuditResult._of(out)


def _target(sigma: Any, rho: Any, epsilon: Any, delta: Any, clip: Any,
            problem: Problem | None) -> Privacy | None:
    """How private it is to be, where that is given and sigma is what it asks for."""
    given = rho is not None or epsilon is not None
    if sigma is not None and given:
        raise UsageError("sigma, or rho or epsilon with delta for it: one of them")
    if problem is not None and given:
        raise UsageError("the problem has its own rho, or epsilon and delta")
    if sigma is None and epsilon is None and delta is not None:
        raise UsageError("delta and sigma, or delta and epsilon, go together")
    if given:
        return Privacy(rho, epsilon, delta, clip)
    return problem.privacy if sigma is None and isinstance(problem, Problem) else None


def _read(noise: Any, coef: str | None) -> tuple[Any, int]:
    """A Noise, a System or a matrix, and what a matrix is."""
    kind = -1 if coef is None else choice(coef, "coef", lib.finf_audit_coef_name, 2)
    if isinstance(noise, (Noise, System)):
        return noise, kind
    if isinstance(noise, str):
        return noise_for(noise), kind
    if dimensions(noise) == 2:
        matrix, _ = numbers(noise, "matrix", 2)
        if matrix.shape[0] != matrix.shape[1]:
            raise UsageError(f"a matrix of {matrix.shape[0]} rows and {matrix.shape[1]} columns: "
                             "it must be square")
        return matrix, lib.FINF_AUDIT_STRATEGY if kind < 0 else kind
    if kind == lib.FINF_AUDIT_STRATEGY:
        return Noise.from_strategy_coef(noise), kind
    return Noise.from_noising_coef(noise), kind


def _digits(value: Any, name: str) -> str:
    """A number that is claimed, with the digits that it is given with."""
    if isinstance(value, str):
        return value
    x = number(value, f"claimed {name}")
    return str(value) if isinstance(value, (int, Decimal, np.number, np.ndarray)) else repr(x)


def _claims(o: Any, claims: Any) -> Any:
    """Into options; what is returned must live until the call has ended."""
    if not claims:
        return None
    if not isinstance(claims, (str, Mapping)):
        raise UsageError(f"claims = {shown(claims)}: a text, or names with their numbers, are "
                         "expected")
    text = claims if isinstance(claims, str) else ",".join(
        f"{name}={_digits(value, name)}" for name, value in claims.items())
    held, n = ffi.new("finf_audit_claim[]", 9), ffi.new("size_t *")
    call(lib.finf_audit_claims, encoded(text, "claims"), held, n)
    o.claims, o.n_claims = held, n[0]
    return held


def _run(what: Any, kind: int, o: Any, r: Any) -> int:
    if isinstance(what, Noise):
        return lib.finf_audit_noise(what._c, o, r)
    if isinstance(what, System):
        return lib.finf_audit_system(what._c, o, r)
    return lib.finf_audit_matrix(ffi.from_buffer("double[]", what), len(what), kind, o, r)


_REALS = ("sens2", "sens2_lower", "gamma2", "gamma2_T", "prefix_error", "prefix_error_mean",
          "prefix_error_max", "mean_loss", "max_loss", "rho", "epsilon")
_read_audit = reader("finf_audit_result", **{name: name for name in (
    *_REALS, "steps", "sens2_exact", "minimum_phase", "findings")})


def _fields(r: Any, o: Any) -> dict[str, Any]:
    out = _read_audit(r)
    for name in _REALS:
        if out[name] != out[name]:  # NaN: not known, None as in the class
            del out[name], out[f"{name}_error"]
    out["kind"], out["reason"] = string(r.kind), text_of(r.reason)
    out["steps"], out["sens2_exact"] = out["steps"] or None, bool(out["sens2_exact"])
    out["minimum_phase"] = None if out["minimum_phase"] < 0 else bool(out["minimum_phase"])
    out["findings"] = [Finding(string(lib.finf_audit_level_name(f.level)),
                               ffi.string(f.text).decode(errors="replace"))
                       for f in r.finding[0:out["findings"]]]
    if not math.isnan(o.sigma):
        out |= {"sigma": o.sigma, "clip": o.clip}
    if not math.isnan(o.delta):
        out["delta"] = o.delta
    if not math.isnan(o.batch):
        out["batch"] = int(o.batch)
    return out


def _loss(what: Any, problem: Problem, out: dict[str, Any]) -> dict[str, Any]:
    """F_inf of a Toeplitz noise for mean estimation or linear regression."""
    if not isinstance(problem, Problem):
        raise UsageError(f"problem = {shown(problem)}: a Problem is expected")
    if not isinstance(what, Noise) or problem.kind == "convex":
        raise UsageError("F_inf is of Toeplitz noise, mean estimation and linear regression")
    p = problem.privacy
    rho = p.rho
    if out.get("sigma") is not None:
        gamma2 = out.get("gamma2", math.inf)
        if not math.isfinite(gamma2):
            return {"reason": "F_inf of a given sigma needs a finite gamma2"}
        rho = (out["clip"] / out["sigma"])**2 * gamma2 / 2
    target = {"rho": rho} if p.epsilon is None or out.get("sigma") is not None else {
        "epsilon": p.epsilon, "delta": p.delta}
    given = {**target, "clip": out.get("clip") or p.clip, "sigma_sgd": p.sigma_sgd,
             "optimizer": problem.optimizer}
    r: Any = mean(what, problem.eta, **given) if problem.kind == "mean" else linreg(
        what, problem.eta, problem.H, kurtosis=problem.kurtosis, **given)
    return {"F_inf": r.F_inf, "F_inf_error": r.F_inf_error}
