/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/output.h"
#include "base/quiet.h"
#include "base/random.h"

enum { VERSION = 1 };
static const char magic[8] = {'S', 'U', 'M', 'M', 'A', 'N', 'D', 'N'};

void summand__net_put(struct summand__net_image *image, const void *bytes, size_t count)
{
    if (image->failed || count > SIZE_MAX / 4 - image->count) {
        image->failed = true;
        return;
    }
    if (image->count + count > image->room) {
        size_t room = 2 * (image->count + count);
        void *grown = realloc(image->at, room);
        image->failed = !grown;
        if (!grown)
            return;
        image->at = grown;
        image->room = room;
    }
    memcpy(image->at + image->count, bytes, count);
    image->count += count;
}

void summand__net_put_number(struct summand__net_image *image, uint64_t value, size_t bytes)
{
    unsigned char little[8];
    for (size_t i = 0; i < bytes; i++)
        little[i] = (unsigned char)(value >> 8 * i);
    summand__net_put(image, little, bytes);
}

void summand__net_put_real(struct summand__net_image *image, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    summand__net_put_number(image, bits, 8);
}

void summand__net_put_name(struct summand__net_image *image, const char *name)
{
    char text[SUMMAND__NET_NAME] = {0};
    memcpy(text, name, strlen(name));
    summand__net_put(image, text, SUMMAND__NET_NAME);
}

uint64_t summand__net_take_number(struct summand__net_image *image, size_t bytes)
{
    uint64_t value = 0;
    if (image->failed || image->count - image->next < bytes) {
        image->failed = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)image->at[image->next++] << 8 * i;
    return value;
}

double summand__net_take_real(struct summand__net_image *image)
{
    uint64_t bits = summand__net_take_number(image, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void summand__net_take_name(struct summand__net_image *image, char name[SUMMAND__NET_NAME + 1])
{
    for (int i = 0; i < SUMMAND__NET_NAME; i++)
        name[i] = (char)summand__net_take_number(image, 1);
    name[SUMMAND__NET_NAME] = '\0';
}

/* Rows without the gaps between them. */
void summand__net_put_weights(struct summand__net_image *image,
                              const struct summand__net_weights *weights)
{
    for (int l = 1; l <= weights->layers; l++)
        for (size_t i = 0; i < weights->layer[l].rows; i++)
            for (size_t j = 0; j < weights->layer[l].columns; j++) {
                uint32_t bits;
                memcpy(&bits, &weights->layer[l].at[i * weights->layer[l].ld + j], sizeof bits);
                summand__net_put_number(image, bits, sizeof bits);
            }
}

void summand__net_take_weights(struct summand__net_image *image,
                               struct summand__net_weights *weights)
{
    for (int l = 1; l <= weights->layers; l++)
        for (size_t i = 0; i < weights->layer[l].rows; i++)
            for (size_t j = 0; j < weights->layer[l].columns; j++) {
                uint32_t bits = (uint32_t)summand__net_take_number(image, sizeof bits);
                memcpy(&weights->layer[l].at[i * weights->layer[l].ld + j], &bits, sizeof bits);
            }
}

static uint64_t check_sum(const unsigned char *bytes, size_t count)
{
    uint64_t sum = count;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8 && i + b < count; b++)
            word |= (uint64_t)bytes[i + b] << 8 * b;
        sum = summand__mix(sum ^ word);
    }
    return sum;
}

void summand__net_put_head(struct summand__net_image *image, const struct summand__net_shape *shape,
                           unsigned kind)
{
    summand__net_put(image, magic, sizeof magic);
    summand__net_put_number(image, VERSION, 4);
    summand__net_put_number(image, (uint64_t)shape->layers, 4);
    summand__net_put_name(image, shape->hidden->name);
    summand__net_put_name(image, shape->last->name);
    summand__net_put_name(image, shape->loss->name);
    for (int l = 0; l <= shape->layers; l++)
        summand__net_put_number(image, shape->widths[l], 8);
    summand__net_put_number(image, kind, 4);
}

bool summand__net_image_write(const char *path, struct summand__net_image *image,
                              struct summand__net_fault *fault)
{
    struct summand__output output;
    struct summand__quiet quiet;
    if (!image->failed)
        summand__net_put_number(image, check_sum(image->at, image->count), 8);
    if (image->failed)
        return summand__net_fail(fault, "%s: out of memory", path);
    summand__quiet_begin(&quiet);
    bool good = summand__output_open(&output, path);
    if (good)
        good = summand__output_close(&output, fwrite(image->at, 1, image->count, output.file) ==
                                                  image->count);
    summand__quiet_end(&quiet);
    return good || summand__net_fail(fault, "%s: %s", path, summand__reason(errno));
}

/* The shape of the network and the kind of the file; *floats: of all layers. */
static bool take_shape(const char *path, struct summand__net_image *image,
                       struct summand__net_shape *shape, unsigned *kind, uint64_t *floats,
                       struct summand__net_fault *fault)
{
    char hidden[SUMMAND__NET_NAME + 1], last[SUMMAND__NET_NAME + 1], loss[SUMMAND__NET_NAME + 1];
    uint64_t layers = summand__net_take_number(image, 4);
    *floats = 0;
    summand__net_take_name(image, hidden);
    summand__net_take_name(image, last);
    summand__net_take_name(image, loss);
    shape->hidden = summand__net_activation_find(hidden);
    shape->last = summand__net_activation_find(last);
    shape->loss = summand__net_loss_find(loss);
    if (!layers || layers > SUMMAND__NET_LAYERS_MOST || !shape->hidden || !shape->last ||
        !shape->loss)
        return summand__net_fail(fault,
                                 "%s: %llu layers of '%s', '%s', '%s': this summand has no such "
                                 "network",
                                 path, (unsigned long long)layers, hidden, last, loss);
    shape->layers = (int)layers;
    for (int l = 0; l <= shape->layers; l++) {
        uint64_t width = summand__net_take_number(image, 8);
        if (!width || width > SUMMAND__NET_WIDTH_MOST)
            return summand__net_fail(fault, "%s: a layer of width %llu", path,
                                     (unsigned long long)width);
        shape->widths[l] = width;
        *floats += l ? (shape->widths[l - 1] + 1) * width : 0;
    }
    *kind = (unsigned)summand__net_take_number(image, 4);
    return !image->failed || summand__net_fail(fault, "%s: too short for its layers", path);
}

bool summand__net_take_head(const char *path, struct summand__net_image *image,
                            struct summand__net_shape *shape, unsigned *kind,
                            struct summand__net_fault *fault)
{
    uint64_t floats;
    return take_shape(path, image, shape, kind, &floats, fault) &&
           (floats <= (image->count - image->next) / 4 ||
            summand__net_fail(fault, "%s: too short for its layers", path));
}

/* The longest file with this head: a model has its weights and a checksum, a checkpoint up to three
 * times as many numbers and its history. A damaged head is not trusted. */
static uint64_t longest(const struct summand__net_image *begin)
{
    enum { MORE = 1 << 26 };
    struct summand__net_image image = *begin;
    struct summand__net_shape shape;
    struct summand__net_fault ignored = {.text = ""};
    unsigned kind;
    uint64_t floats;
    image.next = sizeof magic + 4;
    if (image.count < image.next || !take_shape("", &image, &shape, &kind, &floats, &ignored))
        return MORE;
    return kind == SUMMAND__NET_MODEL ? image.next + 4 * floats + 8 : 12 * floats + MORE;
}

/* Reads the head, then the rest of a file that is not longer than its head says. */
static bool read_bytes(const char *path, FILE *file, uint64_t bytes,
                       struct summand__net_image *image, struct summand__net_fault *fault)
{
    char piece[65536];
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) {
        summand__net_put(image, piece, got);
        const bool begins = image->count == got && !image->failed;
        if (begins && memcmp(image->at, magic, got < sizeof magic ? got : sizeof magic) != 0)
            return true; /* the caller says that it is none */
        if (begins && bytes > longest(image))
            return summand__net_fail(fault, "%s: longer than its layers", path);
        if (image->count > bytes)
            return summand__net_fail(fault, "%s: it grows while it is read", path);
    }
    if (ferror(file) || image->failed)
        return summand__net_fail(fault, "%s: %s", path,
                                 ferror(file) ? summand__reason(errno) : "out of memory");
    return true;
}

/* Reads all bytes and checks the checksum; `next` is then after magic and version. */
bool summand__net_image_read(const char *path, struct summand__net_image *image,
                             struct summand__net_fault *fault)
{
    uint64_t bytes;
    const char *why;
    FILE *file = summand__input_file(path, &bytes, &why);
    if (!file)
        return summand__net_fail(fault, "%s: %s", path, why);
    const bool whole = read_bytes(path, file, bytes, image, fault);
    fclose(file);
    if (!whole)
        return false;
    if (image->count < sizeof magic + 4 || memcmp(image->at, magic, sizeof magic) != 0)
        return summand__net_fail(fault, "%s: not a file of a model", path);
    image->next = sizeof magic;
    uint64_t version = summand__net_take_number(image, 4);
    if (version != VERSION)
        return summand__net_fail(fault, "%s: of version %llu, and this summand reads version %d",
                                 path, (unsigned long long)version, VERSION);
    if (image->count < sizeof magic + 4 + 8)
        return summand__net_fail(fault, "%s: damaged or cut short (it has no checksum)", path);
    image->next = image->count - 8;
    uint64_t said = summand__net_take_number(image, 8);
    image->count -= 8;
    image->next = sizeof magic + 4;
    return said == check_sum(image->at, image->count) ||
           summand__net_fail(fault, "%s: damaged or cut short (its checksum is wrong)", path);
}
