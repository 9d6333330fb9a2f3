/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripted faults of the event simulator hit the named target the given number of times; lost
 * pushes of rounds. */
#include "lab/gossip/data.h"
#include "lab/gossip/events.h"
#include "lab/gossip/rounds.h"
#include "unit/unit.h"
#include <unistd.h>

enum { NODES = 16 };

static bool never(void *context)
{
    (void)context;
    return false;
}

static struct summand__events_outcome run_with(const struct summand__scripted *script, int count,
                                               const char *algorithm, const char *checkpoint,
                                               int most)
{
    struct summand__topology topology;
    struct summand__events_outcome outcome;
    double values[NODES];
    for (int i = 0; i < NODES; i++)
        values[i] = summand__datum(SUMMAND__DATA_UNIFORM, 3, NODES, i);
    assert_null(summand__topology_make(&topology, "ring", NODES, 1));
    struct summand__events_setup setup = {.algorithm = summand__gossip_named(algorithm),
                                          .arith = &summand__arith_fixed,
                                          .topology = &topology,
                                          .values = values,
                                          .seed = 5,
                                          .tau = -1,
                                          .eps = 1e-9,
                                          .most_messages = most,
                                          .period = {1, 0.2, false},
                                          .latency = {0.75, 2.0 / 3, false},
                                          .fault_after = -1,
                                          .stop_rank = -1,
                                          .checkpoint = checkpoint,
                                          .due = never,
                                          .script = script,
                                          .scripted = count};
    summand__events_run(&setup, &outcome);
    summand__topology_free(&topology);
    return outcome;
}

static struct summand__events_outcome run(const struct summand__scripted *script, int count,
                                          const char *algorithm)
{
    return run_with(script, count, algorithm, NULL, 4000);
}

/* One damaged copy of a flow is fetched from the partner. If both copies are damaged, they are set
 * to zero. */
TEST(copies)
{
    struct summand__scripted s = {.rank = 3,
                                  .to = 4,
                                  .variable = SUMMAND__FAULT_FLOW,
                                  .bits = UINT64_C(1) << 40,
                                  .after = 10,
                                  .burst = 1};
    struct summand__events_outcome one = run(&s, 1, "pfcc");
    assert_null(one.wrong);
    assert_true(one.converged && one.flips == 1 && one.counts.resets == 0);
    assert_true(one.counts.repairs > 0);
    s.both = true;
    struct summand__events_outcome both = run(&s, 1, "pfcc");
    assert_true(both.converged && both.flips == 2 && both.counts.resets > 0);
}

TEST(bits_and_bursts)
{
    const struct summand__scripted list[] = {
        {3, 4, SUMMAND__FAULT_MESSAGE, SUMMAND__FAULT_VALUE, 0x5000000000000000, 7, 4, false},
        {9, -1, SUMMAND__FAULT_INPUT, SUMMAND__FAULT_VALUE, 8, 20, 1, false}};
    struct summand__events_outcome o = run(list, 2, "pfcc");
    assert_true(o.converged && o.flips == 2 * 4 + 1);
    assert_int_equal(o.counts.bad_messages, 4); /* and none of any other edge */
    struct summand__scripted elsewhere = list[0];
    elsewhere.after = 100000; /* never reached: the run continues for it */
    assert_true(run(&elsewhere, 1, "pfcc").most_messages >= 4000);
}

/* In a ring all processes send about equally often. */
TEST(messages_are_counted)
{
    struct summand__events_outcome o = run(NULL, 0, "pfcc");
    assert_true(o.messages <= o.most_messages && o.messages > 0.8 * o.most_messages);
    assert_true(o.first > 0 && o.first <= o.messages);
}

TEST(wrong_scripts)
{
    struct summand__scripted s = {.rank = 3, .to = 9, .variable = SUMMAND__FAULT_FLOW, .burst = 1};
    assert_non_null(run(&s, 1, "pfcc").wrong); /* no edge of the ring */
    s.rank = NODES;
    assert_non_null(run(&s, 1, "pfcc").wrong);
    s = (struct summand__scripted){.rank = 1, .to = -1, .variable = SUMMAND__FAULT_FLOW};
    assert_non_null(run(&s, 1, "ps").wrong);
}

/* A run that was saved between two faults continues with the remaining ones. */
TEST(goes_on)
{
    char path[] = "/tmp/scriptXXXXXX";
    const struct summand__scripted s = {
        3, 4, SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, 1 << 20, 20, 60, false};
    struct summand__events_outcome whole = run(&s, 1, "pfcc");
    assert_true(mkstemp(path) >= 0 && !unlink(path));
    struct summand__events_outcome part = run_with(&s, 1, "pfcc", path, 50);
    assert_true(!part.wrong && part.flips > 0 && part.flips < 60);
    struct summand__events_outcome rest = run_with(&s, 1, "pfcc", path, 4000);
    unlink(path);
    assert_null(rest.wrong);
    assert_true(rest.flips == 60 && whole.flips == 60 && rest.messages == whole.messages);
    assert_true(rest.error == whole.error);
}

static double datum(const void *context, int64_t i)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, 3, *(const int *)context, i);
}

/* Returns the largest error. */
static double rounds_with(const char *algorithm, double loss, int n, int threads, int rounds)
{
    struct summand__topology topology;
    struct summand__rounds sim;
    double root, largest;
    assert_null(summand__topology_make(&topology, "ring", n, 1));
    struct summand__rounds_setup setup = {.algorithm = summand__gossip_named(algorithm),
                                          .arith = &summand__arith_double,
                                          .n = n,
                                          .seed = 7,
                                          .tau = -1,
                                          .threads = threads,
                                          .topology = &topology,
                                          .value = datum,
                                          .context = &n,
                                          .loss = loss,
                                          .ordered = true,
                                          .truth =
                                              summand__data_mean(SUMMAND__DATA_UNIFORM, 3, n, 1)};
    assert_true(summand__rounds_open(&sim, &setup));
    for (int k = 0; k < rounds; k++)
        summand__rounds_step(&sim, NULL, 0);
    summand__rounds_error(&sim, &root, &largest);
    summand__rounds_close(&sim);
    summand__topology_free(&topology);
    return largest;
}

TEST(lost_pushes)
{
    assert_true(rounds_with("ps", 0, 12, 1, 600) < 1e-9);
    assert_true(rounds_with("ps", 0.1, 12, 1, 600) > 1e-4); /* mass is lost for good */
    assert_true(rounds_with("pfcc", 0.1, 12, 1, 1500) < 1e-9);
    assert_true(rounds_with("hps", 0.01, 5000, 1, 40) == rounds_with("hps", 0.01, 5000, 2, 40));
    assert_true(rounds_with("hps", 0.01, 5000, 1, 40) != rounds_with("hps", 0, 5000, 1, 40));
}
