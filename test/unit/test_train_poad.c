/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol of training with twins is proved as a schedule (lab/train/prove_twins.h), for 1 to 8
 * stages, any bound on how far forward weights are behind, and any number of batches. Refuted: a
 * protocol with a slot less, without one of the waits, or of twins on one rank that put errors
 * before they improve. */
#include "lab/train/prove_pipeline.h"
#include "lab/train/prove_twins.h"
#include "unit/unit.h"

enum { STAGES = TRAIN_PROOF_STAGES, BATCHES = 40 };

static char fault[256];

TEST(proofs)
{
    for (int stages = 1; stages <= STAGES; stages++) {
        size_t count = 0;
        if (!train_prove_poad(stages, &count, fault, sizeof fault))
            fail_msg("%s", fault);
        assert_true(count > 100);
    }
}

TEST(stashed)
{
    for (int stages = 1; stages <= STAGES; stages++) {
        size_t count = 0;
        if (!train_prove_stashed_twins(stages, &count, fault, sizeof fault))
            fail_msg("%s", fault);
        assert_true(count > 40);
        /* The assumptions of the sequential training in test_train_stages.c. */
        struct train_poad poad = {stages, train_poad_stashed(stages), BATCHES, false, true, false};
        for (int g = 0; g < stages; g++)
            assert_int_equal(train_poad_behind_in(&poad, g), 2 * (stages - 1 - g) + 1);
    }
}

static bool prove(struct train_poad poad, struct train_twins_flaw flaw)
{
    return train_prove_twins(&poad, &flaw, fault, sizeof fault);
}

static void check_broken(struct train_poad poad)
{
    assert_false(prove(poad, (struct train_twins_flaw){.slot_less = true}));
    for (int ring = 0; ring < train_poad_rings(&poad); ring++) {
        bool used = ring != TRAIN_STASH && ring != TRAIN_SOURCES &&
                    (poad.stages > 1 || (ring != TRAIN_INPUTS && ring != TRAIN_ERRORS));
        struct train_twins_flaw flaw = {.no_waits = true, .ring = (enum train_ring)ring};
        assert_int_equal(prove(poad, flaw), !used);
    }
}

/* Versions need their slots, and with several stages all rings do; no wait can be left out. */
TEST(broken)
{
    for (int stages = 1; stages <= STAGES; stages++)
        for (size_t behind = 1; behind < 8; behind++) {
            struct train_poad poad = {stages, behind, BATCHES, false, false, false};
            if (behind == train_poad_stashed(stages)) {
                struct train_poad same = {stages, behind, BATCHES, false, true, false};
                check_broken(same);
            }
            check_broken(poad);
            poad.last = true;
            check_broken(poad);
        }
}

TEST(errors_first)
{
    for (int stages = 2; stages <= STAGES; stages++)
        for (size_t behind = 0; behind + 1 < (size_t)stages; behind++) {
            struct train_poad poad = {stages, behind, BATCHES, true, false, false};
            assert_false(prove(poad, (struct train_twins_flaw){.turned = true}));
            assert_non_null(strstr(fault, "puts to element"));
            assert_non_null(strstr(fault, "does not know that an earlier access is over"));
        }
}

TEST(turns)
{
    for (int stages = 1; stages <= STAGES; stages++)
        for (size_t batches = 1; batches < 12; batches++)
            for (int rank = 0; rank < stages; rank++) {
                struct train_poad poad = {stages, 4, batches, true, false, false};
                size_t next[2] = {0, 0};
                struct train_poad_turn turn;
                for (size_t i = 0; train_poad_turn(&poad, rank, i, &turn); i++) {
                    assert_int_equal(turn.batch, next[turn.back]++);
                    assert_true(next[0] >= next[1] && next[0] - next[1] <= poad.behind + 1);
                }
                assert_true(next[0] == batches && next[1] == batches);
            }
}
