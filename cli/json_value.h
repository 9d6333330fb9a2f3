/* What a JSON value is, for the files json*.c. */
#ifndef SUMMAND_CLI_JSON_VALUE_H
#define SUMMAND_CLI_JSON_VALUE_H

#include "json.h"

enum json_kind {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_BOOLEAN,
    JSON_NULL
};

struct json_value {
    enum json_kind kind;
    size_t references;
    /* Of objects and arrays. */
    size_t count, room;
    json_t **item;
    char **key; /* of objects */
    /* Of the others. */
    char *text;
    json_int_t integer; /* and boolean */
    double real;
};

/* A new value with one reference; NULL when out of memory. */
json_t *json_make(enum json_kind kind);

/* Bytes of the UTF-8 character at text, 1 to 4, or 0 if it is none. */
size_t json_utf8_length(const char *text);

#endif
