/* The word for every choice, from the lists in finf.h: the same lists make the enums, so that no
 * choice is without its word. A number that is no choice has none, NULL. */
#include <stddef.h>

#include "finf.h"

/* One row of a list becomes a case, a whole list a function. */
#define CASE(constant, number, word, meaning)                                                      \
    case constant:                                                                                 \
        return word;
#define NAME(function, type, LIST)                                                                 \
    const char *function(type choice)                                                              \
    {                                                                                              \
        switch (choice) {                                                                          \
            LIST(CASE)                                                                             \
        }                                                                                          \
        return NULL;                                                                               \
    }

NAME(finf_iqc_bound_name, finf_iqc_bound, FINF_IQC_BOUND_LIST)
NAME(finf_iqc_class_name, finf_iqc_class, FINF_IQC_CLASS_LIST)
NAME(finf_iqc_constants_name, finf_iqc_constants, FINF_IQC_CONSTANTS_LIST)
NAME(finf_iqc_solver_name, finf_iqc_solver, FINF_IQC_SOLVER_LIST)
NAME(finf_curve_gamma_name, finf_curve_gamma, FINF_CURVE_GAMMA_LIST)
NAME(finf_design_objective_name, finf_design_objective, FINF_DESIGN_OBJECTIVE_LIST)
NAME(finf_design_count_name, finf_design_count, FINF_DESIGN_COUNT_LIST)
NAME(finf_simulate_problem_name, finf_simulate_problem, FINF_SIMULATE_PROBLEM_LIST)
NAME(finf_blt_objective_name, finf_blt_objective, FINF_BLT_OBJECTIVE_LIST)
NAME(finf_stream_dtype_name, finf_stream_dtype, FINF_STREAM_DTYPE_LIST)
NAME(finf_audit_coef_name, finf_audit_coef, FINF_AUDIT_COEF_LIST)
NAME(finf_audit_level_name, finf_audit_level, FINF_AUDIT_LEVEL_LIST)
NAME(finf_audit_quantity_name, finf_audit_quantity, FINF_AUDIT_CLAIM_LIST)
