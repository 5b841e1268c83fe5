/* Which function runs which command. */
#include "cmd.h"

const command_fn RUN[CMD_COUNT] = {
    [CMD_GAMMA] = cmd_gamma,         [CMD_MEAN] = cmd_mean,       [CMD_LINREG] = cmd_linreg,
    [CMD_COEF] = cmd_coef,           [CMD_PRIVACY] = cmd_privacy, [CMD_IQC] = cmd_iqc,
    [CMD_OPTIMIZE] = cmd_optimize,   [CMD_TUNE] = cmd_tune,       [CMD_RATES] = cmd_rates,
    [CMD_CURVE] = cmd_curve,         [CMD_ERRATA] = cmd_errata,   [CMD_SIMULATE] = cmd_simulate,
    [CMD_REPRODUCE] = cmd_reproduce,
};
