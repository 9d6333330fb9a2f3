/* The certificate: mass is conserved, so the true mean of each word is a weighted average of all
 * ranks' estimates and lies between the smallest and the largest of them. No rank needs to know
 * it. */
#include "comm/error.h"
#include "gossip/mpi/run.h"
#include "gossip/seal.h"

#include <math.h>
#include <string.h>

enum { UNIT_BITS = 54, FEW = 16, FEW_ASYNCHRONOUS = 64 /* units of fixed point */ };

/* Doubles as integers in the same order; -0 comes before +0. */
static int64_t ordered(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double unordered(int64_t order)
{
    int64_t bits = order < 0 ? order ^ INT64_MAX : order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* floor(v 2^54 / weight); a quotient that is not to be had is the largest number. */
static int64_t quotient(summand__i128 v, int64_t weight, bool *good)
{
    if (weight <= 0) {
        *good = false;
        return INT64_MAX;
    }
    summand__i128 top = v * ((summand__i128)1 << UNIT_BITS);
    summand__i128 q = top / weight - (top % weight < 0);
    *good &= q > INT64_MIN / 2 && q < INT64_MAX / 2;
    return *good ? (int64_t)q : INT64_MAX;
}

/* Of each word the high end and the negated low end of where this rank's estimate lies. */
static bool own_ranges(const struct summand__run *run, int64_t *ends)
{
    const struct summand__gossip_node *node = run->runner.node;
    union summand__word mass[SUMMAND__GOSSIP_WIDTH];
    double y[SUMMAND__GOSSIP_MOST];
    int n = run->operands.words;
    bool good = true;
    summand__gossip_mass(node, mass);
    node->algorithm->estimate(node, y);
    for (int k = 0; k < n; k++)
        if (run->operands.digits) {
            ends[k] = -quotient(-(summand__i128)mass[k].fixed, mass[n].fixed, &good);
            ends[n + k] = -quotient(mass[k].fixed, mass[n].fixed, &good);
        } else {
            good &= isfinite(y[k]);
            ends[k] = good ? ordered(y[k]) : INT64_MAX;
            ends[n + k] = good ? ordered(-y[k]) : INT64_MAX;
        }
    return good;
}

/* A rank may only vouch for an extremum that its own input does not exceed. */
static bool own_input_beyond(const struct summand__run *run)
{
    const struct summand__gossip_node *node = run->runner.node;
    bool beyond = false;
    for (int k = 0; k < run->operands.words; k++) {
        double x = node->copy[k].real, y = node->own[k].real;
        beyond |= node->maximum ? x > y : x < y;
    }
    return beyond;
}

void summand__run_certify(struct summand__run *run)
{
    struct summand__runner *r = &run->runner;
    int64_t words[SUMMAND__EXCHANGE_MOST] = {0}, *ends = words + 1;
    struct summand__gossip_node *node = r->node;
    if (r->code != MPI_SUCCESS || !summand__run_open_layout(run))
        return;
    int n = run->operands.words;
    bool bad = node->algorithm->check && node->algorithm->check(node, &r->outbox);
    r->outbox.count = 0;
    if (!summand__runner_has_own(r))
        return;
    bad |= !own_ranges(run, ends);
    if (run->operands.result == SUMMAND__GOSSIP_EXTREMUM)
        bad |= own_input_beyond(run);
    words[0] = bad;
    if (!summand__runner_exchange(r, words, 2 * n + 1, 0, summand__runner_serve_all) ||
        !summand__run_open_layout(run))
        return;
    run->dirty = words[0] != 0;
    for (int k = 0; k < n; k++)
        if (run->operands.digits) {
            run->range[k].high.fixed = ends[k];
            run->range[k].low.fixed = -ends[n + k];
        } else {
            run->range[k].high.real = unordered(ends[k]);
            run->range[k].low.real = -unordered(ends[n + k]);
        }
}

/* How far apart the bounds of value k may be. */
static long double target(const struct summand__run *run, int k, const struct summand__bounds *b)
{
    const summand_gossip_options *options = &run->call->options;
    if (options->norm == SUMMAND_GOSSIP_RMS && run->operands.squares)
        return options->eps * summand__operands_rms(&run->operands, run->range, k, b->exponent);
    if (options->norm == SUMMAND_GOSSIP_ABSOLUTE)
        return scalbnl(options->eps, -b->exponent);
    bool across = b->low <= 0 && b->high >= 0;
    return across ? 0 : options->eps * fminl(fabsl(b->low), fabsl(b->high));
}

/* Rounding of inputs, flows and quotients, relative to the scale. */
static double slack_of(const struct summand__run *run)
{
    const struct summand__arith *arith = run->call->arith;
    if (run->operands.result == SUMMAND__GOSSIP_EXTREMUM || run->operands.digits)
        return 0;
    if (run->call->state->ranks == 1) /* nothing but the input's rounding */
        return arith == &summand__arith_single ? arith->resolution : 0;
    return (2 * run->runner.round + 4) * arith->resolution;
}

/* Whether the words of an operand are no nearer than these numbers come. */
static bool at_floor(const struct summand__run *run, const struct summand__span *s)
{
    const struct summand__operands *o = &run->operands;
    bool asynchronous = run->call->algorithm->style == SUMMAND__ASYNCHRONOUS;
    int64_t few = asynchronous ? FEW_ASYNCHRONOUS : FEW;
    for (int w = s->word; w < s->word + s->words; w++) {
        const struct summand__range *range = &run->range[w];
        if (o->digits && range->high.fixed - range->low.fixed > few)
            return false;
        if (!o->digits && !(range->high.real - range->low.real <= run->call->arith->resolution))
            return false;
    }
    return o->result != SUMMAND__GOSSIP_EXTREMUM;
}

/* By how much the ranges must shrink: to the target, or to the digits' last unit. */
static double ratio_of(const struct summand__run *run, const struct summand__bounds *b,
                       long double goal)
{
    double ratio = (double)((b->high - b->low) / goal);
    double exact = run->operands.digits
                       ? 2 * b->distance
                       : (double)((b->high - b->low) / run->call->arith->resolution);
    return fmin(isnan(ratio) ? INFINITY : ratio, exact);
}

void summand__run_judge(struct summand__run *run)
{
    struct summand__error_flag v = {true, true, 1};
    for (int k = 0; k < run->operands.count; k++) {
        struct summand__bounds b;
        summand__operands_bounds(&run->operands, run->range, k, slack_of(run), &b);
        long double goal = target(run, k, &b);
        if (b.exact || b.high - b.low <= goal)
            continue;
        v.near = false;
        v.floor &=
            at_floor(run, &run->operands.span[k]) &&
            (!run->operands.weighted || at_floor(run, &run->operands.span[run->operands.count]));
        v.ratio = fmax(v.ratio, ratio_of(run, &b, goal));
    }
    v.near &= !run->dirty;
    v.floor &= !run->dirty;
    run->error_flag = v;
}

/* Result k and how far it may be from the true one. */
static double result_of(const struct summand__run *run, const double *own, int k, double *error)
{
    const struct summand__gossip_call *call = run->call;
    struct summand__bounds b;
    double unseen = call->state->ranks > 1 && !run->operands.digits ? run->runner.node->tau : 0;
    if (run->operands.result == SUMMAND__GOSSIP_EXTREMUM)
        unseen = 0;
    summand__operands_bounds(&run->operands, run->range, k, slack_of(run) + unseen, &b);
    *error = b.exact ? b.error : (double)scalbnl(b.high - b.low, b.exponent);
    if (b.exact)
        return b.y;
    if (run->operands.result == SUMMAND__GOSSIP_EXTREMUM)
        return call->options.agree || b.low == b.high
                   ? (call->maximum ? (double)b.high : (double)b.low)
                   : own[k];
    if (!call->options.agree)
        return summand__operands_estimate(&run->operands, own, k);
    return (double)scalbnl(b.low / 2 + b.high / 2, b.exponent);
}

void summand__run_deliver(struct summand__run *run)
{
    const struct summand__gossip_call *call = run->call;
    struct summand__runner *r = &run->runner;
    struct summand__gossip_node *node = r->node;
    double own[SUMMAND__GOSSIP_MOST], error;
    /* Where a rank's own estimate is its result nobody is left to ask. */
    if (!call->options.agree && node->algorithm->check &&
        (node->algorithm->check(node, &r->outbox) || node->lost))
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    r->outbox.count = 0;
    node->algorithm->estimate(node, own);
    for (int k = 0; k < run->operands.count; k++) {
        double y = result_of(run, own, k, &error);
        uint64_t bits;
        for (int copy = 0; copy < 3; copy++)
            call->results[(size_t)copy * call->count + run->at + k] = y;
        memcpy(&bits, &y, sizeof bits);
        run->seal = summand__seal_step(run->seal, bits);
        run->spread = fmax(run->spread, error);
    }
}
