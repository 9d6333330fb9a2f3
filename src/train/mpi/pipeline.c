/* Pipelines on ranks: a plan that is started once an epoch. All ranks have all weights between
 * epochs, for evaluation and checkpoints. */
#include "train/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/reduce.h>

#include "exec/places.h"
#include "exec/record.h"
#include "plan/plan.h"
#include "train/mpi/modes.h"
#include "train/mpi/together.h"
#include "transport/window/window.h"

enum { LEAST_PIECES = 4 };

struct line {
    struct train_pipeline pipeline;
    struct train_stage_places places;
    struct summand__state *state;
    struct summand__onesided onesided;
    summand_plan *plan;
    bool records;
    struct summand__recording recording; /* of the last epoch */
    void *memory[SUMMAND__MOST_PLACES];  /* of places, but of windows */
};

static void reduce(const void *context, const void *in, void *inout, size_t count)
{
    (void)context, (void)in, (void)inout, (void)count;
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(float));
}

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static void describe(const void *work, char *text, size_t room)
{
    const struct line *line = work;
    snprintf(text, room, "an epoch of %zu samples in %d stages", line->pipeline.samples,
             line->pipeline.stages);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = before, .describe = describe};

static void *place(const struct line *line, uint32_t place)
{
    return place == UINT32_MAX ? NULL : line->memory[place - SUMMAND__PLACES];
}

/* Memory for the places that are no windows. */
static bool make_memory(struct line *line, int rank, const struct summand__schedule *schedule)
{
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        size_t bytes = info->unit * info->count;
        if (info->kind == SUMMAND__WINDOW)
            continue;
        if (posix_memalign(&line->memory[p], 64, bytes + 64)) {
            line->memory[p] = NULL;
            return false;
        }
        memset(line->memory[p], 0, bytes);
        line->onesided.place[p] = line->memory[p];
    }
    train_pipeline_fill(&line->pipeline, rank, place(line, line->places.x));
    return true;
}

/* Collective. */
static int open_window(struct line *line, const struct summand__schedule *schedule)
{
    size_t bytes[SUMMAND__MOST_PLACES];
    struct summand__window_spec spec = summand__places_window(schedule, bytes);
    return spec.slots ? summand__window_open(line->state, &spec, 0, &line->onesided.window)
                      : MPI_SUCCESS;
}

/* The schedule of this rank, for the rate; false when out of memory. */
static bool build(struct line *line, int rank, struct summand__schedule *schedule)
{
    summand__schedule_init(schedule);
    train_pipeline_build(&line->pipeline, rank, schedule, &line->places);
    bool good = !schedule->failed; /* to free it makes it as new */
    if (!good)
        summand__schedule_free(schedule);
    return good;
}

static bool is_possible(const struct train_run *run, struct line *line, struct train_fault *fault)
{
    if (strcmp(run->arithmetic->name, "chain") != 0)
        return train_fail(fault, "mode %s has the arithmetic 'chain' alone", run->mode->name);
    return train_pipeline_cut(&line->pipeline, run->ranks) ||
           train_fail(fault, "%d layers are too few for %d stages", run->shape->layers, run->ranks);
}

/* Pieces of a batch: at least four, and in 2bw as many as stages. */
static size_t piece_of(const struct train_run *run, enum train_delay delay)
{
    size_t least = run->ranks > LEAST_PIECES ? (size_t)run->ranks : LEAST_PIECES;
    size_t batch = run->options.batch, piece = run->options.piece;
    if (delay == TRAIN_STASHED)
        return batch;
    if (!piece || piece > batch)
        piece = (batch + least - 1) / least;
    return piece;
}

static bool set_up(struct train_run *run, struct line *line, struct train_fault *fault)
{
    struct summand__schedule schedule;
    bool good = is_possible(run, line, fault);
    bool built = good && build(line, run->rank, &schedule);
    if (good && (!built || !make_memory(line, run->rank, &schedule)))
        good = train_fail_memory(fault);
    int code = MPI_SUCCESS;
    if (train_run_agree(run, good, fault))
        code = summand__state_of(train_comm(run), &line->state);
    else
        good = false;
    if (good && code == MPI_SUCCESS)
        code = open_window(line, &schedule);
    if (built)
        summand__schedule_free(&schedule);
    return train_check(code, "windows of the pipeline", fault) && good;
}

static bool line_open(struct train_run *run, enum train_delay delay, struct train_fault *fault)
{
    train_take_ranks(run);
    struct line *line = calloc(1, sizeof *line);
    run->kept = line;
    if (!train_run_agree(run, line, fault))
        return false;
    line->pipeline = (struct train_pipeline){.shape = run->shape,
                                             .bytes = run->data->train.bytes,
                                             .delay = delay,
                                             .samples = run->train,
                                             .batch = run->options.batch,
                                             .piece = piece_of(run, delay),
                                             .rate = run->options.rate,
                                             .momentum = run->options.momentum,
                                             .decay = run->options.decay};
    run->behind = train_pipeline_delay(delay, run->ranks);
    run->delay = delay == TRAIN_SYNC ? 0 : delay == TRAIN_2BW ? 1 : 1 + (size_t)run->ranks;
    return set_up(run, line, fault);
}

/* Collective: a window may go once nobody puts any more. */
static void line_close(struct train_run *run)
{
    struct line *line = run->kept;
    unsigned none = 0;
    struct train_fault fault = {.text = ""};
    if (!line)
        return;
    if (line->plan)
        summand_plan_free(&line->plan);
    if (line->onesided.window) {
        train_flags(run, &none, &fault);
        line->onesided.window->transport->close(line->onesided.window);
    }
    for (int p = 0; p < SUMMAND__MOST_PLACES; p++)
        free(line->memory[p]);
    summand__recording_free(&line->recording);
    free(line);
    run->kept = NULL;
}

/* Collective. */
static bool make_plan(struct train_run *run, struct line *line, double rate,
                      struct train_fault *fault)
{
    struct summand__schedule schedule;
    const uint64_t starts = line->onesided.starts; /* counters of the window go on from there */
    line->pipeline.rate = rate;
    if (line->plan && !train_check(summand_plan_free(&line->plan), "the pipeline's plan", fault))
        return false;
    bool built = build(line, run->rank, &schedule);
    struct summand__plan_parts parts = {
        .root = SUMMAND_ALL_RANKS,
        .operator= {.extent = sizeof(float), .reduce = reduce, .copy = copy},
        .datatype = MPI_FLOAT,
        .schedule = &schedule,
        .onesided = &line->onesided,
        .hooks = &hooks,
        .work = line};
    if (!train_run_agree(run, built, fault)) {
        if (built)
            summand__schedule_free(&schedule);
        return false;
    }
    int code = summand__plan_tag(line->state, &parts.tag);
    if (code != MPI_SUCCESS)
        summand__schedule_free(&schedule);
    else
        code = summand__plan_make_together(line->state, code, &parts, &line->plan);
    line->onesided.starts = starts;
    return train_check(code, "the pipeline's plan", fault);
}

/* Samples and classes in the epoch's order, where they are wanted. */
static void give_samples(const struct train_run *run, const struct line *line)
{
    const struct train_samples *from = &run->data->train;
    size_t bytes = from->features * (from->bytes ? 1 : sizeof(float));
    size_t classes = run->shape->widths[run->shape->layers];
    unsigned char *samples = place(line, line->places.samples);
    float *targets = place(line, line->places.targets);
    if (targets)
        memset(targets, 0, run->train * classes * sizeof *targets);
    for (size_t i = 0; i < run->train && (samples || targets); i++) {
        size_t sample = train_run_sample(run, i);
        if (samples)
            memcpy(samples + i * bytes, (const char *)from->values + sample * bytes, bytes);
        if (targets)
            targets[i * classes + (size_t)from->label[sample]] = 1;
    }
}

/* A stage's weights, or velocities, lie together: to its place, or back from there. */
static void move_weights(const struct train_run *run, const struct line *line, bool back)
{
    int first = line->pipeline.first[run->rank], last = line->pipeline.first[run->rank + 1] - 1;
    const struct train_weights *all[] = {&run->weights, &run->velocity};
    const uint32_t places[] = {line->places.weights, line->places.velocity};
    for (int i = 0; i < 2; i++) {
        const struct train_matrix *end = &all[i]->layer[last];
        float *own = all[i]->layer[first].at, *there = place(line, places[i]);
        if (!there)
            continue;
        size_t bytes = (size_t)(end->at + end->rows * end->ld - own) * sizeof *own;
        memcpy(back ? own : there, back ? there : own, bytes);
    }
}

static void take_scores(struct train_run *run, const struct line *line)
{
    const float *scores = place(line, line->places.scores);
    struct train_tally *tally = &run->tally;
    for (size_t i = 0; scores && i < run->train; i++) {
        float loss = scores[2 * i];
        summand_exact_add_f32(&tally->loss, 1, &loss);
        tally->samples++;
        tally->right += scores[2 * i + 1] > 0;
        if (!(loss - loss == 0) && !tally->bad)
            tally->bad = run->epoch * train_run_batches(run) + i / run->options.batch + 1;
    }
}

static bool share_weights(struct train_run *run, const struct line *line, struct train_fault *fault)
{
    const int *first = line->pipeline.first;
    bool good = true;
    for (int g = 0; g < run->ranks && good; g++)
        good = train_share(run, &run->weights, first[g], first[g + 1] - 1, g, fault) &&
               (!run->velocity.memory ||
                train_share(run, &run->velocity, first[g], first[g + 1] - 1, g, fault));
    return good;
}

void train_stages_record(struct train_run *run)
{
    ((struct line *)run->kept)->records = true;
}

size_t train_stages_recorded(const struct train_run *run, size_t first, size_t count,
                             struct summand__recorded *to)
{
    const struct line *line = run->kept;
    const struct summand__recording *recording = &line->recording;
    size_t end = recording->count < recording->room ? recording->count : recording->room;
    for (size_t i = first; to && i < end && i < first + count; i++)
        to[i - first] = summand__recording_read(&line->plan->execution, recording, i);
    return end;
}

/* Room for a step, and for looks in vain that the wait for a plan comes back from. Without memory
 * nothing is recorded, which the reader sees. */
static void begin_recording(struct line *line)
{
    enum { LOOKS = 8, MORE = 4096 };
    size_t steps = line->plan->execution.tables->schedule.length;
    summand__recording_free(&line->recording);
    if (summand__recording_init(&line->recording, LOOKS * steps + MORE))
        line->onesided.recording = &line->recording;
}

static bool line_epoch(struct train_run *run, double rate, struct train_fault *fault)
{
    struct line *line = run->kept;
    bool same = memcmp(&rate, &line->pipeline.rate, sizeof rate) == 0;
    if ((!line->plan || !same) && !make_plan(run, line, rate, fault))
        return false;
    give_samples(run, line);
    move_weights(run, line, false);
    if (line->records)
        begin_recording(line);
    int code = summand_plan_start(line->plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(line->plan);
    line->onesided.recording = NULL;
    if (!train_check(code, "an epoch in stages", fault))
        return false;
    move_weights(run, line, true);
    take_scores(run, line);
    return share_weights(run, line, fault);
}

static bool open_sync(struct train_run *run, struct train_fault *fault)
{
    return line_open(run, TRAIN_SYNC, fault);
}

static bool open_stashed(struct train_run *run, struct train_fault *fault)
{
    return line_open(run, TRAIN_STASHED, fault);
}

static bool open_2bw(struct train_run *run, struct train_fault *fault)
{
    return line_open(run, TRAIN_2BW, fault);
}

#define MODE(word, text, opener)                                                                   \
    {                                                                                              \
        .name = word, .description = text, .interval = 1, .open = opener, .close = line_close,     \
        .epoch = line_epoch, .combine = train_combine, .flags = train_flags                        \
    }

const struct train_mode train_mode_sync =
    MODE("sync", "stages; a batch in pieces, the pipeline empty between batches", open_sync);
const struct train_mode train_mode_stashed =
    MODE("stashed", "stages; weights that are behind by a fixed number of batches", open_stashed);
const struct train_mode train_mode_2bw =
    MODE("2bw", "stages; a batch in pieces, weights that are one batch behind", open_2bw);
