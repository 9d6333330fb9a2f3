/* The caller's arguments: checks, signature, description, comparison. */
#include <stdio.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "base/extent.h"
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

size_t summand__outer_pairs_of(const struct summand__outer_arguments *arguments, int m)
{
    return (size_t)(arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX ? arguments->matrices[m].pairs
                                                                      : arguments->pairs);
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
    if (o->tile && (o->beta != 0 || o->result == SUMMAND_OUTER_FACTORS))
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

/* Of `count` pairs; indices below `width`. */
static bool is_list(const summand_outer_list *list, MPI_Count count, MPI_Count width)
{
    if (!list->begin || list->begin[0])
        return !list->begin && !count;
    for (MPI_Count k = 0; k < count; k++) {
        const MPI_Count begin = list->begin[k], end = list->begin[k + 1];
        if (end < begin || end > PTRDIFF_MAX / 8 || (end > begin && (!list->index || !list->value)))
            return false;
        for (MPI_Count e = begin; e < end; e++)
            if (list->index[e] >= width || (e > begin && list->index[e] < list->index[e - 1]))
                return false;
    }
    return true;
}

static bool are_lists(const struct summand__outer_arguments *arguments,
                      const summand_outer_matrix *m, MPI_Count pairs)
{
    const summand_outer_options *o = &arguments->options;
    const bool any = m->list_a || m->list_b;
    const summand_outer_compressed *to = m->compressed;
    if (!any)
        return !to;
    if (o->result == SUMMAND_OUTER_FACTORS || m->rows > UINT32_MAX || m->columns > UINT32_MAX ||
        (m->symmetric && m->list_b) || (to && (o->tile || o->beta != 0 || to->room < 0)))
        return false;
    return (!m->list_a || is_list(m->list_a, pairs, m->rows)) &&
           (!m->list_b || is_list(m->list_b, pairs, m->columns));
}

static int check_span(const char *name, int matrix, MPI_Count lines, MPI_Count stride,
                      MPI_Count line, size_t unit)
{
    if (summand__span(lines, stride ? stride : line, line, unit) >= 0)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ARGUMENT,
                           "%s of matrix %d: no array has %lld rows of %lld elements, %lld apart",
                           name, matrix, (long long)lines, (long long)line,
                           (long long)(stride ? stride : line));
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
    if (!factors && !m->compressed) {
        const size_t unit = summand__outer_result_size((enum summand__outer_type)arguments->type);
        int code = check_span("g", matrix, (MPI_Count)block.rows, m->ldg, width, unit);
        if (code != MPI_SUCCESS)
            return code;
    }
    const bool pairs = summand__outer_pairs_of(arguments, matrix);
    bool a = pairs && m->rows && !m->list_a;
    bool b = pairs && m->columns && !m->symmetric && !m->list_b;
    bool g = factors ? arguments->options.room && width : block.rows && block.columns;
    const summand_outer_compressed *to = m->compressed;
    if (to && block.rows &&
        (!to->begin || (to->room && block.columns && (!to->index || !to->value))))
        return MPI_ERR_BUFFER;
    g = g && !to && !arguments->options.tile;
    return (a && !m->a) || (b && !m->b) || (g && !m->g) || (g && (m->g == m->a || m->g == m->b))
               ? MPI_ERR_BUFFER
               : MPI_SUCCESS;
}

/* Of the factors, and of what any rank may get. */
static int check_spans(const struct summand__outer_arguments *arguments, int matrix)
{
    const summand_outer_matrix *m = &arguments->matrices[matrix];
    const MPI_Count pairs = (MPI_Count)summand__outer_pairs_of(arguments, matrix);
    const enum summand__outer_type type = (enum summand__outer_type)arguments->type;
    const size_t in = summand__outer_factor_size(type), out = summand__outer_result_size(type);
    const bool factors = arguments->options.result == SUMMAND_OUTER_FACTORS;
    int code = m->list_a ? MPI_SUCCESS : check_span("a", matrix, pairs, m->lda, m->rows, in);
    if (code == MPI_SUCCESS && !m->symmetric && !m->list_b)
        code = check_span("b", matrix, pairs, m->ldb, m->columns, in);
    if (code == MPI_SUCCESS && factors)
        code = check_span("g", matrix, arguments->options.room, m->ldg,
                          m->rows + (m->symmetric ? 0 : m->columns), in);
    else if (code == MPI_SUCCESS && !m->compressed)
        code = check_span("the sum", matrix, m->rows, 0, m->columns, out);
    return code;
}

int summand__outer_check(const struct summand__outer_arguments *arguments, int ranks)
{
    const bool own = arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX;
    if (arguments->pairs < 0 && !own)
        return MPI_ERR_COUNT;
    if (arguments->n < 0 || arguments->n > SUMMAND__OUTER_LAYERS ||
        (arguments->n && !arguments->matrices))
        return argument_error();
    int code = check_options(arguments, ranks);
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        code = own && matrix->pairs < 0 ? MPI_ERR_COUNT : check_shape(matrix);
        if (code == MPI_SUCCESS &&
            !are_lists(arguments, matrix, (MPI_Count)summand__outer_pairs_of(arguments, m)))
            code = argument_error();
        if (code == MPI_SUCCESS)
            code = check_spans(arguments, m);
    }
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

/* The names of the bits that are set, the highest first: "list_a and list_b". */
static size_t say_flags(int64_t value, int n, const char *const *names, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < n && used < room; i++)
        if (value >> (n - 1 - i) & 1)
            used +=
                (size_t)snprintf(text + used, room - used, "%s%s", used ? " and " : "", names[i]);
    return used ? used : (size_t)snprintf(text, room, "none");
}

/* One of the numbers that each matrix has. */
struct number {
    const char *name;
    MPI_Count (*of)(const summand_outer_matrix *matrix);
};

static MPI_Count rows_of(const summand_outer_matrix *matrix)
{
    return matrix->rows;
}

static MPI_Count columns_of(const summand_outer_matrix *matrix)
{
    return matrix->columns;
}

static MPI_Count form_of(const summand_outer_matrix *matrix)
{
    return !!matrix->symmetric << 3 | !!matrix->list_a << 2 | !!matrix->list_b << 1 |
           !!matrix->compressed;
}

static const struct number numbers[] = {{"rows (N)", rows_of},
                                        {"columns (M)", columns_of},
                                        {"symmetric, list_a, list_b, compressed", form_of}};

/* "100, 200, 300", of as many matrices as there is room for. */
static void say_numbers(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const forms[] = {"symmetric", "list_a", "list_b", "compressed"};
    const struct summand__outer_arguments *arguments = argument->of;
    const struct number *number = numbers;
    size_t used = 0;
    while (strcmp(number->name, argument->name) != 0)
        number++;
    snprintf(text, room, "none");
    for (int m = 0; m < arguments->n && used < room; m++) {
        const MPI_Count value = number->of(&arguments->matrices[m]);
        used += (size_t)snprintf(text + used, room - used, "%s", m ? ", " : "");
        if (used < room && number->of == form_of)
            used += say_flags(value, 4, forms, text + used, room - used);
        else if (used < room)
            used += (size_t)snprintf(text + used, room - used, "%lld", (long long)value);
    }
}

static void sign_said(struct summand__signature *signature, const char *name, int64_t value,
                      void (*say)(const struct summand__argument *, char *, size_t), const void *of)
{
    struct summand__argument *argument = summand__sign_number(signature, name, value);
    argument->say = say;
    argument->of = of;
}

static void sign_shapes(const struct summand__outer_arguments *arguments,
                        struct summand__signature *signature)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t value = 0;
        for (int m = 0; m < arguments->n; m++)
            value = summand__sign_mix(value, numbers[i].of(&arguments->matrices[m]));
        sign_said(signature, numbers[i].name, value, say_numbers, arguments);
    }
}

static void say_grid(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_outer_options *o = argument->of;
    snprintf(text, room, "%d x %d", o->grid_rows, o->grid_columns);
}

static void say_order(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const words[] = {"replicated", "any_order", "any_bits", "tile"};
    say_flags(argument->value, 4, words, text, room);
}

/* In the order of the structure, from `segment` on. */
static void say_inside(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_options *i = argument->of;
    snprintf(text, room, "{%lld, %d, %d, %d, %d}", (long long)i->segment, i->radix, i->node_size,
             i->leaders, i->radix_between);
}

void summand__outer_sign(const struct summand__outer_arguments *arguments,
                         struct summand__signature *signature, const char *call)
{
    const summand_outer_options *o = &arguments->options;
    const summand_options *i = &o->inside;
    int64_t parameters = 0;
    parameters = summand__sign_mix(parameters, i->segment);
    parameters = summand__sign_mix(parameters, i->radix);
    parameters = summand__sign_mix(parameters, i->node_size);
    parameters = summand__sign_mix(parameters, i->leaders);
    parameters = summand__sign_mix(parameters, i->radix_between);
    summand__sign_call(signature, call);
    summand__sign_number(signature, "type", arguments->type);
    summand__sign_number(signature, "n", arguments->n);
    sign_shapes(arguments, signature);
    summand__sign_number(signature, "pairs of each matrix",
                         arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX);
    summand__sign_number(signature, "options.result", o->result);
    summand__sign_number(signature, "options.root", o->result == SUMMAND_OUTER_ROOT ? o->root : 0);
    sign_said(signature, "options.grid_rows x grid_columns",
              summand__sign_mix(o->grid_rows, o->grid_columns), say_grid, o);
    summand__sign_real(signature, "options.alpha", o->alpha);
    summand__sign_real(signature, "options.beta", o->beta);
    sign_said(signature, "options.replicated, options.any_order, options.any_bits, options.tile",
              !!o->replicated << 3 | !!o->any_order << 2 | !!o->any_bits << 1 | !!o->tile,
              say_order, NULL);
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.inside.algorithm", i->algorithm);
    sign_said(signature, "options.inside.{segment, radix, node_size, leaders, radix_between}",
              parameters, say_inside, i);
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

const char *summand__outer_name_of(const char *name)
{
    return name ? summand__algorithm_named(name)->name : NULL;
}

void summand__outer_keep_names(summand_outer_options *options)
{
    options->algorithm = summand__outer_name_of(options->algorithm);
    options->inside.algorithm = summand__outer_name_of(options->inside.algorithm);
}

/* In every bit: -0 makes other results than 0, and NaN is none of both. */
static bool same_real(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static bool same_options(const summand_outer_options *a, const summand_outer_options *b)
{
    const summand_options *i = &a->inside, *j = &b->inside;
    return a->result == b->result && a->root == b->root && a->grid_rows == b->grid_rows &&
           a->grid_columns == b->grid_columns && same_real(a->alpha, b->alpha) &&
           same_real(a->beta, b->beta) && !a->replicated == !b->replicated &&
           !a->any_order == !b->any_order && !a->any_bits == !b->any_bits &&
           !a->finished == !b->finished && !a->tile == !b->tile &&
           summand__outer_name_of(a->algorithm) == summand__outer_name_of(b->algorithm) &&
           summand__outer_name_of(i->algorithm) == summand__outer_name_of(j->algorithm) &&
           i->segment == j->segment && i->radix == j->radix && i->node_size == j->node_size &&
           i->leaders == j->leaders && i->radix_between == j->radix_between;
}

static bool same_matrix(const summand_outer_matrix *a, const summand_outer_matrix *b)
{
    return a->rows == b->rows && a->columns == b->columns && a->lda == b->lda && a->ldb == b->ldb &&
           a->ldg == b->ldg && !a->symmetric == !b->symmetric && a->pairs == b->pairs &&
           !a->list_a == !b->list_a && !a->list_b == !b->list_b && !a->compressed == !b->compressed;
}

bool summand__outer_same(const struct summand__outer_arguments *a,
                         const struct summand__outer_arguments *b)
{
    bool same = a->type == b->type && a->n == b->n && a->pairs == b->pairs &&
                same_options(&a->options, &b->options);
    for (int m = 0; same && m < a->n; m++)
        same = same_matrix(&a->matrices[m], &b->matrices[m]);
    return same;
}
