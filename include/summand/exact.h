/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums on one process: an accumulator that never rounds. Needs no MPI.
 *
 * A summand_exact holds the exact value of everything deposited into it: doubles, floats and
 * products of two of them. It is plain data: copy it by assignment, send it as bytes between
 * machines of one byte order, write it with summand_exact_pack. Only summand_exact_round and its
 * variants round, once. So the result depends neither on the order of the deposits nor on how they
 * were split over accumulators.
 *
 * What was deposited, and the value:
 * - nothing: +0.0.
 * - -0.0 only: -0.0, as IEEE 754 addition gives. With any other term, an exact zero is +0.0.
 * - a NaN, or both +Inf and -Inf: the canonical quiet NaN, 0x7ff8000000000000 or 0x7fc00000.
 * - +Inf (or -Inf) and no NaN: +Inf (-Inf), whatever the finite terms are.
 * - 0 * Inf in a product: the canonical quiet NaN.
 * - finite terms whose sum is too large: +Inf or -Inf, if rounding to nearest even gives it.
 *   Partial sums never overflow, for up to 2^63 terms.
 * - subnormal terms: they count exactly, and results may be subnormal.
 *
 * The caller's rounding mode, flush-to-zero mode and exception masks do not affect the result. They
 * and the exception flags stay as they are.
 *
 * All functions are local. Threads may call them at the same time on different accumulators. No
 * input is modified. Inputs may lie at any address. Each call uses less than 16 KiB of stack.
 * Adding numbers of very different magnitude takes 64 KiB of the heap during the call. If the
 * allocation fails, the call is slower, with the same result.
 */
#ifndef SUMMAND_EXACT_H
#define SUMMAND_EXACT_H

#include <stddef.h>
#include <stdint.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 67 limbs of 64 bits hold the sum of up to 2^63 products of doubles. Each product is a multiple of
 * 2^-2148 and smaller than 2^2048. */
#define SUMMAND_EXACT_LIMBS 67

/** An exact accumulator. Read it only through the functions below. */
typedef struct summand_exact {
    uint32_t flags;                     /**< terms seen: NaN, infinities, zeros */
    uint16_t low, high;                 /**< limbs in use: [low, high), two's complement */
    uint64_t limb[SUMMAND_EXACT_LIMBS]; /**< limb i counts units of 2^(64 (i - 34)) */
} summand_exact;

/** The most bytes that summand_exact_pack writes. */
#define SUMMAND_EXACT_PACKED_MAX (8 + 8 * SUMMAND_EXACT_LIMBS)

/** Sets an accumulator to the empty sum.
 *  @param acc [out] one accumulator */
SUMMAND_API void summand_exact_init(summand_exact *acc);

/** Adds n values.
 *  @param acc [inout] one accumulator
 *  @param n number of values
 *  @param x [in] n values */
SUMMAND_API void summand_exact_add(summand_exact *acc, size_t n, const double *x);
SUMMAND_API void summand_exact_add_f32(summand_exact *acc, size_t n, const float *x);

/** Adds n absolute values |x[i]|; parameters as for summand_exact_add. */
SUMMAND_API void summand_exact_add_abs(summand_exact *acc, size_t n, const double *x);
SUMMAND_API void summand_exact_add_abs_f32(summand_exact *acc, size_t n, const float *x);

/** Adds n squares x[i]^2, each exact; parameters as for summand_exact_add. */
SUMMAND_API void summand_exact_add_squares(summand_exact *acc, size_t n, const double *x);
SUMMAND_API void summand_exact_add_squares_f32(summand_exact *acc, size_t n, const float *x);

/** Adds n products x[i] y[i], each exact.
 *  @param y [in] n values; otherwise as summand_exact_add */
SUMMAND_API void summand_exact_add_products(summand_exact *acc, size_t n, const double *x,
                                            const double *y);
SUMMAND_API void summand_exact_add_products_f32(summand_exact *acc, size_t n, const float *x,
                                                const float *y);

/** Adds the value of another accumulator: acc += other.
 *  @param acc [inout]
 *  @param other [in] another accumulator */
SUMMAND_API void summand_exact_merge(summand_exact *acc, const summand_exact *other);

/** Changes the sign of the value. Zero becomes +0.0, even if only -0.0 was deposited. */
SUMMAND_API void summand_exact_negate(summand_exact *acc);

/** The value, rounded once to nearest, ties to even. */
SUMMAND_API double summand_exact_round(const summand_exact *acc);
SUMMAND_API float summand_exact_round_f32(const summand_exact *acc);

/** The value as hi + lo.
 *  @param hi [out] what summand_exact_round returns
 *  @param lo [out] the rest, rounded to nearest even; 0 when hi is not finite */
SUMMAND_API void summand_exact_round2(const summand_exact *acc, double *hi, double *lo);

/** The square root of the value, correctly rounded, for norms. The sum of squares may overflow or
 *  underflow a double. The root of a negative value is the canonical NaN; it is -0.0 if only -0.0
 *  was deposited. */
SUMMAND_API double summand_exact_sqrt(const summand_exact *acc);
SUMMAND_API float summand_exact_sqrt_f32(const summand_exact *acc);

/** Writes the value in a compact form: little-endian on every machine, and the same bytes for the
 *  same value and flags.
 *  @param bytes [out] room for SUMMAND_EXACT_PACKED_MAX bytes
 *  @return the number of bytes written: 4, and 8 for each limb that the value needs; 12 to 36 for
 *          typical sums */
SUMMAND_API size_t summand_exact_pack(const summand_exact *acc, void *bytes);

/** Reads what summand_exact_pack wrote.
 *  @param acc [out] the value; the empty sum if the bytes are not an accumulator
 *  @param bytes [in] `size` bytes
 *  @return the number of bytes read, or 0 if they are not an accumulator */
SUMMAND_API size_t summand_exact_unpack(summand_exact *acc, const void *bytes, size_t size);

/** The exact sum of n values, rounded once: init, add and round in one call, the fastest for small
 *  n. */
SUMMAND_API double summand_exact_sum(size_t n, const double *x);
SUMMAND_API double summand_exact_dot(size_t n, const double *x, const double *y);

#ifdef __cplusplus
}
#endif
#endif
