#include "sum/exact_operand.h"

static void operand_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__exact_shape *shape = context;
    const struct summand__exact_operand *other = in;
    struct summand__exact_operand *mine = inout;
    (void)count; /* a plan's schedule has one element */
    summand__worsen(&mine->head, other->head.error_flag);
    for (size_t i = 0; i < shape->k && !mine->head.error_flag; i++)
        summand_exact_merge(&mine->sum[i], &other->sum[i]);
}

static void operand_copy(const void *context, const void *from, void *to, size_t count)
{
    const struct summand__exact_shape *shape = context;
    const struct summand__exact_operand *a = from;
    struct summand__exact_operand *b = to;
    (void)count;
    b->head = a->head;
    for (size_t i = 0; i < shape->k && !a->head.error_flag; i++) { /* else there are no sums */
        summand_exact_init(&b->sum[i]);
        summand_exact_merge(&b->sum[i], &a->sum[i]);
    }
}

static size_t operand_pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct summand__exact_shape *shape = context;
    const struct summand__exact_operand *operand = from;
    unsigned char *out = bytes;
    (void)count;
    memcpy(out, &operand->head, sizeof operand->head);
    out += sizeof operand->head;
    for (size_t i = 0; i < shape->k && !operand->head.error_flag; i++)
        out += summand_exact_pack(&operand->sum[i], out);
    return (size_t)(out - (unsigned char *)bytes);
}

static void operand_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__exact_shape *shape = context;
    struct summand__exact_operand *operand = to;
    const unsigned char *in = bytes;
    (void)count;
    operand->head = summand__head_read(in, shape->signature);
    in += sizeof operand->head;
    for (size_t i = 0; i < shape->k && !operand->head.error_flag; i++) {
        size_t used = summand_exact_unpack(&operand->sum[i], in, SUMMAND_EXACT_PACKED_MAX);
        if (!used)
            operand->head.error_flag = SUMMAND__MISMATCH;
        in += used;
    }
}

struct summand__operator summand__exact_operator(const struct summand__exact_shape *shape)
{
    return (struct summand__operator){
        .extent = sizeof(struct summand__exact_operand) + shape->k * sizeof(summand_exact),
        .context = shape,
        .reduce = operand_reduce,
        .copy = operand_copy,
        .packed = sizeof(struct summand__head) + shape->k * SUMMAND_EXACT_PACKED_MAX,
        .pack = operand_pack,
        .unpack = operand_unpack,
    };
}
