/* Exact sums: each rank deposits its elements, accumulators are merged, results rounded once. */
#include <stdlib.h>

#include "sum/exact_operand.h"
#include "sum/sums.h"

struct work {
    struct summand__exact_shape shape;
    struct summand__exact_operand *mine, *total; /* total is NULL on ranks without result */
    summand_term *terms;
    void *results;
    bool single;
    int root;
    int error; /* of this rank's arguments: passed on instead of a sum */
};

static void deposit_f64(summand_exact *sum, const summand_term *term)
{
    size_t n = (size_t)term->count;
    static void (*const unary[])(summand_exact *, size_t,
                                 const double *) = {[SUMMAND_SUM] = summand_exact_add,
                                                    [SUMMAND_ASUM] = summand_exact_add_abs,
                                                    [SUMMAND_NRM2] = summand_exact_add_squares};
    if (term->kind == SUMMAND_DOT)
        summand_exact_add_products(sum, n, term->x, term->y);
    else
        unary[term->kind](sum, n, term->x);
}

static void deposit_f32(summand_exact *sum, const summand_term *term)
{
    size_t n = (size_t)term->count;
    static void (*const unary[])(summand_exact *, size_t,
                                 const float *) = {[SUMMAND_SUM] = summand_exact_add_f32,
                                                   [SUMMAND_ASUM] = summand_exact_add_abs_f32,
                                                   [SUMMAND_NRM2] = summand_exact_add_squares_f32};
    if (term->kind == SUMMAND_DOT)
        summand_exact_add_products_f32(sum, n, term->x, term->y);
    else
        unary[term->kind](sum, n, term->x);
}

static void before(void *context)
{
    struct work *work = context;
    work->mine->head = (struct summand__head){
        work->shape.signature, work->error == MPI_SUCCESS ? SUMMAND__GOOD : SUMMAND__REMOTE};
    for (size_t i = 0; i < work->shape.k && work->error == MPI_SUCCESS; i++) {
        summand_exact_init(&work->mine->sum[i]);
        (work->single ? deposit_f32 : deposit_f64)(&work->mine->sum[i], &work->terms[i]);
    }
}

static void round_one(const struct work *work, size_t i)
{
    const summand_exact *sum = &work->total->sum[i];
    bool norm = work->terms[i].kind == SUMMAND_NRM2;
    if (work->single)
        ((float *)work->results)[i] =
            norm ? summand_exact_sqrt_f32(sum) : summand_exact_round_f32(sum);
    else
        ((double *)work->results)[i] = norm ? summand_exact_sqrt(sum) : summand_exact_round(sum);
}

static int after(void *context)
{
    struct work *work = context;
    if (work->error != MPI_SUCCESS || !work->total)
        return work->error;
    for (size_t i = 0; i < work->shape.k && !work->total->head.error_flag; i++)
        round_one(work, i);
    return summand__error_flag_code(work->total->head.error_flag);
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    free(work->mine);
    free(work->total);
    free(work->terms);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static struct work *make_work(const struct summand__sums_call *call, bool receives)
{
    size_t k = (size_t)call->k;
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->shape = (struct summand__exact_shape){k, call->signature};
    size_t bytes = summand__exact_operator(&work->shape).extent;
    work->terms = calloc(k + 1, sizeof *work->terms);
    work->mine = malloc(bytes);
    work->total = receives ? malloc(bytes) : NULL;
    work->single = call->single;
    work->root = call->root;
    if (work->terms && work->mine && (work->total || !receives))
        return work;
    drop(work);
    return NULL;
}

static void bind(struct work *work, const struct summand__sums_call *call, int error)
{
    work->error = error;
    work->results = call->results;
    for (int i = 0; i < call->k && error == MPI_SUCCESS; i++)
        work->terms[i] = summand__sums_term(call, i);
}

int summand__exact_plan(struct summand__state *state, const struct summand__sums_call *call,
                        int error, int tag, summand_plan **plan)
{
    bool receives = call->root == SUMMAND_ALL_RANKS || call->root == state->rank;
    if (error != MPI_SUCCESS)
        return error;
    struct work *work = make_work(call, receives);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    bind(work, call, MPI_SUCCESS);
    struct summand__plan_parts parts = {
        .tag = tag,
        .root = call->root,
        .operator= summand__exact_operator(&work->shape),
        .sendbuf = work->mine,
        .recvbuf = work->total,
        .hooks = &hooks,
        .work = work,
    };
    return summand__plan_make(state, &parts, plan);
}

bool summand__exact_plan_serves(const void *work, const void *call)
{
    const struct work *own = work;
    const struct summand__sums_call *wanted = call;
    return own->shape.signature == wanted->signature && own->shape.k == (size_t)wanted->k &&
           own->root == wanted->root && own->single == wanted->single;
}

void summand__exact_plan_rebind(summand_plan *plan, const struct summand__sums_call *call,
                                int error)
{
    bind(plan->work, call, error);
}
