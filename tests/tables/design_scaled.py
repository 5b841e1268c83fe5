"""design_scaled.inc: noise with k vectors of state and changing scales, by dense matrices and SciPy.

Run: /usr/bin/python3 tests/tables/design_scaled.py > tests/tables/design_scaled.inc
The loss is that of design_blt.py, K = BB' with B the inverse of C = LD (theory 12.5): of a given noise,
and the least that L-BFGS finds from several starts with derivatives of dense matrices.
"""
import numpy as np
from scipy.optimize import minimize

from design_blt import prefix_loss, responses, run_loss

DEGREE = 5


def workload(n, error):
    """M of error(K) = <M, K>, number by number."""
    M = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            K = np.zeros((n, n))
            K[i, j] += 0.5
            K[j, i] += 0.5
            M[i, j] = M[j, i] = error(K)
    return M


def lower(decay, out, inn):
    """L, and the powers of each decay in it."""
    n = len(out)
    lag = np.subtract.outer(np.arange(n), np.arange(n)) - 1
    powers = [np.where(lag >= 0, th ** np.maximum(lag, 0), 0) for th in decay]
    L = np.eye(n) + sum(out[:, i:i + 1] * P * inn[:, i] for i, P in enumerate(powers))
    return L, powers, np.maximum(lag, 0)


def value(L, within, users, M):
    """<M, BB'> at sensitivity 1, and its derivatives by L diag(within)."""
    Lh = L * within
    sums = np.array([Lh[:, users == u].sum(axis=1) for u in range(users.max() + 1)])
    square = (sums ** 2).sum(axis=1)
    C = Lh / np.sqrt(square)[users]
    B = np.linalg.inv(C)
    f = np.sum(M * (B @ B.T))
    G = -2 * np.tril(B.T @ M @ B @ B.T)
    along = np.bincount(users, (G * Lh).sum(axis=0))
    return f, G / np.sqrt(square)[users] - (sums * (along * square ** -1.5)[:, None])[users].T


def parts(y, n, k, basis):
    decay = 1 / (1 + np.exp(-y[:k]))
    m = DEGREE + 1
    out = np.exp(basis @ y[k:k + m * k].reshape(m, k))
    inn = np.exp(basis[:, 1:] @ y[k + m * k:k + (m + DEGREE) * k].reshape(DEGREE, k))
    return decay, out, inn, np.exp(basis[:, 1:] @ y[-DEGREE:])


def objective(y, n, k, basis, users, M):
    if np.max(np.abs(y)) > 40:
        return 50.0, np.zeros(len(y))
    decay, out, inn, within = parts(y, n, k, basis)
    L, powers, lag = lower(decay, out, inn)
    f, G = value(L, within, users, M)
    g_within = (G * L).sum(axis=0) * within
    G = G * within
    by_out, by_in, by_decay = np.zeros((n, k)), np.zeros((n, k)), np.zeros(k)
    for i, P in enumerate(powers):
        by_out[:, i] = (G * P) @ inn[:, i] * out[:, i]
        by_in[:, i] = out[:, i] @ (G * P) * inn[:, i]
        by_decay[i] = np.sum(G * P * lag * out[:, i:i + 1] * inn[:, i]) * (1 - decay[i])
    g = np.concatenate([by_decay, (basis.T @ by_out).ravel(), (basis[:, 1:].T @ by_in).ravel(),
                        basis[:, 1:].T @ g_within])
    return np.log(f), g / f


def least(n, k, users, M):
    u = 2 * np.log(n - np.arange(n)) / np.log(n) - 1
    basis = np.polynomial.chebyshev.chebvander(u, DEGREE)
    found = np.inf
    for low, scale in ((2 / n, 0.5), (1 / n, 0.2), (6 / n, 0.4)):
        leak = np.geomspace(low, 0.5, k) if k > 1 else np.array([low])
        y = np.zeros(k + (2 * DEGREE + 1) * k + DEGREE)
        y[:k] = np.log((1 - leak) / leak)
        y[k:2 * k] = np.log((scale * leak + 0.1) / k)
        for _ in range(4):
            f = minimize(objective, y, (n, k, basis, users, M), "L-BFGS-B", jac=True,
                         options={"maxiter": 3000, "maxfun": 6000, "maxcor": 40, "ftol": 1e-15,
                                  "gtol": 1e-9})
            y = f.x
        found = min(found, f.fun)
    return np.exp(found)


def given(n, k):
    t, i = np.arange(n)[:, None], np.arange(k)
    return 0.9 - 0.3 * i, (1 + 0.5 * t / n) / (3 + i), 1 / (1 + 0.01 * t * (i + 1)), 1 + 0.02 * t[:, 0]


CASES = [  # objective, rule, momentum, steps, dim, eta, participations, separation, buffers
    ("last", "sgd", 0, 30, 4, 0.1, 1, 1, 1),
    ("last", "sgd", 0, 30, 4, 0.1, 1, 1, 2),
    ("average", "sgd", 0, 30, 4, 0.1, 1, 1, 2),
    ("last", "sgd", 0, 24, 4, 0.1, 3, 8, 2),
    ("average", "sgd", 0, 24, 4, 0.1, 3, 8, 1),
    ("last", "heavy-ball", 0.5, 24, 4, 0.05, 1, 1, 2),
    ("average", "nesterov", 0.8, 24, 4, 0.02, 1, 1, 1),
    ("average", "prefix", 0, 40, 1, 1, 1, 1, 3),
]


def main():
    print("/* objective, rule (NULL: prefix sums), steps, dim, eta, participations, separation,"
          " buffers,\n * loss of the given noise, and the least that SciPy finds, by dense matrices,"
          " lambda_k = 1/k,\n * Gaussian inputs, G^2/(2 rho) = 1. Made by design_scaled.py. */")
    for goal, rule, m, n, d, eta, k, b, buffers in CASES:
        lam = 1 / np.arange(1, d + 1)
        g = None if rule == "prefix" else responses(n, eta, lam, rule, m)
        M = workload(n, (lambda K: prefix_loss(K, goal)) if g is None else (
            lambda K: run_loss(K, g, lam, goal)))
        users = np.arange(n) % b if k > 1 else np.arange(n)
        decay, out, inn, within = given(n, buffers)
        known = value(lower(decay, out, inn)[0], within, users, M)[0]
        name = "NULL" if rule == "prefix" else f'"{rule}"' if rule == "sgd" else f'"{rule}:{m}"'
        print(f"{{FINF_DESIGN_{goal.upper()}, {name}, {n}, {d}, {eta}, {k}, {b}, {buffers}, "
              f"{known:.13g}, {least(n, buffers, users, M):.10g}}},", flush=True)


if __name__ == "__main__":
    main()
