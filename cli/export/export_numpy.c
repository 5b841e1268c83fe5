/* --export numpy: a class with a step function; normals from the system unless others are given. */
#include "export.h"

/* clang-format off */

static const char HEAD[] =
    "#!/usr/bin/env python3\n"
    "@ABOUT@#\n"
    "# Test:     python3 noise.py\n"
    "import os\n"
    "\n"
    "import numpy as np\n"
    "\n"
    "STEPS = @STEPS@  # of the run: there is no noise after them; 0: any number\n"
    "SIGMA = @SIGMA@  # of w, where z is added to the sum of clipped gradients\n"
    "BATCH = @BATCH@  # 1: added to the sum; n: to the mean over n examples\n"
    "MEMORY = @MEMORY@  # vectors of state\n";

static const char WHITE[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z = GAIN w.\"\"\"\n"
    "    return GAIN * w\n"
    "\n"
    "\n";

static const char BUFFERS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z = w - sum_i SCALE_i S_i, then S_i = S_i - (1 - DECAY_i) S_i + z: in\n"
    "    float32 what S_i loses in a step has its digits.\"\"\"\n"
    "    z = w - np.tensordot(SCALE.astype(past.dtype), past, 1)\n"
    "    past += (DECAY - 1).astype(past.dtype).reshape((-1,) + (1,) * w.ndim) * past\n"
    "    past += z\n"
    "    return z\n"
    "\n"
    "\n";

static const char OUTPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = (w_t - sum_{s>0} C_s z_{t-s})/C_0; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = 1 + (t - 1 - np.arange(MEMORY)) % MEMORY\n"
    "    z = (w - np.tensordot(C[lag].astype(past.dtype), past, 1)) / C[0]\n"
    "    past[t % MEMORY] = z\n"
    "    return z\n"
    "\n"
    "\n";

static const char INPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_s BETA_s w_{t-s}; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = (t - np.arange(MEMORY)) % MEMORY\n"
    "    past[t % MEMORY] = w\n"
    "    return np.tensordot(BETA[lag].astype(past.dtype), past, 1)\n"
    "\n"
    "\n";

static const char ROWS[] =
    "B = np.zeros((STEPS, STEPS))\n"
    "B[np.tril_indices(STEPS)] = ROWS\n"
    "\n"
    "\n"
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_{s<=t} B_ts w_s.\"\"\"\n"
    "    past[t] = w\n"
    "    return np.tensordot(B[t, :t + 1].astype(past.dtype), past[:t + 1], 1)\n"
    "\n"
    "\n";

static const char STEPS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"y = w - sum_i OUT_ti S_i, then S_i = DECAY_ti S_i + IN_ti y; z = GAIN_t y.\"\"\"\n"
    "    column = (-1,) + (1,) * w.ndim\n"
    "    decay, out, into = (x.astype(past.dtype) for x in (DECAY[t], OUT[t], IN[t]))\n"
    "    y = w - np.tensordot(out, past, 1)\n"
    "    past *= decay.reshape(column)\n"
    "    past += into.reshape(column) * y\n"
    "    return float(GAIN[t]) * y\n"
    "\n"
    "\n";

static const char TAIL[] =
    "def secure_normals(shape):\n"
    "    \"\"\"Independent standard normals of the system's random bytes (Box and Muller).\"\"\"\n"
    "    n = int(np.prod(shape, dtype=int))\n"
    "    words = np.frombuffer(os.urandom(16 * ((n + 1) // 2)), dtype=np.uint64).reshape(2, -1)\n"
    "    u, v = ((words >> np.uint64(11)) + 0.5) * 2.0**-53\n"
    "    r, phi = np.sqrt(-2 * np.log(u)), 2 * np.pi * v\n"
    "    return np.concatenate([r * np.cos(phi), r * np.sin(phi)])[:n].reshape(shape)\n"
    "\n"
    "\n"
    "class Noise:\n"
    "    \"\"\"The noise of a run, step by step, for gradients of one shape.\n"
    "\n"
    "    normals: from a shape to independent standard normals. Privacy needs ones that\n"
    "    nobody can predict, as the default's; np.random.default_rng(1).standard_normal is for\n"
    "    experiments.\n"
    "    \"\"\"\n"
    "\n"
    "    def __init__(self, shape, normals=secure_normals, dtype=np.float64):\n"
    "        self.shape, self.normals, self.t = tuple(np.atleast_1d(shape)), normals, 0\n"
    "        # in float16 it would be another noise\n"
    "        self.past = np.zeros((MEMORY,) + self.shape, np.promote_types(dtype, np.float32))\n"
    "\n"
    "    def step(self):\n"
    "        \"\"\"What is to be added to @ADDED@ of the next step's clipped gradients.\"\"\"\n"
    "        return SIGMA / BATCH * self.apply(self.normals(self.shape))\n"
    "\n"
    "    def apply(self, w):\n"
    "        \"\"\"The same of w, at sigma = 1.\"\"\"\n"
    "        if STEPS and self.t >= STEPS:\n"
    "            raise RuntimeError(f\"the noise was designed for {STEPS} steps\")\n"
    "        z = correlate(self.t, self.past, np.asarray(w, self.past.dtype))\n"
    "        self.t += 1\n"
    "        return z\n"
    "\n"
    "    def state(self):\n"
    "        \"\"\"What it takes to go on. A secret.\"\"\"\n"
    "        return {\"t\": self.t, \"past\": self.past.copy()}\n"
    "\n"
    "    def restore(self, state):\n"
    "        self.t, self.past = int(state[\"t\"]), np.array(state[\"past\"], self.past.dtype)\n"
    "\n"
    "\n"
    "# What finf makes, at sigma = 1, of two known w: 1, 0, 0, .. and\n"
    "# ((7t + 3) mod 5) - 2.\n"
    "EXPECTED = [\n"
    "@TEST@]\n"
    "\n"
    "\n"
    "def self_test():\n"
    "    noise = Noise(2)\n"
    "    z = [noise.apply([t == 0, (7 * t + 3) % 5 - 2]) for t in range(@TEST_STEPS@)]\n"
    "    want = np.array([x[1:] for x in EXPECTED])\n"
    "    off = np.abs(np.array([z[x[0]] for x in EXPECTED]) - want).max()\n"
    "    good = off <= 1e-12 * np.abs(want).max()\n"
    "    print(f\"self-test {'passed' if good else 'FAILED'}: {want.size} values of finf, \"\n"
    "          f\"off by at most {off:.1e}\")\n"
    "    return good\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    raise SystemExit(not self_test())\n";

/* clang-format on */

const export_template export_numpy = {
    .comment = "#",
    .list = {"np.array([float(x) for x in \"\"\"", "\n\"\"\".split()])"},
    .between = "",
    .pair = {"(", ", ", ")"},
    .head = HEAD,
    .coef = export_python_coef,
    .filter = {WHITE, BUFFERS, OUTPUTS, INPUTS, ROWS, STEPS},
    .tail = TAIL,
};
