"""Means over seeds, with their intervals."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import t as student


def interval(x: Any) -> tuple[float, float]:
    """Mean, and half of the 95% interval by Student's t."""
    n = len(x)
    return float(np.mean(x)), float(student.ppf(0.975, n - 1) * np.std(x, ddof=1) / math.sqrt(n))
