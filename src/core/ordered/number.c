/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/number.h"

#include <stdint.h>
#include <string.h>

#include "kernel/fpenv.h"

/* One function per operator and type: a forest's values are combined one by one, and each call adds
 * to the latency of a short sum. The rules are those of kernel/tree.h. */
#define REDUCE(T, name, value)                                                                     \
    static void reduce_##name(const void *context, const void *in, void *inout, size_t count)      \
    {                                                                                              \
        const T *left = in;                                                                        \
        T *right = inout;                                                                          \
        (void)context;                                                                             \
        for (size_t i = 0; i < count; i++) {                                                       \
            T a = left[i], b = right[i];                                                           \
            right[i] = (value);                                                                    \
        }                                                                                          \
    }
REDUCE(double, sum_f64, a + b)
REDUCE(double, min_f64, a < b ? a : b)
REDUCE(double, max_f64, a > b ? a : b)
REDUCE(double, prod_f64, a *b)
REDUCE(float, sum_f32, a + b)
REDUCE(float, min_f32, a < b ? a : b)
REDUCE(float, max_f32, a > b ? a : b)
REDUCE(float, prod_f32, a *b)

typedef void reduce_function(const void *context, const void *in, void *inout, size_t count);

static reduce_function *const reduces[SUMMAND__TREE_KINDS][2] = {
    [SUMMAND__TREE_SUM] = {reduce_sum_f64, reduce_sum_f32},
    [SUMMAND__TREE_ASUM] = {reduce_sum_f64, reduce_sum_f32},
    [SUMMAND__TREE_SQUARES] = {reduce_sum_f64, reduce_sum_f32},
    [SUMMAND__TREE_DOT] = {reduce_sum_f64, reduce_sum_f32},
    [SUMMAND__TREE_MIN] = {reduce_min_f64, reduce_min_f32},
    [SUMMAND__TREE_MAX] = {reduce_max_f64, reduce_max_f32},
    [SUMMAND__TREE_PROD] = {reduce_prod_f64, reduce_prod_f32},
};

/* For callers that have not set the default environment; the context is the function's place in
 * `reduces`. */
static void reduce_guarded(const void *context, const void *in, void *inout, size_t count)
{
    reduce_function *const *reduce = context;
    struct summand__fpenv_plain saved = summand__fpenv_enter();
    (*reduce)(NULL, in, inout, count);
    summand__fpenv_leave(saved);
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

#define PAIRS(suffix)                                                                              \
    static void add_pairs_##suffix(const void *context, const void *in, void *inout, size_t count) \
    {                                                                                              \
        reduce_sum_##suffix(context, in, inout, 2 * count);                                        \
    }                                                                                              \
    static void copy_pairs_##suffix(const void *context, const void *from, void *to, size_t count) \
    {                                                                                              \
        copy_##suffix(context, from, to, 2 * count);                                               \
    }
PAIRS(f64)
PAIRS(f32)

struct summand__operator summand__pair_operator(bool single)
{
    return (struct summand__operator){
        .extent = 2 * (single ? sizeof(float) : sizeof(double)),
        .reduce = single ? add_pairs_f32 : add_pairs_f64,
        .copy = single ? copy_pairs_f32 : copy_pairs_f64,
    };
}

struct summand__operator summand__number_operator(enum summand__tree_kind kind, bool single,
                                                  bool guarded)
{
    return (struct summand__operator){
        .extent = single ? sizeof(float) : sizeof(double),
        .context = &reduces[kind][single],
        .reduce = guarded ? reduce_guarded : reduces[kind][single],
        .copy = single ? copy_f32 : copy_f64,
    };
}

/* Uses integer tests: the caller may have set denormals-are-zero or unmasked exceptions. */
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
