/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of the kernels of lanes on one core, as a multiple of memcpy of the same bytes.
 *     bench-local-lanes [--processor-time] [ROUNDS]
 * Each kernel reads or writes the elements and their lanes, in blocks of SUMMAND__LANES_BLOCK.
 * "encode, decode" is compared with memcpy of the bytes that both read and write, half of them
 * read and half written. --processor-time: not by the clock, for a machine with much other load. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "kernel/arch.h"
#include "kernel/lanes.h"

enum { BLOCK = SUMMAND__LANES_BLOCK, LARGEST = 1 << 21, DIGITS_MOST = 8, SUBJECTS = 6 };

enum what { COPY, RANGE, ENCODE, ADD, DECODE, BOTH };

struct work {
    enum what what;
    enum summand__lanes_type type;
    struct summand__lanes_format format;
    size_t n;
    char *x, *y;
    int64_t *lanes;
};

static void run_block(const struct work *w, size_t j, struct summand__lanes_range *range)
{
    const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
    const size_t bytes = summand__lanes_element(w->type);
    int64_t *lanes = w->lanes + summand__lanes_size(&w->format, j);
    switch (w->what) {
    case RANGE:
        kernels->range[w->type](w->x + j * bytes, BLOCK, range);
        break;
    case ENCODE:
        kernels->encode[w->type](w->x + j * bytes, BLOCK, &w->format, lanes);
        break;
    case ADD:
        kernels->add[w->type](w->x + j * bytes, BLOCK, &w->format, lanes);
        break;
    default:
        kernels->decode[w->type](&w->format, 1, lanes, BLOCK, w->y + j * bytes);
    }
}

static double run(const void *context)
{
    struct work w = *(const struct work *)context;
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    const size_t bytes = summand__lanes_element(w.type), size = summand__lanes_size(&w.format, 1);
    if (w.what == COPY) {
        memcpy(w.lanes, w.x, w.n * (bytes + 8 * size) / 2);
        return w.lanes[0] != 0;
    }
    if (w.what == BOTH) {
        w.what = ENCODE;
        run(&w);
        w.what = DECODE;
    }
    for (size_t j = 0; j < w.n; j += BLOCK)
        run_block(&w, j, &range);
    return w.y[0] + (double)range.top;
}

static uint64_t random_u64(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Numbers in (-1, 1), of which doubles and floats have all their digits. */
static void fill(struct work *w)
{
    for (size_t j = 0; j < LARGEST; j++) {
        const double x = (double)((int64_t)random_u64() >> 10) * 0x1p-53;
        const float single = (float)x;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        const uint16_t bf16 = (uint16_t)(bits >> 16);
        const uint16_t f16 = (uint16_t)((bits >> 16 & 0x8000) | 0x3000 | (random_u64() & 0x7ff));
        const void *from[SUMMAND__LANES_TYPES] = {&x, &single, &f16, &bf16};
        const size_t bytes = summand__lanes_element(w->type);
        memcpy(w->x + j * bytes, from[w->type], bytes);
    }
}

/* A format of `digits` digits into which the terms fit. */
static void set_format(struct work *w, unsigned digits)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    summand__lanes_kernels()->range[w->type](w->x, LARGEST, &range);
    w->format = summand__lanes_format(&range, 61);
    if (digits > w->format.digits) {
        w->format.lowest = (int16_t)(w->format.lowest - 61 * (digits - w->format.digits));
        w->format.digits = (uint8_t)digits;
    }
}

static void show(struct work *w, int rounds)
{
    static const char *const names[SUBJECTS] = {"memcpy", "range",  "encode",
                                                "add",    "decode", "encode, decode"};
    static const char *const types[] = {"f64", "f32", "f16", "bf16"};
    struct work works[SUBJECTS];
    struct measure_subject subjects[SUBJECTS];
    double *seconds = need(malloc((size_t)(SUBJECTS * rounds) * sizeof *seconds));
    for (int s = 0; s < SUBJECTS; s++) {
        works[s] = *w;
        works[s].what = (enum what)s;
        subjects[s] = (struct measure_subject){names[s], run, &works[s]};
    }
    measure_rounds(subjects, SUBJECTS, rounds, 200000 / w->n + 1, seconds);
    for (int s = 0; s < SUBJECTS; s++) {
        const struct measure_interval t = measure_median(seconds + s * rounds, rounds);
        const struct measure_interval r = measure_ratio(seconds + s * rounds, seconds, rounds);
        const double copies = s == BOTH ? 2 : 1;
        printf("%-8s %-4s %2d %9zu  %-16s %8.3f %7.2f  [%.2f, %.2f]\n",
               summand__arch_name(summand__arch()), types[w->type], w->format.digits, w->n,
               names[s], 1e9 * t.median / (double)w->n, r.median / copies, r.low / copies,
               r.high / copies);
    }
    fflush(stdout);
    free(seconds);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1 << 12, 1 << 16, LARGEST};
    const bool processor = argc > 1 && !strcmp(argv[1], "--processor-time");
    const int rounds = argc > 1 + processor ? atoi(argv[1 + processor]) : 20;
    struct work w = {.x = need(calloc((size_t)4 * (DIGITS_MOST + 1), LARGEST)),
                     .y = need(malloc(8 * LARGEST)),
                     .lanes = need(aligned_alloc(64, (size_t)8 * DIGITS_MOST * LARGEST))};
    if (rounds < 1)
        return 1;
    if (processor)
        measure_processor_time();
    printf("set      type digits   n  what             ns/element   ratio  [95 %% interval]\n");
    for (int arch = SUMMAND__ARCHS - 1; arch >= 0; arch--)
        for (int type = 0; type < SUMMAND__LANES_TYPES; type++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            w.type = (enum summand__lanes_type)type;
            fill(&w);
            memset(w.lanes, 0, (size_t)8 * DIGITS_MOST * LARGEST);
            for (unsigned digits = 1; digits <= (type ? 1 : 5); digits += digits > 2 ? 2 : 1)
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                    w.n = sizes[s];
                    set_format(&w, digits);
                    show(&w, rounds);
                }
        }
    free(w.x);
    free(w.y);
    free(w.lanes);
    return 0;
}
