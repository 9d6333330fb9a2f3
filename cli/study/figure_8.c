/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 8 and 11: real processes, or SimGrid's simulated ones. Run under mpirun or smpirun; rank
 * counts 2, 4, 8, ... (or the given ones) up to the available ranks, by communicators of the first
 * ranks. Rank 0 writes. */
#include "cli/study/experiment.h"

#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"
#include "cli/ranks/agree.h"
#include "lab/gossip/data.h"
#include "lab/gossip/interval.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/gossip.h>

enum { SIZES = 16, SERIES = 5, MOST_ROUNDS = 200 };

struct world {
    int rank, ranks;
    MPI_Comm few; /* the first `size` ranks; MPI_COMM_NULL on the others */
    int size;
    int sizes, at[SIZES]; /* the rank counts: from the least by a factor */
    int factor;
    struct study_grid grid;
    struct study_part part; /* its cells: on rank 0 */
    double *values;         /* of all cells; on all ranks those of an interrupted run */
    char *known;
};

static const char *kind_of_processes(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    return strstr(text, "SMPI") ? "simulated processes" : "real processes";
}

/* Where and when the times were measured. */
static void title_of(const char *what, char *title, size_t room)
{
    char setting[SETTING_ROOM];
    setting_line(NULL, setting, sizeof setting);
    snprintf(title, room, "%s; %s", what,
             strncmp(kind_of_processes(), "real", 4) ? kind_of_processes() : setting);
}

static bool open_world(struct world *w, const struct study *study)
{
    *w = (struct world){.rank = 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->ranks);
    if (w->ranks < 2)
        complain("figure", "this figure needs several ranks: mpirun -np 8 summand-study "
                           "figure N");
    w->factor = study->factor ? study->factor : 2;
    for (int64_t size = study->least ? study->least : 2; size <= w->ranks && w->sizes < SIZES;
         size *= w->factor)
        w->at[w->sizes++] = (int)size;
    if (w->ranks > 1 && !w->sizes)
        complain("figure", "--least %d is more than the %d ranks", study->least, w->ranks);
    return w->ranks > 1 && w->sizes;
}

/* `cells` of `width` values per rank count. All ranks learn which cells are finished. */
static bool open_cells(struct world *w, struct study *study, int cells, int width)
{
    bool good = true;
    study_note(study, " ranks %d least %d factor %d, %s", w->ranks, w->at[0], w->factor,
               kind_of_processes());
    w->grid = (struct study_grid){.cells = w->sizes * cells, .width = width};
    w->known = calloc((size_t)w->grid.cells, 1);
    if (!w->rank)
        good = study_part_open(&w->part, study, &w->grid);
    else
        w->values = calloc((size_t)w->grid.cells * (size_t)width, sizeof *w->values);
    if (!agree_fine(good && w->known && (w->values || !w->rank)))
        return false;
    for (int cell = 0; !w->rank && cell < w->grid.cells; cell++)
        w->known[cell] = w->part.known[cell];
    if (!w->rank)
        w->values = w->part.values;
    MPI_Bcast(w->known, w->grid.cells, MPI_CHAR, 0, MPI_COMM_WORLD);
    return true;
}

static void close_world(struct world *w)
{
    if (!w->rank && w->part.values)
        w->values = study_part_close(&w->part);
    free(w->values);
    free(w->known);
}

/* The cell to compute here; NULL: finished, or this rank takes no part. */
static double *cell_of(const struct world *w, int cell)
{
    return w->known[cell] || w->few == MPI_COMM_NULL
               ? NULL
               : w->values + (size_t)cell * (size_t)w->grid.width;
}

static void keep_cell(struct world *w, int cell)
{
    if (w->rank)
        return;
    study_part_keep(&w->part, cell);
    gossip_progress(w->part.study->name, w->part.done, w->grid.cells);
}

static void enter(struct world *w, int size)
{
    w->size = size;
    MPI_Comm_split(MPI_COMM_WORLD, w->rank < size ? 0 : MPI_UNDEFINED, w->rank, &w->few);
}

static void leave(struct world *w)
{
    if (w->few != MPI_COMM_NULL)
        MPI_Comm_free(&w->few);
    MPI_Barrier(MPI_COMM_WORLD); /* idle ranks must not take processors from others */
}

static double input_of(uint64_t seed, int ranks, int rank)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, seed, ranks, rank);
}

static int runs_of_8(const struct study *study)
{
    return study_runs(study, 3, 20);
}

/* For size s and method m of a cell. Half: of the interval of the mean of milliseconds; 0 for one
 * run. */
enum { METHODS = 4, ALLREDUCE = METHODS - 1, MS = 0, ROUNDS_TAKEN, HALF, WIDTH_8 };

static void keep_times(const double *ms, int runs, double *values)
{
    struct summand__interval mean = summand__interval_of_mean(ms, runs);
    values[MS] = mean.middle;
    values[HALF] = mean.high - mean.middle;
}

/* Milliseconds of a push-sum to 1e-12 on a topology, mean over runs; negative: not reached. */
static void time_push_sum(const struct study *study, const struct world *w, const char *topology,
                          double *values)
{
    double ms[SUMMAND__INTERVAL_MOST];
    int runs = runs_of_8(study);
    values[MS] = -1;
    for (int r = 0; r < runs; r++) {
        summand_gossip_options o = summand_gossip_options_default();
        summand_gossip_report report;
        double x = input_of(study->seed + (uint64_t)r, w->size, w->rank), y;
        o.algorithm = "ps";
        o.form = SUMMAND_GOSSIP_DOUBLE;
        o.eps = 1e-12;
        o.max_rounds = 20000;
        o.topology = topology;
        o.seed = study->seed + (uint64_t)r;
        MPI_Barrier(w->few);
        double start = MPI_Wtime();
        if (summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, w->few, &o, &report) !=
                MPI_SUCCESS ||
            !report.converged)
            return;
        ms[r] = 1e3 * (MPI_Wtime() - start);
        values[ROUNDS_TAKEN] += (double)report.rounds / runs;
    }
    keep_times(ms, runs, values);
}

/* Ten all-reduces per run, because ranks do not leave one together. */
static void time_allreduce(const struct study *study, const struct world *w, double *values)
{
    enum { REPEAT = 10 };
    double ms[SUMMAND__INTERVAL_MOST], x = w->rank, y;
    int runs = runs_of_8(study);
    for (int r = 0; r < runs; r++) {
        MPI_Barrier(w->few);
        double start = MPI_Wtime();
        for (int k = 0; k < REPEAT; k++)
            MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, w->few);
        ms[r] = 1e3 * (MPI_Wtime() - start) / REPEAT;
    }
    keep_times(ms, runs, values);
}

/* The first call on a communicator fills caches: not timed. */
static void warm_up(const struct world *w)
{
    summand_gossip_options o = summand_gossip_options_default();
    double x = 1, y;
    o.algorithm = "rd";
    if (w->few != MPI_COMM_NULL)
        summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, w->few, &o, NULL);
}

static double value_8(const struct world *w, int s, int m, int what)
{
    return w->values[(s * METHODS + m) * WIDTH_8 + what];
}

static void judge_times(struct study *study, const double *last, const double *half, int ranks)
{
    study_claim(study, last[1] - half[1] > last[3] + half[3],
                "a naive MPI push-sum cannot compete with MPI's all-reduce: %.3f +-%.3f ms and "
                "%.3f +-%.3f ms on %d ranks; criterion: intervals apart",
                last[1], half[1], last[3], half[3], ranks);
    study_claim(study, last[0] - half[0] > last[1] + half[1],
                "fully connected is slower than the hypercube (congestion): %.3f +-%.3f ms and "
                "%.3f +-%.3f ms; criterion: intervals apart",
                last[0], half[0], last[1], half[1]);
}

static int draw_times(struct study *study, const struct world *w)
{
    int sizes = w->sizes;
    static const char *const names[] = {"full", "hypercube", "torus3", "MPI_Allreduce"};
    struct svg_point points[METHODS][SIZES];
    struct svg_series series[METHODS];
    FILE *csv = study_csv(study, "method,ranks,milliseconds,half_interval,rounds");
    if (!csv)
        return 1;
    bool reached = true;
    for (int m = 0; m < METHODS; m++) {
        series[m] = (struct svg_series){names[m], m, 0, points[m]};
        for (int s = 0; s < sizes; s++) {
            double t = value_8(w, s, m, MS);
            if (t == 0)
                continue;
            reached = reached && t > 0;
            double half = value_8(w, s, m, HALF);
            fprintf(csv, "%s,%d,%g,%g,%g\n", names[m], w->at[s], t, half,
                    value_8(w, s, m, ROUNDS_TAKEN));
            if (t > 0)
                points[m][series[m].points++] = (struct svg_point){
                    w->at[s], 1e-3 * t, 1e-3 * fmax(t - half, t / 10), 1e-3 * (t + half)};
        }
    }
    study_csv_close(study);
    double last[METHODS], half[METHODS];
    for (int m = 0; m < METHODS; m++) {
        last[m] = value_8(w, sizes - 1, m, MS);
        half[m] = value_8(w, sizes - 1, m, HALF);
    }
    study_claim(study, reached, "asynchronous push-sum reaches 1e-12 on all topologies and counts");
    if (runs_of_8(study) < 2)
        study_say(study,
                  "  %-14s one run has no interval: hypercube %.3f ms, fully connected %.3f "
                  "ms, all-reduce %.3f ms on %d ranks",
                  "not judged", last[1], last[0], last[3], w->at[sizes - 1]);
    else
        judge_times(study, last, half, w->at[sizes - 1]);
    char title[SETTING_ROOM + 64];
    title_of("eps 1e-12", title, sizeof title);
    struct svg_chart chart = {.title = title,
                              .x_label = "ranks",
                              .y_label = "time",
                              .y_unit = SVG_TIME,
                              .log_x = true,
                              .log_y = true,
                              .count = METHODS,
                              .series = series};
    return study_draw(study, "Figure 8: runtime of asynchronous push-sum", &chart, 1);
}

/* Above 256 ranks the torus needs more ticks than double arithmetic can resolve, and a simulation
 * takes hours. */
static int topologies_of(const struct study *study, int size)
{
    return study->quick && size > 256 ? 2 : 3;
}

int figure_8(struct study *study)
{
    static const char *const topologies[] = {"full", "hypercube", "torus3"};
    struct world w;
    int status = 1;
    if (!open_world(&w, study))
        return 1;
    bool good = open_cells(&w, study, METHODS, WIDTH_8);
    for (int s = 0; good && s < w.sizes; s++) {
        enter(&w, w.at[s]);
        warm_up(&w);
        for (int m = 0; m < METHODS; m++) {
            double *values = cell_of(&w, s * METHODS + m);
            if (values && m == ALLREDUCE)
                time_allreduce(study, &w, values);
            else if (values && m < topologies_of(study, w.at[s]))
                time_push_sum(study, &w, topologies[m], values);
            if (values)
                keep_cell(&w, s * METHODS + m);
        }
        leave(&w);
    }
    if (good && !w.rank)
        status = draw_times(study, &w);
    close_world(&w);
    return w.rank && good ? 0 : status;
}

struct trace {
    int count;
    double y[MOST_ROUNDS];
};

static void keep(void *context, int round, const double *y, int count)
{
    struct trace *trace = context;
    (void)round, (void)count;
    if (trace->count < MOST_ROUNDS)
        trace->y[trace->count++] = y[0];
}

/* Rounds after which rank 0's estimate is within eps of recursive doubling's result. */
static void root_rounds(const struct study *study, const struct world *w, int run,
                        const double *eps, double *rounds)
{
    struct trace trace = {0};
    summand_gossip_options o = summand_gossip_options_default();
    double x = input_of(study->seed, w->size, w->rank), truth, y;
    o.algorithm = "rd";
    o.form = SUMMAND_GOSSIP_DOUBLE;
    o.average = 1;
    summand_gossip_allreduce(&x, &truth, 1, MPI_DOUBLE, MPI_SUM, w->few, &o, NULL);
    o.algorithm = "hps"; /* rank 0 is the root */
    o.form = SUMMAND_GOSSIP_SINGLE;
    o.eps = 1e-5;
    o.max_rounds = MOST_ROUNDS;
    o.seed = summand__stream(study->seed, (uint64_t)run);
    o.watch = keep;
    o.context = &trace;
    summand_gossip_report report; /* a result that misses eps is a point of the figure, too */
    summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, w->few, &o, &report);
    for (int k = 0; k < SERIES - 1; k++) {
        rounds[k] = NAN;
        for (int r = trace.count; r > 0; r--) {
            double error = fabs(trace.y[r - 1] - truth) / truth;
            if (error <= eps[k])
                rounds[k] = r;
        }
    }
}

static void judge_rounds(struct study *study, struct svg_point points[SERIES][SIZES],
                         const double *half, int ranks, int last)
{
    double doubling = points[SERIES - 1][last].y;
    study_claim(study, points[2][last].y - half[2] > doubling,
                "on few ranks HPS needs more than log2 N rounds: %.1f +-%.1f to 1e-4 on %d ranks; "
                "criterion: interval above log2 N",
                points[2][last].y, half[2], ranks);
    study_claim(study, points[0][last].y + half[0] < doubling,
                "HPS needs fewer rounds than recursive doubling for low accuracy: %.1f +-%.1f to "
                "1e-2, %.0f; criterion: interval below",
                points[0][last].y, half[0], doubling);
}

static int draw_rounds(struct study *study, const struct world *w, const double *mean,
                       const double *deviation, int runs)
{
    int sizes = w->sizes;
    static const char *const names[] = {"1e-2", "1e-3", "1e-4", "1e-5", "recursive doubling"};
    struct svg_point points[SERIES][SIZES];
    struct svg_series series[SERIES];
    FILE *csv = study_csv(study, "eps,ranks,mean_rounds,standard_error");
    if (!csv)
        return 1;
    for (int k = 0; k < SERIES; k++) {
        series[k] = (struct svg_series){names[k], k, sizes, points[k]};
        for (int s = 0; s < sizes; s++) {
            double y = k == SERIES - 1 ? ceil(log2(w->at[s])) : mean[s * SERIES + k];
            double error = k == SERIES - 1 ? 0 : deviation[s * SERIES + k] / sqrt(runs);
            fprintf(csv, "%s,%d,%g,%g\n", names[k], w->at[s], y, error);
            points[k][s] = (struct svg_point){w->at[s], y, y - error, y + error};
        }
    }
    study_csv_close(study);
    int last = sizes - 1;
    double half[SERIES - 1]; /* of intervals */
    for (int k = 0; k < SERIES - 1; k++)
        half[k] = summand__interval_student(runs - 1) * (points[k][last].high - points[k][last].y);
    if (runs < 2)
        study_say(study, "  %-14s one run has no interval", "not judged");
    else
        judge_rounds(study, points, half, w->at[last], last);
    char title[SETTING_ROOM + 64];
    title_of("error at the root; standard error of the mean", title, sizeof title);
    struct svg_chart chart = {.title = title,
                              .x_label = "ranks",
                              .y_label = "rounds",
                              .log_x = true,
                              .count = SERIES,
                              .series = series};
    return study_draw(study, "Figure 11: HPS as an MPI program", &chart, 1);
}

/* Mean and deviation over the runs of one rank count. */
static void sum_up(const struct world *w, int s, int runs, double *mean, double *deviation)
{
    for (int k = 0; k < SERIES - 1; k++) {
        double sum = 0, square = 0;
        for (int r = 0; r < runs; r++) {
            double rounds = w->values[(s * runs + r) * (SERIES - 1) + k];
            sum += rounds / runs;
            square += rounds * rounds / runs;
        }
        mean[s * SERIES + k] = sum;
        deviation[s * SERIES + k] = sqrt(fmax(0, square - sum * sum) * runs / fmax(1, runs - 1));
    }
}

int figure_11(struct study *study)
{
    static const double eps[SERIES - 1] = {1e-2, 1e-3, 1e-4, 1e-5};
    struct world w;
    double mean[SIZES * SERIES] = {0}, deviation[SIZES * SERIES] = {0};
    int status = 1, runs = study_runs(study, 10, 50);
    if (!open_world(&w, study))
        return 1;
    bool good = open_cells(&w, study, runs, SERIES - 1);
    for (int s = 0; good && s < w.sizes; s++) {
        enter(&w, w.at[s]);
        for (int r = 0; r < runs; r++) {
            double *rounds = cell_of(&w, s * runs + r);
            if (rounds) {
                root_rounds(study, &w, r, eps, rounds);
                keep_cell(&w, s * runs + r);
            }
        }
        leave(&w);
    }
    for (int s = 0; good && !w.rank && s < w.sizes; s++)
        sum_up(&w, s, runs, mean, deviation);
    if (good && !w.rank)
        status = draw_rounds(study, &w, mean, deviation, runs);
    close_world(&w);
    return w.rank && good ? 0 : status;
}
