"""The rows of the reference tables: inputs only, all of them doubles. See generate.py."""
from math import cos

def fir(pairs, first=1.0):
    """Coefficients with zeros near 1/(r e^{+-i phi}) for (r, phi) in pairs; phi = None is the real zero 1/r."""
    b = [first]
    for r, phi in pairs:
        f = [1.0, -r] if phi is None else [1.0, -2 * r * cos(phi), r * r]
        b = [sum(b[i] * f[k - i] for i in range(len(b)) if 0 <= k - i < len(f)) for k in range(len(b) + len(f) - 1)]
    return ','.join(map(repr, b))

LONG = fir([(.9, .3), (.8, 1.1), (.7, 2.0), (.95, 2.6), (.5, None), (-.6, None), (.3, None)])  # 12 coefficients

ELLINT_I = [  # a, b: a grid, both sides of a = b, a or b at and near 1, b above 1
    *((a, b) for a in (.9, .5, .1, 1e-2, 1e-4, 1e-8, 1e-12) for b in (.99, .75, .5, .1, 1e-2, 1e-3, 1e-5, 1e-9, 1e-13)),
    *((a, a * (1 + s * e)) for a in (.9, .3, 1e-2, 1e-6, 1e-11) for e in (1e-3, 1e-8, 1e-14) for s in (-1, 1)),
    *((a, a) for a in (1.0, .7, 1e-3, 1e-6, 1e-11)),
    *((1.0, b) for b in (1 - 1e-14, 1 - 1e-8, .999, .5, 1e-3, 1e-9, 1e-13)),
    *((a, 1.0) for a in (1 - 1e-14, 1 - 1e-8, .999, .5, 1e-2, 1e-8, 1e-12)),
    *((a, b) for a in (1.0, .9, .3, 1e-2, 1e-6, 1e-12) for b in (1.001, 1.3, 1.9, 1.999)),
    *((a, b) for a in (.7, .2, 1e-3, 1e-6, 1e-10) for b in (.7, .03, 1e-4, 1e-7, 1e-11) if a != b)]

ELLINT_K = [1e-300, 1e-100, 1e-30, 1e-16, 1e-12, 1e-8, 1.4e-8, 1e-5, 1e-3, .01, .1, .3, .5, .9, 1 - 1e-8, 1.0,
            1 + 1e-8, 1.1, 2.0, 10.0, 1e3, 1e6]  # m1

M = [1e-20, 1e-12, 1.4e-8, 1e-3, .5, .9, 1.0, 2.0]
P = [1e-12, 1e-6, 1e-2, .5, 1 - 1e-9, 1.0, 1 + 1e-9, 1.5, 30.0, 1e6, 1e12]
ELLINT_PI = [(p, m) for m in M for p in P]
ELLINT_PI += [(m * (1 + e), m) for m in M for e in (0, -1e-3, 1e-3, -1e-10, 1e-10) if e or m not in P]

GAMMA = [
    'sgd', 'cc', *('nu:%g' % v for v in (1, .9, .5, .1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12)),
    *('power:%g,%g' % (p, v) for p in (0, .25, .4, .5, .75, 1) for v in (.5, 1e-2, 1e-6, 1e-10)),
    *('antipgd:%g' % v for v in (1, .9, .1, 1e-4, 1e-8)),
    *('beta:' + b for b in [
        '1', '2', '1,-0.5', '1,0.5', '-3,1.5', '0.1,-0.05,0.02', '1,-0.9,0.3', '1,-0.999', '1,-0.999999', '1,0.999999',
        '1,-1.8,0.81', '1,-0.3,-0.2,-0.1,-0.05', '1,0,0,0.5', '1,0.5,0', LONG, fir([(.999, .7)]), fir([(.999999, 2.0)]),
        fir([(.999, .7), (.9, 2.0), (.5, None)], 3.0), fir([(.999999, 1.3), (.99, None), (-.99, None)]),
        fir([(.99, .1), (.98, .2), (.97, .3)]),
        # the doubles exactly: zeros outside by 8e-9 (several), 1e-15 and 3e-17
        '1.0,0.5484875483375443,-1.1904800412152006,-0.4181627215532161,-0.41243471138153587,0.04617622245624772,'
        '1.2516230310568794,-0.17650099003538106,-0.6487082192549477', '1,-0.999999999999999', '1,-0.3,-0.7',
        '1,-2', '1,-1', '1,1', '1,-2,1', '1,0,1', '1,-1.5,0.5', '1,-0.5,1,-0.5', '3,0.5,-3.5', '1,-1.3,0.3', '0.5,-1',
        '1,-1.000001',  # from here: a zero in |z| <= 1
        fir([(1.001, .7), (.5, None)]), fir([(1.000001, 2.0), (.9, 1.0)]),
        fir([(.9, .3), (.8, 1.1), (.5, None), (-1.5, None)])]),
    *('strategy:' + c for c in ['1', '1,0.5,0.375,0.3125', '2,-0.3,0.1', fir([(.999, .5), (.3, None)])]),
    *('blt:' + c for c in [
        '0.9;0.4', '0.9;-0.05', '0.9,0.5;0.3,0.1', '0.9,0.5;-0.05,-0.1', '0.9999,0.99;0.01,0.1', '0.999999,0.5;0.01,0.2',
        '0.99,0.9,0.5,0.1;0.02,0.08,0.2,0.19'])]

TJ = [('sgd', 1e-12), ('sgd', .1), ('sgd', 1.99)] + [(s, b) for s in [
    'nu:0.5', 'nu:1e-2', 'nu:1e-6', 'nu:1e-10', 'power:0.25,1e-2', 'power:0.75,1e-6', 'power:0.4,1e-10', 'antipgd:0.1',
    'antipgd:1e-4', 'cc', 'beta:1,-0.5', 'beta:2,-1.2,0.3,0.7', 'beta:' + LONG, 'strategy:1,0.5,0.375,0.3125',
    'strategy:' + fir([(.999, None), (.5, 2.0)]), 'strategy:' + fir([(.999, .7)]), 'blt:0.9,0.5;-0.05,-0.1',
    'blt:0.9999,0.8;0.01,0.2', 'blt:0.999,0.9,0.5,0.1;0.01,0.07,0.2,0.19']
    for b in (1e-12, 1e-9, 1e-6, 1e-3, .02, .1, .5, .9, 1.0, 1.5, 1.99)]

# what a review broke once: crowded decays, b next to 1 and to 2
MANY = 'blt:0.5,0.8,0.9,0.95,0.98,0.99,0.995,0.998,0.999,0.9999;0.05,0.04,0.03,0.02,0.01,0.01,0.01,0.005,0.005,0.001'
TJ += [(MANY, b) for b in (1e-6, .01, .1, 1.5)] + [('cc', 1 - 1e-12), ('cc', .9999), ('cc', 1 + 1e-9)]
TJ += [(s, b) for s in ('power:0.3,0.5', 'nu:0.5') for b in (1.999999, 1.9999999999)]

NOISE = ['sgd', 'nu:0.1', 'nu:1e-6', 'nu:1', 'power:0.25,0.01', 'power:0.75,1e-4', 'antipgd:0.05', 'cc',
         'beta:1,-0.5,0.1', 'beta:1,-2', 'strategy:1,0.5,0.375,0.3125', 'blt:0.9,0.5;0.3,0.1']
SETTING = [(1.0, 1.0, 1.0, 0.0), (1.5, .5, 2.0, .3), (.1, .25, 1.0, 1.0), (1e-6, 2.0, .5, 0.0), (1e-2, 1e-3, 1.0, 10.0),
           (.5, 30.0, 3.0, .01), (1e-3, 1.0, 1.0, .2)]  # eta, rho, clip, sigma_sgd
MEAN = [(s, *SETTING[(3 * i + j) % 7]) for i, s in enumerate(NOISE) for j in range(3)]
MEAN += [('nu:%r' % e, e, 1.0, 1.0, 0.0) for e in (.5, .1, 1e-2, 1e-4, 1e-6, 1e-10)]  # the optimum
MEAN += [('sgd', 1.99, 1.0, 1.0, .5), ('nu:0.001', 1.99, 1.0, 1.0, .5)]

NOISE = ['sgd', 'nu:0.003', 'nu:1e-8', 'power:0.25,0.01', 'power:0.75,1e-4', 'antipgd:0.01', 'beta:1,-0.5,0.1',
         'strategy:1,0.5,0.375,0.3125', 'blt:0.99,0.5;0.2,0.3', 'cc']
SPECTRUM = [('power:1', 16), ('power:2', 200), ('exp:0.5', 20), ('flat', 8), ('step', 100), ('list:1,0.5,0.25', 3),
            ('power:0.5', 64), ('exp:0.02', 300), ('list:0.7', 1), ('power:0', 5)]
SETTING = [(.02, 1.0, 1.0, 0.0, 0.0), (.01, .5, 2.0, .3, 0.0), (1e-3, 1.0, 1.0, .1, 3.0), (1e-6, 2.0, .5, 1.0, -1.2),
           (.04, .25, 1.0, 0.0, -2.0)]  # eta, rho, clip, sigma_sgd, kurtosis
LINREG = [(NOISE[(i + 3 * j) % 10], *s, *SETTING[(i + j) % 5]) for i, s in enumerate(SPECTRUM) for j in range(3)]
LINREG += [(noise, spec, d, eta, 1.0, 1.0, sgd, kx) for noise, spec, d, eta, sgd, kx in [  # large steps, some unstable
    ('nu:0.05', 'list:1,0.1', 2, .5, .2, 0.0), ('sgd', 'flat', 1, .6, .2, 0.0), ('sgd', 'flat', 1, .7, .2, 0.0),
    ('nu:0.1', 'flat', 1, 1.3, 0.0, -2.0), ('nu:0.1', 'flat', 1, 1.95, .1, -1.0), ('nu:1e-3', 'power:1', 40, .9, .1, 0.0),
    ('antipgd:0.1', 'flat', 30, .1, 0.0, 0.0), ('blt:0.9,0.5;0.3,0.1', 'step', 10, .3, .5, 6.0),
    ('beta:1,-1', 'power:1', 10, .05, .1, 0.0), ('power:0.5,0.002', 'list:3,1,0.001', 3, .1, .1, .5)]]

PRIVACY = [(r, d) for r in (1e-8, 1e-4, .01, .1506840301548885, 1.0, 10.0, 1e4)
           for d in (1e-300, 1e-30, 1e-10, 1e-5, .01, .5)]  # rho, delta
PRIVACY += [(.81, 1e-10), (1.0, 1e-15), (.5, 1e-3), (1e3, 1e-6), (.1, .1), (2.0, .25)]
