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
from .errors import DomainError, KeywordError, UsageError
from .stream import NoiseStream

__all__ = ["CorrelatedNoise"]


@keywords_of
class CorrelatedNoise:
    """Adds z_t = sum_s beta_s w_{t-s} to the gradients of `params`, between backward() and
    optimizer.step(). Parameters without a gradient get the noise too: privacy counts on it.

    ``design``: what `finf.design` answered for one family, with its sigma; or a Noise, its spelling
    or a System, with a sigma or a privacy target. ``dtype``: of the noise, None: float64 where a
    parameter is, else float32; never less than a parameter has, whose low digits would stay as they
    were. Keywords are those of `NoiseStream`: steps, seed or key, .. The state holds the key, and
    is a secret.

    >>> model = torch.nn.Linear(3, 2)
    >>> noise = CorrelatedNoise(model.parameters(), "blt:0.9;0.2", sigma=0.5, seed=1)
    >>> noise.step()
    >>> model.weight.grad.shape, noise.stream.step
    (torch.Size([2, 3]), 1)
    """

    @keywords(NoiseStream, but=("noise", "shape", "coordinates"))
    def __init__(self, params: "Iterable[torch.Tensor]", design: Any, sigma: float | None = None, *,
                 batch_size: int = 1, dtype: Any = None, **stream: Any) -> None:
        if "coordinates" in stream:  # all of them get noise
            raise KeywordError("coordinates")  # which `keywords` says
        self.params = _parameters(params)
        self.batch_size = whole(batch_size, "batch_size")
        if dtype is None:
            wide = any(p.dtype == torch.float64 for p in self.params)
            dtype = np.float64 if wide else np.float32
        sizes = [p.numel() for p in self.params]
        self.stream = NoiseStream(design, sum(sizes), sigma, dtype, **stream)
        self._at = np.cumsum([0, *sizes]).tolist()
        self._room = np.empty(self._at[-1], dtype=self.stream.dtype)
        self._check()

    def _check(self) -> None:
        """Whether every gradient can take the noise, before any does."""
        for i, p in enumerate(self.params):
            if p.element_size() > self.stream.dtype.itemsize:
                raise DomainError(f"parameter {i} is {p.dtype}, the noise {self.stream.dtype}: its "
                                  "low digits would stay as they were")
            if p.grad is not None and p.grad.layout is not torch.strided:
                raise DomainError(f"the gradient of parameter {i} is sparse: a dense one is "
                                  "expected, as the noise is")

    @torch.no_grad()
    def step(self) -> None:
        """The noise of the next step, into every p.grad."""
        self._check()
        z = torch.from_numpy(self.stream.next(self._room))
        if self.batch_size != 1:
            z /= self.batch_size
        for p, a, b in zip(self.params, self._at, self._at[1:]):
            part = z[a:b].view(p.shape).to(device=p.device)
            if p.grad is None:
                p.grad = part.to(dtype=p.dtype, copy=True)
            else:
                p.grad.add_(part)  # in the wider of both, and then rounded

    def state_dict(self) -> dict[str, Any]:
        """What it takes to go on with the same bits. A secret."""
        return {"stream": self.stream.state(), "batch_size": self.batch_size}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """To that state."""
        if not isinstance(state, dict) or not {"stream", "batch_size"} <= state.keys():
            raise UsageError("state: what state_dict() returned is expected, with stream and "
                             "batch_size")
        batch_size = whole(state["batch_size"], "batch_size")
        self.stream.restore(state["stream"])
        self.batch_size = batch_size


def _parameters(params: Any) -> "list[torch.Tensor]":
    """Those that take a gradient. More is refused than by torch.optim: the gradients of anything but
    leaves are not those that it steps by, and would get the noise in vain."""
    wanted = "parameters are expected, as of model.parameters()"
    if isinstance(params, torch.Tensor) or not hasattr(params, "__iter__"):
        raise UsageError(f"params is a {type(params).__name__}: a list of {wanted}")
    found: "dict[int, torch.Tensor]" = {}
    for i, p in enumerate(params):
        if not isinstance(p, torch.Tensor):
            raise UsageError(f"params[{i}] is a {type(p).__name__}: {wanted}")
        if not p.requires_grad:
            continue
        if not p.is_leaf:
            raise UsageError(f"params[{i}] is no leaf but a result: {wanted}")
        if not p.is_floating_point():
            raise UsageError(f"params[{i}] is {p.dtype}: real {wanted}")
        if id(p) in found:
            raise UsageError(f"params[{i}] is there twice: it would get two noises")
        found[id(p)] = p
    if not found:
        raise UsageError("no parameter takes a gradient")
    return list(found.values())
