/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/hiding.h"

#include <math.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/setting.h"
#include "lab/timeline/predicted.h"
#include "lab/timeline/timeline.h"
#include "matrix/gemm/shape.h"

struct hiding hiding_of(double overlap, double flop_rate, double bandwidth, double operations,
                        double bytes)
{
    const double unit = sizeof(double), bits = 8 * unit;
    double block = summand__hidden_from(bits, 8 * bandwidth, 1 / flop_rate);
    return (struct hiding){overlap, flop_rate,           bandwidth,
                           block,   2 * ceil(block) - 1, operations / (bytes / unit)};
}

/* A rank's share of its node's card if all ranks of the node use it. */
static double bandwidth_of(const struct summand__model *model, int ranks)
{
    if (model->per_node >= ranks)
        return 1 / model->level[SUMMAND__WITHIN_NODE].byte;
    double sharing = model->shared_card > 0 ? model->per_node : 1;
    return 1 / model->level[SUMMAND__NETWORK].byte / sharing;
}

struct hiding hiding_predicted(const struct comparison_setup *setup,
                               const struct summand__algorithm *algorithm,
                               const struct summand__predict *predict)
{
    const double n = (double)setup->counts.value[0];
    bool computes = false;
    for (size_t i = 0; i < predict->span_count && !computes; i++)
        computes = predict->spans[i].kind == SUMMAND__SPAN_COMPUTE;
    const double overlap = computes ? summand__predicted_overlap(predict) : NAN;
    struct summand__call call = {.collective = setup->collective,
                                 .ranks = predict->ranks,
                                 .count = (size_t)setup->counts.value[0]};
    struct summand__gemm_square square;
    if (setup->collective != SUMMAND__COLL_GEMM)
        return (struct hiding){overlap, NAN, NAN, NAN, NAN, NAN};
    if (!summand__gemm_square(&square, call.count, call.ranks, &setup->model))
        need(NULL);
    call.gemm = &square.shape;
    memcpy(call.parameter, setup->fixed, sizeof call.parameter);
    double elements = (double)summand__volume_of(algorithm, &call).elements;
    summand__gemm_square_release(&square);
    return hiding_of(overlap, 1 / setup->model.flop, bandwidth_of(&setup->model, predict->ranks),
                     2 * n * n * n, elements * sizeof(double));
}

void hiding_print(const struct hiding *hiding)
{
    if (isfinite(hiding->overlap))
        print_remark("Overlap efficiency, hidden by all communication: %.3f.", hiding->overlap);
    if (!isfinite(hiding->block))
        return;
    print_remark("At %.3g flop/s and %.3g bytes/s of a rank the transfer of a block of b x b "
                 "doubles is hidden behind the product of two from b = %.0f on (Schmidtobreick "
                 "2017, section 5.2.3).",
                 hiding->flop_rate, hiding->bandwidth, ceil(hiding->block));
    if (isfinite(hiding->done))
        print_remark("Each number that comes must enter 2 b - 1 = %.0f operations for that. Here "
                     "it enters %.0f: %s.",
                     hiding->needed, hiding->done,
                     hiding->done >= hiding->needed
                         ? "transfers can be hidden, except those that the beginning waits for"
                         : "transfers take longer than computations, and cannot all be hidden");
}

void hiding_json(const struct hiding *hiding, json_t *object)
{
    json_object_set_new(object, "overlap", json_finite(hiding->overlap));
    json_object_set_new(object, "flop_s", json_finite(hiding->flop_rate));
    json_object_set_new(object, "bytes_s", json_finite(hiding->bandwidth));
    json_object_set_new(object, "hidden_from", json_finite(hiding->block));
    json_object_set_new(object, "operations_needed", json_finite(hiding->needed));
    json_object_set_new(object, "operations_done", json_finite(hiding->done));
}
