/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/by_rank.h"

#include <stdio.h>
#include <string.h>

/* Limit on the values that are listed, and on the runs of ranks; further ones are "others". */
enum { TOLD = 6 };

struct sentence {
    char *text;
    size_t used, room;
};

static void add(struct sentence *sentence, const char *text)
{
    size_t length = strlen(text);
    if (length > sentence->room - 1 - sentence->used)
        length = sentence->room - 1 - sentence->used;
    memcpy(sentence->text + sentence->used, text, length);
    sentence->used += length;
    sentence->text[sentence->used] = 0;
}

static const void *entry_of(const struct summand__by_rank *table, int rank)
{
    return (const char *)table->entries + (size_t)rank * table->bytes;
}

static bool alike(const struct summand__by_rank *table, int a, int b)
{
    return table->alike(entry_of(table, a), entry_of(table, b));
}

/* Adds the ranks with the value of `first`: "ranks 1-3, 7". */
static void add_ranks(struct sentence *sentence, const struct summand__by_rank *table, int first)
{
    char text[48];
    int count = 0, said = 0;
    for (int r = first; r < table->ranks; r++)
        count += alike(table, r, first);
    add(sentence, count > 1 ? " on ranks " : " on rank ");
    for (int r = first, last; r < table->ranks; r = last + 1) {
        last = r;
        if (!alike(table, r, first))
            continue;
        while (last + 1 < table->ranks && alike(table, last + 1, first))
            last++;
        if (said == TOLD) {
            add(sentence, ", ...");
            return;
        }
        snprintf(text, sizeof text, r == last ? "%s%d" : "%s%d-%d", said++ ? ", " : "", r, last);
        add(sentence, text);
    }
}

static bool is_first(const struct summand__by_rank *table, int rank)
{
    for (int r = 0; r < rank; r++)
        if (alike(table, r, rank))
            return false;
    return true;
}

void summand__by_rank_say(const struct summand__by_rank *table, const char *name, char *text,
                          size_t room)
{
    struct sentence sentence = {.text = text, .room = room};
    int told = 0;
    add(&sentence, name);
    for (int r = 0; r < table->ranks && told <= TOLD; r++) {
        if (!is_first(table, r))
            continue;
        add(&sentence, told ? ", " : ": ");
        if (told++ == TOLD) {
            add(&sentence, "others on others");
            break;
        }
        add(&sentence, table->say(entry_of(table, r)));
        add_ranks(&sentence, table, r);
    }
}
