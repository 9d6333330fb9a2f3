/* np: 1 2 3 5 8, long: 4 9; together brief; also: read/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordered reductions with any operator and datatype, against eq. 2.1 with one operator call per
 * node. Ranks hold the parts in any order. */
#include <stddef.h>

#include "mpi/sums.h"

enum { MOST = 600 };

/* A datatype with its operator, its elements as bytes, and a comparison of two results. */
struct subject {
    const char *name;
    MPI_Datatype datatype;
    MPI_Op op;
    size_t extent; /* bytes between elements */
    size_t origin; /* bytes before element 0: negative lower bounds */
    void (*fill)(uint64_t *seed, void *element);
};

/* x -> a x + b: composition is associative, not commutative. */
struct affine {
    uint32_t a, b;
};

static void compose(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    struct affine *f = in, *g = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        g[i] = (struct affine){f[i].a * g[i].a, f[i].a * g[i].b + f[i].b};
}

/* 2 a - b: neither associative nor commutative. */
static void lopsided(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    uint64_t *a = in, *b = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        b[i] = 2 * a[i] - b[i];
}

/* A struct with a gap, and an operator that is neither associative nor commutative. */
struct gapped {
    uint16_t a;
    char gap[6];
    double b;
};

static void gapped_op(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*datatype, &lb, &extent);
    for (int i = 0; i < *count; i++) {
        struct gapped *x = (struct gapped *)((char *)in + i * extent);
        struct gapped *y = (struct gapped *)((char *)inout + i * extent);
        y->a = (uint16_t)(3 * x->a + y->a);
        y->b = x->b / 2 + y->b;
    }
}

/* The same operator on elements that start 16 bytes below their address. */
static void below_op(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*datatype, &lb, &extent);
    for (int i = 0; i < *count; i++) {
        struct gapped *x = (struct gapped *)((char *)in + i * extent - 16);
        struct gapped *y = (struct gapped *)((char *)inout + i * extent - 16);
        y->a = (uint16_t)(3 * x->a + y->a);
        y->b = x->b / 2 + y->b;
    }
}

static void fill_bits(uint64_t *seed, void *element)
{
    uint64_t bits = harness_random(seed);
    memcpy(element, &bits, sizeof bits);
}

static void fill_double(uint64_t *seed, void *element)
{
    double x;
    fill_values(seed, 1, 30, &x);
    memcpy(element, &x, sizeof x);
}

static void fill_near_one(uint64_t *seed, void *element)
{
    double x = 1 + (double)(harness_random(seed) % 1000) * 0x1p-12;
    memcpy(element, &x, sizeof x);
}

static void fill_float(uint64_t *seed, void *element)
{
    double x;
    fill_values(seed, 1, 10, &x);
    float y = (float)x;
    memcpy(element, &y, sizeof y);
}

static void fill_int(uint64_t *seed, void *element)
{
    int x = (int)(harness_random(seed) % 1000);
    memcpy(element, &x, sizeof x);
}

static void fill_located(uint64_t *seed, void *element)
{
    struct {
        double value;
        int index;
    } x;
    memset(&x, 0, sizeof x);
    x.value = (double)(harness_random(seed) % 50);
    x.index = (int)(harness_random(seed) % 1000);
    memcpy(element, &x, sizeof x);
}

static void fill_gapped(uint64_t *seed, void *element)
{
    struct gapped x;
    memset(&x, 0, sizeof x);
    x.a = (uint16_t)harness_random(seed);
    fill_values(seed, 1, 5, &x.b);
    memcpy(element, &x, sizeof x);
}

static void *at(const struct subject *s, unsigned char *base, size_t i)
{
    return base + s->origin + i * s->extent;
}

/* eq. 2.1; the result goes to slot `depth` of `stack`. */
static void slow_tree(const struct subject *s, unsigned char *x, size_t n, size_t first, int y,
                      unsigned char *stack, size_t depth)
{
    void *slot = at(s, stack, depth);
    size_t right = y ? first + ((size_t)1 << (y - 1)) : 0;
    if (y == 0) {
        memcpy((char *)slot - s->origin, (char *)at(s, x, first) - s->origin, s->extent);
    } else if (right >= n) {
        slow_tree(s, x, n, first, y - 1, stack, depth);
    } else {
        slow_tree(s, x, n, first, y - 1, stack, depth);
        slow_tree(s, x, n, right, y - 1, stack, depth + 1);
        MPI_Reduce_local(slot, at(s, stack, depth + 1), 1, s->datatype, s->op);
        memcpy((char *)slot - s->origin, (char *)at(s, stack, depth + 1) - s->origin, s->extent);
    }
}

/* Compares data bytes only; gaps in `result` must still be 0x5a. */
static int same(const struct subject *s, unsigned char *result, unsigned char *want)
{
    unsigned char *a = malloc(s->extent + 64), *b = malloc(s->extent + 64);
    int length = 0, other = 0, capacity = (int)s->extent + 64;
    MPI_Pack(at(s, result, 0), 1, s->datatype, a, capacity, &length, MPI_COMM_SELF);
    MPI_Pack(at(s, want, 0), 1, s->datatype, b, capacity, &other, MPI_COMM_SELF);
    int equal = length == other && !memcmp(a, b, (size_t)length);
    free(a);
    free(b);
    return equal;
}

static void check_subject(const struct subject *s, size_t n, uint64_t seed, int root)
{
    unsigned char *x = calloc(n + 2, s->extent + s->origin),
                  *kept = calloc(n + 2, s->extent + s->origin);
    unsigned char *stack = calloc(80, s->extent + s->origin);
    unsigned char *result = malloc(2 * s->extent + s->origin);
    size_t starts[16];
    int position = harness_rank, height = 0;
    memset(result, 0x5a, 2 * s->extent + s->origin);
    for (size_t i = 0; i < n; i++)
        s->fill(&seed, (char *)at(s, x, i) - s->origin);
    memcpy(kept, x, (n + 2) * (s->extent + s->origin));
    fill_split(&seed, n, harness_ranks, starts);
    if (harness_random(&seed) % 2) /* ranks in reverse order of displacement */
        position = harness_ranks - 1 - harness_rank;
    size_t first = starts[position];
    int code = summand_ordered_reduce(at(s, x, first), at(s, result, 0),
                                      (MPI_Count)(starts[position + 1] - first), (MPI_Count)first,
                                      s->datatype, s->op, root, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS, "%s: code %d", s->name, code);
    CHECK(!memcmp(kept, x, (n + 2) * (s->extent + s->origin)), "%s: input modified", s->name);
    while (((size_t)1 << height) < n)
        height++;
    if (n && (root < 0 || root == harness_rank)) {
        slow_tree(s, x, n, 0, height, stack, 0);
        CHECK(same(s, result, stack), "%s n %zu root %d", s->name, n, root);
    }
    for (size_t b = s->extent + s->origin; b < 2 * s->extent + s->origin; b++)
        CHECK(result[b] == 0x5a, "%s: written behind the result", s->name);
    if (s->fill == fill_gapped)
        for (size_t b = 2; b < 8; b++)
            CHECK(result[b] == 0x5a, "%s: gap written", s->name);
    free(x);
    free(kept);
    free(stack);
    free(result);
}

static MPI_Datatype make_gapped(MPI_Aint shift)
{
    MPI_Datatype type, resized;
    int lengths[2] = {1, 1};
    MPI_Aint displacements[2] = {shift, shift + (MPI_Aint)offsetof(struct gapped, b)};
    MPI_Datatype types[2] = {MPI_UINT16_T, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, displacements, types, &type);
    MPI_Type_create_resized(type, shift, sizeof(struct gapped), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&type);
    return resized;
}

static MPI_Op make_op(MPI_User_function *function)
{
    MPI_Op op;
    MPI_Op_create(function, 0, &op);
    return op;
}

/* Two expressions over the same elements have different results, but by chance. */
static uint64_t tangle(uint64_t a, uint64_t b)
{
    uint64_t c = 0x9e3779b97f4a7c15 * a + b;
    return c ^ c >> 29;
}

static void tangled(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    uint64_t *a = in, *b = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        b[i] = tangle(a[i], b[i]);
}

/* P4016R0, 4.2.3: pairs of neighbours, and a last one without a neighbour is carried, until one is
 * left. */
static uint64_t iterated_pairwise(uint64_t *w, size_t n)
{
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < n; i += 2)
            w[i / 2] = i + 1 < n ? tangle(w[i], w[i + 1]) : w[i];
    return w[0];
}

/* P4016R0, 4.4: element i belongs to lane i mod L; then the lanes' results. */
static uint64_t in_lanes(const uint64_t *x, size_t n, size_t lanes)
{
    uint64_t lane[MOST], results[MOST];
    size_t used = 0;
    for (; used < lanes && used < n; used++) {
        size_t length = 0;
        for (size_t i = used; i < n; i += lanes)
            lane[length++] = x[i];
        results[used] = iterated_pairwise(lane, length);
    }
    return iterated_pairwise(results, used);
}

/* The index tree is the canonical reduction that is proposed for C++, of one lane, for any number
 * of elements; of several lanes it is another expression once a lane has two elements
 * (docs/comparison.md). */
static void test_canonical_reduction(void)
{
    uint64_t x[200], seed = 5;
    MPI_Op op = make_op(tangled);
    for (int i = 0; i < 200; i++)
        x[i] = harness_random(&seed);
    for (int n = 1; n <= 200; n += n < 70 ? 1 : 13) {
        int first = n * harness_rank / harness_ranks, end = n * (harness_rank + 1) / harness_ranks;
        uint64_t tree = 0;
        summand_ordered_reduce(x + first, &tree, end - first, SUMMAND_DISPLACEMENT_APPEND,
                               MPI_UINT64_T, op, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        for (int lanes = 1; lanes <= 16; lanes++)
            CHECK((in_lanes(x, (size_t)n, (size_t)lanes) == tree) == (lanes == 1 || n <= lanes),
                  "%d elements in %d lanes", n, lanes);
    }
    MPI_Op_free(&op);
}

/* Starts the same plan again with other data in its buffer. */
static void test_plan(void)
{
    double x[10], result = 0;
    summand_plan *plan;
    for (int i = 0; i < 10; i++)
        x[i] = 1;
    summand_ordered_reduce_init(x, &result, 10, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL, &plan);
    for (int repeat = 1; repeat < 4; repeat++) {
        x[0] = repeat;
        summand_plan_start(plan);
        summand_plan_wait(plan);
        CHECK(result == (9.0 + repeat) * harness_ranks, "%g", result);
    }
    summand_plan_free(&plan);
}

TESTS
{
    MPI_Datatype affine, gapped = make_gapped(0), below = make_gapped(-16);
    MPI_Type_contiguous(2, MPI_UINT32_T, &affine);
    MPI_Type_commit(&affine);
    MPI_Op ops[] = {make_op(compose), make_op(lopsided), make_op(gapped_op), make_op(below_op)};
    const struct subject subjects[] = {
        {"affine", affine, ops[0], 8, 0, fill_bits},
        {"lopsided", MPI_UINT64_T, ops[1], 8, 0, fill_bits},
        {"gapped", gapped, ops[2], sizeof(struct gapped), 0, fill_gapped},
        {"below", below, ops[3], sizeof(struct gapped), 16, fill_gapped},
        {"double sum", MPI_DOUBLE, MPI_SUM, 8, 0, fill_double},
        {"double min", MPI_DOUBLE, MPI_MIN, 8, 0, fill_double},
        {"double max", MPI_DOUBLE, MPI_MAX, 8, 0, fill_double},
        {"double prod", MPI_DOUBLE, MPI_PROD, 8, 0, fill_near_one},
        {"float sum", MPI_FLOAT, MPI_SUM, 4, 0, fill_float},
        {"int sum", MPI_INT, MPI_SUM, 4, 0, fill_int},
        {"int xor", MPI_INT, MPI_BXOR, 4, 0, fill_int},
        {"minloc", MPI_DOUBLE_INT, MPI_MINLOC, 16, 0, fill_located},
        {"maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, 16, 0, fill_located},
    };
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 129, MOST};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            for (int root = j % 3 ? -1 : 0; root < (j % 3 ? 0 : harness_ranks); root++)
                if (!harness_skips())
                    check_subject(&subjects[i], sizes[j], 17 * i + j, root);
    test_canonical_reduction();
    test_plan();
    for (int i = 0; i < 4; i++)
        MPI_Op_free(&ops[i]);
    MPI_Type_free(&affine);
    MPI_Type_free(&gapped);
    MPI_Type_free(&below);
}
