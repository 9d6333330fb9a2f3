/* np: 1 2 3; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip all-reduce: the rank with a wrong argument names it, and all ranks have an error. Equal
 * weights change no mean. */
#include "mpi/harness.h"

#include <math.h>
#include <stdbool.h>
#include <summand.h>
#include <summand/gossip_faults.h>

static const summand_gossip_fault no_bit = {.bit = 64};
static const summand_gossip_faults fewer = {.count = -1}, unlisted = {.count = 2},
                                   bitless = {.count = 1, .fault = &no_bit};

static const struct {
    const char *words;
    int error; /* of Summand's */
    summand_gossip_options given;
} refusals[] = {
#define REFUSED(words, error, ...)                                                                 \
    {                                                                                              \
        words, SUMMAND_ERR_##error,                                                                \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define GOOD .eps = 1e-9, .max_rounds = 9, .weight = 1, .average = 1
    REFUSED("options.algorithm is 'hpfccc' (did you mean 'hpfcc'?)", ALGORITHM, GOOD,
            .algorithm = "hpfccc"),
    REFUSED("options.algorithm is 'ardb', which is for simulators", ALGORITHM, GOOD,
            .algorithm = "ardb"),
    REFUSED("options.algorithm is 'spread', which is for MPI_MIN", ALGORITHM, GOOD,
            .algorithm = "spread"),
    REFUSED("options.form is 3", ARGUMENT, GOOD, .form = (enum summand_gossip_form)3),
    REFUSED("options.norm is -1", ARGUMENT, GOOD, .norm = (enum summand_gossip_norm) - 1),
    REFUSED("options.eps is -1, not 0 (1e-9) or above", ARGUMENT, .eps = -1),
    REFUSED("options.eps is nan", ARGUMENT, .eps = NAN, .max_rounds = 9),
    REFUSED("options.eps is inf", ARGUMENT, .eps = INFINITY, .max_rounds = 9),
    REFUSED("options.max_rounds is -1, not 0 (1000) or more", ARGUMENT, .max_rounds = -1),
    REFUSED("options.tau is -1, not 0 (the default)", ARGUMENT, .tau = -1),
    REFUSED("options.tau is nan", ARGUMENT, .eps = 1e-9, .max_rounds = 9, .tau = NAN),
    REFUSED("options.tau is 1e-18, not 0 (the default) or at least", ARGUMENT, .eps = 1e-9,
            .max_rounds = 9, .weight = 1, .average = 1, .form = SUMMAND_GOSSIP_DOUBLE,
            .tau = 1e-18),
    REFUSED("options.timeout is -1 s, not 0 or more", ARGUMENT, GOOD, .timeout = -1),
    REFUSED("options.timeout is nan", ARGUMENT, GOOD, .timeout = NAN),
    REFUSED("options.promise is SUMMAND_PROMISE_RANK_ORDER; this call keeps at most "
            "SUMMAND_PROMISE_SAME",
            ARGUMENT, GOOD, .promise = SUMMAND_PROMISE_RANK_ORDER),
    REFUSED("options.promise is 7, not one of", ARGUMENT, GOOD, .promise = (enum summand_promise)7),
    REFUSED("options.weight is -2", ARGUMENT, .eps = 1e-9, .max_rounds = 9, .average = 1,
            .weight = -2),
    REFUSED("options.weight is nan", ARGUMENT, .eps = 1e-9, .max_rounds = 9, .average = 1,
            .weight = NAN),
    REFUSED("options.weight is inf", ARGUMENT, .eps = 1e-9, .max_rounds = 9, .average = 1,
            .weight = INFINITY),
    REFUSED("options.topology is 'star': the topologies are", ARGUMENT, GOOD, .algorithm = "ps",
            .topology = "star"),
    REFUSED("options.topology is 'ring', which 'hpfcc' does not use", ARGUMENT, .topology = "ring"),
    REFUSED("options.topology is 'ring', which 'rd' does not use", ARGUMENT, GOOD,
            .algorithm = "rd", .topology = "ring"),
    REFUSED("options.tau is 0.5, which 'ps' does not use", ARGUMENT, GOOD, .algorithm = "ps",
            .tau = 0.5),
    REFUSED("options.faults->count is -1", ARGUMENT, GOOD, .faults = &fewer),
    REFUSED("options.faults->fault is NULL, and options.faults->count 2", ARGUMENT, GOOD,
            .faults = &unlisted),
    REFUSED("options.faults->fault[0].bit is 64, not from 0 to 63", ARGUMENT, GOOD,
            .faults = &bitless),
};

static void check_refusal(int code, int want, const char *words, double y)
{
    char rank[64];
    bool here = harness_rank == harness_ranks - 1;
    snprintf(rank, sizeof rank, "(rank %d of %d)", harness_rank, harness_ranks);
    if (!here)
        want = summand_error_code(SUMMAND_ERR_REMOTE);
    const char *text = summand_error_text(code);
    CHECK(code == want && y == -7, "code %d for '%s': %s", code, words, text);
    CHECK(!here || (strstr(text, words) && strstr(text, rank)), "'%s' has no '%s'", text, words);
}

/* A wrong argument on one rank alone: that rank names it, all have an error, and there is no
 * result. */
static void wrong_arguments_are_named(void)
{
    bool here = harness_rank == harness_ranks - 1;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        summand_gossip_options o = summand_gossip_options_default();
        double x = 1, y = -7;
        o.average = 1;
        int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                            here ? &refusals[i].given : &o, NULL);
        check_refusal(code, summand_error_code((enum summand_error)refusals[i].error),
                      refusals[i].words, y);
    }
    for (int which = 0; which < 8; which++) {
        static const struct {
            const char *words;
            int code;
        } want[] = {{"recvbuf is MPI_IN_PLACE", MPI_ERR_BUFFER},
                    {"recvbuf is MPI_IN_PLACE", MPI_ERR_BUFFER},
                    {"recvbuf is NULL", MPI_ERR_BUFFER},
                    {"sendbuf is NULL", MPI_ERR_BUFFER},
                    {"recvbuf is NULL", MPI_ERR_BUFFER},
                    {"count is -3, not 0 or more", MPI_ERR_COUNT},
                    {"datatype is MPI_DATATYPE_NULL", MPI_ERR_TYPE},
                    {"op is ", MPI_ERR_OP}};
        double x = 1, y = -7;
        const void *sendbuf = here && which % 3 == 1 ? MPI_IN_PLACE
                              : here && which == 3   ? NULL
                                                     : &x;
        void *recvbuf = &y;
        if (here && which < 2)
            recvbuf = MPI_IN_PLACE;
        else if (here && (which == 2 || which == 4))
            recvbuf = NULL;
        int code = summand_gossip_allreduce(sendbuf, recvbuf, here && which == 5 ? -3 : 1,
                                            here && which == 6 ? MPI_DATATYPE_NULL : MPI_DOUBLE,
                                            here && which == 7 ? MPI_OP_NULL : MPI_SUM,
                                            MPI_COMM_WORLD, NULL, NULL);
        check_refusal(code, want[which].code, want[which].words, y);
    }
    double x = here ? -INFINITY : 1, y = -7;
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, NULL, NULL);
    check_refusal(code, summand_error_code(SUMMAND_ERR_NOT_FINITE), "sendbuf[0] is -inf", y);
    code = summand_gossip_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, NULL, NULL);
    CHECK(code == summand_error_code(SUMMAND_ERR_DATATYPE) &&
              strstr(summand_error_text(code), "datatype is MPI_INT, not MPI_DOUBLE or MPI_FLOAT"),
          "%s", summand_error_text(code));
    code = summand_gossip_allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, NULL);
    CHECK(code == MPI_SUCCESS, "NULL for no elements: %s", summand_error_text(code));
}

/* Equal weights on all ranks, and thresholds that detect nothing, change no mean. */
static void weights_alike_are_none(void)
{
    static const char *const names[] = {"hpfcc", "hpflc", "hps", "rd", "pfcc", "pflc", "pf", "ps"};
    static const double weights[] = {2, 100, 1e-300, 1e300};
    for (int c = 0; c < 8 * 3 * 4; c++) {
        summand_gossip_options o = summand_gossip_options_default();
        summand_gossip_report report;
        double x = harness_rank + 1, y = 0, truth = (harness_ranks + 1) / 2.0;
        o.algorithm = names[c % 8];
        o.form = (enum summand_gossip_form)(c / 8 % 3);
        o.eps = 1e-3;
        o.average = 1;
        o.promise = c % 5 ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_NONE;
        o.weight = weights[c / 24];
        if (c % 8 > 3 && c % 3) /* many messages */
            continue;
        int code =
            summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
        CHECK(code == MPI_SUCCESS && report.converged && fabs(y - truth) <= 1e-3 * truth &&
                  fabs(y - truth) <= report.spread,
              "%s form %d weight %g: code %d, %g for %g, spread %g", o.algorithm, o.form, o.weight,
              code, y, truth, report.spread);
    }
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wrong_arguments_are_named();
    weights_alike_are_none();
}
