"""Optimizers: any linear first-order method, with averaging and weight decay."""
from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from ._call import Array, Unchanging, call, encoded, keywords_of, made, number, numbers, room
from ._call import shown, string, whole
from ._library import ffi, lib
from .errors import DomainError, ParseError

__all__ = ["Optimizer"]


@keywords_of
class Optimizer(Unchanging):
    """How gradients become steps. Conventions are PyTorch's, dampening 0.

    ``average`` is what is reported: None, "ema:A" or "last:K"; ``weight_decay`` V minimises
    F + (V/2)|theta|^2 instead of F. A text is the command line's --optimizer.

    >>> Optimizer.nesterov(0.9)
    Optimizer('nesterov:0.9')
    >>> Optimizer("heavy-ball:0.5", average="ema:0.9", weight_decay=0.1)
    Optimizer('heavy-ball:0.5', average='ema:0.9', weight_decay=0.1)
    """

    def __init__(self, text: str = "sgd", *, average: str | None = None,
                 weight_decay: float = 0.0) -> None:
        mean = ffi.NULL if average is None else ffi.new("char[]", encoded(average, "average"))
        self._c = made("finf_optimizer", lib.finf_optimizer_free, lib.finf_optimizer_parse,
                       encoded(text, "optimizer"), mean, number(weight_decay, "weight_decay"))

    @classmethod
    def _of(cls, c: Any) -> "Optimizer":
        self = object.__new__(cls)
        self._c = c
        return self

    @classmethod
    def sgd(cls, *, average: str | None = None, weight_decay: float = 0.0) -> "Optimizer":
        """theta -= eta g.

        >>> Optimizer.sgd().step
        1.0
        """
        return cls("sgd", average=average, weight_decay=weight_decay)

    @classmethod
    def heavy_ball(cls, momentum: float, *, average: str | None = None,
                   weight_decay: float = 0.0) -> "Optimizer":
        """buf = M buf + g; theta -= eta buf; 0 <= M < 1.

        >>> Optimizer.heavy_ball(0.75).step
        4.0
        """
        m = number(momentum, "momentum")
        return cls(f"heavy-ball:{m!r}", average=average, weight_decay=weight_decay)

    @classmethod
    def nesterov(cls, momentum: float, *, average: str | None = None,
                 weight_decay: float = 0.0) -> "Optimizer":
        """buf = M buf + g; theta -= eta (g + M buf); 0 <= M < 1.

        >>> Optimizer.nesterov(0.75).step
        4.0
        """
        m = number(momentum, "momentum")
        return cls(f"nesterov:{m!r}", average=average, weight_decay=weight_decay)

    @classmethod
    def filter(cls, b: ArrayLike, a: ArrayLike, *, average: str | None = None,
               weight_decay: float = 0.0) -> "Optimizer":
        """Theta = -eta P(z) (gradients + noise), P = sum_k b_k z^-k / sum_k a_k z^-k with b_0 = 0
        and a(1) = 0.

        >>> Optimizer.filter([0, 1], [1, -1.5, 0.5])
        Optimizer('filter:0,1;1,-1.5,0.5')
        """
        lists = [",".join(repr(float(x)) for x in numbers(y, name)[0])
                 for y, name in ((b, "b"), (a, "a"))]
        return cls("filter:" + ";".join(lists), average=average, weight_decay=weight_decay)

    # ---- what it is -------------------------------------------------------------------------

    def _spelled(self, function: Any) -> str:
        size = 256
        while size <= 2**20:
            text = ffi.new("char[]", size)
            if function(self._c, text, size) == lib.FINF_OK:
                return string(text)
            size *= 8
        raise DomainError("the optimizer has no spelling")

    @property
    def spelling(self) -> str:
        """The update rule as the command line spells it."""
        return self._spelled(lib.finf_optimizer_spell)

    @property
    def average(self) -> str | None:
        """What is reported: None, "ema:A" or "last:K"."""
        text = self._spelled(lib.finf_optimizer_spell_average)
        return None if text == "none" else text

    @property
    def weight_decay(self) -> float:
        """V of F + (V/2)|theta|^2."""
        return lib.finf_optimizer_weight_decay(self._c)

    @property
    def step(self) -> float:
        """The effective step for eta = 1: 1/(1-M) with momentum M."""
        return lib.finf_optimizer_step(self._c)

    def __str__(self) -> str:
        return self.spelling

    def __repr__(self) -> str:
        more = f", average={self.average!r}" if self.average else ""
        more += f", weight_decay={self.weight_decay!r}" if self.weight_decay else ""
        return f"Optimizer({self.spelling!r}{more})"

    def __eq__(self, other: object) -> bool:
        """The same rule, average and weight decay.

        >>> Optimizer("nesterov:0.9") == Optimizer.nesterov(0.9)
        True
        """
        return repr(self) == repr(other) if isinstance(other, Optimizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> Any:
        return (_again, (self.spelling, self.average, self.weight_decay))

    # ---- what it does -----------------------------------------------------------------------

    def stable(self, eta: float, h: float) -> bool:
        """Whether it converges on a quadratic of curvature h.

        >>> Optimizer.heavy_ball(0.9).stable(3.7, 1), Optimizer.sgd().stable(3.7, 1)
        (True, False)
        """
        return bool(lib.finf_optimizer_stable(self._c, number(eta, "eta"), number(h, "h")))

    def eta_max(self, h_min: float, h_max: float) -> float:
        """The step below which it converges for every curvature in between; 0: none.

        >>> round(Optimizer.sgd().eta_max(0.01, 1), 12)
        2.0
        """
        low, high = number(h_min, "h_min"), number(h_max, "h_max")
        most = lib.finf_optimizer_eta_max(self._c, low, high)
        if math.isnan(most):
            raise DomainError(f"h_min = {low:g}, h_max = {high:g}: 0 < h_min <= h_max, finite, are "
                              "expected")
        return most

    def contraction(self, eta: float, h_lo: float, h_hi: float) -> float:
        """The factor by which the slowest direction's error falls a step, in the end.

        >>> round(Optimizer.sgd().contraction(0.1, 0.1, 1), 12)
        0.99
        """
        out = ffi.new("finf_real *")
        call(lib.finf_optimizer_contraction, self._c, number(eta, "eta"), number(h_lo, "h_lo"),
             number(h_hi, "h_hi"), out)
        return out.value

    def response(self, eta: float, h: float, n: int) -> tuple[Array, Array]:
        """What a unit of noise in the gradient of step 0 moves -theta_t, t < n, by, and the
        averaged point.

        >>> Optimizer.sgd().response(0.5, 1, 4)[0]
        array([0.   , 0.5  , 0.25 , 0.125])
        """
        theta, p = room(whole(n, "n"))
        mean, q = room(len(theta))
        status = lib.finf_optimizer_response(self._c, number(eta, "eta"), number(h, "h"),
                                             len(theta), p, q)
        if status:
            raise DomainError(f"eta = {eta}, h = {h}: eta must be positive, eta (h + V) >= 0")
        return theta, mean


def _again(text: str, average: str | None, weight_decay: float) -> Optimizer:
    return Optimizer(text, average=average, weight_decay=weight_decay)


def optimizer_of(o: "Optimizer | str | None") -> "Optimizer | None":
    """An optimizer, also by its spelling; None is plain SGD, for which the library has NULL."""
    if isinstance(o, str):
        o = Optimizer(o)
    if o is not None and not isinstance(o, Optimizer):
        raise ParseError(f"optimizer = {shown(o)}: an Optimizer, or its spelling, is expected")
    if o is not None and o.spelling == "sgd" and o.average is None and o.weight_decay == 0:
        return None
    return o


def pointer(o: Optimizer | None) -> Any:
    """For the library: NULL is plain SGD."""
    return ffi.NULL if o is None else o._c


