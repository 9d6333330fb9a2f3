/* SPDX-License-Identifier: BSD-3-Clause */
/* Twins on groups (train/order.h): copies between a rank and its twin, which has the same place in
 * the same grid, so the same blocks. Outputs and the last layer's sums go one way, versions of the
 * weights the other. Each copy is a plan of the two ranks, so waiting for one progresses all
 * others. */
#include <stdlib.h>
#include <summand/reduce.h>

#include "train/mpi/groups.h"
#include "train/mpi/together.h"

enum { FORWARD, BACK }; /* ranks of a pair */

static int make_copy(struct groups *own, enum train_order_what what, int l, int slot, float *at,
                     const struct groups_array *array, int root)
{
    struct groups_product *copy = groups_product(own, NULL, what, l, slot);
    copy->mine = true;
    copy->told_as = own->reverse == (root == BACK) ? SUMMAND__PUT : SUMMAND__WAIT_COUNTER;
    return summand_bcast_init_c(at, (MPI_Count)(array->columns * array->lead), MPI_FLOAT, root,
                                own->pair, NULL, &copy->plan);
}

static int make_plans(struct groups *own, int layers)
{
    int code = MPI_SUCCESS;
    for (int slot = 0; slot < own->slots; slot++)
        for (int l = own->first; l <= own->last && code == MPI_SUCCESS; l++) {
            const struct groups_array *x = l < layers ? &own->x[l] : &own->z[l], *w = &own->w[l];
            code = make_copy(own, TRAIN_COPY, l, slot, x->at + (size_t)slot * x->columns * x->lead,
                             x, FORWARD);
            if (code == MPI_SUCCESS)
                code = make_copy(own, TRAIN_VERSION, l, slot,
                                 groups_weights_at(w, (size_t)slot + !own->reverse), w, BACK);
        }
    return code;
}

static int make_comm(MPI_Comm from, int color, MPI_Comm *comm)
{
    int code = MPI_Comm_split(from, color, 0, comm);
    return code == MPI_SUCCESS && *comm != MPI_COMM_NULL
               ? MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN)
               : code;
}

int groups_make_copies(struct train_run *run, struct groups *own)
{
    int code = make_comm(train_comm(run), own->place, &own->pair);
    if (code == MPI_SUCCESS)
        code = make_comm(train_comm(run), own->reverse ? MPI_UNDEFINED : own->stage, &own->group);
    if (code == MPI_SUCCESS && own->group != MPI_COMM_NULL) {
        own->choice.mine = true;
        code = summand_bcast_init(&own->chosen, 1, MPI_UINT64_T, 0, own->group, NULL,
                                  &own->choice.plan);
    }
    return code == MPI_SUCCESS ? make_plans(own, run->shape->layers) : code;
}

void groups_free_copies(const struct train_run *run, struct groups *own)
{
    size_t count = (size_t)(TRAIN_ORDER_WHATS - TRAIN_PRODUCTS) * ((size_t)run->shape->layers + 1) *
                   (size_t)own->slots;
    for (size_t i = 0; own->copies && i < count; i++) {
        if (own->copies[i].plan)
            summand_plan_free(&own->copies[i].plan);
        summand__recording_free(&own->copies[i].recording);
    }
    if (own->choice.plan)
        summand_plan_free(&own->choice.plan);
    summand__recording_free(&own->choice.recording);
    free(own->copies);
    if (own->group != MPI_COMM_NULL)
        MPI_Comm_free(&own->group);
    if (own->pair != MPI_COMM_NULL)
        MPI_Comm_free(&own->pair);
}
