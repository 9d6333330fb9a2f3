/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t record_print_communicator(char *to, size_t room, const struct record_communicator *c)
{
    return (size_t)snprintf(to, room,
                            "communicator %lld size %lld rank %lld group %016" PRIx64 " nth %lld\n",
                            c->number, c->size, c->rank, c->group, c->nth);
}

/* Appends characters; the caller has made sure that there is room. */
struct cursor {
    char *at;
};

static void put_number(struct cursor *c, long long number)
{
    char digits[24];
    int count = 0;
    unsigned long long rest = (unsigned long long)number;
    *c->at++ = ' ';
    if (number < 0) {
        *c->at++ = '-';
        rest = -rest;
    }
    do
        digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (count)
        *c->at++ = digits[--count];
}

static void put_name(struct cursor *c, const char *name, size_t most)
{
    *c->at++ = ' ';
    if (!name || !*name)
        name = "-";
    for (size_t i = 0; name[i] && i < most; i++)
        *c->at++ = (unsigned char)name[i] > ' ' && name[i] != 127 ? name[i] : '_';
}

static void put_hash(struct cursor *c, const struct record_hashed *hashed)
{
    static const char digits[] = "0123456789abcdef";
    *c->at++ = ' ';
    if (!hashed->there)
        *c->at++ = '-';
    for (int shift = 60; hashed->there && shift >= 0; shift -= 4)
        *c->at++ = digits[hashed->hash >> shift & 15];
}

/* Not by printf, which takes a microsecond: a program may make a million calls a second. */
size_t record_print_call(char *to, size_t room, const struct record_call *call)
{
    /* Four numbers and two hashes take 120 characters at most. */
    const size_t names = (room < 120 ? 0 : room - 120), most = names / 6;
    struct cursor c = {to};
    memcpy(c.at, "call", 4);
    c.at += 4;
    put_number(&c, call->communicator);
    put_number(&c, call->number);
    put_name(&c, call->name, most);
    put_number(&c, call->count);
    put_name(&c, call->type, most);
    put_name(&c, call->op, most);
    if (call->root < 0)
        put_name(&c, NULL, 1);
    else
        put_number(&c, call->root);
    put_hash(&c, &call->input);
    put_hash(&c, &call->result);
    put_name(&c, call->how, most);
    put_name(&c, call->site, 2 * most - 1);
    *c.at++ = '\n';
    *c.at = 0;
    return (size_t)(c.at - to);
}

/* Cuts the next field off; NULL if there is none. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field || !*field)
        return NULL;
    char *end = strchr(field, ' ');
    if (end)
        *end++ = 0;
    *rest = end;
    return *field ? field : NULL;
}

/* A number from `least` on. */
static bool take_number(char **rest, long long least, long long *number)
{
    char *field = next_field(rest), *end;
    if (!field || (field[0] != '-' && (field[0] < '0' || field[0] > '9')))
        return false;
    errno = 0;
    *number = strtoll(field, &end, 10);
    return !*end && !errno && *number >= least;
}

static bool take_name(char **rest, const char **name)
{
    char *field = next_field(rest);
    *name = field && strcmp(field, "-") != 0 ? field : NULL;
    return field;
}

static bool hexadecimal(const char *field, uint64_t *hash)
{
    char *end;
    if (strlen(field) != 16 || strspn(field, "0123456789abcdef") != 16)
        return false;
    *hash = strtoull(field, &end, 16);
    return true;
}

static bool take_hash(char **rest, struct record_hashed *hashed)
{
    char *field = next_field(rest);
    hashed->there = field && strcmp(field, "-") != 0;
    return field && (!hashed->there || hexadecimal(field, &hashed->hash));
}

static bool take_word(char **rest, const char *word)
{
    char *field = next_field(rest);
    return field && !strcmp(field, word);
}

static bool take_root(char **rest, long long *root)
{
    if (*rest && !strncmp(*rest, "- ", 2)) {
        *root = -1;
        return next_field(rest);
    }
    return take_number(rest, 0, root);
}

/* The reason why the line is no call, or NULL. */
static const char *parse_call(char *rest, struct record_call *call)
{
    if (!take_number(&rest, 0, &call->communicator) || !take_number(&rest, 0, &call->number))
        return "no numbers of communicator and call";
    if (!take_name(&rest, &call->name) || !call->name)
        return "no name of a call";
    if (!take_number(&rest, 0, &call->count))
        return "no count";
    if (!take_name(&rest, &call->type) || !call->type || !take_name(&rest, &call->op))
        return "no datatype and operator";
    if (!take_root(&rest, &call->root))
        return "no root";
    if (!take_hash(&rest, &call->input) || !take_hash(&rest, &call->result))
        return "no hashes of 16 hexadecimal digits";
    if (!take_name(&rest, &call->how) || !take_name(&rest, &call->site) || rest)
        return "no algorithm and caller at its end";
    return NULL;
}

static const char *parse_communicator(char *rest, struct record_communicator *c)
{
    char *group;
    bool right = take_number(&rest, 0, &c->number) && take_word(&rest, "size") &&
                 take_number(&rest, 1, &c->size) && take_word(&rest, "rank") &&
                 take_number(&rest, 0, &c->rank) && take_word(&rest, "group") &&
                 (group = next_field(&rest)) && hexadecimal(group, &c->group) &&
                 take_word(&rest, "nth") && take_number(&rest, 0, &c->nth) && !rest;
    return right && c->rank < c->size ? NULL : "no number, size, rank, group and nth";
}

static const char *parse_rank(char *rest, struct record_line *line)
{
    bool right = take_number(&rest, 0, &line->rank.rank) && take_word(&rest, "of") &&
                 take_number(&rest, 1, &line->rank.ranks) && !rest;
    return right && line->rank.rank < line->rank.ranks ? NULL : "no rank of a number of ranks";
}

struct record_line record_parse(char *text)
{
    struct record_line line = {.kind = RECORD_WRONG};
    if (!strcmp(text, RECORD_FIRST_LINE)) {
        line.kind = RECORD_FIRST;
        return line;
    }
    char *rest = text;
    line.key = next_field(&rest);
    line.text = rest ? rest : "";
    if (!line.key) {
        line.wrong = "an empty line";
    } else if (!strcmp(line.key, "call")) {
        line.kind = RECORD_CALL;
        line.wrong = parse_call(rest, &line.call);
    } else if (!strcmp(line.key, "communicator")) {
        line.kind = RECORD_COMMUNICATOR;
        line.wrong = parse_communicator(rest, &line.communicator);
    } else if (!strcmp(line.key, "in") || !strcmp(line.key, "out")) {
        line.kind = RECORD_VALUES;
    } else if (!strcmp(line.key, "program") || !strcmp(line.key, "mpi") ||
               !strcmp(line.key, "mode")) {
        line.kind = RECORD_TEXT;
    } else if (!strcmp(line.key, "rank")) {
        line.kind = RECORD_RANK;
        line.wrong = parse_rank(rest, &line);
    } else if (!strcmp(line.key, "end")) {
        line.kind = RECORD_END;
        line.wrong = take_number(&rest, 0, &line.calls) && !rest ? NULL : "no number of calls";
    } else {
        line.wrong = "an unknown first word";
    }
    if (line.wrong)
        line.kind = RECORD_WRONG;
    return line;
}
