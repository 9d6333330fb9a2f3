/* np: 3, long: 2 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* First calls on communicators that borrow another one's, as the MPI has none left, while requests
 * for memory fail one by one. Numbers that were given back are lent again. */
#include "comm/fabric/list.h"
#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/no_communicators.h"
#include "mpi/refusals.h"

enum { N = 40 };

struct first_call {
    MPI_Comm comm;
    int from[N], to[N];
};

/* Its fabric is a new one. */
static void reset(void *self, MPI_Comm comm, int turn)
{
    struct first_call *call = self;
    fresh_settings();
    call->comm = comm;
    for (int i = 0; i < N; i++)
        call->from[i] = turn + harness_rank * i;
}

static void refill(void *self)
{
    struct first_call *call = self;
    memset(call->to, -1, sizeof call->to);
}

static int call(void *self, summand_plan **plan)
{
    struct first_call *call = self;
    return plan ? summand_allreduce_init(call->from, call->to, N, MPI_INT, MPI_SUM, call->comm,
                                         NULL, plan)
                : summand_allreduce(call->from, call->to, N, MPI_INT, MPI_SUM, call->comm, NULL);
}

static int right(void *self)
{
    struct first_call *call = self;
    int wrong = 0, turn = call->from[0];
    for (int i = 0; i < N; i++)
        wrong += call->to[i] != harness_ranks * turn + harness_ranks * (harness_ranks - 1) / 2 * i;
    return !wrong;
}

static struct summand__fabric *fabric_of(MPI_Comm comm)
{
    struct summand__state *state = NULL;
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    return state->context.fabric;
}

/* Numbers that no fabric may have again, and those that were given back. */
static int count(const uint64_t *words)
{
    int bits = 0;
    for (int w = 0; w < SUMMAND__NUMBER_WORDS; w++)
        bits += __builtin_popcountll(words[w]);
    return bits;
}

/* A message for a number that has been given back hides no other, and is not the next one's. */
static void test_late_message(const struct summand__fabric *world)
{
    MPI_Comm comm;
    int sum = 0, one = 1, there = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fresh_settings();
    CHECK(!summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL), "sum %d", sum);
    const struct summand__fabric *borrower = fabric_of(comm);
    CHECK(borrower->lender == world, "nothing is borrowed");
    int tag = borrower->first * SUMMAND__TAGS_PER_CONTEXT + 5;
    MPI_Comm_free(&comm);
    if (harness_rank == 1)
        MPI_Send(&one, 1, MPI_INT, 0, tag, world->comm);
    while (!harness_rank && !there)
        MPI_Iprobe(1, tag, world->comm, &there, MPI_STATUS_IGNORE);
    CHECK(count(world->loans.left) > 0, "it is free before what has come for it is taken");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fresh_settings();
    CHECK(!summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL), "sum %d", sum);
    MPI_Iprobe(MPI_ANY_SOURCE, tag, world->comm, &there, MPI_STATUS_IGNORE);
    CHECK(!there, "a message is left for a number that is lent again");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static struct first_call self;
    const struct operation first = {.group = "borrowed communicator",
                                    .name = "allreduce",
                                    .self = &self,
                                    .reset = reset,
                                    .refill = refill,
                                    .call = call,
                                    .right = right};
    harness_begin(&argc, &argv);
    refusals_begin();
    reset(&self, refusals.comm, 0);
    CHECK(call(&self, NULL) == MPI_SUCCESS, "the lender");
    struct summand__fabric *lender = fabric_of(refusals.comm);
    none_left = 1;
    test_late_message(lender);
    refuse(&first, FIRST_CALL, 1);
    CHECK(count(lender->loans.left) + count(lender->loans.free) > 0, "all are lent");
    none_left = 0;
    reset(&self, refusals.comm, 3);
    CHECK(call(&self, NULL) == MPI_SUCCESS && right(&self), "afterwards");
    unsetenv("SUMMAND_TUNING");
    return refusals_end(argc, argv);
}
