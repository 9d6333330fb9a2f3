/* SPDX-License-Identifier: BSD-3-Clause */
/* check_json FILE PATH...: prints the values at paths like results.0.bits, one per line. Fails if
 * FILE is no JSON or a path has no value. "results.#" is the length of the array. The path "?"
 * prints the strings that are numbers. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *step(json_t *json, const char *name)
{
    if (json_is_array(json))
        return json_array_get(json, strtoul(name, NULL, 10));
    return json_object_get(json, name);
}

static int print_at(json_t *json, char *path)
{
    for (char *name = strtok(path, "."); name && json; name = strtok(NULL, ".")) {
        if (!strcmp(name, "#"))
            return printf("%zu\n", json_array_size(json)) < 0;
        json = step(json, name);
    }
    if (!json)
        return 1;
    if (json_is_string(json))
        return puts(json_string_value(json)) < 0;
    int failed = json_dumpf(json, stdout, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    putchar('\n');
    return failed;
}

/* Texts of users and defaults in words may be numbers. */
static bool is_text(const char *name)
{
    static const char *const texts[] = {"default", "value", "summand", NULL};
    for (int i = 0; texts[i]; i++)
        if (!strcmp(name, texts[i]))
            return true;
    return false;
}

static int print_numbers(json_t *json, const char *name)
{
    const char *key, *text = json_string_value(json);
    json_t *value;
    size_t i;
    char *end = NULL;
    if (text && *text && !is_text(name) && (strtod(text, &end), !*end) &&
        strncmp(text, "0x", 2) != 0)
        printf("%s: \"%s\"\n", name, text);
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "environment") != 0)
            print_numbers(value, key);
    }
    json_array_foreach(json, i, value)
    {
        print_numbers(value, name);
    }
    return 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *json = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
    if (!json) {
        fprintf(stderr, "check_json: %s\n", argc > 1 ? error.text : "no file");
        return 1;
    }
    int status = 0;
    for (int i = 2; i < argc; i++) {
        char *path = strdup(argv[i]);
        if (!path || (!strcmp(path, "?") ? print_numbers(json, "") : print_at(json, path))) {
            fprintf(stderr, "check_json: %s: nothing there\n", argv[i]);
            status = 1;
        }
        free(path);
    }
    json_decref(json);
    return status;
}
