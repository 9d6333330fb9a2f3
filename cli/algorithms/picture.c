/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"

/* Messages take one round. In a tree a rank sends and receives one message at a time, so rounds are
 * those of textbooks; exchanges allow several at once. */
static struct summand__model round_model(bool one_port)
{
    struct summand__model model = {.per_node = 1, .eager = 1e18};
    for (int i = 0; i < SUMMAND__REACHES; i++) {
        model.level[i].latency = 1;
        model.level[i].gap = one_port ? 1 : 0;
    }
    return model;
}

static bool collect(struct picture *picture, bool one_port, char fault[256])
{
    struct comparison_setup setup = *picture->setup;
    struct summand__predict predict = {.trace = true};
    setup.model = round_model(one_port);
    setup.element = 1;
    if (!comparison_predict(&setup, picture->algorithm, setup.fixed, picture->ranks,
                            (size_t)setup.counts.value[0], &predict)) {
        snprintf(fault, 256, "%s",
                 predict.fault[0] ? predict.fault : "the algorithm does not do this call");
        return false;
    }
    free(picture->messages);
    picture->messages = calloc(predict.span_count + 1, sizeof *picture->messages);
    picture->count = 0;
    picture->rounds = predict.time;
    for (size_t i = 0; picture->messages && i < predict.span_count; i++) {
        const struct summand__span *span = &predict.spans[i];
        if (span->kind != SUMMAND__SPAN_WIRE)
            continue;
        picture->messages[picture->count++] =
            (struct picture_message){span->rank, span->peer, span->begin, span->end, span->bytes};
        picture->rounds = fmax(picture->rounds, span->end); /* puts that no rank awaits */
    }
    summand__predict_free(&predict);
    if (!picture->messages)
        snprintf(fault, 256, "out of memory");
    return picture->messages != NULL;
}

/* Collects the messages, and their tree in `edges` if they form one. Else draws sends of several
 * messages at once, as for exchanges. The caller frees both. */
static bool collect_structure(struct picture *picture, struct picture_edge **edges, bool *tree,
                              char fault[256])
{
    *edges = calloc((size_t)picture->ranks, sizeof **edges);
    if (!*edges)
        snprintf(fault, 256, "out of memory");
    bool good = *edges && collect(picture, true, fault);
    *tree = good && picture_find_tree(picture, *edges);
    return good && (*tree || collect(picture, false, fault));
}

bool picture_structure(const struct comparison_setup *setup,
                       const struct summand__algorithm *algorithm, FILE *out, char fault[256])
{
    struct picture picture = {
        .setup = setup, .algorithm = algorithm, .ranks = (int)setup->ranks.value[0]};
    struct picture_edge *edges;
    bool tree, good = collect_structure(&picture, &edges, &tree, fault);
    if (tree)
        picture_tree(&picture, edges, out);
    else if (good)
        picture_exchange(&picture, out);
    free(edges);
    free(picture.messages);
    return good;
}

static json_t *messages_json(const struct picture *picture)
{
    json_t *list = json_array();
    char size[32]; /* "elements" or "bytes" */
    snprintf(size, sizeof size, "%ss", picture_unit(picture->setup->collective));
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        json_array_append_new(list,
                              json_make("iiffI", "from", m->from, "to", m->to, "begin", m->begin,
                                        "end", m->end, size, (json_int_t)m->elements));
    }
    return list;
}

json_t *picture_timeline_json(const struct comparison_setup *setup,
                              const struct summand__algorithm *algorithm, struct hiding *hiding,
                              char fault[256])
{
    struct summand__predict predict = {.trace = true};
    if (!comparison_predict(setup, algorithm, setup->fixed, (int)setup->ranks.value[0],
                            (size_t)setup->counts.value[0], &predict)) {
        snprintf(fault, 256, "%s",
                 predict.fault[0] ? predict.fault : "the algorithm does not do this call");
        return NULL;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < predict.span_count; i++) {
        const struct summand__span *span = &predict.spans[i];
        json_array_append_new(list, json_make("siiffIb", "what", summand__span_name(span->kind),
                                              "rank", span->rank, "peer", span->peer, "begin",
                                              span->begin, "end", span->end, "bytes",
                                              (json_int_t)span->bytes, "critical", span->critical));
    }
    *hiding = hiding_predicted(setup, algorithm, &predict);
    summand__predict_free(&predict);
    return list;
}

json_t *picture_json(const struct comparison_setup *setup,
                     const struct summand__algorithm *algorithm, char fault[256])
{
    struct picture picture = {
        .setup = setup, .algorithm = algorithm, .ranks = (int)setup->ranks.value[0]};
    struct picture_edge *edges;
    bool tree, good = collect_structure(&picture, &edges, &tree, fault);
    json_t *list = good ? messages_json(&picture) : NULL;
    free(edges);
    free(picture.messages);
    return list;
}
