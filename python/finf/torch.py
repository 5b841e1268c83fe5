"""Correlated noise in a PyTorch training loop.

    design = finf.design(1000, epochs=5, workload="prefix", families="blt:3", epsilon=2, delta=1e-6)
    noise = finf.torch.CorrelatedNoise(model.parameters(), design)
    for x, y in data:
        optimizer.zero_grad()
        clipped_gradients(model, x, y)      # the *sum* of clipped gradients into p.grad
        noise.step()
        optimizer.step()

Clipping is the loop's own matter. p.grad is the sum of the gradients of the batch, each cut to the
norm G; where it is their mean over a batch of m examples, batch_size=m divides the noise by m.
"""
from __future__ import annotations

from typing import Any, Iterable

import numpy as np
import torch

from ._call import keywords, keywords_of, whole
from .errors import UsageError
from .stream import NoiseStream

__all__ = ["CorrelatedNoise"]


@keywords_of
class CorrelatedNoise:
    """Adds z_t = sum_s beta_s w_{t-s} to the gradients of `params`, between backward() and
    optimizer.step(). Parameters without a gradient get the noise too: privacy counts on it.

    ``design``: what `finf.design` answered for one family, with its sigma; or a Noise, its spelling
    or a System, with a sigma or a privacy target. Keywords are those of `NoiseStream`: steps, seed
    or key, .. The state holds the key, and is a secret.
    """

    @keywords(NoiseStream, but=("noise", "shape"))
    def __init__(self, params: "Iterable[torch.Tensor]", design: Any, sigma: float | None = None, *,
                 batch_size: int = 1, dtype: Any = np.float32, **stream: Any) -> None:
        self.params = [p for p in params if p.requires_grad]
        if not self.params:
            raise UsageError("no parameter takes a gradient")
        self.batch_size = whole(batch_size, "batch_size")
        sizes = [p.numel() for p in self.params]
        self.stream = NoiseStream(design, sum(sizes), sigma, dtype, **stream)
        self._at = np.cumsum([0, *sizes]).tolist()
        self._room = np.empty(self._at[-1], dtype=dtype)

    @torch.no_grad()
    def step(self) -> None:
        """The noise of the next step, into every p.grad."""
        z = torch.from_numpy(self.stream.next(self._room))
        if self.batch_size != 1:
            z /= self.batch_size
        for p, a, b in zip(self.params, self._at, self._at[1:]):
            part = z[a:b].view(p.shape).to(device=p.device, dtype=p.dtype)
            if p.grad is None:
                p.grad = part.clone()
            else:
                p.grad.add_(part)

    def state_dict(self) -> dict[str, Any]:
        """What it takes to go on with the same bits. A secret."""
        return {"stream": self.stream.state(), "batch_size": self.batch_size}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """To that state."""
        self.stream.restore(state["stream"])
        self.batch_size = state["batch_size"]
