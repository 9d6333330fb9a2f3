#include "ordered/forest.h"

#include "kernel/fpenv.h"

enum { ALIGNMENT = 16 };

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void summand__bundle_init(struct summand__bundle *bundle, size_t k, uint32_t signature,
                          const struct summand__operator *element, bool numbers, size_t lower,
                          size_t upper)
{
    *bundle = (struct summand__bundle){
        .k = k, .signature = signature, .element = *element, .numbers = numbers};
    bundle->origin = sizeof(struct summand__range) + round_up(lower);
    size_t tail = upper > element->extent ? upper - element->extent : 0;
    bundle->stride = round_up(bundle->origin + SUMMAND__FOREST_ROOM * element->extent + tail);
}

size_t summand__bundle_extent(const struct summand__bundle *bundle)
{
    return ALIGNMENT + bundle->k * bundle->stride;
}

struct summand__head *summand__bundle_head(void *memory)
{
    return memory;
}

static unsigned char *forest(const struct summand__bundle *bundle, const void *memory, size_t i)
{
    return (unsigned char *)memory + ALIGNMENT + i * bundle->stride;
}

struct summand__range *summand__bundle_range(const struct summand__bundle *bundle, void *memory,
                                             size_t i)
{
    return (struct summand__range *)forest(bundle, memory, i);
}

/* The address of value j of a forest of n: the last is at the end of the room. */
static unsigned char *value(const struct summand__bundle *bundle, unsigned char *f, unsigned n,
                            unsigned j)
{
    return f + bundle->origin + (SUMMAND__FOREST_ROOM - n + j) * bundle->element.extent;
}

void *summand__bundle_place(const struct summand__bundle *bundle, void *memory, size_t i,
                            uint64_t start, uint64_t count)
{
    struct summand__range *range = summand__bundle_range(bundle, memory, i);
    *range = (struct summand__range){start, start + count, summand__dyadic_count(start, count)};
    return value(bundle, (unsigned char *)range, (unsigned)range->values, 0);
}

static void copy_values(const struct summand__bundle *bundle, unsigned char *from,
                        unsigned char *to, uint64_t values)
{
    unsigned n = (unsigned)values;
    if (n)
        bundle->element.copy(bundle->element.context, value(bundle, from, n, 0),
                             value(bundle, to, n, 0), n);
}

/* Puts the left forest's values in front of the right one's, from the right to the left. A value
 * whose sibling stands at the front becomes the parent there, which may be the next one's sibling.
 * Slots of `stack` are those of the room in memory. */
static void join(const struct summand__bundle *bundle, unsigned char *left, unsigned char *right)
{
    const struct summand__operator *op = &bundle->element;
    const struct summand__range *low = (const struct summand__range *)left;
    struct summand__range *high = (struct summand__range *)right;
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX], stack[SUMMAND__FOREST_ROOM];
    unsigned n = summand__dyadic_nodes(low->start, low->end - low->start, nodes);
    unsigned front = SUMMAND__FOREST_ROOM - (unsigned)high->values;
    summand__dyadic_nodes(high->start, high->end - high->start, &stack[front]);
    for (unsigned i = n; i-- > 0;) {
        struct summand__dyadic_node node = nodes[i];
        const void *one = value(bundle, left, n, i);
        while (front < SUMMAND__FOREST_ROOM && stack[front].level == node.level &&
               !(node.position >> node.level & 1)) {
            void *parent = value(bundle, right, SUMMAND__FOREST_ROOM, front++);
            op->reduce(op->context, one, parent, 1);
            one = parent;
            node.level++;
        }
        stack[--front] = node;
        void *slot = value(bundle, right, SUMMAND__FOREST_ROOM, front);
        if (one != slot)
            op->copy(op->context, one, slot, 1);
    }
    high->start = low->start;
    high->values = SUMMAND__FOREST_ROOM - front;
}

static void merge_forest(const struct summand__bundle *bundle, struct summand__head *head,
                         unsigned char *left, unsigned char *right)
{
    const struct summand__range *low = (const struct summand__range *)left;
    struct summand__range *high = (struct summand__range *)right;
    if (low->start == low->end)
        return;
    if (high->start == high->end) {
        *high = *low;
        copy_values(bundle, left, right, low->values);
    } else if (low->end != high->start) {
        summand__worsen(head, SUMMAND__DISTRIBUTION);
    } else {
        join(bundle, left, right);
    }
}

static void bundle_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__bundle *bundle = context;
    const struct summand__head *left = in;
    struct summand__head *right = inout;
    (void)count; /* a plan's schedule has one element */
    uint32_t saved = bundle->numbers ? summand__fpenv_enter() : 0;
    summand__worsen(right, left->error_flag);
    for (size_t i = 0; i < bundle->k && !right->error_flag; i++)
        merge_forest(bundle, right, forest(bundle, in, i), forest(bundle, inout, i));
    if (bundle->numbers)
        summand__fpenv_leave(saved);
}

static void bundle_copy(const void *context, const void *from, void *to, size_t count)
{
    const struct summand__bundle *bundle = context;
    (void)count;
    const struct summand__head *head = from;
    memcpy(to, from, sizeof *head);
    for (size_t i = 0; i < bundle->k && !head->error_flag; i++) { /* else there are no values */
        unsigned char *a = forest(bundle, from, i), *b = forest(bundle, to, i);
        memcpy(b, a, sizeof(struct summand__range));
        copy_values(bundle, a, b, ((const struct summand__range *)a)->values);
    }
}

static size_t pack_values(const struct summand__operator *op, const void *from, size_t n,
                          unsigned char *bytes)
{
    if (op->pack)
        return op->pack(op->context, from, n, bytes);
    memcpy(bytes, from, n * op->extent);
    return n * op->extent;
}

/* Wire form: head; per forest its range, the bytes of its values, the values. */
static size_t bundle_pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct summand__bundle *bundle = context;
    const struct summand__head *head = from;
    unsigned char *out = bytes;
    (void)count;
    memcpy(out, head, sizeof *head);
    out += sizeof *head;
    for (size_t i = 0; i < bundle->k && !head->error_flag; i++) {
        unsigned char *f = forest(bundle, from, i);
        unsigned n = (unsigned)((const struct summand__range *)f)->values;
        memcpy(out, f, sizeof(struct summand__range));
        out += sizeof(struct summand__range);
        uint64_t size =
            n ? pack_values(&bundle->element, value(bundle, f, n, 0), n, out + sizeof size) : 0;
        memcpy(out, &size, sizeof size);
        out += sizeof size + size;
    }
    return (size_t)(out - (unsigned char *)bytes);
}

static void bundle_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__bundle *bundle = context;
    const struct summand__operator *op = &bundle->element;
    struct summand__head *head = to;
    const unsigned char *in = bytes;
    (void)count;
    *head = summand__head_read(in, bundle->signature);
    in += sizeof *head;
    for (size_t i = 0; i < bundle->k && !head->error_flag; i++) {
        unsigned char *f = forest(bundle, to, i);
        uint64_t size;
        memcpy(f, in, sizeof(struct summand__range));
        memcpy(&size, in + sizeof(struct summand__range), sizeof size);
        in += sizeof(struct summand__range) + sizeof size;
        unsigned n = (unsigned)((const struct summand__range *)f)->values;
        if (n && op->unpack)
            op->unpack(op->context, in, value(bundle, f, n, 0), n);
        else if (n)
            memcpy(value(bundle, f, n, 0), in, n * op->extent);
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
        .packed = sizeof(struct summand__head) +
                  bundle->k * (sizeof(struct summand__range) + sizeof(uint64_t) +
                               SUMMAND__DYADIC_MAX * each),
        .pack = bundle_pack,
        .unpack = bundle_unpack,
    };
}

const void *summand__bundle_fold(const struct summand__bundle *bundle, void *memory, size_t i)
{
    const struct summand__operator *op = &bundle->element;
    unsigned char *f = forest(bundle, memory, i);
    unsigned n = (unsigned)((const struct summand__range *)f)->values;
    if (!n)
        return NULL;
    void *last = value(bundle, f, n, n - 1);
    uint32_t saved = bundle->numbers ? summand__fpenv_enter() : 0;
    for (unsigned j = n - 1; j-- > 0;)
        op->reduce(op->context, value(bundle, f, n, j), last, 1);
    if (bundle->numbers)
        summand__fpenv_leave(saved);
    return last;
}
