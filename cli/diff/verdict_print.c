/* SPDX-License-Identifier: BSD-3-Clause */
/* The first difference as a table, and as JSON. */
#include "cli/diff/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/table.h"

static const char *compared(const struct verdict_rank *rank, bool result)
{
    const struct record_hashed *a = result ? &rank->call[0].result : &rank->call[0].input;
    const struct record_hashed *b = result ? &rank->call[1].result : &rank->call[1].input;
    if (!rank->in[0] || !rank->in[1])
        return rank->in[0] ? "only A" : "only B";
    if (!a->there && !b->there)
        return "-";
    return a->there == b->there && a->hash == b->hash ? "equal" : "differs";
}

static const char *word(const char *text)
{
    return text ? text : "-";
}

/* True if all ranks call from the place that the sentence names. */
static bool is_one_caller(const struct verdict *verdict)
{
    const char *site = verdict->rank[0].call[0].site;
    for (int i = 0; i < verdict->ranks; i++)
        for (int run = 0; run < 2; run++)
            if (verdict->rank[i].call[run].site != site)
                return false;
    return true;
}

/* Of many ranks those alone that differ. */
static void print_ranks(const struct verdict *verdict)
{
    enum { SHOWN = 16 };
    struct table table;
    const bool one = is_one_caller(verdict);
    int shown = 0;
    table_begin(&table, one ? "rank|<input|<result|<algorithm A|<algorithm B"
                            : "rank|<input|<result|<algorithm A|<algorithm B|<caller in A|"
                              "<caller in B");
    for (int i = 0; i < verdict->ranks; i++) {
        const struct verdict_rank *rank = &verdict->rank[i];
        if ((rank->kind == SAME && verdict->ranks > SHOWN) || shown == SHOWN)
            continue;
        shown++;
        table_cell(&table, "%d", rank->rank);
        table_cell(&table, "%s", compared(rank, false));
        table_cell(&table, "%s", compared(rank, true));
        for (int run = 0; run < 2; run++)
            table_cell(&table, "%s", word(rank->call[run].how));
        for (int run = 0; run < 2 && !one; run++)
            table_cell(&table, "%s", word(rank->call[run].site));
    }
    table_end(&table, stdout);
    if (shown < verdict->ranks)
        print_line("%d of %d ranks are shown.", shown, verdict->ranks);
}

/* The values of the first rank that has them, of the input if that differs, else of the result. */
static const struct verdict_rank *valued(const struct verdict *verdict, char *values[2])
{
    for (int i = 0; i < verdict->ranks; i++) {
        const struct verdict_rank *rank = &verdict->rank[i];
        char *const *from = verdict->kind == INPUTS_DIFFER ? rank->values_in : rank->values_out;
        if (rank->kind != verdict->kind || !from[0] || !from[1])
            continue;
        values[0] = need(strdup(from[0]));
        values[1] = need(strdup(from[1]));
        return rank;
    }
    return NULL;
}

static void ulps_cell(struct table *table, double ulps)
{
    if (isnan(ulps))
        table_cell(table, "-");
    else
        table_cell(table, ulps < 1e9 ? "%.0f" : "%.2e", ulps);
}

static void print_values(const struct verdict *verdict)
{
    struct value_pair pairs[VALUE_PAIRS];
    struct table table;
    long long count;
    int kept;
    char *values[2];
    const struct verdict_rank *rank = valued(verdict, values);
    if (!rank)
        return;
    long long differing =
        values_compare(values[0], values[1], rank->call[0].type, &count, pairs, &kept);
    if (differing > 0) {
        printf("\n");
        print_line("The first of %lld %s that differ on rank %d, of %lld:", differing,
                   verdict->kind == INPUTS_DIFFER ? "inputs" : "results", rank->rank, count);
        printf("\n");
        table_begin(&table, "number|A|B|ulps apart");
        for (int i = 0; i < kept; i++) {
            table_cell(&table, "%lld", pairs[i].element);
            table_cell(&table, "%s", pairs[i].a);
            table_cell(&table, "%s", pairs[i].b);
            ulps_cell(&table, pairs[i].ulps);
        }
        table_end(&table, stdout);
    }
    free(values[0]);
    free(values[1]);
}

void verdict_print(const struct verdict *verdict)
{
    char text[1024];
    verdict_sentence(verdict, text, sizeof text);
    print_wrapped(text, 0, stdout);
    printf("\n");
    print_ranks(verdict);
    print_values(verdict);
}

static json_t *hash_json(const struct record_hashed *hashed)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hashed->hash);
    return json_text(hashed->there ? text : NULL);
}

static json_t *call_json(const struct record_call *call)
{
    return json_make("sIssIooss", "call", call->name, "count", (json_int_t)call->count, "type",
                     call->type, "op", call->op, "root", (json_int_t)call->root, "input",
                     hash_json(&call->input), "result", hash_json(&call->result), "algorithm",
                     call->how, "caller", call->site);
}

static json_t *values_json(const struct verdict_rank *rank, bool inputs)
{
    struct value_pair pairs[VALUE_PAIRS];
    char *const *from = inputs ? rank->values_in : rank->values_out;
    char *a = from[0] ? need(strdup(from[0])) : NULL, *b = from[1] ? need(strdup(from[1])) : NULL;
    json_t *list = json_array();
    long long count;
    int kept;
    values_compare(a, b, rank->call[0].type, &count, pairs, &kept);
    for (int i = 0; i < kept; i++)
        json_array_append_new(list, json_make("Isso", "number", (json_int_t)pairs[i].element, "a",
                                              pairs[i].a, "b", pairs[i].b, "ulps",
                                              json_finite(pairs[i].ulps)));
    free(a);
    free(b);
    return list;
}

json_t *verdict_json(const struct verdict *verdict)
{
    static const char *const kinds[] = {"none", "results", "inputs", "calls", "missing"};
    json_t *ranks = json_array();
    char text[1024];
    verdict_sentence(verdict, text, sizeof text);
    for (int i = 0; i < verdict->ranks; i++) {
        const struct verdict_rank *rank = &verdict->rank[i];
        json_t *entry = json_make("isoo", "rank", rank->rank, "kind", kinds[rank->kind], "a",
                                  rank->in[0] ? call_json(&rank->call[0]) : json_null(), "b",
                                  rank->in[1] ? call_json(&rank->call[1]) : json_null());
        if (rank->kind == RESULTS_DIFFER || rank->kind == INPUTS_DIFFER)
            json_object_set_new(entry, "values", values_json(rank, rank->kind == INPUTS_DIFFER));
        json_array_append_new(ranks, entry);
    }
    return json_make("ssIIIo", "kind", kinds[verdict->kind], "sentence", text, "number",
                     (json_int_t)verdict->name.number, "communicator",
                     (json_int_t)verdict->name.communicator.number, "size",
                     (json_int_t)verdict->name.communicator.size, "ranks", ranks);
}
