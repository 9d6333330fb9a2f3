#include "base/environment.h"

#include <stddef.h>

const struct summand__environment_row summand__environment[] = {
    {"SUMMAND_ARCH", "generic|avx2|avx512|neon", "the best that the processor has",
     "instruction set of the kernels; changes the speed, never a result"},
    {NULL, NULL, NULL, NULL}};
