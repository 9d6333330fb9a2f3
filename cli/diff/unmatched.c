/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that one run alone makes, by caller. */
#include <stdlib.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/diff/diff.h"
#include "cli/output/table.h"
#include "cli/output/text.h"

void unmatched_add(struct unmatched *unmatched, int run, const struct record_call *call,
                   long long calls)
{
    int i = 0;
    unmatched->calls[run] += calls;
    while (i < unmatched->rows &&
           (unmatched->row[i].name != call->name || unmatched->row[i].site != call->site))
        i++;
    if (i == unmatched->rows) {
        if (!(i & (i - 1)))
            unmatched->row =
                need(realloc(unmatched->row, (i ? 2 * (size_t)i : 1) * sizeof *unmatched->row));
        unmatched->row[unmatched->rows++] = (struct unmatched_row){call->name, call->site, {0, 0}};
    }
    unmatched->row[i].calls[run] += calls;
}

static int by_calls(const void *a, const void *b)
{
    const struct unmatched_row *p = a, *q = b;
    const long long mine = p->calls[0] + p->calls[1], other = q->calls[0] + q->calls[1];
    return (mine < other) - (mine > other);
}

void unmatched_print(struct unmatched *unmatched)
{
    enum { SHOWN = 10 };
    struct table table;
    if (!unmatched->rows)
        return;
    qsort(unmatched->row, (size_t)unmatched->rows, sizeof *unmatched->row, by_calls);
    printf("\n");
    print_line("Without a partner in the other run: %lld call%s of A and %lld of B.",
               unmatched->calls[0], text_plural(unmatched->calls[0]), unmatched->calls[1]);
    printf("\n");
    table_begin(&table, "only A|only B|<call|<caller");
    for (int i = 0; i < unmatched->rows && i < SHOWN; i++) {
        const struct unmatched_row *row = &unmatched->row[i];
        table_cell(&table, "%lld", row->calls[0]);
        table_cell(&table, "%lld", row->calls[1]);
        table_cell(&table, "%s", row->name);
        table_cell(&table, "%s", row->site ? row->site : "-");
    }
    table_end(&table, stdout);
    if (unmatched->rows > SHOWN)
        print_line("%d of %d callers are shown.", SHOWN, unmatched->rows);
}

json_t *counts_json(const long long calls[2])
{
    return json_make("II", "a", (json_int_t)calls[0], "b", (json_int_t)calls[1]);
}

json_t *unmatched_json(const struct unmatched *unmatched)
{
    json_t *list = json_array();
    for (int i = 0; i < unmatched->rows; i++) {
        const struct unmatched_row *row = &unmatched->row[i];
        json_array_append_new(list,
                              json_make("ssII", "caller", row->site, "call", row->name, "a",
                                        (json_int_t)row->calls[0], "b", (json_int_t)row->calls[1]));
    }
    json_t *object = counts_json(unmatched->calls);
    json_object_set_new(object, "callers", list);
    return object;
}

void unmatched_free(struct unmatched *unmatched)
{
    free(unmatched->row);
    *unmatched = (struct unmatched){0};
}
