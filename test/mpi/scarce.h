/* Memory that a test makes scarce: while `scarce_above` is set, longer blocks are not to be had. */
#ifndef SUMMAND_TEST_SCARCE_H
#define SUMMAND_TEST_SCARCE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* glibc's own; definitions of a program's take the place of malloc and its kin everywhere. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);

static size_t scarce_above = SIZE_MAX;
static unsigned scarce_refused;

static inline int scarce_has(size_t bytes)
{
    if (bytes <= scarce_above)
        return 1;
    scarce_refused++;
    errno = ENOMEM;
    return 0;
}

void *malloc(size_t bytes)
{
    return scarce_has(bytes) ? __libc_malloc(bytes) : NULL;
}

void *calloc(size_t count, size_t bytes)
{
    return scarce_has(bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes)
               ? __libc_calloc(count, bytes)
               : NULL;
}

#endif
