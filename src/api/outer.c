/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_outer and its plan: check, let the ranks meet, find or make a plan, run it. */
#include <stdlib.h>

#include "comm/error.h"
#include "kernel/fpenv.h"
#include "outer/outer.h"
#include "plan/active.h"
#include "plan/agree.h"
#include "plan/plan.h"

/* Plans of blocking calls, as many as a loop over a few layers needs. */
enum { CACHED = 4 };

struct cache {
    struct summand__cache head;
    struct entry {
        summand_plan *plan; /* or NULL */
        struct summand__outer_known known;
    } entry[CACHED];
    int next;
};

static const char *const call_name = "summand_outer", *const init_name = "summand_outer_init";

summand_outer_options summand_outer_options_default(void)
{
    return (summand_outer_options){.result = SUMMAND_OUTER_WHOLE, .alpha = 1};
}

static void drop_cache(struct summand__cache *head)
{
    struct cache *cache = (struct cache *)head;
    for (int i = 0; i < CACHED; i++) {
        summand_plan_free(&cache->entry[i].plan);
        summand__outer_forget(&cache->entry[i].known);
    }
    free(cache);
}

static struct cache *cache_of(struct summand__state *state)
{
    static const char owner;
    return summand__state_cache(state, &owner, sizeof(struct cache), drop_cache);
}

static struct summand__outer_arguments arguments_of(MPI_Count pairs, int n,
                                                    const summand_outer_matrix *matrices,
                                                    MPI_Datatype datatype, int root,
                                                    const summand_outer_options *options)
{
    static const enum summand__outer_result results[] = {
        [SUMMAND_OUTER_WHOLE] = SUMMAND__OUTER_ALL,
        [SUMMAND_OUTER_ROWS] = SUMMAND__OUTER_ROWS,
        [SUMMAND_OUTER_BLOCKS] = SUMMAND__OUTER_BLOCKS,
        [SUMMAND_OUTER_FACTORS] = SUMMAND__OUTER_FACTORS};
    struct summand__outer_arguments arguments = {
        .datatype = datatype,
        .type = summand__outer_type_of(datatype),
        .pairs = pairs,
        .n = n,
        .matrices = matrices,
        .root = root,
        .options = options ? *options : summand_outer_options_default()};
    const size_t result = (size_t)arguments.options.result;
    if (result < sizeof results / sizeof *results) /* else refused */
        arguments.result = results[result];
    if (result == SUMMAND_OUTER_WHOLE && root != SUMMAND_ROOT_ALL)
        arguments.result = SUMMAND__OUTER_ROOT;
    return arguments;
}

static bool has_plan(const struct cache *cache, const struct summand__outer_arguments *arguments)
{
    bool found = false;
    for (int i = 0; cache && i < CACHED && !found; i++)
        found = cache->entry[i].plan && summand__outer_serves(cache->entry[i].plan, arguments);
    return found;
}

/* All that this rank can know without the others: so its error does not depend on theirs. */
static int check(const struct summand__outer_arguments *arguments, struct summand__state *state)
{
    int code = summand__outer_check(arguments, state->ranks);
    if (code == MPI_SUCCESS)
        code = summand__outer_check_buffers(arguments, state->rank, state->ranks);
    if (code == MPI_SUCCESS && arguments->options.algorithm &&
        !has_plan(cache_of(state), arguments))
        code = summand__outer_check_algorithm(arguments, state);
    return code;
}

/* What an agreement is about, for the message of a stuck rank. */
static void ask(struct summand__state *state, const struct summand__outer_arguments *arguments)
{
    bool described = arguments && arguments->n >= 0 && arguments->matrices;
    state->asked.timeout = arguments ? arguments->options.timeout : 0;
    state->asked.describe = described ? summand__outer_describe : NULL;
    state->asked.what = arguments;
}

/* An error of one rank, or what differs, is an error of all. */
static int agree(struct summand__state *state, const struct summand__outer_arguments *arguments,
                 const char *call, int code)
{
    struct summand__signature signature = {.count = 0};
    if (code == MPI_SUCCESS)
        summand__outer_sign(arguments, &signature, call);
    return summand__agree(state, code, &signature);
}

/* The plan of an earlier call that serves this one, or a new one, which is kept. */
static int find(struct summand__state *state, const struct summand__outer_arguments *arguments,
                struct summand__outer_known *known, struct entry **found)
{
    struct cache *cache = cache_of(state);
    if (!cache)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    for (int i = 0; i < CACHED; i++) {
        *found = &cache->entry[i];
        if (!(*found)->plan || !summand__outer_serves((*found)->plan, arguments) ||
            !summand__outer_known_alike(&(*found)->known, known))
            continue;
        summand__outer_rebind((*found)->plan, arguments);
        return MPI_SUCCESS;
    }
    summand_plan *plan;
    int code = summand__outer_plan(state, arguments, known, 0, &plan);
    if (code != MPI_SUCCESS)
        return code;
    *found = &cache->entry[cache->next];
    cache->next = (cache->next + 1) % CACHED;
    summand_plan_free(&(*found)->plan);
    summand__outer_forget(&(*found)->known);
    **found = (struct entry){plan, *known};
    known->words = NULL;
    return MPI_SUCCESS;
}

/* What ranks tell each other before a blocking call has a plan. `all_know`: of the error. */
static int meet(struct summand__state *state, const struct summand__outer_arguments *arguments,
                struct summand__outer_known *known, int *tag, bool *all_know)
{
    int code = check(arguments, state);
    ask(state, code == MPI_SUCCESS ? arguments : NULL);
    *all_know = false;
    if (state->checks) {
        code = agree(state, arguments, call_name, code);
        *all_know = code != MPI_SUCCESS && !state->parted;
    }
    if (code == MPI_SUCCESS) {
        code = summand__outer_meet(state, *tag, arguments, call_name, known);
        *all_know = summand_error_of(code) == SUMMAND_ERR_MISMATCH;
    }
    ask(state, NULL);
    return code;
}

int summand_outer(MPI_Count pairs, int n, const summand_outer_matrix *matrices,
                  MPI_Datatype datatype, int root, MPI_Comm comm,
                  const summand_outer_options *options)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    struct summand__outer_arguments arguments =
        arguments_of(pairs, n, matrices, datatype, root, options);
    struct summand__outer_known known = {NULL, 0};
    struct entry *entry = NULL;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(call_name, comm, code);
    summand__enter(state, SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLL_OUTER);
    bool all_know;
    int tag = summand__call_tag(state);
    code = meet(state, &arguments, &known, &tag, &all_know);
    if (code == MPI_SUCCESS) {
        code = find(state, &arguments, &known, &entry);
        all_know = summand__outer_all_refuse(code);
    }
    if (code == MPI_SUCCESS) {
        summand__route_tag(&entry->plan->route, tag);
        entry->plan->watch.timeout = arguments.options.timeout;
        code = summand__plan_run_cached(&entry->plan);
    } else if (!all_know || state->parted) {
        summand__active_take(state);
        summand__route_abort(state, tag);
    }
    summand__outer_forget(&known);
    return summand__raise(call_name, comm, code);
}

/* Agrees on the arguments, then exchanges pairs: so whoever comes to that is waited for there. */
static int make(struct summand__state *state, const struct summand__outer_arguments *arguments,
                int tag, int code, summand_plan **plan)
{
    struct summand__outer_known known = {NULL, 0};
    code = agree(state, arguments, init_name, code);
    if (code != MPI_SUCCESS) {
        summand__plan_abandon(state, tag);
        return code;
    }
    summand__enter_step(state);
    code = summand__outer_meet(state, tag, arguments, init_name, &known);
    summand__enter_step(state);
    if (code == MPI_SUCCESS)
        code = summand__outer_plan(state, arguments, &known, tag, plan);
    summand__outer_forget(&known);
    code = summand__agree(state, code, NULL);
    summand__plan_abandon(state, tag);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

int summand_outer_init(MPI_Count pairs, int n, const summand_outer_matrix *matrices,
                       MPI_Datatype datatype, int root, MPI_Comm comm,
                       const summand_outer_options *options, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    struct summand__outer_arguments arguments =
        arguments_of(pairs, n, matrices, datatype, root, options);
    summand_plan *made = NULL;
    int tag, code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(init_name, comm, code);
    summand__enter(state,
                   (SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLL_OUTER) | SUMMAND__ENTERED_INIT);
    if (plan)
        *plan = NULL;
    int wrong = plan ? check(&arguments, state)
                     : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL, not a place for one");
    ask(state, wrong == MPI_SUCCESS ? &arguments : NULL);
    code = summand__plan_tag(state, &tag);
    if (code == MPI_SUCCESS)
        code = make(state, &arguments, tag, wrong, &made);
    else if (wrong != MPI_SUCCESS)
        code = wrong;
    ask(state, NULL);
    if (code == MPI_SUCCESS)
        made->watch.timeout = arguments.options.timeout;
    if (plan)
        *plan = made;
    return summand__raise(init_name, comm, code);
}

static int check_place(int n, const summand_outer_matrix *matrices, int matrix, int rank, int ranks)
{
    if (n < 1 || n > SUMMAND__OUTER_LAYERS)
        return summand__refuse_as(MPI_ERR_COUNT, "n is %d, not 1 to %d", n, SUMMAND__OUTER_LAYERS);
    if (!matrices)
        return summand__refuse_as(MPI_ERR_BUFFER, "matrices is NULL, with n %d", n);
    if (matrix < 0 || matrix >= n)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "matrix is %d, not 0 to %d", matrix, n - 1);
    if (rank < 0 || rank >= ranks)
        return summand__refuse_as(MPI_ERR_RANK, "rank is %d, not at least 0 and below ranks, %d",
                                  rank, ranks);
    return MPI_SUCCESS;
}

int summand_outer_part_of(int n, const summand_outer_matrix *matrices, int matrix, int root,
                          int rank, int ranks, const summand_outer_options *options,
                          summand_outer_part *part)
{
    SUMMAND__IN_DEFAULT_FPENV;
    summand_outer_matrix sizes[SUMMAND__OUTER_LAYERS];
    int code = check_place(n, matrices, matrix, rank, ranks);
    if (code == MPI_SUCCESS && !part)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "part is NULL");
    if (code != MPI_SUCCESS)
        return summand__keep_words(code);
    for (int m = 0; m < n; m++)
        sizes[m] = (summand_outer_matrix){.rows = matrices[m].rows, .columns = matrices[m].columns};
    struct summand__outer_arguments arguments =
        arguments_of(0, n, sizes, MPI_DOUBLE, root, options);
    arguments.options.tile = NULL;
    code = summand__outer_check(&arguments, ranks);
    if (code != MPI_SUCCESS)
        return summand__keep_words(code);
    struct summand__outer_block block = summand__outer_part_of(&arguments, matrix, rank, ranks);
    *part = (summand_outer_part){(MPI_Count)block.row, (MPI_Count)block.rows,
                                 (MPI_Count)block.column, (MPI_Count)block.columns};
    return MPI_SUCCESS;
}
