/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/queue.h"

#include <sys/mman.h>

#include "base/page.h"

void summand__queue_reach(unsigned char *slots, uint32_t cells, uint32_t count)
{
#ifdef MADV_POPULATE_WRITE
    const uint32_t half = count / 2;
    unsigned char *first = summand__place(slots, cells, SUMMAND__SLOTS, half);
    const size_t page = summand__page_here(), bytes = (size_t)half * SUMMAND__SLOT;
    const size_t skip = -(uintptr_t)first % page;
    if (bytes >= skip + page)
        madvise(first + skip, (bytes - skip) / page * page, MADV_POPULATE_WRITE);
#else
    (void)slots, (void)cells, (void)count;
#endif
}
