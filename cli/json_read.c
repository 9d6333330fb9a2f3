/* JSON text as values: RFC 8259, without U+0000 in strings. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json_value.h"

enum { MOST_DEPTH = 1000 }; /* each level of nesting takes some stack */

struct reader {
    const char *at, *end;
    int line, depth;
    json_error_t *error;
};

static void *fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    if (reader->error->text[0])
        return NULL; /* the first one counts */
    va_start(arguments, format);
    vsnprintf(reader->error->text, sizeof reader->error->text, format, arguments);
    va_end(arguments);
    reader->error->line = reader->line;
    return NULL;
}

/* The next character that is no space, which stays; 0 at the end. */
static char look(struct reader *reader)
{
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == '\n')
            reader->line++;
        else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
            return *reader->at;
    }
    return 0;
}

static void *unexpected(struct reader *reader, const char *wanted)
{
    char c = look(reader);
    if (!c)
        return fail(reader, "%s expected, not the end of the file", wanted);
    if (c > ' ' && c < 127)
        return fail(reader, "%s expected, not '%c'", wanted, c);
    return fail(reader, "%s expected, not byte 0x%02x", wanted, (unsigned char)c);
}

static bool take(struct reader *reader, char c)
{
    if (look(reader) != c || !c)
        return false;
    reader->at++;
    return true;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c | 32) : NULL;
    return found && (c <= '9' || (c | 32) >= 'a') ? (int)(found - digits) : -1;
}

/* Four hexadecimal digits; -1 if they are none. */
static long read_unit(struct reader *reader)
{
    long unit = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        int digit = reader->at < reader->end ? hex_digit(*reader->at) : -1;
        if (digit < 0)
            return -1;
        unit = 16 * unit + digit;
    }
    return unit;
}

/* Behind \u: the character as UTF-8, up to four bytes. Returns the end of it, or NULL. */
static char *read_escaped(struct reader *reader, char *out)
{
    long code = read_unit(reader);
    if (code >= 0xd800 && code < 0xdc00 && reader->end - reader->at > 6 && reader->at[0] == '\\' &&
        reader->at[1] == 'u') {
        reader->at += 2;
        long low = read_unit(reader);
        code =
            low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000))
        return fail(reader, "a character behind \\u that cannot be had here");
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *out++ = (char)((more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | (code >> (6 * more)));
    while (more--)
        *out++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    return out;
}

/* Behind a quotation mark. To be freed; no escape is shorter than what it stands for. */
static char *read_text(struct reader *reader)
{
    const char *close = reader->at;
    while (close < reader->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= reader->end)
        return fail(reader, "a string without end");
    char *text = malloc((size_t)(close - reader->at) + 1), *out = text;
    if (!text)
        return fail(reader, "out of memory");
    while (out && *reader->at != '"') {
        char c = *reader->at++;
        const char *letters = "\"\\/bfnrt", *found;
        if ((unsigned char)c < 0x20) {
            out = fail(reader, "a control character in a string");
        } else if (c != '\\') {
            *out++ = c;
        } else if ((c = *reader->at++) == 'u') {
            out = read_escaped(reader, out);
        } else if ((found = strchr(letters, c)) && c) {
            *out++ = "\"\\/\b\f\n\r\t"[found - letters];
        } else {
            out = fail(reader, "'\\' before what needs none");
        }
    }
    if (!out) {
        free(text);
        return NULL;
    }
    *out = 0;
    reader->at++;
    return text;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?; the text ends with a byte that is no digit. */
static json_t *read_number(struct reader *reader)
{
    const char *start = reader->at, *at = start + (*start == '-');
    size_t digits = strspn(at, "0123456789");
    bool whole = true, fine = digits > 0 && (digits == 1 || *at != '0');
    at += digits;
    if (fine && *at == '.') {
        whole = false;
        digits = strspn(++at, "0123456789");
        fine = digits > 0;
        at += digits;
    }
    if (fine && (*at == 'e' || *at == 'E')) {
        whole = false;
        at++;
        at += *at == '+' || *at == '-';
        digits = strspn(at, "0123456789");
        fine = digits > 0;
        at += digits;
    }
    if (!fine)
        return unexpected(reader, "a value");
    reader->at = at;
    errno = 0;
    json_int_t integer = whole ? strtoll(start, NULL, 10) : 0;
    if (whole && !errno)
        return json_integer(integer);
    double real = strtod(start, NULL);
    return isfinite(real) ? json_real(real) : fail(reader, "a number that is too large");
}

static json_t *read_word(struct reader *reader)
{
    static const char *const words[] = {"false", "true", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, words[i], length))
            continue;
        reader->at += length;
        return i < 2 ? json_boolean(i) : json_null();
    }
    return unexpected(reader, "a value");
}

static json_t *read_value(struct reader *reader);

static bool read_member(struct reader *reader, json_t *object)
{
    if (!take(reader, '"'))
        return unexpected(reader, "a key in quotation marks");
    char *key = read_text(reader);
    bool fine = key && (take(reader, ':') || unexpected(reader, "':'"));
    json_t *value = fine ? read_value(reader) : NULL;
    fine = value && !json_object_set_new(object, key, value);
    free(key);
    return fine;
}

static json_t *read_container(struct reader *reader)
{
    bool is_object = *reader->at++ == '{';
    json_t *container = is_object ? json_object() : json_array();
    char close = is_object ? '}' : ']';
    bool fine = container != NULL;
    if (fine && reader->depth++ == MOST_DEPTH)
        fine = fail(reader, "more than %d levels", MOST_DEPTH);
    if (fine && !take(reader, close)) {
        do
            fine = is_object ? read_member(reader, container)
                             : !json_array_append_new(container, read_value(reader));
        while (fine && take(reader, ','));
        fine = fine && (take(reader, close) || unexpected(reader, is_object ? "'}'" : "']'"));
    }
    reader->depth--;
    if (fine)
        return container;
    json_decref(container);
    return fail(reader, "out of memory"); /* unless something else is wrong */
}

static json_t *read_string(struct reader *reader)
{
    reader->at++;
    char *text = read_text(reader);
    json_t *value = json_string(text);
    free(text);
    return value;
}

static json_t *read_value(struct reader *reader)
{
    char c = look(reader);
    if (c == '{' || c == '[')
        return read_container(reader);
    if (c == '"')
        return read_string(reader);
    return c == '-' || (c >= '0' && c <= '9') ? read_number(reader) : read_word(reader);
}

static char *whole_file(const char *path, size_t *length)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0, got = 1;
    for (*length = 0; in && got; *length += got) {
        if (room < *length + 4096) {
            char *more = realloc(text, room = 2 * room + 65536);
            if (!more)
                break;
            text = more;
        }
        got = fread(text + *length, 1, room - *length - 1, in);
    }
    bool fine = in && !got && !ferror(in);
    if (in)
        fclose(in);
    if (fine) {
        text[*length] = 0;
        return text;
    }
    free(text);
    return NULL;
}

json_t *json_load_file(const char *path, size_t flags, json_error_t *error)
{
    json_error_t unheard;
    size_t length;
    (void)flags;
    error = error ? error : &unheard;
    *error = (json_error_t){.line = 0};
    errno = 0;
    char *text = whole_file(path, &length);
    if (!text) {
        snprintf(error->text, sizeof error->text, "%s", strerror(errno ? errno : ENOMEM));
        return NULL;
    }
    struct reader reader = {.at = text, .end = text + length, .line = 1, .error = error};
    char first = look(&reader);
    json_t *json =
        first == '{' || first == '[' ? read_value(&reader) : unexpected(&reader, "'{' or '['");
    if (json && (look(&reader) || reader.at < reader.end)) {
        json_decref(json);
        json = fail(&reader, "something behind the end of the value");
    }
    free(text);
    return json;
}
