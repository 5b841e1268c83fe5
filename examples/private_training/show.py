"""Figures and tables of what is there: python3 -m private_training.show FOLDER."""
from __future__ import annotations

import csv
import math
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

from .intervals import interval  # noqa: E402
from .mechanisms import METHODS  # noqa: E402

# A colour is a method, in every figure (Okabe and Ito's, which the colour-blind can tell apart).
COLOURS = dict(zip(METHODS, ("#D55E00", "#CC79A7", "#E69F00", "#0072B2", "#56B4E9", "#000000",
                             "#009E73")))
MARKS = dict(zip(METHODS, "ov^sDPX"))
RUN = ("epochs", "epsilon", "method", "momentum")  # what a line of a seeds' file is of
DIVERGED = 20  # an excess loss above is not drawn
TITLES = {"digits-softmax": "digits, softmax regression",
          "fashion-softmax": "Fashion-MNIST, softmax regression",
          "fashion-convnet": "Fashion-MNIST, small convolutional net"}
HEAD = """# What came out of training

Written by `make train` (`make train-quick`: digits alone). Accuracy on the test set in %, mean
over seeds; in brackets what is gained over DP-SGD at the same privacy, seed by seed, +- half of the
95% interval. Momentum (0 or 0.9), batch, step, clip norm, nu, and the scale of the curvatures that
the design is for, were chosen on the validation split; in the tables of one momentum all but that.
"""
plt.rcParams.update({"svg.hashsalt": "finf", "svg.fonttype": "none", "axes.grid": True,
                     "grid.alpha": 0.3, "font.size": 9, "legend.frameon": False})


def read(path: Path) -> list[dict[str, Any]]:
    """A CSV; what is a number is one."""
    def value(text: str) -> Any:
        try:
            return float(text) if text else math.nan
        except ValueError:
            return text

    with open(path, newline="") as f:
        return [{k: value(v) for k, v in row.items()} for row in csv.DictReader(f)]


def save(fig: Any, path: Path) -> None:
    """The same bytes for the same data."""
    fig.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(fig)
    text = "".join(line.rstrip() + "\n" for line in path.read_text().splitlines())
    path.write_text(text)


def accuracies(rows: list[dict[str, Any]], title: str, path: Path) -> None:
    """Accuracy over epsilon, a panel for each number of epochs; whiskers are of the paired gain."""
    rows = [r for r in rows if r["momentum_of"] == "chosen"]
    epochs = sorted({r["epochs"] for r in rows})
    fig, panels = plt.subplots(1, len(epochs), figsize=(4.2 * len(epochs) + 1.6, 3.8), sharey=True,
                               squeeze=False, layout="constrained")
    for axis, k in zip(panels[0], epochs):
        for i, (method, name) in enumerate(METHODS.items()):
            own = [r for r in rows if r["epochs"] == k and r["method"] == method]
            x = [r["epsilon"] * 1.045 ** (i - 3) for r in own]
            axis.errorbar(x, [100 * r["accuracy"] for r in own], [100 * r["gain_pm"] for r in own],
                          color=COLOURS[method], marker=MARKS[method], ms=4, lw=1.2, label=name)
        none = [r for r in rows if r["epochs"] == k and r["method"] == "none"]
        axis.axhline(100 * none[0]["accuracy"], color="#777777", ls=":", label="no noise")
        axis.set(xscale="log", xlabel="epsilon", xticks=[1, 2, 8], xticklabels=["1", "2", "8"],
                 title=f"{k:.0f} epoch{'s' if k > 1 else ''}")
        axis.minorticks_off()
    panels[0][0].set_ylabel("test accuracy, %")
    panels[0][-1].legend(loc="upper left", bbox_to_anchor=(1.02, 1), alignment="left",
                         title="whiskers: 95% of the\ngain over DP-SGD,\nseed by seed")
    fig.suptitle(title)
    save(fig, path)


def predictions(folder: Path, path: Path) -> None:
    """Measured excess loss over predicted: F_T above, F_inf below."""
    names = [n for n in ("digits", "fashion") if (folder / f"{n}-predict.csv").exists()]
    fig, panels = plt.subplots(2, len(names), figsize=(4.6 * len(names) + 1.4, 7.6), squeeze=False,
                               layout="constrained")
    for column, name in zip(panels.T, names):
        rows, ranks = read(folder / f"{name}-predict.csv"), read(folder / f"{name}-ranks.csv")
        for axis, key in zip(column, ("F_T", "F_inf")):
            for method, label in METHODS.items():
                own = [r for r in rows if r["method"] == method and r[key] < DIVERGED]
                axis.plot([r[key] for r in own], [r["excess"] for r in own], MARKS[method], ms=3.5,
                          color=COLOURS[method], label=label, alpha=0.7)
            ends = [min(r["excess"] for r in rows) / 2, DIVERGED]
            axis.plot(ends, ends, color="#777777", lw=0.8)
            r = next(r for r in ranks if r["predicted"] == key and r["mechanisms"] != "over all")
            axis.set(xscale="log", yscale="log", xlabel=f"predicted {key}",
                     ylabel="measured excess loss", ylim=ends, xlim=(None, DIVERGED),
                     title=f"{name}, by {key}\nSpearman {r['spearman']:.2f} [{r['low']:.2f}, "
                           f"{r['high']:.2f}] within a setting")
    panels[0][-1].legend(loc="upper left", bbox_to_anchor=(1.02, 1))
    save(fig, path)


def table(rows: list[dict[str, Any]], seeds: list[dict[str, Any]], title: str) -> str:
    """Markdown: the table of the momentum that was chosen, the design against others seed by seed
    where the seeds were kept, then without and with momentum."""
    first = rows[0]
    chosen = [r for r in rows if r["momentum_of"] == "chosen"]
    parts = [f"## {title}", "", f"{first['examples']:.0f} training examples, delta = "
             f"{first['delta']:.2g}, {first['seeds']:.0f} seeds.", "",
             *_lines(chosen), *(_pairs(chosen, seeds) if seeds else ())]
    for momentum in sorted({r["momentum"] for r in rows}):
        parts += [f"{f'Momentum {momentum:g}' if momentum else 'Without momentum'}, against DP-SGD "
                  f"{'with the same' if momentum else 'without it too'}:", "",
                  *_lines([r for r in rows if r["momentum_of"] == "given"
                           and r["momentum"] == momentum])]
    return "\n".join(parts)


def _pairs(chosen: list[dict[str, Any]], seeds: list[dict[str, Any]]) -> list[str]:
    """What the design has more than DP-SGD and than a BLT, in %, paired by seed."""
    right = {tuple(s[k] for k in RUN): [v for k, v in s.items() if k.startswith("seed_")]
             for s in seeds}
    own = {(r["epochs"], r["epsilon"], r["method"]): right[tuple(r[k] for k in RUN)]
           for r in chosen if r["method"] in ("sgd", "blt", "design")}
    out = ["The design less the others, seed by seed, +- half of the 95% interval:", "",
           "| epochs | epsilon | design - DP-SGD | design - BLT |", "|---|---|---|---|"]
    for k, e in sorted({key[:2] for key in own}):
        cells = [interval(np.subtract(own[k, e, "design"], own[k, e, other]))
                 for other in ("sgd", "blt")]
        out.append(f"| {k:.0f} | {e:g} | "
                   + " | ".join(f"{100 * mean:+.2f} +- {100 * pm:.2f}" for mean, pm in cells) + " |")
    return [*out, ""]


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each number of epochs and epsilon."""
    out = ["| epochs | epsilon | " + " | ".join(METHODS.values()) + " | no noise |",
           "|---" * (len(METHODS) + 3) + "|"]
    for k in sorted({r["epochs"] for r in rows}):
        none = next(r for r in rows if r["epochs"] == k and r["method"] == "none")
        for e in sorted({r["epsilon"] for r in rows} - {math.inf}):
            own = {r["method"]: r for r in rows if (r["epochs"], r["epsilon"]) == (k, e)}
            cells = [_cell(own[m]) for m in METHODS]
            out.append(f"| {k:.0f} | {e:g} | " + " | ".join(cells)
                       + f" | {100 * none['accuracy']:.1f} |")
    return [*out, ""]


def _cell(r: dict[str, Any]) -> str:
    if r["method"] == "sgd":
        return f"{100 * r['accuracy']:.1f}"
    return f"{100 * r['accuracy']:.1f} ({100 * r['gain']:+.1f} +- {100 * r['gain_pm']:.1f})"


def rank_table(folder: Path) -> str:
    """Markdown: how well the orders agree."""
    out = ["## Does F_inf predict the order?", "",
           "Spearman's rank correlation of predicted and measured excess loss.", "",
           "| data | predicted by | over the mechanisms of | correlation | 95% interval |",
           "|---|---|---|---|---|"]
    for path in sorted(folder.glob("*-ranks.csv")):
        for r in read(path):
            which = {"over all": "all settings together"}.get(r["mechanisms"], "one setting")
            out.append(f"| {r['data']} | {r['predicted']} | {which} | {r['spearman']:.2f} | "
                       f"{r['low']:.2f} to {r['high']:.2f} |")
    return "\n".join([*out, ""])


def main(folder: Path) -> None:
    """Every figure and table that there are data for."""
    parts = [HEAD]
    for name, title in TITLES.items():
        if (folder / f"{name}.csv").exists():
            rows, seeds = read(folder / f"{name}.csv"), folder / f"{name}-seeds.csv"
            accuracies(rows, title, folder / f"{name}.svg")
            parts.append(table(rows, read(seeds) if seeds.exists() else [], title))
    if list(folder.glob("*-ranks.csv")):
        predictions(folder, folder / "predicted.svg")
        parts.append(rank_table(folder))
    (folder / "README.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
