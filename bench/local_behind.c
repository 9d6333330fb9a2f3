/* SPDX-License-Identifier: BSD-3-Clause */
/* Accuracy of trainings whose weights are behind, as medians of seeds:
 *     bench-local-behind DATA MODE:STAGES EPOCHS RATE SEEDS WIDTH...
 * RATE is a number, optionally with one of train/rate.h: 0.1:warm; else it falls linearly. MODE is
 * one of lab/train/behind.h: sync (plain descent), stashed, 2bw, last (--update last), or twins,
 * which is stashed with twins apart. The sequential training that defines the mode computes it,
 * with the bits of the ranks. SEEDS: their number, from 1 on, or a range: 2-3. Batches of 64; per
 * cent of the test samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/train/behind.h"

enum { SEEDS_MOST = 99, BATCH = 64, STRETCH = 256 };

static int fail(const char *what)
{
    fprintf(stderr, "bench-local-behind: %s\n", what);
    return 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool train(const struct summand__net_shape *shape, const struct train_data *data,
                  struct train_options *options, struct train_behind *rule, double *accuracy,
                  struct summand__net_fault *fault)
{
    const struct train_hooks none = {0};
    struct train_run run;
    if (!train_run_open(&run, shape, summand__net_arithmetic_find("chain"), data, options,
                        &train_mode_behind, rule, fault))
        return false;
    bool good = train_run_go(&run, &none, fault) == TRAIN_DONE;
    if (good)
        *accuracy = 100 * run.history[run.epoch - 1].test.accuracy;
    train_run_close(&run);
    return good;
}

static bool read_rate(char *text, struct train_options *options)
{
    const char *colon = strchr(text, ':'), *name = colon ? colon + 1 : "linear";
    options->rate = atof(text);
    for (int i = 0; train_rates[i]; i++)
        if (!strcmp(train_rates[i]->name, name))
            options->schedule = train_rates[i];
    return options->rate > 0 && options->schedule;
}

static bool read_mode(char *text, struct train_behind *rule)
{
    char *colon = strchr(text, ':');
    if (!colon)
        return false;
    *colon = 0;
    rule->stages = atoi(colon + 1);
    rule->stretch = STRETCH;
    rule->of = train_behind_rule_of(text);
    return rule->of && rule->stages > 0;
}

int main(int argc, char **argv)
{
    struct summand__net_shape shape = {.layers = argc - 7,
                                       .hidden = summand__net_activation_find("relu"),
                                       .last = summand__net_activation_find("sigmoid"),
                                       .loss = summand__net_loss_find("cross-entropy")};
    struct train_options options = {.batch = BATCH};
    struct train_behind rule = {0};
    struct summand__net_fault fault = {.text = ""};
    struct train_data data = {0};
    double all[SEEDS_MOST];
    if (argc < 8 || shape.layers < 1 || shape.layers > SUMMAND__NET_LAYERS_MOST ||
        !read_mode(argv[2], &rule) || !read_rate(argv[4], &options))
        return fail("DATA MODE:STAGES EPOCHS RATE SEEDS WIDTH...");
    const char *to = strchr(argv[5], '-');
    int first = to ? atoi(argv[5]) : 1, seeds = atoi(to ? to + 1 : argv[5]) + 1 - first;
    options.epochs = (size_t)atoi(argv[3]);
    for (int l = 0; l <= shape.layers; l++)
        shape.widths[l] = (size_t)atoi(argv[6 + l]);
    if (first < 1 || seeds < 1 || seeds > SEEDS_MOST || options.epochs < 1)
        return fail("1 to 99 seeds, and an epoch at least");
    if (!train_data_load(argv[1], &data, &fault))
        return fail(fault.text);
    printf("%s of %d stages, rate %s, %s epochs:", argv[2], rule.stages, argv[4], argv[3]);
    for (int s = 0; s < seeds; s++) {
        options.seed = (uint64_t)(first + s);
        if (!train(&shape, &data, &options, &rule, &all[s], &fault))
            return fail(fault.text);
        printf(" %.2f", all[s]);
        fflush(stdout);
    }
    qsort(all, (size_t)seeds, sizeof *all, compare);
    printf(" median %.2f\n", (all[(seeds - 1) / 2] + all[seeds / 2]) / 2);
    train_data_free(&data);
    return 0;
}
