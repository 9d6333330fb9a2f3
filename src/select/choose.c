#include "select/choose.h"

#include <limits.h>
#include <string.h>

#include "reduce/call.h"
#include "select/defaults.h"

/* Pipelines of more segments cost more memory for their steps than they save time. */
enum { MOST_SEGMENTS = 4096 };

/* Where the search for a segment begins, in `tried`, and how many radices are tried with segments.
 */
enum { FIRST_SEGMENT = 2, NARROW = 3 };

/* The values of a parameter that are tried, ended by 0; segments are in bytes. */
static const size_t tried[SUMMAND__PARAMETERS][12] = {
    [SUMMAND__SEGMENT] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144},
    [SUMMAND__RADIX] = {2, 3, 4, 5, 6, 8, 12, 16},
    [SUMMAND__LEADERS] = {1, 2, 4, 8, 16, 32, 64, 128},
    [SUMMAND__BETWEEN] = {2, 3, 4, 6, 8, 12, 16},
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
    if (!question->model && node < ranks)
        model.fair_card = 1; /* networks are not first come, first served */
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

/* One parameter after the other, each at its best with those before it; the segment is given. Only
 * narrow trees are tried with segments. */
static double try_parameters(struct search *search)
{
    double best = try(search);
    bool whole = !search->call.parameter[SUMMAND__SEGMENT];
    for (int which = SUMMAND__SEGMENT + 1; which < SUMMAND__PARAMETERS; which++) {
        const struct summand__limits *limits = &search->algorithm->limits[which];
        size_t kept = search->call.parameter[which];
        for (int i = 0; tried[which][i] && (whole || i < NARROW); i++) {
            size_t value = tried[which][i];
            if (value < limits->least || value > limits->most || value > (size_t)search->call.ranks)
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

/* The segment of tried[index] bytes in elements; 0 where that is none. */
static size_t segment_of(const struct search *search, int index)
{
    size_t segment = tried[SUMMAND__SEGMENT][index] / search->question->element;
    size_t count = search->call.count;
    return segment < count && count / (segment ? segment : 1) <= MOST_SEGMENTS ? segment : 0;
}

static double try_segment(struct search *search, int index)
{
    memset(search->call.parameter, 0, sizeof search->call.parameter);
    search->call.parameter[SUMMAND__NODE_SIZE] = search->question->node_size;
    search->call.parameter[SUMMAND__SEGMENT] = segment_of(search, index);
    return try_parameters(search);
}

/* Longer segments, or shorter ones, as long as they get better. */
static void climb(struct search *search, int index, int way, double seconds)
{
    for (index += way; index >= 0 && segment_of(search, index); index += way) {
        double next = try_segment(search, index);
        if (next >= seconds)
            return;
        seconds = next;
    }
}

/* Whole vectors, then segments. */
static void try_all(struct search *search)
{
    int start = FIRST_SEGMENT;
    try_parameters(search);
    if (!search->algorithm->limits[SUMMAND__SEGMENT].most)
        return;
    while (start > 0 &&
           tried[SUMMAND__SEGMENT][start] / search->question->element >= search->call.count)
        start--;
    while (!segment_of(search, start) && tried[SUMMAND__SEGMENT][start])
        start++;
    if (!segment_of(search, start))
        return;
    double seconds = try_segment(search, start);
    climb(search, start, 1, seconds);
    climb(search, start, -1, seconds);
}

static bool may_be_chosen(const struct summand__question *question,
                          const struct summand__algorithm *algorithm,
                          const struct summand__call *call)
{
    return summand__algorithm_does(algorithm, call) &&
           summand__promises_kept(algorithm, question->collective, question->promises);
}

/* Among equals the one that promises most, then one without nodes, then the table's order. */
static bool faster(const struct summand__choice *a, const struct summand__choice *b)
{
    static const double even = 1 + 1e-9;
    bool levels = a->algorithm->limits[SUMMAND__NODE_SIZE].most > 0;
    bool other = b->algorithm->limits[SUMMAND__NODE_SIZE].most > 0;
    if (a->seconds * even < b->seconds || b->seconds * even < a->seconds)
        return a->seconds < b->seconds;
    bool canonical = a->algorithm->promises & SUMMAND__CANONICAL;
    if (canonical != !!(b->algorithm->promises & SUMMAND__CANONICAL))
        return canonical;
    return !levels && other;
}

/* Puts a choice in its place. */
static int insert(struct summand__choice *choices, int count, int room,
                  const struct summand__choice *choice)
{
    int at = count < room ? count : room - 1;
    if (count == room && !faster(choice, &choices[at]))
        return count;
    for (; at > 0 && faster(choice, &choices[at - 1]); at--)
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
        try_all(&search);
        count = insert(choices, count, room, &search.best);
    }
    return count;
}

void summand__choose(const struct summand__question *question, struct summand__choice *choice)
{
    summand__choices(question, choice, 1);
}
