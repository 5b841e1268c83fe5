"""Bad input, pickles, arrays of step sizes, forks: an exception that says what is allowed, or an
answer; never a crash."""
from __future__ import annotations

import copy
import dataclasses
import gc
import os
import pickle
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import finf
from finf.optax import correlated_noise

S = finf.Spectrum.power(1, 4)
MASKED = np.ma.masked_equal(np.eye(2), 0)
BLT = "blt:0.9,0.5;0.2,0.1"


def sparse():
    return pytest.importorskip("scipy.sparse")


def WITH_GRAD():
    return pytest.importorskip("torch").eye(2).requires_grad_()


def stream():
    return finf.NoiseStream("sgd", 3, 1.0)


REFUSED = [
    (lambda: finf.mean("sgd", "x"), "eta = 'x': must be a number"),
    (lambda: finf.mean("sgd", None), "eta = None"),
    (lambda: finf.mean("sgd", 1j), "eta = 1j"),
    (lambda: finf.mean("sgd", float("nan")), "eta = nan"),
    (lambda: finf.mean("sgd", []), "eta is empty"),
    (lambda: finf.mean("sgd", [[0.1]]), "eta has 2 dimensions"),
    (lambda: finf.mean("sgd", [0.1, -1]), "eta = -1"),
    (lambda: finf.mean("sgd", 0.1, rho="a"), "rho = 'a'"),
    (lambda: finf.mean("sgd", 0.1, clip=np.ones(2)), "clip = "),
    (lambda: finf.mean("sgd", 0.1, kappa=3), "neither kappa nor spectrum"),
    (lambda: finf.mean("sgd", 0.1, optimizer=3), "optimizer = 3"),
    (lambda: finf.linreg("sgd", 0.1, None), "spectrum = None"),
    (lambda: finf.linreg("sgd", 0.1, "x"), "eigenvalues"),
    (lambda: finf.linreg("sgd", 0.1, [1, np.nan]), "eigenvalue 2 is nan"),
    (lambda: finf.linreg("sgd", 0.1, [1 + 1j]), "complex"),
    (lambda: finf.linreg("sgd", 0.1, S, kurtosis="a"), "kurtosis = 'a'"),
    (lambda: finf.linreg("sgd", 0.1, S, directions=["a"]), "directions"),
    (lambda: finf.linreg(3, 0.1, S), "noise = 3"),
    (lambda: finf.iqc("sgd", 0.1, "a"), "kappa = 'a'"),
    (lambda: finf.iqc("sgd", 0.1, 4, lower="a"), "one of quadratic, simulate"),
    (lambda: finf.tune_speed("a"), "contraction = 'a'"),
    (lambda: finf.tune_speed(half_life="a"), "half_life = 'a'"),
    (lambda: finf.simulate("sgd", 0.1, max_steps="a"), "max_steps = 'a'"),
    (lambda: finf.audit("sgd", sigma="a"), "sigma = 'a'"),
    (lambda: finf.audit("sgd", clip="a"), "clip = 'a'"),
    (lambda: finf.audit("sgd", claims=3), "claims = 3"),
    (lambda: finf.audit("sgd", problem=3), "problem = 3"),
    (lambda: finf.curve("sgd", 0.1, S, steps="a"), "steps = 'a'"),
    (lambda: finf.curve("banded:x", 0.1, S, steps=3), "banded:x"),
    (lambda: finf.curve("sgd", 0.1, S, steps=3, start="a"), "start = 'a'"),
    (lambda: finf.design(8, eta="a", spectrum=S), "eta = 'a'"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, families=["banded"]), "banded:b, blt:k, scaled:k"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, families=["blt:x"]), "banded:b, blt:k, scaled:k"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, families=["scaled:11"]), "from 1 to 10"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, families=[]), "families is empty"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, tol="a"), "tol = 'a'"),
    (lambda: finf.privacy(rho=1, delta="a"), "delta = 'a'"),
    (lambda: finf.privacy(rho=1, epsilon="a"), "epsilon = 'a'"),
    (lambda: finf.privacy(rho=1, batch="a"), "batch = 'a'"),
    (lambda: finf.privacy(rho="a"), "rho = 'a'"),
    (lambda: finf.privacy(rho=1, clip="a"), "clip = 'a'"),
    (lambda: finf.privacy(epsilon="a", delta=1e-5), "epsilon = 'a'"),
    (lambda: finf.Noise(None), "noise = None"),
    (lambda: finf.Noise("nu:0.1\0x"), "must be a text"),
    (lambda: finf.Noise("nu:auto"), "nu:paper is eta*mu, nu:best"),
    (lambda: finf.Noise("beta@none.txt"), "'none.txt': No such file"),
    (lambda: finf.Noise.best(None), "problem = None"),
    (lambda: finf.Noise.nu(0.1).density([np.nan]), "finite"),
    (lambda: finf.Noise.nu(None), "nu = None"),
    (lambda: finf.Noise.blt([np.nan], [1]), "buf_decay[0] = nan"),
    (lambda: finf.Noise.nu(0.1).density("a"), "w: "),
    (lambda: finf.Optimizer.nesterov("a"), "momentum = 'a'"),
    (lambda: finf.Spectrum.power("a", 4), "a = 'a'"),
    (lambda: finf.Optimizer("sgd", average=3), "average = 3"),
    (lambda: finf.Optimizer.filter("a", "b"), "b: "),
    (lambda: S.eigenvalues(-1), "n = -1"),
    (lambda: finf.Spectrum.from_data(None), "X is a NoneType"),
    (lambda: finf.Spectrum.from_data([[1, 2], [3]]), "X: "),
    (lambda: finf.Spectrum.from_data(np.ma.masked_equal(np.eye(2), 0)), "masked"),
    (lambda: finf.Spectrum.from_data([[1, np.inf]]), "inf"),
    (lambda: finf.Spectrum.from_data(np.ones((2, 2, 2))), "3 dimensions"),
    (lambda: finf.System.from_matrix(np.ones((2, 3))), "shape (2, 3)"),
    (lambda: finf.System.from_matrix(np.full((2, 2), np.nan)), "nan"),
    (lambda: finf.NoiseStream("sgd", "a", 1.0), "shape = 'a'"),
    (lambda: finf.NoiseStream("sgd", (2, -1), 1.0), "shape = -1"),
    (lambda: finf.NoiseStream("sgd", (2**40, 2**40), 1.0), "more numbers than"),
    (lambda: finf.NoiseStream("sgd", 3, 1.0, coordinates=3), "coordinates = 3"),
    (lambda: finf.NoiseStream("sgd", 3, "a"), "sigma = 'a'"),
    (lambda: finf.NoiseStream("sgd", 3, np.nan), "sigma = nan"),
    (lambda: finf.NoiseStream("sgd", 3, 1.0, "zzz"), "dtype = zzz"),
    (lambda: finf.NoiseStream("sgd", 3, 1.0, np.int32), "dtype = int32"),
    (lambda: finf.NoiseStream("sgd", 3, 1.0, key="x" * 32), "key is a str"),
    (lambda: stream().next([1.0, 2.0, 3.0]), "out is a list"),
    (lambda: stream().next(np.empty(3, np.float32)), "out is float32"),
    (lambda: stream().next(np.empty(6)[::2]), "C-contiguous"),
    (lambda: stream().next(np.frombuffer(bytes(24))), "writeable"),
    (lambda: finf.mean("sgd", b"0.1"), "eta = b'0.1'"),
    (lambda: finf.mean("sgd", np.complex64(0.1)), "must be a number"),
    (lambda: finf.mean("sgd", np.array("0.1")), "must be a number"),
    (lambda: finf.mean("sgd", np.array(["0.1"])), "real numbers are expected"),
    (lambda: finf.linreg("sgd", 0.1, ["1", "2"]), "real numbers are expected"),
    (lambda: finf.linreg("sgd", 0.1, S, directions=np.ones(4, bool)), "not a mask"),
    (lambda: finf.Spectrum.from_covariance([[1, 2], [3]]), "H: "),
    (lambda: finf.Spectrum.from_data(iter([[[1, 2], [3]]])), "X: "),
    (lambda: finf.Spectrum.from_data(iter([np.ones((2, 2, 2))])), "3 dimensions"),
    (lambda: finf.audit([1, [2]]), "noising_coef"),
    (lambda: finf.audit("sgd", sigma=np.nan), "sigma = nan"),
    (lambda: finf.audit("sgd", batch=3), "batch is of sigma"),
    (lambda: finf.audit("sgd", sigms=3), "did you mean sigma?"),
    (lambda: finf.privacy(rho=1, bach=3), "did you mean batch?"),
    (lambda: finf.gamma("sgd", stepz=3), "did you mean steps?"),
    (lambda: finf.iqc("sgd", 0.1, 4, certify="no"), "certify = 'no'"),
    (lambda: finf.iqc("sgd", 0.1, 4, lower="simulate", seed=-1), "seed = -1"),
    (lambda: finf.optimize(0.1, kappa=4, tol="a"), "tol = 'a'"),
    (lambda: finf.optimize(0.1, kappa=4, max_rounds=0), "max_rounds = 0"),
    (lambda: finf.optimize(0.1, kappa=4, factors=10**20), "from 1 to 200"),
    (lambda: finf.tune_speed(0.9, noises=()), "noises = ()"),
    (lambda: finf.tune_speed(0.9, rules="sgd"), "rules = 'sgd'"),
    (lambda: finf.simulate("sgd", 0.1, progress=3), "progress = 3"),
    (lambda: finf.design(8, workload="prefix", families=3), "families = 3"),
    (lambda: finf.Optimizer().eta_max(2, 1), "0 < h_min <= h_max"),
    (lambda: stream().restore("x"), "state is a str"),
    (lambda: stream().restore(b"x"), "state"),
    (lambda: finf.mean("sgd", True), "eta = True: must be a number"),
    (lambda: finf.mean("sgd", 0.1, rho=np.True_), "must be a number"),
    (lambda: finf.mean("sgd", [True]), "of type bool"),
    (lambda: finf.Noise.nu(0.1).coef(True), "n = True"),
    (lambda: finf.Spectrum([1, "2"]), "real numbers are expected"),
    (lambda: finf.Spectrum(np.array([1.0, "2"], object)), "some are texts or booleans"),
    (lambda: finf.Spectrum.power(1, 4, normalize="no"), "normalize = 'no': must be True or False"),
    (lambda: finf.Spectrum([1, 2], normalize="no"), "normalize = 'no'"),
    (lambda: finf.simulate("sgd", 0.1, clip_gradients="no"), "clip_gradients = 'no'"),
    (lambda: finf.simulate("sgd", 0.1, clip_gradients=np.ones(2)), "clip_gradients = array("),
    (lambda: finf.simulate("sgd", 0.1, kappa=2, smooth="a"), "smooth = 'a'"),
    (lambda: finf.Spectrum.from_data([["1", "2"]]), "X: of type <U1"),
    (lambda: finf.Spectrum.from_data([MASKED[0], MASKED[1]]), "masked"),
    (lambda: finf.Spectrum.from_data(iter([[MASKED[0], MASKED[1]]])), "masked"),
    (lambda: finf.Spectrum.from_data(sparse().csr_matrix(np.eye(2))), "X is a csr_matrix"),
    (lambda: finf.Spectrum.from_data(iter([sparse().csr_matrix(np.eye(2))])), "X: "),
    (lambda: finf.Spectrum.from_data(WITH_GRAD()), "detach()"),
    (lambda: finf.Spectrum.from_data(iter([WITH_GRAD()])), "detach()"),
    (lambda: finf.Spectrum.from_covariance(WITH_GRAD()), "detach()"),
    (lambda: finf.audit(WITH_GRAD()), "detach()"),
    (lambda: finf.mean("sgd", WITH_GRAD()[0, 0]), "eta = tensor("),
    (lambda: correlated_noise("sgd", 1.0).init(WITH_GRAD()), "detach()"),
    (lambda: finf.System.tree(4).draw([np.nan] * 8), "must be finite"),
    (lambda: finf.System(None), "System.toeplitz"),
    (lambda: finf.System(S._c), "System.toeplitz"),
    (lambda: finf.fit_blt(2, "x"), "problem = 'x': a Problem"),
    (lambda: finf.Noise.nu(0.1).coef(10**5000), "n = a number of very many digits"),
    (lambda: finf.Noise.nu(10**5000), "nu = a number of very many digits"),
    (lambda: finf.Spectrum.flat(10**5000), "d = a number of very many digits"),
    (lambda: finf.audit("sgd", claims={"sens2": 10**5000}), "claimed sens2 = a number of very"),
    (lambda: finf.audit("sgd", claims={"sens2": True}), "claimed sens2 = True"),
    (lambda: finf.design(8, eta=0.1, spectrum=S, families=[10**5000]), "family a number of very"),
    (lambda: finf.mean(10**5000, 0.1), "noise = a number of very many digits"),
    (lambda: finf.Noise.from_noising_coef([10**400, 1]), "noising_coef: int too large"),
    (lambda: finf.mean("sgd", [[0.1], [0.1, 0.2]]), "eta: "),
    (lambda: finf.linreg("sgd", [[0.1], [0.1, 0.2]], S), "eta: "),
    (lambda: finf.iqc("sgd", [[0.1], [0.1, 0.2]], 4), "eta: "),
    (lambda: finf.linreg("sgd", 0.1, S, directions=[[1], [1, 2]]), "directions: "),
    (lambda: finf.curve("sgd", 0.1, S, steps=3, start=[[1], [1, 2]]), "start: "),
    (lambda: finf.simulate("sgd", 0.1, spectrum=S, start=[[1], [1, 2]]), "start: "),
    (lambda: finf.curve_bound("sgd", 0.1, S, 1.0, [[1], [1, 2]]), "t: "),
    (lambda: finf.Noise.from_density([[1], [1, 2]]), "density: "),
    (lambda: finf.Noise.nu(0.1).density([[1], [1, 2]]), "w: "),
    (lambda: finf.Noise.nu(0.1).energy([[1], [1, 2]]), "b: "),
    (lambda: finf.Optimizer.filter([[1], [1, 2]], [1]), "b: "),
    (lambda: finf.Noise("beta@a\0b"), "embedded null byte"),
    (lambda: stream().restore(memoryview(stream().state())[::2]), "state")]


@pytest.mark.parametrize("call, words", REFUSED)
def test_refused(call, words):
    with pytest.raises(finf.FinfError) as e:
        call()
    assert words in e.value.reason and "\n" not in e.value.reason


HUGE = (b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': "
        b"(100000000000000, 2), }".ljust(117) + b"\n")


@pytest.mark.parametrize("content, words", [
    (np.array([1 + 1j, 0.5]), "real numbers"), (np.array(["1", "2"]), "real numbers"),
    (np.array([True]), "real numbers"), (HUGE, ""),
    (HUGE.replace(b"100000000000000", b"1((((((((((((("), ""),
    (HUGE[:20], ""), (b"\x93NUMPY", ""), (HUGE.replace(b"{", b"\0"), "")])
@pytest.mark.parametrize("part", ["beta", "strategy", "spectrum", "design"])
def test_a_broken_npy(tmp_path, content, words, part):
    path = tmp_path / "c.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    with pytest.raises(finf.ParseError, match=words) as e:
        finf.Noise(f"{part}@{path}")
    assert str(path) in e.value.reason and "\n" not in e.value.reason


def test_targets_are_doubles():
    assert str(finf.Spectrum.power(Fraction(1, 2), 4)) == "power:0.5"
    assert str(finf.Spectrum.exp(Fraction(1, 2), 4)) == "exp:0.5"
    for r in (finf.privacy(rho=Fraction(1), epsilon=Decimal(2)),
              finf.privacy(rho=1, delta=Decimal("0.1")),
              finf.privacy(epsilon=Decimal(2), delta=Fraction(1, 10), clip=Decimal(2)),
              finf.tune_speed(half_life=Decimal(10), rules=["sgd"], noises=["sgd"])[0],
              finf.mean("sgd", Fraction(1, 10), rho=Decimal(2))):
        assert not [k for k, v in r.to_dict().items() if isinstance(v, (Decimal, Fraction))]


def test_a_matrix_is_copied():
    C = np.eye(3)
    system = finf.System.from_matrix(C)
    C[1, 0] = 5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(system)).gram(), np.eye(3))


def test_a_state_with_gaps():
    s = stream()
    state, first = s.state(), s.next()
    s.restore(memoryview(b"".join(bytes([x, 0]) for x in state))[::2])
    assert (s.next() == first).all()


def test_more_memory_than_there_is():
    with pytest.raises(finf.OutOfMemoryError, match="no memory"):
        finf.Noise.nu(0.1).coef(10**17)


def test_arrays_of_any_layout():
    """Not contiguous, read-only, of other types and byte orders: read as they are, not changed."""
    X = np.random.default_rng(0).normal(size=(50, 8))
    H = X.T @ X / 50
    expected = finf.Spectrum.from_data(X).eigenvalues()
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (np.asfortranarray(X), frozen, X.astype(">f8"), np.repeat(X, 2, 1)[:, ::2]):
        np.testing.assert_array_equal(finf.Spectrum.from_data(other).eigenvalues(), expected)
    np.testing.assert_array_equal(X, frozen)
    np.testing.assert_allclose(finf.Spectrum.from_covariance(H[::-1, ::-1]).eigenvalues(),
                               finf.Spectrum.from_covariance(H).eigenvalues(), rtol=1e-12)
    assert finf.Spectrum(np.array([4, 2, 1])).max == 4
    beta = np.array([1.0, 9.0, -0.5, 9.0])[::2]
    assert str(finf.Noise.from_noising_coef(beta)) == "beta:1,-0.5"


def test_arrays_of_step_sizes():
    etas = np.array([0.01, 0.05])
    for rows, one in ((finf.mean("nu:0.1", etas), lambda x: finf.mean("nu:0.1", x)),
                      (finf.linreg("nu:best", etas, S), lambda x: finf.linreg("nu:best", x, S)),
                      (finf.iqc("nu:0.1", etas, 10, solver="newton"),
                       lambda x: finf.iqc("nu:0.1", x, 10, solver="newton"))):
        assert isinstance(rows, finf.Results) and [r.eta for r in rows] == etas.tolist()
        for r in rows:
            ours, theirs = r.to_dict(), one(r.eta).to_dict()
            assert all(ours[k] == theirs[k] for k in ("gamma2", "rho", "eta_eff"))
            assert ours.get("F_inf") == theirs.get("F_inf")
            assert ours.get("bound") == theirs.get("bound")
        assert str(rows).count("\n") == 2


def test_pickles():
    data = finf.Spectrum.from_data(np.random.default_rng(0).normal(size=(50, 3)))
    system = finf.System.epochs(16, 4)
    for s in (finf.Spectrum.power(1, 1e15), finf.Spectrum.exp(0.1, 9, normalize=True), data,
              finf.Spectrum.flat(5), finf.Spectrum.step(5), finf.Spectrum([2, 1])):
        again = pickle.loads(pickle.dumps(s))
        assert (again.d, again.max, again.trace, str(again)) == (s.d, s.max, s.trace, str(s))
    X = np.random.default_rng(1).normal(size=(40, 3)) @ np.ones((3, 5))  # of rank 1
    for s in (data, finf.Spectrum.from_data(X), finf.Spectrum.from_covariance(X.T @ X),
              finf.Spectrum.from_data(np.c_[X, X + np.eye(40, 5)], normalize=True),
              finf.Spectrum([1, 0.5, 0])):
        again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(s))))
        assert (again.resolution > 0) == (not str(s).startswith("list"))
        for x in ("resolution", "rows", "zeros", "condition_error"):
            assert getattr(again, x) == pytest.approx(getattr(s, x), rel=1e-15)
        ours, theirs = finf.linreg("nu:0.1", 0.001, again), finf.linreg("nu:0.1", 0.001, s)
        assert ours.trace_error == theirs.trace_error
        assert ours.F_inf_error == pytest.approx(theirs.F_inf_error, rel=1e-12)
    for x in (system, finf.System.toeplitz("nu:0.1", 8), finf.System.honaker(9),
              finf.System.from_matrix(np.eye(3)), finf.System.banded(12, 3)):
        again = pickle.loads(pickle.dumps(x))
        np.testing.assert_array_equal(again.gram(), x.gram())
        assert again.name == x.name
    for r in (finf.linreg("nu:0.1", 0.02, S), finf.mean("nu:0.1", 0.1), finf.gamma("cc", 10),
              finf.iqc("nu:0.1", 0.1, 10), finf.curve(system, 0.02, S), finf.privacy(rho=1),
              finf.mean("nu:0.1", [0.1, 0.2])):
        assert str(pickle.loads(pickle.dumps(r))) == str(r)
    with pytest.raises(TypeError, match="state()"):
        pickle.dumps(stream())
    with pytest.raises(TypeError, match="designed"):
        pickle.dumps(finf.design(8, eta=0.05, spectrum=S, families=["dense"])[0])


def test_parts_outlive_the_whole():
    """What a result holds is good after everything that made it has gone."""
    def made():
        rows = finf.design(16, eta=0.05, spectrum=finf.Spectrum.power(1, 4),
                           families=["dense", "nu"])
        return rows[0].system, rows[1].noise, finf.Problem(0.05, spectrum=[1.0, 0.5]).H

    system, noise, spectrum = made()
    gc.collect()
    assert system.gram().shape == (16, 16) and noise.gamma2 > 1 and spectrum.d == 2


def test_one_stream_of_many_threads():
    """Every step is drawn once, whoever draws it."""
    s, drawn = finf.NoiseStream(BLT, 5, 1.0, seed=1), []
    threads = [threading.Thread(target=lambda: drawn.extend(s.next() for _ in range(50)))
               for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone = finf.NoiseStream(BLT, 5, 1.0, seed=1)
    expected = {alone.next().tobytes() for _ in range(200)}
    assert {z.tobytes() for z in drawn} == expected and s.step == 200


def test_fork():
    """A child that was forked computes as its parent does."""
    def work():
        return (finf.linreg("nu:best", 0.02, S).F_inf, finf.iqc("nu:0.1", 0.1, 10).bound,
                finf.System.me(20).loss, finf.NoiseStream(BLT, 3, 1.0, seed=1).next().sum())

    here = repr(work())
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        assert f.read() == here
    assert os.waitpid(child, 0)[1] == 0


def in_a_child(work):
    """What work() gives, as text, in a child that was forked."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(child, 0)
    return text


def said(work):
    """What work() gives, or the reason why it is refused."""
    try:
        return work()
    except finf.FinfError as e:
        return e.reason


def test_a_fork_draws_no_noise_twice():
    """Parent and child would have the same: the child's stream is refused, unless it is told that it
    is the one to go on."""
    s = finf.NoiseStream(BLT, 3, 1.0)
    s.next()
    assert "made before a fork" in in_a_child(lambda: said(s.next))
    assert "made before a fork" in in_a_child(lambda: in_a_child(lambda: said(s.next)))
    assert "made before a fork" in in_a_child(lambda: said(lambda: list(s)))
    taken = in_a_child(lambda: s.restore(s.state()) or s.next().tobytes().hex())
    assert taken == s.next().tobytes().hex() and s.step == 2
    new = in_a_child(lambda: finf.NoiseStream(BLT, 3, 1.0).next().tobytes().hex())
    assert len(new) == 48 and new != taken
    seeded = finf.NoiseStream(BLT, 3, 1.0, seed=1)
    assert len(in_a_child(lambda: seeded.next().tobytes().hex())) == 48


WHILE_DRAWING = """
import sys, threading, finf
sys.path.insert(0, {tests!r})
from test_input import in_a_child, said
threads = []
def drawing(stream):
    def draw():
        while not ended:
            stream.next()
    threads.append(threading.Thread(target=draw))
    threads[-1].start()
    while not stream._lock.locked():
        pass
    return stream
ended = []
secret = finf.NoiseStream("nu:0.001", 3_000_000, 1.0)
kept, first = secret.state(), secret.next()[:3].tobytes()
secret, seeded = drawing(secret), drawing(finf.NoiseStream("nu:0.001", 3_000_000, 1.0, seed=1))
def work():
    out = [said(secret.next), said(secret.state), said(lambda: secret.skip(1)), said(seeded.next)]
    secret.restore(kept)
    out += [secret.next()[:3].tobytes() == first]
    globals().update(secret=None, seeded=None)  # and freed
    return "|".join(map(str, out))
print(in_a_child(work))
ended.append(1)
"""


def test_fork_while_another_thread_draws():
    """The child has a lock that nobody will release, and half a step: refused, and no wait."""
    code = WHILE_DRAWING.format(tests=os.path.dirname(__file__))
    out = subprocess.run([sys.executable, "-c", code], timeout=120, stdout=subprocess.PIPE,
                         text=True, check=True).stdout.strip().split("|")
    assert "made before a fork" in out[0] and all("half a step" in x for x in out[1:4]), out
    assert out[4:] == ["True"]


def test_a_fork_draws_no_noise_twice_in_optax():
    """Until init() begins a run there; a pair that was made there takes what it is given."""
    updates = {"w": np.zeros(3)}
    init, update = correlated_noise(BLT, sigma=1.0)
    state = init(updates)
    drawn = update(updates, state)[0]["w"].tobytes().hex()
    assert "made before a fork" in in_a_child(lambda: said(lambda: update(updates, state)))
    new = in_a_child(lambda: update(updates, init(updates))[0]["w"].tobytes().hex())
    assert len(new) == 48 and new != drawn
    there = in_a_child(lambda: correlated_noise(BLT, sigma=1.0).update(updates, state)[0]["w"]
                       .tobytes().hex())
    assert there == drawn
    seeded = correlated_noise(BLT, sigma=1.0, seed=1)
    state = seeded.init(updates)
    assert len(in_a_child(lambda: seeded.update(updates, state)[0]["w"].tobytes().hex())) == 48


def test_copies():
    """What never changes is its own copy; a stream, which does, has none."""
    given = finf.Noise.from_density(np.ones(9))
    data = finf.Spectrum.from_data(np.random.default_rng(0).normal(size=(50, 3)))
    for x in (given, data, finf.Optimizer.nesterov(0.5), finf.System.me(4)):
        assert copy.copy(x) is x and copy.deepcopy(x) is x
    r = finf.linreg("best", 0.02, S)
    assert copy.deepcopy(r).noise is r.noise
    asked = finf.Problem(0.1, spectrum=S, rho=0.5)
    finf.audit("nu:0.1", steps=4, problem=asked)  # what C reads of a problem is kept, and not copied
    for again in (copy.copy(asked), copy.deepcopy(asked), pickle.loads(pickle.dumps(asked))):
        assert str(again) == str(asked) and finf.audit("nu:0.1", problem=again, steps=4).F_inf > 0
    for one in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="state()"):
            one(stream())


def test_all_directions():
    for yes in (True, np.True_):
        assert len(finf.linreg("sgd", 0.02, S, directions=yes).directions) == 4
    for no in (False, np.False_, None):
        assert finf.linreg("sgd", 0.02, S, directions=no).directions is None


@pytest.mark.parametrize("gamma", ["T", "inf"])
def test_one_participation_where_that_is_asked_for(records, gamma):
    r = finf.curve("nu:0.1", 0.05, S, steps=16, epochs=4, gamma=gamma)
    one = finf.curve("nu:0.1", 0.05, S, steps=16, gamma=gamma)
    assert r.sens2 == one.sens2 and (r.F == one.F).all()
    line = f"curve --noise nu:0.1 --eta 0.05 --spectrum power:1 --dim 4 --steps 16 --gamma {gamma}"
    theirs = records(line + " --epochs 4")[0]
    assert r.sens2 == pytest.approx(theirs["sens2"], rel=1e-12)
    with pytest.raises(finf.DomainError, match="must divide"):
        finf.curve("nu:0.1", 0.05, S, steps=16, epochs=5, gamma=gamma)


def every_field(result):
    """Results are made without their __init__: each field must be there all the same."""
    missing = [f.name for f in dataclasses.fields(result) if not hasattr(result, f.name)]
    kept = {name for name in vars(result) if not name.startswith("_")}
    unknown = kept - {f.name for f in dataclasses.fields(result)}
    return missing == [] and unknown == set()


def test_fields_of_results():
    for optimizer in (None, finf.Optimizer("nesterov:0.5", average="ema:0.5", weight_decay=0.1)):
        for r in (finf.mean("sgd", 0.1, optimizer=optimizer),
                  finf.linreg("sgd", 0.01, S, optimizer=optimizer, directions=True),
                  finf.iqc("sgd", 0.1, 4, solver="newton", optimizer=optimizer),
                  finf.curve("sgd", 0.01, S, steps=8, optimizer=optimizer)):
            assert every_field(r), r
            assert pickle.loads(pickle.dumps(r)).to_dict().keys() == r.to_dict().keys()
            with pytest.raises(dataclasses.FrozenInstanceError):
                r.eta = 1.0


def test_errors_of_a_curve():
    """Those of every entry: relative, with that of rho; 0 where the curve is infinite."""
    r = finf.curve("nu:0.1", 0.05, S, steps=40, epsilon=1, delta=1e-5)
    assert r.rho_error > 0 and r.F_error[-1] == pytest.approx(r.F_last_error, rel=1e-12)
    assert (r.F_error / r.F == pytest.approx(r.F_error[0] / r.F[0], rel=1e-12))
    assert r.F_error[0] / r.F[0] == pytest.approx(
        r.F_relerr + r.rho_error / (r.rho - r.rho_error), rel=1e-9)
    wild = finf.curve("sgd", 1e3, S, steps=200)
    assert np.isinf(wild.F[-1]) and wild.F_error[-1] == 0 and wild.F_error[1] > 0


def test_curves_live_in_the_librarys_memory():
    """The array is what C wrote, and outlives the result; its errors are made when asked for."""
    def curves():
        return [finf.curve("nu:0.1", 0.05, S, steps=n).F for n in (1, 1000, 100000)]

    first, again = curves(), []
    for _ in range(3):
        again = curves()
        gc.collect()
    for x, y in zip(first, again):
        assert x.ctypes.data != y.ctypes.data and (x == y).all()
    r = finf.curve("nu:0.1", 0.05, S, steps=1000, epsilon=1, delta=1e-5)
    assert "F_error" not in vars(r)
    copy, other = pickle.loads(pickle.dumps(r)), dataclasses.replace(r, reason="another")
    assert (copy.F_error == r.F_error).all() and (other.F_error == r.F_error).all()
    assert r.F_error is r.F_error


def test_errors_from_the_other_thread():
    s = finf.Spectrum.power(1, 1000)
    with pytest.raises(finf.DomainError, match="eta = -1"):
        finf.linreg("nu:0.1", -1, s)


def test_what_is_put_off():
    """What follows from the question alone is made when it is first asked for: the same whichever
    is asked first, by several threads, after a pickle, a copy, and when all else is gone."""
    def asked():
        o = {"epsilon": 1.0, "delta": 1e-5, "optimizer": "nesterov:0.5"}
        return [finf.linreg("sgd", 0.01, S, **o), finf.iqc("sgd", 0.1, 4, solver="newton", **o),
                finf.curve("sgd", 0.01, S, steps=8, **o)]

    names = ("eta_eff", "contraction", "sigma", "sigma_error", "rho_error", "average", "epsilon")
    want = [[getattr(r, x) for x in names] for r in asked()]
    gc.collect()
    for first in names:
        for r, values in zip(asked(), want):
            assert "sigma" not in vars(r)
            assert getattr(r, first) == values[names.index(first)]
            assert [getattr(r, x) for x in names] == values and "_put_off" not in vars(r)
    for of in (lambda r: pickle.loads(pickle.dumps(r)), copy.copy, dataclasses.replace):
        for r, values in zip(map(of, asked()), want):
            assert "_put_off" not in vars(r) and [getattr(r, x) for x in names] == values
    for r, values in zip(asked(), want):
        got = []
        threads = [threading.Thread(target=lambda: got.append([getattr(r, x) for x in names]))
                   for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert got == [values] * 8
    with pytest.raises(AttributeError):
        finf.mean("sgd", 0.1).sigma_
    assert not hasattr(type(asked()[0]), "eta")


def test_optax_in_a_child_takes_no_state_of_its_parent():
    """Also after init() there, of whatever size, and from a pickle; what is its own goes on."""
    updates = np.zeros(3)
    init, update = correlated_noise(BLT, sigma=1.0)
    state = init(updates)
    kept = pickle.dumps(state)
    for size in (3, 5):
        assert "made before a fork" in in_a_child(
            lambda: (init(np.zeros(size)), said(lambda: update(updates, state)))[1])
    assert "made before a fork" in in_a_child(lambda: said(lambda: update(
        updates, pickle.loads(kept))))
    child = bytes.fromhex(in_a_child(lambda: pickle.dumps(init(updates)).hex()))
    assert "made before a fork" in in_a_child(lambda: (init(updates), said(lambda: update(
        updates, pickle.loads(child))))[1])  # nor of another child
    own = in_a_child(lambda: str(update(updates, update(updates, init(updates))[1])[1].step))
    assert own == "2"
    assert (update(updates, pickle.loads(kept))[0] == update(updates, state)[0]).all()


def test_optax_in_threads():
    """Each restores and draws: what one does changes nothing for another."""
    updates = np.zeros(3)
    init, update = correlated_noise(BLT, sigma=1.0)
    states = [init(updates) for _ in range(4)]
    want, wrong = [update(updates, s)[0].tolist() for s in states], []

    def draw(k):
        wrong.extend(k for _ in range(1000) if update(updates, states[k])[0].tolist() != want[k])
    threads = [threading.Thread(target=draw, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


@pytest.mark.parametrize("call,message", [
    (lambda init, update: update(np.zeros(3), None), "a NoiseState is expected"),
    (lambda init, update: update(np.zeros(3, int), init(np.zeros(3))), "integers cannot hold"),
    (lambda init, update: init("abc"), "arrays of real numbers"),
    (lambda init, update: init([1j]), "arrays of real numbers"),
    (lambda init, update: init({}), "0 coordinates")])
def test_what_optax_is_not_given(call, message):
    with pytest.raises(finf.DomainError, match=message):
        call(*correlated_noise("sgd", sigma=1.0))


@pytest.mark.parametrize("known", [
    ([1.0], "data", "x"), ([1.0], "data", None), ([1.0], "data", 0, 0, 0, "y"), ([1.0], 5),
    ([1.0], "data", -1.0), ([1.0], "data", 0, 0, float("nan")), ([], "data"), ([[1.0]], "data")])
def test_a_pickled_spectrum_that_was_changed(known):
    with pytest.raises(finf.FinfError, match="must be|needed|expected"):
        finf.spectrum._listed(*known)


def test_a_pickle_names_only_ways_to_make_one():
    for again in (lambda x: finf.spectrum._again(False, x), lambda x: finf.systems._again(x, 3)):
        for name in ("__init__", "_of", "nothing", "eigenvalues", None):
            with pytest.raises(finf.ParseError, match="must be one of"):
                again(name)


@pytest.mark.parametrize("one", [0.5, np.float32(0.5), np.array(0.5), Fraction(1, 2), Decimal("0.5")])
def test_one_number_is_a_list_of_it(one):
    assert finf.linreg("nu:0.1", 0.1, one).F_inf == finf.linreg("nu:0.1", 0.1, [0.5]).F_inf
    assert finf.Noise.from_noising_coef(one).coef(1)[0] == 0.5


def test_numbers_of_all_kinds():
    for yes in (1, np.int64(1), np.True_, np.array(True)):
        assert finf.Spectrum([1.0, 0.5], normalize=yes).d == 2
    with pytest.raises(finf.DomainError, match="whole number"):
        finf.System.tree(np.array(True))
    with pytest.raises(finf.DomainError, match="dimensions"):
        finf.Optimizer.filter([0, 1], [[1.0, -1]])
    with pytest.raises(finf.DomainError, match="booleans"):
        finf.Spectrum.from_data(np.array([[1.0, True], [2.0, False]], dtype=object))
    for claimed in (Fraction(1, 2), Decimal("0.5"), np.float32(0.5), 0.5):
        assert "0.5" in finf.audit("sgd", steps=4, claims={"sens2": claimed}).findings[0].text
