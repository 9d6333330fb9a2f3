/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as one HTML page without outside parts. It follows the reader's light or dark scheme. */
#include <stdlib.h>
#include <string.h>

#include "cli/output/output.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_style.h"
#include "cli/report/plots.h"
#include "cli/report/report.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:" SVG_INK ";--quiet:" SVG_QUIET ";--paper:" SVG_PAPER
    ";--line:#ddd;--soft:#f4f4f4}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--quiet:#a8a8a8;--paper:#0d1117;"
    "--line:#3c3c3c;--soft:#1d2127}}\n"
    "body{margin:0 auto;max-width:860px;padding:16px 20px 48px;background:var(--paper);"
    "color:var(--ink);font:15px/1.45 sans-serif}\n"
    "h1{font-size:22px;margin:8px 0 0;overflow-wrap:anywhere}\n"
    "h2{font-size:17px;margin:32px 0 4px}\n"
    "p{margin:4px 0 10px;color:var(--quiet)}\n"
    "svg{display:block;width:100%;height:auto}\n"
    ".narrow{display:none}\n"
    ".facts{display:flex;flex-wrap:wrap;gap:8px;margin:16px 0 0;padding:0}\n"
    ".facts div{background:var(--soft);border-radius:6px;padding:8px 14px;flex:1 1 120px}\n"
    ".facts dt{color:var(--quiet);font-size:13px}\n"
    ".facts dd{margin:0;font-size:18px;overflow-wrap:anywhere}\n"
    ".key{display:inline-block;width:12px;height:12px;border-radius:2px;margin:0 5px 0 0;"
    "vertical-align:-1px}\n"
    ".legend{white-space:nowrap;margin-right:8px}\n"
    ".rows{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:13px;white-space:nowrap;width:100%}\n"
    "th,td{padding:5px 7px;text-align:right;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600;color:var(--quiet)}\n"
    "th:first-child,td:first-child,th:last-child,td:last-child{text-align:left}\n"
    "@media (max-width:640px){.wide{display:none}.narrow{display:block}body{padding:12px 14px}}\n"
    ".waiting{background:" WAITING_COLOUR "}.moving{background:" MOVING_COLOUR "}"
    ".most{background:" MOST_COLOUR "}.mpi{background:" MPI_COLOUR "}\n"
    /* As in pictures (svg_style.c). */
    "@media (prefers-color-scheme:dark){.waiting{background:#3d7fb0}.moving{background:#3f8cff}"
    ".most{background:#ff6b6b}.mpi{background:#ff8c42}}\n";

static void fact(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    svg_escaped(out, value);
    fputs("</dd></div>\n", out);
}

static void facts(const struct report *report, FILE *out)
{
    char text[160];
    double inside = 0;
    for (int i = 0; i < report->ranks; i++)
        inside += report->rank[i].inside / report->ranks;
    fputs("<dl class=\"facts\">\n", out);
    snprintf(text, sizeof text, "%d", report->ranks);
    fact(out, "ranks", text);
    snprintf(text, sizeof text, "%.3g s", report->seconds);
    fact(out, "from MPI_Init to MPI_Finalize", text);
    snprintf(text, sizeof text, "%.1f %%",
             report->seconds > 0 ? 100 * inside / report->seconds : 0.0);
    fact(out, "of it in the calls below", text);
    fact(out, "mode", report->mode);
    if (report_promise(report, text, sizeof text))
        fact(out, "promise", text);
    if (report_checks(report, text, sizeof text))
        fact(out, "checked", text);
    fact(out, "MPI", report->mpi);
    snprintf(text, sizeof text, "%.10s", report->date);
    if (*report->machine)
        fact(out, "machine", report->machine);
    if (*text)
        fact(out, "date", text);
    fputs("</dl>\n", out);
}

static void both(const struct report *report,
                 void (*plot)(const struct report *report, double width, FILE *out), FILE *out)
{
    fputs("<div class=\"wide\">\n", out);
    plot(report, PLOT_WIDE, out);
    fputs("</div>\n<div class=\"narrow\">\n", out);
    plot(report, PLOT_NARROW, out);
    fputs("</div>\n", out);
}

static void mean_cell(double seconds, long long samples, FILE *out)
{
    if (samples)
        fprintf(out, seconds < 1e-3 ? "<td>%.3g</td>" : "<td>%.0f</td>", 1e6 * seconds);
    else
        fputs("<td>-</td>", out);
}

static void table(const struct report *report, FILE *out)
{
    char text[160];
    fputs("<div class=\"rows\"><table>\n<tr><th>call</th><th>bytes</th><th>calls</th>"
          "<th>time / ms</th><th>most / ms</th><th>waiting</th><th>a call / us</th>"
          "<th>MPI's / us</th><th>done by</th></tr>\n",
          out);
    for (int i = 0; i < report->rows; i++) {
        const struct report_row *row = &report->row[i];
        const double waited = report_waiting(row);
        fputs("<tr><td>", out);
        svg_escaped(out, row->call + 4);
        plot_class(row, text, sizeof text);
        fprintf(out, "</td><td>%s</td><td>%lld</td><td>%.4g</td><td>%.4g</td>", text, row->calls,
                1e3 * row->seconds, 1e3 * row->most_seconds);
        if (waited >= 0 && row->seconds > 0)
            fprintf(out, "<td>%.0f %%</td>", 100 * waited / row->seconds);
        else
            fputs("<td>-</td>", out);
        mean_cell(row->moving, row->samples, out);
        mean_cell(row->mpi, row->mpi_samples, out);
        fputs("<td>", out);
        report_way(row, text, sizeof text);
        svg_escaped(out, text);
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void body(const struct report *report, const char *name, FILE *out)
{
    fputs("<h1>", out);
    svg_escaped(out, name);
    fputs("</h1>\n<p>Collective calls of this program, watched by Summand.</p>\n", out);
    facts(report, out);
    fputs("<h2>Time by call and size</h2>\n<p>Mean of the ranks. <span class=\"legend\"><span "
          "class=\"key waiting\"></span>waiting for the last rank</span> <span "
          "class=\"legend\"><span class=\"key mpi\"></span>the rest, by the MPI</span> <span "
          "class=\"legend\">other colours: by that algorithm</span></p>\n",
          out);
    both(report, plot_calls, out);
    fputs("<h2>By rank</h2>\n<p>Time in calls. The ranks with the least are those for which "
          "others wait.</p>\n",
          out);
    both(report, plot_ranks, out);
    fputs("<h2>Over the run</h2>\n<p>Part of the time in calls. <span class=\"legend\"><span "
          "class=\"key moving\"></span>mean of the ranks</span> <span class=\"legend\"><span "
          "class=\"key most\"></span>rank with the most</span></p>\n",
          out);
    both(report, plot_time, out);
    fputs("<h2>All calls</h2>\n", out);
    if (report->period)
        fprintf(out,
                "<p>One of %lld calls is sampled: how long the ranks wait for the last one, and "
                "how long a call then takes; in turn, how long the MPI's own function takes.</p>\n",
                report->period);
    table(report, out);
}

int report_page(const struct report *report, const char *path)
{
    struct output output;
    const char *slash = strrchr(report->program, '/'), *name = slash ? slash + 1 : report->program;
    if (!output_open(&output, REPORT, path))
        return 1;
    FILE *out = output.file;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    svg_escaped(out, name);
    fputs(": collective calls</title>\n", out);
    svg_style_sheet(out);
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    body(report, name, out);
    fputs("</body>\n</html>\n", out);
    return !output_close(&output, true);
}
