/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of stages on groups of ranks, as a protocol: the products that a group starts and waits
 * for, the times at which it takes versions of the weights, and its copies to its twin. A pure
 * function; the ranks follow it (train/mpi/groups.c).
 *
 * Both groups start a product of two groups. A group continues at once. It waits for the product
 * before it uses the result, or overwrites an operand. Stage g works forward on up to stages - g
 * pieces before it works back on the first of them, then on one each in turn, as in pipeline.h.
 *
 * With twins apart, F(g) works forward and R(g), group stages + g, works back, by the protocol of
 * poad.h. Batch t sees forward a version v >= t - behind, of which F(g) has a ring of slots;
 * stashed, it sees version t - d(g), forward and back. A rank of F(g) and its twin, at the same
 * place of their grids, have the same blocks. They copy these blocks to each other: outputs to
 * R(g), versions to F(g). Both ends start a copy. The receiving one starts it as soon as the slot
 * is free, so that the other never waits for it. R(g) begins batch t + 1 when the next stage has
 * finished with its inputs of batch t, which lie in R(g). */
#pragma once

#include "train/pipeline.h"

struct train_order {
    enum train_delay delay;
    bool twins, newest; /* apart; newest: forward weights are the newest version there is */
    int stages;
    const int *first;    /* layers of stage g: from first[g] to first[g + 1] - 1 */
    size_t pieces, each; /* of the stretch, and of a batch; the last batch may have fewer */
    size_t slots;        /* pieces in flight; with twins also of versions */
    size_t behind;       /* twins, newest: versions by which forward weights may be behind */
};

/* Products and copies that are started and waited for. */
enum train_order_what {
    TRAIN_FORWARD,               /* product: the outputs of layer l */
    TRAIN_BACK,                  /* product: the errors of layer l - 1 */
    TRAIN_GRADIENT,              /* product of layer l, of a batch */
    TRAIN_PRODUCTS,              /* copies follow */
    TRAIN_COPY = TRAIN_PRODUCTS, /* of layer l's outputs, to the twin; of the last layer its sums */
    TRAIN_VERSION,               /* of layer l's weights, to the twin; `number` is the version */
    TRAIN_ORDER_WHATS
};

enum train_order_kind {
    TRAIN_ORDER_START,  /* this group's part of it */
    TRAIN_ORDER_FINISH, /* this group's part of it, if it was started */
    TRAIN_ORDER_READ,   /* the piece's samples */
    TRAIN_ORDER_JUDGE,  /* losses and errors of the piece */
    TRAIN_ORDER_TAKE,   /* the version that batch `number` sees; after the last batch, the last
                           version. Its acts: train_order_take */
    TRAIN_ORDER_KEEP,   /* layer l: from now on batches see the version that has arrived */
    TRAIN_ORDER_NEXT,   /* layer l: begin of the version after batch `number` */
    TRAIN_ORDER_STEP    /* its end, when the gradient is there */
};

struct train_order_act {
    enum train_order_kind kind;
    enum train_order_what what;
    int layer;
    size_t number; /* the piece, the batch, or the version */
};

typedef void train_order_do(void *context, const struct train_order_act *act);

/* All acts of a group in a stretch, in their order. At its end the group waits for everything that
 * it has started. Groups are numbered: first the stages, then their twins. */
void train_order_walk(const struct train_order *order, int group, train_order_do *act,
                      void *context);

int train_order_groups(const struct train_order *order);
/* The version that a batch sees in a stage; newest: or a newer one. After the last batch: the last
 * version. */
size_t train_order_oldest(const struct train_order *order, int stage, size_t batch);

/* The acts by which F(g) takes a version after version `taken` (0: none). It waits for those in
 * between too, because it starts to receive later versions into their slots. */
void train_order_take(const struct train_order *order, int stage, size_t taken, size_t version,
                      train_order_do *act, void *context);

/* The slot of a piece is its number modulo `slots`. These give, for that slot: the slot of the
 * piece's errors, of which there are as many as a batch has pieces; of the last layer's sums; of
 * the first piece of its batch, which has the gradient; and of the weights with which it goes
 * back. */
int train_order_versions(const struct train_order *order);
int train_order_error_slot(const struct train_order *order, int slot);
int train_order_sum_slot(const struct train_order *order, int slot);
int train_order_first_slot(const struct train_order *order, int slot);
int train_order_weight_slot(const struct train_order *order, int stage, int slot);
