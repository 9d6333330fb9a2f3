/* SPDX-License-Identifier: BSD-3-Clause */
/* One call: the ranks agree, then lay out, run and certify slice by slice, until their estimates
 * lie near enough to each other. At the end all ranks have the results, or none. */
#include "gossip/mpi/allreduce.h"

#include "gossip/mpi/run.h"
#include "process/error.h"
#include "wait/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 38, SLOTS = 128, LIMIT = 60 /* seconds */ };

static double input(const struct summand__gossip_call *call, int k)
{
    return call->single ? (double)((const float *)call->from)[k] : ((const double *)call->from)[k];
}

/* All ranks reach this, at any time: there is no limit yet but SUMMAND_TIMEOUT. */
static int agree(struct summand__run *run, int code)
{
    enum { FAILED, SIGNATURE, COMPLEMENT, UNIT, WEIGHTED, WORDS };
    const struct summand__gossip_call *call = run->call;
    struct summand__operands *o = &run->operands;
    int64_t words[WORDS] = {(int64_t)summand__cause(run->runner.state->rank, code), call->signature,
                            -(int64_t)call->signature};
    int exponent = 0;
    if (code == MPI_SUCCESS)
        frexp(call->options.weight, &exponent);
    words[UNIT] = exponent;
    words[WEIGHTED] = call->options.weight != 1;
    if (!summand__runner_exchange(&run->runner, words, WORDS, 0, summand__runner_serves_none))
        return code != MPI_SUCCESS ? code : run->runner.code;
    if (code != MPI_SUCCESS)
        return code;
    if (!summand__run_open_layout(run))
        return run->runner.code;
    if (words[FAILED])
        return summand__cause_explain((uint64_t)words[FAILED]);
    if (words[SIGNATURE] != -words[COMPLEMENT])
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    o->weighted = o->result == SUMMAND__GOSSIP_MEAN && words[WEIGHTED];
    o->unit = o->weighted ? (int)words[UNIT] : 0;
    summand__run_close_layout(run);
    return MPI_SUCCESS;
}

static void prepare(struct summand__run *run, const struct summand__gossip_call *call)
{
    bool extremum = call->result == SUMMAND__GOSSIP_EXTREMUM;
    run->call = call;
    run->converged = true;
    run->operands = (struct summand__operands){
        .arith = call->arith,
        .result = call->result,
        .digits = call->arith && call->arith->digits, /* NULL: the call is refused */
        .squares = call->options.norm == SUMMAND_GOSSIP_RMS && !extremum,
        .single = call->single,
        .ranks = call->state->ranks,
        .weight = call->options.weight,
    };
    struct summand__runner *r = &run->runner;
    r->options = &call->options;
    r->topology = call->topology.n ? &call->topology : NULL;
    r->operands = &run->operands;
    r->layout = &run->layout;
    r->results = (struct summand__guarded){call->results, 3 * (size_t)call->count};
    uint64_t own = summand__stream(call->options.seed, (uint64_t)call->state->rank);
    r->choice.state = summand__stream(own, 1);
    r->faults.state = summand__stream(own, 2);
}

/* Lays out as many elements as fit; the ranks agree on the range of their values. */
static bool lay_out(struct summand__run *run)
{
    int64_t extents[(CANDIDATES + 1) * SUMMAND__EXTENTS];
    const struct summand__gossip_call *call = run->call;
    int n = call->count - run->at < CANDIDATES ? call->count - run->at : CANDIDATES;
    if (!summand__run_open_layout(run))
        return false;
    summand__operand_extent(&run->operands, NULL, extents);
    for (int k = 0; k < n; k++) {
        double x = input(call, run->at + k);
        summand__operand_extent(&run->operands, &x, extents + (k + 1) * SUMMAND__EXTENTS);
    }
    if (!summand__runner_exchange(&run->runner, extents, (n + 1) * SUMMAND__EXTENTS, 0,
                                  summand__runner_serves_none) ||
        !summand__run_open_layout(run))
        return false;
    bool some = summand__operands_lay_out(&run->operands, n, extents) > 0;
    summand__run_close_layout(run);
    return some;
}

static void start(struct summand__run *run)
{
    const struct summand__gossip_call *call = run->call;
    struct summand__runner *r = &run->runner;
    double x[SUMMAND__GOSSIP_MOST], values[SUMMAND__GOSSIP_MOST];
    int slots = call->state->ranks - 1 < SLOTS ? call->state->ranks - 1 : SLOTS;
    struct summand__gossip_setup setup = {.algorithm = call->algorithm,
                                          .arith = call->arith,
                                          .rank = call->state->rank,
                                          .ranks = call->state->ranks,
                                          .count = run->operands.words,
                                          .tau = call->options.tau > 0 ? call->options.tau : -1,
                                          .maximum = call->maximum,
                                          .sealed = call->algorithm->checked,
                                          .ordered = true,
                                          .slots = call->algorithm->flows ? slots : 0};
    for (int k = 0; k < run->operands.count; k++)
        x[k] = input(call, run->at + k);
    summand__operands_load(&run->operands, x, values);
    r->width = run->operands.words + 2;
    r->round = r->view = r->waiting = r->question_count = 0;
    for (int k = 0; k < SUMMAND__JOURNAL; k++)
        r->store->journal[k].to = -1;
    r->node = summand__gossip_start(&setup, values, 1);
    if (!r->node)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_MEMORY));
}

static int log2_up(int n)
{
    int log = 0;
    while ((1ll << log) < n)
        log++;
    return log;
}

/* The deviation of the estimates falls by a factor of about sqrt(2) per round. */
static int more_rounds(const struct summand__run *run)
{
    const struct summand__gossip_algorithm *a = run->call->algorithm;
    double ratio = run->error_flag.ratio;
    double guess = isfinite(ratio) ? ceil(2 * log2(ratio)) + 1 : 8;
    int left = run->call->options.max_rounds - run->runner.round;
    if (a->extremum || guess < 2)
        guess = 4;
    if (a->style == SUMMAND__ASYNCHRONOUS)
        guess = ceil(1.5 * guess);
    return guess < left ? (int)guess : left;
}

static void advance(struct summand__run *run, int rounds)
{
    bool asynchronous = run->call->algorithm->style == SUMMAND__ASYNCHRONOUS;
    (asynchronous ? summand__run_ticks : summand__run_rounds)(&run->runner, rounds);
    summand__run_certify(run);
    if (run->runner.code != MPI_SUCCESS)
        return;
    summand__run_judge(run);
    summand__run_close_layout(run);
}

static bool goes_on(const struct summand__run *run)
{
    const struct summand__error_flag *v = &run->error_flag;
    return run->runner.code == MPI_SUCCESS && !v->near && !v->floor &&
           !run->call->algorithm->rounds && run->runner.round < run->call->options.max_rounds &&
           run->call->state->ranks > 1;
}

static void count_piece(struct summand__run *run)
{
    const struct summand__gossip_counts *c = &run->runner.node->counts;
    run->counts.bad_messages += c->bad_messages;
    run->counts.bad_states += c->bad_states;
    run->counts.repairs += c->repairs;
    run->counts.resets += c->resets;
    run->converged &= run->error_flag.near;
    run->doubtful |= run->dirty;
    if (run->runner.round > run->rounds)
        run->rounds = run->runner.round;
}

static void one_piece(struct summand__run *run)
{
    const struct summand__gossip_algorithm *a = run->call->algorithm;
    struct summand__runner *r = &run->runner;
    int ranks = run->call->state->ranks, most = run->call->options.max_rounds;
    int first = ranks == 1 ? 0 : a->rounds ? a->rounds(ranks) : log2_up(ranks) + 2;
    if (!lay_out(run))
        return;
    start(run);
    if (r->code == MPI_SUCCESS)
        advance(run, first < most ? first : most);
    while (goes_on(run))
        advance(run, more_rounds(run));
    summand__runner_pass(r);
    if (r->code != MPI_SUCCESS || !summand__run_open_layout(run))
        return;
    summand__run_deliver(run);
    count_piece(run);
    run->at += run->operands.count;
    summand__runner_stop_receiving(r);
    summand__gossip_free(r->node);
    r->node = NULL;
}

/* The final check: all ranks have reached the end, with the same results if the call promises
 * that. */
static void conclude(struct summand__run *run, summand_gossip_report *report)
{
    enum { MESSAGES, BYTES, BAD_MESSAGES, BAD_STATES, REPAIRS, RESETS, SUMS };
    enum { SEAL = SUMS, COMPLEMENT, WORDS };
    const struct summand__gossip_call *call = run->call;
    const struct summand__gossip_algorithm *a = call->algorithm;
    struct summand__runner *r = &run->runner;
    int64_t seal = summand__gossip_agrees(&call->options) ? (int64_t)run->seal : 0;
    int64_t words[WORDS] = {(int64_t)r->messages,
                            (int64_t)r->bytes,
                            (int64_t)run->counts.bad_messages,
                            (int64_t)(run->counts.bad_states + r->mended),
                            (int64_t)(run->counts.repairs + r->mended),
                            (int64_t)run->counts.resets,
                            seal,
                            ~seal};
    if (!summand__runner_exchange(r, words, WORDS, SUMS, summand__runner_serves_none))
        return;
    if (words[SEAL] != ~words[COMPLEMENT])
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    bool conserved = a->checked && (!words[RESETS] || a->style == SUMMAND__ASYNCHRONOUS);
    *report = (summand_gossip_report){.rounds = run->rounds,
                                      .converged = run->converged,
                                      .rigorous = (conserved || call->state->ranks == 1) &&
                                                  !run->doubtful && isfinite(run->spread),
                                      .spread = run->spread,
                                      .messages = (uint64_t)words[MESSAGES],
                                      .bytes = (uint64_t)words[BYTES],
                                      .bad_messages = (uint64_t)words[BAD_MESSAGES],
                                      .bad_states = (uint64_t)words[BAD_STATES],
                                      .repairs = (uint64_t)words[REPAIRS],
                                      .resets = (uint64_t)words[RESETS]};
}

int summand__gossip_call_run(struct summand__gossip_call *call, int code,
                             summand_gossip_report *report)
{
    struct summand__run run;
    struct summand__runner *r = &run.runner;
    struct summand__guarded constant = {call, sizeof *call / 8};
    memset(&run, 0, sizeof run);
    prepare(&run, call);
    bool has_memory = summand__runner_open(r, call->state, &constant, &run.call);
    if (!(summand__run_close_layout(&run) && has_memory) && code == MPI_SUCCESS)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    r->limit = call->state->channel.timeout;
    code = agree(&run, code);
    r->limit = call->options.timeout > 0          ? call->options.timeout
               : call->state->channel.timeout > 0 ? call->state->channel.timeout
                                                  : LIMIT;
    while (code == MPI_SUCCESS && run.at < call->count && r->code == MPI_SUCCESS)
        one_piece(&run);
    if (code == MPI_SUCCESS && r->code == MPI_SUCCESS)
        conclude(&run, report);
    summand__runner_close(r);
    summand__guard_free(&run.layout);
    return code != MPI_SUCCESS ? code : r->code;
}

double summand__gossip_call_result(const struct summand__gossip_call *call, int k)
{
    const double *copy[3];
    for (int c = 0; c < 3; c++)
        copy[c] = call->results + (size_t)c * call->count + k;
    return memcmp(copy[0], copy[1], sizeof **copy) && !memcmp(copy[1], copy[2], sizeof **copy)
               ? *copy[1]
               : *copy[0];
}
