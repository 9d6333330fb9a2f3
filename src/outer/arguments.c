/* What the caller gave: checked, signed, described, compared. */
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "comm/error.h"
#include "outer/outer.h"

static enum summand__outer_result result_of(const struct summand__outer_arguments *arguments)
{
    return (enum summand__outer_result)arguments->options.result;
}

struct summand__outer_block summand__outer_part_of(const struct summand__outer_arguments *arguments,
                                                   int matrix, int rank, int ranks)
{
    const summand_outer_options *options = &arguments->options;
    struct summand__outer_shape shape = {.result = result_of(arguments),
                                         .grid_rows = options->grid_rows,
                                         .grid_columns = options->grid_columns};
    size_t rows = 0, columns = 0;
    for (int m = 0; m < arguments->n; m++) {
        rows += (size_t)arguments->matrices[m].rows;
        columns += (size_t)arguments->matrices[m].columns;
    }
    if (shape.result == SUMMAND__OUTER_BLOCKS && !shape.grid_rows)
        summand__outer_grid(rows, columns, ranks, &shape.grid_rows, &shape.grid_columns);
    const struct summand__outer_layer layer = {.rows = (size_t)arguments->matrices[matrix].rows,
                                               .columns =
                                                   (size_t)arguments->matrices[matrix].columns};
    return summand__outer_block_of(&shape, &layer, rank, options->root, ranks);
}

static int argument_error(void)
{
    return summand_error_code(SUMMAND_ERR_ARGUMENT);
}

static int check_options(const struct summand__outer_arguments *arguments, int ranks)
{
    const summand_outer_options *o = &arguments->options;
    const summand_options *inside = &o->inside;
    bool grid = o->grid_rows || o->grid_columns;
    if ((int)o->result < 0 || o->result > SUMMAND_OUTER_FACTORS || (int)arguments->type < 0 ||
        arguments->type > SUMMAND_OUTER_F16 || o->room < 0)
        return argument_error();
    if (o->result == SUMMAND_OUTER_ROOT && (o->root < 0 || o->root >= ranks))
        return MPI_ERR_ROOT;
    if (grid && (o->grid_rows < 1 || o->grid_columns < 1 || o->grid_rows > ranks ||
                 o->grid_columns > ranks / o->grid_rows))
        return argument_error();
    if (inside->segment < 0 || inside->radix < 0 || inside->node_size < 0 || inside->leaders < 0 ||
        inside->radix_between < 0 || !(inside->timeout >= 0))
        return argument_error();
    if ((o->algorithm && !summand__algorithm_named(o->algorithm)) ||
        (inside->algorithm && !summand__algorithm_named(inside->algorithm)))
        return summand_error_code(SUMMAND_ERR_ALGORITHM);
    return MPI_SUCCESS;
}

static int check_shape(const summand_outer_matrix *m)
{
    enum { MOST = 1 << 30 };
    if (m->rows < 0 || m->columns < 0 || m->rows > (MPI_Count)MOST * MOST ||
        m->columns > (MPI_Count)MOST * MOST)
        return MPI_ERR_COUNT;
    bool short_row = (m->lda && m->lda < m->rows) ||
                     (!m->symmetric && m->ldb && m->ldb < m->columns) || m->ldg < 0;
    return short_row || (m->symmetric && m->rows != m->columns) ? argument_error() : MPI_SUCCESS;
}

static int check_buffers(const struct summand__outer_arguments *arguments, int matrix, int rank,
                         int ranks)
{
    const summand_outer_matrix *m = &arguments->matrices[matrix];
    struct summand__outer_block block = summand__outer_part_of(arguments, matrix, rank, ranks);
    bool factors = result_of(arguments) == SUMMAND__OUTER_FACTORS;
    MPI_Count width =
        factors ? m->rows + (m->symmetric ? 0 : m->columns) : (MPI_Count)block.columns;
    if (m->ldg && m->ldg < width)
        return argument_error();
    bool a = arguments->pairs && m->rows, b = arguments->pairs && m->columns && !m->symmetric;
    bool g = factors ? arguments->options.room && width : block.rows && block.columns;
    return (a && !m->a) || (b && !m->b) || (g && !m->g) || (g && (m->g == m->a || m->g == m->b))
               ? MPI_ERR_BUFFER
               : MPI_SUCCESS;
}

int summand__outer_check(const struct summand__outer_arguments *arguments, int ranks)
{
    if (arguments->pairs < 0)
        return MPI_ERR_COUNT;
    if (arguments->n < 0 || arguments->n > SUMMAND__OUTER_LAYERS ||
        (arguments->n && !arguments->matrices))
        return argument_error();
    int code = check_options(arguments, ranks);
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++)
        code = check_shape(&arguments->matrices[m]);
    return code;
}

int summand__outer_check_buffers(const struct summand__outer_arguments *arguments, int rank,
                                 int ranks)
{
    int code = MPI_SUCCESS;
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++)
        code = check_buffers(arguments, m, rank, ranks);
    return code;
}

/* The first ones, as far as there is room: "16 x 12; 8 x 8, symmetric". */
static void say_shapes(const struct summand__argument *argument, char *text, size_t room)
{
    const struct summand__outer_arguments *arguments = argument->of;
    size_t used = 0;
    snprintf(text, room, "none");
    for (int m = 0; m < arguments->n && used < room; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        int written = snprintf(text + used, room - used, "%s%lld x %lld%s", m ? "; " : "",
                               (long long)matrix->rows, (long long)matrix->columns,
                               matrix->symmetric ? ", symmetric" : "");
        used += (size_t)(written > 0 ? written : 0);
    }
}

static void say_grid(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_outer_options *o = argument->of;
    snprintf(text, room, "%d x %d", o->grid_rows, o->grid_columns);
}

static void say_order(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const words[] = {"neither", "any_order", "replicated", "both"};
    snprintf(text, room, "%s", words[argument->value]);
}

/* In the order of the structure, from `segment` on. */
static void say_inside(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_options *i = argument->of;
    snprintf(text, room, "{%lld, %d, %d, %d, %d}", (long long)i->segment, i->radix, i->node_size,
             i->leaders, i->radix_between);
}

static void sign_said(struct summand__signature *signature, const char *name, int64_t value,
                      void (*say)(const struct summand__argument *, char *, size_t), const void *of)
{
    struct summand__argument *argument = summand__sign_number(signature, name, value);
    argument->say = say;
    argument->of = of;
}

void summand__outer_sign(const struct summand__outer_arguments *arguments,
                         struct summand__signature *signature, const char *call)
{
    const summand_outer_options *o = &arguments->options;
    const summand_options *i = &o->inside;
    int64_t shapes = 0, parameters = 0;
    for (int m = 0; m < arguments->n; m++) {
        shapes = summand__sign_mix(shapes, arguments->matrices[m].rows);
        shapes = summand__sign_mix(shapes, arguments->matrices[m].columns);
        shapes = summand__sign_mix(shapes, !!arguments->matrices[m].symmetric);
    }
    parameters = summand__sign_mix(parameters, i->segment);
    parameters = summand__sign_mix(parameters, i->radix);
    parameters = summand__sign_mix(parameters, i->node_size);
    parameters = summand__sign_mix(parameters, i->leaders);
    parameters = summand__sign_mix(parameters, i->radix_between);
    summand__sign_call(signature, call);
    summand__sign_number(signature, "type", arguments->type);
    summand__sign_number(signature, "n", arguments->n);
    sign_said(signature, "rows and columns of the matrices", shapes, say_shapes, arguments);
    summand__sign_number(signature, "options.result", o->result);
    summand__sign_number(signature, "options.root", o->result == SUMMAND_OUTER_ROOT ? o->root : 0);
    sign_said(signature, "options.grid_rows x grid_columns",
              summand__sign_mix(o->grid_rows, o->grid_columns), say_grid, o);
    summand__sign_real(signature, "options.alpha", o->alpha);
    summand__sign_real(signature, "options.beta", o->beta);
    sign_said(signature, "options.replicated, options.any_order",
              2 * !!o->replicated + !!o->any_order, say_order, NULL);
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.inside.algorithm", i->algorithm);
    sign_said(signature, "options.inside.{segment, radix, node_size, leaders, radix_between}",
              parameters, say_inside, i);
}

void summand__outer_describe(const void *what, char *text, size_t room)
{
    const struct summand__outer_arguments *arguments = what;
    const summand_outer_matrix *m = arguments->matrices;
    if (arguments->n == 1)
        snprintf(text, room, "%lld x %lld, %lld pairs of this rank", (long long)m->rows,
                 (long long)m->columns, (long long)arguments->pairs);
    else
        snprintf(text, room, "%d matrices, %lld pairs of this rank", arguments->n,
                 (long long)arguments->pairs);
}
