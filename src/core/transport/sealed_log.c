/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/sealed_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/seal.h"
#include "transport/sealed_link.h"

static bool has_room(struct summand__sealed_log *log, size_t order)
{
    while (order >= log->room) {
        const size_t room = 2 * log->room + 16;
        struct summand__sealed_entry *of = realloc(log->of, room * sizeof *of);
        if (!of)
            return false;
        for (size_t i = log->room; i < room; i++) /* a later one may get no memory */
            of[i].number = UINT32_MAX;
        log->of = of;
        log->room = room;
    }
    return true;
}

static void compare(struct summand__sealed_log *log, const struct summand__sealed_message *made,
                    uint32_t word)
{
    uint32_t *least = made->sends ? &log->sent : &log->got;
    if (made->order >= log->room || log->of[made->order].word == word ||
        log->of[made->order].number >= *least)
        return;
    *least = log->of[made->order].number;
    if (made->sends)
        log->to = made->head.target;
}

void summand__sealed_log_end(struct summand__sealed_log *log,
                             const struct summand__sealed_message *made)
{
    const uint32_t word = summand__seal_kernels()->crc32c(
        0, made->words.of, summand__seal_words_bytes(made->words.bytes));
    const uint32_t number = made->sends ? made->number : ++log->moved;
    if (log->repeats)
        compare(log, made, word);
    else if (has_room(log, made->order))
        log->of[made->order] = (struct summand__sealed_entry){word, number};
}

void summand__sealed_repeat(struct summand__link *link)
{
    struct summand__sealed_log *log = &((struct summand__sealed *)link)->log;
    log->repeats = true;
    log->sent = log->got = UINT32_MAX;
}

bool summand__sealed_is_wrong(const struct summand__link *link, bool result, char *where,
                              size_t room)
{
    const struct summand__sealed_log *log = &((const struct summand__sealed *)link)->log;
    if (log->sent == UINT32_MAX)
        snprintf(where, room, "in its own result alone");
    else if (log->to < 0)
        snprintf(where, room, "before its message %u, to all others", log->sent);
    else
        snprintf(where, room, "before its message %u, to rank %d", log->sent, log->to);
    return log->sent < log->got || (result && log->got == UINT32_MAX);
}
