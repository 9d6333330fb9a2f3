/* Training with twins (train/poad.h): ranks follow the protocol by puts with notification. All
 * ranks have all weights between epochs, for evaluation and checkpoints. */
#include "train/poad.h"

#include <stdlib.h>
#include <string.h>
#include <summand/notify.h>
#include <summand/reduce.h>

#include "train/mpi/modes.h"
#include "train/mpi/together.h"
#include "train/pipeline.h"

enum { QUEUE_ROWS, QUEUE_WEIGHTS, QUEUES };
enum { STRETCH = 256 };

/* Floats of a rank's segment: where a ring begins, and from one slot to the next. */
struct layout {
    size_t at[TRAIN_RINGS], slot[TRAIN_RINGS];
    size_t x_at[TRAIN_LAYERS_MOST + 1]; /* of layer l's outputs in a slot of TRAIN_OUTPUTS */
    size_t floats;
};

struct twins {
    struct train_poad poad;
    struct train_pipeline cut; /* layers of the stages */
    int first, last;           /* of this rank's */
    bool forward, back;        /* what this rank is */
    struct layout layout;      /* of this rank */
    struct train_pass pass;
    float *x[TRAIN_LAYERS_MOST + 1],
        *d; /* of the pass: its own outputs, and errors behind `last` */
    summand_segment *segment;
    float *memory;
    int id;                       /* of the first ring */
    uint64_t before[TRAIN_RINGS]; /* what the counters were at the beginning of the stretch */
    size_t begin;                 /* first batch of the stretch */
};

static size_t rows_of(const struct train_run *run, int l)
{
    return run->options.batch * train_ld(run->shape->widths[l] + 1);
}

static size_t weights_of(const struct train_run *run, int first, int last)
{
    size_t floats = 0;
    for (int l = first; l <= last; l++)
        floats += run->weights.layer[l].rows * run->weights.layer[l].ld;
    return floats;
}

static struct layout layout_of(const struct train_run *run, const struct twins *own, int rank)
{
    const struct train_poad *p = &own->poad;
    int g = train_poad_stage(p, rank), first = own->cut.first[g], last = own->cut.first[g + 1] - 1;
    bool forward = rank < p->stages, back = rank == train_poad_twin(p, g);
    struct layout layout = {.floats = 0};
    if (forward && g)
        layout.slot[TRAIN_INPUTS] = rows_of(run, first - 1);
    if (forward && !back)
        layout.slot[TRAIN_VERSIONS] = weights_of(run, first, last);
    for (int l = first - (g && !forward); l <= last && back; l++) {
        layout.x_at[l] = layout.slot[TRAIN_OUTPUTS];
        layout.slot[TRAIN_OUTPUTS] += rows_of(run, l);
    }
    if (back && g + 1 < p->stages)
        layout.slot[TRAIN_ERRORS] = rows_of(run, last);
    for (int ring = 0; ring < TRAIN_RINGS; ring++) {
        layout.at[ring] = layout.floats;
        layout.floats += train_poad_slots(p) * layout.slot[ring];
    }
    return layout;
}

static float *slot_of(const struct twins *own, enum train_ring ring, size_t number)
{
    size_t slot = number % train_poad_slots(&own->poad);
    return own->memory + own->layout.at[ring] + slot * own->layout.slot[ring];
}

/* By default as far as a pipeline of stages and twins is long. */
static bool is_possible(const struct train_run *run, struct twins *own, struct train_fault *fault)
{
    const struct train_options *o = &run->options;
    int stages = o->together ? run->ranks : run->ranks / 2;
    if (!o->together && run->ranks % 2)
        return train_fail(fault, "mode poad takes two ranks a stage, one for each twin, so an even "
                                 "number of them, or --twins together");
    if (!train_pipeline_cut(&own->cut, stages))
        return train_fail(fault, "%d layers are too few for %d stages", run->shape->layers, stages);
    own->poad = (struct train_poad){.stages = stages,
                                    .behind = train_poad_behind(run->ranks, o->behind),
                                    .together = o->together};
    return true;
}

/* The longest segment of all ranks; 0: too long. */
static size_t segment_bytes(const struct train_run *run, const struct twins *own)
{
    size_t most = 0;
    for (int r = 0; r < run->ranks; r++) {
        struct layout layout = layout_of(run, own, r);
        for (int ring = 0; ring < TRAIN_RINGS; ring++)
            if (layout.slot[ring] > (SIZE_MAX >> 8) / train_poad_slots(&own->poad))
                return 0;
        most = layout.floats > most ? layout.floats : most;
    }
    return most * sizeof(float) + 64;
}

/* Outputs that are written where they stay have a 1 behind each row from the beginning. */
static void fill_ones(const struct train_run *run, const struct twins *own)
{
    for (size_t slot = 0; slot < train_poad_slots(&own->poad); slot++)
        for (int l = own->first; l <= own->last; l++) {
            size_t ld = train_ld(run->shape->widths[l] + 1);
            float *x = slot_of(own, TRAIN_OUTPUTS, slot) + own->layout.x_at[l];
            for (size_t i = 0; i < run->options.batch; i++)
                x[i * ld + run->shape->widths[l]] = 1;
        }
}

static bool make_segment(struct train_run *run, struct twins *own, struct train_fault *fault)
{
    const summand_segment_options options = {.queues = QUEUES};
    size_t bytes = segment_bytes(run, own);
    void *memory = NULL;
    if (!bytes) /* the same on all ranks */
        return train_fail_memory(fault);
    int code = summand_segment_create((MPI_Count)bytes, TRAIN_RINGS, &options, train_comm(run),
                                      &own->segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_range(TRAIN_RINGS, &own->id, own->segment);
    if (code == MPI_SUCCESS)
        code = summand_segment_memory(own->segment, &memory, NULL, NULL);
    own->memory = memory;
    return train_check(code, "windows of the twins", fault);
}

static bool twins_open(struct train_run *run, struct train_fault *fault)
{
    train_take_ranks(run);
    struct twins *own = calloc(1, sizeof *own);
    run->kept = own;
    if (!train_run_agree(run, own, fault))
        return false;
    own->cut.shape = run->shape;
    train_run_stretch(run, STRETCH);
    bool good = is_possible(run, own, fault);
    if (good) {
        int g = train_poad_stage(&own->poad, run->rank);
        own->first = own->cut.first[g];
        own->last = own->cut.first[g + 1] - 1;
        own->forward = run->rank < own->poad.stages;
        own->back = run->rank == train_poad_twin(&own->poad, g);
        own->layout = layout_of(run, own, run->rank);
        good = train_pass_make(&own->pass, run->shape, run->arithmetic, run->options.batch,
                               own->first, own->last) ||
               train_fail_memory(fault);
        for (int l = own->first - 1; l <= own->last; l++)
            own->x[l] = own->pass.x[l].at;
        own->d = own->pass.d[own->last].at;
        run->delay = 2 * TRAIN_STAGES_MOST + own->poad.behind;
        run->behind = own->poad.behind;
        run->mixed = run->behind > 0;
    }
    if (!train_run_agree(run, good, fault) || !make_segment(run, own, fault))
        return false;
    if (own->forward && own->back)
        fill_ones(run, own);
    return true;
}

/* Collective. */
static void twins_close(struct train_run *run)
{
    struct twins *own = run->kept;
    if (own && own->segment)
        summand_segment_free(&own->segment);
    if (own)
        train_pass_free(&own->pass);
    free(own);
    run->kept = NULL;
}

static int wait_for(struct twins *own, const struct train_poad_act *act)
{
    return summand_notify_wait(act->peer, own->id + (int)act->ring,
                               own->before[act->ring] + act->number, SUMMAND_FOREVER, own->segment);
}

/* Floats to a slot of a peer's, `offset` behind its begin; `last`: behind these the counter grows.
 */
static int put(const struct train_run *run, struct twins *own, const struct train_poad_act *act,
               const float *from, size_t floats, size_t offset, bool last)
{
    struct layout layout = layout_of(run, own, act->peer);
    size_t at = layout.at[act->ring] + act->slot * layout.slot[act->ring] + offset;
    int queue = act->ring == TRAIN_VERSIONS ? QUEUE_WEIGHTS : QUEUE_ROWS, code;
    MPI_Count bytes = (MPI_Count)(floats * sizeof(float));
    while ((code = summand_put_notify(from, bytes, act->peer, (MPI_Count)(at * sizeof(float)),
                                      own->id + (int)act->ring, last, queue, own->segment)) ==
           SUMMAND_QUEUE_FULL)
        if ((code = summand_queue_wait(queue, SUMMAND_FOREVER, own->segment)) != MPI_SUCCESS)
            break;
    return code;
}

static int put_rows(const struct train_run *run, struct twins *own,
                    const struct train_poad_act *act, const struct train_matrix *m, size_t count,
                    size_t offset, bool last)
{
    return put(run, own, act, m->at, count * m->ld, offset, last);
}

/* To R(g): what went into the first layer (samples it reads by itself), and came out of all but the
 * last one, whose derivative is the next stage's; of the network's last layer too. */
static int put_outputs(const struct train_run *run, struct twins *own,
                       const struct train_poad_act *act, size_t count)
{
    struct layout layout = layout_of(run, own, act->peer);
    int from = own->first > 1 ? own->first - 1 : 1, code = MPI_SUCCESS;
    int to = own->last < run->shape->layers ? own->last - 1 : own->last;
    for (int l = from; l <= to && code == MPI_SUCCESS; l++)
        code = put_rows(run, own, act, &own->pass.x[l], count, layout.x_at[l], l == to);
    return to < from ? summand_notify(act->peer, own->id + TRAIN_OUTPUTS, 1, own->segment) : code;
}

/* Forward weights of the newest version that has come, in its slot. */
static int take_version(struct train_run *run, struct twins *own,
                        const struct train_poad_turn *turn, struct train_weights *view)
{
    uint64_t count = 0;
    int twin = train_poad_twin(&own->poad, turn->stage);
    int code = summand_notify_value(twin, own->id + TRAIN_VERSIONS, &count, own->segment);
    size_t version = (size_t)(count - own->before[TRAIN_VERSIONS]);
    float *at = slot_of(own, TRAIN_VERSIONS, version);
    for (int l = own->first; l <= own->last; l++) {
        view->layer[l].at = at;
        at += view->layer[l].rows * view->layer[l].ld;
    }
    size_t behind = turn->batch - version;
    run->lag.sum += behind;
    run->lag.most = behind > run->lag.most ? behind : run->lag.most;
    return code;
}

/* Batches that this rank is done with, back, before the turn: twins that are together. */
static size_t done_back(const struct twins *own, const struct train_poad_turn *turn)
{
    size_t lead = (size_t)(own->poad.stages - turn->stage);
    lead = lead < train_poad_slots(&own->poad) ? lead : train_poad_slots(&own->poad);
    return turn->batch < lead ? 0 : turn->batch - lead + 1;
}

/* Of a batch of the stretch: where its samples begin in the epoch, and how many they are. */
static size_t first_of(const struct train_run *run, const struct twins *own, size_t batch)
{
    return (own->begin + batch) * run->options.batch;
}

static size_t count_of(const struct train_run *run, const struct twins *own, size_t batch)
{
    size_t left = run->train - first_of(run, own, batch);
    return left < run->options.batch ? left : run->options.batch;
}

static int forward(struct train_run *run, struct twins *own, const struct train_poad_turn *turn)
{
    size_t t = turn->batch, count = count_of(run, own, t);
    struct train_pass *pass = &own->pass;
    struct train_weights view = run->weights;
    int code = summand_queue_wait(QUEUE_ROWS, SUMMAND_FOREVER, own->segment);
    run->lag.batches++;
    if (turn->takes_version && code == MPI_SUCCESS)
        code = take_version(run, own, turn, &view);
    else if (!turn->takes_version) {
        size_t behind = t - done_back(own, turn);
        run->lag.sum += behind;
        run->lag.most = behind > run->lag.most ? behind : run->lag.most;
    }
    if (code != MPI_SUCCESS)
        return code;
    pass->x[own->first - 1].at =
        turn->stage ? slot_of(own, TRAIN_INPUTS, t) : own->x[own->first - 1];
    if (!turn->stage)
        train_run_read(run, first_of(run, own, t), count, &pass->x[0]);
    for (int l = own->first; l <= own->last; l++) {
        pass->x[l].at =
            own->back ? slot_of(own, TRAIN_OUTPUTS, t) + own->layout.x_at[l] : own->x[l];
        train_pass_forward(pass, &view, l, count);
    }
    for (int i = 0; i < turn->afters && code == MPI_SUCCESS; i++) {
        const struct train_poad_act *act = &turn->after[i];
        if (act->kind == TRAIN_PUT)
            code = act->ring == TRAIN_OUTPUTS
                       ? put_outputs(run, own, act, count)
                       : put_rows(run, own, act, &pass->x[own->last], count, 0, true);
    }
    return code;
}

/* What the batch left here on its way forward; the last stage makes the first errors of it. */
static void recall(struct train_run *run, struct twins *own, const struct train_poad_turn *turn)
{
    size_t t = turn->batch, count = count_of(run, own, t);
    struct train_pass *pass = &own->pass;
    for (int l = own->first - 1; l <= own->last; l++)
        pass->x[l].at = slot_of(own, TRAIN_OUTPUTS, t) + own->layout.x_at[l];
    if (turn->stage && own->forward)
        pass->x[own->first - 1].at = slot_of(own, TRAIN_INPUTS, t);
    if (!turn->stage)
        pass->x[0].at = own->x[0];
    pass->d[own->last].at =
        turn->stage + 1 < own->poad.stages ? slot_of(own, TRAIN_ERRORS, t) : own->d;
    if (!turn->stage)
        train_run_read(run, first_of(run, own, t), count, &pass->x[0]);
    if (own->last == run->shape->layers) {
        run->batch = own->begin + t;
        train_run_labels(run, first_of(run, own, t), count);
        train_pass_loss(pass, run->labels, count, run->loss, run->right);
        train_run_count(run, &run->tally, count);
    }
}

static int improve(struct train_run *run, struct twins *own, const struct train_poad_turn *turn,
                   double rate)
{
    size_t count = count_of(run, own, turn->batch);
    int code = summand_queue_wait(QUEUE_WEIGHTS, SUMMAND_FOREVER, own->segment);
    if (code != MPI_SUCCESS)
        return code;
    struct train_update update = train_update_begin(run, own->first, own->last, count, rate);
    for (int l = own->last; l >= own->first; l--)
        train_pass_gradient(&own->pass, l, count, update.alpha, update.beta,
                            &update.target->layer[l]);
    train_update_end(run, own->first, own->last, rate);
    return MPI_SUCCESS;
}

static int back(struct train_run *run, struct twins *own, const struct train_poad_turn *turn,
                double rate)
{
    size_t count = count_of(run, own, turn->batch);
    int code = summand_queue_wait(QUEUE_ROWS, SUMMAND_FOREVER, own->segment);
    if (code != MPI_SUCCESS)
        return code;
    recall(run, own, turn);
    for (int l = own->last; l >= own->first && l > 1; l--)
        train_pass_backward(&own->pass, &run->weights, l, count);
    for (int i = 0; i < turn->afters && code == MPI_SUCCESS; i++) {
        const struct train_poad_act *act = &turn->after[i];
        if (act->kind == TRAIN_IMPROVE)
            code = improve(run, own, turn, rate);
        else if (act->ring == TRAIN_ERRORS)
            code = put_rows(run, own, act, &own->pass.d[own->first - 1], count, 0, true);
        else
            code = put(run, own, act, run->weights.layer[own->first].at,
                       weights_of(run, own->first, own->last), 0, true);
    }
    return code;
}

/* F(g), when all versions of a stretch have come: the last one is the next stretch's first. */
static void keep_version(struct train_run *run, struct twins *own)
{
    memcpy(run->weights.layer[own->first].at, slot_of(own, TRAIN_VERSIONS, own->poad.batches),
           weights_of(run, own->first, own->last) * sizeof(float));
}

/* All turns of a stretch; then all versions have come, so the next one finds the slots free. */
static int take_turns(struct train_run *run, struct twins *own, double rate)
{
    struct train_poad_turn turn;
    bool apart = own->forward && !own->back;
    int code = MPI_SUCCESS;
    if (apart)
        memcpy(slot_of(own, TRAIN_VERSIONS, 0), run->weights.layer[own->first].at,
               weights_of(run, own->first, own->last) * sizeof(float));
    for (size_t i = 0; code == MPI_SUCCESS && train_poad_turn(&own->poad, run->rank, i, &turn);
         i++) {
        for (int k = 0; k < turn.befores && code == MPI_SUCCESS; k++)
            if (turn.before[k].kind == TRAIN_WAIT)
                code = wait_for(own, &turn.before[k]);
        if (code == MPI_SUCCESS)
            code = turn.back ? back(run, own, &turn, rate) : forward(run, own, &turn);
    }
    const struct train_poad_act all = {
        .ring = TRAIN_VERSIONS, .peer = own->poad.stages + turn.stage, .number = own->poad.batches};
    if (code == MPI_SUCCESS && apart)
        code = wait_for(own, &all);
    for (int q = 0; q < QUEUES && code == MPI_SUCCESS; q++)
        code = summand_queue_wait(q, SUMMAND_FOREVER, own->segment);
    if (code == MPI_SUCCESS && apart)
        keep_version(run, own);
    for (int ring = 0; ring < TRAIN_RINGS; ring++)
        own->before[ring] += own->poad.batches;
    return code;
}

static bool share_lag(struct train_run *run, struct train_fault *fault)
{
    uint64_t sums[2] = {run->lag.batches, run->lag.sum}, all[2], most = run->lag.most;
    int code = summand_allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, train_comm(run), NULL);
    if (code == MPI_SUCCESS)
        code = summand_allreduce(&most, &run->lag.most, 1, MPI_UINT64_T, MPI_MAX, train_comm(run),
                                 NULL);
    run->lag.batches = all[0];
    run->lag.sum = all[1];
    return train_check(code, "how far weights were behind", fault);
}

static bool twins_stretch(struct train_run *run, size_t first, size_t count, double rate,
                          struct train_fault *fault)
{
    struct twins *own = run->kept;
    own->begin = first / run->options.batch;
    own->poad.batches = (count + run->options.batch - 1) / run->options.batch;
    return train_check(take_turns(run, own, rate), "an epoch with twins", fault);
}

static bool twins_take(struct train_run *run, struct train_fault *fault)
{
    (void)fault;
    run->lag = (struct train_lag){0};
    return true;
}

static bool twins_give(struct train_run *run, struct train_fault *fault)
{
    struct twins *own = run->kept;
    for (int g = 0; g < own->poad.stages; g++) {
        int first = own->cut.first[g], last = own->cut.first[g + 1] - 1;
        int root = train_poad_twin(&own->poad, g);
        if (!train_share(run, &run->weights, first, last, root, fault) ||
            (run->velocity.memory && !train_share(run, &run->velocity, first, last, root, fault)))
            return false;
    }
    return share_lag(run, fault);
}

const struct train_mode train_mode_poad = {
    .name = "poad",
    .description = "stages and their twins; the newest weights that have come",
    .interval = 1,
    .open = twins_open,
    .close = twins_close,
    .batch = twins_stretch,
    .take = twins_take,
    .give = twins_give,
    .combine = train_combine,
    .flags = train_flags};
