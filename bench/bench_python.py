"""What a call of the Python package costs over the same call in C.

Usage: python3 bench/bench_python.py build/bench_calls
"""
import subprocess
import sys
import time

import finf

NOISE = finf.Noise.nu(0.01)
SPECTRUM = finf.Spectrum.power(1, 128)
CALLS = {
    "noise": (lambda: finf.Noise.nu(0.01), 2000, "Noise.nu(0.01)"),
    "coef": (lambda: NOISE.coef(1000), 500, "noise.coef(1000)"),
    "mean": (lambda: finf.mean(NOISE, 0.1), 500, "mean(noise, eta)"),
    "linreg": (lambda: finf.linreg(NOISE, 0.02, SPECTRUM), 10, "linreg(noise, eta, spectrum)"),
    "iqc": (lambda: finf.iqc(NOISE, 0.1, 100, solver="newton"), 5, "iqc(noise, eta, kappa)"),
    "curve": (lambda: finf.curve(NOISE, 0.02, SPECTRUM, steps=10000), 3,
              "curve(noise, .., steps=10000)")}


def seconds(call, calls: int) -> float:
    """The least of thirty runs of so many calls."""
    best = float("inf")
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - began) / calls)
    return best


def main(program: str) -> None:
    lines = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    in_c = {name: float(x) for name, x in (line.split() for line in lines.splitlines())}
    print(f"{'call':32}{'C':>12}{'Python':>12}{'more':>12}{'ratio':>8}")
    for name, (call, calls, title) in CALLS.items():
        c, python = in_c[name], seconds(call, calls)
        print(f"{title:32}{1e6 * c:9.1f} us{1e6 * python:9.1f} us{1e6 * (python - c):9.1f} us"
              f"{python / c:8.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
