/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

static const char *const modes[] = {
#define ROW(name, id, meaning) #name,
    SHIM_MODES(ROW)
#undef ROW
};

static const char *const collectives[] = {
#define ROW(Name, name, ...) #name,
    SHIM_COLLECTIVES(ROW)
#undef ROW
};

static int place_of(const char *word, size_t length, const char *const *words, int count)
{
    int place = 0;
    while (place < count &&
           (strlen(words[place]) != length || strncmp(words[place], word, length) != 0))
        place++;
    return place < count ? place : -1;
}

static bool wrong(char *complaint, size_t room, const char *what, const char *word, size_t length,
                  const char *const *words, int count)
{
    int used = snprintf(complaint, room, "SUMMAND_MODE: '%.*s' is no %s; there are", (int)length,
                        word, what);
    for (int i = 0; i < count && used > 0 && (size_t)used < room; i++)
        used += snprintf(complaint + used, room - (size_t)used, "%s %s", i ? "," : "", words[i]);
    return false;
}

/* "<=1k": bytes, with a suffix for a power of 1024. */
static bool read_size(const char *text, size_t length, struct shim_rule *rule)
{
    char *end;
    const bool less = *text == '<', equal = length > 1 && text[1] == '=';
    const char *digits = text + 1 + equal;
    if ((!less && *text != '>') || *digits < '0' || *digits > '9')
        return false;
    long long number = strtoll(digits, &end, 10);
    static const char suffixes[] = "kmg";
    const char *suffix = end < text + length ? strchr(suffixes, *end | 0x20) : NULL;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        number = number > (INT64_MAX >> 10) ? INT64_MAX : number << 10;
    if (end + (suffix != NULL) != text + length)
        return false;
    if (less)
        rule->most = equal ? number : number - 1;
    else
        rule->least = equal ? number : number + 1;
    return true;
}

static bool read_rule(const char *text, size_t length, struct shim_rule *rule, char *complaint,
                      size_t room)
{
    const char *colon = memchr(text, ':', length);
    const size_t first = colon ? (size_t)(colon - text) : length;
    const int mode = place_of(text, first, modes, SHIM_MODE_COUNT);
    *rule = (struct shim_rule){.collective = -1, .most = INT64_MAX};
    if (mode < 0)
        return wrong(complaint, room, "mode", text, first, modes, SHIM_MODE_COUNT);
    rule->mode = (enum shim_mode)mode;
    if (!colon)
        return true;
    const char *name = colon + 1;
    const size_t rest = length - first - 1, letters = strcspn(name, "<>,");
    const size_t named = letters < rest ? letters : rest;
    rule->collective = place_of(name, named, collectives, SHIM_COLLECTIVE_COUNT);
    if (rule->collective < 0)
        return wrong(complaint, room, "call", name, named, collectives, SHIM_COLLECTIVE_COUNT);
    if (named == rest || read_size(name + named, rest - named, rule))
        return true;
    snprintf(complaint, room,
             "SUMMAND_MODE: '%.*s' is no size; write <=1k, <1k, >=1k or >1k (bytes; k, m, g)",
             (int)(rest - named), name + named);
    return false;
}

bool shim_rules_read(const char *text, struct shim_rules *rules, char *complaint, size_t room)
{
    rules->count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (rules->count == SHIM_RULES_MOST) {
            snprintf(complaint, room, "SUMMAND_MODE: more than %d rules", SHIM_RULES_MOST);
            return false;
        }
        if (!read_rule(text, length, &rules->rule[rules->count++], complaint, room))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

bool shim_rules_promise(const struct shim_rules *rules)
{
    for (int i = 0; i < rules->count; i++)
        if (shim_mode_promises(rules->rule[i].mode))
            return true;
    return false;
}

bool shim_rules_off(const struct shim_rules *rules)
{
    for (int i = 0; i < rules->count; i++)
        if (rules->rule[i].mode != SHIM_MODE_OFF)
            return false;
    return true;
}
