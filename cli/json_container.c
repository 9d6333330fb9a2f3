/* Objects and arrays of JSON. */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"

static bool grow(json_t *container)
{
    size_t room = container->room ? 2 * container->room : 8;
    json_t **item = realloc(container->item, room * sizeof *item);
    if (!item)
        return false;
    container->item = item;
    if (container->kind == JSON_OBJECT) {
        char **key = realloc(container->key, room * sizeof *key);
        if (!key)
            return false;
        container->key = key;
    }
    container->room = room;
    return true;
}

/* Takes the reference. */
static int append(json_t *container, char *key, json_t *value)
{
    if (!value || (container->count == container->room && !grow(container))) {
        json_decref(value);
        free(key);
        return -1;
    }
    if (container->kind == JSON_OBJECT)
        container->key[container->count] = key;
    container->item[container->count++] = value;
    return 0;
}

int json_array_append_new(json_t *array, json_t *value)
{
    if (json_is_array(array))
        return append(array, NULL, value);
    json_decref(value);
    return -1;
}

static size_t find(const json_t *object, const char *key)
{
    size_t i = 0;
    while (i < object->count && strcmp(object->key[i], key))
        i++;
    return i;
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    size_t at = json_is_object(object) ? find(object, key) : 0;
    if (!json_is_object(object) || !value) {
        json_decref(value);
        return -1;
    }
    if (at == object->count) {
        char *copy = strdup(key);
        if (copy)
            return append(object, copy, value);
        json_decref(value);
        return -1;
    }
    json_decref(object->item[at]);
    object->item[at] = value;
    return 0;
}

int json_object_update(json_t *object, const json_t *other)
{
    int failed = json_is_object(object) && json_is_object(other) ? 0 : -1;
    for (size_t i = 0; !failed && i < other->count; i++)
        failed = json_object_set_new(object, other->key[i], json_incref(other->item[i]));
    return failed;
}

json_t *json_object_get(const json_t *object, const char *key)
{
    if (!json_is_object(object))
        return NULL;
    size_t at = find(object, key);
    return at < object->count ? object->item[at] : NULL;
}

json_t *json_array_get(const json_t *array, size_t index)
{
    return json_is_array(array) && index < array->count ? array->item[index] : NULL;
}

size_t json_object_size(const json_t *object)
{
    return json_is_object(object) ? object->count : 0;
}

size_t json_array_size(const json_t *array)
{
    return json_is_array(array) ? array->count : 0;
}

const char *json_object_key_at(const json_t *object, size_t index)
{
    return json_is_object(object) && index < object->count ? object->key[index] : NULL;
}

json_t *json_object_value_at(const json_t *object, size_t index)
{
    return json_is_object(object) && index < object->count ? object->item[index] : NULL;
}
