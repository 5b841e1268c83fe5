"""Monte Carlo of Noisy-FTRL, and of DP-FTRL where gradients are clipped."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from numpy.typing import ArrayLike

from ._call import Progress, Stop, check, choice, keywords, number, real, shown, stoppable, string
from ._call import switch, text_of, whole
from ._library import ffi, lib
from .errors import UsageError
from .noise import Noise, noise_for
from .problem import Problem
from .results import WithOptimizer
from .spectrum import Spectrum
from .systems import _start

__all__ = ["simulate", "SimulateResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SimulateResult(WithOptimizer):
    """What `simulate` answers."""

    problem: str
    noise: Noise
    spectrum: Spectrum | None = None
    d: int | None = None
    d_eff: float | None = None
    d_eff_error: float | None = None
    trace: float | None = None
    trace_error: float | None = None
    #: huber
    kappa: float | None = None
    smooth: float | None = None
    knee: float | None = None
    clip_gradients: bool
    steps: int | None = None
    start: Any = None
    seed: int
    #: of all time, or of so many steps
    gamma2: float | None = None
    gamma2_error: float | None = None
    gamma2_T: float | None = None
    gamma2_T_error: float | None = None
    #: E[F - F*], simulated; its error is one standard error; a 95% interval
    F_sim: float
    F_sim_error: float
    F_sim_low: float
    F_sim_high: float
    #: the exact value where it is known: in the limit, or after the last step
    F_inf: float | None = None
    F_inf_error: float | None = None
    F_last: float | None = None
    F_last_error: float | None = None
    clipped_fraction: float
    steps_total: float
    chains: float
    chain_steps: float
    burn_in: float
    method: str
    seconds: float


@keywords(Problem)
def simulate(noise: "Noise | str", eta: float, *, spectrum: "Spectrum | ArrayLike | None" = None,
             kappa: float | None = None, problem: str | None = None, smooth: float = 1.0,
             knee: float | None = None, steps: int | None = None,
             start: "float | ArrayLike" = 1.0, clip_gradients: bool = False, seed: int = 1,
             relative_error: float | None = None, max_steps: float | None = None,
             threads: int = 1, progress: Callable[[float, float, float, float], Any] | None = None,
             **setting: Any) -> SimulateResult:
    """E[F(theta_t) - F*] from independent chains of

        theta_{t+1} = theta_t - eta (g_t + z_t),   z = beta * w,  w ~ N(0, sigma^2 I)

    in the limit, or after `steps`; with a standard error, and the exact value where it is known.
    With `spectrum` of linear regression, with `kappa` of a Huber loss of that condition number,
    with neither of mean estimation (`problem` may say it: "linreg", "huber", "mean").
    A seed gives the same numbers on any number of threads. `progress` is called now and then with
    steps done, steps expected, mean and standard error so far. Other keywords: optimizer, rho or
    epsilon and delta, clip, sigma_sgd.

    >>> import finf
    >>> s = finf.Spectrum.power(1, 4)
    >>> r = finf.simulate("nu:paper", eta=0.05, spectrum=s, max_steps=1e6)
    >>> abs(r.F_sim - r.F_inf) < 4 * r.F_sim_error, r.F_sim_error < 0.01 * r.F_sim
    (True, True)
    """
    which = "linreg" if spectrum is not None else "huber" if kappa is not None else "mean"
    if problem not in (None, which):
        raise UsageError(f"problem = {shown(problem)}: linreg has a spectrum, huber a kappa, "
                         "mean neither")
    p = Problem(eta, spectrum=spectrum, kappa=kappa, smooth=smooth, **setting)
    n = noise_for(noise, p)
    o = ffi.new("finf_simulate_options *", lib.finf_simulate_options_default())
    own = p.linreg_options()
    o.privacy, o.optimizer, o.smooth = own.privacy, own.optimizer, p.smooth
    o.clip_gradients = switch(clip_gradients, "clip_gradients")
    o.seed, o.threads = whole(seed, "seed", 0), whole(threads, "threads", 1, 256)
    o.steps = 0 if steps is None else whole(steps, "steps")
    for name, value in (("kappa", kappa), ("knee", knee), ("relative_error", relative_error),
                        ("max_steps", max_steps)):
        if value is not None:
            setattr(o, name, number(value, name))
    held = _start(o, start, 1 if p.spectrum is None else p.spectrum.d)
    r, stop = ffi.new("finf_simulate_result *"), Stop()
    told = Progress("void(void *, double, double, double, double)", progress, stop)
    o.progress = told.c
    kind = choice(which, "problem", lib.finf_simulate_problem_name, 8)
    h = ffi.NULL if p.spectrum is None else p.spectrum._c
    status = stoppable(o.cancel, lambda: lib.finf_simulate(n._c, kind, p.eta, h, o, r), stop)
    del held
    told.raise_if_failed()
    if status and status != lib.FINF_ETOL:
        check(status, r.reason)
    out = _result(p, n, which, o, r, start)
    check(status, r.reason, out)
    return out


def _result(p: Problem, n: Noise, which: str, o: Any, r: Any, start: Any) -> SimulateResult:
    """A finf_simulate_result in words."""
    finite = o.steps > 0
    d: dict[str, Any] = {**real("gamma2_T" if finite else "gamma2", r.gamma2),
                         **real("F_last" if finite else "F_inf", r.exact)}
    if finite:
        d |= {"steps": o.steps, "start": start}
    if p.spectrum is not None:
        d |= {"spectrum": p.spectrum, **p.spectrum.sizes()}
    if which == "huber":
        d |= {"kappa": p.kappa, "smooth": p.smooth, "knee": r.knee}
    return SimulateResult(
        problem=which, noise=n, **p.fields(r.gamma2), clip_gradients=bool(o.clip_gradients),
        seed=o.seed, **real("F_sim", r.F), F_sim_low=r.low, F_sim_high=r.high,
        clipped_fraction=r.clipped_fraction, steps_total=r.steps, chains=r.chains,
        chain_steps=r.chain_steps, burn_in=r.burn_in, method=string(r.method), seconds=r.seconds,
        reason=text_of(r.reason) or text_of(r.exact_reason), **d)
