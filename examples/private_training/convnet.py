"""A small convolutional net, for many runs at once, with the gradient of every single example.

16 x 16 pixels -> convolution 4 x 4, stride 2, 8 channels, ReLU -> convolution 3 x 3, stride 2, 16
channels, ReLU -> 256 numbers -> 10 logits; 3874 weights. Convolutions are products of matrices with
the patches they look at, so that the gradients of all examples of all runs are products of matrices
too; the derivatives are written out (python/tests/test_training.py compares them with autograd's).
"""
from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import fold, pad, unfold

C1, C2, CLASSES = 8, 16, 10
FIRST = {"kernel_size": 4, "stride": 2, "padding": 1}    # 16 x 16 -> 8 x 8
SECOND = {"kernel_size": 3, "stride": 2, "padding": 1}   # 8 x 8 -> 4 x 4
SHAPES = ((16 + 1, C1), (9 * C1 + 1, C2), (16 * C2 + 1, CLASSES))
NUMBERS = 500_000  # patches of the second layer at a time


def images(x: torch.Tensor) -> torch.Tensor:
    """14 x 14 pixels less 1/4, which is about their mean, and a frame of zeros around them."""
    return pad(x - 0.25, (1, 1, 1, 1))


def patches(h: torch.Tensor, layer: dict[str, int]) -> torch.Tensor:
    """m x channels x s x s -> m x places x numbers of a patch, the last of which is 1."""
    u = unfold(h, **layer).transpose(1, 2)
    return torch.cat([u, torch.ones_like(u[..., :1])], 2)


class Convnet:
    """theta: R x 3874, of R runs."""

    name = "convnet"
    size = sum(a * b for a, b in SHAPES)

    def start(self, runs: int, seed: int) -> torch.Tensor:
        """He's start, the same for all runs; biases are 0."""
        g = torch.Generator().manual_seed(seed)
        parts = []
        for a, b in SHAPES:
            w = torch.randn(a, b, generator=g) * (2 / (a - 1)) ** 0.5
            w[-1] = 0
            parts.append(w.flatten())
        return torch.cat(parts).repeat(runs, 1)

    @staticmethod
    def weights(theta: torch.Tensor) -> list[torch.Tensor]:
        """The three matrices of every run; the last row of each is the bias."""
        sizes = [a * b for a, b in SHAPES]
        return [t.reshape(-1, *s) for t, s in zip(theta.split(sizes, 1), SHAPES)]

    def _forward(self, theta: torch.Tensor, p1: torch.Tensor) -> tuple[Any, ...]:
        """Of R runs on m examples, whose patches are p1: what every layer has."""
        w1, w2, w3 = self.weights(theta)
        runs, m = len(theta), len(p1)
        h1 = torch.matmul(p1.view(m * 64, -1), w1).view(runs, m, 64, C1).clamp_(min=0)
        image = h1.view(runs * m, 64, C1).transpose(1, 2).reshape(runs * m, C1, 8, 8)
        p2 = patches(image, SECOND).view(runs, m * 16, -1)
        h2 = torch.bmm(p2, w2).clamp_(min=0).view(runs, m, 16 * C2)
        a2 = torch.cat([h2, torch.ones_like(h2[..., :1])], 2)
        return h1, p2, h2, a2, torch.bmm(a2, w3)

    def _gradients(self, theta: torch.Tensor, p1: torch.Tensor, y: torch.Tensor,
                   clip: torch.Tensor) -> torch.Tensor:
        _, w2, w3 = self.weights(theta)
        runs, m = len(theta), len(p1)
        h1, p2, h2, a2, logits = self._forward(theta, p1)
        d3 = torch.softmax(logits, 2)
        d3[:, torch.arange(m), y] -= 1
        d2 = (torch.bmm(d3, w3[:, :-1].transpose(1, 2)) * (h2 > 0)).view(runs, m * 16, C2)
        back = torch.bmm(d2, w2[:, :-1].transpose(1, 2)).view(runs * m, 16, -1).transpose(1, 2)
        d1 = fold(back, 8, **SECOND).view(runs, m, C1, 64).transpose(2, 3) * (h1 > 0)
        # of every example: of the last layer its norm is enough
        e1 = torch.matmul(p1.transpose(1, 2), d1)
        e2 = torch.matmul(p2.view(runs, m, 16, -1).transpose(2, 3), d2.view(runs, m, 16, C2))
        square = (e1.square().sum((2, 3)) + e2.square().sum((2, 3))
                  + a2.square().sum(2) * d3.square().sum(2))
        keep = (clip[:, None] / square.sqrt().clamp(min=1e-12)).clamp(max=1)
        sums = [torch.bmm(keep[:, None], e.flatten(2)).flatten(1) for e in (e1, e2)]
        sums.append(torch.bmm((a2 * keep[..., None]).transpose(1, 2), d3).flatten(1))
        return torch.cat(sums, 1)

    def clipped_sum(self, theta: torch.Tensor, x: torch.Tensor, y: torch.Tensor,
                    clip: torch.Tensor) -> torch.Tensor:
        """The sum over examples of their gradients, each cut to the norm clip[r]."""
        out = torch.zeros_like(theta)
        rows = min(len(x), 125)
        at_once = max(1, NUMBERS // (rows * 16 * SHAPES[1][0]))
        for b in range(0, len(x), rows):
            p1, label = patches(x[b:b + rows, None], FIRST), y[b:b + rows]
            for a in range(0, len(theta), at_once):
                part = slice(a, a + at_once)
                out[part] += self._gradients(theta[part], p1, label, clip[part])
        return out

    def evaluate(self, theta: torch.Tensor, x: torch.Tensor,
                 y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean loss and accuracy of each run."""
        loss, right = torch.zeros(len(theta)), torch.zeros(len(theta))
        for a in range(0, len(x), 500):
            p1, label = patches(x[a:a + 500, None], FIRST), y[a:a + 500]
            for i in range(0, len(theta), 4):
                z = self._forward(theta[i:i + 4], p1)[-1]
                true = z[:, torch.arange(len(label)), label]
                loss[i:i + 4] += (torch.logsumexp(z, 2) - true).sum(1)
                right[i:i + 4] += (z.argmax(2) == label).sum(1)
        return loss / len(x), right / len(x)
