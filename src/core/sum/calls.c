/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_sum and its relatives, as two kinds of calls: exact, and by a tree. */
#include "sum/calls.h"

#include "op/predefined.h"
#include "plan/agree.h"
#include "plan/call.h"
#include "plan/options.h"

/* A public call: its arguments, and the call read from them. */
struct asked {
    struct summand__sums_call call; /* first: an exact plan sees only this */
    MPI_Datatype datatype;
    struct summand__choice choice; /* the call's choice, if it has one */
};

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

/* Completes the call, with a choice if one is named; returns the error of this rank's arguments. */
static int read_call(struct summand__plan_call *own)
{
    struct asked *asked = own->asked;
    struct summand__sums_call *call = &asked->call;
    call->init = own->init;
    call->single = asked->datatype == MPI_FLOAT;
    bool known = asked->datatype == MPI_DOUBLE || call->single ||
                 summand__datatype_floating(asked->datatype, &call->single, &call->complex);
    if (call->options) /* a short sum takes less time than reading them all */
        summand__sums_choose(call, &asked->choice);
    int code = summand__sums_check(call, own->state);
    if (code == MPI_SUCCESS && (!known || (call->complex && call->method->plain)))
        code = refuse_type(asked->datatype);
    if (code == MPI_SUCCESS)
        call->signature = summand__sums_signature(call);
    return code;
}

static void sign(const struct summand__plan_call *call, struct summand__signature *signature)
{
    const struct summand__sums_call *asked = call->asked;
    summand__sums_sign(asked->whole ? asked->whole : asked, signature);
}

/* A blocking call needs only the operands of other ranks. A rank with invalid arguments takes part,
 * with its error in the operand. */
static int check_exact(struct summand__plan_call *call)
{
    struct summand__sums_call *asked = call->asked;
    int code = read_call(call);
    if (code == MPI_SUCCESS || call->init)
        return code;
    if (asked->root < SUMMAND_ROOT_ALL || asked->root >= call->state->ranks || !asked->method)
        asked->root = SUMMAND_ROOT_ALL;
    if (asked->k < 0)
        asked->k = 0;
    asked->signature = 0; /* of no valid call */
    call->error = code;
    return MPI_SUCCESS;
}

static int rebind_exact(const struct summand__plan_call *call, summand_plan *plan)
{
    summand__exact_plan_rebind(plan, call->asked, call->error);
    return MPI_SUCCESS;
}

static int make_exact(struct summand__plan_call *call, int code, summand_plan **plan)
{
    (void)code; /* always MPI_SUCCESS */
    return summand__exact_plan(call->state, call->asked, call->error, call->tag, plan);
}

/* Operands carry a hash of the call, so this rank knows only its own arguments. */
static void explain_mismatch(const struct summand__plan_call *call, int code)
{
    const struct summand__sums_call *asked = call->asked;
    if (asked->whole)
        asked = asked->whole;
    if (summand_error_of(code) == SUMMAND_ERR_MISMATCH)
        summand__error_explain(SUMMAND_ERR_MISMATCH,
                               "k, kinds, root, datatype or options; SUMMAND_CHECK=on says which. "
                               "This rank has k %d, %s, root %d, %s",
                               asked->k, asked->method ? asked->method->name : "no promise",
                               asked->root, summand__sums_type_name(asked));
}

static const struct summand__call_kind exact_kind = {.check = check_exact,
                                                     .sign = sign,
                                                     .serves = summand__exact_plan_serves,
                                                     .rebind = rebind_exact,
                                                     .make = make_exact,
                                                     .explain = explain_mismatch};

/* A tree call begins with an operation of no terms, its opening. It detects ranks that make another
 * call before ranges are exchanged. It also tells if all ranks have cached the plan of an earlier
 * call of their shapes. If so, they run it; else they agree on the call and make a plan.
 *
 * If the opening fails on a rank, for lack of memory or in the transport, other ranks may have its
 * result. A rank that had no plan to offer knows that they wait in the agreement, and joins it.
 * Otherwise they may have begun with the plan. So this rank aborts the opening's tag, which the
 * plan uses, and announces that it joins no agreement. That is another step: an aborted opening
 * makes no rank leave it. A rank that knows from the operands that the call is over does not join.
 * The ranks that join are told: by the rank with invalid arguments, or by the first few of the
 * ranks that disagree, one of which is enough. */
enum { TELLERS = 8 };

static bool tells(const struct summand__state *state, int error, int code, bool told)
{
    if (state->checks || (code == MPI_SUCCESS && error == MPI_SUCCESS))
        return false;
    bool differ = told && code == summand_error_code(SUMMAND_ERR_MISMATCH);
    return error != MPI_SUCCESS || (differ && state->rank < TELLERS);
}

/* Lists the numbers of cached plans that serve the call here, in falling order, and a 0. */
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

/* The cached plan that all ranks have offered. */
static summand_plan **kept(const struct summand__plan_call *call, uint64_t number)
{
    const struct summand__sums_call *asked = call->asked;
    summand_plan **plan = call->cache->plan;
    while (!*plan || asked->method->made_by(*plan) != number)
        plan++;
    return plan;
}

/* Runs the opening; its plan stays until summand__call_end. `*told`: if this rank fails, all ranks
 * fail and know it, unless the transport fails there. Otherwise some ranks may have the result. */
static int open_tree(struct summand__plan_call *opening, bool *told)
{
    int code = summand__call_perform(opening, MPI_SUCCESS);
    *told = opening->plan ? *opening->plan != NULL : opening->state->checks;
    return code;
}

static int meet(struct summand__plan_call *call, int error)
{
    const struct summand__sums_call *asked = call->asked;
    struct summand__state *state = call->state;
    struct summand__sums_call shape = *asked;
    uint64_t numbers[SUMMAND__CACHED_PLANS + 1];
    bool told;
    if (call->init)
        return error;
    find_kept(error == MPI_SUCCESS ? call->cache : NULL, asked, numbers);
    shape.k = 0;
    shape.root = SUMMAND_ROOT_ALL;
    struct summand__choice check = {.check = asked->choice ? asked->choice->check : 0};
    shape.choice = check.check ? &check : NULL;
    shape.offers = numbers;
    shape.whole = asked;
    struct summand__plan_call opening = {.kind = &exact_kind,
                                         .timeout = call->timeout,
                                         .asked = &shape,
                                         .state = state,
                                         .tag = call->tag,
                                         .error = error};
    int code = open_tree(&opening, &told);
    uint64_t offered = code == MPI_SUCCESS ? summand__exact_plan_offered(*opening.plan) : 0;
    summand__call_end(&opening);
    summand__enter_step(state);
    if (offered)
        call->plan = kept(call, offered);
    /* Ranks that know an error from the operands have left. Others, which missed it because of a
     * transport error, wait in the agreement. This rank tells them, though its own transport may
     * have failed, too. */
    const bool leaves =
        code != MPI_SUCCESS && ((!told && numbers[0]) || tells(state, error, code, told));
    if (leaves)
        summand__await_none(state, code);
    call->told = leaves || (code != MPI_SUCCESS && told);
    return code;
}

static int rebind_tree(const struct summand__plan_call *call, summand_plan *plan)
{
    const struct summand__sums_call *asked = call->asked;
    asked->method->rebind(plan, asked);
    return MPI_SUCCESS;
}

static int make_tree(struct summand__plan_call *call, int code, summand_plan **plan)
{
    const struct summand__sums_call *asked = call->asked;
    return asked->method->plan(call->state, asked, code, call->tag, plan);
}

const struct summand__call_kind summand__tree_kind = {.together = true,
                                                      .check = read_call,
                                                      .meet = meet,
                                                      .serves = summand__tree_plan_serves,
                                                      .rebind = rebind_tree,
                                                      .make = make_tree,
                                                      .bytes = summand__tree_plan_bytes};

/* Methods whose plans are not cached. */
static const struct summand__call_kind other_kind = {
    .together = true, .check = read_call, .meet = meet, .make = make_tree};

static const struct summand__call_kind *kind_of(const struct summand__sum_method *method)
{
    return !method || !method->tree ? &exact_kind
           : method->serves         ? &summand__tree_kind
                                    : &other_kind;
}

static struct summand__plan_call call_of(struct asked *asked, const char *name)
{
    const summand_options *options = asked->call.options;
    return (struct summand__plan_call){.kind = kind_of(asked->call.method),
                                       .name = name,
                                       .entered = SUMMAND__ENTERED_SUMS,
                                       .timeout = options ? options->timeout : 0,
                                       .asked = asked};
}

static int run(const char *name, struct asked *asked, MPI_Comm comm)
{
    struct summand__plan_call call = call_of(asked, name);
    return summand__call_run(&call, comm);
}

static int init(struct asked *asked, MPI_Comm comm, summand_plan **plan)
{
    struct summand__plan_call call = call_of(asked, "summand_sums_init");
    return summand__call_init(&call, comm, plan);
}

static void give(struct asked *asked, int k, const summand_term *terms, void *results,
                 MPI_Datatype datatype, int root, const summand_options *options)
{
    enum summand_promise promise = options ? options->promise : SUMMAND_PROMISE_DEFAULT;
    asked->datatype = datatype;
    asked->call = (struct summand__sums_call){.k = k,
                                              .terms = terms,
                                              .results = results,
                                              .method = summand__sum_method_of(promise),
                                              .options = options,
                                              .root = root};
}

int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype, int root,
                 MPI_Comm comm, const summand_options *options)
{
    struct asked asked;
    give(&asked, k, terms, results, datatype, root, options);
    return run("summand_sums", &asked, comm);
}

int summand_sums_init(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                      int root, MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    struct asked asked;
    give(&asked, k, terms, results, datatype, root, options);
    return init(&asked, comm, plan);
}

int summand__sums_by(const struct summand__sum_method *method, int k, const summand_term *terms,
                     void *results, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct asked asked;
    give(&asked, k, terms, results, datatype, root, NULL);
    asked.call.method = method;
    return run("summand_sums", &asked, comm);
}

int summand__sums_init_by(const struct summand__sum_method *method, int k,
                          const summand_term *terms, void *results, MPI_Datatype datatype, int root,
                          MPI_Comm comm, summand_plan **plan)
{
    struct asked asked;
    give(&asked, k, terms, results, datatype, root, NULL);
    asked.call.method = method;
    return init(&asked, comm, plan);
}

static int one_sum(const char *name, enum summand_kind kind, const void *x, const void *y,
                   void *result, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   const summand_options *options)
{
    summand_term term = {
        .kind = kind, .count = count, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x, .y = y};
    struct asked asked;
    give(&asked, 1, &term, result, datatype, root, options);
    asked.call.one = true;
    return run(name, &asked, comm);
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
