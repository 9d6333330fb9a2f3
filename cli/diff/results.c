/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on different numbers of ranks. Inputs differ by their nature, so results alone are compared:
 * those of rank 0, of calls whose result has the same length on any number of ranks. The k-th call
 * of a call site in A belongs to the k-th of the same call, count, datatype and operator in B.
 * Where another build has other call sites, that of a function does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/diff/diff.h"
#include "cli/output/table.h"

/* The calls of one site, or of a function, of both runs. */
struct place {
    const struct record_call *call; /* the first one */
    const char *function;           /* NULL: of one site */
    long long seen[2], compared, differing;
    const struct kept_call *first[2]; /* that differ */
};

struct places {
    struct place *place;
    int count;
    struct texts *texts;
    long long compared, differing, by_function;
    long long others[2]; /* calls that are not compared */
    struct unmatched unmatched;
};

static bool is_compared(const struct record_call *call)
{
    static const char *const names[] = {"MPI_Reduce",  "MPI_Allreduce",  "MPI_Bcast",
                                        "MPI_Ireduce", "MPI_Iallreduce", "MPI_Ibcast",
                                        NULL};
    const char *const *name = names;
    /* Persistent and large forms have endings: MPI_Allreduce_init, MPI_Bcast_c. */
    for (; *name; name++) {
        size_t length = strlen(*name);
        if (!strncmp(call->name, *name, length) &&
            (!call->name[length] || !strcmp(call->name + length, "_c") ||
             !strncmp(call->name + length, "_init", 5)))
            break;
    }
    return *name && call->result.there && call->site;
}

static bool same_place(const struct place *place, const struct record_call *call,
                       const char *function)
{
    const struct record_call *a = place->call;
    return place->function == function && (function || a->site == call->site) &&
           a->name == call->name && a->count == call->count && a->type == call->type &&
           a->op == call->op && a->communicator == call->communicator;
}

static struct place *place_of(struct places *places, const struct record_call *call,
                              const char *function)
{
    for (int i = 0; i < places->count; i++)
        if (same_place(&places->place[i], call, function))
            return &places->place[i];
    int count = places->count++;
    if (!(count & (count - 1)))
        places->place =
            need(realloc(places->place, (count ? 2 * (size_t)count : 1) * sizeof *places->place));
    places->place[count] = (struct place){.call = call, .function = function};
    return &places->place[count];
}

/* The call site without its offset. */
static const char *function_of(struct places *places, const char *site)
{
    const char *plus = strrchr(site, '+');
    char *name = need(strndup(site, plus ? (size_t)(plus - site) : strlen(site)));
    const char *kept = texts_keep(places->texts, name);
    free(name);
    return kept;
}

/* The place by which a call is matched: its site if both runs call from there, else its function.
 */
static struct place *match_of(struct places *places, const struct record_call *call)
{
    struct place *place = place_of(places, call, NULL);
    return place->seen[0] && place->seen[1]
               ? place
               : place_of(places, call, function_of(places, call->site));
}

static void count_sites(struct places *places, int run, const struct rank_record *record)
{
    for (long long i = 0; i < record->count; i++)
        if (is_compared(&record->call[i].call))
            place_of(places, &record->call[i].call, NULL)->seen[run]++;
        else
            places->others[run]++;
}

/* The calls of B by their place and occurrence: a chain per place. */
struct chains {
    const struct kept_call **next; /* by index in B */
    const struct kept_call **head; /* by place */
};

static void chain(struct places *places, const struct rank_record *b, struct chains *chains)
{
    const struct kept_call **tail;
    const size_t most = 2 * (size_t)places->count + 1; /* sites, and their functions */
    chains->next = need(calloc((size_t)b->count + 1, sizeof *chains->next));
    chains->head = need(calloc(most, sizeof *chains->head));
    tail = need(calloc(most, sizeof *tail));
    for (long long i = 0; i < b->count; i++) {
        if (!is_compared(&b->call[i].call))
            continue;
        struct place *of = match_of(places, &b->call[i].call);
        long long place = of - places->place;
        of->seen[1] += of->function != NULL;
        if (tail[place])
            chains->next[tail[place] - b->call] = &b->call[i];
        else
            chains->head[place] = &b->call[i];
        tail[place] = &b->call[i];
    }
    free(tail);
}

/* What is left in the chains only B has. */
static void note_rest(struct places *places, const struct rank_record *b,
                      const struct chains *chains)
{
    for (int i = 0; i < places->count; i++)
        for (const struct kept_call *call = chains->head[i]; call;
             call = chains->next[call - b->call])
            unmatched_add(&places->unmatched, 1, &call->call, 1);
}

/* Returns the index of the first place that differs, or -1. */
static int compare_places(struct places *places, const struct rank_record *a,
                          const struct rank_record *b)
{
    struct chains chains;
    int first = -1;
    count_sites(places, 0, a);
    count_sites(places, 1, b);
    chain(places, b, &chains);
    for (long long i = 0; i < a->count; i++) {
        const struct kept_call *mine = &a->call[i];
        if (!is_compared(&mine->call))
            continue;
        struct place *place = match_of(places, &mine->call);
        long long at = place - places->place;
        const struct kept_call *other = chains.head[at];
        if (!other) {
            unmatched_add(&places->unmatched, 0, &mine->call, 1);
            continue;
        }
        chains.head[at] = chains.next[other - b->call];
        places->compared++;
        places->by_function += place->function != NULL;
        place->compared++;
        if (other->call.result.hash == mine->call.result.hash)
            continue;
        places->differing++;
        if (place->differing++)
            continue;
        place->first[0] = mine;
        place->first[1] = other;
        first = first < 0 ? (int)at : first;
    }
    note_rest(places, b, &chains);
    free(chains.next);
    free(chains.head);
    return first;
}

/* The largest distance of two values of the place's first difference, relative to the larger one;
 * NaN without values. */
static double distance(const struct place *place)
{
    char *a = place->first[0]->out ? need(strdup(place->first[0]->out)) : NULL;
    char *b = place->first[1]->out ? need(strdup(place->first[1]->out)) : NULL;
    char *rest_a = NULL, *rest_b = NULL;
    double most = NAN;
    for (char *x = a ? strtok_r(a, " ", &rest_a) : NULL, *y = b ? strtok_r(b, " ", &rest_b) : NULL;
         x && y; x = strtok_r(NULL, " ", &rest_a), y = strtok_r(NULL, " ", &rest_b)) {
        double p = strtod(x, NULL), q = strtod(y, NULL);
        double larger = fabs(p) > fabs(q) ? fabs(p) : fabs(q);
        double apart = larger > 0 ? fabs(p - q) / larger : 0;
        most = isnan(most) || apart > most ? apart : most;
    }
    free(a);
    free(b);
    return most;
}

/* Most programs sum a part of the data in a loop before the call: then its input tells why. */
static const char *about_inputs(const struct record_call *a, const struct record_call *b)
{
    if (!a->op || !a->input.there || !b->input.there)
        return "the runs have different numbers of ranks, so inputs are not compared";
    if (a->input.hash == b->input.hash)
        return "rank 0 passes in the same in both; the runs have different numbers of ranks, so "
               "inputs of the others are not compared";
    return "what rank 0 passes in differs already: what a rank sums before the call depends on the "
           "number of ranks, and no mode can make it the same; summand_sum and summand_dot replace "
           "the loop and the call";
}

static void sentence(const struct places *places, int first, char *text, size_t room)
{
    const struct place *place = &places->place[first];
    const struct record_call *a = &place->first[0]->call, *b = &place->first[1]->call;
    char words[96];
    words_of_count(a->count, a->type, words, sizeof words);
    snprintf(text, room,
             "first different result on rank 0: call %lld of A and %lld of B on communicator %lld, "
             "%s, %s%s%s, at %s%s%s: %s",
             a->number, b->number, a->communicator, a->name, words, a->op ? ", " : "",
             a->op ? a->op : "", a->site, place->function ? " and at " : "",
             place->function ? b->site : "", about_inputs(a, b));
}

static void print_places(const struct places *places)
{
    enum { SHOWN = 20 };
    struct table table;
    int shown = 0;
    table_begin(&table, "compared|differ|first in A|relative difference|<call|<caller");
    for (int i = 0; i < places->count && shown < SHOWN; i++) {
        const struct place *place = &places->place[i];
        const struct record_call *call = place->call;
        char words[96];
        if (!place->differing)
            continue;
        shown++;
        words_of_count(call->count, call->type, words, sizeof words);
        table_cell(&table, "%lld", place->compared);
        table_cell(&table, "%lld", place->differing);
        table_cell(&table, "%lld", place->first[0]->call.number);
        double apart = distance(place);
        table_cell(&table, isnan(apart) ? "-" : "%.1e", apart);
        table_cell(&table, "%s %s%s%s", call->name, words, call->op ? " " : "",
                   call->op ? call->op : "");
        table_cell(&table, "%s", place->function ? place->function : call->site);
    }
    table_end(&table, stdout);
}

/* What was compared, and what was not. */
static void print_counts(struct places *places)
{
    printf("\n");
    print_line("%lld results of rank 0 were compared, %lld differ.", places->compared,
               places->differing);
    if (places->by_function)
        print_line("%lld of them by function and order: the call sites of the runs differ.",
                   places->by_function);
    if (places->others[0] || places->others[1])
        print_line("%lld calls of A and %lld of B are others, or have no result on rank 0.",
                   places->others[0], places->others[1]);
    unmatched_print(&places->unmatched);
}

static int by_first(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (!p->differing || !q->differing)
        return !p->differing - !q->differing;
    return p->first[0]->call.number < q->first[0]->call.number ? -1 : 1;
}

static json_t *place_json(const struct place *place)
{
    const struct record_call *call = place->call;
    return json_make("ssIssIIIIo", "caller", place->function ? place->function : call->site, "call",
                     call->name, "count", (json_int_t)call->count, "type", call->type, "op",
                     call->op, "compared", (json_int_t)place->compared, "differ",
                     (json_int_t)place->differing, "first_in_a",
                     (json_int_t)place->first[0]->call.number, "first_in_b",
                     (json_int_t)place->first[1]->call.number, "relative_difference",
                     json_finite(distance(place)));
}

static int write_places(const struct run runs[2], const struct places *places, int first,
                        int status)
{
    json_t *object = json_head(DIFF), *list = json_array(), *described = json_array();
    char text[1024];
    for (int run = 0; run < 2; run++)
        json_array_append_new(described, run_json(&runs[run]));
    for (int i = 0; i < places->count; i++)
        if (places->place[i].differing)
            json_array_append_new(list, place_json(&places->place[i]));
    if (first >= 0)
        sentence(places, first, text, sizeof text);
    json_object_update_new(object, json_make("boIIIooso", "same", !status, "runs", described,
                                             "compared", (json_int_t)places->compared,
                                             "by_function", (json_int_t)places->by_function,
                                             "results_differ", (json_int_t)places->differing,
                                             "unmatched", unmatched_json(&places->unmatched),
                                             "not_compared", counts_json(places->others), "first",
                                             first < 0 ? NULL : text, "callers", list));
    return write_json(DIFF, object, NULL) ? 2 : status;
}

static int report(const struct run runs[2], struct places *places, int first, int status)
{
    char text[1024];
    if (first < 0 && !status) {
        print_line("no difference: the compared results of rank 0 are the same");
    } else if (first >= 0) {
        sentence(places, first, text, sizeof text);
        print_wrapped(text, 0, stdout);
        printf("\n");
        qsort(places->place, (size_t)places->count, sizeof *places->place, by_first);
        print_places(places);
    }
    print_counts(places);
    print_runs(&runs[0], &runs[1]);
    return status;
}

/* 0, 1 or 2 after a complaint. */
static int status_of(const struct run runs[2], const struct rank_record records[2],
                     const struct places *places, int first)
{
    if (!places->compared)
        return complain(DIFF,
                        "%s, %s: no call of rank 0 can be compared: the runs have different "
                        "numbers of ranks, and no function has the same calls in both",
                        runs[0].folder, runs[1].folder) +
               1;
    if (first < 0 && !(records[0].whole && records[1].whole))
        return complain(DIFF, "%s: the record of rank 0 has no end; no difference up to there",
                        runs[records[0].whole].folder) +
               1;
    return first >= 0;
}

int compare_results(const struct run runs[2], bool json)
{
    struct rank_record records[2];
    struct places places = {.texts = runs[0].texts};
    if (!run_load(&runs[0], 0, &records[0]))
        return 2;
    if (!run_load(&runs[1], 0, &records[1])) {
        rank_record_free(&records[0]);
        return 2;
    }
    int first = compare_places(&places, &records[0], &records[1]);
    int status = status_of(runs, records, &places, first);
    status =
        json ? write_places(runs, &places, first, status) : report(runs, &places, first, status);
    unmatched_free(&places.unmatched);
    free(places.place);
    rank_record_free(&records[0]);
    rank_record_free(&records[1]);
    return status;
}
