/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithms a benchmark compares: "auto,mpi,chain:segment=8k,ring". */
#pragma once

#include <mpi.h>
#include <summand/options.h>
#include <summand/outer.h>
#include <summand/plan.h>

#include "algorithm/algorithm.h"
#include "cli/ranks/agree.h"
#include "cli/timing/timing.h"

struct bench_choice {
    char label[96]; /* as in the list */
    bool mpi;       /* the MPI's own collective */
    bool memory;    /* no collective: each rank combines its part of two vectors of its own */
    bool optional;  /* from `all`: left out if it does not do the call */
    const struct summand__algorithm *algorithm; /* NULL: the MPI's, or the library's choice */
    const char *inside; /* of a sum of outer products: the inner collectives' algorithm, or NULL */
    summand_options options;
};

struct bench_choices {
    int count;
    struct bench_choice choice[TIMING_SUBJECTS];
    struct bench_choice left_out; /* receives the settings of a choice that is not measured */
};

/* Notes errors of the list: auto, mpi, memory, all, auto:promise=WHAT, NAME:PARAMETER=NUMBER, and
 * :check=MODE behind auto or a name.
 * `promise` goes into every choice's options except "auto:promise=canonical". `rival`: NULL, or for
 * sums of outer products the name of the MPI's method: mpi or that name, and NAME:INSIDE. */
void bench_choices_read(const char *list, enum summand_promise promise, const char *rival,
                        struct bench_choices *choices, struct trouble *trouble);

/* True if the choice does the call with these promises (of enum summand__promise). */
bool bench_choice_does(const struct bench_choice *choice, const struct summand__call *call,
                       unsigned promises);

/* A choice's calls, on a communicator of their own, so that none evicts another's plans. */
struct bench_subject {
    void *of; /* the case */
    const struct bench_choice *choice;
    MPI_Comm comm;
    union { /* the choice's, as the library takes them */
        summand_options options;
        summand_outer_options outer;
    };
    summand_plan *plan; /* NULL: blocking calls */
    char chosen[96];    /* the library's choice for `auto`, or empty */
};

struct bench_subjects {
    int count;
    struct bench_subject subject[TIMING_SUBJECTS];
};

/* Collective. */
struct bench_subject *bench_subject_add(struct bench_subjects *subjects, void *of,
                                        const struct bench_choice *choice);
/* Frees the last one. Collective. */
void bench_subject_leave(struct bench_subjects *subjects);
/* For struct bench_kind: the subjects, with themselves as `run`'s context, and one's choice. */
int bench_subjects_list(struct bench_subjects *subjects, int (*run)(void *subject),
                        struct timing_subject *list);
const char *bench_subject_chosen(const struct timing_subject *subject);
