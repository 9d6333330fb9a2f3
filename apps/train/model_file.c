/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/model_file.h"

#include <stdlib.h>

#include "train/image.h"

bool train_model_save(const char *path, const struct train_shape *shape,
                      const struct train_weights *weights, struct train_fault *fault)
{
    struct train_image image = {0};
    train_put_head(&image, shape, TRAIN_MODEL);
    train_put_weights(&image, weights);
    bool good = train_image_write(path, &image, fault);
    free(image.at);
    return good;
}

bool train_model_load(const char *path, struct train_shape *shape, struct train_weights *weights,
                      struct train_fault *fault)
{
    struct train_image image = {0};
    unsigned kind;
    *weights = (struct train_weights){0};
    bool good = train_image_read(path, &image, fault) &&
                train_take_head(path, &image, shape, &kind, fault) &&
                (train_weights_make(weights, shape, 1, shape->layers) || train_fail_memory(fault));
    if (good)
        train_take_weights(&image, weights);
    if (good && kind == TRAIN_MODEL && image.next != image.count)
        good = train_fail(fault, "%s: longer than its layers", path);
    if (!good)
        train_weights_free(weights);
    free(image.at);
    return good;
}
