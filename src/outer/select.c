/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "outer/algorithm/line.h"

struct asking {
    const struct summand__query *query;
    const struct summand__tuning *tuning;
    const struct summand__outer_part *inside;
    struct summand__outer_shape *shape;
};

/* Notes whether the named algorithm does this part. */
static bool note(const struct asking *asking, const struct summand__call *call, unsigned part)
{
    const struct summand__outer_part *inside = asking->inside;
    const bool does = inside && inside->algorithm && inside->algorithm->build[call->collective];
    asking->shape->named |= does ? part : 0;
    return does;
}

/* Chooses the collective inside of that call, with elements of so many bytes, for the ranks of
 * `query`. */
static enum summand__selection select_among(struct asking *asking, struct summand__query query,
                                            const struct summand__call *call, size_t element,
                                            struct summand__outer_part *part, unsigned of)
{
    struct summand__choice choice = {.algorithm = NULL};
    const struct summand__outer_part *inside = asking->inside;
    query.collective = call->collective;
    query.element = element;
    query.bytes = summand__call_total(call) * element;
    query.promises = 0;
    query.estimated = true;
    query.outer = NULL;
    struct summand__call plain = *call;
    memset(plain.parameter, 0, sizeof plain.parameter);
    if (note(asking, call, of))
        choice.algorithm = inside->algorithm;
    if (inside)
        memcpy(choice.parameter, inside->parameter, sizeof choice.parameter);
    enum summand__selection selection = summand__select(&query, asking->tuning, &plain, &choice);
    if (selection != SUMMAND__SELECTED)
        return selection;
    part->algorithm = choice.algorithm;
    memcpy(part->parameter, choice.parameter, sizeof part->parameter);
    if (call->grouping)
        part->parameter[SUMMAND__NODE_SIZE] = 0;
    return selection;
}

static enum summand__selection select_part(struct asking *asking, const struct summand__call *call,
                                           size_t element, struct summand__outer_part *part,
                                           unsigned of)
{
    return select_among(asking, *asking->query, call, element, part, of);
}

/* The ranks of a line as a communicator of their own. */
static struct summand__query query_of(const struct summand__query *query,
                                      enum summand__outer_line_kind kind,
                                      const struct summand__outer_line *line)
{
    struct summand__query of = *query;
    size_t stride = (size_t)line->stride, node = query->node_size;
    of.ranks = line->ranks;
    of.node_size =
        node >= (size_t)query->ranks        ? (size_t)line->ranks
        : kind == SUMMAND__OUTER_LINE_GROUP ? (size_t)line->ranks
        : query->grouping || summand__outer_line_straddles(query->ranks, kind, line, (double)node)
            ? 1
        : stride == 1 ? node
                      : node / stride;
    of.grouping = NULL;
    if (of.node_size < 1)
        of.node_size = 1;
    if (of.node_size > (size_t)line->ranks)
        of.node_size = (size_t)line->ranks;
    if (query->processors > 0) {
        of.processors = (int)((long long)query->processors * line->ranks / query->ranks);
        of.processors += !of.processors;
    }
    return of;
}

/* Assumes that all lines of a kind are as long as the longest. */
static enum summand__selection select_line(struct asking *asking, const struct summand__call *call,
                                           enum summand__outer_line_kind kind, size_t element)
{
    struct summand__outer_shape *shape = asking->shape;
    int rank = summand__outer_longest_line(call, kind);
    struct summand__outer_line line = summand__outer_line_of(call, kind, rank);
    enum summand__selection selection = SUMMAND__SELECTED;
    shape->line[kind] = (struct summand__outer_part){.algorithm = NULL};
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets);
    if (!offsets)
        return SUMMAND__SELECTION_FAILED;
    struct summand__call part = summand__outer_line_call(call, kind, 0, rank, offsets);
    const unsigned of =
        kind == SUMMAND__OUTER_LINE_GROUP ? SUMMAND__OUTER_BY_GROUPS : SUMMAND__OUTER_BY_LINES;
    if (part.ranks > 1)
        selection = select_among(asking, query_of(asking->query, kind, &line), &part, element,
                                 &shape->line[kind], of);
    else
        note(asking, &part, of);
    free(offsets);
    return selection;
}

static enum summand__selection select_lines(struct asking *asking, const struct summand__call *call)
{
    const struct summand__outer_shape *shape = asking->shape;
    size_t unit = summand__outer_factor_size(shape->type);
    size_t result = summand__outer_result_size(shape->type);
    int last =
        shape->result == SUMMAND__OUTER_ALL ? SUMMAND__OUTER_LINE_GROUP : SUMMAND__OUTER_LINE_B;
    enum summand__selection selection = SUMMAND__SELECTED;
    for (int kind = 0; kind <= last && selection == SUMMAND__SELECTED; kind++)
        selection = select_line(asking, call, (enum summand__outer_line_kind)kind,
                                kind <= SUMMAND__OUTER_LINE_B ? unit : result);
    return selection;
}

/* For a whole result: the grid with the least time for slices and, on all ranks, for strips that
 * are put together. */
static void set_grid(struct summand__outer_shape *shape, const struct summand__query *query)
{
    struct summand__model model = summand__query_model(query);
    enum summand__reach reach =
        query->node_size < (size_t)query->ranks ? SUMMAND__NETWORK : SUMMAND__WITHIN_NODE;
    double unit = (double)summand__outer_factor_size(shape->type), rows = 0, columns = 0;
    double result = (double)summand__outer_result_size(shape->type), elements = 0, least = -1;
    for (int l = 0; l < shape->layers; l++) {
        rows += (double)shape->layer[l].rows;
        columns += (double)shape->layer[l].columns;
        elements += (double)shape->layer[l].rows * (double)shape->layer[l].columns;
    }
    for (int pr = 1; pr <= query->ranks; pr++) {
        int pc = query->ranks / pr;
        if (query->ranks % pr)
            continue;
        double seconds = (double)shape->pairs[query->ranks] * unit * (rows / pr + columns / pc) *
                             model.level[reach].byte +
                         (pc > 1 && shape->result == SUMMAND__OUTER_ALL
                              ? 2 * elements / pr * result * model.copy_byte
                              : 0);
        if (least >= 0 && seconds >= least)
            continue;
        least = seconds;
        shape->grid_rows = pr;
        shape->grid_columns = pc;
    }
}

/* The share of a rank's result time for which computing and gathering take equally long. */
static double share_of(const struct summand__call *call, const struct summand__query *query)
{
    const struct summand__outer_shape *shape = call->outer;
    struct summand__model model = summand__query_model(query);
    double gathered = 0, made = 0, ranks = call->ranks;
    for (int l = 0; l < shape->layers && call->ranks > 1; l++) {
        gathered += summand__outer_spread_seconds(call, l, false, &model);
        made += summand__outer_seconds(shape, (double)shape->layer[l].rows,
                                       (double)shape->layer[l].columns,
                                       (double)shape->pairs[call->ranks], &model);
    }
    double alone = made * (1 - 1 / ranks);
    return gathered > 0 ? gathered / (gathered + alone) : 0;
}

/* Doubles a number while that reduces the time. */
static void set_number(const struct summand__algorithm *algorithm, int *number,
                       const struct summand__call *call, const struct summand__model *model)
{
    size_t element = summand__outer_result_size(call->outer->type);
    double shortest = INFINITY;
    int best = algorithm->outer_number.least;
    for (*number = best; *number <= SUMMAND__OUTER_PARTS; *number *= 2) {
        double seconds = summand__estimate_of(algorithm, call, element, model);
        if (seconds >= shortest)
            break;
        shortest = seconds;
        best = *number;
    }
    *number = best;
}

static void set_numbers(struct summand__outer_shape *shape, const struct summand__call *call,
                        const struct summand__query *query)
{
    struct summand__model model = summand__query_model(query);
    bool whole = shape->result == SUMMAND__OUTER_ALL;
    bool nodes = query->node_size < (size_t)query->ranks;
    shape->parts = shape->bands = 1;
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        const struct summand__outer_number *number = &algorithm->outer_number;
        if (!number->at || !(whole ? number->whole : number->other) ||
            (number->between_nodes && !nodes))
            continue;
        int *value = (int *)(void *)((char *)shape + number->at);
        *value = number->least;
        if (summand__algorithm_does(algorithm, call))
            set_number(algorithm, value, call, &model);
    }
}

static void set_share(struct summand__outer_shape *shape, int ranks, double share)
{
    shape->share = share;
    for (int l = 0; l < shape->layers; l++)
        summand__outer_lay_rest(shape, l, ranks);
}

static enum summand__selection
choose_parts(const struct summand__query *query, const struct summand__tuning *tuning,
             struct summand__outer_shape *shape, const struct summand__outer_part *inside,
             const struct summand__call *call, struct summand__choice *choice)
{
    struct asking asking = {query, tuning, inside, shape};
    struct summand__call of = *call;
    size_t unit = summand__outer_factor_size(shape->type);
    size_t result = summand__outer_result_size(shape->type);
    of.outer = shape;
    struct summand__call gather = summand__outer_gather(&of);
    shape->named = inside && inside->algorithm ? SUMMAND__OUTER_BY_NONE : 0;
    enum summand__selection selection =
        select_part(&asking, &gather, unit, &shape->gather, SUMMAND__OUTER_BY_GATHER);
    struct summand__query asked = *query;
    asked.collective = SUMMAND__COLL_OUTER;
    asked.bytes = asked.element = result;
    asked.outer = shape;
    asked.grouping = NULL; /* the shape's, for collectives inside */
    const bool sums = shape->result == SUMMAND__OUTER_ALL || shape->result == SUMMAND__OUTER_ROOT;
    if (sums && shape->layers && selection == SUMMAND__SELECTED) {
        struct summand__call sum = summand__outer_sum(&of, 0);
        selection = select_part(&asking, &sum, result, &shape->sum, SUMMAND__OUTER_BY_SUM);
    }
    if (shape->result == SUMMAND__OUTER_ALL && shape->layers) {
        struct summand__call spread = summand__outer_spread(&of, 0, false);
        if (selection == SUMMAND__SELECTED)
            selection =
                select_part(&asking, &spread, result, &shape->spread, SUMMAND__OUTER_BY_SPREAD);
        if (selection == SUMMAND__SELECTED)
            set_share(shape, call->ranks, share_of(&of, query));
    }
    if (sums && shape->layers)
        set_grid(shape, query);
    /* Groups are nodes; if each rank is alone on its node, any requested size. */
    of.parameter[SUMMAND__NODE_SIZE] =
        query->node_size > 1 ? query->node_size : (size_t)query->ranks;
    if (selection == SUMMAND__SELECTED && shape->layers && shape->result <= SUMMAND__OUTER_ROOT)
        selection = select_lines(&asking, &of);
    memset(of.parameter, 0, sizeof of.parameter);
    if (selection == SUMMAND__SELECTED && shape->layers && shape->result <= SUMMAND__OUTER_ROOT)
        set_numbers(shape, &of, query);
    if (selection == SUMMAND__SELECTED && shape->named == SUMMAND__OUTER_BY_NONE)
        selection = SUMMAND__NONE_SELECTED;
    return selection == SUMMAND__SELECTED ? summand__select(&asked, NULL, &of, choice) : selection;
}

/* Measured numbers also hold for the share and the grid. */
enum summand__selection
summand__select_outer(const struct summand__query *query, const struct summand__tuning *tuning,
                      struct summand__outer_shape *shape, const struct summand__outer_part *inside,
                      const struct summand__call *call, struct summand__choice *choice)
{
    struct summand__query own = *query;
    if (tuning && tuning->has_model)
        own.model = &tuning->model;
    return choose_parts(&own, tuning, shape, inside, call, choice);
}
