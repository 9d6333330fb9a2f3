/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/queue.h"

#include <sys/mman.h>

void summand__queue_reach(unsigned char *slots, uint32_t cells, uint32_t count)
{
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096 };
    const uint32_t half = count / 2;
    unsigned char *first = summand__place(slots, cells, SUMMAND__SLOTS, half);
    const size_t skip = -(uintptr_t)first % PAGE; /* slots of a segment begin at a page */
    madvise(first + skip, ((size_t)half * SUMMAND__SLOT - skip) / PAGE * PAGE, MADV_POPULATE_WRITE);
#else
    (void)slots, (void)cells, (void)count;
#endif
}
