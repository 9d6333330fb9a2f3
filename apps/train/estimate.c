/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/estimate.h"

#include <stdio.h>

/* A layer's products for a batch. If twins are apart, a stage computes the first, its twin the
 * others. */
enum { FORTH = 1, ERRORS = 2, GRADIENT = 4, BACK = ERRORS | GRADIENT };

/* The first layer sends no errors back. */
static int products_of(int l, int ways)
{
    return !!(ways & FORTH) + (l > 1 && ways & ERRORS) + !!(ways & GRADIENT);
}

static double flops_of(const struct train_pipeline *p, int l, int ways)
{
    return 2.0 * products_of(l, ways) * (double)p->batch * (double)(p->shape->widths[l - 1] + 1) *
           (double)p->shape->widths[l];
}

/* Seconds of the data that a rank of a P x Q grid receives for a layer's products. For a product
 * with a result of rows x columns on the grid it needs rows/P of the left factor and holds a Q-th
 * of that; it needs columns/Q of the right one and holds a P-th of that. Of a transposed factor it
 * holds a PQ-th, and of one in another group nothing. A product on more than one rank also costs
 * some notifications, credits and a start, as measured on two ranks. */
static double moving_of(const struct train_pipeline *p, const struct train_grid *grid, int l,
                        bool border, int ways, const struct train_machine *machine)
{
    enum { STARTS = 4 };
    double in = (double)p->shape->widths[l - 1] + 1, out = (double)p->shape->widths[l];
    double s = (double)p->batch, rows = grid->rows, columns = grid->columns, floats = 0;
    double away_p = 1 - 1 / rows, away_q = 1 - 1 / columns, inputs = border ? 1 : away_p;
    double turned = border ? 1 : 1 - 1 / (rows * columns);
    if (ways & FORTH)
        floats += out * in / rows * away_q + in * s / columns * inputs;
    if (ways & GRADIENT)
        floats += out * s / rows * away_q + in * s / columns * turned;
    if (ways & ERRORS && l > 1)
        floats += out * in / (border ? columns : rows) * turned + out * s / columns * away_p;
    double partners = rows * columns - 1 + (border ? 1 : 0);
    double sent = products_of(l, ways) * (partners > 0 ? partners + STARTS : 0);
    return 4 * floats * machine->byte + sent * machine->latency;
}

/* For stages of one rank each, which put only outputs forward and errors back. */
static double passing_of(const struct train_pipeline *p, int l, bool border, int ways,
                         const struct train_machine *machine)
{
    double floats = ((double)p->shape->widths[l - 1] + 1) * (double)p->batch;
    return border ? !!(ways & FORTH) * (4 * floats * machine->byte + machine->latency) +
                        !!(ways & ERRORS) * (4 * floats * machine->byte + machine->latency)
                  : 0;
}

/* A rank's puts to its twin: outputs forward, versions of the weights back. */
static double twin_of(const struct train_pipeline *p, const struct train_grid *grid, int l, int way,
                      const struct train_machine *machine)
{
    double out = (double)p->shape->widths[l], in = (double)p->shape->widths[l - 1] + 1;
    double floats = out * (way == FORTH ? (double)p->batch : in);
    return 4 * floats / ((double)grid->rows * grid->columns) * machine->byte + machine->latency;
}

/* Another stage's puts to stage 0, which updates its weights: a layer's inputs and errors. Also the
 * version that stage 0 puts back. */
static double source_of(const struct train_pipeline *p, int l, const struct train_machine *machine)
{
    double floats = (double)p->batch * (double)(p->shape->widths[l - 1] + 1 + p->shape->widths[l]);
    return 4 * floats * machine->byte;
}

static double version_of(const struct train_pipeline *p, int l, const struct train_machine *machine)
{
    double floats = (double)(p->shape->widths[l - 1] + 1) * (double)p->shape->widths[l];
    return 4 * floats * machine->byte;
}

/* If stage 0, or its twin, updates all weights: the addition to the part `at` of a stage. Of twins
 * both get each version. */
static void add_update_last(const struct train_pipeline *p, int g, int at,
                            const struct train_machine *machine, struct train_estimate *e)
{
    const int copies = p->twins ? 2 : 1;
    e->moved[at] += (g ? 1 : copies * (p->stages - 1)) * machine->latency;
    for (int l = p->first[g]; g && l < p->first[g + 1]; l++)
        e->moved[at] += source_of(p, l, machine);
    for (int l = p->first[1]; !g && l <= p->shape->layers && p->stages > 1; l++) {
        e->busy[at] += flops_of(p, l, GRADIENT) * machine->flop;
        e->moved[at] += copies * version_of(p, l, machine);
    }
}

/* Fills in the estimate's part of a stage, or of its twin. Returns its time on the path of a batch,
 * without the first layer's gradient, because errors are sent before that. */
static double add_stage(const struct train_pipeline *p, const struct train_grids *grids, int g,
                        int ways, const struct train_machine *machine, struct train_estimate *e)
{
    const struct train_grid *grid = &grids->of[g];
    double ranks = (double)grid->rows * grid->columns;
    int at = ways == BACK ? grids->count + g : g;
    const bool keeps = train_pipeline_keeper(p, g) == g;
    if (!keeps)
        ways &= ~GRADIENT;
    if (p->delay == TRAIN_LAST && ways & BACK)
        add_update_last(p, g, at, machine, e);
    for (int l = p->first[g]; l < p->first[g + 1]; l++) {
        bool border = g && l == p->first[g];
        e->busy[at] += flops_of(p, l, ways) * machine->flop / ranks;
        e->moved[at] += grids->ranks == grids->count ? passing_of(p, l, border, ways, machine)
                                                     : moving_of(p, grid, l, border, ways, machine);
        if (p->twins && (keeps || ways & FORTH))
            e->moved[at] += twin_of(p, grid, l, ways, machine);
    }
    e->busy[at] += e->moved[at];
    if (e->busy[at] > e->busy[e->slowest])
        e->slowest = at;
    return e->busy[at] - flops_of(p, p->first[g], ways & GRADIENT) * machine->flop / ranks;
}

struct train_estimate train_estimate(const struct train_pipeline *pipeline,
                                     const struct train_grids *grids,
                                     const struct train_machine *machine)
{
    const struct train_pipeline *p = pipeline;
    struct train_estimate e = {.epoch = 0};
    double computing = 0, sum = 0, path[2 * TRAIN_STAGES_MOST];
    int halves = p->twins ? 2 : 1;
    for (int l = 1; l <= p->shape->layers; l++)
        computing += flops_of(p, l, FORTH | BACK) * machine->flop;
    for (int i = 0; i < halves * grids->count; i++) {
        int ways = !p->twins ? FORTH | BACK : i < grids->count ? FORTH : BACK;
        path[i] = add_stage(p, grids, i % grids->count, ways, machine, &e);
        sum += path[i];
    }
    double batches = (double)((p->samples + p->batch - 1) / p->batch);
    size_t piece = p->piece ? p->piece : train_pipeline_piece(p->delay, grids->count, p->batch);
    double pieces = train_pipeline_whole(p->delay) ? 1 : (double)((p->batch + piece - 1) / piece);
    /* While the slowest stage waits for the first piece and the others for the last, each stage
     * works once, one after the other. */
    double filling = (sum - path[e.slowest]) / pieces;
    e.epoch = batches * e.busy[e.slowest] + (p->delay == TRAIN_SYNC ? batches : 1) * filling;
    e.efficiency = batches * computing / (e.epoch * halves * grids->ranks);
    return e;
}

/* Seconds per batch: a layer's gradient, summed over replicas (docs/outer.md, outer-slices and
 * outer-gather). */
static double replicas_gradient(const struct train_pipeline *p, int l, double ranks,
                                const struct train_machine *machine)
{
    double in = (double)p->shape->widths[l - 1] + 1, out = (double)p->shape->widths[l];
    double away = 1 - 1 / ranks, s = (double)p->batch;
    double make = flops_of(p, l, GRADIENT) * machine->flop, element = 4 * machine->byte;
    double part = make / ranks + away * (s * (in / ranks + out) + in * out) * element;
    double whole = make + away * s * (in + out) * element;
    return part < whole ? part : whole;
}

double train_estimate_replicas(const struct train_pipeline *pipeline, int ranks,
                               const struct train_machine *machine)
{
    const struct train_pipeline *p = pipeline;
    double batches = (double)((p->samples + p->batch - 1) / p->batch), time = 0;
    /* the largest share of a batch on any rank */
    double part = (double)((p->batch + (size_t)ranks - 1) / (size_t)ranks) / (double)p->batch;
    for (int l = 1; l <= p->shape->layers; l++)
        time += flops_of(p, l, FORTH | ERRORS) * machine->flop * part +
                replicas_gradient(p, l, ranks, machine);
    for (int reached = 1; reached < ranks; reached *= 2) /* factors, then parts of weights */
        time += 2 * machine->latency;
    return batches * time;
}

static double work_of(const struct train_pipeline *p, int g)
{
    double work = 0;
    for (int l = p->first[g]; l < p->first[g + 1]; l++)
        work += flops_of(p, l, FORTH | BACK);
    return work;
}

/* Gives one rank to each stage; then one more to the stage with the most work per rank. */
static void deal_ranks(const struct train_pipeline *p, int ranks, int *of)
{
    for (int g = 0; g < p->stages; g++)
        of[g] = 1;
    for (int left = ranks - p->stages; left; left--) {
        int most = 0;
        for (int g = 1; g < p->stages; g++)
            if (work_of(p, g) / of[g] > work_of(p, most) / of[most])
                most = g;
        of[most]++;
    }
}

/* Chooses the grid of so many ranks with the least time of the stage. */
static void choose_grid(const struct train_pipeline *p, int g, int ranks,
                        const struct train_machine *machine, struct train_grid *grid)
{
    double least = -1;
    for (int rows = 1; rows <= ranks; rows++) {
        struct train_grid candidate = {rows, ranks / rows, grid->first};
        double time = 0;
        if (ranks % rows)
            continue;
        for (int l = p->first[g]; l < p->first[g + 1]; l++)
            time += moving_of(p, &candidate, l, g && l == p->first[g], FORTH | BACK, machine);
        if (least < 0 || time < least) {
            least = time;
            *grid = candidate;
        }
    }
}

bool train_suggest_stages(struct train_pipeline *pipeline, int ranks, int stages,
                          const struct train_machine *machine, struct train_grids *grids,
                          struct train_estimate *estimate)
{
    int of[TRAIN_STAGES_MOST];
    if (stages > ranks || !train_pipeline_cut(pipeline, stages))
        return false;
    deal_ranks(pipeline, pipeline->delay == TRAIN_LAST ? stages : ranks, of);
    *grids = (struct train_grids){.count = stages};
    for (int g = 0; g < stages; g++) {
        grids->of[g].first = grids->ranks;
        choose_grid(pipeline, g, of[g], machine, &grids->of[g]);
        grids->ranks += of[g];
    }
    *estimate = train_estimate(pipeline, grids, machine);
    return true;
}

bool train_suggest(struct train_pipeline *pipeline, int ranks, const struct train_machine *machine,
                   struct train_grids *grids, struct train_estimate *estimate)
{
    int best = 0;
    for (int stages = 1; stages <= TRAIN_STAGES_MOST; stages++) {
        struct train_grids candidate;
        struct train_estimate e;
        if (!train_suggest_stages(pipeline, ranks, stages, machine, &candidate, &e))
            continue;
        if (!best || e.epoch < estimate->epoch) {
            best = stages;
            *grids = candidate;
            *estimate = e;
        }
    }
    return best && train_pipeline_cut(pipeline, best);
}

void train_grids_write(const struct train_grids *grids, char *text, size_t room)
{
    size_t used = 0;
    for (int g = 0, n; g < grids->count && used < room; g += n) {
        const struct train_grid *grid = &grids->of[g];
        for (n = 1; g + n < grids->count && grids->of[g + n].rows == grid->rows &&
                    grids->of[g + n].columns == grid->columns;)
            n++;
        const char *comma = g ? "," : "";
        int wrote =
            n > 1 ? snprintf(text + used, room - used, "%s%dx(%dx%d)", comma, n, grid->rows,
                             grid->columns)
                  : snprintf(text + used, room - used, "%s%dx%d", comma, grid->rows, grid->columns);
        used += (size_t)wrote;
    }
}
