#include "algorithm/outer/overlap.h"

static size_t elements_of(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND ? step->from.count
           : summand__receives(step)     ? step->to.count
                                         : 0;
}

/* Rounds without any stay, so that both go in step. A product reads all pairs' columns of b once,
 * so it takes no fewer rows than are worth that. */
static void add_rows(const struct summand__outer_build *build,
                     const struct summand__outer_rows *rows, const struct summand__schedule *gather)
{
    size_t total = 0, moved = 0, row = 0;
    for (size_t i = 0; i < gather->length; i++)
        total += elements_of(&gather->steps[i]);
    for (size_t i = 0; i <= gather->length; i++) {
        bool ends = i == gather->length;
        if (!ends)
            moved += elements_of(&gather->steps[i]);
        if (!ends && gather->steps[i].action != SUMMAND__ROUND)
            continue;
        double part = total && !ends ? (double)moved / (double)total : 1;
        size_t end = moved == total ? rows->rows : (size_t)(part * (double)rows->rows);
        if (end < row + SUMMAND__OUTER_LEAST_ROWS && end < rows->rows)
            end = row;
        if (end > row)
            rows->multiply(build, rows->context, row, end - row);
        row = end;
        if (!ends)
            summand__append(build->schedule, SUMMAND__ROUND, -1);
    }
}

void summand__outer_overlap(const struct summand__outer_build *build,
                            const struct summand__outer_part *part,
                            const struct summand__call *call, uint32_t place, size_t at,
                            const struct summand__outer_rows *rows)
{
    struct summand__schedule *whole = build->schedule, gather, products;
    struct summand__embedding of_gather = {.stride = 1, .odd = -1, .all = true};
    struct summand__embedding of_products = {.stride = 1, .odd = -1};
    if (call->ranks == 1) {
        rows->multiply(build, rows->context, 0, rows->rows);
        return;
    }
    if (whole->failed || !summand__build(part->algorithm, call, &gather)) {
        whole->failed = true;
        return;
    }
    summand__schedule_init(&products);
    of_gather.at[SUMMAND__RECVBUF].place = of_gather.at[SUMMAND__SENDBUF].place = place;
    of_gather.at[SUMMAND__RECVBUF].first = at;
    summand__outer_scratch(build, place, &gather, &of_gather);
    for (uint32_t p = 0; p < SUMMAND__MOST_PLACES; p++)
        of_products.at[p].place = p;
    struct summand__outer_build of = *build;
    of.schedule = &products;
    add_rows(&of, rows, &gather);
    const struct summand__schedule *parts[] = {&gather, &products};
    const struct summand__embedding *embeddings[] = {&of_gather, &of_products};
    const size_t skew[] = {0, 0};
    whole->failed = whole->failed || products.failed;
    if (!whole->failed)
        summand__interleave(whole, 2, parts, embeddings, skew);
    summand__drain(whole);
    summand__schedule_free(&products);
    summand__schedule_free(&gather);
}

double summand__outer_both(const struct summand__call *call, double messages, double products,
                           const struct summand__model *model)
{
    if (model->per_node >= call->ranks || messages <= 0)
        return messages + products;
    const struct summand__level *level = &model->level[SUMMAND__NETWORK];
    double busy = products + (call->ranks - 1) * (level->send + level->recv);
    return messages > busy ? messages : busy;
}

double summand__outer_ahead(const struct summand__call *call, double takers, size_t elements,
                            size_t parts, const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double idle = call->ranks - takers, each = (double)parts;
    double bytes = (double)shape->pairs[call->ranks] / call->ranks * (double)elements / each *
                   (double)summand__outer_factor_size(shape->type);
    double queue = idle * each + takers - 1, sent = takers * each;
    if (model->fair_card <= 0 || call->ranks <= model->per_node || idle <= 0 || queue <= 0 ||
        bytes > model->eager)
        return 0;
    double more = sent + (each - sent / queue) * (takers - 1) - each * (call->ranks - 1);
    return more > 0 ? more * bytes * model->level[SUMMAND__NETWORK].byte : 0;
}
