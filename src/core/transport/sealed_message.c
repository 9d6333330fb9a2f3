/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/sealed_message.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/stream.h"

enum { STEP = 4096 /* bytes that stay in the first cache between two uses */ };

/* Bytes that arrived are combined; or copied, if they do not lie there already. */
static void deliver_range(const struct summand__sealed_message *made, const unsigned char *here,
                          const unsigned char *with, unsigned char *out, size_t count)
{
    const struct summand__arrival *arrival = &made->arrival;
    if (made->message.combine) {
        here -= made->offset, with -= made->offset, out -= made->offset;
        arrival->combine(arrival->context, arrival->left ? here : with, arrival->left ? with : here,
                         out, count / made->unit);
    } else if (here != out && made->message.flags & SUMMAND__NONTEMPORAL) {
        summand__stream_copy(out, here, count);
    } else if (here != out) {
        summand__copy_bytes(out, here, count);
    }
}

/* Bytes of the message to be seen at a time: whole elements of one chunk. */
static size_t step_of(const struct summand__sealed_message *made, size_t count)
{
    const size_t rest = summand__seal_rest(&made->words);
    size_t step = made->unit < STEP ? STEP - STEP % made->unit : made->unit;
    step = rest < step ? rest : step;
    return count < step ? count : step;
}

void summand__sealed_arrive(const void *context, const void *left, const void *right, void *out,
                            size_t count)
{
    struct summand__sealed_message *made =
        (struct summand__sealed_message *)context; /* of this link */
    const bool is_left = made->message.combine && made->arrival.left;
    const unsigned char *here = is_left ? left : right, *with = is_left ? right : left;
    for (size_t done = 0, step; done < count; done += step) {
        step = step_of(made, count - done);
        /* First: lines that arrive late, between the two uses, are an alarm then. */
        summand__seal_add(&made->words, here + done, step);
        deliver_range(made, here + done, made->below.alone ? NULL : with + done,
                      (unsigned char *)out + done, step);
    }
}

void summand__sealed_leave(const void *context, const void *left, const void *right, void *out,
                           size_t count)
{
    struct summand__sealed_message *made = (struct summand__sealed_message *)context;
    (void)right, (void)out;
    for (size_t done = 0, step; done < count; done += step) {
        step = step_of(made, count - done);
        if (made->copies)
            summand__copy_bytes(made->packed.of + made->words.bytes,
                                (const unsigned char *)left + done, step);
        summand__seal_add(&made->words, (const unsigned char *)left + done, step);
    }
    if (made->words.bytes == made->head.length)
        summand__seal_write(made->seal.of, &made->head, &made->words);
}

void summand__sealed_free(struct summand__sealed_message *made)
{
    for (struct summand__sealed_message *next; made; made = next) {
        next = made->next;
        free(made->seal.of);
        free(made->packed.of);
        free(made->check.of);
        free(made);
    }
}
