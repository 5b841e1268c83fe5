#!/usr/bin/python3
"""Writes random_optimizer.inc beside this file: F_inf of linear regression for settings drawn at random: optimizers (critical
damping and momentum 1e-6 from 1 among them), noise families, averages, decay, kurtosis, gradient noise (python3 with numpy).

Every number is for the exact binary doubles of its row, and is good to 1e-15. The method is not the library's: one rule
for all means, Gauss-Legendre in w on panels halved towards each pole, zero and corner, in 80-bit numbers; polynomials
in powers of 1 - e^{-iw}, whose coefficients are exact."""
import os
import random
from fractions import Fraction
from math import comb
import numpy as np

REAL, COMPLEX = np.longdouble, np.clongdouble
PI = REAL('3.14159265358979323846264338327950288')
COUNT = 48


def legendre(n, x):
    before, now = np.ones_like(x), x
    for k in range(2, n + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / REAL(k)
    return now, n * (x * now - before) / (x * x - 1)


def rule(n=20):
    x = np.polynomial.legendre.leggauss(n)[0].astype(REAL)
    for _ in range(3):
        p, slope = legendre(n, x)
        x = x - p / slope
    slope = legendre(n, x)[1]
    return x, 2 / ((1 - x * x) * slope * slope)


X, WEIGHT = rule()


def nodes(features):
    """On (0, pi): panels no longer than 0.7 of their distance to any (w, distance)."""
    stack, panels = [(REAL(0), PI)], []
    while stack:
        a, b = stack.pop()
        far = [np.hypot(max(float(a) - w, 0, w - float(b)), d) for w, d in features]
        if float(b - a) > 0.7 * min(far):
            stack += [((a + b) / 2, b), (a, (a + b) / 2)]
        else:
            panels.append((a, b))
    half = np.array([(b - a) / 2 for a, b in panels], dtype=REAL)
    start = np.array([a for a, _ in panels], dtype=REAL)
    return ((start[:, None] + half[:, None] * (1 + X)).ravel(), (half[:, None] * WEIGHT).ravel() / PI)


def in_powers_of_y(c):
    out = []
    for j in range(len(c)):
        exact = sum(c[k] * comb(k, j) * (-1) ** j for k in range(j, len(c)))
        out.append(REAL(float(exact)) + REAL(float(exact - Fraction(float(exact)))))
    return out


def horner(c, x):
    out = np.zeros_like(x)
    for value in c[::-1]:
        out = out * x + value
    return out


def numbers(text):
    return [Fraction(float(t)) for t in text.split(',')]


def optimizer(text):
    """b and a/(1 - x)."""
    kind, _, given = text.partition(':')
    if kind == 'sgd':
        return numbers('0,1'), numbers('1')
    if kind == 'filter':
        b, a = (numbers(t) for t in given.split(';'))
        return b, [sum(a[:k + 1]) for k in range(len(a) - 1)]
    m = Fraction(float(given))
    return [0, 1, 0] if kind == 'heavy-ball' else [0, 1 + m, -m], [Fraction(1), -m]


def density(text, y):
    """|B|^2, and where it is not smooth."""
    kind, _, given = text.partition(':')

    def gap(nu):
        return np.abs(REAL(float(nu)) + (1 - REAL(float(nu))) * y) ** 2

    lists = [[float(t) for t in part.split(',')] for part in given.split(';') if part]
    scales = [1.0]
    if kind == 'sgd':
        B2 = np.ones(len(y), REAL)
    elif kind == 'beta':
        B2 = np.abs(horner([REAL(t) for t in lists[0]], 1 - y)) ** 2
        roots = np.roots(lists[0])
        return B2, [(abs(np.angle(z)), abs(np.log(abs(z)))) for z in roots]
    elif kind == 'blt':
        C = np.ones(len(y), COMPLEX)
        for theta, w in zip(*lists):
            C = C + REAL(w) * (1 - y) / ((1 - REAL(theta)) + REAL(theta) * y)
        B2, scales = 1 / np.abs(C) ** 2, [1 - theta for theta in lists[0]]
    else:
        pairs = {'nu': lambda v: [(v[0][0], 0.5)], 'antipgd': lambda v: [(v[0][0], 1.0)],
                 'power': lambda v: [(v[0][1], v[0][0])], 'product': lambda v: list(zip(*v))}[kind](lists)
        B2, scales = np.ones(len(y), REAL), [min(nu, 2 - nu) for nu, _ in pairs]
        for nu, r in pairs:
            B2 = B2 * gap(nu) ** REAL(r)
    return B2, [(w, s) for s in scales for w in (0.0, float(PI))]


def poles(b, rest, q):
    a = np.convolve([float(t) for t in rest], [1, -1])
    n = max(len(a), len(b))
    c = np.zeros(n)
    c[:len(a)] += a
    c[:len(b)] += q * np.array([float(t) for t in b])
    return np.roots(c)


def average(text, w, y):
    """|A|^2, and where it is not smooth."""
    if not text:
        return np.ones(len(w), REAL), []
    if text.startswith('ema:'):
        a = REAL(float(text[4:]))
        return (1 - a) ** 2 / np.abs((1 - a) + a * y) ** 2, [(0.0, float(1 - a))]
    K = int(text[5:])
    return (np.sin(K * w / 2) / (K * np.sin(w / 2))) ** 2, [(2 * np.pi * k / K, 1e-9) for k in range(1, K // 2 + 1)]


def values(opt, avg, decay, eta, lam, noise, sgd, kurtosis):
    """gamma^2, F_inf, lti and the optimum, rho = 1, by (11.a) and (11.b); None: it diverges."""
    b, rest = optimizer(opt)
    eta, V, k, s = REAL(eta), REAL(decay), REAL(1 + kurtosis), REAL(sgd) ** 2
    h = [REAL(t) + V for t in lam]
    z = [p for t in h for p in poles(b, rest, float(eta * t)) if abs(p) > 1e-6]
    if max(abs(p) for p in z) >= 1:
        return None
    step = abs(float(sum(b)) / float(sum(rest)))
    one = np.array([PI / 2])
    features = [(abs(np.angle(p)), abs(np.log(abs(p)))) for p in z] + [(0.0, 1e-3)]
    features += [(0.0, float(eta * t) * step) for t in h]
    features += density(noise, (1 + 1j * one).astype(COMPLEX))[1] + average(avg, one, one)[1]
    w, weight = nodes([(f, max(d, 1e-16)) for f, d in features])
    y = (2 * np.sin(w / 2) ** 2 + 1j * 2 * np.sin(w / 2) * np.cos(w / 2)).astype(COMPLEX)
    top, bottom = horner(in_powers_of_y(b), y), y * horner(in_powers_of_y(rest), y)
    B2, A2 = density(noise, y)[0], average(avg, w, y)[0]
    gamma2 = np.sum(weight / B2)
    sigma2 = gamma2 / 2
    G2 = [eta ** 2 * np.abs(top) ** 2 / np.abs(bottom + eta * t * top) ** 2 for t in h]
    g, N, gbar, Nbar = ([np.sum(weight * G * W) for G in G2] for W in (1, B2, A2, A2 * B2))
    lam = [REAL(t) for t in lam]
    r = [1 / (1 - k * x * t * t) for x, t in zip(g, lam)]
    D = 1 - sum(x * t * t * u for x, t, u in zip(g, lam, r))
    if min(r) <= 0 or D <= 0:
        return None

    def total(sigma2):
        Q = sum(t * u * (sigma2 * n + x * t * s) for t, u, n, x in zip(lam, r, N, g)) / D
        S = [u * (sigma2 * n + x * t * (Q + s)) for t, u, n, x in zip(lam, r, N, g)]
        return sum(c * (sigma2 * n + x * (k * t * t * v + t * (Q + s)))
                   for c, n, x, t, v in zip(h, Nbar, gbar, lam, S)) / 2

    lti = sum(c * (sigma2 * n + x * t * s) for c, n, x, t in zip(h, Nbar, gbar, lam)) / 2
    Z = sum(c * x * t * u for c, x, t, u in zip(h, gbar, lam, r))
    Hx = sum((c * A2 + k * c * x * t * t * u + t * u / D * Z) * G for c, x, t, u, G in zip(h, gbar, lam, r, G2)) / 2
    best = np.sum(weight * np.sqrt(np.maximum(Hx, 0))) ** 2 / 2 + total(REAL(0))
    return gamma2, total(sigma2), lti, best


def drawn(R):
    kind = R.choice(['sgd', 'heavy-ball', 'nesterov', 'heavy-ball', 'nesterov', 'filter'])
    lam = [1.0] + sorted((10 ** R.uniform(-3, 0) for _ in range(R.choice([0, 0, 1, 2, 3]))), reverse=True)
    m = R.choice([R.random(), 0.9, 0.99, 0.999, 0.9999, 0.999999, 1 - 10 ** R.uniform(-6, -1)])
    decay = R.choice([0.0, 0.0, 0.1, 0.01])
    opt = {'sgd': 'sgd', 'filter': R.choice(['filter:0,1,-0.3;1,-1.5,0.5', 'filter:0,0,1;1,-1', 'filter:0,1;1,-1.9,0.9',
                                             'filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125'])}.get(kind, f'{kind}:{m!r}')
    leak = 1 - m if kind in ('heavy-ball', 'nesterov') else 1
    eta = 10 ** R.uniform(-3, -0.3) * leak * R.choice([1, 0.3]) / len(lam)
    if leak != 1 and R.random() < 0.3:  # two poles of a direction meet, or nearly
        q = (1 - np.sqrt(m)) ** 2 if kind == 'heavy-ball' else ((1 - m) / (1 + m)) ** 2
        eta = float(q) / (R.choice(lam) + decay) * R.choice([1, 1, 1 + 1e-9, 1 - 1e-7, 1 + 1e-4])
    noise = R.choice(['sgd', f'nu:{10 ** R.uniform(-4, 0)!r}', f'power:0.3,{10 ** R.uniform(-3, -0.1)!r}', 'power:0.9,0.05',
                      f'antipgd:{R.uniform(0.05, 0.9)!r}', 'beta:1,-0.5,-0.2', 'beta:1,0.9,0.4,-0.2,-0.5,-0.4,-0.1',
                      'blt:0.9,0.5;0.05,0.2', 'blt:0.999,0.97;0.01,0.03', 'product:0.02,0.5,1.5;0.4,-0.2,0.3'])
    avg = R.choice(['', '', '', 'ema:0.9', f'ema:{1 - 10 ** R.uniform(-5, -0.5)!r}', 'last:2', 'last:7', 'last:50'])
    return opt, avg, decay, eta, lam, noise, R.choice([0.0, 0.0, 0.3, 1.0]), R.choice([0.0, 0.0, -2.0, 1.5, -1.0, 3.0])


def main():
    R, rows = random.Random(11), []
    while len(rows) < COUNT:
        opt, avg, decay, eta, lam, noise, sgd, kurtosis = drawn(R)
        found = values(opt, avg, decay, eta, lam, noise, sgd, kurtosis)
        if found is None:
            continue
        padded = ', '.join(repr(t) for t in lam)
        rows.append(f'{{"{opt}", "{avg}", {decay!r}, {eta!r}, {{{padded}}}, {len(lam)}, "{noise}", {sgd!r}, {kurtosis!r}, '
                    + ', '.join(np.format_float_scientific(x, 19, unique=False) for x in found) + '},\n')
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'random_optimizer.inc')
    with open(where, 'w', encoding='ascii') as f:
        f.write('/* made by tests/tables/random_optimizers.py: graded panels in w, 80-bit numbers */\n')
        f.writelines(rows)


if __name__ == '__main__':
    main()
