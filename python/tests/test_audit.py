"""audit beside the command, and against NumPy."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import finf

NOISES = ["nu:0.1", "cc", "beta:1,0.4,-0.3,0.2", "blt:0.9,0.5;0.2,0.1"]
SHOWN = {"eta", "optimizer", "eta_eff", "contraction", "sigma_sgd", "d", "d_eff", "trace",
         "findings", "reason", "file"}


def agree(result, record, same):
    absent = {k for k, v in record.items() if k.endswith("_error") and v == "inf"}
    same(result, record, SHOWN | absent)
    assert [tuple(f.values()) for f in record["findings"]] == result.findings


@pytest.mark.parametrize("noise", NOISES)
def test_audit(same, records, noise):
    agree(finf.audit(noise, steps=40), records(f"audit --noise {noise} --steps 40")[0], same)
    agree(finf.audit(noise, steps=40, max_participations=3, min_sep=10, sigma=2, delta=1e-5, clip=3,
                     batch=7, claims={"sens2": 2, "epsilon": 1.5}),
          records(f"audit --noise {noise} --steps 40 --participations 3 --separation 10 --sigma 2 "
                  "--delta 1e-5 --clip 3 --batch 7 --claims sens2=2,epsilon=1.5")[0], same)
    agree(finf.audit(noise, steps=40, epochs=4, rho=0.3, clip=3),
          records(f"audit --noise {noise} --steps 40 --epochs 4 --rho 0.3 --clip 3")[0], same)
    agree(finf.audit(noise, epsilon=2, delta=1e-6, batch=8),
          records(f"audit --noise {noise} --epsilon 2 --delta 1e-6 --batch 8")[0], same)
    agree(finf.audit(noise, steps=40, epochs=4, claims="sens2=2"),
          records(f"audit --noise {noise} --steps 40 --epochs 4 --claims sens2=2")[0], same)


@pytest.mark.parametrize("line, keywords", [
    ("", {}), ("--spectrum power:1 --dim 4", {"spectrum": finf.Spectrum.power(1, 4)})])
def test_audit_of_a_problem(same, records, line, keywords):
    noise = "blt:0.9,0.5;0.2,0.1"
    problem = finf.Problem(0.05, rho=2, **keywords)
    agree(finf.audit(noise, problem=problem),
          records(f"audit --noise {noise} --eta 0.05 --rho 2 {line}")[0], same)
    agree(finf.audit(noise, problem=finf.Problem(0.05, epsilon=2, delta=1e-6, **keywords)),
          records(f"audit --noise {noise} --eta 0.05 --epsilon 2 --delta 1e-6 {line}")[0], same)
    agree(finf.audit(noise, sigma=3, problem=finf.Problem(0.05, **keywords)),
          records(f"audit --noise {noise} --eta 0.05 --sigma 3 {line}")[0], same)


def patterns(n, k, b):
    """At most k of n steps, at least b apart."""
    for count in range(1, k + 1):
        for p in itertools.combinations(range(n), count):
            if all(j - i >= b for i, j in zip(p, p[1:])):
                yield p


@pytest.mark.parametrize("coef", ["noising", "strategy"])
def test_audit_against_numpy(same, records, tmp_path, coef):
    r = np.random.default_rng(3)
    for signs in (0, 0.5):
        M = np.tril(r.uniform(size=(9, 9)) - signs, -1) + np.diag(r.uniform(0.5, 1.5, size=9))
        C, B = (M, np.linalg.inv(M)) if coef == "strategy" else (np.linalg.inv(M), M)
        X, P = C.T @ C, np.tril(np.ones((9, 9))) @ B
        bound = max(np.abs(X[np.ix_(p, p)]).sum() for p in patterns(9, 3, 2))
        plus_minus = max(s @ X[np.ix_(p, p)] @ s for p in patterns(9, 3, 2)
                         for s in map(np.array, itertools.product([-1, 1], repeat=len(p))))
        a = finf.audit(M, coef=coef, max_participations=3, min_sep=2)
        variances = (P**2).sum(axis=1)
        np.testing.assert_allclose(
            [a.sens2, a.gamma2_T, a.prefix_error, a.prefix_error_mean, a.prefix_error_max],
            [bound, np.diag(X).max(), variances.sum(), variances.mean(), variances.max()],
            rtol=1e-11)
        assert a.sens2_lower <= plus_minus * (1 + 1e-12) and plus_minus <= a.sens2 * (1 + 1e-12)
        np.save(tmp_path / f"M{signs}.npy", M)
        agree(a, records(f"audit {tmp_path}/M{signs}.npy --coef {coef} --participations 3 "
                         "--separation 2")[0], same)
        turned = finf.audit(M.T, coef=coef, max_participations=3, min_sep=2)
        assert turned.sens2 == a.sens2 and "upper triangular" in turned.findings[0].text


def test_audit_of_a_tree(same, records):
    agree(finf.audit(finf.System.tree(7), max_participations=4, min_sep=2),
          records("audit --system tree --steps 7 --participations 4 --separation 2")[0], same)


@pytest.mark.parametrize("call, error, text", [
    (lambda: finf.audit(np.ones((2, 3))), finf.UsageError, "square"),
    (lambda: finf.audit(np.diag([1, np.nan, 1])), finf.DomainError, "C(2,2) = nan"),
    (lambda: finf.audit(np.diag([1, 0, 1.0])), finf.DomainError, "C(2,2) = 0"),
    (lambda: finf.audit(np.ones((2, 2))), finf.DomainError, "above the diagonal"),
    (lambda: finf.audit("sgd", claims="sens2"), finf.FinfError, "NAME=NUMBER"),
    (lambda: finf.audit("sgd", claims={"sense": 1}), finf.FinfError, "not known"),
    (lambda: finf.audit([1.0], coef="neither"), finf.UsageError, "noising, strategy"),
    (lambda: finf.audit("sgd", steps=100, max_participations=3, min_sep=50), finf.DomainError,
     "need 101 steps")])
def test_refused(call, error, text):
    with pytest.raises(error) as e:
        call()
    assert text in str(e.value)


def test_designs():
    """With the steps and participations that they are for, also the matrices."""
    s = finf.Spectrum.power(1, 4)
    for who in ({}, {"epochs": 3}, {"max_participations": 2, "min_sep": 5}):
        for r in finf.design(12, eta=0.05, spectrum=s, families=["dense", "blt:2", "scaled:1"],
                             **who):
            a = finf.audit(r)
            assert a.sens2 == pytest.approx(r.sens2, rel=1e-9) and a.steps == 12, (who, r.family)
    limit, = finf.design(eta=0.05, spectrum=s, families="blt:2")
    assert finf.audit(limit).gamma2 == limit.sens2
