/* np: 1 2, long: 5; together; also: late/4 read/4 stream/3 checked/3 checked-late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* 10^4 random calls, fewer if ranks share cores: collective, algorithm, datatype and operator,
 * root, in place, blocking or plan, counts, all options. Seeded; a failure prints the case. */
#include "mpi/one_call.h"

enum { CASES = 10000, FEW_CASES = 2000 };

static uint64_t seed = 42;

static size_t below(size_t n)
{
    return (size_t)(harness_random(&seed) % n);
}

/* Mostly few elements; sometimes enough for long messages. Elements of a column share bytes from
 * COLUMNS on. */
static size_t random_count(const struct one *c)
{
    size_t most = below(100) ? below(4) ? 12 : 100 : 5000;
    if (c->s->at_b == 4 * COLUMNS && most > COLUMNS)
        most = COLUMNS;
    return below(most + 1) / (summand__has_blocks(c->collective) ? (size_t)harness_ranks : 1);
}

static const struct summand__algorithm *random_algorithm(const struct one *c)
{
    size_t n = 0;
    while (summand__algorithms[n])
        n++;
    const struct summand__algorithm *algorithm = summand__algorithms[below(n)];
    return below(4) && possible(c, algorithm) ? algorithm : NULL;
}

/* Sometimes asks for a promise that the algorithm makes. */
static enum summand_promise random_promise(const struct one *c,
                                           const struct summand__algorithm *algorithm)
{
    if (!summand__has_operator(c->collective))
        return SUMMAND_PROMISE_SAME;
    if (below(2) && algorithm && (algorithm->promises & SUMMAND__CANONICAL))
        return SUMMAND_PROMISE_CANONICAL;
    return below(2) && algorithm && (algorithm->promises & SUMMAND__RANK_ORDER)
               ? SUMMAND_PROMISE_RANK_ORDER
               : SUMMAND_PROMISE_SAME;
}

static void random_case(const struct subject *subjects)
{
    struct one c = {.s = &subjects[below(SUBJECTS)],
                    .collective = (enum summand__collective)below(SUMMAND__MPI_COLLECTIVES)};
    const struct summand__algorithm *algorithm = random_algorithm(&c);
    c.count = random_count(&c);
    summand_options options = {.segment = below(2) ? (MPI_Count)(c.count / 20 + below(50)) : 0,
                               .radix = below(2) ? (int)below(9) : 0,
                               .node_size = below(2) ? (int)below(6) : 0,
                               .leaders = below(2) ? (int)below(4) : 0,
                               .radix_between = below(2) ? (int)below(6) : 0};
    options.promise = random_promise(&c, algorithm);
    c.algorithm = algorithm ? algorithm->name : NULL;
    c.options = &options;
    c.root = summand__has_root(c.collective) ? (int)below((size_t)harness_ranks) : 0;
    c.in_place = c.collective != SUMMAND__COLL_BCAST && below(3) == 0;
    c.form = (int)below(4);
    if (!harness_skips())
        check(&c);
}

TESTS
{
    struct subject subjects[SUBJECTS];
    make_subjects(subjects);
    for (int i = 0; i < (harness_ranks > 2 ? FEW_CASES : CASES); i++)
        random_case(subjects);
    free_subjects(subjects);
}
