/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipelines on ranks: a plan is started for each stretch of an epoch. After a stretch the pipeline
 * is empty, and the ranks agree whether to stop. All ranks have all weights between epochs, for
 * evaluation and checkpoints. */
#include "train/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/reduce.h>

#include "compute/mpi/onesided.h"
#include "train/mpi/modes.h"
#include "train/mpi/together.h"

/* Batches of a stretch; in sync the pipeline is empty between any two. */
enum { STRETCH = 256, STRETCH_OF_SYNC = 32 };

/* Distinguishes TRAIN_LAST from TRAIN_STASHED and from twins (train_poad_mark) in checkpoints. */
enum { OF_LAST = 1 << 16 };

/* The schedule of a stretch of so many samples, with its own window, whose counters continue from
 * start to start. */
struct stretch {
    struct train_pipeline pipeline;
    struct summand__onesided onesided;
    summand_plan *plan;
};

struct line {
    struct stretch of[2]; /* whole ones, and the last of an epoch */
    struct train_stage_places places;
    struct summand__state *state;
    bool records;
    struct summand__recording recording; /* of the last epoch */
    void *memory[SUMMAND__MOST_PLACES];  /* of all places except windows */
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
    const struct stretch *stretch = work;
    snprintf(text, room, "%zu samples through %d stages", stretch->pipeline.samples,
             stretch->pipeline.stages);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = before, .describe = describe};

static void *place(const struct line *line, uint32_t place)
{
    return place == UINT32_MAX ? NULL : line->memory[place - SUMMAND__PLACES];
}

/* Memory for the places that are no windows, for a whole stretch; shorter stretches use the same
 * places. */
static bool make_memory(struct train_run *run, struct line *line,
                        const struct summand__schedule *schedule)
{
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        size_t bytes = info->unit * info->count;
        run->bytes += info->kind == SUMMAND__WINDOW ? 2 * bytes : bytes; /* of both stretches */
        if (info->kind == SUMMAND__WINDOW)
            continue;
        if (posix_memalign(&line->memory[p], 64, bytes + 64)) {
            line->memory[p] = NULL;
            return false;
        }
        memset(line->memory[p], 0, bytes);
        for (int i = 0; i < 2; i++)
            line->of[i].onesided.place[p] = line->memory[p];
    }
    train_pipeline_fill(&line->of[0].pipeline, run->rank, line->places.slots,
                        place(line, line->places.x));
    return true;
}

/* Collective: frees a window once no rank puts any more. */
static void close_stretch(struct train_run *run, struct stretch *stretch)
{
    unsigned none = 0;
    struct summand__net_fault fault = {.text = ""};
    if (stretch->plan)
        summand_plan_free(&stretch->plan);
    if (stretch->onesided.window) {
        train_flags(run, &none, &fault);
        summand__plan_window_close(&stretch->onesided);
    }
}

/* The schedule of this rank, for the rate; false when out of memory. */
static bool build(struct line *line, const struct stretch *stretch, int rank,
                  struct summand__schedule *schedule)
{
    summand__schedule_init(schedule);
    train_pipeline_build(&stretch->pipeline, rank, schedule, &line->places);
    bool good = !schedule->failed; /* freeing resets it */
    if (!good)
        summand__schedule_free(schedule);
    return good;
}

static bool is_possible(const struct train_run *run, struct line *line,
                        struct summand__net_fault *fault)
{
    return train_pipeline_cut(&line->of[0].pipeline, run->ranks) ||
           summand__net_fail(fault, "%d layers are too few for %d stages", run->shape->layers,
                             run->ranks);
}

static size_t piece_of(const struct train_run *run, enum train_delay delay)
{
    size_t batch = run->options.batch, piece = run->options.piece;
    return !train_pipeline_whole(delay) && piece && piece <= batch
               ? piece
               : train_pipeline_piece(delay, run->ranks, batch);
}

static bool set_up(struct train_run *run, struct line *line, struct summand__net_fault *fault)
{
    struct summand__schedule schedule;
    bool good = is_possible(run, line, fault);
    bool built = good && build(line, &line->of[0], run->rank, &schedule);
    if (good && (!built || !make_memory(run, line, &schedule)))
        good = summand__net_fail_memory(fault);
    int code = MPI_SUCCESS;
    if (train_run_agree(run, good, fault))
        code = summand__state_of(train_comm(run), &line->state);
    else
        good = false;
    if (built)
        summand__schedule_free(&schedule);
    line->of[1].pipeline = line->of[0].pipeline;
    line->of[1].pipeline.samples = 0;
    return train_check(code, "stages of the pipeline", fault) && good;
}

static bool line_open(struct train_run *run, enum train_delay delay,
                      struct summand__net_fault *fault)
{
    train_take_ranks(run);
    struct line *line = calloc(1, sizeof *line);
    run->kept = line;
    if (!train_run_agree(run, line, fault))
        return false;
    train_run_stretch(run, delay == TRAIN_SYNC ? STRETCH_OF_SYNC : STRETCH);
    size_t samples = run->stretch * run->options.batch;
    line->of[0].pipeline =
        (struct train_pipeline){.shape = run->shape,
                                .arithmetic = run->arithmetic,
                                .bytes = run->data->train.bytes,
                                .delay = delay,
                                .samples = samples < run->train ? samples : run->train,
                                .batch = run->options.batch,
                                .piece = piece_of(run, delay),
                                .rate = run->options.rate,
                                .momentum = run->options.momentum,
                                .decay = run->options.decay};
    run->behind = train_pipeline_delay(delay, run->ranks);
    run->delay = delay == TRAIN_SYNC   ? 0
                 : delay == TRAIN_2BW  ? 1
                 : delay == TRAIN_LAST ? OF_LAST + (size_t)run->ranks
                                       : 1 + (size_t)run->ranks;
    return set_up(run, line, fault);
}

/* Collective. */
static void line_close(struct train_run *run)
{
    struct line *line = run->kept;
    if (!line)
        return;
    for (int i = 0; i < 2; i++)
        close_stretch(run, &line->of[i]);
    for (int p = 0; p < SUMMAND__MOST_PLACES; p++)
        free(line->memory[p]);
    summand__recording_free(&line->recording);
    free(line);
    run->kept = NULL;
}

/* Alike on all ranks. */
static bool has_windows(const struct summand__schedule *schedule)
{
    bool found = false;
    for (unsigned p = 0; p < schedule->places; p++)
        found = found || schedule->info[p].kind == SUMMAND__WINDOW;
    return found;
}

/* Reuses the existing window if it has the same number of samples. */
static int make_parts(struct line *line, struct stretch *stretch,
                      struct summand__schedule *schedule)
{
    struct summand__plan_parts parts = {
        .root = SUMMAND_ROOT_ALL,
        .operator= {.extent = sizeof(float), .reduce = reduce, .copy = copy},
        .datatype = MPI_FLOAT,
        .schedule = schedule,
        .onesided = &stretch->onesided,
        .hooks = &hooks,
        .work = stretch};
    int code = MPI_SUCCESS;
    if (!stretch->onesided.window)
        stretch->onesided.starts = 0;
    if (!stretch->onesided.window && has_windows(schedule))
        code = summand__plan_window_open(line->state, schedule, false, &stretch->onesided);
    const uint64_t starts =
        stretch->onesided.starts; /* the window's counters continue from there */
    if (code == MPI_SUCCESS)
        code = summand__plan_tag(line->state, &parts.tag);
    if (code != MPI_SUCCESS)
        summand__schedule_free(schedule);
    else
        code = summand__plan_make_together(line->state, code, &parts, &stretch->plan);
    stretch->onesided.starts = starts;
    return code;
}

/* Collective. */
static bool make_plan(struct train_run *run, struct line *line, struct stretch *stretch,
                      size_t samples, double rate, struct summand__net_fault *fault)
{
    struct summand__schedule schedule;
    stretch->pipeline.rate = rate;
    if (stretch->pipeline.samples != samples)
        close_stretch(run, stretch);
    stretch->pipeline.samples = samples;
    if (stretch->plan &&
        !train_check(summand_plan_free(&stretch->plan), "the pipeline's plan", fault))
        return false;
    bool built = build(line, stretch, run->rank, &schedule);
    if (train_run_agree(run, built, fault))
        return train_check(make_parts(line, stretch, &schedule), "the pipeline's plan", fault);
    if (built)
        summand__schedule_free(&schedule);
    return false;
}

/* Copies samples and targets in the epoch's order, if needed. */
static void give_samples(const struct train_run *run, const struct line *line, size_t first,
                         size_t count)
{
    const struct train_samples *from = &run->data->train;
    size_t bytes = from->features * (from->bytes ? 1 : sizeof(float));
    size_t outputs = run->shape->widths[run->shape->layers];
    unsigned char *samples = place(line, line->places.samples);
    float *targets = place(line, line->places.targets);
    size_t sample[TRAIN_AHEAD];
    for (size_t i = 0, n; i < count && (samples || targets); i += n) {
        n = count - i < TRAIN_AHEAD ? count - i : TRAIN_AHEAD;
        train_run_samples(run, first + i, n, sample);
        for (size_t j = 0; j < n && samples; j++)
            memcpy(samples + (i + j) * bytes, (const char *)from->values + sample[j] * bytes,
                   bytes);
        for (size_t j = 0; j < n && targets; j++)
            train_sample_target(from, sample[j], outputs, targets + (i + j) * outputs);
    }
}

/* A keeper's weights, or velocities, are contiguous: copies them to its place, or back. */
static void move_weights(const struct train_run *run, const struct line *line, bool back)
{
    const struct train_pipeline *p = &line->of[0].pipeline;
    int first = p->first[run->rank], last = train_pipeline_last_kept(p, run->rank);
    const struct summand__net_weights *all[] = {&run->weights, &run->velocity};
    const uint32_t places[] = {line->places.weights, line->places.velocity};
    for (int i = 0; i < 2; i++) {
        const struct summand__net_matrix *end = &all[i]->layer[last];
        float *own = all[i]->layer[first].at, *there = place(line, places[i]);
        if (!there)
            continue;
        size_t bytes = (size_t)(end->at + end->rows * end->ld - own) * sizeof *own;
        memcpy(back ? own : there, back ? there : own, bytes);
    }
}

static void take_scores(struct train_run *run, const struct line *line, size_t count)
{
    const float *scores = place(line, line->places.scores);
    struct train_tally *tally = &run->tally;
    for (size_t i = 0; scores && i < count; i++) {
        float loss = scores[2 * i];
        summand_exact_add_f32(&tally->loss, 1, &loss);
        tally->samples++;
        tally->right += scores[2 * i + 1] > 0;
        if (!(loss - loss == 0) && !tally->bad)
            tally->bad =
                run->epoch * train_run_batches(run) + run->batch + i / run->options.batch + 1;
    }
}

static bool share_weights(struct train_run *run, const struct line *line,
                          struct summand__net_fault *fault)
{
    const struct train_pipeline *p = &line->of[0].pipeline;
    bool good = true;
    for (int g = 0; g < run->ranks && good; g++) {
        int first = p->first[g], last = p->first[g + 1] - 1, root = train_pipeline_keeper(p, g);
        good =
            train_share(run, &run->weights, first, last, root, fault) &&
            (!run->velocity.memory || train_share(run, &run->velocity, first, last, root, fault));
    }
    return good;
}

static void line_record(struct train_run *run)
{
    ((struct line *)run->kept)->records = true;
}

static size_t line_recorded(const struct train_run *run, size_t first, size_t count,
                            struct summand__recorded *to)
{
    const struct line *line = run->kept;
    const struct summand__recording *recording = &line->recording;
    size_t end = recording->count < recording->room ? recording->count : recording->room;
    for (size_t i = first; to && i < end && i < first + count; i++)
        to[i - first] = summand__plan_recorded(line->of[0].plan, recording, i);
    return end;
}

/* Without memory nothing is recorded; the reader sees that. */
static void begin_recording(struct line *line)
{
    summand__recording_free(&line->recording);
    if (summand__plan_recording_init(line->of[0].plan, &line->recording))
        summand__plan_record(line->of[0].plan, &line->recording);
}

static bool line_stretch(struct train_run *run, size_t first, size_t count, double rate,
                         struct summand__net_fault *fault)
{
    struct line *line = run->kept;
    struct stretch *stretch = &line->of[count != line->of[0].pipeline.samples];
    bool same = stretch->pipeline.samples == count &&
                memcmp(&rate, &stretch->pipeline.rate, sizeof rate) == 0;
    if ((!stretch->plan || !same) && !make_plan(run, line, stretch, count, rate, fault))
        return false;
    give_samples(run, line, first, count);
    if (line->records && first == 0)
        begin_recording(line);
    int code = summand_plan_start(stretch->plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(stretch->plan);
    if (line->of[0].plan)
        summand__plan_record(line->of[0].plan, NULL);
    if (!train_check(code, "batches in stages", fault))
        return false;
    take_scores(run, line, count);
    return true;
}

static bool line_take(struct train_run *run, struct summand__net_fault *fault)
{
    (void)fault;
    move_weights(run, run->kept, false);
    return true;
}

static bool line_give(struct train_run *run, struct summand__net_fault *fault)
{
    move_weights(run, run->kept, true);
    return share_weights(run, run->kept, fault);
}

static bool open_sync(struct train_run *run, struct summand__net_fault *fault)
{
    return line_open(run, TRAIN_SYNC, fault);
}

static bool open_stashed(struct train_run *run, struct summand__net_fault *fault)
{
    return line_open(run, TRAIN_STASHED, fault);
}

static bool open_2bw(struct train_run *run, struct summand__net_fault *fault)
{
    return line_open(run, TRAIN_2BW, fault);
}

static bool open_last(struct train_run *run, struct summand__net_fault *fault)
{
    return line_open(run, TRAIN_LAST, fault);
}

#define MODE(word, text, opener)                                                                   \
    {                                                                                              \
        .name = word, .description = text, .interval = 1, .open = opener, .close = line_close,     \
        .batch = line_stretch, .take = line_take, .give = line_give, .combine = train_combine,     \
        .flags = train_flags, .record = line_record, .recorded = line_recorded                     \
    }

const struct train_mode train_mode_sync =
    MODE("sync", "stages; a batch in pieces, the pipeline empty between batches", open_sync);
const struct train_mode train_mode_stashed =
    MODE("stashed", "stages; weights that are behind by a fixed number of batches", open_stashed);
const struct train_mode train_mode_2bw =
    MODE("2bw", "stages; a batch in pieces, weights that are one batch behind", open_2bw);
const struct train_mode train_mode_last =
    MODE("stashed --update last",
         "stages; all weights improved in stage 0, and behind by as many batches", open_last);
