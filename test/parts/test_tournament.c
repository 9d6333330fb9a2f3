/* SPDX-License-Identifier: BSD-3-Clause */
/* Who wins a tournament of `summand tune`, on given times: a table in place of the measurement. */
#include "cli/bench/bench_case.h"
#include "cli/tune/tune_tournament.h"
#include "plan/plan.h"
#include "unit/unit.h"

enum { ENTRANTS = 10, REPEATS = 8, LAPS = 3 };

/* Seconds of each entrant in each lap, and how far its repeats spread, as a part of it. */
static struct field {
    double seconds[ENTRANTS], spread[ENTRANTS];
    int faster_from[ENTRANTS]; /* the first lap that takes half the time, or 0 */
    int entrants, lap, trouble_at, entered[LAPS];
    enum timing_start start;
    double budget;           /* of all laps together */
    int elements;            /* of the case */
    summand_options options; /* of every plan, but the segment */
} field;

static summand_plan plans[ENTRANTS];

void __wrap_tune_candidates(const struct tune_call *call, size_t bytes, int promise,
                            struct bench_choices *choices, struct trouble *trouble);
void __wrap_tune_candidates(const struct tune_call *call, size_t bytes, int promise,
                            struct bench_choices *choices, struct trouble *trouble)
{
    (void)call, (void)bytes, (void)promise, (void)trouble;
    choices->count = field.entrants;
}

int __wrap_bench_open(const char *command, const struct bench_kind *kind, void *c,
                      struct timing_subject *subjects, struct trouble *trouble);
int __wrap_bench_open(const char *command, const struct bench_kind *kind, void *c,
                      struct timing_subject *subjects, struct trouble *trouble)
{
    (void)command, (void)kind, (void)trouble;
    for (int i = 0; i < field.entrants; i++) {
        subjects[i] = (struct timing_subject){.context = &plans[i]};
        ((struct bench_case *)c)->subjects.subject[i].plan = &plans[i];
    }
    field.elements = ((struct bench_case *)c)->count;
    return field.entrants;
}

void __wrap_timing_run(const struct timing_subject *subjects, int count,
                       const struct timing_options *options, struct timing *timings,
                       struct trouble *trouble);
void __wrap_timing_run(const struct timing_subject *subjects, int count,
                       const struct timing_options *options, struct timing *timings,
                       struct trouble *trouble)
{
    assert_true(field.lap < LAPS);
    field.entered[field.lap++] = count;
    field.start = options->start;
    field.budget += options->budget * (options->budget > 0);
    for (int i = 0; i < count; i++) {
        const summand_plan *plan = subjects[i].context;
        int one = (int)(plan - plans);
        bool faster = field.faster_from[one] && field.lap >= field.faster_from[one];
        timings[i] =
            (struct timing){.rounds = REPEATS, .seconds = malloc(REPEATS * sizeof(double))};
        assert_non_null(timings[i].seconds);
        for (int r = 0; r < REPEATS; r++)
            timings[i].seconds[r] = field.seconds[one] * (faster ? 0.5 : 1) *
                                    (1 + field.spread[one] * (2.0 * r / (REPEATS - 1) - 1));
    }
    if (field.lap == field.trouble_at)
        trouble_note(trouble, "a wrong result");
}

bool __wrap_agree_fine(bool fine);
bool __wrap_agree_fine(bool fine)
{
    return fine;
}

bool __wrap_agree(const char *command, const struct trouble *trouble);
bool __wrap_agree(const char *command, const struct trouble *trouble)
{
    (void)command;
    return !trouble->text[0];
}

/* The segment tells which entrant it is. */
int __wrap_summand_plan_describe(const summand_plan *plan, summand_options *options,
                                 const char **transport);
int __wrap_summand_plan_describe(const summand_plan *plan, summand_options *options,
                                 const char **transport)
{
    (void)transport;
    *options = field.options;
    options->segment = plan - plans;
    return MPI_SUCCESS;
}

static const struct bench_collective allreduce = {.collective = SUMMAND__COLL_ALLREDUCE},
                                     allgather = {.collective = SUMMAND__COLL_ALLGATHER};

/* The library's choice, number 0, takes a second, and every rival as long. */
static void reset(int entrants)
{
    field = (struct field){.entrants = entrants, .options = {.algorithm = "ring"}};
    for (int i = 0; i < ENTRANTS; i++) {
        field.seconds[i] = 1;
        field.spread[i] = 0.001;
    }
}

static struct tune_winner run(int ranks, size_t node_size, int processors)
{
    const struct tune_call call = {
        .collective = &allreduce, .ranks = ranks, .node_size = node_size, .processors = processors};
    struct trouble trouble = {""};
    field.lap = 0;
    return tune_tournament(&call, 800, 0, "", 1, &trouble);
}

static void expect(int winner, double seconds, double standard)
{
    const struct tune_winner won = run(4, 4, 8);
    assert_non_null(won.algorithm);
    assert_int_equal(won.parameter[SUMMAND__SEGMENT], TUNE_ELEMENT * winner);
    assert_true(won.seconds > 0.99 * seconds && won.seconds < 1.01 * seconds);
    assert_true(won.standard > 0.99 * standard && won.standard < 1.01 * standard);
}

/* Each two rivals in turn are the best and the second best one. */
TEST(the_best_wins)
{
    for (int entrants = 2; entrants <= ENTRANTS; entrants++)
        for (int best = 1; best < entrants; best++)
            for (int second = 0; second < entrants; second++) {
                reset(entrants);
                field.seconds[second] = 0.8;
                field.seconds[best] = 0.6;
                expect(best, 0.6, second ? 1 : 0.8);
            }
}

TEST(half_go_on)
{
    for (int entrants = 1; entrants <= ENTRANTS; entrants++) {
        reset(entrants);
        expect(0, 1, 1);
        assert_true(field.budget > 0.999 && field.budget < 1.001);
    }
    assert_int_equal(field.lap, 3);
    assert_int_equal(field.entered[0], ENTRANTS);
    assert_int_equal(field.entered[1], 5);
    assert_int_equal(field.entered[2], 3);
}

/* It is never out, however slow. */
TEST(the_choice_stays)
{
    reset(ENTRANTS);
    field.seconds[0] = 5;
    field.seconds[7] = 0.9;
    expect(7, 0.9, 5);
}

/* The lead is at least two hundredths, and the intervals do not meet. */
TEST(a_narrow_lead_is_none)
{
    reset(ENTRANTS);
    field.seconds[4] = 0.985;
    expect(0, 1, 1);
    field.seconds[4] = 0.975;
    expect(4, 0.975, 1);
    field.spread[4] = 0.2;
    expect(0, 1, 1);
}

/* The fastest of the first lap gains nothing by it later. */
TEST(the_last_lap_counts)
{
    reset(ENTRANTS);
    field.seconds[2] = 0.95;
    field.seconds[5] = 0.9;
    field.faster_from[2] = LAPS;
    expect(2, 0.475, 1);
}

TEST(after_a_complaint_nobody_wins)
{
    for (int at = 1; at <= LAPS; at++) {
        reset(ENTRANTS);
        field.trouble_at = at;
        assert_null(run(4, 4, 8).algorithm);
        assert_int_equal(field.lap, at);
    }
}

/* Ranks that share processors do not wait in the MPI's barrier. */
TEST(a_crowded_node_has_a_barrier_of_its_own)
{
    reset(2);
    run(4, 4, 4);
    assert_int_equal(field.start, TIMING_BARRIER);
    run(4, 4, 3);
    assert_int_equal(field.start, TIMING_COUNTER);
    run(4, 2, 3);
    assert_int_equal(field.start, TIMING_BARRIER);
}

/* A size counts the bytes of the vector; of an allgather, those of all blocks, which are equal. */
TEST(elements_of_a_size)
{
    static const struct {
        const struct bench_collective *collective;
        size_t bytes;
        int elements;
    } rows[] = {{&allreduce, 800, 100}, {&allgather, 792, 33}, {&allgather, 800, 34}};
    for (int i = 0; i < 3; i++) {
        const struct tune_call call = {
            .collective = rows[i].collective, .ranks = 3, .node_size = 3};
        struct trouble trouble = {""};
        reset(1);
        tune_tournament(&call, rows[i].bytes, 0, "", 1, &trouble);
        assert_int_equal(field.elements, rows[i].elements);
    }
}

/* Rules name a parameter where it is not the standard one. */
TEST(parameters_of_the_winner)
{
    const char *const name = "node-leaders";
    const struct summand__limits *limits = summand__algorithm_named(name)->limits;
    const size_t radix = limits[SUMMAND__RADIX].standard,
                 leaders = limits[SUMMAND__LEADERS].standard;
    for (size_t more = 0; more < 2; more++) {
        reset(1);
        field.options = (summand_options){
            .algorithm = name, .radix = (int)(radix + more), .leaders = (int)(leaders + more)};
        const struct tune_winner won = run(4, 4, 8);
        assert_int_equal(won.parameter[SUMMAND__RADIX], more ? radix + more : 0);
        assert_int_equal(won.parameter[SUMMAND__LEADERS], more ? leaders + more : 0);
    }
}
