/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "train/image.h"

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

bool train_checkpoint_save(const char *path, const struct train_run *run, struct train_fault *fault)
{
    struct train_image image = {0};
    double numbers[NUMBERS];
    unsigned char packed[SUMMAND_EXACT_PACKED_MAX];
    train_put_head(&image, run->shape, TRAIN_CHECKPOINT);
    train_put_weights(&image, &run->weights);
    train_put_name(&image, run->arithmetic->name);
    train_put_number(&image, run->options.seed, 8);
    numbers_of(run, numbers);
    for (int i = 0; i < NUMBERS; i++)
        train_put_real(&image, numbers[i]);
    train_put_number(&image, run->epoch, 8);
    train_put_number(&image, run->batch, 8);
    train_put_real(&image, run->seconds);
    train_put_real(&image, run->least);
    train_put_number(&image, run->best_epoch, 8);
    size_t bytes = summand_exact_pack(&run->tally.loss, packed);
    train_put_number(&image, bytes, 4);
    train_put(&image, packed, bytes);
    train_put_number(&image, run->tally.samples, 8);
    train_put_number(&image, run->tally.right, 8);
    for (size_t i = 0; i < run->epoch; i++) {
        const struct train_epoch *e = &run->history[i];
        const double all[] = {
            e->train.loss, e->train.accuracy, e->validation.loss, e->validation.accuracy,
            e->test.loss,  e->test.accuracy,  e->seconds};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            train_put_real(&image, all[k]);
    }
    if (run->velocity.memory)
        train_put_weights(&image, &run->velocity);
    if (run->best.memory)
        train_put_weights(&image, &run->best);
    bool good = train_image_write(path, &image, fault);
    free(image.at);
    return good;
}

static bool is_shape(const struct train_shape *a, const struct train_shape *b)
{
    return a->layers == b->layers && a->hidden == b->hidden && a->loss == b->loss &&
           (a->loss->is_softmax || a->last == b->last) &&
           !memcmp(a->widths, b->widths, (size_t)(a->layers + 1) * sizeof *a->widths);
}

/* True if the file was written with these options. */
static bool is_alike(const char *path, struct train_image *image, const struct train_run *run,
                     struct train_fault *fault)
{
    double numbers[NUMBERS];
    char arithmetic[TRAIN_NAME + 1];
    train_take_name(image, arithmetic);
    if (strcmp(arithmetic, run->arithmetic->name) != 0)
        return train_fail(fault, "%s: its arithmetic is '%s', not '%s'", path, arithmetic,
                          run->arithmetic->name);
    if (train_take_number(image, 8) != run->options.seed)
        return train_fail(fault, "%s: from another seed", path);
    numbers_of(run, numbers);
    for (int i = 0; i < NUMBERS; i++) {
        double then = train_take_real(image);
        if (then != numbers[i])
            return train_fail(fault, "%s: its %s was %g, not %g", path, number_names[i], then,
                              numbers[i]);
    }
    return true;
}

static bool take_tally(struct train_image *image, struct train_tally *tally, int rank)
{
    size_t bytes = train_take_number(image, 4);
    *tally = (struct train_tally){.samples = 0};
    if (image->failed || bytes > image->count - image->next ||
        summand_exact_unpack(&tally->loss, image->at + image->next, bytes) != bytes)
        return false;
    image->next += bytes;
    tally->samples = train_take_number(image, 8);
    tally->right = train_take_number(image, 8);
    if (rank) /* rank 0 has the data of all */
        summand_exact_init(&tally->loss);
    if (rank)
        tally->samples = tally->right = 0;
    return true;
}

static bool take_history(struct train_image *image, struct train_run *run)
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
            *all[k] = train_take_real(image);
    }
    return true;
}

static bool take_rest(const char *path, struct train_image *image, struct train_run *run,
                      struct train_fault *fault)
{
    train_take_weights(image, &run->weights);
    if (!is_alike(path, image, run, fault))
        return false;
    run->epoch = train_take_number(image, 8);
    run->batch = train_take_number(image, 8);
    run->seconds = train_take_real(image);
    run->least = train_take_real(image);
    run->best_epoch = train_take_number(image, 8);
    bool good = take_tally(image, &run->tally, run->rank) && take_history(image, run);
    if (good && run->velocity.memory)
        train_take_weights(image, &run->velocity);
    if (good && run->best.memory)
        train_take_weights(image, &run->best);
    return (good && !image->failed && image->next == image->count &&
            run->batch <= train_run_batches(run)) ||
           train_fail(fault, "%s: shorter or longer than a checkpoint", path);
}

bool train_checkpoint_load(const char *path, struct train_run *run, struct train_fault *fault)
{
    struct train_image image = {0};
    struct train_shape shape = {0};
    unsigned kind = TRAIN_MODEL;
    bool good = train_image_read(path, &image, fault) &&
                train_take_head(path, &image, &shape, &kind, fault);
    if (good && kind != TRAIN_CHECKPOINT)
        good = train_fail(fault, "%s: a model, not a checkpoint: no training can continue from it",
                          path);
    if (good && !is_shape(&shape, run->shape))
        good = train_fail(fault, "%s: from another network", path);
    good = good && take_rest(path, &image, run, fault);
    free(image.at);
    return good;
}
