"""What a call of the Python package costs over the same call in C, in seconds of the processor.

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
    """The least of six runs of so many calls."""
    best = float("inf")
    for _ in range(6):
        began = time.process_time()
        for _ in range(calls):
            call()
        best = min(best, (time.process_time() - began) / calls)
    return best


def in_c(program: str) -> dict[str, float]:
    """The same calls in C."""
    lines = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(x) for name, x in (line.split() for line in lines.splitlines())}


def main(program: str) -> None:
    """Both in turn, so that a machine's other work falls on both; the least of each counts."""
    c = dict.fromkeys(CALLS, float("inf"))
    python = dict.fromkeys(CALLS, float("inf"))
    for _ in range(8):
        for name, x in in_c(program).items():
            c[name] = min(c[name], x)
        for name, (call, calls, _) in CALLS.items():
            python[name] = min(python[name], seconds(call, calls))
    print(f"{'call':32}{'C':>12}{'Python':>12}{'more':>12}{'ratio':>8}")
    for name, (_, _, title) in CALLS.items():
        x, y = c[name], python[name]
        print(f"{title:32}{1e6 * x:9.1f} us{1e6 * y:9.1f} us{1e6 * (y - x):9.1f} us{y / x:8.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
