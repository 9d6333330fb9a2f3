/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bench/need.h"
#include "cli/diff/run.h"

static char **place_of(const struct texts *texts, const char *text)
{
    size_t at = (size_t)summand__spread(summand__hash_text(text)) & (texts->slots - 1);
    while (texts->slot[at] && strcmp(texts->slot[at], text) != 0)
        at = (at + 1) & (texts->slots - 1);
    return &texts->slot[at];
}

static void grow(struct texts *texts)
{
    struct texts larger = {NULL, texts->slots ? 2 * texts->slots : 64, texts->count};
    larger.slot = need(calloc(larger.slots, sizeof *larger.slot));
    for (size_t i = 0; i < texts->slots; i++)
        if (texts->slot[i])
            *place_of(&larger, texts->slot[i]) = texts->slot[i];
    free(texts->slot);
    *texts = larger;
}

const char *texts_keep(struct texts *texts, const char *text)
{
    if (!text)
        return NULL;
    if (2 * texts->count >= texts->slots)
        grow(texts);
    char **place = place_of(texts, text);
    if (!*place) {
        *place = need(strdup(text));
        texts->count++;
    }
    return *place;
}

void texts_free(struct texts *texts)
{
    for (size_t i = 0; i < texts->slots; i++)
        free(texts->slot[i]);
    free(texts->slot);
    *texts = (struct texts){0};
}
