"""The noise designed for a run of n steps, and BLTs fitted to a loss."""
from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._call import Array, Progress, Stop, call, check, choice, made, real, stoppable, string
from ._call import as_real, copied, keywords, number, over, result, shown, taken, text_of, whole
from ._library import ffi, has, lib
from .errors import DomainError, FinfError, ParseError, ToleranceError, UsageError
from .noise import Noise, noise_for
from .optimizer import Optimizer, optimizer_of, pointer
from .problem import Privacy, Problem
from .quadratic import linreg
from .results import Result, Results, Setting
from .spectrum import Spectrum
from .systems import System, _start, participations

__all__ = ["design", "DesignResult", "fit_blt", "BltFit"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DesignResult(Setting):
    """One family's answer of `design`."""

    family: str
    #: of the run, and what of it; None: F_inf
    steps: int | None = None
    objective: str | None = None
    workload: str
    #: what the loss is of; None for prefix sums
    spectrum: Spectrum | None = None
    d: int | None = None
    d_eff: float | None = None
    d_eff_error: float | None = None
    trace: float | None = None
    trace_error: float | None = None
    kappa: float | None = None
    eta: float | None = None
    optimizer: Optimizer | None = None
    average: str | None = None
    weight_decay: float | None = None
    eta_eff: float | None = None
    eta_eff_error: float | None = None
    contraction: float | None = None
    contraction_error: float | None = None
    start: Any = None
    #: the objective, by privacy noise alone; and with the start and gradient noise
    loss: float
    loss_error: float
    loss_total: float
    loss_total_error: float
    #: no matrix has a smaller loss: proved by the dual; NaN where it was not computed
    least: float
    least_error: float
    #: loss/least
    gap: float
    gap_error: float
    #: of the dense solver
    duality_gap: float
    #: squared sensitivity to the participations
    sens2: float
    sens2_error: float
    #: False: an upper bound of it
    sens2_exact: bool
    participations: int | None = None
    separation: int | None = None
    #: how the separation is meant: "fixed-order", "min-separation"
    count: str | None = None
    #: blt:k: decreasing decays and their scales, what is proved of them, and what a step may still
    #: gain, of the loss
    buf_decay: Array | None = None
    output_scale: Array | None = None
    proved: str | None = None
    left: float | None = None
    #: Toeplitz families
    noise: Noise | None = None
    #: its matrices, where it was searched for or is one
    system: System | None = None
    #: scaled:k: of every step a gain, k decays, k scales out and k scales in
    recursion: Array | None = None
    #: vectors of state
    memory: int | None = None
    iterations: int
    seconds: float


def noise_of(r: DesignResult) -> "Noise | System":
    """What a stream draws: of Toeplitz families the noise, else the matrices."""
    found = r.noise if r.noise is not None else r.system
    if found is None:
        raise UsageError(f"the design {r.family} has no noise: {r.reason}")
    return found


@keywords(Problem)
def design(steps: int | None = None, *, eta: float | None = None,
           spectrum: "Spectrum | ArrayLike | None" = None, kappa: float | None = None,
           workload: str | None = None,
           families: "str | Sequence[str | Noise | System] | None" = None,
           objective: str | None = None,
           max_participations: int | None = None, min_sep: int | None = None,
           epochs: int | None = None, start: "float | ArrayLike" = 1.0, kurtosis: float = 0.0,
           optimizer: Any = None, tol: float | None = None,
           progress: Callable[[int, float, float], Any] | None = None,
           **privacy: Any) -> Results[DesignResult]:
    """The noise for a run of `steps`: for each family the least loss

        loss = sigma^2 <M, K>,   sigma^2 = G^2 sens2/(2 rho),   K the covariance of the noise

    and its distance from `least`, which no noise at all is below. With `eta` and `spectrum` the
    loss is E[F] of linear regression (`objective`: "last", "average" or "max" over the steps;
    without `eta` the step is chosen, up to 20000 steps); with workload="prefix" the variance of
    the prefix sums ("average", if none is given). `families`: "dense", "toeplitz", "banded:b",
    "blt:k", "scaled:k", "nu", "me", any noise or System as it is; None: what `finf design` compares
    for so many steps: dense up to 1000 (400 with participations or "max"), scaled:4 up to 2048
    (without "max", and with no more than 131072 steps times eigenvalues). Without `steps` it is for
    F_inf: "best", "blt:k", "nu", "power", or a noise as it is; with `kappa` in the place of
    `spectrum` for the bound of `iqc`, whose `least` is the minimax. Where one misses its tolerance
    a ToleranceError has them all as its `result`. Other keywords are those of `Problem`.

    >>> import finf
    >>> dense, nu = finf.design(32, eta=0.05, spectrum=finf.Spectrum.power(1, 4),
    ...                         families=["dense", "nu"])
    >>> round(dense.loss, 9), dense.duality_gap < 1e-8, round(nu.gap, 4)
    (0.001839582, True, 2.3907)
    """
    if not has("finf_design_make"):
        raise UsageError("this libfinf has no design")
    if isinstance(families, (str, Noise, System)):
        families = [families]
    if families is not None and not isinstance(families, (list, tuple)):
        raise UsageError(f"families = {shown(families)}: a list of {_FAMILIES} is expected")
    if families is not None and not len(families):
        raise UsageError(f"families is empty: some of {_FAMILIES}")
    prefix = (workload or "loss") == "prefix"
    objective = objective or ("average" if prefix else "last")
    if workload not in (None, "loss", "prefix"):
        raise UsageError(f"workload = {shown(workload)}: must be one of loss, prefix")
    if prefix:
        for name, given in (("eta", eta), ("spectrum", spectrum), ("kappa", kappa)):
            if given is not None:
                raise UsageError(f"{name} is of a loss: prefix sums have none")
    elif (spectrum is None) == (kappa is None) or (eta is None and (kappa or steps is None)):
        raise UsageError("the loss of a run needs spectrum (without steps: spectrum or kappa, and "
                         "eta); or workload='prefix'")
    if kappa is not None and steps is not None:
        raise UsageError("kappa: the bound of every convex F has no horizon")
    problem = None if prefix else Problem(
        math.nan if eta is None else eta, spectrum=spectrum, kappa=kappa, kurtosis=kurtosis,
        optimizer=optimizer, **privacy)
    if steps is None:
        if problem is None or (max_participations, min_sep, epochs) != (None, None, None):
            raise UsageError("prefix sums and participations need steps")
        return _stationary(problem, families or _default(0, problem, ffi.NULL))
    n, p = whole(steps, "steps"), Privacy(**privacy) if problem is None else problem.privacy
    o, rule = _options(p, objective, kurtosis, tol), optimizer_of(optimizer)
    o.optimizer = pointer(rule)
    k, b, exactly = participations(n, max_participations, min_sep, epochs)
    if k is not None:
        o.participations, o.separation = k, b
        o.count = lib.FINF_DESIGN_FIXED_ORDER if exactly else lib.FINF_DESIGN_MIN_SEP
    held = None if problem is None else _start(o, start, problem.H.d)
    stop = Stop().into(o.cancel)
    told = Progress("void(void *, int, double, double)", progress, stop)
    o.progress = told.c
    if problem is not None and eta is None:
        problem.eta = _step(problem, n, o, stop)
        told.raise_if_failed()
    kind, free = "finf_design", lib.finf_design_free
    run = made(kind, free, lib.finf_design_prefix, n, o) if problem is None else made(
        kind, free, lib.finf_design_make, problem.eta, problem.H._c, n, o)
    del held
    epoch = b if k is not None and k > 1 else None
    rows, missed = [], ""
    for f in families or _default(n, problem, o):
        try:
            status, row = _family(run, f, n, epoch, stop, problem)
        except (DomainError, ToleranceError):
            told.raise_if_failed()
            if families is None and f.startswith("scaled:"):
                continue  # an offer: where its search fails the others are the answer
            raise
        told.raise_if_failed()
        if status and families is None and f.startswith("scaled:"):
            status = 0
        rows.append(row)
        missed = missed or (row["reason"] if status else "")
    out = _beside(rows, p, {**_asked(problem), "start": None if problem is None else start,
                            "steps": n, "objective": objective, "participations": k,
                            "separation": b, "workload": "prefix" if prefix else "loss",
                            "count": None if k is None else
                            string(lib.finf_design_count_name(o.count))})
    if missed:
        raise ToleranceError(missed, out)
    return out


def _default(n: int, problem: Problem | None, o: Any) -> list[str]:
    """The families where none is named."""
    text = ffi.new("char[128]")
    dim = 0 if problem is None or problem.spectrum is None else problem.spectrum.d
    lib.finf_design_families(n, dim, problem is not None and problem.kind == "convex", o, text, 128)
    return string(text).split(",")


def _step(problem: Problem, n: int, o: Any, stop: Stop) -> float:
    """The step of a run for which none was given."""
    eta, cancel = ffi.new("double *"), ffi.new("finf_cancel *")  # the options' has the same flag
    stoppable(cancel, lambda: call(lib.finf_design_step, problem.H._c, n, o, eta), stop)
    return eta[0]


def _asked(p: Problem | None) -> dict[str, Any]:
    """The fields that say what the loss is of."""
    if p is None:
        return {}
    if p.spectrum is None:
        return {**p.fields(), "kappa": p.kappa}
    return {**p.fields(), **p.spectrum.sizes(), "spectrum": p.spectrum}


def _options(p: Privacy, objective: str, kurtosis: float, tol: Any) -> Any:
    o = ffi.new("finf_design_options *", lib.finf_design_options_default())
    p.into(o.privacy)
    o.objective = choice(objective, "objective", lib.finf_design_objective_name, 4)
    o.kurtosis = number(kurtosis, "kurtosis")
    if tol is not None:
        o.tol = number(tol, "tol")
    return o


_FAMILIES = "dense, toeplitz, banded:b, blt:k, scaled:k, nu, power, me, best, or a noise"


def _count(family: str, count: str) -> int:
    """b or k of a family's name."""
    try:
        return whole(float(count), family)
    except ValueError as e:
        if isinstance(e, FinfError):
            raise
        raise ParseError(f"family {shown(family)} is not known: {_FAMILIES}") from None


def _given(family: Any, problem: Problem | None) -> Noise:
    """A family that is a noise."""
    try:
        return noise_for(family, problem)
    except ParseError as e:
        if isinstance(family, str) and (":" in family or "@" in family):
            raise
        raise ParseError(f"family {shown(family)} is not known: {_FAMILIES}") from e


def _family(run: Any, family: Any, n: int, epoch: int | None, stop: Stop,
            problem: Problem | None) -> tuple[int, dict[str, Any]]:
    """The status of one family, and what it came to, as fields."""
    r = result("finf_design_result", lib.finf_design_result_free)
    word, _, count = family.partition(":") if isinstance(family, str) else ("", "", "")
    held: Any = None
    fit: Any = None
    if word == family == "dense":
        function: Any = lib.finf_design_dense
        args: tuple[Any, ...] = (run,)
    elif word == family == "toeplitz":
        function, args = lib.finf_design_toeplitz, (run, 0)
    elif word == "banded":
        function, args = lib.finf_design_toeplitz, (run, _count(family, count))
    elif word == "blt" and ";" not in count:
        fit = ffi.new("finf_blt_fit *")
        function, args = lib.finf_design_blt, (run, _count(family, count), fit)
    elif word == "scaled":
        function, args = lib.finf_design_scaled, (run, _count(family, count))
    elif word == family == "nu":
        function, args = lib.finf_design_nu, (run,)
    elif word == family == "me" or isinstance(family, System):
        held = family if isinstance(family, System) else (
            System.epochs(n, epoch) if epoch else System.me(n))
        function, args = lib.finf_design_system, (run, held._c)
    else:
        held = _given(family, problem)
        function, args = lib.finf_design_noise, (run, held._c)
    cancel = ffi.new("finf_cancel *")  # the run's own has the same flag
    status = stoppable(cancel, lambda: function(*args, r), stop)
    if status and (status != lib.FINF_ETOL or math.isnan(r.loss.value)):
        check(status, r.reason)
    name = family if isinstance(family, str) else string(r.family)
    return status, {**_fields(name, held, r), **_buffers(fit), **_recursion(r, n)}


def _fields(family: str, given: "Noise | System | None", r: Any) -> dict[str, Any]:
    """A finf_design_result in words; what it owns is taken, what was given is handed back."""
    noise = given if isinstance(given, Noise) else None
    if r.noise and noise is None:
        noise = Noise._of(taken(r, "noise", lib.finf_noise_free))
    system = given if isinstance(given, System) else None
    if r.system and system is None:
        system = System(taken(r, "system", lib.finf_system_free))
    return {"family": family, **real("loss", r.loss), **real("loss_total", r.loss_total),
            **real("sens2", r.sens2), "sens2_exact": bool(r.sens2_exact), "sigma": r.sigma,
            "least": r.least, "least_error": r.least_error, "duality_gap": r.duality_gap,
            "memory": r.memory, "iterations": r.iterations, "seconds": r.seconds, "noise": noise,
            "system": system, "reason": text_of(r.reason)}


def _beside(rows: list[dict[str, Any]], p: Privacy, same: dict[str, Any]) -> Results[DesignResult]:
    """Each family beside what the dense one proved."""
    known = [(r["least"], r["least_error"]) for r in rows if not math.isnan(r["least"])]
    least = as_real(*max(known, default=(math.nan, math.nan)))
    gap = next((r["duality_gap"] for r in rows if not math.isnan(r["duality_gap"])), math.nan)
    every = [DesignResult(**{**p.fields(), **same, **_judged(p, r, least), "duality_gap": gap})
             for r in rows]
    return Results(every, "family memory sens2 gap loss")


def _judged(p: Privacy, r: dict[str, Any], least: Any) -> dict[str, Any]:
    """The same beside the least loss, a finf_real, with what the error of rho does to it."""
    loss, total, sens2 = (as_real(r[k], r[k + "_error"]) for k in ("loss", "loss_total", "sens2"))
    m = p.multipliers(sens2)  # which owns its parts: it must live while one is read
    sigma = p.widened(m.sigma)
    return {**r, **p.real("loss", loss), **p.real("loss_total", total), **p.real("least", least),
            **real("gap", over(loss, least)), "sigma_error": sigma.error}


def _recursion(r: Any, n: int) -> dict[str, Any]:
    """The numbers of scaled:k, a row a step."""
    if not r.recursion:
        return {}
    return {"recursion": copied(r.recursion, n * (3 * r.memory + 1)).reshape(n, -1)}


def _buffers(fit: Any) -> dict[str, Any]:
    """What a finf_blt_fit has beside the noise."""
    if not fit or not fit.buffers:
        return {}
    decay, scale = (np.array(list(x[0:fit.buffers])) for x in (fit.decay, fit.scale))
    return {"buf_decay": decay, "output_scale": scale, "proved": string(fit.proved),
            "left": fit.left}


def _found(f: str, p: Problem) -> tuple[Any, dict[str, Any], str]:
    """The noise of a family without a horizon, what else is known of it, and a reason."""
    word, _, count = f.partition(":")
    if f == "power" and p.kind == "linreg":
        nu, power, r = ffi.new("double *"), ffi.new("double *"), ffi.new("finf_linreg_result *")
        check(lib.finf_tune_power_linreg(p.eta, p.H._c, p.linreg_options(), power, nu, r), r.reason)
        return Noise.power(power[0], nu[0]), {}, ""
    if word != "blt" or ";" in count:
        return _given({"toeplitz": "best", "nu": "nu:best"}.get(f, f), p), {}, ""
    k, fit = _count(f, count), ffi.new("finf_blt_fit *")
    if p.kind == "convex":
        o, q = p.iqc_options(), ffi.new("finf_iqc_result *")
        status = stoppable(o.cancel, lambda: lib.finf_blt_fit_iqc(p.eta, p.kappa, o, k, fit, q))
    else:
        b = ffi.new("finf_blt_fit_options *", lib.finf_blt_fit_options_default())
        status = stoppable(b.cancel, lambda: _fit(k, p, None, "", b, fit))
    if not fit.buffers:
        if status != lib.FINF_ETOL:
            check(status, fit.reason)
        return Noise.sgd(), {}, text_of(fit.reason)  # the BLT without a buffer
    noise = Noise.blt(*(list(x[0:fit.buffers]) for x in (fit.decay, fit.scale)))
    return noise, _buffers(fit), text_of(fit.reason) if status else ""


def _stationary(p: Problem, families: Sequence[Any]) -> Results[DesignResult]:
    """Of F_inf: what `linreg` says, with and without gradient noise; or of the bound of `iqc`."""
    rows = []
    for f in families:
        began = time.perf_counter()
        noise, more, why = _found(f, p) if isinstance(f, str) else (noise_for(f, p), {}, "")
        memory = len(more["buf_decay"]) if more else 0 if f == "sgd" else None
        judged = _bound(noise, p) if p.kind == "convex" else _F_inf(noise, p)
        least, reason = as_real(judged["least"], judged["least_error"]), judged.pop("reason")
        rows.append(DesignResult(
            **{**_asked(p), **p.privacy.fields(as_real(judged["sens2"], judged["sens2_error"])),
               **_judged(p.privacy, judged, least)},
            family=str(f), workload="loss", noise=noise, duality_gap=math.nan,
            sens2_exact=True, memory=memory, iterations=0, seconds=time.perf_counter() - began,
            reason=reason or why, **more))
    return Results(rows, "family sens2 gap loss")


def _F_inf(noise: Noise, p: Problem) -> dict[str, Any]:
    given: dict[str, Any] = {"kurtosis": p.kurtosis, "optimizer": p.optimizer,
                             "rho": p.privacy.rho, "clip": p.privacy.clip}
    every = linreg(noise, p.eta, p.H, sigma_sgd=p.privacy.sigma_sgd, **given)
    alone = linreg(noise, p.eta, p.H, sigma_sgd=0.0, **given)
    return {"loss": alone.F_inf, "loss_error": alone.F_inf_error, "loss_total": every.F_inf,
            "loss_total_error": every.F_inf_error, "least": alone.F_best,
            "least_error": alone.F_best_error, "sens2": alone.gamma2,
            "sens2_error": alone.gamma2_error,
            "reason": alone.reason if math.isinf(alone.F_inf) else ""}


def _bound(noise: Noise, p: Problem) -> dict[str, Any]:
    o, r = p.iqc_options(), ffi.new("finf_iqc_result *")
    check(stoppable(o.cancel, lambda: lib.finf_iqc(noise._c, p.eta, p.kappa, o, r)), r.reason)
    return {**real("loss", r.bound), **real("loss_total", r.bound), **real("sens2", r.gamma2),
            **real("least", r.minimax_lower), "reason": text_of(r.reason)}


# ---- BLTs -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class BltFit(Result):
    """What `fit_blt` answers."""

    noise: Noise
    buffers: int
    buf_decay: Array
    output_scale: Array
    #: squared sensitivity, what the noise does at sigma = 1, and sens2 error G^2/(2 rho)
    sens2: float
    sens2_error: float
    error: float
    error_error: float
    loss: float
    loss_error: float
    #: no noise has a smaller loss; and loss/least; NaN for prefix sums
    least: float
    least_error: float
    gap: float
    #: proved: decays and inverse decays are real, interlaced, in (-1, 1)
    stable: bool
    proved: str
    #: what a Newton step may still gain, of the loss; worst start over the best, minus 1
    left: float
    spread: float
    seconds: float


@keywords()
def fit_blt(buffers: int, problem: Problem | None = None, *, steps: int | None = None,
            objective: str = "average", starts: int | None = None, max_participations: int = 1,
            min_sep: int = 1) -> BltFit:
    """The BLT of so many buffers with the least loss that was found:

        C = 1 + sum_i output_scale_i z/(1 - buf_decay_i z),   k vectors of memory, any length

    for the privacy noise's part of F_inf of a `problem` (mean estimation, linear regression), or
    for the prefix sums of `steps` ("average", "last" or "max" of their variances).

    >>> import finf
    >>> fit = finf.fit_blt(2, finf.Problem(eta=0.02, spectrum=finf.Spectrum.power(1, 8)))
    >>> fit.stable, fit.gap < 1.05, fit.noise.family
    (True, True, 'blt')
    """
    if not has("finf_blt_fit_mean"):
        raise UsageError("this libfinf fits no BLTs")
    if (problem is None) == (steps is None):
        raise UsageError("a problem, or the steps of prefix sums: one of them")
    if problem is not None and not isinstance(problem, Problem):
        raise UsageError(f"problem = {shown(problem)}: a Problem is expected")
    if problem is not None and problem.kind == "convex":
        raise UsageError("a BLT is fitted to mean estimation, linear regression or prefix sums")
    k = whole(buffers, "buffers")
    o = ffi.new("finf_blt_fit_options *", lib.finf_blt_fit_options_default())
    if starts is not None:
        o.starts = whole(starts, "starts")
    if hasattr(o, "participations"):
        o.participations = whole(max_participations, "max_participations")
        o.separation = whole(min_sep, "min_sep")
    r = ffi.new("finf_blt_fit *")
    status = stoppable(o.cancel, lambda: _fit(k, problem, steps, objective, o, r))
    if status and (status != lib.FINF_ETOL or not r.buffers):
        check(status, r.reason)
    out = _blt(r)
    check(status, r.reason, out)
    return out


def _fit(k: int, problem: Problem | None, steps: Any, objective: str, o: Any, r: Any) -> int:
    if problem is None:
        which = choice(objective, "objective", lib.finf_blt_objective_name, 4)
        return lib.finf_blt_fit_prefix(whole(steps, "steps"), which, k, o, r)
    if problem.kind == "mean":
        return lib.finf_blt_fit_mean(problem.eta, problem.mean_options(), k, o, r)
    return lib.finf_blt_fit_linreg(problem.eta, problem.H._c, problem.linreg_options(), k,
                                   o, r)


def _blt(r: Any) -> BltFit:
    decay, scale = (np.array(list(x[0:r.buffers])) for x in (r.decay, r.scale))
    return BltFit(noise=Noise.blt(decay, scale), buffers=r.buffers, buf_decay=decay,
                  output_scale=scale, **real("sens2", r.sens2), **real("error", r.error),
                  **real("loss", r.loss), **real("least", r.least), gap=r.ratio,
                  stable=bool(r.stable), proved=string(r.proved), left=r.left, spread=r.spread,
                  seconds=r.seconds, reason=text_of(r.reason))
