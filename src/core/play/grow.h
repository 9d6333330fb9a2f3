/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow. */
#pragma once

#include <stdint.h>
#include <stdlib.h>

/* The array with room for more than `*capacity` elements of `unit` bytes, which it sets. NULL when
 * out of memory; then the array is as before. */
static inline void *summand__grown(void *array, uint32_t *capacity, size_t unit)
{
    uint32_t more = *capacity ? *capacity + *capacity / 2 : 64;
    void *grown = more > *capacity ? realloc(array, more * unit) : NULL;
    if (grown)
        *capacity = more;
    return grown;
}
