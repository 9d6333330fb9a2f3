/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor runs every algorithm and collective on real data, all ranks in one process, against
 * the sequential result. Operands are 2 x 2 matrices modulo a prime, whose product does not
 * commute. If only commutative operators are promised, the operator is their sum. */
#include "algorithm/call.h"
#include "exec/execute.h"
#include "lab/verify/cases.h"
#include "loopback.h"
#include "unit/unit.h"

/* More ranks run the same code, so fewer are enough under a sanitizer. */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_RANKS = 17 };
#else
enum { MOST_RANKS = 33 };
#endif
enum { DENSE_RANKS = 7, PRIME = 65521, GUARD = 3 };

struct matrix {
    uint32_t entry[2][2];
};

static void multiply(const void *context, const void *in, void *inout, size_t count)
{
    const struct matrix *a = in;
    struct matrix *b = inout;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        struct matrix c;
        for (int r = 0; r < 2; r++)
            for (int s = 0; s < 2; s++)
                c.entry[r][s] = (uint32_t)(((uint64_t)a[i].entry[r][0] * b[i].entry[0][s] +
                                            (uint64_t)a[i].entry[r][1] * b[i].entry[1][s]) %
                                           PRIME);
        b[i] = c;
    }
}

static void add(const void *context, const void *in, void *inout, size_t count)
{
    const struct matrix *a = in;
    struct matrix *b = inout;
    (void)context;
    for (size_t i = 0; i < count; i++)
        for (int e = 0; e < 4; e++)
            b[i].entry[e / 2][e % 2] =
                (a[i].entry[e / 2][e % 2] + b[i].entry[e / 2][e % 2]) % PRIME;
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(struct matrix));
}

/* A wire form that is shorter than its bound: entries are below 2^16. */
static size_t pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct matrix *a = from;
    uint16_t *out = bytes;
    (void)context;
    for (size_t i = 0; i < count; i++)
        for (int e = 0; e < 4; e++)
            *out++ = (uint16_t)a[i].entry[e / 2][e % 2];
    return count * 8;
}

static void unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const uint16_t *in = bytes;
    struct matrix *a = to;
    (void)context;
    for (size_t i = 0; i < count; i++)
        for (int e = 0; e < 4; e++)
            a[i].entry[e / 2][e % 2] = *in++;
}

static uint32_t random_state = 1;

static uint32_t draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Contribution of a rank to an element of the vector. */
static struct matrix contribution(int rank, size_t element)
{
    struct matrix a;
    for (uint32_t e = 0; e < 4; e++)
        a.entry[e / 2][e % 2] =
            ((uint32_t)rank * 7919u + (uint32_t)element * 104729u + e * 31337u + 5u) % PRIME;
    return a;
}

static size_t first_of(const struct summand__call *call, bool blocks)
{
    return blocks ? summand__call_block(call, call->rank).first : 0;
}

static bool gathers(const struct summand__call *call)
{
    return summand__has_blocks(call->collective) && !summand__has_operator(call->collective);
}

static bool scatters(const struct summand__call *call)
{
    return summand__has_blocks(call->collective) && summand__has_operator(call->collective);
}

static struct matrix wanted(const struct summand__call *call, size_t element, bool ordered)
{
    if (call->collective == SUMMAND__COLL_BCAST)
        return contribution(call->root, element);
    if (gathers(call)) {
        int owner = call->ranks - 1;
        while (summand__call_block(call, owner).first > element ||
               !summand__call_block(call, owner).count)
            owner--;
        return contribution(owner, element);
    }
    const int ranks = summand__call_contributing(call);
    struct matrix result = contribution(ranks - 1, element);
    for (int r = ranks - 2; r >= 0; r--) {
        struct matrix a = contribution(r, element);
        (ordered ? multiply : add)(NULL, &a, &result, 1);
    }
    return result;
}

/* One rank's memory, with guards around. */
struct memory {
    struct matrix *sendbuf, *recvbuf, *scratch;
    size_t sent, received;
};

static struct matrix *make(size_t count)
{
    struct matrix *buffer = malloc((count + 2 * GUARD) * sizeof *buffer);
    assert_non_null(buffer);
    memset(buffer, 0xA5, (count + 2 * GUARD) * sizeof *buffer);
    return buffer + GUARD;
}

static void check_guards(const struct matrix *buffer, size_t count)
{
    const unsigned char *low = (const unsigned char *)(buffer - GUARD);
    const unsigned char *high = (const unsigned char *)(buffer + count);
    for (size_t i = 0; i < GUARD * sizeof *buffer; i++) {
        assert_int_equal(low[i], 0xA5);
        assert_int_equal(high[i], 0xA5);
    }
}

static struct memory make_memory(const struct summand__call *call, size_t scratch)
{
    struct summand__region input = summand__call_input(call), output = summand__call_output(call);
    struct memory memory = {.received = output.count};
    bool sent = input.place == SUMMAND__SENDBUF;
    if (sent)
        memory.sent = input.count;
    else if (input.first + input.count > memory.received)
        memory.received = input.first + input.count;
    memory.sendbuf = make(memory.sent);
    memory.recvbuf = make(memory.received);
    memory.scratch = make(scratch);
    for (size_t i = 0; i < input.count; i++)
        (sent ? memory.sendbuf : memory.recvbuf)[input.first + i] =
            contribution(call->rank, first_of(call, gathers(call)) + i);
    return memory;
}

static void check_memory(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const struct memory *memory,
                         size_t scratch)
{
    bool ordered = summand__promises_of(algorithm, call) & SUMMAND__RANK_ORDER;
    size_t count = summand__call_output(call).count;
    for (size_t i = 0; i < count; i++) {
        struct matrix right = wanted(call, first_of(call, scatters(call)) + i, ordered);
        if (memcmp(&right, &memory->recvbuf[i], sizeof right))
            fail_msg("%s %s: %d ranks, root %d, rank %d: wrong element %zu", algorithm->name,
                     summand__collective_name(call->collective), call->ranks, call->root,
                     call->rank, i);
    }
    for (size_t i = 0; i < memory->sent; i++) {
        struct matrix a = contribution(call->rank, first_of(call, gathers(call)) + i);
        assert_memory_equal(&a, &memory->sendbuf[i], sizeof a);
    }
    check_guards(memory->sendbuf, memory->sent);
    check_guards(memory->recvbuf, memory->received);
    check_guards(memory->scratch, scratch);
}

/* Tests ranks in a random order until all are done. */
static void run_all(struct summand__execution *executions, int ranks)
{
    int left = ranks;
    bool over[MOST_RANKS] = {false};
    for (long tries = 0; left; tries++) {
        int rank = (int)(draw() % (uint32_t)ranks);
        bool done;
        assert_true(tries < 1000000);
        if (over[rank])
            continue;
        assert_int_equal(summand__execution_test(&executions[rank], &done), 0);
        left -= over[rank] = done;
    }
}

static bool run_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     void *context)
{
    int ranks = call->ranks;
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__execution executions[MOST_RANKS];
    struct loopback ends[MOST_RANKS];
    struct memory memories[MOST_RANKS];
    struct summand__call views[MOST_RANKS];
    size_t scratch[MOST_RANKS];
    size_t *cases = context;
    bool packed = ++*cases % 3 == 0;
    struct summand__operator operator= {
        .extent = sizeof(struct matrix), .copy = copy, .packed = 11};
    operator.reduce = summand__promises_of(algorithm, call) & SUMMAND__RANK_ORDER ? multiply : add;
    operator.pack = packed ? pack : NULL;
    operator.unpack = packed ? unpack : NULL;
    loopback_open(ends, ranks, packed ? 1 : sizeof(struct matrix));
    for (int r = 0; r < ranks; r++) {
        views[r] = *call;
        views[r].rank = r;
        views[r].in_place = summand__call_in_place(call, r);
        assert_true(summand__build(algorithm, &views[r], &schedules[r]));
        scratch[r] = schedules[r].scratch;
        memories[r] = make_memory(&views[r], scratch[r]);
        assert_true(summand__execution_init(&executions[r], &schedules[r],
                                            &operator, & ends[r].link, memories[r].sendbuf,
                                            memories[r].recvbuf, memories[r].scratch));
    }
    for (int r = 0; r < ranks; r++)
        assert_int_equal(summand__execution_start(&executions[r]), 0);
    run_all(executions, ranks);
    for (int r = 0; r < ranks; r++) {
        check_memory(algorithm, &views[r], &memories[r], scratch[r]);
        summand__execution_free(&executions[r]);
        free(memories[r].sendbuf - GUARD);
        free(memories[r].recvbuf - GUARD);
        free(memories[r].scratch - GUARD);
    }
    loopback_close(ends, ranks);
    return true;
}

TEST(every_algorithm)
{
    size_t cases = 0;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
                assert_true(
                    summand__cases(summand__algorithms[i], (enum summand__collective)c, ranks,
                                   ranks <= DENSE_RANKS ? SUMMAND__MANY_CASES : SUMMAND__FEW_CASES,
                                   run_case, &cases));
    print_message("%zu calls, %zu messages taken where they lay\n", cases, loopback_taken);
    assert_true(loopback_taken > cases / 10);
}
