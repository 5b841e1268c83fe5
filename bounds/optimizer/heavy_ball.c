/* Heavy ball, PyTorch's SGD(momentum=m): buf = m buf + g; theta -= eta buf, so that
 * P = x/((1 - x)(1 - m x)). (theory 11.1) */
#include "optimizer.h"

static finf_status read(const char *text, finf_optimizer *o, finf_reason *why)
{
    finf_status s = optimizer_read_momentum(text, "heavy-ball", &o->momentum, why);
    o->nb = 2;
    o->b[1] = 1;
    o->na = 3;
    o->rest[0] = 1;
    o->rest[1] = -o->momentum;
    return s;
}

const optimizer_rule optimizer_heavy_ball = {"heavy-ball", "heavy-ball:M",
                                             "buf = M buf + g; theta -= eta buf", read};
