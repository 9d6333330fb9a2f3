/* SPDX-License-Identifier: BSD-3-Clause */
/* The last few stages of an exact sum, by the counts of their parts: segments share them. */
#pragma once

#include "collective/run.h"

enum { SUMMAND__EXACT_STAGES = 8 };

struct summand__exact_stages {
    struct {
        uint64_t key; /* of the counts; 0: none */
        summand_plan *plan;
    } made[SUMMAND__EXACT_STAGES];
    int next;
};

/* Finds or makes the stage of an operation on parts of these counts. An MPI error code. */
int summand__exact_stage(struct summand__exact_stages *stages, struct summand__state *state,
                         const struct summand__operation *operation, const MPI_Count *counts,
                         int parts, summand_plan **stage);

/* How many there are. */
size_t summand__exact_stages_count(const struct summand__exact_stages *stages);

/* Frees all of them; none may be in use. */
void summand__exact_stages_free(struct summand__exact_stages *stages);
