/* summand_sum and its relatives: check, find or make a plan, run it. */
#include "api/sums.h"

#include "comm/error.h"
#include "plan/active.h"
#include "plan/agree.h"
#include "plan/await.h"
#include "plan/cache.h"
#include "sum/sums.h"

summand_sum_options summand_sum_options_default(void)
{
    return (summand_sum_options){.method = SUMMAND_EXACT, .root = SUMMAND_ALL_RANKS};
}

/* Plans of exact one-shot calls. */
static int cached_plan(struct summand__state *state, const struct summand__sums_call *call,
                       summand_plan ***plan)
{
    static const char owner;
    struct summand__plan_cache *cache = summand__plan_cache_of(state, &owner);
    summand_plan *made;
    if (!cache)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    *plan = summand__plan_cache_find(cache, summand__exact_plan_serves, call);
    if (*plan)
        return MPI_SUCCESS;
    int code = summand__exact_plan(state, call, MPI_SUCCESS, 0, &made);
    if (code == MPI_SUCCESS)
        *plan = summand__plan_cache_keep(cache, made);
    return code;
}

static int agree(struct summand__state *state, int code, const struct summand__sums_call *call)
{
    struct summand__signature signature;
    if (code != MPI_SUCCESS)
        return summand__agree(state, code, NULL);
    summand__sums_sign(call, &signature);
    return summand__agree(state, code, &signature);
}

/* An exact one-shot call needs nothing from the others but their operands. A rank whose arguments
 * are wrong takes part all the same, with its error in the operand's place. `asked` is what the
 * caller came with. `told`: where this rank fails, all others do, and know it, unless the transport
 * fails there; else some may have the result. */
static int run_exact(struct summand__state *state, const struct summand__sums_call *call,
                     const struct summand__sums_call *asked, int error, bool *told)
{
    summand_plan **plan = NULL;
    int tag = summand__call_tag(state); /* also without memory: tags stay in step */
    int code = cached_plan(state, call, &plan);
    *told = state->checks;
    if (state->checks) {
        code = agree(state, code != MPI_SUCCESS ? code : error, asked);
        tag = summand__tags_last_call(&state->tags); /* in step now */
    }
    if (code != MPI_SUCCESS) {
        if (!state->checks || state->parted) {
            summand__active_take(state);
            summand__route_abort(state, tag);
        }
        return code;
    }
    summand__exact_plan_rebind(*plan, call, error);
    summand__route_tag(&(*plan)->route, tag);
    code = summand__plan_run_cached(plan);
    *told = *plan != NULL; /* by the operands; the transport's errors are this rank's alone */
    return code;
}

static int run_with_error(struct summand__state *state, const struct summand__sums_call *call,
                          int error)
{
    struct summand__sums_call shape = *call;
    bool good_root = call->root >= SUMMAND_ALL_RANKS && call->root < state->ranks, told;
    if (!good_root || !call->method || call->method->tree)
        shape.root = SUMMAND_ALL_RANKS;
    if (shape.k < 0)
        shape.k = 0;
    shape.signature = 0; /* of no call */
    run_exact(state, &shape, call, error, &told);
    return error;
}

/* A tree call begins with an operation of no terms, which detects ranks that make another call
 * before ranges are exchanged. If it fails on a rank for lack of memory, or in the transport, other
 * ranks may have its result and wait. So the failed rank still joins the agreement that follows.
 * That is another step: no rank leaves it because another one aborted the first step. A rank that
 * knows from the operands that the call is over does not join. It is announced to those that do:
 * by the rank whose arguments are wrong, or by the first few of the ranks that disagree, one of
 * which is enough. Only ranks without an error take a tag for the agreement, which puts the others
 * in step. */
enum { TELLERS = 8 };

static bool tells(const struct summand__state *state, int error, int code, bool told)
{
    if (state->checks || (code == MPI_SUCCESS && error == MPI_SUCCESS))
        return false;
    bool differ = told && code == summand_error_code(SUMMAND_ERR_MISMATCH);
    return error != MPI_SUCCESS || (differ && state->rank < TELLERS);
}

static int run_tree(struct summand__state *state, const struct summand__sums_call *call, int error)
{
    struct summand__sums_call shape = *call;
    shape.k = 0;
    shape.root = SUMMAND_ALL_RANKS;
    summand_plan *plan = NULL;
    bool told;
    int code = run_exact(state, &shape, call, error, &told);
    summand__enter_step(state);
    int tag = summand__tags_last_call(&state->tags);
    if (code == MPI_SUCCESS)
        code = summand__agreeing_tag(state, &tag);
    if (tells(state, error, code, told)) {
        /* Ranks that know of it from the operands are gone. Others, which an error of the transport
         * has kept from learning it, wait in the agreement. This rank tells them, though the
         * transport may have failed here too. */
        code = error != MPI_SUCCESS ? error : code;
        summand__await_none(state);
    } else if (code == MPI_SUCCESS || !told) {
        code = call->method->plan(state, call, code, tag, &plan);
    }
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    return code;
}

/* An exact plan is made without the others, who learn then how that went; the other plans agree on
 * the call in their making. */
static int make_plan(struct summand__state *state, const struct summand__sums_call *call, int error,
                     summand_plan **plan)
{
    int tag, code = summand__plan_tag(state, &tag);
    *plan = NULL;
    if (code != MPI_SUCCESS)
        return code;
    if (error != MPI_SUCCESS || !call->method->tree) {
        if (error == MPI_SUCCESS)
            error = call->method->plan(state, call, MPI_SUCCESS, tag, plan);
        code = agree(state, error, call);
    } else {
        code = call->method->plan(state, call, MPI_SUCCESS, tag, plan);
    }
    summand__plan_abandon(state, tag);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

/* How, and where to: options of a call. */
struct manner {
    const struct summand__sum_method *method;
    int root;
};

static struct manner manner_of(const summand_sum_options *options)
{
    summand_sum_options o = options ? *options : summand_sum_options_default();
    return (struct manner){summand__sum_method_of(o.method), o.root};
}

/* Fills in the call; an error code of this rank's arguments. */
static int read_call(const struct manner *manner, int k, const summand_term *terms, void *results,
                     MPI_Datatype datatype, const struct summand__state *state,
                     struct summand__sums_call *call)
{
    *call = (struct summand__sums_call){.k = k,
                                        .terms = terms,
                                        .results = results,
                                        .single = datatype == MPI_FLOAT,
                                        .method = manner->method,
                                        .root = manner->root};
    int code = summand__sums_check(call, state);
    if (code == MPI_SUCCESS && datatype != MPI_FLOAT && datatype != MPI_DOUBLE)
        code =
            datatype == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : summand_error_code(SUMMAND_ERR_DATATYPE);
    if (code == MPI_SUCCESS)
        call->signature = summand__sums_signature(call);
    return code;
}

static int init_sums(const struct manner *manner, int k, const summand_term *terms, void *results,
                     MPI_Datatype datatype, MPI_Comm comm, summand_plan **plan)
{
    struct summand__state *state;
    struct summand__sums_call call;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise("summand_sums_init", comm, code);
    summand__enter(state, SUMMAND__ENTERED_SUMS | SUMMAND__ENTERED_INIT);
    code = read_call(manner, k, terms, results, datatype, state, &call);
    call.init = true;
    if (!plan && code == MPI_SUCCESS)
        code = summand_error_code(SUMMAND_ERR_ARGUMENT);
    summand_plan *made;
    code = make_plan(state, &call, code, &made);
    if (plan)
        *plan = made;
    return summand__raise("summand_sums_init", comm, code);
}

static int run_sums(const char *name, const struct manner *manner, int k, const summand_term *terms,
                    void *results, MPI_Datatype datatype, MPI_Comm comm)
{
    struct summand__state *state;
    struct summand__sums_call call;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(name, comm, code);
    summand__enter(state, SUMMAND__ENTERED_SUMS);
    code = read_call(manner, k, terms, results, datatype, state, &call);
    bool tree = call.method && call.method->tree, told;
    if (tree)
        code = run_tree(state, &call, code);
    else if (code != MPI_SUCCESS)
        code = run_with_error(state, &call, code);
    else
        code = run_exact(state, &call, &call, MPI_SUCCESS, &told);
    return summand__raise(name, comm, code);
}

int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    const struct manner manner = manner_of(options);
    return run_sums("summand_sums", &manner, k, terms, results, datatype, comm);
}

int summand_sums_init(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                      const summand_sum_options *options, MPI_Comm comm, summand_plan **plan)
{
    const struct manner manner = manner_of(options);
    return init_sums(&manner, k, terms, results, datatype, comm, plan);
}

int summand__sums_by(const struct summand__sum_method *method, int root, int k,
                     const summand_term *terms, void *results, MPI_Datatype datatype, MPI_Comm comm)
{
    const struct manner manner = {method, root};
    return run_sums("summand_sums", &manner, k, terms, results, datatype, comm);
}

int summand__sums_init_by(const struct summand__sum_method *method, int root, int k,
                          const summand_term *terms, void *results, MPI_Datatype datatype,
                          MPI_Comm comm, summand_plan **plan)
{
    const struct manner manner = {method, root};
    return init_sums(&manner, k, terms, results, datatype, comm, plan);
}

static int one_sum(const char *name, enum summand_kind kind, const void *x, const void *y,
                   void *result, MPI_Count count, MPI_Datatype datatype,
                   const summand_sum_options *options, MPI_Comm comm)
{
    summand_term term = {
        .kind = kind, .count = count, .displacement = SUMMAND_RANK_ORDER, .x = x, .y = y};
    const struct manner manner = manner_of(options);
    return run_sums(name, &manner, 1, &term, result, datatype, comm);
}

int summand_sum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum("summand_sum", SUMMAND_SUM, x, NULL, result, count, datatype, options, comm);
}

int summand_asum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum("summand_asum", SUMMAND_ASUM, x, NULL, result, count, datatype, options, comm);
}

int summand_nrm2(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum("summand_nrm2", SUMMAND_NRM2, x, NULL, result, count, datatype, options, comm);
}

int summand_dot(const void *x, const void *y, void *result, MPI_Count count, MPI_Datatype datatype,
                const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum("summand_dot", SUMMAND_DOT, x, y, result, count, datatype, options, comm);
}
