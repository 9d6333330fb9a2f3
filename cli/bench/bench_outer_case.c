/* SPDX-License-Identifier: BSD-3-Clause */
/* One case of `summand bench outer`: factors, matrices, and each method's call. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "base/hash.h"
#include "base/page.h"
#include "cli/bench/bench_outer.h"
#include "compute/outer.h"
#include "kernel/half.h"
#include "plan/plan.h"

enum { GARBAGE = 0xa5, CHECKED = 4096, STREAMED = 8 << 20 };

const char *outer_rival(enum summand__outer_result result)
{
    return result == SUMMAND__OUTER_ALL    ? "mpi-allreduce"
           : result == SUMMAND__OUTER_ROOT ? "mpi-reduce"
                                           : "mpi-reduce-scatter";
}

/* Between -2 and 2; of 8 bits, which 16-bit types hold, or of 31, so that sums round. */
static double value_of(enum summand__outer_type type, bool b, int rank, size_t pair, size_t i)
{
    uint64_t x = (i + 1) * SUMMAND__GOLDEN + ((uint64_t)rank * 2 + b) * 0xbf58476d1ce4e5b9u +
                 pair * 0x94d049bb133111ebu;
    x = summand__spread(x);
    if (type == SUMMAND__OUTER_F64)
        return (double)(int32_t)(uint32_t)x * 0x1p-30;
    if (type == SUMMAND__OUTER_F32)
        return (double)((int64_t)(x & 0xffffff) - 0x800000) * 0x1p-22;
    return (double)((int)(x & 0xff) - 128) * 0x1p-6;
}

static void fill(enum summand__outer_type type, bool b, int rank, size_t pairs, size_t n, char *to)
{
    for (size_t k = 0; k < pairs; k++)
        for (size_t i = 0; i < n; i++) {
            double value = value_of(type, b, rank, k, i);
            float single = (float)value;
            if (type == SUMMAND__OUTER_F64)
                ((double *)to)[k * n + i] = value;
            else if (type == SUMMAND__OUTER_F32)
                ((float *)to)[k * n + i] = single;
            else
                ((uint16_t *)to)[k * n + i] =
                    type == SUMMAND__OUTER_F16 ? half_to_f16(single) : half_to_bf16(single);
        }
}

static size_t elements(const summand_outer_part *part)
{
    return (size_t)part->rows * (size_t)part->columns;
}

/* Memory with touched pages. */
static char *touched(size_t bytes)
{
    char *block = aligned_alloc(SUMMAND__PAGE, summand__whole_pages(bytes + 1, SUMMAND__PAGE));
    if (block)
        memset(block, GARBAGE, bytes);
    return block;
}

static summand_outer_options options_of(const struct outer_case *c)
{
    static const enum summand_outer_result results[] = {
        [SUMMAND__OUTER_ALL] = SUMMAND_OUTER_WHOLE,
        [SUMMAND__OUTER_ROWS] = SUMMAND_OUTER_ROWS,
        [SUMMAND__OUTER_BLOCKS] = SUMMAND_OUTER_BLOCKS,
        [SUMMAND__OUTER_ROOT] = SUMMAND_OUTER_WHOLE};
    summand_outer_options options = summand_outer_options_default();
    options.result = results[c->call->result];
    return options;
}

static int root_of(const struct outer_case *c)
{
    return c->call->result == SUMMAND__OUTER_ROOT ? 0 : SUMMAND_ROOT_ALL;
}

static MPI_Datatype datatype_of(const struct outer_case *c)
{
    MPI_Datatype datatype = c->call->type == SUMMAND__OUTER_F64 ? MPI_DOUBLE : MPI_FLOAT;
    if (c->call->type == SUMMAND__OUTER_BF16)
        summand_bfloat16_datatype(&datatype);
    else if (c->call->type == SUMMAND__OUTER_F16)
        summand_float16_datatype(&datatype);
    return datatype;
}

static void make_parts(struct outer_case *c, struct trouble *trouble)
{
    summand_outer_options options = options_of(c);
    for (int r = 0; r < c->ranks; r++) {
        trouble_note_mpi(trouble, "summand_outer_part_of",
                         summand_outer_part_of(1, &c->matrix, 0, root_of(c), r, c->ranks, &options,
                                               &c->part[r]));
        size_t count = elements(&c->part[r]);
        c->counts[r] = count > INT_MAX ? INT_MAX : (int)count;
    }
}

static void make(void *context, struct trouble *trouble)
{
    struct outer_case *c = context;
    const enum summand__outer_type type = c->call->type;
    c->unit = summand__outer_factor_size(type);
    c->result = summand__outer_result_size(type);
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->ranks);
    c->matrix =
        (summand_outer_matrix){.rows = (MPI_Count)c->rows, .columns = (MPI_Count)c->columns};
    c->part = calloc((size_t)c->ranks, sizeof *c->part);
    c->counts = calloc((size_t)c->ranks, sizeof *c->counts);
    if (c->part && c->counts)
        make_parts(c, trouble);
    c->a = touched(c->pairs * c->rows * c->unit);
    c->b = touched(c->pairs * c->columns * c->unit);
    c->g = c->part ? touched(elements(&c->part[c->rank]) * c->result) : NULL;
    if (!c->counts || !c->a || !c->b || !c->g) {
        trouble_note(trouble, "out of memory");
        return;
    }
    fill(type, false, c->rank, c->pairs, c->rows, c->a);
    fill(type, true, c->rank, c->pairs, c->columns, c->b);
    c->matrix.a = c->a;
    c->matrix.b = c->b;
    c->matrix.g = elements(&c->part[c->rank]) ? c->g : NULL;
}

static void drop(void *context)
{
    struct outer_case *c = context;
    while (c->subjects.count)
        bench_subject_leave(&c->subjects);
    free(c->a);
    free(c->b);
    free(c->g);
    free(c->product);
    free(c->part);
    free(c->counts);
}

/* The library's local product of one part of G. */
static void multiply(const struct outer_case *c, const summand_outer_part *part, char *to)
{
    const struct summand__outer outer = {
        .a = c->a + (size_t)part->row * c->unit,
        .b = c->b + (size_t)part->column * c->unit,
        .g = to,
        .pairs = c->pairs,
        .columns = (size_t)part->columns,
        .lda = c->rows,
        .ldb = c->columns,
        .ldg = (size_t)part->columns,
        .alpha = 1,
        .stream = elements(part) * c->result > STREAMED,
    };
    if (elements(part))
        summand__outer_run(c->call->type, &outer, 0, (size_t)part->rows);
}

static int run_rival(struct outer_case *c, MPI_Comm comm)
{
    MPI_Datatype type = c->result == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;
    const summand_outer_part whole = {0, (MPI_Count)c->rows, 0, (MPI_Count)c->columns};
    int count = (int)elements(&whole);
    char *to = c->product;
    switch (c->call->result) {
    case SUMMAND__OUTER_ALL:
        multiply(c, &whole, c->g);
        return MPI_Allreduce(MPI_IN_PLACE, c->g, count, type, MPI_SUM, comm);
    case SUMMAND__OUTER_ROOT:
        multiply(c, &whole, c->rank ? c->product : c->g);
        return MPI_Reduce(c->rank ? c->product : MPI_IN_PLACE, c->g, count, type, MPI_SUM, 0, comm);
    default:
        for (int r = 0; r < c->ranks; r++) {
            multiply(c, &c->part[r], to);
            to += elements(&c->part[r]) * c->result;
        }
        return MPI_Reduce_scatter(c->product, c->g, c->counts, type, MPI_SUM, comm);
    }
}

static int run_subject(void *context)
{
    const struct bench_subject *s = context;
    struct outer_case *c = s->of;
    if (s->choice->mpi)
        return run_rival(c, s->comm);
    return s->plan ? bench_plan_run(s->plan)
                   : summand_outer((MPI_Count)c->pairs, 1, 1, &c->matrix, 0, datatype_of(c),
                                   root_of(c), s->comm, &s->outer);
}

static void make_rival(struct outer_case *c, struct trouble *trouble)
{
    bool apart = c->call->result != SUMMAND__OUTER_ALL &&
                 (c->call->result != SUMMAND__OUTER_ROOT || c->rank != 0);
    if (c->rows * c->columns > INT_MAX)
        trouble_note(trouble, "%s: more elements than an int counts", outer_rival(c->call->result));
    else if (apart && !c->product) {
        c->product = touched(c->rows * c->columns * c->result);
        if (!c->product)
            trouble_note(trouble, "out of memory");
    }
}

/* False if it does not make this result. */
static bool make_plan(struct outer_case *c, struct bench_subject *s, struct trouble *trouble)
{
    int code = summand_outer_init((MPI_Count)c->pairs, 1, 1, &c->matrix, 0, datatype_of(c),
                                  root_of(c), s->comm, &s->outer, &s->plan);
    if (code == summand_error_code(SUMMAND_ERR_ALGORITHM)) {
        if (!s->choice->optional)
            trouble_note(trouble, "%s does not make this result", s->choice->label);
        return false;
    }
    trouble_note_mpi(trouble, s->choice->label, code);
    if (s->plan && !s->choice->algorithm)
        snprintf(s->chosen, sizeof s->chosen, "%s", s->plan->choice.algorithm->name);
    if (!c->call->plan)
        summand_plan_free(&s->plan);
    return true;
}

static int make_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct outer_case *c = context;
    for (int i = 0; i < c->choices->count; i++) {
        const struct bench_choice *choice = &c->choices->choice[i];
        struct bench_subject *s = bench_subject_add(&c->subjects, c, choice);
        summand_outer_options *options = &s->outer;
        const unsigned promises = choice->algorithm ? choice->algorithm->promises
                                  : choice->mpi     ? SUMMAND__SAME_BITS
                                                    : SUMMAND__SAME_BITS | SUMMAND__PAIR_ORDER;
        *options = options_of(c);
        options->algorithm = choice->algorithm ? choice->algorithm->name : NULL;
        options->inside.algorithm = choice->inside;
        if (c->call->any_order || !(promises & SUMMAND__PAIR_ORDER))
            options->promise = SUMMAND_PROMISE_SAME;
        if (!(promises & SUMMAND__SAME_BITS))
            options->promise = SUMMAND_PROMISE_NONE;
        if (choice->mpi)
            make_rival(c, trouble);
        else if (!make_plan(c, s, trouble))
            bench_subject_leave(&c->subjects);
    }
    return bench_subjects_list(&c->subjects, run_subject, subjects);
}

/* The chain over all pairs of all ranks, and its error bound for any order. */
static double chain(const struct outer_case *c, size_t i, size_t j, double *bound)
{
    enum summand__outer_type type = c->call->type;
    double sum = 0, sizes = 0;
    float single = 0;
    for (int r = 0; r < c->ranks; r++)
        for (size_t k = 0; k < c->pairs; k++) {
            double x = value_of(type, false, r, k, i), y = value_of(type, true, r, k, j);
            sum = fma(x, y, sum);
            single = fmaf((float)x, (float)y, single);
            sizes += fabs(x * y);
        }
    bool wide = c->result == sizeof(double);
    /* Products of 16 bits are integer multiples of 2^-12 up to 4: float adds up 1024 exactly. */
    bool exact = type != SUMMAND__OUTER_F64 && type != SUMMAND__OUTER_F32 &&
                 c->pairs * (size_t)c->ranks <= 1024;
    *bound =
        exact ? 0
              : 2 * sizes * ((double)c->pairs * c->ranks + 1) * (wide ? DBL_EPSILON : FLT_EPSILON);
    return wide ? sum : (double)single;
}

static void compare(const struct outer_case *c, const struct bench_subject *s,
                    struct trouble *trouble)
{
    const summand_outer_part *part = &c->part[c->rank];
    size_t columns = (size_t)part->columns, count = elements(part), step = count / CHECKED + 1;
    if (!count)
        return;
    if (step > 1 && columns % step == 0)
        step++; /* else each row would check the same columns */
    for (size_t next = 0; next < count + step; next += step) {
        size_t e = next < count ? next : count - 1; /* the last one too */
        size_t i = (size_t)part->row + e / columns, j = (size_t)part->column + e % columns;
        double bound, expected = chain(c, i, j, &bound);
        double found = c->result == sizeof(double) ? ((const double *)c->g)[e]
                                                   : (double)((const float *)c->g)[e];
        bool right = s->outer.promise ? fabs(found - expected) <= bound
                                      : !memcmp(&found, &expected, sizeof found);
        if (right)
            continue;
        trouble_note(trouble,
                     "%s: wrong result of %zu x %zu: element (%zu, %zu) on rank %d is %.17g and "
                     "should be %.17g",
                     s->choice->label, c->rows, c->columns, i, j, c->rank, found, expected);
        return;
    }
}

static void check(void *context, const struct timing_subject *subject, struct trouble *trouble)
{
    struct outer_case *c = context;
    memset(c->g, GARBAGE, elements(&c->part[c->rank]) * c->result);
    int code = run_subject(subject->context);
    trouble_note_mpi(trouble, subject->name, code);
    if (code == MPI_SUCCESS)
        compare(c, subject->context, trouble);
}

const struct bench_kind outer_kind = {.make = make,
                                      .subjects = make_subjects,
                                      .check = check,
                                      .chosen = bench_subject_chosen,
                                      .drop = drop};
