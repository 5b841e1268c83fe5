"""Does F_inf predict? Softmax regression is convex, so that its optimum can be computed: the excess
loss that was measured, beside what finf says of the quadratic with the same curvatures there.

    F(theta) = mean loss of the training examples + (decay/2) |theta|^2,   H its curvature at theta*

F_T is finf.curve's after the T steps of the run, with its noise, step, momentum, sigma and start;
F_inf is where it would end, for noise that has such a limit. Both are for large batches, without
clipping: the only noise is that of privacy. One direction alone whose inputs are +-1 (kurtosis -2)
is just that: finf.curve is asked for one direction at a time, close ones taken together.
"""
from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import torch
from scipy.optimize import minimize

import finf

from .experiment import Task, interval
from .mechanisms import Mechanism, candidates, rho_of
from .train import Run, train

GROUPS = 48


@dataclass(frozen=True)
class Optimum:
    """The minimum, and the quadratic there: groups of directions."""

    loss: float
    accuracy: float
    gradient: float
    curvature: Any  # of each group, without decay
    count: Any      # directions in it
    start: Any      # |theta_0 - theta*|^2 in it


def _objective(x: Any, y: Any, decay: float, flat: Any) -> tuple[float, Any]:
    theta = flat.reshape(-1, x.shape[1])
    z = x @ theta.T
    z -= z.max(1, keepdims=True)
    p = np.exp(z)
    total = p.sum(1, keepdims=True)
    rows = np.arange(len(y))
    loss = float(np.mean(np.log(total[:, 0]) - z[rows, y])) + decay / 2 * float(flat @ flat)
    p /= total
    p[rows, y] -= 1
    return loss, (p.T @ x / len(y) + decay * theta).ravel()


def _hessian(x: Any, flat: Any) -> Any:
    """Without decay: a block of d x d for each pair of classes."""
    d, classes = x.shape[1], len(flat) // x.shape[1]
    p = np.exp(_log_softmax(x @ flat.reshape(-1, d).T))
    H = np.empty((classes, d, classes, d))
    for a, b in itertools.combinations_with_replacement(range(classes), 2):
        weight = p[:, a] * ((a == b) - p[:, b])
        H[a, :, b] = (x * weight[:, None]).T @ x / len(x)
        H[b, :, a] = H[a, :, b].T
    return H.reshape(classes * d, classes * d)


def _log_softmax(z: Any) -> Any:
    z = z - z.max(1, keepdims=True)
    return z - np.log(np.exp(z).sum(1, keepdims=True))


def optimum(task: Task) -> Optimum:
    """By L-BFGS, then Newton's method; the curvatures there in groups."""
    x, y = task.x["train"].double().numpy(), task.data.train.y.numpy()
    flat = minimize(lambda t: _objective(x, y, task.decay, t), np.zeros(task.model.size), jac=True,
                    method="L-BFGS-B", options={"maxiter": 3000, "ftol": 1e-13, "gtol": 1e-7}).x
    for _ in range(2):
        H = _hessian(x, flat) + task.decay * np.eye(len(flat))
        flat = flat - np.linalg.solve(H, _objective(x, y, task.decay, flat)[1])
    loss, gradient = _objective(x, y, task.decay, flat)
    lam, V = np.linalg.eigh(_hessian(x, flat))
    start = (V.T @ flat) ** 2
    lam = np.maximum(lam, 1e-9 * lam[-1])
    edges = np.geomspace(lam[0], lam[-1] * (1 + 1e-9), GROUPS + 1)
    group = np.digitize(lam, edges)
    used = np.unique(group)
    pick = [group == g for g in used]
    right = task.model.evaluate(torch.from_numpy(flat[None]).float(), task.x["validation"],
                                task.data.validation.y)[1].item()
    return Optimum(loss, right, float(np.linalg.norm(gradient)),
                   np.array([lam[k].mean() for k in pick]), np.array([k.sum() for k in pick]),
                   np.array([start[k].sum() for k in pick]))


def _rule(momentum: float, decay: float) -> finf.Optimizer:
    return finf.Optimizer(f"heavy-ball:{momentum}" if momentum else "sgd", weight_decay=decay)


def noise_after(m: Mechanism, lr: float, momentum: float, decay: float, at: Optimum) -> float:
    """F_T of unit noise from the optimum."""
    rule, total, system = _rule(momentum, decay), 0.0, m.system
    for lam, count in zip(at.curvature, at.count):
        r = finf.curve(system, lr, [lam], kurtosis=-2, start=0, optimizer=rule)
        total += count * r.F_last / r.sigma**2
    return total


def start_after(steps: int, lr: float, momentum: float, decay: float, at: Optimum) -> float:
    """F_T without noise from theta = 0."""
    rule = _rule(momentum, decay)
    return sum(finf.curve("sgd", lr, [lam], steps=steps, kurtosis=-2, start=from_, optimizer=rule,
                          rho=1e30).F_last for lam, from_ in zip(at.curvature, at.start))


def noise_forever(m: Mechanism, lr: float, momentum: float, decay: float, at: Optimum) -> float:
    """F_inf of unit noise; NaN for matrices, and noise whose sensitivity has no limit."""
    if not isinstance(m.noise, finf.Noise) or math.isinf(m.noise.gamma2):
        return math.nan
    rule, total = _rule(momentum, decay), 0.0
    for lam, count in zip(at.curvature, at.count):
        r = finf.linreg(m.noise, lr, [lam], kurtosis=-2, optimizer=rule)
        total += count * r.F_inf / r.sigma**2
    return total


def _runs(task: Task, epochs: int, batch: int, steps: Sequence[float]) -> list[Run]:
    total = task.data.n // batch * epochs
    runs = []
    for momentum, step in itertools.product(task.momenta, steps):
        every = candidates(total, epochs, step * (1 - momentum), momentum, task.decay,
                           task.curvatures, task.methods, task.nus, task.scales)
        runs += [Run(m, e, rho_of(e, task.data.delta), 1.0, step, momentum, batch, task.decay)
                 for e in task.epsilons for m in every]
    return runs


def predicted(task: Task, epochs: int, batch: int, steps: Sequence[float]) -> list[dict[str, Any]]:
    """Rows of predicted and measured excess loss of the training objective."""
    at = optimum(task)
    print(f"{task.data.name}: F* = {at.loss:.6f}, gradient {at.gradient:.1g}, validation accuracy "
          f"{at.accuracy:.4f}", flush=True)
    runs = _runs(task, epochs, batch, steps)
    excess = []
    for seed in range(task.seeds):
        theta = train(task.model, task.x["train"], task.data.train.y, runs, seed)
        loss = task.model.evaluate(theta, task.x["train"], task.data.train.y)[0].double()
        excess.append((loss + task.decay / 2 * theta.double().square().sum(1)).numpy() - at.loss)
    measured = np.array(excess)
    unit: dict[Any, tuple[float, ...]] = {}
    rows = []
    for i, r in enumerate(runs):
        how = (r.lr, r.momentum, r.decay, at)
        key = (id(r.mechanism), r.lr, r.momentum)
        if key not in unit:
            unit[key] = (noise_after(r.mechanism, *how), noise_forever(r.mechanism, *how),
                         start_after(r.mechanism.steps, *how))
        after, forever, start = unit[key]
        scale = (r.sigma / batch) ** 2
        rows.append({"data": task.data.name, "epochs": epochs, "batch": batch,
                     "epsilon": r.epsilon, "momentum": r.momentum, "step": r.step,
                     "method": r.mechanism.method, "nu": r.mechanism.nu,
                     "curvature": r.mechanism.curvature, "sigma": r.sigma,
                     "F_T": scale * after + start, "F_T_start": start, "F_inf": scale * forever,
                     **dict(zip(("excess", "excess_pm"), interval(measured[:, i]))),
                     "_all": measured[:, i]})
    return rows


def ranks(rows: list[dict[str, Any]], draws: int = 1000) -> list[dict[str, Any]]:
    """Spearman's rank correlation of predicted and measured, over the mechanisms of one setting
    (the mean over settings), and over everything; 95% intervals by drawing settings and
    seeds anew."""
    settings: dict[Any, list[dict[str, Any]]] = {}
    for r in rows:
        settings.setdefault((r["epsilon"], r["momentum"], r["step"]), []).append(r)
    out = []
    for name in ("F_T", "F_inf"):
        groups = [[r for r in g if math.isfinite(r[name])] for g in settings.values()]
        groups = [(np.array([r[name] for r in g]), np.array([r["_all"] for r in g]))
                  for g in groups if len(g) > 2]
        rng = np.random.default_rng(0)
        within, over = _correlations(groups)
        drawn = []
        for _ in range(draws):
            pick = [groups[i] for i in rng.integers(len(groups), size=len(groups))]
            seeds = rng.integers(len(rows[0]["_all"]), size=len(rows[0]["_all"]))
            drawn.append(_correlations([(p, m[:, seeds]) for p, m in pick]))
        low, high = np.quantile(np.array(drawn), [0.025, 0.975], axis=0)
        for what, value, a, b in zip(("within a setting", "over all"), (within, over), low, high):
            out.append({"data": rows[0]["data"], "predicted": name, "mechanisms": what,
                        "settings": len(groups), "spearman": value, "low": float(a),
                        "high": float(b)})
    return out


def _correlations(groups: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    pairs = [(p, m.mean(1)) for p, m in groups]
    every = [np.concatenate([pair[i] for pair in pairs]) for i in (0, 1)]
    return float(np.mean([_spearman(*pair) for pair in pairs])), _spearman(*every)


def _spearman(x: Any, y: Any) -> float:
    """Of numbers without ties; a tie is broken by place."""
    ranks_of = [np.argsort(np.argsort(v, kind="stable")) for v in (x, y)]
    return float(np.corrcoef(*ranks_of)[0, 1])
