/* np: 1; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree of one rank for any operator and datatype, against a literal eq. 2.1: a recursion
 * with one operator call per node. Input lies read-only between guard pages. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ordered/any.h"
#include "ordered/forest.h"
#include "shape/dyadic.h"

#define CHECK(condition) check(condition, #condition, __LINE__)

static const char *case_name;
static int failures;

static void check(bool good, const char *text, int line)
{
    if (good || ++failures > 20)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, case_name, text);
}

enum { SMALL = 20, LARGE = 3000, ROOM = SUMMAND__DYADIC_MAX };

/* A datatype with an operator; fill writes the data of one element at its address. */
struct sample {
    const char *name;
    void (*make)(MPI_Datatype *type, MPI_Op *op);
    void (*fill)(char *at, unsigned i);
    uint64_t most; /* elements in random ranges */
};

/* ---- operators and their elements ---- */

struct affine {
    uint64_t a, b; /* x -> a x + b, modulo 2^64: not commutative */
};

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const struct affine *f = in;
    struct affine *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++)
        g[i] = (struct affine){f[i].a * g[i].a, f[i].a * g[i].b + f[i].b};
}

static void make_affine(MPI_Datatype *type, MPI_Op *op)
{
    MPI_Type_contiguous(2, MPI_UINT64_T, type);
    MPI_Op_create(compose, 0, op);
}

static void fill_affine(char *at, unsigned i)
{
    struct affine f = {2654435761u * (uint64_t)i + 3, 40503u * (uint64_t)i + 7};
    memcpy(at, &f, sizeof f);
}

/* Neither associative nor commutative; any datatype of doubles at offset 0 of the extent. */
static void bend(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *n; i++) {
        double a, b;
        memcpy(&a, (char *)in + i * extent, sizeof a);
        memcpy(&b, (char *)inout + i * extent, sizeof b);
        b = a / 3 - b * 0.7;
        memcpy((char *)inout + i * extent, &b, sizeof b);
    }
}

static void fill_double(char *at, unsigned i)
{
    double x = 1.0 / (1 + i * 7919u % 1009u) - 0.004;
    memcpy(at, &x, sizeof x);
}

static void make_bend(MPI_Datatype *type, MPI_Op *op)
{
    *type = MPI_DOUBLE;
    MPI_Op_create(bend, 0, op);
}

static void make_sum(MPI_Datatype *type, MPI_Op *op)
{
    *type = MPI_DOUBLE;
    *op = MPI_SUM;
}

static void make_int(MPI_Datatype *type, MPI_Op *op)
{
    *type = MPI_INT;
    *op = MPI_PROD;
}

static void fill_int(char *at, unsigned i)
{
    int x = (int)(i * 2654435761u | 1u) % 3; /* no signed overflow that matters: -2 .. 2 */
    memcpy(at, &x, sizeof x);
}

static void make_minloc(MPI_Datatype *type, MPI_Op *op)
{
    *type = MPI_DOUBLE_INT;
    *op = MPI_MINLOC;
}

static void fill_double_int(char *at, unsigned i)
{
    struct {
        double x;
        int i;
    } pair = {(double)(i * 2654435761u >> 29), (int)i};
    memcpy(at, &pair.x, sizeof pair.x);
    memcpy(at + sizeof pair.x, &pair.i, sizeof pair.i);
}

static void make_maxloc(MPI_Datatype *type, MPI_Op *op)
{
    *type = MPI_SHORT_INT; /* a gap between the two */
    *op = MPI_MAXLOC;
}

static void fill_short_int(char *at, unsigned i)
{
    short x = (short)(i * 2654435761u >> 29);
    int k = (int)i;
    memcpy(at, &x, sizeof x);
    memcpy(at + 4, &k, sizeof k);
}

/* A tag, a gap, a number; a gap at the end. */
struct gapped {
    char tag;
    double x;
    char last;
};

static void join(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const struct gapped *a = in;
    struct gapped *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        b[i].x = a[i].x / 3 - b[i].x;
        b[i].tag = (char)(a[i].tag * 3 ^ b[i].tag);
        b[i].last = a[i].last;
    }
}

static void make_gapped(MPI_Datatype *type, MPI_Op *op)
{
    int lengths[] = {1, 1, 1};
    MPI_Aint offsets[] = {offsetof(struct gapped, tag), offsetof(struct gapped, x),
                          offsetof(struct gapped, last)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR}, packed;
    MPI_Type_create_struct(3, lengths, offsets, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct gapped), type);
    MPI_Type_free(&packed);
    MPI_Op_create(join, 0, op);
}

static void fill_gapped(char *at, unsigned i)
{
    fill_double(at + offsetof(struct gapped, x), i);
    at[offsetof(struct gapped, tag)] = (char)(i * 37);
    at[offsetof(struct gapped, last)] = (char)(i * 11);
}

/* Two doubles at `before` and at 0, elements `extent` apart, as the operator `twist` knows. */
static MPI_Aint twist_offset;

static void twist(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *n; i++) {
        double a[2], b[2];
        for (int j = 0; j < 2; j++) {
            memcpy(&a[j], (char *)in + i * extent + j * twist_offset, sizeof *a);
            memcpy(&b[j], (char *)inout + i * extent + j * twist_offset, sizeof *b);
        }
        b[0] = a[0] / 3 - b[1];
        b[1] = a[1] * 0.5 + b[0];
        for (int j = 0; j < 2; j++)
            memcpy((char *)inout + i * extent + j * twist_offset, &b[j], sizeof *b);
    }
}

static void make_twist(MPI_Aint offset, MPI_Aint extent, MPI_Datatype *type, MPI_Op *op)
{
    MPI_Aint offsets[] = {0, offset};
    MPI_Datatype two;
    twist_offset = offset;
    MPI_Type_create_hindexed_block(2, 1, offsets, MPI_DOUBLE, &two);
    MPI_Type_create_resized(two, offset < 0 ? offset : 0, extent, type);
    MPI_Type_free(&two);
    MPI_Op_create(twist, 0, op);
}

static void make_negative_lb(MPI_Datatype *type, MPI_Op *op)
{
    make_twist(-24, 40, type, op);
}

static void make_interleaved(MPI_Datatype *type, MPI_Op *op)
{
    make_twist(SMALL * 8, 8, type, op); /* elements i and i + 20 share a double */
}

static void make_far(MPI_Datatype *type, MPI_Op *op)
{
    make_twist(30000, 30008, type, op); /* a gap of several pages */
}

static void make_backward(MPI_Datatype *type, MPI_Op *op)
{
    make_twist(-8, -16, type, op);
}

static void make_same_place(MPI_Datatype *type, MPI_Op *op)
{
    make_twist(16, 0, type, op); /* all elements are one */
}

static void fill_twist(char *at, unsigned i)
{
    fill_double(at, i);
    fill_double(at + twist_offset, 3 * i + 1);
}

static void fill_once(char *at, unsigned i)
{
    (void)i;
    fill_twist(at, 5);
}

static const struct sample samples[] = {
    {"double sum", make_sum, fill_double, LARGE},
    {"int product", make_int, fill_int, LARGE},
    {"double_int minloc", make_minloc, fill_double_int, LARGE},
    {"short_int maxloc", make_maxloc, fill_short_int, LARGE},
    {"affine maps", make_affine, fill_affine, LARGE},
    {"not associative", make_bend, fill_double, LARGE},
    {"struct with gaps", make_gapped, fill_gapped, LARGE},
    {"negative lower bound", make_negative_lb, fill_twist, LARGE},
    {"interleaved", make_interleaved, fill_twist, LARGE},
    {"far apart", make_far, fill_twist, 200},
    {"negative extent", make_backward, fill_twist, LARGE},
    {"no extent", make_same_place, fill_once, LARGE},
};

/* ---- input between guard pages, values with poisoned gaps ---- */

struct input {
    char *map;
    size_t length;
    const char *x; /* address of element 0 */
};

static struct summand__any any;
static struct summand__bundle bundle;

/* The lowest byte is the first of a page, or the highest byte is the last of one. */
static struct input make_input(const struct sample *s, uint64_t count, bool at_end)
{
    const struct summand__element *e = &any.workspace.element;
    MPI_Aint last = (MPI_Aint)(count - 1) * e->extent, low = e->true_lb + (last < 0 ? last : 0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)((last < 0 ? -last : last) + e->true_extent);
    size_t whole = (bytes + page - 1) / page * page;
    struct input input = {.length = whole + 2 * page};
    input.map = mmap(NULL, input.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(input.map + page, whole, PROT_READ | PROT_WRITE);
    memset(input.map + page, 0xa5, whole);
    char *x = input.map + page + (at_end ? whole - bytes : 0) - low;
    for (uint64_t i = 0; i < count; i++)
        s->fill(x + (MPI_Aint)i * e->extent, (unsigned)i);
    mprotect(input.map + page, whole, PROT_READ);
    input.x = x;
    return input;
}

struct values {
    size_t bytes;
    char *memory, *origin;
};

static struct values make_values(size_t n)
{
    struct values v = {.bytes = summand__element_span(&any.workspace.element, n)};
    v.memory = malloc(v.bytes);
    memset(v.memory, 0x5c, v.bytes);
    v.origin = summand__element_origin(&any.workspace.element, v.memory);
    return v;
}

static void move(const void *from, void *to)
{
    MPI_Sendrecv(from, 1, any.workspace.element.datatype, 0, 0, to, 1,
                 any.workspace.element.datatype, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* (2.1) for a full subtree of the elements at x, or one that ends at element n. */
static void reduce(const char *x, uint64_t position, unsigned level, uint64_t n, char *result)
{
    uint64_t half = level ? (uint64_t)1 << (level - 1) : 0;
    if (!level) {
        move(x + (MPI_Aint)position * any.workspace.element.extent, result);
    } else if (position + half >= n) {
        reduce(x, position, level - 1, n, result);
    } else {
        struct values left = make_values(1);
        reduce(x, position, level - 1, n, left.origin);
        reduce(x, position + half, level - 1, n, result);
        MPI_Reduce_local(left.origin, result, 1, any.workspace.element.datatype, any.workspace.op);
        free(left.memory);
    }
}

/* Data bytes must match, and all other bytes of the n values must be unchanged. */
static bool same(const struct values *a, const struct values *b, size_t n)
{
    struct values data = make_values(1);
    char *mask = calloc(1, a->bytes), *ones = malloc(data.bytes);
    memset(ones, 0xff, data.bytes);
    ptrdiff_t origin = a->origin - a->memory;
    for (size_t i = 0; i < n; i++)
        move(ones + (data.origin - data.memory),
             mask + origin + (MPI_Aint)i * any.workspace.element.stride);
    bool good = true;
    for (size_t i = 0; i < a->bytes; i++)
        good &= mask[i] ? a->memory[i] == b->memory[i + (size_t)(b->origin - b->memory - origin)]
                        : a->memory[i] == 0x5c;
    free(data.memory);
    free(mask);
    free(ones);
    return good;
}

/* ---- the checks ---- */

static void expect(const char *x, uint64_t start, uint64_t count, struct values *values)
{
    struct summand__dyadic_node nodes[ROOM];
    unsigned n = summand__dyadic_nodes(start, count, nodes);
    for (unsigned i = 0; i < n; i++)
        reduce(x - (MPI_Aint)start * any.workspace.element.extent, nodes[i].position,
               nodes[i].level, UINT64_MAX,
               values->origin + (MPI_Aint)i * any.workspace.element.stride);
}

/* A forest of one range in a bundle, as in a plan. */
static void *make_forest(const char *x, uint64_t start, uint64_t count)
{
    void *memory = malloc(summand__bundle_extent(&bundle));
    memset(memory, 0x5c, summand__bundle_extent(&bundle));
    summand__bundle_begin(&bundle, memory);
    void *values = summand__bundle_place(&bundle, memory, 0, start, count);
    CHECK(summand__ordered_local(&any.workspace, x, start, count, values) == MPI_SUCCESS);
    return memory;
}

/* Data and gaps of n values at `origin`, and no byte around them. */
static struct values view(const void *origin, size_t n)
{
    const struct summand__element *e = &any.workspace.element;
    return (struct values){.bytes = (n - 1) * (size_t)e->stride + (size_t)e->true_extent,
                           .memory = (char *)origin + e->true_lb,
                           .origin = (char *)origin};
}

static void check_range(const char *x, uint64_t start, uint64_t count)
{
    unsigned n = summand__dyadic_count(start, count);
    struct values got = make_values(n + 1), wanted = make_values(n + 1);
    CHECK(summand__ordered_local(&any.workspace, x, start, count, got.origin) == MPI_SUCCESS);
    expect(x, start, count, &wanted);
    CHECK(same(&got, &wanted, n));
    if (start == 0 && count) {
        struct values root = make_values(1);
        void *forest = make_forest(x, start, count);
        summand__bundle_fold(&bundle, forest);
        struct values result = view(summand__bundle_root(&bundle, forest, 0), 1);
        reduce(x, 0, 40, count, root.origin);
        CHECK(same(&result, &root, 1));
        free(forest);
        free(root.memory);
    }
    free(got.memory);
    free(wanted.memory);
}

/* Its form on the wire, behind the head: all forests of the bundle have it. */
static struct summand__range range_of(const void *forest)
{
    struct summand__operator operator= summand__bundle_operator(&bundle);
    struct summand__range range;
    unsigned char *bytes = malloc(operator.packed);
    operator.pack(operator.context, forest, 1, bytes);
    memcpy(&range, bytes + sizeof(struct summand__head) + sizeof(uint64_t), sizeof range);
    free(bytes);
    return range;
}

static void check_merge(const char *x, uint64_t start, uint64_t count, uint64_t right)
{
    unsigned n = summand__dyadic_count(start, count + right);
    struct values wanted = make_values(n + 1);
    struct summand__operator operator= summand__bundle_operator(&bundle);
    void *a = make_forest(x, start, count);
    void *b = make_forest(x + (MPI_Aint)count * any.workspace.element.extent, start + count, right);
    operator.reduce(operator.context, a, b, 1);
    struct summand__range range = range_of(b);
    CHECK(!summand__bundle_head(b)->error_flag && any.code == MPI_SUCCESS);
    CHECK(!n || (range.start == start && range.end == start + count + right));
    CHECK(range.values == n);
    expect(x, start, count + right, &wanted);
    struct values got = view(summand__bundle_place(&bundle, b, 0, start, count + right), n ? n : 1);
    CHECK(!n || same(&got, &wanted, n));
    free(a);
    free(b);
    free(wanted.memory);
}

static void small_ranges(const struct sample *s)
{
    for (uint64_t start = 0; start <= SMALL; start++)
        for (uint64_t count = 0; start + count <= SMALL; count++) {
            struct input input = make_input(s, count ? count : 1, start & 1);
            check_range(input.x, start, count);
            for (uint64_t left = 0; left <= count; left += s->most == LARGE ? 1 : 5)
                check_merge(input.x, start, left, count - left);
            munmap(input.map, input.length);
        }
}

static void random_ranges(const struct sample *s)
{
    srand(5);
    for (int i = 0; i < 12; i++) {
        uint64_t count = 1 + (uint64_t)rand() % s->most;
        uint64_t start = i % 3 ? (uint64_t)rand() % 5000 : i % 2 ? 0 : 1u << rand() % 13;
        struct input input = make_input(s, count, i & 1);
        check_range(input.x, start, count);
        uint64_t left = (uint64_t)rand() % (count + 1);
        check_merge(input.x, start, left, count - left);
        munmap(input.map, input.length);
    }
}

static void run(const struct sample *s)
{
    MPI_Datatype type;
    MPI_Op op;
    struct summand__operator operator;
    size_t lower, upper;
    int integers, addresses, types, combiner;
    case_name = s->name;
    s->make(&type, &op);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_commit(&type);
    CHECK(summand__any_init(&any, type, op, &operator) == MPI_SUCCESS);
    summand__any_reach(&any, &lower, &upper);
    summand__bundle_init(&bundle, 1, 7, &operator, lower, upper);
    small_ranges(s);
    random_ranges(s);
    summand__any_free(&any);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(&type);
    if (op != MPI_SUM && op != MPI_PROD && op != MPI_MINLOC && op != MPI_MAXLOC)
        MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++)
        run(&samples[i]);
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    MPI_Finalize();
    return failures ? 1 : 0;
}
