#include "select/search.h"

#include <math.h>
#include <string.h>

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

static double try(struct summand__search *search, const struct summand__call *call)
{
    double seconds = search->seconds(search, call);
    if (isfinite(seconds) && (!search->best.algorithm || seconds < search->best.seconds)) {
        search->best.algorithm = search->algorithm;
        search->best.seconds = seconds;
        memcpy(search->best.parameter, call->parameter, sizeof call->parameter);
    }
    return seconds;
}

/* Only narrow trees are tried with segments. */
static double try_parameters(struct summand__search *search, struct summand__call *call)
{
    double best = try(search, call);
    bool whole = !call->parameter[SUMMAND__SEGMENT];
    for (int which = SUMMAND__SEGMENT + 1; which < SUMMAND__PARAMETERS; which++) {
        const struct summand__limits *limits = &search->algorithm->limits[which];
        size_t kept = call->parameter[which];
        for (int i = 0; tried[which][i] && !search->given[which] && (whole || i < NARROW); i++) {
            size_t value = tried[which][i];
            if (value < limits->least || value > limits->most || value == limits->standard ||
                value > (size_t)call->ranks)
                continue;
            call->parameter[which] = value;
            double seconds = try(search, call);
            if (seconds < best) {
                best = seconds;
                kept = value;
            }
        }
        call->parameter[which] = kept;
    }
    return best;
}

/* The segment of tried[index] bytes in elements; 0 where that is none. */
static size_t segment_of(const struct summand__search *search, int index)
{
    size_t segment = tried[SUMMAND__SEGMENT][index] / search->element;
    size_t count = search->call.count;
    return segment < count && count / (segment ? segment : 1) <= MOST_SEGMENTS ? segment : 0;
}

static double try_segment(struct summand__search *search, int index)
{
    struct summand__call call = search->call;
    call.parameter[SUMMAND__SEGMENT] = segment_of(search, index);
    return try_parameters(search, &call);
}

/* Longer segments, or shorter ones, as long as they get better. */
static void climb(struct summand__search *search, int index, int way, double seconds)
{
    for (index += way; index >= 0 && segment_of(search, index); index += way) {
        double next = try_segment(search, index);
        if (next >= seconds)
            return;
        seconds = next;
    }
}

void summand__search(struct summand__search *search)
{
    struct summand__call call = search->call;
    int start = FIRST_SEGMENT;
    search->best = (struct summand__choice){0};
    try_parameters(search, &call);
    if (!search->algorithm->limits[SUMMAND__SEGMENT].most || search->given[SUMMAND__SEGMENT])
        return;
    while (start > 0 && tried[SUMMAND__SEGMENT][start] / search->element >= search->call.count)
        start--;
    while (!segment_of(search, start) && tried[SUMMAND__SEGMENT][start])
        start++;
    if (!segment_of(search, start))
        return;
    double seconds = try_segment(search, start);
    climb(search, start, 1, seconds);
    climb(search, start, -1, seconds);
}
