/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on different numbers of ranks. Inputs differ by their nature, so results alone are compared:
 * those of rank 0, of calls whose result has the same length on any number of ranks. The k-th call
 * of a call site in A belongs to the k-th of the same call, count, datatype and operator in B. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/table.h"
#include "cli/diff/diff.h"

/* The calls of one site, of both runs. */
struct place {
    const struct record_call *call; /* the first one */
    long long seen[2], differing;
    const struct kept_call *first[2]; /* that differ */
    long long occurrence;             /* of the first that differ, from 1 */
};

struct places {
    struct place *place;
    int count;
    long long compared, differing;
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

static bool same_place(const struct record_call *a, const struct record_call *b)
{
    return a->site == b->site && a->name == b->name && a->count == b->count && a->type == b->type &&
           a->op == b->op && a->communicator == b->communicator;
}

static struct place *place_of(struct places *places, const struct record_call *call)
{
    for (int i = 0; i < places->count; i++)
        if (same_place(places->place[i].call, call))
            return &places->place[i];
    int count = places->count++;
    if (!(count & (count - 1)))
        places->place =
            need(realloc(places->place, (count ? 2 * (size_t)count : 1) * sizeof *places->place));
    places->place[count] = (struct place){.call = call};
    return &places->place[count];
}

/* The calls of B by their place and occurrence: a chain per place. */
struct chains {
    const struct kept_call **next; /* by index in B */
    const struct kept_call **head; /* by place */
};

static void chain(struct places *places, const struct rank_record *b, struct chains *chains)
{
    const struct kept_call **tail;
    chains->next = need(calloc((size_t)b->count + 1, sizeof *chains->next));
    chains->head = need(calloc((size_t)b->count + 1, sizeof *chains->head));
    tail = need(calloc((size_t)b->count + 1, sizeof *tail));
    for (long long i = 0; i < b->count; i++) {
        if (!is_compared(&b->call[i].call))
            continue;
        long long place = place_of(places, &b->call[i].call) - places->place;
        places->place[place].seen[1]++;
        if (tail[place])
            chains->next[tail[place] - b->call] = &b->call[i];
        else
            chains->head[place] = &b->call[i];
        tail[place] = &b->call[i];
    }
    free(tail);
}

/* Returns the index of the first place that differs, or -1. */
static int compare_places(struct places *places, const struct rank_record *a,
                          const struct rank_record *b)
{
    struct chains chains;
    int first = -1;
    chain(places, b, &chains);
    const int of_b = places->count;
    for (long long i = 0; i < a->count; i++) {
        const struct kept_call *mine = &a->call[i];
        if (!is_compared(&mine->call))
            continue;
        struct place *place = place_of(places, &mine->call);
        long long at = place - places->place;
        const struct kept_call *other = at < of_b ? chains.head[at] : NULL;
        place->seen[0]++;
        if (!other)
            continue;
        chains.head[at] = chains.next[other - b->call];
        places->compared++;
        if (other->call.result.hash == mine->call.result.hash)
            continue;
        places->differing++;
        if (place->differing++)
            continue;
        place->first[0] = mine;
        place->first[1] = other;
        place->occurrence = place->seen[0];
        first = first < 0 ? (int)at : first;
    }
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

static void sentence(const struct places *places, int first, char *text, size_t room)
{
    const struct place *place = &places->place[first];
    const struct record_call *a = &place->first[0]->call, *b = &place->first[1]->call;
    char words[96];
    words_of_count(a->count, a->type, words, sizeof words);
    snprintf(text, room,
             "first different result on rank 0: call %lld of A and %lld of B on communicator %lld, "
             "%s, %s%s%s, at %s: the runs have different numbers of ranks, so inputs are not "
             "compared",
             a->number, b->number, a->communicator, a->name, words, a->op ? ", " : "",
             a->op ? a->op : "", a->site);
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
        table_cell(&table, "%lld",
                   place->seen[0] < place->seen[1] ? place->seen[0] : place->seen[1]);
        table_cell(&table, "%lld", place->differing);
        table_cell(&table, "%lld", place->first[0]->call.number);
        double apart = distance(place);
        table_cell(&table, isnan(apart) ? "-" : "%.1e", apart);
        table_cell(&table, "%s %s%s%s", call->name, words, call->op ? " " : "",
                   call->op ? call->op : "");
        table_cell(&table, "%s", call->site);
    }
    table_end(&table, stdout);
}

static int by_first(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (!p->differing || !q->differing)
        return !p->differing - !q->differing;
    return p->first[0]->call.number < q->first[0]->call.number ? -1 : 1;
}

static int write_places(const struct run *a, const struct run *b, const struct places *places,
                        int first)
{
    json_t *object = json_head(DIFF), *runs = json_array(), *list = json_array();
    char text[1024];
    json_array_append_new(runs, run_json(a));
    json_array_append_new(runs, run_json(b));
    for (int i = 0; i < places->count; i++) {
        const struct place *place = &places->place[i];
        if (place->differing)
            json_array_append_new(
                list, json_make("ssIssIIIo", "caller", place->call->site, "call", place->call->name,
                                "count", (json_int_t)place->call->count, "type", place->call->type,
                                "op", place->call->op, "differ", (json_int_t)place->differing,
                                "first_in_a", (json_int_t)place->first[0]->call.number,
                                "first_in_b", (json_int_t)place->first[1]->call.number,
                                "relative_difference", json_finite(distance(place))));
    }
    if (first >= 0)
        sentence(places, first, text, sizeof text);
    json_object_update_new(object,
                           json_make("boIIoo", "same", first < 0, "runs", runs, "compared",
                                     (json_int_t)places->compared, "results_differ",
                                     (json_int_t)places->differing, "first",
                                     first < 0 ? json_null() : json_text(text), "callers", list));
    return write_json(DIFF, object, NULL) ? 2 : first >= 0;
}

static int report(const struct run *a, const struct run *b, struct places *places, int first,
                  bool json)
{
    char text[1024];
    if (!places->compared)
        return complain(
                   DIFF,
                   "%s, %s: no call of rank 0 can be compared: the runs have different numbers of "
                   "ranks and no common call site",
                   a->folder, b->folder) +
               1;
    if (json)
        return write_places(a, b, places, first);
    if (first < 0) {
        print_line("no difference: %lld results of rank 0 are the same", places->compared);
    } else {
        sentence(places, first, text, sizeof text);
        print_wrapped(text, 0, stdout);
        printf("\n");
        qsort(places->place, (size_t)places->count, sizeof *places->place, by_first);
        print_places(places);
        printf("\n%lld results of rank 0 were compared, %lld differ.\n", places->compared,
               places->differing);
    }
    print_runs(a, b);
    return first >= 0;
}

int compare_results(const struct run *a, const struct run *b, bool json)
{
    struct rank_record records[2];
    struct places places = {0};
    if (!run_load(a, 0, &records[0]))
        return 2;
    if (!run_load(b, 0, &records[1])) {
        rank_record_free(&records[0]);
        return 2;
    }
    int first = compare_places(&places, &records[0], &records[1]);
    int status = report(a, b, &places, first, json);
    if (!status && !(records[0].whole && records[1].whole))
        status = complain(DIFF, "%s: the record of rank 0 has no end; no difference up to there",
                          (records[0].whole ? b : a)->folder) +
                 1;
    free(places.place);
    rank_record_free(&records[0]);
    rank_record_free(&records[1]);
    return status;
}
