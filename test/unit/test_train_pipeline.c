/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipelines of 1 to 8 stages are proved in every mode (lab/verify/prove_steps.h). Nobody waits for
 * ever; no slot, credit or version is touched while in use. The final weights are, term by term,
 * those of a sequential training in which every piece sees the version that its mode promises.
 * Broken schedules are not proved. */
#include "lab/train/prove_pipeline.h"
#include "train/pipeline_kernels.h"
#include "train/pipeline_stage.h"
#include "unit/train.h"
#include "unit/unit.h"

TEST(proofs)
{
    for (int stages = 1; stages <= TRAIN_PROOF_STAGES; stages++)
        for (int delay = TRAIN_SYNC; delay <= TRAIN_LAST; delay++) {
            char fault[400];
            size_t count = 0;
            if (!train_prove_mode((enum train_delay)delay, stages, &count, fault, sizeof fault))
                fail_msg("mode %d: %s", delay, fault);
            assert_true(count >= 4);
        }
}

static bool is_credit(const struct summand__step *step)
{
    return step->action == SUMMAND__WAIT_COUNTER &&
           (step->what == TRAIN_FREE_AHEAD || step->what == TRAIN_FREE_BEHIND);
}

/* Removes one step, or all waits for a counter of credits; returns true if the proof still holds.
 * */
static bool goes_without(const struct train_pipeline *p, struct summand__schedule *schedules,
                         const struct train_stage_places *places, int g, size_t i)
{
    struct summand__schedule *schedule = &schedules[g];
    size_t n = schedule->length;
    struct summand__step *kept = malloc(n * sizeof *kept), out = schedule->steps[i];
    struct summand__steps_proof proof;
    assert_non_null(kept);
    memcpy(kept, schedule->steps, n * sizeof *kept);
    for (size_t k = 0; k < n; k++)
        if (k == i || (is_credit(&out) && is_credit(&kept[k]) && kept[k].what == out.what))
            schedule->steps[k] = (struct summand__step){.action = SUMMAND__ROUND};
    bool good = train_prove_pipeline(p, schedules, places, &proof);
    memcpy(schedule->steps, kept, n * sizeof *kept);
    free(kept);
    return good;
}

/* No step can be left out: no notification, put, computation, or wait for data. (A single wait for
 * a credit may be, because others imply it. All waits of a credit counter together may not.) */
TEST(broken)
{
    struct summand__net_shape shape = train_proof_shape(3);
    size_t credits[2] = {0, 0}, tried = 0;
    for (int delay = TRAIN_SYNC; delay <= TRAIN_LAST; delay++)
        for (size_t batches = 2; batches < 8; batches += 5) {
            size_t batch = train_pipeline_whole((enum train_delay)delay) ? 1 : 3;
            struct train_pipeline p =
                train_proof_pipeline(&shape, (enum train_delay)delay, 3, batches * batch, batch);
            struct summand__schedule schedules[TRAIN_PROOF_STAGES];
            struct train_stage_places places[TRAIN_PROOF_STAGES];
            struct summand__steps_proof whole;
            assert_true(train_proof_make(&p, schedules, places));
            assert_true(train_prove_pipeline(&p, schedules, places, &whole));
            bool seen[TRAIN_PROOF_STAGES][2] = {{false}};
            for (int g = 0; g < p.stages; g++)
                for (size_t i = 0; i < schedules[g].length; i++) {
                    const struct summand__step *step = &schedules[g].steps[i];
                    bool scores = step->action == SUMMAND__COMPUTE &&
                                  schedules[g].tables->computations[step->what].kernel ==
                                      train_kernel_score(shape.loss);
                    if (scores || step->action == SUMMAND__ROUND || i % 2 != batches % 2 ||
                        (is_credit(step) && seen[g][step->what - TRAIN_FREE_AHEAD]))
                        continue; /* nobody here reads scores */
                    bool without = goes_without(&p, schedules, places, g, i);
                    tried++;
                    if (is_credit(step)) {
                        seen[g][step->what - TRAIN_FREE_AHEAD] = true;
                        credits[step->what - TRAIN_FREE_AHEAD] += !without;
                    } else if (without) {
                        fail_msg("mode %d, stage %d: step %zu (%s) is not missed", delay, g, i,
                                 summand__action_name((enum summand__action)step->action));
                    }
                }
            for (int g = 0; g < p.stages; g++)
                summand__schedule_free(&schedules[g]);
        }
    assert_true(tried > 300 && credits[0] && credits[1]);
}

TEST(cuts)
{
    static const size_t widths[] = {784, 512, 512, 10};
    struct summand__net_shape shape =
        train_test_shape("relu", "linear", "cross-entropy", 3, widths);
    struct train_pipeline p = {.shape = &shape};
    assert_true(train_pipeline_cut(&p, 2));
    assert_int_equal(p.first[1], 2); /* 803840 and 803322 multiply-adds per sample */
    assert_int_equal(p.first[2], 4);
    assert_true(train_pipeline_cut(&p, 3));
    assert_int_equal(p.first[2], 3);
    assert_true(train_pipeline_cut(&p, 1));
    assert_int_equal(p.first[1], 4);
    assert_false(train_pipeline_cut(&p, 4));
    assert_false(train_pipeline_cut(&p, 0));
    p.delay = TRAIN_LAST; /* stage 0 computes the gradients of all layers too */
    static const size_t equal[] = {100, 100, 100, 100, 100};
    shape = train_test_shape("relu", "linear", "cross-entropy", 4, equal);
    assert_true(train_pipeline_cut(&p, 2));
    assert_int_equal(p.first[1], 2); /* 5 and 6 products; equal halves would have 7 and 4 */
    assert_true(train_pipeline_cut(&p, 3));
    assert_int_equal(p.first[1], 2); /* 5, then 4 and 2 on the other stages */
}
