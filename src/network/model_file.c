/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/model_file.h"

#include <stdlib.h>

#include "network/image.h"

bool summand__net_model_save(const char *path, const struct summand__net_shape *shape,
                             const struct summand__net_weights *weights,
                             struct summand__net_fault *fault)
{
    struct summand__net_image image = {0};
    summand__net_put_head(&image, shape, SUMMAND__NET_MODEL);
    summand__net_put_weights(&image, weights);
    bool good = summand__net_image_write(path, &image, fault);
    free(image.at);
    return good;
}

bool summand__net_model_load(const char *path, struct summand__net_shape *shape,
                             struct summand__net_weights *weights, struct summand__net_fault *fault)
{
    struct summand__net_image image = {0};
    unsigned kind;
    *weights = (struct summand__net_weights){0};
    bool good = summand__net_image_read(path, &image, fault) &&
                summand__net_take_head(path, &image, shape, &kind, fault) &&
                (summand__net_weights_make(weights, shape, 1, shape->layers) ||
                 summand__net_fail_memory(fault));
    if (good)
        summand__net_take_weights(&image, weights);
    if (good && kind == SUMMAND__NET_MODEL && image.next != image.count)
        good = summand__net_fail(fault, "%s: longer than its layers", path);
    if (!good)
        summand__net_weights_free(weights);
    free(image.at);
    return good;
}
