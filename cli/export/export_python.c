/* The numbers of a program in Python, the same for NumPy, PyTorch and JAX. */
#include "export.h"

const char *const export_python_coef[EXPORT_KINDS] = {
    [EXPORT_WHITE] = "GAIN = @GAIN@\n\n\n",
    [EXPORT_BUFFERS] = "DECAY = @COEF@\nSCALE = @SCALE@\n\n\n",
    [EXPORT_OUTPUTS] = "C = @COEF@\n\n\n",
    [EXPORT_INPUTS] = "BETA = @COEF@\n\n\n",
    [EXPORT_ROWS] = "ROWS = @COEF@\n",
    [EXPORT_STEPS] = "# GAIN has a number for every step, the others have a row.\n"
                     "GAIN = @GAINS@\n"
                     "DECAY = @COEF@.reshape(STEPS, MEMORY)\n"
                     "OUT = @OUT@.reshape(STEPS, MEMORY)\n"
                     "IN = @IN@.reshape(STEPS, MEMORY)\n\n\n",
};
