/* summand generate: numbers for trying things out. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "psllh_like.h"
#include "source.h"

extern const struct command command_generate;

enum { PIECE = 4096 };

struct generator {
    const char *name;
    void (*fill)(uint64_t seed, uint64_t first, uint64_t count, double *values);
};

static const struct generator generators[] = {{"psllh", psllh_like_fill}, {NULL, NULL}};

static void write_all(const struct generator *generator, const struct data_format *format,
                      uint64_t seed, uint64_t count, FILE *out)
{
    double values[PIECE];
    format->write_head(out, count);
    for (uint64_t first = 0; first < count; first += PIECE) {
        uint64_t n = count - first < PIECE ? count - first : PIECE;
        generator->fill(seed, first, n, values);
        format->write_values(out, n, values);
    }
}

static int generate(const struct generator *generator, const struct data_format *format,
                    uint64_t seed, uint64_t count, const char *path)
{
    struct output output;
    if (!output_open(&output, command_generate.name, path))
        return 1;
    write_all(generator, format, seed, count, output.file);
    return !output_close(&output, true);
}

static const struct generator *find(const char *name)
{
    for (int i = 0; name && generators[i].name; i++)
        if (!strcmp(generators[i].name, name))
            return &generators[i];
    return NULL;
}

static int run(int argc, char **argv)
{
    long long count = 1000, seed = 1;
    int choice = 0;
    const char *path = NULL;
    bool help;
    const struct option_row rows[] = {
        {"count", 'n', OPTION_INT, &count, "N", "how many numbers", NULL},
        {"seed", 's', OPTION_INT, &seed, "S", "another seed, other numbers", NULL},
        {"format", 'f', OPTION_CHOICE, &choice, "F", "format; auto: by FILE's name, else psllh",
         format_choices},
        {"output", 'o', OPTION_TEXT, &path, "FILE", "write there instead of to the screen", NULL},
        {0}};
    int first = parse_options(&command_generate, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first < 0)
        return 2;
    const struct generator *generator = first + 1 == argc ? find(argv[first]) : NULL;
    const struct data_format *format = format_chosen(choice, path ? path : ".psllh");
    if (!generator)
        complain(command_generate.name, "what to generate? Known: psllh");
    else if (count < 0)
        complain(command_generate.name, "--count: '%lld' is negative", count);
    else if (!format)
        complain(command_generate.name, "%s: the name does not tell the format; give --format",
                 path);
    else
        return generate(generator, format, (uint64_t)seed, (uint64_t)count, path);
    return 2;
}

const struct command command_generate = {
    "generate",
    "a file of numbers like per-site log-likelihoods, from a seed",
    "generate [options] psllh",
    "  summand generate psllh --count 504850 --output data.binpsllh\n"
    "  summand generate psllh --count 10 --seed 7\n",
    false,
    run,
    NULL};
