#!/usr/bin/python3
"""Writes epochs.inc beside this file (python3 with numpy and scipy, a few seconds): the least loss of n steps in epochs of b.

The program as it stands, by sequential quadratic programming over all entries of X: minimise log tr(A'A X^-1) with
sum |X_ij| <= 1 over the steps i, j equal mod b, |X_ij| <= t_ij as pairs of inequalities. Nothing is known here of duality, nor that X_ij = 0."""
import os
import numpy as np
from scipy.optimize import minimize

def least_loss(n, b):
    step = np.arange(n)
    S = n - np.maximum.outer(step, step).astype(float)
    upper = np.triu_indices(n)
    size = len(upper[0])
    pairs = [(p, i) for p, (i, j) in enumerate(zip(*upper)) if i != j and (j - i) % b == 0]

    def matrix(z):
        M = np.zeros((n, n))
        M[upper] = z[:size]
        return M + M.T - np.diag(np.diag(M))

    def value(z):
        M = matrix(z)
        return np.log(np.trace(S @ np.linalg.inv(M))) if np.linalg.eigvalsh(M)[0] > 0 else 1e6

    def gradient(z):
        K = np.linalg.inv(matrix(z))
        G = -(K @ S @ K) / np.trace(S @ K)
        return np.concatenate([(2 * G - np.diag(np.diag(G)))[upper], np.zeros(len(pairs))])

    sums = np.zeros((b, size + len(pairs)))
    ends = np.zeros((2 * len(pairs), size + len(pairs)))
    for p, (i, j) in enumerate(zip(*upper)):
        if i == j:
            sums[i % b, p] = -1
    for c, (p, i) in enumerate(pairs):
        sums[i % b, size + c] = -2
        ends[2 * c:2 * c + 2, size + c] = 1
        ends[2 * c:2 * c + 2, p] = 1, -1
    rules = [{'type': 'ineq', 'fun': lambda z: 1 + sums @ z, 'jac': lambda z: sums}]
    if pairs:
        rules.append({'type': 'ineq', 'fun': lambda z: ends @ z, 'jac': lambda z: ends})

    def sens2(M):
        return max(np.abs(M[r::b, r::b]).sum() for r in range(b))

    M = np.exp(-0.3 * np.abs(np.subtract.outer(step, step)))
    z = (M / (1.05 * sens2(M)))[upper]
    z = np.concatenate([z, [1.0001 * z[p] for p, _ in pairs]])
    for _ in range(4):
        z = minimize(value, z, jac=gradient, constraints=rules, method='SLSQP', options={'maxiter': 2000, 'ftol': 1e-15}).x
    M = matrix(z)
    return np.trace(S @ np.linalg.inv(M)) * sens2(M)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'epochs.inc'), 'w') as f:
    f.write('/* made by tests/tables/epochs.py: n, b, the least loss by sequential quadratic programming, good to 1e-9 */\n')
    for n, b in [(4, 4), (2, 1), (3, 2), (4, 2), (6, 2), (7, 3), (8, 4), (9, 8), (10, 3), (12, 4), (12, 1), (14, 5), (16, 4), (16, 5)]:
        f.write('{%d, %d, %.12g},\n' % (n, b, least_loss(n, b)))
