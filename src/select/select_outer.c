#include "select/select_outer.h"

#include <string.h>

#include "algorithm/call.h"
#include "algorithm/outer/build.h"

struct asking {
    const struct summand__query *query;
    const struct summand__tuning *tuning;
    const struct summand__outer_part *inside;
    bool taken; /* what is named does one of the parts */
};

/* The collective inside of that call, in elements of so many bytes. */
static enum summand__selection select_part(struct asking *asking, const struct summand__call *call,
                                           size_t element, unsigned promises,
                                           struct summand__outer_part *part)
{
    struct summand__query query = *asking->query;
    struct summand__choice choice = {.algorithm = NULL};
    const struct summand__outer_part *inside = asking->inside;
    query.collective = call->collective;
    query.element = element;
    query.bytes = summand__call_total(call) * element;
    query.promises = promises;
    query.outer = NULL;
    struct summand__call plain = *call;
    memset(plain.parameter, 0, sizeof plain.parameter);
    if (inside && inside->algorithm && inside->algorithm->build[call->collective]) {
        choice.algorithm = inside->algorithm;
        asking->taken = true;
    }
    if (inside)
        memcpy(choice.parameter, inside->parameter, sizeof choice.parameter);
    enum summand__selection selection = summand__select(&query, asking->tuning, &plain, &choice);
    if (selection != SUMMAND__SELECTED)
        return selection;
    part->algorithm = choice.algorithm;
    memcpy(part->parameter, choice.parameter, sizeof part->parameter);
    return selection;
}

/* Of one rank's time for the result so much that making and gathering it take equally long. */
static double share_of(const struct summand__call *call, const struct summand__query *query)
{
    const struct summand__outer_shape *shape = call->outer;
    struct summand__model model = summand__query_model(query);
    double gathered = 0, made = 0, ranks = call->ranks;
    for (int l = 0; l < shape->layers && call->ranks > 1; l++) {
        struct summand__call spread = summand__outer_spread(call, l, false);
        gathered += summand__estimate_of(shape->spread.algorithm, &spread,
                                         summand__outer_result_size(shape->type), &model);
        made += summand__outer_seconds(shape, (double)shape->layer[l].rows,
                                       (double)shape->layer[l].columns,
                                       (double)shape->pairs[call->ranks], &model);
    }
    double alone = made * (1 - 1 / ranks);
    return gathered > 0 ? gathered / (gathered + alone) : 0;
}

static void set_share(struct summand__outer_shape *shape, int ranks, double share)
{
    shape->share = share;
    for (int l = 0; l < shape->layers; l++)
        summand__outer_lay_rest(shape, l, ranks);
}

enum summand__selection
summand__select_outer(const struct summand__query *query, const struct summand__tuning *tuning,
                      struct summand__outer_shape *shape, const struct summand__outer_part *inside,
                      const struct summand__call *call, struct summand__choice *choice)
{
    struct asking asking = {query, tuning, inside, false};
    struct summand__call of = *call;
    size_t unit = summand__outer_factor_size(shape->type);
    size_t result = summand__outer_result_size(shape->type);
    of.outer = shape;
    struct summand__call gather = summand__outer_gather(&of);
    enum summand__selection selection = select_part(&asking, &gather, unit, 0, &shape->gather);
    struct summand__query asked = *query;
    asked.collective = SUMMAND__COLL_OUTER;
    asked.bytes = asked.element = result;
    asked.outer = shape;
    if (shape->result == SUMMAND__OUTER_ALL && shape->layers) {
        struct summand__call spread = summand__outer_spread(&of, 0, false);
        struct summand__call sum = summand__outer_sum(&of, 0);
        if (selection == SUMMAND__SELECTED)
            selection = select_part(&asking, &spread, result, 0, &shape->spread);
        if (selection == SUMMAND__SELECTED)
            selection = select_part(&asking, &sum, result, 0, &shape->sum);
        if (selection == SUMMAND__SELECTED)
            set_share(shape, call->ranks, share_of(&of, query));
    }
    if (selection == SUMMAND__SELECTED && inside && inside->algorithm && !asking.taken)
        selection = SUMMAND__NONE_SELECTED;
    return selection == SUMMAND__SELECTED ? summand__select(&asked, NULL, &of, choice) : selection;
}

bool summand__select_square(struct summand__outer_square *square, int ranks,
                            const struct summand__model *model)
{
    struct summand__query query = {.ranks = ranks, .node_size = 1, .model = model};
    struct summand__call call = {.collective = SUMMAND__COLL_OUTER, .ranks = ranks};
    struct summand__choice choice = {.algorithm = NULL};
    if (model)
        query.node_size = (size_t)model->per_node;
    return summand__select_outer(&query, NULL, &square->shape, NULL, &call, &choice) ==
           SUMMAND__SELECTED;
}
