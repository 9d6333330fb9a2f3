/* Pipelines of 1 to 8 stages are proved in every mode (lab/verify/prove_steps.h): nobody waits for
 * ever; no slot, credit or version is touched while it is in use; and the weights at the end are,
 * term by term, those of a sequential training in which every piece sees the version that its mode
 * promises. Schedules that are broken are not proved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"
#include "train/pipeline.h"
#include "train/pipeline_kernels.h"
#include "unit/train.h"

enum { MOST = 8, WIDTH = 1, MOST_VERSIONS = 64, MOST_PIECES = 64 };

/* A sequential training in expressions: of networks with layers of one neuron, so that each layer
 * has a weight and a bias, and pieces of one sample. */
struct simulator {
    const struct train_pipeline *pipeline;
    const struct train_stage_places *places;
    const struct summand__schedule *schedules;
    struct summand__expressions *pool;
    /* What cells hold: of version v, layer l, weight or bias. */
    uint32_t weight[MOST_VERSIONS][MOST + 1][2];
    uint32_t one; /* behind outputs: of each layer and slot what was there */
};

static uint32_t held(const struct simulator *s, uint32_t expression)
{
    return summand__held(s->pool, expression, 0);
}

static int stage_of(const struct train_pipeline *p, int l)
{
    int g = 0;
    while (p->first[g + 1] <= l)
        g++;
    return g;
}

static size_t weight_at(const struct train_pipeline *p, int l, int row)
{
    size_t at = 0;
    for (int k = p->first[stage_of(p, l)]; k < l; k++)
        at += (p->shape->widths[k - 1] + 1) * train_ld(p->shape->widths[k]);
    return at + (size_t)row * train_ld(p->shape->widths[l]);
}

static uint32_t input(const struct simulator *s, int g, uint32_t place, size_t i)
{
    return summand__input_operand(s->pool, &s->schedules[g], g, place, i);
}

/* The 1 behind the output of layer l: layers and slots lie one behind the other. */
static uint32_t one_behind(const struct simulator *s, int l, size_t piece)
{
    const struct train_pipeline *p = s->pipeline;
    int g = l ? stage_of(p, l) : 0;
    size_t within = (size_t)(l - p->first[g]) + (g == 0);
    size_t slots = s->places[g].slots, row = within * slots + piece % slots;
    return input(s, g, s->places[g].x, row * TRAIN_LINE + WIDTH);
}

static uint32_t chain_of(const struct simulator *s, enum train_product_kind kind,
                         const uint32_t (*pairs)[2], int n)
{
    const struct summand__kernel *kernel = train_kernel_product(s->pipeline->arithmetic, kind);
    uint32_t chain = summand__chain_zero(s->pool);
    for (int k = 0; k < n; k++)
        chain =
            summand__link(s->pool, chain, summand__term(s->pool, kernel, pairs[k][0], pairs[k][1]));
    return chain;
}

static uint32_t mapped(const struct simulator *s, const struct summand__kernel *kernel,
                       uint32_t from, uint32_t with)
{
    return held(s, summand__term(s->pool, kernel, from, with));
}

/* What the loss's kernels make of a row of one. */
static uint32_t rowed(const struct simulator *s, const struct summand__kernel *kernel,
                      uint32_t from, uint32_t with)
{
    return held(s, summand__link(s->pool, summand__chain_zero(s->pool),
                                 summand__term(s->pool, kernel, from, with)));
}

struct gone {
    uint32_t x[MOST + 1], d[MOST + 1];
};

/* A piece forward and back with the weights of a version for each layer. */
static void pass(const struct simulator *s, size_t piece, const size_t *version, struct gone *gone)
{
    const struct train_pipeline *p = s->pipeline;
    const struct train_shape *shape = p->shape;
    int last = p->stages - 1;
    uint32_t none = summand__symbol(s->pool, 0); /* where a kernel has one operand */
    gone->x[0] = mapped(s, &train_kernel_take, input(s, 0, s->places[0].samples, piece), none);
    for (int l = 1; l <= shape->layers; l++) {
        const uint32_t *w = s->weight[version[l]][l];
        const uint32_t pairs[][2] = {{gone->x[l - 1], w[0]}, {one_behind(s, l - 1, piece), w[1]}};
        uint32_t z = held(s, chain_of(s, TRAIN_FORWARD, pairs, 2));
        gone->x[l] = l < shape->layers
                         ? mapped(s, train_kernel_apply(shape->hidden), z, none)
                         : rowed(s, train_kernel_outputs(shape->loss, shape->last), z, none);
    }
    gone->d[shape->layers] = mapped(s, &train_kernel_off, gone->x[shape->layers],
                                    input(s, last, s->places[last].targets, piece));
    for (int l = shape->layers; l > 1; l--) {
        const uint32_t pairs[][2] = {{gone->d[l], s->weight[version[l]][l][0]}};
        gone->d[l - 1] = mapped(s, train_kernel_derive(shape->hidden), gone->x[l - 1],
                                held(s, chain_of(s, TRAIN_BACK, pairs, 1)));
    }
}

/* The version that a batch sees in a layer, by the definition of each mode. */
static size_t promised(const struct train_pipeline *p, size_t batch, int l)
{
    size_t behind = p->delay == TRAIN_SYNC  ? 0
                    : p->delay == TRAIN_2BW ? 1
                                            : (size_t)(p->stages - 1 - stage_of(p, l));
    return batch > behind ? batch - behind : 0;
}

/* What an update by one operand makes of an element. */
static uint32_t updated_by(const struct simulator *s, const struct summand__kernel *kernel,
                           uint32_t old, uint32_t from)
{
    uint32_t none = summand__symbol(s->pool, 0);
    return held(s, summand__updated(s->pool, old,
                                    summand__link(s->pool, summand__chain_zero(s->pool),
                                                  summand__term(s->pool, kernel, from, none))));
}

/* A weight, or with momentum a velocity, and the gradients of a batch. */
static uint32_t with_gradient(const struct simulator *s, uint32_t old, int l, int row, size_t first,
                              size_t count, const struct gone *gone)
{
    const struct summand__kernel *kernel =
        train_kernel_product(s->pipeline->arithmetic, TRAIN_GRADIENT);
    uint32_t chain = summand__chain_zero(s->pool);
    for (size_t k = 0; k < count; k++)
        chain = summand__link(
            s->pool, chain,
            summand__term(s->pool, kernel, row ? one_behind(s, l - 1, first + k) : gone[k].x[l - 1],
                          gone[k].d[l]));
    return held(s, summand__updated(s->pool, old, chain));
}

/* The next version of a weight; biases do not decay. */
static uint32_t improved(const struct simulator *s, uint32_t old, uint32_t *velocity, int l,
                         int row, size_t first, size_t count, const struct gone *gone)
{
    const struct train_pipeline *p = s->pipeline;
    bool decays = p->decay != 0 && !row;
    uint32_t none = summand__symbol(s->pool, 0);
    if (p->momentum == 0)
        return with_gradient(s, decays ? mapped(s, &train_kernel_decay, old, none) : old, l, row,
                             first, count, gone);
    *velocity = with_gradient(s, *velocity, l, row, first, count, gone);
    if (decays)
        *velocity = updated_by(s, &train_kernel_pull, *velocity, old);
    return updated_by(s, &train_kernel_step, old, *velocity);
}

static void simulate(struct simulator *s)
{
    const struct train_pipeline *p = s->pipeline;
    int layers = p->shape->layers;
    size_t versions = 0;
    uint32_t velocity[MOST + 1][2];
    for (int l = 1; l <= layers; l++)
        for (int row = 0; row < 2; row++) {
            int g = stage_of(p, l);
            s->weight[0][l][row] = input(s, g, s->places[g].weights, weight_at(p, l, row));
            velocity[l][row] =
                p->momentum == 0 ? 0 : input(s, g, s->places[g].velocity, weight_at(p, l, row));
        }
    for (size_t first = 0; first < p->samples; first += p->batch, versions++) {
        size_t count = p->samples - first < p->batch ? p->samples - first : p->batch;
        size_t version[MOST + 1];
        struct gone gone[MOST_PIECES];
        for (int l = 1; l <= layers; l++)
            version[l] = promised(p, versions, l);
        for (size_t k = 0; k < count; k++)
            pass(s, first + k, version, &gone[k]);
        for (int l = 1; l <= layers; l++)
            for (int row = 0; row < 2; row++)
                s->weight[versions + 1][l][row] = improved(
                    s, s->weight[versions][l][row], &velocity[l][row], l, row, first, count, gone);
    }
    for (int l = 1; l <= layers; l++)
        memcpy(s->weight[0][l], s->weight[versions][l], sizeof s->weight[0][l]);
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    struct simulator *s = (struct simulator *)(uintptr_t)context;
    const struct train_pipeline *p = s->pipeline;
    if (place != s->places[rank].weights)
        return SUMMAND__UNDEFINED;
    s->pool = pool;
    simulate(s);
    for (int l = p->first[rank]; l < p->first[rank + 1]; l++)
        for (int row = 0; row < 2; row++)
            if (i == weight_at(p, l, row))
                return s->weight[0][l][row];
    return SUMMAND__UNDEFINED;
}

static void make(const struct train_pipeline *p, struct summand__schedule *schedules,
                 struct train_stage_places *places)
{
    for (int g = 0; g < p->stages; g++) {
        summand__schedule_init(&schedules[g]);
        train_pipeline_build(p, g, &schedules[g], &places[g]);
        assert_false(schedules[g].failed);
    }
}

static bool prove(const struct train_pipeline *p, const struct summand__schedule *schedules,
                  const struct train_stage_places *places, struct summand__steps_proof *proof)
{
    static struct simulator simulator;
    simulator = (struct simulator){p, places, schedules, NULL, {{{0}}}, 0};
    *proof = (struct summand__steps_proof){.ranks = p->stages,
                                           .schedules = schedules,
                                           .expected = expected,
                                           .context = &simulator,
                                           .most_starts = 8};
    return summand__prove_steps(proof);
}

static struct train_shape shape_of(int layers)
{
    size_t widths[MOST + 1];
    for (int l = 0; l <= layers; l++)
        widths[l] = WIDTH;
    return train_test_shape("relu", "linear", "cross-entropy", layers, widths);
}

static struct train_pipeline pipeline_of(const struct train_shape *shape, enum train_delay delay,
                                         int stages, size_t samples, size_t batch)
{
    struct train_pipeline p = {.shape = shape,
                               .arithmetic = train_arithmetics[0],
                               .bytes = true,
                               .delay = delay,
                               .samples = samples,
                               .batch = batch,
                               .piece = 1,
                               .rate = 0.1};
    assert_true(train_pipeline_cut(&p, stages));
    return p;
}

static void check(const struct train_pipeline *p)
{
    struct summand__schedule schedules[MOST];
    struct train_stage_places places[MOST];
    struct summand__steps_proof proof;
    make(p, schedules, places);
    if (!prove(p, schedules, places, &proof))
        fail_msg("mode %d, %d stages, %zu samples in batches of %zu: %s", (int)p->delay, p->stages,
                 p->samples, p->batch, proof.fault);
    for (int g = 0; g < p->stages; g++)
        summand__schedule_free(&schedules[g]);
}

static void proofs(void **nothing)
{
    (void)nothing;
    for (int stages = 1; stages <= MOST; stages++)
        for (int layers = stages; layers <= MOST && layers <= stages + 1; layers++) {
            struct train_shape shape = shape_of(layers);
            for (size_t batches = 1; batches < 2 * (size_t)stages + 3; batches++) {
                struct train_pipeline p = pipeline_of(&shape, TRAIN_STASHED, stages, batches, 1);
                check(&p);
            }
            for (size_t pieces = 2; pieces < 7; pieces += 2)
                for (size_t samples = 1; samples < 14; samples += 3) {
                    struct train_pipeline p =
                        pipeline_of(&shape, TRAIN_SYNC, stages, samples, pieces);
                    check(&p);
                }
            for (size_t samples = 1; samples < 4 * (size_t)stages; samples += 3) {
                struct train_pipeline p = pipeline_of(&shape, TRAIN_2BW, stages, samples,
                                                      (size_t)(stages > 1 ? stages : 2));
                check(&p);
            }
        }
}

/* Momentum and decay, each and both. */
static void steps(void **nothing)
{
    (void)nothing;
    for (int stages = 1; stages <= MOST; stages += 1 + stages / 3)
        for (int delay = TRAIN_SYNC; delay <= TRAIN_2BW; delay++)
            for (int which = 1; which < 4; which++) {
                struct train_shape shape = shape_of(stages);
                size_t batch = delay == TRAIN_STASHED ? 1 : (size_t)stages;
                struct train_pipeline p =
                    pipeline_of(&shape, (enum train_delay)delay, stages, 5 * batch, batch);
                p.momentum = which & 1 ? 0.5 : 0;
                p.decay = which & 2 ? 0.01 : 0;
                check(&p);
            }
}

static bool is_credit(const struct summand__step *step)
{
    return step->action == SUMMAND__WAIT_COUNTER && step->what >= 2;
}

/* Takes out one step, or all waits for a counter of credits; true if the proof does not miss them.
 */
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
    bool good = prove(p, schedules, places, &proof);
    memcpy(schedule->steps, kept, n * sizeof *kept);
    free(kept);
    return good;
}

/* No step can be left out: no notification, put, computation, wait for data. (A wait for a credit
 * may be: others imply it. Those of a counter may not, in all of them.) */
static void broken(void **nothing)
{
    (void)nothing;
    struct train_shape shape = shape_of(3);
    size_t credits[2] = {0, 0}, tried = 0;
    for (int delay = TRAIN_SYNC; delay <= TRAIN_2BW; delay++)
        for (size_t batches = 2; batches < 8; batches += 5) {
            size_t batch = delay == TRAIN_STASHED ? 1 : 3;
            struct train_pipeline p =
                pipeline_of(&shape, (enum train_delay)delay, 3, batches * batch, batch);
            struct summand__schedule schedules[MOST];
            struct train_stage_places places[MOST];
            struct summand__steps_proof whole;
            make(&p, schedules, places);
            assert_true(prove(&p, schedules, places, &whole));
            bool seen[MOST][2] = {{false}};
            for (int g = 0; g < p.stages; g++)
                for (size_t i = 0; i < schedules[g].length; i++) {
                    const struct summand__step *step = &schedules[g].steps[i];
                    bool scores = step->action == SUMMAND__COMPUTE &&
                                  schedules[g].tables->computations[step->what].kernel ==
                                      train_kernel_score(shape.loss);
                    if (scores || step->action == SUMMAND__ROUND || i % 2 != batches % 2 ||
                        (is_credit(step) && seen[g][step->what - 2]))
                        continue; /* scores are looked at by nobody here */
                    bool without = goes_without(&p, schedules, places, g, i);
                    tried++;
                    if (is_credit(step)) {
                        seen[g][step->what - 2] = true;
                        credits[step->what - 2] += !without;
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

static void cuts(void **nothing)
{
    (void)nothing;
    static const size_t widths[] = {784, 512, 512, 10};
    struct train_shape shape = train_test_shape("relu", "linear", "cross-entropy", 3, widths);
    struct train_pipeline p = {.shape = &shape};
    assert_true(train_pipeline_cut(&p, 2));
    assert_int_equal(p.first[1], 2); /* 803840 and 803322 multiply-adds of a sample */
    assert_int_equal(p.first[2], 4);
    assert_true(train_pipeline_cut(&p, 3));
    assert_int_equal(p.first[2], 3);
    assert_true(train_pipeline_cut(&p, 1));
    assert_int_equal(p.first[1], 4);
    assert_false(train_pipeline_cut(&p, 4));
    assert_false(train_pipeline_cut(&p, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts), cmocka_unit_test(proofs),
                                       cmocka_unit_test(steps), cmocka_unit_test(broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
