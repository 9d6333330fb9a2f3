/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/scale_sleeper.h"

#include "bench/scale_clock.h"

enum { KERNELS = 16 };

static struct summand__kernel sleepers[KERNELS];
static const struct summand__kernel *originals[KERNELS];
static struct scale_speed its_speed;
static bool it_computes;

static int sleep_for(int number, const struct summand__work *work, size_t unit, size_t first,
                     size_t rows)
{
    struct summand__work_cost all = originals[number]->effort(work, unit);
    double operations = all.flops * its_speed.flop, moved = all.bytes * its_speed.byte;
    double part = (double)rows / (double)work->to.shape.rows;
    scale_sleep((operations > moved ? operations : moved) * part);
    return it_computes ? originals[number]->run(work, unit, first, rows) : 0;
}

#define NUMBERS(X)                                                                                 \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define SLEEPER(n)                                                                                 \
    static int run_##n(const struct summand__work *work, size_t unit, size_t first, size_t rows)   \
    {                                                                                              \
        return sleep_for(n, work, unit, first, rows);                                              \
    }
NUMBERS(SLEEPER)
#define NAME(n) run_##n,
static int (*const runs[KERNELS])(const struct summand__work *, size_t, size_t,
                                  size_t) = {NUMBERS(NAME)};

static const struct summand__kernel *sleeper_of(const struct summand__kernel *kernel)
{
    int i = 0;
    while (i < KERNELS && originals[i] && originals[i] != kernel)
        i++;
    if (i == KERNELS)
        return NULL;
    originals[i] = kernel;
    sleepers[i] = *kernel;
    sleepers[i].run = runs[i];
    return &sleepers[i];
}

bool scale_sleepers(struct summand__schedule *schedule, struct scale_speed speed, bool computes)
{
    its_speed = speed;
    it_computes = computes;
    for (uint32_t i = 0; schedule->tables && i < schedule->tables->n_computations; i++)
        if (!(schedule->tables->computations[i].kernel =
                  sleeper_of(schedule->tables->computations[i].kernel)))
            return false;
    return true;
}
