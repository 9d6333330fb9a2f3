/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking products. The communicator caches the plans of the last ones: a later call with the same
 * matrices, scalars and options runs the cached plan after one agreement. The agreement also checks
 * that all ranks still have the plan, because a rank may drop it by itself: after an error, for
 * lack of memory, or when it frees a matrix. A cached plan holds its matrices, so a later matrix
 * cannot have the address of one of them. */
#include "comm/error.h"
#include "matrix/mpi/gemm.h"
#include "plan/cache.h"

static const char owner;

/* The cached plan that all ranks have; NULL: none is made yet. */
static int find(const struct summand__gemm_arguments *g, const char *call, int tag,
                struct summand__plan_cache *cache, summand_plan ***found)
{
    bool alike;
    summand_plan **kept = cache ? summand__plan_cache_find(cache, summand__gemm_serves, g) : NULL;
    int code = summand__gemm_agree(g, call, summand__gemm_check(g, kept), tag,
                                   kept ? summand__gemm_number(*kept) : 0, &alike);
    if (code == MPI_SUCCESS && kept && !alike)
        summand_plan_free(kept);
    *found = code == MPI_SUCCESS && kept && *kept ? kept : NULL;
    return code;
}

/* Makes the plan and runs it. A rank that cannot keep it says so in the next call's agreement. */
static int make_and_run(const struct summand__gemm_arguments *g, int tag,
                        struct summand__plan_cache *cache)
{
    summand_plan *plan;
    int code = summand__gemm_plan(g, tag, &plan);
    if (code != MPI_SUCCESS)
        return code;
    return summand__plan_cache_run(cache, plan, summand__gemm_bytes);
}

int summand__gemm_call(const struct summand__gemm_arguments *g, const char *call, int tag)
{
    struct summand__plan_cache *cache = summand__plan_cache_of(summand__gemm_state(g), &owner);
    summand_plan **plan;
    int code = find(g, call, tag, cache, &plan);
    if (code != MPI_SUCCESS)
        return code;
    if (!plan)
        return make_and_run(g, tag, cache);
    summand__gemm_rebind(*plan, g);
    summand__route_tag(&(*plan)->route, tag);
    return summand__plan_run_cached(plan);
}

void summand__gemm_forget(const struct summand_matrix *matrix)
{
    summand__plan_cache_forget(matrix->state, &owner, summand__gemm_uses, matrix);
}
