/* np: 2, long: 3; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Trainings of every mode without memory: whichever request fails, on any rank, every rank has the
 * weights or an error. Nobody waits for ever, and the next training on the same communicator has
 * the bits of the first.
 *
 * `--table` prints the outcomes. */
#include <signal.h>
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/scarce.h"
#include "train/mpi/modes.h"
#include "unit/train.h"

enum { SECONDS = 60, MOST_REQUESTS = 5000 };

/* Groups make many requests, because they plan products: only one in this many is tried, on three
 * ranks. */
enum { EACH_OF_GROUPS = 61 };

static struct train_data digits;
static MPI_Comm comm;
static const size_t widths[] = {784, 7, 6, 5, 10};
static struct summand__net_shape shape;

static const struct mode {
    const char *name;
    const struct train_mode *mode;
    bool groups;
} modes[] = {{"data", &train_mode_data, false},       {"sync", &train_mode_sync, false},
             {"stashed", &train_mode_stashed, false}, {"2bw", &train_mode_2bw, false},
             {"poad", &train_mode_poad, false},       {"twins", &train_mode_stashed_twins, false},
             {"last", &train_mode_last, false},       {"groups", &train_mode_sync_groups, true}};

/* The current attempt, for the report of a rank that waits for ever. */
static struct {
    const char *mode;
    long n;
    int victim;
} now;

static void on_alarm(int signal)
{
    char text[128];
    int length = snprintf(text, sizeof text, "rank %d waits: %s, request %ld of rank %d refused\n",
                          harness_rank, now.mode, now.n, now.victim);
    (void)signal;
    _exit(write(2, text, (size_t)length) == length ? 1 : 2);
}

/* One training; returns the weights, or NULL and the error. */
static float *train(const struct mode *m, struct summand__net_fault *fault, size_t *floats)
{
    struct train_options options = train_test_options(16, 1, 0.05);
    struct train_hooks none = {0};
    struct train_run run;
    float *weights = NULL;
    char groups[32];
    snprintf(groups, sizeof groups, harness_ranks > 2 ? "1x1,1x%d" : "2x(1x1)", harness_ranks - 1);
    options.groups = m->groups ? groups : NULL;
    options.together = m->mode == &train_mode_poad; /* then it is repeatable */
    *fault = (struct summand__net_fault){.text = ""};
    if (!train_run_open(&run, &shape, summand__net_arithmetic_find("chain"), &digits, &options,
                        m->mode, &comm, fault))
        return NULL;
    if (train_run_go(&run, &none, fault) == TRAIN_DONE) {
        *floats = run.weights.floats;
        weights = __real_malloc(*floats * sizeof *weights);
        memcpy(weights, run.weights.memory, *floats * sizeof *weights);
    }
    train_run_close(&run);
    return weights;
}

/* The outcomes of all attempts of a mode. */
struct outcomes {
    long refused, right, failed, told; /* attempts: right or failed on all ranks, or on some */
};

static bool is_right(const float *weights, const float *first, size_t floats)
{
    return weights && !memcmp(weights, first, floats * sizeof *weights);
}

/* Whether the victim's request was refused. */
static bool attempt(const struct mode *m, const float *first, size_t floats, struct outcomes *all)
{
    struct summand__net_fault fault;
    size_t count = floats;
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == now.victim)
        scarce_begin(now.n, 0);
    float *weights = train(m, &fault, &count);
    long refused = scarce_end();
    bool good = is_right(weights, first, floats);
    CHECK(weights ? good : fault.text[0] != '\0', "%s, request %ld of rank %d: %s", m->name, now.n,
          now.victim, weights ? "other weights" : "fails without a word");
    free(weights);
    int mine[2] = {harness_rank == now.victim && refused, good}, sum[2];
    MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum[0] || good, "%s, request %ld of rank %d, none refused: %s", m->name, now.n,
          now.victim, fault.text);
    all->refused += sum[0];
    all->right += sum[0] && sum[1] == harness_ranks;
    all->failed += sum[0] && !sum[1];
    all->told += sum[0] && sum[1] && sum[1] < harness_ranks;
    weights = train(m, &fault, &count);
    CHECK(is_right(weights, first, floats), "%s, after request %ld of rank %d: %s", m->name, now.n,
          now.victim, weights ? "other weights" : fault.text);
    free(weights);
    return sum[0];
}

static void check_mode(const struct mode *m, struct outcomes *all)
{
    struct summand__net_fault fault;
    size_t floats = 0;
    now.mode = m->name;
    float *first = train(m, &fault, &floats);
    CHECK(first, "%s: %s", m->name, fault.text);
    for (now.victim = 0; first && now.victim < harness_ranks; now.victim++)
        for (now.n = 1; now.n < MOST_REQUESTS; now.n += m->groups ? EACH_OF_GROUPS : 1) {
            alarm(SECONDS);
            bool refused = attempt(m, first, floats, all);
            alarm(0);
            if (!refused)
                break;
        }
    free(first);
}

int main(int argc, char **argv)
{
    struct summand__net_fault fault = {.text = ""};
    harness_begin(&argc, &argv);
    signal(SIGALRM, on_alarm);
    comm = harness_comm();
    shape = train_test_shape("relu", "sigmoid", "cross-entropy", 4, widths);
    CHECK(train_data_digits(1, 32, 4, &digits, &fault), "%s", fault.text);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct outcomes all = {0, 0, 0, 0};
        bool twins = modes[i].mode == &train_mode_stashed_twins; /* two ranks a stage */
        if ((modes[i].groups && harness_ranks < 3) || (twins && harness_ranks % 2))
            continue;
        check_mode(&modes[i], &all);
        if (!harness_rank && argc > 1 && !strcmp(argv[1], "--table"))
            printf("%-8s refused %ld, right %ld, all failed %ld, some failed %ld\n", modes[i].name,
                   all.refused, all.right, all.failed, all.told);
    }
    train_data_free(&digits);
    MPI_Comm_free(&comm);
    return harness_end();
}
