/* --export jax: pure functions of (state, w) on trees of arrays, for jax.jit; the caller brings the
 * normals. */
#include "export.h"

/* clang-format off */

static const char HEAD[] =
    "#!/usr/bin/env python3\n"
    "@ABOUT@#\n"
    "#     state = init(params)\n"
    "#     for batch in data:\n"
    "#         noise, state = step(state, w)     # w: standard normals like params\n"
    "#         gradient = add(gradient, noise)   # @ADDED@ of clipped gradients\n"
    "#\n"
    "# Test:     python3 noise.py\n"
    "import jax\n"
    "import jax.numpy as jnp\n"
    "import numpy as np\n"
    "\n"
    "STEPS = @STEPS@  # of the run: the noise is NaN after them; 0: any number\n"
    "SIGMA = @SIGMA@  # of w, where z is added to the sum of clipped gradients\n"
    "BATCH = @BATCH@  # 1: added to the sum; n: to the mean over n examples\n"
    "MEMORY = @MEMORY@  # vectors of state\n";

static const char WHITE[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z = GAIN w.\"\"\"\n"
    "    return GAIN * w, past\n"
    "\n"
    "\n";

static const char BUFFERS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z = w - sum_i SCALE_i S_i, then S_i = S_i - (1 - DECAY_i) S_i + z: in\n"
    "    float32 what S_i loses in a step has its digits.\"\"\"\n"
    "    z = w - jnp.tensordot(SCALE.astype(past.dtype), past, 1)\n"
    "    lost = (1 - DECAY).astype(past.dtype).reshape((-1,) + (1,) * w.ndim)\n"
    "    return z, past - lost * past + z\n"
    "\n"
    "\n";

static const char OUTPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = (w_t - sum_{s>0} C_s z_{t-s})/C_0; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = 1 + (t - 1 - jnp.arange(MEMORY)) % MEMORY\n"
    "    c = jnp.asarray(C)[lag].astype(past.dtype)\n"
    "    z = (w - jnp.tensordot(c, past, 1)) / C[0].astype(past.dtype)\n"
    "    return z, past.at[t % MEMORY].set(z)\n"
    "\n"
    "\n";

static const char INPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_s BETA_s w_{t-s}; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = (t - jnp.arange(MEMORY)) % MEMORY\n"
    "    past = past.at[t % MEMORY].set(w)\n"
    "    return jnp.tensordot(jnp.asarray(BETA)[lag].astype(past.dtype), past, 1), past\n"
    "\n"
    "\n";

static const char ROWS[] =
    "B = jnp.zeros((STEPS, STEPS)).at[jnp.tril_indices(STEPS)].set(ROWS)\n"
    "\n"
    "\n"
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_{s<=t} B_ts w_s; what is not yet there is 0.\"\"\"\n"
    "    past = past.at[t].set(w)\n"
    "    return jnp.tensordot(B[t].astype(past.dtype), past, 1), past\n"
    "\n"
    "\n";

static const char STEPS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"y = w - sum_i OUT_ti S_i, then S_i = DECAY_ti S_i + IN_ti y; z = GAIN_t y.\"\"\"\n"
    "    column = (-1,) + (1,) * w.ndim\n"
    "    numbers = (jnp.asarray(x)[t] for x in (GAIN, DECAY, OUT, IN))\n"
    "    gain, decay, out, into = (x.astype(past.dtype) for x in numbers)\n"
    "    y = w - jnp.tensordot(out, past, 1)\n"
    "    return gain * y, decay.reshape(column) * past + into.reshape(column) * y\n"
    "\n"
    "\n";

static const char TAIL[] =
    "def init(params):\n"
    "    \"\"\"The state before the first step, for gradients like `params`, a tree.\"\"\"\n"
    "    def zeros(p):  # in bfloat16 it would be another noise\n"
    "        return jnp.zeros((MEMORY,) + p.shape, jnp.promote_types(p.dtype, jnp.float32))\n"
    "\n"
    "    past = jax.tree_util.tree_map(zeros, params)\n"
    "    return {\"t\": jnp.zeros((), jnp.int32), \"past\": past}\n"
    "\n"
    "\n"
    "def apply(state, w):\n"
    "    \"\"\"(z, state) of the next step at sigma = 1. w: a tree of standard normals.\"\"\"\n"
    "    past, tree = jax.tree_util.tree_flatten(state[\"past\"])\n"
    "    pairs = zip(past, tree.flatten_up_to(w))\n"
    "    both = [correlate(state[\"t\"], a, x.astype(a.dtype)) for a, x in pairs]\n"
    "    z, past = (tree.unflatten([x[i] for x in both]) for i in (0, 1))\n"
    "    return z, {\"t\": state[\"t\"] + 1, \"past\": past}\n"
    "\n"
    "\n"
    "def step(state, w):\n"
    "    \"\"\"(noise, state): what is to be added to @ADDED@ of the clipped gradients.\n"
    "\n"
    "    Privacy needs w that nobody can predict: standard normals of a cryptographic generator\n"
    "    with a secret key. The state is a secret too.\n"
    "    \"\"\"\n"
    "    z, after = apply(state, w)\n"
    "    scale = SIGMA / BATCH * jnp.where((STEPS == 0) | (state[\"t\"] < STEPS), 1.0, jnp.nan)\n"
    "    return jax.tree_util.tree_map(lambda x: (scale * x).astype(x.dtype), z), after\n"
    "\n"
    "\n"
    "def normals(state, key):\n"
    "    \"\"\"w of a key of jax.random, a new one for every step: for experiments, as its\n"
    "    keys have 64 bits and nothing is promised of their secrecy.\"\"\"\n"
    "    past, tree = jax.tree_util.tree_flatten(state[\"past\"])\n"
    "    keys = jax.random.split(key, len(past))\n"
    "    w = [jax.random.normal(k, a.shape[1:], a.dtype) for k, a in zip(keys, past)]\n"
    "    return tree.unflatten(w)\n"
    "\n"
    "\n"
    "def add(gradient, noise):\n"
    "    return jax.tree_util.tree_map(lambda g, z: (g + z).astype(g.dtype), gradient, noise)\n"
    "\n"
    "\n"
    "# What finf makes, at sigma = 1, of two known w: 1, 0, 0, .. and\n"
    "# ((7t + 3) mod 5) - 2.\n"
    "EXPECTED = [\n"
    "@TEST@]\n"
    "\n"
    "\n"
    "def self_test():\n"
    "    state, z = init(jnp.zeros(2)), []\n"
    "    for t in range(@TEST_STEPS@):\n"
    "        w = jnp.array([float(t == 0), (7 * t + 3) % 5 - 2.0])\n"
    "        x, state = apply(state, w)\n"
    "        z.append(x)\n"
    "    want = jnp.array([[float(v) for v in x[1:]] for x in EXPECTED])\n"
    "    off = jnp.abs(jnp.stack([z[x[0]] for x in EXPECTED]) - want).max()\n"
    "    good = off <= 1e4 * jnp.finfo(want.dtype).eps * jnp.abs(want).max()\n"
    "    print(f\"self-test {'passed' if good else 'FAILED'}: {want.size} values of finf, \"\n"
    "          f\"off by at most {off:.1e}\")\n"
    "    return bool(good)\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    raise SystemExit(not self_test())\n";

/* clang-format on */

const export_template export_jax = {
    .comment = "#",
    .list = {"np.array([float(x) for x in \"\"\"", "\n\"\"\".split()])"},
    .between = "",
    .pair = {"(", ", ", ")"},
    .head = HEAD,
    .coef = export_python_coef,
    .filter = {WHITE, BUFFERS, OUTPUTS, INPUTS, ROWS, STEPS},
    .tail = TAIL,
};
