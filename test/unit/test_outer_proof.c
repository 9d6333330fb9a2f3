/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of sums of outer products are proved, and broken ones are not: products that are
 * missing, omit a pair, do not start at zero, or forget an update. */
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"
#include "outer/algorithm/kernels.h"
#include "outer/algorithm/shape.h"
#include "schedule/compute.h"
#include "unit/unit.h"

enum { MOST_RANKS = 5 };

static bool is_product(const struct summand__computation *computation)
{
    return computation->kernel->from == SUMMAND__COLUMN_I;
}

typedef bool breaking(struct summand__step *step, struct summand__computation *computation,
                      const struct summand__outer_shape *shape);

static bool leave_out(struct summand__step *step, struct summand__computation *computation,
                      const struct summand__outer_shape *shape)
{
    (void)computation, (void)shape;
    *step = (struct summand__step){.action = SUMMAND__COPY, .peer = -1};
    return true;
}

/* The last pair, or the first one. */
static bool shorten(struct summand__step *step, struct summand__computation *computation,
                    bool first)
{
    struct summand__rectangle *from = &computation->from, *with = &computation->with;
    if (from->rows < 2)
        return false;
    from->rows--;
    with->rows--;
    step->from.count -= from->pitch;
    step->with.count -= with->pitch;
    step->from.first += first ? from->pitch : 0;
    step->with.first += first ? with->pitch : 0;
    return true;
}

static bool without_last(struct summand__step *step, struct summand__computation *computation,
                         const struct summand__outer_shape *shape)
{
    (void)shape;
    return shorten(step, computation, false);
}

static bool without_first(struct summand__step *step, struct summand__computation *computation,
                          const struct summand__outer_shape *shape)
{
    (void)shape;
    return shorten(step, computation, true);
}

static bool begin_elsewhere(struct summand__step *step, struct summand__computation *computation,
                            const struct summand__outer_shape *shape)
{
    if (!computation->begins && step->from.first < shape->width)
        return false; /* nothing has been added so far */
    computation->begins = !computation->begins;
    return true;
}

static bool forget_update(struct summand__step *step, struct summand__computation *computation,
                          const struct summand__outer_shape *shape)
{
    (void)step;
    if (computation->kernel != &summand__outer_updates_by[shape->type])
        return false;
    computation->kernel = &summand__outer_chains[shape->type];
    computation->begins = true;
    return true;
}

/* One column too many, in the gap between the rows of the result. */
static bool too_wide(struct summand__step *step, struct summand__computation *computation,
                     const struct summand__outer_shape *shape)
{
    size_t l = (step->to.place - SUMMAND__PLACES) / 3;
    bool inside = shape->result == SUMMAND__OUTER_ALL && l < (size_t)shape->layers &&
                  computation->to.count < shape->layer[l].columns;
    /* The temporary rows of a root's result have no gaps. */
    bool part = shape->result == SUMMAND__OUTER_ROOT &&
                (l >= (size_t)shape->layers || computation->to.count < shape->layer[l].columns);
    if (inside || part) /* the place of another block, which is written later */
        return false;
    if (computation->to.rows < 2 || computation->to.pitch <= computation->to.count ||
        computation->with.pitch <= computation->with.count || !computation->with.rows)
        return false;
    computation->to.count++;
    computation->with.count++;
    step->to.count++;
    step->with.count++;
    return true;
}

static const struct {
    const char *name;
    breaking *apply;
} breakings[] = {{"leave out", leave_out},         {"without last", without_last},
                 {"without first", without_first}, {"begin elsewhere", begin_elsewhere},
                 {"forget update", forget_update}, {"too wide", too_wide}};
enum { BREAKINGS = sizeof breakings / sizeof *breakings };

static size_t made[BREAKINGS], proved;

/* A temporary product of no pairs is zeros. Those of an earlier band may still be there, so nothing
 * that is broken shows. */
static bool is_harmless(const struct summand__step *step,
                        const struct summand__computation *computation,
                        const struct summand__outer_shape *shape)
{
    return step->to.place >= SUMMAND__PLACES + 3 * (uint32_t)shape->layers &&
           !computation->from.rows;
}

static void break_step(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__schedule *schedules, int rank, size_t i)
{
    struct summand__schedule *schedule = &schedules[rank];
    struct summand__step kept = schedule->steps[i];
    struct summand__computation *computation = &schedule->tables->computations[kept.what];
    struct summand__computation before = *computation;
    const bool breaks = is_product(&before) && !is_harmless(&kept, &before, call->outer);
    for (int b = 0; b < BREAKINGS && breaks; b++) {
        struct summand__proof proof;
        if (breakings[b].apply(&schedule->steps[i], computation, call->outer)) {
            if (summand__prove_schedules(algorithm, call, NULL, schedules, &proof))
                fail_msg("%s, %d ranks: %s of rank %d's step %zu is not caught", algorithm->name,
                         call->ranks, breakings[b].name, rank, i);
            made[b]++;
        }
        schedule->steps[i] = kept;
        *computation = before;
    }
}

static bool try_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     void *context)
{
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__proof proof;
    (void)context;
    assert_true(summand__placed_schedules(algorithm, call, NULL, schedules));
    if (!summand__prove_schedules(algorithm, call, NULL, schedules, &proof))
        fail_msg("%s, %d ranks: %s", algorithm->name, call->ranks, proof.fault);
    proved++;
    for (int r = 0; r < call->ranks; r++)
        for (size_t i = 0; i < schedules[r].length; i++)
            if (schedules[r].steps[i].action == SUMMAND__COMPUTE)
                break_step(algorithm, call, schedules, r, i);
    for (int r = 0; r < call->ranks; r++)
        summand__schedule_free(&schedules[r]);
    return true;
}

TEST(every_breaking)
{
    for (int i = 0; summand__algorithms[i]; i++) {
        size_t before = proved;
        if (!summand__algorithms[i]->build[SUMMAND__COLL_OUTER])
            continue;
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
            assert_true(summand__cases(summand__algorithms[i], SUMMAND__COLL_OUTER, ranks,
                                       SUMMAND__MANY_CASES, try_case, NULL));
        assert_true(proved > before);
    }
    for (int b = 0; b < BREAKINGS; b++) {
        print_message("%-16s %6zu broken schedules caught\n", breakings[b].name, made[b]);
        assert_true(made[b] > 10);
    }
}
