"""The mechanisms that are compared, all of them with the sensitivity of the run they are used in.

An example takes part once an epoch, always at the same step of it ("fixed order"): of T steps and k
epochs at t, t + T/k, ... The squared sensitivity `sens2` to that is finf's, and sigma = G
sqrt(sens2/(2 rho)) then gives every mechanism the same rho, hence the same exact (epsilon, delta).
"""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

import finf

METHODS = {"sgd": "DP-SGD", "honaker": "tree (Honaker)", "cc": "cc", "nu": "nu, tuned",
           "blt": "BLT", "me": "best for prefix sums", "design": "finf's design"}


@dataclass(frozen=True)
class Mechanism:
    """Noise for a run of `steps`. `noise` is what finf.NoiseStream takes."""

    method: str
    steps: int
    epochs: int
    noise: "finf.Noise | finf.System"
    sens2: float
    sens2_exact: bool  # or an upper bound, which is as private, with more noise than need be
    nu: float = math.nan
    curvature: float = math.nan

    def sigma(self, clip: float, rho: float) -> float:
        """Of w_t, added to the *sum* of clipped gradients."""
        return clip * math.sqrt(self.sens2 / (2 * rho))

    def stream(self, size: int, seed: int) -> finf.NoiseStream:
        """At sigma = 1. From a seed, so that the experiment can be repeated: this is no privacy."""
        return finf.NoiseStream(self.noise, size, 1.0, np.float32, steps=self.steps, seed=seed)

    @property
    def system(self) -> finf.System:
        """As a matrix of all steps."""
        if isinstance(self.noise, finf.System):
            return self.noise
        return finf.System.toeplitz(self.noise, self.steps)


def _made(method: str, steps: int, epochs: int, noise: "finf.Noise | finf.System",
          **more: float) -> Mechanism:
    system = noise if isinstance(noise, finf.System) else finf.System.toeplitz(noise, steps)
    sens2, exact = system.sensitivity(epochs=epochs)
    return Mechanism(method, steps, epochs, noise, sens2, exact, **more)


@functools.lru_cache(maxsize=None)
def fixed(method: str, steps: int, epochs: int, nu: float = math.nan) -> Mechanism:
    """One that knows steps and epochs, but nothing of the data, step size and momentum."""
    noise: "finf.Noise | finf.System"
    if method == "honaker":
        noise = finf.System.honaker(steps)
    elif method == "me":
        noise = finf.System.epochs(steps, steps // epochs)
    elif method == "nu":
        noise = finf.Noise.nu(nu)
    elif method == "blt":
        noise = finf.fit_blt(3, steps=steps, max_participations=epochs,
                             min_sep=steps // epochs).noise
    else:
        noise = finf.Noise(method)
    return _made(method, steps, epochs, noise, nu=nu)


@functools.lru_cache(maxsize=None)
def designed(steps: int, epochs: int, lr: float, momentum: float, decay: float,
             curvatures: tuple[float, ...], scale: float) -> Mechanism | None:
    """The matrix of least E[F(theta_T) - F*] for the curvatures times `scale`, by finf.design; None
    where they are too large for the step."""
    rule = finf.Optimizer(f"heavy-ball:{momentum}" if momentum else "sgd", weight_decay=decay)
    try:
        best = finf.design(steps, eta=lr, spectrum=scale * np.array(curvatures), epochs=epochs,
                           optimizer=rule, families=["dense"])[0]
    except finf.ToleranceError as e:  # the best so far: its sensitivity is right all the same
        best = e.result[0]
    except finf.DomainError:  # the loss overflows
        return None
    return _made("design", steps, epochs, best.system, curvature=scale)


def candidates(steps: int, epochs: int, lr: float, momentum: float, decay: float,
               curvatures: tuple[float, ...], methods: tuple[str, ...],
               nus: tuple[float, ...], scales: tuple[float, ...]) -> list[Mechanism]:
    """Every mechanism of `methods` for this run; nu and design have several to choose from."""
    plain = [fixed(m, steps, epochs) for m in methods if m not in ("nu", "design")]
    plain += [fixed("nu", steps, epochs, nu) for nu in nus if "nu" in methods]
    own = [designed(steps, epochs, lr, momentum, decay, curvatures, c)
           for c in scales if "design" in methods]
    return plain + [m for m in own if m is not None]


def rho_of(epsilon: float, delta: float) -> float:
    """The zCDP of this (epsilon, delta), exact for the Gaussian mechanism that every run is."""
    if math.isinf(epsilon):
        return math.inf  # sigma = 0
    return finf.privacy(epsilon=epsilon, delta=delta).rho
