/* json_pack and json_unpack. */
#include <stdarg.h>
#include <string.h>

#include "json_value.h"

/* The letter of the next pair, and the format behind it; 0 at the end. */
static char next_pair(const char **format)
{
    const char *colon = strchr(*format, ':');
    if (!colon)
        return 0;
    *format = colon + 2;
    return colon[1];
}

json_t *json_pack(const char *format, ...)
{
    json_t *object = json_object();
    bool failed = !object;
    char letter;
    va_list arguments;
    va_start(arguments, format);
    while ((letter = next_pair(&format))) {
        const char *key = va_arg(arguments, const char *);
        json_t *value = NULL;
        if (letter == 's')
            value = json_string(va_arg(arguments, const char *));
        else if (letter == 'i')
            value = json_integer(va_arg(arguments, int));
        else if (letter == 'I')
            value = json_integer(va_arg(arguments, json_int_t));
        else if (letter == 'f')
            value = json_real(va_arg(arguments, double));
        else if (letter == 'b')
            value = json_boolean(va_arg(arguments, int) != 0);
        else if (letter == 'o')
            value = va_arg(arguments, json_t *);
        else if (letter == 'O')
            value = json_incref(va_arg(arguments, json_t *));
        if (!value && *format == '?')
            value = json_null();
        failed |= json_object_set_new(object, key, value) != 0;
    }
    va_end(arguments);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static bool fits(const json_t *value, char letter)
{
    switch (letter) {
    case 's':
        return json_is_string(value);
    case 'i':
    case 'I':
        return json_is_integer(value);
    case 'f':
    case 'F':
        return json_is_number(value);
    case 'b':
        return json_is_boolean(value);
    default:
        return value != NULL;
    }
}

int json_unpack(const json_t *object, const char *format, ...)
{
    char letter;
    int failed = 0;
    va_list arguments;
    va_start(arguments, format);
    while (!failed && (letter = next_pair(&format))) {
        json_t *value = json_object_get(object, va_arg(arguments, const char *));
        void *place = va_arg(arguments, void *);
        if (!fits(value, letter))
            failed = -1;
        else if (letter == 's')
            *(const char **)place = json_string_value(value);
        else if (letter == 'i')
            *(int *)place = (int)json_integer_value(value);
        else if (letter == 'I')
            *(json_int_t *)place = json_integer_value(value);
        else if (letter == 'f' || letter == 'F')
            *(double *)place = json_number_value(value);
        else if (letter == 'b')
            *(int *)place = json_is_true(value);
        else
            *(json_t **)place = value;
    }
    va_end(arguments);
    return failed;
}
