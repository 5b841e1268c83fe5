#!/usr/bin/python3
"""Writes best_noise.inc beside this file: the noise with the least F_inf of linear regression (python3 with mpmath, seconds).

|B|^2 = Hx^(-1/2), where Hx = sum_i s_i/|1-p_i e^(iw)|^2 is rational in X = 2 cos w: its numerator's roots, in X, give those
of the minimum-phase factor, and B = prod (1 - p_i z)^(1/2)/prod (1 - z_j z)^(1/2) as a power series. The library takes
no roots: it samples log Hx. Every number is for the exact doubles of its row, with 50 digits, printed with 20."""
import os
from mpmath import mp, mpf, polyroots, sqrt, nstr

mp.dps = 50

# eta, excess kurtosis, eigenvalues
CASES = [
    (0.1, 0.0, [1.0, 0.5, 0.25, 0.125]),
    (0.02, 0.0, [1.0, 0.3, 0.1, 0.03, 0.01]),
    (0.3, 1.0, [1.0, 0.7, 0.05]),
    (0.45, -2.0, [2.0, 1.0, 0.5]),
    (0.001, 0.0, [3.0, 1.0, 0.1]),
]
PRINTED = (1, 2, 3, 10, 100)


def times(a, b):
    out = [mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def numerator_roots(p, s):
    """z_j inside the circle, of sum_i s_i prod_{k != i} (1 + p_k^2 - p_k X)."""
    total = [mpf(0)] * len(p)
    for i in range(len(p)):
        term = [s[i]]
        for k in range(len(p)):
            if k != i:
                term = times(term, [1 + p[k]**2, -p[k]])
        total = [x + y for x, y in zip(total, term)]
    out = []
    for X in polyroots(total[::-1], maxsteps=500, extraprec=400):
        r = sqrt(X * X - 4)
        z = (X - r) / 2
        out.append(z if abs(z) < 1 else (X + r) / 2)
    return out


def series(p, z, sign, n):
    """t x_t = sum_k x_{t-k} (sum_j z_j^k - sum_i p_i^k)/2, for B; the opposite sign for 1/B."""
    out, up, down = [mpf(1)], [mpf(0)] * len(z), [mpf(0)] * len(p)
    for t in range(1, n):
        up = [q * (s + out[-1]) for q, s in zip(z, up)]
        down = [q * (s + out[-1]) for q, s in zip(p, down)]
        out.append(sign * (sum(up) - sum(down)).real / (2 * t))
    return out


def main():
    rows = []
    for eta, kurtosis, eigenvalues in CASES:
        b = [mpf(eta) * mpf(x) for x in eigenvalues]
        s = [x * (2 - x) / (2 - (2 + mpf(kurtosis)) * x) for x in b]
        p = [1 - x for x in b]
        z = numerator_roots(p, s)
        beta = series(p, z, 1, max(PRINTED) + 1)
        slowest = max(abs(x) for x in p + z)
        n = int(60 / (1 - slowest)) + 200
        gamma2 = sum(x * x for x in series(p, z, -1, n))
        numbers = nstr(gamma2, 20) + ', {' + ', '.join(nstr(beta[t], 20) for t in PRINTED) + '}'
        name = 'list:' + ','.join(repr(x) for x in eigenvalues)
        rows.append('{"%s", %r, %r, %s},' % (name, eta, kurtosis, numbers))
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, 'best_noise.inc'), 'w') as f:
        f.write('/* made by tests/tables/best_noise.py: roots of the numerator of Hx */\n')
        f.write('\n'.join(rows) + '\n')


main()
