"""The problem that is asked about: a step size, a loss, an optimizer and a privacy target."""
from __future__ import annotations

import functools
import math
from typing import Any

from numpy.typing import ArrayLike

from ._call import as_real, call, check, choice, keywords_of, number, real, result, stoppable
from ._call import switch, taken, text_of, whole
from ._library import ffi, lib
from .errors import DomainError, UsageError, error_of
from .noise import Noise
from .optimizer import Optimizer, optimizer_of, pointer
from .spectrum import Spectrum, spectrum_of

__all__ = ["Problem"]

_PRIVACY, _MEAN = lib.finf_privacy_setting_default(), lib.finf_mean_options_default()
_LINREG, _IQC = lib.finf_linreg_options_default(), lib.finf_iqc_options_default()
_WORDS = ("sharp", "general", "sharp")  # bound, class_ and constants of _IQC


class Privacy:
    """rho, or epsilon at delta (exact for this Gaussian mechanism), clip norm, gradient noise."""

    def __init__(self, rho: float | None = None, epsilon: float | None = None,
                 delta: float | None = None, clip: float | None = None,
                 sigma_sgd: float | None = None) -> None:
        if (epsilon is None) != (delta is None):
            raise UsageError("epsilon and delta go together")
        if rho is not None and epsilon is not None:
            raise UsageError("rho, or epsilon with delta: one of them")
        self.epsilon = None if epsilon is None else number(epsilon, "epsilon")
        self.delta = None if delta is None else number(delta, "delta")
        self.rho, self.rho_error = _PRIVACY.rho if rho is None else number(rho, "rho"), 0.0
        if self.epsilon is not None:
            if not 0 < self.epsilon <= 1e30:
                raise DomainError(f"epsilon = {self.epsilon:g}: must be positive, at most 1e30")
            out = ffi.new("finf_real *")
            call(lib.finf_rho_gauss, self.epsilon, self.delta, out)
            self.rho, self.rho_error = out.value, out.error
        self.clip = _PRIVACY.clip if clip is None else number(clip, "clip")
        self.sigma_sgd = _PRIVACY.sigma_sgd if sigma_sgd is None else number(sigma_sgd, "sigma_sgd")
        self._setting: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_setting": None}  # which C reads, and is made again

    def into(self, setting: Any) -> None:
        """Into a finf_privacy_setting."""
        setting.rho, setting.clip, setting.sigma_sgd = self.rho, self.clip, self.sigma_sgd

    def setting(self) -> Any:
        """finf_privacy_setting *"""
        if self._setting is None:
            self._setting = ffi.new("finf_privacy_setting *", (self.rho, self.clip, self.sigma_sgd))
        return self._setting

    def fields(self, sens2: Any = None) -> dict[str, Any]:
        """The fields of a result: the target, and sigma for this squared sensitivity, which is a
        finf_real."""
        d = {"rho": self.rho, "rho_error": self.rho_error, "epsilon": self.epsilon,
             "delta": self.delta, "clip": self.clip, "sigma_sgd": self.sigma_sgd}
        if sens2 is not None:
            m = self.multipliers(sens2)  # which owns its parts: it must live while one is read
            sigma = self.widened(m.sigma) if self.rho_error else m.sigma
            d["sigma"], d["sigma_error"] = sigma.value, sigma.error
        return d

    def real(self, name: str, x: Any) -> dict[str, Any]:
        """A finf_real that was found for rho, with what the error of rho does to it."""
        return real(name, self.widened(x) if self.rho_error else x)

    def widened(self, x: Any) -> Any:
        """The same as a finf_real."""
        return lib.finf_privacy_widen(x, as_real(self.rho, self.rho_error))

    def share(self) -> float:
        """What the error of rho adds to the relative error of anything that was found for it."""
        return self.widened(as_real(1.0)).error if self.rho_error else 0.0

    def widen(self, fields: dict[str, Any], *names: str) -> dict[str, Any]:
        """The same for these of many fields."""
        if self.rho_error:
            for name in names:
                fields |= self.real(name, as_real(fields[name], fields[f"{name}_error"]))
        return fields

    def multipliers(self, sens2: Any) -> Any:
        """The three things called noise multiplier."""
        return lib.finf_noise_multipliers(self.setting(), sens2)

    def variance(self, gamma2: float, d: float) -> float:
        """E|w_t|^2 in d dimensions."""
        return lib.finf_noise_variance(self.setting(), gamma2, d)


@functools.lru_cache(maxsize=None)
def _plain() -> Optimizer:
    return Optimizer()


@keywords_of
class Problem:
    """What is asked about. With `kappa` it is every strongly convex, smooth F with L/mu = kappa;
    with `spectrum` linear regression; with neither mean estimation.

    ===========================  ==================================================================
    eta                          step size
    spectrum, kurtosis           linear regression: of H; excess kurtosis of independent inputs
    kappa, smooth, dim           convex F: L/mu, L (1), dimension of theta (1)
    bound, class_, constants     convex F: which bound ("sharp"), of which F ("general")
    solver, grid_uniform, fir    convex F: how it is solved ("auto")
    certify                      convex F: prove the bound in ball arithmetic
    optimizer                    an Optimizer, or its spelling; None: sgd
    rho, or epsilon and delta    privacy target (rho = 1)
    clip, sigma_sgd              clip norm G (1), standard deviation of gradient noise (0)
    ===========================  ==================================================================

    >>> problem = Problem(eta=0.02, spectrum=Spectrum.power(1, 4), epsilon=1, delta=1e-5)
    >>> problem.kind, problem.mu, round(problem.privacy.rho, 6)
    ('linreg', 0.25, 0.035926)
    """

    def __init__(self, eta: float, *, spectrum: "Spectrum | ArrayLike | None" = None,
                 kappa: float | None = None, kurtosis: float = 0.0, smooth: float = 1.0,
                 dim: float = 1.0, bound: str = "sharp", class_: str = "general",
                 constants: str = "sharp", solver: str = "auto", grid_uniform: int = 0,
                 fir: int = 0, certify: bool = False, optimizer: "Optimizer | str | None" = None,
                 rho: float | None = None, epsilon: float | None = None,
                 delta: float | None = None, clip: float | None = None,
                 sigma_sgd: float | None = None) -> None:
        if spectrum is not None and kappa is not None:
            raise UsageError("kappa is about every convex F, spectrum about linear regression: "
                             "give one of them")
        self.eta = number(eta, "eta")
        self.privacy = Privacy(rho, epsilon, delta, clip, sigma_sgd)
        self.optimizer = optimizer_of(optimizer)
        self.spectrum = None if spectrum is None else spectrum_of(spectrum)
        self.kappa = None if kappa is None else number(kappa, "kappa")
        self.kurtosis = number(kurtosis, "kurtosis")
        self.smooth, self.dim = number(smooth, "smooth"), number(dim, "dim")
        self.bound, self.class_, self.constants = bound, class_, constants
        self.solver, self.certify = solver, switch(certify, "certify")
        self.grid_uniform = whole(grid_uniform, "grid_uniform", 0)
        self.fir = whole(fir, "fir", 0)

    @property
    def kind(self) -> str:
        """"mean", "linreg" or "convex"."""
        return "convex" if self.kappa is not None else "mean" if self.spectrum is None else "linreg"

    @property
    def H(self) -> Spectrum:
        """The spectrum of linear regression."""
        if self.spectrum is None:
            raise UsageError("only linear regression has a spectrum")
        return self.spectrum

    @property
    def mu(self) -> float:
        """The least curvature."""
        return self.curvatures[0]

    @property
    def curvatures(self) -> tuple[float, float]:
        """The least and the largest curvature."""
        if self.kappa is not None:
            return self.smooth / self.kappa, self.smooth
        if self.spectrum is not None:
            return self.spectrum.ends()
        return 1.0, 1.0

    # ---- options of the library -------------------------------------------------------------

    def mean_options(self) -> Any:
        """finf_mean_options *"""
        o = ffi.new("finf_mean_options *", _MEAN)
        self.privacy.into(o.privacy)
        o.optimizer = pointer(self.optimizer)
        return o

    def linreg_options(self, optimum: bool = True) -> Any:
        """finf_linreg_options *"""
        o = ffi.new("finf_linreg_options *", _LINREG)
        self.privacy.into(o.privacy)
        o.optimizer = pointer(self.optimizer)
        o.kurtosis, o.optimum = self.kurtosis, optimum
        return o

    def iqc_options(self) -> Any:
        """finf_iqc_options *"""
        o = ffi.new("finf_iqc_options *", _IQC)
        self.privacy.into(o.privacy)
        o.optimizer = pointer(self.optimizer)
        o.smooth, o.dim = self.smooth, self.dim
        if (self.bound, self.class_, self.constants) != _WORDS:
            o.bound = choice(self.bound, "bound", lib.finf_iqc_bound_name, 8)
            o.multipliers = choice(self.class_, "class_", lib.finf_iqc_class_name, 8)
            o.constants = choice(self.constants, "constants", lib.finf_iqc_constants_name, 8)
        o.solver = choice(self.solver, "solver", lib.finf_iqc_solver_name, 8)
        o.grid_uniform, o.fir, o.certify = self.grid_uniform, self.fir, self.certify
        return o

    # ---- what results have of it ------------------------------------------------------------

    def fields(self, sens2: Any = None) -> dict[str, Any]:
        """The fields of WithOptimizer; sens2 is a finf_real."""
        o, (low, high) = self.optimizer, self.curvatures
        out = ffi.new("finf_real *")  # a failure leaves NaN
        lib.finf_optimizer_contraction(pointer(o), self.eta, low, high, out, ffi.NULL)
        d = self.privacy.fields(sens2)
        d["eta"], d["contraction"], d["contraction_error"] = self.eta, out.value, out.error
        if o is None:
            d["optimizer"], d["eta_eff"], d["eta_eff_error"] = _plain(), self.eta, 0.0
            return d  # average and weight_decay are None, as in the class
        step = lib.finf_real_times(  # 1/(1-M), or a filter's sum
            as_real(self.eta), lib.finf_real_rounded(lib.finf_optimizer_step(pointer(o)), 2))
        return d | {"optimizer": o, "average": o.average, **real("eta_eff", step),
                    "weight_decay": o.weight_decay or None}

    def put_off(self, sens2: Any) -> dict[str, Any]:
        """The same for Result._of, made when one of them is first asked for."""
        value, error = sens2.value, sens2.error  # whoever owns it may be gone by then
        return {"eta": self.eta, "_put_off": lambda: self.fields(as_real(value, error))}

    # ---- the noise that is best for it ------------------------------------------------------

    def best_nu(self) -> float:
        """The nu with the least F_inf, or bound: see `tune`."""
        nu = ffi.new("finf_real *")
        if self.kind == "mean":
            mean = ffi.new("finf_mean_result *")
            m = self.mean_options()
            check(stoppable(m.cancel, lambda: lib.finf_tune_mean(self.eta, m, nu, mean)),
                  mean.reason)
        elif self.kind == "linreg":
            r = ffi.new("finf_linreg_result *")
            q = self.linreg_options(False)
            check(stoppable(q.cancel, lambda: lib.finf_tune_linreg(self.eta, self.H._c, q, nu, r)),
                  r.reason)
        else:
            o, iqc = self.iqc_options(), ffi.new("finf_iqc_result *")
            o.certify, o.solver = 0, lib.FINF_IQC_NEWTON  # the faster one: only nu is kept
            status = stoppable(
                o.cancel, lambda: lib.finf_tune_iqc(self.eta, self.kappa, o, nu, iqc))
            check(status, iqc.reason)
        return nu.value

    def best_noise(self) -> Noise:
        """See Noise.best.

        >>> Problem(eta=0.1).best_noise()
        Noise('nu:0.1')
        """
        out = ffi.new("finf_noise **")
        if self.kind == "mean":
            m = self.mean_options()
            stoppable(m.cancel, lambda: call(lib.finf_mean_best_noise, self.eta, m, out))
        elif self.kind == "linreg":
            q = self.linreg_options()
            stoppable(q.cancel,
                      lambda: call(lib.finf_linreg_best_noise, self.eta, self.H._c, q, out))
        else:
            return self._best_convex()
        return Noise._of(ffi.gc(out[0], lib.finf_noise_free))

    def _best_convex(self) -> Noise:
        o = ffi.new("finf_optimize_options *", lib.finf_optimize_options_default())
        o.iqc = self.iqc_options()[0]
        o.iqc.certify = 0
        r = result("finf_optimize_result", lib.finf_optimize_result_free)
        status = stoppable(o.iqc.cancel, lambda: lib.finf_optimize(self.eta, self.kappa, o, r))
        if status:
            raise error_of(status, text_of(r.iqc.reason))
        if not r.noise:
            raise DomainError("there is no best noise: every bound is infinite")
        return Noise._of(taken(r, "noise", lib.finf_noise_free))

    def __repr__(self) -> str:
        return f"<Problem {self.kind}, eta = {self.eta:g}>"
