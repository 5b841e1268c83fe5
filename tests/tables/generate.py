#!/usr/bin/python3
"""Writes the reference tables *.inc beside this file for the rows of cases.py (python3 with mpmath, two minutes).

Every number is for the exact binary doubles of its row, computed with 50 digits and printed with 20. The methods are
not the library's: Gauss-Legendre on panels graded towards the singular frequencies, roots and partial fractions,
hypergeometric series, plain sums, bisection. Asserts check each table by a second method.
`generate.py gamma tj` makes only those two tables."""
import os
import sys
sys.dont_write_bytecode = True
import cases
from mpmath import mp, mpf, pi, sin, cos, sqrt, log, exp, inf, erf, erfc, isinf
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 50
RULE = GaussLegendre(mp).calc_nodes(5, mp.prec)  # 48 nodes

def close(x, y):
    assert x == y or abs(x - y) <= mpf('1e-22') * abs(y), (x, y)

def write(name, method, rows):
    def c(v):
        if isinstance(v, str):
            return '"%s"' % v
        return repr(v) if isinstance(v, (float, int)) else 'INFINITY' if isinf(v) else mp.nstr(v, 20)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + '.inc'), 'w') as f:
        f.write('/* made by tests/tables/generate.py: %s */\n' % method)
        f.writelines('{%s},\n' % ', '.join(map(c, r)) for r in rows)
    print('%-10s %4d rows' % (name, len(rows)))

def nodes(singular, end=None):
    """Nodes and weights on (0, end), by default end = pi, for a function analytic there whose complex singularities
    lie near x at distance >= d, for (x, d) in singular: the panels grow sixfold away from each x."""
    end = end or +pi
    cuts = {mpf(0), end}
    for x in set(x for x, _ in singular):
        h = min(d for y, d in singular if y == x) / 2
        cuts.add(x)
        while h < end:
            cuts.update(c for c in (x - h, x + h) if 0 < c < end)
            h *= 6
    cuts = sorted(cuts)
    return [((u + v) / 2 + (v - u) / 2 * t, (v - u) / 2 * wt) for u, v in zip(cuts, cuts[1:]) for t, wt in RULE]

def integral(f, singular, end=None):
    return mp.fsum(wt * f(x) for x, wt in nodes(singular, end))

def at(b):
    return (mpf(0), b) if b <= 1 else (+pi, 2 - b)  # where 1/|1-b-e^{iw}| is nearly singular, and at what distance

def dist2(b, s2):
    return b * b + 4 * (1 - b) * s2  # |1-b-e^{iw}|^2, s2 = sin^2(w/2)

# ---- noise: B = (1-(1-nu)z)^p or B = N(z)/D(z), coefficients in ascending powers ----

def mul(a, b):
    return [sum(a[i] * b[k - i] for i in range(len(a)) if 0 <= k - i < len(b)) for k in range(len(a) + len(b) - 1)]

def trim(d):
    return trim(d[:-1]) if d[-1] == 0 else d

def roots(d):
    d = trim(d)
    return mp.polyroots(d[::-1], maxsteps=2000, extraprec=400) if len(d) > 1 else []

def near(d):
    """Where 1/d(e^{iw}) is nearly singular."""
    return [(abs(mp.arg(r)), abs(r) - 1) for r in roots(d)]

@mp.workdps(150)  # two poles of a table may agree to 17 digits: (1-.999z)(1-(1-.001)z)
def norm2(n, d):
    """Sum of the squared power-series coefficients of n/d, from its partial fractions."""
    d, r = trim(d), roots(d)
    if any(abs(x) <= 1 + mpf(10) ** -20 for x in r):
        return inf
    rest, q = list(n), [mpf(0)] * max(0, len(n) - len(d) + 1)
    for k in reversed(range(len(q))):  # n = q d + rest
        q[k] = rest[k + len(d) - 1] / d[-1]
        for j, x in enumerate(d):
            rest[k + j] -= q[k] * x
    slope = [k * x for k, x in enumerate(d)][1:]
    A = [-mp.polyval(rest[::-1], x) / (x * mp.polyval(slope[::-1], x)) for x in r]
    s = sum(a * b / (1 - 1 / (x * y)) for a, x in zip(A, r) for b, y in zip(A, r))
    return mp.re(s + sum(u * u + 2 * u * sum(a / x ** t for a, x in zip(A, r)) for t, u in enumerate(q)))

class Noise:
    def __init__(self, spec):
        kind, _, arg = spec.partition(':')
        v = [[mpf(float(x)) for x in part.split(',') if x] for part in arg.split(';')]
        self.p, self.N, self.D = None, [mpf(1)], [mpf(1)]
        if kind in ('nu', 'power', 'cc'):
            self.p, self.nu = {'nu': [mpf(.5)] + v[0], 'power': v[0], 'cc': [mpf(.5), mpf(0)]}[kind]
            self.singular = [(mpf(0), self.nu or mpf(1))]
            self.gamma2 = mp.hyp2f1(self.p, self.p, 1, (1 - self.nu) ** 2) if self.nu else inf
            return
        if kind == 'antipgd':
            self.N = [mpf(1), v[0][0] - 1]
        elif kind == 'beta':
            self.N = v[0]
        elif kind == 'bisr':
            self.N = [(-1) ** t * mp.binomial(mpf(1) / 2, t) for t in range(int(v[0][0]))]
        elif kind == 'strategy':
            self.D = v[0]
        elif kind == 'blt':
            def prod(skip, first):
                for i, th in enumerate(v[0]):
                    first = first if i == skip else mul(first, [mpf(1), -th])
                return first
            self.N = prod(None, [mpf(1)])
            self.D = [sum(x) for x in zip(self.N, *(prod(i, [mpf(0), w]) for i, w in enumerate(v[1])))]
        self.singular, self.gamma2 = near(self.D), norm2(self.D, self.N)

    def density(self, w):
        if self.p is not None:
            return dist2(self.nu, sin(w / 2) ** 2) ** self.p
        z = mp.expj(-w)
        return abs(mp.polyval(self.N[::-1], z) / mp.polyval(self.D[::-1], z)) ** 2

    def T_integral(self, b):
        return b * (2 - b) / pi * integral(lambda w: self.density(w) / dist2(b, sin(w / 2) ** 2), self.singular + [at(b)])

    def T(self, b):
        assert all(d > 0 for _, d in self.singular), 'beta is unstable'
        if self.p is not None:
            return self.T_integral(b)
        if len(self.D) == 1:
            return sum(x * y * (1 - b) ** abs(i - j) for i, x in enumerate(self.N) for j, y in enumerate(self.N))
        return b * (2 - b) * norm2(self.N, mul(self.D, [mpf(1), b - 1]))

# ---- elliptic integrals ----

def legendre_ij(a, b):
    """I (b != 1) and J1 by mpmath's Legendre forms, with digits to spare."""
    with mp.workdps(90):
        m, n, c = 4 * (1 - a) / (2 - a) ** 2, 4 * (1 - b) / (2 - b) ** 2, (1 - a) / (1 - b) if b != 1 else 0
        J = 4 / ((2 - a) * (2 - b) ** 2) * mp.ellippi(n, m)
        return c * 4 / (2 - a) * mp.ellipk(m) + (a * a - c * b * b) * J, J

def ellint_i():
    rows = []
    for a, b in cases.ELLINT_I:
        x, y, I, J = mpf(a), mpf(b), mpf(0), mpf(0)
        for w, wt in nodes([at(x), at(y)]):
            r, q = sqrt(dist2(x, sin(w / 2) ** 2)), dist2(y, sin(w / 2) ** 2)
            I, J = I + 2 * wt * r / q, J + 2 * wt / (r * q)
        rows.append((a, b, I, J))
        i, j = legendre_ij(x, y)
        close(J, j)
        close(I, i if b != 1 else I)
    return 'Gauss-Legendre on graded panels', rows

def legendre(m1, p, power):
    """int_0^{pi/2} dphi (sin^2 + m1 cos^2)^power / (sin^2 + p cos^2): K, E and Pi with positive terms only."""
    q = lambda m, x: sin(x) ** 2 + m * cos(x) ** 2
    scale = [(mpf(0), sqrt(min(m1, p, 1))), (pi / 2, 1 / sqrt(max(m1, p, 1)))]
    return integral(lambda x: q(m1, x) ** power / q(p, x), scale, pi / 2)

def ellint_k():
    rows = [(m, legendre(mpf(m), mpf(1), mpf(-.5)), legendre(mpf(m), mpf(1), mpf(.5))) for m in cases.ELLINT_K]
    for m, K, E in rows:
        with mp.workdps(360):
            close(K, mp.ellipk(1 - mpf(m)))
            close(E, mp.ellipe(1 - mpf(m)))
    return 'Gauss-Legendre on graded panels', rows

def ellint_pi():
    rows = [(p, m, legendre(mpf(m), mpf(p), mpf(-.5))) for p, m in cases.ELLINT_PI]
    for p, m, Pi in rows[::2]:
        with mp.workdps(120):
            close(Pi, mp.ellippi(1 - mpf(p), 1 - mpf(m)))
    return 'Gauss-Legendre on graded panels', rows

# ---- sensitivity and energy ----

def gamma():
    rows = [(s, Noise(s).gamma2) for s in cases.GAMMA]
    for s, g in rows:
        n = Noise(s)
        if g < inf:
            close(integral(lambda w: 1 / n.density(w), n.singular if n.p is not None else near(n.N)) / pi, g)
    return '2F1; roots and partial fractions', rows

def coefficients(spec, n):
    """c_0 .. c_{n-1} by their recursions."""
    kind, _, arg = spec.partition(':')
    v = [[mpf(float(x)) for x in part.split(',') if x] for part in arg.split(';')]
    if kind in ('power', 'cc', 'product'):
        nu, r = {'power': lambda: (v[0][1:], v[0][:1]), 'cc': lambda: ([0], [mpf(.5)]), 'product': lambda: v}[kind]()
        c, s = [mpf(1)], [mpf(0)] * len(nu)
        for t in range(1, n):
            s = [(x + c[-1]) * (1 - a) for x, a in zip(s, nu)]
            c.append(sum(x * p for x, p in zip(s, r)) / t)
        return c
    if kind == 'blt':
        return [mpf(1)] + [sum(w * th ** t for th, w in zip(*v)) for t in range(n - 1)]
    if kind == 'strategy':
        return v[0][:n]
    c = [1 / v[0][0]]
    for t in range(1, n):
        c.append(-sum(v[0][k] * c[t - k] for k in range(1, min(t + 1, len(v[0])))) / v[0][0])
    return c

def steps():
    rows = []
    for spec, n in cases.STEPS:
        with mp.workdps(90):
            rows.append((spec, n, sum(c * c for c in coefficients(spec, n))))
        with mp.workdps(60):
            close(sum(c * c for c in coefficients(spec, n)), rows[-1][2])
    return 'the recursions of c', rows

def tj():
    rows = [(s, b, Noise(s).T(mpf(b))) for s, b in cases.TJ]
    for s, b, T in rows:
        n, b = Noise(s), mpf(b)
        if n.p is None:
            close(T, n.T_integral(b))
        elif n.p == .5 and n.nu and b != 1:
            close(T, b * (2 - b) / (2 * pi) * legendre_ij(n.nu, b)[0])
    n, beta, q, u, T = Noise('power:0.25,1e-2'), mpf(1), mpf(.5), mpf(0), mpf(0)  # the double sum over beta_t itself
    for t in range(1, 6000):
        u = q * u + beta
        T += 2 * beta * u - beta * beta
        beta *= (t - 1 - n.p) / t * (1 - n.nu)
    close(T, n.T(1 - q))
    return 'Gauss-Legendre on graded panels; partial fractions; double sums', rows

# ---- |B|^2 on a grid ----

def spline(x, y):
    """The periodic spline through the knots and their mirror images: (from, to, origin, coefficients) on [0, pi]."""
    end = mpf(float(pi))
    X, Y = [-v for v in x[::-1] if v] + x, y[:0 if x[0] == 0 else None:-1] + y
    if x[-1] == end:
        X, Y = X[1:], Y[1:]
    m = len(X)
    h = [X[i + 1] - X[i] for i in range(m - 1)] + [X[0] + 2 * end - X[-1]]
    slope = [(Y[(i + 1) % m] - Y[i]) / h[i] for i in range(m)]
    A, r = mp.matrix(m, m), mp.matrix(m, 1)
    for i in range(m):
        A[i, i], A[i, (i - 1) % m], A[i, (i + 1) % m] = 2 * (h[i - 1] + h[i]), h[i - 1], h[i]
        r[i] = 6 * (slope[i] - slope[i - 1])
    M = mp.lu_solve(A, r)
    for i in range(m):
        right = M[(i + 1) % m]
        c = (Y[i], slope[i] - h[i] * (2 * M[i] + right) / 6, M[i] / 2, (right - M[i]) / (6 * h[i]))
        if X[i] + h[i] > 0:
            yield max(X[i], mpf(0)), min(X[i] + h[i], end), X[i], c

def spline_mean(pieces, sign, b, parts):
    """The mean of |B|^(2 sign) b(2-b)/|1-b-e^{iw}|^2 over the circle, every piece cut in parts and towards 0 and pi."""
    total = mpf(0)
    for lo, hi, origin, c in pieces:
        cuts = {lo + (hi - lo) * k / parts for k in range(parts + 1)}
        for k in range(60):
            cuts.update(v for v in (b * 2 ** k, pi - (2 - b) * 2 ** k) if lo < v < hi)
        cuts = sorted(cuts)
        for u, v in zip(cuts, cuts[1:]):
            for t, wt in RULE:
                w = (u + v) / 2 + (v - u) / 2 * t
                L = mp.polyval(c[::-1], w - origin)
                total += wt * (v - u) / 2 * exp(sign * L) * b * (2 - b) / dist2(b, sin(w / 2) ** 2)
    return total / mpf(float(pi))

def density():
    rows = []
    for x, y in cases.DENSITY:
        pieces = list(spline([mpf(float(v)) for v in x.split(',')], [log(mpf(float(v))) for v in y.split(',')]))
        gamma2 = spline_mean(pieces, -1, mpf(1), 8)
        close(spline_mean(pieces, -1, mpf(1), 11), gamma2)
        for b in (1e-8, .02, .7, 1.9):
            T = spline_mean(pieces, 1, mpf(b), 8)
            close(spline_mean(pieces, 1, mpf(b), 11), T)
            rows.append((x, y, b, gamma2, T))
    return 'a dense periodic system for the spline, Gauss-Legendre between knots', rows

# ---- mean estimation and linear regression ----

def mean():
    rows = []
    for s, e, rho, clip, sgd in cases.MEAN:
        n, eta, v, u = Noise(s), mpf(e), mpf(clip) ** 2 / (2 * mpf(rho)), mpf(sgd) ** 2
        own = integral(lambda w: 1 / sqrt(dist2(eta, sin(w / 2) ** 2)), [at(eta)]) / pi  # gamma^2 of nu = eta
        F, F_sgd = eta / (2 - eta) / 2 * (n.gamma2 * v * n.T(eta) + u), eta / (2 - eta) / 2 * (v + u)
        best = eta ** 2 / 2 * v * own ** 2 + eta / (2 - eta) / 2 * u
        close(own, mp.hyp2f1(.5, .5, 1, (1 - eta) ** 2))
        close(F, best if s == 'nu:%r' % e else F_sgd if s in ('sgd', 'nu:1') else F)
        assert F >= best * (1 - mpf(10) ** -30)
        rows.append((s, e, rho, clip, sgd, n.gamma2, F, best, F_sgd))
    return 'T(eta) as in tj.inc; F_optimal by Gauss-Legendre', rows

def spectrum(spec, d):
    kind, _, arg = spec.partition(':')
    if kind == 'list':
        return [mpf(float(x)) for x in arg.split(',')]
    a = mpf(float(arg or 0))
    return [{'power': lambda k: mpf(k) ** -a, 'exp': lambda k: exp(-a * (k - 1)), 'flat': lambda k: mpf(1),
             'step': lambda k: 1 / mpf(d if k > 1 else 1)}[kind](k) for k in range(1, d + 1)]

def regression(noise, spec, d, *par):
    """gamma2, F_exact, F_lti, F_upper, F_optimum, F_floor: the sums over j are taken inside one integral."""
    n, lam, (eta, rho, clip, sgd, kx) = Noise(noise), spectrum(spec, d), map(mpf, par)
    v, u, tr, b = clip ** 2 / (2 * rho), sgd ** 2, mp.fsum(lam), [eta * x for x in lam]
    den = [2 - (2 + kx) * x for x in b]
    D = 1 - sum(x / y for x, y in zip(b, den)) if min(den) > 0 else mpf(-1)
    X = L = root = mpf(0)
    for w, wt in nodes(n.singular + [at(min(b)), at(max(b))]):
        s4, B = 4 * sin(w / 2) ** 2, n.density(w)
        f = [x / (x * x + (1 - x) * s4) for x in b]
        g = [(2 - x) * y for x, y in zip(b, f)]
        L += wt * B * sum(f)
        if D > 0:
            h = eta / (2 * D) * sum(x / y for x, y in zip(g, den))  # Hx
            X, root = X + wt * B * h, root + wt * sqrt(h)
    exact = optimum = upper = inf
    if D > 0:
        drift = eta * u / (2 * D) * sum(x / y for x, y in zip(lam, den))
        exact, optimum = n.gamma2 * v * X / pi + drift, v * (root / pi) ** 2 + drift
    R2 = tr + (2 + kx) * max(lam)
    lti = eta / 2 * (n.gamma2 * v * L / pi + u * sum(x / (2 - y) for x, y in zip(lam, b)))
    q = eta * R2 / (2 - max(b))
    if q < 1:
        W = sum(x / (2 - x) for x in b)
        first = (3 + max(kx, 0)) * eta * n.gamma2 * v * L / pi + eta * u * R2 / (2 - max(b))
        upper = lti + W * first / (1 - q) / 2
    floor = eta * u * tr / 4 + eta ** 2 * clip ** 2 / rho * tr / 16
    up = 1 + mpf(10) ** -30
    assert floor <= lti <= exact * up and optimum <= exact * up and exact <= upper * up
    return n.gamma2, exact, lti, upper, optimum, floor

def check_regression(noise, spec, d, *par):
    """F_exact and F_lti by the formulas in q_j and T_j; F_exact also as the limit of the second moments in time."""
    n, lam, (eta, rho, clip, sgd, kx) = Noise(noise), spectrum(spec, d), map(mpf, par)
    q = [eta * sgd ** 2 * x + eta * clip ** 2 / (2 * rho) * n.gamma2 * n.T(eta * x) for x in lam]
    den, F = [2 - (2 + kx) * eta * x for x in lam], regression(noise, spec, d, *par)
    close(F[1], sum(x / y for x, y in zip(q, den)) / (1 - sum(eta * x / y for x, y in zip(lam, den))) / 2)
    close(F[2], sum(x / (2 - eta * y) for x, y in zip(q, lam)) / 2)
    s, old, now = [mpf(1)] * d, mpf(0), mpf(1)
    while abs(now - old) > mpf(10) ** -28 * now:
        old, now = now, sum(x * y for x, y in zip(lam, s))
        s = [(1 - eta * x * y) * z + eta ** 2 * x * now + eta * t for x, y, z, t in zip(lam, den, s, q)]
    close(F[1], now / 2)

def linreg():
    check_regression('beta:1,-0.5,0.1', 'list:1,0.4,0.2', 3, .2, .5, 2.0, .3, 0.0)
    check_regression('blt:0.9,0.5;0.3,0.1', 'power:1', 4, .3, .5, 2.0, .3, -1.2)
    check_regression('nu:0.1', 'step', 3, .2, .5, 1.0, .1, 2.0)
    return 'one Gauss-Legendre rule on graded panels for the sums over j', [c + regression(*c) for c in cases.LINREG]

# ---- privacy ----

def bisect(f, lo, hi):
    """Where f changes sign; f(lo) > 0 > f(hi)."""
    while hi - lo > mpf(10) ** -35 * hi:
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(mid) > 0 else (lo, mid)
    return lo

def privacy():
    rows = []
    for rho, delta in cases.PRIVACY:
        r, d, mu = mpf(rho), mpf(delta), sqrt(2 * mpf(rho))
        f = lambda x: r * (x + 1) - log((x + 1) * d) / x + log(x / (x + 1))  # x = alpha - 1
        x = bisect(lambda x: -log((x + 1) * d) - r * x * x, mpf(0), 1 / d)  # -x^2 f'(x)
        assert f(x) < min(f(x * c) for c in (mpf(.5), 1 - mpf(10) ** -9, 1 + mpf(10) ** -9, mpf(2)))
        Phi = lambda y: erfc(-y / sqrt(2)) / 2
        above = lambda e: Phi(mu / 2 - e / mu) - exp(e) * Phi(-mu / 2 - e / mu) - d
        eps = bisect(above, mpf(0), f(x) + 1) if erf(mu / sqrt(8)) > d else mpf(0)
        if eps and rho in (.01, 1.0, 10.0):  # delta = E (1 - e^{eps-L})_+ with the privacy loss L ~ N(mu^2/2, mu^2)
            h = 2 / (1 + abs(eps / mu - mu / 2))
            tail = lambda y: -mp.expm1(eps - mu * y) * exp(-(y - mu / 2) ** 2 / 2) / d
            close(mp.quad(tail, [eps / mu + h * k for k in range(41)]), sqrt(2 * pi))
        assert eps <= max(f(x), 0)
        rows.append((rho, delta, max(f(x), mpf(0)), eps))
    return 'bisection', rows

# ---- data ----

def sample(n, d):
    """The rows that tests/test_data.c makes: whole numbers from -9 to 9 by its generator."""
    s, X = 1, mp.matrix(n, d)
    for i in range(n):
        for k in range(d):
            s = (s * 6364136223846793005 + 1442695040888963407) % 2 ** 64
            X[i, k] = (s >> 33) % 19 - 9
    return X

def data():
    rows = []
    for kind, n, d in cases.DATA:
        if kind == 'hilbert':
            H = mp.matrix(d, d)
            for i in range(d):
                for k in range(d):
                    H[i, k] = mpf(1.0 / (i + k + 1))
        else:
            X = sample(n, d)
            H = X.T * X / n
        lam = sorted(mp.eigsy(H, eigvals_only=True), reverse=True)
        close(sum(lam), sum(H[i, i] for i in range(d)))
        close(sum(x * x for x in lam), sum(x * x for x in H))
        rows += [(kind, n, d, k + 1, x if abs(x) > mpf(10) ** -40 else mpf(0)) for k, x in enumerate(lam)]
    return 'eigsy of mpmath, in 50 digits', rows

if __name__ == '__main__':
    for make in (ellint_i, ellint_k, ellint_pi, gamma, steps, tj, density, mean, linreg, privacy, data):
        if len(sys.argv) == 1 or make.__name__ in sys.argv:
            write(make.__name__, *make())
