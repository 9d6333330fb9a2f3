/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of products: formulas, and plays of schedules. */
#include <math.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/gemm/gemm.h"
#include "matrix/gemm/shape.h"
#include "play/simulate_call.h"

/* Millions of steps of all-reduces in one prediction: a gigabyte. */
enum { MOST_STEPS = 50 };

double gemm_loop_by_rows(double p, double local)
{
    const double blocks = p * local;
    return blocks * blocks - blocks + 1;
}

double gemm_loop_by_diagonals(double p, double local)
{
    return p * local * local;
}

bool gemm_fits(int p, long long n, long long block)
{
    static const struct {
        int p;
        double gigabytes;
    } segments[] = {{1, 7.4}, {2, 7.4}, {4, 7.2}, {8, 6.8}, {16, 4}};
    const double b = (double)block, side = ceil(ceil((double)n / b) / p) * b;
    const double bytes = sizeof(double) * (2 * side * side + 7 * b * b + 1);
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
        if (segments[i].p == p)
            return bytes <= segments[i].gigabytes * (double)(1 << 30);
    return true;
}

static bool stopped(const void *context)
{
    (void)context;
    return interrupted();
}

/* Seconds; NAN after a complaint, or after Ctrl-C. */
static double played(const struct summand__algorithm *algorithm,
                     struct summand__gemm_square *square, bool made, int ranks,
                     const struct summand__model *model, size_t segment)
{
    const struct summand__call call = {.collective = SUMMAND__COLL_GEMM,
                                       .ranks = ranks,
                                       .count = (size_t)square->shape.rows,
                                       .parameter = {[SUMMAND__SEGMENT] = segment},
                                       .gemm = &square->shape};
    struct summand__predict predict = {.model = model, .element = sizeof(double), .stop = stopped};
    bool good = made && summand__simulate_call(algorithm, &call, &predict);
    if (!made || (!good && !strncmp(predict.fault, "out of memory", 13)))
        need(NULL);
    if (!good && !interrupted())
        advise(study_gemm.name, "left out %s on %d ranks, n = %lld: %s", algorithm->name, ranks,
               (long long)square->shape.rows, predict.fault);
    summand__gemm_square_release(square);
    return good ? predict.time : (double)NAN;
}

double gemm_loop_played(const struct gemm_request *request,
                        const struct summand__algorithm *algorithm, int p, int local)
{
    /* Long pieces, so that the additions of parts take next to nothing. */
    const size_t piece = (size_t)1 << 28, side = (size_t)p * (size_t)local, pieces = 2 * (size_t)p;
    const struct summand__model only_blocks = {
        .per_node = 1, .oversubscription = 1, .eager = 1e18, .flop = 0.5 / (double)piece};
    struct summand__gemm_square square;
    if ((double)side * (double)side * (double)pieces > request->most || interrupted())
        return (double)NAN;
    bool made = summand__gemm_dealt(&square, side, pieces * piece, 1, piece, 2 * p * p);
    return played(algorithm, &square, made, 2 * p * p, &only_blocks, 0);
}

/* Steps of the all-reduces of all ranks, in millions: there are two of P ranks for each block, in
 * rounds of six steps. */
static double all_reduce_steps(const struct gemm_request *request,
                               const struct summand__algorithm *algorithm, double p, double n,
                               double block)
{
    const struct summand__limits *limits = &algorithm->limits[SUMMAND__SEGMENT];
    const double segment = (double)(request->segment ? (size_t)request->segment : limits->standard);
    if (!limits->most)
        return 0;
    return 6e-6 * pow(n / block, 2) * 2 * p * log2(p) * ceil(block * block / segment);
}

/* It would take too long to predict. */
static bool is_bounded(const struct gemm_request *request,
                       const struct summand__algorithm *algorithm, int p, double n, double block)
{
    return pow(n / block, 3) > request->most ||
           all_reduce_steps(request, algorithm, p, n, block) > MOST_STEPS;
}

double gemm_predicted(const struct gemm_request *request,
                      const struct summand__algorithm *algorithm, int p, long long n,
                      long long block)
{
    struct summand__gemm_square square;
    const int ranks = 2 * p * p;
    if (interrupted() || (block && is_bounded(request, algorithm, p, (double)n, (double)block)))
        return (double)NAN;
    bool made = block ? summand__gemm_dealt(&square, (size_t)n, (size_t)n, (size_t)block,
                                            (size_t)block, ranks)
                      : summand__gemm_square(&square, (size_t)n, ranks, &request->model);
    return played(algorithm, &square, made, ranks, &request->model, (size_t)request->segment);
}

struct gemm_best gemm_best(const struct gemm_request *request,
                           const struct summand__algorithm *algorithm, int p, long long n)
{
    const double hopeless = 2;
    struct gemm_best best = {.seconds = (double)NAN};
    if (!algorithm->order) {
        best.seconds = gemm_predicted(request, algorithm, p, n, 0);
        return best;
    }
    for (long long block = n / p; block > 1 && n % (block * p) == 0; block /= 2) {
        best.bounded = is_bounded(request, algorithm, p, (double)n, (double)block);
        if (best.bounded || interrupted())
            break;
        const double seconds =
            gemm_fits(p, n, block) ? gemm_predicted(request, algorithm, p, n, block) : (double)NAN;
        best.tried += !isnan(seconds);
        if (seconds > hopeless * best.seconds)
            break;
        if (!(seconds >= best.seconds) && !isnan(seconds)) {
            best.seconds = seconds;
            best.block = block;
        }
        if (block % 2)
            break;
    }
    return best;
}
