/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/inject.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { WORD = 8 };

static void flip(const struct summand__injection_target *m, uint64_t number)
{
    m->bytes[number / 8 % m->count] ^= (unsigned char)(1u << number % 8);
}

/* Any bits of up to 64 bytes in a row. */
static void burst(const struct summand__injection_target *m, uint64_t number)
{
    uint64_t drawn = summand__spread(number);
    size_t begin = drawn % m->count, length = drawn / m->count % 64 + 1;
    for (size_t i = begin; i < begin + length && i < m->count; i++)
        m->bytes[i] ^= (unsigned char)(summand__spread(drawn + i) | 1);
}

/* The bytes from a place on are those that were there before: all, or those that came too late. */
static void late(const struct summand__injection_target *m, size_t begin)
{
    for (size_t i = begin; i < m->count; i++)
        m->bytes[i] = i < m->count_before ? m->before[i] : 0;
}

static void stale(const struct summand__injection_target *m, uint64_t number)
{
    (void)number;
    late(m, 0);
}

static void torn(const struct summand__injection_target *m, uint64_t number)
{
    late(m, summand__spread(number) % m->count);
}

static void zero(const struct summand__injection_target *m, uint64_t number)
{
    size_t begin = number % 2 ? summand__spread(number) % m->count / WORD * WORD : 0;
    memset(m->bytes + begin, 0, number % 2 && m->count - begin > WORD ? WORD : m->count - begin);
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
static void swap(const struct summand__injection_target *m, uint64_t number)
{
    size_t words = m->count / WORD;
    if (number % 2 && words > 1) {
        size_t first = summand__spread(number) % words, second = (first + 1 + number / 2) % words;
        swap_blocks(m->bytes + WORD * first, m->bytes + WORD * second, first == second ? 0 : WORD);
    } else {
        swap_blocks(m->bytes, m->bytes + (m->count + 1) / 2, m->count / 2);
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
