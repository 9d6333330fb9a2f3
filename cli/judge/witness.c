/* SPDX-License-Identifier: BSD-3-Clause */
/* What a judge shows of a fault: files, command lines, values; and all of it as JSON or a picture.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/judge/judge.h"
#include "cli/output/output.h"
#include "cli/plot/svg.h"

/* One side of a witness: its file, and how to run the program on it. */
static bool write_side(const struct judged *judged, const struct summand_judge_witness *witness,
                       int side, size_t columns, const char *path)
{
    const struct summand_judge_case *one = &witness->pair[side];
    double *x = need(malloc((witness->terms * columns + 1) * sizeof *x));
    need(summand__judge_arrange(witness->x, witness->terms, columns, one->parts, one->order, x)
             ? x
             : NULL);
    const bool good = judged_write(judged, path, x, (uint64_t)witness->terms * columns);
    free(x);
    if (good) {
        char *line = judged_line(judged, one->parts, path);
        print_line("  %s", line);
        print_line("    # %.17g", one->result);
        free(line);
    }
    return good;
}

static bool write_witness(const struct judged *judged, const struct summand_judge_witness *witness,
                          const char *name, size_t columns, const char *folder)
{
    const struct summand_judge_case *pair = witness->pair;
    const bool one_file = pair[0].order == pair[1].order &&
                          (pair[0].order != SUMMAND_JUDGE_DEALT || pair[0].parts == pair[1].parts);
    printf("\n");
    print_line("%s: %zu %s of %s", name, witness->terms, columns > 1 ? "rows" : "terms",
               witness->data);
    for (int side = 0; side < 2; side++) {
        char *path = NULL;
        need(asprintf(&path, "%s/%s%s%s", folder, name,
                      one_file ? ""
                      : side   ? "-b"
                               : "-a",
                      judged->format->ending) < 0
                 ? NULL
                 : path);
        const bool good = write_side(judged, witness, side, columns, path);
        free(path);
        if (!good)
            return false;
    }
    return true;
}

bool judge_write_witnesses(const struct judged *judged, const summand_judge_report *report,
                           size_t columns, const char *folder)
{
    static const char *const names[SUMMAND_JUDGE_WITNESSES] = {"ranks", "order", "repetition"};
    bool good = true, any = false;
    for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++)
        any = any || report->witness[k].terms;
    if (any && mkdir(folder, 0777) && errno != EEXIST) {
        complain(judged->command, "%s: %s", folder, strerror(errno));
        return false;
    }
    for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++)
        if (report->witness[k].terms)
            good = write_witness(judged, &report->witness[k], names[k], columns, folder) && good;
    return good;
}

static json_t *number_json(double value)
{
    char text[40];
    if (isfinite(value))
        return json_finite(value);
    snprintf(text, sizeof text, "%g", value);
    return json_text(text);
}

static json_t *fault_names(unsigned faults)
{
    static const char *const names[] = {"ranks",   "order",    "repetition",
                                        "special", "rounding", "failed"};
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (faults & 1u << i)
            json_array_append_new(list, json_text(names[i]));
    return list;
}

static json_t *witness_json(const struct summand_judge_witness *witness, size_t columns)
{
    json_t *numbers = json_array(), *pair = json_array();
    for (size_t i = 0; i < witness->terms * columns; i++)
        json_array_append_new(numbers, number_json(witness->x[i]));
    for (int side = 0; side < 2; side++)
        json_array_append_new(pair, json_make("Iso", "ranks", (json_int_t)witness->pair[side].parts,
                                              "order",
                                              summand_judge_order_name(witness->pair[side].order),
                                              "result", number_json(witness->pair[side].result)));
    return json_make("sIoo", "data", witness->data, "terms", (json_int_t)witness->terms, "numbers",
                     numbers, "cases", pair);
}

json_t *judge_json(const summand_judge_report *report, size_t columns)
{
    json_t *list = json_array(), *witnesses = json_array();
    for (int i = 0; i < report->verdicts; i++) {
        const struct summand_judge_verdict *verdict = &report->verdict[i];
        json_array_append_new(list, json_make("ssIooiioo", "data", verdict->data, "what",
                                              verdict->what, "terms", (json_int_t)verdict->terms,
                                              "exact", number_json(verdict->exact), "faults",
                                              fault_names(verdict->faults), "runs", verdict->cases,
                                              "different_results", verdict->results, "ulps_median",
                                              number_json(verdict->ulps_median), "ulps_worst",
                                              number_json(verdict->ulps_worst)));
    }
    for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++)
        if (report->witness[k].terms)
            json_array_append_new(witnesses, witness_json(&report->witness[k], columns));
    return json_make("oofo", "faults", fault_names(report->faults), "data", list, "time_ratio",
                     report->ratio, "witnesses", witnesses);
}

/* Digits of a double, less those that are wrong. */
static double right_digits(double ulps)
{
    if (isnan(ulps)) /* no result */
        return 0;
    const double digits = 53 * log10(2), wrong = ulps > 1 ? log10(ulps) : 0;
    return wrong > digits ? 0 : digits - wrong;
}

bool judge_plot(const char *command, const summand_judge_report *report, const char *line,
                const char *path)
{
    enum { WIDTH = 640, HEAD = 60, BAR = 22 };
    const int count = report->verdicts;
    struct svg_series *series = need(calloc((size_t)count, sizeof *series));
    struct svg_point *points = need(calloc((size_t)count, sizeof *points));
    struct output output;
    const bool good = output_open(&output, command, path);
    for (int i = 0; i < count && good; i++) {
        const double worst = right_digits(report->verdict[i].ulps_worst),
                     median = right_digits(report->verdict[i].ulps_median);
        points[i] = (struct svg_point){0, median, worst, median};
        series[i] = (struct svg_series){report->verdict[i].data, i % SVG_METHODS, 1, &points[i],
                                        SVG_LINE_AND_MARKS};
    }
    if (good) {
        svg_begin(output.file, WIDTH, HEAD + 80 + count * BAR, "right digits of a sum, by data");
        svg_heading(output.file, 20, 26, WIDTH - 40, "Right decimal digits: median, and the worst");
        svg_note(output.file, 20, 44, WIDTH - 40, line);
        svg_chart(output.file, &(struct svg_chart){.title = "",
                                                   .y_label = "right digits",
                                                   .count = count,
                                                   .series = series,
                                                   .top = HEAD,
                                                   .width = WIDTH,
                                                   .height = 80 + count * BAR});
        svg_end(output.file);
    }
    free(series);
    free(points);
    return good && output_close(&output, true);
}
