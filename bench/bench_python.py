"""What a call of the Python package costs over the same call in C, in seconds of the processor, both
in this process and in turn; and streams of noise beside NumPy's normals, which have no key and are
not private.

Usage: python3 bench/bench_python.py build/bench_calls.so
"""
import ctypes
import sys
import time

import numpy as np

import finf

NOISE = finf.Noise.nu(0.01)
SPECTRUM = finf.Spectrum.power(1, 128)
SYSTEM = finf.System.toeplitz(NOISE, 100)
CALLS = {
    "noise": (lambda: finf.Noise.nu(0.01), 500, "Noise.nu(0.01)"),
    "coef": (lambda: NOISE.coef(1000), 100, "noise.coef(1000)"),
    "mean": (lambda: finf.mean(NOISE, 0.1), 100, "mean(noise, eta)"),
    "linreg": (lambda: finf.linreg(NOISE, 0.02, SPECTRUM), 10, "linreg(noise, eta, spectrum)"),
    "iqc": (lambda: finf.iqc(NOISE, 0.1, 100, solver="newton"), 10, "iqc(noise, eta, kappa)"),
    "curve": (lambda: finf.curve(NOISE, 0.02, SPECTRUM, steps=10000), 5,
              "curve(noise, .., steps=10000)"),
    "audit": (lambda: finf.audit(NOISE, steps=100), 10, "audit(noise, steps=100)"),
    "participation": (lambda: SYSTEM.participation(3, 30), 10, "system.participation(3, 30)")}


def seconds(call, calls: int) -> float:
    """Of a call, so many times."""
    began = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - began) / calls


def in_c(library: str):
    """The same calls in C: seconds(name, calls)."""
    function = ctypes.CDLL(library).bench_seconds
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_char_p, ctypes.c_int]
    return lambda name, calls: function(name.encode(), calls)


BLT = "blt:0.9999,0.998,0.96,0.66;0.0126,0.0464,0.149,0.279"
D, STEPS = 10000, 1000


def stream_seconds(noise: str) -> float:
    """Of a run of D coordinates, float64, its making included."""
    room = np.empty(D)
    began = time.process_time()
    stream = finf.NoiseStream(noise, D, sigma=1, steps=STEPS)
    for _ in range(STEPS):
        stream.next(room)
    return time.process_time() - began


def numpy_seconds() -> float:
    room, generator = np.empty(D), np.random.default_rng(1)
    began = time.process_time()
    for _ in range(STEPS):
        generator.standard_normal(out=room)
    return time.process_time() - began


def streams() -> None:
    """All in turn, the least of each."""
    best = dict.fromkeys(["NumPy", "sgd", BLT, "nu:0.001"], float("inf"))
    for _ in range(7):
        for name in best:
            best[name] = min(best[name],
                             numpy_seconds() if name == "NumPy" else stream_seconds(name))
    print(f"\n{f'stream, d = {D}, {STEPS} steps':32}{'a number':>12}{'to NumPy':>12}{'to sgd':>12}")
    for name, x in best.items():
        title = {"NumPy": "NumPy's standard_normal", BLT: "blt, 4 buffers"}.get(name, name)
        print(f"{title:32}{1e9 * x / D / STEPS:9.2f} ns{x / best['NumPy']:12.2f}"
              f"{x / best['sgd']:12.2f}")


def main(library: str) -> None:
    """Both in turn, so that a machine's other work falls on both, some calls each: the first of them
    finds the caches full of the other's numbers. The least of each, and how far their medians are
    apart."""
    measure = in_c(library)
    print(f"{'call':32}{'C':>12}{'Python':>12}{'more':>12}{'ratio':>8}{'of medians':>14}")
    for name, (call, calls, title) in CALLS.items():
        pairs = np.array([(measure(name, calls), seconds(call, calls)) for _ in range(500)])
        (x, y), (a, b) = pairs.min(axis=0), np.median(pairs, axis=0)
        print(f"{title:32}{1e6 * x:9.1f} us{1e6 * y:9.1f} us{1e6 * (y - x):9.1f} us{y / x:8.2f}"
              f"{1e6 * (b - a):11.1f} us")


if __name__ == "__main__":
    main(sys.argv[1])
    streams()
