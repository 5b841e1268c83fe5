/* theta -= eta g. P = x/(1 - x). (theory 11.1) */
#include "optimizer.h"

static finf_status read(const char *text, finf_optimizer *o, finf_reason *why)
{
    if (*text)
        return finf_why(why, FINF_EPARSE, "optimizer 'sgd:%.60s': sgd takes no number", text);
    o->nb = 2;
    o->b[1] = 1;
    o->na = 2;
    o->rest[0] = 1;
    return FINF_OK;
}

const optimizer_rule optimizer_sgd = {"sgd", "sgd", "theta -= eta g", read};
