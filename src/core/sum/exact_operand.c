/* SPDX-License-Identifier: BSD-3-Clause */
#include "sum/exact_operand.h"

enum { OFFERED = (SUMMAND__OFFERS + 1) * sizeof(uint64_t) };

/* The sums of an operand that is only read. */
static struct summand__batch batch_of(const struct summand__exact_shape *shape, const void *operand)
{
    return summand__exact_batch(shape, (struct summand__exact_operand *)(uintptr_t)operand);
}

static bool offers(const struct summand__exact_shape *shape)
{
    return !shape->k;
}

/* Keeps the numbers that are in both falling lists. */
static void intersect(const uint64_t *other, uint64_t *mine)
{
    size_t n = 0;
    for (size_t i = 0; mine[i]; i++) {
        while (*other > mine[i])
            other++;
        if (*other == mine[i])
            mine[n++] = mine[i];
    }
    mine[n] = 0;
}

/* Number of entries, with the 0. */
static size_t length_of(const uint64_t *numbers)
{
    size_t n = 0;
    while (numbers[n])
        n++;
    return n + 1;
}

/* A list that is too long, or does not fall, comes from another call. */
static bool read_offers(const char *bytes, uint64_t *numbers)
{
    for (size_t i = 0; i <= SUMMAND__OFFERS; i++) {
        memcpy(&numbers[i], bytes + i * sizeof *numbers, sizeof *numbers);
        if (!numbers[i])
            return true;
        if (i && numbers[i] >= numbers[i - 1])
            return false;
    }
    return false;
}

static void operand_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__exact_operand *other = in;
    struct summand__exact_operand *mine = inout;
    const struct summand__batch from = batch_of(context, in), into = batch_of(context, inout);
    (void)count; /* a plan's schedule has one element */
    summand__worsen(&mine->head, other->head.error_flag);
    if (mine->head.error_flag)
        return;
    if (offers(context))
        intersect(other->sums, mine->sums);
    else
        summand__batch_merge(&from, &into);
}

static void operand_copy(const void *context, const void *from, void *to, size_t count)
{
    const struct summand__exact_operand *a = from;
    struct summand__exact_operand *b = to;
    const struct summand__batch source = batch_of(context, from), target = batch_of(context, to);
    (void)count;
    b->head = a->head;
    if (a->head.error_flag) /* without sums */
        return;
    if (offers(context))
        memcpy(b->sums, a->sums, length_of(a->sums) * sizeof *a->sums);
    else
        summand__batch_copy(&source, &target);
}

static size_t operand_pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct summand__exact_operand *operand = from;
    const struct summand__batch batch = batch_of(context, from);
    (void)count;
    char *sums = (char *)bytes + sizeof operand->head;
    memcpy(bytes, &operand->head, sizeof operand->head);
    if (operand->head.error_flag)
        return sizeof operand->head;
    if (!offers(context))
        return sizeof operand->head + summand__batch_pack(&batch, sums);
    const size_t length = length_of(operand->sums) * sizeof *operand->sums;
    memcpy(sums, operand->sums, length);
    return sizeof operand->head + length;
}

static void operand_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__exact_shape *shape = context;
    struct summand__exact_operand *operand = to;
    const struct summand__batch batch = batch_of(context, to);
    (void)count;
    const char *sums = (const char *)bytes + sizeof operand->head;
    operand->head = summand__head_read(bytes, shape->signature);
    if (!operand->head.error_flag &&
        !(offers(shape) ? read_offers(sums, operand->sums) : summand__batch_unpack(&batch, sums)))
        operand->head.error_flag = SUMMAND__MISMATCH;
}

struct summand__operator summand__exact_operator(const struct summand__exact_shape *shape)
{
    return (struct summand__operator){
        .extent = sizeof(struct summand__exact_operand) +
                  (offers(shape) ? OFFERED : summand__batch_bytes(shape->k)),
        .context = shape,
        .reduce = operand_reduce,
        .copy = operand_copy,
        .packed = sizeof(struct summand__head) +
                  (offers(shape) ? OFFERED : summand__batch_packed_most(shape->k)),
        .pack = operand_pack,
        .unpack = operand_unpack,
    };
}
