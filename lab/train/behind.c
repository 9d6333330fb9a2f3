/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/behind.h"

#include <stdlib.h>
#include <string.h>

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

static size_t behind_last(int stages, int g)
{
    (void)g;
    return (size_t)stages - 1;
}

static size_t behind_2bw(int stages, int g)
{
    (void)stages, (void)g;
    return 1;
}

train_behind_rule *train_behind_rule_of(const char *name)
{
    static const struct {
        const char *name;
        train_behind_rule *of;
    } rows[] = {{"sync", behind_sync},
                {"stashed", behind_stashed},
                {"2bw", behind_2bw},
                {"twins", behind_twins},
                {"last", behind_last}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name))
            return rows[i].of;
    return NULL;
}

struct past {
    struct train_behind rule;
    struct train_pipeline cut;
    size_t versions, updates; /* updates since the stretch began */
    struct summand__net_weights version[TRAIN_BEHIND_MOST + 1];
};

static bool behind_open(struct train_run *run, struct summand__net_fault *fault)
{
    struct past *past = calloc(1, sizeof *past);
    run->kept = past;
    if (!past)
        return summand__net_fail_memory(fault);
    past->rule = *(const struct train_behind *)run->context;
    past->cut.shape = run->shape;
    if (!train_pipeline_cut(&past->cut, past->rule.stages))
        return summand__net_fail(fault, "%d layers are too few for %d stages", run->shape->layers,
                                 past->rule.stages);
    past->versions = past->rule.of(past->rule.stages, 0) + 2;
    if (past->versions > TRAIN_BEHIND_MOST + 1)
        return summand__net_fail(fault, "weights are too far behind");
    for (size_t v = 0; v < past->versions; v++)
        if (!summand__net_weights_make(&past->version[v], run->shape, 1, run->shape->layers))
            return summand__net_fail_memory(fault);
    train_run_stretch(run, past->rule.stretch);
    run->behind = past->versions - 2;
    run->delay = 1 + run->behind;
    return true;
}

static void behind_close(struct train_run *run)
{
    struct past *past = run->kept;
    for (size_t v = 0; past && v < past->versions; v++)
        summand__net_weights_free(&past->version[v]);
    free(past);
    run->kept = NULL;
}

static struct summand__net_weights *version_of(struct past *past, size_t number)
{
    return &past->version[number % past->versions];
}

/* The weights that the next batch sees, forward or back, each layer's in their place. */
static void see(const struct train_run *run, struct past *past, bool back,
                struct summand__net_weights *view)
{
    const struct train_behind *rule = &past->rule;
    size_t batch = run->epoch * train_run_batches(run) + run->batch;
    *view = run->weights;
    for (int g = 0; g < rule->stages; g++) {
        size_t behind = !rule->seen ? rule->of(rule->stages, g)
                        : back      ? 0
                                    : rule->seen[(size_t)g * rule->batches + batch];
        size_t number = past->updates > behind ? past->updates - behind : 0;
        for (int l = past->cut.first[g]; l < past->cut.first[g + 1]; l++)
            view->layer[l] = version_of(past, number)->layer[l];
    }
}

/* The same as train_run_batch, but with these weights. */
static void pass(struct train_run *run, struct past *past, size_t first, size_t count)
{
    struct summand__net_weights forth, back;
    see(run, past, false, &forth);
    see(run, past, true, &back);
    train_run_read(run, first, count, &run->pass.x[0]);
    for (int l = 1; l <= run->shape->layers; l++)
        summand__net_pass_forward(&run->pass, &forth, l, count);
    train_pass_loss(&run->pass, run->targets, count, run->loss, run->right);
    train_run_count(run, &run->tally, count);
    for (int l = run->shape->layers; l > 1; l--)
        train_pass_backward(&run->pass, &back, l, count);
}

static void work(struct train_run *run, struct past *past, size_t first, size_t count, double rate)
{
    struct summand__net_weights weights = run->weights;
    int layers = run->shape->layers;
    run->batch = first / run->options.batch;
    pass(run, past, first, count);
    /* The update applies to the newest weights, not to those that the batch has seen. */
    run->weights = *version_of(past, past->updates + 1);
    summand__net_weights_copy(&run->weights, version_of(past, past->updates));
    struct train_update update = train_update_begin(run, 1, layers, count, rate);
    for (int l = layers; l >= 1; l--)
        train_pass_gradient(&run->pass, l, count, update.alpha, update.beta,
                            &update.target->layer[l]);
    train_update_end(run, 1, layers, rate);
    run->weights = weights;
    past->updates++;
}

static bool behind_stretch(struct train_run *run, size_t first, size_t count, double rate,
                           struct summand__net_fault *fault)
{
    struct past *past = run->kept;
    size_t end = first + count, batch = run->options.batch;
    (void)fault;
    if (version_of(past, past->updates) != &past->version[0])
        summand__net_weights_copy(&past->version[0], version_of(past, past->updates));
    past->updates = 0;
    for (; first < end; first += batch)
        work(run, past, first, end - first < batch ? end - first : batch, rate);
    return true;
}

static bool behind_take(struct train_run *run, struct summand__net_fault *fault)
{
    struct past *past = run->kept;
    (void)fault;
    past->updates = 0;
    summand__net_weights_copy(&past->version[0], &run->weights);
    return true;
}

static bool behind_give(struct train_run *run, struct summand__net_fault *fault)
{
    struct past *past = run->kept;
    (void)fault;
    summand__net_weights_copy(&run->weights, version_of(past, past->updates));
    return true;
}

static bool nothing_combined(struct train_run *run, struct train_tally *tally,
                             struct summand__net_fault *fault)
{
    (void)run, (void)tally, (void)fault;
    return true;
}

static bool no_flags(struct train_run *run, unsigned *flags, struct summand__net_fault *fault)
{
    (void)run, (void)flags, (void)fault;
    return true;
}

const struct train_mode train_mode_behind = {.name = "behind",
                                             .description = "the definition of delays",
                                             .interval = 1,
                                             .open = behind_open,
                                             .close = behind_close,
                                             .batch = behind_stretch,
                                             .take = behind_take,
                                             .give = behind_give,
                                             .combine = nothing_combined,
                                             .flags = no_flags};
