/* SPDX-License-Identifier: BSD-3-Clause */
#include "flips/world.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <summand/error.h>

enum {
    STACK = 256 * 1024,
    MESSAGES = 1024, /* under way */
    REQUESTS = 1024,
    PATIENCE = 400000, /* turns: many times the limit of the call */
    FIRST_HANDLE = 4096
};
static const double turn_takes = 1e-3; /* seconds */

struct message {
    int from, to, tag, count;
    const int64_t *words;
    int64_t own[4]; /* MPI_Send: its caller goes on at once */
    bool owns;
    int request; /* below 0: none waits for it */
};

struct request {
    bool used, done, receives;
    int rank, from, tag, most; /* of a receive */
    int64_t *words;
    int source, count; /* what has come */
};

static struct {
    int ranks, current, left, messages, requests; /* requests: places used so far */
    long turns;
    double clock;
    uint64_t draws;
    bool hangs, over[WORLD_MOST];
    void (*body)(int rank);
    ucontext_t home, context[WORLD_MOST]; /* of ranks: where they begin */
    jmp_buf waits[WORLD_MOST];            /* and where they wait */
    bool began[WORLD_MOST];
    char *stack[WORLD_MOST];
    struct message message[MESSAGES];
    struct request request[REQUESTS];
} world;

int __wrap_sched_yield(void);
double __wrap_PMPI_Wtime(void);
int __wrap_summand_error_code(enum summand_error error);
enum summand_error __wrap_summand_error_of(int code);
int __wrap_PMPI_Error_class(int code, int *class);
void __wrap_summand__error_explain(enum summand_error error, const char *format, ...);
int __wrap_PMPI_Isend(const void *words, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *handle);
int __wrap_PMPI_Issend(const void *words, int count, MPI_Datatype type, int to, int tag,
                       MPI_Comm comm, MPI_Request *handle);
int __wrap_PMPI_Send(const void *words, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm);
int __wrap_PMPI_Irecv(void *words, int most, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request *handle);
int __wrap_PMPI_Recv(void *words, int most, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status);
int __wrap_PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *handle, int *done, MPI_Status *status);
int __wrap_PMPI_Testany(int count, MPI_Request *handles, int *at, int *done, MPI_Status *status);
int __wrap_PMPI_Wait(MPI_Request *handle, MPI_Status *status);
int __wrap_PMPI_Waitall(int count, MPI_Request *handles, MPI_Status *statuses);
int __wrap_PMPI_Cancel(MPI_Request *handle);
int __wrap_PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

/* Not inlined, because gcc warns about its variables around a caller's setjmp. */
__attribute__((noinline)) static int next_rank(void)
{
    int steps = 1;
    if (world.draws) {
        world.draws = world.draws * 6364136223846793005u + 1442695040888963407u;
        steps = 1 + (int)((world.draws >> 33) % (uint64_t)world.ranks);
    }
    int rank = (world.current + steps) % world.ranks;
    while (world.over[rank])
        rank = (rank + 1) % world.ranks;
    return rank;
}

/* A jump, because switching contexts asks the kernel for the signal mask each time: a sixth of the
 * campaign's time. */
static void go_on(int rank)
{
    world.current = rank;
    if (world.began[rank])
        _longjmp(world.waits[rank], 1);
    world.began[rank] = true;
    setcontext(&world.context[rank]);
}

int __wrap_sched_yield(void)
{
    int from = world.current, to;
    world.clock += turn_takes;
    if (++world.turns > PATIENCE) {
        world.hangs = true;
        setcontext(&world.home);
    }
    to = next_rank();
    if (to != from && !_setjmp(world.waits[from]))
        go_on(to);
    return 0;
}

static void begin_rank(void)
{
    world.body(world.current);
    world.over[world.current] = true;
    if (!--world.left)
        setcontext(&world.home);
    go_on(next_rank());
}

bool world_run(int ranks, uint64_t seed, void (*body)(int rank))
{
    world.ranks = world.left = ranks;
    world.current = world.messages = world.requests = 0;
    world.turns = 0;
    world.clock = 1;
    world.draws = seed;
    world.hangs = false;
    world.body = body;
    memset(world.request, 0, sizeof world.request);
    for (int rank = 0; rank < ranks; rank++) {
        world.over[rank] = world.began[rank] = false;
        if (!world.stack[rank])
            world.stack[rank] = malloc(STACK);
        if (!world.stack[rank])
            abort();
        getcontext(&world.context[rank]);
        world.context[rank].uc_stack.ss_sp = world.stack[rank];
        world.context[rank].uc_stack.ss_size = STACK;
        makecontext(&world.context[rank], begin_rank, 0);
    }
    world.began[0] = true;
    swapcontext(&world.home, &world.context[0]);
    return !world.hangs;
}

long world_turns(void)
{
    return world.turns;
}

double __wrap_PMPI_Wtime(void)
{
    return world.clock;
}

/* The MPI is not started, so it has no codes for our conditions. */
enum { OUR_CODES = 10000 };

int __wrap_summand_error_code(enum summand_error error)
{
    return OUR_CODES + (int)error;
}

enum summand_error __wrap_summand_error_of(int code)
{
    return code > OUR_CODES ? (enum summand_error)(code - OUR_CODES) : SUMMAND_ERR_NONE;
}

void __wrap_summand__error_explain(enum summand_error error, const char *format, ...)
{
    (void)error, (void)format;
}

int __wrap_PMPI_Error_class(int code, int *class)
{
    *class = code;
    return MPI_SUCCESS;
}

/* The test ends if memory for pending messages is lacking. */
static int take_request(void)
{
    for (int k = 0; k < REQUESTS; k++)
        if (!world.request[k].used) {
            world.request[k] = (struct request){.used = true, .rank = world.current};
            world.requests = k < world.requests ? world.requests : k + 1;
            return k;
        }
    fprintf(stderr, "flips: too many requests\n");
    abort();
}

static MPI_Request handle_of(int request)
{
    return (MPI_Request)(intptr_t)(request + FIRST_HANDLE);
}

static struct request *request_of(MPI_Request handle)
{
    return &world.request[(intptr_t)handle - FIRST_HANDLE];
}

static void set_status(MPI_Status *status, int source, int count)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_ERROR = count; /* nobody else reads it for a single message */
}

static bool fits(const struct message *m, int to, int from, int tag)
{
    return m->to == to && m->tag == tag && (from == MPI_ANY_SOURCE || m->from == from);
}

/* The oldest matching message, or -1. */
static int find_message(int from, int tag)
{
    for (int k = 0; k < world.messages; k++)
        if (fits(&world.message[k], world.current, from, tag))
            return k;
    return -1;
}

/* Copies message k to its receiver and forgets it; returns its number of words. */
static int take_message(int k, int64_t *words, int most, int *source)
{
    struct message m = world.message[k];
    int count = m.count < most ? m.count : most;
    if (count)
        memcpy(words, m.owns ? m.own : m.words, (size_t)count * sizeof *words);
    *source = m.from;
    if (m.request >= 0)
        world.request[m.request].done = true;
    world.messages--;
    memmove(world.message + k, world.message + k + 1,
            (size_t)(world.messages - k) * sizeof *world.message);
    return count;
}

/* The last message may match a posted receive. */
static void deliver(void)
{
    const struct message *m = &world.message[world.messages - 1];
    for (int k = 0; k < world.requests; k++) {
        struct request *r = &world.request[k];
        if (r->used && r->receives && !r->done && fits(m, r->rank, r->from, r->tag)) {
            r->count = take_message(world.messages - 1, r->words, r->most, &r->source);
            r->done = true;
            return;
        }
    }
}

static void post(const void *words, int count, int to, int tag, int request)
{
    if (world.messages == MESSAGES) {
        fprintf(stderr, "flips: too many messages\n");
        abort();
    }
    struct message *m = &world.message[world.messages++];
    *m = (struct message){world.current, to, tag, count, words, {0}, request < 0, request};
    if (m->owns)
        memcpy(m->own, words, (size_t)count * sizeof *m->own);
    deliver();
}

int __wrap_PMPI_Isend(const void *words, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *handle)
{
    (void)type, (void)comm;
    int request = take_request();
    *handle = handle_of(request);
    post(words, count, to, tag, request);
    return MPI_SUCCESS;
}

int __wrap_PMPI_Issend(const void *words, int count, MPI_Datatype type, int to, int tag,
                       MPI_Comm comm, MPI_Request *handle)
{
    return __wrap_PMPI_Isend(words, count, type, to, tag, comm, handle);
}

int __wrap_PMPI_Send(const void *words, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm)
{
    (void)type, (void)comm;
    post(words, count, to, tag, -1);
    return MPI_SUCCESS;
}

int __wrap_PMPI_Irecv(void *words, int most, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request *handle)
{
    (void)type, (void)comm;
    int k = find_message(from, tag), request = take_request();
    struct request *r = &world.request[request];
    r->receives = true;
    r->from = from;
    r->tag = tag;
    r->words = words;
    r->most = most;
    if (k >= 0) {
        r->count = take_message(k, r->words, most, &r->source);
        r->done = true;
    }
    *handle = handle_of(request);
    return MPI_SUCCESS;
}

int __wrap_PMPI_Recv(void *words, int most, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status)
{
    int k, source;
    (void)type, (void)comm;
    while ((k = find_message(from, tag)) < 0)
        __wrap_sched_yield();
    int count = take_message(k, words, most, &source);
    set_status(status, source, count);
    return MPI_SUCCESS;
}

int __wrap_PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    int k = find_message(from, tag);
    (void)comm;
    *there = k >= 0;
    if (k >= 0)
        set_status(status, world.message[k].from, world.message[k].count);
    return MPI_SUCCESS;
}

static bool complete(MPI_Request *handle, MPI_Status *status)
{
    struct request *r = request_of(*handle);
    if (!r->done)
        return false;
    set_status(status, r->source, r->count);
    r->used = false;
    *handle = MPI_REQUEST_NULL;
    return true;
}

int __wrap_PMPI_Test(MPI_Request *handle, int *done, MPI_Status *status)
{
    *done = *handle == MPI_REQUEST_NULL || complete(handle, status);
    return MPI_SUCCESS;
}

int __wrap_PMPI_Testany(int count, MPI_Request *handles, int *at, int *done, MPI_Status *status)
{
    bool any = false;
    *at = MPI_UNDEFINED;
    for (int k = 0; k < count && *at == MPI_UNDEFINED; k++)
        if (handles[k] != MPI_REQUEST_NULL) {
            any = true;
            if (complete(&handles[k], status))
                *at = k;
        }
    *done = !any || *at != MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int __wrap_PMPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    while (*handle != MPI_REQUEST_NULL && !complete(handle, status))
        __wrap_sched_yield();
    return MPI_SUCCESS;
}

int __wrap_PMPI_Waitall(int count, MPI_Request *handles, MPI_Status *statuses)
{
    (void)statuses;
    for (int k = 0; k < count; k++)
        __wrap_PMPI_Wait(&handles[k], MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* Of receives alone. */
int __wrap_PMPI_Cancel(MPI_Request *handle)
{
    request_of(*handle)->done = true;
    return MPI_SUCCESS;
}

int __wrap_PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    (void)type;
    *count = status->MPI_ERROR;
    return MPI_SUCCESS;
}
