/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <summand/version.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/output/text.h"

/* jansson takes NULL for a value that could not be made, and leaves it out. */
static json_t *there(json_t *value)
{
    if (!value && HAS_JSON) {
        complain("report", "a part of the JSON could not be made");
        _exit(1); /* as need() does */
    }
    return value;
}

json_t *json_text(const char *text)
{
    char *valid = text ? text_valid(text) : NULL;
    json_t *value = there(text ? json_string(valid) : json_null());
    free(valid);
    return value;
}

json_t *json_finite(double value)
{
    return there(isfinite(value) ? json_real(value) : json_null());
}

static json_t *next_value(char type, va_list *values)
{
    switch (type) {
    case 's':
        return json_text(va_arg(*values, const char *));
    case 'I':
        return json_integer(va_arg(*values, json_int_t));
    case 'i':
        return json_integer(va_arg(*values, int));
    case 'b':
        return json_boolean(va_arg(*values, int));
    case 'f':
        return json_finite(va_arg(*values, double));
    case 'o':
        return va_arg(*values, json_t *);
    case 'O':
        return json_incref(va_arg(*values, json_t *));
    case '[':
        return json_array();
    default:
        return NULL;
    }
}

json_t *json_make(const char *types, ...)
{
    json_t *object = json_object();
    va_list values;
    va_start(values, types);
    for (; *types; types++) {
        const char *name = va_arg(values, const char *);
        json_object_set_new(object, name, there(next_value(*types, &values)));
    }
    va_end(values);
    return there(object);
}

json_t *json_head(const char *command)
{
    return json_make("ss", "command", command, "summand", summand_version());
}

void complain_json(const char *command, const char *path, const json_error_t *error,
                   const char *writer)
{
    if (error->line > 0)
        complain(command, "%s: this is no JSON (line %d: %s); %s writes such a file", path,
                 error->line, error->text, writer);
    else
        complain(command, "%s: %s", path, error->text);
}

json_t *read_json(const char *command, const char *path, const char *writer)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json)
        complain_json(command, path, &error, writer);
    return json;
}

int write_json(const char *command, json_t *json, const char *path)
{
    return write_json_as(command, json, path, JSON_INDENT(2));
}

int write_json_as(const char *command, json_t *json, const char *path, size_t flags)
{
    struct output output;
    bool good = output_open(&output, command, path);
    if (good) {
        bool made = !json_dumpf(json, output.file, flags | JSON_REAL_PRECISION(17));
        fputc('\n', output.file);
        if (!made && !ferror(output.file))
            complain(command, "%s: out of memory for the report", output.path);
        good = output_close(&output, made);
    }
    json_decref(json);
    return !good;
}
