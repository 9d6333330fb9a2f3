/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `summand train`: lines of epochs, progress within one, JSON, CSV. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/train/train.h"

void train_report_layers(const struct summand__net_shape *shape, char *text, size_t room)
{
    size_t used = 0;
    for (int l = 0; l <= shape->layers && used < room; l++)
        used += (size_t)snprintf(text + used, room - used, "%s%zu", l ? "-" : "", shape->widths[l]);
}

static size_t parameters_of(const struct summand__net_shape *shape)
{
    size_t count = 0;
    for (int l = 1; l <= shape->layers; l++)
        count += (shape->widths[l - 1] + 1) * shape->widths[l];
    return count;
}

static double megabytes(const struct train_run *run)
{
    size_t floats = run->weights.floats + run->velocity.floats + run->best.floats;
    for (int l = 0; l <= run->shape->layers; l++)
        floats += 2 * run->pass.x[l].rows * run->pass.x[l].ld;
    size_t bytes = run->data->train.bytes ? 1 : sizeof(float);
    return ((double)floats * sizeof(float) +
            (double)(run->data->train.count + run->data->test.count) *
                (double)run->data->train.features * (double)bytes) /
           1e6;
}

void train_report_begin(struct train_report *report, const struct train_run *run)
{
    char layers[1024];
    report->start = MPI_Wtime();
    report->guess = train_run_guess(run);
    report->batches = run->epoch * train_run_batches(run) + run->batch;
    if (report->quiet)
        return;
    train_report_layers(run->shape, layers, sizeof layers);
    print_remark("network %s, %s, %s: %zu parameters; about %.0f MB on each rank with the samples",
                 layers, run->shape->hidden->name, run->shape->loss->name,
                 parameters_of(run->shape), megabytes(run));
    print_remark("%zu sample%s to train with, %zu for validation, %zu to test; batches of %zu, "
                 "rate %g (%s), mode %s on %d rank%s",
                 run->train, text_plural((long long)run->train), run->validation,
                 run->data->test.count, run->options.batch, run->options.rate,
                 run->options.schedule->name, run->mode->name, run->ranks, text_plural(run->ranks));
    if (run->epoch || run->batch)
        print_remark("goes on after epoch %zu, batch %zu", run->epoch, run->batch);
}

void train_report_memory(const struct train_run *run, MPI_Comm comm, bool quiet)
{
    double mine = 1e-6 * (double)run->bytes;
    double *all = run->rank ? NULL : malloc((size_t)run->ranks * sizeof *all);
    if (run->ranks > 1 && agree_fine(run->rank || all)) {
        MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = all && !quiet ? open_memstream(&text, &bytes) : NULL;
        double sum = 0;
        for (int r = 0; out && r < run->ranks; r++) {
            sum += all[r];
            fprintf(out, "%s %.1f", r ? "," : "", all[r]);
        }
        if (out && !fclose(out) && sum > 0)
            print_remark("stages keep more, in MB on each rank:%s", text);
        free(text);
    }
    free(all);
}

static const char row[] = "%5s  %9s %7s  %9s %7s  %7s  %7s %9s %7s";

void train_report_heads(const struct train_report *report)
{
    if (report->quiet)
        return;
    print_line(row, "epoch", "loss", "right/%", "val-loss", "right/%", "test/%", "time/s",
               "samples/s", "left/s");
    fflush(stdout);
}

/* Seconds of the remaining work at the speed so far. */
static double left(const struct train_report *report, const struct train_run *run)
{
    size_t batches = train_run_batches(run), done = run->epoch * batches + run->batch;
    size_t since = done > report->batches ? done - report->batches : 1;
    double each = (MPI_Wtime() - report->start) / (double)since;
    return each * (double)(run->options.epochs * batches - done);
}

void train_report_batch(void *context, const struct train_run *run)
{
    struct train_report *report = context;
    char text[128];
    double time = MPI_Wtime();
    if (run->rank || time - report->shown < 0.1)
        return;
    report->shown = time;
    double n = (double)run->tally.samples; /* zero if another rank has the losses */
    double speed = (double)run->options.batch * (double)run->batch / run->seconds;
    if (n > 0 && run->data->train.target)
        snprintf(text, sizeof text, "epoch %zu: loss %.4g, %.0f samples/s, %.0f s left",
                 run->epoch + 1, summand_exact_round(&run->tally.loss) / n, speed,
                 left(report, run));
    else if (n > 0)
        snprintf(text, sizeof text, "epoch %zu: loss %.4f, %.2f %%, %.0f samples/s, %.0f s left",
                 run->epoch + 1, summand_exact_round(&run->tally.loss) / n,
                 100 * (double)run->tally.right / n, speed, left(report, run));
    else
        snprintf(text, sizeof text, "epoch %zu: %.0f samples/s, %.0f s left", run->epoch + 1, speed,
                 left(report, run));
    progress_show(text, (double)run->batch, (double)train_run_batches(run) + 1);
}

void train_report_score(const char *of, const struct train_score *score, size_t samples)
{
    if (isnan(score->accuracy))
        print_line("%s: loss %.6f of %zu sample%s", of, score->loss, samples,
                   text_plural((long long)samples));
    else
        print_line("%s: loss %.6f, %.2f %% of %zu sample%s right", of, score->loss,
                   100 * score->accuracy, samples, text_plural((long long)samples));
}

/* A mean, or a dash where there are no samples. */
static void mean_text(const char *format, double value, char text[24])
{
    if (isnan(value))
        snprintf(text, 24, "-");
    else
        snprintf(text, 24, format, value);
}

/* A loss may be finite, and yet above that of guessing: the first such epoch in a row says so. The
 * loss of the first epoch is a mean that begins with random weights. */
static void warn_of_collapse(struct train_report *report, const struct train_run *run)
{
    double loss = run->history[run->epoch - 1].train.loss;
    bool lost = run->epoch > 1 && loss > report->guess, first = lost && !report->lost;
    report->lost = lost;
    if (first && !run->rank)
        complain(command_train.name,
                 "warning: epoch %zu: its loss, %.4g, is above %.4g, that of guessing: nothing is "
                 "learnt; %s",
                 run->epoch, loss, report->guess, train_run_advice(run));
}

void train_report_end(const struct train_report *report, const struct train_run *run)
{
    if (report->lost && !run->rank)
        complain(command_train.name,
                 "warning: the training ends with a loss above that of guessing, %.4g",
                 report->guess);
}

void train_report_epoch(void *context, const struct train_run *run)
{
    struct train_report *report = context;
    const struct train_epoch *e = &run->history[run->epoch - 1];
    char epoch[24], mean[5][24], seconds[24], speed[24], rest[24];
    if (report->quiet) {
        warn_of_collapse(report, run);
        return;
    }
    progress_show("", 1, 1);
    snprintf(epoch, sizeof epoch, "%zu", run->epoch);
    mean_text("%.6f", e->train.loss, mean[0]);
    mean_text("%.2f", 100 * e->train.accuracy, mean[1]);
    mean_text("%.6f", e->validation.loss, mean[2]);
    mean_text("%.2f", 100 * e->validation.accuracy, mean[3]);
    mean_text("%.2f", 100 * e->test.accuracy, mean[4]);
    snprintf(seconds, sizeof seconds, "%.2f", e->seconds);
    snprintf(speed, sizeof speed, "%.0f", (double)run->train / e->seconds);
    snprintf(rest, sizeof rest, "%.1f", left(report, run));
    print_line(row, epoch, mean[0], mean[1], mean[2], mean[3], mean[4], seconds, speed, rest);
    fflush(stdout);
    warn_of_collapse(report, run);
}

static json_t *score_json(const struct train_score *score)
{
    return json_make("oo", "loss", json_finite(score->loss), "accuracy",
                     json_finite(score->accuracy));
}

/* Over all epochs, stages and batches. */
static struct train_lag lag_of(const struct train_run *run)
{
    struct train_lag lag = {0};
    for (size_t e = 0; e < run->epoch; e++) {
        const struct train_lag *of = &run->history[e].lag;
        lag.batches += of->batches;
        lag.sum += of->sum;
        lag.most = of->most > lag.most ? of->most : lag.most;
    }
    return lag;
}

void train_report_lag(const struct train_run *run)
{
    struct train_lag lag = lag_of(run);
    if (lag.batches)
        print_remark("forward weights were %.2f batches behind on average, at most %llu of %zu",
                     (double)lag.sum / (double)lag.batches, (unsigned long long)lag.most,
                     run->behind);
}

static json_t *lag_json(const struct train_run *run)
{
    struct train_lag lag = lag_of(run);
    if (!lag.batches)
        return json_null();
    return json_make("fII", "mean", (double)lag.sum / (double)lag.batches, "most",
                     (json_int_t)lag.most, "bound", (json_int_t)run->behind);
}

static json_t *curves_json(const struct train_run *run)
{
    json_t *list = json_array();
    for (size_t e = 0; e < run->epoch; e++) {
        const struct train_epoch *h = &run->history[e];
        json_array_append_new(list, json_make("Iooof", "epoch", (json_int_t)e + 1, "train",
                                              score_json(&h->train), "validation",
                                              score_json(&h->validation), "test",
                                              score_json(&h->test), "seconds", h->seconds));
    }
    return list;
}

json_t *train_report_json(const struct train_run *run, const struct train_words *words,
                          const char *end, const struct train_score *test)
{
    json_t *object = json_head(command_train.name), *layers = json_array();
    const struct train_options *o = &run->options;
    for (int l = 0; l <= run->shape->layers; l++)
        json_array_append_new(layers, json_integer((json_int_t)run->shape->widths[l]));
    json_object_update_new(
        object,
        json_make("sossssiIfsffI", "data", words->data, "layers", layers, "activation",
                  run->shape->hidden->name, "loss", run->shape->loss->name, "arithmetic",
                  run->arithmetic->name, "mode", run->mode->name, "ranks", run->ranks, "batch",
                  (json_int_t)o->batch, "rate", o->rate, "schedule", o->schedule->name, "momentum",
                  o->momentum, "decay", o->decay, "seed", (json_int_t)o->seed));
    json_object_update_new(
        object, json_make("sIIooooo", "end", end, "best_epoch", (json_int_t)run->best_epoch,
                          "parameters", (json_int_t)parameters_of(run->shape), "behind",
                          lag_json(run), "guessing", json_finite(train_run_guess(run)), "test",
                          score_json(test), "epochs", curves_json(run), "setting", setting_json()));
    return object;
}

static void csv_mean(FILE *out, double value, const char *behind)
{
    if (!isnan(value))
        fprintf(out, "%.9g", value);
    fputs(behind, out);
}

int train_write_csv(const struct train_run *run, const char *path)
{
    struct output output;
    double seconds = 0;
    json_t *setting = setting_json();
    if (!output_open(&output, command_train.name, path)) {
        json_decref(setting);
        return 1;
    }
    setting_csv_heads(output.file);
    fputs("mode,ranks,epoch,seconds,train_loss,train_accuracy,validation_loss,"
          "validation_accuracy,test_loss,test_accuracy\n",
          output.file);
    for (size_t e = 0; e < run->epoch; e++) {
        const struct train_epoch *h = &run->history[e];
        seconds += h->seconds;
        setting_csv_values(output.file, setting);
        fprintf(output.file, "%s,%d,%zu,%.6g,", run->mode->name, run->ranks, e + 1, seconds);
        csv_mean(output.file, h->train.loss, ",");
        csv_mean(output.file, h->train.accuracy, ",");
        csv_mean(output.file, h->validation.loss, ",");
        csv_mean(output.file, h->validation.accuracy, ",");
        csv_mean(output.file, h->test.loss, ",");
        csv_mean(output.file, h->test.accuracy, "\n");
    }
    json_decref(setting);
    return !output_close(&output, true);
}
