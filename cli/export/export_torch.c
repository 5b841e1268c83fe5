/* --export torch: noise for the gradients of a list of parameters; normals from the system unless
 * others are given. */
#include "export.h"

/* clang-format off */

static const char HEAD[] =
    "#!/usr/bin/env python3\n"
    "@ABOUT@#\n"
    "#     noise = Noise(model.parameters())\n"
    "#     for x, y in data:\n"
    "#         optimizer.zero_grad()\n"
    "#         ..                        # @ADDED@ of clipped gradients into p.grad\n"
    "#         noise.add_to_gradients()\n"
    "#         optimizer.step()\n"
    "#\n"
    "# Test:     python3 noise.py\n"
    "import math\n"
    "import os\n"
    "\n"
    "import torch\n"
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
    "    z = w - torch.tensordot(SCALE.to(past), past, 1)\n"
    "    past.addcmul_(past, (DECAY - 1).to(past).reshape((-1,) + (1,) * w.dim())).add_(z)\n"
    "    return z\n"
    "\n"
    "\n";

static const char OUTPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = (w_t - sum_{s>0} C_s z_{t-s})/C_0; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = 1 + (t - 1 - torch.arange(MEMORY)) % MEMORY\n"
    "    z = (w - torch.tensordot(C[lag].to(past), past, 1)) / float(C[0])\n"
    "    past[t % MEMORY] = z\n"
    "    return z\n"
    "\n"
    "\n";

static const char INPUTS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_s BETA_s w_{t-s}; step t is kept at t mod MEMORY.\"\"\"\n"
    "    lag = (t - torch.arange(MEMORY)) % MEMORY\n"
    "    past[t % MEMORY] = w\n"
    "    return torch.tensordot(BETA[lag].to(past), past, 1)\n"
    "\n"
    "\n";

static const char ROWS[] =
    "B = torch.zeros(STEPS, STEPS, dtype=torch.float64)\n"
    "B[tuple(torch.tril_indices(STEPS, STEPS))] = ROWS\n"
    "\n"
    "\n"
    "def correlate(t, past, w):\n"
    "    \"\"\"z_t = sum_{s<=t} B_ts w_s.\"\"\"\n"
    "    past[t] = w\n"
    "    return torch.tensordot(B[t, :t + 1].to(past), past[:t + 1], 1)\n"
    "\n"
    "\n";

static const char STEPS[] =
    "def correlate(t, past, w):\n"
    "    \"\"\"y = w - sum_i OUT_ti S_i, then S_i = DECAY_ti S_i + IN_ti y; z = GAIN_t y.\"\"\"\n"
    "    column = (-1,) + (1,) * w.dim()\n"
    "    decay, out, into = (x.to(past) for x in (DECAY[t], OUT[t], IN[t]))\n"
    "    y = w - torch.tensordot(out, past, 1)\n"
    "    past.mul_(decay.reshape(column)).add_(into.reshape(column) * y)\n"
    "    return float(GAIN[t]) * y\n"
    "\n"
    "\n";

static const char TAIL[] =
    "def secure_normals(shape):\n"
    "    \"\"\"Independent standard normals of the system's random bytes (Box and Muller).\"\"\"\n"
    "    n = math.prod(shape)\n"
    "    random = bytearray(os.urandom(16 * ((n + 1) // 2) or 16))\n"
    "    words = torch.frombuffer(random, dtype=torch.int64)\n"
    "    u, v = ((words & (2**53 - 1)).to(torch.float64).reshape(2, -1) + 0.5) * 2.0**-53\n"
    "    r, phi = torch.sqrt(-2 * torch.log(u)), 2 * math.pi * v\n"
    "    return torch.cat([r * torch.cos(phi), r * torch.sin(phi)])[:n].reshape(shape)\n"
    "\n"
    "\n"
    "class Noise:\n"
    "    \"\"\"The noise of a run, step by step, for the gradients of `params`.\n"
    "\n"
    "    normals: from a shape to independent standard normals. Privacy needs ones that\n"
    "    nobody can predict, as the default's; torch.randn, which has a seed, is for experiments.\n"
    "    \"\"\"\n"
    "\n"
    "    def __init__(self, params, normals=secure_normals):\n"
    "        self.params = [p for p in params if p.requires_grad]\n"
    "        self.normals, self.t = normals, 0\n"
    "        self.past = [torch.zeros((MEMORY, *p.shape), device=p.device,\n"
    "                                 dtype=torch.promote_types(p.dtype, torch.float32))\n"
    "                     for p in self.params]  # in bfloat16 it would be another noise\n"
    "\n"
    "    @torch.no_grad()\n"
    "    def step(self):\n"
    "        \"\"\"What is to be added to @ADDED@ of the next step's clipped gradients, a tensor\n"
    "        for each parameter.\"\"\"\n"
    "        w = [self.normals(p.shape) for p in self.params]\n"
    "        return [SIGMA / BATCH * z for z in self.apply(w)]\n"
    "\n"
    "    @torch.no_grad()\n"
    "    def add_to_gradients(self):\n"
    "        \"\"\"The same, into p.grad; parameters without a gradient get it too.\"\"\"\n"
    "        for p, z in zip(self.params, self.step()):\n"
    "            p.grad = z.to(p.dtype) if p.grad is None else p.grad.add_(z)\n"
    "\n"
    "    @torch.no_grad()\n"
    "    def apply(self, w):\n"
    "        \"\"\"The noise of w, a tensor for each parameter, at sigma = 1.\"\"\"\n"
    "        if STEPS and self.t >= STEPS:\n"
    "            raise RuntimeError(f\"the noise was designed for {STEPS} steps\")\n"
    "        z = [correlate(self.t, past, x.to(past)) for past, x in zip(self.past, w)]\n"
    "        self.t += 1\n"
    "        return z\n"
    "\n"
    "    def state_dict(self):\n"
    "        \"\"\"What it takes to go on. A secret.\"\"\"\n"
    "        return {\"t\": self.t, \"past\": [past.clone() for past in self.past]}\n"
    "\n"
    "    def load_state_dict(self, state):\n"
    "        self.t = int(state[\"t\"])\n"
    "        for past, kept in zip(self.past, state[\"past\"]):\n"
    "            past.copy_(kept)\n"
    "\n"
    "\n"
    "# What finf makes, at sigma = 1, of two known w: 1, 0, 0, .. and\n"
    "# ((7t + 3) mod 5) - 2.\n"
    "EXPECTED = [\n"
    "@TEST@]\n"
    "\n"
    "\n"
    "def self_test():\n"
    "    noise = Noise([torch.zeros(2, dtype=torch.float64, requires_grad=True)])\n"
    "    w = [torch.tensor([t == 0, (7 * t + 3) % 5 - 2]) for t in range(@TEST_STEPS@)]\n"
    "    z = [noise.apply([x])[0] for x in w]\n"
    "    want = torch.tensor([x[1:] for x in EXPECTED], dtype=torch.float64)\n"
    "    off = (torch.stack([z[x[0]] for x in EXPECTED]) - want).abs().max().item()\n"
    "    good = off <= 1e-12 * want.abs().max().item()\n"
    "    print(f\"self-test {'passed' if good else 'FAILED'}: {want.numel()} values of finf, \"\n"
    "          f\"off by at most {off:.1e}\")\n"
    "    return good\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    raise SystemExit(not self_test())\n";

/* clang-format on */

const export_template export_torch = {
    .comment = "#",
    .list = {"torch.tensor([float(x) for x in \"\"\"", "\n\"\"\".split()], dtype=torch.float64)"},
    .between = "",
    .pair = {"(", ", ", ")"},
    .head = HEAD,
    .coef = export_python_coef,
    .filter = {WHITE, BUFFERS, OUTPUTS, INPUTS, ROWS, STEPS},
    .tail = TAIL,
};
