/* SPDX-License-Identifier: BSD-3-Clause */
/* summand report: shows the report of a run. */
#include "cli/report/report.h"

#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/output/json.h"

extern const struct command command_report;

/* The report as it is in the file, behind the fields of every command's JSON. */
static int write_same(const char *path)
{
    json_error_t error;
    json_t *object = json_head(REPORT), *report = json_load_file(path, 0, &error);
    json_object_update(object, report);
    json_decref(report);
    return write_json(REPORT, object, NULL);
}

/* The shim prints the same text by itself. */
static int print(const struct report *report)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return complain(REPORT, "out of memory");
    report_print(report, out);
    if (!fclose(out))
        print_lines(text);
    free(text);
    return 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *html = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of a table", NULL},
        {"output", 'o', OPTION_OUTPUT, &html, "FILE", "write a page (HTML) with plots", NULL},
        {0}};
    int first = parse_options(parsing, &command_report, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first >= 0 && argc - first != 1)
        return misuse(REPORT, "one file is shown, %d given; 'summand report --help' shows how",
                      argc - first);
    if (first < 0)
        return 2;
    struct report report;
    if (!report_read(argv[first], &report))
        return 1;
    int status = html ? report_page(&report, html) : 0;
    if (json && !status)
        status = write_same(argv[first]);
    else if (!html)
        status = print(&report);
    report_free(&report);
    return status;
}

const struct command command_report = {
    REPORT,
    "what the collective calls of a program took: a table, or a page with plots",
    "report [options] FILE.json",
    "  summand run --report=run.json -- mpirun -np 4 ./app\n"
    "  summand report run.json\n"
    "  summand report run.json -o run.html\n",
    false,
    run,
    NULL};
