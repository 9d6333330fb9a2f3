/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/forest.h"

#include "kernel/fpenv.h"

enum { ALIGNMENT = 16 };

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The part before the ranges. */
struct front {
    struct summand__head head;
    uint64_t alike; /* all forests have the range of the first one; only that need be set */
};

void summand__bundle_init(struct summand__bundle *bundle, size_t k, uint32_t signature,
                          const struct summand__operator *element, size_t lower, size_t upper)
{
    *bundle = (struct summand__bundle){.k = k, .signature = signature, .element = *element};
    size_t origin =
        round_up(sizeof(struct front) + k * sizeof(struct summand__range)) + round_up(lower);
    size_t tail = upper > element->extent ? upper - element->extent : 0;
    bundle->stride = k * element->extent;
    bundle->end = origin + SUMMAND__FOREST_ROOM * bundle->stride;
    bundle->extent = round_up(bundle->end + tail);
}

size_t summand__bundle_extent(const struct summand__bundle *bundle)
{
    return bundle->extent;
}

struct summand__head *summand__bundle_head(void *memory)
{
    return memory;
}

void summand__bundle_begin(const struct summand__bundle *bundle, void *memory)
{
    *(struct front *)memory = (struct front){{bundle->signature, SUMMAND__GOOD}, true};
}

static bool alike(const void *memory)
{
    return ((const struct front *)memory)->alike;
}

static struct summand__range *ranges(const void *memory)
{
    return (struct summand__range *)((const struct front *)memory + 1);
}

/* The range of forest i; if all are equal, the first one. */
static struct summand__range *range(const void *memory, size_t i)
{
    return &ranges(memory)[alike(memory) ? 0 : i];
}

/* The address of the last `values` values of forest i, which end with the room. */
static unsigned char *last_values(const struct summand__bundle *bundle, const void *memory,
                                  size_t i, uint64_t values)
{
    return (unsigned char *)memory + bundle->end - values * bundle->stride +
           (i ? i * bundle->element.extent : 0);
}

/* Gives each of the first n forests its own range. */
static void spread(void *memory, size_t n)
{
    struct front *front = memory;
    for (size_t i = 1; i < n && front->alike; i++)
        ranges(memory)[i] = ranges(memory)[0];
    front->alike = n < 2;
}

/* Many calls have forests of one range, which cost one comparison each. */
void *summand__bundle_place(const struct summand__bundle *bundle, void *memory, size_t i,
                            uint64_t start, uint64_t count)
{
    const struct summand__range *first = ranges(memory);
    if (i && alike(memory) && first->start == start && first->end == start + count)
        return last_values(bundle, memory, i, first->values);
    spread(memory, i + 1);
    struct summand__range *own = &ranges(memory)[i];
    if (i && own[-1].start == start && own[-1].end == start + count)
        *own = own[-1];
    else
        *own = (struct summand__range){start, start + count, summand__dyadic_count(start, count)};
    return last_values(bundle, memory, i, own->values);
}

/* Values of `width` forests of one range, as rows of contiguous elements; those of all forests are
 * one row. */
struct rows {
    size_t count, each;
};

static struct rows rows_of(const struct summand__bundle *bundle, size_t width, uint64_t values)
{
    if (width == bundle->k)
        return (struct rows){values > 0, (size_t)values * width};
    return (struct rows){(size_t)values, width};
}

/* Copies the values of `width` forests of one range, from forest i on. */
static void copy_values(const struct summand__bundle *bundle, const void *from, void *to, size_t i,
                        size_t width, uint64_t values)
{
    const struct summand__operator *op = &bundle->element;
    const struct rows rows = rows_of(bundle, width, values);
    const unsigned char *in = last_values(bundle, from, i, values);
    unsigned char *out = last_values(bundle, to, i, values);
    for (size_t j = 0; j < rows.count; j++, in += bundle->stride, out += bundle->stride)
        op->copy(op->context, in, out, rows.each);
}

/* Puts the left forests' values before the right ones', from right to left. If the first value
 * there is its sibling, a value becomes the parent, which may be the next one's sibling. Slots of
 * `stack` correspond to the room in memory. */
static void join(const struct summand__bundle *bundle, const void *left, void *right, size_t i,
                 size_t width)
{
    const struct summand__operator *op = &bundle->element;
    const struct summand__range *low = range(left, i);
    struct summand__range *high = range(right, i);
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX], stack[SUMMAND__FOREST_ROOM];
    unsigned n = summand__dyadic_nodes(low->start, low->end - low->start, nodes);
    unsigned front = SUMMAND__FOREST_ROOM - (unsigned)high->values;
    const unsigned char *from = last_values(bundle, left, i, 0);
    unsigned char *to = last_values(bundle, right, i, high->values);
    summand__dyadic_nodes(high->start, high->end - high->start, &stack[front]);
    for (unsigned j = n; j-- > 0;) {
        struct summand__dyadic_node node = nodes[j];
        const unsigned char *one = from -= bundle->stride;
        for (; front < SUMMAND__FOREST_ROOM && stack[front].level == node.level &&
               !(node.position >> node.level & 1);
             front++, to += bundle->stride) {
            op->reduce(op->context, one, to, width);
            one = to;
            node.level++;
        }
        stack[--front] = node;
        to -= bundle->stride;
        if (one != to)
            op->copy(op->context, one, to, width);
    }
    high->start = low->start;
    high->values = SUMMAND__FOREST_ROOM - front;
}

static void merge_forests(const struct summand__bundle *bundle, const void *left, void *right,
                          size_t i, size_t width)
{
    const struct summand__range *low = range(left, i);
    struct summand__range *high = range(right, i);
    if (low->start == low->end)
        return;
    if (high->start == high->end) {
        *high = *low;
        copy_values(bundle, left, right, i, width, low->values);
    } else if (low->end != high->start) {
        summand__worsen(right, SUMMAND__DISTRIBUTION);
    } else {
        join(bundle, left, right, i, width);
    }
}

static void bundle_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__bundle *bundle = context;
    const struct summand__head *left = in;
    struct summand__head *right = inout;
    (void)count; /* a plan's schedule has one element */
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    summand__worsen(right, left->error_flag);
    if (!right->error_flag && !alike(in))
        spread(inout, bundle->k);
    size_t width = !right->error_flag && alike(inout) ? bundle->k : 1;
    for (size_t i = 0; i < bundle->k && !right->error_flag; i += width)
        merge_forests(bundle, in, inout, i, width);
    summand__fpenv_leave(saved);
}

static void bundle_copy(const void *context, const void *from, void *to, size_t count)
{
    const struct summand__bundle *bundle = context;
    (void)count;
    const struct summand__head *head = from;
    memcpy(to, from, sizeof(struct front));
    if (head->error_flag) /* without values */
        return;
    size_t width = alike(from) ? bundle->k : 1;
    for (size_t i = 0; i < bundle->k; i += width) {
        *range(to, i) = *range(from, i);
        copy_values(bundle, from, to, i, width, range(from, i)->values);
    }
}

/* Packs the values of `width` forests of one range. */
static size_t pack_values(const struct summand__bundle *bundle, const void *memory, size_t i,
                          size_t width, uint64_t values, unsigned char *bytes)
{
    const struct summand__operator *op = &bundle->element;
    const struct rows rows = rows_of(bundle, width, values);
    const unsigned char *from = last_values(bundle, memory, i, values);
    unsigned char *out = bytes;
    for (size_t j = 0; j < rows.count; j++, from += bundle->stride) {
        size_t size = rows.each * op->extent;
        if (op->pack)
            size = op->pack(op->context, from, rows.each, out);
        else
            memcpy(out, from, size);
        out += size;
    }
    return (size_t)(out - bytes);
}

static void unpack_values(const struct summand__bundle *bundle, const unsigned char *bytes,
                          void *memory, size_t i, size_t width, uint64_t values)
{
    const struct summand__operator *op = &bundle->element;
    const struct rows rows = rows_of(bundle, width, values);
    const size_t size = rows.each * op->extent;
    unsigned char *to = last_values(bundle, memory, i, values);
    for (size_t j = 0; j < rows.count; j++, to += bundle->stride) {
        if (op->unpack)
            op->unpack(op->context, bytes, to, rows.each);
        else
            memcpy(to, bytes + j * size, size);
    }
}

/* Packed form: the head; the flag if all forests have one range; then that range, the bytes of the
 * values, the values; or the same for each forest. */
static size_t bundle_pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct summand__bundle *bundle = context;
    const struct summand__head *head = from;
    unsigned char *out = bytes;
    (void)count;
    memcpy(out, from, sizeof(struct front));
    out += sizeof(struct front);
    size_t width = !head->error_flag && alike(from) ? bundle->k : 1;
    for (size_t i = 0; i < bundle->k && !head->error_flag; i += width) {
        const struct summand__range *own = range(from, i);
        memcpy(out, own, sizeof *own);
        out += sizeof *own;
        uint64_t size = pack_values(bundle, from, i, width, own->values, out + sizeof size);
        memcpy(out, &size, sizeof size);
        out += sizeof size + size;
    }
    return (size_t)(out - (unsigned char *)bytes);
}

static void bundle_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__bundle *bundle = context;
    struct summand__head *head = to;
    const unsigned char *in = bytes;
    (void)count;
    memcpy(to, in, sizeof(struct front));
    *head = summand__head_read(in, bundle->signature);
    in += sizeof(struct front);
    size_t width = !head->error_flag && alike(to) ? bundle->k : 1;
    for (size_t i = 0; i < bundle->k && !head->error_flag; i += width) {
        struct summand__range *own = range(to, i);
        uint64_t size;
        memcpy(own, in, sizeof *own);
        memcpy(&size, in + sizeof *own, sizeof size);
        in += sizeof *own + sizeof size;
        unpack_values(bundle, in, to, i, width, own->values);
        in += size;
    }
}

struct summand__operator summand__bundle_operator(const struct summand__bundle *bundle)
{
    size_t each = bundle->element.pack ? bundle->element.packed : bundle->element.extent;
    return (struct summand__operator){
        .extent = summand__bundle_extent(bundle),
        .context = bundle,
        .reduce = bundle_reduce,
        .copy = bundle_copy,
        .packed =
            sizeof(struct front) + bundle->k * (sizeof(struct summand__range) + sizeof(uint64_t) +
                                                SUMMAND__DYADIC_MAX * each),
        .pack = bundle_pack,
        .unpack = bundle_unpack,
    };
}

void summand__bundle_fold(const struct summand__bundle *bundle, void *memory)
{
    const struct summand__operator *op = &bundle->element;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    size_t width = alike(memory) ? bundle->k : 1;
    for (size_t i = 0; i < bundle->k; i += width) {
        unsigned char *last = last_values(bundle, memory, i, 1), *next = last;
        for (uint64_t j = range(memory, i)->values; j > 1; j--)
            op->reduce(op->context, next -= bundle->stride, last, width);
    }
    summand__fpenv_leave(saved);
}

const void *summand__bundle_root(const struct summand__bundle *bundle, void *memory, size_t i)
{
    return range(memory, i)->values ? last_values(bundle, memory, i, 1) : NULL;
}
