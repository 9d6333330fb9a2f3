/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a model's file (model_file.h) in memory: they are assembled before the file is
 * written, and parsed after it was read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/fault.h"
#include "network/network.h"

enum { SUMMAND__NET_NAME = 16, SUMMAND__NET_MODEL = 0, SUMMAND__NET_CHECKPOINT = 1 };

struct summand__net_image {
    unsigned char *at; /* the caller frees it */
    size_t count, room, next;
    bool failed; /* no memory; or a read beyond the end, which returns zeros */
};

/* Numbers little-endian, in so many bytes. */
void summand__net_put(struct summand__net_image *image, const void *bytes, size_t count);
void summand__net_put_number(struct summand__net_image *image, uint64_t value, size_t bytes);
void summand__net_put_real(struct summand__net_image *image, double value);
void summand__net_put_name(struct summand__net_image *image, const char *name);
uint64_t summand__net_take_number(struct summand__net_image *image, size_t bytes);
double summand__net_take_real(struct summand__net_image *image);
void summand__net_take_name(struct summand__net_image *image, char name[SUMMAND__NET_NAME + 1]);

/* Rows of all layers, without the gaps between them. */
void summand__net_put_weights(struct summand__net_image *image,
                              const struct summand__net_weights *weights);
void summand__net_take_weights(struct summand__net_image *image,
                               struct summand__net_weights *weights);

/* The head: the kind of the file, and the shape of the network. */
void summand__net_put_head(struct summand__net_image *image, const struct summand__net_shape *shape,
                           unsigned kind);
bool summand__net_take_head(const char *path, struct summand__net_image *image,
                            struct summand__net_shape *shape, unsigned *kind,
                            struct summand__net_fault *fault);

/* Appends a checksum. Reading leaves `next` after magic and version. */
bool summand__net_image_write(const char *path, struct summand__net_image *image,
                              struct summand__net_fault *fault);
bool summand__net_image_read(const char *path, struct summand__net_image *image,
                             struct summand__net_fault *fault);
