/* SPDX-License-Identifier: BSD-3-Clause */
/* Trainings on one process: their results, options, and files of models and checkpoints. */
#define UNIT_MAIN
#include <math.h>

#include "mpi/scarce.h"
#include "network/model_file.h"
#include "train/checkpoint.h"
#include "unit/train.h"
#include "unit/unit.h"

static char home[] = "/tmp/summand-train-XXXXXX";
static struct train_data digits;

static const struct summand__net_arithmetic *chain(void)
{
    return summand__net_arithmetic_find("chain");
}

static void open_run(struct train_run *run, const struct summand__net_shape *shape,
                     const struct train_options *options)
{
    struct summand__net_fault fault = {.text = ""};
    if (!train_run_open(run, shape, chain(), &digits, options, &train_mode_single, NULL, &fault))
        fail_msg("%s", fault.text);
}

static enum train_end go(struct train_run *run, const struct train_hooks *hooks)
{
    struct summand__net_fault fault = {.text = ""};
    static const struct train_hooks none = {0};
    enum train_end end = train_run_go(run, hooks ? hooks : &none, &fault);
    if (end == TRAIN_FAILED)
        fail_msg("%s", fault.text);
    return end;
}

static const size_t widths[] = {TRAIN_DIGIT_SIDE * TRAIN_DIGIT_SIDE, 24, 10};

static struct summand__net_shape shape_of(const char *hidden)
{
    return train_test_shape(hidden, "sigmoid", "cross-entropy", 2, widths);
}

/* Every option lets the network learn: more than half of the unseen samples are classified
 * correctly. */
TEST(learning)
{
    for (int h = 0; h < 3; h++)
        for (int variant = 0; variant < 4; variant++) {
            struct summand__net_shape shape = shape_of(summand__net_activations[h]->name);
            struct train_options options = train_test_options(16, 4, h ? 0.1 : 0.5);
            struct train_run run;
            options.momentum = variant & 1 ? 0.5 : 0;
            options.decay = variant & 2 ? 1e-3 : 0;
            options.schedule = train_rates[variant];
            open_run(&run, &shape, &options);
            assert_int_equal(go(&run, NULL), TRAIN_DONE);
            struct train_epoch *last = &run.history[3];
            assert_true(last->test.accuracy > 0.6 && last->test.accuracy < 1.0001);
            assert_true(last->train.loss < run.history[0].train.loss);
            assert_true(isnan(last->validation.loss));
            train_run_close(&run);
        }
}

/* The warm-up rate acts on weights that are behind, in the first epoch: its correction starts at
 * the root of 1 + 8 and fades to none. */
TEST(warmth)
{
    const struct train_rate *linear = train_rates[1], *warm = train_rates[4];
    double before = 0;
    assert_string_equal(warm->name, "warm");
    for (size_t epoch = 0; epoch < 5; epoch++)
        for (int k = 0; k < 8; k++) {
            double done = k / 8.0, plain = train_rate_factor(linear, epoch, done, 5, 8);
            double factor = train_rate_factor(warm, epoch, done, 5, 8);
            assert_true(plain == 1 - (double)epoch / 5);
            assert_true(train_rate_factor(warm, epoch, done, 5, 0) == plain);
            if (epoch)
                assert_true(factor == plain);
            else
                assert_true(factor > before && factor < plain);
            before = epoch ? 0 : factor;
        }
    assert_true(fabs(train_rate_factor(warm, 0, 0, 5, 8) - 1.0 / 3) < 1e-15);
    assert_true(fabs(train_rate_factor(warm, 0, 0.5, 5, 15) - 0.5) < 1e-15);
}

/* A step by the definition: plain, with decay, with momentum, with both. The last batch is smaller
 * and counts as one. Weights are compared with a double-precision copy, from the actual gradients.
 * */
TEST(steps)
{
    for (int variant = 0; variant < 4; variant++) {
        struct summand__net_shape shape = shape_of("tanh");
        struct train_options options = train_test_options(7, 1, 0.25);
        struct summand__net_weights g;
        struct train_run run;
        double mu = options.momentum = variant & 1 ? 0.75 : 0;
        double lambda = options.decay = variant & 2 ? 0.125 : 0;
        open_run(&run, &shape, &options);
        assert_true(summand__net_weights_make(&g, &shape, 1, 2));
        size_t n = run.weights.floats;
        double *w = calloc(n, sizeof *w), *v = calloc(n, sizeof *v);
        for (size_t i = 0; i < n; i++)
            w[i] = (double)run.weights.memory[i];
        summand__permutation_make(&run.order, run.train, options.seed, 1);
        for (int step = 0; step < 3; step++) {
            size_t count = step < 2 ? 7 : 3;
            struct summand__net_fault fault = {.text = ""};
            train_run_batch(&run, 7 * (size_t)step, count);
            for (int l = 1; l <= 2; l++)
                train_pass_gradient(&run.pass, l, count, 1, 0, &g.layer[l]);
            for (int l = 1; l <= 2; l++)
                for (size_t i = 0; i < g.layer[l].rows * g.layer[l].ld; i++) {
                    size_t at = (size_t)(g.layer[l].at - g.memory) + i;
                    bool bias = i / g.layer[l].ld == g.layer[l].rows - 1;
                    v[at] = mu * v[at] + (double)g.memory[at] / (double)count +
                            (bias ? 0 : lambda * w[at]);
                    w[at] -= 0.25 * v[at];
                }
            assert_true(run.mode->batch(&run, 7 * (size_t)step, count, 0.25, &fault));
        }
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(w[i] - (double)run.weights.memory[i]) < 1e-5);
        free(w);
        free(v);
        summand__net_weights_free(&g);
        train_run_close(&run);
    }
}

/* Every sample appears once per epoch, in another order each time; validation has the remaining
 * ones. */
TEST(shuffling)
{
    struct summand__net_shape shape = shape_of("relu");
    struct train_options options = train_test_options(32, 1, 0.1);
    struct train_run run;
    unsigned char *seen = calloc(digits.train.count, 1);
    size_t same = 0, kept[64];
    options.validation = 0.25;
    open_run(&run, &shape, &options);
    assert_int_equal(run.train, digits.train.count - digits.train.count / 4);
    for (uint64_t epoch = 1; epoch < 3; epoch++) {
        summand__permutation_make(&run.order, run.train, 5, epoch);
        for (size_t i = 0; i < run.train; i++) {
            size_t position = summand__permutation_at(&run.order, i);
            seen[summand__permutation_at(&run.parts, position)] += (unsigned char)epoch;
            if (i < 64 && epoch == 1)
                kept[i] = position;
            same += epoch == 2 && i < 64 && kept[i] == position;
        }
    }
    for (size_t i = 0; i < run.validation; i++)
        seen[summand__permutation_at(&run.parts, run.train + i)] += 3;
    for (size_t i = 0; i < digits.train.count; i++)
        assert_int_equal(seen[i], 3);
    assert_true(same < 16);
    free(seen);
    train_run_close(&run);
}

/* Positions of the first samples of each epoch. */
static void note_order(void *context, const struct train_run *run)
{
    uint64_t *noted = context;
    for (uint64_t i = 0; i < 16; i++)
        noted[16 * (run->epoch - 1) + i] = summand__permutation_at(&run->order, i);
}

TEST(another_order)
{
    struct summand__net_shape shape = shape_of("relu");
    struct train_options options = train_test_options(64, 3, 0.1);
    uint64_t noted[3 * 16];
    const struct train_hooks hooks = {noted, NULL, NULL, note_order, NULL, NULL};
    struct train_run run;
    open_run(&run, &shape, &options);
    go(&run, &hooks);
    for (int e = 0; e < 2; e++)
        for (int f = e + 1; f < 3; f++)
            assert_int_not_equal(memcmp(&noted[16 * e], &noted[16 * f], sizeof noted / 3), 0);
    train_run_close(&run);
}

/* Smallest and largest shapes and batches. */
TEST(edges)
{
    size_t many[21];
    for (int l = 0; l < 21; l++)
        many[l] = l ? 10 : widths[0];
    struct summand__net_shape shapes[] = {
        train_test_shape("tanh", "sigmoid", "squared", 1, (const size_t[]){widths[0], 10}),
        train_test_shape("relu", "sigmoid", "cross-entropy", 20, many)};
    for (int s = 0; s < 2; s++)
        for (int b = 0; b < 3; b++) {
            size_t batch = (const size_t[]){1, 33, 1000000}[b];
            struct train_options options = train_test_options(batch, 1, 0.01);
            struct train_run run;
            open_run(&run, &shapes[s], &options);
            assert_int_equal(go(&run, NULL), TRAIN_DONE);
            assert_true(isfinite(run.history[0].train.loss));
            train_run_close(&run);
        }
    struct train_run run;
    struct summand__net_fault fault = {.text = ""};
    struct train_options options = train_test_options(8, 1, 0.1);
    struct summand__net_shape wrong = shape_of("relu");
    wrong.widths[0]--;
    assert_false(
        train_run_open(&run, &wrong, chain(), &digits, &options, &train_mode_single, NULL, &fault));
    assert_non_null(strstr(fault.text, "783 inputs, a sample 784 features"));
    fault.text[0] = '\0';
    wrong.widths[0]++;
    wrong.widths[2]--;
    assert_false(
        train_run_open(&run, &wrong, chain(), &digits, &options, &train_mode_single, NULL, &fault));
    assert_non_null(strstr(fault.text, "9 outputs for 10 classes"));
}

/* A loss that is not finite ends the training with an error. */
TEST(divergence)
{
    struct summand__net_shape shape = train_test_shape("linear", "linear", "squared", 2, widths);
    struct train_options options = train_test_options(8, 3, 1e4);
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    open_run(&run, &shape, &options);
    assert_int_equal(train_run_go(&run, &(struct train_hooks){0}, &fault), TRAIN_FAILED);
    assert_non_null(strstr(fault.text, "not finite any more at batch "));
    assert_int_equal(run.epoch, 0);
    train_run_close(&run);
}

/* Training ends when the validation loss has not fallen for a given time, with the weights of its
 * minimum. */
TEST(early)
{
    struct summand__net_shape shape = shape_of("relu");
    struct train_options options = train_test_options(4, 60, 0.5);
    struct train_score score;
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    options.validation = 0.3;
    options.patience = 2;
    open_run(&run, &shape, &options);
    assert_int_equal(go(&run, NULL), TRAIN_EARLY);
    assert_int_equal(run.epoch, run.best_epoch + 2);
    double least = INFINITY;
    size_t best = 0;
    for (size_t e = 0; e < run.epoch; e++)
        if (run.history[e].validation.loss < least) {
            least = run.history[e].validation.loss;
            best = e + 1;
        }
    assert_int_equal(run.best_epoch, best);
    assert_true(train_run_score(&run, TRAIN_PART_VALIDATION, &score, &fault));
    assert_true(score.loss == least);
    train_run_close(&run);
}

struct stopper {
    int left;
};

static bool stops(void *context)
{
    struct stopper *stopper = context;
    return stopper->left-- == 0;
}

/* A training stopped anywhere and resumed in another process's memory ends with the same bits, also
 * in its reports. */
TEST(resuming)
{
    struct summand__net_shape shape = shape_of("relu");
    for (int variant = 0; variant < 2; variant++)
        for (int after = 0; after < 60; after += 7) {
            struct train_options options = train_test_options(32, 3, 0.1);
            struct train_run whole, part, rest;
            struct stopper stopper = {after};
            struct train_hooks hooks = {&stopper, stops,      NULL,
                                        NULL,     "ck.model", train_checkpoint_save};
            struct summand__net_fault fault = {.text = ""};
            options.momentum = variant ? 0.5 : 0;
            options.validation = variant ? 0.2 : 0;
            options.patience = variant ? 5 : 0;
            open_run(&whole, &shape, &options);
            open_run(&part, &shape, &options);
            open_run(&rest, &shape, &options);
            go(&whole, NULL);
            if (go(&part, &hooks) != TRAIN_STOPPED)
                assert_true(after > 30);
            if (!train_checkpoint_load("ck.model", &rest, &fault))
                fail_msg("%s", fault.text);
            if (!variant && after < 10)
                assert_int_equal(rest.batch, after);
            go(&rest, NULL);
            assert_memory_equal(whole.weights.memory, rest.weights.memory,
                                whole.weights.floats * sizeof(float));
            for (size_t e = 0; e < 3; e++) {
                assert_true(whole.history[e].train.loss == rest.history[e].train.loss);
                assert_true(whole.history[e].test.accuracy == rest.history[e].test.accuracy);
            }
            train_run_close(&whole);
            train_run_close(&part);
            train_run_close(&rest);
        }
}

static void expect(bool got, const struct summand__net_fault *fault, const char *words)
{
    if (got || !strstr(fault->text, words) || !strstr(fault->text, ".model"))
        fail_msg("'%s' lacks '%s' or the file's name", got ? "no fault" : fault->text, words);
}

static void load_wrong(const char *path, const char *words)
{
    struct summand__net_fault fault = {.text = ""};
    struct summand__net_shape shape;
    struct summand__net_weights weights;
    expect(summand__net_model_load(path, &shape, &weights, &fault), &fault, words);
}

/* A flipped bit may make a head shorter than its file, which is then not read. */
static void load_damaged(const char *path, bool head)
{
    struct summand__net_fault fault = {.text = ""};
    struct summand__net_shape shape;
    struct summand__net_weights weights;
    const bool got = summand__net_model_load(path, &shape, &weights, &fault);
    const bool shorter = head && strstr(fault.text, ": longer than its layers");
    expect(got, &fault, shorter ? "longer" : "damaged");
}

/* Models are read back with the same bits. A model that is cut anywhere, longer, or has any bit
 * flipped is refused. */
TEST(models)
{
    static const size_t few[] = {3, 17, 2};
    struct summand__net_shape shape = train_test_shape("sigmoid", "tanh", "squared", 2, few), got;
    struct summand__net_weights weights, back;
    struct summand__net_fault fault = {.text = ""};
    assert_true(summand__net_weights_make(&weights, &shape, 1, 2));
    train_weights_draw(&weights, &shape, 1);
    assert_true(summand__net_model_save("a.model", &shape, &weights, &fault));
    assert_true(summand__net_model_load("a.model", &got, &back, &fault));
    assert_true(got.hidden == shape.hidden && got.last == shape.last && got.loss == shape.loss &&
                got.layers == 2 && got.widths[1] == 17);
    assert_memory_equal(back.memory, weights.memory, weights.floats * sizeof(float));
    summand__net_weights_free(&back);
    size_t count;
    unsigned char swapped[8], *bytes = train_test_read("a.model", &count);
    assert_int_equal(count, 8 + 4 + 4 + 48 + 24 + 4 + 4 * (4 * 17 + 18 * 2) + 8);
    assert_memory_equal(bytes, "SUMMANDN\1\0\0\0\2\0\0\0sigmoid\0", 24);
    uint32_t bits;
    memcpy(&bits, &weights.layer[1].at[1], sizeof bits);
    for (int b = 0; b < 4; b++) /* weight (0, 1) of layer 1 */
        assert_int_equal(bytes[92 + 4 + b], bits >> 8 * b & 255);
    for (size_t n = 0; n < count; n++) {
        train_test_write("b.model", bytes, n);
        load_wrong("b.model", n < 12 ? "not a file of a model" : "damaged or cut short");
    }
    for (size_t bit = 0; bit < 8 * count; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        train_test_write("b.model", bytes, count);
        if (bit < 96)
            load_wrong("b.model", bit < 64 ? "not a file" : "of version");
        else
            load_damaged("b.model", bit < 8 * 92);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    memcpy(swapped, bytes + 104, 8); /* swaps two pairs of weights */
    memmove(bytes + 104, bytes + 112, 8);
    memcpy(bytes + 112, swapped, 8);
    train_test_write("b.model", bytes, count);
    load_wrong("b.model", "damaged");
    train_test_write("b.model", bytes, count + 8);
    load_wrong("b.model", "longer than its layers");
    load_wrong("missing.model", "No such file");
    assert_false(summand__net_model_save("no/such/folder.model", &shape, &weights, &fault));
    assert_non_null(strstr(fault.text, "no/such/folder.model: No such file"));
    free(bytes);
    summand__net_weights_free(&weights);
}

/* A checkpoint belongs to the training that wrote it, and is a model. */
TEST(checkpoints)
{
    struct summand__net_shape shape = shape_of("relu"), other = shape, got;
    struct train_options options = train_test_options(32, 1, 0.1);
    struct summand__net_weights weights;
    struct train_run run;
    struct summand__net_fault fault = {.text = ""};
    open_run(&run, &shape, &options);
    go(&run, NULL);
    assert_true(train_checkpoint_save("c.model", &run, &fault));
    assert_true(summand__net_model_save("m.model", &shape, &run.weights, &fault));
    assert_true(summand__net_model_load("c.model", &got, &weights, &fault));
    assert_memory_equal(weights.memory, run.weights.memory, weights.floats * sizeof(float));
    summand__net_weights_free(&weights);
    expect(train_checkpoint_load("m.model", &run, &fault), &fault, "a model, not a checkpoint");
    train_run_close(&run);
    static const char *const words[] = {"batch", "rate", "schedule",   "momentum",
                                        "decay", "seed", "validation", "another network"};
    for (int i = 0; i < 8; i++) {
        struct train_options changed = options;
        changed.batch += i == 0;
        changed.rate += i == 1;
        changed.schedule = train_rates[i == 2];
        changed.momentum += i == 3;
        changed.decay += i == 4;
        changed.seed += i == 5;
        changed.validation = i == 6 ? 0.5 : 0;
        other.widths[1] = i == 7 ? 23 : 24;
        fault.text[0] = '\0';
        open_run(&run, &other, &changed);
        expect(train_checkpoint_load("c.model", &run, &fault), &fault, words[i]);
        train_run_close(&run);
    }
}

/* If any memory request fails, a run reports it; so do files. */
TEST(memory)
{
    struct summand__net_shape shape = shape_of("relu"), got;
    struct train_options options = train_test_options(32, 1, 0.1);
    struct summand__net_weights weights;
    options.momentum = 0.5;
    options.patience = 1;
    options.validation = 0.25;
    long refused = 0;
    for (long n = 1;; n++) {
        struct train_run run;
        struct summand__net_fault fault = {.text = ""};
        scarce_begin(n, 0);
        bool good = train_run_open(&run, &shape, chain(), &digits, &options, &train_mode_single,
                                   NULL, &fault);
        good = good && train_checkpoint_save("s.model", &run, &fault) &&
               summand__net_model_load("s.model", &got, &weights, &fault);
        if (good) {
            summand__net_weights_free(&weights);
            good = train_checkpoint_load("s.model", &run, &fault);
        }
        bool met = scarce_end();
        train_run_close(&run);
        refused += met;
        assert_true(good != met);
        if (!met)
            break;
        assert_non_null(strstr(fault.text, "out of memory"));
    }
    assert_true(refused > 9);
}

int main(void)
{
    struct summand__net_fault fault = {.text = ""};
    if (!mkdtemp(home) || chdir(home) || !train_data_digits(1, 700, 200, &digits, &fault))
        return 1;
    int status = cmocka_run_group_tests(unit_tests, NULL, NULL);
    train_data_free(&digits);
    return system("rm -f *") || rmdir(home) || status;
}
