/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of MNIST, of numbers of 32 bits, the highest first, and bytes: 0x803, images, rows,
 * columns, pixels; 0x801, labels, the label of each. Source: Y. LeCun,
 * C. Cortes, C. Burges, The MNIST database. */
#include <string.h>

#include "train/data/bytes.h"

enum { IMAGES = 0x803, LABELS = 0x801, MOST_DIMENSIONS = 3, HEAD = 16 /* of images */ };

static size_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

/* Reads the head of a file of this kind and its extents; checks that the file has the bytes that
 * these require. */
static bool read_head(const struct train_bytes *bytes, size_t kind, size_t extent[MOST_DIMENSIONS],
                      struct summand__net_fault *fault)
{
    size_t dimensions = kind & 255, head = 4 + 4 * dimensions, items = 1;
    if (bytes->count < 4 || big_endian(bytes->at) != kind)
        return summand__net_fail(fault, "%s: not an idx file of %s (it should begin with %#zx)",
                                 bytes->path, kind == IMAGES ? "images" : "labels", kind);
    if (bytes->count < head)
        return summand__net_fail(fault, "%s: the file ends within its head", bytes->path);
    for (size_t i = 0; i < dimensions; i++) {
        extent[i] = big_endian(bytes->at + 4 + 4 * i);
        if (extent[i] && items > ((size_t)1 << 40) / extent[i])
            return summand__net_fail(fault, "%s: its head names too many samples", bytes->path);
        items *= extent[i];
    }
    return bytes->count - head == items ||
           summand__net_fail(fault, "%s: its head says %zu bytes, and %zu follow", bytes->path,
                             items, bytes->count - head);
}

static bool read_images(struct train_bytes *images, struct train_samples *samples,
                        struct summand__net_fault *fault)
{
    size_t extent[MOST_DIMENSIONS];
    if (!read_head(images, IMAGES, extent, fault))
        return false;
    if (!extent[1] || !extent[2]) /* no bytes bound their number */
        return summand__net_fail(fault, "%s: images of %zu x %zu pixels", images->path, extent[1],
                                 extent[2]);
    if (!train_samples_make(samples, extent[0], extent[1] * extent[2], true, fault))
        return false;
    memcpy(samples->values, images->at + HEAD, samples->count * samples->features);
    return true;
}

static bool fill(struct train_bytes *images, const struct train_bytes *labels,
                 struct train_samples *part, struct summand__net_fault *fault)
{
    size_t count[MOST_DIMENSIONS] = {0};
    if (!read_images(images, part, fault) || !read_head(labels, LABELS, count, fault))
        return false;
    if (part->count != count[0])
        return summand__net_fail(fault, "%s: %zu labels for %zu images", labels->path, count[0],
                                 part->count);
    for (size_t i = 0; i < part->count; i++)
        part->label[i] = (unsigned char)labels->at[8 + i];
    return true;
}

static bool load_part(const char *folder, const char *images, const char *labels,
                      struct train_samples *part, struct summand__net_fault *fault)
{
    struct train_bytes x, y = {0};
    bool good = train_bytes_read(folder, images, &x, fault) &&
                train_bytes_read(folder, labels, &y, fault) && fill(&x, &y, part, fault);
    train_bytes_free(&x);
    train_bytes_free(&y);
    return good;
}

static bool load(const char *folder, struct train_data *data, struct summand__net_fault *fault)
{
    return load_part(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", &data->train,
                     fault) &&
           (!train_bytes_there(folder, "t10k-images-idx3-ubyte") ||
            load_part(folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", &data->test,
                      fault));
}

static bool is_samples(const struct train_bytes *bytes)
{
    return bytes->count >= 4 && big_endian(bytes->at) == IMAGES;
}

const struct train_format train_format_idx = {
    .name = "idx",
    .files = "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-...",
    .first = "train-images-idx3-ubyte",
    .load = load,
    .is_samples = is_samples,
    .samples = read_images};
