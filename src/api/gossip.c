/* summand_gossip_allreduce: check, run, write the results. */
#include "gossip/mpi/allreduce.h"

#include "api/gossip_fault.h"
#include "comm/error.h"
#include "gossip/random.h"
#include "kernel/fpenv.h"
#include "plan/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct call {
    struct summand__gossip_call all; /* as the rooms below want it */
    struct summand__fault_list faults;
};

summand_gossip_options summand_gossip_options_default(void)
{
    return (summand_gossip_options){.form = SUMMAND_GOSSIP_FIXED,
                                    .eps = 1e-9,
                                    .norm = SUMMAND_GOSSIP_RELATIVE,
                                    .max_rounds = 1000,
                                    .seed = 1,
                                    .agree = 1,
                                    .weight = 1,
                                    .tau = -1};
}

static int find_algorithm(struct call *c, MPI_Op op)
{
    const summand_gossip_options *o = &c->all.options;
    struct summand__gossip_call *call = &c->all;
    static const struct summand__arith *const forms[] = {
        &summand__arith_fixed, &summand__arith_double, &summand__arith_single};
    if (op != MPI_SUM && op != MPI_MIN && op != MPI_MAX)
        return MPI_ERR_OP;
    const char *name = o->algorithm ? o->algorithm : "hpfcc";
    call->algorithm = summand__gossip_named(name);
    bool extremum = op != MPI_SUM;
    if (!call->algorithm || call->algorithm->study || (call->algorithm->extremum && !extremum))
        return summand_error_code(SUMMAND_ERR_ALGORITHM);
    if ((int)o->form < 0 || o->form > SUMMAND_GOSSIP_SINGLE)
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    call->arith = forms[o->form];
    call->result = o->average ? SUMMAND__GOSSIP_MEAN : SUMMAND__GOSSIP_SUM;
    call->maximum = op == MPI_MAX;
    if (extremum) { /* values travel as they are */
        call->algorithm = summand__gossip_named("spread");
        call->arith = &summand__arith_double;
        call->result = SUMMAND__GOSSIP_EXTREMUM;
    }
    return MPI_SUCCESS;
}

static int check_options(struct call *c, int ranks)
{
    summand_gossip_options *o = &c->all.options;
    bool good = o->eps > 0 && isfinite(o->eps) && (int)o->norm >= 0 &&
                o->norm <= SUMMAND_GOSSIP_ABSOLUTE && o->max_rounds >= 1 && o->faults >= 0 &&
                (o->faults == 0 || o->fault) && !isnan(o->tau) && o->limit >= 0;
    if (c->all.result != SUMMAND__GOSSIP_MEAN)
        o->weight = 1;
    if (!good || !(o->weight > 0) || !isfinite(o->weight))
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (c->all.algorithm->style == SUMMAND__ASYNCHRONOUS) {
        const char *name = o->topology ? o->topology : "full";
        const char *wrong = summand__topology_make(&c->all.topology, name, ranks, o->seed);
        if (wrong)
            return summand_error_code(wrong == summand__topology_no_memory ? SUMMAND_ERR_MEMORY
                                                                           : SUMMAND_ERR_ARGUMENT);
    }
    return summand__fault_list_make(&c->faults, o);
}

static int check_input(struct call *c, const void *sendbuf, const void *recvbuf)
{
    const void *from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    int count = c->all.count;
    if (count < 0)
        return MPI_ERR_COUNT;
    if (count && (!from || !recvbuf))
        return MPI_ERR_BUFFER;
    for (int k = 0; k < count; k++)
        if (!isfinite(c->all.single ? (double)((const float *)from)[k] : ((const double *)from)[k]))
            return summand_error_code(SUMMAND_ERR_NOT_FINITE);
    c->all.from = from;
    c->all.results = malloc(3 * (size_t)(count ? count : 1) * sizeof *c->all.results);
    return c->all.results ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

static int read_call(struct call *c, const void *sendbuf, const void *recvbuf,
                     MPI_Datatype datatype, MPI_Op op)
{
    if (datatype != MPI_DOUBLE && datatype != MPI_FLOAT)
        return datatype == MPI_DATATYPE_NULL ? MPI_ERR_TYPE
                                             : summand_error_code(SUMMAND_ERR_DATATYPE);
    c->all.single = datatype == MPI_FLOAT;
    int code = find_algorithm(c, op);
    if (code == MPI_SUCCESS)
        code = check_options(c, c->all.state->ranks);
    return code == MPI_SUCCESS ? check_input(c, sendbuf, recvbuf) : code;
}

/* All that must be the same on all ranks. */
static void sign(struct summand__signature *signature, const struct call *c, MPI_Op op)
{
    static const char *const forms[] = {"SUMMAND_GOSSIP_FIXED", "SUMMAND_GOSSIP_DOUBLE",
                                        "SUMMAND_GOSSIP_SINGLE"};
    static const char *const norms[] = {"SUMMAND_GOSSIP_RELATIVE", "SUMMAND_GOSSIP_RMS",
                                        "SUMMAND_GOSSIP_ABSOLUTE"};
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
    summand__sign_number(signature, "options.agree", o->agree != 0);
    summand__sign_number(signature, "options.average", o->average != 0);
    summand__sign_real(signature, "options.tau", o->tau);
    summand__sign_real(signature, "options.limit", o->limit);
}

/* One word for all of it, which the ranks compare in their first exchange. */
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

/* Where the MPI has no communicator for our messages, all ranks see that alike. What differs
 * between ranks is said by an agreement: before the call with SUMMAND_CHECK, else once all know of
 * it. */
static int run(struct call *c, int code, const struct summand__signature *signature,
               summand_gossip_report *report)
{
    struct summand__state *state = c->all.state;
    bool no_channel = summand__state_channel(state) == MPI_COMM_NULL;
    if (code == MPI_SUCCESS && no_channel)
        code = summand_error_code(SUMMAND_ERR_COMMUNICATORS);
    if (state->checks || no_channel) {
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

int summand_gossip_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, const summand_gossip_options *options,
                             summand_gossip_report *report, MPI_Comm comm)
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
    struct call c = {.all = {.state = state, .count = count}};
    c.all.options = options ? *options : summand_gossip_options_default();
    code = read_call(&c, sendbuf, recvbuf, datatype, op);
    if (code == MPI_SUCCESS)
        sign(&signature, &c, op);
    code = run(&c, code, &signature, &happened);
    if (code == MPI_SUCCESS)
        write_result(&c, recvbuf);
    if (code == MPI_SUCCESS && report)
        *report = happened;
    summand__fault_list_free(&c.faults);
    summand__topology_free(&c.all.topology);
    free(c.all.results);
    return summand__raise(name, comm, code);
}
