/* SPDX-License-Identifier: BSD-3-Clause */
/* summand gossip allreduce: one real gossip all-reduce over the ranks of mpirun, with its
 * report. */
#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"

#include "gossip/arith.h"
#include "lab/gossip/data.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <summand/gossip.h>

static const char *const forms[] = {"fixed", "double", "single", NULL};
static const char *const norms[] = {"relative", "rms", "absolute", NULL};
static const char *const operators[] = {"sum", "average", "min", "max", NULL};

struct request {
    summand_gossip_options options;
    int form, norm, op, data;
    long long count, most, seed;
    double scale;
    bool json;
};

static void print_report(const struct request *q, const summand_gossip_report *r, double y,
                         double plain, double seconds)
{
    print_line("%s of %lld x %s data, first element   %.17g", operators[q->op], q->count,
               summand__data_names[q->data], y);
    print_line("MPI_Allreduce                        %.17g", plain);
    print_line("rounds %d, %s, spread at most %g (%s), %.3f ms", r->rounds,
               r->converged ? "converged" : "NOT converged", r->spread,
               r->rigorous ? "proven" : "not proven", 1e3 * seconds);
    print_line("messages %llu, bytes %llu", (unsigned long long)r->messages,
               (unsigned long long)r->bytes);
    print_line("bad messages %llu, bad states %llu, repairs %llu, resets %llu",
               (unsigned long long)r->bad_messages, (unsigned long long)r->bad_states,
               (unsigned long long)r->repairs, (unsigned long long)r->resets);
}

static int print_json(const struct request *q, const summand_gossip_report *r, double y,
                      double plain, double seconds)
{
    json_t *json = json_head("gossip allreduce");
    json_object_update_new(
        json, json_make("sIsffibbff", "op", operators[q->op], "count", (json_int_t)q->count, "data",
                        summand__data_names[q->data], "first", y, "mpi_allreduce", plain, "rounds",
                        r->rounds, "converged", r->converged, "rigorous", r->rigorous, "spread",
                        r->spread, "seconds", seconds));
    json_object_update_new(
        json, json_make("IIIIII", "messages", (json_int_t)r->messages, "bytes",
                        (json_int_t)r->bytes, "bad_messages", (json_int_t)r->bad_messages,
                        "bad_states", (json_int_t)r->bad_states, "repairs", (json_int_t)r->repairs,
                        "resets", (json_int_t)r->resets));
    return write_json("gossip allreduce", json, NULL);
}

struct bar {
    long long pieces, of; /* started; in all, at least */
    bool shown;           /* by this rank */
};

static void show_progress(void *context, int round, const double *y, int count)
{
    struct bar *bar = context;
    (void)y, (void)count;
    bar->pieces += round == 1;
    if (bar->shown)
        gossip_progress("allreduce", fmin((double)(bar->pieces - 1), 0.99 * (double)bar->of),
                        (double)bar->of);
}

static int reduce(struct request *q)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    double *x = malloc(2 * (size_t)q->count * sizeof *x), *y = x + q->count, plain = 0;
    if (!x)
        return complain("gossip allreduce", "out of memory");
    for (long long k = 0; k < q->count; k++)
        x[k] =
            q->scale * summand__datum((enum summand__data_kind)q->data,
                                      summand__stream((uint64_t)q->seed, (uint64_t)k), ranks, rank);
    MPI_Op ops[] = {MPI_SUM, MPI_SUM, MPI_MIN, MPI_MAX};
    q->options.average = q->op == 1;
    bool squares = q->options.norm == SUMMAND_GOSSIP_RMS && q->op < 2;
    int piece = SUMMAND__GOSSIP_MOST / (1 + squares);
    struct bar bar = {.of = (q->count + piece - 1) / piece, .shown = !rank};
    q->options.watch = show_progress;
    q->options.context = &bar;
    summand_gossip_report report;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    int code = summand_gossip_allreduce(x, y, (int)q->count, MPI_DOUBLE, ops[q->op], MPI_COMM_WORLD,
                                        &q->options, &report);
    double seconds = MPI_Wtime() - start;
    if (!rank)
        gossip_progress("allreduce", 1, 1);
    MPI_Allreduce(x, &plain, 1, MPI_DOUBLE, ops[q->op], MPI_COMM_WORLD);
    if (q->op == 1)
        plain /= ranks;
    if (code != MPI_SUCCESS && !rank) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        complain("gossip allreduce", "%s", text);
    }
    int status = code == MPI_SUCCESS ? 0 : 1;
    if (!status && !rank && q->json)
        status = print_json(q, &report, y[0], plain, seconds);
    else if (!status && !rank)
        print_report(q, &report, y[0], plain, seconds);
    free(x);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct request q = {.options.eps = 1e-9, .count = 1, .most = 1000, .seed = 1, .scale = 1};
    const struct option_row rows[] = {
        {"algorithm", 'a', OPTION_TEXT, &q.options.algorithm, "NAME", "see 'gossip list'", NULL},
        {"form", 0, OPTION_CHOICE, &q.form, "F", "numbers computed with", forms},
        {"op", 0, OPTION_CHOICE, &q.op, "OP", "operator", operators},
        {"eps", 'e', OPTION_REAL, &q.options.eps, "E", "accuracy", NULL, ABOVE_ZERO, DBL_MAX},
        {"norm", 0, OPTION_CHOICE, &q.norm, "N", "what it is relative to", norms},
        {"topology", 0, OPTION_TEXT, &q.options.topology, "NAME",
         "topology of an asynchronous algorithm", NULL},
        {"count", 'n', OPTION_INT, &q.count, "N", "elements", NULL, 1, 1 << 20},
        {"data", 0, OPTION_CHOICE, &q.data, "KIND", "input", summand__data_names},
        {"scale", 0, OPTION_REAL, &q.scale, "S", "factor of the input", NULL, -DBL_MAX, DBL_MAX},
        {"most", 0, OPTION_INT, &q.most, "R", "rounds at most", NULL, 1, INT_MAX},
        {"limit", 0, OPTION_REAL, &q.options.timeout, "T",
         "seconds to wait for another rank; else 60", NULL, ABOVE_ZERO, DBL_MAX},
        {"json", 'j', OPTION_FLAG, &q.json, NULL, "print JSON", NULL},
        {"seed", 's', OPTION_INT, &q.seed, "S", "seed of the data and the schedule", NULL,
         ANY_SEED},
        {0}};
    bool help;
    int at = parse_options(parsing, &gossip_allreduce, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    q.options.form = (enum summand_gossip_form)q.form;
    q.options.norm = (enum summand_gossip_norm)q.norm;
    q.options.max_rounds = (int)q.most;
    q.options.seed = (uint64_t)q.seed;
    return reduce(&q);
}

const struct command gossip_allreduce = {
    .name = "gossip allreduce",
    .summary = "one all-reduce by gossip over the ranks of mpirun, with its report",
    .synopsis = "gossip allreduce [options]",
    .examples = "  mpirun -np 4 summand gossip allreduce --eps 1e-6\n"
                "  SUMMAND_FAULT=rank=1,variable=flow,bit=62,round=5 \\\n"
                "      mpirun -np 4 summand gossip allreduce\n"
                "  SUMMAND_FAULT=rank=1,variable=kept,word=17,bit=3,round=20 \\\n"
                "      mpirun -np 4 summand gossip allreduce\n",
    .parallel = true,
    .run = run,
};
