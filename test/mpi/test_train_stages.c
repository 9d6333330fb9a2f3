/* np: 1 2 3 4, long: 6 8 */
/* Training in stages has the bits of a sequential training in which batch t sees, in a layer of
 * stage g, the weights after t - d(g) updates: none behind in sync, which are the bits of one
 * process; stages - 1 - g in stashed, with twins on ranks of their own 2 (stages - 1 - g) + 1; 1 in
 * 2bw. Rates that change make plans anew. Of 1 to 20 layers, with batches of one sample and of more
 * than there are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#include "mpi/harness.h"
#include "train/checkpoint.h"
#include "train/mpi/modes.h"
#include "train/pipeline.h"
#include "unit/train.h"

enum { MOST_BEHIND = 16 };

static struct train_data digits;
static MPI_Comm comm;

static const struct train_variant variants[] = {
    {"relu", "cross-entropy", 32, 2, 0, 4, {784, 30, 17, 33, 10}, 0, 0, 0},
    {"tanh", "squared", 7, 2, 2, 8, {784, 9, 8, 7, 16, 5, 6, 7, 12}, 1, 0.5, 0.01},
    {"sigmoid", "cross-entropy", 1000, 3, 0, 9, {784, 9, 8, 7, 16, 5, 6, 7, 12, 10}, 2, 0.75, 0},
    {"relu", "cross-entropy", 1, 1, 1, 4, {784, 5, 4, 3, 10}, 0, 0, 0.02},
    TRAIN_VARIANT_ONE_LAYER,
    TRAIN_VARIANT_TWENTY_LAYERS};

/* Weights of the last updates, newest last. */
struct past {
    struct train_weights weights[MOST_BEHIND];
    size_t updates;
};

static int stage_of(const struct train_pipeline *p, int l)
{
    int g = 0;
    while (p->first[g + 1] <= l)
        g++;
    return g;
}

/* The modes, and by how much a stage's weights are behind. */
static size_t behind_sync(int stages, int g)
{
    (void)stages, (void)g;
    return 0;
}

static size_t behind_stashed(int stages, int g)
{
    return (size_t)(stages - 1 - g);
}

static size_t behind_twins(int stages, int g)
{
    return 2 * (size_t)(stages - 1 - g) + 1;
}

static size_t behind_2bw(int stages, int g)
{
    (void)stages, (void)g;
    return 1;
}

static const struct subject {
    const struct train_mode *mode;
    size_t (*behind)(int stages, int g);
    int ranks; /* of a stage */
} subjects[] = {{&train_mode_sync, behind_sync, 1},
                {&train_mode_stashed, behind_stashed, 1},
                {&train_mode_2bw, behind_2bw, 1},
                {&train_mode_stashed_twins, behind_twins, 2}};

static void update(struct train_run *run, struct past *past, const struct train_pipeline *p,
                   const struct subject *subject, size_t first, size_t count, double rate)
{
    struct train_weights *now = &past->weights[past->updates % MOST_BEHIND];
    struct train_weights *next = &past->weights[(past->updates + 1) % MOST_BEHIND];
    for (int l = 1; l <= run->shape->layers; l++) {
        size_t behind = subject->behind(p->stages, stage_of(p, l));
        size_t version = past->updates > behind ? past->updates - behind : 0;
        const struct train_matrix *w = &past->weights[version % MOST_BEHIND].layer[l];
        memcpy(run->weights.layer[l].at, w->at, w->rows * w->ld * sizeof(float));
    }
    train_run_batch(run, first, count);
    /* The update is of the newest weights, which are not those that the batch has seen. */
    train_weights_copy(&run->weights, now);
    struct train_update change = train_update_begin(run, 1, run->shape->layers, count, rate);
    for (int l = 1; l <= run->shape->layers; l++)
        train_pass_gradient(&run->pass, l, count, change.alpha, change.beta,
                            &change.target->layer[l]);
    train_update_end(run, 1, run->shape->layers, rate);
    train_weights_copy(next, &run->weights);
    past->updates++;
}

/* The definition, stretch by stretch, with the pipeline empty between them. */
static void simulate(struct train_run *run, const struct train_pipeline *p,
                     const struct subject *subject, size_t stretch)
{
    static struct past past;
    for (int i = 0; i < MOST_BEHIND; i++)
        if (!train_weights_make(&past.weights[i], run->shape, 1, run->shape->layers))
            abort();
    for (size_t e = 0; e < run->options.epochs; e++) {
        double rate = run->options.rate * run->options.schedule->factor(e, run->options.epochs);
        summand__permutation_make(&run->order, run->train, run->options.seed, e + 1);
        for (size_t first = 0; first < run->train; first += run->options.batch) {
            size_t left = run->train - first;
            if (first / run->options.batch % stretch == 0) {
                past.updates = 0;
                train_weights_copy(&past.weights[0], &run->weights);
            }
            update(run, &past, p, subject, first,
                   left < run->options.batch ? left : run->options.batch, rate);
        }
    }
    for (int i = 0; i < MOST_BEHIND; i++)
        train_weights_free(&past.weights[i]);
}

static int open_run(struct train_run *run, const struct train_shape *shape,
                    const struct train_options *options, const struct train_mode *mode)
{
    struct train_fault fault = {.text = ""};
    int good = train_run_open(run, shape, train_arithmetic_find("chain"), &digits, options, mode,
                              &comm, &fault);
    CHECK(good, "%s", fault.text);
    return good;
}

static void check_mode(const struct train_variant *v, const struct subject *subject, int number)
{
    struct train_shape shape =
        train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
    struct train_options options = train_variant_options(v);
    options.stretch = number % 2 ? 4 : 0;
    struct train_pipeline p = {.shape = &shape};
    struct train_run one, all, plain;
    struct train_fault fault = {.text = ""};
    struct train_hooks none = {0};
    if (harness_ranks % subject->ranks || !train_pipeline_cut(&p, harness_ranks / subject->ranks))
        return;
    if (!open_run(&one, &shape, &options, &train_mode_single) ||
        !open_run(&plain, &shape, &options, &train_mode_single) ||
        !open_run(&all, &shape, &options, subject->mode))
        return;
    simulate(&one, &p, subject, all.stretch);
    enum train_end end = train_run_go(&all, &none, &fault);
    CHECK(end == TRAIN_DONE, "%s", fault.text);
    train_run_go(&plain, &none, &fault);
    size_t bytes = one.weights.floats * sizeof(float);
    CHECK(!memcmp(one.weights.memory, all.weights.memory, bytes),
          "mode %s, variant %d: other weights", subject->mode->name, number);
    int behind = subject->behind(p.stages, 0) > 0 && v->batch < digits.train.count;
    CHECK((memcmp(plain.weights.memory, all.weights.memory, bytes) != 0) == behind,
          "mode %s, variant %d: behind or not?", subject->mode->name, number);
    for (size_t e = 0; e < v->epochs && !behind; e++)
        CHECK(plain.history[e].train.loss == all.history[e].train.loss &&
                  plain.history[e].train.accuracy == all.history[e].train.accuracy &&
                  plain.history[e].test.loss == all.history[e].test.loss,
              "mode %s, variant %d: another loss", subject->mode->name, number);
    train_run_close(&one);
    train_run_close(&plain);
    train_run_close(&all);
}

/* With the BLAS at hand, whose bits may depend on pieces: about the weights of one process. */
static void check_blas(void)
{
    const struct train_arithmetic *blas = train_arithmetic_find("blas");
    const struct train_variant *v = &variants[0];
    struct train_shape shape =
        train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
    struct train_options options = train_variant_options(v);
    struct train_run one, all;
    struct train_fault fault = {.text = ""};
    struct train_hooks none = {0};
    if (!train_arithmetic_available(blas))
        return;
    CHECK(train_run_open(&one, &shape, train_arithmetic_find("chain"), &digits, &options,
                         &train_mode_single, &comm, &fault) &&
              train_run_open(&all, &shape, blas, &digits, &options, &train_mode_sync, &comm,
                             &fault) &&
              train_run_go(&one, &none, &fault) == TRAIN_DONE &&
              train_run_go(&all, &none, &fault) == TRAIN_DONE,
          "%s", fault.text);
    for (size_t i = 0; i < one.weights.floats && !fault.text[0]; i++)
        CHECK(fabsf(one.weights.memory[i] - all.weights.memory[i]) < 1e-4F,
              "blas: weight %zu is %g, not %g", i, (double)all.weights.memory[i],
              (double)one.weights.memory[i]);
    CHECK(fabs(one.history[1].train.loss - all.history[1].train.loss) < 1e-4, "blas: another loss");
    train_run_close(&one);
    train_run_close(&all);
}

/* What stages cannot do is said by all, and nobody waits. */
static void check_refusals(void)
{
    static const size_t widths[] = {784, 10};
    struct train_shape shape = train_test_shape("relu", "sigmoid", "cross-entropy", 1, widths);
    struct train_options options = train_test_options(8, 1, 0.1);
    struct train_fault fault = {.text = ""};
    struct train_run run;
    bool good = train_run_open(&run, &shape, train_arithmetic_find("chain"), &digits, &options,
                               &train_mode_sync, &comm, &fault);
    CHECK(good == (harness_ranks == 1), "one layer in %d stages", harness_ranks);
    if (good)
        train_run_close(&run);
    else
        CHECK(strstr(fault.text, "too few for"), "%s", fault.text);
}

int main(int argc, char **argv)
{
    struct train_fault fault = {.text = ""};
    harness_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK(train_data_digits(1, 200, 50, &digits, &fault), "%s", fault.text);
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++)
        for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
            check_mode(&variants[i], &subjects[s], i);
    if (harness_ranks <= variants[0].layers)
        check_blas();
    check_refusals();
    train_data_free(&digits);
    MPI_Comm_free(&comm);
    return harness_end();
}
