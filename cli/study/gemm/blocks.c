/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables 5.12 to 5.14: what fits, and the fastest block by prediction beside the dissertation's. */
#include <math.h>

#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/json.h"
#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/gemm/gemm.h"

/* Table 5.13, for n = 64, 128, ... 32768; 0: not legible in our copy, where the text does not say
 * it either. */
enum { FASTEST_GRIDS = 4, FASTEST_SIZES = 10, FASTEST_LEAST = 64 };
static const struct {
    int p;
    long long block[FASTEST_SIZES];
} fastest[FASTEST_GRIDS] = {{2, {32, 64, 128, 128, 512, 512, 1024, 2048, 2048, 2048}},
                            {4, {16, 32, 64, 128, 256, 512, 0, 0, 0, 0}},
                            {8, {2, 16, 32, 8, 16, 256, 0, 0, 0, 2048}},
                            {16, {4, 8, 8, 32, 32, 128, 0, 0, 0, 2048}}};

static long long measured_block(int p, long long n)
{
    for (int g = 0; g < FASTEST_GRIDS; g++)
        for (int s = 0; s < FASTEST_SIZES; s++)
            if (fastest[g].p == p && n == (long long)FASTEST_LEAST << s)
                return fastest[g].block[s];
    return 0;
}

/* Dissertation: b of table 5.13, and its predicted time. */
struct cell {
    int p;
    long long n, theirs;
    struct gemm_best best;
    double seconds;
};

static struct cell cell_of(const struct gemm_request *request,
                           const struct summand__algorithm *algorithm, int p, long long n)
{
    struct cell cell = {.p = p,
                        .n = n,
                        .theirs = measured_block(p, n),
                        .best = gemm_best(request, algorithm, p, n),
                        .seconds = (double)NAN};
    if (cell.theirs && cell.theirs == cell.best.block)
        cell.seconds = cell.best.seconds;
    else if (cell.theirs)
        cell.seconds = gemm_predicted(request, algorithm, p, n, cell.theirs);
    return cell;
}

static void number(struct table *table, int digits, double value)
{
    if (isfinite(value))
        table_cell(table, "%.*g", digits, value);
    else
        table_cell(table, "-");
}

/* Blocks, or how many of them a rank has in a row. */
static void put_block(struct table *table, const struct cell *cell, long long block, bool local)
{
    table_cell(table, block ? "%lld" : "-", local && block ? cell->n / (cell->p * block) : block);
}

static void put_row(struct table *table, const struct cell *cell, bool local)
{
    table_cell(table, "%d x %d", cell->p, cell->p);
    table_cell(table, "%lld", cell->n);
    put_block(table, cell, cell->best.block, local);
    number(table, 4, cell->best.seconds * 1e3);
    put_block(table, cell, cell->theirs, local);
    number(table, 4, cell->seconds * 1e3);
    number(table, 3, cell->seconds / cell->best.seconds);
    table_cell(table, "%d%s", cell->best.tried, cell->best.bounded ? "+" : "");
}

static json_t *json_of(const struct cell *cell)
{
    json_t *json = json_make("iIIibI", "p", cell->p, "n", (json_int_t)cell->n, "block",
                             (json_int_t)cell->best.block, "tried", cell->best.tried, "bounded",
                             cell->best.bounded, "measured_block", (json_int_t)cell->theirs);
    json_object_set_new(json, "seconds", json_finite(cell->best.seconds));
    json_object_set_new(json, "measured_block_seconds", json_finite(cell->seconds));
    return json;
}

static int search(const struct gemm_request *request, const char *table_name, bool local, bool json)
{
    const struct summand__algorithm *algorithm =
        request->only ? request->only : summand__algorithm_named("gemm-pairs");
    const int grids = request->grids.count, sizes = request->sizes.count;
    struct table table;
    json_t *cells = json_array(), *object;
    table_begin(&table, local ? "<grid|n|nu_l|ms|measured nu_l|its ms|times as long|tried"
                              : "<grid|n|b|ms|measured b|its ms|times as long|tried");
    for (int g = 0; g < grids; g++)
        for (int s = 0; s < sizes && !interrupted(); s++) {
            const int p = (int)request->grids.value[g];
            const long long n = request->sizes.value[s];
            progress_show("gemm: blocks", g * sizes + s, grids * sizes);
            const struct cell cell = cell_of(request, algorithm, p, n);
            put_row(&table, &cell, local);
            json_array_append_new(cells, json_of(&cell));
        }
    progress_show("gemm: blocks", 1, 1);
    if (json) {
        char name[16];
        snprintf(name, sizeof name, "table %s", table_name);
        object = json_head(study_gemm.name);
        json_object_update_new(object,
                               json_make("ssoo", "table", name, "algorithm", algorithm->name,
                                         "model", model_json(&request->model), "cells", cells));
        table_end(&table, NULL);
        return write_json(study_gemm.name, object, NULL);
    }
    json_decref(cells);
    print_remark("Table %s: the fastest block of %s by prediction, beside the one that was the "
                 "fastest on the dissertation's cluster, with its prediction. +: more blocks than "
                 "--products allows would have come next.",
                 table_name, algorithm->name);
    table_end(&table, stdout);
    return 0;
}

int gemm_table_blocks(const struct gemm_request *request, bool json)
{
    return search(request, "5.13", false, json);
}

int gemm_table_local(const struct gemm_request *request, bool json)
{
    return search(request, "5.14", true, json);
}

/* The largest power of two that fits with some block. */
static long long largest(int p)
{
    const long long most = 1LL << 33; /* the dissertation's last one */
    long long best = 0;
    for (long long n = FASTEST_LEAST; n <= most; n *= 2)
        for (long long block = n / p; block > 1; block /= 2)
            best = gemm_fits(p, n, block) ? n : best;
    return best;
}

int gemm_table_largest(const struct gemm_request *request, bool json)
{
    static const struct {
        int p;
        long long n;
    } theirs[] = {{2, 32768}, {4, 65536}, {8, 131072}, {16, 262144}};
    struct table table;
    json_t *cells = json_array(), *object;
    (void)request;
    table_begin(&table, "<grid|n by (5.21)|n in table 5.12|GB of A on a rank");
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        const int p = theirs[i].p;
        const long long n = largest(p);
        const double local = (double)n / p;
        table_cell(&table, "%d x %d", p, p);
        table_cell(&table, "%lld", n);
        table_cell(&table, "%lld", theirs[i].n);
        table_cell(&table, "%.3g", local * local * sizeof(double) / (1 << 30));
        json_array_append_new(
            cells, json_make("iII", "p", p, "n", (json_int_t)n, "told", (json_int_t)theirs[i].n));
    }
    if (json) {
        object = json_head(study_gemm.name);
        json_object_update_new(object, json_make("so", "table", "table 5.12", "cells", cells));
        table_end(&table, NULL);
        return write_json(study_gemm.name, object, NULL);
    }
    json_decref(cells);
    print_remark("Table 5.12: the largest matrices whose parts of A and C, and seven blocks, fit "
                 "into the segments of table 5.11.");
    table_end(&table, stdout);
    return 0;
}
