/* np: 1 2, long: 4 6 8; together; also: late/4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with twins. The test's own products fill all weights of a version with its number and
 * wait for random times. No reader ever sees two numbers in one version, a version further behind
 * than allowed, or an older one after a newer. If stashed, each batch sees its own version, forward
 * and back. With real products and weights that may not be behind, the bits are those of one
 * process; twins on one rank are repeatable. */
#include <summand.h>
#include <time.h>

#include "compute/product.h"
#include "mpi/harness.h"
#include "train/mpi/modes.h"
#include "train/pipeline.h"
#include "unit/train.h"

static struct train_data digits;
static MPI_Comm comm;

enum { STRETCH = 9 }; /* of 22 batches */

/* The observations of a rank since the epoch began. */
static struct {
    size_t forward, back, layers, behind;
    float version, last;
    size_t most, turned, turned_layers; /* of products back */
    bool apart;                         /* weights back may be behind, too */
    bool exact;                         /* stashed: `behind` is exact, not a maximum */
    unsigned draw;
} seen;

static void dawdle(void)
{
    seen.draw = seen.draw * 1664525u + 1013904223u;
    unsigned long microseconds = (seen.draw >> 16) % 8 ? 0 : (seen.draw >> 20) % 400;
    const struct timespec time = {0, (long)(1000 * microseconds)};
    nanosleep(&time, NULL);
}

/* The number that fills a matrix (by columns). */
static float number_in(const float *at, size_t rows, size_t columns, size_t ld)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            CHECK(at[i + j * ld] == at[0], "a version is mixed: %g and %g", (double)at[0],
                  (double)at[i + j * ld]);
    return at[0];
}

/* Stashed: the number of updates by which weights are behind. */
static size_t due(size_t batch)
{
    batch %= STRETCH;
    return batch < seen.behind ? batch : seen.behind;
}

static void see_forward(const struct summand__product *w)
{
    float version = number_in(w->a, w->rows, w->inner, w->lda);
    size_t batch = seen.forward / seen.layers;
    if (seen.forward++ % seen.layers)
        CHECK(version == seen.version, "layers of versions %g and %g", (double)seen.version,
              (double)version);
    CHECK(version >= seen.last, "version %g after %g", (double)version, (double)seen.last);
    CHECK(version <= (float)batch && version + (float)seen.behind >= (float)batch,
          "batch %zu sees version %g, at most %zu behind", batch, (double)version, seen.behind);
    size_t lag = batch - (size_t)version;
    if (seen.exact)
        CHECK(lag == due(batch), "batch %zu sees version %g", batch, (double)version);
    seen.most = lag > seen.most ? lag : seen.most;
    seen.last = seen.version = version;
    memset(w->c, 0, w->ldc * w->columns * sizeof(float));
}

/* The products with the transposed weights. */
static void see_back(const struct summand__product *w)
{
    float version = number_in(w->a, w->inner, w->rows, w->lda);
    size_t batch = seen.turned++ / seen.turned_layers;
    size_t lag = seen.exact ? due(batch) : 0;
    bool good = seen.apart ? version <= (float)batch && version + (float)seen.behind >= (float)batch
                           : version == (float)(batch - lag);
    CHECK(good, "batch %zu goes back with version %g", batch, (double)version);
    memset(w->c, 0, w->ldc * w->columns * sizeof(float));
}

static void number_run(enum summand__product_type type, const struct summand__product *w)
{
    (void)type;
    dawdle();
    if (w->turned_b) { /* a gradient: the next version */
        float *c = w->c;
        float number = number_in(c, w->rows, w->columns, w->ldc);
        for (size_t j = 0; j < w->columns; j++)
            for (size_t i = 0; i < w->rows; i++)
                c[i + j * w->ldc] = number + 1;
    } else if (!w->turned_a) {
        see_forward(w);
    } else {
        see_back(w);
    }
    dawdle();
}

static bool available(void)
{
    return true;
}

static const struct summand__product_kernel numbers_kernel = {
    .name = "numbers", .description = "versions", .available = available, .run = number_run};
static const struct summand__net_arithmetic numbers = {"numbers", &numbers_kernel};

static struct summand__net_shape shape_of(int layers)
{
    static const size_t widths[] = {784, 9, 17, 5, 16, 12, 3, 8, 10};
    struct summand__net_shape shape =
        train_test_shape("relu", "sigmoid", "cross-entropy", layers, widths);
    shape.widths[layers] = 10;
    return shape;
}

/* Epochs alone, because evaluations are products too. */
static void check_versions(const struct train_mode *mode, bool together, size_t behind)
{
    struct summand__net_shape shape = shape_of(8);
    struct train_options options = train_test_options(7, 1, 0.1);
    struct train_pipeline cut = {.shape = &shape};
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    int stages = together ? harness_ranks : harness_ranks / 2, stage = harness_rank % stages;
    options.behind = (long long)behind;
    options.together = together;
    options.stretch = STRETCH;
    bool good = train_run_open(&run, &shape, &numbers, &digits, &options, mode, &comm, &fault);
    CHECK(good && train_pipeline_cut(&cut, stages), "%s", fault.text);
    for (size_t e = 0; good && e < 3; e++) {
        memset(run.weights.memory, 0, run.weights.floats * sizeof(float));
        seen.forward = seen.most = seen.turned = 0;
        seen.last = 0;
        seen.exact = mode == &train_mode_stashed_twins;
        seen.apart = mode == &train_mode_poad_last && stage;
        seen.behind = seen.exact ? 2 * (size_t)(stages - 1 - stage) + 1 : behind;
        seen.layers = (size_t)(cut.first[stage + 1] - cut.first[stage]);
        seen.turned_layers = seen.layers - (stage == 0);
        summand__permutation_make(&run.order, run.train, 1, e);
        run.batch = 0;
        good = run.mode->take(&run, &fault);
        for (size_t first = 0, n; good && first < run.train; first += n) {
            n = run.stretch * run.options.batch;
            n = n < run.train - first ? n : run.train - first;
            good = run.mode->batch(&run, first, n, 0.1, &fault);
        }
        good = good && run.mode->give(&run, &fault);
        CHECK(good, "%s", fault.text);
        size_t batches = train_run_batches(&run);
        CHECK(seen.forward == (harness_rank < stages ? seen.layers * batches : 0), "%zu products",
              seen.forward);
        CHECK(seen.exact || (run.lag.most >= seen.most && run.lag.most <= behind &&
                             run.lag.batches == batches * (size_t)stages),
              "told: at most %zu behind", (size_t)run.lag.most);
        CHECK(!seen.exact || run.lag.batches == 0, "lags are told that are fixed");
        CHECK(seen.turned ==
                  (harness_rank / stages == (together ? 0 : 1) ? seen.turned_layers * batches : 0),
              "%zu products back", seen.turned);
        for (int l = 1; l <= 8; l++)
            CHECK(run.weights.layer[l].at[0] == (float)batches, "layer %d: %g updates", l,
                  (double)run.weights.layer[l].at[0]);
    }
    if (good)
        train_run_close(&run);
}

static void go(struct train_run *run, const struct summand__net_shape *shape,
               const struct train_options *options, const struct train_mode *mode)
{
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    bool good = train_run_open(run, shape, summand__net_arithmetic_find("chain"), &digits, options,
                               mode, &comm, &fault) &&
                train_run_go(run, &none, &fault) == TRAIN_DONE;
    CHECK(good, "%s", fault.text);
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Whether two results are equal bit by bit, weights and losses. */
static void check_bits(const struct train_options *options, const struct train_mode *mode,
                       const struct train_mode *twins, const char *what)
{
    struct summand__net_shape shape = shape_of(8);
    struct train_options plain = *options;
    struct train_run one, all;
    plain.behind = -1;
    go(&one, &shape, mode == &train_mode_single ? &plain : options, mode);
    go(&all, &shape, options, twins);
    CHECK(!memcmp(one.weights.memory, all.weights.memory, one.weights.floats * sizeof(float)),
          "%s: other weights", what);
    for (size_t e = 0; e < options->epochs; e++)
        CHECK(one.history[e].train.loss == all.history[e].train.loss &&
                  one.history[e].test.loss == all.history[e].test.loss,
              "%s: other losses", what);
    train_run_close(&one);
    train_run_close(&all);
}

static void check_training(bool together, const struct train_mode *twins)
{
    struct train_options options = train_test_options(7, 2, 0.05);
    options.together = together;
    options.behind = 0;
    check_bits(&options, &train_mode_single, twins, "plain");
    options.momentum = 0.5;
    options.decay = 0.01;
    options.schedule = train_rates[1];
    check_bits(&options, &train_mode_single, twins, "momentum");
    options.stretch = 5;
    check_bits(&options, &train_mode_single, twins, "in stretches");
    options.batch = 1000; /* more than there are samples */
    check_bits(&options, &train_mode_single, twins, "one batch");
    options.batch = 1;
    options.momentum = 0;
    options.behind = 3;
    if (together)
        check_bits(&options, &train_mode_poad, twins, "again");
}

TESTS
{
    struct summand__net_fault fault = {.text = ""};
    comm = harness_comm();
    CHECK(train_data_digits(1, 150, 20, &digits, &fault), "%s", fault.text);
    for (int together = 0; together < 2; together++) {
        if ((!together && harness_ranks % 2) || (together && harness_ranks > 8))
            continue;
        seen.draw = (unsigned)harness_rank + 1;
        for (size_t behind = 0; behind < 10; behind += 1 + behind) {
            check_versions(&train_mode_poad, together, behind);
            if (!together)
                check_versions(&train_mode_poad_last, together, behind);
        }
        if (!together)
            check_versions(&train_mode_stashed_twins, together, 0);
        check_training(together, &train_mode_poad);
        if (!together)
            check_training(together, &train_mode_poad_last);
    }
    train_data_free(&digits);
    MPI_Comm_free(&comm);
}
