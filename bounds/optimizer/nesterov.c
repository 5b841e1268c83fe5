/* Nesterov's, PyTorch's SGD(momentum=m, nesterov=True): buf = m buf + g; theta -= eta (g + m buf).
 * theta is where the next gradient is taken: the look-ahead is in it. P = x (1 + m (1 - x)) /
 * ((1 - x)(1 - m x)). (theory 11.1) */
#include "optimizer.h"

static finf_status read(const char *text, finf_optimizer *o, finf_reason *why)
{
    finf_status s = optimizer_read_momentum(text, "nesterov", &o->momentum, why);
    double m = o->momentum;
    o->nb = 3;
    o->b[1] = 1 + m;
    o->b[2] = -m;
    o->na = 3;
    o->rest[0] = 1;
    o->rest[1] = -m;
    return s;
}

const optimizer_rule optimizer_nesterov = {"nesterov", "nesterov:M",
                                           "buf = M buf + g; theta -= eta (g + M buf)", read};
