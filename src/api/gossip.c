/* summand_gossip_allreduce: check, agree, run piece by piece. */
#include "gossip/mpi/allreduce.h"

#include "api/gossip_fault.h"
#include "comm/error.h"
#include "plan/agree.h"

#include <math.h>
#include <stdlib.h>

struct call {
    struct summand__gossip_piece piece; /* as far as it is the same for all pieces */
    summand_gossip_options options;
    struct summand__topology topology;
    struct summand__fault_list faults;
    bool single;
    int count;
    double *x; /* inputs as double, then results */
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
    const summand_gossip_options *o = &c->options;
    struct summand__gossip_piece *piece = &c->piece;
    static const struct summand__arith *const forms[] = {
        &summand__arith_fixed, &summand__arith_double, &summand__arith_single};
    if (op != MPI_SUM && op != MPI_MIN && op != MPI_MAX)
        return MPI_ERR_OP;
    const char *name = o->algorithm ? o->algorithm : "hpfcc";
    piece->algorithm = summand__gossip_named(name);
    bool extremum = op != MPI_SUM;
    if (!piece->algorithm || piece->algorithm->study || (piece->algorithm->extremum && !extremum))
        return summand_error_code(SUMMAND_ERR_ALGORITHM);
    if ((int)o->form < 0 || o->form > SUMMAND_GOSSIP_SINGLE)
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    piece->arith = forms[o->form];
    piece->result = o->average ? SUMMAND__GOSSIP_MEAN : SUMMAND__GOSSIP_SUM;
    piece->maximum = op == MPI_MAX;
    if (extremum) { /* values travel as they are */
        piece->algorithm = summand__gossip_named("spread");
        piece->arith = &summand__arith_double;
        piece->result = SUMMAND__GOSSIP_EXTREMUM;
    }
    return MPI_SUCCESS;
}

static int check_options(struct call *c, int ranks)
{
    summand_gossip_options *o = &c->options;
    bool good = o->eps > 0 && isfinite(o->eps) && (int)o->norm >= 0 &&
                o->norm <= SUMMAND_GOSSIP_ABSOLUTE && o->max_rounds >= 1 && o->faults >= 0 &&
                (o->faults == 0 || o->fault) && !isnan(o->tau);
    if (c->piece.result != SUMMAND__GOSSIP_MEAN)
        o->weight = 1;
    if (!good || !(o->weight > 0) || !isfinite(o->weight))
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (c->piece.algorithm->style == SUMMAND__ASYNCHRONOUS) {
        const char *name = o->topology ? o->topology : "full";
        if (summand__topology_make(&c->topology, name, ranks, o->seed))
            return summand_error_code(SUMMAND_ERR_ARGUMENT);
        c->piece.topology = &c->topology;
    }
    return summand__fault_list_make(&c->faults, o);
}

static int read_input(struct call *c, const void *sendbuf, const void *recvbuf)
{
    const void *from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    if (c->count < 0)
        return MPI_ERR_COUNT;
    if (c->count && (!from || !recvbuf))
        return MPI_ERR_BUFFER;
    c->x = malloc((size_t)(c->count ? c->count : 1) * sizeof *c->x);
    if (!c->x)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    for (int k = 0; k < c->count; k++) {
        c->x[k] = c->single ? (double)((const float *)from)[k] : ((const double *)from)[k];
        if (!isfinite(c->x[k]))
            return summand_error_code(SUMMAND_ERR_NOT_FINITE);
    }
    return MPI_SUCCESS;
}

static int read_call(struct call *c, const void *sendbuf, const void *recvbuf,
                     MPI_Datatype datatype, MPI_Op op)
{
    if (datatype != MPI_DOUBLE && datatype != MPI_FLOAT)
        return datatype == MPI_DATATYPE_NULL ? MPI_ERR_TYPE
                                             : summand_error_code(SUMMAND_ERR_DATATYPE);
    c->single = datatype == MPI_FLOAT;
    int code = find_algorithm(c, op);
    if (code == MPI_SUCCESS)
        code = check_options(c, c->piece.state->ranks);
    return code == MPI_SUCCESS ? read_input(c, sendbuf, recvbuf) : code;
}

/* All that must be the same on all ranks. */
static void sign(struct summand__signature *signature, const struct call *c, MPI_Op op)
{
    static const char *const forms[] = {"SUMMAND_GOSSIP_FIXED", "SUMMAND_GOSSIP_DOUBLE",
                                        "SUMMAND_GOSSIP_SINGLE"};
    static const char *const norms[] = {"SUMMAND_GOSSIP_RELATIVE", "SUMMAND_GOSSIP_RMS",
                                        "SUMMAND_GOSSIP_ABSOLUTE"};
    const summand_gossip_options *o = &c->options;
    summand__sign_call(signature, "summand_gossip_allreduce");
    summand__sign_number(signature, "count", c->count);
    summand__sign_word(signature, "datatype", c->single ? "MPI_FLOAT" : "MPI_DOUBLE");
    summand__sign_op(signature, "op", op);
    summand__sign_word(signature, "options.algorithm", c->piece.algorithm->name);
    summand__sign_word(signature, "options.form", forms[o->form]);
    summand__sign_real(signature, "options.eps", o->eps);
    summand__sign_word(signature, "options.norm", norms[o->norm]);
    summand__sign_number(signature, "options.max_rounds", o->max_rounds);
    summand__sign_number(signature, "options.seed", (int64_t)o->seed);
    summand__sign_word(signature, "options.topology", o->topology ? o->topology : "full");
    summand__sign_number(signature, "options.agree", o->agree != 0);
    summand__sign_number(signature, "options.average", o->average != 0);
    summand__sign_real(signature, "options.tau", o->tau);
}

static int run_pieces(struct call *c, summand_gossip_report *report)
{
    int most = SUMMAND__GOSSIP_MOST / (c->options.norm == SUMMAND_GOSSIP_RMS ? 2 : 1);
    double *results = c->x;
    int code = MPI_SUCCESS;
    for (int at = 0; at < c->count && code == MPI_SUCCESS; at += most) {
        c->piece.count = c->count - at < most ? c->count - at : most;
        c->piece.x = c->x + at;
        c->piece.y = results + at;
        code = summand__gossip_piece_run(&c->piece, report);
    }
    return code;
}

static void write_result(const struct call *c, void *recvbuf)
{
    for (int k = 0; k < c->count; k++)
        if (c->single)
            ((float *)recvbuf)[k] = (float)c->x[k];
        else
            ((double *)recvbuf)[k] = c->x[k];
}

int summand_gossip_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, const summand_gossip_options *options,
                             summand_gossip_report *report, MPI_Comm comm)
{
    struct summand__state *state;
    struct summand__signature signature = {.count = 0};
    summand_gossip_report happened = {.converged = 1, .rigorous = 1};
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise("summand_gossip_allreduce", comm, code);
    summand__enter(state, SUMMAND__ENTERED_GOSSIP_ALLREDUCE);
    struct call c = {.options = options ? *options : summand_gossip_options_default(),
                     .count = count};
    c.piece.state = state;
    c.piece.options = &c.options;
    code = read_call(&c, sendbuf, recvbuf, datatype, op);
    if (code == MPI_SUCCESS)
        sign(&signature, &c, op);
    code = summand__agree(state, code, &signature);
    if (code == MPI_SUCCESS)
        code = run_pieces(&c, &happened);
    if (code == MPI_SUCCESS)
        write_result(&c, recvbuf);
    if (code == MPI_SUCCESS && report)
        *report = happened;
    summand__fault_list_free(&c.faults);
    summand__topology_free(&c.topology);
    free(c.x);
    return summand__raise("summand_gossip_allreduce", comm, code);
}
