/* SPDX-License-Identifier: BSD-3-Clause */
/* The state machines against a matrix form of their definition, and the quantities that they must
 * conserve. */
#include "base/permutation.h"
#include "gossip/machine.h"
#include "kernel/seal.h"
#include "lab/gossip/data.h"
#include "lab/gossip/rounds.h"
#include "unit/unit.h"

#include <math.h>

enum { MOST = 17 };

TEST(every_round_is_one_cycle)
{
    for (uint64_t n = 1; n <= 70; n++)
        for (uint64_t round = 0; round < 5; round++) {
            struct summand__permutation p;
            uint64_t run[70], at = 0;
            bool seen[70] = {false};
            summand__permutation_make(&p, n, 3, round);
            summand__permutation_run(&p, 0, n, run);
            for (uint64_t k = 0; k < n; k++) {
                assert_int_equal(run[k], summand__permutation_at(&p, k));
                assert_int_equal(summand__permutation_where(&p, run[k]), k);
            }
            for (uint64_t k = 0; k < n; k++) {
                assert_true(at < n && !seen[at]);
                seen[at] = true;
                assert_int_equal(summand__cycle_previous(&p, summand__cycle_next(&p, at)), at);
                at = summand__cycle_next(&p, at);
            }
            assert_int_equal(at, 0);
        }
}

TEST(permutations_are_spread_evenly)
{
    /* Targets of rank 0 over many rounds: chi-squared with 62 degrees of freedom is below 130
     * except for one seed in 10^6. */
    int hits[64] = {0};
    for (uint64_t round = 0; round < 6300; round++) {
        struct summand__permutation p;
        summand__permutation_make(&p, 64, 9, round);
        hits[summand__cycle_next(&p, 0)]++;
    }
    double chi = 0;
    for (int i = 1; i < 64; i++)
        chi += (hits[i] - 100.0) * (hits[i] - 100.0) / 100.0;
    assert_int_equal(hits[0], 0);
    assert_true(chi < 130);
}

static double datum(const void *context, int64_t i)
{
    const int64_t *n = context;
    return summand__datum(SUMMAND__DATA_UNIFORM, 5, *n, i);
}

static struct summand__rounds open_rounds(const struct summand__gossip_algorithm *algorithm,
                                          const struct summand__arith *arith, const int64_t *n)
{
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {.algorithm = algorithm,
                                          .arith = arith,
                                          .n = *n,
                                          .seed = 11,
                                          .tau = -1,
                                          .threads = 1,
                                          .value = datum,
                                          .context = n,
                                          .truth =
                                              summand__data_mean(SUMMAND__DATA_UNIFORM, 5, *n, 1)};
    assert_true(summand__rounds_open(&sim, &setup));
    return sim;
}

static void multiply(const double matrix[MOST][MOST], double *x, int n)
{
    double y[MOST] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += matrix[i][j] * x[j];
    memcpy(x, y, sizeof y);
}

/* The matrix of a round: every rank with a partner keeps a half and sends a half. */
static void round_matrix(const struct summand__gossip_algorithm *algorithm, int n, int round,
                         double matrix[MOST][MOST])
{
    memset(matrix, 0, MOST * sizeof *matrix);
    for (int j = 0; j < n; j++) {
        struct summand__partners p = algorithm->partners(11, n, round, j);
        double keep = p.to < 0 ? 1 : 0.5;
        matrix[j][j] += keep;
        if (p.to >= 0)
            matrix[p.to][j] += 0.5;
    }
}

TEST(rounds_equal_their_matrix)
{
    static const char *const names[] = {"hps", "hpflc", "hpfcc", NULL};
    static const double close_to[] = {1e-13, 2e-5, 1e-13};
    for (int a = 0; names[a]; a++)
        for (int form = 0; summand__ariths[form]; form++)
            for (int64_t n = 1; n <= MOST; n++) {
                const struct summand__gossip_algorithm *algorithm = summand__gossip_named(names[a]);
                struct summand__rounds sim = open_rounds(algorithm, summand__ariths[form], &n);
                double x[MOST] = {0}, w[MOST] = {0}, matrix[MOST][MOST], y;
                for (int i = 0; i < n; i++) {
                    x[i] = datum(&n, i);
                    w[i] = 1;
                }
                for (int round = 0; round < 12; round++) {
                    summand__rounds_step(&sim, NULL, 0);
                    round_matrix(algorithm, (int)n, round, matrix);
                    multiply(matrix, x, (int)n);
                    multiply(matrix, w, (int)n);
                    for (int i = 0; i < n; i++) {
                        sim.nodes[i]->algorithm->estimate(sim.nodes[i], &y);
                        assert_true(fabs(y - x[i] / w[i]) <= close_to[form]);
                    }
                }
                summand__rounds_close(&sim);
            }
}

/* One push at a time, each delivered before the next: e_i -> e_i / 2, e_j -> e_j + e_i / 2. */
TEST(pushes_equal_their_matrix)
{
    static const char *const names[] = {"ps", "pf", "pflc", "pfcc", NULL};
    int64_t n = 6;
    for (int a = 0; names[a]; a++)
        for (int form = 0; form <= 2; form += 2) {
            struct summand__rounds sim =
                open_rounds(summand__gossip_named(names[a]), summand__ariths[form], &n);
            struct summand__gossip_outbox outbox = {0}, none = {0};
            struct summand__random random = {77};
            double x[6], w[6] = {1, 1, 1, 1, 1, 1}, y;
            for (int i = 0; i < n; i++)
                x[i] = datum(&n, i);
            for (int step = 0; step < 500; step++) {
                int i = (int)summand__random_below(&random, 6);
                int j = (i + 1 + (int)summand__random_below(&random, 5)) % 6;
                outbox.count = 0;
                sim.nodes[i]->algorithm->tick(sim.nodes[i], j, &outbox);
                assert_int_equal(outbox.count, 1);
                sim.nodes[j]->algorithm->receive(sim.nodes[j], i, outbox.messages, &none);
                x[i] /= 2, w[i] /= 2;
                x[j] += x[i], w[j] += w[i];
                for (int k = 0; k < n; k++) {
                    sim.nodes[k]->algorithm->estimate(sim.nodes[k], &y);
                    assert_true(fabs(y - x[k] / w[k]) <= 1e-11);
                }
            }
            assert_int_equal(none.count, 0);
            summand__gossip_outbox_free(&outbox);
            summand__rounds_close(&sim);
        }
}

static uint64_t fixed_mass(const struct summand__rounds *sim, int word)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < sim->setup.n; i++) {
        union summand__word e[SUMMAND__GOSSIP_WIDTH];
        summand__gossip_total(sim->nodes[i], e);
        sum += e[word].bits;
    }
    return sum;
}

TEST(fixed_point_conserves_mass_exactly)
{
    static const char *const names[] = {"hps", "hpflc", "hpfcc", "pf", "pflc", "pfcc", "ps", NULL};
    int64_t n = 13;
    for (int a = 0; names[a]; a++) {
        struct summand__rounds sim =
            open_rounds(summand__gossip_named(names[a]), &summand__arith_fixed, &n);
        uint64_t before[3];
        for (int word = 0; word < 3; word++)
            before[word] = fixed_mass(&sim, word);
        struct summand__gossip_outbox outbox = {0}, none = {0};
        struct summand__random random = {3};
        for (int event = 0; event < 2000; event++) {
            int64_t i = (int64_t)summand__random_below(&random, 13);
            int64_t j = (i + 1 + (int64_t)summand__random_below(&random, 12)) % 13;
            outbox.count = 0;
            sim.nodes[i]->algorithm->tick(sim.nodes[i], j, &outbox);
            sim.nodes[j]->algorithm->receive(sim.nodes[j], i, outbox.messages, &none);
            for (int word = 0; word < 3; word++)
                assert_true(fixed_mass(&sim, word) == before[word]);
            assert_int_equal(sim.nodes[i]->counts.bad_states + none.count, 0);
        }
        summand__gossip_outbox_free(&outbox);
        summand__rounds_close(&sim);
    }
}

/* The checksum is halved with the mass, never recomputed. So an error stays recognisable in every
 * half, on any rank. */
TEST(halves_of_a_wrong_mass_are_wrong)
{
    for (int form = 0; summand__ariths[form]; form++)
        for (int word = 0; word < 3; word++) {
            const struct summand__arith *arith = summand__ariths[form];
            union summand__word mass[3], half[3];
            double value = 0.3;
            arith->load(mass, &value, 1, 3);
            assert_false(arith->bad(mass, 1e-6, 3));
            arith->half(half, mass, 3);
            assert_false(arith->bad(half, 1e-6, 3));
            mass[word].bits ^= (uint64_t)1 << (arith->bits - 12); /* a half of it, or more */
            assert_true(arith->bad(mass, 1e-6, 3));
            arith->half(half, mass, 3);
            assert_true(arith->bad(half, 1e-6, 3));
            arith->negate(half, half, 3);
            assert_true(arith->bad(half, 1e-6, 3));
        }
}

TEST(recursive_doubling_gives_all_ranks_the_same_bits)
{
    for (int64_t n = 1; n <= MOST; n++) {
        const struct summand__gossip_algorithm *rd = summand__gossip_named("rd");
        struct summand__rounds sim = open_rounds(rd, &summand__arith_double, &n);
        for (int round = 0; round < rd->rounds(n); round++)
            summand__rounds_step(&sim, NULL, 0);
        for (int64_t i = 0; i < n; i++)
            assert_memory_equal(sim.nodes[i]->own, sim.nodes[0]->own,
                                2 * sizeof(union summand__word));
        double root, largest;
        summand__rounds_error(&sim, &root, &largest);
        assert_true(largest < 1e-15);
        summand__rounds_close(&sim);
    }
}

TEST(extrema_reach_everybody)
{
    for (int maximum = 0; maximum < 2; maximum++)
        for (int64_t n = 1; n <= MOST; n++) {
            const struct summand__gossip_algorithm *spread = summand__gossip_named("spread");
            struct summand__rounds sim = open_rounds(spread, &summand__arith_double, &n);
            double extremum = datum(&n, 0), y;
            for (int64_t i = 0; i < n; i++) {
                sim.nodes[i]->maximum = maximum;
                extremum = maximum ? fmax(extremum, datum(&n, i)) : fmin(extremum, datum(&n, i));
            }
            for (int round = 0; round < 30; round++)
                summand__rounds_step(&sim, NULL, 0);
            for (int64_t i = 0; i < n; i++) {
                spread->estimate(sim.nodes[i], &y);
                assert_true(y == extremum);
            }
            summand__rounds_close(&sim);
        }
}

static void put_not_finite(struct summand__gossip_node *node, double wrong)
{
    for (int k = 0; k < node->width; k++)
        node->flows[k].real = wrong;
}

/* NaN and infinity in a flow: HPFCC continues with the same bits as without the fault. */
TEST(not_finite_flows_are_mended)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    int64_t n = 9;
    for (int k = 0; k < 3; k++) {
        const struct summand__gossip_algorithm *hpfcc = summand__gossip_named("hpfcc");
        struct summand__rounds clean = open_rounds(hpfcc, &summand__arith_double, &n);
        struct summand__rounds hit = open_rounds(hpfcc, &summand__arith_double, &n);
        struct summand__rounds_fault touch = {
            .fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, 0}, .rank = 4};
        for (int round = 0; round < 40; round++) {
            if (round == 7)
                put_not_finite(hit.nodes[4], wrong[k]);
            summand__rounds_step(&clean, NULL, 0);
            summand__rounds_step(&hit, &touch, round == 7);
        }
        for (int64_t i = 0; i < n; i++) {
            double y, z;
            hpfcc->estimate(clean.nodes[i], &y);
            hpfcc->estimate(hit.nodes[i], &z);
            assert_true(fabs(y - z) < 1e-14);
        }
        assert_true(summand__rounds_counts(&hit).repairs >= 1);
        summand__rounds_close(&clean);
        summand__rounds_close(&hit);
    }
}

/* All algorithms with checksums, asynchronous ones too, count a message of NaN or infinity, and it
 * never enters the state. */
TEST(not_finite_messages_are_refused)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    int64_t n = 5;
    for (int a = 0; summand__gossip_algorithms[a]; a++)
        for (int k = 0; k < 3 * 3; k++) {
            const struct summand__gossip_algorithm *algorithm = summand__gossip_algorithms[a];
            if (!algorithm->checked)
                continue;
            struct summand__rounds sim = open_rounds(algorithm, &summand__arith_double, &n);
            struct summand__gossip_outbox outbox = {0}, answers = {0};
            double before, after;
            sim.nodes[0]->algorithm->tick(sim.nodes[0], 1, &outbox);
            outbox.messages[0].body[k / 3].real = wrong[k % 3];
            algorithm->estimate(sim.nodes[1], &before);
            algorithm->receive(sim.nodes[1], 0, &outbox.messages[0], &answers);
            algorithm->estimate(sim.nodes[1], &after);
            assert_true(before == after);
            assert_int_equal(sim.nodes[1]->counts.bad_messages, 1);
            summand__gossip_outbox_free(&outbox);
            summand__gossip_outbox_free(&answers);
            summand__rounds_close(&sim);
        }
}

TEST(hpfcc_in_fixed_point_does_not_notice_a_flip)
{
    int64_t n = 32;
    const struct summand__gossip_algorithm *hpfcc = summand__gossip_named("hpfcc");
    for (int variable = 0; variable < 3; variable++)
        for (int bit = 0; bit < 64; bit++) {
            struct summand__rounds clean = open_rounds(hpfcc, &summand__arith_fixed, &n);
            struct summand__rounds hit = open_rounds(hpfcc, &summand__arith_fixed, &n);
            struct summand__rounds_fault fault = {
                .fault = {(enum summand__fault_variable)variable, SUMMAND__FAULT_ANY, bit},
                .rank = bit % 32};
            for (int round = 0; round < 20; round++) {
                summand__rounds_step(&clean, NULL, 0);
                summand__rounds_step(&hit, &fault, round == 1 + bit % 18);
            }
            for (int64_t i = 0; i < n; i++) {
                double y, z;
                hpfcc->estimate(clean.nodes[i], &y);
                hpfcc->estimate(hit.nodes[i], &z);
                assert_true(y == z);
            }
            struct summand__gossip_counts counts = summand__rounds_counts(&hit);
            assert_true(counts.repairs >= 1);
            assert_int_equal(counts.resets, 0);
            assert_int_equal(summand__rounds_counts(&clean).bad_states, 0);
            summand__rounds_close(&clean);
            summand__rounds_close(&hit);
        }
}

TEST(hpfcc_survives_the_loss_of_both_copies)
{
    int64_t n = 8;
    const struct summand__gossip_algorithm *hpfcc = summand__gossip_named("hpfcc");
    struct summand__rounds sim = open_rounds(hpfcc, &summand__arith_fixed, &n);
    for (int round = 0; round < 5; round++)
        summand__rounds_step(&sim, NULL, 0);
    int64_t partner = sim.nodes[2]->partners[0];
    summand__gossip_find(sim.nodes[2], partner)[0].bits ^= 1u << 9;
    summand__gossip_find(sim.nodes[partner], 2)[0].bits ^= 1u << 20;
    struct summand__rounds_fault touch = {
        .fault = {SUMMAND__FAULT_MESSAGE, SUMMAND__FAULT_VALUE, 3}, .rank = 2};
    summand__rounds_step(&sim, &touch, 1);
    for (int round = 0; round < 120; round++)
        summand__rounds_step(&sim, NULL, 0);
    double root, largest;
    summand__rounds_error(&sim, &root, &largest);
    assert_true(largest < 1e-13);
    assert_true(summand__rounds_counts(&sim).resets >= 1);
    summand__rounds_close(&sim);
}

/* Two flips that cancel in a seal would stay unseen; flips of high bits change the seal least. */
TEST(seals_see_any_two_flips)
{
    enum { WORDS = 9, BITS = 64 * WORDS };
    uint64_t words[WORDS] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    for (int count = 2; count <= WORDS; count++) {
        uint64_t seal = summand__seal(7, words, (size_t)count);
        for (int a = 0; a < 64 * count; a++)
            for (int b = 0; b < a; b++) {
                words[a / 64] ^= UINT64_C(1) << a % 64;
                words[b / 64] ^= UINT64_C(1) << b % 64;
                assert_true(summand__seal(7, words, (size_t)count) != seal);
                words[a / 64] ^= UINT64_C(1) << a % 64;
                words[b / 64] ^= UINT64_C(1) << b % 64;
            }
    }
}

/* The rank's own mass: one damaged copy is restored from the other one; if both are damaged, an
 * error says so. */
TEST(damaged_masses_are_known)
{
    double value = 0.3;
    for (int bit = 0; bit < 64; bit++)
        for (int which = 1; which < 4; which++) {
            struct summand__gossip_setup setup = {.algorithm = summand__gossip_named("hpfcc"),
                                                  .arith = &summand__arith_fixed,
                                                  .ranks = 3,
                                                  .count = 1,
                                                  .tau = -1,
                                                  .sealed = true};
            struct summand__gossip_node *node = summand__gossip_start(&setup, &value, 1);
            assert_non_null(node);
            uint64_t good = node->own[0].bits;
            node->own[0].bits ^= which & 1 ? UINT64_C(1) << bit : 0;
            node->copy[0].bits ^= which & 2 ? UINT64_C(1) << bit : 0;
            summand__gossip_guard(node);
            assert_true(node->lost == (which == 3));
            assert_true(which == 3 || (node->own[0].bits == good && node->copy[0].bits == good));
            summand__gossip_free(node);
        }
}

TEST(table_is_whole)
{
    for (int i = 0; summand__gossip_algorithms[i]; i++) {
        const struct summand__gossip_algorithm *a = summand__gossip_algorithms[i];
        assert_ptr_equal(summand__gossip_named(a->name), a);
        assert_true(a->description && a->resilient && a->cost && a->tick && a->receive);
        assert_true(a->estimate && (a->style == SUMMAND__ROUNDS) == (a->partners != NULL));
        assert_true(!a->flows || a->exclude);
    }
}
