/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study one-sided: push-sum by one-sided calls of the MPI, the first version of Casas,
 * Gansterer and Wimmer (2018, section 5.3), which they dropped because it was slow. A mass is one
 * complex number, value + i weight, so that an accumulate adds both at once. A rank fetches its
 * mass, takes half of it away, and adds that half to a neighbour's. Others only add, so no mass is
 * lost in between. */
#include "cli/gossip/gossip.h"
#include "cli/output/json.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/study/experiment.h"

#include "base/random.h"
#include "gossip/topology.h"
#include "lab/gossip/data.h"

#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <summand/gossip.h>

struct request {
    long long most, every, seed;
    double eps;
    const char *topology;
    bool json;
};

struct side {
    int rank, ranks;
    MPI_Win window;
    double complex *mass;
    struct summand__topology topology;
    struct summand__random random;
    double x, truth;
};

struct result {
    long long ticks;
    double seconds, error;
    double mass; /* weights of all ranks together, in the mean */
};

static void tick(struct side *s)
{
    double complex mass, half, less;
    int64_t degree = summand__topology_degree(&s->topology, s->rank);
    int to = (int)summand__topology_neighbour(
        &s->topology, s->rank, (int64_t)summand__random_below(&s->random, (uint64_t)degree));
    MPI_Fetch_and_op(NULL, &mass, MPI_C_DOUBLE_COMPLEX, s->rank, 0, MPI_NO_OP, s->window);
    MPI_Win_flush(s->rank, s->window);
    half = mass / 2;
    less = -half;
    MPI_Accumulate(&less, 1, MPI_C_DOUBLE_COMPLEX, s->rank, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   s->window);
    MPI_Accumulate(&half, 1, MPI_C_DOUBLE_COMPLEX, to, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   s->window);
    MPI_Win_flush_local_all(s->window);
}

/* Once all pushes have arrived: the largest error of all ranks, and the mean of their weights,
 * which is 1 unless the MPI loses an update. */
static void look(const struct side *s, struct result *result)
{
    double complex mass;
    MPI_Win_flush_all(s->window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &mass, MPI_C_DOUBLE_COMPLEX, s->rank, 0, MPI_NO_OP, s->window);
    MPI_Win_flush(s->rank, s->window);
    double error = fabs(creal(mass) / cimag(mass) - s->truth) / fabs(s->truth);
    double weight = cimag(mass) / s->ranks;
    error = error >= 0 ? error : INFINITY;
    MPI_Allreduce(&error, &result->error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&weight, &result->mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static struct result push_sum(struct side *s, const struct request *r)
{
    struct result result = {.error = INFINITY};
    MPI_Win_lock_all(0, s->window);
    *s->mass = s->x + I;
    MPI_Win_sync(s->window);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    while (result.error > r->eps && result.ticks < r->most) {
        for (long long k = 0; k < r->every; k++)
            tick(s);
        result.ticks += r->every;
        look(s, &result);
    }
    result.seconds = MPI_Wtime() - start;
    MPI_Win_unlock_all(s->window);
    return result;
}

/* The same by messages: the library's. */
static struct result by_messages(const struct side *s, const struct request *r)
{
    summand_gossip_options o = summand_gossip_options_default();
    summand_gossip_report report = {.rounds = 0};
    double y = NAN;
    o.algorithm = "ps";
    o.form = SUMMAND_GOSSIP_DOUBLE;
    o.eps = r->eps;
    o.average = 1;
    o.max_rounds = (int)r->most;
    o.topology = r->topology;
    o.seed = (uint64_t)r->seed;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    summand_gossip_allreduce(&s->x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, &report);
    struct result result = {report.rounds, MPI_Wtime() - start, 0, 1};
    double error = fabs(y - s->truth) / fabs(s->truth);
    error = error >= 0 ? error : INFINITY;
    MPI_Allreduce(&error, &result.error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return result;
}

static json_t *json_of(const struct result *a)
{
    return json_make("Iffo", "ticks", (json_int_t)a->ticks, "seconds", a->seconds, "us_a_tick",
                     1e6 * a->seconds / fmax(1, (double)a->ticks), "error", json_finite(a->error));
}

static void print_result(const char *how, const struct side *s, const struct request *r,
                         const struct result *a)
{
    print_line("%s, %s, %d ranks: %lld tick%s, %.3g ms, %.3g us each, largest error %.2g", how,
               r->topology, s->ranks, a->ticks, text_plural(a->ticks), 1e3 * a->seconds,
               1e6 * a->seconds / fmax(1, (double)a->ticks), a->error);
}

static int report(const struct side *s, const struct request *r, const struct result *one,
                  const struct result *two)
{
    if (r->json) {
        json_t *json = json_head("one-sided");
        json_object_update_new(json, json_make("Ifofoo", "ranks", (json_int_t)s->ranks, "eps",
                                               r->eps, "topology", json_text(r->topology),
                                               "mean_weight", one->mass, "one_sided", json_of(one),
                                               "messages", json_of(two)));
        return write_json("one-sided", json, NULL);
    }
    print_result("one-sided", s, r, one);
    print_result("messages", s, r, two);
    print_line("the mean weight of one-sided push-sum at the end: %.15g", one->mass);
    return 0;
}

static int measure(struct side *s, const struct request *r)
{
    long double sum = 0;
    for (int i = 0; i < s->ranks; i++)
        sum += summand__datum(SUMMAND__DATA_UNIFORM, (uint64_t)r->seed, s->ranks, i);
    s->truth = (double)(sum / s->ranks);
    s->x = summand__datum(SUMMAND__DATA_UNIFORM, (uint64_t)r->seed, s->ranks, s->rank);
    s->random.state = summand__stream((uint64_t)r->seed, (uint64_t)s->rank);
    if (MPI_Win_allocate(sizeof *s->mass, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &s->mass, &s->window) !=
        MPI_SUCCESS)
        return complain("one-sided", "the MPI makes no window");
    struct result one = push_sum(s, r), two = by_messages(s, r);
    MPI_Win_free(&s->window);
    bool kept = fabs(one.mass - 1) <= 1e-9;
    if (!s->rank && !kept)
        complain("one-sided", "the MPI has lost updates: the mean weight is %.15g, not 1",
                 one.mass);
    else if (!s->rank)
        return report(s, r, &one, &two);
    return !kept;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct request r = {.most = 2000, .every = 10, .seed = 1, .eps = 1e-12, .topology = "full"};
    struct side side = {.rank = 0};
    const struct option_row rows[] = {
        {"topology", 0, OPTION_TEXT, &r.topology, "NAME", "full, hypercube, torus3, ring, ...",
         NULL},
        {"eps", 'e', OPTION_REAL, &r.eps, "E", "stop at this largest relative error", NULL, 0,
         DBL_MAX},
        {"most", 0, OPTION_INT, &r.most, "T", "stop after this many ticks", NULL, 1, 1e6},
        {"every", 0, OPTION_INT, &r.every, "T", "ticks between two looks at the error", NULL, 1,
         1e6},
        {"seed", 's', OPTION_INT, &r.seed, "S", "seed of data and neighbours", NULL, ANY_SEED},
        {"json", 'j', OPTION_FLAG, &r.json, NULL, "print JSON", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &study_one_sided, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &side.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &side.ranks);
    if (side.ranks < 2)
        return misuse("one-sided", "needs several ranks: mpirun -np 4 summand-study one-sided");
    const char *wrong =
        summand__topology_make(&side.topology, r.topology, side.ranks, (uint64_t)r.seed);
    if (wrong)
        return misuse("one-sided", "--topology %s: %s", r.topology, wrong);
    int status = measure(&side, &r);
    summand__topology_free(&side.topology);
    return status;
}

const struct command study_one_sided = {
    .name = "one-sided",
    .summary = "push-sum by one-sided calls of the MPI, beside push-sum by messages",
    .synopsis = "one-sided [options]",
    .parallel = true,
    .examples = "  mpirun -np 2 summand-study one-sided\n"
                "  mpirun -np 2 summand-study one-sided --topology hypercube --eps 1e-6\n",
    .run = run,
};
