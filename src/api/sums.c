/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_sum and its relatives: check, find or make a plan, run it. */
#include "api/sums.h"

#include "comm/error.h"
#include "kernel/fpenv.h"
#include "op/predefined.h"
#include "plan/active.h"
#include "plan/agree.h"
#include "plan/cache.h"
#include "plan/options.h"
#include "sum/sums.h"

/* Of options that may be wrong; 0: the environment's. */
static double timeout_of(const struct summand__sums_call *call)
{
    return call->options && call->options->timeout > 0 ? call->options->timeout : 0;
}

/* Plans of exact blocking calls. */
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

struct outcome {
    bool told; /* where this rank fails, all others do, and know it, unless the transport fails
                * there; else some may have the result */
    uint64_t offered; /* with success, of a call of no terms: the largest number that all ranks have
                       * offered; 0: there is none */
};

/* Operands carry a hash of the call: this rank knows its own alone. */
static void explain_mismatch(const struct summand__sums_call *asked)
{
    summand__error_explain(SUMMAND_ERR_MISMATCH,
                           "k, kinds, root, datatype or options; SUMMAND_CHECK=on says which. "
                           "This rank has k %d, %s, root %d, %s",
                           asked->k, asked->method ? asked->method->name : "no promise",
                           asked->root, summand__sums_type_name(asked));
}

/* An exact blocking call needs nothing from the others but their operands. A rank whose arguments
 * are wrong takes part all the same, with its error in the operand's place. `asked` is what the
 * caller came with. */
static int run_exact(struct summand__state *state, const struct summand__sums_call *call,
                     const struct summand__sums_call *asked, int error, struct outcome *outcome)
{
    summand_plan **plan = NULL;
    int tag = summand__call_tag(state);
    int code = cached_plan(state, call, &plan);
    *outcome = (struct outcome){.told = state->checks};
    if (state->checks)
        code = agree(state, code != MPI_SUCCESS ? code : error, asked);
    if (code != MPI_SUCCESS) {
        if (!state->checks || state->parted) {
            summand__active_take(state);
            summand__route_abort(state, tag);
        }
        return code;
    }
    summand__exact_plan_rebind(*plan, call, error);
    summand__route_tag(&(*plan)->route, tag);
    (*plan)->watch.timeout = timeout_of(call);
    code = summand__plan_run_cached(plan);
    if (code == summand_error_code(SUMMAND_ERR_MISMATCH))
        explain_mismatch(asked);
    outcome->told = *plan != NULL; /* by the operands; the transport's errors are its own */
    if (code == MPI_SUCCESS && !call->k)
        outcome->offered = summand__exact_plan_offered(*plan);
    return code;
}

static int run_with_error(struct summand__state *state, const struct summand__sums_call *call,
                          int error)
{
    struct summand__sums_call shape = *call;
    bool good_root = call->root >= SUMMAND_ROOT_ALL && call->root < state->ranks;
    struct outcome outcome;
    if (!good_root || !call->method || call->method->tree)
        shape.root = SUMMAND_ROOT_ALL;
    if (shape.k < 0)
        shape.k = 0;
    shape.signature = 0; /* of no call */
    run_exact(state, &shape, call, error, &outcome);
    return error;
}

/* A tree call begins with an operation of no terms, its opening, which detects ranks that make
 * another call before ranges are exchanged, and tells whether all ranks have kept the plan of an
 * earlier call of their shapes. If so, they run it. Else they agree on the call and make a plan.
 *
 * If the opening fails on a rank for lack of memory, or in the transport, other ranks may have its
 * result. A rank that had no plan to offer knows that they wait in the agreement, and joins it.
 * Else they may also have begun with the plan: this rank aborts that, and announces that it comes
 * to no agreement. Both are another step: no rank leaves it because another one aborted the
 * opening. A rank that knows from the operands that the call is over does not join. It is announced
 * to those that do: by the rank whose arguments are wrong, or by the first few of the ranks that
 * disagree, one of which is enough. */
enum { TELLERS = 8 };

static bool tells(const struct summand__state *state, int error, int code, bool told)
{
    if (state->checks || (code == MPI_SUCCESS && error == MPI_SUCCESS))
        return false;
    bool differ = told && code == summand_error_code(SUMMAND_ERR_MISMATCH);
    return error != MPI_SUCCESS || (differ && state->rank < TELLERS);
}

/* The cache of the method's plans; NULL: none are kept, or no memory. */
static struct summand__plan_cache *cache_of(struct summand__state *state,
                                            const struct summand__sum_method *method)
{
    return method && method->serves ? summand__plan_cache_of(state, method) : NULL;
}

/* Numbers of the cached plans that serve the call here, falling, and a 0. */
static void find_kept(const struct summand__plan_cache *cache,
                      const struct summand__sums_call *call, uint64_t *numbers)
{
    size_t n = 0;
    for (size_t c = 0; cache && c < SUMMAND__CACHED_PLANS; c++) {
        if (!cache->plan[c] || !call->method->serves(cache->plan[c]->work, call))
            continue;
        uint64_t number = call->method->made_by(cache->plan[c]);
        size_t place = n++;
        for (; place && numbers[place - 1] < number; place--)
            numbers[place] = numbers[place - 1];
        numbers[place] = number;
    }
    numbers[n] = 0;
}

static int make_and_run(struct summand__state *state, const struct summand__sums_call *call,
                        int code, int tag)
{
    struct summand__plan_cache *cache = cache_of(state, call->method);
    summand_plan *plan = NULL;
    code = call->method->plan(state, call, code, tag, &plan);
    if (code != MPI_SUCCESS)
        return code;
    plan->watch.timeout = timeout_of(call);
    return summand__plan_cache_run(cache, plan, call->method->bytes);
}

/* Ranks that fail here may do so alone: where only one rank has the result, others may be through.
 */
static int run_kept(struct summand__state *state, const struct summand__sums_call *call,
                    struct summand__plan_cache *cache, uint64_t number)
{
    summand_plan **plan = cache->plan;
    while (!*plan || call->method->made_by(*plan) != number)
        plan++;
    call->method->rebind(*plan, call);
    summand__route_tag(&(*plan)->route, summand__call_tag(state));
    (*plan)->watch.timeout = timeout_of(call);
    int code = summand__plan_run_cached(plan);
    if (code != MPI_SUCCESS) /* one whose opening failed may wait in an agreement */
        summand__await_none(state);
    return code;
}

/* For a rank that may stand alone with its error, and had a plan to offer. */
static int leave_opening(struct summand__state *state, int code)
{
    summand__active_take(state);
    summand__route_abort(state, summand__call_tag(state));
    summand__await_none(state);
    return code;
}

static int run_tree(struct summand__state *state, const struct summand__sums_call *call, int error)
{
    struct summand__sums_call shape = *call;
    struct summand__plan_cache *cache = NULL;
    uint64_t numbers[SUMMAND__CACHED_PLANS + 1];
    struct outcome opening;
    if (error == MPI_SUCCESS)
        cache = cache_of(state, call->method);
    find_kept(cache, call, numbers);
    shape.k = 0;
    shape.root = SUMMAND_ROOT_ALL;
    shape.choice = NULL;
    shape.offers = numbers;
    int code = run_exact(state, &shape, call, error, &opening);
    summand__enter_step(state);
    if (code == MPI_SUCCESS && opening.offered)
        return run_kept(state, call, cache, opening.offered);
    if (code != MPI_SUCCESS && !opening.told && numbers[0])
        return leave_opening(state, code);
    if (tells(state, error, code, opening.told)) {
        /* Ranks that know of it from the operands are gone. Others, which an error of the transport
         * has kept from learning it, wait in the agreement. This rank tells them, though the
         * transport may have failed here too. */
        summand__await_none(state);
        return error != MPI_SUCCESS ? error : code;
    }
    if (code != MPI_SUCCESS && opening.told)
        return code;
    return make_and_run(state, call, code, summand__call_tag(state));
}

/* An exact plan is made without the others, who learn then how that went; the other plans agree on
 * the call in their making. */
static int make_plan(struct summand__state *state, const struct summand__sums_call *call, int error,
                     summand_plan **plan)
{
    int tag, code = summand__plan_tag(state, &tag);
    *plan = NULL;
    if (code != MPI_SUCCESS)
        return error != MPI_SUCCESS ? error : code;
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
    else
        (*plan)->watch.timeout = timeout_of(call);
    return code;
}

/* What a call is asked for, besides its terms. */
struct manner {
    const struct summand__sum_method *method;
    const summand_options *options; /* or NULL */
    int root;
    bool one; /* the public call is of one sum */
};

static struct manner manner_of(int root, const summand_options *options)
{
    enum summand_promise promise = options ? options->promise : SUMMAND_PROMISE_DEFAULT;
    return (struct manner){summand__sum_method_of(promise), options, root, false};
}

static int refuse_type(MPI_Datatype datatype)
{
    char type[SUMMAND__TYPE_NAME];
    summand__datatype_name(datatype, type, sizeof type);
    return datatype == MPI_DATATYPE_NULL
               ? summand__refuse_as(MPI_ERR_TYPE, "datatype is %s", type)
               : summand__refuse(SUMMAND_ERR_DATATYPE,
                                 "datatype is %s, not MPI_DOUBLE, MPI_FLOAT, MPI_C_DOUBLE_COMPLEX, "
                                 "MPI_C_FLOAT_COMPLEX or Fortran's name of one",
                                 type);
}

/* Fills in the call, and the choice if one is named; an error code of this rank's arguments. */
static int read_call(const struct manner *manner, int k, const summand_term *terms, void *results,
                     MPI_Datatype datatype, struct summand__state *state,
                     struct summand__choice *choice, struct summand__sums_call *call)
{
    *call = (struct summand__sums_call){.k = k,
                                        .terms = terms,
                                        .results = results,
                                        .method = manner->method,
                                        .options = manner->options,
                                        .one = manner->one,
                                        .root = manner->root};
    call->single = datatype == MPI_FLOAT;
    bool known = datatype == MPI_DOUBLE || call->single ||
                 summand__datatype_floating(datatype, &call->single, &call->complex);
    state->asked.timeout = timeout_of(call); /* of the agreements in here */
    if (call->options) /* a short sum takes less time than looking at all of them */
        summand__sums_choose(call, choice);
    int code = summand__sums_check(call, state);
    if (code == MPI_SUCCESS && !known)
        code = refuse_type(datatype);
    if (code == MPI_SUCCESS && call->complex && call->method->plain)
        code = refuse_type(datatype);
    if (code == MPI_SUCCESS)
        call->signature = summand__sums_signature(call);
    return code;
}

static int init_sums(const struct manner *manner, int k, const summand_term *terms, void *results,
                     MPI_Datatype datatype, MPI_Comm comm, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    struct summand__sums_call call;
    struct summand__choice choice;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise("summand_sums_init", comm, code);
    summand__enter(state, SUMMAND__ENTERED_SUMS | SUMMAND__ENTERED_INIT);
    code = read_call(manner, k, terms, results, datatype, state, &choice, &call);
    call.init = true;
    if (!plan && code == MPI_SUCCESS)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL");
    summand_plan *made;
    code = make_plan(state, &call, code, &made);
    state->asked.timeout = 0;
    if (plan)
        *plan = made;
    return summand__raise("summand_sums_init", comm, code);
}

static int run_sums(const char *name, const struct manner *manner, int k, const summand_term *terms,
                    void *results, MPI_Datatype datatype, MPI_Comm comm)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    struct summand__sums_call call;
    struct summand__choice choice;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(name, comm, code);
    summand__enter(state, SUMMAND__ENTERED_SUMS);
    code = read_call(manner, k, terms, results, datatype, state, &choice, &call);
    bool tree = call.method && call.method->tree;
    struct outcome outcome;
    if (tree)
        code = run_tree(state, &call, code);
    else if (code != MPI_SUCCESS)
        code = run_with_error(state, &call, code);
    else
        code = run_exact(state, &call, &call, MPI_SUCCESS, &outcome);
    state->asked.timeout = 0;
    return summand__raise(name, comm, code);
}

int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype, int root,
                 MPI_Comm comm, const summand_options *options)
{
    const struct manner manner = manner_of(root, options);
    return run_sums("summand_sums", &manner, k, terms, results, datatype, comm);
}

int summand_sums_init(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                      int root, MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    const struct manner manner = manner_of(root, options);
    return init_sums(&manner, k, terms, results, datatype, comm, plan);
}

int summand__sums_by(const struct summand__sum_method *method, int k, const summand_term *terms,
                     void *results, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    const struct manner manner = {.method = method, .root = root};
    return run_sums("summand_sums", &manner, k, terms, results, datatype, comm);
}

int summand__sums_init_by(const struct summand__sum_method *method, int k,
                          const summand_term *terms, void *results, MPI_Datatype datatype, int root,
                          MPI_Comm comm, summand_plan **plan)
{
    const struct manner manner = {.method = method, .root = root};
    return init_sums(&manner, k, terms, results, datatype, comm, plan);
}

static int one_sum(const char *name, enum summand_kind kind, const void *x, const void *y,
                   void *result, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   const summand_options *options)
{
    summand_term term = {
        .kind = kind, .count = count, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x, .y = y};
    struct manner manner = manner_of(root, options);
    manner.one = true;
    return run_sums(name, &manner, 1, &term, result, datatype, comm);
}

int summand_sum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype, int root,
                MPI_Comm comm, const summand_options *options)
{
    return one_sum("summand_sum", SUMMAND_KIND_SUM, x, NULL, result, count, datatype, root, comm,
                   options);
}

int summand_asum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype, int root,
                 MPI_Comm comm, const summand_options *options)
{
    return one_sum("summand_asum", SUMMAND_KIND_ASUM, x, NULL, result, count, datatype, root, comm,
                   options);
}

int summand_nrm2(const void *x, void *result, MPI_Count count, MPI_Datatype datatype, int root,
                 MPI_Comm comm, const summand_options *options)
{
    return one_sum("summand_nrm2", SUMMAND_KIND_NRM2, x, NULL, result, count, datatype, root, comm,
                   options);
}

int summand_dot(const void *x, const void *y, void *result, MPI_Count count, MPI_Datatype datatype,
                int root, MPI_Comm comm, const summand_options *options)
{
    return one_sum("summand_dot", SUMMAND_KIND_DOT, x, y, result, count, datatype, root, comm,
                   options);
}
