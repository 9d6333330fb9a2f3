/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/outer_panels.h"

#include <pthread.h>
#include <stdlib.h>

#include "compute/outer.h"

struct memory {
    struct outer_panels panels;
    _Alignas(64) char a[OUTER_PAIRS * OUTER_TALLEST * sizeof(double)];
    _Alignas(64) char b[256 << 10];
    _Alignas(64) char tile[128 << 10];
    _Alignas(64) char square[OUTER_SQUARE];
};

static _Thread_local struct memory *own;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void make_key(void)
{
    has_key = !pthread_key_create(&key, free);
}

/* Deletes the key, because threads that end after the library is unloaded must not call into it. */
__attribute__((destructor)) static void drop_key(void)
{
    if (has_key)
        pthread_key_delete(key);
}

const struct outer_panels *summand__outer_panels(void)
{
    if (own)
        return &own->panels;
    pthread_once(&once, make_key);
    struct memory *memory = has_key ? aligned_alloc(64, sizeof *memory) : NULL;
    if (!memory)
        return NULL;
    memory->panels = (struct outer_panels){.a = memory->a,
                                           .b = memory->b,
                                           .tile = memory->tile,
                                           .square = memory->square,
                                           .b_bytes = sizeof memory->b,
                                           .tile_bytes = sizeof memory->tile};
    if (pthread_setspecific(key, memory)) {
        free(memory);
        return NULL;
    }
    own = memory;
    return &own->panels;
}

bool summand__outer_reserve(void)
{
    return summand__outer_panels();
}
