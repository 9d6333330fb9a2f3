/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/reduce.h"

#include <stdlib.h>
#include <summand/error.h>

#include "base/extent.h"
#include "kernel/forest.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "ordered/any.h"
#include "ordered/bundle_plan.h"
#include "ordered/number.h"
#include "plan/options.h"
#include "process/datatype.h"
#include "process/error.h"

struct work {
    struct summand__bundle_work tree;
    struct summand__part part;
    struct summand__any any;    /* unless `fast` */
    MPI_Datatype held;          /* a duplicate of the caller's, or MPI_DATATYPE_NULL */
    bool fast, single, has_any; /* SIMD kernels for doubles or floats */
    enum summand__tree_kind kind;
    const void *sendbuf;
    void *recvbuf;
    int rank;
    bool nowhere; /* recvbuf is NULL: an error if any rank has elements; this one has none */
};

static int check_result(const struct summand__ordered_call *call)
{
    return summand__buffer_check("recvbuf", call->recvbuf, 1, call->datatype);
}

/* True for operators and datatypes of the kernels; also by Fortran's names, as ranks may mix them.
 */
static bool fast_kind(MPI_Datatype datatype, MPI_Op op, enum summand__tree_kind *kind, bool *single)
{
    const struct {
        MPI_Op op;
        enum summand__tree_kind kind;
    } rows[] = {{MPI_SUM, SUMMAND__TREE_SUM},
                {MPI_MIN, SUMMAND__TREE_MIN},
                {MPI_MAX, SUMMAND__TREE_MAX},
                {MPI_PROD, SUMMAND__TREE_PROD}};
    bool complex;
    if (!summand__datatype_floating(datatype, single, &complex) || complex)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (op == rows[i].op) {
            *kind = rows[i].kind;
            return true;
        }
    return false;
}

static void before(void *context)
{
    struct work *work = context;
    struct summand__head *head = summand__bundle_head(work->tree.mine);
    uint64_t start = (uint64_t)work->part.start, count = (uint64_t)work->part.count;
    summand__bundle_begin(&work->tree.bundle, work->tree.mine);
    void *values = summand__bundle_place(&work->tree.bundle, work->tree.mine, 0, start, count);
    work->any.code = MPI_SUCCESS; /* of this start */
    if (!count)
        return;
    if (!work->fast)
        work->any.code =
            summand__ordered_local(&work->any.workspace, work->sendbuf, start, count, values);
    else if (work->single)
        summand__forest_f32(work->kind, work->sendbuf, NULL, start, (size_t)count, values);
    else
        summand__forest_f64(work->kind, work->sendbuf, NULL, start, (size_t)count, values);
    if (!work->fast && work->any.code != MPI_SUCCESS)
        head->error_flag = summand__error_flag_of(work->rank, work->any.code);
}

static int store(struct work *work)
{
    summand__bundle_fold(&work->tree.bundle, work->tree.total);
    const void *root = summand__bundle_root(&work->tree.bundle, work->tree.total, 0);
    if (!root)
        return MPI_SUCCESS;
    if (work->nowhere)
        return summand__refuse_as(MPI_ERR_BUFFER, "recvbuf is NULL, and there is a result");
    if (work->fast) {
        summand__number_store(root, work->single, work->recvbuf);
        return MPI_SUCCESS;
    }
    const struct summand__ordered_workspace *w = &work->any.workspace;
    return work->any.code != MPI_SUCCESS
               ? work->any.code
               : summand__element_copy(&w->element, root, work->recvbuf, w->pack, w->packed);
}

static int after(void *context)
{
    struct work *work = context;
    if (!work->fast && work->any.code != MPI_SUCCESS)
        return work->any.code;
    if (!work->tree.total)
        return MPI_SUCCESS;
    uint32_t error_flag = summand__bundle_head(work->tree.total)->error_flag;
    return error_flag ? summand__error_flag_code(error_flag) : store(work);
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    if (work->has_any)
        summand__any_free(&work->any);
    summand__datatype_free(&work->held);
    summand__bundle_work_close(&work->tree);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static int init_bundle(struct work *work, const struct summand__ordered_call *call)
{
    struct summand__operator element;
    size_t lower = 0, upper = 0;
    work->fast = fast_kind(call->datatype, call->op, &work->kind, &work->single);
    if (work->fast) {
        element = summand__number_operator(work->kind, work->single, false);
    } else {
        MPI_Datatype datatype = call->datatype;
        int code = call->outlives ? summand__datatype_hold(&datatype, &work->held) : MPI_SUCCESS;
        if (code == MPI_SUCCESS)
            code = summand__any_init(&work->any, datatype, call->op, &element);
        if (code != MPI_SUCCESS)
            return code;
        work->has_any = true;
        summand__any_reach(&work->any, &lower, &upper);
    }
    summand__bundle_init(&work->tree.bundle, 1, 0x07de4edu + (uint32_t)call->root, &element, lower,
                         upper);
    return MPI_SUCCESS;
}

static int make_work(const struct summand__ordered_call *call, bool receives, struct work **made)
{
    struct work *work = *made = calloc(1, sizeof *work);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    work->held = MPI_DATATYPE_NULL;
    int code = init_bundle(work, call);
    if (code != MPI_SUCCESS)
        return code;
    work->part = (struct summand__part){call->displacement, call->count};
    work->sendbuf = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    work->recvbuf = call->recvbuf;
    work->nowhere = receives && !call->count && check_result(call) != MPI_SUCCESS;
    return summand__bundle_work_open(&work->tree, receives)
               ? MPI_SUCCESS
               : summand_error_code(SUMMAND_ERR_MEMORY);
}

static int check_extent(const struct summand__ordered_call *call)
{
    MPI_Aint lb, extent, reach;
    int code = PMPI_Type_get_extent(call->datatype, &lb, &extent);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_get_true_extent(call->datatype, &lb, &reach);
    if (code == MPI_SUCCESS &&
        summand__span(call->count, extent < 0 ? -extent : extent, reach > 0 ? reach : 1, 1) < 0)
        code = summand__refuse_as(MPI_ERR_COUNT, "count is %lld, and no array has so many elements",
                                  (long long)call->count);
    return code;
}

static int check_buffers(const struct summand__ordered_call *call, bool receives)
{
    int code = receives && call->count ? check_result(call) : MPI_SUCCESS;
    if (call->sendbuf != MPI_IN_PLACE)
        return code == MPI_SUCCESS
                   ? summand__buffer_check("sendbuf", call->sendbuf, call->count, call->datatype)
                   : code;
    return receives ? code
                    : summand__refuse_as(MPI_ERR_BUFFER,
                                         "sendbuf is MPI_IN_PLACE, which is allowed on the root, "
                                         "rank %d, only",
                                         call->root);
}

int summand__ordered_check(const struct summand__ordered_call *call,
                           const struct summand__state *state)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    if (call->root < SUMMAND_ROOT_ALL || call->root >= state->ranks)
        return summand__refuse_as(MPI_ERR_ROOT,
                                  "root is %d, neither a rank from 0 to %d nor SUMMAND_ROOT_ALL",
                                  call->root, state->ranks - 1);
    int code = call->options
                   ? summand__options_check("options", call->options, SUMMAND_PROMISE_INDEX)
                   : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = summand__op_check(call->op, call->datatype);
    if (code != MPI_SUCCESS)
        return code;
    if (call->count < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "count is %lld, not 0 or more",
                                  (long long)call->count);
    code = check_extent(call);
    if (code != MPI_SUCCESS)
        return code;
    if (call->displacement < 0 && call->displacement != SUMMAND_DISPLACEMENT_APPEND)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT,
            "displacement is %lld, neither 0 or more nor SUMMAND_DISPLACEMENT_APPEND",
            (long long)call->displacement);
    return check_buffers(call, receives);
}

static void sign(struct summand__signature *signature, const struct summand__ordered_call *call)
{
    summand__sign_call(signature,
                       call->outlives ? "summand_ordered_reduce_init" : "summand_ordered_reduce");
    summand__sign_number(signature, "root", call->root);
    summand__sign_datatype(signature, "datatype", call->datatype);
    summand__sign_op(signature, "op", call->op);
    summand__options_sign(signature, call->options, NULL); /* only one promise is kept */
}

int summand__ordered_plan(struct summand__state *state, const struct summand__ordered_call *call,
                          int error, int tag, summand_plan **plan)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    struct work *work = NULL;
    struct summand__layout layout;
    struct summand__signature signature = {.count = 0};
    int code = error == MPI_SUCCESS ? make_work(call, receives, &work) : error;
    if (work)
        work->rank = state->rank;
    struct summand__plan_parts parts = {.tag = tag,
                                        .root = call->root,
                                        .promises = SUMMAND__RANK_ORDER,
                                        .hooks = &hooks,
                                        .work = work};
    if (code == MPI_SUCCESS)
        parts.choice = summand__options_choice(call->options);
    if (code == MPI_SUCCESS)
        sign(&signature, call);
    code = summand__layout_make(state, code, &signature, tag, 1, work ? &work->part : NULL, false,
                                &layout);
    return summand__bundle_plan_make(state, code, &layout, &parts, plan);
}
