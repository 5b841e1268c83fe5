"""Streams, their adapters for training, designs and BLTs."""
from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

import finf
from finf._library import has
from finf.optax import correlated_noise

BLT = "blt:0.9,0.5;0.2,0.1"
S4 = finf.Spectrum.power(1, 4)
streams = pytest.mark.skipif(not has("finf_stream_new"), reason="a libfinf without streams")
designs = pytest.mark.skipif(not has("finf_design_make"), reason="a libfinf without design")
blts = pytest.mark.skipif(not has("finf_blt_fit_mean"), reason="a libfinf without fits of BLTs")


@streams
@pytest.mark.parametrize("noise, steps", [("sgd", None), (BLT, None), ("antipgd:0.1", None),
                                          ("strategy:1,0.5,0.3", None), ("nu:0.1", 12)])
def test_z_is_beta_of_w(noise, steps):
    """z = beta * w, the w being those of independent noise with the same seed."""
    z = np.array([s for s, _ in zip(finf.NoiseStream(noise, 7, 2.0, seed=5, steps=steps),
                                    range(12))])
    w = np.array([s for s, _ in zip(finf.NoiseStream("sgd", 7, 2.0, seed=5), range(12))])
    beta = finf.Noise(noise).coef(12)
    expected = [sum(beta[s] * w[t - s] for s in range(t + 1)) for t in range(12)]
    np.testing.assert_allclose(z, expected, rtol=1e-11, atol=1e-13)


@streams
def test_shards_dtypes_and_out():
    whole = finf.NoiseStream(BLT, (4, 5), 0.5, seed=3)
    part = finf.NoiseStream(BLT, (4, 5), 0.5, seed=3, coordinates=(5, 12))
    single = finf.NoiseStream(BLT, (4, 5), 0.5, np.float32, seed=3)
    out = np.empty((4, 5))
    for _ in range(5):
        z = whole.next(out)
        assert z is out
        assert np.array_equal(part.next(), z.ravel()[5:12])
        assert np.array_equal(single.next(), z.astype(np.float32))
    for wrong in (np.empty(20, np.float32), np.empty(3), np.empty((5, 8))[:, ::2]):
        with pytest.raises(finf.DomainError):
            whole.next(wrong)


@streams
def test_state_skip_and_key():
    a = finf.NoiseStream(BLT, 6, 1.0)
    b = finf.NoiseStream(BLT, 6, 1.0, key=a.key)
    assert not a.seeded and len(a.key) == 32
    a.next()
    saved = a.state()
    rest = [a.next() for _ in range(3)]
    b.skip(1)
    assert all(np.array_equal(b.next(), z) for z in rest)
    a.restore(saved)
    assert np.array_equal(a.next(), rest[0])
    with pytest.raises(finf.ParseError):
        a.restore(b"x" * len(saved))
    assert not np.array_equal(finf.NoiseStream(BLT, 6, 1.0).next(), rest[0])


@streams
def test_a_privacy_target_gives_sigma():
    s = finf.NoiseStream("nu:0.01", 5, epsilon=1, delta=1e-5, clip=2, steps=100,
                         max_participations=4, min_sep=20, seed=1)
    p = finf.privacy(epsilon=1, delta=1e-5, clip=2, noise="nu:0.01", steps=100,
                     max_participations=4, min_sep=20)
    assert s.sigma == p.sigma and s.steps == 100
    for wrong in ({}, {"sigma": 1.0, "rho": 1.0}, {"sigma": 1.0, "clip": 1.0}):
        with pytest.raises(finf.UsageError):
            finf.NoiseStream("sgd", 5, **wrong)
    with pytest.raises(finf.DomainError):
        finf.NoiseStream("cc", 5, rho=1)


@streams
def test_a_system_s_stream():
    system = finf.System.me(16)
    z = list(finf.NoiseStream(system, 3, 1.0, seed=2))
    w = [x for x, _ in zip(finf.NoiseStream("sgd", 3, 1.0, seed=2), range(16))]
    np.testing.assert_allclose(z, system.noising() @ np.array(w), rtol=1e-11, atol=1e-13)


@streams
def test_the_command_line_s_bits(tmp_path):
    finf_ = os.environ.get("FINF", "finf")
    out = tmp_path / "z.npy"
    done = subprocess.run([finf_, "noise", "--noise", BLT, "--steps", "6", "--dim", "5", "--sigma",
                           "0.5", "--seed", "9", "--output", str(out)], capture_output=True,
                          text=True, check=False)
    if done.returncode == 2 and "noise" in done.stderr and "command" in done.stderr:
        pytest.skip("a finf without the command noise")
    assert done.returncode == 0, done.stderr
    ours = [z for z, _ in zip(finf.NoiseStream(BLT, 5, 0.5, seed=9), range(6))]
    assert np.array_equal(np.load(out), ours)


@streams
def test_optax():
    params = {"w": np.zeros((2, 3), np.float32), "b": [np.zeros(3), None]}
    init, update = correlated_noise(BLT, 0.5, seed=4, batch_size=10)
    state = init(params)
    one, next_state = update(params, state)
    again, _ = update(params, state)  # nothing was changed in place
    assert one["w"].dtype == np.float32 and np.array_equal(one["w"], again["w"])
    assert one["b"][1] is None and next_state.step == 1
    assert "secret bytes" in repr(state) and "finfstrm" not in repr(state)
    two, _ = update(params, next_state)
    z = finf.NoiseStream(BLT, 9, 0.5, seed=4)
    flat = [np.concatenate([x["b"][0], x["w"].ravel()]) for x in (one, two)]
    np.testing.assert_allclose(flat, [z.next() / 10, z.next() / 10], rtol=1e-6)


@streams
def test_torch():
    torch = pytest.importorskip("torch")
    from finf.torch import CorrelatedNoise
    model = torch.nn.Linear(3, 2)
    frozen = torch.nn.Parameter(torch.zeros(2), requires_grad=False)
    noise = CorrelatedNoise([*model.parameters(), frozen], BLT, 0.5, seed=6, batch_size=4)
    z = finf.NoiseStream(BLT, 8, 0.5, np.float32, seed=6)
    model(torch.ones(1, 3)).sum().backward()
    before = torch.cat([p.grad.flatten() for p in model.parameters()]).numpy().copy()
    noise.step()
    after = torch.cat([p.grad.flatten() for p in model.parameters()]).numpy()
    np.testing.assert_allclose(after - before, z.next() / 4, rtol=1e-5, atol=1e-6)
    saved = noise.state_dict()
    model.zero_grad(set_to_none=True)
    noise.step()
    second = torch.cat([p.grad.flatten() for p in model.parameters()]).numpy().copy()
    np.testing.assert_allclose(second, z.next() / 4, rtol=1e-6)
    noise.load_state_dict(saved)
    model.zero_grad(set_to_none=True)
    noise.step()
    third = torch.cat([p.grad.flatten() for p in model.parameters()]).numpy()
    assert np.array_equal(second, third) and frozen.grad is None


@designs
@pytest.mark.parametrize("line, keywords", [
    ("--eta 0.05 --spectrum power:1 --dim 4", {"eta": 0.05, "spectrum": S4}),
    ("--workload prefix --objective average", {"workload": "prefix", "objective": "average"}),
    ("--eta 0.05 --spectrum power:1 --dim 4 --objective average --epsilon 2 --delta 1e-6 "
     "--epochs 4",
     {"eta": 0.05, "spectrum": S4, "objective": "average", "epsilon": 2, "delta": 1e-6,
      "epochs": 4})])
def test_design(same, records, line, keywords):
    families = ["dense", "toeplitz", "banded:4", "blt:2", "scaled:2", "nu", "me", "sgd"]
    ours = finf.design(32, families=families, **keywords)
    theirs = records(f"design --steps 32 --family {','.join(families)} {line}")
    for r, record in zip(ours, theirs):
        same(r, record, {"family", "bands"})
        assert r.family == record["family"] or r.family.startswith(record["family"])


@designs
@streams
def test_a_design_s_stream():
    """What design answered is what is trained with: z = B w, its sigma, steps and memory."""
    rows = finf.design(24, eta=0.05, spectrum=S4, epochs=3, epsilon=2, delta=1e-5, clip=0.5,
                       families=["dense", "toeplitz", "blt:2", "scaled:2", "nu", "me", "sgd"])
    for r in rows:
        s = finf.NoiseStream(r, (2, 3), seed=1)
        assert (s.sigma, s.steps) == (r.sigma, 24)
        assert s.memory <= r.memory or r.family == "nu"  # decays, and steps ahead
        z = np.array(list(s)).reshape(24, -1)
        w = np.array(list(finf.NoiseStream("sgd", 6, r.sigma, seed=1, steps=24)))
        system = r.system or finf.System.toeplitz(r.noise, 24)
        np.testing.assert_allclose(z, system.noising() @ w, rtol=1e-9, atol=1e-11)
        rho = finf.privacy(epsilon=2, delta=1e-5).rho
        again = finf.NoiseStream(r, 6, rho=4 * rho)  # by the sensitivity to the epochs, same clip
        assert again.sigma == pytest.approx(r.sigma / 2, rel=1e-12)
    with pytest.raises(finf.UsageError, match="7 families .dense, toeplitz"):
        finf.NoiseStream(rows, 3)
    one = rows[2]
    for wrong, words in (({"steps": 25}, "from 1 to 24"), ({"epochs": 3}, "the design's own"),
                         ({"sigma": 1.0, "rho": 1}, "one of them"), ({"clip": 1}, "target")):
        with pytest.raises(finf.FinfError, match=words):
            finf.NoiseStream(one, 3, **wrong)
    limit = finf.design(eta=0.05, spectrum=S4, families="blt:2")
    assert finf.NoiseStream(limit, 3).sigma == limit[0].sigma


@designs
@streams
def test_a_design_in_training():
    design = finf.design(16, workload="prefix", families="blt:2", epsilon=1, delta=1e-5)
    z = finf.NoiseStream(design, 8, dtype=np.float32, seed=3)
    init, update = finf.optax.correlated_noise(design, dtype=np.float32, seed=3)
    noisy, state = update(np.zeros(8, np.float32), init(np.zeros(8)))
    assert np.array_equal(noisy, z.next()) and state.step == 1
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(3, 2)
    noise = finf.torch.CorrelatedNoise(model.parameters(), design, seed=3)
    noise.step()
    grad = torch.cat([p.grad.flatten() for p in model.parameters()]).numpy()
    assert np.array_equal(grad, noisy) and noise.stream.sigma == design[0].sigma
    with pytest.raises(finf.DomainError, match="batch_size"):
        finf.torch.CorrelatedNoise(model.parameters(), design, batch_size=0)


@designs
@pytest.mark.parametrize("steps, epochs", [(24, None), (40, 4)])
def test_design_by_default(same, records, steps, epochs):
    """Neither families nor a step: those of the command line, scaled:4 among them."""
    ours = finf.design(steps, spectrum=S4, epochs=epochs)
    theirs = records(f"design --steps {steps} --spectrum power:1 --dim 4"
                     + (f" --epochs {epochs}" if epochs else ""))
    assert [r.family for r in ours] == [r["family"] for r in theirs] and len(ours) == len(theirs)
    assert "scaled:4" in [r.family for r in ours] and ours[0].eta == theirs[0]["eta"]
    for r, record in zip(ours, theirs):
        same(r, record, {"seconds"})


@designs
def test_design_of_prefix_sums_by_default(failure):
    for objective, kind in ((None, ""), ("last", "--objective last"), ("max", "--objective max")):
        try:
            ours = finf.design(40, workload="prefix", objective=objective)
        except finf.ToleranceError as e:
            ours = e.result
        theirs = [json.loads(x) for x in
                  failure(f"design --steps 40 --workload prefix {kind}")[0].splitlines()]
        assert [r.family for r in ours] == [r["family"] for r in theirs]
    for wrong in ({"eta": 0.1}, {"spectrum": S4}, {"kappa": 10}):
        with pytest.raises(finf.UsageError, match="prefix sums have none"):
            finf.design(40, workload="prefix", **wrong)
    with pytest.raises(finf.UsageError, match="needs spectrum"):
        finf.design(40)
    with pytest.raises(finf.DomainError, match="a step is chosen for at most 20000"):
        finf.design(30000, spectrum=S4)


@designs
def test_design_of_F_inf(same, records):
    ours = finf.design(eta=0.05, spectrum=S4, sigma_sgd=0.3, rho=0.5)
    for r, record in zip(ours, records("design --eta 0.05 --spectrum power:1 --dim 4 "
                                       "--sigma-sgd 0.3 --rho 0.5")):
        same(r, record)
    with pytest.raises(finf.UsageError):
        finf.design(workload="prefix")
    with pytest.raises(finf.UsageError):
        finf.design(20, eta=0.1, kappa=10)


@designs
def test_design_of_the_bound(same, records):
    families = ["best", "blt:1", "blt:3", "nu", "sgd"]
    ours = finf.design(eta=0.1, kappa=20, rho=0.5, families=families)
    for r, record in zip(ours, records("design --eta 0.1 --kappa 20 --rho 0.5 --family "
                                       + ",".join(families))):
        same(r, record, {"bound"})
    assert all(x.gap >= 1 for x in ours)
    assert list(ours[2].buf_decay) == sorted(ours[2].buf_decay, reverse=True)


@designs
def test_design_s_least_is_least():
    rows = finf.design(24, eta=0.05, spectrum=S4)
    assert all(r.loss >= r.least * (1 - 1e-9) for r in rows)
    told = []
    finf.design(24, eta=0.05, spectrum=S4, families=["dense"], progress=lambda *x: told.append(x))
    assert told
    with pytest.raises(finf.ToleranceError) as e:
        finf.design(32, workload="prefix", objective="last", families=["dense", "nu"])
    assert [r.family for r in e.value.result] == ["dense", "nu"]


@pytest.mark.skipif(not has("finf_system_matrix"), reason="a libfinf without finf_system_matrix")
def test_audit_of_a_matrix():
    n = finf.Noise("nu:0.1")
    c = n.strategy(20)
    C = np.array([[c[i - j] if i >= j else 0.0 for j in range(20)] for i in range(20)])
    a, b = finf.audit(C), finf.audit(n, steps=20)
    assert a.kind == "matrix"
    np.testing.assert_allclose([a.sens2, a.prefix_error], [b.sens2, b.prefix_error], rtol=1e-11)


@blts
def test_fit_blt():
    problem = finf.Problem(0.02, spectrum=S4)
    fit = finf.fit_blt(3, problem)
    r = finf.linreg(fit.noise, 0.02, S4)
    assert abs(r.F_inf - fit.loss) <= 1e-12 * r.F_inf + fit.loss_error + r.F_inf_error
    assert abs(fit.least - r.F_best) < 1e-9 * r.F_best and fit.gap < 1.01 and fit.stable
    prefix = finf.fit_blt(2, steps=100)
    s = finf.System.toeplitz(prefix.noise, 100)
    np.testing.assert_allclose(prefix.loss, s.loss / 100, rtol=1e-9)
    with pytest.raises(finf.UsageError):
        finf.fit_blt(2)


def parameters(*dtypes):
    torch = pytest.importorskip("torch")
    return [torch.nn.Parameter(torch.zeros(4, 3, dtype=getattr(torch, x))) for x in dtypes]


@streams
@pytest.mark.parametrize("given, words", [
    (lambda torch, p: p, "params is a Parameter: a list"),
    (lambda torch, p: None, "params is a NoneType: a list"),
    (lambda torch, p: torch.nn.Linear(3, 2), "params is a Linear: a list"),
    (lambda torch, p: torch.nn.Sequential(torch.nn.Linear(3, 2)),
     r"params\[0\] is a Linear: parameters"),
    (lambda torch, p: [{"params": [p]}], r"params\[0\] is a dict"),
    (lambda torch, p: torch.nn.Linear(3, 2).named_parameters(), r"params\[0\] is a tuple"),
    (lambda torch, p: [p, np.zeros(3)], r"params\[1\] is a ndarray"),
    (lambda torch, p: [p * 2], r"params\[0\] is no leaf"),
    (lambda torch, p: [p, p], r"params\[1\] is there twice"),
    (lambda torch, p: [torch.nn.Parameter(p.detach().to(torch.complex64))], "is torch.complex64"),
    (lambda torch, p: [p.detach()], "no parameter takes")])
def test_what_torch_is_not_given(given, words):
    torch = pytest.importorskip("torch")
    with pytest.raises(finf.UsageError, match=words):
        finf.torch.CorrelatedNoise(given(torch, parameters("float32")[0]), "sgd", 1.0)


@streams
def test_torch_s_noise_is_as_wide_as_the_parameters():
    """All digits of a gradient of float64 are covered; what is narrower is rounded after."""
    torch = pytest.importorskip("torch")
    for dtypes, wide in ((("float32", "float64"), np.float64), (("float16", "float32"), np.float32),
                         (("bfloat16",), np.float32)):
        params = parameters(*dtypes)
        for p in params:
            p.grad = torch.full_like(p, 0.3)
        noise = finf.torch.CorrelatedNoise(params, BLT, 1.0, seed=1)
        z = finf.NoiseStream(BLT, 12 * len(params), 1.0, wide, seed=1).next().reshape(-1, 4, 3)
        assert noise.stream.dtype == wide
        noise.step()
        for p, part in zip(params, z):
            wider = torch.float64 if wide == np.float64 else torch.float32
            grad = torch.full((4, 3), 0.3, dtype=p.dtype).to(wider) + torch.from_numpy(part.copy())
            assert p.grad.dtype == p.dtype and torch.equal(p.grad, grad.to(p.dtype))
    with pytest.raises(finf.DomainError, match="low digits would stay"):
        finf.torch.CorrelatedNoise(parameters("float64"), BLT, 1.0, dtype=np.float32)
    with pytest.raises(finf.DomainError, match="low digits would stay"):
        init, update = correlated_noise(BLT, 1.0, dtype=np.float32)
        update(np.zeros(3), init(np.zeros(3)))
    small = correlated_noise(BLT, 1.0, seed=1)
    half, z = np.full(3, 0.3, np.float16), finf.NoiseStream(BLT, 3, 1.0, seed=1).next()
    assert (small.update(half, small.init(half))[0] == (half + z).astype(np.float16)).all()


@streams
def test_torch_refuses_before_it_draws():
    torch = pytest.importorskip("torch")
    layer = torch.nn.Embedding(4, 3, sparse=True)
    other = parameters("float32")[0]
    noise = finf.torch.CorrelatedNoise([other, layer.weight], "sgd", 1.0)
    layer(torch.tensor([1])).sum().backward()
    with pytest.raises(finf.DomainError, match="gradient of parameter 1 is sparse"):
        noise.step()
    assert other.grad is None and noise.stream.step == 0


@streams
@pytest.mark.parametrize("change, words", [
    (lambda s: {}, "stream and batch_size"), (lambda s: None, "stream and batch_size"),
    (lambda s: {"stream": s["stream"]}, "stream and batch_size"),
    (lambda s: {**s, "batch_size": float("inf")}, "batch_size = inf"),
    (lambda s: {**s, "batch_size": 0}, "batch_size = 0"),
    (lambda s: {**s, "batch_size": "a"}, "batch_size = 'a'"),
    (lambda s: {**s, "stream": 3}, "state is a int"),
    (lambda s: {**s, "stream": b"x"}, "state")])
def test_a_state_of_torch_that_is_none(change, words):
    pytest.importorskip("torch")
    noise = finf.torch.CorrelatedNoise(parameters("float32"), "sgd", 1.0, batch_size=2)
    noise.step()
    state = noise.state_dict()
    with pytest.raises(finf.FinfError, match=words):
        noise.load_state_dict(change(state))
    assert noise.state_dict() == state
    noise.load_state_dict(state)


@streams
def test_optax_keeps_the_types():
    from collections import OrderedDict, defaultdict
    tree = OrderedDict([("b", np.zeros(2)), ("a", defaultdict(list, x=np.zeros(3)))])
    init, update = correlated_noise(BLT, 1.0, seed=1)
    out, _ = update(tree, init(tree))
    assert type(out) is OrderedDict and list(out) == ["b", "a"] and not tree["b"].any()
    assert type(out["a"]) is defaultdict and out["a"].default_factory is list
    z = finf.NoiseStream(BLT, 5, 1.0, seed=1).next()
    assert (np.r_[out["a"]["x"], out["b"]] == z).all()


@streams
def test_optax_says_at_once_what_is_wrong():
    for call, words in ((lambda: correlated_noise("sgd", -1.0), "sigma = -1"),
                        (lambda: correlated_noise("sgd"), "sigma, or a privacy"),
                        (lambda: correlated_noise("sgd", 1.0, coordinates=(0, 1)), "no keyword")):
        with pytest.raises(finf.FinfError, match=words):
            call()
    with pytest.raises(finf.KeywordError, match="did you mean steps"):
        finf.torch.CorrelatedNoise(parameters("float32"), "sgd", 1.0, stepz=3)
    with pytest.raises(finf.KeywordError, match="no keyword coordinates"):
        finf.torch.CorrelatedNoise(parameters("float32"), "sgd", 1.0, coordinates=(0, 1))
    init, update = correlated_noise("sgd", 1.0)
    masked = np.ma.masked_equal(np.eye(2), 0)
    for tree, words in ((masked, "masked"), ({1: np.zeros(2), "a": np.zeros(2)}, "of one kind"),
                        (np.zeros(2, "V3"), "real numbers"), (np.zeros(2, "f8,f8"), "real numbers"),
                        (np.zeros(2, object), "real numbers")):
        with pytest.raises(finf.DomainError, match=words):
            update(tree, init(np.zeros(4)))


@designs
@pytest.mark.parametrize("steps, spectrum, gap", [
    (400, finf.Spectrum.power(2, 64), 1.040), (100, finf.Spectrum.step(10), 1.028)])
def test_scaled_with_momentum(steps, spectrum, gap):
    """What docs/theory.md 12.5 has: not everything is within a percent."""
    two = finf.design(steps, eta=0.1, spectrum=spectrum, optimizer="heavy-ball:0.9",
                      families=["dense", "scaled:2"])[1]
    assert two.gap == pytest.approx(gap, abs=1e-3)
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "theory.md"),
              encoding="utf-8") as f:
        assert f"heavy-ball:0.9, last | {'1.002' if steps == 400 else '1.005'}" in f.read()
