/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/index_tree/predicted.h"

#include <stdlib.h>

#include "exact/batch.h"
#include "lab/index_tree/messages.h"
#include "play/simulate_call.h"

struct task {
    const struct summand__sum_request *request;
    const uint64_t *starts;
};

static struct summand__region elements(uint64_t count)
{
    return summand__region(SUMMAND__SCRATCH, 0, (size_t)count);
}

/* Additions are reduce steps; the model says what one costs. */
static void add(struct summand__schedule *schedule, const struct summand__outbound_op *op,
                uint64_t end)
{
    const uint64_t leaves = op->x + ((uint64_t)1 << op->level);
    switch (op->kind) {
    case SUMMAND__OUTBOUND_LOCAL:
        summand__reduce(schedule, elements((leaves < end ? leaves : end) - op->x),
                        elements((leaves < end ? leaves : end) - op->x));
        break;
    case SUMMAND__OUTBOUND_COMBINE:
        summand__reduce(schedule, elements(1), elements(1));
        break;
    case SUMMAND__OUTBOUND_SEND:
        summand__round(schedule);
        summand__send(schedule, op->peer, elements((uint64_t)op->count));
        break;
    case SUMMAND__OUTBOUND_RECEIVE:
        summand__round(schedule);
        summand__recv(schedule, op->peer, elements((uint64_t)op->count));
        summand__round(schedule);
        break;
    }
}

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct task *task = context;
    struct summand__outbound_op ops[SUMMAND__OUTBOUND_OPS_MAX];
    int cells;
    summand__schedule_init(schedule);
    const int count = summand__outbound_program(task->starts, task->request->ranks, rank,
                                                task->request->rule, ops, &cells);
    for (int i = 0; i < count; i++)
        add(schedule, &ops[i], task->starts[rank + 1]);
    summand__round(schedule);
    return !schedule->failed;
}

/* A collective of one element of so many bytes by an algorithm. */
static bool call(const struct summand__sum_request *request, const char *name,
                 enum summand__collective collective, size_t bytes, double *seconds)
{
    const struct summand__call one = {
        .collective = collective, .ranks = request->ranks, .count = 1};
    struct summand__predict predict = {.model = &request->model, .element = bytes};
    const bool good = summand__simulate_call(summand__algorithm_named(name), &one, &predict);
    *seconds += predict.time;
    return good;
}

static bool nodes(const struct summand__sum_request *request, const uint64_t *starts,
                  double *seconds)
{
    const struct task task = {request, starts};
    struct summand__model model = request->model;
    model.reduce_byte = request->add / sizeof(double);
    struct summand__predict predict = {.ranks = request->ranks,
                                       .element = sizeof(double),
                                       .model = &model,
                                       .build = build,
                                       .context = &task};
    const bool good = summand__predict(&predict);
    *seconds = predict.time;
    return good && call(request, "binomial", SUMMAND__COLL_BCAST, sizeof(double), seconds);
}

bool summand__sum_predicted(const struct summand__sum_request *request,
                            struct summand__sum_times *times)
{
    uint64_t *starts = malloc(((size_t)request->ranks + 1) * sizeof *starts);
    if (!starts)
        return false;
    summand__distribution(request->distribution, request->alpha, request->n, request->ranks,
                          starts);
    size_t values = 2;
    while (values / 2 < 63 && (uint64_t)1 << values / 2 < request->n)
        values += 2;
    const double local = request->add * (double)summand__most_elements(starts, request->ranks);
    const struct {
        double *seconds;
        size_t bytes;
    } all[] = {{&times->forests, values * sizeof(double)},
               {&times->exact, summand__batch_bytes(1)},
               {&times->loop, sizeof(double)}};
    bool good = nodes(request, starts, &times->nodes);
    free(starts);
    for (size_t i = 0; i < sizeof all / sizeof *all && good; i++) {
        *all[i].seconds = local;
        good = call(request, "recursive-doubling", SUMMAND__COLL_ALLREDUCE, all[i].bytes,
                    all[i].seconds);
    }
    return good;
}
