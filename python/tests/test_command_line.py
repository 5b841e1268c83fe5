"""Every function against the command line's JSON: all keys, to 1e-12."""
from __future__ import annotations

import numpy as np
import pytest

import finf

S4 = finf.Spectrum.power(1, 4)
S8 = finf.Spectrum.power(1, 8)
NOISES = ["sgd", "nu:0.1", "nu:1e-06", "power:0.3,0.1", "antipgd:0.2", "beta:1,-0.5,0.1",
          "strategy:1,0.5,0.3", "blt:0.9,0.5;0.2,0.1", "product:0.1,0.5;0.5,0.25", "bisr:5", "cc"]


@pytest.mark.parametrize("noise", NOISES)
def test_gamma(same, records, noise):
    same(finf.gamma(noise), records(f"gamma --noise {noise}")[0])
    same(finf.gamma(noise, 100), records(f"gamma --noise {noise} --steps 100")[0])


def test_gamma_of_participations(same, records):
    line = "gamma --noise nu:0.01 --steps 1000 "
    same(finf.gamma("nu:0.01", 1000, max_participations=3, min_sep=100),
         records(line + "--participations 3 --separation 100")[0])
    same(finf.gamma("nu:0.01", 1000, epochs=4), records(line + "--epochs 4")[0])


@pytest.mark.parametrize("noise", NOISES)
def test_coefficients(records, noise):
    n, line = finf.Noise(noise), f"coef --noise {noise} --length 40"
    assert np.array_equal(n.coef(40), records(line)[0]["noising_coef"])
    assert np.array_equal(n.strategy(40), records(line + " --strategy")[0]["strategy_coef"])
    rows = records(line + " --density")[0]["density"]
    assert np.array_equal(n.density([r["w"] for r in rows]), [r["density"] for r in rows])
    assert str(n) == noise


@pytest.mark.parametrize("noise", NOISES[:-1] + ["nu:paper", "nu:best", "best"])
@pytest.mark.parametrize("eta", [0.1, 1.3])
def test_mean(same, records, noise, eta):
    same(finf.mean(noise, eta, sigma_sgd=0.3),
         records(f"mean --noise {noise} --eta {eta} --sigma-sgd 0.3")[0])


def test_mean_with_everything(same, records):
    o = finf.Optimizer.nesterov(0.9, average="ema:0.5", weight_decay=0.1)
    same(finf.mean("nu:0.1", 0.1, optimizer=o, epsilon=1, delta=1e-5, clip=2),
         records("mean --noise nu:0.1 --eta 0.1 --optimizer nesterov:0.9 --average ema:0.5 "
                 "--weight-decay 0.1 --epsilon 1 --delta 1e-5 --clip 2")[0])


def test_mean_that_diverges(same, records):
    r = finf.mean("sgd", 2.5)
    same(r, records("mean --noise sgd --eta 2.5")[0])
    assert r.F_inf == np.inf and "diverges" in r.reason and not r.stable


@pytest.mark.parametrize("noise", NOISES[:-1] + ["nu:paper", "nu:best"])
def test_linreg(same, records, noise):
    same(finf.linreg(noise, 0.02, S4, rho=0.5, directions=True),
         records(f"linreg --noise {noise} --eta 0.02 --spectrum power:1 --dim 4 --rho 0.5 "
                 "--directions")[0])


def test_linreg_with_everything(same, records):
    line = "linreg --eta 0.02 --spectrum power:1 --dim 4 --kurtosis 1 --epsilon 2 --delta 1e-6"
    same(finf.linreg("best", 0.02, S4, kurtosis=1, epsilon=2, delta=1e-6,
                     optimizer=finf.Optimizer.heavy_ball(0.5)),
         records(line + " --noise best --optimizer heavy-ball:0.5")[0])
    same(finf.linreg("nu:0.1", 0.02, S4, kurtosis=1, epsilon=2, delta=1e-6,
                     optimizer=finf.Optimizer("sgd", average="last:10")),
         records(line + " --noise nu:0.1 --average last:10")[0])


@pytest.mark.parametrize("text, spectrum", [
    ("exp:0.1 --dim 30", finf.Spectrum.exp(0.1, 30)),
    ("flat --dim 1e6", finf.Spectrum.flat(1e6)),
    ("step --dim 50", finf.Spectrum.step(50)),
    ("list:2,1,0.5 --normalize", finf.Spectrum([2, 1, 0.5], normalize=True)),
    ("power:1 --dim 1e15", finf.Spectrum.power(1, 1e15))])
def test_spectra(same, records, text, spectrum):
    eta = 1e-7 if spectrum.d >= 1e6 else 0.01
    same(finf.linreg("nu:0.01", eta, spectrum),
         records(f"linreg --noise nu:0.01 --eta {eta} --spectrum {text}")[0])


def test_spectra_of_data(same, records, tmp_path):
    X = np.random.default_rng(1).normal(size=(5000, 6)) / np.arange(1, 7)
    H = X.T @ X / len(X)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "H.npy", H)
    np.save(tmp_path / "h.npy", H.astype(np.float32))
    for name, spectrum in [("data@X", finf.Spectrum.from_data(X)),
                           ("data@X", finf.Spectrum.from_data(iter(np.split(X, 5)))),
                           ("covariance@H", finf.Spectrum.from_covariance(H)),
                           ("covariance@h", finf.Spectrum.from_covariance(H.astype("f4")))]:
        kind, file = name.split("@")
        record = records(f"linreg --noise nu:0.01 --eta 0.01 --spectrum "
                         f"{kind}@{tmp_path}/{file}.npy")[0]
        facts = {"zeros", "rows", "condition", "resolution"}
        same(finf.linreg("nu:0.01", 0.01, spectrum), record, facts)
        same(spectrum, {k: v for k, v in record.items() if k in facts})
        np.testing.assert_allclose(spectrum.eigenvalues(), np.linalg.eigvalsh(H)[::-1], rtol=1e-5)


IQC = [("nu:0.05", {}, ""), ("sgd", {}, ""), ("blt:0.9,0.5;0.2,0.1", {}, ""),
       ("nu:0.05", {"certify": True}, "--certify"),
       ("nu:0.05", {"bound": "gaussian", "solver": "newton"}, "--bound gaussian --solver newton"),
       ("nu:0.05", {"bound": "dist", "class_": "odd"}, "--bound dist --class odd"),
       ("nu:0.05", {"bound": "fval", "solver": "newton"}, "--bound fval --solver newton"),
       ("nu:best", {"sigma_sgd": 0.1, "dim": 7, "smooth": 2}, "--sigma-sgd 0.1 --dim 7 --smooth 2"),
       ("nu:paper", {"optimizer": "nesterov:0.5", "epsilon": 1, "delta": 1e-5},
        "--optimizer nesterov:0.5 --epsilon 1 --delta 1e-5")]


@pytest.mark.parametrize("noise, keywords, options", IQC)
def test_iqc(same, records, noise, keywords, options):
    same(finf.iqc(noise, 0.1, 20, **keywords),
         records(f"iqc --noise {noise} --eta 0.1 --kappa 20 --verbose {options}")[0])


def test_iqc_of_the_paper(same, records):
    same(finf.iqc("nu:0.5", 0.5, 2, bound="dist", constants="paper", grid_uniform=100, fir=8),
         records("iqc --noise nu:0.5 --eta 0.5 --kappa 2 --bound dist --constants paper "
                 "--grid uniform:100 --multiplier fir:8")[0])


def test_iqc_beside_simulated(same, records):
    r = finf.iqc("nu:0.05", 0.1, 20, lower="simulate", seed=3)
    same(r, records("iqc --noise nu:0.05 --eta 0.1 --kappa 20 --lower simulate --seed 3")[0])


@pytest.mark.parametrize("average", ["ema:0.9", "last:7"])
def test_iqc_of_an_average(same, records, average):
    o = finf.Optimizer.nesterov(0.5, average=average)
    line = f"--eta 0.1 --kappa 20 --optimizer nesterov:0.5 --average {average}"
    same(finf.iqc("nu:0.05", 0.1, 20, optimizer=o, lower="simulate", seed=3),
         records(f"iqc --noise nu:0.05 {line} --lower simulate --seed 3")[0])
    same(finf.tune(0.1, kappa=20, optimizer=o), records(f"tune {line}")[0])
    r = finf.optimize(0.1, kappa=20, optimizer=o)
    same(r, records(f"optimize {line}")[0])
    assert r.minimax <= r.lower < r.bound and r.bound_of


def test_optimize(same, records):
    r = finf.optimize(0.1, kappa=10)
    record = records("optimize --eta 0.1 --kappa 10 --verbose")[0]
    same(r, record)
    assert r.nu == record["nu"]
    assert abs(np.trapz(r.density * r.psi, r.w) / np.pi / r.unit_bound - 1) < 1e-2
    for line, keywords in [("--spectrum power:1 --dim 4", {"spectrum": S4}), ("", {})]:
        same(finf.optimize(0.02, **keywords), records(f"optimize --eta 0.02 {line}")[0])


def test_tune(same, records):
    for line, keywords in [("--kappa 10", {"kappa": 10}), ("", {}),
                           ("--spectrum power:1 --dim 8", {"spectrum": S8})]:
        record = records(f"tune --eta 0.02 {line}")[0]
        r = finf.tune(0.02, **keywords)
        same(r, record)
        assert float(str(r.noise)[3:]) == record["nu"]


@pytest.mark.parametrize("line, keywords", [
    ("--spectrum power:1 --dim 4", {"spectrum": S4}), ("", {}), ("--kappa 10", {"kappa": 10})])
def test_tune_speed(same, records, line, keywords):
    ours = finf.tune(contraction=0.97, **keywords)
    theirs = records(f"tune --contraction 0.97 {line}")
    assert len(ours) == len(theirs)
    for r, record in zip(ours, theirs):
        same(r, record, {"d", "d_eff", "trace"} | ({"optimizer"} if r.optimizer is None else set()))
        assert r.rule == record["rule"] and r.noise_given == record["noise_given"]
    if "kappa" in keywords:
        proved = finf.tune(contraction=0.97, certify=True, **keywords)[0]
        same(proved, records(f"tune --contraction 0.97 {line} --certify")[0])
        assert proved.certified and proved.certified_upper >= proved.bound
    assert finf.tune_speed(half_life=22.757, rules=["sgd"], noises=["sgd"],
                           **keywords)[0].contraction == pytest.approx(0.97, rel=1e-4)


@pytest.mark.parametrize("system", ["nu:0.1", "me", "banded:4", "banded-sqrt:3", "tree", "honaker",
                                    "full-honaker", "fft", "me:8"])
def test_curve(same, records, system):
    line = f"curve --steps 16 --eta 0.05 --spectrum power:1 --dim 4 --system {system}"
    more = {"participations", "separation", "sens2_fixed_order", "loss_fixed_order",
            "sens2_min_sep", "loss_min_sep", "sens2_min_sep_lower", "fixed_order_exact",
            "min_sep_exact"}
    r, record = finf.curve(system, 0.05, S4, steps=16), records(line)[0]
    facts = r.system.facts()
    if system == "me:8":  # its own participations
        assert record["loss_T"] == pytest.approx(facts["loss"], rel=1e-13)
        facts["loss"] = r.sens2 * r.system.prefix_error
    same({**facts, **r.to_dict()}, record, more | {"sens2_error", "sens2_exact", "loss_error",
                                                   "loss_T"})
    p, theirs = r.system.participation(2, 8), records(
        line + " --participations 2 --separation 8 --gamma min-sep")[0]
    same(p.to_dict(), {k: v for k, v in theirs.items() if k in more and "loss" not in k})
    scaled = finf.curve(r.system, 0.05, S4, max_participations=2, min_sep=8)
    assert scaled.sens2 == pytest.approx(theirs["sens2"], rel=1e-13)
    assert r.system.sens2 == pytest.approx(theirs["gamma2_T"], rel=1e-13)
    np.testing.assert_allclose(scaled.F, theirs["F"], rtol=1e-12)
    theirs = records(line + " --epochs 4 --gamma fixed-order")[0]
    scaled = finf.curve(system, 0.05, S4, steps=16, epochs=4)
    np.testing.assert_allclose(scaled.F, theirs["F"], rtol=1e-12)


def test_curve_with_everything(same, records):
    r = finf.curve("nu:0.1", 0.05, S4, steps=20, kurtosis=1, start=[4, 3, 2, 1], gamma="inf",
                   sigma_sgd=0.2, optimizer="heavy-ball:0.5")
    record = records("curve --steps 20 --eta 0.05 --spectrum power:1 --dim 4 --noise nu:0.1 "
                     "--kurtosis 1 --start list:4,3,2,1 --gamma inf --sigma-sgd 0.2 "
                     "--optimizer heavy-ball:0.5")[0]
    same({**r.system.facts(), **r.to_dict()}, record,
         {"sens2_error", "sens2_exact", "loss"})  # sens2 is that of all time
    assert record["loss"] == pytest.approx(record["sens2"] * record["prefix_error"], rel=1e-14)


def test_best_nu_of_prefix_sums(records):
    record = records("curve --steps 64 --system nu:best")[0]
    assert float(f"{finf.System.best_nu(64):.4g}") == record["nu"]


SIMULATE = [("linreg --spectrum power:1 --dim 4", {"spectrum": S4}, ""),
            ("huber --kappa 10", {"kappa": 10}, ""), ("mean", {}, "--steps 20"),
            ("linreg --spectrum power:1 --dim 4", {"spectrum": S4}, "--clip-gradients --steps 30")]


@pytest.mark.parametrize("line, keywords, options", SIMULATE)
def test_simulate(same, records, line, keywords, options):
    more = {"steps": 20} if "20" in options else {"steps": 30, "clip_gradients": True} if options \
        else {}
    r = finf.simulate("nu:0.1", 0.05, max_steps=1e6, seed=7, threads=2, **keywords, **more)
    same(r, records(f"simulate --problem {line} --noise nu:0.1 --eta 0.05 --max-steps 1e6 "
                    f"--seed 7 {options}")[0])


PRIVACY = [("--rho 1 --delta 1e-5", {"rho": 1, "delta": 1e-5}),
           ("--rho 0.5 --epsilon 2", {"rho": 0.5, "epsilon": 2}),
           ("--epsilon 1 --delta 1e-6", {"epsilon": 1, "delta": 1e-6}),
           ("--epsilon 1 --delta 1e-6 --accounting zcdp",
            {"epsilon": 1, "delta": 1e-6, "accounting": "zcdp"}),
           ("--noise-multiplier 0.8 --delta 1e-5", {"noise_multiplier": 0.8, "delta": 1e-5}),
           ("--rho 1 --clip 2", {"rho": 1, "clip": 2})]


@pytest.mark.parametrize("line, keywords", PRIVACY)
def test_privacy(same, records, line, keywords):
    same(finf.privacy(noise="nu:0.1", **keywords), records(f"privacy --noise nu:0.1 {line}")[0])
    line = f"privacy --noise nu:0.1 --steps 100 --participations 4 --separation 20 {line}"
    same(finf.privacy(noise="nu:0.1", steps=100, max_participations=4, min_sep=20, **keywords),
         records(line)[0])


def test_noise_of_files(records, tmp_path):
    """NAME@FILE as the command line reads it: text, CSV with an index, .npy, parts of a file."""
    c = finf.Noise.nu(0.1).strategy(6)
    np.save(tmp_path / "c.npy", c)
    (tmp_path / "row.txt").write_text("1, -0.5, 0.25  # beta\n")
    (tmp_path / "index.csv").write_text("t,beta\n0,1\n1,-0.5\n2,0.1\n")
    w = np.linspace(0, np.pi, 65)
    (tmp_path / "one.txt").write_text("\n".join(map(repr, 1.3 - np.cos(w))))
    (tmp_path / "across.txt").write_text(" ".join(map(repr, 1.3 - np.cos(w))))
    np.save(tmp_path / "two.npy", np.c_[w, 1.3 - np.cos(w)])
    runs = {"blt": "blt:2", "toeplitz": "toeplitz", "banded": "banded:3"}
    for name, family in runs.items():
        records(f"design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --family {family} "
                f"--save {tmp_path / name}")
    records(f"optimize --eta 0.1 --kappa 10 --save {tmp_path / 'best'}")
    for spec in ("strategy@c.npy", "beta@row.txt", "beta@index.csv", "spectrum@one.txt",
                 "spectrum@two.npy", "design@blt", "design@toeplitz", "design@banded", "beta@best",
                 "spectrum@best", "spectrum@across.txt"):
        family, _, name = spec.partition("@")
        text = f"{family}@{tmp_path / name}"
        theirs = records(f"coef --noise {text} --length 9")[0]["noising_coef"]
        np.testing.assert_allclose(finf.Noise(text).coef(9), theirs, rtol=1e-12,
                                   err_msg=spec)
    assert finf.mean(f"beta@{tmp_path / 'row.txt'}", 0.1).F_inf > 0
    for name, text, error in (("a", "1,2\n3\n", finf.ParseError), ("b", "", finf.ParseError),
                              ("c", "[other]\n1\n", finf.ParseError),
                              ("d", "1 nan", finf.ParseError), ("e", "1 x\n1 x", finf.ParseError),
                              ("f", "1,2,3\n4,5,6\n", finf.ParseError)):
        (tmp_path / name).write_text(text)
        for family in ("beta", "strategy", "design"):
            with pytest.raises(error, match=name):
                finf.Noise(f"{family}@{tmp_path / name}")
    with pytest.raises(finf.ParseError, match="has 3 columns: w,"):
        finf.Noise(f"spectrum@{tmp_path / 'f'}")
    for wrong in (f"beta@{tmp_path}", "strategy@none", "design@", "spectrum@none"):
        with pytest.raises(OSError):
            finf.Noise(wrong)
