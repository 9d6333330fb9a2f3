/* SPDX-License-Identifier: BSD-3-Clause */
/* Lack of memory for Summand alone: the linker redirects the memory calls of the code linked into
 * the program to this file (test/CMakeLists.txt does so for each test that includes this header).
 * The MPI and the C library keep their memory. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Blocks longer than this are refused. */
static size_t scarce_above = SIZE_MAX;

static struct {
    long next;  /* the n-th request from now on fails; 0: none does */
    int all;    /* and all requests after it */
    int mapped; /* the refused request was a mapping or a file in memory, not a block */
    long asked, refused;
} scarce;

/* The n-th request of this process fails, or that one and all later ones, until scarce_end. */
static inline void scarce_begin(long n, int all)
{
    scarce.next = n;
    scarce.all = all;
    scarce.mapped = 0;
    scarce.refused = 0;
}

/* Returns how many requests have failed. */
static inline long scarce_end(void)
{
    scarce.next = 0;
    scarce.all = 0;
    return scarce.refused;
}

static inline int scarce_has(size_t bytes)
{
    scarce.asked++;
    int due = scarce.next > 0 && --scarce.next == 0;
    if (due && scarce.all)
        scarce.next = 1;
    if (bytes <= scarce_above && !due)
        return 1;
    scarce.refused++;
    errno = ENOMEM;
    return 0;
}

static inline int scarce_maps(void)
{
    int has = scarce_has(0);
    scarce.mapped = scarce.mapped || !has;
    return has;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
char *__real_strdup(const char *text);
void *__real_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
int __real_memfd_create(const char *name, unsigned flags);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
int __wrap_memfd_create(const char *name, unsigned flags);

void *__wrap_malloc(size_t bytes)
{
    return scarce_has(bytes) ? __real_malloc(bytes) : NULL;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t all = bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes;
    return scarce_has(all) ? __real_calloc(count, bytes) : NULL;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return scarce_has(bytes) ? __real_realloc(memory, bytes) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return scarce_has(bytes) ? __real_aligned_alloc(alignment, bytes) : NULL;
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return scarce_has(bytes) ? __real_posix_memalign(memory, alignment, bytes) : ENOMEM;
}

char *__wrap_strdup(const char *text)
{
    return scarce_has(1) ? __real_strdup(text) : NULL;
}

void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
    return scarce_maps() ? __real_mmap(at, bytes, access, flags, file, offset) : MAP_FAILED;
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return scarce_maps() ? __real_memfd_create(name, flags) : -1;
}
