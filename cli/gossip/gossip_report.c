#include "cli/gossip/gossip_report.h"

#include "cli/common/json.h"
#include "cli/common/setting.h"
#include "cli/gossip/gossip.h"

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
    printf("largest %s error %*s%g\n", r->norm, relative ? 2 : (int)(10 - strlen(r->norm)), "",
           o->error);
    printf("messages per process     %.2f (most: %d)\n", o->messages, o->most_messages);
    if (o->first >= 0)
        printf("first within eps after   %.2f messages per process\n", o->first);
    if (r->stay && o->from >= 0)
        printf("within eps to the end    from %.2f on; largest error after the first time %g\n",
               o->from, o->worst);
    if (r->stay && o->first >= 0 && o->from < 0)
        printf("did not stay within eps  largest error after the first time %g\n", o->worst);
    printf("time                     %g\n", o->time);
    printf("flips                    %d\n", o->flips);
    printf("bad messages, bad states %llu, %llu\n", (unsigned long long)o->counts.bad_messages,
           (unsigned long long)o->counts.bad_states);
    printf("repairs, resets          %llu, %llu\n", (unsigned long long)o->counts.repairs,
           (unsigned long long)o->counts.resets);
}

/* Of the runs: how many reached eps, how many stayed, and when. */
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
        printf("  %-23s median %.2f (fewer than %d runs: no interval)\n", what, i.middle,
               SUMMAND__INTERVAL_LEAST);
    else
        printf("  %-23s median %.2f (95 %%: %.2f..%.2f)\n", what, i.middle, i.low, i.high);
}

static void many_runs(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    printf("reached %g at some time   %d of %d runs\n", r->eps, t.reached, r->runs);
    if (t.reached)
        median_line("messages per process", t.first);
    if (!r->stay)
        return;
    printf("within it at the end      %d of %d runs\n", t.stayed, r->runs);
    if (t.stayed)
        median_line("from message on", t.from);
    printf("largest error in between  %g\n", t.worst);
}

int gossip_report_text(const struct gossip_report *r)
{
    int accurate = 0;
    for (int k = 0; k < r->runs; k++)
        accurate += r->outcomes[k].converged;
    printf("%s/%s on %s, %lld nodes: ", r->algorithm, r->form, r->topology, r->nodes);
    if (r->runs == 1)
        printf("%s\n", accurate ? "accurate" : "NOT accurate");
    else
        printf("%d of %d runs accurate\n", accurate, r->runs);
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

/* Numbers with blanks, commas or semicolons between them; '#' begins a remark. Returns how many, or
 * -1 with the number of the line that is wrong. */
static long long read_numbers_of(FILE *in, double *values, long long most, int *line)
{
    long long count = 0;
    char *text = NULL;
    size_t room = 0;
    bool good = true;
    for (*line = 0; good && getline(&text, &room, in) > 0;) {
        ++*line;
        text[strcspn(text, "#")] = 0;
        for (char *at = text; good;) {
            at += strspn(at, " \t\r\n,;");
            if (!*at)
                break;
            char *end;
            double x = strtod(at, &end);
            good = end != at && (!*end || strchr(" \t\r\n,;", *end)) && isfinite(x) && count < most;
            if (good)
                values[count++] = x;
            at = end;
        }
    }
    free(text);
    return good && !ferror(in) ? count : -1;
}

bool gossip_read_data(const char *command, const char *name, int *kind, long long *nodes,
                      double **own)
{
    for (*kind = 0; summand__data_names[*kind]; ++*kind)
        if (!strcmp(summand__data_names[*kind], name))
            return true;
    *kind = 0;
    FILE *in = fopen(name, "r");
    if (!in)
        return !complain(command, "%s: neither a kind of data nor a file: %s", name,
                         strerror(errno));
    double *values = malloc(NODES_MOST * sizeof *values);
    int line = 0;
    long long count = values ? read_numbers_of(in, values, NODES_MOST, &line) : 0;
    fclose(in);
    if (count > 0 && (*nodes < 0 || *nodes == count)) {
        *nodes = count;
        *own = values;
        return true;
    }
    if (!values)
        complain(command, "out of memory");
    else if (count < 0 && line)
        complain(command, "%s:%d: 1 to %d finite numbers are expected", name, line, NODES_MOST);
    else if (count > 0)
        complain(command, "%s: %lld numbers, but --nodes %lld", name, count, *nodes);
    else
        complain(command, "%s: 1 to %d finite numbers are expected", name, NODES_MOST);
    free(values);
    return false;
}
