#include "gossip_study.h"

#include "gossip.h"

#include "gossip/data.h"
#include "gossip/parallel.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct study *study;
    const struct study_grid *grid;
    double *values;
    bool *known;
    FILE *part;
    int next, done;
    pthread_mutex_t lock;
};

static void path_of(const struct study *study, const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s/%s%s", study->directory, study->name, ending);
}

static void head_of(const struct job *job, char *head, size_t room)
{
    snprintf(head, room, "%s %s seed %llu cells %d width %d\n", job->study->name,
             job->study->quick ? "quick" : "full", (unsigned long long)job->study->seed,
             job->grid->cells, job->grid->width);
}

/* Cells that an interrupted run left. */
static void load_part(struct job *job, const char *path)
{
    char head[192], line[192];
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    head_of(job, head, sizeof head);
    int cell;
    bool mine = fgets(line, sizeof line, in) && !strcmp(line, head);
    while (mine && fscanf(in, "%d", &cell) == 1 && cell >= 0 && cell < job->grid->cells) {
        double *values = job->values + (size_t)cell * job->grid->width;
        int got = 0;
        while (got < job->grid->width && fscanf(in, "%lf", &values[got]) == 1)
            got++;
        char end[4] = "";
        if (got < job->grid->width || fscanf(in, "%3s", end) != 1 || strcmp(end, ";"))
            break;
        job->done += !job->known[cell];
        job->known[cell] = true;
    }
    fclose(in);
}

static bool open_part(struct job *job, const char *path)
{
    char head[192];
    job->part = fopen(path, "w");
    if (!job->part) {
        complain("gossip", "%s: %s", path, strerror(errno));
        return false;
    }
    head_of(job, head, sizeof head);
    fputs(head, job->part);
    return true;
}

static void keep(struct job *job, int cell)
{
    if (!job->part)
        return;
    fprintf(job->part, "%d", cell);
    for (int k = 0; k < job->grid->width; k++)
        fprintf(job->part, " %a", job->values[(size_t)cell * job->grid->width + k]);
    fputs(" ;\n", job->part);
    fflush(job->part);
}

static void work(void *context, int t, int threads)
{
    (void)t, (void)threads;
    struct job *job = context;
    for (;;) {
        pthread_mutex_lock(&job->lock);
        while (job->next < job->grid->cells && job->known[job->next])
            job->next++;
        int cell = job->next++;
        pthread_mutex_unlock(&job->lock);
        if (cell >= job->grid->cells)
            return;
        job->grid->compute(job->study, job->grid->context, cell,
                           job->values + (size_t)cell * job->grid->width);
        pthread_mutex_lock(&job->lock);
        keep(job, cell);
        job->done++;
        pthread_mutex_unlock(&job->lock);
        gossip_progress(job->study->name, job->done, job->grid->cells);
    }
}

double *study_compute(const struct study *study, const struct study_grid *grid)
{
    char path[4096];
    struct job job = {.study = study, .grid = grid};
    path_of(study, ".part", path, sizeof path);
    job.values = calloc((size_t)grid->cells * grid->width, sizeof *job.values);
    job.known = calloc((size_t)grid->cells, sizeof *job.known);
    pthread_mutex_init(&job.lock, NULL);
    bool good = job.values && job.known;
    if (!good)
        complain("gossip", "out of memory");
    if (good && study->directory) {
        load_part(&job, path);
        good = open_part(&job, path);
    }
    if (good) {
        for (int cell = 0; cell < grid->cells; cell++)
            if (job.known[cell])
                keep(&job, cell);
        summand__parallel(summand__threads(study->threads), work, &job);
    }
    if (job.part) {
        fclose(job.part);
        remove(path);
    }
    pthread_mutex_destroy(&job.lock);
    free(job.known);
    if (!good) {
        free(job.values);
        job.values = NULL;
    }
    return job.values;
}

void study_claim(struct study *study, bool holds, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("  %s ", holds ? "holds         " : "DOES NOT HOLD ");
    vprintf(format, list);
    putchar('\n');
    va_end(list);
    study->claims++;
    study->held += holds;
}

FILE *study_csv(const struct study *study, const char *head)
{
    char path[4096];
    path_of(study, ".csv", path, sizeof path);
    FILE *out = fopen(path, "w");
    if (out)
        fprintf(out, "%s\n", head);
    else
        complain("gossip", "%s: %s", path, strerror(errno));
    return out;
}

int study_draw(const struct study *study, const char *title, struct svg_chart *charts, int count)
{
    enum { WIDTH = 560, HEIGHT = 380, TOP = 70 };
    char path[4096];
    path_of(study, ".svg", path, sizeof path);
    FILE *out = fopen(path, "w");
    if (!out)
        return complain("gossip", "%s: %s", path, strerror(errno));
    svg_begin(out, WIDTH * count, HEIGHT + TOP, title);
    svg_text(out, 20, 22, "font-size=\"15\"", title);
    for (int c = 0; c < count; c++) {
        charts[c].left = WIDTH * c;
        charts[c].top = TOP;
        charts[c].width = WIDTH;
        charts[c].height = HEIGHT;
        svg_chart(out, &charts[c]);
        svg_legend(out, charts[c].series, charts[c].count, WIDTH * c + 20, 48);
    }
    svg_end(out);
    if (fclose(out))
        return complain("gossip", "%s: %s", path, strerror(errno));
    printf("wrote %s and %s/%s.csv\n", path, study->directory, study->name);
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double study_quantile(double *values, int n, double q)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    double at = q * (n - 1);
    int below = (int)at;
    return below + 1 < n ? values[below] + (at - below) * (values[below + 1] - values[below])
                         : values[n - 1];
}

double study_clip(double value)
{
    return value > 1e-17 ? fmin(value, 1e3) : value <= 1e-17 ? 1e-17 : 1e3;
}

struct summand__events_outcome study_events(const struct study *study, const struct study_run *run,
                                            int number)
{
    enum { MOST = 4096 };
    double values[MOST];
    struct summand__events_outcome outcome = {0};
    int n = (int)run->topology->n;
    uint64_t seed = summand__stream(study->seed, (uint64_t)number);
    for (int i = 0; i < n && i < MOST; i++)
        values[i] = summand__datum(SUMMAND__DATA_UNIFORM, seed, n, i);
    struct summand__events_setup setup = {
        .algorithm = summand__gossip_named(run->algorithm),
        .arith = &summand__arith_double,
        .topology = run->topology,
        .values = values,
        .seed = seed,
        .tau = run->tau,
        .eps = 1e-14,
        .most_messages = run->most,
        .period = {1, 0.2, false},
        .latency = {0.75, 2.0 / 3, false},
        .fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, run->bit},
        .fault_after = run->after,
        .fault_rate = run->rate,
        .stop_rank = -1,
        .watch = run->watch,
        .context = run->context};
    if (!summand__events_run(&setup, &outcome))
        outcome.error = INFINITY;
    return outcome;
}
