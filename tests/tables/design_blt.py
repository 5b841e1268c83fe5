"""design_blt.inc: the least loss of BLTs in short runs, by dense matrices and SciPy alone.

Run: /usr/bin/python3 tests/tables/design_blt.py > tests/tables/design_blt.inc
The loss is theory 11.5 as it stands: impulse responses of the closed loop, K = BB' with B the inverse
of the Toeplitz matrix C, gradient noise fed back step by step. Nelder and Mead's method in
(logit(1-theta), log omega) from several starts, then BFGS by differences.
"""
import itertools
import sys

import numpy as np
from scipy.linalg import toeplitz
from scipy.optimize import minimize


def responses(n, eta, lam, rule, m):
    """g_j(t), t = 0..n, of theta to a unit of noise at step 0, by running the update."""
    g = np.zeros((len(lam), n + 1))
    for j, h in enumerate(lam):
        theta = buf = 0.0
        for t in range(n):
            grad = h * theta + (t == 0)
            buf = m * buf + grad
            theta -= eta * (grad + m * buf if rule == "nesterov" else buf)
            g[j, t + 1] = theta
    return g


def run_loss(K, g, lam, objective):
    """E F at t = 1..n by privacy noise of covariance K from theta_0 = theta*, Gaussian inputs."""
    n, S = K.shape[0], np.zeros((len(lam), K.shape[0] + 1))
    for t in range(1, n + 1):
        for j in range(len(lam)):
            x = g[j, t:0:-1]
            fed = lam[j] ** 2 * S[j, :t] + lam[j] * (lam @ S[:, :t])
            S[j, t] = x @ K[:t, :t] @ x + (x ** 2) @ fed
    F = lam @ S[:, 1:] / 2
    return {"last": F[-1], "average": F.mean(), "max": F.max()}[objective]


def prefix_loss(K, objective):
    n = K.shape[0]
    A = np.tril(np.ones((n, n)))
    v = np.diag(A @ K @ A.T)
    return {"last": v[-1], "average": v.mean(), "max": v.max()}[objective]


def sens2(C, k, b):
    """Participations exactly b apart, at most k of them: every pattern, c >= 0."""
    n = C.shape[0]
    worst = 0
    for first in range(min(b, n)):
        steps = list(range(first, n, b))
        for i in range(len(steps)):
            worst = max(worst, np.sum(C[:, steps[i:i + k]].sum(axis=1) ** 2))
    return worst


def loss(x, n, k, b, error):
    half = len(x) // 2
    theta, omega = 1 / (1 + np.exp(x[:half])), np.exp(x[half:])
    c = np.zeros(n)
    c[0] = 1
    for th, w in zip(theta, omega):
        c[1:] += w * th ** np.arange(n - 1)
    C = np.tril(toeplitz(c))
    if 1 - np.sum(omega / (1 + theta)) <= 0:
        return 1e3
    B = np.linalg.inv(C)
    return np.log(sens2(C, k, b) * error(B @ B.T))


def best(n, buffers, k, b, error):
    least = np.inf
    for low, scale in itertools.product((1 / n, 4 / n), (0.5, 0.2)):
        leak = np.geomspace(low, 0.4, buffers) if buffers > 1 else np.array([np.sqrt(low * 0.4)])
        x = np.concatenate([np.log(leak / (1 - leak)), np.log(scale * np.ones(buffers) / buffers)])
        for _ in range(3):
            f = minimize(loss, x, (n, k, b, error), "Nelder-Mead",
                         options={"xatol": 1e-7, "fatol": 1e-13, "maxiter": 4000})
            x = f.x
        least = min(least, f.fun)
    return np.exp(least)


CASES = [  # objective, rule, momentum, steps, dim, eta, participations, separation, buffers
    ("last", "sgd", 0, 30, 4, 0.1, 1, 1, 1),
    ("last", "sgd", 0, 30, 4, 0.1, 1, 1, 2),
    ("average", "sgd", 0, 30, 4, 0.1, 1, 1, 2),
    ("max", "sgd", 0, 24, 4, 0.2, 1, 1, 2),
    ("last", "sgd", 0, 24, 4, 0.1, 3, 8, 2),
    ("average", "sgd", 0, 24, 4, 0.1, 2, 8, 1),
    ("last", "heavy-ball", 0.5, 24, 4, 0.05, 1, 1, 2),
    ("average", "nesterov", 0.8, 24, 4, 0.02, 1, 1, 1),
    ("average", "prefix", 0, 40, 1, 1, 1, 1, 2),
    ("max", "prefix", 0, 40, 1, 1, 4, 10, 2),
]


def main():
    print("/* objective, rule (NULL: prefix sums), steps, dim, eta, participations, separation,"
          " buffers,\n * loss: the least loss of a BLT found by SciPy from dense matrices, lambda_k = 1/k,"
          " Gaussian inputs,\n * G^2/(2 rho) = 1. Made by design_blt.py. */")
    for objective, rule, m, n, d, eta, k, b, buffers in CASES:
        lam = 1 / np.arange(1, d + 1)
        g = None if rule == "prefix" else responses(n, eta, lam, rule, m)
        error = (lambda K: prefix_loss(K, objective)) if g is None else (
            lambda K: run_loss(K, g, lam, objective))
        value = best(n, buffers, k, b, error)
        name = "NULL" if rule == "prefix" else f'"{rule}"' if rule == "sgd" else f'"{rule}:{m}"'
        print(f"{{FINF_DESIGN_{objective.upper()}, {name}, {n}, {d}, {eta}, {k}, {b}, {buffers}, "
              f"{value:.10g}}},")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
