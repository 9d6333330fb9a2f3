/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of lanes: every type and instruction set, against MPFR and against one another. */
#include "unit/lanes_oracle.h"

#include "unit/sanitized.h"
#include "unit/unit.h"

enum { MOST = 300, RANKS = 9, ROWS = 72, TYPES = SUMMAND__LANES_TYPES };

/* Ranks' terms, each times[rank] times. */
struct sums {
    int type;
    size_t n;
    unsigned ranks;
    unsigned long times[RANKS], all;
    unsigned char x[RANKS][MOST * 8];
    struct summand__lanes_range range;
};

static struct sums sums;
static uint64_t expected[TYPES][MOST];
static struct oracle oracles[MOST];

static void describe(const char *what, int arch, const struct summand__lanes_format *f, size_t j)
{
    fail_msg("%s: %s %s, n %zu, %u ranks, element %zu; lowest %d top %d digits %d bits %d "
             "special %d",
             what, summand__arch_name((enum summand__arch)arch), lanes_types[sums.type].name,
             sums.n, sums.ranks, j, f->lowest, f->top, f->digits, f->bits, f->special);
}

static void start(int type, size_t n, unsigned ranks)
{
    sums = (struct sums){.type = type, .n = n, .ranks = ranks};
    for (unsigned r = 0; r < ranks; r++)
        sums.times[r] = 1;
}

/* The expected range and, rounded to each type, the expected sums. */
static void reckon(void)
{
    sums.range = SUMMAND__LANES_RANGE_NONE;
    sums.all = 0;
    for (unsigned r = 0; r < sums.ranks; r++)
        sums.all += sums.times[r];
    for (size_t j = 0; j < sums.n; j++) {
        oracle_init(&oracles[j]);
        for (unsigned r = 0; r < sums.ranks; r++) {
            const double value = lanes_value(sums.type, sums.x[r], j);
            lanes_oracle_range(&sums.range, value);
            lanes_oracle_add(&oracles[j], value, sums.times[r]);
        }
        for (int to = 0; to < TYPES; to++)
            expected[to][j] = lanes_expected(to, &oracles[j]);
        oracle_clear(&oracles[j]);
    }
}

static void check_range(int arch, const struct summand__lanes_kernels *kernels)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    for (unsigned r = 0; r < sums.ranks; r++) {
        struct summand__lanes_range one = SUMMAND__LANES_RANGE_NONE;
        kernels->range[sums.type](sums.x[r], sums.n, &one);
        range.top = one.top > range.top ? one.top : range.top;
        range.low = one.low > range.low ? one.low : range.low;
        range.special |= one.special;
    }
    if (memcmp(&range, &sums.range, sizeof range))
        fail_msg("%s %s n %zu: range %d %d %d, not %d %d %d",
                 summand__arch_name((enum summand__arch)arch), lanes_types[sums.type].name, sums.n,
                 (int)range.top, (int)range.low, (int)range.special, (int)sums.range.top,
                 (int)sums.range.low, (int)sums.range.special);
}

/* All instruction sets, at addresses that are not aligned and end at the end of their memory; the
 * results as the terms' type, and as each type in which they are sums of multiples. */
static void check_format(const struct summand__lanes_format *f)
{
    const size_t n = sums.n, bytes = lanes_types[sums.type].bytes;
    const size_t size = summand__lanes_size(f, n), shift = random_below(8);
    int64_t *first = calloc(size + 1, 8), *all = malloc(size * 8 + 8), *one = malloc(size * 8);
    char *x = malloc(n * bytes + shift), *y = malloc(n * 8 + shift);
    assert_true(first && all && x && y && (one || !size));
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
        check_range(arch, kernels);
        memset(all, 0, size * 8);
        for (unsigned r = 0; r < sums.ranks; r++) {
            memcpy(x + shift, sums.x[r], n * bytes);
            memset(one, 0x55, size * 8);
            if (!kernels->encode[sums.type](x + shift, n, f, one))
                describe("does not fit", arch, f, 0);
            for (size_t i = 0; i < size; i++) {
                if (i < f->digits * n && llabs(one[i]) >> f->bits)
                    describe("a digit is too large", arch, f, i);
                all[i] += one[i] * (int64_t)sums.times[r];
            }
        }
        if (arch && memcmp(all, first, size * 8))
            describe("other lanes", arch, f, 0);
        memcpy(first, all, size * 8);
        for (int to = 0; to < TYPES; to++) {
            if (f->digits && f->lowest < lanes_types[to].low)
                continue;
            kernels->decode[to](f, sums.all, all, n, y + shift);
            for (size_t j = 0; j < n; j++)
                if (lanes_bits(to, y + shift, j) != expected[to][j]) {
                    print_message("as %s: %llx, not %llx\n", lanes_types[to].name,
                                  (unsigned long long)lanes_bits(to, y + shift, j),
                                  (unsigned long long)expected[to][j]);
                    describe("wrong", arch, f, j);
                }
        }
    }
    free(first);
    free(all);
    free(one);
    free(x);
    free(y);
}

/* The narrowest format, and one with a margin at both ends. */
static void check(unsigned bits)
{
    reckon();
    struct summand__lanes_format f = summand__lanes_format(&sums.range, bits);
    check_format(&f);
    if (!f.digits)
        return;
    const int below = (int)random_below(70), above = (int)random_below(70);
    f.lowest = (int16_t)(f.lowest - below < -1074 ? -1074 : f.lowest - below);
    f.top = (int16_t)(f.top + above);
    f.digits = (uint8_t)((f.top - f.lowest + (int)bits - 1) / (int)bits);
    f.special = 1;
    check_format(&f);
}

static const unsigned widths[] = {32, 40, 47, 52, 53, 54, 55, 58};

static unsigned some_bits(void)
{
    return widths[random_below(sizeof widths / sizeof *widths)];
}

TEST(test_families)
{
    for (int type = 0; type < TYPES; type++)
        for (unsigned f = 0; f < FAMILIES; f++)
            for (size_t n = 0; n <= MOST; n += n < 20 && !SANITIZED ? 1 : 1 + random_below(97)) {
                start(type, n, 1 + random_below(RANKS));
                const double scale = type == SUMMAND__LANES_F16 && n % 2 ? 0x1p-14 : 1;
                for (unsigned r = 0; r < sums.ranks; r++)
                    for (size_t j = 0; j < n; j++)
                        lanes_set(type, sums.x[r], j, family_value(f, j) * scale);
                check(sums.ranks == 1 ? 61 : sums.ranks == 2 ? 60 : some_bits());
            }
}

/* Any bits: all exponents, denormals, now and then infinities and NaNs; or a few exponents. */
TEST(test_any_bits)
{
    for (unsigned round = 0; round < 2000; round++) {
        const int type = (int)(round % TYPES), digits = lanes_types[type].digits - 1;
        const unsigned fields = 1u << (8 * lanes_types[type].bytes - 1 - (unsigned)digits);
        const unsigned span = 1 + random_below(round % 3 ? 12 : fields);
        const unsigned from = random_below(fields - (span < fields ? span : fields - 1));
        start(type, 1 + random_below(40), 1 + random_below(RANKS));
        for (unsigned r = 0; r < sums.ranks; r++)
            for (size_t j = 0; j < sums.n; j++) {
                const uint64_t fraction = random_u64() & (((uint64_t)1 << digits) - 1);
                const uint64_t sign = random_u64() >> 63 << (8 * lanes_types[type].bytes - 1);
                const uint64_t zeros = random_below(3) ? 0 : random_below((unsigned)digits + 1);
                lanes_set_bits(type, sums.x[r], j,
                               sign | (uint64_t)(from + random_below(span)) << digits |
                                   fraction >> zeros << zeros);
            }
        check(some_bits());
    }
}

/* Rank r has what the ranks before it have not cancelled: all but some last bits cancel. */
TEST(test_cancellation)
{
    for (unsigned round = 0; round < 800; round++) {
        const int type = (int)(round % TYPES);
        start(type, 1 + random_below(30), 2 + random_below(RANKS - 1));
        for (size_t j = 0; j < sums.n; j++) {
            double left = 0;
            for (unsigned r = 0; r < sums.ranks; r++) {
                const double big = ldexp(random_unit(), (int)random_below(24) - 10);
                lanes_set(type, sums.x[r], j, r + 1 == sums.ranks ? -left : r ? big - left : big);
                left += lanes_value(type, sums.x[r], j);
            }
        }
        check(some_bits());
    }
}

/* Half-way cases, and half-way cases with a term far below, in every number of digits. */
TEST(test_ties)
{
    for (int type = 0; type < TYPES; type++)
        for (int gap = 1; gap < (type == SUMMAND__LANES_F16 ? 12 : 130); gap += 1 + gap / 16) {
            const int digits = lanes_types[type].digits;
            const int at = type == SUMMAND__LANES_F16 ? 2 : 20;
            start(type, 64, 3);
            for (size_t j = 0; j < 64; j++) {
                const double sign = j & 1 ? -1 : 1;
                const double one = ldexp(1 + ldexp((double)(j >> 1 & 3), 1 - digits), at);
                lanes_set(type, sums.x[0], j, sign * one);
                lanes_set(type, sums.x[1], j,
                          (j & 8 ? 1 : -1) * ldexp(j & 32 ? 1 : 0.5, at - digits));
                lanes_set(type, sums.x[2], j, (j & 16 ? 1 : -1) * ldexp(1, at - digits - gap));
                if (j % 7 == 0)
                    lanes_set(type, sums.x[2], j, 0);
            }
            check(some_bits());
        }
}

/* Terms of exactly `width` bits from lowest to top: at each border between numbers of digits. */
TEST(test_borders)
{
    static const int ends[] = {-1074, -1022, -600, -100, 0, 300};
    for (unsigned bits = 32; bits <= 61; bits += bits < 53 ? 7 : 1)
        for (unsigned count = 1; count <= 4; count++)
            for (int more = -1; more <= 1; more++)
                for (unsigned e = 0; e < sizeof ends / sizeof *ends; e++) {
                    const int top = ends[e] + (int)(count * bits) + more;
                    start(SUMMAND__LANES_F64, 11, bits < 60 ? 4 : 62 - bits ? 1 << (62 - bits) : 1);
                    for (unsigned r = 0; r < sums.ranks; r++)
                        for (size_t j = 0; j < sums.n; j++) {
                            const double high = nextafter(ldexp(1, top), 0);
                            const double low = ldexp(1, ends[e]), sign = random_below(2) ? 1 : -1;
                            lanes_set(0, sums.x[r], j, sign * (random_below(3) ? high : low));
                        }
                    lanes_set(0, sums.x[0], 0, ldexp(1, top - 1));
                    lanes_set(0, sums.x[0], 1, ldexp(1, ends[e]));
                    check(bits);
                }
}

/* A range that is one bit too narrow at either end, in any element; special values. */
TEST(test_not_fitting)
{
    for (unsigned round = 0; round < 600; round++) {
        const int type = (int)(round % TYPES);
        const struct lanes_type *t = &lanes_types[type];
        const size_t n = 1 + random_below(40), at = random_below((unsigned)n);
        const int middle = type == SUMMAND__LANES_F16 ? -4 : (int)random_below(90) - 45;
        const bool denormal = round % 5 == 0;
        start(type, n, 1);
        for (size_t j = 0; j < n; j++)
            lanes_set(type, sums.x[0], j,
                      denormal ? ldexp((double)random_below(8), t->low)
                               : ldexp(random_unit(), middle));
        lanes_set(type, sums.x[0], at,
                  denormal ? ldexp(3, t->low) : ldexp(1 + ldexp(1, 1 - t->digits), middle));
        reckon();
        struct summand__lanes_format f = summand__lanes_format(&sums.range, some_bits());
        struct summand__lanes_format high = f, low = f, plain = f;
        high.top--;
        low.lowest++;
        low.top = (int16_t)(low.top < low.lowest ? low.lowest : low.top);
        plain.special = 0;
        const int how = (int)random_below(4);
        for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
            static int64_t lanes[ROWS * MOST];
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
            unsigned char x[MOST * 8];
            memcpy(x, sums.x[0], n * t->bytes);
            if (!kernels->encode[type](x, n, &f, lanes))
                describe("does not fit", arch, &f, at);
            if (kernels->encode[type](x, n, &high, lanes) ||
                kernels->encode[type](x, n, &low, lanes))
                describe("fits a format that is too narrow", arch, &f, at);
            summand__lanes_clear(&f, lanes, n);
            if (kernels->add[type](x, n, &high, lanes) || kernels->add[type](x, n, &low, lanes))
                describe("fits a format that is too narrow (add)", arch, &f, at);
            lanes_set(type, x, at,
                      how == 0   ? NAN
                      : how == 1 ? INFINITY
                      : how == 2 ? -INFINITY
                                 : -0.0);
            if (kernels->encode[type](x, n, &plain, lanes))
                describe("a special value fits", arch, &plain, at);
        }
    }
}

/* Each multiset of three of the special values and others, and all of one value. */
TEST(test_special)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.5, -1.5};
    enum { V = sizeof values / sizeof *values };
    for (int type = 0; type < TYPES; type++)
        for (unsigned bits = 40; bits <= 60; bits += 20) {
            start(type, 0, 3);
            for (unsigned c = 0; c < V * V * V; c++) {
                const unsigned pick[3] = {c % V, c / V % V, c / V / V};
                const size_t j = sums.n++;
                for (unsigned r = 0; r < 3; r++)
                    lanes_set(type, sums.x[r], j, values[pick[r]]);
                if (sums.n == 19 || c + 1 == V * V * V) {
                    check(bits);
                    start(type, 0, 3);
                }
            }
        }
}

/* Sums over 2^20 ranks, a few kinds of ranks with the same terms each. */
TEST(test_many_ranks)
{
    for (unsigned round = 0; round < 400; round++) {
        const int type = (int)(round % TYPES);
        start(type, 1 + random_below(30), 1 + random_below(RANKS));
        unsigned long left = 1ul << 20;
        for (unsigned r = 0; r < sums.ranks; r++) {
            sums.times[r] = r + 1 == sums.ranks ? left : random_below((unsigned)left);
            left -= sums.times[r];
            for (size_t j = 0; j < sums.n; j++)
                lanes_set(type, sums.x[r], j,
                          round % 8 < 4 ? random_unit() : family_value(round / 8 % FAMILIES, j));
        }
        if (!left)
            check(round % 2 ? 42 : 37);
    }
}

/* Many terms of one rank, added and normalised now and then; two ranks. */
TEST(test_adding)
{
    enum { N = 13, BITS = 45 };
    for (unsigned round = 0; round < 60; round++) {
        const int type = (int)(round % TYPES);
        const size_t rows = round < 8 && !SANITIZED ? 1u << 17 : 200;
        const unsigned family = round < 8 ? 1 + round / 4 : random_below(FAMILIES);
        unsigned char *x = malloc(rows * N * 8);
        struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
        static int64_t lanes[ROWS * N], other[ROWS * N], first[ROWS * N];
        assert_non_null(x);
        start(type, N, 1);
        for (size_t j = 0; j < N; j++)
            oracle_init(&oracles[j]);
        for (size_t i = 0; i < rows * N; i++) {
            lanes_set(type, x, i, family_value(family, i / N));
            const double value = lanes_value(type, x, i);
            lanes_oracle_range(&range, value);
            lanes_oracle_add(&oracles[i % N], value, 1);
        }
        struct summand__lanes_range wide = range; /* that of the sums */
        wide.top += range.top == SUMMAND__LANES_NONE ? 0 : 18;
        struct summand__lanes_format f = summand__lanes_format(&wide, BITS);
        f.top = (int16_t)(f.digits ? range.top : 0);
        const size_t size = summand__lanes_size(&f, N), row = N * lanes_types[type].bytes;
        const size_t mine = random_below(2) ? rows : random_below((unsigned)rows);
        for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
            summand__lanes_clear(&f, lanes, N);
            summand__lanes_clear(&f, other, N);
            for (size_t i = 0; i < rows; i++) {
                int64_t *to = i < mine ? lanes : other;
                assert_true(kernels->add[type](x + i * row, N, &f, to));
                if (i % (1 << 16) == 999)
                    assert_true(kernels->normalise(&f, to, N));
            }
            assert_true(kernels->normalise(&f, lanes, N));
            assert_true(kernels->normalise(&f, other, N));
            for (size_t i = 0; i < size; i++) {
                assert_true(i >= f.digits * (size_t)N || llabs(lanes[i]) >> BITS == 0);
                lanes[i] += other[i];
            }
            assert_true(!arch || !memcmp(lanes, first, size * 8));
            memcpy(first, lanes, size * 8);
            unsigned char y[N * 8];
            kernels->decode[type](&f, 2, lanes, N, y);
            for (size_t j = 0; j < N; j++)
                if (lanes_bits(type, y, j) != lanes_expected(type, &oracles[j]))
                    describe("wrong sum of many terms", arch, &f, j);
        }
        for (size_t j = 0; j < N; j++)
            oracle_clear(&oracles[j]);
        free(x);
    }
}

/* A sum that outgrows its digits is noticed. */
TEST(test_outgrown)
{
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
        for (int digits = 1; digits < 4; digits++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const struct summand__lanes_format f = {.lowest = -3,
                                                        .top = (int16_t)(40 * digits - 3),
                                                        .digits = (uint8_t)digits,
                                                        .bits = 40};
                const double x[2] = {1, sign * ldexp(1, 40 * digits - 4)};
                int64_t lanes[6];
                summand__lanes_clear(&f, lanes, 2);
                assert_true(kernels->add[0](x, 2, &f, lanes));
                assert_true(kernels->normalise(&f, lanes, 2));
                assert_true(kernels->add[0](x, 2, &f, lanes));
                assert_false(kernels->normalise(&f, lanes, 2));
            }
    }
}
