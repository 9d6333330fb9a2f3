/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of buffers, and of all that depends on this rank's part of the result. */
#include "algorithm/algorithm.h"
#include "base/extent.h"
#include "base/runs.h"
#include "op/buffer.h"
#include "outer/mpi/outer.h"
#include "process/error.h"

/* This rank's part of a matrix, and its factors. */
struct part {
    const summand_outer_matrix *matrix;
    int number;
    struct summand__outer_block block;
    MPI_Count pairs, height, width; /* of g */
    bool a, b, g;                   /* which of them have elements */
};

static struct part part_of(const struct summand__outer_arguments *arguments, int number, int rank,
                           int ranks)
{
    const summand_outer_matrix *m = &arguments->matrices[number];
    const bool factors = arguments->options.result == SUMMAND_OUTER_FACTORS;
    struct part part = {.matrix = m,
                        .number = number,
                        .block = summand__outer_part_of(arguments, number, rank, ranks),
                        .pairs = (MPI_Count)summand__outer_pairs_of(arguments, number)};
    part.height = factors ? arguments->options.room : (MPI_Count)part.block.rows;
    part.width =
        factors ? m->rows + (m->symmetric ? 0 : m->columns) : (MPI_Count)part.block.columns;
    part.a = part.pairs && m->rows && !m->list_a;
    part.b = part.pairs && m->columns && !m->symmetric && !m->list_b;
    part.g = part.height && part.width && !m->compressed && !arguments->options.tile;
    return part;
}

static int refuse_null(const struct part *part, const char *name, const void *buffer,
                       MPI_Count rows, MPI_Count columns)
{
    return summand__refuse_as(MPI_ERR_BUFFER, "matrices[%d].%s is %s, for %lld x %lld elements",
                              part->number, name, summand__no_buffer_name(buffer), (long long)rows,
                              (long long)columns);
}

static int check_compressed(const struct part *part)
{
    const summand_outer_compressed *to = part->matrix->compressed;
    if (!to || !part->block.rows)
        return MPI_SUCCESS;
    if (summand__no_buffer(to->begin))
        return summand__refuse_as(
            MPI_ERR_BUFFER, "matrices[%d].compressed->begin is %s, for %zu rows", part->number,
            summand__no_buffer_name(to->begin), part->block.rows);
    const bool no_index = summand__no_buffer(to->index);
    if (to->room && part->block.columns && (no_index || summand__no_buffer(to->value)))
        return summand__refuse_as(
            MPI_ERR_BUFFER, "matrices[%d].compressed->%s is %s, with room for %lld elements",
            part->number, no_index ? "index" : "value",
            summand__no_buffer_name(no_index ? (const void *)to->index : to->value),
            (long long)to->room);
    return MPI_SUCCESS;
}

static int check_part(const struct part *part, size_t unit)
{
    const summand_outer_matrix *m = part->matrix;
    if (m->lead_g && m->lead_g < part->width)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "matrices[%d].lead_g is %lld, not 0, or %lld (the columns of this "
                               "rank's part) or more",
                               part->number, (long long)m->lead_g, (long long)part->width);
    if (part->g &&
        summand__span(part->height, m->lead_g ? m->lead_g : part->width, part->width, unit) < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "matrices[%d].lead_g is %lld: no array has %lld rows so far apart",
                               part->number, (long long)m->lead_g, (long long)part->height);
    if (part->a && summand__no_buffer(m->a))
        return refuse_null(part, "a", m->a, part->pairs, m->rows);
    if (part->b && summand__no_buffer(m->b))
        return refuse_null(part, "b", m->b, part->pairs, m->columns);
    if (part->g && summand__no_buffer(m->g))
        return refuse_null(part, "g", m->g, part->height, part->width);
    return check_compressed(part);
}

/* For factors a rank knows only its own rows: g has at least these. */
static MPI_Count rows_of_g(const struct part *part, bool factors)
{
    return factors && part->pairs < part->height ? part->pairs : part->height;
}

/* An argument in memory. Elements that are written must not overlap others: they are written while
 * factors are still read. */
struct area {
    const char *name;
    struct summand__runs runs;
    bool written;
};

/* The most areas of a matrix: lists for a and b, and compressed rows; and those of one. */
enum { AREAS = 9 };
struct areas {
    int count;
    struct area area[AREAS];
};

static void add_area(struct areas *areas, bool written, const char *name, const void *begin,
                     MPI_Count rows, MPI_Count columns, MPI_Count lead, size_t size)
{
    const struct summand__runs runs = {begin, (size_t)rows, (size_t)columns * size,
                                       (size_t)(lead ? lead : columns) * size};
    if (begin && rows && columns)
        areas->area[areas->count++] = (struct area){name, runs, written};
}

static void add_list(struct areas *areas, const summand_outer_list *list, bool a, MPI_Count pairs,
                     size_t unit)
{
    if (!list || !pairs)
        return;
    const MPI_Count elements = list->begin[pairs];
    add_area(areas, false, a ? "list_a->begin" : "list_b->begin", list->begin, 1, pairs + 1, 0,
             sizeof *list->begin);
    add_area(areas, false, a ? "list_a->index" : "list_b->index", list->index, 1, elements, 0,
             sizeof *list->index);
    add_area(areas, false, a ? "list_a->value" : "list_b->value", list->value, 1, elements, 0,
             unit);
}

static struct areas areas_of(const struct summand__outer_arguments *arguments,
                             const struct part *part)
{
    const bool factors = arguments->options.result == SUMMAND_OUTER_FACTORS;
    const size_t unit = summand__outer_factor_size(arguments->type);
    const size_t size = factors ? unit : summand__outer_result_size(arguments->type);
    const summand_outer_matrix *m = part->matrix;
    const summand_outer_compressed *to = part->block.rows ? m->compressed : NULL;
    const MPI_Count rows = (MPI_Count)part->block.rows;
    struct areas areas = {.count = 0};
    if (part->g)
        add_area(&areas, true, "g", m->g, rows_of_g(part, factors), part->width, m->lead_g, size);
    if (to) {
        const MPI_Count room = part->block.columns ? to->room : 0;
        add_area(&areas, true, "compressed->begin", to->begin, 1, rows + 1, 0, sizeof *to->begin);
        add_area(&areas, true, "compressed->index", to->index, 1, room, 0, sizeof *to->index);
        add_area(&areas, true, "compressed->value", to->value, 1, room, 0, size);
    }
    if (part->a)
        add_area(&areas, false, "a", m->a, part->pairs, m->rows, m->lead_a, unit);
    if (part->b)
        add_area(&areas, false, "b", m->b, part->pairs, m->columns, m->lead_b, unit);
    add_list(&areas, m->list_a, true, part->pairs, unit);
    add_list(&areas, m->symmetric ? NULL : m->list_b, false, part->pairs, unit);
    return areas;
}

/* Of two areas that are both written, the later one is named first. */
static int check_overlap(const struct areas *written, int number, const struct areas *others,
                         int other)
{
    for (int i = 0; i < written->count && written->area[i].written; i++)
        for (int j = 0; j < others->count; j++) {
            const struct area *one = &written->area[i], *two = &others->area[j];
            const bool seen = two->written && (other > number || (other == number && j >= i));
            if (!seen && summand__runs_meet(&one->runs, &two->runs))
                return summand__refuse_as(MPI_ERR_BUFFER,
                                          "matrices[%d].%s overlaps matrices[%d].%s in memory",
                                          number, one->name, other, two->name);
        }
    return MPI_SUCCESS;
}

int summand__outer_check_buffers(const struct summand__outer_arguments *arguments, int rank,
                                 int ranks)
{
    const enum summand__outer_type type = arguments->type;
    const size_t unit = arguments->options.result == SUMMAND_OUTER_FACTORS
                            ? summand__outer_factor_size(type)
                            : summand__outer_result_size(type);
    struct part part[SUMMAND__OUTER_LAYERS];
    struct areas areas[SUMMAND__OUTER_LAYERS];
    int code = MPI_SUCCESS;
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++) {
        part[m] = part_of(arguments, m, rank, ranks);
        code = check_part(&part[m], unit);
        if (code == MPI_SUCCESS)
            areas[m] = areas_of(arguments, &part[m]);
    }
    for (int m = 0; m < arguments->n && code == MPI_SUCCESS; m++)
        for (int other = 0; other < arguments->n && code == MPI_SUCCESS; other++)
            code = check_overlap(&areas[m], m, &areas[other], other);
    return code;
}
