"""Images: scikit-learn's digits, and Debian's Fashion-MNIST. Train, validation and test."""
from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

FASHION = Path("/usr/share/datasets/fashion-mnist")


@dataclass(frozen=True)
class Split:
    """Images of n x side x side in [0, 1], and their labels."""

    x: torch.Tensor
    y: torch.Tensor


@dataclass(frozen=True)
class Data:
    """Steps are made of `train`, choices on `validation`; `test` is looked at once, at the end."""

    name: str
    train: Split
    validation: Split
    test: Split

    @property
    def n(self) -> int:
        return len(self.train.y)

    @property
    def delta(self) -> float:
        """n^-1.1."""
        return self.n ** -1.1


def features(data: Data, split: Split) -> torch.Tensor:
    """Pixels less the mean image of the validation split, of norm 1, and a constant, 0.3; then all
    of norm 1. Training examples do not touch one another: privacy counts on it."""
    flat = split.x.flatten(1) - data.validation.x.flatten(1).mean(0)
    flat = flat / flat.norm(dim=1, keepdim=True)
    return torch.cat([flat, torch.full((len(flat), 1), 0.3)], 1) / 1.09**0.5


def _split(x: np.ndarray, y: np.ndarray, rows: np.ndarray) -> Split:
    return Split(torch.from_numpy(x[rows].astype(np.float32)),
                 torch.from_numpy(y[rows].astype(np.int64)))


def digits(train: int = 1080, validation: int = 357) -> Data:
    """1797 digits of 8 x 8 pixels: 1080 to train, 357 to choose by, 360 to test."""
    from sklearn.datasets import load_digits
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    x = x.reshape(-1, 8, 8) / 16
    end = train + validation
    return Data("digits", _split(x, y, order[:train]), _split(x, y, order[train:end]),
                _split(x, y, order[end:]))


def _read(name: str) -> np.ndarray:
    with gzip.open(FASHION / name) as f:
        raw = f.read()
    dims = raw[3]
    shape = np.frombuffer(raw, ">u4", dims, 4).astype(int)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * dims).reshape(shape)


def fashion(train: int = 50_000, validation: int = 10_000) -> Data:
    """Fashion-MNIST, each 2 x 2 pixels averaged to one: 14 x 14."""
    if not FASHION.exists():
        raise SystemExit(f"{FASHION} is not there: make train-deps installs dataset-fashion-mnist")
    x, y = _read("train-images-idx3-ubyte.gz"), _read("train-labels-idx1-ubyte.gz")
    tx, ty = _read("t10k-images-idx3-ubyte.gz"), _read("t10k-labels-idx1-ubyte.gz")
    x, tx = (a.reshape(-1, 14, 2, 14, 2).mean((2, 4)) / 255 for a in (x, tx))
    order = np.random.default_rng(0).permutation(len(y))
    chosen, judged = order[:train], order[-validation:]
    return Data("fashion", _split(x, y, chosen), _split(x, y, judged),
                _split(tx, ty, np.arange(len(ty))))
