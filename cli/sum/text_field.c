/* SPDX-License-Identifier: BSD-3-Clause */
/* What a field of a table is: a number, the name of a column, or neither of them for certain. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sum/text.h"

/* Fortran's exponents become C's: a letter D, or no letter before three digits. */
static bool fortran(const char *word, char *copy)
{
    const size_t digits = strspn(word + strspn(word, "+-"), "0123456789.") + strspn(word, "+-");
    const char *rest = word + digits;
    if (!digits || strlen(word) >= TEXT_WORD - 1)
        return false;
    if (*rest == 'd' || *rest == 'D')
        snprintf(copy, TEXT_WORD, "%.*se%s", (int)digits, word, rest + 1);
    else if ((*rest == '+' || *rest == '-') && strlen(rest) == 4 && memchr(word, '.', digits))
        snprintf(copy, TEXT_WORD, "%.*se%s", (int)digits, word, rest);
    else
        return false;
    return true;
}

enum text_number text_number(const char *word, double *value)
{
    char *end, copy[TEXT_WORD];
    errno = 0;
    *value = strtod(word, &end);
    if (*end && fortran(word, copy)) {
        word = copy;
        errno = 0;
        *value = strtod(word, &end);
    }
    if (end == word || *end)
        return TEXT_NO_NUMBER;
    return errno == ERANGE && fabs(*value) > 1 ? TEXT_TOO_LARGE : TEXT_NUMBER;
}

bool text_is_sheet_error(const char *word)
{
    static const char *const words[] = {"N/A", "NA", "N/D", "NV", "GETTING_DATA"};
    const size_t length = strlen(word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return true;
    return length > 1 && (word[length - 1] == '!' || word[length - 1] == '?');
}

static bool is_missing(const char *word)
{
    static const char *const words[] = {"NA",   "N/A", "na", "n/a", "NULL", "null",
                                        "None", "-",   "--", "?",   "."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return true;
    return *word == '#' && text_is_sheet_error(word + 1);
}

/* The character that begins here, and its bytes. A byte that begins none stands for itself, as in
 * Latin-1. */
static unsigned read_character(const unsigned char *at, size_t *bytes)
{
    const size_t length = *at < 0xc2 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 1;
    unsigned code = length == 1 ? *at : *at & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *bytes = 1;
            return *at;
        }
        code = code << 6 | (at[i] & 0x3fu);
    }
    *bytes = length;
    return code;
}

static bool is_letter(unsigned code)
{
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_' ||
           code >= 0xc0;
}

/* Beyond ASCII: signs, blanks, currencies and digits that stand beside numbers or in their place.
 */
static bool is_sign(unsigned code)
{
    static const unsigned ranges[][2] = {{0x80, 0xbf},     {0x660, 0x669},   {0x6f0, 0x6f9},
                                         {0x2000, 0x20cf}, {0x2212, 0x2213}, {0x2248, 0x2248},
                                         {0x2264, 0x2265}, {0x3000, 0x3000}, {0xfe50, 0xfe6f},
                                         {0xfeff, 0xfeff}, {0xff00, 0xff20}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

static bool is_currency(unsigned code)
{
    return code == '$' || (code >= 0xa2 && code <= 0xa5) || (code >= 0x20a0 && code <= 0x20cf);
}

/* "EUR 5": three capitals and a number, an amount or the name of a column. */
static bool is_amount(const char *word)
{
    double value;
    const char *rest = word + strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return rest == word + 3 && *rest == ' ' && text_number(rest, &value) != TEXT_NO_NUMBER;
}

enum text_field text_field(const char *word)
{
    double value;
    size_t bytes;
    bool letters = false, digits = false, money = false, after_money = false;
    if (!*word)
        return FIELD_EMPTY;
    if (text_number(word, &value) != TEXT_NO_NUMBER)
        return FIELD_NUMBER;
    const char *first = word + strspn(word, "+-.");
    if (is_missing(word) || is_amount(word) || (*first >= '0' && *first <= '9'))
        return FIELD_UNSURE;
    for (; *word; word += bytes) {
        const unsigned code = read_character((const unsigned char *)word, &bytes);
        const bool digit = code >= '0' && code <= '9', sign = is_sign(code);
        money = money || (after_money && digit);
        after_money = is_currency(code) || (after_money && code == ' ');
        digits = digits || digit || sign;
        letters = letters || (is_letter(code) && !sign);
    }
    return money || (digits && !letters) ? FIELD_UNSURE : FIELD_NAME;
}
