/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_choices.h"
#include "cli/common/cli.h"
#include "cli/ranks/interrupt.h"

bool bench_parse(struct parsing *parsing, const struct command *command,
                 const struct bench_form *form, const struct bench_common *common,
                 const struct option_row *rows, int argc, char **argv, int *operands, int *status)
{
    bool help;
    int up;
    MPI_Initialized(&up);
    int first = parse_options(parsing, command, rows, argc, argv, &help);
    if (help || first < 0)
        *status = help ? 0 : 2;
    else if (!operands && first < argc)
        *status = misuse(command->name, "%s: no operand expected", argv[first]);
    else if (option_given(parsing, "launcher") && !option_given(parsing, "launches"))
        *status = misuse(command->name, "--launcher: goes with --launches only");
    else if (common->launches || !up) /* --launches 0 is only for launched processes */
        *status = bench_launches(command, form, common, argc, argv);
    else
        *status = -1;
    if (operands)
        *operands = first;
    return *status < 0;
}

/* "bench sum, data generated, n 64": the keys that tell this case from others. */
static void write_label(const struct bench_report *report, const struct bench_row *common,
                        char *label, size_t room)
{
    size_t used = (size_t)snprintf(label, room, "%s", report->command);
    for (const struct bench_key *key = report->form->keys; key->name && used < room; key++) {
        char text[sizeof common->data];
        bench_key_text(common, key, text, sizeof text);
        if (*text)
            used += (size_t)snprintf(label + used, room - used, ", %s %s", key->name, text);
    }
}

/* Times whose partial results rank 0 can report before the end. */
static void time_subjects(struct bench_report *report, const struct bench_running *running,
                          const struct timing_options *how, struct trouble *trouble)
{
    interrupt_hold();
    report->running = *running;
    interrupt_release();
    timing_run(running->subjects, running->count, how, running->timings, trouble);
    interrupt_hold();
    for (int s = 0; s < running->count; s++)
        for (int r = 0; r < running->timings[s].rounds; r++)
            running->timings[s].seconds[r] /= running->calls;
    report->running.calls = 1;
    interrupt_release();
}

/* In the report's last rows, one per subject. */
static void note_choices(struct bench_report *report, const struct bench_kind *kind,
                         const struct bench_running *running)
{
    struct bench_row *row = &report->row[report->rows - running->count];
    for (int s = 0; s < running->count && kind->chosen; s++)
        snprintf(row[s].chosen, sizeof row[s].chosen, "%s", kind->chosen(&running->subjects[s]));
}

static bool measure(struct bench_report *report, const struct bench_kind *kind, void *c,
                    const struct bench_running *running, const struct timing_options *how)
{
    struct trouble trouble = {""};
    char label[192];
    double values[TIMING_SUBJECTS];
    struct timing_options labelled = *how;
    write_label(report, running->common, label, sizeof label);
    labelled.label = label;
    time_subjects(report, running, &labelled, &trouble);
    if (kind->values)
        kind->values(c, running->subjects, running->count, values, &trouble);
    const bool any = !trouble.text[0] && running->timings[0].rounds;
    if (any && !bench_report_add(report, running->common, running->count, running->subjects,
                                 running->timings, kind->values ? values : NULL))
        trouble_note(&trouble, "out of memory");
    interrupt_hold();
    report->running.timings = NULL;
    if (any && !trouble.text[0])
        note_choices(report, kind, running);
    interrupt_release();
    timing_free(running->timings, running->count);
    return agree(report->command, &trouble);
}

int bench_open(const char *command, const struct bench_kind *kind, void *c,
               struct timing_subject *subjects, struct trouble *trouble)
{
    int count = 0;
    if (kind->make)
        kind->make(c, trouble);
    if (!agree(command, trouble))
        return 0;
    count = kind->subjects(c, subjects, trouble);
    if (!count)
        trouble_note(trouble, "there is nothing to measure");
    if (!agree(command, trouble))
        return 0;
    for (int s = 0; s < count && kind->check; s++)
        kind->check(c, &subjects[s], trouble);
    return agree(command, trouble) ? count : 0;
}

bool bench_measure(struct bench_report *report, const struct bench_kind *kind, void *c,
                   const struct bench_row *common, const struct timing_options *how, int calls)
{
    struct timing_subject subjects[TIMING_SUBJECTS];
    struct timing timings[TIMING_SUBJECTS] = {{0}};
    struct trouble trouble = {""};
    int count = bench_open(report->command, kind, c, subjects, &trouble);
    const struct bench_running running = {common, count, calls, subjects, timings};
    bool fine = count && measure(report, kind, c, &running, how);
    if (kind->drop)
        kind->drop(c);
    return fine;
}

int bench_plan_run(void *plan)
{
    int code = summand_plan_start(plan);
    return code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
}

struct bench_subject *bench_subject_add(struct bench_subjects *subjects, void *of,
                                        const struct bench_choice *choice)
{
    struct bench_subject *subject = &subjects->subject[subjects->count++];
    *subject = (struct bench_subject){.of = of, .choice = choice};
    MPI_Comm_dup(MPI_COMM_WORLD, &subject->comm);
    return subject;
}

void bench_subject_leave(struct bench_subjects *subjects)
{
    struct bench_subject *subject = &subjects->subject[--subjects->count];
    summand_plan_free(&subject->plan);
    MPI_Comm_free(&subject->comm);
}

const char *bench_subject_chosen(const struct timing_subject *subject)
{
    return ((const struct bench_subject *)subject->context)->chosen;
}

int bench_subjects_list(struct bench_subjects *subjects, int (*run)(void *subject),
                        struct timing_subject *list)
{
    for (int s = 0; s < subjects->count; s++) {
        struct bench_subject *subject = &subjects->subject[s];
        list[s] = (struct timing_subject){subject->choice->label, run, subject};
    }
    return subjects->count;
}
