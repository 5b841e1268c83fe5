"""Correlated noise as a pair (init, update), as optax has it, on trees of NumPy arrays."""
from __future__ import annotations

import copy
import threading
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from ._call import keywords, shown, whole
from .errors import DomainError, KeywordError
from .stream import NoiseStream, _process, refuse_twice

__all__ = ["correlated_noise", "GradientTransformation", "NoiseState"]


class NoiseState(NamedTuple):
    """The next step, and the stream's bytes: a secret."""

    step: int
    stream: bytes

    def __repr__(self) -> str:
        return f"NoiseState(step={self.step}, stream=<{len(self.stream)} secret bytes>)"


class _Run(bytes):
    """A stream's state that knows in which process it was made."""

    def __new__(cls, state: bytes) -> "_Run":
        self = super().__new__(cls, state)
        self.process = _process[0]
        return self

    process: bytes


class GradientTransformation(NamedTuple):
    """init(params) -> state; update(updates, state, params=None) -> (updates, state)."""

    init: Callable[[Any], NoiseState]
    update: Callable[..., tuple[Any, NoiseState]]


def _sorted(tree: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(tree)
    except TypeError:
        raise DomainError(f"keys {shown(list(tree))}: of one kind are expected, which can be "
                          "sorted") from None


def _leaves(tree: Any) -> Iterator[Any]:
    """The arrays of nested dicts (by sorted key), lists and tuples."""
    if isinstance(tree, dict):
        for key in _sorted(tree):
            yield from _leaves(tree[key])
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _leaves(part)
    elif tree is not None:
        try:
            if np.ma.is_masked(tree):
                raise TypeError("some are masked: all must be there")
            leaf = np.asarray(tree)
        except (TypeError, ValueError, RuntimeError) as e:  # the last: of torch
            raise DomainError(f"a leaf: {' '.join(str(e).split())}") from None
        if leaf.dtype.kind not in "biuf" and not _is_float(leaf):
            raise DomainError(f"a leaf of type {leaf.dtype}: arrays of real numbers are expected")
        yield leaf


def _is_float(leaf: Any) -> bool:
    return "float" in leaf.dtype.name  # also bfloat16, of jax


def _added(tree: Any, z: Iterator[Any]) -> Any:
    """The tree with the next of z added to each leaf."""
    if isinstance(tree, dict):
        out = copy.copy(tree)  # of its own type, in its own order
        for key in _sorted(tree):
            out[key] = _added(tree[key], z)
        return out
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_added(part, z) for part in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(_added(part, z) for part in tree)
    if tree is None:
        return None
    a = np.asarray(tree)
    return (a + next(z).reshape(a.shape)).astype(a.dtype, copy=False)


@keywords(NoiseStream, but=("shape", "coordinates"))
def correlated_noise(noise: Any, sigma: float | None = None, *, batch_size: int = 1,
                     **stream: Any) -> GradientTransformation:
    """updates + z_t, z_t = sum_s beta_s w_{t-s}; `noise` (also a design) and keywords are those of
    `NoiseStream`.

    Nothing is changed in place: an old state gives the same noise again. In a child that was forked
    update() takes only states of runs that init() began there, as the noise of others would be the
    parent's; who goes on where the parent ended makes a new pair there, which takes the state.

    >>> params = {"w": np.zeros((2, 3)), "b": np.zeros(3)}
    >>> init, update = correlated_noise("blt:0.9;0.2", sigma=0.5, seed=1)
    >>> state = init(params)
    >>> noisy, state = update(params, state)
    >>> noisy["w"].shape, state.step
    ((2, 3), 1)
    """
    whole(batch_size, "batch_size")
    if "coordinates" in stream:  # all of them get noise
        raise KeywordError("coordinates")  # which `keywords` says
    wide = NoiseStream(noise, 1, sigma, **stream).dtype  # and whatever is wrong is said here
    here = threading.local()  # a stream is restored and then drawn from: no other thread between
    made = _process[0]

    def at(size: int, new: bool = False) -> NoiseStream:
        opened: dict[int, NoiseStream] = here.__dict__.setdefault("opened", {})
        if new or size not in opened:  # a new run: its key is new too, unless it was given
            opened[size] = NoiseStream(noise, size, sigma, **stream)
        return opened[size]

    @keywords()
    def init(params: Any) -> NoiseState:
        size = sum(leaf.size for leaf in _leaves(params))
        return NoiseState(0, _Run(at(size, True).state()))

    @keywords()
    def update(updates: Any, state: NoiseState, params: Any = None) -> tuple[Any, NoiseState]:
        if not isinstance(state, NoiseState):
            raise DomainError(f"state is a {type(state).__name__}: a NoiseState is expected, which "
                              "init and update return")
        if stream.get("seed") is None and made != _process[0]:
            refuse_twice(getattr(state.stream, "process", made), "init() begins a run here")
        leaves = list(_leaves(updates))
        for leaf in leaves:
            if not _is_float(leaf):
                raise DomainError(f"updates of type {leaf.dtype}: integers cannot hold the "
                                  "noise, floating-point numbers are expected")
            if leaf.dtype.itemsize > wide.itemsize:
                raise DomainError(f"updates of type {leaf.dtype}, noise of {wide}: their low "
                                  "digits would stay as they were")
        sizes = [leaf.size for leaf in leaves]
        one = at(sum(sizes))
        one.restore(state.stream)
        z = one.next() / batch_size
        ends = np.cumsum(sizes)[:-1]
        return (_added(updates, iter(np.split(z, ends))),
                NoiseState(state.step + 1, _Run(one.state())))

    return GradientTransformation(init, update)
