/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate: mass is conserved, so the true mean of each word is a weighted average of all
 * ranks' estimates. It lies between the smallest and the largest of them, and no rank needs to know
 * it. */
#include "gossip/mpi/run.h"
#include "kernel/seal.h"
#include "process/error.h"

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

/* floor(v 2^54 / weight); the largest number if the quotient is not representable. */
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

/* For each word, the upper end and the negated lower end of this rank's estimate. */
static bool own_ranges(const struct summand__run *run, int64_t *ends)
{
    const struct summand__gossip_node *node = run->runner.node;
    union summand__word mass[SUMMAND__GOSSIP_WIDTH];
    double y[SUMMAND__GOSSIP_MOST];
    int n = run->operands.words;
    bool good = true;
    summand__gossip_mass(node, mass);
    node->algorithm->estimate(node, y);
    if (!run->operands.digits) /* an average with a weight below 0 may lie outside */
        good = node->arith->value(mass[n]) > 0;
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

/* The largest allowed distance between the bounds of value k. */
static long double target(const struct summand__run *run, int k, double slack,
                          const struct summand__bounds *b)
{
    const summand_gossip_options *options = &run->call->options;
    if (options->norm == SUMMAND_GOSSIP_RMS && run->operands.squares)
        return options->eps *
               summand__operands_rms(&run->operands, run->range, k, slack, b->exponent);
    if (options->norm == SUMMAND_GOSSIP_ABSOLUTE)
        return scalbnl(options->eps, -b->exponent);
    bool across = b->low <= 0 && b->high >= 0;
    return across ? 0 : options->eps * fminl(fabsl(b->low), fabsl(b->high));
}

/* Rounding of inputs, flows and quotients, relative to the scale. One rank's double is its own
 * result, unless it is multiplied by a weight. */
static double slack_of(const struct summand__run *run)
{
    const struct summand__arith *arith = run->call->arith;
    if (run->operands.result == SUMMAND__GOSSIP_EXTREMUM || run->operands.digits)
        return 0;
    if (run->call->state->ranks == 1 && arith->keeps && !run->operands.weighted)
        return 0;
    return (2 * run->runner.round + 4) * arith->resolution;
}

/* True if the words of an operand cannot come nearer: their ranges are negligible beside the slack,
 * which only grows. */
static bool at_floor(const struct summand__run *run, const struct summand__span *s)
{
    const struct summand__operands *o = &run->operands;
    bool asynchronous = run->call->algorithm->style == SUMMAND__ASYNCHRONOUS;
    int64_t few = asynchronous ? FEW_ASYNCHRONOUS : FEW;
    for (int w = s->word; w < s->word + s->words; w++) {
        const struct summand__range *range = &run->range[w];
        if (o->digits && range->high.fixed - range->low.fixed > few)
            return false;
        if (!o->digits && !(range->high.real - range->low.real <= slack_of(run) / 4))
            return false;
    }
    return o->result != SUMMAND__GOSSIP_EXTREMUM;
}

/* The factor by which the ranges must shrink: to the target, or to the digits' last unit. */
static double ratio_of(const struct summand__run *run, const struct summand__bounds *b,
                       long double goal)
{
    double ratio = (double)((b->high - b->low) / goal);
    double exact = run->operands.digits
                       ? 2 * b->distance
                       : (double)((b->high - b->low) / run->call->arith->resolution);
    return fmin(isnan(ratio) ? INFINITY : ratio, exact);
}

/* True if every result within the bounds has converged. It is finite, and within the target with
 * its rounding to the caller's type; or only that rounding is uncertain. */
static bool near_enough(const struct summand__run *run, const struct summand__bounds *b,
                        long double goal)
{
    const struct summand__operands *o = &run->operands;
    if (b->exact)
        return isfinite(b->y);
    double low = summand__operands_rounded(o, b->low, b->exponent);
    double high = summand__operands_rounded(o, b->high, b->exponent);
    if (!isfinite(low) || !isfinite(high))
        return false;
    return low == high || b->high - b->low + summand__operands_rounding(o, b) <= goal;
}

void summand__run_judge(struct summand__run *run)
{
    struct summand__error_flag v = {true, true, 1};
    double slack = slack_of(run);
    for (int k = 0; k < run->operands.count; k++) {
        struct summand__bounds b;
        summand__operands_bounds(&run->operands, run->range, k, slack, &b);
        long double goal = target(run, k, slack, &b);
        if (near_enough(run, &b, goal))
            continue;
        v.near = false;
        if (b.exact) /* and infinite */
            continue;
        v.floor &=
            at_floor(run, &run->operands.span[k]) &&
            (!run->operands.weighted || at_floor(run, &run->operands.span[run->operands.count]));
        v.ratio = fmax(v.ratio, ratio_of(run, &b, goal));
    }
    v.near &= !run->dirty;
    v.floor &= !run->dirty;
    run->error_flag = v;
}

static double upward(long double error, int exponent)
{
    long double whole = scalbnl(error, exponent);
    double up = (double)whole;
    if (!(whole >= 0)) /* nothing is known */
        return INFINITY;
    return up < whole ? nextafter(up, INFINITY) : up;
}

/* The middle of the bounds, the same on all ranks. The bounds leave out flips that no checksum
 * detects, because those may widen them without limit. */
static double middle(const struct summand__run *run, const struct summand__bounds *b, int k)
{
    const struct summand__operands *o = &run->operands;
    double y[SUMMAND__GOSSIP_MOST];
    if (isfinite(b->low) && isfinite(b->high))
        return summand__operands_rounded(o, b->low / 2 + b->high / 2, b->exponent);
    for (int w = 0; w < o->words; w++) {
        const struct summand__range *r = &run->range[w];
        union summand__word fixed = {.fixed = r->low.fixed / 2 + r->high.fixed / 2};
        y[w] = o->digits ? o->arith->value(fixed) : r->low.real / 2 + r->high.real / 2;
    }
    return summand__operands_estimate(o, y, k);
}

/* This rank's estimate, without the bounds' knowledge of digits. */
static double estimate(const struct summand__run *run, const struct summand__bounds *b,
                       const double *own, int k)
{
    const struct summand__operands *o = &run->operands;
    double low = summand__operands_rounded(o, b->low, b->exponent);
    double high = summand__operands_rounded(o, b->high, b->exponent);
    double y = summand__operands_estimate(o, own, k);
    return isnan(y) ? middle(run, b, k) : y < low ? low : y > high ? high : y;
}

/* The largest distance of a number within the bounds, rounded to the caller's type, from any
 * other. */
static double width_of(const struct summand__operands *o, const struct summand__bounds *b)
{
    if (!isfinite(summand__operands_rounded(o, b->low, b->exponent)) ||
        !isfinite(summand__operands_rounded(o, b->high, b->exponent)))
        return INFINITY;
    return upward(b->high - b->low + summand__operands_rounding(o, b), b->exponent);
}

/* Result k, and the largest distance of any rank's result from the true one. */
static double result_of(const struct summand__run *run, const double *own, int k, double *error)
{
    const struct summand__gossip_call *call = run->call;
    const struct summand__operands *o = &run->operands;
    struct summand__bounds b, wide;
    bool extremum = o->result == SUMMAND__GOSSIP_EXTREMUM;
    double unseen = call->state->ranks > 1 && !o->digits && !extremum ? run->runner.node->tau : 0;
    summand__operands_bounds(o, run->range, k, slack_of(run), &b);
    summand__operands_bounds(o, run->range, k, slack_of(run) + unseen, &wide);
    *error = b.exact ? b.error : width_of(o, &wide);
    if (b.exact)
        return b.y;
    if (extremum) /* no rank vouches for less than its own input: it is this end */
        return (double)(call->maximum ? b.high : b.low);
    if (!summand__gossip_agrees(&call->options))
        return estimate(run, &b, own, k);
    double y = middle(run, &b, k);
    long double value = scalbnl((long double)y, -wide.exponent);
    *error = upward(fmaxl(wide.high - value, value - wide.low), wide.exponent);
    return y;
}

void summand__run_deliver(struct summand__run *run)
{
    const struct summand__gossip_call *call = run->call;
    struct summand__runner *r = &run->runner;
    struct summand__gossip_node *node = r->node;
    double own[SUMMAND__GOSSIP_MOST], error;
    /* If a rank's own estimate is its result, there is no rank left to ask. */
    if (!summand__gossip_agrees(&call->options) && node->algorithm->check &&
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
