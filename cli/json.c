/* JSON values: making, counting references, asking. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_value.h"

json_t *json_make(enum json_kind kind)
{
    json_t *value = calloc(1, sizeof *value);
    if (value) {
        value->kind = kind;
        value->references = 1;
    }
    return value;
}

json_t *json_object(void)
{
    return json_make(JSON_OBJECT);
}

json_t *json_array(void)
{
    return json_make(JSON_ARRAY);
}

size_t json_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80                    ? 1
                    : c[0] >= 0xc2 && c[0] < 0xe0  ? 2
                    : c[0] >= 0xe0 && c[0] < 0xf0  ? 3
                    : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* Too long a form, a surrogate, or above U+10FFFF. */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return length;
}

json_t *json_string(const char *text)
{
    json_t *value = text ? json_make(JSON_STRING) : NULL;
    char *out = value ? malloc(3 * strlen(text) + 1) : NULL;
    if (!out) {
        free(value);
        return NULL;
    }
    value->text = out;
    while (*text) {
        size_t length = json_utf8_length(text);
        memcpy(out, length ? text : "\xef\xbf\xbd", length ? length : 3);
        out += length ? length : 3;
        text += length ? length : 1;
    }
    *out = 0;
    return value;
}

json_t *json_integer(json_int_t number)
{
    json_t *value = json_make(JSON_INTEGER);
    if (value)
        value->integer = number;
    return value;
}

json_t *json_real(double number)
{
    json_t *value = json_make(isfinite(number) ? JSON_REAL : JSON_NULL);
    if (value)
        value->real = number;
    return value;
}

json_t *json_boolean(bool truth)
{
    json_t *value = json_make(JSON_BOOLEAN);
    if (value)
        value->integer = truth;
    return value;
}

json_t *json_null(void)
{
    return json_make(JSON_NULL);
}

json_t *json_incref(json_t *value)
{
    if (value)
        value->references++;
    return value;
}

void json_decref(json_t *value)
{
    if (!value || --value->references)
        return;
    for (size_t i = 0; i < value->count; i++) {
        json_decref(value->item[i]);
        if (value->key)
            free(value->key[i]);
    }
    free(value->item);
    free(value->key);
    free(value->text);
    free(value);
}

static bool is(const json_t *value, enum json_kind kind)
{
    return value && value->kind == kind;
}

bool json_is_object(const json_t *value)
{
    return is(value, JSON_OBJECT);
}

bool json_is_array(const json_t *value)
{
    return is(value, JSON_ARRAY);
}

bool json_is_string(const json_t *value)
{
    return is(value, JSON_STRING);
}

bool json_is_integer(const json_t *value)
{
    return is(value, JSON_INTEGER);
}

bool json_is_real(const json_t *value)
{
    return is(value, JSON_REAL);
}

bool json_is_number(const json_t *value)
{
    return json_is_integer(value) || json_is_real(value);
}

bool json_is_boolean(const json_t *value)
{
    return is(value, JSON_BOOLEAN);
}

bool json_is_true(const json_t *value)
{
    return json_is_boolean(value) && value->integer;
}

bool json_is_null(const json_t *value)
{
    return is(value, JSON_NULL);
}

const char *json_string_value(const json_t *value)
{
    return json_is_string(value) ? value->text : NULL;
}

json_int_t json_integer_value(const json_t *value)
{
    return json_is_integer(value) ? value->integer : 0;
}

double json_real_value(const json_t *value)
{
    return json_is_real(value) ? value->real : 0;
}

double json_number_value(const json_t *value)
{
    return json_is_integer(value) ? (double)value->integer : json_real_value(value);
}
