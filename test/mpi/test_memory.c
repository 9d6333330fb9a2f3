/* np: 3, long: 2 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory requests of collectives fail one by one: every algorithm, packed and staged datatypes,
 * user operators, in place; blocking calls and plans. */
#include <math.h>

#include "mpi/one_call.h"
#include "mpi/refusals.h"
#include "mpi/used.h"

static struct subject subjects[SUBJECTS];

/* More than the cache of blocking calls holds, and so short that no two elements of a column are
 * equal. */
enum { SHAPES = 11 };

/* One call with its buffers; its shape does not change. */
struct collective {
    struct one one;
    summand_options options;
    struct one_buffers buffers;
    struct buffer before; /* the recvbuf */
};

static void drop_buffers(struct collective *c)
{
    if (c->before.memory)
        free_one(&c->buffers);
    free(c->before.memory);
    c->before.memory = NULL;
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    struct collective *c = self;
    drop_buffers(c);
    one_call_on(comm);
    c->one.count = 5 + (size_t)turn % SHAPES;
    make_one(&c->one, &c->buffers);
    c->before = make_buffer(c->one.s, c->one.total + 16);
    memcpy(c->before.memory, c->buffers.recv.memory, c->before.bytes);
}

static void refill(void *self)
{
    struct collective *c = self;
    memcpy(c->buffers.recv.memory, c->before.memory, c->before.bytes);
    memcpy(c->buffers.want.memory, c->before.memory, c->before.bytes);
}

static int call(void *self, summand_plan **plan)
{
    struct collective *c = self;
    return (summand__has_operator(c->one.collective) ? call_reduction : call_movement)(
        &c->one, c->buffers.sendbuf, c->buffers.recv.origin, &c->options, plan);
}

static int right(void *self)
{
    struct collective *c = self;
    expect_one(&c->one, &c->buffers);
    return same_buffers(&c->buffers.send, &c->buffers.kept) &&
           same_buffers(&c->buffers.recv, &c->buffers.want);
}

static struct operation operation_of(struct collective *c, const char *name)
{
    return (struct operation){.group = summand__collective_name(c->one.collective),
                              .name = name,
                              .self = c,
                              .reset = reset,
                              .refill = refill,
                              .call = call,
                              .right = right};
}

/* Every algorithm that has the collective, with the subjects in turn. */
static void test_algorithms(int collective)
{
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        struct collective c = {
            .one = {.collective = (enum summand__collective)collective,
                    .root = i % harness_ranks,
                    .in_place = i % 2 && collective != SUMMAND__COLL_BCAST,
                    .form = i % 2},
            .options = {.algorithm = algorithm->name, .segment = i % 3 ? 4 : 0, .node_size = 2}};
        c.one.s = &subjects[(i + collective) % SUBJECTS];
        c.options = only_used(c.options);
        if (!possible(&c.one, algorithm))
            c.one.s = &subjects[USERS];
        if (!possible(&c.one, algorithm))
            continue;
        struct operation o = operation_of(&c, algorithm->name);
        refuse_in_turn(&o, NEW_SHAPE, 0);
        if ((i + collective) % 5 == 0)
            refuse_in_turn(&o, MAKING, 0);
        drop_buffers(&c);
    }
}

/* Every datatype at every moment. */
static void test_subjects(int collective)
{
    for (int i = 0; i < SUBJECTS; i++) {
        struct collective c = {.one = {.s = &subjects[i],
                                       .collective = (enum summand__collective)collective,
                                       .root = i % harness_ranks,
                                       .in_place = i % 2 && collective != SUMMAND__COLL_BCAST,
                                       .form = i % 2}};
        struct operation o = operation_of(&c, subjects[i].name);
        for (int moment = NEW_SHAPE; moment < MOMENTS; moment++)
            refuse_in_turn(&o, (enum moment)moment, 1);
        if (i == GAPPED)
            refuse(&o, FIRST_CALL, 1);
        drop_buffers(&c);
    }
}

/* Calls whose ranks compare words behind the operation: of sums of integers, and of others. */
static void test_checked(int collective)
{
    const int sums = summand__has_operator((enum summand__collective)collective);
    struct collective c = {
        .one = {.s = &subjects[sums ? USERS : GAPPED],
                .collective = (enum summand__collective)collective},
        .options = {.check = collective % 2 ? SUMMAND_CHECKED_DETECT : SUMMAND_CHECKED_CORRECT}};
    struct operation o = operation_of(&c, "checked");
    refuse_in_turn(&o, NEW_SHAPE, 0);
    refuse_in_turn(&o, MAKING, 0);
    refuse_in_turn(&o, FIRST_RUN, 0);
    drop_buffers(&c);
}

/* Exact sums: their stages ask for memory in the middle of a call. Each call's terms are too large
 * for the formats of the one before. */
enum { EXACT_MOST = 1000 };
struct exact_call {
    enum summand__collective collective;
    MPI_Comm comm;
    int n, scale;
    double x[EXACT_MOST], y[EXACT_MOST];
};

static double exact_term(const struct exact_call *c, int rank, int i)
{
    return ldexp(1 + i % 7 + rank, 90 * (c->scale % 10) - 400);
}

static void refill_exact(void *self)
{
    struct exact_call *c = self;
    c->scale++;
    for (int i = 0; i < c->n; i++) {
        c->x[i] = exact_term(c, harness_rank, i);
        c->y[i] = -77;
    }
}

static void reset_exact(void *self, MPI_Comm comm, int turn)
{
    struct exact_call *c = self;
    c->comm = comm;
    c->n = turn % 2 ? 5 + turn % SHAPES : 800 + turn % SHAPES;
    refill_exact(c);
}

static int call_exact(void *self, summand_plan **plan)
{
    struct exact_call *c = self;
    const summand_options options = {.promise = SUMMAND_PROMISE_EXACT};
    if (c->collective == SUMMAND__COLL_REDUCE)
        return plan ? summand_reduce_init(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, 1, c->comm,
                                          &options, plan)
                    : summand_reduce(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, 1, c->comm, &options);
    if (c->collective == SUMMAND__COLL_SCAN)
        return plan ? summand_scan_init(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, c->comm, &options,
                                        plan)
                    : summand_scan(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, c->comm, &options);
    return plan ? summand_allreduce_init(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, c->comm, &options,
                                         plan)
                : summand_allreduce(c->x, c->y, c->n, MPI_DOUBLE, MPI_SUM, c->comm, &options);
}

static int right_exact(void *self)
{
    struct exact_call *c = self;
    const int receives = c->collective != SUMMAND__COLL_REDUCE || harness_rank == 1;
    for (int i = 0; i < c->n; i++) {
        double sum = 0;
        const int scans = c->collective == SUMMAND__COLL_SCAN;
        for (int r = 0; r < (scans ? harness_rank + 1 : harness_ranks); r++)
            sum += exact_term(c, r, i);
        if (c->x[i] != exact_term(c, harness_rank, i) || c->y[i] != (receives ? sum : -77))
            return 0;
    }
    return 1;
}

static void test_exact(enum summand__collective collective)
{
    static struct exact_call c;
    c.collective = collective;
    struct operation o = {.group = "exact",
                          .name = summand__collective_name(collective),
                          .self = &c,
                          .reset = reset_exact,
                          .refill = refill_exact,
                          .call = call_exact,
                          .right = right_exact};
    for (int moment = FIRST_CALL; moment < MOMENTS; moment++)
        refuse(&o, (enum moment)moment, 1);
}

/* Under a setting of rank 0's: on a new communicator, and on a known one. */
static void test_setting(const char *name, const char *value)
{
    if (!harness_rank)
        setenv(name, value, 1);
    refusals_renew();
    for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++) {
        struct collective c = {
            .one = {.s = &subjects[GAPPED], .collective = (enum summand__collective)collective}};
        struct operation o = operation_of(&c, name);
        refuse(&o, NEW_SHAPE, 1);
        if (collective == SUMMAND__COLL_ALLREDUCE)
            refuse(&o, FIRST_CALL, 1);
        drop_buffers(&c);
    }
    if (!harness_rank)
        unsetenv(name);
    refusals_renew();
}

/* More rules than the first allocation holds. */
static void write_tuning(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int rule = 0; rule < 200; rule++)
        fprintf(file, "allreduce * %d-%d %s\n", 4 * rule, 4 * rule + 4,
                rule % 2 ? "binomial" : "ring");
    fclose(file);
}

static void test_tuning(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_memory-%d", (int)getpid());
    if (!harness_rank)
        write_tuning(path);
    test_setting("SUMMAND_TUNING", path);
    if (!harness_rank)
        unlink(path);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    refusals_begin();
    make_subjects(subjects);
    for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++) {
        test_algorithms(collective);
        test_subjects(collective);
        test_checked(collective);
    }
    test_exact(SUMMAND__COLL_ALLREDUCE);
    test_exact(SUMMAND__COLL_REDUCE);
    test_exact(SUMMAND__COLL_SCAN);
    test_setting("SUMMAND_CHECK", "on");
    test_tuning();
    free_subjects(subjects);
    return refusals_end(argc, argv);
}
