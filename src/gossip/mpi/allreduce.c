/* Scale, run, certify, until the ranks' estimates lie near enough to each other.
 *
 * The certificate: mass is conserved, so the true mean is a weighted average of all ranks'
 * estimates and lies between the smallest and the largest of them. No rank needs to know it. */
#include "gossip/mpi/allreduce.h"

#include "gossip/mpi/runner.h"
#include "plan/agree.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { ELEMENTS = SUMMAND__GOSSIP_MOST, CHECK = 20011 };

struct piece {
    const struct summand__gossip_piece *call;
    struct summand__runner runner;
    int elements;               /* the values and, for SUMMAND_GOSSIP_RMS, their squares */
    int exponent[ELEMENTS + 1]; /* of the scale of each value; last: of the weights */
    double low[ELEMENTS], high[ELEMENTS]; /* over all ranks, in units of the scale */
    bool dirty;                           /* a rank's state is bad and could not be mended */
    bool disagreed;                       /* the two copies of a checked all-reduce differ */
};

static int exponent_of(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    return value == 0 ? INT_MIN / 2 : mantissa == 0.5 ? exponent - 1 : exponent;
}

/* The smallest powers of two that no magnitude on any rank exceeds. */
static int agree_on_scales(struct piece *p)
{
    int n = p->call->count + 1, mine[2 * (ELEMENTS + 1)] = {0}, most[2 * (ELEMENTS + 1)];
    for (int k = 0; k < n; k++) {
        mine[k] = exponent_of(k + 1 < n ? fabs(p->call->x[k]) : p->call->options->weight);
        mine[n + k] = mine[k] + CHECK;
    }
    int code = MPI_Allreduce(mine, most, 2 * n, MPI_INT, MPI_MAX, p->call->state->comm);
    for (int k = 0; code == MPI_SUCCESS && k < n; k++) {
        p->disagreed |= most[n + k] != most[k] + CHECK;
        p->exponent[k] = most[k] <= INT_MIN / 4 ? 0 : most[k];
    }
    return code;
}

/* From the mean to the result. */
static double factor_of(const struct summand__gossip_piece *call)
{
    return call->result == SUMMAND__GOSSIP_SUM ? call->state->ranks : 1;
}

static bool start(struct piece *p)
{
    const struct summand__gossip_piece *call = p->call;
    const summand_gossip_options *o = call->options;
    double values[ELEMENTS];
    bool extremum = call->result == SUMMAND__GOSSIP_EXTREMUM;
    for (int k = 0; k < call->count; k++) {
        if (extremum) /* passed on, never computed with */
            p->exponent[k] = 0;
        values[k] = ldexp(call->x[k], -p->exponent[k]);
        if (p->elements > call->count)
            values[call->count + k] = values[k] * values[k];
    }
    struct summand__gossip_setup setup = {.algorithm = call->algorithm,
                                          .arith = call->arith,
                                          .rank = call->state->rank,
                                          .ranks = call->state->ranks,
                                          .count = p->elements,
                                          .tau = o->tau,
                                          .maximum = call->maximum};
    double weight = ldexp(o->weight, -p->exponent[call->count]);
    p->runner = (struct summand__runner){
        .state = call->state, .options = o, .topology = call->topology, .width = p->elements + 2};
    p->runner.exponent = p->exponent;
    p->runner.factor = factor_of(call);
    p->runner.values = call->count;
    for (int k = 0; k < SUMMAND__JOURNAL; k++)
        p->runner.journal[k].to = -1;
    uint64_t own = summand__stream(o->seed, (uint64_t)call->state->rank);
    p->runner.choice.state = summand__stream(own, 1);
    p->runner.faults.state = summand__stream(own, 2);
    for (int kind = 0; kind < 3; kind++)
        p->runner.tags[kind] = summand__call_tag(call->state);
    p->runner.barrier_tag = summand__call_tag(call->state);
    p->runner.node = summand__gossip_start(&setup, values, weight);
    return p->runner.node;
}

/* A rank may only vouch for an extremum that its own input does not exceed. */
static bool own_input_beyond(const struct piece *p, const double *y)
{
    for (int k = 0; k < p->call->count; k++)
        if (p->call->maximum ? p->call->x[k] > y[k] : p->call->x[k] < y[k])
            return true;
    return false;
}

static int certify(struct piece *p)
{
    int n = p->elements;
    double y[ELEMENTS], mine[4 * ELEMENTS + 1], most[4 * ELEMENTS + 1];
    struct summand__gossip_node *node = p->runner.node;
    struct summand__gossip_outbox *outbox = &p->runner.outbox;
    bool bad = node->failed || (node->algorithm->check && node->algorithm->check(node, outbox));
    outbox->count = 0;
    node->algorithm->estimate(node, y);
    for (int k = 0; k < n; k++) {
        bool finite = isfinite(y[k]);
        bad |= !finite;
        mine[k] = mine[2 * n + k] = finite ? y[k] : INFINITY;
        mine[n + k] = mine[3 * n + k] = finite ? -y[k] : INFINITY;
    }
    if (p->call->result == SUMMAND__GOSSIP_EXTREMUM)
        bad |= own_input_beyond(p, y);
    mine[4 * n] = bad;
    int code = MPI_Allreduce(mine, most, 4 * n + 1, MPI_DOUBLE, MPI_MAX, p->call->state->comm);
    if (code != MPI_SUCCESS)
        return code;
    p->disagreed |= memcmp(most, most + 2 * n, 2 * (size_t)n * sizeof *most) != 0;
    p->dirty = most[4 * n] != 0;
    for (int k = 0; k < n; k++) {
        p->high[k] = most[k];
        p->low[k] = -most[n + k];
    }
    return code;
}

/* How far apart the estimates of value k may be, in units of its scale. */
static double target(const struct piece *p, int k)
{
    const struct summand__gossip_piece *call = p->call;
    double eps = call->options->eps;
    if (call->options->norm == SUMMAND_GOSSIP_RMS)
        return eps * sqrt(fmax(0, p->low[call->count + k]));
    if (call->options->norm == SUMMAND_GOSSIP_ABSOLUTE)
        return ldexp(eps, -p->exponent[k]) / factor_of(call);
    bool across = p->low[k] <= 0 && p->high[k] >= 0;
    return across ? 0 : eps * fmin(fabs(p->low[k]), fabs(p->high[k]));
}

struct verdict {
    bool near;    /* within the target on all values */
    bool floor;   /* where not, no nearer than the numbers can tell apart */
    double ratio; /* largest of spread / target, or of spread / resolution where that is more */
};

static struct verdict judge(const struct piece *p)
{
    struct verdict v = {true, true, 1};
    double resolution =
        p->call->result == SUMMAND__GOSSIP_EXTREMUM ? 0 : p->call->arith->resolution;
    for (int k = 0; k < p->call->count; k++) {
        double spread = p->high[k] - p->low[k], goal = target(p, k);
        if (spread <= goal)
            continue;
        v.near = false;
        v.floor &= spread <= resolution;
        v.ratio = fmax(v.ratio, spread / fmax(goal, resolution));
    }
    v.near &= !p->dirty;
    v.floor &= !p->dirty;
    return v;
}

static int log2_up(int n)
{
    int log = 0;
    while ((1ll << log) < n)
        log++;
    return log;
}

/* The deviation of the estimates falls by a factor of about sqrt(2) per round. */
static int more_rounds(const struct piece *p, const struct verdict *v)
{
    const struct summand__gossip_algorithm *a = p->call->algorithm;
    double guess = isfinite(v->ratio) ? ceil(2 * log2(v->ratio)) + 1 : 8;
    int left = p->call->options->max_rounds - p->runner.round;
    if (a->extremum || guess < 2)
        guess = 4;
    if (a->style == SUMMAND__ASYNCHRONOUS)
        guess = ceil(1.5 * guess);
    return guess < left ? (int)guess : left;
}

static int advance(struct piece *p, int rounds)
{
    bool asynchronous = p->call->algorithm->style == SUMMAND__ASYNCHRONOUS;
    (asynchronous ? summand__run_ticks : summand__run_rounds)(&p->runner, rounds);
    int code = certify(p);
    return p->runner.code != MPI_SUCCESS ? p->runner.code : code;
}

static int run(struct piece *p, struct verdict *v)
{
    const struct summand__gossip_algorithm *a = p->call->algorithm;
    int ranks = p->call->state->ranks, most = p->call->options->max_rounds;
    int first = ranks == 1 ? 0 : a->rounds ? a->rounds(ranks) : log2_up(ranks) + 2;
    int code = advance(p, first < most ? first : most);
    *v = judge(p);
    while (code == MPI_SUCCESS && !v->near && !v->floor && !a->rounds && p->runner.round < most &&
           ranks > 1) {
        code = advance(p, more_rounds(p, v));
        *v = judge(p);
    }
    return code;
}

static void deliver(struct piece *p, double *worst)
{
    const struct summand__gossip_piece *call = p->call;
    const struct summand__gossip_node *node = p->runner.node;
    double own[ELEMENTS];
    double factor = factor_of(call);
    /* Rounding of inputs, flows and quotients; a flip below tau goes unseen. */
    double slack = call->arith == &summand__arith_fixed
                       ? 0x1p-50
                       : (2 * p->runner.round + 4) * call->arith->resolution + node->tau;
    if (call->state->ranks == 1) /* nothing but the input's rounding */
        slack = call->arith == &summand__arith_single ? call->arith->resolution : 0;
    if (call->result == SUMMAND__GOSSIP_EXTREMUM)
        slack = 0;
    node->algorithm->estimate(node, own);
    for (int k = 0; k < call->count; k++) {
        double y = call->options->agree ? p->low[k] / 2 + p->high[k] / 2 : own[k];
        if (p->low[k] == p->high[k])
            y = p->low[k];
        call->y[k] = ldexp(y * factor, p->exponent[k]);
        *worst = fmax(*worst, ldexp((p->high[k] - p->low[k] + slack) * factor, p->exponent[k]));
    }
}

static int sum_up(struct piece *p, const struct verdict *v, double worst,
                  summand_gossip_report *report)
{
    enum { MESSAGES, BYTES, BAD_MESSAGES, BAD_STATES, REPAIRS, RESETS, DISAGREED, COUNTS };
    const struct summand__gossip_counts *c = &p->runner.node->counts;
    uint64_t mine[COUNTS] = {p->runner.messages, p->runner.bytes, c->bad_messages, c->bad_states,
                             c->repairs,         c->resets,       p->disagreed};
    uint64_t all[COUNTS];
    int code = MPI_Allreduce(mine, all, COUNTS, MPI_UINT64_T, MPI_SUM, p->call->state->comm);
    if (code != MPI_SUCCESS)
        return code;
    const struct summand__gossip_algorithm *a = p->call->algorithm;
    bool conserved = a->checked && (!all[RESETS] || a->style == SUMMAND__ASYNCHRONOUS);
    report->rounds = p->runner.round > report->rounds ? p->runner.round : report->rounds;
    report->converged &= v->near && !all[DISAGREED];
    report->rigorous &= (conserved || p->call->state->ranks == 1) && !all[DISAGREED] && !p->dirty;
    report->spread = fmax(report->spread, worst);
    report->messages += all[MESSAGES];
    report->bytes += all[BYTES];
    report->bad_messages += all[BAD_MESSAGES];
    report->bad_states += all[BAD_STATES];
    report->repairs += all[REPAIRS];
    report->resets += all[RESETS];
    return code;
}

int summand__gossip_piece_run(const struct summand__gossip_piece *call,
                              summand_gossip_report *report)
{
    struct piece p = {.call = call};
    struct verdict v = {0};
    double worst = 0;
    bool squares =
        call->options->norm == SUMMAND_GOSSIP_RMS && call->result != SUMMAND__GOSSIP_EXTREMUM;
    p.elements = call->count * (1 + squares);
    int code = agree_on_scales(&p);
    if (code == MPI_SUCCESS)
        code = summand__agree(
            call->state, start(&p) ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY), NULL);
    if (code == MPI_SUCCESS)
        code = run(&p, &v);
    if (code == MPI_SUCCESS) {
        deliver(&p, &worst);
        code = sum_up(&p, &v, worst, report);
    }
    summand__runner_free(&p.runner);
    return code;
}
