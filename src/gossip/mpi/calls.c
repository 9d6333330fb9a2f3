/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_gossip_allreduce: check, run, write the results. */
#include "gossip/mpi/allreduce.h"

#include "base/nearest.h"
#include "base/random.h"
#include "gossip/mpi/fault_calls.h"
#include "kernel/fpenv_call.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "plan/agree.h"
#include "plan/options.h"
#include "process/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    struct summand__gossip_call all; /* in the form of the layers below */
    struct summand__fault_list faults;
};

summand_gossip_options summand_gossip_options_default(void)
{
    return (summand_gossip_options){.algorithm = NULL};
}

summand_gossip_options summand__gossip_options_of(const summand_gossip_options *given)
{
    summand_gossip_options o = given ? *given : summand_gossip_options_default();
    if (o.eps == 0)
        o.eps = 1e-9;
    if (!o.max_rounds)
        o.max_rounds = 1000;
    if (!o.seed)
        o.seed = 1;
    if (o.weight == 0)
        o.weight = 1;
    return o;
}

static const char *const forms[] = {"SUMMAND_GOSSIP_FIXED", "SUMMAND_GOSSIP_DOUBLE",
                                    "SUMMAND_GOSSIP_SINGLE"};
static const struct summand__arith *const ariths[] = {&summand__arith_fixed, &summand__arith_double,
                                                      &summand__arith_single};
static const char *const norms[] = {"SUMMAND_GOSSIP_RELATIVE", "SUMMAND_GOSSIP_RMS",
                                    "SUMMAND_GOSSIP_ABSOLUTE"};

/* Sums and means use these. */
static bool offered(const struct summand__gossip_algorithm *algorithm)
{
    return algorithm && !algorithm->study && !algorithm->extremum;
}

static int refuse_algorithm(const char *name)
{
    const struct summand__gossip_algorithm *found = summand__gossip_named(name);
    struct summand__nearest nearest = summand__nearest_to(name);
    char names[80] = "";
    if (found)
        return summand__refuse(SUMMAND_ERR_ALGORITHM, "options.algorithm is '%s', %s", name,
                               found->study ? "which is for simulators alone"
                                            : "which is for MPI_MIN and MPI_MAX alone");
    for (int a = 0; summand__gossip_algorithms[a]; a++) {
        size_t length = strlen(names);
        if (!offered(summand__gossip_algorithms[a]))
            continue;
        snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                 summand__gossip_algorithms[a]->name);
        summand__nearest_try(&nearest, summand__gossip_algorithms[a]->name);
    }
    return summand__refuse(SUMMAND_ERR_ALGORITHM, "options.algorithm is '%.40s'%s, not one of %s",
                           name, summand__nearest_text(&nearest).text, names);
}

static int find_algorithm(struct call *c, MPI_Op op)
{
    const summand_gossip_options *o = &c->all.options;
    struct summand__gossip_call *call = &c->all;
    if (op != MPI_SUM && op != MPI_MIN && op != MPI_MAX)
        return summand__refuse_as(MPI_ERR_OP, "op is %s, not MPI_SUM, MPI_MIN or MPI_MAX",
                                  summand__op_name(op));
    const char *name = o->algorithm ? o->algorithm : "hpfcc";
    call->algorithm = summand__gossip_named(name);
    bool extremum = op != MPI_SUM;
    bool spreads = call->algorithm && call->algorithm->extremum && extremum;
    if (!offered(call->algorithm) && !spreads)
        return refuse_algorithm(name);
    if ((int)o->form < 0 || o->form > SUMMAND_GOSSIP_SINGLE)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.form is %d, not one of enum summand_gossip_form (0 to %d)",
                               (int)o->form, SUMMAND_GOSSIP_SINGLE);
    call->arith = ariths[o->form];
    call->result = o->average ? SUMMAND__GOSSIP_MEAN : SUMMAND__GOSSIP_SUM;
    call->maximum = op == MPI_MAX;
    if (extremum) { /* values travel unchanged */
        call->algorithm = summand__gossip_named("spread");
        call->arith = &summand__arith_double;
        call->result = SUMMAND__GOSSIP_EXTREMUM;
    }
    return MPI_SUCCESS;
}

static int refuse_real(const char *name, double value, const char *allowed)
{
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.%s is %g, not %s", name, value, allowed);
}

static int refuse_number(const char *name, long long value, const char *allowed)
{
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.%s is %lld, not %s", name, value,
                           allowed);
}

static int check_faults(const summand_gossip_faults *all)
{
    const struct {
        const char *name;
        int most;
    } fields[] = {
        {"variable", SUMMAND_GOSSIP_RECEIVED}, {"component", SUMMAND_GOSSIP_CHECKSUM}, {"bit", 63}};
    if (!all)
        return MPI_SUCCESS;
    if (all->count < 0)
        return refuse_number("faults->count", all->count, "0 or more");
    if (all->count && !all->fault)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.faults->fault is NULL, and options.faults->count %d",
                               all->count);
    for (int f = 0; f < all->count; f++) {
        const int values[] = {(int)all->fault[f].variable, (int)all->fault[f].component,
                              all->fault[f].bit};
        for (int k = 0; k < 3; k++)
            if (values[k] < 0 || values[k] > fields[k].most)
                return summand__refuse(SUMMAND_ERR_ARGUMENT,
                                       "options.faults->fault[%d].%s is %d, not from 0 to %d", f,
                                       fields[k].name, values[k], fields[k].most);
    }
    return MPI_SUCCESS;
}

static int check_numbers(const summand_gossip_options *o)
{
    enum { ROUNDINGS = 16 };
    int code = summand__promise_check("options", o->promise, SUMMAND_PROMISE_SAME);
    if (code == MPI_SUCCESS)
        code = summand__timeout_check("options", o->timeout);
    if (code != MPI_SUCCESS)
        return code;
    if (!(o->eps > 0 && isfinite(o->eps)))
        return refuse_real("eps", o->eps, "0 (1e-9) or above, and finite");
    if ((int)o->norm < 0 || o->norm > SUMMAND_GOSSIP_ABSOLUTE)
        return refuse_number("norm", (int)o->norm, "one of enum summand_gossip_norm (0 to 2)");
    if (o->max_rounds < 1)
        return refuse_number("max_rounds", o->max_rounds, "0 (1000) or more");
    double least = o->form == SUMMAND_GOSSIP_FIXED ? 0 : ROUNDINGS * ariths[o->form]->resolution;
    if (!(o->tau == 0 || (o->tau > 0 && o->tau >= least)))
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.tau is %g, not 0 (the default) or at least %g: it would "
                               "take rounding for damage",
                               o->tau, least);
    if (!(o->weight > 0 && isfinite(o->weight)))
        return refuse_real("weight", o->weight, "0 (1) or above, and finite");
    return check_faults(o->faults);
}

/* What the algorithm does not use would change nothing. */
static int check_unused(const struct call *c)
{
    const summand_gossip_options *o = &c->all.options;
    const struct summand__gossip_algorithm *algorithm = c->all.algorithm;
    if (o->tau > 0 && !algorithm->checked)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.tau is %g, which '%s' does not use: it has no checksum",
                               o->tau, algorithm->name);
    if (o->topology && algorithm->style != SUMMAND__ASYNCHRONOUS)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.topology is '%.60s', which '%s' does not use: it has a "
                               "schedule of its own",
                               o->topology, algorithm->name);
    return MPI_SUCCESS;
}

static int make_topology(struct call *c, int ranks)
{
    const summand_gossip_options *o = &c->all.options;
    const char *name = o->topology ? o->topology : "full";
    if (c->all.algorithm->style != SUMMAND__ASYNCHRONOUS)
        return MPI_SUCCESS;
    const char *wrong = summand__topology_make(&c->all.topology, name, ranks, o->seed);
    if (wrong == summand__topology_no_memory)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    return wrong ? summand__refuse(SUMMAND_ERR_ARGUMENT, "options.topology is '%.60s': %s", name,
                                   wrong)
                 : MPI_SUCCESS;
}

static int check_options(struct call *c, int ranks)
{
    summand_gossip_options *o = &c->all.options;
    if (c->all.result != SUMMAND__GOSSIP_MEAN)
        o->weight = 1;
    int code = check_numbers(o);
    if (code == MPI_SUCCESS)
        code = check_unused(c);
    if (code == MPI_SUCCESS)
        code = make_topology(c, ranks);
    return code == MPI_SUCCESS ? summand__fault_list_make(&c->faults, o) : code;
}

static int check_input(struct call *c, const void *sendbuf, const void *recvbuf,
                       MPI_Datatype datatype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    const void *from = in_place ? recvbuf : sendbuf;
    int count = c->all.count;
    if (count < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "count is %d, not 0 or more", count);
    int code = summand__buffer_check("recvbuf", recvbuf, count, datatype);
    if (code == MPI_SUCCESS && !in_place)
        code = summand__buffer_check("sendbuf", sendbuf, count, datatype);
    if (code != MPI_SUCCESS)
        return code;
    for (int k = 0; k < count; k++) {
        double x = c->all.single ? (double)((const float *)from)[k] : ((const double *)from)[k];
        if (!isfinite(x))
            return summand__refuse(SUMMAND_ERR_NOT_FINITE, "%s[%d] is %g",
                                   in_place ? "recvbuf" : "sendbuf", k, x);
    }
    c->all.from = from;
    c->all.results = malloc(3 * (size_t)(count ? count : 1) * sizeof *c->all.results);
    return c->all.results ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

static int read_call(struct call *c, const void *sendbuf, const void *recvbuf,
                     MPI_Datatype datatype, MPI_Op op)
{
    char type[SUMMAND__TYPE_NAME];
    bool complex;
    if (datatype == MPI_DATATYPE_NULL)
        return summand__refuse_as(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
    if (!summand__datatype_floating(datatype, &c->all.single, &complex) || complex) {
        summand__datatype_name(datatype, type, sizeof type);
        return summand__refuse(SUMMAND_ERR_DATATYPE, "datatype is %s, not MPI_DOUBLE or MPI_FLOAT",
                               type);
    }
    int code = find_algorithm(c, op);
    if (code == MPI_SUCCESS)
        code = check_options(c, c->all.state->ranks);
    return code == MPI_SUCCESS ? check_input(c, sendbuf, recvbuf, datatype) : code;
}

/* Signs all arguments that must be the same on all ranks. */
static void sign(struct summand__signature *signature, const struct call *c, MPI_Op op)
{
    const summand_gossip_options *o = &c->all.options;
    summand__sign_call(signature, "summand_gossip_allreduce");
    summand__sign_number(signature, "count", c->all.count);
    summand__sign_word(signature, "datatype", c->all.single ? "MPI_FLOAT" : "MPI_DOUBLE");
    summand__sign_op(signature, "op", op);
    summand__sign_word(signature, "options.algorithm", c->all.algorithm->name);
    summand__sign_word(signature, "options.form", forms[o->form]);
    summand__sign_real(signature, "options.eps", o->eps);
    summand__sign_word(signature, "options.norm", norms[o->norm]);
    summand__sign_number(signature, "options.max_rounds", o->max_rounds);
    summand__sign_number(signature, "options.seed", (int64_t)o->seed);
    summand__sign_word(signature, "options.topology", o->topology ? o->topology : "full");
    summand__sign_word(signature, "options.promise",
                       summand__promise_name(summand__gossip_agrees(o) ? SUMMAND_PROMISE_SAME
                                                                       : SUMMAND_PROMISE_NONE));
    summand__sign_number(signature, "options.average", o->average != 0);
    summand__sign_real(signature, "options.tau", o->tau);
    summand__sign_real(signature, "options.timeout", o->timeout);
}

/* One word for the signature; the ranks compare it in their first exchange. */
static uint32_t hash_of(const struct summand__signature *signature)
{
    uint64_t h = 0x676f7373u;
    for (int i = 0; i < signature->count; i++)
        h = summand__mix(h ^ (uint64_t)signature->argument[i].value);
    return (uint32_t)(h >> 32) | 1;
}

static void write_result(const struct call *c, void *recvbuf)
{
    for (int k = 0; k < c->all.count; k++) {
        double y = summand__gossip_call_result(&c->all, k);
        if (c->all.single)
            ((float *)recvbuf)[k] = (float)y;
        else
            ((double *)recvbuf)[k] = y;
    }
}

/* An agreement reports differences between ranks: before the call with SUMMAND_CHECK, else once all
 * ranks know of one. */
static int run(struct call *c, int code, const struct summand__signature *signature,
               summand_gossip_report *report)
{
    struct summand__state *state = c->all.state;
    if (state->checks) {
        int agreed = summand__agree(state, code, signature);
        if (agreed != MPI_SUCCESS)
            return agreed;
    }
    c->all.signature = code == MPI_SUCCESS ? hash_of(signature) : 0;
    code = summand__gossip_call_run(&c->all, code, report);
    if (code == summand_error_code(SUMMAND_ERR_MISMATCH))
        return summand__agree(state, MPI_SUCCESS, signature);
    state->spoiled = state->spoiled || code != MPI_SUCCESS;
    return code;
}

/* Only a caller who takes the report can notice that a result misses eps. */
static int refuse_result(const summand_gossip_options *o, const summand_gossip_report *happened)
{
    return summand__refuse(SUMMAND_ERR_NOT_CONVERGED,
                           "after round %d (options.max_rounds is %d) the error is at most %g, not "
                           "within options.eps, %g of the result; with a report that is not NULL "
                           "the call returns such a result",
                           happened->rounds, o->max_rounds, happened->spread, o->eps);
}

int summand_gossip_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, const summand_gossip_options *options,
                             summand_gossip_report *report)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char name[] = "summand_gossip_allreduce";
    struct summand__state *state;
    struct summand__signature signature = {.count = 0};
    summand_gossip_report happened;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(name, comm, code);
    summand__enter(state, SUMMAND__ENTERED_GOSSIP_ALLREDUCE);
    summand__gossip_take_tags(state);
    struct call c = {.all = {.state = state, .count = count}};
    c.all.options = summand__gossip_options_of(options);
    code = read_call(&c, sendbuf, recvbuf, datatype, op);
    if (code == MPI_SUCCESS)
        sign(&signature, &c, op);
    else
        c.all.options.faults = NULL; /* they may be wrong */
    code = run(&c, code, &signature, &happened);
    if (code == MPI_SUCCESS && !happened.converged && !report)
        code = refuse_result(&c.all.options, &happened);
    if (code == MPI_SUCCESS)
        write_result(&c, recvbuf);
    if (code == MPI_SUCCESS && report)
        *report = happened;
    summand__fault_list_free(&c.faults);
    summand__topology_free(&c.all.topology);
    free(c.all.results);
    summand__leave(state);
    return summand__raise(name, comm, code);
}
