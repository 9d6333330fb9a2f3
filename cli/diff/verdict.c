/* SPDX-License-Identifier: BSD-3-Clause */
/* What the first difference is, in one sentence. */
#include "cli/diff/diff.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/output/text.h"

static void take(struct verdict_rank *rank, int run, struct kept_call *call)
{
    if (!call)
        return;
    rank->in[run] = true;
    rank->call[run] = call->call;
    rank->values_in[run] = call->in;
    rank->values_out[run] = call->out;
    call->in = call->out = NULL;
}

static bool look(const struct run *a, const struct run *b, int rank, struct verdict *verdict)
{
    struct rank_record record[2];
    if (!run_load(a, rank, &record[0]))
        return false;
    if (!run_load(b, rank, &record[1])) {
        rank_record_free(&record[0]);
        return false;
    }
    struct verdict_rank found = {.rank = rank};
    for (int run = 0; run < 2; run++)
        take(&found, run, find_call(&record[run], &verdict->name));
    const struct record_call *mine = found.in[0] ? &found.call[0] : NULL;
    found.kind = compare_calls(mine, found.in[1] ? &found.call[1] : NULL);
    if (found.in[0] || found.in[1])
        verdict->rank[verdict->ranks++] = found;
    /* A record that was cut before the call does not say that there was none. */
    if (found.kind == CALL_MISSING && !record[found.in[0] ? 1 : 0].whole)
        found.kind = SAME;
    verdict->kind = found.kind > verdict->kind ? found.kind : verdict->kind;
    rank_record_free(&record[0]);
    rank_record_free(&record[1]);
    return true;
}

bool verdict_make(const struct run *a, const struct run *b, const struct call_name *name,
                  struct verdict *verdict)
{
    bool good = true;
    *verdict = (struct verdict){.kind = SAME, .name = *name, .mode = {a->mode, b->mode}};
    verdict->rank = need(calloc((size_t)a->ranks, sizeof *verdict->rank));
    for (int rank = 0; rank < a->ranks && good; rank++)
        good = look(a, b, rank, verdict);
    if (!good)
        verdict_free(verdict);
    return good;
}

void verdict_free(struct verdict *verdict)
{
    for (int i = 0; i < verdict->ranks; i++)
        for (int run = 0; run < 2; run++) {
            free(verdict->rank[i].values_in[run]);
            free(verdict->rank[i].values_out[run]);
        }
    free(verdict->rank);
    *verdict = (struct verdict){0};
}

struct sentence {
    char *text;
    size_t room, used;
};

static void __attribute__((format(printf, 2, 3)))
add(struct sentence *sentence, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t room = sentence->room - sentence->used;
    int count = vsnprintf(sentence->text + sentence->used, room, format, list);
    va_end(list);
    if (count > 0)
        sentence->used += (size_t)count < room ? (size_t)count : room - 1;
}

static void add_call(struct sentence *s, const struct record_call *call)
{
    char words[96];
    words_of_count(call->count, call->type, words, sizeof words);
    add(s, "%s, %s", call->name, words);
    if (call->op)
        add(s, ", %s", call->op);
    if (call->root >= 0)
        add(s, ", root %lld", call->root);
    if (call->site)
        add(s, ", at %s", call->site);
}

/* "rank 3", "ranks 0, 1 and 5", "ranks 0, 1, 2, 3 and 60 more" */
static void add_ranks(struct sentence *s, const struct verdict *verdict, enum difference kind)
{
    enum { SHOWN = 4 };
    int total = 0, shown = 0;
    for (int i = 0; i < verdict->ranks; i++)
        total += verdict->rank[i].kind == kind;
    if (total == verdict->ranks && total > 1) {
        add(s, "all %d ranks", total);
        return;
    }
    add(s, "rank%s", text_plural(total));
    for (int i = 0; i < verdict->ranks && shown < SHOWN; i++)
        if (verdict->rank[i].kind == kind) {
            bool last = ++shown == total;
            add(s, "%s %d", shown == 1 ? "" : last ? " and" : ",", verdict->rank[i].rank);
        }
    if (total > shown)
        add(s, " and %d more", total - shown);
}

static const struct verdict_rank *first_rank(const struct verdict *verdict, enum difference kind)
{
    for (int i = 0; i < verdict->ranks; i++)
        if (verdict->rank[i].kind == kind)
            return &verdict->rank[i];
    return &verdict->rank[0];
}

/* "results differ in 3 of 12", if the values are recorded. */
static void add_extent(struct sentence *s, const struct verdict *verdict,
                       const struct verdict_rank *rank)
{
    struct value_pair pairs[VALUE_PAIRS];
    long long count = 0;
    int kept;
    char *a = rank->values_out[0] ? need(strdup(rank->values_out[0])) : NULL;
    char *b = rank->values_out[1] ? need(strdup(rank->values_out[1])) : NULL;
    long long differing = values_compare(a, b, rank->call[0].type, &count, pairs, &kept);
    add(s, "inputs equal, results differ ");
    if (differing > 0)
        add(s, "in %lld of %lld", differing, count);
    else {
        add(s, "on ");
        add_ranks(s, verdict, RESULTS_DIFFER);
    }
    free(a);
    free(b);
}

static bool is_predefined(const char *op, const char *const *ops)
{
    for (; *ops; ops++)
        if (!strcmp(op, *ops))
            return true;
    return false;
}

static void add_reason(struct sentence *s, const struct record_call *a, const struct record_call *b,
                       const char *const mode[2])
{
    static const char *const rounded[] = {"MPI_SUM", "MPI_PROD", NULL};
    static const char *const chosen[] = {"MPI_MAX", "MPI_MIN", "MPI_MAXLOC", "MPI_MINLOC", NULL};
    const char *mine = a->how ? a->how : "?", *other = b->how ? b->how : "?";
    const bool floats = is_floating(a->type);
    const bool user = a->op && strncmp(a->op, "MPI_", 4) != 0;
    const bool modes = *mode[0] && *mode[1] && strcmp(mode[0], mode[1]) != 0;
    if (a->result.there != b->result.there) {
        add(s, ": in run %s the call failed or was not complete", a->result.there ? "B" : "A");
        return;
    }
    if (user || (a->op && floats && is_predefined(a->op, rounded)))
        add(s, modes ? ": the runs have other modes" : ": ranks combined in another order");
    else if (a->op && floats && is_predefined(a->op, chosen))
        add(s,
            ": NaN or zeros of both signs met in another order, or data were changed on their way");
    else
        add(s, ": no order of the ranks explains that; data were changed on their way");
    if (modes)
        add(s, " (%s: %s, %s: %s)", mode[0], mine, mode[1], other);
    else if (strcmp(mine, other) != 0)
        add(s, " (%s, %s)", mine, other);
    else
        add(s, " (both %s)", mine);
}

void verdict_sentence(const struct verdict *verdict, char *text, size_t room)
{
    struct sentence s = {text, room, 0};
    const struct verdict_rank *rank = first_rank(verdict, verdict->kind);
    const struct record_call *a = &rank->call[0], *b = &rank->call[1];
    const bool only_b = !rank->in[0];
    add(&s, "first difference: call %lld on communicator %lld (%lld rank%s), ",
        verdict->name.number, verdict->name.communicator.number, verdict->name.communicator.size,
        text_plural(verdict->name.communicator.size));
    add_call(&s, only_b ? b : a);
    add(&s, ": ");
    if (verdict->kind == CALL_MISSING) {
        add(&s, "only run %s makes it, on ", only_b ? "B" : "A");
        add_ranks(&s, verdict, CALL_MISSING);
        add(&s, ": the program had parted before");
    } else if (verdict->kind == CALLS_DIFFER) {
        add(&s, "in run B it is ");
        add_call(&s, b);
        add(&s, ", on ");
        add_ranks(&s, verdict, CALLS_DIFFER);
        add(&s, ": the program had parted before");
    } else if (verdict->kind == INPUTS_DIFFER) {
        add(&s, "inputs differ on ");
        add_ranks(&s, verdict, INPUTS_DIFFER);
        add(&s, ": the program had parted before");
    } else {
        add_extent(&s, verdict, rank);
        add_reason(&s, a, b, verdict->mode);
    }
}
