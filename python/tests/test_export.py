"""Programs of `finf design --export`: imported, tested by themselves and against finf's own numbers.

JAX is not in Debian: its program is run with NumPy in the place of jax.numpy, which is less than a
test under JAX, and said so in docs/design.md.
"""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import types

import numpy as np
import pytest

FINF = os.environ.get("FINF", "finf")
RUN = "design --steps 40 --eta 0.1 --spectrum power:1 --dim 16 --rho 0.5".split()
ONCE = "scaled:2 once"  # one participation; the others are of four epochs
FAMILIES = ["dense", "toeplitz", "banded:5", "blt:2", "scaled:2", ONCE, "nu", "sgd", "antipgd:0.3",
            "strategy:2", "blt:0.9,0.5;0.2,0.1"]


class _At:
    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        def put(value):
            copy = self.array.copy()
            copy[index] = value
            return copy.view(_Array)
        return types.SimpleNamespace(set=put)


class _Array(np.ndarray):
    """An array with JAX's x.at[i].set(y)."""

    @property
    def at(self):
        return _At(self)


class _Tree:
    """The one tree of the tests: an array."""

    @staticmethod
    def flatten_up_to(x):
        return [x]

    @staticmethod
    def unflatten(x):
        return x[0]


def _fake_jax() -> dict[str, types.ModuleType]:
    jax, jnp = types.ModuleType("jax"), types.ModuleType("jax.numpy")
    jnp.__dict__.update({name: getattr(np, name) for name in dir(np) if name[0] != "_"})
    for name in "array", "zeros", "tensordot":
        function = getattr(np, name)
        setattr(jnp, name, lambda *a, f=function: f(*a).view(_Array))
    jax.numpy = jnp
    jax.tree_util = types.SimpleNamespace(tree_map=lambda f, *x: f(*x),
                                          tree_flatten=lambda x: ([x], _Tree))
    return {"jax": jax, "jax.numpy": jnp}


def _run(family: str) -> list[str]:
    name, _, once = family.partition(" ")
    return [FINF, *RUN, "--epochs", "1" if once else "4", "--family", name]


def _passed(family: str) -> str:
    """What a program's test says; that of scaled:k compares every step."""
    return f"self-test passed: {80 if family.startswith('scaled') else 16} values"


def _save(tmp_path, language: str, family: str, *more: str) -> str:
    path = str(tmp_path / f"noise_{language}.py")
    subprocess.run([*_run(family), "--export", language, "--output", path, *more], check=True)
    return path


def _load(path: str):
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _noise_of(tmp_path, family: str) -> tuple[np.ndarray, np.ndarray]:
    """w, and z of the same key, as finf draws them: 40 steps of 3."""
    saved = str(tmp_path / "designed")
    subprocess.run([*_run(family), "--save", saved], check=True, capture_output=True)
    stream = [FINF, "noise", "--steps", "40", "--dim", "3", "--seed", "5"]
    w, z = (subprocess.run(stream + x, check=True, capture_output=True).stdout
            for x in (["--noise", "sgd", "--sigma", "1"], ["--design", saved]))
    return np.frombuffer(w).reshape(40, 3), np.frombuffer(z).reshape(40, 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_numpy(tmp_path, family):
    path = _save(tmp_path, "numpy", family)
    out = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    assert out.startswith(_passed(family))
    module = _load(path)
    w, z = _noise_of(tmp_path, family)
    draws = iter(w)
    noise = module.Noise(3, normals=lambda shape: next(draws))
    first = [noise.step() for _ in range(23)]
    again = module.Noise(3, normals=noise.normals)
    again.restore(noise.state())
    ours = np.array(first + [again.step() for _ in range(17)])
    np.testing.assert_allclose(ours, z, rtol=0, atol=1e-13 * np.abs(z).max())
    with pytest.raises(RuntimeError, match="40 steps"):
        again.apply(w[0])
    mean = _load(_save(tmp_path, "numpy", family, "--batch", "8"))
    assert mean.BATCH == 8 and mean.SIGMA == module.SIGMA


def test_secure_normals(tmp_path):
    """Mean, variance and correlation of a million, each to 6 standard errors."""
    x = _load(_save(tmp_path, "numpy", "sgd")).secure_normals((1000, 1001)).ravel()
    n = x.size
    assert abs(x.mean()) < 6 / n**0.5
    assert abs(x.var() - 1) < 6 * (2 / n)**0.5
    assert abs((x**4).mean() - 3) < 6 * (96 / n)**0.5
    assert abs((x[1:] * x[:-1]).mean()) < 6 / n**0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_torch(tmp_path, family):
    torch = pytest.importorskip("torch")
    path = _save(tmp_path, "torch", family)
    out = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    assert out.startswith(_passed(family))
    module = _load(path)
    w, z = _noise_of(tmp_path, family)
    a = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    b = torch.zeros(1, 1, dtype=torch.float64, requires_grad=True)
    draws = iter(torch.tensor(part) for row in w for part in (row[:2], row[2:].reshape(1, 1)))
    noise = module.Noise([a, b], normals=lambda shape: next(draws))
    ours = []
    for t in range(40):
        a.grad, b.grad = torch.ones(2, dtype=torch.float64), None
        noise.add_to_gradients()
        ours.append([*(a.grad - 1).tolist(), b.grad.item()])
        if t == 20:
            state = noise.state_dict()
            noise = module.Noise([a, b], normals=noise.normals)
            noise.load_state_dict(state)
    np.testing.assert_allclose(ours, z, rtol=0, atol=1e-13 * np.abs(z).max())
    with pytest.raises(RuntimeError, match="40 steps"):
        noise.apply([a.detach(), b.detach()])
    x = module.secure_normals((300, 301)).ravel()
    assert abs(x.mean()) < 6 / x.numel()**0.5
    assert abs(x.var() - 1) < 6 * (2 / x.numel())**0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_jax(tmp_path, monkeypatch, family):
    path = _save(tmp_path, "jax", family)
    for name, module in _fake_jax().items():
        monkeypatch.setitem(sys.modules, name, module)
    module = _load(path)
    assert module.self_test()
    w, z = _noise_of(tmp_path, family)
    state, ours = module.init(np.zeros(3).view(_Array)), []
    for row in w:
        x, state = module.step(state, row)
        ours.append(x)
    np.testing.assert_allclose(ours, z, rtol=0, atol=1e-13 * np.abs(z).max())
    if family == "dense" or family.startswith("scaled"):
        return  # NumPy refuses an index outside the array, which JAX would clamp
    assert np.isnan(module.step(state, w[0])[0]).all()


def test_floats(tmp_path):
    """scaled:k in float32: scales of 1e54 (400 steps, 4 epochs) are not what the state is kept in."""
    path = str(tmp_path / "noise.py")
    run = "design --steps 400 --epochs 4 --eta 0.05 --spectrum power:1 --dim 16 --rho 0.5".split()
    subprocess.run([FINF, *run, "--family", "scaled:2", "--export", "numpy", "--output", path],
                   check=True)
    module = _load(path)
    assert module.self_test() and module.MEMORY == 2
    w = np.random.default_rng(1).standard_normal((400, 5))
    double, single = module.Noise(5), module.Noise(5, dtype=np.float32)
    z = np.array([double.apply(x) for x in w])
    floats = [single.apply(x) for x in w]
    assert {x.dtype for x in floats} == {np.dtype(np.float32)}
    np.testing.assert_allclose(np.array(floats), z, rtol=0, atol=1e-5 * np.abs(z).max())


def test_half_precision(tmp_path):
    """Parameters of 16 bits: the state has 32, as a decay of 0.9986 would be 1 in bfloat16, and the
    noise another one, with another sensitivity."""
    torch = pytest.importorskip("torch")
    path = str(tmp_path / "noise.py")
    run = "design --steps 2000 --workload prefix --family blt:4 --rho 0.5 --export".split()
    subprocess.run([FINF, *run, "torch", "--output", path], check=True)
    module = _load(path)
    assert module.DECAY.to(torch.bfloat16).max() == 1 > module.DECAY.max()
    w = torch.randn((50, 5), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    z = {}
    for dtype in torch.bfloat16, torch.float16, torch.float32, torch.float64:
        p = torch.zeros(5, dtype=dtype, requires_grad=True)
        draws = iter(w)
        noise = module.Noise([p], normals=lambda shape, d=draws: next(d))
        z[dtype] = torch.stack([noise.step()[0] for _ in range(50)])
        noise = module.Noise([p])
        for _ in range(2):  # into no gradient, and into one
            noise.add_to_gradients()
            assert p.grad.dtype == dtype
    for dtype in torch.bfloat16, torch.float16:
        assert torch.equal(z[dtype], z[torch.float32])
    off = (z[torch.float32] - z[torch.float64]).abs().max()
    assert off < 4e-7 * z[torch.float64].abs().max()
    subprocess.run([FINF, *run, "numpy", "--output", path], check=True)
    assert _load(path).Noise(5, dtype=np.float16).past.dtype == np.float32
