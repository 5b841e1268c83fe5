"""Sensitivity and privacy: rho-zCDP, (epsilon, delta), and what is called noise multiplier."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ._call import as_real, call, keywords, number, over, real, shown, whole
from ._library import ffi, lib
from .errors import DomainError, UsageError
from .noise import Noise, noise_for
from .problem import Privacy, Problem
from .results import Result
from .systems import System, participations

__all__ = ["gamma", "privacy", "GammaResult", "PrivacyResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class GammaResult(Result):
    """What `gamma` answers."""

    noise: Noise
    #: gamma_inf^2 = sum of c_t^2
    gamma2: float
    gamma2_error: float
    gamma: float
    gamma_error: float
    #: over so many steps
    steps: int | None = None
    gamma2_T: float | None = None
    gamma2_T_error: float | None = None
    #: to several participations of one user
    participations: int | None = None
    separation: int | None = None
    sens2: float | None = None
    sens2_error: float | None = None
    #: False: sens2 is an upper bound
    sens2_exact: bool | None = None
    #: no zero of B(z) in |z| <= 1
    minimum_phase: bool
    method: str

    @property
    def meant(self) -> float:
        """The squared sensitivity that was asked for: sens2, gamma2_T or gamma2."""
        return self._meant().value

    def _meant(self) -> Any:
        """The same, as a finf_real."""
        if self.sens2 is not None and self.sens2_error is not None:
            return as_real(self.sens2, self.sens2_error)
        if self.gamma2_T is not None and self.gamma2_T_error is not None:
            return as_real(self.gamma2_T, self.gamma2_T_error)
        return as_real(self.gamma2, self.gamma2_error)


@keywords()
def gamma(noise: "Noise | str", steps: int | None = None, *, max_participations: int | None = None,
          min_sep: int | None = None, epochs: int | None = None,
          problem: Problem | None = None) -> GammaResult:
    """The squared sensitivity of the noise: gamma2 = sum_t c_t^2, c = 1/beta; with `steps` also
    gamma2_T of so many; with `max_participations` and `min_sep` sens2 of a user who takes part at
    most so often, at least so many steps apart; or with `epochs` every steps/epochs steps.

    >>> import finf
    >>> g = finf.gamma("nu:0.01", 1000, max_participations=3, min_sep=100)
    >>> round(g.gamma2, 9), round(g.gamma2_T, 9), round(g.sens2, 9)
    (2.136878261, 2.136878261, 7.017508727)
    """
    n = noise_for(noise, problem)
    all_time = n._gamma()
    d: dict[str, Any] = {}
    k, b, exactly = participations(steps, max_participations, min_sep, epochs)
    if steps is not None:
        value, error = n.gamma2_T(steps)
        d |= {"steps": int(steps), "gamma2_T": value, "gamma2_T_error": error}
        if k is not None and b is not None and math.isfinite(value):
            d |= _several(n, int(steps), k, b, exactly, error / value)
    return GammaResult(noise=n, **real("gamma2", all_time.gamma2),
                       **real("gamma", lib.finf_real_root(all_time.gamma2)),
                       minimum_phase=n.minimum_phase,
                       method=ffi.string(all_time.gamma2.method).decode(),
                       reason=n.gamma2_reason, **d)


def _several(n: Noise, steps: int, k: int, b: int, exactly: bool, relerr: float) -> dict[str, Any]:
    """The entries of X = C'C have the relative error that gamma_T^2, one of them, has; adding
    them up costs one rounding for each of the steps more."""
    p = System.toeplitz(n, steps).participation(k, b)
    value = p.sens2_fixed_order if exactly else p.sens2_min_sep
    return {"participations": k, "separation": b, "sens2": value,
            "sens2_error": value * (relerr + steps * 2.0**-52),
            "sens2_exact": p.fixed_order_exact if exactly else p.min_sep_exact}


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PrivacyResult(Result):
    """What `privacy` answers; the conversions are for zero-out adjacency."""

    rho: float
    rho_error: float
    #: exact: all steps together are one Gaussian mechanism
    epsilon: float | None = None
    epsilon_error: float | None = None
    delta: float | None = None
    delta_error: float | None = None
    #: for any rho-zCDP mechanism
    epsilon_zcdp: float | None = None
    epsilon_zcdp_error: float | None = None
    delta_zcdp: float | None = None
    delta_zcdp_error: float | None = None
    noise: Noise
    #: squared sensitivity: of all time, of so many steps, of the participations
    gamma2: float | None = None
    gamma2_error: float | None = None
    steps: int | None = None
    gamma2_T: float | None = None
    gamma2_T_error: float | None = None
    participations: int | None = None
    separation: int | None = None
    sens2: float | None = None
    sens2_error: float | None = None
    #: sigma/(G gamma), what privacy accountants take
    noise_multiplier: float
    noise_multiplier_error: float
    #: sigma/G, what DP-SGD libraries take
    sigma_over_clip: float
    sigma_over_clip_error: float
    #: standard deviation of w_t, added to the sum of clipped gradients
    sigma: float
    sigma_error: float
    #: sigma/batch, added to their mean
    batch: int | None = None
    sigma_mean: float | None = None
    sigma_mean_error: float | None = None


@keywords()
def privacy(*, rho: float | None = None, epsilon: float | None = None, delta: float | None = None,
            noise_multiplier: float | None = None, accounting: str = "gauss", clip: float = 1.0,
            noise: "Noise | str" = "sgd", steps: int | None = None,
            max_participations: int | None = None, min_sep: int | None = None,
            epochs: int | None = None, batch: int | None = None,
            problem: Problem | None = None) -> PrivacyResult:
    """rho-zCDP, (epsilon, delta) and noise multipliers. Two of rho, epsilon, delta give the third:

        delta = Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m),   m = sqrt(2 rho)

    exactly ("gauss"), and by what holds for any rho-zCDP mechanism ("zcdp"), which `accounting`
    may choose where epsilon and delta are given. sigma = G gamma/sqrt(2 rho), for the noise and
    participations given: see `gamma`.

    >>> import finf
    >>> r = finf.privacy(rho=1, delta=1e-5, noise="nu:0.1")
    >>> round(r.epsilon, 9), round(r.epsilon_zcdp, 9), round(r.sigma, 9)
    (6.572970067, 7.077196696, 0.852010174)
    """
    epsilon = None if epsilon is None else number(epsilon, "epsilon")
    delta = None if delta is None else number(delta, "delta")
    target = _rho(rho, epsilon, delta, noise_multiplier, accounting)
    out: dict[str, Any] = {**target, "epsilon": epsilon, "delta": delta}
    if delta is not None:
        out["delta_error"] = 0.0
        out |= _converted("epsilon", lib.finf_epsilon_gauss, target["rho"], delta)
        out |= _converted("epsilon_zcdp", lib.finf_epsilon_zcdp, target["rho"], delta)
        if epsilon is not None:  # which rho is that of
            given = "epsilon_zcdp" if accounting == "zcdp" else "epsilon"
            out |= {given: epsilon, f"{given}_error": 0.0}
    elif epsilon is not None:
        out |= {"epsilon_error": 0.0, "epsilon_zcdp": epsilon, "epsilon_zcdp_error": 0.0}
        out |= _converted("delta", lib.finf_delta_gauss, target["rho"], epsilon)
        out |= _converted("delta_zcdp", lib.finf_delta_zcdp, target["rho"], epsilon)
    g = gamma(noise, steps, max_participations=max_participations, min_sep=min_sep, epochs=epochs,
              problem=problem)
    names = ["gamma2", "gamma2_error"] if steps is None else [
        "steps", "gamma2_T", "gamma2_T_error", "participations", "separation", "sens2",
        "sens2_error"]
    out |= {k: getattr(g, k) for k in names}
    clip = number(clip, "clip")
    if not 1e-50 <= clip <= 1e50:
        raise DomainError(f"clip = {clip:g}: must be positive, from 1e-50 to 1e50")
    p = Privacy(target["rho"], clip=clip)
    p.rho_error = target["rho_error"]
    m = p.multipliers(g._meant())
    if batch is not None:
        mean = over(p.widened(m.sigma), as_real(whole(batch, "batch")))
        out |= {"batch": int(batch), **real("sigma_mean", mean)}
    return PrivacyResult(noise=g.noise, **p.real("noise_multiplier", m.over_sensitivity),
                         **p.real("sigma_over_clip", m.over_clip), **p.real("sigma", m.sigma),
                         reason=g.reason if math.isinf(g.meant) else "", **out)


def _rho(rho: float | None, epsilon: float | None, delta: float | None, z: float | None,
         accounting: str) -> dict[str, Any]:
    """rho from exactly one of: itself, a noise multiplier, epsilon at delta."""
    by_epsilon = epsilon is not None and delta is not None
    if (rho is not None) + (z is not None) + by_epsilon != 1:
        raise UsageError("give one of rho, noise_multiplier, or epsilon with delta")
    if accounting not in ("gauss", "zcdp"):
        raise UsageError(f"accounting = {shown(accounting)}: must be one of gauss, zcdp")
    if rho is not None:
        if not 1e-30 <= (value := number(rho, "rho")) <= 1e30:
            raise DomainError(f"rho = {value:g}: must be positive, from 1e-30 to 1e30")
        return {"rho": value, "rho_error": 0.0}
    if z is not None:
        out = ffi.new("finf_real *")
        if lib.finf_rho_multiplier(value := number(z, "noise_multiplier"), out):
            raise DomainError(f"noise_multiplier = {value:g}: must be from 1e-15 to 1e15")
        return real("rho", out)
    function = lib.finf_rho_zcdp if accounting == "zcdp" else lib.finf_rho_gauss
    return _converted("rho", function, epsilon, delta)


def _converted(name: str, function: Any, x: float, y: float) -> dict[str, Any]:
    out = ffi.new("finf_real *")
    call(function, x, y, out)
    return real(name, out)
