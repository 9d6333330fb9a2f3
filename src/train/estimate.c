#include "train/estimate.h"

#include <stdio.h>

/* Operations of a batch in a layer, forward and back; the first one sends no errors back. */
static double flops_of(const struct train_pipeline *p, int l)
{
    double times = l > 1 ? 3 : 2;
    return 2 * times * (double)p->batch * (double)(p->shape->widths[l - 1] + 1) *
           (double)p->shape->widths[l];
}

static double gradient_of(const struct train_pipeline *p, int l)
{
    return flops_of(p, l) / (l > 1 ? 3 : 2);
}

/* Seconds of what comes to a rank of a P x Q grid for a layer's products. Of a product with a
 * result of rows x columns on the grid it needs rows/P of the left factor, of which it has a Q-th,
 * and columns/Q of the right one, of which it has a P-th; nothing of what lies in another group. */
static double moving_of(const struct train_pipeline *p, const struct train_grid *grid, int l,
                        bool border, const struct train_machine *machine)
{
    double in = (double)p->shape->widths[l - 1] + 1, out = (double)p->shape->widths[l];
    double s = (double)p->batch, rows = grid->rows, columns = grid->columns;
    double away_p = 1 - 1 / rows, away_q = 1 - 1 / columns, inputs = border ? 1 : away_p;
    double floats = out * in / rows * away_q + in * s / columns * inputs;         /* forward */
    floats += out * s / rows * away_q + in * s / columns * (border ? 1 : away_q); /* gradient */
    if (l > 1)
        floats += out * in / columns * (border ? 1 : away_p) + out * s / columns * away_p;
    double partners = rows * columns - 1 + (border ? 1 : 0);
    return 4 * floats * machine->byte + (l > 1 ? 3 : 2) * partners * machine->latency;
}

/* Of stages of a rank each, which put outputs forward and errors back, and nothing else. */
static double passing_of(const struct train_pipeline *p, int l, bool border,
                         const struct train_machine *machine)
{
    double floats = 2 * ((double)p->shape->widths[l - 1] + 1) * (double)p->batch;
    return border ? 4 * floats * machine->byte + 2 * machine->latency : 0;
}

struct train_estimate train_estimate(const struct train_pipeline *pipeline,
                                     const struct train_grids *grids,
                                     const struct train_machine *machine)
{
    const struct train_pipeline *p = pipeline;
    struct train_estimate e = {.epoch = 0};
    double computing = 0, sum = 0, most = 0, path[TRAIN_STAGES_MOST];
    for (int g = 0; g < grids->count; g++) {
        const struct train_grid *grid = &grids->of[g];
        double ranks = (double)grid->rows * grid->columns;
        for (int l = p->first[g]; l < p->first[g + 1]; l++) {
            computing += flops_of(p, l) * machine->flop;
            e.busy[g] += flops_of(p, l) * machine->flop / ranks;
            bool border = g && l == p->first[g];
            e.moved[g] += grids->ranks == grids->count ? passing_of(p, l, border, machine)
                                                       : moving_of(p, grid, l, border, machine);
        }
        e.busy[g] += e.moved[g];
        path[g] = e.busy[g] - gradient_of(p, p->first[g]) * machine->flop / ranks;
        sum += path[g];
        if (e.busy[g] > most) {
            most = e.busy[g];
            e.slowest = g;
        }
    }
    double batches = (double)((p->samples + p->batch - 1) / p->batch);
    size_t piece = p->piece ? p->piece : train_pipeline_piece(p->delay, grids->count, p->batch);
    double pieces = p->delay == TRAIN_STASHED ? 1 : (double)((p->batch + piece - 1) / piece);
    /* While the slowest stage waits for the first piece and the others for the last, all of them
     * work once one after the other; errors go on before the first layer's gradient is made. */
    double filling = (sum - path[e.slowest]) / pieces;
    e.epoch = batches * most + (p->delay == TRAIN_SYNC ? batches : 1) * filling;
    e.efficiency = batches * computing / (e.epoch * grids->ranks);
    return e;
}

static double work_of(const struct train_pipeline *p, int g)
{
    double work = 0;
    for (int l = p->first[g]; l < p->first[g + 1]; l++)
        work += flops_of(p, l);
    return work;
}

/* One rank each; then one more to the stage that has the most to do on each of its ranks. */
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

/* The grid of so many ranks on which the stage takes the least time. */
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
            time += moving_of(p, &candidate, l, g && l == p->first[g], machine);
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
    deal_ranks(pipeline, ranks, of);
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
