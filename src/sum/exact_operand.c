#include "sum/exact_operand.h"

/* Of an operand that is only read. */
static struct summand__batch batch_of(const struct summand__exact_shape *shape, const void *operand)
{
    return summand__exact_batch(shape, (struct summand__exact_operand *)(uintptr_t)operand);
}

static void operand_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__exact_operand *other = in;
    struct summand__exact_operand *mine = inout;
    const struct summand__batch from = batch_of(context, in), into = batch_of(context, inout);
    (void)count; /* a plan's schedule has one element */
    summand__worsen(&mine->head, other->head.error_flag);
    if (!mine->head.error_flag)
        summand__batch_merge(&from, &into);
}

static void operand_copy(const void *context, const void *from, void *to, size_t count)
{
    const struct summand__exact_operand *a = from;
    struct summand__exact_operand *b = to;
    const struct summand__batch source = batch_of(context, from), target = batch_of(context, to);
    (void)count;
    b->head = a->head;
    if (!a->head.error_flag) /* else there are no sums */
        summand__batch_copy(&source, &target);
}

static size_t operand_pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct summand__exact_operand *operand = from;
    const struct summand__batch batch = batch_of(context, from);
    (void)count;
    memcpy(bytes, &operand->head, sizeof operand->head);
    return sizeof operand->head +
           (operand->head.error_flag
                ? 0
                : summand__batch_pack(&batch, (char *)bytes + sizeof operand->head));
}

static void operand_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__exact_shape *shape = context;
    struct summand__exact_operand *operand = to;
    const struct summand__batch batch = batch_of(context, to);
    (void)count;
    operand->head = summand__head_read(bytes, shape->signature);
    if (!operand->head.error_flag &&
        !summand__batch_unpack(&batch, (const char *)bytes + sizeof operand->head))
        operand->head.error_flag = SUMMAND__MISMATCH;
}

struct summand__operator summand__exact_operator(const struct summand__exact_shape *shape)
{
    return (struct summand__operator){
        .extent = sizeof(struct summand__exact_operand) + summand__batch_bytes(shape->k),
        .context = shape,
        .reduce = operand_reduce,
        .copy = operand_copy,
        .packed = sizeof(struct summand__head) + summand__batch_packed_most(shape->k),
        .pack = operand_pack,
        .unpack = operand_unpack,
    };
}
