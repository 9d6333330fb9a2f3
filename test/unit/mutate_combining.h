/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutations of receives that combine. test_mutation.c includes this file and defines the functions
 * that it calls. */
static void insert(struct summand__schedule *schedule, size_t i, struct summand__step step)
{
    schedule->steps = realloc(schedule->steps, (schedule->length + 1) * sizeof *schedule->steps);
    assert_non_null(schedule->steps);
    memmove(schedule->steps + i + 1, schedule->steps + i,
            (schedule->length - i) * sizeof *schedule->steps);
    schedule->steps[i] = step;
    schedule->capacity = ++schedule->length;
}

/* The rest is about receives that combine. */
static bool combines(const struct summand__schedule *schedule, size_t i)
{
    return schedule->steps[i].action == SUMMAND__RECV_REDUCE;
}

static bool other_side(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__schedule *schedule, size_t i)
{
    if (!combines(schedule, i) || !in_rank_order(algorithm, call))
        return false;
    schedule->steps[i].flags ^= SUMMAND__STEP_LEFT;
    return true;
}

static bool once_more(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct summand__schedule *schedule, size_t i)
{
    const struct summand__step step = schedule->steps[i];
    size_t end = round_end(schedule, i);
    (void)algorithm, (void)call;
    if (!combines(schedule, i) || end == schedule->length)
        return false;
    struct summand__step reduce = {.action = SUMMAND__REDUCE, .peer = -1, .to = step.to};
    reduce.from = summand__regions_equal(step.from, step.to) ? step.with : step.from;
    insert(schedule, end + 1, reduce);
    return true;
}

static bool not_at_all(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)algorithm, (void)call;
    if (!combines(schedule, i))
        return false;
    step->action = SUMMAND__RECV;
    step->to = step->from;
    step->from.count = step->with.count = 0;
    step->flags = 0;
    return true;
}

static bool without_copy(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule,
                         size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)algorithm, (void)call;
    if (!combines(schedule, i) || summand__regions_equal(step->with, step->to) ||
        summand__regions_equal(step->from, step->to))
        return false;
    step->with = step->to;
    return true;
}

/* Moves the step behind the round's next combining receive that uses its result as operand or
 * result. */
static bool crossed(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule, size_t i)
{
    struct summand__step *steps = schedule->steps, step = steps[i];
    for (size_t j = i + 1; combines(schedule, i) && j < round_end(schedule, i); j++) {
        bool operand = summand__regions_overlap(steps[j].with, step.to);
        bool moves_on = operand && !summand__regions_equal(step.with, step.to);
        if (!combines(schedule, j) || !operand || !(moves_on || in_rank_order(algorithm, call)))
            continue;
        steps[i] = steps[j];
        steps[j] = step;
        return true;
    }
    return false;
}

static bool late(const struct summand__algorithm *algorithm, const struct summand__call *call,
                 struct summand__schedule *schedule, size_t i)
{
    (void)algorithm, (void)call;
    schedule->steps[i].lag = 1;
    return combines(schedule, i);
}

static bool of_far(const struct summand__algorithm *algorithm, const struct summand__call *call,
                   struct summand__schedule *schedule, size_t i)
{
    struct summand__step *steps = schedule->steps;
    (void)algorithm;
    size_t end = round_end(schedule, i);
    if (steps[i].action != SUMMAND__RECV || is_near(call->rank, steps[i].peer) || steps[i].lag ||
        end + 1 >= schedule->length || steps[end + 1].action != SUMMAND__REDUCE ||
        !summand__regions_equal(steps[end + 1].from, steps[i].to))
        return false;
    steps[i].action = SUMMAND__RECV_REDUCE;
    steps[i].flags |= SUMMAND__STEP_LEFT;
    steps[i].from = steps[i].to;
    steps[i].with = steps[i].to = steps[end + 1].to;
    remove_step(schedule, end + 1);
    return true;
}
