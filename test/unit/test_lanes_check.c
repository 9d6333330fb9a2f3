/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of lanes: every instruction set against GMP; no damage of sums stays unseen. */
#include <stdlib.h>
#include <string.h>

#include "kernel/lanes.h"
#include "unit/exact_oracle.h"
#include "unit/unit.h"

enum { MOST = 3 * 256 + 5, RANKS = 9, MARK = 123456789 };

static int64_t shares[RANKS][MOST], sums[MOST];
static int64_t words[RANKS][SUMMAND__CHECK_LANES], all[SUMMAND__CHECK_LANES];

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
}

/* The definition: key of the row times a power of the base. */
static void set_weight(mpz_t weight, const mpz_t prime, size_t lane)
{
    const uint64_t key = mix(UINT64_C(0x9e3779b97f4a7c15) * (lane / 8 + 1)) >> 35 | 1;
    mpz_set_str(weight, "1d3ccbbc87c4cbe5", 16);
    mpz_powm_ui(weight, weight, lane % 8, prime);
    mpz_mul_ui(weight, weight, (unsigned long)key);
}

static struct summand__lanes_check defined(const int64_t *lanes, size_t n)
{
    struct summand__lanes_check check = {0, 0};
    mpz_t prime, sum, weight;
    mpz_init_set_str(prime, "2305843009213693951", 10);
    mpz_init(sum);
    mpz_init(weight);
    for (size_t j = 0; j < n; j++) {
        set_weight(weight, prime, j);
        mpz_mul_si(weight, weight, lanes[j]);
        mpz_add(sum, sum, weight);
        check.sum += (uint64_t)lanes[j];
    }
    mpz_fdiv_r(sum, sum, prime);
    check.word = mpz_get_ui(sum);
    mpz_clears(prime, sum, weight, NULL);
    return check;
}

static int64_t extreme(unsigned kind)
{
    return kind % 3 == 0 ? INT64_MIN : kind % 3 == 1 ? INT64_MAX : -1;
}

TEST(test_instruction_sets)
{
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        for (size_t n = 0; n <= MOST; n += n < 80 ? 1 : 1 + random_below(60))
            for (unsigned kind = 0; kind < 5; kind++) {
                int64_t *lanes = malloc(n * sizeof *lanes + 1);
                assert_non_null(lanes);
                for (size_t j = 0; j < n; j++)
                    lanes[j] = kind < 3    ? extreme(kind)
                               : kind == 3 ? (int64_t)random_u64()
                                           : extreme(random_below(3));
                const struct summand__lanes_check is = summand__lanes_kernels()->check(lanes, n);
                const struct summand__lanes_check must = defined(lanes, n);
                if (is.sum != must.sum || is.word != must.word)
                    fail_msg("%s, %zu lanes of kind %u",
                             summand__arch_name((enum summand__arch)arch), n, kind);
                free(lanes);
            }
    }
}

/* Shares of ranks, as large as they may be, and their sums. */
static void add_up(size_t n, unsigned ranks)
{
    memset(sums, 0, sizeof sums);
    memset(all, 0, sizeof all);
    for (unsigned r = 0; r < ranks; r++) {
        for (size_t j = 0; j < n; j++) {
            shares[r][j] = (int64_t)random_u64() / RANKS / 2;
            sums[j] += shares[r][j];
        }
        summand__check_write(summand__lanes_kernels()->check(shares[r], n), MARK, words[r]);
        for (int i = 0; i < SUMMAND__CHECK_LANES; i++)
            all[i] = (int64_t)((uint64_t)all[i] + (uint64_t)words[r][i]);
    }
}

static struct summand__lanes_check damage(size_t n, unsigned ranks)
{
    return summand__check_damage(summand__lanes_kernels()->check(sums, n), ranks, MARK, all);
}

static bool is_seen(size_t n, unsigned ranks)
{
    const struct summand__lanes_check found = damage(n, ranks);
    return found.sum || found.word;
}

TEST(test_sums_hold)
{
    for (unsigned round = 0; round < 300; round++) {
        const size_t n = random_below(MOST + 1);
        const unsigned ranks = 1 + random_below(RANKS);
        add_up(n, ranks);
        assert_false(is_seen(n, ranks));
        assert_true(is_seen(n, ranks + 1)); /* the mark of another rank is missing */
    }
}

/* Any change of one lane is located; each bit, and any number in its place. */
TEST(test_one_lane)
{
    for (unsigned round = 0; round < 40; round++) {
        const size_t n = 1 + random_below(MOST), lane = random_below((unsigned)n);
        add_up(n, RANKS);
        const int64_t right = sums[lane];
        for (unsigned bit = 0; bit < 66; bit++) {
            sums[lane] = bit < 64    ? (int64_t)((uint64_t)right ^ UINT64_C(1) << bit)
                         : bit == 64 ? 0
                                     : (int64_t)random_u64();
            const struct summand__lanes_check found = damage(n, RANKS);
            if (sums[lane] != right && summand__check_locate(sums, n, found) != lane)
                fail_msg("bit %u of lane %zu of %zu is not located", bit, lane, n);
            assert_true((uint64_t)sums[lane] - found.sum == (uint64_t)right);
        }
    }
}

/* Changes of several lanes and of the words themselves are seen, and are not taken for one lane's.
 */
TEST(test_several_lanes)
{
    static int64_t right[MOST];
    for (unsigned round = 0; round < 20000; round++) {
        const size_t n = 2 + random_below(MOST - 1);
        const size_t a = random_below((unsigned)n), b = (a + 1 + random_below((unsigned)n - 1)) % n;
        const size_t length = 2 + random_below((unsigned)n - 1);
        const unsigned bit = random_below(64);
        if (round % 100 == 0 || n > 300)
            add_up(n, 3);
        else
            add_up(n, 2);
        memcpy(right, sums, sizeof sums);
        switch (round % 7) {
        case 0: /* exchanged */
            sums[a] = right[b];
            sums[b] = right[a];
            break;
        case 1: /* the same bit in two, often with sum 0 */
            sums[a] ^= (int64_t)(UINT64_C(1) << bit);
            sums[b] ^= (int64_t)(UINT64_C(1) << bit);
            break;
        case 2: /* a lost share */
            for (size_t j = 0; j < length && j < n; j++)
                sums[j] -= shares[1][j];
            break;
        case 3: /* zeros */
            memset(sums + n - (length < n ? length : n), 0, (length < n ? length : n) * 8);
            break;
        case 4: /* late by one */
            memmove(sums + 1, right, (n - 1) * sizeof *sums);
            break;
        case 5: /* a bit that sticks, in all lanes */
            for (size_t j = 0; j < n; j++)
                sums[j] |= (int64_t)(UINT64_C(1) << bit);
            break;
        default:
            all[round % SUMMAND__CHECK_LANES] ^= (int64_t)(UINT64_C(1) << bit);
        }
        const unsigned ranks = round % 100 == 0 || n > 300 ? 3 : 2;
        size_t changed = 0;
        for (size_t j = 0; j < n; j++)
            changed += sums[j] != right[j];
        if ((changed || round % 7 == 6) && !is_seen(n, ranks))
            fail_msg("case %u, %zu lanes: unseen", round % 7, n);
        if (changed > 1 && summand__check_locate(sums, n, damage(n, ranks)) < n)
            fail_msg("case %u, %zu lanes: taken for one lane's", round % 7, n);
    }
}
