/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of memory. */
#pragma once

#include <stddef.h>
#include <unistd.h>

/* Bytes, of most machines: for layouts that are the same everywhere. */
enum { SUMMAND__PAGE = 4096 };

/* Bytes, of this machine: for calls of the system. */
static inline size_t summand__page_here(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : SUMMAND__PAGE;
}

/* `bytes` up to the end of a page of `page` bytes. */
static inline size_t summand__whole_pages(size_t bytes, size_t page)
{
    return (bytes + page - 1) / page * page;
}
