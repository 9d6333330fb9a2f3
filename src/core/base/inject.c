/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/inject.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { WORD = 8 };

static void flip(unsigned char *bytes, size_t count, const unsigned char *before,
                 size_t count_before, uint64_t number)
{
    (void)before, (void)count_before;
    bytes[number / 8 % count] ^= (unsigned char)(1u << number % 8);
}

/* Any bits of up to 64 bytes in a row. */
static void burst(unsigned char *bytes, size_t count, const unsigned char *before,
                  size_t count_before, uint64_t number)
{
    (void)before, (void)count_before;
    uint64_t drawn = summand__spread(number);
    size_t begin = drawn % count, length = drawn / count % 64 + 1;
    for (size_t i = begin; i < begin + length && i < count; i++)
        bytes[i] ^= (unsigned char)(summand__spread(drawn + i) | 1);
}

/* The bytes from a place on are those that were there before: all, or those that came too late. */
static void late(unsigned char *bytes, size_t count, const unsigned char *before,
                 size_t count_before, size_t begin)
{
    for (size_t i = begin; i < count; i++)
        bytes[i] = i < count_before ? before[i] : 0;
}

static void stale(unsigned char *bytes, size_t count, const unsigned char *before,
                  size_t count_before, uint64_t number)
{
    (void)number;
    late(bytes, count, before, count_before, 0);
}

static void torn(unsigned char *bytes, size_t count, const unsigned char *before,
                 size_t count_before, uint64_t number)
{
    late(bytes, count, before, count_before, summand__spread(number) % count);
}

static void zero(unsigned char *bytes, size_t count, const unsigned char *before,
                 size_t count_before, uint64_t number)
{
    (void)before, (void)count_before;
    size_t begin = number % 2 ? summand__spread(number) % count / WORD * WORD : 0;
    memset(bytes + begin, 0, number % 2 && count - begin > WORD ? WORD : count - begin);
}

static void swap_blocks(unsigned char *a, unsigned char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Two words, or both halves. */
static void swap(unsigned char *bytes, size_t count, const unsigned char *before,
                 size_t count_before, uint64_t number)
{
    (void)before, (void)count_before;
    size_t words = count / WORD;
    if (number % 2 && words > 1) {
        size_t first = summand__spread(number) % words, second = (first + 1 + number / 2) % words;
        swap_blocks(bytes + WORD * first, bytes + WORD * second, first == second ? 0 : WORD);
    } else {
        swap_blocks(bytes, bytes + (count + 1) / 2, count / 2);
    }
}

const struct summand__injection_kind summand__injection_kinds[] = {
    {"flip", "one bit", flip},
    {"burst", "many bits of up to 64 bytes in a row", burst},
    {"stale", "the message that was sent before", stale},
    {"zero", "zeros: all, or a word", zero},
    {"swap", "two words, or both halves, are exchanged", swap},
    {"torn", "the end is of the message that was sent before", torn},
    {NULL, NULL, NULL}};

static const struct summand__injection_kind *kind_named(const char *name, size_t length)
{
    const struct summand__injection_kind *kind = summand__injection_kinds;
    while (kind->name && (strlen(kind->name) != length || strncmp(kind->name, name, length) != 0))
        kind++;
    return kind->name ? kind : NULL;
}

bool summand__injection_read(const char *text, struct summand__injection *injection,
                             struct summand__complaint *complaint)
{
    unsigned long long message, number = 0;
    int rank, first = 0, all = 0;
    size_t name = strcspn(text, "@");
    const struct summand__injection_kind *kind = kind_named(text, name);
    int fields =
        sscanf(text + name, "@%9d:%18llu%n:%18llu%n", &rank, &message, &first, &number, &all);
    int used = fields == 3 ? all : first;
    if (kind && fields >= 2 && rank >= 0 && !text[name + (size_t)used] &&
        !strpbrk(text + name, " +-")) {
        *injection = (struct summand__injection){kind, rank, message, number};
        return true;
    }
    int length =
        snprintf(complaint->text, sizeof complaint->text,
                 "SUMMAND_INJECT: '%.60s' is not KIND@RANK:MESSAGE[:NUMBER], KIND one of", text);
    for (kind = summand__injection_kinds; kind->name; kind++)
        length += snprintf(complaint->text + length, sizeof complaint->text - (size_t)length,
                           "%s %s", kind == summand__injection_kinds ? "" : ",", kind->name);
    return false;
}

void summand__injection_change(const struct summand__injection *injection, unsigned char *bytes,
                               size_t count, const unsigned char *before, size_t count_before)
{
    if (count)
        injection->kind->change(bytes, count, before, count_before, injection->number);
}
