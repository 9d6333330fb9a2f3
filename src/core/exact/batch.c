/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact/batch.h"

#include "exact/chunks.h"
#include "exact/drive.h"
#include "exact/odd.h"
#include "kernel/fpenv.h"
#include "kernel/pairs.h"

enum { BITS = 64, FEW = SUMMAND__PASS_LEVELS };
_Static_assert((int)BITS == (int)SUMMAND__PAIRS_MOST, "a word of a mask is a block of pairs");

/* The first word of a wire form: the parts that follow, and for few sums the masks. */
enum {
    HEADER = 8,
    HAS_LOW = 1,
    HAS_PAIRS = 2,
    HAS_MASKS = 4,
    PARTS = 8,
    SEEN_AT = 8,
    KEPT_AT = 36,
    FEW_SUMS = 28
};

static size_t words_of(size_t k)
{
    return (k + BITS - 1) / BITS;
}

/* Copies words, or zeros if `from` is NULL. Few words are copied one by one. They were just written
 * that way, so a wider load would stall until the stores complete; and a C library call costs
 * more. */
static void copy_words(void *to, const void *from, size_t words)
{
    enum { ONE_BY_ONE = 8 };
    if (words > ONE_BY_ONE) {
        if (from)
            memcpy(to, from, words * sizeof(uint64_t));
        else
            memset(to, 0, words * sizeof(uint64_t));
        return;
    }
    for (size_t i = 0; i < words; i++) {
        uint64_t word = 0;
        if (from)
            memcpy(&word, (const char *)from + i * sizeof word, sizeof word);
        __asm__("" : "+r"(word)); /* otherwise the compiler would call memcpy */
        memcpy((char *)to + i * sizeof word, &word, sizeof word);
    }
}

/* The bits of a mask's word w that stand for sums. */
static uint64_t all_of(size_t k, size_t w)
{
    return k - w * BITS < BITS ? (UINT64_C(1) << (k - w * BITS)) - 1 : UINT64_MAX;
}

static size_t block_of(size_t k, size_t w)
{
    return k - w * BITS < BITS ? k - w * BITS : BITS;
}

static bool has(const uint64_t *mask, size_t i)
{
    return mask[i / BITS] >> i % BITS & 1;
}

size_t summand__batch_bytes(size_t k)
{
    return words_of(k) * 2 * sizeof(uint64_t) + k * (2 * sizeof(double) + sizeof(summand_exact));
}

struct summand__batch summand__batch_at(void *memory, size_t k)
{
    struct summand__batch batch = {.k = k, .seen = memory};
    batch.kept = batch.seen + words_of(k);
    batch.hi = (double *)(void *)(batch.kept + words_of(k));
    batch.lo = batch.hi + k;
    batch.sum = (summand_exact *)(void *)(batch.lo + k);
    return batch;
}

void summand__batch_clear(const struct summand__batch *batch)
{
    copy_words(batch->seen, NULL, 2 * words_of(batch->k) + 2 * batch->k); /* hi and lo follow */
}

/* The accumulator of sum i, made if there is none. */
static summand_exact *keep(const struct summand__batch *batch, size_t i)
{
    const uint64_t bit = UINT64_C(1) << i % BITS;
    if (!(batch->kept[i / BITS] & bit)) {
        batch->kept[i / BITS] |= bit;
        summand_exact_init(&batch->sum[i]);
    }
    return &batch->sum[i];
}

/* Adds the rest of a sum of pairs. */
static void add_rest(const struct summand__batch *batch, size_t i, double rest)
{
    if (rest == 0)
        return;
    summand_exact *sum = keep(batch, i);
    sum->flags |= SUMMAND__SEEN_OTHER;
    summand__exact_deposit_f64(sum, rest);
}

static bool is_finite(double x)
{
    return (summand__bits_f64(x) & SUMMAND__INF_F64) != SUMMAND__INF_F64;
}

/* Replaces a block's pairs of `into` by those of `sum` that hold the whole sum. If one is not
 * finite, both operands go to the accumulator, term by term, with their flags. */
static void settle(const struct summand__batch *into, size_t first, size_t n, const double *hi,
                   const double *lo, const struct summand__pairs *sum)
{
    for (size_t j = 0, i = first; j < n; j++, i++) {
        if (is_finite(sum->rest[0][j])) {
            add_rest(into, i, sum->rest[0][j]);
            add_rest(into, i, sum->rest[1][j]);
            into->hi[i] = sum->hi[j];
            into->lo[i] = sum->lo[j];
            continue;
        }
        const double parts[4] = {hi[j], lo[j], into->hi[i], into->lo[i]};
        for (int part = 0; part < 4; part++)
            summand__exact_add_one(keep(into, i), parts[part]);
        into->hi[i] = into->lo[i] = 0;
    }
}

/* Adds a pair to the one at `first` if there is no rest. For a single sum, whose additions would
 * wait for each other. */
static bool add_pair(const struct summand__batch *into, size_t first, double hi, double lo)
{
    double high_rest, low_rest, rest;
    const double high = summand__two_sum(hi, into->hi[first], &high_rest);
    const double low = summand__two_sum(lo, into->lo[first], &low_rest);
    const double middle = summand__two_sum(high_rest, low, &rest);
    if (rest != 0 || low_rest != 0 || !is_finite(middle))
        return false;
    into->hi[first] = high;
    into->lo[first] = middle;
    return true;
}

/* Adds n pairs to those from `first` on, of one word of the masks. */
static void add_pairs(const struct summand__batch *into, size_t first, size_t n, const double *hi,
                      const double *lo)
{
    struct summand__pairs sum;
    if (n == 1 && add_pair(into, first, *hi, *lo))
        return;
    if (!summand__pairs_kernels()->add(hi, lo, into->hi + first, into->lo + first, &sum, n))
        settle(into, first, n, hi, lo, &sum);
}

/* Up to four terms that are doubles as two pairs. False: all are -0.0. */
static bool load_few(enum summand__pass_kind kind, bool f32, size_t n, const void *x, const void *y,
                     double terms[FEW])
{
    bool other = false;
    for (size_t i = 0; i < n; i++) {
        double term = summand__drive_element(x, i, f32);
        if (kind == SUMMAND__PASS_ASUM)
            term = summand__f64_of_bits(summand__bits_f64(term) & ~SUMMAND__SIGN_F64);
        else if (kind != SUMMAND__PASS_SUM) /* of floats: exact */
            term *= kind == SUMMAND__PASS_DOT ? summand__drive_element(y, i, f32) : term;
        terms[i] = term;
        other = other || summand__bits_f64(term) != SUMMAND__SIGN_F64;
    }
    return other;
}

static bool load_brief(enum summand__pass_kind kind, bool f32, size_t n, const void *x,
                       const void *y, double sums[SUMMAND__PASS_LEVELS])
{
    struct summand__drive drive;
    summand__drive_init(&drive, kind, f32);
    return !summand__drive_minus_zero(&drive, n, x, y) &&
           summand__drive_brief(&drive, n, x, y, sums);
}

void summand__batch_add_terms(const struct summand__batch *batch, size_t i,
                              enum summand__pass_kind kind, bool f32, size_t n, const void *x,
                              const void *y)
{
    const bool products = !f32 && (kind == SUMMAND__PASS_SQUARES || kind == SUMMAND__PASS_DOT);
    const uint64_t bit = UINT64_C(1) << i % BITS;
    double pairs[FEW] = {0};
    if (!n)
        return;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    const bool paired = (n <= FEW && !products ? load_few : load_brief)(kind, f32, n, x, y, pairs);
    if (paired && batch->seen[i / BITS] & bit) {
        add_pairs(batch, i, 1, &pairs[0], &pairs[1]);
    } else if (paired) {
        batch->seen[i / BITS] |= bit;
        batch->hi[i] = pairs[0];
        batch->lo[i] = pairs[1];
    }
    if (paired && (pairs[2] != 0 || pairs[3] != 0))
        add_pairs(batch, i, 1, &pairs[2], &pairs[3]);
    summand__fpenv_leave(saved);
    if (!paired)
        summand__terms_add(keep(batch, i), kind, f32, n, x, y);
}

void summand__batch_merge(const struct summand__batch *from, const struct summand__batch *into)
{
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    for (size_t w = 0; w < words_of(into->k); w++) {
        const size_t first = w * BITS;
        add_pairs(into, first, block_of(into->k, w), from->hi + first, from->lo + first);
        into->seen[w] |= from->seen[w];
    }
    summand__fpenv_leave(saved);
    for (size_t w = 0; w < words_of(into->k); w++)
        for (uint64_t mask = from->kept[w]; mask; mask &= mask - 1) {
            const size_t i = w * BITS + (size_t)__builtin_ctzll(mask);
            summand_exact_merge(keep(into, i), &from->sum[i]);
        }
}

void summand__batch_copy(const struct summand__batch *from, const struct summand__batch *to)
{
    copy_words(to->seen, from->seen, 2 * words_of(to->k) + 2 * to->k);
    for (size_t w = 0; w < words_of(to->k); w++)
        for (uint64_t mask = from->kept[w]; mask; mask &= mask - 1) {
            const size_t i = w * BITS + (size_t)__builtin_ctzll(mask);
            summand_exact_init(&to->sum[i]);
            summand_exact_merge(&to->sum[i], &from->sum[i]);
        }
}

size_t summand__batch_packed_most(size_t k)
{
    return HEADER + words_of(k) * 2 * sizeof(uint64_t) +
           k * (2 * sizeof(double) + SUMMAND_EXACT_PACKED_MAX);
}

/* The parts of the wire form: those that are not all zeros. */
static uint64_t parts_of(const struct summand__batch *batch)
{
    uint64_t parts = batch->k > FEW_SUMS ? HAS_MASKS : 0, low = 0, seen = 0;
    for (size_t i = 0; i < batch->k; i++)
        low |= summand__bits_f64(batch->lo[i]);
    for (size_t w = 0; w < words_of(batch->k); w++)
        seen |= batch->seen[w];
    if (seen)
        parts |= HAS_PAIRS;
    return low ? parts | HAS_LOW : parts;
}

static unsigned char *put_words(unsigned char *out, const void *words, size_t n)
{
    copy_words(out, words, n);
    return out + n * sizeof(uint64_t);
}

size_t summand__batch_pack(const struct summand__batch *batch, void *bytes)
{
    unsigned char *out = (unsigned char *)bytes + HEADER;
    uint64_t header = parts_of(batch);
    if (header & HAS_MASKS)
        out = put_words(out, batch->seen, 2 * words_of(batch->k));
    if (header & HAS_PAIRS)
        out = put_words(out, batch->hi, batch->k);
    if (header & HAS_LOW)
        out = put_words(out, batch->lo, batch->k);
    if (!(header & HAS_MASKS) && batch->k)
        header |= batch->seen[0] << SEEN_AT | batch->kept[0] << KEPT_AT;
    memcpy(bytes, &header, HEADER);
    for (size_t w = 0; w < words_of(batch->k); w++)
        for (uint64_t mask = batch->kept[w]; mask; mask &= mask - 1)
            out += summand_exact_pack(&batch->sum[w * BITS + (size_t)__builtin_ctzll(mask)], out);
    return (size_t)(out - (unsigned char *)bytes);
}

static const unsigned char *get_words(const unsigned char *in, bool there, void *words, size_t n)
{
    copy_words(words, there ? in : NULL, n);
    return there ? in + n * sizeof(uint64_t) : in;
}

/* True if all bits belong to sums, and the parts are valid for so many sums. */
static bool is_sound(const struct summand__batch *batch, uint64_t parts)
{
    if (parts >= PARTS || !(parts & HAS_MASKS) != (batch->k <= FEW_SUMS))
        return false;
    for (size_t w = 0; w < words_of(batch->k); w++)
        if ((batch->seen[w] | batch->kept[w]) & ~all_of(batch->k, w))
            return false;
    return true;
}

size_t summand__batch_unpack(const struct summand__batch *batch, const void *bytes)
{
    const unsigned char *in = (const unsigned char *)bytes + HEADER;
    uint64_t header;
    memcpy(&header, bytes, HEADER);
    const uint64_t parts = header & ((1 << SEEN_AT) - 1), few = (UINT64_C(1) << FEW_SUMS) - 1;
    if (parts & HAS_MASKS)
        in = get_words(in, true, batch->seen, 2 * words_of(batch->k));
    else if (batch->k) {
        batch->seen[0] = header >> SEEN_AT & few;
        batch->kept[0] = header >> KEPT_AT;
    }
    if (!is_sound(batch, parts))
        return 0;
    in = get_words(in, parts & HAS_PAIRS, batch->hi, batch->k);
    in = get_words(in, parts & HAS_LOW, batch->lo, batch->k);
    for (size_t w = 0; w < words_of(batch->k); w++)
        for (uint64_t mask = batch->kept[w]; mask; mask &= mask - 1) {
            const size_t i = w * BITS + (size_t)__builtin_ctzll(mask);
            const size_t used = summand_exact_unpack(&batch->sum[i], in, SUMMAND_EXACT_PACKED_MAX);
            if (!used)
                return 0;
            in += used;
        }
    return (size_t)(in - (const unsigned char *)bytes);
}

void summand__batch_sum(const struct summand__batch *batch, size_t i, summand_exact *sum)
{
    summand_exact_init(sum);
    if (has(batch->kept, i))
        summand_exact_merge(sum, &batch->sum[i]);
    if (has(batch->seen, i)) {
        summand__exact_add_one(sum, batch->hi[i]);
        summand__exact_add_one(sum, batch->lo[i]);
    }
}

static void round_one(const struct summand__batch *batch, size_t i, bool f32, void *results)
{
    summand_exact sum;
    summand__batch_sum(batch, i, &sum);
    if (f32) {
        const float single = summand_exact_round_f32(&sum);
        memcpy((char *)results + i * sizeof single, &single, sizeof single);
    } else {
        const double value = summand_exact_round(&sum);
        memcpy((char *)results + i * sizeof value, &value, sizeof value);
    }
}

/* Rounds pairs to doubles, or to floats; false if any is not finite. */
static bool round_f64(const struct summand__batch *batch, void *results)
{
    if (batch->k > 1)
        return summand__pairs_kernels()->round(batch->hi, batch->lo, results, batch->k);
    const double sum = batch->k ? batch->hi[0] + batch->lo[0] + 0.0 : 0.0;
    memcpy(results, &sum, batch->k * sizeof sum);
    return is_finite(sum);
}

static bool round_f32(const struct summand__batch *batch, void *results)
{
    bool finite = true;
    for (size_t i = 0; i < batch->k; i++) {
        const double sum = summand__add_to_odd(batch->hi[i], batch->lo[i]) + 0.0;
        const float single = (float)sum;
        memcpy((char *)results + i * sizeof single, &single, sizeof single);
        finite = finite && is_finite(sum);
    }
    return finite;
}

void summand__batch_round(const struct summand__batch *batch, bool f32, void *results)
{
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    const bool finite = (f32 ? round_f32 : round_f64)(batch, results);
    summand__fpenv_leave(saved);
    for (size_t w = 0; w < words_of(batch->k); w++)
        for (uint64_t mask = finite ? batch->kept[w] : all_of(batch->k, w); mask; mask &= mask - 1)
            round_one(batch, w * BITS + (size_t)__builtin_ctzll(mask), f32, results);
}
