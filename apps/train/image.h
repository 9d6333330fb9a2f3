/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a model's file (model_file.h) in memory: they are assembled before the file is
 * written, and parsed after it was read. */
#ifndef SUMMAND_TRAIN_IMAGE_H
#define SUMMAND_TRAIN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "train/fault.h"
#include "train/network.h"

enum { TRAIN_NAME = 16, TRAIN_MODEL = 0, TRAIN_CHECKPOINT = 1 };

struct train_image {
    unsigned char *at; /* the caller frees it */
    size_t count, room, next;
    bool failed; /* no memory; or a read beyond the end, which returns zeros */
};

/* Numbers little-endian, in so many bytes. */
void train_put(struct train_image *image, const void *bytes, size_t count);
void train_put_number(struct train_image *image, uint64_t value, size_t bytes);
void train_put_real(struct train_image *image, double value);
void train_put_name(struct train_image *image, const char *name);
uint64_t train_take_number(struct train_image *image, size_t bytes);
double train_take_real(struct train_image *image);
void train_take_name(struct train_image *image, char name[TRAIN_NAME + 1]);

/* Rows of all layers, without the gaps between them. */
void train_put_weights(struct train_image *image, const struct train_weights *weights);
void train_take_weights(struct train_image *image, struct train_weights *weights);

/* The head: the kind of the file, and the shape of the network. */
void train_put_head(struct train_image *image, const struct train_shape *shape, unsigned kind);
bool train_take_head(const char *path, struct train_image *image, struct train_shape *shape,
                     unsigned *kind, struct train_fault *fault);

/* Appends a checksum. Reading leaves `next` after magic and version. */
bool train_image_write(const char *path, struct train_image *image, struct train_fault *fault);
bool train_image_read(const char *path, struct train_image *image, struct train_fault *fault);

#endif
