/* np: 3, long: 2 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory requests of sums and ordered reductions fail one by one: blocking calls and plans, exact
 * and over the index tree, in and out of rank order, and behind an unexpected message. */
#include <math.h>

#include "mpi/methods.h"
#include "mpi/pairs.h"
#include "mpi/refusals.h"

enum { SHAPES = 11, MANY = 40, ORDERS = 3 };

/* The order of the ranks' elements: in rank order, reversed, or such that no single array shows it.
 * */
enum order { BY_RANK, BACKWARDS, BY_ALL };
static const char *const order_names[ORDERS] = {"by rank", "backwards", "by all arrays"};

struct sums {
    int method, root;
    enum order order;
    MPI_Comm comm;
    int k, single;
    summand_term term[SHAPES];
    double x[MANY], y[MANY], results[SHAPES];
    float x_single[MANY], y_single[MANY];
};

/* Small integers: any order gives the same sum. */
static double element(int rank, int i)
{
    return (rank + 2 * i) % 5 - 1;
}

/* In BY_ALL, the first array has elements on rank 0 alone. */
static int count_of(const struct sums *s, int term, int rank)
{
    return s->order == BY_ALL && term == 0 ? rank ? 0 : MANY : MANY - 3 * rank - term;
}

static MPI_Count displacement_of(const struct sums *s, int term, int rank)
{
    MPI_Count first = 0;
    if (s->order == BY_RANK)
        return SUMMAND_DISPLACEMENT_APPEND;
    for (int r = rank + 1; r < harness_ranks; r++)
        first += count_of(s, term, r);
    return first;
}

static void refill_sums(void *self)
{
    struct sums *s = self;
    for (int i = 0; i < SHAPES; i++)
        s->results[i] = -77;
}

static void reset_sums(void *self, MPI_Comm comm, int turn)
{
    struct sums *s = self;
    s->comm = comm;
    s->k = 1 + turn % SHAPES;
    s->single = turn / SHAPES % 2;
    for (int i = 0; i < MANY; i++) {
        s->x[i] = s->x_single[i] = (float)element(harness_rank, i);
        s->y[i] = s->y_single[i] = (float)element(harness_rank, i + 1);
    }
    for (int t = 0; t < s->k; t++)
        s->term[t] =
            (summand_term){.kind = (enum summand_kind)((t + turn) % 4),
                           .count = count_of(s, t, harness_rank),
                           .displacement = displacement_of(s, t, harness_rank),
                           .x = s->single ? (const void *)s->x_single : (const void *)s->x,
                           .y = s->single ? (const void *)s->y_single : (const void *)s->y};
    refill_sums(s);
}

static int call_sums(void *self, summand_plan **plan)
{
    struct sums *s = self;
    MPI_Datatype type = s->single ? MPI_FLOAT : MPI_DOUBLE;
    if (!plan && s->k == 1 && s->order == BY_RANK)
        return method_sum(s->method, s->root, s->term->kind, s->term->x, s->term->y, s->results,
                          s->term->count, type, s->comm);
    return plan ? method_init(s->method, s->root, s->k, s->term, s->results, type, s->comm, plan)
                : method_sums(s->method, s->root, s->k, s->term, s->results, type, s->comm);
}

static double expected(const struct sums *s, int t)
{
    double sum = 0;
    enum summand_kind kind = s->term[t].kind;
    for (int r = 0; r < harness_ranks; r++)
        for (int i = 0; i < count_of(s, t, r); i++) {
            double x = element(r, i), y = element(r, i + 1);
            sum += kind == SUMMAND_KIND_SUM    ? x
                   : kind == SUMMAND_KIND_ASUM ? fabs(x)
                   : kind == SUMMAND_KIND_DOT  ? x * y
                                               : x * x;
        }
    if (kind == SUMMAND_KIND_NRM2)
        return s->single ? sqrtf((float)sum) : sqrt(sum);
    return sum;
}

static int right_sums(void *self)
{
    const struct sums *s = self;
    int receives = s->root == SUMMAND_ROOT_ALL || s->root == harness_rank;
    for (int t = 0; receives && t < s->k; t++) {
        double got = s->single ? ((const float *)s->results)[t] : s->results[t];
        if (got != expected(s, t))
            return 0;
    }
    return 1;
}

static void test_sums(int method, const char *group)
{
    for (int order = 0; order < (method == EXACT_METHOD ? 1 : ORDERS); order++)
        for (int root = SUMMAND_ROOT_ALL; root < harness_ranks; root += harness_ranks) {
            static struct sums sums;
            sums = (struct sums){.method = method,
                                 .root = root < 0 ? root : harness_ranks - 1,
                                 .order = (enum order)order};
            struct operation o = {group,       order_names[order], &sums,     reset_sums,
                                  refill_sums, call_sums,          right_sums};
            int first = order == BY_RANK && root < 0 ? FIRST_CALL : NEW_SHAPE;
            for (int moment = first; moment < MOMENTS; moment++)
                refuse_in_turn(&o, (enum moment)moment, root < 0);
        }
}

/* One element more per rank and turn, with operands that do not commute. */
struct ordered {
    const struct subject *subject;
    int root, order, count;
    MPI_Comm comm;
    struct buffer send, recv;
};

static int count_on(const struct ordered *o, int rank)
{
    return rank == 1 ? 0 : o->count + rank;
}

static MPI_Count first_on(const struct ordered *o, int rank)
{
    MPI_Count first = 0;
    for (int r = 0; r < harness_ranks; r++)
        if (o->order == BACKWARDS ? r > rank : r < rank)
            first += count_on(o, r);
    return first;
}

static void refill_ordered(void *self)
{
    struct ordered *o = self;
    memset(o->recv.memory, 0x5a, o->recv.bytes);
}

static void drop_ordered(struct ordered *o)
{
    free(o->send.memory);
    free(o->recv.memory);
}

static void reset_ordered(void *self, MPI_Comm comm, int turn)
{
    struct ordered *o = self;
    drop_ordered(o);
    o->comm = comm;
    o->count = 3 + turn % SHAPES;
    int n = count_on(o, harness_rank);
    o->send = make_buffer(o->subject, (size_t)n + 1);
    o->recv = make_buffer(o->subject, 1);
    for (int i = 0; i < n; i++)
        set_pair(o->subject, element_of(o->subject, &o->send, (size_t)i),
                 contribution(o->subject, 0, (size_t)(first_on(o, harness_rank) + i)));
}

static int call_ordered(void *self, summand_plan **plan)
{
    struct ordered *o = self;
    const struct subject *s = o->subject;
    MPI_Count n = count_on(o, harness_rank);
    MPI_Count first = o->order == BY_RANK ? SUMMAND_DISPLACEMENT_APPEND : first_on(o, harness_rank);
    return plan ? summand_ordered_reduce_init(o->send.origin, o->recv.origin, n, first, s->datatype,
                                              s->op, o->root, o->comm, NULL, plan)
                : summand_ordered_reduce(o->send.origin, o->recv.origin, n, first, s->datatype,
                                         s->op, o->root, o->comm, NULL);
}

static int right_ordered(void *self)
{
    const struct ordered *o = self;
    const struct subject *s = o->subject;
    int total = 0;
    if (o->root >= 0 && o->root != harness_rank)
        return 1;
    for (int r = 0; r < harness_ranks; r++)
        total += count_on(o, r);
    struct pair want = contribution(s, 0, (size_t)total - 1);
    for (int i = total - 2; i >= 0; i--)
        want = s->combine(contribution(s, 0, (size_t)i), want);
    struct pair got = get_pair(s, element_of(s, &o->recv, 0));
    return got.b == want.b && (got.a == want.a || s->at_a == s->at_b);
}

static void test_ordered(const struct subject *subjects)
{
    for (int i = 0; i < SUBJECTS; i++) {
        struct ordered ordered = {.subject = &subjects[i],
                                  .root = i % 2 ? SUMMAND_ROOT_ALL : i % harness_ranks,
                                  .order = i % 3 ? BACKWARDS : BY_RANK};
        struct operation o = {"ordered_reduce", subjects[i].name, &ordered,     reset_ordered,
                              refill_ordered,   call_ordered,     right_ordered};
        for (int moment = i == GAPPED ? FIRST_CALL : NEW_SHAPE; moment < MOMENTS; moment++)
            refuse_in_turn(&o, (enum moment)moment, i % 2);
        drop_ordered(&ordered);
    }
}

/* The caller's own reduction of accumulators: the datatype and operator are made once. */
static int call_exact_type(void *self, summand_plan **plan)
{
    struct sums *s = self;
    static summand_exact mine, all;
    MPI_Datatype type;
    MPI_Op op;
    (void)plan;
    int code = summand_exact_datatype(&type);
    if (code == MPI_SUCCESS)
        code = summand_exact_op(&op);
    summand_exact_init(&mine);
    summand_exact_add(&mine, (size_t)count_of(s, 0, harness_rank), s->x);
    s->k = code == MPI_SUCCESS;
    s->single = 0;
    s->term[0].kind = SUMMAND_KIND_SUM;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&mine, &all, 1, type, op, s->comm);
    s->results[0] = summand_exact_round(&all);
    return code;
}

int main(int argc, char **argv)
{
    struct subject subjects[SUBJECTS];
    static struct sums exact = {.method = EXACT_METHOD, .root = SUMMAND_ROOT_ALL};
    struct operation exact_type = {"exact datatype, op", "",        &exact, reset_sums, refill_sums,
                                   call_exact_type,      right_sums};
    harness_begin(&argc, &argv);
    refusals_begin();
    make_subjects(subjects);
    refuse(&exact_type, NEW_SHAPE, 1);
    test_sums(EXACT_METHOD, "exact sums");
    test_sums(TREE_METHOD, "tree sums");
    test_sums(STUDY_METHOD, "study sums");
    test_ordered(subjects);
    free_subjects(subjects);
    return refusals_end(argc, argv);
}
