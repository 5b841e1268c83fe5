"""Private gradient descent, for many runs at once that share data, batches and random numbers."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import torch

from .mechanisms import Mechanism


@dataclass(frozen=True)
class Run:
    """One way to train. `step` is the effective one, lr/(1 - momentum), of the mean gradient."""

    mechanism: Mechanism
    epsilon: float
    rho: float
    clip: float
    step: float
    momentum: float
    batch: int
    decay: float = 0.0

    @property
    def lr(self) -> float:
        """What PyTorch's SGD takes."""
        return self.step * (1 - self.momentum)

    @property
    def sigma(self) -> float:
        """Of w_t, on the sum of clipped gradients."""
        return self.mechanism.sigma(self.clip, self.rho)


def _column(runs: Sequence[Run], name: str) -> torch.Tensor:
    return torch.tensor([getattr(r, name) for r in runs], dtype=torch.float32)


def train(model: Any, x: torch.Tensor, y: torch.Tensor, runs: Sequence[Run],
          seed: int) -> torch.Tensor:
    """theta after the last step of every run. All have the same steps, epochs and batch; the seed
    gives the order of the examples, the start, and w_t, which is the same for all mechanisms."""
    first = runs[0]
    steps, batch = first.mechanism.steps, first.batch
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(y)))
    each = len(y) // batch
    assert each * first.mechanism.epochs == steps
    assert all((r.mechanism.steps, r.batch) == (steps, batch) for r in runs)
    mechanisms = list({id(r.mechanism): r.mechanism for r in runs}.values())
    place = {id(m): i for i, m in enumerate(mechanisms)}
    which = torch.tensor([place[id(r.mechanism)] for r in runs])
    streams = [m.stream(model.size, seed) for m in mechanisms]
    z = np.empty((len(mechanisms), model.size), np.float32)
    clip, lr, momentum = (_column(runs, name) for name in ("clip", "lr", "momentum"))
    scale, decay = _column(runs, "sigma")[:, None] / batch, _column(runs, "decay")[:, None]
    theta = model.start(len(runs), seed)
    buffer = torch.zeros_like(theta)
    for t in range(steps):
        rows = order[(t % each) * batch:(t % each + 1) * batch]
        g = model.clipped_sum(theta, x[rows], y[rows], clip).div_(batch)
        for i, stream in enumerate(streams):
            stream.next(z[i])
        g.addcmul_(torch.from_numpy(z)[which], scale)
        g.addcmul_(theta, decay)
        buffer.mul_(momentum[:, None]).add_(g)
        theta.addcmul_(buffer, lr[:, None], value=-1)
    return theta
