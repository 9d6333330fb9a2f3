#include "gossip_report.h"

#include "gossip.h"
#include "gossip_interval.h"

#include "gossip/data.h"

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

void gossip_report_text(const struct gossip_report *r)
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
}

/* Infinity and NaN have no form of their own. */
static void put_number(const char *name, double value, const char *end)
{
    if (isfinite(value))
        printf("\"%s\": %.17g%s", name, value, end);
    else
        printf("\"%s\": null%s", name, end);
}

static void put_text(const char *name, const char *text)
{
    printf("\"%s\": \"", name);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    printf("\", ");
}

static void put_interval(const char *name, struct interval i)
{
    printf("\"%s\": {", name);
    put_number("median", i.middle, ", ");
    put_number("low", i.low, ", ");
    put_number("high", i.high, "}, ");
}

void gossip_report_json(const struct gossip_report *r)
{
    struct totals t = total_of(r);
    putchar('{');
    put_text("algorithm", r->algorithm);
    put_text("form", r->form);
    put_text("topology", r->topology);
    printf("\"nodes\": %lld, \"runs\": %d, \"stay\": %s, ", r->nodes, r->runs,
           r->stay ? "true" : "false");
    put_number("eps", r->eps, ", ");
    printf("\"reached\": %d, \"stayed\": %d, ", t.reached, t.stayed);
    put_interval("first", t.first);
    put_interval("from", t.from);
    printf("\"outcomes\": [");
    for (int k = 0; k < r->runs; k++) {
        const struct summand__events_outcome *o = &r->outcomes[k];
        printf("%s{\"accurate\": %s, ", k ? ", " : "", o->converged ? "true" : "false");
        put_number("error", o->error, ", ");
        put_number("messages", o->messages, ", ");
        put_number("first", o->first < 0 ? NAN : o->first, ", ");
        put_number("from", o->from < 0 ? NAN : o->from, ", ");
        put_number("worst_after", o->worst, ", ");
        put_number("time", o->time, ", ");
        printf("\"flips\": %d, \"bad_messages\": %llu, \"bad_states\": %llu, \"repairs\": %llu, "
               "\"resets\": %llu}",
               o->flips, (unsigned long long)o->counts.bad_messages,
               (unsigned long long)o->counts.bad_states, (unsigned long long)o->counts.repairs,
               (unsigned long long)o->counts.resets);
    }
    printf("]}\n");
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
