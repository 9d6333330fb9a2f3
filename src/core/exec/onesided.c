/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/onesided.h"

#include "base/backoff.h"

/* Seconds of computation before the rank's other operations get a turn. Each run of a product packs
 * an operand anew, so runs are longer if only the caller's watch needs turns. */
static double quantum_of(const struct summand__onesided *onesided)
{
    return onesided->undisturbed ? 2e-2 : 1e-4;
}

void summand__onesided_init(struct summand__onesided *onesided,
                            const struct summand__schedule *schedule)
{
    int slots = 0;
    for (unsigned p = 0; p < schedule->places; p++)
        if (schedule->info[p].kind == SUMMAND__WINDOW) {
            onesided->slot[SUMMAND__PLACES + p] = slots;
            onesided->place[p] = onesided->window->slot[slots++].data;
        }
    onesided->starts = 0;
    onesided->rows = 0;
    onesided->rate = onesided->spent = 0;
}

static int rank_of(const struct summand__onesided *onesided, int peer)
{
    return onesided->rank_of ? onesided->rank_of[peer] : peer;
}

static unsigned char *address(const struct summand__step_memory *memory,
                              struct summand__region region)
{
    return memory->place[region.place] + region.first * memory->unit[region.place];
}

static bool notifies(const struct summand__schedule *schedule, size_t put)
{
    const struct summand__step *next = &schedule->steps[put + 1];
    return put + 1 < schedule->length && next->action == SUMMAND__NOTIFY &&
           next->peer == schedule->steps[put].peer;
}

static int put(struct summand__onesided *onesided, const struct summand__schedule *schedule,
               size_t i, const struct summand__step_memory *memory)
{
    const struct summand__step *step = &schedule->steps[i];
    size_t unit = memory->unit[step->to.place];
    struct summand__put call = {.data = address(memory, step->from),
                                .bytes = step->from.count * unit,
                                .rank = rank_of(onesided, step->peer),
                                .slot = onesided->slot[step->to.place],
                                .offset = (ptrdiff_t)(step->to.first * unit),
                                .counter =
                                    notifies(schedule, i)
                                        ? onesided->first_counter + (int)schedule->steps[i + 1].what
                                        : SUMMAND__NO_COUNTER,
                                .flags = SUMMAND__PUT_NO_WAIT};
    return onesided->window->transport->put(onesided->window, &call);
}

static int notify(struct summand__onesided *onesided, const struct summand__schedule *schedule,
                  size_t i)
{
    const struct summand__step *step = &schedule->steps[i];
    if (i && schedule->steps[i - 1].action == SUMMAND__PUT && notifies(schedule, i - 1))
        return 0;
    return onesided->window->transport->notify(onesided->window, rank_of(onesided, step->peer),
                                               onesided->first_counter + (int)step->what);
}

static int test(struct summand__onesided *onesided, const struct summand__schedule *schedule,
                const struct summand__step *step, bool *done)
{
    int64_t threshold =
        summand__counter_threshold(&schedule->tables->counters[step->what], step, onesided->starts);
    *done = threshold <= 0;
    return *done ? 0
                 : onesided->window->transport->test(onesided->window,
                                                     onesided->first_counter + (int)step->what,
                                                     (uint64_t)threshold, done);
}

static struct summand__work work_of(const struct summand__computation *computation,
                                    const struct summand__step *step,
                                    const struct summand__step_memory *memory)
{
    return (struct summand__work){.from = {address(memory, step->from), computation->from},
                                  .with = {address(memory, step->with), computation->with},
                                  .to = {address(memory, step->to), computation->to},
                                  .begins = computation->begins,
                                  .alpha = computation->alpha,
                                  .beta = computation->beta};
}

/* Before the first measurement: 1 ns per flop and byte. */
static double rate_of(const struct summand__onesided *onesided)
{
    return onesided->rate > 0 ? onesided->rate : 1e-9;
}

/* Rows of one quantum at the last measured rate, in equal parts; at least the kernel's grain. */
static size_t rows_of(const struct summand__onesided *onesided,
                      const struct summand__kernel *kernel, double effort, size_t left)
{
    double rows = quantum_of(onesided) / (effort * rate_of(onesided));
    double least = kernel->grain ? (double)kernel->grain : 1;
    if (rows < least)
        rows = least;
    if (!(rows < (double)left))
        return left;
    size_t parts = (left - 1) / (size_t)rows + 1;
    return onesided->undisturbed ? (left - 1) / parts + 1 : (size_t)rows;
}

static int compute(struct summand__onesided *onesided, const struct summand__schedule *schedule,
                   const struct summand__step *step, const struct summand__step_memory *memory,
                   bool *done)
{
    const struct summand__computation *computation = &schedule->tables->computations[step->what];
    const struct summand__kernel *kernel = computation->kernel;
    struct summand__work work = work_of(computation, step, memory);
    size_t unit = memory->unit[step->to.place], all = work.to.shape.rows;
    struct summand__work_cost effort = kernel->effort(&work, unit);
    double each = (effort.flops + effort.bytes + 1) / (double)all;
    size_t rows = rows_of(onesided, kernel, each, all - onesided->rows);
    bool timed = rows < all || onesided->rate <= 0;
    *done = false;
    if (onesided->spent > quantum_of(onesided)) { /* also the sum of several short ones */
        onesided->spent = 0;
        return 0;
    }
    uint64_t begin = timed ? summand__clock() : 0;
    int code = kernel->run(&work, unit, onesided->rows, rows);
    if (timed)
        onesided->rate = (double)(summand__clock() - begin + 1) * 1e-9 / (each * (double)rows);
    if (!code && computation->tells && onesided->tell)
        onesided->tell(onesided->context, (uint32_t)step->to.place,
                       step->to.first + onesided->rows * work.to.shape.pitch, rows);
    onesided->rows += rows;
    onesided->spent += each * (double)rows * rate_of(onesided);
    *done = code || onesided->rows == all;
    if (*done)
        onesided->rows = 0;
    return code;
}

int summand__onesided_step(struct summand__onesided *onesided,
                           const struct summand__schedule *schedule, size_t i,
                           const struct summand__step_memory *memory, bool *done)
{
    const struct summand__step *step = &schedule->steps[i];
    *done = true;
    switch (step->action) {
    case SUMMAND__PUT:
        return put(onesided, schedule, i, memory);
    case SUMMAND__NOTIFY:
        return notify(onesided, schedule, i);
    case SUMMAND__WAIT_COUNTER:
        return test(onesided, schedule, step, done);
    default:
        return compute(onesided, schedule, step, memory, done);
    }
}

int summand__onesided_flush(struct summand__onesided *onesided, bool *done)
{
    struct summand__window *window = onesided->window;
    return window->transport->flush(window, SUMMAND__EVERY_RANK, false, done);
}

int summand__onesided_progress(struct summand__onesided *onesided)
{
    struct summand__window *window = onesided->window;
    return window && window->transport->progress ? window->transport->progress(window) : 0;
}
