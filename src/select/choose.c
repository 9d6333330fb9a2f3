#include "select/choose.h"

#include <limits.h>
#include <string.h>

#include "reduce/call.h"
#include "select/defaults.h"

/* Pipelines of more segments cost more memory for their steps than they save time. */
enum { MOST_SEGMENTS = 4096, ALGORITHMS = 64 };

/* An algorithm that is this many times slower with its default parameters is not looked into. */
static const double hopeless = 16;

/* The values of a parameter that are tried, ended by 0; segments are in bytes. */
static const size_t tried[SUMMAND__PARAMETERS][12] = {
    [SUMMAND__SEGMENT] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144},
    [SUMMAND__RADIX] = {2, 3, 4, 5, 6, 8, 12, 16},
    [SUMMAND__LEADERS] = {1, 2, 4, 8, 16, 32, 64, 128},
};

struct search {
    const struct summand__question *question;
    const struct summand__model *model;
    const struct summand__algorithm *algorithm;
    struct summand__call call; /* with the parameters that are being tried */
    struct summand__choice best;
};

bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises)
{
    return !summand__has_operator(collective) || (algorithm->promises & promises) == promises;
}

/* Blocks are taken for equally long. */
static struct summand__call call_of(const struct summand__question *question)
{
    size_t ranks = (size_t)question->ranks, count = question->bytes / question->element;
    struct summand__call call = {
        .collective = question->collective, .ranks = question->ranks, .count = count};
    if (summand__has_blocks(question->collective))
        call.count = count / ranks + (count % ranks > 0);
    return call;
}

struct summand__model summand__question_model(const struct summand__question *question)
{
    size_t node = question->node_size, ranks = (size_t)question->ranks;
    const struct summand__model *standard =
        node >= ranks ? &summand__memory_model : &summand__cluster_model;
    struct summand__model model = question->model ? *question->model : *standard;
    model.per_node = node > INT_MAX ? INT_MAX : (double)node;
    if (node <= 1)
        model.shared_card = 0;
    return model;
}

double summand__choice_seconds(const struct summand__question *question,
                               const struct summand__choice *choice,
                               const struct summand__model *model)
{
    struct summand__call call = call_of(question);
    memcpy(call.parameter, choice->parameter, sizeof call.parameter);
    return summand__estimate_of(choice->algorithm, &call, question->element, model);
}

static double try(struct search *search)
{
    double seconds = summand__estimate_of(search->algorithm, &search->call,
                                          search->question->element, search->model);
    if (!search->best.algorithm || seconds < search->best.seconds) {
        search->best.algorithm = search->algorithm;
        search->best.seconds = seconds;
        memcpy(search->best.parameter, search->call.parameter, sizeof search->call.parameter);
    }
    return seconds;
}

/* One parameter after the other, each at its best with those before it; the segment is given. */
static double try_parameters(struct search *search)
{
    double best = try(search);
    for (int which = SUMMAND__SEGMENT + 1; which < SUMMAND__PARAMETERS; which++) {
        const struct summand__limits *limits = &search->algorithm->limits[which];
        size_t kept = search->call.parameter[which];
        if (which == SUMMAND__NODE_SIZE)
            continue;
        for (int i = 0; tried[which][i] && tried[which][i] <= limits->most; i++) {
            size_t value = tried[which][i];
            if (value < limits->least || value > (size_t)search->call.ranks)
                continue;
            search->call.parameter[which] = value;
            double seconds = try(search);
            if (seconds < best) {
                best = seconds;
                kept = value;
            }
        }
        search->call.parameter[which] = kept;
    }
    return best;
}

/* Whole vectors, then segments. */
static void try_all(struct search *search, double to_beat)
{
    size_t element = search->question->element, count = search->call.count;
    size_t start[SUMMAND__PARAMETERS];
    memcpy(start, search->call.parameter, sizeof start);
    bool segments = search->algorithm->limits[SUMMAND__SEGMENT].most > 0;
    if (try(search) > hopeless * to_beat && !segments)
        return;
    try_parameters(search);
    for (int i = 0; segments && tried[SUMMAND__SEGMENT][i]; i++) {
        size_t segment = tried[SUMMAND__SEGMENT][i] / element;
        if (!segment || segment >= count || count / segment > MOST_SEGMENTS)
            continue;
        memcpy(search->call.parameter, start, sizeof start);
        search->call.parameter[SUMMAND__SEGMENT] = segment;
        try_parameters(search);
    }
}

/* Compositions of levels are for several nodes of several ranks. */
static bool may_be_chosen(const struct summand__question *question,
                          const struct summand__algorithm *algorithm,
                          const struct summand__call *call)
{
    bool levels = algorithm->limits[SUMMAND__NODE_SIZE].most > 0;
    size_t ranks = (size_t)question->ranks;
    return summand__algorithm_does(algorithm, call) &&
           summand__promises_kept(algorithm, question->collective, question->promises) &&
           !(levels && (question->node_size <= 1 || question->node_size >= ranks));
}

/* Puts a choice in its place by time; among equals the table's order stays. */
static int insert(struct summand__choice *choices, int count, int room,
                  const struct summand__choice *choice)
{
    int at = count < room ? count : room - 1;
    if (count == room && choices[at].seconds <= choice->seconds)
        return count;
    for (; at > 0 && choices[at - 1].seconds > choice->seconds; at--)
        choices[at] = choices[at - 1];
    choices[at] = *choice;
    return count < room ? count + 1 : room;
}

int summand__choices(const struct summand__question *question, struct summand__choice *choices,
                     int room)
{
    struct summand__model model = summand__question_model(question);
    struct summand__call call = call_of(question);
    int count = 0;
    call.parameter[SUMMAND__NODE_SIZE] = question->node_size;
    for (int i = 0; summand__algorithms[i]; i++) {
        struct search search = {.question = question,
                                .model = &model,
                                .algorithm = summand__algorithms[i],
                                .call = call};
        if (!may_be_chosen(question, search.algorithm, &call))
            continue;
        try_all(&search, count ? choices[0].seconds : 1e300);
        count = insert(choices, count, room, &search.best);
    }
    return count;
}

void summand__choose(const struct summand__question *question, struct summand__choice *choice)
{
    summand__choices(question, choice, 1);
}
