/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/stream.h"

#include <stdatomic.h>
#include <string.h>

static _Atomic(int64_t) percent_of[SUMMAND__STREAM_USES];

void summand__stream_set(enum summand__stream_use use, int64_t percent)
{
    atomic_store_explicit(&percent_of[use], percent, memory_order_relaxed);
}

int64_t summand__stream_percent(enum summand__stream_use use)
{
    return atomic_load_explicit(&percent_of[use], memory_order_relaxed);
}

#if defined(__x86_64__)
#include <emmintrin.h>

enum { LINE = 64 };

bool summand__streams(void)
{
    return true;
}

/* Writes whole lines at once, so that no line is written in parts. SSE2 suffices, which every such
 * processor has: the memory, or the way from another core, determines the time. */
static inline void copy_lines(bool bypasses, char *to, const char *from, size_t lines)
{
    for (size_t i = 0; i < lines; i++, to += LINE, from += LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)from);
        __m128i b = _mm_loadu_si128((const __m128i *)from + 1);
        __m128i c = _mm_loadu_si128((const __m128i *)from + 2);
        __m128i d = _mm_loadu_si128((const __m128i *)from + 3);
        if (bypasses) {
            _mm_stream_si128((__m128i *)to, a);
            _mm_stream_si128((__m128i *)to + 1, b);
            _mm_stream_si128((__m128i *)to + 2, c);
            _mm_stream_si128((__m128i *)to + 3, d);
        } else {
            _mm_store_si128((__m128i *)to, a);
            _mm_store_si128((__m128i *)to + 1, b);
            _mm_store_si128((__m128i *)to + 2, c);
            _mm_store_si128((__m128i *)to + 3, d);
        }
    }
}

/* `bypasses` is a constant. */
static inline void copy(bool bypasses, char *to, const char *from, size_t bytes)
{
    const size_t head = -(uintptr_t)to % LINE;
    if (bytes < head + LINE) {
        memcpy(to, from, bytes);
        return;
    }
    const size_t whole = (bytes - head) / LINE, done = head + whole * LINE;
    memcpy(to, from, head);
    copy_lines(bypasses, to + head, from + head, whole);
    memcpy(to + done, from + done, bytes - done);
}

void summand__stream_fence(void)
{
    _mm_sfence();
}

void summand__stream_copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        copy(true, to, from, bytes);
}

void summand__copy_bytes_long(void *to, const void *from, size_t bytes)
{
    copy(false, to, from, bytes);
}

#else

bool summand__streams(void)
{
    return false;
}

void summand__stream_copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        memcpy(to, from, bytes);
}

void summand__stream_fence(void)
{
}

void summand__copy_bytes_long(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif
