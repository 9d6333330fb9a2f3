/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that no instruction set speeds up: long doubles, few complex products, and pairs on
 * big-endian machines. */
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "kernel/combine_extreme.h"
#include "kernel/combine_kernels.h"

#define ANYWHERE __attribute__((aligned(1), may_alias))

#define VECTOR(name, T, value)                                                                     \
    void summand__combine_##name(const void *left, const void *right, void *out, size_t count)     \
    {                                                                                              \
        typedef T ANYWHERE number;                                                                 \
        const number *x = left, *y = right;                                                        \
        number *z = out;                                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            T a = x[i], b = y[i];                                                                  \
            z[i] = (value);                                                                        \
        }                                                                                          \
    }

#define QUIET(a, nan) ((a) == (a) ? (a) : (nan))
#define QUIET_LONG(a) QUIET(a, __builtin_nanl(""))
VECTOR(sum_long, long double, QUIET_LONG(a + b))
VECTOR(prod_long, long double, QUIET_LONG(a *b))
VECTOR(min_long, long double, combine_lesser_long(a, b))
VECTOR(max_long, long double, combine_greater_long(a, b))

void summand__combine_sum_complex_long(const void *left, const void *right, void *out, size_t count)
{
    summand__combine_sum_long(left, right, out, 2 * count);
}

/* A product that is rounded before it is added, even if the compiler would fuse them: gcc 12 uses
 * vfmaddsub if neighbours are added and subtracted, in spite of -ffp-contract=off. */
#if defined(__x86_64__)
#define ROUNDED(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define ROUNDED(x) __asm__("" : "+w"(x))
#else
#define ROUNDED(x) __asm__("" : "+m"(x))
#endif
#define ROUNDED_LONG(x) /* no processor fuses these */

/* By parts, which compilers optimize better than complex numbers. If both parts are NaN, C's
 * product looks for infinities among the operands. */
#define PRODUCT(name, T, real, imaginary, nan, rounded)                                            \
    void summand__combine_prod_##name(const void *left, const void *right, void *out,              \
                                      size_t count)                                                \
    {                                                                                              \
        typedef T ANYWHERE part;                                                                   \
        const part *x = left, *y = right;                                                          \
        part *z = out;                                                                             \
        for (size_t i = 0; i < 2 * count; i += 2) {                                                \
            T a = x[i], b = x[i + 1], c = y[i], d = y[i + 1];                                      \
            T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                      \
            rounded(ac);                                                                           \
            rounded(bd);                                                                           \
            rounded(ad);                                                                           \
            rounded(bc);                                                                           \
            T re = ac - bd, im = ad + bc;                                                          \
            if (__builtin_expect((re != re) & (im != im), 0)) {                                    \
                T _Complex product = __builtin_complex(a, b) * __builtin_complex(c, d);            \
                re = real(product);                                                                \
                im = imaginary(product);                                                           \
            }                                                                                      \
            z[i] = QUIET(re, nan);                                                                 \
            z[i + 1] = QUIET(im, nan);                                                             \
        }                                                                                          \
    }
PRODUCT(complex32, float, crealf, cimagf, __builtin_nanf(""), ROUNDED)
PRODUCT(complex64, double, creal, cimag, __builtin_nan(""), ROUNDED)
PRODUCT(complex_long, long double, creall, cimagl, __builtin_nanl(""), ROUNDED_LONG)

/* Values mostly differ, and the winner is hard to predict: a branch for equal values and NaN, none
 * for the winner. `wins` is < or >. Members are stored one by one, by address: a store to a
 * struct's member may overwrite the padding. */
#define LOCATED(name, T, extreme, wins)                                                            \
    void summand__combine_##name(const void *left, const void *right, void *out, size_t count)     \
    {                                                                                              \
        typedef struct {                                                                           \
            T value;                                                                               \
            int index;                                                                             \
        } pair;                                                                                    \
        typedef T ANYWHERE number;                                                                 \
        typedef int ANYWHERE index;                                                                \
        const size_t at = offsetof(pair, index);                                                   \
        const char *x = left, *y = right;                                                          \
        char *z = out;                                                                             \
        for (size_t i = 0; i < count * sizeof(pair); i += sizeof(pair)) {                          \
            T a = *(const number *)(x + i), b = *(const number *)(y + i), best;                    \
            int m = *(const index *)(x + i + at), n = *(const index *)(y + i + at), where;         \
            int first = a wins b;                                                                  \
            if (__builtin_expect(first | (b wins a), 1)) {                                         \
                best = first ? a : b;                                                              \
                where = first ? m : n;                                                             \
            } else {                                                                               \
                best = extreme(a, b);                                                              \
                bool only_a = a != a && b == b, only_b = b != b && a == a;                         \
                where = only_a ? m : only_b ? n : m < n ? m : n;                                   \
            }                                                                                      \
            *(number *)(z + i) = best;                                                             \
            *(index *)(z + i + at) = where;                                                        \
        }                                                                                          \
    }
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LOCATE(name, T, lesser, greater)                                                           \
    LOCATED(minloc_##name, T, lesser, <)                                                           \
    LOCATED(maxloc_##name, T, greater, >)

LOCATE(short_int, short, LESSER, GREATER)
LOCATE(int_int, int, LESSER, GREATER)
LOCATE(long_int, long, LESSER, GREATER)
LOCATE(f32_int, float, combine_lesser_f32, combine_greater_f32)
LOCATE(f64_int, double, combine_lesser_f64, combine_greater_f64)

/* 1 if a > b, -1 if a < b, else 0. C has no three-way comparison, and a second one of the x87 takes
 * a ninth of the time of a pair. (clang 14 computes addresses between the comparison and the use of
 * its flags, and so uses the wrong flags.) */
static inline int long_order(long double a, long double b)
{
#if LDBL_MANT_DIG == 64 && defined(__x86_64__) && !defined(__clang__)
    bool above, neither;
    __asm__("fcomi %3, %2" : "=@cca"(above), "=@ccz"(neither) : "t"(a), "f"(b));
    return neither ? 0 : above ? 1 : -1;
#else
    return (a > b) - (a < b);
#endif
}

/* To store a long double is slow: the winner's bytes are copied unless they are in place. */
#define LONG_LOCATED(name, wins)                                                                   \
    void summand__combine_##name##_long_double_int(const void *left, const void *right, void *out, \
                                                   size_t count)                                   \
    {                                                                                              \
        typedef struct {                                                                           \
            long double value;                                                                     \
            int index;                                                                             \
        } pair;                                                                                    \
        typedef long double ANYWHERE number;                                                       \
        enum { BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };                           \
        const size_t at = offsetof(pair, index);                                                   \
        const char *x = left, *y = right;                                                          \
        char *z = out;                                                                             \
        for (size_t i = 0; i < count * sizeof(pair); i += sizeof(pair)) {                          \
            const int order = long_order(*(const number *)(x + i), *(const number *)(y + i));      \
            const char *from = x + i;                                                              \
            if (0 wins order) {                                                                    \
                from = y + i;                                                                      \
            } else if (__builtin_expect(!order, 0)) {                                              \
                name##_equal_long(x + i, y + i, z + i, at);                                        \
                continue;                                                                          \
            }                                                                                      \
            if (from == z + i)                                                                     \
                continue;                                                                          \
            memcpy(z + i, from, BYTES);                                                            \
            memcpy(z + i + at, from + at, sizeof(int));                                            \
        }                                                                                          \
    }
#define LONG_EQUAL(name, extreme)                                                                  \
    static __attribute__((noinline)) void name##_equal_long(const char *x, const char *y, char *z, \
                                                            size_t at)                             \
    {                                                                                              \
        typedef long double ANYWHERE number;                                                       \
        typedef int ANYWHERE index;                                                                \
        long double a = *(const number *)x, b = *(const number *)y;                                \
        int m = *(const index *)(x + at), n = *(const index *)(y + at);                            \
        bool only_a = a != a && b == b, only_b = b != b && a == a;                                 \
        *(number *)z = extreme(a, b);                                                              \
        *(index *)(z + at) = only_a ? m : only_b ? n : m < n ? m : n;                              \
    }
LONG_EQUAL(minloc, combine_lesser_long)
LONG_EQUAL(maxloc, combine_greater_long)
LONG_LOCATED(minloc, <)
LONG_LOCATED(maxloc, >)
