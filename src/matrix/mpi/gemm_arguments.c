/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the arguments of a product, and signs them for an agreement. */
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "matrix/activation.h"
#include "matrix/mpi/gemm.h"
#include "plan/agree.h"
#include "plan/options.h"
#include "process/error.h"

struct summand__state *summand__gemm_state(const struct summand__gemm_arguments *arguments)
{
    const struct summand_matrix *matrix = arguments->c   ? arguments->c
                                          : arguments->a ? arguments->a
                                                         : arguments->b;
    return matrix ? matrix->state : NULL;
}

void summand__gemm_entering(const struct summand_matrix *matrix, enum summand_transpose trans,
                            int64_t *rows, int64_t *columns)
{
    *rows = trans ? matrix->grid.columns.extent : matrix->grid.rows.extent;
    *columns = trans ? matrix->grid.rows.extent : matrix->grid.columns.extent;
}

static int refuse_number(const char *name, long long value)
{
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.%s is %lld, not 0 or more", name, value);
}

static int check_options(const summand_gemm_options *options)
{
    if (options->panel < 0)
        return refuse_number("panel", (long long)options->panel);
    if (options->memory < 0)
        return refuse_number("memory", (long long)options->memory);
    if (options->row_bias == MPI_IN_PLACE || options->column_bias == MPI_IN_PLACE)
        return summand__refuse_as(MPI_ERR_BUFFER, "options.%s is MPI_IN_PLACE, not NULL or values",
                                  options->row_bias == MPI_IN_PLACE ? "row_bias" : "column_bias");
    int code = summand__promise_check("options", options->promise, SUMMAND_PROMISE_INDEX);
    if (code == MPI_SUCCESS)
        code = summand__timeout_check("options", options->timeout);
    if (code != MPI_SUCCESS)
        return code;
    if ((int)options->activation < 0 || (int)options->activation >= (int)SUMMAND__ACTIVATIONS)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT,
            "options.activation is %d, not %d (SUMMAND_ACTIVATION_IDENTITY) to %d "
            "(SUMMAND_ACTIVATION_RELU)",
            (int)options->activation, SUMMAND_ACTIVATION_IDENTITY, SUMMAND_ACTIVATION_RELU);
    code =
        summand__algorithm_check_for("options.algorithm", options->algorithm, SUMMAND__COLL_GEMM);
    if (code == MPI_SUCCESS && options->memory && options->algorithm &&
        summand__algorithm_named(options->algorithm)->order)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.memory is %lld, which '%s' does not use: options.panel "
                               "says how large its blocks are",
                               (long long)options->memory, options->algorithm);
    return code;
}

static int check_transpose(const char *name, enum summand_transpose trans)
{
    if (trans == SUMMAND_TRANSPOSE_NO || trans == SUMMAND_TRANSPOSE_YES)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ARGUMENT,
                           "%s is %d, not %d (SUMMAND_TRANSPOSE_NO) or %d (SUMMAND_TRANSPOSE_YES)",
                           name, (int)trans, SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES);
}

/* Checks an operand other than c. */
static int check_operand(const char *name, const struct summand_matrix *operand,
                         const struct summand_matrix *c)
{
    if (operand->state != c->state)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s and c are on different communicators",
                               name);
    if (operand->unit != c->unit)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s has type %s, c has type %s", name,
                               summand__matrix_type(operand), summand__matrix_type(c));
    if (operand == c)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "c is %s", name);
    if (summand__matrices_meet(operand, c))
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "the memory of c overlaps that of %s", name);
    return MPI_SUCCESS;
}

static int check_sizes(const struct summand__gemm_arguments *g)
{
    int64_t rows, inner_a, inner_b, columns;
    const struct summand__grid *c = &g->c->grid;
    summand__gemm_entering(g->a, g->trans_a, &rows, &inner_a);
    summand__gemm_entering(g->b, g->trans_b, &inner_b, &columns);
    if (inner_a == inner_b && rows == c->rows.extent && columns == c->columns.extent)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ARGUMENT,
                           "op(a) is %lld x %lld, op(b) is %lld x %lld, c is %lld x %lld: these do "
                           "not fit together",
                           (long long)rows, (long long)inner_a, (long long)inner_b,
                           (long long)columns, (long long)c->rows.extent,
                           (long long)c->columns.extent);
}

int summand__gemm_check_arguments(const struct summand__gemm_arguments *g)
{
    if (!g->a || !g->b || !g->c)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL, not a matrix",
                               !g->a   ? "a"
                               : !g->b ? "b"
                                       : "c");
    int code = check_transpose("trans_a", g->trans_a);
    if (code == MPI_SUCCESS)
        code = check_transpose("trans_b", g->trans_b);
    if (code == MPI_SUCCESS)
        code = check_operand("a", g->a, g->c);
    if (code == MPI_SUCCESS)
        code = check_operand("b", g->b, g->c);
    if (code == MPI_SUCCESS)
        code = check_sizes(g);
    return code == MPI_SUCCESS ? check_options(&g->options) : code;
}

/* Promises that the call keeps in the same way count as one. */
static enum summand_promise promise_of(const summand_gemm_options *options)
{
    return summand__gemm_any_order(options) ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_INDEX;
}

static void say_options(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_gemm_options *o = argument->of;
    snprintf(text, room, "{%s, %d, %lld, %lld}", summand__promise_name(promise_of(o)), !!o->no_help,
             (long long)o->panel, (long long)o->memory);
}

static void sign(const struct summand__gemm_arguments *g, struct summand__signature *signature)
{
    const summand_gemm_options *o = &g->options;
    int64_t others = summand__sign_mix(summand__sign_mix(promise_of(o), !!o->no_help), o->panel);
    summand__matrix_sign_as(signature, "a", g->a);
    summand__matrix_sign_as(signature, "b", g->b);
    summand__matrix_sign_as(signature, "c", g->c);
    summand__sign_number(signature, "trans_a", g->trans_a);
    summand__sign_number(signature, "trans_b", g->trans_b);
    summand__sign_real(signature, "alpha", g->alpha);
    summand__sign_real(signature, "beta", g->beta);
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_number(signature, "options.activation", o->activation);
    struct summand__argument *rest =
        summand__sign_number(signature, "options.{promise, no_help, panel, memory}",
                             summand__sign_mix(others, o->memory));
    rest->say = say_options;
    rest->of = o;
}

int summand__gemm_agree(const struct summand__gemm_arguments *g, const char *call, int code,
                        int tag, uint64_t number, bool *alike)
{
    struct summand__state *state = summand__gemm_state(g);
    struct summand__signature signature;
    summand__sign_call(&signature, call);
    if (code == MPI_SUCCESS)
        sign(g, &signature);
    code = summand__agree_and_compare(state, code, &signature, (int64_t)number, alike);
    summand__plan_abandon(state, tag);
    return code;
}
