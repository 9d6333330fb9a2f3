/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges somebody's program that adds numbers up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/output/json.h"
#include "cli/sum/source.h"
#include "judge/judge.h"

/* The program, and how it is run. */
struct judged {
    const char *command; /* "judge", for complaints */
    char **words;        /* of the program; {ranks} and {file} stand for values */
    const struct data_format *format;
    char folder[1024], file[1056]; /* its data */
    double timeout;                /* seconds of a run */
    bool without_ranks;            /* no word is {ranks} */
    int digits;                    /* most significant digits of a number that it printed */
    int runs, runs_expected;       /* for the bar */
};

/* Makes the folder; false after a complaint. judged_end removes it. */
bool judged_begin(struct judged *judged);
void judged_end(struct judged *judged);

/* As summand__judge_trial has it. FAILED after a complaint: the program cannot be run, fails,
 * prints too few numbers, or takes too long. STOPPED: Ctrl-C. */
enum summand__judge_end judged_run(const struct summand__judge_input *input, double *results,
                                   void *of);

/* The seconds of one run with these data on so many ranks; negative after a complaint. */
double judged_seconds(struct judged *judged, const struct summand__judge_input *input);

/* Writes data for the program. False after a complaint. */
bool judged_write(const struct judged *judged, const char *path, const double *x, uint64_t count);

/* The program's words with their values, as a shell takes them; the caller frees it. */
char *judged_line(const struct judged *judged, size_t ranks, const char *file);

/* True if a word of the program holds `place`, "{ranks}" or "{file}". */
bool judged_holds(const struct judged *judged, const char *place);

/* Writes the witnesses' files into a folder and prints their command lines. */
bool judge_write_witnesses(const struct judged *judged, const summand_judge_report *report,
                           size_t columns, const char *folder);

/* A table, and a sentence for each fault. */
void judge_print(const summand_judge_report *report);

bool judge_plot(const char *command, const summand_judge_report *report, const char *line,
                const char *path);

json_t *judge_json(const summand_judge_report *report, size_t columns);
