/* summand_sum and its relatives: check, find or make a plan, run it. */
#include <stdlib.h>
#include <string.h>

#include "comm/error.h"
#include "ordered/layout.h"
#include "sum/sums.h"

/* Plans of exact one-shot calls: the shape of the message is all that they depend on. */
enum { CACHED = 8 };

struct cache {
    struct {
        uint32_t signature;
        summand_plan *plan;
    } entry[CACHED];
    int next;
};

summand_sum_options summand_sum_options_default(void)
{
    return (summand_sum_options){.method = SUMMAND_EXACT, .root = SUMMAND_ALL_RANKS};
}

static void drop_cache(void *cached)
{
    struct cache *cache = cached;
    for (int i = 0; i < CACHED; i++)
        summand_plan_free(&cache->entry[i].plan);
    free(cache);
}

static struct cache *cache_of(struct summand__state *state)
{
    if (!state->cache) {
        state->cache = calloc(1, sizeof(struct cache));
        state->drop_cache = drop_cache;
    }
    return state->cache;
}

static int cached_plan(struct summand__state *state, const struct summand__sums_call *call,
                       summand_plan **plan)
{
    uint32_t signature = summand__sums_signature(call);
    struct cache *cache = cache_of(state);
    if (!cache)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    for (int i = 0; i < CACHED; i++)
        if (cache->entry[i].plan && cache->entry[i].signature == signature) {
            *plan = cache->entry[i].plan;
            return MPI_SUCCESS;
        }
    int slot = cache->next;
    summand_plan_free(&cache->entry[slot].plan);
    int code = summand__exact_plan(state, call, plan);
    cache->entry[slot].plan = *plan;
    cache->entry[slot].signature = signature;
    cache->next = (slot + 1) % CACHED;
    return code;
}

/* An exact one-shot call needs nothing from the others but their operands. A rank whose arguments are
 * wrong takes part all the same, with its error in the operand's place. */
static int run_exact(struct summand__state *state, const struct summand__sums_call *call, int error)
{
    struct summand__sums_call shape = *call;
    summand_plan *plan;
    if (error != MPI_SUCCESS) {
        shape.k = 0;
        if (shape.root < SUMMAND_ALL_RANKS || shape.root >= state->ranks)
            shape.root = SUMMAND_ALL_RANKS;
    }
    int code = cached_plan(state, &shape, &plan);
    if (code != MPI_SUCCESS)
        return code;
    summand__exact_plan_rebind(plan, &shape, error);
    return summand__plan_run(plan);
}

static int make_plan(struct summand__state *state, const struct summand__sums_call *call, int error,
                     summand_plan **plan)
{
    uint32_t signature = error == MPI_SUCCESS ? summand__sums_signature(call) : 0;
    int code = summand__agree(state, error, signature);
    *plan = NULL;
    if (code != MPI_SUCCESS)
        return code;
    bool tree = call->method == SUMMAND_TREE;
    code = (tree ? summand__tree_plan : summand__exact_plan)(state, call, plan);
    code = summand__agree(state, code, 0);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

/* Fills in the call; an error code of this rank's arguments. */
static int read_call(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                     const summand_sum_options *options, const struct summand__state *state,
                     struct summand__sums_call *call)
{
    summand_sum_options o = options ? *options : summand_sum_options_default();
    *call = (struct summand__sums_call){.k = k, .terms = terms, .results = results,
                                        .single = datatype == MPI_FLOAT, .method = o.method,
                                        .root = o.root};
    int code = summand__sums_check(call, state);
    if (code == MPI_SUCCESS && datatype != MPI_FLOAT && datatype != MPI_DOUBLE)
        code = datatype == MPI_DATATYPE_NULL ? MPI_ERR_TYPE
                                             : summand_error_code(SUMMAND_ERR_DATATYPE);
    return code;
}

int summand_sums_init(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                      const summand_sum_options *options, MPI_Comm comm, summand_plan **plan)
{
    struct summand__state *state;
    struct summand__sums_call call;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, code);
    code = read_call(k, terms, results, datatype, options, state, &call);
    if (!plan && code == MPI_SUCCESS)
        code = summand_error_code(SUMMAND_ERR_ARGUMENT);
    summand_plan *made;
    code = make_plan(state, &call, code, &made);
    if (plan)
        *plan = made;
    return summand__raise(comm, code);
}

int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    struct summand__state *state;
    struct summand__sums_call call;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, code);
    code = read_call(k, terms, results, datatype, options, state, &call);
    if (call.method != SUMMAND_TREE)
        return summand__raise(comm, run_exact(state, &call, code));
    summand_plan *plan;
    code = make_plan(state, &call, code, &plan);
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    return summand__raise(comm, code);
}

static int one_sum(enum summand_kind kind, const void *x, const void *y, void *result,
                   MPI_Count count, MPI_Datatype datatype, const summand_sum_options *options,
                   MPI_Comm comm)
{
    summand_term term = {.kind = kind, .count = count, .displacement = SUMMAND_RANK_ORDER, .x = x,
                         .y = y};
    return summand_sums(1, &term, result, datatype, options, comm);
}

int summand_sum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum(SUMMAND_SUM, x, NULL, result, count, datatype, options, comm);
}

int summand_asum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum(SUMMAND_ASUM, x, NULL, result, count, datatype, options, comm);
}

int summand_nrm2(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                 const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum(SUMMAND_NRM2, x, NULL, result, count, datatype, options, comm);
}

int summand_dot(const void *x, const void *y, void *result, MPI_Count count, MPI_Datatype datatype,
                const summand_sum_options *options, MPI_Comm comm)
{
    return one_sum(SUMMAND_DOT, x, y, result, count, datatype, options, comm);
}
