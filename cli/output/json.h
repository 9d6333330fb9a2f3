/* SPDX-License-Identifier: BSD-3-Clause */
/* jansson writes and reads reports. It is optional: without it, the command refuses --json, --csv
 * (parse_options) and JSON files. Then these replacements make and read nothing. */
#pragma once

#define NO_JSON "this summand was built without jansson: no --json, no --csv, no file of JSON"

#ifdef SUMMAND_WITH_JANSSON
#include <jansson.h>
enum { HAS_JSON = 1 };
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { HAS_JSON = 0 };

typedef long long json_int_t;
typedef struct json_nothing json_t;
typedef struct {
    int line;
    char text[160];
} json_error_t;

/* Each of these calls returns NULL, 0 or false; the arguments count as used. */
#define JSON_NONE(type, name, parameters)                                                          \
    static inline __attribute__((unused)) type name parameters                                     \
    {                                                                                              \
        return 0;                                                                                  \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
JSON_NONE(json_t *, json_object, (void))
JSON_NONE(json_t *, json_array, (void))
JSON_NONE(json_t *, json_null, (void))
JSON_NONE(json_t *, json_string, (const char *text))
JSON_NONE(json_t *, json_integer, (json_int_t number))
JSON_NONE(json_t *, json_real, (double number))
JSON_NONE(json_t *, json_boolean, (bool truth))
JSON_NONE(json_t *, json_incref, (json_t * value))
JSON_NONE(bool, json_is_object, (const json_t *value))
JSON_NONE(bool, json_is_array, (const json_t *value))
JSON_NONE(bool, json_is_string, (const json_t *value))
JSON_NONE(bool, json_is_integer, (const json_t *value))
JSON_NONE(bool, json_is_real, (const json_t *value))
JSON_NONE(bool, json_is_number, (const json_t *value))
JSON_NONE(bool, json_is_boolean, (const json_t *value))
JSON_NONE(bool, json_is_true, (const json_t *value))
JSON_NONE(bool, json_is_null, (const json_t *value))
JSON_NONE(const char *, json_string_value, (const json_t *value))
JSON_NONE(json_int_t, json_integer_value, (const json_t *value))
JSON_NONE(double, json_real_value, (const json_t *value))
JSON_NONE(double, json_number_value, (const json_t *value))
JSON_NONE(int, json_object_set_new, (json_t * object, const char *key, json_t *value))
JSON_NONE(int, json_object_update, (json_t * object, json_t *other))
JSON_NONE(int, json_object_update_new, (json_t * object, json_t *other))
JSON_NONE(int, json_object_set, (json_t * object, const char *key, json_t *value))
JSON_NONE(int, json_array_append, (json_t * array, json_t *value))
JSON_NONE(int, json_array_append_new, (json_t * array, json_t *value))
JSON_NONE(json_t *, json_object_get, (const json_t *object, const char *key))
JSON_NONE(json_t *, json_array_get, (const json_t *array, size_t index))
JSON_NONE(size_t, json_object_size, (const json_t *object))
JSON_NONE(size_t, json_array_size, (const json_t *array))
JSON_NONE(char *, json_dumps, (const json_t *value, size_t flags))
static inline __attribute__((unused)) void json_decref(json_t *value)
{
}
static inline __attribute__((unused)) int json_unpack(json_t *value, const char *format, ...)
{
    return -1;
}
static inline __attribute__((unused)) int json_dumpf(const json_t *value, FILE *out, size_t flags)
{
    return -1;
}
static inline __attribute__((unused)) json_t *json_load_file(const char *path, size_t flags,
                                                             json_error_t *error)
{
    if (error) {
        error->line = 0;
        snprintf(error->text, sizeof error->text, "%s", NO_JSON);
    }
    return NULL;
}
static inline __attribute__((unused)) json_t *json_loadf(FILE *file, size_t flags,
                                                         json_error_t *error)
{
    return json_load_file(NULL, flags, error);
}
#pragma GCC diagnostic pop

#define JSON_DISABLE_EOF_CHECK 0
#define JSON_INDENT(n) 0
#define JSON_REAL_PRECISION(n) 0
#define JSON_COMPACT 0
#define JSON_ENCODE_ANY 0
#define json_array_foreach(array, index, value)                                                    \
    for ((index) = 0; ((value) = json_array_get(array, index)); (index)++)
#define json_object_foreach(object, key, value)                                                    \
    for ((key) = "", (value) = json_object_get(object, key); (value);)
#endif

/* Builders of JSON. None returns NULL: if a value cannot be made, they print an error and end the
 * command. They escape bytes that are not UTF-8 (text.h). */
json_t *json_text(const char *text); /* NULL: null */
/* A number, or null: JSON has no infinity and no NaN. */
json_t *json_finite(double value);
/* An object: a letter of `types` for each field; the fields' names and values follow. s: const char
 * *, NULL for null; I: json_int_t; i: int; b: bool; f: double (json_finite); o: json_t *, taken
 * over; O: json_t *, still owned by the caller; [: an empty array, without a value. */
json_t *json_make(const char *types, ...);

/* The first fields of every command's JSON: {"command": NAME, "summand": VERSION}. */
json_t *json_head(const char *command);

/* Complains about a file that jansson could not read. */
void complain_json(const char *command, const char *path, const json_error_t *error,
                   const char *writer);
/* The JSON of a file; NULL after a complaint of `command`, which says who writes such a file
 * ("'summand sum --json'"). */
json_t *read_json(const char *command, const char *path, const char *writer);
/* Writes JSON to a file, "-" or NULL for the screen, and frees it. Returns 0, or 1 after a
 * complaint. */
int write_json(const char *command, json_t *json, const char *path);
/* The same with jansson's flags: JSON_COMPACT for files with many numbers. */
int write_json_as(const char *command, json_t *json, const char *path, size_t flags);
