/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/gossip/gossip_script.h"

#include "base/number.h"
#include "bench/need.h"
#include "cli/common/lines.h"
#include "cli/gossip/gossip.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 20, NUMBER_MOST = 1 << 30 };

static const char *const variables[] = {"input", "flow", "message", NULL};
static const char *const components[] = {"value", "weight", "checksum", "any", NULL};

struct reader {
    const char *at;
    bool good;
};

static bool takes(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length))
        return false;
    r->at += length;
    return true;
}

static int choice(struct reader *r, const char *const *names)
{
    size_t length = strcspn(r->at, ",; \t\r\n#");
    for (int k = 0; names[k]; k++)
        if (strlen(names[k]) == length && !strncmp(r->at, names[k], length)) {
            r->at += length;
            return k;
        }
    r->good = false;
    return 0;
}

static int number(struct reader *r, long least, long most)
{
    long long value = least;
    r->good &= summand__read_integer(&r->at, &value) && value >= least && value <= most;
    return (int)value;
}

static uint64_t bits(struct reader *r)
{
    uint64_t set = 0;
    do {
        int bit = number(r, 0, 63);
        r->good &= !r->good || !(set >> bit & 1);
        set |= r->good ? UINT64_C(1) << bit : 0;
    } while (r->good && takes(r, "+"));
    return set;
}

static const char *const keys[] = {
    "rank=", "to=", "variable=", "component=", "bit=", "after=", "burst=", "both"};
enum key { RANK, TO, VARIABLE, COMPONENT, BIT, AFTER, BURST, BOTH, NO_KEY };

/* Reads a key; each key may occur once. */
static enum key take_key(struct reader *r, unsigned *seen)
{
    enum key key = RANK;
    while (key < NO_KEY && !takes(r, keys[key]))
        key++;
    r->good = key < NO_KEY && !(*seen >> key & 1);
    *seen |= 1u << key;
    return key;
}

static void read_value(struct reader *r, enum key key, struct summand__scripted *s)
{
    if (key == RANK)
        s->rank = number(r, 0, NUMBER_MOST);
    else if (key == TO)
        s->to = number(r, 0, NUMBER_MOST);
    else if (key == VARIABLE)
        s->variable = (enum summand__fault_variable)choice(r, variables);
    else if (key == COMPONENT)
        s->component = (enum summand__fault_component)choice(r, components);
    else if (key == BIT)
        s->bits = bits(r);
    else if (key == AFTER)
        s->after = number(r, 0, NUMBER_MOST / 2);
    else if (key == BURST)
        s->burst = number(r, 1, NUMBER_MOST / 2);
    else
        s->both = true;
}

static void read_one(struct reader *r, struct summand__scripted *s)
{
    unsigned seen = 0;
    *s = (struct summand__scripted){
        .to = -1, .variable = SUMMAND__FAULT_FLOW, .bits = 1, .burst = 1};
    do {
        enum key key = take_key(r, &seen);
        if (r->good)
            read_value(r, key, s);
    } while (r->good && takes(r, ","));
    r->good = r->good && seen >> RANK & 1 && seen >> BIT & 1; /* the target is required */
}

/* Skips blanks, remarks and empty lines. */
static void skip(struct reader *r)
{
    for (;;) {
        r->at += strspn(r->at, " \t\r\n;");
        if (*r->at != '#')
            return;
        r->at += strcspn(r->at, "\n");
    }
}

static bool parse(const char *command, const char *text, struct summand__scripted **script,
                  int *count)
{
    struct reader r = {text, true};
    size_t most = 1;
    for (const char *s = text; *s; s++)
        most += *s == ';' || *s == '\n';
    *script = malloc(most * sizeof **script);
    if (!*script)
        return !complain(command, "out of memory");
    for (skip(&r); r.good && *r.at; skip(&r)) {
        const char *from = r.at;
        read_one(&r, &(*script)[(*count)++]);
        r.at += strspn(r.at, " \t\r");
        r.good &= !*r.at || strchr(";\n#", *r.at);
        if (!r.good)
            complain(command,
                     "--faults: '%.*s' is not rank=R,bit=B+B and what may follow: to=R, "
                     "variable=V, component=C, after=M, burst=K, both, with commas between",
                     (int)strcspn(from, ";\n"), from);
    }
    return r.good;
}

/* Joins the lines of a file in one text; false after a complaint. */
static bool read_file(const char *command, const char *path, struct lines *lines, char **text)
{
    size_t length = 0;
    *text = need(calloc(1, 1));
    for (char *line; (line = lines_next(lines)) && length < FILE_MOST;) {
        const size_t more = strlen(line);
        *text = need(realloc(*text, length + more + 2));
        memcpy(*text + length, line, more);
        length += more;
        strcpy(*text + length++, "\n");
    }
    if (lines->wrong)
        return !complain(command, "%s: line %d: %s", path, lines->number, lines->wrong);
    return length < FILE_MOST ||
           !complain(command, "%s: longer than %d bytes", path, FILE_MOST - 1);
}

bool gossip_read_script(const char *command, const char *text, struct summand__scripted **script,
                        int *count)
{
    struct lines lines;
    char *read = NULL;
    *script = NULL;
    *count = 0;
    if (!text)
        return true;
    bool good = true;
    if (lines_open(&lines, text)) {
        good = read_file(command, text, &lines, &read);
        lines_close(&lines);
    }
    good = good && parse(command, read ? read : text, script, count);
    free(read);
    if (good)
        return true;
    free(*script);
    *script = NULL;
    return false;
}
