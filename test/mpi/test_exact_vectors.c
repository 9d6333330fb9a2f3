/* np: 1 2 3 5, long: 4 7 8; together; also: checked-p2p/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of vectors against MPFR, element by element: all reductions and algorithms, in all
 * forms, on data whose exponents, signs and special values are hostile, and which change from call
 * to call, so that remembered formats stop fitting: on all ranks, or on one. */
#include <complex.h>
#include <math.h>
#include <mpfr.h>
#include <summand/datatype.h>
#include <summand/exact.h>
#include <summand/reduce.h>

#include "algorithm/algorithm.h"
#include "algorithm/call.h"
#include "mpi/harness.h"
#include "unit/lanes_oracle.h"

enum { MOST_RANKS = 16, PRECISION = 2300 };

/* How the terms of a vector look. */
enum look {
    ALIKE,
    INTEGERS,
    WIDE,
    HOSTILE,
    CANCEL,
    TIES,
    TINY,
    HUGE_SUMS,
    SPECIAL,
    ZEROS,
    MINUS,
    LOOKS
};
static const char *const look_names[LOOKS] = {"alike",   "integers", "wide", "hostile",
                                              "cancel",  "ties",     "tiny", "huge",
                                              "special", "zeros",    "-0"};

struct type {
    const char *name;
    MPI_Datatype datatype; /* MPI_DATATYPE_NULL: made at the start */
    int of, each;          /* of: enum summand__lanes_type */
};

static double uniform(uint64_t *seed)
{
    return (double)(int64_t)harness_random(seed) * 0x1p-63;
}

static double special_number(uint64_t kind)
{
    switch (kind % 6) {
    case 0:
        return INFINITY;
    case 1:
        return -INFINITY;
    case 2:
        return NAN;
    case 3:
        return -0.0;
    default:
        return 1.5;
    }
}

/* The nearest number that the type has. */
static double nearest(int type, double x)
{
    uint64_t place;
    if (type == SUMMAND__LANES_F64)
        return x;
    if (type == SUMMAND__LANES_F32)
        return (double)(float)x;
    lanes_set(type, &place, 0, x);
    return lanes_value(type, &place, 0);
}

/* The term of a rank for a number of the vector, not rounded to the type; each rank knows all. */
static double term(enum look look, uint64_t turn, int rank, size_t i, int type)
{
    uint64_t seed = turn * 1000003 + (uint64_t)i * 977 + 5, own = seed * 31 + (uint64_t)rank + 1;
    const struct lanes_type *of = &lanes_types[type];
    const double u = uniform(&own), last = ldexp(1, 1 - of->digits);
    const int low = of->low + of->digits / 4, span = of->high - 6 - low;
    switch (look) {
    case ALIKE:
        return u;
    case INTEGERS:
        return floor(ldexp(u, of->digits - 3));
    case WIDE:
        return ldexp(u, (int)(harness_random(&own) % (unsigned)(of->high / 4)) - of->high / 8);
    case HOSTILE:
        return ldexp(u, low + (int)(harness_random(&own) % (unsigned)span));
    case CANCEL: /* the sum of even ranks and the next ones leaves the last bit, or nothing */
        if (rank % 2)
            return -nearest(type, term(look, turn, rank - 1, i, type)) * (1 + (i % 3 ? 0 : last));
        return ldexp(1 + uniform(&seed) / 4, (int)(i % (unsigned)(of->high / 2)));
    case TIES: /* halves of the last bit of 1, and a little more or less */
        return rank == 0   ? 1 + (double)(i % 4) * last
               : rank == 1 ? last / 2
               : rank == 2 ? ldexp((double)((int)(i / 4 % 3) - 1), of->low)
                           : 0;
    case TINY:
        return ldexp((double)(int)(u * 100), of->low);
    case HUGE_SUMS: /* overflows on the way, or at the end */
        return ldexp(((i + (size_t)rank) % 3 ? 1 : -1) * (1 - ldexp(1, -of->digits)), of->high);
    case SPECIAL:
        return special_number(harness_random(&own));
    case MINUS:
        return i % 5 && (i % 3 || rank) ? -0.0 : 0.0;
    default:
        return 0;
    }
}

/* The bits of the sum, rounded once. */
static uint64_t wanted_bits(enum look look, uint64_t turn, size_t i, int ranks, int type)
{
    static mpfr_t sum, x;
    static int made;
    int minus_zeros = 1;
    if (!made) {
        mpfr_init2(sum, PRECISION);
        mpfr_init2(x, 60);
        made = 1;
    }
    mpfr_set_zero(sum, 1);
    for (int r = 0; r < ranks; r++) {
        const double t = nearest(type, term(look, turn, r, i, type));
        minus_zeros = minus_zeros && t == 0 && signbit(t);
        mpfr_set_d(x, t, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    return lanes_bits_of(type, minus_zeros                          ? -0.0
                               : mpfr_zero_p(sum)                   ? 0.0
                               : mpfr_nan_p(sum) || mpfr_inf_p(sum) ? mpfr_get_d(sum, MPFR_RNDN)
                                                                    : lanes_round(type, sum));
}

/* A call, and the number at which this rank's result begins. */
struct call {
    int ranks; /* whose terms the result adds up */
    const struct type *type;
    enum summand__collective collective;
    size_t count; /* elements of the vector */
    int root, in_place, counts[MOST_RANKS];
    size_t first, own; /* elements of this rank's result */
    summand_options options;
    void *in, *out;
};

static size_t bytes_of(const struct type *type)
{
    return (size_t)type->each * lanes_types[type->of].bytes;
}

static void set(void *to, size_t i, double x, int type)
{
    if (type == SUMMAND__LANES_F64)
        ((double *)to)[i] = x;
    else if (type == SUMMAND__LANES_F32)
        ((float *)to)[i] = (float)x;
    else
        lanes_set(type, to, i, x);
}

static void fill(struct call *c, enum look look, uint64_t turn)
{
    const size_t n = c->count * (size_t)c->type->each;
    void *to = c->in_place ? c->out : c->in;
    memset(c->out, 0x55, c->count * bytes_of(c->type));
    for (size_t i = 0; i < n; i++)
        set(to, i, term(look, turn, harness_rank, i, c->type->of), c->type->of);
}

/* What a call gives, by MPFR. A plan's runs, and calls in place, have the data of the calls before
 * them: of the last ones it is kept. */
enum { KEPT = 4, MOST = 80000 };
static const uint64_t *wanted_of(const struct call *c, int nth, enum look look, uint64_t turn)
{
    static struct {
        size_t first, n;
        uint64_t turn, bits[2 * MOST];
        enum look look;
        int type, ranks;
    } kept[KEPT], *w;
    const size_t each = (size_t)c->type->each, first = c->first * each, n = c->own * each;
    w = &kept[nth];
    if (w->first == first && w->n == n && w->turn == turn && w->look == look &&
        w->type == c->type->of && w->ranks == c->ranks)
        return w->bits;
    w->first = first;
    w->n = n;
    w->turn = turn;
    w->look = look;
    w->type = c->type->of;
    w->ranks = c->ranks;
    for (size_t i = 0; i < n; i++)
        w->bits[i] = wanted_bits(look, turn, first + i, c->ranks, c->type->of);
    return w->bits;
}

static void check(const struct call *c, int nth, enum look look, uint64_t turn, const char *form)
{
    const uint64_t *wanted = wanted_of(c, nth, look, turn);
    size_t wrong = 0, at = 0;
    for (size_t i = 0; i < c->own * (size_t)c->type->each; i++)
        if (lanes_bits(c->type->of, c->out, i) != wanted[i] && !wrong++)
            at = i;
    CHECK(!wrong, "%s %s, %zu %s, %s, %s%s: %zu wrong, first %zu: %llx not %llx", form,
          summand__collective_name(c->collective), c->count, c->type->name, look_names[look],
          c->options.algorithm ? c->options.algorithm : "chosen", c->in_place ? ", in place" : "",
          wrong, at, (unsigned long long)lanes_bits(c->type->of, c->out, at),
          (unsigned long long)wanted[at]);
}

/* Cuts the vector; the blocks of a reduce-scatter are of one size, or random. */
static void shape(struct call *c, uint64_t *seed)
{
    const int receives = c->collective != SUMMAND__COLL_REDUCE || c->root == harness_rank;
    c->first = 0;
    c->ranks = c->collective == SUMMAND__COLL_SCAN     ? harness_rank + 1
               : c->collective == SUMMAND__COLL_EXSCAN ? harness_rank
                                                       : harness_ranks;
    c->own = receives && c->ranks ? c->count : 0;
    if (!summand__has_blocks(c->collective))
        return;
    size_t left = c->count;
    if (c->collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK)
        c->count = left = c->count / (size_t)harness_ranks * (size_t)harness_ranks;
    for (int r = 0; r < harness_ranks; r++) {
        const int last = r == harness_ranks - 1;
        c->counts[r] = c->collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK
                           ? (int)(c->count / (size_t)harness_ranks)
                       : last ? (int)left
                              : (int)(harness_random(seed) % (left + 1));
        if (r == harness_rank)
            c->first = c->count - left;
        left -= (size_t)c->counts[r];
    }
    c->own = (size_t)c->counts[harness_rank];
}

static int run(struct call *c, summand_plan **plan)
{
    const void *in = c->in_place ? MPI_IN_PLACE : c->in;
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Datatype type = c->type->datatype;
    const int n = (int)c->count;
    switch (c->collective) {
    case SUMMAND__COLL_REDUCE:
        return plan ? summand_reduce_init(in, c->out, n, type, MPI_SUM, c->root, comm, &c->options,
                                          plan)
                    : summand_reduce(in, c->out, n, type, MPI_SUM, c->root, comm, &c->options);
    case SUMMAND__COLL_ALLREDUCE:
        return plan ? summand_allreduce_init(in, c->out, n, type, MPI_SUM, comm, &c->options, plan)
                    : summand_allreduce_c(in, c->out, n, type, MPI_SUM, comm, &c->options);
    case SUMMAND__COLL_SCAN:
        return plan ? summand_scan_init(in, c->out, n, type, MPI_SUM, comm, &c->options, plan)
                    : summand_scan_c(in, c->out, n, type, MPI_SUM, comm, &c->options);
    case SUMMAND__COLL_EXSCAN:
        return plan ? summand_exscan_init_c(in, c->out, n, type, MPI_SUM, comm, &c->options, plan)
                    : summand_exscan(in, c->out, n, type, MPI_SUM, comm, &c->options);
    case SUMMAND__COLL_REDUCE_SCATTER_BLOCK:
        return plan ? summand_reduce_scatter_block_init(in, c->out, c->counts[0], type, MPI_SUM,
                                                        comm, &c->options, plan)
                    : summand_reduce_scatter_block(in, c->out, c->counts[0], type, MPI_SUM, comm,
                                                   &c->options);
    default:
        return plan ? summand_reduce_scatter_init(in, c->out, c->counts, type, MPI_SUM, comm,
                                                  &c->options, plan)
                    : summand_reduce_scatter(in, c->out, c->counts, type, MPI_SUM, comm,
                                             &c->options);
    }
}

/* Calls one after the other, on data of these looks: blocking ones, then by a plan. */
static void run_looks(struct call *c, const enum look *looks, int n, uint64_t turn)
{
    summand_plan *plan = NULL;
    for (int i = 0; i < n; i++) {
        fill(c, looks[i], turn + (uint64_t)i);
        int code = run(c, NULL);
        CHECK(code == MPI_SUCCESS, "code %d", code);
        check(c, i, looks[i], turn + (uint64_t)i, "call");
    }
    int code = run(c, &plan);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
        fill(c, looks[i], turn + (uint64_t)i);
        code = summand_plan_start(plan);
        for (int done = 0; code == MPI_SUCCESS && i % 2 && !done;)
            code = summand_plan_test(plan, &done);
        if (code == MPI_SUCCESS && !(i % 2))
            code = summand_plan_wait(plan);
        CHECK(code == MPI_SUCCESS, "code %d", code);
        check(c, i, looks[i], turn + (uint64_t)i, "plan");
    }
    summand_plan_free(&plan);
}

enum { TYPES = 6, COLLECTIVES = 6 };

static struct type types[TYPES] = {
    {"doubles", MPI_DOUBLE, SUMMAND__LANES_F64, 1},
    {"floats", MPI_FLOAT, SUMMAND__LANES_F32, 1},
    {"complex", MPI_C_DOUBLE_COMPLEX, SUMMAND__LANES_F64, 2},
    {"float complex", MPI_C_FLOAT_COMPLEX, SUMMAND__LANES_F32, 2},
    {"float16", MPI_DATATYPE_NULL, SUMMAND__LANES_F16, 1},
    {"bfloat16", MPI_DATATYPE_NULL, SUMMAND__LANES_BF16, 1},
};
static const enum summand__collective collectives[] = {
    SUMMAND__COLL_ALLREDUCE,      SUMMAND__COLL_REDUCE, SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
    SUMMAND__COLL_REDUCE_SCATTER, SUMMAND__COLL_SCAN,   SUMMAND__COLL_EXSCAN};

static struct call call_of(int type, enum summand__collective collective, size_t count,
                           uint64_t *seed)
{
    static double in[2 * MOST], out[2 * MOST];
    struct call c = {.type = &types[type],
                     .collective = collective,
                     .count = count,
                     .options = {.promise = SUMMAND_PROMISE_EXACT},
                     .in = in,
                     .out = out};
    c.root = (int)(harness_random(seed) % (uint64_t)harness_ranks);
    c.in_place = harness_random(seed) % 3 == 0 &&
                 (collective != SUMMAND__COLL_REDUCE || c.root == harness_rank);
    shape(&c, seed);
    return c;
}

/* Every look comes after every other one somewhere. The longest vector has each type and each
 * collective once. */
static void test_forms(void)
{
    static const size_t sizes[] = {0, 1, 7, 64, 300, 1024, 1025, 4000, 12345};
    uint64_t seed = harness_seed();
    for (int t = 0; t < TYPES; t++)
        for (int k = 0; k < COLLECTIVES; k++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (t != k); s++) {
                enum look looks[4];
                struct call c = call_of(t, collectives[k], sizes[s], &seed);
                for (int i = 0; i < 4; i++)
                    looks[i] = (enum look)(harness_random(&seed) % LOOKS);
                looks[3] = looks[2]; /* the formats fit */
                if (!harness_skips())
                    run_looks(&c, looks, 4, harness_random(&seed) % 1000);
            }
}

/* Each look by itself, also on lanes that travel in the opening. */
static void test_looks(void)
{
    uint64_t seed = harness_seed() + 1;
    for (int l = 0; l < LOOKS; l++)
        for (int t = 0; t < TYPES; t += 1 + (t == 1) * 2)
            for (size_t count = 40; count < 3000; count *= 64) {
                const enum look looks[2] = {(enum look)l, (enum look)l};
                struct call c = call_of(t, SUMMAND__COLL_ALLREDUCE, count, &seed);
                run_looks(&c, looks, 2, 77 + (uint64_t)l);
            }
}

/* More than one segment, of which each has its own formats. */
static void test_segments(void)
{
    uint64_t seed = harness_seed() + 3;
    for (int k = 0; k < COLLECTIVES; k++) {
        const enum look looks[3] = {WIDE, ALIKE, ALIKE};
        struct call c = call_of(k == 1, collectives[k], MOST - 1, &seed);
        for (int in_place = 0; in_place < 2; in_place++) {
            c.in_place = in_place && (k != 1 || c.root == harness_rank); /* reduce: on the root */
            if (k > 1 && harness_rank % 2)                               /* ranks may differ */
                c.in_place = 0;
            run_looks(&c, looks, 3, 3 + (uint64_t)k);
        }
    }
}

static void test_algorithms(void)
{
    uint64_t seed = harness_seed() + 2;
    for (int a = 0; summand__algorithms[a]; a++)
        for (int k = 0; k < COLLECTIVES; k++) {
            const struct summand__algorithm *algorithm = summand__algorithms[a];
            struct call c = call_of(a % TYPES, collectives[k], 2000 + (size_t)a, &seed);
            const enum look looks[2] = {WIDE, ALIKE};
            c.options.algorithm = algorithm->name;
            summand_plan *plan = NULL;
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            const int refused = !algorithm->build[collectives[k]] ||
                                run(&c, &plan) != MPI_SUCCESS; /* for its number of ranks */
            summand_plan_free(&plan);
            if (!refused && !harness_skips())
                run_looks(&c, looks, 2, harness_random(&seed) % 1000);
        }
}

/* Datatypes of one size, in turn: each has its own plan. */
static void test_sizes(void)
{
    uint64_t seed = harness_seed() + 4;
    static const int alike[] = {0, 3, 4, 5, 0, 3, 5, 4};
    for (int i = 0; i < 8; i++) {
        const enum look looks[1] = {ALIKE};
        struct call c = call_of(alike[i], SUMMAND__COLL_ALLREDUCE, 77, &seed);
        run_looks(&c, looks, 1, 50 + (uint64_t)i);
    }
}

/* One rank alone has terms that do not fit the formats of the last call. */
static void test_one_rank(void)
{
    enum { N = 500 };
    static double x[N], y[N];
    const summand_options options = {.promise = SUMMAND_PROMISE_EXACT};
    for (int odd = 0; odd < harness_ranks; odd++)
        for (int call = 0; call < 4; call++) {
            size_t wrong = 0;
            for (int i = 0; i < N; i++)
                x[i] = call == 2 && harness_rank == odd && i == 333 ? 0x1p600 : i + 0.25;
            int code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
            CHECK(code == MPI_SUCCESS, "code %d", code);
            for (int i = 0; i < N; i++)
                wrong += y[i] != (call == 2 && i == 333 ? 0x1p600 : harness_ranks * (i + 0.25));
            CHECK(!wrong, "rank %d, call %d: %zu wrong", odd, call, wrong);
        }
}

static void refuse(MPI_Op op, MPI_Datatype datatype, const char *name)
{
    double x[8] = {0}, y[8];
    const summand_options options = {.promise = SUMMAND_PROMISE_EXACT};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = summand_allreduce(x, y, 1, datatype, op, MPI_COMM_WORLD, &options);
    const char *text = summand_error_text(code);
    CHECK(summand_error_of(code) == SUMMAND_ERR_ARGUMENT, "%s: code %d", name, code);
    CHECK(strstr(text, "SUMMAND_PROMISE_EXACT") && strstr(text, "rounds"), "%s: %s", name, text);
}

/* Operators that round refuse the promise; those that do not keep it. */
static void test_operators(void)
{
    const summand_options options = {.promise = SUMMAND_PROMISE_EXACT};
    int x[2] = {harness_rank, 3}, y[2];
    refuse(MPI_PROD, MPI_DOUBLE, "product");
    refuse(MPI_SUM, MPI_LONG_DOUBLE, "long double");
    int refused = summand_bcast(x, 2, MPI_INT, 0, MPI_COMM_WORLD, &options);
    CHECK(strstr(summand_error_text(refused), "at most SUMMAND_PROMISE_CANONICAL"), "%s",
          summand_error_text(refused));
    int code = summand_allreduce(x, y, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options);
    CHECK(code == MPI_SUCCESS && y[1] == 3 * harness_ranks, "code %d, %d", code, y[1]);
    code = summand_allreduce(x, y, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &options);
    CHECK(code == MPI_SUCCESS && y[0] == harness_ranks - 1, "code %d, %d", code, y[0]);
}

/* Several plans and calls at once: their stages progress while this rank waits for another one. */
static void test_several(void)
{
    enum { PLANS = 3, N = 9000 };
    static double x[PLANS][N], y[PLANS][N];
    const summand_options options = {.promise = SUMMAND_PROMISE_EXACT};
    summand_plan *plans[PLANS];
    for (int p = 0; p < PLANS; p++)
        summand_allreduce_init(x[p], y[p], N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options,
                               &plans[p]);
    for (int turn = 0; turn < 3; turn++) {
        size_t wrong = 0;
        for (int p = 0; p < PLANS; p++)
            for (int i = 0; i < N; i++)
                x[p][i] = ldexp(i + p, turn * 200 * (p - 1));
        for (int p = 0; p < PLANS; p++)
            summand_plan_start(plans[p]);
        for (int p = 0; p < PLANS; p++) { /* ranks wait in different orders */
            int code = summand_plan_wait(plans[(p + harness_rank) % PLANS]);
            CHECK(code == MPI_SUCCESS, "code %d", code);
        }
        for (int p = 0; p < PLANS; p++)
            for (int i = 0; i < N; i++)
                wrong += y[p][i] != harness_ranks * ldexp(i + p, turn * 200 * (p - 1));
        CHECK(!wrong, "turn %d: %zu wrong", turn, wrong);
    }
    for (int p = 0; p < PLANS; p++)
        summand_plan_free(&plans[p]);
}

TESTS
{
    summand_float16_datatype(&types[4].datatype);
    summand_bfloat16_datatype(&types[5].datatype);
    test_looks();
    test_forms();
    test_segments();
    test_algorithms();
    test_sizes();
    test_one_rank();
    test_operators();
    test_several();
}
