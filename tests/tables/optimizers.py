#!/usr/bin/python3
"""Writes optimizer.inc beside this file: F_inf of linear regression with momentum, filters, averaging and weight decay
(python3 with mpmath, some minutes).

Every number is for the exact binary doubles of its row, computed with 40 digits and printed with 20. The methods are not
the library's: white gains from the residues at the closed-loop poles, or with an average from the same rule as the
rest, the trapezoid rule in log tan(w/2), halved until it no longer moves; where poles are near the circle,
Gauss-Legendre in w on panels graded towards them."""
import os
import sys
from mpmath import mp, mpf, mpc, pi, sin, cos, sqrt, log, exp, atan, tan
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 40
RULE = GaussLegendre(mp).calc_nodes(5, mp.prec)

# optimizer, average, weight decay, eta, spectrum, dim, noise, rho, sigma_sgd, kurtosis
CASES = [
    ('sgd', '', 0.0, 0.02, 'power:1', 128, 'nu:0.00015625', 0.5, 0.0, 0.0),
    ('heavy-ball:0.9', '', 0.0, 0.01, 'power:1', 8, 'nu:0.01', 1.0, 0.0, 0.0),
    ('heavy-ball:0.9', 'ema:0.95', 0.0, 0.01, 'power:1', 8, 'nu:0.01', 1.0, 0.0, 0.0),
    ('nesterov:0.9', '', 0.0, 0.01, 'power:1', 8, 'nu:0.01', 1.0, 0.1, 0.0),
    ('nesterov:0.8', 'ema:0.9', 0.0, 0.02, 'power:1', 8, 'nu:0.05', 1.0, 0.0, 0.0),
    ('heavy-ball:0.5', '', 0.0, 0.01, 'power:1', 128, 'nu:1', 0.5, 0.0, 0.0),
    ('heavy-ball:0.9', '', 0.0, 0.002, 'power:1', 128, 'nu:1', 0.5, 0.0, 0.0),
    ('heavy-ball:0.95', '', 0.0, 0.001, 'power:1', 128, 'nu:1', 0.5, 0.0, 0.0),
    ('heavy-ball:0.99', '', 0.0, 0.0002, 'power:1', 128, 'nu:1', 0.5, 0.0, 0.0),
    ('nesterov:0.99', '', 0.0, 0.0002, 'power:1', 128, 'nu:0.001', 0.5, 0.0, 0.0),
    ('heavy-ball:0.7', '', 0.0, 0.05, 'flat', 1, 'nu:0.1', 1.0, 0.0, -2.0),
    ('heavy-ball:0.81', '', 0.0, 0.01, 'flat', 1, 'nu:0.1', 1.0, 0.0, -2.0),
    ('nesterov:0.3', '', 0.0, 0.1, 'power:2', 20, 'nu:0.02', 1.0, 0.2, 1.5),
    ('sgd', 'ema:0.99', 0.0, 0.05, 'power:1', 32, 'nu:0.01', 1.0, 0.0, 0.0),
    ('heavy-ball:0.9', 'ema:0.5', 0.0, 0.01, 'exp:0.3', 12, 'nu:0.003', 1.0, 0.3, 0.0),
    # weight decay, alone and with the rest
    ('sgd', '', 0.3, 0.1, 'power:1', 8, 'nu:0.02', 1.0, 0.1, 0.0),
    ('heavy-ball:0.9', '', 0.05, 0.01, 'power:2', 12, 'nu:0.01', 1.0, 0.2, 0.0),
    ('nesterov:0.6', 'ema:0.7', 0.2, 0.05, 'power:1', 6, 'nu:0.3', 2.0, 0.4, -1.0),
    # filters, one of them heavy ball, one with a delay, one of third order
    ('filter:0,1;1,-1.5,0.5', '', 0.0, 0.02, 'power:1', 8, 'nu:0.01', 1.0, 0.1, 0.0),
    ('filter:0,0,1;1,-1.25,0.25', '', 0.0, 0.05, 'power:1', 6, 'nu:0.05', 1.0, 0.0, 0.0),
    ('filter:0,0.5,-0.25,0.125;1,-1.25,0.5,-0.375,0.125', 'ema:0.5', 0.1, 0.05, 'power:1', 5, 'nu:0.02', 1.0, 0.1, 0.5),
    # the mean of the last points
    ('sgd', 'last:2', 0.0, 0.1, 'power:1', 4, 'nu:0.1', 1.0, 0.0, 0.0),
    ('heavy-ball:0.8', 'last:12', 0.0, 0.02, 'power:1', 5, 'nu:0.02', 1.0, 0.2, 0.0),
    # the two poles of a direction meet: exactly, and nearly on both sides
    ('heavy-ball:0.25', '', 0.0, 0.25, 'flat', 1, 'nu:0.1', 1.0, 0.1, -2.0),
    ('heavy-ball:0.25', '', 0.0, 0.25000001, 'flat', 1, 'nu:0.1', 1.0, 0.1, -2.0),
    ('heavy-ball:0.25', '', 0.0, 0.2499999999, 'flat', 1, 'nu:0.1', 1.0, 0.1, -2.0),
    ('heavy-ball:0.25', '', 0.0, 0.2, 'flat', 1, 'nu:0.1', 1.0, 0.1, -2.0),
    ('heavy-ball:0.998001', '', 0.0, 1e-6, 'flat', 1, 'nu:0.0001', 1.0, 0.0, -2.0),
    ('nesterov:0.9', 'ema:0.9', 0.0, 0.0027, 'flat', 1, 'nu:0.001', 1.0, 0.0, -2.0),
    # momentum 1e-9 from 1
    ('heavy-ball:0.999999999', '', 0.0, 2e-11, 'power:1', 3, 'nu:0.001', 1.0, 0.1, 0.0),
    ('nesterov:0.999999999', '', 0.0, 2e-11, 'power:1', 3, 'nu:0.001', 1.0, 0.0, 0.0),
    ('heavy-ball:0.999999999', '', 0.0, 0.001, 'flat', 1, 'nu:0.01', 1.0, 0.0, -2.0),
    ('heavy-ball:0.9999', 'ema:0.99', 0.0, 1e-6, 'power:1', 2, 'nu:0.01', 1.0, 0.0, 0.0),
    # close to the largest stable step, and of the loop itself
    ('heavy-ball:0.9', '', 0.0, 0.0595, 'power:1', 8, 'nu:0.01', 1.0, 0.0, 0.0),
    ('heavy-ball:0.5', '', 0.0, 2.9, 'flat', 1, 'nu:0.1', 1.0, 0.1, -2.0),
    ('nesterov:0.5', '', 0.0, 1.49, 'flat', 1, 'nu:0.5', 1.0, 0.1, -2.0),
]


def mul(a, b):
    return [sum(a[i] * b[k - i] for i in range(len(a)) if 0 <= k - i < len(b)) for k in range(len(a) + len(b) - 1)]


def rule(text):
    """b and a in powers of x = 1/z."""
    name, _, rest = text.partition(':')
    one = [mpf(1), mpf(-1)]
    if name == 'sgd':
        return [0, mpf(1)], one
    if name == 'filter':
        return [[mpf(float(v)) for v in part.split(',')] for part in rest.split(';')]
    m = mpf(float(rest))
    a = mul(one, [1, -m])
    return ([0, mpf(1)] if name == 'heavy-ball' else [0, 1 + m, -m]), a


def spectrum(text, d):
    name, _, rate = text.partition(':')
    if name == 'flat':
        return [mpf(1)] * d
    r = mpf(float(rate))
    return [mpf(k) ** -r if name == 'power' else exp(-r * (k - 1)) for k in range(1, d + 1)]


def poly(c, x):
    return mp.polyval(c[::-1], x)


def loop(b, a, q):
    n = max(len(a), len(b))
    c = [(a[k] if k < len(a) else 0) + (q * b[k] if k < len(b) else 0) for k in range(n)]
    while c[-1] == 0:
        c = c[:-1]
    return c


@mp.workdps(120)
def white(b, c):
    """Sum of the squared coefficients of b/c from the residues at the roots of c, split if they are equal."""
    r = mp.polyroots(c[::-1], maxsteps=5000, extraprec=1000)
    for i in range(len(r)):
        for j in range(i):
            if abs(r[i] - r[j]) < mpf(10) ** -50:
                r[i] *= 1 + mpf(10) ** -40
    lead = c[-1]
    total = mpc(0)
    res = []
    deg = len(b) - len(c)
    # b/c = polynomial + sum res_i/(x - r_i); the polynomial part by division
    rest, quot = [mpf(v) for v in b], [mpf(0)] * max(0, deg + 1)
    for k in reversed(range(len(quot))):
        quot[k] = rest[k + len(c) - 1] / lead
        for j, v in enumerate(c):
            rest[k + j] -= quot[k] * v
    for i, x in enumerate(r):
        bottom = lead
        for j, y in enumerate(r):
            if j != i:
                bottom *= x - y
        res.append(poly(rest, x) / bottom)
    # res/(x-r) = -(res/r) sum (x/r)^t
    amp = [-s / x for s, x in zip(res, r)]
    for i, x in enumerate(r):
        for j, y in enumerate(r):
            total += amp[i] * amp[j] / (1 - 1 / (x * y))
    for t, v in enumerate(quot):
        total += v * v + 2 * v * sum(s / x ** t for s, x in zip(amp, r))
    assert abs(mp.im(total)) < mpf(10) ** -25 * abs(total)
    return mp.re(total)


def average2(text, w):
    name, _, x = text.partition(':')
    s = sin(w / 2)
    if name == 'ema':
        leak = 1 - mpf(float(x))
        return leak ** 2 / (leak ** 2 + 4 * (1 - leak) * s * s)
    if name == 'last':
        K = int(x)
        return (sin(K * w / 2) / (K * s)) ** 2
    return mpf(1)


class Case:
    def __init__(self, row):
        (self.opt, self.avg, V, eta, spec, self.d, noise, rho, sgd, kx) = row
        self.b, self.a = rule(self.opt)
        self.eta, self.k, self.s = mpf(eta), 1 + mpf(kx), mpf(sgd) ** 2
        self.lam = spectrum(spec, self.d)
        self.h = [x + mpf(V) for x in self.lam]
        self.q = [self.eta * x for x in self.h]
        self.nu = mpf(float(noise.split(':')[1]))
        self.leak = 1 - mpf(float(self.avg[4:])) if self.avg.startswith('ema') else mpf(1)
        self.unit = 1 / (2 * mpf(rho))
        self.gamma2 = 1 / mp.agm(1, sqrt(self.nu * (2 - self.nu)))
        self.poles = []
        for q in self.q:
            for x in mp.polyroots(loop(self.b, self.a, q)[::-1], maxsteps=5000, extraprec=1000):
                self.poles.append((abs(mp.arg(x)), abs(x) - 1))
        assert all(d > 0 for _, d in self.poles), 'unstable'
        self.narrow = any(d < 0.08 * p for p, d in self.poles)

    def at(self, w):
        """|A|^2, |B|^2, and |b/(a + q_j b)|^2 for all j."""
        x = mp.expj(-w)
        b, a = poly(self.b, x), poly(self.a, x)
        b2 = abs(b) ** 2
        s2 = sin(w / 2) ** 2
        B2 = sqrt(self.nu ** 2 + 4 * (1 - self.nu) * s2)
        return average2(self.avg, w), B2, [b2 / abs(a + q * b) ** 2 for q in self.q]

    def rule_nodes(self, level):
        if not self.narrow:
            h = mpf(2) ** -level
            small = min([self.nu, self.leak] + [max(p, d) for p, d in self.poles])
            lo, hi = int((log(small) - 62) / h), int(66 / h)
            for i in range(lo, hi):
                u = i * h
                yield 2 * atan(exp(u)), h / pi / mp.cosh(u)
            return
        near = [(mpf(0), min(self.nu, self.leak))] + self.poles + [(mpf(0), d) for p, d in self.poles]
        cuts = {mpf(0), +pi}
        for x in set(x for x, _ in near):
            step = min(d for y, d in near if y == x) / level
            cuts.add(x)
            while step < pi:
                cuts.update(c for c in (x - step, x + step) if 0 < c < pi)
                step *= 1 + mpf(3) / level
        cuts = sorted(cuts)
        for u, v in zip(cuts, cuts[1:]):
            for t, weight in RULE:
                yield (u + v) / 2 + (v - u) / 2 * t, (v - u) / 2 * weight / pi

    def once(self, level):
        n = self.d
        nodes = [(self.at(w), weight) for w, weight in self.rule_nodes(level)]
        e2 = self.eta ** 2
        mean = lambda f: mp.fsum(weight * f(x) for x, weight in nodes)
        N = [e2 * mean(lambda x: x[1] * x[2][j]) for j in range(n)]
        N_bar = [e2 * mean(lambda x: x[0] * x[1] * x[2][j]) for j in range(n)]
        g = [e2 * white(self.b, loop(self.b, self.a, q)) for q in self.q]
        g_bar = g if not self.avg else [e2 * mean(lambda x: x[0] * x[2][j]) for j in range(n)]
        check = e2 * mean(lambda x: x[2][0])
        sigma2, k, s, lam, h = self.unit * self.gamma2, self.k, self.s, self.lam, self.h
        x = [g[j] * lam[j] ** 2 for j in range(n)]
        r = [1 / (1 - k * v) for v in x]
        D = 1 - sum(x[j] * r[j] for j in range(n))
        assert D > 0 and min(r) > 0
        Q = sum(lam[j] * r[j] * (sigma2 * N[j] + g[j] * lam[j] * s) for j in range(n)) / D
        S = [r[j] * (sigma2 * N[j] + g[j] * lam[j] * (Q + s)) for j in range(n)]
        F = sum(h[j] * (sigma2 * N_bar[j] + g_bar[j] * (k * lam[j] ** 2 * S[j] + lam[j] * (Q + s))) for j in range(n)) / 2
        lti = sum(h[j] * (sigma2 * N_bar[j] + g_bar[j] * lam[j] * s) for j in range(n)) / 2
        # the optimum: the adjoint of the same equations
        Z = sum(h[i] * g_bar[i] * lam[i] * (1 + k * x[i] * r[i]) for i in range(n))
        v = [k * h[j] * g_bar[j] * lam[j] ** 2 * r[j] + lam[j] * r[j] / D * Z for j in range(n)]
        Hx = lambda y: e2 / 2 * sum((h[j] * y[0] + v[j]) * y[2][j] for j in range(n))
        best = self.unit * mean(lambda y: sqrt(Hx(y))) ** 2
        direct = self.unit * self.gamma2 * mean(lambda y: y[1] * Hx(y))
        sgd = s * (self.white_part(g, g_bar, r, D) if s else 0)
        self.off = max(abs(check / g[0] - 1), abs((direct + sgd) / F - 1))  # two ways to the same
        return F, lti, best + sgd

    def white_part(self, g, g_bar, r, D):
        n, lam, h, k = self.d, self.lam, self.h, self.k
        Q = sum(lam[j] ** 2 * r[j] * g[j] for j in range(n)) / D
        S = [r[j] * g[j] * lam[j] * (Q + 1) for j in range(n)]
        return sum(h[j] * g_bar[j] * (k * lam[j] ** 2 * S[j] + lam[j] * (Q + 1)) for j in range(n)) / 2

    def value(self):
        levels = (1, 2, 4, 8) if self.narrow else (3, 4, 5, 6, 7)
        before = None
        for level in levels:
            now = self.once(level)
            if before and all(abs(x - y) < mpf('1e-17') * abs(x) for x, y in zip(now, before)):
                assert self.off < mpf('1e-17')
                return now
            before = now
        raise AssertionError('not settled')


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'optimizer.inc')
    lines = []
    for row in CASES:
        c = Case(row)
        values = (c.gamma2,) + c.value()
        lines.append('{%s, %s},\n' % (', '.join('"%s"' % v if isinstance(v, str) else repr(v) for v in row),
                                      ', '.join(mp.nstr(v, 20) for v in values)))
        print(lines[-1], end='', flush=True)
    with open(path, 'w') as f:
        f.write('/* made by tests/tables/optimizers.py: trapezoid in log tan(w/2) and graded panels, 40 digits */\n')
        f.writelines(lines)


if __name__ == '__main__':
    sys.dont_write_bytecode = True
    main()
