/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/model.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "base/nearest.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/lines.h"
#include "select/defaults.h"

/* 10 Gb/s Ethernet, 2.5 us per link, 45 nodes under a switch. */
static const struct summand__model eth48 = {
    .per_node = 16,
    .per_switch = 45,
    .shared_card = 1,
    .oversubscription = 1,
    .eager = 16384,
    .reduce_byte = 1e-10,
    .copy_byte = 5e-11,
    .flop = SUMMAND__FLOP,
    .write_byte = SUMMAND__WRITE_BYTE,
    .level = {{.latency = 0.4e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 1 / 4.7e9},
              {.latency = 5e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 1 / 1.175e9},
              {.latency = 10e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 1 / 1.175e9}},
};

#define EVEN_LEVEL                                                                                 \
    {                                                                                              \
        .latency = 1e-6                                                                            \
    }

/* A message takes 1 us, all else nothing: times count the messages of the longest chain. */
static const struct summand__model unit = {.per_node = 1,
                                           .oversubscription = 1,
                                           .eager = 1e18,
                                           .level = {EVEN_LEVEL, EVEN_LEVEL, EVEN_LEVEL}};

#undef EVEN_LEVEL
#define PORT_LEVEL                                                                                 \
    {                                                                                              \
        .latency = 1e-6, .gap = 1e-6                                                               \
    }

/* The same with one message in and one out at a time per rank: times count rounds. */
static const struct summand__model one_port = {.per_node = 1,
                                               .oversubscription = 1,
                                               .eager = 1e18,
                                               .level = {PORT_LEVEL, PORT_LEVEL, PORT_LEVEL}};

const struct model_entry model_entries[] = {
    {"ib36x16", "36 nodes x 16 ranks, InfiniBand-class network, one switch",
     &summand__cluster_model},
    {"eth48", "48 nodes x 16 ranks, 10 Gb/s Ethernet, 45 nodes under a switch", &eth48},
    {"node", "one node, ranks share memory", &summand__memory_model},
    {"unit", "every message 1 us, all else free: counts the longest chain", &unit},
    {"one-port", "as unit, one message at a time for each rank: counts rounds", &one_port},
    {0},
};

static struct summand__nearest_text nearest_model(const char *word)
{
    struct summand__nearest nearest = summand__nearest_to(word);
    for (const struct model_entry *entry = model_entries; entry->name; entry++)
        summand__nearest_try(&nearest, entry->name);
    return summand__nearest_text(&nearest);
}

static struct summand__nearest_text nearest_parameter(const char *word)
{
    struct summand__nearest nearest = summand__nearest_to(word);
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        summand__nearest_try(&nearest, row->name);
    return summand__nearest_text(&nearest);
}

static bool set(const char *command, const char *name, const char *text, const char *where,
                struct summand__model *model)
{
    const struct summand__model_row *row = summand__model_row_named(name);
    char *end;
    double value = strtod(text, &end);
    if (!row)
        return !complain(command, "%s: '%s' is not a parameter of a model%s", where, name,
                         nearest_parameter(name).text);
    if (end == text || *end || !(value >= row->least && value <= row->most))
        return !complain(command, "%s: %s: '%s' is not a number from %g to %g", where, name, text,
                         row->least, row->most);
    if (row->whole && value != floor(value))
        return !complain(command, "%s: %s: '%s' is not an integer", where, name, text);
    *summand__model_value(model, row) = value;
    return true;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return text;
}

/* Copies the values that have rows. The simulation knows only these, so a named model equals its
 * printed file. Rows leave out the memory model's extra cost per segment, which the choice uses for
 * ranks of one node when no model is given. */
static void take(const struct summand__model *from, struct summand__model *model)
{
    struct summand__model copy = *from;
    *model = (struct summand__model){0};
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        *summand__model_value(model, row) = *summand__model_value(&copy, row);
}

static bool find(const char *name, struct summand__model *model)
{
    for (const struct model_entry *entry = model_entries; entry->name; entry++)
        if (!strcmp(name, entry->name)) {
            take(entry->model, model);
            return true;
        }
    return false;
}

/* "name = value" or "model = name". */
static bool assign(const char *command, char *text, const char *where, struct summand__model *model)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return !complain(command, "%s: '%s' is not name = value", where, text);
    *equals = 0;
    char *name = trimmed(text), *value = trimmed(equals + 1);
    if (strcmp(name, "model"))
        return set(command, name, value, where, model);
    return find(value, model) || !complain(command, "%s: '%s' is not a known model%s", where, value,
                                           nearest_model(value).text);
}

/* A line of a tuning file (select/tuning.h): "model NAME = VALUE" without its first word; NULL for
 * lines about algorithms. */
static char *of_tuning_file(char *line)
{
    size_t length = strcspn(line, " \t=");
    char *next = line + length + strspn(line + length, " \t");
    bool tunes = length == 7 && !strncmp(line, "machine", length);
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++) {
        const char *name = summand__collective_name((enum summand__collective)c);
        tunes = tunes || (strlen(name) == length && !strncmp(line, name, length));
    }
    if (*next != '=' && tunes)
        return line + strlen(line);
    return *next != '=' && length == 5 && !strncmp(line, "model", length) ? next : line;
}

static bool read_file(const char *command, const char *path, struct summand__model *model)
{
    struct lines lines;
    bool good = true;
    if (!lines_open(&lines, path))
        return !complain(command, "%s: neither a known model%s nor a file that opens: %s", path,
                         nearest_model(path).text, strerror(errno));
    take(model_entries[0].model, model);
    for (char *line; good && (line = lines_next(&lines));) {
        char where[PATH_MAX + 32];
        snprintf(where, sizeof where, "%s: line %d", path, lines.number);
        line[strcspn(line, "#")] = 0;
        char *text = of_tuning_file(trimmed(line));
        good = !*text || assign(command, text, where, model);
    }
    if (good && lines.wrong)
        good = !complain(command, "%s: line %d: %s", path, lines.number, lines.wrong);
    lines_close(&lines);
    return good;
}

bool model_get(const char *command, const char *name_or_file, const char *changes,
               struct summand__model *model)
{
    if (!name_or_file)
        take(model_entries[0].model, model);
    else if (!find(name_or_file, model) && !read_file(command, name_or_file, model))
        return false;
    if (changes && !*changes)
        return !complain(command, "--set: '' is not a list such as network.latency=5e-6");
    char *copy = changes ? need(strdup(changes)) : NULL, *rest = NULL;
    bool good = true;
    for (char *one = copy ? strtok_r(copy, ",", &rest) : NULL; good && one;
         one = strtok_r(NULL, ",", &rest))
        good = assign(command, trimmed(one), "--set", model);
    free(copy);
    return good;
}

bool model_is_of_one_node(const char *name_or_file, const struct summand__model *model)
{
    struct summand__model named;
    const struct summand__level *node = &model->level[SUMMAND__WITHIN_NODE];
    const struct summand__level *network = &model->level[SUMMAND__NETWORK];
    return name_or_file && !find(name_or_file, &named) && !memcmp(node, network, sizeof *node);
}

/* The shortest text that reads back as the same number. */
static void number_text(double value, char *text, size_t room)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

void model_print(const struct summand__model *model, FILE *out)
{
    struct summand__model copy = *model;
    char text[40];
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
        number_text(*summand__model_value(&copy, row), text, sizeof text);
        fprintf(out, "%-17s = %-11s # %s: %s\n", row->name, text, row->unit, row->meaning);
    }
}

json_t *model_json(const struct summand__model *model)
{
    struct summand__model copy = *model;
    json_t *json = json_object();
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++)
        json_object_set_new(json, row->name, json_finite(*summand__model_value(&copy, row)));
    return json;
}
