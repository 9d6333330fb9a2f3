/* np: 2 3, long: 5 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls of all collectives against the MPI's own: types, operators, counts, roots, in place,
 * blocking and plans, on subsets of the ranks in any order, from two threads at a time. Values are
 * small integers, so every order of combining has the same result. The oracle is the MPI; memory
 * around the results must not change. Other seeds make other calls:
 *     mpiexec -n 3 test_random_calls [CASES [SEED]] */
#include <pthread.h>
#include <summand.h>

#include "mpi/threads.h"

enum { CASES = 150, THREADS = 2, COMMS = 4, MOST = 20000, WIDEST = 16, GUARD = 64, RANKS = 64 };
enum { ROOM = MOST * WIDEST + 2 * GUARD };

/* Operators that every MPI accepts for a type. Products of complex numbers are left out: the signs
 * of their zeros depend on the order. */
enum {
    ADDED = 1,
    MULTIPLIED = 32,
    ARITHMETIC = ADDED | MULTIPLIED,
    ORDERED = 2,
    LOGICAL = 4,
    BITWISE = 8,
    PLACED = 16,
    NOTHING = 0
};

struct type {
    const char *name;
    MPI_Datatype handle;
    int bytes, operators;
};

static struct type types[] = {{"int", MPI_INT, 4, ARITHMETIC | ORDERED | LOGICAL | BITWISE},
                              {"long", MPI_LONG, 8, ARITHMETIC | ORDERED | LOGICAL | BITWISE},
                              {"short", MPI_SHORT, 2, ARITHMETIC | ORDERED | LOGICAL | BITWISE},
                              {"unsigned", MPI_UNSIGNED, 4, ARITHMETIC | ORDERED | BITWISE},
                              {"uint8", MPI_UINT8_T, 1, ARITHMETIC | ORDERED | BITWISE},
                              {"int64", MPI_INT64_T, 8, ARITHMETIC | ORDERED | BITWISE},
                              {"byte", MPI_BYTE, 1, BITWISE},
                              {"float", MPI_FLOAT, 4, ARITHMETIC | ORDERED},
                              {"double", MPI_DOUBLE, 8, ARITHMETIC | ORDERED},
                              {"complex", MPI_C_DOUBLE_COMPLEX, 16, ADDED},
                              {"2int", MPI_2INT, 8, PLACED},
                              {"pairs", MPI_DATATYPE_NULL, 8, NOTHING}, /* of int, made here */
                              {"every second", MPI_DATATYPE_NULL, 12, NOTHING}};
enum { TYPES = sizeof types / sizeof *types, PAIRS = TYPES - 2, SECOND = TYPES - 1 };

static const struct {
    MPI_Op op;
    int needs;
} operators[] = {{MPI_SUM, ADDED},    {MPI_PROD, MULTIPLIED}, {MPI_MAX, ORDERED},
                 {MPI_MIN, ORDERED},  {MPI_LAND, LOGICAL},    {MPI_LOR, LOGICAL},
                 {MPI_LXOR, LOGICAL}, {MPI_BAND, BITWISE},    {MPI_BOR, BITWISE},
                 {MPI_BXOR, BITWISE}, {MPI_MAXLOC, PLACED},   {MPI_MINLOC, PLACED}};
enum { OPERATORS = sizeof operators / sizeof *operators };

enum collective {
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN,
    BCAST,
    ALLGATHER,
    ALLGATHERV,
    COLLECTIVES
};
static const char *const names[] = {
    "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
    "bcast",  "allgather", "allgatherv"};

struct thread {
    uint64_t seed; /* alike on all ranks */
    int number, done;
    long cases;
    MPI_Comm comm[COMMS];
    unsigned char send[ROOM], want[ROOM], got[ROOM];
    char failure[256];
    long checks, failures;
};

struct one {
    enum collective collective;
    const struct type *type;
    MPI_Op op;
    MPI_Comm comm;
    int count, root, in_place, planned, rank, ranks;
    int counts[RANKS], displacements[RANKS], total;
};

static size_t below(struct thread *t, size_t n)
{
    return (size_t)(harness_random(&t->seed) % n);
}

static void draw(struct thread *t, struct one *c)
{
    c->collective = (enum collective)below(t, COLLECTIVES);
    c->type = &types[below(t, TYPES)];
    c->comm = t->comm[below(t, COMMS)];
    size_t op = below(t, OPERATORS), most = below(t, 20) ? below(t, 4) ? 12 : 300 : MOST;
    while (c->collective < BCAST && c->type->operators == NOTHING)
        c->type = &types[below(t, TYPES)];
    while (c->collective < BCAST && !(operators[op].needs & c->type->operators))
        op = below(t, OPERATORS);
    c->op = operators[op].op;
    c->in_place = !below(t, 3);
    c->planned = !below(t, 3);
    size_t count = below(t, most + 1), root = below(t, RANKS), vary = below(t, 1000);
    if (c->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(c->comm, &c->rank);
    MPI_Comm_size(c->comm, &c->ranks);
    c->root = (int)root % c->ranks;
    c->count = (int)count;
    c->total = 0;
    if (c->collective == REDUCE_SCATTER_BLOCK || c->collective == ALLGATHER)
        c->count /= c->ranks;
    for (int r = 0; r < c->ranks; r++) {
        c->counts[r] = (int)((vary * (size_t)(r + 1)) % (count / (size_t)c->ranks + 1));
        c->displacements[r] = c->total;
        c->total += c->counts[r];
    }
}

/* Integers from 0 to 2, which fit each type. Products of 64 of them are less than 2^64, and short
 * types overflow alike. */
static void fill(const struct one *c, unsigned char *bytes, uint64_t seed)
{
    size_t elements = MOST * 2; /* two parts of a complex number, two ints of a pair */
    memset(bytes, 0x5a, ROOM);
    unsigned char *at = bytes + GUARD;
    for (size_t i = 0; i < elements; i++) {
        int value = (int)(harness_random(&seed) % 3);
        if (c->type->handle == MPI_DOUBLE || c->type->handle == MPI_C_DOUBLE_COMPLEX)
            ((double *)(void *)at)[i] = value;
        else if (c->type->handle == MPI_FLOAT)
            ((float *)(void *)at)[i] = (float)value;
        else if (c->type->bytes == 1)
            at[i] = (unsigned char)value;
        else if (c->type->handle == MPI_SHORT)
            ((short *)(void *)at)[i] = (short)value;
        else if (c->type->handle == MPI_LONG || c->type->handle == MPI_INT64_T)
            ((int64_t *)(void *)at)[i] = value;
        else
            ((int *)(void *)at)[i] = value;
    }
}

static int ours(const struct one *c, const void *send, void *recv, summand_plan **plan)
{
    MPI_Datatype type = c->type->handle;
    int mine = c->counts[c->rank];
    MPI_Comm comm = c->comm;
#define EITHER(name, ...) (plan ? name##_init(__VA_ARGS__, NULL, plan) : name(__VA_ARGS__, NULL))
    switch (c->collective) {
    case REDUCE:
        return EITHER(summand_reduce, send, recv, c->count, type, c->op, c->root, comm);
    case ALLREDUCE:
        return EITHER(summand_allreduce, send, recv, c->count, type, c->op, comm);
    case REDUCE_SCATTER:
        return EITHER(summand_reduce_scatter, send, recv, c->counts, type, c->op, comm);
    case REDUCE_SCATTER_BLOCK:
        return EITHER(summand_reduce_scatter_block, send, recv, c->count, type, c->op, comm);
    case SCAN:
        return EITHER(summand_scan, send, recv, c->count, type, c->op, comm);
    case EXSCAN:
        return EITHER(summand_exscan, send, recv, c->count, type, c->op, comm);
    case BCAST:
        return EITHER(summand_bcast, recv, c->count, type, c->root, comm);
    case ALLGATHER:
        return EITHER(summand_allgather, send, c->count, type, recv, c->count, type, comm);
    default:
        return EITHER(summand_allgatherv, send, mine, type, recv, c->counts, c->displacements, type,
                      comm);
    }
#undef EITHER
}

static int theirs(const struct one *c, const void *send, void *recv)
{
    MPI_Datatype type = c->type->handle;
    int mine = c->counts[c->rank];
    MPI_Comm comm = c->comm;
    switch (c->collective) {
    case REDUCE:
        return MPI_Reduce(send, recv, c->count, type, c->op, c->root, comm);
    case ALLREDUCE:
        return MPI_Allreduce(send, recv, c->count, type, c->op, comm);
    case REDUCE_SCATTER:
        return MPI_Reduce_scatter(send, recv, c->counts, type, c->op, comm);
    case REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(send, recv, c->count, type, c->op, comm);
    case SCAN:
        return MPI_Scan(send, recv, c->count, type, c->op, comm);
    case EXSCAN:
        return MPI_Exscan(send, recv, c->count, type, c->op, comm);
    case BCAST:
        return MPI_Bcast(recv, c->count, type, c->root, comm);
    case ALLGATHER:
        return MPI_Allgather(send, c->count, type, recv, c->count, type, comm);
    default:
        return MPI_Allgatherv(send, mine, type, recv, c->counts, c->displacements, type, comm);
    }
}

static void expect(struct thread *t, int holds, const struct one *c, const char *what, int code)
{
    t->checks++;
    if (holds || t->failures++)
        return;
    snprintf(t->failure, sizeof t->failure,
             "thread %d, case %ld: %s of %d %s, root %d, in place %d, plan %d, %d ranks: %s (%d)",
             t->number, t->cases, names[c->collective], c->count, c->type->name, c->root,
             c->in_place, c->planned, c->ranks, what, code);
}

/* In place, only the root's sendbuf is MPI_IN_PLACE in a reduce. */
static void one_case(struct thread *t)
{
    struct one c = {.count = 0};
    draw(t, &c);
    uint64_t values = harness_random(&t->seed);
    if (c.comm == MPI_COMM_NULL)
        return;
    int has = c.in_place && c.collective != BCAST && (c.collective != REDUCE || c.rank == c.root);
    fill(&c, t->send, values + (uint64_t)c.rank);
    fill(&c, t->want, values + 77 + (uint64_t)c.rank);
    memcpy(t->got, t->want, ROOM);
    const void *send = has ? MPI_IN_PLACE : (const void *)(t->send + GUARD);
    summand_plan *plan = NULL;
    /* MPICH 4.0.2 reads from the address MPI_IN_PLACE in some of its reductions to a root. */
    if (has && c.collective == REDUCE)
        memcpy(t->send, t->want, ROOM);
    int code = theirs(&c, c.collective == REDUCE ? t->send + GUARD : send, t->want + GUARD);
    expect(t, code == MPI_SUCCESS, &c, "the MPI's own fails", code);
    /* Open MPI 4.1.4 writes behind the result of a reduce-scatter in place, where the rest of the
     * input lies. Ours leaves it. */
    if (has && (c.collective == REDUCE_SCATTER || c.collective == REDUCE_SCATTER_BLOCK)) {
        int elements = c.collective == REDUCE_SCATTER ? c.counts[c.rank] : c.count;
        size_t result = GUARD + (size_t)elements * (size_t)c.type->bytes;
        memcpy(t->want + result, t->got + result, ROOM - result);
    }
    if (c.collective == EXSCAN && !c.rank)
        memcpy(t->want, t->got, ROOM); /* it stays as it was */
    code = ours(&c, send, t->got + GUARD, c.planned ? &plan : NULL);
    if (c.planned && code == MPI_SUCCESS)
        code = summand_plan_start(plan);
    if (c.planned && code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    summand_plan_free(&plan);
    expect(t, code == MPI_SUCCESS, &c, "an error", code);
    /* The MPI alone decides the recvbuf of other ranks after a reduce. */
    if (c.collective != REDUCE || c.rank == c.root)
        expect(t, !memcmp(t->want, t->got, ROOM), &c, "another result", 0);
}

static void *run(void *argument)
{
    struct thread *t = argument;
    for (long k = t->cases, t_done = 0; t_done < k; t_done++) {
        t->cases = t_done;
        one_case(t);
    }
    return NULL;
}

/* All ranks, reversed, those of one parity, all except the first. */
static void make_comms(struct thread *t)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -harness_rank, &t->comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, harness_rank, &t->comm[2]);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank ? 0 : MPI_UNDEFINED, harness_rank, &t->comm[3]);
    for (int k = 0; k < COMMS; k++)
        if (t->comm[k] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(t->comm[k], MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    static struct thread threads[THREADS];
    pthread_t handle[THREADS];
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int count = threads_begin(&argc, &argv) ? THREADS : 1;
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Type_contiguous(2, MPI_INT, &types[PAIRS].handle);
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[SECOND].handle);
    MPI_Type_commit(&types[PAIRS].handle);
    MPI_Type_commit(&types[SECOND].handle);
    for (int k = 0; k < count; k++) {
        threads[k].seed = seed * 1000 + (uint64_t)k;
        threads[k].number = k;
        threads[k].cases = argc > 1 ? atol(argv[1]) : CASES;
        make_comms(&threads[k]);
    }
    for (int k = 1; k < count; k++)
        pthread_create(&handle[k], NULL, run, &threads[k]);
    run(&threads[0]);
    for (int k = 0; k < count; k++) {
        if (k)
            pthread_join(handle[k], NULL);
        harness_checks += threads[k].checks - threads[k].failures;
        CHECK(!threads[k].failures, "seed %llu: %ld, first %s", (unsigned long long)seed,
              threads[k].failures, threads[k].failure);
        for (int i = 0; i < COMMS; i++)
            if (threads[k].comm[i] != MPI_COMM_NULL)
                MPI_Comm_free(&threads[k].comm[i]);
    }
    MPI_Type_free(&types[PAIRS].handle);
    MPI_Type_free(&types[SECOND].handle);
    return harness_end();
}
