/* np: 1 2 3 5 8; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of numbers of 16 bits: every algorithm and collective, blocking and planned, in place,
 * on values whose sums and products are exact and whose extremes are any bits; what is refused, and
 * what user operators see. To the MPI these datatypes are integers, so nothing may reach it. Bits
 * of rounded results: test_slices.c. */
#include <summand.h>

#include "algorithm/call.h"
#include "mpi/harness.h"
#include "mpi/used.h"
#include "unit/combine_oracle.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { MOST = 600, TYPES = 4, OPS = 4 };

static struct type {
    const char *name;
    enum summand__combine_type kernel;
    MPI_Datatype handle;
} types[TYPES] = {{"float16", SUMMAND__COMBINE_F16, MPI_DATATYPE_NULL},
                  {"bfloat16", SUMMAND__COMBINE_BF16, MPI_DATATYPE_NULL},
                  {"the MPI's float16", SUMMAND__COMBINE_F16, MPI_DATATYPE_NULL},
                  {"the MPI's bfloat16", SUMMAND__COMBINE_BF16, MPI_DATATYPE_NULL}};

static void make_types(void)
{
    CHECK(!summand_float16_datatype(&types[0].handle), "float16");
    CHECK(!summand_bfloat16_datatype(&types[1].handle), "bfloat16");
#if defined(MPIX_C_FLOAT16)
    types[2].handle = MPIX_C_FLOAT16;
#endif
#if defined(MPIX_BFLOAT16)
    types[3].handle = MPIX_BFLOAT16;
#endif
}

static MPI_Op op_of(int op)
{
    const MPI_Op ops[OPS] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    return ops[op];
}

/* Small integers, powers of two, or any bits: in any order the result has the same bits. */
static uint16_t contribution(const struct type *type, int op, int rank, size_t i)
{
    uint64_t seed = i * 1000003 + (uint64_t)rank * 7919 + (uint64_t)op;
    const uint64_t random = harness_random(&seed);
    const long double x = op ? ldexpl(random % 2 ? -1 : 1, (int)(random / 2 % 3) - 1)
                             : (long double)(int)(random % 9) - 4;
    return op < 2 ? oracle_to_half(&oracle_types[type->kernel], x) : (uint16_t)random;
}

/* The combination of the first `ranks` ranks. */
static uint16_t combined(const struct type *type, int op, int ranks, size_t i)
{
    static const enum summand__combine_operator kernels[OPS] = {
        SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_PROD, SUMMAND__COMBINE_MIN, SUMMAND__COMBINE_MAX};
    uint16_t result = contribution(type, op, 0, i);
    for (int r = 1; r < ranks; r++) {
        const uint16_t x = contribution(type, op, r, i);
        oracle_combine(kernels[op], type->kernel, (char *)&result, (const char *)&x,
                       (char *)&result);
    }
    return result;
}

struct one {
    const struct type *type;
    int op, form; /* form: 1: MPI_Count, 2: a plan, 4: in place */
    enum summand__collective collective;
    summand_options options;
};

static int counts[16];

#define CALL(name, ...)                                                                            \
    (plan   ? wide ? name##_init_c(__VA_ARGS__, plan) : name##_init(__VA_ARGS__, plan)             \
       : wide ? name##_c(__VA_ARGS__)                                                              \
            : name(__VA_ARGS__))

static int call(const struct one *c, const void *in, void *out, int n, summand_plan **plan)
{
    const MPI_Datatype type = c->type->handle;
    const MPI_Op op = op_of(c->op);
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int wide = c->form & 1, root = harness_ranks - 1;
    switch (c->collective) {
    case SUMMAND__COLL_REDUCE:
        return CALL(summand_reduce, in, out, n, type, op, root, comm, &c->options);
    case SUMMAND__COLL_ALLREDUCE:
        return CALL(summand_allreduce, in, out, n, type, op, comm, &c->options);
    case SUMMAND__COLL_SCAN:
        return CALL(summand_scan, in, out, n, type, op, comm, &c->options);
    case SUMMAND__COLL_EXSCAN:
        return CALL(summand_exscan, in, out, n, type, op, comm, &c->options);
    case SUMMAND__COLL_REDUCE_SCATTER_BLOCK:
        return CALL(summand_reduce_scatter_block, in, out, counts[0], type, op, comm, &c->options);
    default:
        return plan
                   ? summand_reduce_scatter_init(in, out, counts, type, op, comm, &c->options, plan)
                   : summand_reduce_scatter(in, out, counts, type, op, comm, &c->options);
    }
}

/* A plan with separate buffers runs twice. */
static int run(const struct one *c, const void *in, void *out, int n)
{
    summand_plan *plan = NULL;
    if (!(c->form & 2))
        return call(c, in, out, n, NULL);
    int code = call(c, in, out, n, &plan);
    for (int i = 0; i < (c->form & 4 ? 1 : 2) && code == MPI_SUCCESS; i++) {
        code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
    }
    summand_plan_free(&plan);
    return code;
}

static void check(const struct one *c, int n)
{
    uint16_t in[MOST + 1], out[MOST + 1];
    const bool scatters = summand__has_blocks(c->collective);
    const struct summand__call view = {
        .collective = c->collective, .rank = harness_rank, .ranks = harness_ranks};
    const int ranks = summand__call_contributing(&view);
    size_t first = 0, mine = (size_t)n, differ = 0;
    for (int r = 0; r < harness_ranks; r++)
        counts[r] =
            n / harness_ranks +
            (c->collective == SUMMAND__COLL_REDUCE_SCATTER && r == 0 ? n % harness_ranks : 0);
    for (int r = 0; scatters && r < harness_rank; r++)
        first += (size_t)counts[r];
    if (scatters)
        mine = (size_t)counts[harness_rank];
    else if ((c->collective == SUMMAND__COLL_REDUCE && harness_rank != harness_ranks - 1) || !ranks)
        mine = 0;
    const bool in_place = c->form & 4 && (mine || !summand__has_root(c->collective));
    memset(out, 0x5a, sizeof out);
    for (int i = 0; i < n; i++)
        (in_place ? out : in)[i] = contribution(c->type, c->op, harness_rank, (size_t)i);
    const int code = run(c, in_place ? MPI_IN_PLACE : in, out, n);
    for (size_t i = 0; i < mine; i++)
        differ += out[i] != combined(c->type, c->op, ranks, first + i);
    CHECK(code == MPI_SUCCESS && !differ && out[n] == 0x5a5a,
          "%s of %d %s, %s, op %d form %d: code %d, %zu differ",
          summand__collective_name(c->collective), n, c->type->name,
          c->options.algorithm ? c->options.algorithm : "auto", c->op, c->form, code, differ);
}

static bool possible(const struct summand__algorithm *algorithm,
                     enum summand__collective collective)
{
    const struct summand__call shape = {.collective = collective, .ranks = harness_ranks};
    return !algorithm || (algorithm->build[collective] &&
                          (!algorithm->applicable || algorithm->applicable(&shape)));
}

static void test_calls(enum summand__collective collective,
                       const struct summand__algorithm *algorithm)
{
    static const int sizes[] = {0, 1, 37, MOST};
    static int form;
    for (int t = 0; t < TYPES; t++)
        for (int op = 0; op < OPS && types[t].handle != MPI_DATATYPE_NULL; op++)
            for (int s = 0; s < 4; s++) {
                struct one c = {.type = &types[t],
                                .op = op,
                                .form = form++ % 8,
                                .collective = collective,
                                .options = {.algorithm = algorithm ? algorithm->name : NULL,
                                            .segment = s == 3 ? 50 : 0}};
                c.options = only_used(c.options);
                if (!harness_skips())
                    check(&c, sizes[s]);
            }
}

static void test_table(void)
{
    for (int i = 0; i < SUMMAND__MPI_COLLECTIVES; i++) {
        const enum summand__collective collective = (enum summand__collective)i;
        if (!summand__has_operator(collective))
            continue;
        test_calls(collective, NULL);
        for (int a = 0; summand__algorithms[a]; a++)
            if (possible(summand__algorithms[a], collective))
                test_calls(collective, summand__algorithms[a]);
    }
}

/* Elements lie in index order over the ranks; their sums are exact. */
static void test_ordered(const struct type *type)
{
    uint16_t in[MOST], out = 0, want = 0;
    for (size_t i = 0; i < 10; i++)
        in[i] = contribution(type, 0, harness_rank, i);
    const int code = summand_ordered_reduce(in, &out, 10, SUMMAND_DISPLACEMENT_APPEND, type->handle,
                                            MPI_SUM, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    for (size_t i = 0; i < 10; i++) {
        const uint16_t column = combined(type, 0, harness_ranks, i);
        oracle_combine(SUMMAND__COMBINE_SUM, type->kernel, (char *)&want, (const char *)&column,
                       (char *)&want);
    }
    CHECK(code == MPI_SUCCESS && out == want, "%s: code %d, %04x, not %04x", type->name, code, out,
          want);
}

static bool says(int code, int want, const char *words)
{
    int class = MPI_SUCCESS;
    const bool same = code == want || (!MPI_Error_class(code, &class) && class == want);
    return same && strstr(summand_error_text(code), words);
}

/* No other predefined operator, and no datatype that is made of ours. */
static void test_refused(const struct type *type)
{
    const MPI_Op ops[] = {MPI_LAND, MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,
                          MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
    const MPI_Comm comm = MPI_COMM_WORLD;
    uint16_t x[4] = {1, 2, 3, 4}, y[4] = {0};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
        for (int n = 0; n < 2; n++) {
            int code = summand_allreduce(x, y, n, type->handle, ops[o], comm, NULL);
            CHECK(says(code, MPI_ERR_OP, "not MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX"), "%s: '%s'",
                  type->name, summand_error_text(code));
            code = summand_ordered_reduce(x, y, n, SUMMAND_DISPLACEMENT_APPEND, type->handle,
                                          ops[o], SUMMAND_ROOT_ALL, comm, NULL);
            CHECK(says(code, MPI_ERR_OP, "not MPI_SUM"), "ordered: %d", code);
        }
    MPI_Datatype made[3];
    MPI_Type_dup(type->handle, &made[0]);
    MPI_Type_contiguous(2, type->handle, &made[1]);
    MPI_Type_create_resized(type->handle, 0, 4, &made[2]);
    for (int m = 0; m < 3; m++) {
        MPI_Type_commit(&made[m]);
        int code = summand_allreduce(x, y, 1, made[m], MPI_SUM, comm, NULL);
        CHECK(says(code, MPI_ERR_OP, "MPI_SUM"), "%s, made %d: code %d", type->name, m, code);
        MPI_Type_free(&made[m]);
    }
    int code = summand_sum(x, y, 4, type->handle, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(says(code, summand_error_code(SUMMAND_ERR_DATATYPE), "datatype is"), "sum: %d", code);
    code = summand_gossip_allreduce(x, y, 4, type->handle, MPI_SUM, comm, NULL, NULL);
    CHECK(says(code, summand_error_code(SUMMAND_ERR_DATATYPE), "not MPI_DOUBLE or MPI_FLOAT"),
          "gossip: %d", code);
    CHECK(!y[0] && !y[1] && !y[2] && !y[3], "a refused call wrote %04x", y[0]);
}

static MPI_Datatype seen;

static void first_of_two(void *in, void *inout, int *count, MPI_Datatype *type)
{
    seen = *type;
    memcpy(inout, in, (size_t)*count * sizeof(uint16_t));
}

/* It gets the handle itself, from a plan too, so it can tell what the elements are. */
static void test_user_operator(const struct type *type)
{
    const uint16_t own = (uint16_t)harness_rank;
    uint16_t got;
    MPI_Op op;
    summand_plan *plan = NULL;
    MPI_Op_create(first_of_two, 0, &op);
    for (int planned = 0; planned < 2; planned++) {
        seen = type->handle;
        got = 99;
        int code = planned
                       ? summand_allreduce_init(&own, &got, 1, type->handle, op, MPI_COMM_WORLD,
                                                NULL, &plan)
                       : summand_allreduce(&own, &got, 1, type->handle, op, MPI_COMM_WORLD, NULL);
        if (planned && !code && !(code = summand_plan_start(plan)))
            code = summand_plan_wait(plan);
        CHECK(!code && !got && seen == type->handle, "%s: code %d, %d", type->name, code, got);
    }
    summand_plan_free(&plan);
    MPI_Op_free(&op);
}

/* Ranks agree about what is added, and may move the same bits as integers. */
static void test_differing(void)
{
    const MPI_Datatype others[] = {types[1].handle, MPI_UINT16_T};
    const int differs = harness_rank == 0;
    uint16_t x = 1, y[16];
    summand_plan *plan = NULL;
    for (int o = 0; o < 2 && harness_ranks > 1; o++) {
        int code = summand_allreduce_init(&x, y, 1, differs ? others[o] : types[0].handle, MPI_SUM,
                                          MPI_COMM_WORLD, NULL, &plan);
        CHECK(says(code, summand_error_code(SUMMAND_ERR_MISMATCH), "datatype: "), "%d: '%s'", code,
              summand_error_text(code));
        CHECK(strstr(summand_error_text(code), "summand_float16"), "'%s'",
              summand_error_text(code));
    }
    if (types[2].handle != MPI_DATATYPE_NULL) {
        int code = summand_allreduce_init(&x, y, 1, types[differs ? 2 : 0].handle, MPI_SUM,
                                          MPI_COMM_WORLD, NULL, &plan);
        CHECK(code == MPI_SUCCESS, "the MPI's and ours: %d", code);
        summand_plan_free(&plan);
    }
    int code = summand_allgather_init(&x, 1, types[differs].handle, y, 1,
                                      differs ? MPI_UINT16_T : types[0].handle, MPI_COMM_WORLD,
                                      NULL, &plan);
    CHECK(code == MPI_SUCCESS, "moved as integers: %d", code);
    summand_plan_free(&plan);
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    make_types();
    test_table();
    for (int t = 0; t < TYPES; t++)
        if (types[t].handle != MPI_DATATYPE_NULL) {
            test_ordered(&types[t]);
            test_refused(&types[t]);
            test_user_operator(&types[t]);
        }
    test_differing();
}
