/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a: equal for equal bytes on every machine. Names of users' files depend on it. */
#ifndef SUMMAND_BASE_HASH_H
#define SUMMAND_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SUMMAND__HASH_BEGIN UINT64_C(14695981039346656037) /* of nothing */

/* Continues a hash with more bytes. */
static inline uint64_t summand__hash(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t summand__hash_text(const char *text)
{
    return summand__hash(SUMMAND__HASH_BEGIN, text, strlen(text));
}

#endif
