/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's arguments: checks, description, comparison. */
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "base/extent.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "outer/mpi/choice.h"
#include "plan/options.h"
#include "process/error.h"

enum summand__outer_type summand__outer_type_of(MPI_Datatype datatype)
{
    switch (summand__datatype_kernel(datatype)) {
    case SUMMAND__COMBINE_F64:
        return SUMMAND__OUTER_F64;
    case SUMMAND__COMBINE_F32:
        return SUMMAND__OUTER_F32;
    case SUMMAND__COMBINE_F16:
        return SUMMAND__OUTER_F16;
    case SUMMAND__COMBINE_BF16:
        return SUMMAND__OUTER_BF16;
    default:
        return SUMMAND__OUTER_TYPES;
    }
}

struct summand__outer_block summand__outer_part_of(const struct summand__outer_arguments *arguments,
                                                   int matrix, int rank, int ranks)
{
    const summand_outer_options *options = &arguments->options;
    struct summand__outer_shape shape = {.result = arguments->result,
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
    return summand__outer_block_of(&shape, &layer, rank, arguments->root, ranks);
}

size_t summand__outer_pairs_of(const struct summand__outer_arguments *arguments, int m)
{
    return (size_t)(arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX ? arguments->matrices[m].pairs
                                                                      : arguments->pairs);
}

#define REFUSE(...) summand__refuse(SUMMAND_ERR_ARGUMENT, __VA_ARGS__)

static int check_range(const char *name, int value, int least, const char *least_name, int most,
                       const char *most_name)
{
    return value >= least && value <= most ? MPI_SUCCESS
                                           : REFUSE("%s is %d, not %d (%s) to %d (%s)", name, value,
                                                    least, least_name, most, most_name);
}

static int check_grid(const summand_outer_options *o, int ranks)
{
    if (!o->grid_rows && !o->grid_columns)
        return MPI_SUCCESS;
    if (o->grid_rows < 1 || o->grid_columns < 1 || o->grid_rows > ranks ||
        o->grid_columns > ranks / o->grid_rows)
        return REFUSE("options.grid_rows x options.grid_columns is %d x %d, not 0 x 0, or 1 or "
                      "more each and at most the %d ranks together",
                      o->grid_rows, o->grid_columns, ranks);
    return MPI_SUCCESS;
}

static int check_datatype(const struct summand__outer_arguments *arguments)
{
    char name[SUMMAND__TYPE_NAME];
    if (arguments->datatype == MPI_DATATYPE_NULL)
        return summand__refuse_as(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
    if (arguments->type != SUMMAND__OUTER_TYPES)
        return MPI_SUCCESS;
    summand__datatype_name(arguments->datatype, name, sizeof name);
    return summand__refuse(SUMMAND_ERR_DATATYPE,
                           "datatype is %s, not MPI_DOUBLE, MPI_FLOAT, or that of "
                           "summand_float16_datatype or summand_bfloat16_datatype",
                           name);
}

static int check_root(const struct summand__outer_arguments *arguments, int ranks)
{
    static const char *const names[] = {"SUMMAND_OUTER_WHOLE", "SUMMAND_OUTER_ROWS",
                                        "SUMMAND_OUTER_BLOCKS", "SUMMAND_OUTER_FACTORS"};
    const int root = arguments->root;
    const enum summand_outer_result result = arguments->options.result;
    if (root == SUMMAND_ROOT_ALL)
        return MPI_SUCCESS;
    if (result != SUMMAND_OUTER_WHOLE)
        return summand__refuse_as(MPI_ERR_ROOT,
                                  "root is %d, not SUMMAND_ROOT_ALL, with options.result %s", root,
                                  names[result]);
    return root >= 0 && root < ranks
               ? MPI_SUCCESS
               : summand__refuse_as(MPI_ERR_ROOT, "root is %d, not 0 to %d, or SUMMAND_ROOT_ALL",
                                    root, ranks - 1);
}

/* The call has its own promise and timeout. */
static int check_inside(const summand_options *inside)
{
    if (inside->promise)
        return REFUSE("options.inside.promise is %d, not 0: options.promise is the call's",
                      (int)inside->promise);
    if (inside->timeout != 0)
        return REFUSE("options.inside.timeout is %g, not 0: options.timeout is the call's",
                      inside->timeout);
    if (inside->check)
        return REFUSE("options.inside.check is %d, not 0: one-sided data are not checked",
                      (int)inside->check);
    return summand__options_check("options.inside", inside, SUMMAND_PROMISE_SAME);
}

static int check_options(const struct summand__outer_arguments *arguments, int ranks)
{
    const summand_outer_options *o = &arguments->options;
    int code = check_datatype(arguments);
    if (code == MPI_SUCCESS)
        code = check_range("options.result", (int)o->result, SUMMAND_OUTER_WHOLE,
                           "SUMMAND_OUTER_WHOLE", SUMMAND_OUTER_FACTORS, "SUMMAND_OUTER_FACTORS");
    if (code == MPI_SUCCESS)
        code = check_root(arguments, ranks);
    if (code == MPI_SUCCESS)
        code = summand__promise_check("options", o->promise, SUMMAND_PROMISE_INDEX);
    if (code == MPI_SUCCESS)
        code = summand__timeout_check("options", o->timeout);
    if (code != MPI_SUCCESS)
        return code;
    if (o->room < 0)
        return REFUSE("options.room is %lld, not 0 or more", (long long)o->room);
    code = check_grid(o, ranks);
    if (code != MPI_SUCCESS)
        return code;
    if (o->tile && arguments->beta != 0)
        return REFUSE("beta is %g, not 0, with options.tile", arguments->beta);
    if (o->tile && o->result == SUMMAND_OUTER_FACTORS)
        return REFUSE("options.tile is given with options.result SUMMAND_OUTER_FACTORS, which has "
                      "no tiles");
    code = check_inside(&o->inside);
    return code == MPI_SUCCESS ? summand__outer_check_names(o) : code;
}

static int check_shape(const summand_outer_matrix *m, int number)
{
    static const MPI_Count most = (MPI_Count)1 << 60;
    const bool rows = m->rows < 0 || m->rows > most;
    if (rows || m->columns < 0 || m->columns > most)
        return summand__refuse_as(MPI_ERR_COUNT, "matrices[%d].%s is %lld, not 0 to 2^60", number,
                                  rows ? "rows" : "columns",
                                  (long long)(rows ? m->rows : m->columns));
    if (m->lead_a && m->lead_a < m->rows)
        return REFUSE("matrices[%d].lead_a is %lld, not 0, or %lld (rows) or more", number,
                      (long long)m->lead_a, (long long)m->rows);
    if (!m->symmetric && m->lead_b && m->lead_b < m->columns)
        return REFUSE("matrices[%d].lead_b is %lld, not 0, or %lld (columns) or more", number,
                      (long long)m->lead_b, (long long)m->columns);
    if (m->lead_g < 0)
        return REFUSE("matrices[%d].lead_g is %lld, not 0 or more", number, (long long)m->lead_g);
    if (m->symmetric && m->rows != m->columns)
        return REFUSE("matrices[%d] is symmetric, but rows are %lld and columns %lld", number,
                      (long long)m->rows, (long long)m->columns);
    return MPI_SUCCESS;
}

/* A list of a matrix. */
struct checked {
    const summand_outer_list *list;
    int matrix;
    const char *name;
    MPI_Count pairs, width; /* indices are below `width` */
    const char *width_name;
};

/* The elements of a pair. */
static int check_pair(const struct checked *c, MPI_Count k)
{
    static const MPI_Count most = PTRDIFF_MAX / (MPI_Count)sizeof(double);
    const summand_outer_list *list = c->list;
    const MPI_Count begin = list->begin[k], end = list->begin[k + 1];
    if (end < begin || end > most)
        return REFUSE("matrices[%d].%s->begin[%lld] is %lld, not %lld (the one before) to %lld",
                      c->matrix, c->name, (long long)k + 1, (long long)end, (long long)begin,
                      (long long)most);
    const bool no_index = summand__no_buffer(list->index);
    if (end > begin && (no_index || summand__no_buffer(list->value)))
        return summand__refuse_as(
            MPI_ERR_BUFFER, "matrices[%d].%s->%s is %s, with %lld elements in pair %lld", c->matrix,
            c->name, no_index ? "index" : "value",
            summand__no_buffer_name(no_index ? (const void *)list->index : list->value),
            (long long)(end - begin), (long long)k);
    for (MPI_Count e = begin; e < end; e++)
        if (list->index[e] >= c->width)
            return REFUSE("matrices[%d].%s->index[%lld] is %u, not below %lld (%s)", c->matrix,
                          c->name, (long long)e, (unsigned)list->index[e], (long long)c->width,
                          c->width_name);
        else if (e > begin && list->index[e] < list->index[e - 1])
            return REFUSE("matrices[%d].%s->index[%lld] is %u, not %u (the one before in pair "
                          "%lld) or more",
                          c->matrix, c->name, (long long)e, (unsigned)list->index[e],
                          (unsigned)list->index[e - 1], (long long)k);
    return MPI_SUCCESS;
}

static int check_list(const struct checked *c)
{
    int code = MPI_SUCCESS;
    if (!c->list)
        return MPI_SUCCESS;
    if (summand__no_buffer(c->list->begin))
        return c->pairs
                   ? summand__refuse_as(
                         MPI_ERR_BUFFER, "matrices[%d].%s->begin is %s, with %lld pairs", c->matrix,
                         c->name, summand__no_buffer_name(c->list->begin), (long long)c->pairs)
                   : MPI_SUCCESS;
    if (c->list->begin[0])
        return REFUSE("matrices[%d].%s->begin[0] is %lld, not 0", c->matrix, c->name,
                      (long long)c->list->begin[0]);
    for (MPI_Count k = 0; k < c->pairs && code == MPI_SUCCESS; k++)
        code = check_pair(c, k);
    return code;
}

static int check_compressed(const struct summand__outer_arguments *arguments, int number)
{
    const summand_outer_matrix *m = &arguments->matrices[number];
    if (!m->compressed)
        return MPI_SUCCESS;
    if (!m->list_a && !m->list_b)
        return REFUSE("matrices[%d].compressed is given, but neither list_a nor list_b", number);
    if (arguments->options.tile)
        return REFUSE("matrices[%d].compressed is given together with options.tile", number);
    if (arguments->beta != 0)
        return REFUSE("beta is %g, not 0, with matrices[%d].compressed", arguments->beta, number);
    if (m->compressed->room < 0)
        return REFUSE("matrices[%d].compressed->room is %lld, not 0 or more", number,
                      (long long)m->compressed->room);
    return MPI_SUCCESS;
}

static int check_lists(const struct summand__outer_arguments *arguments, int number)
{
    const summand_outer_matrix *m = &arguments->matrices[number];
    const MPI_Count pairs = (MPI_Count)summand__outer_pairs_of(arguments, number);
    const struct checked a = {m->list_a, number, "list_a", pairs, m->rows, "rows"};
    const struct checked b = {m->list_b, number, "list_b", pairs, m->columns, "columns"};
    const char *const name = m->list_a ? "list_a" : "list_b";
    const bool rows = m->rows > UINT32_MAX;
    int code = check_compressed(arguments, number);
    if (code != MPI_SUCCESS || (!m->list_a && !m->list_b))
        return code;
    if (arguments->options.result == SUMMAND_OUTER_FACTORS)
        return REFUSE("matrices[%d].%s is given with options.result SUMMAND_OUTER_FACTORS, which "
                      "has no lists",
                      number, name);
    if (rows || m->columns > UINT32_MAX)
        return REFUSE("matrices[%d].%s is %lld, not below 2^32, with %s", number,
                      rows ? "rows" : "columns", (long long)(rows ? m->rows : m->columns), name);
    if (m->symmetric && m->list_b)
        return REFUSE("matrices[%d].list_b is given, but the matrix is symmetric: b is a", number);
    code = check_list(&a);
    return code == MPI_SUCCESS ? check_list(&b) : code;
}

static int check_span(const char *name, int matrix, MPI_Count lines, MPI_Count stride,
                      MPI_Count line, size_t unit)
{
    if (summand__span(lines, stride ? stride : line, line, unit) >= 0)
        return MPI_SUCCESS;
    return REFUSE("matrices[%d].%s: no array has %lld rows of %lld elements, %lld apart", matrix,
                  name, (long long)lines, (long long)line, (long long)(stride ? stride : line));
}

/* Checks the spans of the factors, and of any rank's part. */
static int check_spans(const struct summand__outer_arguments *arguments, int matrix)
{
    const summand_outer_matrix *m = &arguments->matrices[matrix];
    const MPI_Count pairs = (MPI_Count)summand__outer_pairs_of(arguments, matrix);
    const enum summand__outer_type type = arguments->type;
    const size_t in = summand__outer_factor_size(type), out = summand__outer_result_size(type);
    const bool factors = arguments->options.result == SUMMAND_OUTER_FACTORS;
    int code = m->list_a ? MPI_SUCCESS : check_span("a", matrix, pairs, m->lead_a, m->rows, in);
    if (code == MPI_SUCCESS && !m->symmetric && !m->list_b)
        code = check_span("b", matrix, pairs, m->lead_b, m->columns, in);
    if (code == MPI_SUCCESS && factors)
        code = check_span("g", matrix, arguments->options.room, m->lead_g,
                          m->rows + (m->symmetric ? 0 : m->columns), in);
    else if (code == MPI_SUCCESS && !m->compressed)
        code = check_span("g", matrix, m->rows, 0, m->columns, out);
    return code;
}

int summand__outer_check(const struct summand__outer_arguments *arguments, int ranks)
{
    const bool own = arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX;
    if (arguments->pairs < 0 && !own)
        return summand__refuse_as(MPI_ERR_COUNT,
                                  "pairs is %lld, not 0 or more, or SUMMAND_OUTER_PAIRS_OF_MATRIX",
                                  (long long)arguments->pairs);
    if (arguments->n < 0 || arguments->n > SUMMAND__OUTER_LAYERS)
        return summand__refuse_as(MPI_ERR_COUNT, "n is %d, not 0 to %d", arguments->n,
                                  SUMMAND__OUTER_LAYERS);
    if (arguments->n && !arguments->matrices)
        return summand__refuse_as(MPI_ERR_BUFFER, "matrices is NULL, with n %d", arguments->n);
    int code = check_options(arguments, ranks);
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        if (own && matrix->pairs < 0)
            return summand__refuse_as(MPI_ERR_COUNT, "matrices[%d].pairs is %lld, not 0 or more", m,
                                      (long long)matrix->pairs);
        code = check_shape(matrix, m);
        if (code == MPI_SUCCESS)
            code = check_lists(arguments, m);
        if (code == MPI_SUCCESS)
            code = check_spans(arguments, m);
    }
    return code;
}

void summand__outer_describe(const void *what, char *text, size_t room)
{
    const struct summand__outer_arguments *arguments = what;
    const summand_outer_matrix *m = arguments->matrices;
    size_t pairs = 0;
    for (int i = 0; i < arguments->n; i++)
        pairs += summand__outer_pairs_of(arguments, i);
    if (arguments->n == 1)
        snprintf(text, room, "%lld x %lld, %zu pairs of this rank", (long long)m->rows,
                 (long long)m->columns, pairs);
    else
        snprintf(text, room, "%d matrices, %zu pairs of this rank in all", arguments->n, pairs);
}

/* The library's own copy of an algorithm's name, or NULL. */
static const char *own_name(const char *name)
{
    return name ? summand__algorithm_named(name)->name : NULL;
}

void summand__outer_keep_names(summand_outer_options *options)
{
    options->algorithm = own_name(options->algorithm);
    options->inside.algorithm = own_name(options->inside.algorithm);
}

/* Compares all bits: -0 gives other results than 0, and NaN equals neither. */
static bool same_real(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static bool same_options(const summand_outer_options *a, const summand_outer_options *b)
{
    const summand_options *i = &a->inside, *j = &b->inside;
    return a->result == b->result && a->grid_rows == b->grid_rows &&
           a->grid_columns == b->grid_columns && !a->replicated == !b->replicated &&
           summand__outer_any_order(a) == summand__outer_any_order(b) &&
           summand__outer_any_bits(a) == summand__outer_any_bits(b) &&
           !a->finished == !b->finished && !a->tile == !b->tile &&
           own_name(a->algorithm) == own_name(b->algorithm) &&
           own_name(i->algorithm) == own_name(j->algorithm) && i->segment == j->segment &&
           i->radix == j->radix && i->node_size == j->node_size && i->leaders == j->leaders &&
           i->radix_between == j->radix_between;
}

static bool same_matrix(const summand_outer_matrix *a, const summand_outer_matrix *b)
{
    return a->rows == b->rows && a->columns == b->columns && a->lead_a == b->lead_a &&
           a->lead_b == b->lead_b && a->lead_g == b->lead_g && !a->symmetric == !b->symmetric &&
           a->pairs == b->pairs && !a->list_a == !b->list_a && !a->list_b == !b->list_b &&
           !a->compressed == !b->compressed;
}

bool summand__outer_same(const struct summand__outer_arguments *a,
                         const struct summand__outer_arguments *b)
{
    bool same = a->type == b->type && a->n == b->n && a->root == b->root && a->pairs == b->pairs &&
                same_real(a->alpha, b->alpha) && same_real(a->beta, b->beta) &&
                same_options(&a->options, &b->options);
    for (int m = 0; same && m < a->n; m++)
        same = same_matrix(&a->matrices[m], &b->matrices[m]);
    return same;
}
