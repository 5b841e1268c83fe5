"""The examples that train: gradients and clipping against autograd, equal privacy, and that the
page says what the tables have."""
from __future__ import annotations

import csv
import math
import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import finf

torch = pytest.importorskip("torch")
ROOT = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir)
sys.path.insert(0, os.path.join(ROOT, "examples"))

from private_training import mechanisms  # noqa: E402
from private_training.convnet import Convnet  # noqa: E402
from private_training.experiment import by_seed, compared, write  # noqa: E402
from private_training.softmax import Softmax  # noqa: E402
from private_training.train import Run, train  # noqa: E402


def convolved(theta, x, y):
    """The net by torch's own layers."""
    w1, w2, w3 = (w[0] for w in Convnet.weights(theta[None]))
    f = torch.nn.functional
    h = f.relu(f.conv2d(x[None, None], w1[:-1].T.reshape(8, 1, 4, 4), w1[-1], 2, 1))
    h = f.relu(f.conv2d(h, w2[:-1].T.reshape(16, 8, 3, 3), w2[-1], 2, 1))
    return f.cross_entropy(h.permute(0, 2, 3, 1).flatten(1) @ w3[:-1] + w3[-1], y[None])


def logistic(theta, x, y):
    return torch.nn.functional.cross_entropy(x[None] @ theta.view(10, -1).T, y[None])


@pytest.mark.parametrize("kind", ["softmax", "convnet"])
def test_clipped_gradients(kind):
    """The sum over examples of g min(1, clip/|g|), g by autograd; some are cut and some are not."""
    g = torch.Generator().manual_seed(1)
    x = torch.randn(6, 16, 16, generator=g) if kind == "convnet" else torch.randn(6, 7, generator=g)
    y = torch.randint(10, (6,), generator=g)
    model, loss = (Convnet(), convolved) if kind == "convnet" else (Softmax(x), logistic)
    theta = model.start(3, 0) + 0.05 * torch.randn(3, model.size, generator=g)
    clip = torch.tensor([0.5, 2.0, 1e6])
    expected = torch.zeros_like(theta)
    losses = torch.zeros(3)
    for r in range(3):
        for xi, yi in zip(x, y):
            at = theta[r].clone().requires_grad_()
            value = loss(at, xi, yi)
            grad, = torch.autograd.grad(value, at)
            expected[r] += grad * min(1, clip[r] / grad.norm())
            losses[r] += value.detach() / 6
    np.testing.assert_allclose(model.clipped_sum(theta, x, y, clip), expected, atol=2e-5)
    np.testing.assert_allclose(model.evaluate(theta, x, y)[0], losses, rtol=1e-5)


def every(steps, epochs):
    lam = tuple(1 / np.arange(1, 6) / 20)
    return mechanisms.candidates(steps, epochs, 1.0, 0.0, 1e-4, lam, tuple(mechanisms.METHODS),
                                 (0.1,), (1.0,))


@pytest.mark.parametrize("steps, epochs", [(12, 1), (12, 3)])
def test_equal_privacy(steps, epochs):
    """|C g|^2/sigma^2 = 2 rho at most, for every pattern of participations and signs: each C is
    found from what its stream adds, z = B w, C = 1/B; where sens2 is exact one attains it."""
    rho = mechanisms.rho_of(2, 1e-5)
    seen = set()
    for m in every(steps, epochs):
        w = finf.NoiseStream("sgd", 40, 1.0, np.float32, seed=3)
        W = np.array([w.next() for _ in range(steps)])
        z = m.stream(40, 3)
        Z = np.array([z.next() for _ in range(steps)])
        K = m.system.covariance()
        B = m.system.noising()
        np.testing.assert_allclose(Z, B @ W, atol=1e-5)
        np.testing.assert_allclose(B @ B.T, K, atol=1e-9)
        if m.method != "honaker":  # which is decoded by more than an inverse
            each = steps // epochs
            X = np.linalg.inv(K)
            most = max(u @ X[s::each, s::each] @ u for s in range(each)
                       for u in np.array(np.meshgrid(*[[1, -1]] * epochs)).reshape(epochs, -1).T)
            assert most <= m.sens2 * (1 + 1e-7)
            assert most >= m.sens2 * (1 - 1e-7) or not m.sens2_exact
        assert m.sigma(1.0, rho) == pytest.approx(math.sqrt(m.sens2 / (2 * rho)), rel=1e-14)
        seen.add(m.method)
    assert seen == set(mechanisms.METHODS)


def test_training_is_repeatable_and_runs_do_not_mix():
    """A run alone ends where it ends among others; without noise it is gradient descent."""
    g = torch.Generator().manual_seed(0)
    x, y = torch.randn(24, 5, generator=g), torch.randint(10, (24,), generator=g)
    model = Softmax(x)
    runs = [Run(m, 2, rho, 1e6, 0.5, momentum, 6, 1e-3) for m in every(12, 3)
            for momentum in (0, 0.9) for rho in (0.1, math.inf)]
    theta = train(model, x, y, runs, 7)
    for i in (0, 5, len(runs) - 1):
        np.testing.assert_allclose(train(model, x, y, [runs[i]], 7)[0], theta[i], atol=1e-5)
    quiet = [i for i, r in enumerate(runs) if math.isinf(r.rho) and r.momentum == 0]
    np.testing.assert_allclose(theta[quiet], theta[quiet[:1]].expand(len(quiet), -1), atol=1e-6)


def test_gains_are_paired():
    right = np.array([0.5, 0.6, 0.7])
    rows = [{"data": "d", "model": "m", "epochs": 1, "epsilon": 1, "momentum": 0, "method": name,
             "validation": 0.5, "_right": right + gain, "_loss": right}
            for name, gain in (("sgd", 0.0), ("nu", 0.25))]
    nu = next(r for r in compared(rows) if r["method"] == "nu")
    assert nu["gain"] == pytest.approx(0.25) and nu["gain_pm"] == pytest.approx(0, abs=1e-12)


def test_seeds_are_kept(tmp_path):
    """Any two methods can be paired from what is written; the momentum that was chosen is one of
    the runs, and not written again."""
    right = np.array([0.5, 0.6, 0.7])
    rows = compared([{"data": "d", "model": "m", "epochs": 1, "epsilon": 1, "momentum": momentum,
                      "method": name, "validation": 0.5 + momentum, "_right": right + gain,
                      "_loss": right}
                     for name, gain in (("sgd", 0.0), ("blt", 0.1), ("design", 0.25))
                     for momentum in (0, 0.9)])
    write(by_seed(rows), tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as f:
        seeds = list(csv.DictReader(f))
    assert [(r["method"], r["momentum"]) for r in seeds] == [
        (m, k) for m in ("sgd", "blt", "design") for k in ("0", "0.9")]
    assert [float(seeds[4][f"seed_{i}"]) for i in range(3)] == pytest.approx(right + 0.25)
    pytest.importorskip("matplotlib")
    from private_training import show
    chosen = [r for r in rows if r["momentum_of"] == "chosen"]
    lines = show._pairs(chosen, show.read(tmp_path / "a.csv"))
    assert "| 1 | 1 | +25.00 +- 0.00 | +15.00 +- 0.00 |" in lines


@pytest.mark.parametrize("name", ["digits-softmax", "fashion-softmax", "fashion-convnet"])
def test_the_seeds_are_those_of_the_table(name):
    run = ("epochs", "epsilon", "method", "momentum")
    seeds = {tuple(r[k] for k in run): [float(x) for k, x in r.items() if k.startswith("seed_")]
             for r in committed(f"{name}-seeds")}
    rows = committed(name)
    assert len(seeds) == sum(r["momentum_of"] == "given" for r in rows)
    for r in rows:
        x, sgd = seeds[tuple(r[k] for k in run)], None
        assert len(x) == int(r["seeds"])
        assert math.isclose(np.mean(x), float(r["accuracy"]), rel_tol=2e-6)
        if r["momentum_of"] == "given" and r["gain"]:
            sgd = seeds[r["epochs"], r["epsilon"], "sgd", r["momentum"]]
            assert math.isclose(np.mean(x) - np.mean(sgd), float(r["gain"]), abs_tol=2e-6)


def test_the_page_says_what_the_tables_have():
    def lines(*path):
        with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
            return [line.strip() for line in f if re.match(r"\| (\d|digits|fashion)", line)]

    page, tables = lines("docs", "training.md"), lines("notebooks-data", "training", "README.md")
    assert len(page) >= 9 and set(page) <= set(tables)


def committed(name):
    with open(os.path.join(ROOT, "notebooks-data", "training", f"{name}.csv"), newline="",
              encoding="utf-8") as f:
        return list(csv.DictReader(f))


def test_the_tables_are_those_of_the_csv_files(tmp_path):
    pytest.importorskip("matplotlib")
    from private_training import show
    folder = Path(ROOT, "notebooks-data", "training")
    for path in folder.glob("*.csv"):
        shutil.copy(path, tmp_path)
    show.main(tmp_path)
    assert (tmp_path / "README.md").read_text() == (folder / "README.md").read_text()


def test_the_page_counts_right():
    """What docs/training.md says in words, from the CSV files."""
    with open(os.path.join(ROOT, "docs", "training.md"), encoding="utf-8") as f:
        page = " ".join(f.read().split())
    tasks = {name: committed(name) for name in ("digits-softmax", "fashion-softmax",
                                                "fashion-convnet")}
    best, behind, moved = 0, [], {"design": 0, "sgd": 0}
    for rows in tasks.values():
        accuracy = {(r["epochs"], r["epsilon"], r["method"],
                     r["momentum"] if r["momentum_of"] == "given" else "chosen"):
                    float(r["accuracy"]) for r in rows}
        for k, e in sorted({key[:2] for key in accuracy if key[2] == "sgd"}):
            of = {m: accuracy[k, e, m, "chosen"] for m in mechanisms.METHODS}
            best += max(of, key=of.get) == "design"
            behind.append(max(of.values()) - of["design"])
            for m in moved:
                moved[m] += accuracy[k, e, m, "0.9"] > accuracy[k, e, m, "0"]
    assert len(behind) == 18 and f"in {best} of the 18 rows; in four others" in page
    assert sum(0 < x <= 0.003 for x in behind) == 4 and sum(x > 0.003 for x in behind) == 3
    assert f"in {moved['design']} of the 18 rows, DP-SGD in {moved['sgd']}" in page


def test_the_page_s_edges():
    """Which choices lie on an edge of their grid, from the CSV files."""
    with open(os.path.join(ROOT, "docs", "training.md"), encoding="utf-8") as f:
        page = " ".join(f.read().split())
    digits, softmax, net = ([r for r in committed(name) if r["momentum_of"] == "given"]
                            for name in ("digits-softmax", "fashion-softmax", "fashion-convnet"))
    edge = [r for r in digits if float(r["step"]) in (2, 512)]
    assert {(r["step"], r["momentum"]) for r in edge} == {("512", "0.9")}
    assert {(r["epsilon"], r["method"]) for r in edge if r["epochs"] == "8"} == {("8", "blt"),
                                                                                ("8", "me")}
    assert not [r for r in softmax if float(r["step"]) in (2, 512)]
    assert not [r for r in net if float(r["step"]) in (0.25, 64)]
    assert "No step for Fashion-MNIST is at an edge" in page
    for rows, clip, says in ((digits, "0.25", "on digits"), (softmax, "1", "for softmax on")):
        clips = [r["clip"] for r in rows if r["method"] != "none"]
        assert f"{clip}: {clips.count(clip)} of the {len(clips)} choices {says}" in page
    scales = [r["curvature"] for r in net if r["method"] == "design"]
    nus = [r["nu"] for r in net if r["method"] == "nu"]
    assert set(scales) == {"1"} and f"the larger of its two scales in all {len(scales)}" in page
    assert f"nu the smaller of two in {nus.count('0.01')}." in page
    both = [[r[key] for r in rows if r["method"] == method] for method, key in
            (("design", "curvature"), ("nu", "nu")) for rows in (digits, softmax)]
    assert {len(x) for x in both} == {12} and "Of softmax, 12 choices each" in page
    a, b, c, d = both
    assert (f"of three, 0.1, for {a.count('0.1')} designs on digits and {b.count('0.1')} on "
            f"Fashion-MNIST, the largest, 1, for {a.count('1')} and {b.count('1')}; the smallest nu "
            f"of four, 0.01, for {c.count('0.01')} and {d.count('0.01')}, the largest, 0.3, for "
            f"{c.count('0.3')} and {d.count('0.3')}.") in page


def test_the_page_s_pairs():
    """In how many rows the design is above and below DP-SGD and the BLT, by the seeds."""
    from private_training.intervals import interval

    with open(os.path.join(ROOT, "docs", "training.md"), encoding="utf-8") as f:
        page = " ".join(f.read().split())
    above, below, rows = {"sgd": 0, "blt": 0}, {"sgd": 0, "blt": 0}, 0
    for name in ("digits-softmax", "fashion-softmax", "fashion-convnet"):
        seeds = {(r["epochs"], r["epsilon"], r["method"], r["momentum"]):
                 np.array([float(x) for k, x in r.items() if k.startswith("seed_")])
                 for r in committed(f"{name}-seeds")}
        right = {(r["epochs"], r["epsilon"], r["method"]):
                 seeds[r["epochs"], r["epsilon"], r["method"], r["momentum"]]
                 for r in committed(name) if r["momentum_of"] == "chosen"}
        for k, e in {key[:2] for key in right if key[2] == "design"}:
            rows += 1
            for other in above:
                mean, pm = interval(right[k, e, "design"] - right[k, e, other])
                above[other] += mean > pm
                below[other] += mean < -pm
    assert below == {"sgd": 1, "blt": 1}
    assert f"above DP-SGD in {above['sgd']} of the {rows} rows and below it in one" in page
    assert f"above the BLT in {above['blt']} and below it in one" in page
    assert f"in the other {rows - above['blt'] - 1} these seeds" in page


def test_readme_s_gains():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        page = " ".join(f.read().split())

    def gain(name, epochs, epsilon, method, digits=1):
        r, = (r for r in committed(name) if r["momentum_of"] == "chosen"
              and (r["epochs"], r["epsilon"], r["method"]) == (epochs, epsilon, method))
        return f"{100 * float(r['gain']):.{digits}f} +- {100 * float(r['gain_pm']):.{digits}f}"

    net = {(e, m): gain("fashion-convnet", "4", e, m) for e in "18" for m in ("design", "blt")}
    assert f"gains {net['1', 'design']} points" in page and f"and {net['1', 'blt']} by a BLT" in page
    assert f"at epsilon = 8 {net['8', 'design']} and {net['8', 'blt']};" in page
    assert f"gains {gain('fashion-softmax', '5', '1', 'design')} at epsilon = 1 in five" in page
    one, five = (gain("fashion-softmax", k, "8", "design", 2) for k in "15")
    assert f"in five epochs, at epsilon = 8 {five}, and in one epoch {one}: " in page


def test_the_page_s_correlations():
    """Those in words, of subsets of the mechanisms, from the CSV files."""
    from private_training.predict import _spearman

    with open(os.path.join(ROOT, "docs", "training.md"), encoding="utf-8") as f:
        page = " ".join(f.read().split())

    def within(rows, key, which):
        settings = {}
        for r in rows:
            if which(r):
                settings.setdefault((r["epsilon"], r["momentum"], r["step"]), []).append(r)
        return np.mean([_spearman([float(r[key]) for r in g], [float(r["excess"]) for r in g])
                        for g in settings.values()])

    digits, fashion = committed("digits-predict"), committed("fashion-predict")
    a, b, c, d = (within(rows, "F_T", which)
                  for which in (lambda r: float(r["F_T"]) < 20, lambda r: r["method"] != "design")
                  for rows in (digits, fashion))
    assert f"{a:.2f} and {b:.2f} without the designs that diverge" in page
    assert f"{c:.2f} and {d:.2f} without any design" in page
    a, b, c, d = (within(rows, key, lambda r: r["F_inf"])
                  for rows in (digits, fashion) for key in ("F_T", "F_inf"))
    assert f"{a:.2f} by F_T and {b:.2f} by F_inf on digits, {c:.2f} and {d:.2f} on Fashion" in page
    times = {(r["data"], r["step"], r["momentum"], i): float(r["F_T"]) / float(r["excess"])
             for i, r in enumerate(digits + fashion) if float(r["F_T"]) < 20}
    others = [x for (data, step, m, _), x in times.items()
              if (data, step, m) != ("fashion", "64", "0")]
    assert f"F_T is {min(others):.1f} to {max(others):.1f} times what was measured" in page
    assert f"and up to {max(times.values()):.0f} times on Fashion-MNIST" in page


def test_every_row_has_the_same_privacy():
    for name in ("digits-softmax", "fashion-softmax", "fashion-convnet"):
        for r in committed(name):
            delta = float(r["examples"])**-1.1
            assert math.isclose(float(r["delta"]), delta, rel_tol=1e-5)
            rho = mechanisms.rho_of(float(r["epsilon"]), delta)
            sigma = float(r["clip"]) * math.sqrt(float(r["sens2"]) / (2 * rho))
            assert math.isclose(float(r["sigma"]), sigma, rel_tol=2e-5)
