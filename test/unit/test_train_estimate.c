/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimate of training in stages, against the simulation of the pipeline's schedules on a
 * machine (play/predict.h): within 20 % for 1 to 16 stages of equal and unequal layers.
 * Also the estimate of stages and twins, groups as text, dealt indices, and suggestions that are
 * the best of all stages. */
#include <math.h>

#include "play/predict.h"
#include "train/estimate.h"
#include "train/poad.h"
#include "unit/train.h"
#include "unit/unit.h"

static struct summand__net_shape shape_of(int layers, size_t width, size_t other)
{
    struct summand__net_shape shape =
        train_test_shape("relu", "linear", "cross-entropy", 0, &width);
    shape.layers = layers;
    for (int l = 0; l <= layers; l++)
        shape.widths[l] = l % 3 == 2 ? other : width;
    return shape;
}

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    struct train_stage_places places;
    summand__schedule_init(schedule);
    train_pipeline_build(context, rank, schedule, &places);
    return !schedule->failed;
}

static double played(const struct train_pipeline *p, const struct summand__model *model)
{
    struct summand__predict play = {
        .ranks = p->stages, .element = sizeof(float), .model = model, .build = build, .context = p};
    if (!summand__predict(&play))
        fail_msg("%s", play.fault);
    double time = play.time;
    summand__predict_free(&play);
    return time;
}

TEST(against_play)
{
    struct summand__model model = {.per_node = 1, .eager = 1e18, .flop = 1e-10};
    for (int reach = 0; reach < SUMMAND__REACHES; reach++)
        model.level[reach] =
            (struct summand__level){.latency = 2e-6, .send = 1e-6, .recv = 1e-6, .byte = 1e-10};
    const struct train_machine machine = {model.flop, 4e-6, 1e-10};
    for (int stages = 1; stages <= 16; stages *= 2)
        for (int delay = TRAIN_SYNC; delay <= TRAIN_LAST; delay++)
            for (size_t other = 512; other >= 256; other /= 2) {
                struct summand__net_shape shape = shape_of(16, 512, other);
                struct train_pipeline p = {
                    .shape = &shape,
                    .arithmetic = summand__net_arithmetics[0],
                    .delay = (enum train_delay)delay,
                    .samples = 128 * 24,
                    .batch = 128,
                    .piece = train_pipeline_whole((enum train_delay)delay) ? 128 : 32};
                if (delay == TRAIN_2BW && stages > 4)
                    continue; /* it has at least as many pieces as stages */
                struct train_grids grids = {.count = stages, .ranks = stages};
                for (int g = 0; g < stages; g++)
                    grids.of[g] = (struct train_grid){1, 1, g};
                assert_true(train_pipeline_cut(&p, stages));
                struct train_estimate e = train_estimate(&p, &grids, &machine);
                double time = played(&p, &model), ratio = e.epoch / time;
                if (!(ratio > 0.8 && ratio < 1.2))
                    fail_msg("%d stages, mode %d, widths 512 and %zu: estimated %g, played %g",
                             stages, delay, other, e.epoch, time);
                assert_true(e.efficiency > 0 && e.efficiency <= 1);
            }
}

enum { BATCHES = 40 };

/* When the last of some batches is finished, by the protocol (train/poad.h). F(g) starts batch t
 * after F(g - 1) has finished it, and its keeper, R(g) or (last) R(0), batch t - behind - 1. R(g)
 * starts it after F(g) and R(g + 1). */
static double played_twins(const struct train_estimate *e, int stages, bool last)
{
    static double forth[TRAIN_STAGES_MOST][BATCHES], back[TRAIN_STAGES_MOST][BATCHES];
    int behind = 2 * stages - 1;
    for (int t = 0; t < BATCHES; t++) {
        for (int g = 0; g < stages; g++) {
            double at = t ? forth[g][t - 1] : 0;
            if (g && forth[g - 1][t] > at)
                at = forth[g - 1][t];
            if (t > behind && back[last ? 0 : g][t - behind - 1] > at)
                at = back[last ? 0 : g][t - behind - 1];
            forth[g][t] = at + e->busy[g];
        }
        for (int g = stages - 1; g >= 0; g--) {
            double at = t && back[g][t - 1] > forth[g][t] ? back[g][t - 1] : forth[g][t];
            if (g + 1 < stages && back[g + 1][t] > at)
                at = back[g + 1][t];
            back[g][t] = at + e->busy[stages + g];
        }
    }
    return back[0][BATCHES - 1];
}

/* With twins, each half does a part of the work of a stage alone, plus copies; the slowest half
 * sets the pace. */
static void check_twins(enum train_delay delay, int stages, int columns)
{
    const struct train_machine machine = {1e-10, 4e-6, 1e-10}, plain = {1e-10, 0, 0};
    struct summand__net_shape shape = shape_of(16, 512, 256);
    struct train_pipeline p = {
        .shape = &shape, .delay = delay, .samples = 64 * BATCHES, .batch = 64, .twins = true};
    struct train_grids grids = {.count = stages, .ranks = stages * columns};
    for (int g = 0; g < stages; g++)
        grids.of[g] = (struct train_grid){1, columns, g * columns};
    assert_true(train_pipeline_cut(&p, stages));
    struct train_estimate parts = train_estimate(&p, &grids, &plain);
    struct train_estimate e = train_estimate(&p, &grids, &machine);
    p.twins = false;
    struct train_estimate whole = train_estimate(&p, &grids, &plain);
    for (int g = 0; g < stages; g++)
        assert_true(fabs((parts.busy[g] + parts.busy[stages + g]) / whole.busy[g] - 1) < 1e-9);
    assert_true(parts.epoch < whole.epoch && parts.slowest >= stages);
    double time = played_twins(&e, stages, delay == TRAIN_LAST), ratio = e.epoch / time;
    if (!(ratio > 0.9 && ratio < 1.1))
        fail_msg("%d stages and twins, mode %d: estimated %g, played %g", stages, delay, e.epoch,
                 time);
    assert_true(e.epoch > parts.epoch && e.efficiency > 0 && e.efficiency <= 1);
}

TEST(twins)
{
    for (int stages = 1; stages <= 16; stages *= 2) {
        check_twins(TRAIN_STASHED, stages, 1);
        check_twins(TRAIN_STASHED, stages, 2);
        check_twins(TRAIN_LAST, stages, 1);
    }
}

/* The weights that the twin of stage 0 puts are those of the protocol's puts, with 1 s a byte. */
TEST(versions)
{
    const struct train_machine machine = {0, 0, 1};
    struct summand__net_shape shape = shape_of(16, 512, 256);
    for (int stages = 1; stages <= 16; stages++) {
        struct train_pipeline p = {
            .shape = &shape, .delay = TRAIN_LAST, .samples = 64, .batch = 64, .twins = true};
        struct train_grids grids = {.count = stages, .ranks = stages};
        for (int g = 0; g < stages; g++)
            grids.of[g] = (struct train_grid){1, 1, g};
        assert_true(train_pipeline_cut(&p, stages));
        struct train_poad poad = {.stages = stages, .behind = 1, .batches = 1, .last = true};
        struct train_poad_turn turn;
        double bytes = 0;
        assert_true(train_poad_turn(&poad, train_poad_twin(&poad, 0), 0, &turn));
        for (int i = 0; i < turn.afters; i++) {
            int g = train_poad_stage(&poad, turn.after[i].peer);
            for (int l = p.first[g]; turn.after[i].kind == TRAIN_PUT && l < p.first[g + 1]; l++)
                bytes += 4.0 * (double)(shape.widths[l] * (shape.widths[l - 1] + 1));
        }
        double moved = train_estimate(&p, &grids, &machine).moved[stages];
        assert_true(fabs(moved / bytes - 1) < 1e-9);
    }
}

/* Replicas: one replica is a stage alone; if moving data costs nothing, each does its share. They
 * pay off if one layer has nearly all work; stages pay off if layers balance. */
TEST(replicas)
{
    static const size_t small[] = {784, 128, 10}, large[] = {784, 512, 512, 10};
    const struct train_machine machine = {1e-11, 1e-6, 2e-10}, plain = {1e-11, 0, 0};
    for (int layers = 2; layers <= 3; layers++) {
        struct summand__net_shape shape = train_test_shape("relu", "linear", "cross-entropy",
                                                           layers, layers == 2 ? small : large);
        struct train_pipeline p = {
            .shape = &shape, .delay = TRAIN_STASHED, .samples = 60000, .batch = 64};
        struct train_grids grids;
        struct train_estimate e;
        assert_true(train_suggest(&p, 1, &machine, &grids, &e));
        assert_true(fabs(train_estimate_replicas(&p, 1, &machine) / e.epoch - 1) < 1e-9);
        assert_true(fabs(4 * train_estimate_replicas(&p, 4, &plain) / e.epoch - 1) < 1e-9);
        assert_true(train_suggest(&p, 2, &machine, &grids, &e));
        assert_int_equal(train_estimate_replicas(&p, 2, &machine) < e.epoch, layers == 2);
        /* Samples are not cut: with 4 samples, one of 3 ranks has 2; one sample occupies one rank.
         * */
        p.batch = 4;
        double alone = train_estimate_replicas(&p, 1, &plain);
        assert_true(train_estimate_replicas(&p, 3, &plain) > 0.4 * alone);
        p.batch = 1;
        alone = train_estimate_replicas(&p, 1, &plain);
        assert_true(train_estimate_replicas(&p, 4, &plain) > 0.55 * alone);
    }
}

TEST(suggestions)
{
    const struct train_machine machine = {1e-10, 4e-6, 1e-10};
    struct summand__net_shape shape = shape_of(6, 512, 2048);
    struct train_pipeline p = {
        .shape = &shape, .delay = TRAIN_STASHED, .samples = 60000, .batch = 64, .piece = 64};
    for (int ranks = 1; ranks < 40; ranks++) {
        struct train_grids best, one, read;
        struct train_estimate least, e;
        struct summand__net_fault fault = {.text = ""};
        char text[512];
        assert_true(train_suggest(&p, ranks, &machine, &best, &least));
        assert_int_equal(best.ranks, ranks);
        for (int stages = 1; stages <= 6; stages++)
            if (train_suggest_stages(&p, ranks, stages, &machine, &one, &e))
                assert_true(e.epoch >= least.epoch && one.ranks == ranks);
        train_grids_write(&best, text, sizeof text);
        assert_true(train_grids_read(text, &read, &fault));
        assert_memory_equal(&read, &best, sizeof read);
    }
}

/* Without a given piece size, the estimate is that of the size which a training takes. */
TEST(pieces)
{
    static const struct {
        enum train_delay delay;
        int stages;
        size_t batch, piece;
    } cases[] = {{TRAIN_SYNC, 1, 64, 64},    {TRAIN_SYNC, 2, 64, 32},  {TRAIN_SYNC, 2, 512, 64},
                 {TRAIN_SYNC, 4, 512, 32},   {TRAIN_SYNC, 4, 100, 25}, {TRAIN_SYNC, 8, 4096, 128},
                 {TRAIN_2BW, 1, 64, 32},     {TRAIN_2BW, 4, 64, 16},   {TRAIN_2BW, 3, 64, 22},
                 {TRAIN_STASHED, 4, 64, 64}, {TRAIN_SYNC, 3, 1, 1},    {TRAIN_2BW, 8, 3, 1}};
    const struct train_machine machine = {1e-10, 4e-6, 1e-10};
    struct summand__net_shape shape = shape_of(8, 512, 300);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct train_pipeline p = {
            .shape = &shape, .delay = cases[i].delay, .samples = 6000, .batch = cases[i].batch};
        struct train_grids grids = {.count = cases[i].stages, .ranks = cases[i].stages};
        for (int g = 0; g < cases[i].stages; g++)
            grids.of[g] = (struct train_grid){1, 1, g};
        assert_int_equal(train_pipeline_piece(p.delay, cases[i].stages, p.batch), cases[i].piece);
        assert_true(train_pipeline_cut(&p, cases[i].stages));
        double taken = train_estimate(&p, &grids, &machine).epoch;
        p.piece = cases[i].piece;
        assert_true(taken == train_estimate(&p, &grids, &machine).epoch);
    }
}

/* Each index is dealt to one process, in order. */
TEST(deals)
{
    for (size_t extent = 0; extent < 40; extent++)
        for (size_t block = 1; block < 9; block++)
            for (int parts = 1; parts < 5; parts++) {
                bool seen[40] = {false};
                size_t all = 0;
                for (int part = 0; part < parts; part++) {
                    struct train_deal deal = {extent, block, parts, part};
                    for (size_t i = 0; i < train_dealt(&deal); i++, all++) {
                        size_t at = train_dealt_index(&deal, i);
                        assert_true(at < extent && !seen[at] &&
                                    at / block % (size_t)parts == (size_t)part);
                        seen[at] = true;
                    }
                }
                assert_int_equal(all, extent);
            }
}
