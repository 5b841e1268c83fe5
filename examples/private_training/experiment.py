"""Choose on the validation split, then look at the test set: tables of what came out."""
from __future__ import annotations

import csv
import itertools
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Sequence

import numpy as np
import torch

from .intervals import interval
from .mechanisms import METHODS, candidates, fixed, rho_of
from .train import Run, train

TUNING_SEEDS = 1000  # from here on; those of the test are 0, 1, ..


@dataclass(frozen=True)
class Task:
    """A model on data, and what there is to choose from."""

    data: Any
    model: Any
    x: dict[str, torch.Tensor]
    #: of the loss, for finf.design
    curvatures: tuple[float, ...]
    #: epochs: the batches to choose from
    batches: dict[int, tuple[int, ...]]
    steps: tuple[float, ...]
    clips: tuple[float, ...]
    methods: tuple[str, ...] = tuple(METHODS)
    epsilons: tuple[float, ...] = (1, 2, 8)
    momenta: tuple[float, ...] = (0, 0.9)
    nus: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01)
    #: of the curvatures, which are those of the start, and fall as training goes on
    scales: tuple[float, ...] = (1, 0.3, 0.1)
    decay: float = 1e-4
    tuning: int = 2
    seeds: int = 10

    def grid(self, epochs: int, batch: int) -> list[Run]:
        """Every run of these epochs in these batches; and DP-SGD's without noise."""
        total = self.data.n // batch * epochs
        runs = []
        for momentum, step in itertools.product(self.momenta, self.steps):
            lr = step * (1 - momentum)
            pairs = [(m, e) for e in self.epsilons for m in candidates(
                total, epochs, lr, momentum, self.decay, self.curvatures, self.methods, self.nus,
                self.scales)]
            pairs.append((fixed("sgd", total, epochs), math.inf))
            runs += [Run(m, e, rho_of(e, self.data.delta), clip, step, momentum, batch, self.decay)
                     for (m, e), clip in itertools.product(pairs, self.clips)]
        return runs


def judged(task: Task, runs: Sequence[Run], seed: int, split: str) -> tuple[Any, Any]:
    """Loss and accuracy of every run on a split."""
    theta = train(task.model, task.x["train"], task.data.train.y, runs, seed)
    loss, right = task.model.evaluate(theta, task.x[split], getattr(task.data, split).y)
    return loss.double().numpy(), right.double().numpy()


def _key(r: Run) -> tuple[Any, ...]:
    method = "none" if math.isinf(r.epsilon) else r.mechanism.method
    return (r.mechanism.epochs, r.epsilon, r.momentum, method)


def choose(task: Task) -> dict[tuple[Any, ...], tuple[float, Run]]:
    """For every (epochs, epsilon, momentum, method) the run that is best on the validation split,
    by its mean accuracy over the tuning seeds: batch, step, clip norm, nu and curvature."""
    best: dict[tuple[Any, ...], tuple[float, Run]] = {}
    for epochs, batches in task.batches.items():
        for batch in batches:
            began = time.perf_counter()
            runs = task.grid(epochs, batch)
            made = time.perf_counter()
            right = np.mean([judged(task, runs, TUNING_SEEDS + s, "validation")[1]
                             for s in range(task.tuning)], 0)
            for value, run in zip(right, runs):
                if value > best.get(_key(run), (-1.0, run))[0]:
                    best[_key(run)] = (float(value), run)
            print(f"{task.data.name} {task.model.name}: epochs {epochs}, batch {batch}: "
                  f"{len(runs)} runs x {task.tuning} seeds; {made - began:.0f} s to design, "
                  f"{time.perf_counter() - made:.0f} s to train", flush=True)
    return best


def tested(task: Task, chosen: dict[tuple[Any, ...], tuple[float, Run]]) -> list[dict[str, Any]]:
    """The chosen runs with new seeds, on the test set: a row each, with every seed's accuracy."""
    groups: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
    for key, (_, run) in chosen.items():
        groups.setdefault((run.mechanism.epochs, run.batch), []).append(key)
    rows = []
    for keys in groups.values():
        runs = [chosen[k][1] for k in keys]
        seeds = [judged(task, runs, s, "test") for s in range(task.seeds)]
        loss, right = (np.array([s[i] for s in seeds]) for i in (0, 1))
        rows += [_row(task, chosen[k], loss[:, i], right[:, i]) for i, k in enumerate(keys)]
    return rows


def _row(task: Task, chosen: tuple[float, Run], loss: Any, right: Any) -> dict[str, Any]:
    value, r = chosen
    epochs, epsilon, momentum, method = _key(r)
    return {"data": task.data.name, "model": task.model.name, "examples": task.data.n,
            "epochs": epochs, "epsilon": epsilon, "delta": task.data.delta, "method": method,
            "momentum": momentum, "batch": r.batch, "steps": r.mechanism.steps, "step": r.step,
            "clip": r.clip, "nu": r.mechanism.nu, "curvature": r.mechanism.curvature,
            "sens2": r.mechanism.sens2, "sens2_exact": r.mechanism.sens2_exact, "sigma": r.sigma,
            "validation": value, "seeds": task.seeds, "_right": right, "_loss": loss}


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Beside each momentum also the better one of validation ("chosen"); and each row against
    DP-SGD of the same momentum, seed by seed."""
    group = ("data", "model", "epochs", "epsilon", "method")
    of: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for r in rows:
        of.setdefault(tuple(r[k] for k in group), []).append(r)
    rows = rows + [{**max(rs, key=lambda r: r["validation"]), "momentum_of": "chosen"}
                   for rs in of.values()]
    for r in rows:
        r.setdefault("momentum_of", "given")
    what = ("data", "model", "epochs", "epsilon", "momentum_of")
    sgd = {(*(r[k] for k in what), r["momentum"] if r["momentum_of"] == "given" else ""): r
           for r in rows if r["method"] == "sgd"}
    return [_against(r, sgd.get((*(r[k] for k in what),
                                 r["momentum"] if r["momentum_of"] == "given" else "")))
            for r in rows]


def _against(r: dict[str, Any], sgd: dict[str, Any] | None) -> dict[str, Any]:
    out = {k: v for k, v in r.items() if k != "_loss"}
    out["accuracy"], out["accuracy_pm"] = interval(r["_right"])
    out["loss"], out["loss_pm"] = interval(r["_loss"])
    none = (math.nan, math.nan)
    out["gain"], out["gain_pm"] = interval(r["_right"] - sgd["_right"]) if sgd else none
    out["loss_gain"], out["loss_gain_pm"] = interval(sgd["_loss"] - r["_loss"]) if sgd else none
    return out


def by_seed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The test accuracy of every seed, a row for each run: any two can be paired from it."""
    names = ("epochs", "epsilon", "method", "momentum")
    return [{**{k: r[k] for k in names},
             **{f"seed_{i}": float(x) for i, x in enumerate(r["_right"])}}
            for r in rows if r["momentum_of"] == "given"]


def write(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """As CSV, 6 digits; what is not known is empty."""
    def text(v: Any) -> str:
        if isinstance(v, float):
            return "" if math.isnan(v) else f"{v:.6g}"
        return str(v)

    rows = list(rows)
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        names = [k for k in rows[0] if not k.startswith("_")]
        out.writerow(names)
        out.writerows([text(r[k]) for k in names] for r in rows)


def experiment(task: Task) -> list[dict[str, Any]]:
    """Chosen, tested, compared."""
    order = ["none", *METHODS]
    rows = compared(tested(task, choose(task)))
    return sorted(rows, key=lambda r: (r["epochs"], r["epsilon"], r["momentum_of"],
                                       r["momentum"] if r["momentum_of"] == "given" else 0,
                                       order.index(r["method"])))
