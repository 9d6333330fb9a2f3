/* SPDX-License-Identifier: BSD-3-Clause */
/* Data parallelism. A batch's samples lie on the ranks in blocks, in their order. So the chain of
 * an element of a gradient is the same as on one rank, and so are losses, which are summed
 * exactly. */
#include <stdlib.h>
#include <string.h>
#include <summand/outer.h>

#include "train/mpi/modes.h"
#include "train/mpi/together.h"

enum { INTERVAL = 16 };

/* Plans of a batch's update: of whole batches, and of the last one of an epoch. They are made anew
 * if the rate has changed. */
struct update_plan {
    summand_plan *plan;
    size_t count;
    struct train_update update;
};

struct replicas {
    struct update_plan plans[2];
};

static bool replicas_open(struct train_run *run, struct summand__net_fault *fault)
{
    train_take_ranks(run);
    struct replicas *own = calloc(1, sizeof *own);
    run->kept = own;
    if (!own)
        return summand__net_fail_memory(fault);
    return true;
}

static void replicas_close(struct train_run *run)
{
    struct replicas *own = run->kept;
    for (int i = 0; own && i < 2; i++)
        if (own->plans[i].plan)
            summand_plan_free(&own->plans[i].plan);
    free(own);
    run->kept = NULL;
}

/* Of `count` samples, those before this rank's. */
static size_t before(size_t count, int rank, int ranks)
{
    return count / (size_t)ranks * (size_t)rank +
           count % (size_t)ranks * (size_t)rank / (size_t)ranks;
}

static int make_plan(struct train_run *run, struct update_plan *slot, size_t mine)
{
    summand_outer_matrix matrices[SUMMAND__NET_LAYERS_MOST];
    summand_outer_options options = summand_outer_options_default();
    options.replicated = 1;
    for (int l = 1; l <= run->shape->layers; l++) {
        struct summand__net_matrix *g = &slot->update.target->layer[l];
        const struct summand__net_matrix *x = &run->pass.x[l - 1], *d = &run->pass.d[l];
        /* includes the zeros at the ends of rows, so that rows are contiguous */
        matrices[l - 1] = (summand_outer_matrix){.rows = (MPI_Count)g->rows,
                                                 .columns = (MPI_Count)g->ld,
                                                 .a = x->at,
                                                 .lead_a = (MPI_Count)x->ld,
                                                 .b = d->at,
                                                 .lead_b = (MPI_Count)d->ld,
                                                 .g = g->at,
                                                 .lead_g = (MPI_Count)g->ld};
    }
    return summand_outer_init((MPI_Count)mine, run->shape->layers, (double)slot->update.alpha,
                              matrices, (double)slot->update.beta, MPI_FLOAT, SUMMAND_ROOT_ALL,
                              train_comm(run), &options, &slot->plan);
}

static bool update_weights(struct train_run *run, size_t count, size_t mine, double rate,
                           struct summand__net_fault *fault)
{
    struct replicas *own = run->kept;
    struct update_plan *slot = &own->plans[count != run->options.batch];
    struct train_update update = train_update_begin(run, 1, run->shape->layers, count, rate);
    if (slot->plan && (slot->count != count || memcmp(&slot->update, &update, sizeof update) != 0))
        if (!train_check(summand_plan_free(&slot->plan), "update of the weights", fault))
            return false;
    if (!slot->plan) {
        slot->count = count;
        slot->update = update;
        if (!train_check(make_plan(run, slot, mine), "update of the weights", fault))
            return false;
    }
    int code = summand_plan_start(slot->plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(slot->plan);
    train_update_end(run, 1, run->shape->layers, rate);
    return train_check(code, "update of the weights", fault);
}

static bool replicas_batch(struct train_run *run, size_t first, size_t count, double rate,
                           struct summand__net_fault *fault)
{
    size_t begin = before(count, run->rank, run->ranks);
    size_t mine = before(count, run->rank + 1, run->ranks) - begin;
    train_run_batch(run, first + begin, mine);
    return update_weights(run, count, mine, rate, fault);
}

const struct train_mode train_mode_data = {
    .name = "data",
    .description = "replicas on all ranks, each with a part of every batch",
    .interval = INTERVAL,
    .open = replicas_open,
    .close = replicas_close,
    .batch = replicas_batch,
    .combine = train_combine,
    .flags = train_flags};
