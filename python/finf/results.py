"""What is common to results: their fields, and how they are shown."""
from __future__ import annotations

import functools
import html
import math
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, TypeVar

import numpy as np

from ._call import keywords_of, numbers
from .errors import DomainError

if TYPE_CHECKING:
    from .noise import Noise
    from .optimizer import Optimizer

__all__ = ["Result", "Results"]

_R = TypeVar("_R", bound="Result")


# What plot() draws, by the label of its axis: the first of these that a result has.
_DRAWN = {"E[F - F*]": ("F_sgd", "F_inf", "F_best", "F_lower", "F_upper", "F_floor", "F_sim",
                        "F_paper", "bound", "lower", "minimax", "bound_sgd", "bound_nu"),
          "loss": ("loss", "loss_total", "least"),
          "squared sensitivity": ("gamma2", "gamma2_T", "sens2")}


def _shown(value: Any, error: Any = None) -> str:
    """A value in a table: a number with its error, an array by its size."""
    if isinstance(value, np.ndarray):
        return f"array of {' x '.join(str(n) for n in value.shape)}"
    if isinstance(value, float):
        text = f"{value:.10g}"
        return f"{text} +- {error:.1g}" if error else text
    return str(value)


@keywords_of
@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Result:
    """A result: every field is a word of the command line, with the same meaning.

    ``x_error`` is the error of ``x``: how far the true number may be from it. What is infinite
    has its ``reason``; what is not known, or was not asked for, is None or NaN.
    """

    #: why something is infinite or not known; "" where there is nothing to say
    reason: str = ""

    def __init_subclass__(cls) -> None:
        keywords_of(cls)

    @classmethod
    def _of(cls: "type[_R]", *parts: dict[str, Any]) -> _R:
        """The result with these fields; the first dict becomes the result's own. A frozen dataclass
        sets its fields one by one, which for fifty of them takes as long as a short call of the
        library; this sets them at once."""
        self = object.__new__(cls)
        known = parts[0]
        for part in parts[1:]:
            known.update(part)
        object.__setattr__(self, "__dict__", known)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: what was put off is made before."""
        _settle(self.__dict__)
        return self.__dict__

    def to_dict(self) -> dict[str, Any]:
        """The fields that are known, by name."""
        return {k: v for k, v in self._all() if v is not None and not (k == "reason" and v == "")}

    def _all(self) -> Iterator[tuple[str, Any]]:
        names = [f.name for f in fields(self)]
        names.sort(key=lambda n: n == "reason")  # the reason last
        return ((n, getattr(self, n)) for n in names)

    def _rows(self) -> Iterator[tuple[str, str]]:
        known = self.to_dict()
        for name, value in known.items():
            if name.endswith("_error") and name[:-6] in known:
                continue
            if isinstance(value, list):
                value = f"{len(value)} of them"
            yield name, _shown(value, known.get(f"{name}_error"))

    def __repr__(self) -> str:
        rows = ", ".join(f"{k}={v}" for k, v in self._rows())
        return f"{type(self).__name__}({rows})"

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max(len(k) for k, _ in rows)
        return "\n".join(f"{k:<{width}}  {v}" for k, v in rows)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(k)}</th>"
            f"<td style='text-align:left'>{html.escape(v)}</td></tr>" for k, v in self._rows())
        return f"<table><caption>{type(self).__name__}</caption>{cells}</table>"

    def plot(self, ax: Any = None) -> Any:
        """Draws what there is to draw, by matplotlib, and returns its axes."""
        for label, names in _DRAWN.items():
            bars = [(k, v) for k, v in self._all()
                    if isinstance(v, float) and k in names and np.isfinite(v)]
            if bars:
                break
        else:
            raise DomainError("nothing here can be drawn: no number is finite")
        ax = axes(ax)
        ax.barh([k for k, _ in bars][::-1], [v for _, v in bars][::-1])
        ax.set_xscale("log")
        ax.set_xlabel(label)
        return ax


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Setting(Result):
    """Results for a privacy target."""

    #: zCDP parameter, and its error where it comes from epsilon and delta
    rho: float
    rho_error: float = 0.0
    #: the target, where it was given so
    epsilon: float | None = None
    delta: float | None = None
    #: clip norm G
    clip: float
    #: gradient noise, sqrt of E|what_t|^2
    sigma_sgd: float
    #: standard deviation of w_t: G gamma/sqrt(2 rho); None where the noise is not one
    sigma: float | None = None
    sigma_error: float | None = None


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class WithOptimizer(Setting):
    """Results of an optimizer with a step size."""

    eta: float
    optimizer: "Optimizer"
    #: what is reported, where it is an average
    average: str | None = None
    weight_decay: float | None = None
    #: effective step: eta/(1-M) with momentum M
    eta_eff: float
    eta_eff_error: float = 0.0
    #: of the slowest direction, a step; NaN where it is not known
    contraction: float
    contraction_error: float = math.inf


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class WithNoise(WithOptimizer):
    """Results of one noise."""

    noise: "Noise"
    #: gamma_inf^2, squared sensitivity
    gamma2: float
    gamma2_error: float


class _PutOff:
    """A field that may be put off: a result that has `_put_off`, a function that makes the dict of
    such fields, gets all of them when one is first asked for. They are what was asked, and what
    follows from that alone; after a solve, when no cache has a line of Python left, to make them
    would cost as much as everything else in the call."""

    def __init__(self, name: str, default: Any) -> None:
        self._name, self._default = name, default

    def __get__(self, result: "Result | None", _cls: Any = None) -> Any:
        if result is not None:
            known = result.__dict__
            _settle(known)
            if self._name in known:
                return known[self._name]
        if self._default is MISSING:
            raise AttributeError(self._name)
        return self._default


def _settle(known: dict[str, Any]) -> None:
    make = known.get("_put_off")
    if make is not None:
        for name, value in make().items():
            known.setdefault(name, value)
        known.pop("_put_off", None)  # only now: another thread may ask too


def _may_be_put_off() -> None:
    for cls in (Setting, WithOptimizer):
        for f in fields(cls):
            if f.name in cls.__annotations__:
                setattr(cls, f.name, _PutOff(f.name, f.default))


_may_be_put_off()


def late(name: str, function: "Callable[[Any], Any]") -> Any:
    """A field that is not kept but made by function(result) when it is first asked for."""
    field = functools.cached_property(function)
    field.__set_name__(Result, name)
    return field


@keywords_of
class Results(List[_R]):
    """Several results, as a list that is shown as one table.

    ``columns`` are the fields that are shown; all of them are in each result.
    """

    def __init__(self, results: Iterable[_R], columns: str) -> None:
        super().__init__(results)
        self.columns = columns.split()

    def _cells(self) -> list[list[str]]:
        known = [r.to_dict() for r in self]
        names = [c for c in self.columns if any(c in k for k in known)]
        return [names] + [[_shown(k.get(c, "")) for c in names] for k in known]

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(f"{x:<{w}}" for x, w in zip(row, widths)).rstrip()
                         for row in rows)

    def _repr_html_(self) -> str:
        rows = self._cells()
        head = "".join(f"<th>{html.escape(x)}</th>" for x in rows[0])
        body = "".join("<tr>" + "".join(f"<td>{html.escape(x)}</td>" for x in row) + "</tr>"
                       for row in rows[1:])
        return f"<table><tr>{head}</tr>{body}</table>"

    def plot(self, ax: Any = None) -> Any:
        """A bar each: what the last of the columns has."""
        rows = self._cells()
        value = [float(getattr(r, rows[0][-1])) for r in self]
        ax = axes(ax)
        ax.barh([" ".join(row[:-1])[:60] for row in rows[1:]][::-1], value[::-1])
        ax.set_xscale("log")
        ax.set_xlabel(rows[0][-1])
        return ax


def axes(ax: Any) -> Any:
    """matplotlib's axes: those given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib)") from e
    return plt.subplots()[1]


def several(function: Callable[[float], _R], eta: Any, columns: str) -> Results[_R]:
    """A result for each of an array of step sizes."""
    at = numbers(eta, "eta")[0]
    if not len(at):
        raise DomainError("eta is empty: at least one step size is needed")
    return Results([function(x) for x in at.tolist()], columns)
