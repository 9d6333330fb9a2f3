/* SPDX-License-Identifier: BSD-3-Clause */
/* summand generate: numbers for experiments. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/data/psllh_like.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/ranks/interrupt.h"
#include "cli/sum/source.h"

extern const struct command command_generate;

enum { PIECE = 4096 };

struct generator {
    const char *name;
    void (*fill)(uint64_t seed, uint64_t first, uint64_t count, double *values);
};

static const struct generator generators[] = {{"psllh", psllh_like_fill}, {NULL, NULL}};

/* Returns the number of written values: fewer after Ctrl-C or a write error. */
static uint64_t write_all(const struct generator *generator, const struct data_format *format,
                          uint64_t seed, uint64_t count, uint64_t columns, FILE *out)
{
    uint64_t first = 0;
    double values[PIECE];
    if (columns)
        head_npy_matrix(out, count / columns, columns);
    else
        format->write_head(out, count);
    while (first < count && !ferror(out) && !interrupted()) {
        uint64_t n = count - first < PIECE ? count - first : PIECE;
        generator->fill(seed, first, n, values);
        format->write_values(out, n, values);
        first += n;
    }
    return first;
}

/* Prints a summary of a file, else the numbers themselves. */
static int tell(const struct generator *generator, const struct data_format *format, uint64_t seed,
                uint64_t count, const char *path)
{
    json_t *object = json_head(command_generate.name), *list = json_array();
    double values[PIECE];
    for (uint64_t first = 0; !path && first < count && !interrupted(); first += PIECE) {
        uint64_t n = count - first < PIECE ? count - first : PIECE;
        generator->fill(seed, first, n, values);
        for (uint64_t i = 0; i < n; i++)
            json_array_append_new(list, json_finite(values[i]));
    }
    json_object_update_new(object, json_make("sII", "generator", generator->name, "count",
                                             (json_int_t)count, "seed", (json_int_t)seed));
    if (path)
        json_object_update_new(object, json_make("ss", "file", path, "format", format->name));
    else
        json_object_set(object, "values", list);
    json_decref(list);
    int status = write_json(command_generate.name, object, NULL);
    return interrupted() && !path && !status ? interrupt_say(command_generate.name) : status;
}

/* A file holds all numbers or is not made: its header states their number. */
static int generate(const struct generator *generator, const struct data_format *format,
                    uint64_t seed, uint64_t count, uint64_t columns, const char *path)
{
    struct output output;
    if (!output_open(&output, command_generate.name, path))
        return 1;
    bool screen = !path || !strcmp(path, "-");
    bool whole = write_all(generator, format, seed, count, columns, output.file) == count;
    bool good = output_close(&output, whole || screen || !interrupted());
    if (whole || !interrupted())
        return !good;
    if (screen)
        return interrupt_say(command_generate.name);
    complain(command_generate.name, "interrupted: %s is not written", path);
    return INTERRUPTED;
}

static int make(const struct generator *generator, const struct data_format *format, uint64_t seed,
                uint64_t count, uint64_t columns, const char *path, bool json)
{
    int status = json && !path ? 0 : generate(generator, format, seed, count, columns, path);
    return json && !status ? tell(generator, format, seed, count, path) : status;
}

static const struct generator *find(const char *name)
{
    for (int i = 0; name && generators[i].name; i++)
        if (!strcmp(generators[i].name, name))
            return &generators[i];
    return NULL;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    long long count = 1000, seed = 1, columns = 0;
    int choice = 0;
    const char *path = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"count", 'n', OPTION_INT, &count, "N", "how many numbers", NULL, 0, 1e15},
        {"columns", 0, OPTION_INT, &columns, "N",
         "a matrix of N columns, row by row: an .npy file, --count a multiple of N", NULL, 1, 1e15},
        {"seed", 's', OPTION_INT, &seed, "S", "seed of the numbers", NULL, ANY_SEED},
        {"format", 'f', OPTION_CHOICE, &choice, "F",
         "format, but npz; auto: by FILE's name, else psllh", format_choices},
        {"output", 'o', OPTION_OUTPUT, &path, "FILE", "write to FILE instead of the screen", NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL,
         "print JSON: the numbers, or with --output what the file holds", NULL},
        {0}};
    int first = parse_options(parsing, &command_generate, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first < 0)
        return 2;
    const struct generator *generator = first + 1 == argc ? find(argv[first]) : NULL;
    const struct data_format *format = format_chosen(choice, path ? path : ".psllh");
    if (first == argc)
        complain(command_generate.name, "what to generate? Known: psllh");
    else if (!generator)
        complain(command_generate.name, "'%s': psllh alone can be generated, once", argv[argc - 1]);
    else if (!format)
        complain(command_generate.name, "%s: the name does not tell the format; give --format",
                 path);
    else if (!format->write_head)
        complain(command_generate.name, "--format %s: is read, and not written; npy is",
                 format->name);
    else if (json && !path && option_given(parsing, "format"))
        complain(command_generate.name, "--format: goes with --output, or without --json");
    else if (columns && strcmp(format->name, "npy"))
        complain(command_generate.name, "--columns: a matrix goes to an .npy file, not to %s",
                 format->name);
    else if (columns && count % columns)
        complain(command_generate.name, "--count: %lld is no multiple of %lld columns", count,
                 columns);
    else {
        interrupt_listen();
        return make(generator, format, (uint64_t)seed, (uint64_t)count, (uint64_t)columns, path,
                    json);
    }
    return 2;
}

const struct command command_generate = {
    "generate",
    "a file of numbers like per-site log-likelihoods, from a seed",
    "generate [options] psllh",
    "  summand generate psllh --count 504850 --output data.binpsllh\n"
    "  summand generate psllh --count 10 --seed 7\n"
    "  summand generate psllh --count 30k --columns 3 --output matrix.npy\n",
    false,
    run,
    NULL};
