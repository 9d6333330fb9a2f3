/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train/network.h"

enum { FLAG_STOP = 1, FLAG_BAD = 2, FLAG_FAILED = 4 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void clear(struct train_tally *tally)
{
    *tally = (struct train_tally){.samples = 0};
    summand_exact_init(&tally->loss);
}

static bool is_shape_of(const struct summand__net_shape *shape, const struct train_data *data,
                        double enough, struct summand__net_fault *fault)
{
    if (shape->widths[0] != data->train.features)
        return summand__net_fail(fault, "the first layer has %zu inputs, a sample %zu features",
                                 shape->widths[0], data->train.features);
    if (data->train.targets && shape->loss->is_softmax)
        return summand__net_fail(fault,
                                 "train-y.npy has %zu target%s a sample, not classes: they "
                                 "need --loss squared",
                                 data->train.targets, data->train.targets == 1 ? "" : "s");
    if (data->train.targets && shape->widths[shape->layers] != data->train.targets)
        return summand__net_fail(fault, "the last layer has %zu outputs, a sample %zu targets",
                                 shape->widths[shape->layers], data->train.targets);
    if (data->train.targets && enough > 0)
        return summand__net_fail(fault, "targets are not right or wrong: --stop-at needs classes");
    return shape->widths[shape->layers] >= data->classes ||
           summand__net_fail(fault, "the last layer has %zu outputs for %zu classes",
                             shape->widths[shape->layers], data->classes);
}

static bool make_memory(struct train_run *run)
{
    const struct summand__net_shape *shape = run->shape;
    const size_t most = run->options.batch;
    run->targets = calloc(most, shape->widths[shape->layers] * sizeof *run->targets);
    run->loss = calloc(most, sizeof *run->loss);
    run->right = calloc(most, sizeof *run->right);
    run->history = calloc(run->options.epochs, sizeof *run->history);
    run->room = run->options.epochs;
    return run->targets && run->loss && run->right && run->history &&
           summand__net_weights_make(&run->weights, shape, 1, shape->layers) &&
           (run->options.momentum == 0 ||
            summand__net_weights_make(&run->velocity, shape, 1, shape->layers)) &&
           (!run->options.patience ||
            summand__net_weights_make(&run->best, shape, 1, shape->layers)) &&
           summand__net_pass_make(&run->pass, shape, run->arithmetic, most, 1, shape->layers);
}

/* Samples for validation are drawn once, by the seed. */
static void part_samples(struct train_run *run)
{
    size_t count = run->data->train.count;
    run->validation = (size_t)((double)count * run->options.validation);
    if (run->validation >= count)
        run->validation = count - 1;
    run->train = count - run->validation;
    summand__permutation_make(&run->parts, count, run->options.seed, 0);
}

bool train_run_open(struct train_run *run, const struct summand__net_shape *shape,
                    const struct summand__net_arithmetic *arithmetic, const struct train_data *data,
                    const struct train_options *options, const struct train_mode *mode,
                    void *context, struct summand__net_fault *fault)
{
    *run = (struct train_run){.shape = shape,
                              .arithmetic = arithmetic,
                              .data = data,
                              .options = *options,
                              .mode = mode,
                              .context = context,
                              .ranks = 1,
                              .stretch = 1,
                              .least = INFINITY};
    if (run->options.batch > data->train.count) /* one batch an epoch */
        run->options.batch = data->train.count;
    part_samples(run);
    bool good = summand__net_arithmetic_available(arithmetic) ||
                summand__net_fail(fault, "no fast BLAS was found (see 'summand info')");
    if (!run->validation && (options->enough > 0 || options->patience))
        good = summand__net_fail(fault, "%s: needs samples for validation; %g of %zu are none",
                                 options->patience ? "--patience" : "--stop-at",
                                 options->validation, data->train.count);
    good = good && is_shape_of(shape, data, options->enough, fault) &&
           (make_memory(run) || summand__net_fail_memory(fault));
    clear(&run->tally);
    if (good)
        train_weights_draw(&run->weights, shape, options->seed);
    good = mode->open(run, fault) && good;
    if (train_run_agree(run, good, fault))
        return true;
    train_run_close(run);
    return false;
}

bool train_run_agree(struct train_run *run, bool good, struct summand__net_fault *fault)
{
    unsigned flags = good ? 0 : FLAG_FAILED;
    return run->mode->flags(run, &flags, fault) &&
           (!flags || summand__net_fail(fault, "another rank has failed"));
}

void train_run_stretch(struct train_run *run, size_t usual)
{
    size_t batches = train_run_batches(run), wanted = run->options.stretch;
    wanted = wanted ? wanted : usual;
    run->stretch = wanted < batches ? wanted : batches;
}

void train_run_close(struct train_run *run)
{
    if (run->mode)
        run->mode->close(run);
    summand__net_weights_free(&run->weights);
    summand__net_weights_free(&run->velocity);
    summand__net_weights_free(&run->best);
    summand__net_pass_free(&run->pass);
    free(run->targets);
    free(run->loss);
    free(run->right);
    free(run->history);
    *run = (struct train_run){0};
}

double train_run_stable(const struct train_run *run)
{
    double most = (run->mixed ? 0.2 : 1) / (1 + (double)run->behind);
    return most * (1 - run->options.momentum);
}

size_t train_run_batches(const struct train_run *run)
{
    return (run->train + run->options.batch - 1) / run->options.batch;
}

/* Sample at a position of a part. */
static size_t sample_at(const struct train_run *run, enum train_part part, size_t position)
{
    switch (part) {
    case TRAIN_PART_TRAIN:
        return summand__permutation_at(&run->parts, position);
    case TRAIN_PART_VALIDATION:
        return summand__permutation_at(&run->parts, run->train + position);
    default:
        return position;
    }
}

static void read_target(struct train_run *run, const struct train_samples *from, size_t sample,
                        size_t at)
{
    size_t outputs = run->shape->widths[run->shape->layers];
    train_sample_target(from, sample, outputs, run->targets + at * outputs);
}

static void read_sample(struct train_run *run, const struct train_samples *from, size_t sample,
                        size_t at, const struct summand__net_matrix *x)
{
    train_sample_read(from, sample, x->at + at * x->ld);
    read_target(run, from, sample, at);
}

void train_run_count(struct train_run *run, struct train_tally *tally, size_t count)
{
    summand_exact_add_f32(&tally->loss, count, run->loss);
    tally->samples += count;
    for (size_t i = 0; i < count; i++) {
        tally->right += run->right[i];
        if (!isfinite(run->loss[i]) && !tally->bad)
            tally->bad = run->epoch * train_run_batches(run) + run->batch + 1;
    }
}

static void forward(struct train_run *run, size_t count)
{
    for (int l = 1; l <= run->shape->layers; l++)
        summand__net_pass_forward(&run->pass, &run->weights, l, count);
    train_pass_loss(&run->pass, run->targets, count, run->loss, run->right);
}

void train_run_samples(const struct train_run *run, size_t first, size_t count, size_t *samples)
{
    for (size_t i = 0; i < count; i++) {
        samples[i] =
            sample_at(run, TRAIN_PART_TRAIN, summand__permutation_at(&run->order, first + i));
        train_sample_fetch(&run->data->train, samples[i]);
    }
}

void train_run_targets(struct train_run *run, size_t first, size_t count)
{
    size_t samples[TRAIN_AHEAD];
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < TRAIN_AHEAD ? count - i : TRAIN_AHEAD;
        train_run_samples(run, first + i, n, samples);
        for (size_t j = 0; j < n; j++)
            read_target(run, &run->data->train, samples[j], i + j);
    }
}

void train_run_read(struct train_run *run, size_t first, size_t count,
                    const struct summand__net_matrix *x)
{
    size_t samples[TRAIN_AHEAD];
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < TRAIN_AHEAD ? count - i : TRAIN_AHEAD;
        train_run_samples(run, first + i, n, samples);
        for (size_t j = 0; j < n; j++)
            read_sample(run, &run->data->train, samples[j], i + j, x);
    }
}

void train_run_batch(struct train_run *run, size_t first, size_t count)
{
    train_run_read(run, first, count, &run->pass.x[0]);
    forward(run, count);
    train_run_count(run, &run->tally, count);
    for (int l = run->shape->layers; l > 1; l--)
        train_pass_backward(&run->pass, &run->weights, l, count);
}

/* With targets no answer is right or wrong. */
static struct train_score score_of(const struct train_run *run, const struct train_tally *tally)
{
    double n = (double)tally->samples, right = (double)tally->right / n;
    return (struct train_score){summand_exact_round(&tally->loss) / n,
                                run->data->train.target ? (double)NAN : right};
}

bool train_run_score(struct train_run *run, enum train_part part, struct train_score *score,
                     struct summand__net_fault *fault)
{
    const struct train_samples *from =
        part == TRAIN_PART_TEST ? &run->data->test : &run->data->train;
    size_t all = part == TRAIN_PART_TRAIN        ? run->train
                 : part == TRAIN_PART_VALIDATION ? run->validation
                                                 : from->count;
    size_t rank = (size_t)run->rank, ranks = (size_t)run->ranks;
    size_t end = all / ranks * (rank + 1) + (all % ranks) * (rank + 1) / ranks;
    struct train_tally tally;
    clear(&tally);
    for (size_t at = all / ranks * rank + (all % ranks) * rank / ranks, n; at < end; at += n) {
        n = end - at < run->options.batch ? end - at : run->options.batch;
        for (size_t i = 0; i < n; i++)
            read_sample(run, from, sample_at(run, part, at + i), i, &run->pass.x[0]);
        forward(run, n);
        train_run_count(run, &tally, n);
    }
    if (!run->mode->combine(run, &tally, fault))
        return false;
    *score = score_of(run, &tally);
    return !tally.bad ||
           summand__net_fail(fault, "the loss is not finite any more after epoch %zu: %s",
                             run->epoch + 1, train_run_advice(run));
}

const char *train_run_advice(const struct train_run *run)
{
    enum { UNSCALED = 16 };
    return train_samples_largest(&run->data->train) > UNSCALED
               ? "some features are above 16: scale all of them to 0 to 1 or so, or take a smaller "
                 "rate"
               : "a smaller rate may help";
}

/* Without the biases, which are a matrix's last row. */
static size_t decaying(const struct summand__net_matrix *m)
{
    return (m->rows - 1) * m->ld;
}

struct train_update train_update_begin(struct train_run *run, int first, int last, size_t samples,
                                       double rate)
{
    const struct train_options *o = &run->options;
    if (o->momentum != 0)
        return (struct train_update){1 / (float)samples, (float)o->momentum, &run->velocity};
    for (int l = first; l <= last && o->decay != 0; l++) {
        struct summand__net_matrix *w = &run->weights.layer[l];
        train_decay(decaying(w), train_kept(rate, o->decay), w->at, w->at);
    }
    return (struct train_update){-(float)(rate / (double)samples), 1, &run->weights};
}

void train_update_end(struct train_run *run, int first, int last, double rate)
{
    const float decay = (float)run->options.decay;
    for (int l = first; l <= last && run->options.momentum != 0; l++) {
        struct summand__net_matrix *w = &run->weights.layer[l], *v = &run->velocity.layer[l];
        if (decay != 0)
            train_pull(decaying(w), decay, w->at, v->at);
        train_step(w->rows * w->ld, (float)rate, v->at, w->at);
    }
}

static bool single_open(struct train_run *run, struct summand__net_fault *fault)
{
    (void)run;
    (void)fault;
    return true;
}

static void single_close(struct train_run *run)
{
    (void)run;
}

static bool single_batch(struct train_run *run, size_t first, size_t count, double rate,
                         struct summand__net_fault *fault)
{
    (void)fault;
    train_run_batch(run, first, count);
    struct train_update update = train_update_begin(run, 1, run->shape->layers, count, rate);
    for (int l = run->shape->layers; l >= 1; l--)
        train_pass_gradient(&run->pass, l, count, update.alpha, update.beta,
                            &update.target->layer[l]);
    train_update_end(run, 1, run->shape->layers, rate);
    return true;
}

static bool single_combine(struct train_run *run, struct train_tally *tally,
                           struct summand__net_fault *fault)
{
    (void)run;
    (void)tally;
    (void)fault;
    return true;
}

static bool single_flags(struct train_run *run, unsigned *flags, struct summand__net_fault *fault)
{
    (void)run;
    (void)flags;
    (void)fault;
    return true;
}

const struct train_mode train_mode_single = {.name = "single",
                                             .description = "one process",
                                             .interval = 1,
                                             .open = single_open,
                                             .close = single_close,
                                             .batch = single_batch,
                                             .combine = single_combine,
                                             .flags = single_flags};

/* Computes the mean over the finished epoch, and evaluates the other parts. */
static bool end_epoch(struct train_run *run, struct summand__net_fault *fault)
{
    struct train_epoch *epoch = &run->history[run->epoch];
    *epoch = (struct train_epoch){.seconds = run->seconds, .lag = run->lag};
    if (!run->mode->combine(run, &run->tally, fault))
        return false;
    if (run->tally.bad)
        return summand__net_fail(fault, "the loss is not finite any more at batch %llu: %s",
                                 (unsigned long long)run->tally.bad, train_run_advice(run));
    epoch->train = score_of(run, &run->tally);
    clear(&run->tally);
    run->seconds = 0;
    bool good = train_run_score(run, TRAIN_PART_VALIDATION, &epoch->validation, fault) &&
                train_run_score(run, TRAIN_PART_TEST, &epoch->test, fault);
    run->epoch++;
    run->batch = 0;
    if (good && run->options.patience && epoch->validation.loss < run->least) {
        run->least = epoch->validation.loss;
        run->best_epoch = run->epoch;
        summand__net_weights_copy(&run->best, &run->weights);
    }
    return good;
}

/* Algorithm 2 of Schmidtobreick (2017). A resumed epoch is completed; 94.7 / 100 is more than 947 /
 * 1000. */
static bool is_enough(const struct train_run *run)
{
    return run->options.enough > 0 && run->epoch && !run->batch &&
           run->history[run->epoch - 1].validation.accuracy >= run->options.enough * (1 - 1e-12);
}

static bool is_early(const struct train_run *run)
{
    return run->options.patience && run->best_epoch &&
           run->epoch - run->best_epoch >= run->options.patience;
}

/* The agreement of ranks between batches: whether to stop. */
static bool look_around(struct train_run *run, const struct train_hooks *hooks, bool *stop,
                        struct summand__net_fault *fault)
{
    unsigned flags = 0;
    if (hooks->stop && hooks->stop(hooks->context))
        flags |= FLAG_STOP;
    if (run->tally.bad)
        flags |= FLAG_BAD;
    if (!run->mode->flags(run, &flags, fault))
        return false;
    *stop = flags & FLAG_STOP;
    if (!(flags & FLAG_BAD))
        return true;
    return run->mode->combine(run, &run->tally, fault) &&
           summand__net_fail(fault, "the loss is not finite any more at batch %llu: %s",
                             (unsigned long long)run->tally.bad, train_run_advice(run));
}

/* Rank 0 writes, with the tally of all; all ranks learn whether it succeeded. */
static bool save(struct train_run *run, const struct train_hooks *hooks,
                 struct summand__net_fault *fault)
{
    if (!hooks->checkpoint)
        return true;
    if (!run->mode->combine(run, &run->tally, fault))
        return false;
    if (run->rank)
        clear(&run->tally);
    return train_run_agree(run, run->rank || hooks->save(hooks->checkpoint, run, fault), fault);
}

/* Runs the batches from run->batch on that the mode takes at once. */
static bool go_stretch(struct train_run *run, double rate, struct summand__net_fault *fault)
{
    size_t batch = run->options.batch, begin = run->batch, end = begin + run->stretch;
    size_t batches = train_run_batches(run), first = begin * batch;
    end = end < batches ? end : batches;
    size_t last = end * batch < run->train ? end * batch : run->train;
    double start = now();
    if (!run->mode->batch(run, first, last - first, rate, fault))
        return false;
    run->seconds += now() - start;
    run->batch = end;
    return true;
}

/* Runs stretches up to the end of the epoch, or a stop between two. */
static bool go_stretches(struct train_run *run, const struct train_hooks *hooks, bool *stop,
                         struct summand__net_fault *fault)
{
    const struct train_options *o = &run->options;
    for (size_t batches = train_run_batches(run), turn = 0; run->batch < batches; turn++) {
        double done = (double)run->batch / (double)batches;
        double rate =
            o->rate * train_rate_factor(o->schedule, run->epoch, done, o->epochs, run->behind);
        if (turn % run->mode->interval == 0 && !look_around(run, hooks, stop, fault))
            return false;
        if (*stop)
            return true;
        if (!go_stretch(run, rate, fault))
            return false;
        if (hooks->batch)
            hooks->batch(hooks->context, run);
    }
    return true;
}

static bool go_epoch(struct train_run *run, const struct train_hooks *hooks, bool *stop,
                     struct summand__net_fault *fault)
{
    summand__permutation_make(&run->order, run->train, run->options.seed, run->epoch + 1);
    if (run->mode->take && !run->mode->take(run, fault))
        return false;
    if (!go_stretches(run, hooks, stop, fault) || (run->mode->give && !run->mode->give(run, fault)))
        return false;
    return *stop || end_epoch(run, fault);
}

enum train_end train_run_go(struct train_run *run, const struct train_hooks *hooks,
                            struct summand__net_fault *fault)
{
    bool stop = false;
    while (run->epoch < run->options.epochs && !is_enough(run) && !is_early(run)) {
        if (!go_epoch(run, hooks, &stop, fault) || !save(run, hooks, fault))
            return TRAIN_FAILED;
        if (stop)
            return TRAIN_STOPPED;
        if (hooks->epoch)
            hooks->epoch(hooks->context, run);
    }
    if (is_enough(run)) {
        run->best_epoch = run->options.patience ? run->epoch : 0; /* its weights stay */
        return TRAIN_ENOUGH;
    }
    bool early = is_early(run);
    if (run->best_epoch)
        summand__net_weights_copy(&run->weights, &run->best);
    return early ? TRAIN_EARLY : TRAIN_DONE;
}
