/* Copies that bypass the caches. A store to a line that is not in the cache reads it first, to
 * overwrite it; and what is not read again soon only drives out what is. */
#ifndef SUMMAND_KERNEL_STREAM_H
#define SUMMAND_KERNEL_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this processor has such stores; else the copy below is an ordinary one. */
bool summand__streams(void);

/* memcpy, for a target that nobody reads soon. Other threads and processes may see it later than
 * stores that follow, but for those after the fence below. Where source and target begin at the
 * same address nothing is done. Cost: one read of the source, one write of the target; of less than
 * a few hundred bytes more than memcpy.
 */
void summand__stream_copy(void *to, const void *from, size_t bytes);

/* Stores from here on come after the copies before. Cost: the time that these still take, so one
 * for many. */
void summand__stream_fence(void);

#endif
