"""What digits/run.py and fashion_mnist/run.py do: parts of the experiment, each into its CSV."""
from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

import torch

from .experiment import Task, by_seed, experiment, write
from .predict import predicted, ranks

Rows = List[Dict[str, Any]]


def table(part: str, task: Task) -> dict[str, Rows]:
    """What came out of training, and what every seed of it did."""
    rows = experiment(task)
    return {part: rows, f"{part}-seeds": by_seed(rows)}


def prediction(task: Task, epochs: int, batch: int, steps: tuple[float, ...]) -> dict[str, Rows]:
    """Excess loss, predicted and measured; and how well their orders agree."""
    rows = predicted(task, epochs, batch, steps)
    return {"predict": rows, "ranks": ranks(rows)}


def main(name: str, parts: dict[str, Callable[[], dict[str, Rows]]]) -> None:
    """Runs the parts asked for; each gives tables, by name."""
    parser = argparse.ArgumentParser(description=f"Private training on {name}.")
    parser.add_argument("out", type=Path, help="folder for NAME-PART.csv")
    parser.add_argument("--part", action="append", choices=sorted(parts), help="all unless given")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for part in given.part or parts:
        began = time.perf_counter()
        for which, rows in parts[part]().items():
            write(rows, given.out / f"{name}-{which}.csv")
        print(f"{name}, {part}: {time.perf_counter() - began:.0f} s", flush=True)
