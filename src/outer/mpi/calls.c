/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_outer and its plan, as a kind of calls. */
#include "kernel/fpenv_call.h"
#include "outer/mpi/outer.h"
#include "plan/call.h"
#include "process/error.h"

/* A call's arguments, and the ranks' data about each other. */
struct asked {
    struct summand__outer_arguments arguments;
    struct summand__outer_known known;
};

summand_outer_options summand_outer_options_default(void)
{
    return (summand_outer_options){.algorithm = NULL};
}

static struct summand__outer_arguments arguments_of(MPI_Count pairs, int n, double alpha,
                                                    const summand_outer_matrix *matrices,
                                                    double beta, MPI_Datatype datatype, int root,
                                                    const summand_outer_options *options)
{
    static const enum summand__outer_result results[] = {
        [SUMMAND_OUTER_WHOLE] = SUMMAND__OUTER_ALL,
        [SUMMAND_OUTER_ROWS] = SUMMAND__OUTER_ROWS,
        [SUMMAND_OUTER_BLOCKS] = SUMMAND__OUTER_BLOCKS,
        [SUMMAND_OUTER_FACTORS] = SUMMAND__OUTER_FACTORS};
    struct summand__outer_arguments arguments = {
        .datatype = datatype,
        .type = summand__outer_type_of(datatype),
        .pairs = pairs,
        .n = n,
        .alpha = alpha,
        .beta = beta,
        .matrices = matrices,
        .root = root,
        .options = options ? *options : summand_outer_options_default()};
    const size_t result = (size_t)arguments.options.result;
    if (result < sizeof results / sizeof *results) /* else: refused */
        arguments.result = results[result];
    if (result == SUMMAND_OUTER_WHOLE && root != SUMMAND_ROOT_ALL)
        arguments.result = SUMMAND__OUTER_ROOT;
    return arguments;
}

static bool same(const void *work, const void *asked)
{
    return summand__outer_serves(work, &((const struct asked *)asked)->arguments, NULL);
}

/* Checks all that this rank can know alone, so its error does not depend on other ranks. */
static int check(struct summand__plan_call *call)
{
    const struct asked *asked = call->asked;
    const struct summand__outer_arguments *arguments = &asked->arguments;
    struct summand__state *state = call->state;
    int code = summand__outer_check(arguments, state->ranks);
    if (code == MPI_SUCCESS)
        code = summand__outer_check_buffers(arguments, state->rank, state->ranks);
    if (code != MPI_SUCCESS || !arguments->options.algorithm)
        return code;
    struct summand__plan_cache *cache = summand__plan_cache_of(state, call->kind);
    return cache && summand__plan_cache_find(cache, same, asked)
               ? MPI_SUCCESS
               : summand__outer_check_algorithm(arguments, state);
}

static void sign(const struct summand__plan_call *call, struct summand__signature *signature)
{
    summand__outer_sign(&((const struct asked *)call->asked)->arguments, signature, call->name);
}

static void describe(const void *asked, char *text, size_t room)
{
    summand__outer_describe(&((const struct asked *)asked)->arguments, text, room);
}

/* A rank with an error of its own aborts this exchange to tell the others. */
static int meet(struct summand__plan_call *call, int code)
{
    struct asked *asked = call->asked;
    if (code != MPI_SUCCESS)
        return code;
    code =
        summand__outer_meet(call->state, call->tag, &asked->arguments, call->name, &asked->known);
    call->told = summand_error_of(code) == SUMMAND_ERR_MISMATCH;
    return code;
}

static bool serves(const void *work, const void *wanted)
{
    const struct asked *asked = wanted;
    return summand__outer_serves(work, &asked->arguments, &asked->known);
}

static int rebind(const struct summand__plan_call *call, summand_plan *plan)
{
    summand__outer_rebind(plan, &((const struct asked *)call->asked)->arguments);
    return MPI_SUCCESS;
}

static int make(struct summand__plan_call *call, int code, summand_plan **plan)
{
    struct asked *asked = call->asked;
    code = summand__outer_plan(call->state, &asked->arguments, &asked->known, call->tag, plan);
    call->told = summand__outer_all_refuse(code);
    return code;
}

static const struct summand__call_kind kind = {.check = check,
                                               .sign = sign,
                                               .describe = describe,
                                               .meet = meet,
                                               .serves = serves,
                                               .rebind = rebind,
                                               .make = make};

static struct summand__plan_call call_of(struct asked *asked, const char *name)
{
    return (struct summand__plan_call){.kind = &kind,
                                       .name = name,
                                       .entered = SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLL_OUTER,
                                       .timeout = asked->arguments.options.timeout,
                                       .asked = asked};
}

int summand_outer(MPI_Count pairs, int n, double alpha, const summand_outer_matrix *matrices,
                  double beta, MPI_Datatype datatype, int root, MPI_Comm comm,
                  const summand_outer_options *options)
{
    struct asked asked = {
        .arguments = arguments_of(pairs, n, alpha, matrices, beta, datatype, root, options)};
    struct summand__plan_call call = call_of(&asked, "summand_outer");
    int code = summand__call_run(&call, comm);
    summand__outer_forget(&asked.known);
    return code;
}

int summand_outer_init(MPI_Count pairs, int n, double alpha, const summand_outer_matrix *matrices,
                       double beta, MPI_Datatype datatype, int root, MPI_Comm comm,
                       const summand_outer_options *options, summand_plan **plan)
{
    struct asked asked = {
        .arguments = arguments_of(pairs, n, alpha, matrices, beta, datatype, root, options)};
    struct summand__plan_call call = call_of(&asked, "summand_outer_init");
    int code = summand__call_init(&call, comm, plan);
    summand__outer_forget(&asked.known);
    return code;
}

static int check_place(int n, const summand_outer_matrix *matrices, int matrix, int rank, int ranks)
{
    if (n < 1 || n > SUMMAND__OUTER_LAYERS)
        return summand__refuse_as(MPI_ERR_COUNT, "n is %d, not 1 to %d", n, SUMMAND__OUTER_LAYERS);
    if (!matrices)
        return summand__refuse_as(MPI_ERR_BUFFER, "matrices is NULL, with n %d", n);
    if (matrix < 0 || matrix >= n)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "matrix is %d, not 0 to %d", matrix, n - 1);
    if (rank < 0 || rank >= ranks)
        return summand__refuse_as(MPI_ERR_RANK, "rank is %d, not at least 0 and below ranks, %d",
                                  rank, ranks);
    return MPI_SUCCESS;
}

int summand_outer_part_of(int n, const summand_outer_matrix *matrices, int matrix, int root,
                          int rank, int ranks, const summand_outer_options *options,
                          summand_outer_part *part)
{
    SUMMAND__IN_DEFAULT_FPENV;
    summand_outer_matrix sizes[SUMMAND__OUTER_LAYERS];
    int code = check_place(n, matrices, matrix, rank, ranks);
    if (code == MPI_SUCCESS && !part)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "part is NULL");
    if (code != MPI_SUCCESS)
        return summand__keep_words(code);
    for (int m = 0; m < n; m++)
        sizes[m] = (summand_outer_matrix){.rows = matrices[m].rows, .columns = matrices[m].columns};
    struct summand__outer_arguments arguments =
        arguments_of(0, n, 1, sizes, options && options->replicated, MPI_DOUBLE, root, options);
    arguments.options.tile = NULL;
    code = summand__outer_check(&arguments, ranks);
    if (code != MPI_SUCCESS)
        return summand__keep_words(code);
    struct summand__outer_block block = summand__outer_part_of(&arguments, matrix, rank, ranks);
    *part = (summand_outer_part){(MPI_Count)block.row, (MPI_Count)block.rows,
                                 (MPI_Count)block.column, (MPI_Count)block.columns};
    return MPI_SUCCESS;
}
