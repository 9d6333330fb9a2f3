/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/witness_sums.h"

#include "algorithm/call.h"
#include "op/predefined.h"

unsigned summand__witness_bits(const struct summand__collective_work *work)
{
    const struct summand__operation *operation = &work->operation;
    const bool sums = summand__has_operator(operation->collective) && operation->op == MPI_SUM &&
                      summand__op_exact(operation->op, operation->datatype);
    return sums && work->types.recv.size <= 8 ? 8 * (unsigned)work->types.recv.size : 0;
}

/* Ranks have different results, each with its own place among the check words: those of rank r are
 * moved on by r groups of zeros. */
static int places_of(const struct summand__call *call)
{
    const bool apart =
        summand__has_blocks(call->collective) || summand__is_prefix(call->collective);
    return apart ? call->ranks : 1;
}

static size_t bytes_of(const struct summand__collective_work *work, size_t elements)
{
    return elements * (size_t)work->types.recv.size;
}

size_t summand__witness_bytes(const struct summand__collective_work *work)
{
    const size_t all = bytes_of(work, summand__call_total(&work->call));
    const bool few = places_of(&work->call) == 1 && all <= sizeof(struct summand__seal_sums);
    return few ? (all + 7) / 8 * 8 : sizeof(struct summand__seal_sums);
}

/* The highest bit of each number. */
static uint64_t highest_of(unsigned bits)
{
    return UINT64_MAX / (UINT64_MAX >> (64 - bits)) << (bits - 1);
}

/* The highest bits are added without carry, so that none leaves its number. */
void summand__witness_add(unsigned bits, uint64_t *into, const uint64_t *more, size_t bytes)
{
    const uint64_t highest = highest_of(bits);
    for (size_t i = 0; i < bytes / sizeof *into; i++)
        into[i] = ((into[i] & ~highest) + (more[i] & ~highest)) ^ ((into[i] ^ more[i]) & highest);
}

static void sum(unsigned bits, struct summand__seal_sums *sums, const void *bytes, size_t count)
{
    const int width = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
    summand__seal_kernels()->sums[width](sums, bytes, count);
}

static struct summand__seal_sums sums_of(unsigned bits, const void *bytes, size_t count)
{
    struct summand__seal_sums sums = {{0}};
    if (count > sizeof sums)
        sum(bits, &sums, bytes, count);
    else if (count) /* few bytes are their own sums */
        memcpy(&sums, bytes, count);
    return sums;
}

static void move_on(unsigned bits, struct summand__seal_sums *sums)
{
    static const struct summand__seal_sums zeros;
    sum(bits, sums, &zeros, sizeof zeros);
}

static uint64_t hash_of(uint64_t start, const struct summand__seal_sums *sums, size_t count)
{
    const size_t words = (count + 7) / 8, most = sizeof *sums / 8;
    return count ? summand__seal(start ^ count, sums, words < most ? words : most) : start;
}

uint64_t summand__witness_input(const struct summand__collective_work *work, unsigned bits,
                                const void *input, struct summand__seal_sums *share)
{
    const struct summand__call *call = &work->call;
    const bool scatters = summand__has_blocks(call->collective);
    size_t count = bytes_of(work, summand__call_total(call));
    struct summand__seal_sums part = sums_of(bits, input, scatters ? 0 : count);
    uint64_t hash = hash_of(0, &part, scatters ? 0 : count);
    /* The result of a prefix's rank r has the inputs before r, and that of r but for exclusive
     * ones. */
    const int first = summand__is_prefix(call->collective)
                          ? 2 * call->rank + 1 - summand__call_contributing(call)
                          : 0;
    *share = (struct summand__seal_sums){{0}};
    for (int r = places_of(call) - 1; r >= 0; r--) {
        if (r < places_of(call) - 1)
            move_on(bits, share);
        if (scatters) {
            const struct summand__block block = summand__call_block(call, r);
            count = bytes_of(work, block.count);
            part = sums_of(bits, (const char *)input + bytes_of(work, block.first), count);
            hash = hash_of(hash, &part, count);
        }
        if (r >= first)
            summand__witness_add(bits, share->word, part.word, sizeof part);
    }
    return hash;
}

uint64_t summand__witness_result(const struct summand__collective_work *work, unsigned bits,
                                 struct summand__seal_sums *share)
{
    const struct summand__call *call = &work->call;
    const bool apart = places_of(call) > 1;
    const size_t count = bytes_of(work, summand__call_output(call).count);
    struct summand__seal_sums sums = sums_of(bits, work->operation.recvbuf, count), less, one;
    const uint64_t hash = hash_of(0, &sums, count);
    for (int r = 0; apart && r < call->rank; r++)
        move_on(bits, &sums);
    for (size_t i = 0; i < sizeof sums / 8; i++) { /* the complement, and 1 */
        less.word[i] = ~sums.word[i];
        one.word[i] = highest_of(bits) >> (bits - 1);
    }
    const int compared = summand__has_root(call->collective) ? call->root : 0;
    if (count && (apart || call->rank == compared)) {
        summand__witness_add(bits, share->word, less.word, sizeof less);
        summand__witness_add(bits, share->word, one.word, sizeof one);
    }
    return hash;
}
