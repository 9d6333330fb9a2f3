/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/text.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "bench/need.h"

/* Bytes of the character at `at` (RFC 3629), and its code point; 0: the byte is not part of a
 * character. */
static int decode(const char *at, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)at;
    const int length = *byte < 0x80 ? 1 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
    *code = length == 1 ? *byte : *byte & (0x7fu >> length);
    if (*byte >= 0x80 && (*byte < 0xc0 || *byte > 0xf4))
        return 0;
    for (int i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) /* true at the text's end too */
            return 0;
        *code = *code << 6 | (byte[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* True for controls (C0, DEL, C1), ends of lines and paragraphs, marks that reorder a line, and
 * characters that XML 1.0 forbids. */
static bool breaks_line(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfffe || code == 0xffff;
}

enum { ESCAPE = 8 }; /* bytes of the longest escape, with its 0 */

static int escape(char *to, uint32_t code)
{
    static const char letters[][2] = {{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (code == (unsigned char)letters[i][0])
            return snprintf(to, ESCAPE, "\\%c", letters[i][1]);
    return snprintf(to, ESCAPE, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
}

static char *shown(const char *text, bool line)
{
    char *made = need(malloc(strlen(text) * ESCAPE + 1)), *to = made;
    while (*text) {
        uint32_t code;
        int length = decode(text, &code);
        if (!length) {
            to += snprintf(to, ESCAPE, "\\x%02x", (unsigned char)*text);
            length = 1;
        } else if (line && breaks_line(code)) {
            to += escape(to, code);
        } else {
            memcpy(to, text, (size_t)length);
            to += length;
        }
        text += length;
    }
    *to = '\0';
    return made;
}

char *text_valid(const char *text)
{
    return shown(text, false);
}

char *text_line(const char *text)
{
    return shown(text, true);
}

/* Uses the C library's Unicode tables, for any user's locale. Without C.UTF-8, or for an unknown
 * character: one column. Stops before a character that does not fit; *bytes: those before it. */
static int columns_of(const char *text, int most, size_t *bytes)
{
    int ascii = 0; /* a locale takes 20 microseconds */
    while (ascii < most && text[ascii] && !(text[ascii] & 0x80))
        ascii++;
    *bytes = (size_t)ascii;
    if (ascii == most || !text[ascii])
        return ascii;
    const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = uselocale(unicode);
    const char *at = text;
    int columns = 0;
    for (uint32_t code; *at;) {
        int length = decode(at, &code), width = length > 1 ? wcwidth((wchar_t)code) : 1;
        width = width < 0 || !unicode ? 1 : width;
        if (columns + width > most)
            break;
        columns += width;
        at += length ? length : 1;
    }
    uselocale(before);
    if (unicode)
        freelocale(unicode);
    *bytes = (size_t)(at - text);
    return columns;
}

int text_columns(const char *text)
{
    size_t bytes;
    return columns_of(text, INT_MAX - 2, &bytes);
}

size_t text_piece(const char *text, int columns, bool cut)
{
    size_t fits, blank;
    columns_of(text, columns, &fits);
    for (blank = fits; blank && text[blank] && text[blank] != ' ';)
        blank--;
    if (blank)
        return blank;
    if (!cut)
        return strcspn(text, " ");
    uint32_t code;
    const int first = *text ? decode(text, &code) : 0;
    return fits ? fits : (size_t)(first ? first : *text != '\0');
}

const char *text_plural(long long count)
{
    return count == 1 ? "" : "s";
}

char *text_format(const char *format, va_list list)
{
    char *text;
    return need(vasprintf(&text, format, list) < 0 ? NULL : text);
}

static bool continues(char byte)
{
    return (byte & 0xc0) == 0x80;
}

void text_fit(char *to, size_t room, const char *text)
{
    const size_t length = strlen(text), half = room / 2 - 2;
    size_t first = half, rest = length - half;
    if (length < room) {
        memcpy(to, text, length + 1);
        return;
    }
    for (int i = 0; i < 3 && continues(text[first]); i++) /* do not cut a character */
        first--;
    for (int i = 0; i < 3 && continues(text[rest]); i++)
        rest++;
    snprintf(to, room, "%.*s...%s", (int)first, text, text + rest);
}
