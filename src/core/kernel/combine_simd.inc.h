/* SPDX-License-Identifier: BSD-3-Clause */
/* The combine kernels in plain C that every compiler vectorizes; each instruction set's file
 * includes it once. One template per operator, instantiated for each type. */
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernel/combine_extreme.h"
#include "kernel/combine_kernels.h"

/* Users' buffers may have any alignment and are read as the datatype's type. */
#define COMBINE_ANYWHERE __attribute__((aligned(1), may_alias))

/* `out` may be an operand: element i is read before it is written, and other elements are not
 * touched. */
#if defined(__clang__)
#define COMBINE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define COMBINE_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* From COMBINE_LONG bytes on it pays to handle the few elements before a cache line first. If every
 * vector of `out` crosses two lines, the kernel takes up to 1.5 times as long. */
enum { COMBINE_LINE = 64, COMBINE_LONG = 2048 };

static inline size_t combine_head(const void *out, size_t count, size_t size)
{
    size_t before = -(uintptr_t)out % COMBINE_LINE;
    return count < COMBINE_LONG / size || before % size ? 0 : before / size;
}

#define COMBINE_WHOLE(name, T)                                                                     \
    static void combine_##name(const void *left, const void *right, void *out, size_t count)       \
    {                                                                                              \
        size_t head = combine_head(out, count, sizeof(T)), bytes = head * sizeof(T);               \
        if (head)                                                                                  \
            part_##name(left, right, out, head);                                                   \
        part_##name((const char *)left + bytes, (const char *)right + bytes, (char *)out + bytes,  \
                    count - head);                                                                 \
    }

#define COMBINE(name, T, value)                                                                    \
    static __attribute__((noinline)) void part_##name(const void *left, const void *right,         \
                                                      void *out, size_t count)                     \
    {                                                                                              \
        typedef T COMBINE_ANYWHERE number;                                                         \
        const number *x = left, *y = right;                                                        \
        number *z = out;                                                                           \
        COMBINE_INDEPENDENT                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            T a = x[i], b = y[i];                                                                  \
            z[i] = (T)(value);                                                                     \
        }                                                                                          \
    }                                                                                              \
    COMBINE_WHOLE(name, T)

/* W is unsigned and at least as wide as `unsigned`: C would promote small integers to int, whose
 * product may overflow. */
#define COMBINE_SUM(name, T, W) COMBINE(sum_##name, T, (W)a + (W)b)
#define COMBINE_PROD(name, T, W) COMBINE(prod_##name, T, (W)a *(W)b)
#define COMBINE_MIN(name, T) COMBINE(min_##name, T, a < b ? a : b)
#define COMBINE_MAX(name, T) COMBINE(max_##name, T, a > b ? a : b)
#define COMBINE_LAND(name, T) COMBINE(land_##name, T, (a != 0) & (b != 0))
#define COMBINE_LOR(name, T) COMBINE(lor_##name, T, (a != 0) | (b != 0))
#define COMBINE_LXOR(name, T) COMBINE(lxor_##name, T, (a != 0) ^ (b != 0))
#define COMBINE_BAND(name, T) COMBINE(band_##name, T, a &b)
#define COMBINE_BOR(name, T) COMBINE(bor_##name, T, a | b)
#define COMBINE_BXOR(name, T) COMBINE(bxor_##name, T, a ^ b)

/* Only the order depends on signs. */
#define COMBINE_INTEGER(bits, W)                                                                   \
    COMBINE_SUM(u##bits, uint##bits##_t, W)                                                        \
    COMBINE_PROD(u##bits, uint##bits##_t, W)                                                       \
    COMBINE_MIN(u##bits, uint##bits##_t)                                                           \
    COMBINE_MIN(i##bits, int##bits##_t)                                                            \
    COMBINE_MAX(u##bits, uint##bits##_t)                                                           \
    COMBINE_MAX(i##bits, int##bits##_t)                                                            \
    COMBINE_LAND(u##bits, uint##bits##_t)                                                          \
    COMBINE_LOR(u##bits, uint##bits##_t)                                                           \
    COMBINE_LXOR(u##bits, uint##bits##_t)                                                          \
    COMBINE_BAND(u##bits, uint##bits##_t)                                                          \
    COMBINE_BOR(u##bits, uint##bits##_t)                                                           \
    COMBINE_BXOR(u##bits, uint##bits##_t)

COMBINE_INTEGER(8, uint32_t)
COMBINE_INTEGER(16, uint32_t)
COMBINE_INTEGER(32, uint32_t)
COMBINE_INTEGER(64, uint64_t)

#define COMBINE_FLOAT(name, T, nan)                                                                \
    static inline T sum_of_##name(T a, T b)                                                        \
    {                                                                                              \
        T sum = a + b;                                                                             \
        return sum == sum ? sum : nan;                                                             \
    }                                                                                              \
    static inline T product_of_##name(T a, T b)                                                    \
    {                                                                                              \
        T product = a * b;                                                                         \
        return product == product ? product : nan;                                                 \
    }                                                                                              \
    COMBINE(sum_##name, T, sum_of_##name(a, b))                                                    \
    COMBINE(prod_##name, T, product_of_##name(a, b))                                               \
    COMBINE(min_##name, T, combine_lesser_##name(a, b))                                            \
    COMBINE(max_##name, T, combine_greater_##name(a, b))

COMBINE_FLOAT(f32, float, __builtin_nanf(""))
COMBINE_FLOAT(f64, double, __builtin_nan(""))

#include "kernel/combine_half.inc.h"

/* Complex numbers are added as an array of twice as many real ones. */
static void combine_sum_complex32(const void *left, const void *right, void *out, size_t count)
{
    combine_sum_f32(left, right, out, 2 * count);
}

static void combine_sum_complex64(const void *left, const void *right, void *out, size_t count)
{
    combine_sum_f64(left, right, out, 2 * count);
}

/* Products of complex numbers, by parts, which compilers optimize better. Real and imaginary parts
 * stay apart until they are rounded. If sums and differences of products alternate, gcc 12 makes
 * one instruction of them (vfmaddsub) and rounds once instead of twice, in spite of
 * -ffp-contract=off. If both parts of a product are NaN, C's product looks for infinities among the
 * operands; then the block is computed again. Few products are computed one by one. */
enum { COMBINE_BLOCK = 64, COMBINE_SHORTEST = 8 };

#define COMBINE_COMPLEX(name, T, U, nan)                                                           \
    static __attribute__((noinline)) bool parts_of_##name(const void *left, const void *right,     \
                                                          T *restrict real, T *restrict imaginary, \
                                                          size_t count)                            \
    {                                                                                              \
        typedef T COMBINE_ANYWHERE number;                                                         \
        const number *x = left, *y = right;                                                        \
        U odd = 0;                                                                                 \
        for (size_t i = 0; i < count; i++) {                                                       \
            T a = x[2 * i], b = x[2 * i + 1], c = y[2 * i], d = y[2 * i + 1];                      \
            T re = a * c - b * d, im = a * d + b * c;                                              \
            odd |= re != re && im != im ? 1 : 0;                                                   \
            real[i] = re == re ? re : nan;                                                         \
            imaginary[i] = im == im ? im : nan;                                                    \
        }                                                                                          \
        return !odd;                                                                               \
    }                                                                                              \
    static __attribute__((noinline)) void join_##name(                                             \
        const T *restrict real, const T *restrict imaginary, void *out, size_t count)              \
    {                                                                                              \
        typedef T COMBINE_ANYWHERE number;                                                         \
        number *z = out;                                                                           \
        COMBINE_INDEPENDENT                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            z[2 * i] = real[i];                                                                    \
            z[2 * i + 1] = imaginary[i];                                                           \
        }                                                                                          \
    }                                                                                              \
    static void combine_prod_##name(const void *left, const void *right, void *out, size_t count)  \
    {                                                                                              \
        const char *x = left, *y = right;                                                          \
        char *z = out;                                                                             \
        T real[COMBINE_BLOCK], imaginary[COMBINE_BLOCK];                                           \
        if (count <= COMBINE_SHORTEST) {                                                           \
            summand__combine_prod_##name(left, right, out, count);                                 \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0, n; i < count; i += n) {                                                 \
            size_t at = 2 * i * sizeof(T);                                                         \
            n = count - i < COMBINE_BLOCK ? count - i : COMBINE_BLOCK;                             \
            if (parts_of_##name(x + at, y + at, real, imaginary, n))                               \
                join_##name(real, imaginary, z + at, n);                                           \
            else                                                                                   \
                summand__combine_prod_##name(x + at, y + at, z + at, n);                           \
        }                                                                                          \
    }

COMBINE_COMPLEX(complex32, float, uint32_t, __builtin_nanf(""))
COMBINE_COMPLEX(complex64, double, uint64_t, __builtin_nan(""))

/* Pairs of an integer of 32 bits or less and an index, as two words of one size, without branches:
 * which value wins, and whether they are equal, is hard to predict. A short is compared in its
 * word's upper half; its padding in `out` stays. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __SIZEOF_LONG__ == 8
#define COMBINE_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define COMBINE_GREATER(a, b) ((a) > (b) ? (a) : (b))

#define COMBINE_LOCATED(name, load, store, extreme, wins)                                          \
    static void combine_##name(const void *left, const void *right, void *out, size_t count)       \
    {                                                                                              \
        typedef uint32_t COMBINE_ANYWHERE word;                                                    \
        const word *x = left, *y = right;                                                          \
        word *z = out;                                                                             \
        COMBINE_INDEPENDENT                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            int32_t a = load(x[2 * i]), b = load(y[2 * i]);                                        \
            int32_t m = (int32_t)x[2 * i + 1], n = (int32_t)y[2 * i + 1];                          \
            int32_t where = a wins b ? m : b wins a ? n : COMBINE_LESSER(m, n);                    \
            z[2 * i] = store(z[2 * i], extreme(a, b));                                             \
            z[2 * i + 1] = (uint32_t)where;                                                        \
        }                                                                                          \
    }
#define COMBINE_LOCATE(name, load, store)                                                          \
    COMBINE_LOCATED(minloc_##name, load, store, COMBINE_LESSER, <)                                 \
    COMBINE_LOCATED(maxloc_##name, load, store, COMBINE_GREATER, >)

#define COMBINE_SHORT(word) (int32_t)((word) << 16)
#define COMBINE_INTO_SHORT(word, value) (((word)&0xffff0000u) | (uint32_t)(value) >> 16)
#define COMBINE_INT(word) (int32_t)(word)
#define COMBINE_INTO_INT(word, value) (uint32_t)(value)

COMBINE_LOCATE(short_int, COMBINE_SHORT, COMBINE_INTO_SHORT)
COMBINE_LOCATE(int_int, COMBINE_INT, COMBINE_INTO_INT)

/* Other pairs, of 8 or 16 bytes, in vectors in memory order. Even lanes, of 32 or 64 bits, have
 * values, odd ones indices. A 64-bit lane has its index in the lower half; the upper half, padding,
 * stays. A pair is taken as a whole from one operand. If the right operand is also the result and
 * wins, nothing is stored; this is the usual case if it holds many values. A set of lanes is a mask
 * or a vector, depending on the instruction set. */
#if defined(__AVX512F__)
#define COMBINE_BYTES 64
#define COMBINE_EVEN_ODD(even, odd)                                                                \
    {                                                                                              \
        even, odd, even, odd, even, odd, even, odd                                                 \
    }
typedef unsigned combine_set_32, combine_set_64;
#define COMBINE_LESS_INT(a, b) (unsigned)_mm512_cmplt_epi32_mask((__m512i)(a), (__m512i)(b))
#define COMBINE_LESS_LONG(a, b) (unsigned)_mm512_cmplt_epi64_mask((__m512i)(a), (__m512i)(b))
#define COMBINE_LESS_FLOAT(a, b) (unsigned)_mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_LT_OQ)
#define COMBINE_LESS_DOUBLE(a, b)                                                                  \
    (unsigned)_mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_LT_OQ)
#define COMBINE_UNLIKE_32(a, b) (unsigned)_mm512_cmpneq_epi32_mask((__m512i)(a), (__m512i)(b))
#define COMBINE_UNLIKE_64(a, b) (unsigned)_mm512_cmpneq_epi64_mask((__m512i)(a), (__m512i)(b))
#define COMBINE_UNORDERED_32(a) (unsigned)_mm512_cmp_ps_mask((__m512)(a), (__m512)(a), _CMP_UNORD_Q)
#define COMBINE_UNORDERED_64(a)                                                                    \
    (unsigned)_mm512_cmp_pd_mask((__m512d)(a), (__m512d)(a), _CMP_UNORD_Q)
#define COMBINE_EVEN_32(set) ((set)&0x5555)
#define COMBINE_EVEN_64(set) ((set)&0x55)
#define COMBINE_EVEN_FROM_ODD_32(set) ((set) >> 1)
#define COMBINE_EVEN_FROM_ODD_64(set) ((set) >> 1)
#define COMBINE_ANY(set) (set)
#define COMBINE_PICK_32(set, a, b)                                                                 \
    (combine_lanes_32) _mm512_mask_blend_epi32((__mmask16)(3 * (set)), (__m512i)(b), (__m512i)(a))
#define COMBINE_PICK_64(set, a, b)                                                                 \
    (combine_lanes_64) _mm512_mask_blend_epi64((__mmask8)(3 * (set)), (__m512i)(b), (__m512i)(a))
#else
#if defined(__AVX2__)
#define COMBINE_BYTES 32
#define COMBINE_EVEN_ODD(even, odd)                                                                \
    {                                                                                              \
        even, odd, even, odd                                                                       \
    }
#define COMBINE_SAME_LANE_32(v, at)                                                                \
    COMBINE_SHUFFLE(32, v, at, at, 2 + at, 2 + at, 4 + at, 4 + at, 6 + at, 6 + at)
#define COMBINE_SAME_LANE_64(v, at) COMBINE_SHUFFLE(64, v, at, at, 2 + at, 2 + at)
#define COMBINE_ANY(set) (!_mm256_testz_si256((__m256i)(set), (__m256i)(set)))
#else
#define COMBINE_BYTES 16
#define COMBINE_EVEN_ODD(even, odd)                                                                \
    {                                                                                              \
        even, odd                                                                                  \
    }
#define COMBINE_SAME_LANE_32(v, at) COMBINE_SHUFFLE(32, v, at, at, 2 + at, 2 + at)
#define COMBINE_SAME_LANE_64(v, at) COMBINE_SHUFFLE(64, v, at, at)
#define COMBINE_ANY(set) (((combine_set_64)(set))[0] | ((combine_set_64)(set))[1])
#endif
typedef int32_t combine_set_32 __attribute__((vector_size(COMBINE_BYTES)));
typedef int64_t combine_set_64 __attribute__((vector_size(COMBINE_BYTES)));
#if defined(__clang__) /* gcc has clang's builtin only from 12 on */
#define COMBINE_SHUFFLE(w, v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define COMBINE_SHUFFLE(w, v, ...) __builtin_shuffle(v, (combine_set_##w){__VA_ARGS__})
#endif
#define COMBINE_LESS_INT(a, b) (combine_set_32)((a) < (b))
#define COMBINE_LESS_LONG(a, b) (combine_set_64)((a) < (b))
#define COMBINE_LESS_FLOAT(a, b) (combine_set_32)((combine_values_32)(a) < (combine_values_32)(b))
#define COMBINE_LESS_DOUBLE(a, b) (combine_set_64)((combine_values_64)(a) < (combine_values_64)(b))
#define COMBINE_UNLIKE_32(a, b) (combine_set_32)((a) != (b))
#define COMBINE_UNLIKE_64(a, b) (combine_set_64)((a) != (b))
#define COMBINE_UNORDERED_32(a) (combine_set_32)((combine_values_32)(a) != (combine_values_32)(a))
#define COMBINE_UNORDERED_64(a) (combine_set_64)((combine_values_64)(a) != (combine_values_64)(a))
#define COMBINE_EVEN_32(set) ((set) & (combine_set_32)((combine_set_64){0} + (int64_t)UINT32_MAX))
#define COMBINE_EVEN_64(set) ((set) & (combine_set_64)COMBINE_EVEN_ODD(-1, 0))
#define COMBINE_EVEN_FROM_ODD_32(set) COMBINE_SAME_LANE_32(set, 1)
#define COMBINE_EVEN_FROM_ODD_64(set) COMBINE_SAME_LANE_64(set, 1)
#define COMBINE_PICK_32(set, a, b)                                                                 \
    (((a)&COMBINE_SAME_LANE_32(set, 0)) | ((b) & ~COMBINE_SAME_LANE_32(set, 0)))
#define COMBINE_PICK_64(set, a, b)                                                                 \
    (((a)&COMBINE_SAME_LANE_64(set, 0)) | ((b) & ~COMBINE_SAME_LANE_64(set, 0)))
#endif
typedef int32_t combine_lanes_32 __attribute__((vector_size(COMBINE_BYTES)));
typedef int64_t combine_lanes_64 __attribute__((vector_size(COMBINE_BYTES)));
typedef float combine_values_32 __attribute__((vector_size(COMBINE_BYTES)));
typedef double combine_values_64 __attribute__((vector_size(COMBINE_BYTES)));

/* Compares by the indices. */
#define COMBINE_FIRST_32(a, b) COMBINE_LESS_INT(a, b)
#define COMBINE_FIRST_64(a, b) COMBINE_LESS_LONG((a) << 32, (b) << 32)

/* Equal numbers with unequal bits are zeros, and NaNs are neither less nor greater. These few cases
 * take the slow path, one by one. `open`: lanes in which neither is less. */
#define COMBINE_SURE(w, open, a, b) 0
#define COMBINE_UNSURE(w, open, a, b)                                                              \
    COMBINE_ANY((open) & (COMBINE_UNLIKE_##w(a, b) | COMBINE_UNORDERED_##w(a)))

/* Stored beside the taken pairs: the previous contents. */
#define COMBINE_BESIDE_32(taken, out) (taken)
#define COMBINE_BESIDE_64(taken, out) combine_beside(taken, out)
static inline combine_lanes_64 combine_beside(combine_lanes_64 taken, const void *out)
{
    const combine_lanes_64 kept = COMBINE_EVEN_ODD(0, (int64_t)(UINT64_MAX << 32));
    combine_lanes_64 there;
    memcpy(&there, out, sizeof there);
    return (taken & ~kept) | (there & kept);
}

#define COMBINE_LOCATED_PAIRS(name, w, less, one, other, unsure)                                   \
    static void combine_##name(const void *left, const void *right, void *out, size_t count)       \
    {                                                                                              \
        enum { SIZE = w / 4, EACH = COMBINE_BYTES / SIZE };                                        \
        const char *x = left, *y = right;                                                          \
        char *z = out;                                                                             \
        size_t i = combine_head(out, count, SIZE);                                                 \
        summand__combine_##name(left, right, out, i);                                              \
        for (; i + EACH <= count; i += EACH) {                                                     \
            combine_lanes_##w a, b, c;                                                             \
            memcpy(&a, x + i * SIZE, sizeof a);                                                    \
            memcpy(&b, y + i * SIZE, sizeof b);                                                    \
            const combine_set_##w wins = less(one, other), loses = less(other, one);               \
            const combine_set_##w open = COMBINE_EVEN_##w(~(wins | loses));                        \
            combine_set_##w takes = COMBINE_EVEN_##w(wins);                                        \
            if (COMBINE_ANY(open)) {                                                               \
                if (__builtin_expect(unsure(w, open, a, b), 0)) {                                  \
                    summand__combine_##name(x + i * SIZE, y + i * SIZE, z + i * SIZE, EACH);       \
                    continue;                                                                      \
                }                                                                                  \
                takes |= open & COMBINE_EVEN_FROM_ODD_##w(COMBINE_FIRST_##w(a, b));                \
            }                                                                                      \
            if (y == z && !COMBINE_ANY(takes))                                                     \
                continue;                                                                          \
            c = COMBINE_BESIDE_##w(COMBINE_PICK_##w(takes, a, b), z + i * SIZE);                   \
            memcpy(z + i * SIZE, &c, sizeof c);                                                    \
        }                                                                                          \
        summand__combine_##name(x + i * SIZE, y + i * SIZE, z + i * SIZE, count - i);              \
    }
COMBINE_LOCATED_PAIRS(minloc_f32_int, 32, COMBINE_LESS_FLOAT, a, b, COMBINE_UNSURE)
COMBINE_LOCATED_PAIRS(maxloc_f32_int, 32, COMBINE_LESS_FLOAT, b, a, COMBINE_UNSURE)
#if defined(__x86_64__) && !defined(__AVX2__) /* SSE2 cannot compare 64-bit integers */
#define COMBINE_PAIRS_64(name) summand__combine_##name
#else
COMBINE_LOCATED_PAIRS(minloc_long_int, 64, COMBINE_LESS_LONG, a, b, COMBINE_SURE)
COMBINE_LOCATED_PAIRS(maxloc_long_int, 64, COMBINE_LESS_LONG, b, a, COMBINE_SURE)
COMBINE_LOCATED_PAIRS(minloc_f64_int, 64, COMBINE_LESS_DOUBLE, a, b, COMBINE_UNSURE)
COMBINE_LOCATED_PAIRS(maxloc_f64_int, 64, COMBINE_LESS_DOUBLE, b, a, COMBINE_UNSURE)
#define COMBINE_PAIRS_64(name) combine_##name
#endif
#define COMBINE_PAIRS(name) combine_##name
#else
#define COMBINE_PAIRS_64(name) summand__combine_##name
#define COMBINE_PAIRS(name) summand__combine_##name
#endif

#define COMBINE_ROW_OF_INTEGERS(name)                                                              \
    [SUMMAND__COMBINE_I8] = combine_##name##_u8, [SUMMAND__COMBINE_I16] = combine_##name##_u16,    \
    [SUMMAND__COMBINE_I32] = combine_##name##_u32, [SUMMAND__COMBINE_I64] = combine_##name##_u64,  \
    [SUMMAND__COMBINE_U8] = combine_##name##_u8, [SUMMAND__COMBINE_U16] = combine_##name##_u16,    \
    [SUMMAND__COMBINE_U32] = combine_##name##_u32, [SUMMAND__COMBINE_U64] = combine_##name##_u64

#define COMBINE_ROW_OF_NUMBERS(name)                                                               \
    [SUMMAND__COMBINE_F16] = combine_##name##_f16,                                                 \
    [SUMMAND__COMBINE_BF16] = combine_##name##_bf16,                                               \
    [SUMMAND__COMBINE_F32] = combine_##name##_f32, [SUMMAND__COMBINE_F64] = combine_##name##_f64,  \
    [SUMMAND__COMBINE_LONG_DOUBLE] = summand__combine_##name##_long

#define COMBINE_ROW_OF_COMPLEX(complex32, complex64, complex_long)                                 \
    [SUMMAND__COMBINE_COMPLEX32] = complex32, [SUMMAND__COMBINE_COMPLEX64] = complex64,            \
    [SUMMAND__COMBINE_COMPLEX_LONG] = complex_long

#define COMBINE_ROW_OF_ORDER(name)                                                                 \
    [SUMMAND__COMBINE_I8] = combine_##name##_i8, [SUMMAND__COMBINE_I16] = combine_##name##_i16,    \
    [SUMMAND__COMBINE_I32] = combine_##name##_i32, [SUMMAND__COMBINE_I64] = combine_##name##_i64,  \
    [SUMMAND__COMBINE_U8] = combine_##name##_u8, [SUMMAND__COMBINE_U16] = combine_##name##_u16,    \
    [SUMMAND__COMBINE_U32] = combine_##name##_u32, [SUMMAND__COMBINE_U64] = combine_##name##_u64

#define COMBINE_ROW_OF_PAIRS(name)                                                                 \
    [SUMMAND__COMBINE_SHORT_INT] = COMBINE_PAIRS(name##_short_int),                                \
    [SUMMAND__COMBINE_INT_INT] = COMBINE_PAIRS(name##_int_int),                                    \
    [SUMMAND__COMBINE_LONG_INT] = COMBINE_PAIRS_64(name##_long_int),                               \
    [SUMMAND__COMBINE_F32_INT] = COMBINE_PAIRS(name##_f32_int),                                    \
    [SUMMAND__COMBINE_F64_INT] = COMBINE_PAIRS_64(name##_f64_int),                                 \
    [SUMMAND__COMBINE_LONG_DOUBLE_INT] = summand__combine_##name##_long_double_int

/* As bytes: the byte of a bool may be other than 0 or 1. */
#define COMBINE_ROW_OF_LOGIC(name)                                                                 \
    COMBINE_ROW_OF_INTEGERS(name), [SUMMAND__COMBINE_BOOL] = combine_##name##_u8

/* clang-format off */
#define COMBINE_TABLE                                                                              \
    {                                                                                              \
        .of = {                                                                                    \
            [SUMMAND__COMBINE_SUM] = {COMBINE_ROW_OF_INTEGERS(sum), COMBINE_ROW_OF_NUMBERS(sum),   \
                COMBINE_ROW_OF_COMPLEX(combine_sum_complex32, combine_sum_complex64,               \
                                       summand__combine_sum_complex_long)},                        \
            [SUMMAND__COMBINE_PROD] = {COMBINE_ROW_OF_INTEGERS(prod), COMBINE_ROW_OF_NUMBERS(prod),\
                COMBINE_ROW_OF_COMPLEX(combine_prod_complex32, combine_prod_complex64,             \
                                       summand__combine_prod_complex_long)},                       \
            [SUMMAND__COMBINE_MIN] = {COMBINE_ROW_OF_ORDER(min), COMBINE_ROW_OF_NUMBERS(min)},     \
            [SUMMAND__COMBINE_MAX] = {COMBINE_ROW_OF_ORDER(max), COMBINE_ROW_OF_NUMBERS(max)},     \
            [SUMMAND__COMBINE_LAND] = {COMBINE_ROW_OF_LOGIC(land)},                                \
            [SUMMAND__COMBINE_LOR] = {COMBINE_ROW_OF_LOGIC(lor)},                                  \
            [SUMMAND__COMBINE_LXOR] = {COMBINE_ROW_OF_LOGIC(lxor)},                                \
            [SUMMAND__COMBINE_BAND] = {COMBINE_ROW_OF_INTEGERS(band)},                             \
            [SUMMAND__COMBINE_BOR] = {COMBINE_ROW_OF_INTEGERS(bor)},                               \
            [SUMMAND__COMBINE_BXOR] = {COMBINE_ROW_OF_INTEGERS(bxor)},                             \
            [SUMMAND__COMBINE_MINLOC] = {COMBINE_ROW_OF_PAIRS(minloc)},                            \
            [SUMMAND__COMBINE_MAXLOC] = {COMBINE_ROW_OF_PAIRS(maxloc)},                            \
        }                                                                                          \
    }
/* clang-format on */
