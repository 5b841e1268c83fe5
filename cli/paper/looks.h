/* A colour stands for the same noise in every figure. */
#ifndef FINF_LOOKS_H
#define FINF_LOOKS_H

#include "plot.h"

enum { LOOK_NU, LOOK_SGD, LOOK_BEST, LOOK_OTHER_NOISE, LOOK_BOUND = PLOT_GREY };

#endif
