"""The tasks: which data, model, and what there is to choose from."""
from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .convnet import Convnet, images
from .data import Data, features
from .experiment import Task
from .softmax import Softmax


def start_curvatures(x: torch.Tensor) -> tuple[float, ...]:
    """Of softmax regression at theta = 0: H = E[xx'] (x) (I/10 - 11'/100), so that it has the
    eigenvalues of E[xx']/10, nine times each. Each is taken once: how many there are of each does
    not matter to the best noise of large batches, where gradients hardly scatter, while finf's
    model has one example a step; a ninth of the directions scatter a ninth as much."""
    covariance = (x.T @ x / len(x)).double().numpy()
    lam = np.linalg.eigvalsh(covariance)[::-1] / 10
    return tuple(float(v) for v in lam if v > 1e-7 * lam[0])


def softmax_task(data: Data, **choices: Any) -> Task:
    """Softmax regression. The curvatures are those of the validation split."""
    x = {name: features(data, getattr(data, name)) for name in ("train", "validation", "test")}
    return Task(data, Softmax(x["train"]), x, start_curvatures(x["validation"]), **choices)


def convnet_task(data: Data, **choices: Any) -> Task:
    """The small net; the curvatures are those of softmax regression, for want of its own. Nearly
    all gradients are longer than 1, so that only step times clip norm matters: the clip is 1."""
    x = {name: images(getattr(data, name).x) for name in ("train", "validation", "test")}
    return Task(data, Convnet(), x, start_curvatures(features(data, data.validation)), clips=(1,),
                decay=0.0, **choices)
