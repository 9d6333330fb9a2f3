/* SPDX-License-Identifier: BSD-3-Clause */
/* One case of a benchmark of a collective: buffers, and each algorithm's call on them. */
#ifndef SUMMAND_CLI_BENCH_BENCH_CASE_H
#define SUMMAND_CLI_BENCH_BENCH_CASE_H

#include <summand/plan.h>

#include "algorithm/algorithm.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_choices.h"
#include "cli/bench/bench_elements.h"

struct bench_case;
struct bench_collective;

/* What is called, whatever the size. */
struct bench_call {
    const struct bench_collective *collective;
    const struct element_type *type;
    const struct element_op *op; /* NULL: the collective has no operator */
    MPI_Op handle;
    int root;
    bool in_place, plan;
    enum summand_promise promise;
};

/* One collective; each is one row of bench_collectives. */
struct bench_collective {
    enum summand__collective collective;
    const char *size; /* which bytes a size counts */
    int (*ours)(const struct bench_case *c, const summand_options *options, MPI_Comm comm);
    int (*make)(const struct bench_case *c, const summand_options *options, MPI_Comm comm,
                summand_plan **plan);
    int (*mpi)(const struct bench_case *c, MPI_Comm comm);
};

extern const struct bench_collective bench_collectives[]; /* ended by a row without size */

struct bench_case {
    struct bench_call call;
    int rank, ranks;
    int count;         /* elements of the vector, or of each block of an allgather */
    int *counts;       /* of the blocks of a reduce_scatter */
    uint64_t own, len; /* first element and length of this rank's block of the vector */
    char *send;        /* memory */
    char *result[2]; /* of the library's algorithms; of the MPI: it may have left its own in another
                        core's cache, and who writes there next pays for that */
    char *recv;      /* one of them: of the subject that runs */
    const void *sendbuf;
    size_t send_bytes, recv_bytes;
    int subjects;
    struct bench_subject {
        struct bench_case *c;
        const struct bench_choice *choice;
        summand_options options; /* the choice's, as the library wants them */
        MPI_Comm comm;           /* of its own: so that no algorithm pushes another's plans out */
        summand_plan *plan;
        char chosen[96]; /* what the library took where the choice is left to it, or empty */
    } subject[TIMING_SUBJECTS];
};

/* Buffers for `count` elements; NULL when out of memory. Local. */
struct bench_case *bench_case_new(const struct bench_call *call, int count,
                                  struct trouble *trouble);
/* Communicators and plans for the choices that do the call. Collective. */
void bench_case_subjects_make(struct bench_case *c, const struct bench_choices *choices,
                              struct trouble *trouble);
void bench_case_free(struct bench_case *c);

/* Runs every subject once on fresh data and notes the first that does not give what must come out.
 * Collective; every rank checks its own result. */
void bench_case_check(struct bench_case *c, struct trouble *trouble);

/* Puts into the report's last rows, one per subject, what was chosen. */
void bench_case_chosen(const struct bench_case *c, struct bench_report *report);

/* Writes this rank's operand anew, if it has one, of a struct bench_case: what is read of it by
 * other cores is then in this one's caches alone, as in programs that compute what they reduce. */
void bench_case_write(void *context);

/* Returns how many. */
int bench_case_subjects(struct bench_case *c, struct timing_subject *subjects);

#endif
