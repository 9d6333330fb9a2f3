/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the data of stages and their twins: a segment with rings of slots, and a pass. */
#include "train/mpi/twins.h"

#include <stdlib.h>

#include "train/mpi/together.h"

enum { STRETCH = 256 };

size_t twins_rows_of(const struct train_run *run, int l)
{
    return run->options.batch * summand__net_ld(run->shape->widths[l] + 1);
}

size_t twins_weights_of(const struct train_run *run, int first, int last)
{
    size_t floats = 0;
    for (int l = first; l <= last; l++)
        floats += run->weights.layer[l].rows * run->weights.layer[l].ld;
    return floats;
}

/* R(0), last: rings for the layers of the other stages. */
static void add_sources(const struct train_run *run, const struct twins *own,
                        struct twins_layout *layout)
{
    for (int g = 1; g < own->poad.stages; g++)
        for (int l = own->cut.first[g]; l < own->cut.first[g + 1]; l++) {
            layout->source_at[l] = layout->slot[TRAIN_SOURCES + g];
            layout->slot[TRAIN_SOURCES + g] += twins_rows_of(run, l - 1) + twins_rows_of(run, l);
        }
}

static struct twins_layout layout_of(const struct train_run *run, const struct twins *own, int rank)
{
    const struct train_poad *p = &own->poad;
    int g = train_poad_stage(p, rank), first = own->cut.first[g], last = own->cut.first[g + 1] - 1;
    bool forward = rank < p->stages, back = rank == train_poad_twin(p, g);
    struct twins_layout layout = {.floats = 0};
    if (forward && g)
        layout.slot[TRAIN_INPUTS] = twins_rows_of(run, first - 1);
    if (train_poad_follows(p, rank))
        layout.slot[TRAIN_VERSIONS] = twins_weights_of(run, first, last);
    if (back && p->stashed)
        layout.slot[TRAIN_STASH] = twins_weights_of(run, first, last);
    for (int l = first - (g && !forward); l <= last && back; l++) {
        layout.x_at[l] = layout.slot[TRAIN_OUTPUTS];
        layout.slot[TRAIN_OUTPUTS] += twins_rows_of(run, l);
    }
    if (back && g + 1 < p->stages)
        layout.slot[TRAIN_ERRORS] = twins_rows_of(run, last);
    if (p->last && back && !g)
        add_sources(run, own, &layout);
    for (int ring = 0; ring < train_poad_rings(p); ring++) {
        layout.at[ring] = layout.floats;
        layout.floats += train_poad_slots(p) * layout.slot[ring];
    }
    return layout;
}

static bool make_layouts(const struct train_run *run, struct twins *own)
{
    own->layouts = calloc((size_t)run->ranks, sizeof *own->layouts);
    for (int r = 0; own->layouts && r < run->ranks; r++)
        own->layouts[r] = layout_of(run, own, r);
    own->layout = own->layouts ? &own->layouts[run->rank] : NULL;
    return own->layouts;
}

float *twins_slot_of(const struct twins *own, enum train_ring ring, size_t number)
{
    size_t slot = number % train_poad_slots(&own->poad);
    return own->memory + own->layout->at[ring] + slot * own->layout->slot[ring];
}

/* The default is the length of a pipeline of stages and twins. */
static bool is_possible(const struct train_run *run, struct twins *own, struct train_poad kind,
                        struct summand__net_fault *fault)
{
    const struct train_options *o = &run->options;
    bool together = o->together && !kind.stashed && !kind.last;
    int stages = together ? run->ranks : run->ranks / 2;
    if (!together && run->ranks % 2)
        return summand__net_fail(fault,
                                 "mode %s takes two ranks a stage, one for each twin, so an even "
                                 "number of them%s",
                                 run->mode->name,
                                 kind.stashed || kind.last ? "" : ", or --twins together");
    if (!train_pipeline_cut(&own->cut, stages))
        return summand__net_fail(fault, "%d layers are too few for %d stages", run->shape->layers,
                                 stages);
    own->poad =
        (struct train_poad){.stages = stages,
                            .behind = kind.stashed ? train_poad_stashed(stages)
                                                   : train_poad_behind(run->ranks, o->behind),
                            .together = together,
                            .stashed = kind.stashed,
                            .last = kind.last};
    return true;
}

/* The longest segment of all ranks; 0: too long. */
static size_t segment_bytes(const struct train_run *run, const struct twins *own)
{
    size_t most = 0;
    for (int r = 0; r < run->ranks; r++) {
        const struct twins_layout *layout = &own->layouts[r];
        for (int ring = 0; ring < train_poad_rings(&own->poad); ring++)
            if (layout->slot[ring] > (SIZE_MAX >> 8) / train_poad_slots(&own->poad))
                return 0;
        most = layout->floats > most ? layout->floats : most;
    }
    return most * sizeof(float) + 64;
}

/* Outputs that are written in place get a 1 after each row at the beginning. */
static void fill_ones(const struct train_run *run, const struct twins *own)
{
    for (size_t slot = 0; slot < train_poad_slots(&own->poad); slot++)
        for (int l = own->first; l <= own->last; l++) {
            size_t ld = summand__net_ld(run->shape->widths[l] + 1);
            float *x = twins_slot_of(own, TRAIN_OUTPUTS, slot) + own->layout->x_at[l];
            for (size_t i = 0; i < run->options.batch; i++)
                x[i * ld + run->shape->widths[l]] = 1;
        }
}

static bool make_segment(struct train_run *run, struct twins *own, struct summand__net_fault *fault)
{
    const summand_segment_options options = {.queues = TWINS_QUEUES};
    size_t bytes = segment_bytes(run, own);
    void *memory = NULL;
    if (!bytes) /* the same on all ranks */
        return summand__net_fail_memory(fault);
    const int rings = train_poad_rings(&own->poad);
    int code =
        summand_segment_create((MPI_Count)bytes, rings, train_comm(run), &options, &own->segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_range(rings, &own->id, own->segment);
    if (code == MPI_SUCCESS)
        code = summand_segment_memory(own->segment, &memory, NULL, NULL);
    own->memory = memory;
    run->bytes = bytes;
    for (int l = own->first - 1; l <= own->kept; l++)
        run->bytes += 2 * own->pass.x[l].rows * own->pass.x[l].ld * sizeof(float);
    return train_check(code, "windows of the twins", fault);
}

bool twins_open(struct train_run *run, struct train_poad kind, struct summand__net_fault *fault)
{
    train_take_ranks(run);
    struct twins *own = calloc(1, sizeof *own);
    run->kept = own;
    if (!train_run_agree(run, own, fault))
        return false;
    own->cut.shape = run->shape;
    train_run_stretch(run, STRETCH);
    bool good = is_possible(run, own, kind, fault);
    if (good) {
        int g = train_poad_stage(&own->poad, run->rank);
        own->first = own->cut.first[g];
        own->last = own->cut.first[g + 1] - 1;
        own->kept = kind.last && train_poad_keeper(&own->poad, g) == run->rank ? run->shape->layers
                                                                               : own->last;
        own->forward = run->rank < own->poad.stages;
        own->back = run->rank == train_poad_twin(&own->poad, g);
        good = make_layouts(run, own) &&
               summand__net_pass_make(&own->pass, run->shape, run->arithmetic, run->options.batch,
                                      own->first, own->kept);
        if (!good)
            summand__net_fail_memory(fault);
        for (int l = own->first - 1; l <= own->last; l++)
            own->x[l] = own->pass.x[l].at;
        own->d = own->pass.d[own->last].at;
        run->delay = train_poad_mark(&own->poad);
        run->behind = own->poad.behind;
        run->mixed = run->behind > 0 && !kind.stashed;
    }
    if (!train_run_agree(run, good, fault) || !make_segment(run, own, fault))
        return false;
    if (own->forward && own->back)
        fill_ones(run, own);
    return true;
}

/* Collective. */
void twins_close(struct train_run *run)
{
    struct twins *own = run->kept;
    if (own && own->segment)
        summand_segment_free(&own->segment);
    if (own) {
        summand__net_pass_free(&own->pass);
        free(own->layouts);
        train_recorder_free(&own->recorder);
    }
    free(own);
    run->kept = NULL;
}
