/* JSON values as text. */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"

static void write_string(const char *text, FILE *out)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    fputc('"', out);
    for (; *text; text++) {
        const char *found = strchr(escaped, *text);
        if (found)
            fprintf(out, "\\%c", letters[found - escaped]);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

/* A real stays one: 1 is written as 1.0. */
static void write_real(double number, FILE *out, size_t flags)
{
    char text[40];
    int digits = (int)(flags >> 8 & 0x1f);
    snprintf(text, sizeof text, "%.*g", digits ? digits : 17, number);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void new_line(FILE *out, size_t flags, size_t depth)
{
    if (flags & 0x1f)
        fprintf(out, "\n%*s", (int)((flags & 0x1f) * depth), "");
}

static void write_value(const json_t *value, FILE *out, size_t flags, size_t depth);

static void write_container(const json_t *value, FILE *out, size_t flags, size_t depth)
{
    bool object = value->kind == JSON_OBJECT, tight = flags & JSON_COMPACT;
    fputc(object ? '{' : '[', out);
    for (size_t i = 0; i < value->count; i++) {
        if (i)
            fputs(tight || (flags & 0x1f) ? "," : ", ", out);
        new_line(out, flags, depth + 1);
        if (object) {
            write_string(value->key[i], out);
            fputs(tight ? ":" : ": ", out);
        }
        write_value(value->item[i], out, flags, depth + 1);
    }
    if (value->count)
        new_line(out, flags, depth);
    fputc(object ? '}' : ']', out);
}

static void write_value(const json_t *value, FILE *out, size_t flags, size_t depth)
{
    switch (value->kind) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        write_container(value, out, flags, depth);
        break;
    case JSON_STRING:
        write_string(value->text, out);
        break;
    case JSON_INTEGER:
        fprintf(out, "%lld", value->integer);
        break;
    case JSON_REAL:
        write_real(value->real, out, flags);
        break;
    case JSON_BOOLEAN:
        fputs(value->integer ? "true" : "false", out);
        break;
    case JSON_NULL:
        fputs("null", out);
        break;
    }
}

int json_dumpf(const json_t *value, FILE *out, size_t flags)
{
    if (!value || !((flags & JSON_ENCODE_ANY) || json_is_object(value) || json_is_array(value)))
        return -1;
    write_value(value, out, flags, 0);
    return ferror(out) ? -1 : 0;
}

char *json_dumps(const json_t *value, size_t flags)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    int failed = json_dumpf(value, out, flags);
    if (!fclose(out) && !failed)
        return text;
    free(text);
    return NULL;
}
