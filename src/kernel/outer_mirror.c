/* The lower half of a symmetric G. */
#include <string.h>

#include "kernel/outer.h"

static const struct {
    const char *name;
    size_t factor, result;
} types[SUMMAND__OUTER_TYPES] = {
    [SUMMAND__OUTER_F64] = {"f64", sizeof(double), sizeof(double)},
    [SUMMAND__OUTER_F32] = {"f32", sizeof(float), sizeof(float)},
    [SUMMAND__OUTER_BF16] = {"bf16", sizeof(uint16_t), sizeof(float)},
    [SUMMAND__OUTER_F16] = {"f16", sizeof(uint16_t), sizeof(float)},
};

size_t summand__outer_factor_size(enum summand__outer_type type)
{
    return types[type].factor;
}

size_t summand__outer_result_size(enum summand__outer_type type)
{
    return types[type].result;
}

const char *summand__outer_type_name(enum summand__outer_type type)
{
    return types[type].name;
}

/* Rows and columns of a square whose lines a first-level cache holds, on both sides. */
enum { SQUARE = 32 };

/* Row i below columns [first, end) of the diagonal. */
static inline __attribute__((always_inline)) void mirror_row(char *g, size_t ldg, size_t i,
                                                             size_t first, size_t end, size_t size)
{
    for (size_t j = first; j < end; j++)
        memcpy(g + (i * ldg + j) * size, g + (j * ldg + i) * size, size);
}

void summand__outer_mirror(enum summand__outer_type type, void *g, size_t ldg, size_t first,
                           size_t rows)
{
    for (size_t begin = first; begin < first + rows; begin += SQUARE) {
        const size_t past = begin + SQUARE < first + rows ? begin + SQUARE : first + rows;
        for (size_t left = 0; left < past; left += SQUARE)
            for (size_t i = begin; i < past; i++) {
                const size_t end = left + SQUARE < i ? left + SQUARE : i;
                if (types[type].result == sizeof(double))
                    mirror_row(g, ldg, i, left, end, sizeof(double));
                else
                    mirror_row(g, ldg, i, left, end, sizeof(float));
            }
    }
}
