/* What the caller of a product gave: checked, and signed for an agreement. */
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "comm/error.h"
#include "kernel/activation.h"
#include "matrix/mpi/gemm.h"
#include "plan/agree.h"

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

static int refuse(const char *what)
{
    return summand__matrix_refuse(SUMMAND_ERR_ARGUMENT, what);
}

static bool overlap(const struct summand_matrix *a, const struct summand_matrix *b)
{
    if (!a->rows || !a->columns || !b->rows || !b->columns)
        return false;
    const unsigned char *a_end =
        summand__matrix_column(a, a->columns - 1) + (size_t)a->rows * a->unit;
    const unsigned char *b_end =
        summand__matrix_column(b, b->columns - 1) + (size_t)b->rows * b->unit;
    return a->data < b_end && b->data < a_end;
}

static int check_options(const summand_gemm_options *options)
{
    if (options->panel < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.panel is %lld, not 0 or more",
                               (long long)options->panel);
    if (options->memory < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.memory is %lld, not 0 or more",
                               (long long)options->memory);
    if (!(options->timeout >= 0))
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.timeout is %g, not 0 or more",
                               options->timeout);
    if ((int)options->activation < 0 || (int)options->activation >= (int)SUMMAND__ACTIVATIONS)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.activation is %d, not 0 to %d",
                               (int)options->activation, (int)SUMMAND__ACTIVATIONS - 1);
    const struct summand__algorithm *algorithm =
        options->algorithm ? summand__algorithm_named(options->algorithm) : NULL;
    return options->algorithm && !(algorithm && algorithm->build[SUMMAND__COLL_GEMM])
               ? summand_error_code(SUMMAND_ERR_ALGORITHM)
               : MPI_SUCCESS;
}

static int check(const struct summand__gemm_arguments *g)
{
    int64_t rows, inner_a, inner_b, columns;
    if (!g->a || !g->b || !g->c)
        return refuse(!g->a ? "a is NULL" : !g->b ? "b is NULL" : "c is NULL");
    if ((int)g->trans_a < 0 || g->trans_a > SUMMAND_TRANSPOSED || (int)g->trans_b < 0 ||
        g->trans_b > SUMMAND_TRANSPOSED)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "trans_a is %d and trans_b %d, not SUMMAND_PLAIN (%d) or "
                               "SUMMAND_TRANSPOSED (%d)",
                               (int)g->trans_a, (int)g->trans_b, (int)SUMMAND_PLAIN,
                               (int)SUMMAND_TRANSPOSED);
    if (g->a->state != g->c->state || g->b->state != g->c->state)
        return refuse("the matrices are on different communicators");
    if (g->a->unit != g->c->unit || g->b->unit != g->c->unit)
        return refuse("the matrices have different types");
    summand__gemm_entering(g->a, g->trans_a, &rows, &inner_a);
    summand__gemm_entering(g->b, g->trans_b, &inner_b, &columns);
    if (inner_a != inner_b || rows != g->c->grid.rows.extent ||
        columns != g->c->grid.columns.extent)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT,
            "a product of %lld x %lld and %lld x %lld does not fit c, %lld x %lld", (long long)rows,
            (long long)inner_a, (long long)inner_b, (long long)columns,
            (long long)g->c->grid.rows.extent, (long long)g->c->grid.columns.extent);
    if (g->c == g->a || g->c == g->b || overlap(g->c, g->a) || overlap(g->c, g->b))
        return refuse("C overlaps the memory of A or B");
    return check_options(&g->options);
}

static void say_options(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_gemm_options *o = argument->of;
    snprintf(text, room, "{%d, %d, %lld, %lld}", !!o->any_order, !!o->no_help, (long long)o->panel,
             (long long)o->memory);
}

static void sign(const struct summand__gemm_arguments *g, struct summand__signature *signature)
{
    const summand_gemm_options *o = &g->options;
    int64_t others = summand__sign_mix(summand__sign_mix(!!o->any_order, !!o->no_help), o->panel);
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
        summand__sign_number(signature, "options.{any_order, no_help, panel, memory}",
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
        code = check(g);
    if (code == MPI_SUCCESS)
        sign(g, &signature);
    code = summand__agree_and_compare(state, code, &signature, (int64_t)number, alike);
    summand__plan_abandon(state, tag);
    return code;
}
