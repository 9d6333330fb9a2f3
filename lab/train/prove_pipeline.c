/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/prove_pipeline.h"

#include <stdio.h>
#include <string.h>

#include "lab/verify/meaning.h"
#include "train/pipeline_kernels.h"

enum { VERSIONS = 64, PIECES = 64, STARTS = 8 };

/* A sequential training in expressions. Networks have layers of one neuron, so each layer has a
 * weight and a bias; pieces have one sample. */
struct simulator {
    const struct train_pipeline *pipeline;
    const struct train_stage_places *places;
    const struct summand__schedule *schedules;
    struct summand__expressions *pool;
    /* Contents of cells: of version v, layer l, weight or bias. */
    uint32_t weight[VERSIONS][TRAIN_PROOF_STAGES + 1][2];
    uint32_t one; /* after outputs: the previous content of each layer and slot */
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

/* The stage that improves a layer's weights. */
static int keeper_of(const struct train_pipeline *p, int l)
{
    return train_pipeline_keeper(p, stage_of(p, l));
}

static size_t weight_at(const struct train_pipeline *p, int l, int row)
{
    size_t at = 0;
    for (int k = p->first[keeper_of(p, l)]; k < l; k++)
        at += (p->shape->widths[k - 1] + 1) * summand__net_ld(p->shape->widths[k]);
    return at + (size_t)row * summand__net_ld(p->shape->widths[l]);
}

static uint32_t input(const struct simulator *s, int g, uint32_t place, size_t i)
{
    return summand__input_operand(s->pool, &s->schedules[g], g, place, i);
}

/* The 1 after the output of layer l. Layers lie one after the other, and so do slots within a
 * layer. */
static uint32_t one_behind(const struct simulator *s, int l, size_t piece)
{
    const struct train_pipeline *p = s->pipeline;
    int g = l ? stage_of(p, l) : 0;
    size_t within = (size_t)(l - p->first[g]) + (g == 0);
    size_t slots = s->places[g].slots, row = within * slots + piece % slots;
    return input(s, g, s->places[g].x, row * SUMMAND__NET_LINE + TRAIN_PROOF_WIDTH);
}

static uint32_t chain_of(const struct simulator *s, enum train_product_kind kind,
                         const uint32_t (*pairs)[2], int n)
{
    const struct summand__kernel *kernel = train_kernel_product(s->pipeline->arithmetic, kind);
    uint32_t chain = summand__chain_zero();
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

/* The result of the loss's kernels for a row of one element. */
static uint32_t rowed(const struct simulator *s, const struct summand__kernel *kernel,
                      uint32_t from, uint32_t with)
{
    return held(s, summand__link(s->pool, summand__chain_zero(),
                                 summand__term(s->pool, kernel, from, with)));
}

struct gone {
    uint32_t x[TRAIN_PROOF_STAGES + 1], d[TRAIN_PROOF_STAGES + 1];
};

/* Passes a piece forward and back, with a version of the weights for each layer. */
static void pass(const struct simulator *s, size_t piece, const size_t *version, struct gone *gone)
{
    const struct train_pipeline *p = s->pipeline;
    const struct summand__net_shape *shape = p->shape;
    int last = p->stages - 1;
    uint32_t none = summand__symbol(0); /* for a kernel with one operand */
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
    size_t behind = p->delay == TRAIN_SYNC   ? 0
                    : p->delay == TRAIN_2BW  ? 1
                    : p->delay == TRAIN_LAST ? (size_t)(p->stages - 1)
                                             : (size_t)(p->stages - 1 - stage_of(p, l));
    return batch > behind ? batch - behind : 0;
}

/* An element after an update by one operand. */
static uint32_t updated_by(const struct simulator *s, const struct summand__kernel *kernel,
                           uint32_t old, uint32_t from)
{
    uint32_t none = summand__symbol(0);
    return held(s, summand__updated(s->pool, old,
                                    summand__link(s->pool, summand__chain_zero(),
                                                  summand__term(s->pool, kernel, from, none))));
}

/* A weight, or with momentum a velocity, plus the gradients of a batch. */
static uint32_t with_gradient(const struct simulator *s, uint32_t old, int l, int row, size_t first,
                              size_t count, const struct gone *gone)
{
    const struct summand__kernel *kernel =
        train_kernel_product(s->pipeline->arithmetic, TRAIN_GRADIENT);
    uint32_t chain = summand__chain_zero();
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
    uint32_t none = summand__symbol(0);
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
    uint32_t velocity[TRAIN_PROOF_STAGES + 1][2];
    for (int l = 1; l <= layers; l++)
        for (int row = 0; row < 2; row++) {
            int g = keeper_of(p, l);
            s->weight[0][l][row] = input(s, g, s->places[g].weights, weight_at(p, l, row));
            velocity[l][row] =
                p->momentum == 0 ? 0 : input(s, g, s->places[g].velocity, weight_at(p, l, row));
        }
    for (size_t first = 0; first < p->samples; first += p->batch, versions++) {
        size_t count = p->samples - first < p->batch ? p->samples - first : p->batch;
        size_t version[TRAIN_PROOF_STAGES + 1];
        struct gone gone[PIECES];
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
    for (int l = 1; l <= p->shape->layers; l++)
        for (int row = 0; row < 2; row++)
            if (keeper_of(p, l) == rank && i == weight_at(p, l, row))
                return s->weight[0][l][row];
    return SUMMAND__UNDEFINED;
}

bool train_proof_make(const struct train_pipeline *p, struct summand__schedule *schedules,
                      struct train_stage_places *places)
{
    bool good = true;
    for (int g = 0; g < p->stages; g++) {
        summand__schedule_init(&schedules[g]);
        train_pipeline_build(p, g, &schedules[g], &places[g]);
        good = good && !schedules[g].failed;
    }
    return good;
}

bool train_prove_pipeline(const struct train_pipeline *p, const struct summand__schedule *schedules,
                          const struct train_stage_places *places,
                          struct summand__steps_proof *proof)
{
    static struct simulator simulator;
    simulator = (struct simulator){.pipeline = p, .places = places, .schedules = schedules};
    *proof = (struct summand__steps_proof){.ranks = p->stages,
                                           .schedules = schedules,
                                           .expected = expected,
                                           .context = &simulator,
                                           .most_starts = STARTS};
    return summand__prove_steps(proof);
}

struct summand__net_shape train_proof_shape(int layers)
{
    struct summand__net_shape shape = {.layers = layers,
                                       .hidden = summand__net_activation_find("relu"),
                                       .last = summand__net_activation_find("linear"),
                                       .loss = summand__net_loss_find("cross-entropy")};
    for (int l = 0; l <= layers; l++)
        shape.widths[l] = TRAIN_PROOF_WIDTH;
    return shape;
}

struct train_pipeline train_proof_pipeline(const struct summand__net_shape *shape,
                                           enum train_delay delay, int stages, size_t samples,
                                           size_t batch)
{
    struct train_pipeline p = {.shape = shape,
                               .arithmetic = summand__net_arithmetics[0],
                               .bytes = true,
                               .delay = delay,
                               .samples = samples,
                               .batch = batch,
                               .piece = 1,
                               .rate = 0.1};
    if (!train_pipeline_cut(&p, stages))
        p.stages = 0;
    return p;
}

/* Proves one case; false: the text holds the fault. */
static bool prove_case(const struct train_pipeline *p, size_t *proofs, char *fault, size_t room)
{
    struct summand__schedule schedules[TRAIN_PROOF_STAGES];
    struct train_stage_places places[TRAIN_PROOF_STAGES];
    struct summand__steps_proof proof = {.fault = "out of memory"};
    bool good = train_proof_make(p, schedules, places) &&
                train_prove_pipeline(p, schedules, places, &proof);
    ++*proofs;
    if (!good)
        snprintf(fault, room, "%d stages of %d layers, %zu samples in batches of %zu, %s%s: %s",
                 p->stages, p->shape->layers, p->samples, p->batch,
                 p->momentum == 0 ? "plain" : "momentum", p->decay == 0 ? "" : ", decay",
                 proof.fault);
    for (int g = 0; g < p->stages; g++)
        summand__schedule_free(&schedules[g]);
    return good;
}

bool train_prove_mode(enum train_delay delay, int stages, size_t *proofs, char *fault, size_t room)
{
    size_t s = (size_t)stages;
    bool good = true, whole = train_pipeline_whole(delay);
    for (int layers = stages; layers <= TRAIN_PROOF_STAGES && layers <= stages + 1; layers++) {
        struct summand__net_shape shape = train_proof_shape(layers);
        size_t batch = whole ? 1 : delay == TRAIN_2BW && stages > 1 ? s : 2;
        size_t most = delay == TRAIN_SYNC ? 13 : delay == TRAIN_2BW ? 4 * s - 1 : 2 * s + 2;
        size_t largest = delay == TRAIN_SYNC ? 6 : batch;
        for (; batch <= largest; batch += 2)
            for (size_t samples = 1; samples <= most && good; samples += whole ? 1 : 3) {
                struct train_pipeline p =
                    train_proof_pipeline(&shape, delay, stages, samples, batch);
                good = prove_case(&p, proofs, fault, room);
            }
        batch = whole ? 1 : s;
        for (int steps = 1; steps < 4 && good && layers == stages; steps++) {
            struct train_pipeline p = train_proof_pipeline(&shape, delay, stages, 5 * batch, batch);
            p.momentum = steps & 1 ? 0.5 : 0;
            p.decay = steps & 2 ? 0.01 : 0;
            good = prove_case(&p, proofs, fault, room);
        }
    }
    return good;
}
