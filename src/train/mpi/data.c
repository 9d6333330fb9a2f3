/* Data parallelism. A batch's samples lie on the ranks in blocks, in their order; so the chain of
 * an element of a gradient is that of one rank, and so are losses, which are summed exactly. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/outer.h>
#include <summand/reduce.h>

#include "train/mpi/modes.h"

enum { INTERVAL = 16 };

/* Plans of a batch's update: of whole batches, and of the last one of an epoch. They are made anew
 * where the rate has changed. */
struct update_plan {
    summand_plan *plan;
    size_t count;
    struct train_update update;
};

struct replicas {
    MPI_Comm comm;
    struct update_plan plans[2];
};

static bool check(int code, const char *what, struct train_fault *fault)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    fault->apart = true;
    return train_fail(fault, "%s: %s", what, text);
}

static bool replicas_open(struct train_run *run, struct train_fault *fault)
{
    MPI_Comm comm = *(MPI_Comm *)run->context;
    MPI_Comm_rank(comm, &run->rank);
    MPI_Comm_size(comm, &run->ranks);
    struct replicas *own = calloc(1, sizeof *own);
    run->kept = own;
    if (!own)
        return train_fail_memory(fault);
    own->comm = comm;
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

static int make_plan(struct train_run *run, struct replicas *own, struct update_plan *slot,
                     size_t mine)
{
    summand_outer_matrix matrices[TRAIN_LAYERS_MOST];
    summand_outer_options options = summand_outer_options_default();
    options.alpha = (double)slot->update.alpha;
    options.beta = (double)slot->update.beta;
    options.replicated = 1;
    for (int l = 1; l <= run->shape->layers; l++) {
        struct train_matrix *g = &slot->update.target->layer[l];
        const struct train_matrix *x = &run->pass.x[l - 1], *d = &run->pass.d[l];
        /* With the zeros at the ends of rows, so that rows lie one behind the other. */
        matrices[l - 1] = (summand_outer_matrix){.rows = (MPI_Count)g->rows,
                                                 .columns = (MPI_Count)g->ld,
                                                 .a = x->at,
                                                 .lda = (MPI_Count)x->ld,
                                                 .b = d->at,
                                                 .ldb = (MPI_Count)d->ld,
                                                 .g = g->at,
                                                 .ldg = (MPI_Count)g->ld};
    }
    return summand_outer_init(SUMMAND_OUTER_FLOAT, (MPI_Count)mine, run->shape->layers, matrices,
                              &options, own->comm, &slot->plan);
}

static bool update_weights(struct train_run *run, size_t count, size_t mine, double rate,
                           struct train_fault *fault)
{
    struct replicas *own = run->kept;
    struct update_plan *slot = &own->plans[count != run->options.batch];
    struct train_update update = train_update_begin(run, count, rate);
    if (slot->plan && (slot->count != count || memcmp(&slot->update, &update, sizeof update) != 0))
        if (!check(summand_plan_free(&slot->plan), "update of the weights", fault))
            return false;
    if (!slot->plan) {
        slot->count = count;
        slot->update = update;
        if (!check(make_plan(run, own, slot, mine), "update of the weights", fault))
            return false;
    }
    int code = summand_plan_start(slot->plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(slot->plan);
    train_update_end(run, rate);
    return check(code, "update of the weights", fault);
}

static bool replicas_batch(struct train_run *run, size_t first, size_t count, double rate,
                           struct train_fault *fault)
{
    size_t begin = before(count, run->rank, run->ranks);
    size_t mine = before(count, run->rank + 1, run->ranks) - begin;
    train_run_batch(run, first + begin, mine);
    return update_weights(run, count, mine, rate, fault);
}

/* What a rank tells of its tally. */
struct told {
    uint64_t samples, right, bad, bytes;
    unsigned char loss[SUMMAND_EXACT_PACKED_MAX];
};

static bool replicas_combine(struct train_run *run, struct train_tally *tally,
                             struct train_fault *fault)
{
    struct replicas *own = run->kept;
    struct told mine = {tally->samples, tally->right, tally->bad, 0, {0}};
    struct told *all = calloc((size_t)run->ranks, sizeof *all);
    mine.bytes = summand_exact_pack(&tally->loss, mine.loss);
    if (!train_run_agree(run, all, fault)) {
        free(all);
        return train_fail_memory(fault);
    }
    int code = summand_allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE,
                                 own->comm, NULL);
    if (code == MPI_SUCCESS) {
        *tally = (struct train_tally){.samples = 0};
        summand_exact_init(&tally->loss);
    }
    for (int r = 0; r < run->ranks && code == MPI_SUCCESS; r++) {
        summand_exact part;
        summand_exact_unpack(&part, all[r].loss, all[r].bytes);
        summand_exact_merge(&tally->loss, &part);
        tally->samples += all[r].samples;
        tally->right += all[r].right;
        if (all[r].bad && (!tally->bad || all[r].bad < tally->bad))
            tally->bad = all[r].bad;
    }
    free(all);
    return check(code, "sum of the losses", fault);
}

static bool replicas_flags(struct train_run *run, unsigned *flags, struct train_fault *fault)
{
    unsigned mine = *flags;
    int code =
        summand_allreduce(&mine, flags, 1, MPI_UNSIGNED, MPI_BOR, *(MPI_Comm *)run->context, NULL);
    return check(code, "agreement of the ranks", fault);
}

const struct train_mode train_mode_data = {
    "data",           "replicas on all ranks, each with a part of every batch",
    INTERVAL,         replicas_open,
    replicas_close,   replicas_batch,
    replicas_combine, replicas_flags};
