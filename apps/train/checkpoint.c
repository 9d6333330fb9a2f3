/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "network/image.h"

enum { NUMBERS = 9 };

static void numbers_of(const struct train_run *run, double numbers[NUMBERS])
{
    const struct train_options *o = &run->options;
    double schedule = 0;
    for (int i = 0; train_rates[i]; i++)
        if (train_rates[i] == o->schedule)
            schedule = i;
    const double all[NUMBERS] = {(double)o->batch,
                                 o->rate,
                                 schedule,
                                 o->momentum,
                                 o->decay,
                                 o->validation,
                                 (double)o->patience,
                                 (double)run->data->train.count,
                                 (double)run->delay};
    memcpy(numbers, all, sizeof all);
}

static const char *const number_names[NUMBERS] = {
    "batch",      "rate",     "schedule",          "momentum",        "decay",
    "validation", "patience", "number of samples", "delay of weights"};

bool train_checkpoint_save(const char *path, const struct train_run *run,
                           struct summand__net_fault *fault)
{
    struct summand__net_image image = {0};
    double numbers[NUMBERS];
    unsigned char packed[SUMMAND_EXACT_PACKED_MAX];
    summand__net_put_head(&image, run->shape, SUMMAND__NET_CHECKPOINT);
    summand__net_put_weights(&image, &run->weights);
    summand__net_put_name(&image, run->arithmetic->name);
    summand__net_put_number(&image, run->options.seed, 8);
    numbers_of(run, numbers);
    for (int i = 0; i < NUMBERS; i++)
        summand__net_put_real(&image, numbers[i]);
    summand__net_put_number(&image, run->epoch, 8);
    summand__net_put_number(&image, run->batch, 8);
    summand__net_put_real(&image, run->seconds);
    summand__net_put_real(&image, run->least);
    summand__net_put_number(&image, run->best_epoch, 8);
    size_t bytes = summand_exact_pack(&run->tally.loss, packed);
    summand__net_put_number(&image, bytes, 4);
    summand__net_put(&image, packed, bytes);
    summand__net_put_number(&image, run->tally.samples, 8);
    summand__net_put_number(&image, run->tally.right, 8);
    for (size_t i = 0; i < run->epoch; i++) {
        const struct train_epoch *e = &run->history[i];
        const double all[] = {
            e->train.loss, e->train.accuracy, e->validation.loss, e->validation.accuracy,
            e->test.loss,  e->test.accuracy,  e->seconds};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            summand__net_put_real(&image, all[k]);
    }
    if (run->velocity.memory)
        summand__net_put_weights(&image, &run->velocity);
    if (run->best.memory)
        summand__net_put_weights(&image, &run->best);
    bool good = summand__net_image_write(path, &image, fault);
    free(image.at);
    return good;
}

static bool is_shape(const struct summand__net_shape *a, const struct summand__net_shape *b)
{
    return a->layers == b->layers && a->hidden == b->hidden && a->loss == b->loss &&
           (a->loss->is_softmax || a->last == b->last) &&
           !memcmp(a->widths, b->widths, (size_t)(a->layers + 1) * sizeof *a->widths);
}

/* True if the file was written with these options. */
static bool is_alike(const char *path, struct summand__net_image *image,
                     const struct train_run *run, struct summand__net_fault *fault)
{
    double numbers[NUMBERS];
    char arithmetic[SUMMAND__NET_NAME + 1];
    summand__net_take_name(image, arithmetic);
    if (strcmp(arithmetic, run->arithmetic->name) != 0)
        return summand__net_fail(fault, "%s: its arithmetic is '%s', not '%s'", path, arithmetic,
                                 run->arithmetic->name);
    if (summand__net_take_number(image, 8) != run->options.seed)
        return summand__net_fail(fault, "%s: from another seed", path);
    numbers_of(run, numbers);
    for (int i = 0; i < NUMBERS; i++) {
        double then = summand__net_take_real(image);
        if (then != numbers[i])
            return summand__net_fail(fault, "%s: its %s was %g, not %g", path, number_names[i],
                                     then, numbers[i]);
    }
    return true;
}

static bool take_tally(struct summand__net_image *image, struct train_tally *tally, int rank)
{
    size_t bytes = summand__net_take_number(image, 4);
    *tally = (struct train_tally){.samples = 0};
    if (image->failed || bytes > image->count - image->next ||
        summand_exact_unpack(&tally->loss, image->at + image->next, bytes) != bytes)
        return false;
    image->next += bytes;
    tally->samples = summand__net_take_number(image, 8);
    tally->right = summand__net_take_number(image, 8);
    if (rank) /* rank 0 has the data of all */
        summand_exact_init(&tally->loss);
    if (rank)
        tally->samples = tally->right = 0;
    return true;
}

static bool take_history(struct summand__net_image *image, struct train_run *run)
{
    if (run->epoch > run->room) {
        if (run->epoch > image->count / 56)
            return false;
        void *grown = realloc(run->history, run->epoch * sizeof *run->history);
        if (!grown)
            return false;
        run->history = grown;
        run->room = run->epoch;
    }
    for (size_t i = 0; i < run->epoch; i++) {
        struct train_epoch *e = &run->history[i];
        *e = (struct train_epoch){.seconds = 0}; /* the file has no lags */
        double *const all[] = {
            &e->train.loss, &e->train.accuracy, &e->validation.loss, &e->validation.accuracy,
            &e->test.loss,  &e->test.accuracy,  &e->seconds};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            *all[k] = summand__net_take_real(image);
    }
    return true;
}

static bool take_rest(const char *path, struct summand__net_image *image, struct train_run *run,
                      struct summand__net_fault *fault)
{
    summand__net_take_weights(image, &run->weights);
    if (!is_alike(path, image, run, fault))
        return false;
    run->epoch = summand__net_take_number(image, 8);
    run->batch = summand__net_take_number(image, 8);
    run->seconds = summand__net_take_real(image);
    run->least = summand__net_take_real(image);
    run->best_epoch = summand__net_take_number(image, 8);
    bool good = take_tally(image, &run->tally, run->rank) && take_history(image, run);
    if (good && run->velocity.memory)
        summand__net_take_weights(image, &run->velocity);
    if (good && run->best.memory)
        summand__net_take_weights(image, &run->best);
    return (good && !image->failed && image->next == image->count &&
            run->batch <= train_run_batches(run)) ||
           summand__net_fail(fault, "%s: shorter or longer than a checkpoint", path);
}

bool train_checkpoint_load(const char *path, struct train_run *run,
                           struct summand__net_fault *fault)
{
    struct summand__net_image image = {0};
    struct summand__net_shape shape = {0};
    unsigned kind = SUMMAND__NET_MODEL;
    bool good = summand__net_image_read(path, &image, fault) &&
                summand__net_take_head(path, &image, &shape, &kind, fault);
    if (good && kind != SUMMAND__NET_CHECKPOINT)
        good = summand__net_fail(
            fault, "%s: a model, not a checkpoint: no training can continue from it", path);
    if (good && !is_shape(&shape, run->shape))
        good = summand__net_fail(fault, "%s: from another network", path);
    good = good && take_rest(path, &image, run, fault);
    free(image.at);
    return good;
}
