/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/gossip/gossip_report.h"

#include "base/nearest.h"
#include "bench/need.h"
#include "cli/common/lines.h"
#include "cli/gossip/gossip.h"
#include "cli/output/json.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"

#include "lab/gossip/data.h"
#include "lab/gossip/interval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 20 };

static void one_run(const struct gossip_report *r)
{
    const struct summand__events_outcome *o = r->outcomes;
    bool relative = !strcmp(r->norm, "relative");
    print_line("largest %s error %*s%g", r->norm, relative ? 2 : (int)(10 - strlen(r->norm)), "",
               o->error);
    print_line("messages per process     %.2f (most: %d)", o->messages, o->most_messages);
    if (o->first >= 0)
        print_line("first within eps after   %.2f messages per process", o->first);
    if (r->stay && o->from >= 0)
        print_line("within eps to the end    from %.2f on; largest error after the first time %g",
                   o->from, o->worst);
    if (r->stay && o->first >= 0 && o->from < 0)
        print_line("did not stay within eps  largest error after the first time %g", o->worst);
    print_line("time                     %g", o->time);
    print_line("flips                    %d", o->flips);
    print_line("bad messages, bad states %llu, %llu", (unsigned long long)o->counts.bad_messages,
               (unsigned long long)o->counts.bad_states);
    print_line("repairs, resets          %llu, %llu", (unsigned long long)o->counts.repairs,
               (unsigned long long)o->counts.resets);
}

/* Over the runs: how many reached eps, how many stayed there, and when. */
struct totals {
    int reached, stayed;
    double worst;
    struct summand__interval first, from;
};

static struct totals total_of(const struct gossip_report *r)
{
    struct totals t = {0};
    double *first = calloc(2 * (size_t)r->runs, sizeof *first), *from = first + r->runs;
    for (int k = 0; first && k < r->runs; k++) {
        const struct summand__events_outcome *o = &r->outcomes[k];
        if (o->first >= 0)
            first[t.reached++] = o->first;
        if (o->from >= 0)
            from[t.stayed++] = o->from;
        t.worst = fmax(t.worst, o->worst);
    }
    t.first = summand__interval_of_median(first, first ? t.reached : 0, 1);
    t.from = summand__interval_of_median(from, first ? t.stayed : 0, 2);
    free(first);
    return t;
}

static void median_line(const char *what, struct summand__interval i)
{
    if (isnan(i.low))
        print_line("  %-23s median %.2f (fewer than %d runs: no interval)", what, i.middle,
                   SUMMAND__INTERVAL_LEAST);
    else
        print_line("  %-23s median %.2f (95 %%: %.2f..%.2f)", what, i.middle, i.low, i.high);
}

static void many_runs(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    print_line("reached %g at some time   %d of %d run%s", r->eps, t.reached, r->runs,
               text_plural(r->runs));
    if (t.reached)
        median_line("messages per process", t.first);
    if (!r->stay)
        return;
    print_line("within it at the end      %d of %d run%s", t.stayed, r->runs, text_plural(r->runs));
    if (t.stayed)
        median_line("from message on", t.from);
    print_line("largest error in between  %g", t.worst);
}

int gossip_report_text(const struct gossip_report *r)
{
    int accurate = 0;
    for (int k = 0; k < r->runs; k++)
        accurate += r->outcomes[k].converged;
    char verdict[64] = "NOT accurate";
    if (r->runs == 1 && accurate)
        strcpy(verdict, "accurate");
    else if (r->runs > 1)
        snprintf(verdict, sizeof verdict, "%d of %d runs accurate", accurate, r->runs);
    print_line("%s/%s on %s, %lld node%s: %s", r->algorithm, r->form, r->topology, r->nodes,
               text_plural(r->nodes), verdict);
    (r->runs == 1 ? one_run : many_runs)(r);
    return 0;
}

static json_t *interval(struct summand__interval i)
{
    return json_make("ooo", "median", json_finite(i.middle), "low", json_finite(i.low), "high",
                     json_finite(i.high));
}

static json_t *outcome_json(const struct summand__events_outcome *o)
{
    json_t *json =
        json_make("boooooo", "accurate", o->converged, "error", json_finite(o->error), "messages",
                  json_finite(o->messages), "first", json_finite(o->first < 0 ? NAN : o->first),
                  "from", json_finite(o->from < 0 ? NAN : o->from), "worst_after",
                  json_finite(o->worst), "time", json_finite(o->time));
    json_object_update_new(json, json_make("iIIII", "flips", (int)o->flips, "bad_messages",
                                           (json_int_t)o->counts.bad_messages, "bad_states",
                                           (json_int_t)o->counts.bad_states, "repairs",
                                           (json_int_t)o->counts.repairs, "resets",
                                           (json_int_t)o->counts.resets));
    return json;
}

int gossip_report_json(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    json_t *json = json_head("gossip run"), *outcomes = json_array();
    for (int k = 0; k < r->runs; k++)
        json_array_append_new(outcomes, outcome_json(&r->outcomes[k]));
    json_object_update_new(json, json_make("sssIisbfiiooo", "algorithm", r->algorithm, "form",
                                           r->form, "topology", r->topology, "nodes",
                                           (json_int_t)r->nodes, "runs", r->runs, "norm", r->norm,
                                           "stay", r->stay, "eps", r->eps, "reached", t.reached,
                                           "stayed", t.stayed, "first", interval(t.first), "from",
                                           interval(t.from), "outcomes", outcomes));
    return write_json("gossip run", json, NULL);
}

/* Reads the numbers of a line, separated by blanks or one comma or semicolon; false for other text
 * or too many numbers. */
static bool read_line(char *at, double *values, long long most, long long *count)
{
    static const char blanks[] = " \t\v\f";
    for (at += strspn(at, blanks); *at; at += strspn(at, blanks)) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && !strchr(" \t\v\f,;", *end)) || !isfinite(x) || *count == most)
            return false;
        values[(*count)++] = x;
        at = end + strspn(end, blanks);
        at += *at == ',' || *at == ';';
    }
    return true;
}

/* '#' begins a remark. Returns the number of values, or -1 after a complaint. */
static long long read_numbers_of(const char *command, const char *name, struct lines *lines,
                                 double *values, long long most)
{
    long long count = 0;
    bool good = true;
    for (char *line; good && (line = lines_next(lines));) {
        line[strcspn(line, "#")] = 0;
        good = read_line(line, values, most, &count);
    }
    if (lines->wrong)
        complain(command, "%s: line %d: %s", name, lines->number, lines->wrong);
    else if (!good && count == most)
        complain(command, "%s: line %d: more than %lld numbers", name, lines->number, most);
    else if (!good)
        complain(command, "%s: line %d: not finite numbers with blanks or commas between", name,
                 lines->number);
    else if (!count)
        complain(command, "%s: 1 to %lld finite numbers are expected", name, most);
    return good && !lines->wrong && count ? count : -1;
}

bool gossip_read_data(const char *command, const char *name, int *kind, long long *nodes,
                      double **own)
{
    struct lines lines;
    for (*kind = 0; summand__data_names[*kind]; ++*kind)
        if (!strcmp(summand__data_names[*kind], name))
            return true;
    *kind = 0;
    if (!lines_open(&lines, name))
        return !complain(command, "%s: neither a kind of data%s nor a file: %s", name,
                         summand__nearest_of(name, summand__data_names).text, strerror(errno));
    double *values = need(malloc(NODES_MOST * sizeof *values));
    const long long count = read_numbers_of(command, name, &lines, values, NODES_MOST);
    lines_close(&lines);
    if (count > 0 && (*nodes < 0 || *nodes == count)) {
        *nodes = count;
        *own = values;
        return true;
    }
    if (count > 0)
        complain(command, "%s: %lld numbers, but --nodes %lld", name, count, *nodes);
    free(values);
    return false;
}
