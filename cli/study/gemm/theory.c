/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 5.5 and 5.6: the analysis of the loop over the blocks of C, and of its body. */
#include <math.h>
#include <stdio.h>

#include "cli/output/progress.h"
#include "cli/study/gemm/gemm.h"
#include "lab/timeline/timeline.h"

/* Both orders: their formulas. */
static const struct order {
    const char *algorithm, *equation;
    double (*formula)(double p, double local);
} orders[] = {{"gemm-pairs-rows", "(5.6)", gemm_loop_by_rows},
              {"gemm-pairs", "(5.7)", gemm_loop_by_diagonals}};
enum { ORDERS = sizeof orders / sizeof *orders, LOCALS = 4 };

static const int locals[LOCALS] = {1, 2, 4, 8};

/* Chart 0 is over the ranks, chart 1 over nu_l: adds a value to the lines of both. */
struct surface {
    struct gemm_line *over_ranks[LOCALS], *over_local[GEMM_AXIS];
};

static void begin(struct surface *surface, const struct gemm_request *request,
                  struct gemm_lines *lines, enum gemm_kind kind, const struct order *order)
{
    for (int l = 0; l < LOCALS; l++)
        surface->over_ranks[l] =
            gemm_line(lines, 0, kind, "%s, nu_l = %d", order->algorithm, locals[l]);
    for (int g = 0; g < request->grids.count; g++)
        surface->over_local[g] =
            gemm_line(lines, 1, kind, "%s, P = %lld", order->algorithm, request->grids.value[g]);
}

static void fill_order(const struct gemm_request *request, struct gemm_lines *lines,
                       const struct order *order, int done)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named(order->algorithm);
    struct surface formula, play;
    begin(&formula, request, lines, GEMM_FORMULA, order);
    begin(&play, request, lines, GEMM_PLAYED, order);
    for (int g = 0; g < request->grids.count; g++)
        for (int l = 0; l < LOCALS && request->grids.value[g] > 1; l++) { /* P >= 2 */
            const int p = (int)request->grids.value[g];
            const double ranks = 2.0 * p * p, value = order->formula(p, locals[l]);
            progress_show("gemm: loops", done + g * LOCALS + l,
                          ORDERS * request->grids.count * LOCALS);
            gemm_point(formula.over_ranks[l], ranks, value, 0);
            gemm_point(formula.over_local[g], locals[l], value, 0);
            const double steps = gemm_loop_played(request, algorithm, p, locals[l]);
            gemm_point(play.over_ranks[l], ranks, steps, 0);
            gemm_point(play.over_local[g], locals[l], steps, 0);
        }
}

void gemm_figure_loop(const struct gemm_request *request, struct gemm_lines *lines)
{
    lines->charts = 2;
    lines->x_label[0] = "ranks, 2 P x P";
    lines->x_label[1] = "nu_l, blocks of a rank in a row";
    for (int c = 0; c < lines->charts; c++)
        snprintf(lines->chart[c], sizeof lines->chart[c],
                 "Figure 5.5: the loop over the blocks of C; lines: (5.6) by rows, (5.7) along "
                 "diagonals; rings: played");
    for (int o = 0; o < ORDERS; o++)
        fill_order(request, lines, &orders[o], o * request->grids.count * LOCALS);
    progress_show("gemm: loops", 1, 1);
}

/* A rank's rates: (5.9), (5.11) and those of the model. */
struct rates {
    const char *whose;
    double flop, bandwidth; /* s; bit/s */
};

static double computing(const struct rates *rates, double b)
{
    return (2 * b * b * b - b * b) * rates->flop;
}

static double transfer(const struct rates *rates, double b)
{
    const double bits = 8 * sizeof(double);
    return b * b * bits / rates->bandwidth;
}

static void add_rates(struct gemm_lines *lines, const struct rates *rates)
{
    enum { MOST = 800, STEP = 16 };
    const double from = summand__hidden_from(8 * sizeof(double), rates->bandwidth, rates->flop);
    struct gemm_line *computes = gemm_line(lines, 0, GEMM_FORMULA, "computing, %s", rates->whose);
    struct gemm_line *moves = gemm_line(lines, 0, GEMM_FORMULA, "transfer, %s", rates->whose);
    for (int b = STEP; b <= MOST; b += STEP) {
        gemm_point(computes, b, computing(rates, b), 0);
        gemm_point(moves, b, transfer(rates, b), 0);
    }
    gemm_point(gemm_line(lines, 0, GEMM_CROSSING, "transfer, %s", rates->whose), from,
               transfer(rates, from), isfinite(from) && from < 1e9 ? (long long)ceil(from) : 0);
}

void gemm_figure_block(const struct gemm_request *request, struct gemm_lines *lines)
{
    const struct summand__model *model = &request->model;
    const double gigabit = 1024.0 * 1024 * 1024,
                 sharing = model->shared_card > 0 ? model->per_node : 1;
    const struct rates all[] = {
        {"(5.10), (5.11)", 3.13e-11, 40 * gigabit / 16},
        {"the model", model->flop, 8 / (model->level[SUMMAND__NETWORK].byte * sharing)}};
    lines->charts = 1;
    lines->x_label[0] = "b, rows and columns of a block";
    snprintf(lines->chart[0], sizeof lines->chart[0],
             "Figure 5.6: product and transfer of a block of doubles; rings: transfer is hidden "
             "from there on");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_rates(lines, &all[i]);
}
