"""Softmax regression, for many runs at once: one product of matrices has the logits of all of them.

The gradient of one example is the outer product of p - y and x, so that its norm is |p - y| |x|:
clipping costs nothing, and no gradient of an example is ever formed.
"""
from __future__ import annotations

import torch

CHUNK = 4_000_000  # logits at a time


class Softmax:
    """theta: R x (classes d), of R runs."""

    name = "softmax"

    def __init__(self, x: torch.Tensor, classes: int = 10) -> None:
        self.d, self.classes = x.shape[1], classes
        self.size = classes * self.d

    def start(self, runs: int, seed: int) -> torch.Tensor:
        """Zero: the loss is convex."""
        return torch.zeros(runs, self.size)

    def _logits(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        flat = theta.reshape(-1, self.d)
        return (x @ flat.T).view(len(x), len(theta), self.classes)

    def clipped_sum(self, theta: torch.Tensor, x: torch.Tensor, y: torch.Tensor,
                    clip: torch.Tensor) -> torch.Tensor:
        """The sum over examples of their gradients, each cut to the norm clip[r]."""
        out = torch.empty_like(theta)
        at_once = max(1, CHUNK // (len(x) * self.classes))
        norm_x = x.norm(dim=1)
        for a in range(0, len(theta), at_once):
            part = slice(a, a + at_once)
            p = torch.softmax(self._logits(theta[part], x), 2)
            p[torch.arange(len(y)), :, y] -= 1
            norm = p.norm(dim=2) * norm_x[:, None]
            p *= (clip[part] / norm.clamp(min=1e-12)).clamp(max=1)[:, :, None]
            out[part] = (p.view(len(x), -1).T @ x).view(-1, self.size)
        return out

    def evaluate(self, theta: torch.Tensor, x: torch.Tensor,
                 y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean loss and accuracy of each run."""
        loss, right = torch.zeros(len(theta)), torch.zeros(len(theta))
        rows = max(1, CHUNK // (len(theta) * self.classes))
        for a in range(0, len(x), rows):
            z, label = self._logits(theta, x[a:a + rows]), y[a:a + rows]
            true = z[torch.arange(len(label)), :, label]
            loss += (torch.logsumexp(z, 2) - true).sum(0)
            right += (z.argmax(2) == label[:, None]).sum(0)
        return loss / len(x), right / len(x)
