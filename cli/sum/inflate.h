/* SPDX-License-Identifier: BSD-3-Clause */
/* Deflated bytes of a file (RFC 1951), read at any place: what lies before it is inflated, too.
 * With zlib; without it nothing can be read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct inflater;

/* False: this command was built without zlib. */
bool inflater_there(void);

/* `deflated` bytes at `base` that become `bytes` bytes with this CRC-32. NULL: out of memory. */
struct inflater *inflater_new(int fd, uint64_t base, uint64_t deflated, uint64_t bytes,
                              uint32_t crc);
void inflater_free(struct inflater *inflater);

/* Bytes at `offset`; NULL, or what is wrong. Cost: those after the previous read are inflated next;
 * earlier ones from the beginning on. The checksum is compared once the last byte is read. */
const char *inflater_read(struct inflater *inflater, void *to, uint64_t bytes, uint64_t offset);
