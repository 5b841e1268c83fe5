"""What is refused: the exception, its reason, and that the command line says the same."""
from __future__ import annotations

import builtins
import inspect
import math
import pickle

import numpy as np
import pytest

import finf
from finf.optax import correlated_noise

S = finf.Spectrum.power(1, 4)

REFUSED = [
    (lambda: finf.Noise.nu(2), finf.DomainError, "nu = 2"),
    (lambda: finf.Noise("nu:x"), finf.ParseError, "x"),
    (lambda: finf.Noise("best"), finf.UsageError, "depends on the problem"),
    (lambda: finf.Noise.blt([0.5], [1, 2]), finf.UsageError, "buf_decay"),
    (lambda: finf.Noise.from_noising_coef([[1]]), finf.DomainError, "dimensions"),
    (lambda: finf.Noise.from_noising_coef(["a"]), finf.DomainError, "noising_coef"),
    (lambda: finf.Noise.nu(0.1).coef(0), finf.DomainError, "n = 0"),
    (lambda: finf.Noise.nu(0.1).coef(2.5), finf.DomainError, "2.5"),
    (lambda: finf.Spectrum([1, -1]), finf.DomainError, "-1"),
    (lambda: finf.Spectrum.from_covariance([[1, 2], [3, 4]]), finf.DomainError, "symmetric"),
    (lambda: finf.Spectrum.from_covariance([[1, 2]]), finf.DomainError, "square"),
    (lambda: finf.Spectrum.from_data(iter([])), finf.DomainError, "no rows"),
    (lambda: finf.Optimizer("adam"), finf.ParseError, "adam"),
    (lambda: finf.Optimizer.nesterov(1), finf.DomainError, "1"),
    (lambda: finf.mean("sgd", -1), finf.DomainError, "eta"),
    (lambda: finf.mean("sgd", 0.1, rho=0), finf.DomainError, "rho"),
    (lambda: finf.mean("sgd", 0.1, epsilon=1), finf.UsageError, "go together"),
    (lambda: finf.mean("sgd", 0.1, rho=1, epsilon=1, delta=0.1), finf.UsageError, "one of them"),
    (lambda: finf.mean("sgd", 0.1, epsilon=1, delta=2), finf.DomainError, "delta"),
    (lambda: finf.linreg("sgd", 0.1, S, kurtosis=-3), finf.DomainError, "kurtosis"),
    (lambda: finf.iqc("sgd", 0.1, 0.5), finf.DomainError, "kappa"),
    (lambda: finf.iqc("sgd", 0.1, 10, bound="sharpest"), finf.UsageError, "sharp, "),
    (lambda: finf.tune(), finf.UsageError, "needs eta"),
    (lambda: finf.tune(contraction=2.0), finf.DomainError, "contraction"),
    (lambda: finf.Problem(0.1, spectrum=S, kappa=2), finf.UsageError, "one of them"),
    (lambda: finf.curve("me", 0.1, S), finf.DomainError, "steps"),
    (lambda: finf.curve("nu:0.1", 0.1, S, steps=4, start=[1, 2]), finf.DomainError, "4 directions"),
    (lambda: finf.gamma("sgd", epochs=2), finf.UsageError, "need steps"),
    (lambda: finf.gamma("sgd", 10, epochs=3), finf.DomainError, "divide"),
    (lambda: finf.privacy(), finf.UsageError, "give one of"),
    (lambda: finf.privacy(rho=1, clip=-1), finf.DomainError, "clip"),
    (lambda: finf.simulate("sgd", 0.1, threads=0), finf.DomainError, "threads"),
    (lambda: finf.audit("sgd", delta=1e-5), finf.UsageError, "go together")]


@pytest.mark.parametrize("call, error, words", REFUSED)
def test_refused(call, error, words):
    with pytest.raises(error) as e:
        call()
    assert words in e.value.reason and "\n" not in e.value.reason
    assert isinstance(e.value, finf.FinfError) and isinstance(e.value, ValueError)


SAME = [("mean --noise nu:2 --eta 0.1", lambda: finf.mean("nu:2", 0.1)),
        ("iqc --noise sgd --eta 0.1 --kappa 1e13", lambda: finf.iqc("sgd", 0.1, 1e13)),
        ("linreg --noise sgd --eta 0.1 --spectrum power:1 --dim 4 --kurtosis -3",
         lambda: finf.linreg("sgd", 0.1, S, kurtosis=-3)),
        ("gamma --noise beta:1,-1.0000000001", lambda: finf.gamma("beta:1,-1.0000000001"))]


@pytest.mark.parametrize("line, call", SAME)
def test_reason_is_the_library_s(failure, line, call):
    text, code = failure(line)
    try:
        assert code == 0 and call()  # the same here: both answer
    except finf.FinfError as e:
        assert code == {"FINF_EDOM": 3, "FINF_EPARSE": 3, "FINF_ETOL": 4}[e.status]
        assert e.reason in text
    except AssertionError:
        with pytest.raises(finf.FinfError) as e:
            call()
        assert e.value.reason in text


def test_a_missed_tolerance_keeps_its_best():
    with pytest.raises(finf.ToleranceError) as e:
        finf.simulate("nu:0.1", 0.05, spectrum=S, relative_error=1e-6, max_steps=1e5)
    r = e.value.result
    assert math.isfinite(r.F_sim) and abs(r.F_sim - r.F_inf) < 6 * r.F_sim_error


def test_memory():
    assert issubclass(finf.MemoryError, builtins.MemoryError)
    with pytest.raises(builtins.MemoryError, match="out of memory"):
        raise finf.errors.error_of(6, "")


def test_infinite_is_an_answer():
    r = finf.linreg("nu:0.1", 5.0, S)
    assert r.F_inf == math.inf and r.reason and not r.stable
    assert finf.Noise.cc().gamma2 == math.inf


def test_objects_are_freed_once_and_pickled():
    n = finf.Noise.nu(0.1)
    again = pickle.loads(pickle.dumps(n))
    assert str(again) == str(n) and again.gamma2 == n.gamma2
    o = finf.Optimizer.nesterov(0.5, average="ema:0.5", weight_decay=0.1)
    assert repr(pickle.loads(pickle.dumps(o))) == repr(o)
    for _ in range(1000):
        finf.Noise.blt([0.5], [0.1])
        finf.Spectrum.power(1, 10)
    with pytest.raises(TypeError):
        pickle.dumps(finf.Noise.from_density(np.ones(9)))


def test_results_are_shown():
    r = finf.linreg("nu:0.1", 0.02, S)
    assert "F_inf" in str(r) and "+-" in str(r) and "F_inf=" in repr(r)
    assert r._repr_html_().count("<tr>") == str(r).count("\n") + 1
    assert r.to_dict()["F_inf"] == r.F_inf
    with pytest.raises(AttributeError):
        r.F_inf = 0
    rows = finf.tune_speed(0.99, spectrum=S, noises=["best"])
    assert str(rows).count("\n") == 3 and rows._repr_html_().count("<tr>") == 4


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for r in (finf.linreg("nu:0.1", 0.02, S), finf.curve("nu:0.1", 0.05, S, steps=16),
              finf.optimize(0.1, kappa=10), finf.iqc("nu:0.1", 0.1, 10),
              finf.tune_speed(0.99, noises=["best"]), finf.gamma("cc", 10), finf.privacy(rho=1),
              finf.audit("nu:0.1"), finf.design(8, eta=0.05, spectrum=S, families="nu")[0]):
        assert r.plot().get_xlabel()
    with pytest.raises(finf.DomainError, match="nothing here can be drawn"):
        finf.gamma("cc").plot()


def test_equality():
    assert finf.Noise("nu:0.1") == finf.Noise.nu(0.1) != finf.Noise.nu(0.2)
    assert len({finf.Noise.nu(0.1), finf.Noise("nu:0.1"), finf.Noise.sgd()}) == 2
    assert finf.Noise.nu(0.1) != "nu:0.1"
    given = finf.Noise.from_density(np.ones(9))
    assert given == given and given != finf.Noise.from_density(np.ones(9))
    assert finf.Optimizer.nesterov(0.9) == finf.Optimizer("nesterov:0.9")
    assert finf.Optimizer.nesterov(0.9) != finf.Optimizer.nesterov(0.9, weight_decay=0.1)


@pytest.mark.parametrize("call", [
    lambda **x: finf.design(20, spectrum=S, eta=0.1, **x), lambda **x: finf.design(
        20, workload="prefix", **x), lambda **x: finf.mean("sgd", 0.1, **x),
    lambda **x: finf.linreg("sgd", 0.1, S, **x), lambda **x: finf.iqc("sgd", 0.1, 10, **x),
    lambda **x: finf.curve("sgd", 0.1, S, steps=3, **x), lambda **x: finf.optimize(0.1, **x),
    lambda **x: finf.tune(0.1, **x), lambda **x: finf.tune_speed(0.9, **x),
    lambda **x: finf.curve_bound("sgd", 0.1, S, 1.0, [1.0], **x),
    lambda **x: finf.simulate("sgd", 0.1, **x),
    lambda **x: correlated_noise("sgd", **x).init(np.zeros(3))])
def test_a_keyword_that_is_none(call):
    with pytest.raises(finf.UsageError, match="has no keyword family.*it takes .*rho, epsilon"):
        call(family="blt:2")
    with pytest.raises(finf.UsageError, match=r"no keyword epsilom \(did you mean epsilon\?\)"):
        call(epsilom=1.0)
    with pytest.raises(finf.UsageError, match="epsilon and delta go together"):
        call(epsilon=1.0)


CLASSES = (finf.Noise, finf.Spectrum, finf.Optimizer, finf.Problem, finf.System, finf.NoiseStream)
CALLED = [x for x in map(finf.__dict__.get, finf.__all__) if inspect.isfunction(x)
          and "**" not in str(inspect.signature(x))] + [*CLASSES] + [
    getattr(c, name) for c in CLASSES for name, x in vars(c).items() if not name.startswith("_")
    and (inspect.isfunction(x) or isinstance(x, (classmethod, staticmethod)))]


@pytest.mark.parametrize("call", CALLED, ids=lambda x: x.__qualname__)
def test_no_keyword_anywhere(call):
    """One way everywhere: a UsageError that is also a TypeError, by the name of what was called."""
    with pytest.raises(finf.UsageError, match=f"{call.__qualname__} has no keyword wrong_one.*: it "
                       "takes ") as e:
        call(wrong_one=1)
    assert isinstance(e.value, TypeError) and isinstance(e.value, finf.KeywordError)


def test_keywords_of_results_and_no_names():
    for call in (finf.mean("sgd", 0.1).to_dict, finf.curve("sgd", 0.1, S, steps=3).plot,
                 finf.mean("sgd", [0.1]).plot):
        with pytest.raises(finf.KeywordError, match="has no keyword wrong_one"):
            call(wrong_one=1)
    for name in ("", "a b", "it's", "(", "\u00fc"):
        for f in (finf.mean, correlated_noise):
            with pytest.raises(finf.KeywordError, match="it takes noise"):
                f("sgd", 0.1, **{name: 1})
    with pytest.raises(finf.KeywordError, match="has no keyword shape: it takes noise, sigma, bat"):
        correlated_noise("sgd", 1.0, shape=3)


def test_a_type_error_of_anything_else():
    """What is missing, or raised within, is as Python has it."""
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        finf.Problem()
    with pytest.raises(TypeError, match="takes 2 positional arguments"):
        finf.Noise("sgd", 1)

    def told(*_):
        raise TypeError("told() got an unexpected keyword argument 'progress'")
    with pytest.raises(TypeError, match="^told") as e:
        finf.simulate("sgd", 0.1, steps=10, progress=told)
    assert not isinstance(e.value, finf.KeywordError)


def test_the_keyword_that_was_meant():
    with pytest.raises(finf.UsageError, match=r"^NoiseStream has no keyword sigm .did you mean"):
        finf.NoiseStream("sgd", 3, sigm=1.0)
    with pytest.raises(finf.UsageError, match=r"^Problem has no keyword kapa .did you mean kappa"):
        finf.Problem(0.1, kapa=10)
    with pytest.raises(finf.UsageError, match=r"design has no keyword family \(did you mean fam"):
        finf.design(20, spectrum=S, eta=0.1, family="blt:2")
