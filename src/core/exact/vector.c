/* SPDX-License-Identifier: BSD-3-Clause */
/* An accumulator of a vector: blocks of columns. */
#include "exact/vector.h"

#include <stdlib.h>
#include <string.h>

#include "base/extent.h"
#include "kernel/fpenv.h"

static size_t blocks_of(const summand_exact_vector *vector)
{
    return summand__lanes_blocks(vector->count);
}

summand_exact_vector *summand_exact_vector_new(size_t count)
{
    const size_t blocks = summand__lanes_blocks(count);
    summand_exact_vector *vector;
    if (count > SUMMAND__MOST_BYTES / sizeof(double))
        return NULL;
    vector = calloc(1, sizeof *vector + blocks * sizeof *vector->block);
    if (!vector)
        return NULL;
    vector->count = count;
    for (size_t b = 0; b < blocks; b++) {
        const size_t left = count - b * SUMMAND__LANES_BLOCK;
        vector->block[b].n = left < SUMMAND__LANES_BLOCK ? left : SUMMAND__LANES_BLOCK;
        summand__exact_block_clear(&vector->block[b]);
    }
    return vector;
}

void summand_exact_vector_free(summand_exact_vector **vector)
{
    for (size_t b = 0; *vector && b < blocks_of(*vector); b++)
        free((*vector)->block[b].lanes);
    free(*vector);
    *vector = NULL;
}

void summand_exact_vector_clear(summand_exact_vector *vector)
{
    vector->failed = vector->touched = false;
    for (size_t b = 0; b < blocks_of(vector); b++)
        summand__exact_block_clear(&vector->block[b]);
}

size_t summand_exact_vector_count(const summand_exact_vector *vector)
{
    return vector->count;
}

size_t summand_exact_vector_bytes(const summand_exact_vector *vector)
{
    size_t bytes = sizeof *vector + blocks_of(vector) * sizeof *vector->block;
    for (size_t b = 0; b < blocks_of(vector); b++)
        bytes += vector->block[b].room * sizeof *vector->block[b].lanes;
    return bytes;
}

static int status(const summand_exact_vector *vector)
{
    return vector->failed ? SUMMAND_EXACT_MEMORY : SUMMAND_EXACT_OK;
}

int summand__exact_vector_add(summand_exact_vector *vector, enum summand__lanes_type type,
                              size_t rows, size_t lead, const void *x)
{
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    vector->failed = vector->failed || !summand__exact_blocks_add(vector->block, blocks_of(vector),
                                                                  type, x, rows, lead);
    summand__fpenv_leave(saved);
    return status(vector);
}

int summand_exact_vector_add(summand_exact_vector *vector, size_t rows, size_t lead,
                             const double *x)
{
    return summand__exact_vector_add(vector, SUMMAND__LANES_F64, rows, lead, x);
}

int summand_exact_vector_add_f32(summand_exact_vector *vector, size_t rows, size_t lead,
                                 const float *x)
{
    return summand__exact_vector_add(vector, SUMMAND__LANES_F32, rows, lead, x);
}

int summand_exact_vector_add_f16(summand_exact_vector *vector, size_t rows, size_t lead,
                                 const uint16_t *x)
{
    return summand__exact_vector_add(vector, SUMMAND__LANES_F16, rows, lead, x);
}

int summand_exact_vector_add_bf16(summand_exact_vector *vector, size_t rows, size_t lead,
                                  const uint16_t *x)
{
    return summand__exact_vector_add(vector, SUMMAND__LANES_BF16, rows, lead, x);
}

/* True if all indices are below the count. */
static bool inside(const summand_exact_vector *vector, size_t n, const size_t *index)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        size_t one;
        memcpy(&one, index + i, sizeof one);
        good &= one < vector->count;
    }
    return good;
}

static void touch(summand_exact_vector *vector)
{
    for (size_t b = 0; b < blocks_of(vector) && !vector->touched; b++)
        summand__exact_block_touch(&vector->block[b]);
    vector->touched = true;
}

static int add_at(summand_exact_vector *vector, size_t n, const size_t *index, const void *x,
                  bool f32)
{
    if (!inside(vector, n, index))
        return SUMMAND_EXACT_INDEX;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    touch(vector);
    for (size_t i = 0; i < n && !vector->failed; i++) {
        uint64_t bits;
        size_t at;
        float narrow;
        double wide;
        memcpy(&at, index + i, sizeof at);
        memcpy(f32 ? (void *)&narrow : (void *)&wide,
               (const char *)x + i * (f32 ? sizeof narrow : sizeof wide),
               f32 ? sizeof narrow : sizeof wide);
        if (f32)
            wide = (double)narrow;
        memcpy(&bits, &wide, sizeof bits);
        vector->failed = !summand__exact_block_add_one(&vector->block[at / SUMMAND__LANES_BLOCK],
                                                       at % SUMMAND__LANES_BLOCK, bits);
    }
    summand__fpenv_leave(saved);
    return status(vector);
}

int summand_exact_vector_add_at(summand_exact_vector *vector, size_t n, const size_t *index,
                                const double *x)
{
    return add_at(vector, n, index, x, false);
}

int summand_exact_vector_add_at_f32(summand_exact_vector *vector, size_t n, const size_t *index,
                                    const float *x)
{
    return add_at(vector, n, index, x, true);
}

int summand_exact_vector_merge(summand_exact_vector *vector, const summand_exact_vector *other)
{
    if (vector->count != other->count)
        return SUMMAND_EXACT_INDEX;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    vector->failed |= other->failed;
    for (size_t b = 0; b < blocks_of(vector) && !vector->failed; b++)
        vector->failed = !summand__exact_block_merge(&vector->block[b], &other->block[b]);
    if (other->touched)
        touch(vector);
    summand__fpenv_leave(saved);
    return status(vector);
}

/* Digits may begin below the lowest bit of all doubles, which only plain C takes. */
static summand__lanes_decode_run *decode_of(const struct summand__exact_block *block,
                                            enum summand__lanes_type type)
{
    return (block->format.lowest < -1074 ? &summand__lanes_generic : summand__lanes_kernels())
        ->decode[type];
}

int summand__exact_vector_round(const summand_exact_vector *vector, enum summand__lanes_type type,
                                void *y)
{
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    const size_t bytes = SUMMAND__LANES_BLOCK * summand__lanes_element(type);
    for (size_t b = 0; b < blocks_of(vector) && !vector->failed; b++) {
        const struct summand__exact_block *block = &vector->block[b];
        decode_of(block, type)(&block->format, 1, block->lanes, block->n, (char *)y + b * bytes);
    }
    summand__fpenv_leave(saved);
    return status(vector);
}

int summand_exact_vector_round(const summand_exact_vector *vector, double *y)
{
    return summand__exact_vector_round(vector, SUMMAND__LANES_F64, y);
}

int summand_exact_vector_round_f32(const summand_exact_vector *vector, float *y)
{
    return summand__exact_vector_round(vector, SUMMAND__LANES_F32, y);
}

int summand_exact_vector_round_f16(const summand_exact_vector *vector, uint16_t *y)
{
    return summand__exact_vector_round(vector, SUMMAND__LANES_F16, y);
}

int summand_exact_vector_round_bf16(const summand_exact_vector *vector, uint16_t *y)
{
    return summand__exact_vector_round(vector, SUMMAND__LANES_BF16, y);
}
