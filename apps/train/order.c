/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/order.h"

#include "train/poad.h"

struct walk {
    const struct train_order *order;
    int stage;
    bool back; /* this group is R(stage) */
    train_order_do *act;
    void *context;
};

int train_order_groups(const struct train_order *order)
{
    return order->stages * (order->twins ? 2 : 1);
}

/* The number of batches by which the weights of a stage are behind; newest: the most. */
static size_t behind_of(const struct train_order *o, int stage)
{
    if (o->twins)
        return o->newest ? o->behind : train_poad_stashed(o->stages - stage);
    return o->delay == TRAIN_STASHED ? (size_t)(o->stages - 1 - stage) : o->delay == TRAIN_2BW;
}

static size_t batches_of(const struct train_order *o)
{
    return (o->pieces + o->each - 1) / o->each;
}

size_t train_order_oldest(const struct train_order *o, int stage, size_t batch)
{
    size_t behind = behind_of(o, stage);
    return batch >= batches_of(o) ? batch : batch > behind ? batch - behind : 0;
}

static void emit(const struct walk *w, enum train_order_kind kind, enum train_order_what what,
                 int layer, size_t number)
{
    const struct train_order_act act = {kind, what, layer, number};
    w->act(w->context, &act);
}

static void carry_out(const struct walk *w, enum train_order_what what, int layer, size_t number)
{
    emit(w, TRAIN_ORDER_START, what, layer, number);
    emit(w, TRAIN_ORDER_FINISH, what, layer, number);
}

static int first_of(const struct walk *w)
{
    return w->order->first[w->stage];
}

/* The first layer of the next stage. */
static int border_of(const struct walk *w)
{
    return w->order->first[w->stage + 1];
}

static bool has_border(const struct walk *w)
{
    return w->stage + 1 < w->order->stages;
}

static bool ends_batch(const struct train_order *o, size_t piece)
{
    return piece + 1 == o->pieces || (piece + 1) % o->each == 0;
}

/* The copies of a stage's outputs for its twin, and of the last layer's sums. */
static void copies(const struct walk *w, enum train_order_kind kind, size_t number)
{
    for (int l = first_of(w); l < border_of(w); l++)
        emit(w, kind, TRAIN_COPY, l, number);
}

static void versions(const struct walk *w, enum train_order_kind kind, size_t number)
{
    for (int l = first_of(w); l < border_of(w); l++)
        emit(w, kind, TRAIN_VERSION, l, number);
}

/* Frees the slot of the piece: no rank reads it any more. */
static void free_slot(const struct walk *w, size_t piece)
{
    size_t slots = w->order->slots;
    if (piece < slots)
        return;
    if (has_border(w))
        emit(w, TRAIN_ORDER_FINISH, TRAIN_FORWARD, border_of(w), piece - slots);
    if (has_border(w) && !w->order->twins)
        emit(w, TRAIN_ORDER_FINISH, TRAIN_GRADIENT, border_of(w), piece - slots);
    if (w->order->twins)
        copies(w, TRAIN_ORDER_FINISH, piece - slots);
}

static void forward(const struct walk *w, size_t piece)
{
    const struct train_order *o = w->order;
    free_slot(w, piece);
    if (o->twins)
        emit(w, TRAIN_ORDER_TAKE, TRAIN_VERSION, 0, piece);
    if (!w->stage)
        emit(w, TRAIN_ORDER_READ, TRAIN_FORWARD, 0, piece);
    for (int l = first_of(w); l < border_of(w); l++)
        carry_out(w, TRAIN_FORWARD, l, piece);
    if (!has_border(w) && !o->twins)
        emit(w, TRAIN_ORDER_JUDGE, TRAIN_FORWARD, border_of(w) - 1, piece);
    if (o->twins)
        copies(w, TRAIN_ORDER_START, piece);
    if (has_border(w))
        emit(w, TRAIN_ORDER_START, TRAIN_FORWARD, border_of(w), piece);
    if (has_border(w) && !o->twins && ends_batch(o, piece))
        emit(w, TRAIN_ORDER_START, TRAIN_GRADIENT, border_of(w), piece);
}

static void improve(const struct walk *w, size_t piece)
{
    const struct train_order *o = w->order;
    size_t batch = piece / o->each;
    if (o->twins && batch + 1 > o->slots)
        versions(w, TRAIN_ORDER_FINISH, batch + 1 - o->slots);
    for (int l = border_of(w) - 1; l >= first_of(w); l--) {
        emit(w, TRAIN_ORDER_NEXT, TRAIN_GRADIENT, l, batch);
        carry_out(w, TRAIN_GRADIENT, l, piece);
        emit(w, TRAIN_ORDER_STEP, TRAIN_GRADIENT, l, batch);
    }
}

/* Reads the data of a batch that R(g) gets from its twin. */
static void recall(const struct walk *w, size_t piece)
{
    copies(w, TRAIN_ORDER_FINISH, piece);
    if (!w->stage)
        emit(w, TRAIN_ORDER_READ, TRAIN_BACK, 0, piece);
    if (has_border(w))
        emit(w, TRAIN_ORDER_START, TRAIN_GRADIENT, border_of(w), piece);
    else
        emit(w, TRAIN_ORDER_JUDGE, TRAIN_BACK, border_of(w) - 1, piece);
}

static void hand_over(const struct walk *w, size_t piece)
{
    if (has_border(w))
        emit(w, TRAIN_ORDER_FINISH, TRAIN_GRADIENT, border_of(w), piece);
    if (piece + w->order->slots < w->order->pieces)
        copies(w, TRAIN_ORDER_START, piece + w->order->slots);
    versions(w, TRAIN_ORDER_START, piece + 1);
}

static void back(const struct walk *w, size_t piece)
{
    if (w->back)
        recall(w, piece);
    if (has_border(w))
        carry_out(w, TRAIN_BACK, border_of(w), piece);
    for (int l = border_of(w) - 1; l >= first_of(w) && l > 1; l--)
        carry_out(w, TRAIN_BACK, l, piece);
    if (ends_batch(w->order, piece))
        improve(w, piece);
    if (w->back)
        hand_over(w, piece);
}

/* True if a piece may go forward while another one is the next to go back. In 2bw it sees the
 * weights after the last batch but one, so that one must be over. */
static bool may_follow(const struct walk *w, size_t last, size_t next)
{
    const struct train_order *o = w->order;
    size_t between = next / o->each - last / o->each;
    if (o->delay == TRAIN_SYNC)
        return between == 0;
    return next - last < (size_t)(o->stages - w->stage) && (o->delay != TRAIN_2BW || between < 2);
}

/* Alternates one piece forward and one back, after as many forward as there are later stages. In
 * sync all pieces of a batch go forward first, because all see the same weights. */
static void alternate(const struct walk *w)
{
    const struct train_order *o = w->order;
    size_t ahead = 0;
    for (size_t done = 0; done < o->pieces; done++) {
        for (; ahead < o->pieces && may_follow(w, done, ahead); ahead++)
            forward(w, ahead);
        back(w, done);
    }
}

void train_order_walk(const struct train_order *o, int group, train_order_do *act, void *context)
{
    struct walk w = {o, group % o->stages, group >= o->stages, act, context};
    if (!o->twins) {
        alternate(&w);
        return;
    }
    size_t first = o->slots < batches_of(o) ? o->slots : batches_of(o);
    for (size_t i = 0; i < first; i++)
        if (w.back)
            copies(&w, TRAIN_ORDER_START, i);
        else
            versions(&w, TRAIN_ORDER_START, i + 1);
    for (size_t i = 0; i < o->pieces; i++)
        (w.back ? back : forward)(&w, i);
    if (!w.back)
        emit(&w, TRAIN_ORDER_TAKE, TRAIN_VERSION, 0, batches_of(o));
}

void train_order_take(const struct train_order *o, int stage, size_t taken, size_t version,
                      train_order_do *act, void *context)
{
    const struct walk w = {o, stage, false, act, context};
    for (size_t v = taken + 1; v <= version; v++)
        for (int l = first_of(&w); l < border_of(&w); l++) {
            emit(&w, TRAIN_ORDER_FINISH, TRAIN_VERSION, l, v);
            if (v == version)
                emit(&w, TRAIN_ORDER_KEEP, TRAIN_VERSION, l, v);
            if (v + o->slots <= batches_of(o))
                emit(&w, TRAIN_ORDER_START, TRAIN_VERSION, l, v + o->slots);
        }
}

int train_order_versions(const struct train_order *o)
{
    return (int)(o->slots / o->each);
}

int train_order_error_slot(const struct train_order *o, int slot)
{
    return slot % (int)o->each;
}

int train_order_sum_slot(const struct train_order *o, int slot)
{
    return o->twins ? slot : 0;
}

int train_order_first_slot(const struct train_order *o, int slot)
{
    return slot / (int)o->each * (int)o->each;
}

/* At the beginning of a stretch all versions are equal. Newest: the versions after the first are
 * for the way forward. */
int train_order_weight_slot(const struct train_order *o, int stage, int slot)
{
    int versions = train_order_versions(o);
    int behind = o->newest ? 0 : (int)behind_of(o, stage);
    return (slot / (int)o->each + versions - behind) % versions;
}
