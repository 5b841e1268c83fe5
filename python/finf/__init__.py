"""finf: how well private learning with correlated noise can do.

theta_{t+1} = theta_t - eta (g_t + z_t), z_t = sum_s beta_s w_{t-s}: which noise beta gives the
least F_inf = lim E[F(theta_t) - F*] at a given privacy? Every number comes from libfinf, with its
error; the words are those of the command line `finf`.

>>> import finf
>>> s = finf.Spectrum.power(1, 128)
>>> r = finf.linreg("nu:best", eta=0.02, spectrum=s, epsilon=1, delta=1e-5)
>>> r.F_best < r.F_inf < 1.02 * r.F_best
True

Noise, Spectrum, Optimizer, Problem and System are what it is about; gamma, mean, linreg, iqc,
optimize, tune, curve, simulate, privacy, audit and design answer, as the commands do; finf.stream
draws the noise, finf.torch and finf.optax put it into training.
"""
from importlib import import_module as _import_module
from typing import Any as _Any

from . import errors
from ._abi import VERSION as __version__
from ._call import keywords as _keywords
from ._call import string as _string
from ._library import lib as _lib
from .auditing import *
from .auditing import __all__ as _auditing
from .best import *
from .best import __all__ as _best
from .convex import *
from .convex import __all__ as _convex
from .designing import *
from .designing import __all__ as _designing
from .errors import *
from .errors import OutOfMemoryError as MemoryError  # noqa: A001
from .errors import __all__ as _errors
from .noise import Noise
from .optimizer import Optimizer
from .accounting import *
from .accounting import __all__ as _privacy
from .problem import Problem
from .quadratic import *
from .quadratic import __all__ as _quadratic
from .results import Result, Results
from .simulation import *
from .simulation import __all__ as _simulation
from .spectrum import Spectrum
from .stream import NoiseStream
from .systems import *
from .systems import __all__ as _systems

__all__ = ["Noise", "Spectrum", "Optimizer", "Problem", "NoiseStream", "Result", "Results",
           "parts", "__version__", *_auditing, *_best, *_convex, *_designing, *_errors, *_privacy,
           *_quadratic, *_simulation, *_systems]


def __getattr__(name: str) -> _Any:
    """finf.torch and finf.optax are imported when first asked for."""
    if name in ("torch", "optax"):
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@_keywords()
def parts() -> dict[str, tuple[str | None, str]]:
    """What the library is made of: version, or None where it was not found, and where it is.

    >>> "GSL" in parts()
    True
    """
    found, i = {}, 0
    while (part := _lib.finf_part_get(i)).name:
        found[_string(part.name)] = (_string(part.version) or None, _string(part.where))
        i += 1
    return found
