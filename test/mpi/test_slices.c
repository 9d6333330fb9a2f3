/* np: 2 3 5, long: 1 4 7 8; together brief; also: checked/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A law of canonical bits: slicing, fusing or offsetting a vector never changes the bits of an
 * element. Every element of every result is compared with the definition for this element alone, in
 * plain C: the ranks are halved, and the left half is combined with the right one. Covers all
 * algorithms that promise it and the library's choice, all collectives with an operator, and kinds
 * of elements whose bits show the bracketing. Blocks, roots, segments, buffers and calls in place
 * are random. */
#include <complex.h>

#include <summand/datatype.h>
#include <summand/reduce.h>

#include "algorithm/call.h"
#include "mpi/harness.h"
#include "mpi/used.h"
#include "unit/combine_oracle.h"

enum { UNIVERSE = 20000, MOST = 1200, ROUNDS = 5, MOST_BYTES = 48 };

/* A kind of elements. `combine` computes left op right on one element. */
struct kind {
    const char *name;
    size_t size; /* extent */
    void (*make)(uint64_t *seed, void *out);
    void (*combine)(const void *left, const void *right, void *out);
    MPI_Datatype type;
    MPI_Op op;
};

/* Numbers of many magnitudes: hardly any sum of three has the same bits in both bracketings. */
static double number(uint64_t *seed)
{
    uint64_t bits = harness_random(seed);
    return (double)(int64_t)bits * (bits % 7 == 0 ? 0x1p-20 : bits % 7 == 1 ? 0x1p+10 : 1);
}

#define KIND(name, type, expression, operation)                                                    \
    static void make_##name(uint64_t *seed, void *out)                                             \
    {                                                                                              \
        double u = number(seed), v = number(seed);                                                 \
        type x = (type)(expression);                                                               \
        (void)v;                                                                                   \
        memcpy(out, &x, sizeof x);                                                                 \
    }                                                                                              \
    static void combine_##name(const void *left, const void *right, void *out)                     \
    {                                                                                              \
        type a, b, c;                                                                              \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        c = (type)(operation);                                                                     \
        memcpy(out, &c, sizeof c);                                                                 \
    }
KIND(double_sum, double, u, a + b)
KIND(double_product, double, 1 + 1e-20 * u, a *b)
KIND(double_max, double, u, a > b ? a : b)
KIND(float_sum, float, u, a + b)
KIND(float_product, float, 1 + 1e-20 * u, a *b)
KIND(complex_sum, double complex, u + I * v, a + b)
KIND(float_complex_sum, float complex, u + I * v, a + b)
KIND(int_sum, uint32_t, (uint32_t)(int64_t)(1e-10 * u), a + b)
KIND(byte_product, uint8_t, (uint8_t)(int64_t)(1e-10 * u) | 1, a *b)
#undef KIND

/* The x87's long double has padding, whose bits are not compared. */
static void make_long_double(uint64_t *seed, void *out)
{
    long double x = (long double)number(seed) * (1 + 0x1p-60L * (long double)(*seed % 999));
    memset(out, 0, sizeof x);
    *(long double *)out = x;
}

static void combine_long_double(const void *left, const void *right, void *out)
{
    memset(out, 0, sizeof(long double));
    *(long double *)out = *(const long double *)left + *(const long double *)right;
}

/* Numbers of 16 bits, of similar sizes: rounded at each sum or product, some to infinity. */
#define HALF_KIND(name, kernel, expression, operator)                                              \
    static void make_##name(uint64_t *seed, void *out)                                             \
    {                                                                                              \
        const double u = number(seed);                                                             \
        oracle_store_real(&oracle_types[kernel], (long double)(expression), out);                  \
    }                                                                                              \
    static void combine_##name(const void *left, const void *right, void *out)                     \
    {                                                                                              \
        const struct oracle_type *type = &oracle_types[kernel];                                    \
        oracle_store_real(type, oracle_real(type, left) operator oracle_real(type, right), out);   \
    }
HALF_KIND(half_sum, SUMMAND__COMBINE_F16, 0x1p-50 * u, +)
HALF_KIND(half_product, SUMMAND__COMBINE_F16, 1 + 1e-20 * u, *)
HALF_KIND(bfloat_sum, SUMMAND__COMBINE_BF16, u, +)

/* A user operator that does not commute, on a datatype with a gap: x -> a x + b, in doubles. */
struct map {
    double a, gap, b;
};

static void make_map(uint64_t *seed, void *out)
{
    *(struct map *)out = (struct map){1 + 1e-19 * number(seed), 0, number(seed)};
}

static void combine_map(const void *left, const void *right, void *out)
{
    const struct map *f = left, *g = right;
    double a = f->a * g->a, b = f->a * g->b;
    *(struct map *)out = (struct map){a, 0, b + f->b};
}

static void compose_maps(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct map *f = in, *g = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        struct map result;
        combine_map(&f[i], &g[i], &result);
        g[i].a = result.a;
        g[i].b = result.b;
    }
}

struct double_int {
    double value;
    int index, padding;
};

static void make_pair(uint64_t *seed, void *out)
{
    uint64_t bits = harness_random(seed);
    *(struct double_int *)out = (struct double_int){(double)(bits % 3), (int)(bits >> 40), 0};
}

static void combine_pair(const void *left, const void *right, void *out)
{
    const struct double_int *a = left, *b = right;
    bool first = a->value > b->value || (a->value == b->value && a->index <= b->index);
    *(struct double_int *)out = first ? *a : *b;
}

enum { KINDS = 15 };
static struct kind kinds[KINDS] = {
    {"sum of doubles", 8, make_double_sum, combine_double_sum, 0, 0},
    {"product of doubles", 8, make_double_product, combine_double_product, 0, 0},
    {"maximum of doubles", 8, make_double_max, combine_double_max, 0, 0},
    {"sum of floats", 4, make_float_sum, combine_float_sum, 0, 0},
    {"product of floats", 4, make_float_product, combine_float_product, 0, 0},
    {"sum of double complex", 16, make_complex_sum, combine_complex_sum, 0, 0},
    {"sum of float complex", 8, make_float_complex_sum, combine_float_complex_sum, 0, 0},
    {"sum of uint32", 4, make_int_sum, combine_int_sum, 0, 0},
    {"product of uint8", 1, make_byte_product, combine_byte_product, 0, 0},
    {"sum of long doubles", sizeof(long double), make_long_double, combine_long_double, 0, 0},
    {"user's operator", sizeof(struct map), make_map, combine_map, 0, 0},
    {"MAXLOC", sizeof(struct double_int), make_pair, combine_pair, 0, 0},
    {"sum of float16", 2, make_half_sum, combine_half_sum, 0, 0},
    {"product of float16", 2, make_half_product, combine_half_product, 0, 0},
    {"sum of bfloat16", 2, make_bfloat_sum, combine_bfloat_sum, 0, 0}};

static void make_kinds(void)
{
    MPI_Datatype types[KINDS] = {MPI_DOUBLE,          MPI_DOUBLE,        MPI_DOUBLE,
                                 MPI_FLOAT,           MPI_FLOAT,         MPI_C_DOUBLE_COMPLEX,
                                 MPI_C_FLOAT_COMPLEX, MPI_UINT32_T,      MPI_UINT8_T,
                                 MPI_LONG_DOUBLE,     MPI_BYTE,          MPI_DOUBLE_INT,
                                 MPI_DATATYPE_NULL,   MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Op ops[KINDS] = {MPI_SUM,     MPI_PROD,   MPI_MAX, MPI_SUM,  MPI_PROD,
                         MPI_SUM,     MPI_SUM,    MPI_SUM, MPI_PROD, MPI_SUM,
                         MPI_OP_NULL, MPI_MAXLOC, MPI_SUM, MPI_PROD, MPI_SUM};
    summand_float16_datatype(&types[12]);
    types[13] = types[12];
    summand_bfloat16_datatype(&types[14]);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &types[10]);
    MPI_Type_commit(&types[10]);
    MPI_Op_create(compose_maps, 0, &ops[10]);
    for (int k = 0; k < KINDS; k++) {
        kinds[k].type = types[k];
        kinds[k].op = ops[k];
    }
}

/* Element i of a rank's vector. */
static void contribution(const struct kind *kind, int rank, size_t i, void *out)
{
    uint64_t seed = i * 1000003 + (uint64_t)rank * 7919 + 5;
    memset(out, 0, kind->size);
    kind->make(&seed, out);
}

/* The definition: of n ranks, the first (n + 1) / 2 are the left half. */
static void define(const struct kind *kind, int low, int high, size_t i, void *out)
{
    _Alignas(16) char left[MOST_BYTES], right[MOST_BYTES];
    if (high - low == 1) {
        contribution(kind, low, i, out);
        return;
    }
    int middle = low + (high - low + 1) / 2;
    define(kind, low, middle, i, left);
    define(kind, middle, high, i, right);
    kind->combine(left, right, out);
}

static char *defined; /* results of the current kind for all elements */

/* Of the first `ranks` ranks. */
static void define_all(const struct kind *kind, int ranks)
{
    for (size_t i = 0; ranks && i < UNIVERSE; i++)
        define(kind, 0, ranks, i, defined + i * kind->size);
}

static uint64_t seed = 11;

static size_t below(size_t n)
{
    return (size_t)(harness_random(&seed) % n);
}

/* The elements of a call: one range, or two that are fused into one vector. */
struct slice {
    size_t first[2], count[2];
};

static size_t element_of(const struct slice *slice, size_t i)
{
    return i < slice->count[0] ? slice->first[0] + i : slice->first[1] + i - slice->count[0];
}

static struct slice random_slice(size_t most)
{
    struct slice slice;
    for (int part = 0; part < 2; part++) {
        slice.count[part] = part && below(2) ? 0 : below(below(4) ? most / 2 : 9);
        slice.first[part] = below(UNIVERSE - slice.count[part]);
    }
    return slice;
}

struct one {
    const struct kind *kind;
    enum summand__collective collective;
    struct slice slice;
    int root;
    bool in_place;
    size_t shift[2]; /* elements by which the buffers are misaligned */
    summand_options options;
};

static int counts[16];

/* Blocks of a scatter: random ones that cover the slice, or equal ones without the remainder. */
static size_t cut(const struct one *c, size_t total)
{
    size_t left = total, first = 0;
    for (int r = 0; r < harness_ranks; r++) {
        size_t equal = total / (size_t)harness_ranks;
        counts[r] = c->collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK ? (int)equal
                    : r == harness_ranks - 1                            ? (int)left
                                                                        : (int)below(left + 1);
        left -= (size_t)counts[r];
        first += r < harness_rank ? (size_t)counts[r] : 0;
    }
    return first;
}

static int call(const struct one *c, const void *in, void *out, int count)
{
    const struct kind *k = c->kind;
    switch (c->collective) {
    case SUMMAND__COLL_REDUCE:
        return summand_reduce(in, out, count, k->type, k->op, c->root, MPI_COMM_WORLD, &c->options);
    case SUMMAND__COLL_ALLREDUCE:
        return summand_allreduce(in, out, count, k->type, k->op, MPI_COMM_WORLD, &c->options);
    case SUMMAND__COLL_SCAN:
        return summand_scan(in, out, count, k->type, k->op, MPI_COMM_WORLD, &c->options);
    case SUMMAND__COLL_EXSCAN:
        return summand_exscan(in, out, count, k->type, k->op, MPI_COMM_WORLD, &c->options);
    case SUMMAND__COLL_REDUCE_SCATTER_BLOCK:
        return summand_reduce_scatter_block(in, out, counts[0], k->type, k->op, MPI_COMM_WORLD,
                                            &c->options);
    default:
        return summand_reduce_scatter(in, out, counts, k->type, k->op, MPI_COMM_WORLD, &c->options);
    }
}

/* Makes the call, and compares this rank's elements with their definition. */
static void check(const struct one *c)
{
    static _Alignas(64) char memory[2][(UNIVERSE + 8) * MOST_BYTES];
    const struct kind *k = c->kind;
    size_t total = c->slice.count[0] + c->slice.count[1], first = 0, mine = total;
    char *in = memory[0] + c->shift[0] * k->size, *out = memory[1] + c->shift[1] * k->size;
    if (c->collective == SUMMAND__COLL_REDUCE)
        mine = c->root == harness_rank ? total : 0;
    else if (c->collective == SUMMAND__COLL_EXSCAN)
        mine = harness_rank ? total : 0;
    else if (summand__has_blocks(c->collective)) {
        first = cut(c, total);
        mine = (size_t)counts[harness_rank];
    }
    bool in_place = c->in_place && (!summand__has_root(c->collective) || mine);
    for (size_t i = 0; i < total; i++)
        contribution(k, harness_rank, element_of(&c->slice, i),
                     (in_place ? out : in) + i * k->size);
    int code = call(c, in_place ? MPI_IN_PLACE : in, out, (int)total);
    const char *name = c->options.algorithm ? c->options.algorithm : "auto";
    CHECK(code == MPI_SUCCESS, "%s %s, %s: code %d", name, summand__collective_name(c->collective),
          k->name, code);
    size_t differ = 0, where = 0;
    for (size_t i = 0; i < mine; i++) {
        size_t element = element_of(&c->slice, first + i);
        _Alignas(16) char got[MOST_BYTES];
        memcpy(got, out + i * k->size, k->size);
        if (k->type == MPI_LONG_DOUBLE)
            memset(got + 10, 0, k->size - 10);
        else if (k->type == MPI_DOUBLE_INT)
            memset(got + 12, 0, 4);
        else if (k->op == kinds[10].op)
            memset(got + 8, 0, 8);
        if (memcmp(got, defined + element * k->size, k->size) && !differ++)
            where = element;
    }
    CHECK(!differ, "%s %s, %s: %zu of %zu elements differ, the first is %zu", name,
          summand__collective_name(c->collective), k->name, differ, mine, where);
}

static void random_rounds(const struct kind *kind, enum summand__collective collective,
                          const char *algorithm)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct one c = {.kind = kind,
                        .collective = collective,
                        .slice = random_slice(MOST),
                        .root = (int)below((size_t)harness_ranks),
                        .in_place = !below(3),
                        .shift = {below(8), below(8)},
                        .options = {.algorithm = algorithm,
                                    .promise = SUMMAND_PROMISE_CANONICAL,
                                    .segment = below(2) ? (MPI_Count)(1 + below(300)) : 0,
                                    .node_size = (int)below(4)}};
        c.options = only_used(c.options);
        if (!harness_skips())
            check(&c);
    }
}

/* A long vector, cut into slices of 1 to 5000 elements, one call after the other. */
static void slices_of_all(const struct summand__algorithm *algorithm)
{
    struct one c = {.kind = &kinds[0],
                    .options = {.algorithm = algorithm ? algorithm->name : NULL,
                                .promise = SUMMAND_PROMISE_CANONICAL}};
    for (int all = 0; all < 2; all++) {
        c.collective = all ? SUMMAND__COLL_ALLREDUCE : SUMMAND__COLL_REDUCE;
        if (algorithm && !algorithm->build[c.collective])
            continue;
        for (size_t at = 0, count; at < UNIVERSE; at += count) {
            count = 1 + below(5000);
            count = count < UNIVERSE - at ? count : UNIVERSE - at;
            c.slice = (struct slice){{at, 0}, {count, 0}};
            check(&c);
        }
        c.slice = (struct slice){{0, 0}, {UNIVERSE, 0}};
        check(&c);
    }
}

/* Sanity check: from three ranks on, a fold from the left gives other bits. */
static void test_data(const struct kind *kind)
{
    size_t differ = 0;
    for (size_t i = 0; i < UNIVERSE; i++) {
        _Alignas(16) char sum[MOST_BYTES], next[MOST_BYTES], to[MOST_BYTES];
        contribution(kind, harness_ranks - 1, i, sum);
        for (int r = harness_ranks - 2; r >= 0; r--) {
            contribution(kind, r, i, next);
            kind->combine(next, sum, to);
            memcpy(sum, to, kind->size);
        }
        differ += memcmp(sum, defined + i * kind->size, kind->size) != 0;
    }
    CHECK(harness_ranks < 3 || differ > UNIVERSE / 10, "%s: %zu elements of %d differ in a fold",
          kind->name, differ, UNIVERSE);
}

/* Characters and bytes, if the MPI adds them: alone as in a vector, whose bits may come from a
 * vector instruction of the MPI (Open MPI's saturates). */
static void test_bytes(MPI_Datatype type, const char *name)
{
    enum { N = 100 };
    const summand_options bits = {.promise = SUMMAND_PROMISE_CANONICAL};
    unsigned char x[N], all[N], one = 0;
    for (int i = 0; i < N; i++)
        x[i] = (unsigned char)(37 * i + 11 * harness_rank + 90);
    if (summand_allreduce(x, all, N, type, MPI_SUM, MPI_COMM_WORLD, &bits) == MPI_ERR_OP)
        return;
    for (int i = 0; i < N; i++) {
        unsigned char sum = 0;
        for (int r = 0; r < harness_ranks; r++)
            sum = (unsigned char)(sum + 37 * i + 11 * r + 90);
        summand_allreduce(x + i, &one, 1, type, MPI_SUM, MPI_COMM_WORLD, &bits);
        CHECK(all[i] == sum && one == sum, "%s %d: %d in a vector, %d alone, not %d", name, i,
              all[i], one, sum);
    }
}

static void run_algorithm(const struct kind *kind, const struct summand__algorithm *algorithm)
{
    static const enum summand__collective collectives[] = {
        SUMMAND__COLL_REDUCE,         SUMMAND__COLL_ALLREDUCE, SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
        SUMMAND__COLL_REDUCE_SCATTER, SUMMAND__COLL_SCAN,      SUMMAND__COLL_EXSCAN};
    for (int c = 0; c < 6; c++) {
        const int prefix = harness_rank + (collectives[c] == SUMMAND__COLL_SCAN);
        if (algorithm && !algorithm->build[collectives[c]])
            continue;
        if (summand__is_prefix(collectives[c]))
            define_all(kind, prefix);
        random_rounds(kind, collectives[c], algorithm ? algorithm->name : NULL);
    }
    define_all(kind, harness_ranks);
    if (kind == kinds)
        slices_of_all(algorithm);
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    make_kinds();
    defined = malloc((size_t)UNIVERSE * MOST_BYTES);
    for (int k = 0; defined && k < KINDS; k++) {
        bool order_shows = k < 2 || k == 3 || k == 4 || k == 5 || k == 6 || k == 9 || k == 10;
        define_all(&kinds[k], harness_ranks);
        if (order_shows)
            test_data(&kinds[k]);
        run_algorithm(&kinds[k], NULL);
        for (int a = 0; summand__algorithms[a]; a++)
            if (summand__algorithms[a]->promises & SUMMAND__CANONICAL)
                run_algorithm(&kinds[k], summand__algorithms[a]);
    }
    test_bytes(MPI_CHAR, "MPI_CHAR");
    test_bytes(MPI_BYTE, "MPI_BYTE");
    free(defined);
    MPI_Type_free(&kinds[10].type);
    MPI_Op_free(&kinds[10].op);
}
