/* JSON, written and read. The command needs a C compiler and an MPI, and no further library, so
 * that it builds where nothing can be installed. Names and meanings are those that jansson has for
 * the same things, as reports were first written with it; the tests read every report with jansson.
 *
 * Values are counted references. A function whose name ends in _new takes the caller's reference,
 * also where it fails. Every function takes NULL for a value that could not be made: a failure need
 * be looked at once, at the end. Objects keep the order of their keys; they are searched one by
 * one, so keep them to some tens of keys. */
#ifndef SUMMAND_CLI_JSON_H
#define SUMMAND_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef long long json_int_t;
typedef struct json_value json_t;

/* Flags of json_dumpf and json_dumps, to be added up. Without them: one line, 17 digits. */
#define JSON_INDENT(n) ((size_t)(n)&0x1f)                /* a line for each value */
#define JSON_REAL_PRECISION(n) (((size_t)(n)&0x1f) << 8) /* significant digits */
enum { JSON_COMPACT = 0x20, JSON_ENCODE_ANY = 0x40 };    /* no spaces; not only a container */

/* Why and where json_load_file failed. */
typedef struct json_error {
    int line; /* from 1; 0: the file could not be read */
    char text[160];
} json_error_t;

/* New values; NULL when out of memory, and json_string(NULL) is NULL. Bytes that are no UTF-8
 * become U+FFFD. A number that is not finite becomes null, as JSON has none. */
json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text);
json_t *json_integer(json_int_t number);
json_t *json_real(double number);
json_t *json_boolean(bool truth);
json_t *json_null(void);

json_t *json_incref(json_t *value);
void json_decref(json_t *value);

bool json_is_object(const json_t *value);
bool json_is_array(const json_t *value);
bool json_is_string(const json_t *value);
bool json_is_integer(const json_t *value);
bool json_is_real(const json_t *value);
bool json_is_number(const json_t *value);
bool json_is_boolean(const json_t *value);
bool json_is_true(const json_t *value);
bool json_is_null(const json_t *value);

/* NULL or 0 where the value is of another kind. A number is an integer or a real. */
const char *json_string_value(const json_t *value);
json_int_t json_integer_value(const json_t *value);
double json_real_value(const json_t *value);
double json_number_value(const json_t *value);

/* 0, or -1 when out of memory, or where a value is NULL or of another kind. */
int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_object_update(json_t *object, const json_t *other);
int json_array_append_new(json_t *array, json_t *value);

json_t *json_object_get(const json_t *object, const char *key); /* or NULL; borrowed */
json_t *json_array_get(const json_t *array, size_t index);      /* or NULL; borrowed */
size_t json_object_size(const json_t *object);
size_t json_array_size(const json_t *array);
const char *json_object_key_at(const json_t *object, size_t index);
json_t *json_object_value_at(const json_t *object, size_t index);

#define json_array_foreach(array, index, value)                                                    \
    for ((index) = 0; ((value) = json_array_get(array, index)) != NULL; (index)++)
#define json_object_foreach(object, key, value)                                                    \
    for (size_t index_ = 0; ((key) = json_object_key_at(object, index_)) != NULL &&                \
                            ((value) = json_object_value_at(object, index_)) != NULL;              \
         index_++)

/* An object in one call, json_pack("{s:s, s:I}", "name", text, "count", number): for each letter
 * behind a colon a key and a value.
 * - s: a text; s? also NULL, which is null.
 * - i, I: an int, a json_int_t.
 * - f: a double.
 * - b: an int as true or false.
 * - o, O: a value, whose reference is taken or added to; o?, O? also NULL, which is null.
 * NULL if any of it could not be made. */
json_t *json_pack(const char *format, ...);

/* The way back, to pointers: s (borrowed), i, I, f and F (any number), b, o (borrowed). Returns 0,
 * or -1 if a key is missing or of another kind. */
int json_unpack(const json_t *object, const char *format, ...);

/* Returns 0, or -1 if the value is NULL or could not be written. */
int json_dumpf(const json_t *value, FILE *out, size_t flags);
char *json_dumps(const json_t *value, size_t flags); /* to be freed; NULL if there is no memory */

/* The object or array that a file holds, or NULL and why; `flags` is 0. */
json_t *json_load_file(const char *path, size_t flags, json_error_t *error);

#endif
