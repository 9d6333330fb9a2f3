/* np: 2 3; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Leftovers of ranks that disagree, and messages on their way, meet no later communicator. A
 * context that is reused is empty, and a private communicator is freed once every message sent over
 * it has been received. */
#include <summand.h>

#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"

enum { TAG = 5, PATIENCE = 60 /* seconds to wait for a message that takes milliseconds */ };

static MPI_Comm watched = MPI_COMM_NULL; /* set to MPI_COMM_NULL when it is freed */
static int taken;                        /* messages with the tag TAG, over it */

int __real_PMPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                        MPI_Status *status);
int __wrap_PMPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                        MPI_Status *status);
int __wrap_PMPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                        MPI_Status *status)
{
    int code = __real_PMPI_Improbe(from, tag, comm, there, message, status);
    taken += comm == watched && tag == TAG && *there;
    return code;
}

int __real_PMPI_Comm_free(MPI_Comm *comm);
int __wrap_PMPI_Comm_free(MPI_Comm *comm);
int __wrap_PMPI_Comm_free(MPI_Comm *comm)
{
    if (*comm == watched)
        watched = MPI_COMM_NULL;
    return __real_PMPI_Comm_free(comm);
}

static void works(MPI_Comm comm, int salt)
{
    int one = salt, sum = 0;
    int code = summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == salt * harness_ranks, "code %d, %d", code, sum);
}

static struct summand__state *begin(int salt, MPI_Comm *comm)
{
    struct summand__state *state = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    works(*comm, salt);
    CHECK(summand__state_of(*comm, &state) == MPI_SUCCESS, "state");
    return state;
}

/* A first use, as any communicator's. */
static void use_another(void)
{
    MPI_Comm comm;
    begin(3, &comm);
    MPI_Comm_free(&comm);
}

static int has_come(MPI_Comm comm, int tag)
{
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, MPI_STATUS_IGNORE);
    return there;
}

static void wait_for(MPI_Comm comm, int tag)
{
    double end = MPI_Wtime() + PATIENCE;
    while (!has_come(comm, tag) && MPI_Wtime() < end)
        continue;
    CHECK(has_come(comm, tag), "no message with tag %d", tag);
}

/* All ranks must get the same answer, because each turn is a first use. */
static int is_freed_on(int some, int all_of_them)
{
    int freed = watched == MPI_COMM_NULL || !some, all = 0;
    MPI_Allreduce(&freed, &all, 1, MPI_INT, all_of_them ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* A communicator whose fabric is freed with it: the first fabrics stay. */
static struct summand__fabric *begin_alone(MPI_Comm *comm)
{
    struct summand__fabric *fabric = NULL;
    for (int i = 0; i < 10 && !(fabric && !fabric->stays); i++) {
        if (fabric)
            MPI_Comm_free(comm);
        fresh_settings();
        fabric = begin(i + 1, comm)->context.fabric;
    }
    CHECK(!fabric->stays, "ten fabrics stay");
    unsetenv("SUMMAND_TUNING");
    watched = fabric->comm;
    taken = 0;
    return fabric;
}

static void end_watch(int want_taken)
{
    double end = MPI_Wtime() + PATIENCE;
    for (int done = 0; !done;) {
        use_another();
        int late = MPI_Wtime() > end, all = 0;
        MPI_Allreduce(&late, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        done = all || is_freed_on(1, 1);
    }
    CHECK(watched == MPI_COMM_NULL, "not freed");
    CHECK(taken == want_taken, "%d strays taken, not %d", taken, want_taken);
}

/* Three cases: nothing is left; a message came before; a message is sent after its receiver has
 * freed its communicator, like one still on its way. */
static void test_strays(int early, int late)
{
    MPI_Comm comm, private;
    struct summand__fabric *fabric = begin_alone(&comm);
    private = fabric->comm;
    if (early && harness_rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, TAG, private);
    if (early && !harness_rank)
        wait_for(private, TAG);
    if (harness_rank == 1 && late)
        MPI_Recv(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (harness_rank == 1 && late)
        MPI_Send(NULL, 0, MPI_INT, 0, TAG, private);
    MPI_Comm_free(&comm);
    CHECK(harness_rank || !late || watched != MPI_COMM_NULL, "freed before the others'");
    if (!harness_rank && late)
        MPI_Send(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    end_watch(harness_rank ? 0 : early + late);
}

/* Only one rank knows that a call failed. No other rank may free the communicator, because a notice
 * may be on its way to it. */
static void test_spoiled(void)
{
    MPI_Comm comm;
    struct summand__state *state;
    begin_alone(&comm);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    if (harness_rank == harness_ranks - 1)
        state->spoiled = true;
    MPI_Comm_free(&comm);
    for (int turn = 0; turn < 20; turn++)
        use_another();
    CHECK(!is_freed_on(1, 0), "freed");
    watched = MPI_COMM_NULL;
}

/* A context whose communicator is gone while a message to it is not. */
static void test_context(void)
{
    MPI_Comm comm;
    const struct summand__state *state = begin(1, &comm);
    int number = state->context.number;
    MPI_Comm private = state->context.fabric->comm;
    int tag = number * SUMMAND__TAGS_PER_CONTEXT + TAG;
    if (harness_rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, tag, private);
    if (!harness_rank)
        wait_for(private, tag);
    MPI_Comm_free(&comm);
    state = begin(2, &comm);
    CHECK(state->context.number == number && state->context.fabric->comm == private,
          "another context");
    CHECK(!has_come(private, tag), "a message of the last communicator");
    MPI_Comm_free(&comm);
}

/* Messages behind a message of a live communicator are invisible. So no context is reused until
 * that message is received. */
static void test_hidden(void)
{
    MPI_Comm living, comm;
    const struct summand__state *state = begin(1, &living);
    MPI_Comm private = state->context.fabric->comm;
    int tag = state->context.number * SUMMAND__TAGS_PER_CONTEXT + TAG;
    int number = begin(2, &comm)->context.number;
    if (harness_rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, tag, private);
    if (!harness_rank)
        wait_for(private, tag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    state = begin(3, &comm);
    CHECK(state->context.number != number, "context %d again", number);
    MPI_Comm_free(&comm);
    CHECK(harness_rank || has_come(private, tag), "a message of a living communicator is gone");
    if (!harness_rank)
        MPI_Recv(NULL, 0, MPI_INT, 1, tag, private, MPI_STATUS_IGNORE);
    state = begin(4, &comm);
    CHECK(state->context.number == number, "context %d is lost", number);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&living);
}

/* Messages for a context that nobody reuses hide nothing: other contexts are reused. */
static void test_dead(void)
{
    MPI_Comm comm;
    struct summand__state *state = begin(1, &comm);
    int dead = state->context.number;
    MPI_Comm private = state->context.fabric->comm;
    int tag = dead * SUMMAND__TAGS_PER_CONTEXT + TAG;
    state->spoiled = true;
    MPI_Comm_free(&comm);
    if (harness_rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, tag, private);
    if (!harness_rank)
        wait_for(private, tag);
    int number = begin(2, &comm)->context.number;
    CHECK(number != dead, "context %d again", dead);
    for (int turn = 3; turn < 5; turn++) {
        MPI_Comm_free(&comm);
        CHECK(begin(turn, &comm)->context.number == number, "context %d is lost", number);
    }
    MPI_Comm_free(&comm);
    CHECK(harness_rank || !has_come(private, tag), "a message for nobody is still there");
}

/* Two roots of a bcast: each sends and returns success. */
static void test_two_roots(void)
{
    MPI_Comm comm;
    struct summand__state *state = begin(1, &comm);
    MPI_Comm private = state->context.fabric->comm;
    int x = harness_rank;
    if (state->segment || harness_ranks != 2) {
        MPI_Comm_free(&comm);
        return;
    }
    summand_bcast(&x, 1, MPI_INT, harness_rank, comm, NULL);
    int tag = summand__channel_tag(&state->channel, summand__tags_last_call(&state->tags));
    wait_for(private, tag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    begin(2, &comm);
    CHECK(!has_come(private, tag), "the bcast's message is still there");
    MPI_Comm_free(&comm);
}

/* Leftovers of an erroneous program arrive after another communicator has taken the context. They
 * are not among that one's next messages, because its tags start at a random place. */
static void test_in_flight(void)
{
    enum { STRAYS = 4, CALLS = 20 };
    MPI_Comm comm;
    struct summand__state *state = begin(1, &comm);
    MPI_Comm private = state->context.fabric->comm;
    int number = state->context.number, wrong = -1, near = 1;
    int first = number * SUMMAND__TAGS_PER_CONTEXT;
    uint64_t calls = state->tags.calls;
    MPI_Comm_free(&comm);
    while (near) { /* one time in about 700 the draw lies among the leftovers */
        state = begin(2, &comm);
        CHECK(state->context.number == number && state->context.fabric->comm == private,
              "another context");
        near = state->tags.calls - calls + CALLS < CALLS + STRAYS;
        if (near)
            MPI_Comm_free(&comm);
    }
    if (harness_rank == 1)
        for (int k = 1; k <= STRAYS; k++)
            MPI_Send(&wrong, 1, MPI_INT, 0,
                     first + (int)((calls + (uint64_t)k) % SUMMAND__CALL_TAGS), private);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int call = 0; call < CALLS; call++)
        works(comm, call);
    MPI_Comm_free(&comm);
    begin(3, &comm);
    MPI_Comm_free(&comm);
}

TESTS
{
    works(MPI_COMM_WORLD, 1);
    test_context();
    test_hidden();
    test_dead();
    test_two_roots();
    test_in_flight();
    for (int kind = 0; kind < 4; kind++)
        test_strays(kind & 1, kind >> 1);
    test_spoiled();
}
