/* SPDX-License-Identifier: BSD-3-Clause */
/* summand train: trains networks on one process or many. */
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/numbers.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/ranks/interrupt.h"
#include "cli/train/train.h"
#include "network/model_file.h"
#include "train/checkpoint.h"
#include "train/mpi/modes.h"

/* Everything of one call. */
struct training {
    struct train_words words;
    struct summand__net_shape shape;
    struct train_data data;
    struct summand__net_weights given; /* of the model to evaluate */
    struct train_run run;
    MPI_Comm comm;
    int ranks;
    bool open;
};

static void check_words(const struct train_words *w, struct trouble *trouble)
{
    if (w->resume && !w->checkpoint)
        trouble_note(trouble, "--resume: needs --checkpoint FILE");
    if (w->predict && w->evaluate)
        trouble_note(trouble, "--predict: does not go with --evaluate");
    if (w->predict && !w->predictions)
        trouble_note(trouble, "--predict: needs --predictions FILE for the classes and outputs");
    if (w->predictions && !w->predict)
        trouble_note(trouble, "--predictions: goes with --predict only");
    if (w->predict && !strcmp(w->data, "synthetic"))
        trouble_note(trouble, "--predict: needs --data FILE with samples");
}

static void read_shape(const struct train_words *w, struct summand__net_shape *shape,
                       struct trouble *trouble)
{
    struct numbers widths;
    if (!read_numbers(w->layers, 1, SUMMAND__NET_WIDTH_MOST, &widths) || widths.count < 2) {
        trouble_note(trouble,
                     "--layers: '%s' is not a list of at least two widths such as 784,128,10",
                     w->layers);
        return;
    }
    *shape = (struct summand__net_shape){
        .layers = widths.count - 1,
        .hidden = summand__net_activation_find(train_activation_choices[w->hidden]),
        .last = summand__net_activation_find(train_last_choices[w->last]),
        .loss = summand__net_loss_find(train_loss_choices[w->loss])};
    for (int l = 0; l < widths.count; l++)
        shape->widths[l] = (size_t)widths.value[l];
}

static void load(struct training *t, struct trouble *trouble)
{
    const struct train_words *w = &t->words;
    struct summand__net_fault fault = {.text = ""};
    bool good = !strcmp(w->data, "synthetic")
                    ? train_data_digits((uint64_t)w->seed, (size_t)w->samples,
                                        (size_t)(w->samples + 4) / 5, &t->data, &fault)
                    : train_data_load(w->data, &t->data, &fault);
    if (good && w->evaluate)
        good = summand__net_model_load(w->evaluate, &t->shape, &t->given, &fault);
    const char *notes[] = {t->data.train.note, t->data.test.note};
    for (int part = 0; good && part < 2; part++)
        if (*notes[part])
            advise(command_train.name, "%s/%s", w->data, notes[part]);
    if (!good)
        trouble_note(trouble, "%s", fault.text);
}

static bool stop(void *context)
{
    (void)context;
    return interrupted();
}

/* Reports an error: once if all ranks know of it, else on each rank that does, and the launcher
 * ends the others. */
static int fail(const struct training *t, const struct summand__net_fault *fault)
{
    if (fault->apart) {
        complain(command_train.name, "rank %d: %s", cli_rank(), fault->text);
        sleep(1); /* MPICH's launcher may end before it passes the line on */
        MPI_Abort(t->comm, 1);
    }
    struct trouble trouble = {""};
    if (fault->text[0])
        trouble_note(&trouble, "%s", fault->text);
    agree(command_train.name, &trouble);
    return 1;
}

static int write_all(struct training *t, const char *end, const struct train_score *test)
{
    const struct train_words *w = &t->words;
    struct summand__net_fault fault = {.text = ""};
    int status = 0;
    if (w->model && !summand__net_model_save(w->model, &t->shape, &t->run.weights, &fault))
        status = complain(command_train.name, "%s", fault.text);
    if (!status && w->csv)
        status = train_write_csv(&t->run, w->csv);
    if (!status && w->plot)
        status = train_write_plot(&t->run, w->plot);
    if (!status && w->json)
        status = write_json(command_train.name, train_report_json(&t->run, w, end, test), NULL);
    return status;
}

/* Prints why the training ended, and the test loss and accuracy. */
static void tell_end(const struct training *t, enum train_end end, const struct train_score *test)
{
    const struct train_run *run = &t->run;
    if (end == TRAIN_STOPPED)
        return;
    if (end == TRAIN_ENOUGH)
        print_remark("%.2f %% of the validation samples are right after epoch %zu: enough",
                     100 * run->history[run->epoch - 1].validation.accuracy, run->epoch);
    if (end == TRAIN_EARLY)
        print_remark("the validation loss has not fallen for %zu epoch%s: weights are those of "
                     "epoch %zu",
                     run->options.patience, text_plural((long long)run->options.patience),
                     run->best_epoch);
    train_report_lag(run);
    if (run->data->test.count)
        train_report_score("test", test, run->data->test.count);
}

static int go(struct training *t, struct summand__net_fault *fault)
{
    static const char *const ends[] = {"epochs", "enough", "early", "interrupted"};
    const struct train_words *w = &t->words;
    struct train_report report = {.words = w, .quiet = w->json || t->run.rank};
    const struct train_hooks hooks = {&report,
                                      stop,
                                      train_report_batch,
                                      train_report_epoch,
                                      w->checkpoint,
                                      train_checkpoint_save};
    struct train_score test;
    train_report_begin(&report, &t->run);
    train_report_memory(&t->run, t->comm, report.quiet);
    train_report_heads(&report);
    if (w->timeline)
        t->run.mode->record(&t->run);
    enum train_end end = train_run_go(&t->run, &hooks, fault);
    if (end == TRAIN_FAILED || !train_run_score(&t->run, TRAIN_PART_TEST, &test, fault))
        return fail(t, fault);
    train_report_end(&report, &t->run);
    if (!report.quiet)
        tell_end(t, end, &test);
    int status = w->timeline && t->run.epoch
                     ? train_write_timeline(&t->run, t->comm, w->timeline, report.quiet)
                     : 0;
    if (!status && !t->run.rank)
        status = write_all(t, ends[end], &test);
    MPI_Bcast(&status, 1, MPI_INT, 0, t->comm);
    return !status && end == TRAIN_STOPPED ? interrupt_say(command_train.name) : status;
}

/* Prints a model's loss and accuracy on all samples. */
static int evaluate(struct training *t, struct summand__net_fault *fault)
{
    struct train_score train, test;
    summand__net_weights_copy(&t->run.weights, &t->given);
    if (!train_run_score(&t->run, TRAIN_PART_TRAIN, &train, fault) ||
        !train_run_score(&t->run, TRAIN_PART_TEST, &test, fault))
        return fail(t, fault);
    if (t->run.rank)
        return 0;
    if (t->words.json)
        return write_json(command_train.name,
                          train_report_json(&t->run, &t->words, "evaluated", &test), NULL);
    train_report_score("trained with", &train, t->run.train);
    tell_end(t, TRAIN_DONE, &test);
    return 0;
}

/* Warns of rates above the stable one, or lowers them to it. */
static void check_rate(struct training *t)
{
    struct train_run *run = &t->run;
    double most = train_run_stable(run);
    if (run->options.rate <= most)
        return;
    if (t->words.rescale)
        run->options.rate = most;
    if (run->rank)
        return;
    if (t->words.rescale)
        complain(command_train.name, "warning: the rate is lowered to %.2g, which is stable", most);
    else if (run->behind)
        complain(command_train.name,
                 "warning: weights are up to %zu batch%s behind%s: a rate above %.2g may not "
                 "converge",
                 run->behind, run->behind == 1 ? "" : "es",
                 run->mixed ? ", and others forward than back" : "", most);
    else
        complain(command_train.name, "warning: a rate above %.2g may not converge", most);
}

/* On groups only these modes exist, which `train` has checked. */
static const struct train_mode *mode_of(const struct train_words *w)
{
    static const struct {
        const struct train_mode *mode, *of_groups;
    } rows[] = {{&train_mode_sync, &train_mode_sync_groups},
                {&train_mode_stashed, &train_mode_stashed_groups},
                {&train_mode_2bw, &train_mode_2bw_groups},
                {&train_mode_poad, &train_mode_poad_groups},
                {&train_mode_stashed_twins, &train_mode_stashed_twins_groups}};
    const struct train_mode *mode = train_modes[w->mode];
    if (w->update)
        mode = mode == &train_mode_poad ? &train_mode_poad_last : &train_mode_last;
    else if (w->stashed_twins)
        mode = &train_mode_stashed_twins;
    for (size_t i = 0; w->groups && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].mode == mode)
            return rows[i].of_groups;
    return mode;
}

/* A first run with --resume has no checkpoint yet, so one command serves a job that is restarted.
 */
static bool resumes(const struct training *t)
{
    const char *path = t->words.checkpoint;
    int there;
    if (!t->words.resume)
        return false;
    there = !access(path, F_OK) || errno != ENOENT;
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MAX, t->comm);
    if (!there)
        advise(command_train.name, "--resume: there is no %s yet: the training starts afresh",
               path);
    return there;
}

static int run_training(struct training *t)
{
    const struct train_words *w = &t->words;
    const struct train_options options = {.batch = (size_t)w->batch,
                                          .epochs = (size_t)w->epochs,
                                          .rate = w->rate,
                                          .momentum = w->momentum,
                                          .decay = w->decay,
                                          .schedule = train_rates[w->schedule],
                                          .piece = (size_t)w->piece,
                                          .behind = w->staleness,
                                          .together = w->twins,
                                          .groups = w->groups,
                                          .seed = (uint64_t)w->seed,
                                          .validation = w->evaluate ? 0 : w->validation,
                                          .patience = w->evaluate ? 0 : (size_t)w->patience,
                                          .enough = w->evaluate ? 0 : w->stop_at / 100};
    struct summand__net_fault fault = {.text = ""};
    t->open = train_run_open(&t->run, &t->shape, summand__net_arithmetics[w->arithmetic], &t->data,
                             &options, mode_of(w), &t->comm, &fault);
    if (!t->open)
        return fail(t, &fault);
    if (!w->evaluate)
        check_rate(t);
    bool good = !resumes(t) || train_checkpoint_load(w->checkpoint, &t->run, &fault);
    if (!train_run_agree(&t->run, good, &fault))
        return fail(t, &fault);
    return w->evaluate ? evaluate(t, &fault) : go(t, &fault);
}

static bool is_pipeline(const struct train_mode *mode)
{
    return mode == &train_mode_sync || mode == &train_mode_stashed || mode == &train_mode_2bw;
}

static int train(struct training *t, struct parsing *parsing)
{
    static const char *const of_squared[] = {"output", NULL};
    static const char *const of_training[] = {
        "samples",  "layers",  "activation", "loss",      "output",     "batch",
        "epochs",   "rate",    "schedule",   "momentum",  "decay",      "seed",
        "mode",     "groups",  "twins",      "staleness", "update",     "validation",
        "patience", "stop-at", "csv",        "plot",      "arithmetic", "piece",
        "rescale",  "resume",  "checkpoint", "timeline",  "model",      NULL};
    struct trouble trouble = {""};
    t->comm = MPI_COMM_WORLD;
    MPI_Comm_size(t->comm, &t->ranks);
    MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
    static const char *const of_poad[] = {"staleness", NULL}, *const of_both[] = {"twins", "update",
                                                                                  NULL};
    const char *mode = train_mode_choices[t->words.mode];
    bool poad = !strcmp(mode, "poad"), stashed = !strcmp(mode, "stashed");
    if (!options_only_with(parsing, command_train.name, "a training", !t->words.predict,
                           of_training) ||
        !options_only_with(parsing, command_train.name, "--loss squared", t->words.loss == 1,
                           of_squared) ||
        !options_only_with(parsing, command_train.name, "--mode poad", poad, of_poad) ||
        !options_only_with(parsing, command_train.name, "--mode poad or stashed", poad || stashed,
                           of_both))
        return 2;
    t->words.stashed_twins = stashed && !t->words.twins && option_given(parsing, "twins");
    check_words(&t->words, &trouble);
    read_shape(&t->words, &t->shape, &trouble);
    if (!option_given(parsing, "mode"))
        t->words.mode = t->ranks > 1;
    else if (t->words.mode == 0 && t->ranks > 1)
        trouble_note(&trouble, "--mode single: runs on one process, not on %d", t->ranks);
    if (t->words.timeline && !train_modes[t->words.mode]->record)
        trouble_note(&trouble, "--timeline: goes with --mode sync, stashed, 2bw or poad only");
    if (t->words.update && stashed && (t->words.groups || t->words.stashed_twins))
        trouble_note(&trouble, "--update last: goes with a rank a stage only, its twin on it");
    if (t->words.update && poad && (t->words.groups || t->words.twins))
        trouble_note(&trouble, "--update last: in mode poad goes with twins apart and no groups");
    if (t->words.groups && poad && t->words.twins)
        trouble_note(&trouble, "--groups: in mode poad stages and twins are apart only");
    if (t->words.groups && !poad && !is_pipeline(train_modes[t->words.mode]))
        trouble_note(&trouble, "--groups: goes with --mode sync, stashed, 2bw or poad only");
    if (t->words.predict && t->ranks > 1)
        trouble_note(&trouble, "--predict: runs on one process, not on %d", t->ranks);
    if (!agree(command_train.name, &trouble))
        return 2;
    if (t->words.predict)
        return train_write_outputs(&t->words);
    interrupt_listen();
    load(t, &trouble);
    return agree(command_train.name, &trouble) ? run_training(t) : 1;
}

/* The work after the options are read; `word` is an unexpected operand, or NULL. */
static int finish(struct training *t, struct parsing *parsing, const char *word)
{
    if (word)
        return misuse(command_train.name, "'%s': no operand expected; give --data DIR", word);
    int status = train(t, parsing);
    if (t->open)
        train_run_close(&t->run);
    train_data_free(&t->data);
    summand__net_weights_free(&t->given);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct training t = {.words = {.data = "synthetic",
                                   .layers = "784,128,10",
                                   .samples = 10000,
                                   .batch = 64,
                                   .epochs = 5,
                                   .seed = 1,
                                   .rate = 0.1,
                                   .staleness = -1,
                                   .hidden = 2}};
    struct train_words *w = &t.words;
    bool help;
    struct option_row rows[TRAIN_OPTIONS] = {{0}};
    train_option_rows(w, rows);
    int first = parse_options(parsing, &command_train, rows, argc, argv, &help);
    return help ? 0 : first < 0 ? 2 : finish(&t, parsing, first < argc ? argv[first] : NULL);
}

const struct command command_train = {
    .name = "train",
    .summary =
        "a neural network, trained on one process, with replicas, or in stages of a pipeline",
    .synopsis = "train [options]",
    .examples =
        "  summand train --epochs 3\n"
        "  summand train --data mnist --layers 784,128,10 --plot curves.svg --model m.model\n"
        "  mpirun -np 2 summand train --mode data --checkpoint c.model\n"
        "  mpirun -np 2 summand train --mode stashed --layers 784,512,512,10\n"
        "  mpirun -np 2 summand train --mode poad --staleness 1\n"
        "  mpirun -np 4 summand train --mode poad --update last\n"
        "  mpirun -np 4 summand train --mode stashed --twins apart\n"
        "  summand train --data mnist --evaluate m.model\n"
        "  summand train --predict m.model --data mnist/t10k-images-idx3-ubyte.gz -o said.npy\n",
    .parallel = true,
    .run = run,
};
