/* SPDX-License-Identifier: BSD-3-Clause */
/* A play proves the order of stages on groups of ranks, for 1 to 8 groups, in all modes, with
 * separate twins and without. All groups finish; the data of a product or copy is touched by
 * nothing else; every reader finds the piece and version of the mode's definition. An order with a
 * slot less, or without one of its acts, is refuted. */
#include "lab/train/prove_order.h"
#include "lab/train/prove_pipeline.h"
#include "train/poad.h"
#include "unit/unit.h"

static const struct mode {
    enum train_delay delay;
    bool twins, newest;
} modes[] = {{TRAIN_SYNC, false, false},
             {TRAIN_STASHED, false, false},
             {TRAIN_2BW, false, false},
             {TRAIN_STASHED, true, false},
             {TRAIN_STASHED, true, true}};

enum { MODES = sizeof modes / sizeof *modes };

static char fault[400];

TEST(proofs)
{
    for (int m = 0; m < MODES; m++)
        for (int groups = 1; groups <= TRAIN_PROOF_STAGES; groups++) {
            size_t count = 0;
            if (!train_prove_orders(modes[m].delay, modes[m].twins, modes[m].newest, groups, &count,
                                    fault, sizeof fault))
                fail_msg("%s", fault);
            assert_true(count > 20);
        }
}

/* Three groups, the first with two layers: only one goes back without weights. */
static struct train_order_case some(const struct mode *mode, bool momentum)
{
    static const int first[] = {1, 3, 4, 5};
    struct train_order_case what = {.order = {.delay = mode->delay,
                                              .twins = mode->twins,
                                              .newest = mode->newest,
                                              .stages = 3,
                                              .first = first,
                                              .pieces = 17,
                                              .each = mode->delay == TRAIN_STASHED ? 1 : 3},
                                    .momentum = momentum,
                                    .partial = true};
    struct train_order *o = &what.order;
    o->behind = mode->twins ? train_poad_stashed(3) : 0;
    o->slots = mode->twins ? o->behind + 1 : mode->delay == TRAIN_2BW ? 2 * o->each : 3;
    return what;
}

/* Each version needs its slot, except in poad, which goes back with the newest: it waits more
 * there. */
TEST(slots)
{
    for (int m = 0; m < MODES; m++) {
        struct train_order_case what = some(&modes[m], false);
        const struct train_order_flaw flaw = {.slot_less = true, .group = -1};
        assert_int_equal(train_prove_order(&what, NULL, fault, sizeof fault), TRAIN_ORDER_HOLDS);
        if (what.order.slots > what.order.each) /* sync has no batch but one */
            assert_int_equal(train_prove_order(&what, &flaw, fault, sizeof fault),
                             modes[m].newest ? TRAIN_ORDER_HOLDS : TRAIN_ORDER_BREAKS);
    }
}

/* A finish may be left out if the next start of the same act, or the end, waits for it. Without
 * momentum there is nothing to do behind a gradient. */
TEST(broken)
{
    for (int m = 0; m < MODES; m++)
        for (int momentum = 0; momentum < 2; momentum++) {
            struct train_order_case what = some(&modes[m], momentum);
            size_t refuted = 0, tried = 0;
            for (int g = 0; g < train_order_groups(&what.order); g++)
                for (size_t act = 0;; act++, tried++) {
                    struct train_order_act out = {.number = 0};
                    const struct train_order_flaw flaw = {.group = g, .act = act, .left_out = &out};
                    enum train_order_result result =
                        train_prove_order(&what, &flaw, fault, sizeof fault);
                    if (result == TRAIN_ORDER_UNTRIED)
                        break;
                    refuted += result == TRAIN_ORDER_BREAKS;
                    if (result == TRAIN_ORDER_HOLDS && out.kind != TRAIN_ORDER_FINISH &&
                        (momentum || out.kind != TRAIN_ORDER_STEP))
                        fail_msg(
                            "mode %d, group %d: act %zu, of layer %d, number %zu, is not missed", m,
                            g, act, out.layer, out.number);
                }
            assert_true(tried > 300 && refuted > tried - tried / 8);
        }
}
