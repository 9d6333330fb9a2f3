#include "ordered/number.h"

#include <stdint.h>
#include <string.h>

#include "kernel/forest.h"

static void reduce_f64(const void *context, const void *in, void *inout, size_t count)
{
    const enum summand__tree_kind *kind = context;
    const double *left = in;
    double *right = inout;
    for (size_t i = 0; i < count; i++)
        right[i] = summand__tree_combine_f64(*kind, left[i], right[i]);
}

static void reduce_f32(const void *context, const void *in, void *inout, size_t count)
{
    const enum summand__tree_kind *kind = context;
    const float *left = in;
    float *right = inout;
    for (size_t i = 0; i < count; i++)
        right[i] = summand__tree_combine_f32(*kind, left[i], right[i]);
}

static void copy_f64(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(double));
}

static void copy_f32(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(float));
}

struct summand__operator summand__number_operator(enum summand__tree_kind kind, bool single)
{
    static const enum summand__tree_kind kinds[SUMMAND__TREE_KINDS] = {
        SUMMAND__TREE_SUM, SUMMAND__TREE_ASUM, SUMMAND__TREE_SQUARES, SUMMAND__TREE_DOT,
        SUMMAND__TREE_MIN, SUMMAND__TREE_MAX,  SUMMAND__TREE_PROD};
    return (struct summand__operator){
        .extent = single ? sizeof(float) : sizeof(double),
        .context = &kinds[kind],
        .reduce = single ? reduce_f32 : reduce_f64,
        .copy = single ? copy_f32 : copy_f64,
    };
}

/* Integer tests: the caller may have set denormals-are-zero or unmasked exceptions. */
void summand__number_store(const void *value, bool single, void *result)
{
    if (single) {
        uint32_t bits;
        memcpy(&bits, value, sizeof bits);
        if ((bits & 0x7fffffffu) > 0x7f800000u)
            bits = 0x7fc00000u;
        memcpy(result, &bits, sizeof bits);
    } else {
        uint64_t bits;
        memcpy(&bits, value, sizeof bits);
        if ((bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000))
            bits = UINT64_C(0x7ff8000000000000);
        memcpy(result, &bits, sizeof bits);
    }
}
