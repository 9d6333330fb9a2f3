#include "cli/gossip/gossip_report.h"

#include "cli/common/json.h"
#include "cli/common/setting.h"
#include "cli/gossip/gossip.h"
#include "cli/gossip/gossip_interval.h"

#include "lab/gossip/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 20 };

static void one_run(const struct gossip_report *r)
{
    const struct summand__events_outcome *o = r->outcomes;
    printf("largest relative error   %g\n", o->error);
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
    struct interval first, from;
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
    t.first = interval_of_median(first, first ? t.reached : 0, 1);
    t.from = interval_of_median(from, first ? t.stayed : 0, 2);
    free(first);
    return t;
}

static void many_runs(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    printf("reached %g at some time   %d of %d runs\n", r->eps, t.reached, r->runs);
    if (t.reached)
        printf("  messages per process    median %.2f (95 %%: %.2f..%.2f)\n", t.first.middle,
               t.first.low, t.first.high);
    if (!r->stay)
        return;
    printf("within it at the end      %d of %d runs\n", t.stayed, r->runs);
    if (t.stayed)
        printf("  from message on         median %.2f (95 %%: %.2f..%.2f)\n", t.from.middle,
               t.from.low, t.from.high);
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

/* Infinity and NaN have no form of their own. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(struct interval i)
{
    return json_pack("{s:o, s:o, s:o}", "median", number(i.middle), "low", number(i.low), "high",
                     number(i.high));
}

static json_t *outcome_json(const struct summand__events_outcome *o)
{
    json_t *json = json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "accurate", o->converged,
                             "error", number(o->error), "messages", number(o->messages), "first",
                             number(o->first < 0 ? NAN : o->first), "from",
                             number(o->from < 0 ? NAN : o->from), "worst_after", number(o->worst),
                             "time", number(o->time));
    json_object_update_new(json, json_pack("{s:i, s:I, s:I, s:I, s:I}", "flips", (int)o->flips,
                                           "bad_messages", (json_int_t)o->counts.bad_messages,
                                           "bad_states", (json_int_t)o->counts.bad_states,
                                           "repairs", (json_int_t)o->counts.repairs, "resets",
                                           (json_int_t)o->counts.resets));
    return json;
}

int gossip_report_json(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    json_t *json = json_head("gossip run"), *outcomes = json_array();
    for (int k = 0; k < r->runs; k++)
        json_array_append_new(outcomes, outcome_json(&r->outcomes[k]));
    json_object_update_new(
        json, json_pack("{s:s, s:s, s:s, s:I, s:i, s:b, s:f, s:i, s:i, s:o, s:o, s:o}", "algorithm",
                        r->algorithm, "form", r->form, "topology", r->topology, "nodes",
                        (json_int_t)r->nodes, "runs", r->runs, "stay", r->stay, "eps", r->eps,
                        "reached", t.reached, "stayed", t.stayed, "first", interval(t.first),
                        "from", interval(t.from), "outcomes", outcomes));
    return write_json("gossip run", json, NULL);
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
    double *values = malloc(NODES_MOST * sizeof *values), x;
    long long count = 0;
    int got = 0;
    while (values && count < NODES_MOST && (got = fscanf(in, "%lf", &x)) == 1 && isfinite(x))
        values[count++] = x;
    bool whole = values && got == EOF && count;
    fclose(in);
    if (!whole) {
        free(values);
        return !complain(command, "%s: 1 to %d finite numbers are expected", name, NODES_MOST);
    }
    *nodes = count;
    *own = values;
    return true;
}
