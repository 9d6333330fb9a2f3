/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of any collective on any subject; compares the result and all memory around it. */
#pragma once

#include <summand/reduce.h>

#include "algorithm/call.h"
#include "mpi/pairs.h"
#include "mpi/used.h"

struct one {
    const struct subject *s;
    enum summand__collective collective;
    const char *algorithm;
    size_t count;                   /* of the vector, or a bound of blocks */
    int root, in_place, form;       /* form: which variant of the call */
    const summand_options *options; /* besides the algorithm; NULL: by `form` */
    int counts[16], displacements[16];
    size_t total;
};

/* The communicator of the calls, if not MPI_COMM_WORLD. */
static struct {
    int given;
    MPI_Comm comm;
} one_place;

static inline MPI_Comm one_comm(void)
{
    return one_place.given ? one_place.comm : MPI_COMM_WORLD;
}

static inline void one_call_on(MPI_Comm comm)
{
    one_place.given = 1;
    one_place.comm = comm;
}

static int is_gather(const struct one *c)
{
    return summand__has_blocks(c->collective) && !summand__has_operator(c->collective);
}

/* Blocks of one size, or of the sizes count, 0, 1, count... Those of an allgatherv have gaps, and
 * the last rank's block is the first. */
static void make_blocks(struct one *c)
{
    int at = 0;
    c->total = 0;
    for (int r = 0; r < harness_ranks; r++) {
        c->counts[r] = (int)c->count;
        if (summand__has_offsets(c->collective) && r % 3)
            c->counts[r] = r % 3 - 1 < (int)c->count ? r % 3 - 1 : (int)c->count;
        c->total += (size_t)c->counts[r];
    }
    for (int r = harness_ranks - 1; r >= 0; r--) {
        c->displacements[r] = at;
        at += c->counts[r] + (c->form & 1);
    }
    if (c->collective != SUMMAND__COLL_ALLGATHERV || c->form == 0)
        for (int r = at = 0; r < harness_ranks; at += c->counts[r++])
            c->displacements[r] = at;
    if (!summand__has_blocks(c->collective))
        c->total = c->count;
}

/* The form of a call with these arguments: blocking or a plan, counts of int or MPI_Count. */
#define CALL(name, ...)                                                                            \
    (plan   ? wide ? name##_init_c(__VA_ARGS__, plan) : name##_init(__VA_ARGS__, plan)             \
       : wide ? name##_c(__VA_ARGS__)                                                              \
            : name(__VA_ARGS__))

/* The same for arrays of counts. */
#define CALL_V(name, narrow, wider)                                                                \
    (plan   ? wide ? name##_init_c(UNPACKED wider, plan) : name##_init(UNPACKED narrow, plan)      \
       : wide ? name##_c(UNPACKED wider)                                                           \
            : name(UNPACKED narrow))
#define UNPACKED(...) __VA_ARGS__

static int call_reduction(const struct one *c, const void *send, void *recv,
                          const summand_options *options, summand_plan **plan)
{
    const struct subject *s = c->s;
    int n = (int)c->count, wide = c->form & 1;
    MPI_Comm comm = one_comm();
    MPI_Count counts[16];
    for (int r = 0; r < harness_ranks; r++)
        counts[r] = c->counts[r];
    if (c->collective == SUMMAND__COLL_REDUCE)
        return CALL(summand_reduce, send, recv, n, s->datatype, s->op, c->root, comm, options);
    if (c->collective == SUMMAND__COLL_ALLREDUCE)
        return CALL(summand_allreduce, send, recv, n, s->datatype, s->op, comm, options);
    if (c->collective == SUMMAND__COLL_SCAN)
        return CALL(summand_scan, send, recv, n, s->datatype, s->op, comm, options);
    if (c->collective == SUMMAND__COLL_EXSCAN)
        return CALL(summand_exscan, send, recv, n, s->datatype, s->op, comm, options);
    if (c->collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK)
        return CALL(summand_reduce_scatter_block, send, recv, n, s->datatype, s->op, comm, options);
    return CALL_V(summand_reduce_scatter,
                  (send, recv, c->counts, s->datatype, s->op, comm, options),
                  (send, recv, counts, s->datatype, s->op, comm, options));
}

/* In place, arguments that describe the sent data are ignored, whatever their values. */
static int call_movement(const struct one *c, const void *send, void *recv,
                         const summand_options *options, summand_plan **plan)
{
    MPI_Datatype type = c->s->datatype, sent = c->in_place ? MPI_DATATYPE_NULL : type;
    MPI_Comm comm = one_comm();
    MPI_Count counts[16];
    MPI_Aint displacements[16];
    int mine = c->in_place ? -1 : c->counts[harness_rank], n = (int)c->count, wide = c->form & 1;
    for (int r = 0; r < harness_ranks; r++) {
        counts[r] = c->counts[r];
        displacements[r] = c->displacements[r];
    }
    if (c->collective == SUMMAND__COLL_BCAST)
        return CALL(summand_bcast, recv, n, type, c->root, comm, options);
    if (c->collective == SUMMAND__COLL_ALLGATHER)
        return CALL(summand_allgather, send, mine, sent, recv, n, type, comm, options);
    return CALL_V(summand_allgatherv,
                  (send, mine, sent, recv, c->counts, c->displacements, type, comm, options),
                  (send, mine, sent, recv, counts, displacements, type, comm, options));
}

/* A plan that runs twice if its input is still intact. The datatype's handle is freed first, if
 * possible, and comes back for another datatype. */
static int call_plan(const struct one *c, const void *send, void *recv,
                     const summand_options *options)
{
    struct subject s = *c->s;
    struct one call = *c;
    MPI_Datatype other;
    summand_plan *plan = NULL;
    int done = 0, derived = c->s->combine == compose;
    call.s = &s;
    if (derived)
        MPI_Type_dup(c->s->datatype, &s.datatype);
    int code = (summand__has_operator(c->collective) ? call_reduction : call_movement)(
        &call, send, recv, options, &plan);
    if (derived)
        MPI_Type_free(&s.datatype);
    MPI_Type_contiguous(3, MPI_SHORT, &other);
    for (int repeat = 0; repeat < (c->in_place ? 1 : 2) && code == MPI_SUCCESS; repeat++) {
        code = summand_plan_start(plan);
        while (repeat && !done && code == MPI_SUCCESS)
            code = summand_plan_test(plan, &done);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
    }
    MPI_Type_free(&other);
    summand_plan_free(&plan);
    return code;
}

static int call_it(const struct one *c, const void *send, void *recv)
{
    summand_options options = {.segment = c->form % 3 == 1 ? 3 : 0,
                               .radix = c->form % 3 == 2 ? 3 : 0};
    if (c->options)
        options = *c->options;
    options.algorithm = c->algorithm;
    options = only_used(options);
    if (c->form >= 2)
        return call_plan(c, send, recv, &options);
    return (summand__has_operator(c->collective) ? call_reduction : call_movement)(c, send, recv,
                                                                                   &options, NULL);
}

/* This rank's contribution: elements [first, first + n) of the vector. */
static void input_of(const struct one *c, size_t *n)
{
    *n = is_gather(c) ? (size_t)c->counts[harness_rank] : c->total;
}

static void fill_recv(const struct one *c, const struct buffer *recv)
{
    size_t n;
    input_of(c, &n);
    int mine = c->collective == SUMMAND__COLL_BCAST ? c->root == harness_rank : c->in_place;
    size_t first = is_gather(c) ? (size_t)c->displacements[harness_rank] : 0;
    for (size_t i = 0; mine && i < n; i++)
        set_pair(c->s, element_of(c->s, recv, first + i), contribution(c->s, harness_rank, i));
}

static void expect_movement(const struct one *c, const struct buffer *want)
{
    const struct subject *s = c->s;
    for (size_t i = 0; c->collective == SUMMAND__COLL_BCAST && i < c->total; i++)
        set_pair(s, element_of(s, want, i), contribution(s, c->root, i));
    for (int r = 0; is_gather(c) && r < harness_ranks; r++)
        for (int i = 0; i < c->counts[r]; i++)
            set_pair(s, element_of(s, want, (size_t)(c->displacements[r] + i)),
                     contribution(s, r, (size_t)i));
}

/* The ranks whose operands this rank's result combines. */
static inline int one_contributing(const struct one *c)
{
    return c->collective == SUMMAND__COLL_SCAN     ? harness_rank + 1
           : c->collective == SUMMAND__COLL_EXSCAN ? harness_rank
                                                   : harness_ranks;
}

/* In place, a reduce_scatter may leave any data behind its block. Rank 0's buffer of an exclusive
 * scan stays as it was. */
static void expect_reduction(const struct one *c, const struct buffer *want,
                             const struct buffer *recv)
{
    const struct subject *s = c->s;
    size_t first = 0, n = c->total;
    if ((c->collective == SUMMAND__COLL_REDUCE && c->root != harness_rank) || !one_contributing(c))
        return;
    if (summand__has_blocks(c->collective)) {
        for (int r = 0; r < harness_rank; r++)
            first += (size_t)c->counts[r];
        n = (size_t)c->counts[harness_rank];
    }
    for (size_t i = 0; i < n; i++)
        set_pair(s, element_of(s, want, i), in_rank_order(s, one_contributing(c), first + i));
    for (size_t i = n; c->in_place && i < c->total; i++)
        set_pair(s, element_of(s, want, i), get_pair(s, element_of(s, recv, i)));
}

/* A call's buffers, the expected sendbuf and recvbuf, and its arguments. */
struct one_buffers {
    struct buffer send, kept, recv, want;
    const void *sendbuf;
};

static inline void make_one(struct one *c, struct one_buffers *b)
{
    const struct subject *s = c->s;
    size_t n;
    make_blocks(c);
    size_t room = c->total + 16;
    input_of(c, &n);
    *b = (struct one_buffers){make_buffer(s, room), make_buffer(s, room), make_buffer(s, room),
                              make_buffer(s, room), NULL};
    for (size_t i = 0; i < n; i++) {
        set_pair(s, element_of(s, &b->send, i), contribution(s, harness_rank, i));
        set_pair(s, element_of(s, &b->kept, i), contribution(s, harness_rank, i));
    }
    int here = c->in_place && (c->collective != SUMMAND__COLL_REDUCE || c->root == harness_rank);
    b->sendbuf = here ? MPI_IN_PLACE : b->send.origin;
    if (here || c->collective == SUMMAND__COLL_BCAST)
        fill_recv(c, &b->recv);
    memcpy(b->want.memory, b->recv.memory, b->recv.bytes);
}

/* After the call. */
static inline void expect_one(const struct one *c, struct one_buffers *b)
{
    if (summand__has_operator(c->collective))
        expect_reduction(c, &b->want, &b->recv);
    else
        expect_movement(c, &b->want);
}

static inline void free_one(struct one_buffers *b)
{
    free(b->send.memory);
    free(b->kept.memory);
    free(b->recv.memory);
    free(b->want.memory);
}

static inline void check(struct one *c)
{
    const struct subject *s = c->s;
    struct one_buffers b;
    make_one(c, &b);
    int code = call_it(c, b.sendbuf, b.recv.origin);
    expect_one(c, &b);
    const char *name = summand__collective_name(c->collective);
    const char *how = c->algorithm ? c->algorithm : "automatic";
    CHECK(code == MPI_SUCCESS, "%s %s %s: code %d", name, how, s->name, code);
    CHECK(same_buffers(&b.send, &b.kept), "%s %s %s: sendbuf written", name, how, s->name);
    CHECK(same_buffers(&b.recv, &b.want),
          "%s %s %s count %zu root %d in place %d form %d segment %d", name, how, s->name, c->count,
          c->root, c->in_place, c->form, c->options ? (int)c->options->segment : -1);
    free_one(&b);
}

static inline int possible(const struct one *c, const struct summand__algorithm *algorithm)
{
    struct summand__call call = {.collective = c->collective, .ranks = harness_ranks};
    return algorithm->build[c->collective] &&
           (!algorithm->applicable || algorithm->applicable(&call)) &&
           (c->s->combine != compose || !summand__has_operator(c->collective) ||
            !summand__needs_commutative(algorithm));
}
