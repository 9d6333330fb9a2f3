/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "cli/bench/bench.h"
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
    else if (common->launches || !up) /* --launches 0 is only for launched processes */
        *status = bench_launches(command, form, common, argc, argv);
    else
        *status = -1;
    if (operands)
        *operands = first;
    return *status < 0;
}

void bench_time(struct bench_report *report, const struct bench_row *common, int count,
                const struct timing_subject *subjects, const struct timing_options *how, int calls,
                struct timing *timings, struct trouble *trouble)
{
    interrupt_hold();
    report->running = (struct bench_running){common, count, calls, subjects, timings};
    interrupt_release();
    timing_run(subjects, count, how, timings, trouble);
    interrupt_hold();
    for (int s = 0; s < count; s++)
        for (int r = 0; r < timings[s].rounds; r++)
            timings[s].seconds[r] /= calls;
    report->running.calls = 1;
    interrupt_release();
}

void bench_time_over(struct bench_report *report, struct timing *timings, int count)
{
    interrupt_hold();
    report->running.timings = NULL;
    interrupt_release();
    timing_free(timings, count);
}

bool bench_measure(struct bench_report *report, const struct bench_row *common, int count,
                   const struct timing_subject *subjects, const struct timing_options *how,
                   int calls)
{
    struct timing timings[TIMING_SUBJECTS] = {{0}};
    struct trouble trouble = {""};
    bench_time(report, common, count, subjects, how, calls, timings, &trouble);
    if (!trouble.text[0] && timings[0].rounds &&
        !bench_report_add(report, common, count, subjects, timings, NULL))
        trouble_note(&trouble, "out of memory");
    bench_time_over(report, timings, count);
    return agree(report->command, &trouble);
}
