/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/mpi/together.h"

#include <stdlib.h>
#include <summand/error.h>
#include <summand/reduce.h>

MPI_Comm train_comm(const struct train_run *run)
{
    return *(const MPI_Comm *)run->context;
}

void train_take_ranks(struct train_run *run)
{
    MPI_Comm_rank(train_comm(run), &run->rank);
    MPI_Comm_size(train_comm(run), &run->ranks);
}

bool train_check(int code, const char *what, struct summand__net_fault *fault)
{
    if (code == MPI_SUCCESS)
        return true;
    fault->apart = true;
    return summand__net_fail(fault, "%s: %s", what, summand_error_text(code));
}

/* A stage's weights are contiguous. */
bool train_share(struct train_run *run, struct summand__net_weights *weights, int first, int last,
                 int root, struct summand__net_fault *fault)
{
    enum { MOST = 1 << 30 };
    const struct summand__net_matrix *end = &weights->layer[last];
    float *from = weights->layer[first].at;
    size_t count = (size_t)(end->at + end->rows * end->ld - from);
    int code = MPI_SUCCESS;
    for (size_t at = 0, n; at < count && code == MPI_SUCCESS; at += n) {
        n = count - at < MOST ? count - at : MOST;
        code = summand_bcast(from + at, (int)n, MPI_FLOAT, root, train_comm(run), NULL);
    }
    return train_check(code, "weights of the stages", fault);
}

/* The numbers of a rank's tally. */
struct told {
    uint64_t samples, right, bad, bytes;
    unsigned char loss[SUMMAND_EXACT_PACKED_MAX];
};

bool train_combine(struct train_run *run, struct train_tally *tally,
                   struct summand__net_fault *fault)
{
    struct told mine = {tally->samples, tally->right, tally->bad, 0, {0}};
    struct told *all = calloc((size_t)run->ranks, sizeof *all);
    mine.bytes = summand_exact_pack(&tally->loss, mine.loss);
    if (!train_run_agree(run, all, fault)) {
        free(all);
        return summand__net_fail_memory(fault);
    }
    int code = summand_allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE,
                                 train_comm(run), NULL);
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
    return train_check(code, "sum of the losses", fault);
}

bool train_flags(struct train_run *run, unsigned *flags, struct summand__net_fault *fault)
{
    unsigned mine = *flags;
    int code = summand_allreduce(&mine, flags, 1, MPI_UNSIGNED, MPI_BOR, train_comm(run), NULL);
    return train_check(code, "agreement of the ranks", fault);
}

void train_note_lag(struct train_run *run, size_t behind)
{
    run->lag.batches++;
    run->lag.sum += behind;
    run->lag.most = behind > run->lag.most ? behind : run->lag.most;
}

bool train_share_lag(struct train_run *run, struct summand__net_fault *fault)
{
    uint64_t sums[2] = {run->lag.batches, run->lag.sum}, all[2], most = run->lag.most;
    int code = summand_allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, train_comm(run), NULL);
    if (code == MPI_SUCCESS)
        code = summand_allreduce(&most, &run->lag.most, 1, MPI_UINT64_T, MPI_MAX, train_comm(run),
                                 NULL);
    run->lag.batches = all[0];
    run->lag.sum = all[1];
    return train_check(code, "how far weights were behind", fault);
}
